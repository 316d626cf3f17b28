//! How many machines the workload needs, in words.

use tiebreak_app::sizing::SizedList;
use tiebreak_app::{App, Sizing};
use tiebreak_engine::protocol::Machines;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::Variant;
use tiebreak_scenario::effect::Effect;

use crate::verdict;

/// The progress so far.
#[must_use]
pub fn so_far(sizing: &Sizing) -> String {
    let Some(needs) = &sizing.needs else { return tr("Counting cores in use ...").into() };
    let runs: u32 = sizing.seeds().map(|it| it.runs).sum();
    let (below, enough) = sizing
        .seeds()
        .map(|it| it.search.between())
        .reduce(|one, other| (one.0.max(other.0), one.1.max(other.1).filter(|_| one.1.is_some() && other.1.is_some())))
        .unwrap_or_default();
    let [runs, below] = [f64::from(runs), below as f64].map(words::count);
    match enough {
        Some(enough) => {
            let enough = words::count(enough as f64);
            say("{runs} runs: more than {below} of {}, at most {enough}", &[&runs, &below, &needs.told, &enough])
        }
        None => say("{runs} runs: more than {below} of {}", &[&runs, &below, &needs.told]),
    }
}

/// Whether anything other than the machines has changed since it started.
#[must_use]
pub fn is_old(app: &App, sizing: &Sizing) -> bool {
    Variant { clusters: sizing.of.clusters.clone(), ..app.variant().clone() } != sizing.of
}

/// The results, one sentence each.
#[must_use]
pub fn found(sizing: &Sizing) -> Vec<String> {
    let Some(needs) = sizing.needs.as_ref().filter(|_| !sizing.is_under_way()) else { return Vec::new() };
    let bound = say(
        "At least {} machines are needed even with perfect packing, because of {} at the peak.",
        &[&words::count(needs.bound as f64), &tr(&needs.bound_by)],
    );
    let Some((worst, least)) = sizing.worst().and_then(|it| Some((it, it.search.least()?))) else {
        let most = words::count((needs.bound * tiebreak_profile::sizing::MOST) as f64);
        let none = say("No number of machines up to {most} is enough ({}).", &[&most, &needs.told]);
        return vec![none, bound];
    };
    let reject = words::trimmed(sizing.wish.reject_pct, 3);
    let answer = say(
        "{} machines of {} are enough to reject at most {reject} % of the VMs.",
        &[&words::count(least as f64), &needs.told, &reject],
    );
    let rejected = worst.enough.as_ref().map(|result| {
        let [rejected, all] = [result.figure("rejections"), result.placed()[1]].map(words::count);
        match verdict::causes(result).as_str() {
            "" => say("{rejected} of {all} VMs are rejected there.", &[&rejected, &all]),
            causes => say("{rejected} of {all} VMs are rejected there: {}.", &[&rejected, &all, &causes]),
        }
    });
    let each = sizing.lists.first().and_then(SizedList::each).unwrap_or_default();
    let each: Vec<_> = each.into_iter().map(|it| words::count(it as f64)).collect();
    let seeds = (each.len() > 1).then(|| say("By seed: {}.", &[&each.join(", ")]));
    [answer, bound].into_iter().chain(rejected).chain(seeds).collect()
}

/// The machines that one list needs, in a table.
#[derive(Clone, Debug, PartialEq)]
pub struct SizedRow {
    /// The name of its variant.
    pub name: String,
    /// The number that is enough with every seed.
    pub machines: String,
    /// The mean over the seeds, with its interval.
    pub mean: String,
    /// How many more than the first list, paired by seed, with the interval.
    pub more: String,
}

/// A row for each list, if there are several and the search is over.
#[must_use]
pub fn side_by_side(sizing: &Sizing) -> Vec<SizedRow> {
    if sizing.is_under_way() || sizing.lists.len() < 2 {
        return Vec::new();
    }
    let first = sizing.lists[0].each();
    let row = |(at, list): (usize, &SizedList)| {
        let each = list.each();
        let of =
            |values: Option<Vec<f64>>| values.and_then(|values| Effect::of(&values)).map_or_else(String::new, told);
        let pairs = first.as_ref().zip(each.as_ref()).filter(|_| at > 0);
        let pairs =
            pairs.map(|(first, each)| each.iter().zip(first).map(|(it, than)| *it as f64 - *than as f64).collect());
        let most = each.as_ref().and_then(|each| each.iter().max()).map(|most| words::count(*most as f64));
        SizedRow {
            name: list.name.clone(),
            machines: most.unwrap_or_else(|| tr("no number is enough").into()),
            mean: of(each.as_ref().map(|each| each.iter().map(|it| *it as f64).collect())),
            more: of(pairs),
        }
    };
    sizing.lists.iter().enumerate().map(row).collect()
}

/// `312.4 (311.0 to 313.8)`
fn told(effect: Effect) -> String {
    let mean = words::fixed(effect.mean, 1);
    match effect.interval() {
        Some([low, high]) => say("{mean} ({low} to {high})", &[&mean, &words::fixed(low, 1), &words::fixed(high, 1)]),
        None => mean,
    }
}

/// The button that applies these machines.
#[must_use]
pub fn offer(machines: &[Machines]) -> String {
    let all: u32 = machines.iter().map(|kind| kind.machines).sum();
    say("Use these {} machines", &[&words::count(all.into())])
}
