//! The sides of the page, which are drawers on narrow screens.

use tiebreak_i18n::tr;
use yew::prelude::*;

use super::Page;
use crate::parts::media;
use crate::parts::panel::{Act, Place, Scene, Side};

impl Page {
    /// Opens a drawer, or closes the one that is open.
    pub(super) fn draw(&mut self, side: Option<Side>) {
        let left = std::mem::replace(&mut self.drawer, side);
        let target = match (side, left) {
            (None, None) => return,
            (Some(_), _) => ".side.open .close",
            (None, Some(Side::Left)) => ".drawers :first-child",
            (None, Some(Side::Right)) => ".drawers :last-child",
        };
        self.focus = Some(target.to_owned());
    }

    /// Opens a drawer where sides are drawers, as the style sheet has it.
    pub(super) fn reveal(&mut self, side: Side) {
        if media("(max-width: 1180px)") {
            self.drawer = Some(side);
        }
    }

    /// A side with all that stands there.
    pub(super) fn side(&self, side: Side, scene: &Scene<'_>) -> Html {
        let (place, name, label) = match side {
            Side::Left => (Place::Left, "rules-side", tr("Rules and settings")),
            Side::Right => (Place::Right, "explain-side", tr("Explanations")),
        };
        let open = (self.drawer == Some(side)).then_some("open");
        html! {
            <aside class={classes!("side", name, open)} aria-label={label}>
                <button class="close" onclick={self.shut()}>{ tr("Close") }</button>
                { self.panels.view(place, &self.link, scene) }
            </aside>
        }
    }

    /// What closes the drawer that is open.
    pub(super) fn shut(&self) -> Callback<MouseEvent> {
        self.link.callback(|_: MouseEvent| Act::Drawer(None))
    }
}
