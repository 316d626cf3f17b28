//! Builds the page and shows it on this machine, from the same small server that the browser tests use.

use crate::{Outcome, process, project};

pub(crate) const HELP: &str = "build the page and serve it here [--port N] [--no-open] [--no-build]";

const PORT: u16 = 8080;

pub(crate) fn run(words: &[String]) -> Outcome {
    let wishes = Wishes::read(words)?;
    if wishes.build {
        super::build::run(&[])?;
    }
    project::need_dist()?;
    let port = wishes.port.to_string();
    let mut server = process::command("node", &["tests/browser/server.mjs", project::DIST, &port]);
    if wishes.open && has_display() {
        server.arg("--open");
    }
    process::run(&mut server)
}

struct Wishes {
    port: u16,
    open: bool,
    build: bool,
}

impl Wishes {
    fn read(words: &[String]) -> Result<Wishes, String> {
        let mut wishes = Wishes { port: PORT, open: true, build: true };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--no-open" => wishes.open = false,
                "--no-build" => wishes.build = false,
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
