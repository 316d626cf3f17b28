//! Admission, below the charts: the belief about deployments, the forecast for one, and a cluster over years to
//! compare policies.

use tiebreak_app::study::{SEEDS_MAX, Study, StudyKind, StudyWish};
use tiebreak_app::{App, Asking, Edit, Message};
use tiebreak_engine::protocol::FitCard;
use tiebreak_engine::questions::fit_beliefs::FitBeliefs;
use tiebreak_engine::questions::forecast_growth::ForecastGrowth;
use tiebreak_engine::words::{self, help};
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lesson::Control;
use tiebreak_model::{Declared, Param};
use tiebreak_sim::{AdmissionSettings, ClusterYears};
use tiebreak_view::admission::{self, CaseRow, Drawn, FittedRow, OFFERED};
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::field::{Field, NumberRange, number};
use super::form;
use super::panel::{Frame, Link, News, Own, Panel, Scene, Sent};

/// Height of a chart in CSS pixels.
const HEIGHT: u32 = 170;

/// Width from which two charts fit next to each other, and the gap between them.
const WIDE: u32 = 600;
const GAP: u32 = 28;

type NumberAsked = (&'static str, &'static str, f64, f64, f64);

/// A number for the forecast, from this parameter of its question.
const fn asked(name: &'static str, at: usize) -> NumberAsked {
    let Param { unit, min, max, default, .. } = ForecastGrowth::DECLARATION.params[at];
    (name, unit, min, max, default)
}

/// The inputs about a deployment, and prices: name, unit, minimum, maximum and default.
const FIELDS: [NumberAsked; 6] = [
    asked(mark("Cores of the deployment"), 0),
    asked(mark("Hours since arrival"), 1),
    asked(mark("Scale-outs observed"), 2),
    asked(mark("Observations of each type"), 3),
    (mark("Price of a core-hour"), mark("cents"), 0.0, 1e6, 4.0),
    (mark("Price of variance, per core²"), mark("cents"), 0.0, 1e6, 0.001),
];

/// The number of fields about the deployment.
const OF_DEPLOYMENT: usize = 3;

/// The largest number of charts: the forecast, two of a study, three of a fit.
const CHARTS: usize = 6;

/// The first chart of a fit.
const OF_FIT: usize = 3;

/// Messages of the region.
pub(crate) enum AdmissionMessage {
    /// A chart's table is opened or closed.
    Table(usize),
    /// Change a number of [`FIELDS`].
    Ask(usize, f64),
    /// Change the next study.
    Wish(Box<dyn Fn(&mut StudyWish)>),
    /// Run the study now.
    Follow,
}

impl Own for AdmissionMessage {}

/// The region's own state.
pub(crate) struct AdmissionPanel {
    is_open: bool,
    tables: [bool; CHARTS],
    asked: [f64; FIELDS.len()],
    wish: StudyWish,
    /// The settings that the forecast on screen belongs to.
    told_of: Option<AdmissionSettings>,
}

impl Default for AdmissionPanel {
    fn default() -> Self {
        let asked = FIELDS.map(|field| field.4);
        Self { is_open: false, tables: [false; CHARTS], asked, wish: StudyWish::default(), told_of: None }
    }
}

impl Panel for AdmissionPanel {
    type Message = AdmissionMessage;

    const ID: &'static str = "admission";
    const TITLE: &'static str = mark("Admission");
    const FRAME: Frame = Frame::Region(mark("Admission and growth"));
    const CONTROL: Option<Control> = Some(Control::Admission);

    fn is_needed(app: &App) -> bool {
        admission::is_asked(app)
    }

    fn summary(app: &App) -> String {
        admission::in_short(app)
    }

    fn update(&mut self, message: AdmissionMessage, _: &Link, app: &App) -> Vec<Sent> {
        match message {
            AdmissionMessage::Table(chart) => self.tables[chart] = !self.tables[chart],
            AdmissionMessage::Ask(field, number) => {
                let (_, _, least, most, _) = FIELDS[field];
                if (least..=most).contains(&number) && number != self.asked[field] {
                    self.asked[field] = number;
                    if field <= OF_DEPLOYMENT {
                        return self.ask(app);
                    }
                }
            }
            AdmissionMessage::Wish(change) => change(&mut self.wish),
            AdmissionMessage::Follow => return vec![Message::Study(self.wish).into()],
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, app: &App) -> Vec<Sent> {
        match news {
            News::Opened(open) => self.is_open = *open,
            News::Changed => {}
            _ => return Vec::new(),
        }
        // The forecast follows the scenario.
        if self.told_of == Some(app.variant().admission) { Vec::new() } else { self.ask(app) }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Scene { app, width, .. } = *scene;
        html! {
            <>
                <p class="hint">{ admission::about(app) }</p>
                if !admission::is_asked(app) { { offer(link) } }
                <div class="pair">
                    <div>{ settings(link, app) }</div>
                    <div>{ self.forecast(link, app, width) }</div>
                </div>
                { self.fit(link, app, width) }
                { self.years(link, app, width) }
                { self.prices(link, app) }
            </>
        }
    }
}

impl AdmissionPanel {
    /// Requests the forecast of a deployment, if the panel is visible.
    fn ask(&mut self, app: &App) -> Vec<Sent> {
        if !self.is_open {
            return Vec::new();
        }
        self.told_of = Some(app.variant().admission);
        let [cores, hours, scale_outs, observations, ..] = self.asked;
        let observations = observations as u32;
        vec![Message::Question(Asking::new(&ForecastGrowth { cores, hours, scale_outs, observations })).into()]
    }

    fn numbers(&self, link: &Link, fields: std::ops::Range<usize>) -> Html {
        let field = |at: usize| {
            let (name, unit, least, most, _) = FIELDS[at];
            let take = link.batch_callback(move |text: String| Some(AdmissionMessage::Ask(at, number(&text)?)));
            html! {
                <label class="field"><span>{ tr(name) }</span><span class="entry">
                    <Field label={tr(name)} number={NumberRange::any(least, most)} value={self.asked[at].to_string()} {take} />
                    <span class="unit">{ tr(unit) }</span></span></label>
            }
        };
        html! { <div class="fields">{ for fields.map(field) }</div> }
    }

    /// The forecast of one deployment.
    fn forecast(&self, link: &Link, app: &App, width: u32) -> Html {
        html! {
            <>
                <h3>{ tr("Growth of one deployment") }</h3>
                { self.numbers(link, 0..OF_DEPLOYMENT) }
                { match admission::told_forecast(app) {
                    Some(Ok(forecast)) => self.chart(link, 0, admission::forecast(forecast), width),
                    Some(Err(why)) => html! { <p class="notice">{ tell(why) }</p> },
                    None => html! { <p class="hint">{ tr("…") }</p> },
                } }
            </>
        }
    }

    /// A fit to the deployments of the workload.
    fn fit(&self, link: &Link, app: &App, width: u32) -> Html {
        let begin = link.callback(|_: MouseEvent| Message::Question(Asking::new(&FitBeliefs {})));
        let share = app.answers.share::<FitBeliefs>();
        let over = match admission::told_fit(app) {
            Some(Ok(card)) => self.fitted(link, app, card, width),
            Some(Err(why)) => html! { <p class="notice">{ tell(why) }</p> },
            None => Html::default(),
        };
        html! {
            <>
                <p class="group">
                    <button onclick={begin} disabled={share.is_some()}>{ tr("Fit to this workload") }</button>
                    if let Some(share) = share { <progress value={share.to_string()} aria-label={tr("Fit")}></progress> }
                    <span class="muted">{ tr("finds the beliefs that make its deployments most likely") }</span>
                </p>
                { over }
            </>
        }
    }

    fn fitted(&self, link: &Link, app: &App, card: &FitCard, width: u32) -> Html {
        let edit = admission::take(card);
        let take = link.callback(move |_: MouseEvent| Message::Edit(edit.clone()));
        let row = |row: &FittedRow| html! { <tr><th scope="row">{ &row.title }</th><td class="number">{ &row.now }</td><td class="number">{ &row.fitted }</td></tr> };
        html! {
            <>
                <div class="table" tabindex="0" role="region" aria-label={tr("Fitted parameters")}><table>
                    <caption>{ admission::fitted(card) }</caption>
                    <thead><tr><td></td><th scope="col">{ tr("now") }</th><th scope="col">{ tr("fitted") }</th></tr></thead>
                    <tbody>{ for admission::fitted_rows(app, card).iter().map(row) }</tbody>
                </table></div>
                <p><button onclick={take}>{ tr("Use these numbers") }</button></p>
                <div class="pair">{ for admission::fitted_plots(card).into_iter().enumerate().map(|(at, drawn)| self.chart(link, OF_FIT + at, drawn, width)) }</div>
                if !card.cannot_say.is_empty() {
                    <p>{ tr("What this trace does not contain:") }</p>
                    <ul>{ for card.cannot_say.iter().map(|doubt| html! { <li class="hint">{ tell(doubt) }</li> }) }</ul>
                }
            </>
        }
    }

    /// The cluster over years.
    fn years(&self, link: &Link, app: &App, width: u32) -> Html {
        let under_way = app.study.as_ref().is_some_and(Study::is_under_way);
        let run = link.callback(move |_: MouseEvent| match under_way {
            true => Sent::from(Message::StopStudy),
            false => AdmissionMessage::Follow.into(),
        });
        html! {
            <>
                <h3>{ tr("A cluster over years") }</h3>
                <p class="hint">{ help(ClusterYears::DECLARATION.help) }</p>
                { form::group(link, tr("the cluster"), app.variant(), "admission_lab") }
                <p class="group">
                    { self.kinds(link) }
                    { self.seeds(link) }
                    { self.tuned(link) }
                    <button class="primary" onclick={run}>{ if under_way { tr("Cancel") } else { tr("Simulate the cluster") } }</button>
                </p>
                if let Some(study) = &app.study {
                    if admission::is_old(app, study) { <p class="notice">{ tr("Rules or settings have changed since; simulate the cluster again.") }</p> }
                    { self.study(link, study, width) }
                }
            </>
        }
    }

    fn kinds(&self, link: &Link) -> Html {
        let wish = self.wish;
        let choose = link.batch_callback(|event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            let (kind, _) = *StudyKind::ALL.get(chosen)?;
            Some(AdmissionMessage::Wish(Box::new(move |wish| wish.kind = kind)))
        });
        let option = |(kind, name): &(StudyKind, &'static str)| html! { <option selected={*kind == wish.kind}>{ tr(name) }</option> };
        html! { <label class="field"><span>{ tr("Compare") }</span><select aria-label={tr("Compare the policies")} onchange={choose}>{ for StudyKind::ALL.iter().map(option) }</select></label> }
    }

    fn seeds(&self, link: &Link) -> Html {
        let take = link.batch_callback(|text: String| {
            let seeds = number(&text)?.clamp(1.0, SEEDS_MAX as f64) as u64;
            Some(AdmissionMessage::Wish(Box::new(move |wish| wish.seeds = seeds)))
        });
        html! { <label class="field"><span>{ tr("Seeds") }</span><Field label={tr("Seeds of the study")} number={NumberRange::by(1.0, 1.0, SEEDS_MAX as f64)} value={self.wish.seeds.to_string()} {take} /></label> }
    }

    fn tuned(&self, link: &Link) -> Html {
        let wish = self.wish;
        let onchange = link.callback(|event: Event| {
            let tuned = event.target_unchecked_into::<HtmlInputElement>().checked();
            AdmissionMessage::Wish(Box::new(move |wish| wish.tuned = tuned))
        });
        html! { <label class="field flag"><input type="checkbox" checked={wish.tuned} {onchange} /><span>{ tr("Find thresholds that meet the service level") }</span></label> }
    }

    fn study(&self, link: &Link, study: &Study, width: u32) -> Html {
        let row = |row: &CaseRow| {
            html! {
                <tr><th scope="row">{ &row.name }</th><td class="number">{ &row.number }</td>
                    <td class="number">{ &row.utilization }if let Some(spread) = &row.spread { <span class="muted">{ " " }{ spread }</span> }</td>
                    <td class="number">{ &row.failed }if row.breaks_level { <span class="muted">{ " " }{ tr("too many") }</span> }</td>
                    <td class="number">{ &row.admitted }</td>
                    <td class="meaning">{ row.failure.as_ref().map(tell).unwrap_or_default() }</td></tr>
            }
        };
        html! {
            <>
                <p class="group">
                    if study.is_under_way() { <progress value={study.share_done().to_string()} aria-label={tr("Study")}></progress> }
                    <span class="muted" role="status">{ admission::so_far(study) }</span>
                </p>
                <div class="table" tabindex="0" role="region" aria-label={tr("Results of the study")}><table>
                    <caption>{ tr("Cores in use and failed scale-outs over the whole time, with the range over the seeds") }</caption>
                    <thead><tr><th scope="col">{ tr("Admission policy") }</th><th scope="col">{ tr("Threshold") }</th><th scope="col">{ tr("Cores in use") }</th><th scope="col">{ tr("Failed scale-outs") }</th><th scope="col">{ tr("Admitted") }</th><td></td></tr></thead>
                    <tbody>{ for admission::rows(study).iter().map(row) }</tbody>
                </table></div>
                <div class="pair">{ for admission::plots(study).into_iter().enumerate().map(|(at, drawn)| self.chart(link, at + 1, drawn, width)) }</div>
            </>
        }
    }

    fn chart(&self, link: &Link, index: usize, (plot, sentence): Drawn, width: u32) -> Html {
        let width = if width < WIDE { width } else { (width - GAP) / 2 };
        let open = self.tables[index];
        let onclick = link.callback(move |_: MouseEvent| AdmissionMessage::Table(index));
        let svg = plot.svg(width, HEIGHT, &plot.title);
        html! {
            <figure class="chart" aria-label={plot.title.clone()}>
                { Html::from_html_unchecked(svg.into()) }
                <figcaption><button class="quiet" aria-expanded={open.to_string()} {onclick}>{ if open { tr("Hide data table") } else { tr("Show data table") } }</button></figcaption>
                <p class="hint">{ sentence }</p>
                if open { { super::charts::rows(&plot.title, &plot.table()) } }
            </figure>
        }
    }

    /// What labels are worth to users and to the cluster.
    fn prices(&self, link: &Link, app: &App) -> Html {
        let [.., k1, k2] = self.asked;
        let price = admission::told_forecast(app).and_then(|told| admission::price(told.ok()?, k1, k2));
        let gain = app.study.as_ref().and_then(admission::gain_by_labels);
        html! {
            <>
                <h3>{ tr("A price for variance") }</h3>
                <p class="hint">{ tr("Users with two kinds of deployments pay for core-hours and for the variance forecast a day ahead. Users who label them pay for the variance of each kind; users who do not, for that of the mixture, which is never lower.") }</p>
                { self.numbers(link, OF_DEPLOYMENT..FIELDS.len()) }
                if let Some(price) = price {
                    <p>{ say("A core-hour costs {} cents with labels and {} without, on average; {} % of users pay less with labels.",
                        &[&words::trimmed(price.labelled, 3), &words::trimmed(price.unlabelled, 3), &words::fixed(price.gain_pct, 0)]) }</p>
                }
                { match gain {
                    Some(core_hours) => html! { <p>{ say("With labels, the cluster has {} more core-hours per month in use.", &[&words::count(core_hours.round())]) }</p> },
                    None => html! { <p class="hint">{ tr("The study \"With and without labels\" shows what the cluster gains.") }</p> },
                } }
            </>
        }
    }
}

/// The button shown if no admission rule is on.
fn offer(link: &Link) -> Html {
    let onclick = link.callback(|_: MouseEvent| Message::Edit(Edit::use_rule(OFFERED, true)));
    html! { <p><button {onclick}>{ say("Switch {OFFERED} on", &[&OFFERED]) }</button></p> }
}

/// The belief about deployments.
fn settings(link: &Link, app: &App) -> Html {
    html! {
        <>
            <h3>{ tr("Beliefs about deployments") }</h3>
            <p class="hint">{ help(AdmissionSettings::DECLARATION.help) }</p>
            { form::group(link, tr("beliefs"), app.variant(), "admission") }
        </>
    }
}
