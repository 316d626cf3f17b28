//! Rule lists of other schedulers: filters, and scores with weights.

use tiebreak_placement::Combining;

use crate::document::{CLUSTERS_MAX, REQUIRED_RULE, RuleRow, Variant, default_list};
use crate::gallery;

/// The number of clusters that the machine stage searches: the maximum, because other schedulers have no such stage.
const BEST_CLUSTERS: u32 = 64;
const _: () = assert!(BEST_CLUSTERS as usize <= CLUSTERS_MAX);

/// The weight of an eviction next to summed scores: more than all others together.
const EVICTING: f64 = 1e12;

/// A rule list, and how the weights of its preferences are combined.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleList {
    /// Every row, including those that are off.
    pub rows: Vec<RuleRow>,
    /// How weights are combined; `None` for strict order.
    pub combining: Option<Combining>,
}

impl RuleList {
    /// Built-in rules of these names as filters, in addition to the required one, and these preferences.
    #[must_use]
    pub fn new(filters: &[&str], preferences: impl IntoIterator<Item = RuleRow>, combining: Option<Combining>) -> Self {
        let mut rows = default_list();
        rows.iter_mut().for_each(|row| row.on = row.id == REQUIRED_RULE || filters.contains(&row.id.as_str()));
        preferences.into_iter().for_each(|row| put(row, &mut rows));
        Self { rows, combining }
    }

    /// The same, with evictions of low-priority VMs as a last resort.
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

    /// Replaces a variant's list.
    pub fn apply(&self, variant: &mut Variant) {
        variant.rules.clone_from(&self.rows);
        variant.hand_weights = self.combining.is_some();
        variant.combining = self.combining.unwrap_or_default();
        variant.best_clusters = BEST_CLUSTERS;
    }
}

/// Replaces the row of the same name completely, or adds the row at the end of its stage.
fn put(row: RuleRow, rows: &mut Vec<RuleRow>) {
    match rows.iter_mut().find(|other| other.id == row.id && other.group() == row.group()) {
        Some(other) => *other = row,
        None => row.put_into(rows),
    }
}

/// A preference of the gallery or a built-in one, switched on; `None` if none has this name.
#[must_use]
pub fn preference(name: &str, weight: f64, buckets: Option<u32>) -> Option<RuleRow> {
    let row = gallery::find(name).map(gallery::GalleryRule::row);
    let row = row.or_else(|| default_list().into_iter().find(|row| row.id == name))?;
    Some(RuleRow { on: true, weight: Some(weight), buckets, ..row })
}

/// The row with these parameter values, if they are allowed.
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
