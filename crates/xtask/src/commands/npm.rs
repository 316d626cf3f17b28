//! The npm package, built and packed.

use std::path::{Path, PathBuf};

use crate::tools::{BROWSER_TARGET, WASM_BINDGEN, WASM_TESTS, WASM_TOGETHER};
use crate::{Outcome, process};

pub(crate) const HELP: &str = "build the npm package and pack it below target/npm";

/// The folder of the package.
const PACKAGE: &str = "packages/npm";
/// Where the package is put together; `npm pack` writes the tarball next to it.
const PACKED: &str = "target/npm";
/// What goes with the engine.
const FILES: [&str; 8] =
    ["package.json", "README.md", "index.mjs", "index.d.ts", "declared.d.ts", "worker.mjs", "chart.mjs", "chart.d.ts"];
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

pub(crate) fn run(_: &[String]) -> Outcome {
    let tarball = pack("release")?;
    let kib = std::fs::metadata(&tarball).map_or(0, |file| file.len().div_ceil(1_024));
    println!("{} ({kib} KiB); `npm install {}`", tarball.display(), tarball.display());
    Ok(())
}

/// Builds the engine in a profile of cargo, and packs the package. The dev profile uses what the tests in WebAssembly
/// compile.
pub(crate) fn pack(profile: &str) -> Result<PathBuf, String> {
    super::setup::for_npm()?;
    let build = ["build", "--lib", "--locked", "--target", BROWSER_TARGET, "--profile", profile];
    // With their tests the crates have the features that they have for tests.
    let tests = WASM_TESTS.iter().filter(|_| profile == "dev").flat_map(|test| ["--test", test]);
    process::run(process::cargo(&build).args(WASM_TOGETHER).args(tests))?;
    let failed = |error: std::io::Error| format!("cannot write {PACKED}: {error}");
    let _ = std::fs::remove_dir_all(PACKED);
    let folder = Path::new(PACKED).join("package");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let built = if profile == "dev" { "debug" } else { profile };
    let words = ["--target", "web", "--no-typescript", "--out-name", "engine", "--out-dir"];
    let mut bind = process::command(WASM_BINDGEN.program("wasm-bindgen")?, &words);
    process::run(bind.arg(&folder).arg(target.join(BROWSER_TARGET).join(built).join("tiebreak_npm.wasm")))?;
    let files = FILES.map(|file| (Path::new(PACKAGE).join(file), file));
    for (from, file) in files.into_iter().chain(LICENCES.map(|file| (file.into(), file))) {
        std::fs::copy(from, folder.join(file)).map_err(failed)?;
    }
    let pack = ["pack", "--silent", "--pack-destination", ".."];
    let name = process::output(process::command("npm", &pack).current_dir(&folder))?;
    let expected = concat!("tiebreak-", env!("CARGO_PKG_VERSION"), ".tgz");
    match name.trim() {
        name if name == expected => Ok(Path::new(PACKED).join(name)),
        name => Err(format!("expected {expected}, got {name}; correct the version in {PACKAGE}/package.json")),
    }
}
