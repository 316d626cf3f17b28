//! The project's own commands, `cargo xtask NAME`; people and CI use the same ones.
//!
//! Each command is one file in `commands/` and one line in [`COMMANDS`]. A command that fails prints one line with
//! what it tried and what to do.

mod commands;
mod digest;
mod literals;
mod packages;
mod page;
mod process;
mod progress;
mod project;
mod tools;

use std::process::ExitCode;

use commands::{
    bench, build, bundle, check, floors, fuzz, mutants, no_std, npm, prerender, serve, setup, size, soak, strings,
    supply, targets, test, wheel, words,
};

/// Success, or one sentence with what was tried and what to do.
type Outcome = Result<(), String>;

/// A command.
struct Command {
    name: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

/// Every command, in the order in which `help` shows them.
const COMMANDS: &[Command] = &[
    Command { name: "setup", help: setup::HELP, run: setup::run },
    Command { name: "build", help: build::HELP, run: build::run },
    Command { name: "serve", help: serve::HELP, run: serve::run },
    Command { name: "bundle", help: bundle::HELP, run: bundle::run },
    Command { name: "wheel", help: wheel::HELP, run: wheel::run },
    Command { name: "npm", help: npm::HELP, run: npm::run },
    Command { name: "test", help: test::HELP, run: test::run },
    Command { name: "check", help: check::HELP, run: check::run },
    Command { name: "floors", help: floors::HELP, run: floors::run },
    Command { name: "supply", help: supply::HELP, run: supply::run },
    Command { name: "words", help: words::HELP, run: words::run },
    Command { name: "strings", help: strings::HELP, run: strings::run },
    Command { name: "no-std", help: no_std::HELP, run: no_std::run },
    Command { name: "size", help: size::HELP, run: size::run },
    Command { name: "soak", help: soak::HELP, run: soak::run },
    Command { name: "targets", help: targets::HELP, run: targets::run },
    Command { name: "fuzz", help: fuzz::HELP, run: fuzz::run },
    Command { name: "mutants", help: mutants::HELP, run: mutants::run },
    Command { name: "bench", help: bench::HELP, run: bench::run },
    Command { name: "prerender", help: prerender::HELP, run: prerender::run },
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else {
        print_help();
        return ExitCode::SUCCESS;
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        print_help();
        return ExitCode::SUCCESS;
    }
    match run(name, rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("xtask {name}: {sentence}");
            ExitCode::FAILURE
        }
    }
}

fn run(name: &str, rest: &[String]) -> Outcome {
    let command = COMMANDS.iter().find(|command| command.name == name);
    let command = command.ok_or("no such command; `cargo xtask help` lists them")?;
    std::env::set_current_dir(project::root()?).map_err(|error| format!("cannot enter the checkout: {error}"))?;
    (command.run)(rest)
}

fn print_help() {
    println!("cargo xtask COMMAND\n");
    for command in COMMANDS {
        println!("  {:<10} {}", command.name, command.help);
    }
}
