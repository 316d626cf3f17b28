use tiebreak_model::phrase;

use super::*;

/// Nonsense that makes changes to a text visible.
const OTHER: &str = r#"{
  "1,234.5": "1.234,5",
  "Run": "LOS",
  "Empty": "",
  "{done} of {all} runs": "{all}: {done} fertig",
  "{} of {}": "von {1} {0}",
  "{} empty": "{} und {} leer",
  "{n} more": "weitere",
  "Machine {winner} was chosen; {rule} ranked it above machine {second}{said}.": "{rule}: {winner} vor {second}{said}!",
  ": it {}, machine {second} {}": ": {0}, {second} {1}",
  "lacks {}": "fehlt {}",
  "cores": "Kerne",
  "It {} at {at}{}.": "{at} {0}{1}.",
  "lost machine {from}": "verlor {from}"
}"#;

/// Each test has its own thread, and so its own language.
fn speak_other() {
    assert!(load("xx", OTHER));
}

#[test]
fn without_a_catalogue_all_is_english() {
    assert_eq!((tr("Run"), language()), ("Run", "en"));
    assert_eq!(say("{done} of {all} runs", &[&1, &2]), "1 of 2 runs");
    assert_eq!(tell(&phrase!("{n} cores", 1_234.5)), "1234.5 cores");
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
fn phrases_are_told_with_what_is_in_them() {
    speak_other();
    let lacks = |cores: f64| phrase!("lacks {}", phrase!("{} {}", cores, Phrase::text("cores")));
    let both = phrase!(": it {}, machine {second} {}", lacks(1.0), 44, lacks(2.5));
    let template = "Machine {winner} was chosen; {rule} ranked it above machine {second}{said}.";
    let chosen = |said: Option<Phrase>| Phrase::new(template, &[&3, &"BestFit", &44, &said]);
    for (phrase, expected) in [
        (Phrase::text("Run"), "LOS"),
        (Phrase::text("nothing that is known"), "nothing that is known"),
        (phrase!("{} {}", 0.5, Phrase::text("cores")), "0,5 Kerne"),
        (phrase!("{} {}", "v1.5", "cores"), "v1.5 cores"),
        (phrase!("It {} at {at}{}.", phrase!("lost machine {from}", 12), "3 d 04:30", ""), "3 d 04:30 verlor 12."),
        (chosen(None), "BestFit: 3 vor 44!"),
        (chosen(Some(both)), "BestFit: 3 vor 44: fehlt 1 Kerne, 44 fehlt 2,5 Kerne!"),
        (Phrase::default(), ""),
    ] {
        assert_eq!(tell(&phrase), expected, "{phrase}");
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
    assert_eq!(tell(&phrase!("{a} x", "{a}")), "{a} <b>{a}{a}</b> x");
}
