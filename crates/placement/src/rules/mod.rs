//! Every rule, in display order: one file each, one line here.

use alloc::boxed::Box;
use alloc::sync::Arc;

use tiebreak_model::{ClusterId, Declaration, Declared, MachineId, RackId};

use crate::admission::{Admission, AdmissionPolicy};
use crate::lifetime::TemporalPreference;
use crate::lifetime::temporal::{AnyTemporal, SometimesTemporal, Temporal};
use crate::network::UplinkPreference;
use crate::network::uplink::{AnyUplink, Uplink};
use crate::power::ChassisPreference;
use crate::power::chassis::{AnyChassis, Chassis};
use crate::rule::erased::{AnyPreference, AnyValidator};
use crate::rule::{Preference, Reach, Validator};

mod are_node_resources_valid;
mod avoid_evictions;
mod bandwidth_available;
mod best_fit;
mod caps_colocation;
mod caps_tenant_per_machine;
mod colocate_vdc;
#[cfg(test)]
mod conformance;
mod debt_aware_affinity;
mod fd_empty_nodes;
mod first_fit;
mod first_moment_admission;
mod fragmentation_gradient;
mod is_cluster_below_limit;
mod is_machine_ready;
mod is_not_at_risk;
mod is_type_supported;
mod keep_vdc_close;
mod lava_host_class;
mod least_loaded_uplink;
mod lifetime_alignment;
mod lifetime_alignment_binary;
mod move_to_front;
mod power_balance;
mod prefer_emptier_clusters;
mod prefer_healthier_machines;
mod prefer_least_used_rack;
mod prefer_newest_host_environment;
mod prefer_non_empty_machines;
mod respects_isolation;
mod second_moment_admission;
mod shares_tenant_cluster;
mod shares_tenant_datacenter;
mod shares_tenant_rack;
mod spread_tenant_over_racks;
mod spread_vdc;
mod spreads_over_fault_domains;
mod temporal_cost;
mod waste_minimization;
mod worst_fit;
mod zeroth_moment_admission;

pub(crate) use are_node_resources_valid::AreNodeResourcesValid;

/// Expands to two lists in the same order. The declarations are separate from the constructors, so that the page,
/// which only shows them, does not include the rules' code.
macro_rules! rules {
    ($($kind:ident::<$rule:ty>(),)+) => {
        /// Every rule, stage by stage.
        pub static RULES: &[RuleEntry] = &[$($kind::<$rule>()),+];

        static BUILDERS: &[Builder] = &[$(build::$kind::<$rule>),+];
    };
}

type Builder = fn(&[f64]) -> AnyRule;

rules! {
    validator::<is_type_supported::IsTypeSupported>(),
    validator::<is_cluster_below_limit::IsClusterBelowLimit>(),
    validator::<shares_tenant_datacenter::SharesTenantDatacenter>(),
    validator::<shares_tenant_cluster::SharesTenantCluster>(),
    admission::<zeroth_moment_admission::ZerothMomentAdmission>(),
    admission::<first_moment_admission::FirstMomentAdmission>(),
    admission::<second_moment_admission::SecondMomentAdmission>(),
    preference::<prefer_emptier_clusters::PreferEmptierClusters>(),
    validator::<AreNodeResourcesValid>(),
    validator::<is_machine_ready::IsMachineReady>(),
    validator::<shares_tenant_rack::SharesTenantRack>(),
    validator::<spreads_over_fault_domains::SpreadsOverFaultDomains>(),
    validator::<caps_tenant_per_machine::CapsTenantPerMachine>(),
    validator::<respects_isolation::RespectsIsolation>(),
    validator::<is_not_at_risk::IsNotAtRisk>(),
    validator::<caps_colocation::CapsColocation>(),
    bandwidth::<bandwidth_available::BandwidthAvailable>(),
    preference::<prefer_healthier_machines::PreferHealthierMachines>(),
    preference::<avoid_evictions::AvoidEvictions>(),
    preference::<prefer_non_empty_machines::PreferNonEmptyMachines>(),
    preference::<lava_host_class::LavaHostClass>(),
    sometimes_temporal::<lifetime_alignment_binary::LifetimeAlignmentBinary>(),
    temporal::<lifetime_alignment::LifetimeAlignment>(),
    temporal::<temporal_cost::TemporalCost>(),
    preference::<best_fit::BestFit>(),
    preference::<waste_minimization::WasteMinimization>(),
    preference::<prefer_newest_host_environment::PreferNewestHostEnvironment>(),
    preference::<prefer_least_used_rack::PreferLeastUsedRack>(),
    preference::<fd_empty_nodes::FdEmptyNodes>(),
    preference::<spread_tenant_over_racks::SpreadTenantOverRacks>(),
    preference::<worst_fit::WorstFit>(),
    preference::<first_fit::FirstFit>(),
    chassis::<power_balance::PowerBalance>(),
    preference::<colocate_vdc::ColocateVdc>(),
    preference::<keep_vdc_close::KeepVdcClose>(),
    preference::<spread_vdc::SpreadVdc>(),
    uplink::<least_loaded_uplink::LeastLoadedUplink>(),
    preference::<fragmentation_gradient::FragmentationGradient>(),
    preference::<move_to_front::MoveToFront>(),
    preference::<debt_aware_affinity::DebtAwareAffinity>(),
}

/// The rule of this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static RuleEntry> {
    RULES.iter().find(|entry| entry.declaration.id == id)
}

/// The stage of a decision that a rule belongs to, in order of application (Protean Fig. 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Which clusters may hold the VM.
    ClusterValidators,
    /// Which of these clusters are best.
    ClusterPreferences,
    /// Which of their machines may hold the VM.
    MachineValidators,
    /// Which of these machines are best.
    MachinePreferences,
}

impl Group {
    /// All stages in order.
    pub const ALL: [Self; 4] =
        [Self::ClusterValidators, Self::ClusterPreferences, Self::MachineValidators, Self::MachinePreferences];

    /// Display text.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClusterValidators => "Cluster validators",
            Self::ClusterPreferences => "Cluster preferences",
            Self::MachineValidators => "Machine validators",
            Self::MachinePreferences => "Machine preferences",
        }
    }

    /// Whether its rules give scores, and so have buckets.
    #[must_use]
    pub const fn scores(self) -> bool {
        matches!(self, Self::ClusterPreferences | Self::MachinePreferences)
    }
}

/// A rule's entry in the list.
#[derive(Clone, Copy, Debug)]
pub struct RuleEntry {
    /// Its declaration.
    pub declaration: Declaration,
    /// Its stage.
    pub group: Group,
    /// The number of different scores it gives, if there are few.
    pub levels: Option<u32>,
}

impl RuleEntry {
    /// The rule with these parameters.
    pub(crate) fn build(&self, values: &[f64]) -> AnyRule {
        let at = RULES.iter().position(|entry| entry.declaration.id == self.declaration.id);
        BUILDERS[at.expect("entries are made for the list alone")](values)
    }
}

/// A rule with its parameters, by kind and reach.
pub(crate) enum AnyRule {
    ClusterValidator(Box<dyn AnyValidator<ClusterId>>),
    ClusterPreference(Box<dyn AnyPreference<ClusterId>>),
    RackValidator(Box<dyn AnyValidator<RackId>>),
    RackPreference(Box<dyn AnyPreference<RackId>>),
    MachineValidator(Box<dyn AnyValidator<MachineId>>),
    MachinePreference(Box<dyn AnyPreference<MachineId>>),
    TemporalPreference(Box<dyn AnyTemporal>),
    UplinkPreference(Arc<dyn AnyUplink>),
    ChassisPreference(Arc<dyn AnyChassis>),
    Bandwidth(&'static str),
}

/// Maps a kind of place to the kinds of rules that judge it.
trait Place: Copy {
    const VALIDATES: Group;
    const PREFERS: Group;
    fn validator(rule: Box<dyn AnyValidator<Self>>) -> AnyRule;
    fn preference(rule: Box<dyn AnyPreference<Self>>) -> AnyRule;
}

macro_rules! places {
    ($($id:ident: $validators:ident $preferences:ident, $validator:ident $preference:ident;)+) => {$(
        impl Place for $id {
            const VALIDATES: Group = Group::$validators;
            const PREFERS: Group = Group::$preferences;
            fn validator(rule: Box<dyn AnyValidator<Self>>) -> AnyRule {
                AnyRule::$validator(rule)
            }
            fn preference(rule: Box<dyn AnyPreference<Self>>) -> AnyRule {
                AnyRule::$preference(rule)
            }
        }
    )+};
}

places! {
    ClusterId: ClusterValidators ClusterPreferences, ClusterValidator ClusterPreference;
    RackId: MachineValidators MachinePreferences, RackValidator RackPreference;
    MachineId: MachineValidators MachinePreferences, MachineValidator MachinePreference;
}

type IdOf<R> = <R as Reach>::Id;

const fn validator<V: Validator<Reach: Reach<Id: Place>>>() -> RuleEntry {
    RuleEntry { declaration: V::DECLARATION, group: <IdOf<V::Reach> as Place>::VALIDATES, levels: None }
}

const fn preference<P: Preference<Reach: Reach<Id: Place>>>() -> RuleEntry {
    RuleEntry { declaration: P::DECLARATION, group: <IdOf<P::Reach> as Place>::PREFERS, levels: P::LEVELS }
}

const fn admission<P: AdmissionPolicy>() -> RuleEntry {
    RuleEntry { declaration: P::DECLARATION, group: Group::ClusterValidators, levels: None }
}

const fn temporal<T: TemporalPreference>() -> RuleEntry {
    RuleEntry { declaration: T::DECLARATION, group: Group::MachinePreferences, levels: Some(T::LEVELS) }
}

const fn sometimes_temporal<T: SometimesTemporal>() -> RuleEntry {
    temporal::<T>()
}

const fn chassis<C: ChassisPreference>() -> RuleEntry {
    RuleEntry { declaration: C::DECLARATION, group: Group::MachinePreferences, levels: None }
}

const fn uplink<U: UplinkPreference>() -> RuleEntry {
    RuleEntry { declaration: U::DECLARATION, group: Group::MachinePreferences, levels: None }
}

const fn bandwidth<D: Declared>() -> RuleEntry {
    RuleEntry { declaration: D::DECLARATION, group: Group::MachineValidators, levels: None }
}

/// Constructors of rules, named like the kinds in the list.
mod build {
    use super::{
        Admission, AdmissionPolicy, AnyRule, Box, Chassis, ChassisPreference, Declared, IdOf, Place, Preference, Reach,
        SometimesTemporal, Temporal, TemporalPreference, Uplink, UplinkPreference, Validator,
    };

    pub(super) fn validator<V: Validator<Reach: Reach<Id: Place>>>(values: &[f64]) -> AnyRule {
        IdOf::<V::Reach>::validator(Box::new(V::from_values(values)))
    }

    pub(super) fn preference<P: Preference<Reach: Reach<Id: Place>>>(values: &[f64]) -> AnyRule {
        IdOf::<P::Reach>::preference(Box::new(P::from_values(values)))
    }

    pub(super) fn admission<P: AdmissionPolicy>(values: &[f64]) -> AnyRule {
        AnyRule::ClusterValidator(Admission::boxed(P::from_values(values)))
    }

    pub(super) fn temporal<T: TemporalPreference>(values: &[f64]) -> AnyRule {
        AnyRule::TemporalPreference(Temporal::boxed(T::from_values(values)))
    }

    pub(super) fn sometimes_temporal<T: SometimesTemporal>(values: &[f64]) -> AnyRule {
        let rule = T::from_values(values);
        if rule.is_temporal() {
            AnyRule::TemporalPreference(Temporal::boxed(rule))
        } else {
            AnyRule::MachinePreference(Box::new(rule))
        }
    }

    pub(super) fn chassis<C: ChassisPreference>(values: &[f64]) -> AnyRule {
        AnyRule::ChassisPreference(Chassis::shared(C::from_values(values)))
    }

    pub(super) fn uplink<U: UplinkPreference>(values: &[f64]) -> AnyRule {
        AnyRule::UplinkPreference(Uplink::boxed(U::from_values(values)))
    }

    pub(super) fn bandwidth<D: Declared>(_: &[f64]) -> AnyRule {
        AnyRule::Bandwidth(D::DECLARATION.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    use crate::policy::fields::KeyWidth;
    use crate::policy::{Policy, default_rules};

    #[test]
    fn the_keys_of_the_default_list_are_narrow() {
        let policy = Policy::new(&default_rules(), 10).expect("a policy");
        assert_eq!(policy.width, KeyWidth::Quarter);
    }

    #[test]
    fn every_rule_says_what_it_is() {
        let ids: BTreeSet<_> = RULES.iter().map(|entry| entry.declaration.id).collect();
        assert_eq!(ids.len(), RULES.len(), "ids are unique");
        for entry in RULES {
            let Declaration { id, help, params, .. } = entry.declaration;
            assert!(help.len() > 40, "{id} needs help that teaches");
            for param in params {
                assert!(param.allows(param.default), "{id}.{}: the default is in range", param.name);
                assert!(param.help.len() > 10, "{id}.{} needs help", param.name);
            }
        }
    }
}
