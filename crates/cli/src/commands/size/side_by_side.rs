//! `tiebreak size --list`: the machines that several lists need, over paired seeds.

use serde::Serialize;
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::at_once::at_once;
use tiebreak_console::given::Given;
use tiebreak_console::shown::{count, table};
use tiebreak_scenario::effect::Effect;

use super::{LIST, Seed, SizeTrial};
use crate::lists::NamedList;

#[derive(Serialize)]
struct SideBySide {
    bound: u64,
    machine: String,
    reject_pct: f64,
    vms: u32,
    lists: Vec<Listed>,
    runs: u64,
}

/// The machines that one list needs.
#[derive(Serialize)]
struct Listed {
    list: String,
    /// The smallest number that keeps the limit with every seed; `None` if no number does.
    machines: Option<u64>,
    /// Mean over the seeds, with its 95 % interval.
    mean: Option<f64>,
    interval: Option<[f64; 2]>,
    /// More machines than the first list, paired by seed.
    difference: Option<MoreMachines>,
    seeds: Vec<Seed>,
}

#[derive(Serialize)]
struct MoreMachines {
    mean: f64,
    interval: Option<[f64; 2]>,
}

pub(super) fn run(given: &Given, trial: &SizeTrial, seeds: &[u64]) -> Result<Answer, Failure> {
    let lists = given.all(LIST.name).map(NamedList::of).collect::<Result<Vec<_>, Failure>>()?;
    let trials: Vec<SizeTrial> = lists.iter().map(|list| trial.with(list.on(&trial.variant))).collect();
    let jobs: Vec<(usize, u64)> = (0..lists.len()).flat_map(|at| seeds.iter().map(move |seed| (at, *seed))).collect();
    let found = at_once(&jobs, |(at, seed)| Ok(Seed { seed: *seed, machines: trials[*at].least(*seed)? }))?;
    let of_lists: Vec<&[Seed]> = found.chunks(seeds.len()).collect();
    let listed = lists.iter().zip(&of_lists).enumerate().map(|(at, (list, seeds))| {
        let machines: Option<Vec<u64>> = seeds.iter().map(|seed| seed.machines).collect();
        let effect = machines.as_ref().and_then(|all| Effect::of(&all.iter().map(|it| *it as f64).collect::<Vec<_>>()));
        Listed {
            list: list.name.clone(),
            machines: machines.and_then(|all| all.into_iter().max()),
            mean: effect.map(|it| it.mean),
            interval: effect.and_then(interval),
            difference: if at == 0 { None } else { difference(of_lists[0], seeds) },
            seeds: seeds.to_vec(),
        }
    });
    let report = SideBySide {
        bound: trial.bound,
        machine: trial.mix.told().to_string(),
        reject_pct: 100.0 * trial.reject,
        vms: trial.workload.vm_count(),
        lists: listed.collect(),
        runs: trials.iter().map(SizeTrial::runs).sum(),
    };
    let lacks = report.lists.iter().any(|list| list.machines.is_none());
    Ok(Answer::either(given, &report, || report.text()).problem(lacks))
}

fn interval(effect: Effect) -> Option<[f64; 2]> {
    effect.half.map(|half| [effect.mean - half, effect.mean + half])
}

fn difference(first: &[Seed], other: &[Seed]) -> Option<MoreMachines> {
    let pair = |(first, other): (&Seed, &Seed)| Some(other.machines? as f64 - first.machines? as f64);
    let pairs: Vec<f64> = first.iter().zip(other).map(pair).collect::<Option<_>>()?;
    let effect = Effect::of(&pairs)?;
    Some(MoreMachines { mean: effect.mean, interval: interval(effect) })
}

impl SideBySide {
    fn text(&self) -> String {
        let ends = |interval: Option<[f64; 2]>| {
            interval.map_or_else(String::new, |[low, high]| format!(" ({low:.1} to {high:.1})"))
        };
        let mut rows = vec![
            ["List", "Machines needed", "Mean (95 % interval)", "More than the first list"].map(String::from).to_vec(),
        ];
        rows.extend(self.lists.iter().map(|it| {
            let mean = it.mean.map_or_else(String::new, |mean| format!("{mean:.1}{}", ends(it.interval)));
            let more =
                it.difference.as_ref().map_or_else(String::new, |it| format!("{:+.1}{}", it.mean, ends(it.interval)));
            vec![it.list.clone(), it.machines.map_or_else(|| "no number is enough".into(), count), mean, more]
        }));
        format!(
            "Machines of {} that reject at most {} % of {} VMs with each of {} seeds; perfect packing needs {}\n\n{}",
            self.machine,
            self.reject_pct,
            count(self.vms.into()),
            self.lists.first().map_or(0, |it| it.seeds.len()),
            count(self.bound),
            table(&rows)
        )
    }
}
