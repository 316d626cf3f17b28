//! The Python package as a wheel, and its tests.

use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools::{MATURIN, NATIVE, NOTEBOOK, PythonTool};
use crate::{Outcome, process};

pub(crate) const HELP: &str = "build the Python package as a wheel below target/wheels; --test also tests the wheel";

/// The folder of the package.
const PACKAGE: &str = "packages/python";
/// Where wheels are written.
const WHEELS: &str = "target/wheels";
/// Where the tests find the package, and nothing else of ours.
const INSTALLED: &str = "target/python";

pub(crate) fn run(words: &[String]) -> Outcome {
    let is_tested = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => false,
        ["--test"] => true,
        _ => return Err(format!("what is asked is not known; {HELP}")),
    };
    let wheel = build()?;
    println!("{} ({} KiB); `pip install {}`", wheel.display(), kib(&wheel), wheel.display());
    if is_tested {
        install(&wheel)?;
        process::run(&mut tests()?)?;
    }
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

/// Installs the wheel for the tests.
fn install(wheel: &Path) -> Outcome {
    let _ = std::fs::remove_dir_all(INSTALLED);
    let install = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", INSTALLED];
    process::run(process::command(super::setup::python(&NOTEBOOK)?, &install).arg(wheel))
}

/// Lays the package out for the tests as a wheel does, with a library of the dev profile: what it is made of was
/// compiled for the native tests, and a wheel of the release profile takes minutes.
pub(crate) fn lay_out() -> Outcome {
    // With an example, the crates have the features that they have for tests. `check` has built this one.
    let build = ["build", "--quiet", "--lib", "--example", "texts"];
    process::run(process::cargo(&build).args(NATIVE))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    let library = target.join("debug").join(format!("{DLL_PREFIX}_tiebreak{DLL_SUFFIX}"));
    let ending = if cfg!(windows) { "pyd" } else { "abi3.so" };
    let (from, to) = (Path::new(PACKAGE).join("python/tiebreak"), Path::new(INSTALLED).join("tiebreak"));
    let failed = |error: std::io::Error| format!("cannot lay the Python package out in {}: {error}", to.display());
    let _ = std::fs::remove_dir_all(INSTALLED);
    std::fs::create_dir_all(&to).map_err(failed)?;
    for entry in std::fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).map_err(failed)?;
        }
    }
    std::fs::copy(library, to.join(format!("_tiebreak.{ending}"))).map(drop).map_err(failed)
}

/// Checks the types, and gives the command that runs the tests and the notebooks on what is installed.
pub(crate) fn tests() -> Result<Command, String> {
    let python = super::setup::python(&NOTEBOOK)?;
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
