//! The page: it shows [`tiebreak_app::App`], turns what people do into messages, and
//! carries out effects. It decides nothing.

mod drafts;
mod engine_link;
mod language;
mod locks;
mod offline;
mod one_file;
mod page;
mod parts;
mod places;
mod workers;

use std::cell::Cell;
use std::rc::Rc;

use gloo::timers::callback::Timeout;

fn main() {
    console_error_panic_hook::set_once();
    offline::hold_build();
    let document = gloo::utils::document();
    let Some(root) = document.get_element_by_id("page") else { return };
    let picture = document.get_element_by_id("first-picture").map(|picture| picture.inner_html());
    let without = document.get_element_by_id("first-without").and_then(|data| data.text_content());
    language::begin(|| {
        // Each in a task of its own, so that a slow machine answers a hand in between; the one under way has compiled the
        // program.
        later(|| {
            let properties = page::Properties {
                picture: picture.unwrap_or_default().into(),
                without: without.unwrap_or_default().into(),
                opened: Rc::new(Cell::new(Some(page::Opened::now()))),
            };
            later(|| drop(yew::Renderer::<page::Page>::with_root_and_props(root, properties).render()));
        });
    });
}

fn later(task: impl FnOnce() + 'static) {
    Timeout::new(0, task).forget();
}
