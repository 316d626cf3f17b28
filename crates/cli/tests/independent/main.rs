//! A second simulator, written from the documents, replays the program's runs and checks its records.
//!
//! It shares no code with the engine. It evaluates every rule for every machine and every VM, in exact fractions, and
//! stores the whole history of every machine instead of logs, journals and caches. From the files of a run it takes
//! the requests (`scenario.json`, `vms.csv`), which of the best machines was drawn, and whether caches hit. It must
//! reproduce all other columns of `placements.csv`, the figures of `summary.json` that it knows, and each VM's fate
//! in `vms.csv`. The files do not say which machines were chosen for VMs whose request was refused because of a later
//! VM: for these it only checks that some choice leads to the refusal.
//!
//! From docs/RULES.md it takes the rules, buckets, agents and measures; from docs/ARCHITECTURE.md, "The life of a
//! placement", the order of events at one instant, the queue, views, clusters, commits and conflicts; from
//! docs/FILES.md the columns. The following details come from the code, because these documents omit them:
//!
//! - Machines are numbered rack by rack and cluster by cluster. If machines do not divide evenly, the first racks
//!   have one more.
//! - VMs are ordered by cores, then by memory, largest first; among equal VMs, the first in `vms.csv` comes first.
//! - A refused request takes the decision time of its VMs up to the refused one.
//! - The answer to an accepted commit also tells the agent the new state of its machines.
//! - An agent's own choice that does not fit on what it has learned since is not in its view, because it will fail.
//! - Agents know the machines of a tenant's own VMs without delay.
//! - Machines that are not ready count as empty, and their cores as free, in shares of racks and clusters.
//! - A packing trace, and one with named columns, ends with the hour of its last start.
//! - Times without VMs are excluded from the mean packing density.
//! - Without buckets, scores are compared as rounded floating-point numbers, so that some equal fractions are not a
//!   tie. No such case is among these runs.

mod faults;
mod guide;
mod record;
mod rules;
mod simulator;
mod store;

use serde_json::{Value, json};

use faults::{EDITS, Fault, record_with};
use guide::{Checked, Complaint, check};
use record::Record;

const CUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/packing-cut.csv.gz");

enum Workload {
    /// A sample of the cut.
    Cut(&'static str),
    Generated,
    /// Tenant, cores, GiB, start and end in seconds.
    Rows(&'static str),
}

/// Machines, racks, cores, GiB, and machines that are not ready.
type Cluster = (u32, u32, f64, f64, u32);

/// A scenario in short form.
struct SmallScenario {
    name: &'static str,
    /// Every second cluster is in another datacenter.
    clusters: &'static [Cluster],
    /// Rule names, with buckets after a slash.
    rules: &'static str,
    /// Arguments of `--set`.
    set: &'static str,
    workload: Workload,
}

impl SmallScenario {
    fn run(&self) -> Record {
        let cluster = |(at, (machines, racks, cores, memory, unready)): (u32, &Cluster)| {
            json!({
                "name": format!("cluster {at}"), "datacenter": at % 2 + 1, "unready": unready,
                "machines": machines, "racks": racks, "cores": cores, "memory_gib": memory,
            })
        };
        let rule = |word: &str| {
            let (name, buckets) = word.split_once('/').unwrap_or((word, "none"));
            json!({ "rule": name, "on": true, "buckets": buckets.parse::<u32>().ok() })
        };
        let clusters: Vec<Value> = (0..).zip(self.clusters).map(cluster).collect();
        let rules: Vec<Value> = self.rules.split_whitespace().map(rule).collect();
        let variant = json!({ "inventory": { "clusters": clusters }, "rules": rules });
        let folder = record::folder(self.name);
        let rows = folder.join("rows.csv");
        let mut words: Vec<_> = self.set.split_whitespace().flat_map(|it| ["--set", it]).collect();
        match self.workload {
            Workload::Cut(sample) => words.extend(["--trace", CUT, "--sample", sample]),
            Workload::Generated => {}
            Workload::Rows(text) => {
                std::fs::write(&rows, format!("tenant,cores,memory,start,end\n{text}")).expect("a file");
                words.extend(["--trace", rows.to_str().expect("UTF-8")]);
            }
        }
        Record::of_run(&folder, &json!({ "version": 2, "variants": [variant] }), &words)
    }

    /// Checks a run in which at least this much must happen.
    fn holds(&self, floor: Checked) {
        let checked = check(&self.run()).unwrap_or_else(|complaint| panic!("{}: {complaint:?}", self.name));
        println!("{}: {checked:?}", self.name);
        assert!(checked.is_at_least(&floor), "{}: {checked:?}", self.name);
    }
}

#[test]
fn one_agent_without_delay() {
    let case = SmallScenario {
        name: "alone",
        clusters: &[(70, 7, 48.0, 384.0, 2)],
        rules: "AreNodeResourcesValid IsMachineReady PreferNonEmptyMachines BestFit FdEmptyNodes",
        set: "agents.count=1 agents.decision_ms=0 agents.publish_ms=0",
        workload: Workload::Cut("request:2"),
    };
    case.holds(Checked { decisions: 5_500, ties: 90, refused: 15, ..Checked::default() });
}

#[test]
fn stale_views_and_a_store_that_merges() {
    let case = SmallScenario {
        name: "merging",
        clusters: &[(70, 7, 48.0, 384.0, 0), (60, 8, 48.0, 384.0, 3)],
        rules: "IsTypeSupported IsClusterBelowLimit AreNodeResourcesValid IsMachineReady PreferNonEmptyMachines BestFit/3 \
                FdEmptyNodes",
        set: "agents.decision_ms=2000 agents.publish_ms=60000 agents.commit_ms=3000 agents.retries=3 \
              rules.IsClusterBelowLimit.limit=90 measures.measured_from_hours=48",
        workload: Workload::Cut("request:1"),
    };
    case.holds(Checked { decisions: 14_000, ties: 7_000, conflicts: 700, refused: 200, out_of_retries: 10 });
}

#[test]
fn stale_views_and_a_store_that_does_not_merge() {
    let case = SmallScenario {
        name: "coarse",
        clusters: &[(70, 7, 48.0, 384.0, 0), (70, 7, 48.0, 384.0, 0)],
        rules: "IsTypeSupported AreNodeResourcesValid IsMachineReady PreferNonEmptyMachines BestFit/10 PreferLeastUsedRack/4",
        set: "agents.decision_ms=2000 agents.publish_ms=60000 agents.commit_ms=3000 agents.retries=3 \
              agents.fine_grained=false agents.pipelined=false",
        workload: Workload::Cut("request:1"),
    };
    case.holds(Checked { decisions: 18_000, ties: 6_000, conflicts: 1_500, refused: 30, out_of_retries: 100 });
}

#[test]
fn clusters_of_several_generations() {
    let case = SmallScenario {
        name: "generations",
        clusters: &[
            (15, 3, 48.0, 384.0, 3),
            (10, 3, 104.0, 562.5, 0),
            (20, 4, 24.0, 128.0, 0),
            (6, 2, 64.0, 1_024.0, 0),
            (15, 5, 40.0, 256.0, 0),
        ],
        rules: "IsTypeSupported IsClusterBelowLimit PreferEmptierClusters AreNodeResourcesValid IsMachineReady WorstFit/7 \
                PreferLeastUsedRack",
        set: "agents.count=5 agents.decision_ms=2000 agents.publish_ms=60000 agents.retries=2 best_clusters=2 \
              rules.IsClusterBelowLimit.limit=75",
        workload: Workload::Cut("request:2"),
    };
    case.holds(Checked { decisions: 3_000, ties: 400, conflicts: 50, refused: 1_500, out_of_retries: 20 });
}

#[test]
fn time_that_follows_caches() {
    let case = SmallScenario {
        name: "caches",
        clusters: &[(60, 5, 104.0, 562.5, 0), (60, 6, 104.0, 1_024.0, 0), (60, 7, 104.0, 562.5, 0)],
        rules: "PreferEmptierClusters/10 AreNodeResourcesValid BestFit/3 PreferNonEmptyMachines FirstFit",
        set: "agents.latency=caches agents.hit_ms=700 agents.miss_ms=5000 agents.publish_ms=30000 best_clusters=1",
        workload: Workload::Cut("request:2"),
    };
    case.holds(Checked { decisions: 6_500, conflicts: 100, ..Checked::default() });
}

#[test]
fn tenants_with_terms() {
    let case = SmallScenario {
        name: "tenants",
        clusters: &[(20, 5, 48.0, 384.0, 0), (20, 5, 48.0, 384.0, 0), (20, 5, 48.0, 384.0, 0), (20, 5, 48.0, 384.0, 0)],
        rules: "IsTypeSupported IsClusterBelowLimit SharesTenantDatacenter SharesTenantCluster PreferEmptierClusters/10 \
                AreNodeResourcesValid IsMachineReady SharesTenantRack SpreadsOverFaultDomains CapsTenantPerMachine \
                RespectsIsolation PreferNonEmptyMachines SpreadTenantOverRacks BestFit/3 PreferLeastUsedRack/4",
        set: "agents.decision_ms=3000 agents.publish_ms=20000 best_clusters=2 workload.days=2 workload.requests_per_hour=22 \
              workload.spikes_per_day=10 workload.longest_life=10 workload.fault_domains=60 workload.co_located=40 \
              workload.isolated=8 workload.capped=40 workload.scale_outs=40 workload.deleted_whole=50",
        workload: Workload::Generated,
    };
    case.holds(Checked { decisions: 10_000, ties: 3_000, conflicts: 1_400, refused: 2_000, ..Checked::default() });
}

/// Minimal runs in which the program once deviated from its documents.
#[test]
fn what_was_once_wrong() {
    let holds = |name, machine: &'static [Cluster], rules, set, rows| {
        SmallScenario { name, clusters: machine, rules, set, workload: Workload::Rows(rows) }.holds(Checked::default());
    };
    let fits = "AreNodeResourcesValid";
    let pipelined = "agents.count=1 agents.decision_ms=1000 agents.commit_ms=60000 agents.publish_ms=0";
    let coarse =
        "agents.count=1 agents.decision_ms=1000 agents.commit_ms=60000 agents.publish_ms=0 agents.fine_grained=false";
    // Two requests for two VMs each are refused. The machine chosen for the first VM of the first request stayed in
    // the agent's view, so no room was found on the empty machine for the third request.
    holds("refused", &[(1, 1, 4.0, 16.0, 0)], fits, pipelined, "1,3,1,1,\n1,3,1,1,\n2,3,1,2,\n2,3,1,2,\n3,2,1,3,\n");
    // The machine changes between the decision about tenant 2 and its commit. The agent has read the change by then,
    // to decide about tenant 3, but that does not make the first decision fresh.
    holds("reread", &[(1, 1, 4.0, 16.0, 0)], fits, coarse, "1,1,1,0,10\n2,1,1,5,\n3,1,1,12,\n");
    // 58 of 100 cores are not below a limit of 58 %.
    let below = "IsClusterBelowLimit AreNodeResourcesValid";
    holds("limit", &[(1, 1, 100.0, 100.0, 0)], below, "rules.IsClusterBelowLimit.limit=58", "1,58,1,1,\n2,1,1,2,\n");
}

/// A small run in which much happens.
fn small(name: &'static str) -> Record {
    let case = SmallScenario {
        name,
        clusters: &[(14, 3, 48.0, 384.0, 1), (8, 2, 104.0, 562.5, 1), (14, 2, 48.0, 384.0, 0)],
        rules: "IsTypeSupported IsClusterBelowLimit PreferEmptierClusters/4 AreNodeResourcesValid IsMachineReady \
                PreferNonEmptyMachines BestFit/3 FdEmptyNodes",
        set: "agents.count=2 agents.decision_ms=150000 agents.publish_ms=400000 agents.commit_ms=200000 agents.retries=1 \
              agents.pipelined=false best_clusters=1 rules.IsClusterBelowLimit.limit=80 measures.measured_from_hours=24",
        workload: Workload::Cut("request:6"),
    };
    case.run()
}

#[test]
fn a_faulty_simulator_is_found_out() {
    let mut record = small("faulty simulator");
    record.agents.pipelined = true;
    let right = record_with(&record, None);
    check(&right).expect("nothing to complain of");
    for (fault, kind) in Fault::ALL {
        let wrong = record_with(&record, Some(fault));
        assert!((&wrong.rows, &wrong.summary) != (&right.rows, &right.summary), "{fault:?} changes nothing");
        found_out(&format!("{fault:?}"), &wrong, kind);
    }
}

#[test]
fn a_faulty_record_is_found_out() {
    let record = small("faulty record");
    check(&record).expect("nothing to complain of");
    for (name, edit, kind) in EDITS {
        let mut wrong = record.clone();
        assert!(edit(&mut wrong).is_some(), "{name}: no place for it");
        found_out(name, &wrong, kind);
    }
}

fn found_out(fault: &str, record: &Record, kind: guide::RecordFault) {
    match check(record) {
        Err(Complaint { kind: got, told }) => {
            println!("{fault}: {got:?}: {told}");
            assert_eq!(got, kind, "{fault}: {told}");
        }
        Ok(checked) => panic!("{fault} passes: {checked:?}"),
    }
}
