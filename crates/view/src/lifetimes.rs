//! Lifetimes on the page: the predictor, its quality, and the effects on hosts (LAVA sections 3 to 6).

use tiebreak_app::{ASKING_LIFETIMES, App, Outcome};
use tiebreak_chart::{Plot, Role, Series, Style};
use tiebreak_engine::protocol::{Learned, LongLives};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};

/// The rule to offer if none is on.
pub const OFFERED: &str = "TemporalCost";

/// A predictor of the list.
#[derive(Clone, Copy, Debug)]
pub struct Predictor {
    /// Its stable name.
    pub id: &'static str,
    /// Display name.
    pub title: &'static str,
}

/// All predictors in order.
pub fn predictors() -> impl Iterator<Item = Predictor> {
    let declarations = tiebreak_lifetime::PREDICTORS.iter().map(|entry| entry.declaration);
    declarations.map(|declaration| Predictor { id: declaration.id, title: tr(declaration.title) })
}

/// A short summary for the closed panel.
#[must_use]
pub fn in_short(app: &App) -> String {
    let predictor = app.variant().predictor.entry().map_or("", |entry| tr(entry.declaration.title));
    if let Some(share) = app.front.learning {
        return say("{predictor}, {} % learned", &[&predictor, &words::fixed(100.0 * share, 0)]);
    }
    if !app.asks_lifetimes() {
        return tr("off: no rule needs them").into();
    }
    match app.front.live.as_ref().and_then(|live| live.learned.as_ref()?.c_index) {
        Some(c_index) => say("{predictor}, C-index {c_index}", &[&predictor, &words::fixed(c_index, 2)]),
        None => predictor.into(),
    }
}

/// The introduction of the panel.
#[must_use]
pub fn about(app: &App) -> String {
    if app.asks_lifetimes() {
        tr("Before a run, a predictor learns from the first part of the trace how long VMs live. Rules use its \
             prediction when a VM arrives, and again while the VM runs. Its quality is measured below on VMs that \
             arrived later.")
        .into()
    } else {
        let (last, others) = ASKING_LIFETIMES.split_last().expect("there are some");
        say(
            "No active rule uses lifetimes, so nothing is predicted. {} and {last} use them: they are among the \
             machine preferences.",
            &[&others.join(", "), &last],
        )
    }
}

/// A number with its meaning.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What it measures.
    pub title: &'static str,
    /// The number.
    pub value: String,
    /// Its meaning, in one sentence.
    pub meaning: String,
}

/// The training result and its quality.
#[must_use]
pub fn facts(learned: &Learned) -> Vec<Fact> {
    let fact = |title, value, meaning| Fact { title, value, meaning };
    let vms = |count: u32| words::counted(f64::from(count), "VM", "VMs");
    let (trained, censored) = learned.trained_on;
    let (tested, endless) = learned.tested_on;
    let mut facts = vec![];
    if trained > 0 {
        let meaning =
            say("{} of them were still running at the end of training.", &[&words::count(f64::from(censored))]);
        facts.push(fact(tr("Trained on"), vms(trained), meaning));
    }
    let meaning =
        say("They arrived later. The trace does not contain the end of {}.", &[&words::count(f64::from(endless))]);
    facts.push(fact(tr("Evaluated on"), vms(tested), meaning));
    if let Some(c_index) = learned.c_index {
        let meaning = say(
            "In {} % of pairs, the VM with the longer prediction lived longer; 50 % would be random.",
            &[&words::fixed(100.0 * c_index, 0)],
        );
        facts.push(fact(tr("C-index"), words::fixed(c_index, 2), meaning));
    }
    let within = |errors: &[u32]| {
        let sum = |part: &[u32]| part.iter().map(|count| f64::from(*count)).sum::<f64>();
        (!errors.is_empty()).then(|| 100.0 * sum(&errors[..errors.len().min(TEN_TIMES)]) / sum(errors))
    };
    if let (Some(first), Some(later)) = (within(&learned.first_errors), within(&learned.reprediction_errors)) {
        let meaning = say(
            "The share of first predictions that were less than 10 times too long or too short. For predictions made \
             again while VMs ran: {later} %.",
            &[&words::fixed(later, 0)],
        );
        facts.push(fact(tr("Within 10x"), format!("{first:.0} %"), meaning));
    }
    facts.extend(learned.long_lives.iter().flat_map(of_long_lives));
    facts
}

/// Tenths of a decade in a factor of ten.
const TEN_TIMES: usize = 10;

fn of_long_lives(long: &LongLives) -> [Fact; 3] {
    let number = |value: Option<f64>| value.map_or(tr("none").to_owned(), |value| words::fixed(value, 2));
    let hours = words::trimmed(long.threshold_h, 1);
    let [precision, recall, f1] = long.at_threshold;
    let called = match precision {
        Some(_) => say("The share of VMs predicted to live {hours} h or longer that did.", &[&hours]),
        None => say("No first prediction reaches {hours} h.", &[&hours]),
    };
    let (many, few) = long.vms;
    let lived = say(
        "The share of the {} that lived so long for which this was predicted; {} had shorter lifetimes.",
        &[&words::counted(f64::from(many), "VM", "VMs"), &words::count(f64::from(few))],
    );
    let cut = words::trimmed(long.best_cut_h, 1);
    let best = match long.at_best_cut[2] {
        Some(best) => say(
            "Precision and recall in one number. The best possible value is {best}, if predictions of {cut} h or more \
             count as long.",
            &[&words::fixed(best, 2), &cut],
        ),
        None => tr("Precision and recall in one number.").to_owned(),
    };
    [(tr("Precision"), precision, called), (tr("Recall"), recall, lived), (tr("F1"), f1, best)]
        .map(|(title, value, meaning)| Fact { title, value: number(value), meaning })
}

/// What predictions have meant, in words: one sentence for each tenth of the VMs, from the shortest predictions.
/// Tenths of which the same is to be said share a sentence.
#[must_use]
pub fn calibration(learned: &Learned) -> Vec<String> {
    let sentence = |(predicted_s, lived_s): &(u32, u32)| {
        let [said, lived] = [predicted_s, lived_s].map(|seconds| words::duration(1_000.0 * f64::from(*seconds)));
        let factor = f64::from(*predicted_s) / f64::from((*lived_s).max(1));
        let times = |factor: f64| words::trimmed(factor, 1);
        match factor {
            ABOUT_RIGHT.. => say(
                "Of the VMs predicted to live {said}, half lived at least {lived}: {times} times too long.",
                &[&said, &lived, &times(factor)],
            ),
            _ if factor * ABOUT_RIGHT <= 1.0 => say(
                "Of the VMs predicted to live {said}, half lived at least {lived}: {times} times too short.",
                &[&said, &lived, &times(1.0 / factor)],
            ),
            _ => {
                say("Of the VMs predicted to live {said}, half lived at least {lived}: about right.", &[&said, &lived])
            }
        }
    };
    let mut sentences: Vec<String> = learned.calibration.iter().map(sentence).collect();
    sentences.dedup();
    sentences
}

/// Predictions are about right if they are off by less than this factor.
const ABOUT_RIGHT: f64 = 1.5;

/// How many tenths of a decade make a bar.
const TENTHS_A_BAR: usize = 2;

/// The charts of a predictor, each with a sentence as its text alternative.
#[must_use]
pub fn plots(learned: &Learned) -> Vec<(Plot, String)> {
    let long = learned.long_lives.as_ref();
    errors(learned).into_iter().chain(long.and_then(f1_by_share)).collect()
}

/// The histogram of errors (LAVA Fig. 12).
fn errors(learned: &Learned) -> Option<(Plot, String)> {
    let bars = |counts: &[u32]| {
        let all: f64 = counts.iter().map(|count| f64::from(*count)).sum();
        let sum = |bar: &[u32]| 100.0 * bar.iter().map(|count| f64::from(*count)).sum::<f64>() / all.max(1.0);
        counts.chunks(TENTHS_A_BAR).map(sum).collect::<Vec<f64>>()
    };
    let (first, later) = (bars(&learned.first_errors), bars(&learned.reprediction_errors));
    let used = |bars: &[f64]| bars.iter().rposition(|share| *share > 0.0).map_or(0, |last| last + 1);
    let count = used(&first).max(used(&later));
    if count == 0 {
        return None;
    }
    // A bar ends where the next one begins, so an empty one closes the last.
    let place = |bar: usize| (bar * TENTHS_A_BAR) as f64 / TEN_TIMES as f64;
    let points = |bars: &[f64]| {
        let share = |bar: usize| bars.get(bar).copied().unwrap_or(0.0);
        (0..=count).map(|bar| (place(bar), if bar < count { share(bar) } else { 0.0 })).collect()
    };
    let plot = Plot {
        title: tr("Prediction errors").into(),
        unit: "%".into(),
        across: tr("decades").into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![
            Series::new(tr("again"), Role::Ghost, Style::Bars, points(&later)),
            Series::new(tr("initially"), Role::Live, Style::Bars, points(&first)),
        ],
    };
    let sentence = say(
        "Prediction errors: {} % of first predictions are less than a fifth of a decade off; the largest error is {} \
         decades.",
        &[&words::fixed(first.first().copied().unwrap_or(0.0), 0), &words::trimmed(place(count), 1)],
    );
    Some((plot, sentence))
}

/// F1 against the elapsed share of the lifetime (LAVA Fig. 9).
fn f1_by_share(long: &LongLives) -> Option<(Plot, String)> {
    let step = 100.0 / long.f1_by_share.len().max(1) as f64;
    let point = |(index, f1): (usize, &Option<f64>)| (index as f64 * step, f1.unwrap_or(f64::NAN));
    let points: Vec<(f64, f64)> = long.f1_by_share.iter().enumerate().map(point).collect();
    let known = || points.iter().filter(|(_, f1)| f1.is_finite());
    let (first, best) = (known().next()?, known().max_by(|one, other| one.1.total_cmp(&other.1))?);
    let sentence = say(
        "F1 by observed share of the lifetime: {} at {} % of the lifetime, at best {}, at {} %.",
        &[&words::fixed(first.1, 2), &words::fixed(first.0, 0), &words::fixed(best.1, 2), &words::fixed(best.0, 0)],
    );
    let plot = Plot {
        title: say("F1 for {} h, by observed lifetime", &[&words::trimmed(long.threshold_h, 1)]),
        unit: String::new(),
        across: tr("% of lifetime").into(),
        across_is_log: false,
        up_is_log: false,
        series: vec![Series::new(tr("F1"), Role::Live, Style::Line, points)],
    };
    Some((plot, sentence))
}

/// The effects on hosts, in one sentence; `None` during the run, or if no rule reads predicted lifetimes.
#[must_use]
pub fn turns(live: &Outcome) -> Option<String> {
    let result = live.result.as_ref().filter(|result| !result.turns.is_empty())?;
    let turn = |(words, times): &(String, f64)| say("{} x {words}", &[&words::count(*times), &tr(words)]);
    let turns: Vec<_> = result.turns.iter().map(turn).collect();
    let again = words::counted(result.figure("repredictions"), "prediction", "predictions");
    let [opened, raised] = ["machines_opened", "machines_raised"].map(|id| result.figure(id));
    let raised = if opened > 0.0 { words::fixed(raised / opened, 2) } else { "0".into() };
    Some(say(
        "Hosts: {}. Missed deadlines for each time that a machine opened: {raised}. {again} of running VMs.",
        &[&turns.join("; "), &raised, &again],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiebreak_placement::{Policy, RULES, RuleUse};

    #[test]
    fn the_rules_that_ask_are_those_of_which_the_policy_says_so() {
        let asks = |id: &&str| Policy::new(&[RuleUse::plain(id, None)], 1).expect("a policy").asks_for_lifetimes();
        let found: Vec<_> = RULES.iter().map(|entry| entry.declaration.id).filter(asks).collect();
        assert_eq!(found, ASKING_LIFETIMES);
    }

    #[test]
    fn a_histogram_has_the_shares_of_its_bars() {
        let (mut first, mut later) = (vec![0; 50], vec![0; 50]);
        (first[0], first[1], first[3]) = (2, 1, 1);
        later[4] = 8;
        let learned = Learned { first_errors: first, reprediction_errors: later, ..Learned::default() };
        let (plot, sentence) = errors(&learned).expect("a chart");
        let at_first = &plot.series[1].points;
        assert_eq!(at_first, &[(0.0, 75.0), (0.2, 25.0), (0.4, 0.0), (0.6, 0.0)]);
        assert_eq!(plot.series[0].points[2], (0.4, 100.0));
        assert!(sentence.contains("75 % of first predictions") && sentence.ends_with("0.6 decades."), "{sentence}");
        assert_eq!(plots(&Learned::default()), []);
    }

    #[test]
    fn predictions_are_held_against_what_half_of_the_vms_lived() {
        let calibration = vec![(600, 1_800), (600, 1_800), (3_600, 3_600), (86_400, 72_000), (86_400, 7_200)];
        let said = calibration_of(calibration);
        let expected = [
            "Of the VMs predicted to live 10 min, half lived at least 30 min: 3 times too short.",
            "Of the VMs predicted to live 1 h, half lived at least 1 h: about right.",
            "Of the VMs predicted to live 1 d, half lived at least 20 h: about right.",
            "Of the VMs predicted to live 1 d, half lived at least 2 h: 12 times too long.",
        ];
        assert_eq!(said, expected);
    }

    fn calibration_of(calibration: Vec<(u32, u32)>) -> Vec<String> {
        super::calibration(&Learned { calibration, ..Learned::default() })
    }

    #[test]
    fn what_is_not_known_is_not_told() {
        assert!(calibration_of(Vec::new()).is_empty());
        let nothing = facts(&Learned::default());
        assert_eq!(nothing.len(), 1, "{nothing:?}");
        let long = LongLives { threshold_h: 24.0, vms: (3, 9), best_cut_h: 6.5, ..LongLives::default() };
        let [precision, recall, f1] = of_long_lives(&long);
        assert_eq!(
            (precision.value.as_str(), precision.meaning.as_str()),
            ("none", "No first prediction reaches 24 h.")
        );
        assert!(recall.meaning.starts_with("The share of the 3 VMs that lived so long"), "{}", recall.meaning);
        assert_eq!(f1.meaning, "Precision and recall in one number.");
    }
}
