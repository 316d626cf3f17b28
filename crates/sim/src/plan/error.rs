//! Why a plan is not valid.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use tiebreak_admission::PriorFault;
use tiebreak_model::Phrase;
use tiebreak_model::fleet::FleetError;
use tiebreak_placement::PolicyError;

use crate::incidents::{ADDED_VMS_MAX, INCIDENTS};
use crate::power::PowerFault;

/// Why a plan is not valid.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanError {
    /// The machines.
    Fleet(FleetError),
    /// The rules.
    Policy(PolicyError),
    /// No kind of incident has this id.
    UnknownIncident {
        /// The id as given.
        id: String,
    },
    /// Every VM comes and goes within one tick of the grid that times are rounded to.
    OnlyInstantVms,
    /// The beliefs about deployments.
    Admission(PriorFault),
    /// The servers' power draw or limit.
    Power(PowerFault),
    /// Incidents request more VMs than the maximum.
    TooMuchDemand {
        /// VMs requested, up to the first incident that exceeds the maximum.
        vms: usize,
    },
}

impl PlanError {
    /// Its text.
    #[must_use]
    pub fn phrase(&self) -> Phrase {
        match self {
            Self::Admission(fault) => fault.phrase(),
            Self::Power(fault) => fault.phrase(),
            other => Phrase::text(other.to_string()),
        }
    }
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fleet(error) => error.fmt(f),
            Self::Policy(error) => error.fmt(f),
            Self::UnknownIncident { id } => {
                let ids: Vec<_> = INCIDENTS.iter().map(|entry| entry.declaration.id).collect();
                write!(f, "expected an incident of {}, got \"{id}\"", ids.join(", "))
            }
            Self::Admission(fault) => fault.fmt(f),
            Self::Power(fault) => fault.fmt(f),
            Self::OnlyInstantVms => write!(
                f,
                "expected VMs that live longer than one tick of the grid of virtual datacenters, got none; use a finer grid"
            ),
            Self::TooMuchDemand { vms } => write!(
                f,
                "expected at most {ADDED_VMS_MAX} VMs from demand spikes, got {vms}; use fewer requests or spikes"
            ),
        }
    }
}

impl core::error::Error for PlanError {}
