//! The meaning of lessons, step by step, and round trips through their forms.

use tiebreak_lesson::{LESSONS, Lesson, Step, Unlocks};
use tiebreak_scenario::{Document, PRESETS, encode};

#[test]
fn a_scenario_goes_on_from_the_one_before() {
    let link = encode(&(PRESETS[0].make)(), None);
    let json = (PRESETS[1].make)().to_json();
    let markdown = format!(
        "# T\n\n## One\n\n```scenario\npreset: small\nset: seed = 7\n```\n\n```against\nset: agents.count = 1\n```\n\n\
         ## Two\n\n```unlock\nrules: all\n```\n\n## Three\n\n```scenario\nset: agents.count = 8\nevent: DemandSpike at 6 h\n\
         set: incidents.0.requests = 9\n```\n\n## Four\n\n```scenario\n#{link}\nset: seed = 9\n```\n\n\
         ## Five\n\n```scenario\n\n{json}\nset: seed = 9\n```\n"
    );
    let lesson = Lesson::read(&markdown).unwrap_or_else(|issues| panic!("{issues:?}"));
    let variant = |step: usize| lesson.shown(step).expect("a step").scenario.document().active_variant().clone();
    assert_eq!((variant(0).seed, variant(1), variant(2).seed), (7, variant(0), 7));
    assert_eq!((variant(2).agents.count, variant(2).incidents[0].values[0]), (8, 9.0));
    let against = |step: usize| lesson.shown(step).expect("a step").against;
    let of_one = against(0).expect("something to compare with").document().active_variant();
    assert_eq!((of_one.seed, of_one.agents.count, against(1), against(2)), (7, 1, against(0), None));
    for (step, preset) in [(3, 0), (4, 1)] {
        let mut expected = (PRESETS[preset].make)();
        expected.variants[0].seed = 9;
        assert_eq!(lesson.steps[step].scenario.as_ref().expect("its own").document(), &expected);
    }
    let unlocks = |step: usize| lesson.shown(step).expect("a step").unlocks.map(|it| it.rules.len());
    assert_eq!((unlocks(0), unlocks(4)), (None, Some(Unlocks::all().rules.len())));
    assert_eq!(lesson.shown(5), None);
    assert_eq!(Lesson::read(&lesson.to_markdown()).as_ref(), Ok(&lesson), "{}", lesson.to_markdown());
}

#[test]
fn a_scenario_has_rules_of_ones_own() {
    let one = r#"{"rule":"Mine","custom":{"kind":"validator","of":"machine","expression":"machine.vms < 9"}}"#;
    let markdown = format!(
        "# T\n\n## One\n\n```scenario\npreset: small\nrule: LeastAllocated\nrule: {one}\n\
         set: rules.LeastAllocated.position = 0\nset: rules.Mine.expression = machine.vms < 3\n```\n\n\
         ```unlock\nrules: LeastAllocated\ncontrols: editor\n```\n"
    );
    let lesson = Lesson::read(&markdown).unwrap_or_else(|issues| panic!("{issues:?}"));
    let shown = lesson.shown(0).expect("a step");
    let custom = shown.scenario.document().active_variant().rules.iter().filter_map(|row| row.custom.as_ref());
    let expressions: Vec<_> = custom.map(|rule| rule.definition().expression.as_str()).collect();
    assert_eq!((expressions.len(), expressions[0]), (2, "machine.vms < 3"), "a validator stands above a preference");
    assert_eq!(shown.unlocks.map(|it| it.rules.as_slice()), Some(&["LeastAllocated".to_owned()][..]));
    assert_eq!(Lesson::read(&lesson.to_markdown()).as_ref(), Ok(&lesson), "{}", lesson.to_markdown());
}

#[test]
fn what_a_teacher_freezes_is_a_step() {
    let document: Document = (PRESETS[3].make)();
    let step = Step::frozen("Look *here*", "Press **Run**.\n\n- one\n- two", document.clone(), Unlocks::all());
    let step = step.unwrap_or_else(|issues| panic!("{issues:?}"));
    assert_eq!(step.scenario.as_ref().expect("frozen").document(), &document);
    let lesson = Lesson {
        title: "1. Mine".into(),
        minutes: None,
        about: None,
        language: None,
        opening: Vec::new(),
        steps: vec![step],
    };
    let written = lesson.to_markdown();
    assert!(written.contains("rules: all\ncontrols: all\ncharts: all\n"), "{written}");
    assert_eq!(Lesson::read(&written), Ok(lesson), "{written}");
    for (title, text, expected) in [
        ("", "", "line 1: expected a title of 1 to 120 characters"),
        ("T", "a\n\n## b", "line 3: expected paragraphs and lists, got the heading \"b\""),
        ("T", "```claim\n```", "line 1: expected paragraphs and lists, got a fenced block claim"),
        ("T", "<i>", "got HTML"),
    ] {
        let issues = Step::frozen(title, text, document.clone(), Unlocks::default()).expect_err(text);
        assert!(issues[0].to_string().contains(expected), "{}", issues[0]);
    }
}

#[test]
fn of_a_preset_the_variant_in_front_is_shown() {
    let preset = PRESETS.iter().find(|preset| (preset.make)().variants.len() > 1).expect("one with several variants");
    let text = format!("# T\n\n## S\n\n```scenario\npreset: {}\nset: seed = 9\n```\n", preset.id);
    let lesson = Lesson::read(&text).unwrap_or_else(|issues| panic!("{issues:?}"));
    let shown = lesson.shown(0).expect("a step").scenario.document();
    let front = (preset.make)().active_variant().clone();
    assert_eq!((shown.active, shown.variants.len(), shown.active_variant().seed), (0, 1, 9));
    assert_eq!(shown.active_variant().rules, front.rules);
}

#[test]
fn lessons_pass_through_text_and_through_messages() {
    for listed in LESSONS {
        let lesson = Lesson::read(listed.markdown).unwrap_or_else(|issues| panic!("{}: {issues:?}", listed.id));
        assert_eq!(Lesson::read(&lesson.to_markdown()).as_ref(), Ok(&lesson), "{}", listed.id);
        let message = serde_json::to_string(&lesson).expect("plain data");
        assert_eq!(serde_json::from_str::<Lesson>(&message).expect("its own message"), lesson, "{}", listed.id);
    }
}
