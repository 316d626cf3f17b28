//! The observations of one deployment: a few sums, updated at a constant cost per event.
//!
//! They are sufficient: no posterior of the model needs more (the paper's section 2.1).

use crate::prior::Deaths;

/// More cores, events or hours than a deployment in any cloud has; larger values are clamped to this, so that all
/// results are finite.
pub(crate) const MOST: f64 = 1e12;

/// The observations of one deployment so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// C, its cores now.
    pub cores: f64,
    /// The sum of the squared sizes of its current blocks; used if blocks end as a whole.
    pub squares: f64,
    /// Its current blocks.
    pub blocks: f64,
    /// d, cores (or blocks) that ended one by one.
    pub deaths: f64,
    /// X, hours that its cores (or blocks) were observed, summed over them. Negative if hours were observed in which
    /// it could not have stopped, such as between scale-outs observed before it started.
    pub exposure: f64,
    /// k, its scale-out requests, granted or not.
    pub scale_outs: f64,
    /// t, hours since its start.
    pub hours: f64,
    /// Cores beyond the first, summed over its requests.
    pub extra: f64,
    /// Requests counted in `extra`: its scale-outs, and the first request.
    pub requests: f64,
}

impl Seen {
    /// A deployment that has just started with this many cores. Its first request says as much about the size of its
    /// requests as a later one.
    #[must_use]
    pub fn started(cores: f64) -> Self {
        let mut seen = Self::default();
        seen.asked(cores);
        seen.grow(cores);
        seen
    }

    /// A deployment of this age that still has the cores it started with. It had scale-outs, each of as many cores, all
    /// of which are gone.
    #[must_use]
    pub fn unchanged(cores: f64, hours: f64, scale_outs: u32, deaths: Deaths) -> Self {
        let mut seen = Self::started(cores);
        seen.pass(hours, deaths);
        for _ in 0..scale_outs {
            seen.scale_out(cores, true);
            seen.death(cores, deaths);
        }
        seen
    }

    /// This many hours pass without events.
    pub fn pass(&mut self, hours: f64, deaths: Deaths) {
        let watched = match deaths {
            Deaths::Cores => self.cores,
            Deaths::Blocks => self.blocks,
        };
        self.hours += hours;
        self.exposure += hours * watched;
    }

    /// It requests this many more cores. A refused request gives the same information and adds no cores.
    pub fn scale_out(&mut self, cores: f64, granted: bool) {
        self.scale_outs += 1.0;
        self.asked(cores);
        if granted {
            self.grow(cores);
        }
    }

    /// This many cores end together: one block, or as many single cores.
    pub fn death(&mut self, cores: f64, deaths: Deaths) {
        self.cores = (self.cores - cores).max(0.0);
        match deaths {
            Deaths::Cores => self.deaths += cores,
            Deaths::Blocks => {
                self.deaths += 1.0;
                self.blocks = (self.blocks - 1.0).max(0.0);
                self.squares = (self.squares - cores * cores).max(0.0);
            }
        }
    }

    /// The same with every number clamped to 0 to [`MOST`], except the exposure, which may be as far below 0.
    pub(crate) fn bounded(&self) -> Self {
        let bounded = |number: f64| bounded(number, MOST);
        let Self { cores, squares, blocks, deaths, exposure, scale_outs, hours, extra, requests } = *self;
        Self {
            cores: bounded(cores),
            squares: self::bounded(squares, MOST * MOST),
            blocks: bounded(blocks),
            deaths: bounded(deaths),
            exposure: if exposure.is_nan() { 0.0 } else { exposure.clamp(-MOST, MOST) },
            scale_outs: bounded(scale_outs),
            hours: bounded(hours),
            extra: bounded(extra),
            requests: bounded(requests),
        }
    }

    fn asked(&mut self, cores: f64) {
        self.requests += 1.0;
        self.extra += (cores - 1.0).max(0.0);
    }

    fn grow(&mut self, cores: f64) {
        self.cores += cores;
        self.squares += cores * cores;
        self.blocks += 1.0;
    }
}

/// The nearest number from 0 to `most`; 0 for NaN.
pub(crate) fn bounded(number: f64, most: f64) -> f64 {
    if number > 0.0 { number.min(most) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn story(deaths: Deaths) -> Seen {
        let mut seen = Seen::started(4.0);
        seen.pass(2.0, deaths);
        seen.scale_out(3.0, true);
        seen.pass(1.0, deaths);
        seen.scale_out(9.0, false);
        seen.death(4.0, deaths);
        seen.pass(0.5, deaths);
        seen
    }

    #[test]
    fn cores_are_watched_one_by_one() {
        let seen = story(Deaths::Cores);
        assert_eq!((seen.cores, seen.deaths, seen.exposure), (3.0, 4.0, 8.0 + 7.0 + 1.5));
        assert_eq!((seen.scale_outs, seen.hours, seen.extra, seen.requests), (2.0, 3.5, 13.0, 3.0));
    }

    #[test]
    fn blocks_are_watched_whole() {
        let seen = story(Deaths::Blocks);
        assert_eq!((seen.cores, seen.blocks, seen.squares), (3.0, 1.0, 9.0));
        assert_eq!((seen.deaths, seen.exposure), (1.0, 2.0 + 2.0 + 0.5));
    }
}
