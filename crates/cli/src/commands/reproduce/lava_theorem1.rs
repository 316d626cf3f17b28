//! LAVA Theorem 1: with short and long jobs of which a share is predicted wrong, best fit that
//! never learns the truth needs more hosts than best fit that does, by a number that grows like
//! the pool. (LAVA section 4.1 and appendix E)
//!
//! The model of the appendix by itself, without the simulator: a job arrives at every tick and takes
//! one of the places of a host; it is short or long, and lives exactly as long. It goes to the
//! fullest host of its predicted class that has a place, else to an empty one. A host is long while
//! one of its jobs says so: one that was predicted long or, with learning, one that turns out to be
//! long when a short one would be over. There are as many hosts as it takes.

use std::collections::{BTreeSet, VecDeque};

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::{Seed, Stream};

use super::Check;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::zone::at_once;
use crate::answer::{Answer, Failure};
use crate::given::Given;

const NAME: &str = "lava-theorem1";

/// Jobs that a host holds.
const PLACES: u64 = 10;

/// A long job lives so many times as long as a short one.
const LONG_OVER_SHORT: u64 = 100;

/// Share of the jobs that are long.
const LONG_SHARE: f64 = 0.2;

/// Share of the jobs that are predicted wrong; the first is what the table is about.
const WRONG_SHARES: [f64; 3] = [0.1, 0.02, 0.3];

/// Hosts that all jobs would fill if none had a place free.
const HOSTS: [u64; 6] = [50, 100, 200, 400, 800, 1_600];

/// How the allocator knows classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knowing {
    /// Every prediction is right.
    All,
    /// Learns the truth when a short job would be over.
    Learning,
    /// By the first prediction for ever.
    Never,
}

const KNOWING: [Knowing; 3] = [Knowing::All, Knowing::Learning, Knowing::Never];
const PERFECT: usize = 0;
const LEARNING: usize = 1;
const NEVER: usize = 2;

/// The most hosts in use at one time, for one number of hosts, share and seed, by knowing.
type Needed = [f64; KNOWING.len()];

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given);
    let hosts = &HOSTS[..scale.pick(3, HOSTS.len())];
    let shares = &WRONG_SHARES[..scale.pick(1, WRONG_SHARES.len())];
    let seeds = scale.seeds(5);
    let lines = shares.iter().flat_map(|share| hosts.iter().map(move |hosts| (*share, *hosts)));
    let jobs: Vec<_> = lines.flat_map(|line| seeds.iter().map(move |seed| (line, *seed))).collect();
    let needed = at_once(&jobs, |((share, hosts), seed)| Ok(needed(*hosts, *share, *seed)))?;
    let by_size: Vec<&[Needed]> = needed.chunks(seeds.len()).collect();
    let by_share: Vec<&[&[Needed]]> = by_size.chunks(hosts.len()).collect();
    let setting = format!(
        "The paper's model by itself: hosts of {PLACES} places, {:.0} % of the jobs long, which live {LONG_OVER_SHORT} \
         times as long as short ones; {:.0} % are predicted wrong. The most hosts in use at a time, over three lives of \
         a long job after another three.",
        100.0 * LONG_SHARE,
        100.0 * shares[0],
    );
    let about = About { name: NAME, source: "LAVA, Theorem 1", setting, seeds };
    let findings = Findings {
        rows: rows(hosts, by_share[0]),
        checks: checks(hosts, by_share[0]),
        remarks: remarks(hosts, shares, &by_share),
        panels: panels(hosts, by_share[0]),
    };
    Figure::answer(given, about, findings)
}

fn needed(hosts: u64, wrong: f64, seed: u64) -> Needed {
    KNOWING.map(|knowing| f64::from(Model::new(hosts, wrong, seed, knowing).run()))
}

/// A host's jobs, and how many of them say that they are long.
#[derive(Clone, Copy, Default)]
struct Host {
    jobs: u64,
    long: u64,
}

impl Host {
    fn gain(&mut self, says_long: bool) {
        (self.jobs, self.long) = (self.jobs + 1, self.long + u64::from(says_long));
    }

    fn lose(&mut self, says_long: bool) {
        (self.jobs, self.long) = (self.jobs - 1, self.long - u64::from(says_long));
    }
}

/// A job that is on a host.
struct Job {
    ends: u64,
    host: usize,
    predicted_long: bool,
}

struct Model {
    knowing: Knowing,
    wrong: f64,
    kinds: Stream,
    errors: Stream,
    short_ticks: u64,
    hosts: Vec<Host>,
    /// Hosts in use that have a place, by class, jobs and number.
    open: BTreeSet<(bool, u64, usize)>,
    empty: BTreeSet<usize>,
    /// Jobs in the order they end; and long ones that were predicted short, as they turn out.
    short: VecDeque<Job>,
    long: VecDeque<Job>,
    surprising: VecDeque<(u64, usize)>,
}

impl Model {
    fn new(hosts: u64, wrong: f64, seed: u64, knowing: Knowing) -> Self {
        // One job a tick: so many ticks a short life lasts that the jobs alive fill the hosts.
        let mean_life = 1.0 - LONG_SHARE + LONG_SHARE * LONG_OVER_SHORT as f64;
        Self {
            knowing,
            wrong: if knowing == Knowing::All { 0.0 } else { wrong },
            kinds: Seed(seed).stream("jobs: short or long"),
            errors: Seed(seed).stream("jobs: predicted wrong"),
            short_ticks: ((hosts * PLACES) as f64 / mean_life).round() as u64,
            hosts: Vec::new(),
            open: BTreeSet::new(),
            empty: BTreeSet::new(),
            short: VecDeque::new(),
            long: VecDeque::new(),
            surprising: VecDeque::new(),
        }
    }

    /// The most hosts in use at one time, once things have settled.
    fn run(mut self) -> u32 {
        let long_ticks = self.short_ticks * LONG_OVER_SHORT;
        let mut most = 0;
        for now in 0..6 * long_ticks {
            self.end(now);
            self.learn(now);
            self.arrive(now);
            if now >= 3 * long_ticks {
                most = most.max(self.hosts.len() - self.empty.len());
            }
        }
        most as u32
    }

    fn end(&mut self, now: u64) {
        while let Some(job) = self.short.pop_front_if(|job| job.ends <= now) {
            self.change(job.host, |host| host.lose(job.predicted_long));
        }
        while let Some(job) = self.long.pop_front_if(|job| job.ends <= now) {
            let says_long = job.predicted_long || self.knowing == Knowing::Learning;
            self.change(job.host, |host| host.lose(says_long));
        }
    }

    fn learn(&mut self, now: u64) {
        while let Some((_, host)) = self.surprising.pop_front_if(|(at, _)| *at <= now) {
            self.change(host, |host| host.long += 1);
        }
    }

    fn arrive(&mut self, now: u64) {
        let is_long = unit(self.kinds.draw(now, 0)) < LONG_SHARE;
        let predicted_long = is_long != (unit(self.errors.draw(now, 0)) < self.wrong);
        let host = self.best_fit(predicted_long);
        self.change(host, |host| host.gain(predicted_long));
        let life = self.short_ticks * if is_long { LONG_OVER_SHORT } else { 1 };
        let job = Job { ends: now + life, host, predicted_long };
        if is_long {
            if !predicted_long && self.knowing == Knowing::Learning {
                self.surprising.push_back((now + self.short_ticks, host));
            }
            self.long.push_back(job);
        } else {
            self.short.push_back(job);
        }
    }

    /// The fullest host of this class with a place, else an empty one, else a new one.
    fn best_fit(&mut self, long: bool) -> usize {
        let fullest = self.open.range((long, 0, 0)..(long, PLACES, 0)).next_back().map(|(_, _, host)| *host);
        fullest.or_else(|| self.empty.first().copied()).unwrap_or_else(|| {
            self.hosts.push(Host::default());
            self.empty.insert(self.hosts.len() - 1);
            self.hosts.len() - 1
        })
    }

    /// Changes a host and puts it where it belongs then.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Host)) {
        let place = |host: &Host| (host.long > 0, host.jobs, at);
        self.open.remove(&place(&self.hosts[at]));
        self.empty.remove(&at);
        change(&mut self.hosts[at]);
        match self.hosts[at].jobs {
            0 => _ = self.empty.insert(at),
            PLACES => {}
            _ => _ = self.open.insert(place(&self.hosts[at])),
        }
    }
}

/// A number from 0 up to 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

fn mean(seeds: &[Needed], value: impl Fn(&Needed) -> f64) -> f64 {
    seeds.iter().map(value).sum::<f64>() / seeds.len() as f64
}

fn gap(needed: &Needed) -> f64 {
    needed[NEVER] - needed[LEARNING]
}

/// Slope and exponent of the gap: hosts more for each host, and by what power it grows.
fn fitted(hosts: &[u64], by_size: &[&[Needed]]) -> (f64, f64) {
    let points: Vec<_> = hosts.iter().zip(by_size).map(|(hosts, seeds)| (*hosts as f64, mean(seeds, gap))).collect();
    let slope = points.iter().map(|(size, gap)| size * gap).sum::<f64>()
        / points.iter().map(|(size, _)| size * size).sum::<f64>();
    let logs: Vec<_> = points.iter().map(|(size, gap)| (size.ln(), gap.ln())).collect();
    let middle = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (across, up) = (middle(|log| log.0), middle(|log| log.1));
    let rise = logs.iter().map(|log| (log.0 - across) * (log.1 - up)).sum::<f64>();
    (slope, rise / logs.iter().map(|log| (log.0 - across) * (log.0 - across)).sum::<f64>())
}

fn rows(hosts: &[u64], by_size: &[&[Needed]]) -> Vec<Row> {
    let row = |(hosts, seeds): (&u64, &&[Needed])| {
        let over = |what, value: fn(&Needed) -> f64| Measure::of(what, 0, seeds.iter().map(value));
        let ours = vec![
            over("all right", |needed| needed[PERFECT]),
            over("learning", |needed| needed[LEARNING]),
            over("not learning", |needed| needed[NEVER]),
            over("difference", gap),
            Measure::of("of m, %", 1, std::iter::once(100.0 * mean(seeds, gap) / *hosts as f64)),
        ];
        Row { what: format!("m = {hosts}"), paper: Some("difference of order m"), ours }
    };
    hosts.iter().zip(by_size).map(row).collect()
}

fn checks(hosts: &[u64], by_size: &[&[Needed]]) -> Vec<Check> {
    let not_more = hosts.iter().zip(by_size).find(|(_, seeds)| mean(seeds, gap) <= 0.0);
    let (_, exponent) = fitted(hosts, by_size);
    let last = by_size[by_size.len() - 1];
    let [perfect, learning, never] = [PERFECT, LEARNING, NEVER].map(|knowing| mean(last, |needed| needed[knowing]));
    vec![
        Check::new(
            "best fit that does not learn needs more hosts, whatever m",
            not_more.map(|(hosts, seeds)| format!("{:+.1} with m = {hosts}", mean(seeds, gap))),
        ),
        Check::so("the difference grows like m: as its power of 0.8 to 1.2", (0.8..=1.2).contains(&exponent), || {
            format!("as its power of {exponent:.2}")
        }),
        Check::so(
            "learning saves more than half of what wrong predictions cost",
            2.0 * learning < perfect + never,
            || format!("{learning:.0} hosts, {perfect:.0} if all is right, {never:.0} without learning"),
        ),
    ]
}

fn remarks(hosts: &[u64], shares: &[f64], by_share: &[&[&[Needed]]]) -> Vec<String> {
    let words = |(share, by_size): (&f64, &&[&[Needed]])| {
        let (slope, exponent) = fitted(hosts, by_size);
        format!(
            "with {:.0} % predicted wrong the difference is {slope:.3} m hosts (least squares), and it grows as m to the {exponent:.2}",
            100.0 * share
        )
    };
    shares.iter().zip(by_share).map(words).collect()
}

fn panels(hosts: &[u64], by_size: &[&[Needed]]) -> Vec<Panel> {
    const LINES: [(&str, Role); 3] =
        [("all right", Role::Ghost), ("learning", Role::Live), ("not learning", Role::Variant(0))];
    let line = |knowing: usize| {
        hosts.iter().zip(by_size).map(|(hosts, seeds)| (*hosts as f64, mean(seeds, |needed| needed[knowing]))).collect()
    };
    let series = LINES.iter().enumerate();
    vec![Panel::Plot(Plot {
        title: "Hosts needed".into(),
        unit: "hosts".into(),
        across: "m, hosts that all jobs would fill".into(),
        across_is_log: true,
        up_is_log: true,
        series: series.map(|(knowing, (name, role))| Series::new(*name, *role, Style::Line, line(knowing))).collect(),
    })]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model in which every class has been said by hand.
    fn model(knowing: Knowing) -> Model {
        Model { short_ticks: 10, ..Model::new(1, 0.0, 1, knowing) }
    }

    /// Puts jobs on hosts by their predicted class; where they stand.
    fn placed(model: &mut Model, predicted_long: &[bool]) -> Vec<usize> {
        let mut put = |long: &bool| {
            let host = model.best_fit(*long);
            model.change(host, |host| host.gain(*long));
            host
        };
        predicted_long.iter().map(&mut put).collect()
    }

    #[test]
    fn jobs_go_to_the_fullest_host_of_their_class() {
        let mut model = model(Knowing::Never);
        assert_eq!(placed(&mut model, &[false, true, false, true, true]), [0, 1, 0, 1, 1]);
        // Full, so that the next opens another; when one leaves there, the fuller host goes on.
        assert_eq!(placed(&mut model, &[false; 9])[8], 2);
        model.change(0, |host| host.lose(false));
        assert_eq!(placed(&mut model, &[false, false]), [0, 2]);
    }

    #[test]
    fn a_host_is_long_from_when_a_job_turns_out_to_be() {
        for (knowing, expected) in [(Knowing::Learning, 0), (Knowing::Never, 1)] {
            let mut model = model(knowing);
            placed(&mut model, &[false]);
            if knowing == Knowing::Learning {
                model.surprising.push_back((10, 0));
            }
            model.learn(9);
            assert_eq!(model.best_fit(false), 0, "still taken for short");
            model.learn(10);
            assert_eq!(placed(&mut model, &[true]), [expected]);
        }
    }

    #[test]
    fn a_line_through_the_origin_has_its_slope_and_a_power_of_one() {
        let hosts = [10, 20, 40];
        let seeds: Vec<Vec<Needed>> = hosts.iter().map(|hosts| vec![[0.0, 0.0, 0.25 * *hosts as f64]]).collect();
        let seeds: Vec<&[Needed]> = seeds.iter().map(Vec::as_slice).collect();
        let (slope, exponent) = fitted(&hosts, &seeds);
        assert!((slope - 0.25).abs() < 1e-12 && (exponent - 1.0).abs() < 1e-12);
    }
}
