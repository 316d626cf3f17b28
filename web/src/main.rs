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

use gloo::timers::callback::Timeout;

fn main() {
    console_error_panic_hook::set_once();
    offline::hold_build();
    let document = gloo::utils::document();
    let Some(root) = document.get_element_by_id("page") else { return };
    let picture = document.get_element_by_id("first-picture").map(|picture| picture.inner_html());
    let without = document.get_element_by_id("first-without").and_then(|data| data.text_content());
    let properties =
        page::Properties { picture: picture.unwrap_or_default().into(), without: without.unwrap_or_default().into() };
    language::begin(|| {
        // In a task of its own: the one under way has compiled the program.
        let draw = move || drop(yew::Renderer::<page::Page>::with_root_and_props(root, properties).render());
        Timeout::new(0, draw).forget();
    });
}
