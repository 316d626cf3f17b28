//! The layout of the page: its places, each filled with the panels from the table.

use tiebreak_app::{App, Phase};
use tiebreak_i18n::{say, tr};
use tiebreak_scenario::PRESETS;
use yew::prelude::*;

use super::Page;
use crate::offline::Offline;
use crate::parts::panel::{Place, Scene, Side, Tabs, View};
use crate::parts::{compare, lesson};

impl Page {
    /// The whole page, when it is not embedded.
    pub(super) fn whole(&self, picture: &AttrValue) -> Html {
        let scene = &self.scene();
        let at = |place| self.panels.view(place, &self.link, scene);
        let body = match scene.view {
            View::Welcome => self.plain("welcome", Place::Welcome, scene),
            View::Learn if self.app.lesson.is_none() => self.plain("learn", Place::Learn, scene),
            _ => self.columns(picture, scene),
        };
        html! { <>{ lesson::skip_link(&self.link, &self.app) }{ at(Place::Bar) }{ body }{ at(Place::Over) }</> }
    }

    /// The page without sides.
    fn plain(&self, class: &'static str, place: Place, scene: &Scene<'_>) -> Html {
        let at = |place| self.panels.view(place, &self.link, scene);
        html! {
            <main key={class} class={class}>
                { at(place) }
                <div class="news-row">{ self.offline() }{ at(Place::Headline) }{ at(Place::Above) }</div>
            </main>
        }
    }

    fn offline(&self) -> Html {
        let is_idle = !matches!(self.app.front.phase, Phase::Idle | Phase::Running);
        html! { <Offline is_live={self.workers.are_whole() && is_idle} language={tiebreak_i18n::language()} /> }
    }

    /// A scenario: its settings, its results, and the explanations.
    fn columns(&self, picture: &AttrValue, scene: &Scene<'_>) -> Html {
        let app = &self.app;
        let at = |place| self.panels.view(place, &self.link, scene);
        let has_right = self.has_right();
        html! {
            <div key="columns" class={classes!("columns", (!has_right).then_some("without-explain"), app.lesson.is_some().then_some("with-lesson"))}>
                { self.side(Side::Left, scene) }
                <main class="centre">
                    <div class="headline">
                        <h1 class="unseen">{ tr("How a cloud chooses a machine for every VM") }</h1>
                        if app.lesson.is_none() { { compare::tabs(&self.link, app) } }
                        { at(Place::Headline) }
                    </div>
                    { self.offline() }
                    { at(Place::Above) }
                    if scene.view == View::Trace { { at(Place::Trace) } }
                    <div class="middle" ref={&self.centre}>
                        { self.middle(picture, scene) }
                        <footer class="muted">{ footer(app) }</footer>
                    </div>
                </main>
                if has_right { { self.side(Side::Right, scene) } }
            </div>
        }
    }

    /// Whether the right side is shown: something is selected, or the user asked for an explanation.
    pub(super) fn has_right(&self) -> bool {
        let selection = &self.app.selection;
        let is_edited = self.app.edited_rule().is_some();
        let is_asked = self.asks_why || is_edited || !selection.vm.is_empty() || selection.machine.is_some();
        self.panels.has(Place::Right, &self.app) && (is_asked || self.app.lesson.is_some())
    }

    /// What the run shows. Until there is a result, the prerendered picture, if it shows this scenario.
    fn middle(&self, picture: &AttrValue, scene: &Scene<'_>) -> Html {
        let app = &self.app;
        // The picture contains English text.
        let is_english = tiebreak_i18n::language() == tiebreak_i18n::ENGLISH;
        let none_yet = app.front.live.as_ref().is_none_or(|live| live.result.is_none())
            && (app.front.baseline.is_none() || app.shows_example());
        let of_this = PRESETS.first().is_some_and(|preset| (preset.make)() == app.document);
        if none_yet && of_this && app.front.phase == Phase::Running && !picture.is_empty() && is_english {
            return Html::from_html_unchecked(picture.clone());
        }
        if app.hides_result() {
            return html! { <p class="hint before-run">{ tr("The map and the charts appear when you have answered.") }</p> };
        }
        html! {
            <>
                { self.panels.view(Place::Centre, &self.link, scene) }
                { self.panels.view_tabs(Tabs::Under, tr("Below the map"), &self.link, scene) }
            </>
        }
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
