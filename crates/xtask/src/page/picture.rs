//! The first picture, what comes of the first run, and the page's own trace: all by the engine itself, compiled for the browser and run by Node:
//! what the reader sees first is what the page computes again when it is live.

use std::path::Path;

use super::{Profile, develop, named_by_content, stamp};
use crate::{process, progress};

/// The trace that comes with the page, and what the workers call it (web/src/wire.rs).
const TRACE: &str = "crates/trace/fixtures/packing-cut.csv.gz";
const TRACE_NAME: &str = "packing-cut.columns";

/// What draws, and what runs it.
pub(super) const PROGRAM: &str = "picture";
const SCRIPT: &str = "web/picture.mjs";

/// Gives the picture as HTML and the name of the file with what comes of the first run. Writes the trace too, in the
/// form in which workers ask for it.
pub(super) fn draw(staging: &Path, profile: &Profile) -> Result<(String, String), String> {
    let (folder, traces) = (Path::new(develop::BUILD).join(PROGRAM), staging.join(stamp::TRACES));
    std::fs::create_dir_all(&traces).map_err(|error| format!("cannot make {}: {error}", traces.display()))?;
    progress::told("the first picture", || {
        develop::compile(&[PROGRAM], profile.name)?;
        develop::bind(PROGRAM, "nodejs", profile, &folder)
    })?;
    let (mut node, first) = (process::command("node", &[SCRIPT]), folder.join("first.bin"));
    node.arg(folder.join("picture.js")).arg(TRACE).arg(traces.join(TRACE_NAME)).arg(&first);
    let picture = process::output(&mut node)?;
    match picture.trim() {
        "" => Err(format!("{SCRIPT} drew nothing")),
        picture => Ok((picture.to_owned(), named_by_content(staging, &first, "first", ".bin")?)),
    }
}
