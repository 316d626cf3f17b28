//! Sweeps: one or two fields over values and seeds, on all engines at once, with a chart or a frontier that fills as
//! runs finish.

use tiebreak_app::sweep::{Axis, Field as SweptField, Point, SEEDS_MAX, fields};
use tiebreak_app::{App, Message, Mode, Notice, Sweep, Wish};
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_scenario::SweepPlan;
use tiebreak_view::compare::{MEASURES, Measure};
use tiebreak_view::sweep;
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::charts::Charts;
use super::field::{Field, NumberRange};
use super::panel::{Act, Frame, Link, News, Own, Panel, Scene, Sent};
use super::save;

/// Height of the chart in CSS pixels.
const HEIGHT: u32 = 220;

/// Messages of the panel, besides those to the application.
pub(crate) enum SweepMessage {
    /// A plan was opened: the panel opens if the plan can be run.
    Planned,
    /// Change the measure of the vertical or horizontal axis.
    Measure(usize, usize),
    /// Save the panel's settings as a plan.
    SavePlan,
    /// Save the plan that produced the rows.
    SaveTheirPlan,
    /// Save the rows.
    SaveRows,
}

impl Own for SweepMessage {}

/// The panel of sweeps.
#[derive(Default)]
pub(crate) struct SweepPanel {
    /// The measures of the vertical and the horizontal axis; `None` means the first field itself.
    up: usize,
    across: Option<usize>,
}

impl Panel for SweepPanel {
    type Message = SweepMessage;

    const ID: &'static str = "sweep";
    const TITLE: &'static str = mark("Sweep");
    const FRAME: Frame = Frame::Region(mark("Sweep"));

    fn is_shown(app: &App) -> bool {
        app.mode != Mode::Lesson
    }

    fn summary(_: &App) -> String {
        tr(" a setting over many values").into()
    }

    fn update(&mut self, message: SweepMessage, _: &Link, app: &App) -> Vec<Sent> {
        let failed = match message {
            SweepMessage::Planned if app.wanted.is_ready() => return vec![Act::Open(Self::ID).into()],
            SweepMessage::Planned => None,
            SweepMessage::Measure(0, measure) => {
                self.up = measure.min(MEASURES.len() - 1);
                None
            }
            SweepMessage::Measure(_, measure) => {
                self.across = Some(measure).filter(|measure| *measure < MEASURES.len());
                None
            }
            SweepMessage::SavePlan => match app.wanted.plan(&app.document) {
                Ok(plan) => save_plan(&plan),
                Err(faults) => Some(Notice::bad(tr("The plan is not valid yet"), faults)),
            },
            SweepMessage::SaveTheirPlan => app.sweep.as_ref().and_then(|sweep| save_plan(&sweep.plan)),
            SweepMessage::SaveRows => {
                let rows = app.sweep.as_ref().map(Sweep::rows);
                rows.and_then(|rows| told(save::text("sweep.csv", "text/csv", &rows)))
            }
        };
        failed.map(|notice| Message::Notice(notice).into()).into_iter().collect()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        match *news {
            News::File { name, text } if !name.ends_with(".md") && SweepPlan::is_meant(text) => {
                let plan = Message::Plan { name: name.to_owned(), text: text.to_owned() };
                vec![plan.into(), SweepMessage::Planned.into()]
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Scene { app, width, .. } = *scene;
        let fields = fields(app.variant());
        let ready = app.wanted.is_ready();
        let run = link.batch_callback(move |_: MouseEvent| ready.then_some(Message::Sweep));
        let keep = link.batch_callback(move |_: MouseEvent| ready.then_some(SweepMessage::SavePlan));
        html! {
            <>
                <div class="fields">
                    { axis(link, &fields, &app.wanted.axes[0], 0, mark("Field")) }
                    { axis(link, &fields, &app.wanted.axes[1], 1, mark("Second field")) }
                    { seeds(link, app.wanted.seeds.count()) }
                </div>
                <p class="hint" id="values-help">{ tr("Separate values with commas, or enter a range: 1..8, 0..1 step 0.25, 1..64 count 4 log.") }</p>
                <p class="group">
                    <button class="primary" onclick={run} aria-disabled={(!ready).to_string()}>{ tr("Run the sweep") }</button>
                    <button onclick={keep} aria-disabled={(!ready).to_string()} title={tr("A file for tiebreak sweep that you can also open here again")}>{ tr("Save plan") }</button>
                    { measure(link, tr("Vertical axis"), 0, Some(self.up), None) }
                    { measure(link, tr("Horizontal axis"), 1, self.across, Some(tr("the field"))) }
                </p>
                if let Some(sweep) = &app.sweep { { self.result(link, sweep, width) } }
            </>
        }
    }
}

impl SweepPanel {
    fn result(&self, link: &Link, sweep: &Sweep, width: u32) -> Html {
        let (done, all) = sweep.progress();
        let under_way = sweep.is_under_way();
        let stop = link.callback(move |_: MouseEvent| if under_way { Message::StopSweep } else { Message::NoSweep });
        let save = |message: fn() -> SweepMessage| link.callback(move |_: MouseEvent| message());
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
                        <button class="quiet" onclick={save(|| SweepMessage::SaveTheirPlan)}>{ tr("Save their sweep plan") }</button>
                    }
                </p>
                if done > 0 { <div class="plot" role="img" aria-label={title}>{ Html::from_html_unchecked(svg.into()) }</div> }
                { table(link, sweep) }
            </>
        }
    }
}

fn axis(link: &Link, fields: &[SweptField], axis: &Axis, index: usize, label: &'static str) -> Html {
    let choose = link.callback(move |event: Event| {
        let path = event.target_unchecked_into::<HtmlSelectElement>().value();
        Message::Wish(Wish::Field(index, path))
    });
    let values = link.callback(move |values| Message::Wish(Wish::Values(index, values)));
    let option = |field: &SweptField| html! { <option value={field.path.clone()} selected={field.path == axis.path}>{ &field.title }</option> };
    // A plan file may name any field.
    let other = !axis.path.is_empty() && fields.iter().all(|field| field.path != axis.path);
    html! {
        <>
            <label class="field"><span>{ tr(label) }</span><select aria-label={tr(label)} ~value={axis.path.as_str()} onchange={choose}>
                <option value="" selected={axis.path.is_empty()}>{ tr("none") }</option>
                if other { <option value={axis.path.clone()} selected=true>{ &axis.path }</option> }
                { for fields.iter().map(option) }</select></label>
            <label class="field"><span>{ tr("Values") }</span><Field label={say("Values of {}", &[&tiebreak_engine::words::inside(label)])} described_by="values-help" value={axis.values.clone()} take={values} /></label>
        </>
    }
}

fn seeds(link: &Link, count: u64) -> Html {
    let choose = link.batch_callback(|count: String| Some(Message::Wish(Wish::Seeds(count.parse().ok()?))));
    html! {
        <label class="field"><span>{ tr("Seeds per point") }</span><Field label={tr("Seeds per point")} number={NumberRange::by(1.0, 1.0, SEEDS_MAX as f64)} value={count.to_string()} take={choose} /></label>
    }
}

fn measure(link: &Link, label: &'static str, which: usize, chosen: Option<usize>, other: Option<&'static str>) -> Html {
    let choose = link.callback(move |event: Event| {
        let value = event.target_unchecked_into::<HtmlSelectElement>().value().parse().unwrap_or(usize::MAX);
        SweepMessage::Measure(which, value)
    });
    let option = |(index, measure): (usize, &Measure)| html! { <option value={index.to_string()} selected={chosen == Some(index)}>{ tr(measure.title) }</option> };
    html! {
        <label>{ format!("{label} ") }<select aria-label={label} ~value={chosen.map_or_else(String::new, |it| it.to_string())} onchange={choose}>
            if let Some(other) = other { <option value="" selected={chosen.is_none()}>{ other }</option> }
            { for MEASURES.iter().enumerate().map(option) }</select></label>
    }
}

fn table(link: &Link, sweep: &Sweep) -> Html {
    let waits = if sweep.is_under_way() { tr("waits") } else { tr("not run") };
    let row = |(number, point): (usize, Point<'_>)| {
        // The differences are shown next to the charts.
        let open = link.batch_callback(move |_: MouseEvent| {
            [Message::SweepPoint(number).into(), Sent::from(Act::Open(Charts::ID))]
        });
        let cell = |measure: &Measure| {
            point.spread(|result| measure.of(result)).map(|spread| {
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

fn save_plan(plan: &SweepPlan) -> Option<Notice> {
    told(save::text("sweep.json", "application/json", &plan.to_json()))
}

/// The browser's message if saving failed.
fn told(saved: Result<(), wasm_bindgen::JsValue>) -> Option<Notice> {
    let line = |error| vec![say("The browser said: {error}.", &[&format!("{error:?}")])];
    saved.err().map(|error| Notice::bad(tr("The file could not be saved"), line(error)))
}
