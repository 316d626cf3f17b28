//! A sweep as tasks of HyperQueue equals that of one process (docs/SWEEPS.md). Needs a Python with HyperQueue:
//! `cargo xtask test sweep` provides one and passes it in `TIEBREAK_PYTHON`.

use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tiebreak");
const SWEEP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/sweep");

#[test]
#[ignore = "needs HyperQueue: cargo xtask test sweep"]
fn tasks_that_share_a_sweep_give_the_table_of_one_process() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("hyperqueue");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let (plan, out) = (Path::new(SWEEP).join("plan.json"), folder.join("rows.csv"));
    let python = std::env::var_os("TIEBREAK_PYTHON").expect("TIEBREAK_PYTHON names a Python with HyperQueue");
    let mut tasks = Command::new(python);
    tasks.arg(Path::new(SWEEP).join("hyperqueue_sweep.py")).arg(&plan).arg("--out").arg(&out);
    let done = tasks.args(["--tasks", "4", "--program", PROGRAM]).output().expect("Python starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let one = Command::new(PROGRAM).arg("sweep").arg(&plan).output().expect("the program starts");
    let table = std::fs::read(out).expect("the table");
    assert!(one.status.success() && one.stdout == table && table.len() > 1_000);
}
