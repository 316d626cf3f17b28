//! Gives the worker's files an address of their own per build.
//!
//! Trunk puts a hash into the names of the page's files but not of a worker's. A host's cache could then hand
//! yesterday's worker to today's page, and the two would not understand each other. So the worker's three files
//! move into a folder named by their content. Their links to each other are relative and stay true; the page
//! learns the address from index.html, which is never served stale for long:
//!
//! ```html
//! <meta name="worker" content="./worker_loader.js">
//! ```

use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

/// The page's worker: the name of its program in web/Cargo.toml.
const WORKER: &str = "worker";

/// Moves the worker's files and gives `page` with their new addresses.
pub(crate) fn worker(staging: &Path, page: &str) -> Result<String, String> {
    let files = ["_loader.js", ".js", "_bg.wasm"].map(|end| format!("{WORKER}{end}"));
    if !page.contains(&address(&files[0])) {
        println!("index.html does not name {}: its files keep names that caches may mix up", address(&files[0]));
        return Ok(page.to_owned());
    }
    let folder = format!("{WORKER}-{}", content_hash(staging, &files)?);
    let moved = |error| format!("cannot move the worker's files into {folder}: {error}");
    std::fs::create_dir_all(staging.join(&folder)).map_err(moved)?;
    for file in &files {
        std::fs::rename(staging.join(file), staging.join(&folder).join(file)).map_err(moved)?;
    }
    Ok(files
        .iter()
        .fold(page.to_owned(), |page, file| page.replace(&address(file), &address(&format!("{folder}/{file}")))))
}

/// As an attribute's value, so that no part of a longer name is taken for it.
fn address(file: &str) -> String {
    format!("\"./{file}\"")
}

fn content_hash(staging: &Path, files: &[String]) -> Result<String, String> {
    let mut hasher = DefaultHasher::new();
    for file in files {
        let path = staging.join(file);
        let bytes = std::fs::read(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        hasher.write(&bytes);
    }
    Ok(format!("{:016x}", hasher.finish()))
}
