//! The report: on screen to preview, on paper without the page's controls.

use tiebreak_app::{App, Change};
use tiebreak_i18n::{mark, say, tr};
use tiebreak_view::compare::ComparedRow;
use tiebreak_view::report::{self, Against, ReportedRun};
use yew::prelude::*;

use super::charts;
use super::panel::{Act, Link, Own, Panel, Scene, Sent, focus};
use super::share::address;
use super::share::code::{self, Codes};

/// The report, shown instead of the page while it is open.
#[derive(Default)]
pub(crate) struct Report {
    is_open: bool,
    code: Codes,
}

/// Messages of the report.
pub(crate) enum ReportMessage {
    /// Open and print it.
    Open,
    /// Close it.
    Close,
}

impl Own for ReportMessage {}

impl Panel for Report {
    type Message = ReportMessage;

    const ID: &'static str = "report";
    const TITLE: &'static str = mark("Report");

    fn update(&mut self, message: ReportMessage, _: &Link, _: &App) -> Vec<Sent> {
        self.is_open = matches!(message, ReportMessage::Open);
        match message {
            ReportMessage::Open => vec![focus(".report button"), Act::Print.into()],
            ReportMessage::Close => vec![focus(".share")],
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        if !self.is_open {
            return Html::default();
        }
        let address = address(scene.app);
        let code = self.code.of(&address);
        paper(link, scene.app, code::on_paper(code.as_deref(), &address))
    }
}

/// The whole report. `code` is the QR code of the link, if the link is short enough for one.
fn paper(link: &Link, app: &App, code: Html) -> Html {
    let day = js_sys::Date::new_0().to_iso_string().as_string().unwrap_or_default();
    let report = report::Report::new(app, day.get(..10).unwrap_or_default());
    let stage = |(title, rules): &(&'static str, Vec<String>)| {
        html! { <div><h3>{ *title }</h3><ol>{ for rules.iter().map(|rule| html! { <li>{ rule }</li> }) }</ol></div> }
    };
    let fact = |(title, text): &(&'static str, String)| html! { <p><strong>{ *title }</strong>{ ": " }{ text }</p> };
    html! {
        <main class="report" aria-label={tr(Report::TITLE)}>
            <p class="report-bar group">
                <button class="primary" onclick={link.callback(|_: MouseEvent| Act::Print)}>{ tr("Print") }</button>
                <button onclick={link.callback(|_: MouseEvent| ReportMessage::Close)}>{ tr("Back to the page") }</button>
            </p>
            <header>{ code }<h1>{ &report.name }</h1><p class="muted">{ &report.made }</p>
                { for report.sentence.iter().map(|sentence| html! { <p>{ sentence }</p> }) }
                { for report.against.iter().map(|it| html! { <p>{ &it.verdict }</p> }) }
                { runs(&report.runs) }</header>
            if !report.figures.is_empty() {
                <div class="figures">{ for report.figures.iter().map(|figure| html! {
                    <div class="figure"><span class="figure-title">{ figure.title }</span><span class="figure-value">{ &figure.value }</span></div>
                }) }</div>
            }
            { for report.against.iter().map(against) }
            <h2>{ tr("Over time") }</h2>
            { charts::on_paper(app) }
            <h2>{ if report.runs.len() > 1 { say("Setup of {}", &[&app.front.variant]) } else { tr("Setup").into() } }</h2>
            { for report.setup.iter().map(fact) }
            <h2>{ tr("Rules, in order") }</h2>
            <div class="stages">{ for report.stages.iter().map(stage) }</div>
            <p>{ tr("Remaining ties are broken at random.") }</p>
            if !report.events.is_empty() { <h2>{ tr("Events") }</h2> { list(&report.events) } }
            <h2>{ tr("Sources and licences") }</h2>
            { list(&report.sources) }
        </main>
    }
}

fn list(lines: &[String]) -> Html {
    html! { <ul>{ for lines.iter().map(|line| html! { <li>{ line }</li> }) }</ul> }
}

fn runs(runs: &[ReportedRun]) -> Html {
    let row = |ReportedRun { variant, seed, placed, digest }: &ReportedRun| {
        html! { <tr><th scope="row">{ variant }</th><td>{ seed }</td><td>{ placed }</td><td><code>{ digest }</code></td></tr> }
    };
    html! {
        <table>
            <thead><tr><th scope="col">{ tr("Variant") }</th><th scope="col">{ tr("Seed") }</th><th scope="col">{ tr("VMs placed") }</th><th scope="col">{ tr("Digest of every decision") }</th></tr></thead>
            <tbody>{ for runs.iter().map(row) }</tbody>
        </table>
    }
}

/// The numbers of two variants, and the differences in their settings.
fn against(Against { names: [other, front], rows, changes, .. }: &Against) -> Html {
    let cells = |values: &[String; 2]| html! { { for values.iter().map(|value| html! { <td>{ value }</td> }) } };
    let over_seeds = rows.iter().any(|row| row.interval.is_some());
    let row = |row: &ComparedRow| {
        html! {
            <tr><th scope="row">{ row.title }</th>{ cells(&row.values) }<td>{ &row.difference }</td>
                if over_seeds { <td>{ row.interval.clone().unwrap_or_default() }</td> }</tr>
        }
    };
    let change = |change: &Change| html! { <tr><th scope="row">{ &change.path }</th>{ cells(&change.values) }</tr> };
    let names = html! { <><th scope="col">{ other }</th><th scope="col">{ front }</th></> };
    html! {
        <section>
            <h2>{ say("{front} against {other}", &[&front, &other]) }</h2>
            <table>
                <thead><tr><th scope="col">{ tr("Results") }</th>{ names.clone() }<th scope="col">{ format!("{front} \u{2212} {other}") }</th>
                    if over_seeds { <th scope="col">{ tr("95 % interval over seeds") }</th> }</tr></thead>
                <tbody>{ for rows.iter().map(row) }</tbody>
            </table>
            if changes.is_empty() { <p>{ tr("No settings differ.") }</p> } else {
                <table>
                    <thead><tr><th scope="col">{ tr("Differing settings") }</th>{ names }</tr></thead>
                    <tbody>{ for changes.iter().map(change) }</tbody>
                </table>
            }
        </section>
    }
}
