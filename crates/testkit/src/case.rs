//! A scenario derived from one number, small enough to check by brute force.

use std::sync::Arc;

use tiebreak_admission::{Deaths, Stop};
use tiebreak_lifetime::{Predictions, PredictorUse, start};
use tiebreak_model::random::Seed;
use tiebreak_model::{
    ClusterSpec, Load, Millis, Param, ParamKind, Resources, Scope, TenantTerms, Time, Topology, Uplinks, VmRow,
    VmShape, Workload, WorkloadBuilder,
};
use tiebreak_placement::lifetime::{DeadlineFrom, StartClass};
use tiebreak_placement::{Caches, Combining, Lifetimes, Policy, RULES, RuleUse, Weight};
use tiebreak_sim::admission::{DeathUnit, StopKind};
use tiebreak_sim::affinity::settings::MachineClass;
use tiebreak_sim::incidents::find;
use tiebreak_sim::{
    AdmissionSettings, AffinitySettings, Agents, CappingKind, INCIDENTS, IncidentUse, Latency, Linking, Measures, Plan,
    PowerSettings, RulesUntil, Vdcs,
};

use crate::draws::{Chance, Draws};
use crate::expressions;

/// The inputs of a plan.
#[derive(Clone, Debug)]
pub struct Case {
    /// The number from which it was derived.
    pub number: u64,
    /// The machines.
    pub clusters: Vec<ClusterSpec>,
    /// The rules, in order.
    pub rules: Vec<RuleUse>,
    /// The number of clusters that reach the machine stage.
    pub best_clusters: u32,
    /// The earlier rule lists, each until a moment of the hour.
    pub changes: Vec<RulesUntil>,
    /// The workload.
    pub workload: Arc<Workload>,
    /// The agents.
    pub agents: Agents,
    /// The incidents.
    pub incidents: Vec<IncidentUse>,
    /// How lifetimes are predicted and used.
    pub lifetimes: Lifetimes,
    /// How affinity groups are formed.
    pub affinity: AffinitySettings,
    /// When averaging starts, and how often the zone is filled for stranding.
    pub measures: Measures,
    /// How the VMs of a tenant are linked.
    pub vdcs: Vdcs,
    /// The network capacity of each cluster, if there is one.
    pub uplinks: Vec<Uplinks>,
    /// The beliefs of admission rules about deployments.
    pub admission: AdmissionSettings,
    /// Power draws and budgets, for laws about power; elsewhere the run does not model power.
    pub power: PowerSettings,
}

impl Case {
    /// The case of this number: 1 to 40 machines in 1 to 4 clusters and 1 to 3 datacenters, any rules in any order
    /// with any buckets and sometimes with weights, a crowded workload whose tenants may ask for more than there is,
    /// and 1 to 5 agents. Every third case has incidents, and every fifth one or two earlier rule lists.
    #[must_use]
    pub fn random(number: u64) -> Self {
        Self::of(Chance::Number(number))
    }

    /// The same case with weights combined in this way; `None` if it has no weights.
    #[must_use]
    pub fn combined(mut self, combining: Combining) -> Option<Self> {
        let lists = self.changes.iter_mut().map(|change| &mut change.rules).chain([&mut self.rules]);
        let weights: Vec<_> = lists.flatten().filter_map(|rule| rule.weight.as_mut()).collect();
        let has_weights = !weights.is_empty();
        weights.into_iter().for_each(|weight| *weight = weight.combined(combining));
        has_weights.then_some(self)
    }

    /// The case encoded by these bytes; each byte decides one thing.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::of(Chance::Bytes(bytes))
    }

    fn of(chance: Chance<'_>) -> Self {
        let mut draws = chance.draws("random case");
        Self {
            number: chance.number(),
            clusters: with_chassis(chance, clusters(chance, &mut draws)),
            rules: rules(chance),
            best_clusters: 1 + draws.below(4),
            changes: changes(chance),
            workload: Arc::new(workload(chance, &mut draws)),
            agents: Agents {
                count: 1 + draws.below(5),
                decision_ms: [0, 1, 20, 5_000][draws.below(4) as usize],
                publish_ms: [0, 1, 500, 60_000][draws.below(4) as usize],
                retries: draws.below(4),
                fine_grained: draws.one_in(2),
                caches: true,
                ..agents(chance)
            },
            incidents: incidents(chance),
            lifetimes: lifetimes(chance),
            affinity: affinity(chance),
            measures: measures(chance),
            vdcs: vdcs(chance),
            uplinks: uplinks(chance),
            admission: admission(chance),
            power: power(chance),
        }
    }

    /// The same case without incidents.
    #[must_use]
    pub fn without_incidents(self) -> Self {
        Self { incidents: Vec::new(), ..self }
    }

    /// The same case with added custom rules: random expressions about machines, racks and clusters.
    #[must_use]
    pub fn with_expressions(mut self) -> Self {
        expressions::put_into(&mut self.rules, expressions::rules(Chance::Number(self.number)));
        self
    }

    /// The same case with some rules replaced, in its list and in earlier ones; `None` if it has none of them.
    #[must_use]
    pub fn with_rules_replaced(mut self, replace: impl Fn(&RuleUse) -> Option<RuleUse>) -> Option<Self> {
        let lists = self.changes.iter_mut().map(|change| &mut change.rules).chain([&mut self.rules]);
        let mut replaced = 0;
        for rule in lists.flatten() {
            if let Some(other) = replace(rule) {
                *rule = other;
                replaced += 1;
            }
        }
        (replaced > 0).then_some(self)
    }

    /// The case of which this one is a fork: the one that keeps the earlier rule list to the end, and the time of the
    /// fork. `None` if it has one list.
    #[must_use]
    pub fn parent(&self) -> Option<(Self, Time)> {
        let mut changes = self.changes.clone();
        let RulesUntil { until, rules, best_clusters } = changes.pop()?;
        Some((Self { rules, best_clusters, changes, ..self.clone() }, until))
    }

    /// The same case with a fork at a moment that changes nothing.
    #[must_use]
    pub fn forked_in_vain(&self, until: Time) -> Self {
        let mut case = self.clone();
        case.changes.push(RulesUntil { until, rules: self.rules.clone(), best_clusters: self.best_clusters });
        case
    }

    /// The plan, with all caches on or off.
    ///
    /// # Panics
    /// If the case is invalid, which would be a bug in this file.
    #[must_use]
    pub fn plan(&self, caches: bool) -> Plan {
        let agents = Agents { caches, ..self.agents };
        let plan = Plan::new(
            &self.clusters,
            &self.rules,
            self.best_clusters,
            self.workload.clone(),
            agents,
            Seed(self.number),
        )
        .and_then(|plan| plan.with_changes(&self.changes)?.with_admission(&self.admission))
        .and_then(|plan| plan.with_measures(self.measures).with_vdcs(&self.vdcs, &self.uplinks))
        .and_then(|plan| plan.with_incidents(&self.incidents))
        .expect("a random case is a plan");
        let predictions = predictions(self.number, plan.workload());
        plan.with_affinity(&self.affinity).with_predictions(self.lifetimes, predictions)
    }

    /// A mix of cache switches, pool sizes and ages; every number gives another mix for this case.
    #[must_use]
    pub fn mix(&self, mix: u64) -> Caches {
        let mut draws = Chance::Number(self.number ^ mix.rotate_left(48)).draws("random caches");
        Caches {
            evaluations: draws.one_in(2),
            rule_objects: draws.one_in(2),
            shared_state: draws.one_in(2),
            journal: draws.one_in(2),
            cells: draws.one_in(2),
            background: draws.one_in(2),
            evaluation_pool: draws.one_of(&[0, 1, 2, 256]),
            object_pool: draws.one_of(&[0, 1, 2, 256]),
            age: draws.one_of(&[0, 1, 50]),
        }
    }
}

fn clusters(chance: Chance<'_>, draws: &mut Draws<'_>) -> Vec<ClusterSpec> {
    let mut places = chance.draws("random datacenters");
    let datacenters = 1 + places.below(3);
    (0..1 + draws.below(4))
        .map(|index| {
            let machines = 1 + draws.below(10);
            let cores = 4_000 * (1 + draws.below(4));
            ClusterSpec {
                name: format!("cluster {index}"),
                machines,
                unready: if draws.one_in(3) { draws.below(machines + 1) } else { 0 },
                racks: 1 + draws.below(machines),
                capacity: Resources::new(
                    cores,
                    16_384 * (1 + draws.below(3)),
                    draws.below(3) * 100,
                    draws.below(2) * 1_000,
                ),
                datacenter: places.below(datacenters),
                chassis: 1,
            }
        })
        .collect()
}

/// The agents' timing, commits and conflict avoidance. Timing never depends on cache results, so that every mix of
/// caches makes the same decisions.
fn agents(chance: Chance<'_>) -> Agents {
    let mut draws = chance.draws("random agents");
    Agents {
        latency: if draws.one_in(3) { Latency::Drawn } else { Latency::Fixed },
        hit_ms: u64::from(draws.below(3)) * 10,
        commit_ms: [0, 0, 5, 2_000][draws.below(4) as usize],
        pipelined: draws.one_in(2),
        avoidance: f64::from(draws.below(3)),
        avoidance_window: 1 + draws.below(20),
        avoidance_best: 1 + draws.below(10),
        ..Agents::default()
    }
}

/// Lifetime settings, with classes as short as the lifetimes of these cases.
fn lifetimes(chance: Chance<'_>) -> Lifetimes {
    let mut draws = chance.draws("random lifetimes");
    Lifetimes {
        baseline_start: draws.one_in(2),
        repredict: !draws.one_in(4),
        refresh_minutes: draws.one_of(&[0.0, 0.1, 1.0, 15.0]),
        class_2_hours: 0.01,
        class_3_hours: draws.one_of(&[0.0, 0.05, 0.1]),
        class_4_hours: 0.2,
        class_5_hours: draws.one_of(&[0.3, 1.0]),
        recycle_above_pct: draws.one_of(&[0.0, 30.0, 60.0, 90.0, 100.0]),
        deadline_factor: draws.one_of(&[1.0, 1.1, 3.0]),
        deadline_from: draws.one_of(&[DeadlineFrom::Opening, DeadlineFrom::Opening, DeadlineFrom::Filling]),
        start_class: draws.one_of(&[StartClass::First, StartClass::Highest]),
    }
}

/// Affinity groups with classes and days as short as the lifetimes of these cases, and a detector that alarms often.
fn affinity(chance: Chance<'_>) -> AffinitySettings {
    let mut draws = chance.draws("random affinity");
    AffinitySettings {
        class_2_hours: 0.01,
        class_3_hours: draws.one_of(&[0.0, 0.05, 0.1]),
        class_4_hours: 0.2,
        class_5_hours: draws.one_of(&[0.0, 0.3]),
        class_6_hours: 1.0,
        long_days: draws.one_of(&[0.001, 0.01, 30.0]),
        omega: draws.one_of(&[0.8, 0.0, 1.0]),
        omega_long: draws.one_of(&[0.2, 0.8]),
        machine_class: draws.one_of(&[MachineClass::Hybrid, MachineClass::Weighted, MachineClass::Max]),
        dynamic_groups: !draws.one_in(4),
        daily_update: !draws.one_in(4),
        event_updates: !draws.one_in(4),
        day_hours: draws.one_of(&[0.1, 0.15, 24.0]),
        warm_up_days: 1,
        theta_alarm: draws.one_of(&[0.0, 0.5, 2.0]),
        observation_days: draws.one_of(&[1, 2]),
        theta_confirm: draws.one_of(&[0.0, 1.0]),
        cool_down_days: draws.one_of(&[0, 1]),
        coverage_pct: draws.one_of(&[50.0, 95.0]),
        classes_min: draws.one_of(&[1, 2]),
        ..AffinitySettings::default()
    }
}

/// Averages from the beginning, from the middle of the hour or from after its end, and sometimes a filled zone.
fn measures(chance: Chance<'_>) -> Measures {
    let mut draws = chance.draws("random measures");
    Measures {
        measured_from_hours: draws.one_of(&[0.0, 0.0, 0.5, 2.0]),
        stranding_hours: draws.one_of(&[0.0, 0.001, 0.3]),
        fill_while_pct: draws.one_of(&[0.0, 50.0, 100.0]),
        debt_hours: draws.one_of(&[0.0, 0.01]),
        ..Measures::default()
    }
}

/// In half of the cases VMs are linked, in any topology.
fn vdcs(chance: Chance<'_>) -> Vdcs {
    let mut draws = chance.draws("random virtual datacenters");
    let topologies = [Topology::AllToAll, Topology::AllToAll, Topology::Star, Topology::Chain, Topology::Pipeline];
    let topology = if draws.one_in(2) { Some(draws.one_of(&topologies)) } else { None };
    Vdcs {
        topology: Linking(topology),
        bpc_mbps: draws.one_of(&[0, 1, 3, 10, 1_000_000]),
        peak_vms: draws.one_of(&[0, 1, 2, 5, 8, 30]),
        stage_vms: 1 + draws.below(3),
        grid_minutes: draws.one_of(&[0.0, 0.0, 0.1, 1.0]),
        one_by_one: draws.one_in(2),
    }
}

/// Networks so small that links often do not fit, at any level; they differ per cluster, and sometimes there is none.
fn uplinks(chance: Chance<'_>) -> Vec<Uplinks> {
    let mut draws = chance.draws("random uplinks");
    let mut kbps = |sizes: &[u64]| draws.one_of(sizes) * 1_000;
    let mut one = || Uplinks {
        machine_kbps: kbps(&[0, 8, 20, 60, 200]),
        rack_kbps: kbps(&[0, 20, 60, 200, 1_000]),
        cluster_kbps: kbps(&[0, 60, 200, 1_000]),
    };
    (0..4).map(|_| one()).collect()
}

/// Beliefs about deployments that last minutes, as in these cases, or much longer; updated before every decision, or
/// rarely. The paper's look-aheads would take most of the time of all laws.
fn admission(chance: Chance<'_>) -> AdmissionSettings {
    let mut draws = chance.draws("random admission");
    let usual = AdmissionSettings::default();
    AdmissionSettings {
        deaths: DeathUnit(draws.one_of(&[Deaths::Blocks, Deaths::Cores])),
        stop: StopKind(draws.one_of(&[Stop::Hard, Stop::Soft])),
        death_shape: draws.one_of(&[usual.death_shape, 0.3, 2.0]),
        death_rate: draws.one_of(&[usual.death_rate, 0.01, 10.0]),
        growth_rate: draws.one_of(&[usual.growth_rate, 0.05]),
        power: draws.one_of(&[usual.power, 0.0, 1.0]),
        stop_factor: draws.one_of(&[usual.stop_factor, 0.0, 1.0]),
        horizon_hours: draws.one_of(&[usual.horizon_hours, 0.0, 0.2, 3.0, 24.0]),
        tolerance: draws.one_of(&[usual.tolerance, 0.0, 100.0]),
        ..usual
    }
}

/// Power draws that are only measured, or capped by budgets from slightly above idle to the maximum draw.
fn power(chance: Chance<'_>) -> PowerSettings {
    let mut draws = chance.draws("random power");
    let kinds = [CappingKind::Measured, CappingKind::FullServer, CappingKind::PerVm, CappingKind::PerVm];
    PowerSettings {
        capping: draws.one_of(&kinds),
        budget_pct: draws.one_of(&[40.0, 48.0, 55.0, 65.0, 100.0]),
        slot_minutes: draws.one_of(&[1, 5, 7, 60]),
        poll_ms: draws.one_of(&[200, 200, 500]),
        lift_s: draws.one_of(&[30, 1, 600]),
        ..PowerSettings::default()
    }
}

/// Predictions by an oracle, correct or often wrong, or by a table from the first half.
fn predictions(number: u64, workload: &Arc<Workload>) -> Arc<Predictions> {
    let mut draws = Chance::Number(number).draws("random predictor");
    let (id, values) =
        draws.one_of(&[("Oracle", &[][..]), ("NoisyOracle", &[50.0]), ("MeanByType", &[]), ("KaplanMeier", &[])]);
    let mut predictor = PredictorUse { id: id.into(), values: values.into() };
    if id == "NoisyOracle" && draws.one_in(2) {
        // The last parameter draws the error again at each prediction.
        predictor.values.extend([0.001, 3.0, 336.0, 1.0]);
    }
    let mut training = start(&predictor, workload.clone(), Seed(number));
    while !training.work(u32::MAX) {}
    Arc::new(training.finish().predictions)
}

/// Each rule has its own stream of random numbers, also for its place, so that a new rule leaves the others
/// unchanged. Half of the cases have one or two admission rules, with limits over the whole range.
fn rules(chance: Chance<'_>) -> Vec<RuleUse> {
    let mut weights = chance.draws("random weights");
    let weighted = weights.one_in(8);
    let mut admission = chance.draws("random admission rules");
    let asked = if admission.one_in(2) { 1 + admission.below(2) } else { 0 };
    let all = RULES.iter().filter(|entry| is_about_admission(entry.declaration.id));
    let mut asks: Vec<_> = all.map(|entry| entry.declaration.id).collect();
    asks.sort_by_cached_key(|_| admission.bits());
    asks.truncate(asked as usize);
    let mut rules = Vec::new();
    for entry in RULES {
        let mut draws = chance.draws(entry.declaration.id);
        let (mut used, place) = (!draws.one_in(4), draws.bits());
        let mut value = |param: &Param| if draws.one_in(2) { param.default } else { other_value(param) };
        let mut values: Vec<_> = entry.declaration.params.iter().map(&mut value).collect();
        if is_about_admission(entry.declaration.id) {
            used = asks.contains(&entry.declaration.id);
            let Param { min, max, .. } = entry.declaration.params[0];
            values[0] = min + (max - min) * draws.one_of(&[0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 1.0]);
        }
        let buckets = draws.one_in(2).then(|| 1 + draws.below(6));
        let weight = Some(weights.one_of(&WEIGHTS)).filter(|weight| weighted && *weight > 0.0).and_then(Weight::new);
        if used {
            rules.push((place, RuleUse { values, weight, ..RuleUse::plain(entry.declaration.id, buckets) }));
        }
    }
    rules.sort_by_key(|(place, _)| *place);
    rules.into_iter().map(|(_, rule)| rule).collect()
}

/// One of five cases has one or two earlier rule lists of any rules, some without lifetime rules, until moments
/// before, during and after the hour.
fn changes(chance: Chance<'_>) -> Vec<RulesUntil> {
    let mut draws = chance.draws("random forks");
    let count = if draws.one_in(5) { 1 + draws.below(2) } else { 0 };
    let mut until = Time(-300_000);
    let mut change = |place: u64| {
        until = until + Millis(1_000 * u64::from(draws.below(2_400)));
        let mut rules = rules(chance.other(place + 1));
        if draws.one_in(3) {
            rules.retain(|rule| !asks_for_lifetimes(rule));
        }
        RulesUntil { until, rules, best_clusters: 1 + draws.below(4) }
    };
    (0..u64::from(count)).map(&mut change).collect()
}

fn asks_for_lifetimes(rule: &RuleUse) -> bool {
    Policy::new(std::slice::from_ref(rule), 1).is_ok_and(|policy| policy.asks_for_lifetimes())
}

/// Whether a rule uses forecasts of deployments.
fn is_about_admission(id: &str) -> bool {
    Policy::new(&[RuleUse::plain(id, None)], 1).is_ok_and(|policy| policy.asks_for_growth())
}

/// Manual weights, including the smallest and the largest; 0 means no weight.
const WEIGHTS: [f64; 8] = [0.0, Weight::MIN, 0.5, 1.0, 2.0, 3.0, 1_000.0, Weight::MAX];

/// A value that differs from the default if one exists half way up the range.
fn other_value(param: &Param) -> f64 {
    let middle = (param.min + param.max) / 2.0;
    match param.kind {
        ParamKind::Flag => 1.0 - param.default,
        ParamKind::Integer => middle.floor(),
        ParamKind::Choice(_) => middle.ceil(),
        ParamKind::Number => middle,
    }
}

/// In half of the cases, racks with up to one chassis per machine.
fn with_chassis(chance: Chance<'_>, mut clusters: Vec<ClusterSpec>) -> Vec<ClusterSpec> {
    let mut draws = chance.draws("random chassis");
    if draws.one_in(2) {
        clusters.iter_mut().for_each(|it| it.chassis = 1 + draws.below(it.machines / it.racks));
    }
    clusters
}

/// The terms of a case's tenants.
struct Tenants {
    /// Tenant by tenant.
    of_tenants: Vec<TenantTerms>,
    /// Shape by shape, if a tenant's VMs have different terms.
    mixed: Option<Vec<TenantTerms>>,
}

impl Tenants {
    /// Half of the cases have tenants with terms; in one of eight of those, the terms may differ between the VMs of a
    /// tenant.
    fn random(chance: Chance<'_>) -> Self {
        let mut draws = chance.draws("random tenants");
        let (none, is_mixed) = (draws.one_in(2), draws.one_in(8));
        let mut one = || if none { TenantTerms::NONE } else { terms(&mut draws) };
        let of_tenants = (0..TENANTS).map(|_| one()).collect();
        Self { of_tenants, mixed: is_mixed.then(|| (0..SHAPES_MAX).map(|_| one()).collect()) }
    }

    fn terms_of(&self, tenant: u32, shape: usize) -> TenantTerms {
        self.mixed.as_ref().map_or(self.of_tenants[tenant as usize], |mixed| mixed[shape])
    }
}

/// The terms of a tenant. Cases this small often cannot meet them: more fault domains than there are racks, or both
/// in one rack and in many.
fn terms(draws: &mut Draws<'_>) -> TenantTerms {
    if draws.one_in(4) {
        return TenantTerms::NONE;
    }
    TenantTerms {
        fault_domains: draws.one_of(&[0, 0, 0, 1, 2, 3, 12]),
        scope: draws.one_of(&[Scope::Zone, Scope::Zone, Scope::Datacenter, Scope::Cluster, Scope::Rack]),
        per_machine: draws.one_of(&[0, 0, 1, 2, 5]),
        per_rack: draws.one_of(&[0, 0, 0, 1, 3, 8]),
        isolated: draws.one_in(3),
    }
}

const TENANTS: u32 = 6;
const SHAPES_MAX: usize = 8;

fn workload(chance: Chance<'_>, draws: &mut Draws<'_>) -> Workload {
    let tenants = Tenants::random(chance);
    let mut loads = chance.draws("random loads");
    let shapes: Vec<_> = (0..1 + draws.below(SHAPES_MAX as u32))
        .map(|_| VmShape {
            demand: Resources::new(
                500 * (1 + draws.below(16)),
                1_024 * draws.below(12),
                draws.below(3) * 40,
                draws.below(2) * 100,
            ),
            priority: draws.below(2) as u8,
            terms: TenantTerms::NONE,
            load: Load { user_facing: loads.one_in(2), p95_pct: 25 * loads.below(5) as u8 },
        })
        .collect();
    let mut builder = WorkloadBuilder::new();
    for name in 0..20 + u64::from(draws.below(400)) {
        let start = i64::from(draws.below(3_600)) * 1_000 - 300_000;
        let life = i64::from(1 + draws.below(2_000)) * 1_000;
        let end = if draws.one_in(10) { Time::NEVER } else { Time(start.max(0) + life) };
        let index = draws.below(shapes.len() as u32) as usize;
        let tenant = draws.below(TENANTS);
        let shape = VmShape { terms: tenants.terms_of(tenant, index), ..shapes[index] };
        builder.push(VmRow { name, tenant: u64::from(tenant), shape, start: Time(start), end });
    }
    deployments(chance, &shapes, &tenants).into_iter().for_each(|row| builder.push(row));
    builder.finish(Time(3_600_000)).expect("rows were added")
}

/// In half of the cases, up to twelve requests for two to six VMs each, of any of the shapes.
fn deployments(chance: Chance<'_>, shapes: &[VmShape], tenants: &Tenants) -> Vec<VmRow> {
    let mut draws = chance.draws("random deployments");
    let count = if draws.one_in(2) { 1 + draws.below(12) } else { 0 };
    let mut rows = Vec::new();
    for _ in 0..count {
        let (tenant, start) = (draws.below(TENANTS), Time(1_000 * i64::from(1 + draws.below(3_300))));
        for _ in 0..2 + draws.below(5) {
            let at = draws.below(shapes.len() as u32) as usize;
            let shape = VmShape { terms: tenants.terms_of(tenant, at), ..shapes[at] };
            let end = start + Millis(1_000 * u64::from(1 + draws.below(2_000)));
            rows.push(VmRow { name: 1_000 + rows.len() as u64, tenant: u64::from(tenant), shape, start, end });
        }
    }
    rows
}

/// In one of three cases, one to three incidents of any kind at any time.
fn incidents(chance: Chance<'_>) -> Vec<IncidentUse> {
    let mut draws = chance.draws("random case incidents");
    let count = if draws.one_in(3) { 1 + draws.below(3) } else { 0 };
    (0..count).map(|_| incident(&mut draws)).collect()
}

/// These kinds come more often than the others: recommended migrations are rare, failing machines do most harm, and
/// emptied machines keep others busy.
fn incident(draws: &mut Draws<'_>) -> IncidentUse {
    let any = INCIDENTS[draws.below(INCIDENTS.len() as u32) as usize].declaration;
    let often =
        ["MigrateRecommended", "MigrateRecommended", "FailMachines", "DefragmentMachines", "MaintainByMigration", ""];
    let entry = find(draws.one_of(&often));
    let declaration = entry.map_or(any, |entry| entry.declaration);
    let at = Time(Millis::MINUTE.0 as i64 * i64::from(draws.below(60)));
    let mut value = |param: &Param| {
        let (usual, value) = (draws.one_in(2), draws.one_of(&[0.0, 0.5, 1.0, 3.0, 20.0, 100.0]));
        let value = match param.name {
            // Otherwise a machine would hardly ever be emptied.
            "approved" => 90.0,
            "order" if value > 3.0 => 2.0,
            _ => value,
        };
        if !usual && param.allows(value) { value } else { param.default.min(100.0) }
    };
    let values = declaration.params.iter().map(&mut value).collect();
    IncidentUse { values, ..IncidentUse::plain(declaration.id, at) }
}
