//! Any CSV whose header has the standard column names.

use std::collections::BTreeMap;

use tiebreak_model::{Declaration, Declared, Resources, Scope, TenantTerms, Time, VmRow, VmShape, WorkloadBuilder};

use crate::column::{Column, DAY, HOUR, SECOND, checked_end, hash, time_unit, with_decimal_comma};
use crate::dates::{DateOrder, Guess};
use crate::error::TraceError;
use crate::formats::{Format, Head, RowReader, Table, hour_above, last_start_hour};
use crate::records::Record;
use crate::report::{Correction, Fault, FaultKind, Tally};

tiebreak_model::declare! {
    /// Any CSV with a header that names its columns, one row per VM. Needed: cores (or cpu, vcpu),
    /// memory (or mem, ram, memory_size), start (or created, arrival, begin, at). Read when there: vm (or id, name), tenant (or
    /// deployment, user, subscription, batch), end (or deleted, departure, stop) or duration (or lifetime, runtime),
    /// priority (0 high, 1 spot), and what the tenant asks of where its VMs stand: fault_domains (racks
    /// to be spread over), scope (zone, datacenter, cluster or rack), per_machine and per_rack (most of
    /// its VMs on one), isolated (no other tenant on its machines: 1 or 0, yes or no). Empty asks for
    /// nothing; all VMs of a tenant have what its first one has. A unit may follow the name: memory_gb, memory_mib, start_ms,
    /// start_h, end_days, cpu_milli; without one, memory is in GiB (GB is read as GiB) and times are in seconds.
    /// Starts and ends may be dates: start_iso is 2026-03-01T10:00:00Z or 2026-03-01 10:00, start_dmy has the day first
    /// (01.03.2026 10:00), start_mdy the month (3/1/2026 10:00). Without such an ending the first row says it; 1/3/2026 does
    /// not and is asked about. Dates without an offset are UTC. A comma may stand before decimals (3,5) where the first
    /// row has one; 1,024 is asked about.
    /// A start at or before 0 was alive when the trace began; an empty end, inf or the largest number of 32 or 64 bits never ends. Without a
    /// tenant every VM is a request of its own. The file's own licence applies.
    pub struct NamedColumns as "CSV with named columns" {}
}

/// A column by its names, the units that may follow them, and the default unit.
pub(crate) struct Meaning {
    names: &'static [&'static str],
    units: &'static [(&'static str, f64)],
    unit: f64,
    dates: &'static [(&'static str, DateOrder)],
}

/// How to interpret a column's values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    /// The number of our units in one of its units.
    unit: f64,
    /// The order of its dates, if they are dates.
    dates: Option<DateOrder>,
    /// Whether its header says so.
    is_said: bool,
}

const TIME_UNITS: &[(&str, f64)] = &[
    ("s", SECOND),
    ("sec", SECOND),
    ("secs", SECOND),
    ("seconds", SECOND),
    ("ms", 1.0),
    ("millis", 1.0),
    ("milliseconds", 1.0),
    ("min", 60.0 * SECOND),
    ("minutes", 60.0 * SECOND),
    ("h", HOUR),
    ("hours", HOUR),
    ("d", DAY),
    ("days", DAY),
];
const DATES: &[(&str, DateOrder)] = &[("iso", DateOrder::Ymd), ("dmy", DateOrder::Dmy), ("mdy", DateOrder::Mdy)];
const MEMORY_UNITS: &[(&str, f64)] = &[("gb", 1_024.0), ("gib", 1_024.0), ("mb", 1.0), ("mib", 1.0)];
const CORES_UNITS: &[(&str, f64)] = &[("milli", 1.0), ("millicores", 1.0), ("m", 1.0)];

const fn word(names: &'static [&'static str]) -> Meaning {
    Meaning { names, units: &[], unit: 1.0, dates: &[] }
}

const fn time(names: &'static [&'static str]) -> Meaning {
    Meaning { names, units: TIME_UNITS, unit: SECOND, dates: DATES }
}

const fn span(names: &'static [&'static str]) -> Meaning {
    Meaning { dates: &[], ..time(names) }
}

// The first name is the one that we use.
const VM: Meaning = word(&["vm", "vmid", "id", "name", "vmname"]);
const TENANT: Meaning = word(&[
    "tenant",
    "tenantid",
    "deployment",
    "deploymentid",
    "user",
    "userid",
    "subscription",
    "subscriptionid",
    "batch",
    "batchid",
]);
pub(crate) const CORES: Meaning = Meaning {
    names: &[
        "cores",
        "core",
        "cpu",
        "cpus",
        "vcpu",
        "vcpus",
        "corecount",
        "cpucount",
        "vcpucount",
        "numcpus",
        "cpurequest",
    ],
    units: CORES_UNITS,
    unit: 1_000.0,
    dates: &[],
};
pub(crate) const MEMORY: Meaning = Meaning {
    names: &["memory", "mem", "ram", "memorycapacity", "memcapacity", "memorysize", "memoryrequest"],
    units: MEMORY_UNITS,
    unit: 1_024.0,
    dates: &[],
};
const START: Meaning = time(&[
    "start",
    "starttime",
    "startedat",
    "created",
    "createdat",
    "creationtime",
    "createtime",
    "vmcreated",
    "arrival",
    "arrivaltime",
    "submittime",
    "begin",
    "at",
]);
const END: Meaning = time(&[
    "end",
    "endtime",
    "endedat",
    "deleted",
    "deletedat",
    "deletiontime",
    "deletetime",
    "vmdeleted",
    "departure",
    "departuretime",
    "stop",
    "stoptime",
    "finish",
    "finishtime",
]);
const DURATION: Meaning = span(&["duration", "lifetime", "life", "lt", "runtime"]);
/// The number of machines that a row in a list of machines represents.
pub(crate) const MACHINES: Meaning = word(&["machines", "machine", "count", "nodes", "number", "quantity"]);
const PRIORITY: Meaning = word(&["priority"]);
const FAULT_DOMAINS: Meaning = word(&["faultdomains", "faultdomaincount", "platformfaultdomaincount"]);
const SCOPE: Meaning = word(&["scope", "colocation", "colocated"]);
const PER_MACHINE: Meaning = word(&["permachine", "vmspermachine", "maxpermachine"]);
const PER_RACK: Meaning = word(&["perrack", "vmsperrack", "maxperrack"]);
const ISOLATED: Meaning = word(&["isolated", "isolation", "dedicated"]);

/// Column names to choose from; each defines the meaning and the unit.
pub const OFFERED: [&str; 28] = [
    "vm",
    "tenant",
    "cores",
    "cores_milli",
    "memory_gib",
    "memory_mib",
    "start_iso",
    "start_dmy",
    "start_mdy",
    "start_s",
    "start_ms",
    "start_min",
    "start_hours",
    "start_days",
    "end_iso",
    "end_dmy",
    "end_mdy",
    "end_s",
    "end_ms",
    "end_min",
    "end_hours",
    "end_days",
    "duration_s",
    "duration_ms",
    "duration_min",
    "duration_hours",
    "duration_days",
    "priority",
];

/// The name to suggest for a column with this header and this first value; `None` if it is unknown, or if its date
/// may have the day or the month first.
#[must_use]
pub fn guessed(field: &str, value: &str) -> Option<&'static str> {
    let all = [&VM, &TENANT, &CORES, &MEMORY, &START, &END, &DURATION, &PRIORITY];
    let meant = |field: &str| {
        let named =
            all.iter().enumerate().flat_map(|(at, meaning)| meaning.names.iter().map(move |name| (at, meaning, name)));
        named.into_iter().find_map(|(at, meaning, name)| Some((at, meaning, meaning.scale_of(field, name)?)))
    };
    let (wanted, meaning, mut scale) = meant(field)?;
    if !scale.is_said && !meaning.dates.is_empty() {
        match Guess::of(value) {
            Guess::NoDate => {}
            Guess::Certain(order) => scale.dates = Some(order),
            Guess::DayOrMonth => return None,
        }
    }
    let is_it = |(at, _, offered): (usize, _, Scale)| {
        at == wanted && offered.dates == scale.dates && (scale.dates.is_some() || offered.unit == scale.unit)
    };
    OFFERED.into_iter().find(|name| meant(name).is_some_and(is_it))
}

/// Whether a field is a number with one comma in it, which may be a decimal comma.
#[must_use]
pub fn is_with_decimal_comma(field: &str) -> bool {
    with_decimal_comma(field.as_bytes()).is_some()
}

const NEEDED: [&Meaning; 3] = [&CORES, &MEMORY, &START];

impl Meaning {
    /// The first column of the header with one of the names.
    pub(crate) fn find(&self, header: &[String]) -> Option<Column> {
        self.scaled(header).map(|(column, _)| column)
    }

    /// The same, and whether the header says how to interpret its values.
    fn scaled(&self, header: &[String]) -> Option<(Column, bool)> {
        self.names.iter().find_map(|name| {
            let column = |(index, field): (usize, &String)| {
                let Scale { unit, dates, is_said } = self.scale_of(field, name)?;
                Some((Column { dates, ..Column::new(index, field, unit) }, is_said))
            };
            header.iter().enumerate().find_map(column)
        })
    }

    /// How to interpret a column whose header field starts with this name: `Memory (GiB)` is `memory` in `gib`.
    fn scale_of(&self, field: &str, name: &str) -> Option<Scale> {
        let lower = field.to_ascii_lowercase();
        let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()).collect();
        if words.concat() == name {
            return Some(Scale { unit: self.unit, dates: None, is_said: false });
        }
        let (last, rest) = words.split_last()?;
        let unit = self.units.iter().find(|(unit, _)| unit == last).map(|(_, unit)| *unit);
        let dates = self.dates.iter().find(|(order, _)| order == last).map(|(_, order)| *order);
        let is_said = rest.concat() == name && (unit.is_some() || dates.is_some());
        is_said.then(|| Scale { unit: unit.unwrap_or(self.unit), dates, is_said })
    }

    fn needed_as(&self) -> String {
        // Short names are the best examples of alternatives.
        let others: Vec<&str> = self.names.iter().skip(1).filter(|name| name.len() < 10).take(3).copied().collect();
        format!("{} (or {})", self.names[0], others.join(", "))
    }
}

/// The error that lists which of the required columns a header lacks.
pub(crate) fn missing_columns(header: &[String]) -> TraceError {
    let missing = NEEDED.iter().filter(|needed| needed.find(header).is_none());
    TraceError::MissingColumns { missing: missing.map(|needed| needed.needed_as()).collect(), found: header.to_vec() }
}

impl Format for NamedColumns {
    fn declaration(&self) -> &'static Declaration {
        &Self::DECLARATION
    }

    fn source(&self) -> &'static str {
        "A CSV with named columns, under its own licence."
    }

    fn cannot_answer(&self) -> &'static [&'static str] {
        &[]
    }

    fn as_table(&self) -> Option<&dyn Table> {
        Some(self)
    }
}

impl Table for NamedColumns {
    fn knows_name(&self, _: &str) -> bool {
        false
    }

    fn knows_shape(&self, head: &Head<'_>) -> bool {
        NEEDED.iter().any(|needed| needed.find(head.first()).is_some())
    }

    fn open(&self, head: &Head<'_>, tally: &mut Tally) -> Result<Box<dyn RowReader>, TraceError> {
        let header = head.first();
        check_whole_units(header)?;
        let (Some(cores), Some(memory), Some(start)) = (CORES.find(header), MEMORY.find(header), START.scaled(header))
        else {
            return Err(missing_columns(header));
        };
        let [start, end] = dated([Some(start), END.scaled(header)], head.values())?;
        let Some(start) = start else { return Err(missing_columns(header)) };
        let mut rows = NamedRows {
            name: VM.find(header),
            tenant: TENANT.find(header),
            end: end.map(Leaving::At).or_else(|| DURATION.find(header).map(Leaving::After)),
            priority: PRIORITY.find(header),
            terms: TenantColumns::find(header),
            cores,
            memory,
            start,
        };
        rows.take_decimal_commas(head, tally)?;
        rows.describe(header, tally);
        Ok(Box::new(rows))
    }
}

/// Columns of times, each with whether its header says how to interpret it. If not, the first row may show that they
/// are dates, and in which order; what one column shows also applies to the other.
///
/// # Errors
/// If they are dates, and nothing shows whether the day or the month comes first.
fn dated(times: [Option<(Column, bool)>; 2], values: &[String]) -> Result<[Option<Column>; 2], TraceError> {
    let value = |column: &Column| values.get(column.index).map_or("", String::as_str);
    let open = || times.iter().flatten().filter(|(_, is_said)| !is_said).map(|(column, _)| column);
    let said = times.iter().flatten().find_map(|(column, _)| column.dates);
    let certain = said.or_else(|| {
        open().find_map(|column| match Guess::of(value(column)) {
            Guess::Certain(order) => Some(order),
            Guess::NoDate | Guess::DayOrMonth => None,
        })
    });
    if let (None, Some(column)) = (certain, open().find(|column| Guess::of(value(column)) == Guess::DayOrMonth)) {
        let readings = "Name it start_dmy or end_dmy if the day comes first, start_mdy or end_mdy if the month does.";
        return Err(TraceError::Ambiguous { column: column.name.clone(), got: value(column).into(), readings });
    }
    Ok(times.map(|time| {
        let (mut column, is_said) = time?;
        let is_number = value(&column).parse::<f64>().is_ok();
        if let (false, false, Some(order)) = (is_said, is_number, certain) {
            let own = match Guess::of(value(&column)) {
                Guess::Certain(own) => own,
                Guess::NoDate | Guess::DayOrMonth => order,
            };
            column.dates = Some(own);
        }
        Some(column)
    }))
}

/// The original packing trace has fractions of a machine, which would be mistaken for cores.
fn check_whole_units(header: &[String]) -> Result<(), TraceError> {
    if header.iter().any(|field| field.eq_ignore_ascii_case("machineId")) {
        return Err(TraceError::WrongKind {
            got: "a table with machineId, where cores and memory are fractions of a machine".into(),
            advice: "Multiply them by the machine's cores and memory and leave that column out.",
        });
    }
    Ok(())
}

/// How a row gives the end of its VM.
enum Leaving {
    At(Column),
    After(Column),
}

impl Leaving {
    fn column(&self) -> &Column {
        match self {
            Self::At(column) | Self::After(column) => column,
        }
    }
}

/// The columns of placement terms (Protean section 2.1).
#[derive(Default)]
struct TenantColumns {
    fault_domains: Option<Column>,
    scope: Option<Column>,
    per_machine: Option<Column>,
    per_rack: Option<Column>,
    isolated: Option<Column>,
}

impl TenantColumns {
    fn find(header: &[String]) -> Self {
        Self {
            fault_domains: FAULT_DOMAINS.find(header),
            scope: SCOPE.find(header),
            per_machine: PER_MACHINE.find(header),
            per_rack: PER_RACK.find(header),
            isolated: ISOLATED.find(header),
        }
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        let Self { fault_domains, scope, per_machine, per_rack, isolated } = self;
        [fault_domains, scope, per_machine, per_rack, isolated].into_iter().flatten()
    }

    fn read(&self, record: &Record<'_>) -> Result<TenantTerms, Fault> {
        let count = |column: &Option<Column>| column.as_ref().map_or(Ok(0), |column| column.count(record));
        Ok(TenantTerms {
            fault_domains: count(&self.fault_domains)?,
            scope: self.scope.as_ref().map_or(Ok(Scope::Zone), |column| column.scope(record))?,
            per_machine: count(&self.per_machine)?,
            per_rack: count(&self.per_rack)?,
            isolated: self.isolated.as_ref().map_or(Ok(false), |column| column.flag(record))?,
        })
    }
}

struct NamedRows {
    name: Option<Column>,
    tenant: Option<Column>,
    cores: Column,
    memory: Column,
    start: Column,
    end: Option<Leaving>,
    priority: Option<Column>,
    terms: TenantColumns,
}

impl NamedRows {
    fn columns(&self) -> impl Iterator<Item = &Column> {
        let needed = [&self.cores, &self.memory, &self.start];
        let optional = [self.name.as_ref(), self.tenant.as_ref(), self.priority.as_ref()];
        let optional = optional.into_iter().flatten().chain(self.end.as_ref().map(Leaving::column));
        needed.into_iter().chain(optional).chain(self.terms.columns())
    }

    /// Enables decimal commas if the user says so, or if the first row certainly has one.
    ///
    /// # Errors
    /// If it has a number such as 1,024, and nothing says what the comma means.
    fn take_decimal_commas(&mut self, head: &Head<'_>, tally: &mut Tally) -> Result<(), TraceError> {
        let numbers = [&self.cores, &self.memory];
        let with_comma = numbers.into_iter().filter_map(|column| {
            let value = head.values().get(column.index)?;
            with_decimal_comma(value.as_bytes())?;
            let is_certain = value.split_once(',').is_some_and(|(whole, decimals)| decimals.len() != 3 || whole == "0");
            Some((column, value, is_certain))
        });
        let with_comma: Vec<_> = with_comma.collect();
        let is_certain = with_comma.iter().any(|(_, _, is_certain)| *is_certain);
        if let (None, false, Some((column, got, _))) = (head.decimal_commas, is_certain, with_comma.first()) {
            let readings =
                "If the comma stands before decimals, say so (decimal=comma); if not, write the numbers without it.";
            return Err(TraceError::Ambiguous { column: column.name.clone(), got: (*got).clone(), readings });
        }
        if head.decimal_commas.unwrap_or(is_certain) {
            tally.notes.push("Read commas as the mark before decimals: 3,5 is three and a half.".into());
            self.columns_mut().for_each(|column| column.has_decimal_commas = true);
        }
        Ok(())
    }

    /// Columns whose numbers may have decimals.
    fn columns_mut(&mut self) -> impl Iterator<Item = &mut Column> {
        let Self { cores, memory, start, end, .. } = self;
        let end = end.as_mut().map(|(Leaving::At(column) | Leaving::After(column))| column);
        [cores, memory, start].into_iter().chain(end)
    }

    /// Notes the units of the columns, the ignored columns, and missing data.
    fn describe(&self, header: &[String], tally: &mut Tally) {
        let memory = if self.memory.unit == 1.0 { "MiB" } else { "GiB" };
        let (memory_name, start_name) = (&self.memory.name, &self.start.name);
        tally.notes.push(match self.start.dates {
            Some(order) => format!(
                "Read {memory_name} in {memory} and {start_name} as {}; those without an offset are UTC.",
                order.title()
            ),
            None => format!("Read {memory_name} in {memory} and {start_name} in {}.", time_unit(self.start.unit)),
        });
        let used: Vec<usize> = self.columns().map(|column| column.index).collect();
        let unused = header.iter().enumerate().filter(|(index, _)| !used.contains(index));
        let unused: Vec<&str> = unused.map(|(_, field)| field.as_str()).collect();
        if !unused.is_empty() {
            tally.notes.push(format!("Ignored columns: {}.", unused.join(", ")));
        }
        for (there, question) in [
            (self.end.is_some(), "Lifetimes: no column says when VMs end, so lifetime rules are off."),
            (self.tenant.is_some(), "Which VMs were requested together: there is no tenant column."),
            (self.priority.is_some(), "Which VMs are spot VMs: there is no priority column."),
            (
                self.terms.columns().next().is_some(),
                "Placement terms of tenants: there is no column fault_domains, scope, per_machine, per_rack or isolated.",
            ),
        ] {
            if !there {
                tally.cannot_answer.push(question.into());
            }
        }
    }

    fn leaves(&self, record: &Record<'_>, start: Time, tally: &mut Tally) -> Result<Time, Fault> {
        let Some(leaving) = &self.end else { return Ok(Time::NEVER) };
        let column = leaving.column();
        let end = match leaving {
            Leaving::At(_) => column.time_or_never(record, tally)?,
            Leaving::After(_) => match column.time_or_never(record, tally)? {
                Time(ms) if ms < 0 => {
                    return Err(column.fault(record, FaultKind::NegativeTime, "a duration at or above 0"));
                }
                Time(ms) => Time(start.0.saturating_add(if ms == i64::MAX { return Ok(Time::NEVER) } else { ms })),
            },
        };
        checked_end(record, column, start, end, 1, tally)
    }
}

impl RowReader for NamedRows {
    fn row(&mut self, record: &Record<'_>, tally: &mut Tally) -> Result<Option<VmRow>, Fault> {
        record.has_fields(1 + self.columns().map(|column| column.index).max().unwrap_or(0))?;
        let demand = Resources::new(self.cores.cores_milli(record)?, self.memory.memory_mib(record)?, 0, 0);
        let start = self.start.time(record)?;
        let end = self.leaves(record, start, tally)?;
        let priority = self.priority.as_ref().map_or(Ok(0), |column| column.priority(record))?;
        let terms = self.terms.read(record)?;
        let name = match &self.name {
            Some(column) if !column.text(record).is_empty() => column.name(record),
            _ => tally.rows,
        };
        let tenant = match &self.tenant {
            Some(column) if !column.text(record).is_empty() => column.name(record),
            _ => hash(&name.to_le_bytes()),
        };
        Ok(Some(VmRow { name, tenant, shape: VmShape { priority, terms, ..VmShape::plain(demand) }, start, end }))
    }

    /// A clock with another origin (Unix time, or a cut from a longer trace) is shifted by whole hours, so that the
    /// first VM starts in the first hour. The trace ends at its last start, rounded up to the next full hour. If all
    /// VMs start within the first hour (a handmade example, or VMs that were already there), it ends at the last end
    /// within 30 days.
    fn finish(&mut self, rows: &mut WorkloadBuilder, tally: &mut Tally) -> Time {
        move_clock(rows, tally);
        settle_terms(rows, tally);
        let last_start = last_start_hour(rows);
        if last_start > hour_above(Time::ZERO) {
            return last_start;
        }
        let last_end = rows.rows().map(|row| row.end).filter(|end| *end != Time::NEVER).max();
        hour_above(last_end.map_or(last_start, |end| end.min(Time(30 * DAY as i64))))
    }
}

/// Terms belong to the tenant: if its rows disagree, those of the first VM apply.
pub(super) fn settle_terms(rows: &mut WorkloadBuilder, tally: &mut Tally) {
    if rows.rows().all(|row| row.shape.terms.is_none()) {
        return;
    }
    let mut firsts: BTreeMap<u64, (Time, u64, TenantTerms)> = BTreeMap::new();
    for row in rows.rows() {
        let this = (row.start, row.name, row.shape.terms);
        firsts.entry(row.tenant).and_modify(|first| *first = this.min(*first)).or_insert(this);
    }
    rows.change(|row| {
        let (_, _, terms) = firsts[&row.tenant];
        if row.shape.terms != terms {
            row.shape.terms = terms;
            tally.correct(Correction::OtherTerms);
        }
    });
}

/// If the first start is later than this, the clock has another origin.
const CLOCK_ELSEWHERE_MS: i64 = DAY as i64;

fn move_clock(rows: &mut WorkloadBuilder, tally: &mut Tally) {
    let hour = HOUR as i64;
    let first = rows.rows().map(|row| row.start.0).min().unwrap_or(0);
    if first <= CLOCK_ELSEWHERE_MS {
        return;
    }
    // Subtract one, so that a first start on a full hour does not become "already there".
    let hours = (first - 1) / hour;
    rows.change(|row| {
        row.start.0 -= hours * hour;
        if row.end != Time::NEVER {
            row.end.0 -= hours * hour;
        }
    });
    tally.notes.push(format!("The clock was moved back by {hours} h, the start of the first VM."));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_fields_are_understood_with_their_units() {
        for (meaning, field, unit) in [
            (&CORES, "cores", Some(1_000.0)),
            (&CORES, "vCPU", Some(1_000.0)),
            (&CORES, "cpu_milli", Some(1.0)),
            (&CORES, "cores_max", None),
            (&MEMORY, "Memory (GiB)", Some(1_024.0)),
            (&MEMORY, "mem-mib", Some(1.0)),
            (&MEMORY, "ram", Some(1_024.0)),
            (&START, "start_time_ms", Some(1.0)),
            (&START, "Start time", Some(1_000.0)),
            (&START, "arrival_days", Some(86_400_000.0)),
            (&START, "s", None),
        ] {
            let found = meaning.find(&[field.to_owned()]).map(|column| column.unit);
            assert_eq!(found, unit, "{field}");
        }
    }
}
