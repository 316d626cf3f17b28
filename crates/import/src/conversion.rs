//! Detects and parses a file: text, plain or gzip, in JSON, YAML or INI.

use std::io::Read;

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::error::ImportError;
use crate::ini::{self, Setting};
use crate::leftover::shown;
use crate::limits::{BYTES_MAX, WRITTEN_BYTES_MAX};
use crate::{File, yaml};

/// The parsed content of a file.
pub(crate) enum Content {
    /// Nodes and pods, with their paths.
    Objects(Vec<(String, Value)>),
    /// A KubeSchedulerConfiguration.
    Scheduler(Value),
    /// The settings of nova.conf.
    Nova(Vec<Setting>),
}

const WHAT: &str = "`kubectl get nodes,pods -A -o json` (or yaml), a KubeSchedulerConfiguration or nova.conf";
const ADVICE: &str = "see docs/IMPORT.md";

/// Detects and parses a file.
pub(crate) fn content_of(file: &File<'_>) -> Result<Content, ImportError> {
    let bytes = unpacked(file)?;
    let is_binary = |_| ImportError::whole(file.name, WHAT, "bytes that are no UTF-8 text", ADVICE);
    let text = String::from_utf8(bytes).map_err(is_binary)?;
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with(['#', ';']));
    match first {
        None => Err(ImportError::whole(file.name, WHAT, "an empty file", ADVICE)),
        Some(line) if line.starts_with('{') => {
            let wrong = |error| ImportError::whole(file.name, "JSON", error, "correct the file");
            objects_of(file.name, vec![serde_json::from_str(text).map_err(wrong)?])
        }
        Some(_) if text.len() > WRITTEN_BYTES_MAX => {
            let expected = format!("at most {WRITTEN_BYTES_MAX} bytes of YAML or INI");
            Err(ImportError::whole(file.name, expected, text.len(), "dump it as JSON"))
        }
        Some(line) if line.starts_with('[') && line.ends_with(']') => Ok(Content::Nova(ini::read(file.name, text)?)),
        Some(_) => objects_of(file.name, yaml::read(file.name, text)?),
    }
}

/// The bytes of a file, decompressed.
fn unpacked(file: &File<'_>) -> Result<Vec<u8>, ImportError> {
    let mut bytes = Vec::new();
    if file.bytes.starts_with(&[0x1f, 0x8b]) {
        let decoder = GzDecoder::new(file.bytes).take(BYTES_MAX as u64 + 1).read_to_end(&mut bytes);
        decoder.map_err(|error| ImportError::whole(file.name, "a whole gzip file", error, "compress it again"))?;
    } else {
        bytes.extend(&file.bytes[..file.bytes.len().min(BYTES_MAX + 1)]);
    }
    if bytes.len() > BYTES_MAX {
        let expected = format!("at most {} MiB", BYTES_MAX >> 20);
        return Err(ImportError::whole(file.name, expected, "more", "dump nodes and pods of one zone"));
    }
    Ok(bytes)
}

/// Sorts the documents of a file: lists of objects, objects, or one configuration.
fn objects_of(file: &str, documents: Vec<Value>) -> Result<Content, ImportError> {
    let mut objects = Vec::new();
    let several = documents.len() > 1;
    for (at, mut document) in documents.into_iter().enumerate().filter(|(_, document)| !document.is_null()) {
        let base = if several { format!("documents[{at}].") } else { String::new() };
        let kind = document["kind"].as_str().unwrap_or_default().to_owned();
        match kind.as_str() {
            "KubeSchedulerConfiguration" => return Ok(Content::Scheduler(document)),
            "List" | "NodeList" | "PodList" => {
                let Value::Array(items) = document["items"].take() else {
                    let got = shown(&document["items"]);
                    return Err(ImportError::field(file, &format!("{base}items"), "a list", got, ADVICE));
                };
                // The items of a NodeList may omit their kind.
                let of = kind.strip_suffix("List").unwrap_or_default();
                for (index, mut item) in items.into_iter().enumerate() {
                    if let Some(item) = item.as_object_mut().filter(|_| !of.is_empty()) {
                        item.entry("kind").or_insert_with(|| of.into());
                    }
                    objects.push((format!("{base}items[{index}]"), item));
                }
            }
            "" => {
                let got = format!("\"{}\"", shown(&document));
                return Err(ImportError::field(file, &format!("{base}kind"), WHAT, got, ADVICE));
            }
            _ => objects.push((base.trim_end_matches('.').to_owned(), document)),
        }
    }
    Ok(Content::Objects(objects))
}
