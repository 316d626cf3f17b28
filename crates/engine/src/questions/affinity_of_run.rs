//! `AffinityOfRun`: the affinity group of every cluster, and how it came about (DVLA, Algorithms 1 and 4).

use tiebreak_model::{Phrase, declare, phrase};
use tiebreak_sim::{AffinityDay, World};

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Exhibit, ExhibitRow};
use crate::said;
use crate::words;

/// The maximum number of turns told per cluster; the latest are kept.
const TURNS_TOLD: usize = 20;

declare! {
    /// The affinity group of each cluster at the end of a run: the cores in each lifetime class, the drift score, what
    /// the detector is doing, the classes of the group, and how often it was formed anew.
    pub struct AffinityOfRun as "AffinityOfRun" {}
}

impl Question for AffinityOfRun {
    const OF: &'static [Of] = &[Of::Run];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        Ok(Told::Now(Answer::shown(vec![groups(of.world()?)])))
    }
}

fn groups(world: &World) -> Exhibit {
    let days = world.affinity_days();
    // The first group holds all classes: no group changes before the detector has learned.
    let Some(classes) = days.first().and_then(|it| it.day.group.classes().last()) else {
        let said = phrase!("Groups do not change in this run, so no day was noted.");
        return Exhibit { title: phrase!("Affinity groups"), said: vec![said], ..Exhibit::default() };
    };
    let said = phrase!(
        "The last day of each cluster: how the cores of its VMs are shared between lifetime classes, how far that is \
         from what it was (drift score), and the classes that its machines may have (group). A row opens to show when \
         the detector changed its state."
    );
    let shares = (1..=classes).map(|class| phrase!("class {class}, %", class));
    let head = [phrase!("Cluster")].into_iter().chain(shares);
    let head = head.chain([phrase!("drift score"), phrase!("state"), phrase!("group"), phrase!("updates")]);
    let rows = world.plan().fleet().clusters().iter().enumerate().filter_map(|(at, cluster)| {
        let of_it: Vec<_> = days.iter().filter(|day| day.cluster.index() == at).collect();
        row(Phrase::text(cluster.name.clone()), usize::from(classes), &of_it)
    });
    Exhibit {
        title: phrase!("Affinity groups"),
        said: vec![said],
        head: head.collect(),
        rows: rows.collect(),
        plot: None,
    }
}

/// The last day of a cluster, and its turns.
fn row(name: Phrase, classes: usize, days: &[&AffinityDay]) -> Option<ExhibitRow> {
    let last = &days.last()?.day;
    let share = |class: usize| {
        let of_class = |vector: [f64; 6]| phrase!("{}", said::fixed(100.0 * vector[class], 1));
        last.vector.map_or(phrase!("-"), of_class)
    };
    let updates = days.iter().filter(|it| it.day.changed).count();
    let after = [
        phrase!("{}", said::fixed(last.score, 2)),
        Phrase::text(last.state.word()),
        group(last.group),
        phrase!("{}", said::count(updates as f64)),
    ];
    let cells = [name].into_iter().chain((0..classes).map(share)).chain(after);
    let turns: Vec<_> = days.windows(2).filter_map(turn).collect();
    let told = turns.len().saturating_sub(TURNS_TOLD);
    Some(ExhibitRow { cells: cells.collect(), more: turns.into_iter().skip(told).collect() })
}

/// What changed from one day to the next.
fn turn(pair: &[&AffinityDay]) -> Option<Phrase> {
    let (before, after) = (&pair[0].day, &pair[1].day);
    let (at, state) = (words::time(pair[1].at.0 as f64), Phrase::text(after.state.word()));
    if after.changed {
        return Some(phrase!("{at}: {state}. The group became {}.", at, state, group(after.group)));
    }
    (before.state != after.state).then(|| phrase!("{at}: {state}.", at, state))
}

/// `2, 3, 5`.
fn group(group: tiebreak_sim::affinity::group::Group) -> Phrase {
    Phrase::joined(group.classes().map(|class| phrase!("{}", class)), "{}, {}")
}
