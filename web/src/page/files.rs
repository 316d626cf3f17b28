//! Files that the user opens: traces go to the engine, text files to the panel that can read them.

use tiebreak_app::{Message, Notice, Phase, importing};
use tiebreak_engine::protocol::Command;
use tiebreak_i18n::{say, tell, tr};
use tiebreak_model::Declared;
use tiebreak_scenario::{Document, TraceSettings};
use tiebreak_trace::Limits;
use web_sys::File;

use super::{Page, PageMessage};
use crate::parts::panel::{News, Sent, View};

/// The trace being read, or the last one read.
#[derive(Default)]
pub(super) struct Reading {
    /// When reading began, in milliseconds of the browser's clock.
    since_ms: f64,
    /// Which part of the next trace to keep.
    pub(super) sample: TraceSettings,
    /// The file, and what the user said about its table.
    file: Option<(File, Said)>,
}

/// What the user said about a table.
#[derive(Clone, Default)]
struct Said {
    /// The type of each column; empty if not specified.
    columns: Vec<String>,
    /// Whether decimals have a comma.
    decimal_commas: Option<bool>,
}

impl Reading {
    /// The seconds since reading began.
    pub(super) fn seconds(&self) -> f64 {
        (js_sys::Date::now() - self.since_ms) / 1_000.0
    }
}

impl Page {
    /// Reads a file that was chosen or dropped.
    pub(super) fn take_file(&mut self, file: &File) {
        let name = file.name();
        if importing::is_named_like_import(&name) {
            return self.import(file);
        }
        if name.ends_with(".json") || name.ends_with(".md") {
            return self.read_text(file);
        }
        self.read(file, Said::default());
    }

    /// Reads the current file with the chosen columns.
    pub(super) fn read_with_columns(&mut self) {
        let file = self.workers.reading.as_ref().map(|(file, _)| file.clone());
        let said = self
            .app
            .unknown
            .as_ref()
            .map(|unknown| Said { columns: unknown.columns.clone(), decimal_commas: Some(unknown.has_decimal_commas) });
        if let (Some(file), Some(said)) = (file, said) {
            self.read(&file, said);
        }
    }

    /// Reads the last file again. If the page was reloaded since then, the user must choose the file again.
    pub(super) fn leave_out_outliers(&mut self) {
        self.reading.sample.without_outliers = true;
        match self.reading.file.clone() {
            Some((file, said)) => self.read(&file, said),
            None => self
                .tell(Message::Notice(Notice::good(tr("Choose the file again to read it without them."), Vec::new()))),
        }
    }

    /// Gives a trace to the engine, with what the user said about its columns.
    fn read(&mut self, file: &File, said: Said) {
        let (name, bytes) = (file.name(), file.size());
        self.reading.file = Some((file.clone(), said.clone()));
        let settings = match self.app.front.phase {
            Phase::NeedsTrace { sample, .. } => sample,
            _ => self.reading.sample,
        };
        if let Err(why) = Limits::default().check_file(bytes as u64, &settings.sample()) {
            let notice = Notice::bad(say("{name} is too large", &[&name]), vec![tell(&why.phrase())]);
            return self.tell(Message::Notice(notice));
        }
        self.show(View::Trace);
        self.reading.since_ms = js_sys::Date::now();
        self.tell(Message::TraceChosen { name: name.clone(), bytes });
        let sample = settings.to_values();
        let Said { columns, decimal_commas } = said;
        let begin = Command::TraceBegin { name, bytes, sample, is_sampled: false, columns, decimal_commas };
        self.workers.send(self.app.front.id, &begin, Some(file));
        // That setting was for this file only.
        self.reading.sample.without_outliers = false;
    }

    /// Gives a cluster or a scheduler's configuration to the engine. It changes the scenario, so the page shows that.
    fn import(&mut self, file: &File) {
        self.show(View::Experiment);
        let command = self.app.import(&file.name());
        self.workers.send(self.app.front.id, &command, Some(file));
    }

    fn read_text(&self, file: &File) {
        let (file, promise, scope) = (file.clone(), file.text(), self.scope.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let text = wasm_bindgen_futures::JsFuture::from(promise).await;
            let text = text.ok().and_then(|text| text.as_string()).unwrap_or_default();
            scope.send_message(PageMessage::Text(file, text));
        });
    }

    /// Opens a file that a panel recognizes, otherwise a cluster or a scenario; undo restores what it replaces.
    pub(super) fn open_text(&mut self, file: &File, text: &str) -> Vec<Sent> {
        let name = &*file.name();
        let sent = self.panels.hear(&News::File { name, text }, &self.link, &self.app);
        if !sent.is_empty() {
            return sent;
        }
        if importing::is_cluster(text) {
            self.import(file);
            return Vec::new();
        }
        let read = match Document::read(text) {
            Ok(read) => read,
            Err(error) => {
                let notice = Notice::bad(say("{name} is not a valid scenario", &[&name]), vec![error.to_string()]);
                return vec![Message::Notice(notice).into()];
            }
        };
        let lines: Vec<String> = read.issues.iter().map(ToString::to_string).collect();
        let partly = (!lines.is_empty())
            .then(|| Message::Notice(Notice::bad(say("Part of {name} could not be read", &[&name]), lines)).into());
        partly.into_iter().chain([Message::Open(read.document).into()]).collect()
    }
}
