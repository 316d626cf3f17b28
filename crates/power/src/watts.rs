//! The draw of a server, from the frequency and utilization of its cores. (Section IV-A)

/// The frequencies that a single core can have: from the nominal one to half of it, in steps of a twentieth. The
/// paper says that half is the minimum (section III-D); the steps are ours, about 100 MHz for 2 GHz cores.
pub const P_STATES: usize = 11;

/// The resolution of mean frequencies: hundredths, since RAPL alternates between p-states.
pub(crate) const STEPS: usize = 51;

/// The step of the nominal frequency. Step 0 is half of it.
pub(crate) const NOMINAL: u8 = STEPS as u8 - 1;

/// Steps from one p-state to the next.
pub(crate) const P_STATE: u8 = NOMINAL / (P_STATES as u8 - 1);

/// The frequency of a p-state, as a share of the nominal one: 0.5 to 1.
///
/// # Panics
/// If there is no such state: they are 0 to [`P_STATES`] - 1.
#[must_use]
pub fn frequency(state: u8) -> f64 {
    frequency_at(P_STATE * state)
}

/// The frequency of a step.
pub(crate) fn frequency_at(step: u8) -> f64 {
    assert!(step <= NOMINAL, "no core is faster than nominal");
    f64::from(NOMINAL + step) / f64::from(2 * NOMINAL)
}

/// The power model of a kind of server. The default is the paper's: 112 to 310 W at the nominal frequency, 111 to 169
/// W at half of it, 40 cores.
///
/// Every core has an even share of the server's draw: a base, and a dynamic part that grows with its utilization.
/// Both are published for two frequencies. Between them the base is linear and the dynamic part a power of the
/// frequency that fits both: 1.77 by default. This is our choice, between the exponents 1 of slower clocks alone and
/// 3 of a voltage that falls with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServerPower {
    /// The idle draw at the nominal frequency, in watts.
    pub idle_w: f64,
    /// The draw with all cores busy at the nominal frequency, in watts; above `idle_w`.
    pub full_w: f64,
    /// The idle draw at half the nominal frequency, in watts; at most `idle_w`.
    pub half_idle_w: f64,
    /// The draw with all cores busy at half the nominal frequency, in watts; above `half_idle_w`, and with a smaller
    /// difference to it than that of `full_w` to `idle_w`.
    pub half_full_w: f64,
    /// Physical cores of the server; at least 1.
    pub cores: u32,
}

impl Default for ServerPower {
    fn default() -> Self {
        Self { idle_w: 112.0, full_w: 310.0, half_idle_w: 111.0, half_full_w: 169.0, cores: 40 }
    }
}

impl ServerPower {
    /// Watts of one core at a frequency from 0.5 to 1 of the nominal one and a utilization from 0 to 1, including its
    /// share of the server's base.
    #[must_use]
    pub fn core_w(&self, frequency: f64, utilization: f64) -> f64 {
        self.base_w(frequency) + utilization * self.dynamic_w(frequency)
    }

    /// Watts of a server if all of its cores have this frequency (0.5 to 1) and this mean utilization (0 to 1).
    #[must_use]
    pub fn server_w(&self, frequency: f64, utilization: f64) -> f64 {
        f64::from(self.cores) * self.core_w(frequency, utilization)
    }

    /// Whether the model is valid: numbers are positive, and none is lower for more work or a higher frequency.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let Self { idle_w, full_w, half_idle_w, half_full_w, cores } = *self;
        let adds = |full: f64, idle: f64| full.is_finite() && full > idle;
        let base = half_idle_w >= 0.0 && idle_w >= half_idle_w;
        base && adds(full_w, idle_w)
            && adds(half_full_w, half_idle_w)
            && cores > 0
            && full_w - idle_w >= half_full_w - half_idle_w
    }

    /// The idle draw of one core.
    fn base_w(&self, frequency: f64) -> f64 {
        let slope = 2.0 * (self.idle_w - self.half_idle_w);
        (self.idle_w - slope * (1.0 - frequency)) / f64::from(self.cores)
    }

    /// The additional draw of one busy core.
    fn dynamic_w(&self, frequency: f64) -> f64 {
        let (full, half) = (self.full_w - self.idle_w, self.half_full_w - self.half_idle_w);
        let power = libm::log2(full / half);
        full * libm::pow(frequency, power) / f64::from(self.cores)
    }
}

/// The same for every step, computed once.
#[derive(Clone, Debug)]
pub(crate) struct ByStep {
    /// The idle draw of a core.
    pub(crate) base_w: [f64; STEPS],
    /// The additional draw of a busy core.
    pub(crate) dynamic_w: [f64; STEPS],
}

impl ByStep {
    pub(crate) fn of(power: &ServerPower) -> Self {
        let each = |of: &dyn Fn(f64) -> f64| core::array::from_fn(|step| of(frequency_at(step as u8)));
        Self {
            base_w: each(&|frequency| power.base_w(frequency)),
            dynamic_w: each(&|frequency| power.dynamic_w(frequency)),
        }
    }

    /// Watts of some cores at one step, of which `busy` are busy.
    pub(crate) fn cores_w(&self, step: u8, cores: f64, busy: f64) -> f64 {
        cores * self.base_w[usize::from(step)] + busy * self.dynamic_w[usize::from(step)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn the_published_points_are_met() {
        let power = ServerPower::default();
        for (frequency, utilization, watts) in
            [(1.0, 0.0, 112.0), (1.0, 1.0, 310.0), (0.5, 0.0, 111.0), (0.5, 1.0, 169.0), (1.0, 0.5, 211.0)]
        {
            near(power.server_w(frequency, utilization), watts);
        }
    }

    #[test]
    fn more_work_and_higher_frequencies_draw_more() {
        let power = ServerPower::default();
        for state in 1..P_STATES as u8 {
            let (below, here) = (frequency(state - 1), frequency(state));
            for utilization in [0.0, 0.3, 1.0] {
                assert!(power.core_w(here, utilization) > power.core_w(below, utilization), "{here}");
            }
            assert!(power.core_w(here, 0.6) > power.core_w(here, 0.5), "{here}");
        }
    }

    #[test]
    fn cores_sum_to_the_server() {
        let power = ServerPower::default();
        near((0..40).map(|core| power.core_w(0.75, f64::from(core) / 40.0)).sum(), power.server_w(0.75, 19.5 / 40.0));
    }

    #[test]
    fn every_step_says_what_the_formula_says() {
        let (power, by_step) = (ServerPower::default(), ByStep::of(&ServerPower::default()));
        assert_eq!([frequency(0), frequency(5), frequency(10)], [0.5, 0.75, 1.0]);
        for step in 0..=NOMINAL {
            near(by_step.cores_w(step, 40.0, 10.0), power.server_w(frequency_at(step), 0.25));
        }
    }

    #[test]
    fn servers_that_cannot_be_are_known() {
        let paper = ServerPower::default();
        assert!(paper.is_sound());
        for wrong in [
            ServerPower { full_w: 100.0, ..paper },
            ServerPower { half_idle_w: 120.0, ..paper },
            ServerPower { half_full_w: 500.0, ..paper },
            ServerPower { half_full_w: f64::NAN, ..paper },
            ServerPower { cores: 0, ..paper },
        ] {
            assert!(!wrong.is_sound(), "{wrong:?}");
        }
    }
}
