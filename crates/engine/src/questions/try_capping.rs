//! `TryCapping`: servers to experiment with capping.

use tiebreak_model::phrase::mark;
use tiebreak_model::random::Seed;
use tiebreak_model::{Phrase, declare, phrase};
use tiebreak_power::slowdown::{CPU_BOUND, latency, running_time};
use tiebreak_power::{Capping, Chassis, Part, PowerFault};
use tiebreak_scenario::Variant;
use tiebreak_sim::PowerSettings;

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Exhibit, ExhibitPlot, ExhibitRow};
use crate::said;

/// The duration of the experiment, and how often the load changes.
const TRIED_MS: u64 = 120_000;
const LOAD_MS: u64 = 1_000;

/// The utilization of its VMs: user-facing and batch ones; and the deviation per second.
const BUSY: [f64; 2] = [0.6, 0.95];
const UNSTEADY: f64 = 0.12;

declare! {
    /// One server, or a chassis of 12, with two kinds of VMs under a budget: what it draws, and what that costs whom.
    /// (Power oversubscription, sections IV-C and IV-D)
    pub struct TryCapping as "TryCapping" {
        /// A chassis of 12; else one server.
        whole_chassis: bool = false, 0 => 1, "";
        /// Whether each server of it has VMs of both kinds.
        balanced: bool = true, 0 => 1, "";
        /// The budget for each server.
        budget_w: f64 = 230, 120 => 310, "W";
    }
}

impl Question for TryCapping {
    const OF: &'static [Of] = &[Of::Document];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        tried(&of.variant()?, self).map(|exhibit| Told::Now(Answer::shown(vec![exhibit])))
    }
}

fn tried(variant: &Variant, ask: &TryCapping) -> Result<Exhibit, Phrase> {
    let settings = variant.power;
    settings.check().map_err(|fault| fault.phrase())?;
    let servers = if ask.whole_chassis { 12 } else { 1 };
    let controllers = |per_vm: Option<bool>| Capping {
        budget_w: if per_vm.is_some() { ask.budget_w * servers as f64 } else { f64::MAX },
        per_vm: per_vm.unwrap_or(true),
        ..settings.controllers(servers as u32)
    };
    let cases = [(phrase!("no cap"), None), (phrase!("full server"), Some(false)), (phrase!("per VM"), Some(true))];
    let (mut lines, mut rows) = (Vec::new(), Vec::new());
    for (name, per_vm) in cases {
        let tried = follow(&settings, &controllers(per_vm), (servers, ask.balanced), Seed(variant.seed));
        let CappingTrial { draws, slowdown } = tried.map_err(|fault| Phrase::text(fault.to_string()))?;
        let peak = draws.iter().map(|point| point.1).fold(0.0, f64::max);
        let times = |by: f64| if by.is_finite() { phrase!("{} x", said::fixed(by, 2)) } else { phrase!("never ends") };
        let cells =
            vec![name.clone(), phrase!("{} W", said::count(peak.round())), times(slowdown[0]), times(slowdown[1])];
        rows.push(ExhibitRow { cells, more: Vec::new() });
        lines.push((name, draws));
    }
    let head = [
        mark("Capping"),
        mark("Highest draw"),
        mark("Tail latency of user-facing VMs"),
        mark("Running time of batch VMs"),
    ];
    let what = if ask.whole_chassis { phrase!("A chassis of 12 servers") } else { phrase!("One server") };
    let spread = match (ask.whole_chassis, ask.balanced) {
        (true, true) => phrase!("each server hosts both kinds of VMs"),
        (true, false) => phrase!("half of the servers host one kind of VMs, half the other"),
        (false, _) => phrase!("half of the cores for each kind"),
    };
    let said = vec![phrase!(
        "{what} under {} W per server: {spread}. Latency and running time are proxies, compared with no cap.",
        what,
        said::count(ask.budget_w.round()),
        spread
    )];
    Ok(Exhibit {
        title: phrase!("Try it on servers"),
        said,
        head: head.map(Phrase::text).into(),
        rows,
        plot: Some(ExhibitPlot { unit: phrase!("W"), across: phrase!("seconds"), across_is_log: false, lines }),
    })
}

/// A chassis' draw per second, and how much both kinds of VMs were slowed.
struct CappingTrial {
    draws: Vec<(f64, f64)>,
    slowdown: [f64; 2],
}

/// Cores per server: half and half, or all of one kind.
const CORES: u32 = 40;

/// The kinds of VMs on a server, and their cores.
fn held_by(both: bool, first_half: bool) -> &'static [(usize, u32)] {
    match (both, first_half) {
        (true, _) => &[(0, CORES / 2), (1, CORES / 2)],
        (false, true) => &[(0, CORES)],
        (false, false) => &[(1, CORES)],
    }
}

fn follow(
    settings: &PowerSettings,
    capping: &Capping,
    (servers, balanced): (usize, bool),
    seed: Seed,
) -> Result<CappingTrial, PowerFault> {
    let held = |server: usize| held_by(balanced || servers == 1, server < servers / 2);
    let mut chassis = Chassis::new(&settings.server(CORES), capping, servers)?;
    let noise = seed.stream("load of a chassis to try");
    let (mut draws, mut felt, mut count) = (Vec::new(), [0.0; 2], 0.0);
    for at_ms in (0..TRIED_MS).step_by(LOAD_MS as usize) {
        for server in 0..servers {
            let part = |(kind, cores): &(usize, u32)| {
                let off =
                    (noise.draw(server as u64, at_ms * 2 + *kind as u64) >> 40) as f64 / (1_u64 << 24) as f64 - 0.5;
                let utilization = (BUSY[*kind] + 2.0 * UNSTEADY * off).clamp(0.0, 1.0);
                Part { cores_milli: cores * 1_000, utilization, user_facing: *kind == 0 }
            };
            let parts: Vec<_> = held(server).iter().map(part).collect();
            chassis.set_parts(server, &parts)?;
        }
        let report = chassis.span(LOAD_MS);
        draws.push((at_ms as f64 / 1_000.0, report.energy_j / (LOAD_MS as f64 / 1_000.0)));
        let parts = report.parts.iter().enumerate().flat_map(|(server, parts)| held(server).iter().zip(parts));
        let mut missing = [(0.0, 0.0); 2];
        for ((kind, _), part) in parts {
            missing[*kind].0 += part.depth_ms / LOAD_MS as f64;
            missing[*kind].1 += 1.0;
        }
        for (felt, (missing, parts)) in felt.iter_mut().zip(missing) {
            *felt += missing / f64::max(parts, 1.0);
        }
        count += 1.0;
    }
    let [user_facing, others] = felt.map(|missing| 1.0 - missing / count);
    let slowdown = [latency(CORES / 2, BUSY[0], user_facing, CPU_BOUND), running_time(others, CPU_BOUND)];
    Ok(CappingTrial { draws, slowdown })
}
