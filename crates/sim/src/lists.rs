//! The lists of rules of a plan: one for the whole run, or one after the other, where a run is
//! the fork of another and decides until a moment as that one does.
//!
//! A list takes over from the one before it at one instant and for all agents, before anything
//! else happens then. What incidents made of the earlier list they make of the later one:
//! limits stay raised, and lifetime rules wait until they are rolled out.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{MachineId, Time, VmShape};
use tiebreak_placement::policy::REQUIRED_RULE;
use tiebreak_placement::{Policy, PolicyError, RuleUse};

use crate::disruptions::Disruptions;
use crate::event::Queue;
use crate::incidents::with_limit_raised;
use crate::plan::{Plan, PlanError};
use crate::world::World;

/// A list of rules that holds until a moment.
#[derive(Clone, Debug)]
pub struct RulesUntil {
    /// When the next list takes over; at or before the beginning of the trace it always has.
    pub until: Time,
    /// The rules, in order.
    pub rules: Vec<RuleUse>,
    /// How many of the best clusters the machine stage looks at.
    pub best_clusters: u32,
}

/// One list of a plan.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// When the next one takes over; the last one holds for good.
    until: Time,
    rules: Vec<RuleUse>,
    best_clusters: u32,
    policy: Arc<Policy>,
}

impl List {
    /// The last list. `AreNodeResourcesValid` is added when it lacks it.
    pub(crate) fn new(rules: &[RuleUse], best_clusters: u32) -> Result<Self, PolicyError> {
        let mut rules: Vec<_> = rules.to_vec();
        if !rules.iter().any(|rule| rule.id == REQUIRED_RULE) {
            rules.insert(0, RuleUse::plain(REQUIRED_RULE, None));
        }
        let policy = Arc::new(Policy::new(&rules, best_clusters)?);
        Ok(Self { until: Time::NEVER, rules, best_clusters, policy })
    }

    /// The list with all of its rules.
    pub(crate) fn policy_whole(&self) -> &Policy {
        &self.policy
    }

    fn asks_for_lifetimes(&self) -> bool {
        self.policy.asks_for_lifetimes()
    }

    /// Whether both lists say the same, whenever they hold.
    fn says_the_same(&self, other: &Self) -> bool {
        (&self.rules, self.best_clusters) == (&other.rules, other.best_clusters)
    }

    fn rules(&self, lifetimes_off: bool) -> Vec<RuleUse> {
        let kept = |rule: &&RuleUse| !lifetimes_off || !asks_for_lifetimes(rule);
        self.rules.iter().filter(kept).cloned().collect()
    }

    /// The list with or without the rules that ask for lifetimes.
    fn policy(&self, lifetimes_off: bool) -> Arc<Policy> {
        let fewer = || Policy::new(&self.rules(true), self.best_clusters).expect("a list is one with fewer rules");
        if lifetimes_off { Arc::new(fewer()) } else { self.policy.clone() }
    }

    /// The same with its limit so many points higher; none when it has no limit.
    fn policy_raised(&self, points: f64, lifetimes_off: bool) -> Option<Arc<Policy>> {
        let rules = with_limit_raised(self.rules(lifetimes_off), points)?;
        let raised = Policy::new(&rules, self.best_clusters);
        Some(Arc::new(raised.expect("a list that was a policy is one with another limit")))
    }
}

/// Whether a rule asks how long VMs will live.
fn asks_for_lifetimes(rule: &RuleUse) -> bool {
    Policy::new(core::slice::from_ref(rule), 1).is_ok_and(|policy| policy.asks_for_lifetimes())
}

impl Plan {
    /// The same plan with these lists before its own, in place of any it had, each until its
    /// moment. A list whose moment is not after the beginning, and not after that of the one
    /// before it, never holds; one that says what the next one says is that one.
    ///
    /// # Errors
    /// When the rules of one are no list.
    pub fn with_changes(mut self, changes: &[RulesUntil]) -> Result<Self, PlanError> {
        let mut lists: Vec<List> = Vec::new();
        for RulesUntil { until, rules, best_clusters } in changes {
            let before = lists.last().map_or(Time::ZERO, |list| list.until);
            if *until > before {
                lists.push(List { until: *until, ..List::new(rules, *best_clusters).map_err(PlanError::Policy)? });
            }
        }
        lists.extend(self.lists.pop());
        lists.reverse();
        lists.dedup_by(|earlier, later| earlier.says_the_same(later));
        lists.reverse();
        self.lists = lists;
        Ok(self)
    }

    /// The list at this place; the last one is at the end.
    fn list(&self, at: u32) -> &List {
        &self.lists[at as usize]
    }

    /// The list that holds first.
    fn first_list(&self) -> &List {
        self.list(0)
    }

    /// Whether any list asks how long VMs will live.
    pub(crate) fn rules_ask_for_lifetimes(&self) -> bool {
        self.lists.iter().any(List::asks_for_lifetimes)
    }

    /// From when on predicted lives are shown to agents: before, no list has asked for any, so
    /// that a run is until then what it would be without the lists that do.
    pub(crate) fn lifetimes_from(&self) -> Time {
        let Some(asking) = self.lists.iter().position(List::asks_for_lifetimes) else { return Time::NEVER };
        asking.checked_sub(1).map_or(Time::ZERO, |before| self.lists[before].until)
    }

    /// Whether any list lets a VM of this shape put out ones of lower priority.
    pub(crate) fn ever_lets_evict(&self, vm: &VmShape) -> bool {
        self.lists.iter().any(|list| list.policy.lets_evict(vm))
    }

    /// The list that places the VMs alive when the trace began (LAVA appendix F).
    pub(crate) fn policy_at_start(&self) -> Arc<Policy> {
        let baseline_start = self.lifetimes().is_some_and(|terms| terms.baseline_start);
        self.first_list().policy(baseline_start || self.rolls_out_lifetimes())
    }

    /// The list that agents begin with: without its lifetime rules where those are rolled out
    /// during the run.
    pub(crate) fn policy_after_start(&self) -> Arc<Policy> {
        self.first_list().policy(self.rolls_out_lifetimes())
    }
}

impl Disruptions {
    /// The list at this place as incidents have made it by now; none when they make nothing of it.
    fn policy_of(&self, plan: &Plan, at: u32) -> Option<Arc<Policy>> {
        let (list, lifetimes_off) = (plan.list(at), self.lifetimes_off);
        let raised = list.policy_raised(self.limits_raised, lifetimes_off);
        raised.or_else(|| plan.rolls_out_lifetimes().then(|| list.policy(lifetimes_off)))
    }
}

/// Schedules the moments at which lists of a plan take over.
pub(crate) fn schedule(plan: &Plan, queue: &mut Queue) {
    for (index, list) in (1..).zip(&plan.lists[..plan.lists.len() - 1]) {
        queue.schedule_list(list.until, index);
    }
}

impl World {
    /// The list at this place takes over.
    pub(crate) fn take_over(&mut self, at: u32) {
        self.list = at;
        let policy = self.disrupted.policy_of(&self.plan, at);
        self.use_policy(policy.unwrap_or_else(|| self.plan.list(at).policy.clone()));
        // What the list before did would be added to other rules.
        self.shares.begin_anew();
        if self.now == self.lives_from {
            self.show_lifetimes();
        }
    }

    /// Makes of the list that holds what incidents ask for by now, if that is anything.
    pub(crate) fn change_policy(&mut self) {
        let Some(policy) = self.disrupted.policy_of(&self.plan, self.list) else { return };
        if policy.rule_ids().ne(self.policy.rule_ids()) {
            self.shares.begin_anew();
        }
        self.use_policy(policy);
    }

    /// Gives all agents this list. They keep their views and start with fresh caches.
    fn use_policy(&mut self, policy: Arc<Policy>) {
        let (caches, bytes) = self.plan.cache_terms();
        self.policy = policy;
        for agent in &mut self.agents {
            agent.allocator.change_policy(self.policy.clone(), caches, bytes);
        }
    }

    /// From now on what is predicted of machines is published, first of all of them as they stand.
    fn show_lifetimes(&mut self) {
        for agent in &mut self.agents {
            agent.lifetimes = self.plan.lifetimes();
        }
        for machine in (0..self.plan.fleet.machine_count()).map(MachineId) {
            let before = self.store.occupancy().record(machine);
            let after = self.rated(machine, before);
            if after != before {
                self.store.set(self.now, machine, after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::trial::{Trial, incident, minute};
    use crate::incidents::{IncidentUse, raise_cluster_limit::RaiseClusterLimit, roll_out_lifetimes::RollOutLifetimes};
    use crate::record::{Decision, Outcome};
    use crate::world::Probe;
    use alloc::vec;

    /// Sixteen machines, of which one VM after the other takes one, or all take the same.
    fn trial() -> Trial {
        let mut trial = Trial::new(16, 4).rule("IsClusterBelowLimit", &[100.0]);
        for vm in 0..8 {
            trial = trial.vms(1, 1, (10 * (vm + 1), 1_000));
        }
        trial
    }

    /// The rules of a trial with this fit in place of theirs.
    fn rules(trial: &Trial, fit: &str) -> Vec<RuleUse> {
        let preferences = ["PreferNonEmptyMachines", "BestFit", "PreferLeastUsedRack"];
        let others = trial.rules.iter().filter(|rule| !preferences.contains(&rule.id.as_str()));
        others.cloned().chain([RuleUse::plain(fit, None)]).collect()
    }

    fn until(minutes: i64, rules: Vec<RuleUse>) -> RulesUntil {
        RulesUntil { until: minute(minutes), rules, best_clusters: 1 }
    }

    fn run(plan: Plan) -> World {
        let mut world = World::new(plan);
        world.keep_decisions();
        world.set_probe(Some(Probe { vm: None, asked: None }));
        world.run();
        world
    }

    /// Machines that hold a VM after each decision.
    fn busy(world: &World) -> Vec<usize> {
        let machines = |end: usize| {
            let mut machines: Vec<_> = world.decisions()[..=end].iter().filter_map(|it| it.machine).collect();
            machines.sort_unstable();
            machines.dedup();
            machines.len()
        };
        (0..world.decisions().len()).map(machines).collect()
    }

    #[test]
    fn each_list_decides_until_its_moment() {
        let trial = trial();
        let (pack, spread) = (rules(&trial, "BestFit"), rules(&trial, "WorstFit"));
        let last = Trial { rules: spread.clone(), ..trial };
        for (changes, expected) in [
            (vec![], [1, 2, 3, 4, 5, 6, 7, 8]),
            (vec![until(45, pack.clone())], [1, 1, 1, 1, 2, 3, 4, 5]),
            // The moment is before the request of the same instant.
            (vec![until(40, pack.clone())], [1, 1, 1, 2, 3, 4, 5, 6]),
            (vec![until(25, spread.clone()), until(55, pack.clone())], [1, 2, 2, 2, 2, 3, 4, 5]),
            (vec![until(0, pack.clone())], [1, 2, 3, 4, 5, 6, 7, 8]),
            (vec![until(2_000, pack.clone())], [1, 1, 1, 1, 2, 2, 2, 2]),
            (
                vec![until(-5, pack.clone()), until(25, pack.clone()), until(15, spread.clone())],
                [1, 1, 2, 3, 4, 5, 6, 7],
            ),
        ] {
            for caches in [true, false] {
                let moments: Vec<_> = changes.iter().map(|change| change.until).collect();
                let world = run(last.plan(caches, &[]).with_changes(&changes).expect("lists"));
                assert_eq!(busy(&world), expected, "{moments:?}, caches {caches}");
            }
        }
    }

    #[test]
    fn a_decision_is_explained_by_the_list_that_held() {
        let trial = trial();
        let pack = rules(&trial, "BestFit");
        let last = Trial { rules: rules(&trial, "WorstFit"), ..trial };
        let world = run(last.plan(true, &[]).with_changes(&[until(45, pack)]).expect("lists"));
        for probed in world.probed() {
            let rules: Vec<_> = probed.explanation.funnel.steps.iter().map(|step| step.rule).collect();
            let (held, other) =
                if probed.time < minute(45) { ("BestFit", "WorstFit") } else { ("WorstFit", "BestFit") };
            assert!(rules.contains(&held) && !rules.contains(&other), "{:?}: {rules:?}", probed.time);
        }
        assert_eq!(world.probed().len(), 8);
        let told: Vec<_> = world.summary().rule_shares.iter().map(|share| (share.rule, share.samples)).collect();
        assert!(told.contains(&("WorstFit", 4)) && !told.iter().any(|(rule, _)| *rule == "BestFit"), "{told:?}");
    }

    #[test]
    fn the_same_list_again_is_no_change() {
        let trial = trial();
        let plain = trial.plan(true, &[]);
        for until in [until(45, trial.rules.clone()), until(0, trial.rules.clone())] {
            let plan = plain.clone().with_changes(&[until]).expect("lists");
            assert_eq!(plan.lists.len(), 1);
        }
        let other = RulesUntil { best_clusters: 2, ..until(45, trial.rules.clone()) };
        assert_eq!(plain.clone().with_changes(&[other]).expect("lists").lists.len(), 2);
        let wrong = until(45, vec![RuleUse::plain("NoSuchRule", None)]);
        assert!(plain.with_changes(&[wrong]).is_err());
    }

    fn placed(world: &World) -> usize {
        let is_placed = |it: &&Decision| it.outcome == Outcome::Placed;
        world.decisions().iter().filter(is_placed).count()
    }

    /// Raised by 40 points, the limit of the second list is as high as that of the first.
    #[test]
    fn what_was_raised_stays_raised_under_the_next_list() {
        let limit = |limit: f64| Trial::new(1, 1).rule("IsClusterBelowLimit", &[limit]).rules;
        let mut trial = Trial { rules: limit(25.0), ..Trial::new(1, 1) };
        for vm in 0..4 {
            trial = trial.vms(1, 1, (10 * (vm + 1), 1_000));
        }
        let raised: &[IncidentUse] = &[incident(15, &RaiseClusterLimit { points: 40.0 })];
        for (incidents, expected) in [(&[][..], 2), (raised, 2 + 1)] {
            let changes = [until(25, limit(60.0))];
            let world = run(trial.plan(true, incidents).with_changes(&changes).expect("lists"));
            assert_eq!(placed(&world), expected, "{} incidents", incidents.len());
        }
    }

    /// Nothing is shown of predicted lives, and nothing decided by them, before a list asks.
    #[test]
    fn lifetimes_are_shown_from_the_first_list_that_asks() {
        let mut trial = trial();
        let before = trial.rules.clone();
        trial.rules.push(RuleUse::plain("TemporalCost", None));
        let roll_out: &[IncidentUse] = &[incident(55, &RollOutLifetimes {})];
        for (changes, incidents, from) in [
            (vec![], &[][..], Time::ZERO),
            (vec![until(45, before.clone())], &[], minute(45)),
            (vec![until(45, before)], roll_out, minute(45)),
        ] {
            let plan = trial.plan(true, incidents).with_changes(&changes).expect("lists");
            assert!(plan.asks_for_lifetimes());
            let mut world = World::new(plan);
            while !world.advance(1).done {
                let shown = |id| world.store.occupancy().record(MachineId(id)).life != tiebreak_model::HostLife::EMPTY;
                let any = (0..16).any(shown);
                assert_eq!(any, world.now >= from.max(minute(10)) && placed_any(&world), "at {:?}", world.now);
            }
            let card = |at| world.host_card(MachineId(0), at).is_some();
            assert_eq!((card(minute(44)), card(minute(45))), (from <= minute(44), true));
        }
    }

    fn placed_any(world: &World) -> bool {
        world.occupancy().zone().busy > 0
    }
}
