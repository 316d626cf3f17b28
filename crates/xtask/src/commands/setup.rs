//! Installs what the other commands need. The first time takes some minutes; later it takes a second.

use std::path::{Path, PathBuf};
use std::thread;

use crate::page::develop;
use crate::tools::{BARE_TARGET, BROWSER_TARGET, BROWSERS, CargoTool, PythonTool, TRUNK, WASM_BINDGEN, cache};
use crate::{Outcome, process, progress, project};

pub(crate) const HELP: &str = "install what is missing: wasm targets, Trunk, wasm-bindgen, npm packages, browsers";

/// The oldest Node.js that playwright-core runs on.
const NODE_MAJOR_MIN: u32 = 20;

pub(crate) fn run(_: &[String]) -> Outcome {
    for_hosting()?;
    for_tests()
}

/// What tests need in addition to the tools that build the page.
pub(crate) fn for_tests() -> Outcome {
    targets(&[BROWSER_TARGET, BARE_TARGET])?;
    npm()?;
    browsers()?;
    crates()
}

pub(crate) fn for_wasm_tests() -> Outcome {
    for_tests()?;
    cargo_tool(&WASM_BINDGEN)
}

/// What the npm package needs.
pub(crate) fn for_npm() -> Outcome {
    wasm_bindgen_is_the_locked_one()?;
    targets(&[BROWSER_TARGET])?;
    npm()?;
    cargo_tool(&WASM_BINDGEN)
}

/// What serving the page on this computer needs; compiles the page's programs at the same time.
pub(crate) fn for_development() -> Outcome {
    wasm_bindgen_is_the_locked_one()?;
    targets(&[BROWSER_TARGET])?;
    let tools = || npm().and_then(|()| cargo_tool(&WASM_BINDGEN));
    thread::scope(|scope| {
        let tools = scope.spawn(tools);
        let programs = develop::programs();
        let tools = tools.join().unwrap_or_else(|_| Err("the tools' installation panicked".into()));
        tools.and(programs)
    })
}

/// What building the page for hosting needs; without test browsers.
pub(crate) fn for_hosting() -> Outcome {
    wasm_bindgen_is_the_locked_one()?;
    targets(&[BROWSER_TARGET])?;
    npm()?;
    cargo_tool(&WASM_BINDGEN)?;
    cargo_tool(&TRUNK)?;
    crates()
}

pub(crate) fn targets(wanted: &[&str]) -> Outcome {
    let Some(rustup) = process::find("rustup") else {
        return targets_without_rustup(wanted);
    };
    let installed = process::output(&mut process::command(&rustup, &["target", "list", "--installed"]))?;
    for target in wanted.iter().filter(|target| installed.lines().all(|line| line != **target)) {
        progress::told(target, || process::run(&mut process::command(&rustup, &["target", "add", target])))?;
    }
    Ok(())
}

fn targets_without_rustup(wanted: &[&str]) -> Outcome {
    let sysroot = process::output(&mut process::command("rustc", &["--print", "sysroot"]))?;
    let libraries = Path::new(sysroot.trim()).join("lib").join("rustlib");
    match wanted.iter().find(|target| !libraries.join(target).is_dir()) {
        Some(target) => Err(format!("rustc has no target {target} and there is no rustup to add it")),
        None => Ok(()),
    }
}

fn wasm_bindgen_is_the_locked_one() -> Outcome {
    let pinned = WASM_BINDGEN.version;
    match project::locked_version("wasm-bindgen") {
        Some(locked) if locked != pinned => Err(format!(
            "Cargo.lock has wasm-bindgen {locked} but the tool is {pinned}; \
             `cargo update -p wasm-bindgen --precise {pinned}`, or change crates/xtask/src/tools.rs"
        )),
        _ => Ok(()),
    }
}

fn cargo_tool(tool: &CargoTool) -> Outcome {
    if tool.is_ready()? {
        return Ok(());
    }
    let name = format!("{} {}", tool.package, tool.version);
    progress::announce(&name, "built once, in one to three minutes");
    progress::told(&name, || install(tool))?;
    match tool.is_ready()? {
        true => Ok(()),
        false => Err(format!("{name} was installed but does not answer; delete {}", tool.folder()?.display())),
    }
}

/// Without optimization: a tool that runs for two seconds is not worth minutes of compiling. Quiet, because other
/// work may print at the same time; errors are shown.
fn install(tool: &CargoTool) -> Outcome {
    let mut cargo =
        process::cargo(&["install", "--quiet", "--debug", tool.package, "--version", tool.version, "--force"]);
    cargo.args(tool.how).arg("--root").arg(tool.folder()?);
    // A shared target folder compiles common crates once; debug information is not needed.
    cargo.arg("--target-dir").arg(cache()?.join("target"));
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0").env_remove("CARGO_TARGET_DIR");
    process::run(&mut cargo)
}

fn npm() -> Outcome {
    node_is_new_enough()?;
    // npm writes this copy of the lock file when it is done; if the two differ, install again.
    let (lock, seen) = ("tests/package-lock.json", "tests/node_modules/.tiebreak-lock.json");
    if project::read(lock)? == project::read(seen).unwrap_or_default() {
        return Ok(());
    }
    // Errors only: SQLite's package warns about the Node.js version, but none of it runs in Node.js.
    let install = ["ci", "--no-fund", "--no-audit", "--loglevel=error"];
    progress::told("npm packages", || process::run(process::command("npm", &install).current_dir(project::NPM)))?;
    std::fs::copy(lock, seen).map(drop).map_err(|error| format!("cannot write {seen}: {error}"))
}

fn node_is_new_enough() -> Outcome {
    let advice = format!("install Node.js {NODE_MAJOR_MIN} or newer, with npm");
    let said =
        process::output(&mut process::command("node", &["--version"])).map_err(|error| format!("{error} {advice}"))?;
    let major = said.trim().trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    match major {
        Some(major) if NODE_MAJOR_MIN <= major => Ok(()),
        _ => Err(format!("node is {}; {advice}", said.trim())),
    }
}

/// Trunk builds offline, including for targets that no earlier command fetched.
fn crates() -> Outcome {
    let mut fetch = process::cargo(&["fetch", "--quiet"]);
    if std::env::var_os("CI").is_some() {
        fetch.arg("--locked");
    }
    process::output(&mut fetch).map(drop)
}

fn browsers() -> Outcome {
    let missing: Vec<&str> =
        BROWSERS.iter().filter(|(program, _)| process::find(program).is_none()).map(|(_, package)| *package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let advice = format!("install the browsers for tests: apt-get install {}", missing.join(" "));
    let apt = apt().ok_or(&advice)?;
    progress::told("browsers", || {
        // Old package lists may suffice; if not, the second call reports it.
        let _ = process::run(&mut with_words(&apt, &["update", "-qq"]));
        process::run(with_words(&apt, &["install", "-y", "-qq", "--no-install-recommends"]).args(&missing))
    })
    .map_err(|error| format!("{error}; {advice}"))
}

/// A Python environment with these packages, in its own folder.
pub(crate) fn python(tool: &PythonTool) -> Result<PathBuf, String> {
    let folder = tool.folder()?;
    let python = folder.join("bin").join("python3");
    let name = tool.packages[0].0;
    let is_ready = || {
        let question =
            format!("import importlib.metadata as m; print(all(m.version(p) == v for p, v in {:?}))", tool.packages);
        process::output(&mut process::command(&python, &["-c", &question])).is_ok_and(|said| said.trim() == "True")
    };
    if !is_ready() {
        let packages: Vec<String> =
            tool.packages.iter().map(|(package, version)| format!("{package}=={version}")).collect();
        progress::told(name, || {
            process::run(process::command("python3", &["-m", "venv", "--clear"]).arg(&folder))?;
            process::run(process::command(&python, &["-m", "pip", "install", "--quiet"]).args(&packages))
        })
        .map_err(|error| {
            let packages = packages.join(" ");
            format!(
                "{error}; install Python 3.10 or newer with venv (python3-venv) and pip, and let pip fetch {packages}"
            )
        })?;
    }
    if is_ready() { Ok(python) } else { Err(format!("{name} does not answer; delete {}", folder.display())) }
}

/// The command prefix for installing packages, if permitted: as root, or with passwordless sudo.
fn apt() -> Option<Vec<&'static str>> {
    process::find("apt-get")?;
    if process::output(&mut process::command("id", &["-u"])).is_ok_and(|id| id.trim() == "0") {
        return Some(vec!["apt-get"]);
    }
    process::output(&mut process::command("sudo", &["-n", "true"])).ok()?;
    Some(vec!["sudo", "-n", "apt-get"])
}

fn with_words(start: &[&str], rest: &[&str]) -> std::process::Command {
    let words = [start, rest].concat();
    let mut command = process::command(words[0], &words[1..]);
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}
