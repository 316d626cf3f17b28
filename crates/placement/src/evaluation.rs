//! A rule evaluation: the ranked candidates for one class of requests, kept and
//! brought up to date from the journal (Protean section 5.2.2).
//!
//! Machines are ranked in cells: a whole cluster, or one rack where any rule sees
//! racks, because all machines of a rack are alike to such a rule (section 5.2.5). Each
//! cluster's cells are made when that cluster is first selected and remember the
//! revision they have seen; bringing them up to date costs O(M log n) for M changed
//! machines.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::journal::Revision;
use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, RackId, VmShape};

use crate::erased::{BoundPreference, BoundValidator};
use crate::packed::{Field, PackedKey};
use crate::policy::{MachineStage, Policy};
use crate::quantize::Quantizer;
use crate::ranking::Ranking;
use crate::rule::{OfCluster, OfMachine, OfRack, Reach};

struct Scorer<R: Reach> {
    rule: Box<dyn BoundPreference<R>>,
    quantizer: Quantizer,
    field: Field,
}

struct ClusterScorer {
    rule: Box<dyn BoundPreference<OfCluster>>,
    quantizer: Quantizer,
}

/// The cells of one cluster, as of a revision.
struct Cells<K> {
    revision: Revision,
    rankings: Vec<Ranking<K>>,
    /// Each cell's best key under all rules, rack rules too, and how many machines have it;
    /// side by side, because every decision reads all of them.
    bests: Vec<(K, u32)>,
}

/// Room for work that is thrown away, kept between calls.
pub(crate) struct Scratch<K> {
    changed: Vec<MachineId>,
    valid: Vec<bool>,
    scores: Vec<f64>,
    keys: Vec<K>,
    clusters: Vec<ClusterId>,
    ordered: Vec<(Vec<u64>, ClusterId)>,
    touched: Vec<usize>,
    tied: Vec<Tied>,
}

/// A cell whose best machines are tied for best of all.
struct Tied {
    cluster: ClusterId,
    cell: u32,
    count: u32,
}

impl<K> Scratch<K> {
    pub(crate) fn new() -> Self {
        Self {
            changed: Vec::new(),
            valid: Vec::new(),
            scores: Vec::new(),
            keys: Vec::new(),
            clusters: Vec::new(),
            ordered: Vec::new(),
            touched: Vec::new(),
            tied: Vec::new(),
        }
    }
}

/// What was found: the machines tied for best.
pub(crate) struct Best<'a> {
    tied: &'a [Tied],
    /// How many there are; zero refuses the VM.
    pub(crate) count: u32,
    /// Machines that had to be looked at again.
    pub(crate) refreshed: u32,
}

/// One class of requests.
pub(crate) struct Evaluation<K> {
    cluster_validators: Vec<Box<dyn BoundValidator<OfCluster>>>,
    cluster_preferences: Vec<ClusterScorer>,
    rack_validators: Vec<Box<dyn BoundValidator<OfRack>>>,
    machine_validators: Vec<Box<dyn BoundValidator<OfMachine>>>,
    rack_preferences: Vec<Scorer<OfRack>>,
    machine_preferences: Vec<Scorer<OfMachine>>,
    best_clusters: usize,
    by_rack: bool,
    /// Whether each cluster is valid, and as of which revision of it.
    valid: Vec<Option<(Revision, bool)>>,
    cells: Vec<Option<Cells<K>>>,
}

impl<K: PackedKey> Evaluation<K> {
    /// Binds the policy to a class of requests; nothing is ranked yet.
    pub(crate) fn new(policy: &Policy, clusters: usize, vm: &VmShape) -> Self {
        let (mut rack_preferences, mut machine_preferences) = (Vec::new(), Vec::new());
        for (stage, field) in policy.machine_preferences.iter().zip(&policy.fields) {
            let (quantizer, field) = (stage.quantizer(), *field);
            match stage {
                MachineStage::Rack(ranked) => {
                    rack_preferences.push(Scorer { rule: ranked.rule.bind(vm), quantizer, field });
                }
                MachineStage::Machine(ranked) => {
                    machine_preferences.push(Scorer { rule: ranked.rule.bind(vm), quantizer, field });
                }
            }
        }
        Self {
            cluster_validators: policy.cluster_validators.iter().map(|ranked| ranked.rule.bind(vm)).collect(),
            cluster_preferences: policy
                .cluster_preferences
                .iter()
                .map(|ranked| ClusterScorer { rule: ranked.rule.bind(vm), quantizer: ranked.quantizer })
                .collect(),
            rack_validators: policy.rack_validators.iter().map(|ranked| ranked.rule.bind(vm)).collect(),
            machine_validators: policy.machine_validators.iter().map(|ranked| ranked.rule.bind(vm)).collect(),
            rack_preferences,
            machine_preferences,
            best_clusters: policy.best_clusters as usize,
            by_rack: policy.sees_racks(),
            valid: vec![None; clusters],
            cells: (0..clusters).map(|_| None).collect(),
        }
    }

    /// The machines tied for best, now.
    pub(crate) fn best<'a>(&mut self, occupancy: &Occupancy, scratch: &'a mut Scratch<K>) -> Best<'a> {
        self.order_clusters(occupancy, scratch);
        let (mut best, mut refreshed, mut next) = (K::INVALID, 0, 0);
        scratch.tied.clear();
        // The best k clusters; where none of their machines is valid, the next k.
        while scratch.tied.is_empty() && next < scratch.clusters.len() {
            let end = scratch.clusters.len().min(next + self.best_clusters);
            scratch.clusters[next..end].sort_unstable();
            for index in next..end {
                let cluster = scratch.clusters[index];
                refreshed += self.refresh(occupancy, cluster, scratch);
                self.compare_cells(cluster, &mut best, &mut scratch.tied);
            }
            next = end;
        }
        let count = scratch.tied.iter().map(|tied| tied.count).sum();
        Best { tied: &scratch.tied, count, refreshed }
    }

    /// The `nth` of the machines tied for best, in order of id.
    pub(crate) fn nth(&self, fleet: &Fleet, best: &Best<'_>, mut nth: u32) -> Option<MachineId> {
        for tied in best.tied {
            if nth < tied.count {
                let ranking = &self.cells[tied.cluster.index()].as_ref()?.rankings[tied.cell as usize];
                let first = self.first_machine(fleet, tied.cluster, tied.cell);
                return Some(MachineId(first + ranking.nth_best(nth) as u32));
            }
            nth -= tied.count;
        }
        None
    }

    fn first_machine(&self, fleet: &Fleet, cluster: ClusterId, cell: u32) -> u32 {
        let cluster = fleet.cluster(cluster);
        if self.by_rack {
            fleet.machines_of_rack(RackId(cluster.racks().start + cell)).start
        } else {
            cluster.machines().start
        }
    }

    /// The valid clusters, the best k first; among k or fewer there is nothing to order.
    fn order_clusters(&mut self, occupancy: &Occupancy, scratch: &mut Scratch<K>) {
        let Scratch { clusters, ordered, .. } = scratch;
        clusters.clear();
        clusters.extend((0..self.cells.len()).map(ClusterId::of).filter(|id| self.is_valid(occupancy, *id)));
        if clusters.len() <= self.best_clusters {
            return;
        }
        ordered.resize_with(clusters.len(), || (Vec::new(), ClusterId(0)));
        for ((buckets, slot), id) in ordered.iter_mut().zip(clusters.iter()) {
            buckets.clear();
            buckets.extend(
                self.cluster_preferences
                    .iter()
                    .map(|scorer| scorer.quantizer.bucket(scorer.rule.score(occupancy, *id))),
            );
            *slot = *id;
        }
        ordered.sort_unstable();
        clusters.clear();
        clusters.extend(ordered.iter().map(|(_, id)| *id));
    }

    /// Whether a cluster is valid; asked of the rules again only when it has changed.
    fn is_valid(&mut self, occupancy: &Occupancy, cluster: ClusterId) -> bool {
        let now = occupancy.journal().revision_of_cluster(cluster);
        if let Some((_, valid)) = self.valid[cluster.index()].filter(|(seen, _)| *seen == now) {
            return valid;
        }
        let valid = self.cluster_validators.iter().all(|rule| rule.is_valid(occupancy, cluster));
        self.valid[cluster.index()] = Some((now, valid));
        valid
    }

    /// Brings a cluster's cells up to date; how many machines were looked at.
    fn refresh(&mut self, occupancy: &Occupancy, cluster: ClusterId, scratch: &mut Scratch<K>) -> u32 {
        let seen = self.cells[cluster.index()].as_ref().map(|cells| cells.revision);
        if seen.is_some_and(|seen| seen >= occupancy.journal().revision_of_cluster(cluster)) {
            return 0;
        }
        scratch.changed.clear();
        match seen {
            Some(revision) => scratch.changed.extend(occupancy.journal().changed_since(cluster, revision)),
            None => scratch.changed.extend(occupancy.fleet().cluster(cluster).machines().map(MachineId)),
        }
        if !scratch.changed.is_empty() {
            self.score_changed(occupancy, cluster, scratch);
        }
        let mut cells = match self.cells[cluster.index()].take() {
            Some(mut cells) => {
                self.apply_changes(occupancy, cluster, &mut cells, scratch);
                cells
            }
            None => self.build_cells(occupancy, cluster, &scratch.keys),
        };
        cells.revision = occupancy.revision();
        self.cells[cluster.index()] = Some(cells);
        scratch.changed.len() as u32
    }

    /// Gives changed machines their new keys, and the cells they stand in their new best.
    fn apply_changes(&self, occupancy: &Occupancy, cluster: ClusterId, cells: &mut Cells<K>, scratch: &mut Scratch<K>) {
        let fleet = occupancy.fleet();
        scratch.touched.clear();
        for (machine, key) in scratch.changed.iter().zip(&scratch.keys) {
            let (cell, index) = place(fleet, cluster, *machine, self.by_rack);
            cells.rankings[cell].set(index, *key);
            scratch.touched.push(cell);
        }
        scratch.touched.sort_unstable();
        scratch.touched.dedup();
        for cell in &scratch.touched {
            cells.bests[*cell] = self.best_of(occupancy, cluster, *cell, &cells.rankings[*cell]);
        }
    }

    fn build_cells(&self, occupancy: &Occupancy, cluster: ClusterId, keys: &[K]) -> Cells<K> {
        let fleet = occupancy.fleet();
        let rankings: Vec<_> = if self.by_rack {
            let first = fleet.cluster(cluster).machines().start;
            let racks = fleet.cluster(cluster).racks().map(|rack| fleet.machines_of_rack(RackId(rack)));
            racks
                .map(|rack| Ranking::build(&keys[(rack.start - first) as usize..(rack.end - first) as usize]))
                .collect()
        } else {
            [Ranking::build(keys)].into()
        };
        let best = |(cell, ranking)| self.best_of(occupancy, cluster, cell, ranking);
        let bests = rankings.iter().enumerate().map(best).collect();
        Cells { revision: occupancy.revision(), rankings, bests }
    }

    /// A cell's best key under all rules (Protean section 5.2.5), and how many have it.
    fn best_of(&self, occupancy: &Occupancy, cluster: ClusterId, cell: usize, ranking: &Ranking<K>) -> (K, u32) {
        let (key, count) = ranking.best();
        if !self.by_rack || count == 0 {
            return (key, count);
        }
        let rack = RackId(occupancy.fleet().cluster(cluster).racks().start + cell as u32);
        if self.rack_validators.iter().any(|rule| !rule.is_valid(occupancy, rack)) {
            return (K::INVALID, 0);
        }
        let with_rack = self.rack_preferences.iter().fold(key, |key, scorer| {
            key.with(scorer.field, scorer.quantizer.bucket(scorer.rule.score(occupancy, rack)))
        });
        (with_rack, count)
    }

    /// The keys of `scratch.changed` under the machine rules, rule by rule.
    fn score_changed(&self, occupancy: &Occupancy, cluster: ClusterId, scratch: &mut Scratch<K>) {
        let Scratch { changed, valid, scores, keys, .. } = scratch;
        valid.clear();
        valid.resize(changed.len(), true);
        for rule in &self.machine_validators {
            rule.judge(occupancy, cluster, changed, valid);
        }
        keys.clear();
        keys.extend(valid.iter().map(|valid| if *valid { K::ZERO } else { K::INVALID }));
        for scorer in &self.machine_preferences {
            scorer.rule.scores(occupancy, cluster, changed, scores);
            for ((key, score), valid) in keys.iter_mut().zip(scores.iter()).zip(valid.iter()) {
                if *valid {
                    *key = key.with(scorer.field, scorer.quantizer.bucket(*score));
                }
            }
        }
    }

    /// Lets a cluster's cells compete with the best so far.
    fn compare_cells(&self, cluster: ClusterId, best: &mut K, tied: &mut Vec<Tied>) {
        let Some(cells) = &self.cells[cluster.index()] else { return };
        for (cell, (key, count)) in cells.bests.iter().enumerate() {
            if *count == 0 || *key > *best {
                continue;
            }
            if *key < *best {
                *best = *key;
                tied.clear();
            }
            tied.push(Tied { cluster, cell: cell as u32, count: *count });
        }
    }

    /// Bytes of its rankings.
    pub(crate) fn bytes(&self) -> usize {
        self.cells.iter().flatten().flat_map(|cells| &cells.rankings).map(Ranking::bytes).sum()
    }
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
