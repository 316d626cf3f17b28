//! `tiebreak trace profile`: the figures of a trace that matter for placement.

use std::sync::Arc;

use serde::Serialize;
use tiebreak_model::Resource;
use tiebreak_profile::{Arrivals, Inventory, LIFE_BOUNDS_S, Profile, Quantiles, Tenants};
use tiebreak_trace::Parsed;

use super::{amount, lines, listed};
use tiebreak_console::answer::Failure;
use tiebreak_console::shown::{count, table};
use tiebreak_study::size;

/// The largest trace, in VMs, for which to search the number of machines; it takes seconds. For larger ones, use
/// `tiebreak size`.
const SEARCHED_MAX: u32 = 300_000;

/// The number of sizes to list; the others are counted together.
const SIZES_LISTED: usize = 12;

#[derive(Serialize)]
pub(super) struct ProfileReport {
    format: String,
    sizes: Vec<SizeRow>,
    lives: LivesTold,
    arrivals: Arrivals,
    tenants: Tenants,
    reuse: ReuseTold,
    load: LoadTold,
    cannot_answer: Vec<String>,
}

#[derive(Serialize)]
struct SizeRow {
    cores: f64,
    memory_gib: f64,
    vms: u32,
    core_hours: f64,
}

#[derive(Serialize)]
struct LivesTold {
    ended: u32,
    outlived: u32,
    began_before: u32,
    bins: Vec<LifeRow>,
}

#[derive(Serialize)]
struct LifeRow {
    /// `None` for lifetimes beyond the last bound.
    up_to_s: Option<u32>,
    /// Kaplan-Meier estimate.
    alive_after: Option<f64>,
    vms: u32,
    core_hours: f64,
}

#[derive(Serialize)]
struct ReuseTold {
    first: u32,
    /// By distance: 0, 1, 2 to 3, 4 to 7 and so on.
    counts: Vec<u32>,
    shares_below: Vec<f64>,
}

#[derive(Serialize)]
struct LoadTold {
    peak_cores: f64,
    peak_memory_gib: f64,
    machine_cores: u32,
    machine_memory_gib: u32,
    machines_at_least: u64,
    machines_suggested: u64,
    /// Whether this is the smallest number on which the default policy rejects at most 0.1 % of the VMs; otherwise it
    /// is 15 % above the lower bound.
    machines_searched: bool,
    cores_by_hour: Vec<f64>,
    memory_gib_by_hour: Vec<f64>,
}

impl ProfileReport {
    pub(super) fn of(parsed: Parsed) -> Result<Self, Failure> {
        let Profile { sizes, lives, arrivals, tenants, reuse, load } = Profile::of(&parsed.workload);
        let size = |size: &tiebreak_profile::Size| SizeRow {
            cores: amount(size.demand[Resource::Cores], Resource::Cores),
            memory_gib: amount(size.demand[Resource::Memory], Resource::Memory),
            vms: size.vms,
            core_hours: size.core_hours,
        };
        let alive = lives.alive_after.iter().copied().map(Some).chain([None]);
        let life = |(bin, alive_after): (&tiebreak_profile::LifeBin, Option<f64>)| LifeRow {
            up_to_s: bin.up_to_s,
            alive_after,
            vms: bin.vms,
            core_hours: bin.core_hours,
        };
        let suggested = load.suggested();
        let Inventory { cores, memory_gib, at_least, machines } = suggested;
        let (cannot_answer, format) = (parsed.report.cannot_answer.clone(), parsed.report.format_title.clone());
        let enough = match parsed.workload.vm_count() <= SEARCHED_MAX {
            true => size::of_one_kind(Arc::new(parsed.workload), &load, suggested.machine())?,
            false => None,
        };
        Ok(Self {
            format,
            sizes: sizes.iter().map(size).collect(),
            lives: LivesTold {
                ended: lives.ended,
                outlived: lives.outlived,
                began_before: lives.began_before,
                bins: lives.bins.iter().zip(alive).map(life).collect(),
            },
            tenants,
            reuse: ReuseTold { first: reuse.first, shares_below: reuse.shares(), counts: reuse.counts },
            load: LoadTold {
                peak_cores: load.peak[Resource::Cores as usize] as f64 / Resource::Cores.unit().1,
                peak_memory_gib: load.peak[Resource::Memory as usize] as f64 / Resource::Memory.unit().1,
                machine_cores: cores,
                machine_memory_gib: memory_gib,
                machines_at_least: at_least,
                machines_suggested: enough.unwrap_or(machines),
                machines_searched: enough.is_some(),
                cores_by_hour: load.hourly.iter().map(|hour| hour.cores).collect(),
                memory_gib_by_hour: load.hourly.iter().map(|hour| hour.memory_gib).collect(),
            },
            arrivals,
            cannot_answer,
        })
    }

    pub(super) fn text(&self) -> String {
        let parts = [self.sizes_text(), self.lives_text(), self.arrivals_text(), self.tenants_text(), self.load_text()];
        format!("{}\n\n{}{}", self.format, parts.join("\n"), listed("What it cannot answer", &self.cannot_answer))
    }

    fn sizes_text(&self) -> String {
        let (vms, hours) = (self.sizes.iter().map(|it| f64::from(it.vms)).sum(), self.core_hours());
        let row = |name: String, rows: &[SizeRow]| {
            let of: f64 = rows.iter().map(|it| f64::from(it.vms)).sum();
            let core_hours: f64 = rows.iter().map(|it| it.core_hours).sum();
            vec![name, count(of as u64), percent(of, vms), percent(core_hours, hours)]
        };
        let (listed, others) = self.sizes.split_at(self.sizes.len().min(SIZES_LISTED));
        let mut rows = vec![header(&["Sizes", "VMs", "of VMs, %", "of core-hours, %"])];
        rows.extend(listed.iter().map(|it| row(size_name(it), core::slice::from_ref(it))));
        if !others.is_empty() {
            rows.push(row(format!("{} others", count(others.len() as u64)), others));
        }
        table(&rows)
    }

    fn lives_text(&self) -> String {
        let LivesTold { ended, outlived, began_before, bins } = &self.lives;
        let (vms, hours) = (bins.iter().map(|bin| f64::from(bin.vms)).sum(), self.core_hours());
        let mut rows = vec![header(&[
            "Lifetimes",
            "VMs with a known end",
            "of them, %",
            "of core-hours, %",
            "survive \
             longer, %",
        ])];
        rows.extend(bins.iter().map(|bin| {
            let alive = bin.alive_after.map_or_else(|| "-".into(), |share| format!("{:.1}", 100.0 * share));
            let of = [percent(f64::from(bin.vms), vms), percent(bin.core_hours, hours), alive];
            [vec![life_name(bin.up_to_s), count(bin.vms.into())], of.into()].concat()
        }));
        let seen = [ended, outlived, began_before].map(|vms| count((*vms).into()));
        let [ended, outlived, before] = seen;
        let words = format!(
            "{ended} VMs end within the trace, {outlived} outlive it, {before} were running before it. Survival is \
             estimated with Kaplan-Meier."
        );
        table(&rows) + &tiebreak_console::shown::wrapped(&words, "  ")
    }

    fn arrivals_text(&self) -> String {
        let it = &self.arrivals;
        let busiest = (0..24).max_by(|one, other| it.of_day[*one].total_cmp(&it.of_day[*other])).unwrap_or(0);
        let quietest = (0..24).min_by(|one, other| it.of_day[*one].total_cmp(&it.of_day[*other])).unwrap_or(0);
        let rows = [
            ("Arrivals", format!("{} VMs in {} requests", count(it.vms.into()), count(it.requests.into()))),
            (
                "Busiest hour",
                format!(
                    "{:.0} VMs in hour {busiest} of the day; {:.0} in hour {quietest}",
                    it.of_day[busiest], it.of_day[quietest]
                ),
            ),
            (
                "In bursts",
                format!(
                    "variance over mean per 5 minutes: {:.1} for VMs, {:.1} for requests (1 if arrivals were random)",
                    it.dispersion, it.request_dispersion
                ),
            ),
        ];
        lines(&rows)
    }

    fn tenants_text(&self) -> String {
        let spread = |it: &Quantiles| {
            format!(
                "mean {:.1}; median {:.0}, 90th percentile {:.0}, 99th {:.0}, maximum {:.0}",
                it.mean, it.p50, it.p90, it.p99, it.max
            )
        };
        let shares: Vec<_> =
            self.reuse.shares_below.iter().take(6).map(|share| format!("{:.0}", 100.0 * share)).collect();
        let rows = [
            ("Tenants", count(self.tenants.count.into())),
            ("VMs of a tenant", spread(&self.tenants.vms)),
            ("VMs of a request", spread(&self.tenants.batch)),
            ("Largest tenth", format!("{:.0} % of all VMs", 100.0 * self.tenants.of_largest_tenth)),
            (
                "Reuse",
                format!(
                    "after fewer than 1, 2, 4, 8, 16, 32 other sizes: {} % of VMs; {} VMs are the first of their size",
                    shares.join(", "),
                    count(self.reuse.first.into())
                ),
            ),
        ];
        lines(&rows)
    }

    fn load_text(&self) -> String {
        let it = &self.load;
        let mean = it.cores_by_hour.iter().sum::<f64>() / (it.cores_by_hour.len().max(1)) as f64;
        let rows = [
            ("Cores in use", format!("{:.0} on average, at most {:.0}", mean, it.peak_cores)),
            ("Memory in use", format!("at most {:.0} GiB", it.peak_memory_gib)),
            (
                "Machines",
                format!(
                    "at least {} of {} cores and {} GiB, even with perfect packing; {} are suggested, {}",
                    count(it.machines_at_least),
                    it.machine_cores,
                    it.machine_memory_gib,
                    count(it.machines_suggested),
                    match it.machines_searched {
                        true => "on which the default list rejects at most 0.1 % of the VMs",
                        false => "15 % more; `tiebreak size` finds the number that is enough",
                    }
                ),
            ),
        ];
        lines(&rows)
    }

    fn core_hours(&self) -> f64 {
        self.sizes.iter().map(|it| it.core_hours).sum()
    }
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn percent(part: f64, whole: f64) -> String {
    if whole == 0.0 { "-".into() } else { format!("{:.1}", 100.0 * part / whole) }
}

fn size_name(size: &SizeRow) -> String {
    let cores = if size.cores == 1.0 { "core" } else { "cores" };
    format!("{} {cores}, {} GiB", rounded(size.cores), rounded(size.memory_gib))
}

/// Rounds to at most two decimals.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn life_name(up_to_s: Option<u32>) -> String {
    let of = |s: u32| match s {
        s if s < 3_600 => format!("{} min", s / 60),
        s if s < 86_400 => format!("{} h", s / 3_600),
        s => format!("{} days", s / 86_400).replace("1 days", "1 day"),
    };
    match up_to_s {
        Some(up_to_s) => format!("up to {}", of(up_to_s)),
        None => format!("over {}", of(LIFE_BOUNDS_S[LIFE_BOUNDS_S.len() - 1])),
    }
}

#[cfg(test)]
mod tests {
    use super::life_name;

    #[test]
    fn lives_are_named_in_their_unit() {
        let names = [Some(300), Some(7_200), Some(86_400), Some(14 * 86_400), None].map(life_name);
        assert_eq!(names, ["up to 5 min", "up to 2 h", "up to 1 day", "up to 14 days", "over 30 days"]);
    }
}
