//! A sweep sharded through Dask equals the unsharded sweep (docs/SWEEPS.md). Needs a Python with Dask:
//! `cargo xtask test sweep` provides one and passes it in `TIEBREAK_PYTHON`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tiebreak");
const SWEEP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/sweep");

fn through_dask(plan: &Path, out: &Path) -> Output {
    let python = std::env::var_os("TIEBREAK_PYTHON").expect("TIEBREAK_PYTHON names a Python with Dask");
    let mut dask = Command::new(python);
    dask.arg(Path::new(SWEEP).join("dask_sweep.py")).arg(plan).arg("--out").arg(out);
    dask.args(["--shards", "4", "--program", PROGRAM]).output().expect("Python starts")
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
#[ignore = "needs Dask: cargo xtask test sweep"]
fn four_shards_through_dask_are_the_whole() {
    let (folder, plan) = (folder("dask"), Path::new(SWEEP).join("plan.json"));
    let (whole, parts) = (folder.join("whole.csv"), folder.join("parts.csv"));
    let done = Command::new(PROGRAM).arg("sweep").arg(&plan).arg("--out").arg(&whole).status();
    assert!(done.is_ok_and(|status| status.success()));
    let dask = through_dask(&plan, &parts);
    assert!(dask.status.success(), "{}", String::from_utf8_lossy(&dask.stderr));
    let read = |file| std::fs::read_to_string(file).expect("rows");
    let (whole, parts) = (read(whole), read(parts));
    assert!(whole.lines().count() > 10 && whole == parts, "{whole}\nand through Dask\n{parts}");
}

#[test]
#[ignore = "needs Dask: cargo xtask test sweep"]
fn what_a_shard_refuses_is_told_through_dask() {
    let folder = folder("dask-bad");
    let plan = folder.join("plan.json");
    std::fs::write(&plan, r#"{"scenario":"small","parameters":[{"path":"agents.cont","values":[1]}]}"#)
        .expect("a plan");
    let dask = through_dask(&plan, &folder.join("rows.csv"));
    let told = String::from_utf8_lossy(&dask.stderr);
    assert!(!dask.status.success() && told.contains("parameters[0].path: expected count, decision_ms"), "{told}");
}
