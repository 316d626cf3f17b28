//! What the page computes over many runs is what the program computes: the rows of a sweep, the list that a search
//! finds, and the machines that lists need.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tiebreak_app::{App, Edit, Effect, Message, SeekWish, SizeWish, Wish};
use tiebreak_engine::{Engine, Reply};
use tiebreak_scenario::{Document, presets};

/// The page and its engines, wired as in production.
struct Page {
    app: App,
    engines: BTreeMap<u32, Engine>,
    wire: VecDeque<Reply>,
}

impl Page {
    fn open(document: Document) -> Self {
        let (mut app, effects) = App::open(document);
        app.use_engines(2);
        let mut page = Self { app, engines: BTreeMap::new(), wire: VecDeque::new() };
        page.carry_out(effects);
        page
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { lane, command } => {
                    let replies = self.engines.entry(lane).or_default().handle(command);
                    self.wire.extend(replies);
                }
                Effect::Close { lane } => drop(self.engines.remove(&lane)),
                _ => {}
            }
        }
    }

    fn does(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
        loop {
            while let Some(reply) = self.wire.pop_front() {
                let effects = self.app.update(Message::Engine(Box::new(reply)));
                self.carry_out(effects);
            }
            let Some(engine) = self.engines.values_mut().find(|engine| engine.is_running()) else { return };
            let replies = engine.work(false);
            self.wire.extend(replies);
        }
    }
}

/// Half a day on a few machines, with these fields set.
fn short_day(sets: &[(&str, &str)]) -> Document {
    let mut document = (presets::find("small").expect("a preset").make)();
    for (path, value) in [("workload.days", "0.5")].iter().chain(sets) {
        document.variants[0].set(path, value).unwrap_or_else(|issue| panic!("{issue}"));
    }
    document
}

#[test]
fn its_rows_are_those_of_the_program_byte_for_byte() {
    let lifetimes = [("rules.TemporalCost.on", "true"), ("predictor", "MeanByType"), ("measures.stranding_hours", "2")];
    for (name, document, axes, seeds) in [
        (
            "two-fields",
            short_day(&[]),
            [("rules.BestFit.buckets", "1, 3, none"), ("agents.publish_ms", "0..4000 count 3")],
            2,
        ),
        ("lifetimes", short_day(&lifetimes), [("lifetimes.refresh_minutes", "1, 60"), ("", "")], 1),
    ] {
        let mut page = Page::open(document);
        for (axis, (path, values)) in axes.into_iter().enumerate() {
            page.does(Message::Wish(Wish::Field(axis, path.into())));
            page.does(Message::Wish(Wish::Values(axis, values.into())));
        }
        page.does(Message::Wish(Wish::Seeds(seeds)));
        let plan = page.app.wanted.plan(&page.app.document).unwrap_or_else(|faults| panic!("{faults:?}"));
        page.does(Message::Sweep);
        let sweep = page.app.sweep.as_ref().unwrap_or_else(|| panic!("{:?}", page.app.notices));
        assert_eq!(sweep.plan, plan);
        assert_eq!(sweep.points().find_map(|point| point.failure().cloned()), None);

        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
        std::fs::write(&file, plan.to_json()).expect("a file");
        let program = Command::new(env!("CARGO_BIN_EXE_tiebreak")).arg("sweep").arg(&file).output().expect("it starts");
        assert!(program.status.success(), "{}", String::from_utf8_lossy(&program.stderr));
        let (rows, expected) = (sweep.rows(), String::from_utf8_lossy(&program.stdout));
        assert_eq!(rows, expected, "{name}");
        assert_eq!(rows.lines().count(), 1 + sweep.progress().1);
        // Stranded resources, power draw, placement debt and affinity groups are not measured there; everything else is.
        let unsaid = |row: &str| row.split(',').filter(|cell| cell.is_empty()).count();
        assert!(rows.lines().skip(1).all(|row| unsaid(row) <= 2 + 7 + 5), "{rows}");
    }
}

/// What the program prints as JSON; a search may end undecided.
fn program(words: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_tiebreak")).args(words).output().expect("it starts");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one JSON value")
}

fn written(name: &str, text: &str) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, text).expect("a file");
    file.display().to_string()
}

#[test]
fn its_search_finds_the_list_that_the_program_finds() {
    // A list that is easy to improve.
    let mut page =
        Page::open(short_day(&[("rules.PreferNonEmptyMachines.on", "false"), ("rules.BestFit.on", "false")]));
    page.does(Message::Seek(SeekWish { runs: 100, seeds: 8, ..SeekWish::default() }));
    let seeking = page.app.seeking.as_ref().expect("a search");
    let native = program(&["search", &written("page-search.json", &seeking.plan), "--json"]);
    let state = seeking.state.as_ref().expect("a state");
    let sentence = state.sentence.as_ref().map(ToString::to_string);
    assert_eq!(sentence.as_deref(), native["sentence"].as_str());
    let list: Value = serde_json::from_str(&state.points[0].1).expect("JSON");
    assert_eq!(list["variants"][0], native["list"]["variants"][1], "{}", native["sentence"]);
    assert_eq!([native["runs"].as_f64(), native["races"].as_f64()], [Some(state.runs), Some(state.races)]);
}

#[test]
fn lists_need_as_many_machines_as_the_program_says() {
    let mut page = Page::open(short_day(&[]));
    let first = written("page-size-a.json", &page.app.document.to_json());
    page.does(Message::Fork { at_hours: None });
    page.does(Message::Edit(Edit::use_rule("PreferNonEmptyMachines", false)));
    page.does(Message::Edit(Edit::use_rule("BestFit", false)));
    let second = written("page-size-b.json", &page.app.document.to_json());
    page.does(Message::Front("A".into()));
    // One seed: the page generates a workload for each, the program one for all.
    let wish = SizeWish { reject_pct: 5.0, seeds: 1, is_suggested: false, is_beside: true };
    page.does(Message::Size(wish));
    let sizing = page.app.sizing.as_ref().expect("a search");
    assert!(!sizing.is_under_way() && sizing.failure.is_none(), "{:?}", sizing.failure);
    let options = ["--reject", "5%", "--seeds", "1", "--json", "--list", &first, "--list", &second];
    let native = program(&[&["size", &first][..], &options].concat());
    for (list, native) in sizing.lists.iter().zip(native["lists"].as_array().expect("lists")) {
        let each = native["seeds"].as_array().expect("seeds").iter().map(|it| it["machines"].as_u64());
        assert_eq!(list.each(), each.collect::<Option<Vec<_>>>(), "{}", list.name);
    }
    assert_eq!(sizing.lists.len(), 2);
}
