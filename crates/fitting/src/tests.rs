//! Laws of fits.

use alloc::string::ToString;
use alloc::vec::Vec;

use tiebreak_model::random::Seed;
use tiebreak_model::{Millis, RequestId, Resources, Time, VmId, VmRow, VmShape, Workload, WorkloadBuilder};
use tiebreak_trace::TraceParser;

use super::*;

const CUT: &[u8] = include_bytes!("../../trace/fixtures/packing-cut.csv.gz");

fn cut() -> Workload {
    let mut parser = TraceParser::new("packing-cut.csv.gz");
    parser.push(CUT).expect("it reads");
    parser.finish().expect("a trace").workload
}

fn preset(name: &str) -> Fitted {
    Preset::find(name).expect("a preset").fitted().expect("a fitted workload")
}

fn generate(fitted: &Fitted, rate: f64, days: f64, seed: u64) -> Workload {
    fitted.generate(&Scale { rate, days, seed: Seed(seed) }).expect("a workload")
}

/// VMs by start and end in minutes.
fn workload(vms: &[(i64, Option<i64>)], minutes: i64) -> Workload {
    let mut rows = WorkloadBuilder::new();
    for (name, (start, end)) in (0..).zip(vms) {
        let shape = VmShape::plain(Resources::new(1_000 + 1_000 * (name as u32 % 3), 4_096, 0, 0));
        let end = end.map_or(Time::NEVER, |end| Time(end * 60_000));
        rows.push(VmRow { name, tenant: name / 2, shape, start: Time(start * 60_000), end });
    }
    rows.finish(Time(minutes * 60_000)).expect("a workload")
}

/// Requests that arrive after the start.
fn requests(workload: &Workload) -> f64 {
    f64::from(workload.request_count() - workload.warm_count())
}

fn check_order(workload: &Workload) {
    for request in (0..workload.request_count()).map(RequestId) {
        assert!(workload.at(request) <= workload.horizon());
        for vm in workload.vms_of(request).map(VmId) {
            assert!(workload.end(vm) > workload.at(request).max(Time::ZERO), "it ends after it starts");
        }
    }
}

#[test]
fn what_is_generated_from_the_packing_cut_is_like_it() {
    let trace = cut();
    let fitted = Fitted::of(&trace, "the packing cut").expect("a fit");
    let generated = generate(&fitted, 1.0, fitted.days, 1);
    check_order(&generated);
    assert_eq!(generated.warm_count(), trace.warm_count());
    // Random variation exceeds Poisson's standard deviation, which is one in a hundred requests here.
    assert!((requests(&generated) / requests(&trace) - 1.0).abs() < 0.05, "{} requests", requests(&generated));
    let in_use: Vec<_> =
        (1..=4).map(|seed| Comparison::of(&trace, &generate(&fitted, 1.0, fitted.days, seed)).in_use).collect();
    let times = |of: fn(&InUse) -> f64| in_use.iter().map(|it| of(&it.second) / of(&it.first)).sum::<f64>() / 4.0;
    let [vms, cores] = [times(|it| it.vms_mean), times(|it| it.cores_mean)];
    assert!((vms - 1.0).abs() < 0.1 && (cores - 1.0).abs() < 0.15, "{vms} times the VMs, {cores} times the cores");
    // A few requests for a hundred VMs each are a large part of a fortnight; over a longer time chance matters less.
    let it = Comparison::of(&trace, &generate(&fitted, 1.0, 8.0 * fitted.days, 2));
    for distance in &it.distances {
        assert!(distance.kolmogorov_smirnov < 0.06, "{}: {}", distance.what, distance.kolmogorov_smirnov);
        assert!(distance.cramer_von_mises < distance.kolmogorov_smirnov, "{}", distance.what);
    }
    for (bin, (first, second)) in it.reuse.first.iter().zip(&it.reuse.second).enumerate() {
        assert!((first - second).abs() < 0.05, "reuse below {}: {first} and {second}", 1 << bin);
    }
    let [first, second] = [&it.requests.first, &it.requests.second].map(|hourly| hourly.dispersion);
    assert!((0.6..1.7).contains(&(second / first)), "hourly dispersion {first} and {second}");
}

#[test]
fn a_workload_compared_with_itself_has_no_distance() {
    let trace = cut();
    let it = Comparison::of(&trace, &trace);
    assert!(it.distances.iter().all(|it| it.kolmogorov_smirnov == 0.0 && it.seen.first > 0));
    assert_eq!((it.reuse.first, it.in_use.first), (it.reuse.second, it.in_use.second));
}

#[test]
fn a_seed_is_a_workload_and_its_digest_is_the_same_everywhere() {
    let fitted = preset("azure-2020");
    let one = generate(&fitted, 0.5, 1.0, 1);
    assert_eq!(one.fingerprint(), generate(&fitted, 0.5, 1.0, 1).fingerprint());
    assert_ne!(one.fingerprint(), generate(&fitted, 0.5, 1.0, 2).fingerprint());
    assert_eq!(alloc::format!("{:032x}", one.fingerprint()), GOLDEN, "it changed for all who kept a seed");
}

const GOLDEN: &str = "4e6f1323ca129048ca394b47f8c014b3";

#[test]
fn rate_and_days_make_more_of_the_same() {
    let fitted = preset("azure-2020");
    let expected = fitted.arrivals.requests_per_hour * 24.0;
    for (rate, days) in [(1.0, 14.0), (2.0, 14.0), (1.0, 28.0), (0.1, 14.0)] {
        let generated = generate(&fitted, rate, days, 3);
        let (got, wanted) = (requests(&generated), expected * rate * days);
        // The slow factor has about 14 independent hours of variation, in addition to Poisson's.
        let deviation = libm::sqrt(wanted * (1.0 + fitted.arrivals.slow_variance * 7.0 * wanted / (24.0 * days)));
        assert!((got - wanted).abs() < 4.0 * deviation, "{rate} and {days}: {got} instead of {wanted} +- {deviation}");
        assert_eq!(generated.warm_count(), libm::round(7_023.0 * rate) as u32, "exactly as many are alive");
        assert_eq!(generated.horizon(), Time::ZERO + Millis((days * 86_400_000.0) as u64));
        check_order(&generated);
    }
}

#[test]
fn a_fit_to_what_was_generated_finds_what_it_was_generated_from() {
    let fitted = preset("azure-2020");
    let again = Fitted::of(&generate(&fitted, 2.0, 56.0, 5), "generated").expect("a fit");
    let near = |what: &str, one: f64, other: f64, within: f64| {
        assert!((one - other).abs() <= within, "{what}: {one}, found {other}");
    };
    let (one, other) = (&fitted.arrivals, &again.arrivals);
    near("requests per hour", one.requests_per_hour * 2.0, other.requests_per_hour, one.requests_per_hour * 0.06);
    near("slow variance", one.slow_variance, other.slow_variance, 0.003);
    near("slow memory", one.slow_memory, other.slow_memory, 0.12);
    near("quick variance", one.quick_variance, other.quick_variance, 0.01);
    near("the first 5 minutes", one.of_hour[0], other.of_hour[0], 0.1);
    near("the quietest day", one.of_week[3], other.of_week[3], 0.06);
    near("large requests", fitted.large.of_day[0], again.large.of_day[0], 0.002);
    near("returns", fitted.returns.share, again.returns.share, 0.003);
    let repeats = |fitted: &Fitted| fitted.repeats.of_lag.iter().sum::<f64>();
    near("repeats", repeats(&fitted), repeats(&again), 0.05);
    for class in 1..5 {
        let [one, other] = [&fitted, &again].map(|it| it.lives.together[class].whole);
        near("ends together", one, other, 0.06);
    }
    let share = |fitted: &Fitted| {
        let all: u64 = fitted.flavours.iter().map(|flavour| flavour.requests.total()).sum();
        fitted.flavours[0].requests.total() as f64 / all as f64
    };
    near("the first flavour", share(&fitted), share(&again), 0.02);
    let median = |fitted: &Fitted| fitted.lives.curves(0)[0].life_ms(0.5).expect("half of them end") as f64;
    near("the median life", median(&fitted), median(&again), median(&fitted) * 0.1);
}

#[test]
fn odd_workloads_are_fitted_too() {
    let hours = |hours: i64| (0..hours).map(|hour| (hour * 60 + 5, Some(hour * 60 + 9))).collect::<Vec<_>>();
    let cases = [
        ("one VM from before", workload(&[(-5, Some(90))], 60)),
        ("one VM that comes", workload(&[(5, Some(7))], 60)),
        ("none comes", workload(&[(-5, None), (-9, Some(30)), (-9, Some(3_000))], 6_000)),
        ("none ends", workload(&[(-5, None), (1, None), (1, None), (2_000, None)], 6_000)),
        ("each ends at once", workload(&[(1, Some(1)), (1, Some(1)), (50, Some(50))], 60)),
        ("one an hour", workload(&hours(24 * 15), 60 * 24 * 15)),
        ("all within a minute", workload(&[(1, Some(30)); 500], 10)),
        ("less than 5 minutes", workload(&[(1, Some(2))], 3)),
    ];
    for (what, trace) in cases {
        let fitted = Fitted::of(&trace, what).expect(what);
        assert_eq!(Fitted::from_json(&fitted.to_json()), Ok(fitted.clone()), "{what}");
        for (days, seed) in [(fitted.days.max(0.01), 1), (40.0, 2)] {
            match fitted.generate(&Scale { rate: 1.0, days, seed: Seed(seed) }) {
                Ok(generated) => {
                    assert_eq!(generated.warm_count(), trace.warm_count(), "{what}");
                    let _ = Comparison::of(&trace, &generated);
                }
                Err(fault) => assert!(fault == GenerateFault::Empty && trace.warm_count() == 0, "{what}: {fault}"),
            }
        }
        let rate = requests(&trace) / (trace.horizon().0 as f64 / 3_600_000.0);
        assert!(
            (fitted.arrivals.requests_per_hour / rate.max(1e-9) - 1.0).abs() < 1e-3 || rate == 0.0,
            "{what}: {rate}"
        );
    }
    assert_eq!(Fitted::of(&workload(&[(-5, None)], 0), ""), Err(FitFault::NoTime));
}

#[test]
fn what_cannot_be_generated_is_said() {
    let fitted = preset("azure-2017");
    let said = |rate, days| fitted.generate(&Scale { rate, days, seed: Seed(1) }).expect_err("refused").to_string();
    for (rate, days, expected) in [
        (0.0, 1.0, "a rate above 0"),
        (f64::NAN, 1.0, "a rate above 0"),
        (1.0, 0.001, "from 5 minutes"),
        (1_000.0, 1_000.0, "use a lower rate"),
        (1e-9, 1.0, "got none"),
    ] {
        let said = said(rate, days);
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn a_fitted_workload_that_was_changed_is_refused() {
    let json = preset("azure-2017").to_json();
    for (from, to, expected) in [
        ("\"requests_per_hour\":", "\"requests_per_hour\":-", "requests_per_hour from 0"),
        ("\"grid_ms\":300000", "\"grid_ms\":0", "grid_ms from 1"),
        ("\"of_week\":[1.0,", "\"of_week\":[", "7 in of_week"),
        ("\"requests\":[[1,", "\"requests\":[[0,", "VMs of a request from 1"),
        ("\"flavour\":0,", "\"flavour\":99,", "of the list"),
        ("{\"source\"", "{\"sauce\"", "expected a fitted workload as JSON"),
    ] {
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json, "{from} stands there");
        let said = Fitted::from_json(&changed).expect_err(from).to_string();
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn presets_are_small_and_say_whose_they_are() {
    for preset in PRESETS {
        let fitted = preset.fitted().expect(preset.name);
        assert!(fitted.source.contains("CC BY 4.0") && fitted.source.contains("Microsoft"), "{}", fitted.source);
        let json = fitted.to_json();
        assert!(json.len() < 30_000, "{}: {} bytes", preset.name, json.len());
        assert_eq!(Fitted::from_json(&json), Ok(fitted));
    }
    assert!(Preset::find("azure-1999").is_none());
}

#[test]
fn azure_2019_is_as_published() {
    let generated = generate(&preset("azure-2019"), 10.0, 14.0, 1);
    let fresh: Vec<RequestId> = (generated.warm_count()..generated.request_count()).map(RequestId).collect();
    let share = |many: usize, of: usize| 100.0 * many as f64 / of as f64;
    let requests_up_to = |vms: usize| {
        share(fresh.iter().filter(|request| generated.vms_of(**request).len() <= vms).count(), fresh.len())
    };
    let vms: Vec<(RequestId, VmId)> =
        fresh.iter().flat_map(|request| generated.vms_of(*request).map(|vm| (*request, VmId(vm)))).collect();
    let cores_up_to = |cores: u32| {
        let small = |vm: &&(RequestId, VmId)| generated.shape_of_vm(vm.1).demand.cores_milli() <= cores * 1_000;
        share(vms.iter().filter(small).count(), vms.len())
    };
    let hours_up_to = |hours: f64| {
        let lived = |vm: &(RequestId, VmId)| generated.end(vm.1).since(generated.at(vm.0)).0 as f64 / 3_600_000.0;
        share(vms.iter().filter(|vm| lived(vm) <= hours).count(), vms.len())
    };
    for (what, got, published, within) in [
        ("alone", requests_up_to(1), 47.0, 1.5),
        ("up to 5 VMs", requests_up_to(5), 79.1, 1.5),
        ("up to 20 VMs", requests_up_to(20), 93.4, 1.0),
        ("up to 2 cores", cores_up_to(2), 58.2, 2.0),
        ("up to 8 cores", cores_up_to(8), 93.1, 1.5),
        ("up to 0.1 h", hours_up_to(0.1), 20.9, 1.5),
        ("up to 1 h", hours_up_to(1.0), 63.6, 1.5),
        ("up to 24 h", hours_up_to(24.0), 89.1, 1.0),
        ("up to 100 h", hours_up_to(100.0), 91.8, 1.0),
    ] {
        assert!((got - published).abs() < within, "{what}: {got} % instead of {published} %");
    }
}
