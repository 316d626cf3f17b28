//! A file saved for other programs has the contents of the page, and opens again as the same.

use tiebreak_app::{App, Effect, Message};
use tiebreak_engine::protocol::{Form, Save, Saved};
use tiebreak_engine::{Command, Engine, Reply};
use tiebreak_scenario::presets;
use tiebreak_trace::{Parsed, TraceParser, csv_of, read_compact};

/// A page whose first run has ended, with its engine.
fn page(preset: &str) -> (App, Engine) {
    let document = (presets::find(preset).expect(preset).make)();
    let (mut app, effects) = App::open(document);
    let mut engine = Engine::new();
    for effect in effects {
        let Effect::Send { command, .. } = effect else { continue };
        let mut replies = engine.handle(command);
        while engine.is_running() {
            replies.extend(engine.work(true));
        }
        replies.into_iter().for_each(|reply| drop(app.update(Message::Engine(Box::new(reply)))));
    }
    (app, engine)
}

/// The engine's command when a user saves a file.
fn asked(app: &mut App, is_of_run: bool, form: Form) -> Save {
    let effects = app.update(Message::Save { is_of_run, form });
    match &effects[..] {
        [Effect::Send { command: Command::Save(save), .. }] => save.clone(),
        other => panic!("{other:?}"),
    }
}

fn csv(engine: &mut Engine, save: &Save) -> String {
    let (rows, text) = engine.rows(save, 0, |columns| csv_of(&columns, true)).expect("it is there");
    let text = String::from_utf8(text).expect("text");
    assert_eq!(text.lines().count(), 1 + rows as usize);
    text
}

fn read(text: &str) -> Parsed {
    let mut parser = TraceParser::new("saved.csv");
    parser.push(text.as_bytes()).expect("rows");
    parser.finish().expect("a trace")
}

#[test]
fn a_workload_that_is_saved_opens_again() {
    let (mut app, mut engine) = page("small");
    let workload = app.document.active_variant().generate().expect("a generated workload");
    let save = asked(&mut app, false, Form::Compact);
    assert_eq!(save.name(), "tiebreak-workload.columns");
    let again = read_compact(&engine.compact(&save).expect("it is there")).expect("our own form");
    assert_eq!(again.workload.fingerprint(), workload.fingerprint());
    let save = asked(&mut app, false, Form::Csv);
    let rows: Vec<_> = workload.rows().collect();
    assert!(read(&csv(&mut engine, &save)).workload.rows().collect::<Vec<_>>() == rows, "the same VMs");
}

#[test]
fn what_became_of_the_vms_is_saved_row_by_row() {
    let (mut app, mut engine) = page("small");
    let save = asked(&mut app, true, Form::Csv);
    let text = csv(&mut engine, &save);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let result = app.front.live.as_ref().and_then(|live| live.result.clone()).expect("a run that is over");
    let placed = rows.iter().filter(|row| row[8] == "placed" && !row[9].is_empty() && !row[10].is_empty());
    assert_eq!(placed.count() as f64, result.figure("placements"));
    let not = rows.iter().filter(|row| matches!(row[8], "refused" | "out of retries") && row[9..12] == ["", "", ""]);
    assert_eq!(not.count() as f64, result.figure("rejections"));
    assert_eq!(rows.len() as f64, result.figure("placements") + result.figure("rejections"));
}

#[test]
fn what_is_not_there_is_told() {
    let (mut app, mut engine) = page("small");
    let save = Save { saved: Saved::Vms { run: 99 }, ..asked(&mut app, true, Form::Csv) };
    let told = engine.rows(&save, 0, |_| ()).expect_err("there is no such run");
    assert!(told.starts_with("expected a run, got none; press Run"), "{told}");
    let elsewhere = (presets::find("default").expect("the page's own").make)();
    let save = Save { document: elsewhere.to_json(), ..asked(&mut app, false, Form::Compact) };
    let told = engine.compact(&save).expect_err("its trace is not loaded");
    assert!(told.contains("open its file first"), "{told}");
    app.update(Message::Engine(Box::new(Reply::NotSaved(told.clone()))));
    assert!(app.notices.iter().any(|notice| notice.lines == [told.clone()]), "and the person hears it");
}
