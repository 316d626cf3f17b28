//! The tools that build and test the page: pinned versions, and the folder for them.
//!
//! They are outside the checkout, in folders named by version, so that all checkouts of a user share them and
//! versions never mix.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::{process, project};

/// A program from crates.io, installed once per version.
pub(crate) struct CargoTool {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// The programs it installs.
    pub(crate) programs: &'static [&'static str],
    /// Its install options: whether to use the published lock file, and without unused features.
    pub(crate) how: &'static [&'static str],
}

/// 0.22 requires a newer rustc than ours. Trunk only builds here, so it needs no TLS.
pub(crate) const TRUNK: CargoTool = CargoTool {
    package: "trunk",
    version: "0.21.14",
    programs: &["trunk"],
    how: &["--locked", "--no-default-features"],
};

/// Must be the same version as the `wasm-bindgen` crate in Cargo.lock.
pub(crate) const WASM_BINDGEN: CargoTool = CargoTool {
    package: "wasm-bindgen-cli",
    version: "0.2.130",
    programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
    how: &[],
};

/// Test programs for the browser, run by wasm-bindgen-test-runner.
pub(crate) const WASM_TESTS: &[&str] = &["browser"];

/// The crates that tests compile for WebAssembly. Always the same set, because a single crate has other features and would
/// be compiled again.
pub(crate) const WASM_TOGETHER: &[&str] = &["--package", "tiebreak-engine", "--package", "tiebreak-npm"];

/// The crates that are compiled for this computer, together for the same reason. The page and the npm package are
/// excluded, because they work only in JavaScript.
pub(crate) const NATIVE: &[&str] = &["--workspace", "--exclude", "tiebreak-web", "--exclude", "tiebreak-npm"];

/// The browser's target.
pub(crate) const BROWSER_TARGET: &str = "wasm32-unknown-unknown";

/// The bare target that shows that the core is `no_std`.
pub(crate) const BARE_TARGET: &str = "wasm32v1-none";

/// A browser program and its Debian package. The driver needs the full Chromium; the page's tests use the headless
/// one.
pub(crate) const BROWSERS: &[(&str, &str)] = &[
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("chromium-headless-shell", "chromium-headless-shell"),
    ("firefox-esr", "firefox-esr"),
];

/// Python packages and their versions, in their own environment, which is named after the first.
pub(crate) struct PythonTool {
    pub(crate) packages: &'static [(&'static str, &'static str)],
}

/// The packages with which `tests/sweep` runs shards.
pub(crate) const DASK: PythonTool = PythonTool { packages: &[("dask", "2025.12.0"), ("distributed", "2025.12.0")] };

/// The package with which `tests/sweep` runs tasks that share a sweep.
pub(crate) const HYPERQUEUE: PythonTool = PythonTool { packages: &[("hyperqueue", "0.27.0")] };

/// WebAssembly outside a browser.
pub(crate) const WASMTIME: PythonTool = PythonTool { packages: &[("wasmtime", "50.0.1")] };

/// Builds the wheel of the Python package.
pub(crate) const MATURIN: PythonTool = PythonTool { packages: &[("maturin", "1.16.0")] };

/// What the Python package is tested with: what takes its tables, its progress bars, and a checker of types.
pub(crate) const NOTEBOOK: PythonTool = PythonTool {
    packages: &[
        ("polars", "2.1.0"),
        ("pandas", "3.1.1"),
        ("pyarrow", "26.0.1"),
        ("tqdm", "4.70.1"),
        ("mypy", "2.4.1"),
        ("gymnasium", "1.4.0"),
        ("anywidget", "0.11.0"),
    ],
};

impl PythonTool {
    pub(crate) fn folder(&self) -> Result<PathBuf, String> {
        let (package, version) = self.packages[0];
        Ok(cache()?.join(format!("{package}-{version}")))
    }
}

impl CargoTool {
    pub(crate) fn folder(&self) -> Result<PathBuf, String> {
        Ok(cache()?.join(format!("{}-{}", self.package, self.version)))
    }

    pub(crate) fn program(&self, name: &str) -> Result<PathBuf, String> {
        Ok(self.folder()?.join("bin").join(name))
    }

    /// Whether every program is installed and reports the pinned version.
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

/// PATH with the pinned tools first; Trunk uses what it finds there.
fn path() -> Result<OsString, String> {
    let npm = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?;
    let npm = npm.join(project::NPM).join("node_modules").join(".bin");
    let mut folders = vec![TRUNK.folder()?.join("bin"), WASM_BINDGEN.folder()?.join("bin"), npm];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    std::env::join_paths(folders).map_err(|error| format!("PATH cannot be put together: {error}"))
}

/// A trunk that uses exactly the pinned tools and never the network.
pub(crate) fn trunk(args: &[&str]) -> Result<Command, String> {
    let mut trunk = process::command(TRUNK.program("trunk")?, args);
    // Trunk reads NO_COLOR as `--no-color=VALUE` and fails on the usual value 1.
    trunk.env("PATH", path()?).env_remove("NO_COLOR");
    Ok(trunk)
}
