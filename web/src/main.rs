//! The page: it shows [`tiebreak_lab::App`], turns what people do into messages, and
//! carries out effects. It decides nothing.

mod drafts;
mod engine_link;
mod page;
mod parts;

fn main() {
    console_error_panic_hook::set_once();
    let Some(root) = gloo::utils::document().get_element_by_id("page") else { return };
    yew::Renderer::<page::Page>::with_root(root).render();
}
