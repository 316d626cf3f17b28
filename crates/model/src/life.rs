//! What is predicted of lifetimes: of a VM that needs a machine, and of a machine by the VMs
//! on it. Nobody here knows when a VM will really leave.
//!
//! Moments are whole seconds since the trace began, rounded so that no exit is thought earlier
//! than predicted. Source: LAVA sections 3 and 4.

/// What is predicted of a VM when a machine is looked for. All 0 where no rule asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PredictedLife {
    /// The moment of the decision, in seconds.
    pub now_s: u32,
    /// How long the VM is expected to live on from now, in seconds.
    pub remaining_s: u32,
    /// How long it was expected to live when it was predicted first, in seconds. For a new VM
    /// that is now; for one that moves it is what was said when it came.
    pub first_s: u32,
    /// When it was expected to leave by that first prediction.
    pub first_exit_s: u32,
    /// The lifetime class of `remaining_s`: how many of the class bounds it reaches.
    pub class: u8,
}

impl PredictedLife {
    /// Nothing is predicted.
    pub const NONE: Self = Self { now_s: 0, remaining_s: 0, first_s: 0, first_exit_s: 0, class: 0 };

    /// When the VM is expected to leave.
    #[must_use]
    pub const fn exit_s(&self) -> u32 {
        self.now_s.saturating_add(self.remaining_s)
    }
}

/// What LAVA makes of a machine (LAVA section 4.3, Figure 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It hosts no VM.
    #[default]
    Empty,
    /// It takes VMs of its own class until it is full.
    Open,
    /// It takes only VMs of lower classes, until those it held are gone.
    Recycling,
}

impl Phase {
    /// All of them; the index is what files and pictures say.
    pub const ALL: [Self; 3] = [Self::Empty, Self::Open, Self::Recycling];

    /// The word people read.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Open => "open",
            Self::Recycling => "recycling",
        }
    }
}

/// What is predicted of a machine. All of it is that of an empty machine where no rule asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostLife {
    /// When its last VM is expected to leave, by the newest predictions; 0 when it is empty.
    pub exit_s: u32,
    /// The same by the first prediction of each.
    pub first_exit_s: u32,
    /// The longest life first predicted for any VM on it, in seconds.
    pub longest_s: u32,
    /// Its lifetime class; 0 when it is empty.
    pub class: u8,
    /// What it takes.
    pub phase: Phase,
}

impl HostLife {
    /// An empty machine.
    pub const EMPTY: Self = Self { exit_s: 0, first_exit_s: 0, longest_s: 0, class: 0, phase: Phase::Empty };

    /// With a VM more, as one knows it who sees the machine and not its VMs one by one: a VM
    /// never makes a machine free sooner, and an empty machine opens for the VM's class.
    #[must_use]
    pub fn with(self, vm: &PredictedLife, full: bool) -> Self {
        let (phase, class) = match self.phase {
            Phase::Empty => (Phase::Open, vm.class),
            phase => (phase, self.class),
        };
        Self {
            exit_s: self.exit_s.max(vm.exit_s()),
            first_exit_s: self.first_exit_s.max(vm.first_exit_s),
            longest_s: self.longest_s.max(vm.first_s),
            class,
            phase: if full { Phase::Recycling } else { phase },
        }
    }
}
