//! What each rule leaves of the candidates, on average over sampled decisions (Protean
//! section 3.4: how aggressive a rule is).

use alloc::vec::Vec;

use tiebreak_model::VmId;
use tiebreak_placement::{Funnel, Step};

use crate::summary::RuleShare;

/// Sums of what each rule left, over every `stride`-th VM.
#[derive(Clone, Debug)]
pub(crate) struct RuleShares {
    stride: u32,
    decisions: u32,
    sums: Vec<RuleShare>,
}

impl RuleShares {
    /// Over every `stride`-th VM; over none when it is 0.
    pub(crate) fn new(stride: u32) -> Self {
        Self { stride, decisions: 0, sums: Vec::new() }
    }

    /// Whether this VM is one of them.
    pub(crate) fn wants(&self, vm: VmId) -> bool {
        self.stride > 0 && vm.0.is_multiple_of(self.stride)
    }

    /// Takes in a decision.
    pub(crate) fn add(&mut self, funnel: &Funnel) {
        self.decisions += 1;
        let stages = [&funnel.cluster_steps, &funnel.steps];
        let shares = stages.into_iter().flat_map(|steps| steps.iter().map(|step| share(steps, step)));
        for (index, share) in shares.enumerate() {
            match self.sums.get_mut(index) {
                Some(sum) => {
                    sum.before += share.before;
                    sum.after += share.after;
                }
                None => self.sums.push(share),
            }
        }
    }

    /// What each rule left on average.
    pub(crate) fn means(&self) -> Vec<RuleShare> {
        let decisions = f64::from(self.decisions.max(1));
        let mean = |sum: &RuleShare| RuleShare { before: sum.before / decisions, after: sum.after / decisions, ..*sum };
        self.sums.iter().map(mean).collect()
    }
}

fn share(steps: &[Step], step: &Step) -> RuleShare {
    let first = f64::from(steps.first().map_or(1, |step| step.before).max(1));
    RuleShare { rule: step.rule, before: f64::from(step.before) / first, after: f64::from(step.after) / first }
}
