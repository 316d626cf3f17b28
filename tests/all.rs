//! Tests across crates: laws, one pool for all rules, goldens, documents. They are one program, because each program
//! is linked with the whole project.

mod admission;
mod cache_timeline;
mod caches;
mod choosers;
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
