//! Explanations in words, the same on every platform: why a machine, why not another one, why none (Protean section
//! 3.4, "Interpretability").

use tiebreak_model::phrase::count;
use tiebreak_model::{Bottleneck, Cut, Fleet, MachineId, Phrase, Resource, Resources, phrase};

use super::reference::WEIGHTED;
use super::{
    Explanation, Lost, Objected, RefusalByRule, Refuser, Scorecard, Shortage, Side, TooLarge, Weighing, WhyNot,
};
use crate::network::{Blocked, Full};
use crate::policy::REQUIRED_RULE;
use crate::rule::quantities::trimmed;

pub use crate::rule::quantities::{bandwidth, span};

impl Explanation {
    /// One sentence: where the VM was placed and which rule decided, or why it was not placed.
    #[must_use]
    pub fn sentence(&self, fleet: &Fleet) -> Phrase {
        if let Some(refusal) = &self.refusal {
            return refusal.sentence(fleet);
        }
        let Some(winner) = self.winner.as_ref().map(|card| card.machine) else { return Phrase::default() };
        let second = self.runner_up.as_ref().map(|card| card.machine);
        match (self.avoided, second, &self.weighed, self.decided_by) {
            (Some(among), ..) => drawn_to_avoid_conflicts(winner, among),
            (_, None, ..) => phrase!("Machine {winner} was the only one with room for it.", winner),
            (_, Some(_), _, None) => self.tied(winner),
            (_, Some(second), Some(weighing), _) => {
                let why = weighing.words(&machine(winner), &machine(second));
                phrase!("Machine {winner} was chosen: {why}.", winner, why)
            }
            (_, Some(second), None, Some(rule)) => {
                let said = self.said_of_both(rule, second);
                phrase!(
                    "Machine {winner} was chosen; {rule} ranked it above machine {second}{said}.",
                    winner,
                    Phrase::text(rule),
                    second,
                    said
                )
            }
        }
    }

    /// ": it would not be busy longer (step 0), machine 4 would be busy 70 min longer (step 2)".
    fn said_of_both(&self, rule: &str, second: MachineId) -> Option<Phrase> {
        let said = |card: &Option<Scorecard>| card.as_ref()?.said_by(rule).cloned();
        Some(phrase!(": it {}, machine {second} {}", said(&self.winner)?, second, said(&self.runner_up)?))
    }

    fn tied(&self, winner: MachineId) -> Phrase {
        let among = count(self.funnel.best.len() as u64);
        let weighted = self.funnel.steps.iter().any(|step| step.rule == WEIGHTED);
        let why = match (self.funnel.circular, weighted) {
            (true, _) => phrase!("that beat each other in a cycle"),
            (false, true) => phrase!("that the weights rank equally"),
            (false, false) => phrase!("that all rules score equally"),
        };
        phrase!("Machine {winner} was picked at random among {among} machines {why}.", winner, among, why)
    }

    /// Why the machine in question was not chosen.
    #[must_use]
    pub fn why_not_sentence(&self, fleet: &Fleet) -> Option<Phrase> {
        let asked = self.asked.as_ref()?.machine;
        Some(match self.why_not.as_ref()? {
            WhyNot::Chosen => phrase!("Machine {asked} was chosen.", asked),
            WhyNot::Chance { winner, among } => self.chance(asked, *winner, *among),
            WhyNot::Refused { rule, short } => {
                let card = self.asked.as_ref().filter(|_| *short == Resources::NONE);
                let said = card.and_then(|card| card.said_by(rule)).map(|said| phrase!("; it {said}", said));
                phrase!("Not machine {asked}: {rule} refuses it{}.", asked, rule, said.or_else(|| and_lacks(*short)))
            }
            WhyNot::ClusterNotSelected { cluster, last, lost } => {
                let (mine, last) = (&fleet.cluster(*cluster).name, &fleet.cluster(*last).name);
                let why = lost.words(&phrase!("{}", last), &phrase!("{}", mine));
                phrase!(
                    "Not machine {asked}: {mine} was not among the best clusters, the last of which is {last}; {why}.",
                    asked,
                    mine,
                    last,
                    why
                )
            }
            WhyNot::Beaten { by, lost } => self.beaten(asked, *by, lost),
        })
    }

    fn chance(&self, asked: MachineId, winner: MachineId, among: u32) -> Phrase {
        let among = count(among.into());
        let stood = match self.avoided {
            Some(_) => phrase!("was among the {among} best", among),
            None => phrase!("was tied for best"),
        };
        phrase!(
            "Machine {asked} {stood}; machine {winner} was drawn at random, 1 in {among} for each.",
            asked,
            stood,
            winner,
            among
        )
    }

    fn beaten(&self, asked: MachineId, by: MachineId, lost: &Lost) -> Phrase {
        let why = lost.words(&machine(by), &phrase!("it"));
        match self.avoided {
            None => phrase!("Not machine {asked}: {why}.", asked, why),
            Some(1) => phrase!("Not machine {asked}: only machine {by} could be drawn; {why}.", asked, by, why),
            Some(among) => {
                let best = count(among.into());
                phrase!(
                    "Not machine {asked}: it was not among the best {best}, the last of which is machine {by}; {why}.",
                    asked,
                    best,
                    by,
                    why
                )
            }
        }
    }
}

fn drawn_to_avoid_conflicts(winner: MachineId, among: u32) -> Phrase {
    match among {
        1 => {
            phrase!("Machine {winner} was the only one that the agent could draw while avoiding conflicts.", winner)
        }
        _ => phrase!(
            "Machine {winner} was drawn at random from the best {}: the agent was avoiding conflicts.",
            winner,
            count(among.into())
        ),
    }
}

impl Lost {
    /// "BestFit puts machine 3 before it".
    fn words(&self, ahead: &Phrase, behind: &Phrase) -> Phrase {
        match self {
            Self::Rule(rule) => phrase!("{rule} ranks {ahead} above {behind}", rule, ahead, behind),
            Self::Id => {
                phrase!("the rules score them equally, and {ahead} comes before {behind} in the list", ahead, behind)
            }
            Self::Weights(weighing) => weighing.words(ahead, behind),
        }
    }
}

impl Weighing {
    /// "weight 5 speaks for machine 3 (BestFit), weight 2 for machine 4 (WorstFit)".
    fn words(&self, ahead: &Phrase, behind: &Phrase) -> Phrase {
        if let Some([one, other]) = self.sums() {
            return phrase!(
                "the weighted scores of {ahead} add up to {}, those of {behind} to {}, and less is better",
                ahead,
                trimmed(one),
                behind,
                trimmed(other)
            );
        }
        let (one, other) = (self.ahead.words(&phrase!("favours"), ahead), self.behind.words(&phrase!("for"), behind));
        let end = match (self.circular, self.ahead.weight() > self.behind.weight()) {
            (true, true) => phrase!("; the best beat each other in a cycle"),
            (true, false) => phrase!("; the comparison is a cycle, and {ahead} beats more of the others", ahead),
            (false, false) => phrase!("; {ahead} beats more of the others", ahead),
            (false, true) => Phrase::default(),
        };
        phrase!("{one}, {other}{end}", one, other, end)
    }
}

impl Side {
    fn words(&self, speaks_for: &Phrase, name: &Phrase) -> Phrase {
        match &self.rules[..] {
            [] => phrase!("nothing {speaks_for} {name}", speaks_for, name),
            rules => {
                phrase!(
                    "weight {} {speaks_for} {name} ({})",
                    trimmed(self.weight()),
                    speaks_for,
                    name,
                    Phrase::listed(rules.iter().map(|rule| phrase!("{}", rule)))
                )
            }
        }
    }
}

impl Full {
    /// "needs 12 Gbit/s of the uplinks of machine 3, which have 4 Gbit/s left".
    pub(crate) fn words(&self) -> Phrase {
        let left = bandwidth(self.free_kbps.max(0) as u64);
        phrase!(
            "needs {} of the uplinks of {}, which have {left} left",
            bandwidth(self.needed_kbps),
            place(self.cut),
            left
        )
    }
}

impl Blocked {
    /// Why the network has no capacity; continues "machines have room for it, but ".
    #[must_use]
    pub fn words(&self) -> Phrase {
        match (self.by, &self.full) {
            (Bottleneck::Link, _) => phrase!("one of its links needs more than the uplinks of any machine carry"),
            (by, Some(full)) => {
                let why = match by {
                    Bottleneck::Peering => Some(phrase!(": a VM there would have too many peers")),
                    Bottleneck::Colocation => Some(phrase!(": too many VMs of its VDC share that machine")),
                    Bottleneck::Link | Bottleneck::Elsewhere => None,
                };
                phrase!("it {}{why}", full.words(), why)
            }
            (Bottleneck::Elsewhere, None) => phrase!("the uplinks above all of them are full"),
            (_, None) => phrase!("the uplinks of none of them have capacity for its links to all its peers"),
        }
    }
}

fn place(cut: Cut) -> Phrase {
    match cut {
        Cut::Machine(id) => phrase!("machine {id}", id),
        Cut::Rack(id) => phrase!("rack {id}", id),
        Cut::Cluster(id) => phrase!("cluster {}", id.0 + 1),
    }
}

impl RefusalByRule {
    /// One sentence that names the validator to blame.
    #[must_use]
    pub fn sentence(&self, fleet: &Fleet) -> Phrase {
        if let Some(blocked) = &self.blocked {
            let (by, words) = (Phrase::text(blocked.by.title()), blocked.words());
            return phrase!(
                "The network had no capacity for it (limited by {by}): machines have room for it, but {words}.",
                by,
                words
            );
        }
        if let (Some(Objected { rule, cluster, why }), Some(most)) = (&self.objection, self.most_to_blame())
            && most.rule == *rule
        {
            let cluster = &fleet.cluster(*cluster).name;
            return phrase!("{rule} does not admit a new deployment to {cluster}: it {why}.", rule, cluster, why);
        }
        let why = match (&self.too_large, self.most_to_blame()) {
            (Some(too_large), _) => too_large.words(fleet),
            (None, Some(most)) if most.alone == self.machines => {
                phrase!("{} refuses {}", most.rule, all(self.machines))
            }
            (None, Some(most)) if most.rule == REQUIRED_RULE => {
                phrase!("only room is missing on {} of {}", count(most.alone.into()), machines(self.machines))
            }
            (None, Some(most)) => {
                phrase!("without {}, {} of {} would", most.rule, count(most.alone.into()), machines(self.machines))
            }
            (None, None) => phrase!("at least two rules refuse {}", each(self.machines)),
        };
        phrase!("No machine could take it: {why}.", why)
    }

    /// One sentence about the machine that lacks least; `None` if no machine lacks only free capacity.
    #[must_use]
    pub fn closest_sentence(&self) -> Option<Phrase> {
        let Shortage { machine, short } = self.closest?;
        Some(phrase!("Machine {machine} comes closest: it lacks {}.", machine, amounts(short)))
    }
}

impl Refuser {
    /// The effect of removing this rule; `None` if other rules exclude the same machines. For the required rule it
    /// says that only capacity is missing.
    #[must_use]
    pub fn without_words(&self) -> Option<Phrase> {
        let Self { rule, alone, .. } = self;
        (*alone > 0).then(|| match *rule == REQUIRED_RULE {
            true => phrase!("only room is missing on {}", machines(*alone)),
            false => phrase!("without {rule}, {} would be valid", rule, machines(*alone)),
        })
    }
}

impl TooLarge {
    fn words(&self, fleet: &Fleet) -> Phrase {
        let suits_best = match fleet.clusters() {
            [_] => None,
            _ => Some(phrase!(" of {}, the best match,", fleet.cluster(self.cluster).name)),
        };
        phrase!("even an empty machine{suits_best} lacks {}", suits_best, amounts(self.short))
    }
}

/// `2 cores and 8 GiB`: omits resources with amount 0.
fn amounts(amounts: Resources) -> Phrase {
    let some = Resource::ALL.into_iter().filter(|resource| amounts[*resource] > 0);
    Phrase::listed(some.map(|resource| amount(resource, amounts[resource])))
}

fn amount(resource: Resource, stored: u32) -> Phrase {
    let (unit, scale) = resource.unit();
    let value = trimmed(f64::from(stored) / scale);
    match resource {
        Resource::Cores if stored == 1_000 => phrase!("1 core"),
        Resource::Ssd => phrase!("{value} {unit} SSD", value, unit),
        _ => phrase!("{value} {unit}", value, Phrase::text(unit)),
    }
}

/// "; it lacks 2 cores", or `None` if nothing is lacking.
fn and_lacks(short: Resources) -> Option<Phrase> {
    (short != Resources::NONE).then(|| phrase!("; it lacks {}", amounts(short)))
}

fn machine(id: MachineId) -> Phrase {
    phrase!("machine {id}", id)
}

fn machines(number: u32) -> Phrase {
    if number == 1 { phrase!("1 machine") } else { phrase!("{} machines", count(number.into())) }
}

fn all(number: u32) -> Phrase {
    if number == 1 { phrase!("the only machine") } else { phrase!("all {}", machines(number)) }
}

fn each(number: u32) -> Phrase {
    if number == 1 { phrase!("the only machine") } else { phrase!("each of the {}", machines(number)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use tiebreak_model::{ClusterId, RackId};

    #[test]
    fn counts_as_people_write_them() {
        assert_eq!([1, 2_000].map(|number| machines(number).to_string()), ["1 machine", "2,000 machines"]);
        assert_eq!([1, 2].map(|number| all(number).to_string()), ["the only machine", "all 2 machines"]);
        assert_eq!([1, 2].map(|number| each(number).to_string()), ["the only machine", "each of the 2 machines"]);
    }

    #[test]
    fn amounts_are_listed_with_their_units() {
        let one = Resources::new(1_000, 0, 0, 0);
        let each = Resources::new(2_500, 1_536, 10, 40);
        assert_eq!(amounts(Resources::NONE).to_string(), "");
        assert_eq!(amounts(one).to_string(), "1 core");
        assert_eq!(amounts(Resources::new(0, 2_048, 10, 0)).to_string(), "2 GiB and 10 GiB SSD");
        assert_eq!(amounts(each).to_string(), "2.5 cores, 1.5 GiB, 10 GiB SSD and 40 Mbit/s");
        let lacks = |short| and_lacks(short).map(|lacks| lacks.to_string());
        assert_eq!((lacks(one).as_deref(), lacks(Resources::NONE)), (Some("; it lacks 1 core"), None));
    }

    #[test]
    fn a_draw_says_how_many_were_in_it() {
        let only = "Machine 3 was the only one that the agent could draw while avoiding conflicts.";
        assert_eq!(drawn_to_avoid_conflicts(MachineId(3), 1).to_string(), only);
        let many = "Machine 3 was drawn at random from the best 1,500: the agent was avoiding conflicts.";
        assert_eq!(drawn_to_avoid_conflicts(MachineId(3), 1_500).to_string(), many);
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
        let without = refuser("a", 1).without_words().map(|told| told.to_string());
        assert_eq!(without.as_deref(), Some("without a, 1 machine would be valid"));
    }

    #[test]
    fn a_blocked_vm_is_told_which_uplink_is_full() {
        let full = |cut, free_kbps| Some(Full { cut, needed_kbps: 12_000_000, free_kbps });
        for (by, full, words) in [
            (Bottleneck::Link, None, "one of its links needs more than the uplinks of any machine carry"),
            (
                Bottleneck::Peering,
                full(Cut::Machine(MachineId(3)), 4_000_000),
                "it needs 12 Gbit/s of the uplinks of machine 3, which have 4 Gbit/s left: a VM there would have too many \
                 peers",
            ),
            (
                Bottleneck::Colocation,
                full(Cut::Rack(RackId(2)), -5),
                "it needs 12 Gbit/s of the uplinks of rack 2, which have 0 Mbit/s left: too many VMs of its VDC share that machine",
            ),
            (
                Bottleneck::Elsewhere,
                full(Cut::Cluster(ClusterId(0)), 1_000),
                "it needs 12 Gbit/s of the uplinks of cluster 1, which have 1 Mbit/s left",
            ),
            (Bottleneck::Elsewhere, None, "the uplinks above all of them are full"),
            (Bottleneck::Peering, None, "the uplinks of none of them have capacity for its links to all its peers"),
        ] {
            assert_eq!(Blocked { by, full }.words().to_string(), words);
        }
    }
}
