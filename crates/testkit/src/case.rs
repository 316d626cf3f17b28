//! A scenario small enough to check by brute force, drawn from one number.

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
use tiebreak_sim::incidents::find;
use tiebreak_sim::{
    AdmissionSettings, Agents, CappingKind, INCIDENTS, IncidentUse, Latency, Linking, Measures, Plan, PowerSettings,
    RulesUntil, Vdcs,
};

use crate::draws::{Chance, Draws};
use crate::expressions;

/// Everything a plan is made of.
#[derive(Clone, Debug)]
pub struct Case {
    /// The number it was drawn from.
    pub number: u64,
    /// The machines.
    pub clusters: Vec<ClusterSpec>,
    /// The rules, in order.
    pub rules: Vec<RuleUse>,
    /// How many clusters the machine stage looks at.
    pub best_clusters: u32,
    /// The lists that hold before that one, each until a moment of the hour.
    pub changes: Vec<RulesUntil>,
    /// Who asks for what.
    pub workload: Arc<Workload>,
    /// The agents.
    pub agents: Agents,
    /// What happens to the zone.
    pub incidents: Vec<IncidentUse>,
    /// What is made of predicted lifetimes.
    pub lifetimes: Lifetimes,
    /// From when means are taken, and how often the zone is filled.
    pub measures: Measures,
    /// How VMs of one tenant are linked.
    pub vdcs: Vdcs,
    /// What the network of each cluster carries, where they are.
    pub uplinks: Vec<Uplinks>,
    /// What rules about admission believe of deployments.
    pub admission: AdmissionSettings,
    /// What servers draw and may draw, in laws about power; elsewhere power is no part of the run.
    pub power: PowerSettings,
}

impl Case {
    /// The case of this number: 1 to 40 machines in 1 to 4 clusters and 1 to 3 datacenters, any
    /// rules in any order with any buckets and now and then with weights, a crowded workload of
    /// tenants that may ask for more than there is, 1 to 5 agents, in every third case
    /// something that happens to the zone, and in every fifth one or two other lists of rules before.
    #[must_use]
    pub fn random(number: u64) -> Self {
        Self::of(Chance::Number(number))
    }

    /// The same with weights combined in this way; none where it has no weights.
    #[must_use]
    pub fn combined(mut self, combining: Combining) -> Option<Self> {
        let lists = self.changes.iter_mut().map(|change| &mut change.rules).chain([&mut self.rules]);
        let weights: Vec<_> = lists.flatten().filter_map(|rule| rule.weight.as_mut()).collect();
        let has_weights = !weights.is_empty();
        weights.into_iter().for_each(|weight| *weight = weight.combined(combining));
        has_weights.then_some(self)
    }

    /// The case that these bytes stand for, each of which decides one thing.
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
            measures: measures(chance),
            vdcs: vdcs(chance),
            uplinks: uplinks(chance),
            admission: admission(chance),
            power: power(chance),
        }
    }

    /// The same case in a zone to which nothing happens.
    #[must_use]
    pub fn without_incidents(self) -> Self {
        Self { incidents: Vec::new(), ..self }
    }

    /// The same case with rules of one's own among its rules: random expressions about machines, racks and clusters.
    #[must_use]
    pub fn with_expressions(mut self) -> Self {
        expressions::put_into(&mut self.rules, expressions::rules(Chance::Number(self.number)));
        self
    }

    /// The same case with other rules in place of some, if it has any of those: in its list and in those that hold before.
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

    /// The case that it is a fork of: with the list before its own to the end, and that list's
    /// moment. None where it has one list.
    #[must_use]
    pub fn parent(&self) -> Option<(Self, Time)> {
        let mut changes = self.changes.clone();
        let RulesUntil { until, rules, best_clusters } = changes.pop()?;
        Some((Self { rules, best_clusters, changes, ..self.clone() }, until))
    }

    /// The same case whose list changes to the very same at a moment.
    #[must_use]
    pub fn forked_in_vain(&self, until: Time) -> Self {
        let mut case = self.clone();
        case.changes.push(RulesUntil { until, rules: self.rules.clone(), best_clusters: self.best_clusters });
        case
    }

    /// The plan, with all caches on or off.
    ///
    /// # Panics
    /// When the case is none, which would be a fault of this file.
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
        plan.with_predictions(self.lifetimes, predictions)
    }

    /// A mix of cache switches, pool sizes and ages; each mix of a case is another one.
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

/// How agents tell time, commit and avoid conflicts. The time never follows what caches did,
/// so that every mix of caches decides alike.
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

/// What is made of lifetimes, with classes as short as the lives of these cases.
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

/// Means from the beginning, from the middle of the hour or from past its end, and a zone that is
/// filled now and then.
fn measures(chance: Chance<'_>) -> Measures {
    let mut draws = chance.draws("random measures");
    Measures {
        measured_from_hours: draws.one_of(&[0.0, 0.0, 0.5, 2.0]),
        stranding_hours: draws.one_of(&[0.0, 0.001, 0.3]),
        fill_while_pct: draws.one_of(&[0.0, 50.0, 100.0]),
    }
}

/// In half of the cases VMs are linked, in any way.
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

/// Networks so small that links often find no room: of any level, of another one in each cluster, and now and then of
/// none.
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

/// Beliefs about deployments that live for minutes, as those of these cases do, or much longer; thought over before
/// every decision, or hardly ever. The paper's look-aheads would take most of the time of all laws.
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

/// Draws that are measured, or kept within budgets from hardly more than idle servers draw to all that they could.
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

/// Predictions by an oracle, right or often wrong, or by a table of the first half.
fn predictions(number: u64, workload: &Arc<Workload>) -> Arc<Predictions> {
    let mut draws = Chance::Number(number).draws("random predictor");
    let (id, values) =
        draws.one_of(&[("Oracle", &[][..]), ("NoisyOracle", &[50.0]), ("MeanByType", &[]), ("KaplanMeier", &[])]);
    let mut predictor = PredictorUse { id: id.into(), values: values.into() };
    if id == "NoisyOracle" && draws.one_in(2) {
        // With an error that is drawn again, the last of its parameters.
        predictor.values.extend([0.001, 3.0, 336.0, 1.0]);
    }
    let mut training = start(&predictor, workload.clone(), Seed(number));
    while !training.work(u32::MAX) {}
    Arc::new(training.finish().predictions)
}

/// Each rule draws for itself, its place too, so that a new rule leaves the others as they were. In half of the
/// cases one or two rules about admission are among them, with limits from the least to the most.
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

/// In one of five cases, one or two lists that hold first: of any rules, those that ask for
/// lifetimes left out of some, until moments before, during and after the hour.
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

/// Whether a rule asks what deployments will grow to.
fn is_about_admission(id: &str) -> bool {
    Policy::new(&[RuleUse::plain(id, None)], 1).is_ok_and(|policy| policy.asks_for_growth())
}

/// Weights set by hand, the smallest and the largest among them; 0 sets none.
const WEIGHTS: [f64; 8] = [0.0, Weight::MIN, 0.5, 1.0, 2.0, 3.0, 1_000.0, Weight::MAX];

/// A value that is not the default, as far as there is one half way up.
fn other_value(param: &Param) -> f64 {
    let middle = (param.min + param.max) / 2.0;
    match param.kind {
        ParamKind::Flag => 1.0 - param.default,
        ParamKind::Integer => middle.floor(),
        ParamKind::Choice(_) => middle.ceil(),
        ParamKind::Number => middle,
    }
}

/// In half of the cases, racks of as many chassis as there is a machine for in each.
fn with_chassis(chance: Chance<'_>, mut clusters: Vec<ClusterSpec>) -> Vec<ClusterSpec> {
    let mut draws = chance.draws("random chassis");
    if draws.one_in(2) {
        clusters.iter_mut().for_each(|it| it.chassis = 1 + draws.below(it.machines / it.racks));
    }
    clusters
}

/// What the tenants of a case ask for.
struct Tenants {
    /// Tenant by tenant.
    of_tenants: Vec<TenantTerms>,
    /// Shape by shape, where a tenant's VMs ask for different things.
    mixed: Option<Vec<TenantTerms>>,
}

impl Tenants {
    /// Half of the cases have tenants that ask for something; in one of eight of those each VM
    /// of a tenant may ask for something else.
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

/// What a tenant asks for, in numbers that cases this small often cannot give: more fault
/// domains than there are racks, or in one rack and in many.
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

/// In half of the cases, up to twelve requests for two to six VMs at once, of any of the shapes.
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

/// Moves that are recommended are rare, machines that fail do most harm, and machines that are
/// emptied keep others busy, so these kinds come more often than the others.
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
            // Hardly a machine would ever be emptied.
            "approved" => 90.0,
            "order" if value > 3.0 => 2.0,
            _ => value,
        };
        if !usual && param.allows(value) { value } else { param.default.min(100.0) }
    };
    let values = declaration.params.iter().map(&mut value).collect();
    IncidentUse { values, ..IncidentUse::plain(declaration.id, at) }
}
