//! Events of Huawei-East-1: one row for the creation of a VM, and one for its deletion.
//!
//! Source: Sheng et al., "VMAgent: Scheduling Simulator for Reinforcement Learning", 2021.

use std::collections::HashMap;

use tiebreak_model::{Declaration, Declared, Resources, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, SECOND, hash};
use crate::error::TraceError;
use crate::formats::{Format, Head, RowReader, Table, hour_above};
use crate::records::Record;
use crate::report::{Correction, Fault, FaultKind, Tally};

tiebreak_model::declare! {
    /// Events of one month in one region of Huawei Cloud (Huawei-East-1, published with VMAgent, 2021). The file's own licence
    /// applies. Header:
    /// vmid,cpu,memory,time,type, with cores, memory in GiB, seconds from the beginning, and type 0 for a creation, 1 for a
    /// deletion, in order of time. A VM that is not deleted never ends; a number may be used again after that. Every VM
    /// is a request of its own.
    pub struct HuaweiEvents as "Huawei-East-1 events" {}
}

/// The columns, as named in the header.
const COLUMNS: [&str; 5] = ["vmid", "cpu", "memory", "time", "type"];

impl Format for HuaweiEvents {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "Huawei-East-1, published with VMAgent (Sheng et al., 2021). Its own licence applies."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[
            "Which VMs were requested together: there are no tenants.",
            "Which VMs are spot VMs: the table has no priorities.",
            "How much of its cores and memory a VM really uses: most small ones shared their cores with others.",
            "VMs running at the start of the trace, and the end of those that outlive it.",
        ]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for HuaweiEvents {
    fn knows_name(&self, file_name: &str) -> bool {
        file_name.starts_with("Huawei-East-1")
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        // An unnamed index column may precede them.
        head.names(&COLUMNS) && head.first().len() <= COLUMNS.len() + 1
    }

    fn open(&self, head: &Head<'_>, _: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        Ok(Box::new(HuaweiRows {
            fields: head.first().len(),
            name: head.column("vmid", 1.0),
            cores: head.column("cpu", 1_000.0),
            memory: head.column("memory", 1_024.0),
            time: head.column("time", SECOND),
            kind: head.column("type", 1.0),
            alive: HashMap::new(),
            created: 0,
            last: Time::ZERO,
        }))
    }
}

struct HuaweiRows {
    fields: usize,
    name: Column,
    cores: Column,
    memory: Column,
    time: Column,
    kind: Column,
    /// VMs that were created and not deleted yet, by their number in the file.
    alive: HashMap<u64, VmRow>,
    created: u64,
    last: Time,
}

impl HuaweiRows {
    fn create(&mut self, record: &Record<'_>, time: Time) -> Result<(), Fault> {
        let demand = Resources::new(self.cores.cores_milli(record)?, self.memory.memory_mib(record)?, 0, 0);
        let number = self.name.name(record);
        if self.alive.contains_key(&number) {
            return Err(self.name.fault(record, FaultKind::AlreadyThere, "a VM that does not exist yet"));
        }
        self.created += 1;
        // Numbers may be reused, so a VM's name includes its creation time.
        let name = hash(&[number.to_le_bytes(), time.0.to_le_bytes()].concat());
        let row = VmRow { name, tenant: name, shape: VmShape::plain(demand), start: time, end: Time::NEVER };
        self.alive.insert(number, row);
        Ok(())
    }

    fn delete(&mut self, record: &Record<'_>, time: Time, tally: &mut Tally) -> Result<VmRow, Fault> {
        let number = self.name.name(record);
        let Some(row) = self.alive.get(&number) else {
            return Err(self.name.fault(record, FaultKind::NotThere, "a VM that was created before"));
        };
        if time < row.start {
            return Err(self.time.fault(record, FaultKind::ReversedTimes, "a time after the VM's creation"));
        }
        let mut row = self.alive.remove(&number).expect("it was there just now");
        row.end = time;
        if row.end == row.start {
            tally.correct(Correction::NoLifetime);
            row.end = Time(time.0 + SECOND as i64);
        }
        Ok(row)
    }
}

impl RowReader for HuaweiRows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(self.fields)?;
        let time = self.time.time(record)?;
        if time < Time::ZERO {
            return Err(self.time.fault(record, FaultKind::NegativeTime, "a time at or after 0"));
        }
        let row = match self.kind.text(record) {
            b"0" => self.create(record, time).map(|()| None)?,
            b"1" => Some(self.delete(record, time, tally)?),
            _ => return Err(self.kind.fault(record, FaultKind::UnknownWord, "0 (created) or 1 (deleted)")),
        };
        self.last = self.last.max(time);
        Ok(row)
    }

    fn pending(&self) -> u64 {
        self.alive.len() as u64
    }

    fn rest(&mut self) -> Vec<VmRow> {
        self.alive.drain().map(|(_, row)| row).collect()
    }

    /// The last event, rounded up to the next full hour.
    fn finish(&mut self, _: &mut WorkloadBuilder, tally: &mut Tally) -> Time {
        tally.notes.push(format!("{} VMs were created; each row is a creation or a deletion.", self.created));
        hour_above(self.last)
    }
}
