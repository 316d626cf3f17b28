//! What the build asks of the engine: the picture that is seen before any WebAssembly has arrived, what comes of the
//! page's first run, and the trace that comes with the page in its compact form. Its script is web/picture.mjs.

use std::sync::Arc;

use tiebreak_engine::FirstRun;
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Parsed, TraceParser};
use wasm_bindgen::prelude::*;

fn main() {
    console_error_panic_hook::set_once();
}

/// What is seen first as HTML, of the trace in this file: by who comes for the first time, and by who was here before.
///
/// # Errors
/// When the file is no trace, or the page's own scenario cannot run on it.
#[wasm_bindgen]
pub fn picture(name: &str, file: &[u8]) -> Result<Vec<String>, JsError> {
    let trace = Arc::new(parsed(name, file)?.workload);
    let tiebreak_picture::First { welcome, picture } =
        tiebreak_picture::html(&trace).map_err(|error| JsError::new(&error))?;
    Ok(vec![welcome, picture])
}

/// What comes of the page's first run on this trace, as the page reads it.
///
/// # Errors
/// As for [`picture`].
#[wasm_bindgen]
pub fn first(name: &str, file: &[u8]) -> Result<Vec<u8>, JsError> {
    let first = FirstRun::make(parsed(name, file)?).map_err(|error| JsError::new(&error))?;
    Ok(postcard::to_allocvec(&first)?)
}

/// The trace in its compact form.
///
/// # Errors
/// When the file is no trace.
#[wasm_bindgen]
pub fn columns(name: &str, file: &[u8]) -> Result<Vec<u8>, JsError> {
    let Parsed { workload, report } = parsed(name, file)?;
    Ok(compact::write(&workload, &Origin::of(&report)))
}

fn parsed(name: &str, file: &[u8]) -> Result<Parsed, JsError> {
    let mut parser = TraceParser::new(name);
    parser.push(file)?;
    Ok(parser.finish()?)
}
