//! One policy replaces another, or incidents change the current one.

use alloc::sync::Arc;

use tiebreak_model::{Time, Workload};
use tiebreak_placement::Policy;

use super::World;
use crate::affinity::Affinity;
use crate::incidents::disruptions::Disruptions;
use crate::lifetimes::Lives;

/// The current rules.
pub(super) struct Rules {
    /// The index of the current policy in the plan.
    pub(super) list: u32,
    /// That policy, as changed by incidents.
    pub(super) policy: Arc<Policy>,
    /// Whether the store has to check that they are kept.
    pub(super) make_promises: bool,
}

impl Rules {
    /// The policy at this index, or as changed by incidents, in a run of this workload.
    pub(super) fn new(list: u32, policy: Arc<Policy>, workload: &Workload) -> Self {
        Self { list, make_promises: policy.makes_promises(workload.shapes()), policy }
    }
}

impl World {
    /// The policy at this index takes over.
    pub(super) fn take_over(&mut self, at: u32) {
        self.rules.list = at;
        let policy = self.policy_changed();
        self.use_policy(policy.unwrap_or_else(|| self.plan.policy_at(at).clone()));
        // The sums of the previous policy would be added to other rules.
        self.observed.shares.begin_anew();
        let begins = |from: Option<Time>| from == Some(self.now);
        if begins(self.systems.lives.as_ref().map(Lives::shown_from)) {
            self.show_lifetimes();
        } else if begins(self.systems.affinity.as_ref().map(Affinity::shown_from)) {
            self.rate_all_again();
        }
    }

    /// Applies the changes that incidents have requested so far to the current policy.
    pub(super) fn change_policy(&mut self) {
        let Some(policy) = self.policy_changed() else { return };
        if policy.rule_ids().ne(self.rules.policy.rule_ids()) {
            self.observed.shares.begin_anew();
        }
        self.use_policy(policy);
    }

    /// The current policy with the incidents' changes; `None` if there are none.
    fn policy_changed(&self) -> Option<Arc<Policy>> {
        let Disruptions { limits_raised, lifetimes_off, .. } = &self.systems.incidents;
        self.plan.policy_changed(self.rules.list, *limits_raised, *lifetimes_off)
    }

    /// Counts placements from now on, in the store and in all views. No earlier policy read the order of use, so
    /// until now the run is the same as without the policies that do.
    fn count_uses(&mut self) {
        self.store.count_uses();
        self.team.agents.iter_mut().for_each(|agent| agent.allocator.view_mut().count_uses());
    }

    /// Gives all agents this policy. They keep their views and start with empty caches.
    fn use_policy(&mut self, policy: Arc<Policy>) {
        if policy.asks_for_uses() {
            self.count_uses();
        }
        let (caches, bytes) = self.plan.cache_terms();
        self.rules = Rules::new(self.rules.list, policy, &self.plan.workload);
        for agent in &mut self.team.agents {
            agent.allocator.change_policy(self.rules.policy.clone(), caches, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidents::{IncidentUse, raise_cluster_limit::RaiseClusterLimit, roll_out_lifetimes::RollOutLifetimes};
    use crate::plan::Plan;
    use crate::plan::lists::RulesUntil;
    use crate::record::{Decision, Outcome};
    use crate::world::probing::Probe;
    use crate::world::trial::{Trial, incident, minute};
    use alloc::vec;
    use alloc::vec::Vec;
    use tiebreak_model::MachineId;
    use tiebreak_placement::RuleUse;

    /// Sixteen machines; VMs are either spread over them or packed on one.
    fn trial() -> Trial {
        let mut trial = Trial::new(16, 4).rule("IsClusterBelowLimit", &[100.0]);
        for vm in 0..8 {
            trial = trial.vms(1, 1, (10 * (vm + 1), 1_000));
        }
        trial
    }

    /// The rules of a trial with its fit rule replaced.
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

    /// The number of machines with a VM after each decision.
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
            // The moment comes before the request of the same instant.
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

    /// After a raise by 40 points, the second policy's limit equals the first one's.
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

    /// Predicted lifetimes are neither published nor used before a policy reads them.
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
                let shown = |id| world.occupancy().record(MachineId(id)).life != tiebreak_model::HostLife::EMPTY;
                let any = (0..16).any(shown);
                assert_eq!(any, world.now >= from.max(minute(10)) && placed_any(&world), "at {:?}", world.now);
            }
            let card = |at| world.host_card(MachineId(0), at).is_some();
            assert_eq!((card(minute(44)), card(minute(45))), (from <= minute(44), true));
        }
    }

    /// Classes of affinity groups are neither published nor used before a policy reads them, although an earlier one
    /// reads predicted lifetimes: with coarse detection, a class that changes would refuse commits.
    #[test]
    fn affinity_is_shown_from_the_first_list_that_asks() {
        let mut trial = trial();
        trial.rules.push(RuleUse::plain("TemporalCost", None));
        let before = trial.rules.clone();
        trial.rules.push(RuleUse::plain("DebtAwareAffinity", None));
        for (changes, from) in [(vec![], Time::ZERO), (vec![until(45, before)], minute(45))] {
            let mut world = World::new(trial.plan(true, &[]).with_changes(&changes).expect("lists"));
            while !world.advance(1).done {
                let any = (0..16).any(|id| world.occupancy().record(MachineId(id)).life.affinity > 0);
                assert_eq!(any, world.now >= from.max(minute(10)) && placed_any(&world), "at {:?}", world.now);
            }
        }
    }

    fn placed_any(world: &World) -> bool {
        world.occupancy().zone().busy > 0
    }
}
