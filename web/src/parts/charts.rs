//! The charts: one time axis, one cursor, and a table for each.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use tiebreak_app::{App, Given, Message, Mode, Outcome, Phase, Playing};
use tiebreak_chart::{
    PlotArea, Role, Series, Style, Table, TimeChart, drawing_transform, summary, svg, svg_elements, table,
};
use tiebreak_engine::protocol::Which;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lesson::Question;
use tiebreak_model::Phrase;
use tiebreak_sim::METRICS;
use tiebreak_view::{charts, compare, verdict};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlSelectElement};
use yew::prelude::*;

use super::around;
use super::decisions::DecisionsMessage;
use super::panel::{Act, Link, News, Own, Panel, Scene, Sent};
use super::share::{File, save_button};

/// Height of a chart in CSS pixels.
const HEIGHT: u32 = 150;

/// Height of the strip with the difference between two variants.
const DIFFERENCE_HEIGHT: u32 = 96;

/// A suggestion, shown if nothing else says what to look at.
const PROMPT: &str = mark("Try this: switch \u{201c}Fill used machines first\u{201d} off. Which hosts stay empty?");

/// Rows of a data table.
const TABLE_ROWS: usize = 60;

/// The metrics that are always shown, by id; the user picks a fourth.
const FIXED: [&str; 3] = ["EmptyHosts", "PackingDensity", "Conflicts"];

/// Width of a chart on paper: fits between the margins of both A4 and Letter, at 96 pixels per inch.
const PAPER_WIDTH: u32 = 680;

/// The metrics on the page, by index in their list.
pub(crate) fn shown(app: &App) -> Vec<usize> {
    let fixed = FIXED.iter().filter_map(|id| tiebreak_sim::metrics::index_of(id));
    match app.lesson.as_ref().and_then(Playing::charts) {
        Some(metrics) => metrics,
        None => fixed.chain(app.extra_metric).collect(),
    }
}

/// The chart of a metric, with the user's prediction below everything else.
pub(crate) fn chart(app: &App, metric: usize) -> TimeChart {
    let mut chart = charts::chart(metric, &charts::lines(app));
    chart.series.splice(0..0, predicted(app, metric));
    chart
}

/// A rendered chart, and its inputs.
struct Drawn {
    key: Key,
    chart: TimeChart,
    elements: Vec<AttrValue>,
    area: PlotArea,
}

/// The inputs of a rendering: the runs, their progress, the number of finished seeds, and the width.
type Key = (Vec<(u32, usize, bool)>, usize, u32);

impl Drawn {
    /// The drawing, in which a report replaces only the elements that it changes: lines, and not the axes with their
    /// many texts.
    fn view(&self, height: u32) -> Html {
        let title = &self.chart.title;
        let elements = self.elements.iter().map(|element| Html::from_html_unchecked(element.clone()));
        html! {
            <svg viewBox={format!("0 0 {} {height}", self.key.2)} role="img" aria-label={title.clone()}>
                <title>{ title }</title>
                <g transform={drawing_transform()} stroke-linejoin="round">{ for elements }</g>
            </svg>
        }
    }
}

/// Renderings cached between updates, and which tables are open.
#[derive(Default)]
pub(crate) struct Charts {
    drawn: RefCell<BTreeMap<(usize, bool), Rc<Drawn>>>,
    open_tables: Vec<usize>,
}

/// Messages of the charts.
pub(crate) enum ChartsMessage {
    /// The table of a metric is opened or closed.
    Table(usize),
}

impl Own for ChartsMessage {}

impl Panel for Charts {
    type Message = ChartsMessage;

    const ID: &'static str = "charts";
    const TITLE: &'static str = mark("Charts");

    fn update(&mut self, ChartsMessage::Table(metric): ChartsMessage, _: &Link, _: &App) -> Vec<Sent> {
        match self.open_tables.iter().position(|open| *open == metric) {
            Some(index) => drop(self.open_tables.remove(index)),
            None => self.open_tables.push(metric),
        }
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        if let News::Language = news {
            self.drawn.take();
        }
        Vec::new()
    }

    /// The verdict and the charts.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let cards = shown(app).into_iter().map(|metric| self.card(link, scene, metric));
        html! {
            <section class="charts-region" aria-label={tr(Self::TITLE)}>
                { outcome(link, app) }
                <div class="charts" data-charts="">{ for cards }</div>
                if app.lesson.is_none() { { picker(link, app) } }
            </section>
        }
    }
}

impl Charts {
    fn draw(&self, app: &App, metric: usize, width: u32) -> Rc<Drawn> {
        let lines = charts::lines(app);
        let key = (
            lines.iter().map(|(.., outcome)| identity(outcome)).collect(),
            app.lesson.as_ref().map_or(0, |playing| playing.step + 1),
            width,
        );
        self.drawn((metric, false), key, HEIGHT, || Some(chart(app, metric))).expect("a chart of any metric")
    }

    /// The difference between two variants, if they are compared.
    fn draw_difference(&self, app: &App, metric: usize, width: u32) -> Option<Rc<Drawn>> {
        let against = app.against().filter(|_| app.mode == Mode::Compare)?;
        let runs = [&app.front, against].into_iter().map(|lane| lane.live.as_ref().map(identity));
        let seeds = app.paired.as_ref().map_or(0, |paired| 1 + paired.progress().0);
        let key = (runs.collect::<Option<_>>()?, seeds, width);
        self.drawn((metric, true), key, DIFFERENCE_HEIGHT, || compare::difference(app, metric))
    }

    fn drawn(
        &self,
        place: (usize, bool),
        key: Key,
        height: u32,
        make: impl FnOnce() -> Option<TimeChart>,
    ) -> Option<Rc<Drawn>> {
        if let Some(drawn) = self.drawn.borrow().get(&place).filter(|drawn| drawn.key == key) {
            return Some(drawn.clone());
        }
        let chart = make()?;
        let (elements, area) = svg_elements(&chart, key.2, height);
        let elements = elements.into_iter().map(AttrValue::from).collect();
        let drawn = Rc::new(Drawn { key, elements, area, chart });
        self.drawn.borrow_mut().insert(place, drawn.clone());
        Some(drawn)
    }

    /// One chart with its controls and its table.
    pub(crate) fn card(&self, link: &Link, scene: &Scene<'_>, metric: usize) -> Html {
        let Scene { app, width, hover, .. } = *scene;
        let drawn = self.draw(app, metric, width);
        let title = tr(METRICS[metric].declaration.title);
        let open = self.open_tables.contains(&metric);
        let moment = hover.or(app.cursor_ms);
        let cursor = moment.map(|time| self::cursor(&drawn, time, width));
        let (area, share) = (drawn.area, width);
        let time_under = move |event: &PointerEvent| {
            let shape = around(event, ".plot")?.get_bounding_client_rect();
            let x = (f64::from(event.client_x()) - shape.left()) * f64::from(share) / shape.width().max(1.0);
            Some(area.time_at(x.clamp(area.left, area.right)).max(0.0))
        };
        let hover_to = link.callback(move |event: PointerEvent| Act::Hover(time_under(&event)));
        let leave = link.callback(|_: PointerEvent| Act::Hover(None));
        let pin = link.callback(move |event: PointerEvent| Message::Cursor(time_under(&event)));
        html! {
            <figure class="chart" key={metric} aria-label={title}>
                <p class="unseen">{ summary(&drawn.chart) }</p>
                <div class="plot" onpointermove={hover_to} onpointerleave={leave} onpointerdown={pin}>
                    { drawn.view(HEIGHT) }
                    { cursor }
                </div>
                { for self.draw_difference(app, metric, width).map(|drawn| difference(&drawn, moment, width)) }
                <figcaption>
                    <button class="quiet" aria-expanded={open.to_string()}
                        onclick={link.callback(move |_| ChartsMessage::Table(metric))}>{ if open { tr("Hide data table") } else { tr("Show data table") } }</button>
                    { save_button(link, "CSV", say("CSV of {title}", &[&title]), File::Csv(metric)) }
                    { save_button(link, "SVG", say("SVG of {title}", &[&title]), File::Svg(metric)) }
                    { save_button(link, "PNG", say("PNG of {title}", &[&title]), File::Png(metric)) }
                </figcaption>
                if open { { data_table(&drawn.chart) } }
            </figure>
        }
    }
}

/// The user's predicted curve for this metric.
fn predicted(app: &App, metric: usize) -> Option<Series> {
    let playing = app.lesson.as_ref().filter(|playing| playing.is_revealed)?;
    let (Some(Given::Curve(points)), Some(Question::Curve { metric: of, .. })) =
        (&playing.given, &playing.here().question)
    else {
        return None;
    };
    (tiebreak_sim::metrics::index_of(of) == Some(metric))
        .then(|| Series::new(tr("predicted"), Role::Ghost, Style::Line, points.clone()))
}

/// The charts for paper, without controls.
pub(crate) fn on_paper(app: &App) -> Html {
    let figure = |metric: usize| {
        let chart = chart(app, metric);
        let below = compare::difference(app, metric).filter(|_| app.mode == Mode::Compare);
        let drawing = |chart: &TimeChart, height: u32| {
            Html::from_html_unchecked(svg(chart, PAPER_WIDTH, height, &summary(chart)).0.into())
        };
        html! {
            <figure class="chart">{ drawing(&chart, HEIGHT) }{ for below.map(|chart| drawing(&chart, DIFFERENCE_HEIGHT)) }</figure>
        }
    };
    html! { { for shown(app).into_iter().map(figure) } }
}

/// Distinguishes one state of a run from the next.
fn identity(outcome: &Outcome) -> (u32, usize, bool) {
    (outcome.run, outcome.times.len(), outcome.result.is_some())
}

/// The strip below a chart.
fn difference(drawn: &Drawn, moment: Option<f64>, width: u32) -> Html {
    html! {
        <div class="plot difference">
            <p class="unseen">{ summary(&drawn.chart) }</p>
            { drawn.view(DIFFERENCE_HEIGHT) }
            { for moment.map(|time| cursor(drawn, time, width)) }
        </div>
    }
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

/// The three most important numbers, and one sentence.
fn outcome(link: &Link, app: &App) -> Html {
    let Some(live) = app.front.live.as_ref().filter(|live| live.result.is_some()) else {
        return waiting(link, app);
    };
    let baseline = app.front.baseline.as_ref().filter(|before| before.run != live.run && app.aside.is_empty());
    let refused = link.callback(|_: MouseEvent| DecisionsMessage::Show(Which::Refused));
    let figure = |figure: &verdict::Figure| {
        let leads_on = figure.id == "rejections" && app.lesson.is_none();
        html! {
            <div class="figure"><span class="figure-title">{ figure.title }</span>
                if leads_on { <button class="figure-value" title={tr("List them")} onclick={refused.clone()}>{ &figure.value }</button> }
                else { <span class="figure-value">{ &figure.value }</span> }
                if let Some(change) = &figure.change { <span class="figure-change">{ change }</span> }</div>
        }
    };
    let keep = baseline.filter(|before| !before.is_example).map(|_| {
        html! { <button class="quiet" onclick={link.callback(|_| Message::Baseline)}>{ tr("Use this run as the baseline") }</button> }
    });
    let warning = |words: &Phrase| html! { <p class="notice bad" role="alert">{ tell(words) }</p> };
    html! {
        <>
            { costly(link, app) }
            <div class="figures">{ for verdict::figures(live, baseline).iter().map(figure) }</div>
            <p class="verdict">{ verdict::sentence(live, baseline) }{ " " }{ for live.result.as_ref().and_then(verdict::waits) }{ " " }{ keep }</p>
            { for live.result.iter().flat_map(|result| &result.slow_agents).map(warning) }
            { for live.warning.iter().map(warning) }
            { for live.outliers.iter().map(|told| html! {
                <p class="notice bad" role="note">{ tell(told) }{ " " }
                    <button onclick={link.callback(|_| Act::LeaveOutOutliers)}>{ tr("Exclude them") }</button></p>
            }) }
            { for live.doubts.iter().map(|doubt| html! { <p class="notice bad" role="note">{ tell(doubt) }</p> }) }
            if !live.doubts.is_empty() && app.lesson.is_none() { <p>{ super::sizing::find(link) }</p> }
            if baseline.is_none_or(|before| before.is_example) && !app.can_reset() && app.lesson.is_none() {
                <p class="prompt">{ tr(app.prompt.unwrap_or(if baseline.is_some() { tiebreak_picture::PROMPT } else { PROMPT })) }</p>
            }
        </>
    }
}

/// The question before a long run.
fn costly(link: &Link, app: &App) -> Html {
    let Phase::Costly { told, .. } = &app.front.phase else { return Html::default() };
    html! {
        <div class="notice" role="alert">
            <p>{ tell(told) }{ " " }{ tr("A browser takes about twice as long. Fewer VMs, machines or agents are faster. You can continue working meanwhile, or press Pause.") }</p>
            <button class="primary" onclick={link.callback(|_| Message::Run)}>{ tr("Run anyway") }</button>
        </div>
    }
}

/// The placeholder for the numbers.
fn waiting(link: &Link, app: &App) -> Html {
    match &app.front.phase {
        Phase::Costly { .. } => costly(link, app),
        Phase::NeedsTrace { name, fingerprint, .. } => {
            let choose = Callback::from(|_: MouseEvent| {
                let field = gloo::utils::document().query_selector("input[type=file]").ok().flatten();
                if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
                    field.click();
                }
            });
            html! {
                <div class="notice">
                    <p>{ say("This scenario runs on the trace {name}, which is not in this browser; links do not contain traces. Load the file to start the run. (Its fingerprint starts with {}.)", &[&name, &&fingerprint[..8]]) }</p>
                    <button class="primary" onclick={choose}>{ say("Choose {name}", &[&name]) }</button>
                </div>
            }
        }
        Phase::Failed(message) => html! { <p class="notice bad" role="alert">{ tell(message) }</p> },
        Phase::Paused => {
            html! { <p class="verdict muted">{ tr("Paused. Step continues to the next VM, rule or conflict and explains it; Run continues to the end.") }</p> }
        }
        _ => html! { <p class="verdict muted">{ tr("Running…") }</p> },
    }
}

fn picker(link: &Link, app: &App) -> Html {
    let choose = link.batch_callback(|event: Event| {
        let index = event.target_unchecked_into::<HtmlSelectElement>().value().parse().ok();
        index.map(Message::ExtraMetric)
    });
    let rest = METRICS.iter().enumerate().filter(|(_, metric)| !FIXED.contains(&metric.declaration.id));
    let option = |(index, metric): (usize, &tiebreak_sim::Metric)| {
        html! { <option value={index.to_string()} selected={app.extra_metric == Some(index)}>{ tr(metric.declaration.title) }</option> }
    };
    html! {
        <p class="picker"><label>{ tr("Fourth chart ") }<select onchange={choose}>{ for rest.map(option) }</select></label>
            { save_button(link, tr("All series (CSV)"), tr("All series (CSV)").into(), File::AllSeries) }</p>
    }
}

fn data_table(chart: &TimeChart) -> Html {
    rows(&chart.title, &table(chart, TABLE_ROWS))
}

/// A chart's table.
pub(crate) fn rows(title: &str, table: &Table) -> Html {
    let row = |row: &Vec<String>| html! { <tr>{ for row.iter().map(|cell| html! { <td>{ cell }</td> }) }</tr> };
    html! {
        <div class="table" tabindex="0" role="region" aria-label={say("{title}: data table", &[&title])}>
            <table>
                <thead><tr>{ for table.header.iter().map(|cell| html! { <th scope="col">{ cell }</th> }) }</tr></thead>
                <tbody>{ for table.rows.iter().map(row) }</tbody>
            </table>
        </div>
    }
}
