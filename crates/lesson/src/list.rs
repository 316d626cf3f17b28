//! The built-in lessons, in the order shown.

/// A built-in lesson.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its stable id: its file name without the extension.
    pub id: &'static str,
    /// Its Markdown.
    pub markdown: &'static str,
    /// Translations: the language as an HTML `lang` value, and the Markdown.
    pub translations: &'static [(&'static str, &'static str)],
}

macro_rules! lessons {
    ($($id:literal $([$($language:literal),+])?),* $(,)?) => {
        &[$(Listed {
            id: $id,
            markdown: include_str!(concat!("../lessons/", $id, ".md")),
            translations: &[
                $($(($language, include_str!(concat!("../lessons/", $id, ".", $language, ".md")))),+)?
            ],
        }),*]
    };
}

/// Every lesson.
pub static LESSONS: &[Listed] = lessons![
    "01-ties-and-order"["de"],
    "02-buckets"["de"],
    "03-empty-machines"["de"],
    "04-stale-agents"["de"],
    "05-caches"["de"],
    "06-fault-domains"["de"],
    "07-capacity-crunch"["de"],
    "08-lifetimes"["de"],
    "09-recycling"["de"],
    "10-how-much-to-keep-free"["de"],
    "11-together-or-apart"["de"],
    "12-never-fit"["de"],
    "13-why-40-percent-stays-empty"["de"],
    "14-one-observation"["de"],
    "15-who-gets-slowed-down"["de"],
    "16-twelve-percent-more-servers"["de"],
    "17-write-a-rule"["de"],
    "18-an-evolved-rule"["de"],
    "19-the-long-lived"["de"],
];
