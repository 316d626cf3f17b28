//! A cluster's affinity group: the classes that its machines may have, and the states between which it changes (DVLA,
//! Algorithms 1 and 4).

use alloc::vec::Vec;

use tiebreak_model::phrase::mark;

use super::detector::{Detector, Vector};
use super::settings::{AffinitySettings, CLASSES_MAX};

/// What a cluster's detector is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GroupState {
    /// It learns and raises no alarm yet.
    #[default]
    WarmUp,
    /// It learns and may raise an alarm.
    Stable,
    /// After an alarm: it observes without learning.
    Observation,
    /// After a change of the group: it learns and raises no alarm.
    CoolDown,
}

impl GroupState {
    /// Display word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::WarmUp => mark("warm-up"),
            Self::Stable => mark("stable"),
            Self::Observation => mark("observation"),
            Self::CoolDown => mark("cool-down"),
        }
    }
}

/// The classes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group(u8);

impl Group {
    /// All of this many classes.
    pub(crate) const fn all(classes: u8) -> Self {
        Self(((1_u16 << classes) - 1) as u8)
    }

    /// Its classes from the shortest, from 1.
    pub fn classes(self) -> impl Iterator<Item = u8> {
        (1..=CLASSES_MAX as u8).filter(move |class| self.0 >> (class - 1) & 1 == 1)
    }

    /// The classes that hold most of these shares: as many as cover what the settings ask for. Of equal shares, the
    /// longer class is first.
    fn covering(shares: &Vector, terms: &AffinitySettings) -> Self {
        let mut by_share: Vec<usize> = (0..usize::from(terms.classes())).rev().collect();
        by_share.sort_by(|one, other| shares[*other].total_cmp(&shares[*one]));
        let total: f64 = shares.iter().sum();
        let (mut group, mut covered) = (0, 0.0);
        for (count, class) in (0..).zip(by_share) {
            if count >= terms.classes_min && covered >= terms.coverage_pct / 100.0 * total {
                break;
            }
            group |= 1 << class;
            covered += shares[class];
        }
        Self(group)
    }

    /// Its class nearest to `sum / weight`; of two, the longer.
    pub(crate) fn nearest(self, sum: u64, weight: u64) -> u8 {
        let distance = |class: &u8| (u64::from(*class) * weight).abs_diff(sum);
        self.classes().min_by_key(|class| (distance(class), u8::MAX - class)).unwrap_or(0)
    }
}

/// A day of a cluster, as it ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupDay {
    /// The share of used cores in each class; `None` if the cluster had no VMs, so that the day did not count.
    pub vector: Option<Vector>,
    /// Its drift score.
    pub score: f64,
    /// The state after it.
    pub state: GroupState,
    /// The group after it.
    pub group: Group,
    /// Whether the group was formed anew on this day.
    pub changed: bool,
}

/// The affinity group of a cluster and its detector.
#[derive(Clone, Debug)]
pub(crate) struct ClusterGroup {
    pub(crate) group: Group,
    pub(crate) state: GroupState,
    detector: Detector,
    /// Days in this state; while it observes, the days themselves with their scores.
    days: u32,
    observed: Vec<(Vector, f64)>,
    /// How often the group was formed anew.
    pub(crate) changes: u32,
}

impl ClusterGroup {
    pub(crate) fn new(terms: &AffinitySettings) -> Self {
        Self {
            group: Group::all(terms.classes()),
            state: GroupState::default(),
            detector: Detector::default(),
            days: 0,
            observed: Vec::new(),
            changes: 0,
        }
    }

    /// A day ends with these shares of the cores in each class.
    pub(crate) fn day(&mut self, vector: Option<Vector>, terms: &AffinitySettings) -> GroupDay {
        let changes = self.changes;
        let score = vector.map_or(0.0, |vector| self.go_on(&vector, terms));
        GroupDay { vector, score, state: self.state, group: self.group, changed: self.changes > changes }
    }

    fn go_on(&mut self, vector: &Vector, terms: &AffinitySettings) -> f64 {
        let score = if self.state == GroupState::WarmUp { 0.0 } else { self.detector.score(vector) };
        if self.state == GroupState::Stable && score > terms.theta_alarm {
            self.enter(GroupState::Observation);
        }
        self.days += 1;
        match self.state {
            GroupState::Observation => {
                self.observed.push((*vector, score));
                if self.days >= terms.observation_days {
                    self.conclude(terms);
                }
            }
            state => {
                self.detector.learn(vector, terms);
                let enough = match state {
                    GroupState::WarmUp => self.days >= terms.warm_up_days,
                    _ => self.days >= terms.cool_down_days,
                };
                if state != GroupState::Stable && enough {
                    self.enter(GroupState::Stable);
                }
            }
        }
        score
    }

    /// The observation is over: either the drift has lasted, or it was none.
    fn conclude(&mut self, terms: &AffinitySettings) {
        let observed = core::mem::take(&mut self.observed);
        let days = observed.len() as f64;
        let mean_score = observed.iter().map(|(_, score)| score).sum::<f64>() / days;
        if mean_score >= terms.theta_confirm {
            let mean =
                core::array::from_fn(|class| observed.iter().map(|(vector, _)| vector[class]).sum::<f64>() / days);
            self.group = Group::covering(&mean, terms);
            self.changes += 1;
            self.enter(if terms.cool_down_days > 0 { GroupState::CoolDown } else { GroupState::Stable });
        } else {
            self.enter(GroupState::Stable);
        }
        observed.iter().for_each(|(vector, _)| self.detector.learn(vector, terms));
    }

    fn enter(&mut self, state: GroupState) {
        (self.state, self.days) = (state, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::Declared;

    fn terms() -> AffinitySettings {
        let usual = AffinitySettings::from_values(&[]);
        AffinitySettings { warm_up_days: 3, observation_days: 2, cool_down_days: 2, ..usual }
    }

    const SHORT: Vector = [0.5, 0.3, 0.2, 0.0, 0.0, 0.0];
    const LONG: Vector = [0.0, 0.0, 0.03, 0.0, 0.9, 0.07];

    #[test]
    fn a_machine_takes_the_nearest_class_of_the_group_and_of_two_the_longer() {
        let group = |classes: &[u8]| Group(classes.iter().fold(0, |group, class| group | 1 << (class - 1)));
        for (classes, sum, weight, nearest) in [
            (&[1, 5][..], 30, 10, 5), // The mean is 3: both are 2 away.
            (&[1, 5], 29, 10, 1),
            (&[2, 3, 6], 45, 10, 6), // 4.5 is between 3 and 6.
            (&[2, 3, 6], 44, 10, 3),
            (&[4], 1, 1, 4),
            (&[], 1, 1, 0),
        ] {
            assert_eq!(group(classes).nearest(sum, weight), nearest, "{sum} / {weight} in {classes:?}");
        }
        assert!(Group::all(6).classes().eq(1..=6) && Group::all(2).classes().eq(1..=2));
    }

    #[test]
    fn a_group_covers_most_cores_with_the_fewest_classes() {
        let classes = |shares, coverage_pct, classes_min| {
            let terms = AffinitySettings { coverage_pct, classes_min, ..terms() };
            Group::covering(&shares, &terms).classes().collect::<Vec<_>>()
        };
        assert_eq!(classes(LONG, 95.0, 1), [5, 6], "0.9 and 0.07 are 0.97");
        assert_eq!(classes(LONG, 90.0, 1), [5]);
        assert_eq!(classes(LONG, 90.0, 2), [5, 6]);
        assert_eq!(classes(LONG, 100.0, 1), [3, 5, 6]);
        assert_eq!(classes([0.0, 0.5, 0.5, 0.0, 0.0, 0.0], 40.0, 1), [3], "of equal shares the longer");
    }

    /// Each day's state, and whether the group was formed anew.
    fn states(vectors: &[Vector], terms: &AffinitySettings) -> Vec<(GroupState, bool)> {
        let mut cluster = ClusterGroup::new(terms);
        vectors.iter().map(|vector| cluster.day(Some(*vector), terms)).map(|day| (day.state, day.changed)).collect()
    }

    #[test]
    fn a_drift_that_lasts_forms_the_group_anew() {
        use GroupState::{CoolDown, Observation, Stable, WarmUp};
        let drift = [SHORT, SHORT, SHORT, SHORT, LONG, LONG, LONG, LONG, LONG];
        let days = states(&drift, &terms());
        let expected = [WarmUp, WarmUp, Stable, Stable, Observation, CoolDown, CoolDown, Stable];
        assert_eq!(days[..8].iter().map(|(state, _)| *state).collect::<Vec<_>>(), expected);
        assert!(days.iter().enumerate().all(|(at, (_, changed))| *changed == (at == 5)));
        let mut cluster = ClusterGroup::new(&terms());
        assert!(drift.iter().all(|vector| cluster.day(Some(*vector), &terms()).vector.is_some()));
        assert!(cluster.group.classes().eq([5, 6]));
    }

    #[test]
    fn a_drift_that_passes_changes_nothing_and_a_day_without_vms_does_not_count() {
        let terms = AffinitySettings { theta_confirm: f64::MAX, alpha: 0.5, beta: 0.5, ..terms() };
        let near: Vector = [0.49, 0.31, 0.2, 0.0, 0.0, 0.0];
        let days = states(&[SHORT, near, SHORT, LONG, SHORT, SHORT], &terms);
        assert_eq!(days[3].0, GroupState::Observation);
        assert_eq!(days[4..], [(GroupState::Stable, false); 2]);
        let mut cluster = ClusterGroup::new(&terms);
        let day = (0..9).map(|_| cluster.day(None, &terms)).next_back().expect("nine days");
        assert_eq!((day.state, day.score), (GroupState::WarmUp, 0.0));
    }
}
