//! The columns and fields of the files that `tiebreak run --out` writes, with their meanings. A test compares this to
//! the files, and docs/FILES.md is generated from it.

use tiebreak_sim::figures::Part;

use Fields::{Figures, Own};

/// A file of results.
pub(crate) struct FileOf {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// Its fields, in order.
    fields: &'static [Fields],
}

/// A column or a field: its name and what it means.
pub(crate) type Field = (&'static str, &'static str);

/// Some of the fields of a file.
enum Fields {
    Own(&'static [Field]),
    Figures(Part),
}

impl FileOf {
    /// Its fields in order; empty if they are documented elsewhere.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let fields = |fields: &Fields| match fields {
            Own(fields) => fields.to_vec(),
            Figures(part) => part.figures().map(|figure| (figure.id, figure.help)).collect(),
        };
        self.fields.iter().flat_map(fields).collect()
    }
}

const PLACEMENTS: &[Field] = &[
    ("seq", "number of the row, from 0"),
    ("time_ms", "when the store answered, in ms from the beginning of the trace"),
    ("request", "number of the request"),
    ("vm", "the VM's name in the trace, as a number"),
    (
        "outcome",
        "placed, refused (no machine was valid), conflict (the commit failed and is retried) or out of retries",
    ),
    ("machine", "number of the chosen machine, from 0; empty if there was none"),
    ("cluster", "number of its cluster, from 0"),
    ("best_set_size", "machines tied for best when one of them was chosen at random"),
    ("cache", "hit, miss or off: whether the agent had already evaluated the VM's class; empty if no cache was used"),
    ("agent", "number of the agent, from 0; empty for VMs running at the start of the trace"),
    ("attempt", "0 for the first try"),
    ("cause", "reason for the decision: a request, or a VM that lost its machine or had to migrate"),
    (
        "bottleneck",
        "what the network had no capacity for although machines had room: link, peering, colocation, \
         elsewhere",
    ),
];

const VMS: &[Field] = &[
    ("vm", "the VM's name in the trace, as a number"),
    ("tenant", "its tenant, as a number"),
    ("cores", "cores requested"),
    ("memory_gib", "memory requested, GiB"),
    ("priority", "0 high, 1 low"),
    ("start_s", "when it was requested, in seconds; 0 or negative if it was running at the start of the trace"),
    ("end_s", "when it ends, in seconds; empty if the trace does not contain it"),
    ("request", "number of the request"),
    (
        "outcome",
        "placed, refused, out of retries or undecided; of a VM that lost its machine evicted, lost, ended, or waiting until that is known",
    ),
    ("cluster", "name of its cluster, or of its last one"),
    ("machine", "number of the machine, from 0"),
    ("placed_s", "since when it has been there, in seconds"),
    ("bottleneck", "as in placements.csv"),
];

const DRAWS: &[Field] = &[
    ("time", "number of the slot, from 0"),
    ("chassis", "number of the chassis, from 0"),
    ("watts", "its draw if no VM had been throttled"),
];

pub(crate) const AFFINITY: &[Field] = &[
    ("time_ms", "when the day ended, in ms from the beginning of the trace"),
    ("cluster", "number of the cluster, from 0"),
    ("share_1", "share of the cores of running VMs that is in the first class, 0 to 1; empty if there are none"),
    ("share_2", "the same in the second class"),
    ("share_3", "the same in the third class"),
    ("share_4", "the same in the fourth class"),
    ("share_5", "the same in the fifth class"),
    ("share_6", "the same in the sixth class"),
    ("score", "drift score of the day"),
    ("state", "state after it: warm-up, stable, observation or cool-down"),
    ("group", "classes of the affinity group after it, from 1, separated by blanks"),
    ("changed", "whether the group was formed anew on this day"),
];

const IMPORT: &[Field] = &[
    ("told", "what was made of the files, a sentence each"),
    ("without_twin", "fields that nothing here stands for: file, path, count, value and why"),
    ("about_something_else", "fields that were seen and say nothing of where VMs go"),
];

const SUMMARY: &[Fields] = &[
    Own(&[
        ("digest", "a number that two runs share only if all their decisions are the same"),
        ("warnings", "warnings about the numbers, one sentence each"),
    ]),
    Figures(Part::Placing),
    Own(&[
        ("life_p50_ms", "median lifetime of the VMs; a VM whose end is unknown counts until the end of the trace"),
        ("measured_from_hours", "start of means over time"),
    ]),
    Figures(Part::Course),
    Figures(Part::Asked),
    Own(&[("wall_ms", "how long the run took on this computer"), ("seed", "random seed of the run")]),
    Figures(Part::Size),
    Own(&[(
        "trace",
        "name, fingerprint and path of the trace, and its renamed columns; null for a generated workload",
    )]),
    Figures(Part::Effort),
    Own(&[
        ("cache", "whether caches were on, hits, misses, and bytes at the end"),
        (
            "rule_shares",
            "for each rule, over sampled decisions: candidates before and after it, and, as shares from 0 to 1, \
             decisions in which it removed any, left one, and made the choice; and a hint",
        ),
        ("version", "version of the program"),
        ("command", "its command line"),
    ]),
];

/// Every file, in the order of docs/FILES.md.
pub(crate) static FILES: &[FileOf] = &[
    FileOf {
        name: "scenario.json",
        help: "The scenario with all settings: `tiebreak run DIR/scenario.json` gives the same digest. The trace is \
             found through summary.json next to it, or set with --trace. docs/scenario.schema.json describes its \
             fields.",
        fields: &[],
    },
    FileOf { name: "summary.json", help: "The results, as printed by `tiebreak run --json`.", fields: SUMMARY },
    FileOf {
        name: "placements.csv",
        help: "One row per VM and decision, in the order of the store's answers.",
        fields: &[Own(PLACEMENTS)],
    },
    FileOf {
        name: "vms.csv",
        help: "One row per VM of the workload, with its outcome; vms.parquet has the same columns.",
        fields: &[Own(VMS)],
    },
    FileOf {
        name: "series.csv",
        help: "One row per sample over time: time_ms, then one column per metric (`tiebreak list metrics`); empty if \
             a metric does not apply.",
        fields: &[],
    },
    FileOf {
        name: "power.csv",
        help: "If draws are measured, one row per chassis and time slot, as read by `tiebreak power budget`.",
        fields: &[Own(DRAWS)],
    },
    FileOf {
        name: "affinity.csv",
        help: "If a rule reads affinity groups and they may change, one row per cluster and day.",
        fields: &[Own(AFFINITY)],
    },
    FileOf {
        name: "import.json",
        help: "If files were imported (`--import`), what was made of them and, field by field, what has no twin.",
        fields: &[Own(IMPORT)],
    },
    FileOf {
        name: "imported.vms",
        help: "If VMs were imported, these VMs in the compact format; scenario.json reads them when it is run again.",
        fields: &[],
    },
];
