//! Numbers, spans of time and resources as people read them, in English.

use tiebreak_i18n::grouped;
use tiebreak_model::{Resource, Resources};

/// A number with commas between thousands: `13,521`.
#[must_use]
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// `1 VM`, `2,000 VMs`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// A span of time in the unit that suits it: `5.3 d`, `20 min`, `800 ms`.
#[must_use]
pub fn duration(ms: f64) -> String {
    const DAY: f64 = 86_400_000.0;
    const UNITS: [(f64, &str); 5] =
        [(365.25 * DAY, "years"), (DAY, "d"), (3_600_000.0, "h"), (60_000.0, "min"), (1_000.0, "s")];
    let unit = UNITS.into_iter().find(|(size, _)| ms >= *size);
    let (size, unit) = unit.unwrap_or((1.0, "ms"));
    let amount = ms / size;
    let shown = if amount < 10.0 { format!("{amount:.1}") } else { format!("{amount:.0}") };
    format!("{} {unit}", shown.trim_end_matches(".0"))
}

/// So much of a resource, of the units that it is stored in: `40,239 cores`.
#[must_use]
pub fn amount(resource: Resource, stored: u64) -> String {
    let (unit, of_unit) = resource.unit();
    format!("{} {unit}", count((stored as f64 / of_unit).round() as u64))
}

/// What a machine or a VM has: `104 cores and 562.5 GiB`.
#[must_use]
pub fn resources(of: Resources) -> String {
    let part = |resource: Resource| {
        let (unit, of_unit) = resource.unit();
        format!("{} {unit}", f64::from(of[resource]) / of_unit)
    };
    format!("{} and {}", part(Resource::Cores), part(Resource::Memory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_spans_read_well() {
        for (number, shown) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), shown);
        }
        for (ms, shown) in [(0.0, "0 ms"), (1_500.0, "1.5 s"), (600_000.0, "10 min"), (4.6e8, "5.3 d")] {
            assert_eq!(duration(ms), shown);
        }
        assert_eq!(resources(Resources::new(104_000, 576_000, 0, 0)), "104 cores and 562.5 GiB");
    }
}
