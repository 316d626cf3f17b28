//! Virtual datacenters in a user's session: the profile of the workload, the bounds, and the links of a VM that was
//! placed or refused (Gridiron sections III-B to III-E).

mod common;

use tiebreak_app::{Edit, Message};
use tiebreak_engine::protocol::Explained;
use tiebreak_model::Bottleneck;
use tiebreak_scenario::{ClusterRow, ClusterSettings, Document, Variant, WorkloadRef};
use tiebreak_sim::{GeneratedWorkload, World};
use tiebreak_view::network;

use common::Session;

impl Session {
    fn edits(&mut self, edit: Edit) {
        self.does(Message::Edit(edit));
        self.settle();
    }

    fn sets(&mut self, path: &str, value: impl ToString + Copy) {
        self.edits(Edit::set(path, value));
    }

    fn asks(&mut self, vm: u64) -> Explained {
        self.does(Message::Vm(vm.to_string()));
        self.settle();
        self.app.front.answer.attempts.last().cloned().expect("it was decided")
    }
}

/// Two dozen machines, and growing tenants of several VMs.
fn document() -> Document {
    let settings = ClusterSettings { machines: 24, racks: 4, cores: 16.0, memory_gib: 128.0, ..Default::default() };
    let workload = GeneratedWorkload {
        days: 1.0,
        requests_per_hour: 8.0,
        longest_life: 2.0,
        scale_outs: 60.0,
        deleted_whole: 60.0,
        ..Default::default()
    };
    let variant = Variant {
        clusters: vec![ClusterRow { name: "c".into(), settings }],
        workload: WorkloadRef::Generated(workload),
        ..Variant::default()
    };
    Document { variants: vec![variant], ..Document::default() }
}

#[test]
fn nothing_is_said_of_links_until_there_are_some() {
    let mut session = Session::open(document());
    assert!(session.app.front.live.as_ref().is_some_and(|live| live.vdcs.is_none() && !live.layout.has_uplinks));
    assert_eq!(
        (network::in_short(&session.app), network::problem(&session.app)),
        ("off: VMs are not linked".into(), None)
    );
    assert!(session.asks(5).company.is_none());
    session.sets("vdcs.topology", "all_to_all");
    let live = session.app.front.live.as_ref().expect("a run");
    let profile = live.vdcs.as_deref().expect("VDCs");
    assert!(live.layout.has_uplinks && profile.vdcs > 20 && profile.peaks[2] > 5, "{profile:?}");
    assert_eq!(profile.by_size.iter().sum::<u32>(), profile.vdcs);
    assert_eq!(network::in_short(&session.app), "1 Mbit/s per core; BandwidthAvailable is off");
    session.edits(Edit::use_rule(network::GUARD, true));
    assert_eq!(network::in_short(&session.app), "1 Mbit/s per core");
    assert_eq!(network::problem(&session.app), None);
}

#[test]
fn bounds_begin_with_the_scenario_and_say_what_could_never_fit() {
    let mut session = Session::open(document());
    session.sets("vdcs.topology", "all_to_all");
    session.edits(Edit::use_rule(network::GUARD, true));
    let asked = network::of_scenario(&session.app);
    let largest = session.app.front.live.as_ref().and_then(|live| live.vdcs.as_deref()).map(|it| it.peaks[2]);
    assert_eq!((asked[0], Some(asked[1] as u32), asked[2]), (40.0, largest, asked[1]));
    // The paper's case, whatever the scenario is.
    let bounds = network::bounds([40.0, 30.0, 30.0, 16.0]).expect("links");
    let rows = network::rows([40.0, 30.0, 30.0, 16.0], &bounds);
    assert_eq!(rows.clone().map(|row| row.mbps), ["40,000", "1,379", "177"]);
    assert_eq!(rows.map(|row| row.binds), [false, false, true]);
    assert_eq!((network::bpc_mbps([40.0, 30.0, 30.0, 16.0], &bounds), bounds.binding), (11, Bottleneck::Colocation));
    assert!(network::verdict([40.0, 1.0, 1.0, 16.0], None).contains("no link"));
    session.sets("vdcs.bpc_mbps", 5_000.0);
    let problem = network::problem(&session.app).expect("links of 80 Gbit/s");
    assert!(problem.contains("One link can exceed what an uplink carries"), "{problem}");
    assert!(network::in_short(&session.app).ends_with("problematic by construction"));
}

#[test]
fn the_links_of_a_vm_are_told_where_it_went_in_and_where_it_was_refused() {
    let mut session = Session::open(document());
    session.sets("vdcs.topology", "all_to_all");
    session.edits(Edit::use_rule(network::GUARD, true));
    session.sets("vdcs.bpc_mbps", 900.0);
    let variant = session.app.variant().clone();
    let workload = std::sync::Arc::new(variant.generate().expect("a workload"));
    let mut world = World::new(variant.plan(workload).expect("a plan"));
    world.run();
    let workload = world.plan().workload().clone();
    let all = || (0..workload.vm_count()).map(tiebreak_model::VmId);
    let blocked: Vec<_> = all().filter(|vm| world.blocked(*vm).is_some_and(|it| it.full.is_some())).collect();
    assert!(!blocked.is_empty());
    let explained = session.asks(workload.name(blocked[0]));
    assert!(
        explained.sentence.to_string().starts_with("The network had no capacity for it (limited by "),
        "{}",
        explained.sentence
    );
    let company = explained.company.expect("it has peers");
    assert!(
        company.behind_full.is_some() && company.sentence.to_string().starts_with("It would be linked to"),
        "{company:?}"
    );
    let refused_by: Vec<_> = explained.refusal.expect("it was refused").rules.into_iter().map(|it| it.rule).collect();
    assert!(refused_by.iter().any(|rule| rule == network::GUARD), "{refused_by:?}");
    let placed = all().filter(|vm| world.placement(*vm).is_some()).map(|vm| session.asks(workload.name(vm)));
    let company = placed.filter_map(|it| it.company).find(|company| company.links.iter().any(|link| link.3));
    let company = company.expect("some VM has links to other machines");
    assert!(
        company.sentence.to_string().starts_with("It is linked to") && company.behind_full.is_none(),
        "{company:?}"
    );
    assert!(company.machines.len() > 1 && company.links.iter().all(|(one, other, mbps, _)| one < other && *mbps > 0.0));
}

#[test]
fn a_network_without_uplinks_of_racks_is_told_so() {
    let mut session = Session::open(document());
    assert_eq!(network::oversubscription(&session.app), None);
    session.sets("vdcs.topology", "all_to_all");
    let said = |session: &Session| network::oversubscription(&session.app).unwrap_or_default();
    assert!(said(&session).starts_with("Not oversubscribed"));
    session.sets("network.rack_uplink_gbps", 40);
    assert!(said(&session).starts_with("Oversubscribed 3.0 to 1: the 6 machines"), "{}", said(&session));
    session.sets("network.rack_uplinks", 0);
    assert!(said(&session).starts_with("Racks have no uplinks"));
}
