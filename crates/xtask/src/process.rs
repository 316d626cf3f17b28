//! Runs other programs: shown before they start, and one sentence when they fail.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::Outcome;

/// A program with its arguments, as one writes them on a command line.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

/// The cargo that started us.
pub(crate) fn cargo(args: &[&str]) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()), args)
}

/// Runs with our own input and output.
pub(crate) fn run(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs silently and gives what the program printed.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| not_started(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let last_words = String::from_utf8_lossy(&output.stderr);
    let last_words = last_words.trim().lines().last().unwrap_or("it said nothing").to_owned();
    Err(format!("`{}` failed: {last_words}", shown(command)))
}

/// Runs, passes on every line as it comes, and gives all of them to the caller as well.
pub(crate) fn run_and_listen(command: &mut Command) -> (Outcome, Vec<String>) {
    println!("$ {}", shown(command));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return (Err(not_started(command, &error)), Vec::new()),
    };
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let lines = thread::scope(|scope| {
        let err = scope.spawn(|| pass_on(err, std::io::stderr()));
        let mut lines = pass_on(out, std::io::stdout());
        lines.extend(err.join().unwrap_or_default());
        lines
    });
    let outcome = match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{}` failed ({status})", shown(command))),
        Err(error) => Err(not_started(command, &error)),
    };
    (outcome, lines)
}

fn pass_on(from: Option<impl Read>, mut to: impl Write) -> Vec<String> {
    let Some(from) = from else { return Vec::new() };
    let mut lines = Vec::new();
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        // A closed terminal is no reason to stop listening.
        let _ = writeln!(to, "{line}");
        lines.push(line);
    }
    lines
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
