//! Twins: which of our rules corresponds to which plugin of Kubernetes and which filter or weigher of OpenStack Nova.

use std::fmt::Write;

use serde::Serialize;
use tiebreak_scenario::Variant;

/// One of our rules, built in or from the gallery, and its twins; a field is empty if it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Twin {
    /// Our rule.
    pub rule: &'static str,
    /// The plugin of kube-scheduler.
    pub kubernetes: &'static str,
    /// The filter or weigher of Nova.
    pub nova: &'static str,
    /// How they differ.
    pub differs: &'static str,
}

const fn twin(rule: &'static str, kubernetes: &'static str, nova: &'static str, differs: &'static str) -> Twin {
    Twin { rule, kubernetes, nova, differs }
}

/// All twins, filters first.
pub static TWINS: &[Twin] = &[
    twin(
        "AreNodeResourcesValid",
        "NodeResourcesFit (filter), DefaultPreemption (evict)",
        "the placement service; formerly RamFilter, CoreFilter, DiskFilter",
        "Kubernetes evicts by any difference of priority, here only VMs of priority 1 are put out. Nova evicts nothing.",
    ),
    twin(
        "AvoidEvictions",
        "DefaultPreemption (only where nothing fits)",
        "",
        "An imported list gives it more weight than all scores together.",
    ),
    twin("IsMachineReady", "NodeUnschedulable, TaintToleration (filter)", "ComputeFilter", "Tolerations have no twin."),
    twin(
        "CapsTenantPerMachine",
        "InterPodAffinity (filter)",
        "ServerGroupAntiAffinityFilter",
        "Of affinities only the required one against VMs of one's own on a machine.",
    ),
    twin(
        "SpreadsOverFaultDomains",
        "PodTopologySpread (filter)",
        "",
        "A tenant asks for a number of fault domains, not for a greatest skew.",
    ),
    twin(
        "IsTypeSupported",
        "",
        "ComputeCapabilitiesFilter",
        "Here a type is supported where a VM fits an empty machine.",
    ),
    twin(
        "MaxVmsPerMachine",
        "NodeResourcesFit (status.allocatable.pods)",
        "NumInstancesFilter",
        "One limit for all machines.",
    ),
    twin(
        "LeastAllocated",
        "NodeResourcesFit (score, LeastAllocated)",
        "",
        "Kubernetes rounds to whole hundredths for each resource, here it is done once.",
    ),
    twin("MostAllocated", "NodeResourcesFit (score, MostAllocated)", "", "As LeastAllocated."),
    twin(
        "RequestedToCapacityRatio",
        "NodeResourcesFit (score, RequestedToCapacityRatio)",
        "",
        "An imported shape becomes an expression with as many points.",
    ),
    twin("BalancedAllocation", "NodeResourcesBalancedAllocation", "", "Of cores and memory."),
    twin("MostMemoryFree", "", "RAMWeigher, ram_weight_multiplier above 0", ""),
    twin("LeastMemoryFree", "", "RAMWeigher, ram_weight_multiplier below 0", ""),
    twin("MostCoresFree", "", "CPUWeigher, cpu_weight_multiplier above 0", ""),
    twin("LeastCoresFree", "", "CPUWeigher, cpu_weight_multiplier below 0", ""),
    twin("MostSsdFree", "", "DiskWeigher, disk_weight_multiplier above 0", ""),
    twin("LeastSsdFree", "", "DiskWeigher, disk_weight_multiplier below 0", ""),
    twin("MostVms", "", "NumInstancesWeigher, num_instances_weight_multiplier above 0", ""),
    twin("FewestVms", "", "NumInstancesWeigher, num_instances_weight_multiplier below 0", ""),
    twin(
        "PreferHealthierMachines",
        "",
        "BuildFailureWeigher",
        "Nova counts failed builds, here machines have a risk of failing.",
    ),
    twin("PreferNewestHostEnvironment", "", "HypervisorVersionWeigher", "Versions 0 to 15."),
];

/// A variant's enabled rules, stage by stage, as CSV: each with its twins in Kubernetes and in Nova, and how they
/// differ. The fields of a rule without a twin are empty.
#[must_use]
pub fn table(variant: &Variant) -> String {
    let mut table = String::from("stage,rule,kubernetes,nova,differs\n");
    for row in variant.rules.iter().filter(|row| row.on) {
        let twin = TWINS.iter().find(|twin| twin.rule == row.id);
        let [kubernetes, nova, differs] = twin.map_or([""; 3], |it| [it.kubernetes, it.nova, it.differs]);
        let stage = row.group().map_or("", |group| group.title());
        let fields = [stage, &row.id, kubernetes, nova, differs].map(quoted);
        let _ = writeln!(table, "{}", fields.join(","));
    }
    table
}

/// A field of CSV.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tiebreak_scenario::gallery;

    #[test]
    fn twins_are_rules_that_there_are() {
        let names: BTreeSet<_> = TWINS.iter().map(|twin| twin.rule).collect();
        assert_eq!(names.len(), TWINS.len(), "each rule once");
        for twin in TWINS {
            let is_there = gallery::find(twin.rule).is_some() || tiebreak_placement::rules::find(twin.rule).is_some();
            assert!(is_there, "{}", twin.rule);
            assert!(!(twin.kubernetes.is_empty() && twin.nova.is_empty()), "{} has a twin", twin.rule);
        }
    }
}
