//! A user's session without a browser: the application and the engine connected like page and worker, but by a plain
//! queue.

use std::collections::VecDeque;

use tiebreak_app::{Answered, App, Asking, Edit, Effect, Freeze, Given, Message, Phase, SizeWish, Then};
use tiebreak_engine::protocol::{Found, LayerCounts, StepTo};
use tiebreak_engine::questions::fit_beliefs::FitBeliefs;
use tiebreak_engine::questions::profile_workload::ProfileWorkload;
use tiebreak_engine::questions::read_machines::ReadMachines;
use tiebreak_engine::{Command, Engine, Reply};
use tiebreak_lesson::{LESSONS, Lesson, Question, Unlocks};
use tiebreak_model::{Declared, Phrase, Readiness, SampledBy, VmId};
use tiebreak_placement::{Caches, Group};
use tiebreak_scenario::presets::{self, PACKING_CUT_FINGERPRINT};
use tiebreak_scenario::{ClusterRow, ClusterSettings, Document, IncidentRow, TraceSettings, WorkloadRef};
use tiebreak_sim::{Agents, Fate, World};
use tiebreak_view::{anatomy, failures, lesson, list, verdict};

/// The digests that every platform must reproduce.
const GOLDEN: &str = include_str!("../../../tests/browser/golden.json");

/// Five VMs of two tenants within half an hour, in a format that any CSV may have.
const TRACE: &[u8] =
    b"vm,tenant,cores,memory_gb,start_s,end_s\n1,7,4,16,0,1200\n2,7,2,8,60,900\n3,8,1,4,60,inf\n4,8,1,4,60,inf\n5,9,8,32,600,1800\n";

/// The message after a round trip through a worker's channel.
fn over_the_wire<T: serde::Serialize + serde::de::DeserializeOwned>(message: &T) -> T {
    postcard::from_bytes(&postcard::to_allocvec(message).expect("it is written")).expect("it is read")
}

struct Session {
    app: App,
    engine: Engine,
    /// Replies that the page has not received yet.
    wire: VecDeque<Reply>,
    drafts: Vec<String>,
    lessons: Vec<String>,
    runs: Vec<String>,
}

impl Session {
    /// A page that opens with this document, before any reply of the engine.
    fn open(document: Document) -> Self {
        let (app, effects) = App::open(document);
        let mut session = Self {
            app,
            engine: Engine::new(),
            wire: VecDeque::new(),
            drafts: Vec::new(),
            lessons: Vec::new(),
            runs: Vec::new(),
        };
        session.carry_out(effects);
        session
    }

    fn small() -> Self {
        let mut session = Self::open(preset("small"));
        session.settle();
        session
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { command, .. } => {
                    let replies = self.engine.handle(over_the_wire(&command));
                    self.wire.extend(replies);
                }
                Effect::SaveDraft(draft) => self.drafts.push(draft),
                Effect::SaveLesson(lesson) => self.lessons.push(lesson),
                Effect::SaveRuns(runs) => self.runs.push(runs),
                Effect::KeepSearch { .. }
                | Effect::ForgetSearch
                | Effect::ForgetFrames { .. }
                | Effect::Close { .. } => {}
            }
        }
    }

    /// The user does something; the engine handles it, and its replies stay in the queue.
    fn does(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
    }

    fn hear(&mut self) {
        while let Some(reply) = self.wire.pop_front() {
            self.does(Message::Engine(Box::new(over_the_wire(&reply))));
        }
    }

    /// One turn of the engine's worker.
    fn work(&mut self) {
        let replies = self.engine.work(true);
        self.wire.extend(replies);
    }

    /// Until the engine has nothing left to do or say.
    fn settle(&mut self) {
        self.hear();
        while self.engine.is_running() {
            self.work();
            self.hear();
        }
    }

    fn edits(&mut self, edit: Edit) {
        self.does(Message::Edit(edit));
        self.settle();
    }

    /// Chooses a file, as the page and the worker do.
    fn gives(&mut self, name: &str, bytes: &[u8]) {
        self.does(Message::TraceChosen { name: name.into(), bytes: bytes.len() as f64 });
        let begin = Command::TraceBegin {
            name: name.into(),
            bytes: bytes.len() as f64,
            sample: Vec::new(),
            is_sampled: false,
            columns: Vec::new(),
            decimal_commas: None,
        };
        self.carry_out(vec![Effect::Send { lane: 1, command: begin }]);
        for chunk in bytes.chunks(1_000) {
            let replies = self.engine.trace_bytes(chunk);
            self.wire.extend(replies);
        }
        let replies = self.engine.trace_end();
        self.wire.extend(replies);
        self.settle();
    }

    fn digest(&self) -> String {
        let live = self.app.front.live.as_ref().expect("a run is on screen");
        live.result.as_ref().expect("it has ended").digest.clone()
    }

    fn buckets(&self) -> Option<u32> {
        self.app.variant().rules.iter().find(|row| row.id == "BestFit").expect("BestFit").buckets
    }
}

fn preset(id: &str) -> Document {
    (presets::find(id).expect(id).make)()
}

fn golden(id: &str) -> String {
    let (_, rest) = GOLDEN.split_once(&format!("\"{id}\": \"")).expect("a golden digest");
    rest[..16].to_owned()
}

fn buckets(buckets: Option<u32>) -> Edit {
    let buckets = buckets.map_or_else(|| "none".into(), |buckets| buckets.to_string());
    Edit::set("rules.BestFit.buckets", &*buckets)
}

fn packing_cut() -> Vec<u8> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/fixtures/packing-cut.csv.gz");
    std::fs::read(path).expect("the trace that comes with the page")
}

#[test]
fn a_page_that_opens_runs_to_the_golden_digest() {
    let session = Session::small();
    assert_eq!(session.app.front.phase, Phase::Finished);
    assert_eq!(session.digest(), golden("small"));
    let live = session.app.front.live.as_ref().expect("a run");
    assert_eq!(live.times.len(), live.values[0].len());
    assert!(live.times.is_sorted() && live.frame_times.len() > 10);
    assert!(session.app.status().starts_with("Done: "), "{}", session.app.status());
}

#[test]
fn an_edit_runs_again_and_undo_and_redo_go_back_and_forth() {
    let mut session = Session::small();
    let before = session.digest();
    session.edits(Edit::use_rule("WorstFit", true));
    session.edits(Edit::MoveRule { id: "WorstFit".into(), to: 0 });
    let after = session.digest();
    assert_ne!(before, after);
    session.does(Message::Undo);
    session.does(Message::Undo);
    session.settle();
    assert_eq!((session.digest(), session.app.can_undo_redo()), (before.clone(), (false, true)));
    session.does(Message::Redo);
    session.does(Message::Redo);
    session.settle();
    assert_eq!((session.digest(), session.app.can_undo_redo()), (after, (true, false)));
    session.does(Message::Reset);
    session.settle();
    assert_eq!(session.digest(), before);
    assert!(!session.app.can_reset(), "it is as it was opened");
    session.does(Message::Undo);
    assert!(session.app.can_reset(), "reset can be undone");
    let last = session.drafts.last().expect("drafts were kept");
    assert_eq!(Document::read(last).expect("a draft").document, session.app.document);
}

#[test]
fn edits_of_one_field_in_a_row_are_one_step_to_undo() {
    let mut session = Session::small();
    let first = session.buckets();
    for number in [1, 2, 7, 9] {
        session.edits(buckets(Some(number)));
    }
    session.edits(Edit::set("agents.count", 3));
    session.edits(buckets(None));
    for (buckets, agents) in [(Some(9), 3), (Some(9), 2), (first, 2)] {
        session.does(Message::Undo);
        assert_eq!((session.buckets(), session.app.variant().agents.count), (buckets, agents));
    }
    assert_eq!(session.app.can_undo_redo(), (false, true));
}

#[test]
fn an_edit_that_changes_nothing_is_no_step() {
    let mut session = Session::small();
    let same = session.buckets();
    for edit in [
        buckets(same),
        buckets(Some(0)),
        buckets(Some(1_001)),
        Edit::set("agents.count", 0),
        Edit::set("agents.cuont", 1),
        Edit::set("seed", f64::NAN),
        Edit::set("rules.NoSuchRule.evict", true),
        Edit::UseTrace { fingerprint: "no such trace".into() },
        Edit::RemoveCluster { cluster: 0 },
    ] {
        session.does(Message::Edit(edit.clone()));
        assert!(session.wire.is_empty() && session.drafts.is_empty(), "{edit:?} did something");
    }
    assert_eq!(session.app.can_undo_redo(), (false, false));
}

#[test]
fn a_new_name_is_kept_without_running_again() {
    let mut session = Session::small();
    session.does(Message::Edit(Edit::Name("Workshop".into())));
    assert!(session.wire.is_empty() && !session.engine.is_running());
    assert_eq!((session.app.document.name.as_str(), session.drafts.len()), ("Workshop", 1));
}

#[test]
fn the_newest_edit_wins() {
    let mut session = Session::open(preset("small"));
    session.does(Message::Edit(buckets(Some(1))));
    session.work();
    session.does(Message::Edit(buckets(Some(9))));
    let newest = session.app.document.clone();
    assert!(session.wire.len() >= 3, "answers to all three runs are on the wire");
    session.settle();
    let live = session.app.front.live.as_ref().expect("a run");
    assert_eq!((&live.document, &session.app.front.phase), (&newest, &Phase::Finished));
    let mut alone = Session::open(newest);
    alone.settle();
    assert_eq!(session.digest(), alone.digest());
    assert_eq!(live.times, alone.app.front.live.as_ref().expect("a run").times, "no sample of an older run is left");
    assert!(session.app.front.baseline.is_none(), "a run that did not end is no baseline");
}

#[test]
fn answers_of_an_older_run_are_not_heard() {
    let mut first = Session::open(preset("small"));
    while first.engine.is_running() {
        first.work();
    }
    let mut session = Session::open(preset("small"));
    session.does(Message::Edit(buckets(None)));
    session.settle();
    // Samples may be NaN, so the displayed state is compared as text.
    let on_screen = |session: &Session| {
        format!("{:?}", (&session.app.front.live, &session.app.front.phase, &session.app.front.baseline))
    };
    let before = on_screen(&session);
    for reply in first.wire.into_iter().chain([
        Reply::Failed { run: 1, message: Phrase::text("no") },
        Reply::TraceNeeded { run: 1, fingerprint: String::new(), name: String::new(), sample: Vec::new() },
    ]) {
        session.does(Message::Engine(Box::new(reply)));
    }
    assert!(on_screen(&session) == before, "an old answer changed what is on screen");
}

#[test]
fn the_baseline_stays_while_the_workload_does() {
    let mut session = Session::small();
    let first = session.digest();
    let baseline = |session: &Session| {
        let baseline = session.app.front.baseline.as_ref()?;
        Some(baseline.result.as_ref().expect("a baseline has ended").digest.clone())
    };
    assert_eq!(baseline(&session), None);
    session.edits(buckets(None));
    assert_eq!(baseline(&session), Some(first.clone()));
    session.edits(buckets(Some(1)));
    assert_eq!(baseline(&session), Some(first), "the first run stays, so that edits add up");
    session.does(Message::Baseline);
    assert_eq!(baseline(&session), Some(session.digest()));
    session.gives("mine.csv", TRACE);
    assert_eq!(baseline(&session), None, "another trace is no comparison");
    session.edits(buckets(None));
    assert!(baseline(&session).is_some());
    session.edits(Edit::UseGenerated);
    assert_eq!(baseline(&session), None);
}

#[test]
fn a_link_reproduces_what_was_shared() {
    let mut sender = Session::small();
    sender.edits(buckets(Some(2)));
    let (link, digest) = (sender.app.link(), sender.digest());
    let mut receiver = Session::small();
    receiver.does(Message::Link(format!("https://example.org/tiebreak/#{link}")));
    assert_eq!(receiver.app.reproduction(), None, "nothing has run yet");
    receiver.settle();
    assert_eq!((receiver.digest(), receiver.app.reproduction()), (digest, Some(true)));
    assert!(receiver.app.status().ends_with("reproduced") && receiver.app.notices.is_empty());
    assert!(receiver.drafts.is_empty(), "a link that was only opened does not write over the draft");
    receiver.edits(buckets(Some(3)));
    assert_eq!(receiver.app.reproduction(), None, "an edited scenario is another one");
    receiver.does(Message::Undo);
    receiver.settle();
    assert_eq!(receiver.app.reproduction(), Some(true));
}

#[test]
fn a_link_with_another_result_says_so() {
    let sender = Session::small();
    let stamp = tiebreak_scenario::Stamp { engine: "0.0.1".into(), digest: 7 };
    let link = tiebreak_scenario::encode(&sender.app.document, Some(&stamp));
    let mut receiver = Session::open(Document::default());
    receiver.does(Message::Link(link));
    receiver.settle();
    assert_eq!(receiver.app.reproduction(), Some(false));
    assert!(receiver.app.status().ends_with("differs from the link's result"));
}

#[test]
fn a_link_with_an_unknown_rule_opens_with_a_notice_and_can_be_undone() {
    let mut session = Session::small();
    session.edits(buckets(Some(9)));
    let mine = session.app.document.clone();
    let drafts = session.drafts.len();
    let mut other = preset("small");
    other.name = "From a newer page".into();
    let json = other.to_json().replace("\"WorstFit\"", "\"PreferTheMoon\"");
    assert_ne!(json, other.to_json());
    session.does(Message::Link(link_by_hand(&json)));
    session.settle();
    let notice = session.app.notices.first().expect("a notice");
    assert!(notice.bad && notice.lines[0].contains("PreferTheMoon"), "{notice:?}");
    assert_eq!((session.app.document.name.as_str(), &session.app.front.phase), ("From a newer page", &Phase::Finished));
    assert_eq!(session.drafts.len(), drafts, "the draft is left alone");
    session.does(Message::Undo);
    assert_eq!(session.app.document, mine);
}

/// A handmade link with codec `j`.
fn link_by_hand(json: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut link = String::from("#1.j.");
    for three in json.as_bytes().chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let letter = |at: usize| char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]);
        link.extend((0..=three.len()).map(letter));
    }
    link
}

#[test]
fn a_link_that_does_not_open_changes_nothing() {
    let mut session = Session::small();
    let (document, digest) = (session.app.document.clone(), session.digest());
    for link in ["", "#", "#1.d.", "#999.d.xyz", "#1.q.AAAA", "nonsense", "#1.d.AAAAAAAA"] {
        session.does(Message::Link(link.into()));
        let notice = session.app.notices.pop().expect("a notice");
        assert!(notice.bad && !notice.lines[0].is_empty(), "{link}: {notice:?}");
        assert!(session.wire.is_empty() && session.drafts.is_empty());
    }
    assert_eq!((&session.app.document, session.digest()), (&document, digest));
}

#[test]
fn steps_and_pauses_end_where_a_straight_run_does() {
    let mut session = Session::open(preset("small"));
    session.hear();
    session.does(Message::Pause);
    session.hear();
    assert_eq!(session.app.front.phase, Phase::Paused);
    session.work();
    assert!(session.wire.is_empty(), "a paused run stands still");
    let mut decided = session.app.front.decided.0;
    for _ in 0..40 {
        session.does(Message::Step);
        session.hear();
        assert!(session.app.front.decided.0 > decided, "a step decides a request");
        decided = session.app.front.decided.0;
        assert_eq!(session.app.front.phase, Phase::Paused);
        let selection = &session.app.front.answer;
        assert!(selection.attempts.is_empty() == selection.message.is_some(), "a step explains itself");
    }
    session.does(Message::Run);
    session.settle();
    assert_eq!((session.digest(), &session.app.front.phase), (golden("small"), &Phase::Finished));
    // Again, from the end: Step starts over, and stepping alone reaches the same end.
    session.does(Message::Step);
    session.hear();
    assert_eq!(session.app.front.phase, Phase::Paused);
    for _ in 0..2_000 {
        if session.app.front.phase == Phase::Paused {
            session.does(Message::Step);
            session.hear();
        }
    }
    assert_eq!((session.digest(), &session.app.front.phase), (golden("small"), &Phase::Finished));
}

/// Where the run placed every VM with a request of its own: the explanations must name the same machine.
#[test]
fn explanations_name_the_machine_that_was_chosen() {
    let mut session = Session::small();
    let variant = session.app.variant().clone();
    let workload = std::sync::Arc::new(variant.generate().expect("a generated workload"));
    let mut world = World::new(variant.plan(workload.clone()).expect("a plan"));
    world.run();
    let (mut placed, mut refused) = (0, 0);
    let alone = |vm: &VmId| workload.vms_of(workload.request_of(*vm)).len() == 1;
    for vm in (0..workload.vm_count()).map(VmId).filter(alone).step_by(7) {
        session.does(Message::Vm(workload.name(vm).to_string()));
        session.settle();
        let attempts = &session.app.front.answer.attempts;
        let winner = attempts.last().and_then(|last| last.winner);
        assert_eq!(winner, world.placement(vm).map(|(machine, _)| machine.0), "VM {vm}");
        if let Some(last) = attempts.last() {
            placed += u32::from(winner.is_some());
            refused += u32::from(winner.is_none());
            assert!(last.funnel.len() > 5 && !last.sentence.to_string().is_empty(), "{last:?}");
            assert!(last.scores.iter().all(|row| row.verdicts.len() == last.scores[0].verdicts.len()));
            let left = last.funnel.last().expect("a funnel").after;
            assert_eq!(winner.is_some(), left > 0, "{last:?}");
        }
    }
    assert!(placed > 10 && refused > 1, "{placed} placed, {refused} refused");
}

/// The VMs of a run with these edits for which this holds, by their names in the trace.
fn vms_of(session: &Session, holds: impl Fn(&World, VmId) -> bool) -> Vec<String> {
    let variant = session.app.variant();
    let workload = std::sync::Arc::new(variant.generate().expect("a generated workload"));
    let mut world = World::new(variant.plan(workload.clone()).expect("a plan"));
    world.run();
    let vms = (0..workload.vm_count()).map(VmId).filter(|vm| holds(&world, *vm));
    vms.map(|vm| workload.name(vm).to_string()).collect()
}

fn is_refused(world: &World, vm: VmId) -> bool {
    world.rejection(world.plan().workload().request_of(vm)) == Some(tiebreak_sim::Rejection::Refused(vm))
}

#[test]
fn a_refusal_is_told_by_rule() {
    let mut session = Session::small();
    let refused = vms_of(&session, is_refused);
    let (mut too_large, mut full) = (0, 0);
    for vm in &refused {
        session.does(Message::Vm(vm.clone()));
        session.does(Message::Ask(Some(0)));
        session.settle();
        let last = session.app.front.answer.attempts.last().expect("explained");
        let refusal = last.refusal.as_ref().expect("it was refused");
        assert_eq!(refusal.rules.iter().map(|rule| rule.first).sum::<u32>(), refusal.machines, "VM {vm}");
        let (sentence, asked) = (last.sentence.to_string(), last.asked.as_ref().expect("asked").to_string());
        assert!(asked.starts_with("Not machine 0: ") && asked.contains(" refuses it; it lacks "), "VM {vm}: {asked}");
        if let Some(closest) = refusal.closest.as_ref().map(ToString::to_string) {
            full += 1;
            assert_eq!(sentence, "No machine could take it: AreNodeResourcesValid refuses all 24 machines.");
            let without = refusal.rules[0].without.as_ref().map(ToString::to_string);
            assert_eq!(without.as_deref(), Some("only room is missing on 24 machines"));
            assert!(closest.starts_with("Machine ") && closest.contains(" comes closest: it lacks "), "{closest}");
        } else {
            too_large += 1;
            assert!(sentence.starts_with("No machine could take it: even an empty machine lacks "), "{sentence}");
        }
    }
    assert!(too_large > 2 && full > 2, "{too_large} too large, {full} without room");
}

#[test]
fn a_vm_that_was_put_out_is_told_so() {
    let mut session = Session::small();
    session.edits(Edit::set("rules.AreNodeResourcesValid.evict", true));
    let evicted = vms_of(&session, |world, vm| world.evicted_at(vm).is_some());
    assert!(evicted.len() > 2, "{evicted:?}");
    for vm in evicted {
        session.does(Message::Vm(vm.clone()));
        session.settle();
        let last = session.app.front.answer.attempts.last().expect("explained");
        assert!(last.winner.is_some() && last.refusal.is_none(), "VM {vm}: {last:?}");
        let [story] = &session.app.front.answer.story[..] else { panic!("VM {vm}: {:?}", session.app.selection) };
        let story = story.to_string();
        assert!(
            story.starts_with("It was evicted at ") && story.ends_with(" to make room for a VM of higher priority.")
        );
    }
}

fn add(id: &str, at_hours: f64) -> Edit {
    Edit::AddIncident { id: id.into(), at_hours }
}

#[test]
fn events_are_edits_that_run_again_and_can_be_undone() {
    let mut session = Session::small();
    let without = session.digest();
    session.edits(add("FailMachines", 12.0));
    let one = session.digest();
    assert_ne!(one, without);
    session.edits(Edit::set("incidents.0.machines", 5));
    let five = session.digest();
    session.edits(add("DemandSpike", 6.0));
    for hours in [6.25, 6.5, 7.0] {
        session.edits(Edit::set("incidents.1.at_hours", hours));
    }
    let rows = |session: &Session| -> Vec<(String, f64, f64)> {
        let rows = session.app.variant().incidents.iter();
        rows.map(|row| (row.id.clone(), row.at_hours, row.values[0])).collect()
    };
    assert_eq!(rows(&session), [("FailMachines".into(), 12.0, 5.0), ("DemandSpike".into(), 7.0, 1_000.0)]);
    session.edits(Edit::RemoveIncident { incident: 0 });
    assert_eq!(rows(&session), [("DemandSpike".into(), 7.0, 1_000.0)]);
    for left in [2, 2, 1, 1, 0] {
        session.does(Message::Undo);
        assert_eq!(rows(&session).len(), left, "the moves in a row are one step");
    }
    session.settle();
    assert_eq!((session.digest(), session.app.can_undo_redo()), (without, (false, true)));
    session.does(Message::Redo);
    session.settle();
    assert_eq!(session.digest(), one);
    session.does(Message::Redo);
    session.settle();
    assert_eq!(session.digest(), five);
    let before = session.app.front.baseline.as_ref().map(|baseline| baseline.document.active_variant().incidents.len());
    assert_eq!(before, Some(0), "the run without events stays for comparison");
}

#[test]
fn events_that_cannot_be_change_nothing() {
    let mut session = Session::small();
    let nothing = |session: &mut Session, edit: Edit| {
        let before = session.app.document.clone();
        session.does(Message::Edit(edit.clone()));
        assert!(session.wire.is_empty() && session.app.document == before, "{edit:?} did something");
    };
    nothing(&mut session, add("Meteor", 1.0));
    nothing(&mut session, add("FailMachines", -1.0));
    nothing(&mut session, add("FailMachines", f64::NAN));
    nothing(&mut session, Edit::RemoveIncident { incident: 0 });
    session.edits(add("FailMachines", 1.0));
    for edit in [
        Edit::set("incidents.0.at_hours", 10_001),
        Edit::set("incidents.1.at_hours", 2),
        Edit::set("incidents.0.machines", 0),
        Edit::set("incidents.0.colour", 1),
        Edit::set("incidents.1.machines", 1),
        Edit::RemoveIncident { incident: 1 },
    ] {
        nothing(&mut session, edit);
    }
    for _ in 1..100 {
        session.does(Message::Edit(add("MarkAtRisk", 2.0)));
    }
    session.settle();
    nothing(&mut session, add("MarkAtRisk", 2.0));
    assert_eq!(session.app.variant().incidents.len(), 100);
}

#[test]
fn events_travel_in_links_and_too_many_vms_are_told() {
    let mut sender = Session::small();
    sender.edits(add("FailMachines", 12.0));
    let mut receiver = Session::small();
    receiver.does(Message::Link(sender.app.link()));
    receiver.settle();
    assert_eq!((receiver.digest(), receiver.app.reproduction()), (sender.digest(), Some(true)));
    assert_eq!(receiver.app.document, sender.app.document);
    let mut many = preset("small");
    let spike = IncidentRow { values: vec![100_000.0], ..IncidentRow::plain("DemandSpike", 1.0).expect("a kind") };
    many.variants[0].incidents = vec![spike; 11];
    receiver.does(Message::Open(many));
    receiver.hear();
    let Phase::Failed(message) = &receiver.app.front.phase else { panic!("{:?}", receiver.app.front.phase) };
    let message = message.to_string();
    assert_eq!(message, "expected at most 1000000 VMs from demand spikes, got 1100000; use fewer requests or spikes");
}

/// For every VM that found another machine, the explanation is of that decision, names the previous machine, and
/// agrees with the VM's history.
#[test]
fn a_vm_that_lost_its_machine_is_explained_where_it_is_now() {
    let mut session = Session::small();
    for at_hours in [10.0, 12.0] {
        session.edits(add("FailMachines", at_hours));
    }
    session.edits(Edit::set("incidents.0.machines", 12));
    session.edits(Edit::set("incidents.1.machines", 20));
    let verdict = tiebreak_view::verdict::sentence(session.app.front.live.as_ref().expect("a run"), None);
    assert!(verdict.contains("VMs went to another machine when they lost their machine, "), "{verdict}");
    let mut seen = [0; 3];
    let reallocated = |world: &World, vm: VmId| matches!(world.fate(vm), Some(Fate::Reallocated { .. }));
    for vm in vms_of(&session, reallocated) {
        session.does(Message::Vm(vm.clone()));
        session.settle();
        let selection = &session.app.front.answer;
        let last = selection.attempts.last().expect("explained");
        let stands = format!("It was reallocated to machine {} at ", last.winner.expect("it was placed"));
        let story: Vec<_> = selection.story.iter().map(ToString::to_string).collect();
        assert!(last.is_reallocation && !selection.attempts[0].is_reallocation, "VM {vm}: {selection:?}");
        assert!(last.circumstances.to_string().contains(", reallocation, agent "), "{}", last.circumstances);
        assert!(story.last().is_some_and(|turn| turn.starts_with(&stands)), "VM {vm}: {story:?}");
        assert!(story[0].starts_with("It lost machine ") && story[0].ends_with(", which failed."), "{story:?}");
        seen[(story.len() / 2).min(2)] += 1;
    }
    assert!(seen[0] == 0 && seen[1] > 5 && seen[2] > 2, "some lost two machines: {seen:?}");
    let lost = |world: &World, vm: VmId| matches!(world.fate(vm), Some(Fate::Lost { .. }));
    let lost = vms_of(&session, lost);
    assert!(lost.len() > 5);
    for vm in &lost[..5] {
        session.does(Message::Vm(vm.clone()));
        session.settle();
        let selection = &session.app.front.answer;
        let last = selection.attempts.last().expect("explained");
        assert!(last.is_reallocation && last.winner.is_none() && last.refusal.is_some(), "VM {vm}: {last:?}");
        let end = selection.story.last().expect("a story").to_string();
        assert!(end.starts_with("It was lost at ") && end.ends_with(", because no machine had room for it."));
    }
}

#[test]
fn a_machine_that_failed_says_so_while_it_is_down() {
    let mut session = Session::small();
    session.edits(add("FailMachines", 12.0));
    session.edits(Edit::set("incidents.0.machines", 24));
    for (hours, expected) in [(11.9, ""), (12.5, ", failed"), (13.5, "")] {
        session.does(Message::Cursor(Some(hours * 3_600_000.0)));
        session.does(Message::Machine(Some(3)));
        session.settle();
        let about = session.app.selection.about.to_string();
        assert!(about.starts_with(&format!("Rack 0 of cluster 1{expected}; ")), "at {hours}: {about}");
    }
    let live = session.app.front.live.as_ref().expect("a run");
    let frames = session.engine.frame_bytes();
    let frame = live.frame_times.iter().rposition(|taken| *taken < 12.9 * 3_600_000.0).expect("a frame");
    let failed = frames.chunks(24).nth(frame).expect("a frame").iter();
    assert!(failed.copied().all(|byte| tiebreak_sim::MachineByte(byte).readiness() == Readiness::Failed));
}

#[test]
fn rules_that_decide_nothing_and_one_that_leaves_nothing_are_pointed_out() {
    let mut session = Session::small();
    let hint = |session: &Session, rule: &str| {
        let share = session.app.share(rule).expect("a rule that is on");
        share.hint.as_ref().map(|hint| hint.label.to_string())
    };
    assert_eq!(hint(&session, "BestFit"), None);
    assert_eq!(hint(&session, "IsMachineReady").as_deref(), Some("refused none"));
    assert!(session.app.share("FirstFit").is_none(), "it is off");
    session.edits(Edit::use_rule("FirstFit", true));
    session.edits(Edit::MoveRule { id: "FirstFit".into(), to: 0 });
    assert_eq!(hint(&session, "FirstFit").as_deref(), Some("leaves no choice below"));
    assert_eq!(hint(&session, "BestFit").as_deref(), Some("never decides"));
    let share = session.app.share("FirstFit").expect("it is on");
    assert!(share.left_one > 0.4 && (share.left_one - share.decided).abs() < 1e-9, "{share:?}");
    assert_eq!(session.app.share("BestFit").map(|share| share.decided), Some(0.0));
}

/// Agents so slow that they collide.
fn slow_agents() -> Document {
    let mut document = preset("small");
    let agents = &mut document.variants[0].agents;
    (agents.decision_ms, agents.publish_ms) = (600_000, 600_000);
    document
}

#[test]
fn anatomy_tells_what_layers_and_agents_did() {
    let mut session = Session::open(slow_agents());
    session.settle();
    let count = |session: &Session, layer: usize, of: fn(&LayerCounts) -> Option<f64>| {
        of(&session.app.front.live.as_ref().expect("a run").anatomy.layers[layer]).expect("it is counted")
    };
    let (digest, live) = (session.digest(), session.app.front.live.as_ref().expect("a run"));
    let agents = &live.anatomy.agents;
    let conflicts: f64 = agents.iter().map(|agent| agent.conflicts).sum();
    assert_eq!(conflicts, live.result.as_ref().expect("it has ended").figure("conflicts"));
    assert!(conflicts > 0.0 && agents.len() == 2 && agents.iter().all(|agent| agent.is_idle && agent.in_flight == 0));
    let decided: f64 = agents.iter().map(|agent| agent.decided).sum();
    assert_eq!(count(&session, 0, |it| it.hits) + count(&session, 0, |it| it.misses), decided);
    let rules: f64 = live.anatomy.objects.iter().map(|rule| rule.hits).sum();
    assert!(rules > 0.0 && rules == count(&session, 1, |it| it.hits));
    assert!(count(&session, 3, |it| it.bytes) > 0.0);

    session.edits(Edit::set("caches.evaluations", false));
    assert_eq!((session.digest(), count(&session, 0, |it| it.entries)), (digest.clone(), 0.0), "no layer decides");
    let about = |session: &Session| anatomy::about_layers(session.app.variant());
    assert!(about(&session).ends_with("never changes where or when a VM goes."));
    session.edits(Edit::set("agents.latency", "updates"));
    assert!(about(&session).contains("latency now follows the caches"));
    assert_ne!(session.digest(), digest, "where latency follows the caches, decisions land at other times");
    assert!(!anatomy::layers(session.app.variant(), None)[0].on);
    session.does(Message::Undo);
    session.does(Message::Undo);
    session.settle();
    assert!(anatomy::layers(session.app.variant(), None)[0].on && session.digest() == digest);
}

#[test]
fn machines_of_failed_commits_are_told_while_it_runs_and_frame_by_frame() {
    let mut session = Session::open(slow_agents());
    let mut seen = std::collections::BTreeSet::new();
    while session.engine.is_running() {
        session.work();
        session.hear();
        let failed = failures::at(session.app.front.live.as_ref().expect("a run"), 0.0);
        seen.extend(failed.iter().flat_map(|it| it.machines.clone()));
    }
    let live = session.app.front.live.as_ref().expect("a run");
    assert_eq!(live.failed.len(), live.frame_times.len());
    let all: std::collections::BTreeSet<u32> = live.failed.iter().flat_map(|it| it.machines.clone()).collect();
    assert!(seen.is_superset(&all) && all.len() > 3, "{all:?}, of which {seen:?} while it ran");
    let frame = live.failed.iter().rposition(|it| !it.machines.is_empty()).expect("a commit failed");
    let shown = |moment: f64| failures::at(live, moment);
    assert_eq!(shown(live.frame_times[frame]), Some(&live.failed[frame]));
    assert_eq!(shown(live.frame_times[frame] - 1.0), Some(&live.failed[frame - 1]));
}

#[test]
fn rules_that_were_on_keep_their_row() {
    let mut session = Session::small();
    let folded = |session: &Session| {
        let stage = list::Stage::new(
            session.app.variant(),
            Group::MachinePreferences,
            &session.app.used_rules,
            session.app.idle_rules(),
        );
        stage.folded.iter().any(|row| row.id == "WorstFit")
    };
    assert!(folded(&session), "it was off when the document was opened");
    for on in [true, false] {
        session.edits(Edit::use_rule("WorstFit", on));
        assert!(!folded(&session), "switched {on}, it stays where it is");
    }
    session.does(Message::Preset("small"));
    assert!(folded(&session), "opened anew, it is folded away again");
}

#[test]
fn weights_set_by_hand_are_told_when_they_go_in_a_circle() {
    let mut session = Session::small();
    let said = |session: &Session| list::about_circles(session.app.front.live.as_ref().expect("a run"));
    session.edits(Edit::set("hand_weights", true));
    assert_eq!(said(&session), None);
    for id in ["WorstFit", "FirstFit", "FdEmptyNodes"] {
        session.edits(Edit::use_rule(id, true));
    }
    let digest = session.digest();
    session.edits(Edit::set("rules.FirstFit.weight", 1.5));
    session.edits(Edit::set("rules.WorstFit.weight", 0));
    session.edits(Edit::set("rules.IsMachineReady.weight", 9));
    let set: Vec<_> = session.app.variant().rules.iter().filter_map(|row| row.weight).collect();
    assert_eq!(set, [1.5], "a weight is a preference's, and above 0");
    assert_ne!(session.digest(), digest);
    let said = said(&session).expect("a circle");
    assert!(said.starts_with("The weights were circular in "), "{said}");
    session.does(Message::Undo);
    session.settle();
    assert_eq!(session.digest(), digest);
}

#[test]
fn asking_about_a_machine_is_answered() {
    let mut session = Session::small();
    session.does(Message::Vm("0".into()));
    session.settle();
    let winner = session.app.front.answer.attempts[0].winner.expect("the first VM is placed");
    for machine in [winner, (winner + 1) % 24] {
        session.does(Message::Ask(Some(machine)));
        session.settle();
        let about = session.app.front.answer.attempts[0].asked.clone().expect("about the machine").to_string();
        assert!(about.contains(&format!("achine {machine}")), "{about}");
    }
    session.does(Message::Vm("no such VM".into()));
    session.settle();
    let message = session.app.front.answer.message.clone().expect("a message").to_string();
    assert!(session.app.front.answer.attempts.is_empty() && message.contains("no such VM"), "{message}");
}

#[test]
fn a_machine_lists_the_vms_it_holds() {
    let mut session = Session::small();
    let mut listed = 0;
    for machine in 0..24 {
        session.does(Message::Machine(Some(machine)));
        session.settle();
        listed += session.app.selection.vms.len();
        assert!(session.app.selection.about.to_string().starts_with("Rack "), "{}", session.app.selection.about);
    }
    let live = session.app.front.live.as_ref().expect("a run");
    let live_vms = tiebreak_sim::metrics::index_of("LiveVms").expect("a metric");
    assert_eq!(listed as f64, *live.values[live_vms].last().expect("a sample"));
}

#[test]
fn a_trace_that_is_not_there_is_asked_for_and_then_runs() {
    let mut session = Session::open(preset("default"));
    session.settle();
    let fingerprint = format!("{PACKING_CUT_FINGERPRINT:032x}");
    assert!(
        matches!(&session.app.front.phase, Phase::NeedsTrace { fingerprint: needed, .. } if *needed == fingerprint)
    );
    let document = session.app.document.clone();
    session.gives("mine.csv", TRACE);
    let WorkloadRef::Trace { name, .. } = &session.app.variant().workload else { panic!("a trace was given") };
    assert_eq!(
        (name.as_str(), &session.app.front.phase),
        ("mine.csv", &Phase::Finished),
        "a file that was given is used"
    );
    session.does(Message::Undo);
    session.settle();
    assert_eq!(session.app.document, document);
    session.gives("under-another-name.csv.gz", &packing_cut());
    assert_eq!((session.digest(), &session.app.front.phase), (golden("default"), &Phase::Finished));
    assert_eq!(session.app.document, document, "the trace it waited for is no edit");
    let names: Vec<_> = session.app.traces.iter().map(|trace| trace.name.as_str()).collect();
    assert_eq!(names, ["mine.csv", "under-another-name.csv.gz"]);
}

/// The small preset over many days, with so many machines that each decision evaluates.
fn costly(days: f64) -> Document {
    let mut document = preset("small");
    for (path, value) in [
        ("inventory.clusters.0.machines", "60000"),
        ("workload.requests_per_hour", "50"),
        ("agents.caches", "false"),
        ("workload.days", days.to_string().as_str()),
    ] {
        document.variants[0].set(path, value).unwrap_or_else(|issue| panic!("{path}: {issue}"));
    }
    document
}

#[test]
fn a_run_that_takes_long_waits_for_a_word_and_is_not_asked_about_again() {
    let mut session = Session::open(costly(20.0));
    session.hear();
    let Phase::Costly { told, .. } = &session.app.front.phase else { panic!("{:?}", session.app.front.phase) };
    assert!(told.to_string().ends_with("Without caches, every decision checks all machines."), "{told}");
    assert!(!session.engine.is_running() && session.app.front.live.is_none());
    session.does(Message::Run);
    session.hear();
    assert_eq!((&session.app.front.phase, session.engine.is_running()), (&Phase::Running, true));
    // A run that takes about as long starts too, but not one that takes more than twice as long.
    for (days, asks) in [(25.0, false), (75.0, true)] {
        session.does(Message::Open(costly(days)));
        session.hear();
        assert_eq!(matches!(session.app.front.phase, Phase::Costly { .. }), asks, "{days} days");
    }
    // Other runs start immediately.
    session.does(Message::Open(preset("small")));
    session.settle();
    assert_eq!((session.digest(), &session.app.front.phase), (golden("small"), &Phase::Finished));
}

#[test]
fn a_step_into_a_run_that_takes_long_is_made_when_it_may_begin() {
    let mut session = Session::open(costly(20.0));
    session.hear();
    session.does(Message::Step);
    session.hear();
    assert!(matches!(session.app.front.phase, Phase::Costly { .. }), "{:?}", session.app.front.phase);
    session.does(Message::Run);
    session.hear();
    assert_eq!((&session.app.front.phase, session.app.front.decided.0 > 0), (&Phase::Paused, true));
}

#[test]
fn a_step_that_is_asked_for_before_the_trace_is_there_is_made_when_it_comes() {
    for (to, decided) in [(StepTo::Vm, 1), (StepTo::Conflict, 2)] {
        let mut session = Session::open(preset("default"));
        session.settle();
        session.does(Message::StepTo(to));
        session.does(Message::Step);
        session.settle();
        assert!(matches!(session.app.front.phase, Phase::NeedsTrace { .. }), "{:?}", session.app.front.phase);
        session.gives("packing-cut.csv.gz", &packing_cut());
        assert_eq!(session.app.front.phase, Phase::Paused, "{to:?}");
        assert!(session.app.front.decided.0 >= decided, "{to:?}: {:?}", session.app.front.decided);
        assert!(!session.app.selection.vm.is_empty(), "{to:?}");
    }
}

#[test]
fn what_was_kept_of_a_sample_is_not_sampled_again() {
    let settings =
        TraceSettings { one_tenant_in: 2, tenant_part: 1, sampled_by: SampledBy::Request, ..TraceSettings::default() };
    let mut engine = Engine::new();
    let mut give = |bytes: &[u8], is_sampled: bool| {
        let (name, sample) = ("mine.csv".to_owned(), settings.to_values());
        let begin = Command::TraceBegin {
            name,
            bytes: bytes.len() as f64,
            sample,
            is_sampled,
            columns: Vec::new(),
            decimal_commas: None,
        };
        engine.handle(begin);
        engine.trace_bytes(bytes);
        let replies = engine.trace_end();
        let [Reply::TraceLoaded(card)] = replies.as_slice() else { panic!("{replies:?}") };
        (card.clone(), engine.columns(&card.fingerprint).expect("it is loaded").concat())
    };
    let (card, columns) = give(&packing_cut(), false);
    assert!((5_500.0..8_000.0).contains(&card.vms), "{}", card.vms);
    assert_eq!(card.sample, settings.to_values());
    assert!(card.notes.iter().any(|note| note.to_string().starts_with("Sampled by request")), "{:?}", card.notes);
    let (again, _) = give(&columns, true);
    assert_eq!((again.fingerprint, again.sample, again.vms), (card.fingerprint, card.sample, card.vms));
    assert!(again.notes.iter().any(|note| note.to_string().starts_with("Sampled by request")), "{:?}", again.notes);
}

#[test]
fn garbage_given_as_a_trace_is_told_and_changes_nothing() {
    let mut session = Session::small();
    let (document, digest) = (session.app.document.clone(), session.digest());
    let cut = packing_cut();
    let no_rows = b"vm,cores,memory_gb,start_s,end_s\n".to_vec();
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    for (name, bytes) in [
        ("empty.csv", Vec::new()),
        ("picture.csv", png),
        ("half.csv.gz", cut[..cut.len() / 2].to_vec()),
        ("other-columns.csv", b"a,b,c\n1,2,3\n4,5,6\n".to_vec()),
        ("no-rows.csv", no_rows),
        ("noise.bin", (0..5_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()),
    ] {
        session.gives(name, &bytes);
        let notice = session.app.notices.pop().expect(name);
        assert!(notice.bad && notice.title.contains(name) && !notice.lines[0].is_empty(), "{notice:?}");
        assert!(session.app.reading.is_none() && session.app.traces.is_empty(), "{name}");
        assert_eq!((&session.app.document, session.app.can_undo_redo()), (&document, (false, false)), "{name}");
    }
    assert_eq!(session.digest(), digest);
    session.edits(buckets(None));
    assert_ne!(session.digest(), digest, "the page works on");
}

#[test]
fn a_cancelled_trace_leaves_everything_as_it_was() {
    let mut session = Session::small();
    session.does(Message::TraceChosen { name: "mine.csv".into(), bytes: 9.0 });
    session.carry_out(vec![Effect::Send {
        lane: 1,
        command: Command::TraceBegin {
            name: "mine.csv".into(),
            bytes: 9.0,
            sample: Vec::new(),
            is_sampled: false,
            columns: Vec::new(),
            decimal_commas: None,
        },
    }]);
    session.engine.trace_bytes(&TRACE[..50]);
    session.does(Message::TraceCancel);
    assert!(session.app.reading.is_none() && !session.engine.is_reading());
    assert!(session.engine.trace_end().is_empty());
    assert_eq!(session.digest(), golden("small"));
}

#[test]
fn an_engine_that_died_is_told_and_can_run_again() {
    let mut session = Session::small();
    session.engine = Engine::new();
    session.does(Message::EngineEnded { lane: 1, reason: "out of memory".into(), had_begun: true });
    assert!(matches!(session.app.front.phase, Phase::Failed(_)));
    assert!(session.app.notices.pop().is_some_and(|notice| notice.bad && notice.lines[0].contains("memory")));
    session.does(Message::Vm("0".into()));
    session.settle();
    assert!(session.app.front.answer.message.is_some(), "nothing is explained without a run");
    session.does(Message::Run);
    session.settle();
    assert_eq!(session.digest(), golden("small"));
}

#[test]
fn an_engine_that_cannot_be_started_is_told_once() {
    let mut session = Session::small();
    session.engine = Engine::new();
    for _ in 0..2 {
        session.does(Message::EngineEnded { lane: 1, reason: "no files".into(), had_begun: false });
    }
    let [notice] = &session.app.notices[..] else { panic!("{:?}", session.app.notices) };
    assert_eq!((notice.title.as_str(), notice.lines[0].as_str()), ("The engine could not start", "no files"));
    session.does(Message::Run);
    session.settle();
    assert_eq!(session.digest(), golden("small"));
}

#[test]
fn what_an_engine_was_asked_when_it_died_is_answered_and_can_be_asked_again() {
    let mut session = Session::small();
    // None of these reaches the engine.
    drop(session.app.update(Message::Profile(true)));
    drop(session.app.update(Message::Question(Asking::new(&FitBeliefs {}))));
    drop(session.app.update(Message::Size(SizeWish::default())));
    session.engine = Engine::new();
    session.does(Message::EngineEnded { lane: 1, reason: "out of memory".into(), had_begun: true });
    let dead: Answered = Err(Phrase::text("out of memory"));
    assert_eq!(session.app.answers.told::<ProfileWorkload>(), Some(&dead));
    assert_eq!(session.app.answers.told::<FitBeliefs>(), Some(&dead));
    let sizing = session.app.sizing.as_ref().expect("asked for");
    assert_eq!((&sizing.failure, sizing.is_under_way()), (&Some(Phrase::text("out of memory")), false));
    session.does(Message::Run);
    session.settle();
    let told = session.app.answers.told::<ProfileWorkload>();
    assert!(matches!(told, Some(Ok(_))), "{told:?}");
}

/// The answer to a repeated question's earlier instance is ignored.
#[test]
fn a_search_begun_again_begins_with_its_own_answer() {
    let mut session = Session::small();
    let asked = |effects: Vec<Effect>| {
        let ask = effects.into_iter().find_map(|effect| match effect {
            Effect::Send { command: Command::Ask(ask), .. } => Some(ask),
            _ => None,
        });
        ask.expect("the engine is asked")
    };
    let first = asked(session.app.update(Message::Size(SizeWish { reject_pct: 50.0, ..SizeWish::default() })));
    let second = asked(session.app.update(Message::Size(SizeWish::default())));
    let mut answers = [first, second].map(|ask| session.engine.handle(Command::Ask(ask)).remove(0));
    if let Reply::Answer { told: Some(Ok(answer)), .. } = &mut answers[0]
        && let Some(Found::Needs(needs)) = &mut answer.found
    {
        needs.bound = 1_000_000;
    }
    let [outdated, own] = answers.map(|reply| Message::Engine(Box::new(reply)));
    assert!(session.app.update(outdated).is_empty(), "nothing is searched from the answer to another question");
    assert!(session.app.sizing.as_ref().is_some_and(|sizing| sizing.needs.is_none()));
    assert!(!session.app.update(own).is_empty(), "the search begins");
    let needs = session.app.sizing.as_ref().and_then(|sizing| sizing.needs.clone()).expect("it was told");
    assert!(needs.bound < 1_000, "{needs:?}");
}

/// A pause that reaches the engine after the end of the run has no effect.
#[test]
fn pause_that_comes_too_late_changes_nothing() {
    let mut session = Session::open(preset("small"));
    while session.engine.is_running() {
        session.work();
    }
    // The user presses Pause while the last replies are on their way.
    session.does(Message::Pause);
    session.settle();
    assert_eq!(session.app.front.phase, Phase::Finished);
    session.does(Message::Run);
    session.settle();
    assert_eq!(session.app.front.phase, Phase::Finished);
}

/// A VM whose request was refused because of another VM gets that explanation.
#[test]
fn a_vm_refused_with_its_request_is_explained_as_refused() {
    let mut session = Session::small();
    let variant = session.app.variant().clone();
    let workload = std::sync::Arc::new(variant.generate().expect("a generated workload"));
    let mut world = World::new(variant.plan(workload.clone()).expect("a plan"));
    world.keep_decisions();
    world.run();
    let (mut wrong, mut all) = (Vec::new(), 0);
    for decision in world.decisions().iter().filter(|it| it.outcome == tiebreak_sim::Outcome::Refused) {
        if workload.vms_of(decision.request).len() == 1 {
            continue;
        }
        all += 1;
        session.does(Message::Vm(workload.name(decision.vm).to_string()));
        session.settle();
        let selection = &session.app.front.answer;
        let says = selection.attempts.last().map(|last| &last.sentence).or(selection.message.as_ref());
        let says = says.map(ToString::to_string).unwrap_or_default();
        if !says.contains("efuse") && !says.contains("could take it") {
            wrong.push(format!("VM {}: {says}", decision.vm));
        }
    }
    assert!(wrong.is_empty(), "{} of {all}, such as {} / {}", wrong.len(), wrong[0], wrong[wrong.len() - 1]);
}

/// Cluster preferences do not decide between machines of two selected clusters.
#[test]
fn why_not_another_cluster_names_a_machine_rule() {
    let mut document = preset("small");
    let settings = document.variants[0].clusters[0].settings;
    document.variants[0].clusters.push(ClusterRow { settings, ..ClusterRow::numbered(1) });
    let mut session = Session::open(document);
    session.settle();
    let mut wrong = Vec::new();
    for vm in (0..400).step_by(9) {
        session.does(Message::Vm(vm.to_string()));
        session.settle();
        let Some(winner) = session.app.front.answer.attempts.last().and_then(|last| last.winner) else { continue };
        session.does(Message::Ask(Some((winner + 24) % 48)));
        session.settle();
        let last = session.app.front.answer.attempts.last().expect("explained");
        let about = last.asked.clone().expect("asked").to_string();
        let machine_funnel_end = last.funnel.last().expect("funnel").after;
        if about.contains("PreferEmptierClusters") || (about.contains("tied") && machine_funnel_end == 1) {
            wrong.push(format!("VM {vm}: {about} (best set {machine_funnel_end})"));
        }
    }
    assert!(wrong.is_empty(), "{}: {:?}", wrong.len(), &wrong[..wrong.len().min(4)]);
}

/// Too many machines are reported, and nothing else runs instead.
#[test]
fn too_many_machines_are_told() {
    let mut session = Session::small();
    session.edits(Edit::AddCluster);
    session.edits(Edit::Cluster { cluster: 1, index: 0, value: 1_000_000.0 });
    let machines = session.app.front.live.as_ref().map(|live| live.layout.machines);
    let asked: u32 = session.app.variant().clusters.iter().map(|row| row.settings.machines).sum();
    assert!(
        machines == Some(asked)
            || matches!(session.app.front.phase, Phase::Failed(_))
            || !session.app.notices.is_empty(),
        "{asked} machines asked for, {machines:?} ran, phase {:?}",
        session.app.front.phase
    );
}

/// A scenario that is renamed before it is shared keeps its promised result.
#[test]
fn a_renamed_scenario_still_shares_its_digest() {
    let mut session = Session::small();
    session.does(Message::Edit(Edit::Name("Workshop".into())));
    let opened = tiebreak_scenario::decode(&session.app.link()).expect("a link");
    assert!(opened.stamp.is_some());
}

/// Explain in a paused run does not reveal future decisions.
#[test]
fn explain_does_not_see_the_future() {
    let mut session = Session::open(preset("small"));
    session.hear();
    session.does(Message::Pause);
    session.does(Message::Step);
    session.hear();
    let decided = session.app.front.decided.0;
    session.does(Message::Vm((decided + 600).to_string()));
    session.settle();
    let attempts = &session.app.front.answer.attempts;
    assert!(attempts.is_empty(), "{} decided, and VM {}: {}", decided, decided + 600, attempts[0].circumstances);
}

/// Another seed of a generated workload is another workload, so there is no baseline.
#[test]
fn another_seed_is_another_workload() {
    let mut session = Session::small();
    session.edits(Edit::set("seed", 2));
    assert!(session.app.front.baseline.is_none());
}

/// The fleet map changes while the user steps.
#[test]
fn a_step_shows_on_the_map() {
    let mut session = Session::open(preset("small"));
    session.hear();
    session.does(Message::Pause);
    session.hear();
    let mut stood_still = 0;
    let mut before = session.engine.frame_bytes();
    for _ in 0..10 {
        let placed = session.app.front.decided.0;
        session.does(Message::Step);
        session.hear();
        let after = session.engine.frame_bytes();
        stood_still += u32::from(
            after == before
                && session.app.front.answer.attempts.last().is_some_and(|it| it.winner.is_some())
                && placed < session.app.front.decided.0,
        );
        before = after;
    }
    assert_eq!(stood_still, 0, "of 10 steps");
}

#[test]
fn a_step_by_conflict_holds_where_a_commit_failed_and_explains_it() {
    let mut session = Session::open(preset("default"));
    session.gives("packing-cut.csv.gz", &packing_cut());
    session.does(Message::StepTo(StepTo::Conflict));
    let mut moments = Vec::new();
    for wanted in 1..=3_u32 {
        session.does(Message::Step);
        session.settle();
        assert_eq!(session.app.front.phase, Phase::Paused);
        let anatomy = &session.app.front.live.as_ref().expect("a run").anatomy;
        let conflicts: f64 = anatomy.agents.iter().map(|agent| agent.conflicts).sum();
        assert!((conflicts - f64::from(wanted)).abs() < 0.5, "{conflicts} conflicts after {wanted} steps");
        let answer = &session.app.front.answer;
        assert!(!session.app.selection.vm.is_empty() && !answer.attempts.is_empty(), "{answer:?}");
        moments.push(session.app.front.time_ms);
    }
    assert!(moments.is_sorted(), "{moments:?}");
    let vm = session.app.selection.vm.clone();
    session.does(Message::Run);
    session.settle();
    assert_eq!(session.digest(), golden("default"), "stepping changes nothing");
    session.does(Message::Vm(vm));
    session.settle();
    let (last, earlier) = session.app.front.answer.attempts.split_last().expect("explained");
    assert!(!earlier.is_empty() && last.collision.is_none(), "it went in: {last:?}");
    for attempt in earlier {
        let collision = attempt.collision.as_ref().expect("its commit failed");
        assert!(attempt.winner.is_some() && attempt.circumstances.to_string().contains("agent"));
        assert!(collision.rivals.iter().all(|rival| rival.agent != collision.agent), "{collision:?}");
        let told = collision.sentence.to_string();
        let rivals_are_told = match &collision.rivals[..] {
            [] => told.starts_with("Machine "),
            [rival] => told.starts_with(&format!("Agent {} placed VM {} on machine ", rival.agent, rival.vm)),
            several => told.starts_with(&format!("Other agents placed {} VMs on machine ", several.len())),
        };
        assert!(
            rivals_are_told && told.ends_with(&format!("The commit of agent {} failed.", collision.agent)),
            "{told}"
        );
    }
    let machines = session.app.front.live.as_ref().expect("a run").layout.machines as usize;
    assert_eq!(last.dropped_at.len(), machines, "a byte each");
    assert_eq!(
        last.dropped_at.iter().filter(|byte| **byte == 255).count(),
        last.funnel.last().expect("rules").after as usize
    );
}

#[test]
fn a_step_by_rule_shows_one_rule_more_until_the_choice() {
    let mut session = Session::small();
    session.does(Message::StepTo(StepTo::Rule));
    session.does(Message::Step);
    session.settle();
    let (vm, rules) = (session.app.selection.vm.clone(), session.app.front.answer.attempts[0].funnel.len());
    assert_eq!(session.app.rules_shown, Some(0));
    for shown in 1..=rules {
        session.does(Message::Step);
        session.settle();
        assert_eq!((session.app.rules_shown, &session.app.selection.vm), (Some(shown), &vm));
    }
    session.does(Message::Step);
    session.settle();
    assert_eq!(session.app.rules_shown, Some(0));
    assert_ne!(session.app.selection.vm, vm, "the next VM");
    session.does(Message::StepTo(StepTo::Vm));
    assert_eq!(session.app.rules_shown, None);
}

/// An included lesson, at a step from 0.
fn plays(id: &str, step: usize) -> Session {
    let mut session = Session::small();
    let listed = LESSONS.iter().find(|listed| listed.id == id).expect("a lesson that is listed");
    session.does(Message::LessonText(listed.markdown.into()));
    session.settle();
    session.does(Message::LessonStep(step));
    session.settle();
    session
}

#[test]
fn a_lesson_says_nothing_before_the_answer_and_then_its_number() {
    let mut session = plays("01-ties-and-order", 0);
    assert!(session.app.hides_result() && session.app.front.result().is_some());
    assert!(session.app.share("PreferNonEmptyMachines").is_none(), "what rules left would be the answer");
    session.does(Message::Predict(Given::Number(25.0)));
    assert_eq!(session.app.lesson.as_ref().expect("a lesson").given, None, "25 is not on the scale");
    session.does(Message::Predict(Given::Number(3.0)));
    session.does(Message::Reveal);
    assert!(session.app.share("PreferNonEmptyMachines").is_some());
    let playing = session.app.lesson.as_ref().expect("a lesson");
    let Some(Question::Estimate { scale, .. }) = &playing.here().question else { panic!("an estimate") };
    let told = lesson::estimate(scale, playing.truth().expect("a number"), Some(3.0));
    assert_eq!(told, "Answer: 9.7 of 24 machines. Your estimate is 6.7 too low.");

    session.does(Message::LessonStep(1));
    session.settle();
    assert!(session.app.hides_result(), "the next question is open again");
    session.does(Message::Predict(Given::Choice(1)));
    session.does(Message::Reveal);
    let playing = session.app.lesson.as_ref().expect("a lesson");
    assert_eq!((playing.right(), lesson::answer(playing)), (Some(1), Some("Answer: B, 73.6 %.".into())));
}

#[test]
fn the_machine_asked_for_is_shown_as_it_was_before_the_decision() {
    let mut session = plays("02-buckets", 0);
    let cells = lesson::machines(&session.app);
    let decision = lesson::decision(&session.app).expect("the decision about VM 300");
    assert_eq!(session.app.cursor_ms, Some(decision.at_ms - 1.0));
    assert_eq!((cells.len(), cells.iter().position(|cell| cell.is_chosen)), (24, Some(6)));
    session.does(Message::Predict(Given::Machine(6)));
    session.does(Message::Reveal);
    assert_eq!(lesson::named(&cells, Some(6)), "Right. Answer: machine 6.");
}

#[test]
fn a_rule_is_moved_until_the_run_reaches_the_goal() {
    let text = "# T\n\n## S\n\n```scenario\npreset: small\nset: rules.BestFit.on = false\n```\n\n\
                ```unlock\nrules: BestFit\n```\n\n```predict\ndrag: Use BestFit.\ngoal: BestFit.decided > 0\n\
                set: rules.BestFit.on = true\n```\n\nSo.\n";
    let begin = || {
        let mut session = Session::small();
        session.does(Message::LessonText(text.into()));
        session.settle();
        session
    };
    let reaches = |session: &Session| session.app.lesson.as_ref().expect("a lesson").reaches_goal();
    let mut session = begin();
    assert!(!session.app.changed_step());
    assert_eq!(reaches(&session), Some(false));
    session.edits(Edit::use_rule("BestFit", true));
    assert!(session.app.changed_step() && session.app.hides_result(), "their run waits for them to ask");
    session.does(Message::Reveal);
    assert_eq!(reaches(&session), Some(true));
    session.edits(Edit::use_rule("BestFit", false));
    let misses = session.app.lesson.as_ref().expect("a lesson").misses().to_string();
    assert!(misses.ends_with("expected more than 0 %"), "{misses:?}");
    session.does(Message::Solve);
    session.settle();
    assert_eq!(reaches(&session), Some(true));

    let mut other = begin();
    other.does(Message::Reveal);
    other.settle();
    assert!(other.app.changed_step() && !other.app.hides_result(), "who changed nothing is shown a solution");
    assert_eq!(reaches(&other), Some(true));
}

#[test]
fn states_of_the_page_become_a_lesson_that_plays() {
    let mut session = Session::small();
    let digest = session.digest();
    let freeze = |title: &str, curve| {
        let unlocks = Unlocks { rules: vec!["BestFit".into()], ..Unlocks::default() };
        let why = "Few buckets leave ties.".into();
        Message::Freeze(Freeze { title: title.into(), text: "Look *here*.".into(), unlocks, curve, pick: None, why })
    };
    session.does(freeze("As it is", None));
    session.settle();
    session.does(Message::Fork { at_hours: None });
    session.edits(buckets(Some(1)));
    session.does(freeze("Two of them", Some(0)));
    session.settle();
    assert_eq!(session.lessons.len(), 2, "{:?}", session.app.own_lesson.faults);
    let text = session.app.own_lesson.text.clone();
    assert_eq!(session.lessons.last(), Some(&text));
    let lesson = Lesson::read(&text).unwrap_or_else(|issues| panic!("{issues:?}"));
    let [alone, compared] = &lesson.steps[..] else { panic!("{} steps", lesson.steps.len()) };
    assert!(alone.against.is_none() && compared.against.is_some());
    assert!(matches!(&compared.question, Some(Question::Curve { metric, .. }) if metric == "EmptyHosts"));
    assert_eq!(compared.unlocks.as_ref().expect("its own").charts, ["EmptyHosts"], "what is drawn is shown");

    // A step without a title is not valid, and the message appears where it was requested.
    session.does(freeze(" ", None));
    session.settle();
    assert_eq!(session.app.own_lesson.text, text);
    assert!(session.app.own_lesson.faults[0].contains("expected a title"), "{:?}", session.app.own_lesson.faults);
    // Nor is one after a text that is not a lesson.
    session.does(Message::WriteLesson("Only words.".into()));
    session.does(freeze("One more", None));
    session.settle();
    assert!(!session.app.own_lesson.faults.is_empty());
    assert_eq!(session.app.own_lesson.text, "Only words.");
    assert!(session.app.notices.is_empty());

    session.does(Message::LessonText(text));
    session.settle();
    assert_eq!(session.digest(), digest, "the step is the state that was frozen");
    assert!(!session.app.hides_result(), "nothing is asked");
    session.does(Message::LessonStep(1));
    assert!(session.app.hides_result());
}

#[test]
fn the_log_knows_what_was_tried_and_leads_back_to_it() {
    let mut session = Session::small();
    let digest = session.digest();
    session.edits(buckets(Some(1)));
    session.edits(buckets(Some(2)));
    let told = |session: &Session| -> Vec<_> {
        session.app.log.runs().map(|run| (run.number, run.tried.to_string())).collect()
    };
    let log = told(&session);
    assert_eq!(log.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [3, 2, 1], "the newest first");
    assert_eq!(log[0].1, "rules.BestFit.buckets: 1 \u{2192} 2");
    session.does(Message::Reopen(1));
    session.settle();
    assert_eq!(session.digest(), digest);
    session.does(Message::Undo);
    session.settle();
    assert_eq!(session.buckets(), Some(2), "undo goes back");

    session.does(Message::Star(1));
    for number in 0..40 {
        session.edits(buckets(Some(1 + number % 3)));
    }
    assert_eq!(session.app.log.runs().count(), 13, "twelve, and the one with a star");
    assert!(session.app.log.runs().any(|run| run.number == 1 && run.starred));
    let stored = session.runs.last().expect("stored").clone();
    let mut later = Session::small();
    later.app.restore_runs(&stored);
    assert!(later.app.log.runs().any(|run| run.starred && run.result.digest == digest));
    later.app.restore_runs("{not a list");
    assert_eq!(later.app.log.runs().count(), 2, "what cannot be read is left out");

    later.edits(buckets(Some(1)));
    let starred = later.app.log.runs().find(|run| run.starred).expect("it is").number;
    later.does(Message::CompareWith(starred));
    later.settle();
    assert_eq!(later.app.document.variants.len(), 2);
}

#[test]
fn the_profile_is_of_the_workload_in_front_and_offers_machines() {
    let mut session = Session::small();
    session.does(Message::Profile(true));
    session.settle();
    let profiled =
        |session: &Session| session.app.answers.told::<ProfileWorkload>().expect("told").clone().expect("a profile");
    let first = profiled(&session);
    let titles: Vec<_> = first.exhibits.iter().map(|exhibit| exhibit.title.to_string()).collect();
    let titles: Vec<_> = titles.iter().map(String::as_str).collect();
    assert_eq!(titles[..3], ["Cores in use per hour", "Arrivals per hour", "Arrivals by hour of the day"]);
    assert!(titles.contains(&"VMs that live longer") && titles.contains(&"How soon a size is requested again"));
    let came: f64 = first.exhibits[1].plot.as_ref().expect("drawn").lines[0].1.iter().map(|point| point.1).sum();
    let vms = session.app.front.live.as_ref().expect("a run").result.as_ref().expect("over").clone();
    assert!(came > 0.0 && came <= vms.figure("placements") + vms.figure("rejections"), "{came} of {vms:?}");

    // A rule is not part of the workload, the seed is.
    session.edits(buckets(Some(1)));
    assert_eq!(profiled(&session), first);
    session.edits(Edit::set("seed", 2));
    assert_ne!(profiled(&session), first);

    let profiled = profiled(&session);
    let Some(Found::Machines(found)) = &profiled.found else { panic!("{:?}", profiled.found) };
    let machines = found[0];
    session.edits(Edit::AddCluster);
    session.edits(Edit::Machines(vec![machines]));
    let clusters = &session.app.variant().clusters;
    assert_eq!((clusters.len(), clusters[0].settings.machines), (1, machines.machines));
    assert_eq!((clusters[0].settings.cores, clusters[0].settings.memory_gib), (machines.cores, machines.memory_gib));
    assert_eq!(session.app.front.phase, Phase::Finished, "it runs");

    // With the panel closed, nothing is requested.
    session.does(Message::Profile(false));
    session.edits(Edit::set("seed", 3));
    let last = session.app.answers.told::<ProfileWorkload>().expect("the last one");
    assert_eq!(last.as_ref().expect("a profile"), &profiled);
}

#[test]
fn the_columns_of_a_trace_are_a_trace_of_the_same_vms_and_say_what_its_file_said() {
    let mut session = Session::small();
    let faulty = [TRACE, b"6,9,many,4,0,60\n".as_slice()].concat();
    session.gives("mine.csv", &faulty);
    let card = session.app.traces.last().expect("read").clone();
    assert_eq!(card.faulty, 1.0);
    let columns = session.engine.columns(&card.fingerprint).expect("it is loaded").concat();
    assert!(session.engine.columns("no such trace").is_none());

    let mut later = Session::small();
    later.gives("mine.csv", &columns);
    let again = later.app.traces.last().expect("read").clone();
    assert_eq!((&again.fingerprint, &again.format, again.vms), (&card.fingerprint, &card.format, card.vms));
    let notes = again.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(notes.contains("Unreadable rows excluded: 1") && notes.contains(&card.faults[0].to_string()), "{notes}");
    assert!(again.notes.len() < 10 && again.cannot_answer == card.cannot_answer);
    // When it is kept again, the notes are not repeated.
    let columns = later.engine.columns(&again.fingerprint).expect("it is loaded").concat();
    let mut third = Session::small();
    third.gives("mine.csv", &columns);
    assert_eq!(third.app.traces.last().expect("read").notes, again.notes);
}

/// The user opens a list of machines.
fn machines_of(list: &[u8]) -> Message {
    Message::Question(Asking::new(&ReadMachines {}).of_file(list.to_vec()).then(Then::TakeMachines))
}

#[test]
fn a_list_of_machines_becomes_clusters_of_those_alike() {
    let mut session = Session::small();
    let list = b"sn,cpu_milli,memory_mib,gpu,model\na,64000,262144,2,P100\nb,96000,786432,8,\nc,64000,262144,0,\n";
    session.does(machines_of(list));
    session.settle();
    let clusters = &session.app.variant().clusters;
    let told: Vec<_> =
        clusters.iter().map(|row| (row.settings.machines, row.settings.cores, row.settings.memory_gib)).collect();
    assert_eq!(told, [(2, 64.0, 256.0), (1, 96.0, 768.0)]);
    assert_eq!(session.app.front.phase, Phase::Finished, "it runs");

    session.does(machines_of(b"cores,memory\n4,many\n"));
    session.settle();
    let notice = session.app.notices.last().expect("told");
    assert!(notice.lines[0].starts_with("Line 2: expected"), "{:?}", notice.lines);
    assert_eq!(session.app.variant().clusters.len(), 2, "nothing changed");
    session.does(Message::Undo);
    session.settle();
    assert_eq!(session.app.variant().clusters.len(), 1);
}

#[test]
fn agents_and_caches_that_nobody_chose_go_with_the_trace() {
    let mut session = Session::open(preset("default"));
    session.gives("packing-cut.csv.gz", include_bytes!("../../trace/fixtures/packing-cut.csv.gz"));
    let slowed = session.app.variant().agents;
    assert_eq!(slowed.decision_ms, 8_000, "the first preset's trace is a small part of a zone's requests");
    assert!(session.app.variant().caches.rule_objects, "it shows every layer");

    session.gives("five.csv", TRACE);
    assert_eq!(session.app.variant().agents, Agents::default());
    assert_eq!(session.app.variant().caches, Caches::default());
    let told = session.app.notices.iter().find(|notice| notice.title == "Set for your trace").expect("it is told");
    assert!(
        told.lines[0].contains("decide in 20 ms and publish in 100 ms. The previous 8,000 and 4,000 ms were"),
        "{told:?}"
    );
    session.does(Message::Undo);
    assert_eq!(session.app.variant().agents, slowed, "one step back");
    session.does(Message::Redo);
    session.edits(Edit::UseTrace { fingerprint: format!("{PACKING_CUT_FINGERPRINT:032x}") });
    assert_eq!(session.app.variant().agents, slowed, "and with their own trace they come back");

    session.edits(Edit::set("agents.decision_ms", 777));
    session.gives("five.csv", TRACE);
    assert_eq!(session.app.variant().agents.decision_ms, 777, "what somebody chose stays");

    session.edits(Edit::set("caches.journal", "false"));
    session.gives("packing-cut.csv.gz", include_bytes!("../../trace/fixtures/packing-cut.csv.gz"));
    let caches = session.app.variant().caches;
    assert!(!caches.journal && !caches.rule_objects, "what somebody chose stays: {caches:?}");
}

#[test]
fn means_of_a_trace_that_begins_late_begin_with_it() {
    let late = TRACE.split(|byte| *byte == b'\n').map(|line| String::from_utf8_lossy(line).into_owned());
    let later = |line: String| match line.split(',').collect::<Vec<_>>()[..] {
        [vm, tenant, cores, gb, start, end] if start != "start_s" => {
            let add = |time: &str| time.parse::<u32>().map_or(time.to_owned(), |time| (time + 36_000).to_string());
            format!("{vm},{tenant},{cores},{gb},{},{}", add(start), add(end))
        }
        _ => line,
    };
    let late: Vec<String> = late.map(later).collect();
    let mut session = Session::small();
    session.gives("late.csv", late.join("\n").as_bytes());
    assert_eq!(session.app.variant().measures.measured_from_hours, 10.0);
    session.gives("five.csv", TRACE);
    assert_eq!(session.app.variant().measures.measured_from_hours, 0.0);
}

#[test]
fn rejections_are_told_by_cause_and_sum_up() {
    let mut document = preset("small");
    document.variants[0].clusters[0].settings =
        ClusterSettings { machines: 6, racks: 1, ..document.variants[0].clusters[0].settings };
    let mut session = Session::open(document);
    session.settle();
    let live = session.app.front.live.as_ref().expect("a run");
    let result = live.result.as_ref().expect("it has ended");
    assert!(result.figure("rejections") > 0.0 && result.figure("rejected_by_room") > 0.0, "{result:?}");
    let causes = ["warm_rejections", "rejected_by_room", "rejected_by_terms", "rejected_out_of_retries"];
    assert_eq!(causes.map(|id| result.figure(id)).iter().sum::<f64>(), result.figure("rejections"));
    let said = verdict::sentence(live, None);
    assert!(said.contains("; rejected: ") && said.contains(" for lack of room"), "{said}");
    assert!(
        live.doubts.iter().any(|doubt| doubt.to_string().starts_with("At its peak the trace needs ")),
        "{:?}",
        live.doubts
    );
    assert!(verdict::waits(result).is_some_and(|said| said.starts_with("The median request was answered within ")));
}
