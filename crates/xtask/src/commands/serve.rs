//! Builds the page for development, serves it on this machine with the same small server as the browser tests, and
//! rebuilds it whenever a source changes; the open page then reloads.

use std::collections::BTreeMap;
use std::process::Child;
use std::thread;
use std::time::{Duration, SystemTime};

use crate::page::{develop, freshness};
use crate::{Outcome, process, project};

pub(crate) const HELP: &str =
    "build the page and serve it here [--port N] [--no-open] [--no-build] [--hosted: as `build` makes it]";

const PORT: u16 = 8080;

/// How often to check the sources. A file-watching library would have to be compiled first.
const LOOK_EVERY: Duration = Duration::from_millis(300);

pub(crate) fn run(words: &[String]) -> Outcome {
    let wishes = Wishes::read(words)?;
    if wishes.hosted {
        if wishes.build {
            super::build::run(&[])?;
        }
        project::need_dist()?;
        return process::run(&mut server(&wishes, project::DIST));
    }
    let before = sources()?;
    if wishes.build {
        super::setup::for_development()?;
        develop::assemble()?;
        println!("\n{}", develop::DIFFERENCE);
    }
    let mut server = server(&wishes, develop::SITE);
    let mut server = server.arg("--reload").spawn().map_err(|error| format!("cannot start node: {error}"))?;
    let over = if wishes.build { watch(&mut server, before) } else { server.wait().map_err(|error| error.to_string()) };
    match over {
        Ok(status) if !status.success() => Err(format!("the server ended ({status})")),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Rebuilds after every change until the server ends.
fn watch(server: &mut Child, mut before: Sources) -> Result<std::process::ExitStatus, String> {
    loop {
        if let Some(status) = server.try_wait().map_err(|error| format!("the server is lost: {error}"))? {
            return Ok(status);
        }
        let now = sources()?;
        if now != before {
            // An editor may save many files: wait until they stop changing.
            before = now;
            thread::sleep(LOOK_EVERY);
            if sources()? == before {
                match develop::programs().and_then(|()| develop::assemble()) {
                    Ok(()) => println!("the page is there anew"),
                    Err(sentence) => println!("{sentence}\nthe page stays as it was until this is mended"),
                }
            } else {
                before.clear();
            }
        }
        thread::sleep(LOOK_EVERY);
    }
}

/// The modification time of every source.
type Sources = BTreeMap<String, Option<SystemTime>>;

fn sources() -> Result<Sources, String> {
    let written = |file: &String| std::fs::metadata(file).and_then(|about| about.modified()).ok();
    Ok(freshness::sources()?.into_iter().map(|file| (file.clone(), written(&file))).collect())
}

fn server(wishes: &Wishes, folder: &str) -> std::process::Command {
    let port = wishes.port.to_string();
    let mut server = process::command("node", &["tests/browser/server.mjs", folder, &port]);
    if wishes.open && has_display() {
        server.arg("--open");
    }
    server
}

struct Wishes {
    port: u16,
    open: bool,
    build: bool,
    hosted: bool,
}

impl Wishes {
    fn read(words: &[String]) -> Result<Wishes, String> {
        let mut wishes = Wishes { port: PORT, open: true, build: true, hosted: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--no-open" => wishes.open = false,
                "--no-build" => wishes.build = false,
                "--hosted" => wishes.hosted = true,
                "--port" => wishes.port = port(words.next())?,
                _ => return Err(format!("{word} is not known; {HELP}")),
            }
        }
        Ok(wishes)
    }
}

fn port(word: Option<&String>) -> Result<u16, String> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| "--port wants a number up to 65535".into())
}

fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "macos") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
