//! The quantity that the map's colours show, and its selection.

use tiebreak_engine::protocol::Layout;
use tiebreak_i18n::tr;
use web_sys::{Event, HtmlSelectElement};
use yew::prelude::*;

use super::MapMessage;
use crate::parts::panel::Link;

/// The quantity that colours show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Colouring {
    /// The fill level of a machine.
    #[default]
    Cores,
    /// Its lifetime class.
    Class,
    /// The reserved share of its uplinks.
    Uplinks,
    /// Its power draw relative to its share of the budget.
    Draw,
}

impl Colouring {
    /// All quantities that frames contain.
    pub(super) fn of(layout: &Layout) -> Vec<Self> {
        let some = [
            (Self::Cores, true),
            (Self::Class, !layout.classes.is_empty()),
            (Self::Uplinks, layout.has_uplinks),
            (Self::Draw, layout.has_draws),
        ];
        some.into_iter().filter(|(_, there)| *there).map(|(colouring, _)| colouring).collect()
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Cores => tr("cores in use"),
            Self::Class => tr("lifetime class"),
            Self::Uplinks => tr("uplinks reserved"),
            Self::Draw => tr("power drawn"),
        }
    }
}

/// The selection of the quantity.
pub(super) fn colour_by(link: &Link, choices: &[Colouring], colours: Colouring) -> Html {
    let of_menu = choices.to_vec();
    let onchange = link.callback(move |event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
        MapMessage::Colours(of_menu.get(chosen.max(0) as usize).copied().unwrap_or_default())
    });
    let option = |choice: &Colouring| {
        let title = choice.title();
        html! { <option value={title} selected={*choice == colours}>{ title }</option> }
    };
    html! {
        <label class="picker">{ tr("Colour by ") }<select ~value={colours.title()} {onchange} aria-label={tr("Colour by")}>{ for choices.iter().map(option) }</select></label>
    }
}
