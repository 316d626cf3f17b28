//! Compares the speed of BestFit as an expression with the built-in one, on 10,000 machines with the default list:
//! `cargo run --release -p tiebreak-scenario --example expression_speed`. Under `perf stat -e instructions:u`, with
//! the argument `built-in` or `expression`, it runs one of the two alone.

use std::sync::Arc;
use std::time::Instant;

use tiebreak_scenario::{Variant, WorkloadRef, gallery};
use tiebreak_sim::{GeneratedWorkload, World};

const ROUNDS: u32 = 2;

fn variant(as_expression: bool, buckets: Option<u32>) -> Variant {
    let workload = GeneratedWorkload { days: 0.2, requests_per_hour: 20_000.0, ..GeneratedWorkload::default() };
    let mut variant = Variant { workload: WorkloadRef::Generated(workload), ..Variant::default() };
    for (path, value) in [("inventory.clusters.0.machines", "10000"), ("inventory.clusters.0.racks", "200")] {
        variant.set(path, value).expect("a field");
    }
    if as_expression {
        gallery::find("BestFit").expect("in the gallery").row().put_into(&mut variant.rules);
    }
    let row = variant.rules.iter_mut().find(|row| row.id == "BestFit").expect("a rule");
    row.buckets = buckets;
    variant
}

fn main() {
    let asked = std::env::args().nth(1);
    for buckets in [Some(3), None] {
        let mut digests = Vec::new();
        for (name, as_expression) in [("built-in", false), ("expression", true)] {
            if asked.as_ref().is_some_and(|asked| asked != name) {
                continue;
            }
            let variant = variant(as_expression, buckets);
            let plan = variant.plan(Arc::new(variant.generate().expect("a generated workload"))).expect("a plan");
            let run = |_| {
                let begun = Instant::now();
                let mut world = World::new(plan.clone());
                world.run();
                (begun.elapsed(), world.summary())
            };
            let (elapsed, summary) = (0..ROUNDS).map(run).min_by_key(|(elapsed, _)| *elapsed).expect("a round");
            let decisions = summary.counters.commits;
            let each = elapsed.as_secs_f64() * 1e6 / decisions as f64;
            println!(
                "{buckets:?} buckets, {name}: {decisions} commits, {each:.2} us each, digest {:016x}",
                summary.digest
            );
            digests.push(summary.digest);
        }
        assert!(digests.windows(2).all(|pair| pair[0] == pair[1]), "they decide alike");
    }
}
