//! Every command: one file each, one line here.

mod bounds;
mod check;
mod compare;
mod explain;
mod link;
mod list;
mod power;
mod run;
mod size;
mod sweep;
mod trace;

use tiebreak_console::command::Command;
use tiebreak_console::scenario::{MACHINES, PRESET, RULE, SET, VARIANT};
use tiebreak_console::shown::wrapped;
use tiebreak_console::trace::{COLUMNS, SAMPLE, TRACE_READ, WITHOUT_OUTLIERS};

/// Every command, in the order in which help shows them.
pub(crate) static COMMANDS: &[Command] = &[
    Command {
        name: "run",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Replays a scenario and says what came out; with --out also as files.",
        options: &[&[&PRESET], TRACE_READ, &[&MACHINES, &RULE, &SET, &VARIANT, &run::OUT, &run::VERBOSE]],
        run: run::run,
    },
    Command {
        name: "compare",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Says what would change if something else were set, over paired seeds, with intervals.",
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
        help: "Finds how many machines a workload needs; exit code 1 if no number is enough.",
        options: &[
            &[&PRESET],
            TRACE_READ,
            &[&MACHINES, &size::MACHINE, &size::REJECT, &size::SEEDS, &RULE, &SET, &VARIANT],
        ],
        run: size::run,
    },
    Command {
        name: "check",
        words: "SCENARIO.json",
        words_max: 1,
        help: "Lists what is wrong with a scenario, each with its field; exit code 1 if anything is.",
        options: &[],
        run: check::run,
    },
    Command {
        name: "explain",
        words: "[SCENARIO.json]",
        words_max: 1,
        help: "Says rule by rule why a VM went where it went, why not elsewhere, or why it was refused.",
        options: &[&[&explain::VM, &explain::MACHINE, &PRESET], TRACE_READ, &[&MACHINES, &RULE, &SET, &VARIANT]],
        run: explain::run,
    },
    Command {
        name: "trace",
        words: "inspect|profile|convert|model|fit|criticality FILE | generate FITTED | compare FILE FILE",
        words_max: 3,
        help: "Reads a trace: `inspect` says what is in it and what it cannot answer, `profile` what it looks like (sizes, \
               lives, arrivals, tenants, load, the machines it needs), `convert` writes it as CSV \
               with named columns, or in the compact form. `model` fits a workload to it, a few kilobytes of JSON, from which \
               `generate` draws VMs (or from azure-2020, azure-2019, azure-2017, which are built in), and `compare` says how alike \
               two traces are. `fit` finds what admission rules may believe of its \
               deployments, and how well that agrees. `criticality` reads CPU readings (timestamp, VM, least, most and \
               average percent) and says which VMs are user-facing.",
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
        help: "Turns a scenario into the part of an address behind #, and back.",
        options: &[&[&PRESET]],
        run: link::run,
    },
    Command {
        name: "list",
        words: list::WORDS,
        words_max: 1,
        help: "Shows what there is, each with its help and parameters.",
        options: &[],
        run: list::run,
    },
    tiebreak_papers::BENCH,
    Command {
        name: "sweep",
        words: "PLAN.json [SHARD.csv ...]",
        words_max: 100_000,
        help: "Runs one scenario over values of its fields and over seeds, and prints a row of CSV for each run, in the \
               order of their numbers. The rows of all shards, put together, are those of the whole.",
        options: &[
            &[&sweep::SHARD, &sweep::OUT, &sweep::THREADS, &sweep::MERGE],
            TRACE_READ,
            &[&MACHINES, &RULE, &SET],
        ],
        run: sweep::run,
    },
    tiebreak_papers::REPRODUCE,
    Command {
        name: "bounds",
        words: "",
        words_max: 0,
        help: "Says how much bandwidth the links of virtual datacenters may have so that an empty datacenter can hold \
               every one of them, by each of Gridiron's three bounds.",
        options: &[&[&bounds::UPLINK, &bounds::VMS, &bounds::COLOCATED, &bounds::CORES]],
        run: bounds::run,
    },
    Command {
        name: "power",
        words: "budget FILE.csv",
        words_max: 2,
        help: "Finds from a history of draws how low power budgets of chassis may be, and what that saves, by each of the \
               power paper's eight approaches. The file has a line for each chassis and moment, with a column `watts`, and may \
               have columns `time` and `chassis`.",
        options: &[&[
            &power::APPROACH,
            &power::SERVERS,
            &power::PROVISIONED,
            &power::BUFFER,
            &power::USER_FACING,
            &power::USER_FACING_BUSY,
            &power::BATCH_BUSY,
            &power::SITE,
            &power::DOLLARS,
        ]],
        run: power::run,
    },
];

/// The command of this name.
pub(crate) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// What the program is and every command, in one screen.
pub(crate) fn overview() -> String {
    let mut page = String::from("Replays VM traces through a rule-based VM allocator (Protean, OSDI 2020).\n");
    for command in COMMANDS {
        let line = format!("tiebreak {} {}", command.name, command.words);
        page += &format!("\n  {}\n{}", line.trim_end(), wrapped(command.help, "      "));
    }
    page + "\n`tiebreak help COMMAND` shows its options. Every command takes --json. Exit codes: 0 done, 1 the run \
            found\nthe problem it looks for, 2 bad input or an answer that could not be written, 130 stopped by Ctrl-C.\n"
}
