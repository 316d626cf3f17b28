//! Measures how fast a trace is read, compared with pandas' CSV reader in C on the same file, alternately:
//! `cargo run --release -p tiebreak-trace --example reading -- vmtable.csv [python3]`.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use tiebreak_trace::{Parsed, Summary, TraceParser};

const TIMES: usize = 3;

/// Prints the seconds that pandas takes, excluding the start of Python and the import of pandas.
const PANDAS: &str = "import sys, time, pandas
begun = time.perf_counter()
table = pandas.read_csv(sys.argv[1], engine='c', header=None)
print(time.perf_counter() - begun)";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = args.first().ok_or("expected a trace")?;
    let megabytes = std::fs::metadata(path)?.len() as f64 / 1e6;
    let (mut ours, mut pandas) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        let begun = Instant::now();
        let Parsed { workload, report } = read(path)?;
        // With all that the page says of a trace.
        let summary = Summary::of(&workload);
        ours.push(begun.elapsed().as_secs_f64());
        println!(
            "{} VMs as {}, {:.2} s, {:.1} bytes a VM, peak {:.0} MB",
            summary.vms,
            report.format,
            ours[ours.len() - 1],
            workload.bytes() as f64 / f64::from(summary.vms),
            peak_mb().unwrap_or(f64::NAN)
        );
        if let Some(python) = args.get(1) {
            let told = Command::new(python).args(["-c", PANDAS, path]).output()?;
            pandas.push(String::from_utf8(told.stdout)?.trim().parse()?);
        }
    }
    let ours = median(&mut ours);
    println!("ours {ours:.2} s, {:.0} MB/s", megabytes / ours);
    if !pandas.is_empty() {
        let pandas = median(&mut pandas);
        println!("pandas {pandas:.2} s, {:.0} MB/s; ours is {:.2} times as fast", megabytes / pandas, pandas / ours);
    }
    Ok(())
}

fn read(path: &str) -> Result<Parsed, Box<dyn Error>> {
    let name = Path::new(path).file_name().ok_or("expected a file")?.to_string_lossy();
    let mut parser = TraceParser::new(&name).of_size(std::fs::metadata(path)?.len());
    parser.push_file(File::open(path)?)?;
    Ok(parser.finish()?)
}

fn median(seconds: &mut [f64]) -> f64 {
    seconds.sort_unstable_by(f64::total_cmp);
    seconds[seconds.len() / 2]
}

/// The peak memory of this program; available only on Linux.
fn peak_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? * 1_024.0 / 1e6)
}
