//! The panels of the table, alive: who gets which message, and how they stand in their frames.

use std::any::Any;

use tiebreak_app::App;
use tiebreak_i18n::tr;
use web_sys::Event;
use yew::prelude::*;

use super::PANELS;
use super::panel::{Act, Frame, Link, News, Panel, Place, Scene, Sent};

/// A line of the table.
pub(crate) struct Entry {
    place: Place,
    id: &'static str,
    title: &'static str,
    frame: Frame,
    is_shown: fn(&App) -> bool,
    summary: fn(&App) -> String,
    make: fn() -> Box<dyn Live>,
}

impl Entry {
    /// The line of a panel.
    pub(super) const fn of<P: Panel>(place: Place) -> Self {
        Self {
            place,
            id: P::ID,
            title: P::TITLE,
            frame: P::FRAME,
            is_shown: P::is_shown,
            summary: P::summary,
            make: || Box::new(P::default()),
        }
    }
}

/// A panel whatever its messages are.
trait Live {
    fn as_any(&self) -> &dyn Any;

    /// Takes in the message if it is of its own, else gives it back.
    fn update(&mut self, message: Box<dyn Any>, link: &Link, app: &App) -> Result<Vec<Sent>, Box<dyn Any>>;

    fn hear(&mut self, news: &News<'_>, link: &Link, app: &App) -> Vec<Sent>;
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html;
    fn rendered(&self, scene: &Scene<'_>);
}

impl<P: Panel> Live for P {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn update(&mut self, message: Box<dyn Any>, link: &Link, app: &App) -> Result<Vec<Sent>, Box<dyn Any>> {
        message.downcast::<P::Message>().map(|message| Panel::update(self, *message, link, app))
    }

    fn hear(&mut self, news: &News<'_>, link: &Link, app: &App) -> Vec<Sent> {
        Panel::hear(self, news, link, app)
    }

    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        Panel::view(self, link, scene)
    }

    fn rendered(&self, scene: &Scene<'_>) {
        Panel::rendered(self, scene);
    }
}

/// All panels, in the order of the table.
pub(crate) struct Panels(Vec<Standing>);

/// One of them, and whether its frame is open.
struct Standing {
    entry: &'static Entry,
    panel: Box<dyn Live>,
    is_open: bool,
}

impl Panels {
    /// As they are when the page opens.
    pub(crate) fn new() -> Self {
        Self(PANELS.iter().map(|entry| Standing { entry, panel: (entry.make)(), is_open: false }).collect())
    }

    /// The panel of this type.
    pub(crate) fn get<P: Panel>(&self) -> Option<&P> {
        self.0.iter().find_map(|standing| standing.panel.as_any().downcast_ref())
    }

    /// Gives a message to the panel whose it is.
    pub(crate) fn update(&mut self, message: Box<dyn Any>, link: &Link, app: &App) -> Vec<Sent> {
        let mut message = message;
        for standing in &mut self.0 {
            match standing.panel.update(message, link, app) {
                Ok(sent) => return sent,
                Err(other) => message = other,
            }
        }
        Vec::new()
    }

    /// Tells all of them; what they send.
    pub(crate) fn hear(&mut self, news: &News<'_>, link: &Link, app: &App) -> Vec<Sent> {
        self.0.iter_mut().flat_map(|standing| standing.panel.hear(news, link, app)).collect()
    }

    /// Opens or closes the frame of a panel.
    pub(crate) fn fold(&mut self, id: &str, open: bool, link: &Link, app: &App) -> Vec<Sent> {
        let folded = self.0.iter_mut().find(|standing| standing.entry.id == id && standing.is_open != open);
        let Some(standing) = folded else { return Vec::new() };
        standing.is_open = open;
        standing.panel.hear(&News::Opened(open), link, app)
    }

    /// Whether anything stands in this place.
    pub(crate) fn has(&self, place: Place, app: &App) -> bool {
        self.at(place).any(|standing| (standing.entry.is_shown)(app))
    }

    /// What stands in this place.
    pub(crate) fn view(&self, place: Place, link: &Link, scene: &Scene<'_>) -> Html {
        html! { { for self.at(place).map(|standing| standing.view(link, scene)) } }
    }

    /// The page was drawn.
    pub(crate) fn rendered(&self, scene: &Scene<'_>) {
        self.0.iter().for_each(|standing| standing.panel.rendered(scene));
    }

    fn at(&self, place: Place) -> impl Iterator<Item = &Standing> {
        self.0.iter().filter(move |standing| standing.entry.place == place)
    }
}

impl Standing {
    /// Nothing where it is not shown, so that those beside it keep their places in the tree.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        if !(self.entry.is_shown)(scene.app) {
            return Html::default();
        }
        match self.entry.frame {
            Frame::Bare => self.panel.view(link, scene),
            Frame::Fold(heading) => self.fold(heading, link, scene),
            Frame::Disclosure(heading) => self.disclosure(heading, link, scene),
        }
    }

    fn fold(&self, heading: &'static str, link: &Link, scene: &Scene<'_>) -> Html {
        let Self { entry: Entry { id, title, summary, .. }, is_open, .. } = *self;
        let fold = link.callback(move |_: MouseEvent| Act::Fold(id, !is_open));
        html! {
            <section class="anatomy" aria-label={tr(title)}>
                <h2><button class="fold" aria-expanded={is_open.to_string()} onclick={fold}>{ tr(heading) }</button>
                    <span class="muted">{ summary(scene.app) }</span></h2>
                if is_open { { self.panel.view(link, scene) } }
            </section>
        }
    }

    fn disclosure(&self, heading: &'static str, link: &Link, scene: &Scene<'_>) -> Html {
        let Self { entry: Entry { id, title, summary, .. }, is_open, .. } = *self;
        let fold = toggled(link, is_open, move |open| Act::Fold(id, open));
        html! {
            <details class="sweep" open={is_open} ontoggle={fold}>
                <summary>{ tr(heading) }<span class="muted">{ summary(scene.app) }</span></summary>
                <section aria-label={tr(title)}>{ self.panel.view(link, scene) }</section>
            </details>
        }
    }
}

/// Sends what a hand made of a disclosure. One that was opened from elsewhere tells of it too: then nothing is sent.
pub(super) fn toggled<M: Into<Sent>>(
    link: &Link,
    is_open: bool,
    make: impl Fn(bool) -> M + 'static,
) -> Callback<Event> {
    link.batch_callback(move |event: Event| {
        let open = event.target_unchecked_into::<web_sys::Element>().has_attribute("open");
        (open != is_open).then(|| make(open))
    })
}
