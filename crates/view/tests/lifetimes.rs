//! Lifetimes in a user's session: predictors are trained before a run, in slices, and their predictions for VMs and
//! machines are shown.

use std::sync::Arc;

use tiebreak_app::{App, Edit, Effect, Message, Phase};
use tiebreak_engine::protocol::VmCard;
use tiebreak_engine::questions::affinity_of_run::AffinityOfRun;
use tiebreak_engine::{Engine, Reply};
use tiebreak_model::Phase as HostPhase;
use tiebreak_scenario::{Document, Variant, presets};
use tiebreak_sim::{LifeByte, World};
use tiebreak_view::lifetimes;

/// Page and engine, connected directly; records the progress of training.
struct Session {
    app: App,
    engine: Engine,
    /// The progress in each training report, by run.
    learned: Vec<(u32, f64)>,
}

impl Session {
    fn open(document: Document) -> Self {
        let (app, effects) = App::open(document);
        let mut session = Self { app, engine: Engine::new(), learned: Vec::new() };
        session.carry_out(effects);
        session
    }

    /// The small preset with TemporalCost on, run to its end.
    fn nilas() -> Self {
        let mut session = Self::open((presets::find("small").expect("a preset").make)());
        session.edits(nilas(true));
        session
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            if let Effect::Send { command, .. } = effect {
                let replies = self.engine.handle(command);
                self.hear(replies);
            }
        }
    }

    fn hear(&mut self, replies: Vec<Reply>) {
        for reply in replies {
            if let Reply::Learning { run, share, .. } = reply {
                self.learned.push((run, share));
            }
            self.does(Message::Engine(Box::new(reply)));
        }
    }

    fn does(&mut self, message: Message) {
        let effects = self.app.update(message);
        self.carry_out(effects);
    }

    fn work(&mut self) {
        let replies = self.engine.work(true);
        self.hear(replies);
    }

    fn settle(&mut self) {
        while self.engine.is_running() {
            self.work();
        }
    }

    fn edits(&mut self, edit: Edit) {
        self.does(Message::Edit(edit));
        self.settle();
    }

    fn digest(&self) -> String {
        let live = self.app.front.live.as_ref().expect("a run is on screen");
        live.result.as_ref().expect("it has ended").digest.clone()
    }

    /// Training reports since the last call.
    fn reports(&mut self) -> usize {
        std::mem::take(&mut self.learned).len()
    }

    fn gives(&mut self, trace: &str) {
        let (name, bytes) = ("mine.csv".to_owned(), trace.len() as f64);
        self.does(Message::TraceChosen { name: name.clone(), bytes });
        self.carry_out(vec![Effect::Send {
            lane: 1,
            command: tiebreak_engine::Command::TraceBegin {
                name,
                bytes,
                sample: Vec::new(),
                is_sampled: false,
                columns: Vec::new(),
                decimal_commas: None,
            },
        }]);
        self.engine.trace_bytes(trace.as_bytes());
        let replies = self.engine.trace_end();
        self.hear(replies);
        self.settle();
    }
}

fn nilas(on: bool) -> Edit {
    Edit::use_rule("TemporalCost", on)
}

fn predictor(id: &str) -> Edit {
    Edit::set("predictor", id)
}

fn alone(variant: &Variant) -> World {
    let workload = Arc::new(variant.generate().expect("a generated workload"));
    let mut world = World::new(variant.plan(workload).expect("a plan"));
    world.run();
    world
}

#[test]
fn learning_is_told_done_once_and_kept() {
    let mut session = Session::nilas();
    assert!(session.learned.len() > 5 && session.learned.is_sorted_by(|one, next| one.1 <= next.1));
    assert_eq!((session.app.front.phase.clone(), session.app.front.learning), (Phase::Finished, None));
    let digest = session.digest();
    assert_eq!(digest, format!("{:016x}", alone(session.app.variant()).summary().digest), "as when trained at once");
    session.reports();

    session.edits(Edit::set("rules.BestFit.buckets", 7));
    session.edits(Edit::MoveRule { id: "TemporalCost".into(), to: 0 });
    session.edits(Edit::set("lifetimes.refresh_minutes", 1));
    session.edits(Edit::set("agents.count", 3));
    assert_eq!(session.reports(), 0, "what predictions do not depend on trains nothing again");
    for edit in [predictor("KaplanMeier"), Edit::set("predictor.train_share", 30), Edit::set("seed", 7)] {
        session.edits(edit.clone());
        assert!(session.reports() > 0, "{edit:?} asks for other predictions");
    }
    for _ in 0..3 {
        session.does(Message::Undo);
        session.settle();
    }
    assert_eq!(session.reports(), 0, "the first ones are still known");
    for _ in 0..4 {
        session.does(Message::Undo);
        session.settle();
    }
    assert_eq!(session.digest(), digest);
}

#[test]
fn while_it_learns_the_run_before_stays_on_screen() {
    let mut session = Session::open((presets::find("small").expect("a preset").make)());
    session.settle();
    let before = session.digest();
    session.does(Message::Edit(nilas(true)));
    session.work();
    assert_eq!((session.digest(), session.app.status()), (before, "Learning lifetimes".into()));
    let (share, words) = session.app.progress_so_far().expect("progress");
    assert!(share > 0.0 && share < 1.0 && words.ends_with(" % learned"), "{share} {words}");
    session.does(Message::Vm("1".into()));
    let said = session.app.front.answer.message.clone().expect("a message").to_string();
    assert!(said.contains("still learning lifetimes"), "{said}");
    session.settle();
    assert!(session.app.front.baseline.is_some() && session.app.progress_so_far().is_none());
}

#[test]
fn the_newest_edit_ends_the_learning_for_older_ones() {
    let mut session = Session::open((presets::find("small").expect("a preset").make)());
    session.settle();
    let plain = session.digest();
    session.does(Message::Edit(nilas(true)));
    session.work();
    session.does(Message::Edit(predictor("Constant")));
    let newest = session.learned.last().expect("it learns").0;
    session.reports();
    session.settle();
    assert!(session.learned.iter().all(|(run, _)| *run == newest));
    assert_eq!(session.digest(), format!("{:016x}", alone(session.app.variant()).summary().digest));
    session.does(Message::Edit(predictor("BoostedTrees")));
    session.work();
    assert!(session.app.front.learning.is_some(), "what was broken off is not known");
    session.does(Message::Edit(nilas(false)));
    assert_eq!(session.app.front.learning, None);
    session.settle();
    assert_eq!(session.digest(), plain);
}

#[test]
fn learning_can_be_held_and_stepped_over() {
    let mut session = Session::nilas();
    let digest = session.digest();
    session.does(Message::Edit(Edit::set("predictor.trees", 150)));
    session.does(Message::Pause);
    assert_eq!((&session.app.front.phase, session.engine.is_running()), (&Phase::Paused, false));
    assert_eq!(session.app.status(), "Paused while learning lifetimes");
    session.does(Message::Run);
    assert!(session.engine.is_running() && session.app.front.phase == Phase::Running);
    session.work();
    session.does(Message::Step);
    session.settle();
    assert_eq!(
        (&session.app.front.phase, session.app.front.decided.0 > 0),
        (&Phase::Paused, true),
        "one VM is decided"
    );
    assert_eq!(session.app.front.learning, None);
    session.does(Message::Undo);
    session.settle();
    assert_eq!(session.digest(), digest);
    // From the end, stepping with another predictor: it is trained, then the first VM is decided.
    session.edits(predictor("MeanByType"));
    session.does(Message::Step);
    session.settle();
    assert_eq!(session.app.front.phase, Phase::Paused);
}

#[test]
fn quality_is_shown_with_a_sentence_each() {
    let mut session = Session::nilas();
    let live = session.app.front.live.as_ref().expect("a run");
    let learned = live.learned.as_ref().expect("quality");
    let facts = lifetimes::facts(learned);
    for title in ["Trained on", "Evaluated on", "C-index", "Within 10x", "Precision", "Recall", "F1"] {
        let fact = facts.iter().find(|fact| fact.title == title).unwrap_or_else(|| panic!("{title}: {facts:?}"));
        assert!(!fact.value.is_empty() && fact.meaning.ends_with('.'), "{fact:?}");
    }
    assert_eq!(lifetimes::plots(learned).len(), 2);
    assert!(learned.influence.is_sorted_by(|one, next| one.1 >= next.1));
    assert!((learned.influence.iter().map(|it| it.1).sum::<f64>() - 1.0).abs() < 1e-6);
    assert!(lifetimes::turns(live).expect("turns").contains(" x opened for the class"));
    assert!(lifetimes::in_short(&session.app).starts_with("Boosted trees, C-index 0."));
    session.edits(nilas(false));
    let live = session.app.front.live.as_ref().expect("a run");
    assert!(live.learned.is_none() && live.layout.classes.is_empty() && lifetimes::turns(live).is_none());
    assert_eq!(lifetimes::in_short(&session.app), "off: no rule needs them");
    assert!(lifetimes::about(&session.app).contains("nothing is predicted"));
}

#[test]
fn machines_tell_their_state_now_and_before() {
    let mut session = Session::nilas();
    let live = session.app.front.live.clone().expect("a run");
    assert_eq!(
        live.layout.classes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["< 1 h", "1-10 h", "10-100 h", "100-1000 h", "over 1000 h"]
    );
    let bytes = session.engine.frame_bytes();
    assert_eq!(bytes.len(), live.frame_times.len() * 2 * 24, "two planes");
    let mut seen = [0; 3];
    for frame in (0..live.frame_times.len()).step_by(40) {
        let lives = &bytes[frame * 48 + 24..(frame + 1) * 48];
        session.does(Message::Cursor(Some(live.frame_times[frame])));
        for (machine, byte) in (0..).zip(lives) {
            session.does(Message::Machine(Some(machine)));
            let selection = &session.app.selection;
            let life = selection.life.as_ref().expect("lifetimes");
            let byte = LifeByte(*byte);
            let word = ["Empty: ", "Open for VMs of class ", "Recycling, class "][byte.phase() as usize];
            let state = life.state.to_string();
            assert!(state.starts_with(word), "{byte:?}: {state}");
            let class = live.layout.classes[usize::from(byte.class())].to_string();
            assert!(byte.phase() == HostPhase::Empty || state.contains(&class), "{class}: {state}");
            seen[byte.phase() as usize] += 1;
            let residual = selection.vms.iter().filter(|vm| vm.residual).count();
            assert_eq!(byte.phase() == HostPhase::Recycling, residual > 0, "{life:?}");
            let expected = |vm: &VmCard| vm.expected.as_ref().is_some_and(|it| it.to_string().contains("leave at "));
            assert!(selection.vms.iter().all(expected));
            if byte.phase() != HostPhase::Empty {
                assert!(
                    life.turns[0].to_string().contains(": ") && state.contains("; the machine's deadline is "),
                    "{life:?}"
                );
            }
        }
    }
    assert!(seen.iter().all(|count| *count > 1), "empty, open, recycling: {seen:?}");
}

#[test]
fn explanations_tell_what_was_predicted_and_the_cost_in_words() {
    let mut session = Session::nilas();
    session.edits(predictor("Oracle"));
    let (mut decided, mut asked) = (0, 0);
    for vm in (0..400).step_by(3) {
        session.does(Message::Vm(vm.to_string()));
        session.settle();
        let Some(last) = session.app.front.answer.attempts.last() else { continue };
        let life = last.life.as_ref().expect("a prediction").to_string();
        assert!(
            life.starts_with("From then on its predicted remaining lifetime was ")
                && life.contains(", which is class "),
            "{life}"
        );
        asked += 1;
        let Some(row) = last.scores.iter().find(|row| row.rule == "TemporalCost") else { continue };
        let warm = last.circumstances.to_string().contains("warm start");
        assert!(
            !warm
                && row
                    .verdicts
                    .iter()
                    .map(ToString::to_string)
                    .all(|it| (it.starts_with("would be busy ") || it.starts_with("would not be busy "))
                        && it.contains("(step ")),
            "{row:?}"
        );
        if last.decided_by.as_deref() == Some("TemporalCost") {
            assert!(
                last.sentence.to_string().contains("TemporalCost ranked it above machine ")
                    && last.sentence.to_string().contains(": it would ")
            );
            decided += 1;
        }
    }
    assert!(asked > 30 && decided > 3, "{asked} predicted, {decided} decided by their lives");
}

#[test]
fn a_trace_that_cannot_answer_says_so_and_runs() {
    let rows = |end: &dyn Fn(usize) -> String| -> String {
        let row = |vm: usize| format!("{vm},{},2,8,{},{}\n", vm % 3, 600 * vm, end(600 * vm));
        "vm,tenant,cores,memory_gb,start_s,end_s\n".to_owned() + &(0..60).map(row).collect::<String>()
    };
    let mut session = Session::nilas();
    for (trace, expected) in [
        (rows(&|_| "inf".into()), "does not contain the end of any evaluated VM"),
        (rows(&|start| (start + 900).to_string()), "No evaluated VM is known to live as long as the threshold"),
    ] {
        for id in ["BoostedTrees", "KaplanMeier", "MeanByType", "Constant", "NoisyOracle", "Oracle"] {
            session.edits(predictor(id));
            session.gives(&trace);
            assert_eq!(session.app.front.phase, Phase::Finished, "{id}");
            let learned = session.app.front.live.as_ref().expect("a run").learned.clone().expect("quality");
            assert!(learned.unanswered.iter().any(|it| it.contains(expected)), "{id}: {:?}", learned.unanswered);
            let said = lifetimes::facts(&learned);
            assert!(
                said.iter().all(|fact| !fact.value.contains("NaN") && !fact.meaning.contains("NaN")),
                "{id}: {said:?}"
            );
        }
    }
    // No training data, one VM, and all VMs.
    session.edits(predictor("BoostedTrees"));
    for share in [0.0, 0.1, 100.0] {
        session.edits(Edit::set("predictor.train_share", share));
        assert_eq!(session.app.front.phase, Phase::Finished, "{share} %");
        let learned = session.app.front.live.as_ref().expect("a run").learned.clone().expect("quality");
        let nobody = learned.unanswered.iter().any(|it| it.starts_with("No VM exits in the part"));
        assert_eq!(nobody, share < 50.0, "{share} %: {:?}", learned.unanswered);
        session.does(Message::Vm("30".into()));
        session.settle();
        let life = session.app.front.answer.attempts.last().and_then(|last| last.life.clone()).expect("a prediction");
        assert_eq!(life.to_string().contains("lifetime was 7 d, "), nobody, "{share} %: {life}");
    }
    let learned = session.app.front.live.as_ref().expect("a run").learned.clone().expect("quality");
    assert!(learned.unanswered[0].contains("train on less"), "{:?}", learned.unanswered);
    let before = session.app.document.clone();
    session.edits(Edit::set("predictor.train_share", 101));
    session.edits(predictor("CrystalBall"));
    assert_eq!(session.app.document, before, "what is not allowed changes nothing");
}

#[test]
fn affinity_groups_are_told_cluster_by_cluster_with_their_turns() {
    let mut document = (presets::find("dvla").expect("a preset").make)();
    for (path, value) in [("predictor", "Oracle"), ("affinity.observation_days", "5"), ("affinity.theta_confirm", "0")]
    {
        document.variants[0].set(path, value).expect("a setting");
    }
    let variant = document.variants[0].clone();
    let mut session = Session::open(document);
    session.settle();
    let groups = |session: &Session| {
        let live = session.app.front.live.as_ref().expect("a run");
        live.exhibits::<AffinityOfRun>().to_vec()
    };
    let [exhibit] = &groups(&session)[..] else { panic!("one exhibit") };
    let world = alone(&variant);
    let (days, last) = (world.affinity_days(), world.affinity_days().last().expect("days").day);
    assert_eq!((exhibit.rows.len(), exhibit.head.len()), (1, 1 + 6 + 4), "one cluster, six classes");
    let cells: Vec<_> = exhibit.rows[0].cells.iter().map(ToString::to_string).collect();
    let vector = last.vector.expect("it has VMs").map(|share| format!("{:.1}", 100.0 * share));
    let group: Vec<_> = last.group.classes().map(|class| class.to_string()).collect();
    let changes = days.iter().filter(|it| it.day.changed).count();
    let after = [format!("{:.2}", last.score), last.state.word().into(), group.join(", "), changes.to_string()];
    assert_eq!(cells[1..], [&vector[..], &after].concat());
    let turns: Vec<_> = exhibit.rows[0].more.iter().map(ToString::to_string).collect();
    assert_eq!(turns[0], "6 d 00:00: stable.", "after the warm-up");
    assert!(changes > 0 && turns.iter().filter(|turn| turn.contains("The group became ")).count() == changes);
    let changed = days.iter().find(|it| it.day.changed).expect("a change").at.0 / 86_400_000;
    assert!(turns.iter().any(|turn| turn.starts_with(&format!("{changed} d 00:00: cool-down."))), "{turns:?}");

    session.edits(Edit::set("affinity.dynamic_groups", false));
    let [exhibit] = &groups(&session)[..] else { panic!("one exhibit") };
    assert!(exhibit.rows.is_empty() && exhibit.said[0].to_string().starts_with("Groups do not change"));
    session.edits(Edit::use_rule("DebtAwareAffinity", false));
    assert!(groups(&session).is_empty(), "no rule reads them");
}
