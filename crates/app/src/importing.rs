//! Clusters of Kubernetes and configurations of schedulers, opened on the page: which files these are, and what becomes
//! of the document.

use tiebreak_engine::Command;
use tiebreak_engine::protocol::Imported;
use tiebreak_scenario::Document;

use super::{App, Edit, Effect};

/// Endings of files that hold a configuration, or a cluster as YAML.
const ENDINGS: [&str; 3] = [".yaml", ".yml", ".conf"];

/// Whether a file of this name is one to import. JSON that is not packed may be a scenario, too: see [`is_cluster`].
#[must_use]
pub fn is_named_like_import(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let unpacked = name.strip_suffix(".gz").unwrap_or(&name);
    ENDINGS.iter().any(|ending| unpacked.ends_with(ending)) || name.ends_with(".json.gz")
}

/// Whether JSON is what Kubernetes writes: each of its objects names the version of its form, and no scenario does.
#[must_use]
pub fn is_cluster(text: &str) -> bool {
    text.contains("\"apiVersion\"")
}

impl App {
    /// What an engine is asked about a file to import; the file goes with it.
    #[must_use]
    pub fn import(&self, name: &str) -> Command {
        Command::Import { name: name.to_owned(), document: self.document.to_json() }
    }

    /// An imported file changes the document, as one step to undo; what has no twin is shown.
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
