//! The film of a decision: a VM arrives, the steps of the funnel drop machines one after the other, and one of the
//! remaining machines takes it.
//!
//! The picture is a function of the elapsed time, so any moment can be painted, playing or not.

use tiebreak_engine::protocol::{Explained, FunnelStep, Rival};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tell, tr};
use tiebreak_placement::explain::{KEPT, reference::BEST_CLUSTERS};

use crate::naming::title;

/// The approximate length of a film.
const FILM_MS: f64 = 6_000.0;

/// The minimum and maximum time for a step that drops machines.
const DROP_MS: (f64, f64) = (300.0, 1_000.0);

/// One picture of the film, with a transition to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shot {
    /// The VM arrives: every machine is a candidate.
    Arrives,
    /// The step with this number drops machines.
    Drops(u8),
    /// The machines tied for best are outlined.
    Best,
    /// One of them is drawn, and the VM moves there.
    Lands,
    /// One of them is drawn, which another agent has drawn too; both VMs move there.
    Reaches,
    /// The commit failed, and the VM is rejected.
    Lost,
    /// No machine is left.
    Refused,
}

impl Shot {
    /// Its duration in milliseconds; a step takes `drop_ms`.
    const fn lasts_ms(self, drop_ms: f64) -> f64 {
        match self {
            Self::Arrives => 900.0,
            Self::Drops(_) => drop_ms,
            Self::Best => 700.0,
            Self::Lands | Self::Reaches | Self::Lost | Self::Refused => 1_000.0,
        }
    }
}

/// A moment of the film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At {
    /// The index of the shot in the film.
    pub index: usize,
    /// The shot.
    pub shot: Shot,
    /// Its progress, from 0 to 1.
    pub progress: f64,
}

impl Shot {
    /// Whether the drawn machine is shown.
    #[must_use]
    pub const fn has_winner(self) -> bool {
        matches!(self, Self::Lands | Self::Reaches | Self::Lost)
    }

    /// Whether those tied for best are outlined.
    #[must_use]
    pub const fn has_best(self) -> bool {
        self.has_winner() || matches!(self, Self::Best)
    }
}

/// When a shot is shown, in milliseconds from the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The shot.
    pub shot: Shot,
    /// Its start.
    pub from_ms: f64,
    /// Its end; the last one stays.
    pub to_ms: f64,
}

/// A decision as a film.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    shots: Vec<Shot>,
    /// When each shot ends, in milliseconds.
    ends_ms: Vec<f64>,
    /// The number of machines left after each step of the funnel.
    left: Vec<u32>,
    /// The stills for reduced motion: indices of shots.
    stills: Vec<usize>,
}

impl Film {
    /// The film of a decision.
    #[must_use]
    pub fn of(decision: &Explained) -> Self {
        let steps = decision.funnel.len().min(usize::from(KEPT));
        let left: Vec<u32> = (0..steps).map(|step| left_after(&decision.dropped_at, step as u8)).collect();
        let all = decision.dropped_at.len() as u32;
        let before = |step: usize| step.checked_sub(1).map_or(all, |before| left[before]);
        let drops: Vec<u8> = (0..steps).filter(|step| left[*step] < before(*step)).map(|step| step as u8).collect();
        let end: &[Shot] = match (decision.winner, &decision.collision) {
            (None, _) => &[Shot::Refused],
            (Some(_), None) => &[Shot::Best, Shot::Lands],
            (Some(_), Some(_)) => &[Shot::Best, Shot::Reaches, Shot::Lost],
        };
        let shots: Vec<Shot> = [Shot::Arrives]
            .into_iter()
            .chain(drops.iter().map(|step| Shot::Drops(*step)))
            .chain(end.iter().copied())
            .collect();
        let stills = stills(&shots, &decision.funnel);
        let others: f64 = shots.iter().map(|shot| shot.lasts_ms(0.0)).sum();
        let drop_ms = ((FILM_MS - others) / drops.len().max(1) as f64).clamp(DROP_MS.0, DROP_MS.1);
        let mut end_ms = 0.0;
        let ends = |shot: &Shot| {
            end_ms += shot.lasts_ms(drop_ms);
            end_ms
        };
        Self { ends_ms: shots.iter().map(ends).collect(), shots, left, stills }
    }

    /// Its length in milliseconds.
    #[must_use]
    pub fn length_ms(&self) -> f64 {
        self.ends_ms.last().copied().unwrap_or(0.0)
    }

    /// The picture after this time; after the end, the last one.
    #[must_use]
    pub fn at(&self, elapsed_ms: f64) -> At {
        let index = self.ends_ms.partition_point(|end| *end < elapsed_ms).min(self.shots.len() - 1);
        let (from, to) = (index.checked_sub(1).map_or(0.0, |before| self.ends_ms[before]), self.ends_ms[index]);
        At { index, shot: self.shots[index], progress: ((elapsed_ms - from) / (to - from)).clamp(0.0, 1.0) }
    }

    /// The still at that time for reduced motion.
    #[must_use]
    pub fn still_at(&self, elapsed_ms: f64) -> At {
        let passed = |still: &&usize| self.ends_ms[**still] <= elapsed_ms;
        self.at(self.ends_ms[self.stills.iter().rev().find(passed).copied().unwrap_or(0)])
    }

    /// The end of the next shot or still; the end of the film after the last one.
    #[must_use]
    pub fn next_ms(&self, elapsed_ms: f64, may_move: bool) -> f64 {
        self.stops_ms(may_move).find(|stop| *stop > elapsed_ms).unwrap_or(self.length_ms())
    }

    /// The end of the previous shot or still; that of the first one before that.
    #[must_use]
    pub fn previous_ms(&self, elapsed_ms: f64, may_move: bool) -> f64 {
        self.stops_ms(may_move).take_while(|stop| *stop < elapsed_ms).last().unwrap_or(self.ends_ms[0])
    }

    /// When this step has dropped its machines; `None` for a step that drops none.
    #[must_use]
    pub fn after_ms(&self, step: u8) -> Option<f64> {
        let index = self.shots.iter().position(|shot| *shot == Shot::Drops(step))?;
        Some(self.ends_ms[index])
    }

    /// The steps that drop machines, by number, each with the machines left.
    pub fn drops(&self) -> impl Iterator<Item = (u8, u32)> + '_ {
        self.shots.iter().filter_map(|shot| match shot {
            Shot::Drops(step) => Some((*step, self.left[usize::from(*step)])),
            _ => None,
        })
    }

    /// The shots with their times, in order.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        let starts = std::iter::once(0.0).chain(self.ends_ms.iter().copied());
        let spans = self.shots.iter().zip(starts).zip(&self.ends_ms);
        spans.map(|((shot, from_ms), to_ms)| Span { shot: *shot, from_ms, to_ms: *to_ms })
    }

    /// The end of each still, in order.
    #[must_use]
    pub fn stills(&self) -> Vec<At> {
        self.stops_ms(false).map(|stop| self.at(stop)).collect()
    }

    fn stops_ms(&self, may_move: bool) -> impl Iterator<Item = f64> + '_ {
        let is_stop = move |index: usize| may_move || self.stills.contains(&index);
        (0..self.shots.len()).filter(move |index| is_stop(*index)).map(|index| self.ends_ms[index])
    }
}

/// Arrival, after the validators, after the preferences, and the end.
fn stills(shots: &[Shot], funnel: &[FunnelStep]) -> Vec<usize> {
    let last_of = |validators: bool| {
        shots
            .iter()
            .rposition(|shot| matches!(shot, Shot::Drops(step) if validates(&funnel[usize::from(*step)]) == validators))
    };
    let ends = shots.iter().rposition(|shot| matches!(shot, Shot::Lands | Shot::Reaches));
    let mut stills = vec![0];
    stills.extend([last_of(true), last_of(false), ends, Some(shots.len() - 1)].into_iter().flatten());
    stills.sort_unstable();
    stills.dedup();
    stills
}

/// Whether a step is a validator, or selects clusters.
fn validates(step: &FunnelStep) -> bool {
    step.rule == BEST_CLUSTERS || step.validates
}

/// How many machines were left after a step of the funnel.
#[must_use]
pub fn left_after(dropped_at: &[u8], step: u8) -> u32 {
    dropped_at.iter().filter(|byte| **byte > step).count() as u32
}

/// The opacity of a machine that drops out with this byte: 1 while it is a candidate, 0 afterwards.
#[must_use]
pub fn presence(dropped_at: u8, at: At) -> f64 {
    let left = |is_left: bool| if is_left { 1.0 } else { 0.0 };
    match at.shot {
        Shot::Arrives => 1.0,
        Shot::Drops(step) if dropped_at == step => 1.0 - at.progress,
        Shot::Drops(step) => left(dropped_at > step),
        Shot::Best | Shot::Lands | Shot::Reaches | Shot::Lost | Shot::Refused => left(dropped_at == KEPT),
    }
}

/// The rules of the funnel that dropped nothing.
#[must_use]
pub fn idle<'a>(film: &Film, decision: &'a Explained) -> Vec<&'a str> {
    let acts = |step: usize| film.drops().any(|(drop, _)| usize::from(drop) == step);
    let steps = decision.funnel.iter().enumerate();
    steps.filter(|(at, step)| !acts(*at) && step.rule != BEST_CLUSTERS).map(|(_, step)| step.rule.as_str()).collect()
}

/// The caption, one sentence.
#[must_use]
pub fn caption(film: &Film, decision: &Explained, vm: &str, shot: Shot) -> String {
    let machines = |count: u32| words::counted(f64::from(count), "machine", "machines");
    let best = decision.dropped_at.iter().filter(|byte| **byte == KEPT).count() as u32;
    let winner = || decision.winner.map_or_else(String::new, |machine| machine.to_string());
    match shot {
        Shot::Arrives => {
            say("VM {vm} arrives. Candidates: {machines}.", &[&vm, &machines(decision.dropped_at.len() as u32)])
        }
        Shot::Drops(step) => {
            let rule = decision.funnel.get(usize::from(step)).map_or("", |step| title(&step.rule));
            let left = film.left.get(usize::from(step)).copied().unwrap_or(0);
            say("{rule}: {machines} left.", &[&rule, &machines(left)])
        }
        Shot::Best if best == 1 => tr("One machine is best.").into(),
        Shot::Best => say("{machines} tie for best.", &[&machines(best)]),
        Shot::Lands if is_outside(decision) => {
            say("Machine {machine} is drawn at random from the best few, to avoid a conflict.", &[&winner()])
        }
        Shot::Lands if best == 1 => say("Machine {machine} takes VM {vm}.", &[&winner(), &vm]),
        Shot::Lands => say("Machine {machine} is drawn at random and takes VM {vm}.", &[&winner(), &vm]),
        Shot::Reaches => reaches(decision, vm, &winner()),
        Shot::Lost => decision.collision.as_ref().map_or_else(String::new, |collision| tell(&collision.sentence)),
        Shot::Refused => say("No machine is left: VM {vm} is refused.", &[&vm]),
    }
}

/// Which agents choose the machine: two, or one if the other is not known.
fn reaches(decision: &Explained, vm: &str, machine: &str) -> String {
    let agent = decision.collision.as_ref().map_or(0, |collision| collision.agent);
    match rival(decision) {
        Some(Rival { vm: other, agent: first }) => say(
            "Agents {first} and {agent} both choose machine {machine}: for VM {other} and for VM {vm}.",
            &[first, &agent, &machine, other, &vm],
        ),
        None => say("Agent {agent} chooses machine {machine} for VM {vm}.", &[&agent, &machine, &vm]),
    }
}

/// The VM that another agent placed on the chosen machine first, if known; of several, the last one.
#[must_use]
pub fn rival(decision: &Explained) -> Option<&Rival> {
    let collision = decision.collision.as_ref()?;
    collision.rivals.last().filter(|_| decision.winner == Some(collision.machine))
}

/// Whether the winner is not one of those tied for best: the agent was avoiding conflicts (Protean section 5.3).
fn is_outside(decision: &Explained) -> bool {
    decision.winner.is_some_and(|machine| decision.dropped_at.get(machine as usize) != Some(&KEPT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_engine::protocol::Collision;
    use tiebreak_model::Phrase;
    use tiebreak_placement::{Group, rules};

    const VALIDATORS: [Group; 2] = [Group::ClusterValidators, Group::MachineValidators];

    /// Six machines: a cluster step drops one, a validator two, a preference one, and two are tied for best.
    fn decision() -> Explained {
        let step = |rule: &str, of: &str, before, after| FunnelStep {
            rule: rule.into(),
            of: of.into(),
            before,
            after,
            validates: rules::find(rule).is_some_and(|rule| VALIDATORS.contains(&rule.group)),
        };
        Explained {
            sentence: Phrase::default(),
            vm: Phrase::default(),
            circumstances: Phrase::default(),
            is_reallocation: false,
            life: None,
            funnel: vec![
                step("IsTypeSupported", "clusters", 2, 1),
                step(BEST_CLUSTERS, "clusters", 1, 1),
                step("AreNodeResourcesValid", "machines", 5, 3),
                step("IsMachineReady", "machines", 3, 3),
                step("BestFit", "machines", 3, 2),
            ],
            dropped_at: vec![0, 2, 2, 4, KEPT, KEPT],
            at_ms: 0.0,
            collision: None,
            winner: Some(4),
            runner_up: None,
            decided_by: None,
            scores: Vec::new(),
            asked: None,
            refusal: None,
            company: None,
        }
    }

    fn refused() -> Explained {
        Explained { winner: None, dropped_at: vec![0, 2, 2, 2, 2, 2], ..decision() }
    }

    /// The shots when stepping, from the arrival on.
    fn stepped(film: &Film, may_move: bool) -> Vec<Shot> {
        let mut shots = vec![film.at(0.0).shot];
        let mut elapsed = film.next_ms(0.0, may_move);
        while elapsed < film.length_ms() {
            elapsed = film.next_ms(elapsed, may_move);
            shots.push(film.at(elapsed).shot);
        }
        shots
    }

    #[test]
    fn steps_that_drop_nothing_are_not_in_the_film() {
        let film = Film::of(&decision());
        let shots = [Shot::Arrives, Shot::Drops(0), Shot::Drops(2), Shot::Drops(4), Shot::Best, Shot::Lands];
        assert_eq!(stepped(&film, true), shots);
        assert_eq!(film.drops().collect::<Vec<_>>(), [(0, 5), (2, 3), (4, 2)]);
        assert_eq!(idle(&film, &decision()), ["IsMachineReady"]);
    }

    #[test]
    fn four_stills_tell_it_without_motion() {
        let film = Film::of(&decision());
        assert_eq!(stepped(&film, false), [Shot::Arrives, Shot::Drops(2), Shot::Drops(4), Shot::Lands]);
        let end = film.after_ms(2).expect("it drops two");
        let shown = |elapsed_ms| (film.still_at(elapsed_ms).shot, film.still_at(elapsed_ms).progress);
        assert_eq!(shown(0.0), (Shot::Arrives, 1.0));
        assert_eq!(shown(end - 1.0), (Shot::Arrives, 1.0));
        assert_eq!(shown(end), (Shot::Drops(2), 1.0));
        assert_eq!(shown(1e9), (Shot::Lands, 1.0));
    }

    /// No built-in list names such a rule: only its step says what it is.
    #[test]
    fn a_validator_of_ones_own_is_told_with_the_validators() {
        let mut own = decision();
        let at = own.funnel.iter().position(|step| step.rule == "IsMachineReady").expect("a step");
        own.funnel[at].rule = "HasMyLabel".into();
        own.dropped_at = vec![0, 2, 3, 4, KEPT, KEPT];
        let stills = [Shot::Arrives, Shot::Drops(3), Shot::Drops(4), Shot::Lands];
        assert_eq!(stepped(&Film::of(&own), false), stills);
        own.funnel[at].validates = false;
        assert_eq!(stepped(&Film::of(&own), false), [Shot::Arrives, Shot::Drops(2), Shot::Drops(4), Shot::Lands]);
    }

    #[test]
    fn it_lasts_about_six_seconds_however_many_steps_act() {
        for steps in [1_u8, 4, 9] {
            let funnel = (0..steps).map(|_| decision().funnel[2].clone()).collect();
            let dropped_at = (0..steps).chain([KEPT]).collect();
            let length = Film::of(&Explained { funnel, dropped_at, winner: Some(0), ..decision() }).length_ms();
            assert!((3_000.0..=6_500.0).contains(&length), "{steps} steps: {length} ms");
        }
    }

    #[test]
    fn time_goes_through_every_shot_and_stays_at_the_end() {
        let film = Film::of(&decision());
        let mut seen: Vec<Shot> = Vec::new();
        let mut before = (0, 0.0);
        for tenth in 0..=(film.length_ms() * 10.0) as u32 {
            let at = film.at(f64::from(tenth) / 10.0);
            assert!((at.index, at.progress) >= before && (0.0..=1.0).contains(&at.progress), "{at:?}");
            before = (at.index, at.progress);
            if seen.last() != Some(&at.shot) {
                seen.push(at.shot);
            }
        }
        assert_eq!(seen, stepped(&film, true));
        assert_eq!(film.at(1e9), At { index: 5, shot: Shot::Lands, progress: 1.0 });
    }

    #[test]
    fn steps_back_undo_steps_forward() {
        let film = Film::of(&decision());
        for may_move in [true, false] {
            let first = film.next_ms(0.0, may_move);
            let second = film.next_ms(first, may_move);
            assert_eq!(film.previous_ms(second, may_move).to_bits(), first.to_bits());
            assert_eq!(film.previous_ms(first, may_move).to_bits(), first.to_bits(), "the arrival is first");
        }
    }

    #[test]
    fn machines_fade_while_their_step_is_played() {
        let at = |shot, progress| At { index: 0, shot, progress };
        let shown = |at| decision().dropped_at.iter().map(|byte| presence(*byte, at)).collect::<Vec<_>>();
        assert_eq!(shown(at(Shot::Arrives, 0.5)), [1.0; 6]);
        assert_eq!(shown(at(Shot::Drops(2), 0.25)), [0.0, 0.75, 0.75, 1.0, 1.0, 1.0]);
        assert_eq!(shown(at(Shot::Best, 0.0)), [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn a_refusal_ends_with_no_machine_left() {
        let film = Film::of(&refused());
        let end = film.at(film.length_ms());
        assert_eq!(end.shot, Shot::Refused);
        assert!(refused().dropped_at.iter().all(|byte| presence(*byte, end) == 0.0));
        assert_eq!(caption(&film, &refused(), "7", end.shot), "No machine is left: VM 7 is refused.");
    }

    #[test]
    fn the_end_names_the_machine_and_why() {
        let told = |decision: &Explained, shot| caption(&Film::of(decision), decision, "7", shot);
        let last = |decision: &Explained| told(decision, Film::of(decision).at(1e9).shot);
        assert_eq!(told(&decision(), Shot::Arrives), "VM 7 arrives. Candidates: 6 machines.");
        assert_eq!(told(&decision(), Shot::Drops(2)), "Enough free resources: 3 machines left.");
        assert_eq!(told(&decision(), Shot::Best), "2 machines tie for best.");
        assert_eq!(last(&decision()), "Machine 4 is drawn at random and takes VM 7.");
        let alone = Explained { dropped_at: vec![0, 2, 2, 4, KEPT, 4], ..decision() };
        assert_eq!(last(&alone), "Machine 4 takes VM 7.");
        let avoiding = Explained { winner: Some(3), ..decision() };
        assert_eq!(last(&avoiding), "Machine 3 is drawn at random from the best few, to avoid a conflict.");
    }

    #[test]
    fn a_collision_ends_with_both_at_the_machine_and_one_turned_away() {
        let rival = |vm: &str| Rival { vm: vm.into(), agent: 2 };
        let sentence = Phrase::text("Agent 2 placed VM 8 on machine 4 first.");
        let collision = Collision { agent: 1, machine: 4, rivals: vec![rival("5"), rival("8")], sentence };
        let lost = |collision| Explained { collision: Some(collision), ..decision() };
        let told = |decision: &Explained, shot| caption(&Film::of(decision), decision, "7", shot);
        let known = lost(collision.clone());
        let end = [Shot::Best, Shot::Reaches, Shot::Lost];
        assert!(
            stepped(&Film::of(&known), true).ends_with(&end) && stepped(&Film::of(&known), false).ends_with(&end[1..])
        );
        assert_eq!(told(&known, Shot::Reaches), "Agents 2 and 1 both choose machine 4: for VM 8 and for VM 7.");
        assert_eq!(told(&known, Shot::Lost), "Agent 2 placed VM 8 on machine 4 first.");
        for unknown in [Collision { rivals: Vec::new(), ..collision.clone() }, Collision { machine: 5, ..collision }] {
            let unknown = lost(unknown);
            assert_eq!(super::rival(&unknown), None);
            assert_eq!(told(&unknown, Shot::Reaches), "Agent 1 chooses machine 4 for VM 7.");
        }
    }

    #[test]
    fn spans_follow_one_another_without_a_gap() {
        let film = Film::of(&decision());
        let spans: Vec<_> = film.spans().collect();
        assert_eq!((spans[0].from_ms, spans.last().map(|span| span.to_ms)), (0.0, Some(film.length_ms())));
        assert!(spans.windows(2).all(|pair| pair[0].to_ms == pair[1].from_ms && pair[0].from_ms < pair[0].to_ms));
        assert!(spans.iter().all(|span| film.at(f64::midpoint(span.from_ms, span.to_ms)).shot == span.shot));
    }
}
