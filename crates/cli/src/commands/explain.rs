//! `tiebreak explain`: every decision about one VM, rule by rule.

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario;
use tiebreak_study::story::story;
use tiebreak_study::watch::Watch;

pub(crate) const VM: Opt =
    Opt { name: "vm", value: Some("ID"), help: "the VM: its number in the trace, as in placements.csv" };
pub(crate) const MACHINE: Opt =
    Opt { name: "machine", value: Some("ID"), help: "a machine, from 0: why the VM was not placed there" };

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let name = given.number("vm")?;
    let name = name.ok_or_else(|| Failure("expected --vm ID, got none; placements.csv lists them".into()))?;
    let machine = given.number("machine")?;
    let (variant, source) = scenario::with_source(given)?;
    let story = story(variant.plan(source.workload)?, name, machine, &Watch::nobody())?;
    Ok(Answer::either(given, &story, || story.text()))
}
