//! The map's colours, and how they fill a cell.

use tiebreak_model::Phase as HostPhase;
use tiebreak_sim::{LifeByte, MachineByte};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlCanvasElement, NodeList};

/// How much of its colour an excluded machine keeps.
const FADED: f64 = 0.4;

/// The map's colours, from the style sheet. The canvas has them as colours of borders that it does not draw, so the
/// browser resolves them for the current theme.
pub(in crate::parts) struct Colours {
    empty: [u8; 3],
    low: [u8; 3],
    high: [u8; 3],
    pub(in crate::parts) mark: String,
    /// The stripes of machines that accept no VMs.
    pub(super) unready: [u8; 3],
    pub(in crate::parts) failed: String,
    pub(in crate::parts) page: String,
    /// The page's background, to fade to.
    ground: [u8; 3],
    /// The colours of lifetime classes, from the legend; empty if it has none.
    classes: Vec<[u8; 3]>,
}

impl Colours {
    pub(in crate::parts) fn of_page(canvas: &HtmlCanvasElement) -> Self {
        let read = |property: &str| computed(canvas, property);
        let swatches = gloo::utils::document().query_selector_all(".legend .class").ok();
        let swatches =
            (0..swatches.as_ref().map_or(0, NodeList::length)).filter_map(|index| swatches.as_ref()?.get(index));
        let classes = swatches.map(|swatch| computed(swatch.unchecked_ref(), "background-color"));
        let css = |[red, green, blue]: [u8; 3]| format!("rgb({red} {green} {blue})");
        Self {
            empty: read("border-top-color"),
            low: read("border-left-color"),
            high: read("border-right-color"),
            mark: css(read("caret-color")),
            failed: css(read("border-bottom-color")),
            page: css(read("text-decoration-color")),
            ground: read("text-decoration-color"),
            unready: read("column-rule-color"),
            classes: classes.collect(),
        }
    }

    /// A machine's class as colour and its state as outline: an open one is hollow, a recycling one is filled; if the
    /// cell is too small for that, an open machine is pale.
    pub(super) fn of_life(&self, life: LifeByte, size: u32) -> Paint {
        let class = self.classes.get(usize::from(life.class())).copied().unwrap_or(self.empty);
        match life.phase() {
            HostPhase::Empty => Paint::plain(self.empty),
            HostPhase::Recycling => Paint::plain(class),
            HostPhase::Open if size < 5 => Paint::plain([0, 1, 2].map(|at| class[at].midpoint(self.empty[at]))),
            HostPhase::Open => Paint { edge: class, wide: (size / 5).max(1), inside: self.empty },
        }
    }

    pub(in crate::parts) fn of(&self, machine: MachineByte) -> [u8; 3] {
        if machine.is_empty() { self.empty } else { self.between(machine.cores_in_use()) }
    }

    pub(super) fn of_share(&self, share: f64) -> [u8; 3] {
        if share == 0.0 { self.empty } else { self.between(share.min(1.0)) }
    }

    /// The colour of a machine at this opacity over the page's background.
    pub(in crate::parts) fn faded(&self, machine: MachineByte, presence: f64) -> [u8; 3] {
        let (colour, share) = (self.of(machine), FADED + (1.0 - FADED) * presence);
        [0, 1, 2].map(|index| {
            let (page, colour) = (f64::from(self.ground[index]), f64::from(colour[index]));
            (page + (colour - page) * share) as u8
        })
    }

    fn between(&self, share: f64) -> [u8; 3] {
        [0, 1, 2].map(|index| {
            let (low, high) = (f64::from(self.low[index]), f64::from(self.high[index]));
            (low + (high - low) * share) as u8
        })
    }
}

/// The first three numbers of an element's property: the channels of a colour.
fn computed(element: &Element, property: &str) -> [u8; 3] {
    let style = gloo::utils::window().get_computed_style(element).ok().flatten();
    let text = style.and_then(|style| style.get_property_value(property).ok()).unwrap_or_default();
    let numbers: Vec<u8> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    [0, 1, 2].map(|index| numbers.get(index).copied().unwrap_or(128))
}

/// The fill of a cell.
pub(super) struct Paint {
    edge: [u8; 3],
    /// The width of the edge in pixels.
    wide: u32,
    inside: [u8; 3],
}

impl Paint {
    pub(super) const fn plain(colour: [u8; 3]) -> Self {
        Self { edge: colour, wide: 0, inside: colour }
    }

    /// The colour of a pixel of a cell of this size.
    pub(super) fn at(&self, column: u32, row: u32, size: u32) -> [u8; 3] {
        let is_inside = |place: u32| (self.wide..size.saturating_sub(self.wide)).contains(&place);
        if is_inside(column) && is_inside(row) { self.inside } else { self.edge }
    }
}
