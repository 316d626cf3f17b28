//! Forked variants, as a small tree of lines below the timeline's track.

use tiebreak_app::App;
use tiebreak_chart::Role;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::{Fork, Variant};

use crate::timeline;

/// One variant's line.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// The variant.
    pub variant: String,
    /// The description of the line: `B forks from A at day 1, 06:00`.
    pub name: String,
    /// Where its own line begins, from 0 at the start of the trace to 1 at its end.
    pub share: f64,
    /// The row from which it branches, above its own; `None` if it begins with the trace, or if its parent no longer
    /// exists.
    pub from_row: Option<usize>,
    /// Whether its parent no longer exists: its past is still drawn.
    pub is_orphan: bool,
    /// Its colour, as in the charts.
    pub role: Role,
    /// Whether it is active.
    pub is_front: bool,
}

/// The variants of a document with forks, from the top row down: below each variant its branches, the latest first,
/// so that no lines cross. Empty if no variant is a fork.
#[must_use]
pub fn branches(app: &App) -> Vec<Branch> {
    let variants = &app.document.variants;
    let forks = || variants.iter().filter_map(|variant| variant.fork.as_ref());
    let Some(latest) = forks().map(|fork| fork.at_hours).reduce(f64::max) else { return Vec::new() };
    // Until a run has given the length of the trace, show all of them.
    let end = timeline::horizon_hours(app).unwrap_or((latest * 1.25).max(24.0));
    let parents: Vec<_> = (0..variants.len()).map(|variant| parent(variants, variant)).collect();
    let mut rows = Vec::new();
    for root in (0..variants.len()).filter(|variant| parents[*variant].is_none()) {
        put_below(root, variants, &parents, &mut rows);
    }
    let row_of = |variant: usize| rows.iter().position(|other| *other == variant);
    let branch = |variant: &usize| {
        let of = &variants[*variant];
        let from = of.fork.as_ref().and_then(|fork| origin(variants, &parents, *variant, fork));
        Branch {
            variant: of.name.clone(),
            name: name(of, parents[*variant].is_some(), end),
            share: of.fork.as_ref().map_or(0.0, |fork| (fork.at_hours / end).min(1.0)),
            from_row: from.and_then(row_of),
            is_orphan: of.fork.is_some() && from.is_none(),
            role: role(app, &of.name),
            is_front: of.name == app.front.variant,
        }
    };
    rows.iter().map(branch).collect()
}

/// The parent of a fork. It precedes its forks, so a later variant of the same name is another one.
fn parent(variants: &[Variant], of: usize) -> Option<usize> {
    let from = &variants[of].fork.as_ref()?.from;
    variants[..of].iter().position(|variant| variant.name == *from)
}

/// The variant from whose line it branches: its parent or, if the parent's own line begins later, the parent's
/// parent, and so on.
fn origin(variants: &[Variant], parents: &[Option<usize>], of: usize, fork: &Fork) -> Option<usize> {
    let has_begun = |variant: &usize| variants[*variant].fork.as_ref().is_none_or(|it| it.at_hours < fork.at_hours);
    let mut line = std::iter::successors(parents[of], |variant| parents[*variant]);
    line.find(has_begun).or(parents[of])
}

fn put_below(variant: usize, variants: &[Variant], parents: &[Option<usize>], rows: &mut Vec<usize>) {
    rows.push(variant);
    let at = |variant: &usize| variants[*variant].fork.as_ref().map_or(0.0, |fork| fork.at_hours);
    let mut children: Vec<_> = (0..variants.len()).filter(|child| parents[*child] == Some(variant)).collect();
    children.sort_by(|one, other| at(other).total_cmp(&at(one)));
    children.into_iter().for_each(|child| put_below(child, variants, parents, rows));
}

fn name(variant: &Variant, has_parent: bool, end: f64) -> String {
    let Some(fork) = &variant.fork else { return say("{} runs from the start", &[&variant.name]) };
    let gone = if has_parent { "" } else { tr(", which is closed,") };
    let beyond = if fork.at_hours > end { tr(", after the trace ends") } else { "" };
    say(
        "{} forks from {}{gone} at {}{beyond}",
        &[&variant.name, &fork.from, &gone, &words::day_and_time(fork.at_hours), &beyond],
    )
}

/// The colour of its runs in the charts.
fn role(app: &App, variant: &str) -> Role {
    let place = (0..).zip(&app.aside).find(|(_, lane)| lane.variant == variant);
    place.map_or(Role::Live, |(index, _)| Role::Variant(index))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_scenario::Document;

    /// A page with these forks: the parent, and the moment.
    fn app(forks: &[(usize, Option<f64>)]) -> App {
        let mut document = Document::default();
        for (of, at_hours) in forks {
            document.fork(*of, *at_hours).expect("room");
        }
        App::open(document).0
    }

    fn lines(app: &App) -> Vec<String> {
        let line = |it: &Branch| format!("{} {:.2} {:?}", it.variant, it.share, it.from_row);
        branches(app).iter().map(line).collect()
    }

    #[test]
    fn without_a_fork_at_a_moment_there_is_no_tree() {
        assert_eq!(branches(&app(&[])), []);
        assert_eq!(branches(&app(&[(0, None), (1, None)])), []);
    }

    #[test]
    fn branches_stand_below_what_they_come_from_the_latest_first() {
        // B and C from A, D from B, and E from A at the start.
        let app = app(&[(0, Some(30.0)), (0, Some(60.0)), (1, Some(75.0)), (0, None)]);
        assert_eq!(lines(&app), ["A 0.00 None", "C 0.64 Some(0)", "B 0.32 Some(0)", "D 0.80 Some(2)", "E 0.00 None"]);
        let tree = branches(&app);
        let names: Vec<_> = tree.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "A runs from the start",
                "C forks from A at day 2, 12:00",
                "B forks from A at day 1, 06:00",
                "D forks from B at day 3, 03:00",
                "E runs from the start",
            ]
        );
        let roles: Vec<_> = tree.iter().map(|it| (it.role, it.is_front)).collect();
        assert_eq!(roles[0], (Role::Live, true));
        assert_eq!(roles[1..3], [(Role::Variant(1), false), (Role::Variant(0), false)]);
    }

    #[test]
    fn a_fork_before_its_parents_own_moment_comes_from_the_trunk() {
        let app = app(&[(0, Some(60.0)), (1, Some(30.0)), (1, Some(60.0))]);
        assert_eq!(lines(&app), ["A 0.00 None", "B 0.80 Some(0)", "D 0.80 Some(0)", "C 0.40 Some(0)"]);
        assert_eq!(branches(&app)[3].name, "C forks from B at day 1, 06:00");
    }

    #[test]
    fn what_comes_from_a_closed_variant_keeps_its_past() {
        let mut document = Document::default();
        document.fork(0, Some(60.0)).expect("room");
        document.variants.remove(0);
        // The next variant gets the free name, but is another one.
        document.fork(0, Some(70.0)).expect("room");
        let app = App::open(document).0;
        let tree = branches(&app);
        assert_eq!(lines(&app), ["B 0.69 None", "A 0.80 Some(0)"]);
        assert_eq!((tree[0].is_orphan, tree[1].is_orphan), (true, false));
        assert_eq!(tree[0].name, "B forks from A, which is closed, at day 2, 12:00");
    }

    #[test]
    fn a_moment_after_the_end_is_said() {
        let mut app = app(&[(0, Some(400.0))]);
        app.front.live = Some(tiebreak_app::Outcome { horizon_ms: 336.0 * 3_600_000.0, ..Default::default() });
        assert_eq!(lines(&app)[1], "B 1.00 Some(0)");
        assert_eq!(branches(&app)[1].name, "B forks from A at day 16, 16:00, after the trace ends");
    }
}
