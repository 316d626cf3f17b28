//! The content of the map, in words.

use tiebreak_app::Outcome;
use tiebreak_engine::words;
use tiebreak_i18n::{say, tell, tr};
use tiebreak_model::{Phase as HostPhase, Phrase, Readiness};
use tiebreak_scenario::Variant;
use tiebreak_sim::{LifeByte, MachineByte, ShareByte};

use super::colouring::Colouring;
use super::frames::Frame;

/// The content of the map at a moment, in words.
pub(super) fn summary(frame: Frame<'_>, colours: Colouring, live: &Outcome, moment: f64) -> String {
    let bytes = frame.fullness;
    if bytes.is_empty() {
        return tr("No machines yet").into();
    }
    let phases = match colours {
        Colouring::Class => phases(frame.lives),
        Colouring::Uplinks => reserved(frame.uplinks),
        Colouring::Draw => drawn(frame.draws),
        Colouring::Cores => String::new(),
    };
    let empty = machines(bytes).filter(|machine| machine.is_empty()).count();
    say(
        "{} of {} empty{phases} at {}{}",
        &[
            &words::count(empty as f64),
            &words::count(f64::from(live.layout.machines)),
            &phases,
            &words::time(moment),
            &not_ready(bytes),
        ],
    )
}

/// The number of machines in each class.
pub(super) fn in_classes(lives: &[u8], classes: &[Phrase]) -> String {
    let count = |(class, name): (u8, &Phrase)| say("{} of class {name}", &[&of_class(lives, class), &tell(name)]);
    let counts: Vec<_> = (0..).zip(classes).map(count).collect();
    format!("; {}", counts.join(", "))
}

/// The largest reserved share of these machines' uplinks.
pub(super) fn fullest(uplinks: &[u8]) -> f64 {
    uplinks.iter().map(|byte| ShareByte(*byte).share()).fold(0.0, f64::max).min(1.0)
}

/// The reserved share of the fullest uplink, and the number of nearly full ones; empty if unknown.
fn reserved(uplinks: &[u8]) -> String {
    if uplinks.is_empty() {
        return String::new();
    }
    let nearly = uplinks.iter().filter(|byte| ShareByte(**byte).share() >= 0.9).count();
    say(", uplinks of {} at least 90 % full", &[&words::count(nearly as f64)])
}

/// The number of servers that draw more than their share; empty if unknown.
fn drawn(draws: &[u8]) -> String {
    if draws.is_empty() {
        return String::new();
    }
    let over = draws.iter().filter(|byte| ShareByte(**byte).share() > 1.0).count();
    say(", {} above their share of the power budget", &[&words::count(over as f64)])
}

/// The number of machines in a class that have VMs.
pub(super) fn of_class(lives: &[u8], class: u8) -> usize {
    let is_of = |life: LifeByte| life.phase() != HostPhase::Empty && life.class() == class;
    lives.iter().filter(|byte| is_of(LifeByte(**byte))).count()
}

/// The number of open and recycling machines; empty if unknown.
fn phases(lives: &[u8]) -> String {
    let count = |phase| lives.iter().filter(|byte| LifeByte(**byte).phase() == phase).count() as f64;
    if lives.is_empty() {
        return String::new();
    }
    let (open, recycling) = (count(HostPhase::Open), count(HostPhase::Recycling));
    say(", {} open, {} recycling", &[&words::count(open), &words::count(recycling)])
}

/// The machines of a plane.
pub(super) fn machines(bytes: &[u8]) -> impl Iterator<Item = MachineByte> + '_ {
    bytes.iter().map(|byte| MachineByte(*byte))
}

/// The number of machines that accept no VMs, in words; empty if all accept VMs.
fn not_ready(bytes: &[u8]) -> String {
    let count = |readiness: Readiness| machines(bytes).filter(|machine| machine.readiness() == readiness).count();
    let told = [(count(Readiness::Failed), tr("failed")), (count(Readiness::Unready), tr("not ready"))];
    told.iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("; {} {what}", words::count(*count as f64)))
        .collect()
}

/// Whether any machine of a variant can be unable to accept VMs.
pub(super) fn may_be_unready(variant: &Variant) -> bool {
    !variant.incidents.is_empty() || variant.clusters.iter().any(|row| row.settings.unready > 0)
}
