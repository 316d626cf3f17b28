//! `BoostedTrees` (LAVA section 3, appendices A and B).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::random::Seed;
use tiebreak_model::{Declared, Time, Workload, declare};

use super::kaplan_meier::{KaplanMeier, Table};
use super::{Kind, Lesson, seconds};
use crate::boosting::{Application, Binning, BoostTerms, Booster, DECADE, FEATURES, Rows, UPTIME};
use crate::curve::Curve;
use crate::predictions::Predictions;
use crate::quality::Influence;
use crate::spells::{self, Spell};
use crate::training::{Learned, Learner};
use crate::{order, traits, uptimes};

declare! {
    /// Predicts with gradient-boosted trees: many small splits on shape, priority, tenant, request, hour of day and
    /// uptime, whose values add up to the logarithm of the remaining lifetime.
    ///
    /// Each VM is an example at eight uptimes: 0, 12.5, 25, ... 87.5 % of its observed lifetime. VMs still running
    /// at the end of training count with the exit that survival tables expect, so that long lifetimes are not
    /// missing. Tenants and VM types with fewer than 10 VMs count as one. (LAVA section 3, appendices A and B; the
    /// paper uses 2,000 trees.)
    pub struct BoostedTrees as "Boosted trees" {
        /// Share of the trace's time used for training.
        train_share: f64 = 50, 0 => 100, "%";
        /// Longer remaining lifetimes count as this long, so that a few very long ones do not dominate training.
        cap: f64 = 168, 1 => 10000, "h";
        /// How many trees; more trees fit more closely and take longer.
        trees: u32 = 200, 1 => 2000, "trees";
        /// How many leaves a tree may have; more leaves combine more features.
        leaves: u32 = 32, 2 => 256, "leaves";
        /// How much of each tree's answer is used; a smaller value needs more trees.
        learning_rate: f64 = 0.1, 0.001 => 1, "";
        /// How many examples a leaf must have; a larger value is more cautious.
        leaf_examples: u32 = 20, 1 => 100000, "examples";
        /// Maximum number of VMs to learn from; a random sample is taken of more.
        vms: u32 = 50000, 100 => 10000000, "VMs";
    }
}

/// The number of uptimes at which each VM is an example.
const UPTIMES: u32 = 8;

impl Kind for BoostedTrees {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        let cut = lesson.cut(self.train_share);
        let Lesson { workload, seed, .. } = lesson;
        let table = KaplanMeier { cap: self.cap, ..KaplanMeier::from_values(&[]) };
        let stage = BoostingStage::Surviving(Box::new(Table::new(&workload, cut, table)));
        Box::new(Forest {
            terms: self,
            workload,
            cut,
            seed,
            stage,
            trained_on: 0,
            trained_censored: 0,
            gains: [0.0; FEATURES],
        })
    }
}

struct Forest {
    terms: BoostedTrees,
    workload: Arc<Workload>,
    cut: Time,
    seed: Seed,
    stage: BoostingStage,
    trained_on: u32,
    trained_censored: u32,
    gains: [f64; FEATURES],
}

enum BoostingStage {
    /// The tables with the expected lifetimes of VMs that are still running.
    Surviving(Box<Table>),
    Growing(Box<Growth>),
    Applying(Box<Application>),
    Done(Predictions),
    /// Only between two stages.
    Passing,
}

/// Trees under construction, and the meaning of their bins.
struct Growth {
    binning: Binning,
    booster: Booster,
    /// The curve of VMs outside of the workload.
    average: Curve,
}

/// The progress at which growing starts; the tables come before, the curves after.
const SURVIVING: f32 = 0.05;
const GROWING: f32 = 0.85;

impl Learner for Forest {
    fn step(&mut self) -> Option<u32> {
        let spent = match &mut self.stage {
            BoostingStage::Surviving(table) => table.step(),
            BoostingStage::Growing(growth) => growth.booster.step(),
            BoostingStage::Applying(application) => application.step(),
            BoostingStage::Done(_) | BoostingStage::Passing => return None,
        };
        spent.or_else(|| Some(self.pass_on()))
    }

    fn share_done(&self) -> f32 {
        match &self.stage {
            BoostingStage::Surviving(table) => SURVIVING * table.share_done(),
            BoostingStage::Growing(growth) => SURVIVING + GROWING * growth.booster.share_done(),
            BoostingStage::Applying(application) => {
                SURVIVING + GROWING + (1.0 - SURVIVING - GROWING) * application.share_done()
            }
            BoostingStage::Done(_) | BoostingStage::Passing => 1.0,
        }
    }

    fn finish(self: Box<Self>) -> Learned {
        let BoostingStage::Done(predictions) = self.stage else { panic!("finished after its last step") };
        Learned {
            predictions,
            cut: self.cut,
            trained_on: self.trained_on,
            trained_censored: self.trained_censored,
            influence: influence(&self.gains),
        }
    }
}

impl Forest {
    /// From the end of one stage to the start of the next.
    fn pass_on(&mut self) -> u32 {
        let vms = self.workload.vm_count();
        let (stage, spent) = match core::mem::replace(&mut self.stage, BoostingStage::Passing) {
            BoostingStage::Surviving(table) => {
                let tables = table.finish().predictions;
                let growth = self.examples(&tables);
                // Trees trained on no VMs would predict that none survives.
                let is_idle = self.trained_on == 0;
                (if is_idle { BoostingStage::Done(tables) } else { BoostingStage::Growing(Box::new(growth)) }, vms)
            }
            BoostingStage::Growing(growth) => {
                let Growth { binning, booster, average } = *growth;
                let model = booster.finish();
                self.gains = model.gains;
                let application = Application::new(&self.workload, binning, model, average, seconds(self.terms.cap));
                (BoostingStage::Applying(Box::new(application)), vms)
            }
            BoostingStage::Applying(application) => (BoostingStage::Done(application.predictions()), vms / 100),
            other => (other, 1),
        };
        self.stage = stage;
        spent
    }

    /// Bins the features and lists the examples.
    fn examples(&mut self, tables: &Predictions) -> Growth {
        let seen = self.drawn_spells();
        self.trained_on = seen.len() as u32;
        self.trained_censored = seen.iter().filter(|spell| !spell.ended).count() as u32;
        let cap_s = seconds(self.terms.cap);
        let lives: Vec<Vec<(u32, i32)>> = seen.iter().map(|spell| examples(spell, tables, cap_s)).collect();
        let mut rest = seen.iter().zip(&lives).peekable();
        let learned: Vec<_> = traits::of(&self.workload)
            .filter_map(|traits| rest.next_if(|(spell, _)| spell.vm == traits.vm).map(|(_, life)| (traits, life)))
            .collect();
        let binning = Binning::of(&learned);
        let mut rows = Rows::default();
        for (traits, life) in &learned {
            let vm = binning.key(traits);
            for (uptime_s, label) in *life {
                rows.push(vm.with(UPTIME, uptimes::place(&binning.grid, *uptime_s) as u8), *label);
            }
        }
        let BoostedTrees { trees, leaves, learning_rate, leaf_examples, .. } = self.terms;
        let booster = Booster::new(rows.merged(), BoostTerms { trees, leaves, learning_rate, leaf_examples });
        Growth { binning, booster, average: tables.average() }
    }

    /// The VMs in the training set.
    fn drawn_spells(&self) -> Vec<Spell> {
        let mut seen = spells::spells(&self.workload, self.cut);
        let most = self.terms.vms as usize;
        if seen.len() > most {
            let draws = self.seed.stream("boosted trees: VMs to learn from");
            let drawn = order::rising(seen.iter().map(|spell| draws.draw(spell.vm.0.into(), 0).into()));
            let drawn = order::sorted(drawn[..most].iter().map(|place| u64::from(*place)).collect());
            seen = drawn.iter().map(|place| seen[*place as usize]).collect();
        }
        seen
    }
}

/// A VM as examples: uptimes, and the labels for the remaining lifetimes.
fn examples(spell: &Spell, tables: &Predictions, cap_s: u32) -> Vec<(u32, i32)> {
    let seen_s = spell.exit_s - spell.entry_s;
    let more_s = if spell.ended { 0 } else { tables.remaining_s(spell.vm, spell.exit_s) };
    let uptime = |part| spell.entry_s + (u64::from(seen_s) * u64::from(part) / u64::from(UPTIMES)) as u32;
    let remaining = |uptime_s: u32| (spell.exit_s - uptime_s).saturating_add(more_s).clamp(1, cap_s);
    (0..UPTIMES).map(uptime).map(|uptime_s| (uptime_s, label(remaining(uptime_s)))).collect()
}

/// log10 of seconds in fixed point.
fn label(seconds: u32) -> i32 {
    libm::round(libm::log10(f64::from(seconds)) * DECADE) as i32
}

/// The share of each feature in the total gain of all splits, the largest first.
fn influence(gains: &[f64; FEATURES]) -> Vec<Influence> {
    let all: f64 = gains.iter().sum();
    let titles = traits::TITLES.into_iter().chain(["uptime"]);
    let gained = titles.zip(gains).filter(|(_, gain)| **gain > 0.0);
    let gained: Vec<_> = gained.map(|(feature, gain)| Influence { feature, share: gain / all }).collect();
    let falling = order::rising(gained.iter().map(|influence| order::of_float(-influence.share)));
    falling.iter().map(|place| gained[*place as usize]).collect()
}
