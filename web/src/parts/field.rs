//! An input field.
//!
//! The page is rendered again at every step of a run. Typed text stays until the field loses the focus.

use web_sys::{HtmlInputElement, InputEvent};
use yew::prelude::*;

/// The properties of a field, and the receiver of its text.
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Properties {
    /// Its accessible name.
    pub(crate) label: AttrValue,
    /// Its value while the user is not typing.
    pub(crate) value: AttrValue,
    /// Receives the text when the field loses the focus or Enter is pressed.
    pub(crate) take: Callback<String>,
    /// Its range, if it contains a number.
    #[prop_or_default]
    pub(crate) number: Option<NumberRange>,
    /// Its height in lines, if more than one.
    #[prop_or_default]
    pub(crate) lines: Option<u32>,
    #[prop_or_default]
    pub(crate) class: Classes,
    #[prop_or_default]
    pub(crate) placeholder: Option<AttrValue>,
    /// The id of its description.
    #[prop_or_default]
    pub(crate) described_by: Option<AttrValue>,
    /// The maximum number of characters.
    #[prop_or_default]
    pub(crate) maxlength: Option<AttrValue>,
    /// The type of a phone's keyboard.
    #[prop_or_default]
    pub(crate) inputmode: Option<AttrValue>,
    /// The element, for a form that reads it.
    #[prop_or_default]
    pub(crate) node: NodeRef,
}

/// The numbers that a field accepts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberRange {
    min: f64,
    /// Infinite if there is no maximum.
    max: f64,
    /// The step of the buttons next to it; `None` accepts any number.
    step: Option<f64>,
}

impl NumberRange {
    /// Any number in this range.
    pub(crate) fn any(min: f64, max: f64) -> Self {
        Self { min, max, step: None }
    }

    /// Numbers in this range, one step apart.
    pub(crate) fn by(step: f64, min: f64, max: f64) -> Self {
        Self { min, max, step: Some(step) }
    }
}

/// The text being typed, and the element.
#[derive(Default)]
pub(crate) struct Field {
    typed: Option<AttrValue>,
}

/// The user's actions.
pub(crate) enum FieldMessage {
    /// The text changed.
    Typed(String),
    /// The field was left with this text.
    Left(String),
}

impl Component for Field {
    type Message = FieldMessage;
    type Properties = Properties;

    fn create(_: &Context<Self>) -> Self {
        Self::default()
    }

    fn update(&mut self, context: &Context<Self>, message: FieldMessage) -> bool {
        match message {
            FieldMessage::Typed(text) => self.typed = Some(text.into()),
            FieldMessage::Left(text) => {
                self.typed = None;
                let Properties { value, take, .. } = context.props();
                if text != value.as_str() {
                    take.emit(text);
                }
            }
        }
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let link = context.link();
        let it = context.props();
        let value = self.typed.as_ref().unwrap_or(&it.value).clone();
        let oninput = link.callback(|event: InputEvent| FieldMessage::Typed(text(&event)));
        let onchange = link.callback(|event: Event| FieldMessage::Left(text(&event)));
        let onblur = link.callback(|event: FocusEvent| FieldMessage::Left(text(&event)));
        if let Some(lines) = it.lines {
            return html! {
                <textarea ref={&it.node} class={it.class.clone()} rows={lines.to_string()} spellcheck="false" aria-label={&it.label} {value} {oninput} {onchange} {onblur} />
            };
        }
        let (kind, min, max, step) = match &it.number {
            Some(NumberRange { min, max, step }) => (
                "number",
                Some(min.to_string()),
                max.is_finite().then(|| max.to_string()),
                Some(step.map_or_else(|| "any".to_owned(), |step| step.to_string())),
            ),
            None => ("text", None, None, None),
        };
        html! {
            <input ref={&it.node} class={it.class.clone()} type={kind} {min} {max} {step} maxlength={&it.maxlength} placeholder={&it.placeholder}
                inputmode={&it.inputmode} aria-describedby={&it.described_by} aria-label={&it.label} {value} {oninput} {onchange} {onblur} />
        }
    }
}

/// The text of the event's field; a textarea has the same property.
fn text(event: &Event) -> String {
    event.target_unchecked_into::<HtmlInputElement>().value()
}

/// The number that was typed.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
