//! Labelled utilization series: whether the VM is user-facing is known, and they have the three problems of real
//! ones.
//!
//! The paper's authors labelled 840 Azure workloads manually; they are not public. These are generated: the kinds and
//! the problems are the paper's, their shares and sizes are our choices, listed here one by one.
//!
//! Source: "Prediction-Based Power Oversubscription in Cloud Platforms", section III-B and Figure 3.

use core::f64::consts::TAU;

use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::{Seed, pick};

use crate::chance::{between, happens, normal};
use crate::series::{SLOTS_PER_DAY, Series, WEEKDAYS_MIN};

/// The class of a workload. (Figure 3)
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A clear daily pattern.
    UserFacing,
    /// A daily pattern about as strong as its noise.
    PossiblyUserFacing,
    /// A pulse every hour, or at another period that divides a day.
    MachineGenerated,
    /// Noise, drifting load, or batches at any time.
    NotUserFacing,
}

impl Kind {
    /// Every kind, in the paper's order.
    pub const ALL: [Self; 4] =
        [Self::UserFacing, Self::PossiblyUserFacing, Self::MachineGenerated, Self::NotUserFacing];

    /// Whether it should be protected.
    #[must_use]
    pub fn is_important(self) -> bool {
        matches!(self, Self::UserFacing | Self::PossiblyUserFacing)
    }

    /// A kind that is important, or one that is not, chosen by a random number in the proportions of the defaults.
    #[must_use]
    pub fn drawn(important: bool, random: u64) -> Self {
        let [clear, possible, machine, other] = Settings::default().kinds_pct;
        if important {
            kind_of([clear, possible, 0, 0], pick(random, clear + possible))
        } else {
            kind_of([0, 0, machine, other], pick(random, machine + other))
        }
    }

    /// Its name.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::UserFacing => "clearly user-facing",
            Self::PossiblyUserFacing => "possibly user-facing",
            Self::MachineGenerated => "clearly machine-generated",
            Self::NotUserFacing => "clearly not user-facing",
        }
    }
}

/// What makes series hard to classify. Zero switches each off. (Section III-B, the three culprits)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Troubles {
    /// Standard deviation of a reading's noise, in percent of the pattern's height.
    pub noise_pct: f64,
    /// The percent of series in which a period of 6 to 24 hours is replaced by constant or random load.
    pub interrupted_pct: f64,
    /// A day's load differs from the previous day's by up to this percentage, the same for all days of a series.
    pub trend_pct: f64,
    /// Standard deviation of a day's peak, in percent of the pattern's height.
    pub peaks_pct: f64,
}

impl Troubles {
    /// No problems.
    pub const NONE: Self = Self { noise_pct: 0.0, interrupted_pct: 0.0, trend_pct: 0.0, peaks_pct: 0.0 };
}

impl Default for Troubles {
    fn default() -> Self {
        Self { noise_pct: 20.0, interrupted_pct: 40.0, trend_pct: 20.0, peaks_pct: 25.0 }
    }
}

/// How labelled series are generated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The number of series. (840 in section IV-B)
    pub count: usize,
    /// Weekdays in each, at least five.
    pub days: usize,
    /// The percent of each kind, in the order of [`Kind::ALL`].
    pub kinds_pct: [u32; 4],
    /// Their problems.
    pub troubles: Troubles,
}

impl Default for Settings {
    fn default() -> Self {
        Self { count: 840, days: WEEKDAYS_MIN, kinds_pct: [35, 10, 20, 35], troubles: Troubles::default() }
    }
}

/// A series with its class.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Its class.
    pub kind: Kind,
    /// Its readings, from a Monday's midnight.
    pub series: Series,
}

/// Labelled series; each depends only on the seed and its index.
pub fn labelled(settings: Settings, seed: Seed) -> impl Iterator<Item = Labelled> {
    let stream = seed.stream("labelled series");
    (0..settings.count as u64).map(move |place| {
        let kind = kind_of(settings.kinds_pct, pick(stream.draw(place, 0), settings.kinds_pct.iter().sum()));
        Labelled { kind, series: series(kind, settings.days, settings.troubles, Seed(stream.draw(place, 1))) }
    })
}

fn kind_of(shares: [u32; 4], mut at: u32) -> Kind {
    for (kind, share) in Kind::ALL.into_iter().zip(shares) {
        if at < share {
            return kind;
        }
        at -= share;
    }
    Kind::NotUserFacing
}

/// One series of this kind.
#[must_use]
pub fn series(kind: Kind, days: usize, troubles: Troubles, seed: Seed) -> Series {
    let mut maker = Maker { chance: seed.stream("labelled series").generator(), slots: days * SLOTS_PER_DAY };
    let pattern = match kind {
        Kind::UserFacing | Kind::PossiblyUserFacing => maker.daily(),
        Kind::MachineGenerated => maker.pulses(),
        Kind::NotUserFacing => maker.aimless(),
    };
    // For barely visible patterns, noise is as high as the pattern.
    let noise_pct = if kind == Kind::PossiblyUserFacing { 3.0 * troubles.noise_pct } else { troubles.noise_pct };
    Series::new(maker.troubled(&pattern, Troubles { noise_pct, ..troubles })).on_weekday(0)
}

/// Generates one series.
struct Maker {
    chance: Xoshiro256PlusPlus,
    slots: usize,
}

impl Maker {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        between(&mut self.chance, low, high)
    }

    fn normal(&mut self) -> f64 {
        normal(&mut self.chance)
    }

    fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[pick(self.chance.next_u64(), from.len() as u32) as usize]
    }

    /// Load from 0 to 1 over a day, the same every day: office hours, two peaks, an evening peak, or a smooth wave.
    fn daily(&mut self) -> Vec<f64> {
        let (peak, width) = (self.between(9.0, 17.0), self.between(2.0, 5.0));
        let second = self.between(3.0, 7.0);
        let bump = |hour: f64, peak: f64, width: f64| {
            // The nearest peak, also across midnight.
            let away = (hour - peak + 36.0) % 24.0 - 12.0;
            libm::exp(-0.5 * (away / width) * (away / width))
        };
        let shape = self.choose(&[0, 1, 2, 3]);
        let at = |hour: f64| match shape {
            0 => f64::from((hour - peak).abs() < width + 1.0),
            1 => bump(hour, peak - 0.5 * second, 1.5) + 0.8 * bump(hour, peak + 0.5 * second, 1.5),
            2 => bump(hour, peak + 5.0, 1.5),
            _ => 0.5 + 0.5 * libm::cos((hour - peak) / 24.0 * TAU),
        };
        (0..self.slots).map(|slot| at((slot % SLOTS_PER_DAY) as f64 / 2.0)).collect()
    }

    /// Pulses from 0 to 1 with a period of hours that divides a day.
    fn pulses(&mut self) -> Vec<f64> {
        // In half-hours: 1, 4 and 6 hours, which the paper names, and half as often each 2, 3, 8 and 12 hours.
        let period = self.choose(&[2, 2, 8, 8, 12, 12, 4, 6, 16, 24]);
        let width = 1 + pick(self.chance.next_u64(), (period / 2) as u32) as usize;
        let first = pick(self.chance.next_u64(), period as u32) as usize;
        (0..self.slots).map(|slot| f64::from(u8::from((slot + first) % period < width))).collect()
    }

    /// Load from 0 to 1 without a period: steady, drifting, or irregular batches.
    fn aimless(&mut self) -> Vec<f64> {
        match self.choose(&[0, 1, 2]) {
            0 => vec![self.between(0.0, 1.0); self.slots],
            1 => self.drift(),
            _ => self.batches(),
        }
    }

    /// A random walk that returns to the middle over some hours.
    fn drift(&mut self) -> Vec<f64> {
        let back = 1.0 / self.between(4.0, 24.0);
        let (slots, mut level) = (self.slots, 0.5);
        let step = |_| {
            level += back * (0.5 - level) + 0.1 * self.normal();
            level = level.clamp(0.0, 1.0);
            level
        };
        (0..slots).map(step).collect()
    }

    /// Batches of half an hour to half a day, with pauses of the same lengths.
    fn batches(&mut self) -> Vec<f64> {
        let mut load = Vec::with_capacity(self.slots + SLOTS_PER_DAY);
        while load.len() < self.slots {
            for level in [self.between(0.4, 1.0), 0.0] {
                let span = self.between(1.0, 24.0) as usize;
                load.resize(load.len() + span, level);
            }
        }
        load.truncate(self.slots);
        load
    }

    /// The pattern at some height above some level, with its problems.
    fn troubled(&mut self, pattern: &[f64], troubles: Troubles) -> Vec<f64> {
        let (level, height) = (self.between(3.0, 25.0), self.between(15.0, 50.0));
        let growth = 1.0 + self.between(-troubles.trend_pct, troubles.trend_pct) / 100.0;
        let noise = troubles.noise_pct / 100.0 * self.between(0.5, 1.5);
        let (mut scale, mut peak) = (1.0, 1.0);
        let mut values = Vec::with_capacity(pattern.len());
        for (slot, load) in pattern.iter().enumerate() {
            if slot % SLOTS_PER_DAY == 0 {
                scale *= if slot == 0 { 1.0 } else { growth };
                peak = (1.0 + troubles.peaks_pct / 100.0 * self.normal()).max(0.2);
            }
            values.push(scale * (level + height * (load * peak + noise * self.normal())));
        }
        if happens(&mut self.chance, troubles.interrupted_pct) {
            self.interrupt(&mut values);
        }
        values.iter().map(|value| value.clamp(0.0, 100.0)).collect()
    }

    fn interrupt(&mut self, values: &mut [f64]) {
        let span = self.between(12.0, 48.0) as usize;
        let first = self.between(0.0, (values.len() - span) as f64) as usize;
        let (level, swing) = (self.between(0.0, 80.0), self.choose(&[0.0, 20.0]));
        for value in &mut values[first..first + span] {
            *value = level + swing * self.normal();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rivals::Fourier;
    use crate::template::Template;

    /// The shares of series of a kind that the template and the Fourier transform classify as user-facing, both below
    /// 0.72.
    fn shares(kind: Kind, troubles: Troubles) -> (f64, f64) {
        let (mut template, mut fourier) = (Template::default(), Fourier::default());
        let mut found = (0.0, 0.0);
        for seed in 0..200 {
            let series = series(kind, 5, troubles, Seed(seed));
            found.0 += f64::from(template.is_user_facing(&series)) / 200.0;
            found.1 += f64::from(fourier.scores(&series).is_ok_and(|scores| scores.is_user_facing())) / 200.0;
        }
        found
    }

    #[test]
    fn each_trouble_by_itself() {
        let noise = shares(Kind::UserFacing, Troubles { noise_pct: 20.0, ..Troubles::NONE });
        let interrupted = shares(Kind::UserFacing, Troubles { interrupted_pct: 100.0, ..Troubles::NONE });
        let trend = shares(Kind::UserFacing, Troubles { trend_pct: 30.0, ..Troubles::NONE });
        let peaks = shares(Kind::UserFacing, Troubles { peaks_pct: 30.0, ..Troubles::NONE });
        for (name, (template, fourier)) in
            [("noise", noise), ("interrupted", interrupted), ("trend", trend), ("peaks", peaks)]
        {
            assert!(template > 0.97 && fourier < template, "{name}: {template} and {fourier}");
        }
    }

    #[test]
    fn most_of_what_no_person_waits_for_is_told_apart() {
        let (aimless, _) = shares(Kind::NotUserFacing, Troubles::default());
        let (machine, _) = shares(Kind::MachineGenerated, Troubles::default());
        assert!(aimless < 0.2 && machine < 0.5, "{aimless} {machine}");
    }

    #[test]
    fn a_series_is_a_function_of_seed_and_place() {
        let settings = Settings { count: 40, ..Settings::default() };
        let all: Vec<Labelled> = labelled(settings, Seed(3)).collect();
        assert_eq!(all[..10], labelled(Settings { count: 10, ..settings }, Seed(3)).collect::<Vec<_>>()[..]);
        assert!(all.iter().all(|one| one.series.gaps() == 0 && one.series.values().len() == 240));
        assert!(Kind::ALL.iter().all(|kind| all.iter().any(|one| one.kind == *kind)));
    }
}
