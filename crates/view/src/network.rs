//! Virtual datacenters on the page: their profile, the possible bandwidth of links, and whether they can fit at all
//! (Gridiron sections III-B and III-E).

use tiebreak_app::App;
use tiebreak_engine::protocol::{VDC_SIZES, VdcProfile};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_model::{Bottleneck, Bounds};
use tiebreak_sim::Linking;

/// The rule that keeps links within the capacity of uplinks.
pub const GUARD: &str = "BandwidthAvailable";

/// The rule that caps how many VMs of a VDC share a machine.
const CAP: &str = "CapsColocation";

/// Whether VMs are linked.
#[must_use]
pub fn is_linked(app: &App) -> bool {
    app.variant().vdcs.topology != Linking(None)
}

/// Whether the list keeps links within the capacity of uplinks.
#[must_use]
pub fn is_guarded(app: &App) -> bool {
    rule(app, GUARD).is_some()
}

/// The first parameter of a rule that is on, or 0 if it has none.
fn rule(app: &App, id: &str) -> Option<f64> {
    let row = app.variant().rules.iter().find(|row| row.on && row.id == id)?;
    Some(row.values.first().copied().unwrap_or(0.0))
}

/// A short summary for the closed panel.
#[must_use]
pub fn in_short(app: &App) -> String {
    if !is_linked(app) {
        return tr("off: VMs are not linked").into();
    }
    let bpc = words::count(f64::from(app.variant().vdcs.bpc_mbps));
    let links = say("{bpc} Mbit/s per core", &[&bpc]);
    match problem(app) {
        Some(_) => say("{links}; problematic by construction", &[&links]),
        None if !is_guarded(app) => say("{links}; {GUARD} is off", &[&links, &GUARD]),
        None => links,
    }
}

/// The introduction of the panel.
#[must_use]
pub fn about(app: &App) -> String {
    if is_linked(app) {
        tr("The VMs of a tenant form a virtual datacenter: each link between two of them has a guaranteed bandwidth, \
             which it uses on every uplink along its path. Links within a machine use none. Colour the map by \
             uplinks, and select a VM to see its links.")
        .into()
    } else {
        tr("VMs are not linked, so the network carries nothing. Choose a topology: the VMs of each tenant become a virtual \
            datacenter.")
        .into()
    }
}

/// The input of a calculation: the largest uplink in Gbit/s, concurrent VMs of a VDC, VMs of it on one machine, and
/// cores of the largest VM.
pub type Asked = [f64; 4];

/// The scenario's values.
#[must_use]
pub fn of_scenario(app: &App) -> Asked {
    let profile = app.front.live.as_ref().and_then(|live| live.vdcs.as_deref());
    let network = &app.variant().network;
    let uplink = f64::from(network.uplinks) * network.uplink_gbps;
    let peak = f64::from(app.variant().vdcs.peak_vms);
    let vms = profile.map_or(peak, |profile| f64::from(profile.peaks[2]));
    let together = rule(app, CAP).unwrap_or(vms).min(vms);
    [uplink, vms, together, profile.map_or(16.0, |profile| f64::from(profile.largest_cores_milli) / 1_000.0)]
}

/// The bounds for this input; `None` if a VDC has fewer than two VMs.
#[must_use]
pub fn bounds(asked: Asked) -> Option<Bounds> {
    let [uplink_gbps, vms, together, _] = asked;
    Bounds::of((uplink_gbps * 1_000.0) as u64, vms as u32, together as u32)
}

/// One bound on a link's bandwidth.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundRow {
    /// What would exceed capacity above it.
    pub what: &'static str,
    /// How it is computed.
    pub formula: String,
    /// Mbit/s.
    pub mbps: String,
    /// Whether it is the tightest.
    pub binds: bool,
}

/// The three bounds, row by row.
#[must_use]
pub fn rows(asked: Asked, bounds: &Bounds) -> [BoundRow; 3] {
    let [uplink, vms, together, _] = asked.map(|number| words::trimmed(number, 2));
    let row = |by, what, formula, mbps: u64| BoundRow {
        what,
        formula,
        mbps: words::count(mbps as f64),
        binds: bounds.binding == by,
    };
    let crossing = bounds.links_crossing;
    [
        row(Bottleneck::Link, tr("One link over one uplink"), say("{uplink} Gbit/s", &[&uplink]), bounds.link_mbps),
        row(
            Bottleneck::Peering,
            tr("All links of one VM"),
            say("{uplink} Gbit/s over {vms} - 1", &[&uplink, &vms]),
            bounds.peering_mbps,
        ),
        row(
            Bottleneck::Colocation,
            tr("All links of VMs that share a machine"),
            say("{uplink} Gbit/s over {crossing} links, {together} VMs together", &[&uplink, &crossing, &together]),
            bounds.colocation_mbps,
        ),
    ]
}

/// The possible bandwidth per core for the largest VMs, in Mbit/s.
#[must_use]
pub fn bpc_mbps(asked: Asked, bounds: &Bounds) -> u64 {
    bounds.bpc_mbps((asked[3] * 1_000.0) as u32)
}

/// The conclusion from the bounds, in one sentence.
#[must_use]
pub fn verdict(asked: Asked, bounds: Option<&Bounds>) -> String {
    let Some(bounds) = bounds else {
        return tr("A virtual datacenter of one VM has no links, so no bound applies.").into();
    };
    let (mbps, bpc) = (words::count(bounds.bandwidth_mbps as f64), words::count(bpc_mbps(asked, bounds) as f64));
    let cores = words::trimmed(asked[3], 2);
    let mut told = say(
        "With at most {mbps} Mbit/s per link, an empty datacenter can hold every VDC: {bpc} Mbit/s per core if the \
         largest VM has {cores}.",
        &[&mbps, &bpc, &cores],
    );
    if asked[2] * 2.0 >= asked[1] && asked[2] > 1.0 {
        told += " ";
        told += tr("The worst case is half of the VMs on one machine, so a larger limit changes nothing.");
    }
    told
}

/// Why the scenario's workload can never fit, whatever the rules; `None` if it can.
#[must_use]
pub fn problem(app: &App) -> Option<String> {
    let profile = app.front.live.as_ref()?.vdcs.as_deref()?;
    let asked = of_scenario(app);
    let bounds = bounds(asked)?;
    let mbps = f64::from(app.variant().vdcs.bpc_mbps) * f64::from(profile.largest_cores_milli) / 1_000.0;
    let over: Vec<_> = [
        (tr("one link"), bounds.link_mbps),
        (tr("all links of one VM (peering)"), bounds.peering_mbps),
        (tr("VMs that share a machine (co-location)"), bounds.colocation_mbps),
    ]
    .into_iter()
    .filter(|(_, bound)| mbps > *bound as f64)
    .map(|(what, _)| what)
    .collect();
    let what = over.first()?;
    Some(say(
        "Problematic by construction: the largest links have {mbps} Mbit/s, but an empty datacenter can only \
         guarantee {bound}. {what} can exceed what an uplink carries. Reduce the bandwidth per core, the VMs of a \
         VDC, or the limit of VMs per machine.",
        &[&words::count(mbps), &words::count(bounds.bandwidth_mbps as f64), &words::capitalized(what)],
    ))
}

/// A profile of the workload's VDCs, in one sentence.
#[must_use]
pub fn profile(profile: &VdcProfile) -> String {
    let [half, most, all] = profile.peaks.map(|peak| words::count(f64::from(peak)));
    say(
        "{vdcs} virtual datacenters with {vms} VMs over the whole run. Concurrent VMs per VDC: median {half}, 90th \
         percentile {most}, maximum {all}.",
        &[&words::count(f64::from(profile.vdcs)), &words::count(f64::from(profile.vms)), &half, &most, &all],
    )
}

/// The size classes in words, with the number of VDCs in each.
#[must_use]
pub fn sizes(profile: &VdcProfile) -> Vec<(String, u32)> {
    let named = |(from, to): (u32, u32)| match (from, to) {
        (from, u32::MAX) => say("{from} and more", &[&from]),
        (from, to) if from == to => from.to_string(),
        (from, to) => say("{from} to {to}", &[&from, &to]),
    };
    VDC_SIZES.into_iter().map(named).zip(profile.by_size.iter().copied()).collect()
}

/// The oversubscription of racks' uplinks, in one sentence; `None` if VMs are not linked.
#[must_use]
pub fn oversubscription(app: &App) -> Option<String> {
    let network = &app.variant().network;
    let racks = app.variant().clusters.iter().map(|row| row.settings.machines.div_ceil(row.settings.racks.max(1)));
    let machines = racks.max().filter(|_| is_linked(app))?;
    Some(match network.oversubscription(machines) {
        Some(times) if times > 1.0 => say(
            "Oversubscribed {times} to 1: the {machines} machines of a rack can send that many times what its uplinks \
             carry.",
            &[&words::fixed(times, 1), &machines],
        ),
        Some(_) => tr("Not oversubscribed: a rack's uplinks carry all that its machines can send.").into(),
        None => tr("Racks have no uplinks, so the VMs of a virtual datacenter must share a rack.").into(),
    })
}
