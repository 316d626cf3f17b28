//! `tiebreak size --list`: the machines that several lists need, over paired seeds.

use std::sync::Arc;

use serde::Serialize;
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;
use tiebreak_console::shown::{count, table};
use tiebreak_model::Workload;
use tiebreak_scenario::Variant;
use tiebreak_scenario::effect::Effect;
use tiebreak_study::size::{Asked, SizeOfSeed, of_all, sizes};
use tiebreak_study::watch::Watch;

use super::LIST;
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
    seeds: Vec<SizeOfSeed>,
}

#[derive(Serialize)]
struct MoreMachines {
    mean: f64,
    interval: Option<[f64; 2]>,
}

pub(super) fn run(
    given: &Given,
    variant: &Variant,
    workload: &Arc<Workload>,
    asked: &Asked,
) -> Result<Answer, Failure> {
    let lists = given.all(LIST.name).map(NamedList::of).collect::<Result<Vec<_>, Failure>>()?;
    let variants = lists.iter().map(|list| list.on(variant)).collect();
    let sizes = sizes(variants, workload, asked, &Watch::nobody())?;
    let listed = lists.iter().zip(&sizes.lists).enumerate().map(|(at, (list, seeds))| {
        let machines: Option<Vec<f64>> = seeds.iter().map(|seed| Some(seed.machines? as f64)).collect();
        let effect = machines.and_then(|all| Effect::of(&all));
        Listed {
            list: list.name.clone(),
            machines: of_all(seeds),
            mean: effect.map(|it| it.mean),
            interval: effect.and_then(|it| it.interval()),
            difference: if at == 0 { None } else { difference(&sizes.lists[0], seeds) },
            seeds: seeds.clone(),
        }
    });
    let report = SideBySide {
        bound: sizes.bound,
        machine: sizes.machine.clone(),
        reject_pct: 100.0 * asked.reject,
        vms: workload.vm_count(),
        lists: listed.collect(),
        runs: sizes.runs,
    };
    let lacks = report.lists.iter().any(|list| list.machines.is_none());
    Ok(Answer::either(given, &report, || report.text()).problem(lacks))
}

fn difference(first: &[SizeOfSeed], other: &[SizeOfSeed]) -> Option<MoreMachines> {
    let pair = |(first, other): (&SizeOfSeed, &SizeOfSeed)| Some(other.machines? as f64 - first.machines? as f64);
    let pairs: Vec<f64> = first.iter().zip(other).map(pair).collect::<Option<_>>()?;
    let effect = Effect::of(&pairs)?;
    Some(MoreMachines { mean: effect.mean, interval: effect.interval() })
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
