//! A rule that is an expression; it judges machines, racks or clusters in batches.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cell::RefCell;

use tiebreak_expression::{Code, Kind, Places, Program};
use tiebreak_model::{
    ClusterId, ClusterView, MachineId, MachineView, Phrase, RackId, RackView, Scene, VmRequest, phrase,
};

use super::names::{NAMES, Read};
use super::{Bounds, Definition, Subject};
use crate::rule::erased::{AnyPreference, AnyValidator, BoundPreference, BoundValidator};
use crate::rules::AnyRule;

/// How many are evaluated together.
const LANES: usize = 8;

/// The maximum number of values in an explanation.
const TOLD_MAX: usize = 8;

pub(super) fn build(program: Program, definition: &Definition) -> AnyRule {
    let reads = program.reads().into_iter().map(|input| NAMES[usize::from(input)].read);
    let reads: Arc<[Read]> = reads.collect();
    let rule = Expression { program: Arc::new(program), reads, bounds: definition.bounds };
    match (definition.of, definition.bounds.is_some()) {
        (Subject::Machine, false) => AnyRule::MachineValidator(Box::new(rule)),
        (Subject::Machine, true) => AnyRule::MachinePreference(Box::new(rule)),
        (Subject::Rack, false) => AnyRule::RackValidator(Box::new(rule)),
        (Subject::Rack, true) => AnyRule::RackPreference(Box::new(rule)),
        (Subject::Cluster, false) => AnyRule::ClusterValidator(Box::new(rule)),
        (Subject::Cluster, true) => AnyRule::ClusterPreference(Box::new(rule)),
    }
}

/// A rule's value for every machine of a fleet, and its words about one of them.
pub(super) fn tried(
    program: Program,
    definition: &Definition,
    vm: &VmRequest,
    scene: Scene<'_>,
    told_of: Option<MachineId>,
) -> (Vec<f64>, Option<Phrase>) {
    let reads: Arc<[Read]> = Arc::new([]);
    let bound = Expression { program: Arc::new(program), reads, bounds: definition.bounds }.bind(vm);
    let fleet = scene.occupancy.fleet();
    match definition.of {
        Subject::Machine => bound.tried(scene, |machine| machine, told_of),
        Subject::Rack => bound.tried(scene, |machine| fleet.rack_of(machine), told_of),
        Subject::Cluster => bound.tried(scene, |machine| fleet.cluster_of(machine), told_of),
    }
}

/// What a rule can judge.
pub(super) trait Judged: Copy {
    type View<'a>: Copy;

    fn view(self, scene: Scene<'_>) -> Self::View<'_>;

    /// The value of a name. The check of the expression has rejected names that do not apply.
    fn read(self, read: Read, scene: Scene<'_>, view: Self::View<'_>) -> f64;
}

impl Judged for MachineId {
    type View<'a> = MachineView<'a>;

    #[inline]
    fn view(self, scene: Scene<'_>) -> MachineView<'_> {
        scene.occupancy.machine(self)
    }

    #[inline]
    fn read(self, read: Read, scene: Scene<'_>, view: MachineView<'_>) -> f64 {
        match read {
            Read::Machine(read) => read(view),
            Read::Tenant => f64::from(scene.footprint.on_machine(self)),
            _ => f64::NAN,
        }
    }
}

impl Judged for RackId {
    type View<'a> = RackView<'a>;

    fn view(self, scene: Scene<'_>) -> RackView<'_> {
        scene.occupancy.rack(self)
    }

    fn read(self, read: Read, scene: Scene<'_>, view: RackView<'_>) -> f64 {
        match read {
            Read::Rack(read) => read(view),
            Read::Tenant => f64::from(scene.footprint.on_rack(scene.occupancy.fleet(), self)),
            _ => f64::NAN,
        }
    }
}

impl Judged for ClusterId {
    type View<'a> = ClusterView<'a>;

    fn view(self, scene: Scene<'_>) -> ClusterView<'_> {
        scene.occupancy.cluster(self)
    }

    fn read(self, read: Read, scene: Scene<'_>, view: ClusterView<'_>) -> f64 {
        let fleet = scene.occupancy.fleet();
        match read {
            Read::Cluster(read) => read(view),
            Read::Tenant => f64::from(scene.footprint.on_cluster(fleet, self)),
            Read::TenantInDatacenter => f64::from(scene.footprint.on_datacenter(fleet, self)),
            _ => f64::NAN,
        }
    }
}

/// An expression with its parameters filled in.
#[derive(Clone)]
pub(super) struct Expression {
    pub(super) program: Arc<Program>,
    /// The names that its value depends on.
    pub(super) reads: Arc<[Read]>,
    pub(super) bounds: Option<Bounds>,
}

impl Expression {
    /// The key: the values that it reads from the request, bit for bit.
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        words.extend(self.reads.iter().filter_map(|read| match read {
            Read::Vm(read) => Some(read(vm).to_bits()),
            _ => None,
        }));
    }

    fn sees_tenant(&self) -> bool {
        self.reads.iter().any(|read| read.sees_tenant())
    }

    /// Whether it reads only the request and the tenant's VMs.
    fn sees_what_stays(&self) -> bool {
        self.reads.iter().all(|read| read.sees_tenant() || matches!(read, Read::Vm(_)))
    }

    pub(super) fn bind(&self, vm: &VmRequest) -> BoundExpression {
        let known = |input: u16| match NAMES[usize::from(input)].read {
            Read::Vm(read) => Some(read(vm)),
            _ => None,
        };
        let program = self.program.given(known);
        let code = Code::of_value(&program);
        let reads = code.inputs().iter().map(|input| NAMES[usize::from(*input)].read).collect();
        let room = RefCell::new(Room { one: code.places(), many: Vec::new() });
        BoundExpression { program, code, reads, bounds: self.bounds, room }
    }
}

/// An expression bound to one key.
pub(super) struct BoundExpression {
    program: Program,
    code: Code,
    /// The values of its first slots.
    reads: Vec<Read>,
    bounds: Option<Bounds>,
    room: RefCell<Room>,
}

/// Buffers, kept between calls.
struct Room {
    one: Places<1>,
    many: Places<LANES>,
}

impl BoundExpression {
    #[inline]
    fn value<Id: Judged>(&self, scene: Scene<'_>, id: Id, places: &mut Places<1>) -> f64 {
        let view = id.view(scene);
        for (read, place) in self.reads.iter().zip(places.iter_mut()) {
            place[0] = id.read(*read, scene, view);
        }
        self.code.run(places)[0]
    }

    /// The values of several ids, in order.
    pub(super) fn values<Id: Judged>(&self, scene: Scene<'_>, ids: &[Id], mut each: impl FnMut(usize, f64)) {
        let Room { one, many } = &mut *self.room.borrow_mut();
        let (batches, rest) = ids.as_chunks::<LANES>();
        if many.is_empty() && !batches.is_empty() {
            *many = self.code.places();
        }
        for (at, batch) in batches.iter().enumerate() {
            let views = batch.map(|id| id.view(scene));
            for (read, place) in self.reads.iter().zip(many.iter_mut()) {
                *place = core::array::from_fn(|lane| batch[lane].read(*read, scene, views[lane]));
            }
            let values = self.code.run(many);
            values.into_iter().enumerate().for_each(|(lane, value)| each(at * LANES + lane, value));
        }
        let first = ids.len() - rest.len();
        for (at, id) in rest.iter().enumerate() {
            each(first + at, self.value(scene, *id, one));
        }
    }

    /// The value for every machine, from the id that it belongs to, and the words about one.
    fn tried<Id: Judged>(
        &self,
        scene: Scene<'_>,
        of: impl Fn(MachineId) -> Id,
        told_of: Option<MachineId>,
    ) -> (Vec<f64>, Option<Phrase>) {
        let machines = scene.occupancy.fleet().machine_count();
        let places = &mut self.room.borrow_mut().one;
        let values = (0..machines).map(|machine| self.value(scene, of(MachineId(machine)), places)).collect();
        let told_of = told_of.filter(|machine| machine.0 < machines);
        (values, told_of.map(|machine| self.told(scene, of(machine))))
    }

    fn score_of(&self, value: f64) -> f64 {
        self.bounds.map_or(1.0, |bounds| bounds.score(value))
    }

    /// "has cores_left = 12, imbalance = 0.31, score 0.62".
    fn told<Id: Judged>(&self, scene: Scene<'_>, id: Id) -> Phrase {
        let (code, view) = (Code::of_all(&self.program), id.view(scene));
        let mut places = code.places::<1>();
        for (input, place) in code.inputs().iter().zip(places.iter_mut()) {
            place[0] = id.read(NAMES[usize::from(*input)].read, scene, view);
        }
        let value = code.run(&mut places)[0];
        let named = self.program.named();
        let mut told: Vec<_> = named
            .iter()
            .zip(code.results(&places))
            .take(TOLD_MAX)
            .map(|(named, value)| phrase!("{} = {}", named.name, shown(value, named.kind)))
            .collect();
        if named.is_empty() {
            let read = code.inputs().iter().zip(&places).take(TOLD_MAX);
            told.extend(read.map(|(input, value)| {
                let name = &NAMES[usize::from(*input)];
                phrase!("{} = {}", name.id, shown(value[0], name.kind))
            }));
        }
        told.extend(match self.bounds {
            Some(bounds) if value.is_nan() => {
                Some(phrase!("not a number, so the worst score, {}", bounds.score(value)))
            }
            Some(bounds) => Some(phrase!("score {}", shown(bounds.score(value), Kind::Number))),
            None if value.is_nan() => Some(phrase!("an answer that is neither true nor false, which counts as false")),
            None => None,
        });
        if told.is_empty() {
            phrase!("answers without reading anything")
        } else {
            phrase!("has {}", Phrase::joined(told, "{}, {}"))
        }
    }
}

/// A value in words.
fn shown(value: f64, kind: Kind) -> String {
    if value.is_nan() {
        return "no number".to_string();
    }
    if kind == Kind::Truth {
        return (value == 1.0).to_string();
    }
    if value == libm::trunc(value) || value.abs() < 0.001 {
        return format!("{value}").chars().take(12).collect();
    }
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

impl<Id: Judged + 'static> AnyValidator<Id> for Expression {
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        Self::write_key(self, vm, words);
    }

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundValidator<Id>> {
        Box::new(Self::bind(self, vm))
    }

    fn sees_tenant(&self) -> bool {
        Self::sees_tenant(self)
    }

    fn sees_what_stays(&self) -> bool {
        Self::sees_what_stays(self)
    }

    fn concerns(&self, _: &VmRequest) -> bool {
        true
    }

    fn check(&self, vm: &VmRequest, scene: Scene<'_>, id: Id) -> bool {
        BoundValidator::is_valid(&Self::bind(self, vm), scene, id)
    }
}

impl<Id: Judged + 'static> AnyPreference<Id> for Expression {
    fn write_key(&self, vm: &VmRequest, words: &mut Vec<u64>) {
        Self::write_key(self, vm, words);
    }

    fn bind(&self, vm: &VmRequest) -> Box<dyn BoundPreference<Id>> {
        Box::new(Self::bind(self, vm))
    }

    fn sees_tenant(&self) -> bool {
        Self::sees_tenant(self)
    }

    fn sees_what_stays(&self) -> bool {
        Self::sees_what_stays(self)
    }
}

impl<Id: Judged> BoundValidator<Id> for BoundExpression {
    fn is_valid(&self, scene: Scene<'_>, id: Id) -> bool {
        self.value(scene, id, &mut self.room.borrow_mut().one) == 1.0
    }

    fn judge(&self, scene: Scene<'_>, ids: &[Id], valid: &mut [bool]) {
        self.values(scene, ids, |at, value| valid[at] &= value == 1.0);
    }

    fn words(&self, scene: Scene<'_>, id: Id) -> Option<Phrase> {
        Some(self.told(scene, id))
    }
}

impl<Id: Judged> BoundPreference<Id> for BoundExpression {
    fn score(&self, scene: Scene<'_>, id: Id) -> f64 {
        self.score_of(self.value(scene, id, &mut self.room.borrow_mut().one))
    }

    fn scores(&self, scene: Scene<'_>, ids: &[Id], scores: &mut Vec<f64>) {
        scores.clear();
        scores.resize(ids.len(), 0.0);
        self.values(scene, ids, |at, value| scores[at] = self.score_of(value));
    }

    fn words(&self, scene: Scene<'_>, id: Id) -> Option<Phrase> {
        Some(self.told(scene, id))
    }
}
