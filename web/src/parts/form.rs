//! Form fields generated from declarations: nothing here is specific to a parameter.

use std::ops::Range;
use std::rc::Rc;

use js_sys::Uint8Array;
use tiebreak_app::{Edit, Message, Notice};
use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_model::{Param, ParamKind};
use tiebreak_scenario::{Variant, groups};
use web_sys::{Event, HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::field::{Field, NumberRange};
use super::panel::{Link, Sent};

/// The number of fields of a long form that are always shown: the first ones of its declaration. The others are
/// collapsed below them.
const SHOWN: usize = 6;

/// One field per parameter. `name` is what they belong to, for screen readers.
pub(crate) fn fields(
    link: &Link,
    name: &str,
    params: &'static [Param],
    values: &[f64],
    edit: impl Fn(usize, f64) -> Edit + 'static,
) -> Html {
    part(link, name, (params, 0..params.len()), values, &shared(edit))
}

/// The same, with all but the first ones collapsed.
pub(crate) fn long_form(
    link: &Link,
    name: &str,
    params: &'static [Param],
    values: &[f64],
    edit: impl Fn(usize, f64) -> Edit + 'static,
) -> Html {
    folded(link, name, params, values, &shared(edit))
}

/// One field per parameter of a part of the declaration.
pub(crate) fn fields_in(
    link: &Link,
    name: &str,
    params: (&'static [Param], Range<usize>),
    values: &[f64],
    edit: impl Fn(usize, f64) -> Edit + 'static,
) -> Html {
    part(link, name, params, values, &shared(edit))
}

/// The fields of one of the variant's groups of settings, by its id.
pub(crate) fn group(link: &Link, name: &str, variant: &Variant, id: &str) -> Html {
    let Some(group) = groups::find(id) else { return Html::default() };
    let params = group.declaration.params;
    long_form(link, name, params, &group.values(variant), at(format!("{id}."), params))
}

/// The edits of parameters whose paths are `of` followed by their names.
pub(crate) fn at(of: String, params: &'static [Param]) -> impl Fn(usize, f64) -> Edit {
    move |index, value| Edit::param(&of, &params[index], value)
}

/// The edit for a parameter's new value; one type for all forms, so that their code is compiled once.
type Change = Rc<dyn Fn(usize, f64) -> Edit>;

fn shared(edit: impl Fn(usize, f64) -> Edit + 'static) -> Change {
    Rc::new(edit)
}

fn folded(link: &Link, name: &str, params: &'static [Param], values: &[f64], change: &Change) -> Html {
    let shown = if params.len() > SHOWN + 1 { SHOWN } else { params.len() };
    html! {
        <>
            { part(link, name, (params, 0..shown), values, change) }
            if shown < params.len() {
                <details class="about"><summary>{ say("More about {name}", &[&name]) }</summary>
                    { part(link, name, (params, shown..params.len()), values, change) }
                </details>
            }
        </>
    }
}

fn part(
    link: &Link,
    name: &str,
    (params, part): (&'static [Param], Range<usize>),
    values: &[f64],
    change: &Change,
) -> Html {
    let field = |(index, param): (usize, &'static Param)| {
        let change = change.clone();
        let value = values.get(index).copied().unwrap_or(param.default);
        field(link, name, param, value, Rc::new(move |value| change(index, value)))
    };
    html! { <div class="fields">{ for params.iter().enumerate().take(part.end).skip(part.start).map(field) }</div> }
}

/// One field.
fn field(link: &Link, of: &str, param: &'static Param, value: f64, edit: Rc<dyn Fn(f64) -> Edit>) -> Html {
    let title = param.title();
    let title = AttrValue::from(tr(&title).to_owned());
    let label = say("{} of {of}", &[&title, &of]);
    let help = words::help(param.help);
    if param.kind == ParamKind::Flag {
        let onchange = link.callback(move |event: Event| {
            let on = event.target_unchecked_into::<HtmlInputElement>().checked();
            Message::Edit(edit(f64::from(u8::from(on))))
        });
        return html! {
            <label class="field flag" title={help}>
                <input type="checkbox" checked={value != 0.0} {onchange} aria-label={label} />
                <span>{ words::capitalized(&title) }</span>
            </label>
        };
    }
    if let ParamKind::Choice(words) = param.kind {
        // Sets the property too: after the user has chosen, the `selected` attribute has no effect.
        let onchange = link.callback(move |event: Event| {
            let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
            Message::Edit(edit(f64::from(chosen.max(0))))
        });
        let option = |(index, word): (usize, &&'static str)| {
            html! { <option value={*word} selected={index as f64 == value}>{ tr(word) }</option> }
        };
        return html! {
            <label class="field" title={help}>
                <span>{ words::capitalized(&title) }</span>
                <select ~value={words.get(value as usize).copied()} {onchange} aria-label={label}>{ for words.iter().enumerate().map(option) }</select>
            </label>
        };
    }
    html! {
        <label class="field" title={help}>
            <span>{ words::capitalized(&title) }</span>
            <span class="entry">
                { number_field(link, &label, param, value, edit) }
                <span class="unit">{ tr(param.unit) }</span>
            </span>
        </label>
    }
}

/// A number field without text next to it; `label` is its accessible name.
pub(crate) fn number_field(
    link: &Link,
    label: &str,
    param: &'static Param,
    value: f64,
    edit: Rc<dyn Fn(f64) -> Edit>,
) -> Html {
    let range = match param.kind {
        ParamKind::Integer => NumberRange::by(1.0, param.min, param.max),
        _ => NumberRange::any(param.min, param.max),
    };
    let named = label.to_owned();
    let take = link.callback(move |text: String| number(&text, &named, param, value, &*edit));
    html! { <Field label={label.to_owned()} number={range} value={value.to_string()} {take} /> }
}

/// The edit for a changed number, or what is wrong with it.
fn number(text: &str, label: &str, param: &Param, before: f64, edit: &dyn Fn(f64) -> Edit) -> Message {
    match text.trim().parse().ok().filter(|value| param.allows(*value)) {
        Some(value) => Message::Edit(edit(value)),
        None => {
            let whole = if param.kind == ParamKind::Integer { tr("a whole number") } else { tr("a number") };
            let line = say(
                "Expected {whole} from {} to {}, got \"{text}\"; the value stays {}.",
                &[
                    &whole,
                    &words::trimmed(param.min, 3),
                    &words::trimmed(param.max, 3),
                    &text,
                    &words::trimmed(before, 3),
                ],
            );
            Message::Notice(Notice::bad(say("Not changed: {label}", &[&label]), vec![line]))
        }
    }
}

/// A control that opens a file and sends its bytes.
pub(crate) fn file_field(link: &Link, label: &'static str, name: &'static str, tell: fn(Vec<u8>) -> Sent) -> Html {
    let to = link.clone();
    let onchange = Callback::from(move |event: Event| {
        let input: HtmlInputElement = event.target_unchecked_into();
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        input.set_value("");
        let (promise, to) = (file.array_buffer(), to.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let bytes = wasm_bindgen_futures::JsFuture::from(promise).await;
            let bytes = bytes.map_or_else(|_| Vec::new(), |bytes| Uint8Array::new(&bytes).to_vec());
            to.send(tell(bytes));
        });
    });
    html! {
        <label class="file"><span>{ label }</span>
            <input type="file" aria-label={name} accept=".csv,.tsv,.gz,.zst,text/csv,application/gzip" {onchange} /></label>
    }
}
