//! The effect of sampling on the numbers: generates the table of docs/SAMPLING.md, from any trace that fits into
//! memory.
//!
//! `cargo run -rp tiebreak-engine --example sampling -- batched-0.csv.gz`

use std::error::Error;
use std::sync::Arc;

use tiebreak_model::{RequestId, Sample, SampledBy, Workload};
use tiebreak_profile::Profile;
use tiebreak_scenario::presets;
use tiebreak_sim::World;
use tiebreak_trace::{Summary, TraceParser};

/// The number of parts to evaluate.
const PARTS: u32 = 3;
/// The decision time without sampling: long enough for conflicts in a trace of a few VMs per minute.
const DECISION_MS: u64 = 2_000;

const COLUMNS: [&str; 10] = [
    "peak cores, times n",
    "VMs an hour, variance over mean",
    "VMs in requests of several, %",
    "VMs of a tenant, mean",
    "reuse distance below 2, %",
    "empty machines, %",
    "packing density, %",
    "rejected, %",
    "conflicts in 1,000 VMs",
    "the same, decisions n times as long",
];

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("expected the file of a trace, got nothing; give batched-0.csv.gz")?;
    let file = std::fs::read(&path)?;
    println!("| kept | {} |\n|---|{}", COLUMNS.join(" | "), "---|".repeat(COLUMNS.len()));
    row("all", &[figures(&path, &file, Sample::default())?]);
    for (by, word) in SampledBy::ALL.into_iter().zip(SampledBy::WORDS) {
        for one_in in [2, 5, 10] {
            let parts = (0..one_in.min(PARTS))
                .map(|part| figures(&path, &file, Sample { by, one_in, part, ..Sample::default() }));
            row(&format!("one {word} in {one_in}"), &parts.collect::<Result<Vec<_>, _>>()?);
        }
    }
    Ok(())
}

/// A line of the table: the minimum and maximum over the parts.
fn row(name: &str, parts: &[[f64; COLUMNS.len()]]) {
    let cell = |column: usize| {
        let values = || parts.iter().map(|part| part[column]);
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let [least, most] = [least, most].map(|value| format!("{value:.*}", usize::from(value < 1_000.0)));
        if least == most { least } else { format!("{least} to {most}") }
    };
    println!("| {name} | {} |", std::array::from_fn::<_, { COLUMNS.len() }, _>(cell).join(" | "));
}

fn figures(path: &str, file: &[u8], sample: Sample) -> Result<[f64; COLUMNS.len()], Box<dyn Error>> {
    let mut parser = TraceParser::new(path).sampled(sample);
    parser.push(file)?;
    let parsed = parser.finish()?;
    let many = f64::from(sample.one_in.max(1));
    let (profile, peak) = (Profile::of(&parsed.workload), Summary::of(&parsed.workload).peak_cores_milli);
    let workload = Arc::new(parsed.workload);
    let [empty, packed, rejected, conflicts] = run(workload.clone(), sample.one_in.max(1), 1)?;
    let [.., slower] = run(workload.clone(), sample.one_in.max(1), sample.one_in.max(1).into())?;
    Ok([
        many * peak as f64 / 1_000.0,
        dispersion(&profile.arrivals.hourly),
        100.0 * in_company(&workload),
        profile.tenants.vms.mean,
        100.0 * profile.reuse.shares().get(1).copied().unwrap_or(0.0),
        empty,
        packed,
        rejected,
        conflicts,
        slower,
    ])
}

/// The variance divided by the mean.
fn dispersion(hourly: &[u32]) -> f64 {
    let hours = hourly.len().max(1) as f64;
    let mean = hourly.iter().map(|vms| f64::from(*vms)).sum::<f64>() / hours;
    hourly.iter().map(|vms| (f64::from(*vms) - mean).powi(2)).sum::<f64>() / hours / mean
}

/// The share of arriving VMs with other VMs in their request.
fn in_company(workload: &Workload) -> f64 {
    let arriving = (workload.warm_count()..workload.request_count()).map(RequestId);
    let sizes: Vec<_> = arriving.map(|request| workload.vms_of(request).len()).collect();
    let several: usize = sizes.iter().filter(|size| **size > 1).sum();
    several as f64 / sizes.iter().sum::<usize>().max(1) as f64
}

/// Empty machines, packing density and VMs rejected in percent, and conflicts per thousand VMs placed, with eight
/// agents on 400 machines divided by the sampling factor.
fn run(workload: Arc<Workload>, one_in: u32, slower: u64) -> Result<[f64; 4], Box<dyn Error>> {
    let preset = presets::find("packing-400").ok_or("expected the preset packing-400")?;
    let mut variant = (preset.make)().active_variant().clone();
    variant.clusters[0].settings.machines /= one_in;
    (variant.agents.count, variant.agents.decision_ms) = (8, DECISION_MS * slower);
    let mut world = World::new(variant.plan(workload)?.without_samples());
    world.run();
    let summary = world.summary();
    let conflicts = 1_000.0 * summary.conflicts as f64 / summary.placements.max(1) as f64;
    let rejected = 100.0 * summary.rejections as f64 / (summary.placements + summary.rejections).max(1) as f64;
    Ok([summary.empty_hosts_pct_mean, summary.packing_density_pct_mean, rejected, conflicts])
}
