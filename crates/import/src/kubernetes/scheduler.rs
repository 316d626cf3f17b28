//! KubeSchedulerConfiguration: which plugins filter and score, with weights and arguments.
//!
//! kube-scheduler sums weight times score, each score a whole number from 0 to 100, and takes the highest total.
//! Source: kubescheduler.config.k8s.io/v1 and the default plugins of release 1.34.

use serde_json::Value;
use tiebreak_placement::Combining;
use tiebreak_placement::custom::Definition;
use tiebreak_scenario::custom::custom;
use tiebreak_scenario::lists::{self, RuleList};
use tiebreak_scenario::{RuleRow, gallery};

use super::object::Object;
use crate::Import;
use crate::error::ImportError;
use crate::leftover::{push, push_shown};

/// Scores are whole hundredths.
const HUNDREDTHS: Option<u32> = Some(100);

/// Plugins that score by default, and their weights.
const SCORES: [(&str, u32); 7] = [
    ("TaintToleration", 3),
    ("NodeAffinity", 2),
    ("NodeResourcesFit", 1),
    ("PodTopologySpread", 2),
    ("InterPodAffinity", 2),
    ("NodeResourcesBalancedAllocation", 1),
    ("ImageLocality", 1),
];

/// Plugins that filter by default, with our rules for them, or the reason why there are none.
const FILTERS: [(&str, &[&str], &str); 13] = [
    ("NodeUnschedulable", &["IsMachineReady"], ""),
    ("NodeName", &[], "no request names a machine"),
    ("TaintToleration", &["IsMachineReady"], ""),
    ("NodeAffinity", &[], LABELS),
    ("NodePorts", &[], "ports of machines are not modelled"),
    ("NodeResourcesFit", &[], ""),
    ("VolumeRestrictions", &[], VOLUMES),
    ("NodeVolumeLimits", &[], VOLUMES),
    ("VolumeBinding", &[], VOLUMES),
    ("VolumeZone", &[], VOLUMES),
    ("PodTopologySpread", &["SpreadsOverFaultDomains"], ""),
    ("InterPodAffinity", &["CapsTenantPerMachine"], ""),
    ("DynamicResources", &[], "machines have cores and memory, and no other devices"),
];

/// Default plugins of other extension points, whose behaviour is part of how requests are decided here.
const OTHERS: [&str; 4] = ["SchedulingGates", "PrioritySort", "DefaultPreemption", "DefaultBinder"];

const LABELS: &str = "machines have no labels";
const VOLUMES: &str = "volumes and where they can be attached are not modelled";

/// Why a plugin's score has no twin.
fn unscored(plugin: &str) -> &'static str {
    match plugin {
        "TaintToleration" => "machines have no taints",
        "NodeAffinity" => LABELS,
        "PodTopologySpread" => {
            "SpreadTenantOverRacks prefers racks without the tenant, but by ranks, not by skew; add it by hand"
        }
        "InterPodAffinity" => "affinities between pods have no twin but a limit per machine",
        "ImageLocality" => "images take no time to load",
        "DynamicResources" => "machines have cores and memory, and no other devices",
        _ => "plugins of one's own are code; write a rule of your own in their place",
    }
}

/// The enabled plugins of a profile.
struct Plugins {
    scores: Vec<(String, f64)>,
    filters: Vec<String>,
    evicts: bool,
}

/// The policy of a configuration; fields without a twin are added to the import.
pub(crate) fn scheduler(file: &str, value: &Value, import: &mut Import) -> Result<RuleList, ImportError> {
    let conf = Conf { file, root: Object { file, path: "", value } };
    for (name, value) in value.as_object().into_iter().flatten() {
        match name.as_str() {
            "apiVersion" | "kind" | "profiles" => {}
            "parallelism"
            | "leaderElection"
            | "clientConnection"
            | "healthzBindAddress"
            | "metricsBindAddress"
            | "enableProfiling"
            | "enableContentionProfiling"
            | "debuggingSocketPath" => {
                import.aside.push(format!("KubeSchedulerConfiguration.{name}"));
            }
            "percentageOfNodesToScore" => conf.lose(import, name, value, SCORED),
            "podInitialBackoffSeconds" | "podMaxBackoffSeconds" => {
                conf.lose(import, name, value, "a pod that no machine takes is not tried again");
            }
            "extenders" => conf.lose(import, name, value, "extenders are services of their own"),
            _ => conf.lose(import, name, value, UNKNOWN),
        }
    }
    let nothing = Value::Object(serde_json::Map::new());
    let profiles = conf.root.at("profiles").as_array().map_or(&[][..], Vec::as_slice);
    for (at, other) in profiles.iter().enumerate().skip(1) {
        let path = format!("profiles[{at}]");
        conf.lose(import, &path, &other["schedulerName"], "a run has one list of rules; the first profile is it");
    }
    conf.profile(profiles.first().unwrap_or(&nothing), import)
}

const SCORED: &str = "every machine is scored";
const UNKNOWN: &str = "this reader does not know the field";

struct Conf<'a> {
    file: &'a str,
    root: Object<'a>,
}

impl Conf<'_> {
    fn lose(&self, import: &mut Import, path: &str, value: &Value, why: &str) {
        push(&mut import.leftovers, self.file, path, value, why);
    }

    fn profile(&self, profile: &Value, import: &mut Import) -> Result<RuleList, ImportError> {
        for (name, value) in profile.as_object().into_iter().flatten() {
            match name.as_str() {
                "plugins" | "pluginConfig" => {}
                "schedulerName" => import.aside.push("KubeSchedulerConfiguration.profiles[].schedulerName".into()),
                "percentageOfNodesToScore" => self.lose(import, "profiles[0].percentageOfNodesToScore", value, SCORED),
                _ => self.lose(import, &format!("profiles[0].{name}"), value, UNKNOWN),
            }
        }
        let plugins = self.plugins(&profile["plugins"], import)?;
        let configured = self.arguments(&profile["pluginConfig"], &plugins, import)?;
        let (mut rows, mut weights) = (Vec::new(), Vec::new());
        for (plugin, weight) in &plugins.scores {
            let row = match plugin.as_str() {
                "NodeResourcesFit" => configured.fit.clone(),
                "NodeResourcesBalancedAllocation" => gallery::find("BalancedAllocation").map(gallery::GalleryRule::row),
                _ => {
                    let (path, value) = (format!("profiles[0].plugins.score.{plugin}"), format!("weight {weight}"));
                    push_shown(&mut import.leftovers, self.file, &path, &value, unscored(plugin));
                    None
                }
            };
            let Some(row) = row else { continue };
            weights.push(format!("{} (weight {weight})", row.id));
            rows.push(RuleRow { on: true, weight: Some(*weight), buckets: HUNDREDTHS, ..row });
        }
        let list = RuleList::new(&self.filters(&plugins, import), rows, Some(Combining::Sum));
        let list = if plugins.evicts { list.evicting() } else { list };
        let scored = if weights.is_empty() { "nothing".to_owned() } else { weights.join(", ") };
        import.told.push(format!("{}: the first profile is a list of rules; what scores is {scored}.", self.file));
        Ok(list)
    }

    /// Our rules for the enabled filters.
    fn filters(&self, plugins: &Plugins, import: &mut Import) -> Vec<&'static str> {
        let mut rules = Vec::new();
        for plugin in &plugins.filters {
            let known = FILTERS.iter().find(|(name, ..)| name == plugin);
            let (ours, why) = known.map_or((&[][..], unscored(plugin)), |(_, ours, why)| (*ours, *why));
            rules.extend(ours);
            if !why.is_empty() {
                push_shown(
                    &mut import.leftovers,
                    self.file,
                    &format!("profiles[0].plugins.filter.{plugin}"),
                    "on",
                    why,
                );
            }
        }
        rules
    }

    /// The default plugins, changed first by the settings for all extension points, then by those for a single one.
    fn plugins(&self, given: &Value, import: &mut Import) -> Result<Plugins, ImportError> {
        let scores = SCORES.iter().map(|(name, weight)| ((*name).to_owned(), f64::from(*weight))).collect();
        let filters = FILTERS.iter().map(|(name, ..)| (*name).to_owned()).collect();
        let mut plugins = Plugins { scores, filters, evicts: true };
        let mut points: Vec<_> = given.as_object().into_iter().flatten().collect();
        points.sort_by_key(|(point, _)| *point != "multiPoint");
        for (point, set) in points {
            let at = format!("profiles[0].plugins.{point}");
            let (scores, filters) = match point.as_str() {
                "multiPoint" => (true, true),
                "score" => (true, false),
                "filter" => (false, true),
                _ => (false, false),
            };
            for (index, plugin) in set["disabled"].as_array().into_iter().flatten().enumerate() {
                let name = self.name(plugin, &format!("{at}.disabled[{index}]"))?;
                let is_it = |other: &str| name == "*" || name == other;
                if scores {
                    plugins.scores.retain(|(other, _)| !is_it(other));
                }
                if filters {
                    plugins.filters.retain(|other| !is_it(other));
                    self.keep_required(&at, name, import);
                }
                let is_eviction = is_it("DefaultPreemption") && (point == "multiPoint" || point == "postFilter");
                plugins.evicts = plugins.evicts && !is_eviction;
                if !scores && !filters && point != "postFilter" {
                    self.lose(
                        import,
                        &format!("{at}.disabled"),
                        plugin,
                        "only filters, scores and evictions are told apart",
                    );
                }
            }
            for (index, plugin) in set["enabled"].as_array().into_iter().flatten().enumerate() {
                let path = format!("{at}.enabled[{index}]");
                let (name, weight) = (self.name(plugin, &path)?, self.weight(plugin, &path)?);
                let default = SCORES.iter().find(|(other, _)| *other == name);
                let does_filter = FILTERS.iter().any(|(other, ..)| *other == name);
                let is_known = default.is_some() || does_filter || OTHERS.contains(&name);
                plugins.evicts |= name == "DefaultPreemption";
                if scores && (default.is_some() || !is_known) {
                    plugins.scores.retain(|(other, _)| other != name);
                    let weight = weight.or(default.map(|(_, weight)| f64::from(*weight))).unwrap_or(1.0);
                    plugins.scores.push((name.into(), weight));
                }
                if filters && (does_filter || (!is_known && !scores)) && !plugins.filters.iter().any(|it| it == name) {
                    plugins.filters.push(name.into());
                }
                if !scores && !filters && !OTHERS.contains(&name) {
                    self.lose(
                        import,
                        &format!("{at}.enabled"),
                        plugin,
                        "only filters, scores and evictions are told apart",
                    );
                }
            }
        }
        Ok(plugins)
    }

    /// Keeps the filter by resources, which every policy needs.
    fn keep_required(&self, at: &str, name: &str, import: &mut Import) {
        if name == "NodeResourcesFit" || name == "*" {
            let why = "AreNodeResourcesValid stays on: without it machines would be over-committed";
            push_shown(&mut import.leftovers, self.file, &format!("{at}.disabled"), name, why);
        }
    }

    fn name<'v>(&self, plugin: &'v Value, path: &str) -> Result<&'v str, ImportError> {
        let wrong = || self.root.wrong(&format!("{path}.name"), "the name of a plugin", &plugin["name"]);
        plugin["name"].as_str().ok_or_else(wrong)
    }

    /// The weight of a plugin; `None` for its default.
    fn weight(&self, plugin: &Value, path: &str) -> Result<Option<f64>, ImportError> {
        let value = &plugin["weight"];
        let expected = "a whole number from 0 to 2147483647";
        match value.as_i64() {
            None if value.is_null() => Ok(None),
            Some(0) => Ok(None),
            Some(weight) if i32::try_from(weight).is_ok_and(|weight| weight > 0) => Ok(Some(weight as f64)),
            _ => Err(self.root.wrong(&format!("{path}.weight"), expected, value)),
        }
    }

    /// The arguments of the plugins.
    fn arguments(&self, given: &Value, plugins: &Plugins, import: &mut Import) -> Result<Configured, ImportError> {
        let mut configured = Configured { fit: gallery::find("LeastAllocated").map(gallery::GalleryRule::row) };
        for entry in given.as_array().into_iter().flatten() {
            let plugin = entry["name"].as_str().unwrap_or_default();
            let at = format!("profiles[0].pluginConfig[{plugin}].args");
            for (name, value) in entry["args"].as_object().into_iter().flatten() {
                let path = format!("{at}.{name}");
                match (plugin, name.as_str()) {
                    (_, "apiVersion" | "kind") => {}
                    ("NodeResourcesFit", "scoringStrategy") => {
                        let is_on = plugins.scores.iter().any(|(name, _)| name == plugin);
                        configured.fit = self.strategy(value, &path, import)?;
                        if !is_on {
                            self.lose(import, &path, value, "the plugin does not score");
                        }
                    }
                    ("NodeResourcesBalancedAllocation", "resources") => self.balanced(value, &path, import),
                    _ => self.lose(import, &path, value, "no rule of ours takes this argument"),
                }
            }
        }
        Ok(configured)
    }

    fn balanced(&self, resources: &Value, path: &str, import: &mut Import) {
        let names: Vec<_> = resources.as_array().into_iter().flatten().filter_map(|it| it["name"].as_str()).collect();
        let has_both = names.contains(&"cpu") && names.contains(&"memory");
        if !has_both || names.len() > 2 {
            self.lose(import, path, resources, "BalancedAllocation balances cores and memory");
        }
    }

    /// The rule for a strategy of NodeResourcesFit; `None` if it weighs neither cores nor memory.
    fn strategy(&self, strategy: &Value, at: &str, import: &mut Import) -> Result<Option<RuleRow>, ImportError> {
        let (mut cores, mut memory) = (0.0, 0.0);
        let given = strategy["resources"].as_array();
        for (index, resource) in given.into_iter().flatten().enumerate() {
            let path = format!("{at}.resources[{index}]");
            let weight = self.weight(resource, &path)?.unwrap_or(1.0);
            match resource["name"].as_str() {
                Some("cpu") => cores = weight,
                Some("memory") => memory = weight,
                _ => self.lose(import, &format!("{at}.resources"), resource, "only cores and memory are scored"),
            }
        }
        if given.is_none_or(Vec::is_empty) {
            (cores, memory) = (1.0, 1.0);
        }
        if cores + memory == 0.0 {
            return Ok(None);
        }
        // Weights of a rule are at most 100, and only their ratio matters.
        let most = f64::max(cores, memory).max(100.0) / 100.0;
        let weights = [("cores_weight", cores / most), ("memory_weight", memory / most)];
        let row = |name: &str| gallery::find(name).map(|rule| lists::with(rule.row(), &weights));
        let word = &strategy["type"];
        match word.as_str() {
            None if word.is_null() => Ok(row("LeastAllocated")),
            Some("LeastAllocated") => Ok(row("LeastAllocated")),
            Some("MostAllocated") => Ok(row("MostAllocated")),
            Some("RequestedToCapacityRatio") => {
                let path = format!("{at}.requestedToCapacityRatio.shape");
                let points = self.shape(&strategy["requestedToCapacityRatio"]["shape"], &path)?;
                Ok(shaped(&points, cores, memory))
            }
            _ => {
                let expected = "LeastAllocated, MostAllocated or RequestedToCapacityRatio";
                Err(self.root.wrong(&format!("{at}.type"), expected, word))
            }
        }
    }

    /// Points of utilization, 0 to 1, and score, 0 to 1, ascending.
    fn shape(&self, shape: &Value, path: &str) -> Result<Vec<(f64, f64)>, ImportError> {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (at, point) in shape.as_array().into_iter().flatten().enumerate() {
            let number = |name: &str, most: i64| {
                let value = &point[name];
                let number = value.as_i64().or(value.is_null().then_some(0)).filter(|it| (0..=most).contains(it));
                let wrong = || {
                    self.root.wrong(&format!("{path}[{at}].{name}"), &format!("a whole number from 0 to {most}"), value)
                };
                number.map(|it| it as f64 / most as f64).ok_or_else(wrong)
            };
            let (utilization, score) = (number("utilization", 100)?, number("score", 10)?);
            if points.last().is_some_and(|(before, _)| *before >= utilization) {
                return Err(self.root.wrong(
                    &format!("{path}[{at}].utilization"),
                    "more than the point before",
                    &point["utilization"],
                ));
            }
            points.push((utilization, score));
        }
        if points.is_empty() || points.len() > POINTS_MAX {
            return Err(self.root.wrong(path, &format!("1 to {POINTS_MAX} points"), shape));
        }
        Ok(points)
    }
}

/// The maximum number of points that fit into an expression.
const POINTS_MAX: usize = 20;

/// The rules that the plugins' arguments configure.
struct Configured {
    fit: Option<RuleRow>,
}

/// A piecewise linear function as an expression.
fn shaped(points: &[(f64, f64)], cores: f64, memory: f64) -> Option<RuleRow> {
    let rule = gallery::find("RequestedToCapacityRatio")?;
    let line = |x: &str| {
        let (first, last) = (points[0], points[points.len() - 1]);
        let piece = |pair: &[(f64, f64)]| {
            let [(from, low), (to, high)] = [pair[0], pair[1]];
            format!("if {x} < {to} then {low} + ({x} - {from}) / ({to} - {from}) * ({high} - {low})\n  else ")
        };
        let pieces: String = points.windows(2).map(piece).collect();
        format!("if {x} <= {} then {}\n  else {pieces}{}", first.0, first.1, last.1)
    };
    let expression = format!(
        "let cores = (machine.cores - machine.cores_free + vm.cores) / machine.cores;\nlet memory = (machine.memory - \
         machine.memory_free + vm.memory) / machine.memory;\nlet cores_score = {};\nlet memory_score = {};\n\
         ({cores} * cores_score + {memory} * memory_score) / ({cores} + {memory})",
        line("cores"),
        line("memory")
    );
    let definition = Definition { expression, parameters: Vec::new(), ..rule.definition() };
    definition.program().is_ok().then(|| RuleRow::of_custom(custom(rule.name, definition)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{File, import};

    fn read(profile: &str) -> Result<Import, ImportError> {
        let text = format!(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n{profile}"
        );
        import(&[File { name: "scheduler.yaml", bytes: text.as_bytes() }])
    }

    fn on(import: &Import) -> Vec<(String, f64, Vec<f64>)> {
        let rows = &import.list.as_ref().expect("a list").rows;
        let on = rows.iter().filter(|row| row.on && row.scores() && row.id != "AvoidEvictions");
        on.map(|row| (row.id.clone(), row.weight.unwrap_or(0.0), row.values.clone())).collect()
    }

    #[test]
    fn the_default_profile_spreads_and_balances() {
        let import = read("- schedulerName: default-scheduler\n").expect("a configuration");
        let expected = [("LeastAllocated".into(), 1.0, vec![1.0, 1.0]), ("BalancedAllocation".into(), 1.0, vec![])];
        assert_eq!(on(&import), expected);
    }

    #[test]
    fn points_switch_plugins_and_arguments_change_them() {
        let profile = "- plugins:
    score: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, weight: 5}, {name: Mine, weight: 2}]}
    multiPoint: {disabled: [{name: DefaultPreemption}]}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 300}, {name: memory, weight: 100}, {name: nvidia.com/gpu}]}}
";
        let import = read(profile).expect("a configuration");
        assert_eq!(on(&import), [("MostAllocated".into(), 5.0, vec![100.0, 100.0 / 3.0])]);
        for path in [
            "profiles[0].plugins.score.Mine",
            "profiles[0].pluginConfig[NodeResourcesFit].args.scoringStrategy.resources",
        ] {
            assert!(import.leftovers.iter().any(|it| it.path == path), "{path}");
        }
        let rows = &import.list.as_ref().expect("a list").rows;
        let required = rows.iter().find(|row| row.id == "AreNodeResourcesValid").expect("the filter");
        assert!(required.on && required.values.iter().all(|value| *value == 0.0), "nothing is evicted");
    }

    #[test]
    fn a_shape_is_an_expression() {
        let profile = "- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 40, score: 2}, {utilization: 100, score: 10}]}}}
";
        let import = read(profile).expect("a configuration");
        assert_eq!(on(&import)[0].0, "RequestedToCapacityRatio");
        let points = profile.replace("utilization: 40", "utilization: 100");
        let error = read(&points).expect_err("not ascending").to_string();
        assert!(error.contains("shape[2].utilization: expected more than the point before, got \"100\""), "{error}");
        let error = read(&profile.replace("type: R", "type: Q")).expect_err("no type").to_string();
        assert!(error.contains("scoringStrategy.type: expected LeastAllocated"), "{error}");
    }
}
