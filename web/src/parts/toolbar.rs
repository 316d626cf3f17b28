//! The bar at the top: the scenario's name, the views, undo and redo, sharing, and the menu of everything else.

use tiebreak_app::{App, Edit, Message};
use tiebreak_i18n::{mark, tr};
use tiebreak_view::naming;
use yew::prelude::*;

use super::explain::Explain;
use super::field::Field;
use super::is_inside;
use super::menu::{Menu, MenuMessage};
use super::panel::{Act, Link, News, Panel, Scene, Sent, Side, View, focus};
use super::share::ShareMessage;
use super::tabs::{self, Tab};

/// The views and their names.
const VIEWS: [(View, &str); 4] = [
    (View::Learn, mark("Learn")),
    (View::Experiment, mark("Experiment")),
    (View::Compare, mark("Compare")),
    (View::Trace, mark("My trace")),
];

/// The bar.
#[derive(Default)]
pub(crate) struct Toolbar {
    menu: Menu,
}

impl Panel for Toolbar {
    type Message = MenuMessage;

    const ID: &'static str = "toolbar";

    fn update(&mut self, MenuMessage(open): MenuMessage, _: &Link, _: &App) -> Vec<Sent> {
        self.menu.is_open = open;
        Vec::new()
    }

    fn hear(&mut self, news: &News<'_>, _: &Link, _: &App) -> Vec<Sent> {
        match *news {
            News::Left(target) if self.menu.is_open && !is_inside(target, ".more") => {
                let back = target.is_none().then(|| focus(".more > button"));
                std::iter::once(MenuMessage(false).into()).chain(back).collect()
            }
            _ => Vec::new(),
        }
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        self.bar(link, scene)
    }
}

impl Toolbar {
    fn bar(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let app = scene.app;
        let has_scenario = !matches!(scene.view, View::Welcome | View::Learn) || app.lesson.is_some();
        let rename = link.callback(|name| Message::Edit(Edit::Name(name)));
        html! {
            <header class="bar">
                <span class="brand">{ tr("Tiebreak") }</span>
                if has_scenario {
                    <Field class="name" label={tr("Scenario name")} maxlength="200" value={naming::scenario(&app.document.name).to_owned()} take={rename} />
                }
                { views(link, scene.view) }
                { history(link, app, has_scenario) }
                if has_scenario {
                    <button class="share" onclick={link.callback(|_| ShareMessage::Open(true))}>{ tr("Share") }</button>
                    <span class="group drawers">
                        <button onclick={link.callback(|_| Act::Drawer(Some(Side::Left)))}>{ tr("Rules") }</button>
                    </span>
                    if Explain::is_shown(app) {
                        <button class="ask-why" onclick={link.callback(|_| Act::Drawer(Some(Side::Right)))}>{ tr("Explain a VM") }</button>
                    }
                }
                { self.menu.view(link, scene) }
            </header>
        }
    }
}

/// The tabs of the views.
fn views(link: &Link, now: View) -> Html {
    let tab = |(view, label): (View, &'static str)| Tab {
        label: tr(label),
        is_selected: view == now,
        select: link.callback(move |_: MouseEvent| Act::View(view)),
    };
    tabs::list(tr("Use the page to"), "views", VIEWS.into_iter().map(tab))
}

/// Undo and redo; without a scenario on screen, only once there is something to undo.
fn history(link: &Link, app: &App, has_scenario: bool) -> Html {
    let (can_undo, can_redo) = app.can_undo_redo();
    let button = |label: &'static str, enabled: bool, message: fn() -> Message| {
        // Not `disabled`: a button disabled while it has the focus would lose it.
        let onclick = link.batch_callback(move |_: MouseEvent| enabled.then(message));
        html! { <button aria-disabled={(!enabled).to_string()} {onclick}>{ label }</button> }
    };
    if !has_scenario && !can_undo && !can_redo {
        return Html::default();
    }
    html! {
        <span class="group history">
            { button(tr("Undo"), can_undo, || Message::Undo) }
            { button(tr("Redo"), can_redo, || Message::Redo) }
        </span>
    }
}
