//! Criticality of VMs from a file of CPU readings.

use tiebreak_criticality::series::SLOTS_PER_DAY;
use tiebreak_criticality::template::{Scores, THRESHOLD};
use tiebreak_criticality::{Series, Template};
use tiebreak_model::phrase::mark;
use tiebreak_model::{Phrase, phrase};
use tiebreak_trace::{ReadingsParser, VmReadings};

use crate::protocol::{Exhibit, ExhibitRow};
use crate::said;

/// The maximum number of listed VMs.
const READ_TOLD: usize = 100;

/// Which VMs of CPU readings are user-facing, by the template of their typical day (section III-B).
pub(super) fn criticality(file: &[u8]) -> Result<Exhibit, Phrase> {
    let mut parser = ReadingsParser::new();
    parser.push(file).map_err(|error| Phrase::text(error.to_string()))?;
    let readings = parser.finish().map_err(|error| Phrase::text(error.to_string()))?;
    let mut template = Template::default();
    let mut user_facing = 0;
    let judge = |vm: &VmReadings| {
        let first = vm.first_half_hour() as usize;
        let series = Series::new(vm.half_hours()).starting_at(first % SLOTS_PER_DAY);
        let scores = template.scores(&series);
        let is_user_facing = scores.map_or(true, |scores| scores.is_user_facing());
        user_facing += usize::from(is_user_facing);
        let score =
            |of: fn(Scores) -> f64| scores.map_or(phrase!("-"), |scores| phrase!("{}", said::fixed(of(scores), 2)));
        let verdict = if is_user_facing { phrase!("user-facing") } else { phrase!("not user-facing") };
        let cells = vec![
            phrase!("{}", vm.name),
            phrase!("{}", said::count(series.values().len() as f64)),
            score(|scores| scores.compare8),
            score(|scores| scores.compare12),
            verdict,
        ];
        ExhibitRow { cells, more: scores.err().map(|why| why.phrase()).into_iter().collect() }
    };
    let all: Vec<_> = readings.vms.iter().map(judge).collect();
    let vms = said::counted(all.len() as f64, "VM", "VMs");
    let said = vec![
        phrase!(
            "{user_facing} of the {vms} with readings are user-facing, or cannot be classified and count as \
             user-facing.",
            user_facing,
            vms
        ),
        phrase!(
            "A VM is user-facing if the 24-hour template fits it better than the 8-hour one: Compare8 below \
             {THRESHOLD}.",
            THRESHOLD
        ),
    ];
    let head =
        [mark("VM"), mark("Half-hours"), mark("Compare8"), mark("Compare12"), mark("It is")].map(Phrase::text).into();
    Ok(Exhibit {
        title: phrase!("User-facing VMs"),
        said,
        head,
        rows: all.into_iter().take(READ_TOLD).collect(),
        plot: None,
    })
}
