//! The anatomy of a run: its cache layers from top to bottom, and its agents (Protean sections 4
//! and 5.2).

use tiebreak_app::Outcome;
use tiebreak_engine::protocol::{AgentCounts, LayerCounts};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_model::Declared;
use tiebreak_placement::Caches;
use tiebreak_scenario::Variant;

/// A cache layer in words.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// The parameter of [`Caches`] that switches it.
    pub param: &'static str,
    /// Protean's name.
    pub title: &'static str,
    /// The unit of its work: machines ranked or judged again, or cells compared.
    pub work: &'static str,
}

const fn layer(param: &'static str, title: &'static str, work: &'static str) -> Layer {
    Layer { param, title, work }
}

/// The layers from top to bottom: the first parameters of [`Caches`], in their order.
pub static LAYERS: [Layer; 6] = [
    layer("evaluations", mark("Rule evaluations"), mark("machines reranked")),
    layer("rule_objects", mark("Rule objects"), mark("machines evaluated")),
    layer("shared_state", mark("Shared state"), mark("machines evaluated")),
    layer("journal", mark("Journal"), ""),
    layer("cells", mark("Cells"), mark("cells compared")),
    layer("background", mark("Background"), mark("machines reranked")),
];

/// A layer's row.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerRow {
    /// Protean's name.
    pub title: &'static str,
    /// An explanation for learners.
    pub help: String,
    /// Whether the scenario has it on.
    pub on: bool,
    /// Its hits and misses.
    pub counts: HitsAndMisses,
    /// Its work, and the unit.
    pub work: Option<(String, &'static str)>,
    /// Entries.
    pub entries: Option<String>,
    /// Their size in bytes.
    pub bytes: Option<String>,
    /// The same per rule, if it is counted per rule.
    pub rules: Vec<(String, HitsAndMisses)>,
}

/// Hits and misses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitsAndMisses {
    /// Uses that found what they needed.
    pub hits: Option<String>,
    /// Uses that had to create it.
    pub misses: Option<String>,
    /// Hits as a percentage of all uses; `None` without uses.
    pub hit_pct: Option<f64>,
}

impl HitsAndMisses {
    fn of(hits: Option<f64>, misses: Option<f64>) -> Self {
        Self { hits: hits.map(words::count), misses: misses.map(words::count), hit_pct: share_pct(hits, misses) }
    }
}

fn share_pct(hits: Option<f64>, misses: Option<f64>) -> Option<f64> {
    let (hits, all) = (hits?, hits? + misses?);
    (all > 0.0).then(|| 100.0 * hits / all)
}

/// The layers of the scenario, with their counters in the displayed run.
#[must_use]
pub fn layers(variant: &Variant, live: Option<&Outcome>) -> Vec<LayerRow> {
    let values = variant.caches.to_values();
    let anatomy = live.map(|live| &live.anatomy);
    let row = |(index, layer): (usize, &Layer)| {
        let counts = anatomy.and_then(|anatomy| anatomy.layers.get(index)).copied().unwrap_or_default();
        let LayerCounts { hits, misses, work, entries, bytes } = counts;
        let objects = anatomy.filter(|_| layer.param == "rule_objects").map_or(&[][..], |anatomy| &anatomy.objects);
        LayerRow {
            title: tr(layer.title),
            help: words::help(Caches::DECLARATION.params[index].help),
            on: values[index] != 0.0,
            counts: HitsAndMisses::of(hits, misses),
            work: work.map(|work| (words::count(work), tr(layer.work))),
            entries: entries.map(words::count),
            bytes: bytes.map(words::bytes),
            rules: objects
                .iter()
                .map(|it| (it.rule.clone(), HitsAndMisses::of(Some(it.hits), Some(it.misses))))
                .collect(),
        }
    };
    LAYERS.iter().enumerate().map(row).collect()
}

/// The purpose of layers, and the effect of switching one.
#[must_use]
pub fn about_layers(variant: &Variant) -> String {
    let lead = tr("Each layer keeps its results, so that less is recalculated.");
    let latency = variant.agents.latency;
    if !variant.agents.caches {
        return say("{lead} The agents' caches are off, and with them every layer.", &[&lead]);
    }
    if latency.reads_caches() {
        return say(
            "{lead} Switching a layer never changes which machine is best. But latency now follows the caches, so it \
             changes how long decisions take and when they are committed.",
            &[&lead],
        );
    }
    say("{lead} Switching a layer never changes where or when a VM goes.", &[&lead])
}

/// An agent's row.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRow {
    /// Its current activity.
    pub doing: String,
    /// VMs that it decided, counting every attempt.
    pub decided: String,
    /// Its failed commits.
    pub conflicts: String,
    /// Changes in the store that it has not read yet.
    pub behind: String,
    /// Percentage of its decisions that found an evaluation; `None` without decisions.
    pub hit_pct: Option<f64>,
}

/// The agents of the displayed run.
#[must_use]
pub fn agents(live: &Outcome) -> Vec<AgentRow> {
    let settings = &live.document.active_variant().agents;
    // Such an agent waits for the store's answer before it decides again.
    let waits = !settings.pipelined && settings.commit_ms > 0;
    let row = |agent: &AgentCounts| AgentRow {
        doing: doing(agent, waits),
        decided: words::count(agent.decided),
        conflicts: words::count(agent.conflicts),
        behind: words::counted(agent.behind, "change", "changes"),
        hit_pct: share_pct(Some(agent.hits), Some(agent.misses)),
    };
    live.anatomy.agents.iter().map(row).collect()
}

fn doing(agent: &AgentCounts, waits: bool) -> String {
    let commits = |number: u32| words::counted(f64::from(number), "commit in flight", "commits in flight");
    match (agent.is_idle, agent.in_flight) {
        (true, 0) => tr("idle").to_owned(),
        (true, number) => commits(number),
        (false, _) if waits => tr("deciding or committing").to_owned(),
        (false, 0 | 1) => tr("deciding").to_owned(),
        (false, number) => say("deciding, {}", &[&commits(number - 1)]),
    }
}

/// A short summary for the closed panel.
#[must_use]
pub fn in_short(live: &Outcome) -> Option<String> {
    let anatomy = &live.anatomy;
    let evaluations = anatomy.layers.first()?;
    let agents = words::counted(anatomy.agents.len() as f64, "agent", "agents");
    Some(match share_pct(evaluations.hits, evaluations.misses) {
        Some(hits) => say("{agents}, {} % cache hits", &[&agents, &words::trimmed(hits, 1)]),
        None => agents,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_the_first_parameters_of_the_caches() {
        let params = Caches::DECLARATION.params;
        for (layer, param) in LAYERS.iter().zip(params) {
            assert_eq!((layer.param, param.kind), (param.name, tiebreak_model::ParamKind::Flag));
        }
        let rest = &params[LAYERS.len()..];
        assert!(rest.iter().all(|param| param.kind != tiebreak_model::ParamKind::Flag), "every switch is a layer");
    }

    #[test]
    fn what_an_agent_does_is_told() {
        for (is_idle, in_flight, waits, expected) in [
            (true, 0, false, "idle"),
            (true, 1, false, "1 commit in flight"),
            (false, 1, false, "deciding"),
            (false, 3, false, "deciding, 2 commits in flight"),
            (false, 1, true, "deciding or committing"),
        ] {
            let agent =
                AgentCounts { is_idle, in_flight, decided: 0.0, conflicts: 0.0, behind: 0.0, hits: 0.0, misses: 0.0 };
            assert_eq!(doing(&agent, waits), expected);
        }
    }
}
