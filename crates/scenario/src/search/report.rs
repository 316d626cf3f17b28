//! What a search has found: the list, its figures on both halves of the seeds, and what each change contributes.

use std::ops::Range;

use tiebreak_model::phrase::Value;
use tiebreak_model::{Phrase, phrase};
use tiebreak_sim::{FIGURES, Figure};

use super::judge::{Judge, is_above, mean};
use super::race::Search;
use crate::document::{Document, Variant};
use crate::effect::Effect;

/// The share of its present value by which a figure must be worse to be mentioned.
const WORSE_FROM: f64 = 0.02;

/// A mean over seeds with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    fn of(values: &[f64]) -> Self {
        let effect = Effect::of(values);
        let (mean, half) = effect.map_or((0.0, 0.0), |it| (it.mean, it.half.unwrap_or(f64::INFINITY)));
        Self { mean, low: mean - half, high: mean + half }
    }
}

/// One figure of two lists on the same seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchFigure {
    /// The figure.
    pub measure: &'static str,
    /// Its mean with the list that the search started from.
    pub now: f64,
    /// Its mean with the list that was found.
    pub found: f64,
    /// The paired difference, found minus now.
    pub difference: Interval,
}

/// A list on the frontier of several objectives.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchPoint {
    /// The list.
    pub variant: Variant,
    /// Its figures on the held-out seeds.
    pub held_out: Vec<SearchFigure>,
}

/// One change of the list that was found, and what is lost without it.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchChange {
    /// The change: `rules.BestFit.buckets=8`.
    pub set: String,
    /// How much better the list is with it than without it, on the held-out seeds, in the first objective's unit for
    /// one objective.
    pub brings: Interval,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchReport {
    /// Whether the list is certainly better on the held-out seeds, and certainly misses no limit there.
    pub found: bool,
    /// The result in one sentence.
    pub sentence: Phrase,
    /// What is certainly worse, by [`WORSE_FROM`] or more, and neither an objective nor limited: one sentence each.
    pub worse: Vec<Phrase>,
    /// The document with the first list and the best one, which is active.
    pub document: Document,
    /// The figures on the searched seeds: flattering, because the list was chosen by them.
    pub searched: Vec<SearchFigure>,
    /// The figures on the held-out seeds.
    pub held_out: Vec<SearchFigure>,
    /// The seeds of both halves.
    pub seeds: [Vec<u64>; 2],
    /// The changes, the one that brings most first.
    pub changes: Vec<SearchChange>,
    /// With several objectives, the lists among which one must choose.
    pub frontier: Vec<SearchPoint>,
    /// The number of lists that were looked at.
    pub lists: usize,
    /// The number of runs on searched seeds.
    pub runs: u64,
    /// The number of races.
    pub races: u64,
    /// The number of restarts.
    pub restarts: u64,
}

impl Search {
    /// The result, once the search is over.
    #[must_use]
    pub fn report(&self) -> Option<SearchReport> {
        if !self.is_over() || self.failure().is_some() {
            return None;
        }
        let (start, best) = (&self.lists[0], &self.lists[self.best]);
        let unseen = self.held_out();
        let better = self.judge.better(&start.figures, &best.figures, unseen.clone(), None);
        let misses = self.judge.misses(&start.figures, &best.figures, &unseen);
        let found = is_above(&better) && !misses;
        let held_out = self.figures(self.best, &unseen);
        let mut changes: Vec<SearchChange> = self
            .alone
            .iter()
            .map(|(set, list)| {
                let without = &self.lists[*list].figures;
                let brings = Interval::of(&self.judge.better(without, &best.figures, unseen.clone(), None));
                SearchChange { set: set.clone(), brings }
            })
            .collect();
        changes.sort_by(|one, other| other.brings.mean.total_cmp(&one.brings.mean));
        let point = |list: &usize| SearchPoint {
            variant: self.lists[*list].variant.clone(),
            held_out: self.figures(*list, &unseen),
        };
        let variants = match self.best {
            0 => vec![start.variant.clone()],
            _ => vec![start.variant.clone(), Variant { name: "Found".into(), ..best.variant.clone() }],
        };
        let active = variants.len() - 1;
        let seeds = |range: Range<usize>| range.map(|seed| self.seed(seed)).collect();
        Some(SearchReport {
            found,
            sentence: self.sentence(found, misses, &held_out),
            worse: self.worse(&held_out),
            document: Document { variants, active, ..self.document.clone() },
            searched: self.figures(self.best, &self.searched()),
            held_out,
            seeds: [seeds(self.searched()), seeds(unseen.clone())],
            changes,
            frontier: self.frontier.iter().map(point).collect(),
            lists: self.lists.len(),
            runs: self.spent,
            races: self.races,
            restarts: self.restarts,
        })
    }

    /// The best list so far on the searched seeds; nothing before the runs of the first list are told.
    #[must_use]
    pub fn best_so_far(&self) -> Vec<SearchFigure> {
        let start = &self.lists[0].figures;
        let is_judged = self.searched().all(|seed| start[seed].is_some());
        if is_judged { self.figures(self.best, &self.searched()) } else { Vec::new() }
    }

    fn figures(&self, list: usize, seeds: &Range<usize>) -> Vec<SearchFigure> {
        let (now, found) = (&self.lists[0].figures, &self.lists[list].figures);
        let figure = |id: &'static str| {
            let all = |of| seeds.clone().filter_map(|seed| self.judge.value(of, seed, id)).collect::<Vec<_>>();
            let difference = Interval::of(&self.judge.differences(now, found, seeds.clone(), id));
            (!all(now).is_empty()).then(|| SearchFigure {
                measure: id,
                now: mean(&all(now)),
                found: mean(&all(found)),
                difference,
            })
        };
        self.judge.measures.iter().filter_map(|measure| figure(measure.id)).collect()
    }

    fn sentence(&self, found: bool, misses: bool, held_out: &[SearchFigure]) -> Phrase {
        if self.best == 0 {
            return phrase!("No list of {} was certainly better than the present one.", self.lists.len());
        }
        let said = |id: &str| held_out.iter().find(|figure| figure.measure == id).map(SearchFigure::told);
        let objectives = self.judge.objectives.iter().filter_map(|it| said(&it.measure));
        let kept = self
            .judge
            .limits
            .iter()
            .filter(|limit| !self.judge.objectives.iter().any(|it| it.measure == limit.measure));
        let limits = kept.filter_map(|limit| said(&limit.measure));
        let unseen = self.held_out().len();
        let told = phrase!("{} on {unseen} unseen seeds", Phrase::joined(objectives, "{}, {}"), unseen);
        let told = Phrase::joined(std::iter::once(told).chain(limits), "{}; {}");
        match (found, misses) {
            (true, _) => phrase!("{told}.", told),
            (false, true) => phrase!("The best list misses a limit on the unseen seeds: {told}.", told),
            (false, false) => phrase!("The best list is not certainly better on the unseen seeds: {told}.", told),
        }
    }

    /// What the list that was found does worse, although nobody asked for it.
    fn worse(&self, held_out: &[SearchFigure]) -> Vec<Phrase> {
        let Judge { objectives, limits, .. } = &self.judge;
        let named = objectives.iter().map(|it| &it.measure).chain(limits.iter().map(|it| &it.measure));
        let others = held_out.iter().filter(|figure| !named.clone().any(|id| id == figure.measure));
        let told = |figure: &SearchFigure| {
            let Interval { mean, low, high } = figure.difference;
            // Counts are of what nobody wants; shares are of what everybody does.
            let is_worse = if figure.figure()?.is_count() { low > 0.0 } else { high < 0.0 };
            let is_much = mean.abs() >= WORSE_FROM * figure.now.abs();
            let ends = [figure.now, figure.found].map(|it| shown(it, figure.unit()));
            let [now, then] = ends;
            (is_worse && is_much).then(|| {
                phrase!("Worse, and nothing limits it: {title}, from {now} to {then}.", figure.title(), now, then)
            })
        };
        others.filter_map(told).collect()
    }
}

impl SearchFigure {
    fn figure(&self) -> Option<&'static Figure> {
        FIGURES.iter().find(|figure| figure.id == self.measure)
    }

    /// Its name inside a sentence.
    #[must_use]
    pub fn title(&self) -> Phrase {
        Phrase::text(self.figure().and_then(Figure::claim).map_or(self.measure, |(_, title)| title))
    }

    /// The unit of its values; empty for counts.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.figure().map_or("", |figure| figure.unit)
    }

    /// `+2.1 points of empty hosts, 95 % interval 1.4 to 2.7`, or `VMs rejected unchanged`.
    #[must_use]
    pub fn told(&self) -> Phrase {
        let title = self.title();
        let Interval { mean, low, high } = self.difference;
        if mean == 0.0 && low == 0.0 && high == 0.0 {
            return phrase!("{title} unchanged", title);
        }
        let of = match self.unit() {
            "%" => phrase!("points of {title}", title),
            "" => title,
            unit => phrase!("{unit}, {title}", Phrase::text(unit), title),
        };
        let [mean, low, high] = [signed(mean), number(low), number(high)];
        phrase!("{mean} {of}, 95 % interval {low} to {high}", mean, of, low, high)
    }
}

impl Interval {
    /// `+2.1 (1.4 to 2.7)`.
    #[must_use]
    pub fn told(&self) -> Phrase {
        let [mean, low, high] = [signed(self.mean), number(self.low), number(self.high)];
        phrase!("{mean} ({low} to {high})", mean, low, high)
    }
}

/// A value with its unit.
fn shown(value: f64, unit: &'static str) -> Phrase {
    match unit {
        "" => phrase!("{}", number(value)),
        unit => phrase!("{} {unit}", number(value), Phrase::text(unit)),
    }
}

/// A number with as many decimals as are of use.
fn number(value: f64) -> Value {
    let decimals = match value.abs() {
        10.0.. => 0,
        1.0.. => 1,
        _ => 2,
    };
    let text = format!("{value:.decimals$}");
    // A rounded zero has no sign.
    let is_zero = text.trim_start_matches(['-', '0', '.']).is_empty();
    Value::Number(if is_zero { "0".into() } else { text })
}

fn signed(value: f64) -> Value {
    match number(value) {
        Value::Number(text) if value > 0.0 => Value::Number(format!("+{text}")),
        other => other,
    }
}

/// The second list without each of its changes from the first, with the names of the changes. The order of a stage is
/// one change.
pub(super) fn changes(from: &Variant, to: &Variant) -> Vec<(String, Variant)> {
    let mut all = Vec::new();
    let back = |path: String, now: String, then: &str| {
        let mut without = to.clone();
        without.set(&path, then).is_ok().then(|| (format!("{path}={now}"), without))
    };
    let or_none = |number: Option<String>| number.unwrap_or_else(|| "none".into());
    for row in &to.rules {
        let Some(before) = from.rules.iter().find(|before| before.id == row.id) else { continue };
        let path = |field: &str| format!("rules.{}.{field}", row.id);
        if row.on != before.on {
            all.extend(back(path("on"), row.on.to_string(), &before.on.to_string()));
        }
        if !row.on {
            continue;
        }
        if row.buckets != before.buckets {
            let text = |buckets: Option<u32>| or_none(buckets.map(|it| it.to_string()));
            all.extend(back(path("buckets"), text(row.buckets), &text(before.buckets)));
        }
        if row.weight != before.weight {
            let text = |weight: Option<f64>| or_none(weight.map(|it| it.to_string()));
            all.extend(back(path("weight"), text(row.weight), &text(before.weight)));
        }
        let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
        for (param, (now, then)) in params.iter().zip(row.values.iter().zip(&before.values)) {
            if now != then {
                let text = |value: f64| param.word(value).map_or_else(|| value.to_string(), String::from);
                all.extend(back(path(param.name), text(*now), &text(*then)));
            }
        }
    }
    let mut groups: Vec<_> = to.rules.iter().filter_map(|row| row.group()).collect();
    groups.dedup();
    for group in groups {
        let order = |of: &Variant| of.rules_of(group).map(|row| row.id.clone()).collect::<Vec<_>>();
        let (now, then) = (order(to), order(from));
        if now != then {
            let mut without = to.clone();
            for (place, id) in then.iter().enumerate() {
                without.move_rule(id, place);
            }
            let on: Vec<&str> = to.rules_of(group).filter(|row| row.on).map(|row| row.id.as_str()).collect();
            all.push((format!("order: {}", on.join(", ")), without));
        }
    }
    all
}
