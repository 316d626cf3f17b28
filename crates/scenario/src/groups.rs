//! The groups of settings of a variant. Each is declared next to what it sets and listed once, here. Reading and
//! writing documents, the schema, paths, forms, lists and the reference page all use this table.

use tiebreak_model::{Declaration, Declared};
use tiebreak_placement::{Caches, Lifetimes};
use tiebreak_sim::{
    AdmissionSettings, AffinitySettings, Agents, ClusterYears, Measures, NetworkSettings, PowerSettings, Vdcs,
};

use crate::document::Variant;

/// A group of settings with a field of its own in every variant.
#[derive(Debug)]
pub struct SettingsGroup {
    /// The field's name in documents, and the first word of its paths.
    pub id: &'static str,
    /// The group's declaration.
    pub declaration: Declaration,
    values: fn(&Variant) -> Vec<f64>,
    put: fn(&mut Variant, &[f64]),
}

impl SettingsGroup {
    /// One value per parameter, in declared order.
    #[must_use]
    pub fn values(&self, variant: &Variant) -> Vec<f64> {
        (self.values)(variant)
    }

    /// Sets these values; a missing or disallowed one is the default.
    pub fn put(&self, variant: &mut Variant, values: &[f64]) {
        (self.put)(variant, values);
    }
}

macro_rules! groups {
    ($($field:ident: $settings:ty,)+) => {
        /// Every group, in the order in which documents write them.
        pub static GROUPS: &[SettingsGroup] = &[$(SettingsGroup {
            id: stringify!($field),
            declaration: <$settings>::DECLARATION,
            values: |variant| variant.$field.to_values(),
            put: |variant, values| variant.$field = <$settings>::from_values(values),
        }),+];
    };
}

groups! {
    agents: Agents,
    caches: Caches,
    lifetimes: Lifetimes,
    measures: Measures,
    vdcs: Vdcs,
    network: NetworkSettings,
    admission: AdmissionSettings,
    admission_lab: ClusterYears,
    power: PowerSettings,
    affinity: AffinitySettings,
}

/// The group of this name.
#[must_use]
pub fn find(id: &str) -> Option<&'static SettingsGroup> {
    GROUPS.iter().find(|group| group.id == id)
}

/// The field of a variant that names its predictor. Documents write it before the settings for predictions.
pub(crate) const PREDICTOR: &str = "predictor";

/// The names of all groups, and of the predictor, in the order in which documents write them.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    GROUPS.iter().flat_map(|group| [comes_after_predictor(group).then_some(PREDICTOR), Some(group.id)]).flatten()
}

/// Whether the predictor is written before this group.
pub(crate) fn comes_after_predictor(group: &SettingsGroup) -> bool {
    group.id == "lifetimes"
}
