//! What workloads that were drawn are called.

use tiebreak_fitting::{Preset, Scale};
use tiebreak_model::random::Seed;

/// What is drawn of a preset, as its name says it, so that whoever has the name can draw the same again.
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

/// What a drawn workload is called: after a preset, or after a trace.
pub(super) fn name_of(like: Result<&Preset, &str>, Scale { rate, days, seed }: &Scale) -> String {
    let like = like.map_or_else(|trace| format!("like {trace}"), |preset| preset.name.to_owned());
    format!("{like} x{rate}, {days} days, seed {}", seed.0)
}
