//! From what a program in another language gives to a run: a scenario as text, fields to set, perhaps a trace.

use std::sync::Arc;

use tiebreak_model::Workload;
use tiebreak_scenario::{Document, Issue, PRESETS, Variant, decode, presets};
use tiebreak_sim::Plan;

use crate::fields::set_all;
use crate::{Failure, own, traces};

/// A variant and its requests.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The settings of the run.
    pub variant: Variant,
    /// What it replays.
    pub workload: Arc<Workload>,
}

/// The document of a preset's name, a link, or JSON. It must have no issues, so that the run is what the text says.
///
/// # Errors
/// With each problem and its field, one line each.
pub fn document(text: &str) -> Result<Document, Failure> {
    let text = text.trim();
    if let Some(preset) = presets::find(text) {
        return Ok((preset.make)());
    }
    let (document, issues) = match text.split_once('#') {
        _ if text.starts_with(['{', '[', '\u{feff}']) => Document::read(text).map(|it| (it.document, it.issues))?,
        Some((_, link)) => decode(link).map(|it| (it.document, it.issues))?,
        None if is_link(text) => decode(text).map(|it| (it.document, it.issues))?,
        None => {
            let names: Vec<_> = PRESETS.iter().map(|preset| preset.id).collect();
            let got: String = text.chars().take(60).collect();
            let expected = format!("expected a preset ({}), a link or a document as JSON", names.join(", "));
            return Err(Failure(format!("scenario: {expected}, got \"{got}\"; choose a preset of this list")));
        }
    };
    if issues.is_empty() { Ok(document) } else { Err(Failure(issues.iter().map(told).collect::<Vec<_>>().join("\n"))) }
}

/// Whether a text begins as the part of a link after `#`: `3.d.`.
fn is_link(text: &str) -> bool {
    let mut parts = text.splitn(3, '.');
    parts.next().is_some_and(|version| version.parse::<u32>().is_ok())
        && parts.next().is_some_and(|codec| codec.len() == 1)
}

/// An issue of a text that must not have any.
fn told(Issue { path, expected, got, .. }: &Issue) -> String {
    format!("{path}: expected {expected}, got {got}; correct it")
}

/// The variant of this name, or the active one.
///
/// # Errors
/// If there is no variant of this name.
pub fn chosen<'a>(document: &'a Document, name: Option<&str>) -> Result<&'a Variant, Failure> {
    let Some(name) = name else { return Ok(document.active_variant()) };
    document.variants.iter().find(|variant| variant.name == name).ok_or_else(|| {
        let names: Vec<_> = document.variants.iter().map(|variant| variant.name.as_str()).collect();
        Failure(format!("expected a variant ({}), got \"{name}\"; choose one of these", names.join(", ")))
    })
}

impl Ready {
    /// A variant with these fields set, and its requests or those of `trace`. Without a variant, `trace` runs on the
    /// machines and the policy of the first preset, not slowed down by agents made for another load.
    ///
    /// # Errors
    /// With the field that cannot be set so, or with the trace that is missing.
    pub fn of(
        variant: Option<&Variant>,
        fields: &[(&str, &str)],
        trace: Option<&Arc<Workload>>,
    ) -> Result<Self, Failure> {
        let first = || (PRESETS[0].make)().active_variant().clone();
        let (mut variant, own) = match (variant, trace) {
            (Some(variant), _) => (variant.clone(), None),
            (None, Some(trace)) => (own::unslowed(first(), trace), Some(trace)),
            (None, None) => (first(), None),
        };
        set_all(&mut variant, fields)?;
        if let Some(trace) = own {
            own::measure_late(&mut variant, trace);
        }
        let workload = traces::workload(&variant, trace)?;
        Ok(Self { variant, workload })
    }

    /// The plan of the run.
    ///
    /// # Errors
    /// If the variant's rules and settings do not make one.
    pub fn plan(&self) -> Result<Plan, Failure> {
        Ok(self.variant.plan(self.workload.clone())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_is_a_preset_a_link_or_json() {
        let preset = document(PRESETS[0].id).expect("a preset");
        let link = tiebreak_scenario::encode(&preset, None);
        for text in [preset.to_json(), link.clone(), format!("https://example.org/tiebreak/#{link}")] {
            assert_eq!(document(&text).expect("the same scenario"), preset, "{text}");
        }
        for (text, part) in [
            ("nonesuch", "expected a preset ("),
            ("{", "JSON"),
            (r#"{"variants": [{"agents": {"count": 0}}]}"#, "agents.count"),
            ("#", "link"),
        ] {
            let Err(Failure(told)) = document(text) else { panic!("{text} was read") };
            assert!(told.contains(part), "{text}: {told}");
        }
    }
}
