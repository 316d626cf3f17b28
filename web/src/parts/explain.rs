//! Why a VM was placed on its machine, why not elsewhere, why it was refused; and what a machine holds.

use std::convert::Infallible;

use tiebreak_app::{App, Explanation, Lane, Message, Mode, Selection};
use tiebreak_engine::protocol::{Explained, FunnelStep, HostLife, Refusal, Refuser};
use tiebreak_engine::questions::why_placed::WhyPlaced;
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_lesson::Control;
use tiebreak_model::Phrase;
use tiebreak_view::naming::{title, told};
use web_sys::{Element, FocusEvent, HtmlInputElement, SubmitEvent};
use yew::prelude::*;

use super::field::{Field, NumberRange};
use super::film::element;
use super::fleet_map::MapMessage;
use super::panel::{Link, Panel, Scene};
use super::{around, is_inside};

/// The largest number of VMs listed for one machine.
const LISTED: usize = 60;

/// The region of explanations.
#[derive(Default)]
pub(crate) struct Explain {
    vm_field: NodeRef,
}

impl Panel for Explain {
    type Message = Infallible;

    const ID: &'static str = "explain";
    const TITLE: &'static str = mark("Explain");

    fn is_shown(app: &App) -> bool {
        app.lesson.as_ref().is_none_or(|playing| playing.is_revealed && playing.shows(Control::Explain))
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        region(link, scene.app, &self.vm_field)
    }
}

fn region(link: &Link, app: &App, vm_field: &NodeRef) -> Html {
    let selection = &app.selection;
    let against = app.against().filter(|_| app.mode == Mode::Compare && !selection.vm.is_empty());
    let both = std::iter::once(&app.front).chain(against);
    html! {
        <section class="panel" aria-label={tr(Explain::TITLE)}>
            <h2>{ tr("Explain") }</h2>
            { vm_form(link, selection, vm_field) }
            { for both.map(|lane| answer(link, app, lane)) }
            if app.front.answer == Explanation::default() && selection.machine.is_none() {
                <p class="hint">{ tr("Click a machine on the fleet map and choose one of its VMs, or enter a VM's number from the trace.") }</p>
            }
            { machine(link, app) }
        </section>
    }
}

fn text_of(node: &NodeRef) -> String {
    node.cast::<HtmlInputElement>().map(|input| input.value().trim().to_owned()).unwrap_or_default()
}

fn vm_form(link: &Link, selection: &Selection, field: &NodeRef) -> Html {
    let submit = {
        let field = field.clone();
        link.callback(move |event: SubmitEvent| {
            event.prevent_default();
            Message::Vm(text_of(&field))
        })
    };
    let take = link.callback(|vm: String| Message::Vm(vm.trim().to_owned()));
    html! {
        <form class="ask" onsubmit={submit}>
            <label>{ tr("VM") }<Field node={field} label={tr("VM")} inputmode="numeric" value={selection.vm.clone()} placeholder={tr("number in the trace")} take={take} /></label>
            <button>{ tr("Explain") }</button>
        </form>
    }
}

/// The explanation of the VM in one variant's run; under the variant's name if two are shown.
fn answer(link: &Link, app: &App, lane: &Lane) -> Html {
    let named = app.mode == Mode::Compare && !app.aside.is_empty() && lane.answer != Explanation::default();
    html! {
        <>
            if named { <h3 class="variant-name">{ say("In {}", &[&lane.variant]) }</h3> }
            if let Some(message) = &lane.answer.message { <p class="notice">{ told(message) }</p> }
            { attempts(link, app, &lane.answer) }
        </>
    }
}

fn attempts(link: &Link, app: &App, answer: &Explanation) -> Html {
    let Some(last) = answer.attempts.last() else { return Html::default() };
    if let Some(shown) = app.rules_shown.filter(|shown| *shown < last.funnel.len()) {
        return html! {
            <>
                <p class="sentence">{ say("VM {} requests {}.", &[&app.selection.vm, &told(&last.vm)]) }</p>
                <h3>{ tr("Machines left after each rule") }</h3>
                { funnel(link, last, shown) }
                <p class="hint">{ say("Step shows the next rule; {} more until the decision.", &[&(last.funnel.len() - shown)]) }</p>
            </>
        };
    }
    html! {
        <>
            <p class="sentence">{ told(&last.sentence) }</p>
            if !answer.story.is_empty() { <p class="story">{ answer.story.iter().map(told).collect::<Vec<_>>().join(" ") }</p> }
            <p class="muted">{ say("It requested {}. {}.", &[&told(&last.vm), &told(&last.circumstances)]) }</p>
            if let Some(life) = &last.life { <p class="muted">{ told(life) }</p> }
            if let Some(company) = &last.company { <p class="muted">{ told(&company.sentence) }</p> }
            { earlier(&answer.attempts[..answer.attempts.len() - 1], last) }
            if let Some(refused) = &last.refusal { { refusal(refused) } }
            <h3>{ tr("Machines left after each rule") }</h3>
            { funnel(link, last, last.funnel.len()) }
            { scores(last) }
            { why_not(link, &app.selection, last) }
        </>
    }
}

/// The decisions before the last one: attempts that ended in conflicts, or earlier placements of a VM that lost its
/// machine.
fn earlier(attempts: &[Explained], last: &Explained) -> Html {
    if attempts.is_empty() {
        return Html::default();
    }
    let of_one_cause = attempts.iter().all(|attempt| attempt.is_reallocation == last.is_reallocation);
    let (one, many) = match of_one_cause {
        true => (mark("earlier attempt ended in a conflict"), mark("earlier attempts ended in conflicts")),
        false => (mark("earlier decision"), mark("earlier decisions")),
    };
    let row = |attempt: &Explained| {
        let collision = attempt.collision.as_ref().map(|collision| told(&collision.sentence)).unwrap_or_default();
        html! { <li>{ format!("{}: {} {collision}", told(&attempt.circumstances), told(&attempt.sentence)) }</li> }
    };
    html! {
        <details class="about"><summary>{ words::counted(attempts.len() as f64, one, many) }</summary>
            <ul>{ for attempts.iter().map(row) }</ul>
        </details>
    }
}

/// Which rules exclude which machines, and what would have made the VM feasible.
fn refusal(refusal: &Refusal) -> Html {
    let refuser = |refuser: &Refuser| {
        let share = 100.0 * f64::from(refuser.machines) / f64::from(refusal.machines.max(1));
        let count = |number: u32| words::count(f64::from(number));
        let title = say("{} of them are not refused by any rule before it", &[&count(refuser.first)]);
        html! {
            <li>
                <span class="refuser">{ named(&refuser.rule) }</span>
                <span class="left-bar" aria-hidden="true"><span style={format!("width:{share:.1}%")}></span></span>
                <span class="number" {title}>{ say("refuses {} of {}", &[&count(refuser.machines), &count(refusal.machines)]) }</span>
                <span class="without">{ refuser.without.as_ref().map_or_else(|| tr("alone excludes none of them").into(), told) }</span>
            </li>
        }
    };
    html! {
        <div class="refusal">
            <h3>{ tr("No machine is valid") }</h3>
            <ul aria-label={tr("Rules that refuse it")}>{ for refusal.rules.iter().map(refuser) }</ul>
            if let Some(closest) = &refusal.closest { <p class="closest">{ told(closest) }</p> }
        </div>
    }
}

/// The first rules, as many as given. Pointing at or focusing one shows on the fleet map which machines were left
/// after it.
fn funnel(link: &Link, explained: &Explained, shown: usize) -> Html {
    let stage = |of: &'static str, title: &'static str| {
        let all = explained.funnel.iter().enumerate();
        let steps: Vec<_> = all.take(shown).filter(|(_, step)| step.of == of).collect();
        if steps.is_empty() && shown < explained.funnel.len() {
            return Html::default();
        }
        let first = steps.first().map_or(1, |(_, first)| first.before.max(1));
        html! {
            <tbody>
                <tr><th scope="rowgroup" colspan="3" class="stage">{ title }</th></tr>
                { for steps.into_iter().map(|(at, step)| funnel_row(link, explained, (at, step), first)) }
            </tbody>
        }
    };
    let look = |event: &Event| {
        let step = around(event, "[data-rule]")?.get_attribute("data-rule")?.parse().ok()?;
        Some(MapMessage::Left(Some(step)))
    };
    // Moving from one rule to another is reported by the other one.
    let away = |to: Option<Element>| (!is_inside(to.as_ref(), "[data-rule]")).then_some(MapMessage::Left(None));
    html! {
        <table class="funnel" onmouseover={link.batch_callback(move |event: MouseEvent| look(&event))}
            onmouseout={link.batch_callback(move |event: MouseEvent| away(event.related_target().and_then(element)))}
            onfocusin={link.batch_callback(move |event: FocusEvent| look(&event))}
            onfocusout={link.batch_callback(move |event: FocusEvent| away(event.related_target().and_then(element)))}>
            { stage("clusters", tr("Clusters")) }{ stage("machines", tr("Machines of those clusters")) }
        </table>
    }
}

/// A rule. One that removed machines is a button, for users without a pointer.
fn funnel_row(link: &Link, explained: &Explained, (at, step): (usize, &FunnelStep), first: u32) -> Html {
    let share = 100.0 * f64::from(step.after) / f64::from(first);
    let decided = explained.decided_by.as_deref() == Some(step.rule.as_str());
    let count = |number: u32| words::count(f64::from(number));
    let rule = named(&step.rule);
    let show = link.callback(move |_: MouseEvent| MapMessage::Left(u8::try_from(at).ok()));
    html! {
        <tr data-rule={at.to_string()} class={classes!(decided.then_some("decided"))}>
            <th scope="row">if step.after < step.before { <button class="funnel-rule" aria-description={tr("Show on the fleet map which machines were left")} onclick={show}>{ rule }</button> } else { { rule } }</th>
            <td class="bar-cell"><span class="left-bar" aria-hidden="true"><span style={format!("width:{share:.1}%")}></span></span></td>
            <td class="number">{ format!("{} → {}", count(step.before), count(step.after)) }</td>
        </tr>
    }
}

/// A rule by its title, with its code name as a tooltip, as in the list of rules.
fn named(rule: &str) -> Html {
    html! { <span title={rule.to_owned()}>{ title(rule) }</span> }
}

fn scores(explained: &Explained) -> Html {
    if explained.scores.is_empty() {
        return Html::default();
    }
    let heads = [(tr("Chosen"), explained.winner), (tr("Runner-up"), explained.runner_up)];
    let mut heads: Vec<String> =
        heads.into_iter().filter_map(|(head, machine)| Some(format!("{head}: {}", machine?))).collect();
    if explained.asked.is_some() {
        heads.push(tr("Selected").into());
    }
    // Validators that let all of them pass explain nothing.
    let valid = Phrase::text("valid");
    let telling = |row: &&tiebreak_engine::protocol::ScoreRow| row.verdicts.iter().any(|verdict| *verdict != valid);
    let row = |row: &tiebreak_engine::protocol::ScoreRow| {
        let differs = row.verdicts.windows(2).any(|pair| pair[0] != pair[1]);
        html! {
            <tr class={classes!(differs.then_some("differs"))}><th scope="row">{ named(&row.rule) }</th>
                { for row.verdicts.iter().map(|verdict| html! { <td>{ told(verdict) }</td> }) }</tr>
        }
    };
    html! {
        <>
            <h3>{ tr("Buckets and scores (lower is better)") }</h3>
            <div class="table" tabindex="0" role="region" aria-label={tr("Scores")}><table>
                <thead><tr><th scope="col">{ tr("Rule") }</th>{ for heads.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                <tbody>{ for explained.scores.iter().filter(telling).map(row) }</tbody>
            </table></div>
        </>
    }
}

fn why_not(link: &Link, selection: &Selection, explained: &Explained) -> Html {
    let ask = link.batch_callback(|text: String| text.trim().parse().ok().map(|machine| Message::Ask(Some(machine))));
    html! {
        <>
            <label class="why-not">{ tr("Why not machine") }
                <Field label={tr("Why not machine")} number={machine_number()} value={selection.asked.map_or_else(String::new, |asked| asked.to_string())} take={ask} />
            </label>
            if let Some(asked) = &explained.asked { <p class="sentence">{ told(asked) }</p> }
        </>
    }
}

/// How lifetime rules see a machine, and why.
fn host(life: &HostLife) -> Html {
    html! {
        <>
            <p class="story">{ told(&life.state) }</p>
            if !life.turns.is_empty() { <ul class="turns" aria-label={tr("State changes")}>{ for life.turns.iter().map(|turn| html! { <li>{ told(turn) }</li> }) }</ul> }
        </>
    }
}

/// Which VM keeps the machine in use longest, which rule placed it, and what would free the machine.
fn why_not_empty(link: &Link, app: &App) -> Html {
    let Some(holder) = &app.selection.holder else { return Html::default() };
    let vm = holder.vm.clone();
    let explain = link.callback(move |_: MouseEvent| Message::Vm(vm.clone()));
    let rule = match app.why_placed() {
        Some(Ok(answer)) => {
            answer.exhibits.iter().flat_map(|exhibit| &exhibit.said).map(told).collect::<Vec<_>>().join(" ")
        }
        Some(Err(why)) => told(why),
        None if app.answers.share::<WhyPlaced>().is_some() => tr("Finding the rule that put it there ...").into(),
        None => String::new(),
    };
    html! {
        <div class="holder">
            <h4>{ tr("Why it is not empty") }</h4>
            <p>{ holder.said.iter().map(told).collect::<Vec<_>>().join(" ") }</p>
            // Reserves its space until it is known, so that nothing below moves under a pointer.
            <p class="awaited">{ rule }</p>
            <button onclick={explain}>{ say("Explain VM {}", &[&holder.vm]) }</button>
        </div>
    }
}

/// A machine's number.
fn machine_number() -> NumberRange {
    NumberRange::by(1.0, 0.0, f64::INFINITY)
}

fn machine(link: &Link, app: &App) -> Html {
    let selection = &app.selection;
    let choose = link.callback(|text: String| Message::Machine(text.trim().parse().ok()));
    let card = |card: &tiebreak_engine::protocol::VmCard| {
        let vm = card.vm.clone();
        let onclick = link.callback(move |_: MouseEvent| Message::Vm(vm.clone()));
        html! {
            <li key={card.vm.clone()}><button class="vm" {onclick} title={tr("Explain this VM")}>{ say("VM {}", &[&card.vm]) }</button>
                <span class="muted">{ say("{}, since {}, {}", &[&told(&card.demand), &words::time(card.since_ms), &told(&card.ends)]) }
                    if let Some(expected) = &card.expected { { format!(", {}", told(expected)) } }</span>
                if card.residual { <strong>{ tr(" waited for") }</strong> }</li>
        }
    };
    let more = selection.vms.len().saturating_sub(LISTED);
    html! {
        <div class="machine">
            <h3>{ tr("Machine") }</h3>
            <label class="why-not">{ tr("Machine") }
                <Field label={tr("Machine")} number={machine_number()} value={selection.machine.map_or_else(String::new, |machine| machine.to_string())} take={choose} />
            </label>
            if selection.machine.is_some() {
                <p aria-live="polite">{ told(&selection.about) }</p>
                if selection.is_there {
                    if let Some(life) = &selection.life { { host(life) } }
                    { why_not_empty(link, app) }
                    <p class="muted">{ say("{} at {}", &[&words::counted(selection.vms.len() as f64, "VM", "VMs"), &words::time(app.moment())]) }</p>
                    <ul class="vms">{ for selection.vms.iter().take(LISTED).map(card) }</ul>
                    if more > 0 { <p class="muted">{ say("and {more} more", &[&more]) }</p> }
                }
            }
        </div>
    }
}
