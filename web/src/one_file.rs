//! The whole page as one HTML file, which opens from a disk: no server, no network, nothing to build.
//!
//! Browsers start no workers from files, nor do they fetch any, so the page's parts stand in the file as base64, and
//! `one_file.js` answers for them: workers begin as blobs, which Chromium and Firefox allow. What reads SQLite and
//! Parquet is left out; it begins workers of its own.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gloo::utils::document;
use serde_json::{Value, json};
use tiebreak_i18n::{ENGLISH, say};

use crate::language::LANGUAGES;
use crate::places;

/// The trace that comes with the page, as the worker asks for it.
const TRACE: &str = "packing-cut.columns";

/// What starts the page there.
const START: &str = include_str!("one_file.js");

/// What the page may do there: its scripts are its own, and there is nobody to ask for anything.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; \
     img-src data: blob:; connect-src blob: data:; worker-src blob:; base-uri 'none'; form-action 'none'";

/// The file, which opens with this link, given without `#`.
///
/// # Errors
/// Which part the server does not give, or what of the page is not as expected.
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

/// The page with its parts in it.
fn put_together(page: &str, style: &str, parts: &Value, start: &Value) -> Option<String> {
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">");
    let page = replaced(page, "<meta http-equiv=\"Content-Security-Policy\"", ">", &policy)?;
    let page = replaced(&page, "<link rel=\"stylesheet\"", ">", &format!("<style>{style}</style>"))?;
    let page = replaced(&page, "<link rel=\"modulepreload\"", ">", "")?;
    let page = replaced(&page, "<link rel=\"preload\"", ">", "")?;
    // What stands in JSON ends no script.
    let [parts, start] = [parts, start].map(|json| json.to_string().replace('<', "\\u003c"));
    let scripts = format!(
        "<script type=\"application/json\" id=\"parts\">{parts}</script>\
         <script type=\"application/json\" id=\"start\">{start}</script><script type=\"module\">{START}</script>"
    );
    replaced(&page, "<script type=\"module\">", "</script>", &scripts)
}

/// The text with another piece in place of the first that begins and ends so.
fn replaced(text: &str, begin: &str, end: &str, by: &str) -> Option<String> {
    let from = text.find(begin)?;
    let until = from + text[from..].find(end)? + end.len();
    Some(format!("{}{}{}", &text[..from], by, &text[until..]))
}

/// A part's address from the page's folder on.
fn bare(name: &str) -> &str {
    name.trim_start_matches("./")
}

/// What index.html links to.
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
