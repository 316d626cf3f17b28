//! What Trunk calls after a build (see Trunk.toml).

use std::path::PathBuf;

use crate::{Outcome, page};

pub(crate) const HELP: &str =
    "finish the built page: traces, first picture, addresses, policy, service worker (Trunk calls this)";

pub(crate) fn run(_: &[String]) -> Outcome {
    let staging = std::env::var_os("TRUNK_STAGING_DIR").ok_or("no TRUNK_STAGING_DIR; `cargo xtask build` calls me")?;
    page::finish(&PathBuf::from(staging), &page::HOSTING)
}
