//! The arrivals of 3.5 days of the Azure trace of 2017, with lifetimes in bins.
//!
//! Source: Cortez et al., "Resource Central", SOSP 2017; prepared by Bergsma et al., "Generating Complex, Realistic
//! Cloud Workloads using Recurrent Neural Networks", SOSP 2021.

use tiebreak_model::{Declaration, Declared, Millis, Resources, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, SECOND, checked_end};
use crate::error::TraceError;
use crate::formats::{Format, Head, RowReader, Table};
use crate::records::Record;
use crate::report::{Fault, Tally};

tiebreak_model::declare! {
    /// All arrivals of 3.5 days of the Azure public dataset of 2017 (Microsoft; Cortez et al., SOSP 2017), as prepared
    /// for Bergsma et al., SOSP 2021. Licence: CC BY 4.0. Header:
    /// vm,batch,start_s,cores,mem_gb,dur_bin,dur_lo_s,dur_hi_s,censored. Times are seconds on a grid of 300 s, counted
    /// here from the first arrival. The tenant is the batch: the VMs that one user asked for within 5 minutes.
    /// Lifetimes are known to a bin, of which the upper end is used; up to an hour it is exact. A VM whose
    /// lifetime was censored never ends.
    pub struct Azure2017Arrivals as "Azure arrivals 2017, in batches" {}
}

/// The columns, as named in the header.
const COLUMNS: [&str; 9] = ["vm", "batch", "start_s", "cores", "mem_gb", "dur_bin", "dur_lo_s", "dur_hi_s", "censored"];

/// The trace's smallest span.
const GRID: i64 = 5 * Millis::MINUTE.0 as i64;

impl Format for Azure2017Arrivals {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "Azure public dataset of 2017, Microsoft; Cortez et al., SOSP 2017; prepared by Bergsma et al., SOSP 2021. Licence: CC BY 4.0."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[
            "Which deployment or user a VM belongs to: a batch holds only what was asked for within 5 minutes.",
            "VMs that were running before: only arrivals are listed.",
            "Lifetimes above an hour, except for their bin.",
            "Which VMs are spot VMs, local disks and network.",
        ]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for Azure2017Arrivals {
    fn knows_name(&self, file_name: &str) -> bool {
        file_name.starts_with("dev-vms")
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        head.first().len() == COLUMNS.len() && head.names(&COLUMNS)
    }

    fn open(&self, head: &Head<'_>, _: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        Ok(Box::new(ArrivalRows {
            name: head.column("vm", 1.0),
            batch: head.column("batch", 1.0),
            start: head.column("start_s", SECOND),
            cores: head.column("cores", 1_000.0),
            memory: head.column("mem_gb", 1_024.0),
            lives: head.column("dur_hi_s", SECOND),
            censored: head.column("censored", 1.0),
            first: Time(i64::MAX),
            last: Time(0),
        }))
    }
}

struct ArrivalRows {
    name: Column,
    batch: Column,
    start: Column,
    cores: Column,
    memory: Column,
    lives: Column,
    censored: Column,
    first: Time,
    last: Time,
}

impl RowReader for ArrivalRows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(COLUMNS.len())?;
        let demand = Resources::new(self.cores.cores_milli(record)?, self.memory.memory_mib(record)?, 0, 0);
        let start = self.start.time(record)?;
        let end = match self.lives.time_or_never(record, tally)? {
            Time::NEVER => Time::NEVER,
            _ if self.censored.flag(record)? => Time::NEVER,
            life => Time(start.0 + life.0),
        };
        let end = checked_end(record, &self.lives, start, end, GRID, tally)?;
        (self.first, self.last) = (self.first.min(start), self.last.max(start));
        let (name, tenant) = (self.name.name(record), self.batch.name(record));
        Ok(Some(VmRow { name, tenant, shape: VmShape::plain(demand), start, end }))
    }

    /// The tick after the last arrival. The first arrivals come a tick after the beginning, when nothing runs yet.
    fn finish(&mut self, rows: &mut WorkloadBuilder, _: &mut Tally) -> Time {
        let before = self.first.0.min(self.last.0) - GRID;
        rows.change(|row| {
            row.start.0 -= before;
            row.end = if row.end == Time::NEVER { row.end } else { Time(row.end.0 - before) };
        });
        Time(self.last.0 - before + GRID)
    }
}
