//! Texts and the issues of reading them, as data.

use tiebreak_scenario::{Document, Fork, IncidentRow, RuleRow, TraceSettings, Variant, WorkloadRef, decode};

/// Checks every issue of a text, in order; the document must be valid and write itself canonically.
fn check(json: &str, issues: &[&str]) -> Document {
    let read = Document::read(json).unwrap_or_else(|error| panic!("{json}: {error}"));
    let said: Vec<_> = read.issues.iter().map(ToString::to_string).collect();
    assert_eq!(said, issues, "{json}");
    let again = Document::read(&read.document.to_json()).expect("its own JSON");
    assert_eq!((&again.document, again.issues.len()), (&read.document, 0), "what was read is clean");
    read.document
}

fn variant(fields: &str) -> String {
    format!(r#"{{"version":3,"variants":[{{{fields}}}]}}"#)
}

#[test]
fn what_is_absent_has_its_default() {
    assert_eq!(check(r#"{"version":3,"variants":[{}]}"#, &[]), Document::default());
    let few = check(&variant(r#""inventory":{"clusters":[{"machines":3}]}"#), &[]);
    assert_eq!(few.variants[0].clusters[0].settings.racks, 3, "a default never makes an issue");
}

/// Nested forks, each an hour before the one that names it.
fn forks(count: usize) -> String {
    let inner = if count > 1 { format!(r#","before":{}"#, forks(count - 1)) } else { String::new() };
    format!(r#"{{"from":"A","at_hours":{count},"rules":[{{"rule":"BestFit"}}]{inner}}}"#)
}

#[test]
fn every_fault_has_its_path() {
    let clusters = |rows: &str| variant(&format!(r#""inventory":{{"clusters":[{rows}]}}"#));
    let rules = |rows: &str| variant(&format!(r#""rules":[{rows}]"#));
    let incidents = |rows: &str| variant(&format!(r#""incidents":[{rows}]"#));
    for (json, issues) in [
        (
            "{}".to_owned(),
            &[
                "document: expected a field version, got an object; read as version 3",
                "document: expected a field variants, got an object; used the default variant",
            ][..],
        ),
        (
            r#"{"version":"x","variants":[]}"#.into(),
            &[
                "version: expected a version, 1 or more, got \"x\"; read as version 3",
                "variants: expected at least 1 variant, got a list of 0; used the default variant",
            ],
        ),
        (
            r#"{"version":3,"variants":[{}],"active":1,"colour":"red"}"#.into(),
            &[
                "document: expected version, name, active, variants or result, got field \"colour\"; dropped it",
                "active: expected the index of a variant, 0 to 0, got 1; used 0",
            ],
        ),
        (r#"{"version":3,"variants":{}}"#.into(), &["variants: expected a list, got an object; used the default"]),
        (r#"{"version":3,"variants":[7]}"#.into(), &["variants[0]: expected an object, got 7; used defaults"]),
        (
            r#"{"version":3,"variants":[{},{},{},{},{},{},{},{},{}]}"#.into(),
            &["variants: expected at most 8, got a list of 9; used the first 8"],
        ),
        (
            variant(r#""name":3,"seed":-1,"best_clusters":65"#),
            &[
                "variants[0].name: expected a text, got 3; used the default",
                "variants[0].seed: expected a whole number from 0 to 9007199254740991, got -1; used 1",
                "variants[0].best_clusters: expected a whole number from 1 to 64 clusters, got 65; used 10",
            ],
        ),
        (
            variant(r#""seed":9007199254740993"#),
            &["variants[0].seed: expected a whole number from 0 to 9007199254740991, got 9007199254740993; used 1"],
        ),
        (
            variant(r#""agents":{"count":0,"caches":1,"decision_ms":null}"#),
            &[
                "variants[0].agents.count: expected a whole number from 1 to 64, got 0; used 4",
                "variants[0].agents.decision_ms: expected a whole number from 0 to 3600000 ms, got null; used 20",
                "variants[0].agents.caches: expected true or false, got 1; used true",
            ],
        ),
        (
            clusters(r#"{"machines":0}"#),
            &[
                "variants[0].inventory.clusters[0].machines: expected a whole number from 1 to 1000000 machines, got 0; used 100",
            ],
        ),
        (
            clusters(r#"{"machines":5,"racks":6}"#),
            &[
                "variants[0].inventory.clusters[0].racks: expected at most one rack for each of 5 machines, got 6; used as many",
            ],
        ),
        (
            clusters(r#"{"machines":1000000},{"machines":1}"#),
            &[
                "variants[0].inventory.clusters[1]: expected at most 1000000 machines in all clusters together, got an object; dropped it",
            ],
        ),
        (
            clusters(""),
            &["variants[0].inventory.clusters: expected at least 1 cluster, got a list of 0; used the default cluster"],
        ),
        (
            clusters(r#"{"cores":"many"}"#),
            &[
                "variants[0].inventory.clusters[0].cores: expected a number from 0.001 to 10000 cores, got \"many\"; used 48",
            ],
        ),
        (
            variant(r#""workload":{}"#),
            &["variants[0].workload: expected trace or generated, got an object; used the default generated workload"],
        ),
        (
            variant(r#""workload":{"trace":{"fingerprint":"xyz","name":"t.csv"}}"#),
            &[
                "variants[0].workload.trace.fingerprint: expected 32 hexadecimal digits, got \"xyz\"; no trace matches; choose its file again",
            ],
        ),
        (
            variant(r#""workload":{"generated":{"days":1e6}}"#),
            &["variants[0].workload.generated.days: expected a number from 0.01 to 90 days, got 1e+6; used 7"],
        ),
        (
            rules(r#"{"rule":"BestFitt"},{"on":true},5"#),
            &[
                "variants[0].rules[0].rule: expected the id of a rule of this version, got \"BestFitt\"; dropped the row",
                "variants[0].rules[1]: expected a field rule with the id of a rule, got an object; dropped the row",
                "variants[0].rules[2]: expected an object, got 5; used defaults",
            ],
        ),
        (
            rules(r#"{"rule":"BestFit","buckets":0,"values":{"cores_weight":101,"beauty":1}}"#),
            &[
                "variants[0].rules[0].buckets: expected a whole number from 1 to 1000 buckets or null, got 0; scores are compared exactly",
                "variants[0].rules[0].values: expected cores_weight, memory_weight, ssd_weight or network_weight, got field \"beauty\"; dropped it",
                "variants[0].rules[0].values.cores_weight: expected a number from 0 to 100, got 101; used 1",
            ],
        ),
        (
            rules(r#"{"rule":"BestFit"},{"rule":"BestFit","on":false}"#),
            &["variants[0].rules[1]: expected BestFit once, got an object; dropped the second one"],
        ),
        (
            rules(r#"{"rule":"AreNodeResourcesValid","on":false,"buckets":3}"#),
            &[
                "variants[0].rules[0].on: expected true: without this rule machines would be over-committed, got false; left it on",
                "variants[0].rules[0].buckets: expected no buckets: a validator has no scores, got 3; dropped them",
            ],
        ),
        (
            rules(
                r#"{"rule":"BestFit","weight":0},{"rule":"WorstFit","weight":"2"},{"rule":"FirstFit","weight":null}"#,
            ),
            &[
                "variants[0].rules[0].weight: expected a number from 0.001 to 1000000000000000 or null, got 0; dropped it",
                "variants[0].rules[1].weight: expected a number from 0.001 to 1000000000000000 or null, got \"2\"; dropped it",
            ],
        ),
        (
            rules(r#"{"rule":"IsMachineReady","weight":2},{"rule":"IsTypeSupported","weight":null}"#),
            &["variants[0].rules[0].weight: expected no weight: a validator only filters, got 2; dropped it"],
        ),
        (
            variant(r#""hand_weights":1,"caches":{"age":-1,"cell":true,"journal":false}"#),
            &[
                "variants[0].caches: expected evaluations, rule_objects, shared_state, journal, cells, background, \
                 evaluation_pool, object_pool or age, got field \"cell\"; dropped it",
                "variants[0].caches.age: expected a whole number from 0 to 1000000000 decisions, got -1; used 10000",
                "variants[0].hand_weights: expected true or false, got 1; used false",
            ],
        ),
        (
            incidents(r#"{"incident":"Meteor"},{"at_hours":3},7,{"incident":5},{"incident":"FailMachines","when":1}"#),
            &[
                "variants[0].incidents[0].incident: expected the id of an incident of this version, got \"Meteor\"; dropped the row",
                "variants[0].incidents[1]: expected a field incident with the id of an incident, got an object; dropped the row",
                "variants[0].incidents[2]: expected an object, got 7; used defaults",
                "variants[0].incidents[3].incident: expected the id of an incident of this version, got 5; dropped the row",
                "variants[0].incidents[4]: expected incident, at_hours or values, got field \"when\"; dropped it",
            ],
        ),
        (
            incidents(
                r#"{"incident":"FailMachines","at_hours":-1,"values":{"machines":0,"rack":2}},{"incident":"DemandSpike","at_hours":"noon","values":[]}"#,
            ),
            &[
                "variants[0].incidents[0].values: expected machines, racks or down_minutes, got field \"rack\"; dropped it",
                "variants[0].incidents[0].values.machines: expected a whole number from 1 to 1000000 machines, got 0; used 1",
                "variants[0].incidents[0].at_hours: expected a number from 0 to 10000 h, got -1; used 0",
                "variants[0].incidents[1].values: expected an object, got a list of 0; used defaults",
                "variants[0].incidents[1].at_hours: expected a number from 0 to 10000 h, got \"noon\"; used 0",
            ],
        ),
        (
            incidents(&[r#"{"incident":"FailMachines"}"#; 101].join(",")),
            &["variants[0].incidents: expected at most 100, got a list of 101; used the first 100"],
        ),
        (variant(r#""incidents":{}"#), &["variants[0].incidents: expected a list, got an object; used the default"]),
        (
            variant(
                r#""fork":{"from":7,"at_hours":-1,"best_clusters":0,"hand_weights":"no","rules":[{"rule":"Luck"}],"until":3}"#,
            ),
            &[
                "variants[0].fork: expected from, rules, before, at_hours, best_clusters, hand_weights or combining, got field \"until\"; dropped it",
                "variants[0].fork.at_hours: expected a number from 0 to 10000 h, got -1; used 0",
                "variants[0].fork.best_clusters: expected a whole number from 1 to 64 clusters, got 0; used 10",
                "variants[0].fork.hand_weights: expected true or false, got \"no\"; used false",
                "variants[0].fork.from: expected a text, got 7; used the default",
                "variants[0].fork.rules[0].rule: expected the id of a rule of this version, got \"Luck\"; dropped the row",
            ],
        ),
        (
            variant(r#""fork":{"from":"A","at_hours":3}"#),
            &[
                "variants[0].fork: expected a field rules with the list that held until then, got an object; dropped the fork",
            ],
        ),
        (variant(r#""fork":["A"]"#), &["variants[0].fork: expected an object, got a list of 1; dropped the fork"]),
        (
            variant(r#""fork":{"at_hours":3,"rules":[],"before":{"at_hours":3,"rules":[]}}"#),
            &["variants[0].fork.before: expected a fork before 3 h, got an object; dropped it"],
        ),
        (
            variant(&format!(r#""fork":{}"#, forks(9))),
            &[
                "variants[0].fork.before.before.before.before.before.before.before.before: expected at most 8 changes of rules, \
               got an object; dropped it",
            ],
        ),
        (variant(r#""caches":false"#), &["variants[0].caches: expected an object, got false; used defaults"]),
        (
            clusters(r#"{"datacenter":0}"#),
            &["variants[0].inventory.clusters[0].datacenter: expected a whole number from 1 to 1000, got 0; used 1"],
        ),
        (
            r#"{"version":3,"variants":[{}],"result":{"engine":"0.1.0","digest":"12"}}"#.into(),
            &["result.digest: expected 16 hexadecimal digits, got \"12\"; treated it as unstamped"],
        ),
    ] {
        check(&json, issues);
    }
}

#[test]
fn rules_that_are_absent_are_off_except_the_required_one() {
    let document = check(&variant(r#""rules":[{"rule":"FirstFit"},{"rule":"IsMachineReady"}]"#), &[]);
    let on: Vec<_> = document.variants[0].rules.iter().filter(|row| row.on).map(|row| row.id.as_str()).collect();
    assert_eq!(on, ["IsMachineReady", "AreNodeResourcesValid", "FirstFit"], "stage by stage, absent ones last");
    assert_eq!(document.variants[0].rules.len(), tiebreak_placement::RULES.len());
}

#[test]
fn what_is_new_is_read_as_it_stands() {
    let document = check(
        &variant(
            r#""hand_weights":true,"caches":{"journal":false,"object_pool":9},
            "inventory":{"clusters":[{"datacenter":7}]},"rules":[{"rule":"BestFit","weight":0.5}]"#,
        ),
        &[],
    );
    let variant = &document.variants[0];
    assert_eq!((variant.caches.journal, variant.caches.object_pool, variant.caches.cells), (false, 9, true));
    assert_eq!((variant.hand_weights, variant.clusters[0].settings.datacenter), (true, 7));
    let weights = variant.rules.iter().filter_map(|row| Some((row.id.as_str(), row.weight?)));
    assert_eq!(weights.collect::<Vec<_>>(), [("BestFit", 0.5)]);
}

#[test]
fn incidents_are_read_and_written_as_short_as_they_go() {
    let rows = r#"[{"incident":"FailMachines","at_hours":12.5,"values":{"machines":3}},{"incident":"DemandSpike"}]"#;
    let document = check(&variant(&format!(r#""incidents":{rows}"#)), &[]);
    let [failure, spike] = &document.variants[0].incidents[..] else { panic!("two incidents") };
    assert_eq!(
        (failure.id.as_str(), failure.at_hours, &failure.values[..]),
        ("FailMachines", 12.5, &[3.0, 0.0, 60.0][..])
    );
    assert_eq!(Some(spike), IncidentRow::plain("DemandSpike", 0.0).as_ref());
    assert!(document.to_short_json(None).contains(&format!(r#""incidents":{rows}"#)));
    assert!(document.to_json().contains("\"at_hours\": 0,"), "a file says everything");
    let none = check(&variant(r#""incidents":[]"#), &[]);
    assert!(!none.to_short_json(None).contains("incidents") && none.to_json().contains("\"incidents\": []"));
}

#[test]
fn forks_are_read_and_written_as_short_as_they_go() {
    let fork = r#""fork":{"from":"B","at_hours":30.5,"hand_weights":true,"rules":[{"rule":"WorstFit","buckets":2}],"before":{"from":"A","at_hours":4,"best_clusters":3,"rules":[]}}"#;
    let document = check(&variant(fork), &[]);
    let held = document.variants[0].fork.as_ref().expect("a fork");
    let moments: Vec<_> = held.chain().map(|fork| (fork.from.as_str(), fork.at_hours, fork.best_clusters)).collect();
    assert_eq!(moments, [("B", 30.5, 10), ("A", 4.0, 3)]);
    let on = |fork: &Fork| -> Vec<_> { fork.rules.iter().filter(|row| row.on).map(|row| row.id.clone()).collect() };
    assert_eq!(on(held), ["AreNodeResourcesValid", "WorstFit"]);
    let short = document.to_short_json(None);
    assert!(short.contains(r#","fork":{"from":"B","at_hours":30.5,"hand_weights":true,"rules":["#), "{short}");
    assert!(short.contains(r#","before":{"from":"A","at_hours":4,"best_clusters":3,"rules":["#), "{short}");
    let opened = decode(&tiebreak_scenario::encode(&document, None)).expect("its own link");
    assert_eq!((opened.document, opened.issues.len()), (document, 0));
    let none = check(&variant(""), &[]);
    assert!(none.variants[0].fork.is_none() && !none.to_json().contains("fork"), "absent where there is none");
    let chain = |read: Document| read.variants[0].fork.as_ref().map_or(0, |fork| fork.chain().count());
    assert_eq!(chain(check(&variant(&format!(r#""fork":{}"#, forks(8))), &[])), 8);
}

/// The rules that are on in a variant, in order, with their buckets.
fn rules_on(document: &Document) -> Vec<(&str, Option<u32>)> {
    let on = document.variants[0].rules.iter().filter(|row| row.on);
    on.map(|row| (row.id.as_str(), row.buckets)).collect()
}

#[test]
fn a_document_of_version_1_has_the_rules_of_version_1() {
    let expected = [
        ("IsTypeSupported", None),
        ("IsClusterBelowLimit", None),
        ("PreferEmptierClusters", None),
        ("AreNodeResourcesValid", None),
        ("IsMachineReady", None),
        ("PreferNonEmptyMachines", None),
        ("BestFit", Some(3)),
        ("PreferLeastUsedRack", Some(4)),
    ];
    for json in [r#"{"version":1,"variants":[{}]}"#, r#"{"version":1,"variants":[{"seed":1,"agents":{}},{}]}"#] {
        let document = check(json, &[]);
        assert_eq!(rules_on(&document), expected, "{json}");
        assert!(document.variants.iter().all(|variant| variant.rules == document.variants[0].rules), "{json}");
        let defaults = |row: &RuleRow| row.entry().is_some_and(|entry| row.values == entry.declaration.defaults());
        assert!(document.variants[0].rules.iter().all(defaults), "{json}");
    }
    // The same by a handmade link, with and without the version inside.
    for payload in ["eyJ2ZXJzaW9uIjoxLCJ2YXJpYW50cyI6W3t9XX0", "eyJ2YXJpYW50cyI6W3t9XX0"] {
        let opened = decode(&format!("#1.j.{payload}")).expect("a link of version 1");
        assert_eq!(rules_on(&opened.document), expected, "{payload}");
    }
    let own = check(r#"{"version":1,"variants":[{"rules":[{"rule":"FirstFit"}]}]}"#, &[]);
    assert_eq!(rules_on(&own), [("AreNodeResourcesValid", None), ("FirstFit", None)], "a list of its own stays");
}

#[test]
fn a_document_of_version_2_reads_lava_as_version_2_did() {
    let read = |version: u32, variant: &str| {
        let document = check(&format!(r#"{{"version":{version},"variants":[{{{variant}}}]}}"#), &[]);
        document.variants[0].clone()
    };
    let error = |variant: &Variant| variant.predictor.values[4];
    for (variant, before, now) in [
        (r#""predictor":{"predictor":"NoisyOracle"}"#, 1.0, 0.0),
        (r#""predictor":{"predictor":"NoisyOracle","values":{"accuracy":50}}"#, 1.0, 0.0),
        (r#""predictor":{"predictor":"NoisyOracle","values":{"error":"one_factor"}}"#, 0.0, 0.0),
    ] {
        assert_eq!([1, 2, 3].map(|version| error(&read(version, variant))), [before, before, now], "{variant}");
    }
    let class = |rules: &[RuleRow]| {
        let row = rules.iter().find(|row| row.id == "LifetimeAlignmentBinary").expect("every rule stands in a list");
        row.values.clone()
    };
    let rules = r#""rules":[{"rule":"FirstFit"},{"rule":"LifetimeAlignmentBinary","values":{"threshold_hours":3}}]"#;
    for version in [1, 2, 3] {
        let fork = format!(r#"{rules},"fork":{{"at_hours":5,{rules},"before":{{"at_hours":1,{rules}}}}}"#);
        let variant = read(version, &fork);
        let fork = variant.fork.as_ref().expect("a fork");
        let before = fork.before.as_ref().expect("an earlier one");
        let first_lifetime = f64::from(u8::from(version < 3));
        for rules in [&variant.rules, &fork.rules, &before.rules] {
            assert_eq!(class(rules), [3.0, first_lifetime], "version {version}");
        }
    }
    for rules in [r#"{"rule":"FirstFit"}"#, r#"{"rule":"LifetimeAlignmentBinary","on":false}"#] {
        let variant = read(2, &format!(r#""rules":[{rules}]"#));
        assert_eq!(class(&variant.rules), [2.0, 0.0], "a rule that is off has no past: {rules}");
    }
}

#[test]
fn a_newer_document_opens_and_says_so() {
    let json =
        r#"{"version":7,"variants":[{"seed":5,"moods":[]}],"result":{"engine":"9.0.0","digest":"00000000000000ff"}}"#;
    let read = Document::read(json).expect("readable");
    assert!(read.newer);
    assert_eq!((read.document.variants[0].seed, read.stamp.expect("a stamp").digest), (5, 255));
    assert_eq!(
        read.issues[0].to_string(),
        "version: expected version 3 or older, got version 7 by engine \"9.0.0\"; \
         it is newer than this page: the readable part was read, and the original text is kept"
    );
}

#[test]
fn what_is_no_document_says_why() {
    for (text, message) in [
        ("", "expected JSON, got something else at line 1, column 0: EOF while parsing a value"),
        ("{\n \"version\": 1,\n oops}", "expected JSON, got something else at line 3, column 2: key must be a string"),
        ("[1,2]", "expected a scenario as a JSON object, got a list of 2"),
        (r#"{"version":NaN}"#, "expected JSON, got something else at line 1, column 12: expected value"),
        (&"[".repeat(100_000), "expected a scenario, got brackets nested deeper than 127; it was not read"),
        (&" ".repeat((1 << 20) + 1), "expected a scenario of at most 1048576 bytes, got 1048577; is this a trace?"),
    ] {
        assert_eq!(Document::read(text).expect_err(message).to_string(), message);
    }
}

#[test]
fn a_hostile_text_cannot_fill_the_page() {
    let fields: Vec<_> = (0..20_000).map(|index| format!("\"field{index}\":0")).collect();
    let read = Document::read(&format!("{{{}}}", fields.join(","))).expect("readable");
    assert_eq!(read.issues.len(), 101);
    assert_eq!(read.issues[100].got, "19902 more");
    let document = check(
        &variant(r#""name":"a\nb""#),
        &["variants[0].name: expected a text of at most 200 letters on one line, got \"a\\nb\"; used \"ab\""],
    );
    assert_eq!(document.variants[0].name, "ab");
}

#[test]
fn a_trace_without_a_readable_fingerprint_keeps_its_name() {
    let read = Document::read(&variant(r#""workload":{"trace":{"name":"t.csv"}}"#)).expect("readable");
    assert_eq!(
        read.document.variants[0].workload,
        WorkloadRef::Trace { fingerprint: 0, name: "t.csv".into(), settings: TraceSettings::default() }
    );
}
