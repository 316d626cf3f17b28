//! `KaplanMeier` (LAVA section 3 and Appendix B, stratified Kaplan-Meier).

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use tiebreak_model::{Time, VmId, Workload, declare};

use super::mean_by_type::EXAMPLES_MIN;
use super::{Kind, Lesson, seconds};
use crate::curve::Curve;
use crate::predictions::Predictions;
use crate::spells::{self, Spell};
use crate::survival::{self, Ending, Survival};
use crate::training::{Learned, Learner};
use crate::{order, traits, uptimes};

declare! {
    /// Predicts with survival tables: how long did similar VMs live that were still running at this uptime? VMs
    /// still running at the end of training count for as long as they were observed.
    ///
    /// It groups VMs by shape, then by size of request, then by tenant. At every uptime it uses the finest group
    /// with enough VMs at risk, and all VMs if there is none. VMs of one group share one curve. (LAVA section 3,
    /// Appendix B)
    pub struct KaplanMeier as "Survival table (Kaplan-Meier)" {
        /// Share of the trace's time used for training.
        train_share: f64 = 50, 0 => 100, "%";
        /// Longer remaining lifetimes count as this long, so that a few VMs that never end do not outweigh all
        /// others.
        cap: f64 = 168, 1 => 10000, "h";
        /// How many VMs must be at risk for a group to be used; a larger value is more cautious.
        at_risk: u32 = EXAMPLES_MIN, 1 => 1000, "VMs";
    }
}

impl Kind for KaplanMeier {
    fn begin(self, lesson: Lesson) -> Box<dyn Learner> {
        Box::new(Table::new(&lesson.workload, lesson.cut(self.train_share), self))
    }
}

/// Nested groups: all, shape, size of the request, tenant.
const LEVELS: usize = 4;

/// The features that a VM shares with others of its group, level by level.
type Key = [u64; LEVELS];

/// A VM, and the observed part of its lifetime.
struct Member {
    key: Key,
    vm: VmId,
    spell: Option<Spell>,
}

/// The current group of one level.
struct Group {
    members: Range<usize>,
    /// Its endings; `None` if it is too small, and the level above is used instead.
    endings: Option<Vec<Ending>>,
    curve: u32,
}

/// The tables of a workload under construction, one group of the finest level after another.
pub(super) struct Table {
    terms: KaplanMeier,
    cut: Time,
    grid: Vec<u32>,
    /// Sorted, so that every group is a range.
    members: Vec<Member>,
    next: usize,
    /// The current group of each level, the coarsest first.
    groups: Vec<Group>,
    curves: Vec<Curve>,
    curve_of: Vec<u32>,
    trained_on: u32,
    trained_censored: u32,
}

impl Table {
    pub(super) fn new(workload: &Arc<Workload>, cut: Time, terms: KaplanMeier) -> Self {
        let seen = spells::spells(workload, cut);
        let keys: Vec<(Key, VmId)> = traits::of(workload).map(|traits| (key(&traits), traits.vm)).collect();
        let mut spells = alloc::vec![None; keys.len()];
        seen.iter().for_each(|spell| spells[spell.vm.index()] = Some(*spell));
        let member = |place: &u32| {
            let (key, vm) = keys[*place as usize];
            Member { key, vm, spell: spells[vm.index()] }
        };
        let members: Vec<Member> = order::rising(keys.iter().map(|(key, _)| number(*key))).iter().map(member).collect();
        Self {
            terms,
            cut,
            grid: uptimes::grid(),
            curve_of: alloc::vec![0; members.len()],
            members,
            next: 0,
            groups: Vec::new(),
            curves: Vec::new(),
            trained_on: seen.len() as u32,
            trained_censored: seen.iter().filter(|spell| !spell.ended).count() as u32,
        }
    }

    /// Creates the group of this level that begins with the next member; returns the approximate cost.
    fn open_group(&mut self, level: usize) -> usize {
        let first = &self.members[self.next].key[..=level];
        let until = self.next + self.members[self.next..].partition_point(|member| member.key[..=level] == *first);
        let members = self.next..until;
        let seen: Vec<Spell> = self.members[members.clone()].iter().filter_map(|member| member.spell).collect();
        let coarser = self.groups.iter().rev().find_map(|group| group.endings.as_deref());
        let endings = match coarser {
            None => Some(survival::endings(&seen)),
            Some(_) if seen.len() < self.terms.at_risk as usize => None,
            Some(coarser) => Some(survival::refined(&seen, coarser, self.terms.at_risk)),
        };
        let curve = match &endings {
            Some(endings) => self.add_curve(&Survival::of(endings)),
            None => self.groups.last().map_or(0, |group| group.curve),
        };
        let looked_at = members.len() + endings.as_ref().map_or(0, Vec::len);
        self.groups.push(Group { members, endings, curve });
        looked_at
    }

    fn add_curve(&mut self, survival: &Survival) -> u32 {
        let cap_s = seconds(self.terms.cap);
        let remaining_s =
            |uptime_s| libm::ceil(survival.mean_remaining_s(uptime_s, cap_s)).clamp(1.0, f64::from(cap_s));
        self.curves.push(Curve::of(self.grid.iter().map(|uptime_s| (*uptime_s, remaining_s(*uptime_s) as u32))));
        self.curves.len() as u32 - 1
    }
}

impl Learner for Table {
    fn step(&mut self) -> Option<u32> {
        if self.next == self.members.len() {
            return None;
        }
        let next = self.next;
        self.groups.retain(|group| group.members.contains(&next));
        let looked_at: usize = (self.groups.len()..LEVELS).map(|level| self.open_group(level)).sum();
        let group = self.groups.last().expect("a group of the finest level");
        for member in &self.members[group.members.clone()] {
            self.curve_of[member.vm.index()] = group.curve;
        }
        self.next = group.members.end;
        Some(looked_at as u32 / 20 + 5)
    }

    fn share_done(&self) -> f32 {
        self.next as f32 / self.members.len().max(1) as f32
    }

    fn finish(self: Box<Self>) -> Learned {
        Learned {
            predictions: Predictions::of_curves(self.curves, self.curve_of),
            cut: self.cut,
            trained_on: self.trained_on,
            trained_censored: self.trained_censored,
            influence: Vec::new(),
        }
    }
}

fn key(traits: &traits::Traits) -> Key {
    // Requests of 1, 2, 3 to 4, 5 to 8 VMs, and so on.
    let size = u64::from(traits.values[traits::REQUEST_VMS].next_power_of_two().ilog2());
    [0, u64::from(traits.shape.0), size, traits.values[traits::TENANT]]
}

/// Keys as integers in the same order: 32 bits for the shape, 64 for the tenant, and the size is below 32.
fn number([_, shape, size, tenant]: Key) -> u128 {
    u128::from(shape) << 69 | u128::from(size) << 64 | u128::from(tenant)
}
