//! What a list asks for: what has to be known, kept and ranked apart for its rules.

use super::Policy;
use super::ranked::MachineStage;

impl Policy {
    /// Whether any of its rules asks how long VMs will live.
    #[must_use]
    pub fn asks_for_lifetimes(&self) -> bool {
        self.asks_for_lifetimes
    }

    /// Whether any rule asks what VMs will use of their cores.
    #[must_use]
    pub fn asks_for_loads(&self) -> bool {
        self.load_tells_apart || self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Chassis(_)))
    }

    /// Whether any rule asks which sizes of VMs there are.
    #[must_use]
    pub fn asks_for_mix(&self) -> bool {
        self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Machine(it) if it.rule.sees_mix()))
    }

    /// Whether any rule asks in which order machines were used.
    #[must_use]
    pub fn asks_for_uses(&self) -> bool {
        self.machine_preferences.iter().any(|stage| matches!(stage, MachineStage::Machine(it) if it.rule.sees_uses()))
    }

    /// Whether VMs go only where the network has room for their links.
    #[must_use]
    pub fn guards_bandwidth(&self) -> bool {
        self.bandwidth.is_some()
    }

    /// Whether any rule asks what deployments will grow to.
    #[must_use]
    pub fn asks_for_growth(&self) -> bool {
        self.cluster_validators.iter().any(|ranked| ranked.rule.is_live())
    }

    /// Whether any of these looks further than now.
    #[must_use]
    pub fn looks_ahead(&self) -> bool {
        self.cluster_validators.iter().any(|ranked| ranked.rule.looks_ahead())
    }

    /// Whether any rule looks at a whole rack.
    pub(crate) fn sees_racks(&self) -> bool {
        let rack = |stage: &MachineStage| matches!(stage, MachineStage::Rack(_));
        !self.rack_validators.is_empty() || self.machine_preferences.iter().any(rack)
    }

    /// Where the levels of its temporal preference are best told apart, if it has one and only one.
    pub(crate) fn unit_s(&self) -> Option<u32> {
        let mut units_s = self.machine_preferences.iter().filter_map(|stage| match stage {
            MachineStage::Temporal(ranked) => Some(ranked.rule.unit_s()),
            _ => None,
        });
        units_s.next().filter(|_| units_s.next().is_none())
    }
}
