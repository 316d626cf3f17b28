//! The contents of a scenario: variants to compare, each with machines, a workload, rules and agents.

use std::sync::Arc;

use tiebreak_lifetime::Predictions;
use tiebreak_model::fleet::MACHINES_MAX;
use tiebreak_model::random::Seed;
use tiebreak_model::{ClusterSpec, Param, ParamKind, Resource, Resources, Sample, SampledBy, Workload, declare, sort};
use tiebreak_placement::policy::default_rules;
use tiebreak_placement::{Caches, Combining, Custom, Group, Lifetimes, Policy, RULES, RuleEntry, RuleUse, Weight};
use tiebreak_sim::admission::Terms;
use tiebreak_sim::admission::years::Years;
use tiebreak_sim::{
    AdmissionSettings, AffinitySettings, Agents, ClusterYears, GeneratedWorkload, Measures, NetworkSettings, Plan,
    PlanError, PowerSettings, Vdcs,
};

use crate::fork::Fork;
use crate::incident::IncidentRow;
use crate::predictor::PredictorRow;

/// The maximum number of variants in a document.
pub const VARIANTS_MAX: usize = 8;

/// The maximum number of clusters in a variant.
pub const CLUSTERS_MAX: usize = 500;

/// The maximum length of a name.
pub const NAME_MAX: usize = 200;

/// The rule that cannot be switched off: without it machines would be over-committed.
pub use tiebreak_placement::policy::REQUIRED_RULE;

/// How finely a preference distinguishes candidates; a row without it compares scores exactly.
pub const BUCKETS: Param = Param {
    name: "buckets",
    help: "Scores are rounded up to this many steps; equal steps are a tie, which passes to the next rule. More \
         buckets distinguish candidates more finely; none compares scores exactly. (Protean section 3.3)",
    kind: ParamKind::Integer,
    default: 3.0,
    min: 1.0,
    max: 1_000.0,
    unit: "buckets",
};

/// The weight of a preference; a row without it has the default.
pub const WEIGHT: Param = Param {
    name: "weight",
    help: "Weight of the preference, to a thousandth, when the run has hand_weights on. A larger value counts more; \
         combining says how. (Protean section 3.3)",
    kind: ParamKind::Number,
    default: 1.0,
    min: Weight::MIN,
    max: Weight::MAX,
    unit: "",
};

declare! {
    /// The machines of one cluster, all of one hardware generation.
    pub struct ClusterSettings as "Cluster" {
        /// Machines in the cluster.
        machines: u32 = 100, 1 => MACHINES_MAX, "machines";
        /// Racks (fault domains) that the machines are spread over, at most one per machine.
        racks: u32 = 10, 1 => MACHINES_MAX, "racks";
        /// Cores of each machine, to a thousandth.
        cores: f64 = 48, 0.001 => 10000, "cores";
        /// Memory of each machine.
        memory_gib: f64 = 384, 0 => 1000000, "GiB";
        /// Local SSD of each machine; 0 if VMs need none.
        ssd_gib: u32 = 0, 0 => 4000000, "GiB";
        /// Network bandwidth of each machine; 0 if VMs need none.
        network_mbps: u32 = 0, 0 => 4000000, "Mbit/s";
        /// Machines that are drained or updated and take no new VMs: the last ones of the cluster. IsMachineReady
        /// excludes them. (Protean section 3.1)
        unready: u32 = 0, 0 => MACHINES_MAX, "machines";
        /// The number of the cluster's datacenter. Tenants may require one datacenter for all their VMs. (Protean
        /// section 2.1)
        datacenter: u32 = 1, 1 => 1000, "";
        /// Number of chassis per rack. The machines of a chassis share power supplies and a power budget. (Power
        /// oversubscription, section II-A)
        chassis: u32 = 1, 1 => 1000, "per rack";
    }
}

declare! {
    /// Settings of one variant for its whole run.
    pub struct VariantSettings as "Run" {
        /// All random numbers derive from it: the same seed gives the same run.
        seed: u64 = 1, 0 => 9007199254740991_u64, "";
        /// How many of the best clusters the machine stage considers; a larger value finds better machines and
        /// takes longer. Protean's k, 8 to 16 in the paper. (Protean section 3.1)
        best_clusters: u32 = 10, 1 => 64, "clusters";
        /// Compare preferences together by their weights instead of in strict order. A preference without a weight
        /// has weight 1. (Protean section 3.3)
        hand_weights: bool = false, 0 => 1, "";
        /// How weights make one order, where hand_weights is on: by majority, of two machines the one that wins the
        /// larger total weight is better (Protean section 3.3); by sum, the one whose scores times weights add up to
        /// less, as Kubernetes does; by normalised_sum, the same with each score normalised over the candidates, as
        /// OpenStack Nova does. A normalised score depends on all other candidates.
        combining: Combining = 0, 0 => 2, "";
    }
}

declare! {
    /// How much of a trace is replayed.
    pub struct TraceSettings as "Trace" {
        /// Keep all VMs of one tenant in this many and none of the others, or of one request, or one VM, as sampled_by
        /// says; larger keeps less. The fingerprint is that of what is kept.
        one_tenant_in: u32 = 1, 1 => 10000, "";
        /// Which of these parts, counted from 0; past the last it begins again at 0. The parts of one trace
        /// have no tenant in common (or request, or VM): pools cut from it. (LAVA Fig. 6)
        tenant_part: u32 = 0, 0 => 9999, "";
        /// What is kept or left out as a whole: all VMs of a tenant, all of a request, or each VM by itself. docs/SAMPLING.md
        /// says what each does to the numbers.
        sampled_by: SampledBy = 0, 0 => 2, "";
        /// Leave out VMs that start a year or more, and ten times the span of all others, before or after those: most often a
        /// mistyped time, which would stretch the run and every mean over it.
        without_outliers: bool = 0, 0 => 1, "";
    }
}

impl TraceSettings {
    /// Settings that keep this sample.
    #[must_use]
    pub fn of(sample: &Sample) -> Self {
        let &Sample { by: sampled_by, one_in, part: tenant_part, without_outliers } = sample;
        Self { one_tenant_in: one_in.max(1), tenant_part, sampled_by, without_outliers }
    }

    /// Which VMs are kept.
    #[must_use]
    pub fn sample(&self) -> Sample {
        let &Self { sampled_by: by, one_tenant_in: one_in, tenant_part: part, without_outliers } = self;
        Sample { by, one_in, part, without_outliers }
    }
}

/// A whole scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Display name.
    pub name: String,
    /// The variants to compare: one to [`VARIANTS_MAX`].
    pub variants: Vec<Variant>,
    /// The index of the active variant.
    pub active: usize,
}

/// Everything one run depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Display name: A, B.
    pub name: String,
    /// See [`VariantSettings::seed`].
    pub seed: u64,
    /// The zone's clusters, at least one.
    pub clusters: Vec<ClusterRow>,
    /// The workload.
    pub workload: WorkloadRef,
    /// Every rule, stage by stage in order; those that are off keep their position.
    pub rules: Vec<RuleRow>,
    /// See [`VariantSettings::best_clusters`].
    pub best_clusters: u32,
    /// See [`VariantSettings::hand_weights`].
    pub hand_weights: bool,
    /// See [`VariantSettings::combining`].
    pub combining: Combining,
    /// The allocation agents.
    pub agents: Agents,
    /// The cache layers of each agent.
    pub caches: Caches,
    /// The lifetime predictor, used if any rule reads predictions.
    pub predictor: PredictorRow,
    /// How predictions are used.
    pub lifetimes: Lifetimes,
    /// How the run is measured.
    pub measures: Measures,
    /// How the VMs of a tenant are linked, if they are.
    pub vdcs: Vdcs,
    /// The network between machines, used if VMs are linked.
    pub network: NetworkSettings,
    /// The beliefs of admission rules, if the list has any.
    pub admission: AdmissionSettings,
    /// The cluster over years on which those rules are tuned.
    pub admission_lab: ClusterYears,
    /// The utilization of VMs, its prediction, and the reaction when power is short.
    pub power: PowerSettings,
    /// How affinity groups of lifetimes are formed, if any rule reads them.
    pub affinity: AffinitySettings,
    /// Events in the zone during the run, at most [`INCIDENTS_MAX`](crate::incident::INCIDENTS_MAX). Random draws
    /// depend on an incident's index.
    pub incidents: Vec<IncidentRow>,
    /// What applied before its own rules, if it forked from another variant.
    pub fork: Option<Fork>,
}

/// One cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterRow {
    /// Display name.
    pub name: String,
    /// Its machines.
    pub settings: ClusterSettings,
}

/// Where the requests come from.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkloadRef {
    /// A trace, by name; the document does not contain it.
    Trace {
        /// The [`Workload::fingerprint`] of the trace as its reader produces it.
        fingerprint: u128,
        /// The file's name, for people.
        name: String,
        /// How much of it is replayed.
        settings: TraceSettings,
    },
    /// Generated from the variant's seed.
    Generated(GeneratedWorkload),
}

/// One row of the rule list.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleRow {
    /// Which rule.
    pub id: String,
    /// Whether it is switched on.
    pub on: bool,
    /// Buckets of a preference; `None` compares scores exactly.
    pub buckets: Option<u32>,
    /// The manual weight of a preference; `None` means 1.
    pub weight: Option<f64>,
    /// One value per declared parameter.
    pub values: Vec<f64>,
    /// The definition of a custom rule; `None` for a built-in one.
    pub custom: Option<Custom>,
}

impl Default for Document {
    fn default() -> Self {
        Self { name: "Scenario".into(), variants: vec![Variant::default()], active: 0 }
    }
}

impl Default for Variant {
    fn default() -> Self {
        let VariantSettings { seed, best_clusters, hand_weights, combining } = VariantSettings::default();
        Self {
            name: letter(0),
            seed,
            clusters: vec![ClusterRow::numbered(0)],
            workload: WorkloadRef::default(),
            rules: default_list(),
            best_clusters,
            hand_weights,
            combining,
            agents: Agents::default(),
            caches: Caches::default(),
            predictor: PredictorRow::default(),
            lifetimes: Lifetimes::default(),
            measures: Measures::default(),
            vdcs: Vdcs::default(),
            network: NetworkSettings::default(),
            admission: AdmissionSettings::default(),
            admission_lab: ClusterYears::default(),
            power: PowerSettings::default(),
            affinity: AffinitySettings::default(),
            incidents: Vec::new(),
            fork: None,
        }
    }
}

impl Default for WorkloadRef {
    fn default() -> Self {
        Self::Generated(GeneratedWorkload::default())
    }
}

impl Document {
    /// The active variant.
    #[must_use]
    pub fn active_variant(&self) -> &Variant {
        self.variants.get(self.active).unwrap_or(&self.variants[0])
    }

    /// The first letter that is not a variant's name.
    #[must_use]
    pub fn free_letter(&self) -> String {
        let taken = |name: &String| self.variants.iter().any(|variant| variant.name == *name);
        (0..=self.variants.len()).map(letter).find(|name| !taken(name)).unwrap_or_default()
    }

    /// Adds a copy of this variant, named by the first free letter, which may differ from a moment on or from the
    /// start. Returns its index. `None` if it would have too many changes of rules.
    pub fn fork(&mut self, of: usize, at_hours: Option<f64>) -> Option<usize> {
        let parent = &self.variants[of];
        let fork = match at_hours {
            Some(at_hours) => Some(Fork::of(parent, at_hours)?),
            None => parent.fork.clone(),
        };
        self.variants.push(Variant { name: self.free_letter(), fork, ..parent.clone() });
        Some(self.variants.len() - 1)
    }
}

impl ClusterRow {
    /// The default cluster, named by its index.
    #[must_use]
    pub fn numbered(index: usize) -> Self {
        Self { name: format!("cluster {}", index + 1), settings: ClusterSettings::default() }
    }

    /// Machines of another kind, spread over racks and chassis in the same way.
    fn of_kind(&self, machines: u32, cores: f64, memory_gib: f64) -> ClusterSettings {
        let before = self.settings;
        let machines = machines.clamp(1, MACHINES_MAX);
        let racks = u64::from(machines) * u64::from(before.racks) / u64::from(before.machines.max(1));
        let racks = u32::try_from(racks).unwrap_or(machines).clamp(1, machines);
        let chassis = before.chassis.min(machines / racks).max(1);
        ClusterSettings { machines, racks, cores, memory_gib, chassis, unready: 0, ..before }
    }

    fn spec(&self) -> ClusterSpec {
        let ClusterSettings { machines, racks, ssd_gib, network_mbps, unready, datacenter, chassis, .. } =
            self.settings;
        let cores = stored(self.settings.cores, Resource::Cores);
        let memory = stored(self.settings.memory_gib, Resource::Memory);
        let capacity = Resources::new(cores, memory, ssd_gib, network_mbps);
        ClusterSpec { name: self.name.clone(), machines, racks, capacity, unready, datacenter, chassis }
    }
}

/// A display amount in stored units. The declared ranges keep it within 32 bits.
fn stored(amount: f64, resource: Resource) -> u32 {
    (amount * resource.unit().1).round() as u32
}

impl RuleRow {
    /// A rule's initial row: off, except for the required rule.
    #[must_use]
    pub fn unused(entry: &RuleEntry) -> Self {
        let id = entry.declaration.id;
        let values = entry.declaration.defaults();
        Self { id: id.into(), on: id == REQUIRED_RULE, buckets: None, weight: None, values, custom: None }
    }

    /// The rule's declaration; `None` if no rule has this id.
    #[must_use]
    pub fn entry(&self) -> Option<&'static RuleEntry> {
        crate::custom::entry(self)
    }

    /// Its stage; `None` if no rule has this id.
    #[must_use]
    pub fn group(&self) -> Option<Group> {
        self.entry().map(|entry| entry.group)
    }

    /// Whether it is a preference, and so has buckets and a weight.
    #[must_use]
    pub fn scores(&self) -> bool {
        self.entry().is_some_and(|entry| entry.group.scores())
    }

    /// The rules of a list that are on, as input of a plan. Weights count if `combining` is given.
    pub(crate) fn uses(rows: &[Self], combining: Option<Combining>) -> Vec<RuleUse> {
        rows.iter().filter(|row| row.on).map(|row| row.rule_use(combining)).collect()
    }

    fn rule_use(&self, combining: Option<Combining>) -> RuleUse {
        let weight = |combining| self.weight.and_then(Weight::new).unwrap_or_default().combined(combining);
        let weight = combining.filter(|_| self.scores()).map(weight);
        let Self { id, values, buckets, custom, .. } = self.clone();
        RuleUse { id, values, buckets, custom, weight }
    }
}

impl Variant {
    /// The settings outside its lists.
    #[must_use]
    pub const fn settings(&self) -> VariantSettings {
        let Self { seed, best_clusters, hand_weights, combining, .. } = *self;
        VariantSettings { seed, best_clusters, hand_weights, combining }
    }

    /// How its weights are combined; `None` for strict order.
    pub(crate) fn combined(&self) -> Option<Combining> {
        self.hand_weights.then_some(self.combining)
    }

    /// Applies those settings.
    pub const fn apply_settings(&mut self, settings: VariantSettings) {
        let VariantSettings { seed, best_clusters, hand_weights, combining } = settings;
        self.seed = seed;
        self.best_clusters = best_clusters;
        self.hand_weights = hand_weights;
        self.combining = combining;
    }

    /// The plan for this workload, with predictions: trains a predictor if a rule needs it, which may take seconds.
    ///
    /// # Errors
    /// As [`untrained_plan`](Self::untrained_plan).
    pub fn plan(&self, workload: Arc<Workload>) -> Result<Plan, PlanError> {
        let plan = self.with_loads(self.untrained_plan(workload)?);
        if !plan.asks_for_lifetimes() {
            return Ok(plan);
        }
        let predictions = self.predictions(plan.workload().clone());
        Ok(plan.with_predictions(self.lifetimes, predictions))
    }

    /// Replaces its machines. Each kind has a count, cores, and memory in GiB, and becomes a cluster, spread over
    /// racks and chassis like the current first cluster. Kinds after [`CLUSTERS_MAX`] are ignored; without any kinds
    /// nothing changes.
    pub fn replace_machines(&mut self, kinds: impl IntoIterator<Item = (u32, f64, f64)>) {
        let before = self.clusters.first().cloned().unwrap_or_else(|| ClusterRow::numbered(0));
        let cluster = |(at, (machines, cores, memory_gib))| {
            let settings = before.of_kind(machines, cores, memory_gib);
            ClusterRow { settings, ..ClusterRow::numbered(at) }
        };
        let clusters: Vec<_> = kinds.into_iter().take(CLUSTERS_MAX).enumerate().map(cluster).collect();
        if !clusters.is_empty() {
            self.clusters = clusters;
        }
    }

    /// Trains its predictor on a plan's workload, which may take seconds.
    #[must_use]
    pub fn predictions(&self, workload: Arc<Workload>) -> Arc<Predictions> {
        let mut training = self.predictor.train(workload, self.seed);
        while !training.work(u32::MAX) {}
        Arc::new(training.finish().predictions)
    }

    /// The plan for this workload, without predictions.
    ///
    /// # Errors
    /// If the machines or the rules are not valid, or incidents request too many VMs. For a variant that was read,
    /// the only possible faults are too many preferences without buckets, and such incidents.
    pub fn untrained_plan(&self, workload: Arc<Workload>) -> Result<Plan, PlanError> {
        let clusters: Vec<_> = self.clusters.iter().map(ClusterRow::spec).collect();
        let rules = RuleRow::uses(&self.rules, self.combined());
        let plan = Plan::new(&clusters, &rules, self.best_clusters, workload, self.agents, Seed(self.seed))?;
        let plan = match &self.fork {
            Some(fork) => plan.with_changes(&fork.changes())?,
            None => plan,
        };
        let incidents: Vec<_> = self.incidents.iter().map(IncidentRow::incident_use).collect();
        let uplinks = vec![self.network.to_uplinks(); clusters.len()];
        let plan = plan.with_caches(self.caches).with_measures(self.measures).with_affinity(&self.affinity);
        let plan = plan.with_vdcs(&self.vdcs, &uplinks)?;
        plan.with_admission(&self.admission)?.with_incidents(&incidents)?.with_power(&self.power)
    }

    /// This variant with the list of another one, and what belongs to a list: how weights are combined, how many
    /// clusters are searched, and who predicts lifetimes.
    #[must_use]
    pub fn with_list_of(&self, other: &Self) -> Self {
        let Self { rules, hand_weights, combining, best_clusters, predictor, lifetimes, .. } = other.clone();
        Self { rules, hand_weights, combining, best_clusters, predictor, lifetimes, ..self.clone() }
    }

    /// Whether the run of another one would be the same: everything is equal except the cluster over years, which has
    /// separate runs.
    #[must_use]
    pub fn runs_like(&self, other: &Self) -> bool {
        *self == Self { admission_lab: self.admission_lab, ..other.clone() }
    }

    /// The cluster over years, with this variant's admission rules and seed.
    ///
    /// # Errors
    /// If the list or the beliefs are not valid.
    pub fn years(&self) -> Result<Years, PlanError> {
        let rules = RuleRow::uses(&self.rules, self.combined());
        let policy = Policy::new(&rules, self.best_clusters).map_err(PlanError::Policy)?;
        let terms = Terms::new(&self.admission, policy.looks_ahead()).map_err(PlanError::Admission)?;
        Ok(Years::new(Arc::new(terms), self.admission_lab, Arc::new(policy), Seed(self.seed)))
    }

    /// Its workload if it is generated, from its seed.
    #[must_use]
    pub fn generate(&self) -> Option<Workload> {
        match &self.workload {
            WorkloadRef::Trace { .. } => None,
            WorkloadRef::Generated(settings) => Some(settings.generate(Seed(self.seed))),
        }
    }

    /// The rules of one stage, in order.
    pub fn rules_of(&self, group: Group) -> impl Iterator<Item = &RuleRow> {
        self.rules.iter().filter(move |row| row.group() == Some(group))
    }

    /// Moves a rule to an index inside its stage, from 0; larger indices mean the end. Rules never leave their stage.
    /// Returns whether there is such a rule.
    pub fn move_rule(&mut self, id: &str, to_index_within_group: usize) -> bool {
        move_rule(&mut self.rules, id, to_index_within_group)
    }
}

/// Moves a rule of a list to an index inside its stage.
pub(crate) fn move_rule(rows: &mut Vec<RuleRow>, id: &str, to_index_within_group: usize) -> bool {
    let Some(from) = rows.iter().position(|row| row.id == id) else { return false };
    let row = rows.remove(from);
    let group = row.group();
    let first = rows.partition_point(|other| other.group() < group);
    let others = rows[first..].iter().take_while(|other| other.group() == group).count();
    rows.insert(first + to_index_within_group.min(others), row);
    true
}

/// The default name of a variant.
#[must_use]
pub fn letter(index: usize) -> String {
    char::from(b'A' + (index % 26) as u8).into()
}

/// Every rule, with those of the default policy switched on.
#[must_use]
pub fn default_list() -> Vec<RuleRow> {
    let used = default_rules();
    let mut rows: Vec<_> = RULES.iter().map(RuleRow::unused).collect();
    for row in &mut rows {
        if let Some(rule) = used.iter().find(|rule| rule.id == row.id) {
            row.on = true;
            row.buckets = rule.buckets;
        }
    }
    rows
}

/// Sorts rows by stage, and keeps their order inside a stage.
pub(crate) fn sort_by_stage(rows: &mut [RuleRow]) {
    sort::short(rows, |one, other| one.group() < other.group());
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::Declared;

    fn ids(variant: &Variant, group: Group) -> Vec<&str> {
        variant.rules_of(group).map(|row| row.id.as_str()).collect()
    }

    #[test]
    fn rules_move_inside_their_stage() {
        let mut variant = Variant::default();
        for (id, to, expected) in [
            ("WorstFit", 0, "WorstFit PreferNonEmptyMachines BestFit PreferLeastUsedRack FirstFit"),
            ("WorstFit", 8, "PreferNonEmptyMachines BestFit WorstFit PreferLeastUsedRack FirstFit"),
            ("BestFit", 99, "PreferNonEmptyMachines WorstFit PreferLeastUsedRack FirstFit BestFit"),
        ] {
            assert!(variant.move_rule(id, to));
            let known: Vec<_> = ids(&variant, Group::MachinePreferences);
            let known: Vec<_> = known.into_iter().filter(|id| expected.contains(id)).collect();
            assert_eq!(known.join(" "), expected);
            assert!(variant.rules.is_sorted_by_key(RuleRow::group), "stages stay in order");
        }
        assert!(!variant.move_rule("NoSuchRule", 0));
    }

    #[test]
    fn weights_set_by_hand_reach_the_preferences_alone_and_only_when_asked_for() {
        let mut variant = Variant::default();
        for row in &mut variant.rules {
            row.weight = (row.id == "BestFit" || row.id == "IsMachineReady").then_some(2.5);
        }
        let weight = |id: &str, hand_weights: bool| {
            let row = variant.rules.iter().find(|row| row.id == id).expect(id);
            row.rule_use(hand_weights.then_some(Combining::Majority)).weight.map(Weight::get)
        };
        for (id, by_hand) in [("BestFit", Some(2.5)), ("PreferLeastUsedRack", Some(1.0)), ("IsMachineReady", None)] {
            assert_eq!((weight(id, true), weight(id, false)), (by_hand, None), "{id}");
        }
    }

    #[test]
    fn the_default_variant_runs() {
        let variant = Variant::default();
        let workload = Arc::new(variant.generate().expect("a generated workload"));
        variant.plan(workload).expect("a plan");
    }

    #[test]
    fn capacities_are_whole_stored_units() {
        let settings = ClusterSettings { cores: 0.5, memory_gib: 562.5, ..ClusterSettings::default() };
        let spec = ClusterRow { name: "c".into(), settings }.spec();
        assert_eq!(spec.capacity, Resources::new(500, 576_000, 0, 0));
        let largest = ClusterSettings::DECLARATION.params.iter().map(|param| param.max).collect::<Vec<_>>();
        let spec = ClusterRow { name: "c".into(), settings: ClusterSettings::from_values(&largest) }.spec();
        assert_eq!(spec.capacity, Resources::new(10_000_000, 1_024_000_000, 4_000_000, 4_000_000));
        assert_eq!(spec.datacenter, 1_000);
    }
}
