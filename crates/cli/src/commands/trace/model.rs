//! `tiebreak trace model`, `generate` and `compare`: a workload fitted to a trace, VMs generated from it, and how
//! similar they are to the trace (docs/FITTING.md).

use serde::Serialize;
use tiebreak_fitting::{Both, Comparison, Distance, Fitted, Hourly, InUse, PRESETS, Preset, Scale};
use tiebreak_model::random::Seed;
use tiebreak_trace::compact::Origin;

use super::{page, write, written};
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table};
use tiebreak_console::trace::read_given;

pub(crate) const RATE: Opt = Opt {
    name: "rate",
    value: Some("TIMES"),
    help: "`generate` scales the requests and the VMs running at the start by this factor; 1 by default",
};

pub(crate) const DAYS: Opt = Opt {
    name: "days",
    value: Some("DAYS"),
    help: "duration of the workload of `generate`, by default that of the trace; of `warm-up`, the days before the \
         trace, by default its own length",
};

pub(crate) const SEED: Opt =
    Opt { name: "seed", value: Some("NUMBER"), help: "random seed of `generate` and `warm-up`; 1 by default" };

pub(crate) const SOURCE: Opt = Opt {
    name: "source",
    value: Some("TEXT"),
    help: "the trace's source and attribution that `model` records; by default that of its format",
};

pub(crate) const PAGE: Opt =
    Opt { name: "page", value: Some("FILE"), help: "the HTML file for tables and charts of `compare`" };

#[derive(Serialize)]
struct Modelled {
    file: Option<String>,
    bytes: usize,
    days: f64,
    requests_per_hour: f64,
    flavours: usize,
    lives_of_their_own: usize,
    alive_at_start: u32,
}

/// Fits a workload to a trace and writes it.
pub(super) fn model(given: &Given) -> Result<Answer, Failure> {
    let parsed = read_given(given.word(1, "the file to fit a workload to")?, given)?;
    let source = given.one("source").unwrap_or(&parsed.report.source);
    let fitted = Fitted::of(&parsed.workload, source).map_err(|fault| Failure(fault.to_string()))?;
    let json = fitted.to_json() + "\n";
    let Some(file) = given.one("out") else { return Ok(Answer::text(json)) };
    write(file, json.as_bytes())?;
    let modelled = Modelled {
        file: Some(file.into()),
        bytes: json.len(),
        days: fitted.days,
        requests_per_hour: fitted.arrivals.requests_per_hour,
        flavours: fitted.flavours.len(),
        lives_of_their_own: fitted.lives.of_flavour.len(),
        alive_at_start: fitted.flavours.iter().map(|flavour| flavour.start).sum(),
    };
    Ok(Answer::either(given, &modelled, || {
        format!(
            "Wrote {file}, {} bytes: {:.1} days, {:.1} requests per hour, {} flavours, {} of them with their own lifetimes, {} VMs running at the start.\n",
            count(modelled.bytes as u64),
            modelled.days,
            modelled.requests_per_hour,
            modelled.flavours,
            modelled.lives_of_their_own,
            count(modelled.alive_at_start.into()),
        )
    }))
}

#[derive(Serialize)]
struct Generated {
    file: String,
    vms: u32,
    requests: u32,
    alive_at_start: u32,
    fingerprint: String,
}

/// Generates a workload and writes it.
pub(super) fn generate(given: &Given) -> Result<Answer, Failure> {
    let fitted = fitted(given.word(1, "a fitted workload: its file, or the name of a preset")?)?;
    let scale = Scale {
        rate: decimal(given, "rate")?.unwrap_or(1.0),
        days: decimal(given, "days")?.unwrap_or(fitted.days),
        seed: Seed(given.number("seed")?.unwrap_or(1)),
    };
    let workload = fitted.generate(&scale).map_err(|fault| Failure(fault.to_string()))?;
    let bytes = written(given, &workload, || {
        let notes = vec![format!("Generated; fitted to: {}", fitted.source)];
        Origin { title: "Generated workload".into(), notes, cannot_answer: Vec::new() }
    })?;
    let Some(file) = given.one("out") else {
        if given.has("json") || given.has("compact") {
            return Err(Failure("expected --out FILE, got none; add the file to write".into()));
        }
        return Ok(Answer::text(String::from_utf8(bytes)?));
    };
    write(file, &bytes)?;
    let generated = Generated {
        file: file.into(),
        vms: workload.vm_count(),
        requests: workload.request_count() - workload.warm_count(),
        alive_at_start: workload.warm_count(),
        fingerprint: format!("{:032x}", workload.fingerprint()),
    };
    Ok(Answer::either(given, &generated, || {
        format!(
            "Wrote {} VMs to {file}: {} running at the start, the others in {} requests. Fitted to: {}\n",
            count(generated.vms.into()),
            count(generated.alive_at_start.into()),
            count(generated.requests.into()),
            fitted.source,
        )
    }))
}

/// The preset of this name, or the content of this file.
fn fitted(name: &str) -> Result<Fitted, Failure> {
    let told = |fault: tiebreak_fitting::FitFault| Failure(format!("{name}: {fault}"));
    if let Some(preset) = Preset::find(name) {
        return preset.fitted().map_err(told);
    }
    let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
    let unreadable = |error: std::io::Error| {
        Failure(format!("expected the file of a fitted workload or one of {}, got {name}: {error}", names.join(", ")))
    };
    Fitted::from_json(&std::fs::read_to_string(name).map_err(unreadable)?).map_err(told)
}

pub(super) fn decimal(given: &Given, name: &str) -> Result<Option<f64>, Failure> {
    let parse = |value: &str| {
        let wrong = |_| Failure(format!("expected a number after --{name}, got \"{value}\"; write, for instance, 1.5"));
        value.parse().map_err(wrong)
    };
    given.one(name).map(parse).transpose()
}

/// Compares two traces.
pub(super) fn compare(given: &Given) -> Result<Answer, Failure> {
    let names = [given.word(1, "the first trace")?, given.word(2, "the second trace")?];
    let [first, second] = [read_given(names[0], given)?, read_given(names[1], given)?];
    let comparison = Comparison::of(&first.workload, &second.workload);
    if let Some(file) = given.one("page") {
        let names = names.map(|name| name.rsplit(['/', '\\']).next().unwrap_or(name));
        write(file, page::html(names, &tables(&comparison), &comparison).as_bytes())?;
    }
    Ok(Answer::either(given, &comparison, || text(&comparison)))
}

/// The tables of a comparison, each with its header in the first row.
fn tables(comparison: &Comparison) -> Vec<Vec<Vec<String>>> {
    vec![distances(&comparison.distances), reuse(&comparison.reuse), figures(comparison)]
}

fn text(comparison: &Comparison) -> String {
    let tables: Vec<_> = tables(comparison).iter().map(|rows| table(rows)).collect();
    tables.join("\n")
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|cell| (*cell).to_owned()).collect()
}

fn distances(distances: &[Distance]) -> Vec<Vec<String>> {
    let mut rows = vec![row(&["distances", "KS", "CvM", "first", "second"])];
    rows.extend(distances.iter().map(|it| {
        let [ks, cvm] = [format!("{:.3}", it.kolmogorov_smirnov), format!("{:.5}", it.cramer_von_mises)];
        vec![it.what.into(), ks, cvm, count(it.seen.first as u64), count(it.seen.second as u64)]
    }));
    rows
}

fn reuse(reuse: &Both<Vec<f64>>) -> Vec<Vec<String>> {
    let mut rows = vec![row(&["reuse: other sizes in between", "first, %", "second, %"])];
    let at = |shares: &[f64], bin: usize| match shares.get(bin) {
        Some(share) => format!("{:.1}", 100.0 * share),
        None => "100.0".into(),
    };
    let bins = reuse.first.len().max(reuse.second.len());
    rows.extend(
        (0..bins)
            .map(|bin| vec![format!("fewer than {}", 1_u64 << bin), at(&reuse.first, bin), at(&reuse.second, bin)]),
    );
    rows
}

fn figures(comparison: &Comparison) -> Vec<Vec<String>> {
    let mut rows = vec![row(&["figures", "first", "second"])];
    let mut add = |what: String, both: [f64; 2], decimals: usize| {
        rows.push(vec![what, format!("{:.decimals$}", both[0]), format!("{:.decimals$}", both[1])]);
    };
    for (what, hourly) in [("requests", &comparison.requests), ("VMs", &comparison.vms)] {
        let of = |figure: fn(&Hourly) -> f64| [figure(&hourly.first), figure(&hourly.second)];
        add(format!("{what} per hour, mean"), of(|it| it.mean), 1);
        add(format!("{what} per hour, variance over mean"), of(|it| it.dispersion), 2);
        add(format!("{what} per hour, correlation after 1 h"), of(|it| it.after_1_h), 2);
        add(format!("{what} per hour, correlation after 24 h"), of(|it| it.after_24_h), 2);
    }
    let Both { first, second } = &comparison.tenants;
    add("tenants".into(), [first, second].map(|it| f64::from(it.count)), 0);
    add("VMs of a tenant, 99th percentile".into(), [first, second].map(|it| it.vms.p99), 0);
    add("VMs of a tenant, largest".into(), [first, second].map(|it| it.vms.max), 0);
    add("share of the largest tenth, %".into(), [first, second].map(|it| 100.0 * it.of_largest_tenth), 1);
    let Both { first, second } = &comparison.in_use;
    let of = |figure: fn(&InUse) -> f64| [figure(first), figure(second)];
    add("running VMs, mean".into(), of(|it| it.vms_mean), 0);
    add("cores in use, mean".into(), of(|it| it.cores_mean), 0);
    add("cores in use, peak".into(), of(|it| it.cores_peak), 0);
    let (cores, gib) = comparison.machine;
    let machines = of(|it| it.machines.map_or(f64::NAN, |machines| machines as f64));
    add(format!("machines of {cores} cores, {gib} GiB, minimum"), machines, 0);
    rows
}
