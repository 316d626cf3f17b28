//! Every command: one file each, one line here.

mod admission;
mod bounds;
mod check;
mod compare;
mod explain;
mod lifetimes;
mod link;
mod list;
mod power;
mod run;
mod score;
mod search;
mod shell;
mod size;
mod suite;
mod sweep;
mod trace;

use tiebreak_console::command::Command;
use tiebreak_console::imports::IMPORT;
use tiebreak_console::scenario::{MACHINES, PRESET, RULE, SET, VARIANT};
use tiebreak_console::shown::wrapped;
use tiebreak_console::trace::{COLUMNS, SAMPLE, TRACE_READ, WITHOUT_OUTLIERS};

/// Every command, in the order of the help.
pub(crate) static COMMANDS: &[Command] = &[
    Command {
        name: "run",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Replays a scenario and prints the results; --out also writes them to files.",
        options: &[&[&PRESET], TRACE_READ, &[&IMPORT, &MACHINES, &RULE, &SET, &VARIANT, &run::OUT, &run::VERBOSE]],
        run: run::run,
    },
    Command {
        name: "compare",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Shows how other settings would change the results, over paired seeds, with intervals.",
        options: &[
            &[&PRESET],
            TRACE_READ,
            &[&MACHINES, &RULE, &compare::SET, &compare::BASE, &compare::PLAN, &compare::SEEDS, &VARIANT],
        ],
        run: compare::run,
    },
    Command {
        name: "size",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Finds how many machines a workload needs. Exit code 1 if no number is enough.",
        options: &[
            &[&PRESET],
            TRACE_READ,
            &[&MACHINES, &size::MACHINE, &size::REJECT, &size::SEEDS, &size::LIST, &RULE, &SET, &VARIANT],
        ],
        run: size::run,
    },
    Command {
        name: "check",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Lists all problems of a scenario with their fields, or what of imported files has no twin. Exit code 1 if \
             there is anything.",
        options: &[&[&IMPORT]],
        run: check::run,
    },
    Command {
        name: "explain",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Explains, rule by rule, why a VM was placed on its machine, why not elsewhere, or why it was refused.",
        options: &[
            &[&explain::VM, &explain::MACHINE, &PRESET],
            TRACE_READ,
            &[&IMPORT, &MACHINES, &RULE, &SET, &VARIANT],
        ],
        run: explain::run,
    },
    Command {
        name: "lifetimes",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Shows how well each predictor knows the lifetimes of a workload: all learn from its first part (the \
             scenario's predictor.train_share) and are judged on the rest.",
        options: &[&[&PRESET], TRACE_READ, &[&SET, &VARIANT]],
        run: lifetimes::run,
    },
    Command {
        name: "trace",
        words: "inspect|profile|convert|model|fit|criticality|warm-up FILE | generate FITTED | compare FILE FILE",
        words_max: 3,
        help: "Reads a trace. `inspect` shows what it contains and what it cannot answer. `profile` shows its sizes, \
             lifetimes, arrivals, tenants, load and the machines it needs. `convert` writes it as CSV with named \
             columns, or in the compact format. `model` fits a workload to it, a few kilobytes of JSON. `generate` \
             draws VMs from such a file, or from the built-in azure-2020, azure-2019 and azure-2017. `compare` shows \
             how similar two traces are. `fit` fits the beliefs of admission rules to its deployments, and shows how \
             well they agree. `criticality` reads CPU readings (timestamp, VM, minimum, maximum and average percent) \
             and shows which VMs are user-facing. `warm-up` puts weeks of resampled tenants before it, so that the VMs \
             running at its start are placed by the rules.",
        options: &[&[
            &SAMPLE,
            &WITHOUT_OUTLIERS,
            &COLUMNS,
            &trace::OUT,
            &trace::COMPACT,
            &trace::model::RATE,
            &trace::model::DAYS,
            &trace::model::SEED,
            &trace::model::PAGE,
            &trace::model::SOURCE,
            &trace::CORES_END,
            &trace::FIRST_DAY,
        ]],
        run: trace::run,
    },
    Command {
        name: "link",
        words: "encode [SCENARIO.json] | decode URL",
        words_max: 2,
        help: "Turns a scenario into the part of a link after #, and back.",
        options: &[&[&PRESET]],
        run: link::run,
    },
    Command {
        name: "list",
        words: list::WORDS,
        words_max: 1,
        help: "Lists rules, metrics, presets and so on, each with its help and parameters.",
        options: &[],
        run: list::run,
    },
    tiebreak_papers::BENCH,
    Command {
        name: "sweep",
        words: "PLAN.json [SHARD.csv ...]",
        words_max: 100_000,
        help: "Runs one scenario over values of its fields and over seeds, and prints one CSV row per run, in the \
             order of their numbers. The rows of all shards together equal those of the whole sweep.",
        options: &[
            &[&sweep::SHARD, &sweep::OUT, &sweep::THREADS, &sweep::RESUME, &sweep::STALE, &sweep::MERGE],
            &[&sweep::REGION],
            TRACE_READ,
            &[&MACHINES, &RULE, &SET],
        ],
        run: sweep::run,
    },
    Command {
        name: "search",
        words: "PLAN.json",
        words_max: 1,
        help: "Searches for a better list of rules: order, switches, buckets and parameters, by races over paired seeds. \
             Half of the seeds are held out, and the list is judged there. Exit code 3 if no list is certainly better.",
        options: &[&[&search::OUT, &search::JOURNAL, &sweep::THREADS], TRACE_READ, &[&MACHINES, &RULE, &SET]],
        run: search::run,
    },
    Command {
        name: "score",
        words: "",
        words_max: 0,
        help: "Scores a list of rules on the workloads of the suite: one number, larger is better, for programs that \
             write rules.",
        options: &[&[&score::RULES, &score::SMALL, &score::HIDDEN, &score::WORKLOAD, &RULE, &SET]],
        run: score::run,
    },
    Command {
        name: "suite",
        words: "list | table",
        words_max: 1,
        help: "The workloads that lists are scored on. `list` shows them. `table` scores the known lists on them, as in \
             docs/SUITE.md.",
        options: &[],
        run: suite::run,
    },
    tiebreak_papers::REPRODUCE,
    Command {
        name: "bounds",
        words: "",
        words_max: 0,
        help: "Shows how much bandwidth the links of virtual datacenters may have so that an empty datacenter can \
             hold any of them, by each of Gridiron's three bounds.",
        options: &[&[&bounds::UPLINK, &bounds::VMS, &bounds::COLOCATED, &bounds::CORES]],
        run: bounds::run,
    },
    Command {
        name: "admission",
        words: "forecast [FILE]",
        words_max: 2,
        help: "Forecasts the cores of a deployment (--cores), or of a cluster's deployments (a JSON array or CSV file, see \
             docs/ADMISSION.md): mean, variance and standard deviation at future moments, by the beliefs of a \
             scenario. --json has all digits.",
        options: &[&[
            &admission::CORES,
            &admission::HOURS,
            &admission::SCALE_OUTS,
            &admission::AT,
            &admission::SIZE,
            &admission::MOMENTS,
            &admission::PRIOR,
            &PRESET,
            &SET,
        ]],
        run: admission::run,
    },
    Command {
        name: "power",
        words: "budget FILE.csv",
        words_max: 2,
        help: "Finds the lowest power budgets of chassis that recorded draws allow, and the savings, by each of the \
             power paper's eight approaches. The file has one row per chassis and time, with a column `watts` and \
             optional columns `time` and `chassis`.",
        options: &[&[
            &power::APPROACH,
            &power::SERVERS,
            &power::PROVISIONED,
            &power::BUFFER,
            &power::USER_FACING,
            &power::USER_FACING_BUSY,
            &power::BATCH_BUSY,
            &tiebreak_papers::ALLOCATED,
            &tiebreak_papers::INTERNAL,
            &tiebreak_papers::NON_PREMIUM,
            &power::SITE,
            &power::DOLLARS,
        ]],
        run: power::run,
    },
    Command {
        name: "completions",
        words: shell::WORDS,
        words_max: 1,
        help: "Prints the completions of commands and options for a shell.",
        options: &[],
        run: shell::completions,
    },
    Command {
        name: "man",
        words: "",
        words_max: 0,
        help: "Writes manual pages: one of the program and one of each command.",
        options: &[&[&shell::OUT]],
        run: shell::man,
    },
];

/// What people want, and the commands for it.
static GROUPS: &[(&str, &[&str])] = &[
    ("Run a scenario and see why", &["run", "explain"]),
    ("See what would change", &["compare", "sweep", "size", "search"]),
    ("Use your own traces and scenarios", &["trace", "lifetimes", "check", "link"]),
    ("Plan power, bandwidth and admission", &["power", "bounds", "admission"]),
    ("Repeat the papers and measure speed", &["reproduce", "bench", "suite", "score"]),
    ("Look things up, set up the shell", &["list", "completions", "man"]),
];

/// The command of this name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// The overview page: what the program is and all commands, on one screen.
pub(crate) fn overview() -> String {
    let mut page = String::from("Replays VM traces through a rule-based VM allocator (Protean, OSDI 2020).\n");
    for (wish, names) in GROUPS {
        page += &format!("\n{wish}\n");
        for command in names.iter().filter_map(|name| find(name)) {
            let line = format!("tiebreak {} {}", command.name, command.words);
            page += &format!("\n  {}\n{}", line.trim_end(), wrapped(command.help, "      "));
        }
    }
    page + "\n`tiebreak help COMMAND` shows its options. Every command takes --json. Exit codes: 0 success, 1 the run found\nthe problem it looks for, 2 bad input or unwritable output, 3 something is undecided, 130 stopped by Ctrl-C.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_for_one_wish() {
        let mut named: Vec<_> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut all: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        named.sort_unstable();
        all.sort_unstable();
        assert_eq!(named, all);
    }
}
