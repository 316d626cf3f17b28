//! Known rules as expressions: as starting points, for comparison, and as examples.
//!
//! Those with the name of a built-in rule give the same verdicts; a test checks that. The others name their source.
//! Where a source leaves something out and we chose, the help says so.

use tiebreak_placement::custom::{Bounds, Definition, Parameter, Subject};

use crate::custom::custom;
use crate::document::RuleRow;

/// One rule of the gallery.
#[derive(Debug)]
pub struct GalleryRule {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it judges.
    pub of: Subject,
    /// From, to, and whether higher is better; `None` for a validator.
    pub bounds: Option<(f64, f64, bool)>,
    /// Name, meaning, default, minimum and maximum.
    pub parameters: &'static [(&'static str, &'static str, f64, f64, f64)],
    /// The expression.
    pub expression: &'static str,
}

/// The rule of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static GalleryRule> {
    GALLERY.iter().find(|rule| rule.name == name)
}

impl GalleryRule {
    /// The rule's definition.
    #[must_use]
    pub fn definition(&self) -> Definition {
        let parameter = |&(name, help, default, min, max): &(&str, &str, f64, f64, f64)| Parameter {
            name: name.into(),
            help: help.into(),
            unit: String::new(),
            default,
            min,
            max,
        };
        Definition {
            help: format!("{} ({})", self.help, self.source),
            of: self.of,
            parameters: self.parameters.iter().map(parameter).collect(),
            expression: self.expression.into(),
            bounds: self.bounds.map(|(from, to, higher_is_better)| Bounds { from, to, higher_is_better }),
        }
    }

    /// A list row with this rule.
    #[must_use]
    pub fn row(&self) -> RuleRow {
        RuleRow::of_custom(custom(self.name, self.definition()))
    }
}

const LOWER: Option<(f64, f64, bool)> = Some((0.0, 1.0, false));
const HIGHER: Option<(f64, f64, bool)> = Some((0.0, 1.0, true));

/// Known rules that need more than an expression can read and so are built in, each with its source.
pub static BUILT_IN: &[(&str, &str)] = &[
    (
        "FragmentationGradient",
        "FGD of Weng et al., ATC 2023, adapted from GPUs to VMs: it counts the sizes of the trace",
    ),
    ("DebtAwareAffinity", "DVLA, OSDI 2026: it reads classes that machines get day by day"),
    ("MoveToFront", "Li et al.; arXiv 1408.4156: it reads in which order machines were used"),
];

/// All of them: those of operators and searches, then built-in rules.
pub static GALLERY: &[GalleryRule] = &[
    GalleryRule {
        name: "EvolvedBorgScore",
        help: "Prefers machines whose free cores and memory match the shape of the VM, and emptier ones: the result of a program search for Borg. The range of its score is not published; ours distinguishes values between 2 and 8. It rewards empty machines, so it must be below PreferNonEmptyMachines.",
        source: "AlphaEvolve, 2025",
        of: Subject::Machine,
        bounds: Some((2.0, 8.0, false)),
        parameters: &[],
        expression: "let x = vm.cores / machine.cores_free;
let y = vm.memory / machine.memory_free;
x + y + x / y + y / x",
    },
    GalleryRule {
        name: "LeastAllocated",
        help: "Prefers the machine that stays emptiest with the VM, by the mean free share of cores and memory. Spreads.",
        source: "Kubernetes, NodeResourcesFit, its default",
        of: Subject::Machine,
        bounds: HIGHER,
        parameters: &[
            ("cores_weight", "Weight of cores.", 1.0, 0.0, 100.0),
            ("memory_weight", "Weight of memory.", 1.0, 0.0, 100.0),
        ],
        expression: "let cores = (machine.cores_free - vm.cores) / machine.cores;
let memory = (machine.memory_free - vm.memory) / machine.memory;
(cores_weight * max(cores, 0) + memory_weight * max(memory, 0)) / (cores_weight + memory_weight)",
    },
    GalleryRule {
        name: "MostAllocated",
        help: "Prefers the machine that would be fullest with the VM, by the mean allocated share of cores and memory. Packs.",
        source: "Kubernetes, NodeResourcesFit",
        of: Subject::Machine,
        bounds: HIGHER,
        parameters: &[
            ("cores_weight", "Weight of cores.", 1.0, 0.0, 100.0),
            ("memory_weight", "Weight of memory.", 1.0, 0.0, 100.0),
        ],
        expression: "let cores = (machine.cores - machine.cores_free + vm.cores) / machine.cores;
let memory = (machine.memory - machine.memory_free + vm.memory) / machine.memory;
(cores_weight * min(cores, 1) + memory_weight * min(memory, 1)) / (cores_weight + memory_weight)",
    },
    GalleryRule {
        name: "RequestedToCapacityRatio",
        help: "Scores machines by a piecewise linear function of the share allocated with the VM: 0 when empty, 1 when full, and `bend_score` at `bend`. In Kubernetes the function may have any number of points; here it has three.",
        source: "Kubernetes, NodeResourcesFit",
        of: Subject::Machine,
        bounds: HIGHER,
        parameters: &[
            ("bend", "Share allocated where the line bends.", 0.5, 0.01, 0.99),
            ("bend_score", "The score there.", 0.5, 0.0, 1.0),
        ],
        expression: "let cores = (machine.cores - machine.cores_free + vm.cores) / machine.cores;
let memory = (machine.memory - machine.memory_free + vm.memory) / machine.memory;
let cores_score = if cores < bend then cores / bend * bend_score
                  else bend_score + (cores - bend) / (1 - bend) * (1 - bend_score);
let memory_score = if memory < bend then memory / bend * bend_score
                   else bend_score + (memory - bend) / (1 - bend) * (1 - bend_score);
(cores_score + memory_score) / 2",
    },
    GalleryRule {
        name: "BalancedAllocation",
        help: "Prefers machines on which the VM leaves cores and memory equally allocated: one minus half of the difference.",
        source: "Kubernetes, NodeResourcesBalancedAllocation",
        of: Subject::Machine,
        bounds: HIGHER,
        parameters: &[],
        expression: "let cores = min((machine.cores - machine.cores_free + vm.cores) / machine.cores, 1);
let memory = min((machine.memory - machine.memory_free + vm.memory) / machine.memory, 1);
let imbalance = abs(cores - memory);
1 - imbalance / 2",
    },
    GalleryRule {
        name: "ExponentialCost",
        help: "Prefers machines on which the VM costs least, if using a share u costs base^u: E-PVM, Borg's former score. Spreads, and keeps the least capacity for large VMs. The base is that of an adaptation.",
        source: "Amir et al., 2000; Borg, EuroSys 2015, section 3.2",
        of: Subject::Machine,
        bounds: Some((0.0, 0.5396, false)),
        parameters: &[(
            "base",
            "How much more expensive full machines are; a larger value spreads more.",
            1.5396,
            1.01,
            1000.0,
        )],
        expression: "let rate = log2(base) / log2(exp(1));
let cores = exp(rate * (machine.cores_used + vm.cores / machine.cores)) - exp(rate * machine.cores_used);
let memory = exp(rate * (machine.memory_used + vm.memory / machine.memory)) - exp(rate * machine.memory_used);
cores + memory",
    },
    GalleryRule {
        name: "DotProduct",
        help: "Prefers machines whose free resources align with the VM's demand: the dot product of both, as shares of the machine, larger first. Prefers empty machines.",
        source: "Tetris, SIGCOMM 2014; Panigrahy et al., 2011",
        of: Subject::Machine,
        bounds: Some((0.0, 2.0, true)),
        parameters: &[],
        expression: "let cores = vm.cores / machine.cores * (machine.cores_free / machine.cores);
let memory = vm.memory / machine.memory * (machine.memory_free / machine.memory);
cores + memory",
    },
    GalleryRule {
        name: "LeastLeft",
        help: "Prefers machines on which the least capacity is left with the VM (the L2 norm of the free shares).",
        source: "Panigrahy et al., 2011",
        of: Subject::Machine,
        bounds: Some((0.0, 1.4143, false)),
        parameters: &[],
        expression: "let cores = (machine.cores_free - vm.cores) / machine.cores;
let memory = (machine.memory_free - vm.memory) / machine.memory;
sqrt(cores * cores + memory * memory)",
    },
    GalleryRule {
        name: "MostMemoryFree",
        help: "Prefers machines with the most free memory in GiB. Spreads. To weigh it as Nova does, with scores normalised over the candidates.",
        source: "OpenStack Nova, RAMWeigher, its default",
        of: Subject::Machine,
        bounds: Some((0.0, 16_384.0, true)),
        parameters: &[],
        expression: "machine.memory_free",
    },
    GalleryRule {
        name: "LeastMemoryFree",
        help: "Prefers machines with the least free memory in GiB. Packs.",
        source: "OpenStack Nova, RAMWeigher with a negative multiplier",
        of: Subject::Machine,
        bounds: Some((0.0, 16_384.0, false)),
        parameters: &[],
        expression: "machine.memory_free",
    },
    GalleryRule {
        name: "MostCoresFree",
        help: "Prefers machines with the most free cores. Spreads. To weigh it as Nova does, with scores normalised over the candidates.",
        source: "OpenStack Nova, CPUWeigher, its default",
        of: Subject::Machine,
        bounds: Some((0.0, 1_024.0, true)),
        parameters: &[],
        expression: "machine.cores_free",
    },
    GalleryRule {
        name: "LeastCoresFree",
        help: "Prefers machines with the least free cores. Packs.",
        source: "OpenStack Nova, CPUWeigher with a negative multiplier",
        of: Subject::Machine,
        bounds: Some((0.0, 1_024.0, false)),
        parameters: &[],
        expression: "machine.cores_free",
    },
    GalleryRule {
        name: "MostSsdFree",
        help: "Prefers machines with the most free local SSD in GiB. Spreads.",
        source: "OpenStack Nova, DiskWeigher, its default",
        of: Subject::Machine,
        bounds: Some((0.0, 262_144.0, true)),
        parameters: &[],
        expression: "machine.ssd_free",
    },
    GalleryRule {
        name: "LeastSsdFree",
        help: "Prefers machines with the least free local SSD in GiB. Packs.",
        source: "OpenStack Nova, DiskWeigher with a negative multiplier",
        of: Subject::Machine,
        bounds: Some((0.0, 262_144.0, false)),
        parameters: &[],
        expression: "machine.ssd_free",
    },
    GalleryRule {
        name: "MostVms",
        help: "Prefers machines with the most VMs. Packs by number, whatever their size.",
        source: "OpenStack Nova, NumInstancesWeigher with a positive multiplier",
        of: Subject::Machine,
        bounds: Some((0.0, 4_096.0, true)),
        parameters: &[],
        expression: "machine.vms",
    },
    GalleryRule {
        name: "FewestVms",
        help: "Prefers machines with the fewest VMs. Spreads by number, whatever their size.",
        source: "OpenStack Nova, NumInstancesWeigher with a negative multiplier",
        of: Subject::Machine,
        bounds: Some((0.0, 4_096.0, false)),
        parameters: &[],
        expression: "machine.vms",
    },
    GalleryRule {
        name: "MaxVmsPerMachine",
        help: "Limits how many VMs one machine may have.",
        source: "Kubernetes, maxPods of the kubelet; OpenStack Nova, NumInstancesFilter",
        of: Subject::Machine,
        bounds: None,
        parameters: &[("most", "VMs that a machine may have.", 110.0, 1.0, 100_000.0)],
        expression: "machine.vms < most",
    },
    GalleryRule {
        name: "BestFit",
        help: "Prefers the machine that would be fullest after placing the VM, exactly as the built-in rule does.",
        source: "Protean, section 3.2",
        of: Subject::Machine,
        bounds: LOWER,
        parameters: &[
            ("cores_weight", "Weight of cores.", 1.0, 0.0, 100.0),
            ("memory_weight", "Weight of memory.", 1.0, 0.0, 100.0),
            ("ssd_weight", "Weight of local SSD.", 0.0, 0.0, 100.0),
            ("network_weight", "Weight of network bandwidth.", 0.0, 0.0, 100.0),
        ],
        expression: BEST_FIT,
    },
    GalleryRule {
        name: "WorstFit",
        help: "Prefers the machine that would be emptiest after placing the VM, exactly as the built-in rule does.",
        source: "Protean, section 3.2, reversed",
        of: Subject::Machine,
        bounds: HIGHER,
        parameters: &[
            ("cores_weight", "Weight of cores.", 1.0, 0.0, 100.0),
            ("memory_weight", "Weight of memory.", 1.0, 0.0, 100.0),
        ],
        expression: "let count_cores = cores_weight > 0 and machine.millicores > 0;
let count_memory = memory_weight > 0 and machine.memory > 0;
let cores = (machine.millicores_free - vm.millicores) / machine.millicores;
let memory = (machine.memory_free - vm.memory) / machine.memory;
let total = (if count_cores then cores_weight else 0) + (if count_memory then memory_weight else 0);
let left = (if count_cores then cores_weight * cores else 0) + (if count_memory then memory_weight * memory else 0);
if total > 0 then left / total else 0",
    },
    GalleryRule {
        name: "PreferNonEmptyMachines",
        help: "Prefers machines in use, so that whole machines stay free.",
        source: "Protean, section 3.2",
        of: Subject::Machine,
        bounds: LOWER,
        parameters: &[],
        expression: "if machine.vms > 0 then 0 else 1",
    },
    GalleryRule {
        name: "LavaHostClass",
        help: "First recycling machines of a higher lifetime class, the closest class first; then open machines of the VM's class; then other used machines; then empty ones.",
        source: "LAVA, section 4.3, Algorithm 3",
        of: Subject::Machine,
        bounds: LOWER,
        parameters: &[],
        expression: "let above = machine.lifetime_class - vm.lifetime_class;
let level = if machine.recycling and above > 0 then min(above - 1, 3)
            else if machine.open and above == 0 then 4
            else if machine.vms > 0 then 5
            else 6;
level / 6",
    },
    GalleryRule {
        name: "StaysInTenantRack",
        help: "Keeps all VMs of a tenant with placement terms in the rack of its first VM.",
        source: "after Protean, section 2.1",
        of: Subject::Rack,
        bounds: None,
        parameters: &[],
        expression: "tenant.vms == 0 or tenant.vms_in_rack > 0",
    },
    GalleryRule {
        name: "PreferLeastUsedRack",
        help: "Prefers racks with the smallest share of cores in use.",
        source: "Protean, section 5.2.5",
        of: Subject::Rack,
        bounds: LOWER,
        parameters: &[],
        expression: "rack.cores_used",
    },
    GalleryRule {
        name: "PreferEmptierClusters",
        help: "Prefers clusters with the smallest share of cores in use.",
        source: "Protean, section 3.2",
        of: Subject::Cluster,
        bounds: LOWER,
        parameters: &[],
        expression: "cluster.cores_used",
    },
];

/// The built-in rule's terms in the same order and units, so that rounding is equal.
const BEST_FIT: &str = "let count_cores = cores_weight > 0 and machine.millicores > 0;
let count_memory = memory_weight > 0 and machine.memory > 0;
let count_ssd = ssd_weight > 0 and machine.ssd > 0;
let count_network = network_weight > 0 and machine.network > 0;
let cores = (machine.millicores_free - vm.millicores) / machine.millicores;
let memory = (machine.memory_free - vm.memory) / machine.memory;
let ssd = (machine.ssd_free - vm.ssd) / machine.ssd;
let network = (machine.network_free - vm.network) / machine.network;
let left = (if count_cores then cores_weight * cores else 0)
  + (if count_memory then memory_weight * memory else 0)
  + (if count_ssd then ssd_weight * ssd else 0)
  + (if count_network then network_weight * network else 0);
let total = (if count_cores then cores_weight else 0)
  + (if count_memory then memory_weight else 0)
  + (if count_ssd then ssd_weight else 0)
  + (if count_network then network_weight else 0);
if total > 0 then left / total else 0";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_rule_of_the_gallery_stands() {
        let names: BTreeSet<_> = GALLERY.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), GALLERY.len(), "names are unique");
        for rule in GALLERY {
            let definition = rule.definition();
            let program = definition.program().unwrap_or_else(|fault| panic!("{}: {fault}", rule.name));
            assert!(program.steps() <= 64, "{} takes {} steps", rule.name, program.steps());
            assert!(definition.help.chars().count() <= crate::custom::HELP_MAX, "{}", rule.name);
            let read = crate::read::rule_of(&rule.row().to_json()).expect("JSON");
            assert_eq!(read, (Some(rule.row()), Vec::new()), "{}", rule.name);
        }
    }

    #[test]
    fn built_in_rules_of_the_gallery_are_built_in() {
        for (id, _) in BUILT_IN {
            assert!(tiebreak_placement::rules::find(id).is_some() && find(id).is_none(), "{id}");
        }
    }

    #[test]
    fn rules_named_like_a_built_in_one_have_its_stage_and_parameters() {
        for rule in GALLERY {
            let Some(built_in) = tiebreak_placement::rules::find(rule.name) else { continue };
            assert_eq!(rule.row().group(), Some(built_in.group), "{}", rule.name);
        }
    }
}
