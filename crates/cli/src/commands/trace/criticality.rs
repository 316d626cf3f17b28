//! `tiebreak trace criticality`: which VMs in a file of CPU readings are user-facing. (Power, section III-B)

use serde::Serialize;
use tiebreak_criticality::series::SLOTS_PER_DAY;
use tiebreak_criticality::template::THRESHOLD;
use tiebreak_criticality::{Series, Template};
use tiebreak_trace::{Readings, VmReadings};

use super::{FaultRow, first_faults};
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::Given;
use tiebreak_console::shown::{count, table};
use tiebreak_console::trace::read_readings;

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

#[derive(Serialize)]
struct CriticalityReport {
    rows: u64,
    faulty: u64,
    first_faults: Vec<FaultRow>,
    threshold: f64,
    user_facing: usize,
    vms: Vec<Judged>,
}

/// The result for one VM.
#[derive(Serialize)]
struct Judged {
    vm: String,
    /// From its first reading to its last.
    half_hours: usize,
    /// Half-hours without a reading.
    gaps: usize,
    compare8: Option<f64>,
    compare12: Option<f64>,
    user_facing: bool,
    /// Why it could not be classified; `None` if it was.
    why: Option<String>,
}

pub(super) fn run(given: &Given, file: &str) -> Result<Answer, Failure> {
    let first_day = given.one("first-day").map(day_of).transpose()?;
    let report = CriticalityReport::of(&read_readings(file)?, first_day);
    Ok(Answer::either(given, &report, || report.text()))
}

fn day_of(name: &str) -> Result<usize, Failure> {
    let day = DAYS.iter().position(|day| day.eq_ignore_ascii_case(name));
    day.ok_or_else(|| {
        Failure(format!("expected a day for --first-day, monday to sunday, got \"{name}\"; write one of these"))
    })
}

impl CriticalityReport {
    fn of(readings: &Readings, first_day: Option<usize>) -> Self {
        let mut template = Template::default();
        let vms: Vec<Judged> = readings.vms.iter().map(|vm| Judged::of(vm, first_day, &mut template)).collect();
        Self {
            rows: readings.rows,
            faulty: readings.faulty,
            first_faults: first_faults(&readings.faults),
            threshold: THRESHOLD,
            user_facing: vms.iter().filter(|vm| vm.user_facing).count(),
            vms,
        }
    }

    fn text(&self) -> String {
        let unclassified = self.vms.iter().filter(|vm| vm.why.is_some()).count();
        let mut text = format!(
            "{} of {} VMs are user-facing, {} of them because they could not be classified.\n\n",
            count(self.user_facing as u64),
            count(self.vms.len() as u64),
            count(unclassified as u64)
        );
        let head = ["VM", "half-hours", "gaps", "Compare8", "Compare12", "user-facing"].map(str::to_owned).to_vec();
        text += &table(&std::iter::once(head).chain(self.vms.iter().map(Judged::cells)).collect::<Vec<_>>());
        let why = |vm: &Judged| vm.why.as_ref().map(|why| format!("  {}: {why}\n", vm.vm));
        if unclassified > 0 {
            text += "\nNot classified, so they count as user-facing\n";
            text.extend(self.vms.iter().filter_map(why));
        }
        if self.faulty > 0 {
            text += &format!("\n{} of {} rows were refused\n", count(self.faulty), count(self.rows));
            text.extend(self.first_faults.iter().map(FaultRow::text));
        }
        text
    }
}

impl Judged {
    fn of(vm: &VmReadings, first_day: Option<usize>, template: &mut Template) -> Self {
        let first = vm.first_half_hour() as usize;
        let mut series = Series::new(vm.half_hours()).starting_at(first % SLOTS_PER_DAY);
        if let Some(day) = first_day {
            series = series.on_weekday((day + first / SLOTS_PER_DAY) % DAYS.len());
        }
        let scores = template.scores(&series);
        Self {
            vm: vm.name.clone(),
            half_hours: series.values().len(),
            gaps: series.gaps(),
            compare8: scores.ok().map(|scores| scores.compare8),
            compare12: scores.ok().map(|scores| scores.compare12),
            user_facing: scores.map_or(true, |scores| scores.is_user_facing()),
            why: scores.err().map(|why| why.to_string()),
        }
    }

    fn cells(&self) -> Vec<String> {
        let score = |score: Option<f64>| score.map_or("-".into(), |score| format!("{score:.2}"));
        let verdict = if self.user_facing { "yes" } else { "no" };
        vec![
            self.vm.clone(),
            count(self.half_hours as u64),
            count(self.gaps as u64),
            score(self.compare8),
            score(self.compare12),
            verdict.into(),
        ]
    }
}
