//! Every law can fail: the record of a run is spoiled in one place, and the law that is
//! there to notice does.

use std::sync::LazyLock;

use tiebreak_model::{MachineId, Millis, RequestId, VmId};
use tiebreak_sim::{Decision, Latency, Outcome, Series};
use tiebreak_testkit::laws::{book_keeping, record, same};
use tiebreak_testkit::{Case, Ledger};

/// Records of cases whose agents collide and refuse, and tell time in the plainest way.
static RECORDS: LazyLock<Vec<Ledger>> = LazyLock::new(|| {
    let rich =
        |ledger: &Ledger| [Outcome::Placed, Outcome::Conflict, Outcome::Refused].iter().all(|it| has(ledger, *it));
    let plain = |case: &Case| case.agents.latency == Latency::Fixed && case.agents.commit_ms == 0;
    (0..600).map(Case::random).filter(plain).map(|case| record(&case)).filter(rich).collect()
});

fn has(ledger: &Ledger, outcome: Outcome) -> bool {
    ledger.decisions.iter().any(|it| it.outcome == outcome)
}

/// Spoils each record for which `spoil` finds a place, and expects complaints that say one of
/// these things.
fn check(spoil: impl Fn(&mut Ledger) -> Option<()>, complaints: &[&str]) {
    let mut spoiled = 0;
    for mut ledger in RECORDS.iter().cloned() {
        book_keeping(&ledger).expect("a record as it was");
        if spoil(&mut ledger).is_some() {
            spoiled += 1;
            let complaint = book_keeping(&ledger).expect_err("a spoiled record");
            assert!(complaints.iter().any(|part| complaint.contains(part)), "{complaint}, expected {complaints:?}");
        }
    }
    assert!(spoiled > 1, "only {spoiled} records could be spoiled for {complaints:?}");
}

fn find(ledger: &Ledger, holds: impl Fn(&Decision) -> bool) -> Option<usize> {
    ledger.decisions.iter().position(holds)
}

fn placed(decision: &Decision) -> bool {
    decision.outcome == Outcome::Placed && decision.agent.is_some()
}

#[test]
fn a_lost_or_doubled_decision_is_noticed() {
    let lost = |ledger: &mut Ledger| {
        let last = find(ledger, placed)?;
        ledger.decisions.remove(last);
        Some(())
    };
    check(lost, &["0 final outcomes, expected 1"]);
    let doubled = |ledger: &mut Ledger| {
        let index = find(ledger, |it| it.outcome == Outcome::Refused)?;
        ledger.decisions.insert(index, ledger.decisions[index]);
        Some(())
    };
    check(doubled, &["2 final outcomes, expected 1"]);
    let lost_conflict = |ledger: &mut Ledger| {
        let index = find(ledger, |it| it.outcome == Outcome::Conflict)?;
        let (request, attempt) = (ledger.decisions[index].request, ledger.decisions[index].attempt);
        ledger.decisions.retain(|it| (it.request, it.attempt) != (request, attempt));
        Some(())
    };
    check(lost_conflict, &["is not the next one"]);
}

#[test]
fn half_a_request_is_noticed() {
    let half = |ledger: &mut Ledger| {
        let larger = |it: &Decision| ledger.workload.vms_of(it.request).len() > 1;
        let index = find(ledger, |it| placed(it) && larger(it))?;
        ledger.placements[ledger.decisions[index].vm.index()] = None;
        let spoiled = &mut ledger.decisions[index];
        (spoiled.outcome, spoiled.machine) = (Outcome::Refused, None);
        Some(())
    };
    check(half, &["was split"]);
}

#[test]
fn another_machine_or_moment_is_noticed() {
    let elsewhere = |ledger: &mut Ledger| {
        let index = find(ledger, placed)?;
        let other = (ledger.decisions[index].machine?.0 + 1) % ledger.fleet.machine_count();
        ledger.decisions[index].machine = Some(MachineId(other));
        (ledger.fleet.machine_count() > 1).then_some(())
    };
    check(elsewhere, &["another machine or moment"]);
    // The world and the record agree, but the machines or their capacity do not.
    let moved = |ledger: &mut Ledger| {
        let never_leaves = |vm: VmId| ledger.workload.end(vm) > ledger.workload.horizon();
        let index = find(ledger, |it| placed(it) && never_leaves(it.vm))?;
        let spoiled = &mut ledger.decisions[index];
        let other = MachineId((spoiled.machine?.0 + 1) % ledger.fleet.machine_count());
        spoiled.machine = Some(other);
        ledger.placements[spoiled.vm.index()] = Some((other, spoiled.time));
        (ledger.fleet.machine_count() > 1).then_some(())
    };
    check(moved, &["over-committed", "ends with", "was refused", "were sampled", "mean"]);
    let early = |ledger: &mut Ledger| {
        let index = find(ledger, |it| placed(it) && it.attempt == 0)?;
        let request = ledger.decisions[index].request;
        for spoiled in ledger.decisions.iter_mut().filter(|it| it.request == request) {
            spoiled.time = spoiled.time - Millis(ledger.agents.decision_ms + 1);
            ledger.placements[spoiled.vm.index()] = Some((spoiled.machine?, spoiled.time));
        }
        Some(())
    };
    check(early, &["answered before it could be"]);
}

#[test]
fn a_crowd_on_one_machine_is_noticed() {
    let crowd = |ledger: &mut Ledger| {
        for spoiled in ledger.decisions.iter_mut().filter(|it| it.outcome == Outcome::Placed) {
            spoiled.machine = Some(MachineId(0));
            ledger.placements[spoiled.vm.index()] = Some((MachineId(0), spoiled.time));
        }
        // Without samples, which would speak first.
        ledger.series = Series::default();
        let placements = ledger.decisions.iter().filter(|it| it.outcome == Outcome::Placed).count();
        (placements > 100 && ledger.fleet.machine_count() > 3).then_some(())
    };
    check(crowd, &["over-committed"]);
}

#[test]
fn conflicts_without_a_reason_are_noticed() {
    let alone = |ledger: &mut Ledger| {
        (ledger.agents.count, ledger.agents.fine_grained) = (1, true);
        for spoiled in ledger.decisions.iter_mut().filter(|it| it.agent.is_some()) {
            spoiled.agent = Some(0);
        }
        // A lone agent's answers are no two at once, or the law before this one speaks.
        ledger.agents.decision_ms = 0;
        Some(())
    };
    check(alone, &["conflicts where there can be none"]);
    // A store that merges decisions has no business refusing what fits; one that does not often does.
    let is_coarse = |ledger: &&Ledger| !ledger.agents.fine_grained && ledger.agents.count > 1;
    let coarse: Vec<_> = RECORDS.iter().filter(is_coarse).collect();
    let refused_what_fits = |ledger: &&&Ledger| {
        let mut ledger = (**ledger).clone();
        ledger.agents.fine_grained = true;
        book_keeping(&ledger).is_err_and(|complaint| complaint.contains("a decision that fits was refused"))
    };
    let (all, noticed) = (coarse.len(), coarse.iter().filter(refused_what_fits).count());
    assert!(noticed > 3 && 3 * noticed > all, "{noticed} of {all}");
}

#[test]
fn impatience_and_too_much_patience_are_noticed() {
    check(
        |ledger| {
            ledger.agents.retries = ledger.agents.retries.checked_sub(1)?;
            has(ledger, Outcome::OutOfRetries).then_some(())
        },
        &["is not the next one"],
    );
    check(
        |ledger| {
            ledger.agents.retries += 1;
            has(ledger, Outcome::OutOfRetries).then_some(())
        },
        &["gave up early"],
    );
    check(
        |ledger| {
            let busiest = ledger.decisions.iter().filter_map(|it| it.agent).max()?;
            ledger.agents.count = busiest;
            (busiest > 0).then_some(())
        },
        &["has the wrong agent"],
    );
    let one_agent_for_all = |ledger: &mut Ledger| {
        for spoiled in ledger.decisions.iter_mut().filter(|it| it.agent.is_some()) {
            spoiled.agent = Some(0);
        }
        (ledger.agents.count > 1 && ledger.agents.decision_ms == 5_000).then_some(())
    };
    check(one_agent_for_all, &["two requests at once"]);
}

#[test]
fn wrong_counts_samples_and_means_are_noticed() {
    check(
        |ledger| {
            ledger.summary.placements += 1;
            Some(())
        },
        &["counts"],
    );
    check(
        |ledger| {
            ledger.summary.conflicts += 1;
            Some(())
        },
        &["counts", "conflicts where there can be none"],
    );
    check(
        |ledger| {
            ledger.summary.counters.commits -= 1;
            Some(())
        },
        &["commits"],
    );
    check(
        |ledger| {
            ledger.summary.empty_hosts_pct_mean += 1e-6;
            Some(())
        },
        &["mean of empty hosts"],
    );
    check(
        |ledger| {
            ledger.summary.packing_density_pct_mean -= 1e-6;
            Some(())
        },
        &["mean packing density"],
    );
    check(
        |ledger| {
            let record = ledger.machines.last_mut()?;
            record.vms += 1;
            Some(())
        },
        &["ends with"],
    );
    // Samples cannot be written to from here; a workload whose VMs leave at other times gives others.
    let other = record(&Case::random(1)).series;
    check(
        |ledger| {
            ledger.series = other.clone();
            Some(())
        },
        &["were sampled"],
    );
}

#[test]
fn runs_that_differ_are_noticed() {
    for ledger in RECORDS.iter() {
        same("a record and itself", ledger, ledger).expect("alike");
        let differs = |spoil: &dyn Fn(&mut Ledger), part: &str| {
            let mut other = ledger.clone();
            spoil(&mut other);
            let complaint = same("a record and a spoiled one", ledger, &other).expect_err("they differ");
            assert!(complaint.contains(part), "{complaint}, expected {part}");
        };
        differs(&|other| other.decisions[0].request = RequestId(9), "differ at decision 0");
        differs(&|other| other.decisions.truncate(other.decisions.len() - 1), "end differently");
        differs(&|other| other.summary.digest ^= 1, "end differently");
        differs(&|other| other.summary.empty_hosts_pct_mean += 1e-12, "measure differently");
        differs(&|other| other.series = record(&Case::random(1)).series, "measure differently");
    }
}
