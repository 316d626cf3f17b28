//! The edits of a scenario, and their effect on the document.

use tiebreak_model::{Declared, Param};
use tiebreak_scenario::document::CLUSTERS_MAX;
use tiebreak_scenario::incident::{AT_HOURS, INCIDENTS_MAX};
use tiebreak_scenario::presets;
use tiebreak_scenario::{
    ClusterRow, ClusterSettings, Document, IncidentRow, RuleRow, TraceSettings, Variant, WorkloadRef,
};
use tiebreak_sim::GeneratedWorkload;

use tiebreak_engine::protocol::{Machines, TraceCard};

/// A change to the document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Move a rule to an index inside its stage.
    MoveRule {
        /// The rule.
        id: String,
        /// 0 is first.
        to: usize,
    },
    /// Replace a custom rule, or add one.
    PutRule {
        /// Its previous name; the own name of a new one.
        id: String,
        /// The rule, with its values.
        row: Box<RuleRow>,
    },
    /// Replace a built-in rule, which is switched off, by an equivalent custom rule.
    CopyRule {
        /// The built-in one.
        id: String,
        /// The name of the copy.
        name: String,
    },
    /// Remove a custom rule.
    RemoveRule {
        /// The rule.
        id: String,
    },
    /// Set a value of the active variant, as [`Variant::set`] accepts it: `rules.BestFit.buckets`, `agents.count`.
    Set {
        /// The path.
        path: String,
        /// A number or a word.
        value: String,
    },
    /// Set several such values together.
    SetAll(Vec<(String, String)>),
    /// Change one cluster, by index in its declaration; racks and chassis are reduced if there would be too many.
    Cluster {
        /// Which cluster.
        cluster: usize,
        /// Which field.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Replace all clusters by one for each of these, with as many machines per rack as in the first.
    Machines(Vec<Machines>),
    /// Add a cluster.
    AddCluster,
    /// Remove a cluster.
    RemoveCluster {
        /// Its index.
        cluster: usize,
    },
    /// Add an incident with default values.
    AddIncident {
        /// Its kind.
        id: String,
        /// Its time.
        at_hours: f64,
    },
    /// Remove an incident.
    RemoveIncident {
        /// Its index in the list.
        incident: usize,
    },
    /// Rename the scenario.
    Name(String),
    /// Apply an imported file to the active variant; its VMs, if any, become the workload of all variants.
    Import {
        /// The new variant.
        variant: Box<Variant>,
        /// 32 hex digits.
        fingerprint: Option<String>,
    },
    /// Use a generated workload instead of a trace.
    UseGenerated,
    /// Use a loaded trace as the workload.
    UseTrace {
        /// 32 hex digits.
        fingerprint: String,
    },
}

impl Edit {
    /// Sets the value at a path.
    #[must_use]
    pub fn set(path: impl Into<String>, value: impl ToString + Copy) -> Self {
        Self::Set { path: path.into(), value: value.to_string() }
    }

    /// Sets the value of a parameter, whose path is `of` followed by its name, for example `agents.`.
    #[must_use]
    pub fn param(of: &str, param: &Param, value: f64) -> Self {
        let path = format!("{of}{}", param.name);
        param.word(value).map_or_else(|| Self::set(path.clone(), value), |word| Self::set(path.clone(), word))
    }

    /// Switches a rule on or off.
    #[must_use]
    pub fn use_rule(id: &str, on: bool) -> Self {
        Self::set(format!("rules.{id}.on"), on)
    }
}

/// The field that an edit changes, if consecutive edits of it are one step to undo. Switches and choices are separate
/// steps.
pub(super) fn field_of(edit: &Edit) -> Option<String> {
    match edit {
        Edit::Set { path, .. } if path.ends_with(".on") || path == "predictor" => None,
        Edit::Set { path, .. } => Some(path.clone()),
        Edit::Cluster { cluster, index, .. } => Some(format!("cluster {cluster} {index}")),
        Edit::Name(_) => Some("name".into()),
        _ => None,
    }
}

/// The rules that it changes.
pub(super) fn rules_of(edit: &Edit) -> impl Iterator<Item = &str> {
    fn of_path(path: &str) -> Option<&str> {
        path.strip_prefix("rules.")?.split('.').next()
    }
    let (moved, set, several) = match edit {
        Edit::MoveRule { id, .. } | Edit::PutRule { id, .. } => (Some(id.as_str()), None, &[][..]),
        Edit::Set { path, .. } => (None, of_path(path), &[][..]),
        Edit::SetAll(values) => (None, None, &values[..]),
        _ => (None, None, &[][..]),
    };
    moved.into_iter().chain(set).chain(several.iter().filter_map(|(path, _)| of_path(path)))
}

/// Changes a document; a disallowed edit leaves it unchanged.
pub(super) fn apply(edit: &Edit, document: &mut Document, active: usize, traces: &[TraceCard]) {
    if let Edit::Name(name) = edit {
        document.name = name.chars().take(tiebreak_scenario::document::NAME_MAX).collect();
        return;
    }
    if let Edit::Import { variant, fingerprint } = edit {
        document.variants.get_mut(active).into_iter().for_each(|it| it.clone_from(variant));
        if let Some(fingerprint) = fingerprint {
            document.variants.iter_mut().for_each(|variant| use_trace(variant, fingerprint, traces));
        }
    } else if is_for_all(edit) {
        document.variants.iter_mut().for_each(|variant| apply_to(edit, variant, traces));
    } else if let Some(variant) = document.variants.get_mut(active) {
        apply_to(edit, variant, traces);
    }
}

/// Whether it changes all variants, so that they stay comparable: the workload and the seed.
fn is_for_all(edit: &Edit) -> bool {
    match edit {
        Edit::UseTrace { .. } | Edit::UseGenerated => true,
        Edit::Set { path, .. } => path == "seed" || path.starts_with("workload."),
        _ => false,
    }
}

fn apply_to(edit: &Edit, variant: &mut Variant, traces: &[TraceCard]) {
    match edit {
        Edit::MoveRule { id, to } => drop(variant.move_rule(id, *to)),
        Edit::PutRule { id, row } => drop(variant.put_custom(id, row)),
        Edit::CopyRule { id, name } => drop(variant.copy_as_custom(id, name)),
        Edit::RemoveRule { id } => variant.remove_custom(id),
        Edit::Set { path, value } => set(variant, path, value),
        Edit::SetAll(values) => values.iter().for_each(|(path, value)| set(variant, path, value)),
        Edit::Cluster { cluster, index, value } => {
            if let Some(row) = variant.clusters.get_mut(*cluster) {
                let mut settings: ClusterSettings = changed(&row.settings, *index, *value);
                settings.racks = settings.racks.min(settings.machines);
                settings.chassis = settings.chassis.min(settings.machines / settings.racks.max(1));
                row.settings = settings;
            }
        }
        Edit::Machines(machines) => {
            variant.replace_machines(machines.iter().map(|kind| (kind.machines, kind.cores, kind.memory_gib)));
        }
        Edit::AddCluster => {
            if variant.clusters.len() < CLUSTERS_MAX {
                let settings = variant.clusters.last().map_or_else(ClusterSettings::default, |row| row.settings);
                let number = variant.clusters.len();
                variant.clusters.push(ClusterRow { settings, ..ClusterRow::numbered(number) });
            }
        }
        Edit::RemoveCluster { cluster } => {
            if variant.clusters.len() > 1 && *cluster < variant.clusters.len() {
                variant.clusters.remove(*cluster);
            }
        }
        Edit::AddIncident { id, at_hours } => add_incident(&mut variant.incidents, id, *at_hours),
        Edit::RemoveIncident { incident } => {
            if *incident < variant.incidents.len() {
                variant.incidents.remove(*incident);
            }
        }
        Edit::UseGenerated => variant.workload = WorkloadRef::Generated(GeneratedWorkload::default()),
        Edit::UseTrace { fingerprint } => use_trace(variant, fingerprint, traces),
        Edit::Name(_) | Edit::Import { .. } => {}
    }
}

/// A disallowed value leaves the variant unchanged.
fn set(variant: &mut Variant, path: &str, value: &str) {
    let is_chosen_again = path == "predictor" && variant.predictor.id == value;
    if !is_chosen_again {
        drop(variant.set(path, value));
    }
}

/// New ones go to the end, because random draws depend on an incident's index: the others keep theirs.
fn add_incident(rows: &mut Vec<IncidentRow>, id: &str, at_hours: f64) {
    let row = IncidentRow::plain(id, at_hours).filter(|_| AT_HOURS.allows(at_hours));
    rows.extend(row.filter(|_| rows.len() < INCIDENTS_MAX));
}

fn use_trace(variant: &mut Variant, fingerprint: &str, traces: &[TraceCard]) {
    let card = traces.iter().find(|card| card.fingerprint == fingerprint);
    if let (Some(card), Ok(fingerprint)) = (card, u128::from_str_radix(fingerprint, 16)) {
        let settings = TraceSettings::from_values(&card.sample);
        let late = |card: &TraceCard| card.begins_late_at_hours.unwrap_or_default();
        let before = match &variant.workload {
            WorkloadRef::Trace { fingerprint, .. } => Some(format!("{fingerprint:032x}")),
            WorkloadRef::Generated(_) => None,
        };
        let before = traces.iter().find(|card| Some(&card.fingerprint) == before.as_ref());
        presets::fit_to_trace(variant, fingerprint);
        if variant.measures.measured_from_hours == before.map_or(0.0, late) {
            variant.measures.measured_from_hours = late(card);
        }
        variant.workload = WorkloadRef::Trace { fingerprint, name: card.name.clone(), settings };
    }
}

/// A declared value with one parameter replaced; unchanged if the value is not allowed.
fn changed<T: Declared>(thing: &T, index: usize, value: f64) -> T {
    let params: &[Param] = T::DECLARATION.params;
    let mut values = thing.to_values();
    if params.get(index).is_some_and(|param| param.allows(value)) {
        values[index] = value;
    }
    T::from_values(&values)
}
