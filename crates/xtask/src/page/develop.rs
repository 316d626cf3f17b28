//! The page for development and evaluation: quick to build, and fast enough to use.
//!
//! It is compiled in cargo's dev profile, like the tests, in a single call, so that the engine is compiled only once,
//! and without wasm-opt. The links in index.html, which Trunk also reads, define how each program is used.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use super::{DEVELOPMENT, HOSTING, Profile, fill, named_by_content, picture};
use crate::tools::{BROWSER_TARGET as TARGET, WASM_BINDGEN};
use crate::{Outcome, digest, process, progress, project};

/// The build folder.
pub(super) const BUILD: &str = "target/page";
/// The finished page.
pub(crate) const SITE: &str = "target/page/site";

/// How it differs from the hosted page.
pub(crate) const DIFFERENCE: &str = "This is the development page: quick to build, with checks against overflow; larger and slower than the one that \
     `cargo xtask build` makes for hosting.";

/// Reloads the page after the next build.
const RELOAD: &str = "web/reload.js";

/// Compiles programs of the page in this profile.
pub(super) fn compile(programs: &[&str], profile: &str) -> Outcome {
    // The features are always on, so that no crate is compiled twice with different features.
    let package = ["build", "--target", TARGET, "--package", "tiebreak-web", "--features", "parquet,imports"];
    let package = [&package[..], &["--profile", profile]].concat();
    let programs = programs.iter().flat_map(|program| ["--bin", program]);
    process::run(process::cargo(&package).args(programs))
}

/// Generates the bindings of a compiled program for its environment. They are kept: wasm-bindgen takes seconds, and
/// most programs are those of the last build.
pub(super) fn bind(program: &str, runs_in: &str, profile: &Profile, folder: &Path) -> Outcome {
    let compiled = format!("target/{TARGET}/{}/{program}.wasm", profile.folder);
    let content = std::fs::read(&compiled).map_err(|error| format!("cannot read {compiled}: {error}"))?;
    let of = format!("{} {runs_in} {}", WASM_BINDGEN.version, digest::name(&content));
    let kept = Path::new(BUILD).join("bound").join(profile.folder).join(program);
    let (files, note) = (kept.join("files"), kept.join("of"));
    if std::fs::read_to_string(&note).ok().as_deref() != Some(of.as_str()) {
        emptied(&kept)?;
        let mut bindgen = process::command(WASM_BINDGEN.program("wasm-bindgen")?, &[&compiled, "--no-typescript"]);
        process::output(bindgen.args(["--target", runs_in, "--out-dir"]).arg(&files))?;
        write(&note, of.as_bytes())?;
    }
    copied(&files, folder).map_err(|error| format!("cannot copy {} to {}: {error}", files.display(), folder.display()))
}

/// Copies the files of a folder without subfolders.
fn copied(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

/// Compiles everything that [`assemble`] needs.
pub(crate) fn programs() -> Outcome {
    let page = project::read("index.html")?;
    let links = links(&page);
    let mut names: Vec<&str> = links.iter().filter_map(Link::program).collect();
    names.push(picture::PROGRAM);
    progress::told("compiling the page", || compile(&names, DEVELOPMENT.name))
}

/// Compiles all programs for hosting. There is one call per profile, and the calls run in parallel, because the
/// whole-program optimizer uses one core. Trunk would compile them sequentially; it finds them compiled.
pub(crate) fn hosted_programs() -> Outcome {
    let page = project::read("index.html")?;
    let mut profiles = BTreeMap::from([(HOSTING.name, vec![picture::PROGRAM])]);
    for link in links(&page) {
        if let (Some(program), Some(profile)) = (link.program(), link.attributes.get("data-cargo-profile")) {
            profiles.entry(profile).or_default().push(program);
        }
    }
    progress::told("compiling the page for hosting", || {
        let calls = profiles.iter().map(|(profile, programs)| || compile(programs, profile));
        in_parallel(calls).into_iter().fold(Outcome::Ok(()), Outcome::and)
    })
}

/// Runs each call in a thread of its own and returns what they return, in their order.
fn in_parallel<T: Send>(
    calls: impl Iterator<Item = impl FnOnce() -> Result<T, String> + Send>,
) -> Vec<Result<T, String>> {
    thread::scope(|scope| {
        let calls: Vec<_> = calls.map(|call| scope.spawn(call)).collect();
        calls
            .into_iter()
            .map(|call| call.join().unwrap_or_else(|_| Err("a thread of the build panicked".into())))
            .collect()
    })
}

/// Assembles the compiled page.
pub(crate) fn assemble() -> Outcome {
    let staging = Path::new(BUILD).join("staging");
    emptied(&staging)?;
    let page = project::read("index.html")?;
    let links = links(&page);
    let replacements = in_parallel(links.iter().map(|link| || link.put_into(&staging)));
    let page =
        links.iter().zip(replacements).try_fold(page.clone(), |page, (link, by)| fill(&page, link.text, &by?))?;
    let reload = named_by_content(&staging, Path::new(RELOAD), "reload", ".js")?;
    let page = fill(&page, "</head>", &format!("  <script src=\"./{reload}\" defer></script>\n  </head>"))?;
    write(&staging.join("index.html"), page.as_bytes())?;
    super::finish(&staging, &DEVELOPMENT)?;
    put_in_place(&staging)
}

/// Replaces the folder by renaming, so that the server never reads an incomplete one.
fn put_in_place(staging: &Path) -> Outcome {
    let (site, before) = (Path::new(SITE), Path::new(BUILD).join("before"));
    let failed = |error: std::io::Error| format!("cannot put the page into {SITE}: {error}");
    removed(&before).map_err(failed)?;
    if site.exists() {
        std::fs::rename(site, &before).map_err(failed)?;
    }
    std::fs::rename(staging, site).map_err(failed)?;
    removed(&before).map_err(failed)
}

/// An element of index.html that Trunk reads.
struct Link<'a> {
    text: &'a str,
    attributes: BTreeMap<&'a str, &'a str>,
}

fn links(page: &str) -> Vec<Link<'_>> {
    let links = page.match_indices("<link data-trunk ").filter_map(|(at, _)| {
        let text = &page[at..=at + page[at..].find('>')?];
        let attributes = text.split("\" ").filter_map(|pair| pair.rsplit_once("=\""));
        let attributes = attributes.map(|(name, value)| {
            (name.rsplit(' ').next().unwrap_or(name), value.trim_end_matches(['"', '/', '>', ' ']))
        });
        Some(Link { text, attributes: attributes.collect() })
    });
    links.collect()
}

impl<'a> Link<'a> {
    fn program(&self) -> Option<&'a str> {
        self.attributes.get("data-bin").copied()
    }

    /// Puts its files into the folder and returns the HTML that replaces it.
    fn put_into(&self, staging: &Path) -> Result<String, String> {
        let of = |name| self.attributes.get(name).copied().unwrap_or_default();
        let Some(program) = self.program() else {
            return Ok(format!(
                "<link rel=\"stylesheet\" href=\"./{}\">",
                named_by_content(staging, Path::new(of("href")), "style", ".css")?
            ));
        };
        match (of("data-type"), of("data-bindgen-target")) {
            ("main", _) => main_program(program, staging),
            (_, "") => worker(program, staging),
            (_, runs_in) => bind(program, runs_in, &DEVELOPMENT, staging).map(|()| String::new()),
        }
    }
}

fn main_program(program: &str, staging: &Path) -> Result<String, String> {
    let folder = Path::new(BUILD).join(program);
    bind(program, "web", &DEVELOPMENT, &folder)?;
    let file = |end: &str| folder.join(format!("{program}{end}"));
    let script = named_by_content(staging, &file(".js"), program, ".js")?;
    let code = named_by_content(staging, &file("_bg.wasm"), program, "_bg.wasm")?;
    Ok(format!(
        "<script type=\"module\">import init from './{script}'; init({{ module_or_path: './{code}' }});</script>"
    ))
}

/// A worker's script works without modules; [`super::finish`] adds its loader.
fn worker(program: &str, staging: &Path) -> Result<String, String> {
    bind(program, "no-modules", &DEVELOPMENT, staging)?;
    Ok(String::new())
}

fn write(file: &Path, bytes: &[u8]) -> Outcome {
    std::fs::write(file, bytes).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn emptied(folder: &Path) -> Outcome {
    removed(folder)
        .and_then(|()| std::fs::create_dir_all(folder))
        .map_err(|error| format!("cannot empty {}: {error}", folder.display()))
}

fn removed(folder: &Path) -> std::io::Result<()> {
    if folder.exists() { std::fs::remove_dir_all(folder) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_trunk_reads_is_read_here_too() {
        let page = "<link data-trunk rel=\"css\" href=\"web/style.css\">\n\
             <link data-trunk rel=\"rust\" href=\"web/Cargo.toml\" data-bin=\"app\" data-type=\"main\" data-wasm-opt=\"z\" />";
        let links = links(page);
        assert_eq!(links.iter().map(Link::program).collect::<Vec<_>>(), [None, Some("app")]);
        assert_eq!(links[0].attributes["href"], "web/style.css");
        assert_eq!((links[1].attributes["data-type"], links[1].attributes["data-wasm-opt"]), ("main", "z"));
    }
}
