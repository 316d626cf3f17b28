//! `tiebreak size`: the smallest number of machines that keeps the share of rejected VMs within a limit.

use tiebreak_profile::sizing::Mix;
use tiebreak_scenario::Variant;
use tiebreak_study::size::{Asked, REJECT_USUAL, machine_of, mix_of, size};
use tiebreak_study::watch::Watch;

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario::{self, MACHINES};

mod side_by_side;

pub(crate) const MACHINE: Opt = Opt {
    name: "machine",
    value: Some("CORESxGIB"),
    help: "cores and GiB of one machine, for instance 64x256; by default suggested by the trace's VMs and peak",
};
pub(crate) const REJECT: Opt = Opt {
    name: "reject",
    value: Some("SHARE"),
    help: "maximum share of rejected VMs: 0.1% (the default), or 0 for none",
};
pub(crate) const SEEDS: Opt = Opt {
    name: "seeds",
    value: Some("N"),
    help: "number of seeds for which this must hold, starting with the scenario's; 3",
};

pub(crate) const LIST: Opt = Opt {
    name: "list",
    value: Some("PRESET|FILE"),
    help: "the list of a preset or of a scenario's active variant instead of the scenario's own; several are compared \
           side by side, over the same seeds",
};

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let (variant, source) = scenario::with_source(given)?;
    let (reject, seeds) = (level(given)?, given.number(SEEDS.name)?.unwrap_or(3));
    let asked = Asked { mix: mix(given, &variant)?, reject, seeds };
    if given.has(LIST.name) {
        return side_by_side::run(given, &variant, &source.workload, &asked);
    }
    let found = size(variant, source.workload, &asked, &Watch::nobody())?;
    Ok(Answer::either(given, &found, || found.text()).problem(!found.is_enough()))
}

/// Parses `0.1%`, or a share from 0 to 1.
fn level(given: &Given) -> Result<f64, Failure> {
    let Some(word) = given.one(REJECT.name) else { return Ok(REJECT_USUAL) };
    let wrong = || Failure(format!("expected a share after --reject, got \"{word}\"; write for instance 0.1% or 0"));
    let (number, of) = word.strip_suffix('%').map_or((word, 1.0), |number| (number, 100.0));
    let share = number.trim().parse::<f64>().map_err(|_| wrong())? / of;
    if (0.0..1.0).contains(&share) { Ok(share) } else { Err(wrong()) }
}

/// The kinds of machines; `None` for one that suits the workload.
fn mix(given: &Given, variant: &Variant) -> Result<Option<Mix>, Failure> {
    if let Some(word) = given.one(MACHINE.name) {
        let wrong =
            || Failure(format!("expected cores and GiB after --machine, got \"{word}\"; write for instance 64x256"));
        return machine_of(word).map(Some).ok_or_else(wrong);
    }
    let is_suggested = scenario::is_about_own_trace(given) && !given.has(MACHINES.name);
    Ok((!is_suggested).then(|| mix_of(variant)))
}
