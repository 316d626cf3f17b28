//! The copy of the workspace that contains the mutants, and its test programs.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::points::{Mutant, Rewriter, test_modules};
use crate::{Outcome, failed};

/// The crates with mutants, and the crates whose tests should catch them.
const MUTATED: [&str; 3] = ["crates/model/", "crates/placement/", "crates/sim/"];
const TESTED: [&str; 4] = ["tiebreak-model", "tiebreak-placement", "tiebreak-sim", "tiebreak-tests"];

/// A test program, and its working directory.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) folder: PathBuf,
}

/// Writes the copy with every mutant that compiles.
pub(crate) fn plant(folder: &Path) -> Result<(Vec<Mutant>, HashSet<String>), String> {
    let kept = folder.join("unviable.txt");
    let mut unviable: HashSet<String> =
        fs::read_to_string(&kept).unwrap_or_default().lines().map(String::from).collect();
    loop {
        let mutants = write(&folder.join("tree"), &unviable)?;
        let found = do_not_compile(&folder.join("tree"), &mutants)?;
        if found.is_empty() {
            let viable = mutants.into_iter().filter(|it| !unviable.contains(&it.name)).collect();
            return Ok((viable, unviable));
        }
        eprintln!("{} mutants do not compile", found.len());
        unviable.extend(found);
        let mut lines: Vec<_> = unviable.iter().map(String::as_str).collect();
        lines.sort_unstable();
        fs::write(&kept, lines.join("\n")).map_err(failed("write", &kept))?;
    }
}

/// Writes only files that differ, so that only they are compiled again.
fn write(tree: &Path, unviable: &HashSet<String>) -> Result<Vec<Mutant>, String> {
    let listed = Command::new("git").args(["ls-files", "-co", "--exclude-standard"]).output();
    let listed = listed.map_err(failed("run", Path::new("git")))?.stdout;
    let mut files: Vec<String> = String::from_utf8_lossy(&listed).lines().map(String::from).collect();
    files.retain(|file| Path::new(file).is_file());
    files.sort();
    let tests = for_tests_only(&files);
    let mut rewriter = Rewriter::new(unviable);
    for file in &files {
        let mut bytes = fs::read(file).map_err(failed("read", Path::new(file)))?;
        let source = file.ends_with(".rs") && MUTATED.iter().any(|it| file.starts_with(&format!("{it}src/")));
        if source && !tests.contains(file) {
            let text = String::from_utf8(bytes).map_err(|error| format!("{file}: {error}"))?;
            bytes = rewriter.rewrite(file, text)?.into_bytes();
        }
        match &**file {
            "crates/model/src/lib.rs" => bytes.extend(b"pub mod active;\n"),
            "Cargo.toml" => bytes = without_lints(&bytes),
            _ => {}
        }
        put(&tree.join(file), &bytes)?;
    }
    put(&tree.join("crates/model/src/active.rs"), include_bytes!("active.rs"))?;
    Ok(rewriter.mutants)
}

fn put(path: &Path, bytes: &[u8]) -> Outcome {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder).map_err(failed("make", folder))?;
    fs::write(path, bytes).map_err(failed("write", path))
}

/// Files of modules under `#[cfg(test)]`.
fn for_tests_only(files: &[String]) -> HashSet<String> {
    let of = |file: &String| {
        let source = fs::read_to_string(file).unwrap_or_default();
        let folder = match file.strip_suffix("/mod.rs").or(file.strip_suffix("/lib.rs")) {
            Some(folder) => folder.to_string(),
            None => file.trim_end_matches(".rs").to_string(),
        };
        test_modules(&source).into_iter().map(move |module| format!("{folder}/{module}.rs"))
    };
    files.iter().filter(|file| file.contains("/src/") && file.ends_with(".rs")).flat_map(of).collect()
}

/// The workspace lints apply only to code written by people.
fn without_lints(manifest: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(manifest);
    let (before, lints) = text.split_once("[workspace.lints.rust]").expect("the workspace has lints");
    let after = lints.split_once("\n[profile").map_or("", |(_, after)| after);
    let allowed = "[workspace.lints.rust]\nwarnings = \"allow\"\narithmetic_overflow = \"allow\"\nunconditional_panic = \"allow\"\n";
    format!("{before}{allowed}\n[profile{after}").into_bytes()
}

fn cargo(tree: &Path, words: &[&str]) -> Result<Vec<Value>, String> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(tree).args(words).args(["--offline", "--message-format=json"]).stderr(Stdio::inherit());
    let target = || tree.with_file_name("build").into_os_string();
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(target);
    let said = cargo.env("CARGO_TARGET_DIR", target).output().map_err(failed("run", Path::new("cargo")))?;
    Ok(String::from_utf8_lossy(&said.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

/// The mutants at which the compiler finds errors.
fn do_not_compile(tree: &Path, mutants: &[Mutant]) -> Result<HashSet<String>, String> {
    let mut found = HashSet::new();
    for message in cargo(tree, &["check", "-p", "tiebreak-sim"])? {
        let error = &message["message"];
        let spans = error["spans"].as_array().filter(|_| error["level"] == "error");
        let Some(spans) = spans.filter(|spans| !spans.is_empty()) else { continue };
        let primary = spans.iter().filter(|span| span["is_primary"] == true);
        let blamed: Vec<u32> = primary.flat_map(|span| blamed(tree, span, mutants)).collect();
        if blamed.is_empty() {
            return Err(format!("an error at no mutant:\n{}", error["rendered"].as_str().unwrap_or_default()));
        }
        found.extend(blamed.iter().map(|id| mutants[*id as usize].name.clone()));
    }
    Ok(found)
}

/// The mutant whose code contains this position, or all of the point whose code does.
fn blamed(tree: &Path, span: &Value, mutants: &[Mutant]) -> Vec<u32> {
    let file = span["file_name"].as_str().unwrap_or_default();
    let Ok(text) = fs::read_to_string(tree.join(file)) else { return vec![] };
    let until = span["byte_start"].as_u64().unwrap_or(0) as usize;
    let mut open = Vec::new();
    for comment in text[..until.min(text.len())].split("/*").skip(1) {
        let mark = comment.split("*/").next().expect("a split has a first part");
        match mark {
            ">" => drop(open.pop()),
            _ => open.extend(mark.strip_prefix('<')),
        }
    }
    let Some(mark) = open.pop() else { return vec![] };
    match mark.strip_prefix('p').map(|point| point.parse::<u32>()) {
        Some(point) => mutants.iter().filter(|it| Ok(it.point) == point).map(|it| it.id).collect(),
        None => mark.parse().into_iter().collect(),
    }
}

pub(crate) fn programs(tree: &Path) -> Result<Vec<Program>, String> {
    let packages = TESTED.iter().flat_map(|name| ["-p", name]);
    let words: Vec<&str> = ["test", "--no-run", "--lib", "--test", "all"].into_iter().chain(packages).collect();
    let messages = cargo(tree, &words)?;
    if messages.iter().any(|it| it["message"]["level"] == "error") {
        return Err("the tests do not compile with the mutants in place".into());
    }
    let built = messages.iter().filter(|it| it["profile"]["test"] == true && it["executable"].is_string());
    let program = |it: &Value| {
        let path = |name: &str| Some(PathBuf::from(it[name].as_str()?));
        Some(Program { path: path("executable")?, folder: path("manifest_path")?.parent()?.into() })
    };
    Ok(built.filter_map(program).collect())
}
