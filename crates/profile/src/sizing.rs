//! How many machines a workload needs: the kinds of machines, the lower bound for any packing, and the search for the
//! least sufficient number.
//!
//! The caller makes the runs. The search assumes that fewer machines reject more. (For small differences that is not
//! always so; then the result is a number that is enough while one fewer is not.)

use tiebreak_model::phrase::{count, mark};
use tiebreak_model::{Phrase, Resource, Resources, VmId, VmShape, Workload, phrase};

use crate::Load;
use crate::words::resources;

/// The largest number of machines tried, as a multiple of the bound.
pub const MOST: u64 = 16;

/// Kinds of machines in their proportions: a list that scales as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    kinds: Vec<(u64, Resources)>,
}

/// The least number of machines, however well VMs are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number.
    pub machines: u64,
    /// The resource that decides it.
    pub by: Resource,
}

impl Mix {
    /// From machines, with the number of each; equal ones are one kind.
    #[must_use]
    pub fn new(machines: impl IntoIterator<Item = (u64, Resources)>) -> Self {
        let mut kinds: Vec<(u64, Resources)> = Vec::new();
        for (many, machine) in machines {
            match kinds.iter_mut().find(|(_, other)| *other == machine) {
                Some((all, _)) => *all += many,
                None => kinds.push((many, machine)),
            }
        }
        Self { kinds }
    }

    /// A machine with this many cores and this much memory in GiB.
    #[must_use]
    pub fn machine(cores: f64, gib: f64) -> Resources {
        Resources::new((cores * 1_000.0) as u32, (gib * 1_024.0) as u32, 0, 0)
    }

    /// Whether these machines can hold the workload's VMs, except for a share that may be rejected.
    ///
    /// # Errors
    /// With the number of VMs that are too large, if it exceeds that share.
    pub fn can_hold(&self, workload: &Workload, rejected: f64) -> Result<(), Phrase> {
        let fits = |shape: &VmShape| self.kinds.iter().any(|(_, machine)| machine.covers(shape.demand));
        let fits: Vec<bool> = workload.shapes().iter().map(fits).collect();
        let all = workload.vm_count();
        let too_large = (0..all).filter(|vm| !fits[workload.shape_of(VmId(*vm)).index()]).count();
        if too_large as f64 <= rejected * f64::from(all) {
            return Ok(());
        }
        let (vms, all, got) = (count(too_large as u64), count(all.into()), self.told());
        Err(phrase!(
            "expected machines that hold the VMs, got {got}, which {vms} of {all} VMs do not fit on; choose larger \
             machines",
            got,
            vms,
            all
        ))
    }

    /// The least number in these proportions with the cores and the memory of the peak.
    #[must_use]
    pub fn bound(&self, load: &Load) -> Bound {
        let all: u64 = self.kinds.iter().map(|(count, _)| count).sum();
        let of = |resource: Resource| {
            let each: u128 = self.kinds.iter().map(|(count, it)| u128::from(*count) * u128::from(it[resource])).sum();
            (u128::from(load.peak[resource as usize]) * u128::from(all)).div_ceil(each.max(1)) as u64
        };
        let [cores, memory] = [Resource::Cores, Resource::Memory].map(|by| Bound { machines: of(by).max(1), by });
        if cores.machines >= memory.machines { cores } else { memory }
    }

    /// This many machines in these proportions, the largest remainders rounded up: the number of each kind, its
    /// cores, and its memory in GiB. Kinds with zero machines are omitted.
    #[must_use]
    pub fn of(&self, machines: u64) -> Vec<(u32, f64, f64)> {
        let all: u64 = self.kinds.iter().map(|(count, _)| count).sum::<u64>().max(1);
        let mut counts: Vec<(u64, u64)> =
            self.kinds.iter().map(|(of, _)| (machines * of / all, machines * of % all)).collect();
        let mut order: Vec<usize> = (0..counts.len()).collect();
        order.sort_by_key(|kind| core::cmp::Reverse(counts[*kind].1));
        let left = machines.saturating_sub(counts.iter().map(|(count, _)| count).sum());
        order.iter().take(left as usize).for_each(|kind| counts[*kind].0 += 1);
        let kinds = counts.iter().zip(&self.kinds).filter(|((count, _), _)| *count > 0);
        let kind = |((count, _), (_, machine)): (&(u64, u64), &(u64, Resources))| {
            let gib = f64::from(machine[Resource::Memory]) / 1_024.0;
            (*count as u32, f64::from(machine.cores_milli()) / 1_000.0, gib)
        };
        kinds.map(kind).collect()
    }

    /// `104 cores and 562.5 GiB`, kind by kind.
    #[must_use]
    pub fn told(&self) -> Phrase {
        Phrase::joined(self.kinds.iter().map(|(_, machine)| resources(*machine)), mark("{} or {}"))
    }
}

/// The search for the least sufficient number with one seed: doubling steps up from the bound, or both ways from a
/// guess, then bisection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    most: u64,
    /// The largest number known not to be enough.
    below: u64,
    step: u64,
    /// The least number known to be enough.
    enough: Option<u64>,
    /// The number to try first.
    guess: Option<u64>,
    /// Whether steps go down from what is enough.
    goes_down: bool,
}

impl Search {
    /// Starts at a bound.
    #[must_use]
    pub fn from(bound: u64) -> Self {
        let bound = bound.max(1);
        Self {
            most: bound * MOST,
            below: bound - 1,
            step: (bound / 50).max(1),
            enough: None,
            guess: None,
            goes_down: false,
        }
    }

    /// Starts at a number that may be near, such as what another seed needs: 2 runs where it is the answer.
    #[must_use]
    pub fn near(bound: u64, guess: u64) -> Self {
        let search = Self::from(bound);
        let guess = Some(guess.clamp(search.below + 1, search.most));
        Self { step: 1, guess, goes_down: true, ..search }
    }

    /// The number to try next; `None` when the search is over.
    #[must_use]
    pub fn wanted(&self) -> Option<u64> {
        match self.enough {
            Some(enough) if enough - self.below <= 1 => None,
            Some(enough) if self.goes_down => Some(enough.saturating_sub(self.step).max(self.below + 1)),
            Some(enough) => Some(self.below + (enough - self.below) / 2),
            None if self.below >= self.most => None,
            None if self.guess.is_some() => self.guess,
            None => Some((self.below + self.step).min(self.most)),
        }
    }

    /// Records whether [`Self::wanted`] is enough.
    pub fn tell(&mut self, is_enough: bool) {
        let Some(tried) = self.wanted() else { return };
        let is_first = self.guess.take().is_some();
        if is_enough {
            self.enough = Some(tried);
        } else {
            self.below = tried;
            self.goes_down = false;
        }
        if !is_first && self.enough.is_none_or(|_| self.goes_down) {
            self.step *= 2;
        }
    }

    /// The least sufficient number, when the search is over; `None` if no number is enough.
    #[must_use]
    pub fn least(&self) -> Option<u64> {
        self.enough.filter(|_| self.wanted().is_none())
    }

    /// The current range: the first number is known not to be enough, the second, if any, to be enough.
    #[must_use]
    pub const fn between(&self) -> (u64, Option<u64>) {
        (self.below, self.enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;

    fn machine(cores: u32) -> Resources {
        Mix::machine(f64::from(cores), f64::from(4 * cores))
    }

    #[test]
    fn kinds_keep_their_proportions_and_their_sum() {
        let mix = Mix::new([(1, machine(8)), (1, machine(16)), (1, machine(8))]);
        for machines in 1..50 {
            assert_eq!(mix.of(machines).iter().map(|kind| u64::from(kind.0)).sum::<u64>(), machines);
        }
        assert_eq!(mix.of(9), [(6, 8.0, 32.0), (3, 16.0, 64.0)]);
        assert_eq!(mix.told().to_string(), "8 cores and 32 GiB or 16 cores and 64 GiB");
    }

    #[test]
    fn the_bound_is_by_what_is_scarcest_and_the_largest_vm_has_to_fit() {
        let workload = workload(&[(0, None, 12, 1), (1, None, 12, 1)], 60);
        let load = Load::of(&workload);
        assert_eq!(Mix::new([(1, machine(12))]).bound(&load), Bound { machines: 2, by: Resource::Cores });
        let thin = Mix::new([(1, Mix::machine(120.0, 48.0))]);
        assert_eq!(thin.bound(&load), Bound { machines: 2, by: Resource::Memory });
        assert_eq!(thin.can_hold(&workload, 0.0), Ok(()));
        let told = Mix::new([(1, machine(8))]).can_hold(&workload, 0.001).expect_err("8 cores hold no 12").to_string();
        assert!(told.contains("got 8 cores and 32 GiB, which 2 of 2 VMs do not fit on"), "{told}");
    }

    #[test]
    fn a_good_guess_saves_runs_and_a_bad_one_changes_nothing() {
        let runs = |mut search: Search, least: u64| {
            let mut runs = 0;
            while let Some(tried) = search.wanted() {
                search.tell(tried >= least);
                runs += 1;
            }
            assert_eq!(search.least(), Some(least));
            runs
        };
        for guess in [0, 400, 401, 437, 440, 443, 500, 6_400, 10_000] {
            for least in [400, 401, 440, 900, 6_400] {
                runs(Search::near(400, guess), least);
            }
        }
        // From 441: 441, 440, then two steps down to 438, and 439 between.
        assert_eq!([440, 439, 441].map(|guess| runs(Search::near(400, guess), 440)), [2, 2, 4]);
        assert_eq!(runs(Search::from(400), 440), 8);
    }

    #[test]
    fn the_least_number_is_found_wherever_it_is() {
        for bound in [1, 7, 400] {
            for least in (bound..bound + 40).chain([2 * bound, bound * MOST]) {
                let mut search = Search::from(bound);
                while let Some(tried) = search.wanted() {
                    search.tell(tried >= least);
                }
                let found = (least <= bound * MOST).then_some(least);
                assert_eq!(search.least(), found, "bound {bound}");
            }
            for mut search in [Search::from(bound), Search::near(bound, 3 * bound)] {
                while search.wanted().is_some() {
                    search.tell(false);
                }
                assert_eq!(search.least(), None);
            }
        }
    }
}
