//! Small stored distributions, and their validation.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use rand_core::Rng;
use serde::{Deserialize, Serialize};

pub(crate) const DAY_MS: f64 = 86_400_000.0;
pub(crate) const HOUR_MS: i64 = 3_600_000;

/// Values up to this one are stored exactly; larger ones are grouped within a quarter.
const EXACT: u32 = 8;

/// Integers with their frequencies, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Counts(pub Vec<(u32, u32)>);

impl Counts {
    /// From these numbers.
    #[must_use]
    pub fn of(mut numbers: Vec<u32>) -> Self {
        numbers.sort_unstable();
        let bounds = |number: u32| if number <= EXACT { number } else { number + number / 4 };
        let (mut counts, mut rest) = (Vec::new(), numbers.as_slice());
        while let Some(least) = rest.first() {
            let up_to = bounds(*least);
            let (these, others) = rest.split_at(rest.partition_point(|number| *number <= up_to));
            let sum: u64 = these.iter().map(|number| u64::from(*number)).sum();
            counts.push((((sum + these.len() as u64 / 2) / these.len() as u64) as u32, these.len() as u32));
            rest = others;
        }
        Self(counts)
    }

    /// How many numbers there are.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.0.iter().map(|(_, many)| u64::from(*many)).sum()
    }

    /// The mean; 1 if there are none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.0.iter().map(|(number, many)| f64::from(*number) * f64::from(*many)).sum();
        if self.0.is_empty() { 1.0 } else { sum / self.total() as f64 }
    }

    pub(crate) fn check(&self, what: &str) -> Result<(), String> {
        if self.0.iter().any(|(number, many)| *number == 0 || *number > 1_000_000 || *many == 0) {
            return Err(format!("expected {what} from 1 to 1,000,000, each seen at least once, got others"));
        }
        Ok(())
    }
}

/// Draws one of several things according to their weights.
#[derive(Clone, Debug)]
pub(crate) struct Weighted {
    below: Vec<u64>,
}

impl Weighted {
    pub(crate) fn new(weights: impl Iterator<Item = u64>) -> Self {
        let mut sum = 0;
        let add = |weight| {
            sum += weight;
            sum
        };
        Self { below: weights.map(add).collect() }
    }

    /// Whether anything has a weight.
    pub(crate) fn has_any(&self) -> bool {
        self.below.last().is_some_and(|all| *all > 0)
    }

    /// The index of a random one; `None` if there are no weights.
    pub(crate) fn draw(&self, draws: &mut impl Rng) -> Option<usize> {
        let all = self.below.last().copied().filter(|all| *all > 0)?;
        let at = ((u128::from(draws.next_u64()) * u128::from(all)) >> 64) as u64;
        Some(self.below.partition_point(|below| *below <= at))
    }
}

/// The largest requests of all size classes except the last: lifetimes and similarity depend on the size.
pub const SIZE_CLASSES: [u32; 4] = [1, 4, 16, 64];

/// The class of a request of this many VMs.
pub(crate) fn size_class(vms: u32) -> usize {
    SIZE_CLASSES.partition_point(|most| *most < vms)
}

/// How similar the VMs of a request are: either all are alike, or some differ from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sharing {
    /// The share of requests of several VMs in which all are alike.
    pub whole: f64,
    /// In the others, the share of VMs that are like the one before; at least one per request is not.
    pub next: f64,
}

/// Counts how similar VMs are, request by request.
#[derive(Clone, Copy, Default)]
pub(crate) struct Alike {
    requests: u32,
    whole: u32,
    links: u64,
    alike: u64,
}

impl Alike {
    /// Adds a request, given for each VM except the first whether it is like the one before.
    pub(crate) fn add(&mut self, links: impl Iterator<Item = bool>) {
        let (mut all, mut alike) = (0_u64, 0);
        for link in links {
            all += 1;
            alike += u64::from(link);
        }
        if all == 0 {
            return;
        }
        self.requests += 1;
        if all == alike {
            self.whole += 1;
        } else {
            self.links += all - 1;
            self.alike += alike;
        }
    }

    pub(crate) fn sharing(&self) -> Sharing {
        let share = |part: u64, all: u64| if all == 0 { 1.0 } else { rounded(part as f64 / all as f64) };
        Sharing { whole: share(self.whole.into(), self.requests.into()), next: share(self.alike, self.links) }
    }
}

/// For each size class.
pub(crate) fn by_size(requests: impl Iterator<Item = (u32, Vec<bool>)>) -> Vec<Sharing> {
    let mut classes = [Alike::default(); SIZE_CLASSES.len() + 1];
    requests.for_each(|(vms, links)| classes[size_class(vms)].add(links.into_iter()));
    classes.iter().map(Alike::sharing).collect()
}

/// Checks that there is one value for each size class.
pub(crate) fn of_each_class<T>(what: &str, of_classes: &[T]) -> Result<(), String> {
    let (classes, got) = (SIZE_CLASSES.len() + 1, of_classes.len());
    if classes == got { Ok(()) } else { Err(format!("expected {what} of {classes} classes of sizes, got {got}")) }
}

impl Sharing {
    /// For each VM of a request except the first, whether it is like the one before.
    pub(crate) fn draw(self, vms: u32, draws: &mut impl Rng) -> Vec<bool> {
        let links = vms.saturating_sub(1);
        if unit(draws) < self.whole {
            return alloc::vec![true; links as usize];
        }
        let differs = tiebreak_model::random::pick(draws.next_u64(), links.max(1));
        (0..links).map(|link| unit(draws) < self.next && link != differs).collect()
    }

    pub(crate) fn check(self, what: &str) -> Result<(), String> {
        within(what, self.whole, 0.0, 1.0)?;
        within(what, self.next, 0.0, 1.0)
    }
}

/// A number from 0 to just below 1.
pub(crate) fn unit(draws: &mut impl Rng) -> f64 {
    (draws.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// With five digits, to keep the stored form short.
pub(crate) fn rounded(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    let digits = 4 - libm::floor(libm::log10(libm::fabs(number))) as i32;
    let scale = libm::pow(10.0, f64::from(digits.abs()));
    if digits >= 0 { libm::round(number * scale) / scale } else { libm::round(number / scale) * scale }
}

/// Checks that this is a number from `least` to `most`.
pub(crate) fn within(what: &str, number: f64, least: f64, most: f64) -> Result<(), String> {
    if number >= least && number <= most {
        return Ok(());
    }
    Err(format!("expected {what} from {least} to {most}, got {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use tiebreak_model::random::Seed;

    #[test]
    fn small_numbers_are_kept_and_large_ones_put_together() {
        let counts = Counts::of(vec![1, 2, 1, 100, 110, 300]);
        assert_eq!(counts.0, [(1, 2), (2, 1), (105, 2), (300, 1)]);
        assert_eq!((counts.total(), Counts::default().mean()), (6, 1.0));
        assert!((counts.mean() - 514.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_draw_is_as_frequent_as_its_weight() {
        let weighted = Weighted::new([3, 0, 1].into_iter());
        let mut draws = Seed(1).stream("test").generator();
        let mut seen = [0; 3];
        (0..4_000).for_each(|_| seen[weighted.draw(&mut draws).expect("weights")] += 1);
        assert!(seen[1] == 0 && (900..1_100).contains(&seen[2]), "{seen:?}");
        assert_eq!(Weighted::new([0, 0].into_iter()).draw(&mut draws), None);
    }

    #[test]
    fn sharing_is_found_again_in_what_is_drawn_from_it() {
        let sharing = Sharing { whole: 0.6, next: 0.3 };
        let mut draws = Seed(2).stream("test").generator();
        let mut alike = Alike::default();
        (0..20_000).for_each(|at| alike.add(sharing.draw(1 + at % 5, &mut draws).into_iter()));
        let found = alike.sharing();
        assert!((found.whole - 0.6).abs() < 0.02 && (found.next - 0.3).abs() < 0.02, "{found:?}");
        assert_eq!(Alike::default().sharing(), Sharing { whole: 1.0, next: 1.0 });
    }

    #[test]
    fn numbers_are_kept_with_five_digits() {
        let cases =
            [(0.123_456_7, 0.123_46), (1_234_567.0, 1_234_600.0), (-0.000_123_456_7, -0.000_123_46), (0.0, 0.0)];
        for (number, kept) in cases {
            assert_eq!(rounded(number), kept);
        }
    }
}
