//! Sweeps: one or two fields over values, in all engines at once; a chart or a frontier that fills.

use tiebreak_chart::{Plot, Role, Series, Style};
use tiebreak_lab::app::sweep::{Axis, Field, fields};
use tiebreak_lab::app::{Mode, Sweep};
use tiebreak_lab::view::compare::{MEASURES, Measure};
use tiebreak_lab::{App, Message};
use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::html::Scope;
use yew::prelude::*;

use crate::page::{Page, PageMessage};

/// Height of the chart in CSS pixels.
const HEIGHT: u32 = 220;

/// What happens to the panel.
pub(crate) enum SweepMessage {
    /// Another field for an axis.
    Path(usize, String),
    /// Other values for it.
    Values(usize, String),
    /// Another measure: up, or across.
    Measure(usize, usize),
}

/// See the module.
#[derive(Default)]
pub(crate) struct SweepPanel {
    axes: [Axis; 2],
    /// The measure up, and the one across: none of the list is the first field itself.
    up: usize,
    across: Option<usize>,
}

impl SweepPanel {
    pub(crate) fn update(&mut self, message: SweepMessage, app: &App) {
        match message {
            SweepMessage::Path(axis, path) => {
                let values =
                    fields(app.variant()).into_iter().find(|field| field.path == path).map(|field| field.values);
                self.axes[axis] = Axis { path, values: values.unwrap_or_default() };
            }
            SweepMessage::Values(axis, values) => self.axes[axis].values = values,
            SweepMessage::Measure(0, measure) => self.up = measure.min(MEASURES.len() - 1),
            SweepMessage::Measure(_, measure) => {
                self.across = Some(measure).filter(|measure| *measure < MEASURES.len());
            }
        }
    }

    /// The panel; it belongs to comparing.
    pub(crate) fn view(&self, link: &Scope<Page>, app: &App, width: u32) -> Html {
        if app.mode == Mode::Lesson {
            return Html::default();
        }
        let fields = fields(app.variant());
        let axes: Vec<Axis> = self.axes.iter().filter(|axis| !axis.path.is_empty()).cloned().collect();
        let ready = !axes.is_empty();
        let run =
            link.batch_callback(move |_: MouseEvent| ready.then(|| PageMessage::App(Message::Sweep(axes.clone()))));
        html! {
            <details class="sweep">
                <summary>{ "Sweep" }<span class="muted">{ " a setting over many values" }</span></summary>
                <section aria-label="Sweep">
                    <div class="fields">
                        { self.axis(link, &fields, 0, "Field") }
                        { self.axis(link, &fields, 1, "Second field") }
                    </div>
                    <p class="group">
                        <button class="primary" onclick={run} aria-disabled={(!ready).to_string()}>{ "Run the sweep" }</button>
                        { measure(link, "Up", 0, Some(self.up), None) }
                        { measure(link, "Across", 1, self.across, Some("the field")) }
                    </p>
                    if let Some(sweep) = &app.sweep { { self.result(link, sweep, width) } }
                </section>
            </details>
        }
    }

    fn axis(&self, link: &Scope<Page>, fields: &[Field], index: usize, label: &'static str) -> Html {
        let axis = &self.axes[index];
        let choose = link.callback(move |event: Event| {
            PageMessage::Sweep(SweepMessage::Path(index, event.target_unchecked_into::<HtmlSelectElement>().value()))
        });
        let values = link.callback(move |event: Event| {
            PageMessage::Sweep(SweepMessage::Values(index, event.target_unchecked_into::<HtmlInputElement>().value()))
        });
        let option = |field: &Field| html! { <option value={field.path.clone()} selected={field.path == axis.path}>{ &field.title }</option> };
        html! {
            <>
                <label class="field"><span>{ label }</span><select aria-label={label} onchange={choose}>
                    <option value="" selected={axis.path.is_empty()}>{ "none" }</option>{ for fields.iter().map(option) }</select></label>
                <label class="field"><span>{ "Values" }</span><input type="text" aria-label={format!("Values of {}", label.to_lowercase())} value={axis.values.clone()} onchange={values} /></label>
            </>
        }
    }

    fn result(&self, link: &Scope<Page>, sweep: &Sweep, width: u32) -> Html {
        let (done, all) = sweep.progress();
        let stop = link.callback(|_: MouseEvent| PageMessage::App(Message::NoSweep));
        let plot = self.plot(sweep);
        let drawing = plot.svg(width, HEIGHT, &plot.title);
        html! {
            <>
                <p class="group">
                    if done < all { <progress max={all.to_string()} value={done.to_string()} aria-label="Sweep"></progress> }
                    <span class="muted">{ format!("{done} of {all} runs, seed {}", sweep.points.first().map_or(0, |point| point.document.active_variant().seed)) }</span>
                    <button class="quiet" onclick={stop}>{ if done < all { "Cancel" } else { "Clear" } }</button>
                </p>
                if done > 0 { <div class="plot" role="img" aria-label={plot.title.clone()}>{ Html::from_html_unchecked(drawing.into()) }</div> }
                { table(link, sweep) }
            </>
        }
    }

    fn plot(&self, sweep: &Sweep) -> Plot {
        let up = &MEASURES[self.up];
        let across = self.across.map(|across| &MEASURES[across]);
        let first: Vec<&String> = sweep.points.iter().map(|point| &point.values[0]).collect();
        // Words stand at their places.
        let numbers = first.iter().all(|value| value.parse::<f64>().is_ok());
        let place = |value: &String| match value.parse::<f64>() {
            Ok(number) if numbers => number,
            _ => {
                let mut seen: Vec<&String> = Vec::new();
                first.iter().for_each(|value| {
                    if !seen.contains(value) {
                        seen.push(value);
                    }
                });
                seen.iter().position(|other| *other == value).map_or(0.0, |at| at as f64 + 1.0)
            }
        };
        let mut groups: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        for point in &sweep.points {
            let Some(Ok(result)) = &point.result else { continue };
            let name = point.values.get(1).cloned().unwrap_or_default();
            let at = across.map_or_else(|| place(&point.values[0]), |measure| (measure.of)(result));
            match groups.iter_mut().find(|(other, _)| *other == name) {
                Some((_, points)) => points.push((at, (up.of)(result))),
                None => groups.push((name, vec![(at, (up.of)(result))])),
            }
        }
        let role = |index: usize| index.checked_sub(1).map_or(Role::Live, |index| Role::Variant((index % 4) as u8));
        let series = groups.into_iter().enumerate().map(|(index, (name, mut points))| {
            points.sort_by(|one, other| one.0.total_cmp(&other.0));
            Series::new(name, role(index), Style::Line, points)
        });
        let field = sweep.axes.first().map_or("", |axis| axis.path.rsplit('.').next().unwrap_or_default());
        Plot {
            title: across.map_or_else(
                || format!("{} by {field}", up.title),
                |across| format!("{} against {}", up.title, across.title),
            ),
            unit: up.unit.into(),
            across: across.map_or(field, |across| across.unit).into(),
            across_is_log: false,
            up_is_log: false,
            series: series.collect(),
        }
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
    let option = |(index, measure): (usize, &Measure)| html! { <option value={index.to_string()} selected={chosen == Some(index)}>{ measure.title }</option> };
    html! {
        <label>{ format!("{label} ") }<select aria-label={label} onchange={choose}>
            if let Some(other) = other { <option value="" selected={chosen.is_none()}>{ other }</option> }
            { for MEASURES.iter().enumerate().map(option) }</select></label>
    }
}

fn table(link: &Scope<Page>, sweep: &Sweep) -> Html {
    let row = |(number, point): (usize, &tiebreak_lab::app::sweep::Point)| {
        let open = link.callback(move |_: MouseEvent| PageMessage::App(Message::SweepPoint(number)));
        let cells = match &point.result {
            None => html! { <td colspan={MEASURES.len().to_string()} class="muted">{ "waits" }</td> },
            Some(Err(error)) => html! { <td colspan={MEASURES.len().to_string()}>{ error }</td> },
            Some(Ok(result)) => {
                html! { { for MEASURES.iter().map(|measure| html! { <td>{ shown(measure, (measure.of)(result)) }</td> }) } }
            }
        };
        html! { <tr>{ for point.values.iter().map(|value| html! { <th scope="row">{ value }</th> }) }{ cells }
        <td><button class="quiet" onclick={open} aria-label={format!("Open {} as a variant", point.values.join(", "))}>{ "Open" }</button></td></tr> }
    };
    html! {
        <div class="table" tabindex="0" role="region" aria-label="Sweep: data table"><table>
            <thead><tr>{ for sweep.axes.iter().map(|axis| html! { <th scope="col">{ &axis.path }</th> }) }
                { for MEASURES.iter().map(|measure| html! { <th scope="col">{ measure.title }</th> }) }<td></td></tr></thead>
            <tbody>{ for sweep.points.iter().enumerate().map(row) }</tbody>
        </table></div>
    }
}

fn shown(measure: &Measure, value: f64) -> String {
    match measure.unit {
        "" => tiebreak_lab::view::words::count(value),
        unit => format!("{value:.2} {unit}"),
    }
}
