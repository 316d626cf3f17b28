//! Recovers priors from workloads that were drawn from them, and checks the reported limits of data with little
//! information.

#![allow(clippy::disallowed_methods, reason = "a test's own numbers may differ in the last digit between machines")]

use rand_core::SeedableRng;
use rand_distr::{Distribution, Exp1, Gamma as Draws, Poisson, StandardUniform};
use rand_xoshiro::Xoshiro256PlusPlus;
use tiebreak_admission::fit::{Doubt, Fit, FitFault, Fitted, Histories, History, histories};
use tiebreak_admission::{Deaths, Gamma, Model, Prior, Seen, Stop};
use tiebreak_model::{Resources, Time, VmRow, VmShape, Workload, WorkloadBuilder};

const HORIZON_HOURS: f64 = 600.0;

const PRIOR: Prior = Prior {
    death: Gamma { shape: 1.2, rate: 15.0 },
    scale_out: Gamma { shape: 1.5, rate: 4.0 },
    size: Gamma { shape: 1.5, rate: 0.5 },
    stop: 0.2,
    power: 0.5,
};

/// Simulates deployments as VMs of one core each.
struct Actor {
    luck: Xoshiro256PlusPlus,
    builder: WorkloadBuilder,
    vms: u64,
}

impl Actor {
    fn wait(&mut self, rate: f64) -> f64 {
        let wait: f64 = Exp1.sample(&mut self.luck);
        wait / rate
    }

    fn gamma(&mut self, gamma: &Gamma) -> f64 {
        Draws::new(gamma.shape, 1.0 / gamma.rate).expect("a Gamma").sample(&mut self.luck)
    }

    /// One deployment: its blocks as (start, end of each core), in hours.
    fn deployment(&mut self, tenant: u64, prior: &Prior, deaths: Deaths) {
        let mu = self.gamma(&prior.death);
        let lambda = self.gamma(&prior.scale_out) * mu.powf(prior.power);
        let sigma = self.gamma(&prior.size);
        let share: f64 = StandardUniform.sample(&mut self.luck);
        let start = share * HORIZON_HOURS * 0.8 + 1.0;
        let stop = if prior.stop > 0.0 { start + self.wait(prior.stop * mu) } else { f64::INFINITY };
        let (mut now, mut last) = (start, start);
        loop {
            let cores = 1 + Poisson::new(sigma).map_or(0.0, |sizes| sizes.sample(&mut self.luck)) as u32;
            let together = now + self.wait(mu);
            for _ in 0..cores {
                let end = if deaths == Deaths::Blocks { together } else { now + self.wait(mu) }.min(stop);
                last = last.max(end);
                self.push(tenant, now, end);
            }
            now += self.wait(lambda);
            if last <= now || HORIZON_HOURS <= now {
                return;
            }
        }
    }

    fn push(&mut self, tenant: u64, start: f64, end: f64) {
        let time = |hours: f64| Time((hours * 3_600_000.0) as i64);
        let shape = VmShape::plain(Resources::new(1_000, 1_024, 0, 0));
        self.builder.push(VmRow { name: self.vms, tenant, shape, start: time(start), end: time(end) });
        self.vms += 1;
    }
}

fn workload(seed: u64, deployments: u64, prior: &Prior, deaths: Deaths) -> Workload {
    let luck = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut actor = Actor { luck, builder: WorkloadBuilder::new(), vms: 0 };
    for tenant in 0..deployments {
        actor.deployment(tenant, prior, deaths);
    }
    actor.builder.finish(Time((HORIZON_HOURS * 3_600_000.0) as i64)).expect("a workload")
}

fn fitted(workload: &Workload, deaths: Deaths) -> Fitted {
    Fit::new(&histories(workload, deaths), deaths).expect("deployments that end").result()
}

/// Each parameter with its name, and its tolerance as a factor (for the power: a difference).
fn check(fitted: &Fitted, truth: &Prior, factor: f64, power: f64) {
    let numbers = |prior: &Prior| {
        [
            ("mean death rate", prior.death.mean()),
            ("shape of the death rate", prior.death.shape),
            ("mean scale-outs", prior.scale_out.mean()),
            ("shape of scale-outs", prior.scale_out.shape),
            ("mean size", prior.size.mean()),
            ("shape of the size", prior.size.shape),
            ("stop", prior.stop),
        ]
    };
    for ((name, found), (_, truth)) in numbers(&fitted.prior).into_iter().zip(numbers(truth)) {
        assert!(found < truth * factor && truth < found * factor, "{name}: {found} instead of {truth}");
    }
    assert!((fitted.prior.power - truth.power).abs() < power, "power: {:?}", fitted.prior);
    for agreement in [&fitted.sizes, &fitted.lives, &fitted.first_scale_outs] {
        let agreement = agreement.as_ref().expect("something to compare");
        // 1.63 / sqrt(n) is the 1 % point without fitted parameters.
        assert!(agreement.kolmogorov_smirnov < 1.63 / f64::from(agreement.seen).sqrt(), "{agreement:?}");
    }
}

#[test]
fn the_prior_of_blocks_is_found_again() {
    let fitted = fitted(&workload(1, 1_500, &PRIOR, Deaths::Blocks), Deaths::Blocks);
    check(&fitted, &PRIOR, 1.2, 0.1);
    let Fitted { counts, cannot_say, .. } = fitted;
    assert_eq!((counts.deployments, counts.used, counts.begun_before), (1_500, 1_500, 0));
    assert!(cannot_say.iter().any(|doubt| matches!(doubt, Doubt::StopsOnlyBound { .. })), "{cannot_say:?}");
    assert!(!cannot_say.contains(&Doubt::Unfinished) && !cannot_say.contains(&Doubt::Edge), "{cannot_say:?}");
}

#[test]
fn the_prior_of_cores_is_found_again() {
    // Stops of deployments with two VMs left look like deaths, so the factor comes out low.
    let prior = Prior { power: 0.0, scale_out: Gamma { shape: 1.5, rate: 20.0 }, ..PRIOR };
    let fitted = fitted(&workload(2, 800, &prior, Deaths::Cores), Deaths::Cores);
    check(&fitted, &prior, 1.3, 0.15);
}

#[test]
fn slices_change_nothing() {
    let workload = workload(3, 120, &PRIOR, Deaths::Blocks);
    let found = histories(&workload, Deaths::Blocks);
    let at_once = Fit::new(&found, Deaths::Blocks).expect("deployments that end").result();
    let mut fit = Fit::new(&found, Deaths::Blocks).expect("deployments that end");
    let (mut slices, mut share) = (0, 0.0);
    while !fit.work(300) {
        assert!(share <= fit.share_done() && fit.share_done() < 1.0, "{share} {}", fit.share_done());
        share = fit.share_done();
        slices += 1;
    }
    assert!(slices > 100 && fit.share_done() == 1.0, "{slices}");
    assert_eq!(fit.result(), at_once);
}

/// Deployments of one block with these lifetimes in hours and numbers of cores; nothing else is observed.
fn plain(lives: &[(f64, f64)], over: bool) -> Histories {
    let history = |(hours, cores): &(f64, f64)| {
        let mut seen = Seen::started(*cores);
        seen.pass(*hours, Deaths::Blocks);
        if over {
            seen.death(*cores, Deaths::Blocks);
        }
        History {
            seen,
            stopped: false,
            alone: over,
            over,
            first_cores: *cores,
            first_life_hours: *hours,
            first_life_over: over,
            first_wait_hours: *hours,
        }
    };
    Histories { each: lives.iter().map(history).collect(), begun_before: 3, short_lives: 0, trace_hours: 100.0 }
}

#[test]
fn without_deployments_or_deaths_there_is_no_fit() {
    let fault = |found: &Histories| Fit::new(found, Deaths::Blocks).map(|_| ()).expect_err("a fault");
    let none = fault(&plain(&[], true));
    assert_eq!(none, FitFault::NoDeployments { begun_before: 3 });
    assert!(none.to_string().contains("got only 3 that were running at its start"), "{none}");
    let alive = fault(&plain(&[(4.0, 1.0), (5.0, 2.0)], false));
    assert_eq!(alive, FitFault::NoDeaths { deployments: 2 });
    assert!(alive.to_string().contains("got none of 2 deployments"), "{alive}");
}

#[test]
fn little_is_fitted_and_said_to_be_little() {
    let cases: [(&str, Vec<(f64, f64)>); 5] = [
        ("one deployment", vec![(4.0, 2.0)]),
        ("many alike", vec![(4.0, 1.0); 300]),
        ("lives of no time", vec![(1.0 / 60.0, 1.0); 40]),
        ("very long and very large", vec![(1e6, 1e5); 40]),
        ("all kinds", (1..60).map(|n| (0.1 * f64::from(n * n), f64::from(n))).collect()),
    ];
    for (name, lives) in cases {
        let fitted = Fit::new(&plain(&lives, true), Deaths::Blocks).expect("deployments that end").result();
        let Fitted { prior, log_likelihood, cannot_say, .. } = &fitted;
        let model = Model { prior: *prior, deaths: Deaths::Blocks, stop: Stop::Hard };
        assert_eq!(model.check(), Ok(()), "{name}: {prior:?}");
        assert!(log_likelihood.is_finite() && prior.power == 0.0 && prior.stop == 0.0, "{name}: {fitted:?}");
        assert!(cannot_say.contains(&Doubt::NoScaleOuts) && fitted.first_scale_outs.is_none(), "{name}");
        assert!(fitted.lives.is_some() && fitted.sizes.is_some(), "{name}");
        let few = cannot_say.iter().any(|doubt| matches!(doubt, Doubt::FewDeployments { .. }));
        assert_eq!(few, lives.len() < 100, "{name}");
        assert_eq!(cannot_say.contains(&Doubt::OneCore), lives.iter().all(|life| life.1 < 2.0), "{name}");
        for doubt in cannot_say {
            assert!(doubt.to_string().len() > 30, "{name}: {doubt}");
        }
        let mean = lives.iter().map(|life| life.0).sum::<f64>() / lives.len() as f64;
        let found = 1.0 / prior.death.mean();
        assert!(name == "all kinds" || (found / mean - 1.0).abs() < 0.1, "{name}: {found} h for {mean} h");
    }
}
