//! Events of the browser window that the page listens to.

use std::cell::Cell;
use std::rc::Rc;

use gloo::events::{EventListener, EventListenerOptions};
use tiebreak_app::Message;
use wasm_bindgen::prelude::*;
use web_sys::{DragEvent, Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent, ResizeObserver};
use yew::NodeRef;
use yew::html::Scope;

use super::{Page, PageMessage};
use crate::drafts;
use crate::parts::panel::Act;

/// Listens for address changes, dropped files, clicks and keys until the listeners are dropped.
pub(super) fn all(scope: &Scope<Page>) -> Vec<EventListener> {
    let (window, document) = (gloo::utils::window(), gloo::utils::document());
    let [address, dropped, clicked, pressed] = [(); 4].map(|()| scope.clone());
    let active = EventListenerOptions::enable_prevent_default();
    vec![
        EventListener::new(&window, "pagehide", |_| drafts::hand_over()),
        EventListener::new(&window, "hashchange", move |_| {
            let fragment = gloo::utils::window().location().hash().unwrap_or_default();
            if fragment.len() > 1 {
                address.send_message(PageMessage::Address(fragment));
            }
        }),
        EventListener::new_with_options(&document, "dragover", active, |event| event.prevent_default()),
        EventListener::new_with_options(&document, "drop", active, move |event| {
            event.prevent_default();
            let event: &DragEvent = event.unchecked_ref();
            let file = event.data_transfer().and_then(|data| data.files()).and_then(|files| files.get(0));
            file.into_iter().for_each(|file| dropped.send_message(PageMessage::Sent(vec![Act::File(file).into()])));
        }),
        EventListener::new(&document, "click", move |event| {
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            target.into_iter().for_each(|target| clicked.send_message(PageMessage::Left(Some(target))));
        }),
        EventListener::new_with_options(&document, "keydown", active, move |event| {
            let event: &KeyboardEvent = event.unchecked_ref();
            if event.key() == "Escape" {
                pressed.send_message(PageMessage::Left(None));
            }
            match undo(event) {
                Some(message) => pressed.send_message(PageMessage::Sent(vec![message.into()])),
                None => pressed.send_message(PageMessage::Key(event.clone())),
            }
        }),
    ]
}

/// The undo or redo command for a key press, unless the user is typing: the browser undoes that in the field.
fn undo(event: &KeyboardEvent) -> Option<Message> {
    let typing = event
        .target()
        .is_some_and(|target| target.has_type::<HtmlInputElement>() || target.has_type::<HtmlTextAreaElement>());
    let command = event.ctrl_key() || event.meta_key();
    (command && !typing && event.key().eq_ignore_ascii_case("z")).then(|| {
        event.prevent_default();
        if event.shift_key() { Message::Redo } else { Message::Undo }
    })
}

/// Observes a width until it is dropped.
pub(super) struct Resize {
    observer: ResizeObserver,
    _closure: Closure<dyn FnMut()>,
}

impl Drop for Resize {
    fn drop(&mut self) {
        // A pending callback would arrive after the closure is gone.
        self.observer.disconnect();
    }
}

/// Tells the page how wide its charts are, now and whenever that changes.
pub(super) fn observe(scope: &Scope<Page>, centre: &NodeRef) -> Option<Resize> {
    let centre = centre.cast::<HtmlElement>()?;
    let (scope, measured) = (scope.clone(), centre.clone());
    let changed = Rc::new(Cell::new(0));
    let closure = Closure::<dyn FnMut()>::new(move || {
        let Ok(inner @ 1..) = u32::try_from(measured.client_width()) else { return };
        let width = inner.max(228);
        if changed.replace(width) != width {
            scope.send_message(PageMessage::Width(width));
        }
    });
    let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
    observer.observe(&centre);
    Some(Resize { observer, _closure: closure })
}
