//! `tiebreak sweep --region`: the runs of a sweep as the zones of one region, added up from their rows.
//!
//! Zones share nothing, so the runs are made like those of any sweep: on all cores, in shards, or by a queue that many
//! computers share. Only their rows meet.

use serde_json::{Map, Value, json};
use tiebreak_scenario::SweepTable;
use tiebreak_sim::figures::AddsUp;
use xxhash_rust::xxh3::Xxh3;

use tiebreak_console::answer::{Answer, Failure, json as shown_json};
use tiebreak_console::given::{Given, Opt};
use tiebreak_console::shown::{count, table as shown_table};

pub(crate) const REGION: Opt = Opt {
    name: "region",
    value: None,
    help: "adds the runs up as the zones of one region: counts are summed, shares are means over machines. Prints \
           this summary instead of the rows, which --out writes",
};

/// A figure of the region.
struct Added {
    id: &'static str,
    adds_up: AddsUp,
    /// Of the region; `None` if it does not add up, or no zone has it.
    region: Option<f64>,
    /// The least and the largest of the zones that have it.
    zones: Option<(f64, f64)>,
}

/// The summary of all rows, which are CSV with a header.
pub(super) fn answer(given: &Given, table: &SweepTable, rows: &str, out: Option<&str>) -> Result<Answer, Failure> {
    let mut digest = Xxh3::new();
    let mut zones: Vec<Vec<Option<f64>>> = Vec::new();
    for row in csv::Reader::from_reader(rows.as_bytes()).records() {
        let row = row.map_err(|error| Failure(format!("expected complete rows, got: {error}; make them again")))?;
        let measured = row.len() - table.measures.len();
        digest.update(row[measured - 1].as_bytes());
        zones.push(row.iter().skip(measured).map(|cell| cell.parse().ok()).collect());
    }
    let added: Vec<_> = (0..table.measures.len()).map(|at| added(table, &zones, at)).collect::<Result<_, _>>()?;
    let digest = format!("{:016x}", digest.digest());
    if given.has("json") {
        let figures: Map<_, _> = added.iter().map(|it| (it.id.to_owned(), Value::from(it.region))).collect();
        let of_zones: Map<_, _> = added.iter().map(|it| (it.id.to_owned(), json!(it.zones))).collect();
        let answer = json!({
            "zones": zones.len(), "digest": digest, "region": figures, "least_and_largest_zone": of_zones, "out": out
        });
        return Ok(Answer::text(shown_json(&answer)));
    }
    Ok(Answer::text(text(&added, zones.len(), &digest, out)))
}

fn added(table: &SweepTable, zones: &[Vec<Option<f64>>], at: usize) -> Result<Added, Failure> {
    let measure = table.measures[at];
    let present = || zones.iter().filter_map(move |zone| Some((zone, zone[at]?)));
    let is_measured = present().next().is_some();
    let region = match measure.adds_up() {
        AddsUp::Sum => is_measured.then(|| present().map(|(_, value)| value).sum()),
        AddsUp::MeanOver(weight) => {
            let weight = table.measures.iter().position(|other| other.id == weight).ok_or_else(|| {
                Failure(format!(
                    "expected the column {weight} for the mean of {} over zones; add \"{weight}\" to the plan's measures",
                    measure.id
                ))
            })?;
            let weighed = || present().filter_map(move |(zone, value)| Some((zone[weight]?, value)));
            let all: f64 = weighed().map(|(weight, _)| weight).sum();
            (all > 0.0).then(|| weighed().map(|(weight, value)| weight * value).sum::<f64>() / all)
        }
        AddsUp::No => None,
    };
    let least = present().map(|(_, value)| value).fold(f64::INFINITY, f64::min);
    let largest = present().map(|(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
    let zones = is_measured.then_some((least, largest));
    Ok(Added { id: measure.id, adds_up: measure.adds_up(), region, zones })
}

fn text(added: &[Added], zones: usize, digest: &str, out: Option<&str>) -> String {
    let shown = |value: f64| match value.fract() == 0.0 && value >= 0.0 {
        true => count(value as u64),
        false => format!("{value:.3}"),
    };
    let head = ["", "region", "least zone", "largest zone"].map(String::from).to_vec();
    let told = added.iter().filter_map(|it| {
        let (least, largest) = it.zones?;
        let region = match it.adds_up {
            AddsUp::No => "does not add up".into(),
            _ => it.region.map_or(String::new(), shown),
        };
        Some(vec![it.id.into(), region, shown(least), shown(largest)])
    });
    let rows: Vec<_> = std::iter::once(head).chain(told).collect();
    let out = out.map_or(String::new(), |out| format!("Rows of the zones: {out}\n"));
    format!("A region of {} zones, digest {digest}\n\n{}\n{out}", count(zones as u64), shown_table(&rows))
}
