//! `FindList`: the next runs of a search for a better list, and what it has found.
//!
//! The page keeps a log of the search: its plan, and a line for every run ([`line`]). The engine replays the log, so
//! any engine can continue any search, also after a reload. It keeps the last search, so that only new lines count.

use core::fmt::Write;

use tiebreak_model::phrase::mark;
use tiebreak_model::{Phrase, declare, phrase};
use tiebreak_scenario::search::{Search, SearchFigure, SearchPlan, SearchReport, SearchRun};
use tiebreak_scenario::{PRESETS, SweepScenario, Variant};
use tiebreak_sim::FIGURES;
use tiebreak_sim::figures::{compared, on_page};

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Exhibit, ExhibitPlot, ExhibitRow, Found, ListSearch};
use crate::said;

/// The line of a log after which no race begins.
pub const STOP: &str = "stop";

declare! {
    /// The next runs of a search for a better list.
    pub struct FindList as "FindList" {}
}

/// The figures of a run, or why it failed.
type Figures = Result<Vec<Option<f64>>, String>;

/// The line of a run in the log of a search: `list seed figure figure`, with `-` for none, or `list seed ! reason`.
#[must_use]
pub fn line(list: u32, seed: u32, figures: &Figures) -> String {
    let mut line = format!("{list} {seed}");
    // Writing to a text cannot fail.
    let _ = match figures {
        Ok(figures) => figures.iter().try_for_each(|figure| match figure {
            Some(figure) => write!(line, " {figure}"),
            None => write!(line, " -"),
        }),
        Err(why) => write!(line, " ! {}", why.replace('\n', " ")),
    };
    line
}

fn read(line: &str) -> Option<(SearchRun, Figures)> {
    let mut words = line.splitn(3, ' ');
    let run = SearchRun { list: words.next()?.parse().ok()?, seed: words.next()?.parse().ok()? };
    let rest = words.next()?;
    if let Some(why) = rest.strip_prefix("! ") {
        return Some((run, Err(why.to_owned())));
    }
    let figure = |word: &str| if word == "-" { Some(None) } else { word.parse().ok().map(Some) };
    Some((run, Ok(rest.split(' ').map(figure).collect::<Option<_>>()?)))
}

/// A search, and what of its log it was told.
pub(crate) struct Seeking {
    plan: String,
    search: Search,
    lines: usize,
    has_stopped: bool,
}

impl Seeking {
    fn begin(plan: &str) -> Result<Self, Phrase> {
        let faulty = |error: tiebreak_scenario::SweepError| Phrase::text(error.lines().join("; "));
        let read = SearchPlan::read(plan).map_err(faulty)?;
        let search = match &read.scenario {
            SweepScenario::Inline(document) => Search::new(&read, document),
            SweepScenario::Named(name) => match PRESETS.iter().find(|preset| preset.id == *name) {
                Some(preset) => Search::new(&read, &(preset.make)()),
                None => {
                    return Err(phrase!("expected a whole document in the plan, or a preset, got \"{name}\"", name));
                }
            },
        };
        Ok(Self { plan: plan.to_owned(), search: search.map_err(faulty)?, lines: 0, has_stopped: false })
    }

    /// Replays the rest of a log. The order of its runs changes nothing, but for those before a stop.
    fn follow(&mut self, log: &[&str]) -> Result<(), Phrase> {
        let mut runs = Vec::new();
        for (at, line) in log.iter().enumerate() {
            if *line != STOP {
                let wrong = || phrase!("expected the figures of a run in line {} of the search's log", at + 1);
                runs.push(read(line).ok_or_else(wrong)?);
                continue;
            }
            self.tell(&runs);
            if at >= self.lines {
                self.search.finish();
                self.has_stopped = true;
            }
        }
        self.tell(&runs);
        self.lines = log.len();
        Ok(())
    }

    fn tell(&mut self, runs: &[(SearchRun, Figures)]) {
        loop {
            let known = |run| runs.iter().find(|(other, _)| *other == run).cloned();
            let told: Vec<_> = self.search.wanted().filter_map(known).collect();
            if told.is_empty() {
                return;
            }
            for (run, figures) in told {
                self.search.tell(run, figures);
            }
        }
    }

    fn state(&self) -> Result<Answer, Phrase> {
        let search = &self.search;
        if let Some(why) = search.failure() {
            return Err(Phrase::text(why.to_owned()));
        }
        let wanted: Vec<SearchRun> = search.wanted().collect();
        let mut lists: Vec<u32> = wanted.iter().map(|run| run.list as u32).collect();
        lists.dedup();
        let first = SearchRun { list: 0, seed: 0 };
        let document =
            |list: u32| search.document(search.variant(SearchRun { list: list as usize, ..first })).to_json();
        let report = search.report();
        let (looked_at, races) = search.effort();
        let (runs, runs_max) = search.progress();
        let found = ListSearch {
            wanted: wanted.iter().map(|run| (run.list as u32, run.seed as u32)).collect(),
            lists: lists.into_iter().map(|list| (list, document(list))).collect(),
            first_seed: search.variant(first).seed,
            measures: search.measures().iter().filter_map(|measure| Some(measure.figure()? as u32)).collect(),
            runs: runs as f64,
            runs_max: runs_max as f64,
            races: races as f64,
            looked_at: looked_at as f64,
            is_judging: search.is_judging(),
            sentence: report.as_ref().map(|report| report.sentence.clone()),
            worse: report.as_ref().map_or_else(Vec::new, |report| report.worse.clone()),
            points: report.as_ref().map_or_else(Vec::new, |report| points(search, report)),
        };
        let exhibits = match &report {
            Some(report) => result(report),
            None => so_far(&search.best_so_far()).into_iter().collect(),
        };
        Ok(Answer { exhibits, found: Some(Found::Lists(Box::new(found))) })
    }
}

impl Question for FindList {
    const OF: &'static [Of] = &[Of::File];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let text = core::str::from_utf8(of.file()).unwrap_or_default().to_owned();
        let mut lines = text.lines();
        let plan = lines.next().ok_or_else(|| phrase!("expected the plan of a search; start it again"))?;
        let log: Vec<&str> = lines.collect();
        let kept = of.kept_search().take().filter(|kept| {
            // Told of a stop, it is at another point than a log without one.
            kept.plan == plan && kept.lines <= log.len() && kept.has_stopped == log[..kept.lines].contains(&STOP)
        });
        let mut seeking = match kept {
            Some(kept) => kept,
            None => Box::new(Seeking::begin(plan)?),
        };
        seeking.follow(&log)?;
        let answer = seeking.state()?;
        *of.kept_search() = Some(seeking);
        Ok(Told::Now(answer))
    }
}

/// Whether there are lists among which to choose.
const fn has_choice(report: &SearchReport) -> bool {
    report.frontier.len() > 1
}

/// The lists to open: the one that was found, and the frontier.
fn points(search: &Search, report: &SearchReport) -> Vec<(Phrase, String)> {
    let best = report.document.active_variant();
    let found = (report.document.variants.len() > 1).then(|| (phrase!("the list found"), best));
    let frontier = report.frontier.iter().zip(1..).filter(|_| has_choice(report));
    let frontier = frontier.map(|(point, nth): (_, u32)| (phrase!("list {nth}", nth), &point.variant));
    found.into_iter().chain(frontier).map(|(name, it)| (name, search.document(it.clone()).to_json())).collect()
}

fn title(figure: &SearchFigure) -> Phrase {
    let named = [on_page(), compared()].concat();
    let title = named.into_iter().find(|(at, _)| FIGURES[*at].id == figure.measure);
    title.map_or_else(|| figure.title(), |(_, title)| Phrase::text(title))
}

fn value(figure: &SearchFigure, value: f64) -> Phrase {
    match figure.unit() {
        "" => phrase!("{}", said::trimmed(value, 1)),
        unit => phrase!("{} {unit}", said::fixed(value, 2), Phrase::text(unit)),
    }
}

fn so_far(figures: &[SearchFigure]) -> Option<Exhibit> {
    let row = |figure: &SearchFigure| {
        let cells =
            vec![title(figure), value(figure, figure.now), value(figure, figure.found), figure.difference.told()];
        ExhibitRow { cells, more: Vec::new() }
    };
    (!figures.is_empty()).then(|| Exhibit {
        title: phrase!("The best list so far"),
        said: vec![phrase!(
            "On the seeds that are searched, so it looks better than it is. The held-out seeds judge it at the end."
        )],
        head: [mark("Figure"), mark("Present list"), mark("Best so far"), mark("Difference")].map(Phrase::text).into(),
        rows: figures.iter().map(row).collect(),
        plot: None,
    })
}

fn result(report: &SearchReport) -> Vec<Exhibit> {
    let row = |held: &SearchFigure| {
        let searched = report.searched.iter().find(|it| it.measure == held.measure);
        let cells = vec![
            title(held),
            value(held, held.now),
            value(held, held.found),
            searched.map_or_else(Phrase::default, |it| it.difference.told()),
            held.difference.told(),
        ];
        ExhibitRow { cells, more: Vec::new() }
    };
    let head = [
        mark("Figure"),
        mark("Present list"),
        mark("List found"),
        mark("Difference, searched seeds"),
        mark("Difference, held-out seeds"),
    ];
    let [searched, held_out] = report.seeds.each_ref().map(Vec::len);
    let effort = phrase!(
        "{} lists in {} races; {searched} seeds searched, {held_out} held out. Values are means on the held-out seeds, \
         differences have their 95 % interval.",
        said::count(report.lists as f64),
        said::count(report.races as f64),
        searched,
        held_out
    );
    let first = Exhibit {
        title: phrase!("Result"),
        said: vec![effort],
        head: head.map(Phrase::text).into(),
        rows: report.held_out.iter().map(row).collect(),
        plot: None,
    };
    [Some(first), changes(report), frontier(report)].into_iter().flatten().collect()
}

fn changes(report: &SearchReport) -> Option<Exhibit> {
    let row = |change: &tiebreak_scenario::search::SearchChange| {
        let set = change.set.strip_prefix("rules.").unwrap_or(&change.set);
        let cells = vec![phrase!("{}", set.replace(['.', '='], " ")), change.brings.told()];
        ExhibitRow { cells, more: Vec::new() }
    };
    (!report.changes.is_empty()).then(|| Exhibit {
        title: phrase!("What each change brings"),
        said: vec![
            phrase!("How much better the list is with the change than without it, on the held-out seeds."),
            phrase!("The list: {}.", in_order(report.document.active_variant())),
        ],
        head: [mark("Change"), mark("Brings")].map(Phrase::text).into(),
        rows: report.changes.iter().map(row).collect(),
        plot: None,
    })
}

/// The preferences that are on, in order, with their buckets.
fn in_order(variant: &Variant) -> String {
    let named = |row: &tiebreak_scenario::RuleRow| match row.buckets {
        Some(buckets) => format!("{} ({buckets})", row.id),
        None => row.id.clone(),
    };
    let on = variant.rules.iter().filter(|row| row.on && row.scores());
    on.map(named).collect::<Vec<_>>().join(", ")
}

/// The lists among which one must choose: the first objective against the second.
fn frontier(report: &SearchReport) -> Option<Exhibit> {
    let first = report.frontier.first().filter(|_| has_choice(report))?;
    let name = |figure: &SearchFigure| phrase!("{} {}", title(figure), Phrase::text(figure.unit()));
    let row = |(point, nth): (&tiebreak_scenario::search::SearchPoint, u32)| {
        let cells = std::iter::once(phrase!("List {nth}", nth));
        let cells = cells.chain(point.held_out.iter().map(|it| value(it, it.found))).collect();
        ExhibitRow { cells, more: Vec::new() }
    };
    let [up, across, ..] = &first.held_out[..] else { return None };
    let mut line: Vec<(f64, f64)> =
        report.frontier.iter().map(|it| (it.held_out[1].found, it.held_out[0].found)).collect();
    line.sort_by(|one, other| one.0.total_cmp(&other.0));
    let head = std::iter::once(phrase!("List")).chain(first.held_out.iter().map(title));
    Some(Exhibit {
        title: phrase!("Lists among which you must choose"),
        said: vec![phrase!("No list is better than another one here in all objectives. Values on the held-out seeds.")],
        head: head.collect(),
        rows: report.frontier.iter().zip(1..).map(row).collect(),
        plot: (line.len() > 1).then(|| ExhibitPlot {
            unit: name(up),
            across: name(across),
            across_is_log: false,
            lines: vec![(phrase!("Frontier"), line)],
        }),
    })
}
