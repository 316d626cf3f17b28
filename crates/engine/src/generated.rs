//! Workloads generated from a model that was fitted to a trace: one of the included presets, or a loaded trace.

use tiebreak_fitting::{Comparison, Distance, Fitted, Hourly, Preset, Scale};
use tiebreak_model::phrase::mark;
use tiebreak_model::random::Seed;
use tiebreak_model::{Phrase, Workload, phrase};
use tiebreak_trace::compact::{self, Origin};
use tiebreak_trace::{Parsed, read_compact};

use super::recipe::{Recipe, name_of};
use crate::protocol::{Exhibit, ExhibitPlot, ExhibitRow, Generate};
use crate::said;

/// The maximum expected number of VMs: a link may request any number, and a tab has little memory.
const VMS_MAX: u32 = 2_000_000;

/// Generates the requested workload. Returns its name and its data. `trace` is the one with the requested
/// fingerprint, with its name.
pub(super) fn drawn(ask: &Generate, trace: Option<(&Workload, &str)>) -> Result<(String, Parsed, [Phrase; 2]), Phrase> {
    let (fitted, like) = match (Preset::find(&ask.like), trace) {
        (Some(preset), _) => (preset.fitted(), Ok(preset)),
        (None, Some((workload, name))) => (Fitted::of(workload, name), Err(name)),
        (None, None) => return Err(Phrase::text(super::NOT_LOADED)),
    };
    let fitted = fitted.map_err(|fault| Phrase::text(fault.to_string()))?;
    let days = if ask.days > 0.0 { ask.days } else { fitted.days };
    let scale = Scale { rate: ask.rate, days, seed: Seed(ask.seed) };
    Ok((name_of(like, &scale), parsed(&fitted, &scale)?, notes(&fitted)))
}

/// Generates the workload with this name again, if it comes from a preset.
pub(super) fn again(name: &str) -> Option<Parsed> {
    let Recipe { preset, scale } = Recipe::read(name)?;
    parsed(&preset.fitted().ok()?, &scale).ok()
}

fn parsed(fitted: &Fitted, scale: &Scale) -> Result<Parsed, Phrase> {
    let vms = fitted.expected_vms(scale.rate, scale.days);
    if vms > f64::from(VMS_MAX) {
        let (most, vms) = (said::count(VMS_MAX.into()), said::count(vms.round()));
        return Err(phrase!("expected at most {most} VMs, got about {vms}; use a lower rate or fewer days", most, vms));
    }
    let workload = fitted.generate(scale).map_err(|fault| Phrase::text(fault.to_string()))?;
    let notes = notes(fitted).iter().map(ToString::to_string).collect();
    let cannot_answer = vec![mark("How services grow, and which tenant really made each request.").into()];
    let origin = Origin { title: mark("Generated workload").into(), notes, cannot_answer };
    read_compact(&compact::write(&workload, &origin)).map_err(|error| Phrase::text(error.to_string()))
}

/// Notes on it.
fn notes(fitted: &Fitted) -> [Phrase; 2] {
    [
        phrase!("Drawn at random from a model fitted to: {}", fitted.source),
        phrase!("These VMs are generated; their arrivals, sizes and lifetimes follow those of the trace."),
    ]
}

/// A generated workload compared with the trace that it was fitted to.
pub(super) fn beside(trace: &Workload, generated: &Workload) -> Vec<Exhibit> {
    let it = Comparison::of(trace, generated);
    let lines = |first: Vec<(f64, f64)>, second| vec![(phrase!("trace"), first), (phrase!("generated"), second)];
    let hours =
        |counts: &Hourly| counts.counts.iter().zip(0_u32..).map(|(vms, at)| (f64::from(at), f64::from(*vms))).collect();
    let mut exhibits = vec![numbers(&it)];
    let plot = |title: Phrase, unit: Phrase, across: Phrase, across_is_log, lines| Exhibit {
        title,
        plot: Some(ExhibitPlot { unit, across, across_is_log, lines }),
        ..Exhibit::default()
    };
    exhibits.push(plot(
        phrase!("Arrivals per hour, compared with the trace"),
        phrase!("VMs per hour"),
        phrase!("hours"),
        false,
        lines(hours(&it.vms.first), hours(&it.vms.second)),
    ));
    let life = it.distances.iter().find(|distance| distance.what == "lifetime of a VM, h");
    exhibits.extend(life.map(|life| {
        let shares = |at: usize| life.points.iter().map(|point| (point[0].max(0.01), 100.0 * point[at])).collect();
        plot(
            phrase!("Lifetimes in hours (cumulative), compared with the trace"),
            phrase!("% of VMs"),
            phrase!("hours"),
            true,
            lines(shares(1), shares(2)),
        )
    }));
    exhibits
}

/// A single number.
fn number(number: f64, decimals: usize) -> Phrase {
    phrase!("{}", said::fixed(number, decimals))
}

/// Distances, reuse and counts of both.
fn numbers(it: &Comparison) -> Exhibit {
    let row =
        |name: Phrase, first: Phrase, second: Phrase| ExhibitRow { cells: vec![name, first, second], more: Vec::new() };
    let two = |name: Phrase, first: f64, second: f64, digits| row(name, number(first, digits), number(second, digits));
    let apart = |distance: &Distance| {
        row(
            phrase!("{}, KS distance", Phrase::text(distance.what)),
            Phrase::default(),
            number(distance.kolmogorov_smirnov, 3),
        )
    };
    let mut rows: Vec<_> = it.distances.iter().map(apart).collect();
    for ((first, second), power) in it.reuse.first.iter().zip(&it.reuse.second).zip(0..6) {
        rows.push(two(
            phrase!("same size after fewer than {} others, %", 1_u32 << power),
            100.0 * first,
            100.0 * second,
            1,
        ));
    }
    for (what, of) in [(phrase!("requests"), &it.requests), (phrase!("VMs"), &it.vms)] {
        let (first, second) = (&of.first, &of.second);
        rows.push(two(phrase!("{what} per hour", what), first.mean, second.mean, 1));
        rows.push(two(phrase!("{what} per hour, variance over mean", what), first.dispersion, second.dispersion, 1));
        rows.push(two(
            phrase!("{what} per hour, correlation with the next hour", what),
            first.after_1_h,
            second.after_1_h,
            2,
        ));
    }
    let in_use = &it.in_use;
    rows.push(two(phrase!("cores in use, mean"), in_use.first.cores_mean, in_use.second.cores_mean, 0));
    rows.push(two(phrase!("cores in use, peak"), in_use.first.cores_peak, in_use.second.cores_peak, 0));
    Exhibit {
        title: phrase!("Compared with the trace that it was fitted to"),
        said: vec![phrase!(
            "The distance is the largest difference between two distributions: 0 means equal, 1 completely different."
        )],
        head: [mark("What"), mark("trace"), mark("generated")].map(Phrase::text).into(),
        rows,
        plot: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_offers_every_preset() {
        assert_eq!(
            crate::protocol::FITTED[..],
            tiebreak_fitting::PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>()
        );
    }

    #[test]
    fn what_is_drawn_is_drawn_again_by_its_name() {
        let ask = Generate { like: "azure-2020".into(), rate: 0.1, days: 1.5, seed: 3 };
        let (name, first, _) = drawn(&ask, None).expect("a preset");
        assert_eq!(name, "azure-2020 x0.1, 1.5 days, seed 3");
        let second = again(&name).expect("a name of ours");
        assert_eq!(first.workload.fingerprint(), second.workload.fingerprint());
        assert!(again("azure-2020 x1000, 10000 days, seed 3").is_none(), "no link makes the page draw for hours");
        assert!(
            drawn(&Generate { rate: 1e9, ..ask.clone() }, None)
                .is_err_and(|why| why.to_string().contains("at most 2,000,000 VMs"))
        );
        assert!(again("azure-2020.csv").is_none() && again("azure-1999 x1, 1 days, seed 3").is_none());
        assert!(
            drawn(&Generate { rate: -1.0, ..ask }, None)
                .is_err_and(|why| why.to_string().contains("expected a rate above 0"))
        );
    }

    #[test]
    fn a_workload_like_a_trace_is_laid_beside_it() {
        let ask = Generate { like: "azure-2020".into(), rate: 0.2, days: 3.0, seed: 1 };
        let (_, trace, _) = drawn(&ask, None).expect("a preset");
        let like = Generate { like: String::new(), rate: 1.0, days: 0.0, seed: 2 };
        let (name, generated, _) = drawn(&like, Some((&trace.workload, "mine.csv"))).expect("fitted");
        assert_eq!(name, "like mine.csv x1, 3 days, seed 2");
        let exhibits = beside(&trace.workload, &generated.workload);
        assert_eq!(exhibits.len(), 3);
        let cores: f64 = exhibits[0].rows[0].cells[2].to_string().parse().expect("a distance");
        assert!(cores > 0.0 && cores < 0.2, "{cores}");
        assert!(exhibits.iter().skip(1).all(|exhibit| exhibit.plot.as_ref().is_some_and(|plot| plot.lines.len() == 2)));
        assert!(drawn(&like, None).is_err());
    }
}
