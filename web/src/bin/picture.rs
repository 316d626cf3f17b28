//! What the build generates with the engine: the picture shown before any WebAssembly has loaded, the result of the
//! page's first run, and the built-in trace in the compact format. Its script is web/picture.mjs.

use std::sync::Arc;

use tiebreak_engine::FirstRun;
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Parsed, TraceParser};
use wasm_bindgen::prelude::*;

fn main() {
    console_error_panic_hook::set_once();
}

/// The first picture as HTML, from the trace in this file: for new visitors, and for returning ones.
///
/// # Errors
/// If the file is not a trace, or the page's own scenario cannot run on it.
#[wasm_bindgen]
pub fn picture(name: &str, file: &[u8]) -> Result<Vec<String>, JsError> {
    let trace = Arc::new(parsed(name, file)?.workload);
    let tiebreak_picture::First { welcome, picture } =
        tiebreak_picture::html(&trace).map_err(|error| JsError::new(&error))?;
    Ok(vec![welcome, picture])
}

/// The result of the page's first run on this trace, in the form that the page reads.
///
/// # Errors
/// As for [`picture`].
#[wasm_bindgen]
pub fn first(name: &str, file: &[u8]) -> Result<Vec<u8>, JsError> {
    let first = FirstRun::make(parsed(name, file)?).map_err(|error| JsError::new(&error))?;
    Ok(postcard::to_allocvec(&first)?)
}

/// The trace in the compact format.
///
/// # Errors
/// If the file is not a trace.
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
