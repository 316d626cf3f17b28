//! Display names of rules: their titles, on the page; the names in code are for files, links and the native program.

use tiebreak_i18n::{tell, tr};
use tiebreak_model::{Phrase, phrase};
use tiebreak_placement::rules;

/// The display name of a rule, or of a step that is not a rule; a custom rule has its own name.
#[must_use]
pub fn title(rule: &str) -> &str {
    tr(rules::find(rule).map_or(rule, |known| known.declaration.title))
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
