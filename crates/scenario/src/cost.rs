//! Estimates the time and memory of a run before it starts, so that the user can confirm first.
//!
//! The estimate is coarse: it was fitted to runs of the native program, and is meant to be right within a factor of
//! four (docs/results/correctness.md compares it with measured runs). A browser takes about twice as long.

use core::fmt;

use tiebreak_model::phrase::count;
use tiebreak_model::{Phrase, Workload, phrase};
use tiebreak_placement::Policy;
use tiebreak_profile::words::{counted, duration};

use tiebreak_sim::generate::VMS_MAX;

use crate::document::{RuleRow, Variant, WorkloadRef};

/// Time of a decision with a cached evaluation, in microseconds, and the additional time per agent, which follows
/// every change, and per machine.
const DECISION_US: f64 = 1.3;
const AGENT_US: f64 = 0.9;
const MACHINE_US: f64 = 0.0001;
/// Additional time per machine without caches, where every decision evaluates all of them.
const UNCACHED_MACHINE_US: f64 = 0.028;
/// Additional time with manual weights, and per machine if scores are exact, so that hardly two machines are alike.
const WEIGHED_US: f64 = 4.0;
const WEIGHED_MACHINE_US: f64 = 0.03;
/// Additional time per future moment if forecasts are recomputed at changes of [`TOLERANCE_PCT`], and the largest
/// factor if they are recomputed at smaller ones.
const MOMENT_US: f64 = 2.0;
const TOLERANCE_PCT: f64 = 5.0;
const THOUGHTS_MAX: f64 = 30.0;
/// Start-up time per machine and view.
const VIEW_US: f64 = 1.0;

/// Bytes per VM, in the workload and in the run's records.
const VM_BYTES: f64 = 110.0;
/// Bytes per machine, in the store and in an agent's view and caches.
const MACHINE_BYTES: f64 = 300.0;
/// Fixed bytes per run.
const RUN_BYTES: f64 = 16.0 * MEBI;

const MEBI: f64 = 1_048_576.0;
const GIBI: f64 = 1_024.0 * MEBI;

/// The estimated cost of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Time on one core of a current computer, natively.
    pub seconds: f64,
    /// Memory.
    pub bytes: f64,
    vms: u64,
    machines: u32,
    agents: u32,
    burden: Burden,
}

/// What dominates the time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Burden {
    /// Nothing in particular.
    None,
    /// Every decision evaluates all machines.
    NoCaches,
    /// Machines are compared in pairs, and hardly two are alike.
    Weights,
    /// Admission rules look at this many moments.
    Ahead(usize),
}

impl Cost {
    /// Whether it takes longer, or more memory, than this.
    #[must_use]
    pub fn is_above(&self, seconds: f64, bytes: f64) -> bool {
        self.seconds > seconds || self.bytes > bytes
    }
}

impl Cost {
    /// Its text.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        let (time, vms) = (duration(self.seconds * 1_000.0), counted(self.vms, "VM", "VMs"));
        let machines = counted(self.machines.into(), "machine", "machines");
        let agents = counted(self.agents.into(), "agent", "agents");
        let memory = match self.bytes / GIBI {
            large if large >= 1.0 => phrase!("{large:.1} GiB", large),
            _ => phrase!("{:.0} MiB", self.bytes / MEBI),
        };
        let why = match self.burden {
            Burden::None => None,
            Burden::NoCaches => Some(phrase!("Without caches, every decision checks all machines.")),
            Burden::Weights => Some(phrase!("With manual weights, machines are compared in pairs.")),
            Burden::Ahead(moments) => Some(phrase!("Admission rules check {} future moments.", count(moments as u64))),
        };
        phrase!(
            "Estimated cost of this run: {time} and {memory} of memory, for {vms}, {machines} and {agents}.{}",
            time,
            memory,
            vms,
            machines,
            agents,
            why.map(|why| phrase!(" {why}", why))
        )
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl Variant {
    /// A warning if the workload ends before its days are over, because generated workloads have a limit.
    #[must_use]
    pub fn ends_early(&self, workload: &Workload) -> Option<Phrase> {
        let WorkloadRef::Generated(settings) = &self.workload else { return None };
        let (horizon, asked) = (workload.horizon().0 as f64, settings.days * 24.0 * 3_600_000.0);
        settings.ends_early(workload).then(|| {
            phrase!(
                "The workload ends after {} of {}: a generated one has at most {} VMs. Use fewer requests or days.",
                duration(horizon),
                duration(asked),
                count(VMS_MAX)
            )
        })
    }

    /// The expected number of VMs, if the workload is generated.
    #[must_use]
    pub fn expected_vms(&self) -> Option<f64> {
        match &self.workload {
            WorkloadRef::Trace { .. } => None,
            WorkloadRef::Generated(settings) => Some(settings.expected_vms()),
        }
    }

    /// The cost of a run with this many VMs.
    #[must_use]
    pub fn cost(&self, vms: f64) -> Cost {
        let machines = self.clusters.iter().map(|cluster| cluster.settings.machines).sum::<u32>();
        let agents = self.agents.count;
        let policy = Policy::new(&RuleRow::uses(&self.rules, self.combined()), self.best_clusters);
        let has = |what: fn(&Policy) -> bool| policy.as_ref().is_ok_and(what);
        let moments = if has(Policy::looks_ahead) { self.admission.hours().len() } else { 0 };
        let thoughts = (TOLERANCE_PCT / self.admission.tolerance).clamp(1.0, THOUGHTS_MAX);
        let (all, views) = (f64::from(machines), f64::from(machines) * f64::from(agents + 1));
        let is_uncached = !(self.agents.caches && self.caches.evaluations);
        let compared = if has(Policy::has_exact_scores) { all } else { 0.0 };
        let parts = [
            (Burden::None, DECISION_US + AGENT_US * f64::from(agents) + MACHINE_US * all),
            (Burden::NoCaches, if is_uncached { UNCACHED_MACHINE_US * all } else { 0.0 }),
            (Burden::Weights, if self.hand_weights { WEIGHED_US + WEIGHED_MACHINE_US * compared } else { 0.0 }),
            (Burden::Ahead(moments), MOMENT_US * thoughts * moments as f64),
        ];
        let most = parts.into_iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let decision_us: f64 = parts.iter().map(|(_, us)| us).sum();
        Cost {
            seconds: (vms * decision_us + views * VIEW_US) / 1e6,
            bytes: RUN_BYTES + vms * VM_BYTES + views * MACHINE_BYTES,
            vms: vms as u64,
            machines,
            agents,
            burden: most.map_or(Burden::None, |(burden, _)| burden),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    fn told(preset: &str, pairs: &[(&str, &str)]) -> (Cost, String) {
        let mut variant = (presets::find(preset).expect(preset).make)().active_variant().clone();
        for (path, value) in pairs {
            variant.set(path, value).unwrap_or_else(|issue| panic!("{path}={value}: {issue}"));
        }
        let cost = variant.cost(variant.expected_vms().expect("a generated workload"));
        (cost, cost.to_string())
    }

    #[test]
    fn what_takes_most_is_named() {
        let plain = told("zone-10k", &[]);
        assert!(!plain.0.is_above(20.0, GIBI) && plain.1.ends_with("10,000 machines and 1 agent."), "{}", plain.1);
        let weighed = told("zone-10k", &[("hand_weights", "true")]).0;
        assert!(plain.0.seconds < weighed.seconds && !weighed.is_above(20.0, GIBI), "{weighed}");
        for (preset, pairs, part) in [
            ("zone-10k", &[("agents.caches", "false")][..], "Without caches, every decision checks all machines."),
            (
                "zone-10k",
                &[("hand_weights", "true"), ("rules.BestFit.buckets", "none")],
                "With manual weights, machines are compared in pairs.",
            ),
            ("admission", &[("admission.horizon", "look_aheads")], "future moments."),
        ] {
            let (cost, said) = told(preset, pairs);
            assert!(cost.is_above(20.0, GIBI) && said.ends_with(part), "{said}");
        }
        let thoughtful = told("admission", &[("admission.tolerance", "0")]).0;
        assert!((29.0..31.0).contains(&(thoughtful.seconds / told("admission", &[]).0.seconds)));
    }

    #[test]
    fn vms_and_views_take_memory() {
        let many_vms = told("small", &[("workload.requests_per_hour", "1000000"), ("workload.days", "3")]).0.bytes;
        assert!((400e6..700e6).contains(&many_vms), "{many_vms}: 566 MB were measured");
        let machines = ("inventory.clusters.0.machines", "100000");
        let (few, many) =
            (told("small", &[machines]).0.bytes, told("small", &[machines, ("agents.count", "8")]).0.bytes);
        assert_eq!(many - few, 100_000.0 * 6.0 * MACHINE_BYTES);
    }

    #[test]
    fn a_generated_workload_has_about_the_vms_expected_and_says_where_it_ends_early() {
        for preset in ["small", "tenants", "power"] {
            let mut variant = (presets::find(preset).expect(preset).make)().active_variant().clone();
            variant.set("workload.days", "2").expect("days");
            let workload = variant.generate().expect("a generated workload");
            let (expected, got) = (variant.expected_vms().expect("generated"), f64::from(workload.vm_count()));
            assert!((0.8..1.25).contains(&(got / expected)), "{preset}: {got} VMs, expected {expected}");
            assert_eq!(variant.ends_early(&workload), None);
        }
        let mut variant = (presets::find("small").expect("small").make)().active_variant().clone();
        let workload = variant.generate().expect("a generated workload");
        variant.set("workload.days", "90").expect("days");
        let told = variant.ends_early(&workload).expect("it is shorter").to_string();
        assert!(
            told.starts_with("The workload ends after 1 d of 90 d: a generated one has at most 5,000,000"),
            "{told}"
        );
    }
}
