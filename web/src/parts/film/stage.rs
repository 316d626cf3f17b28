//! The picture of a moment: the fleet map of the decision, the VM above it, and the machines left.

use tiebreak_engine::protocol::{Explained, Layout};
use tiebreak_placement::explain::KEPT;
use tiebreak_sim::MachineByte;
use tiebreak_view::film::{At, Film, Shot, presence, rival};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use crate::parts::fleet_map::colours::Colours;
use crate::parts::fleet_map::map::ratio;
use crate::parts::fleet_map::painting::cells;
use crate::parts::fleet_map::plan::Plan;

/// Height in CSS pixels of the strip above the map in which the VM waits.
const STRIP: f64 = 26.0;

/// Side of the VM, in CSS pixels.
const VM: f64 = 14.0;

/// The side of a machine that dropped out, as a share of its cell; one too small for that turns pale.
const SHRUNK: f64 = 0.3;

/// Everything needed to paint a moment.
pub(super) struct Stage {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    plan: Plan,
    colours: Colours,
    width: u32,
    ratio: f64,
    /// The fill level of every machine, one byte each.
    fullness: Vec<u8>,
    /// The step at which every machine dropped out.
    dropped_at: Vec<u8>,
    winner: Option<u32>,
    /// Whether it is known that another agent's VM was placed there first.
    has_rival: bool,
    pub(super) film: Film,
}

impl Stage {
    /// A stage on a canvas of this width in CSS pixels.
    pub(super) fn new(
        canvas: HtmlCanvasElement,
        layout: &Layout,
        decision: &Explained,
        fullness: Vec<u8>,
        css_width: f64,
    ) -> Option<Self> {
        let ratio = ratio();
        let width = (css_width * ratio) as u32;
        let plan = Plan::on_canvas(layout, width, ratio);
        let height = (STRIP * ratio) as u32 + plan.height;
        canvas.set_width(width);
        canvas.set_height(height);
        let _ = canvas.style().set_property("height", &format!("{}px", f64::from(height) / ratio));
        let context = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        Some(Self {
            colours: Colours::of_page(&canvas),
            canvas,
            context,
            plan,
            width,
            ratio,
            fullness,
            dropped_at: decision.dropped_at.clone(),
            winner: decision.winner,
            has_rival: rival(decision).is_some(),
            film: Film::of(decision),
        })
    }

    /// Paints a moment.
    pub(super) fn paint(&self, at: At) {
        self.paint_map(|byte| presence(byte, at));
        if at.shot.has_best() {
            self.outline_best(if at.shot == Shot::Best { at.progress } else { 1.0 });
        }
        self.paint_vm(at);
    }

    /// Paints the machines left after a step.
    pub(super) fn paint_after(&self, step: u8) {
        self.paint_map(|byte| if byte > step { 1.0 } else { 0.0 });
    }

    fn paint_map(&self, presence: impl Fn(u8) -> f64) {
        let (inner, strip) = (self.plan.inner(), f64::from(self.strip()));
        let byte = |plane: &[u8], machine: u32| plane.get(machine as usize).copied().unwrap_or(0);
        let pixels = cells(&self.plan, self.width, |machine| {
            let there = presence(byte(&self.dropped_at, machine));
            let size = f64::from(inner) * (SHRUNK + (1.0 - SHRUNK) * there);
            let edge = ((f64::from(inner) - size) / 2.0).round() as u32;
            let colour = self.colours.faded(MachineByte(byte(&self.fullness, machine)), there);
            let is_inside = move |place: u32| (edge..inner - edge).contains(&place) || inner < 5;
            move |column, row| (is_inside(column) && is_inside(row)).then_some(colour)
        });
        self.context.clear_rect(0.0, 0.0, f64::from(self.canvas.width()), f64::from(self.canvas.height()));
        if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), self.width, self.plan.height) {
            let _ = self.context.put_image_data(&image, 0.0, strip);
        }
    }

    /// The machines tied for best; those too small for an outline are shown by colour alone.
    fn outline_best(&self, strength: f64) {
        if self.plan.inner() < 4 {
            return;
        }
        let best = (0..).zip(&self.dropped_at).filter(|(_, byte)| **byte == KEPT);
        self.context.set_global_alpha(strength);
        best.for_each(|(machine, _)| self.outline(machine, &self.colours.mark));
        self.context.set_global_alpha(1.0);
    }

    fn outline(&self, machine: u32, colour: &str) {
        let Some((left, top)) = self.plan.cell_of(machine) else { return };
        let wide = (2.0 * self.ratio).min((f64::from(self.plan.cell) / 3.0).max(1.0));
        let size = f64::from(self.plan.inner().max(4)) - wide;
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(wide);
        let top = f64::from(top + self.strip());
        self.context.stroke_rect(f64::from(left) + wide / 2.0, top + wide / 2.0, size, size);
    }

    /// The VM: it enters from the left, waits above the map, and moves to its machine; after a conflict it returns.
    fn paint_vm(&self, at: At) {
        let waits = (f64::from(self.width) / 2.0, STRIP * self.ratio / 2.0);
        let from = (-VM * self.ratio, waits.1);
        let goal = self.winner.and_then(|machine| self.middle(machine)).unwrap_or(waits);
        let (machine, beside) = if self.has_rival { self.side_by_side(goal) } else { (goal, goal) };
        let eased = at.progress * at.progress * (3.0 - 2.0 * at.progress);
        let between =
            |from: (f64, f64), to: (f64, f64)| (from.0 + (to.0 - from.0) * eased, from.1 + (to.1 - from.1) * eased);
        let (place, colour) = match at.shot {
            Shot::Arrives => (between(from, waits), &self.colours.mark),
            Shot::Drops(_) | Shot::Best => (waits, &self.colours.mark),
            Shot::Lands | Shot::Reaches => (between(waits, machine), &self.colours.mark),
            Shot::Lost => (between(machine, waits), &self.colours.failed),
            Shot::Refused => (waits, &self.colours.failed),
        };
        if let Some(winner) = self.winner.filter(|_| at.shot.has_winner()) {
            self.outline(winner, colour);
        }
        if self.has_rival && matches!(at.shot, Shot::Reaches | Shot::Lost) {
            let comes = (f64::from(self.width) + VM * self.ratio, waits.1);
            self.rival(if at.shot == Shot::Reaches { between(comes, beside) } else { between(beside, goal) });
        }
        self.square(place, colour);
        if at.shot == Shot::Refused || at.shot == Shot::Lost {
            self.cross(place, at.progress);
        }
    }

    fn square(&self, (x, y): (f64, f64), colour: &str) {
        let size = VM * self.ratio;
        self.context.set_fill_style_str(colour);
        self.context.fill_rect(x - size / 2.0, y - size / 2.0, size, size);
    }

    /// Positions for two VMs at a machine, anywhere on the canvas.
    fn side_by_side(&self, (x, y): (f64, f64)) -> ((f64, f64), (f64, f64)) {
        let half = VM * self.ratio / 2.0;
        let x = x.clamp(2.0 * half, f64::from(self.width) - 2.0 * half);
        ((x - half - 1.0, y), (x + half + 1.0, y))
    }

    /// The VM of the other agent, drawn hollow.
    fn rival(&self, (x, y): (f64, f64)) {
        let (size, wide) = (VM * self.ratio, 2.0 * self.ratio);
        self.context.set_fill_style_str(&self.colours.page);
        self.context.fill_rect(x - size / 2.0, y - size / 2.0, size, size);
        self.context.set_stroke_style_str(&self.colours.mark);
        self.context.set_line_width(wide);
        self.context.stroke_rect(x - (size - wide) / 2.0, y - (size - wide) / 2.0, size - wide, size - wide);
    }

    /// Crosses the VM out.
    fn cross(&self, (x, y): (f64, f64), strength: f64) {
        let reach = VM * self.ratio * 0.8;
        self.context.set_global_alpha(strength);
        self.context.set_stroke_style_str(&self.colours.failed);
        self.context.set_line_width(2.0 * self.ratio);
        self.context.begin_path();
        for slope in [1.0, -1.0] {
            self.context.move_to(x - reach, y - reach * slope);
            self.context.line_to(x + reach, y + reach * slope);
        }
        self.context.stroke();
        self.context.set_global_alpha(1.0);
    }

    fn middle(&self, machine: u32) -> Option<(f64, f64)> {
        let (left, top) = self.plan.cell_of(machine)?;
        let half = f64::from(self.plan.inner()) / 2.0;
        Some((f64::from(left) + half, f64::from(top + self.strip()) + half))
    }

    fn strip(&self) -> u32 {
        (STRIP * self.ratio) as u32
    }
}
