//! Writes a `vmtable` in the form of the Azure trace of 2017, with the requested number of VMs:
//! `cargo run --release -p tiebreak-trace --example vmtable -- 2000000 > vmtable.csv`.
//!
//! The form is exact: no header, 11 columns, names of 64, 64 and 88 letters, times on the grid of 300 s, percentages
//! with as many digits as in the original. The content is generated from one seed, and the same for every reader: it
//! is for measuring reading speed and does not represent a cloud.

use std::error::Error;
use std::io::{BufWriter, Write, stdout};

use tiebreak_model::random::{Seed, pick};

const SEED: Seed = Seed(2017);
/// The last timestamp of the trace of 2017, in seconds; on the grid.
const LAST_S: u32 = 2_591_700;
const GRID_S: u32 = 300;
/// Mean number of VMs per deployment, and of deployments per subscription.
const DEPLOYMENT_VMS: u32 = 60;
const SUBSCRIPTION_DEPLOYMENTS: u64 = 6;

const CATEGORIES: [&str; 4] = ["Delay-insensitive", "Interactive", "Unknown", "Unkown"];
const SIZES: [(u32, &str); 8] =
    [(1, "0.75"), (1, "1.75"), (2, "3.5"), (4, "7"), (8, "14"), (2, "14"), (4, "28"), (8, "56")];

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).ok_or("expected how many VMs, for example 2000000")?;
    let count: u32 = count.parse().map_err(|_| format!("expected how many VMs, got {count}"))?;
    let mut out = BufWriter::with_capacity(1 << 20, stdout().lock());
    (0..count).try_for_each(|vm| write_row(&mut out, vm, count))?;
    out.flush()?;
    Ok(())
}

fn write_row(out: &mut impl Write, vm: u32, count: u32) -> std::io::Result<()> {
    let stream = SEED.stream("vmtable");
    let of_vm = |what: u64| stream.draw(u64::from(vm), what);
    let deployment = u64::from(pick(of_vm(0), count.div_ceil(DEPLOYMENT_VMS)));
    write_name(out, "vm", u64::from(vm), 64, "")?;
    write_name(out, "subscription", deployment / SUBSCRIPTION_DEPLOYMENTS, 64, "")?;
    write_name(out, "deployment", deployment, 86, "==")?;
    let (created, deleted) = times(&of_vm);
    let highest = share(of_vm(1)) * 100.0;
    let (average, p95) = (highest * share(of_vm(2)), highest * share(of_vm(3)));
    let category = CATEGORIES[[0, 0, 1, 2, 2, 2, 2, 3][of_vm(4) as usize % 8]];
    let (cores, memory) = SIZES[of_vm(5) as usize % SIZES.len()];
    writeln!(out, "{created},{deleted},{highest:.6},{average},{p95:.6},{category},{cores},{memory}")
}

/// One in twenty is there at the beginning or at the end; half of the others live at most one hour.
fn times(of_vm: &impl Fn(u64) -> u64) -> (u32, u32) {
    let last = LAST_S / GRID_S;
    let created = if of_vm(6).is_multiple_of(20) { 0 } else { pick(of_vm(7), last) };
    let lives = 1 + pick(of_vm(8), if of_vm(9).is_multiple_of(2) { 12 } else { 2_000 });
    let deleted = if of_vm(10).is_multiple_of(20) { last } else { (created + lives).min(last) };
    (created * GRID_S, deleted * GRID_S)
}

/// A number from 0 to 1.
fn share(bits: u64) -> f64 {
    f64::from((bits >> 32) as u32) / f64::from(u32::MAX)
}

/// A hash in letters, which the trace has instead of names.
fn write_name(out: &mut impl Write, kind: &str, number: u64, letters: usize, end: &str) -> std::io::Result<()> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let stream = SEED.stream(kind);
    let mut name = Vec::with_capacity(letters);
    for part in 0.. {
        let bits = stream.draw(number, part);
        name.extend((0..10).map(|digit| LETTERS[(bits >> (6 * digit)) as usize % 64]));
        if name.len() >= letters {
            break;
        }
    }
    out.write_all(&name[..letters])?;
    write!(out, "{end},")
}
