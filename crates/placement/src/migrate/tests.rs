use alloc::collections::BTreeSet;

use tiebreak_model::random::{Seed, pick};
use tiebreak_model::{ClusterSpec, Fleet, TenantTerms};

use super::*;
use crate::policy::{REQUIRED_RULE, RuleUse, Weight, default_rules};

const LIMITS: MigrationLimits = MigrationLimits { moves: 100, fragmented: 50.0 };

fn cores(cores: u32) -> VmShape {
    VmShape::plain(Resources::new(cores * 1_000, cores * 1_024, 0, 0))
}

/// Clusters of machines with these numbers of cores, two machines per rack.
fn fleet(clusters: &[(u32, u32)]) -> Occupancy {
    let cluster = |(machines, cores): &(u32, u32)| ClusterSpec {
        name: "c".into(),
        machines: *machines,
        racks: machines.div_ceil(2),
        capacity: Resources::new(cores * 1_000, cores * 1_024, 0, 0),
        unready: 0,
        datacenter: 0,
        chassis: 1,
    };
    let specs: Vec<_> = clusters.iter().map(cluster).collect();
    Occupancy::empty(Arc::new(Fleet::build(&specs).expect("a fleet")))
}

/// Places VMs on machines; their ids follow the order.
fn settled(mut zone: Occupancy, vms: &[(u32, VmShape)]) -> (Occupancy, Vec<Placed>) {
    let mut placed = Vec::new();
    for (number, (machine, shape)) in vms.iter().enumerate() {
        let machine = MachineId(*machine);
        zone.set(machine, zone.record(machine).with(shape).expect("it fits"));
        placed.push(Placed { vm: VmId::of(number), machine, shape: *shape });
    }
    (zone, placed)
}

fn with_sizes(zone: Occupancy, vms: &[(u32, u32)]) -> (Occupancy, Vec<Placed>) {
    settled(zone, &vms.iter().map(|(machine, size)| (*machine, cores(*size))).collect::<Vec<_>>())
}

fn policy(rules: &[RuleUse]) -> Arc<Policy> {
    Arc::new(Policy::new(rules, 2).expect("a policy"))
}

fn usual() -> Arc<Policy> {
    policy(&default_rules())
}

/// In short form: which machine, and the target of each VM.
fn told(plan: &[Evacuation]) -> Vec<(u32, Vec<(u32, u32)>)> {
    let moves = |it: &Evacuation| it.moves.iter().map(|it| (it.vm.0, it.to.0)).collect();
    plan.iter().map(|it| (it.machine.0, moves(it))).collect()
}

fn density(zone: &Occupancy) -> f64 {
    density_pct(zone.zone(), zone.zone().busy_cores_milli)
}

#[test]
fn fragmented_machines_move_into_the_gaps_of_fuller_ones() {
    // Machines of 8 cores, VMs as (machine, cores), and (machine emptied, [(VM, to)]).
    type Case<'a> = (&'a [(u32, u32)], &'a [(u32, &'a [(u32, u32)])]);
    let cases: [Case<'_>; 7] = [
        (&[(0, 6), (1, 1), (1, 1), (2, 2), (3, 7)], &[(2, &[(3, 0)])]),
        (&[(0, 6), (1, 1), (1, 1), (2, 2), (3, 6)], &[(2, &[(3, 0)]), (1, &[(1, 3), (2, 3)])]),
        (&[(0, 4), (1, 4)], &[(0, &[(0, 1)])]),
        (&[(0, 3), (1, 2), (2, 5)], &[(1, &[(1, 2)])]),
        (&[(0, 6), (1, 5), (2, 7)], &[]),
        (&[(0, 2)], &[]),
        (&[], &[]),
    ];
    for (vms, expected) in cases {
        let (zone, placed) = with_sizes(fleet(&[(5, 8)]), vms);
        let expected: Vec<_> = expected.iter().map(|(machine, moves)| (*machine, moves.to_vec())).collect();
        let plan = recommend(&usual(), &zone, &placed, &LIMITS);
        assert_eq!(told(&plan), expected, "{vms:?}");
        assert!(plan.iter().all(|it| it.empty_gain == 1), "{vms:?}: each empties one machine");
        let each = |it: &Evacuation| it.density_gain / it.moves.len() as f64;
        assert!(plan.iter().all(|it| it.gain_per_move == each(it)), "{vms:?}");
        for turn in 0..placed.len() {
            let mut turned: Vec<_> = placed.iter().rev().copied().collect();
            turned.rotate_left(turn);
            assert_eq!(recommend(&usual(), &zone, &turned, &LIMITS), plan, "VMs in another order: {turned:?}");
        }
    }
}

#[test]
fn what_gains_most_for_each_move_comes_first() {
    // Machines 0 and 1 have 8 cores, 2 and 3 have 16: emptying a larger one gains more.
    let (zone, vms) = with_sizes(fleet(&[(2, 8), (2, 16)]), &[(0, 1), (1, 6), (2, 1), (3, 12)]);
    let plan = recommend(&usual(), &zone, &vms, &LIMITS);
    assert_eq!(told(&plan), [(2, vec![(2, 1)]), (0, vec![(0, 1)])]);
    let gain = 100.0 * 20.0 / 32.0 - 100.0 * 20.0 / 48.0;
    assert!((plan[0].density_gain - gain).abs() < 1e-12 && plan[0].gain_per_move == plan[0].density_gain);
    assert_eq!((plan[0].moved, plan[0].empty_gain), (cores(1).demand, 1));
}

#[test]
fn the_number_of_moves_is_a_limit_for_all_together() {
    let (zone, vms) = with_sizes(fleet(&[(5, 8)]), &[(0, 6), (1, 1), (1, 1), (2, 2), (3, 6)]);
    for (moves, emptied) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2)] {
        let plan = recommend(&usual(), &zone, &vms, &MigrationLimits { moves, ..LIMITS });
        assert_eq!(plan.len(), emptied, "{moves} moves");
    }
}

#[test]
fn some_machines_are_left_alone() {
    let spot = |size| VmShape { priority: 1, ..cores(size) };
    let promised = VmShape { terms: TenantTerms { per_machine: 2, ..TenantTerms::NONE }, ..cores(2) };
    let all = |_: &mut Occupancy, _: &mut Vec<Placed>| ();
    let change = |zone: &mut Occupancy, machine, change: fn(&mut MachineRecord)| {
        let mut record = zone.record(MachineId(machine));
        change(&mut record);
        zone.set(MachineId(machine), record);
    };
    let unready = |record: &mut MachineRecord| record.readiness = Readiness::Unready;
    let isolated = |record: &mut MachineRecord| record.isolated = true;
    type Spoil<'a> = &'a dyn Fn(&mut Occupancy, &mut Vec<Placed>);
    let cases: [(&str, [VmShape; 2], Spoil<'_>, usize); 9] = [
        ("nothing against it", [cores(2), cores(6)], &all, 1),
        ("a spot VM may move", [spot(2), cores(6)], &all, 1),
        ("no room", [cores(2), cores(7)], &all, 0),
        ("spot VMs are not put out for it", [cores(2), spot(7)], &all, 0),
        ("its tenant was promised something", [promised, cores(6)], &all, 0),
        ("an isolated tenant", [cores(2), cores(6)], &|zone, _| change(zone, 0, isolated), 0),
        ("not ready", [cores(2), cores(6)], &|zone, _| change(zone, 0, unready), 0),
        ("nowhere ready", [cores(2), cores(6)], &|zone, _| change(zone, 1, unready), 0),
        (
            "a VM of somebody who must not be moved",
            [cores(2), cores(6)],
            &|_, vms| vms.retain(|it| it.machine.0 > 0),
            0,
        ),
    ];
    let mut rules = default_rules();
    let resources = rules.iter_mut().find(|rule| rule.id == REQUIRED_RULE);
    resources.expect("the rule about resources").values = vec![1.0];
    for (why, [small, large], spoil, emptied) in cases {
        let (mut zone, mut vms) = settled(fleet(&[(3, 8)]), &[(0, small), (1, large)]);
        spoil(&mut zone, &mut vms);
        assert_eq!(recommend(&policy(&rules), &zone, &vms, &LIMITS).len(), emptied, "{why}");
    }
    let (zone, vms) = with_sizes(fleet(&[(3, 8)]), &[(0, 2), (1, 6)]);
    assert_eq!(recommend(&usual(), &zone, &vms, &MigrationLimits { fragmented: 24.0, ..LIMITS }), []);
}

/// A zone after random arrivals and exits of VMs.
fn random_zone(number: u64) -> (Occupancy, Vec<Placed>) {
    let draws = Seed(number).stream("migrate test");
    let below = |what, attempt, count| pick(draws.draw(what, attempt), count);
    let mut zone = fleet(&[(6, 16), (5, 8), (7, 24)]);
    for machine in (0..18).filter(|machine| below(*machine, 1, 9) == 0) {
        let machine = MachineId(machine as u32);
        zone.set(machine, MachineRecord { readiness: Readiness::Unready, ..zone.record(machine) });
    }
    let mut vms = Vec::new();
    for what in 100..100 + u64::from(below(0, 0, 60)) {
        let terms = TenantTerms { per_rack: u16::from(below(what, 1, 12) == 0), ..TenantTerms::NONE };
        let shape = VmShape { priority: u8::from(below(what, 2, 4) == 0), terms, ..cores(1 + below(what, 3, 6)) };
        let machine = below(what, 4, 18);
        if let Some(record) = zone.record(MachineId(machine)).with(&shape) {
            zone.set(MachineId(machine), record);
            vms.push(Placed { vm: VmId::of(vms.len()), machine: MachineId(machine), shape });
        }
    }
    (zone, vms)
}

fn lists() -> Vec<Vec<RuleUse>> {
    let plain = |ids: &[&str]| ids.iter().map(|id| RuleUse::plain(id, None)).collect::<Vec<_>>();
    let mut evicting = plain(&["AreNodeResourcesValid", "IsMachineReady", "AvoidEvictions", "BestFit"]);
    evicting[0].values = vec![1.0];
    let mut weighted = plain(&["AreNodeResourcesValid", "BestFit", "FdEmptyNodes", "PreferLeastUsedRack"]);
    weighted[1].weight = Weight::new(1.5);
    let limit = RuleUse { values: vec![60.0], ..RuleUse::plain("IsClusterBelowLimit", None) };
    let limited = [vec![limit], plain(&["PreferEmptierClusters", "AreNodeResourcesValid", "BestFit"])].concat();
    vec![default_rules(), plain(&["AreNodeResourcesValid", "WorstFit"]), evicting, weighted, limited]
}

/// Carries out recommendations, one VM after another, and checks every promise on the way.
fn carry_out(policy: &Policy, mut zone: Occupancy, vms: &[Placed], plan: &[Evacuation]) {
    let (mut moved, mut took) = (BTreeSet::new(), BTreeSet::new());
    for (at, evacuation) in plan.iter().enumerate() {
        let before = (density(&zone), *zone.zone());
        for later in &plan[at..] {
            let cores = u64::from(zone.fleet().capacity(later.machine).cores_milli());
            let then = density_pct(zone.zone(), zone.zone().busy_cores_milli - cores);
            let gain = (then - before.0) / later.moves.len() as f64;
            assert!(gain <= evacuation.gain_per_move + 1e-9, "{later:?} should come before {evacuation:?}");
        }
        for Move { vm, from, to } in evacuation.moves.iter().copied() {
            let Placed { machine, shape, .. } = vms[vm.index()];
            assert!(machine == from && from == evacuation.machine && moved.insert(vm), "{vm} stands on {from}");
            zone.set(from, zone.record(from).without(&shape));
            let room = |id| zone.record(id).vms > 0 && id != from && zone.record(id).with(&shape).is_some();
            let best = best_where(policy, Scene::of(&zone), &VmRequest::alone(shape), room);
            assert_eq!(best, Some(to), "VM {vm} goes where the list says");
            zone.set(to, zone.record(to).with(&shape).expect("nothing is over-committed"));
            took.insert(to);
        }
        assert!(zone.record(evacuation.machine).vms == 0 && !took.contains(&evacuation.machine));
        assert!((density(&zone) - before.0 - evacuation.density_gain).abs() < 1e-9, "{evacuation:?}");
        assert!(evacuation.density_gain > 0.0, "{evacuation:?}");
        assert_eq!(before.1.busy - zone.zone().busy, evacuation.empty_gain);
    }
}

#[test]
fn what_is_promised_holds_after_every_recommendation() {
    for (list, rules) in lists().iter().enumerate() {
        let (policy, mut emptied) = (policy(rules), 0);
        for number in 0..60 {
            let (zone, vms) = random_zone(number);
            let limits = MigrationLimits { moves: 3 + number as u32 / 2, fragmented: 30.0 + number as f64 };
            let plan = recommend(&policy, &zone, &vms, &limits);
            assert!(plan.iter().map(|it| it.moves.len()).sum::<usize>() <= limits.moves as usize);
            carry_out(&policy, zone, &vms, &plan);
            emptied += plan.len();
        }
        assert!(emptied > 60, "list {list}: only {emptied} machines could be emptied");
    }
}

#[test]
fn a_machine_without_room_elsewhere_stays_as_it_was() {
    // Machine 1 would gain most, but only one of its VMs fits elsewhere, on machine 0. That capacity must be free
    // again for the VM of machine 3, which has 2 cores; the others have 8.
    let (zone, vms) = with_sizes(fleet(&[(3, 8), (1, 2)]), &[(0, 6), (1, 2), (1, 2), (3, 1)]);
    let plan = recommend(&usual(), &zone, &vms, &LIMITS);
    carry_out(&usual(), zone, &vms, &plan);
    assert_eq!(told(&plan), [(3, vec![(3, 0)])]);
}
