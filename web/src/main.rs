//! The page: shows [`tiebreak_app::App`], turns input into messages, and carries out effects. It decides nothing.

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
        // Two tasks, apart from this one, which compiled the program: a slow machine can respond to input in between.
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
