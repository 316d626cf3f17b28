//! What is said of a finished run: one static list.
//!
//! `tiebreak run`, its `summary.json`, the columns of sweeps, `tiebreak compare`, the claims of lessons and the page
//! where it compares runs take their figures from here, and show them in orders of their own. Those are for ever, since
//! files and links hold them.

use alloc::vec::Vec;

use tiebreak_model::Bottleneck;

use crate::plan::Plan;
use crate::power::events::PowerSummary;
use crate::summary::Summary;

use Part::{Asked, Course, Effort, Placing, Size};
use Told::{Claim, ClaimAs, Column, Compared, Field, Page};

/// One thing that is said of a finished run.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its stable id.
    pub id: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The unit behind the number; empty where things are counted.
    pub unit: &'static str,
    of: Of,
    told: &'static [Told],
}

/// How it is computed.
#[derive(Clone, Copy, Debug)]
enum Of {
    Count(fn(&Summary, &Plan) -> u64),
    Number(fn(&Summary, &Plan) -> Option<f64>),
}

/// Where a figure is told, and what it is called there if not by its id. Places count from 0.
#[derive(Clone, Copy, Debug)]
enum Told {
    /// A field of this part of `summary.json`, in the order of the list.
    Field(Part),
    /// In this column of a sweep.
    Column(u32),
    /// In claims of lessons, and by this title in sentences about them.
    Claim(&'static str),
    /// The same, where claims name it by another id than files do.
    ClaimAs(&'static str, &'static str),
    /// On the page, in this row where it compares runs and this column where it sweeps.
    Page(u32, &'static str),
    /// In this column of `tiebreak compare`.
    Compared(u32, &'static str),
}

/// The parts of `summary.json` that are made of figures, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What became of VMs, and how long requests took.
    Placing,
    /// How the run went.
    Course,
    /// What is there only where rules or settings ask for it.
    Asked,
    /// How large it was.
    Size,
    /// What it took.
    Effort,
}

impl Figure {
    /// Its value; none where the run says nothing of it.
    #[must_use]
    pub fn value(&self, summary: &Summary, plan: &Plan) -> Option<f64> {
        match self.of {
            Of::Count(of) => Some(of(summary, plan) as f64),
            Of::Number(of) => of(summary, plan).filter(|value| value.is_finite()),
        }
    }

    /// Whether it counts things, and so is always a whole number.
    #[must_use]
    pub const fn is_count(&self) -> bool {
        matches!(self.of, Of::Count(_))
    }

    /// Its id and its title in claims of lessons; none where they do not know it.
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
    /// The figures in it, in their order.
    pub fn figures(self) -> impl Iterator<Item = &'static Figure> {
        FIGURES.iter().filter(move |it| it.told.iter().any(|told| matches!(told, Field(part) if *part == self)))
    }
}

/// The columns of a sweep, in their order: places in [`FIGURES`].
#[must_use]
pub fn columns() -> Vec<usize> {
    let columns = listed(|told| if let Column(nth) = told { Some((nth, "")) } else { None });
    columns.into_iter().map(|(at, _)| at).collect()
}

/// What the page compares runs by, in its order: places in [`FIGURES`], with titles.
#[must_use]
pub fn on_page() -> Vec<(usize, &'static str)> {
    listed(|told| if let Page(nth, title) = told { Some((nth, title)) } else { None })
}

/// What `tiebreak compare` tells, in its order: places in [`FIGURES`], with titles.
#[must_use]
pub fn compared() -> Vec<(usize, &'static str)> {
    listed(|told| if let Compared(nth, title) = told { Some((nth, title)) } else { None })
}

fn listed(place: impl Fn(Told) -> Option<(u32, &'static str)>) -> Vec<(usize, &'static str)> {
    let listed = |(at, it): (usize, &Figure)| it.told.iter().find_map(|told| Some((place(*told)?, at)));
    let mut listed: Vec<_> = FIGURES.iter().enumerate().filter_map(listed).collect();
    listed.sort_unstable();
    listed.into_iter().map(|((_, title), at)| (at, title)).collect()
}

/// A figure before it is known how it is computed.
struct Named {
    id: &'static str,
    help: &'static str,
    told: &'static [Told],
}

const fn figure(id: &'static str, help: &'static str) -> Named {
    Named { id, help, told: &[] }
}

impl Named {
    const fn told(self, told: &'static [Told]) -> Self {
        Self { told, ..self }
    }

    const fn count(self, of: fn(&Summary, &Plan) -> u64) -> Figure {
        let Self { id, help, told } = self;
        Figure { id, help, unit: "", told, of: Of::Count(of) }
    }

    const fn number(self, unit: &'static str, of: fn(&Summary, &Plan) -> Option<f64>) -> Figure {
        let Self { id, help, told } = self;
        Figure { id, help, unit, told, of: Of::Number(of) }
    }
}

/// VMs refused because of this.
const fn refused(it: &Summary, by: Bottleneck) -> u64 {
    it.counters.refused_by_network[by as usize]
}

/// Every figure, in the order of claims and of each part of `summary.json`.
pub static FIGURES: &[Figure] = &[
    figure("placements", "VMs placed, with those alive when the trace began")
        .told(&[Field(Placing), Column(0), Claim("VMs placed")])
        .count(|it, _| it.placements),
    figure("ended_before_placed", "of these, VMs that had ended by then and took no room")
        .told(&[Field(Placing), Column(5)])
        .count(|it, _| it.counters.ended_before_placed),
    figure("rejections", "VMs rejected")
        .told(&[Field(Placing), Column(1), Claim("VMs rejected"), Page(3, "VMs rejected"), Compared(2, "rejected")])
        .count(|it, _| it.rejections),
    figure("rejected_by_room", "of these, VMs of requests for one of whose VMs no machine had room")
        .told(&[Field(Placing), Column(2)])
        .count(|it, _| it.counters.rejected_by_room),
    figure(
        "rejected_by_terms",
        "of these, VMs of requests for one of whose VMs machines had room, and other rules refused them",
    )
    .told(&[Field(Placing), Column(3)])
    .count(|it, _| it.counters.rejected_by_terms),
    figure("rejected_out_of_retries", "of these, VMs of requests whose commits kept failing")
        .told(&[Field(Placing), Column(4), Compared(3, "out of retries")])
        .count(|it, _| it.counters.rejected_out_of_retries),
    figure("warm_rejections", "VMs alive when the trace began that found no room")
        .told(&[Field(Course), Column(6)])
        .count(|it, _| it.warm_rejections),
    figure("conflicts", "commits that failed")
        .told(&[Field(Course), Column(7), Claim("conflicts"), Page(2, "Conflicts"), Compared(4, "conflicts")])
        .count(|it, _| it.conflicts),
    figure("commits", "decisions that reached the store")
        .told(&[Field(Effort), Column(8), Claim("commits")])
        .count(|it, _| it.counters.commits),
    figure("retries", "requests queued again because their commit failed")
        .told(&[Claim("retries")])
        .count(|it, _| it.counters.retries),
    figure("reallocations", "VMs that lost their machine and have another one")
        .told(&[Field(Course), Column(15), Claim("VMs reallocated")])
        .count(|it, _| it.counters.reallocations),
    figure("lost_vms", "VMs that lost their machine and found no other")
        .told(&[Field(Course), Column(16), Claim("VMs lost"), Page(4, "VMs lost")])
        .count(|it, _| it.counters.lost_vms),
    figure("evictions", "VMs put out to make room for others")
        .told(&[Field(Course), Column(17), Claim("VMs put out")])
        .count(|it, _| it.counters.evictions),
    figure("migrations", "VMs moved while they ran")
        .told(&[Field(Course), Column(18), Claim("migrations made")])
        .count(|it, _| it.counters.migrations),
    figure("migrations_scheduled", "VMs that were to be moved")
        .told(&[Field(Course), Column(19), Claim("migrations scheduled")])
        .count(|it, _| it.counters.migrations_scheduled),
    figure("migrations_saved", "of these, VMs that ended before it was their turn")
        .told(&[Field(Course), Column(20), Claim("migrations saved")])
        .count(|it, _| it.counters.migrations_saved),
    figure("repredictions", "running VMs whose life was predicted again")
        .told(&[Field(Asked), Column(21), Claim("repredictions")])
        .count(|it, _| it.lives.repredictions),
    figure("conflicts_per_minute_p99", "conflicts in a minute, 99th percentile over minutes with a commit")
        .told(&[Field(Course), Column(9), Claim("conflicts in a busy minute")])
        .number("", |it, _| Some(it.conflicts_per_minute_p99)),
    figure("empty_hosts_pct_mean", "machines without a VM, mean over time, %")
        .told(&[
            Field(Course),
            Column(10),
            Claim("empty hosts"),
            Page(0, "Empty hosts, mean"),
            Compared(0, "empty hosts, %"),
        ])
        .number("%", |it, _| Some(it.empty_hosts_pct_mean)),
    figure("packing_density_pct_mean", "cores in use on machines that have any VM, mean over time, %")
        .told(&[
            Field(Course),
            Column(11),
            Claim("packing density"),
            Page(1, "Packing density, mean"),
            Compared(1, "packing density, %"),
        ])
        .number("%", |it, _| Some(it.packing_density_pct_mean)),
    figure("empty_to_free_pct_mean", "share of the free cores that stand on empty machines, mean over time, %")
        .told(&[Field(Course), Column(12), Claim("empty-to-free ratio")])
        .number("%", |it, _| Some(it.empty_to_free_pct_mean)),
    figure("stranded_cores_pct_mean", "cores that no VM could use, %; null where it was not measured")
        .told(&[Field(Course), Column(13), Claim("stranded cores")])
        .number("%", |it, _| it.stranded_pct_mean.map(|[cores, _]| cores)),
    figure("stranded_memory_pct_mean", "memory that no VM could use, %; null where it was not measured")
        .told(&[Field(Course), Column(14), Claim("stranded memory")])
        .number("%", |it, _| it.stranded_pct_mean.map(|[_, memory]| memory)),
    figure("digest", "the last twelve digits of the digest, which a float holds")
        .told(&[Claim("digest")])
        .count(|it, _| it.digest & 0xffff_ffff_ffff),
    figure("cache_hits", "decisions whose class had been evaluated")
        .told(&[Claim("cache hits")])
        .count(|it, _| it.counters.cache_hits),
    figure("cache_misses", "decisions whose class had not been evaluated")
        .told(&[Claim("cache misses")])
        .count(|it, _| it.counters.cache_misses),
    figure("cache_hits_pct", "decisions whose class had been evaluated, %")
        .told(&[Field(Effort), Column(26), Page(5, "Cache hits")])
        .number("%", |it, _| {
            let all = it.counters.cache_hits + it.counters.cache_misses;
            Some(100.0 * it.counters.cache_hits as f64 / all.max(1) as f64)
        }),
    figure("machines_ranked", "machines ranked again before decisions")
        .told(&[Claim("machines ranked again")])
        .count(|it, _| it.counters.refreshed),
    figure("wait_p50_ms", "median time from a request to its answer")
        .told(&[Field(Placing), ClaimAs("latency_p50_ms", "median latency")])
        .number("ms", |it, _| Some(it.answers.p50_ms)),
    figure("wait_p99_ms", "99th percentile of the same")
        .told(&[Field(Placing), ClaimAs("latency_p99_ms", "99th percentile latency")])
        .number("ms", |it, _| Some(it.answers.p99_ms)),
    figure("refused_by_room", "where VMs are linked: refused because machines had no room")
        .told(&[Field(Asked), Claim("VMs refused for want of room")])
        .count(|it, _| it.counters.refused_by_room),
    figure("refused_by_link", "refused because one link is larger than any machine's uplinks")
        .told(&[Field(Asked), Claim("VMs refused by a link")])
        .count(|it, _| refused(it, Bottleneck::Link)),
    figure("refused_by_peering", "refused because a VM has as many peers as its uplinks bear")
        .told(&[Field(Asked), Claim("VMs refused by peering")])
        .count(|it, _| refused(it, Bottleneck::Peering)),
    figure("refused_by_colocation", "refused because VMs that share a machine share its uplinks")
        .told(&[Field(Asked), Claim("VMs refused by co-location")])
        .count(|it, _| refused(it, Bottleneck::Colocation)),
    figure("refused_elsewhere", "refused because uplinks of racks or clusters are full")
        .told(&[Field(Asked), Claim("VMs refused by racks' uplinks")])
        .count(|it, _| refused(it, Bottleneck::Elsewhere)),
    figure("deployments", "where rules ask what deployments grow to: deployments let in")
        .told(&[Field(Asked), Claim("deployments let in")])
        .count(|it, _| it.counters.deployments),
    figure("deployments_refused", "deployments not let in")
        .told(&[Field(Asked), Column(27), Claim("deployments not let in")])
        .count(|it, _| it.counters.deployments_refused),
    figure("scale_outs", "later requests of deployments that were let in, placed")
        .told(&[Field(Asked), Claim("scale-outs placed")])
        .count(|it, _| it.counters.scale_outs),
    figure("scale_outs_failed", "the same, failed")
        .told(&[Field(Asked), Column(28), Claim("scale-outs failed")])
        .count(|it, _| it.counters.scale_outs_failed),
    figure("capping_events", "times that a chassis was slowed down")
        .told(&[Field(Asked), Column(29), Claim("capping events")])
        .number("", |it, _| it.drawn().map(|power| power.counted.events as f64)),
    figure("rapl_engagements", "times that the last resort slowed all servers of a chassis down")
        .told(&[Field(Asked), Column(30), Claim("times the last resort took hold")])
        .number("", |it, _| it.drawn().map(|power| power.counted.rapl as f64)),
    figure("user_facing_slowed", "core-hours of user-facing VMs that were slowed down")
        .told(&[Field(Asked), Column(31), Claim("user-facing core-hours slowed down")])
        .number("core-hours", |it, _| it.drawn().map(|power| power.slowed_core_hours()[0])),
    figure("others_slowed", "core-hours of other VMs that were slowed down")
        .told(&[Field(Asked), Column(32), Claim("other core-hours slowed down")])
        .number("core-hours", |it, _| it.drawn().map(|power| power.slowed_core_hours()[1])),
    figure("energy_kwh", "energy drawn")
        .told(&[Field(Asked), Column(33)])
        .number("kWh", |it, _| it.drawn().map(PowerSummary::energy_kwh)),
    figure("chassis_deviation_pct", "standard deviation over chassis of what they draw, %")
        .told(&[Field(Asked), Column(34), Claim("imbalance of chassis")])
        .number("%", |it, _| it.power.as_ref().map(|power| power.deviations_pct()[0])),
    figure("server_deviation_pct", "the same over servers, %")
        .told(&[Field(Asked), Column(35), Claim("imbalance of servers")])
        .number("%", |it, _| it.power.as_ref().map(|power| power.deviations_pct()[1])),
    figure("machines", "machines")
        .told(&[Field(Size), Column(22)])
        .count(|_, plan| plan.fleet().machine_count().into()),
    figure("clusters", "clusters")
        .told(&[Field(Size), Column(23)])
        .count(|_, plan| plan.fleet().clusters().len() as u64),
    figure("vms", "VMs of the workload")
        .told(&[Field(Size), Column(24)])
        .count(|_, plan| plan.workload().vm_count().into()),
    figure("requests", "requests of the workload")
        .told(&[Field(Size), Column(25)])
        .count(|_, plan| plan.workload().request_count().into()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;

    #[test]
    fn ids_and_places_stand_once() {
        let ids: BTreeSet<_> = FIGURES.iter().map(|it| it.id).collect();
        assert_eq!(ids.len(), FIGURES.len());
        let places = |place: fn(&Told) -> Option<u32>| {
            let mut places: Vec<_> = FIGURES.iter().flat_map(|it| it.told.iter().filter_map(place)).collect();
            places.sort_unstable();
            assert!(places.iter().copied().eq(0..places.len() as u32), "from 0, without a gap: {places:?}");
        };
        places(|told| if let Column(nth) = told { Some(*nth) } else { None });
        places(|told| if let Page(nth, _) = told { Some(*nth) } else { None });
        places(|told| if let Compared(nth, _) = told { Some(*nth) } else { None });
    }

    #[test]
    fn a_column_of_a_sweep_is_in_the_summary_of_its_runs() {
        for at in columns() {
            assert!(FIGURES[at].told.iter().any(|told| matches!(told, Field(_))), "{}", FIGURES[at].id);
        }
    }
}
