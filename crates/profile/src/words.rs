//! Formats numbers, durations and resources for readers, in English.

use tiebreak_model::phrase::{Value, count as grouped, mark};
use tiebreak_model::{Phrase, Resource, Resources, phrase};

/// A number with commas between thousands: `13,521`.
#[must_use]
pub fn count(number: u64) -> String {
    grouped(number).to_string()
}

/// `1 VM`, `2,000 VMs`.
#[must_use]
pub fn counted(number: u64, one: &'static str, many: &'static str) -> Phrase {
    phrase!("{} {}", grouped(number), Phrase::text(if number == 1 { one } else { many }))
}

/// A duration in a suitable unit: `5.3 d`, `20 min`, `800 ms`.
#[must_use]
pub fn duration(ms: f64) -> Phrase {
    const DAY: f64 = 86_400_000.0;
    const UNITS: [(f64, &str); 5] = [
        (365.25 * DAY, mark("{} years")),
        (DAY, "{} d"),
        (3_600_000.0, "{} h"),
        (60_000.0, "{} min"),
        (1_000.0, "{} s"),
    ];
    let (size, said) = UNITS.into_iter().find(|(size, _)| ms >= *size).unwrap_or((1.0, "{} ms"));
    let amount = ms / size;
    let shown = if amount < 10.0 { format!("{amount:.1}") } else { format!("{amount:.0}") };
    Phrase::new(said, &[&Value::Number(shown.trim_end_matches(".0").to_owned())])
}

/// An amount of a resource, given in stored units: `40,239 cores`.
#[must_use]
pub fn amount(resource: Resource, stored: u64) -> Phrase {
    let (unit, of_unit) = resource.unit();
    phrase!("{} {}", grouped((stored as f64 / of_unit).round() as u64), Phrase::text(unit))
}

/// The resources of a machine or a VM: `104 cores and 562.5 GiB`.
#[must_use]
pub fn resources(of: Resources) -> Phrase {
    let part = |resource: Resource| {
        let (unit, of_unit) = resource.unit();
        phrase!("{} {}", f64::from(of[resource]) / of_unit, Phrase::text(unit))
    };
    Phrase::listed([Resource::Cores, Resource::Memory].map(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_spans_read_well() {
        for (ms, shown) in [(0.0, "0 ms"), (1_500.0, "1.5 s"), (600_000.0, "10 min"), (4.6e8, "5.3 d")] {
            assert_eq!(duration(ms).to_string(), shown);
        }
        assert_eq!(resources(Resources::new(104_000, 576_000, 0, 0)).to_string(), "104 cores and 562.5 GiB");
    }
}
