//! Names of generated workloads.

use tiebreak_fitting::{Preset, Scale};
use tiebreak_model::random::Seed;

/// A workload generated from a preset, as encoded in its name, so that the name is enough to generate it again.
pub(super) struct Recipe {
    pub(super) preset: &'static Preset,
    pub(super) scale: Scale,
}

impl Recipe {
    /// `azure-2020 x2, 14 days, seed 3`.
    pub(super) fn read(name: &str) -> Option<Self> {
        let mut parts = name.split(", ");
        let (preset, rate) = parts.next()?.split_once(" x")?;
        let days = parts.next()?.strip_suffix(" days")?;
        let seed = parts.next()?.strip_prefix("seed ")?;
        let scale = Scale { rate: rate.parse().ok()?, days: days.parse().ok()?, seed: Seed(seed.parse().ok()?) };
        Some(Self { preset: Preset::find(preset)?, scale })
    }
}

/// The name of a generated workload: from a preset, or from a trace.
pub(super) fn name_of(like: Result<&Preset, &str>, Scale { rate, days, seed }: &Scale) -> String {
    let like = like.map_or_else(|trace| format!("like {trace}"), |preset| preset.name.to_owned());
    format!("{like} x{rate}, {days} days, seed {}", seed.0)
}
