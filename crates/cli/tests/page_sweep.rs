//! A sweep in the page's engines gives the same rows as the program with the saved plan.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::process::Command;

use tiebreak_app::{App, Effect, Message, Wish};
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
