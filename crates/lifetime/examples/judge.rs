//! Trains every predictor on a trace and prints its quality and its training time:
//! `cargo run --release -p tiebreak-lifetime --example judge -- TRACE [THRESHOLD_H] [ID=VALUE,...]`.

#![allow(clippy::disallowed_types, reason = "it measures real time, and nothing depends on that")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tiebreak_lifetime::{Detection, Errors, PREDICTORS, Predictions, PredictorUse, Quality, QualityTerms, start};
use tiebreak_model::random::Seed;
use tiebreak_model::{VmId, Workload};
use tiebreak_trace::TraceParser;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let path = Path::new(args.first().ok_or("expected a trace, for example crates/trace/fixtures/packing-cut.csv.gz")?);
    let threshold = args.get(1).map_or(Ok(QualityTerms::default().threshold), |text| text.parse())?;
    let mut parser = TraceParser::new(&path.file_name().ok_or("expected a file")?.to_string_lossy());
    parser.push(&std::fs::read(path)?)?;
    let workload = Arc::new(parser.finish()?.workload);
    println!("{} VMs", workload.vm_count());
    for entry in PREDICTORS {
        let id = entry.declaration.id;
        let given = args.iter().skip(2).find_map(|arg| arg.strip_prefix(id)?.strip_prefix('='));
        let values = given.map_or(Ok(Vec::new()), |text| text.split(',').map(str::parse).collect())?;
        let begun = Instant::now();
        let terms = QualityTerms { threshold };
        let mut training =
            start(&PredictorUse { id: id.into(), values }, Arc::clone(&workload), Seed(1)).judged_by(terms);
        let mut slices = Vec::new();
        let mut done = false;
        while !done {
            let slice = Instant::now();
            done = training.work(4_000);
            slices.push(slice.elapsed());
        }
        let trained = training.finish();
        let longest = slices.iter().max().copied().unwrap_or_default();
        println!("\n{id}: {:.2?}, {} slices, longest {longest:.1?}", begun.elapsed(), slices.len());
        print_quality(&trained.quality);
        print_speed(&trained.predictions, &workload);
    }
    Ok(())
}

fn print_quality(quality: &Quality) {
    println!("  {:?}", quality.counts);
    println!("  C-index {}", shown(quality.c_index));
    if let Some(long) = &quality.long_lives {
        println!("  {} long, {} short", long.long, long.short);
        print_detection(long.threshold_h, long.at_threshold);
        print_detection(long.best_cut_h, long.at_best_cut);
        let shares: Vec<String> = long.f1_by_share.iter().map(|f1| shown(*f1)).collect();
        println!("  F1 by share of life seen: {}", shares.join(" "));
    }
    for (name, errors) in [("at uptime 0", &quality.first_errors), ("repredicted", &quality.reprediction_errors)] {
        if let Some(errors) = errors {
            println!("  errors {name}: within 2x {}, within 10x {}", within(errors, 3), within(errors, 10));
        }
    }
    for influence in &quality.influence {
        println!("  {}: {:.1} %", influence.feature, 100.0 * influence.share);
    }
    quality.unanswered.iter().for_each(|sentence| println!("  {sentence}"));
}

fn print_detection(cut_h: f64, Detection { precision, recall, f1 }: Detection) {
    println!("  predicted >= {cut_h:.2} h: precision {}, recall {}, F1 {}", shown(precision), shown(recall), shown(f1));
}

fn within(errors: &Errors, bins: u32) -> String {
    shown(Some(errors.share_within(bins)))
}

fn shown(number: Option<f64>) -> String {
    number.map_or("-".into(), |number| format!("{number:.3}"))
}

fn print_speed(predictions: &Predictions, workload: &Workload) {
    let begun = Instant::now();
    let (mut sum, mut asked) = (0_u64, 0_u64);
    for uptime_s in (0..1_000_000).step_by(20_000) {
        for vm in 0..workload.vm_count() {
            // A cache-unfriendly order.
            let vm = VmId((u64::from(vm) * 2_654_435_761 % u64::from(workload.vm_count())) as u32);
            sum = sum.wrapping_add(u64::from(predictions.remaining_s(vm, uptime_s)));
            asked += 1;
        }
    }
    let each_ns = begun.elapsed().as_secs_f64() * 1e9 / asked as f64;
    println!(
        "  remaining_s: {each_ns:.0} ns; {} curves, {} kB (sum {sum})",
        predictions.curve_count(),
        predictions.bytes() / 1_000
    );
}
