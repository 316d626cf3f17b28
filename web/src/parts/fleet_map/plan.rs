//! The layout of machines: rack by rack, chassis by chassis, in the largest cells that fit.

use tiebreak_engine::protocol::Layout;

/// The number of machines in a column of a rack: low racks if the page is wide enough.
const RACK_HEIGHTS: [u32; 2] = [5, 10];

/// Width in CSS pixels from which cells may be larger.
const WIDE: f64 = 900.0;

/// Maximum height of the map in CSS pixels.
const HEIGHT_MAX: u32 = 230;

/// The chassis of a rack: first machine, and number of machines.
fn chassis_of((first, machines): (u32, u32), chassis: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
    let (each, more) = (machines / chassis.max(1), machines % chassis.max(1));
    (0..chassis.max(1)).map(move |at| (first + at * each + at.min(more), each + u32::from(at < more)))
}

/// Pixels between two racks.
fn gap(cell: u32) -> u32 {
    (cell / 3).max(1)
}

/// Height of a line of racks, with the gap below it.
fn line(cell: u32, rack_height: u32) -> u32 {
    rack_height * cell + 2 * gap(cell)
}

/// Where each chassis is drawn.
pub(in crate::parts) struct Plan {
    pub(in crate::parts) cell: u32,
    pub(super) rack_height: u32,
    pub(in crate::parts) height: u32,
    /// Each chassis: left, top, first machine, number of machines.
    pub(super) racks: Vec<(u32, u32, u32, u32)>,
}

impl Plan {
    /// The plan for a canvas of this width in its own pixels; `ratio` is the number of canvas pixels per CSS pixel.
    pub(in crate::parts) fn on_canvas(layout: &Layout, width: u32, ratio: f64) -> Self {
        let largest = if f64::from(width) >= WIDE * ratio { 40.0 } else { 24.0 };
        Self::new(layout, width, (f64::from(HEIGHT_MAX) * ratio) as u32, (largest * ratio) as u32)
    }

    /// One line of low racks if its cells are at least half of the largest size; otherwise the largest cells with
    /// which everything fits.
    fn new(layout: &Layout, width: u32, height: u32, largest: u32) -> Self {
        let [low, high] = RACK_HEIGHTS;
        let of_one_line = |cell| Self::with_cell(layout, width, line(cell, low), cell, low);
        let that_fits = |(cell, rack_height)| Self::with_cell(layout, width, height, cell, rack_height);
        let sizes = (1..=largest).rev().flat_map(|cell| [(cell, low), (cell, high)]);
        let plan =
            (largest / 2..=largest).rev().find_map(of_one_line).or_else(|| sizes.into_iter().find_map(that_fits));
        plan.or_else(|| Self::with_cell(layout, width, u32::MAX, 1, low)).expect("a plan of any height")
    }

    /// The plan with cells of this size, if it is not higher than `height_max`.
    fn with_cell(layout: &Layout, width: u32, height_max: u32, cell: u32, rack_height: u32) -> Option<Self> {
        let (gap, line) = (gap(cell), line(cell, rack_height));
        let (mut left, mut top) = (0, 0);
        let mut racks = Vec::new();
        for (index, cluster) in layout.clusters.iter().enumerate() {
            if index > 0 {
                left += 3 * gap;
            }
            for (first, machines) in &cluster.racks {
                let chassis = chassis_of((*first, *machines), cluster.chassis);
                let wide = |machines: u32| machines.div_ceil(rack_height) * cell;
                let rack: u32 = chassis.clone().map(|(_, machines)| wide(machines)).sum();
                if left > 0 && left + rack > width {
                    (left, top) = (0, top + line);
                }
                if top + line > height_max {
                    return None;
                }
                for (first, machines) in chassis {
                    racks.push((left, top, first, machines));
                    // Chassis of one rack are closer together than racks.
                    left += wide(machines) + gap / 2;
                }
                left += gap - gap / 2;
            }
        }
        Some(Self { cell, rack_height, height: top + line, racks })
    }

    /// The side of a cell without its gap.
    pub(in crate::parts) fn inner(&self) -> u32 {
        self.cell - u32::from(self.cell > 3)
    }

    /// Left and top of the cell of a rack's n-th machine.
    pub(super) fn place(&self, left: u32, top: u32, nth: u32) -> (u32, u32) {
        (left + nth / self.rack_height * self.cell, top + nth % self.rack_height * self.cell)
    }

    /// Left and top of a machine's cell.
    pub(in crate::parts) fn cell_of(&self, machine: u32) -> Option<(u32, u32)> {
        let index = self.racks.partition_point(|(.., first, _)| *first <= machine).checked_sub(1)?;
        let (left, top, first, machines) = *self.racks.get(index)?;
        let nth = machine - first;
        (nth < machines).then(|| self.place(left, top, nth))
    }

    /// The machine drawn at this point.
    pub(super) fn machine_at(&self, x: u32, y: u32) -> Option<u32> {
        self.racks.iter().find_map(|(left, top, first, machines)| {
            let (column, row) = (x.checked_sub(*left)? / self.cell, y.checked_sub(*top)? / self.cell);
            let nth = column * self.rack_height + row;
            (row < self.rack_height && nth < *machines).then_some(first + nth)
        })
    }
}
