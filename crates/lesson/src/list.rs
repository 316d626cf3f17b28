//! The lessons that come with the page, in the order they are shown.

/// A lesson by name.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// Its stable name, which is that of its file without the ending.
    pub id: &'static str,
    /// Its Markdown.
    pub markdown: &'static str,
    /// The same in other languages: the language as HTML names it, and its Markdown.
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
    "05-caches",
    "06-fault-domains",
    "07-capacity-crunch",
    "08-lifetimes",
    "09-recycling",
    "10-how-much-to-keep-free",
    "11-together-or-apart",
    "12-never-fit",
    "13-why-40-percent-stays-empty",
    "14-one-observation",
    "15-who-gets-slowed-down",
    "16-twelve-percent-more-servers",
];
