//! The search for a better list on the page: it finds what the native program finds, whatever happens to engines.

use std::sync::Arc;

use page::Page;
use tiebreak_app::{App, Message, POOL, SeekWish, Seeking};
use tiebreak_model::Workload;
use tiebreak_scenario::search::{Search, SearchPlan, SearchReport};
use tiebreak_scenario::{Document, SweepScenario, presets};
use tiebreak_sim::World;
use tiebreak_view::seeking;

#[path = "common/page.rs"]
mod page;

/// A list that is easy to improve.
fn small() -> Document {
    let mut document = (presets::find("small").expect("a preset").make)();
    for id in ["PreferNonEmptyMachines", "BestFit"] {
        document.variants[0].set(&format!("rules.{id}.on"), "false").expect("a rule of the list");
    }
    document
}

/// A few races for a more empty zone and, if asked, for fewer conflicts.
fn wish(second: Option<usize>) -> SeekWish {
    SeekWish { objectives: [Some(0), second], runs: 100, seeds: 8, ..SeekWish::default() }
}

fn seeking(page: &Page) -> &Seeking {
    page.app.seeking.as_ref().expect("a search")
}

/// What the search itself says of a plan, with runs like those of the native program.
fn native(plan: &str) -> SearchReport {
    let plan = SearchPlan::read(plan).expect("a plan");
    let SweepScenario::Inline(document) = &plan.scenario else { panic!("a whole document") };
    let mut search = Search::new(&plan, document).expect("a plan that fits");
    while !search.is_over() {
        for run in search.wanted().collect::<Vec<_>>() {
            let variant = search.variant(run);
            let workload: Arc<Workload> = Arc::new(variant.generate().expect("a generated workload"));
            let mut world = World::new(variant.plan(workload).expect("a plan").without_samples());
            while !world.advance(u32::MAX).done {}
            let summary = world.summary();
            let figures = search.measures().iter().map(|it| it.of_run(&summary, world.plan())).collect();
            search.tell(run, Ok(figures));
        }
    }
    search.report().expect("a result")
}

#[test]
fn the_page_finds_what_the_native_program_finds() {
    let mut page = Page::open(small());
    page.does(Message::Seek(wish(None)));
    let (found, native) = (seeking(&page).clone(), native(&seeking(&page).plan));
    assert!(!found.is_under_way() && found.failure.is_none(), "{:?}", found.failure);
    let state = found.state.expect("a state");
    assert_eq!((state.sentence, state.worse), (Some(native.sentence), native.worse));
    let list = Document::read(&state.points[0].1).expect("a document").document;
    assert_eq!(list.active_variant(), native.document.active_variant());
    assert_eq!(
        (state.runs as u64, state.races as u64, state.looked_at as usize),
        (native.runs, native.races, native.lists)
    );
    assert!(page.pool > 1 && page.engines.len() == 1, "its engines work together and end");
    page.does(Message::FoundList(0));
    assert_eq!((page.app.front.variant.as_str(), page.app.document.variants.len()), ("B", 2));
    assert_eq!(page.app.variant().rules, native.document.active_variant().rules);
    assert!(!seeking::is_old(&page.app, seeking(&page)));
}

#[test]
fn engines_that_die_and_a_reload_change_nothing() {
    let mut whole = Page::open(small());
    whole.does(Message::Seek(wish(Some(3))));
    let expected = seeking(&whole).clone();
    assert_eq!(expected.exhibits[0].title.to_string(), "Result");

    let mut page = Page::open(small());
    let effects = page.app.update(Message::Seek(wish(Some(3))));
    page.carry_out(effects);
    let go = |page: &mut Page, runs: usize| while seeking(page).runs() < runs && page.go_on() {};
    for (runs, lane) in [(20, POOL), (40, POOL - 1), (41, POOL + 1)] {
        go(&mut page, runs);
        page.engines.remove(&lane);
        page.wire.clear();
        let ended = Message::EngineEnded { lane, reason: "out of memory".into(), had_begun: true };
        let effects = page.app.update(ended);
        page.carry_out(effects);
    }
    go(&mut page, 60);
    let (kept, made) = (page.kept.clone(), seeking(&page).runs());
    let (mut app, effects) = App::open(small());
    app.use_engines(2);
    let mut again = Page::of(app);
    again.kept = kept.clone();
    again.carry_out(effects);
    let effects = again.app.restore_search(&kept);
    assert_eq!(seeking(&again).runs(), made);
    again.carry_out(effects);
    again.settle();
    let found = seeking(&again);
    assert_eq!((&found.state, &found.exhibits), (&expected.state, &expected.exhibits));
    assert_eq!(found.runs(), expected.runs(), "no run is made twice but those in work");
    again.does(Message::NoSeek);
    assert!(again.kept.is_empty() && again.app.seeking.is_none());
    assert_eq!(again.app.restore_search(&["0.0.0 {}".into()]).len(), 1, "of another version: forgotten");
}

#[test]
fn a_search_that_is_stopped_judges_what_it_has() {
    let mut page = Page::open(small());
    let effects = page.app.update(Message::Seek(wish(None)));
    page.carry_out(effects);
    while seeking(&page).runs() < 60 && page.go_on() {}
    page.does(Message::StopSeek);
    let found = seeking(&page).clone();
    assert!(!found.is_under_way() && found.is_stopped && found.failure.is_none(), "{:?}", found.failure);
    assert_eq!(found.exhibits[0].title.to_string(), "Result");
    let (mut app, _) = App::open(small());
    let effects = app.restore_search(&page.kept);
    let mut again = Page::of(app);
    again.carry_out(effects);
    again.settle();
    assert_eq!(seeking(&again).exhibits, found.exhibits, "a reload shows the same result");
}

#[test]
fn what_cannot_be_searched_says_why() {
    let mut page = Page::open(small());
    // Stranded cores are not measured.
    page.does(Message::Seek(SeekWish { objectives: [Some(5), None], ..wish(None) }));
    let failure = seeking(&page).failure.as_ref().expect("why").to_string();
    assert!(failure.contains("choose another objective, or measure it"), "{failure}");
    assert!(!seeking(&page).is_under_way() && page.engines.len() == 1);
    let bounded = SeekWish { runs: 0, seeds: 9, objectives: [None, Some(0)], ..SeekWish::default() }.within_bounds();
    assert_eq!((bounded.runs, bounded.seeds, bounded.objectives), (100, 8, [Some(0), None]));
}
