//! Generated tenants: their placement terms, how they grow and how they end (Protean sections 2.1 and 2.2).
//!
//! Each tenant has its own random generator and always takes the same draws in the same order. So changing one share
//! leaves all other draws unchanged, including requests' sizes, types and lifetimes.

use alloc::vec::Vec;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_model::random::Stream;
use tiebreak_model::{Scope, TenantTerms};

use super::generate::{GeneratedWorkload, unit};

/// Mean number of VMs that a growing tenant adds: 1 to 3 requests of 1 to 5 VMs.
pub(crate) const GROWN_VMS_MEAN: f64 = 2.0 * 3.0;

/// A tenant with more VMs than this does not require a single rack, which could hardly hold it.
const VMS_IN_A_RACK_MAX: u32 = 10;

/// One tenant, except for its first VMs.
pub(crate) struct Habits {
    /// The terms of all its VMs.
    pub(crate) terms: TenantTerms,
    /// Whether its VMs end together.
    pub(crate) deleted_whole: bool,
    /// Its later requests.
    pub(crate) scale_outs: Vec<ScaleOut>,
    /// Its further draws: the lifetimes of the VMs it adds.
    pub(crate) draws: Xoshiro256PlusPlus,
}

/// A later request of a tenant.
pub(crate) struct ScaleOut {
    /// The time, as a share of the tenant's lifetime.
    pub(crate) when: f64,
    /// The number of VMs requested.
    pub(crate) vms: u32,
}

impl Habits {
    /// The habits of a tenant that first requests this many VMs; `grows` is the share of such tenants that grow.
    pub(crate) fn draw(settings: &GeneratedWorkload, stream: Stream, tenant: u64, vms: u32, grows: f64) -> Self {
        let mut draws = Xoshiro256PlusPlus::seed_from_u64(stream.draw(tenant, 0));
        let luck: [f64; 8] = core::array::from_fn(|_| unit(&mut draws));
        let [spread, racks, co_located, scope, isolated, capped, cap, deleted] = luck;
        let scale_outs = scale_outs(grows, &mut draws);
        let vms = vms + scale_outs.iter().map(|later| later.vms).sum::<u32>();
        let several = |luck: f64, share: f64| vms > 1 && luck * 100.0 < share;
        let mut terms = TenantTerms { isolated: isolated * 100.0 < settings.isolated, ..TenantTerms::NONE };
        if several(spread, settings.fault_domains) {
            terms.fault_domains = (2 + (racks * 4.0) as u16).min(u16::try_from(vms).unwrap_or(u16::MAX));
        }
        if several(co_located, settings.co_located) {
            terms.scope = scope_of(scope, terms.fault_domains > 1 || vms > VMS_IN_A_RACK_MAX);
        }
        if several(capped, settings.capped) {
            terms.per_machine = 1 + (cap * 2.0) as u16;
        }
        Self { terms, deleted_whole: several(deleted, settings.deleted_whole), scale_outs, draws }
    }
}

/// Datacenter, cluster and rack are equally likely; a cluster if one rack is too small.
fn scope_of(luck: f64, more_than_a_rack: bool) -> Scope {
    match Scope::ALL[1 + (luck * 3.0) as usize] {
        Scope::Rack if more_than_a_rack => Scope::Cluster,
        scope => scope,
    }
}

fn scale_outs(grows: f64, draws: &mut Xoshiro256PlusPlus) -> Vec<ScaleOut> {
    let (luck, count) = (unit(draws), unit(draws));
    let count = if luck < grows { 1 + (count * 3.0) as u32 } else { 0 };
    (0..count).map(|_| ScaleOut { when: unit(draws), vms: 1 + (unit(draws) * 5.0) as u32 }).collect()
}
