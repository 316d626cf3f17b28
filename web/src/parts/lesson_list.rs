//! The lessons to choose from.

use std::convert::Infallible;

use tiebreak_i18n::{mark, tr};
use yew::prelude::*;

use super::lesson::Lessons;
use super::panel::{Link, Panel, Scene};

/// The list.
#[derive(Default)]
pub(crate) struct LessonList;

impl Panel for LessonList {
    type Message = Infallible;

    const ID: &'static str = "lesson-list";
    const TITLE: &'static str = mark("Lessons");

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        html! {
            <section aria-label={tr(Self::TITLE)}>
                <h1>{ tr("Learn how a cloud places VMs") }</h1>
                <p class="hint">{ tr("Each lesson asks you to predict, then runs the scenario and shows what happens.") }</p>
                { for scene.panels.get::<Lessons>().map(|lessons| lessons.cards(link)) }
            </section>
        }
    }
}
