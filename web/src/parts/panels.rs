//! The panels of the table and their state: dispatches messages to them and renders them in their frames.

use std::any::Any;

use tiebreak_app::App;
use tiebreak_i18n::tr;
use web_sys::Event;
use yew::prelude::*;

use super::PANELS;
use super::panel::{Act, Frame, Link, News, Panel, Place, Scene, Sent, Tabs};
use super::tabs::{self, Tab};

/// A line of the table.
pub(crate) struct Entry {
    place: Place,
    id: &'static str,
    title: &'static str,
    frame: Frame,
    is_shown: fn(&App) -> bool,
    is_needed: fn(&App) -> bool,
    summary: fn(&App) -> String,
    make: fn() -> Box<dyn Live>,
}

impl Entry {
    /// The line for a panel.
    pub(super) const fn of<P: Panel>(place: Place) -> Self {
        Self {
            place,
            id: P::ID,
            title: P::TITLE,
            frame: P::FRAME,
            is_shown: P::is_shown,
            is_needed: P::is_needed,
            summary: P::summary,
            make: || Box::new(P::default()),
        }
    }
}

/// A panel of any message type.
trait Live {
    fn as_any(&self) -> &dyn Any;

    /// Handles the message if it belongs to this panel, otherwise returns it.
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

/// All panels, in the order of the table, and the tabs that are open.
pub(crate) struct Panels {
    standing: Vec<Standing>,
    left: &'static str,
    under: &'static str,
}

/// A panel in its place.
struct Standing {
    entry: &'static Entry,
    panel: Box<dyn Live>,
}

impl Panels {
    /// The initial panels: the first of each set of tabs is open.
    pub(crate) fn new() -> Self {
        let standing = PANELS.iter().map(|entry| Standing { entry, panel: (entry.make)() }).collect();
        let first = |of: Tabs| {
            PANELS
                .iter()
                .filter_map(|entry| entry.place.tab())
                .find(|(tabs, _)| *tabs == of)
                .map_or("", |(_, name)| name)
        };
        Self { standing, left: first(Tabs::Left), under: first(Tabs::Under) }
    }

    /// The panel of this type.
    pub(crate) fn get<P: Panel>(&self) -> Option<&P> {
        self.standing.iter().find_map(|standing| standing.panel.as_any().downcast_ref())
    }

    /// Passes a message to the panel that it belongs to.
    pub(crate) fn update(&mut self, message: Box<dyn Any>, link: &Link, app: &App) -> Vec<Sent> {
        let mut message = message;
        for standing in &mut self.standing {
            match standing.panel.update(message, link, app) {
                Ok(sent) => return sent,
                Err(other) => message = other,
            }
        }
        Vec::new()
    }

    /// Passes news to all panels; returns what they send.
    pub(crate) fn hear(&mut self, news: &News<'_>, link: &Link, app: &App) -> Vec<Sent> {
        self.standing.iter_mut().flat_map(|standing| standing.panel.hear(news, link, app)).collect()
    }

    /// Opens the tab that contains the panel with this id.
    pub(crate) fn open(&mut self, id: &str, link: &Link, app: &App) -> Vec<Sent> {
        let tab = PANELS.iter().find(|entry| entry.id == id).and_then(|entry| entry.place.tab());
        tab.map_or_else(Vec::new, |(tabs, name)| self.select(tabs, name, link, app))
    }

    /// Opens a tab, and closes the one that was open in its set.
    pub(crate) fn select(&mut self, tabs: Tabs, name: &'static str, link: &Link, app: &App) -> Vec<Sent> {
        let open = match tabs {
            Tabs::Left => &mut self.left,
            Tabs::Under => &mut self.under,
        };
        let closed = std::mem::replace(open, name);
        if closed == name {
            return Vec::new();
        }
        let mut sent = Vec::new();
        for standing in &mut self.standing {
            let (Some(place), panel) = (standing.entry.place.tab(), &mut standing.panel) else { continue };
            if place == (tabs, closed) {
                sent.extend(panel.hear(&News::Opened(false), link, app));
            } else if place == (tabs, name) {
                sent.extend(panel.hear(&News::Opened(true), link, app));
            }
        }
        sent
    }

    /// The open tab of each set.
    pub(crate) fn open_tabs(&self) -> [&'static str; 2] {
        [self.left, self.under]
    }

    /// Whether this place has any panel to show.
    pub(crate) fn has(&self, place: Place, app: &App) -> bool {
        self.at(place).any(|standing| (standing.entry.is_shown)(app))
    }

    /// The panels in this place.
    pub(crate) fn view(&self, place: Place, link: &Link, scene: &Scene<'_>) -> Html {
        html! { { for self.at(place).map(|standing| standing.view(link, scene)) } }
    }

    /// A set of tabs with the content of the open one; of the first if the open one has nothing to show.
    pub(crate) fn view_tabs(&self, of: Tabs, label: &'static str, link: &Link, scene: &Scene<'_>) -> Html {
        let (open, id) = match of {
            Tabs::Left => (self.left, "left"),
            Tabs::Under => (self.under, "under"),
        };
        let (names, others) = self.tabs(of, open, scene.app);
        let Some(open) = names.iter().copied().find(|name| *name == open).or(names.first().copied()) else {
            return Html::default();
        };
        let tab = |name: &&'static str| {
            let name = *name;
            let select = link.callback(move |_: MouseEvent| Act::Tab(of, name));
            Tab { label: tr(name), is_selected: name == open, select }
        };
        let place = if of == Tabs::Left { Place::Left(open) } else { Place::Under(open) };
        html! {
            <>
                if names.len() > 1 {
                    <div class="tabs-row">
                        { tabs::list(label, id, names.iter().map(tab)) }
                        if !others.is_empty() { { more(of, &others, link) } }
                    </div>
                }
                <div class={format!("{id}-panel")} key={open} role={(names.len() > 1).then_some("tabpanel")}
                    aria-labelledby={(names.len() > 1).then(|| format!("{id}-tab"))}>{ self.view(place, link, scene) }</div>
            </>
        }
    }

    /// The content of all tabs of a set, one below the other.
    pub(crate) fn view_all(&self, of: Tabs, link: &Link, scene: &Scene<'_>) -> Html {
        let all =
            self.standing.iter().filter(|standing| standing.entry.place.tab().is_some_and(|(tabs, _)| tabs == of));
        html! { { for all.map(|standing| standing.view(link, scene)) } }
    }

    /// Runs after the page is rendered.
    pub(crate) fn rendered(&self, scene: &Scene<'_>) {
        self.standing.iter().for_each(|standing| standing.panel.rendered(scene));
    }

    /// The tabs with content, in the order of the table: first those that are needed or open, then the others.
    /// Everything that a lesson shows counts as needed.
    fn tabs(&self, of: Tabs, open: &str, app: &App) -> (Vec<&'static str>, Vec<&'static str>) {
        let (mut names, mut others) = (Vec::new(), Vec::new());
        for Standing { entry, .. } in self.standing.iter().filter(|standing| (standing.entry.is_shown)(app)) {
            let Some((_, name)) = entry.place.tab().filter(|(tabs, _)| *tabs == of) else { continue };
            let is_needed = name == open || app.lesson.is_some() || (entry.is_needed)(app);
            let list = if is_needed { &mut names } else { &mut others };
            if !list.contains(&name) {
                list.push(name);
            }
        }
        (names, others)
    }

    fn at(&self, place: Place) -> impl Iterator<Item = &Standing> {
        self.standing.iter().filter(move |standing| standing.entry.place == place)
    }
}

impl Standing {
    /// Empty if it is not shown, so that its siblings keep their positions in the tree.
    fn view(&self, link: &Link, scene: &Scene<'_>) -> Html {
        let Entry { title, summary, is_shown, frame, .. } = *self.entry;
        if !is_shown(scene.app) {
            return Html::default();
        }
        match frame {
            Frame::Bare => self.panel.view(link, scene),
            Frame::Region(heading) => html! {
                <section class="anatomy" aria-label={tr(title)}>
                    <h2>{ tr(heading) }<span class="muted">{ summary(scene.app) }</span></h2>
                    { self.panel.view(link, scene) }
                </section>
            },
        }
    }
}

/// The list of the tabs that are not shown.
fn more(of: Tabs, others: &[&'static str], link: &Link) -> Html {
    let options = others.to_vec();
    let choose = link.batch_callback(move |event: Event| {
        let select: web_sys::HtmlSelectElement = event.target_unchecked_into();
        let chosen = usize::try_from(select.selected_index() - 1).ok().and_then(|index| options.get(index).copied());
        select.set_selected_index(0);
        chosen.map(|name| Act::Tab(of, name))
    });
    html! {
        <select class="more-tabs" aria-label={tr("More topics")} onchange={choose}>
            <option selected=true>{ tr("More…") }</option>
            { for others.iter().map(|name| html! { <option key={*name}>{ tr(name) }</option> }) }
        </select>
    }
}

/// Whether every panel of the table has a unique id; otherwise, opening a panel would open the first one with its id.
const fn have_ids_of_their_own(panels: &[Entry]) -> bool {
    let mut pair = 0;
    while pair < panels.len() * panels.len() {
        let (one, other) = (pair / panels.len(), pair % panels.len());
        if one < other && is_same(panels[one].id.as_bytes(), panels[other].id.as_bytes()) {
            return false;
        }
        pair += 1;
    }
    true
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([], []) => true,
        ([a, one @ ..], [b, other @ ..]) => *a == *b && is_same(one, other),
        _ => false,
    }
}

const _: () = assert!(have_ids_of_their_own(PANELS), "two panels have one id");
