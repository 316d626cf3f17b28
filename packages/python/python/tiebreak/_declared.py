"""Names and figures, made from the declarations in the code by ``UPDATE=1 cargo test -p tiebreak-cli --test reference``."""

from typing import Literal, TypedDict

PresetName = Literal[
    "default",
    "packing-400",
    "zone-10k",
    "small",
    "azure-zone",
    "tenants",
    "mispredictions",
    "repredictions",
    "recycling",
    "migrations-saved",
    "vdcs",
    "vdc-too-large",
    "admission",
    "admission-years",
    "power",
    "power-month",
    "kubernetes-default",
    "kubernetes-packing",
    "nova-default",
    "nova-packing",
    "borg-best-fit",
    "lava-c2",
    "cores-scarce",
    "dvla",
]

RuleName = Literal[
    "IsTypeSupported",
    "IsClusterBelowLimit",
    "SharesTenantDatacenter",
    "SharesTenantCluster",
    "ZerothMomentAdmission",
    "FirstMomentAdmission",
    "SecondMomentAdmission",
    "PreferEmptierClusters",
    "AreNodeResourcesValid",
    "IsMachineReady",
    "SharesTenantRack",
    "SpreadsOverFaultDomains",
    "CapsTenantPerMachine",
    "RespectsIsolation",
    "IsNotAtRisk",
    "CapsColocation",
    "BandwidthAvailable",
    "PreferHealthierMachines",
    "AvoidEvictions",
    "PreferNonEmptyMachines",
    "LavaHostClass",
    "LifetimeAlignmentBinary",
    "LifetimeAlignment",
    "TemporalCost",
    "BestFit",
    "WasteMinimization",
    "PreferNewestHostEnvironment",
    "PreferLeastUsedRack",
    "FdEmptyNodes",
    "SpreadTenantOverRacks",
    "WorstFit",
    "FirstFit",
    "PowerBalance",
    "ColocateVdc",
    "KeepVdcClose",
    "SpreadVdc",
    "LeastLoadedUplink",
    "FragmentationGradient",
    "MoveToFront",
    "DebtAwareAffinity",
]

MetricName = Literal[
    "EmptyHosts",
    "PackingDensity",
    "Conflicts",
    "Rejections",
    "EmptyHostCount",
    "CoreUtilization",
    "MemoryUtilization",
    "SsdUtilization",
    "NetworkUtilization",
    "LiveVms",
    "Placements",
    "Waiting",
    "CacheHitRatio",
    "Throughput",
    "QueueDelay",
    "LatencyP50",
    "LatencyP99",
    "Retries",
    "UpdatesPerDecision",
    "AgentLag",
    "Evictions",
    "UnreadyMachines",
    "Reallocations",
    "LostVms",
    "Migrations",
    "EmptyHostsBound",
    "EmptyToFree",
    "StrandedCores",
    "StrandedMemory",
    "Repredictions",
    "OpenMachines",
    "RecyclingMachines",
    "LinkDemand",
    "LinkCrossing",
    "UplinkUse",
    "RackUplinkUse",
    "FullestUplink",
    "RefusedByRoom",
    "RefusedByLink",
    "RefusedByPeering",
    "RefusedByColocation",
    "RefusedElsewhere",
    "ExpectedPeak",
    "DeploymentsRefused",
    "ScaleOutsFailed",
    "PowerDraw",
    "FullestChassis",
    "CappingEvents",
    "UserFacingSlowed",
    "OthersSlowed",
    "ChassisBalance",
    "ServerBalance",
    "LongDensity",
    "PlacementDebt",
    "StrandedMachines",
    "VmsTogether",
]


class Figures(TypedDict, total=False):
    """The figures of a run."""

    placements: int | None
    """VMs placed, including those running at the start of the trace"""
    ended_before_placed: int | None
    """of these, VMs that had already ended and used no capacity"""
    rejections: int | None
    """VMs rejected"""
    rejected_by_room: int | None
    """of these, VMs of requests for which no machine had room"""
    rejected_by_terms: int | None
    """of these, VMs of requests refused by other rules, although machines had room"""
    rejected_out_of_retries: int | None
    """of these, VMs of requests whose commits kept failing"""
    wait_p50_ms: float | None
    """median time from a request to its answer (ms)"""
    wait_p99_ms: float | None
    """99th percentile time from a request to its answer (ms)"""
    warm_rejections: int | None
    """VMs running at the start of the trace that found no room"""
    conflicts: int | None
    """commits that failed"""
    reallocations: int | None
    """VMs that lost their machine and were placed on another one"""
    lost_vms: int | None
    """VMs that lost their machine and found no other"""
    evictions: int | None
    """VMs evicted to make room for others"""
    migrations: int | None
    """VMs migrated while they ran"""
    migrations_scheduled: int | None
    """VMs scheduled to migrate"""
    migrations_saved: int | None
    """of these, VMs that ended before their turn"""
    conflicts_per_minute_p99: float | None
    """conflicts per minute, 99th percentile over minutes with a commit"""
    empty_hosts_pct_mean: float | None
    """machines without a VM, mean over time, % (%)"""
    machine_hours: float | None
    """machine-hours in use: hours that machines had any VM, summed over machines (machine-hours)"""
    packing_density_pct_mean: float | None
    """cores in use on machines that have any VM, mean over time, % (%)"""
    empty_to_free_pct_mean: float | None
    """share of the free cores on empty machines, mean over time, % (%)"""
    stranded_cores_pct_mean: float | None
    """cores that no VM could use, %; null if it was not measured (%)"""
    stranded_memory_pct_mean: float | None
    """memory that no VM could use, %; null if it was not measured (%)"""
    repredictions: int | None
    """running VMs that were repredicted"""
    machines_opened: int | None
    """with lifetime rules: times that an empty machine opened for the class of its first VM"""
    machines_raised: int | None
    """times that a machine missed its deadline, so that its class rose"""
    refused_by_room: int | None
    """if VMs are linked: refused because machines had no room"""
    refused_by_link: int | None
    """refused because one link needs more than any machine's uplinks carry"""
    refused_by_peering: int | None
    """refused because a VM has as many peers as its uplinks can carry"""
    refused_by_colocation: int | None
    """refused because VMs that share a machine share its uplinks"""
    refused_elsewhere: int | None
    """refused because uplinks of racks or clusters are full"""
    deployments: int | None
    """with admission rules: deployments admitted"""
    deployments_refused: int | None
    """deployments not admitted"""
    scale_outs: int | None
    """later requests of admitted deployments that were placed"""
    scale_outs_failed: int | None
    """later requests of admitted deployments that failed"""
    capping_events: float | None
    """times that a chassis was throttled"""
    rapl_engagements: float | None
    """times that the last resort throttled all servers of a chassis"""
    user_facing_slowed: float | None
    """core-hours of user-facing VMs that were throttled (core-hours)"""
    others_slowed: float | None
    """core-hours of batch VMs that were throttled (core-hours)"""
    energy_kwh: float | None
    """energy drawn (kWh)"""
    chassis_deviation_pct: float | None
    """standard deviation over chassis of what they draw, % (%)"""
    server_deviation_pct: float | None
    """the same over servers, % (%)"""
    long_density_pct_mean: float | None
    """if placement debt is measured: cores of long-lived VMs on machines that have any of them, mean, % (%)"""
    placement_debt_mean: float | None
    """machines with long-lived VMs beyond those that would do, mean (machines)"""
    stranded_machines_pct_mean: float | None
    """machines half empty with VMs that have long to go, mean, % (%)"""
    vrar_pct_mean: float | None
    """VMs on a machine with more than a set share of their customer's VMs, mean, % (%)"""
    affinity_changes: float | None
    """if a rule reads affinity groups: times that a cluster formed its group anew"""
    machines: int | None
    """machines"""
    clusters: int | None
    """clusters"""
    vms: int | None
    """VMs of the workload"""
    requests: int | None
    """requests of the workload"""
    commits: int | None
    """decisions that reached the store"""
    cache_hits_pct: float | None
    """decisions whose class had been evaluated, % (%)"""
