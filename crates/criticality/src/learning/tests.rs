//! Forests learn habits, learn nothing from the future, and are the same in any slices.

use super::*;
use crate::features::FEATURES;
use crate::habits::{Habits, arrivals};

const SMALL: Habits = Habits {
    vms: 4_000,
    days: 30.0,
    tenants: 150,
    user_facing_pct: 40.0,
    faithful_pct: 95.0,
    p95_spread: 6.0,
    erratic_pct: 0.0,
};

fn quick() -> ForestSettings {
    ForestSettings { trees: 10, rows_per_tree: 500, ..ForestSettings::default() }
}

fn predicted(predictor: LoadPredictor, settings: ForestSettings) -> LoadPredictions {
    Learning::new(arrivals(SMALL, Seed(1)), predictor, settings, Seed(1)).finish()
}

#[test]
fn an_oracle_knows_and_nobody_else_knows_nothing() {
    let truth: Vec<Load> = arrivals(SMALL, Seed(1)).iter().map(|arrival| arrival.truth.load).collect();
    assert_eq!(predicted(LoadPredictor::Oracle, quick()), LoadPredictions { loads: truth.clone(), quality: None });
    let nothing = LoadPredictions { loads: vec![Load::UNKNOWN; truth.len()], quality: None };
    assert_eq!(predicted(LoadPredictor::Nothing, quick()), nothing);
}

#[test]
fn forests_learn_habits() {
    let every_type = ForestSettings { label_days: 0.0, ..quick() };
    let LoadPredictions { quality, .. } = predicted(LoadPredictor::Forests, every_type);
    let quality = quality.expect("forests are judged");
    let (types, p95) = (quality.criticality, quality.p95.expect("the percentile is predicted"));
    assert!(types.confusion.accuracy() > 0.85, "{types:?}");
    assert!(p95.confusion.accuracy() > 0.7 && p95.share_confident() > 0.5, "{p95:?}");
}

#[test]
fn without_the_percentile_everything_counts_full() {
    let LoadPredictions { loads, quality } = predicted(LoadPredictor::CriticalityOnly, quick());
    assert!(loads.iter().all(|load| load.p95_pct == 100) && loads.iter().any(|load| !load.user_facing));
    assert!(quality.expect("a forest is judged").p95.is_none());
    let both = predicted(LoadPredictor::Forests, quick()).loads;
    assert!(loads.iter().zip(&both).all(|(one, other)| one.user_facing == other.user_facing));
    assert!(both.iter().any(|load| load.p95_pct == 25));
}

#[test]
fn nothing_is_predicted_before_the_forests_have_learned() {
    let LoadPredictions { loads, .. } = predicted(LoadPredictor::Forests, quick());
    let before = arrivals(SMALL, Seed(1)).iter().filter(|arrival| arrival.start < Time::ZERO + days(10.0)).count();
    assert!(before > 1_000 && loads[..before].iter().all(|load| *load == Load::UNKNOWN));
}

#[test]
fn who_is_alive_at_the_start_is_what_telemetry_told() {
    let mut arrivals = arrivals(SMALL, Seed(1));
    let day = Millis::DAY.0 as i64;
    for (arrival, age_days) in arrivals.iter_mut().zip([30, 6, 4]) {
        (arrival.start, arrival.end) = (Time(-age_days * day), Time(40 * day));
        arrival.truth.load = Load { user_facing: false, p95_pct: 40 };
    }
    arrivals.sort_by_key(|arrival| arrival.start);
    let of = |predictor| Learning::new(arrivals.clone(), predictor, quick(), Seed(1)).finish().loads[..3].to_vec();
    let told = |p95_pct| Load { user_facing: false, p95_pct };
    assert_eq!(of(LoadPredictor::Forests), [told(50), told(50), Load::UNKNOWN]);
    assert_eq!(of(LoadPredictor::CriticalityOnly), [told(100), told(100), Load::UNKNOWN]);
    assert_eq!(of(LoadPredictor::Nothing), [Load::UNKNOWN; 3]);
}

#[test]
fn who_is_never_sure_is_cautious() {
    let never = ForestSettings { confidence_pct: 101, ..quick() };
    assert!(predicted(LoadPredictor::Forests, never).loads.iter().all(|load| *load == Load::UNKNOWN));
}

#[test]
fn too_short_a_life_is_labelled_user_facing() {
    let day = Millis::DAY.0 as i64;
    let mut arrival = arrivals(SMALL, Seed(1))[0];
    arrival.truth.load.user_facing = false;
    let label = |days: i64| {
        let arrival = Arrival { end: Time(arrival.start.0 + days * day), ..arrival };
        Labels { classified_after: super::days(5.0) }.of(&arrival).load.user_facing
    };
    assert_eq!([label(1), label(4), label(5), label(30)], [true, true, false, false]);
}

#[test]
fn a_template_s_label_counts_and_the_truth_only_where_it_is_asked_for() {
    let labels = Labels { classified_after: Millis(0) };
    let mut arrival = arrivals(SMALL, Seed(1))[0];
    let mut of = |truth: bool, user_facing: Option<bool>| {
        arrival.truth.load.user_facing = truth;
        arrival.label = Some(TelemetryLabel { at: arrival.end, user_facing });
        (labels.of(&arrival).load.user_facing, labels.without_errors(&arrival))
    };
    assert_eq!(
        [of(true, Some(false)), of(false, Some(true)), of(false, None)],
        [(false, true), (true, false), (true, true)]
    );
}

#[test]
fn templates_label_no_vm_before_its_fifth_day_and_err_on_some() {
    let labelled = crate::habits::labelled_by_templates(arrivals(SMALL, Seed(1)), Seed(1));
    let mut wrong = 0;
    for arrival in &labelled {
        let label = arrival.label.expect("all are labelled");
        let days = label.at.since(arrival.start).0 / Millis::DAY.0;
        assert_eq!(label.user_facing.is_some(), days >= 5, "{arrival:?}");
        wrong += usize::from(label.user_facing.is_some_and(|told| told != arrival.truth.load.user_facing));
    }
    let classified = labelled.iter().filter(|arrival| arrival.label.is_some_and(|it| it.user_facing.is_some())).count();
    assert!(0 < wrong && wrong < classified / 3, "{wrong} of {classified}");
    let quality = Learning::new(labelled, LoadPredictor::Forests, quick(), Seed(1)).finish().quality.expect("forests");
    let truth = quality.against_truth.expect("labels are not the truth");
    assert_eq!(truth.predictions, quality.criticality.predictions);
    assert_ne!(truth.confusion, quality.criticality.confusion);
}

#[test]
fn slices_change_nothing_and_progress_rises_to_the_end() {
    let mut sliced = Learning::new(arrivals(SMALL, Seed(1)), LoadPredictor::Forests, quick(), Seed(1));
    let mut last = sliced.progress();
    let mut slices = 0;
    while !sliced.work() {
        assert!(sliced.progress() > last && sliced.progress() < 1.0, "{} after {last}", sliced.progress());
        last = sliced.progress();
        slices += 1;
    }
    assert_eq!(slices + 1, sliced.slices.all);
    assert_eq!(sliced.finish(), predicted(LoadPredictor::Forests, quick()));
}

#[test]
fn the_seed_chooses_the_forest() {
    let other = Learning::new(arrivals(SMALL, Seed(1)), LoadPredictor::Forests, quick(), Seed(2)).finish();
    assert_ne!(other.loads, predicted(LoadPredictor::Forests, quick()).loads);
}

/// The page has the same figures: random draws and arithmetic do not depend on the platform. Another version of the
/// trees may change them.
#[test]
fn the_same_forest_everywhere() {
    let loads = predicted(LoadPredictor::Forests, quick()).loads;
    let user_facing = loads.iter().filter(|load| load.user_facing).count();
    let p95_pct: u32 = loads.iter().map(|load| u32::from(load.p95_pct)).sum();
    assert_eq!((user_facing, p95_pct), (2_200, 256_800));
}

#[test]
fn no_arrivals_are_no_trouble() {
    let LoadPredictions { loads, quality } = Learning::new(vec![], LoadPredictor::Forests, quick(), Seed(1)).finish();
    assert!(loads.is_empty() && quality.is_some_and(|quality| quality.criticality.predictions == 0));
    let mut late = arrivals(SMALL, Seed(1));
    late.retain(|arrival| arrival.start > Time::ZERO + days(11.0));
    let untaught = Learning::new(late, LoadPredictor::Forests, quick(), Seed(1)).finish();
    assert!(untaught.loads.iter().all(|load| *load == Load::UNKNOWN));
}

fn all_features(arrivals: &[Arrival]) -> Vec<Features> {
    let mut histories = Histories::new(arrivals);
    (0..arrivals.len()).map(|place| histories.next(arrivals, place, |arrival| arrival.truth)).collect()
}

/// Nothing after an arrival changes its features: neither later arrivals nor later telemetry.
#[test]
fn features_know_nothing_of_what_comes_later() {
    let original = arrivals(SMALL, Seed(1));
    let before = all_features(&original);
    for cut in [1, 500, 2_000, 3_500] {
        let now = original[cut].start;
        let mut changed = original.clone();
        for (place, arrival) in changed.iter_mut().enumerate() {
            if place > cut || observed_at(arrival) > now {
                arrival.truth =
                    Usage { load: Load { user_facing: !arrival.truth.load.user_facing, p95_pct: 77 }, mean_pct: 5 };
            }
            if place > cut {
                (arrival.cores_milli, arrival.end) = (64_000, Time::NEVER);
            }
        }
        assert_eq!(all_features(&changed)[..=cut], before[..=cut], "cut at {cut}");
    }
    assert_eq!(all_features(&original[..900]), before[..900]);
}

/// Nor do forests: later telemetry and later arrivals change no prediction.
#[test]
fn loads_know_nothing_of_what_comes_later() {
    let original = arrivals(SMALL, Seed(1));
    let cut = 300 + original.partition_point(|arrival| arrival.start < Time::ZERO + days(10.0));
    let now = original[cut].start;
    let mut changed = original[..cut + 50].to_vec();
    for arrival in changed.iter_mut().filter(|arrival| observed_at(arrival) > now) {
        arrival.truth.load = Load { user_facing: !arrival.truth.load.user_facing, p95_pct: 3 };
    }
    let loads = |arrivals| Learning::new(arrivals, LoadPredictor::Forests, quick(), Seed(1)).finish().loads;
    let (before, after) = (loads(original), loads(changed));
    assert!(before[..=cut] == after[..=cut] && before[cut - 300..=cut].iter().any(|load| *load != Load::UNKNOWN));
}

#[test]
fn features_by_hand() {
    let day = Millis::DAY.0 as i64;
    let vm = |start: i64, end: i64, user_facing: bool, p95_pct: u8| Arrival {
        tenant: 9,
        kind: 3,
        cores_milli: 2_000,
        memory_mib: 8_192,
        start: Time(start * day),
        end: Time(end * day),
        truth: Usage { load: Load { user_facing, p95_pct }, mean_pct: 10 },
        label: None,
    };
    // Ended after one day; runs on and was observed on day 5 but is not yet a week old; the new one arrives on day 6.
    let seen = all_features(&[vm(0, 1, true, 90), vm(0, 20, false, 20), vm(6, 7, true, 50), vm(7, 8, true, 50)]);
    assert_eq!(seen[0], [-1.0, -1.0, 0.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 2_000.0, 8_192.0, 3.0]);
    assert_eq!(seen[2], [0.5, 0.0, 2.0, 0.5, 0.0, 0.0, 0.5, 10.0, 55.0, 2_000.0, 8_192.0, 3.0]);
    // A day later it has lived a week, and the new one has ended.
    assert_eq!(seen[3][..3], [2.0 / 3.0, 1.0 / 3.0, 3.0]);
    assert_eq!(FEATURES, seen[3].len());
}

#[test]
fn buckets_are_the_papers() {
    assert_eq!([0, 1, 25, 26, 50, 51, 75, 76, 100].map(bucket), [0, 0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!([0, 1, 2, 3].map(upper_end), [25, 50, 75, 100]);
}
