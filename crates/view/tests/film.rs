//! The film as pictures: the strip of stills, and the animation made from them.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};
use tiebreak_engine::protocol::{Collision, Explained, FunnelStep, Rival};
use tiebreak_model::Phrase;
use tiebreak_placement::explain::KEPT;
use tiebreak_view::film::{Film, caption};
use tiebreak_view::{animation, strip};

/// The fullness of its machines.
const FULLNESS: [u8; 25] = [40; 25];

/// Twenty-five machines: two validators drop ten and five of them, and a preference seven; three are tied for best.
fn decision() -> Explained {
    let step = |rule: &str, before, after, validates| FunnelStep {
        rule: rule.into(),
        of: "machines".into(),
        before,
        after,
        validates,
    };
    let dropped_at = [[0; 10].as_slice(), &[1; 5], &[2; 7], &[KEPT; 3]].concat();
    Explained {
        sentence: Phrase::default(),
        vm: Phrase::default(),
        circumstances: Phrase::default(),
        is_reallocation: false,
        life: None,
        funnel: vec![
            step("AreNodeResourcesValid", 25, 15, true),
            step("Quota <of & mine>", 15, 10, true),
            step("BestFit", 10, 3, false),
        ],
        dropped_at,
        at_ms: 0.0,
        collision: None,
        winner: Some(23),
        runner_up: None,
        decided_by: None,
        scores: Vec::new(),
        asked: None,
        refusal: None,
        company: None,
    }
}

/// The same decision with every possible end of a film.
fn ends() -> [(&'static str, Explained); 4] {
    let collision = |rivals: &[(&str, u32)]| Collision {
        agent: 1,
        machine: 23,
        rivals: rivals.iter().map(|(vm, agent)| Rival { vm: (*vm).into(), agent: *agent }).collect(),
        sentence: Phrase::text("Agent 2 placed VM 8 on machine 23 first."),
    };
    let refused = Explained { winner: None, dropped_at: vec![0; 25], ..decision() };
    [
        ("placed", decision()),
        ("refused", refused),
        ("turned away", Explained { collision: Some(collision(&[("8", 2)])), ..decision() }),
        ("turned away by nobody known", Explained { collision: Some(collision(&[])), ..decision() }),
    ]
}

/// The text below the machines, line by line.
fn words<'a>(of: Node<'a, 'a>) -> Vec<&'a str> {
    of.descendants().filter(|node| node.has_tag_name("text")).filter_map(|node| node.text()).collect()
}

/// The state at the end, without motion, by class.
fn at_rest(style: &str) -> BTreeMap<&str, &str> {
    let rules = style
        .split("infinite}")
        .filter_map(|rule| rule.rsplit_once("}.").map(|(_, rule)| rule).or(rule.strip_prefix('.')));
    rules
        .filter_map(|rule| rule.split_once('{'))
        .map(|(name, values)| (name, values.split(';').next().unwrap_or("")))
        .collect()
}

#[test]
fn the_animation_says_what_the_stills_say_and_ends_as_they_end() {
    for (end, decision) in ends() {
        let (still, moving) = (strip::svg(&decision, "7", &FULLNESS), animation::svg(&decision, "7", &FULLNESS));
        let (still, moving) = (Document::parse(&still).expect(end), Document::parse(&moving).expect(end));
        let mut all = words(moving.root_element()).into_iter();
        for line in words(still.root_element()) {
            assert!(all.any(|other| other == line), "{end}: \"{line}\" is not in the animation, in this order");
        }
        let style =
            moving.descendants().find(|node| node.has_tag_name("style")).and_then(|node| node.text()).expect(end);
        let at_rest = at_rest(style);
        let opacity = |node: Node<'_, '_>| match node.attribute("class").map(|class| at_rest.get(class).copied()) {
            Some(value) => value.expect("a class").strip_prefix("opacity:").expect("its opacity").to_owned(),
            None => node.attribute("opacity").unwrap_or("1").to_owned(),
        };
        // Machines have their colour, position and opacity; the last still is the last group.
        let machines = |of: Node<'_, '_>| -> Vec<(String, String, String, String)> {
            let is_machine = |node: &Node<'_, '_>| node.has_tag_name("rect") && node.attribute("width") == Some("12");
            let plain = of
                .descendants()
                .filter(is_machine)
                .filter(|node| node.attribute("fill").is_some_and(|it| it.starts_with("#7")));
            let of = |node: Node<'_, '_>, name| node.attribute(name).unwrap_or_default().to_owned();
            plain.map(|node| (of(node, "x"), of(node, "y"), of(node, "fill"), opacity(node))).collect()
        };
        let last = still.descendants().rfind(|node| node.has_tag_name("g")).expect("a still");
        assert_eq!(machines(last).len(), 25, "{end}");
        assert_eq!(machines(last), machines(moving.root_element()), "{end}");
        // Of all captions only the last stays.
        let captions = at_rest.iter().filter(|(class, _)| class.starts_with('t'));
        let stay: Vec<_> = captions.filter(|(_, value)| **value == "opacity:1").map(|(class, _)| *class).collect();
        let film = Film::of(&decision);
        assert_eq!(stay, [format!("t{}", film.spans().count() - 1)], "{end}");
    }
}

#[test]
fn it_has_every_shot_a_pause_at_the_end_and_no_script() {
    for (end, decision) in ends() {
        let film = Film::of(&decision);
        let svg = animation::svg(&decision, "7", &FULLNESS);
        let document = Document::parse(&svg).expect(end);
        let told = words(document.root_element()).join(" ");
        for span in film.spans() {
            let caption = caption(&film, &decision, "7", span.shot);
            assert!(told.contains(&caption), "{end}: {caption} is not in {told}");
        }
        assert!(!svg.contains("<script") && !svg.contains("href"), "{end}");
        let style =
            document.descendants().find(|node| node.has_tag_name("style")).and_then(|node| node.text()).expect(end);
        assert!(style.contains("@media (prefers-reduced-motion:reduce){*{animation:none!important}}"), "{style}");
        let seconds = format!(" {:.2}s ", (film.length_ms() + 2_500.0) / 1_000.0);
        assert_eq!(
            style.matches("animation:").count() - 1,
            style.matches(&seconds).count(),
            "{end}: all have one length"
        );
        // Keyframes are in order.
        for frames in style.split("@keyframes ").skip(1) {
            let of = frames.split('%').filter_map(|before| before.rsplit(['{', '}']).next()?.parse::<f64>().ok());
            assert!(of.clone().count() >= 2 && of.is_sorted(), "{end}: {frames}");
        }
    }
}

#[test]
fn a_rival_is_drawn_only_where_it_is_known() {
    let drawn =
        ends().map(|(end, decision)| (end, animation::svg(&decision, "7", &FULLNESS).contains("class=\"rival\"")));
    let expected =
        [("placed", false), ("refused", false), ("turned away", true), ("turned away by nobody known", false)];
    assert_eq!(drawn, expected);
}
