//! Predictors on the excerpt of a real trace: the direction of the figures, and the figures themselves
//! (`cargo test -p tiebreak-lifetime --test real_lives -- --nocapture`).

use std::sync::Arc;

use tiebreak_lifetime::{Errors, PredictorUse, Quality, start};
use tiebreak_model::Workload;
use tiebreak_model::random::Seed;
use tiebreak_trace::TraceParser;

const PACKING: &[u8] = include_bytes!("../../trace/fixtures/packing-cut.csv.gz");

fn quality(id: &str, workload: &Arc<Workload>) -> Quality {
    let quality = start(&PredictorUse::plain(id), Arc::clone(workload), Seed(1)).finish().quality;
    println!("{id}: C-index {:?}", quality.c_index);
    println!("  {:?}\n  {:?}", quality.counts, quality.long_lives);
    let within = [&quality.first_errors, &quality.reprediction_errors]
        .map(|errors| errors.as_ref().map(|errors| errors.share_within(10)));
    println!("  within a factor of 10, initially and with repredictions: {within:?}; {:?}", quality.influence);
    quality
}

#[test]
fn models_beat_baselines_and_repredictions_beat_first_ones() {
    let mut parser = TraceParser::new("packing-cut.csv.gz");
    parser.push(PACKING).expect("the fixture");
    let workload = Arc::new(parser.finish().expect("the fixture").workload);
    let [trees, table, by_type, constant, noisy, oracle] =
        ["BoostedTrees", "KaplanMeier", "MeanByType", "Constant", "NoisyOracle", "Oracle"]
            .map(|id| quality(id, &workload));
    let c = |quality: &Quality| quality.c_index.expect("lives to compare");
    // Observed: 0.59, 0.54, 0.55, 0.5, 0.86 and 1. Tenants of the later half are nearly all new in this sample, and
    // shapes predict little; the paper reports 0.84 with richer features.
    assert!(c(&trees) > 0.57 && c(&table) > 0.52 && c(&by_type) > 0.53);
    assert!(c(&trees) > c(&table) && c(&trees) > c(&by_type));
    assert_eq!((c(&constant), c(&oracle)), (0.5, 1.0));
    assert!(c(&noisy) > c(&trees) && c(&noisy) < 1.0);

    // As in the paper's Fig. 9, uptime distinguishes long lifetimes from short ones; observed: 0 at once, 0.7 after a
    // fifth of the lifetime, 0.9 after 60 %.
    let long = trees.long_lives.expect("long lives");
    let f1 = |share: usize| long.f1_by_share[share].unwrap_or(0.0);
    assert!(f1(4) > f1(0) + 0.3 && f1(12) > f1(4) && f1(12) > 0.8, "{:?}", long.f1_by_share);

    // As in Fig. 12, errors with repredictions are smaller; observed: 0.79 and 0.88 within a factor of 10.
    let within = |errors: Option<Errors>| errors.expect("lives that end").share_within(10);
    assert!(within(trees.reprediction_errors) > within(trees.first_errors) + 0.03);
    assert_eq!(trees.influence[0].feature, "uptime");
}
