//! Reads a compact file, which may be truncated, damaged or malicious.

use std::ops::RangeInclusive;

use tiebreak_model::{Resources, Scope, TenantTerms, Time, VmShape, WorkloadBuilder};

use super::clock::{Clock, PARTS_MAX, STEP_MS_MAX};
use super::columns::{Columns, damaged};
use super::numbers::Reader;
use super::{MAGIC, SUM_BYTES, VERSION};
use crate::column::{CORES_MILLI_MAX, MEMORY_MIB_MAX, TIME_MS_MAX, hash};
use crate::error::TraceError;
use crate::formats::named_columns::settle_terms;
use crate::limits::Limits;
use crate::report::Tally;

/// The rows of a whole file, and the end of the trace.
pub(super) fn read(file: &[u8], limits: &Limits, tally: &mut Tally) -> Result<(WorkloadBuilder, Time), TraceError> {
    let (bytes, sum) = file.split_at(file.len().saturating_sub(SUM_BYTES));
    let mut reader = Reader(bytes.strip_prefix(MAGIC).unwrap_or_default());
    let version = reader.number()?;
    if version != VERSION {
        return Err(TraceError::CompactVersion { version, known: VERSION });
    }
    tally.title = Some(reader.text()?);
    tally.notes = reader.texts()?;
    tally.cannot_answer = reader.texts()?;
    let step = (reader.within(1..=STEP_MS_MAX)?, reader.within(1..=PARTS_MAX)?);
    let clock = Clock { step, beat_ms: reader.within(0..=STEP_MS_MAX)? };
    let horizon = reader.within(1..=TIME_MS_MAX as u64)?;
    let shapes = reader.list(Reader::shape)?;
    let (counts, columns) = reader.columns(clock, limits)?;
    if !reader.0.is_empty() {
        return Err(damaged("bytes after the end"));
    }
    if *sum != hash(bytes).to_le_bytes() {
        return Err(damaged("its sum differs"));
    }
    let mut rows = columns.rows(counts, &shapes, clock)?;
    tally.rows = rows.len() as u64;
    settle_terms(&mut rows, tally);
    Ok((rows, Time(horizon)))
}

type Taken<T> = Result<T, TraceError>;

impl<'a> Reader<'a> {
    fn within<T: TryFrom<u64>>(&mut self, range: RangeInclusive<u64>) -> Taken<T> {
        let number = Some(self.number()?).filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or(damaged("a number out of its range"))
    }

    /// From 0 to `most`.
    fn up_to<T: TryFrom<u64> + Into<u64>>(&mut self, most: T) -> Taken<T> {
        self.within(0..=most.into())
    }

    /// A count of items. Each item has at least one byte, so a count never requests more memory than the file's size
    /// justifies.
    fn count(&mut self) -> Taken<usize> {
        let count = usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len());
        count.ok_or(TraceError::CompactCut)
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Taken<T>) -> Taken<Vec<T>> {
        let count = self.count()?;
        self.times(count, item)
    }

    fn times<T>(&mut self, count: usize, item: impl Fn(&mut Self) -> Taken<T>) -> Taken<Vec<T>> {
        (0..count).map(|_| item(self)).collect()
    }

    fn text(&mut self) -> Taken<String> {
        let length = self.count()?;
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        String::from_utf8(text.into()).map_err(|_| damaged("a text that is no UTF-8"))
    }

    fn texts(&mut self) -> Taken<Vec<String>> {
        self.list(Self::text)
    }

    fn shape(&mut self) -> Taken<VmShape> {
        let cores = self.within(1..=CORES_MILLI_MAX as u64)?;
        let memory = self.within(1..=MEMORY_MIB_MAX as u64)?;
        let demand = Resources::new(cores, memory, self.up_to(u32::MAX)?, self.up_to(u32::MAX)?);
        let priority = self.up_to(u8::MAX)?;
        let terms = TenantTerms {
            fault_domains: self.up_to(u16::MAX)?,
            scope: Scope::ALL[usize::from(self.up_to(Scope::ALL.len() as u8 - 1)?)],
            per_machine: self.up_to(u16::MAX)?,
            per_rack: self.up_to(u16::MAX)?,
            isolated: self.up_to(1_u8)? == 1,
        };
        Ok(VmShape { priority, terms, ..VmShape::plain(demand) })
    }

    /// The columns, and the numbers of their groups and VMs.
    fn columns(&mut self, clock: Clock, limits: &Limits) -> Taken<([usize; 2], Columns<Reader<'a>>)> {
        let groups = self.count()?;
        let offsets = self.numbers(if clock.beat_ms > 0 { groups } else { 0 })?;
        let sizes = self.numbers(groups)?;
        let mut told = Reader(sizes.0);
        let mut later = 0_u64;
        for _ in 0..groups {
            later = later.saturating_add(told.number()?);
        }
        if later.saturating_add(groups as u64) > limits.rows_max {
            return Err(TraceError::TooManyRows { rows_max: limits.rows_max });
        }
        let later = later as usize;
        let columns = Columns {
            offsets,
            sizes,
            later_names: self.numbers(later)?,
            first_kinds: self.numbers(groups)?,
            later_kinds: self.numbers(later)?,
            later_ends: self.numbers(later)?,
            tenants: self.numbers(groups)?,
            first_names: self.numbers(groups)?,
            starts: self.numbers(groups)?,
            first_ends: self.numbers(groups)?,
        };
        Ok(([groups, groups + later], columns))
    }
}
