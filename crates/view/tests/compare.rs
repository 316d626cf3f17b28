//! Several variants on one page, each with its own engine, as the page connects them.

use tiebreak_app::sweep::Point;
use tiebreak_app::{Edit, Effect, Given, Message, Mode, POOL, Phase, SizeWish, Wish};
use tiebreak_engine::protocol::Machines;
use tiebreak_model::Phrase;
use tiebreak_scenario::presets;
use tiebreak_sim::METRICS;
use tiebreak_view::report::Report;
use tiebreak_view::{charts, compare, sizing as view_of_size, sweep as view};

use page::Page;

#[path = "common/page.rs"]
mod page;

impl Page {
    /// A page with two variants, the second of which keeps no machines empty.
    fn of_two() -> Self {
        let mut page = Self::open((presets::find("small").expect("a preset").make)());
        page.does(Message::Fork { at_hours: None });
        page.does(Message::Edit(Edit::use_rule("PreferNonEmptyMachines", false)));
        page
    }

    fn digests(&self) -> Vec<String> {
        let lanes = self.app.document.variants.iter().map(|variant| {
            let mut all = std::iter::once(&self.app.front).chain(&self.app.aside);
            let lane = all.find(|lane| lane.variant == variant.name).expect("a lane for each variant");
            lane.result().expect("it has run").digest.clone()
        });
        lanes.collect()
    }
}

#[test]
fn a_fork_is_the_same_until_it_is_changed_and_both_futures_stay() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    let alone = page.digests();
    page.does(Message::Fork { at_hours: None });
    assert_eq!((page.app.front.variant.as_str(), page.app.mode), ("B", Mode::Compare));
    assert_eq!(page.digests(), [alone[0].clone(), alone[0].clone()]);
    assert!(compare::verdict(&page.app.front, page.app.against().expect("A"), None).contains("the same"));
    page.does(Message::Edit(Edit::use_rule("PreferNonEmptyMachines", false)));
    let both = page.digests();
    assert!(both[0] == alone[0] && both[1] != alone[0], "only the one in front was changed");
    page.does(Message::Undo);
    assert_eq!(page.digests(), [alone[0].clone(), alone[0].clone()]);
    page.does(Message::Undo);
    assert_eq!((page.digests(), page.engines.len()), (alone, 1), "the fork itself can be undone");
}

#[test]
fn variants_come_to_the_front_without_running_again() {
    let mut page = Page::of_two();
    let (both, run) = (page.digests(), page.app.front.run);
    page.does(Message::Front("A".into()));
    assert_eq!((page.app.front.variant.as_str(), page.app.against().expect("B").variant.as_str()), ("A", "B"));
    assert!(page.digests() == both && page.app.against().expect("B").run == run);
    page.does(Message::CloseVariant("A".into()));
    assert_eq!((page.app.front.variant.as_str(), page.app.mode), ("B", Mode::Explore));
    assert_eq!(page.digests(), both[1..]);
    assert_eq!(page.engines.len(), 1);
}

#[test]
fn a_branch_shares_its_past_and_changes_only_what_comes_after() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    let alone = page.digests();
    page.does(Message::Fork { at_hours: Some(12.0) });
    assert_eq!(page.digests(), [alone[0].clone(), alone[0].clone()]);
    page.does(Message::Edit(Edit::use_rule("PreferNonEmptyMachines", false)));
    let differing = page.app.differing.clone().expect("both have run");
    assert!(differing.count.expect("counted").0 > 0);
    assert!(differing.first[0].at_ms >= 12.0 * 3_600_000.0, "{:?}", differing.first[0]);
    page.does(Message::Fork { at_hours: Some(18.0) });
    page.does(Message::Edit(Edit::use_rule("BestFit", false)));
    let differing = page.app.differing.clone().expect("both have run");
    assert!(
        differing.first[0].at_ms >= 18.0 * 3_600_000.0,
        "C shares with B what came before: {:?}",
        differing.first[0]
    );
}

#[test]
fn forks_of_forks_stop_where_there_is_no_room() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    for _ in 0..12 {
        page.does(Message::Fork { at_hours: None });
    }
    assert_eq!(page.app.document.variants.len(), 8);
    assert!(page.app.notices.last().is_some_and(|notice| notice.lines[0].contains("at most 8")));
    assert!(page.digests().windows(2).all(|pair| pair[0] == pair[1]));
    while page.app.document.variants.len() > 1 {
        let name = page.app.document.variants[0].name.clone();
        page.does(Message::CloseVariant(name));
    }
    assert_eq!(page.engines.len(), 1, "closed variants leave no engine behind");
}

#[test]
fn the_first_placements_that_differ_are_named_and_explained_in_both() {
    let mut page = Page::of_two();
    let differing = page.app.differing.clone().expect("both have run");
    let (count, vms) = differing.count.expect("counted");
    assert!(count > 0 && count <= vms && !differing.first.is_empty());
    assert!(differing.first.iter().all(|it| it.machines[0] != it.machines[1]));
    assert!(differing.first.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms));
    page.does(Message::Vm(differing.first[0].vm.clone()));
    let winner = |lane: &tiebreak_app::Lane| lane.answer.attempts.last().and_then(|attempt| attempt.winner);
    assert_eq!(winner(&page.app.front), differing.first[0].machines[0]);
    assert_eq!(winner(page.app.against().expect("A")), differing.first[0].machines[1]);
}

#[test]
fn paired_seeds_give_an_interval_and_end_their_engines() {
    let mut page = Page::of_two();
    page.does(Message::Seeds(4));
    let paired = page.app.paired.as_ref().expect("asked for");
    assert_eq!((paired.progress(), paired.failure(), page.pool), ((8, 8), None, 3));
    let against = page.app.against().expect("A");
    let row = &compare::rows(&page.app.front, against, Some(paired))[0];
    assert!(row.interval.is_some(), "{row:?}");
    let verdict = compare::verdict(&page.app.front, against, Some(paired));
    assert!(
        verdict.contains("B keeps") && verdict.contains("95 % interval") && verdict.contains("4 seeds"),
        "{verdict}"
    );
    let first = &paired.pairs[0].runs[1].as_ref().and_then(|run| run.outcome()).expect("A with its own seed");
    assert_eq!(first.digest, page.digests()[0], "the pair of the seed on screen is what is on screen");
    let band = compare::difference(&page.app, 0).expect("a chart").series[0].band.len();
    assert!(band > 10);
    assert!(page.engines.keys().all(|lane| *lane < POOL), "{:?}", page.engines.keys());
    page.does(Message::Seeds(2));
    assert_eq!(page.app.paired.as_ref().expect("more").progress(), (12, 12));
    page.does(Message::Edit(Edit::use_rule("BestFit", false)));
    assert!(page.app.paired.is_none(), "another variant is another comparison");
}

#[test]
fn an_engine_of_the_pool_that_dies_fails_its_run_alone() {
    let mut page = Page::of_two();
    let effects = page.app.update(Message::Seeds(2));
    page.carry_out(effects);
    page.engines.remove(&POOL);
    let end = Message::EngineEnded { lane: POOL, reason: "out of memory".into(), had_begun: true };
    let effects = page.app.update(end);
    page.carry_out(effects);
    page.settle();
    let paired = page.app.paired.as_ref().expect("asked for");
    assert_eq!((paired.progress(), paired.failure().cloned()), ((4, 4), Some(Phrase::text("out of memory"))));
    assert_eq!(page.app.front.phase, Phase::Finished);
}

#[test]
fn an_engine_that_takes_the_place_of_one_of_the_pool_ends_where_nothing_is_left_to_run() {
    let mut page = Page::of_two();
    let begun = page.app.update(Message::Seeds(1));
    assert_eq!(begun.len(), 2);
    let end = Message::EngineEnded { lane: POOL + 1, reason: "out of memory".into(), had_begun: true };
    let effects = page.app.update(end);
    assert!(effects.contains(&Effect::Close { lane: POOL + 1 }), "{effects:?}");
    assert!(!effects.contains(&Effect::Close { lane: POOL }), "{effects:?}");
}

#[test]
fn what_is_asked_for_is_the_same_for_all_variants() {
    let mut page = Page::of_two();
    page.does(Message::Edit(Edit::set("seed", 77)));
    let seeds: Vec<_> = page.app.document.variants.iter().map(|variant| variant.seed).collect();
    assert_eq!(seeds, [77, 77]);
    page.does(Message::Edit(Edit::set("workload.days", 1)));
    let [a, b] = &page.app.document.variants[..] else { panic!("two variants") };
    assert_eq!(a.workload, b.workload);
}

const LESSON: &str = "# Two steps\n\nWhat it is about: machines, racks or clusters.\n\n## First\n\nOne rule.\n\n```scenario\npreset: small\n```\n\n```unlock\n\
rules: BestFit\ncontrols: map\ncharts: EmptyHosts\n```\n\n```predict\npick: Do hosts stay empty?\noption: Yes\n\
if: empty_hosts_pct_mean > 1\noption: No\n```\n\nThat is why.\n\n## Second\n\n```against\n\
set: rules.PreferNonEmptyMachines.on = false\n```\n\n```predict\ncurve: EmptyHosts\nask: How will it go?\n```\n\nSo it went.\n";

#[test]
fn a_lesson_asks_first_and_the_run_says_what_is_right() {
    let mut page = Page::open((presets::find("default").expect("a preset").make)());
    let before = page.app.document.clone();
    page.does(Message::LessonText(LESSON.into()));
    assert!(page.app.notices.is_empty(), "{:?}", page.app.notices);
    let playing = page.app.lesson.as_ref().expect("a lesson");
    assert_eq!((page.app.mode, playing.step, playing.is_revealed), (Mode::Lesson, 0, false));
    let shows = |id: &str| page.app.variant().rules.iter().any(|row| row.id == id && playing.shows_rule(row));
    assert!(shows("BestFit") && !shows("PreferLeastUsedRack"));
    assert_eq!(playing.charts().map(|charts| charts.len()), Some(1));
    page.does(Message::Predict(Given::Choice(7)));
    assert_eq!(page.app.lesson.as_ref().expect("a lesson").given, None, "there is no eighth answer");
    page.does(Message::Predict(Given::Choice(1)));
    page.does(Message::Reveal);
    let playing = page.app.lesson.as_ref().expect("a lesson");
    assert_eq!((playing.given.clone(), playing.right()), (Some(Given::Choice(1)), Some(0)));

    page.does(Message::LessonStep(1));
    let variants: Vec<_> = page.app.document.variants.iter().map(|variant| variant.name.clone()).collect();
    assert_eq!((variants, page.app.front.variant.as_str()), (vec!["A".into(), "B".into()], "B"));
    let end = page.app.front.live.as_ref().expect("a run").horizon_ms;
    page.does(Message::Predict(Given::Curve(vec![(0.0, 0.0), (end, 100.0)])));
    page.does(Message::Reveal);
    let playing = page.app.lesson.as_ref().expect("a lesson");
    let distance = playing.distance(page.app.front.live.as_ref().expect("a run")).expect("a distance");
    assert!(distance > 1.0 && distance < 100.0, "{distance}");
    page.does(Message::LessonStep(2));
    assert_eq!(page.app.lesson.as_ref().expect("a lesson").step, 1, "there is no third step");
    page.does(Message::LeaveLesson);
    assert_eq!((page.app.lesson.is_none(), page.app.mode), (true, Mode::Explore));
    assert_eq!(page.app.document, before, "what was open is open again");
}

#[test]
fn a_lesson_that_cannot_be_read_is_told_line_by_line_and_changes_nothing() {
    let mut page = Page::of_two();
    let before = page.app.document.clone();
    page.does(Message::LessonText(LESSON.replace("preset: small", "preset: smalls")));
    let notice = page.app.notices.last().expect("told");
    assert!(notice.bad && notice.lines[0].starts_with("line 10"), "{notice:?}");
    assert!(page.app.lesson.is_none() && page.app.document == before);
}

/// Sets the next sweep.
fn wish(page: &mut Page, axes: &[(&str, &str)], seeds: u64) {
    for (axis, (path, values)) in axes.iter().enumerate() {
        page.does(Message::Wish(Wish::Field(axis, (*path).into())));
        page.does(Message::Wish(Wish::Values(axis, (*values).into())));
    }
    page.does(Message::Wish(Wish::Seeds(seeds)));
}

#[test]
fn a_sweep_fills_point_by_point_and_a_point_opens_as_a_variant() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    wish(&mut page, &[("rules.BestFit.buckets", "1, 3, none"), ("agents.count", "1, 2, 4")], 1);
    page.does(Message::Sweep);
    let sweep = page.app.sweep.as_ref().expect("under way");
    assert_eq!((sweep.progress(), page.pool, sweep.is_under_way()), ((9, 9), 3, false));
    let result = |point: Point<'_>| point.results[0].clone().expect("over").expect("a result");
    let digests: Vec<_> = sweep.points().map(|point| result(point).digest).collect();
    assert!(digests.contains(&page.digests()[0]), "one of them is what is on screen");
    assert!(digests[0] != digests[4]);
    let drawing = view::drawing(sweep, &compare::MEASURES[0], None);
    assert_eq!((drawing.words.join(" "), drawing.plot.series.len()), ("1 3 none".into(), 3));
    assert!(drawing.plot.series.iter().all(|series| series.points.len() == 3 && series.band.is_empty()));
    let frontier = view::drawing(sweep, &compare::MEASURES[0], Some(&compare::MEASURES[1])).plot;
    assert_eq!(frontier.title, "Empty hosts, mean against packing density, mean");
    page.does(Message::SweepPoint(4));
    assert_eq!((page.app.front.variant.as_str(), page.digests()[1].as_str()), ("B", digests[4].as_str()));
    page.does(Message::Wish(Wish::Values(0, "0".into())));
    page.does(Message::Sweep);
    assert!(page.app.notices.last().is_some_and(|notice| notice.lines[0].contains("rules.BestFit.buckets=0")));
    assert_eq!(page.app.sweep.as_ref().expect("the one before").progress(), (9, 9));
    page.does(Message::NoSweep);
    assert!(page.app.sweep.is_none() && page.engines.keys().all(|lane| *lane < POOL));
}

#[test]
fn a_point_shows_the_mean_over_its_seeds_and_how_far_they_are_apart() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    wish(&mut page, &[("agents.count", "1, 4")], 3);
    page.does(Message::Sweep);
    let sweep = page.app.sweep.as_ref().expect("under way");
    assert_eq!(view::so_far(sweep), "6 of 6 runs, seeds 1 to 3");
    let point = sweep.points().next().expect("a point");
    let figures: Vec<f64> =
        point.results.iter().flatten().flatten().map(|it| it.figure("empty_hosts_pct_mean")).collect();
    let spread = point.spread(|it| compare::MEASURES[0].of(it)).expect("three runs");
    assert!((spread.mean - figures.iter().sum::<f64>() / 3.0).abs() < 1e-9 && figures.len() == 3);
    assert!(spread.low < spread.mean && spread.mean < spread.high, "{spread:?}");
    let plot = view::drawing(sweep, &compare::MEASURES[0], None).plot;
    assert_eq!(plot.series[0].points[0], (1.0, spread.mean));
    assert_eq!(plot.series[0].band[0], (1.0, spread.low, spread.high));
    let (mean, range) = view::cell(&compare::MEASURES[0], spread);
    assert!(mean.ends_with(" %") && range.is_some_and(|range| range.contains(" to ")), "{mean}");
}

#[test]
fn a_sweep_that_is_stopped_keeps_what_it_has() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    wish(&mut page, &[("agents.count", "1..12")], 1);
    let effects = page.app.update(Message::Sweep);
    page.carry_out(effects);
    while page.app.sweep.as_ref().is_some_and(|sweep| sweep.progress().0 < 4) {
        page.go_on();
    }
    page.does(Message::StopSweep);
    let sweep = page.app.sweep.as_ref().expect("kept");
    let (done, all) = sweep.progress();
    assert!((4..12).contains(&done) && all == 12 && !sweep.is_under_way(), "{done}");
    assert!(view::so_far(sweep).contains(" of 12 runs, stopped, seed 1"), "{}", view::so_far(sweep));
    assert_eq!(sweep.rows().lines().count(), done + 1);
    assert!(page.engines.keys().all(|lane| *lane < POOL), "no engine is left: {:?}", page.engines.keys());
}

#[test]
fn a_plan_of_a_file_comes_to_the_front_and_can_be_undone() {
    let mut page = Page::of_two();
    let before = page.app.document.clone();
    let plan = r#"{"scenario": "small", "parameters": [{"path": "inventory.clusters.0.machines", "values": [24, 30]}], "seeds": [5, 7]}"#;
    page.does(Message::Plan { name: "plan.json".into(), text: plan.into() });
    assert!(page.app.notices.is_empty(), "{:?}", page.app.notices);
    assert_eq!(page.app.document, (presets::find("small").expect("a preset").make)());
    assert_eq!(page.app.wanted.axes[0].values, "24, 30");
    page.does(Message::Sweep);
    assert_eq!(view::so_far(page.app.sweep.as_ref().expect("under way")), "4 of 4 runs, seeds 5, 7");
    page.does(Message::Undo);
    assert_eq!(page.app.document, before);
    page.does(Message::Plan { name: "plan.json".into(), text: plan.replace("24, 30", "24, -1") });
    let notice = page.app.notices.last().expect("told");
    assert_eq!(notice.title, "plan.json is not a valid sweep plan");
    assert!(notice.lines[0].starts_with("parameters[0].values[1]: expected a whole number"), "{notice:?}");
    assert_eq!(page.app.document, before);
}

#[test]
fn what_stands_under_a_chart_names_every_variant_with_its_seed() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    let alone = charts::caption(&page.app);
    assert!(alone.starts_with("24 machines: seed 1. Tiebreak "), "{alone}");
    page.does(Message::Edit(Edit::set("seed", 7)));
    let before = charts::caption(&page.app);
    let is_ghost_shown = charts::lines(&page.app).len() == 2;
    assert_eq!(before.contains("seed 1"), is_ghost_shown, "{before}");
    page.does(Message::Fork { at_hours: None });
    page.does(Message::Front("A".into()));
    let both = charts::caption(&page.app);
    assert!(both.starts_with("24 machines: A with seed 7, B with seed 7. "), "{both}");
}

#[test]
fn all_series_have_a_column_for_each_metric_and_variant() {
    let page = Page::of_two();
    let lines = charts::lines(&page.app);
    let text = charts::all_series(&lines);
    let mut rows = text.lines();
    let header = rows.next().expect("a header");
    assert!(header.starts_with("time_ms,A: Empty hosts (%),B: Empty hosts (%),A: Packing density (%),"), "{header}");
    assert!(header.contains(",B: Empty hosts (count) (machines),"), "{header}");
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split(',').collect()).collect();
    let front = page.app.front.live.as_ref().expect("it has run");
    assert_eq!(rows.len(), front.times.len(), "both are sampled at the same times");
    let mut compared = 0;
    for (index, row) in rows.iter().enumerate() {
        assert_eq!(row.len(), 1 + 2 * METRICS.len());
        assert_eq!(row[0].parse(), Ok(front.times[index]));
        for metric in 0..METRICS.len() {
            let (cell, value) = (row[2 + 2 * metric], front.values[metric][index]);
            assert_eq!(cell.is_empty(), !value.is_finite(), "{}", METRICS[metric].declaration.id);
            if value.is_finite() {
                assert_eq!(cell.parse(), Ok(value));
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

#[test]
fn a_report_has_what_is_needed_to_have_it_again() {
    let mut page = Page::of_two();
    page.does(Message::Edit(Edit::AddIncident { id: "FailMachines".into(), at_hours: 12.0 }));
    let report = Report::new(&page.app, "2026-01-02");
    assert_eq!(report.name, "24 machines");
    assert!(report.made.contains("2026-01-02") && report.made.contains(tiebreak_app::ENGINE_VERSION));
    let runs: Vec<_> = report.runs.iter().map(|run| (run.variant.as_str(), run.seed, run.digest.clone())).collect();
    let digests = page.digests();
    assert_eq!(runs, [("A", 1, digests[0].clone()), ("B", 1, digests[1].clone())]);
    let [against] = &report.against[..] else { panic!("one other variant: {:?}", report.against) };
    assert_eq!(against.names, ["A".to_owned(), "B".to_owned()]);
    assert!(against.verdict.starts_with("B keeps ") && against.rows.len() > 3);
    let changed: Vec<_> = against.changes.iter().map(|change| change.path.as_str()).collect();
    assert!(changed.contains(&"rules.PreferNonEmptyMachines.on"), "{changed:?}");
    let (_, preferences) = report.stages.last().expect("stages");
    assert!(preferences.iter().all(|rule| !rule.starts_with("PreferNonEmptyMachines")), "{preferences:?}");
    assert!(preferences.contains(&"BestFit, 3 buckets".to_owned()), "{preferences:?}");
    assert!(report.events[0].starts_with("Machines fail, day 0, 12:00: machines "), "{:?}", report.events);
    assert!(report.setup[0].1.contains("24 machines"), "{:?}", report.setup);
    assert!(report.sources[0].contains("OSDI 2020") && report.sources.iter().any(|it| it.contains("MIT")));
    page.does(Message::CloseVariant("A".into()));
    let alone = Report::new(&page.app, "2026-01-02");
    assert!(alone.against.is_empty() && alone.figures.len() == 4 && alone.sentence.is_some());
}

#[test]
fn the_least_number_of_machines_is_found_and_can_be_taken() {
    let mut page = Page::open((presets::find("small").expect("a preset").make)());
    page.does(Message::Size(SizeWish { reject_pct: 0.5, seeds: 2, ..SizeWish::default() }));
    let sizing = page.app.sizing.clone().expect("a search");
    assert!(!sizing.is_under_way() && sizing.failure.is_none(), "{:?}", sizing.failure);
    let needs = sizing.needs.as_ref().expect("it was told");
    let worst = sizing.worst().expect("some number is enough");
    let least = worst.search.least().expect("it is found");
    assert!(needs.bound <= least, "no fewer than fill up: {} and {least}", needs.bound);
    let result = worst.enough.as_ref().expect("it was run");
    assert!(result.figure("rejections") <= 0.005 * (result.figure("placements") + result.figure("rejections")));
    let said = view_of_size::found(&sizing);
    assert!(said[0].starts_with(&format!("{least} machines of ")) && said[0].contains("at most 0.5 %"), "{said:?}");

    // With one machine fewer, the seed that needs most rejects too many.
    let rejects = |page: &mut Page, machines: Vec<Machines>, seed: u64| {
        page.does(Message::Edit(Edit::Machines(machines)));
        page.does(Message::Edit(Edit::set("seed", seed)));
        let result = page.app.front.live.as_ref().and_then(|live| live.result.clone()).expect("a run");
        result.figure("rejections") / (result.figure("placements") + result.figure("rejections"))
    };
    let found = sizing.machines().expect("machines");
    let fewer = vec![Machines { machines: found[0].machines - 1, ..found[0] }];
    assert!(rejects(&mut page, fewer, worst.seed) > 0.005);
    assert!(rejects(&mut page, found, worst.seed) <= 0.005);

    // An impossible search is reported, and nothing runs.
    let mut document = (presets::find("small").expect("a preset").make)();
    document.variants[0].clusters[0].settings.cores = 1.0;
    let mut page = Page::open(document);
    page.does(Message::Size(SizeWish { is_suggested: false, ..SizeWish::default() }));
    let failure = page.app.sizing.as_ref().and_then(|sizing| sizing.failure.clone()).expect("no machine is enough");
    assert!(failure.to_string().contains("choose larger machines"), "{failure}");
    page.does(Message::NoSize);
    assert!(page.app.sizing.is_none());
}
