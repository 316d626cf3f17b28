//! The figures of a finished run, in one static list.
//!
//! `tiebreak run`, its `summary.json`, the columns of sweeps, `tiebreak compare`, the claims of lessons and the
//! page's comparison of runs all use these figures, each in its own order. The orders never change, because files and
//! links depend on them.

use alloc::vec::Vec;

use tiebreak_model::Bottleneck;
use tiebreak_placement::lifetime::Turn;

use crate::plan::Plan;
use crate::power::events::PowerSummary;
use crate::summary::Summary;

use Part::{Asked, Course, Effort, Placing, Size};
use ToldIn::{Claim, ClaimAs, Column, Compared, Field, Page};

/// One figure of a finished run.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its stable id.
    pub id: &'static str,
    /// What it measures.
    pub help: &'static str,
    /// The unit of the number; empty for counts.
    pub unit: &'static str,
    /// How it adds up over independent zones.
    pub adds_up: AddsUp,
    of: Of,
    told: &'static [ToldIn],
}

/// How a figure of several independent zones follows from theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddsUp {
    /// It is their sum.
    Sum,
    /// It is their mean, weighted by the figure with this id.
    MeanOver(&'static str),
    /// It does not follow: a percentile, for instance.
    No,
}

/// How it is computed.
#[derive(Clone, Copy, Debug)]
enum Of {
    Count(fn(&Summary, &Plan) -> u64),
    Number(fn(&Summary, &Plan) -> Option<f64>),
}

/// Where a figure appears, and its name there if it is not the id. Positions count from 0.
#[derive(Clone, Copy, Debug)]
enum ToldIn {
    /// A field of this part of `summary.json`, in list order.
    Field(Part),
    /// This column of a sweep.
    Column(u32),
    /// In claims of lessons, with this title in sentences.
    Claim(&'static str),
    /// The same, if claims use another id than files.
    ClaimAs(&'static str, &'static str),
    /// On the page: in this row of the comparison of runs, and in the sweep table with this title.
    Page(u32, &'static str),
    /// In this column of `tiebreak compare`.
    Compared(u32, &'static str),
}

/// The parts of `summary.json` that consist of figures, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// VM outcomes, and how long requests took.
    Placing,
    /// How the run went.
    Course,
    /// Present only if rules or settings need it.
    Asked,
    /// Its size.
    Size,
    /// Its cost.
    Effort,
}

impl Figure {
    /// Its value; `None` if the run does not have it.
    #[must_use]
    pub fn value(&self, summary: &Summary, plan: &Plan) -> Option<f64> {
        match self.of {
            Of::Count(of) => Some(of(summary, plan) as f64),
            Of::Number(of) => of(summary, plan).filter(|value| value.is_finite()),
        }
    }

    const fn adding_up(self, adds_up: AddsUp) -> Self {
        Self { adds_up, ..self }
    }

    /// Whether it is a count, and so always an integer.
    #[must_use]
    pub const fn is_count(&self) -> bool {
        matches!(self.of, Of::Count(_))
    }

    /// Its id and its title in claims of lessons; `None` if claims cannot use it.
    #[must_use]
    pub fn claim(&self) -> Option<(&'static str, &'static str)> {
        self.told.iter().find_map(|told| match *told {
            Claim(title) => Some((self.id, title)),
            ClaimAs(id, title) => Some((id, title)),
            _ => None,
        })
    }
}

impl Part {
    /// Every part, in the order of a summary.
    pub const ALL: [Self; 5] = [Self::Placing, Self::Course, Self::Asked, Self::Size, Self::Effort];

    /// Its figures, in order.
    pub fn figures(self) -> impl Iterator<Item = &'static Figure> {
        FIGURES.iter().filter(move |it| it.told.iter().any(|told| matches!(told, Field(part) if *part == self)))
    }
}

/// The columns of a sweep, in order: indices into [`FIGURES`].
#[must_use]
pub fn columns() -> Vec<usize> {
    let columns = listed(|told| if let Column(nth) = told { Some((nth, "")) } else { None });
    columns.into_iter().map(|(at, _)| at).collect()
}

/// The rows of the page's comparison of runs, in order: indices into [`FIGURES`], with titles.
#[must_use]
pub fn on_page() -> Vec<(usize, &'static str)> {
    listed(|told| if let Page(nth, title) = told { Some((nth, title)) } else { None })
}

/// The columns of `tiebreak compare`, in order: indices into [`FIGURES`], with titles.
#[must_use]
pub fn compared() -> Vec<(usize, &'static str)> {
    listed(|told| if let Compared(nth, title) = told { Some((nth, title)) } else { None })
}

fn listed(place: impl Fn(ToldIn) -> Option<(u32, &'static str)>) -> Vec<(usize, &'static str)> {
    let listed = |(at, it): (usize, &Figure)| it.told.iter().find_map(|told| Some((place(*told)?, at)));
    let mut listed: Vec<_> = FIGURES.iter().enumerate().filter_map(listed).collect();
    listed.sort_unstable();
    debug_assert!(listed.iter().map(|((nth, _), _)| *nth).eq(0..listed.len() as u32), "a place twice or not at all");
    listed.into_iter().map(|((_, title), at)| (at, title)).collect()
}

/// A figure without its computation.
struct Named {
    id: &'static str,
    unit: &'static str,
    help: &'static str,
}

const fn figure(id: &'static str, help: &'static str) -> Named {
    amount(id, "", help)
}

const fn amount(id: &'static str, unit: &'static str, help: &'static str) -> Named {
    Named { id, unit, help }
}

impl Named {
    const fn count(self, told: &'static [ToldIn], of: fn(&Summary, &Plan) -> u64) -> Figure {
        Figure { id: self.id, help: self.help, unit: self.unit, adds_up: AddsUp::Sum, told, of: Of::Count(of) }
    }

    /// A share is a mean over machines, other numbers are sums, unless [`Figure::adding_up`] says otherwise.
    const fn number(self, told: &'static [ToldIn], of: fn(&Summary, &Plan) -> Option<f64>) -> Figure {
        let is_share = matches!(self.unit.as_bytes(), b"%");
        let adds_up = if is_share { AddsUp::MeanOver("machines") } else { AddsUp::Sum };
        Figure { id: self.id, help: self.help, unit: self.unit, adds_up, told, of: Of::Number(of) }
    }
}

/// VMs refused for this reason.
const fn refused(it: &Summary, by: Bottleneck) -> u64 {
    it.counters.refused_by_network[by as usize]
}

/// The number of changes of machines' states for this reason.
const fn turns(it: &Summary, turn: Turn) -> u64 {
    it.lives.turns[turn as usize]
}

/// Every figure, in the order of claims and of each part of `summary.json`.
pub static FIGURES: &[Figure] = &[
    figure("placements", "VMs placed, including those running at the start of the trace")
        .count(&[Field(Placing), Column(0), Claim("VMs placed")], |it, _| it.placements),
    figure("ended_before_placed", "of these, VMs that had already ended and used no capacity")
        .count(&[Field(Placing), Column(5)], |it, _| it.counters.ended_before_placed),
    figure("rejections", "VMs rejected").count(
        &[Field(Placing), Column(1), Claim("VMs rejected"), Page(3, "VMs rejected"), Compared(2, "rejected")],
        |it, _| it.rejections,
    ),
    figure("rejected_by_room", "of these, VMs of requests for which no machine had room")
        .count(&[Field(Placing), Column(2)], |it, _| it.counters.rejected_by_room),
    figure("rejected_by_terms", "of these, VMs of requests refused by other rules, although machines had room")
        .count(&[Field(Placing), Column(3)], |it, _| it.counters.rejected_by_terms),
    figure("rejected_out_of_retries", "of these, VMs of requests whose commits kept failing")
        .count(&[Field(Placing), Column(4), Compared(3, "out of retries")], |it, _| {
            it.counters.rejected_out_of_retries
        }),
    figure("warm_rejections", "VMs running at the start of the trace that found no room")
        .count(&[Field(Course), Column(6)], |it, _| it.warm_rejections),
    figure("conflicts", "commits that failed").count(
        &[Field(Course), Column(7), Claim("conflicts"), Page(2, "Conflicts"), Compared(4, "conflicts")],
        |it, _| it.conflicts,
    ),
    figure("commits", "decisions that reached the store")
        .count(&[Field(Effort), Column(8), Claim("commits")], |it, _| it.counters.commits),
    figure("retries", "requests queued again because their commit failed")
        .count(&[Claim("retries")], |it, _| it.counters.retries),
    figure("reallocations", "VMs that lost their machine and were placed on another one")
        .count(&[Field(Course), Column(15), Claim("VMs reallocated")], |it, _| it.counters.reallocations),
    figure("lost_vms", "VMs that lost their machine and found no other")
        .count(&[Field(Course), Column(16), Claim("VMs lost"), Page(4, "VMs lost")], |it, _| it.counters.lost_vms),
    figure("evictions", "VMs evicted to make room for others")
        .count(&[Field(Course), Column(17), Claim("VMs evicted")], |it, _| it.counters.evictions),
    figure("migrations", "VMs migrated while they ran")
        .count(&[Field(Course), Column(18), Claim("migrations made")], |it, _| it.counters.migrations),
    figure("migrations_scheduled", "VMs scheduled to migrate")
        .count(&[Field(Course), Column(19), Claim("migrations scheduled")], |it, _| it.counters.migrations_scheduled),
    figure("migrations_saved", "of these, VMs that ended before their turn")
        .count(&[Field(Course), Column(20), Claim("migrations saved")], |it, _| it.counters.migrations_saved),
    figure("repredictions", "running VMs that were repredicted")
        .count(&[Field(Asked), Column(21), Claim("repredictions")], |it, _| it.lives.repredictions),
    figure("machines_opened", "with lifetime rules: times that an empty machine opened for the class of its first VM")
        .count(&[Field(Asked), Column(36), Claim("machines opened")], |it, _| turns(it, Turn::Opened)),
    figure("machines_raised", "times that a machine missed its deadline, so that its class rose")
        .count(&[Field(Asked), Column(37), Claim("missed deadlines")], |it, _| turns(it, Turn::Raised)),
    figure("conflicts_per_minute_p99", "conflicts per minute, 99th percentile over minutes with a commit")
        .number(&[Field(Course), Column(9), Claim("conflicts in a busy minute")], |it, _| {
            Some(it.conflicts_per_minute_p99)
        })
        .adding_up(AddsUp::No),
    amount("empty_hosts_pct_mean", "%", "machines without a VM, mean over time, %").number(
        &[Field(Course), Column(10), Claim("empty hosts"), Page(0, "Empty hosts, mean"), Compared(0, "empty hosts, %")],
        |it, _| Some(it.empty_hosts_pct_mean),
    ),
    amount(
        "machine_hours",
        "machine-hours",
        "machine-hours in use: hours that machines had any VM, summed over machines",
    )
    .number(&[Field(Course), Column(38), Claim("machine-hours in use")], |it, _| Some(it.machine_hours)),
    amount("packing_density_pct_mean", "%", "cores in use on machines that have any VM, mean over time, %")
        .number(
            &[
                Field(Course),
                Column(11),
                Claim("packing density"),
                Page(1, "Packing density, mean"),
                Compared(1, "packing density, %"),
            ],
            |it, _| Some(it.packing_density_pct_mean),
        )
        .adding_up(AddsUp::MeanOver("machine_hours")),
    amount("empty_to_free_pct_mean", "%", "share of the free cores on empty machines, mean over time, %")
        .number(&[Field(Course), Column(12), Claim("empty-to-free ratio")], |it, _| Some(it.empty_to_free_pct_mean))
        .adding_up(AddsUp::No),
    amount("stranded_cores_pct_mean", "%", "cores that no VM could use, %; null if it was not measured")
        .number(&[Field(Course), Column(13), Claim("stranded cores")], |it, _| {
            it.stranded_pct_mean.map(|[cores, _]| cores)
        }),
    amount("stranded_memory_pct_mean", "%", "memory that no VM could use, %; null if it was not measured")
        .number(&[Field(Course), Column(14), Claim("stranded memory")], |it, _| {
            it.stranded_pct_mean.map(|[_, memory]| memory)
        }),
    figure("digest", "the last twelve digits of the digest, which fit into a float")
        .count(&[Claim("digest")], |it, _| it.digest & 0xffff_ffff_ffff),
    figure("cache_hits", "decisions whose class had been evaluated")
        .count(&[Claim("cache hits")], |it, _| it.counters.cache_hits),
    figure("cache_misses", "decisions whose class had not been evaluated")
        .count(&[Claim("cache misses")], |it, _| it.counters.cache_misses),
    amount("cache_hits_pct", "%", "decisions whose class had been evaluated, %")
        .number(&[Field(Effort), Column(26), Page(5, "Cache hits")], |it, _| {
            let all = it.counters.cache_hits + it.counters.cache_misses;
            Some(100.0 * it.counters.cache_hits as f64 / all.max(1) as f64)
        })
        .adding_up(AddsUp::No),
    figure("machines_ranked", "machines reranked before decisions")
        .count(&[Claim("machines reranked")], |it, _| it.counters.refreshed),
    amount("wait_p50_ms", "ms", "median time from a request to its answer")
        .number(&[Field(Placing), ClaimAs("latency_p50_ms", "median latency")], |it, _| Some(it.answers.p50_ms))
        .adding_up(AddsUp::No),
    amount("wait_p99_ms", "ms", "99th percentile time from a request to its answer")
        .number(&[Field(Placing), ClaimAs("latency_p99_ms", "99th percentile latency")], |it, _| {
            Some(it.answers.p99_ms)
        })
        .adding_up(AddsUp::No),
    figure("refused_by_room", "if VMs are linked: refused because machines had no room")
        .count(&[Field(Asked), Claim("VMs refused for lack of room")], |it, _| it.counters.refused_by_room),
    figure("refused_by_link", "refused because one link needs more than any machine's uplinks carry")
        .count(&[Field(Asked), Claim("VMs refused by a link")], |it, _| refused(it, Bottleneck::Link)),
    figure("refused_by_peering", "refused because a VM has as many peers as its uplinks can carry")
        .count(&[Field(Asked), Claim("VMs refused by peering")], |it, _| refused(it, Bottleneck::Peering)),
    figure("refused_by_colocation", "refused because VMs that share a machine share its uplinks")
        .count(&[Field(Asked), Claim("VMs refused by co-location")], |it, _| refused(it, Bottleneck::Colocation)),
    figure("refused_elsewhere", "refused because uplinks of racks or clusters are full")
        .count(&[Field(Asked), Claim("VMs refused by racks' uplinks")], |it, _| refused(it, Bottleneck::Elsewhere)),
    figure("deployments", "with admission rules: deployments admitted")
        .count(&[Field(Asked), Claim("deployments admitted")], |it, _| it.counters.deployments),
    figure("deployments_refused", "deployments not admitted")
        .count(&[Field(Asked), Column(27), Claim("deployments not admitted")], |it, _| it.counters.deployments_refused),
    figure("scale_outs", "later requests of admitted deployments that were placed")
        .count(&[Field(Asked), Claim("scale-outs placed")], |it, _| it.counters.scale_outs),
    figure("scale_outs_failed", "later requests of admitted deployments that failed")
        .count(&[Field(Asked), Column(28), Claim("failed scale-outs")], |it, _| it.counters.scale_outs_failed),
    figure("capping_events", "times that a chassis was throttled")
        .number(&[Field(Asked), Column(29), Claim("capping events")], |it, _| {
            it.drawn().map(|power| power.counted.events as f64)
        }),
    figure("rapl_engagements", "times that the last resort throttled all servers of a chassis")
        .number(&[Field(Asked), Column(30), Claim("last-resort events")], |it, _| {
            it.drawn().map(|power| power.counted.rapl as f64)
        }),
    amount("user_facing_slowed", "core-hours", "core-hours of user-facing VMs that were throttled")
        .number(&[Field(Asked), Column(31), Claim("throttled user-facing core-hours")], |it, _| {
            it.drawn().map(|power| power.slowed_core_hours()[0])
        }),
    amount("others_slowed", "core-hours", "core-hours of batch VMs that were throttled")
        .number(&[Field(Asked), Column(32), Claim("throttled batch core-hours")], |it, _| {
            it.drawn().map(|power| power.slowed_core_hours()[1])
        }),
    amount("energy_kwh", "kWh", "energy drawn")
        .number(&[Field(Asked), Column(33)], |it, _| it.drawn().map(PowerSummary::energy_kwh)),
    amount("chassis_deviation_pct", "%", "standard deviation over chassis of what they draw, %")
        .number(&[Field(Asked), Column(34), Claim("imbalance of chassis")], |it, _| {
            it.power.as_ref().map(|power| 100.0 * power.deviations[0])
        })
        .adding_up(AddsUp::No),
    amount("server_deviation_pct", "%", "the same over servers, %")
        .number(&[Field(Asked), Column(35), Claim("imbalance of servers")], |it, _| {
            it.power.as_ref().map(|power| 100.0 * power.deviations[1])
        })
        .adding_up(AddsUp::No),
    amount(
        "long_density_pct_mean",
        "%",
        "if placement debt is measured: cores of long-lived VMs on machines that have any of them, mean, %",
    )
    .number(&[Field(Asked), Column(39), Claim("density of long-lived VMs")], |it, _| {
        it.debt_mean.map(|debt| debt.long_density_pct)
    })
    .adding_up(AddsUp::No),
    amount("placement_debt_mean", "machines", "machines with long-lived VMs beyond those that would do, mean")
        .number(&[Field(Asked), Column(40), Claim("placement debt")], |it, _| it.debt_mean.map(|debt| debt.machines)),
    amount("stranded_machines_pct_mean", "%", "machines half empty with VMs that have long to go, mean, %")
        .number(&[Field(Asked), Column(41), Claim("stranded machines")], |it, _| {
            it.debt_mean.map(|debt| debt.stranded_pct)
        }),
    amount("vrar_pct_mean", "%", "VMs on a machine with more than a set share of their customer's VMs, mean, %")
        .number(&[Field(Asked), Column(42), Claim("VMs of a customer together")], |it, _| {
            it.debt_mean.map(|debt| debt.vrar_pct)
        })
        .adding_up(AddsUp::No),
    amount("affinity_changes", "", "if a rule reads affinity groups: times that a cluster formed its group anew")
        .number(&[Field(Asked), Column(43), Claim("changes of affinity groups")], |it, _| {
            it.affinity.map(|affinity| affinity.changes as f64)
        }),
    figure("machines", "machines").count(&[Field(Size), Column(22)], |_, plan| plan.fleet().machine_count().into()),
    figure("clusters", "clusters").count(&[Field(Size), Column(23)], |_, plan| plan.fleet().clusters().len() as u64),
    figure("vms", "VMs of the workload").count(&[Field(Size), Column(24)], |_, plan| plan.workload().vm_count().into()),
    figure("requests", "requests of the workload")
        .count(&[Field(Size), Column(25)], |_, plan| plan.workload().request_count().into()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn ids_and_places_stand_once_and_no_place_is_left_out() {
        assert_eq!(FIGURES.iter().map(|it| it.id).collect::<BTreeSet<_>>().len(), FIGURES.len());
        // Building the list panics if positions are wrong.
        assert_eq!((on_page()[0].1, compared()[0].1), ("Empty hosts, mean", "empty hosts, %"));
        assert_eq!(columns()[0], 0);
    }

    #[test]
    fn a_mean_is_weighted_by_a_column_that_is_a_sum() {
        let column = |id| columns().into_iter().map(|at| &FIGURES[at]).find(|it| it.id == id);
        for figure in FIGURES {
            if let AddsUp::MeanOver(weight) = figure.adds_up {
                let weight = column(weight).expect("a column of sweeps");
                assert_eq!(weight.adds_up, AddsUp::Sum, "{}", figure.id);
            }
        }
    }
}
