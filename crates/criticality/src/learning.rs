//! Predicts the utilization of arrivals and whether they may be throttled, from earlier observations.
//!
//! Forests are trained once, on what is known `train_days` after the start of the trace. VMs that arrived before have
//! no prediction: nothing was known yet. Later ones are predicted from their features at arrival, which keep
//! including what becomes known about their tenants.
//!
//! Three forests predict the 95th percentile: one whether it is above 50 %, and one for each half, trained only on
//! VMs of which the first is sure. If either is unsure, the prediction counts as 100 %; an unsure type counts as
//! user-facing. The two are evaluated separately. (Sections III-B and IV-B)

use tiebreak_model::random::Seed;
use tiebreak_model::{Load, Millis, Time, Usage};

use crate::boosting::Boosted;
use crate::features::{Features, Histories, bucket, observed_at, upper_end};
use crate::forest::{Example, Forest};
use crate::quality::Quality;

/// Arrivals whose features are computed in one slice.
const READ_IN_SLICE: usize = 20_000;
/// Arrivals that are predicted in one slice.
const PREDICTED_IN_SLICE: usize = 2_000;

/// An arriving VM, and its future utilization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its tenant: a cloud subscription.
    pub tenant: u64,
    /// Its type.
    pub kind: u32,
    /// Its cores, in thousandths.
    pub cores_milli: u32,
    /// Its memory, in MiB.
    pub memory_mib: u32,
    /// Its arrival.
    pub start: Time,
    /// Its end.
    pub end: Time,
    /// Its true utilization; predictors see only its telemetry.
    pub truth: Usage,
    /// What a template says of its CPU readings; `None` if telemetry shows the truth.
    pub label: Option<TelemetryLabel>,
}

/// Whether a VM is user-facing by a template of its CPU readings, which takes five weekdays of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TelemetryLabel {
    /// When the last of the readings is taken, or the VM ends.
    pub at: Time,
    /// `None` if it ended too soon to be classified; it then counts as user-facing. (Section III-B)
    pub user_facing: Option<bool>,
}

/// How loads are predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadPredictor {
    /// The true values.
    Oracle,
    /// User-facing or not by a forest; the 95th percentile is 100 %.
    CriticalityOnly,
    /// Both by forests.
    #[default]
    Forests,
    /// No prediction: user-facing and 100 %.
    Nothing,
}

/// The kind of model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Random forests.
    #[default]
    Forests,
    /// Gradient boosting, the paper's alternative. It is trained in few and long slices.
    Boosting,
}

/// Parameters of the models.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForestSettings {
    /// The kind of model.
    pub method: Method,
    /// Trees per forest, or rounds of boosting, 1 to 500; more give finer shares of votes.
    pub trees: u16,
    /// Share of trees that must agree for a prediction to be used, in percent: 50 to 100. (60 in section III-B)
    pub confidence_pct: u8,
    /// Days from the start of the trace to the training. VMs that arrive before have no prediction, except those
    /// running at the start, for which telemetry so far is used.
    pub train_days: f64,
    /// VMs with fewer days of lifetime are labelled user-facing; 0 gives all their true label, or the template's, which
    /// needs five weekdays in any case. So hardly any VM that is not user-facing is known before the tenth day.
    pub label_days: f64,
    /// The most rows per tree, at least 1. VMs of one deployment are very similar, so that more rows make trees
    /// slower and forests overconfident. Boosting uses ten times as many.
    pub rows_per_tree: u32,
}

impl Default for ForestSettings {
    fn default() -> Self {
        Self {
            method: Method::Forests,
            trees: 40,
            confidence_pct: 60,
            train_days: 10.0,
            label_days: 0.0,
            rows_per_tree: 1_000,
        }
    }
}

/// The predictions for all arrivals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPredictions {
    /// In the order of the arrivals.
    pub loads: Vec<Load>,
    /// The quality of predictions for arrivals after the training, by their telemetry labels; `None` without
    /// predictions.
    pub quality: Option<Quality>,
}

/// Trains on arrivals before the end of training, in slices, and then predicts each one in order.
#[derive(Debug)]
pub struct Learning {
    arrivals: Vec<Arrival>,
    settings: ForestSettings,
    labels: Labels,
    /// Whether the 95th percentile is predicted as well.
    with_p95: bool,
    histories: Histories,
    features: Vec<Features>,
    /// The first arrival with a prediction.
    first_after: usize,
    /// Indices of the arrivals that are sufficiently known at training.
    known: Vec<usize>,
    forests: Forests,
    stage: LearningStage,
    slices: Slices,
    loads: Vec<Load>,
    quality: Option<Quality>,
}

/// The telemetry labels of VMs.
#[derive(Clone, Copy, Debug)]
struct Labels {
    /// A VM with a shorter lifetime cannot be classified.
    classified_after: Millis,
}

impl Labels {
    fn of(self, arrival: &Arrival) -> Usage {
        let mut usage = arrival.truth;
        usage.load.user_facing = match arrival.label {
            Some(label) => label.user_facing.unwrap_or(true),
            None => usage.load.user_facing,
        } || self.is_too_short(arrival);
        usage
    }

    /// The true type, if the VM lived long enough for a label: what the label would be without errors.
    fn without_errors(self, arrival: &Arrival) -> bool {
        let unclassified = arrival.label.is_some_and(|label| label.user_facing.is_none());
        arrival.truth.load.user_facing || unclassified || self.is_too_short(arrival)
    }

    fn is_too_short(self, arrival: &Arrival) -> bool {
        arrival.end.since(arrival.start) < self.classified_after
    }
}

/// The forests, and their training data.
#[derive(Debug)]
struct Forests {
    criticality: LearnedQuestion,
    /// Above 50 % or not.
    above_half: LearnedQuestion,
    /// Bucket 1 instead of 0, and bucket 3 instead of 2.
    halves: [LearnedQuestion; 2],
}

/// The model for one question, and its examples.
#[derive(Debug)]
struct LearnedQuestion {
    model: TrainedModel,
    examples: Vec<Example>,
}

/// A model of either method.
#[derive(Debug)]
enum TrainedModel {
    Forest(Forest),
    Boosted(Boosted),
}

/// The current stage, and its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LearningStage {
    /// Features of the arrivals from this one on.
    Reading(usize),
    /// The trees of the first two forests.
    Growing(u16),
    /// Finding examples of which the first percentile forest is sure, from this one on.
    Sorting(usize),
    /// The trees of the halves.
    GrowingHalves(u16),
    /// Predictions for the arrivals from this one on.
    Predicting(usize),
    Done,
}

/// Slices of work, done and in total.
#[derive(Clone, Copy, Debug)]
struct Slices {
    done: usize,
    all: usize,
}

impl Learning {
    /// All work is to be done, unless nothing has to be learned. Arrivals are sorted by their start.
    #[must_use]
    pub fn new(arrivals: Vec<Arrival>, predictor: LoadPredictor, settings: ForestSettings, seed: Seed) -> Self {
        let learns = matches!(predictor, LoadPredictor::CriticalityOnly | LoadPredictor::Forests);
        let loads = match predictor {
            LoadPredictor::Oracle => arrivals.iter().map(|arrival| arrival.truth.load).collect(),
            _ => vec![Load::UNKNOWN; arrivals.len()],
        };
        let until = Time::ZERO + days(settings.train_days);
        let first_after = arrivals.partition_point(|arrival| arrival.start < until);
        let is_known = |place: &usize| observed_at(&arrivals[*place]) <= until;
        let known: Vec<usize> = (0..first_after).filter(is_known).collect();
        let with_p95 = predictor == LoadPredictor::Forests;
        let labels = Labels { classified_after: days(settings.label_days) };
        let loads = if learns { told_at_start(&arrivals, labels, with_p95) } else { loads };
        let quality = learns.then(|| Quality::new(with_p95, arrivals.iter().any(|arrival| arrival.label.is_some())));
        let mut learning = Self {
            labels,
            histories: Histories::new(&arrivals),
            features: Vec::with_capacity(arrivals.len()),
            forests: Forests::new(seed, settings),
            stage: if learns { LearningStage::Reading(0) } else { LearningStage::Done },
            slices: Slices { done: 0, all: 0 },
            arrivals,
            settings,
            with_p95,
            first_after,
            known,
            loads,
            quality,
        };
        learning.slices.all = learning.slices_in_all();
        learning
    }

    fn slices_in_all(&self) -> usize {
        if self.stage == LearningStage::Done {
            return 0;
        }
        let after = self.arrivals.len() - self.first_after;
        let (trees, known) = (usize::from(self.settings.trees), self.known.len());
        let halves = if self.with_p95 { trees + known.div_ceil(PREDICTED_IN_SLICE) } else { 0 };
        self.arrivals.len().div_ceil(READ_IN_SLICE) + trees + halves + after.div_ceil(PREDICTED_IN_SLICE)
    }

    /// Works for one slice, at most some tens of milliseconds; returns whether it is done.
    pub fn work(&mut self) -> bool {
        self.stage = match self.stage {
            LearningStage::Reading(from) => self.read(from),
            LearningStage::Growing(tree) => self.grow(tree),
            LearningStage::Sorting(from) => self.sort(from),
            LearningStage::GrowingHalves(tree) => self.grow_halves(tree),
            LearningStage::Predicting(from) => self.predict(from),
            LearningStage::Done => return true,
        };
        self.slices.done += 1;
        self.stage == LearningStage::Done
    }

    /// Its progress, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f64 {
        let Slices { done, all } = self.slices;
        if self.stage == LearningStage::Done { 1.0 } else { (done as f64 / all.max(1) as f64).min(1.0) }
    }

    /// Works until everything is done, and returns the predictions.
    #[must_use]
    pub fn finish(mut self) -> LoadPredictions {
        while !self.work() {}
        LoadPredictions { loads: self.loads, quality: self.quality }
    }

    fn read(&mut self, from: usize) -> LearningStage {
        let to = self.arrivals.len().min(from + READ_IN_SLICE);
        let labels = self.labels;
        for place in from..to {
            let features = self.histories.next(&self.arrivals, place, |arrival| labels.of(arrival));
            self.features.push(features);
        }
        if to < self.arrivals.len() {
            return LearningStage::Reading(to);
        }
        self.forests.criticality.examples = self.examples(|usage| usage.load.user_facing);
        if self.with_p95 {
            self.forests.above_half.examples = self.examples(|usage| bucket(usage.load.p95_pct) >= 2);
        }
        LearningStage::Growing(0)
    }

    fn examples(&self, yes: impl Fn(Usage) -> bool) -> Vec<Example> {
        let example = |place: &usize| Example {
            features: self.features[*place],
            yes: yes(self.labels.of(&self.arrivals[*place])),
        };
        self.known.iter().map(example).collect()
    }

    fn grow(&mut self, tree: u16) -> LearningStage {
        self.forests.criticality.grow();
        self.forests.above_half.grow();
        match (tree + 1 < self.settings.trees, self.with_p95) {
            (true, _) => LearningStage::Growing(tree + 1),
            (false, true) => LearningStage::Sorting(0),
            (false, false) => LearningStage::Predicting(self.first_after),
        }
    }

    fn sort(&mut self, from: usize) -> LearningStage {
        let to = self.known.len().min(from + PREDICTED_IN_SLICE);
        let rows: Vec<Features> = self.known[from..to].iter().map(|place| self.features[*place]).collect();
        let shares = self.forests.above_half.shares_of_yes(&rows);
        for (place, share) in self.known[from..to].iter().zip(shares) {
            if let Some(high) = self.sure(share) {
                let truth = bucket(self.arrivals[*place].truth.load.p95_pct);
                // An example from the other half counts as the nearest bucket of this half.
                let yes = truth > 2 * usize::from(high);
                self.forests.halves[usize::from(high)].examples.push(Example { features: self.features[*place], yes });
            }
        }
        if to < self.known.len() { LearningStage::Sorting(to) } else { LearningStage::GrowingHalves(0) }
    }

    fn grow_halves(&mut self, tree: u16) -> LearningStage {
        self.forests.halves.iter_mut().for_each(LearnedQuestion::grow);
        if tree + 1 < self.settings.trees {
            LearningStage::GrowingHalves(tree + 1)
        } else {
            LearningStage::Predicting(self.first_after)
        }
    }

    fn predict(&mut self, from: usize) -> LearningStage {
        let to = self.arrivals.len().min(from + PREDICTED_IN_SLICE);
        let rows = &self.features[from..to];
        let types = self.forests.criticality.shares_of_yes(rows);
        let buckets = if self.with_p95 { self.buckets(rows) } else { vec![None; rows.len()] };
        for (place, (share, bucket)) in (from..to).zip(types.into_iter().zip(buckets)) {
            let user_facing = self.sure(share);
            self.loads[place] = Load {
                user_facing: user_facing.unwrap_or(Load::UNKNOWN.user_facing),
                p95_pct: bucket.map_or(Load::UNKNOWN.p95_pct, upper_end),
            };
            self.count(place, user_facing, bucket);
        }
        if to < self.arrivals.len() { LearningStage::Predicting(to) } else { LearningStage::Done }
    }

    /// The bucket of each row, if both stages are sure.
    fn buckets(&self, rows: &[Features]) -> Vec<Option<usize>> {
        let mut buckets = vec![None; rows.len()];
        let halves: Vec<Option<bool>> =
            self.forests.above_half.shares_of_yes(rows).into_iter().map(|share| self.sure(share)).collect();
        for (high, lesson) in [false, true].into_iter().zip(&self.forests.halves) {
            let places: Vec<usize> = (0..rows.len()).filter(|row| halves[*row] == Some(high)).collect();
            let asked: Vec<Features> = places.iter().map(|row| rows[*row]).collect();
            for (row, share) in places.into_iter().zip(lesson.shares_of_yes(&asked)) {
                buckets[row] = self.sure(share).map(|upper| 2 * usize::from(high) + usize::from(upper));
            }
        }
        buckets
    }

    /// The majority answer, if enough trees agree.
    fn sure(&self, share_of_yes: f64) -> Option<bool> {
        let enough = |share: f64| 100.0 * share >= f64::from(self.settings.confidence_pct);
        if enough(share_of_yes) { Some(true) } else { enough(1.0 - share_of_yes).then_some(false) }
    }

    fn count(&mut self, place: usize, user_facing: Option<bool>, predicted: Option<usize>) {
        let Some(quality) = &mut self.quality else { return };
        let label = self.labels.of(&self.arrivals[place]).load;
        quality.criticality.count(usize::from(label.user_facing), user_facing.map(usize::from));
        if let Some(p95) = &mut quality.p95 {
            p95.count(bucket(label.p95_pct), predicted);
        }
        if let Some(truth) = &mut quality.against_truth {
            let kind = self.labels.without_errors(&self.arrivals[place]);
            truth.count(usize::from(kind), user_facing.map(usize::from));
        }
    }
}

impl Forests {
    fn new(seed: Seed, settings: ForestSettings) -> Self {
        let rows = settings.rows_per_tree as usize;
        let model = |name| match settings.method {
            Method::Forests => TrainedModel::Forest(Forest::new(seed.stream(name), rows)),
            Method::Boosting => TrainedModel::Boosted(Boosted::new(settings.trees, 10 * rows)),
        };
        let lesson = |name| LearnedQuestion { model: model(name), examples: Vec::new() };
        Self {
            criticality: lesson("forest of criticality"),
            above_half: lesson("forest of p95 above half"),
            halves: [lesson("forest of p95 in the lower half"), lesson("forest of p95 in the upper half")],
        }
    }
}

impl LearnedQuestion {
    /// Adds a tree.
    fn grow(&mut self) {
        match &mut self.model {
            TrainedModel::Forest(forest) => forest.grow(&self.examples),
            TrainedModel::Boosted(boosted) => boosted.learn(&self.examples),
        }
    }

    fn shares_of_yes(&self, rows: &[Features]) -> Vec<f64> {
        match &self.model {
            TrainedModel::Forest(forest) => forest.shares_of_yes(rows),
            TrainedModel::Boosted(boosted) => boosted.shares_of_yes(rows),
        }
    }
}

/// The telemetry at the start of the trace for VMs running then; nothing for the others.
fn told_at_start(arrivals: &[Arrival], labels: Labels, with_p95: bool) -> Vec<Load> {
    let of = |arrival: &Arrival| {
        if observed_at(arrival) > Time::ZERO {
            return Load::UNKNOWN;
        }
        let Load { user_facing, p95_pct } = labels.of(arrival).load;
        Load { user_facing, p95_pct: if with_p95 { upper_end(bucket(p95_pct)) } else { Load::UNKNOWN.p95_pct } }
    };
    arrivals.iter().map(of).collect()
}

fn days(days: f64) -> Millis {
    Millis((days * Millis::DAY.0 as f64) as u64)
}

#[cfg(test)]
mod tests;
