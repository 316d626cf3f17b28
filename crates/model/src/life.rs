//! Predicted lifetimes: of a VM that needs a machine, and of a machine by its VMs. Nothing here reads the true
//! lifetimes.
//!
//! Moments are whole seconds since the start of the trace, rounded so that no exit is earlier than predicted. Source:
//! LAVA sections 3 and 4.

/// The prediction for a VM when it is placed. All 0 if no rule reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictedLife {
    /// The moment of the decision, in seconds.
    pub now_s: u32,
    /// The VM's predicted remaining lifetime, in seconds.
    pub remaining_s: u32,
    /// Its first predicted lifetime, in seconds. For a new VM this is from now; for one that moves, from its arrival.
    pub first_s: u32,
    /// Its expected exit by that first prediction.
    pub first_exit_s: u32,
    /// The lifetime class of `remaining_s`: how many of the class bounds it reaches.
    pub class: u8,
    /// Its class by the bounds of affinity groups, and how well shorter-lived machines suit it.
    pub affinity: VmAffinity,
}

/// What DVLA's affinity score reads of a VM. All 0 if no rule reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VmAffinity {
    /// Its class by the predicted remaining lifetime: 1 is the shortest; 0 is none.
    pub class: u8,
    /// The number of classes.
    pub classes: u8,
    /// What the score of a machine of a shorter class is multiplied by, in percent.
    pub omega_pct: u8,
}

impl VmAffinity {
    /// No prediction.
    pub const NONE: Self = Self { class: 0, classes: 0, omega_pct: 0 };
}

impl PredictedLife {
    /// No prediction.
    pub const NONE: Self =
        Self { now_s: 0, remaining_s: 0, first_s: 0, first_exit_s: 0, class: 0, affinity: VmAffinity::NONE };

    /// The VM's expected exit.
    #[must_use]
    pub const fn exit_s(&self) -> u32 {
        self.now_s.saturating_add(self.remaining_s)
    }
}

/// LAVA's states of a machine (LAVA section 4.3, Figure 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It hosts no VM.
    #[default]
    Empty,
    /// It accepts VMs of its own class until it is full.
    Open,
    /// It accepts only VMs of lower classes until the VMs it held have left.
    Recycling,
}

impl Phase {
    /// All of them; files and pictures use the index.
    pub const ALL: [Self; 3] = [Self::Empty, Self::Open, Self::Recycling];

    /// Display word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Open => "open",
            Self::Recycling => "recycling",
        }
    }
}

/// The prediction for a machine. Like an empty machine's if no rule reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostLife {
    /// When its last VM is expected to leave, by the newest predictions; 0 if it is empty.
    pub exit_s: u32,
    /// The same by the first prediction of each.
    pub first_exit_s: u32,
    /// The longest first predicted lifetime of any VM on it, in seconds.
    pub longest_s: u32,
    /// Its lifetime class; 0 if it is empty.
    pub class: u8,
    /// Which VMs it accepts.
    pub phase: Phase,
    /// Its class by its cluster's affinity group: 1 is the shortest; 0 if it has none.
    pub affinity: u8,
}

impl HostLife {
    /// An empty machine.
    pub const EMPTY: Self =
        Self { exit_s: 0, first_exit_s: 0, longest_s: 0, class: 0, phase: Phase::Empty, affinity: 0 };

    /// With one more VM, as estimated without knowing the machine's VMs: a VM never makes a machine free sooner, and
    /// an empty machine opens with the VM's classes.
    #[must_use]
    pub fn with(self, vm: &PredictedLife, full: bool) -> Self {
        let (phase, class, affinity) = match self.phase {
            Phase::Empty => (Phase::Open, vm.class, vm.affinity.class),
            phase => (phase, self.class, self.affinity),
        };
        Self {
            exit_s: self.exit_s.max(vm.exit_s()),
            first_exit_s: self.first_exit_s.max(vm.first_exit_s),
            longest_s: self.longest_s.max(vm.first_s),
            class,
            phase: if full { Phase::Recycling } else { phase },
            affinity,
        }
    }
}
