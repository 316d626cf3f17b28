//! The charts: one time axis, one cursor, a table behind each.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tiebreak_chart::{Caption, PlotArea, Table, Theme, TimeChart, csv, summary, svg, svg_file, table};
use tiebreak_lab::app::{Outcome, Phase};
use tiebreak_lab::view::{charts, timeline, verdict, words};
use tiebreak_lab::{App, Message};
use tiebreak_sim::METRICS;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::html::Scope;
use yew::prelude::*;

use super::around;
use crate::page::{Page, PageMessage};

/// Height of a chart in CSS pixels.
const HEIGHT: u32 = 150;

/// What to try where nobody says what to look at.
const PROMPT: &str =
    "Try this: switch off PreferNonEmptyMachines, or drag another rule above it. Which hosts stay empty?";

/// Rows of a data table.
const TABLE_ROWS: usize = 60;

/// The metrics always shown, by id; a fourth is picked.
const FIXED: [&str; 3] = ["EmptyHosts", "PackingDensity", "Conflicts"];

/// A chart as drawn, and what it was drawn from.
struct Drawn {
    key: Key,
    chart: TimeChart,
    svg: AttrValue,
    area: PlotArea,
}

/// What a drawing depends on.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    live: (u32, usize, bool),
    baseline: Option<u32>,
    width: u32,
}

/// Drawings kept from one rendering to the next, and which tables are open.
#[derive(Default)]
pub(crate) struct Charts {
    drawn: RefCell<BTreeMap<usize, Rc<Drawn>>>,
    open_tables: Vec<usize>,
}

impl Charts {
    /// Opens or closes a table.
    pub(crate) fn toggle_table(&mut self, metric: usize) {
        match self.open_tables.iter().position(|open| *open == metric) {
            Some(index) => drop(self.open_tables.remove(index)),
            None => self.open_tables.push(metric),
        }
    }

    /// The verdict and the charts. `hover` is the moment under the pointer.
    pub(crate) fn view(&self, link: &Scope<Page>, app: &App, width: u32, hover: Option<f64>) -> Html {
        let fixed = FIXED.iter().filter_map(|id| tiebreak_sim::metrics::index_of(id));
        let cards = fixed.chain(app.extra_metric).map(|metric| self.card(link, app, metric, width, hover));
        html! {
            <section class="charts-region" aria-label="Charts">
                { outcome(link, app) }
                <div class="charts" data-charts="">{ for cards }</div>
                { picker(link, app) }
            </section>
        }
    }

    fn draw(&self, app: &App, metric: usize, width: u32) -> Rc<Drawn> {
        let identity = |outcome: &Outcome| (outcome.run, outcome.times.len(), outcome.result.is_some());
        let key = Key {
            live: app.live.as_ref().map_or((0, 0, false), identity),
            baseline: app.baseline.as_ref().map(|outcome| outcome.run),
            width,
        };
        if let Some(drawn) = self.drawn.borrow().get(&metric).filter(|drawn| drawn.key == key) {
            return drawn.clone();
        }
        let baseline =
            app.baseline.as_ref().filter(|before| app.live.as_ref().is_none_or(|live| live.run != before.run));
        let chart = charts::chart(metric, app.live.as_ref(), baseline);
        let (drawing, area) = svg(&chart, width, HEIGHT, &chart.title);
        let drawn = Rc::new(Drawn { key, svg: drawing.into(), area, chart });
        self.drawn.borrow_mut().insert(metric, drawn.clone());
        drawn
    }

    fn card(&self, link: &Scope<Page>, app: &App, metric: usize, width: u32, hover: Option<f64>) -> Html {
        let drawn = self.draw(app, metric, width);
        let title = METRICS[metric].declaration.title;
        let open = self.open_tables.contains(&metric);
        let moment = hover.or(app.cursor_ms);
        let cursor = moment.map(|time| cursor(&drawn, time, width));
        let (area, share) = (drawn.area, width);
        let time_under = move |event: &PointerEvent| {
            let shape = around(event, ".plot")?.get_bounding_client_rect();
            let x = (f64::from(event.client_x()) - shape.left()) * f64::from(share) / shape.width().max(1.0);
            Some(area.time_at(x.clamp(area.left, area.right)).max(0.0))
        };
        let hover_to = link.callback(move |event: PointerEvent| PageMessage::Hover(time_under(&event)));
        let leave = link.callback(|_: PointerEvent| PageMessage::Hover(None));
        let pin = link.callback(move |event: PointerEvent| PageMessage::App(Message::Cursor(time_under(&event))));
        html! {
            <figure class="chart" key={metric} aria-label={title}>
                <p class="unseen">{ summary(&drawn.chart) }</p>
                <div class="plot" onpointermove={hover_to} onpointerleave={leave} onpointerdown={pin}>
                    { Html::from_html_unchecked(drawn.svg.clone()) }
                    <>{ for app.live.iter().flat_map(timeline::happened).map(|time| event_line(&drawn, time, width)) }</>
                    { cursor }
                </div>
                <figcaption>
                    <button class="quiet" aria-expanded={open.to_string()}
                        onclick={link.callback(move |_| PageMessage::Table(metric))}>{ if open { "Hide data table" } else { "Show data table" } }</button>
                    { download(title, &drawn.chart, app) }
                </figcaption>
                if open { { data_table(&drawn.chart) } }
            </figure>
        }
    }
}

/// A line where an event happened.
fn event_line(drawn: &Drawn, time: f64, width: u32) -> Html {
    let place = format!("left:{:.3}%", 100.0 * drawn.area.x_of(time) / f64::from(width));
    html! { <div class="event-line" style={place} aria-hidden="true"></div> }
}

fn cursor(drawn: &Drawn, time: f64, width: u32) -> Html {
    let percent = |x: f64| 100.0 * x / f64::from(width);
    let x = drawn.area.x_of(time);
    let values = drawn.chart.series.iter().rev().filter_map(|series| {
        let value = series.value_at(time).filter(|value| value.is_finite())?;
        Some(format!("{} {}", series.label, words::trimmed(value, 2)))
    });
    let text = format!("{}: {}", words::time(time), values.collect::<Vec<_>>().join(", "));
    let right = x > f64::from(width) * 0.55;
    let place = format!("left:{:.3}%", percent(x));
    html! {
        <div class={classes!("cursor", right.then_some("to-left"))} style={place} aria-hidden="true"><span>{ text }</span></div>
    }
}

/// The three numbers people look at first, and one sentence.
fn outcome(link: &Scope<Page>, app: &App) -> Html {
    let Some(live) = app.live.as_ref().filter(|live| live.result.is_some()) else {
        return waiting(app);
    };
    let baseline = app.baseline.as_ref().filter(|before| before.run != live.run);
    let figure = |figure: &verdict::Figure| {
        html! {
            <div class="figure"><span class="figure-title">{ figure.title }</span><span class="figure-value">{ &figure.value }</span>
                if let Some(change) = &figure.change { <span class="figure-change">{ change }</span> }</div>
        }
    };
    let keep = baseline.map(|_| {
        html! { <button class="quiet" onclick={link.callback(|_| PageMessage::App(Message::Baseline))}>{ "Compare with this run from now on" }</button> }
    });
    html! {
        <>
            <div class="figures">{ for verdict::figures(live, baseline).iter().map(figure) }</div>
            <p class="verdict">{ verdict::sentence(live, baseline) }{ " " }{ keep }</p>
            if let Some(warning) = &live.warning { <p class="notice bad" role="alert">{ warning }</p> }
            if baseline.is_none() && !app.can_reset() {
                <p class="prompt">{ app.prompt.unwrap_or(PROMPT) }</p>
            }
        </>
    }
}

/// What stands where the numbers will be.
fn waiting(app: &App) -> Html {
    match &app.phase {
        Phase::NeedsTrace { name, fingerprint, .. } => {
            let choose = Callback::from(|_: MouseEvent| {
                let field = gloo::utils::document().query_selector("input[type=file]").ok().flatten();
                if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
                    field.click();
                }
            });
            html! {
                <div class="notice">
                    <p>{ format!("This scenario runs on the trace {name}, and traces never travel with a link. Give the file, and the run starts. (Its content's fingerprint begins with {}.)", &fingerprint[..8]) }</p>
                    <button class="primary" onclick={choose}>{ format!("Choose {name}") }</button>
                </div>
            }
        }
        Phase::Failed(message) => html! { <p class="notice bad" role="alert">{ message }</p> },
        Phase::Paused => {
            html! { <p class="verdict muted">{ "Paused. Step decides one more VM and explains it; Run goes on." }</p> }
        }
        _ => html! { <p class="verdict muted">{ "Running…" }</p> },
    }
}

fn picker(link: &Scope<Page>, app: &App) -> Html {
    let choose = link.batch_callback(|event: Event| {
        let index = event.target_unchecked_into::<HtmlSelectElement>().value().parse().ok();
        index.map(|index| PageMessage::App(Message::ExtraMetric(index)))
    });
    let rest = METRICS.iter().enumerate().filter(|(_, metric)| !FIXED.contains(&metric.declaration.id));
    let option = |(index, metric): (usize, &tiebreak_sim::Metric)| {
        html! { <option value={index.to_string()} selected={app.extra_metric == Some(index)}>{ metric.declaration.title }</option> }
    };
    html! { <label class="picker">{ "Fourth chart " }<select onchange={choose}>{ for rest.map(option) }</select></label> }
}

fn data_table(chart: &TimeChart) -> Html {
    rows(&chart.title, &table(chart, TABLE_ROWS))
}

/// A chart's table.
pub(crate) fn rows(title: &str, table: &Table) -> Html {
    let row = |row: &Vec<String>| html! { <tr>{ for row.iter().map(|cell| html! { <td>{ cell }</td> }) }</tr> };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={format!("{title}: data table")}>
            <table>
                <thead><tr>{ for table.header.iter().map(|cell| html! { <th scope="col">{ cell }</th> }) }</tr></thead>
                <tbody>{ for table.rows.iter().map(row) }</tbody>
            </table>
        </div>
    }
}

/// Links that save a chart's data and picture; the files are made when they are followed.
fn download(title: &'static str, chart: &TimeChart, app: &App) -> Html {
    let seed = app.variant().seed;
    let name = title.to_lowercase().replace([' ', ','], "-");
    let save = |label: &'static str, ending: &'static str, kind: &'static str, make: Rc<dyn Fn() -> String>| {
        let file = format!("tiebreak-{name}.{ending}");
        let onclick = Callback::from(move |event: MouseEvent| {
            let link: web_sys::HtmlAnchorElement = event.target_unchecked_into();
            if let Some(url) = super::share::object_url(&make(), kind) {
                link.set_href(&url);
            }
        });
        html! { <a class="quiet" href="#" download={file} {onclick} aria-label={format!("{label} of {title}")}>{ label }</a> }
    };
    let (data, picture) = (chart.clone(), chart.clone());
    let caption = format!("{}, seed {seed}, engine {}", app.document.name, tiebreak_lab::app::ENGINE_VERSION);
    let address = super::share::address(app);
    html! {
        <>
            { save("CSV", "csv", "text/csv", Rc::new(move || csv(&data))) }
            { save("SVG", "svg", "image/svg+xml", Rc::new(move || {
                svg_file(&picture, 760, 260, Theme::Light, Caption { text: &caption, link: &address })
            })) }
        </>
    }
}
