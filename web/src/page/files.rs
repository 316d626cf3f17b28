//! Files that are given to the page: traces go to the engine, texts to whoever knows them.

use tiebreak_app::{Message, Notice, Phase, importing};
use tiebreak_engine::protocol::Command;
use tiebreak_i18n::{say, tell, tr};
use tiebreak_model::Declared;
use tiebreak_scenario::{Document, TraceSettings};
use tiebreak_trace::Limits;
use web_sys::File;

use super::{Page, PageMessage};
use crate::parts::panel::{News, Sent, View};

/// The trace that is being read, or was read last.
#[derive(Default)]
pub(super) struct Reading {
    /// When that was begun, in the browser's own milliseconds.
    since_ms: f64,
    /// What is to be kept of the next trace.
    pub(super) sample: TraceSettings,
    /// The file, and how its table was said to be read.
    file: Option<(File, Said)>,
}

/// What somebody said of a table.
#[derive(Clone, Default)]
struct Said {
    /// What each column is; empty where nobody said it.
    columns: Vec<String>,
    /// Whether a comma stands before decimals.
    decimal_commas: Option<bool>,
}

impl Reading {
    /// For how many seconds it has been read.
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

    /// Reads the file on hand with the columns that were chosen.
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

    /// Reads the file again that was read last; where the page was loaded since, it has to be chosen once more.
    pub(super) fn leave_out_outliers(&mut self) {
        self.reading.sample.without_outliers = true;
        match self.reading.file.clone() {
            Some((file, said)) => self.read(&file, said),
            None => self
                .tell(Message::Notice(Notice::good(tr("Choose the file again to read it without them."), Vec::new()))),
        }
    }

    /// Gives a trace to the engine, with what somebody said of its columns.
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
        // That was about this file.
        self.reading.sample.without_outliers = false;
    }

    /// Gives a cluster or a scheduler's configuration to the engine. It changes the scenario on screen, so that is shown.
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

    /// Opens what a panel knows, else a cluster or a scenario; what it replaces can be had back with undo.
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
