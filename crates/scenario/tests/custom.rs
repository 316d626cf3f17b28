//! Custom rules in documents: reading, reporting, writing.

use tiebreak_placement::Group;
use tiebreak_scenario::{Document, RuleRow, Variant, decode, encode, gallery};

fn document(rows: &str) -> String {
    format!(r#"{{"version":3,"variants":[{{"rules":[{rows}]}}]}}"#)
}

fn read(rows: &str) -> (Document, Vec<String>) {
    let read = Document::read(&document(rows)).unwrap_or_else(|error| panic!("{rows}: {error}"));
    (read.document, read.issues.iter().map(ToString::to_string).collect())
}

fn row<'a>(document: &'a Document, id: &str) -> &'a RuleRow {
    document.variants[0].rules.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no {id}"))
}

const OWN: &str = r#"{"rule":"MyFit","buckets":4,"values":{"spare":0.25},"custom":{"kind":"preference","of":"machine",
    "help":"Leaves some room.","params":[{"name":"spare","unit":"share","default":0.5,"min":0,"max":1}],
    "expression":"let left = machine.cores_free - vm.cores;\nleft / machine.cores - spare","from":-1,"to":1,"better":"higher"}}"#;

#[test]
fn a_rule_is_read_and_written_and_stands_in_its_stage() {
    let (document, issues) = read(OWN);
    assert_eq!(issues, [""; 0]);
    let own = row(&document, "MyFit");
    assert_eq!((own.on, own.buckets, own.values.as_slice()), (true, Some(4), &[0.25][..]));
    assert_eq!(own.group(), Some(Group::MachinePreferences));
    assert!(document.variants[0].rules.is_sorted_by_key(RuleRow::group), "stages stay in order");
    for text in [document.to_json(), document.to_short_json(None)] {
        let again = Document::read(&text).expect("its own JSON");
        assert_eq!((again.document, again.issues.len()), (document.clone(), 0));
    }
    let opened = decode(&encode(&document, None)).expect("a link");
    assert_eq!((opened.document, opened.issues.len()), (document, 0));
}

#[test]
fn a_rule_that_is_off_may_be_wrong() {
    let wrong = r#"{"rule":"Own","on":ON,"custom":{"kind":"preference","expression":"1 +"}}"#;
    let (document, issues) = read(&wrong.replace("ON", "true"));
    assert_eq!((issues.len(), row(&document, "Own").on), (1, false));
    let again = Document::read(&document.to_json()).expect("its own JSON");
    assert_eq!((again.document, again.issues.len()), (document, 0), "what was said once is not said again");
    assert_eq!(read(&wrong.replace("ON", "false")).1, [""; 0]);
}

#[test]
fn what_is_wrong_has_its_path_its_line_and_its_column() {
    let own = |fields: &str| format!(r#"{{"rule":"Own","custom":{{"kind":"preference",{fields}}}}}"#);
    for (rows, told) in [
        (
            own(r#""expression":"1 +\n vm.corse""#),
            "variants[0].rules[0].custom.expression: expected a parameter, a named value or a name that can be read, got `vm.corse` (line 2, column 2); switched the rule off: did you mean vm.cores?",
        ),
        (
            own(r#""expression":"1 +""#),
            "variants[0].rules[0].custom.expression: expected a number, a name, `(` or `if`, got the end (line 1, column 4); switched the rule off",
        ),
        (
            own(r#""expression":"1","from":2,"to":2"#),
            "variants[0].rules[0].custom: expected a field from below the field to, got an object; used 0 and 1",
        ),
        (
            own(r#""expression":"1","better":"more""#),
            "variants[0].rules[0].custom.better: expected lower or higher, got \"more\"; used lower",
        ),
        (
            own(r#""expression":"1","of":"zone""#),
            "variants[0].rules[0].custom.of: expected machine, rack or cluster, got \"zone\"; used machine",
        ),
        (
            own(r#""expression":"1","colour":1"#),
            "variants[0].rules[0].custom: expected help, kind, of, params, expression, from, to or better, got field \"colour\"; dropped it",
        ),
        (
            own(r#""expression":"1","params":[{"name":"on"}]"#),
            "variants[0].rules[0].custom.params[0]: expected a field name: letters, digits and _, not used by rules for something else, got an object; dropped it",
        ),
        (
            own(r#""expression":"1","params":[{"name":"a"},{"name":"a"}]"#),
            "variants[0].rules[0].custom.params[1]: expected each parameter once, got an object; dropped the second one",
        ),
        (
            own(r#""expression":"1","params":[{"name":"a","min":2}]"#),
            "variants[0].rules[0].custom.params[0]: expected min, default and max in this order, got an object; dropped it",
        ),
        (
            own(r#""of":"rack""#),
            "variants[0].rules[0].custom: expected a field expression, got an object; dropped the row",
        ),
        (
            r#"{"rule":"Own","custom":{"expression":"1"}}"#.into(),
            "variants[0].rules[0].custom: expected a field kind, preference or validator, got an object; dropped the row",
        ),
        (
            r#"{"rule":"a b","custom":{"kind":"validator","expression":"true"}}"#.into(),
            "variants[0].rules[0].rule: expected a name of letters, digits and _, at most 64 and not AreNodeResourcesValid, got \"a b\"; dropped the row",
        ),
        (
            r#"{"rule":"AreNodeResourcesValid","custom":{"kind":"validator","expression":"true"}}"#.into(),
            "variants[0].rules[0].rule: expected a name of letters, digits and _, at most 64 and not AreNodeResourcesValid, got \"AreNodeResourcesValid\"; dropped the row",
        ),
        (
            r#"{"rule":"Own","buckets":2,"custom":{"kind":"validator","expression":"true"}}"#.into(),
            "variants[0].rules[0].buckets: expected no buckets: a validator has no scores, got 2; dropped them",
        ),
    ] {
        assert_eq!(read(&rows).1, [told], "{rows}");
    }
    let (document, _) = read(&own(r#""expression":"1 +""#));
    let broken = row(&document, "Own");
    assert!(!broken.on, "a rule that cannot be read is off");
    assert_eq!(
        broken.custom.as_ref().expect("its rule").definition().expression,
        "1 +",
        "but what was written is kept"
    );
}

/// The contents of a document are bounded, and the excess is reported.
#[test]
fn hostile_rules_end_soon() {
    let begun = std::time::Instant::now();
    let many: Vec<_> = (0..40)
        .map(|at| format!(r#"{{"rule":"R{at}","custom":{{"kind":"validator","expression":"true"}}}}"#))
        .collect();
    let (document, issues) = read(&many.join(","));
    let own = document.variants[0].rules.iter().filter(|row| row.custom.is_some()).count();
    assert_eq!((own, issues.len()), (32, 8));
    assert!(issues[0].contains("expected at most 32 custom rules"), "{}", issues[0]);
    for expression in ["(".repeat(10_000), "x".repeat(900_000), "a=b;b=a;".repeat(400), "-".repeat(4_000)] {
        let row = format!(r#"{{"rule":"Own","custom":{{"kind":"preference","expression":"{expression}"}}}}"#);
        let (_, issues) = read(&row);
        assert!(issues.len() == 1 && issues[0].len() < 300, "{issues:?}");
    }
    assert!(begun.elapsed().as_millis() < 2_000, "{:?}", begun.elapsed());
}

#[test]
fn fields_of_a_rule_are_set_by_its_name() {
    let (document, _) = read(OWN);
    let mut variant = document.variants[0].clone();
    for (path, value) in [
        ("rules.MyFit.spare", "0.75"),
        ("rules.MyFit.buckets", "none"),
        ("rules.MyFit.position", "0"),
        ("rules.MyFit.expression", "machine.vms + spare"),
    ] {
        variant.set(path, value).unwrap_or_else(|issue| panic!("{issue}"));
    }
    let first = variant.rules_of(Group::MachinePreferences).next().expect("a preference");
    assert_eq!((first.id.as_str(), first.values.as_slice(), first.buckets), ("MyFit", &[0.75][..], None));
    assert_eq!(first.custom.as_ref().expect("its rule").definition().expression, "machine.vms + spare");
    for (path, value, told) in [
        ("rules.MyFit.spare", "2", "expected a number from 0 to 1 share, got \"2\""),
        ("rules.MyFit.expression", "1 +", "line 1, column 4"),
        ("rules.BestFit.expression", "1", "expected on, buckets, weight, position, cores_weight"),
    ] {
        let issue = variant.set(path, value).expect_err(path).to_string();
        assert!(issue.contains(told), "{issue}");
    }
    let (document, _) = read(r#"{"rule":"Own","custom":{"kind":"preference","expression":"1 +"}}"#);
    let issue = document.variants[0].clone().set("rules.Own.on", "true").expect_err("broken").to_string();
    assert!(issue.contains("line 1, column 4"), "{issue}");
}

/// A gallery rule that replaces a built-in rule keeps its position, its buckets and its parameters.
#[test]
fn a_rule_takes_the_place_of_the_one_of_its_name() {
    let mut variant = Variant::default();
    variant.set("rules.BestFit.cores_weight", "7").expect("a parameter");
    let place = |variant: &Variant, id: &str| variant.rules.iter().position(|row| row.id == id).expect("a rule");
    let (at, count) = (place(&variant, "BestFit"), variant.rules.len());
    gallery::find("BestFit").expect("in the gallery").row().put_into(&mut variant.rules);
    let row = &variant.rules[at];
    assert_eq!((row.id.as_str(), row.buckets, row.values[0], variant.rules.len()), ("BestFit", Some(3), 7.0, count));
    assert!(row.custom.is_some());
    gallery::find("LeastAllocated").expect("in the gallery").row().put_into(&mut variant.rules);
    let last = variant.rules_of(Group::MachinePreferences).last().expect("a preference");
    assert_eq!((last.id.as_str(), variant.rules.len()), ("LeastAllocated", count + 1));
    gallery::find("StaysInTenantRack").expect("in the gallery").row().put_into(&mut variant.rules);
    assert_eq!(variant.rules.len(), count + 2);
    assert!(variant.rules.is_sorted_by_key(RuleRow::group));
    let workload = std::sync::Arc::new(variant.generate().expect("a generated workload"));
    variant.plan(workload).expect("a plan");
}

/// A document without custom rules is written as before they existed.
#[test]
fn documents_without_them_do_not_mention_them() {
    let document = Document::default();
    assert!(!document.to_json().contains("custom") && !document.to_short_json(None).contains("custom"));
}
