//! Lists of rules as other schedulers have them: what filters, and what scores with which weight.

use tiebreak_placement::Combining;

use crate::document::{CLUSTERS_MAX, REQUIRED_RULE, RuleRow, Variant, default_list};
use crate::gallery;

/// Clusters that the machine stage looks at: all that it can, because other schedulers have no such stage.
const BEST_CLUSTERS: u32 = 64;
const _: () = assert!(BEST_CLUSTERS as usize <= CLUSTERS_MAX);

/// What an eviction weighs beside scores that are added up: more than all others together.
const EVICTING: f64 = 1e12;

/// A list of rules, and how the weights of its preferences make one order.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleList {
    /// Every row, those that are off as well.
    pub rows: Vec<RuleRow>,
    /// How weights are combined; none where rules stand in strict order.
    pub combining: Option<Combining>,
}

impl RuleList {
    /// Built-in rules of these names that filter, beside the one that always does, and these preferences.
    #[must_use]
    pub fn new(filters: &[&str], preferences: impl IntoIterator<Item = RuleRow>, combining: Option<Combining>) -> Self {
        let mut rows = default_list();
        rows.iter_mut().for_each(|row| row.on = row.id == REQUIRED_RULE || filters.contains(&row.id.as_str()));
        preferences.into_iter().for_each(|row| put(row, &mut rows));
        Self { rows, combining }
    }

    /// The same where VMs may put out those of low priority, but only where nothing else helps.
    #[must_use]
    pub fn evicting(mut self) -> Self {
        let avoiding = preference("AvoidEvictions", EVICTING, Some(1));
        avoiding.into_iter().for_each(|row| put(row, &mut self.rows));
        let required = self.rows.iter_mut().find(|row| row.id == REQUIRED_RULE);
        if let Some(row) = required {
            *row = with(row.clone(), &[("evict", 1.0)]);
        }
        self
    }

    /// Puts it in place of a variant's.
    pub fn apply(&self, variant: &mut Variant) {
        variant.rules.clone_from(&self.rows);
        variant.hand_weights = self.combining.is_some();
        variant.combining = self.combining.unwrap_or_default();
        variant.best_clusters = BEST_CLUSTERS;
    }
}

/// Puts a row in place of the one of its name, with nothing of that, or at the end of its stage.
fn put(row: RuleRow, rows: &mut Vec<RuleRow>) {
    match rows.iter_mut().find(|other| other.id == row.id && other.group() == row.group()) {
        Some(other) => *other = row,
        None => row.put_into(rows),
    }
}

/// A preference of the gallery or a built-in one, switched on; none where there is none of this name.
#[must_use]
pub fn preference(name: &str, weight: f64, buckets: Option<u32>) -> Option<RuleRow> {
    let row = gallery::find(name).map(gallery::GalleryRule::row);
    let row = row.or_else(|| default_list().into_iter().find(|row| row.id == name))?;
    Some(RuleRow { on: true, weight: Some(weight), buckets, ..row })
}

/// The row with these values of its parameters, where they are allowed.
#[must_use]
pub fn with(mut row: RuleRow, values: &[(&str, f64)]) -> RuleRow {
    let params = row.entry().map_or(&[][..], |entry| entry.declaration.params);
    for (name, value) in values {
        if let Some(at) = params.iter().position(|param| param.name == *name && param.allows(*value)) {
            row.values[at] = *value;
        }
    }
    row
}
