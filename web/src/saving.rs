//! Files for other programs, written a few rows at a time so that memory use stays constant.

use js_sys::{Array, Uint8Array};
use tiebreak_engine::protocol::{Form, Save};
use tiebreak_model::table::STEP_ROWS;
use tiebreak_trace::csv_of;
use wasm_bindgen::prelude::*;
use web_sys::Blob;

use crate::pieces::Reader;
use crate::with;

/// Creates the file.
pub(crate) async fn file(save: &Save) -> Result<Blob, JsValue> {
    match save.form {
        Form::Csv => csv(save),
        Form::Parquet => parquet(save).await,
        Form::Compact => {
            let bytes = with(|state| state.engine.compact(save)).unwrap_or_else(|| Ok(Vec::new()))?;
            blob(&Array::of1(&Uint8Array::from(&bytes[..])))
        }
    }
}

fn csv(save: &Save) -> Result<Blob, JsValue> {
    let parts = Array::new();
    for step in 0.. {
        let made = with(|state| state.engine.rows(save, step, |columns| csv_of(&columns, step == 0)));
        let Some((rows, text)) = made.transpose()? else { break };
        parts.push(&Uint8Array::from(&text[..]));
        if is_last(step, rows) {
            break;
        }
    }
    blob(&parts)
}

/// Sends each step to the Parquet worker, which returns the file.
async fn parquet(save: &Save) -> Result<Blob, JsValue> {
    let writer = Reader::begin("./parquet/worker.js")?;
    for step in 0.. {
        let made = with(|state| state.engine.rows(save, step, |columns| postcard::to_allocvec(&columns)));
        let Some((rows, columns)) = made.transpose()? else { break };
        let columns = columns.map_err(|error| error.to_string())?;
        writer.ask("Parquet", 0, &[("columns", &Uint8Array::from(&columns[..]))]).await?;
        if is_last(step, rows) {
            break;
        }
    }
    let answer = writer.ask("Parquet", 0, &[("finish", &JsValue::TRUE)]).await?;
    blob(&Array::of1(&crate::wire::field(&answer, "bytes").unwrap_or_default()))
}

fn is_last(step: u32, rows: u32) -> bool {
    (step + 1).saturating_mul(STEP_ROWS) >= rows
}

fn blob(parts: &Array) -> Result<Blob, JsValue> {
    Blob::new_with_u8_array_sequence(parts)
}
