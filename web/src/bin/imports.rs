//! Kubernetes clusters and scheduler configurations for the page: the code of the worker that reads them. The
//! worker's script is web/imports.js.

use std::cell::RefCell;

use tiebreak_engine::protocol::{Imported, WithoutTwin};
use tiebreak_import::{File, Import, Leftover, twins};
use tiebreak_model::Workload;
use tiebreak_scenario::{Document, Variant};
use tiebreak_trace::compact::{self, Origin};
use wasm_bindgen::prelude::*;

thread_local! {
    static VMS: RefCell<Option<Workload>> = const { RefCell::new(None) };
}

fn main() {
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_str(&panic.to_string());
    }));
}

/// What a file becomes in a document, in the form that the page reads.
///
/// # Errors
/// If the file is invalid, with the message for the user.
#[wasm_bindgen]
pub fn read(name: &str, bytes: &[u8], document: &str) -> Result<Vec<u8>, JsError> {
    let mut document = Document::read(document)?.document;
    let mut import = tiebreak_import::import(&[File { name, bytes }])?;
    active(&mut document).into_iter().for_each(|variant| import.apply(variant));
    VMS.set(import.workload.take());
    Ok(postcard::to_allocvec(&imported(name, &document, import))?)
}

fn imported(name: &str, document: &Document, import: Import) -> Imported {
    let without_twin = |Leftover { path, count, value, why, .. }| WithoutTwin { path, count, value, why };
    Imported {
        file: name.into(),
        document: document.to_json(),
        fingerprint: None,
        told: import.told,
        without_twin: import.leftovers.into_iter().map(without_twin).collect(),
        aside: import.aside,
    }
}

/// The VMs of that file in the compact trace format; `None` if it has none.
#[wasm_bindgen]
#[must_use]
pub fn vms() -> Option<Vec<u8>> {
    let notes = vec!["VMs of an imported cluster.".to_owned()];
    let origin = Origin { title: "Imported VMs".into(), notes, cannot_answer: Vec::new() };
    VMS.take().map(|workload| compact::write(&workload, &origin))
}

/// The counterparts, in other schedulers, of each rule of a document's active variant, as CSV.
///
/// # Errors
/// If the document is invalid.
#[wasm_bindgen]
pub fn twins_of(document: &str) -> Result<String, JsError> {
    let mut document = Document::read(document)?.document;
    Ok(active(&mut document).map(|variant| twins::table(variant)).unwrap_or_default())
}

fn active(document: &mut Document) -> Option<&mut Variant> {
    document.variants.get_mut(document.active)
}
