//! How aggressive each rule is, on average over sampled decisions of a run, and hints about rules that never decide
//! or leave nothing to decide (Protean section 3.4). If one policy replaces another during the run, this covers only
//! the last one.

use alloc::vec::Vec;

use tiebreak_model::{Phrase, VmId, phrase};
use tiebreak_placement::{Funnel, Step, rules};

/// What a rule did to the candidates, on average over sampled decisions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuleShare {
    /// The rule, or the choice of the best clusters.
    pub rule: &'static str,
    /// Share of its stage's first candidates that reached it, 0 to 1.
    pub before: f64,
    /// Share of its stage's first candidates that it left, 0 to 1; smaller is more aggressive.
    pub after: f64,
    /// Share of the sampled decisions in which it dropped any candidate, 0 to 1.
    pub decided: f64,
    /// Share of the sampled decisions in which it left exactly one of several candidates, so
    /// that the rules below had nothing to decide, 0 to 1.
    pub left_one: f64,
    /// Share of the sampled decisions in which it was the last preference to drop any candidate, and so broke the
    /// tie, 0 to 1.
    pub settled: f64,
    /// The number of sampled decisions.
    pub samples: u32,
    /// Share of the sampled decisions in which several candidates reached it.
    given_several: f64,
    /// Whether it is in the same funnel as the rule before it.
    follows: bool,
}

/// How often manual weights formed a cycle: one machine beat the next and so on back to the first, so that none was
/// simply the best (Protean section 3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Circles {
    /// Sampled decisions with a cycle.
    pub circular: u32,
    /// The number of sampled decisions.
    pub sampled: u32,
}

/// A hint about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleHint {
    /// It dropped no candidate in any sampled decision, so it had no effect on them.
    NeverDecides,
    /// It mostly leaves a single candidate, and a rule below it never decides.
    LeavesNothing,
}

/// The minimum number of sampled decisions for the hint that a rule never decides.
const SAMPLES_MIN: u32 = 20;

/// A rule leaves nothing to those below if, of the decisions in which several candidates reached it, it left one in
/// at least this share.
const LEFT_ONE_MIN: f64 = 0.9;

/// The hint for each of these rules, if any. Steps that are not rules have none.
#[must_use]
pub fn hints(shares: &[RuleShare]) -> Vec<Option<RuleHint>> {
    (0..shares.len()).map(|at| hint(&shares[at], &shares[at + 1..])).collect()
}

fn hint(share: &RuleShare, below: &[RuleShare]) -> Option<RuleHint> {
    if share.never_decides() {
        return Some(RuleHint::NeverDecides);
    }
    let mut same_funnel = below.iter().take_while(|below| below.follows);
    let leaves_nothing = share.leaves_one_of_several() >= LEFT_ONE_MIN && same_funnel.any(RuleShare::never_decides);
    leaves_nothing.then_some(RuleHint::LeavesNothing)
}

impl RuleShare {
    fn never_decides(&self) -> bool {
        self.samples >= SAMPLES_MIN && self.decided == 0.0 && rules::find(self.rule).is_some()
    }

    /// Of the decisions in which several candidates reached it, the share in which it left one.
    fn leaves_one_of_several(&self) -> f64 {
        if self.given_several > 0.0 { self.left_one / self.given_several } else { 0.0 }
    }

    /// Whether it is a validator, which refuses, while a preference decides.
    fn refuses(&self) -> bool {
        rules::find(self.rule).is_some_and(|entry| !entry.group.scores())
    }
}

impl RuleHint {
    /// The word in files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::NeverDecides => "never decides",
            Self::LeavesNothing => "leaves nothing",
        }
    }

    /// The hint in two or three words.
    #[must_use]
    pub fn label(self, share: &RuleShare) -> Phrase {
        match (self, share.refuses()) {
            (Self::NeverDecides, true) => phrase!("refused none"),
            (Self::NeverDecides, false) => phrase!("never decides"),
            (Self::LeavesNothing, _) => phrase!("leaves no choice below"),
        }
    }

    /// The hint as a sentence.
    #[must_use]
    pub fn sentence(self, share: &RuleShare) -> Phrase {
        let samples = share.samples;
        match (self, share.refuses()) {
            (Self::NeverDecides, true) => phrase!("It refused no candidate in {samples} sampled decisions.", samples),
            (Self::NeverDecides, false) => phrase!(
                "It removed no candidate in {samples} sampled decisions: it scored its candidates equally, or the \
                 rules above left only one.",
                samples
            ),
            (Self::LeavesNothing, refuses) => {
                let percent = 100.0 * share.leaves_one_of_several();
                let advice = (!refuses).then(|| phrase!(" With fewer buckets it would leave more ties."));
                phrase!(
                    "Given several candidates, it left one in {percent:.0} % of the sampled decisions, so rules below \
                     it never decide.{advice}",
                    percent,
                    advice
                )
            }
        }
    }
}

/// Sums of what each rule did, over every `stride`-th VM, under the current policy. If another policy replaces it
/// during a run, the sums start over, because the same position in two policies means two rules.
#[derive(Clone, Debug)]
pub(crate) struct RuleShares {
    stride: u32,
    decisions: u32,
    circular: u32,
    sums: Vec<RuleShare>,
}

impl RuleShares {
    /// Samples every `stride`-th VM; none if it is 0.
    pub(crate) fn new(stride: u32) -> Self {
        Self { stride, decisions: 0, circular: 0, sums: Vec::new() }
    }

    /// Another policy takes over.
    pub(crate) fn begin_anew(&mut self) {
        *self = Self::new(self.stride);
    }

    /// Whether this VM is sampled.
    pub(crate) fn wants(&self, vm: VmId) -> bool {
        self.stride > 0 && vm.0.is_multiple_of(self.stride)
    }

    /// Adds a decision.
    pub(crate) fn add(&mut self, funnel: &Funnel) {
        self.decisions += 1;
        self.circular += u32::from(funnel.circular);
        let stages = [&funnel.cluster_steps, &funnel.steps];
        let shares =
            stages.into_iter().flat_map(|steps| (0..steps.len()).map(|at| share(steps, at, funnel.decided_by)));
        for (index, share) in shares.enumerate() {
            match self.sums.get_mut(index) {
                Some(sum) => {
                    sum.before += share.before;
                    sum.after += share.after;
                    sum.decided += share.decided;
                    sum.left_one += share.left_one;
                    sum.settled += share.settled;
                    sum.given_several += share.given_several;
                }
                None => self.sums.push(share),
            }
        }
    }

    /// How many of them had a cycle.
    pub(crate) fn circles(&self) -> Circles {
        Circles { circular: self.circular, sampled: self.decisions }
    }

    /// What each rule did on average.
    pub(crate) fn means(&self) -> Vec<RuleShare> {
        let decisions = f64::from(self.decisions.max(1));
        let mean = |sum: &RuleShare| RuleShare {
            before: sum.before / decisions,
            after: sum.after / decisions,
            decided: sum.decided / decisions,
            left_one: sum.left_one / decisions,
            settled: sum.settled / decisions,
            given_several: sum.given_several / decisions,
            samples: self.decisions,
            ..*sum
        };
        self.sums.iter().map(mean).collect()
    }
}

fn share(steps: &[Step], at: usize, decided_by: Option<&str>) -> RuleShare {
    let first = f64::from(steps.first().map_or(1, |step| step.before).max(1));
    let Step { rule, before, after, .. } = steps[at];
    RuleShare {
        rule,
        before: f64::from(before) / first,
        after: f64::from(after) / first,
        decided: f64::from(u8::from(after < before)),
        left_one: f64::from(u8::from(after == 1 && before > 1)),
        settled: f64::from(u8::from(decided_by == Some(rule))),
        given_several: f64::from(u8::from(before > 1)),
        samples: 1,
        follows: at > 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Machines before the first of three rules and after each; one of three clusters.
    fn funnel(left: [u32; 4]) -> Funnel {
        let rules = ["IsMachineReady", "PreferNonEmptyMachines", "BestFit"];
        let step = |at: usize| Step { rule: rules[at], before: left[at], after: left[at + 1], validates: false };
        let clusters = vec![
            Step { rule: "IsTypeSupported", before: 3, after: 1, validates: true },
            Step { rule: tiebreak_placement::reference::BEST_CLUSTERS, before: 1, after: 1, validates: false },
        ];
        Funnel {
            cluster_steps: clusters,
            clusters: Vec::new(),
            steps: (0..3).map(step).collect(),
            best: Vec::new(),
            decided_by: (1..3).rfind(|at| left[at + 1] < left[*at]).map(|at| rules[at]),
            circular: false,
        }
    }

    fn shares(decisions: &[([u32; 4], u32)]) -> Vec<RuleShare> {
        let mut shares = RuleShares::new(1);
        for (left, times) in decisions {
            (0..*times).for_each(|_| shares.add(&funnel(*left)));
        }
        shares.means()
    }

    #[test]
    fn shares_are_means_over_the_decisions() {
        let shares = shares(&[([8, 8, 2, 1], 3), ([4, 1, 1, 1], 1)]);
        let numbers: Vec<_> = shares[2..].iter().map(|it| (it.before, it.after, it.decided, it.left_one)).collect();
        assert_eq!(numbers, [(1.0, 0.8125, 0.25, 0.25), (0.8125, 0.25, 0.75, 0.0), (0.25, 0.15625, 0.75, 0.75)]);
        assert!(shares.iter().all(|it| it.samples == 4));
        let settled: Vec<_> = shares.iter().map(|it| it.settled).collect();
        assert_eq!(settled, [0.0, 0.0, 0.0, 0.0, 0.75], "a validator settles nothing");
    }

    #[test]
    fn circles_are_counted() {
        let mut shares = RuleShares::new(1);
        for circular in [true, false, true] {
            shares.add(&Funnel { circular, ..funnel([8, 8, 2, 1]) });
        }
        assert_eq!(shares.circles(), Circles { circular: 2, sampled: 3 });
    }

    #[test]
    fn rules_that_never_decide_or_leave_nothing_are_pointed_out() {
        use RuleHint::{LeavesNothing as Leaves, NeverDecides as Never};
        for (decisions, expected) in [
            (&[([8, 7, 3, 2], 20)][..], [None, None, None]),
            (&[([8, 8, 3, 2], 19)], [None, None, None]),
            (&[([8, 8, 3, 2], 20)], [Some(Never), None, None]),
            (&[([8, 7, 1, 1], 20)], [None, Some(Leaves), Some(Never)]),
            (&[([8, 7, 1, 1], 18), ([8, 7, 2, 2], 2)], [None, Some(Leaves), Some(Never)]),
            (&[([8, 7, 1, 1], 17), ([8, 7, 2, 2], 3)], [None, None, Some(Never)]),
            (&[([8, 7, 1, 1], 19), ([8, 7, 2, 1], 1)], [None, None, None]),
            (&[([8, 1, 1, 1], 20)], [Some(Leaves), Some(Never), Some(Never)]),
            (&[([8, 7, 1, 1], 18), ([8, 7, 2, 2], 2), ([8, 0, 0, 0], 20)], [None, Some(Leaves), Some(Never)]),
            (&[([8, 0, 0, 0], 20)], [None, Some(Never), Some(Never)]),
        ] {
            let hints = hints(&shares(decisions));
            assert_eq!(hints[0], None, "what it leaves is no matter of the machine rules");
            assert_eq!(hints[1], None, "the choice of the best clusters is no rule");
            assert_eq!(hints[2..], expected, "{decisions:?}");
        }
    }
}
