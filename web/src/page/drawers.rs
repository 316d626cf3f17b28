//! The sides of the page, which are sheets at the bottom of narrow screens.

use tiebreak_app::Message;
use tiebreak_i18n::tr;
use yew::prelude::*;

use super::Page;
use crate::parts::media;
use crate::parts::panel::{Act, Place, Scene, Sent, Side, Tabs};

impl Page {
    /// Opens a side, or closes the open one. Closing the right one clears the selection.
    pub(super) fn draw(&mut self, side: Option<Side>) -> Vec<Sent> {
        let left = std::mem::replace(&mut self.drawer, side);
        let was_asked = self.has_right() && self.app.lesson.is_none();
        self.asks_why = side == Some(Side::Right);
        let target = match (side, left) {
            (Some(Side::Right), _) => ".explain-side input",
            (Some(Side::Left), _) => ".side.open .close",
            (None, Some(Side::Left)) => ".drawers button",
            (None, _) => ".ask-why",
        };
        self.want_focus(target.to_owned());
        if side.is_none() && left != Some(Side::Left) && was_asked {
            return vec![Message::Vm(String::new()).into(), Message::Machine(None).into(), Message::Rule(None).into()];
        }
        Vec::new()
    }

    /// Opens a side if the style sheet makes the sides sheets.
    pub(super) fn reveal(&mut self, side: Side) {
        if media("(max-width: 1180px)") {
            self.drawer = Some(side);
        }
    }

    /// A side with its contents.
    pub(super) fn side(&self, side: Side, scene: &Scene<'_>) -> Html {
        let (name, label) = match side {
            Side::Left => ("rules-side", tr("Rules and settings")),
            Side::Right => ("explain-side", tr("Explanations")),
        };
        let open = (self.drawer == Some(side)).then_some("open");
        let shown = match side {
            _ if !self.has_sides => Html::default(),
            Side::Left if self.app.lesson.is_some() => self.panels.view_all(Tabs::Left, &self.link, scene),
            Side::Left => self.panels.view_tabs(Tabs::Left, tr("What can be changed"), &self.link, scene),
            Side::Right => self.panels.view(Place::Right, &self.link, scene),
        };
        html! {
            <aside class={classes!("side", name, open)} aria-label={label}>
                <button class="close" onclick={self.shut()}>{ tr("Close") }</button>
                { shown }
            </aside>
        }
    }

    /// Closes the open drawer.
    pub(super) fn shut(&self) -> Callback<MouseEvent> {
        self.link.callback(|_: MouseEvent| Act::Drawer(None))
    }
}
