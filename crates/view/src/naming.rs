//! Display names: the titles of rules, whose names in code are for files, links and the native program, and the names of
//! scenarios.

use tiebreak_i18n::{tell, tr};
use tiebreak_model::{Phrase, phrase};
use tiebreak_placement::rules;
use tiebreak_scenario::presets;

/// The display name of a rule, or of a step that is not a rule; a custom rule has its own name.
#[must_use]
pub fn title(rule: &str) -> &str {
    tr(rules::find(rule).map_or(rule, |known| known.declaration.title))
}

/// The display name of a scenario: a preset's is translated, and the user's own stays as it is.
#[must_use]
pub fn scenario(name: &str) -> &str {
    presets::titled(name).map_or(name, |preset| tr(preset.title))
}

/// The engine's text, with quoted titles instead of the names of rules.
#[must_use]
pub fn told(phrase: &Phrase) -> String {
    let quoted = |title| phrase!("\"{rule}\"", Phrase::text(title));
    tell(&phrase.renamed(&|text| rules::find(text).map(|known| quoted(known.declaration.title))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_scenario::PRESETS;

    /// A document made from a preset has the preset's title as its name, by which it is recognized.
    #[test]
    fn presets_are_named_in_the_language_of_the_page_and_other_scenarios_as_the_user_named_them() {
        let titles: serde_json::Map<_, _> =
            PRESETS.iter().map(|preset| (preset.title.into(), format!("«{}»", preset.title).into())).collect();
        assert!(tiebreak_i18n::load("xx", &serde_json::Value::from(titles).to_string()));
        for preset in PRESETS {
            assert_eq!(scenario(&(preset.make)().name), format!("«{}»", preset.title));
        }
        assert_eq!(scenario("My zone"), "My zone");
        assert!(tiebreak_i18n::speak(tiebreak_i18n::ENGLISH));
    }

    #[test]
    fn rules_have_their_titles_wherever_they_stand_in_a_sentence() {
        let (rule, other) = ("BestFit", Phrase::text("PreferNonEmptyMachines"));
        let inner = phrase!("{rule} refuses it", rule);
        let said = phrase!("Machine {}; {} ranked it; {}; {}.", 3, other, inner, "BestFitness");
        let titles = [title("BestFit"), title("PreferNonEmptyMachines")];
        assert_ne!(titles, ["BestFit", "PreferNonEmptyMachines"]);
        let expected = format!("Machine 3; \"{}\" ranked it; \"{}\" refuses it; BestFitness.", titles[1], titles[0]);
        assert_eq!(told(&said), expected);
        assert_eq!((title("MyRule"), told(&Phrase::text("MyRule"))), ("MyRule", "MyRule".into()));
    }
}
