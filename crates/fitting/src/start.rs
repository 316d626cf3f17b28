//! VMs that are running at the start: their tenants, ages and remaining lifetimes.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use tiebreak_lifetime::Survived;
use tiebreak_model::{RequestId, Time, VmId, VmRow, Workload, WorkloadBuilder};

use crate::lives::{Curve, TOGETHER_MS, end_together, seen_until};
use crate::numbers::{Alike, Counts, Sharing, rounded, within};
use crate::requests::{ascending, at_quantile, warm};

/// Steps between the quantiles of ages.
const AGE_STEPS: usize = 20;
/// Age classes, the youngest first, each with its remaining lifetimes.
const AGE_CLASSES: usize = 4;

/// VMs running at the start. Their number per flavour is stored with the flavours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// VMs of each of their tenants.
    pub tenants: Counts,
    /// Their ages in hours, as quantiles in equal steps from the least to the most.
    pub ages_h: Vec<f64>,
    /// Their remaining lifetimes, those of the youngest quarter first.
    pub remaining: Vec<Curve>,
    /// How often the VMs of a tenant arrived together.
    pub came_together: Sharing,
    /// How often they end together.
    pub together: Sharing,
}

impl Start {
    pub(crate) fn of(workload: &Workload) -> Self {
        let mut of_tenant: BTreeMap<u64, Vec<(RequestId, VmId)>> = BTreeMap::new();
        let mut vms: Vec<(Time, VmId)> = Vec::new();
        for (request, vm) in warm(workload) {
            of_tenant.entry(workload.tenant(request)).or_default().push((request, vm));
            vms.push((workload.at(request), vm));
        }
        // The youngest first.
        vms.sort_by_key(|(start, vm)| (core::cmp::Reverse(*start), *vm));
        let age =
            |step: usize| rounded(Time::ZERO.since(vms[(vms.len() - 1) * step / AGE_STEPS].0).0 as f64 / 3_600_000.0);
        let (mut came, mut ended) = (Alike::default(), Alike::default());
        for vms in of_tenant.values() {
            let starts = |pair: &[(RequestId, VmId)]| workload.at(pair[1].0).since(workload.at(pair[0].0)).0;
            came.add(vms.windows(2).map(|pair| starts(pair) <= TOGETHER_MS));
            ended.add(vms.windows(2).map(|pair| end_together(workload, pair[0].1, pair[1].1)));
        }
        Self {
            tenants: Counts::of(of_tenant.values().map(|vms| vms.len() as u32).collect()),
            ages_h: if vms.is_empty() { Vec::new() } else { (0..=AGE_STEPS).map(age).collect() },
            remaining: remaining(workload, &vms),
            came_together: came.sharing(),
            together: ended.sharing(),
        }
    }

    /// The age in hours, and the curve of the remaining lifetime, for a number from 0 to just below 1.
    pub(crate) fn age(&self, unit: f64) -> (f64, Option<&Curve>) {
        let class = (unit * self.remaining.len() as f64) as usize;
        (at_quantile(&self.ages_h, unit), self.remaining.get(class))
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        self.tenants.check("VMs of a tenant")?;
        self.ages_h.iter().try_for_each(|age| within("an hour of ages_h", *age, 0.0, 1e7))?;
        ascending("ages_h", &self.ages_h)?;
        self.remaining.iter().try_for_each(Curve::check)?;
        self.came_together.check("came_together")?;
        self.together.check("together")
    }
}

/// The remaining lifetimes of each part of these VMs, from the start of the trace on.
fn remaining(workload: &Workload, vms: &[(Time, VmId)]) -> Vec<Curve> {
    let class = |part: &[(Time, VmId)]| {
        let mut rows = WorkloadBuilder::new();
        for (_, vm) in part {
            let (shape, end) = (*workload.shape_of_vm(*vm), workload.end(*vm));
            rows.push(VmRow { name: 0, tenant: 0, shape, start: Time::ZERO, end });
        }
        let rest = rows.finish(workload.horizon()).expect("a part has a VM, and fewer than the workload");
        Curve::of(&Survived::until(&rest, seen_until(workload)))
    };
    let parts = (0..AGE_CLASSES).map(|part| {
        let bound = |part: usize| vms.len() * part / AGE_CLASSES;
        &vms[bound(part)..bound(part + 1)]
    });
    // With fewer VMs than parts, some parts would be empty: use a single one.
    if vms.len() < AGE_CLASSES { vms.chunks(AGE_CLASSES).map(class).collect() } else { parts.map(class).collect() }
}
