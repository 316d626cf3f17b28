//! Two variants next to each other: the tabs, the verdict, and their numbers.

use std::convert::Infallible;

use tiebreak_app::paired::SEEDS;
use tiebreak_app::{App, Lane, Message, Mode, Phase};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_scenario::document::VARIANTS_MAX;
use tiebreak_scenario::effect::SEEDS_MAX;
use tiebreak_view::{compare, timeline};
use web_sys::HtmlSelectElement;
use yew::prelude::*;

use super::panel::{Link, Panel, Scene};

/// The variants as tabs, with the controls that create and close them, and the choice of what the page shows of them.
pub(crate) fn tabs(link: &Link, app: &App) -> Html {
    let tell = |name: &str, message: fn(String) -> Message| {
        let name = name.to_owned();
        link.callback(move |_: MouseEvent| message(name.clone()))
    };
    let many = app.document.variants.len() > 1;
    let tab = |(index, variant): (usize, &tiebreak_scenario::Variant)| {
        let shown = index == app.document.active;
        let name = &variant.name;
        html! {
            <span class={classes!("tab", shown.then_some("shown"))} key={name.clone()}>
                <button aria-pressed={shown.to_string()} aria-label={say("Variant {name}", &[&name])} onclick={tell(name, Message::Front)}>{ name }</button>
                if many { <button class="close" aria-label={say("Close variant {name}", &[&name])} onclick={tell(name, Message::CloseVariant)}>{ "×" }</button> }
            </span>
        }
    };
    let fork = link.callback(|_: MouseEvent| Message::Fork { at_hours: None });
    html! {
        <>
            <span class="tabs" role="group" aria-label={tr("Variants")}>
                { for app.document.variants.iter().enumerate().map(tab) }
                if app.document.variants.len() < VARIANTS_MAX {
                    <button onclick={fork}>{ say("Fork as {}", &[&app.next_variant()]) }</button>
                }
            </span>
        </>
    }
}

/// The button that creates a fork at the moment on screen.
pub(crate) fn branch_here(link: &Link, app: &App) -> Html {
    let Some(at_hours) = app.cursor_ms.map(timeline::hours).filter(|hours| *hours > 0.0) else {
        return Html::default();
    };
    if app.document.variants.len() >= VARIANTS_MAX {
        return Html::default();
    }
    let fork = link.callback(move |_: MouseEvent| Message::Fork { at_hours: Some(at_hours) });
    let title =
        say("Until {} both are the same; after that, each has its own rules.", &[&words::day_and_time(at_hours)]);
    html! { <button onclick={fork} {title}>{ say("Fork here as {}", &[&app.next_variant()]) }</button> }
}

/// The verdict and the numbers of both.
#[derive(Default)]
pub(crate) struct Compare;

impl Panel for Compare {
    type Message = Infallible;

    const ID: &'static str = "compare";
    const TITLE: &'static str = mark("Compare");

    fn is_shown(app: &App) -> bool {
        app.mode != Mode::Explore && app.against().is_some()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        scene.app.against().map(|against| region(link, scene.app, against)).unwrap_or_default()
    }
}

fn region(link: &Link, app: &App, against: &Lane) -> Html {
    let paired = app.paired.as_ref();
    let rows = compare::rows(&app.front, against, paired);
    if app.mode == Mode::Lesson {
        return table(&rows, &app.front.variant, &against.variant);
    }
    let finished = against.phase == Phase::Finished && app.front.phase == Phase::Finished;
    html! {
        <section class="compare" aria-label={tr(Compare::TITLE)}>
            <h2>{ say("{} against {}", &[&app.front.variant, &against.variant]) }{ others(link, app, &against.variant) }</h2>
            <p class="verdict" aria-live="polite">{ if finished { compare::verdict(&app.front, against, paired) } else { waiting(against) } }</p>
            if !rows.is_empty() { { table(&rows, &app.front.variant, &against.variant) } }
            { seeds(link, app) }
        </section>
    }
}

fn waiting(against: &Lane) -> String {
    match &against.phase {
        Phase::Failed(message) => say("{} did not run: {message}", &[&against.variant, &tell(message)]),
        Phase::Costly { told, .. } => tell(told),
        Phase::NeedsTrace { name, .. } => say("{} waits for the trace {name}.", &[&against.variant, &name]),
        _ => tr("The comparison appears when both have run.").into(),
    }
}

/// The selection of the variant to compare with, if there are several.
fn others(link: &Link, app: &App, against: &str) -> Html {
    if app.aside.len() < 2 {
        return Html::default();
    }
    let choose =
        link.callback(|event: Event| Message::Against(event.target_unchecked_into::<HtmlSelectElement>().value()));
    let option = |name: &String| html! { <option value={name.clone()} selected={name == against}>{ name }</option> };
    html! { <select aria-label={tr("Compare with")} ~value={against} onchange={choose}>{ for app.aside.iter().map(|lane| option(&lane.variant)) }</select> }
}

fn table(rows: &[compare::ComparedRow], front: &str, against: &str) -> Html {
    let over_seeds = rows.iter().any(|row| row.interval.is_some());
    let row = |row: &compare::ComparedRow| {
        html! {
            <tr><th scope="row">{ row.title }</th>
                { for row.values.iter().map(|value| html! { <td>{ value }</td> }) }
                <td class="strong">{ &row.difference }</td>
                if over_seeds { <td>{ row.interval.clone().unwrap_or_default() }</td> }</tr>
        }
    };
    html! {
        <div class="table flat"><table>
            <thead><tr><td></td><th scope="col">{ against }</th><th scope="col">{ front }</th><th scope="col">{ format!("{front} \u{2212} {against}") }</th>
                if over_seeds { <th scope="col">{ tr("95 % interval over seeds") }</th> }</tr></thead>
            <tbody>{ for rows.iter().map(row) }</tbody>
        </table></div>
    }
}

fn seeds(link: &Link, app: &App) -> Html {
    let more = |seeds: usize| link.callback(move |_: MouseEvent| Message::Seeds(seeds));
    let cancel = link.callback(|_: MouseEvent| Message::NoSeeds);
    let Some(paired) = &app.paired else {
        return html! { <p class="group"><button onclick={more(SEEDS)}>{ say("Run both over {SEEDS} seeds", &[&SEEDS]) }</button>
        <span class="hint">{ tr("Both variants run with the same seeds, in addition to the runs on screen.") }</span></p> };
    };
    let (done, all) = paired.progress();
    html! {
        <p class="group">
            if done < all {
                <progress max={all.to_string()} value={done.to_string()} aria-label={tr("Runs over seeds")}></progress>
                <span class="muted">{ say("{done} of {all} runs", &[&done, &all]) }</span>
                <button onclick={cancel}>{ tr("Cancel") }</button>
            } else {
                if paired.pairs.len() < SEEDS_MAX { <button onclick={more(SEEDS)}>{ say("{SEEDS} more seeds", &[&SEEDS]) }</button> }
                <button class="quiet" onclick={cancel}>{ tr("Back to one seed") }</button>
                <span class="hint">{ say("Seeds {} to {}.", &[&(paired.pairs[0].seed), &(paired.pairs[paired.pairs.len() - 1].seed)]) }</span>
            }
            if let Some(failure) = paired.failure() { <span class="notice bad">{ say("A run failed: {failure}", &[&tell(failure)]) }</span> }
        </p>
    }
}
