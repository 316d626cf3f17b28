//! One file per command.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod bundle;
pub(crate) mod check;
pub(crate) mod floors;
pub(crate) mod fuzz;
pub(crate) mod mutants;
pub(crate) mod no_std;
pub(crate) mod npm;
pub(crate) mod prerender;
pub(crate) mod serve;
pub(crate) mod setup;
pub(crate) mod size;
pub(crate) mod soak;
pub(crate) mod strings;
pub(crate) mod supply;
pub(crate) mod targets;
pub(crate) mod test;
pub(crate) mod wheel;
pub(crate) mod words;
