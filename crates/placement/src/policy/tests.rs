use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::{Resources, TenantSize, TenantTerms, VmRequest, VmShape};

use super::*;
use crate::custom::{Bounds, Definition, Subject, entry_of};

fn policy(rules: &[&str]) -> Policy {
    let rules: Vec<_> = rules.iter().map(|id| RuleUse::plain(id, None)).collect();
    Policy::new(&rules, 1).expect("a policy")
}

/// Which data a policy needs to be computed and maintained; none for a policy that does not read it.
#[test]
fn lists_say_what_they_ask_for() {
    let asked = |rules: &[&str]| {
        let list = policy(rules);
        let asks = [
            ("loads", list.asks_for_loads()),
            ("bandwidth", list.guards_bandwidth()),
            ("growth", list.asks_for_growth()),
            ("moments ahead", list.looks_ahead()),
            ("racks", list.sees_racks()),
        ];
        asks.into_iter().filter(|(_, asks)| *asks).map(|(what, _)| what).collect::<Vec<_>>()
    };
    assert_eq!(asked(&["IsTypeSupported", "AreNodeResourcesValid", "BestFit"]), [""; 0]);
    assert_eq!(asked(&["PowerBalance"]), ["loads"]);
    assert_eq!(asked(&["BandwidthAvailable"]), ["bandwidth"]);
    assert_eq!(asked(&["ZerothMomentAdmission"]), ["growth"]);
    assert_eq!(asked(&["SecondMomentAdmission"]), ["growth", "moments ahead"]);
    assert_eq!(asked(&["PreferLeastUsedRack"]), ["racks"]);
    assert_eq!(asked(&["SharesTenantRack"]), ["racks"]);
}

#[test]
fn rules_have_their_stage() {
    let groups = ["IsTypeSupported", "PreferEmptierClusters", "IsMachineReady", "BestFit", "NoSuchRule"].map(group_of);
    let expected = [
        Some(Group::ClusterValidators),
        Some(Group::ClusterPreferences),
        Some(Group::MachineValidators),
        Some(Group::MachinePreferences),
        None,
    ];
    assert_eq!(groups, expected);
}

#[test]
fn a_list_sees_the_tenant_where_one_of_its_rules_does() {
    for id in ["SharesTenantCluster", "SharesTenantRack", "CapsTenantPerMachine", "SpreadTenantOverRacks", "SpreadVdc"]
    {
        assert!(policy(&[id]).sees_tenant && policy(&["BestFit", id]).sees_tenant, "{id}");
    }
    for id in
        ["IsTypeSupported", "BestFit", "PowerBalance", "LeastLoadedUplink", "TemporalCost", "SecondMomentAdmission"]
    {
        assert!(!policy(&[id]).sees_tenant, "{id}");
    }
}

#[test]
fn levels_are_told_apart_for_one_temporal_preference() {
    assert_eq!(policy(&["BestFit"]).unit_s(), None);
    assert_eq!(policy(&["BestFit", "LifetimeAlignment"]).unit_s(), Some(60));
    assert_eq!(policy(&["LifetimeAlignment", "TemporalCost"]).unit_s(), None);
}

#[test]
fn company_matters_to_those_who_asked_and_to_all_where_a_preference_looks() {
    let free = VmRequest::alone(VmShape::plain(Resources::new(1, 1, 0, 0)));
    let terms = TenantTerms { per_machine: 2, ..free.shape.terms };
    let bound =
        VmRequest { shape: VmShape { terms, ..free.shape }, tenant: TenantSize { placed: 1, ..free.tenant }, ..free };
    for (rules, expected) in [
        (vec!["CapsTenantPerMachine", "BestFit"], [false, true]),
        (vec!["SharesTenantRack", "BestFit"], [false, false]),
        (vec!["SpreadTenantOverRacks"], [true, true]),
        (vec!["AreNodeResourcesValid", "PreferLeastUsedRack"], [false, false]),
    ] {
        let list = policy(&rules);
        assert_eq!([&free, &bound].map(|vm| list.minds_company(vm)), expected, "{rules:?}");
    }
}

#[test]
fn a_list_makes_promises_to_those_who_have_terms() {
    let shape = |terms| VmShape { terms, ..VmShape::plain(Resources::new(1, 1, 0, 0)) };
    let plain = shape(TenantTerms::NONE);
    let isolated = shape(TenantTerms { isolated: true, ..TenantTerms::NONE });
    let capped = shape(TenantTerms { per_machine: 2, ..TenantTerms::NONE });
    for (rules, expected) in [
        (vec!["AreNodeResourcesValid", "IsClusterBelowLimit", "BestFit"], [false, false, false]),
        (vec!["AreNodeResourcesValid", "RespectsIsolation"], [false, true, false]),
        (vec!["CapsTenantPerMachine", "RespectsIsolation"], [false, true, true]),
        (vec!["SpreadTenantOverRacks"], [false, false, false]),
        (vec!["BandwidthAvailable"], [true, true, true]),
    ] {
        let list = policy(&rules);
        let promised = [isolated, capped].map(|other| list.makes_promises(&[plain, other]));
        assert_eq!([list.makes_promises(&[plain]), promised[0], promised[1]], expected, "{rules:?}");
    }
    let list = Policy::new(&default_rules(), 10).expect("a policy");
    assert_eq!([plain, isolated, capped].map(|shape| list.makes_promises(&[shape])), [false, true, true]);
}

/// A key without words, or one that is the same for all tenants without terms, serves many requests.
#[test]
fn rules_know_whom_they_tell_apart() {
    let list = policy(&["AreNodeResourcesValid", "IsMachineReady", "CapsTenantPerMachine"]);
    let sharing: Vec<_> = list.machine_validators.iter().map(|it| (it.id, it.asks_nothing, it.is_common)).collect();
    let expected = [
        ("AreNodeResourcesValid", false, false),
        ("IsMachineReady", true, true),
        ("CapsTenantPerMachine", false, true),
    ];
    assert_eq!(sharing, expected);
}

/// An exact score needs a whole word; a score with buckets fits next to one.
#[test]
fn sixteen_preferences_may_be_exact() {
    let list = |exact: usize, buckets: Option<u32>| {
        let own = |nth: usize| {
            let definition = Definition {
                help: String::new(),
                of: Subject::Machine,
                parameters: vec![],
                expression: "machine.cores_free".into(),
                bounds: Some(Bounds { from: 0.0, to: 8.0, higher_is_better: false }),
            };
            let name = alloc::format!("Own{nth}");
            let entry = entry_of(&name, &definition);
            RuleUse { custom: Some(Custom::new(definition, entry)), ..RuleUse::plain(&name, None) }
        };
        let rules = (0..exact).map(own).chain([RuleUse::plain("BestFit", buckets)]).collect::<Vec<_>>();
        Policy::new(&rules, 1).map(|list| list.width)
    };
    assert_eq!(list(15, None), Ok(KeyWidth::Words(16)));
    assert_eq!(list(16, Some(3)), Ok(KeyWidth::Words(16)));
    assert_eq!(list(16, None), Err(PolicyError::TooFine));
}

/// One bit of a word stays zero; narrow keys take half a word, and a quarter if their buckets multiply to so few keys.
#[test]
fn keys_are_as_wide_as_their_fields_need() {
    let (quarter, half) = (KeyWidth::Quarter, KeyWidth::Half);
    let of_bits: [(&[u32], KeyWidth); 7] = [
        (&[], quarter),
        (&[15], quarter),
        (&[31], half),
        (&[16, 15], half),
        (&[32], KeyWidth::Words(1)),
        (&[53, 10], KeyWidth::Words(1)),
        (&[53, 11], KeyWidth::Words(2)),
    ];
    for (widths, width) in of_bits {
        let largest: Vec<_> = widths.iter().map(|bits| (1 << bits) - 1).collect();
        assert_eq!(layout(&largest).1, width, "{widths:?}");
    }
    assert_eq!(layout(&[100, 1, 3, 9, 4]).1, quarter, "17 bits, but only 40,400 keys");
    assert_eq!((layout(&[65_533]).1, layout(&[65_534]).1), (quarter, half), "two keys are none of a machine");
}
