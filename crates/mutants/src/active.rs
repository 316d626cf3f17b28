//! Which mutant is active; every mutation point asks. This file is part of the rewritten copy of tiebreak-model.
//!
//! `TIEBREAK_MUTANT` selects the active one; without it, `TIEBREAK_REACHED` names a file that records the points
//! reached.

extern crate std;

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::io::Write as _;

const UNKNOWN: u32 = u32::MAX;
const RECORDING: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;

static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; 1 << 16] = [const { AtomicBool::new(false) }; 1 << 16];
static RECORD: std::sync::OnceLock<std::fs::File> = std::sync::OnceLock::new();

/// The active one of the `count` mutants of a point, from 1 on; 0 for none.
#[inline(always)]
pub fn point(first: u32, count: u32) -> u32 {
    if ACTIVE.load(Relaxed) >= RECORDING {
        look(first);
    }
    let place = ACTIVE.load(Relaxed).wrapping_sub(first);
    if place < count { place + 1 } else { 0 }
}

#[cold]
fn look(first: u32) {
    if ACTIVE.load(Relaxed) == UNKNOWN {
        let named = std::env::var("TIEBREAK_MUTANT").ok().and_then(|id| id.parse().ok());
        let recording = std::env::var_os("TIEBREAK_REACHED").map_or(NONE, |path| {
            RECORD.get_or_init(|| std::fs::File::create(path).expect("a file for what is reached"));
            RECORDING
        });
        ACTIVE.store(named.unwrap_or(recording), Relaxed);
    }
    let seen = &REACHED[first as usize];
    if ACTIVE.load(Relaxed) == RECORDING && !seen.load(Relaxed) && !seen.swap(true, Relaxed) {
        let mut record = RECORD.get().expect("the record");
        record.write_all(std::format!("{first}\n").as_bytes()).expect("a line of the record");
    }
}
