//! The link as a QR code: next to the link, and as large as the window.

use std::cell::RefCell;
use std::rc::Rc;

use tiebreak_engine::words;
use tiebreak_i18n::{say, tr};
use tiebreak_view::code::{CHARACTERS_MAX, Code};
use yew::prelude::*;

use crate::parts::panel::Link;

use super::ShareMessage;

/// The code of one link, cached until the link changes.
#[derive(Default)]
pub(in crate::parts) struct Codes(RefCell<Option<(String, Option<Rc<Code>>)>>);

impl Codes {
    /// The code of a link; `None` if the link is too long.
    pub(in crate::parts) fn of(&self, address: &str) -> Option<Rc<Code>> {
        let mut known = self.0.borrow_mut();
        if known.as_ref().is_none_or(|(of, _)| of != address) {
            *known = Some((address.to_owned(), Code::of(address).map(Rc::new)));
        }
        known.as_ref().and_then(|(_, code)| code.clone())
    }
}

/// Dark on light in every theme: not every phone reads inverted codes.
fn drawing(code: &Code, label: &'static str) -> Html {
    let size = code.size;
    html! {
        <svg class="code" role="img" aria-label={label} viewBox={format!("0 0 {size} {size}")} shape-rendering="crispEdges">
            <rect width="100%" height="100%" fill="#fff" />
            <path d={code.path.clone()} fill="#000" />
        </svg>
    }
}

/// The code in the dialog. A link with too many characters has no code.
pub(super) fn small(link: &Link, code: Option<&Code>, characters: usize) -> Html {
    let show = link.callback(|_: MouseEvent| ShareMessage::Large(true));
    let body = match code {
        Some(code) => html! {
            <div class="code-row">
                { drawing(code, tr("QR code of the link")) }
                <div>
                    <p>{ tr("For a classroom: phones scan it from the screen.") }</p>
                    <button onclick={show}>{ tr("Show large") }</button>
                </div>
            </div>
        },
        None => html! {
            <p class="notice">{ say("The link has {} characters, but a QR code holds at most {}. Save the scenario as a file and share that.", &[&words::count(characters as f64), &words::count(CHARACTERS_MAX as f64)]) }</p>
        },
    };
    html! { <section aria-label={tr("QR code")}><h3>{ tr("QR code") }</h3>{ body }</section> }
}

/// The code on paper, with the link for people who read the report on a screen.
pub(in crate::parts) fn on_paper(code: Option<&Code>, address: &str) -> Html {
    html! {
        <p class="paper-code">
            { for code.map(|code| drawing(code, tr("QR code of the link"))) }
            <a href={address.to_owned()}>{ tr("The live scenario") }</a>
        </p>
    }
}

/// The code as large as the window.
pub(super) fn large(link: &Link, dialog: &NodeRef, code: Option<&Code>) -> Html {
    let close = link.callback(|_: Event| ShareMessage::Large(false));
    let shut = link.callback(|_: MouseEvent| ShareMessage::Large(false));
    html! {
        <dialog class="large-code" ref={dialog} aria-label={tr("QR code, large")} onclose={close}>
            if let Some(code) = code {
                <button onclick={shut}>{ tr("Close") }</button>
                { drawing(code, tr("QR code of the link")) }
            }
        </dialog>
    }
}
