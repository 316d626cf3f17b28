//! The maps of the welcome: the fleet under two lists of rules, side by side. The live page draws the same, so that
//! nothing changes when it takes over.

use std::fmt::Write;

use tiebreak_sim::MachineByte;

/// The most machines in a column.
const HEIGHT: usize = 10;

/// Size of a machine's square with its gap, and the gap alone.
const CELL: usize = 24;
const GAP: usize = 3;

/// One of two maps: its title, and the shade of each machine ([`MachineByte::shade`]).
pub struct Map<'a> {
    /// Its title.
    pub title: String,
    /// The shade of each machine, by number.
    pub shades: &'a [u8],
}

impl Map<'_> {
    /// The number of empty machines.
    #[must_use]
    pub fn empty(&self) -> usize {
        self.shades.iter().filter(|shade| **shade == 0).count()
    }
}

/// A map as an HTML figure; `count` gives the number of empty machines.
#[must_use]
pub fn figure(map: &Map<'_>, count: &str) -> String {
    let columns = map.shades.len().div_ceil(HEIGHT).max(1);
    let height = map.shades.len().clamp(1, HEIGHT);
    let mut squares = vec![String::new(); MachineByte::SHADES];
    for (machine, shade) in map.shades.iter().enumerate() {
        let (x, y, size) = (machine / HEIGHT * CELL, machine % HEIGHT * CELL, CELL - GAP);
        let of_shade = &mut squares[usize::from(*shade).min(MachineByte::SHADES - 1)];
        // Writing to a string cannot fail.
        let _ = write!(of_shade, "M{x} {y}h{size}v{size}h-{size}z");
    }
    let paths = squares.iter().enumerate().filter(|(_, path)| !path.is_empty());
    let paths: String = paths.map(|(shade, path)| format!("<path class=\"m{shade}\" d=\"{path}\"/>")).collect();
    format!(
        "<figure class=\"welcome-map\"><figcaption>{}: <strong>{count}</strong></figcaption>\
         <svg viewBox=\"0 0 {} {}\" aria-hidden=\"true\">{paths}</svg></figure>",
        map.title,
        columns * CELL - GAP,
        height * CELL - GAP,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_stand_in_columns_and_empty_ones_are_counted() {
        let map = Map { title: "now".into(), shades: &[0, 4, 0, 9, 1, 0, 0, 0, 0, 0, 2] };
        assert_eq!(map.empty(), 7);
        let html = figure(&map, "7 empty");
        assert!(html.contains("now: <strong>7 empty</strong>"));
        assert!(html.contains("viewBox=\"0 0 45 237\""), "{html}");
        assert!(html.contains("class=\"m2\" d=\"M24 0h21v21h-21z\""), "{html}");
        assert_eq!(html.matches("h21v21h-21z").count(), 11);
    }
}
