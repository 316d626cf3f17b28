//! Rooms of a crate: which folder of `crates/placement/src` may import from which, so that data flows from rules to
//! decisions without cycles, and the reference never uses the fast path that it is compared with.
//!
//! Every path that begins with `crate::` counts, except in comments and tests; `super::` may not leave its room.

use std::path::{Path, PathBuf};

use crate::project;

const SOURCES: &str = "crates/placement/src";

/// Every room with the rooms that it may import from, which are all listed above it. A room is a folder or a
/// top-level file.
const ROOMS: &[(&str, &[&str])] = &[
    ("rule", &[]),
    ("lifetime", &["rule"]),
    ("admission", &["rule"]),
    ("power", &["rule"]),
    ("network", &["rule"]),
    ("rules", &["rule", "lifetime", "admission", "power", "network"]),
    ("custom", &["rule", "rules"]),
    ("policy", &["rule", "lifetime", "power", "network", "rules", "custom"]),
    ("explain", &["rule", "network", "policy"]),
    ("fast", &["rule", "lifetime", "power", "network", "policy"]),
    ("allocator", &["network", "policy", "explain", "fast"]),
    ("migrate", &["policy", "explain", "fast", "allocator"]),
];

/// The crate's root, which names every room and is not a room itself.
const FACE: &str = "lib.rs";

/// Every import that the list of rooms does not allow.
pub(super) fn faults() -> Result<Vec<String>, String> {
    let (mut files, mut found) = (project::sources(Path::new(SOURCES))?, Vec::new());
    files.sort();
    let sources: Vec<(PathBuf, String)> =
        files.into_iter().map(|file| project::read(&file).map(|text| (file, text))).collect::<Result<_, _>>()?;
    let tests: Vec<PathBuf> = sources.iter().flat_map(|(file, text)| test_files(file, text)).collect();
    for (file, text) in sources.iter().filter(|(file, _)| !tests.contains(file)) {
        let name = file.strip_prefix(SOURCES).unwrap_or(file).to_string_lossy().replace('\\', "/");
        found.extend(faults_of(&name, text).into_iter().map(|fault| format!("{SOURCES}/{fault}")));
    }
    Ok(found)
}

/// The files of test-only modules.
fn test_files(file: &Path, text: &str) -> Vec<PathBuf> {
    let folder = match file.file_name().and_then(|name| name.to_str()) {
        Some("mod.rs" | "lib.rs") => file.parent().map(Path::to_path_buf).unwrap_or_default(),
        _ => file.with_extension(""),
    };
    let declared = text.split("#[cfg(test)]\nmod ").skip(1).filter_map(|rest| rest.split_once([';', ' ']));
    declared.map(|(name, _)| folder.join(format!("{name}.rs"))).collect()
}

/// The forbidden imports of a file, given by its path below the sources.
fn faults_of(name: &str, text: &str) -> Vec<String> {
    if name == FACE {
        return Vec::new();
    }
    let room = name.split(['/', '.']).next().unwrap_or_default();
    let Some((_, allowed)) = ROOMS.iter().find(|(known, _)| *known == room) else {
        return vec![format!("{name} is in no room; give it one in crates/xtask/src/commands/floors/rooms.rs")];
    };
    // The number of modules from the room down to this one.
    let depth = name.split('/').filter(|part| *part != "mod.rs").count();
    let (mut inside, mut found) = (0, Vec::new());
    for (number, line) in (1..).zip(without_tests(text)) {
        match line {
            "}" => inside = 0,
            _ if is_module(line) => inside = 1,
            _ => {}
        }
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        for to in after(code, "crate::").filter(|to| *to != room && !allowed.contains(to)) {
            let to = if to.is_empty() { "several at once; say each by itself" } else { to };
            found.push(format!("{name}:{number}: {room} -> {to}"));
        }
        if code.contains(&"super::".repeat(depth + inside)) {
            found.push(format!("{name}:{number}: `super::` leaves {room}; say `crate::`"));
        }
    }
    found
}

/// The lines before the module of unit tests, which comes last.
fn without_tests(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().lines()
}

/// Whether an inline module begins on this line.
fn is_module(line: &str) -> bool {
    !line.starts_with(' ') && line.contains("mod ") && line.ends_with('{')
}

/// The names directly after each `word` in a line.
fn after<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(word).map(move |(at, _)| {
        let rest = &line[at + word.len()..];
        &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_only_know_those_above_them() {
        for (at, (room, allowed)) in ROOMS.iter().enumerate() {
            let above: Vec<_> = ROOMS[..at].iter().map(|(room, _)| room).collect();
            assert!(allowed.iter().all(|to| above.contains(&to)), "{room} may know {allowed:?}");
        }
        let explain = ROOMS.iter().find(|(room, _)| *room == "explain").expect("there is one").1;
        assert!(!explain.contains(&"fast"), "the reference is held against the fast path");
    }

    #[test]
    fn what_is_allowed_is_no_fault() {
        let text = "//! See crate::fast.\nuse super::refusal;\nuse crate::policy::{Policy, Weight};\n\nfn f(x: crate::rule::X) {\n    \
                    // crate::fast\n}\n\nmod build {\n    use super::super::copeland;\n}\n\n#[cfg(test)]\nmod tests {\n    use crate::fast::X;\n}\n";
        assert_eq!(faults_of("explain/why_not.rs", text), [""; 0]);
        assert_eq!(faults_of(FACE, "pub use fast::X;\nuse crate::fast::Y;\n"), [""; 0]);
        assert_eq!(faults_of("explain/mod.rs", "mod build {\n    use super::{X, Y};\n}\n"), [""; 0]);
    }

    #[test]
    fn every_way_out_of_a_room_is_a_fault() {
        for (name, line) in [
            ("explain/reference.rs", "use crate::fast::weights::best;"),
            ("explain/mod.rs", "pub use crate::fast::weights::best;"),
            ("explain/reference.rs", "    let best = crate::fast::weights::best(rows);"),
            ("explain/reference.rs", "use crate::{fast::weights, policy};"),
            ("explain/reference.rs", "use crate::Caches;"),
            ("explain/reference.rs", "use super::super::fast;"),
            ("explain/mod.rs", "use super::fast;"),
            ("fast/evaluation/live.rs", "use super::super::super::explain;"),
            ("fast/pool.rs", "use crate::allocator::Allocator;"),
            ("rule/mod.rs", "use crate::rules::RULES;"),
            ("allocator.rs", "use crate::migrate::Move;"),
            ("allocator.rs", "use super::migrate::Move;"),
            ("attic/mod.rs", ""),
        ] {
            assert_eq!(faults_of(name, &format!("//! X.\n\n{line}\n")).len(), 1, "{name}: {line}");
        }
    }

    #[test]
    fn files_of_tests_are_known_by_where_they_are_declared() {
        let text = "mod a;\n#[cfg(test)]\nmod conformance;\n\n#[cfg(test)]\nmod tests {\n}\n";
        let files = |file: &str| test_files(Path::new(file), text);
        assert_eq!(files("src/rules/mod.rs"), ["src/rules/conformance.rs", "src/rules/tests.rs"].map(PathBuf::from));
        assert_eq!(files("src/migrate.rs"), ["src/migrate/conformance.rs", "src/migrate/tests.rs"].map(PathBuf::from));
    }
}
