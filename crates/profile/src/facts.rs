//! The demands of a workload on its machines and agents: what is certain to go wrong before anything is placed, and
//! whether agents were fast enough.

use tiebreak_model::{Fleet, Millis, Outliers, Phrase, RequestId, Resource, VmId, VmShape, Workload, phrase};

use crate::Load;
use crate::words::{amount, counted, duration, resources};

/// A workload begins late if its first request comes after more than this share of its time.
const LATE: f64 = 0.01;

/// Agents are slow if the median wait exceeds this share of the median lifetime.
const SLOW: f64 = 0.01;

const HOUR_MS: f64 = 3_600_000.0;

/// The facts relevant to machines and agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The load over time.
    pub load: Load,
    /// The median lifetime of VMs, in milliseconds, counting one without a known end to the horizon; `None` without
    /// VMs.
    pub life_p50_ms: Option<u64>,
    /// VMs that start years from all others.
    pub outliers: Option<Outliers>,
}

impl Facts {
    /// The facts of a workload, in O(n log n).
    #[must_use]
    pub fn of(workload: &Workload) -> Self {
        let requests = (0..workload.request_count()).map(RequestId);
        let starts = requests.flat_map(|request| workload.vms_of(request).map(move |_| workload.at(request)));
        let outliers = Outliers::among(starts);
        Self { load: Load::of(workload), life_p50_ms: life_p50_ms(workload), outliers }
    }

    /// Which VMs start years from all others, in a sentence.
    #[must_use]
    pub fn stretched(&self) -> Option<Phrase> {
        let Outliers { before, after, .. } = self.outliers?;
        let told = |vms, apart: Millis| (counted(vms, "VM starts", "VMs start"), duration(apart.0 as f64));
        Some(if after.0 > 0 {
            let (vms, apart) = told(after.0, after.1);
            phrase!(
                "{vms} {apart} after all others, so the run and all means extend to it. Exclude such outliers if they \
                 are mistakes.",
                vms,
                apart
            )
        } else {
            let (vms, apart) = told(before.0, before.1);
            phrase!(
                "{vms} {apart} before all others, so the run and all means start there. Exclude such outliers if they \
                 are mistakes.",
                vms,
                apart
            )
        })
    }

    /// The resources that these machines lack for the workload's peak, one sentence each.
    #[must_use]
    pub fn doubts(&self, fleet: &Fleet) -> Vec<Phrase> {
        let mut doubts = Vec::new();
        for resource in [Resource::Cores, Resource::Memory] {
            let (peak, all) = (self.load.peak[resource as usize], capacity(fleet, resource));
            if peak > all {
                let (peak, all) = (amount(resource, peak), amount(resource, all));
                doubts.push(phrase!(
                    "At its peak the trace needs {peak}, but all machines together have {all}: some VMs will be \
                     rejected.",
                    peak,
                    all
                ));
            }
        }
        doubts
    }

    /// A warning if requests wait long compared with the lifetimes of VMs; otherwise `None`. `ended` VMs had ended
    /// before they were placed.
    #[must_use]
    pub fn slow_agents(&self, wait_p50_ms: f64, ended: u64) -> Option<Phrase> {
        let life = self.life_p50_ms? as f64;
        let (wait, life) = (wait_p50_ms > SLOW * life).then(|| (duration(wait_p50_ms), duration(life)))?;
        let ended = counted(ended, "VM", "VMs");
        Some(phrase!(
            "The agents are too slow for this workload, so machines look emptier than they would be: the median wait \
             was {wait}, the median lifetime is {life}, and {ended} ended before they were placed. Make agents \
             faster, add agents, or check their slowdown.",
            wait,
            life,
            ended
        ))
    }
}

/// When the first request comes, in hours, if that is late: averages from the start would include time without any
/// requests.
#[must_use]
pub fn begins_late_at_hours(workload: &Workload) -> Option<f64> {
    let first = (0..workload.request_count()).map(RequestId).next().map(|first| workload.at(first))?;
    let is_late = first.0 as f64 > LATE * workload.horizon().0 as f64;
    is_late.then(|| (first.0 as f64 / HOUR_MS * 100.0).floor() / 100.0)
}

fn life_p50_ms(workload: &Workload) -> Option<u64> {
    let horizon = workload.horizon();
    let lives = (0..workload.request_count()).map(RequestId).flat_map(|request| {
        let start = workload.at(request);
        workload.vms_of(request).map(move |vm| workload.end(VmId(vm)).min(horizon).since(start).0)
    });
    let mut in_order = Vec::with_capacity(workload.vm_count() as usize);
    in_order.extend(lives);
    let middle = in_order.len() / 2;
    (!in_order.is_empty()).then(|| *in_order.select_nth_unstable(middle).1)
}

/// Reports VMs that no machine could hold even when empty.
#[must_use]
pub fn too_large(workload: &Workload, fleet: &Fleet) -> Option<Phrase> {
    let fits = |shape: &VmShape| fleet.clusters().iter().any(|cluster| cluster.capacity.covers(shape.demand));
    let fits: Vec<bool> = workload.shapes().iter().map(fits).collect();
    let too_large = workload.shapes().iter().zip(&fits).filter(|(_, fits)| !**fits).map(|(shape, _)| shape.demand);
    let (largest, machine) = (too_large.max()?, fleet.clusters().iter().map(|cluster| cluster.capacity).max()?);
    let vms = (0..workload.vm_count()).filter(|vm| !fits[workload.shape_of(VmId(*vm)).index()]).count() as u64;
    Some(phrase!(
        "{} more than any machine has and will be rejected whatever the rules: the largest requests {}, the largest \
         machine has {}. Use larger machines, or accept the rejections.",
        counted(vms, "VM requests", "VMs request"),
        resources(largest),
        resources(machine)
    ))
}

fn capacity(fleet: &Fleet, resource: Resource) -> u64 {
    fleet.clusters().iter().map(|it| u64::from(it.capacity[resource]) * it.machines().len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::workload;

    #[test]
    fn waits_are_judged_by_lives() {
        let facts = Facts::of(&workload(&[(0, Some(30), 4, 1), (10, Some(40), 4, 1)], 60));
        assert_eq!(facts.life_p50_ms, Some(1_800_000));
        assert_eq!(facts.slow_agents(18_000.0, 0), None, "just one part in a hundred");
        let told = facts.slow_agents(600_000.0, 1_234).expect("ten minutes of thirty").to_string();
        assert!(told.contains("median wait was 10 min") && told.contains("median lifetime is 30 min"), "{told}");
        assert!(told.contains("1,234 VMs ended"), "{told}");
        assert_eq!(facts.slow_agents(f64::NAN, 0), None);
    }

    #[test]
    fn what_starts_centuries_later_is_told() {
        let trace = |start| Facts::of(&workload(&[(0, Some(30), 4, 1), (10, Some(40), 4, 1), (start, None, 4, 1)], 60));
        assert_eq!(trace(60).stretched(), None);
        let told = trace(196 * 365 * 24 * 60).stretched().expect("a mistake").to_string();
        assert!(told.starts_with("1 VM starts 196 years after all others"), "{told}");
    }

    #[test]
    fn what_comes_late_is_measured_from_then() {
        let begins = |first: i64| begins_late_at_hours(&workload(&[(first, None, 4, 1)], 6_000));
        assert_eq!([begins(60), begins(615), begins(-5)], [None, Some(10.25), None]);
    }
}
