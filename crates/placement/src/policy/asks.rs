//! What a policy needs: which data must be known, maintained or ranked separately for its rules.

use super::Policy;
use super::ranked::MachineStage;
use crate::rule::quantize::Quantizer;

impl Policy {
    /// Whether any rule reads predicted lifetimes.
    #[must_use]
    pub fn asks_for_lifetimes(&self) -> bool {
        self.asks_for_lifetimes
    }

    /// Whether any rule reads affinity classes.
    #[must_use]
    pub fn asks_for_affinity(&self) -> bool {
        self.asks_for_affinity
    }

    /// Whether any rule reads the predicted utilization of VMs.
    #[must_use]
    pub fn asks_for_loads(&self) -> bool {
        self.load_tells_apart || self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Chassis(_)))
    }

    /// Whether any rule reads the mix of VM sizes.
    #[must_use]
    pub fn asks_for_mix(&self) -> bool {
        self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Machine(it) if it.rule.sees_mix()))
    }

    /// Whether any rule reads the order in which machines were used.
    #[must_use]
    pub fn asks_for_uses(&self) -> bool {
        self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Machine(it) if it.rule.sees_uses()))
    }

    /// Whether any rule reads the expected load of chassis.
    #[must_use]
    pub fn asks_for_chassis(&self) -> bool {
        self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Chassis(_)))
    }

    /// Whether VMs are placed only where the network has capacity for their links.
    #[must_use]
    pub fn guards_bandwidth(&self) -> bool {
        self.bandwidth.is_some()
    }

    /// Whether any rule reads forecasts of deployments.
    #[must_use]
    pub fn asks_for_growth(&self) -> bool {
        self.cluster_validators.iter().any(|ranked| ranked.rule.is_live())
    }

    /// Whether any of these looks beyond the present.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        self.cluster_validators.iter().any(|ranked| ranked.rule.looks_ahead())
    }

    /// Whether a preference for machines compares exact scores, so that hardly two machines are alike.
    #[must_use]
    pub fn has_exact_scores(&self) -> bool {
        self.machine_preferences.iter().any(|stage| stage.quantizer() == Quantizer::Exact)
    }

    /// Whether any rule looks at whole racks.
    pub(crate) fn sees_racks(&self) -> bool {
        let rack = |stage: &MachineStage| matches!(stage, MachineStage::Rack(_));
        !self.rack_validators.is_empty() || self.machine_preferences.iter().any(rack)
    }

    /// The unit that best separates the levels of its temporal preference, if it has exactly one.
    pub(crate) fn unit_s(&self) -> Option<u32> {
        let mut units_s = self.machine_preferences.iter().filter_map(|stage| match stage {
            MachineStage::Temporal(ranked) => Some(ranked.rule.unit_s()),
            _ => None,
        });
        units_s.next().filter(|_| units_s.next().is_none())
    }
}
