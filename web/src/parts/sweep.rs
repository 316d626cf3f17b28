//! Sweeps: one or two fields over values and seeds, in all engines at once; a chart or a frontier
//! that fills.

use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lab::app::sweep::{Axis, Field as SweptField, Point, SEEDS_MAX, fields};
use tiebreak_lab::app::{Mode, Notice, Sweep, Wish};
use tiebreak_lab::view::compare::{MEASURES, Measure};
use tiebreak_lab::view::sweep;
use tiebreak_lab::{App, Message};
use tiebreak_scenario::SweepPlan;
use web_sys::HtmlSelectElement;
use yew::html::Scope;
use yew::prelude::*;

use super::field::{Field, NumberRange};
use super::save;
use crate::page::{Page, PageMessage};

/// Height of the chart in CSS pixels.
const HEIGHT: u32 = 220;

/// What happens to the panel, besides what the application hears.
pub(crate) enum SweepMessage {
    /// It is opened or closed.
    Fold(bool),
    /// Another measure: up, or across.
    Measure(usize, usize),
    /// Save what the panel says as a plan.
    SavePlan,
    /// Save the plan that the rows were made by.
    SaveTheirPlan,
    /// Save the rows.
    SaveRows,
}

/// See the module.
#[derive(Default)]
pub(crate) struct SweepPanel {
    /// Whether it is open.
    pub(crate) is_open: bool,
    /// The measure up, and the one across: none of the list is the first field itself.
    up: usize,
    across: Option<usize>,
}

impl SweepPanel {
    /// Takes in what happened; what the application is to be told.
    pub(crate) fn update(&mut self, message: &SweepMessage, app: &App) -> Option<Message> {
        match message {
            SweepMessage::Fold(open) => self.is_open = *open,
            SweepMessage::Measure(0, measure) => self.up = (*measure).min(MEASURES.len() - 1),
            SweepMessage::Measure(_, measure) => {
                self.across = Some(*measure).filter(|measure| *measure < MEASURES.len());
            }
            SweepMessage::SavePlan => match app.wanted.plan(&app.document) {
                Ok(plan) => return save_plan(&plan),
                Err(faults) => return Some(Message::Notice(Notice::bad(tr("This is no plan yet"), faults))),
            },
            SweepMessage::SaveTheirPlan => return app.sweep.as_ref().and_then(|sweep| save_plan(&sweep.plan)),
            SweepMessage::SaveRows => {
                let rows = app.sweep.as_ref().map(Sweep::rows);
                return rows.and_then(|rows| told(save::text("sweep.csv", "text/csv", &rows)));
            }
        }
        None
    }

    /// The panel; it belongs to comparing.
    pub(crate) fn view(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        if app.mode == Mode::Lesson {
            return Html::default();
        }
        let fields = fields(app.variant());
        let ready = app.wanted.is_ready();
        let run = link.batch_callback(move |_: MouseEvent| ready.then_some(PageMessage::App(Message::Sweep)));
        let keep =
            link.batch_callback(move |_: MouseEvent| ready.then_some(PageMessage::Sweep(SweepMessage::SavePlan)));
        let fold = link.callback(|event: Event| {
            let open = event.target_unchecked_into::<web_sys::Element>().has_attribute("open");
            PageMessage::Sweep(SweepMessage::Fold(open))
        });
        html! {
            <details class="sweep" open={self.is_open} ontoggle={fold}>
                <summary>{ tr("Sweep") }<span class="muted">{ tr(" a setting over many values") }</span></summary>
                <section aria-label={tr("Sweep")}>
                    <div class="fields">
                        { axis(link, &fields, &app.wanted.axes[0], 0, mark("Field")) }
                        { axis(link, &fields, &app.wanted.axes[1], 1, mark("Second field")) }
                        { seeds(link, app.wanted.seeds.count()) }
                    </div>
                    <p class="hint" id="values-help">{ tr("Values apart by commas, or a range: 1..8, 0..1 step 0.25, 1..64 count 4 log.") }</p>
                    <p class="group">
                        <button class="primary" onclick={run} aria-disabled={(!ready).to_string()}>{ tr("Run the sweep") }</button>
                        <button onclick={keep} aria-disabled={(!ready).to_string()} title={tr("A file that tiebreak sweep runs, and that opens here again")}>{ tr("Save plan") }</button>
                        { measure(link, tr("Up"), 0, Some(self.up), None) }
                        { measure(link, tr("Across"), 1, self.across, Some(tr("the field"))) }
                    </p>
                    if let Some(sweep) = &app.sweep { { self.result(link, sweep, width) } }
                </section>
            </details>
        }
    }

    fn result(&self, link: &Scope<Page>, sweep: &Sweep, width: u32) -> Html {
        let (done, all) = sweep.progress();
        let under_way = sweep.is_under_way();
        let stop = link.callback(move |_: MouseEvent| {
            PageMessage::App(if under_way { Message::StopSweep } else { Message::NoSweep })
        });
        let save = |message: fn() -> SweepMessage| link.callback(move |_: MouseEvent| PageMessage::Sweep(message()));
        let drawing = sweep::drawing(sweep, &MEASURES[self.up], self.across.map(|across| &MEASURES[across]));
        let title = drawing.plot.title.clone();
        let svg = drawing.plot.svg_of_words(&drawing.words, width, HEIGHT, &title);
        html! {
            <>
                <p class="group">
                    if under_way { <progress max={all.to_string()} value={done.to_string()} aria-label={tr("Sweep")}></progress> }
                    <span class="muted">{ sweep::so_far(sweep) }</span>
                    <button class="quiet" onclick={stop}>{ if under_way { tr("Cancel") } else { tr("Clear") } }</button>
                    if done > 0 {
                        <button class="quiet" onclick={save(|| SweepMessage::SaveRows)}>{ tr("Save rows") }</button>
                        <button class="quiet" onclick={save(|| SweepMessage::SaveTheirPlan)}>{ tr("Save their plan") }</button>
                    }
                </p>
                if done > 0 { <div class="plot" role="img" aria-label={title}>{ Html::from_html_unchecked(svg.into()) }</div> }
                { table(link, sweep) }
            </>
        }
    }
}

fn axis(link: &Scope<Page>, fields: &[SweptField], axis: &Axis, index: usize, label: &'static str) -> Html {
    let choose = link.callback(move |event: Event| {
        let path = event.target_unchecked_into::<HtmlSelectElement>().value();
        PageMessage::App(Message::Wish(Wish::Field(index, path)))
    });
    let values = link.callback(move |values| PageMessage::App(Message::Wish(Wish::Values(index, values))));
    let option = |field: &SweptField| html! { <option value={field.path.clone()} selected={field.path == axis.path}>{ &field.title }</option> };
    // A plan's file may name any field there is.
    let other = !axis.path.is_empty() && fields.iter().all(|field| field.path != axis.path);
    html! {
        <>
            <label class="field"><span>{ tr(label) }</span><select aria-label={tr(label)} ~value={axis.path.as_str()} onchange={choose}>
                <option value="" selected={axis.path.is_empty()}>{ tr("none") }</option>
                if other { <option value={axis.path.clone()} selected=true>{ &axis.path }</option> }
                { for fields.iter().map(option) }</select></label>
            <label class="field"><span>{ tr("Values") }</span><Field label={say("Values of {}", &[&tiebreak_lab::view::words::inside(label)])} described_by="values-help" value={axis.values.clone()} take={values} /></label>
        </>
    }
}

fn seeds(link: &Scope<Page>, count: u64) -> Html {
    let choose =
        link.batch_callback(|count: String| Some(PageMessage::App(Message::Wish(Wish::Seeds(count.parse().ok()?)))));
    html! {
        <label class="field"><span>{ tr("Seeds for each point") }</span><Field label={tr("Seeds for each point")} number={NumberRange::by(1.0, 1.0, SEEDS_MAX as f64)} value={count.to_string()} take={choose} /></label>
    }
}

fn measure(
    link: &Scope<Page>,
    label: &'static str,
    which: usize,
    chosen: Option<usize>,
    other: Option<&'static str>,
) -> Html {
    let choose = link.callback(move |event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value().parse().unwrap_or(usize::MAX);
        PageMessage::Sweep(SweepMessage::Measure(which, value))
    });
    let option = |(index, measure): (usize, &Measure)| html! { <option value={index.to_string()} selected={chosen == Some(index)}>{ tr(measure.title) }</option> };
    html! {
        <label>{ format!("{label} ") }<select aria-label={label} ~value={chosen.map_or_else(String::new, |it| it.to_string())} onchange={choose}>
            if let Some(other) = other { <option value="" selected={chosen.is_none()}>{ other }</option> }
            { for MEASURES.iter().enumerate().map(option) }</select></label>
    }
}

fn table(link: &Scope<Page>, sweep: &Sweep) -> Html {
    let waits = if sweep.is_under_way() { tr("waits") } else { tr("not run") };
    let row = |(number, point): (usize, Point<'_>)| {
        let open = link.callback(move |_: MouseEvent| PageMessage::App(Message::SweepPoint(number)));
        let cell = |measure: &Measure| {
            point.spread(measure.of).map(|spread| {
                let (mean, range) = sweep::cell(measure, spread);
                html! { <td>{ mean }if let Some(range) = range { <small class="muted">{ range }</small> }</td> }
            })
        };
        let cells: Option<Vec<Html>> = MEASURES.iter().map(cell).collect();
        let cells = match (cells, point.failure()) {
            (Some(cells), None) => html! { { for cells } },
            (_, Some(error)) => html! { <td colspan={MEASURES.len().to_string()}>{ tell(error) }</td> },
            (None, None) => html! { <td colspan={MEASURES.len().to_string()} class="muted">{ waits }</td> },
        };
        html! { <tr>{ for point.values.iter().map(|value| html! { <th scope="row">{ value }</th> }) }{ cells }
        <td><button class="quiet" onclick={open} aria-label={say("Open {} as a variant", &[&point.values.join(", ")])}>{ tr("Open") }</button></td></tr> }
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={tr("Sweep: data table")}><table>
            <thead><tr>{ for sweep.paths().iter().map(|path| html! { <th scope="col">{ path }</th> }) }
                { for MEASURES.iter().map(|measure| html! { <th scope="col">{ tr(measure.title) }</th> }) }<td></td></tr></thead>
            <tbody>{ for sweep.points().enumerate().map(row) }</tbody>
        </table></div>
    }
}

fn save_plan(plan: &SweepPlan) -> Option<Message> {
    told(save::text("sweep.json", "application/json", &plan.to_json()))
}

/// What the browser said, where it saved nothing.
fn told(saved: Result<(), wasm_bindgen::JsValue>) -> Option<Message> {
    let line = |error| vec![say("The browser said: {error}.", &[&format!("{error:?}")])];
    saved.err().map(|error| Message::Notice(Notice::bad(tr("The file could not be saved"), line(error))))
}
