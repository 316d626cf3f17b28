//! What stands in the files that `tiebreak run --out` writes: columns and fields, each with its meaning. A test holds
//! this against the files themselves, and docs/FILES.md is made from it.

use tiebreak_sim::figures::Part;

use Fields::{Figures, Own};

/// A file.
pub(crate) struct FileOf {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// In order.
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
    /// What stands in it, in order; nothing where that is told elsewhere.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let fields = |fields: &Fields| match fields {
            Own(fields) => fields.to_vec(),
            Figures(part) => part.figures().map(|figure| (figure.id, figure.help)).collect(),
        };
        self.fields.iter().flat_map(fields).collect()
    }
}

pub(crate) const PLACEMENTS: &[Field] = &[
    ("seq", "number of the row, from 0"),
    ("time_ms", "when the store answered, in ms from the beginning of the trace"),
    ("request", "number of the request"),
    ("vm", "the VM's name in the trace, as a number"),
    (
        "outcome",
        "placed, refused (no machine was valid), conflict (the commit failed and is tried again) or out of retries",
    ),
    ("machine", "number of the machine that was chosen, from 0; empty where none was"),
    ("cluster", "number of its cluster, from 0"),
    ("best_set_size", "machines tied for best when one of them was drawn"),
    ("cache", "hit, miss or off: whether the agent had the VM's class evaluated; empty where none was asked"),
    ("agent", "number of the agent, from 0; empty for VMs alive when the trace began"),
    ("attempt", "0 for the first try"),
    ("cause", "why it was decided: for a request, or for a VM that lost its machine or was to move"),
    ("bottleneck", "what the network had no room for, where machines had: link, peering, colocation, elsewhere"),
];

const VMS: &[Field] = &[
    ("vm", "the VM's name in the trace, as a number"),
    ("tenant", "its tenant, as a number"),
    ("cores", "cores asked for"),
    ("memory_gib", "memory asked for, GiB"),
    ("priority", "0 high, 1 low"),
    ("start_s", "when it was asked for, in seconds; at or before 0 alive when the trace began"),
    ("end_s", "when it ends, in seconds; empty where the trace does not know"),
    ("request", "number of the request"),
    (
        "outcome",
        "placed, refused, out of retries or undecided; of a VM that lost its machine evicted, lost, ended, or waiting until that is known",
    ),
    ("cluster", "name of the cluster it stands in or stood in last"),
    ("machine", "number of the machine, from 0"),
    ("placed_s", "since when it stands there, in seconds"),
    ("bottleneck", "as in placements.csv"),
];

const DRAWS: &[Field] = &[
    ("time", "number of the slot, from 0"),
    ("chassis", "number of the chassis, from 0"),
    ("watts", "what it would have drawn had nobody been slowed down"),
];

const SUMMARY: &[Fields] = &[
    Own(&[
        ("digest", "one number that two runs share only if they decided alike"),
        ("warnings", "what to know before the figures, a sentence each"),
    ]),
    Figures(Part::Placing),
    Own(&[
        ("life_p50_ms", "median life of the VMs; one whose end is unknown lives to the end of the trace"),
        ("measured_from_hours", "where means over time begin"),
    ]),
    Figures(Part::Course),
    Figures(Part::Asked),
    Own(&[("wall_ms", "how long the run took on this computer"), ("seed", "every draw of chance follows from it")]),
    Figures(Part::Size),
    Own(&[(
        "trace",
        "name, fingerprint and path of the trace, and what its columns are called otherwise; null for a generated workload",
    )]),
    Figures(Part::Effort),
    Own(&[
        ("cache", "whether caches were on, hits, misses, and bytes at the end"),
        (
            "rule_shares",
            "for each rule, shares from 0 to 1 over sampled decisions: candidates before and after it, decisions in which it removed any, left one, and settled the choice; and a hint",
        ),
        ("version", "version of the program"),
        ("command", "the words it was called with"),
    ]),
];

/// Every file, in the order of docs/FILES.md.
pub(crate) static FILES: &[FileOf] = &[
    FileOf {
        name: "scenario.json",
        help: "The scenario with everything that was set: `tiebreak run DIR/scenario.json` gives the same digest. The trace is found by summary.json beside it, or given with --trace. Its fields are those of docs/scenario.schema.json.",
        fields: &[],
    },
    FileOf { name: "summary.json", help: "What came out; the same as `tiebreak run --json` prints.", fields: SUMMARY },
    FileOf {
        name: "placements.csv",
        help: "A row for each VM of each decision, in the order in which the store answered.",
        fields: &[Own(PLACEMENTS)],
    },
    FileOf {
        name: "vms.csv",
        help: "A row for each VM of the workload, and what became of it; vms.parquet has the same columns.",
        fields: &[Own(VMS)],
    },
    FileOf {
        name: "series.csv",
        help: "A row for each sample over time: time_ms, then a column for each metric (`tiebreak list metrics`); empty where a metric means nothing.",
        fields: &[],
    },
    FileOf {
        name: "power.csv",
        help: "Where draws are measured, a row for each chassis and slot of time, as `tiebreak power budget` reads them.",
        fields: &[Own(DRAWS)],
    },
];
