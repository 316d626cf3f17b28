//! Shares of cores that power budgets depend on and the power paper does not publish, as options of every command that
//! computes budgets.

use tiebreak_console::answer::Failure;
use tiebreak_console::given::{Given, Opt};
use tiebreak_power::TreatedShares;

/// The share of allocated cores.
pub const ALLOCATED: Opt =
    Opt { name: "allocated", value: Some("%"), help: "allocated share of the cores, for power budgets; 100" };

/// The share of batch cores that may be throttled if only the provider's own VMs may be.
pub const INTERNAL: Opt = Opt {
    name: "internal",
    value: Some("%"),
    help: "share of the batch cores that belong to the provider's own VMs, for power budgets; 50",
};

/// The same if those of customers who do not pay for more may be throttled as well.
pub const NON_PREMIUM: Opt = Opt {
    name: "non-premium",
    value: Some("%"),
    help: "share of the batch cores that belong to these VMs or to customers' without a premium; 90",
};

/// Whose batch cores may be throttled first, by the options.
pub fn treated_shares(given: &Given) -> Result<TreatedShares, Failure> {
    let TreatedShares { internal, non_premium } = TreatedShares::default();
    Ok(TreatedShares {
        internal: given.share(INTERNAL.name)?.unwrap_or(internal),
        non_premium: given.share(NON_PREMIUM.name)?.unwrap_or(non_premium),
    })
}
