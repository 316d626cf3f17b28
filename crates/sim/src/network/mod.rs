//! Links between VMs: which VMs are linked ([`vdc`]), and the bandwidth that links use during a run ([`links`]).

pub(crate) mod links;
pub mod vdc;
