//! What stands in the files that `tiebreak run --out` writes: columns and fields, each with its meaning. A test holds
//! this against the files themselves, and docs/FILES.md is made from it.

/// A file.
pub(crate) struct FileOf {
    pub(crate) name: &'static str,
    pub(crate) help: &'static str,
    /// Names and meanings, in order.
    pub(crate) fields: &'static [(&'static str, &'static str)],
}

pub(crate) const PLACEMENTS: &[(&str, &str)] = &[
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

const VMS: &[(&str, &str)] = &[
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

const DRAWS: &[(&str, &str)] = &[
    ("time", "number of the slot, from 0"),
    ("chassis", "number of the chassis, from 0"),
    ("watts", "what it would have drawn had nobody been slowed down"),
];

const SUMMARY: &[(&str, &str)] = &[
    ("digest", "one number that two runs share only if they decided alike"),
    ("warnings", "what to know before the figures, a sentence each"),
    ("placements", "VMs placed, with those alive when the trace began"),
    ("ended_before_placed", "of these, VMs that had ended by then and took no room"),
    ("rejections", "VMs rejected"),
    ("rejected_by_room", "of these, VMs of requests for one of whose VMs no machine had room"),
    (
        "rejected_by_terms",
        "of these, VMs of requests for one of whose VMs machines had room, and other rules refused them",
    ),
    ("rejected_out_of_retries", "of these, VMs of requests whose commits kept failing"),
    ("wait_p50_ms", "median time from a request to its answer"),
    ("wait_p99_ms", "99th percentile of the same"),
    ("life_p50_ms", "median life of the VMs; one whose end is unknown lives to the end of the trace"),
    ("measured_from_hours", "where means over time begin"),
    ("warm_rejections", "VMs alive when the trace began that found no room"),
    ("conflicts", "commits that failed"),
    ("reallocations", "VMs that lost their machine and have another one"),
    ("lost_vms", "VMs that lost their machine and found no other"),
    ("evictions", "VMs put out to make room for others"),
    ("migrations", "VMs moved while they ran"),
    ("migrations_scheduled", "VMs that were to be moved"),
    ("migrations_saved", "of these, VMs that ended before it was their turn"),
    ("conflicts_per_minute_p99", "conflicts in a minute, 99th percentile over minutes with a commit"),
    ("empty_hosts_pct_mean", "machines without a VM, mean over time, %"),
    ("packing_density_pct_mean", "cores in use on machines that have any VM, mean over time, %"),
    ("empty_to_free_pct_mean", "share of the free cores that stand on empty machines, mean over time, %"),
    ("stranded_cores_pct_mean", "cores that no VM could use, %; null where it was not measured"),
    ("stranded_memory_pct_mean", "memory that no VM could use, %; null where it was not measured"),
    ("repredictions", "running VMs whose life was predicted again"),
    ("refused_by_room", "where VMs are linked: refused because machines had no room"),
    ("refused_by_link", "refused because one link is larger than any machine's uplinks"),
    ("refused_by_peering", "refused because a VM has as many peers as its uplinks bear"),
    ("refused_by_colocation", "refused because VMs that share a machine share its uplinks"),
    ("refused_elsewhere", "refused because uplinks of racks or clusters are full"),
    ("deployments", "where rules ask what deployments grow to: deployments let in"),
    ("deployments_refused", "deployments not let in"),
    ("scale_outs", "later requests of deployments that were let in, placed"),
    ("scale_outs_failed", "the same, failed"),
    ("capping_events", "times that a chassis was slowed down"),
    ("rapl_engagements", "times that the last resort slowed all servers of a chassis down"),
    ("user_facing_slowed", "core-hours of user-facing VMs that were slowed down"),
    ("others_slowed", "core-hours of other VMs that were slowed down"),
    ("energy_kwh", "energy drawn"),
    ("chassis_deviation_pct", "standard deviation over chassis of what they draw, %"),
    ("server_deviation_pct", "the same over servers, %"),
    ("wall_ms", "how long the run took on this computer"),
    ("seed", "every draw of chance follows from it"),
    ("machines", "machines"),
    ("clusters", "clusters"),
    ("vms", "VMs of the workload"),
    ("requests", "requests of the workload"),
    (
        "trace",
        "name, fingerprint and path of the trace, and what its columns are called otherwise; null for a generated workload",
    ),
    ("commits", "decisions that reached the store"),
    ("cache_hits_pct", "decisions whose class had been evaluated, %"),
    ("cache", "whether caches were on, hits, misses, and bytes at the end"),
    (
        "rule_shares",
        "for each rule, shares from 0 to 1 over sampled decisions: candidates before and after it, decisions in which it removed any, left one, and settled the choice; and a hint",
    ),
    ("version", "version of the program"),
    ("command", "the words it was called with"),
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
        fields: PLACEMENTS,
    },
    FileOf {
        name: "vms.csv",
        help: "A row for each VM of the workload, and what became of it; vms.parquet has the same columns.",
        fields: VMS,
    },
    FileOf {
        name: "series.csv",
        help: "A row for each sample over time: time_ms, then a column for each metric (`tiebreak list metrics`); empty where a metric means nothing.",
        fields: &[],
    },
    FileOf {
        name: "power.csv",
        help: "Where draws are measured, a row for each chassis and slot of time, as `tiebreak power budget` reads them.",
        fields: DRAWS,
    },
];
