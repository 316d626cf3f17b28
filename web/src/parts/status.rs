//! The line that shows what the run is doing, with a progress bar for long operations.

use std::convert::Infallible;

use tiebreak_app::{Message, Phase};
use tiebreak_engine::words;
use tiebreak_i18n::{mark, say, tr};
use tiebreak_view::origin;
use yew::prelude::*;

use super::panel::{Link, Panel, Scene};

/// The line.
#[derive(Default)]
pub(crate) struct Status;

impl Panel for Status {
    type Message = Infallible;

    const ID: &'static str = "status";
    const TITLE: &'static str = mark("Run status");

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Scene { app, reading_s, .. } = *scene;
        let rate = app
            .reading
            .as_ref()
            .filter(|_| reading_s > 0.2)
            .map(|reading| say(", {} per second", &[&words::bytes(reading.bytes / reading_s)]));
        let cancel = app.reading.is_some().then(|| {
            let onclick = link.callback(|_| Message::TraceCancel);
            html! { <button class="quiet" {onclick}>{ tr("Cancel reading") }</button> }
        });
        html! {
            <div class="status">
                // Two runs may end with the same words, so the line also names its run.
                <p role="status" aria-label={tr(Self::TITLE)} data-run={app.front.run.to_string()}>{ app.status() }</p>
                if let Some((share, so_far)) = app.progress_so_far() {
                    <progress max="1" value={format!("{share:.3}")} aria-label={tr("Progress")}></progress>
                    <span class="muted">{ so_far }{ rate.unwrap_or_default() }</span>
                }
                { cancel }
                { hold(link, &app.front.phase) }
                { for origin::came_with(app).map(|changed| html! { <p class="changed">{ changed }</p> }) }
            </div>
        }
    }
}

/// The button that pauses a run, and the one that continues a paused or failed run.
fn hold(link: &Link, phase: &Phase) -> Html {
    let (label, message): (_, fn() -> Message) = match phase {
        Phase::Running => (tr("Pause"), || Message::Pause),
        Phase::Paused | Phase::Failed(_) => (tr("Run"), || Message::Run),
        _ => return Html::default(),
    };
    html! { <button onclick={link.callback(move |_: MouseEvent| message())}>{ label }</button> }
}
