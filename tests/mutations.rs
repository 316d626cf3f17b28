//! Every law can fail: the record of a run is corrupted in one place, and the corresponding law notices.

use std::sync::LazyLock;

use tiebreak_model::{MachineId, Millis, RequestId, Time, VmId};
use tiebreak_placement::RuleUse;
use tiebreak_sim::power::events::{CappingEvent, Throttled};
use tiebreak_sim::world::AgentState;
use tiebreak_sim::{Agents, CappingKind, Cause, Decision, Disruption, Latency, Outcome, Reason, Series};
use tiebreak_testkit::laws::{
    a_fork_shares_its_past, avoidance_waits_for_a_conflict, book_keeping, caches_decide_alike, one_thing_at_a_time,
    record, same, same_until_a_conflict,
};
use tiebreak_testkit::{Case, Ledger, watts};

/// Records of random cases, all of them valid.
static ALL: LazyLock<Vec<Ledger>> = LazyLock::new(|| {
    let lawful = |ledger: &Ledger| book_keeping(ledger).expect("a record as it was");
    (0..1_000).map(|number| record(&Case::random(number))).inspect(lawful).collect()
});

/// Records with conflicts, refusals and simple timing, without terms of tenants and without incidents.
fn is_plain(ledger: &Ledger) -> bool {
    let rich = [Outcome::Placed, Outcome::Conflict, Outcome::Refused].iter().all(|it| has(ledger, *it));
    let plain = ledger.agents.latency == Latency::Fixed && ledger.agents.commit_ms == 0;
    rich && plain && !ledger.eventful && !asks(ledger)
}

/// Whether tenants have terms.
fn asks(ledger: &Ledger) -> bool {
    ledger.workload.shapes().iter().any(|shape| !shape.terms.is_none())
}

fn has(ledger: &Ledger, outcome: Outcome) -> bool {
    ledger.decisions.iter().any(|it| it.outcome == outcome)
}

/// Corrupts each plain record in which `spoil` finds a place, and expects complaints with one of these texts.
fn check(spoil: impl Fn(&mut Ledger) -> Option<()>, complaints: &[&str]) {
    check_where(is_plain, spoil, complaints);
}

/// The same for records that meet a condition.
fn check_where(fit: impl Fn(&Ledger) -> bool, spoil: impl Fn(&mut Ledger) -> Option<()>, complaints: &[&str]) {
    let mut spoiled = 0;
    for mut ledger in ALL.iter().filter(|ledger| fit(ledger)).cloned() {
        if spoil(&mut ledger).is_some() {
            spoiled += 1;
            let complaint = book_keeping(&ledger).expect_err("a spoiled record");
            assert!(complaints.iter().any(|part| complaint.contains(part)), "{complaint}, expected {complaints:?}");
        }
    }
    assert!(spoiled > 1, "only {spoiled} records could be spoiled for {complaints:?}");
}

/// Corrupts each record in which `spoil` finds a place, where that need not break a law, and counts the complaints
/// with this text.
fn noticed(spoil: impl Fn(&mut Ledger) -> Option<()>, part: &str) -> usize {
    let complains = |ledger: &&Ledger| {
        let mut ledger = (*ledger).clone();
        spoil(&mut ledger).is_some() && book_keeping(&ledger).is_err_and(|complaint| complaint.contains(part))
    };
    ALL.iter().filter(complains).count()
}

fn find(ledger: &Ledger, holds: impl Fn(&Decision) -> bool) -> Option<usize> {
    ledger.decisions.iter().position(holds)
}

fn placed(decision: &Decision) -> bool {
    decision.outcome == Outcome::Placed && decision.agent.is_some()
}

/// Every kind of corruption: one test, because each process would create the records again.
#[test]
fn every_spoiled_record_is_noticed() {
    macro_rules! each {
        ($($name:ident),* $(,)?) => {
            $(
                println!("{}", stringify!($name));
                $name();
            )*
        };
    }
    each![
        a_lost_or_doubled_decision_is_noticed,
        half_a_request_is_noticed,
        another_machine_or_moment_is_noticed,
        a_crowd_on_one_machine_is_noticed,
        conflicts_without_a_reason_are_noticed,
        outdated_decisions_that_were_taken_are_noticed,
        impatience_and_too_much_patience_are_noticed,
        wrong_counts_samples_and_means_are_noticed,
        runs_that_differ_are_noticed,
        a_fork_with_another_past_is_noticed,
        broken_promises_are_noticed,
        evictions_without_right_or_need_are_noticed,
        vms_that_lose_their_machine_are_followed,
        agents_that_do_two_things_at_once_are_noticed,
        avoidance_without_a_reason_is_noticed,
        runs_that_part_before_a_conflict_are_noticed,
        a_mix_of_caches_that_decides_otherwise_is_noticed,
        links_that_take_what_is_not_there_or_give_nothing_back_are_noticed,
        deployments_that_are_counted_wrongly_are_noticed,
        a_run_that_lets_in_otherwise_with_other_caches_is_noticed,
        power_that_does_not_add_up_is_noticed,
    ];
}

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

fn another_machine_or_moment_is_noticed() {
    let elsewhere = |ledger: &mut Ledger| {
        let index = find(ledger, placed)?;
        let other = MachineId((ledger.decisions[index].machine?.0 + 1) % ledger.fleet.machine_count());
        ledger.placements[ledger.decisions[index].vm.index()] = Some((other, ledger.decisions[index].time));
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
    check(
        moved,
        &[
            "over-committed",
            "ends with",
            "was refused",
            "sampled",
            "mean",
            "on which it was not",
            "than the list allows",
        ],
    );
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

fn a_crowd_on_one_machine_is_noticed() {
    let crowd = |ledger: &mut Ledger| {
        for spoiled in ledger.decisions.iter_mut().filter(|it| it.outcome == Outcome::Placed) {
            spoiled.machine = Some(MachineId(0));
            ledger.placements[spoiled.vm.index()] = Some((MachineId(0), spoiled.time));
        }
        // Without samples, whose law would fail first.
        ledger.series = Series::default();
        let placements = ledger.decisions.iter().filter(|it| it.outcome == Outcome::Placed).count();
        (placements > 100 && ledger.fleet.machine_count() > 3).then_some(())
    };
    check(crowd, &["over-committed"]);
}

fn conflicts_without_a_reason_are_noticed() {
    let alone = |ledger: &mut Ledger| {
        (ledger.agents.count, ledger.agents.fine_grained) = (1, true);
        for spoiled in ledger.decisions.iter_mut().filter(|it| it.agent.is_some()) {
            spoiled.agent = Some(0);
        }
        // Answers of a lone agent are never simultaneous, or an earlier law would fail first.
        ledger.agents.decision_ms = 0;
        Some(())
    };
    check(alone, &["conflicts where there can be none"]);
    // A store that merges decisions must not refuse what fits; one that does not merge often does.
    let coarse = |ledger: &Ledger| !ledger.agents.fine_grained && ledger.agents.count > 1 && !ledger.eventful;
    for asking in [false, true] {
        let fit = |ledger: &Ledger| coarse(ledger) && asks(ledger) == asking && has(ledger, Outcome::Conflict);
        let all = ALL.iter().filter(|ledger| fit(ledger)).count();
        let merged = |ledger: &mut Ledger| {
            let fit = fit(ledger);
            ledger.agents.fine_grained = true;
            fit.then_some(())
        };
        let noticed = noticed(merged, "a decision that fits was refused");
        assert!(noticed > 3 && 3 * noticed > all, "{noticed} of {all}");
    }
}

/// A store that merges decisions accepts stale ones; one that does not must not.
fn outdated_decisions_that_were_taken_are_noticed() {
    for pipelined in [false, true] {
        let merging = |ledger: &mut Ledger| {
            let Agents { fine_grained, latency, commit_ms, .. } = ledger.agents;
            let fit =
                fine_grained && latency == Latency::Fixed && (ledger.agents.pipelined && commit_ms > 0) == pipelined;
            ledger.agents.fine_grained = false;
            fit.then_some(())
        };
        let noticed = noticed(merging, "changed before an outdated decision was taken");
        assert!(noticed > 5, "{noticed}, pipelined: {pipelined}");
    }
}

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
            ledger.summary.counters.retries += 1;
            Some(())
        },
        &["retries"],
    );
    check(
        |ledger| {
            ledger.summary.counters.ended_before_placed += 1;
            Some(())
        },
        &["ended before"],
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
    // Samples cannot be changed from here; a workload whose VMs end at other times gives others.
    let other = record(&Case::random(1)).series;
    check(
        |ledger| {
            ledger.series = other.clone();
            Some(())
        },
        &["were sampled"],
    );
}

fn runs_that_differ_are_noticed() {
    for ledger in ALL.iter().filter(|ledger| is_plain(ledger)) {
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
        let left = |vm| Disruption {
            time: Time(1),
            vm,
            from: MachineId(0),
            since: Time(0),
            reason: Reason::Failed,
            held_until: Time(1),
        };
        differs(&|other| other.disruptions.push(left(VmId(0))), "disrupt differently");
        differs(&|other| other.summary.empty_hosts_pct_mean += 1e-12, "measure differently");
        differs(&|other| other.series = record(&Case::random(1)).series, "measure differently");
    }
}

fn a_fork_with_another_past_is_noticed() {
    let mut spoiled = 0;
    for case in (0..200).map(Case::random).filter(|case| !case.changes.is_empty()) {
        let fork = record(&case);
        a_fork_shares_its_past(&case, &fork).expect("the past of its parent");
        let (_, until) = case.parent().expect("a fork");
        let past = fork.decisions.iter().filter(|it| it.time < until).count();
        if past == 0 {
            continue;
        }
        spoiled += 1;
        for (spoil, part) in [(0, "differs before"), (past - 1, "differs before"), (past, "has another past")] {
            let mut other = fork.clone();
            match other.decisions.get_mut(spoil).filter(|_| spoil < past) {
                Some(decision) => decision.best_set += 1,
                None => drop(other.decisions.remove(past - 1)),
            }
            let complaint = a_fork_shares_its_past(&case, &other).expect_err("another past");
            assert!(complaint.contains(part), "{complaint}, expected {part}");
        }
    }
    assert!(spoiled > 10, "only {spoiled} forks could be spoiled");
}

/// Adds a rule to the list of a run that did not use it.
fn with_rule(ledger: &mut Ledger, id: &str) -> Option<()> {
    let missing = !ledger.rules.iter().any(|rule| rule.id == id);
    ledger.rules.push(RuleUse::plain(id, None));
    missing.then_some(())
}

fn broken_promises_are_noticed() {
    for (id, part) in [
        ("RespectsIsolation", "promised isolation shares its machine"),
        ("CapsTenantPerMachine", "on one machine than it allows"),
        ("SpreadsOverFaultDomains", "in one rack than its share"),
        ("SharesTenantDatacenter", "stand further apart"),
        ("SharesTenantCluster", "stand further apart"),
        ("SharesTenantRack", "stand further apart"),
    ] {
        let noticed = noticed(|ledger| with_rule(ledger, id), part);
        assert!(noticed > 3, "{id}: {noticed}");
    }
    // A tenant's VM that was actually placed on a machine that another tenant has exclusively.
    let trespass = |ledger: &mut Ledger| {
        let isolated = |it: &Decision| placed(it) && ledger.workload.shape_of_vm(it.vm).terms.isolated;
        let host = ledger.decisions[find(ledger, isolated)?];
        let tenant = |it: &Decision| ledger.workload.tenant(it.request);
        let room = |it: &Decision| it.time >= host.time && it.time < ledger.workload.end(host.vm);
        let index =
            find(ledger, |it| placed(it) && room(it) && tenant(it) != tenant(&host) && it.cause == Cause::Request)?;
        ledger.decisions[index].machine = host.machine;
        let kept = ledger.rules.iter().any(|rule| rule.id == "RespectsIsolation");
        (kept && host.cause == Cause::Request).then_some(())
    };
    let noticed = noticed(trespass, "promised isolation shares its machine");
    assert!(noticed > 5, "{noticed}");
}

/// The first evicted VM, by its index in the record.
fn first(ledger: &Ledger, is: impl Fn(&Disruption) -> bool) -> Option<usize> {
    ledger.disruptions.iter().position(is)
}

fn is_evicted(it: &Disruption) -> bool {
    it.reason == Reason::Evicted
}

fn evictions_without_right_or_need_are_noticed() {
    let any = |_: &Ledger| true;
    let forbidden = |ledger: &mut Ledger| {
        first(ledger, is_evicted)?;
        let earlier = ledger.changes.iter_mut().flat_map(|change| &mut change.rules);
        let rules = ledger.rules.iter_mut().chain(earlier);
        rules.for_each(|rule| rule.values.retain(|_| rule.id != "AreNodeResourcesValid"));
        Some(())
    };
    check_where(any, forbidden, &["which may put out nobody", "a decision that fits was refused"]);
    let forgotten = |ledger: &mut Ledger| {
        let index = first(ledger, is_evicted)?;
        ledger.disruptions.remove(index);
        ledger.summary.counters.evictions -= 1;
        Some(())
    };
    // If two were evicted at one instant, the other one is taken instead.
    check_where(
        any,
        forgotten,
        &["over-committed", "left a machine on which it was not", "than the list allows", "carries"],
    );
    let uncounted = |ledger: &mut Ledger| {
        ledger.summary.counters.evictions += 1;
        Some(())
    };
    check_where(any, uncounted, &["evictions, the record"]);
    // One more VM is evicted, before the necessary one.
    let needless = |ledger: &mut Ledger| {
        let index = first(ledger, is_evicted)?;
        let why = ledger.disruptions[index];
        let stays = |it: &&Decision| {
            let (shape, end) = (ledger.workload.shape_of_vm(it.vm), ledger.workload.end(it.vm));
            let here = it.machine == Some(why.from) && it.outcome == Outcome::Placed && it.time < why.time;
            here && shape.is_evictable() && end > why.time && ledger.disruptions.iter().all(|other| other.vm != it.vm)
        };
        let other = *ledger.decisions.iter().find(stays)?;
        ledger.disruptions.insert(index, Disruption { vm: other.vm, since: other.time, ..why });
        ledger.summary.counters.evictions += 1;
        Some(())
    };
    // If the other one had freed enough, the necessary one is still there for the next VM.
    check_where(any, needless, &["without need", "for nobody", "over-committed"]);
    let for_nobody = |ledger: &mut Ledger| {
        let index = first(ledger, is_evicted)?;
        let why = &mut ledger.disruptions[index];
        why.time = why.time - Millis(1);
        let alone = ledger.disruptions.iter().filter(|it| is_evicted(it)).count() == 1;
        alone.then_some(())
    };
    check_where(any, for_nobody, &["for nobody", "over-committed"]);
}

fn vms_that_lose_their_machine_are_followed() {
    let eventful = |ledger: &Ledger| ledger.eventful;
    let failed = |it: &Disruption| it.reason == Reason::Failed;
    let migrated = |it: &Disruption| matches!(it.reason, Reason::Migrated(_));
    let forgotten = |ledger: &mut Ledger| {
        let again = ledger.decisions.iter().find(|it| it.cause == Cause::Reallocation)?.vm;
        let index = first(ledger, |it| it.vm == again && failed(it))?;
        ledger.disruptions.remove(index);
        Some(())
    };
    check_where(eventful, forgotten, &["machines and has", "never asked for"]);
    let elsewhere = |ledger: &mut Ledger| {
        let index = first(ledger, |it| failed(it) || migrated(it))?;
        let from = &mut ledger.disruptions[index].from;
        from.0 = (from.0 + 1) % ledger.fleet.machine_count();
        (ledger.fleet.machine_count() > 1).then_some(())
    };
    check_where(eventful, elsewhere, &["left a machine on which it was not"]);
    let not_answered = |ledger: &mut Ledger| {
        let index = find(ledger, |it| it.cause == Cause::Reallocation && it.outcome != Outcome::Conflict)?;
        let out = ledger.decisions.remove(index);
        let never_ends = ledger.workload.end(out.vm) > ledger.workload.horizon();
        never_ends.then_some(())
    };
    check_where(eventful, not_answered, &["outcomes for that"]);
    let early = |ledger: &mut Ledger| {
        let index = find(ledger, |it| it.cause == Cause::Reallocation && it.attempt == 0)?;
        let vm = ledger.decisions[index].vm;
        let lost = ledger.disruptions.iter().find(|it| it.vm == vm && failed(it))?.time;
        ledger.decisions[index].time = lost - Millis(1);
        Some(())
    };
    check_where(eventful, early, &["answered before it could be"]);
    let moved_wrongly = |ledger: &mut Ledger| {
        let index = first(ledger, migrated)?;
        let Reason::Migrated(to) = ledger.disruptions[index].reason else { return None };
        let other = MachineId((to.0 + 1) % ledger.fleet.machine_count());
        ledger.disruptions[index].reason = Reason::Migrated(other);
        (ledger.fleet.machine_count() > 2).then_some(())
    };
    check_where(
        eventful,
        moved_wrongly,
        &["over-committed", "ends with", "on which it was not", "sampled", "another machine", "VM"],
    );
    let uncounted = |ledger: &mut Ledger| {
        ledger.summary.counters.migrations += 1;
        Some(())
    };
    check_where(eventful, uncounted, &["migrations, the record"]);
    let copied_at_once = |ledger: &mut Ledger| {
        let index = first(ledger, |it| it.held_until > it.time)?;
        ledger.disruptions[index].held_until = ledger.disruptions[index].time;
        Some(())
    };
    check_where(
        |ledger| eventful(ledger) && ledger.measures.measured_from_hours == 0.0,
        copied_at_once,
        &["sampled", "ends with", "mean empty-to-free", "mean of empty hosts", "mean packing density"],
    );
    let saved_twice = |ledger: &mut Ledger| {
        let counters = &mut ledger.summary.counters;
        counters.migrations_saved = counters.migrations_scheduled - counters.migrations + 1;
        Some(())
    };
    check_where(eventful, saved_twice, &["more than the"]);
}

fn agents_that_do_two_things_at_once_are_noticed() {
    let overlap = |ledger: &mut Ledger| {
        ledger.agents.pipelined = false;
        Some(())
    };
    let noticed = noticed(overlap, "decided two requests at once");
    assert!(noticed > 5, "{noticed}");
    let terms = Agents { pipelined: false, ..Agents::default() };
    let agent = |in_flight, is_idle| AgentState {
        behind: 0,
        in_flight,
        is_idle,
        decided: 0,
        conflicts: 0,
        caches: Default::default(),
        sizes: Default::default(),
    };
    for (in_flight, is_idle, fine) in [(0, true, true), (1, false, true), (1, true, false), (2, false, false)] {
        let told = one_thing_at_a_time(&terms, &[agent(0, true), agent(in_flight, is_idle)]);
        assert_eq!(told.is_ok(), fine, "{in_flight} in flight, idle: {is_idle}");
        let pipelined = Agents { pipelined: true, commit_ms: 5, ..terms };
        assert!(one_thing_at_a_time(&pipelined, &[agent(in_flight, is_idle)]).is_ok());
    }
}

fn avoidance_without_a_reason_is_noticed() {
    let wide = |ledger: &mut Ledger| {
        let fleet = ledger.fleet.machine_count();
        let index = find(ledger, |it| it.machine.is_some() && ledger.tied.contains_key(&(it.vm, it.attempt)))?;
        ledger.decisions[index].best_set = fleet + ledger.agents.avoidance_best;
        Some(())
    };
    check_where(|_| true, wide, &["that tie"]);
    let unasked = |ledger: &mut Ledger| {
        ledger.agents.avoidance = 0.0;
        (ledger.summary.counters.avoided > 20).then_some(())
    };
    assert!(noticed(unasked, "that tie") > 5);
    let case = (0..).map(Case::random).find(|case| case.agents.avoidance == 0.0).expect("a case");
    let mut ledger = record(&case);
    avoidance_waits_for_a_conflict(&case, &ledger).expect("a record as it was");
    ledger.summary.counters.avoided = 1;
    assert!(avoidance_waits_for_a_conflict(&case, &ledger).is_err());
}

fn runs_that_part_before_a_conflict_are_noticed() {
    let failed = |it: &Decision| matches!(it.outcome, Outcome::Conflict | Outcome::OutOfRetries);
    for ledger in ALL.iter().take(60) {
        let first = find(ledger, failed);
        let mut other = ledger.clone();
        let last = first.unwrap_or(ledger.decisions.len() - 1);
        other.decisions[last].best_set += 1;
        assert!(same_until_a_conflict(ledger, &other).is_err_and(|told| told.contains("before a commit failed")));
        other = ledger.clone();
        other.decisions.truncate(last);
        assert!(same_until_a_conflict(ledger, &other).is_err_and(|told| told.contains("shorter")));
        assert_eq!(same_until_a_conflict(&other, ledger).is_ok(), other.decisions.iter().any(failed));
        if let Some(after) = first.and_then(|first| ledger.decisions.get(first + 1)) {
            other = ledger.clone();
            other.decisions[last + 1] = Decision { best_set: after.best_set + 1, ..*after };
            same_until_a_conflict(ledger, &other).expect("after a conflict all may differ");
        }
    }
}

fn a_mix_of_caches_that_decides_otherwise_is_noticed() {
    for number in 0..20 {
        let case = Case::random(number);
        let mut ledger = record(&case);
        caches_decide_alike(&case, &ledger, 0..1).expect("a record as it was");
        let last = ledger.decisions.len() - 1;
        ledger.decisions[last].best_set += 1;
        let told = caches_decide_alike(&case, &ledger, 0..1).expect_err("a spoiled record");
        assert!(told.contains(&format!("differ at decision {last}")), "{told}");
    }
}

fn links_that_take_what_is_not_there_or_give_nothing_back_are_noticed() {
    let is_guarded = |ledger: &Ledger| ledger.rules.iter().any(|rule| rule.id == "BandwidthAvailable");
    let narrower = |ledger: &mut Ledger| {
        let (end, idle) = ledger.network.as_mut()?;
        let busy = (0..end.cuts()).find(|place| end.used_at(*place) > 0)?;
        // As if this much were reserved for another VM.
        idle.set_used(busy, end.capacity_at(busy));
        ledger.changes.is_empty().then_some(())
    };
    check_where(is_guarded, narrower, &["carries"]);
    let kept = |ledger: &mut Ledger| {
        let (end, _) = ledger.network.as_mut()?;
        end.reserve(0, 1);
        Some(())
    };
    check_where(|_| true, kept, &["the links take"]);
}

fn deployments_that_are_counted_wrongly_are_noticed() {
    let asks = |ledger: &Ledger| ledger.deployed.is_some();
    let miscounted: [fn(&mut Ledger); 4] = [
        |ledger| ledger.summary.counters.deployments += 1,
        |ledger| ledger.summary.counters.deployments_refused += 1,
        |ledger| ledger.summary.counters.scale_outs += 1,
        |ledger| ledger.summary.counters.scale_outs_failed += 1,
    ];
    for spoil in miscounted {
        let count = |ledger: &mut Ledger| {
            spoil(ledger);
            Some(())
        };
        check_where(asks, count, &["the summary counts deployments"]);
        check_where(|ledger| !asks(ledger), count, &["deployments counted unasked"]);
    }
    // As if the last deployment that ended, or one that stayed, were counted differently.
    let kept = |ledger: &mut Ledger| {
        *ledger.deployed.as_mut()?.last_mut()? += 0.5;
        Some(())
    };
    check_where(asks, kept, &["cores, the record gives"]);
    let lost = |ledger: &mut Ledger| {
        let cores = ledger.deployed.as_mut()?.iter_mut().find(|cores| **cores > 0.0)?;
        *cores = 0.0;
        Some(())
    };
    check_where(asks, lost, &["cores, the record gives"]);
}

fn a_run_that_lets_in_otherwise_with_other_caches_is_noticed() {
    let mut noticed = 0;
    for case in (0..120).map(Case::random) {
        let ledger = record(&case);
        let counters = ledger.summary.counters;
        if ledger.deployed.is_none() || counters.deployments_refused == 0 {
            continue;
        }
        caches_decide_alike(&case, &ledger, 0..1).expect("a record as it was");
        // The same case without the results of admission rules, as if caches had hidden them.
        let mut deaf = case.clone();
        let lists = deaf.changes.iter_mut().map(|change| &mut change.rules).chain([&mut deaf.rules]);
        lists.for_each(|rules| rules.retain(|rule| !rule.id.ends_with("MomentAdmission")));
        noticed += u32::from(caches_decide_alike(&deaf, &ledger, 0..1).is_err());
    }
    assert!(noticed > 10, "{noticed}");
}

fn power_that_does_not_add_up_is_noticed() {
    let (mut events, mut minded) = (0, 0);
    for case in (0..80).map(Case::random) {
        let world = watts::run(&case);
        let broken = |event: &CappingEvent| watts::event_adds_up(event, &case.power, world.plan()).err();
        for event in world.capping_events() {
            assert_eq!(broken(event), None, "an event as it was");
            events += 1;
            let mut spoiled = event.clone();
            spoiled.servers_w[0] += 1.0;
            assert!(broken(&spoiled).is_some_and(|said| said.contains("the event says")));
            let needless = CappingEvent { budget_w: event.wanted_w + case.power.margin_w * 100.0, ..event.clone() };
            assert!(broken(&needless).is_some_and(|said| said.contains("alerts begin at")));
            let mut unfair = event.clone();
            let user_facing = |vm: &VmId| world.plan().workload().shape_of_vm(*vm).load.user_facing;
            let Some(vm) = (0..world.plan().workload().vm_count()).map(VmId).find(user_facing) else { continue };
            unfair.vms.insert(vm, Throttled::NOT);
            if case.power.capping == CappingKind::PerVm && event.rapl == 0 {
                minded += 1;
                assert!(broken(&unfair).is_some_and(|said| said.contains("without need")));
            }
        }
        for (_, servers_w, _) in world.chassis_draws() {
            let mut less = servers_w.to_vec();
            less[0] -= 1.0;
            assert!(watts::draws_agree(servers_w, servers_w).is_ok());
            assert!(
                watts::draws_agree(servers_w, &less).is_err() && watts::draws_agree(servers_w, &less[1..]).is_err()
            );
        }
    }
    assert!(events > 50 && minded > 10, "{events} events, {minded} without the last resort");
}
