//! The legend of the map's colours and outlines.

use tiebreak_i18n::{tell, tr};
use tiebreak_model::Phrase;
use yew::prelude::*;

use super::colouring::Colouring;

/// The legend of colours; `classes` are the lifetime classes.
pub(super) fn of_colours(colours: Colouring, classes: &[Phrase]) -> Html {
    let ramp = |title: &'static str, empty: &'static str| {
        html! { <span class="legend" aria-hidden="true" {title}><i class="empty"></i>{ empty }<i class="ramp"></i>{ tr("full") }</span> }
    };
    match colours {
        Colouring::Class => of_classes(classes),
        Colouring::Uplinks => ramp(tr("Reserved share of the bandwidth of a machine's uplinks"), tr("idle")),
        Colouring::Draw => {
            ramp(tr("A server's draw, as a share of an equal part of its chassis' power budget"), tr("idle"))
        }
        Colouring::Cores => ramp(tr("Share of a machine's cores in use"), tr("empty")),
    }
}

/// The meaning of colours and outlines for lifetime classes.
fn of_classes(classes: &[Phrase]) -> Html {
    let class = |(index, name): (usize, &Phrase)| {
        html! { <span class="key"><i class={classes!("class", format!("class-{index}"))}></i>{ tell(name) }</span> }
    };
    html! {
        <>
            <span class="legend" aria-hidden="true" title={tr("Expected lifetime of the VMs that a machine takes or waits for")}><i class="empty"></i>{ tr("empty") }{ for classes.iter().enumerate().map(class) }</span>
            <span class="legend" aria-hidden="true" title={tr("Open machines take VMs of their class. Recycling machines take shorter-lived VMs and wait for those they have.")}><i class="open"></i>{ tr("open") }<i class="recycling"></i>{ tr("recycling") }</span>
        </>
    }
}
