//! What rules about chassis say, kept for one purpose: to know when they say something else.
//!
//! One VM that comes or goes changes what such a rule scores on all machines of the chassis, but seldom the bucket
//! of any other machine than its own. So before a decision, the machines of each chassis in which
//! anything changed are asked again, and only those whose bucket moved are noted in the journal. Past that, such
//! a rule is a machine rule like any other to every cache, bit for bit, and costs one chassis a change.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ChassisId, MachineId, Occupancy, Scene, VmRequest};

use crate::erased::BoundPreference;
use crate::policy::Policy;
use crate::quantize::Quantizer;

/// Watches the chassis of one agent's view for the rules of one policy.
pub(crate) struct ChassisWatch {
    revision: Revision,
    columns: Vec<Column>,
    /// Room for work.
    words: Vec<u64>,
    changed: Vec<ChassisId>,
    moved: Vec<MachineId>,
    ids: Vec<MachineId>,
    scores: Vec<f64>,
}

/// One rule bound to one key, and the bucket of every machine.
struct Column {
    /// The rule's place among those watched, and its key.
    key: (usize, Vec<u64>),
    rule: Box<dyn BoundPreference<MachineId>>,
    quantizer: Quantizer,
    buckets: Vec<u64>,
}

impl ChassisWatch {
    /// For a list that has such rules.
    pub(crate) fn of(policy: &Policy) -> Option<Self> {
        policy.asks_for_loads().then(|| Self {
            revision: Revision(0),
            columns: Vec::new(),
            words: Vec::new(),
            changed: Vec::new(),
            moved: Vec::new(),
            ids: Vec::new(),
            scores: Vec::new(),
        })
    }

    /// Notes in the journal every machine of which a rule says something else because of its
    /// chassis.
    pub(crate) fn follow(&mut self, view: &mut Occupancy) {
        if self.columns.is_empty() || view.revision() == self.revision {
            return;
        }
        let fleet = view.fleet().clone();
        self.changed.clear();
        for cluster in view.journal().clusters_changed_since(self.revision) {
            let machines = view.journal().changed_since(cluster, self.revision);
            self.changed.extend(machines.map(|machine| fleet.chassis_of(machine)));
        }
        self.changed.sort_unstable();
        self.changed.dedup();
        self.moved.clear();
        for chassis in &self.changed {
            self.ids.clear();
            self.ids.extend(fleet.machines_of_chassis(*chassis).map(MachineId));
            for column in &mut self.columns {
                column.ask(Scene::of(view), &self.ids, &mut self.scores, |machine| self.moved.push(machine));
            }
        }
        self.moved.sort_unstable();
        self.moved.dedup();
        for machine in &self.moved {
            if view.journal().revision_of(*machine) <= self.revision {
                view.touch(*machine);
            }
        }
        self.revision = view.revision();
    }

    /// Watches what requests like this one are told, if that is not done already.
    pub(crate) fn admit(&mut self, policy: &Policy, vm: &VmRequest, view: &Occupancy) {
        for (at, ranked) in policy.chassis_stages().enumerate() {
            self.words.clear();
            ranked.rule.write_key(vm, &mut self.words);
            if self.columns.iter().any(|column| column.key.0 == at && column.key.1 == self.words) {
                continue;
            }
            let machines = view.fleet().machine_count();
            let mut column = Column {
                key: (at, self.words.clone()),
                rule: ranked.rule.bind(vm),
                quantizer: ranked.quantizer,
                buckets: alloc::vec![0; machines as usize],
            };
            let all: Vec<_> = (0..machines).map(MachineId).collect();
            column.ask(Scene::of(view), &all, &mut self.scores, |_| {});
            self.columns.push(column);
            self.revision = view.revision();
        }
    }
}

impl Column {
    /// Asks the rule about machines again; `moved` gets those whose bucket is another.
    fn ask(&mut self, scene: Scene<'_>, ids: &[MachineId], scores: &mut Vec<f64>, mut moved: impl FnMut(MachineId)) {
        self.rule.scores(scene, ids, scores);
        for (id, score) in ids.iter().zip(scores) {
            let bucket = self.quantizer.bucket(*score);
            if core::mem::replace(&mut self.buckets[id.index()], bucket) != bucket {
                moved(*id);
            }
        }
    }
}
