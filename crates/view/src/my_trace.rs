//! The user's own trace: its contents, its needs, and whether the machines are enough.

use tiebreak_app::App;
use tiebreak_chart::csv_field;
use tiebreak_engine::protocol::{FaultyRow, TraceCard};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_scenario::WorkloadRef;
use tiebreak_scenario::presets::PACKING_CUT_FINGERPRINT;

/// Faulty rows per page of the list.
pub const FAULTS_A_PAGE: usize = 50;

/// The displayed trace of the user: that of the active variant, or the last one read. Excludes included and generated
/// traces.
#[must_use]
pub fn own(app: &App) -> Option<&TraceCard> {
    let is_own = |card: &&TraceCard| !card.is_drawn && card.fingerprint != format!("{PACKING_CUT_FINGERPRINT:032x}");
    let mut own = app.traces.iter().filter(is_own);
    own.clone().find(|card| is_in_use(app, card)).or_else(|| own.next_back())
}

/// Whether the active variant runs on this trace.
#[must_use]
pub fn is_in_use(app: &App, card: &TraceCard) -> bool {
    matches!(&app.variant().workload, WorkloadRef::Trace { fingerprint, .. }
        if format!("{fingerprint:032x}") == card.fingerprint)
}

/// The trace's contents, each with its name.
#[must_use]
pub fn facts(card: &TraceCard) -> Vec<(&'static str, String)> {
    vec![
        (tr("Format"), tr(&card.format).to_owned()),
        (tr("Rows"), words::count(card.rows)),
        (tr("VMs"), words::count(card.vms)),
        (tr("Span"), say("{} days", &[&words::trimmed(card.days, 1)])),
    ]
}

/// The peak use of a resource, compared with the machines' capacity.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// The resource.
    pub title: &'static str,
    /// The peak as a share of the total capacity; above 1 the machines cannot be enough.
    pub share: f64,
    /// Both as numbers.
    pub told: String,
}

/// The peaks of cores and memory, compared with the machines of the active variant.
#[must_use]
pub fn peaks(app: &App, card: &TraceCard) -> [Peak; 2] {
    let rows = app.variant().clusters.iter().map(|row| &row.settings);
    let (cores, memory) = rows.fold((0.0, 0.0), |(cores, memory), it| {
        let machines = f64::from(it.machines);
        (cores + machines * it.cores, memory + machines * it.memory_gib)
    });
    let peak = |title: &'static str, peak: f64, fleet: f64, unit: &'static str| {
        let share = if fleet > 0.0 { peak / fleet } else { f64::INFINITY };
        let [peak, fleet, percent] =
            [words::count(peak.ceil()), words::count(fleet), words::count((100.0 * share).round())];
        let told = say("{peak} of {fleet} {unit} ({percent} %)", &[&peak, &fleet, &tr(unit), &percent]);
        Peak { title: tr(title), share, told }
    };
    [
        peak(mark("Peak cores"), card.peak_cores, cores, mark("cores")),
        peak(mark("Peak memory"), card.peak_memory_gib, memory, "GiB"),
    ]
}

/// How many of its VMs the displayed run rejected, in one sentence; `None` before there is a result.
#[must_use]
pub fn rejected(app: &App) -> Option<String> {
    let result = app.front.live.as_ref().filter(|_| !app.hides_result())?.result.as_ref()?;
    let (rejected, all) = (result.figure("rejections"), result.placed()[1]);
    let percent = if all > 0.0 { 100.0 * rejected / all } else { 0.0 };
    let [rejected, all, percent] = [words::count(rejected), words::count(all), words::trimmed(percent, 2)];
    Some(say("These machines reject {rejected} of {all} VMs ({percent} %).", &[&rejected, &all, &percent]))
}

/// The source of the displayed workload, for the footer of the page.
#[must_use]
pub fn attribution(app: &App) -> String {
    let is_generated = matches!(app.variant().workload, WorkloadRef::Generated(_));
    match app.traces.iter().find(|card| is_in_use(app, card)) {
        _ if is_generated => tr("Workload: generated.").into(),
        Some(card) if own(app).is_some_and(|own| std::ptr::eq(own, card)) => {
            say("Trace: {}. {}", &[&card.name, &tr(&card.source)])
        }
        Some(card) if !card.source.is_empty() => say("Trace: {}", &[&tr(&card.source)]),
        _ => match &app.variant().workload {
            WorkloadRef::Trace { name, .. } => say("Trace: {}.", &[&name]),
            WorkloadRef::Generated(_) => String::new(),
        },
    }
}

/// The refused rows as a file.
#[must_use]
pub fn faults_csv(rows: &[FaultyRow]) -> String {
    let line = |row: &FaultyRow| {
        let FaultyRow { line, kind, expected, got } = row;
        format!("{line},{},{},{}\n", csv_field(kind), csv_field(expected), csv_field(got))
    };
    std::iter::once("line,fault,expected,got\n".to_owned()).chain(rows.iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faulty_rows_are_a_csv_whatever_stands_in_them() {
        let row = FaultyRow {
            line: 7.0,
            kind: "not a number".into(),
            expected: "a number, here".into(),
            got: "\"x\"".into(),
        };
        assert_eq!(faults_csv(&[row]), "line,fault,expected,got\n7,not a number,\"a number, here\",\"\"\"x\"\"\"\n");
    }
}
