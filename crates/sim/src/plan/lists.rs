//! The policies of a plan: one for the whole run, or several in sequence if a run is the fork of another and makes
//! the same decisions until a moment.
//!
//! A policy replaces the previous one at one instant and for all agents, before any other event of that instant.
//! Changes by incidents carry over: limits stay raised, and lifetime rules wait until they are rolled out.

use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::{Time, VmShape};
use tiebreak_placement::policy::REQUIRED_RULE;
use tiebreak_placement::{Policy, PolicyError, RuleUse};

use super::{Plan, PlanError};
use crate::incidents::with_limit_raised;

/// Rules that hold until a moment.
#[derive(Clone, Debug)]
pub struct RulesUntil {
    /// When the next policy takes over; at or before the start of the trace, these rules never hold.
    pub until: Time,
    /// The rules, in order.
    pub rules: Vec<RuleUse>,
    /// How many of the best clusters the machine stage searches.
    pub best_clusters: u32,
}

/// One policy of a plan.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// When the next one takes over; the last one has no end.
    until: Time,
    rules: Vec<RuleUse>,
    best_clusters: u32,
    policy: Arc<Policy>,
}

impl List {
    /// The last policy. Adds `AreNodeResourcesValid` if it is missing.
    pub(crate) fn new(rules: &[RuleUse], best_clusters: u32) -> Result<Self, PolicyError> {
        let mut rules: Vec<_> = rules.to_vec();
        if !rules.iter().any(|rule| rule.id == REQUIRED_RULE) {
            rules.insert(0, RuleUse::plain(REQUIRED_RULE, None));
        }
        let policy = Arc::new(Policy::new(&rules, best_clusters)?);
        Ok(Self { until: Time::NEVER, rules, best_clusters, policy })
    }

    /// The policy with all of its rules.
    pub(crate) fn policy_whole(&self) -> &Policy {
        &self.policy
    }

    fn asks_for_lifetimes(&self) -> bool {
        self.policy.asks_for_lifetimes()
    }

    /// Whether both always give the same policy.
    fn says_the_same(&self, other: &Self) -> bool {
        (&self.rules, self.best_clusters) == (&other.rules, other.best_clusters)
    }

    fn rules(&self, lifetimes_off: bool) -> Vec<RuleUse> {
        let kept = |rule: &&RuleUse| !lifetimes_off || !asks_for_lifetimes(rule);
        self.rules.iter().filter(kept).cloned().collect()
    }

    /// The policy with or without the rules that read predicted lifetimes.
    fn policy(&self, lifetimes_off: bool) -> Arc<Policy> {
        let fewer = || Policy::new(&self.rules(true), self.best_clusters).expect("a list is one with fewer rules");
        if lifetimes_off { Arc::new(fewer()) } else { self.policy.clone() }
    }

    /// The same with its limit raised by this many points; `None` if it has no limit.
    fn policy_raised(&self, points: f64, lifetimes_off: bool) -> Option<Arc<Policy>> {
        let rules = with_limit_raised(self.rules(lifetimes_off), points)?;
        let raised = Policy::new(&rules, self.best_clusters);
        Some(Arc::new(raised.expect("a list that was a policy is one with another limit")))
    }
}

/// Whether a rule reads predicted lifetimes.
fn asks_for_lifetimes(rule: &RuleUse) -> bool {
    Policy::new(core::slice::from_ref(rule), 1).is_ok_and(|policy| policy.asks_for_lifetimes())
}

impl Plan {
    /// The same plan with these policies before its own, instead of any it had, each until its moment. A policy whose
    /// moment is not after the start, or not after that of the previous one, never holds. Equal consecutive policies
    /// are merged.
    ///
    /// # Errors
    /// If the rules of one are not a valid policy.
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

    /// The policy at this index; the last one is at the end.
    fn list(&self, at: u32) -> &List {
        &self.lists[at as usize]
    }

    /// The policy that holds first.
    fn first_list(&self) -> &List {
        self.list(0)
    }

    /// Whether any policy reads predicted lifetimes.
    pub(crate) fn rules_ask_for_lifetimes(&self) -> bool {
        self.lists.iter().any(List::asks_for_lifetimes)
    }

    /// When agents start to see predicted lifetimes. Before that no policy has read any, so until then the run is the
    /// same as without the policies that do.
    pub(crate) fn lifetimes_from(&self) -> Time {
        self.first_asked(List::asks_for_lifetimes)
    }

    /// When agents start to see affinity groups, likewise.
    pub(crate) fn affinity_from(&self) -> Time {
        self.first_asked(|list| list.policy.asks_for_affinity())
    }

    /// When the first policy that asks takes over.
    fn first_asked(&self, asks: impl Fn(&List) -> bool) -> Time {
        let Some(asking) = self.lists.iter().position(asks) else { return Time::NEVER };
        asking.checked_sub(1).map_or(Time::ZERO, |before| self.lists[before].until)
    }

    /// Whether any policy lets a VM of this shape evict ones of lower priority.
    pub(crate) fn ever_lets_evict(&self, vm: &VmShape) -> bool {
        self.lists.iter().any(|list| list.policy.lets_evict(vm))
    }

    /// The policy that places the VMs alive when the trace begins (LAVA appendix F).
    pub(crate) fn policy_at_start(&self) -> Arc<Policy> {
        let baseline_start = self.lifetimes().is_some_and(|terms| terms.baseline_start);
        self.first_list().policy(baseline_start || self.rolls_out_lifetimes())
    }

    /// The policy that agents begin with: without its lifetime rules if those are rolled out during the run.
    pub(crate) fn policy_after_start(&self) -> Arc<Policy> {
        self.first_list().policy(self.rolls_out_lifetimes())
    }

    /// The policy at this index.
    pub(crate) fn policy_at(&self, at: u32) -> &Arc<Policy> {
        &self.list(at).policy
    }

    /// The same with changes by incidents: limits raised by this many points, and without its lifetime rules if those
    /// are not rolled out yet. `None` if nothing changes.
    pub(crate) fn policy_changed(&self, at: u32, points: f64, lifetimes_off: bool) -> Option<Arc<Policy>> {
        let list = self.list(at);
        let raised = list.policy_raised(points, lifetimes_off);
        raised.or_else(|| self.rolls_out_lifetimes().then(|| list.policy(lifetimes_off)))
    }

    /// When each policy but the first takes over, and its index.
    pub(crate) fn changes(&self) -> impl Iterator<Item = (Time, u32)> + '_ {
        self.lists[..self.lists.len() - 1].iter().map(|list| list.until).zip(1..)
    }
}
