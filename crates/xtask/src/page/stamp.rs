//! Gives the workers' files and the traces addresses that change with their content.
//!
//! Trunk adds a hash to the names of the page's files, but not to those of a worker. A cache could then serve an old
//! worker to a new page, and the two would be incompatible. So the worker's files move into a folder named by their
//! content, and so do traces, lessons and strings. Their relative links to each other stay valid. The page learns the
//! addresses from index.html, which is never stale for long:
//!
//! ```html
//! <meta name="worker" content="./worker_loader.js">
//! <meta name="traces" content="./traces/">
//! ```

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

use super::fill;
use super::service_worker::files_below;

/// The loader of the engine's worker.
pub(super) const LOADER: &str = "worker_loader.js";

/// The engine's worker, and the files that it loads.
const WORKER: [&str; 12] = [
    LOADER,
    "worker.js",
    "worker_bg.wasm",
    "sqlite/worker.js",
    "sqlite/sqlite3.js",
    "sqlite/sqlite3.wasm",
    "parquet/worker.js",
    "parquet/parquet.js",
    "parquet/parquet_bg.wasm",
    "imports/worker.js",
    "imports/imports.js",
    "imports/imports_bg.wasm",
];

/// Folders of rarely needed files, which are loaded on demand.
pub(super) const APART: [&str; 3] = ["sqlite", "parquet", "imports"];

/// Folders of files that the page or a worker requests by name.
pub(crate) const TRACES: &str = "traces";
pub(crate) const LESSONS: &str = "lessons";
pub(crate) const STRINGS: &str = "strings";

/// Moves traces, lessons and strings, and returns `page` with their new addresses.
pub(super) fn data(staging: &Path, page: &str) -> Result<String, String> {
    [TRACES, LESSONS, STRINGS].iter().try_fold(page.to_owned(), |page, name| {
        let files = files_below(&staging.join(name))?;
        let folder = format!("{name}-{}", content_hash(&staging.join(name), &files)?);
        std::fs::rename(staging.join(name), staging.join(&folder))
            .map_err(|error| format!("cannot move {name} into {folder}: {error}"))?;
        fill(&page, &address(&format!("{name}/")), &address(&format!("{folder}/")))
    })
}

/// Moves the worker's files and returns `page` with the new address.
pub(super) fn worker(staging: &Path, page: &str) -> Result<String, String> {
    let folder = format!("worker-{}", content_hash(staging, &WORKER)?);
    let moved = |error| format!("cannot move the worker's files into {folder}: {error}");
    for file in WORKER {
        let to = staging.join(&folder).join(file);
        std::fs::create_dir_all(to.parent().unwrap_or(&to)).map_err(moved)?;
        std::fs::rename(staging.join(file), to).map_err(moved)?;
    }
    fill(page, &address(WORKER[0]), &address(&format!("{folder}/{}", WORKER[0])))
}

/// The address as an attribute value, so that it does not match part of a longer name.
fn address(file: &str) -> String {
    format!("\"./{file}\"")
}

fn content_hash(staging: &Path, files: &[impl AsRef<str>]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    for file in files.iter().map(AsRef::as_ref) {
        let path = staging.join(file);
        let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        hasher.write(file.as_bytes());
        hasher.write(&bytes);
    }
    Ok(format!("{:016x}", hasher.finish()))
}
