//! How many five-day series the template classifies per second.

use std::time::Instant;

use tiebreak_criticality::Template;
use tiebreak_criticality::labelled::{Settings, labelled};
use tiebreak_model::random::Seed;

fn main() {
    let count = 10_000;
    let series: Vec<_> = labelled(Settings { count, ..Settings::default() }, Seed(1)).collect();
    let mut template = Template::default();
    let begun = Instant::now();
    let user_facing = series.iter().filter(|one| template.is_user_facing(&one.series)).count();
    let took = begun.elapsed().as_secs_f64();
    println!(
        "{count} series of five days in {took:.3} s, {:.0} a second; {user_facing} user-facing",
        count as f64 / took
    );
}
