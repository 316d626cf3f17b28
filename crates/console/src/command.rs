//! A command of the program, and its page of help.

use crate::answer::{Answer, Failure};
use crate::given::{Given, Opt};
use crate::shown::wrapped;

/// A thing to do by name.
pub struct Command {
    /// What it is called by.
    pub name: &'static str,
    /// The words behind the name.
    pub words: &'static str,
    /// How many words there may be.
    pub words_max: usize,
    /// What it does.
    pub help: &'static str,
    /// Its options, in groups that commands share.
    pub options: &'static [&'static [&'static Opt]],
    /// Does it.
    pub run: fn(&Given) -> Result<Answer, Failure>,
}

const JSON: Opt = Opt { name: "json", value: None, help: "one JSON value on standard output and nothing else" };

/// The option of commands that have a small size.
pub const QUICK: Opt = Opt { name: "quick", value: None, help: "the small size" };

impl Command {
    /// Its options, with those that every command has.
    pub fn options(&self) -> impl Iterator<Item = &'static Opt> {
        self.options.iter().copied().flatten().copied().chain([&JSON])
    }

    /// How it is written.
    fn usage(&self) -> String {
        let options: Vec<_> = self.options().map(|opt| format!("[{}]", opt.usage())).collect();
        ["tiebreak", self.name, self.words, &options.join(" ")].join(" ").replace("  ", " ")
    }

    /// Its page of help.
    pub fn page(&self) -> String {
        let mut page = format!("{}\n\n{}\n", wrapped(self.help, "").trim_end(), self.usage());
        for opt in self.options() {
            page += &format!("\n  {}\n{}", opt.usage(), wrapped(opt.help, "      "));
        }
        page
    }

    /// A command line that is not as the command wants it.
    pub fn misuse(&self, what: &str) -> Failure {
        Failure(format!("{what}; expected {}", self.usage()))
    }
}
