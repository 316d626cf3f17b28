//! The map of one variant: a canvas with its legend and its table.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tiebreak_app::{App, Lane, Message, Outcome, Phase};
use tiebreak_engine::protocol::Company;
use tiebreak_i18n::{say, tell, tr};
use tiebreak_view::failures;
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};
use yew::prelude::*;

use super::colouring::{Colouring, colour_by};
use super::colours::Colours;
use super::frames::{Frame, Frames};
use super::painting::{fade, outline, pixels, wires};
use super::plan::Plan;
use super::tip::Tip;
use super::{MapMessage, legend, table, words};
use crate::parts::panel::Link;

/// The map's own state: the canvas, and whether its table is open.
#[derive(Default)]
pub(super) struct FleetMap {
    canvas: NodeRef,
    /// The states of machines.
    pub(super) frames: Frames,
    /// The quantity that colours show, if it is known.
    pub(super) colours: Colouring,
    table_open: bool,
    painted: RefCell<Option<Painted>>,
    /// Machines in a column of a rack, as painted.
    column: Cell<u32>,
    pub(super) tip: Rc<Tip>,
}

/// What the canvas shows, to avoid painting it again.
#[derive(PartialEq)]
struct Painted {
    run: u32,
    version: u32,
    moment: f64,
    /// The step of an explanation after which the machines left are shown, and the decision that it belongs to.
    left: Option<(u8, f64)>,
    selected: Option<u32>,
    colours: Colouring,
    company: Option<Box<Company>>,
    width: u32,
    theme: String,
}

impl FleetMap {
    /// A map without data.
    pub(super) fn new(colours: Colouring) -> Self {
        Self { colours, ..Self::default() }
    }

    /// Opens or closes the table.
    pub(super) fn toggle_table(&mut self) {
        self.table_open = !self.table_open;
    }

    /// The map with its legend, at this width in CSS pixels. `name` is its name.
    pub(super) fn view(&self, link: &Link, app: &App, lane: &Lane, (name, width): (&str, u32), moment: f64) -> Html {
        // Until it is painted, it reserves the space that it will need.
        let unpainted = lane.live.as_ref().filter(|_| self.painted.borrow().is_none());
        let room = unpainted.map(|live| {
            let plan = Plan::on_canvas(&live.layout, width, 1.0);
            format!("aspect-ratio:{width}/{}", plan.height)
        });
        let summary = lane.live.as_ref().map_or(tr("No machines yet").into(), |live| {
            words::summary(self.frame(live, moment), self.colours, live, moment)
        });
        let classes = lane.live.as_ref().map_or(&[][..], |live| &live.layout.classes);
        let choices = lane.live.as_ref().map_or(Vec::new(), |live| Colouring::of(&live.layout));
        let colours = if choices.contains(&self.colours) { self.colours } else { Colouring::Cores };
        let by_class = colours == Colouring::Class;
        let is_full = company(lane).is_some_and(|company| company.behind_full.is_some());
        let company = company(lane).map(|company| tell(&company.sentence));
        let in_classes = lane.live.as_ref().filter(|_| by_class);
        let in_classes = in_classes.map(|live| words::in_classes(self.frame(live, moment).lives, classes));
        let failed = lane.live.as_ref().and_then(|live| failures::in_words(failures::at(live, moment)?));
        let click = {
            let (canvas, variant, tip) = (self.canvas.clone(), lane.variant.clone(), Rc::clone(&self.tip));
            link.batch_callback(move |event: MouseEvent| {
                tip.hide();
                let (x, y) = pixel(&canvas.cast::<HtmlCanvasElement>()?, &event);
                Some(MapMessage::Click(variant.clone(), x, y))
            })
        };
        let point = {
            let (canvas, tip) = (self.canvas.clone(), Rc::clone(&self.tip));
            Callback::from(move |event: MouseEvent| {
                if let Some(canvas) = canvas.cast::<HtmlCanvasElement>() {
                    tip.follow(&canvas, &event, pixel(&canvas, &event));
                }
            })
        };
        let leave = {
            let tip = Rc::clone(&self.tip);
            Callback::from(move |_: MouseEvent| tip.hide())
        };
        let (selected, machines) = (app.selection.machine, lane.live.as_ref().map_or(0, |live| live.layout.machines));
        let column = self.column.get();
        let keys = link.batch_callback(move |event: KeyboardEvent| {
            let by = match event.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "ArrowRight" => i64::from(column),
                "ArrowLeft" => -i64::from(column),
                _ => return None,
            };
            event.prevent_default();
            let next = selected.map_or(0, |machine| i64::from(machine) + by);
            (machines > 0).then(|| Message::Machine(Some(next.clamp(0, i64::from(machines) - 1) as u32)))
        });
        let described_by = match lane.id == app.front.id {
            true => "fleet-summary".to_owned(),
            false => format!("fleet-summary-{}", lane.id),
        };
        html! {
            <figure class="fleet" aria-label={name.to_owned()} key={lane.id}>
                <canvas ref={&self.canvas} style={room} role="img" tabindex="0" aria-label={name.to_owned()} aria-describedby={described_by.clone()} onclick={click} onmousemove={point} onmouseout={leave} onkeydown={keys}></canvas>
                { self.tip.view() }
                <figcaption>
                    if choices.len() > 1 { { colour_by(link, &choices, colours) } }
                    { legend::of_colours(colours, classes) }
                    if company.is_some() {
                        <span class="legend" aria-hidden="true" title={tr("Links of the explained VM; thinner, the links between the other VMs of its virtual datacenter. A frame marks what is behind a full uplink.")}><i class="link"></i>{ tr("links of the VM") }
                            if is_full { <i class="failed full"></i>{ tr("full uplink") } }</span>
                    }
                    if words::may_be_unready(app.variant()) {
                        <span class="legend" aria-hidden="true" title={tr("Takes no new VMs: drained, being updated or out of service")}><i class="unready"></i>{ tr("not ready") }<i class="down"></i>{ tr("failed") }</span>
                    }
                    <span class="legend" aria-hidden="true" title={tr("Since the previous sample, because another agent had used the machine's capacity")}><i class="failed"></i>{ tr("two agents collided here") }
                        if let Some(failed) = &failed { <span class="count">{ failed }</span> }</span>
                    <span class="muted" id={described_by}>{ &summary }
                        if let Some(in_classes) = &in_classes { <span class="unseen">{ in_classes }</span> }
                        if let Some(company) = &company { <span class="unseen">{ format!("; {company}") }</span> }
                        if let Some(failed) = &failed { <span class="unseen">{ say("; commits failed on {failed} machines", &[&failed]) }</span> }</span>
                    <button class="quiet" aria-expanded={self.table_open.to_string()}
                        onclick={link.callback(|_| MapMessage::Table)}>{ if self.table_open { tr("Hide data table") } else { tr("Show data table") } }</button>
                </figcaption>
                if self.table_open { if let Some(live) = &lane.live { { table::table(self.frame(live, moment), self.colours, live, moment) } } }
            </figure>
        }
    }

    fn frame<'a>(&'a self, live: &Outcome, moment: f64) -> Frame<'a> {
        self.frames.at(&live.frame_times, moment)
    }

    /// The machine at a point of the canvas.
    pub(super) fn machine_at(&self, live: &Outcome, x: u32, y: u32) -> Option<u32> {
        let canvas = self.canvas.cast::<HtmlCanvasElement>()?;
        Plan::on_canvas(&live.layout, canvas.width(), ratio()).machine_at(x, y)
    }

    /// Paints the canvas if its content has changed. Failed commits flicker while a run is in progress, so they are
    /// shown then only if animation is allowed. If the user looks at a decision, machines dropped by a step are
    /// faded.
    pub(super) fn paint(
        &self,
        app: &App,
        lane: &Lane,
        (moment, left): (f64, Option<u8>),
        width: u32,
        theme: &str,
        may_move: bool,
    ) {
        let Some(canvas) = self.canvas.cast::<HtmlCanvasElement>() else { return };
        let Some(live) = &lane.live else {
            canvas.set_height(1);
            self.painted.take();
            return;
        };
        let ratio = ratio();
        let width = (f64::from(width) * ratio) as u32;
        let left = left.zip(lane.answer.attempts.last());
        let painted = Painted {
            run: live.run,
            version: self.frames.version,
            moment,
            left: left.map(|(step, decision)| (step, decision.at_ms)),
            selected: app.selection.machine,
            colours: self.colours,
            company: company(lane).cloned().map(Box::new),
            width,
            theme: theme.to_owned(),
        };
        if self.painted.borrow().as_ref() == Some(&painted) {
            return;
        }
        self.painted.replace(Some(painted));
        let plan = Plan::on_canvas(&live.layout, width, ratio);
        self.column.set(plan.rack_height);
        if (canvas.width(), canvas.height()) != (width, plan.height) {
            canvas.set_width(width);
            canvas.set_height(plan.height);
        }
        let _ = canvas.style().set_property("height", &format!("{}px", f64::from(plan.height) / ratio));
        let colours = Colours::of_page(&canvas);
        let told = if Colouring::of(&live.layout).contains(&self.colours) { self.colours } else { Colouring::Cores };
        let pixels = pixels(&plan, self.frame(live, moment), width, (&colours, told));
        let Ok(Some(context)) = canvas.get_context("2d") else { return };
        let Ok(context) = context.dyn_into::<CanvasRenderingContext2d>() else { return };
        if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), width, plan.height) {
            let _ = context.put_image_data(&image, 0.0, 0.0);
        }
        if let Some((step, decision)) = left {
            fade(&context, &plan, &decision.dropped_at, step, &colours);
        }
        if let Some(failed) = failures::at(live, moment).filter(|_| may_move || lane.phase != Phase::Running) {
            outline(&context, &plan, failed, &colours, ratio);
        }
        if let Some(company) = company(lane) {
            wires(&context, &plan, company, &colours, ratio);
        }
        if let Some((left, top)) = app.selection.machine.and_then(|machine| plan.cell_of(machine)) {
            context.set_stroke_style_str(&colours.mark);
            context.set_line_width((2.0 * ratio).min(f64::from(plan.cell).max(2.0)));
            let size = f64::from(plan.cell.max(4));
            context.stroke_rect(f64::from(left), f64::from(top), size, size);
        }
        self.tip.set(plan, &live.layout, self.frame(live, moment).fullness);
    }
}

/// The pixel of a canvas under the pointer.
fn pixel(canvas: &HtmlCanvasElement, event: &MouseEvent) -> (u32, u32) {
    let shape = canvas.get_bounding_client_rect();
    let scale = f64::from(canvas.width()) / shape.width().max(1.0);
    let at = |client: i32, edge: f64| ((f64::from(client) - edge) * scale).max(0.0) as u32;
    (at(event.client_x(), shape.left()), at(event.client_y(), shape.top()))
}

/// Canvas pixels per CSS pixel.
pub(in crate::parts) fn ratio() -> f64 {
    gloo::utils::window().device_pixel_ratio().clamp(1.0, 3.0)
}

/// The virtual datacenter of the explained VM.
fn company(lane: &Lane) -> Option<&Company> {
    lane.answer.attempts.last()?.company.as_deref()
}
