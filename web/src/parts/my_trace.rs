//! The user's own trace: the control that opens it, and what the page shows about it once it is loaded.

use tiebreak_app::{App, Edit, Message, Notice};
use tiebreak_engine::protocol::{FaultyRow, TraceCard};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_view::my_trace::{self, FAULTS_A_PAGE, Peak};
use web_sys::{Event, HtmlInputElement};
use yew::prelude::*;

use super::panel::{Act, Link, Own, Panel, Scene, Sent};
use super::{save, sizing};

/// The card of the trace, and which of its faulty rows are listed.
#[derive(Default)]
pub(crate) struct MyTrace {
    page: usize,
}

/// Messages of the list of faulty rows.
pub(crate) enum MyTraceMessage {
    /// Show another page of it, from 0.
    Page(usize),
    /// Save all of them.
    SaveFaults,
}

impl Own for MyTraceMessage {}

impl Panel for MyTrace {
    type Message = MyTraceMessage;

    const ID: &'static str = "my-trace";
    const TITLE: &'static str = mark("My trace");

    fn is_shown(app: &App) -> bool {
        app.lesson.is_none()
    }

    fn update(&mut self, message: MyTraceMessage, _: &Link, app: &App) -> Vec<Sent> {
        match message {
            MyTraceMessage::Page(page) => self.page = page,
            MyTraceMessage::SaveFaults => {
                let csv = my_trace::own(app).map(|card| my_trace::faults_csv(&card.faulty_rows)).unwrap_or_default();
                if let Err(error) = save::text("faulty-rows.csv", "text/csv", &csv) {
                    let line = say("The browser said: {error}.", &[&format!("{error:?}")]);
                    return vec![Message::Notice(Notice::bad(tr("The file could not be saved"), vec![line])).into()];
                }
            }
        }
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let body = match my_trace::own(app) {
            Some(card) => self.card(link, app, card),
            None => before(link, app),
        };
        html! { <section class="my-trace" aria-label={tr(Self::TITLE)}><h2>{ tr(Self::TITLE) }</h2>{ body }</section> }
    }
}

impl MyTrace {
    fn card(&self, link: &Link, app: &App, card: &TraceCard) -> Html {
        let fact = |(name, value): (&'static str, String)| html! { <div><dt>{ name }</dt><dd>{ value }</dd></div> };
        let limits = card.cannot_answer.iter().map(|line| html! { <li>{ tr(line) }</li> });
        let is_in_use = my_trace::is_in_use(app, card);
        let fingerprint = card.fingerprint.clone();
        let take =
            link.callback(move |_: MouseEvent| Message::Edit(Edit::UseTrace { fingerprint: fingerprint.clone() }));
        html! {
            <>
                <p><strong>{ &card.name }</strong></p>
                <dl class="facts">{ for my_trace::facts(card).into_iter().map(fact) }</dl>
                { for my_trace::peaks(app, card).iter().map(bar) }
                if is_in_use {
                    <p aria-live="off">{ my_trace::rejected(app).unwrap_or_else(|| tr("The run is still under way.").into()) }</p>
                    <p class="group">{ sizing::find(link) }</p>
                } else {
                    <p class="group"><button onclick={take}>{ say("Use {}", &[&card.name]) }</button></p>
                }
                if !card.cannot_answer.is_empty() {
                    <details class="about"><summary>{ tr("What this trace cannot answer") }</summary><ul>{ for limits }</ul></details>
                }
                if !card.notes.is_empty() {
                    <details class="about"><summary>{ tr("How it was read") }</summary><ul>{ for card.notes.iter().map(|note| html! { <li>{ tell(note) }</li> }) }</ul></details>
                }
                if card.faulty > 0.0 { { self.faults(link, card) } }
            </>
        }
    }

    /// The rows that were skipped, one page at a time.
    fn faults(&self, link: &Link, card: &TraceCard) -> Html {
        let kept = card.faulty_rows.len();
        let last = kept.saturating_sub(1) / FAULTS_A_PAGE;
        let page = self.page.min(last);
        let from = page * FAULTS_A_PAGE;
        let rows = &card.faulty_rows[from..kept.min(from + FAULTS_A_PAGE)];
        let row = |FaultyRow { line, kind, expected, got }: &FaultyRow| {
            html! { <tr><th scope="row">{ words::count(*line) }</th><td>{ tr(kind) }</td><td>{ expected }</td><td>{ got }</td></tr> }
        };
        let turn = |label: &'static str, to: Option<usize>| {
            let onclick = link.batch_callback(move |_: MouseEvent| to.map(MyTraceMessage::Page));
            html! { <button class="quiet" aria-disabled={to.is_none().to_string()} {onclick}>{ label }</button> }
        };
        let save = link.callback(|_: MouseEvent| MyTraceMessage::SaveFaults);
        let [first, until, all] = [from + 1, from + rows.len(), kept].map(|number| words::count(number as f64));
        html! {
            <details class="about"><summary>{ say("{} rows left out", &[&words::count(card.faulty)]) }</summary>
                <p class="group">
                    <span class="muted">{ say("{first} to {until} of {all}", &[&first, &until, &all]) }</span>
                    { turn(tr("Earlier rows"), page.checked_sub(1)) }
                    { turn(tr("Later rows"), (page < last).then_some(page + 1)) }
                    <button class="quiet" onclick={save}>{ tr("Save faulty rows (CSV)") }</button>
                </p>
                if card.faulty > kept as f64 { <p class="hint">{ say("The first {} are kept; all are counted.", &[&all]) }</p> }
                <div class="table" tabindex="0" role="region" aria-label={tr("Faulty rows")}><table>
                    <thead><tr><th scope="col">{ tr("Line") }</th><th scope="col">{ tr("Fault") }</th><th scope="col">{ tr("Expected") }</th><th scope="col">{ tr("Found") }</th></tr></thead>
                    <tbody>{ for rows.iter().map(row) }</tbody>
                </table></div>
            </details>
        }
    }
}

/// A peak as a bar, full at the capacity of the machines.
fn bar(peak: &Peak) -> Html {
    let value = peak.share.min(1.0);
    html! {
        <p class={classes!("peak", (peak.share > 1.0).then_some("over"))}><span>{ peak.title }</span>
            <meter min="0" max="1" value={format!("{value:.3}")} aria-label={peak.title}>{ &peak.told }</meter>
            <span>{ &peak.told }</span></p>
    }
}

/// The content shown before a trace is loaded.
fn before(link: &Link, app: &App) -> Html {
    html! {
        <>
            if app.reading.is_some() { <p>{ app.status() }</p> } else { { trace_file(link) } }
            <p class="hint">{ tr("CSV, Parquet or SQLite, packed or not: the Azure traces, or any table with cores, memory and start. The file is read here and never leaves your browser.") }</p>
        </>
    }
}

/// Whether the panel has the control that opens a trace.
pub(crate) fn asks(app: &App) -> bool {
    my_trace::own(app).is_none() && app.reading.is_none()
}

/// The control that opens a trace.
pub(crate) fn trace_file(link: &Link) -> Html {
    let onchange = link.batch_callback(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let file = input.files().and_then(|files| files.get(0));
        input.set_value("");
        file.map(Act::File)
    });
    html! {
        <label class="file">
            <span>{ tr("Trace file") }</span>
            <input type="file" aria-label={tr("Trace file")} accept=".csv,.gz,.zst,.tsv,.txt,.sqlite,.parquet,.columns,.json,.md,.yaml,.yml,.conf,text/csv,application/gzip" {onchange} />
        </label>
    }
}
