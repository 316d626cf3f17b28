//! The first picture, the results of the first run, and the page's own trace. The engine itself makes them, compiled
//! for the browser and run by Node, so that what the reader sees first is what the live page computes again.

use std::path::Path;

use super::{Profile, develop, named_by_content, stamp};
use crate::{process, progress};

/// The page's trace, and its name in the workers (web/src/wire.rs).
const TRACE: &str = "crates/trace/fixtures/packing-cut.csv.gz";
const TRACE_NAME: &str = "packing-cut.columns";

/// The program that draws, and the program that runs it.
pub(super) const PROGRAM: &str = "picture";
const SCRIPT: &str = "web/picture.mjs";

/// Returns the first picture as HTML, for new and for returning visitors, and the name of the file with the results
/// of the first run. Also writes the trace in the form that workers request.
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
