//! Every text of the registries as the page shows it, as a JSON array: `cargo xtask strings` translates these in
//! addition to the texts of the page itself.

use std::collections::BTreeSet;

use tiebreak_engine::words::paragraphs;
use tiebreak_lesson::Control;
use tiebreak_model::{Bottleneck, Declaration, Declared, Param, ParamKind, Resource};
use tiebreak_placement::custom::{Function, NAMES};
use tiebreak_placement::{Group, RULES};
use tiebreak_scenario::document::{BUCKETS, ClusterSettings, VariantSettings, WEIGHT};
use tiebreak_scenario::incident::AT_HOURS;
use tiebreak_scenario::{GROUPS, PRESETS, Preset};
use tiebreak_sim::figures::on_page;
use tiebreak_sim::{FIGURES, GeneratedWorkload, INCIDENTS, METRICS};
use tiebreak_trace::FORMATS;

fn main() {
    let mut texts = BTreeSet::new();
    let rules = RULES.iter().map(|entry| &entry.declaration);
    let incidents = INCIDENTS.iter().map(|entry| &entry.declaration);
    let metrics = METRICS.iter().map(|metric| &metric.declaration);
    let predictors = tiebreak_lifetime::PREDICTORS.iter().map(|entry| &entry.declaration);
    let groups = GROUPS.iter().map(|group| &group.declaration);
    let others = [&ClusterSettings::DECLARATION, &VariantSettings::DECLARATION, &GeneratedWorkload::DECLARATION];
    let settings = groups.chain(others);
    rules.chain(incidents).chain(metrics).chain(predictors).chain(settings).for_each(|it| declared(&mut texts, it));
    [BUCKETS, WEIGHT, AT_HOURS].iter().for_each(|param| param_texts(&mut texts, param));
    texts.extend(GROUPS.iter().map(|group| group.id.replace('_', " ")));
    texts.extend(METRICS.iter().map(|metric| metric.unit.to_owned()));
    // As named in claims of lessons.
    texts.extend(METRICS.iter().map(|metric| metric.declaration.title.to_ascii_lowercase()));
    let claimed = FIGURES.iter().filter_map(|figure| Some([figure.claim()?.1, figure.unit]));
    texts.extend(claimed.flatten().map(str::to_owned));
    let compared = on_page().into_iter().flat_map(|(at, title)| [title, FIGURES[at].unit]);
    texts.extend(compared.map(str::to_owned));
    texts.extend(Control::EVERY.iter().map(|control| control.word().to_owned()));
    texts.extend(Group::ALL.iter().map(|group| group.title().to_owned()));
    texts.extend(Bottleneck::ALL.iter().map(|by| by.title().to_owned()));
    texts.extend(Resource::ALL.iter().map(|resource| resource.unit().0.to_owned()));
    for Preset { title, help, .. } in PRESETS {
        texts.insert((*title).to_owned());
        texts.extend(paragraphs(help));
    }
    texts.extend(FORMATS.iter().map(|format| format.declaration().title.to_owned()));
    texts.extend(FORMATS.iter().map(|format| format.source().to_owned()));
    texts.extend(FORMATS.iter().flat_map(|format| format.cannot_answer()).map(|it| (*it).to_owned()));
    // Names in expressions of custom rules.
    texts.extend(NAMES.iter().flat_map(|name| [name.unit, name.help]).map(str::to_owned));
    texts.extend(Function::ALL.iter().map(|function| function.help().to_owned()));
    texts.retain(|text| is_text(text));
    println!("{}", serde_json::to_string_pretty(&texts).expect("texts are JSON"));
}

fn declared(texts: &mut BTreeSet<String>, declaration: &Declaration) {
    texts.insert(declaration.title.to_owned());
    texts.extend(paragraphs(declaration.help));
    declaration.params.iter().for_each(|param| param_texts(texts, param));
}

fn param_texts(texts: &mut BTreeSet<String>, param: &Param) {
    texts.insert(param.title());
    texts.extend(paragraphs(param.help));
    texts.insert(param.unit.to_owned());
    match param.kind {
        ParamKind::Choice(words) => texts.extend(words.iter().map(|word| (*word).to_owned())),
        ParamKind::Flag => texts.extend([0.0, 1.0].iter().filter_map(|value| param.word(*value)).map(str::to_owned)),
        ParamKind::Integer | ParamKind::Number => {}
    }
}

/// Whether it contains a word: unit symbols are the same in every language.
fn is_text(text: &str) -> bool {
    const SYMBOLS: [&str; 8] = ["GiB", "Gbit/s", "Mbit/s", "min", "ms", "MiB", "kW", "GHz"];
    text.split(|letter: char| !letter.is_alphabetic()).any(|word| word.len() > 1) && !SYMBOLS.contains(&text)
}
