// Names and figures, made from the declarations in the code by `UPDATE=1 cargo test -p tiebreak-cli --test reference`.

export type PresetName =
  | "default"
  | "packing-400"
  | "zone-10k"
  | "small"
  | "azure-zone"
  | "tenants"
  | "mispredictions"
  | "repredictions"
  | "recycling"
  | "migrations-saved"
  | "vdcs"
  | "vdc-too-large"
  | "admission"
  | "admission-years"
  | "power"
  | "power-month"
  | "kubernetes-default"
  | "kubernetes-packing"
  | "nova-default"
  | "nova-packing"
  | "borg-best-fit"
  | "lava-c2"
  | "cores-scarce"
  | "dvla";

export type RuleName =
  | "IsTypeSupported"
  | "IsClusterBelowLimit"
  | "SharesTenantDatacenter"
  | "SharesTenantCluster"
  | "ZerothMomentAdmission"
  | "FirstMomentAdmission"
  | "SecondMomentAdmission"
  | "PreferEmptierClusters"
  | "AreNodeResourcesValid"
  | "IsMachineReady"
  | "SharesTenantRack"
  | "SpreadsOverFaultDomains"
  | "CapsTenantPerMachine"
  | "RespectsIsolation"
  | "IsNotAtRisk"
  | "CapsColocation"
  | "BandwidthAvailable"
  | "PreferHealthierMachines"
  | "AvoidEvictions"
  | "PreferNonEmptyMachines"
  | "LavaHostClass"
  | "LifetimeAlignmentBinary"
  | "LifetimeAlignment"
  | "TemporalCost"
  | "BestFit"
  | "WasteMinimization"
  | "PreferNewestHostEnvironment"
  | "PreferLeastUsedRack"
  | "FdEmptyNodes"
  | "SpreadTenantOverRacks"
  | "WorstFit"
  | "FirstFit"
  | "PowerBalance"
  | "ColocateVdc"
  | "KeepVdcClose"
  | "SpreadVdc"
  | "LeastLoadedUplink"
  | "FragmentationGradient"
  | "MoveToFront"
  | "DebtAwareAffinity";

export type MetricName =
  | "EmptyHosts"
  | "PackingDensity"
  | "Conflicts"
  | "Rejections"
  | "EmptyHostCount"
  | "CoreUtilization"
  | "MemoryUtilization"
  | "SsdUtilization"
  | "NetworkUtilization"
  | "LiveVms"
  | "Placements"
  | "Waiting"
  | "CacheHitRatio"
  | "Throughput"
  | "QueueDelay"
  | "LatencyP50"
  | "LatencyP99"
  | "Retries"
  | "UpdatesPerDecision"
  | "AgentLag"
  | "Evictions"
  | "UnreadyMachines"
  | "Reallocations"
  | "LostVms"
  | "Migrations"
  | "EmptyHostsBound"
  | "EmptyToFree"
  | "StrandedCores"
  | "StrandedMemory"
  | "Repredictions"
  | "OpenMachines"
  | "RecyclingMachines"
  | "LinkDemand"
  | "LinkCrossing"
  | "UplinkUse"
  | "RackUplinkUse"
  | "FullestUplink"
  | "RefusedByRoom"
  | "RefusedByLink"
  | "RefusedByPeering"
  | "RefusedByColocation"
  | "RefusedElsewhere"
  | "ExpectedPeak"
  | "DeploymentsRefused"
  | "ScaleOutsFailed"
  | "PowerDraw"
  | "FullestChassis"
  | "CappingEvents"
  | "UserFacingSlowed"
  | "OthersSlowed"
  | "ChassisBalance"
  | "ServerBalance"
  | "LongDensity"
  | "PlacementDebt"
  | "StrandedMachines"
  | "VmsTogether";

/** The figures of a run. */
export interface Figures {
  /** VMs placed, including those running at the start of the trace */
  placements: number | null;
  /** of these, VMs that had already ended and used no capacity */
  ended_before_placed: number | null;
  /** VMs rejected */
  rejections: number | null;
  /** of these, VMs of requests for which no machine had room */
  rejected_by_room: number | null;
  /** of these, VMs of requests refused by other rules, although machines had room */
  rejected_by_terms: number | null;
  /** of these, VMs of requests whose commits kept failing */
  rejected_out_of_retries: number | null;
  /** median time from a request to its answer (ms) */
  wait_p50_ms: number | null;
  /** 99th percentile time from a request to its answer (ms) */
  wait_p99_ms: number | null;
  /** VMs running at the start of the trace that found no room */
  warm_rejections: number | null;
  /** commits that failed */
  conflicts: number | null;
  /** VMs that lost their machine and were placed on another one */
  reallocations: number | null;
  /** VMs that lost their machine and found no other */
  lost_vms: number | null;
  /** VMs evicted to make room for others */
  evictions: number | null;
  /** VMs migrated while they ran */
  migrations: number | null;
  /** VMs scheduled to migrate */
  migrations_scheduled: number | null;
  /** of these, VMs that ended before their turn */
  migrations_saved: number | null;
  /** conflicts per minute, 99th percentile over minutes with a commit */
  conflicts_per_minute_p99: number | null;
  /** machines without a VM, mean over time, % (%) */
  empty_hosts_pct_mean: number | null;
  /** machine-hours in use: hours that machines had any VM, summed over machines (machine-hours) */
  machine_hours: number | null;
  /** cores in use on machines that have any VM, mean over time, % (%) */
  packing_density_pct_mean: number | null;
  /** share of the free cores on empty machines, mean over time, % (%) */
  empty_to_free_pct_mean: number | null;
  /** cores that no VM could use, %; null if it was not measured (%) */
  stranded_cores_pct_mean: number | null;
  /** memory that no VM could use, %; null if it was not measured (%) */
  stranded_memory_pct_mean: number | null;
  /** running VMs that were repredicted */
  repredictions: number | null;
  /** with lifetime rules: times that an empty machine opened for the class of its first VM */
  machines_opened: number | null;
  /** times that a machine missed its deadline, so that its class rose */
  machines_raised: number | null;
  /** if VMs are linked: refused because machines had no room */
  refused_by_room: number | null;
  /** refused because one link needs more than any machine's uplinks carry */
  refused_by_link: number | null;
  /** refused because a VM has as many peers as its uplinks can carry */
  refused_by_peering: number | null;
  /** refused because VMs that share a machine share its uplinks */
  refused_by_colocation: number | null;
  /** refused because uplinks of racks or clusters are full */
  refused_elsewhere: number | null;
  /** with admission rules: deployments admitted */
  deployments: number | null;
  /** deployments not admitted */
  deployments_refused: number | null;
  /** later requests of admitted deployments that were placed */
  scale_outs: number | null;
  /** later requests of admitted deployments that failed */
  scale_outs_failed: number | null;
  /** times that a chassis was throttled */
  capping_events: number | null;
  /** times that the last resort throttled all servers of a chassis */
  rapl_engagements: number | null;
  /** core-hours of user-facing VMs that were throttled (core-hours) */
  user_facing_slowed: number | null;
  /** core-hours of batch VMs that were throttled (core-hours) */
  others_slowed: number | null;
  /** energy drawn (kWh) */
  energy_kwh: number | null;
  /** standard deviation over chassis of what they draw, % (%) */
  chassis_deviation_pct: number | null;
  /** the same over servers, % (%) */
  server_deviation_pct: number | null;
  /** if placement debt is measured: cores of long-lived VMs on machines that have any of them, mean, % (%) */
  long_density_pct_mean: number | null;
  /** machines with long-lived VMs beyond those that would do, mean (machines) */
  placement_debt_mean: number | null;
  /** machines half empty with VMs that have long to go, mean, % (%) */
  stranded_machines_pct_mean: number | null;
  /** VMs on a machine with more than a set share of their customer's VMs, mean, % (%) */
  vrar_pct_mean: number | null;
  /** if a rule reads affinity groups: times that a cluster formed its group anew */
  affinity_changes: number | null;
  /** machines */
  machines: number | null;
  /** clusters */
  clusters: number | null;
  /** VMs of the workload */
  vms: number | null;
  /** requests of the workload */
  requests: number | null;
  /** decisions that reached the store */
  commits: number | null;
  /** decisions whose class had been evaluated, % (%) */
  cache_hits_pct: number | null;
}
