//! Conflict avoidance: when agents collide often, choose more widely (Protean section 5.3).

use alloc::collections::VecDeque;

/// The most recent commits, and how many of them failed.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    size: usize,
    failed: VecDeque<bool>,
    failures: u32,
}

impl Window {
    /// For at most this many commits.
    pub(crate) fn new(size: u32) -> Self {
        Self { size: size.max(1) as usize, failed: VecDeque::new(), failures: 0 }
    }

    /// A commit was answered.
    pub(crate) fn note(&mut self, failed: bool) {
        if self.failed.len() == self.size {
            let oldest = self.failed.pop_front();
            self.failures -= u32::from(oldest == Some(true));
        }
        self.failed.push_back(failed);
        self.failures += u32::from(failed);
    }

    /// The share that failed, 0 to 1.
    pub(crate) fn failed_share(&self) -> f64 {
        if self.failed.is_empty() { 0.0 } else { f64::from(self.failures) / self.failed.len() as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_most_recent_commits_count() {
        let mut window = Window::new(4);
        assert_eq!(window.failed_share(), 0.0);
        for (failed, share) in [(true, 1.0), (false, 0.5), (false, 1.0 / 3.0), (true, 0.5), (true, 0.5), (true, 0.75)] {
            window.note(failed);
            assert_eq!(window.failed_share(), share);
        }
    }
}
