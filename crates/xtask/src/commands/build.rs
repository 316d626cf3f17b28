//! Builds the page into `dist/`, which works from any folder of any static host.

use crate::page::{develop, freshness};
use crate::{Outcome, process, progress, project, tools};

pub(crate) const HELP: &str = "build the page for hosting into dist/: small and fast";

pub(crate) fn run(_: &[String]) -> Outcome {
    if freshness::is_current() {
        println!("{}/ is what a build would make: nothing has changed since the last one", project::DIST);
        return Ok(());
    }
    super::setup::for_hosting()?;
    let what = "building the page for hosting";
    progress::announce(what, "five minutes or so; the optimizers see the whole program");
    develop::hosted_programs()?;
    progress::told(what, || process::run(&mut tools::trunk(&["build", "--release", "--offline"])?))?;
    freshness::remember()
}
