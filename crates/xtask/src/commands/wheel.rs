//! The Python package as a wheel, and its tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{MATURIN, NOTEBOOK, PythonTool};
use crate::{Outcome, process};

pub(crate) const HELP: &str = "build the Python package as a wheel below target/wheels";

/// The folder of the package.
const PACKAGE: &str = "packages/python";
/// Where wheels are written.
const WHEELS: &str = "target/wheels";
/// Where the tests find the installed wheel, and nothing else of ours.
const INSTALLED: &str = "target/python";

pub(crate) fn run(_: &[String]) -> Outcome {
    let wheel = build()?;
    println!("{} ({} KiB); `pip install {}`", wheel.display(), kib(&wheel), wheel.display());
    Ok(())
}

/// Builds the wheel.
fn build() -> Result<PathBuf, String> {
    let _ = std::fs::remove_dir_all(WHEELS);
    let maturin = program(&MATURIN, "maturin")?;
    let words = ["build", "--release", "--locked", "--manifest-path"];
    let mut build = process::command(maturin, &words);
    process::run(build.arg(Path::new(PACKAGE).join("Cargo.toml")).args(["--out", WHEELS]))?;
    let entries = std::fs::read_dir(WHEELS).map_err(|error| format!("cannot list {WHEELS}: {error}"))?;
    let wheel = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|it| it == "whl"));
    wheel.ok_or_else(|| format!("maturin wrote no wheel into {WHEELS}"))
}

/// A program of a tool's environment.
fn program(tool: &PythonTool, name: &str) -> Result<PathBuf, String> {
    super::setup::python(tool)?;
    Ok(tool.folder()?.join("bin").join(name))
}

/// Builds the wheel, installs it into a fresh folder, checks the types, and gives the command that runs the tests and the
/// notebooks.
pub(crate) fn test() -> Result<Command, String> {
    let wheel = build()?;
    let python = super::setup::python(&NOTEBOOK)?;
    let _ = std::fs::remove_dir_all(INSTALLED);
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", INSTALLED];
    process::run(process::command(&python, &install).arg(&wheel))?;
    let types = ["-m", "mypy", "--strict", "--cache-dir", "target/mypy"];
    process::run(process::command(&python, &types).arg(Path::new(PACKAGE).join("python/tiebreak")))?;
    let mut test = process::command(&python, &["-m", "unittest", "discover", "--start-directory"]);
    let installed = std::env::current_dir().map_err(|error| format!("no current folder: {error}"))?.join(INSTALLED);
    test.arg(Path::new(PACKAGE).join("tests")).env("PYTHONPATH", installed).env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(test)
}

fn kib(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |file| file.len().div_ceil(1_024))
}
