//! The arguments of a command line, checked against the command's declaration.

use std::ffi::OsString;
use std::ops::RangeInclusive;

use lexopt::{Arg, Parser};

use crate::answer::Failure;
use crate::command::Command;

/// One option of a command.
pub struct Opt {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// The name of its value; `None` for a switch.
    pub value: Option<&'static str>,
    /// What it does.
    pub help: &'static str,
}

impl Opt {
    /// Its form on a command line.
    pub fn usage(&self) -> String {
        match self.value {
            Some(value) => format!("--{} {value}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

/// The arguments of a command.
pub struct Given {
    /// The positional arguments.
    pub words: Vec<String>,
    options: Vec<(&'static str, String)>,
}

impl Given {
    /// Parses the arguments of a command and checks them against its declaration.
    pub fn parse(command: &Command, words: Vec<OsString>) -> Result<Self, Failure> {
        let mut parser = Parser::from_args(words);
        let mut given = Self { words: Vec::new(), options: Vec::new() };
        while let Some(arg) = parser.next().map_err(|error| command.misuse(&error.to_string()))? {
            match arg {
                Arg::Value(word) => given.words.push(text(word)?),
                Arg::Long(name) => {
                    let name = name.to_owned();
                    let opt = command.options().find(|opt| opt.name == name);
                    let opt = opt.ok_or_else(|| command.misuse(&format!("unknown option --{name}")))?;
                    let value = match opt.value {
                        Some(what) => {
                            let missing = |_| command.misuse(&format!("expected {what} after --{name}, got nothing"));
                            text(parser.value().map_err(missing)?)?
                        }
                        None => String::new(),
                    };
                    given.options.push((opt.name, value));
                }
                Arg::Short(letter) => return Err(command.misuse(&format!("unknown option -{letter}"))),
            }
        }
        if given.words.len() > command.words_max {
            let extra = &given.words[command.words_max];
            return Err(command.misuse(&format!("unexpected argument \"{extra}\"")));
        }
        Ok(given)
    }

    /// The same arguments without the first positional one, which selected a subcommand.
    pub fn behind_first(&self) -> Self {
        Self { words: self.words[1..].to_vec(), options: self.options.clone() }
    }

    /// Whether an option is present.
    pub fn has(&self, name: &str) -> bool {
        self.one(name).is_some()
    }

    /// The value of an option; the last one if it is repeated.
    pub fn one(&self, name: &str) -> Option<&str> {
        self.all(name).last()
    }

    /// Every value of an option, in order.
    pub fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.options.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// The value of an option as a whole number.
    pub fn number(&self, name: &str) -> Result<Option<u64>, Failure> {
        let parse = |value: &str| {
            let wrong =
                |_| Failure(format!("expected a whole number after --{name}, got \"{value}\"; write digits only"));
            value.parse().map_err(wrong)
        };
        self.one(name).map(parse).transpose()
    }

    /// The value of an option as a number within a range.
    pub fn decimal(&self, name: &str, range: RangeInclusive<f64>) -> Result<Option<f64>, Failure> {
        let parse = |text: &str| {
            let number = text.parse().ok().filter(|number| range.contains(number));
            let (least, most) = (range.start(), range.end());
            number.ok_or_else(|| {
                Failure(format!(
                    "expected a number from {least} to {most} after --{name}, got \"{text}\"; choose a number in this range"
                ))
            })
        };
        self.one(name).map(parse).transpose()
    }

    /// The value of an option in percent, as a share from 0 to 1.
    pub fn share(&self, name: &str) -> Result<Option<f64>, Failure> {
        Ok(self.decimal(name, 0.0..=100.0)?.map(|percent| percent / 100.0))
    }

    /// A required positional argument.
    pub fn word(&self, index: usize, what: &str) -> Result<&str, Failure> {
        let missing = || Failure(format!("expected {what}, got nothing; see `tiebreak help`"));
        self.words.get(index).map(String::as_str).ok_or_else(missing)
    }
}

fn text(word: OsString) -> Result<String, Failure> {
    let lossy = |word: OsString| {
        Failure(format!("expected arguments in UTF-8, got \"{}\"; rename that file", word.to_string_lossy()))
    };
    word.into_string().map_err(lossy)
}
