//! Editing a custom rule's expression: completions of the last word, faults, and names it reads.

use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_placement::custom::{About, Definition, Fault, Function, NAMES, VALUES_MAX};

/// The maximum number of completions.
const OFFERED_MAX: usize = 8;

/// A possible word of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// How it is written.
    pub text: String,
    /// Its unit; empty if it has none.
    pub unit: String,
    /// What it means.
    pub help: String,
}

/// Completions of the word before a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// Where that word starts, in bytes.
    pub from: usize,
    /// The completions, the most likely first.
    pub offers: Vec<Offer>,
}

/// Completions of the word that ends at this byte; empty if there is no word, or a complete one.
#[must_use]
pub fn completion(text: &str, at: usize, definition: &Definition) -> Completion {
    let before = text.get(..at).unwrap_or(text);
    let word = before.rsplit(|letter| !is_of_name(letter)).next().unwrap_or_default();
    let is_comment = before.rsplit('\n').next().is_some_and(|line| line.contains('#'));
    let from = before.len() - word.len();
    if is_comment || !word.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Completion { from, offers: Vec::new() };
    }
    let wanted = word.to_ascii_lowercase();
    let mut offers: Vec<(usize, Offer)> =
        readable(definition).filter_map(|offer| Some((rank(&offer.text, &wanted)?, offer))).collect();
    offers.sort_by_key(|(rank, _)| *rank);
    let mut offers: Vec<Offer> = offers.into_iter().map(|(_, offer)| offer).take(OFFERED_MAX).collect();
    if offers.first().is_some_and(|first| first.text == word) {
        offers.clear();
    }
    Completion { from, offers }
}

/// Whether a character may occur in a name.
fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '.'
}

/// How well a name matches the typed text: at its start, at the start of a part, or anywhere.
fn rank(name: &str, written: &str) -> Option<usize> {
    let name = name.to_ascii_lowercase();
    if name.starts_with(written) {
        Some(0)
    } else if name.split(['.', '_']).any(|part| part.starts_with(written)) {
        Some(1)
    } else {
        name.contains(written).then_some(2)
    }
}

/// All names in expressions of this rule: its parameters, readable names, functions.
pub fn readable(definition: &Definition) -> impl Iterator<Item = Offer> + '_ {
    let parameters = definition.parameters.iter().map(|it| Offer {
        text: it.name.clone(),
        unit: it.unit.clone(),
        help: if it.help.is_empty() { tr("A parameter of this rule.").into() } else { it.help.clone() },
    });
    let names = NAMES.iter().filter(|name| definition.of.reads(name)).map(|name| Offer {
        text: name.id.into(),
        unit: tr(name.unit).into(),
        help: tr(name.help).into(),
    });
    let functions = Function::ALL.iter().map(|function| Offer {
        text: function.text().into(),
        unit: match function.operands() {
            (1, 1) => "(a)".into(),
            (3, 3) => "(a, b, c)".into(),
            _ => "(a, b, …)".into(),
        },
        help: tr(function.help()).into(),
    });
    parameters.chain(names).chain(functions)
}

/// Where an expression is wrong: `Line 2, column 5: expected …, got …; did you mean …?`
#[must_use]
pub fn fault(fault: &Fault) -> String {
    let Fault { at, expected, got, advice } = fault;
    let told =
        say("Line {line}, column {column}: expected {expected}, got {got}", &[&at.line, &at.column, expected, got]);
    if advice.is_empty() { format!("{told}.") } else { format!("{told}; {advice}") }
}

/// The bytes of the faulty word or sign in an expression.
#[must_use]
pub fn faulty_part(text: &str, fault: &Fault) -> std::ops::Range<usize> {
    let from = (fault.at.offset as usize).min(text.len());
    let rest = text.get(from..).unwrap_or_default();
    let word = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
    let sign = rest.chars().next().map_or(0, char::len_utf8);
    from..from + word.max(sign)
}

/// An expression with a name replaced.
#[must_use]
pub fn renamed(text: &str, name: &str, to: &str) -> String {
    let mut rest = text;
    let mut changed = String::with_capacity(text.len());
    while !rest.is_empty() {
        let word = rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len());
        changed.push_str(if &rest[..word] == name { to } else { &rest[..word] });
        let other = rest[word..].find(is_of_name).map_or(rest.len(), |at| word + at);
        changed.push_str(&rest[word..other]);
        rest = &rest[other..];
    }
    changed
}

/// The cost of an expression, and what its verdict depends on: how it is cached.
///
/// # Errors
/// Its fault.
pub fn about(definition: &Definition) -> Result<Vec<String>, Fault> {
    let program = definition.program()?;
    let names = definition.names(&program);
    let (of_vm, of_fleet): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.of == About::Vm);
    let list =
        |names: &[&tiebreak_placement::custom::Name]| names.iter().map(|name| name.id).collect::<Vec<_>>().join(", ");
    let steps = words::counted(program.steps() as f64, mark("step"), mark("steps"));
    let mut told = vec![say("{steps} per evaluation, of at most {}.", &[&steps, &VALUES_MAX])];
    told.push(match of_vm.is_empty() {
        true => tr("Reads nothing of the VM, so all VMs share one cached result.").into(),
        false => say("VMs with the same {} share cached results.", &[&list(&of_vm)]),
    });
    if !of_fleet.is_empty() {
        told.push(say("Evaluated again where {} changes.", &[&list(&of_fleet)]));
    }
    Ok(told)
}

/// The byte offset after this many UTF-16 units of a text, as a page counts them.
#[must_use]
pub fn byte_of(text: &str, units: usize) -> usize {
    let mut left = units;
    let inside = text.char_indices().find(|(_, letter)| {
        let is_over = left == 0;
        left = left.saturating_sub(letter.len_utf16());
        is_over
    });
    inside.map_or(text.len(), |(byte, _)| byte)
}

/// The number of UTF-16 units before a byte.
#[must_use]
pub fn units_of(text: &str, byte: usize) -> usize {
    text.get(..byte).unwrap_or(text).encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_placement::custom::{Bounds, Parameter, Subject};

    fn rule(of: Subject, expression: &str) -> Definition {
        let parameter = Parameter {
            name: "core_weight".into(),
            help: String::new(),
            unit: String::new(),
            default: 1.0,
            min: 0.0,
            max: 2.0,
        };
        let bounds = Some(Bounds { from: 0.0, to: 1.0, higher_is_better: true });
        Definition { help: String::new(), of, parameters: vec![parameter], expression: expression.into(), bounds }
    }

    fn offered(text: &str, of: Subject) -> Vec<String> {
        let completion = completion(text, text.len(), &rule(of, text));
        completion.offers.into_iter().map(|offer| offer.text).collect()
    }

    #[test]
    fn a_word_goes_on_to_what_the_rule_can_read() {
        let offers = offered("vm.cores / machine.cor", Subject::Machine);
        assert_eq!(offers[..2], ["machine.cores", "machine.cores_free"]);
        assert!(offered("machine.", Subject::Rack).is_empty(), "a rule of racks reads no machine");
        assert_eq!(offered("rack.e", Subject::Rack), ["rack.empty"]);
        assert_eq!(offered("1 + core_", Subject::Machine), ["core_weight"], "a part of a name does not hide it");
        assert!(offered("cla", Subject::Machine).contains(&"clamp".to_owned()));
        assert_eq!(offered("longest", Subject::Machine), ["machine.longest_life"]);
    }

    #[test]
    fn nothing_is_offered_without_a_word_or_for_a_whole_one() {
        for text in ["", "1 + ", "12", "vm.cores", "# vm.co"] {
            assert!(offered(text, Subject::Machine).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_fault_names_its_place_and_its_word() {
        let rule = rule(Subject::Machine, "let a = 1;\na + vm.coers");
        let wrong = rule.program().expect_err("no such name");
        assert_eq!(&rule.expression[faulty_part(&rule.expression, &wrong)], "vm.coers");
        let told = fault(&wrong);
        assert!(told.starts_with("Line 2, column 5: expected "), "{told}");
        assert!(told.ends_with("did you mean vm.cores?"), "{told}");
    }

    #[test]
    fn a_name_is_changed_where_it_stands_alone() {
        let renamed = |text| renamed(text, "p1", "base");
        assert_eq!(renamed("p1 + vm.p1 * (p1-p10)"), "base + vm.p1 * (base-p10)");
        assert_eq!((renamed("é p1"), renamed("")), ("é base".into(), String::new()));
    }

    #[test]
    fn what_it_reads_is_how_it_is_cached() {
        let told = about(&rule(Subject::Machine, "machine.cores_free - vm.cores")).expect("it stands");
        assert_eq!(
            told,
            [
                "1 step per evaluation, of at most 256.",
                "VMs with the same vm.cores share cached results.",
                "Evaluated again where machine.cores_free changes."
            ]
        );
        let told = about(&rule(Subject::Machine, "machine.vms")).expect("it stands");
        assert_eq!(told[1], "Reads nothing of the VM, so all VMs share one cached result.");
    }

    #[test]
    fn a_page_counts_in_units_and_rust_in_bytes() {
        let text = "aé😀b";
        for (units, byte) in [(0, 0), (1, 1), (2, 3), (4, 7), (5, 8), (9, 8)] {
            assert_eq!(byte_of(text, units), byte, "{units}");
        }
        for (byte, units) in [(0, 0), (3, 2), (7, 4), (8, 5)] {
            assert_eq!(units_of(text, byte), units, "{byte}");
        }
    }
}
