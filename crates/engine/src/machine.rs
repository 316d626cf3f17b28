//! One machine at a moment of the run: its location, its free capacity, its VMs.

use tiebreak_model::{MachineId, Phrase, Readiness, Resources, Time, phrase};
use tiebreak_sim::{MachineByte, World};

use super::{Engine, holding, lifetimes};
use crate::protocol::{Reply, VmCard};
use crate::said;

impl Engine {
    /// A machine, its VMs, and why it is not empty.
    pub(super) fn machine(&self, run: u32, machine: u32, time_ms: f64) -> Option<Reply> {
        let current = self.run.as_ref().filter(|current| current.id == run)?;
        let fleet = current.world.plan().fleet();
        let machines = fleet.machine_count();
        if machine >= machines {
            let (about, life, vms, holder) = (which_there_are(machines), None, Vec::new(), None);
            return Some(Reply::Machine { run, machine, time_ms, is_there: false, about, life, vms, holder });
        }
        let workload = current.world.plan().workload();
        let id = MachineId(machine);
        let at = Time(time_ms as i64);
        let mut free = fleet.capacity(id);
        let terms = current.world.plan().lifetimes();
        let card = current.world.host_card(id, at);
        let on: Vec<_> = current.world.vms_on(id, at).collect();
        let expected = |vm| card.as_ref().and_then(|card| card.vms.iter().find(|expected| expected.vm == vm));
        let holder = holding::holder(workload, &on.iter().map(|(vm, _)| *vm).collect::<Vec<_>>(), |vm| {
            expected(vm).map(lifetimes::expected)
        });
        let vms = on
            .into_iter()
            .map(|(vm, since)| {
                let demand = workload.shape(workload.shape_of(vm)).demand;
                free = free.checked_sub(demand).unwrap_or(Resources::NONE);
                let expected = expected(vm);
                VmCard {
                    vm: workload.name(vm).to_string(),
                    demand: said::resources(demand),
                    since_ms: since.0 as f64,
                    ends: holding::ends(workload, vm),
                    expected: expected.map(lifetimes::expected),
                    residual: expected.is_some_and(|expected| expected.residual),
                }
            })
            .collect();
        let cluster = &fleet.cluster(fleet.cluster_of(id)).name;
        let frames = current.world.frames();
        let uplinks = frames
            .and_then(|frames| frames.uplink_at(at, id))
            .map(|uplink| phrase!("; {:.0} % of its uplinks reserved", 100.0 * uplink.share().min(1.0)));
        let draw = frames
            .and_then(|frames| frames.draw_at(at, id))
            .map(|draw| phrase!("; drawing {:.0} % of its share of the power budget", 100.0 * draw.share()));
        let whole = fleet.machines_of_rack(fleet.rack_of(id)) == fleet.machines_of_chassis(fleet.chassis_of(id));
        let chassis = (!whole).then(|| phrase!(", chassis {}", fleet.chassis_of(id)));
        let about = phrase!(
            "Rack {}{chassis} of {cluster}{}; {} of {} free{uplinks}{draw}",
            fleet.rack_of(id),
            chassis,
            cluster,
            Phrase::text(said::readiness(readiness(&current.world, id, at))),
            said::resources(free),
            said::resources(fleet.capacity(id)),
            uplinks,
            draw
        );
        let life = card.zip(terms).map(|(card, terms)| lifetimes::host(&card, &terms));
        Some(Reply::Machine { run, machine, time_ms, is_there: true, about, life, vms, holder })
    }
}

/// The valid machine numbers, for a request with an invalid one.
fn which_there_are(machines: u32) -> Phrase {
    match machines {
        1 => phrase!("There is one machine, number 0."),
        _ => phrase!(
            "There are {machines} machines, numbered 0 to {}.",
            said::count(machines.into()),
            said::count((machines - 1).into())
        ),
    }
}

/// Whether a machine accepted VMs at a past moment of the run, as far as the frames show it.
fn readiness(world: &World, machine: MachineId, at: Time) -> Readiness {
    let frame = world.frames().filter(|_| at < world.progress().time).map(|frames| frames.at(at));
    let byte = frame.and_then(|frame| frame.get(machine.index()));
    byte.map_or_else(|| world.occupancy().record(machine).readiness, |byte| MachineByte(*byte).readiness())
}
