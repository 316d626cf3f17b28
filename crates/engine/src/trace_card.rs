//! The summary of a trace for the page.

use tiebreak_model::{Phrase, phrase};
use tiebreak_profile::begins_late_at_hours;
use tiebreak_trace::compact::Origin;
use tiebreak_trace::formats::named_columns::{OFFERED, guessed, is_with_decimal_comma};
use tiebreak_trace::{Fault, Parsed, Report, Summary};

use crate::protocol::{FaultyRow, TraceCard, Unknown};

/// The summary of a trace.
pub(super) fn trace_card(name: String, sample: Vec<f64>, fingerprint: u128, parsed: &Parsed) -> TraceCard {
    let (report, summary) = (&parsed.report, Summary::of(&parsed.workload));
    let corrections =
        report.corrections.iter().map(|(kind, count)| phrase!("{count} rows: {}", count, Phrase::text(kind.title())));
    let sampled = (report.sampled_out > 0).then(|| phrase!("{} rows excluded by sampling", report.sampled_out));
    TraceCard {
        name,
        fingerprint: format!("{fingerprint:032x}"),
        sample,
        format: report.format_title.clone(),
        source: report.source.clone(),
        vms: f64::from(summary.vms),
        rows: report.rows as f64,
        faulty: report.faulty() as f64,
        faults: report.faults.iter().take(20).map(fault).collect(),
        faulty_rows: report.faults.iter().map(faulty_row).collect(),
        notes: sampled.into_iter().chain(corrections).chain(report.notes.iter().cloned().map(Phrase::text)).collect(),
        cannot_answer: report.cannot_answer.clone(),
        peak_cores: summary.peak_cores_milli as f64 / 1_000.0,
        peak_memory_gib: summary.peak_memory_mib as f64 / 1_024.0,
        warm: f64::from(summary.warm),
        days: summary.span.0 as f64 / 86_400_000.0,
        begins_late_at_hours: begins_late_at_hours(&parsed.workload),
        is_drawn: false,
    }
}

/// The notes to store with its columns: everything on its card.
pub(super) fn origin(card: &TraceCard, report: &Report) -> Origin {
    let faulty = (card.faulty > 0.0).then(|| format!("Unreadable rows excluded: {}", card.faulty));
    let faulty = faulty.into_iter().chain(card.faults.iter().map(ToString::to_string));
    let origin = Origin::of(report);
    let source = origin.notes.iter().take(origin.notes.len() - report.notes.len()).cloned();
    Origin { notes: source.chain(card.notes.iter().map(ToString::to_string)).chain(faulty).collect(), ..origin }
}

/// The maximum number of characters of a field, and of columns, shown of a table with unknown columns.
const FIELD_SHOWN: usize = 40;
const COLUMNS_SHOWN: usize = 60;

/// A table with unknown columns, and their possible meanings by its header; `None` without a header.
pub(super) fn unknown(name: &str, rows: &[Vec<String>]) -> Option<Unknown> {
    let first = rows.first()?;
    let value = |column: usize| rows.get(1).and_then(|row| row.get(column)).map_or("", String::as_str);
    let guess = |(column, field): (usize, &String)| guessed(field, value(column)).unwrap_or_default().to_owned();
    let columns = first.iter().enumerate().map(guess).collect();
    let shown = |row: &Vec<String>| -> Vec<String> {
        row.iter().take(COLUMNS_SHOWN).map(|field| field.chars().take(FIELD_SHOWN).collect()).collect()
    };
    let offered = OFFERED.map(String::from).into();
    let has_decimal_commas = rows.iter().flatten().any(|field| is_with_decimal_comma(field));
    let rows = rows.iter().map(shown).collect();
    Some(Unknown { name: name.into(), rows, columns, offered, has_decimal_commas })
}

fn faulty_row(Fault { line, kind, expected, got }: &Fault) -> FaultyRow {
    FaultyRow { line: *line as f64, kind: kind.title().into(), expected: expected.clone(), got: got.clone() }
}

fn fault(fault: &Fault) -> Phrase {
    phrase!("line {}: expected {}, got {}", fault.line, fault.expected, fault.got)
}
