//! The workload: a trace or a generated one, and which part of the next trace to keep.

use std::convert::Infallible;

use tiebreak_app::{App, Edit, Like, Message};
use tiebreak_engine::protocol::{FITTED, TraceCard};
use tiebreak_engine::words::{self, help};
use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lesson::Control;
use tiebreak_model::{Declared, SampledBy};
use tiebreak_scenario::{TraceSettings, WorkloadRef};
use tiebreak_sim::GeneratedWorkload;
use tiebreak_view::report;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::field::{Field, NumberRange, number};
use super::form;
use super::panel::{Act, Link, Panel, Scene};

/// The smallest part of a trace that can be kept is one in this many.
const ONE_IN_MAX: u32 = 10_000;

/// The region.
#[derive(Default)]
pub(crate) struct WorkloadPanel;

impl Panel for WorkloadPanel {
    type Message = Infallible;

    const ID: &'static str = "workload";
    const TITLE: &'static str = mark("Workload");
    const CONTROL: Option<Control> = Some(Control::Workload);

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        html! {
            <section class="panel" aria-label={tr(Self::TITLE)}><h2>{ tr("Workload") }</h2>
                { workload(link, scene.app) }
                { sampling(link, scene.sample) }
                { generate(link, scene.app) }
            </section>
        }
    }
}

fn workload(link: &Link, app: &App) -> Html {
    let sentence = match &app.variant().workload {
        WorkloadRef::Trace { name, fingerprint, settings } => {
            let card = app.traces.iter().find(|card| card.fingerprint == format!("{fingerprint:032x}"));
            html! { <><p><strong>{ name }</strong>{ words::sampled(settings) }</p>{ card.map_or_else(Html::default, trace_card) }</> }
        }
        WorkloadRef::Generated(settings) => {
            let fields = form::long_form(
                link,
                tr("generated workload"),
                GeneratedWorkload::DECLARATION.params,
                &settings.to_values(),
                form::at("workload.".into(), GeneratedWorkload::DECLARATION.params),
            );
            html! { <><p><strong>{ tr("Generated") }</strong></p>{ fields }<p class="hint">{ help(GeneratedWorkload::DECLARATION.help) }</p></> }
        }
    };
    let generated = matches!(app.variant().workload, WorkloadRef::Generated(_));
    let others = app.traces.iter().filter(|card| {
        !matches!(&app.variant().workload, WorkloadRef::Trace { fingerprint, .. } if format!("{fingerprint:032x}") == card.fingerprint)
    });
    let use_trace = |card: &TraceCard| {
        let fingerprint = card.fingerprint.clone();
        let onclick =
            link.callback(move |_: MouseEvent| Message::Edit(Edit::UseTrace { fingerprint: fingerprint.clone() }));
        html! { <button {onclick}>{ say("Use {}", &[&card.name]) }</button> }
    };
    html! {
        <>
            { sentence }
            <div class="group">
                { for others.map(use_trace) }
                if !generated {
                    <button onclick={link.callback(|_| Message::Edit(Edit::UseGenerated))}>{ tr("Generate a workload instead") }</button>
                }
            </div>
            <p class="hint">{ tr("Load your own with \"Trace file\" above, or drop it anywhere on the page. It is read in this browser and is not uploaded.") }</p>
        </>
    }
}

/// The option to read only a part of a trace.
fn sampling(link: &Link, sample: TraceSettings) -> Html {
    let many = link.batch_callback(|text: String| {
        let one_tenant_in = text.trim().parse().ok().filter(|one_in| (1..=ONE_IN_MAX).contains(one_in))?;
        Some(Act::Sample(Box::new(move |sample| sample.one_tenant_in = one_tenant_in)))
    });
    let by = link.batch_callback(move |event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
        let sampled_by = *SampledBy::ALL.get(usize::try_from(chosen).ok()?)?;
        Some(Act::Sample(Box::new(move |sample| sample.sampled_by = sampled_by)))
    });
    let option =
        |(by, name): (SampledBy, &'static str)| html! { <option selected={sample.sampled_by == by}>{ name }</option> };
    let names = [tr("tenants"), tr("requests"), tr("VMs")];
    html! {
        <div class="field inline" title={tr("Keeps some tenants, requests or VMs whole and drops the others; see About this trace for the effects. Fewer requests mean fewer conflicts: make decisions slower by the same factor.")}>
            <span>{ tr("of the next trace, keep 1 in") }</span>
            <Field label={tr("Keep 1 in")} number={NumberRange::by(1.0, 1.0, f64::from(ONE_IN_MAX))} value={sample.one_tenant_in.to_string()} take={many} />
            <select onchange={by} aria-label={tr("Sampled by")}>{ for SampledBy::ALL.into_iter().zip(names).map(option) }</select>
        </div>
    }
}

/// The option to generate a workload that resembles a trace.
fn generate(link: &Link, app: &App) -> Html {
    let ask = &app.generate;
    let entry = |name: &'static str, value: f64, least: f64, is: fn(f64) -> Like| {
        let take = link.batch_callback(move |text: String| Some(Message::Like(is(number(&text)?))));
        html! { <label class="field"><span>{ name }</span><Field label={name} number={NumberRange::any(least, f64::INFINITY)} value={value.to_string()} {take} /></label> }
    };
    let onchange = link.callback(|event: Event| {
        let what = event.target_unchecked_into::<HtmlSelectElement>().value();
        Message::Like(Like::What(what))
    });
    let option = |value: &str, name: &str| html! { <option selected={ask.like == value} value={value.to_owned()}>{ name }</option> };
    let traces = app.traces.iter().map(|card| option(&card.fingerprint, &card.name));
    let presets = FITTED.iter().map(|name| option(name, name));
    html! {
        <details class="about"><summary>{ tr("Generate a workload like a trace") }</summary>
            <label class="field"><span>{ tr("like") }</span><select {onchange} aria-label={tr("Generate like")}>{ for presets }{ for traces }</select></label>
            { entry(tr("times as many requests"), ask.rate, 0.001, Like::Rate) }
            { entry(tr("days, 0 for the length of the trace"), ask.days, 0.0, Like::Days) }
            <button onclick={link.callback(|_| Message::Generate)}>{ tr("Generate") }</button>
            <p class="hint">{ tr("Arrivals, requests, sizes and lifetimes are drawn from the model fitted to the trace, with the run's seed. The profile compares them with the trace.") }</p>
        </details>
    }
}

fn trace_card(card: &TraceCard) -> Html {
    let lines = card.notes.iter().map(tell).chain(card.cannot_answer.iter().map(|it| tr(it).to_owned()));
    html! {
        <>
            <p>{ report::about_trace(card) }</p>
            <details class="about"><summary>{ tr("About this trace") }</summary>
                <ul>{ for lines.map(|line| html! { <li>{ line }</li> }) }</ul>
                if card.faulty > 0.0 {
                    <p>{ say("{} rows excluded:", &[&words::count(card.faulty)]) }</p>
                    <ul>{ for card.faults.iter().map(|line| html! { <li>{ tell(line) }</li> }) }</ul>
                }
            </details>
        </>
    }
}
