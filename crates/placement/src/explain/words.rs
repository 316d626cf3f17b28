//! Explanations in words, the same for every host: why a machine, why not another one, why
//! none (Protean section 3.4, "Interpretability").

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tiebreak_model::{Bottleneck, Cut, Fleet, MachineId, Resource, Resources};

use super::reference::WEIGHTED;
use super::{
    Explanation, Lost, Objected, RefusalByRule, Refuser, Scorecard, Shortage, Side, TooLarge, Weighing, WhyNot,
};
use crate::network::{Blocked, Full};
use crate::rule::quantities::trimmed;

pub use crate::rule::quantities::{bandwidth, span};

impl Explanation {
    /// One sentence that says where the VM went and what decided, or why it went nowhere.
    #[must_use]
    pub fn sentence(&self, fleet: &Fleet) -> String {
        if let Some(refusal) = &self.refusal {
            return refusal.sentence(fleet);
        }
        let Some(winner) = self.winner.as_ref().map(|card| card.machine) else { return String::new() };
        let second = self.runner_up.as_ref().map(|card| card.machine);
        match (self.avoided, second, &self.weighed, self.decided_by) {
            (Some(among), ..) => drawn_to_avoid_conflicts(winner, among),
            (_, None, ..) => format!("Machine {winner} was the only one that could hold it."),
            (_, Some(_), _, None) => self.tied(winner),
            (_, Some(second), Some(weighing), _) => {
                let why = weighing.words(&machine(winner), &machine(second));
                format!("Machine {winner} was chosen: {why}.")
            }
            (_, Some(second), None, Some(rule)) => {
                let said = self.said_of_both(rule, second).unwrap_or_default();
                format!("Machine {winner} was chosen; {rule} put it before machine {second}{said}.")
            }
        }
    }

    /// ": it would be busy no longer (step 0), machine 4 would be busy 70 min longer (step 2)".
    fn said_of_both(&self, rule: &str, second: MachineId) -> Option<String> {
        let said = |card: &Option<Scorecard>| card.as_ref()?.said_by(rule).map(ToOwned::to_owned);
        Some(format!(": it {}, machine {second} {}", said(&self.winner)?, said(&self.runner_up)?))
    }

    fn tied(&self, winner: MachineId) -> String {
        let among = count(self.funnel.best.len() as u32);
        let weighted = self.funnel.steps.iter().any(|step| step.rule == WEIGHTED);
        let why = match (self.funnel.circular, weighted) {
            (true, _) => "that beat each other in a circle",
            (false, true) => "that the weights put level",
            (false, false) => "that no rule tells apart",
        };
        format!("Machine {winner} was picked at random among {among} machines {why}.")
    }

    /// Why the machine that was asked about was not the one.
    #[must_use]
    pub fn why_not_sentence(&self, fleet: &Fleet) -> Option<String> {
        let asked = self.asked.as_ref()?.machine;
        Some(match self.why_not.as_ref()? {
            WhyNot::Chosen => format!("Machine {asked} is the one that was chosen."),
            WhyNot::Chance { winner, among } => self.chance(asked, *winner, *among),
            WhyNot::Refused { rule, short } => {
                let card = self.asked.as_ref().filter(|_| *short == Resources::NONE);
                let said = card.and_then(|card| card.said_by(rule)).map(|said| format!("; it {said}"));
                format!("Not machine {asked}: {rule} refuses it{}.", said.unwrap_or_else(|| and_lacks(*short)))
            }
            WhyNot::ClusterNotSelected { cluster, last, lost } => {
                let (mine, last) = (&fleet.cluster(*cluster).name, &fleet.cluster(*last).name);
                let why = lost.words(last, mine);
                format!(
                    "Not machine {asked}: {mine} was not among the best clusters, the last of which is {last}; {why}."
                )
            }
            WhyNot::Beaten { by, lost } => self.beaten(asked, *by, lost),
        })
    }

    fn chance(&self, asked: MachineId, winner: MachineId, among: u32) -> String {
        let among = count(among);
        let stood = match self.avoided {
            Some(_) => format!("was among the {among} best"),
            None => "was tied for best".to_owned(),
        };
        format!("Machine {asked} {stood}; chance, 1 in {among} for each, fell on machine {winner}.")
    }

    fn beaten(&self, asked: MachineId, by: MachineId, lost: &Lost) -> String {
        let why = lost.words(&machine(by), "it");
        match self.avoided {
            None => format!("Not machine {asked}: {why}."),
            Some(1) => format!("Not machine {asked}: only machine {by} was in the draw; {why}."),
            Some(among) => {
                let best = count(among);
                format!(
                    "Not machine {asked}: it was not among the {best} best, the last of which is machine {by}; {why}."
                )
            }
        }
    }
}

fn drawn_to_avoid_conflicts(winner: MachineId, among: u32) -> String {
    match among {
        1 => format!("Machine {winner} was the only one in the draw by which the agent was avoiding conflicts."),
        _ => format!(
            "Machine {winner} was picked at random among the {} best: the agent was avoiding conflicts.",
            count(among)
        ),
    }
}

impl Lost {
    /// "BestFit puts machine 3 before it".
    fn words(&self, ahead: &str, behind: &str) -> String {
        match self {
            Self::Rule(rule) => format!("{rule} puts {ahead} before {behind}"),
            Self::Id => format!("no rule tells them apart, and {ahead} comes before {behind} in the list"),
            Self::Weights(weighing) => weighing.words(ahead, behind),
        }
    }
}

impl Weighing {
    /// "weight 5 speaks for machine 3 (BestFit), weight 2 for machine 4 (WorstFit)".
    fn words(&self, ahead: &str, behind: &str) -> String {
        let (one, other) = (self.ahead.words("speaks for", ahead), self.behind.words("for", behind));
        let end = match (self.circular, self.ahead.weight() > self.behind.weight()) {
            (true, true) => "; the best beat each other in a circle".to_owned(),
            (true, false) => format!("; the comparison goes in a circle, and {ahead} beats more of the others"),
            (false, false) => format!("; {ahead} beats more of the others"),
            (false, true) => String::new(),
        };
        format!("{one}, {other}{end}")
    }
}

impl Side {
    fn words(&self, speaks_for: &str, name: &str) -> String {
        match &self.rules[..] {
            [] => format!("nothing {speaks_for} {name}"),
            rules => {
                format!("weight {} {speaks_for} {name} ({})", trimmed(self.weight()), listed(rules.iter().copied()))
            }
        }
    }
}

impl Full {
    /// "needs 12 Gbit/s of the uplinks of machine 3, which have 4 Gbit/s left".
    pub(crate) fn words(&self) -> String {
        let left = bandwidth(self.free_kbps.max(0) as u64);
        format!("needs {} of the uplinks of {}, which have {left} left", bandwidth(self.needed_kbps), place(self.cut))
    }
}

impl Blocked {
    /// Why the network has no room, to go on from "machines have room for it, but ".
    #[must_use]
    pub fn words(&self) -> String {
        match (self.by, &self.full) {
            (Bottleneck::Link, _) => "one of its links is larger than the uplinks of any machine".to_owned(),
            (by, Some(full)) => {
                let why = match by {
                    Bottleneck::Peering => ": a VM there would have too many peers",
                    Bottleneck::Colocation => ": too many VMs of the VDC share that machine",
                    Bottleneck::Link | Bottleneck::Elsewhere => "",
                };
                format!("it {}{why}", full.words())
            }
            (Bottleneck::Elsewhere, None) => "the uplinks above every one of them are full".to_owned(),
            (_, None) => "the uplinks of none of them have room for its links to all its peers".to_owned(),
        }
    }
}

fn place(cut: Cut) -> String {
    match cut {
        Cut::Machine(id) => format!("machine {id}"),
        Cut::Rack(id) => format!("rack {id}"),
        Cut::Cluster(id) => format!("cluster {}", id.0 + 1),
    }
}

impl RefusalByRule {
    /// One sentence that says who is to blame.
    #[must_use]
    pub fn sentence(&self, fleet: &Fleet) -> String {
        if let Some(blocked) = &self.blocked {
            let (by, words) = (blocked.by.title(), blocked.words());
            return format!("The network could not take it (by {by}): machines have room for it, but {words}.");
        }
        if let (Some(Objected { rule, cluster, why }), Some(most)) = (&self.objection, self.most_to_blame())
            && most.rule == *rule
        {
            let cluster = &fleet.cluster(*cluster).name;
            return format!("{rule} does not let a new deployment into {cluster}: it {why}.");
        }
        let why = match (&self.too_large, self.most_to_blame()) {
            (Some(too_large), _) => too_large.words(fleet),
            (None, Some(most)) if most.alone == self.machines => {
                format!("{} refuses {}", most.rule, all(self.machines))
            }
            (None, Some(most)) => {
                format!("without {}, {} of {} would", most.rule, count(most.alone), machines(self.machines))
            }
            (None, None) => format!("at least two rules refuse {}", each(self.machines)),
        };
        format!("No machine could take it: {why}.")
    }

    /// The machine that lacks least, in a sentence; none when room is not all that any lacks.
    #[must_use]
    pub fn closest_sentence(&self) -> Option<String> {
        let Shortage { machine, short } = self.closest?;
        Some(format!("Machine {machine} comes closest: it lacks {}.", amounts(short)))
    }
}

impl Refuser {
    /// What there would be without this rule; none when other rules refuse the same machines.
    #[must_use]
    pub fn without_words(&self) -> Option<String> {
        let Self { rule, alone, .. } = self;
        (*alone > 0).then(|| format!("without {rule}, {} would take it", machines(*alone)))
    }
}

impl TooLarge {
    fn words(&self, fleet: &Fleet) -> String {
        let suits_best = match fleet.clusters() {
            [_] => String::new(),
            _ => format!(" of {}, which suits it best,", fleet.cluster(self.cluster).name),
        };
        format!("even an empty machine{suits_best} lacks {}", amounts(self.short))
    }
}

/// `2 cores and 8 GiB`: what there is none of is left out.
fn amounts(amounts: Resources) -> String {
    let some = Resource::ALL.into_iter().filter(|resource| amounts[*resource] > 0);
    listed(some.map(|resource| amount(resource, amounts[resource])))
}

fn amount(resource: Resource, stored: u32) -> String {
    let (unit, scale) = resource.unit();
    let value = trimmed(f64::from(stored) / scale);
    match resource {
        Resource::Cores if value == "1" => "1 core".to_owned(),
        Resource::Ssd => format!("{value} {unit} SSD"),
        _ => format!("{value} {unit}"),
    }
}

/// "; it lacks 2 cores", or nothing where nothing is lacking.
fn and_lacks(short: Resources) -> String {
    if short == Resources::NONE { String::new() } else { format!("; it lacks {}", amounts(short)) }
}

fn machine(id: MachineId) -> String {
    format!("machine {id}")
}

fn machines(number: u32) -> String {
    if number == 1 { "1 machine".to_owned() } else { format!("{} machines", count(number)) }
}

fn all(number: u32) -> String {
    if number == 1 { "the only machine".to_owned() } else { format!("all {}", machines(number)) }
}

fn each(number: u32) -> String {
    if number == 1 { "the only machine".to_owned() } else { format!("each of the {}", machines(number)) }
}

/// `a, b and c`.
fn listed(items: impl Iterator<Item = impl Into<String>>) -> String {
    let mut items: Vec<String> = items.map(Into::into).collect();
    match items.pop() {
        Some(last) if !items.is_empty() => format!("{} and {last}", items.join(", ")),
        last => last.unwrap_or_default(),
    }
}

/// `13,521`.
fn count(number: u32) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let (head, rest) = digits.split_at(first);
    let groups = (0..rest.len()).step_by(3).map(|at| &rest[at..at + 3]);
    let all: Vec<_> = Some(head).filter(|head| !head.is_empty()).into_iter().chain(groups).collect();
    all.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_model::{ClusterId, RackId};

    #[test]
    fn counts_as_people_write_them() {
        let counts = [0, 12, 999, 1_000, 13_521, 1_234_567].map(count);
        assert_eq!(counts, ["0", "12", "999", "1,000", "13,521", "1,234,567"]);
        assert_eq!([1, 2_000].map(machines), ["1 machine", "2,000 machines"]);
        assert_eq!([1, 2].map(all), ["the only machine", "all 2 machines"]);
        assert_eq!([1, 2].map(each), ["the only machine", "each of the 2 machines"]);
    }

    #[test]
    fn amounts_are_listed_with_their_units() {
        let one = Resources::new(1_000, 0, 0, 0);
        let each = Resources::new(2_500, 1_536, 10, 40);
        assert_eq!(amounts(Resources::NONE), "");
        assert_eq!(amounts(one), "1 core");
        assert_eq!(amounts(Resources::new(0, 2_048, 10, 0)), "2 GiB and 10 GiB SSD");
        assert_eq!(amounts(each), "2.5 cores, 1.5 GiB, 10 GiB SSD and 40 Mbit/s");
        assert_eq!((and_lacks(one), and_lacks(Resources::NONE)), ("; it lacks 1 core".to_owned(), String::new()));
    }

    #[test]
    fn a_draw_says_how_many_were_in_it() {
        let only = "Machine 3 was the only one in the draw by which the agent was avoiding conflicts.";
        assert_eq!(drawn_to_avoid_conflicts(MachineId(3), 1), only);
        let many = "Machine 3 was picked at random among the 1,500 best: the agent was avoiding conflicts.";
        assert_eq!(drawn_to_avoid_conflicts(MachineId(3), 1_500), many);
    }

    #[test]
    fn who_is_most_to_blame_is_alone_on_most_machines() {
        let refuser = |rule, alone| Refuser { rule, machines: 9, first: 0, alone };
        let refusal = |alone: [u32; 3]| RefusalByRule {
            machines: 9,
            rules: ["a", "b", "c"].into_iter().zip(alone).map(|(rule, alone)| refuser(rule, alone)).collect(),
            closest: None,
            too_large: None,
            blocked: None,
            objection: None,
        };
        let most = |alone| refusal(alone).most_to_blame().map(|it| it.rule);
        assert_eq!(
            [[1, 3, 2], [3, 1, 2], [2, 2, 1], [0, 0, 1]].map(most),
            [Some("b"), Some("a"), Some("a"), Some("c")]
        );
        assert_eq!(most([0; 3]), None);
        assert_eq!(refuser("a", 0).without_words(), None);
        assert_eq!(refuser("a", 1).without_words().as_deref(), Some("without a, 1 machine would take it"));
    }

    #[test]
    fn a_blocked_vm_is_told_which_uplink_is_full() {
        let full = |cut, free_kbps| Some(Full { cut, needed_kbps: 12_000_000, free_kbps });
        for (by, full, words) in [
            (Bottleneck::Link, None, "one of its links is larger than the uplinks of any machine"),
            (
                Bottleneck::Peering,
                full(Cut::Machine(MachineId(3)), 4_000_000),
                "it needs 12 Gbit/s of the uplinks of machine 3, which have 4 Gbit/s left: a VM there would have too many \
                 peers",
            ),
            (
                Bottleneck::Colocation,
                full(Cut::Rack(RackId(2)), -5),
                "it needs 12 Gbit/s of the uplinks of rack 2, which have 0 Mbit/s left: too many VMs of the VDC share that \
                 machine",
            ),
            (
                Bottleneck::Elsewhere,
                full(Cut::Cluster(ClusterId(0)), 1_000),
                "it needs 12 Gbit/s of the uplinks of cluster 1, which have 1 Mbit/s left",
            ),
            (Bottleneck::Elsewhere, None, "the uplinks above every one of them are full"),
            (Bottleneck::Peering, None, "the uplinks of none of them have room for its links to all its peers"),
        ] {
            assert_eq!(Blocked { by, full }.words(), words);
        }
    }
}
