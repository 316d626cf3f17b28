//! The cost of links between VMs: the same VMs in the same zone, one at a time, without links, with links that are
//! only reserved, and under the rules that use them (Gridiron section III).

use super::case::{Case, engine, in_turns};
use super::figure::{Bar, Side, growth};
use super::zone::Zone;
use super::{Bench, named};
use tiebreak_console::answer::Failure;
use tiebreak_console::shown::count;

/// Concurrent VMs of every VDC, all linked with each other.
const VDC_VMS: u32 = 30;

const WITH_NETWORK_PER_SECOND: Bar = Bar(Side::AtLeast, 60_000.0);

/// The cost may grow with the VDC, at most linearly, but not with the datacenter.
const GROWTH_WITH_VDC: Bar = Bar(Side::AtMost, 1.0);
const GROWTH_WITH_ZONE: Bar = Bar(Side::AtMost, 0.25);

const BANDWIDTH: &str = "BandwidthAvailable";

/// Rules added to the default policy and `BandwidthAvailable`.
const BESIDES: [&str; 5] = ["ColocateVdc", "KeepVdcClose", "SpreadVdc", "CapsColocation", "LeastLoadedUplink"];

/// The sizes for measuring reservations: zones with their days, and VDC sizes in VMs for the second zone.
pub(super) struct Reach {
    pub(super) zones: [(u32, f64); 3],
    pub(super) vdcs: &'static [u32],
}

impl Bench {
    /// The default policy with rules that use links, and the cost of reservations alone.
    pub(super) fn network(&mut self) -> Result<(), Failure> {
        self.under_network_rules()?;
        if !self.only.is_empty() {
            return Ok(());
        }
        let vdcs = self.by_vdc()?;
        self.figure("exponent of the time that reserving takes over VMs of a VDC".into(), vdcs, Some(GROWTH_WITH_VDC));
        let zones = self.by_zone()?;
        self.figure("exponent of the time that reserving takes over machines".into(), zones, Some(GROWTH_WITH_ZONE));
        Ok(())
    }

    fn under_network_rules(&mut self) -> Result<(), Failure> {
        let size = self.sizes.preset;
        let plain = Zone::of(size)?.in_vdcs(VDC_VMS);
        let linked = plain.linked(&[])?;
        let mut zones = vec![("no links".to_owned(), plain), ("links, no rule".into(), linked)];
        zones.push((BANDWIDTH.into(), zones[0].1.linked(&[BANDWIDTH])?));
        for rule in BESIDES {
            zones.push((format!("{BANDWIDTH} and {rule}"), zones[0].1.linked(&[BANDWIDTH, rule])?));
        }
        zones.retain(|(what, _)| what.contains(&self.only));
        let runners: Vec<_> =
            zones.iter().map(|(what, zone)| engine(named(&in_vdcs(what, VDC_VMS), size), zone, true)).collect();
        let cases = in_turns(self.sizes.runs, &runners)?;
        for (case, (what, _)) in cases.iter().zip(&zones).filter(|(_, (what, _))| what.contains(BANDWIDTH)) {
            let name = format!("placements a second, VDCs of {VDC_VMS}, {what}");
            self.figure(name, case.placements_per_second, Some(WITH_NETWORK_PER_SECOND));
        }
        self.cases.extend(cases);
        Ok(())
    }

    /// VDCs of several sizes in one zone: the exponent of the cost of reservations.
    fn by_vdc(&mut self) -> Result<f64, Failure> {
        let (size, mut points) = (self.sizes.reach.zones[1], Vec::new());
        for vms in self.sizes.reach.vdcs {
            points.push((f64::from(*vms), self.reserving(size, *vms)?));
        }
        Ok(growth(&points))
    }

    /// The same VDCs in zones of several sizes.
    fn by_zone(&mut self) -> Result<f64, Failure> {
        let mut points = Vec::new();
        for size in self.sizes.reach.zones {
            points.push((f64::from(size.0), self.reserving(size, VDC_VMS)?));
        }
        Ok(growth(&points))
    }

    /// The time that links add to a placement, including the VM's departure, in microseconds.
    fn reserving(&mut self, size: (u32, f64), vms: u32) -> Result<f64, Failure> {
        let plain = Zone::of(size)?.in_vdcs(vms);
        let linked = plain.linked(&[])?;
        let case = |what, zone| engine(named(&in_vdcs(what, vms), size), zone, true);
        let cases = in_turns(self.sizes.runs, &[case("no links", &plain), case("links, no rule", &linked)])?;
        let [without, with] = [&cases[0], &cases[1]].map(placement_us);
        let name = format!("µs that reserving adds to a placement, VDCs of {vms}, {} machines", count(size.0.into()));
        self.figure(name, with - without, None);
        self.cases.extend(cases);
        // The difference of two similar times may come out negative.
        Ok((with - without).max(0.01))
    }
}

fn placement_us(case: &Case) -> f64 {
    1e6 / case.placements_per_second
}

fn in_vdcs(what: &str, vms: u32) -> String {
    format!("VDCs of {vms}, {what}")
}
