//! The input field of an expression: it shows immediately what is wrong and where, completes names, and passes on a
//! valid expression once the user stops typing.

use gloo::timers::callback::Timeout;
use tiebreak_i18n::tr;
use tiebreak_placement::custom::{Definition, SOURCE_MAX};
use tiebreak_view::expression::{self, Completion, Offer};
use web_sys::{HtmlTextAreaElement, InputEvent, KeyboardEvent, MouseEvent};
use yew::prelude::*;

use crate::drafts;

/// How long after the last keystroke the text is used.
const REST_MS: u32 = 250;

/// Its id, to which labels and descriptions refer.
const ID: &str = "rule-expression";

/// The properties of the field, and the receiver of its text.
#[derive(Clone, PartialEq, Properties)]
pub(super) struct Properties {
    /// The rule's name.
    pub(super) rule: AttrValue,
    /// The rule in the document.
    pub(super) definition: Definition,
    /// Receives a valid expression.
    pub(super) take: Callback<String>,
}

/// The state of the field.
#[derive(Default)]
pub(super) struct ExpressionField {
    area: NodeRef,
    /// Text that was typed and not used yet.
    typed: Option<String>,
    /// The expression last passed on.
    given: Option<String>,
    completion: Completion,
    /// The completion that Enter inserts.
    chosen: usize,
    /// The error, shown once the user stops typing.
    fault: Option<String>,
    rest: Option<Timeout>,
}

/// The user's actions.
pub(super) enum FieldMessage {
    Typed,
    Rested,
    Choose(usize),
    Take(usize),
    Close,
    Left,
}

impl Component for ExpressionField {
    type Message = FieldMessage;
    type Properties = Properties;

    /// Restores what was typed before a reload, with its error.
    fn create(context: &Context<Self>) -> Self {
        let Properties { rule, definition, .. } = context.props();
        let mut field = Self { typed: drafts::typed(rule, &definition.expression), ..Self::default() };
        if field.typed.is_some() {
            field.fault = field.definition(context).program().err().map(|fault| expression::fault(&fault));
        }
        field
    }

    /// Takes over the document's expression, unless it is the one that this field passed on while the user kept
    /// typing.
    fn changed(&mut self, context: &Context<Self>, before: &Properties) -> bool {
        let new = &context.props().definition.expression;
        if *new != before.definition.expression && self.given.as_ref() != Some(new) {
            drafts::keep_typed(&before.rule, &before.definition.expression, None);
            (self.typed, self.fault, self.rest, self.completion) = (None, None, None, Completion::default());
        }
        true
    }

    fn update(&mut self, context: &Context<Self>, message: FieldMessage) -> bool {
        match message {
            FieldMessage::Typed => self.type_in(context),
            FieldMessage::Rested => self.rest(context),
            FieldMessage::Choose(chosen) => self.chosen = chosen,
            FieldMessage::Take(chosen) => self.complete(context, chosen),
            FieldMessage::Close => self.completion = Completion::default(),
            FieldMessage::Left => self.leave(context),
        }
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let text = self.text(context);
        let link = context.link();
        let is_offering = !self.completion.offers.is_empty();
        // A user in the middle of a word knows that it is incomplete.
        let fault = self.fault.as_deref().filter(|_| !is_offering).unwrap_or_default();
        let wrong = if fault.is_empty() { None } else { self.definition(context).program().err() };
        let (before, part, after) = match &wrong {
            Some(fault) => {
                let part = expression::faulty_part(text, fault);
                (&text[..part.start], &text[part.clone()], &text[part.end..])
            }
            None => (text, "", ""),
        };
        let lines = text.lines().count().clamp(3, 14);
        let option = |at: usize| format!("{ID}-offer-{at}");
        html! {
            <div class="expression">
                <label for={ID}>{ tr("Expression") }</label>
                <div class="expression-text">
                    <div class="expression-under" aria-hidden="true">{ before }if wrong.is_some() { <mark>{ part }{ if part.is_empty() { " " } else { "" } }</mark> }{ after }{ "\n" }</div>
                    <textarea id={ID} ref={&self.area} rows={lines.to_string()} spellcheck="false" autocomplete="off" autocapitalize="off" wrap="off"
                        maxlength={SOURCE_MAX.to_string()} aria-autocomplete="list" aria-controls={is_offering.then(|| format!("{ID}-offers"))}
                        aria-activedescendant={is_offering.then(|| option(self.chosen))} aria-invalid={(!fault.is_empty()).then_some("true")}
                        aria-describedby={format!("{ID}-fault")} value={text.to_owned()}
                        oninput={link.callback(|_: InputEvent| FieldMessage::Typed)} onkeydown={self.keys(context)}
                        onblur={link.callback(|_: FocusEvent| FieldMessage::Left)} />
                </div>
                if is_offering {
                    <ul class="offers" role="listbox" id={format!("{ID}-offers")} aria-label={tr("Names that begin so")}>
                        { for self.completion.offers.iter().enumerate().map(|(at, offer)| self.offer(context, at, option(at), offer)) }
                    </ul>
                }
                <p class="fault" id={format!("{ID}-fault")} role="status">{ fault }</p>
            </div>
        }
    }
}

impl ExpressionField {
    fn text<'a>(&'a self, context: &'a Context<Self>) -> &'a str {
        self.typed.as_deref().unwrap_or(&context.props().definition.expression)
    }

    /// The rule with the text being typed.
    fn definition(&self, context: &Context<Self>) -> Definition {
        Definition { expression: self.text(context).to_owned(), ..context.props().definition.clone() }
    }

    fn type_in(&mut self, context: &Context<Self>) {
        let Some(area) = self.area.cast::<HtmlTextAreaElement>() else { return };
        let text = area.value().replace("\r\n", "\n").replace('\t', " ");
        let caret = area.selection_end().ok().flatten().unwrap_or_default() as usize;
        self.completion = expression::completion(&text, expression::byte_of(&text, caret), &context.props().definition);
        self.chosen = 0;
        self.take_in(context, text);
    }

    fn take_in(&mut self, context: &Context<Self>, text: String) {
        self.typed = Some(text);
        let link = context.link().clone();
        self.rest = Some(Timeout::new(REST_MS, move || link.send_message(FieldMessage::Rested)));
    }

    /// Runs when the user stops typing: passes on a valid expression, or shows what is wrong.
    fn rest(&mut self, context: &Context<Self>) {
        self.rest = None;
        self.fault = self.definition(context).program().err().map(|fault| expression::fault(&fault));
        let Properties { rule, definition, .. } = context.props();
        drafts::keep_typed(rule, &definition.expression, self.typed.as_deref().filter(|_| self.fault.is_some()));
        if self.fault.is_none()
            && let Some(text) = self.typed.clone()
        {
            self.given = Some(text.clone());
            context.props().take.emit(text);
        }
    }

    /// Uses what was typed last at once: the next click may undo it.
    fn leave(&mut self, context: &Context<Self>) {
        self.completion = Completion::default();
        if self.rest.is_some() {
            self.rest(context);
        }
    }

    /// Replaces the word being typed with a completion.
    fn complete(&mut self, context: &Context<Self>, chosen: usize) {
        let Some(area) = self.area.cast::<HtmlTextAreaElement>() else { return };
        let Completion { from, offers } = std::mem::take(&mut self.completion);
        let Some(offer) = offers.into_iter().nth(chosen) else { return };
        let text = self.text(context);
        let caret = area.selection_end().ok().flatten().unwrap_or_default() as usize;
        let to = expression::byte_of(text, caret).max(from);
        let bracket = if offer.unit.starts_with('(') && !text[to..].starts_with('(') { "(" } else { "" };
        let head = format!("{}{}{bracket}", &text[..from], offer.text);
        let whole = format!("{head}{}", &text[to..]);
        area.set_value(&whole);
        let caret = expression::units_of(&head, head.len()) as u32;
        let _ = area.set_selection_range(caret, caret);
        let _ = area.focus();
        self.take_in(context, whole);
    }

    /// The arrow keys select a completion, Enter and Tab insert it, Escape closes the list.
    fn keys(&self, context: &Context<Self>) -> Callback<KeyboardEvent> {
        let (count, chosen) = (self.completion.offers.len(), self.chosen);
        context.link().batch_callback(move |event: KeyboardEvent| {
            if count == 0 {
                return None;
            }
            let message = match event.key().as_str() {
                "ArrowDown" => FieldMessage::Choose((chosen + 1) % count),
                "ArrowUp" => FieldMessage::Choose((chosen + count - 1) % count),
                "Enter" | "Tab" if !event.shift_key() => FieldMessage::Take(chosen),
                "Escape" => FieldMessage::Close,
                _ => return None,
            };
            event.prevent_default();
            event.stop_propagation();
            Some(message)
        })
    }

    fn offer(&self, context: &Context<Self>, at: usize, id: String, offer: &Offer) -> Html {
        // Runs before the field loses the focus and the completions close.
        let press = context.link().callback(move |event: MouseEvent| {
            event.prevent_default();
            FieldMessage::Take(at)
        });
        html! {
            <li role="option" {id} aria-selected={(at == self.chosen).to_string()} onmousedown={press} title={offer.help.clone()}>
                <code>{ &offer.text }</code><span class="muted">{ &offer.unit }</span><span class="meaning">{ &offer.help }</span>
            </li>
        }
    }
}
