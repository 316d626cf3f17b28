//! Numbers and resources as phrases, which the page shows in its language.

use tiebreak_model::phrase::{Value, mark};
use tiebreak_model::{Phrase, Readiness, Resource, Resources, phrase};

/// `13,521`; a negative one with a minus sign.
#[must_use]
pub fn count(number: f64) -> Value {
    let grouped = tiebreak_model::phrase::count(number.abs().round_ties_even() as u64);
    if number < -0.5 { Value::Number(format!("\u{2212}{grouped}")) } else { grouped }
}

/// `1 VM`, `2 VMs`.
#[must_use]
pub fn counted(number: f64, one: &'static str, many: &'static str) -> Phrase {
    phrase!("{} {}", count(number), Phrase::text(if (number - 1.0).abs() < 0.5 { one } else { many }))
}

/// A number with exactly this many decimals.
#[must_use]
pub fn fixed(number: f64, decimals: usize) -> Value {
    Value::Number(format!("{number:.decimals$}"))
}

/// A number with at most `decimals` decimals and no trailing zeros.
#[must_use]
pub fn trimmed(number: f64, decimals: usize) -> Value {
    let text = format!("{number:.decimals$}");
    Value::Number(match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    })
}

/// `4 cores, 16 GiB`; omits resources that are zero.
#[must_use]
pub fn resources(amount: Resources) -> Phrase {
    let part = |resource: Resource| {
        let (unit, scale) = resource.unit();
        let value = trimmed(f64::from(amount[resource]) / scale, 2);
        match resource {
            Resource::Cores if value == Value::Number("1".into()) => phrase!("1 core"),
            Resource::Ssd => phrase!("{value} {unit} SSD", value, unit),
            _ => phrase!("{value} {unit}", value, Phrase::text(unit)),
        }
    };
    let always = [Resource::Cores, Resource::Memory];
    let shown = Resource::ALL.into_iter().filter(|resource| amount[*resource] > 0 || always.contains(resource));
    Phrase::joined(shown.map(part), "{}, {}")
}

/// `, failed` or `, takes no new VMs` after the name of a machine; empty for a ready one.
#[must_use]
pub const fn readiness(readiness: Readiness) -> &'static str {
    match readiness {
        Readiness::Ready => "",
        Readiness::Unready => mark(", takes no new VMs"),
        Readiness::Failed => mark(", failed"),
    }
}
