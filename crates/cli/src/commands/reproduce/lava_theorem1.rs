//! LAVA Theorem 1: with short and long jobs of which a share is predicted wrong, best fit that
//! never learns the truth needs more hosts than best fit that does, by a number that grows like
//! the pool. (LAVA section 4.1 and appendix E)
//!
//! The model of the appendix by itself, without the simulator: a job arrives at every tick and takes
//! one of the places of a host; it is short or long, and lives exactly as long. It goes to the
//! fullest host of its predicted class that has a place, else to an empty one. A host is long while
//! one of its jobs says so: one that was predicted long or, with learning, one that turns out to be
//! long when a short one would be over. There are as many hosts as it takes.
//!
//! The proof counts how often short hosts come to hold long jobs; so does this, beside the hosts
//! that are needed.

use std::collections::{BTreeSet, VecDeque};

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::{Seed, Stream};

use super::Check;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::pools::SEEDS;
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

/// What is varied: the share predicted wrong, and whether a job goes to a host of the other class
/// before it takes an empty one.
#[derive(Clone, Copy)]
struct Terms {
    wrong: f64,
    mixes: bool,
}

/// The first is what the table is about.
const TERMS: [Terms; 4] = [
    Terms { wrong: 0.1, mixes: false },
    Terms { wrong: 0.02, mixes: false },
    Terms { wrong: 0.3, mixes: false },
    Terms { wrong: 0.1, mixes: true },
];

/// What was seen once things had settled.
#[derive(Clone, Copy)]
struct Seen {
    /// The most hosts in use at one time.
    needed: f64,
    /// Hosts taken for short that hold a long job, on average.
    misjudged: f64,
}

/// For one number of hosts and seed, by knowing.
type Trio = [Seen; KNOWING.len()];

pub(super) fn run(given: &Given) -> Result<Answer, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given);
    let hosts = &HOSTS[..scale.pick(3, HOSTS.len())];
    let terms = &TERMS[..scale.pick(1, TERMS.len())];
    let seeds = scale.seeds(SEEDS);
    let lines = terms.iter().flat_map(|terms| hosts.iter().map(move |hosts| (*terms, *hosts)));
    let jobs: Vec<_> = lines.flat_map(|line| seeds.iter().map(move |seed| (line, *seed))).collect();
    let trios = at_once(&jobs, |((terms, hosts), seed)| Ok(trio(*hosts, *terms, *seed)))?;
    let by_size: Vec<&[Trio]> = trios.chunks(seeds.len()).collect();
    let by_terms: Vec<&[&[Trio]]> = by_size.chunks(hosts.len()).collect();
    let setting = format!(
        "The paper's model by itself: hosts of {PLACES} places, {:.0} % of the jobs long, which live {LONG_OVER_SHORT} \
         times as long as short ones; {:.0} % are predicted wrong. The most hosts in use at a time, over three lives of \
         a long job after another three.",
        100.0 * LONG_SHARE,
        100.0 * TERMS[0].wrong,
    );
    let about = About { name: NAME, source: "LAVA, Theorem 1", setting, seeds };
    let findings = Findings {
        rows: rows(hosts, by_terms[0]),
        checks: checks(hosts, by_terms[0]),
        remarks: remarks(hosts, terms, &by_terms),
        panels: panels(hosts, by_terms[0]),
    };
    Figure::answer(given, about, findings)
}

fn trio(hosts: u64, terms: Terms, seed: u64) -> Trio {
    KNOWING.map(|knowing| Model::new(hosts, terms, seed, knowing).run())
}

/// A host's jobs, how many of them say that they are long, and how many are.
#[derive(Clone, Copy, Default)]
struct Host {
    jobs: u64,
    says_long: u64,
    is_long: u64,
}

impl Host {
    fn gain(&mut self, says_long: bool, is_long: bool) {
        self.jobs += 1;
        self.says_long += u64::from(says_long);
        self.is_long += u64::from(is_long);
    }

    fn lose(&mut self, says_long: bool, is_long: bool) {
        self.jobs -= 1;
        self.says_long -= u64::from(says_long);
        self.is_long -= u64::from(is_long);
    }

    fn is_misjudged(&self) -> bool {
        self.says_long == 0 && self.is_long > 0
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
    terms: Terms,
    kinds: Stream,
    errors: Stream,
    short_ticks: u64,
    hosts: Vec<Host>,
    misjudged: u64,
    /// Hosts in use that have a place, by class, jobs and number.
    open: BTreeSet<(bool, u64, usize)>,
    empty: BTreeSet<usize>,
    /// Jobs in the order they end; and long ones that were predicted short, as they turn out.
    short: VecDeque<Job>,
    long: VecDeque<Job>,
    surprising: VecDeque<(u64, usize)>,
}

impl Model {
    fn new(hosts: u64, terms: Terms, seed: u64, knowing: Knowing) -> Self {
        // One job a tick: so many ticks a short life lasts that the jobs alive fill the hosts.
        let mean_life = 1.0 - LONG_SHARE + LONG_SHARE * LONG_OVER_SHORT as f64;
        Self {
            knowing,
            terms,
            kinds: Seed(seed).stream("jobs: short or long"),
            errors: Seed(seed).stream("jobs: predicted wrong"),
            short_ticks: ((hosts * PLACES) as f64 / mean_life).round() as u64,
            hosts: Vec::new(),
            misjudged: 0,
            open: BTreeSet::new(),
            empty: BTreeSet::new(),
            short: VecDeque::new(),
            long: VecDeque::new(),
            surprising: VecDeque::new(),
        }
    }

    fn run(mut self) -> Seen {
        let long_ticks = self.short_ticks * LONG_OVER_SHORT;
        let (mut most, mut misjudged) = (0, 0);
        for now in 0..6 * long_ticks {
            self.end(now);
            self.learn(now);
            self.arrive(now);
            if now >= 3 * long_ticks {
                most = most.max(self.hosts.len() - self.empty.len());
                misjudged += self.misjudged;
            }
        }
        Seen { needed: most as f64, misjudged: misjudged as f64 / (3 * long_ticks) as f64 }
    }

    fn end(&mut self, now: u64) {
        while let Some(job) = self.short.pop_front_if(|job| job.ends <= now) {
            self.change(job.host, |host| host.lose(job.predicted_long, false));
        }
        while let Some(job) = self.long.pop_front_if(|job| job.ends <= now) {
            let says_long = job.predicted_long || self.knowing == Knowing::Learning;
            self.change(job.host, |host| host.lose(says_long, true));
        }
    }

    fn learn(&mut self, now: u64) {
        while let Some((_, host)) = self.surprising.pop_front_if(|(at, _)| *at <= now) {
            self.change(host, |host| host.says_long += 1);
        }
    }

    fn arrive(&mut self, now: u64) {
        let is_long = unit(self.kinds.draw(now, 0)) < LONG_SHARE;
        let is_wrong = self.knowing != Knowing::All && unit(self.errors.draw(now, 0)) < self.terms.wrong;
        let predicted_long = is_long != is_wrong;
        let host = self.best_fit(predicted_long);
        self.change(host, |host| host.gain(predicted_long, is_long));
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

    /// The fullest host of this class with a place, perhaps of the other, else an empty one, else a new one.
    fn best_fit(&mut self, long: bool) -> usize {
        let fullest =
            |long: bool| self.open.range((long, 0, 0)..(long, PLACES, 0)).next_back().map(|(_, _, host)| *host);
        let other = || if self.terms.mixes { fullest(!long) } else { None };
        let found = fullest(long).or_else(other).or_else(|| self.empty.first().copied());
        found.unwrap_or_else(|| {
            self.hosts.push(Host::default());
            self.empty.insert(self.hosts.len() - 1);
            self.hosts.len() - 1
        })
    }

    /// Changes a host and puts it where it belongs then.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Host)) {
        let place = |host: &Host| (host.says_long > 0, host.jobs, at);
        self.misjudged -= u64::from(self.hosts[at].is_misjudged());
        self.open.remove(&place(&self.hosts[at]));
        self.empty.remove(&at);
        change(&mut self.hosts[at]);
        self.misjudged += u64::from(self.hosts[at].is_misjudged());
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

fn mean(seeds: &[Trio], value: impl Fn(&Trio) -> f64) -> f64 {
    seeds.iter().map(value).sum::<f64>() / seeds.len() as f64
}

/// Hosts that not learning needs more.
fn more_needed(trio: &Trio) -> f64 {
    trio[NEVER].needed - trio[LEARNING].needed
}

/// Hosts that not learning misjudges more.
fn more_misjudged(trio: &Trio) -> f64 {
    trio[NEVER].misjudged - trio[LEARNING].misjudged
}

/// The slope of a difference over m, through the origin, by least squares; and the power of m by
/// which it grows, where it is above 0.
fn fitted(hosts: &[u64], by_size: &[&[Trio]], difference: fn(&Trio) -> f64) -> (f64, f64) {
    let points: Vec<_> = hosts.iter().zip(by_size).map(|(m, seeds)| (*m as f64, mean(seeds, difference))).collect();
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let slope = sum(|(m, more)| m * more) / sum(|(m, _)| m * m);
    let count = points.len() as f64;
    let (across, up) = (sum(|(m, _)| m.ln()) / count, sum(|(_, more)| more.ln()) / count);
    let rise: f64 = points.iter().map(|(m, more)| (m.ln() - across) * (more.ln() - up)).sum();
    (slope, rise / points.iter().map(|(m, _)| (m.ln() - across) * (m.ln() - across)).sum::<f64>())
}

fn rows(hosts: &[u64], by_size: &[&[Trio]]) -> Vec<Row> {
    let row = |(m, seeds): (&u64, &&[Trio])| {
        let over = |what, value: fn(&Trio) -> f64| Measure::of(what, 0, seeds.iter().map(value));
        let ours = vec![
            over("needed, all right", |trio| trio[PERFECT].needed),
            over("learning", |trio| trio[LEARNING].needed),
            over("not learning", |trio| trio[NEVER].needed),
            over("misjudged, learning", |trio| trio[LEARNING].misjudged),
            over("not learning", |trio| trio[NEVER].misjudged),
        ];
        Row { what: format!("m = {m}"), paper: Some("not learning needs more, by order m"), ours }
    };
    hosts.iter().zip(by_size).map(row).collect()
}

fn checks(hosts: &[u64], by_size: &[&[Trio]]) -> Vec<Check> {
    let not_more = |what, unit, difference: fn(&Trio) -> f64| {
        let found = hosts.iter().zip(by_size).find(|(_, seeds)| mean(seeds, difference) <= 0.0);
        Check::new(what, found.map(|(m, seeds)| format!("{:+.1} {unit} with m = {m}", mean(seeds, difference))))
    };
    let like_m = |what, difference: fn(&Trio) -> f64| {
        let (slope, power) = fitted(hosts, by_size, difference);
        Check::so(what, (0.8..=1.2).contains(&power), || {
            format!("it is {slope:+.3} m")
                + &if power.is_nan() { String::new() } else { format!(", as m to the {power:.2}") }
        })
    };
    vec![
        not_more("best fit that does not learn needs more hosts, whatever m", "hosts", more_needed),
        like_m("by a number that grows like m, as its power of 0.8 to 1.2", more_needed),
        not_more("more hosts that are taken for short hold a long job, whatever m", "hosts", more_misjudged),
        like_m("and that number grows like m", more_misjudged),
    ]
}

fn remarks(hosts: &[u64], terms: &[Terms], by_terms: &[&[&[Trio]]]) -> Vec<String> {
    let words = |(terms, by_size): (&Terms, &&[&[Trio]])| {
        let of = |knowing: usize| {
            let points =
                hosts.iter().zip(*by_size).map(|(m, seeds)| (*m as f64, mean(seeds, |trio| trio[knowing].needed)));
            points.clone().map(|(m, needed)| m * needed).sum::<f64>() / points.map(|(m, _)| m * m).sum::<f64>()
        };
        format!(
            "{:.0} % wrong{}: {:.3} m hosts if all is right, {:.3} m learning, {:.3} m not learning; misjudged hosts more \
             without learning: {:.3} m",
            100.0 * terms.wrong,
            if terms.mixes { ", and any host in use before an empty one" } else { "" },
            of(PERFECT),
            of(LEARNING),
            of(NEVER),
            fitted(hosts, by_size, more_misjudged).0,
        )
    };
    terms.iter().zip(by_terms).map(words).collect()
}

fn panels(hosts: &[u64], by_size: &[&[Trio]]) -> Vec<Panel> {
    const LINES: [(&str, Role); 3] =
        [("all right", Role::Ghost), ("learning", Role::Live), ("not learning", Role::Variant(0))];
    let plot = |title: &str, value: fn(&Seen) -> f64| {
        let point =
            |knowing: usize, (m, seeds): (&u64, &&[Trio])| (*m as f64, mean(seeds, |trio| value(&trio[knowing])));
        let line = |knowing: usize| hosts.iter().zip(by_size).map(|at| point(knowing, at)).collect();
        let series = LINES.iter().enumerate();
        Panel::Plot(Plot {
            title: title.into(),
            unit: "hosts".into(),
            across: "m, hosts that all jobs would fill".into(),
            across_is_log: true,
            up_is_log: false,
            series: series
                .map(|(knowing, (name, role))| Series::new(*name, *role, Style::Line, line(knowing)))
                .collect(),
        })
    };
    vec![
        plot("Hosts needed", |seen| seen.needed),
        plot("Hosts taken for short that hold a long job", |seen| seen.misjudged),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model in which every class has been said by hand.
    fn model(knowing: Knowing) -> Model {
        Model { short_ticks: 10, ..Model::new(1, Terms { wrong: 0.0, mixes: false }, 1, knowing) }
    }

    /// Puts jobs on hosts by their predicted class; where they stand.
    fn placed(model: &mut Model, predicted_long: &[bool]) -> Vec<usize> {
        let mut put = |long: &bool| {
            let host = model.best_fit(*long);
            model.change(host, |host| host.gain(*long, *long));
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
        model.change(0, |host| host.lose(false, false));
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
        let seen = |needed| Seen { needed, misjudged: 0.0 };
        let hosts = [10, 20, 40];
        let seeds: Vec<Vec<Trio>> = hosts.iter().map(|m| vec![[0.0, 0.0, 0.25 * *m as f64].map(seen)]).collect();
        let seeds: Vec<&[Trio]> = seeds.iter().map(Vec::as_slice).collect();
        let (slope, power) = fitted(&hosts, &seeds, more_needed);
        assert!((slope - 0.25).abs() < 1e-12 && (power - 1.0).abs() < 1e-12);
    }
}
