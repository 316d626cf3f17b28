//! Cluster files and scheduler configurations, read by a separate worker. It is loaded when the first such file is
//! opened.

use js_sys::{Array, Uint8Array};
use tiebreak_engine::protocol::Imported;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use crate::pieces::{Reader, bytes};
use crate::wire::field;

/// The worker (web/imports.js).
const WORKER: &str = "./imports/worker.js";
const KIND: &str = "import";

/// What a file becomes in this document, and its VMs, if any, in the compact trace format.
pub(crate) async fn read(name: &str, document: &str, file: &JsValue) -> Result<(Imported, Option<Blob>), JsValue> {
    let asked = [("file", file), ("name", &name.into()), ("document", &document.into())];
    let answer = said(Reader::begin(WORKER)?.ask(KIND, 0, &asked).await?)?;
    let imported = postcard::from_bytes(&bytes(&answer, "imported").unwrap_or_default());
    let imported = imported.map_err(|error| JsValue::from(error.to_string()))?;
    let vms = field(&answer, "vms").map(|vms| Blob::new_with_u8_array_sequence(&Array::of1(&vms))).transpose()?;
    Ok((imported, vms))
}

/// The counterparts of each rule of this document in other schedulers, as a file.
pub(crate) async fn twins(document: &str) -> Result<Blob, JsValue> {
    let answer = said(Reader::begin(WORKER)?.ask(KIND, 0, &[("twins", &document.into())]).await?)?;
    let text = field(&answer, "text").and_then(|text| text.as_string()).unwrap_or_default();
    Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(text.as_bytes())))
}

/// The answer, or its error if the file is invalid.
fn said(answer: JsValue) -> Result<JsValue, JsValue> {
    field(&answer, "wrong").map_or(Ok(answer), Err)
}
