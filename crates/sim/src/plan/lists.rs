//! The lists of rules of a plan: one for the whole run, or one after the other, where a run is
//! the fork of another and decides until a moment as that one does.
//!
//! A list takes over from the one before it at one instant and for all agents, before anything
//! else happens then. What incidents made of the earlier list they make of the later one:
//! limits stay raised, and lifetime rules wait until they are rolled out.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{Time, VmShape};
use tiebreak_placement::policy::REQUIRED_RULE;
use tiebreak_placement::{Policy, PolicyError, RuleUse};

use super::{Plan, PlanError};
use crate::incidents::with_limit_raised;

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

    /// The list at this place.
    pub(crate) fn policy_at(&self, at: u32) -> &Arc<Policy> {
        &self.list(at).policy
    }

    /// The same as incidents have made it: with limits raised by so many points, and without its lifetime rules where
    /// those wait to be rolled out. None when they make nothing of it.
    pub(crate) fn policy_changed(&self, at: u32, points: f64, lifetimes_off: bool) -> Option<Arc<Policy>> {
        let list = self.list(at);
        let raised = list.policy_raised(points, lifetimes_off);
        raised.or_else(|| self.rolls_out_lifetimes().then(|| list.policy(lifetimes_off)))
    }

    /// When each list but the first takes over, and its place.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Time, u32)> + '_ {
        self.lists[..self.lists.len() - 1].iter().map(|list| list.until).zip(1..)
    }
}
