//! `tiebreak trace warm-up`: a trace after a warm-up of resampled tenants (docs/SAMPLING.md).

use serde::Serialize;
use tiebreak_fitting::WarmedUp;
use tiebreak_model::Millis;
use tiebreak_model::random::Seed;
use tiebreak_trace::Parsed;
use tiebreak_trace::compact::Origin;

use super::model::decimal;
use super::{write, written};
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;
use tiebreak_console::shown::count;

#[derive(Serialize)]
struct Told<'a> {
    file: &'a str,
    /// Where the trace begins: what is before is not to be measured.
    measured_from_hours: f64,
    vms: u32,
    drawn: u32,
    coming: u32,
    standing: u32,
    fingerprint: String,
}

pub(super) fn run(given: &Given, Parsed { workload, report }: &Parsed) -> Result<Answer, Failure> {
    let days = decimal(given, "days")?.unwrap_or(workload.horizon().0 as f64 / Millis::DAY.0 as f64);
    let seed = Seed(given.number("seed")?.unwrap_or(1));
    let warmed = WarmedUp::of(workload, days, seed).map_err(|fault| Failure(fault.to_string()))?;
    let bytes = written(given, &warmed.workload, || {
        let origin = Origin::of(report);
        let note = format!("A warm-up of {days} days, drawn from its tenants, comes first.");
        Origin { notes: [origin.notes, vec![note]].concat(), ..origin }
    })?;
    let Some(file) = given.one("out") else {
        return Err(Failure("expected --out FILE, got none; add the file to write".into()));
    };
    write(file, &bytes)?;
    let told = Told {
        file,
        measured_from_hours: 24.0 * days,
        vms: warmed.workload.vm_count(),
        drawn: warmed.drawn,
        coming: warmed.coming,
        standing: warmed.standing,
        fingerprint: format!("{:032x}", warmed.workload.fingerprint()),
    };
    Ok(Answer::either(given, &told, || {
        format!(
            "Wrote {} VMs to {file}: {} come and go in the warm-up of {days} days. Of the VMs running at the start of the \
             trace, {} now come during the warm-up and {} are there before it. Measure the trace alone with --set \
             measures.measured_from_hours={}.\n",
            count(told.vms.into()),
            count(told.drawn.into()),
            count(told.coming.into()),
            count(told.standing.into()),
            told.measured_from_hours,
        )
    }))
}
