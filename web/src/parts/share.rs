//! Sharing: a link that holds the whole scenario, or a file when it would be too long.

use tiebreak_lab::App;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, HtmlDialogElement, HtmlInputElement, Url};
use yew::html::Scope;
use yew::prelude::*;

use crate::page::{Page, PageMessage};

/// Characters above which a file is the better way.
const LONG: usize = 8_000;

/// The address of this page with the scenario in it.
pub(crate) fn address(app: &App) -> String {
    let here = gloo::utils::document().url().unwrap_or_default();
    let page = here.split('#').next().unwrap_or_default();
    format!("{page}#{}", app.link())
}

/// An address for text that was made here.
pub(crate) fn object_url(text: &str, kind: &str) -> Option<String> {
    let parts = js_sys::Array::of1(&text.into());
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &"type".into(), &kind.into()).ok()?;
    let blob = Blob::new_with_str_sequence_and_options(&parts, options.unchecked_ref()).ok()?;
    Url::create_object_url_with_blob(&blob).ok()
}

/// The dialog. It is always in the page; `open` shows it.
pub(crate) fn view(link: &Scope<Page>, app: &App, dialog: &NodeRef, open: bool, copied: bool) -> Html {
    let address = if open { address(app) } else { String::new() };
    let long = address.len() > LONG;
    let size = format!("{} characters. It holds the scenario and the result's digest, not the trace.", address.len());
    let select = Callback::from(|event: FocusEvent| event.target_unchecked_into::<HtmlInputElement>().select());
    let json = app.document.to_json();
    let save = Callback::from(move |event: MouseEvent| {
        let anchor: web_sys::HtmlAnchorElement = event.target_unchecked_into();
        if let Some(url) = object_url(&json, "application/json") {
            anchor.set_href(&url);
        }
    });
    html! {
        <dialog ref={dialog} aria-label="Share" onclose={link.callback(|_| PageMessage::Share(false))}>
            if open {
                <h2>{ "Share this scenario" }</h2>
                <p>{ "Whoever opens the link sees the same machines, rules, agents and seed, and the page checks that the result is the same. If it runs on a file of yours, they need that file too." }</p>
                <label class="link-field">{ "Link" }
                    <input type="text" readonly=true aria-label="Link" value={address.clone()} onfocus={select} />
                </label>
                <p class="hint">{ size }{ if long { " That is long for a link; a file is safer." } else { "" } }</p>
                <div class="group">
                    <button class="primary" onclick={link.callback(move |_| PageMessage::Copy(address.clone()))}>{ if copied { "Copied" } else { "Copy link" } }</button>
                    <a class="button" href="#" download="tiebreak-scenario.json" onclick={save}>{ "Save as file" }</a>
                    <button onclick={link.callback(|_| PageMessage::Share(false))}>{ "Close" }</button>
                </div>
            }
        </dialog>
    }
}

/// Opens or closes the dialog as the state says.
pub(crate) fn sync(dialog: &NodeRef, open: bool) {
    let Some(dialog) = dialog.cast::<HtmlDialogElement>() else { return };
    if open && !dialog.open() {
        // Fails only while the page is going away.
        let _ = dialog.show_modal();
    } else if !open && dialog.open() {
        dialog.close();
    }
}
