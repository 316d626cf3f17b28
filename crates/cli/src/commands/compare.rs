//! `tiebreak compare`: the effect of other settings, over paired seeds.

use tiebreak_study::compare::{Contender, compare, planned, with_fields};
use tiebreak_study::watch::Watch;

use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::scenario;
use tiebreak_console::trace::workloads;

pub(crate) const SET: Opt = Opt {
    name: "set",
    value: Some("PATH=VALUE"),
    help: "one variant to compare with; may be repeated; separate fields that belong together with commas",
};
pub(crate) const BASE: Opt = Opt {
    name: "base",
    value: Some("PATH=VALUE"),
    help: "changes a field in everything that is compared; may be repeated",
};
pub(crate) const PLAN: Opt = Opt {
    name: "plan",
    value: Some("NAME"),
    help: "a named set to compare with: each-rule-off (switches each active rule off in turn), lifetime-rules \
         (LA-Binary, NILAS, LAVA and DVLA in place of the list's lifetime rules) or neighbours:PATH (the values next \
         to a field's current value)",
};
pub(crate) const SEEDS: Opt =
    Opt { name: "seeds", value: Some("N"), help: "number of seeds, starting with the scenario's; 8, at most 64" };

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    let workloads = workloads(given);
    let mut base = scenario::unset_variant(given)?;
    if scenario::is_about_own_trace(given) {
        base = scenario::unslowed(base.clone(), workloads.workload(&base)?.as_ref(), given);
    }
    scenario::set_all(&mut base, &given.all(BASE.name).collect::<Vec<_>>())?;
    let mut contenders: Vec<Contender> =
        given.all(SET.name).map(|set| with_fields(&base, set)).collect::<Result<_, _>>()?;
    for plan in given.all(PLAN.name) {
        contenders.extend(planned(&base, plan)?);
    }
    if contenders.is_empty() {
        return Err(Failure(
            "expected something to compare with, got nothing; add --set PATH=VALUE or --plan NAME".into(),
        ));
    }
    let seeds = given.number(SEEDS.name)?.unwrap_or(8);
    let found = compare(&workloads, &base, &contenders, seeds, &Watch::nobody())?;
    Ok(Answer::either(given, &found, || found.text()))
}
