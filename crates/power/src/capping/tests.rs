//! Laws of capping, on the paper's chassis and on random ones.

use alloc::vec;
use alloc::vec::Vec;

use tiebreak_model::random;
use tiebreak_model::random::Seed;

use super::*;

fn part(cores: u32, utilization: f64, user_facing: bool) -> Part {
    Part { cores_milli: 1_000 * cores, utilization, user_facing }
}

/// The paper's single server: 20 user-facing cores and 20 batch cores. (Section IV-C)
fn server(user_facing: f64, batch: f64) -> Vec<Part> {
    vec![part(20, user_facing, true), part(20, batch, false)]
}

fn single(budget_w: f64, per_vm: bool, parts: &[Part]) -> Chassis {
    let capping = Capping { budget_w, per_vm, ..Capping::default() };
    let mut chassis = Chassis::new(&ServerPower::default(), &capping, 1).expect("a sound chassis");
    chassis.set_parts(0, parts).expect("sound parts");
    chassis
}

/// Random draws, keyed by what they decide.
struct Dice(random::Stream, u64);

impl Dice {
    fn below(&mut self, count: u32) -> u32 {
        self.1 += 1;
        random::pick(self.0.draw(self.1, 0), count)
    }

    fn share(&mut self) -> f64 {
        f64::from(self.below(1_001)) / 1_000.0
    }

    fn parts(&mut self) -> Vec<Part> {
        let cores_milli = |dice: &mut Self| 250 * (8 + dice.below(13));
        let count = if self.below(5) == 0 { 0 } else { 4 + self.below(5) };
        (0..count)
            .map(|_| Part {
                cores_milli: cores_milli(self),
                utilization: self.share(),
                user_facing: self.below(2) == 0,
            })
            .collect()
    }

    fn capping(&mut self, servers: usize, share_w: f64) -> Capping {
        Capping {
            budget_w: servers as f64 * (share_w + 50.0 * self.share()),
            per_vm: self.below(3) > 0,
            margin_w: f64::from(self.below(10)),
            raise_cores: 1 + self.below(8),
            lift_ms: 1_000 + 137 * self.below(250),
            ..Capping::default()
        }
    }
}

/// Runs random chassis whose servers have at least this share, under changing loads; calls `each` after every change,
/// with the length of the next span.
fn random_runs(share_w: f64, mut each: impl FnMut(u64, &mut Chassis, u64)) {
    for number in 0..150 {
        let mut dice = Dice(Seed(number).stream("chassis"), 0);
        let servers = 1 + dice.below(4) as usize;
        let capping = dice.capping(servers, share_w);
        let mut chassis = Chassis::new(&ServerPower::default(), &capping, servers).expect("a sound chassis");
        for _ in 0..4 {
            for server in 0..servers {
                if dice.below(3) > 0 {
                    chassis.set_parts(server, &dice.parts()).expect("sound parts");
                }
            }
            let ms =
                u64::from([200 * dice.below(20), 1_000 * dice.below(300), dice.below(100_000)][dice.below(3) as usize]);
            each(number, &mut chassis, ms);
        }
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

fn alike(quick: &SpanReport, slow: &SpanReport) -> bool {
    let whole = |it: &SpanReport| (it.ms, it.events, it.capped_ms, it.over_ms, it.rapl);
    let parts = quick.parts.iter().flatten().zip(slow.parts.iter().flatten());
    let part = |(one, other): (&PartReport, &PartReport)| {
        one.throttled_ms == other.throttled_ms && one.lowest == other.lowest && near(one.depth_ms, other.depth_ms)
    };
    whole(quick) == whole(slow) && near(quick.energy_j, slow.energy_j) && quick.peak_w == slow.peak_w && { parts }
        .all(part)
}

/// The same span, poll by poll.
fn stepped(chassis: &mut Chassis, ms: u64) -> SpanReport {
    let end_ms = chassis.now_ms + ms;
    while chassis.next_poll_ms <= end_ms {
        chassis.step();
    }
    chassis.span(end_ms - chassis.now_ms)
}

#[test]
fn spans_say_what_steps_say() {
    let (mut events, mut rapl) = (0, 0);
    random_runs(113.0, |number, chassis, ms| {
        let mut slow = chassis.clone();
        let (quick_report, slow_report) = (chassis.span(ms), stepped(&mut slow, ms));
        assert!(alike(&quick_report, &slow_report), "chassis {number}, {ms} ms: {quick_report:?} and {slow_report:?}");
        assert_eq!(quick_report.ms, ms);
        assert_eq!((chassis.draw_w(), chassis.lift_at_ms), (slow.draw_w(), slow.lift_at_ms), "chassis {number}");
        assert_eq!((chassis.now_ms, chassis.next_poll_ms), (slow.now_ms, slow.next_poll_ms), "chassis {number}");
        events += quick_report.events;
        rapl += quick_report.rapl;
    });
    assert!(events > 1_000 && rapl > 300, "too few to say anything: {events} events, {rapl} times RAPL");
}

#[test]
fn parts_sum_to_the_whole_at_every_poll() {
    random_runs(113.0, |number, chassis, ms| {
        for _ in 0..ms.min(20_000) / 200 {
            chassis.step();
            let sum = |server| chassis.parts_w(server).sum::<f64>();
            for server in 0..chassis.servers() {
                assert!(near(sum(server), chassis.server_w(server)), "chassis {number}, server {server}");
            }
            let all: f64 = (0..chassis.servers()).map(sum).sum();
            assert!(near(all, chassis.draw_w()), "chassis {number}: {all} W of {} W", chassis.draw_w());
        }
        chassis.span(0);
    });
}

#[test]
fn nobody_user_facing_is_slowed_while_batch_suffices() {
    let mut slowed = 0;
    random_runs(113.0, |number, chassis, ms| {
        for _ in 0..ms.min(20_000) / 200 {
            let before = chassis.clone();
            chassis.step();
            for server in 0..chassis.servers() {
                if !chassis.capping.per_vm || before.is_under_rapl(server) || !chassis.is_under_rapl(server) {
                    continue;
                }
                let batch = before.servers[server].frequencies().zip(before.servers[server].is_batch());
                let is_at_half = { batch }.all(|((mean, _), is_batch)| !is_batch || mean == 0.5);
                assert!(is_at_half, "chassis {number}: RAPL before the batch cores of server {server}");
                assert!(
                    before.server_w(server) > before.share_w(),
                    "chassis {number}: server {server} was below its share"
                );
                slowed += 1;
            }
        }
        chassis.span(0);
    });
    assert!(slowed > 50, "RAPL came {slowed} times only");
}

#[test]
fn draws_are_within_the_budget_two_seconds_after_they_exceeded_it() {
    let mut exceeded = 0;
    // With all cores busy at half the frequency, a server draws 169 W: a lower share cannot be kept.
    random_runs(169.0, |number, chassis, _| {
        let capping = chassis.capping;
        let mut over_ms = 0;
        for _ in 0..300 {
            over_ms = if is_over(chassis) { over_ms + 200 } else { 0 };
            exceeded += u32::from(over_ms == 200);
            assert!(over_ms <= 2_000, "chassis {number} is over its budget for {over_ms} ms: {capping:?}");
            chassis.step();
        }
    });
    assert!(exceeded > 100, "exceeded {exceeded} times only");
}

fn is_over(chassis: &Chassis) -> bool {
    chassis.draw_w() > chassis.capping.budget_w + 1e-6
}

#[test]
fn capped_cores_are_lifted_after_thirty_seconds() {
    let mut chassis = single(230.0, true, &server(0.9, 0.9));
    assert!(chassis.step().chassis.is_capped());
    let begun = chassis.now_ms;
    chassis.set_parts(0, &server(0.2, 0.2)).expect("sound parts");
    while chassis.is_capped() {
        chassis.step();
    }
    assert_eq!(chassis.now_ms - begun, 30_000);
    assert!(chassis.frequencies(0).all(|frequency| frequency == (1.0, 1.0)));
    assert_eq!(chassis.span(3_600_000).events, 1, "the one before");
}

#[test]
fn a_controller_drops_batch_at_once_and_raises_it_to_just_below_its_target() {
    let mut chassis = single(230.0, true, &server(0.8, 0.8));
    chassis.step();
    let frequencies: Vec<_> = chassis.frequencies(0).collect();
    assert_eq!(frequencies, [(1.0, 1.0), (0.5, 0.5)]);
    let report = chassis.span(29_000);
    let (after_w, share_w) = (chassis.draw_w(), chassis.share_w());
    assert!((share_w - 10.0..=share_w - 5.0).contains(&after_w), "{after_w} W");
    assert_eq!((report.events, report.rapl, report.over_ms), (1, 0, 200));
    assert_eq!(report.parts[0][0], PartReport::default());
    assert_eq!((report.parts[0][1].throttled_ms, report.parts[0][1].lowest), (29_000, 0.5));
}

#[test]
fn rapl_alone_slows_all_cores_alike() {
    let mut chassis = single(230.0, false, &server(0.8, 0.8));
    let report = chassis.span(20_000);
    let frequencies: Vec<_> = chassis.frequencies(0).collect();
    assert_eq!(frequencies[0], frequencies[1]);
    assert!((227.0..=230.0).contains(&chassis.draw_w()), "{} W", chassis.draw_w());
    assert_eq!((report.events, report.rapl), (1, 1));
}

#[test]
fn rapl_comes_where_batch_does_not_suffice() {
    let mut chassis = single(210.0, true, &server(1.0, 0.4));
    chassis.step();
    assert!(!chassis.is_under_rapl(0));
    chassis.step();
    assert!(chassis.is_under_rapl(0));
    let report = chassis.span(10_000);
    assert!(report.parts[0][0].lowest < 1.0 && chassis.draw_w() <= 210.0);
}

#[test]
fn nothing_happens_below_the_budget() {
    let mut chassis = single(260.0, true, &server(0.7, 0.7));
    let report = chassis.span(30 * 86_400_000);
    assert_eq!((report.events, report.over_ms, report.capped_ms), (0, 0, 0));
    assert!(near(report.energy_j, 30.0 * 86_400.0 * ServerPower::default().server_w(1.0, 0.7)));
}

#[test]
fn what_cannot_be_simulated_is_said() {
    let (power, paper) = (ServerPower::default(), Capping::default());
    let chassis = |capping: Capping, servers| Chassis::new(&power, &capping, servers).map(|_| ());
    let parts = |parts: &[Part]| single(230.0, true, &[]).set_parts(0, parts);
    let part = Part { cores_milli: 4_000, utilization: 0.5, user_facing: true };
    for (found, words) in [
        (chassis(paper, 0), "expected a chassis with servers"),
        (chassis(paper, 22), "at least 2464 W, which its servers draw when idle, got 2450 W"),
        (chassis(Capping { budget_w: f64::NAN, margin_w: 0.0, ..paper }, 1), "a margin from 0 W"),
        (chassis(Capping { poll_ms: 0, ..paper }, 1), "at least 1 ms between polls"),
        (chassis(Capping { raise_cores: 0, ..paper }, 1), "at least 1 core"),
        (chassis(Capping { lift_ms: 100, ..paper }, 1), "at least one poll before"),
        (chassis(Capping { rapl_ms: 700, ..paper }, 1), "at least four polls for RAPL"),
        (parts(&[part, Part { cores_milli: 0, ..part }]), "got 0 cores for part 1"),
        (parts(&[Part { utilization: f64::NAN, ..part }]), "got NaN for part 0"),
        (parts(&[Part { utilization: 1.1, ..part }]), "got 1.1 for part 0"),
        (parts(&[Part { cores_milli: 40_001, ..part }]), "at most 40 cores"),
        (single(230.0, true, &[]).set_parts(1, &[part]), "a server below 1, got 1"),
        (Chassis::new(&ServerPower { full_w: 1.0, ..power }, &paper, 1).map(|_| ()), "draws no less for more work"),
    ] {
        let said = alloc::format!("{}", found.expect_err(words));
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn polls_are_shown_in_order() {
    let (mut at, mut draws) = (Vec::new(), Vec::new());
    let each = |step: &PolledChassis<'_>| {
        at.push(step.at_ms);
        draws.push(step.draw_w);
    };
    let chassis = [server(0.8, 0.8)];
    let capping = Capping { budget_w: 230.0, ..Capping::default() };
    simulate(&chassis, &ServerPower::default(), &capping, 1_000, each).expect("a sound chassis");
    assert_eq!(at, [200, 400, 600, 800, 1_000]);
    assert!(draws[0] > 230.0 && draws[1] < 225.0 && draws[1] < draws[2]);
}
