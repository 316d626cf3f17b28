//! Admission below the charts: what is believed of deployments, what one may grow to, and a cluster over years on
//! which policies are compared.

use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lab::app::Edit;
use tiebreak_lab::app::study::{Fitting, SEEDS_MAX, Study, StudyKind, StudyWish};
use tiebreak_lab::protocol::{FitCard, ForecastAsk};
use tiebreak_lab::view::admission::{self, CaseRow, Drawn, FittedRow, OFFERED};
use tiebreak_lab::view::words::{self, help};
use tiebreak_lab::{App, Message};
use tiebreak_model::Declared;
use tiebreak_sim::{AdmissionSettings, ClusterYears};
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};
use yew::html::Scope;
use yew::prelude::*;

use super::field::{Field, NumberRange, number};
use super::form;
use crate::page::{Page, PageMessage};

/// Height of a chart in CSS pixels.
const HEIGHT: u32 = 170;

/// Width from which two charts stand side by side, and the gap between them.
const WIDE: u32 = 600;
const GAP: u32 = 28;

/// What a deployment is asked about with, and what variance costs: name, unit, least, most, and what it begins with.
const FIELDS: [(&str, &str, f64, f64, f64); 6] = [
    (mark("Cores of the deployment"), mark("cores"), 1.0, 1e5, 8.0),
    (mark("Hours since it came"), "h", 0.0, 1e5, 24.0),
    (mark("Scale-outs seen"), "", 0.0, 1_000.0, 0.0),
    (mark("Observations of each kind"), "", 0.0, 1_000.0, 1.0),
    (mark("Price of a core-hour"), mark("cents"), 0.0, 1e6, 4.0),
    (mark("Price of a squared core of variance"), mark("cents"), 0.0, 1e6, 0.001),
];

/// How many of them are about the deployment.
const OF_DEPLOYMENT: usize = 3;

/// Charts at most: the forecast, two of a study, three of a fit.
const CHARTS: usize = 6;

/// The first chart of a fit.
const OF_FIT: usize = 3;

/// What happens in the region.
pub(crate) enum AdmissionMessage {
    /// It is opened or closed.
    Fold,
    /// A chart's table is.
    Table(usize),
    /// Another number of [`FIELDS`].
    Ask(usize, f64),
    /// Another study is wanted next.
    Wish(Box<dyn Fn(&mut StudyWish)>),
    /// It is wanted now.
    Follow,
    /// Something in the scenario changed that the forecast depends on.
    Changed,
}

/// The region's own state.
pub(crate) struct AdmissionPanel {
    open: bool,
    tables: [bool; CHARTS],
    asked: [f64; FIELDS.len()],
    wish: StudyWish,
    /// What the forecast on screen was asked of.
    told_of: Option<AdmissionSettings>,
}

impl Default for AdmissionPanel {
    fn default() -> Self {
        let asked = FIELDS.map(|field| field.4);
        Self { open: false, tables: [false; CHARTS], asked, wish: StudyWish::default(), told_of: None }
    }
}

impl AdmissionPanel {
    /// Takes in what happened; what the application is to be told.
    pub(crate) fn update(&mut self, message: &AdmissionMessage, app: &App) -> Option<Message> {
        let mut asks = false;
        match message {
            AdmissionMessage::Fold => {
                self.open = !self.open;
                asks = self.told_of != Some(app.variant().admission);
            }
            AdmissionMessage::Table(chart) => self.tables[*chart] = !self.tables[*chart],
            AdmissionMessage::Ask(field, number) => {
                let (_, _, least, most, _) = FIELDS[*field];
                asks = (least..=most).contains(number) && *number != self.asked[*field];
                if asks {
                    self.asked[*field] = *number;
                }
                asks &= *field <= OF_DEPLOYMENT;
            }
            AdmissionMessage::Wish(change) => change(&mut self.wish),
            AdmissionMessage::Follow => return Some(Message::Study(self.wish)),
            AdmissionMessage::Changed => asks = self.told_of != Some(app.variant().admission),
        }
        if !(asks && self.open) {
            return None;
        }
        self.told_of = Some(app.variant().admission);
        let [cores, hours, scale_outs, observations, ..] = self.asked;
        Some(Message::Forecast(ForecastAsk { cores, hours, scale_outs, observations: observations as u32 }))
    }

    /// The region: a line in short, and below it, when it is open, everything.
    pub(crate) fn view(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        let fold = link.callback(|_| PageMessage::Admission(AdmissionMessage::Fold));
        html! {
            <section class="anatomy" aria-label={tr("Admission")}>
                <h2><button class="fold" aria-expanded={self.open.to_string()} onclick={fold}>{ tr("Admission and growth") }</button>
                    <span class="muted">{ admission::in_short(app) }</span></h2>
                if self.open {
                    <p class="hint">{ admission::about(app) }</p>
                    if !admission::is_asked(app) { { offer(link) } }
                    <div class="pair">
                        <div>{ settings(link, app) }</div>
                        <div>{ self.forecast(link, app, width) }</div>
                    </div>
                    { self.fit(link, app, width) }
                    { self.years(link, app, width) }
                    { self.prices(link, app) }
                }
            </section>
        }
    }

    fn numbers(&self, link: &Scope<Page>, fields: std::ops::Range<usize>) -> Html {
        let field = |at: usize| {
            let (name, unit, least, most, _) = FIELDS[at];
            let take = link.batch_callback(move |text: String| {
                Some(PageMessage::Admission(AdmissionMessage::Ask(at, number(&text)?)))
            });
            html! {
                <label class="field"><span>{ tr(name) }</span><span class="entry">
                    <Field label={tr(name)} number={NumberRange::any(least, most)} value={self.asked[at].to_string()} {take} />
                    if !unit.is_empty() { <span class="unit">{ tr(unit) }</span> }</span></label>
            }
        };
        html! { <div class="fields">{ for fields.map(field) }</div> }
    }

    /// What one deployment may grow to.
    fn forecast(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        html! {
            <>
                <h3>{ tr("What one deployment may grow to") }</h3>
                { self.numbers(link, 0..OF_DEPLOYMENT) }
                { match &app.forecast {
                    Some(Ok(forecast)) => self.chart(link, 0, admission::forecast(forecast), width),
                    Some(Err(why)) => html! { <p class="notice">{ tell(why) }</p> },
                    None => html! { <p class="hint">{ tr("…") }</p> },
                } }
            </>
        }
    }

    /// What the workload's own deployments are like.
    fn fit(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        let begin = link.callback(|_: MouseEvent| PageMessage::App(Message::Fit));
        let share = admission::fit_share(app);
        let over = match &app.fitting {
            Some(Fitting::Over(Ok(card))) => self.fitted(link, app, card, width),
            Some(Fitting::Over(Err(why))) => html! { <p class="notice">{ tell(why) }</p> },
            _ => Html::default(),
        };
        html! {
            <>
                <p class="group">
                    <button onclick={begin} disabled={share.is_some()}>{ tr("Fit to this workload") }</button>
                    if let Some(share) = share { <progress value={share.to_string()} aria-label={tr("Fit")}></progress> }
                    <span class="muted">{ tr("finds the beliefs under which its deployments are likeliest") }</span>
                </p>
                { over }
            </>
        }
    }

    fn fitted(&self, link: &Scope<Page>, app: &App, card: &FitCard, width: u32) -> Html {
        let edit = admission::take(card);
        let take = link.callback(move |_: MouseEvent| PageMessage::App(Message::Edit(edit.clone())));
        let row = |row: &FittedRow| html! { <tr><th scope="row">{ &row.title }</th><td class="number">{ &row.now }</td><td class="number">{ &row.fitted }</td></tr> };
        html! {
            <>
                <div class="table" tabindex="0" role="region" aria-label={tr("What was fitted")}><table>
                    <caption>{ admission::fitted(card) }</caption>
                    <thead><tr><td></td><th scope="col">{ tr("now") }</th><th scope="col">{ tr("fitted") }</th></tr></thead>
                    <tbody>{ for admission::fitted_rows(app, card).iter().map(row) }</tbody>
                </table></div>
                <p><button onclick={take}>{ tr("Use these numbers") }</button></p>
                <div class="pair">{ for admission::fitted_plots(card).into_iter().enumerate().map(|(at, drawn)| self.chart(link, OF_FIT + at, drawn, width)) }</div>
                if !card.cannot_say.is_empty() {
                    <p>{ tr("What this trace cannot say:") }</p>
                    <ul>{ for card.cannot_say.iter().map(|doubt| html! { <li class="hint">{ tell(doubt) }</li> }) }</ul>
                }
            </>
        }
    }

    /// The cluster over years.
    fn years(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        let under_way = app.study.as_ref().is_some_and(Study::is_under_way);
        let run = link.callback(move |_: MouseEvent| match under_way {
            true => PageMessage::App(Message::StopStudy),
            false => PageMessage::Admission(AdmissionMessage::Follow),
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
                    <button class="primary" onclick={run}>{ if under_way { tr("Cancel") } else { tr("Follow the cluster") } }</button>
                </p>
                if let Some(study) = &app.study {
                    if admission::is_old(app, study) { <p class="notice">{ tr("Rules or settings have changed since; follow the cluster again to see what comes of them.") }</p> }
                    { self.study(link, study, width) }
                }
            </>
        }
    }

    fn kinds(&self, link: &Scope<Page>) -> Html {
        let wish = self.wish;
        let choose = link.batch_callback(|event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index().max(0) as usize;
            let (kind, _) = *StudyKind::ALL.get(chosen)?;
            Some(PageMessage::Admission(AdmissionMessage::Wish(Box::new(move |wish| wish.kind = kind))))
        });
        let option = |(kind, name): &(StudyKind, &'static str)| html! { <option selected={*kind == wish.kind}>{ tr(name) }</option> };
        html! { <label class="field"><span>{ tr("Compare") }</span><select aria-label={tr("Compare on the cluster")} onchange={choose}>{ for StudyKind::ALL.iter().map(option) }</select></label> }
    }

    fn seeds(&self, link: &Scope<Page>) -> Html {
        let take = link.batch_callback(|text: String| {
            let seeds = number(&text)?.clamp(1.0, SEEDS_MAX as f64) as u64;
            Some(PageMessage::Admission(AdmissionMessage::Wish(Box::new(move |wish| wish.seeds = seeds))))
        });
        html! { <label class="field"><span>{ tr("Seeds") }</span><Field label={tr("Seeds of the study")} number={NumberRange::by(1.0, 1.0, SEEDS_MAX as f64)} value={self.wish.seeds.to_string()} {take} /></label> }
    }

    fn tuned(&self, link: &Scope<Page>) -> Html {
        let wish = self.wish;
        let onchange = link.callback(|event: Event| {
            let tuned = event.target_unchecked_into::<HtmlInputElement>().checked();
            PageMessage::Admission(AdmissionMessage::Wish(Box::new(move |wish| wish.tuned = tuned)))
        });
        html! { <label class="field flag"><input type="checkbox" checked={wish.tuned} {onchange} /><span>{ tr("Find thresholds that meet the service level") }</span></label> }
    }

    fn study(&self, link: &Scope<Page>, study: &Study, width: u32) -> Html {
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
                    <caption>{ tr("Cores in use and scale-outs that failed, over the whole time; from the lowest to the highest over the seeds") }</caption>
                    <thead><tr><th scope="col">{ tr("Who is let in by") }</th><th scope="col">{ tr("Threshold") }</th><th scope="col">{ tr("Cores in use") }</th><th scope="col">{ tr("Scale-outs failed") }</th><th scope="col">{ tr("Let in") }</th><td></td></tr></thead>
                    <tbody>{ for admission::rows(study).iter().map(row) }</tbody>
                </table></div>
                <div class="pair">{ for admission::plots(study).into_iter().enumerate().map(|(at, drawn)| self.chart(link, at + 1, drawn, width)) }</div>
            </>
        }
    }

    fn chart(&self, link: &Scope<Page>, index: usize, (plot, sentence): Drawn, width: u32) -> Html {
        let width = if width < WIDE { width } else { (width - GAP) / 2 };
        let open = self.tables[index];
        let onclick = link.callback(move |_: MouseEvent| PageMessage::Admission(AdmissionMessage::Table(index)));
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
    fn prices(&self, link: &Scope<Page>, app: &App) -> Html {
        let [.., k1, k2] = self.asked;
        let price = app.forecast.as_ref().and_then(|told| admission::price(told.as_ref().ok()?, k1, k2));
        let gain = app.study.as_ref().and_then(admission::gain_by_labels);
        html! {
            <>
                <h3>{ tr("A price for variance") }</h3>
                <p class="hint">{ tr("Users with two kinds of deployments pay for a core-hour, and for the variance expected a day ahead. Who labels them pays for each by its own; who does not, by that of the mixture, which is never less.") }</p>
                { self.numbers(link, OF_DEPLOYMENT..FIELDS.len()) }
                if let Some(price) = price {
                    <p>{ say("A core-hour costs {} cents with labels and {} without, on average; {} % of users pay less with labels.",
                        &[&words::trimmed(price.labelled, 3), &words::trimmed(price.unlabelled, 3), &words::fixed(price.gain_pct, 0)]) }</p>
                }
                { match gain {
                    Some(core_hours) => html! { <p>{ say("The cluster has {} more core-hours a month in use with labels.", &[&words::count(core_hours.round())]) }</p> },
                    None => html! { <p class="hint">{ tr("What the cluster gains by labels shows the study With and without labels.") }</p> },
                } }
            </>
        }
    }
}

/// The button for who has no rule about admission on.
fn offer(link: &Scope<Page>) -> Html {
    let onclick = link.callback(|_: MouseEvent| PageMessage::App(Message::Edit(Edit::use_rule(OFFERED, true))));
    html! { <p><button {onclick}>{ say("Switch {OFFERED} on", &[&OFFERED]) }</button></p> }
}

/// What is believed of deployments.
fn settings(link: &Scope<Page>, app: &App) -> Html {
    html! {
        <>
            <h3>{ tr("What is believed of deployments") }</h3>
            <p class="hint">{ help(AdmissionSettings::DECLARATION.help) }</p>
            { form::group(link, tr("beliefs"), app.variant(), "admission") }
        </>
    }
}
