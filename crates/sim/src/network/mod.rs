//! Links between VMs: which there are ([`vdc`]), and what they take of the network during a run ([`links`]).

pub(crate) mod links;
pub mod vdc;
