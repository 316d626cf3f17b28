//! LAVA Theorem 1: with short and long jobs, some of them predicted wrong, best fit that never learns the truth needs
//! more hosts than best fit that does, by a number that grows linearly with the pool. (LAVA section 4.1 and appendix
//! E)
//!
//! The model of the appendix alone, without the simulator. One job arrives at every tick and takes one of the places
//! of a host. It is short or long, with a fixed lifetime for each. It goes to the fullest host of its predicted class
//! with a free place, or else to an empty host. A host is long while one of its jobs counts as long: one predicted
//! long or, with learning, one that is still running when a short job would have ended. The number of hosts is
//! unlimited. A variant lets a job without a place in its class take one on a host of the other class before it opens
//! an empty host, as every allocator does that ranks and does not forbid.
//!
//! The proof counts how soon short hosts hold long jobs, not how many hosts that takes. So three numbers are counted:
//! the hosts needed in the steady state, those still in use when no short job has arrived for a while, and those in
//! use when long jobs have then taken the places of short ones.

use std::collections::{BTreeSet, VecDeque};

use tiebreak_chart::{Panel, Plot, Role, Series, Style};
use tiebreak_model::random::{Seed, Stream, share};

use super::Exhibit;
use super::figure::{About, Figure, Findings, Measure, Row, Scale, without_trace};
use super::pools::SEEDS;
use super::verdict::Check;
use super::zone::at_once;
use tiebreak_console::answer::Failure;
use tiebreak_console::given::Given;

const NAME: &str = "lava-theorem1";

/// Jobs per host.
const PLACES: u64 = 10;

/// The lifetime of a long job, in lifetimes of a short one.
const LONG_OVER_SHORT: u64 = 100;

/// Hosts that all jobs would fill without any free place.
const HOSTS: [u64; 5] = [50, 100, 200, 400, 800];

/// Lifetimes of a long job until the steady state, and those measured.
const SETTLING: u64 = 2;
const MEASURED: u64 = 2;

/// Short lifetimes after that without any short job.
const PAUSE: u64 = 5;

/// What the allocator knows about classes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Knowing {
    /// Every prediction is right.
    All,
    /// Learns the truth when a short job would be over.
    Learning,
    /// Uses the first prediction forever.
    Never,
}

const KNOWING: [Knowing; 3] = [Knowing::All, Knowing::Learning, Knowing::Never];
const PERFECT: usize = 0;
const LEARNING: usize = 1;
const NEVER: usize = 2;

/// Where a job goes if no host of its class has a free place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    /// To an empty host, as in the paper.
    Empty,
    /// To the fullest host of the other class with a free place, before an empty one.
    OtherClass,
}

const OTHERWISE: [Otherwise; 2] = [Otherwise::Empty, Otherwise::OtherClass];

/// The parameters.
#[derive(Clone, Copy)]
struct JobMix {
    /// Share of jobs that are long; at 1 % they hold half of the places.
    long: f64,
    /// Share of jobs that are predicted wrong.
    wrong: f64,
}

/// The first is the subject of the table.
const TERMS: [JobMix; 5] = [
    JobMix { long: 0.01, wrong: 0.05 },
    JobMix { long: 0.01, wrong: 0.02 },
    JobMix { long: 0.01, wrong: 0.1 },
    JobMix { long: 0.01, wrong: 0.2 },
    JobMix { long: 0.2, wrong: 0.05 },
];

impl JobMix {
    /// The mean lifetime of jobs, in short lifetimes.
    fn mean_life(self) -> f64 {
        1.0 - self.long + self.long * LONG_OVER_SHORT as f64
    }

    /// Share of places that short jobs hold, in percent.
    fn short_places_pct(self) -> f64 {
        100.0 * (1.0 - self.long) / self.mean_life()
    }
}

/// The observations in the steady state and after it.
#[derive(Clone, Copy)]
struct Settled {
    /// The maximum number of hosts in use.
    needed: f64,
    /// Hosts in use after short jobs have stopped.
    kept: f64,
    /// Hosts in use after as many long jobs have then arrived as there are places.
    turned: f64,
}

/// One result per level of knowledge, for one number of hosts and one seed.
type Trio = [Settled; KNOWING.len()];

pub(super) fn run(given: &Given) -> Result<Exhibit, Failure> {
    without_trace(given, NAME)?;
    let scale = Scale::of(given)?;
    let hosts = &HOSTS[..scale.pick(3, HOSTS.len())];
    let terms = &TERMS[..scale.pick(1, TERMS.len())];
    let seeds = scale.seeds(SEEDS);
    let lines = terms.iter().flat_map(|terms| hosts.iter().map(move |hosts| (*terms, *hosts)));
    let lines: Vec<_> = lines.flat_map(|line| seeds.iter().map(move |seed| (line, *seed))).collect();
    let jobs: Vec<_> = OTHERWISE.into_iter().flat_map(|way| lines.iter().map(move |line| (way, *line))).collect();
    let trios = at_once(&jobs, |(way, ((terms, hosts), seed))| Ok(trio(*hosts, *terms, *seed, *way)))?;
    let by_size: Vec<&[Trio]> = trios.chunks(seeds.len()).collect();
    let by_terms: Vec<&[&[Trio]]> = by_size.chunks(hosts.len()).collect();
    let (plain, across) = by_terms.split_at(terms.len());
    let setting = format!(
        "The paper's model alone: hosts of {PLACES} places. {:.0} % of the jobs are long: they live \
        {LONG_OVER_SHORT} times as long as short ones and hold {:.0} % of the places. {:.0} % of the predictions \
        are wrong. After {SETTLING} long lifetimes, needed: the peak of hosts in use in the next {MEASURED}; kept: \
        hosts in use after another {PAUSE} short lifetimes without a new short job; turned: hosts in use once \
        enough long jobs have arrived to fill m hosts together with the existing ones.",
        100.0 * terms[0].long,
        100.0 - terms[0].short_places_pct(),
        100.0 * terms[0].wrong,
    );
    let about = About { name: NAME, source: "LAVA, Theorem 1", setting, seeds };
    let findings = Findings {
        rows: rows(hosts, plain[0], "").chain(rows(hosts, across[0], ", across classes")).collect(),
        checks: checks(hosts, plain[0]).into_iter().chain(across_checks(hosts, across[0])).collect(),
        remarks: remarks(hosts, terms, plain, across),
        panels: panels(hosts, plain[0]),
    };
    Figure::answer(given, about, findings)
}

fn trio(hosts: u64, terms: JobMix, seed: u64, otherwise: Otherwise) -> Trio {
    KNOWING.map(|knowing| TheoremModel { otherwise, ..TheoremModel::new(hosts, terms, seed, knowing) }.run())
}

/// A host's jobs, and how many of them count as long.
#[derive(Clone, Copy, Default)]
struct Host {
    jobs: u64,
    says_long: u64,
}

impl Host {
    fn gain(&mut self, says_long: bool) {
        self.jobs += 1;
        self.says_long += u64::from(says_long);
    }

    fn lose(&mut self, says_long: bool) {
        self.jobs -= 1;
        self.says_long -= u64::from(says_long);
    }
}

/// A job on a host.
struct HostedJob {
    ends: u64,
    host: usize,
    predicted_long: bool,
}

struct TheoremModel {
    knowing: Knowing,
    otherwise: Otherwise,
    terms: JobMix,
    kinds: Stream,
    errors: Stream,
    /// The places of all m hosts.
    places: u64,
    short_ticks: u64,
    hosts: Vec<Host>,
    /// Hosts in use with a free place, by class, jobs and number.
    open: BTreeSet<(bool, u64, usize)>,
    empty: BTreeSet<usize>,
    /// Jobs in the order in which they end, and long jobs predicted short in the order in which the truth appears.
    short: VecDeque<HostedJob>,
    long: VecDeque<HostedJob>,
    surprising: VecDeque<(u64, usize)>,
}

impl TheoremModel {
    fn new(hosts: u64, terms: JobMix, seed: u64, knowing: Knowing) -> Self {
        // With one job per tick, the short lifetime in ticks is chosen such that the running jobs fill the hosts.
        Self {
            knowing,
            otherwise: Otherwise::Empty,
            terms,
            kinds: Seed(seed).stream("jobs: short or long"),
            errors: Seed(seed).stream("jobs: predicted wrong"),
            places: hosts * PLACES,
            short_ticks: ((hosts * PLACES) as f64 / terms.mean_life()).round() as u64,
            hosts: Vec::new(),
            open: BTreeSet::new(),
            empty: BTreeSet::new(),
            short: VecDeque::new(),
            long: VecDeque::new(),
            surprising: VecDeque::new(),
        }
    }

    fn run(mut self) -> Settled {
        let long_ticks = self.short_ticks * LONG_OVER_SHORT;
        let settled = SETTLING * long_ticks;
        let paused = settled + MEASURED * long_ticks;
        let turning = paused + PAUSE * self.short_ticks;
        let (kinds, long) = (self.kinds, self.terms.long);
        let is_long = |now| share(kinds.draw(now, 0)) < long;
        let mut needed = 0;
        for now in 0..paused {
            self.pass(now, Some(is_long(now)));
            needed = if now < settled { 0 } else { needed.max(self.in_use()) };
        }
        for now in paused..turning {
            self.pass(now, is_long(now).then_some(true));
        }
        let kept = self.in_use();
        let mut now = turning;
        while ((self.short.len() + self.long.len()) as u64) < self.places {
            self.pass(now, Some(true));
            now += 1;
        }
        Settled { needed: needed as f64, kept: kept as f64, turned: self.in_use() as f64 }
    }

    /// One tick: jobs that are due leave, and a job, long or short, may arrive.
    fn pass(&mut self, now: u64, job: Option<bool>) {
        self.end(now);
        self.learn(now);
        if let Some(is_long) = job {
            self.arrive(now, is_long);
        }
    }

    fn in_use(&self) -> usize {
        self.hosts.len() - self.empty.len()
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
            self.change(host, |host| host.says_long += 1);
        }
    }

    fn arrive(&mut self, now: u64, is_long: bool) {
        let is_wrong = self.knowing != Knowing::All && share(self.errors.draw(now, 0)) < self.terms.wrong;
        let predicted_long = is_long != is_wrong;
        let host = self.best_fit(predicted_long);
        self.change(host, |host| host.gain(predicted_long));
        let life = self.short_ticks * if is_long { LONG_OVER_SHORT } else { 1 };
        let job = HostedJob { ends: now + life, host, predicted_long };
        if is_long {
            if !predicted_long && self.knowing == Knowing::Learning {
                self.surprising.push_back((now + self.short_ticks, host));
            }
            self.long.push_back(job);
        } else {
            self.short.push_back(job);
        }
    }

    /// The fullest host of this class with a free place, else one of the other class if jobs may go there, else an
    /// empty one, else a new one.
    fn best_fit(&mut self, long: bool) -> usize {
        let open = |class| self.open.range((class, 0, 0)..(class, PLACES, 0)).next_back().map(|(_, _, host)| *host);
        let other = || open(!long).filter(|_| self.otherwise == Otherwise::OtherClass);
        let found = open(long).or_else(other).or_else(|| self.empty.first().copied());
        found.unwrap_or_else(|| {
            self.hosts.push(Host::default());
            self.empty.insert(self.hosts.len() - 1);
            self.hosts.len() - 1
        })
    }

    /// Changes a host and updates its index entry.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut Host)) {
        let place = |host: &Host| (host.says_long > 0, host.jobs, at);
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

fn mean(seeds: &[Trio], value: impl Fn(&Trio) -> f64) -> f64 {
    seeds.iter().map(value).sum::<f64>() / seeds.len() as f64
}

/// How many more hosts are needed without learning.
fn more(value: fn(&Settled) -> f64) -> impl Fn(&Trio) -> f64 + Copy {
    move |trio| value(&trio[NEVER]) - value(&trio[LEARNING])
}

/// A counted quantity, with its name.
type Count = (&'static str, fn(&Settled) -> f64);
const COUNTS: [Count; 3] = [("needed", |seen| seen.needed), ("kept", |seen| seen.kept), ("turned", |seen| seen.turned)];

/// The slope of a difference over m, by least squares through the origin, and the exponent with which it grows with
/// m, if it is above 0.
fn fitted(hosts: &[u64], by_size: &[&[Trio]], difference: impl Fn(&Trio) -> f64) -> (f64, f64) {
    let points: Vec<_> = hosts.iter().zip(by_size).map(|(m, seeds)| (*m as f64, mean(seeds, &difference))).collect();
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let slope = sum(|(m, more)| m * more) / sum(|(m, _)| m * m);
    let count = points.len() as f64;
    let (across, up) = (sum(|(m, _)| m.ln()) / count, sum(|(_, more)| more.ln()) / count);
    let rise: f64 = points.iter().map(|(m, more)| (m.ln() - across) * (more.ln() - up)).sum();
    (slope, rise / points.iter().map(|(m, _)| (m.ln() - across) * (m.ln() - across)).sum::<f64>())
}

fn rows<'a>(hosts: &'a [u64], by_size: &'a [&[Trio]], way: &'a str) -> impl Iterator<Item = Row> + 'a {
    let row = move |(m, seeds): (&u64, &&[Trio])| {
        let over = |what, value: fn(&Trio) -> f64| Measure::of(what, 0, seeds.iter().map(value));
        let ours = vec![
            over("needed, learning", |trio| trio[LEARNING].needed),
            over("not learning", |trio| trio[NEVER].needed),
            over("kept, learning", |trio| trio[LEARNING].kept),
            over("not learning", |trio| trio[NEVER].kept),
            over("turned, learning", |trio| trio[LEARNING].turned),
            over("not learning", |trio| trio[NEVER].turned),
        ];
        let paper = way.is_empty().then_some("not learning needs more, by order m");
        Row { what: format!("m = {m}{way}"), paper, ours }
    };
    hosts.iter().zip(by_size).map(row)
}

fn checks(hosts: &[u64], by_size: &[&[Trio]]) -> Vec<Check> {
    let seeds = by_size[0].len();
    let of = |(_, value): Count, whatever: &'static str, like_m: &'static str| {
        let by_m = hosts.iter().zip(by_size).map(|(m, seeds)| (format!("m = {m}:"), seeds.iter().map(more(value))));
        // A difference that is not above 0 for every m has no exponent.
        let power = |seed: usize| {
            let of_seed: Vec<&[Trio]> = by_size.iter().map(|seeds| &seeds[seed..=seed]).collect();
            Some(fitted(hosts, &of_seed, more(value)).1).filter(|power| power.is_finite()).unwrap_or(0.0)
        };
        let powers: Vec<f64> = (0..seeds).map(power).collect();
        let bounds = [
            ("above 0.8:".to_owned(), powers.iter().map(|power| power - 0.8).collect::<Vec<_>>()),
            ("below 1.2:".into(), powers.iter().map(|power| 1.2 - power).collect()),
        ];
        [Check::each_above(whatever, "hosts", by_m), Check::each_above(like_m, "in the exponent", bounds)]
    };
    let [needed, kept, turned] = COUNTS;
    let checks = [
        of(
            needed,
            "without learning, best fit needs more hosts in steady state, for every m",
            "the excess grows like m, with an exponent of 0.8 to 1.2",
        ),
        of(kept, "it keeps more hosts in use after short jobs stop, for every m", "by a number that grows like m"),
        of(turned, "and more in use once long jobs take the places, for every m", "by a number that grows like m"),
    ];
    checks.into_iter().flatten().collect()
}

/// The theorem with jobs that may go to the other class, for every m.
fn across_checks(hosts: &[u64], by_size: &[&[Trio]]) -> impl Iterator<Item = Check> {
    const WORDS: [&str; 3] = [
        "across classes, without learning, best fit needs more hosts in steady state, for every m",
        "across classes, it keeps more hosts in use after short jobs stop, for every m",
        "across classes, it has more in use once long jobs take the places, for every m",
    ];
    WORDS.into_iter().zip(COUNTS).map(move |(words, (_, value))| {
        let by_m = hosts.iter().zip(by_size).map(|(m, seeds)| (format!("m = {m}:"), seeds.iter().map(more(value))));
        Check::each_above(words, "hosts", by_m)
    })
}

fn remarks(hosts: &[u64], terms: &[JobMix], plain: &[&[&[Trio]]], across: &[&[&[Trio]]]) -> Vec<String> {
    let words = |(terms, by_size): (&JobMix, &&[&[Trio]])| {
        let of = |(name, value): Count| {
            let slope = |knowing: usize| fitted(hosts, by_size, |trio| value(&trio[knowing])).0;
            let [perfect, learning, never] = [PERFECT, LEARNING, NEVER].map(slope);
            format!("{name} {perfect:.2}, {learning:.2}, {never:.2} m")
        };
        format!(
            "short jobs hold {:.0} % of the places, {:.0} % wrong: {}",
            terms.short_places_pct(),
            100.0 * terms.wrong,
            COUNTS.map(of).join("; "),
        )
    };
    let mut remarks = vec!["below: if all is right, learning, not learning".into()];
    remarks.extend(terms.iter().zip(plain).map(words));
    remarks.push(
        "the same across classes: a job without a place in its class goes to the other before an empty host".into(),
    );
    remarks.extend(terms.iter().zip(across).map(words));
    remarks
}

fn panels(hosts: &[u64], by_size: &[&[Trio]]) -> Vec<Panel> {
    const LINES: [(&str, Role); 3] =
        [("all right", Role::Ghost), ("learning", Role::Live), ("not learning", Role::Variant(0))];
    let plot = |title: &str, value: fn(&Settled) -> f64| {
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
        plot("Hosts needed while nothing changes", |seen| seen.needed),
        plot("Hosts in use after short jobs have stopped", |seen| seen.kept),
        plot("Hosts in use after long jobs have replaced short ones", |seen| seen.turned),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model without jobs, for tests that place them manually.
    fn model(knowing: Knowing) -> TheoremModel {
        TheoremModel { short_ticks: 10, ..TheoremModel::new(1, JobMix { wrong: 0.0, ..TERMS[0] }, 1, knowing) }
    }

    /// Places jobs by their predicted class; returns their hosts.
    fn placed(model: &mut TheoremModel, predicted_long: &[bool]) -> Vec<usize> {
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
        // Host 0 is then full, so the next job opens another. When a job leaves, the fuller host is preferred.
        assert_eq!(placed(&mut model, &[false; 9])[8], 2);
        model.change(0, |host| host.lose(false));
        assert_eq!(placed(&mut model, &[false, false]), [0, 2]);
    }

    #[test]
    fn a_job_without_a_place_in_its_class_takes_one_of_the_other_if_it_may() {
        for (otherwise, expected) in [(Otherwise::Empty, 1), (Otherwise::OtherClass, 0)] {
            let mut model = TheoremModel { otherwise, ..model(Knowing::Never) };
            assert_eq!(placed(&mut model, &[true, false]), [0, expected]);
            // The host stays long.
            assert_eq!(placed(&mut model, &[true]), [0]);
        }
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
        let seen = |needed| Settled { needed, kept: 0.0, turned: 0.0 };
        let hosts = [10, 20, 40];
        let seeds: Vec<Vec<Trio>> = hosts.iter().map(|m| vec![[0.0, 0.0, 0.25 * *m as f64].map(seen)]).collect();
        let seeds: Vec<&[Trio]> = seeds.iter().map(Vec::as_slice).collect();
        let (slope, power) = fitted(&hosts, &seeds, more(|seen| seen.needed));
        assert!((slope - 0.25).abs() < 1e-12 && (power - 1.0).abs() < 1e-12);
    }
}
