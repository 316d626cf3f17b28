//! A trace on machines: what can be said of the two before anything is placed, and how long the trace's VMs live.

use tiebreak_model::{Fleet, RequestId, Resource, Time, VmId, Workload};
use tiebreak_profile::Load;
use tiebreak_scenario::Variant;
use tiebreak_sim::Plan;

use crate::shown::{count, duration};

/// A trace whose first request comes later than after this share of its time begins late.
const LATE: f64 = 0.01;

/// What stands between a trace and its machines, a sentence each.
pub(crate) fn doubts(plan: &Plan) -> Vec<String> {
    let (workload, fleet) = (plan.workload(), plan.fleet());
    let load = Load::of(workload);
    let too_large = (0..workload.vm_count()).map(VmId).filter(|vm| !fits_somewhere(workload, *vm, fleet)).count();
    let mut doubts = Vec::new();
    if too_large > 0 {
        let amount = |resource: Resource| shown(resource, load.largest[resource].into());
        doubts.push(format!(
            "{} {} more than any machine has and will be rejected; the largest VMs have {} and {}",
            count(too_large as u64),
            if too_large == 1 { "VM asks for" } else { "VMs ask for" },
            amount(Resource::Cores),
            amount(Resource::Memory),
        ));
    }
    for resource in [Resource::Cores, Resource::Memory] {
        let (peak, all) = (load.peak[resource as usize], capacity(fleet, resource));
        if peak > all {
            doubts.push(format!(
                "at its peak the trace asks for {}, and all machines have {}: some VMs will be rejected",
                shown(resource, peak),
                shown(resource, all),
            ));
        }
    }
    doubts
}

fn fits_somewhere(workload: &Workload, vm: VmId, fleet: &Fleet) -> bool {
    let demand = workload.shape_of_vm(vm).demand;
    fleet.clusters().iter().any(|cluster| cluster.capacity.covers(demand))
}

fn capacity(fleet: &Fleet, resource: Resource) -> u64 {
    fleet.clusters().iter().map(|it| u64::from(it.capacity[resource]) * it.machines().len() as u64).sum()
}

fn shown(resource: Resource, amount: u64) -> String {
    let (unit, of_unit) = resource.unit();
    format!("{} {unit}", count((amount as f64 / of_unit).round() as u64))
}

/// Lets means over time begin with the first request, in hours, where a trace begins late and nothing else was said.
pub(crate) fn skip_the_empty_start(variant: &mut Variant, workload: &Workload) -> Option<f64> {
    let first = workload.at(RequestId(0)).max(Time::ZERO);
    let is_late = first.0 as f64 > LATE * workload.horizon().0 as f64;
    if !is_late || variant.measures.measured_from_hours != 0.0 {
        return None;
    }
    variant.measures.measured_from_hours = (first.0 as f64 / 3_600_000.0 * 100.0).floor() / 100.0;
    Some(variant.measures.measured_from_hours)
}

/// The median life of VMs, in milliseconds; that of one whose end the trace does not know goes on to the horizon.
pub(crate) fn median_life_ms(workload: &Workload) -> Option<u64> {
    let horizon = workload.horizon();
    let lives = (0..workload.request_count()).map(RequestId).flat_map(|request| {
        let start = workload.at(request);
        workload.vms_of(request).map(move |vm| workload.end(VmId(vm)).min(horizon).since(start).0)
    });
    let mut lives: Vec<u64> = lives.collect();
    let middle = lives.len() / 2;
    (!lives.is_empty()).then(|| *lives.select_nth_unstable(middle).1)
}

/// What is wrong when VMs wait for long, measured by how long they live; nothing otherwise.
pub(crate) fn slow_agents(wait_p50_ms: f64, median_life_ms: Option<u64>, ended: u64) -> Option<String> {
    let life = median_life_ms? as f64;
    (wait_p50_ms > 0.01 * life).then(|| {
        let ended = match ended {
            0 => String::new(),
            ended => format!(" {} had ended before they were placed.", count(ended)),
        };
        format!(
            "half of the requests waited {} or longer, and half of the VMs live {} at most: agents are slow for this \
             workload, and machines look emptier than they would be.{ended} See agents.decision_ms, agents.count and \
             agents.slowdown",
            duration(wait_p50_ms),
            duration(life),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_judged_by_lives() {
        assert_eq!(slow_agents(1_000.0, Some(100_001), 0), None);
        let told = slow_agents(600_000.0, Some(1_800_000), 1_234).expect("ten minutes of thirty");
        assert!(told.contains("waited 10 min or longer") && told.contains("live 30 min"), "{told}");
        assert!(told.contains("1,234 had ended"), "{told}");
        assert_eq!(slow_agents(f64::NAN, Some(1), 0), None);
    }
}
