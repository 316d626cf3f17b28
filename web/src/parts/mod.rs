//! The parts of the page: each a function from the state to HTML.

pub(crate) mod charts;
pub(crate) mod explain;
pub(crate) mod fleet_map;
pub(crate) mod form;
pub(crate) mod notices;
pub(crate) mod rules;
pub(crate) mod share;
pub(crate) mod timeline;
pub(crate) mod toolbar;
pub(crate) mod workload;
