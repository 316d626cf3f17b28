//! Crates are on floors, and a crate depends only on lower floors (docs/ARCHITECTURE.md).
//!
//! The edges come from Cargo. Dev-dependencies do not count, because tests may use any crate. Inside one crate,
//! [`rooms`] also orders the folders.

use crate::{Outcome, process};

mod rooms;

pub(crate) const HELP: &str = "check that every crate depends only on lower floors, and every room on those before it";

/// Every crate of the product, lowest floor first.
pub(crate) const FLOORS: &[(&str, u8)] = &[
    ("tiebreak-expression", 0),
    ("tiebreak-model", 0),
    ("tiebreak-admission", 1),
    ("tiebreak-lifetime", 1),
    ("tiebreak-placement", 1),
    ("tiebreak-power", 1),
    ("tiebreak-sim", 2),
    ("tiebreak-trace", 3),
    ("tiebreak-tables", 3),
    ("tiebreak-scenario", 3),
    ("tiebreak-import", 3),
    ("tiebreak-lesson", 3),
    ("tiebreak-i18n", 3),
    ("tiebreak-chart", 3),
    ("tiebreak-criticality", 3),
    ("tiebreak-profile", 3),
    ("tiebreak-fitting", 3),
    ("tiebreak-engine", 4),
    ("tiebreak-study", 4),
    ("tiebreak-console", 4),
    ("tiebreak-picture", 4),
    ("tiebreak-app", 5),
    ("tiebreak-papers", 5),
    ("tiebreak-view", 6),
    ("tiebreak-cli", 6),
    ("tiebreak-python", 6),
    ("tiebreak-npm", 6),
    ("tiebreak-web", 7),
];

/// The highest floor of the core, which has no standard library.
pub(crate) const CORE_TOP: u8 = 2;

/// Crates outside the floors: they may use every crate, and no crate may use them.
const BESIDE: &[&str] = &["tiebreak-testkit", "tiebreak-tests", "xtask"];

/// Lower crates that a crate must still not use, and why.
const APART: &[(&str, &str, &str)] = &[
    ("tiebreak-trace", "tiebreak-sim", "a trace file is read without knowing the simulator"),
    ("tiebreak-chart", "tiebreak-", "a chart knows only series"),
];

/// Dependencies within a floor, and why.
const WITHIN: &[(&str, &str, &str)] = &[
    ("tiebreak-tables", "tiebreak-trace", "a table's rows go to the readers of traces"),
    ("tiebreak-import", "tiebreak-scenario", "what is imported becomes machines and rules of a document"),
    ("tiebreak-lesson", "tiebreak-scenario", "a lesson's steps hold documents"),
    ("tiebreak-scenario", "tiebreak-criticality", "a variant says who predicts what VMs will use"),
    ("tiebreak-scenario", "tiebreak-profile", "what a run takes is told in its numbers and spans of time"),
    ("tiebreak-fitting", "tiebreak-profile", "a trace and what is generated are compared by their profiles"),
    ("tiebreak-console", "tiebreak-study", "a command fails, works in parallel and shows tables as a study does"),
    ("tiebreak-chart", "tiebreak-i18n", "days and numbers on an axis follow the language"),
];

/// Only the page and the npm package depend on the browser; decisions stay on lower floors, where they also run natively.
const BROWSER: &[&str] = &["web-sys", "js-sys", "wasm-bindgen", "yew", "gloo", "plotters-canvas"];
const PAGES: [&str; 2] = ["tiebreak-web", "tiebreak-npm"];

pub(crate) fn run(_: &[String]) -> Outcome {
    let tree = ["tree", "--workspace", "--edges", "normal", "--target", "all", "--depth", "1"];
    let tree = process::output(process::cargo(&tree).args(["--prefix", "depth", "--format", "{p}"]))?;
    let mut faults: Vec<String> = edges(&tree).filter_map(|(from, to)| fault(from, to)).collect();
    faults.extend(rooms::faults()?);
    match faults.as_slice() {
        [] => Ok(()),
        faults => Err(format!("dependencies that the floors forbid:\n  {}", faults.join("\n  "))),
    }
}

/// Parses `0user v1` followed by `1used v2`; a crate without dependencies has an edge to nothing.
fn edges(tree: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut user = "";
    tree.lines().filter_map(move |line| {
        let name = line.get(1..)?.split_whitespace().next()?;
        if line.starts_with('0') {
            user = name;
            return Some((user, ""));
        }
        Some((user, name))
    })
}

fn floor(name: &str) -> Option<u8> {
    FLOORS.iter().find(|(crate_name, _)| *crate_name == name).map(|(_, floor)| *floor)
}

fn fault(from: &str, to: &str) -> Option<String> {
    if BESIDE.contains(&from) {
        return None;
    }
    let Some(from_floor) = floor(from) else {
        return Some(format!("{from} has no floor; give it one in crates/xtask/src/commands/floors.rs"));
    };
    if BESIDE.contains(&to) {
        return Some(format!("{from} -> {to}: only as a dev-dependency"));
    }
    if !PAGES.contains(&from) && BROWSER.contains(&to) {
        return Some(format!("{from} -> {to}: only {} know the browser", PAGES.join(" and ")));
    }
    if WITHIN.iter().any(|(user, used, _)| (*user, *used) == (from, to)) {
        return None;
    }
    if let Some((.., why)) = APART.iter().find(|(user, used, _)| *user == from && to.starts_with(used)) {
        return Some(format!("{from} -> {to}: {why}"));
    }
    let to_floor = floor(to)?;
    (from_floor <= to_floor).then(|| format!("{from} (floor {from_floor}) -> {to} (floor {to_floor})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(tree: &str) -> Vec<String> {
        edges(tree).filter_map(|(from, to)| fault(from, to)).collect()
    }

    #[test]
    fn lower_floors_and_other_crates_are_fine() {
        let tree = "0tiebreak-sim v0.1.0 (path)\n1libm v0.2.16\n1tiebreak-model v0.1.0\n\n0xtask v0.1.0\n";
        assert_eq!(faults(tree), Vec::<String>::new());
        assert_eq!(faults("0tiebreak-lesson v0.1.0\n1tiebreak-scenario v0.1.0\n"), Vec::<String>::new());
    }

    #[test]
    fn each_forbidden_edge_is_named() {
        let cases = [
            ("tiebreak-placement", "tiebreak-sim", "(floor 2)"),
            ("tiebreak-lifetime", "tiebreak-placement", "(floor 1)"),
            ("tiebreak-trace", "tiebreak-scenario", "(floor 3)"),
            ("tiebreak-trace", "tiebreak-sim", "without knowing"),
            ("tiebreak-chart", "tiebreak-model", "only series"),
            ("tiebreak-scenario", "tiebreak-lesson", "(floor 3)"),
            ("tiebreak-engine", "tiebreak-app", "(floor 5)"),
            ("tiebreak-app", "tiebreak-view", "(floor 6)"),
            ("tiebreak-view", "tiebreak-cli", "(floor 6)"),
            ("tiebreak-app", "web-sys", "the browser"),
            ("tiebreak-model", "tiebreak-testkit", "dev-dependency"),
        ];
        for (from, to, why) in cases {
            let found = faults(&format!("0{from} v0.1.0\n1{to} v0.1.0\n"));
            assert!(matches!(found.as_slice(), [one] if one.contains(why)), "{from} -> {to}: {found:?}");
        }
    }

    #[test]
    fn a_crate_without_a_floor_is_named() {
        assert_eq!(faults("0tiebreak-new v0.1.0\n").len(), 1);
    }
}
