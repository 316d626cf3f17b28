//! Lifetimes, below the charts: the predictor, the use of its predictions, and their quality.

use std::cell::RefCell;
use std::rc::Rc;

use tiebreak_app::{App, Edit, Message};
use tiebreak_chart::Table;
use tiebreak_engine::protocol::Learned;
use tiebreak_engine::questions::affinity_of_run::AffinityOfRun;
use tiebreak_engine::words::{self, help};
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::Control;
use tiebreak_model::Declared;
use tiebreak_placement::Lifetimes;
use tiebreak_sim::AffinitySettings;
use tiebreak_view::lifetimes::{self, Fact, OFFERED, Predictor};
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::exhibits::{ExhibitMessage, Exhibits};
use super::form;
use super::panel::{Frame, Link, News, Own, Panel, Scene, Sent};

/// Height of a chart in CSS pixels.
const HEIGHT: u32 = 150;

/// Width from which two charts fit next to each other, and the gap between them.
const WIDE: u32 = 600;
const GAP: u32 = 28;

/// Messages of the region.
pub(crate) enum LifetimesMessage {
    /// A chart's table is opened or closed.
    Table(usize),
    /// A part of an exhibit is opened or closed.
    Exhibit(ExhibitMessage),
}

impl Own for LifetimesMessage {}

/// The region's own state.
#[derive(Default)]
pub(crate) struct LifetimesPanel {
    tables: [bool; 2],
    drawn: RefCell<Option<Rc<Drawn>>>,
    exhibits: Exhibits,
}

/// The charts of a run at a width.
struct Drawn {
    key: (u32, u32),
    charts: Vec<Chart>,
}

struct Chart {
    title: String,
    sentence: String,
    svg: AttrValue,
    table: Table,
}

impl Panel for LifetimesPanel {
    type Message = LifetimesMessage;

    const ID: &'static str = "lifetimes";
    const TITLE: &'static str = mark("Lifetimes");
    const FRAME: Frame = Frame::Region(mark("Lifetimes and their predictor"));
    const CONTROL: Option<Control> = Some(Control::Lifetimes);

    fn is_needed(app: &App) -> bool {
        app.asks_lifetimes()
    }

    fn summary(app: &App) -> String {
        lifetimes::in_short(app)
    }

    fn update(&mut self, message: LifetimesMessage, _: &Link, _: &App) -> Vec<Sent> {
        match message {
            LifetimesMessage::Table(chart) => self.tables[chart] = !self.tables[chart],
            LifetimesMessage::Exhibit(message) => self.exhibits.update(&message),
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        if let News::Language = news {
            self.drawn.take();
        }
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Scene { app, width, .. } = *scene;
        let live = app.front.live.as_ref();
        let learned = live.and_then(|live| Some((live.run, live.learned.as_deref()?)));
        let groups = live.map_or(&[][..], |live| live.exhibits::<AffinityOfRun>());
        let tell = link.callback(LifetimesMessage::Exhibit);
        html! {
            <>
                <p class="hint">{ lifetimes::about(app) }</p>
                if !app.asks_lifetimes() { { offer(link) } }
                { settings(link, app) }
                if let Some((run, learned)) = learned {
                    { quality(learned) }
                    { self.charts(link, (run, width), learned) }
                    { calibration(learned) }
                    { influence(learned) }
                }
                if let Some(turns) = live.and_then(lifetimes::turns) { <p class="hint">{ turns }</p> }
                { for groups.iter().enumerate().map(|(at, exhibit)| self.exhibits.view(&tell, at, exhibit, width)) }
            </>
        }
    }
}

impl LifetimesPanel {
    fn charts(&self, link: &Link, key: (u32, u32), learned: &Learned) -> Html {
        let drawn = self.draw(key, learned);
        let chart = |(index, chart): (usize, &Chart)| {
            let open = self.tables[index];
            let onclick = link.callback(move |_: MouseEvent| LifetimesMessage::Table(index));
            html! {
                <figure class="chart" aria-label={chart.title.clone()}>
                    <p class="unseen">{ &chart.sentence }</p>
                    { Html::from_html_unchecked(chart.svg.clone()) }
                    <figcaption><button class="quiet" aria-expanded={open.to_string()} {onclick}>{ if open { tr("Hide data table") } else { tr("Show data table") } }</button></figcaption>
                    if open { { super::charts::rows(&chart.title, &chart.table) } }
                </figure>
            }
        };
        html! { <div class="pair">{ for drawn.charts.iter().enumerate().map(chart) }</div> }
    }

    fn draw(&self, key: (u32, u32), learned: &Learned) -> Rc<Drawn> {
        if let Some(drawn) = self.drawn.borrow().as_ref().filter(|drawn| drawn.key == key) {
            return drawn.clone();
        }
        let (_, width) = key;
        let width = if width < WIDE { width } else { (width - GAP) / 2 };
        let charts = lifetimes::plots(learned).into_iter().map(|(plot, sentence)| Chart {
            svg: plot.svg(width, HEIGHT, &plot.title).into(),
            table: plot.table(),
            title: plot.title,
            sentence,
        });
        let drawn = Rc::new(Drawn { key, charts: charts.collect() });
        self.drawn.replace(Some(drawn.clone()));
        drawn
    }
}

/// The button shown if no lifetime rule is on.
fn offer(link: &Link) -> Html {
    let onclick = link.callback(|_: MouseEvent| Message::Edit(Edit::use_rule(OFFERED, true)));
    html! { <p><button {onclick}>{ say("Switch {OFFERED} on", &[&OFFERED]) }</button></p> }
}

/// The predictor and the use of lifetimes, next to each other.
fn settings(link: &Link, app: &App) -> Html {
    let predictor = &app.variant().predictor;
    let choose = link.callback(|event: Event| {
        let id = event.target_unchecked_into::<HtmlSelectElement>().value();
        Message::Edit(Edit::set("predictor", &*id))
    });
    let option = |Predictor { id, title }: Predictor| html! { <option value={id} selected={id == predictor.id}>{ title }</option> };
    let values = form::at("predictor.".into(), predictor.params());
    let about = predictor.entry().map_or("", |entry| entry.declaration.help);
    html! {
        <div class="pair">
            <div>
                <label class="field"><span>{ tr("Predictor") }</span><select ~value={predictor.id.as_str()} onchange={choose} aria-label={tr("Predictor")}>{ for lifetimes::predictors().map(option) }</select></label>
                { form::long_form(link, tr("predictor"), predictor.params(), &predictor.values, values) }
                <p class="hint">{ help(about) }</p>
            </div>
            <div>
                { form::group(link, tr("lifetimes"), app.variant(), "lifetimes") }
                <p class="hint">{ help(Lifetimes::DECLARATION.help) }</p>
                <h3>{ tr(AffinitySettings::DECLARATION.title) }</h3>
                { form::group(link, tr("affinity groups"), app.variant(), "affinity") }
                <p class="hint">{ help(AffinitySettings::DECLARATION.help) }</p>
            </div>
        </div>
    }
}

/// The quality of predictions in numbers, and what this trace cannot answer.
fn quality(learned: &Learned) -> Html {
    let row = |Fact { title, value, meaning }: &Fact| {
        html! { <tr><th scope="row">{ *title }</th><td class="number">{ value }</td><td class="meaning">{ meaning }</td></tr> }
    };
    html! {
        <>
            { for learned.unanswered.iter().map(|sentence| html! { <p class="notice">{ tr(sentence) }</p> }) }
            <div class="table" tabindex="0" role="region" aria-label={tr("Quality of predictions")}><table>
                <caption>{ say("Quality of {} on this trace", &[&tr(&learned.predictor)]) }</caption>
                <tbody>{ for lifetimes::facts(learned).iter().map(row) }</tbody>
            </table></div>
        </>
    }
}

/// What predictions have meant, tenth by tenth.
fn calibration(learned: &Learned) -> Html {
    let sentences = lifetimes::calibration(learned);
    if sentences.is_empty() {
        return Html::default();
    }
    html! {
        <>
            <h3 id="calibration">{ tr("What predictions meant") }</h3>
            <ul aria-labelledby="calibration">{ for sentences.into_iter().map(|sentence| html! { <li>{ sentence }</li> }) }</ul>
        </>
    }
}

/// The importance of each feature: bars that are also a table.
fn influence(learned: &Learned) -> Html {
    if learned.influence.is_empty() {
        return Html::default();
    }
    let row = |(feature, share): &(String, f64)| {
        let share = 100.0 * share;
        html! {
            <tr><th scope="row">{ tr(feature) }</th>
                <td class="wide-bar"><span class="left-bar" aria-hidden="true"><span style={format!("width:{share:.1}%")}></span></span></td>
                <td class="number">{ format!("{} %", words::fixed(share, 1)) }</td></tr>
        }
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Feature influence")}><table>
            <caption>{ tr("Feature influence: share of the gain of all splits of all trees") }</caption>
            <tbody>{ for learned.influence.iter().map(row) }</tbody>
        </table></div>
    }
}
