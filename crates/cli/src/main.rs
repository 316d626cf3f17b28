//! `tiebreak`, the native program: the same engine as the page, for batch work, benchmarks, CI and scripts.
//!
//! Each command is one file in `commands/` and one line in [`COMMANDS`]. A command returns an [`Answer`]; only this
//! file writes to standard output. Exit codes: 0, done; 1, the run found the problem that it looks for; 2, bad input,
//! with one sentence on standard error; 3, something is undecided.

mod commands;
mod files;
mod lists;
mod suite;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use commands::COMMANDS;
use mimalloc::MiMalloc;
use tiebreak_console::answer::{self, Answer, Failure};
use tiebreak_console::command::Command;
use tiebreak_console::given::Given;

/// Takes memory in large pages where the system has them. The columns of machines and VMs are tens of megabytes, and
/// read in any order.
#[global_allocator]
static MEMORY: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    match run(words) {
        Ok(answer) => {
            let mut out = std::io::stdout().lock();
            match out.write_all(answer.text.as_bytes()).and_then(|()| out.flush()) {
                // A closed pipe (`| head`) is not a failure of the run.
                Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                    answer::note(&format!("expected to write the output, got: {error}"));
                    ExitCode::from(2)
                }
                _ => ExitCode::from(answer.exit()),
            }
        }
        Err(Failure(sentence)) => {
            answer::note(&sentence);
            ExitCode::from(2)
        }
    }
}

fn run(mut words: Vec<std::ffi::OsString>) -> Result<Answer, Failure> {
    if words.is_empty() {
        return Ok(Answer::text(commands::overview()));
    }
    let name = words.remove(0).to_string_lossy().into_owned();
    match name.as_str() {
        "help" | "--help" | "-h" => return Ok(Answer::text(help(&words))),
        "--version" | "-V" => return Ok(Answer::text(version())),
        _ => {}
    }
    let command = commands::find(&name).ok_or_else(|| {
        let names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        Failure(format!("expected a command ({}), got \"{name}\"; see `tiebreak help`", names.join(", ")))
    })?;
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Answer::text(command.page()));
    }
    (command.run)(&Given::parse(command, words)?)
}

/// The version of the program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version, with the commit if the program comes from a checkout.
fn version() -> String {
    let commit = option_env!("TIEBREAK_COMMIT").map(|commit| format!(" ({commit})")).unwrap_or_default();
    format!("tiebreak {VERSION}{commit}\n")
}

fn help(words: &[std::ffi::OsString]) -> String {
    let command = words.first().and_then(|name| commands::find(&name.to_string_lossy()));
    command.map_or_else(commands::overview, Command::page)
}
