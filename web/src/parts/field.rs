//! A field that is typed into.
//!
//! The page is drawn again at every step of a run. What a hand has typed stays all the same, until the field is left.

use web_sys::{HtmlInputElement, InputEvent};
use yew::prelude::*;

/// What the field is, and who takes what was typed.
#[derive(Clone, PartialEq, Properties)]
pub(crate) struct Properties {
    /// Its accessible name.
    pub(crate) label: AttrValue,
    /// What it holds while nobody types.
    pub(crate) value: AttrValue,
    /// Is given what was typed, when the field is left or Enter pressed.
    pub(crate) take: Callback<String>,
    /// Its range, where it holds a number.
    #[prop_or_default]
    pub(crate) number: Option<NumberRange>,
    /// Its height in lines, where it has more than one.
    #[prop_or_default]
    pub(crate) lines: Option<u32>,
    #[prop_or_default]
    pub(crate) class: Classes,
    #[prop_or_default]
    pub(crate) placeholder: Option<AttrValue>,
    /// The id of what explains it.
    #[prop_or_default]
    pub(crate) described_by: Option<AttrValue>,
    /// Characters at most.
    #[prop_or_default]
    pub(crate) maxlength: Option<AttrValue>,
    /// Which keys a phone offers.
    #[prop_or_default]
    pub(crate) inputmode: Option<AttrValue>,
    /// The element, for a form that reads it.
    #[prop_or_default]
    pub(crate) node: NodeRef,
}

/// The numbers that a field takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberRange {
    min: f64,
    /// Infinite where there is none.
    max: f64,
    /// Of the buttons beside it; none for any number.
    step: Option<f64>,
}

impl NumberRange {
    /// Any number between the two.
    pub(crate) fn any(min: f64, max: f64) -> Self {
        Self { min, max, step: None }
    }

    /// Numbers that far apart.
    pub(crate) fn by(step: f64, min: f64, max: f64) -> Self {
        Self { min, max, step: Some(step) }
    }
}

/// See the module.
#[derive(Default)]
pub(crate) struct Field {
    typed: Option<AttrValue>,
}

/// What a hand does.
pub(crate) enum FieldMessage {
    /// It typed.
    Typed(String),
    /// It is done, with this in the field.
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

/// What the event's field holds; a textarea answers to the same name.
fn text(event: &Event) -> String {
    event.target_unchecked_into::<HtmlInputElement>().value()
}

/// The number that was typed.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|number: &f64| number.is_finite())
}
