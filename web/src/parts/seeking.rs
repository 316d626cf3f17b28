//! The search for a better list: what to improve and what to keep, its progress, and the lists that it finds, to open
//! as variants.

use tiebreak_app::seeking::{GOALS, RUNS, SEEDS, stop_label};
use tiebreak_app::{App, Message, Mode, Notice, SeekWish, Seeking};
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_view::seeking;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::charts::Charts;
use super::exhibits::{ExhibitMessage, Exhibits};
use super::field::{Field, NumberRange, number};
use super::panel::{Act, Frame, Link, News, Own, Panel, Scene, Sent};
use super::save;

/// Messages of the panel.
pub(crate) enum SeekMessage {
    /// Change the next search.
    Wish(Box<dyn Fn(&mut SeekWish)>),
    /// Start it.
    Start,
    /// Save its plan.
    SavePlan,
    /// Open or close a part of an exhibit.
    Exhibit(ExhibitMessage),
}

impl Own for SeekMessage {}

/// The panel.
#[derive(Default)]
pub(crate) struct SeekPanel {
    wish: SeekWish,
    exhibits: Exhibits,
    /// When runs began to be counted, in milliseconds, and the number of runs before.
    counted: Option<(f64, usize)>,
}

impl Panel for SeekPanel {
    type Message = SeekMessage;

    const ID: &'static str = "better";
    const TITLE: &'static str = mark("Find a better list");
    const FRAME: Frame = Frame::Region(mark("Find a better list"));

    fn is_shown(app: &App) -> bool {
        app.mode != Mode::Lesson
    }

    fn summary(_: &App) -> String {
        tr(" judged on seeds that are not searched").into()
    }

    fn update(&mut self, message: SeekMessage, _: &Link, app: &App) -> Vec<Sent> {
        match message {
            SeekMessage::Wish(change) => {
                change(&mut self.wish);
                self.wish = self.wish.clone().within_bounds();
            }
            SeekMessage::Start => {
                self.counted = None;
                return vec![Message::Seek(self.wish.clone()).into()];
            }
            SeekMessage::SavePlan => {
                let plan = self.wish.plan(&app.document);
                let saved = save::text("search.json", "application/json", &plan);
                let line = |error| vec![say("The browser said: {error}.", &[&format!("{error:?}")])];
                let failed = saved.err().map(|error| Notice::bad(tr("The file could not be saved"), line(error)));
                return failed.map(|notice| Message::Notice(notice).into()).into_iter().collect();
            }
            SeekMessage::Exhibit(message) => self.exhibits.update(&message),
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, app: &App) -> Vec<Sent> {
        if let (News::Changed, Some(seeking)) = (news, &app.seeking)
            && seeking.is_under_way()
        {
            self.counted.get_or_insert_with(|| (js_sys::Date::now(), seeking.runs()));
        }
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Scene { app, width, .. } = *scene;
        let start = link.callback(|_: MouseEvent| SeekMessage::Start);
        let keep = link.callback(|_: MouseEvent| SeekMessage::SavePlan);
        html! {
            <>
                <p class="hint">{ tr("Tries changes of the preferences: their order, on or off, buckets and parameters. Half of the seeds are held out: they only judge the result.") }</p>
                { self.wishes(link) }
                <p class="group">
                    <button class="primary" onclick={start}>{ if app.seeking.is_some() { tr("Search again") } else { tr("Start the search") } }</button>
                    <button onclick={keep} title={tr("A file for tiebreak search")}>{ tr("Save search plan") }</button>
                </p>
                { for app.seeking.as_ref().map(|seeking| self.result(link, app, seeking, width)) }
            </>
        }
    }
}

impl SeekPanel {
    fn wishes(&self, link: &Link) -> Html {
        let SeekWish { runs, seeds, seed, limits, .. } = self.wish;
        let wish = |change: Box<dyn Fn(&mut SeekWish)>| SeekMessage::Wish(change);
        let entry = |label: &'static str, value: u64, bounds: (u64, u64), put: fn(&mut SeekWish, u64)| {
            let take = link.batch_callback(move |text: String| {
                let number = number(&text)? as u64;
                Some(wish(Box::new(move |wish| put(wish, number))))
            });
            let range = NumberRange::by(bounds.0 as f64, 1.0, bounds.1 as f64);
            html! { <label class="field"><span>{ tr(label) }</span><span class="entry"><Field label={tr(label)} number={range} value={value.to_string()} {take} /><span class="unit"></span></span></label> }
        };
        let limit = |at: usize| {
            let toggle = link.callback(move |_: MouseEvent| wish(Box::new(move |wish| wish.limits[at] ^= true)));
            html! { <label class="field flag"><input type="checkbox" checked={limits[at]} onclick={toggle} />{ " " }{ tr(GOALS[at].limit) }</label> }
        };
        let open = (0..GOALS.len()).filter(|at| !self.wish.objectives.contains(&Some(*at)));
        html! {
            <div class="pair">
                <div class="fields">
                    { self.objective(link, mark("Improve"), 0) }
                    { self.objective(link, mark("And improve"), 1) }
                    { entry(mark("Runs"), runs, RUNS, |wish, runs| wish.runs = runs) }
                    { entry(mark("Seeds, half of them held out"), seeds, SEEDS, |wish, seeds| wish.seeds = seeds) }
                    { entry(mark("Seed of the search"), seed, (1, 1_000_000), |wish, seed| wish.seed = seed) }
                </div>
                <div class="fields" role="group" aria-label={tr("Compared with now")}><h3>{ tr("Compared with now") }</h3>{ for open.map(limit) }</div>
            </div>
        }
    }

    fn objective(&self, link: &Link, label: &'static str, place: usize) -> Html {
        let chosen = self.wish.objectives[place];
        let choose = link.callback(move |event: Event| {
            let value = event.target_unchecked_into::<HtmlSelectElement>().value().parse().ok();
            SeekMessage::Wish(Box::new(move |wish| wish.objectives[place] = value))
        });
        let option = |at: usize| html! { <option value={at.to_string()} selected={chosen == Some(at)}>{ tr(GOALS[at].title) }</option> };
        html! {
            <label class="field"><span>{ tr(label) }</span><select aria-label={tr(label)} ~value={chosen.map_or_else(String::new, |it| it.to_string())} onchange={choose}>
                if place > 0 { <option value="" selected={chosen.is_none()}>{ tr("nothing else") }</option> }
                { for (0..GOALS.len()).map(option) }</select></label>
        }
    }

    fn result(&self, link: &Link, app: &App, seeking: &Seeking, width: u32) -> Html {
        let (runs, seconds) = self.counted.map_or((0, 0.0), |(from, before)| {
            (seeking.runs().saturating_sub(before), (js_sys::Date::now() - from) / 1_000.0)
        });
        let told = seeking::so_far(seeking, runs, seconds);
        let is_stopping = seeking.is_stopped || seeking.state.as_ref().is_some_and(|state| state.is_judging);
        let stop = link.callback(move |_: MouseEvent| if is_stopping { Message::NoSeek } else { Message::StopSeek });
        let opened = link.callback(SeekMessage::Exhibit);
        let exhibit = |(at, exhibit)| self.exhibits.view(&opened, at, exhibit, width);
        html! {
            <>
                <p class="group">
                    if seeking.is_under_way() { <progress max="1" value={seeking::share(seeking).to_string()} aria-label={tr("Search")}></progress> }
                    <span class="muted">{ told }</span>
                    <button class="quiet" onclick={stop}>{ if seeking.is_under_way() { stop_label(seeking) } else { tr("Clear") } }</button>
                </p>
                if let Some(why) = &seeking.failure { <p class="notice" role="alert">{ tell(why) }</p> }
                { for seeking.state.iter().flat_map(|state| &state.sentence).map(|sentence| html! { <p role="status"><strong>{ tell(sentence) }</strong></p> }) }
                { for seeking.state.iter().flat_map(|state| &state.worse).map(|worse| html! { <p class="notice">{ tell(worse) }</p> }) }
                if !seeking.is_under_way() && seeking::is_old(app, seeking) { <p class="notice">{ tr("The scenario has changed since; search again.") }</p> }
                { points(link, seeking) }
                { for seeking.exhibits.iter().enumerate().map(exhibit) }
            </>
        }
    }
}

/// The buttons that open the lists that were found.
fn points(link: &Link, seeking: &Seeking) -> Html {
    let button = |(at, (name, _)): (usize, &(tiebreak_model::Phrase, String))| {
        let open = link
            .batch_callback(move |_: MouseEvent| [Message::FoundList(at).into(), Sent::from(Act::Open(Charts::ID))]);
        html! { <button onclick={open}>{ say("Open {} as a variant", &[&tell(name)]) }</button> }
    };
    let points = seeking.state.as_ref().map_or(&[][..], |state| &state.points);
    html! { if !points.is_empty() { <p class="group">{ for points.iter().enumerate().map(button) }</p> } }
}
