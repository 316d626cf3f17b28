//! The vmtable of the Azure trace of 2017 (V1); that of 2019 (V2) has the same columns.
//!
//! Source: Cortez et al., "Resource Central", SOSP 2017.

use tiebreak_model::{Declaration, Declared, Millis, Resources, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, SECOND, checked_end, hash};
use crate::error::TraceError;
use crate::formats::{Format, Head, RowReader, Table};
use crate::records::Record;
use crate::report::{Correction, Fault, FaultKind, Tally};

tiebreak_model::declare! {
    /// The vmtable of the Azure public dataset of 2017 (Microsoft; Cortez et al., SOSP 2017).
    /// Licence: CC BY 4.0. No header, 11 columns: VM, subscription, deployment, created and deleted
    /// in seconds, three CPU figures, category, cores, memory in GiB. Times stand on a grid of 300 s;
    /// created 0 was already running, deleted at the last timestamp is still running. Names are
    /// hashed; the tenant is the deployment. The open buckets of 2019, >24 cores and >64 GiB, are
    /// read as 30 and 70.
    pub struct Azure2017 as "Azure VM table 2017" {}
}

const COLUMNS: usize = 11;
const DEPLOYMENT: usize = 2;
/// The trace's smallest span.
const GRID: i64 = 5 * Millis::MINUTE.0 as i64;

impl Format for Azure2017 {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "Azure public dataset of 2017 or 2019, Microsoft; Cortez et al., SOSP 2017. Licence: CC BY 4.0."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[
            "Which VMs are spot VMs: the table has no priorities.",
            "Anything within 5 minutes: times are on a 300 s grid.",
            "Local disks and network.",
            "The age of VMs running at the start of the trace, and the end of those that outlive it.",
        ]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for Azure2017 {
    fn knows_name(&self, file_name: &str) -> bool {
        file_name.starts_with("vmtable")
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        let number = |field: &String| field.parse::<f64>().is_ok();
        let size = |field: &String| field.trim_start_matches('>').parse::<f64>().is_ok();
        head.rows.iter().any(|row| {
            row.len() == COLUMNS && row[3..=4].iter().all(number) && !number(&row[8]) && row[9..=10].iter().all(size)
        })
    }

    fn has_header(&self) -> bool {
        false
    }

    fn open(&self, _: &Head<'_>, _: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        Ok(Box::new(Azure2017Rows {
            created: Column::new(3, "4 (vmcreated)", SECOND),
            deleted: Column::new(4, "5 (vmdeleted)", SECOND),
            cores: Column::new(9, "10 (cores)", 1_000.0),
            memory: Column::new(10, "11 (memory)", 1_024.0),
            last_ms: 0,
        }))
    }
}

struct Azure2017Rows {
    created: Column,
    deleted: Column,
    cores: Column,
    memory: Column,
    last_ms: i64,
}

impl Azure2017Rows {
    /// A time rounded to the grid, and whether it was rounded.
    fn on_grid(column: &Column, record: &Record<'_>) -> Result<(Time, bool), Fault> {
        let time = column.time(record)?;
        if time < Time::ZERO {
            return Err(column.fault(record, FaultKind::NegativeTime, "a time at or after 0"));
        }
        let nearest = (time.0 + GRID / 2) / GRID * GRID;
        Ok((Time(nearest), nearest != time.0))
    }

    /// A size, or the usual value of an open bucket.
    fn size(
        column: &Column,
        record: &Record<'_>,
        bucket: (&[u8], u32),
        read: impl Fn(&Column, &Record<'_>) -> Result<u32, Fault>,
    ) -> Result<(u32, bool), Fault> {
        if column.text(record) == bucket.0 {
            return Ok((bucket.1 * column.unit as u32, true));
        }
        Ok((read(column, record)?, false))
    }
}

impl RowReader for Azure2017Rows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(COLUMNS)?;
        record.has_no_field_beyond(COLUMNS)?;
        let (cores_milli, cores_open) = Self::size(&self.cores, record, (b">24", 30), Column::cores_milli)?;
        let (memory_mib, memory_open) = Self::size(&self.memory, record, (b">64", 70), Column::memory_mib)?;
        let (start, start_moved) = Self::on_grid(&self.created, record)?;
        let (end, end_moved) = Self::on_grid(&self.deleted, record)?;
        self.last_ms = self.last_ms.max(end.0).max(start.0);
        let end = checked_end(record, &self.deleted, start, end, GRID, tally)?;
        if cores_open || memory_open {
            tally.correct(Correction::OpenBucket);
        }
        if start_moved || end_moved {
            tally.correct(Correction::OffGrid);
        }
        let shape = VmShape::plain(Resources::new(cores_milli, memory_mib, 0, 0));
        Ok(Some(VmRow { name: hash(record.field(0)), tenant: hash(record.field(DEPLOYMENT)), shape, start, end }))
    }

    /// The last timestamp of the table. Readings end there, so a VM deleted at that time was still running.
    fn finish(&mut self, rows: &mut WorkloadBuilder, tally: &mut Tally) -> Time {
        rows.change(|row| {
            if row.end.0 >= self.last_ms {
                row.end = Time::NEVER;
            }
        });
        tally.notes.push(format!("VMs deleted at the last timestamp, {} s, are still running.", self.last_ms / 1_000));
        Time(self.last_ms.max(GRID))
    }
}
