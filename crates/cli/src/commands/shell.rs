//! `tiebreak completions` and `tiebreak man`: the declared commands and options, for shells and for `man`.

use std::path::Path;

use clap::{Arg, ArgAction, ValueHint};
use clap_complete::{Shell, generate};

use super::COMMANDS;
use tiebreak_console::answer::{Answer, Failure};
use tiebreak_console::command::Command;
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::whole::Folder;

/// The shells, in the order of the help.
const SHELLS: [(&str, Shell); 5] = [
    ("bash", Shell::Bash),
    ("zsh", Shell::Zsh),
    ("fish", Shell::Fish),
    ("powershell", Shell::PowerShell),
    ("elvish", Shell::Elvish),
];

/// The words of `completions`.
pub(crate) const WORDS: &str = "bash|zsh|fish|powershell|elvish";

pub(crate) const OUT: Opt =
    Opt { name: "out", value: Some("DIR"), help: "a folder for the manual pages, tiebreak.1 and one for each command" };

pub(crate) fn completions(given: &Given) -> Result<Answer, Failure> {
    let word = given.word(0, &format!("a shell ({WORDS})"))?;
    let shell = SHELLS.iter().find(|(name, _)| *name == word).map(|(_, shell)| *shell);
    let shell =
        shell.ok_or_else(|| Failure(format!("expected a shell ({WORDS}), got \"{word}\"; choose one of these")))?;
    let mut script = Vec::new();
    generate(shell, &mut declared(), "tiebreak", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    Ok(Answer::either(given, &script, || script.clone()))
}

pub(crate) fn man(given: &Given) -> Result<Answer, Failure> {
    let place = given.one(OUT.name);
    let place = place.ok_or_else(|| Failure("expected --out DIR, got none; add the folder to write".into()))?;
    let program = declared();
    let mut pages = vec![("tiebreak.1".to_owned(), rendered(&program)?)];
    for command in program.get_subcommands() {
        let name = format!("tiebreak-{}", command.get_name());
        pages.push((format!("{name}.1"), rendered(&command.clone().name(name))?));
    }
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    let folder = Folder::begin(Path::new(place), &names)?;
    for (name, page) in &pages {
        std::fs::write(folder.file(name), page).map_err(|error| folder.unwritable(&error))?;
    }
    folder.finish()?;
    Ok(Answer::either(given, &names, || format!("Wrote {} pages to {place}.\n", names.len())))
}

fn rendered(command: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}

/// The program as clap knows programs. It only describes: `Given` reads the command line.
fn declared() -> clap::Command {
    clap::Command::new("tiebreak")
        .version(crate::VERSION)
        .about("Replays VM traces through a rule-based VM allocator (Protean, OSDI 2020).")
        .disable_help_subcommand(true)
        .subcommands(COMMANDS.iter().map(command))
}

fn command(declared: &Command) -> clap::Command {
    let words = Arg::new("words").num_args(0..).value_name(declared.words).value_hint(ValueHint::AnyPath);
    let command = clap::Command::new(declared.name).about(declared.help).args(declared.options().map(option));
    if declared.words_max == 0 { command } else { command.arg(words) }
}

fn option(opt: &'static Opt) -> Arg {
    let arg = Arg::new(opt.name).long(opt.name).help(opt.help);
    match opt.value {
        Some(value) => arg.value_name(value).action(ArgAction::Append).value_hint(ValueHint::AnyPath),
        None => arg.action(ArgAction::SetTrue),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_option_is_completed_in_every_shell() {
        for (name, shell) in SHELLS {
            let mut script = Vec::new();
            generate(shell, &mut declared(), "tiebreak", &mut script);
            let script = String::from_utf8(script).expect("a script is text");
            for command in COMMANDS {
                assert!(script.contains(command.name), "{name}: {}", command.name);
                assert!(command.options().all(|opt| script.contains(opt.name)), "{name}: {}", command.name);
            }
        }
    }
}
