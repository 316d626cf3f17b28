//! Links that must always open (`corpus/good`, which only grows) and broken ones with their expected messages
//! (`corpus/bad`).
//!
//! A link without its `.json` or `.txt` next to it fails; `UPDATE=1` writes the missing ones, to be reviewed before
//! they are committed. It never changes an existing one.

use std::fs;
use std::path::{Path, PathBuf};

use tiebreak_scenario::{CURRENT_VERSION, Document, LinkError, Opened, PRESETS, Stamp, decode, encode, encode_preset};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name)
}

fn links(name: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(folder(name)).expect("the corpus").map(|file| file.expect("a file").path());
    let mut links: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "link")).collect();
    links.sort();
    links
}

/// The content of the file next to a link.
fn beside(link: &Path, extension: &str, new: &str) -> String {
    let path = link.with_extension(extension);
    if !path.exists() && std::env::var_os("UPDATE").is_some() {
        fs::write(&path, format!("{new}\n")).expect("the corpus can be written");
    }
    fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing: UPDATE=1 writes it", path.display()))
}

#[test]
fn good_links_open_for_ever() {
    let links = links("good");
    assert!(links.len() >= PRESETS.len(), "the corpus only grows");
    for link in links {
        let name = link.display();
        let opened =
            decode(&fs::read_to_string(&link).expect("a link")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(opened.issues, [], "{name}");
        let meant = Document::read(&beside(&link, "json", &opened.document.to_json())).expect("what it means");
        assert_eq!(meaning(opened.document), meaning(meant.document), "{name}");
    }
}

/// A document with the rules that are off sorted by id: their position has no meaning, and newer rules have other
/// positions in a document that does not name them.
fn meaning(mut document: Document) -> Document {
    for variant in &mut document.variants {
        variant.rules.sort_by_key(|row| if row.on { String::new() } else { row.id.clone() });
    }
    document
}

/// The message for people: why it does not open, or its name and issues.
fn told(result: &Result<Opened, LinkError>) -> String {
    match result {
        Err(error) => format!("does not open: {error}"),
        Ok(opened) => {
            let newer = if opened.newer { " (newer)" } else { "" };
            let mut lines = vec![format!("opens{newer}: {}", opened.document.name)];
            lines.extend(opened.issues.iter().map(ToString::to_string));
            lines.join("\n")
        }
    }
}

#[test]
fn bad_links_say_what_is_wrong() {
    for link in links("bad") {
        let told = told(&decode(&fs::read_to_string(&link).expect("a link")));
        assert_eq!(beside(&link, "txt", &told).trim_end(), told, "{}", link.display());
    }
}

/// The short link of a preset is its id, so the meaning of the preset must never change; UPDATE=1 adds those of new
/// ones.
#[test]
fn every_preset_has_a_short_link_that_means_the_same_for_ever() {
    for preset in PRESETS {
        let document = (preset.make)();
        let path = folder("good").join(format!("short-{}.link", preset.id));
        let link = encode_preset(&document, None).unwrap_or_else(|| panic!("{} has no short link", preset.id));
        if !path.exists() && std::env::var_os("UPDATE").is_some() {
            fs::write(&path, link + "\n").expect("the corpus can be written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} is missing: UPDATE=1", path.display()));
        assert_eq!(decode(&kept).expect("a preset").document, document, "{}", preset.id);
    }
}

/// Current presets and their golden links: run with UPDATE=1 to add a link for a preset without one.
#[test]
fn every_preset_has_a_good_link() {
    for preset in PRESETS {
        let path = folder("good").join(format!("v{CURRENT_VERSION}-{}.link", preset.id));
        if !path.exists() && std::env::var_os("UPDATE").is_some() {
            let stamp = Stamp { engine: "0.1.0".into(), digest: 0x0123_4567_89ab_cdef };
            fs::write(&path, encode(&(preset.make)(), Some(&stamp)) + "\n").expect("the corpus can be written");
        }
        assert!(path.exists(), "{} is missing: UPDATE=1 writes it", path.display());
    }
}
