//! Fits a prior to the deployments of a trace and prints it, its goodness of fit, and how long it took:
//! `cargo run --release -p tiebreak-admission --example fit -- TRACE [cores]`.

#![allow(clippy::disallowed_types, reason = "it measures real time, and nothing depends on that")]

use std::path::Path;
use std::time::Instant;

use tiebreak_admission::fit::{Agreement, Fit, histories};
use tiebreak_admission::{Deaths, Gamma};
use tiebreak_trace::TraceParser;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = Path::new(args.first().ok_or("expected a trace, for example crates/trace/fixtures/packing-cut.csv.gz")?);
    let deaths = if args.get(1).is_some_and(|word| word == "cores") { Deaths::Cores } else { Deaths::Blocks };
    let mut parser = TraceParser::new(&path.file_name().ok_or("expected a file")?.to_string_lossy());
    parser.push(&std::fs::read(path)?)?;
    let workload = parser.finish()?.workload;
    let found = histories(&workload, deaths);
    let (mut fit, begun) = (Fit::new(&found, deaths)?, Instant::now());
    let (mut slices, mut longest) = (0, 0.0_f64);
    loop {
        let slice = Instant::now();
        let done = fit.work(4_000);
        longest = longest.max(slice.elapsed().as_secs_f64());
        slices += 1;
        if done {
            break;
        }
    }
    let fitted = fit.result();
    println!("{:?} in {slices} slices, the longest {:.1} ms", begun.elapsed(), longest * 1e3);
    println!("{:?}", fitted.counts);
    let prior = fitted.prior;
    for (name, Gamma { shape, rate }) in [("death", prior.death), ("scale_out", prior.scale_out), ("size", prior.size)]
    {
        println!("{name}: shape {shape:.4}, rate {rate:.4}, mean {:.4}", shape / rate);
    }
    println!("stop {:.4}, power {:.4}, log likelihood {:.2}", prior.stop, prior.power, fitted.log_likelihood);
    print_agreement("sizes", fitted.sizes.as_ref());
    print_agreement("lives", fitted.lives.as_ref());
    print_agreement("first scale-outs", fitted.first_scale_outs.as_ref());
    fitted.cannot_say.iter().for_each(|doubt| println!("- {doubt}"));
    Ok(())
}

fn print_agreement(name: &str, agreement: Option<&Agreement>) {
    let Some(Agreement { points, kolmogorov_smirnov, cramer_von_mises, seen, censored }) = agreement else {
        return println!("{name}: nothing seen");
    };
    println!(
        "{name}: {seen} seen, {censored} in part; Kolmogorov-Smirnov {kolmogorov_smirnov:.4}, \
         Cramer-von Mises {cramer_von_mises:.6}"
    );
    for point in points.iter().step_by(points.len().div_ceil(8)) {
        println!("  {:.2}: {:.3} seen, {:.3} fitted", point.at, point.seen, point.fitted);
    }
}
