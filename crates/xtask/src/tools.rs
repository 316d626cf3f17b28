//! The tools that build and test the page: pinned versions, and the folder where they are kept.
//!
//! They stand outside the checkout in folders that name their version, so that every checkout of a user
//! shares them and a new version never meets an old one.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::{process, project};

/// A program from crates.io, installed once per version.
pub(crate) struct CargoTool {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// The programs it brings.
    pub(crate) programs: &'static [&'static str],
    /// How it is installed: whether by the lock file that it was published with, and without what we do not use.
    pub(crate) how: &'static [&'static str],
}

/// 0.22 wants a newer rustc than ours. Trunk only builds here, so it needs nothing that speaks TLS.
pub(crate) const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    version: "0.21.14",
    programs: &["trunk"],
    how: &["--locked", "--no-default-features"],
};

/// Has to be the very version of the `wasm-bindgen` crate in Cargo.lock.
pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    version: "0.2.130",
    programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
    how: &[],
};

/// Crates with a test program that meets the browser, run by wasm-bindgen-test-runner.
pub(crate) const WASM_TESTED: &[(&str, &str)] = &[("tiebreak-engine", "browser")];

/// What is compiled for this computer. Always the same crates, because a crate of its own has other features and is
/// compiled once more; without the page, which is nothing without a browser.
pub(crate) const NATIVE: &[&str] = &["--workspace", "--exclude", "tiebreak-web"];

/// The browser's target.
pub(crate) const BROWSER_TARGET: &str = "wasm32-unknown-unknown";

/// The bare target that proves the core is `no_std`.
pub(crate) const BARE_TARGET: &str = "wasm32v1-none";

/// A browser program and the Debian package that brings it. The driver wants the Chromium with windows; tests of the
/// page take the one without.
pub(crate) const BROWSERS: &[(&str, &str)] = &[
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("chromium-headless-shell", "chromium-headless-shell"),
    ("firefox-esr", "firefox-esr"),
];

/// Packages for Python, all of one version, in an environment of their own.
pub(crate) struct PythonTool {
    pub(crate) packages: &'static [&'static str],
    pub(crate) version: &'static str,
}

/// What `tests/sweep` runs shards through.
pub(crate) const DASK: PythonTool = PythonTool { packages: &["dask", "distributed"], version: "2025.12.0" };

/// WebAssembly outside of a browser.
pub(crate) const WASMTIME: PythonTool = PythonTool { packages: &["wasmtime"], version: "50.0.1" };

impl PythonTool {
    pub(crate) fn folder(&self) -> Result<PathBuf, String> {
        Ok(cache()?.join(format!("{}-{}", self.packages[0], self.version)))
    }
}

impl CargoTool {
    pub(crate) fn folder(&self) -> Result<PathBuf, String> {
        Ok(cache()?.join(format!("{}-{}", self.package, self.version)))
    }

    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, String> {
        Ok(self.folder()?.join("bin").join(name))
    }

    /// Whether every program is there and answers with the pinned version.
    pub(crate) fn is_ready(&self) -> Result<bool, String> {
        for name in self.programs {
            let said = process::output(&mut process::command(self.program(name)?, &["--version"]));
            if !said.is_ok_and(|said| said.split_whitespace().any(|word| word == self.version)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(crate) fn cache() -> Result<PathBuf, String> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("TIEBREAK_CACHE")
        .or_else(|| Some(set("XDG_CACHE_HOME")?.join("tiebreak")))
        .or_else(|| Some(set("HOME")?.join(".cache").join("tiebreak")));
    folder.ok_or_else(|| "no folder for tools: set TIEBREAK_CACHE or HOME".into())
}

/// PATH with the pinned tools in front; Trunk takes whatever it finds there.
fn path() -> Result<OsString, String> {
    let npm = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    let npm = npm.join(project::NPM).join("node_modules").join(".bin");
    let mut folders = vec![TRUNK.folder()?.join("bin"), WASM_BINDGEN.folder()?.join("bin"), npm];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).map_err(|error| format!("PATH cannot be put together: {error}"))
}

/// A trunk that finds exactly the pinned tools and never the network.
pub(crate) fn trunk(args: &[&str]) -> Result<Command, String> {
    let mut trunk = process::command(TRUNK.program("trunk")?, args);
    // Trunk reads NO_COLOR as `--no-color=VALUE` and stops at the usual value 1.
    trunk.env("PATH", path()?).env_remove("NO_COLOR");
    Ok(trunk)
}
