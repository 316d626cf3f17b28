//! Laws for every predictor, and what each of them must detect.

use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_model::random::Seed;
use tiebreak_model::{Declaration, RequestId, Time, VmId, Workload};

use super::{PREDICTORS, PredictorUse, find, start};
use crate::predictions::Predictions;
use crate::training::Trained;
use crate::trial::{Life, numbers, workload};

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;

fn train(id: &str, values: &[f64], workload: &Arc<Workload>) -> Trained {
    start(&PredictorUse { id: id.into(), values: values.to_vec() }, Arc::clone(workload), Seed(7)).finish()
}

/// All except oracles.
const LEARNERS: [&str; 7] =
    ["BoostedTrees", "TenantHazards", "SurvivalForest", "KaplanMeier", "RunningMean", "MeanByType", "Constant"];

/// Those that keep learning after the cut, from lifetimes that ended before a VM's request.
const WATCHERS: [&str; 3] = ["TenantHazards", "SurvivalForest", "RunningMean"];

fn ids() -> impl Iterator<Item = &'static str> {
    PREDICTORS.iter().map(|entry| entry.declaration.id)
}

/// VMs of a few types and tenants over 14 days, some alive before, some that never end.
fn mixed(seed: u64, vms: u32) -> Arc<Workload> {
    let mut draw = numbers(seed, 1 << 20);
    let mut next = |below: u32| i64::from(draw.next().expect("endless") % below);
    let lives: Vec<Life> = (0..vms)
        .map(|_| {
            let start_s = if next(5) == 0 { -next(900_000) } else { next(14 * 86_400) };
            let life_s = if next(2) == 0 { 60 + next(7_200) } else { next(1_000_000) };
            let end_s = (next(12) > 0).then_some(start_s + life_s);
            Life::new(1 + next(4) as u32, start_s, end_s).of_tenant(next(9) as u64)
        })
        .collect();
    workload(&lives, 14 * DAY)
}

#[test]
fn every_predictor_says_what_it_is() {
    let unique: BTreeSet<_> = ids().collect();
    assert_eq!(unique.len(), PREDICTORS.len(), "ids are unique");
    for Declaration { id, help, params, .. } in PREDICTORS.iter().map(|entry| entry.declaration) {
        assert!(find(id).is_some_and(|entry| entry.declaration.id == id));
        assert!(help.len() > 40, "{id} needs help that teaches");
        for param in params {
            assert!(param.allows(param.default), "{id}.{}: the default is in range", param.name);
            assert!(param.help.len() > 10, "{id}.{} needs help", param.name);
        }
    }
}

#[test]
fn what_happened_before_a_workload_is_what_is_learned_from() {
    let whole = mixed(4, 900);
    let begins = Time(DAY * 1_000 * 6 + 1);
    let later = Arc::new(whole.begun_at(begins).expect("VMs are left"));
    let vms = later.history().expect("VMs ended before").vms;
    let arriving = u64::from(later.vm_count() - later.warm_count());
    for entry in PREDICTORS {
        let Declaration { id, params, .. } = entry.declaration;
        let mut values = entry.declaration.defaults();
        let share = params.iter().position(|param| param.name == "train_share");
        let later = train(id, &values, &later);
        assert!(
            (1..=arriving).contains(&u64::from(later.quality.counts.tested_on)),
            "{id}: all that arrive are judged"
        );
        share.into_iter().for_each(|share| values[share] = 100.0 * (begins.0 as f64 + 0.5) / (14.0 * DAY as f64 * 1e3));
        let all = train(id, &values, &whole);
        let all_of_part = all.predictions.of_part(&vms);
        for vm in (0..vms.len()).map(VmId::of) {
            for uptime_s in [0, 60, 5_000, 90_000] {
                let predict = |by: &Predictions| by.predict(vm, uptime_s);
                assert_eq!(predict(&later.predictions), predict(&all_of_part), "{id}: {vm:?} after {uptime_s} s");
            }
        }
        if share.is_some() {
            assert_eq!(later.quality, all.quality, "{id}");
        }
    }
}

#[test]
fn any_slices_give_the_same_bits_and_progress_only_grows() {
    let workload = mixed(1, 700);
    for id in ids() {
        let whole = start(&PredictorUse::plain(id), Arc::clone(&workload), Seed(7)).finish();
        for budget in [1, 300, 20_000] {
            let mut training = start(&PredictorUse::plain(id), Arc::clone(&workload), Seed(7));
            let mut before = 0.0;
            while !training.work(budget) {
                let share = training.share_done();
                assert!((before..=1.0).contains(&share), "{id}: {before} to {share}");
                before = share;
            }
            assert!((training.share_done() - 1.0).abs() < 1e-6, "{id}");
            assert!(training.finish() == whole, "{id} in slices of {budget}");
        }
    }
}

#[test]
fn a_prediction_stands_until_its_next_change() {
    let workload = mixed(2, 400);
    let noisy = ("NoisyOracle", &[80.0, 0.001, 3.0, 336.0, DRAWN_AGAIN][..]);
    for (id, values) in ids().map(|id| (id, &[][..])).chain([noisy]) {
        let predictions = train(id, values, &workload).predictions;
        for vm in (0..workload.vm_count() + 1).step_by(7).map(VmId) {
            let mut uptime = 0_u32;
            for _ in 0..60 {
                let exit = uptime + predictions.remaining_s(vm, uptime);
                assert!(exit > uptime, "{id}, {vm}");
                let Some(next) = predictions.next_change_s(vm, uptime) else { break };
                assert!(next > uptime, "{id}, {vm} at {uptime}");
                for again in [uptime + (next - uptime) / 2, next - 1] {
                    assert_eq!(
                        again + predictions.remaining_s(vm, again),
                        exit,
                        "{id}, {vm}: {uptime}, {again}, {next}"
                    );
                }
                uptime = next;
            }
        }
    }
}

#[test]
fn predictions_stay_below_their_cap() {
    let workload = mixed(3, 300);
    let noisy = [ONE_FACTOR, DRAWN_AGAIN].map(|error| ("NoisyOracle", alloc::vec![80.0, 0.001, 3.0, 24.0, error]));
    let trained = LEARNERS.map(|id| {
        let mut values = find(id).expect("a predictor").declaration.defaults();
        values[1] = 24.0;
        (id, values)
    });
    for (id, values) in trained.into_iter().chain(noisy) {
        let predictions = train(id, &values, &workload).predictions;
        for request in (0..workload.request_count()).map(RequestId) {
            let seen_s = (Time::ZERO.since(workload.at(request)).0 / 1_000) as u32;
            for (vm, more_s) in
                workload.vms_of(request).flat_map(|vm| [0, 59, 40_000, 5_000_000].map(|more_s| (vm, more_s)))
            {
                let remaining = predictions.remaining_s(VmId(vm), seen_s + more_s);
                assert!((1..=86_400).contains(&remaining), "{id}, {vm} at {seen_s} + {more_s}: {remaining}");
            }
        }
    }
}

/// VMs of a few types and tenants over 14 days: cores, tenant, start and end.
fn dated(seed: u64) -> Vec<(u32, u64, i64, i64)> {
    let mut draw = numbers(seed, 1_000_000);
    let mut next = || i64::from(draw.next().expect("endless"));
    let vm = |_| {
        let start_s = next() % (14 * DAY) - DAY;
        (1 + next() as u32 % 3, 1 + next() as u64 % 20, start_s, start_s + 1 + next())
    };
    let mut vms: Vec<_> = (0..500).map(vm).collect();
    vms.sort_by_key(|vm| vm.2);
    vms
}

fn dated_workload(vms: &[(u32, u64, i64, i64)]) -> Arc<Workload> {
    let life = |vm: &(u32, u64, i64, i64)| Life::new(vm.0, vm.2, Some(vm.3)).of_tenant(vm.1);
    workload(&vms.iter().map(life).collect::<Vec<_>>(), 14 * DAY)
}

#[test]
fn only_oracles_and_watchers_see_what_happens_after_the_cut() {
    let half = 7 * DAY;
    let with = |stretched: i64| {
        let mut vms = dated(4);
        vms.iter_mut().filter(|vm| vm.3 > half).for_each(|vm| vm.3 = half + 1 + (vm.3 - half) * stretched);
        dated_workload(&vms)
    };
    for id in ids() {
        let [one, other] = [1, 3].map(|stretched| train(id, &[], &with(stretched)).predictions);
        assert_eq!(one == other, !id.ends_with("Oracle") && !WATCHERS.contains(&id), "{id}");
    }
}

/// Predictions for a VM depend only on events before its request. This permutes what comes later: the VMs, their
/// tenants, their lifetimes, and the remaining lifetimes of VMs running then.
#[test]
fn permuting_the_future_changes_no_prediction() {
    for (seed, day) in [(4, 8), (5, 10), (6, 13)] {
        let now = day * DAY;
        let permuted = |by: usize| {
            let mut vms = dated(seed);
            let late: Vec<usize> = (0..vms.len()).filter(|at| vms[*at].2 > now).collect();
            let kinds: Vec<_> = late.iter().map(|at| (vms[*at].0, vms[*at].1, vms[*at].3 - vms[*at].2)).collect();
            for (place, at) in late.iter().enumerate() {
                let (cores, tenant, life_s) = kinds[(place + by) % kinds.len()];
                vms[*at] = (cores, tenant, vms[*at].2, vms[*at].2 + life_s);
            }
            let running: Vec<usize> = (0..vms.len()).filter(|at| vms[*at].2 <= now && vms[*at].3 > now).collect();
            let ends: Vec<i64> = running.iter().map(|at| vms[*at].3).collect();
            running.iter().enumerate().for_each(|(place, at)| vms[*at].3 = ends[(place + by) % ends.len()]);
            dated_workload(&vms)
        };
        let [one, other] = [0, 7].map(permuted);
        assert_ne!(one.fingerprint(), other.fingerprint());
        for id in LEARNERS {
            let [before, after] = [&one, &other].map(|workload| train(id, &[], workload).predictions);
            let early = (0..one.vm_count()).map(VmId).filter(|vm| one.at(one.request_of(*vm)) <= Time(now * 1_000));
            for vm in early {
                for uptime_s in [0, 600, 90_000, 2_000_000] {
                    assert_eq!(before.predict(vm, uptime_s), after.predict(vm, uptime_s), "{id}, {vm} at {uptime_s} s");
                }
            }
        }
    }
}

/// VMs of one type, two tenants at a time, one after another: those of the first live 1 min, those of the second 10
/// h. After half of the time other tenants replace them.
#[test]
fn watchers_tell_tenants_apart_that_came_after_the_cut() {
    let vm = |at: i64| {
        let tenant = 1 + (at % 2) + if at < 336 { 0 } else { 2 };
        let start_s = 60 + at * HOUR / 2;
        Life::new(1, start_s, Some(start_s + [60, 10 * HOUR][at as usize % 2] + at % 7)).of_tenant(tenant as u64)
    };
    let workload = workload(&(0..672).map(vm).collect::<Vec<_>>(), 14 * DAY);
    let c_index = |id| train(id, &[], &workload).quality.c_index.expect("lives");
    for id in WATCHERS {
        assert!(c_index(id) > 0.7, "{id}: {}", c_index(id));
    }
    for id in ["BoostedTrees", "KaplanMeier"] {
        assert!(c_index(id) < 0.55, "{id}: {}", c_index(id));
    }
    // The last of them is predicted from the lifetimes of its tenant; once it outlives those, from the remaining
    // lifetimes of all.
    let last = VmId(671);
    for id in WATCHERS {
        let remaining_s = train(id, &[], &workload).predictions.remaining_s(last, 0);
        assert!((6 * 3_600..14 * 3_600).contains(&remaining_s), "{id}: {remaining_s} s");
    }
}

#[test]
fn the_oracle_tells_the_truth() {
    let workload = mixed(5, 300);
    let trained = train("Oracle", &[24.0], &workload);
    for request in (0..workload.request_count()).map(RequestId) {
        for vm in workload.vms_of(request).map(VmId) {
            let end = workload.end(vm);
            let end = if end == Time::NEVER { Time((14 + 1) * DAY * 1_000) } else { end };
            let life_s = (end.since(workload.at(request)).0 / 1_000).max(1) as u32;
            let uptime_s = life_s / 3;
            assert_eq!(trained.predictions.remaining_s(vm, uptime_s), life_s - uptime_s);
            assert_eq!(trained.predictions.next_change_s(vm, uptime_s), Some(life_s));
            assert_eq!(trained.predictions.remaining_s(vm, life_s + 5), 1);
        }
    }
    assert_eq!(trained.quality.c_index, Some(1.0));
    let long = trained.quality.long_lives.expect("long lives");
    assert_eq!(long.at_threshold.f1, Some(1.0));
    assert!(long.f1_by_share.iter().all(|f1| *f1 == Some(1.0)));
    assert_eq!(trained.quality.first_errors.expect("errors").share_within(1), 1.0);
}

/// Values of the noisy oracle's `error`.
const ONE_FACTOR: f64 = 0.0;
const DRAWN_AGAIN: f64 = 1.0;

#[test]
fn a_vms_one_factor_is_on_what_truly_remains() {
    let lives: Vec<Life> = (0..500).map(|at| Life::new(1, 1 + at, Some(1 + at + 10_000))).collect();
    let workload = workload(&lives, DAY);
    let of = |error: f64| train("NoisyOracle", &[50.0, 0.001, 1.0, 24.0, error], &workload).predictions;
    let (one_factor, drawn_again) = (of(ONE_FACTOR), of(DRAWN_AGAIN));
    let mut capped = 0;
    for vm in (0..500).map(VmId) {
        let first_s = one_factor.remaining_s(vm, 0);
        assert_eq!(first_s, drawn_again.remaining_s(vm, 0), "the first error is the same");
        // Queried at a full minute, and in between less by the time passed since.
        for asked_s in [60, 6_000, 9_960] {
            let expected = (f64::from(first_s) * f64::from(10_000 - asked_s) / 10_000.0).max(1.0);
            let told_s = one_factor.remaining_s(vm, asked_s);
            capped += u32::from(first_s == 86_400);
            let is_near = libm::fabs(f64::from(told_s) - expected) < 1.01 || first_s == 86_400;
            assert!(is_near, "{vm}: {told_s} s at {asked_s} s, expected {expected}");
            assert_eq!(one_factor.remaining_s(vm, asked_s + 1), (told_s - 1).max(1), "{vm} at {asked_s} s");
        }
        assert_eq!(one_factor.next_change_s(vm, 6_001).map(|next| next <= 6_060), Some(true), "{vm}");
    }
    assert!(capped < 500, "{capped} of 1,500 at the cap");
}

#[test]
fn the_noisy_oracle_is_as_right_as_it_is_told_to_be() {
    let lives: Vec<Life> = (0..4_000).map(|at| Life::new(1, 1 + at, Some(1 + at + 10_000))).collect();
    let workload = workload(&lives, DAY);
    let off = |predictions: &crate::Predictions, vm: u32, uptime: u32| {
        let exit = f64::from(uptime + predictions.remaining_s(VmId(vm), uptime));
        libm::fabs(exit / 10_000.0 - 1.0)
    };
    for accuracy in [0.0, 80.0, 100.0] {
        let predictions = train("NoisyOracle", &[accuracy, 0.001, 3.0, 24.0, DRAWN_AGAIN], &workload).predictions;
        let right = (0..4_000).filter(|vm| off(&predictions, *vm, 0) < 0.01).count() as f64;
        assert!((right / 40.0 - accuracy).abs() < 3.0, "{accuracy} %: {right} of 4,000");
        // Half of the wrong ones are outlived, and each of them is drawn again for the remaining lifetime.
        let again: Vec<u32> = (0..4_000).filter(|vm| predictions.next_change_s(VmId(*vm), 0) < Some(5_000)).collect();
        let drawn: BTreeSet<u32> = again.iter().map(|vm| predictions.remaining_s(VmId(*vm), 5_000)).collect();
        assert!(drawn.len() * 2 > again.len() || accuracy == 100.0, "{} of {}", drawn.len(), again.len());
    }
    // Without noise it is the oracle, up to the cap.
    let exact = train("NoisyOracle", &[100.0, 0.0, 0.0, 24.0], &workload).predictions;
    assert!((0..4_000).all(|vm| exact.remaining_s(VmId(vm), 4_000) == 6_000));
}

/// Type 1 lives 1 h, type 2 lives 10 h; type 3 lives 1 h or 20 h with equal probability.
fn planted() -> Arc<Workload> {
    let coins = numbers(9, 2);
    let lives: Vec<Life> = (0..3_000)
        .zip(coins)
        .map(|(at, coin): (i64, u32)| {
            let start_s = 60 + at * 6 * 60;
            let life_s = [HOUR, 10 * HOUR, if coin == 0 { HOUR } else { 20 * HOUR }][at as usize % 3];
            Life::new(1 + at as u32 % 3, start_s, Some(start_s + life_s + at % 7 * 30))
        })
        .collect();
    workload(&lives, 3_000 * 6 * 60)
}

#[test]
fn models_find_a_planted_rule_and_repredict_two_peaks() {
    let workload = planted();
    let vm = |cores: u32| {
        let is_late = |vm: &VmId| workload.at(workload.request_of(*vm)) > Time(12 * DAY * 1_000);
        let has_cores = |vm: &VmId| workload.shape_of_vm(*vm).demand.cores_milli() == cores * 1_000;
        (0..workload.vm_count()).map(VmId).find(|vm| is_late(vm) && has_cores(vm)).expect("a late one")
    };
    // The mean of two peaks is 10.5 h; trees predict in the logarithm, where it is lower.
    for (id, two_peaks) in [("KaplanMeier", 10.0..11.0), ("BoostedTrees", 3.5..5.5)] {
        let Trained { predictions, quality } = train(id, &[], &workload);
        let hours = |cores, uptime_h: f64| {
            let uptime_s = (uptime_h * 3_600.0) as u32;
            f64::from(predictions.remaining_s(vm(cores), uptime_s)) / 3_600.0
        };
        assert!((0.95..1.15).contains(&hours(1, 0.0)), "{id}: {}", hours(1, 0.0));
        assert!((9.5..10.5).contains(&hours(2, 0.0)), "{id}: {}", hours(2, 0.0));
        assert!((4.0..6.5).contains(&hours(2, 5.0)), "{id}: {}", hours(2, 5.0));
        assert!(two_peaks.contains(&hours(3, 0.0)), "{id}: {}", hours(3, 0.0));
        // After 2 h it can only be one of the long ones.
        assert!((16.0..20.0).contains(&hours(3, 2.0)), "{id}: {}", hours(3, 2.0));
        // Two VMs of one type are a guess, and so are types 2 and 3, and half of the pairs of 1 and 3.
        assert!((quality.c_index.expect("lives") - 2.0 / 3.0).abs() < 0.03, "{id}: {:?}", quality.c_index);
    }
}

#[test]
fn trees_say_which_features_counted() {
    let influence = train("BoostedTrees", &[], &planted()).quality.influence;
    let sum: f64 = influence.iter().map(|influence| influence.share).sum();
    assert!((sum - 1.0).abs() < 1e-9);
    let names: BTreeSet<_> = influence.iter().take(2).map(|influence| influence.feature).collect();
    assert_eq!(names, BTreeSet::from(["cores", "uptime"]));
}

#[test]
fn poor_traces_give_cautious_answers_and_sentences() {
    let endless: Vec<Life> = (0..50).map(|at| Life::new(1, at * 600 - 9_000, None)).collect();
    let warm: Vec<Life> = (0..50).map(|at| Life::new(1, -at, Some(at - 10))).collect();
    let cases = [
        ("no life ends", workload(&endless, DAY)),
        ("one VM", workload(&[Life::new(1, 50, Some(90))], DAY)),
        ("one VM at the end", workload(&[Life::new(1, DAY - 1, Some(DAY))], DAY)),
        ("nobody comes", workload(&warm, 100)),
        ("no time passes", workload(&warm, 0)),
        ("lives of nothing", workload(&[Life::new(1, 5, Some(5)), Life::new(2, 80, Some(80))], 100)),
        ("ages", workload(&[Life::new(1, i64::from(u32::MAX) * -9, None), Life::new(1, 9, Some(1 << 40))], 100)),
    ];
    for (name, workload) in &cases {
        for id in ids() {
            for share in [0.0, 50.0, 100.0] {
                let values = if id.ends_with("Oracle") { Vec::new() } else { [share].into() };
                let Trained { predictions, quality } = train(id, &values, workload);
                for uptime in [0, 1, 4_000, u32::MAX] {
                    assert!(predictions.remaining_s(VmId(0), uptime) >= 1, "{name}, {id}");
                    assert!(
                        predictions.next_change_s(VmId(0), uptime).is_none_or(|next| next > uptime),
                        "{name}, {id}"
                    );
                }
                let detection = quality.long_lives.as_ref().map(|long| long.at_best_cut);
                let numbers = [quality.c_index, detection.and_then(|it| it.f1), detection.and_then(|it| it.precision)];
                assert!(
                    numbers.iter().flatten().all(|number| (0.0..=1.0).contains(number)),
                    "{name}, {id}: {quality:?}"
                );
                let is_silent =
                    quality.c_index.is_none() || quality.long_lives.is_none() || quality.first_errors.is_none();
                assert_eq!(is_silent, !quality.unanswered.is_empty(), "{name}, {id}: {quality:?}");
            }
        }
    }
    // If no VM was observed to end, models that count running VMs predict the cap.
    for id in LEARNERS {
        assert_eq!(train(id, &[50.0, 24.0], &cases[0].1).predictions.remaining_s(VmId(0), 0), 86_400, "{id}");
    }
}

#[test]
fn bad_values_are_defaults_and_an_unknown_predictor_is_the_first() {
    let workload = mixed(6, 200);
    let plain = train("NoisyOracle", &[], &workload);
    for values in [[101.0, 0.001, 3.0, 336.0, 2.0], [f64::NAN, f64::INFINITY, -1.0, 0.0, 0.5]] {
        assert!(train("NoisyOracle", &values, &workload) == plain, "{values:?}");
    }
    assert!(train("Crystal ball", &[12.0], &workload) == train("BoostedTrees", &[], &workload));
}
