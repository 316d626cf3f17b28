//! Loaded traces, from the first byte of a file on, and the workloads of variants.

use std::sync::Arc;

use tiebreak_model::{Declared, Phrase, Workload};
use tiebreak_scenario::{Document, TraceSettings, Variant, WorkloadRef};
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Limits, Parsed, TraceParser};

use super::trace_card::{self, trace_card};
use super::{Engine, Waiting, generated};
use crate::protocol::{Generate, Reply, TraceCard};

/// The maximum number of loaded traces; the oldest is dropped.
const TRACES_MAX: usize = 4;

/// The maximum number of refused rows that are kept per file; all are counted.
pub const FAULTY_ROWS_MAX: usize = 10_000;

/// A loaded trace.
pub(super) struct Trace {
    pub(super) fingerprint: u128,
    pub(super) workload: Arc<Workload>,
    /// The notes to store with its columns.
    pub(super) origin: Origin,
    pub(super) name: String,
    /// The trace that it was fitted to.
    pub(super) like: Option<u128>,
}

/// A trace being read.
pub(super) struct Reading {
    name: String,
    sample: Vec<f64>,
    parser: TraceParser,
    told_at: u64,
}

impl Engine {
    /// Starts to read a trace; drops an unfinished one.
    pub(super) fn trace_begin(
        &mut self,
        name: String,
        bytes: u64,
        (sample, is_sampled): (Vec<f64>, bool),
        columns: Vec<String>,
        decimal_commas: Option<bool>,
    ) {
        let settings = if is_sampled { TraceSettings::default() } else { TraceSettings::from_values(&sample) };
        let limits = Limits { faults_kept: FAULTY_ROWS_MAX, ..Limits::default() };
        let parser = TraceParser::with_limits(&name, limits).of_size(bytes).sampled(settings.sample());
        let parser = if columns.is_empty() { parser } else { parser.with_columns(columns) };
        let parser = match decimal_commas {
            Some(has_decimal_commas) => parser.with_decimal_commas(has_decimal_commas),
            None => parser,
        };
        self.reading = Some(Reading { name, sample, parser, told_at: 0 });
    }

    /// Whether a trace is being read.
    #[must_use]
    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Adds notes on how the current trace is read.
    pub fn trace_notes(&mut self, notes: Vec<String>) {
        if let Some(reading) = &mut self.reading {
            notes.into_iter().for_each(|note| reading.parser.note(note));
        }
    }

    /// Takes more bytes of the current trace.
    pub fn trace_bytes(&mut self, chunk: &[u8]) -> Vec<Reply> {
        const TELL_EVERY: u64 = 4 << 20;
        let Some(reading) = &mut self.reading else { return Vec::new() };
        if let Err(error) = reading.parser.push(chunk) {
            let unknown = trace_card::unknown(&reading.name, reading.parser.unknown());
            self.reading = None;
            return vec![Reply::TraceFailed { message: Phrase::text(error.to_string()), unknown }];
        }
        let progress = reading.parser.progress();
        if progress.bytes - reading.told_at < TELL_EVERY {
            return Vec::new();
        }
        reading.told_at = progress.bytes;
        vec![Reply::TraceProgress { bytes: progress.bytes as f64, rows: progress.rows as f64 }]
    }

    /// Ends the current trace.
    pub fn trace_end(&mut self) -> Vec<Reply> {
        let Some(Reading { name, sample, parser, .. }) = self.reading.take() else { return Vec::new() };
        match parser.finish() {
            Ok(parsed) => {
                let mut replies = vec![Reply::TraceLoaded(self.keep(name, sample, parsed))];
                let fingerprint = self.traces.last().map(|trace| trace.fingerprint);
                if let Some(waiting) = self.waiting.take_if(|waiting| waiting.fingerprint == fingerprint) {
                    let Waiting { run, document, then, at_any_cost, .. } = waiting;
                    replies.extend(self.start(run, document, then, at_any_cost));
                }
                replies
            }
            Err(error) => vec![Reply::TraceFailed { message: Phrase::text(error.to_string()), unknown: None }],
        }
    }

    fn keep(&mut self, name: String, sample: Vec<f64>, parsed: Parsed) -> TraceCard {
        let fingerprint = parsed.workload.fingerprint();
        let card = trace_card(name, sample, fingerprint, &parsed);
        self.traces.retain(|kept| kept.fingerprint != fingerprint);
        if self.traces.len() == TRACES_MAX {
            self.traces.remove(0);
        }
        let (origin, name) = (trace_card::origin(&card, &parsed.report), card.name.clone());
        self.traces.push(Trace { fingerprint, workload: Arc::new(parsed.workload), origin, name, like: None });
        card
    }

    /// The columns of a loaded trace with this fingerprint (32 hex digits), in parts: a file that is a fraction of the
    /// original, and fast to read.
    #[must_use]
    pub fn columns(&self, fingerprint: &str) -> Option<Vec<Vec<u8>>> {
        let trace = self.traces.iter().find(|trace| format!("{:032x}", trace.fingerprint) == fingerprint)?;
        Some(compact::parts(&trace.workload, &trace.origin))
    }

    /// Generates a workload and keeps it as a trace.
    pub(super) fn generate(&mut self, ask: &Generate) -> Reply {
        let of = |trace: &&Trace| format!("{:032x}", trace.fingerprint) == ask.like;
        let source =
            self.traces.iter().find(of).map(|trace| (trace.fingerprint, trace.workload.clone(), trace.name.clone()));
        let trace = source.as_ref().map(|(_, workload, name)| (&**workload, name.as_str()));
        match generated::drawn(ask, trace) {
            Ok((name, parsed, notes)) => {
                let mut card = self.keep(name, Vec::new(), parsed);
                card.notes.splice(..notes.len(), notes);
                card.is_drawn = true;
                if let (Some(trace), Some((like, ..))) = (self.traces.last_mut(), source) {
                    trace.like = Some(like);
                }
                Reply::TraceLoaded(card)
            }
            Err(message) => Reply::TraceFailed { message, unknown: None },
        }
    }

    /// VMs of a variant's trace, if it is loaded.
    pub(super) fn loaded_vms(&self, variant: &Variant) -> f64 {
        let WorkloadRef::Trace { fingerprint, .. } = &variant.workload else { return 0.0 };
        let trace = self.traces.iter().find(|trace| trace.fingerprint == *fingerprint);
        trace.map_or(0.0, |trace| trace.workload.vm_count().into())
    }

    pub(super) fn workload(&mut self, variant: &Variant) -> Option<Arc<Workload>> {
        match &variant.workload {
            WorkloadRef::Trace { fingerprint, name, .. } => {
                if !self.traces.iter().any(|trace| trace.fingerprint == *fingerprint) {
                    // A workload generated from a preset can be generated again.
                    let again = generated::again(name).filter(|parsed| parsed.workload.fingerprint() == *fingerprint);
                    self.keep(name.clone(), Vec::new(), again?);
                }
                let trace = self.traces.iter().find(|trace| trace.fingerprint == *fingerprint);
                trace.map(|trace| trace.workload.clone())
            }
            WorkloadRef::Generated(_) => {
                let same = |made: &Variant| made.workload == variant.workload && made.seed == variant.seed;
                if !self.generated.as_ref().is_some_and(|(made, _)| same(made)) {
                    let workload = Arc::new(variant.generate()?);
                    self.generated = Some((variant.clone(), workload));
                }
                self.generated.as_ref().map(|(_, workload)| workload.clone())
            }
        }
    }

    /// The trace that a loaded one was fitted to, if that is loaded too.
    pub(super) fn fitted_to(&self, fingerprint: u128) -> Option<Arc<Workload>> {
        let find = |fingerprint: u128| self.traces.iter().find(|trace| trace.fingerprint == fingerprint);
        let trace = find(fingerprint).and_then(|trace| find(trace.like?))?;
        Some(trace.workload.clone())
    }
}

/// The active variant of a document, which must have no issues: only what the page shows may run.
pub(super) fn read(document: &str) -> Result<Variant, Phrase> {
    let read = Document::read(document).map_err(|error| Phrase::text(error.to_string()))?;
    match read.issues.first() {
        Some(issue) => Err(Phrase::text(issue.to_string())),
        None => Ok(read.document.active_variant().clone()),
    }
}
