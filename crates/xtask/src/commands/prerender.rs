//! The hook that Trunk calls after a build (see Trunk.toml).

use std::path::PathBuf;

use crate::{Outcome, page};

pub(crate) const HELP: &str =
    "finish the built page: traces, first picture, addresses, policy, service worker, SBOM (Trunk calls this)";

pub(crate) fn run(_: &[String]) -> Outcome {
    let staging = std::env::var_os("TRUNK_STAGING_DIR").ok_or("no TRUNK_STAGING_DIR; `cargo xtask build` calls me")?;
    let staging = PathBuf::from(staging);
    page::finish(&staging, &page::HOSTING)?;
    page::sbom::write(&staging)
}
