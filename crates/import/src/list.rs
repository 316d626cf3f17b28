//! The list of rules that a configuration becomes.

use tiebreak_scenario::document::{CLUSTERS_MAX, default_list};
use tiebreak_scenario::{RuleRow, Variant, gallery};

/// Clusters that the machine stage looks at: all that it can, because schedulers of clouds have no such stage.
const BEST_CLUSTERS: u32 = 64;
const _: () = assert!(BEST_CLUSTERS as usize <= CLUSTERS_MAX);

/// The rule of the gallery that limits how many VMs a machine has.
pub(crate) const VMS_PER_MACHINE: &str = "MaxVmsPerMachine";

/// A list of rules whose preferences are added up by weights.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleList {
    /// Every row, those that are off as well.
    pub rows: Vec<RuleRow>,
    /// Whether each preference is normalised over the candidates before it is weighed, as Nova does.
    pub is_normalised: bool,
}

impl RuleList {
    /// Puts it in place of a variant's.
    pub(crate) fn apply(&self, variant: &mut Variant) {
        variant.rules.clone_from(&self.rows);
        variant.hand_weights = true;
        variant.best_clusters = BEST_CLUSTERS;
    }

    /// Built-in rules of these names that filter, and preferences with their weights.
    pub(crate) fn new(filters: &[&str], preferences: impl IntoIterator<Item = RuleRow>, is_normalised: bool) -> Self {
        let mut rows = default_list();
        for row in &mut rows {
            let must_be = row.id == tiebreak_scenario::document::REQUIRED_RULE;
            row.on = must_be || filters.contains(&row.id.as_str());
        }
        preferences.into_iter().for_each(|row| row.put_into(&mut rows));
        Self { rows, is_normalised }
    }
}

/// A preference of the gallery or a built-in one, switched on, with its weight; none where there is none of this name.
pub(crate) fn preference(name: &str, weight: f64, buckets: Option<u32>) -> Option<RuleRow> {
    let row = gallery::find(name).map(gallery::GalleryRule::row);
    let row = row.or_else(|| default_list().into_iter().find(|row| row.id == name))?;
    Some(RuleRow { on: true, weight: Some(weight), buckets, ..row })
}

/// The row with these values of its parameters.
pub(crate) fn with(mut row: RuleRow, values: &[(&str, f64)]) -> RuleRow {
    let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
    for (name, value) in values {
        if let Some(at) = params.iter().position(|param| param.name == *name && param.allows(*value)) {
            row.values[at] = *value;
        }
    }
    row
}
