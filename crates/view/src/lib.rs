//! What the page shows, computed from the state: charts, words, sentences.

pub mod admission;
pub mod anatomy;
pub mod branches;
pub mod charts;
pub mod code;
pub mod compare;
pub mod decisions;
pub mod embed;
pub mod exhibits;
pub mod expression;
pub mod failures;
pub mod film;
pub mod lesson;
pub mod lifetimes;
pub mod list;
pub mod machines;
pub mod my_trace;
pub mod network;
pub mod origin;
pub mod power;
pub mod report;
pub mod sizing;
pub mod strip;
pub mod sweep;
pub mod timeline;
pub mod verdict;
