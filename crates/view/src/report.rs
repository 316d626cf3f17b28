//! A printable report: the scenario, the results, and everything needed to repeat them.

use tiebreak_app::{App, Change, ENGINE_VERSION, Lane, changes};
use tiebreak_engine::protocol::TraceCard;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_model::{Declared, Param};
use tiebreak_placement::{Group, Lifetimes};
use tiebreak_scenario::{ClusterRow, ClusterSettings, RuleRow, Variant, WorkloadRef};
use tiebreak_sim::{Agents, GeneratedWorkload};

use crate::compare::ComparedRow;
use crate::verdict::Figure;
use crate::{compare, naming, timeline, verdict};

/// The maximum number of listed kinds of clusters.
const KINDS_MAX: usize = 8;

/// All of it except the charts.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The scenario's name.
    pub name: String,
    /// The date and the program version.
    pub made: String,
    /// The result of the active variant's run, if it is the only one.
    pub sentence: Option<String>,
    /// Its numbers.
    pub figures: Vec<Figure>,
    /// Every variant in order.
    pub runs: Vec<ReportedRun>,
    /// The active variant compared with each of the others.
    pub against: Vec<Against>,
    /// The set-up of the active variant: names and texts.
    pub setup: Vec<(&'static str, String)>,
    /// Its rules that are on, in order, stage by stage.
    pub stages: Vec<(&'static str, Vec<String>)>,
    /// Events in the zone, by time.
    pub events: Vec<String>,
    /// Sources and licences.
    pub sources: Vec<String>,
}

/// One variant's run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportedRun {
    /// The variant.
    pub variant: String,
    /// Its seed.
    pub seed: u64,
    /// The outcome of its VMs.
    pub placed: String,
    /// 16 hex digits; fewer while it is not finished.
    pub digest: String,
}

/// The active variant in a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    /// Both names: the other one, and the active one.
    pub names: [String; 2],
    /// Which one is better, and with which confidence.
    pub verdict: String,
    /// Every number of both.
    pub rows: Vec<ComparedRow>,
    /// Differing settings.
    pub changes: Vec<Change>,
}

impl Report {
    /// The report on the displayed state, dated this day.
    #[must_use]
    pub fn new(app: &App, day: &str) -> Self {
        let variant = app.variant();
        let alone = app.front.live.as_ref().filter(|_| app.aside.is_empty());
        Self {
            name: naming::scenario(&app.document.name).to_owned(),
            made: say("Made on {day} with Tiebreak {ENGINE_VERSION}.", &[&day, &ENGINE_VERSION]),
            sentence: alone.filter(|live| live.result.is_some()).map(|live| verdict::sentence(live, None)),
            figures: alone.map_or_else(Vec::new, |live| verdict::figures(live, None)),
            runs: app.document.variants.iter().filter_map(|it| Some(run(it, lane(app, &it.name)?))).collect(),
            against: app.aside.iter().map(|other| against(app, other)).collect(),
            setup: setup(app),
            stages: stages(variant),
            events: events(app),
            sources: sources(app),
        }
    }
}

fn lane<'a>(app: &'a App, variant: &str) -> Option<&'a Lane> {
    std::iter::once(&app.front).chain(&app.aside).find(|lane| lane.variant == variant)
}

fn run(variant: &Variant, lane: &Lane) -> ReportedRun {
    let result = lane.result();
    ReportedRun {
        variant: variant.name.clone(),
        seed: variant.seed,
        placed: result.map_or_else(String::new, |result| {
            let [placed, all] = result.placed();
            say("{} of {}", &[&words::count(placed), &words::count(all)])
        }),
        digest: result.map_or_else(|| tr("not finished").into(), |result| result.digest.clone()),
    }
}

fn against(app: &App, other: &Lane) -> Against {
    // Seeds were run for only one of them.
    let paired = app.paired.as_ref().filter(|paired| paired.variants[1].name == other.variant);
    let place = app.document.variants.iter().position(|it| it.name == other.variant);
    Against {
        names: [other.variant.clone(), app.front.variant.clone()],
        verdict: compare::verdict(&app.front, other, paired),
        rows: compare::rows(&app.front, other, paired),
        changes: place.map_or_else(Vec::new, |place| changes(&app.document, place, app.document.active)),
    }
}

fn setup(app: &App) -> Vec<(&'static str, String)> {
    let variant = app.variant();
    let mut setup = vec![
        (tr("Machines"), machines(&variant.clusters)),
        (tr("Workload"), workload(app)),
        (tr("Agents"), agents(&variant.agents)),
    ];
    if app.asks_lifetimes() {
        let predictor = variant.predictor.entry().map_or("", |entry| tr(entry.declaration.title));
        let terms = changed(Lifetimes::DECLARATION.params, &variant.lifetimes.to_values());
        setup.push((tr("Lifetimes"), in_a_sentence(&say("predicted by {predictor}", &[&predictor]), &terms)));
    }
    setup
}

/// The clusters, grouped by size.
fn machines(clusters: &[ClusterRow]) -> String {
    let mut kinds: Vec<(f64, ClusterSettings)> = Vec::new();
    for ClusterRow { settings, .. } in clusters {
        match kinds.iter_mut().find(|(_, kind)| kind == settings) {
            Some((count, _)) => *count += 1.0,
            None => kinds.push((1.0, *settings)),
        }
    }
    let kind = |(count, kind): &(f64, ClusterSettings)| {
        let number = |count: u32, one: &'static str, many: &'static str| words::counted(f64::from(count), one, many);
        let clusters = if *count > 1.0 { say("{} clusters of ", &[&words::count(*count)]) } else { String::new() };
        let each = [
            (kind.cores, tr("cores")),
            (kind.memory_gib, "GiB"),
            (kind.ssd_gib.into(), "GiB SSD"),
            (kind.network_mbps.into(), "Mbit/s"),
        ];
        let each = each.iter().filter(|(amount, _)| *amount > 0.0);
        let each: Vec<_> = each.map(|(amount, unit)| format!("{} {unit}", words::trimmed(*amount, 3))).collect();
        let unready = if kind.unready > 0 { say(", {} of them not ready", &[&kind.unready]) } else { String::new() };
        say(
            "{clusters}{} in {}{unready}, each with {}",
            &[
                &clusters,
                &number(kind.machines, "machine", "machines"),
                &number(kind.racks, "rack", "racks"),
                &unready,
                &each.join(", "),
            ],
        )
    };
    let all = clusters.iter().map(|row| f64::from(row.settings.machines)).sum();
    let told: Vec<_> = kinds.iter().take(KINDS_MAX).map(kind).collect();
    let others: f64 = kinds.iter().skip(KINDS_MAX).map(|(count, _)| count).sum();
    let others = if others > 0.0 { say("; {} other clusters", &[&words::count(others)]) } else { String::new() };
    match clusters {
        [_] => format!("{}.", told.join("")),
        several => say(
            "{} in {} clusters: {}{others}.",
            &[&words::counted(all, "machine", "machines"), &several.len(), &told.join("; "), &others],
        ),
    }
}

fn workload(app: &App) -> String {
    match &app.variant().workload {
        WorkloadRef::Generated(settings) => {
            let changed = changed(GeneratedWorkload::DECLARATION.params, &settings.to_values());
            in_a_sentence(tr("generated from the seed"), &changed)
        }
        WorkloadRef::Trace { name, fingerprint, settings } => {
            let sampled = words::sampled(settings);
            let facts = card(app).map(|card| format!(" {}", about_trace(card)));
            let fingerprint = format!("{fingerprint:032x}");
            say(
                "The trace {name}{sampled}, fingerprint {fingerprint}.{facts}",
                &[name, &sampled.unwrap_or_default(), &fingerprint, &facts.unwrap_or_default()],
            )
        }
    }
}

/// The card of the active variant's trace.
fn card(app: &App) -> Option<&TraceCard> {
    let WorkloadRef::Trace { fingerprint, .. } = &app.variant().workload else { return None };
    app.traces.iter().find(|card| card.fingerprint == format!("{fingerprint:032x}"))
}

/// The contents of a trace, in one sentence.
#[must_use]
pub fn about_trace(card: &TraceCard) -> String {
    say(
        "{}; {} over {} days, {} running at the start; at most {} cores at once.",
        &[
            &tr(&card.format),
            &words::counted(card.vms, "VM", "VMs"),
            &words::trimmed(card.days, 1),
            &words::count(card.warm),
            &words::count(card.peak_cores),
        ],
    )
}

fn agents(agents: &Agents) -> String {
    let rest = changed(&Agents::DECLARATION.params[1..], &agents.to_values()[1..]);
    in_a_sentence(&words::counted(f64::from(agents.count), "agent", "agents"), &rest)
}

/// `4 agents, with publishing delay 700 ms; the rest with defaults.`
fn in_a_sentence(what: &str, changed: &[String]) -> String {
    let what = words::capitalized(what);
    match changed {
        [] => say("{what}, with default settings.", &[&what]),
        some => say("{what}, with {}; other settings have their defaults.", &[&what, &some.join(", ")]),
    }
}

/// The values that differ from the defaults, in words.
fn changed(params: &[Param], values: &[f64]) -> Vec<String> {
    params
        .iter()
        .zip(values)
        .filter(|(param, value)| param.default != **value)
        .map(|(param, value)| told(param, *value))
        .collect()
}

/// `machines 10`, `decision 70 ms`, `caches off`.
fn told(param: &Param, value: f64) -> String {
    let title = param.title();
    let title = tr(&title);
    let name = title.strip_suffix(param.unit).unwrap_or(title).trim();
    match (param.word(value), name) {
        (Some(word), _) => format!("{title} {}", tr(word)),
        (None, "") => format!("{title} {}", words::trimmed(value, 3)),
        (None, name) => format!("{name} {} {}", words::trimmed(value, 3), tr(param.unit)).trim_end().to_owned(),
    }
}

fn stages(variant: &Variant) -> Vec<(&'static str, Vec<String>)> {
    let rules = |group: Group| variant.rules_of(group).filter(|row| row.on).map(|row| rule(row, variant.hand_weights));
    let stages = Group::ALL.into_iter().map(|group| (tr(group.title()), rules(group).collect::<Vec<_>>()));
    stages.filter(|(_, rules)| !rules.is_empty()).collect()
}

/// `BestFit, 3 buckets`.
fn rule(row: &RuleRow, hand_weights: bool) -> String {
    let mut words = vec![row.id.clone()];
    if row.scores() {
        words.push(
            row.buckets.map_or(tr("compared exactly").into(), |buckets| {
                words::counted(f64::from(buckets), "bucket", "buckets")
            }),
        );
    }
    if hand_weights && row.scores() {
        words.push(say("weight {}", &[&words::trimmed(row.weight.unwrap_or(1.0), 3)]));
    }
    words.extend(changed(row.entry().map_or(&[], |entry| entry.declaration.params), &row.values));
    words.join(", ")
}

fn events(app: &App) -> Vec<String> {
    let event = |mark: timeline::Mark| {
        let row = &app.variant().incidents[mark.incident];
        let values: Vec<_> = row.params().iter().zip(&row.values).map(|(param, value)| told(param, *value)).collect();
        if values.is_empty() { mark.title } else { format!("{}: {}", mark.title, values.join(", ")) }
    };
    timeline::marks(app, 0.0).into_iter().map(event).collect()
}

fn sources(app: &App) -> Vec<String> {
    let workload = match (&app.variant().workload, card(app)) {
        (WorkloadRef::Generated(_), _) => {
            tr("Workload: generated, with the patterns of Azure that Hadary et al. report (Protean, OSDI 2020).")
                .to_owned()
        }
        (_, Some(card)) if !card.source.is_empty() => say("Trace: {}", &[&tr(&card.source)]),
        _ => tr("Trace: those that come with Tiebreak are Microsoft Azure's, CC BY 4.0 (Hadary et al., OSDI 2020); \
              another keeps its own licence.")
        .to_owned(),
    };
    let lifetimes =
        tr("Lifetimes: after \"LAVA: Lifetime-Aware VM Allocation with Learned Distributions and Adaptation \
                     to Mispredictions\".");
    let rules = tr("Rules and agents: after \"Protean: VM Allocation Service at Scale\" (Hadary et al., OSDI 2020).");
    let tiebreak = tr("Tiebreak: MIT or Apache-2.0. A simulation; the same scenario has the same digest everywhere.");
    let mut sources = vec![workload, rules.into()];
    sources.extend(app.asks_lifetimes().then(|| lifetimes.into()));
    sources.push(tiebreak.into());
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_alike_are_told_together() {
        let row = |machines: u32, unready: u32| ClusterRow {
            name: "c".into(),
            settings: ClusterSettings { machines, unready, racks: 2, ..ClusterSettings::default() },
        };
        for (clusters, expected) in [
            (vec![row(1, 0)], "1 machine in 2 racks, each with 48 cores, 384 GiB."),
            (
                vec![row(20, 0), row(30, 4), row(20, 0)],
                "70 machines in 3 clusters: 2 clusters of 20 machines in 2 racks, each with 48 cores, 384 GiB; \
                 30 machines in 2 racks, 4 of them not ready, each with 48 cores, 384 GiB.",
            ),
        ] {
            assert_eq!(machines(&clusters), expected);
        }
        let many: Vec<_> = (1..=10).map(|machines| row(machines, 0)).collect();
        assert!(machines(&many).ends_with("8 machines in 2 racks, each with 48 cores, 384 GiB; 2 other clusters."));
    }

    #[test]
    fn settings_are_told_where_they_are_not_as_they_come() {
        let mut agents = Agents::default();
        assert_eq!(super::agents(&agents), "4 agents, with default settings.");
        (agents.count, agents.publish_ms, agents.fine_grained) = (1, 700, false);
        assert_eq!(
            super::agents(&agents),
            "1 agent, with publishing delay 700 ms, fine grained false; other settings have their defaults."
        );
    }

    #[test]
    fn rules_are_told_in_order_with_buckets_and_weights() {
        let mut variant = Variant::default();
        variant.move_rule("BestFit", 0);
        let preferences = |variant: &Variant| stages(variant).pop().expect("stages").1;
        assert_eq!(preferences(&variant)[0], "BestFit, 3 buckets");
        for row in &mut variant.rules {
            row.buckets = None;
            row.on |= row.id == "WorstFit";
        }
        variant.hand_weights = true;
        assert_eq!(preferences(&variant)[0], "BestFit, compared exactly, weight 1");
        assert!(preferences(&variant).iter().any(|rule| rule.starts_with("WorstFit")));
        assert_eq!(stages(&variant)[0].0, Group::ClusterValidators.title());
    }
}
