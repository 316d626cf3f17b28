//! Lists of rules by name: that of a preset, or of a scenario's file.

use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;
use tiebreak_console::scenario;
use tiebreak_scenario::predictor::PredictorRow;
use tiebreak_scenario::{Variant, gallery, presets};

/// A list of rules with what belongs to it: how weights are combined, how many clusters are searched, and who predicts
/// lifetimes.
pub(crate) struct NamedList {
    pub(crate) name: String,
    from: Variant,
}

impl NamedList {
    /// The list of a preset's or a file's active variant.
    pub(crate) fn of(name: &str) -> Result<Self, Failure> {
        let document = if presets::find(name).is_none() && std::path::Path::new(name).exists() {
            scenario::whole(name)?
        } else {
            scenario::preset(name)?
        };
        Ok(Self { name: name.to_owned(), from: document.active_variant().clone() })
    }

    /// A variant with this list.
    pub(crate) fn on(&self, variant: &Variant) -> Variant {
        variant.with_list_of(&self.from)
    }

    /// The same with a rule of the gallery instead of another preference.
    pub(crate) fn instead_of(mut self, other: &str, rule: &str) -> Result<Self, Failure> {
        let row = gallery::find(rule).map(gallery::GalleryRule::row);
        let row = row.ok_or_else(|| Failure(format!("expected a rule of the gallery, got \"{rule}\"")))?;
        scenario::set_all(&mut self.from, &[&format!("rules.{other}.on=false")])?;
        row.put_into(&mut self.from.rules);
        Ok(self)
    }

    /// The same with another predictor of lifetimes.
    pub(crate) fn predicted_by(mut self, predictor: PredictorRow) -> Self {
        self.from.predictor = predictor;
        self
    }

    /// The same with the rules of `--rule` and the fields of `--set`.
    pub(crate) fn with_given(mut self, given: &Given) -> Result<Self, Failure> {
        scenario::use_given(&mut self.from, given)?;
        Ok(self)
    }
}
