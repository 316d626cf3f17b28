//! The uptimes at which models predict: a logarithmic grid.

use alloc::vec::Vec;

use crate::curve::Curve;

/// A VM younger than this counts as new. Uptimes close to 0 mislead models that use logarithms (LAVA section 6.5).
const FIRST_S: f64 = 30.0;

/// 400 days: hardly any VM observed from its start is older.
const LAST_S: f64 = 400.0 * 86_400.0;

/// The uptimes in seconds, ascending: 0, then from 30 s to 400 days by a quarter more each time.
pub(crate) fn grid() -> Vec<u32> {
    let steps = (Curve::STEPS_MAX - 2) as f64;
    let later = (0..Curve::STEPS_MAX - 1).map(|step| FIRST_S * libm::pow(LAST_S / FIRST_S, step as f64 / steps));
    core::iter::once(0).chain(later.map(|uptime| libm::round(uptime) as u32)).collect()
}

/// The last uptime of the grid that is not after `uptime_s`.
pub(crate) fn place(grid: &[u32], uptime_s: u32) -> usize {
    grid.partition_point(|from_s| *from_s <= uptime_s) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_rises_from_zero_to_400_days() {
        let grid = grid();
        assert_eq!((grid.len(), grid[0], grid[1], grid[63]), (64, 0, 30, 34_560_000));
        assert!(grid.is_sorted_by(|one, next| one < next));
        assert_eq!([0, 29, 30, u32::MAX].map(|uptime| place(&grid, uptime)), [0, 0, 1, 63]);
    }
}
