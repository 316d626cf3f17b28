//! The eight ways to provision power that the paper compares, and their savings. (Section IV-F, Table IV)

use tiebreak_model::phrase::mark;

use crate::oversubscription::{Budget, BudgetFault, History, Limit, Limits, Terms, TreatedShares};

/// Whose VMs may be throttled before others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treated {
    /// No VMs: there is no capping, or capping does not distinguish VMs.
    Nobody,
    /// All that are not user-facing.
    All,
    /// Only the provider's own; those of customers count as user-facing.
    Internal,
    /// The provider's own, and those of customers who do not pay for more.
    InternalAndNonPremium,
}

impl Treated {
    /// The share of the batch cores that may be treated as such, from 0 to 1.
    #[must_use]
    pub fn share(self, shares: &TreatedShares) -> f64 {
        match self {
            Self::Nobody | Self::All => 1.0,
            Self::Internal => shares.internal,
            Self::InternalAndNonPremium => shares.non_premium,
        }
    }
}

/// A way to provision power.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Its name on command lines and in links.
    pub id: &'static str,
    /// Its name in the paper's table.
    pub title: &'static str,
    /// The limits of capping; `None` without oversubscription.
    pub limits: Option<Limits>,
    /// Whose VMs are throttled first.
    pub treated: Treated,
    /// How much lower the paper's chassis budget is than the provisioned power, in percent.
    pub paper_delta_pct: f64,
}

/// Full-server capping: rare and light, because it affects all VMs.
const FULL_SERVER: Limits = Limits {
    user_facing: Limit { rate: 0.001, frequency: 0.75 },
    batch: Limit { rate: 0.0, frequency: 0.75 },
    per_vm: false,
};

const NO_IMPACT: Limits = Limits {
    user_facing: Limit { rate: 0.0, frequency: 1.0 },
    batch: Limit { rate: 0.01, frequency: 0.5 },
    per_vm: true,
};

const MINIMAL_IMPACT: Limits = Limits {
    user_facing: Limit { rate: 0.001, frequency: 0.75 },
    batch: Limit { rate: 0.009, frequency: 0.5 },
    per_vm: true,
};

/// The paper's eight, in its order.
pub static APPROACHES: [Approach; 8] = [
    Approach {
        id: "traditional",
        title: mark("Traditional"),
        limits: None,
        treated: Treated::Nobody,
        paper_delta_pct: 0.0,
    },
    Approach {
        id: "full-server",
        title: mark("State of the art"),
        limits: Some(FULL_SERVER),
        treated: Treated::Nobody,
        paper_delta_pct: 6.2,
    },
    Approach {
        id: "all",
        title: mark("Predictions for all VMs, no UF impact"),
        limits: Some(NO_IMPACT),
        treated: Treated::All,
        paper_delta_pct: 11.0,
    },
    Approach {
        id: "all-minimal",
        title: mark("Predictions for all VMs, minimal UF impact"),
        limits: Some(MINIMAL_IMPACT),
        treated: Treated::All,
        paper_delta_pct: 12.1,
    },
    Approach {
        id: "internal",
        title: mark("Predictions for internal VMs, no UF impact"),
        limits: Some(NO_IMPACT),
        treated: Treated::Internal,
        paper_delta_pct: 8.4,
    },
    Approach {
        id: "internal-minimal",
        title: mark("Predictions for internal VMs, minimal UF impact"),
        limits: Some(MINIMAL_IMPACT),
        treated: Treated::Internal,
        paper_delta_pct: 10.3,
    },
    Approach {
        id: "non-premium",
        title: mark("Predictions for internal and non-premium external VMs, no UF impact"),
        limits: Some(NO_IMPACT),
        treated: Treated::InternalAndNonPremium,
        paper_delta_pct: 10.6,
    },
    Approach {
        id: "non-premium-minimal",
        title: mark("Predictions for internal and non-premium external VMs, minimal UF impact"),
        limits: Some(MINIMAL_IMPACT),
        treated: Treated::InternalAndNonPremium,
        paper_delta_pct: 12.1,
    },
];

impl Approach {
    /// Its budget for a history; `None` without oversubscription.
    ///
    /// # Errors
    /// As [`History::walk`].
    pub fn budget(&self, history: &History, terms: &Terms) -> Result<Option<Budget>, BudgetFault> {
        let terms = Terms { mix: terms.mix.protecting(self.treated.share(&terms.treated)), ..*terms };
        self.limits.as_ref().map(|limits| history.walk(&terms, limits)).transpose()
    }
}

/// A site and its cost. The default is the paper's: 128 MW at 10 $/W.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Site {
    /// Its power in megawatts, above 0.
    pub megawatts: f64,
    /// The cost of its infrastructure, in dollars per watt, above 0.
    pub dollars_per_watt: f64,
}

impl Default for Site {
    fn default() -> Self {
        Self { megawatts: 128.0, dollars_per_watt: 10.0 }
    }
}

impl Site {
    /// The saved construction cost in dollars if chassis budgets are lower by this share.
    #[must_use]
    pub fn saved_dollars(&self, delta: f64) -> f64 {
        delta * self.megawatts * 1e6 * self.dollars_per_watt
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::vec;

    use super::*;

    #[test]
    fn dollars_are_those_of_the_paper() {
        for (delta_pct, millions) in
            [(6.2, 79.4), (11.0, 140.8), (12.1, 154.9), (8.4, 107.5), (10.3, 131.8), (10.6, 135.7)]
        {
            let found = Site::default().saved_dollars(delta_pct / 100.0) / 1e6;
            assert!((found - millions).abs() < 0.05, "{found} instead of {millions}");
        }
    }

    #[test]
    fn the_list_is_the_papers() {
        let ids: BTreeSet<_> = APPROACHES.iter().map(|approach| approach.id).collect();
        assert_eq!(ids.len(), 8);
        let rates = |approach: &Approach| approach.limits.map(|it| it.user_facing.rate + it.batch.rate);
        let rates: alloc::vec::Vec<_> = APPROACHES.iter().filter_map(rates).collect();
        assert!(
            rates
                .iter()
                .zip([0.001, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01])
                .all(|(one, other)| (one - other).abs() < 1e-12)
        );
    }

    #[test]
    fn protecting_more_leaves_less_to_shave() {
        let history = History::new(vec![3_300.0, 2_900.0, 2_850.0, 2_500.0, 2_400.0]).expect("draws");
        let shaved = |index: usize| {
            let budget = APPROACHES[index].budget(&history, &Terms::default()).expect("sound terms");
            budget.expect("a way to oversubscribe").batch_w
        };
        assert!(shaved(2) > shaved(6) && shaved(6) > shaved(4));
        assert_eq!(APPROACHES[0].budget(&history, &Terms::default()), Ok(None));
    }
}
