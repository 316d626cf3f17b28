//! What a person can change about a scenario, and how it changes the document.

use tiebreak_model::{Declared, Param};
use tiebreak_scenario::document::{BUCKETS, CLUSTERS_MAX, VariantSettings, WEIGHT};
use tiebreak_scenario::incident::{AT_HOURS, INCIDENTS_MAX};
use tiebreak_scenario::predictor::PredictorRow;
use tiebreak_scenario::presets;
use tiebreak_scenario::{ClusterRow, ClusterSettings, Document, IncidentRow, TraceSettings, Variant, WorkloadRef};
use tiebreak_sim::{AdmissionSettings, GeneratedWorkload};

use crate::protocol::{Machines, TraceCard};

/// A change to the document.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A rule to a place inside its stage.
    MoveRule {
        /// The rule.
        id: String,
        /// 0 is first.
        to: usize,
    },
    /// A rule on or off.
    UseRule {
        /// The rule.
        id: String,
        /// Whether it takes part.
        on: bool,
    },
    /// A preference's buckets; none compares exactly.
    Buckets {
        /// The rule.
        id: String,
        /// How many.
        buckets: Option<u32>,
    },
    /// What a preference weighs where weights are set by hand.
    Weight {
        /// The rule.
        id: String,
        /// Its weight.
        weight: f64,
    },
    /// A rule's parameter.
    RuleValue {
        /// The rule.
        id: String,
        /// Which parameter.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Seed and best clusters, by place in their declaration.
    Setting {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The agents, by place in their declaration.
    Agents {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The cache layers, by place in their declaration.
    Caches {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Another predictor of lifetimes, with its defaults.
    Predictor {
        /// Which one.
        id: String,
    },
    /// The predictor's parameter.
    PredictorValue {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// What is made of lifetimes, by place in its declaration.
    Lifetimes {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// Virtual datacenters, by place in their declaration.
    Vdcs {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The network between machines, by place in its declaration.
    Network {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// What is believed of deployments, by place in its declaration.
    Admission {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// What a fit found of deployments: settings by name, and their values.
    Fitted(Vec<(String, f64)>),
    /// Power, by place in its declaration.
    Power {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The cluster over years, by place in its declaration.
    AdmissionLab {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The generated workload, by place in its declaration.
    Generated {
        /// Which.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// One cluster, by place in its declaration.
    Cluster {
        /// Which cluster.
        cluster: usize,
        /// Which field.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A cluster for each of these in place of all, with as many machines to a rack as in the first.
    Machines(Vec<Machines>),
    /// One more cluster.
    AddCluster,
    /// One cluster less.
    RemoveCluster {
        /// Which.
        cluster: usize,
    },
    /// One more incident, with its defaults.
    AddIncident {
        /// Which kind.
        id: String,
        /// When.
        at_hours: f64,
    },
    /// An incident to another time.
    MoveIncident {
        /// Which, by place in the list.
        incident: usize,
        /// When.
        at_hours: f64,
    },
    /// An incident's parameter.
    IncidentValue {
        /// Which, by place in the list.
        incident: usize,
        /// Which parameter.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// One incident less.
    RemoveIncident {
        /// Which, by place in the list.
        incident: usize,
    },
    /// The scenario's name.
    Name(String),
    /// A made-up workload instead of a trace.
    UseGenerated,
    /// A loaded trace as the workload.
    UseTrace {
        /// 32 hex digits.
        fingerprint: String,
    },
}

/// The field an edit changes, when edits of it in a row are one step to undo.
pub(super) fn field_of(edit: &Edit) -> Option<String> {
    match edit {
        Edit::Buckets { id, .. } => Some(format!("{id} buckets")),
        Edit::Weight { id, .. } => Some(format!("{id} weight")),
        Edit::RuleValue { id, index, .. } => Some(format!("{id} {index}")),
        Edit::Setting { index, .. } => Some(format!("setting {index}")),
        Edit::Agents { index, .. } => Some(format!("agents {index}")),
        Edit::Caches { index, .. } => Some(format!("caches {index}")),
        Edit::PredictorValue { index, .. } => Some(format!("predictor {index}")),
        Edit::Lifetimes { index, .. } => Some(format!("lifetimes {index}")),
        Edit::Vdcs { index, .. } => Some(format!("vdcs {index}")),
        Edit::Network { index, .. } => Some(format!("network {index}")),
        Edit::Admission { index, .. } => Some(format!("admission {index}")),
        Edit::AdmissionLab { index, .. } => Some(format!("admission lab {index}")),
        Edit::Power { index, .. } => Some(format!("power {index}")),
        Edit::Generated { index, .. } => Some(format!("generated {index}")),
        Edit::Cluster { cluster, index, .. } => Some(format!("cluster {cluster} {index}")),
        Edit::MoveIncident { incident, .. } => Some(format!("incident {incident}")),
        Edit::IncidentValue { incident, index, .. } => Some(format!("incident {incident} {index}")),
        Edit::Name(_) => Some("name".into()),
        _ => None,
    }
}

/// Changes a document; what is not allowed leaves it as it was.
pub(super) fn apply(edit: &Edit, document: &mut Document, active: usize, traces: &[TraceCard]) {
    if let Edit::Name(name) = edit {
        document.name = name.chars().take(tiebreak_scenario::document::NAME_MAX).collect();
        return;
    }
    if is_for_all(edit) {
        document.variants.iter_mut().for_each(|variant| apply_to(edit, variant, traces));
    } else if let Some(variant) = document.variants.get_mut(active) {
        apply_to(edit, variant, traces);
    }
}

/// Whether it changes all variants, so that they stay comparable: who asks for what, and the luck.
fn is_for_all(edit: &Edit) -> bool {
    const SEED: usize = 0;
    match edit {
        Edit::UseTrace { .. } | Edit::UseGenerated | Edit::Generated { .. } => true,
        Edit::Setting { index, .. } => *index == SEED,
        _ => false,
    }
}

fn apply_to(edit: &Edit, variant: &mut Variant, traces: &[TraceCard]) {
    match edit {
        Edit::MoveRule { id, to } => drop(variant.move_rule(id, *to)),
        Edit::UseRule { id, on } => with_rule(variant, id, |row| row.on = *on),
        Edit::Buckets { id, buckets } => {
            let allowed = buckets.is_none_or(|buckets| BUCKETS.allows(f64::from(buckets)));
            with_rule(variant, id, |row| row.buckets = if allowed { *buckets } else { row.buckets });
        }
        Edit::Weight { id, weight } => with_rule(variant, id, |row| {
            if row.scores() && WEIGHT.allows(*weight) {
                row.weight = (*weight != WEIGHT.default).then_some(*weight);
            }
        }),
        Edit::RuleValue { id, index, value } => with_rule(variant, id, |row| {
            let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
            if params.get(*index).is_some_and(|param| param.allows(*value)) {
                row.values[*index] = *value;
            }
        }),
        Edit::Setting { index, value } => {
            let settings: VariantSettings = changed(&variant.settings(), *index, *value);
            variant.apply_settings(settings);
        }
        Edit::Agents { index, value } => variant.agents = changed(&variant.agents, *index, *value),
        Edit::Caches { index, value } => variant.caches = changed(&variant.caches, *index, *value),
        Edit::Predictor { id } => {
            if let Some(row) = PredictorRow::plain(id).filter(|row| row.id != variant.predictor.id) {
                variant.predictor = row;
            }
        }
        Edit::PredictorValue { index, value } => {
            let row = &mut variant.predictor;
            if row.params().get(*index).is_some_and(|param| param.allows(*value)) {
                row.values[*index] = *value;
            }
        }
        Edit::Lifetimes { index, value } => variant.lifetimes = changed(&variant.lifetimes, *index, *value),
        Edit::Vdcs { index, value } => variant.vdcs = changed(&variant.vdcs, *index, *value),
        Edit::Network { index, value } => variant.network = changed(&variant.network, *index, *value),
        Edit::Admission { index, value } => variant.admission = changed(&variant.admission, *index, *value),
        Edit::Fitted(settings) => {
            let params = AdmissionSettings::DECLARATION.params;
            let place = |name: &String| params.iter().position(|param| param.name == name);
            let known = settings.iter().filter_map(|(name, value)| Some((place(name)?, *value)));
            for (index, value) in known {
                variant.admission = changed(&variant.admission, index, value);
            }
        }
        Edit::AdmissionLab { index, value } => {
            variant.admission_lab = changed(&variant.admission_lab, *index, *value);
        }
        Edit::Power { index, value } => variant.power = changed(&variant.power, *index, *value),
        Edit::Generated { index, value } => {
            if let WorkloadRef::Generated(settings) = &mut variant.workload {
                *settings = changed(settings, *index, *value);
            }
        }
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
        Edit::AddIncident { .. }
        | Edit::MoveIncident { .. }
        | Edit::IncidentValue { .. }
        | Edit::RemoveIncident { .. } => apply_to_incidents(edit, &mut variant.incidents),
        Edit::UseGenerated => variant.workload = WorkloadRef::Generated(GeneratedWorkload::default()),
        Edit::UseTrace { fingerprint } => use_trace(variant, fingerprint, traces),
        Edit::Name(_) => {}
    }
}

/// New ones go to the end, so that chance, which knows each by its place, hits with the others whom
/// it hit before.
fn apply_to_incidents(edit: &Edit, rows: &mut Vec<IncidentRow>) {
    match edit {
        Edit::AddIncident { id, at_hours } => {
            let row = IncidentRow::plain(id, *at_hours).filter(|_| AT_HOURS.allows(*at_hours));
            rows.extend(row.filter(|_| rows.len() < INCIDENTS_MAX));
        }
        Edit::MoveIncident { incident, at_hours } => {
            if let Some(row) = rows.get_mut(*incident).filter(|_| AT_HOURS.allows(*at_hours)) {
                row.at_hours = *at_hours;
            }
        }
        Edit::IncidentValue { incident, index, value } => {
            let allows = |row: &&mut IncidentRow| row.params().get(*index).is_some_and(|param| param.allows(*value));
            if let Some(row) = rows.get_mut(*incident).filter(allows) {
                row.values[*index] = *value;
            }
        }
        Edit::RemoveIncident { incident } if *incident < rows.len() => drop(rows.remove(*incident)),
        _ => {}
    }
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
        // What nobody chose goes with the trace.
        if presets::are_given(&variant.agents) {
            variant.agents = presets::agents_for(fingerprint);
        }
        if variant.measures.measured_from_hours == before.map_or(0.0, late) {
            variant.measures.measured_from_hours = late(card);
        }
        variant.workload = WorkloadRef::Trace { fingerprint, name: card.name.clone(), settings };
    }
}

fn with_rule(variant: &mut Variant, id: &str, change: impl FnOnce(&mut tiebreak_scenario::RuleRow)) {
    if let Some(row) = variant.rules.iter_mut().find(|row| row.id == id) {
        change(row);
    }
}

/// A declared thing with one value replaced; as it was when the value is not allowed.
fn changed<T: Declared>(thing: &T, index: usize, value: f64) -> T {
    let params: &[Param] = T::DECLARATION.params;
    let mut values = thing.to_values();
    if params.get(index).is_some_and(|param| param.allows(value)) {
        values[index] = value;
    }
    T::from_values(&values)
}
