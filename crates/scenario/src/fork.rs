//! A variant that forks from another at a moment: until then it uses that variant's rules, and then its own. So two
//! futures with a shared past can be compared.

use tiebreak_model::{Millis, Time, declare};
use tiebreak_placement::Combining;
use tiebreak_sim::RulesUntil;

use crate::document::{RuleRow, Variant};

/// The maximum number of rule changes in a variant: its fork, the fork of its parent, and so on.
pub const FORKS_MAX: usize = 8;

declare! {
    /// What held in a variant until it forked from another one, and when that was.
    pub struct ForkSettings as "Fork" {
        /// When the variant's own rules begin to count, from the beginning of the trace; before, those
        /// of the fork do. At 0 they count from the start, after the trace ends never.
        at_hours: f64 = 0, 0 => 10000, "h";
        /// How many of the best clusters the machine stage looked at until then.
        best_clusters: u32 = 10, 1 => 64, "clusters";
        /// Whether preferences were compared by the weights set beside them until then.
        hand_weights: bool = false, 0 => 1, "";
        /// How weights made one order until then.
        combining: Combining = 0, 0 => 2, "";
    }
}

/// What applied in a variant until it forked from another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Fork {
    /// The name of the parent variant, for people: the parent may have changed since, or may no longer exist.
    pub from: String,
    /// See [`ForkSettings::at_hours`].
    pub at_hours: f64,
    /// Every rule, as the parent had them then.
    pub rules: Vec<RuleRow>,
    /// See [`ForkSettings::best_clusters`].
    pub best_clusters: u32,
    /// See [`ForkSettings::hand_weights`].
    pub hand_weights: bool,
    /// See [`ForkSettings::combining`].
    pub combining: Combining,
    /// If the parent was itself a fork at an earlier moment: what applied until then.
    pub before: Option<Box<Self>>,
}

impl Fork {
    /// Makes another variant a fork of this one at a moment: with it, both make the same decisions until then. `None`
    /// if that would exceed [`FORKS_MAX`] changes of rules.
    #[must_use]
    pub fn of(parent: &Variant, at_hours: f64) -> Option<Self> {
        let Variant { name, rules, best_clusters, hand_weights, combining, fork, .. } = parent;
        let own = Self {
            from: name.clone(),
            at_hours,
            rules: rules.clone(),
            best_clusters: *best_clusters,
            hand_weights: *hand_weights,
            combining: *combining,
            before: None,
        };
        // Of the parent's past, keep only what is before the moment.
        let (mut held, mut earlier) = (own, fork.clone().map(Box::new));
        while let Some(fork) = earlier {
            if fork.at_hours < at_hours {
                held.before = Some(fork);
                break;
            }
            let Self { rules, best_clusters, hand_weights, combining, before, .. } = *fork;
            held = Self { rules, best_clusters, hand_weights, combining, ..held };
            earlier = before;
        }
        (held.chain().count() <= FORKS_MAX).then_some(held)
    }

    /// The settings outside its list.
    #[must_use]
    pub const fn settings(&self) -> ForkSettings {
        let Self { at_hours, best_clusters, hand_weights, combining, .. } = *self;
        ForkSettings { at_hours, best_clusters, hand_weights, combining }
    }

    /// Applies those settings.
    pub const fn apply_settings(&mut self, settings: ForkSettings) {
        let ForkSettings { at_hours, best_clusters, hand_weights, combining } = settings;
        self.at_hours = at_hours;
        self.best_clusters = best_clusters;
        self.hand_weights = hand_weights;
        self.combining = combining;
    }

    /// When the variant's own rules take effect.
    #[must_use]
    pub fn at(&self) -> Time {
        Time((self.at_hours * Millis::HOUR.0 as f64).round() as i64)
    }

    /// This fork and those before it, the latest first.
    pub fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |fork| fork.before.as_deref())
    }

    /// The lists that apply before the variant's own, the earliest first.
    pub(crate) fn changes(&self) -> Vec<RulesUntil> {
        let mut changes: Vec<_> = self.chain().map(Self::rules_until).collect();
        changes.reverse();
        changes
    }

    fn rules_until(&self) -> RulesUntil {
        let Self { rules, best_clusters, hand_weights, combining, .. } = self;
        let rules = RuleRow::uses(rules, hand_weights.then_some(*combining));
        RulesUntil { until: self.at(), rules, best_clusters: *best_clusters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use std::sync::Arc;
    use tiebreak_sim::{Decision, World};

    /// A generated day with this fit rule alone.
    fn variant(name: &str, fit: &str) -> Variant {
        let mut variant = Variant { name: name.into(), ..Variant::default() };
        variant.set("workload.days", "1").expect("a field");
        for id in ["PreferNonEmptyMachines", "BestFit", "PreferLeastUsedRack", "TemporalCost"] {
            variant.set(&format!("rules.{id}.on"), "false").expect(id);
        }
        variant.set(&format!("rules.{fit}.on"), "true").expect(fit);
        variant
    }

    fn decisions(variant: &Variant) -> Vec<Decision> {
        let workload = Arc::new(variant.generate().expect("a generated workload"));
        let mut world = World::new(variant.plan(workload).expect("a plan"));
        world.keep_decisions();
        world.run();
        world.decisions().to_vec()
    }

    fn until(decisions: &[Decision], hours: f64) -> Vec<Decision> {
        let end = Time((hours * Millis::HOUR.0 as f64) as i64);
        decisions.iter().filter(|it| it.time < end).copied().collect()
    }

    #[test]
    fn a_fork_shares_the_past_and_has_its_own_future() {
        let parent = variant("A", "BestFit");
        let past = decisions(&parent);
        for (fit, other) in [("WorstFit", true), ("BestFit", false), ("LifetimeAlignment", true)] {
            let child = Variant { fork: Fork::of(&parent, 12.5), ..variant("B", fit) };
            let both = decisions(&child);
            assert_eq!(until(&both, 12.5), until(&past, 12.5), "{fit}");
            assert!(until(&past, 12.5).len() > 100);
            assert_eq!(both != past, other, "{fit}");
        }
    }

    #[test]
    fn a_fork_of_a_fork_has_the_past_of_both() {
        let a = variant("A", "BestFit");
        let b = Variant { fork: Fork::of(&a, 6.0), ..variant("B", "WorstFit") };
        let all = decisions(&b);
        for (at_hours, moments) in [(12.0, &[12.0, 6.0][..]), (6.0, &[6.0]), (3.0, &[3.0])] {
            let c = Variant { fork: Fork::of(&b, at_hours), ..variant("C", "FirstFit") };
            let fork = c.fork.as_ref().expect("a fork");
            assert_eq!((fork.from.as_str(), fork.chain().map(|it| it.at_hours).collect()), ("B", moments.to_vec()));
            assert_eq!(until(&decisions(&c), at_hours), until(&all, at_hours), "{at_hours}");
        }
    }

    #[test]
    fn there_are_at_most_eight_changes() {
        let mut latest = variant("A", "BestFit");
        for at in 1..=FORKS_MAX {
            latest.fork = Some(Fork::of(&latest, at as f64).expect("few changes"));
        }
        assert_eq!(Fork::of(&latest, 9.0), None);
        assert_eq!(Fork::of(&latest, 8.0).map(|fork| fork.chain().count()), Some(8));
        assert_eq!(Fork::of(&latest, 0.0).map(|fork| fork.chain().count()), Some(1));
        let mut document = Document { variants: vec![latest.clone()], ..Document::default() };
        assert_eq!(document.fork(0, Some(9.0)), None);
        assert_eq!(document.fork(0, Some(8.0)), Some(1));
        assert_eq!((&document.variants[0], document.variants.len()), (&latest, 2));
        assert_eq!(document.variants[1].fork, Fork::of(&latest, 8.0));
    }
}
