use super::*;

/// Nonsense that shows what was done to a text.
const OTHER: &str = r#"{
  "1,234.5": "1.234,5",
  "Run": "LOS",
  "Empty": "",
  "{done} of {all} runs": "{all}: {done} fertig",
  "{} of {}": "von {1} {0}",
  "{} empty": "{} und {} leer",
  "{n} more": "weitere",
  "Machine {winner} was chosen; {rule} put it before machine {second}{said}.": "{rule}: {winner} vor {second}{said}!",
  ": it {}, machine {second} {}": ": {0}, {second} {1}",
  "lacks {}": "fehlt {}",
  "{} and {last}": "{} und {last}",
  "cores": "Kerne",
  "It {} at {at}{}.": "{at} {0}{1}.",
  "lost machine {from}": "verlor {from}",
  ", because it failed": ", Ausfall",
  "cache hit": "Treffer",
  "agent {agent}": "Agent {agent}"
}"#;

/// Each test has its own thread, and so its own language.
fn speak_other() {
    assert!(load("xx", OTHER));
}

#[test]
fn without_a_catalogue_all_is_english() {
    assert_eq!((tr("Run"), language()), ("Run", "en"));
    assert_eq!(say("{done} of {all} runs", &[&1, &2]), "1 of 2 runs");
    assert_eq!(heard("1,234.5 cores"), "1,234.5 cores");
    assert_eq!(number("1,234.5".into()), "1,234.5");
}

#[test]
fn what_is_missing_or_empty_stays_english() {
    speak_other();
    assert_eq!((tr("Run"), tr("Empty"), tr("Walk")), ("LOS", "Empty", "Walk"));
    assert_eq!(say("{a} walks", &[&"A"]), "A walks");
}

#[test]
fn values_go_where_the_language_wants_them() {
    speak_other();
    assert_eq!(say("{done} of {all} runs", &[&3, &8]), "8: 3 fertig");
    assert_eq!(say("{} of {}", &[&"a", &"b"]), "von b a");
}

#[test]
fn entries_with_other_places_are_left_out() {
    speak_other();
    assert_eq!(say("{} empty", &[&1]), "1 empty");
    assert_eq!(say("{n} more", &[&1]), "1 more");
    for (english, other, agree) in [
        ("{a} and {b}", "{b}, {a}", true),
        ("{a:.1} %", "{a} %", true),
        ("{} of {}", "{1} {0}", true),
        ("{} of {}", "{} {}", true),
        ("{a} is {a}", "{a}", true),
        ("{a}", "{b}", false),
        ("{a}", "a", false),
        ("none", "{a}", false),
        ("{}", "{} {}", false),
        ("{a}", "{a", false),
    ] {
        assert_eq!(places_agree(english, other), agree, "{english} / {other}");
    }
}

#[test]
fn sentences_of_the_engine_are_understood_with_what_is_in_them() {
    speak_other();
    for (english, expected) in [
        ("Run", "LOS"),
        ("2 cores", "2 Kerne"),
        ("1,024 cores and 0.5 cores", "1.024 Kerne und 0,5 Kerne"),
        ("It lost machine 12 at 3 d 04:30, because it failed.", "3 d 04:30 verlor 12, Ausfall."),
        ("It lost machine 12 at 3 d 04:30.", "3 d 04:30 verlor 12."),
        ("Machine 3 was chosen; BestFit put it before machine 44.", "BestFit: 3 vor 44!"),
        (
            "Machine 3 was chosen; BestFit put it before machine 44: it lacks 1 cores, machine 44 lacks 2.5 cores.",
            "BestFit: 3 vor 44: fehlt 1 Kerne, 44 fehlt 2,5 Kerne!",
        ),
        ("04:30:15, agent 3, cache hit", "04:30:15, Agent 3, Treffer"),
        ("nothing that is known", "nothing that is known"),
        ("v1.5", "v1.5"),
        ("12.5 % (3)", "12,5 % (3)"),
        ("", ""),
    ] {
        assert_eq!(heard(english), expected, "{english}");
    }
}

#[test]
fn english_can_be_had_for_a_while_and_again() {
    speak_other();
    assert_eq!(in_english(|| (tr("Run").to_owned(), number("1.5".into()))), ("Run".into(), "1.5".into()));
    assert_eq!((tr("Run"), number("1.5".into())), ("LOS", "1,5".into()));
    assert!(speak(ENGLISH));
    assert_eq!((tr("Run"), language()), ("Run", "en"));
    assert!(!speak("yy"), "it was never loaded");
    assert!(speak("xx"));
    assert_eq!((tr("Run"), language()), ("LOS", "xx"));
}

#[test]
fn a_hostile_catalogue_does_nothing() {
    for json in ["", "[]", "null", "{\"Run\": 1}", "{\"Run\": \"LOS\"", "{\"Run\": {\"Run\": \"LOS\"}}"] {
        assert!(!load("xx", json), "{json}");
        assert_eq!(tr("Run"), "Run");
    }
    let odd =
        r#"{"{": "}", "{a": "{a}", "}{": "}{", "1,234.5": "1", "{a} x": "{a} <b>{a}{a}</b> x", "Run": "<script>"}"#;
    assert!(load("xx", odd));
    assert_eq!((tr("{"), tr("{a"), number("1,234.5".into())), ("}", "{a", "1,234.5".into()));
    assert_eq!(say("{a} x", &[&"{a}"]), "{a} <b>{a}{a}</b> x");
    let deep = "x ".repeat(2_000) + "x";
    assert!(heard(&deep).matches('x').count() > 2_000, "it ends");
    assert_eq!(heard("b x"), "b <b>bb</b> x");
}
