//! The list of decisions in a user's session, and why machines are not empty.

mod common;

use tiebreak_app::{DecisionsWish, Message};
use tiebreak_engine::protocol::{Decisions, Which};
use tiebreak_scenario::presets;
use tiebreak_view::decisions;

use common::Session;

impl Session {
    /// The small preset with this many machines, run to its end.
    fn with_machines(machines: u32) -> Self {
        let mut document = (presets::find("small").expect("a preset").make)();
        document.variants[0].clusters[0].settings.machines = machines;
        Self::open(document)
    }

    fn lists(&mut self, which: Which, search: &str, page: u32) -> Decisions {
        self.does(Message::Decisions(DecisionsWish { is_shown: true, which, search: search.into(), page }));
        self.app.decisions().expect("a list").clone()
    }

    fn selects(&mut self, machine: u32) {
        self.does(Message::Machine(Some(machine)));
        self.settle();
    }
}

#[test]
fn lists_count_what_the_run_counts() {
    let mut session = Session::with_machines(6);
    let result = session.app.front.result().expect("a result").clone();
    let [placed, all] = result.placed();
    let listed = session.lists(Which::Refused, "", 0);
    let counts = listed.counts.map(f64::from);
    assert_eq!(counts[..3], [all, placed, result.figure("rejections")]);
    assert!(counts[2] > 25.0, "six machines are too few: {counts:?}");
    assert_eq!(listed.rows.len(), 25);
    assert!(listed.rows.iter().all(|row| row.outcome.to_string().starts_with("refused") && row.machine.is_none()));
    assert!(listed.rows.iter().all(|row| row.tries > 0 && row.waited_ms.is_some() == row.at_ms.is_some()));
    assert_eq!(decisions::hint(&session.app), None);
}

#[test]
fn pages_follow_each_other_and_end() {
    let mut session = Session::with_machines(6);
    let first = session.lists(Which::All, "", 0);
    let second = session.lists(Which::All, "", 1);
    assert_eq!((first.page, second.page), (0, 1));
    assert!(first.rows.iter().all(|row| !second.rows.contains(row)));
    let last = session.lists(Which::All, "", u32::MAX);
    let full = (first.counts[0] - 1) / 25;
    assert_eq!((last.page, last.rows.len() as u32), (full, first.counts[0] - full * 25));
    assert!(!decisions::has_next(&last, Which::All));
}

#[test]
fn a_vm_is_found_by_its_number_and_by_its_tenant() {
    let mut session = Session::with_machines(24);
    let some = session.lists(Which::All, "", 2).rows[7].clone();
    let by_number = session.lists(Which::All, &some.vm, 0);
    assert!(by_number.rows.contains(&some));
    let by_tenant = session.lists(Which::All, &some.tenant, 0);
    assert!(by_tenant.counts[0] >= 1);
    let begins = |text: &str, first: &str| text.starts_with(first);
    assert!(by_tenant.rows.iter().all(|row| begins(&row.tenant, &some.tenant) || begins(&row.vm, &some.tenant)));
    let nobody = session.lists(Which::All, "no number", 0);
    assert_eq!((nobody.counts, nobody.rows.len()), ([0; 4], 0));
}

#[test]
fn the_list_follows_the_run_in_front() {
    let mut session = Session::with_machines(24);
    let before = session.lists(Which::Placed, "", 0);
    session.does(Message::Edit(tiebreak_app::Edit::Set { path: "rules.BestFit.buckets".into(), value: "none".into() }));
    assert!(decisions::hint(&session.app).is_some_and(|hint| hint.contains("the last run")));
    session.settle();
    let after = session.app.decisions().expect("a list").clone();
    assert_ne!(before.run, after.run);
    assert_eq!(decisions::hint(&session.app), None);
}

#[test]
fn a_machine_says_why_it_is_not_empty() {
    let mut session = Session::with_machines(24);
    let mut held = 0;
    for machine in 0..24 {
        session.selects(machine);
        let selection = &session.app.selection;
        assert!(selection.is_there);
        assert_eq!(selection.holder.is_some(), !selection.vms.is_empty());
        let Some(holder) = &selection.holder else { continue };
        held += 1;
        assert!(selection.vms.iter().any(|card| card.vm == holder.vm));
        let why = session.app.why_placed().and_then(|told| told.as_ref().ok()).expect("it is found");
        let rule = why.exhibits[0].said[0].to_string();
        let chosen = [format!(": Machine {machine} was "), "moved while it ran".into()];
        assert!(chosen.iter().any(|words| rule.contains(words.as_str())), "{rule}");
    }
    assert!(held > 0, "every machine is empty");
}

#[test]
fn of_a_machine_that_is_not_there_it_is_said_which_there_are() {
    let mut session = Session::with_machines(24);
    session.selects(5_000);
    let selection = &session.app.selection;
    assert_eq!(selection.about.to_string(), "There are 24 machines, numbered 0 to 23.");
    assert_eq!((selection.machine, selection.is_there, selection.vms.len()), (Some(5_000), false, 0));
}
