//! Converts nodes to machines.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use tiebreak_model::{Declared, fleet::MACHINES_MAX};
use tiebreak_scenario::document::{CLUSTERS_MAX, NAME_MAX};
use tiebreak_scenario::{ClusterRow, ClusterSettings, gallery, lists};

use super::lose;
use super::object::Object;
use super::quantity::Quantity;
use crate::Import;
use crate::error::ImportError;

/// Nodes that do not become machines, and why; their pods do not become VMs.
pub(super) struct Aside {
    names: BTreeSet<String>,
    unready: BTreeSet<String>,
    /// Whether the files have any nodes.
    pub(super) knows_nodes: bool,
}

impl Aside {
    /// Whether pods on this node are skipped with it.
    pub(super) fn has(&self, node: &str) -> bool {
        self.names.contains(node)
    }

    /// Whether the node is a machine that accepts no VMs now.
    pub(super) fn is_unready(&self, node: &str) -> bool {
        self.unready.contains(node)
    }
}

/// The labels that name a node's zone, the newer one first.
const ZONES: [&str; 2] = ["topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"];

/// The prefix of taints that repeat the node's own conditions: it accepts no pods now.
pub(super) const NOT_NOW: &str = "node.kubernetes.io/";

/// A kind of equal nodes: zone, thousandths of cores, MiB.
type Kind = (String, u64, u64);

#[derive(Default)]
struct Alike {
    machines: u32,
    unready: u32,
    racks: BTreeSet<String>,
}

/// The clusters of these nodes.
pub(super) fn clusters(nodes: &[Object<'_>], import: &mut Import) -> Result<Aside, ImportError> {
    let mut aside = Aside { names: BTreeSet::new(), unready: BTreeSet::new(), knows_nodes: !nodes.is_empty() };
    let (mut kinds, mut pods): (BTreeMap<Kind, Alike>, BTreeMap<u64, u64>) = (BTreeMap::new(), BTreeMap::new());
    for node in nodes {
        if let Some(taint) = dedicated(node, import) {
            let why = "machines have no taints: the node is no machine here, and pods on it are no VMs";
            lose(import, node, "spec.taints", &taint, why);
            aside.names.insert(node.text("metadata.name").into());
            continue;
        }
        let size = (required(node, "cpu", Quantity::milli_down)?, required(node, "memory", Quantity::mib_down)?);
        let zone = ZONES.iter().find_map(|label| node.at("metadata.labels")[*label].as_str()).unwrap_or_default();
        let alike = kinds.entry((zone.to_owned(), size.0, size.1)).or_default();
        alike.machines += 1;
        if !is_ready(node) {
            alike.unready += 1;
            aside.unready.insert(node.text("metadata.name").into());
        }
        alike.racks.extend(rack(node).map(ToOwned::to_owned));
        if let Some(most) =
            node.quantity(&node.at("status.allocatable")["pods"], "status.allocatable.pods", Quantity::ones)?
        {
            *pods.entry(most).or_default() += 1;
        }
    }
    limit_pods(&pods, nodes, import);
    if kinds.is_empty() && !nodes.is_empty() {
        return Err(nodes[0].wrong("spec.taints", "a node that takes pods", nodes[0].at("spec.taints")));
    }
    import.clusters = rows(&kinds, nodes)?;
    if !import.clusters.is_empty() {
        import.told.push(told(&kinds, aside.names.len()));
    }
    Ok(aside)
}

/// The taint that repels pods without a toleration, if the node has one; weaker taints are listed.
fn dedicated(node: &Object<'_>, import: &mut Import) -> Option<Value> {
    let taints = node.at("spec.taints").as_array()?;
    let mut found = None;
    for taint in taints.iter().filter(|taint| !taint["key"].as_str().unwrap_or_default().starts_with(NOT_NOW)) {
        match taint["effect"].as_str() {
            Some("PreferNoSchedule") => {
                lose(import, node, "spec.taints", taint, "machines have no taints: this one takes pods like any other");
            }
            _ => found = Some(taint.clone()),
        }
    }
    found
}

/// Whether a node accepts pods now: it is not cordoned, and its kubelet reports ready.
fn is_ready(node: &Object<'_>) -> bool {
    let conditions = node.at("status.conditions").as_array().map_or(&[][..], Vec::as_slice);
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    let is_cordoned = node.at("spec.unschedulable") == &Value::Bool(true);
    !is_cordoned && ready.is_none_or(|condition| condition["status"] == "True")
}

/// The rack that a label names, whatever the prefix of the label.
fn rack<'a>(node: &Object<'a>) -> Option<&'a str> {
    let labels = node.at("metadata.labels").as_object()?;
    labels.iter().find(|(name, _)| *name == "rack" || name.ends_with("/rack")).and_then(|(_, value)| value.as_str())
}

fn required(node: &Object<'_>, what: &str, count: impl Fn(Quantity) -> Option<u64>) -> Result<u64, ImportError> {
    let path = format!("status.allocatable.{what}");
    let (value, param) = (&node.at("status.allocatable")[what], if what == "cpu" { "cores" } else { "memory_gib" });
    let got = node.quantity(value, &path, count)?.filter(|count| *count > 0);
    let got = got.ok_or_else(|| node.wrong(&path, "a quantity above 0", value))?;
    let max = ClusterSettings::DECLARATION.params.iter().find(|it| it.name == param).map_or(0.0, |it| it.max);
    let of_ours = got as f64 / if what == "cpu" { 1_000.0 } else { 1_024.0 };
    if of_ours > max { Err(node.wrong(&path, &format!("at most {max} {param}"), value)) } else { Ok(got) }
}

fn rows(kinds: &BTreeMap<Kind, Alike>, nodes: &[Object<'_>]) -> Result<Vec<ClusterRow>, ImportError> {
    let all: u64 = kinds.values().map(|alike| u64::from(alike.machines)).sum();
    let few = |expected: String, got: u64| {
        let file = nodes.first().map_or("", |node| node.file);
        Err(ImportError::whole(file, expected, got, "dump the nodes of one zone"))
    };
    if kinds.len() > CLUSTERS_MAX {
        return few(format!("at most {CLUSTERS_MAX} kinds of nodes by zone and size"), kinds.len() as u64);
    }
    if all > u64::from(MACHINES_MAX) {
        return few(format!("at most {MACHINES_MAX} nodes"), all);
    }
    let mut zones: Vec<_> = kinds.keys().map(|(zone, ..)| zone).collect();
    zones.dedup();
    Ok(kinds.iter().map(|(kind, alike)| row(kind, alike, &zones)).collect())
}

fn row((zone, milli, mib): &Kind, alike: &Alike, zones: &[&String]) -> ClusterRow {
    let (cores, memory_gib) = (*milli as f64 / 1_000.0, *mib as f64 / 1_024.0);
    let datacenter = zones.iter().position(|other| *other == zone).unwrap_or_default() as u32 + 1;
    let racks = (alike.racks.len() as u32).clamp(1, alike.machines);
    let settings = ClusterSettings {
        machines: alike.machines,
        racks,
        cores,
        memory_gib,
        unready: alike.unready,
        datacenter: datacenter.min(1_000),
        ..ClusterSettings::default()
    };
    let place = if zone.is_empty() { String::new() } else { format!("{zone}: ") };
    let name = format!("{place}{cores} cores, {memory_gib:.1} GiB");
    ClusterRow { name: name.chars().filter(|it| !it.is_control()).take(NAME_MAX).collect(), settings }
}

fn told(kinds: &BTreeMap<Kind, Alike>, aside: usize) -> String {
    let zones: BTreeSet<_> = kinds.keys().map(|(zone, ..)| zone).collect();
    let sum = |count: fn(&Alike) -> u32| kinds.values().map(count).sum::<u32>();
    let (machines, unready) = (sum(|alike| alike.machines), sum(|alike| alike.unready));
    format!(
        "{machines} nodes are machines, {unready} of them not ready, in {} clusters: one for each zone and size; {} zones \
         are datacenters. {aside} nodes with taints are left out.",
        kinds.len(),
        zones.len()
    )
}

/// Adds a rule for the maximum number of pods that most nodes have.
fn limit_pods(pods: &BTreeMap<u64, u64>, nodes: &[Object<'_>], import: &mut Import) {
    let Some((most, _)) = pods.iter().max_by_key(|(_, nodes)| **nodes) else { return };
    for (other, count) in pods.iter().filter(|(other, _)| *other != most) {
        let why = format!("the limit is one for all machines, {most}; {count} nodes have this one");
        lose(import, &nodes[0], "status.allocatable.pods", &Value::from(*other), &why);
    }
    let rule = gallery::find("MaxVmsPerMachine").map(|rule| lists::with(rule.row(), &[("most", *most as f64)]));
    import.rules.extend(rule);
}
