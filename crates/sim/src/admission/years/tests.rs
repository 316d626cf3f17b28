//! A small cluster over years: months, slices, policies, kinds of end, observations.

use super::*;
use crate::admission::{AdmissionSettings, DeathUnit, Horizon, StopKind};
use tiebreak_admission::Belief;
use tiebreak_placement::RuleUse;

/// A month of a cluster of 200 cores with more demand than capacity.
const MONTH: f64 = MONTH_HOURS / YEAR_HOURS;

fn lab() -> ClusterYears {
    ClusterYears { cores: 200, years: MONTH, arrivals: 2.0, ..ClusterYears::default() }
}

fn terms() -> Terms {
    let settings = AdmissionSettings { tolerance: 20.0, horizon_hours: 2_000.0, ..AdmissionSettings::default() };
    Terms::new(&settings, true).expect("a belief")
}

/// A rule with its parameters, or none.
type Rule<'a> = Option<(&'a str, &'a [f64])>;

/// The cluster at its start, with this rule if any.
fn begun(lab: ClusterYears, terms: Terms, rule: Rule<'_>) -> Years {
    let rules: Vec<_> =
        rule.into_iter().map(|(id, values)| RuleUse { values: values.into(), ..RuleUse::plain(id, None) }).collect();
    let policy = Policy::new(&rules, 1).expect("a list");
    Years::new(Arc::new(terms), lab, Arc::new(policy), Seed(11))
}

fn run(lab: ClusterYears, terms: Terms, rule: Rule<'_>) -> Years {
    let mut years = begun(lab, terms, rule);
    while years.advance(1_000) {}
    years
}

const RULES: [Rule<'_>; 4] = [
    None,
    Some(("ZerothMomentAdmission", &[60.0])),
    Some(("FirstMomentAdmission", &[60.0])),
    Some(("SecondMomentAdmission", &[20.0])),
];

#[test]
fn one_seed_has_one_result_in_any_slices() {
    let lab = ClusterYears { years: MONTH / 4.0, ..lab() };
    for rule in RULES {
        let whole = run(lab, terms(), rule);
        for slice in [1, 7] {
            let mut sliced = begun(lab, terms(), rule);
            while sliced.advance(slice) {}
            assert_eq!(sliced.months(), whole.months(), "{rule:?}, {slice} at a time");
            assert_eq!(sliced.last_refused(), whole.last_refused(), "{rule:?}, {slice} at a time");
        }
    }
}

#[test]
fn cores_stay_within_the_cluster_and_every_hour_is_counted() {
    let lab = ClusterYears { years: 1.5 * MONTH, ..lab() };
    for rule in RULES {
        let mut years = begun(lab, terms(), rule);
        let (mut used, mut at_ms, mut core_hours) = (0, 0, 0.0);
        while years.advance(1) {
            core_hours += f64::from(used) * (years.now_ms - at_ms) as f64 / HOUR_MS;
            (used, at_ms) = (years.used, years.now_ms);
            let live: u32 = years.live.values().map(|it| it.cores).sum();
            assert_eq!(live, used, "{rule:?}");
            assert!(used <= lab.cores, "{rule:?}");
        }
        core_hours += f64::from(used) * (years.end_ms - at_ms) as f64 / HOUR_MS;
        let total = years.total();
        assert_eq!(years.months().len(), 2, "{rule:?}");
        assert!((years.months()[0].hours - MONTH_HOURS).abs() < 1e-6, "{rule:?}");
        assert!((total.hours - 1.5 * MONTH_HOURS).abs() < 1e-6, "{rule:?}");
        assert!((total.core_hours - core_hours).abs() < 1e-6 * core_hours, "{rule:?}");
        assert!(total.utilization(lab.cores) > 0.1 && years.progress() == 1.0, "{rule:?}");
    }
}

#[test]
fn what_is_known_of_those_in_is_in_the_sums() {
    for rule in RULES {
        let mut years = begun(ClusterYears { years: MONTH / 4.0, ..lab() }, terms(), rule);
        while years.advance(1) {
            let now = years.growth.clusters[0].sums()[0].mean();
            assert!((now - f64::from(years.used)).abs() < 0.01, "{rule:?}: {now} and {}", years.used);
        }
    }
}

#[test]
fn a_policy_that_lets_in_nobody_fails_nobody() {
    for (rule, value) in [
        ("ZerothMomentAdmission", &[0.0][..]),
        ("FirstMomentAdmission", &[0.0, 0.0]),
        ("SecondMomentAdmission", &[0.0001, 0.0, 0.0]),
    ] {
        let years = run(ClusterYears { cores: 5, ..lab() }, terms(), Some((rule, value)));
        let Span { arrivals, admitted, core_hours, failed, scale_outs, .. } = years.total();
        assert!(arrivals > 1_000, "{rule}: {arrivals}");
        assert_eq!((admitted, core_hours, failed, scale_outs, years.most_live()), (0, 0.0, 0, 0, 0), "{rule}");
    }
}

#[test]
fn a_scale_out_fails_where_it_finds_no_room_and_there_alone() {
    let mut years = begun(lab(), terms(), None);
    let mut seen = [0; 2];
    let (mut before, mut used) = (years.total(), 0);
    while years.advance(1) {
        let total = years.total();
        match (total.scale_outs - before.scale_outs, total.failed - before.failed) {
            (0, failed) => assert_eq!(failed, 0, "one that was not asked for"),
            (1, 1) => {
                assert_eq!(years.used, used, "whole or not at all");
                seen[1] += 1;
            }
            (1, 0) => {
                assert!(years.used > used);
                seen[0] += 1;
            }
            more => panic!("{more:?} in one step"),
        }
        (before, used) = (total, years.used);
    }
    let total = years.total();
    assert!(seen[0] > 100 && seen[1] > 20, "{seen:?} granted and failed");
    assert_eq!((total.scale_outs, total.failed), (seen[0] + seen[1], seen[1]));
    assert!((total.failed_share() - seen[1] as f64 / total.scale_outs as f64).abs() < 1e-12);
    let wide = run(ClusterYears { cores: 1_000_000, years: MONTH / 4.0, ..lab() }, terms(), None).total();
    assert_eq!((wide.failed, wide.failed_share(), wide.admitted), (0, 0.0, wide.arrivals));
}

#[test]
fn policies_meet_the_same_arrivals_and_those_behave_alike() {
    let all = RULES.map(|rule| run(lab(), terms(), rule));
    let arrivals = |years: &Years| -> Vec<_> { years.months().iter().map(|it| it.arrivals).collect() };
    for years in &all[1..] {
        assert_eq!(arrivals(years), arrivals(&all[0]));
        let both = years.live.iter().filter_map(|(id, it)| Some((it.truth, all[0].live.get(id)?.truth)));
        let both: Vec<_> = both.collect();
        assert!(!both.is_empty() && both.iter().all(|(ours, theirs)| ours == theirs));
    }
    let admitted = all.each_ref().map(|years| years.total().admitted);
    assert!(admitted.iter().all(|count| *count > 0), "{admitted:?}");
}

#[test]
fn a_looser_limit_fills_the_cluster_more() {
    for (rule, values) in [
        ("ZerothMomentAdmission", [10.0, 60.0]),
        ("FirstMomentAdmission", [10.0, 60.0]),
        ("SecondMomentAdmission", [1.0, 20.0]),
    ] {
        let used = values.map(|value| run(lab(), terms(), Some((rule, &[value]))).total().utilization(200));
        assert!(used[0] < used[1], "{rule}: {used:?}");
    }
}

#[test]
fn every_kind_of_end_is_followed() {
    let lab = ClusterYears { years: MONTH / 4.0, ..lab() };
    for deaths in [Deaths::Blocks, Deaths::Cores] {
        for stop in [Stop::Hard, Stop::Soft] {
            for ends_empty in [true, false] {
                let settings = AdmissionSettings {
                    deaths: DeathUnit(deaths),
                    stop: StopKind(stop),
                    stop_factor: 0.5,
                    tolerance: 20.0,
                    horizon_hours: 500.0,
                    ..AdmissionSettings::default()
                };
                let terms = Terms::new(&settings, true).expect("a belief");
                let mut years = begun(ClusterYears { ends_empty, ..lab }, terms, RULES[3]);
                let (mut empty, mut stopped) = (0, 0);
                while years.advance(1) {
                    let last = years.live.values();
                    empty += u32::from(last.clone().any(|it| it.cores == 0));
                    stopped += u32::from(last.clone().any(|it| !it.grows));
                    let blocks = |it: &Deployment| it.blocks.iter().sum::<u32>();
                    assert!(deaths == Deaths::Cores || last.clone().all(|it| blocks(it) == it.cores));
                }
                let name = alloc::format!("{deaths:?}, {stop:?}, gone when empty: {ends_empty}");
                assert!(years.total().admitted > 10, "{name}");
                assert_eq!(empty > 0, !ends_empty, "{name}");
                assert_eq!(stopped > 0, stop == Stop::Soft, "{name}: what stops hard is gone");
            }
        }
    }
}

#[test]
fn the_smallest_cluster_and_the_shortest_time_are_followed() {
    let tiny = run(ClusterYears { cores: 1, ..lab() }, terms(), None);
    assert!(tiny.total().admitted > 0 && tiny.most_live() == 1, "one deployment of one core at a time");
    let none = run(ClusterYears { years: 0.0, ..lab() }, terms(), None);
    assert_eq!((none.total(), none.progress(), none.months().len()), (Span::default(), 1.0, 0));
    assert_eq!(none.total().utilization(200), 0.0);
}

#[test]
fn the_look_aheads_of_the_paper_decide_alike() {
    let lab = ClusterYears { years: 0.02 * MONTH, ..lab() };
    let [few, many] = [Horizon::Geometric, Horizon::LookAheads].map(|horizon| {
        let settings = AdmissionSettings { horizon, tolerance: 20.0, ..AdmissionSettings::default() };
        run(lab, Terms::new(&settings, true).expect("a belief"), Some(("SecondMomentAdmission", &[20.0]))).total()
    });
    assert!(few.arrivals > 10 && few.admitted == many.admitted, "{few:?} and {many:?}");
}

#[test]
fn the_more_is_observed_the_nearer_is_what_is_believed() {
    let model = *terms().model();
    let off = |observations: u32| {
        let error = |number: u64| {
            let mut draws = Seed(number).stream("observed").generator();
            let (truth, known) = kind(&model, observations, &mut draws);
            let belief = Belief::new(&model, &known.0, Belief::NODES);
            let far = |believed: f64, truth: f64| libm::log(believed / truth).abs();
            [far(belief.mean_death_rate(), truth.death), far(belief.mean_scale_out_rate(), truth.scale_out)]
        };
        let all = (0..300).map(error).fold([0.0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        all.map(|sum| sum / 300.0)
    };
    let [none, five, fifty] = [0, 5, 50].map(off);
    for at in 0..2 {
        assert!(fifty[at] < 0.5 * five[at] && five[at] < 0.5 * none[at], "{none:?}, {five:?}, {fifty:?}");
    }
    for observations in [0, 1, 50] {
        let years = run(ClusterYears { observations, years: MONTH / 4.0, ..lab() }, terms(), RULES[3]);
        assert!(years.total().admitted > 10, "{observations}");
    }
}

#[test]
fn who_is_not_labelled_does_the_same_and_is_believed_to_be_of_either_kind() {
    let years = |lab| begun(lab, terms(), None);
    let labelled = years(ClusterYears { observations: 20, ..lab() });
    let unlabelled = years(ClusterYears { unlabelled: true, observations: 20, ..lab() });
    let unknown = years(lab());
    for id in 0..200 {
        let both = unlabelled.meet(id);
        let Met { beliefs, asks, .. } = &both;
        assert!(beliefs.len() == 2 && beliefs[0].exposure != beliefs[1].exposure);
        assert!(beliefs.iter().all(|seen| seen.cores == f64::from(*asks)), "both see what it asks for");
        assert_eq!(labelled.meet(id), Met { beliefs: beliefs[..1].into(), ..both.clone() });
        // Observations do not change its behaviour.
        assert_eq!(unknown.meet(id), Met { beliefs: [Seen::started(f64::from(*asks))].into(), ..both.clone() });
    }
}
