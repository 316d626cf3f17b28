//! A rule evaluation: the ranked candidates for one class of requests, kept and
//! brought up to date from the journal (Protean section 5.2.2).
//!
//! Machines are ranked in cells: a whole cluster, or one rack where any rule sees
//! racks, because all machines of a rack are alike to such a rule (section 5.2.5). Each
//! cluster's cells are made when that cluster is first selected and remember the
//! revision they have seen; bringing them up to date costs O(M log n) for M changed
//! machines.
//!
//! What is kept is true for a tenant without VMs. For one that has some, the machines and
//! racks they stand on are judged again, set for this one decision, and set back.

use alloc::vec::Vec;
use core::cmp::Ordering;

use tiebreak_model::journal::Revision;
use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Exits, Fleet, MachineId, Occupancy, RackId, Scene, VmRequest};

use super::ahead::{self, Ahead, Bounds};
use super::batch::Batch;
use super::caches::Caches;
use super::cluster_order::{ClusterOrder, SharedClusters};
use super::judges::{Judge, RackJudges, Room, judges, together};
use super::objects::{Books, Objects};
use super::packed::{Field, PackedKey};
use super::ranking::{Best, Bests, Bits, CellOf, Chunk, Rankings, best_keys, joined, skip};
use super::shared::{Shared, judge_directly};
use super::ties::Ties;
use super::weights::{self, Weight, best, distinct};
use crate::lifetime::temporal::Span;
use crate::network::gate::{Gate, Pass};
use crate::network::uplink::UplinkField;
use crate::policy::{Moment, Policy, nobody};
use crate::power::chassis::ChassisField;

/// The cells of one cluster, as of a revision.
struct Cells<K> {
    revision: Revision,
    used_at: u64,
    rankings: Rankings<K>,
    /// Each cell's best key under all rules, rack rules too, and how many machines have it.
    bests: Bests<K>,
    /// Each cell's machines in bits, where those are of use.
    bits: Vec<Bits>,
    /// Where a rule about chassis breaks ties.
    ties: Option<Ties<K>>,
}

impl<K: PackedKey> Cells<K> {
    /// Gives a machine another key.
    #[inline]
    fn set_key(&mut self, cell: usize, index: usize, key: K) {
        if self.rankings.key(cell, index) == key {
            return;
        }
        let before = self.rankings.best(cell).0;
        self.rankings.set(cell, index, key);
        let best = self.rankings.best(cell).0;
        if let Some(ties) = self.ties_mut() {
            return ties.set_key(cell, index, key, (before, best));
        }
        let Some(bits) = self.bits.get_mut(cell) else { return };
        let bit = 1 << index;
        let with = |bits: u64, has: bool| if has { bits | bit } else { bits & !bit };
        *bits = match best.cmp(&before) {
            Ordering::Less => Bits { valid: bits.valid | bit, best: bit },
            Ordering::Equal => {
                let valid = key != K::INVALID;
                Bits { valid: with(bits.valid, valid), best: with(bits.best, valid && key == best) }
            }
            Ordering::Greater => self.rankings.bits(cell),
        };
    }

    /// What the rack of a cell with a valid machine adds to every key there.
    fn rack_part(&self, cell: usize) -> K {
        self.bests.cells[cell].0.less(self.rankings.best(cell).0)
    }

    /// Gives a cell another best; what breaks ties there may be another too.
    #[inline]
    fn set_best(&mut self, cell: usize, best: Best<K>) {
        self.bests.set(cell, best);
        if let Some(ties) = self.ties_mut() {
            ties.change(cell);
        }
    }

    #[inline]
    fn ties_mut(&mut self) -> Option<&mut Ties<K>> {
        self.ties.as_mut()
    }

    /// Its ties, where a rule about chassis breaks them.
    fn ties(&self) -> &Ties<K> {
        self.ties.as_ref().expect("a rule about chassis breaks ties")
    }

    /// A cell with a valid machine, whose first machine has this id.
    fn of(&self, cell: usize, first: u32) -> CellOf<'_, K> {
        CellOf { rankings: &self.rankings, cell, rack: self.rack_part(cell), first }
    }
}

/// What all evaluations of an agent share: the layers below them, and room for work.
pub(crate) struct Kit<K> {
    pub(crate) caches: Caches,
    pub(crate) shared: Shared<K>,
    pub(crate) clusters: SharedClusters,
    pub(crate) objects: Objects,
    room: Room,
    batch: Batch,
    keys: Vec<K>,
    selected: Vec<ClusterId>,
    patches: Vec<Patch<K>>,
    /// What temporal preferences say of the VM being decided.
    pub(crate) moment: Vec<Moment>,
    /// The moment, and how far ahead of it machines are expected to be free, where one rule asks
    /// and racks are ranked apart.
    pub(crate) now_s: u32,
    ahead: Option<Ahead>,
    /// Whether racks are ranked apart.
    by_rack: bool,
    /// What the list says of machines' uplinks.
    uplinks: Vec<UplinkField>,
    /// What it says of their chassis, to a VM that is user-facing or not.
    chassis: Vec<ChassisField>,
    pub(crate) user_facing: bool,
    /// Whether racks are small enough for bits.
    in_bits: bool,
    tied: Vec<Tied>,
}

/// What a tenant's VMs changed for one decision.
struct Patch<K> {
    cluster: ClusterId,
    machines: Vec<(u32, u32, K)>,
    bests: Vec<(u32, Best<K>)>,
}

impl<K: PackedKey> Kit<K> {
    pub(crate) fn new(policy: &Policy, caches: Caches, fleet: &Fleet) -> Self {
        let (nobody, clusters) = (nobody(), fleet.clusters().len());
        let is_small = |rack: u32| fleet.machines_of_rack(RackId(rack)).len() <= ahead::MACHINES_MAX;
        let chassis = policy.chassis();
        let by_rack = caches.cells && (policy.sees_racks() || !chassis.is_empty());
        let in_bits = by_rack && (0..fleet.rack_count()).all(is_small);
        let unit_s = policy.unit_s().filter(|_| in_bits);
        Self {
            shared: Shared::new(judges(policy, &nobody).1, RackJudges::new(policy, &nobody).1, clusters),
            clusters: SharedClusters::new(policy, clusters, &nobody),
            objects: Objects::new(caches.object_pool as usize, clusters),
            caches,
            room: Room::default(),
            batch: Batch::default(),
            keys: Vec::new(),
            selected: Vec::new(),
            patches: Vec::new(),
            moment: Vec::new(),
            now_s: 0,
            by_rack,
            ahead: unit_s.map(Ahead::new),
            uplinks: policy.uplinks(),
            in_bits,
            chassis,
            user_facing: false,
            tied: Vec::new(),
        }
    }

    /// The field of the one rule about chassis, where it breaks ties rack by rack.
    fn tiebreaker(&self) -> Option<Field> {
        match &*self.chassis {
            [rule] if self.in_bits => Some(rule.field),
            _ => None,
        }
    }
}

/// Which machine of those that were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draw {
    /// The number drawn.
    pub number: u64,
    /// Choose among this many best machines instead of those tied for best: Protean's conflict
    /// avoidance (section 5.3).
    pub among: Option<u32>,
}

/// A machine found, and how many it was drawn from.
pub(crate) type Found = (MachineId, u32);

/// One class of requests.
pub(crate) struct Evaluation<K> {
    order: ClusterOrder,
    racks: RackJudges,
    judges: Vec<Judge>,
    fields: Vec<Field>,
    weights: Option<Vec<Weight>>,
    best_clusters: usize,
    /// Whether any rule sees racks, and whether racks are ranked apart.
    sees_racks: bool,
    by_rack: bool,
    /// Whether machine or rack rules see the asking tenant's VMs.
    sees_tenant: bool,
    /// Whether machines of a cell are kept in bits.
    has_bits: bool,
    /// Whether the shared state serves this class.
    is_common: bool,
    cells: Vec<Option<Cells<K>>>,
    /// Where the best was found last, where rules move with the clock.
    found_last: (ClusterId, u32),
}

impl<K: PackedKey> Evaluation<K> {
    /// Binds the policy to a class of requests; nothing is ranked yet.
    pub(crate) fn new(policy: &Policy, kit: &Kit<K>, clusters: usize, vm: &VmRequest) -> Self {
        let weights = policy.machine_preferences.iter().map(crate::policy::MachineStage::weight).collect();
        Self {
            order: ClusterOrder::new(policy, clusters, vm),
            racks: RackJudges::new(policy, vm).0,
            judges: judges(policy, vm).0,
            fields: policy.fields.clone(),
            weights: policy.weighted.then_some(weights),
            best_clusters: policy.best_clusters as usize,
            sees_racks: policy.sees_racks(),
            by_rack: kit.by_rack,
            has_bits: kit.ahead.is_some(),
            sees_tenant: policy.minds_company(vm),
            is_common: policy.is_common(vm),
            cells: (0..clusters).map(|_| None).collect(),
            found_last: (ClusterId::of(0), 0),
        }
    }

    /// The machine that this draw gives, now; none when no machine is valid.
    pub(crate) fn choose(
        &mut self,
        scene: Scene<'_>,
        draw: Draw,
        gate: Option<&Gate<'_>>,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        self.order.write(scene, &mut kit.clusters, &mut kit.selected);
        let mut selected = core::mem::take(&mut kit.selected);
        let mut found = None;
        // The best k clusters; where none of their machines is valid, the next k.
        for some in selected.chunks_mut(self.best_clusters) {
            some.sort_unstable();
            self.refresh(scene.occupancy, some, u64::MAX, kit, books);
            self.patch(scene, some, kit);
            found = self.choose_among(scene.occupancy, some, draw, gate, kit, books);
            self.unpatch(kit);
            if found.is_some() {
                break;
            }
        }
        kit.selected = selected;
        found
    }

    fn choose_among(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        draw: Draw,
        gate: Option<&Gate<'_>>,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let fleet = occupancy.fleet();
        // What says the same of all machines changes no order.
        let linked = gate.is_some() || !kit.uplinks.is_empty();
        let timeless = !linked && kit.moment.iter().all(|(steps, _)| steps.constant().is_some());
        let by_chassis = !kit.chassis.is_empty();
        let tied = timeless && by_chassis && kit.tiebreaker().is_some();
        let (joined, timeless) = (linked || by_chassis, timeless && !by_chassis);
        match (self.weights.as_ref(), draw.among) {
            (None, None) if timeless => self.choose_best(fleet, clusters, draw, books),
            (None, None) if tied => self.choose_tied(occupancy, clusters, draw, kit, books),
            (None, None) if joined => self.choose_joined(occupancy, clusters, draw.number, gate, kit, books),
            (None, None) => self.choose_at_moment(occupancy, clusters, draw.number, kit, books),
            (None, Some(among)) if timeless => self.choose_near_best(fleet, clusters, draw.number, among),
            (None, Some(among)) => {
                let live = Live::new(occupancy, gate, kit);
                self.choose_near_best_at_moment(fleet, clusters, draw.number, among, &live)
            }
            (Some(weights), among) => {
                let live = Live::new(occupancy, gate, kit);
                self.choose_weighted(fleet, clusters, weights, (draw.number, among), &live)
            }
        }
    }

    /// The best where rules move with the clock. What is ranked leaves their fields empty; the
    /// latest exits of the machines below a node bound what those fields can be. So most nodes are
    /// passed over, and only machines that may be among the best are asked.
    fn choose_at_moment(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        number: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let Kit { moment, tied, now_s, ahead, .. } = kit;
        let (exits, fleet) = (occupancy.exits(), occupancy.fleet());
        if let (Some(ahead), [(steps, _)]) = (&mut *ahead, &**moment) {
            ahead.refresh(occupancy, steps.exit(), *now_s);
        }
        let ahead = ahead.as_ref();
        let mut search = Search::new(exits, moment, ahead);
        // Where the last one of this class was found there may be another: a bound to begin with.
        let (hint, at) = self.found_last;
        if let Some(cells) = self.cells[hint.index()].as_ref().filter(|_| clusters.contains(&hint)) {
            search.look_into(cells, &self.cell(fleet, hint, at));
        }
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            books.counters.cells_compared += cells.bests.cells.len() as u64;
            for (at, (key, count)) in (0..).zip(&cells.bests.cells) {
                if *count > 0 && search.may_beat(*key) && search.look_into(cells, &self.cell(fleet, *cluster, at)) {
                    self.found_last = (*cluster, at);
                }
            }
        }
        if search.best == K::INVALID {
            return None;
        }
        tied.clear();
        let (mut count, terms) = (0, search.terms());
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            let racks = fleet.cluster(*cluster).racks().start as usize;
            for (at, best) in (0..).zip(&cells.bests.cells).filter(|(_, best)| best.1 > 0 && best.0 <= search.best) {
                let many = match terms.tied_by_bits(cells, at as usize, *best, racks) {
                    Some(many) => many,
                    None => search.count_tied(&terms, cells, &self.cell(fleet, *cluster, at)),
                };
                if many > 0 {
                    tied.push(Tied { cluster: *cluster, cell: at, many });
                    count += many;
                }
            }
        }
        let mut nth = pick(number, count);
        let Tied { cluster, cell, .. } = tied[skip(tied.iter().map(|tied| tied.many), &mut nth)];
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        Some((MachineId(search.nth_tied(&terms, cells, &self.cell(fleet, cluster, cell), nth)), count))
    }

    /// A cell among all.
    #[inline]
    fn cell(&self, fleet: &Fleet, cluster: ClusterId, at: u32) -> Place {
        let rack = fleet.cluster(cluster).racks().start + at;
        Place { at: at as usize, rack: rack as usize, first: self.first_machine(fleet, cluster, at) }
    }

    /// The best where links need bandwidth or rules look at uplinks or chassis. Blocks of machines that
    /// the network has no room for, or that cannot be better than the best so far, are passed over; of
    /// those it has room for on every machine, the best key is known where nothing joins it.
    fn choose_joined(
        &self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        number: u64,
        gate: Option<&Gate<'_>>,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let mut tied = core::mem::take(&mut kit.tied);
        tied.clear();
        let (fleet, live) = (occupancy.fleet(), Live::new(occupancy, gate, kit));
        // What the cell that is ranked first has is a bound to begin with: most others are passed over.
        let mut best = self.ranked_first(clusters).map_or(K::INVALID, |(cluster, at)| {
            let cells = self.cells[cluster.index()].as_ref().expect("it is ranked");
            live.best_of_cell(cells, &self.cell(fleet, cluster, at), K::INVALID).0
        });
        for cluster in clusters {
            let Some(cells) = &self.cells[cluster.index()] else { continue };
            books.counters.cells_compared += cells.bests.cells.len() as u64;
            for (at, (ranked, count)) in (0..).zip(&cells.bests.cells) {
                if *count == 0 || *ranked > best {
                    continue;
                }
                let cell = self.cell(fleet, *cluster, at);
                let (key, many) = live.best_of_cell(cells, &cell, best);
                if key < best {
                    tied.clear();
                    best = key;
                }
                if many > 0 && key == best {
                    tied.push(Tied { cluster: *cluster, cell: at, many });
                }
            }
        }
        let count = tied.iter().map(|tied| tied.many).sum();
        let found = (count > 0).then(|| {
            let mut nth = pick(number, count);
            let Tied { cluster, cell, .. } = tied[skip(tied.iter().map(|tied| tied.many), &mut nth)];
            let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
            (MachineId(live.nth_of_cell(cells, &self.cell(fleet, cluster, cell), best, nth)), count)
        });
        kit.tied = tied;
        found
    }

    /// The cell whose machines are ranked first, whatever the network has room for.
    fn ranked_first(&self, clusters: &[ClusterId]) -> Option<(ClusterId, u32)> {
        let mut first = (K::INVALID, None);
        for cluster in clusters {
            let Some(cells) = self.cells[cluster.index()].as_ref().filter(|cells| cells.bests.best.0 < first.0) else {
                continue;
            };
            let at = cells.bests.cells.iter().position(|(key, count)| *count > 0 && *key == cells.bests.best.0);
            first = (cells.bests.best.0, at.map(|at| (*cluster, at as u32)));
        }
        first.1
    }

    /// Conflict avoidance where rules move with the clock, or look at uplinks or chassis.
    fn choose_near_best_at_moment(
        &self,
        fleet: &Fleet,
        clusters: &[ClusterId],
        number: u64,
        among: u32,
        live: &Live<'_>,
    ) -> Option<Found> {
        let mut near: Vec<(K, u32)> = Vec::new();
        for it in clusters.iter().flat_map(|cluster| self.cells_of(fleet, *cluster)) {
            let valid = it.rankings.valid(it.cell).map(|(at, key)| (it.first + at as u32, it.rack.plus(key)));
            near.extend(valid.filter_map(|(machine, key)| Some((live.key(machine, key)?, machine))));
        }
        near.sort_unstable();
        near.truncate(among as usize);
        let count = near.len() as u32;
        (count > 0).then(|| (MachineId(near[pick(number, count) as usize].1), count))
    }

    fn choose_best(&self, fleet: &Fleet, clusters: &[ClusterId], draw: Draw, books: &mut Books<'_>) -> Option<Found> {
        let Drawn { cluster, cell, nth, best } = self.draw_cell(clusters, draw, books, |cells| &cells.bests)?;
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        let first = self.first_machine(fleet, cluster, cell as u32);
        Some((MachineId(first + cells.rankings.nth_best(cell, nth) as u32), best.1))
    }

    /// The best where a rule about chassis breaks ties, and nothing else is asked anew.
    fn choose_tied(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        draw: Draw,
        kit: &Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let (fleet, asker) = (occupancy.fleet(), kit.chassis[0].asker(occupancy, kit.user_facing));
        for cluster in clusters {
            let racks = fleet.cluster(*cluster).racks().start;
            if let Some(Cells { ties: Some(ties), rankings, bests, .. }) = &mut self.cells[cluster.index()] {
                ties.settle((rankings, bests), RackId(racks), &asker);
            }
        }
        let Drawn { cluster, cell, nth, best } =
            self.draw_cell(clusters, draw, books, |cells| cells.ties().bests(asker.kind()))?;
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        let rack = RackId(fleet.cluster(cluster).racks().start + cell as u32);
        let first = fleet.machines_of_rack(rack).start;
        Some((MachineId(first + cells.ties().nth_best((&cells.rankings, cell), rack, &asker, nth)), best.1))
    }

    /// Which cell has the machine that is drawn of all that are best, by these bests.
    fn draw_cell(
        &self,
        clusters: &[ClusterId],
        draw: Draw,
        books: &mut Books<'_>,
        bests: impl Fn(&Cells<K>) -> &Bests<K>,
    ) -> Option<Drawn<K>> {
        let cells = |cluster: &ClusterId| self.cells[cluster.index()].as_ref().map(|cells| (*cluster, bests(cells)));
        let cells = || clusters.iter().filter_map(cells);
        let best = cells().fold((K::INVALID, 0), |best, (_, bests)| joined(best, bests.best));
        books.counters.cells_compared += cells().map(|(_, bests)| bests.cells.len() as u64).sum::<u64>();
        if best.1 == 0 {
            return None;
        }
        let mut nth = pick(draw.number, best.1);
        for (cluster, bests) in cells().filter(|(_, bests)| bests.best.0 == best.0) {
            if nth >= bests.best.1 {
                nth -= bests.best.1;
                continue;
            }
            let tied = |(key, count): &Best<K>| if *key == best.0 { *count } else { 0 };
            let cell = skip(bests.cells.iter().map(tied), &mut nth);
            return Some(Drawn { cluster, cell, nth, best });
        }
        None
    }

    /// Conflict avoidance: any of the best few, whether tied or not.
    fn choose_near_best(&self, fleet: &Fleet, clusters: &[ClusterId], number: u64, among: u32) -> Option<Found> {
        let cells = clusters.iter().flat_map(|cluster| self.cells_of(fleet, *cluster));
        let near: Vec<_> = best_keys(cells, among as usize).collect();
        let count = near.len() as u32;
        (count > 0).then(|| (MachineId(near[pick(number, count) as usize]), count))
    }

    /// The cells of a cluster that hold a valid machine.
    fn cells_of<'a>(&'a self, fleet: &'a Fleet, cluster: ClusterId) -> impl Iterator<Item = CellOf<'a, K>> + 'a {
        let cells = self.cells[cluster.index()].iter();
        let bests =
            cells.flat_map(|cells| cells.bests.cells.iter().enumerate().map(move |(at, best)| (cells, at, best)));
        bests
            .filter(|(_, _, (_, count))| *count > 0)
            .map(move |(cells, cell, _)| cells.of(cell, self.first_machine(fleet, cluster, cell as u32)))
    }

    /// Weights set by hand: all candidates are grouped by their buckets and the groups compared.
    fn choose_weighted(
        &self,
        fleet: &Fleet,
        clusters: &[ClusterId],
        weights: &[Weight],
        (number, among): (u64, Option<u32>),
        live: &Live<'_>,
    ) -> Option<Found> {
        let mut rows: Vec<(Vec<u64>, MachineId)> = Vec::new();
        for it in clusters.iter().flat_map(|cluster| self.cells_of(fleet, *cluster)) {
            for (at, key) in it.rankings.valid(it.cell) {
                let machine = it.first + at as u32;
                let Some(key) = live.key(machine, it.rack.plus(key)) else { continue };
                let buckets = self.fields.iter().map(|field| key.bucket(*field)).collect();
                rows.push((buckets, MachineId(machine)));
            }
        }
        rows.sort_unstable();
        let best: Vec<MachineId> = best_machines(weights, rows, among);
        let count = best.len() as u32;
        (count > 0).then(|| (best[pick(number, count) as usize], count))
    }

    fn first_machine(&self, fleet: &Fleet, cluster: ClusterId, cell: u32) -> u32 {
        let cluster = fleet.cluster(cluster);
        if self.by_rack {
            fleet.machines_of_rack(RackId(cluster.racks().start + cell)).start
        } else {
            cluster.machines().start
        }
    }

    /// Brings everything that is kept up to date, as far as `budget` machines go; how many were
    /// ranked again.
    pub(crate) fn refresh_all(
        &mut self,
        occupancy: &Occupancy,
        budget: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> u64 {
        let kept: Vec<_> = (0..self.cells.len()).filter(|at| self.cells[*at].is_some()).map(ClusterId::of).collect();
        let before = books.counters.refreshed;
        self.refresh(occupancy, &kept, budget, kit, books);
        let done = books.counters.refreshed - before;
        books.counters.refreshed = before;
        done
    }

    /// Forgets the cells of clusters that were not selected since then.
    pub(crate) fn forget_cells_unused_since(&mut self, then: u64) {
        for cells in &mut self.cells {
            if cells.as_ref().is_some_and(|cells| cells.used_at < then) {
                *cells = None;
            }
        }
    }

    /// Brings clusters' cells up to date, as far as `budget` machines go.
    fn refresh(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        budget: u64,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) {
        let mut batch = core::mem::take(&mut kit.batch);
        batch.clear();
        for cluster in clusters {
            let cells = self.cells[cluster.index()].as_mut();
            let seen = cells.map(|cells| {
                cells.used_at = books.now;
                cells.revision
            });
            let seen = seen.filter(|_| kit.caches.journal);
            let stale = seen.is_none_or(|seen| seen < occupancy.journal().revision_of_cluster(*cluster));
            if stale && (batch.machines.len() as u64) < budget {
                batch.add(occupancy, *cluster, seen);
                if seen.is_some() && self.sees_racks && !self.by_rack {
                    batch.widen_to_racks(occupancy.fleet());
                }
            }
        }
        if !batch.parts.is_empty() {
            books.counters.refreshed += batch.machines.len() as u64;
            self.key_batch(occupancy, &batch, kit, books);
            self.rank_batch(occupancy, &batch, kit, books.now);
        }
        kit.batch = batch;
    }

    /// The keys of a batch of machines under the machine rules, layer by layer, into `kit.keys`.
    fn key_batch(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>, books: &mut Books<'_>) {
        let Kit { caches, shared, objects, room, keys, .. } = kit;
        let scene = Scene::of(occupancy);
        if !self.is_common {
            keys.clear();
            keys.resize(batch.machines.len(), K::ZERO);
        } else if caches.shared_state {
            shared.update(occupancy, batch.parts.iter().map(|part| part.cluster), (room, books));
            shared.keys(occupancy, batch, keys);
        } else {
            keys.clear();
            keys.resize(batch.machines.len(), K::ZERO);
            judge_directly(shared.judges(), scene, &batch.machines, (room, keys));
        }
        if caches.rule_objects && caches.object_pool > 0 {
            for judge in &mut self.judges {
                objects.verdicts(judge, occupancy, batch, (room, books), |at, judge, verdict| {
                    judge.apply(&mut keys[at], verdict);
                });
            }
        } else {
            judge_directly(&self.judges, scene, &batch.machines, (room, keys));
        }
        if self.sees_racks && !self.by_rack {
            for part in &batch.parts {
                self.add_racks(
                    scene,
                    part.cluster,
                    &batch.machines[part.range()],
                    kit.caches.shared_state,
                    (&kit.shared, &mut kit.keys[part.range()]),
                );
            }
        }
    }

    /// The racks' part of the keys, where racks are not ranked apart.
    fn add_racks(
        &self,
        scene: Scene<'_>,
        cluster: ClusterId,
        machines: &[MachineId],
        kept: bool,
        (shared, keys): (&Shared<K>, &mut [K]),
    ) {
        let mut last: Option<(RackId, K)> = None;
        for (machine, key) in machines.iter().zip(keys) {
            let rack = scene.occupancy.fleet().rack_of(*machine);
            let part = match last {
                Some((same, part)) if same == rack => part,
                _ => self.rack_key(scene, cluster, rack, kept, shared),
            };
            last = Some((rack, part));
            *key = together(*key, part);
        }
    }

    /// A rack's part of all keys of this class; `kept` reads the shared state, which is that of
    /// a tenant without VMs.
    fn rack_key(&self, scene: Scene<'_>, cluster: ClusterId, rack: RackId, kept: bool, shared: &Shared<K>) -> K {
        if !self.is_common {
            return self.racks.key(scene, rack);
        }
        let alike = if kept {
            let first = scene.occupancy.fleet().cluster(cluster).racks().start;
            shared.rack(cluster, (rack.0 - first) as usize)
        } else {
            shared.judge_rack(scene, rack)
        };
        if alike == K::INVALID { alike } else { together(alike, self.racks.key(scene, rack)) }
    }

    /// Gives a batch of machines their new keys, and the cells they stand in their new best.
    fn rank_batch(&mut self, occupancy: &Occupancy, batch: &Batch, kit: &mut Kit<K>, now: u64) {
        let (fleet, scene, kept) = (occupancy.fleet(), Scene::of(occupancy), kit.caches.shared_state);
        for part in &batch.parts {
            let keys = &kit.keys[part.range()];
            let mut cells = match self.cells[part.cluster.index()].take() {
                Some(cells) => cells,
                None => self.build_cells(fleet, part.cluster, keys, (kit.tiebreaker(), now)),
            };
            for (machine, key) in batch.machines[part.range()].iter().zip(keys) {
                let (cell, index) = place(fleet, part.cluster, *machine, self.by_rack);
                cells.set_key(cell, index, *key);
                let best = cells.rankings.best(cell);
                cells.set_best(cell, self.best_of(scene, part.cluster, cell as u32, best, (kept, &kit.shared)));
            }
            cells.revision = occupancy.revision();
            self.cells[part.cluster.index()] = Some(cells);
        }
    }

    /// The cells of a cluster, none of them compared yet.
    fn build_cells(
        &self,
        fleet: &Fleet,
        cluster: ClusterId,
        keys: &[K],
        (tiebreaker, now): (Option<Field>, u64),
    ) -> Cells<K> {
        let whole = fleet.cluster(cluster);
        let racks = whole.racks().map(|rack| fleet.machines_of_rack(RackId(rack)).len());
        let rankings = if self.by_rack {
            Rankings::build(keys.to_vec(), racks)
        } else {
            Rankings::build(keys.to_vec(), core::iter::once(whole.machines().len()))
        };
        let bits = (0..rankings.len()).filter(|_| self.has_bits).map(|cell| rankings.bits(cell)).collect();
        let ties = tiebreaker.map(|field| Ties::new(field, rankings.len()));
        Cells { revision: Revision(0), used_at: now, bests: Bests::none(rankings.len()), rankings, bits, ties }
    }

    /// A cell's best key under all rules (Protean section 5.2.5), and how many have it.
    fn best_of(
        &self,
        scene: Scene<'_>,
        cluster: ClusterId,
        cell: u32,
        (key, count): Best<K>,
        (kept, shared): (bool, &Shared<K>),
    ) -> Best<K> {
        if !self.by_rack || count == 0 {
            return (key, count);
        }
        let rack = RackId(scene.occupancy.fleet().cluster(cluster).racks().start + cell);
        let part = self.rack_key(scene, cluster, rack, kept, shared);
        if part == K::INVALID { (K::INVALID, 0) } else { (key.plus(part), count) }
    }

    /// Sets what the asking tenant's VMs change, for one decision.
    fn patch(&mut self, scene: Scene<'_>, clusters: &[ClusterId], kit: &mut Kit<K>) {
        if !self.sees_tenant || scene.footprint.is_empty() {
            return;
        }
        let fleet = scene.occupancy.fleet();
        let mut batch = core::mem::take(&mut kit.batch);
        for cluster in clusters {
            batch.clear();
            batch.add_some(*cluster, scene.footprint.machines_in(fleet.cluster(*cluster).machines()));
            if self.sees_racks && !self.by_rack {
                batch.widen_to_racks(fleet);
            }
            if !batch.machines.is_empty() {
                let patch = self.patch_cluster(scene, *cluster, &batch.machines, kit);
                kit.patches.push(patch);
            }
        }
        kit.batch = batch;
    }

    /// Judges the machines of one cluster anew, without any layer: what is kept knows no tenant.
    fn patch_cluster(
        &mut self,
        scene: Scene<'_>,
        cluster: ClusterId,
        machines: &[MachineId],
        kit: &mut Kit<K>,
    ) -> Patch<K> {
        let Kit { shared, room, keys, .. } = kit;
        keys.clear();
        keys.resize(machines.len(), K::ZERO);
        if self.is_common {
            judge_directly(shared.judges(), scene, machines, (room, keys));
        }
        judge_directly(&self.judges, scene, machines, (room, keys));
        if self.sees_racks && !self.by_rack {
            self.add_racks(scene, cluster, machines, false, (shared, keys));
        }
        let fleet = scene.occupancy.fleet();
        let mut cells = self.cells[cluster.index()].take().expect("the cluster was brought up to date");
        let mut patch = Patch { cluster, machines: Vec::new(), bests: Vec::new() };
        for (machine, key) in machines.iter().zip(&*keys) {
            let (cell, index) = place(fleet, cluster, *machine, self.by_rack);
            patch.machines.push((cell as u32, index as u32, cells.rankings.key(cell, index)));
            cells.set_key(cell, index, *key);
            if patch.bests.last().is_none_or(|(last, _)| *last != cell as u32) {
                patch.bests.push((cell as u32, cells.bests.cells[cell]));
            }
        }
        for (cell, _) in &patch.bests {
            let best = cells.rankings.best(*cell as usize);
            cells.set_best(*cell as usize, self.best_of(scene, cluster, *cell, best, (false, shared)));
        }
        self.cells[cluster.index()] = Some(cells);
        patch
    }

    fn unpatch(&mut self, kit: &mut Kit<K>) {
        for patch in kit.patches.drain(..) {
            let cells = self.cells[patch.cluster.index()].as_mut().expect("what was patched is there");
            for (cell, index, key) in patch.machines {
                cells.set_key(cell as usize, index as usize, key);
            }
            for (cell, best) in patch.bests {
                cells.set_best(cell as usize, best);
            }
        }
    }

    /// Bytes of its rankings.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |cells: &Cells<K>| {
            let of_ties = cells.ties.as_ref().map_or(0, Ties::bytes);
            let of_cells = cells.bests.bytes() + of_ties + cells.bits.capacity() * size_of::<Bits>();
            (of_cells + cells.rankings.bytes()) as u64
        };
        self.cells.iter().flatten().map(bytes).sum()
    }
}

/// The best of machines in ascending order of buckets: those tied for best by id, or the best
/// few of them all.
pub(crate) fn best_machines(
    weights: &[Weight],
    mut rows: Vec<(Vec<u64>, MachineId)>,
    among: Option<u32>,
) -> Vec<MachineId> {
    if let Some(among) = among {
        weights::best_first(weights, &mut rows);
        return rows.into_iter().take(among as usize).map(|(_, machine)| machine).collect();
    }
    let (vectors, members) = distinct(rows.iter().map(|(buckets, _)| buckets));
    let tied = best(weights, &vectors, &members).at;
    let is_best = |buckets: &Vec<u64>| tied.iter().any(|at| vectors[*at] == *buckets);
    let mut best: Vec<_> = rows.iter().filter(|(buckets, _)| is_best(buckets)).map(|(_, machine)| *machine).collect();
    best.sort_unstable();
    best
}

/// A machine drawn of all that are best: the `nth` of those in its cell.
struct Drawn<K> {
    cluster: ClusterId,
    cell: usize,
    nth: u32,
    best: Best<K>,
}

/// Machines of a cell that are tied for best at one moment.
#[derive(Clone, Copy)]
struct Tied {
    cluster: ClusterId,
    cell: u32,
    many: u32,
}

/// A cell: its place in its cluster, its rack where it is one, and its first machine.
struct Place {
    at: usize,
    rack: usize,
    first: u32,
}

/// A search for the best machines at one moment.
struct Search<'a, K> {
    exits: &'a Exits,
    moment: &'a [Moment],
    ahead: Option<&'a Ahead>,
    favoured: Option<Favoured<'a>>,
    best: K,
}

/// Where one rule moves with the clock: its least level, the next one, and the exits of the least.
struct Favoured<'a> {
    field: Field,
    least: u64,
    next: u64,
    span: Span,
    bounds: Option<Bounds<'a>>,
}

/// What machines must have to be tied for best: the best key without the fields of the moment, and
/// the exits that give those, where one rule moves with the clock and they are of few pieces.
struct Terms<'a, K> {
    alone: K,
    span: Option<Span>,
    bounds: Option<Bounds<'a>>,
}

impl<K: PackedKey> Terms<'_, K> {
    /// How many machines of a cell are tied for best, if that can be said without asking any.
    #[inline]
    fn tied_by_bits(&self, cells: &Cells<K>, at: usize, (key, count): Best<K>, racks: usize) -> Option<u32> {
        let bounds = self.bounds.as_ref().filter(|_| key == self.alone)?;
        let (best, rack) = (cells.bits[at].best, racks + at);
        let surely = bounds.surely(rack);
        if best & !surely == 0 {
            return Some(count);
        }
        (best & bounds.maybe(rack) & !surely == 0).then(|| (best & surely).count_ones())
    }
}

impl<'a, K: PackedKey> Search<'a, K> {
    fn new(exits: &'a Exits, moment: &'a [Moment], ahead: Option<&'a Ahead>) -> Self {
        let favoured = match moment {
            [(steps, field)] => {
                let (least, next) = steps.two_least();
                steps.span(least).zip(next).map(|(span, next)| Favoured {
                    field: *field,
                    least: least.into(),
                    next: next.into(),
                    span,
                    bounds: ahead.map(|ahead| ahead.bounds(&span)),
                })
            }
            _ => None,
        };
        Self { exits, moment, ahead, favoured, best: K::INVALID }
    }

    /// Whether a machine of a cell with this best key may be better than the best so far.
    #[inline]
    fn may_beat(&self, key: K) -> bool {
        match &self.favoured {
            Some(it) => key.with(it.field, it.least) < self.best,
            None => key < self.best,
        }
    }

    /// Looks for a better machine among those of a cell; whether there is one.
    fn look_into(&mut self, cells: &Cells<K>, cell: &Place) -> bool {
        let before = self.best;
        if !self.is_worth_it(cells, cell) {
            return false;
        }
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if !self.may_hold_better(&chunk, rack) {
                continue;
            }
            for (machine, key) in (chunk.first..).zip(chunk.keys) {
                let key = rack.plus(*key);
                if key < self.best {
                    self.best = self.best.min(at_moment(self.exits, self.moment, machine, key));
                }
            }
        }
        self.best < before
    }

    /// Whether a cell may hold a better machine, by bits: one with an exit of the least level, or
    /// one that is better even without.
    #[inline]
    fn is_worth_it(&self, cells: &Cells<K>, cell: &Place) -> bool {
        let Some(Favoured { field, next, bounds: Some(bounds), .. }) = &self.favoured else { return true };
        cells.bits[cell.at].valid & bounds.maybe(cell.rack) != 0
            || cells.bests.cells[cell.at].0.with(*field, *next) < self.best
    }

    /// Whether a machine under a node may be better than the best so far: by the latest exits below
    /// it, and else, by whether any machine with an exit of the least level is.
    fn may_hold_better(&self, chunk: &Chunk<'_, K>, rack: K) -> bool {
        let latest = self.exits.latest(chunk.machines());
        let bound = |key: K, (steps, field): &Moment| key.with(*field, u64::from(steps.least(latest)));
        if self.moment.iter().fold(rack.plus(chunk.best), bound) >= self.best {
            return false;
        }
        let Some(Favoured { field, least, next, span, .. }) = &self.favoured else { return true };
        if rack.plus(chunk.best).with(*field, *next) < self.best {
            return true;
        }
        let favoured = rack.with(*field, *least);
        span.count(self.exits, chunk.first, chunk.keys, |key| favoured.plus(key) < self.best) > 0
    }

    /// How many machines of a cell have the best key.
    fn count_tied(&self, terms: &Terms<'_, K>, cells: &Cells<K>, cell: &Place) -> u32 {
        let rack = cells.rack_part(cell.at);
        let alone = terms.alone.less(rack);
        let chunks = cells.rankings.chunks(cell.at, cell.first).filter(|chunk| chunk.best <= alone);
        let many = |chunk: Chunk<'_, K>| match &terms.span {
            Some(span) => span.count(self.exits, chunk.first, chunk.keys, |key| key == alone),
            None => self.are_tied(terms, &chunk, rack).map(u32::from).sum(),
        };
        chunks.map(many).sum()
    }

    fn terms(&self) -> Terms<'a, K> {
        let alone = self.moment.iter().fold(self.best, |key, (_, field)| key.without(*field));
        let span = match self.moment {
            [(steps, field)] => steps.span(self.best.bucket(*field) as u32),
            _ => None,
        };
        Terms { alone, span, bounds: self.ahead.zip(span).map(|(ahead, span)| ahead.bounds(&span)) }
    }

    /// Which machines under a node have the best key, one after the other.
    fn are_tied<'c>(
        &'c self,
        terms: &'c Terms<'_, K>,
        chunk: &'c Chunk<'_, K>,
        rack: K,
    ) -> impl Iterator<Item = bool> + 'c {
        let alone = terms.alone.less(rack);
        let of_the_moment = move |machine| match &terms.span {
            Some(span) => span.has(self.exits.of(MachineId(machine))),
            None => at_moment(self.exits, self.moment, machine, rack.plus(alone)) == self.best,
        };
        (chunk.first..).zip(chunk.keys).map(move |(machine, key)| *key == alone && of_the_moment(machine))
    }

    /// The `nth` of them in a cell.
    fn nth_tied(&self, terms: &Terms<'_, K>, cells: &Cells<K>, cell: &Place, mut nth: u32) -> u32 {
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            for (machine, is_tied) in (chunk.first..).zip(self.are_tied(terms, &chunk, rack)) {
                match nth.checked_sub(u32::from(is_tied)) {
                    Some(left) => nth = left,
                    None => return machine,
                }
            }
        }
        unreachable!("they were counted")
    }
}

/// Everything about machines that is asked anew for each decision: when they are expected to be free, what
/// their uplinks have left, what their chassis are expected to draw, and whether the network has room for the VM's
/// links.
struct Live<'a> {
    occupancy: &'a Occupancy,
    moment: &'a [Moment],
    uplinks: &'a [UplinkField],
    chassis: &'a [ChassisField],
    user_facing: bool,
    gate: Option<&'a Gate<'a>>,
}

impl<'a> Live<'a> {
    fn new<K>(occupancy: &'a Occupancy, gate: Option<&'a Gate<'a>>, kit: &'a Kit<K>) -> Self {
        let Kit { moment, uplinks, chassis, user_facing, .. } = kit;
        Self { occupancy, moment, uplinks, chassis, user_facing: *user_facing, gate }
    }

    /// A machine's key with all of that; none where the network has no room.
    #[inline]
    fn key<K: PackedKey>(&self, machine: u32, key: K) -> Option<K> {
        self.admits(machine).then(|| self.key_admitted(machine, key))
    }

    #[inline]
    fn admits(&self, machine: u32) -> bool {
        self.gate.is_none_or(|gate| gate.admits(MachineId(machine)))
    }

    #[inline]
    fn key_admitted<K: PackedKey>(&self, machine: u32, key: K) -> K {
        let Self { occupancy, user_facing, .. } = *self;
        let key = at_moment(occupancy.exits(), self.moment, machine, key);
        let key = self.uplinks.iter().fold(key, |key, it| it.apply(occupancy.network(), MachineId(machine), key));
        self.chassis.iter().fold(key, |key, it| it.asker(occupancy, user_facing).apply(MachineId(machine), key))
    }

    /// The least key that a machine under a node can have.
    fn bound<K: PackedKey>(&self, chunk: &Chunk<'_, K>, rack: K) -> K {
        let occupancy = self.occupancy;
        let mut bound = rack.plus(chunk.best);
        if !self.moment.is_empty() {
            let latest = occupancy.exits().latest(chunk.machines());
            let least = |key: K, (steps, field): &Moment| key.with(*field, u64::from(steps.least(latest)));
            bound = self.moment.iter().fold(bound, least);
        }
        self.uplinks.iter().fold(bound, |key, it| it.least(occupancy.network(), chunk.machines(), key))
    }

    fn pass<K: PackedKey>(&self, chunk: &Chunk<'_, K>) -> Pass {
        self.gate.map_or(Pass::All, |gate| gate.pass(chunk.machines()))
    }

    /// The best key of a cell's machines and how many have it, unless that is no better than `best`
    /// and not equal.
    fn best_of_cell<K: PackedKey>(&self, cells: &Cells<K>, cell: &Place, best: K) -> Best<K> {
        let rack = cells.rack_part(cell.at);
        let ranked_says_all = self.moment.is_empty() && self.uplinks.is_empty() && self.chassis.is_empty();
        let mut found = (best, 0);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if self.bound(&chunk, rack) > found.0 {
                continue;
            }
            match self.pass(&chunk) {
                Pass::None => {}
                Pass::All if ranked_says_all => found = joined(found, (rack.plus(chunk.best), chunk.tied)),
                _ => self.of_chunk(&chunk, rack, &mut found),
            }
        }
        found
    }

    fn of_chunk<K: PackedKey>(&self, chunk: &Chunk<'_, K>, rack: K, found: &mut Best<K>) {
        for (machine, key) in (chunk.first..).zip(chunk.keys) {
            let key = if *key == K::INVALID { continue } else { rack.plus(*key) };
            if key > found.0 {
                continue;
            }
            // Whether the network has room is asked last, and only of those that would be better.
            let key = self.key_admitted(machine, key);
            if key <= found.0 && self.admits(machine) {
                *found = joined(*found, (key, 1));
            }
        }
    }

    /// The `nth` machine of a cell with this key.
    fn nth_of_cell<K: PackedKey>(&self, cells: &Cells<K>, cell: &Place, best: K, mut nth: u32) -> u32 {
        let rack = cells.rack_part(cell.at);
        for chunk in cells.rankings.chunks(cell.at, cell.first) {
            if self.bound(&chunk, rack) > best || self.pass(&chunk) == Pass::None {
                continue;
            }
            for (machine, key) in (chunk.first..).zip(chunk.keys) {
                let is_tied = *key != K::INVALID && self.key(machine, rack.plus(*key)) == Some(best);
                match nth.checked_sub(u32::from(is_tied)) {
                    Some(left) => nth = left,
                    None => return machine,
                }
            }
        }
        unreachable!("they were counted")
    }
}

/// A machine's key with what rules that move with the clock say of it now.
#[inline]
fn at_moment<K: PackedKey>(exits: &Exits, moment: &[Moment], machine: u32, key: K) -> K {
    let exit = exits.of(MachineId(machine));
    moment.iter().fold(key, |key, (steps, field)| key.with(*field, u64::from(steps.level(exit))))
}

/// A machine's cell and its place there.
#[inline]
fn place(fleet: &Fleet, cluster: ClusterId, machine: MachineId, by_rack: bool) -> (usize, usize) {
    let cluster = fleet.cluster(cluster);
    if by_rack {
        let rack = fleet.rack_of(machine);
        let cell = rack.0 - cluster.racks().start;
        (cell as usize, (machine.0 - fleet.machines_of_rack(rack).start) as usize)
    } else {
        (0, (machine.0 - cluster.machines().start) as usize)
    }
}
