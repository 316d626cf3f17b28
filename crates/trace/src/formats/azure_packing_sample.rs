//! The 1% samples of the Azure packing trace of 2020.
//!
//! Source: Hadary et al., "Protean", OSDI 2020; sampled and joined with concrete sizes in the artifact of CoSpot,
//! SoCC 2022.

use tiebreak_model::{Declaration, Declared, Resources, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, DAY, checked_end};
use crate::error::TraceError;
use crate::formats::{Format, Head, RowReader, Table, last_start_hour};
use crate::records::Record;
use crate::report::{Correction, Fault, Tally};

tiebreak_model::declare! {
    /// 1% samples of the Azure packing trace (Microsoft; Hadary et al., OSDI 2020), with the
    /// concrete sizes of CoSpot (SoCC 2022). Licence: CC BY 4.0. Header:
    /// vmId,tenantId,cores,ram,vmTypeId,starttime,endtime, with cores in 1/100 core, ram in
    /// 1/4 GiB and times in days; the column called vmTypeId is the priority (0 high, 1 spot).
    /// An endtime of inf is alive at day 90; a start at or before 0 was alive when the trace began,
    /// and -1497 stands for an unknown start long ago.
    pub struct AzurePackingSample as "Azure packing trace 2020, 1% sample" {}
}

/// The columns, as named in the header.
const COLUMNS: [&str; 7] = ["vmId", "tenantId", "cores", "ram", "vmTypeId", "starttime", "endtime"];

/// An unknown start, in days, and its alternative notation.
const UNKNOWN_DAYS: i64 = -1_497;
const UNKNOWN_TWIN_DAYS: i64 = -7_157;

impl Format for AzurePackingSample {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "Azure packing trace, Microsoft; Hadary et al., OSDI 2020; 1% sample with sizes of CoSpot, SoCC 2022. Licence: CC BY 4.0."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[
            "How much of its cores and memory a VM really uses.",
            "Local disks and network: the sample gives cores and memory only.",
            "How services grow: later scale-outs of a tenant are sampled at 1 %.",
            "Lifetimes beyond day 90, and when the oldest VMs started.",
        ]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for AzurePackingSample {
    fn knows_name(&self, file_name: &str) -> bool {
        ["batched-", "bernoulli-", "packing-"].iter().any(|start| file_name.starts_with(start))
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        head.first().len() == COLUMNS.len() && head.names(&COLUMNS)
    }

    fn open(&self, head: &Head<'_>, _: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        Ok(Box::new(PackingSampleRows {
            name: head.column("vmId", 1.0),
            tenant: head.column("tenantId", 1.0),
            cores: head.column("cores", 10.0),
            memory: head.column("ram", 256.0),
            priority: head.column("vmTypeId", 1.0),
            start: head.column("starttime", DAY),
            end: head.column("endtime", DAY),
        }))
    }
}

struct PackingSampleRows {
    name: Column,
    tenant: Column,
    cores: Column,
    memory: Column,
    priority: Column,
    start: Column,
    end: Column,
}

impl RowReader for PackingSampleRows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(COLUMNS.len())?;
        let demand = Resources::new(self.cores.cores_milli(record)?, self.memory.memory_mib(record)?, 0, 0);
        let start = self.start.time(record)?;
        let end = self.end.time_or_never(record, tally)?;
        let end = checked_end(record, &self.end, start, end, 1, tally)?;
        let shape = VmShape { priority: self.priority.priority(record)?, ..VmShape::plain(demand) };
        let start = uniform_start(start, tally);
        Ok(Some(VmRow { name: self.name.name(record), tenant: self.tenant.name(record), shape, start, end }))
    }

    /// The last start, rounded up to the next full hour: day 14. The ends continue to day 90, but without arrivals
    /// those weeks would only show a draining fleet.
    fn finish(&mut self, rows: &mut WorkloadBuilder, _: &mut Tally) -> Time {
        last_start_hour(rows)
    }
}

/// The start, with a single notation for unknown starts.
pub(super) fn uniform_start(start: Time, tally: &mut Tally) -> Time {
    if start == days(UNKNOWN_TWIN_DAYS) {
        tally.correct(Correction::UnknownStart);
        return days(UNKNOWN_DAYS);
    }
    start
}

const fn days(days: i64) -> Time {
    Time(days * 86_400_000)
}
