//! The editor of custom rules: an expression, its scoring, its parameters, and a preview of its values for the
//! machines.
//!
//! It does not store the rule: the document does, so that every change is run, can be undone and is part of links.

mod expression_field;

use tiebreak_app::custom::{free_name, known_rules};
use tiebreak_app::{App, Edit, Message, Notice};
use tiebreak_engine::questions::try_rule::TryRule;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_placement::custom::{Bounds, Definition, Parameter, Subject};
use tiebreak_scenario::RuleRow;
use tiebreak_scenario::custom::{HELP_MAX, NUMBER_MAX, PARAMETERS_MAX, custom, is_name, is_parameter_name};
use tiebreak_view::expression;
use web_sys::{Event, HtmlSelectElement, MouseEvent};
use yew::prelude::*;

use self::expression_field::ExpressionField;
use super::exhibits::{ExhibitMessage, Exhibits};
use super::field::{Field, NumberRange, number};
use super::panel::{Act, Link, Own, Panel, Scene, Sent};

/// Width of the histogram in CSS pixels.
const WIDE: u32 = 316;

/// Messages of the editor, besides edits.
pub(crate) enum EditorMessage {
    /// A row or a table of the exhibits is opened or closed.
    Exhibit(ExhibitMessage),
}

impl Own for EditorMessage {}

/// The panel.
#[derive(Default)]
pub(crate) struct RuleEditor {
    exhibits: Exhibits,
}

impl Panel for RuleEditor {
    type Message = EditorMessage;

    const ID: &'static str = "rule-editor";
    const TITLE: &'static str = mark("Custom rule");

    fn is_shown(app: &App) -> bool {
        app.edited_rule().is_some()
    }

    fn update(&mut self, message: EditorMessage, _: &Link, _: &App) -> Vec<Sent> {
        let EditorMessage::Exhibit(message) = message;
        self.exhibits.update(&message);
        Vec::new()
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Some((_, row)) = scene.app.edited_rule() else { return Html::default() };
        let Some(rule) = row.custom.as_ref() else { return Html::default() };
        let editor = Editor { link, app: scene.app, row, definition: rule.definition() };
        html! {
            <section class="panel rule-editor" aria-label={tr(Self::TITLE)} key={"rule-editor"}>
                <h2>{ tr("Custom rule") }</h2>
                { editor.names() }
                { editor.expression() }
                { editor.scoring() }
                { editor.parameters() }
                if !scene.app.hides_result() { { self.preview(link, scene.app) } }
                { editor.readable() }
                { editor.remove() }
            </section>
        }
    }
}

impl RuleEditor {
    /// The rule's current values for the machines.
    fn preview(&self, link: &Link, app: &App) -> Html {
        let opened = link.callback(EditorMessage::Exhibit);
        let told = app.answers.last::<TryRule>();
        html! {
            <div class="preview">
                { self.exhibits.told(&opened, 0, told, WIDE) }
                if app.selection.machine.is_none() { <p class="hint">{ tr("Point at a machine on the map for its value; click it to see how the value is calculated.") }</p> }
            </div>
        }
    }
}

/// The rule being edited.
struct Editor<'a> {
    link: &'a Link,
    app: &'a App,
    row: &'a RuleRow,
    definition: &'a Definition,
}

impl Editor<'_> {
    /// A callback that replaces this rule with a changed one; it shows a notice if the changed one is invalid.
    fn change<IN: 'static, M>(&self, make: M) -> Callback<IN>
    where
        M: Fn(IN, &mut Definition) -> Result<(), String> + 'static,
    {
        let (id, definition) = (self.row.id.clone(), self.definition.clone());
        self.link.callback(move |event: IN| {
            let mut next = definition.clone();
            match make(event, &mut next) {
                Ok(()) => put(&id, &id, next),
                Err(why) => refused(&id, why),
            }
        })
    }

    fn names(&self) -> Html {
        let rename = {
            let (id, definition, variant) = (self.row.id.clone(), self.definition.clone(), self.app.variant().clone());
            self.link.callback(move |text: String| {
                let name = text.trim();
                if !is_name(name) {
                    refused(&id, tr("Expected a name of letters, digits and _, beginning with a letter.").into())
                } else if variant.rules.iter().any(|row| row.id == name && row.id != id) {
                    refused(&id, say("There is a rule {name} already.", &[&name]))
                } else {
                    put(&id, name, definition.clone())
                }
            })
        };
        let help = self.change(|text: String, rule| {
            rule.help = text.trim().chars().take(HELP_MAX).collect();
            Ok(())
        });
        html! {
            <>
                <label class="line"><span>{ tr("Name") }</span><Field label={tr("Name of the rule")} value={self.row.id.clone()} maxlength="64" take={rename} /></label>
                <label class="line"><span>{ tr("What it does") }</span><Field label={tr("What the rule does")} value={self.definition.help.clone()} maxlength={HELP_MAX.to_string()} take={help} /></label>
                { self.known() }
            </>
        }
    }

    /// Predefined rules to start from.
    fn known(&self) -> Html {
        let known: Vec<_> = known_rules(self.definition.group()).collect();
        let choose = {
            let (id, known, variant) = (self.row.id.clone(), known.clone(), self.app.variant().clone());
            self.link.batch_callback(move |event: Event| {
                let select: HtmlSelectElement = event.target_unchecked_into();
                let chosen = usize::try_from(select.selected_index() - 1).ok().and_then(|at| known.get(at).copied());
                select.set_selected_index(0);
                let rule = chosen?;
                Some(put(&id, &free_name(&variant, &format!("My{}", rule.name)), rule.definition()))
            })
        };
        html! {
            <label class="line"><span>{ tr("Start from") }</span>
                <select aria-label={tr("Start from a known rule")} onchange={choose}>
                    <option selected=true>{ tr("a known rule…") }</option>
                    { for known.iter().map(|rule| html! { <option title={rule.help}>{ format!("{} ({})", rule.name, rule.source) }</option> }) }
                </select></label>
        }
    }

    fn expression(&self) -> Html {
        let path = format!("rules.{}.expression", self.row.id);
        let take = self.link.callback(move |value: String| Message::Edit(Edit::Set { path: path.clone(), value }));
        let about = expression::about(self.definition).unwrap_or_default();
        html! {
            <>
                { self.subject() }
                <ExpressionField key={self.row.id.clone()} rule={self.row.id.clone()} definition={self.definition.clone()} {take} />
                <p class="hint">{ about.join(" ") }</p>
            </>
        }
    }

    /// The subject of the rule, if its stage leaves a choice.
    fn subject(&self) -> Html {
        if self.definition.of == Subject::Cluster {
            return Html::default();
        }
        let onchange = self.change(|event: Event, rule| {
            let select: HtmlSelectElement = event.target_unchecked_into();
            rule.of = if select.selected_index() == 1 { Subject::Rack } else { Subject::Machine };
            // Names that read a machine have no meaning for a rack.
            if rule.program().is_err() {
                rule.expression = match (rule.of, rule.bounds.is_some()) {
                    (Subject::Rack, true) => "rack.cores_used".into(),
                    (Subject::Rack, false) => "rack.cores_free >= vm.cores".into(),
                    (_, true) => "machine.cores_used".into(),
                    (_, false) => "machine.cores_free >= vm.cores".into(),
                };
            }
            Ok(())
        });
        let option =
            |of: Subject, words: &'static str| html! { <option selected={self.definition.of == of}>{ words }</option> };
        html! {
            <label class="line"><span>{ tr("Judges") }</span><select aria-label={tr("What the rule judges")} {onchange}>
                { option(Subject::Machine, tr("each machine")) }{ option(Subject::Rack, tr("each rack")) }</select></label>
        }
    }

    /// How the values of a preference become scores.
    fn scoring(&self) -> Html {
        let Some(bounds) = &self.definition.bounds else {
            return html! { <p class="hint">{ tr("Machines for which the expression is true stay candidates.") }</p> };
        };
        let bound = |label: &'static str, value: f64, set: fn(&mut Bounds, f64)| {
            let take = self.change(move |text: String, rule: &mut Definition| {
                let bounds = rule.bounds.as_mut().ok_or_else(String::new)?;
                set(bounds, number(&text).ok_or_else(|| say("Expected a number, got \"{text}\".", &[&text]))?);
                let is_range = bounds.from < bounds.to && bounds.from >= -NUMBER_MAX && bounds.to <= NUMBER_MAX;
                if is_range { Ok(()) } else { Err(tr("Expected \"from\" below \"to\".").into()) }
            });
            html! { <Field {label} number={NumberRange::any(-NUMBER_MAX, NUMBER_MAX)} value={value.to_string()} {take} /> }
        };
        let better = self.change(|event: Event, rule| {
            let select: HtmlSelectElement = event.target_unchecked_into();
            if let Some(bounds) = &mut rule.bounds {
                bounds.higher_is_better = select.selected_index() == 1;
            }
            Ok(())
        });
        html! {
            <>
                <label class="line"><span>{ tr("Better is") }</span>
                    <select aria-label={tr("Which values are better")} onchange={better}>
                        <option selected={!bounds.higher_is_better}>{ tr("lower") }</option>
                        <option selected={bounds.higher_is_better}>{ tr("higher") }</option>
                    </select></label>
                <div class="line scoring"><span>{ tr("Values from") }</span>{ bound(tr("Smallest value told apart"), bounds.from, |bounds, value| bounds.from = value) }
                    <span>{ tr("to") }</span>{ bound(tr("Largest value told apart"), bounds.to, |bounds, value| bounds.to = value) }
                </div>
                <p class="hint">{ tr("These become the best and the worst score; values beyond them tie with the nearer one.") }</p>
            </>
        }
    }

    fn parameters(&self) -> Html {
        let parameters = &self.definition.parameters;
        let add = self.change(|_: MouseEvent, rule| {
            let is_free = |name: &String| rule.parameters.iter().all(|other| other.name != *name);
            let name = (1..).map(|number| format!("p{number}")).find(is_free).unwrap_or_default();
            let (help, unit) = (String::new(), String::new());
            rule.parameters.push(Parameter { name, help, unit, default: 1.0, min: 0.0, max: 10.0 });
            Ok(())
        });
        html! {
            <div class="parameters">
                if !parameters.is_empty() {
                    <table><thead><tr>{ for [mark("Parameter"), mark("default"), mark("min"), mark("max")].map(|head| html! { <th scope="col">{ tr(head) }</th> }) }<th></th></tr></thead>
                        <tbody>{ for parameters.iter().enumerate().map(|(at, parameter)| self.parameter(at, parameter)) }</tbody></table>
                    <p class="hint">{ tr("The values in use are set in the rule's row of the list, and can be swept.") }</p>
                }
                if parameters.len() < PARAMETERS_MAX { <button class="quiet" onclick={add}>{ tr("Add a parameter") }</button> }
            </div>
        }
    }

    fn parameter(&self, at: usize, parameter: &Parameter) -> Html {
        let name = &parameter.name;
        let rename = self.change(move |text: String, rule| {
            let name = text.trim();
            if !is_parameter_name(name) || rule.parameters.iter().any(|other| other.name == name) {
                return Err(tr(
                    "Expected a name of letters, digits and _ that neither another parameter nor a field of rules has.",
                )
                .into());
            }
            rule.expression = expression::renamed(&rule.expression, &rule.parameters[at].name, name);
            rule.parameters[at].name = name.to_owned();
            Ok(())
        });
        let field = |label: String, value: f64, set: fn(&mut Parameter, f64)| {
            let take = self.change(move |text: String, rule: &mut Definition| {
                let parameter = &mut rule.parameters[at];
                set(parameter, number(&text).ok_or_else(|| say("Expected a number, got \"{text}\".", &[&text]))?);
                let Parameter { min, default, max, .. } = *parameter;
                let is_range = -NUMBER_MAX <= min && min <= default && default <= max && max <= NUMBER_MAX;
                if is_range { Ok(()) } else { Err(tr("Expected min, default and max in this order.").into()) }
            });
            html! { <td><Field {label} number={NumberRange::any(-NUMBER_MAX, NUMBER_MAX)} value={value.to_string()} {take} /></td> }
        };
        let remove = self.change(move |_: MouseEvent, rule| {
            rule.parameters.remove(at);
            Ok(())
        });
        html! {
            <tr key={at}>
                <td><Field label={say("Name of parameter {name}", &[name])} value={name.clone()} maxlength="64" take={rename} /></td>
                { field(say("Default of {name}", &[name]), parameter.default, |it, value| it.default = value) }
                { field(say("Minimum of {name}", &[name]), parameter.min, |it, value| it.min = value) }
                { field(say("Maximum of {name}", &[name]), parameter.max, |it, value| it.max = value) }
                <td><button class="quiet" aria-label={say("Remove {}", &[name])} onclick={remove}>{ "×" }</button></td>
            </tr>
        }
    }

    /// All names available to the expression.
    fn readable(&self) -> Html {
        let row = |offer: expression::Offer| {
            html! { <tr><th scope="row"><code>{ offer.text }</code> <span class="muted">{ offer.unit }</span></th><td class="meaning">{ offer.help }</td></tr> }
        };
        html! {
            <details class="about"><summary>{ tr("Names and functions") }</summary>
                <p class="hint">{ tr("Operators: + - * / % < <= > >= == != and or not; if a then b else c; let name = value; # begins a comment.") }</p>
                <table class="readable"><tbody>{ for expression::readable(self.definition).map(row) }</tbody></table>
            </details>
        }
    }

    fn remove(&self) -> Html {
        let id = self.row.id.clone();
        let remove = self.link.batch_callback(move |_: MouseEvent| {
            vec![Sent::from(Message::Edit(Edit::RemoveRule { id: id.clone() })), Act::Drawer(None).into()]
        });
        html! { <p><button onclick={remove}>{ tr("Remove this rule") }</button></p> }
    }
}

/// Replaces a rule; shows a notice if its expression would be invalid.
fn put(id: &str, name: &str, definition: Definition) -> Sent {
    if let Err(fault) = definition.program() {
        return refused(id, expression::fault(&fault));
    }
    let row = Box::new(RuleRow::of_custom(custom(name, definition)));
    Message::Edit(Edit::PutRule { id: id.to_owned(), row }).into()
}

fn refused(id: &str, why: String) -> Sent {
    Message::Notice(Notice::bad(say("Not changed: {label}", &[&id]), vec![why])).into()
}

/// The values of the machines for the rule being edited, with the rule's name.
pub(super) fn value_of(app: &App) -> Option<(&str, &[f64])> {
    let (_, row) = app.edited_rule()?;
    let answer = app.answers.last::<TryRule>()?.as_ref().ok()?;
    match &answer.found {
        Some(tiebreak_engine::protocol::Found::Values(values)) => Some((&row.id, values)),
        _ => None,
    }
}
