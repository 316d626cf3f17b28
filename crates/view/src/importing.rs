//! The report on an imported cluster or configuration: the result, and every field without a counterpart.

use tiebreak_engine::protocol::{Imported, WithoutTwin};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};

/// How many fields have no counterpart, in one sentence.
#[must_use]
pub fn heading(imported: &Imported) -> String {
    match imported.without_twin.len() {
        0 => tr("Every field that matters has a counterpart here.").to_owned(),
        1 => tr("1 field has no counterpart here:").to_owned(),
        many => say("{} fields have no counterpart here:", &[&many]),
    }
}

/// A field as a row: its path, count, value, and the reason.
#[must_use]
pub fn row(it: &WithoutTwin) -> [String; 4] {
    [it.path.clone(), words::count(it.count as f64), it.value.clone(), it.why.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_counted_as_people_say_it() {
        let field = WithoutTwin { path: "a[].b".into(), count: 1_200, value: "x".into(), why: "no twin".into() };
        let of = |count| Imported { without_twin: vec![field.clone(); count], ..Imported::default() };
        assert_eq!(heading(&of(0)), "Every field that matters has a counterpart here.");
        assert_eq!(heading(&of(1)), "1 field has no counterpart here:");
        assert_eq!(heading(&of(2)), "2 fields have no counterpart here:");
        assert_eq!(row(&field), ["a[].b", "1,200", "x", "no twin"]);
    }
}
