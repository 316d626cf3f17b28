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

/// Gives what is seen first as HTML, by who comes for the first time and by who was here before, and the name of the file with what comes of the first run. Writes the trace too, in the
/// form in which workers ask for it.
pub(super) fn draw(staging: &Path, profile: &Profile) -> Result<([String; 2], String), String> {
    let (folder, traces) = (Path::new(develop::BUILD).join(PROGRAM), staging.join(stamp::TRACES));
    std::fs::create_dir_all(&traces).map_err(|error| format!("cannot make {}: {error}", traces.display()))?;
    progress::told("the first picture", || {
        develop::compile(&[PROGRAM], profile.name)?;
        develop::bind(PROGRAM, "nodejs", profile, &folder)
    })?;
    let (mut node, first) = (process::command("node", &[SCRIPT]), folder.join("first.bin"));
    node.arg(folder.join("picture.js")).arg(TRACE).arg(traces.join(TRACE_NAME)).arg(&first);
    let pictures = serde_json::from_str(&process::output(&mut node)?);
    let pictures = pictures.map_err(|error| format!("{SCRIPT} drew no two pictures: {error}"))?;
    Ok((pictures, named_by_content(staging, &first, "first", ".bin")?))
}
