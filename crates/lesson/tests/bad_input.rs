//! Invalid lessons, and the issues reported for each.

use tiebreak_lesson::Lesson;

const HEAD: &str = "# Ties\n\n## One\n\nText.\n\n";
const SCENE: &str = "```scenario\npreset: small\n```\n\n";

/// All issues of a text.
fn told(markdown: &str) -> String {
    let issues = Lesson::read(markdown).expect_err(markdown);
    issues.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The text must have exactly these issues.
fn check(markdown: &str, expected: &[&str]) {
    let told = told(markdown);
    let lines: Vec<_> = told.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{markdown}\n{told}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.contains(expected), "{markdown}\n{told}\nexpected: {expected}");
    }
}

/// A step with a scenario, followed by this; its first line is line 11.
fn step(rest: &str) -> String {
    format!("{HEAD}{SCENE}{rest}")
}

#[test]
fn a_lesson_has_a_title_and_steps() {
    check(
        "",
        &["line 1: expected the lesson's title, got something else; start the file with a line like # Ties and order"],
    );
    check("Ties\n", &["line 1: expected the lesson's title"]);
    check("# Ties\n", &["line 1: expected at least one step, got none; start one with a line like ## What happens"]);
    check("# Ties\n\n## One\n", &["line 3: expected a block scenario in the first step"]);
    check(
        &format!("{HEAD}{SCENE}# Again\n"),
        &["line 11: expected one title, at the top, got \"Again\"; steps start with ##"],
    );
    check(&step("### Small\n"), &["line 11: expected # for the lesson's title or ## for a step's, got h3; "]);
    check(&step("##\n"), &["line 11: expected words after #, got nothing"]);
    check(&format!("# *T*\n\n## One\n\n{SCENE}"), &["line 1: expected plain words in a heading, got \"T\""]);
    let long = format!("# {}\n\n## One\n\n{SCENE}", "x".repeat(121));
    check(&long, &["line 1: expected a title of 1 to 120 characters"]);
    let many: String = (0..41).map(|_| "## Step\n\nText.\n\n").collect();
    check(&format!("# T\n\n## One\n\n{SCENE}{many}"), &["expected at most 40 steps, got more after this one"]);
}

#[test]
fn text_is_paragraphs_and_lists_and_never_html() {
    for (rest, expected) in [
        (
            "<b>x</b>\n",
            "line 11: expected plain words, *emphasis*, **strong**, `code` and links in a paragraph, got HTML",
        ),
        ("<script>alert(1)</script>\n", "line 11: expected a heading, a paragraph, a list or a fenced block, got HTML"),
        ("a\n<!-- b -->\n", "line 12: expected a heading, a paragraph, a list or a fenced block, got HTML"),
        ("> quoted\n", "got a quotation; write a paragraph"),
        ("    code\n", "got text indented by four spaces; start at the left edge"),
        ("---\n", "got a line across the page"),
        ("![x](https://example.org/x.png)\n", "got an image; remove it; a lesson shows the run instead"),
        ("[x](http://example.org)\n", "expected a link to https://…, got \"http://example.org\""),
        ("[x](javascript:alert(1))\n", "expected a link to https://…, got \"javascript:alert(1)\""),
        ("[x](https://example.org \"t\")\n", "expected a link without a title"),
        ("[](https://example.org)\n", "expected text inside emphasis, strong words and links, got none"),
        ("**a *b* c**\n", "expected plain text inside emphasis, strong words and links, got emphasis inside emphasis"),
        ("*a `b`*\n", "got code inside emphasis or a link; end the emphasis before the code"),
        ("*[a](https://example.org)*\n", "got a link inside emphasis"),
        (
            "- a\n  - b\n",
            "line 12: expected plain words, *emphasis*, **strong**, `code` and links in an item of a list, got a list inside a list",
        ),
        ("- a\n\n  b\n", "line 13: expected one paragraph in an item, got another"),
        ("- a\n-\n", "line 12: expected words, got an empty item"),
        ("3. a\n4. b\n", "expected a list that begins with 1, got 3"),
        ("- a\n\n  ```claim\n  ```\n", "got a fenced block; start it at the left edge, outside of lists"),
        ("a \u{1b}[0m\n", "line 11: expected text, got the control character '\\u{1b}'"),
    ] {
        let told = told(&step(rest));
        assert!(told.contains(expected) && told.starts_with("line 1"), "{rest}\n{told}");
    }
}

#[test]
fn blocks_have_names_and_lines() {
    check(
        &step("```\nx\n```\n"),
        &["line 11: expected a block scenario, against, unlock, predict or claim, got one without a name"],
    );
    check(
        &step("```rust\nx\n```\n"),
        &["line 11: expected a block scenario, against, unlock, predict or claim, got \"rust\""],
    );
    check(&step("```lesson\nminutes: 8\n```\n"), &["line 11: expected a block scenario"]);
    check(&step("```claim\nalways\n```\n"), &["line 12: expected a line `key: value`, got \"always\""]);
    check(&step("```claim\n\nalways:\n```\n"), &["line 13: expected a value after \"always\":, got nothing"]);
    check(&step("```unlock\n```\n\n```unlock\n```\n"), &["line 14: expected one block unlock in a step, got another"]);
    let head = |block: &str| format!("# T\n\n```{block}\n```\n\n## One\n\n{SCENE}");
    check(&head("lesson\nminutes: long"), &["line 4: expected a whole number of minutes from 1 to 90, got \"long\""]);
    check(&head("lesson\nhours: 1"), &["line 4: expected minutes, about or language, got \"hours\""]);
    check(&head("lesson\nlanguage: German language"), &["line 4: expected a language as HTML names it"]);
    check(&head("claim\nalways: conflicts = 0"), &["line 3: expected the block lesson before the first step"]);
    check(
        &step(&format!("```claim\nalways: {}\n```\n", "x".repeat(1_001))),
        &["line 12: expected at most 1000 characters, got more"],
    );
    check(
        &step(&format!("```claim\n{}```\n", "here: conflicts = 0\n".repeat(201))),
        &["line 212: expected at most 200 lines in a block"],
    );
}

#[test]
fn scenarios_are_those_of_the_program() {
    let scene = |lines: &str| format!("{HEAD}```scenario\n{lines}\n```\n");
    for (lines, expected) in [
        ("preset: smal", "line 8: expected default, packing-400, zone-10k, small"),
        ("set: seed = 7", "line 7: expected a preset, a link or a document in the first scenario, got none"),
        ("preset: small\nset: agents.cont = 8", "line 9: expected count, decision_ms"),
        (
            "preset: small\nset: agents.count = 0",
            "line 9: expected a whole number from 1 to 64, got \"0\"; the paths are those of `tiebreak run --set`",
        ),
        ("preset: small\nset: seed 7", "line 9: expected PATH = VALUE, got \"seed 7\""),
        ("preset: small\nset: seed = 7\npreset: default", "line 10: expected preset: once and first"),
        ("preset: small\nseed: 7", "line 9: expected preset, set, event or rule"),
        (
            "preset: small\nevent: FailMachines",
            "line 9: expected an event and an hour from 0 to 10000, got \"FailMachines\"",
        ),
        ("preset: small\nevent: Meteor at 3 h", "line 9: expected FailMachines, MaintainMachines"),
        ("preset: small\nevent: FailMachines at -3 h", "line 9: expected an event and an hour"),
        ("preset: small\nrule: Fit", "line 9: expected the name of a rule of the gallery, or a custom rule as JSON"),
        ("preset: small\nrule: BestFit", "line 9: expected a name that no built-in rule has"),
        ("preset: small\nrule: {\"rule\":\"BestFit\"}", "line 9: expected the name of a rule of the gallery"),
        (
            "preset: small\nrule: {\"rule\":\"X\",\"custom\":{\"kind\":\"validator\",\"of\":\"machine\",\"expression\":\"(\"}}",
            "line 9: expected",
        ),
        ("#2.d.AAAA", "line 8: expected a scenario's link, got an invalid link"),
        (
            "{\"version\":2,\n\"variants\":[{\"seed\":-1}]}",
            "line 8: expected a whole number from 0 to 9007199254740991 in variants[0].seed, got -1",
        ),
        ("{\"version\":2,", "line 8: expected a whole scenario"),
        ("{\"version\":2,\n\"variants\":[{}]}\nset: seeds = 2", "line 10: expected name, seed"),
    ] {
        let told = told(&scene(lines));
        assert!(told.starts_with(expected), "{lines}\n{told}");
    }
    check(
        &format!("{HEAD}```against\nset: seed = 2\n```\n\n{SCENE}"),
        &["line 7: expected a preset, a link or a document in the first scenario"],
    );
}

#[test]
fn a_step_asks_and_shows_what_there_is() {
    for (rest, expected) in [
        ("```unlock\nrules: BestFitt\n```\n", "line 12: expected IsTypeSupported, "),
        ("```unlock\ncharts: Beauty\n```\n", "line 12: expected EmptyHosts, PackingDensity"),
        ("```unlock\ncontrols: map, levers\n```\n", "line 12: expected map, timeline, events, explain"),
        ("```unlock\nbuttons: all\n```\n", "line 12: expected rules, controls or charts, got \"buttons\""),
        (
            "```predict\nask: What?\n```\nWhy.\n",
            "line 11: expected a line pick:, curve:, estimate:, machine: or drag:, got none of them",
        ),
        ("```predict\ncurve: Beauty\nask: Draw\n```\nWhy.\n", "line 12: expected EmptyHosts, "),
        ("```predict\ncurve: EmptyHosts\n```\nWhy.\n", "line 12: expected a line ask: that says what to draw"),
        (
            "```predict\ncurve: EmptyHosts\nask: Draw\n```\nWhy.\n",
            "line 11: expected a chart of EmptyHosts to draw on, got none",
        ),
        (
            "```predict\npick: What?\noption: a\nif: conflicts = 0\n```\nWhy.\n",
            "line 12: expected 2 to 6 lines option:, got 1",
        ),
        (
            "```predict\npick: What?\nif: conflicts = 0\noption: a\noption: b\n```\nWhy.\n",
            "line 13: expected one if: below each option:",
        ),
        (
            "```predict\npick: What?\noption: a\noption: b\n```\nWhy.\n",
            "line 12: expected a line if: below every option but one",
        ),
        (
            "```predict\npick: What?\noption: a\nif: conflicts(against) = 0\noption: b\n```\nWhy.\n",
            "line 11: expected a block against, since (against) is named",
        ),
        (
            "```predict\nestimate: How many?\nof: conflicts\nfrom: 0\n```\nWhy.\n",
            "line 12: expected a line to: below estimate:, got none; docs/LESSONS.md has examples (step 1, \"One\", block predict)",
        ),
        (
            "```predict\nestimate: How many?\nof: conflict\nfrom: 0\nto: 9\n```\nWhy.\n",
            "line 13: expected placements, rejections",
        ),
        (
            "```predict\nestimate: How many?\nof: conflicts\nfrom: 9\nto: 9\n```\nWhy.\n",
            "line 15: expected a number above 9, got 9",
        ),
        (
            "```predict\nestimate: How many?\nof: conflicts\nfrom: few\nto: 9\n```\nWhy.\n",
            "line 14: expected a number like 0 or 12.5, got \"few\"",
        ),
        (
            "```predict\nestimate: How many?\nof: conflicts(against)\nfrom: 0\nto: 9\n```\nWhy.\n",
            "line 11: expected a block against, since (against) is named",
        ),
        ("```predict\nmachine: Where?\n```\nWhy.\n", "line 12: expected a line vm: below machine:, got none"),
        (
            "```predict\nmachine: Where?\nvm: twelve\n```\nWhy.\n",
            "line 13: expected the number of a VM in the trace, got \"twelve\"",
        ),
        (
            "```predict\nmachine: Where?\nvm: 1\nvm: 2\n```\nWhy.\n",
            "line 14: expected one line vm:, got another; leave one of them out",
        ),
        (
            "```predict\ndrag: Do it.\ngoal: conflicts = 0\n```\nWhy.\n",
            "line 12: expected a line set: below drag:, got none; changes that reach the goal",
        ),
        (
            "```predict\ndrag: Do it.\nset: seed = 7\n```\nWhy.\n",
            "line 12: expected a line goal: below drag:, got none",
        ),
        (
            "```predict\ndrag: Do it.\ngoal: conflicts = 0\nset: seed 7\n```\nWhy.\n",
            "line 14: expected PATH = VALUE, got \"seed 7\"",
        ),
        ("```predict\ndrag: Do it.\ngoal: conflicts = 0\nset: sead = 7\n```\nWhy.\n", "line 11: expected name, seed"),
        ("```predict\nmachine: Where?\nvm: 1\nif: conflicts = 0\n```\nWhy.\n", "line 14: expected vm, got \"if\""),
        (
            "```predict\npick: What?\noption: a\nif: conflicts = 0\noption: b\n```\n",
            "line 11: expected a paragraph below the question that explains the answer, got none",
        ),
        (
            "```claim\nnever: conflicts > 0\n```\n",
            "line 12: expected always or here, got \"never\"; `always` is checked for other seeds too",
        ),
        ("```claim\nalways: conflict > 0\n```\n", "line 12: expected placements, rejections"),
        ("```claim\nhere: conflicts > conflicts(against)\n```\n", "line 12: expected a block against"),
    ] {
        let told = told(&step(rest));
        assert!(told.starts_with(expected), "{rest}\n{told}");
    }
}
