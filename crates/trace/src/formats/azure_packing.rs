//! The Azure packing trace of 2020 in its original form.
//!
//! Source: Hadary et al., "Protean", OSDI 2020. The file is a SQLite database; [`Tables`] defines the query, and the
//! result is read here as text.

use tiebreak_model::{Declaration, Declared, Resources, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, DAY, checked_end};
use crate::error::TraceError;
use crate::formats::azure_packing_sample::uniform_start;
use crate::formats::{Format, Head, RowReader, Table, last_start_hour};
use crate::records::Record;
use crate::report::{Fault, FaultKind, Tally};

tiebreak_model::declare! {
    /// The Azure packing trace in its original form (Microsoft; Hadary et al., OSDI 2020). Licence: CC BY 4.0. A SQLite
    /// file with the tables vm and vmType, or a CSV of the two joined: vmId, tenantId, vmTypeId, priority (0 high, 1
    /// low), starttime and endtime in days, core and memory as shares of a machine, and machineId, which is a type of
    /// machine. Sizes are read for machine type 16, which has 104 cores and 562.5 GiB. Of a VM type that it does not offer,
    /// the database tells the size by another machine type; the seven that neither offers, and rows of a CSV for
    /// other machine types, are refused and counted. An empty endtime is alive at day 90; a start at or before 0 was alive when the
    /// trace began, and -1497 (also -7157) stands for an unknown start long ago.
    pub struct AzurePacking as "Azure packing trace 2020" {}
}

/// The machine type whose shares are used: the one with most VM types.
///
/// The other machine types that define sizes; the first one that offers a VM type is used. Their cores and memory are
/// given as shares of machine type 16. Sizes are not published. These are the ratios of one VM type's shares on two
/// machine types. The ratios are the same for nearly all types that both offer (for type 12, 134 of 152 give 40 cores
/// to 104), and give whole cores for 481 of 488 VM types.
const OTHERS: [(u32, f64, f64); 7] = [
    (12, 40.0 / 104.0, 512.0 / 562.5),
    (10, 64.0 / 104.0, 768.0 / 562.5),
    (1, 96.0 / 104.0, 1.0),
    (27, 40.0 / 104.0, 500.0 / 562.5),
    (34, 40.0 / 104.0, 512.0 / 562.5),
    (6, 24.0 / 104.0, 192.0 / 562.5),
    (4, 32.0 / 104.0, 500.0 / 562.5),
];
const MACHINE_TYPE: &str = "16";
/// Its cores in thousandths and its memory in MiB.
const MACHINE_CORES_MILLI: f64 = 104_000.0;
const MACHINE_MEMORY_MIB: f64 = 562.5 * 1_024.0;

/// The required columns, as named in the header.
const COLUMNS: [&str; 8] = ["vmId", "vmTypeId", "priority", "starttime", "endtime", "core", "memory", "machineId"];
const TENANT: &str = "tenantId";

/// The query of the SQLite file, independent of the library that opens it.
pub struct Tables;

/// Its tables and the columns used.
const NEEDED: [(&str, &[&str]); 2] = [
    ("vm", &["vmId", "tenantId", "vmTypeId", "priority", "starttime", "endtime"]),
    ("vmType", &["vmTypeId", "machineId", "core", "memory"]),
];

impl Tables {
    /// The columns of the file, as lines `table.column`.
    pub const SCHEMA: &str = "\
SELECT group_concat(tables.name || '.' || columns.name, char(10))
FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'";

    /// Checks that the result of [`Self::SCHEMA`] contains everything needed.
    ///
    /// # Errors
    /// If tables or columns are missing.
    pub fn check(schema: &str) -> Result<(), TraceError> {
        let is_there = |wanted: &str| schema.lines().any(|found| found.eq_ignore_ascii_case(wanted));
        let needed = NEEDED.iter().flat_map(|(table, columns)| columns.iter().map(move |c| format!("{table}.{c}")));
        let missing: Vec<String> = needed.filter(|wanted| !is_there(wanted)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        Err(TraceError::MissingTables { missing, found: schema.lines().map(str::to_owned).collect() })
    }

    /// The first line of the text.
    pub const HEADER: &str = "vmId,tenantId,vmTypeId,priority,starttime,endtime,core,memory,machineId\n";

    /// Lines of text for at most `?2` rows of vm after rowid `?1`, and the last rowid among them; both are null after
    /// the last row. It follows the table's own order, so that nothing is sorted and a step costs only its rows.
    #[must_use]
    pub fn step() -> String {
        let other = |(place, (machine, cores, memory))| format!(", ({machine}, {place}, {cores:?}, {memory:?})");
        let others: String = (1..).zip(OTHERS).map(other).collect();
        // Of the rows of a group, SQLite takes the one with the smallest place.
        format!(
            "\
WITH machine(machineId, place, core, memory) AS (VALUES ({MACHINE_TYPE}, 0, 1.0, 1.0){others}),
offered AS MATERIALIZED
  (SELECT vmTypeId, vmType.core * machine.core AS core, vmType.memory * machine.memory AS memory, min(place)
   FROM vmType JOIN machine ON vmType.machineId = machine.machineId GROUP BY vmTypeId),
step AS MATERIALIZED (SELECT rowid AS row, * FROM vm WHERE rowid > ?1 ORDER BY rowid LIMIT ?2)
SELECT group_concat(
  '\"' || replace(coalesce(vmId, ''), '\"', '\"\"') || '\",\"' || replace(coalesce(tenantId, ''), '\"', '\"\"') || '\",\"'
  || replace(coalesce(step.vmTypeId, ''), '\"', '\"\"') || '\",\"' || replace(coalesce(priority, ''), '\"', '\"\"') || '\",\"'
  || replace(coalesce(starttime, ''), '\"', '\"\"') || '\",\"' || replace(coalesce(endtime, ''), '\"', '\"\"') || '\",'
  || coalesce(core, '') || ',' || coalesce(memory, '') || ',{MACHINE_TYPE}', char(10)) || char(10), max(row)
FROM step LEFT JOIN offered ON offered.vmTypeId = step.vmTypeId"
        )
    }

    /// Rows per step: about 2 MB of text.
    pub const STEP_ROWS: u32 = 20_000;
}

impl Format for AzurePacking {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "Azure packing trace, Microsoft; Hadary et al., OSDI 2020. Licence: CC BY 4.0."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[
            "How much of its cores and memory a VM really uses.",
            "Which machine type a VM ran on: the trace contains its share of every type that could take it.",
            "Local disks and network: their size on machine type 16 is not published.",
            "Lifetimes beyond day 90, and when the oldest VMs started.",
        ]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for AzurePacking {
    fn knows_name(&self, file_name: &str) -> bool {
        file_name.starts_with("packing_trace") || file_name.starts_with("vm-entries-")
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        head.names(&COLUMNS)
    }

    fn open(&self, head: &Head<'_>, tally: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        let tenant = head.names(&[TENANT]).then(|| head.column(TENANT, 1.0));
        tally.notes.push("Shares of machine type 16 are read as shares of 104 cores and 562.5 GiB.".into());
        tally
            .notes
            .push("If machine type 16 does not offer a VM type, its size is taken from another machine type.".into());
        if tenant.is_none() {
            tally.cannot_answer.push("Which VMs were requested together: there is no tenantId column.".into());
        }
        Ok(Box::new(PackingRows {
            name: head.column("vmId", 1.0),
            tenant,
            vm_type: head.column("vmTypeId", 1.0),
            machine_type: head.column("machineId", 1.0),
            cores: head.column("core", MACHINE_CORES_MILLI),
            memory: head.column("memory", MACHINE_MEMORY_MIB),
            priority: head.column("priority", 1.0),
            start: head.column("starttime", DAY),
            end: head.column("endtime", DAY),
            fields: head.first().len(),
        }))
    }
}

struct PackingRows {
    name: Column,
    tenant: Option<Column>,
    vm_type: Column,
    machine_type: Column,
    cores: Column,
    memory: Column,
    priority: Column,
    start: Column,
    end: Column,
    fields: usize,
}

impl PackingRows {
    fn demand(&self, record: &Record<'_>) -> Result<Resources, Fault> {
        if self.machine_type.text(record) != MACHINE_TYPE.as_bytes() {
            return Err(self.machine_type.fault(record, FaultKind::OtherMachine, "machine type 16"));
        }
        if self.cores.text(record).is_empty() && self.memory.text(record).is_empty() {
            let expected = "a VM type that machine type 16 offers, or another one of known size";
            return Err(self.vm_type.fault(record, FaultKind::OtherMachine, expected));
        }
        Ok(Resources::new(self.cores.cores_milli(record)?, self.memory.memory_mib(record)?, 0, 0))
    }
}

impl RowReader for PackingRows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(self.fields)?;
        let demand = self.demand(record)?;
        let start = self.start.time(record)?;
        let end = self.end.time_or_never(record, tally)?;
        let end = checked_end(record, &self.end, start, end, 1, tally)?;
        let shape = VmShape { priority: self.priority.priority(record)?, ..VmShape::plain(demand) };
        let name = self.name.name(record);
        let tenant = self.tenant.as_ref().unwrap_or(&self.name).name(record);
        Ok(Some(VmRow { name, tenant, shape, start: uniform_start(start, tally), end }))
    }

    /// The last start, rounded up to the next full hour, as for the samples of this trace.
    fn finish(&mut self, rows: &mut WorkloadBuilder, _: &mut Tally) -> Time {
        last_start_hour(rows)
    }
}
