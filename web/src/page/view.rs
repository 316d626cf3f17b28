//! How the page is laid out: places, and in each what the table puts there.

use tiebreak_app::{App, Phase};
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::PRESETS;
use yew::prelude::*;

use super::Page;
use crate::offline::Offline;
use crate::parts::panel::{Place, Scene, Side};

impl Page {
    /// The page as it is outside of others.
    pub(super) fn whole(&self, picture: &AttrValue) -> Html {
        let (app, scene) = (&self.app, &self.scene());
        let at = |place| self.panels.view(place, &self.link, scene);
        let has_right = self.panels.has(Place::Right, app);
        let is_idle = !matches!(app.front.phase, Phase::Idle | Phase::Running);
        html! {
            <>
                { at(Place::Bar) }
                <div class={classes!("columns", (!has_right).then_some("without-explain"))}>
                    { self.side(Side::Left, scene) }
                    <main class="centre" ref={&self.centre}>
                        <div class="headline">
                            <h1 class="lead">{ tr("How does a cloud choose a machine for your VM?") }</h1>
                            { at(Place::Headline) }
                        </div>
                        <Offline is_live={self.workers.are_whole() && is_idle} language={tiebreak_i18n::language()} />
                        { at(Place::Above) }
                        { self.middle(picture, scene) }
                        <footer class="muted">{ footer(app) }</footer>
                    </main>
                    if has_right { { self.side(Side::Right, scene) } }
                    if self.drawer.is_some() { <div class="backdrop" onclick={self.shut()}></div> }
                </div>
                { at(Place::Over) }
            </>
        }
    }

    /// What the run shows; before there is anything to show, the picture the page came with, as long as it is of this
    /// scenario.
    fn middle(&self, picture: &AttrValue, scene: &Scene<'_>) -> Html {
        let app = &self.app;
        // Its words are part of it.
        let is_english = tiebreak_i18n::language() == tiebreak_i18n::ENGLISH;
        let none_yet = app.front.live.as_ref().is_none_or(|live| live.result.is_none())
            && (app.front.baseline.is_none() || app.shows_example());
        let of_this = PRESETS.first().is_some_and(|preset| (preset.make)() == app.document);
        if none_yet && of_this && app.front.phase == Phase::Running && !picture.is_empty() && is_english {
            return Html::from_html_unchecked(picture.clone());
        }
        if app.hides_result() {
            return html! { <p class="hint before-run">{ tr("Predict first; then the run is shown.") }</p> };
        }
        self.panels.view(Place::Centre, &self.link, scene)
    }
}

fn footer(app: &App) -> String {
    let shown = app.front.live.as_ref().filter(|_| !app.hides_result());
    let digest = shown.and_then(|live| live.result.as_ref()).map(|result| result.digest.as_str());
    say(
        "Seed {}; digest {}; engine {}. {} Everything is computed in this browser.",
        &[
            &app.variant().seed,
            &digest.unwrap_or("…"),
            &tiebreak_app::ENGINE_VERSION,
            &tiebreak_view::my_trace::attribution(app),
        ],
    )
}
