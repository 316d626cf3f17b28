//! How the allocator uses predicted lifetimes: classes, host states, and when machines are expected to be free
//! (LAVA).

use tiebreak_model::{Phrase, choices, declare, phrase};

pub(crate) mod host;
pub(crate) mod steps;
pub(crate) mod temporal;

pub use host::{Host, Turn};
pub use steps::{Exit, Steps};
pub use temporal::TemporalPreference;

declare! {
    /// How the allocator uses predicted lifetimes.
    ///
    /// These settings affect only rules that use lifetimes. Classes are based on the predicted remaining lifetime:
    /// below the first bound, from the first to the second, and so on. Bounds are sorted by size. (LAVA sections 3,
    /// 4.3, 5 and G.3)
    pub struct Lifetimes as "Lifetimes" {
        /// Place the VMs alive at the start of the trace without the lifetime rules, as before lifetimes were
        /// known. If off, the lifetime rules place them too.
        baseline_start: bool = true, 0 => 1, "";
        /// Predict every VM's remaining lifetime again while it runs. If off, the first prediction stays, and
        /// errors accumulate.
        repredict: bool = true, 0 => 1, "";
        /// How long a machine's predictions stay valid while no VM arrives or exits there and its expected exit has
        /// not passed. With 0, they are renewed whenever the answer changes. 1 and 15 minutes in the paper.
        refresh_minutes: f64 = 15, 0 => 100000, "min";
        /// Lower bound of the second class.
        class_2_hours: f64 = 1, 0 => 100000, "h";
        /// Lower bound of the third class.
        class_3_hours: f64 = 10, 0 => 100000, "h";
        /// Lower bound of the fourth class.
        class_4_hours: f64 = 100, 0 => 100000, "h";
        /// Upper bound of the fourth class; longer lifetimes are in the fifth.
        class_5_hours: f64 = 1000, 0 => 100000, "h";
        /// An open machine recycles once more than this share of its cores or memory is in use.
        recycle_above_pct: f64 = 90, 0 => 100, "%";
        /// A machine that is still in use after this many times the length of its class was predicted wrong.
        deadline_factor: f64 = 1.1, 1 => 100, "x";
        /// From when on a machine's time runs: from its first VM (opening), as the paper counts the total lifetime
        /// of a host; or, from when it is full and recycles (filling), so that an open machine has no deadline. The
        /// VMs of an open machine may come late, and then no prediction need be wrong when its time is over.
        deadline_from: DeadlineFrom = 0, 0 => 1, "";
        /// The class of a machine that has VMs when the trace begins: that of its first VM (first_vm), as of every
        /// machine; or the highest of them (highest).
        start_class: StartClass = 0, 0 => 1, "";
    }
}

/// When a machine's deadline starts to run (LAVA section 4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeadlineFrom {
    /// When its first VM arrives.
    #[default]
    Opening,
    /// When it is full; before that it has no deadline.
    Filling,
}

/// The class of a machine that has VMs when the trace begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartClass {
    /// That of its first VM.
    #[default]
    First,
    /// The highest of its VMs.
    Highest,
}

choices! { DeadlineFrom: Opening = "opening", Filling = "filling" }
choices! { StartClass: First = "first_vm", Highest = "highest" }

impl Lifetimes {
    /// The lower bounds of the classes in seconds, ascending.
    fn bounds_s(&self) -> [u32; 4] {
        let hours = [self.class_2_hours, self.class_3_hours, self.class_4_hours, self.class_5_hours];
        let mut bounds = hours.map(|hours| (hours * 3_600.0) as u32);
        bounds.sort_unstable();
        bounds
    }

    /// The class of a lifetime: the number of bounds that it reaches.
    #[must_use]
    pub fn class_of(&self, life_s: u32) -> u8 {
        self.bounds_s().iter().filter(|bound| **bound <= life_s).count() as u8
    }

    /// A class in words: `10-100 h`.
    #[must_use]
    pub fn class_words(&self, class: u8) -> Phrase {
        let hours = |bound: usize| f64::from(self.bounds_s()[bound]) / 3_600.0;
        match usize::from(class) {
            0 => phrase!("< {} h", hours(0)),
            class @ 1..=3 => phrase!("{}-{} h", hours(class - 1), hours(class)),
            _ => phrase!("over {} h", hours(3)),
        }
    }

    /// The deadline of a machine that gets a class now. The longest class has no end; its deadline is ten times the
    /// length of the previous class.
    #[must_use]
    pub fn deadline_s(&self, now_s: u32, class: u8) -> u32 {
        let bounds = self.bounds_s();
        let length = match bounds.get(usize::from(class)) {
            Some(bound) => f64::from(*bound),
            None => 10.0 * f64::from(bounds[3]),
        };
        now_s.saturating_add(((length * self.deadline_factor) as u32).max(60))
    }

    /// The deadline of a machine that opens now with a class; the maximum if deadlines only run once it is full.
    #[must_use]
    pub fn opening_deadline_s(&self, now_s: u32, class: u8) -> u32 {
        match self.deadline_from {
            DeadlineFrom::Opening => self.deadline_s(now_s, class),
            DeadlineFrom::Filling => u32::MAX,
        }
    }

    /// The deadline of a machine that becomes full now and had the deadline `before_s`.
    #[must_use]
    pub fn filling_deadline_s(&self, now_s: u32, class: u8, before_s: u32) -> u32 {
        match self.deadline_from {
            DeadlineFrom::Opening => before_s,
            DeadlineFrom::Filling => self.deadline_s(now_s, class),
        }
    }

    /// Whether a machine with this share in use, 0 to 1, is full.
    #[must_use]
    pub fn is_full(&self, used_share: f64) -> bool {
        used_share * 100.0 > self.recycle_above_pct
    }

    /// The maximum age of predictions, in seconds.
    #[must_use]
    pub fn refresh_s(&self) -> u32 {
        (self.refresh_minutes * 60.0) as u32
    }
}

/// The highest class.
pub const CLASS_MAX: u8 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use tiebreak_model::Declared;

    const HOUR: u32 = 3_600;

    #[test]
    fn classes_are_by_size_whatever_their_order() {
        let usual = Lifetimes::from_values(&[]);
        let words: Vec<_> = (0..=CLASS_MAX).map(|class| usual.class_words(class).to_string()).collect();
        assert_eq!(words, ["< 1 h", "1-10 h", "10-100 h", "100-1000 h", "over 1000 h"]);
        let turned = Lifetimes {
            class_2_hours: 1_000.0,
            class_3_hours: 100.0,
            class_4_hours: 10.0,
            class_5_hours: 1.0,
            ..usual
        };
        for life_s in [0, HOUR - 1, HOUR, 10 * HOUR, 99 * HOUR, 1_000 * HOUR, u32::MAX] {
            assert_eq!(turned.class_of(life_s), usual.class_of(life_s));
        }
        assert_eq!([0, HOUR, 10 * HOUR, 100 * HOUR, 1_000 * HOUR].map(|life| usual.class_of(life)), [0, 1, 2, 3, 4]);
    }
}
