//! Reproduces the papers' tables and figures (`tiebreak reproduce`), and measures the engine (`tiebreak bench`).

mod bench;
mod reproduce;
mod shares;

pub use shares::{ALLOCATED, INTERNAL, NON_PREMIUM, treated_shares};

use tiebreak_console::command::{Command, QUICK};
use tiebreak_console::scenario::SET;
use tiebreak_console::trace::TRACE;

/// The speed of the engine and the size of its caches, judged against bars.
pub const BENCH: Command = Command {
    name: "bench",
    words: "",
    words_max: 0,
    help: "Measures placements per second and bytes per machine, with and without caches, compared with plain \
         programs on the same requests, and shows which targets are met.",
    options: &[
        &[
            &QUICK,
            &bench::ALL,
            &bench::LIFETIMES,
            &bench::NETWORK,
            &bench::ADMISSION,
            &bench::POWER,
            &bench::WEIGHTS,
            &bench::ONLY,
            &TRACE,
        ],
        &[&bench::growth::GROWTH, &bench::growth::DRAWING],
        &[&bench::guard::GUARD, &bench::guard::CASE, &bench::guard::PREPARE],
    ],
    run: bench::run,
};

/// Reproduces a paper's table or figure next to the original.
pub const REPRODUCE: Command = Command {
    name: "reproduce",
    words: reproduce::WORDS,
    words_max: 1,
    help: "Reproduces a paper's table or figure and shows ours next to it. Exit code 1 if a direction does not hold, \
         3 if one is undecided and none fails. Without a name, it lists all of them.",
    options: &[
        &[&QUICK, &reproduce::OUT, &reproduce::FIRST_SEED, &reproduce::VERDICTS, &reproduce::RUNS, &TRACE, &SET],
        &[&reproduce::GHZ, &reproduce::P99, &ALLOCATED, &INTERNAL, &NON_PREMIUM],
    ],
    run: reproduce::run,
};
