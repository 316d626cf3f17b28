//! The lowest possible power budgets for a history of draws: the run's, or a file's.

use tiebreak_model::phrase::mark;
use tiebreak_model::{Phrase, Resource, VmId, phrase};
use tiebreak_power::{APPROACHES, Budget, History, Mix, Site, Terms, TreatedShares};
use tiebreak_sim::{PowerSettings, World};
use tiebreak_trace::Draws;

use crate::protocol::{Exhibit, ExhibitPlot, ExhibitRow};
use crate::said;

/// The lowest budget for this run's draws, for all ways to provision (power oversubscription, section III-E).
pub(super) fn of_run(world: &World, settings: &PowerSettings) -> Option<Exhibit> {
    let draws: Vec<f64> = world.power_readings().flatten().map(|watts| f64::from(*watts)).collect();
    (!draws.is_empty()).then(|| walked(draws, &terms(world, settings), settings, &phrase!("this run")))
}

/// The same for draws of chassis like those of the run.
pub(super) fn of_draws(world: &World, draws: Draws) -> Result<Exhibit, Phrase> {
    let settings = world
        .power_settings()
        .ok_or_else(|| phrase!("expected a run with power, got one without; first choose a capping setting"))?;
    Ok(walked(draws.watts, &terms(world, &settings), &settings, &phrase!("the file")))
}

fn walked(draws: Vec<f64>, terms: &Terms, settings: &PowerSettings, whose: &Phrase) -> Exhibit {
    let title = phrase!("Lowest budgets by {whose}", whose);
    let found = History::new(draws).and_then(|history| {
        let rows: Result<Vec<_>, _> = APPROACHES.iter().map(|it| Ok((it, it.budget(&history, terms)?))).collect();
        rows.map(|rows| (history.readings() as f64, rows))
    });
    let (readings, found) = match found {
        Ok(found) => found,
        Err(fault) => return Exhibit { title, said: vec![fault.phrase()], ..Exhibit::default() },
    };
    let site = Site { megawatts: settings.site_mw, dollars_per_watt: settings.dollars_per_watt };
    let row = |(approach, budget): &(&tiebreak_power::Approach, Option<Budget>)| {
        let delta = budget.as_ref().map_or(0.0, |budget| budget.delta);
        let watts = budget.as_ref().map_or(terms.provisioned_w, |budget| budget.budget_w);
        let cells = vec![
            Phrase::text(approach.title),
            phrase!("{} W", said::count(watts.round())),
            phrase!("{} %", said::fixed(100.0 * delta, 1)),
            phrase!("{} %", said::fixed(approach.paper_delta_pct, 1)),
            phrase!("${}M", said::fixed(site.saved_dollars(delta) / 1e6, 1)),
        ];
        let more = budget.iter().map(|budget| {
            phrase!(
                "At {} W without the buffer there would have been {} in {} readings. The limit: {}.",
                said::count(budget.lowest.budget_w.round()),
                said::counted(budget.lowest.events as f64, "event", "events"),
                said::count(readings),
                Phrase::text(budget.stop.words())
            )
        });
        ExhibitRow { cells, more: more.collect() }
    };
    let rows = found.iter().map(row).collect();
    let last = found.iter().rev().find_map(|(_, budget)| budget.as_ref());
    let plot = last.map(|budget| ExhibitPlot {
        unit: phrase!("% of readings"),
        across: phrase!("budget in watts"),
        across_is_log: false,
        lines: vec![
            (phrase!("events"), curve(budget, |it| it.events as f64 / readings)),
            (phrase!("user-facing VMs throttled"), curve(budget, |it| it.user_facing as f64 / readings)),
        ],
    });
    let head =
        [mark("Which VMs may be throttled"), mark("Budget"), mark("Reduction"), mark("In the paper"), mark("Savings")]
            .map(Phrase::text);
    let said = vec![
        phrase!(
            "Based on {} readings, with {} of the cores user-facing, utilized to {} at their 95th percentile, the \
             others to {}, and a buffer of {} %. The savings could power more servers, for a site of {} MW at ${} per \
             watt.",
            said::count(readings),
            pct(terms.mix.user_facing),
            pct(terms.mix.user_facing_busy),
            pct(terms.mix.batch_busy),
            said::trimmed(settings.buffer_pct, 1),
            said::trimmed(settings.site_mw, 1),
            said::trimmed(settings.dollars_per_watt, 2)
        ),
        phrase!("The curve shows the last row: as the budget falls, capping events become more frequent."),
    ];
    Exhibit { title, said, head: head.into(), rows, plot }
}

fn pct(share: f64) -> Phrase {
    phrase!("{:.0} %", 100.0 * share)
}

fn curve(budget: &Budget, of: impl Fn(&tiebreak_power::Candidate) -> f64) -> Vec<(f64, f64)> {
    let mut points: Vec<_> = budget.walked.iter().map(|it| (it.budget_w, 100.0 * of(it))).collect();
    points.reverse();
    points
}

/// Steps 1 and 2 of five: the average VMs per server, and the servers' draw.
fn terms(world: &World, settings: &PowerSettings) -> Terms {
    let (workload, fleet) = (world.plan().workload(), world.plan().fleet());
    let usages = world.plan().usages();
    let (mut cores, mut busy) = ([0.0; 2], [0.0; 2]);
    for (vm, usage) in (0..).map(VmId).zip(usages.iter().flat_map(|usages| usages.iter())) {
        let of_vm = f64::from(workload.shape_of_vm(vm).demand[Resource::Cores]);
        let kind = usize::from(!usage.load.user_facing);
        cores[kind] += of_vm;
        busy[kind] += of_vm * f64::from(usage.load.p95_pct) / 100.0;
    }
    let mean = |kind: usize| if cores[kind] > 0.0 { busy[kind] / cores[kind] } else { 0.0 };
    let first = fleet.clusters()[0].capacity;
    let power = settings.server(first[Resource::Cores].div_ceil(1_000));
    let servers = fleet.machines_of_chassis(tiebreak_model::ChassisId(0)).len() as u32;
    let all = cores[0] + cores[1];
    Terms {
        power,
        servers,
        provisioned_w: f64::from(servers) * power.full_w,
        mix: Mix {
            user_facing: if all > 0.0 { cores[0] / all } else { 0.0 },
            user_facing_busy: mean(0),
            batch_busy: mean(1),
            ..Mix::default()
        },
        buffer: settings.buffer_pct / 100.0,
        treated: TreatedShares::default(),
    }
}
