//! The simplex search of Nelder and Mead (1965), which requests one value at a time, so that values can be computed
//! in slices. It finds the point with the highest value.

use alloc::vec::Vec;

use tiebreak_model::sort;

/// What to do with the requested value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchStep {
    /// One corner of the simplex, as the search starts or shrinks.
    Corner(u32),
    Reflect,
    Expand,
    Contract,
}

#[derive(Clone, Debug)]
struct Corner {
    point: Vec<f64>,
    value: f64,
}

/// A running search.
#[derive(Clone, Debug)]
pub(super) struct Search {
    /// Best first, except while corners are being filled.
    corners: Vec<Corner>,
    step: SearchStep,
    asked: Vec<f64>,
    reflected: Corner,
    values: u32,
    values_most: u32,
}

/// Values closer together than this count as equal: log-likelihoods.
const ALIKE: f64 = 1e-5;

impl Search {
    /// Starts at this point with these first steps, and requests at most this many values.
    pub(super) fn new(start: &[f64], widths: &[f64], values_most: u32) -> Self {
        let corner = |place: usize| {
            let mut point = start.to_vec();
            if let Some(number) = place.checked_sub(1) {
                point[number] += widths[number];
            }
            Corner { point, value: f64::NEG_INFINITY }
        };
        let corners: Vec<Corner> = (0..=start.len()).map(corner).collect();
        let reflected = corners[0].clone();
        Self { asked: start.to_vec(), corners, step: SearchStep::Corner(0), reflected, values: 0, values_most }
    }

    /// The point whose value is needed next; `None` when the search is over.
    pub(super) fn asks(&self) -> Option<&[f64]> {
        let filling = matches!(self.step, SearchStep::Corner(_));
        let spread = self.corners[0].value - self.corners[self.corners.len() - 1].value;
        let over = self.values_most <= self.values || (!filling && spread < ALIKE);
        (!over).then_some(&*self.asked)
    }

    /// The best point so far, and its value.
    pub(super) fn best(&self) -> (&[f64], f64) {
        (&self.corners[0].point, self.corners[0].value)
    }

    /// Whether it was stopped before it converged.
    pub(super) fn was_cut(&self) -> bool {
        self.values_most <= self.values
    }

    /// The number of values so far.
    pub(super) fn values(&self) -> u32 {
        self.values
    }

    /// The value at the requested point. NaN is the lowest of all.
    pub(super) fn tell(&mut self, value: f64) {
        let value = if value.is_nan() { f64::NEG_INFINITY } else { value };
        let here = Corner { point: self.asked.clone(), value };
        let last = self.corners.len() - 1;
        self.values += 1;
        match self.step {
            SearchStep::Corner(place) => {
                self.corners[place as usize] = here;
                self.fill(place + 1);
            }
            SearchStep::Reflect if self.corners[0].value < value => {
                self.reflected = here;
                self.ask(SearchStep::Expand, 2.0);
            }
            SearchStep::Reflect if self.corners[last - 1].value < value => self.replace_last(here),
            SearchStep::Reflect => {
                // Towards the reflected point if that is better than the worst, otherwise inwards.
                let factor = if self.corners[last].value < value { 0.5 } else { -0.5 };
                self.reflected = here;
                self.ask(SearchStep::Contract, factor);
            }
            SearchStep::Expand => {
                let better = if self.reflected.value < value { here } else { self.reflected.clone() };
                self.replace_last(better);
            }
            SearchStep::Contract if self.corners[last].value.max(self.reflected.value) < value => {
                self.replace_last(here);
            }
            SearchStep::Contract => self.draw_together(),
        }
    }

    /// Requests the next corner, or continues once all have values.
    fn fill(&mut self, place: u32) {
        match self.corners.get(place as usize) {
            Some(corner) => (self.asked, self.step) = (corner.point.clone(), SearchStep::Corner(place)),
            None => self.go_on(),
        }
    }

    fn go_on(&mut self) {
        sort::short(&mut self.corners, |one, other| other.value < one.value);
        self.ask(SearchStep::Reflect, 1.0);
    }

    fn replace_last(&mut self, corner: Corner) {
        let last = self.corners.len() - 1;
        self.corners[last] = corner;
        self.go_on();
    }

    /// Moves all corners half-way to the best.
    fn draw_together(&mut self) {
        let best = self.corners[0].point.clone();
        for corner in &mut self.corners[1..] {
            for (number, best) in corner.point.iter_mut().zip(&best) {
                *number = (*number + best) / 2.0;
            }
        }
        self.fill(1);
    }

    /// Requests the point that lies `factor` times as far beyond the centroid of the others as the worst lies before
    /// it.
    fn ask(&mut self, step: SearchStep, factor: f64) {
        let (worst, others) = self.corners.split_last().expect("a simplex has corners");
        let middle =
            |number: usize| others.iter().map(|corner| corner.point[number]).sum::<f64>() / others.len() as f64;
        let beyond = |(number, worst): (usize, &f64)| middle(number) + factor * (middle(number) - worst);
        self.asked = worst.point.iter().enumerate().map(beyond).collect();
        self.step = step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(start: &[f64], values_most: u32, value: impl Fn(&[f64]) -> f64) -> Search {
        let widths: Vec<f64> = start.iter().map(|_| 0.5).collect();
        let mut search = Search::new(start, &widths, values_most);
        while let Some(point) = search.asks() {
            let value = value(point);
            search.tell(value);
        }
        search
    }

    #[test]
    fn it_climbs_hills_and_ridges() {
        let hill = found(&[4.0, -3.0, 1.0], 500, |at| {
            -at.iter().zip([1.0, 2.0, 3.0]).map(|(x, top)| (x - top) * (x - top)).sum::<f64>()
        });
        assert!(hill.best().0.iter().zip([1.0, 2.0, 3.0]).all(|(x, top)| (x - top).abs() < 0.01), "{hill:?}");
        // Rosenbrock's valley, upside down.
        let ridge = found(&[-1.2, 1.0], 500, |at| {
            let (a, b) = (1.0 - at[0], at[1] - at[0] * at[0]);
            -(a * a + 100.0 * b * b)
        });
        assert!(ridge.best().0.iter().all(|x| (x - 1.0).abs() < 0.02) && !ridge.was_cut(), "{ridge:?}");
    }

    #[test]
    fn it_stops_where_nothing_is_a_number() {
        let lost = found(&[1.0, 1.0], 40, |_| f64::NAN);
        assert!(lost.was_cut() && lost.values() == 40);
        let walled = found(&[1.0], 200, |at| if at[0] < 0.5 { f64::NEG_INFINITY } else { -at[0] });
        assert!((walled.best().0[0] - 0.5).abs() < 0.01, "{walled:?}");
    }
}
