//! The notices of the page: each says what happened and what to do.

use std::convert::Infallible;

use tiebreak_app::{App, Message};
use tiebreak_i18n::{say, tr};
use yew::prelude::*;

use super::panel::{Link, Panel, Scene};

/// Lines of a notice shown before the rest is collapsed.
const SHOWN: usize = 4;

/// All notices.
#[derive(Default)]
pub(crate) struct Notices;

impl Panel for Notices {
    type Message = Infallible;

    const ID: &'static str = "notices";

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        view(link, scene.app)
    }
}

/// The same, for a page that shows nothing else.
pub(super) fn view(link: &Link, app: &App) -> Html {
    let notice = |(index, notice): (usize, &tiebreak_app::Notice)| {
        let dismiss = link.callback(move |_| Message::Dismiss(index));
        let offer = notice.offer.clone().map(|document| {
            let open = link
                .batch_callback(move |_: MouseEvent| vec![Message::Dismiss(index), Message::Open(document.clone())]);
            html! { <button onclick={open}>{ tr("Open it") }</button> }
        });
        let lines = |lines: &[String]| html! { { for lines.iter().map(|line| html! { <li>{ line }</li> }) } };
        let rest = notice.lines.get(SHOWN..).filter(|rest| !rest.is_empty());
        html! {
            <div class={classes!("notice", notice.bad.then_some("bad"))} role={if notice.bad { "alert" } else { "note" }}>
                <div class="notice-head">
                    <strong>{ &notice.title }</strong>
                    { offer }
                    <button class="quiet" onclick={dismiss} aria-label={say("Dismiss: {}", &[&notice.title])}>{ "×" }</button>
                </div>
                <ul>{ lines(&notice.lines[..notice.lines.len().min(SHOWN)]) }</ul>
                if let Some(rest) = rest {
                    <details><summary>{ say("{} more", &[&rest.len()]) }</summary><ul>{ lines(rest) }</ul></details>
                }
            </div>
        }
    };
    html! { <div class="notices">{ for app.notices.iter().enumerate().map(notice) }</div> }
}
