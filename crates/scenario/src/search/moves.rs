//! The moves of a search: lists that differ from another in one thing.

use tiebreak_model::{Param, ParamKind};
use tiebreak_placement::Policy;

use super::plan::{SearchPlan, no_such_rule};
use crate::document::{RuleRow, Variant};
use crate::sweep::SweepError;

/// Numbers of buckets, from coarse to exact.
const LADDER: [Option<u32>; 11] =
    [Some(1), Some(2), Some(3), Some(4), Some(5), Some(8), Some(10), Some(20), Some(50), Some(100), None];

/// The rules that may change, and how.
#[derive(Clone, Debug)]
pub(super) struct Moves {
    rules: Vec<String>,
    change: Vec<String>,
    has_weights: bool,
}

impl Moves {
    /// Those of a plan.
    ///
    /// # Errors
    /// If it names a rule that is not a preference of the list.
    pub(super) fn of(plan: &SearchPlan, variant: &Variant) -> Result<Self, SweepError> {
        let scores: Vec<&RuleRow> = variant.rules.iter().filter(|row| row.scores()).collect();
        let ids = |rows: &[&RuleRow]| rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>();
        let rules = match &plan.rules {
            Some(rules) => {
                let known = ids(&scores);
                let unknown = rules.iter().position(|id| !known.contains(id));
                match unknown {
                    Some(at) => return Err(no_such_rule(at, &rules[at], &known)),
                    None => rules.clone(),
                }
            }
            None => {
                let used = needs(variant.rules.iter().filter(|row| row.on));
                let fits = |row: &&&RuleRow| {
                    let [lifetimes, loads] = needs([&RuleRow { on: true, ..(**row).clone() }]);
                    (!lifetimes || used[0]) && (!loads || used[1])
                };
                ids(&scores.iter().filter(fits).copied().collect::<Vec<_>>())
            }
        };
        Ok(Self { rules, change: plan.change.clone(), has_weights: variant.hand_weights })
    }

    /// Every list that is one move away, with the fields of the move. Some may be equal.
    pub(super) fn around(&self, variant: &Variant) -> Vec<Variant> {
        let mut all = Vec::new();
        for row in variant.rules.iter().filter(|row| self.rules.contains(&row.id)) {
            let field = |name: &str| format!("rules.{}.{name}", row.id);
            let mut put = |pairs: &[(String, String)]| {
                let mut changed = variant.clone();
                if pairs.iter().all(|(path, value)| changed.set(path, value).is_ok()) {
                    all.push(changed);
                }
            };
            let may = |kind: &str| self.change.iter().any(|change| change == kind);
            if may("on") {
                let on = (field("on"), (!row.on).to_string());
                put(std::slice::from_ref(&on));
                if !row.on && may("order") {
                    put(&[on, (field("position"), "0".into())]);
                }
            }
            if !row.on {
                continue;
            }
            if may("order") {
                for to in places(variant, row) {
                    put(&[(field("position"), to.to_string())]);
                }
            }
            if may("buckets") {
                for buckets in beside(row.buckets) {
                    let text = buckets.map_or_else(|| "none".into(), |buckets| buckets.to_string());
                    put(&[(field("buckets"), text)]);
                }
            }
            if may("weights") && self.has_weights {
                let weight = row.weight.unwrap_or(1.0);
                for other in [weight / 2.0, weight * 2.0, -weight] {
                    put(&[(field("weight"), other.to_string())]);
                }
            }
            if may("parameters") {
                let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
                for (param, value) in params.iter().zip(&row.values) {
                    for other in steps(param, *value) {
                        let text = param.word(other).map_or_else(|| other.to_string(), String::from);
                        put(&[(field(param.name), text)]);
                    }
                }
            }
        }
        all
    }
}

/// Whether rules that are on read predicted lifetimes, and predicted utilization.
fn needs<'a>(rows: impl IntoIterator<Item = &'a RuleRow>) -> [bool; 2] {
    let rows: Vec<RuleRow> = rows.into_iter().cloned().collect();
    let policy = Policy::new(&RuleRow::uses(&rows, None), 1);
    policy.map_or([true; 2], |policy| [policy.asks_for_lifetimes(), policy.asks_for_loads()])
}

/// The places of the neighbours that are on, and the first and last of those: where the row may move in its stage.
fn places(variant: &Variant, row: &RuleRow) -> Vec<usize> {
    let Some(group) = row.group() else { return Vec::new() };
    let stage: Vec<&RuleRow> = variant.rules_of(group).collect();
    let own = stage.iter().position(|other| other.id == row.id).unwrap_or(0);
    let on: Vec<usize> = (0..stage.len()).filter(|at| stage[*at].on && *at != own).collect();
    let before = on.iter().rposition(|at| *at < own).map(|at| on[at]);
    let behind = on.iter().find(|at| **at > own).copied();
    let first = on.first().copied().filter(|at| *at < own);
    let last = on.last().copied().filter(|at| *at > own);
    let mut places: Vec<usize> = [before, behind, first, last].into_iter().flatten().collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The steps next to a number of buckets, and both ends of the ladder.
fn beside(buckets: Option<u32>) -> Vec<Option<u32>> {
    let size = |buckets: Option<u32>| buckets.unwrap_or(u32::MAX);
    let below = LADDER.iter().rev().find(|step| size(**step) < size(buckets));
    let above = LADDER.iter().find(|step| size(**step) > size(buckets));
    let ends = [&LADDER[1], &LADDER[LADDER.len() - 1]];
    let mut all: Vec<_> =
        below.into_iter().chain(above).chain(ends).filter(|step| **step != buckets).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Other values of a parameter.
fn steps(param: &Param, value: f64) -> Vec<f64> {
    let tried = match param.kind {
        ParamKind::Flag => vec![1.0 - value],
        ParamKind::Choice(words) => (0..words.len()).map(|at| at as f64).collect(),
        ParamKind::Integer => vec![(value / 2.0).floor(), value - 1.0, value + 1.0, value * 2.0],
        ParamKind::Number if value == 0.0 => vec![param.max.min(1.0)],
        ParamKind::Number => vec![0.0, value / 2.0, value / 1.2, value * 1.2, value * 2.0],
    };
    tried.into_iter().filter(|other| *other != value && param.allows(*other)).collect()
}
