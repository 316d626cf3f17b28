//! `TryRule`: evaluates a custom rule on the machines in their current state.

use tiebreak_model::{MachineId, Phrase, VmId, declare, phrase};
use tiebreak_placement::custom::{Bounds, Custom};
use tiebreak_sim::World;

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Exhibit, ExhibitPlot, Found};
use crate::{said, words};

/// The maximum number of machines for which the answer has a value each.
const VALUES_MAX: usize = 20_000;

/// Bars of the histogram.
const BARS: usize = 24;

/// Means no machine.
pub const NO_MACHINE: u32 = u32::MAX;

declare! {
    /// What a custom rule of the document makes of the machines of the run as they stand, if a VM asked now: its value for
    /// each, their histogram, and what it says of one machine. The VM is the one whose number is given as text, or else the
    /// one decided last.
    pub struct TryRule as "TryRule" {
        /// The rule's place in the list.
        rule: u32 = 0, 0 => 4294967295_u32, "";
        /// The machine that is asked about; `NO_MACHINE` for none.
        machine: u32 = 4294967295_u32, 0 => 4294967295_u32, "";
    }
}

impl Question for TryRule {
    const OF: &'static [Of] = &[Of::Document, Of::Run, Of::File];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let variant = of.variant()?;
        let row = variant.rules.get(self.rule as usize);
        let Some((row, rule)) = row.and_then(|row| Some((row, row.custom.as_ref()?))) else {
            return Err(phrase!("Expected a custom rule in row {} of the list; it is gone.", self.rule));
        };
        let world = of.world()?;
        let vm = asked_vm(world, &String::from_utf8_lossy(of.file()))?;
        let (values, told) = world
            .tried(rule, &row.values, vm, Some(MachineId(self.machine)))
            .map_err(|fault| Phrase::text(fault.to_string()))?;
        let mut exhibit = exhibit(rule, &values, &about(world, vm));
        exhibit.said.extend(told.map(|told| phrase!("Machine {} {}.", self.machine, told)));
        let values = if values.len() <= VALUES_MAX { values } else { Vec::new() };
        Ok(Told::Now(Answer { exhibits: vec![exhibit], found: Some(Found::Values(values)) }))
    }
}

/// The VM with this number, or the last one decided.
fn asked_vm(world: &World, text: &str) -> Result<VmId, Phrase> {
    let named = text.trim().parse().ok().and_then(|name| world.plan().workload().find(name));
    named.or_else(|| world.decided_last()).ok_or_else(|| phrase!("No VM has been decided yet."))
}

/// The requesting VM, and the time.
fn about(world: &World, vm: VmId) -> Phrase {
    let shape = world.plan().workload().shape_of_vm(vm);
    phrase!(
        "VM {} ({}) at {}",
        world.plan().workload().name(vm),
        said::resources(shape.demand),
        words::time(world.progress().time.0 as f64)
    )
}

fn exhibit(rule: &Custom, values: &[f64], asked: &Phrase) -> Exhibit {
    let title = phrase!("Values now");
    let Some(bounds) = &rule.definition().bounds else {
        let valid = values.iter().filter(|value| **value == 1.0).count();
        return Exhibit { title, said: vec![passes(asked, valid, values.len())], ..Exhibit::default() };
    };
    let mut known: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    let (Some(&least), Some(&most)) = (known.first(), known.last()) else {
        let said = vec![phrase!("For {}, no machine has a finite value.", asked.clone())];
        return Exhibit { title, said, ..Exhibit::default() };
    };
    let said = phrase!(
        "For {}: from {} to {}, median {}.",
        asked.clone(),
        words::trimmed(least, 3),
        words::trimmed(most, 3),
        words::trimmed(known[known.len() / 2], 3)
    );
    let said = core::iter::once(said).chain(beyond(bounds, values)).collect();
    let lines = vec![(phrase!("machines"), histogram(&known, least, most))];
    let plot = ExhibitPlot { unit: phrase!("machines"), across: phrase!("value"), across_is_log: false, lines };
    Exhibit { title, said, plot: Some(plot), ..Exhibit::default() }
}

fn passes(asked: &Phrase, valid: usize, all: usize) -> Phrase {
    phrase!(
        "For {}, {} of {} machines stay candidates.",
        asked.clone(),
        words::count(valid as f64),
        words::count(all as f64)
    )
}

/// Machines that tie because their values are beyond a bound or not numbers.
fn beyond(bounds: &Bounds, values: &[f64]) -> Vec<Phrase> {
    let count = |is: &dyn Fn(f64) -> bool| values.iter().filter(|value| is(**value)).count();
    let (below, above) = (count(&|value| value < bounds.from), count(&|value| value > bounds.to));
    let mut said = Vec::new();
    if below + above > 0 {
        said.push(phrase!(
            "Machines below {}: {}; above {}: {}. Those beyond a bound tie; widen the bounds to tell them apart.",
            words::trimmed(bounds.from, 3),
            words::count(below as f64),
            words::trimmed(bounds.to, 3),
            words::count(above as f64)
        ));
    }
    let no_number = count(&|value| value.is_nan());
    if no_number > 0 {
        said.push(phrase!(
            "Machines whose value is not a number, which get the worst score: {}.",
            words::count(no_number as f64)
        ));
    }
    said
}

/// The number of values in each bar, as the outline of the bars; `values` are sorted.
fn histogram(values: &[f64], least: f64, most: f64) -> Vec<(f64, f64)> {
    let (least, most) = if least < most { (least, most) } else { (least - 0.5, most + 0.5) };
    let width = (most - least) / BARS as f64;
    let mut counts = [0_u32; BARS];
    for value in values {
        counts[(((value - least) / width) as usize).min(BARS - 1)] += 1;
    }
    let corner = |bar: usize| least + width * bar as f64;
    let outline = counts.iter().enumerate().flat_map(|(bar, count)| {
        let height = f64::from(*count);
        [(corner(bar), height), (corner(bar + 1), height)]
    });
    core::iter::once((least, 0.0)).chain(outline).chain([(most, 0.0)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_every_value_once() {
        let values = [0.0, 0.1, 5.0, 10.0];
        let outline = histogram(&values, 0.0, 10.0);
        let tops: f64 = outline[1..outline.len() - 1].iter().step_by(2).map(|(_, height)| height).sum();
        assert_eq!((tops, outline.len()), (4.0, 2 * BARS + 2));
        assert!(outline.is_sorted_by(|one, other| one.0 <= other.0), "{outline:?}");
    }

    #[test]
    fn one_value_is_one_bar() {
        let outline = histogram(&[3.0; 7], 3.0, 3.0);
        assert_eq!(outline.iter().map(|(_, height)| *height).fold(0.0, f64::max), 7.0);
        assert_eq!((outline[0].0, outline[outline.len() - 1].0), (2.5, 3.5));
    }

    #[test]
    fn what_lies_beyond_bounds_is_counted() {
        let bounds = Bounds { from: 1.0, to: 2.0, higher_is_better: true };
        let said = beyond(&bounds, &[0.5, 1.0, 1.5, 2.0, 3.0, 4.0, f64::NAN]);
        let said: Vec<String> = said.iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].starts_with("Machines below 1: 1; above 2: 2."), "{said:?}");
        assert_eq!(beyond(&bounds, &[1.0, 2.0]), Vec::new());
    }
}
