//! Creates the preset `azure-2019`: Microsoft's published statistics of all of Azure in 2019 (the aggregates of its
//! public dataset V2, CC BY 4.0), combined with the preset `azure-2020` for everything else.
//!
//! `cargo run -p tiebreak-fitting --example azure_2019 > crates/fitting/presets/azure-2019.json`

use tiebreak_fitting::{Counts, Curve, Fitted, Flavour, LEVELS, Preset, SIZE_CLASSES};

/// Upper bounds of buckets of cores and their shares in percent of VMs; the open one, above 24, counts as 30.
const CORES: [(u32, f64); 6] = [(2, 58.2), (4, 22.9), (8, 12.0), (12, 0.1), (24, 5.6), (30, 1.2)];
/// The same for memory in GiB; above 64 counts as 70.
const MEMORY: [(u32, f64); 6] = [(2, 12.1), (4, 16.5), (8, 32.8), (32, 28.7), (64, 6.4), (70, 3.6)];
/// Percent of deployments of at most this many VMs; larger ones count as up to 100.
const DEPLOYMENTS: [(u32, f64); 18] = [
    (1, 47.021),
    (2, 62.791),
    (3, 70.529),
    (4, 75.673),
    (5, 79.052),
    (6, 81.796),
    (7, 83.488),
    (8, 85.161),
    (9, 86.553),
    (10, 87.884),
    (12, 89.559),
    (15, 91.304),
    (20, 93.439),
    (25, 94.731),
    (30, 95.613),
    (40, 96.714),
    (50, 97.378),
    (100, 100.0),
];
/// Percent of VMs with a lifetime of at most this many hours.
const LIVES: [(f64, f64); 33] = [
    (0.0, 0.0),
    (0.1, 20.9),
    (0.2, 31.1),
    (0.3, 44.1),
    (0.4, 48.4),
    (0.5, 51.8),
    (0.6, 54.7),
    (0.7, 57.0),
    (0.8, 60.5),
    (0.9, 62.1),
    (1.0, 63.6),
    (1.5, 68.9),
    (2.0, 71.7),
    (3.0, 75.5),
    (4.0, 77.6),
    (5.0, 79.1),
    (6.0, 80.2),
    (8.0, 81.9),
    (10.0, 83.3),
    (12.0, 84.9),
    (15.0, 86.7),
    (18.0, 87.9),
    (20.0, 88.4),
    (24.0, 89.1),
    (30.0, 89.8),
    (36.0, 90.2),
    (48.0, 90.7),
    (60.0, 91.0),
    (72.0, 91.3),
    (84.0, 91.5),
    (96.0, 91.7),
    (100.0, 91.8),
    (f64::INFINITY, 100.0),
];

fn main() {
    let mut fitted = Preset::find("azure-2020").expect("a preset").fitted().expect("a fitted workload");
    let (vms_per_hour, alive) = (fitted.expected_vms(1.0, 1.0 / 24.0) - fitted.expected_vms(1.0, 0.0), start(&fitted));
    fitted.source = "Azure public dataset 2019 (V2), Microsoft, licence CC BY 4.0: published shares of sizes, deployments and \
                     lives. Not published: how cores and memory go together (here the more of the one with the more of the \
                     other). Taken from the packing trace of 2020 (Hadary et al., OSDI 2020; CC BY 4.0): rhythm, repeats, tenants \
                     that return, lives beyond 100 h (of its rarer sizes), how VMs of a request are alike, VMs alive at the beginning."
        .into();
    fitted.flavours = flavours(alive);
    let of_request = fitted.flavours[0].requests.mean();
    fitted.arrivals.requests_per_hour = (vms_per_hour / of_request * 1_000.0).round() / 1_000.0;
    let sizes = &fitted.flavours[0].requests;
    let large = sizes.0.iter().filter(|(vms, _)| *vms > 16).map(|(_, many)| f64::from(*many)).sum::<f64>();
    fitted.large.of_day = vec![(large / sizes.total() as f64 * 1e5).round() / 1e5; 24];
    let tail = &fitted.lives.of_size[0];
    let curve = Curve(LEVELS.iter().map_while(|level| age_s(*level, tail)).collect());
    fitted.lives.of_size = vec![curve; SIZE_CLASSES.len() + 1];
    fitted.lives.of_flavour = Vec::new();
    println!("{}", fitted.to_json());
}

fn start(fitted: &Fitted) -> f64 {
    fitted.flavours.iter().map(|flavour| f64::from(flavour.start)).sum()
}

/// Flavours that pair larger memory with more cores; the sizes of requests are the same for each.
fn flavours(alive: f64) -> Vec<Flavour> {
    let (mut cores, mut memory) = (CORES.to_vec(), MEMORY.to_vec());
    let mut flavours = Vec::new();
    while let (Some((most, share)), Some((gib, of_memory))) = (cores.first_mut(), memory.first_mut()) {
        let both = share.min(*of_memory);
        if both > 1e-9 {
            flavours.push(Flavour {
                cores_milli: *most * 1_000,
                memory_mib: *gib * 1_024,
                ssd_gib: 0,
                network_mbps: 0,
                priority: 0,
                requests: requests(both),
                others: (both * 100.0).round() as u32,
                start: (both / 100.0 * alive).round() as u32,
            });
        }
        (*share, *of_memory) = (*share - both, *of_memory - both);
        if *share <= 1e-9 {
            cores.remove(0);
        }
        if memory[0].1 <= 1e-9 {
            memory.remove(0);
        }
    }
    flavours.sort_by_key(|flavour| core::cmp::Reverse(flavour.requests.total()));
    flavours
}

/// Requests of a flavour with this share of the total, in percent; sizes between two published ones are equally
/// likely.
fn requests(share: f64) -> Counts {
    let (mut counts, mut before) = (Vec::new(), (0, 0.0));
    for (vms, up_to) in DEPLOYMENTS {
        let sizes = before.0 + 1..=vms;
        let each = (up_to - before.1) / f64::from(vms - before.0) * share * 100.0;
        counts.extend(sizes.map(|size| (size, each.round() as u32)).filter(|(_, many)| *many > 0));
        before = (vms, up_to);
    }
    Counts(counts)
}

/// The age in seconds that this share survives: linear between published ages, and beyond them according to `tail`.
fn age_s(alive: f64, tail: &Curve) -> Option<u32> {
    const LAST_H: f64 = 100.0;
    let ended = 100.0 * (1.0 - alive);
    let at = LIVES.partition_point(|(_, share)| *share < ended);
    let ((from, below), (until, above)) = (LIVES[at.max(1) - 1], LIVES[at.max(1)]);
    if until.is_finite() {
        return Some(((from + (until - from) * (ended - below) / (above - below)) * 3_600.0).round() as u32);
    }
    // Of the share that survives 100 h, the part that still survives; applied to the other curve at that age.
    let left = 100.0 * alive / (100.0 - below);
    let then = (0..=100_000).map(f64::from).map(|step| step / 100_000.0);
    let longer = |alive: &f64| tail.life_ms(*alive).is_none_or(|life| life as f64 > LAST_H * 3_600_000.0);
    let of_tail = then.take_while(longer).last()?;
    Some((tail.life_ms((left * of_tail).min(0.999_999))? / 1_000) as u32)
}
