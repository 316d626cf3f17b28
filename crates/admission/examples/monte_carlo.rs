//! Checks forecasts against simulated futures, and fails if one is off by more than 1 % and by more than chance
//! explains: `cargo run --release -p tiebreak-admission --example monte_carlo -- [TRIALS] [DRAWS] [FIRST_SEED]`. Also
//! prints how long a forecast takes.

#![allow(clippy::disallowed_methods, reason = "its own numbers may differ in the last digit between machines")]
#![allow(clippy::disallowed_types, reason = "it measures real time, and nothing depends on that")]

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use simulation::{Gap, Luck, Trial, trial};
use tiebreak_admission::{Ahead, Belief, closed, horizons};

fn main() -> Result<ExitCode, std::num::ParseIntError> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default));
    let (trials, draws, first) = (number(200)?, number(1_000_000)?, number(1)?);
    let mut gaps = Vec::new();
    for seed in first..first + trials {
        let mut luck = Luck::new(u64::from(seed));
        let trial = trial(&mut luck, seed % 2 == 0);
        for (name, gap) in ["mean", "variance"].into_iter().zip(trial.gaps(&mut luck, draws)) {
            if gap.is_wrong() || 3.5 < gap.z().abs() {
                println!("seed {seed}, {name}: {gap:?}, z {:.2}, of {trial:?}", gap.z());
            }
            gaps.push((name, gap));
        }
    }
    for name in ["mean", "variance"] {
        let those: Vec<Gap> = gaps.iter().filter(|gap| gap.0 == name).map(|gap| gap.1).collect();
        summarise(name, &those);
    }
    print_speed(&trial(&mut Luck::new(1), false));
    let wrong = gaps.iter().filter(|gap| gap.1.is_wrong()).count();
    println!("{wrong} of {} are wrong", gaps.len());
    Ok(if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn summarise(name: &str, gaps: &[Gap]) {
    let mut errors: Vec<f64> = gaps.iter().map(Gap::error).collect();
    errors.sort_by(f64::total_cmp);
    let largest = gaps.iter().map(|gap| gap.z().abs()).fold(0.0, f64::max);
    let [within_1, within_2] = [1.0, 2.0].map(|z| gaps.iter().filter(|gap| gap.z().abs() < z).count());
    println!(
        "{name}: relative error median {:.3} %, 95 of 100 below {:.3} %, largest {:.3} %; largest |z| {largest:.2}, \
         |z| below 1 for {:.1} %, below 2 for {:.1} %",
        errors[errors.len() / 2] * 100.0,
        errors[errors.len() * 95 / 100] * 100.0,
        errors[errors.len() - 1] * 100.0,
        within_1 as f64 / gaps.len() as f64 * 100.0,
        within_2 as f64 / gaps.len() as f64 * 100.0,
    );
}

fn print_speed(trial: &Trial) {
    let grid = horizons::geometric(1.0, 26_280.0, 2)[..24].to_vec();
    let mut out = Vec::new();
    let rounds = 20_000;
    let per_round = |begun: Instant| begun.elapsed().as_secs_f64() / f64::from(rounds) * 1e6;
    let begun = Instant::now();
    for _ in 0..rounds {
        black_box(Belief::new(&trial.model, black_box(&trial.seen), Belief::NODES));
    }
    println!("a belief of {} nodes: {:.2} us", Belief::NODES, per_round(begun));
    let belief = Belief::new(&trial.model, &trial.seen, Belief::NODES);
    let begun = Instant::now();
    for _ in 0..rounds {
        black_box(&belief).moments(black_box(&trial.seen), &grid, &mut out);
    }
    println!("its moments at {} horizons: {:.2} us", grid.len(), per_round(begun));
    let ahead = belief.ahead(&grid);
    let begun = Instant::now();
    for _ in 0..rounds {
        out.clear();
        let at = |ahead: &Ahead| ahead.moments(9.0, 81.0, belief.size(), trial.model.deaths);
        out.extend(black_box(&ahead).iter().map(at));
        black_box(&out);
    }
    println!("the same from what is ready for all fresh deployments: {:.2} us", per_round(begun));
    let begun = Instant::now();
    for _ in 0..rounds {
        let at = |hours: &f64| closed::moments(&trial.model, black_box(&trial.seen), *hours);
        black_box(grid.iter().filter_map(at).map(|moments| moments.mean).sum::<f64>());
    }
    println!("the closed form at all of them: {:.2} us", per_round(begun));
}
