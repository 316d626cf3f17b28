//! The rule list as displayed: which rows are shown, which are folded, and the new position of a moved row in the
//! whole list.

use std::collections::BTreeSet;

use tiebreak_app::Outcome;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_placement::{Combining, Group};
use tiebreak_scenario::{RuleRow, Variant};

/// The rules of one stage in order.
#[derive(Debug, Default)]
pub struct Stage<'a> {
    /// Those that had an effect, and those that were on at any time since the document was opened: a rule that is
    /// switched off stays within reach.
    pub listed: Vec<&'a RuleRow>,
    /// Those that are on without effect, and those that were always off.
    pub folded: Vec<&'a RuleRow>,
}

impl<'a> Stage<'a> {
    /// The stage of a variant; `used` rules were on at some time, and of these the `idle` ones had no effect.
    #[must_use]
    pub fn new(variant: &'a Variant, group: Group, used: &BTreeSet<String>, idle: &BTreeSet<String>) -> Self {
        let is_listed = |row: &&RuleRow| (row.on || used.contains(&row.id)) && !idle.contains(&row.id);
        let (listed, folded) = variant.rules_of(group).partition(is_listed);
        Self { listed, folded }
    }

    /// A short summary of the folded rows.
    #[must_use]
    pub fn folded_in_words(&self) -> String {
        let idle = self.folded.iter().filter(|row| row.on).count();
        let off = self.folded.len() - idle;
        let counted = |count: usize, one, many| (count > 0).then(|| words::counted(count as f64, one, many));
        let idle = counted(idle, mark("idle rule"), mark("idle rules"));
        let off = counted(off, mark("more rule"), mark("more rules"));
        idle.into_iter().chain(off).collect::<Vec<_>>().join(", ")
    }

    /// The displayed rows among which a rule moves.
    #[must_use]
    pub fn rows_around(&self, id: &str) -> &[&'a RuleRow] {
        if self.folded.iter().any(|row| row.id == id) { &self.folded } else { &self.listed }
    }
}

/// A rule's index among the displayed rows, and their number.
#[must_use]
pub fn place(rows: &[&RuleRow], id: &str) -> (usize, usize) {
    (rows.iter().position(|row| row.id == id).unwrap_or(0), rows.len())
}

/// The new index in the whole stage of a rule that moves to an index among the displayed rows: right before the row
/// it passes upwards, right after the one it passes downwards.
#[must_use]
pub fn place_in_stage(variant: &Variant, group: Group, rows: &[&RuleRow], id: &str, to: usize) -> usize {
    let in_stage = |id: &str| variant.rules_of(group).position(|row| row.id == id).unwrap_or(0);
    // Removed from the list, the rule no longer counts before those below it.
    in_stage(rows.get(to).or(rows.last()).map_or(id, |passed| &passed.id))
}

/// How preferences are compared, in a sentence or two for above the list.
#[must_use]
pub fn about_order(variant: &Variant) -> &'static str {
    if !variant.hand_weights {
        return tr("Each rule only breaks the ties that the rules above it left. Drag a rule, or change its buckets.");
    }
    match variant.combining {
        Combining::Majority => tr("Preferences are weighed together: of two machines, the one that wins the larger \
             total weight is better. Their order does not matter."),
        Combining::Sum => {
            tr("Preferences are weighed together: a machine's scores are multiplied by their weights and \
             added up, and the least sum is best. Their order does not matter.")
        }
        Combining::NormalisedSum => tr("Preferences are weighed together: a machine's scores, from 0 for the best \
             candidate to 1 for the worst, are multiplied by their weights and added up, and the least sum is best. \
             Their order does not matter."),
    }
}

/// Whether manual weights formed cycles in a run, in one sentence.
#[must_use]
pub fn about_circles(outcome: &Outcome) -> Option<String> {
    let (circular, sampled) = outcome.result.as_ref()?.circles;
    (circular > 0).then(|| {
        say(
            "The weights were circular in {} of {} sampled decisions; then the machines that win the most comparisons \
             are chosen.",
            &[&words::count(f64::from(circular)), &words::count(f64::from(sampled))],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP: Group = Group::MachinePreferences;

    /// The first of the machine preferences; those in brackets are off.
    fn variant(list: &str) -> (Variant, String) {
        let mut variant = Variant::default();
        let mut ids: Vec<_> = variant.rules_of(GROUP).map(|row| row.id.clone()).collect();
        ids.truncate(list.split(' ').count());
        variant
            .rules
            .retain(|row| tiebreak_placement::policy::group_of(&row.id) != Some(GROUP) || ids.contains(&row.id));
        for (id, name) in ids.iter().zip(list.split(' ')) {
            let row = variant.rules.iter_mut().find(|row| row.id == *id).expect("a rule");
            row.on = !name.starts_with('(');
        }
        (variant, ids.join(" "))
    }

    fn named(variant: &Variant, ids: &str, list: &str) -> String {
        let names: Vec<_> = list.split(' ').collect();
        let name = |row: &RuleRow| names[ids.split(' ').position(|id| id == row.id).expect("a rule")];
        variant.rules_of(GROUP).map(name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_rule_passes_the_rows_it_is_shown_with() {
        for (list, rule, to, expected) in [
            ("a (b) c d", 2, 0, "c a (b) d"),
            ("a (b) c d", 0, 1, "(b) c a d"),
            ("a (b) c d", 0, 2, "(b) c d a"),
            ("a (b) c d", 0, 99, "(b) c d a"),
            ("a (b) c d", 3, 1, "a (b) d c"),
            ("a (b) c d", 3, 2, "a (b) c d"),
            ("a (b) c (d)", 3, 0, "a (d) (b) c"),
            ("(a) b (c)", 0, 1, "b (c) (a)"),
        ] {
            let (mut variant, ids) = variant(list);
            let id = ids.split(' ').nth(rule).expect("a rule").to_owned();
            let stage = Stage::new(&variant, GROUP, &BTreeSet::new(), &BTreeSet::new());
            let place = place_in_stage(&variant, GROUP, stage.rows_around(&id), &id, to);
            assert!(variant.move_rule(&id, place));
            assert_eq!(named(&variant, &ids, list), expected, "{list}, {rule} to {to}");
        }
    }

    #[test]
    fn a_rule_that_was_on_keeps_its_row() {
        let (mut variant, ids) = variant("a (b) c");
        let id = |at: usize| ids.split(' ').nth(at).expect("a rule").to_owned();
        let used = [id(0), id(2)].into();
        variant.rules.iter_mut().filter(|row| row.id == id(0)).for_each(|row| row.on = false);
        let stage = Stage::new(&variant, GROUP, &used, &BTreeSet::new());
        let shown = |rows: &[&RuleRow]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
        assert_eq!((shown(&stage.listed), shown(&stage.folded)), (vec![id(0), id(2)], vec![id(1)]));
    }

    #[test]
    fn every_way_to_compare_preferences_has_its_own_words() {
        let weighted = Combining::ALL.map(|combining| Variant { hand_weights: true, combining, ..Variant::default() });
        let told: BTreeSet<_> = weighted.iter().chain([&Variant::default()]).map(about_order).collect();
        assert_eq!(told.len(), 4, "{told:?}");
    }

    #[test]
    fn an_idle_rule_is_folded_away() {
        let (variant, ids) = variant("a (b) c");
        let id = |at: usize| ids.split(' ').nth(at).expect("a rule").to_owned();
        let stage = Stage::new(&variant, GROUP, &[id(0), id(2)].into(), &[id(2)].into());
        let shown = |rows: &[&RuleRow]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
        assert_eq!((shown(&stage.listed), shown(&stage.folded)), (vec![id(0)], vec![id(1), id(2)]));
        assert_eq!(stage.folded_in_words(), "1 idle rule, 1 more rule");
    }
}
