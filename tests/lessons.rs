//! The built-in lessons: every one can be read, and its claims about its runs hold. A claim marked `always`, and a
//! question without `here`, hold for the seed shown and for the four after it.
//!
//! For authors of lessons, this prints the figures of the claims, seed by seed:
//! `LESSON=04 cargo test -p tiebreak-tests lessons:: -- --nocapture claims`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tiebreak_lesson::{Block, LESSONS, Lesson, Listed, Measure, Question, Run, Scope, Shown, Span, Step};
use tiebreak_model::Workload;
use tiebreak_placement::explain::KEPT;
use tiebreak_scenario::presets::PACKING_CUT_FINGERPRINT;
use tiebreak_scenario::{Document, TraceSettings, Variant, WorkloadRef};
use tiebreak_sim::{Probe, Probed, World};
use tiebreak_trace::TraceParser;

/// The number of seeds for `always`.
const SEEDS: u64 = 5;

/// The number of threads that run lessons.
const THREADS: usize = 2;

fn read(Listed { id, markdown, .. }: &Listed) -> Lesson {
    Lesson::read(markdown).unwrap_or_else(|issues| {
        let issues: Vec<_> = issues.iter().map(ToString::to_string).collect();
        panic!("lessons/{id}.md\n{}", issues.join("\n"))
    })
}

fn packing_cut() -> Workload {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/trace/fixtures/packing-cut.csv.gz");
    let mut parser = TraceParser::new("packing-cut.csv.gz");
    parser.push(&std::fs::read(path).expect("the trace of the page")).expect("a trace");
    parser.finish().expect("a trace").workload
}

/// Finished runs with one seed, by document: steps of a lesson share many.
struct Runs<'a> {
    cut: &'a Arc<Workload>,
    /// The offset from the seed shown.
    later: u64,
    worlds: BTreeMap<String, World>,
}

impl Runs<'_> {
    fn workload(&self, variant: &Variant) -> Arc<Workload> {
        match &variant.workload {
            WorkloadRef::Generated(_) => Arc::new(variant.generate().expect("a generated workload")),
            WorkloadRef::Trace { fingerprint, settings, name } => {
                assert_eq!(*fingerprint, PACKING_CUT_FINGERPRINT, "{name} does not come with the page");
                assert_eq!(*settings, TraceSettings::default(), "a part of it has another fingerprint");
                self.cut.clone()
            }
        }
    }

    fn world(&mut self, document: &Document) -> &World {
        let name = document.to_short_json(None);
        if !self.worlds.contains_key(&name) {
            let mut variant = document.active_variant().clone();
            variant.seed += self.later;
            let mut world = World::new(variant.plan(self.workload(&variant)).expect("a plan"));
            world.run();
            self.worlds.insert(name.clone(), world);
        }
        &self.worlds[&name]
    }

    /// Problems of the solution to a question's goal, if it has one.
    fn solution(&mut self, step: &Step, shown: Shown<'_>) -> Vec<String> {
        let Some(question @ Question::Drag { ask, goal, .. }) = &step.question else { return Vec::new() };
        let mut document = shown.scenario.document().clone();
        let active = document.active;
        let solved = question.solved(document.active_variant()).expect("changes that were read").expect("a goal");
        document.variants[active] = solved;
        let world = self.world(&document);
        let failures = goal.failures(|run, measure| measure.of(world).filter(|_| run == Run::Now));
        failures.into_iter().map(|failure| format!("{ask} The solution does not reach it: {failure}")).collect()
    }

    /// Problems of the decision about the machine that a question asks for, if any.
    fn decision(&mut self, step: &Step, shown: Shown<'_>) -> Vec<String> {
        let Some(Question::Machine { ask, vm }) = &step.question else { return Vec::new() };
        let plan = self.world(shown.scenario.document()).plan().clone();
        let id = plan.workload().find(*vm).expect("a VM of the workload");
        let mut world = World::new(plan);
        world.set_probe(Some(Probe { vm: Some(id), asked: None }));
        world.run();
        let best = |it: &Probed| it.explanation.dropped_at.iter().filter(|step| **step == KEPT).count();
        match world.probed() {
            [one] if best(one) == 1 => Vec::new(),
            [one] => vec![format!("{ask} {} machines are tied for best", best(one))],
            several => vec![format!("{ask} It was decided {} times", several.len())],
        }
    }

    /// The values of its runs that a step needs.
    fn values(&mut self, step: &Step, shown: Shown<'_>) -> Vec<(Run, Measure, Option<f64>)> {
        let of = |(run, measure): (Run, Measure)| {
            let scene = match run {
                Run::Now => shown.scenario,
                Run::Against => shown.against.expect("read with something to compare with"),
            };
            (run, measure, measure.of(self.world(scene.document())))
        };
        step.measures().into_iter().map(of).collect()
    }
}

/// The claims of a lesson that do not hold.
fn failures(id: &str, lesson: &Lesson, cut: &Arc<Workload>) -> Vec<String> {
    let mut failures = Vec::new();
    let mut answers: BTreeMap<usize, Option<usize>> = BTreeMap::new();
    for later in 0..SEEDS {
        let mut runs = Runs { cut, later, worlds: BTreeMap::new() };
        let reach = if later == 0 { Scope::Here } else { Scope::Always };
        for (at, step) in lesson.steps.iter().enumerate() {
            let shown = lesson.shown(at).expect("a step of the lesson");
            let values = runs.values(step, shown);
            let value = |run, measure| {
                values.iter().find(|(other, of, _)| (*other, *of) == (run, measure)).and_then(|(.., value)| *value)
            };
            let mut said = step.failures(reach, value);
            said.extend(runs.solution(step, shown));
            if reach == Scope::Here {
                said.extend(runs.decision(step, shown));
            }
            if let Some(question @ Question::Pick { scope, .. }) = &step.question {
                let right = question.right(value);
                let first = *answers.entry(at).or_insert(right);
                if *scope == Scope::Always && right != first {
                    said.push(format!("the right answer is {right:?}, and {first:?} with the seed shown"));
                }
            }
            let place = format!("{id}, {:?}, seed + {later}", step.title);
            if std::env::var("LESSON").is_ok_and(|asked| id.starts_with(&asked)) {
                let question = step.question.as_ref();
                let (right, truth) = (question.and_then(|it| it.right(value)), question.and_then(|it| it.truth(value)));
                println!("{place}: answer {right:?}, {truth:?}");
                values.iter().for_each(|(run, measure, value)| println!("    {measure}({}) = {value:?}", run.word()));
            }
            failures.extend(said.into_iter().map(|said| format!("{place}: {said}")));
        }
    }
    failures
}

#[test]
fn claims_hold_and_questions_have_one_answer() {
    let cut = Arc::new(packing_cut());
    let failures: Vec<String> = std::thread::scope(|scope| {
        let part = |thread: usize| {
            let cut = &cut;
            move || {
                LESSONS
                    .iter()
                    .skip(thread)
                    .step_by(THREADS)
                    .flat_map(|it| failures(it.id, &read(it), cut))
                    .collect::<Vec<_>>()
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(part(thread))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread of runs")).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_lesson_is_made_for_a_learner() {
    assert!(LESSONS.len() >= 10);
    for listed in LESSONS {
        let lesson = read(listed);
        let id = listed.id;
        assert!(lesson.minutes.is_some_and(|minutes| (5..=10).contains(&minutes)), "{id} takes 5 to 10 minutes");
        assert!(lesson.about.is_some() && !lesson.opening.is_empty(), "{id} says what it is about");
        assert!((3..=6).contains(&lesson.steps.len()), "{id} has 3 to 6 steps");
        for (at, step) in lesson.steps.iter().enumerate() {
            let place = format!("{id}, {:?}", step.title);
            assert!(step.question.is_some(), "{place} asks something");
            assert!(!step.before.is_empty() && !step.claims.is_empty(), "{place} says something that is checked");
            assert!(lesson.shown(at).is_some_and(|shown| shown.unlocks.is_some()), "{place} shows some controls");
            assert!(!is_of_one_seed(step) || words(step).contains("in this run"), "{place} says \"in this run\"");
        }
    }
}

/// Whether a step has a claim or a question that only its own seed must satisfy.
fn is_of_one_seed(step: &Step) -> bool {
    step.claims.iter().any(|claim| claim.scope == Scope::Here)
        || matches!(
            step.question,
            Some(Question::Pick { scope: Scope::Here, .. } | Question::Estimate { scope: Scope::Here, .. })
        )
}

/// The text and the question of a step, in lower case and without markup.
fn words(step: &Step) -> String {
    let word = |span: &Span| match span {
        Span::Text(text) | Span::Emphasis(text) | Span::Strong(text) | Span::Code(text) | Span::Link { text, .. } => {
            text.clone()
        }
    };
    let line = |spans: &[Span]| spans.iter().map(word).collect::<String>();
    let block = |block: &Block| match block {
        Block::Paragraph(spans) => line(spans),
        Block::List { items, .. } => items.iter().map(|item| line(item)).collect::<Vec<_>>().join(" "),
    };
    let ask = step.question.iter().map(|question| question.ask().to_owned());
    step.before.iter().chain(&step.after).map(block).chain(ask).collect::<Vec<_>>().join(" ").to_lowercase()
}

#[test]
fn the_document_lists_them_and_its_example_is_a_lesson() {
    let document = include_str!("../docs/LESSONS.md");
    for listed in LESSONS {
        let row = format!("[{}](../crates/lesson/lessons/{}.md)", read(listed).title, listed.id);
        assert!(document.contains(&row), "docs/LESSONS.md has no {row}");
    }
    let example = document.split("````markdown\n").nth(1).and_then(|behind| behind.split("````").next());
    let example = Lesson::read(example.expect("an example")).unwrap_or_else(|issues| panic!("{issues:?}"));
    let failures = failures("docs/LESSONS.md", &example, &Arc::new(packing_cut()));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_file_of_a_lesson_is_listed_once() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/lesson/lessons");
    let files = std::fs::read_dir(folder).expect("the folder of lessons").map(|file| file.expect("a file").file_name());
    let files: BTreeSet<_> = files.map(|name| name.into_string().expect("a plain name")).collect();
    let names = |listed: &Listed| {
        let id = listed.id;
        let others = listed.translations.iter().map(move |(language, _)| format!("{id}.{language}.md"));
        std::iter::once(format!("{id}.md")).chain(others).collect::<Vec<_>>()
    };
    let listed: Vec<_> = LESSONS.iter().flat_map(names).collect();
    assert_eq!((files, listed.len()), (listed.iter().cloned().collect(), listed.len()));
    assert!(LESSONS.is_sorted_by_key(|listed| listed.id), "in the order of their numbers");
}

/// A lesson without its text: scenarios, unlocks, questions and claims.
fn bones(lesson: &Lesson) -> Vec<Step> {
    let question = |question: &Question| {
        let mut question = question.clone();
        match &mut question {
            Question::Pick { ask, choices, .. } => {
                ask.clear();
                choices.iter_mut().for_each(|choice| choice.text.clear());
            }
            Question::Estimate { ask, scale, .. } => {
                ask.clear();
                scale.unit.clear();
            }
            Question::Curve { ask, .. } | Question::Machine { ask, .. } | Question::Drag { ask, .. } => ask.clear(),
        }
        question
    };
    let bare = |step: &Step| Step {
        title: String::new(),
        before: Vec::new(),
        after: Vec::new(),
        question: step.question.as_ref().map(question),
        ..step.clone()
    };
    lesson.steps.iter().map(bare).collect()
}

/// The numbers in a text, sorted, ignoring the language's separators.
fn numbers(text: &str) -> Vec<String> {
    let plain = text.replace([',', '.'], "");
    let mut numbers: Vec<_> = plain.split(|it: char| !it.is_ascii_digit()).filter(|it| !it.is_empty()).collect();
    numbers.sort_unstable();
    numbers.into_iter().map(str::to_owned).collect()
}

#[test]
fn translations_run_ask_and_claim_the_same() {
    for listed in LESSONS {
        assert!(listed.translations.iter().any(|(language, _)| *language == "de"), "{} is in German", listed.id);
        let original = read(listed);
        for (language, markdown) in listed.translations {
            let id = format!("{}.{language}", listed.id);
            let other = Lesson::read(markdown).unwrap_or_else(|issues| panic!("{id}: {issues:?}"));
            assert_eq!(other.language.as_deref(), Some(*language), "{id} names its language");
            assert_eq!(other.minutes, original.minutes, "{id}");
            assert_eq!(bones(&other), bones(&original), "{id}");
            for (step, first) in other.steps.iter().zip(&original.steps) {
                let lengths = |step: &Step| (step.before.len(), step.after.len());
                assert_eq!(lengths(step), lengths(first), "{id}, {:?}: as many paragraphs", step.title);
                assert_ne!(step.title, first.title, "{id} is translated");
                let (told, place) = (words(step), format!("{id}, {:?}", step.title));
                assert_eq!(numbers(&told), numbers(&words(first)), "{place}: the same numbers");
                let is_german_of_one_seed = *language == "de" && is_of_one_seed(step);
                assert!(!is_german_of_one_seed || told.contains("in diesem lauf"), "{place} says \"in diesem Lauf\"");
            }
        }
    }
}

#[test]
fn a_third_of_the_questions_is_answered_by_more_than_a_click() {
    let questions: Vec<_> = LESSONS.iter().flat_map(|it| read(it).steps).filter_map(|step| step.question).collect();
    let picks = questions.iter().filter(|question| matches!(question, Question::Pick { .. })).count();
    assert!(3 * (questions.len() - picks) >= questions.len(), "{picks} of {} are picked", questions.len());
}
