//! Numbers, times and resources as text.

use tiebreak_i18n::{number, say, tell, tr};
use tiebreak_model::{Resources, SampledBy};
use tiebreak_scenario::TraceSettings;

use crate::said;

/// `3 d 04:30`, or `04:30:15` within the first day.
#[must_use]
pub fn time(ms: f64) -> String {
    let seconds = (ms.max(0.0) / 1_000.0) as u64;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match days {
        0 => format!("{hours:02}:{minutes:02}:{:02}", seconds % 60),
        _ => format!("{days} d {hours:02}:{minutes:02}"),
    }
}

/// A duration in a suitable unit: `5.3 d`, `20 min`, `800 ms`.
#[must_use]
pub fn duration(ms: f64) -> String {
    tell(&tiebreak_profile::words::duration(ms))
}

/// `day 3, 12:00`, with seconds if they are not zero.
#[must_use]
pub fn day_and_time(hours: f64) -> String {
    let seconds = (hours.max(0.0) * 3_600.0).round() as u64;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    let seconds = if seconds.is_multiple_of(60) { String::new() } else { format!(":{:02}", seconds % 60) };
    say("day {days}, {clock}", &[&days, &format!("{hours:02}:{minutes:02}{seconds}")])
}

/// `13,521`.
#[must_use]
pub fn count(number: f64) -> String {
    tiebreak_i18n::number(said::count(number).to_string())
}

/// `, one tenant in 10, without outliers`, if the trace is sampled.
#[must_use]
pub fn sampled(TraceSettings { one_tenant_in, sampled_by, without_outliers, .. }: &TraceSettings) -> Option<String> {
    let sample = match sampled_by {
        SampledBy::Tenant => say(", 1 tenant in {}", &[one_tenant_in]),
        SampledBy::Request => say(", 1 request in {}", &[one_tenant_in]),
        SampledBy::Vm => say(", 1 VM in {}", &[one_tenant_in]),
    };
    let sample = (*one_tenant_in > 1).then_some(sample);
    let without = without_outliers.then(|| tr(", without outliers"));
    (sample.is_some() || without.is_some()).then(|| sample.unwrap_or_default() + without.unwrap_or_default())
}

/// A number with at most `decimals` decimals and no trailing zeros.
#[must_use]
pub fn trimmed(number: f64, decimals: usize) -> String {
    tiebreak_i18n::number(said::trimmed(number, decimals).to_string())
}

/// A number with exactly this many decimals.
#[must_use]
pub fn fixed(number: f64, decimals: usize) -> String {
    tiebreak_i18n::number(said::fixed(number, decimals).to_string())
}

/// A title inside a sentence: in lower case in English.
#[must_use]
pub fn inside(title: &str) -> String {
    let shown = tr(title);
    if shown == title { uncapitalized(title) } else { shown.to_owned() }
}

/// A declaration's help, paragraph by paragraph, without the marks around names in code.
#[must_use]
pub fn paragraphs(help: &str) -> Vec<String> {
    let text = help.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let parts = text.split("\n\n").map(|part| part.replace('\n', " ").replace('`', "").trim().to_owned());
    parts.filter(|part| !part.is_empty()).map(|part| tr(&part).to_owned()).collect()
}

/// The same as running text.
#[must_use]
pub fn help(help: &str) -> String {
    paragraphs(help).join(" ")
}

/// `4 cores, 16 GiB`; omits resources that are zero.
#[must_use]
pub fn resources(amount: Resources) -> String {
    tell(&said::resources(amount))
}

/// `1 VM`, `2 VMs`.
#[must_use]
pub fn counted(number: f64, one: &'static str, many: &'static str) -> String {
    tell(&said::counted(number, one, many))
}

/// With a lower-case first letter, for use inside a sentence; a text that starts with several capitals keeps them:
/// `empty hosts, mean`, `VMs lost`.
#[must_use]
pub fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), second) if !second.is_some_and(is_capital) => {
            let first = if is_capital(first) { beside(first, 32) } else { first };
            core::iter::once(first).chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// With an upper-case first letter.
#[must_use]
pub fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| if is_capital(beside(first, -32)) { beside(first, -32) } else { first });
    first.into_iter().chain(letters).collect()
}

/// Whether it is a capital of a western European language: tables for all others are larger than the page's texts.
fn is_capital(letter: char) -> bool {
    matches!(letter, 'A'..='Z' | 'À'..='Ö' | 'Ø'..='Þ')
}

/// The letter at this offset, the distance between lower and upper case; the letter itself beyond Latin ones.
fn beside(letter: char, places: i8) -> char {
    u8::try_from(letter).ok().and_then(|at| at.checked_add_signed(places)).map_or(letter, char::from)
}

/// `13.5 MB`.
#[must_use]
pub fn bytes(bytes: f64) -> String {
    number(match bytes {
        small if small < 1e6 => format!("{:.0} kB", small / 1e3),
        middle if middle < 1e9 => format!("{:.1} MB", middle / 1e6),
        large => format!("{:.2} GB", large / 1e9),
    })
}

/// `+1.2 points`, `−1,234`, `±0`.
#[must_use]
pub fn change(difference: f64, decimals: usize, unit: &str) -> String {
    let size = if decimals == 0 { count(difference.abs()) } else { fixed(difference.abs(), decimals) };
    let zero = !size.contains(|digit: char| ('1'..='9').contains(&digit));
    let sign = if zero {
        "±"
    } else if difference > 0.0 {
        "+"
    } else {
        "\u{2212}"
    };
    format!("{sign}{size}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_short_and_exact() {
        assert_eq!(time(3_600_000.0), "01:00:00");
        assert_eq!(time(100_000_000.0), "1 d 03:46");
        assert_eq!((day_and_time(84.0), day_and_time(0.01)), ("day 3, 12:00".into(), "day 0, 00:00:36".into()));
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(-12.0), "\u{2212}12");
        assert_eq!(count(999.0), "999");
        assert_eq!(resources(Resources::new(1_000, 2_048, 0, 0)), "1 core, 2 GiB");
        assert_eq!(resources(Resources::new(420, 1_792, 100, 0)), "0.42 cores, 1.75 GiB, 100 GiB SSD");
        assert_eq!(
            (uncapitalized("Empty hosts"), uncapitalized("VMs lost")),
            ("empty hosts".into(), "VMs lost".into())
        );
        assert_eq!(trimmed(10.0, 2), "10");
        assert_eq!(bytes(131_615.0), "132 kB");
    }

    #[test]
    fn changes_have_a_sign() {
        assert_eq!(change(1.25, 1, " points"), "+1.2 points");
        assert_eq!((change(-3.0, 0, ""), change(1_234.4, 0, "")), ("\u{2212}3".into(), "+1,234".into()));
        assert_eq!(change(-0.01, 1, ""), "±0.0");
    }
}
