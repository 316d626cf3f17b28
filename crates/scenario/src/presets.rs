//! Named scenarios, in display order.

use tiebreak_model::{Declaration, Param, Topology};
use tiebreak_placement::{Caches, Combining};
use tiebreak_sim::{
    AdmissionSettings, Agents, CappingKind, ClusterYears, GeneratedWorkload, Linking, NetworkSettings, PowerSettings,
    Vdcs,
};

use crate::document::{ClusterRow, ClusterSettings, Document, RuleRow, TraceSettings, Variant, WorkloadRef};
use crate::incident::IncidentRow;
use crate::lists::{self, RuleList};
use crate::predictor::PredictorRow;

/// Fingerprint of the trace included in the page, `packing-cut.csv.gz`.
pub const PACKING_CUT_FINGERPRINT: u128 = 0xed2f_9e2e_d1e4_8e5b_c62d_2c8b_da7c_7f65;

/// Fingerprint of `batched-0.csv.gz`, the 1% sample of the Azure packing trace.
pub const BATCHED_0_FINGERPRINT: u128 = 0x19a5_8e4e_99dc_8688_ed4c_2f4f_d783_0ce0;

/// A named scenario.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Stable name, as `--preset` takes it.
    pub id: &'static str,
    /// Display name.
    pub title: &'static str,
    /// What it shows.
    pub help: &'static str,
    /// Creates it.
    pub make: fn() -> Document,
}

/// Fits the settings that the user did not choose to a trace. The first preset's trace is a small part of a zone's
/// requests, so its agents are slowed down to have as many conflicts as a zone, and it keeps every cache layer to show
/// them. For any other trace agents are as fast as Protean's, and without rule objects, which cost more than they save
/// in a large zone.
pub fn fit_to_trace(variant: &mut Variant, fingerprint: u128) {
    let first = || default().active_variant().clone();
    let (agents, caches) = match fingerprint {
        PACKING_CUT_FINGERPRINT => (first().agents, first().caches),
        _ => (Agents::default(), Caches::default()),
    };
    let is_given = |of: &dyn Fn(&Variant) -> bool| PRESETS.iter().any(|preset| of((preset.make)().active_variant()));
    if variant.agents == Agents::default() || is_given(&|preset| preset.agents == variant.agents) {
        variant.agents = agents;
    }
    if variant.caches == Caches::default() || is_given(&|preset| preset.caches == variant.caches) {
        variant.caches = caches;
    }
}

/// Every preset; the page opens with the first one.
pub static PRESETS: &[Preset] = &[
    Preset {
        id: "default",
        title: "Two weeks of Azure",
        help: "Part of the Azure packing trace on 140 machines in 14 racks: small enough to watch.",
        make: default,
    },
    Preset {
        id: "packing-400",
        title: "400 machines",
        help: "The 1 % sample of the Azure packing trace on 400 machines, which are completely full at the peak: \
             memory runs out before cores. Load the file batched-0.csv.gz.",
        make: packing_400,
    },
    Preset {
        id: "zone-10k",
        title: "A zone of 10,000 machines",
        help: "Ten clusters under a generated week that keeps about 80 % of the cores allocated. One agent, so there \
             are no conflicts: it shows the allocator's speed.",
        make: zone_10k,
    },
    Preset {
        id: "small",
        title: "24 machines",
        help: "A generated day on 24 small machines: few enough to follow every decision.",
        make: small,
    },
    Preset {
        id: "azure-zone",
        title: "The paper's zone",
        help: "The 61,583 machines of Protean's Table 1 in 61 clusters over 4 datacenters, under half a generated day \
             that keeps about 75 % of the cores allocated. About 400,000 VMs: seconds in the native program, longer \
             in a browser.",
        make: azure_zone,
    },
    Preset {
        id: "tenants",
        title: "Tenants with placement terms",
        help: "120 machines in two datacenters, and tenants that require fault domains, one datacenter, cluster or \
             rack, a limit per machine, or their own machines. Many tenants grow, and half are deleted as a whole.",
        make: tenants,
    },
    Preset {
        id: "mispredictions",
        title: "Wrong lifetime predictions, never revised",
        help: "100 machines and an oracle that is far off for every fifth VM. LifetimeAlignment never revises its \
             first prediction, and keeps no more hosts empty than without the rule. Then open \"Wrong lifetime \
             predictions, repredicted\", or switch LifetimeAlignment off and TemporalCost on, and compare. Select a \
             machine: \"missed its deadline: class rises\" means that a predicted lifetime was too short.",
        make: mispredictions,
    },
    Preset {
        id: "repredictions",
        title: "Wrong lifetime predictions, repredicted",
        help: "The same VMs and the same oracle with TemporalCost, which uses new predictions while VMs run: about 3 \
             percent more hosts stay empty. Select a machine: wrongly predicted VMs are those whose expected exit has \
             moved. Under Lifetimes, switch repredict off to see its effect. This oracle's second prediction is as \
             far off as its first, so here repredicting costs more than it helps. KaplanMeier and BoostedTrees \
             predict better the longer a VM has run.",
        make: repredictions,
    },
    Preset {
        id: "recycling",
        title: "A machine recycles through its classes",
        help: "16 machines under LAVA, with true lifetimes. Colour the map by lifetime class and move along the \
             timeline: machines open empty, fill, and recycle with shorter-lived VMs. When the VMs that they wait for \
             have exited, they drop a class. Select one: every change of its state has a reason.",
        make: recycling,
    },
    Preset {
        id: "migrations-saved",
        title: "Maintenance with fewer migrations",
        help: "From the second day on, every machine is emptied by live migration. The VM with the longest predicted \
             remaining lifetime goes first (LARS): short-lived VMs end before their turn and need no migration. Open \
             the event on the timeline, change the order to \"as_placed\", and compare the saved migrations.",
        make: migrations_saved,
    },
    Preset {
        id: "vdcs",
        title: "Virtual datacenters",
        help: "120 machines, and tenants of up to 20 VMs, all linked to each other. A link needs bandwidth on every \
             uplink along its path. Colour the map by uplinks: most are partly reserved, a few are full. A few \
             percent of the VMs are refused although machines have room: see the charts of refusals by peering and by \
             co-location, and select a refused VM. Then switch on SpreadVdc or ColocateVdc and compare.",
        make: vdcs,
    },
    Preset {
        id: "vdc-too-large",
        title: "A workload that could never fit",
        help: "The same machines and uplinks, far fewer VMs, and links of 1 Gbit/s per core. More than 80 % of the \
             machines are empty, and more than half of the VMs are refused: even an empty datacenter could not hold \
             what their VDCs need. Reduce bpc_mbps or peak_vms until nothing is refused.",
        make: vdc_too_large,
    },
    Preset {
        id: "admission",
        title: "Capacity for growing deployments",
        help: "60 machines and more tenants than fit; most of them grow. A admits deployments by the risk of running \
             out later (SecondMomentAdmission), B by the cores in use (ZerothMomentAdmission). C has only the usual \
             limit, which also stops deployments that were admitted: 1 in 10 of their scale-outs fails, compared with \
             fewer than 1 in 100 in A and B. See the charts of failed scale-outs, deployments not admitted and \
             expected cores.",
        make: admission,
    },
    Preset {
        id: "admission-years",
        title: "A cluster over years",
        help: "For the Admission panel: 20,000 cores over three years, four deployments per hour. A, B and C admit by \
             the zeroth, first and second moment, with limits at which about 1 in 10,000 scale-outs fails, or none. \
             Compare the cores in use. Then let the provider know deployments in advance, from 1, 5 or 50 \
             observations.",
        make: admission_years,
    },
    Preset {
        id: "power",
        title: "Power: which VMs are throttled",
        help: "720 servers of 40 cores, 12 per chassis, for a week under the load of Azure's power paper (Table I). A \
             chassis may draw 60 % of what its servers could draw, and some come close to that. PowerBalance breaks \
             the ties that packing leaves: switch it off, and capping events that throttle user-facing VMs become \
             nine times as frequent. Then let capping throttle whole servers (full_server), or replace the forests by \
             an oracle, and compare.",
        make: power,
    },
    Preset {
        id: "power-month",
        title: "Power: a month on 60 chassis",
        help: "The same for 30 days, as simulated in the paper: about 30,000 VMs, one or two seconds in the native \
             program.",
        make: power_month,
    },
    Preset {
        id: "kubernetes-default",
        title: "As Kubernetes does it (default profile)",
        help: "The trace of \"Two weeks of Azure\" under the default plugins of kube-scheduler 1.34 that have a twin: \
             LeastAllocated and BalancedAllocation, added up with weight 1 each, in whole hundredths (NodeResourcesFit \
             and NodeResourcesBalancedAllocation). It spreads: hardly a machine stays empty. VMs evict spot VMs where \
             nothing else helps (DefaultPreemption). `tiebreak list twins` shows all twins.",
        make: kubernetes_default,
    },
    Preset {
        id: "kubernetes-packing",
        title: "As Kubernetes does it (bin packing)",
        help: "The same with the scoring strategy MostAllocated of NodeResourcesFit, as the documentation of Kubernetes \
             has it for bin packing; NodeResourcesBalancedAllocation still counts as much.",
        make: kubernetes_packing,
    },
    Preset {
        id: "nova-default",
        title: "As OpenStack Nova does it (default)",
        help: "The same trace under Nova's default weighers that have a twin: the most free memory, cores and disk, \
             each normalised over the machines that the filters left, then added up by their multipliers. So the worth \
             of a machine depends on all the others, and a full machine that nobody would choose can change who is \
             best. It spreads.",
        make: nova_default,
    },
    Preset {
        id: "nova-packing",
        title: "As OpenStack Nova does it (packing)",
        help: "The same with multipliers of -1 for memory, cores and disk, which prefer the machines with the least \
             free.",
        make: nova_packing,
    },
    Preset {
        id: "borg-best-fit",
        title: "Borg's best fit",
        help: "The same trace by best fit alone, compared exactly: every VM goes where it leaves the least free. Evicting \
             nobody comes first. Borg used a hybrid of it and worst fit that strands less, whose formula is not \
             published (Verma et al., EuroSys 2015, section 3.2); EvolvedBorgScore in the gallery is a later one.",
        make: borg_best_fit,
    },
    Preset {
        id: "lava-c2",
        title: "Like LAVA's C2",
        help: "100 machines and 2,000 tenants with habits for two weeks, shaped as LAVA's Figure 1: 88 % of the VMs live \
             less than an hour, and those that live longer hold 96 % of the core-hours. The predictor learns from the \
             first 40 %, and means are taken over the rest. Switch TemporalCost off, or LavaHostClass on, and compare \
             the empty hosts; or set purity to 0, so that nothing can be learned from tenants.",
        make: lava_c2,
    },
    Preset {
        id: "cores-scarce",
        title: "Like Protean's zone: cores are scarce",
        help: "The 1 % sample of the Azure packing trace on 400 machines with 1,000 GiB each, so that cores run out before \
             memory, as in Protean's zones. The finer BestFit compares, the denser it packs (Protean, Table 5). In \
             \"400 machines\" memory runs out first, and its buckets hardly matter. Load the file batched-0.csv.gz.",
        make: cores_scarce,
    },
    Preset {
        id: "dvla",
        title: "Long-lived VMs kept together (DVLA)",
        help: "100 machines over two generated months: VMs of more than a month are a few percent of the requests and \
             most of the core-hours. DebtAwareAffinity keeps them on few machines, and once per day stranded ones \
             migrate. Look at the density of long-lived VMs and at placement debt; then switch the rule off, or \
             LavaHostClass and TemporalCost on instead, and compare.",
        make: dvla,
    },
];

impl Preset {
    /// Its declaration, for lists that show all kinds of things alike.
    #[must_use]
    pub const fn declaration(&self) -> Declaration {
        Declaration { id: self.id, title: self.title, help: self.help, params: &[] }
    }
}

/// The preset of this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.id == id)
}

/// The preset of this title, which is also the name of the documents that it makes.
#[must_use]
pub fn titled(title: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.title == title)
}

/// The rule whose effect the page shows first, before the user changes anything.
pub const FIRST_WITHOUT: &str = "PreferNonEmptyMachines";

/// The VM of the first preset whose decision the page shows as a film: several rules drop machines, and a tie
/// remains.
pub const FIRST_FILM: &str = "1372181";

/// The first preset without that rule, as the baseline of the first picture.
#[must_use]
pub fn first_without() -> Document {
    let mut document = default();
    let rules = document.variants.iter_mut().flat_map(|variant| &mut variant.rules);
    rules.filter(|row| row.id == FIRST_WITHOUT).for_each(|row| row.on = false);
    document
}

/// The machine of the Azure packing trace (its machine type 16).
const PACKING_MACHINE: (f64, f64) = (104.0, 562.5);

fn default() -> Document {
    // The cut has about 1 in 400 of a zone's VMs. Agents are as busy as the zone's if deciding and publishing take
    // longer by that factor, rounded down to stay watchable.
    single(
        "Two weeks of Azure",
        Variant {
            clusters: vec![cluster(0, 140, 14, PACKING_MACHINE)],
            workload: trace("packing-cut.csv.gz", PACKING_CUT_FINGERPRINT),
            agents: Agents { count: 4, decision_ms: 8_000, publish_ms: 4_000, ..Agents::default() },
            caches: all_layers(),
            ..Variant::default()
        },
    )
}

fn packing_400() -> Document {
    // One in 100 of a zone's VMs: a decision of 20 ms takes 100 times longer.
    single(
        "400 machines",
        Variant {
            clusters: vec![cluster(0, 400, 20, PACKING_MACHINE)],
            workload: trace("batched-0.csv.gz", BATCHED_0_FINGERPRINT),
            agents: Agents { count: 4, decision_ms: 2_000, publish_ms: 1_000, ..Agents::default() },
            ..Variant::default()
        },
    )
}

fn zone_10k() -> Document {
    single(
        "A zone of 10,000 machines",
        Variant {
            clusters: (0..10).map(|index| cluster(index, 1_000, 25, (48.0, 384.0))).collect(),
            // One request per hour keeps about 400 cores allocated: 1.87 VMs of 3.7 cores that live 57 hours.
            workload: WorkloadRef::Generated(GeneratedWorkload {
                days: 7.0,
                requests_per_hour: 970.0,
                ..GeneratedWorkload::default()
            }),
            agents: Agents { count: 1, decision_ms: 0, publish_ms: 0, ..Agents::default() },
            ..Variant::default()
        },
    )
}

fn small() -> Document {
    single(
        "24 machines",
        Variant {
            clusters: vec![cluster(0, 24, 4, (16.0, 64.0))],
            // VMs end after two days at most, so that few machines stay occupied permanently. With seed 1, half of
            // the cores are in use in the morning and three quarters after the spike.
            workload: WorkloadRef::Generated(GeneratedWorkload {
                days: 1.0,
                requests_per_hour: 16.0,
                spikes_per_day: 1.0,
                spike_requests: 10,
                longest_life: 2.0,
                ..GeneratedWorkload::default()
            }),
            agents: Agents { count: 2, ..Agents::default() },
            caches: all_layers(),
            ..Variant::default()
        },
    )
}

/// Machines by hardware generation in one of the paper's zones: name, cores of each machine,
/// machines, and clusters of about a thousand (Protean Table 1).
const AZURE_ZONE: [(&str, u32, u32, u32); 4] =
    [("gen 3", 10, 7_295, 7), ("gen 4", 24, 34_208, 34), ("gen 5", 40, 18_016, 18), ("gen 6", 48, 2_064, 2)];

fn azure_zone() -> Document {
    single(
        "The paper's zone",
        Variant {
            clusters: AZURE_ZONE.into_iter().flat_map(generation).collect(),
            // One request per hour keeps about 440 cores allocated, a sixth of them by scale-outs: this keeps about
            // 75 % of 1.71 million cores allocated.
            workload: WorkloadRef::Generated(GeneratedWorkload {
                days: 0.5,
                requests_per_hour: 2_900.0,
                fault_domains: 40.0,
                co_located: 10.0,
                isolated: 0.1,
                capped: 10.0,
                scale_outs: 5.0,
                deleted_whole: 50.0,
                ..GeneratedWorkload::default()
            }),
            ..Variant::default()
        },
    )
}

/// The clusters of one generation, distributed over the four datacenters, with 8 GiB per core.
fn generation((name, cores, machines, clusters): (&str, u32, u32, u32)) -> impl Iterator<Item = ClusterRow> {
    (0..clusters).map(move |index| {
        let settings = ClusterSettings {
            machines: machines / clusters + u32::from(index < machines % clusters),
            racks: 25,
            cores: f64::from(cores),
            memory_gib: f64::from(cores * 8),
            datacenter: 1 + index % 4,
            ..ClusterSettings::default()
        };
        ClusterRow { name: format!("{name} no {}", index + 1), settings }
    })
}

fn tenants() -> Document {
    let in_datacenter = |(index, datacenter): (usize, u32)| {
        let mut row = cluster(index, 30, 6, (48.0, 384.0));
        row.settings.datacenter = datacenter;
        row
    };
    let variant = Variant {
        caches: all_layers(),
        clusters: [1, 1, 2, 2].into_iter().enumerate().map(in_datacenter).collect(),
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 2.0,
            requests_per_hour: 22.0,
            longest_life: 10.0,
            fault_domains: 60.0,
            co_located: 40.0,
            isolated: 3.0,
            capped: 40.0,
            scale_outs: 20.0,
            deleted_whole: 50.0,
            ..GeneratedWorkload::default()
        }),
        ..Variant::default()
    };
    single("Tenants with placement terms", variant)
}

fn mispredictions() -> Document {
    told_wrong("Wrong lifetime predictions, never revised", "LifetimeAlignment")
}

fn repredictions() -> Document {
    told_wrong("Wrong lifetime predictions, repredicted", "TemporalCost")
}

/// A pool in which true lifetimes gain five hosts for LifetimeAlignment and seven for TemporalCost, and an oracle
/// that is wrong for every fifth VM: by a factor of thirty at one standard deviation, and again when the VM outlives
/// that prediction.
fn told_wrong(name: &str, rule: &str) -> Document {
    let mut variant = Variant {
        seed: 3,
        clusters: vec![cluster(0, 100, 10, (48.0, 384.0))],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 10.0,
            requests_per_hour: 25.0,
            spikes_per_day: 0.0,
            longest_life: 7.0,
            ..GeneratedWorkload::default()
        }),
        agents: Agents { count: 2, ..Agents::default() },
        ..Variant::default()
    };
    variant.predictor = predictor("NoisyOracle", &[("sigma_wrong", 1.5), ("error", DRAWN_AGAIN)]);
    switch_on(&mut variant, &[rule]);
    single(name, variant)
}

fn recycling() -> Document {
    let mut variant = Variant {
        seed: 19,
        clusters: vec![cluster(0, 16, 4, (16.0, 128.0))],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 2.0,
            requests_per_hour: 5.0,
            spikes_per_day: 0.0,
            longest_life: 4.0,
            ..GeneratedWorkload::default()
        }),
        agents: Agents { count: 2, ..Agents::default() },
        caches: all_layers(),
        ..Variant::default()
    };
    variant.predictor = predictor("Oracle", &[]);
    variant.lifetimes.baseline_start = false;
    switch_on(&mut variant, &["LavaHostClass", "TemporalCost"]);
    single("A machine recycles through its classes", variant)
}

fn migrations_saved() -> Document {
    let mut maintenance = IncidentRow::plain("MaintainByMigration", 24.0).expect("the list has it");
    let params = maintenance.params();
    put(params, &mut maintenance.values, &[("order", LONGEST_FIRST), ("migrations_at_once", 6.0)]);
    let variant = Variant {
        clusters: vec![cluster(0, 60, 6, (48.0, 384.0))],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 5.0,
            requests_per_hour: 30.0,
            spikes_per_day: 0.0,
            longest_life: 4.0,
            ..GeneratedWorkload::default()
        }),
        agents: Agents { count: 2, ..Agents::default() },
        incidents: vec![maintenance],
        ..Variant::default()
    };
    single("Maintenance with fewer migrations", variant)
}

fn vdcs() -> Document {
    single("Virtual datacenters", linked(13.0, 30))
}

fn vdc_too_large() -> Document {
    single("A workload that could never fit", linked(3.0, 1_000))
}

/// Racks whose uplinks carry half of their machines' bandwidth, VDCs of up to 20 VMs, and one agent, so that nothing
/// is refused because of a stale view. An uplink of 10 Gbit/s safely carries links of 100 Mbit/s (see
/// [`tiebreak_model::Bounds`]), 3 per core of the largest VMs.
fn linked(requests_per_hour: f64, bpc_mbps: u32) -> Variant {
    let mut variant = Variant {
        clusters: (0..2).map(|index| cluster(index, 60, 6, (48.0, 384.0))).collect(),
        // VMs end after six days at most, and tenants grow and are mostly deleted as a whole, so most running VMs
        // belong to VDCs.
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 2.0,
            requests_per_hour,
            spike_requests: 20,
            longest_life: 6.0,
            scale_outs: 100.0,
            deleted_whole: 70.0,
            ..GeneratedWorkload::default()
        }),
        vdcs: Vdcs { topology: Linking(Some(Topology::AllToAll)), bpc_mbps, peak_vms: 20, ..Vdcs::default() },
        network: NetworkSettings { uplink_gbps: 10.0, rack_uplink_gbps: 25.0, ..NetworkSettings::default() },
        agents: Agents { count: 1, ..Agents::default() },
        caches: all_layers(),
        ..Variant::default()
    };
    switch_on(&mut variant, &["BandwidthAvailable"]);
    variant
}

fn admission() -> Document {
    let usual = ["rules.IsClusterBelowLimit.limit = 90", "rules.ZerothMomentAdmission.limit = 100"];
    let variants = [
        deciding("A", growing(), "SecondMomentAdmission", &["rules.SecondMomentAdmission.risk = 5"]),
        deciding("B", growing(), "ZerothMomentAdmission", &["rules.ZerothMomentAdmission.limit = 90"]),
        // The zeroth moment at 100 % refuses no deployment that fits, and makes deployments be counted.
        deciding("C", growing(), "ZerothMomentAdmission", &usual),
    ];
    Document { name: "Capacity for growing deployments".into(), variants: variants.into(), active: 0 }
}

/// 2,880 cores, kept free only by an admission rule. Generated tenants grow one to three times during their lifetime,
/// so more often the shorter it is (power 1), and not after their first VMs have ended (a stop factor of 1). The
/// other beliefs are fitted by eye to their lifetimes and sizes.
fn growing() -> Variant {
    let mut variant = Variant {
        clusters: vec![cluster(0, 60, 6, (48.0, 384.0))],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            requests_per_hour: 16.0,
            spikes_per_day: 0.0,
            longest_life: 7.0,
            scale_outs: 60.0,
            deleted_whole: 50.0,
            ..GeneratedWorkload::default()
        }),
        admission: AdmissionSettings {
            death_shape: 0.5,
            death_rate: 0.35,
            growth_shape: 0.6,
            growth_rate: 0.5,
            power: 1.0,
            size_shape: 0.7,
            size_rate: 0.09,
            stop_factor: 1.0,
            ..AdmissionSettings::default()
        },
        agents: Agents { count: 1, ..Agents::default() },
        caches: all_layers(),
        ..Variant::default()
    };
    variant.set("rules.IsClusterBelowLimit.limit", "100").expect("a rule of the list");
    variant
}

/// A variant of this name that admits by this rule, with these changes.
fn deciding(name: &str, mut variant: Variant, rule: &str, changes: &[&str]) -> Variant {
    switch_on(&mut variant, &[rule]);
    for (path, value) in changes.iter().filter_map(|change| change.split_once(" = ")) {
        variant.set(path, value).expect("a rule of the list");
    }
    Variant { name: name.into(), ..variant }
}

fn admission_years() -> Document {
    let years = || Variant {
        admission_lab: ClusterYears { arrivals: 4.0, ..ClusterYears::default() },
        ..small().active_variant().clone()
    };
    // Without the marginal heuristic, which helps if a deployment has been observed before it arrives.
    let first = ["rules.FirstMomentAdmission.limit = 70", "rules.FirstMomentAdmission.marginal = false"];
    let second = ["rules.SecondMomentAdmission.risk = 10", "rules.SecondMomentAdmission.marginal = false"];
    let variants = [
        deciding("A", years(), "ZerothMomentAdmission", &["rules.ZerothMomentAdmission.limit = 60"]),
        deciding("B", years(), "FirstMomentAdmission", &first),
        deciding("C", years(), "SecondMomentAdmission", &second),
    ];
    Document { name: "A cluster over years".into(), variants: variants.into(), active: 0 }
}

fn power() -> Document {
    single("Power: which VMs are throttled", power_for(7.0))
}

fn power_month() -> Document {
    single("Power: a month on 60 chassis", power_for(30.0))
}

/// The cluster and the distributions of power oversubscription's Table I (row W6). Memory never runs out: no VM
/// requests more than 8 GiB per core.
fn power_for(days: f64) -> Variant {
    let mut row = cluster(0, 720, 20, (40.0, 320.0));
    row.settings.chassis = 3;
    let mut variant = Variant {
        clusters: vec![row],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days,
            requests_per_hour: 5.0,
            zone: 3,
            spikes_per_day: 0.0,
            returning: 80.0,
            ..GeneratedWorkload::default()
        }),
        power: PowerSettings { capping: CappingKind::PerVm, budget_pct: 60.0, ..PowerSettings::default() },
        agents: Agents { count: 1, ..Agents::default() },
        ..Variant::default()
    };
    // It is the last rule, below the packing rules. Further up, it would use machines that packing keeps empty, and
    // requests would fail (`tiebreak reproduce power-fig7`).
    switch_on(&mut variant, &["PowerBalance"]);
    variant
}

fn kubernetes_default() -> Document {
    kubernetes("As Kubernetes does it (default profile)", "LeastAllocated")
}

fn kubernetes_packing() -> Document {
    kubernetes("As Kubernetes does it (bin packing)", "MostAllocated")
}

/// The default profile with one strategy or the other; kube-scheduler rounds scores to hundredths.
fn kubernetes(name: &str, strategy: &str) -> Document {
    let preferences = [strategy, "BalancedAllocation"].map(|rule| weighed(rule, 1.0, Some(100)));
    let filters = ["IsMachineReady", "SpreadsOverFaultDomains", "CapsTenantPerMachine"];
    operated(name, &RuleList::new(&filters, preferences, Some(Combining::Sum)).evicting())
}

fn nova_default() -> Document {
    nova("As OpenStack Nova does it (default)", ["MostMemoryFree", "MostCoresFree", "MostSsdFree"])
}

fn nova_packing() -> Document {
    nova("As OpenStack Nova does it (packing)", ["LeastMemoryFree", "LeastCoresFree", "LeastSsdFree"])
}

/// Nova's default weighers, with these for memory, cores and disk.
fn nova(name: &str, resources: [&str; 3]) -> Document {
    let others = [("PreferHealthierMachines", 1e6), ("PreferNewestHostEnvironment", 1.0)];
    let preferences = resources.map(|rule| (rule, 1.0)).into_iter().chain(others);
    let preferences = preferences.map(|(rule, multiplier)| weighed(rule, multiplier, None));
    let filters = ["IsMachineReady", "IsTypeSupported", "CapsTenantPerMachine"];
    operated(name, &RuleList::new(&filters, preferences, Some(Combining::NormalisedSum)))
}

fn borg_best_fit() -> Document {
    let best_fit = RuleRow { on: true, ..built_in("BestFit") };
    let filters = ["IsMachineReady", "SpreadsOverFaultDomains", "CapsTenantPerMachine"];
    let mut list = RuleList::new(&filters, [best_fit], None).evicting();
    crate::document::move_rule(&mut list.rows, "AvoidEvictions", 0);
    operated("Borg's best fit", &list)
}

/// A pool of slice-of-hardware VMs: LAVA's C2 has 4 GiB per core. About 66 VMs arrive per machine and day, and keep
/// about two thirds of the cores allocated.
fn lava_c2() -> Document {
    let mut variant = Variant {
        clusters: vec![cluster(0, 100, 10, (96.0, 384.0))],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 14.0,
            requests_per_hour: 240.0,
            zone: 4,
            spikes_per_day: 0.0,
            longest_life: 14.0,
            tenants: 2_000,
            purity: 90.0,
            ..GeneratedWorkload::default()
        }),
        agents: Agents { count: 1, decision_ms: 0, publish_ms: 0, ..Agents::default() },
        ..Variant::default()
    };
    variant.predictor = predictor("TenantHazards", &[("train_share", 40.0)]);
    variant.measures.measured_from_hours = 0.4 * 14.0 * 24.0;
    variant.set("rules.BestFit.buckets", "none").expect("a rule of the list");
    switch_on(&mut variant, &["TemporalCost"]);
    single("Like LAVA's C2", variant)
}

/// The zone of Protean's Table 5, where cores are scarce: the sampled requests on machines with ample memory.
fn cores_scarce() -> Document {
    let mut document = packing_400();
    document.name = "Like Protean's zone: cores are scarce".into();
    let clusters = document.variants.iter_mut().flat_map(|variant| &mut variant.clusters);
    clusters.for_each(|row| row.settings.memory_gib = 1_000.0);
    document
}

/// A cluster like DVLA's: two months, and a tail of VMs that live for up to 300 days.
fn dvla() -> Document {
    let mut variant = Variant {
        clusters: vec![cluster(0, 100, 12, (104.0, 562.5))],
        workload: WorkloadRef::Generated(GeneratedWorkload {
            days: 60.0,
            requests_per_hour: 11.0,
            spikes_per_day: 0.0,
            longest_life: 300.0,
            tenants: 300,
            purity: 80.0,
            ..GeneratedWorkload::default()
        }),
        agents: Agents { count: 1, decision_ms: 0, publish_ms: 0, ..Agents::default() },
        incidents: vec![IncidentRow::plain("RectifyPlacementDebt", 0.0).expect("the list has it")],
        ..Variant::default()
    };
    variant.predictor = predictor("TenantHazards", &[("train_share", 100.0 / 6.0), ("cap", 8_760.0)]);
    (variant.measures.measured_from_hours, variant.measures.debt_hours) = (240.0, 24.0);
    variant.set("rules.BestFit.buckets", "none").expect("a rule of the list");
    switch_on(&mut variant, &["DebtAwareAffinity"]);
    variant.move_rule("DebtAwareAffinity", 4);
    single("Long-lived VMs kept together (DVLA)", variant)
}

fn weighed(rule: &str, weight: f64, buckets: Option<u32>) -> RuleRow {
    lists::preference(rule, weight, buckets).expect("a known rule")
}

fn built_in(rule: &str) -> RuleRow {
    RuleRow::unused(tiebreak_placement::rules::find(rule).expect("a built-in rule"))
}

/// The first preset with another rule list.
fn operated(name: &str, list: &RuleList) -> Document {
    let mut document = default();
    document.name = name.into();
    document.variants.iter_mut().for_each(|variant| list.apply(variant));
    document
}

/// The index of `drawn_again` among the errors of a noisy oracle.
const DRAWN_AGAIN: f64 = 1.0;

/// The index of `longest_first` among the orders of migrations.
const LONGEST_FIRST: f64 = 1.0;

/// Switches rules on.
fn switch_on(variant: &mut Variant, rules: &[&str]) {
    variant.rules.iter_mut().filter(|row| rules.contains(&row.id.as_str())).for_each(|row| row.on = true);
}

fn predictor(id: &str, values: &[(&str, f64)]) -> PredictorRow {
    let mut row = PredictorRow::plain(id).expect("the list has it");
    put(row.params(), &mut row.values, values);
    row
}

/// Sets parameters by their names.
fn put(params: &[Param], values: &mut [f64], given: &[(&str, f64)]) {
    for (name, value) in given {
        let at = params.iter().position(|param| param.name == *name);
        values[at.expect("a declared parameter")] = *value;
    }
}

/// Every layer of Protean's caches, including rule objects: these zones are small, and the page shows the effect of
/// each layer.
fn all_layers() -> Caches {
    Caches { rule_objects: true, ..Caches::default() }
}

fn single(name: &str, variant: Variant) -> Document {
    Document { name: name.into(), variants: vec![variant], active: 0 }
}

fn cluster(index: usize, machines: u32, racks: u32, (cores, memory_gib): (f64, f64)) -> ClusterRow {
    let settings = ClusterSettings { machines, racks, cores, memory_gib, ..ClusterSettings::default() };
    ClusterRow { settings, ..ClusterRow::numbered(index) }
}

fn trace(name: &str, fingerprint: u128) -> WorkloadRef {
    WorkloadRef::Trace { fingerprint, name: name.into(), settings: TraceSettings::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{Bounds, Millis, Time, VmId, Workload};

    fn cores_alive(workload: &Workload, at: Time) -> f64 {
        let alive = |vm: &VmId| workload.at(workload.request_of(*vm)) <= at && workload.end(*vm) > at;
        let cores = |vm: VmId| workload.shape(workload.shape_of(vm)).demand.cores_milli();
        (0..workload.vm_count()).map(VmId).filter(alive).map(|vm| f64::from(cores(vm)) / 1_000.0).sum()
    }

    #[test]
    fn generated_presets_are_as_full_as_they_say() {
        for (id, low, high) in [
            ("zone-10k", 74.0, 86.0),
            ("small", 40.0, 80.0),
            ("azure-zone", 70.0, 80.0),
            ("tenants", 40.0, 80.0),
            ("power", 72.0, 82.0),
            ("power-month", 68.0, 86.0),
            ("lava-c2", 55.0, 80.0),
            ("dvla", 50.0, 95.0),
        ] {
            let document = (find(id).expect(id).make)();
            let variant = document.active_variant();
            let workload = variant.generate().expect("generated");
            let sizes = variant.clusters.iter().map(|row| f64::from(row.settings.machines) * row.settings.cores);
            let cores: f64 = sizes.sum();
            assert!(u64::from(workload.vm_count()) < tiebreak_sim::generate::VMS_MAX, "{id}: nothing is cut off");
            for quarter in 0..=4 {
                let at = Time::ZERO + Millis(workload.horizon().since(Time::ZERO).0 * quarter / 4);
                let share = 100.0 * cores_alive(&workload, at) / cores;
                assert!((low..=high).contains(&share), "{id}: {share:.1}% of cores after {quarter}/4");
            }
        }
    }

    /// Gridiron section III-E: the maximum cores of the smaller end of a link so that an empty datacenter can hold
    /// one link, all links of one VM, and all links of half a VDC.
    #[test]
    fn bounds_of_vdcs_are_where_they_say() {
        for (id, cores) in [("vdcs", [333, 17, 3]), ("vdc-too-large", [10, 0, 0])] {
            let document = (find(id).expect(id).make)();
            let Variant { vdcs, network, .. } = document.active_variant();
            let uplink_mbps = network.to_uplinks().machine_kbps / 1_000;
            let bounds = Bounds::of(uplink_mbps, vdcs.peak_vms, u32::MAX).expect("VDCs with links");
            let bounds = [bounds.link_mbps, bounds.peering_mbps, bounds.colocation_mbps];
            assert_eq!(bounds, [10_000, 526, 100], "{id}");
            assert_eq!(bounds.map(|mbps| mbps / u64::from(vdcs.bpc_mbps)), cores, "{id}");
        }
    }

    #[test]
    fn the_papers_zone_has_the_machines_of_table_1() {
        let document = azure_zone();
        let rows = &document.active_variant().clusters;
        let machines = |cores: f64| {
            let of_these = rows.iter().map(|row| row.settings).filter(move |settings| settings.cores == cores);
            of_these.map(|settings| settings.machines).sum::<u32>()
        };
        assert_eq!([10.0, 24.0, 40.0, 48.0].map(machines), [7_295, 34_208, 18_016, 2_064]);
        assert!(rows.iter().all(|row| (1_000..=1_043).contains(&row.settings.machines)));
        let datacenters: std::collections::BTreeSet<_> = rows.iter().map(|row| row.settings.datacenter).collect();
        assert_eq!(datacenters.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn ids_are_unique_and_presets_read_back_as_they_are() {
        for preset in PRESETS {
            assert_eq!(PRESETS.iter().filter(|other| other.id == preset.id).count(), 1, "{}", preset.id);
            let document = (preset.make)();
            for json in [document.to_json(), document.to_short_json(None)] {
                let read = Document::read(&json).expect("its own JSON");
                assert_eq!((read.document, read.issues), (document.clone(), Vec::new()), "{}", preset.id);
            }
        }
    }
}
