//! The whole page as one HTML file that opens from a disk: no server, no network, no build step.
//!
//! Browsers neither start workers from local files nor fetch them, so the file contains the page's parts as base64,
//! and `one_file.js` serves them: workers start from blobs, which Chromium and Firefox allow. The SQLite and Parquet
//! readers are left out because they start their own workers.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gloo::utils::document;
use serde_json::{Value, json};
use tiebreak_i18n::{ENGLISH, say};

use crate::language::LANGUAGES;
use crate::places;

/// The trace included with the page, under the name that the worker asks for.
const TRACE: &str = "packing-cut.columns";

/// The script that starts the page from such a file.
const START: &str = include_str!("one_file.js");

/// The content security policy of such a file: only its own scripts, and no network.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; \
     img-src data: blob:; connect-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'";

/// Creates the file, which opens with this link, given without `#`.
///
/// # Errors
/// Names the part that the server does not deliver, or says what in the page is not as expected.
pub(crate) async fn made(link: &str) -> Result<String, String> {
    let page = String::from_utf8(part(&crate::parts::share::here()).await?).map_err(|error| error.to_string())?;
    let (style, app, wasm) = (linked("stylesheet")?, linked("modulepreload")?, linked("preload")?);
    let worker = places::named("worker").ok_or("index.html does not name the worker")?;
    let folder = worker.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    let [code, engine] = ["worker.js", "worker_bg.wasm"].map(|file| format!("{folder}/{file}"));
    let trace = format!("{}{TRACE}", places::named("traces").unwrap_or_default());
    let mut names = vec![app.clone(), wasm.clone(), code.clone(), engine.clone(), trace.clone()];
    names.extend(places::named("first"));
    let strings = places::named("strings").unwrap_or_default();
    names.extend(LANGUAGES.iter().filter(|(id, _)| *id != ENGLISH).map(|(id, _)| format!("{strings}{id}.json")));
    names.extend(lessons().await?);
    let mut parts = BTreeMap::new();
    for name in names {
        let bytes = part(&name).await?;
        parts.insert(bare(&name).to_owned(), BASE64_STANDARD.encode(bytes));
    }
    let start = json!({
        "app": bare(&app), "page": bare(&wasm), "worker": bare(&code), "engine": bare(&engine), "trace": bare(&trace),
        "link": link,
    });
    let style = String::from_utf8(part(&style).await?).map_err(|error| error.to_string())?;
    put_together(&page, &style, &json!(parts), &start).ok_or_else(|| "index.html is not as expected".into())
}

/// The page with its parts inserted.
fn put_together(page: &str, style: &str, parts: &Value, start: &Value) -> Option<String> {
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
    let page = replaced(page, "<meta http-equiv=\"Content-Security-Policy\"", ">", &policy)?;
    let page = replaced(&page, "<link rel=\"stylesheet\"", ">", &format!("<style>{style}</style>"))?;
    let page = replaced(&page, "<link rel=\"modulepreload\"", ">", "")?;
    let page = replaced(&page, "<link rel=\"preload\"", ">", "")?;
    // JSON must not end a script element.
    let [parts, start] = [parts, start].map(|json| json.to_string().replace('<', "\\u003c"));
    let scripts = format!(
        "<script type=\"application/json\" id=\"parts\">{parts}</script>\
         <script type=\"application/json\" id=\"start\">{start}</script><script type=\"module\">{START}</script>"
    );
    replaced(&page, "<script type=\"module\">", "</script>", &scripts)
}

/// The text with its first piece between these delimiters replaced.
fn replaced(text: &str, begin: &str, end: &str, by: &str) -> Option<String> {
    let from = text.find(begin)?;
    let until = from + text[from..].find(end)? + end.len();
    Some(format!("{}{}{}", &text[..from], by, &text[until..]))
}

/// A part's address relative to the page's folder.
fn bare(name: &str) -> &str {
    name.trim_start_matches("./")
}

/// The address that index.html links to with this `rel`.
fn linked(rel: &str) -> Result<String, String> {
    let link = document().query_selector(&format!("link[rel={rel}]")).ok().flatten();
    link.and_then(|link| link.get_attribute("href")).ok_or_else(|| format!("index.html has no {rel}"))
}

/// The addresses of the lessons and of their list.
async fn lessons() -> Result<Vec<String>, String> {
    let folder = places::named("lessons").unwrap_or_default();
    let list = format!("{folder}index.json");
    let entries: Vec<Value> = serde_json::from_slice(&part(&list).await?).map_err(|error| error.to_string())?;
    let lesson = |entry: &Value| Some(format!("{folder}{}.md", entry["id"].as_str()?));
    Ok(entries.iter().filter_map(lesson).chain([list]).collect())
}

async fn part(address: &str) -> Result<Vec<u8>, String> {
    let is_whole = address.contains("://");
    let address = if is_whole { address.to_owned() } else { format!("{}{}", places::folder(), bare(address)) };
    places::bytes_at(&address).await.ok_or_else(|| say("The server did not give {address}.", &[&address]))
}
