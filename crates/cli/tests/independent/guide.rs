//! The source of the simulator's random choices, and the receiver of its answers.

use std::collections::BTreeMap;

use crate::record::{Cache, Outcome, Record, Row};
use crate::simulator::{Outcomes, Simulator};

/// What is wrong in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordFault {
    /// Another request, VM or attempt than expected, or a row too many or too few.
    Order,
    Outcome,
    /// A VM that is refused although a machine is valid for it.
    Refusal,
    Agent,
    Time,
    /// A machine that is not among the best.
    Machine,
    BestSet,
    /// Ties that are not broken uniformly.
    Draw,
    Summary,
    /// The final state of a VM.
    Fate,
}

#[derive(Debug)]
pub(crate) struct Complaint {
    pub(crate) kind: RecordFault,
    pub(crate) told: String,
}

impl Complaint {
    fn new(kind: RecordFault, told: String) -> Self {
        Self { kind, told }
    }

    pub(crate) fn refusal(vm: u64, attempt: u32) -> Self {
        Self::new(RecordFault::Refusal, format!("VM {vm}, attempt {attempt}: refused, and a machine is valid"))
    }
}

pub(crate) trait Guide {
    /// The machine that is drawn for a VM.
    fn draw(&mut self, vm: u64, attempt: u32, best: &[usize]) -> Result<usize, Complaint>;

    /// The VM for which the request of these VMs was refused, if known.
    fn refused(&self, vms: &[u64], attempt: u32) -> Option<u64>;

    /// What the agent's caches did; `None` if that is unknown.
    fn cache(&self, vm: u64, attempt: u32) -> Option<Cache>;

    /// Receives all rows up to the store's latest answer.
    fn hear(&mut self, rows: &[Row]) -> Result<(), Complaint>;
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    /// VMs for which the best set was computed, counting every attempt, and those with more than one best machine.
    pub(crate) decisions: u64,
    pub(crate) ties: u64,
    pub(crate) conflicts: u64,
    pub(crate) refused: u64,
    pub(crate) out_of_retries: u64,
}

impl Checked {
    pub(crate) fn is_at_least(&self, floor: &Self) -> bool {
        let all = |it: &Self| [it.decisions, it.ties, it.conflicts, it.refused, it.out_of_retries];
        all(self).iter().zip(all(floor)).all(|(count, least)| *count >= least)
    }
}

/// Takes draws from a record and compares every answer with it.
struct Follower<'a> {
    record: &'a Record,
    rows: BTreeMap<(u64, u32), &'a Row>,
    heard: usize,
    /// How far draws were above the middle in total, and the variance of that under uniform draws.
    above: f64,
    variance: f64,
    checked: Checked,
}

impl Guide for Follower<'_> {
    fn draw(&mut self, vm: u64, attempt: u32, best: &[usize]) -> Result<usize, Complaint> {
        let row = self.rows.get(&(vm, attempt));
        let told = || format!("VM {vm}, attempt {attempt}: the best are {best:?}, got {row:?}");
        let row = row.ok_or_else(|| Complaint::new(RecordFault::Order, told()))?;
        let place = row.machine.and_then(|machine| best.iter().position(|it| *it == machine));
        let place = place.ok_or_else(|| Complaint::new(RecordFault::Machine, told()))?;
        if row.best_set_size != best.len() {
            return Err(Complaint::new(RecordFault::BestSet, told()));
        }
        let size = best.len() as f64;
        self.above += (place as f64 + 0.5) / size - 0.5;
        self.variance += (1.0 - 1.0 / (size * size)) / 12.0;
        self.checked.ties += u64::from(best.len() > 1);
        Ok(best[place])
    }

    fn refused(&self, vms: &[u64], attempt: u32) -> Option<u64> {
        let rows = vms.iter().filter_map(|vm| self.rows.get(&(*vm, attempt)));
        let mut refused = rows.filter(|row| row.outcome == Outcome::Refused);
        refused.clone().find(|row| row.cache.is_some()).or(refused.next()).map(|row| row.vm)
    }

    fn cache(&self, vm: u64, attempt: u32) -> Option<Cache> {
        self.rows.get(&(vm, attempt))?.cache
    }

    fn hear(&mut self, rows: &[Row]) -> Result<(), Complaint> {
        let by_vm = |rows: &[Row]| {
            let mut rows = rows.to_vec();
            rows.sort_by_key(|row| row.vm);
            rows
        };
        let got = by_vm(&self.record.rows[self.heard..rows.len().min(self.record.rows.len())]);
        for (at, row) in by_vm(&rows[self.heard..]).iter().enumerate() {
            let complaint = |kind| Err(Complaint::new(kind, format!("expected {row:?}, got {:?}", got.get(at))));
            match got.get(at) {
                Some(got) if (got.request, got.vm, got.attempt) == (row.request, row.vm, row.attempt) => {
                    let equal = [
                        (RecordFault::Outcome, got.outcome == row.outcome),
                        (RecordFault::Agent, (got.agent, &got.cause) == (row.agent, &row.cause)),
                        (RecordFault::Time, got.time_ms == row.time_ms),
                        (RecordFault::Machine, (got.machine, got.cluster) == (row.machine, row.cluster)),
                        (RecordFault::BestSet, got.best_set_size == row.best_set_size),
                    ];
                    if let Some((kind, _)) = equal.into_iter().find(|(_, equal)| !equal) {
                        return complaint(kind);
                    }
                }
                _ => return complaint(RecordFault::Order),
            }
            self.checked.decisions += u64::from(row.cache.is_some());
        }
        let outcome = rows.last().map(|row| row.outcome);
        self.checked.conflicts += u64::from(outcome == Some(Outcome::Conflict));
        self.checked.refused += u64::from(outcome == Some(Outcome::Refused));
        self.checked.out_of_retries += u64::from(outcome == Some(Outcome::OutOfRetries));
        self.heard = rows.len();
        Ok(())
    }
}

impl Follower<'_> {
    /// Compares the record's figures on the whole run with the outcomes.
    fn compare(&self, out: &Outcomes) -> Result<(), Complaint> {
        if let Some(row) = self.record.rows.get(self.heard) {
            return Err(Complaint::new(RecordFault::Order, format!("expected no further row, got {row:?}")));
        }
        let sigmas = self.above / self.variance.max(1.0).sqrt();
        if sigmas.abs() > 5.0 {
            return Err(Complaint::new(
                RecordFault::Draw,
                format!("draws are {sigmas:.1} standard deviations off the middle"),
            ));
        }
        for (name, value) in &out.summary {
            let got = self.record.summary.get(*name).and_then(serde_json::Value::as_f64);
            if got.is_none_or(|got| (got - value).abs() > 1e-9 * value.abs().max(1.0)) {
                return Err(Complaint::new(RecordFault::Summary, format!("{name}: expected {value}, got {got:?}")));
            }
        }
        for (vm, fate) in self.record.vms.iter().zip(&out.fates) {
            let got = (vm.outcome, vm.machine.zip(vm.placed));
            if got != *fate {
                return Err(Complaint::new(RecordFault::Fate, format!("VM {}: expected {fate:?}, got {got:?}", vm.vm)));
            }
        }
        Ok(())
    }
}

/// Follows a record and returns its first error.
pub(crate) fn check(record: &Record) -> Result<Checked, Complaint> {
    let rows = record.rows.iter().map(|row| ((row.vm, row.attempt), row)).collect();
    let checked = Checked::default();
    let mut follower = Follower { record, rows, heard: 0, above: 0.0, variance: 0.0, checked };
    let out = Simulator::run(record, &mut follower, None)?;
    follower.compare(&out)?;
    Ok(follower.checked)
}

/// Makes its own random draws.
pub(crate) struct Dice {
    pub(crate) always_first: bool,
}

impl Guide for Dice {
    fn draw(&mut self, vm: u64, attempt: u32, best: &[usize]) -> Result<usize, Complaint> {
        let number = if self.always_first { 0 } else { mixed([vm, u64::from(attempt), 0]) };
        Ok(best[(number % best.len() as u64) as usize])
    }

    fn refused(&self, _: &[u64], _: u32) -> Option<u64> {
        None
    }

    fn cache(&self, _: u64, _: u32) -> Option<Cache> {
        Some(Cache::Off)
    }

    fn hear(&mut self, _: &[Row]) -> Result<(), Complaint> {
        Ok(())
    }
}

/// A pseudo-random number (SplitMix64 of each in turn).
pub(crate) fn mixed(numbers: [u64; 3]) -> u64 {
    numbers.into_iter().fold(0, |mixed, number| {
        let step = |z: u64, shift: u32, by: u64| (z ^ (z >> shift)).wrapping_mul(by);
        let z = (mixed ^ number).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = step(step(z, 30, 0xBF58_476D_1CE4_E5B9), 27, 0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    })
}
