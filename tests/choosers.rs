//! A chooser picks among the machines that the rules left, and everything else is as in any other run.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tiebreak_model::{MachineId, Scene, VmId, VmRequest};
use tiebreak_placement::custom::Readings;
use tiebreak_sim::{Candidates, Chooser, World};
use tiebreak_testkit::Case;

type Chosen = Arc<Mutex<BTreeMap<(VmId, u32), MachineId>>>;

/// Takes the place that `of` names, and notes the machine there.
struct By {
    of: fn(&Candidates<'_>) -> usize,
    readings: Readings,
    chosen: Chosen,
}

impl Chooser for By {
    fn choose(&mut self, candidates: &Candidates<'_>, vm: &VmRequest, scene: Scene<'_>) -> usize {
        let numbers = self.readings.on(vm, scene, candidates.machines);
        let read: Vec<_> = numbers.iter().map(|number| MachineId(*number as u32)).collect();
        assert_eq!(read, candidates.machines);
        let place = (self.of)(candidates);
        let machine = candidates.machines.get(place).copied().unwrap_or(candidates.drawn);
        self.chosen.lock().expect("no panic before").insert((candidates.vm, candidates.attempt), machine);
        place
    }
}

fn run(case: &Case, of: Option<fn(&Candidates<'_>) -> usize>) -> (World, Chosen) {
    let chosen = Chosen::default();
    let mut world = World::new(case.plan(true));
    world.keep_decisions();
    if let Some(of) = of {
        let readings = Readings::of(&["machine.number".into()]).expect("a name of machines");
        world.set_chooser(Box::new(By { of, readings, chosen: chosen.clone() }));
    }
    world.run();
    (world, chosen)
}

fn drawn(candidates: &Candidates<'_>) -> usize {
    candidates.machines.iter().position(|machine| *machine == candidates.drawn).expect("the draw is among them")
}

#[test]
fn the_draws_own_choice_gives_the_digest_of_the_draw() {
    for number in 0..60 {
        let case = Case::random(number);
        let (plain, _) = run(&case, None);
        let digests =
            [drawn as fn(&Candidates<'_>) -> usize, |_| usize::MAX].map(|of| run(&case, Some(of)).0.summary());
        for chosen in digests {
            assert_eq!(chosen.digest, plain.summary().digest, "case {number}");
        }
    }
}

#[test]
fn the_chosen_machine_is_the_one_decided_on() {
    let mut differing = 0;
    for number in 0..60 {
        let case = Case::random(number).without_incidents();
        let (plain, _) = run(&case, None);
        let (world, chosen) = run(&case, Some(|candidates| candidates.machines.len() - 1));
        let chosen = chosen.lock().expect("no panic before");
        let decided =
            world.decisions().iter().filter(|decision| decision.cache.is_some() && decision.machine.is_some());
        for decision in decided {
            assert_eq!(decision.machine, chosen.get(&(decision.vm, decision.attempt)).copied(), "case {number}");
        }
        differing += u32::from(world.summary().digest != plain.summary().digest);
    }
    assert!(differing > 30, "{differing}");
}

#[test]
fn a_faulty_expression_is_told_by_its_place() {
    let told = Readings::of(&["machine.vms".into(), "machine.vmz + 1".into()]).expect_err("no such name");
    assert_eq!(told.0, 1);
    assert!(Readings::of(&["rack.cores_free".into()]).is_err());
}
