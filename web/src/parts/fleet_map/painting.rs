//! The picture: cells pixel by pixel, and the lines over them.

use tiebreak_engine::protocol::{Company, Failed};
use tiebreak_model::Readiness;
use tiebreak_sim::{LifeByte, MachineByte, ShareByte};
use web_sys::CanvasRenderingContext2d;

use super::colouring::Colouring;
use super::colours::{Colours, Paint};
use super::frames::Frame;
use super::plan::Plan;

/// All cells, four bytes per pixel.
pub(super) fn pixels(plan: &Plan, frame: Frame<'_>, width: u32, (colours, told): (&Colours, Colouring)) -> Vec<u8> {
    let inner = plan.inner();
    cells(plan, width, |id| {
        let byte = |plane: &[u8]| plane.get(id as usize).copied().unwrap_or(0);
        let machine = MachineByte(byte(frame.fullness));
        let stripes = Stripes::of(machine, plan.cell);
        let paint = match told {
            Colouring::Cores => Paint::plain(colours.of(machine)),
            Colouring::Class => colours.of_life(LifeByte(byte(frame.lives)), inner),
            Colouring::Uplinks | Colouring::Draw => {
                Paint::plain(colours.of_share(ShareByte(byte(frame.shares(told))).share()))
            }
        };
        move |column, row| {
            let striped = stripes.as_ref().is_some_and(|stripes| stripes.cover(column, row));
            Some(if striped { colours.unready } else { paint.at(column, row, inner) })
        }
    })
}

/// Every machine's cell, four bytes per pixel: the colour for each column and row within the cell, or `None` if
/// transparent.
pub(in crate::parts) fn cells<P>(plan: &Plan, width: u32, cell: impl Fn(u32) -> P) -> Vec<u8>
where
    P: Fn(u32, u32) -> Option<[u8; 3]>,
{
    let mut pixels = vec![0; (width * plan.height * 4) as usize];
    let inner = plan.inner();
    for (left, top, first, machines) in &plan.racks {
        for within in 0..*machines {
            let colour = cell(first + within);
            let (x, y) = plan.place(*left, *top, within);
            for row in y..y + inner {
                let start = ((row * width + x.min(width)) * 4) as usize;
                let end = start + (inner.min(width.saturating_sub(x)) * 4) as usize;
                if let Some(line) = pixels.get_mut(start..end) {
                    for (column, pixel) in (0..).zip(line.chunks_exact_mut(4)) {
                        if let Some([red, green, blue]) = colour(column, row - y) {
                            pixel.copy_from_slice(&[red, green, blue, 255]);
                        }
                    }
                }
            }
        }
    }
    pixels
}

/// The stripes over a machine that accepts no VMs: in one direction while it has or may have VMs, in both if it has
/// failed.
struct Stripes {
    /// The distance between two stripes, in pixels.
    period: u32,
    wide: u32,
    both_ways: bool,
}

impl Stripes {
    fn of(machine: MachineByte, cell: u32) -> Option<Self> {
        let period = (cell / 3).max(2);
        let stripes = |both_ways| Self { period, wide: (period / 4).max(1), both_ways };
        match machine.readiness() {
            Readiness::Ready => None,
            Readiness::Unready => Some(stripes(false)),
            Readiness::Failed => Some(stripes(true)),
        }
    }

    /// Whether a stripe covers this pixel of the cell.
    fn cover(&self, column: u32, row: u32) -> bool {
        let Self { period, wide, both_ways } = *self;
        let falling = (column + period - row % period) % period < wide;
        (column + row) % period < wide || both_ways && falling
    }
}

/// Draws links between machines: those of the explained VM on top, and a frame around the machines behind an uplink
/// without enough bandwidth for them.
pub(super) fn wires(context: &CanvasRenderingContext2d, plan: &Plan, company: &Company, colours: &Colours, ratio: f64) {
    let middle = |machine: u32| {
        let (left, top) = plan.cell_of(machine)?;
        let half = f64::from(plan.cell) / 2.0;
        Some((f64::from(left) + half, f64::from(top) + half))
    };
    for own in [false, true] {
        context.set_stroke_style_str(&colours.mark);
        context.set_global_alpha(if own { 0.9 } else { 0.3 });
        context.set_line_width(if own { 1.6 } else { 0.8 } * ratio);
        context.begin_path();
        for (one, other, ..) in company.links.iter().filter(|link| link.3 == own) {
            if let (Some(from), Some(to)) = (middle(*one), middle(*other)) {
                context.move_to(from.0, from.1);
                context.line_to(to.0, to.1);
            }
        }
        context.stroke();
    }
    context.set_global_alpha(1.0);
    let framed = |context: &CanvasRenderingContext2d, machine: u32, colour: &str, wide: f64| {
        let Some((left, top)) = plan.cell_of(machine) else { return };
        let (inside, size) = (wide / 2.0, f64::from(plan.cell.max(4)) - f64::from(u8::from(plan.cell > 3)));
        context.set_stroke_style_str(colour);
        context.set_line_width(wide);
        context.stroke_rect(f64::from(left) + inside, f64::from(top) + inside, size - wide, size - wide);
    };
    company.machines.iter().for_each(|(machine, _)| framed(context, *machine, &colours.mark, 1.2 * ratio));
    if let Some((first, machines)) = company.behind_full {
        (first..first + machines).for_each(|machine| framed(context, machine, &colours.failed, 2.4 * ratio));
    }
}

/// Fades the machines that a decision had dropped by the end of this step.
pub(super) fn fade(context: &CanvasRenderingContext2d, plan: &Plan, dropped_at: &[u8], step: u8, colours: &Colours) {
    context.set_fill_style_str(&colours.page);
    context.set_global_alpha(0.85);
    let side = f64::from(plan.inner().max(1));
    let dropped = (0..).zip(dropped_at).filter(|(_, byte)| **byte <= step);
    for (left, top) in dropped.filter_map(|(machine, _)| plan.cell_of(machine)) {
        context.fill_rect(f64::from(left), f64::from(top), side, side);
    }
    context.set_global_alpha(1.0);
}

/// Marks the machines on which commits failed: a frame inside the cell and a gap around it, so that it is visible on
/// any fill; if cells are too small for that, a square over the cell.
pub(super) fn outline(context: &CanvasRenderingContext2d, plan: &Plan, failed: &Failed, colours: &Colours, ratio: f64) {
    let size = f64::from(plan.cell.max(4)) - f64::from(u8::from(plan.cell > 3));
    let thick = ratio.round().max(1.0);
    let rings = if size > 8.0 * thick { &[(0.5, 1.0), (2.0, 2.0)][..] } else { &[(1.0, 2.0)][..] };
    for (left, top) in failed.machines.iter().filter_map(|machine| plan.cell_of(*machine)) {
        for (ring, (inside, wide)) in rings.iter().enumerate() {
            let gap = ring == 0 && rings.len() > 1;
            context.set_stroke_style_str(if gap { &colours.page } else { &colours.failed });
            context.set_line_width(wide * thick);
            let (inside, side) = (inside * thick, size - 2.0 * inside * thick);
            context.stroke_rect(f64::from(left) + inside, f64::from(top) + inside, side, side);
        }
    }
}
