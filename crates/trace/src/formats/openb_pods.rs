//! The pods of Alibaba's GPU cluster trace of 2023, openb.
//!
//! Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023.

use tiebreak_model::{Declaration, Declared, Resources, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, SECOND, checked_end, hash};
use crate::error::TraceError;
use crate::formats::{Format, Head, RowReader, Table, hour_above};
use crate::records::Record;
use crate::report::{Fault, Tally};

tiebreak_model::declare! {
    /// Pods of the Alibaba GPU cluster trace of 2023 (Weng et al., USENIX ATC 2023). The file's own licence applies. Header:
    /// name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time,
    /// with cores in thousandths, memory in MiB and times in seconds. A pod asks when it is created, whether it was scheduled
    /// then or not; one deleted at the last timestamp is still running. Best effort (BE) is read as low priority. Every pod
    /// is a request of its own, and its GPUs are left aside.
    pub struct OpenbPods as "Alibaba GPU cluster trace 2023, pods" {}
}

/// The columns used, and two more that identify the table.
const COLUMNS: [&str; 8] =
    ["name", "cpu_milli", "memory_mib", "qos", "creation_time", "deletion_time", "pod_phase", "num_gpu"];

impl Format for OpenbPods {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "Alibaba cluster trace 2023 with GPUs (openb); Weng et al., USENIX ATC 2023. Its own licence applies."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[
            "Which pods fit on GPU machines: GPUs are ignored.",
            "Which pods were requested together: there are no tenants.",
            "How much of its cores and memory a pod really uses.",
            "The end of pods that outlive the trace.",
        ]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for OpenbPods {
    fn knows_name(&self, file_name: &str) -> bool {
        file_name.starts_with("openb_pod")
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        head.names(&COLUMNS)
    }

    fn open(&self, head: &Head<'_>, _: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        Ok(Box::new(OpenbRows {
            name: head.column("name", 1.0),
            cores: head.column("cpu_milli", 1.0),
            memory: head.column("memory_mib", 1.0),
            gpus: head.column("num_gpu", 1.0),
            qos: head.column("qos", 1.0),
            phase: head.column("pod_phase", 1.0),
            created: head.column("creation_time", SECOND),
            deleted: head.column("deletion_time", SECOND),
            last: Time::ZERO,
            with_gpus: 0,
            never_scheduled: 0,
        }))
    }
}

struct OpenbRows {
    name: Column,
    cores: Column,
    memory: Column,
    gpus: Column,
    qos: Column,
    phase: Column,
    created: Column,
    deleted: Column,
    last: Time,
    with_gpus: u64,
    never_scheduled: u64,
}

impl RowReader for OpenbRows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(1 + self.deleted.index.max(self.created.index).max(self.memory.index))?;
        let demand = Resources::new(self.cores.cores_milli(record)?, self.memory.memory_mib(record)?, 0, 0);
        let start = self.created.time(record)?;
        let end = self.deleted.time_or_never(record, tally)?;
        let end = checked_end(record, &self.deleted, start, end, 1, tally)?;
        if end != Time::NEVER {
            self.last = self.last.max(end);
        }
        self.with_gpus += u64::from(self.gpus.count(record)? > 0);
        self.never_scheduled += u64::from(self.phase.text(record).eq_ignore_ascii_case(b"pending"));
        let priority = u8::from(self.qos.text(record).eq_ignore_ascii_case(b"be"));
        let name = hash(self.name.text(record));
        let shape = VmShape { priority, ..VmShape::plain(demand) };
        Ok(Some(VmRow { name, tenant: name, shape, start, end }))
    }

    /// The last timestamp, rounded up to the next full hour: VMs deleted at that time were still running.
    fn finish(&mut self, rows: &mut WorkloadBuilder, tally: &mut Tally) -> Time {
        rows.change(|row| {
            if row.end >= self.last {
                row.end = Time::NEVER;
            }
        });
        tally.notes.push(format!("Pods deleted at the last timestamp, {} s, are still running.", self.last.0 / 1_000));
        tally.notes.push(format!(
            "{} pods request GPUs, which are ignored; {} were never scheduled, but count as requests.",
            self.with_gpus, self.never_scheduled
        ));
        hour_above(self.last)
    }
}
