//! A command of the program, and its help page.

use crate::answer::{Answer, Failure};
use crate::given::{Given, Opt};
use crate::shown::wrapped;

/// A command.
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its positional arguments, as help shows them.
    pub words: &'static str,
    /// The maximum number of positional arguments.
    pub words_max: usize,
    /// What it does.
    pub help: &'static str,
    /// Its options, in groups that commands share.
    pub options: &'static [&'static [&'static Opt]],
    /// Its implementation.
    pub run: fn(&Given) -> Result<Answer, Failure>,
}

const JSON: Opt = Opt { name: "json", value: None, help: "one JSON value on standard output and nothing else" };

/// The option of commands that have a small size.
pub const QUICK: Opt = Opt { name: "quick", value: None, help: "the small size" };

impl Command {
    /// Its options and those of every command.
    pub fn options(&self) -> impl Iterator<Item = &'static Opt> {
        self.options.iter().copied().flatten().copied().chain([&JSON])
    }

    /// Its usage line.
    fn usage(&self) -> String {
        let options: Vec<_> = self.options().map(|opt| format!("[{}]", opt.usage())).collect();
        ["tiebreak", self.name, self.words, &options.join(" ")].join(" ").replace("  ", " ")
    }

    /// Its help page.
    pub fn page(&self) -> String {
        let mut page = format!("{}\n\n{}\n", wrapped(self.help, "").trim_end(), self.usage());
        for opt in self.options() {
            page += &format!("\n  {}\n{}", opt.usage(), wrapped(opt.help, "      "));
        }
        page
    }

    /// The failure for a command line that does not match the command.
    pub fn misuse(&self, what: &str) -> Failure {
        Failure(format!("{what}; expected {}", self.usage()))
    }
}
