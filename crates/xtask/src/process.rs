//! Runs other programs: prints each command before it starts, and one sentence if it fails.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::Outcome;

/// How long to wait for the remaining output of a program that has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A program with its arguments, as on a command line.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

/// The cargo that started this program.
pub(crate) fn cargo(args: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), args)
}

/// Runs with our own input and output.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs silently and returns the output.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let last_words = String::from_utf8_lossy(&output.stderr);
    let last_words = last_words.trim().lines().last().unwrap_or("it said nothing").to_owned();
    Err(format!("`{}` failed: {last_words}", shown(command)))
}

/// Runs, passes on every line as it arrives, and also returns all lines to the caller.
pub(crate) fn run_and_listen(command: &mut Command) -> (Outcome, Vec<String>) {
    println!("$ {}", shown(command));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return (Err(not_started(command, &error)), Vec::new()),
    };
    let (sender, heard) = mpsc::channel();
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let second = sender.clone();
    thread::spawn(move || pass_on(out, std::io::stdout(), &sender));
    thread::spawn(move || pass_on(err, std::io::stderr(), &second));
    let outcome = match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` failed ({status})", shown(command))),
        Err(error) => Err(not_started(command, &error)),
    };
    // A process that the program left behind may keep its output open forever; the program's own last lines arrive at
    // once.
    let lines = std::iter::from_fn(|| heard.recv_timeout(LAST_WORDS).ok()).collect();
    (outcome, lines)
}

fn pass_on(from: Option<impl Read>, mut to: impl Write, listener: &mpsc::Sender<String>) {
    let lines = from.into_iter().flat_map(|from| BufReader::new(from).split(b'\n').map_while(Result::ok));
    for line in lines {
        let line = String::from_utf8_lossy(&line).into_owned();
        // A closed terminal is no reason to stop reading.
        let _ = writeln!(to, "{line}");
        let _ = listener.send(line);
    }
}

/// The first program of this name on PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> String {
    format!("cannot start `{}`: {error}; is it installed?", shown(command))
}
