//! Importing clusters of Kubernetes and scheduler configurations: which files these are, and the new document.

use tiebreak_engine::Command;
use tiebreak_engine::protocol::Imported;
use tiebreak_scenario::Document;

use super::{App, Edit, Effect};

/// File extensions of configurations, and of clusters as YAML.
const ENDINGS: [&str; 3] = [".yaml", ".yml", ".conf"];

/// Whether a file of this name is one to import. Uncompressed JSON may also be a scenario: see [`is_cluster`].
#[must_use]
pub fn is_named_like_import(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let unpacked = name.strip_suffix(".gz").unwrap_or(&name);
    ENDINGS.iter().any(|ending| unpacked.ends_with(ending)) || name.ends_with(".json.gz")
}

/// Whether JSON was written by Kubernetes: each of its objects has a version field that no scenario has.
#[must_use]
pub fn is_cluster(text: &str) -> bool {
    text.contains("\"apiVersion\"")
}

impl App {
    /// The command that imports a file; the file is sent with it.
    #[must_use]
    pub fn import(&self, name: &str) -> Command {
        Command::Import { name: name.to_owned(), document: self.document.to_json() }
    }

    /// Applies an imported file to the document, as one step to undo, and shows fields without a counterpart.
    pub(crate) fn imported(&mut self, imported: Box<Imported>) -> Vec<Effect> {
        self.forget_failure(&imported.file);
        let Ok(read) = Document::read(&imported.document) else { return Vec::new() };
        let variant = Box::new(read.document.active_variant().clone());
        let edit = Edit::Import { variant, fingerprint: imported.fingerprint.clone() };
        self.imported = Some(imported);
        self.edit(&edit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Message;
    use tiebreak_engine::Reply;
    use tiebreak_scenario::PRESETS;

    #[test]
    fn an_import_is_one_step_to_undo() {
        let (mut app, _) = App::open((PRESETS[0].make)());
        let before = app.document.clone();
        let mut document = before.clone();
        document.variants[0].clusters[0].settings.machines = 100;
        let imported = Imported { file: "nova.conf".into(), document: document.to_json(), ..Imported::default() };
        let effects = app.update(Message::Engine(Box::new(Reply::Imported(Box::new(imported)))));
        assert!(effects.iter().any(|effect| matches!(effect, Effect::Send { command: Command::Run { .. }, .. })));
        assert_eq!(app.document, document);
        app.update(Message::Undo);
        assert_eq!(app.document, before);
        assert!(app.imported.is_some(), "what was told stays until it is closed");
        app.update(Message::ForgetImport);
        assert_eq!(app.imported, None);
        let (name, why) = ("a.yaml".to_owned(), "a.yaml: expected YAML".to_owned());
        app.update(Message::Engine(Box::new(Reply::NotImported { name, why: why.clone() })));
        assert!(app.notices.iter().any(|notice| notice.bad && notice.lines == [why.clone()]));
    }

    #[test]
    fn files_to_import_are_known() {
        for name in ["a.yaml", "SCHEDULER.YML", "nova.conf", "dump.yaml.gz", "cluster.json.gz"] {
            assert!(is_named_like_import(name), "{name}");
        }
        for name in ["trace.csv", "trace.csv.gz", "scenario.json", "lesson.md", "packing.sqlite", "yaml"] {
            assert!(!is_named_like_import(name), "{name}");
        }
        assert!(is_cluster(r#"{ "apiVersion": "v1", "items": [], "kind": "List" }"#));
        assert!(!is_cluster(&App::default().document.to_json()));
    }
}
