//! The states of machines over time, as the engine sends them: one byte per machine and quantity.

use tiebreak_engine::protocol::Layout;

use super::colouring::Colouring;

/// The state of every machine, at the sampled moments or only now.
#[derive(Default)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    machines: usize,
    /// Bytes per machine in a frame.
    planes: usize,
    has_lives: bool,
    has_uplinks: bool,
    has_draws: bool,
    /// Counts replacements.
    pub(super) version: u32,
    /// The fill levels at a moment between two frames, if requested.
    between: Option<(f64, Vec<u8>)>,
}

/// The machines at one moment, one byte each.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) fullness: &'a [u8],
    /// Empty if lifetimes are unknown.
    pub(super) lives: &'a [u8],
    /// Empty if VMs are not linked.
    pub(super) uplinks: &'a [u8],
    /// Empty if power draw is not measured.
    pub(super) draws: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The shares that the colours show, one byte each, if they show a share.
    pub(super) fn shares(&self, told: Colouring) -> &'a [u8] {
        match told {
            Colouring::Uplinks => self.uplinks,
            Colouring::Draw => self.draws,
            Colouring::Cores | Colouring::Class => &[],
        }
    }
}

impl Frames {
    /// Replaces all frames.
    pub(super) fn replace(&mut self, bytes: Vec<u8>, layout: &Layout) {
        (self.bytes, self.machines) = (bytes, layout.machines as usize);
        (self.has_lives, self.has_uplinks) = (!layout.classes.is_empty(), layout.has_uplinks);
        self.has_draws = layout.has_draws;
        self.planes = 1 + [self.has_lives, self.has_uplinks, self.has_draws].map(usize::from).iter().sum::<usize>();
        self.version += 1;
        self.between = None;
    }

    /// Sets the machines at a moment, one byte each.
    pub(super) fn told(&mut self, time: f64, bytes: Vec<u8>) {
        if bytes.len() == self.machines {
            self.between = Some((time, bytes));
            self.version += 1;
        }
    }

    /// The machines at `time`.
    pub(super) fn at(&self, frame_times: &[f64], time: f64) -> Frame<'_> {
        let index = frame_times.partition_point(|taken| *taken <= time).saturating_sub(1);
        let plane = |plane: usize, there: bool| {
            let from = (index * self.planes + plane) * self.machines;
            self.bytes.get(from..from + self.machines).filter(|_| there).unwrap_or(&[])
        };
        let between = self.between.as_ref().filter(|(told, _)| *told == time);
        Frame {
            fullness: between.map_or_else(|| plane(0, true), |(_, bytes)| bytes),
            lives: plane(1, self.has_lives),
            uplinks: plane(1 + usize::from(self.has_lives), self.has_uplinks),
            draws: plane(self.planes.saturating_sub(1), self.has_draws),
        }
    }
}
