//! Tests across crates: laws, one pool for all rules, goldens, documents. One program, because each is linked with all of
//! the project.

mod admission;
mod cache_timeline;
mod caches;
mod explanations;
mod expressions;
mod goldens;
mod incidents;
mod laws;
mod lessons;
mod lifetimes;
mod links;
mod mutations;
mod pool;
mod protocol;
