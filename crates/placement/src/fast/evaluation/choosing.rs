//! Chooses among the ranked machines: the policy and the moment decide how to search.

use alloc::vec::Vec;

use tiebreak_model::random::pick;
use tiebreak_model::{ClusterId, Fleet, MachineId, Occupancy, RackId};

use super::super::objects::Books;
use super::super::packed::PackedKey;
use super::super::ranking::{Best, Bests, best_keys, joined, skip, tied};
use super::super::request::Draw;
use super::super::ties::Ties;
use super::cells::Cells;
use super::live::Live;
use super::{Evaluation, Found, Kit};
use crate::network::gate::Gate;

impl<K: PackedKey> Evaluation<K> {
    /// A machine of these clusters, chosen as the policy's rules say. Kept as a separate function, like the steps of
    /// [`Self::refresh`].
    #[inline(never)]
    pub(super) fn choose_among(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        draw: Draw,
        gate: Option<&Gate<'_>>,
        kit: &mut Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let fleet = occupancy.fleet();
        // A rule that says the same of all machines does not change the order.
        let linked = gate.is_some() || !kit.uplinks.is_empty();
        let timeless = !linked && kit.moment.iter().all(|(steps, _)| steps.constant().is_some());
        let by_chassis = !kit.chassis.is_empty();
        let tied = timeless && by_chassis && kit.tiebreaker().is_some();
        let (joined, timeless) = (linked || by_chassis, timeless && !by_chassis);
        if self.weights.is_some() {
            return self.choose_weighted(fleet, clusters, draw, &Live::new(occupancy, gate, kit));
        }
        match draw.among {
            None if timeless => self.choose_best(fleet, clusters, draw, books),
            None if tied => self.choose_tied(occupancy, clusters, draw, kit, books),
            None if joined => self.choose_joined(occupancy, clusters, draw.number, gate, kit, books),
            None => self.choose_at_moment(occupancy, clusters, draw.number, kit, books),
            Some(among) if timeless => self.choose_near_best(fleet, clusters, draw.number, among),
            Some(among) => {
                let live = Live::new(occupancy, gate, kit);
                self.choose_near_best_at_moment(fleet, clusters, draw.number, among, &live)
            }
        }
    }

    fn choose_best(&self, fleet: &Fleet, clusters: &[ClusterId], draw: Draw, books: &mut Books<'_>) -> Option<Found> {
        let DrawnMachine { cluster, cell, nth, best } = self.draw_cell(clusters, draw, books, |cells| &cells.bests)?;
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        let first = self.first_machine(fleet, cluster, cell as u32);
        Some((MachineId(first + cells.rankings.nth_best(cell, nth) as u32), best.1))
    }

    /// Chooses the best machine where a rule about chassis breaks ties and no other rule is evaluated per decision.
    fn choose_tied(
        &mut self,
        occupancy: &Occupancy,
        clusters: &[ClusterId],
        draw: Draw,
        kit: &Kit<K>,
        books: &mut Books<'_>,
    ) -> Option<Found> {
        let (fleet, asked) = (occupancy.fleet(), kit.chassis[0].asked(occupancy, kit.user_facing));
        for cluster in clusters {
            let racks = fleet.cluster(*cluster).racks().start;
            if let Some(Cells { ties: Some(ties), rankings, bests, bits, .. }) = &mut self.cells[cluster.index()] {
                ties.settle((rankings, bests, bits), RackId(racks), &asked);
            }
        }
        let DrawnMachine { cluster, cell, nth, best } =
            self.draw_cell(clusters, draw, books, |cells| cells.ties().bests(asked.kind()))?;
        let cells = self.cells[cluster.index()].as_ref().expect("it was searched");
        let rack = RackId(fleet.cluster(cluster).racks().start + cell as u32);
        let first = fleet.machines_of_rack(rack).start;
        let tied = (&cells.rankings, cell, cells.bits[cell]);
        Some((MachineId(first + Ties::nth_best(tied, rack, &asked, nth)), best.1))
    }

    /// The cell of the machine drawn among all that are best, according to these bests.
    fn draw_cell(
        &self,
        clusters: &[ClusterId],
        draw: Draw,
        books: &mut Books<'_>,
        bests: impl Fn(&Cells<K>) -> &Bests<K>,
    ) -> Option<DrawnMachine<K>> {
        let cells = |cluster: &ClusterId| self.cells[cluster.index()].as_ref().map(|cells| (*cluster, bests(cells)));
        let cells = || clusters.iter().filter_map(cells);
        let (mut best, mut compared) = ((K::INVALID, 0), 0);
        for (_, bests) in cells() {
            best = joined(best, bests.best);
            compared += bests.cells.len();
        }
        books.counters.cells_compared += compared as u64;
        if best.1 == 0 {
            return None;
        }
        let mut nth = pick(draw.number, best.1);
        let (cluster, bests) = cells().find(|(_, bests)| {
            let after = nth.checked_sub(tied(bests.best, best.0));
            nth = after.unwrap_or(nth);
            after.is_none()
        })?;
        let cell = skip(bests.cells.iter().map(|cell| tied(*cell, best.0)), &mut nth);
        Some(DrawnMachine { cluster, cell, nth, best })
    }

    /// Conflict avoidance: draws from the best few, tied or not.
    fn choose_near_best(&self, fleet: &Fleet, clusters: &[ClusterId], number: u64, among: u32) -> Option<Found> {
        let cells = clusters.iter().flat_map(|cluster| self.cells_of(fleet, *cluster));
        let near: Vec<_> = best_keys(cells, among as usize).collect();
        let count = near.len() as u32;
        (count > 0).then(|| (MachineId(near[pick(number, count) as usize]), count))
    }
}

/// The machine drawn among all that are best: the `nth` one of its cell.
struct DrawnMachine<K> {
    cluster: ClusterId,
    cell: usize,
    nth: u32,
    best: Best<K>,
}
