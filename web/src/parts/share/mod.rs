//! Sharing: a link that contains the whole scenario, as text, as a QR code and embedded in another page; files of the
//! scenario and the charts; a printed report.

pub(super) mod code;
mod frame;

use tiebreak_app::{App, Message, Notice};
use tiebreak_chart::{Caption, Theme, csv, svg_file};
use tiebreak_engine::protocol::Form;
use tiebreak_i18n::{in_english, mark, say, tr};
use tiebreak_sim::METRICS;
use tiebreak_view::embed::{Piece, vm_of_film};
use tiebreak_view::{charts, origin};
use wasm_bindgen::prelude::*;
use web_sys::{HtmlDialogElement, HtmlInputElement};
use yew::prelude::*;

use super::charts::chart;
use super::panel::{Act, Link, Own, Panel, Scene, Sent};
use super::report::ReportMessage;
use super::save;
use crate::one_file;
use code::Codes;

/// The number of characters above which a file is better than a link.
const LONG: usize = 8_000;

/// Size of a saved chart in CSS pixels.
const SAVED: (u32, u32) = (760, 260);

/// What can be saved as a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum File {
    /// The scenario.
    Scenario,
    /// Every series of every run on screen.
    AllSeries,
    /// A chart's points, by index in the list of metrics.
    Csv(usize),
    /// A chart as a drawing.
    Svg(usize),
    /// A chart as an image.
    Png(usize),
    /// The whole page, which opens with the scenario.
    Page,
}

/// What can be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copied {
    /// The link.
    Link,
    /// The HTML that embeds a piece in another page.
    Frame,
    /// The user's prediction in a lesson.
    Answer,
    /// The link that contains a lesson.
    Lesson,
}

/// Messages of the dialog and of the controls around it.
pub(crate) enum ShareMessage {
    /// The dialog was opened, or closed.
    Open(bool),
    /// The code was enlarged to fill the window, or reduced again.
    Large(bool),
    /// Choose the piece to embed in another page.
    Frame(Piece),
    /// Copy this to the clipboard.
    Copy(Copied, String),
    /// The text was copied.
    Copied(Copied),
    /// Save this.
    Save(File),
}

impl Own for ShareMessage {}

/// The dialog's own state.
#[derive(Default)]
pub(crate) struct Share {
    dialog: NodeRef,
    large: NodeRef,
    is_open: bool,
    is_large: bool,
    copied: Option<Copied>,
    /// The piece to embed in another page, if the user chose one.
    frame: Option<Piece>,
    code: Codes,
}

/// The address of this page without a query or fragment.
pub(crate) fn here() -> String {
    let here = gloo::utils::document().url().unwrap_or_default();
    here.split(['#', '?']).next().unwrap_or_default().to_owned()
}

/// The address of this page with the scenario in it.
pub(crate) fn address(app: &App) -> String {
    format!("{}#{}", here(), app.link())
}

impl Panel for Share {
    type Message = ShareMessage;

    const ID: &'static str = "share";
    const TITLE: &'static str = mark("Share");

    fn update(&mut self, message: ShareMessage, link: &Link, app: &App) -> Vec<Sent> {
        match message {
            ShareMessage::Open(open) => (self.is_open, self.is_large, self.copied) = (open, false, None),
            ShareMessage::Large(large) => self.is_large = large,
            ShareMessage::Frame(piece) => (self.frame, self.copied) = (Some(piece), None),
            ShareMessage::Copy(what, text) => copy(link, what, &text),
            ShareMessage::Copied(what) => self.copied = Some(what),
            ShareMessage::Save(file) => save_file(file, link, app),
        }
        Vec::new()
    }

    /// The dialog, and the code that fills the window. They are always in the page; `rendered` shows them.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let close = link.callback(|_: Event| ShareMessage::Open(false));
        html! {
            <>
                <dialog class="share-dialog" ref={&self.dialog} aria-label={tr(Self::TITLE)} onclose={close}>
                    if self.is_open { { self.dialog(link, app) } }
                </dialog>
                { code::large(link, &self.large, self.is_large.then(|| self.code.of(&address(app))).flatten().as_deref()) }
            </>
        }
    }

    /// Opens or closes the dialogs according to the state.
    fn rendered(&self, _: &Scene<'_>) {
        // The top one first: when closed, it returns the focus to the one below.
        show(&self.large, self.is_large);
        show(&self.dialog, self.is_open);
    }
}

impl Share {
    fn dialog(&self, link: &Link, app: &App) -> Html {
        let address = address(app);
        let tell = |message: fn() -> ShareMessage| link.callback(move |_: MouseEvent| message());
        let long = if address.len() > LONG { tr(" That is long for a link; a file is safer.") } else { "" };
        let size = say(
            "{} characters. It holds the scenario and the result's digest, not the trace.{long}",
            &[&address.len(), &long],
        );
        let code = self.code.of(&address);
        let report =
            link.batch_callback(|_: MouseEvent| [Sent::from(ShareMessage::Open(false)), ReportMessage::Open.into()]);
        html! {
            <>
                <h2>{ tr("Share this scenario") }</h2>
                <p>{ tr("The link opens the same machines, rules, agents and seed, and the page checks that the result is the same. If the scenario runs on your own file, the other person needs that file too.") }</p>
                { field(tr("Link"), address.clone()) }
                <p class="hint">{ size }</p>
                { for origin::changed(app).map(|changed| html! { <p class="changed">{ changed }</p> }) }
                <div class="group">
                    { copy_button(link, tr("Copy link"), Copied::Link, address.clone(), self.copied) }
                    <button onclick={tell(|| ShareMessage::Save(File::Scenario))}>{ tr("Save as file") }</button>
                    { open_file(link) }
                    // A report contains the answer that a lesson still asks for.
                    if !app.hides_result() { <button onclick={report}>{ tr("Print report") }</button> }
                    <button onclick={tell(|| ShareMessage::Open(false))}>{ tr("Close") }</button>
                </div>
                { tables(link, app) }
                { whole_page(link) }
                { code::small(link, code.as_deref(), address.len()) }
                { frame::view(link, app, &address, self.piece(app), self.copied) }
            </>
        }
    }

    /// The piece to embed in another page; not the film if no VM is explained.
    fn piece(&self, app: &App) -> Piece {
        self.frame.filter(|piece| *piece != Piece::Film || vm_of_film(app).is_some()).unwrap_or(Piece::Chart(0))
    }

    /// What was last copied.
    pub(crate) const fn copied(&self) -> Option<Copied> {
        self.copied
    }
}

/// Opens or closes a dialog.
pub(crate) fn show(dialog: &NodeRef, open: bool) {
    let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
    if open && !dialog.open() {
        // Fails only while the page is being closed.
        let _ = dialog.show_modal();
    } else if !open && dialog.open() {
        dialog.close();
    }
}

/// A line of text to copy.
fn field(name: &'static str, text: String) -> Html {
    let select = Callback::from(|event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().select());
    html! {
        <label class="link-field">{ name }<input type="text" readonly=true aria-label={name} value={text} onfocus={select} /></label>
    }
}

pub(crate) fn copy_button(
    link: &Link,
    label: &'static str,
    what: Copied,
    text: String,
    copied: Option<Copied>,
) -> Html {
    let onclick = link.callback(move |_: MouseEvent| ShareMessage::Copy(what, text.clone()));
    let class = (what == Copied::Link).then_some("primary");
    html! { <button {class} {onclick}>{ if copied == Some(what) { tr("Copied") } else { label } }</button> }
}

/// The control that opens a saved scenario.
fn open_file(link: &Link) -> Html {
    let onchange = link.batch_callback(|event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let file = input.files().and_then(|files| files.get(0));
        input.set_value("");
        file.map_or_else(Vec::new, |file| vec![ShareMessage::Open(false).into(), Sent::from(Act::File(file))])
    });
    html! {
        <label class="file"><span>{ tr("Open a file") }</span>
            <input type="file" aria-label={tr("Scenario file")} accept=".json,application/json" {onchange} /></label>
    }
}

/// The button that saves the page itself. A page opened from such a file has no server to request its parts from.
fn whole_page(link: &Link) -> Html {
    if here().starts_with("file:") {
        return Html::default();
    }
    let save = link.callback(|_: MouseEvent| ShareMessage::Save(File::Page));
    html! {
        <p class="group"><button onclick={save}>{ tr("Save the page as one file") }</button>
            <span class="muted">{ tr("It opens with this scenario from a disk, without server or network; it reads no SQLite or Parquet.") }</span></p>
    }
}

/// The buttons that save the workload for other programs, and the outcome of its VMs unless a lesson asks for it.
fn tables(link: &Link, app: &App) -> Html {
    let offer = |&(label, is_of_run, form): &(&'static str, bool, Form)| {
        let onclick = link.callback(move |_: MouseEvent| Message::Save { is_of_run, form });
        html! { <button class="quiet" {onclick}>{ tr(label) }</button> }
    };
    let offers = TABLES.iter().filter(|(_, is_of_run, _)| !(*is_of_run && app.hides_result())).map(offer);
    html! { <p class="group">{ tr("For other programs:") }{ for offers }</p> }
}

/// Each with its label, whether it contains the outcome of VMs, and its format.
const TABLES: [(&str, bool, Form); 5] = [
    (mark("Workload as CSV"), false, Form::Csv),
    (mark("Workload as Parquet"), false, Form::Parquet),
    (mark("Workload, compact"), false, Form::Compact),
    (mark("VMs of the run as CSV"), true, Form::Csv),
    (mark("VMs of the run as Parquet"), true, Form::Parquet),
];

/// A button that saves a file.
pub(crate) fn save_button(link: &Link, label: &'static str, name: String, file: File) -> Html {
    let onclick = link.callback(move |_: MouseEvent| ShareMessage::Save(file));
    html! { <button class="quiet" aria-label={name} {onclick}>{ label }</button> }
}

fn save_file(file: File, link: &Link, app: &App) {
    let name = |metric: usize, ending: &str| {
        let title = METRICS[metric].declaration.title.to_ascii_lowercase().replace(',', "").replace(' ', "-");
        format!("tiebreak-{title}.{ending}")
    };
    // Files are in English in every language, because other programs and other people read them.
    let drawing = |metric: usize| {
        let (text, address) = (charts::caption(app), address(app));
        let caption = Caption { text: &text, link: &address };
        in_english(|| svg_file(&chart(app, metric), SAVED.0, SAVED.1, Theme::Light, caption))
    };
    let saved = match file {
        File::Scenario => save::text("tiebreak-scenario.json", "application/json", &app.document.to_json()),
        File::AllSeries => {
            save::text("tiebreak-all-series.csv", "text/csv", &in_english(|| charts::all_series(&charts::lines(app))))
        }
        File::Csv(metric) => save::text(&name(metric, "csv"), "text/csv", &in_english(|| csv(&chart(app, metric)))),
        File::Svg(metric) => save::text(&name(metric, "svg"), "image/svg+xml", &drawing(metric)),
        File::Page => {
            let (fragment, link) = (app.link(), link.clone());
            return wasm_bindgen_futures::spawn_local(async move {
                let made = one_file::made(&fragment).await.map_err(|error| JsValue::from(&error));
                if let Err(error) = made.and_then(|page| save::text("tiebreak.html", "text/html", &page)) {
                    tell(&link, tr("The file could not be saved"), &error);
                }
            });
        }
        File::Png(metric) => {
            let (name, svg, link) = (name(metric, "png"), drawing(metric), link.clone());
            return wasm_bindgen_futures::spawn_local(async move {
                if let Err(error) = save::picture(&name, &svg).await {
                    tell(&link, tr("The picture could not be saved"), &error);
                }
            });
        }
    };
    if let Err(error) = saved {
        tell(link, tr("The file could not be saved"), &error);
    }
}

pub(crate) fn tell(link: &Link, title: &str, error: &JsValue) {
    let line = say("The browser said: {error}.", &[&format!("{error:?}")]);
    link.send(Message::Notice(Notice::bad(title, vec![line])));
}

fn copy(link: &Link, what: Copied, text: &str) {
    let refused = || {
        let line = tr("The browser does not let this page write to the clipboard; select the text and copy it.");
        Message::Notice(Notice::bad(tr("Copy failed"), vec![line.into()]))
    };
    let clipboard = gloo::utils::window().navigator().clipboard();
    // A page loaded over http from another host has none.
    if clipboard.is_undefined() {
        return link.send(refused());
    }
    let (promise, link) = (clipboard.write_text(text), link.clone());
    wasm_bindgen_futures::spawn_local(async move {
        match wasm_bindgen_futures::JsFuture::from(promise).await {
            Ok(_) => link.send(ShareMessage::Copied(what)),
            Err(_) => link.send(refused()),
        }
    });
}
