//! The story of a VM: every decision about it, rule by rule, and what happened to it.
//!
//! The uncached reference computes the explanations at the moment of the decision, from the view of the agent that
//! decided. (Protean section 3.4)

use serde::Serialize;
use tiebreak_model::{Fleet, MachineId, Resource, Resources, VmId};
use tiebreak_placement::explain::{RefusalByRule, Refuser, Shortage, TooLarge, Verdict};
use tiebreak_placement::{Explanation, Scorecard, Step};
use tiebreak_sim::{Decision, Disruption, Fate, Plan, Probe, Probed, Turn, World};

use crate::Failure;
use crate::shown::{count, moment, table};
use crate::watch::{self, Watch};

/// Runs a plan and explains each decision about the VM of this name, and of a machine, why the VM was not placed there.
///
/// # Errors
/// If the workload has no such VM or the fleet no such machine, or if the run was stopped.
pub fn story(plan: Plan, name: u64, machine: Option<u64>, watch: &Watch<'_>) -> Result<Story, Failure> {
    let vm = plan.workload().find(name);
    let vm = vm.ok_or_else(|| Failure(format!("expected a VM of the trace, got {name}; placements.csv lists them")))?;
    let asked = machine.map(|machine| machine_of(&plan, machine)).transpose()?;
    let mut world = World::new(plan);
    world.keep_decisions();
    world.set_probe(Some(Probe { vm: Some(vm), asked }));
    watch::run(&mut world, watch)?;
    Ok(Story::of(name, vm, &world))
}

fn machine_of(plan: &Plan, id: u64) -> Result<MachineId, Failure> {
    let machines = plan.fleet().machine_count();
    match u32::try_from(id) {
        Ok(id) if id < machines => Ok(MachineId(id)),
        _ => Err(Failure(format!("expected a machine from 0 to {}, got {id}; choose one in this range", machines - 1))),
    }
}

/// What happened to a VM.
#[derive(Serialize)]
pub struct Story {
    vm: u64,
    request: u32,
    cores: f64,
    memory_gib: f64,
    placed_on: Option<u32>,
    /// When a VM of higher priority evicted it.
    put_out_ms: Option<i64>,
    /// What happened after it left a machine early; `None` if it never did.
    fate: Option<&'static str>,
    /// The machines that it left early, in order.
    left: Vec<Left>,
    decisions: Vec<ToldDecision>,
    #[serde(skip)]
    turns: Vec<Turn>,
}

/// A machine that a VM left early.
#[derive(Serialize)]
struct Left {
    time_ms: i64,
    machine: u32,
    since_ms: i64,
    reason: &'static str,
}

/// One decision in the report.
#[derive(Serialize)]
struct ToldDecision {
    time_ms: i64,
    /// Why a decision was needed.
    cause: &'static str,
    agent: Option<u32>,
    attempt: u32,
    cache: &'static str,
    outcome: &'static str,
    cluster_steps: Vec<StepRow>,
    steps: Vec<StepRow>,
    best_set_size: u32,
    /// Whether the agent drew from the best few machines to avoid conflicts.
    avoiding_conflicts: bool,
    because: String,
    decided_by: Option<&'static str>,
    winner: Option<Card>,
    runner_up: Option<Card>,
    asked: Option<Card>,
    why_not_asked: Option<String>,
    refusal: Option<RefusalRow>,
}

/// Why no machine takes the VM.
#[derive(Serialize)]
struct RefusalRow {
    machines: u32,
    rules: Vec<RefuserRow>,
    closest: Option<Lacking>,
    /// The best cluster for the VM, if even an empty machine there is too small.
    too_large_for_cluster: Option<Lacking>,
    #[serde(skip)]
    closest_sentence: Option<String>,
}

/// Machines that a rule refuses: in total, as the first rule in the policy, and as the only one.
#[derive(Serialize)]
struct RefuserRow {
    rule: &'static str,
    refuses: u32,
    first: u32,
    alone: u32,
}

/// What a machine, or an empty machine of a cluster, lacks.
#[derive(Serialize)]
struct Lacking {
    id: u32,
    cores: f64,
    memory_gib: f64,
    ssd_gib: f64,
    network_mbps: f64,
}

#[derive(Serialize)]
struct StepRow {
    rule: &'static str,
    before: u32,
    after: u32,
}

#[derive(Serialize)]
struct Card {
    machine: u32,
    cluster: u32,
    verdicts: Vec<VerdictRow>,
}

#[derive(Serialize)]
struct VerdictRow {
    rule: &'static str,
    valid: Option<bool>,
    score: Option<f64>,
    bucket: Option<u64>,
}

impl Story {
    /// From a run that explained the VM's decisions and kept all of them.
    fn of(name: u64, vm: VmId, world: &World) -> Self {
        let workload = world.plan().workload();
        let demand = workload.shape(workload.shape_of(vm)).demand;
        Self {
            vm: name,
            request: workload.request_of(vm).0,
            cores: shown(demand, Resource::Cores),
            memory_gib: shown(demand, Resource::Memory),
            placed_on: world.placement(vm).map(|(machine, _)| machine.0),
            put_out_ms: world.evicted_at(vm).map(|time| time.0),
            fate: world.fate(vm).map(fate_word),
            left: world.disruptions().iter().filter(|it| it.vm == vm).map(Left::of).collect(),
            turns: world.story(vm),
            decisions: world
                .probed()
                .iter()
                .map(|probed| ToldDecision::of(probed, world, outcome(world, vm, probed)))
                .collect(),
        }
    }

    /// The story in words.
    #[must_use]
    pub fn text(&self) -> String {
        let Self { vm, request, cores, memory_gib, .. } = self;
        let mut text = format!("VM {vm} of request {request}: {cores} cores, {memory_gib} GiB.\n");
        if self.decisions.is_empty() {
            text += "No agent decided about it: another VM of its request was refused first, or the trace ended.\n";
        }
        text + &self.course()
    }

    /// Decisions and events in chronological order. In one instant, incidents precede decisions and commits follow
    /// them.
    fn course(&self) -> String {
        let decisions = self.decisions.iter().map(|it| ((it.time_ms, 1), it.text()));
        let turns = self.turns.iter().map(|it| ((it.at.0, if it.by_incident { 0 } else { 2 }), turn(it)));
        let mut course: Vec<_> = decisions.chain(turns).collect();
        course.sort_by_key(|(order, _)| *order);
        course.into_iter().map(|(_, text)| text).collect()
    }
}

fn turn(turn: &Turn) -> String {
    format!("\n{}: it {}{}.\n", moment(turn.at.0), turn.what, turn.why)
}

/// The word used in files.
const fn fate_word(fate: Fate) -> &'static str {
    match fate {
        Fate::Evicted { .. } => "evicted",
        Fate::Waiting { .. } => "waiting",
        Fate::Reallocated { .. } => "reallocated",
        Fate::Migrated { .. } => "migrated",
        Fate::Lost { .. } => "lost",
        Fate::Ended { .. } => "ended",
    }
}

impl Left {
    fn of(left: &Disruption) -> Self {
        let Disruption { time, from, since, reason, .. } = *left;
        Self { time_ms: time.0, machine: from.0, since_ms: since.0, reason: reason.word() }
    }
}

/// How the decision ended: the first answer to this attempt after the decision, because a VM may be reallocated
/// several times.
fn outcome(world: &World, vm: VmId, probed: &Probed) -> &'static str {
    let Probed { cause, attempt, time, .. } = *probed;
    let asked = |decision: &Decision| (decision.vm, decision.cause, decision.attempt) == (vm, cause, attempt);
    let same = |decision: &&Decision| asked(decision) && decision.time >= time;
    let decision = world.decisions().iter().find(same);
    decision.map_or("not committed when the trace ended", |decision| decision.outcome.word())
}

/// An amount in its display unit.
fn shown(amounts: Resources, resource: Resource) -> f64 {
    f64::from(amounts[resource]) / resource.unit().1
}

impl ToldDecision {
    fn of(probed: &Probed, world: &World, outcome: &'static str) -> Self {
        let fleet: &Fleet = world.plan().fleet();
        let explanation = &probed.explanation;
        let Explanation { funnel, winner, runner_up, decided_by, asked, avoided, refusal, .. } = explanation;
        Self {
            time_ms: probed.time.0,
            cause: probed.cause.word(),
            agent: probed.agent,
            attempt: probed.attempt,
            cache: probed.cache.word(),
            outcome,
            cluster_steps: funnel.cluster_steps.iter().map(StepRow::of).collect(),
            steps: funnel.steps.iter().map(StepRow::of).collect(),
            best_set_size: avoided.unwrap_or(funnel.best.len() as u32),
            avoiding_conflicts: avoided.is_some(),
            because: explanation.sentence(fleet).to_string(),
            decided_by: *decided_by,
            winner: winner.as_ref().map(Card::of),
            runner_up: runner_up.as_ref().map(Card::of),
            asked: asked.as_ref().map(Card::of),
            why_not_asked: explanation.why_not_sentence(fleet).map(|told| told.to_string()),
            refusal: refusal.as_ref().map(RefusalRow::of),
        }
    }

    fn text(&self) -> String {
        let who = match self.agent {
            Some(agent) => format!("{}, agent {agent}, attempt {}", self.cause, self.attempt + 1),
            None => "alive when the trace began".into(),
        };
        let when = moment(self.time_ms);
        let mut text = format!("\n{when}, {who}, caches {}: {}\n", self.cache, self.outcome);
        text += &funnel("Clusters", &self.cluster_steps);
        text += &funnel("Machines", &self.steps);
        text += &format!("  {}\n", self.because);
        text += &self.refusal.as_ref().map(RefusalRow::text).unwrap_or_default();
        text += &self.side_by_side();
        if let Some(why) = &self.why_not_asked {
            text += &format!("  {why}\n");
        }
        text
    }

    fn side_by_side(&self) -> String {
        let cards = [("winner", &self.winner), ("runner-up", &self.runner_up), ("asked", &self.asked)];
        let cards: Vec<_> = cards.iter().filter_map(|(role, card)| Some((role, card.as_ref()?))).collect();
        let Some((_, first)) = cards.first() else { return String::new() };
        let head = cards.iter().map(|(role, card)| format!("{role}: {}", card.machine));
        let mut rows = vec![std::iter::once("Rule".to_owned()).chain(head).collect()];
        rows.push(
            std::iter::once("in cluster".to_owned())
                .chain(cards.iter().map(|(_, card)| card.cluster.to_string()))
                .collect(),
        );
        for (index, verdict) in first.verdicts.iter().enumerate() {
            let cells = cards.iter().map(|(_, card)| card.verdicts[index].text());
            rows.push(std::iter::once(verdict.rule.to_owned()).chain(cells).collect());
        }
        table(&rows)
    }
}

impl RefusalRow {
    fn of(refusal: &RefusalByRule) -> Self {
        Self {
            machines: refusal.machines,
            rules: refusal.rules.iter().map(RefuserRow::of).collect(),
            closest: refusal.closest.map(|Shortage { machine, short }| Lacking::of(machine.0, short)),
            too_large_for_cluster: refusal.too_large.map(|TooLarge { cluster, short }| Lacking::of(cluster.0, short)),
            closest_sentence: refusal.closest_sentence().map(|told| told.to_string()),
        }
    }

    fn text(&self) -> String {
        let mut rows = vec![["Refused by", "machines", "first", "valid without it"].map(String::from).to_vec()];
        rows.extend(self.rules.iter().filter(|rule| rule.refuses > 0).map(RefuserRow::cells));
        let closest = self.closest_sentence.as_ref().map(|sentence| format!("  {sentence}\n"));
        table(&rows) + &closest.unwrap_or_default()
    }
}

impl RefuserRow {
    fn of(rule: &Refuser) -> Self {
        Self { rule: rule.rule, refuses: rule.machines, first: rule.first, alone: rule.alone }
    }

    fn cells(&self) -> Vec<String> {
        let counts = [self.refuses, self.first, self.alone].map(|machines| count(machines.into()));
        std::iter::once(self.rule.to_owned()).chain(counts).collect()
    }
}

impl Lacking {
    fn of(id: u32, short: Resources) -> Self {
        Self {
            id,
            cores: shown(short, Resource::Cores),
            memory_gib: shown(short, Resource::Memory),
            ssd_gib: shown(short, Resource::Ssd),
            network_mbps: shown(short, Resource::Network),
        }
    }
}

fn funnel(what: &str, steps: &[StepRow]) -> String {
    let mut rows = vec![[what, "given", "left"].map(String::from).to_vec()];
    let row = |step: &StepRow| vec![step.rule.to_owned(), count(step.before.into()), count(step.after.into())];
    rows.extend(steps.iter().map(row));
    table(&rows)
}

impl StepRow {
    fn of(step: &Step) -> Self {
        Self { rule: step.rule, before: step.before, after: step.after }
    }
}

impl Card {
    fn of(card: &Scorecard) -> Self {
        let verdicts = card.verdicts.iter().map(|(rule, verdict)| VerdictRow::of(rule, *verdict)).collect();
        Self { machine: card.machine.0, cluster: card.cluster.0, verdicts }
    }
}

impl VerdictRow {
    fn of(rule: &'static str, verdict: Verdict) -> Self {
        let validity = |valid| Self { rule, valid: Some(valid), score: None, bucket: None };
        match verdict {
            Verdict::Valid => validity(true),
            Verdict::Refused => validity(false),
            Verdict::Score { score, bucket, quantized } => {
                Self { rule, valid: None, score: Some(score), bucket: quantized.then_some(bucket) }
            }
        }
    }

    fn text(&self) -> String {
        match (self.valid, self.score, self.bucket) {
            (Some(true), ..) => "valid".into(),
            (Some(false), ..) => "refuses".into(),
            (None, Some(score), Some(bucket)) => format!("{score:.4} (bucket {bucket})"),
            (None, score, _) => format!("{:.4}", score.unwrap_or_default()),
        }
    }
}
