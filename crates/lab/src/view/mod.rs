//! What the page shows, computed from the state: charts, words, sentences.

pub mod charts;
pub mod timeline;
pub mod verdict;
pub mod words;
