//! The fleet map: one cell per machine, rack by rack, darker the fuller it is, or coloured by its
//! lifetime class, by what is reserved of its uplinks or by the power it draws; outlined where a commit failed shortly before. The links of
//! the VM that is explained are drawn over it.
//!
//! Painted pixel by pixel into one image, so that a hundred thousand machines cost as
//! much as the canvas is large. The cells' size is the largest at which all fit.

use tiebreak_i18n::{mark, say, tell, tr};
use tiebreak_lab::app::{Lane, Outcome, Phase};
use tiebreak_lab::protocol::{Company, Failed, Layout};
use tiebreak_lab::view::{failures, words};
use tiebreak_lab::{App, Message};
use tiebreak_model::{Phase as HostPhase, Phrase, Readiness};
use tiebreak_scenario::Variant;
use tiebreak_sim::{LifeByte, MachineByte, ShareByte};
use wasm_bindgen::{Clamped, JsCast};
use web_sys::{
    CanvasRenderingContext2d, Element, Event, HtmlCanvasElement, HtmlSelectElement, ImageData, KeyboardEvent,
    MouseEvent, NodeList,
};
use yew::html::Scope;
use yew::prelude::*;

use crate::page::{Page, PageMessage};

/// Machines one above the other in a rack: low racks where the page is wide enough.
const RACK_HEIGHTS: [u32; 2] = [5, 10];

/// Height of the map in CSS pixels, at most.
const HEIGHT_MAX: u32 = 230;

/// Racks that the data table lists.
const TABLE_RACKS: usize = 200;

/// Columns of its data table.
const HEADS: [&str; 7] = [
    mark("Cluster"),
    mark("Rack"),
    mark("Machines"),
    mark("Empty"),
    mark("Cores in use"),
    mark("Not ready"),
    mark("Commit failed"),
];

/// How every machine stands, at the sampled moments or only now.
#[derive(Default)]
pub(crate) struct Frames {
    bytes: Vec<u8>,
    machines: usize,
    /// Bytes of a machine in a frame.
    planes: usize,
    has_lives: bool,
    has_uplinks: bool,
    has_draws: bool,
    /// Counts replacements.
    version: u32,
    /// How full machines were at a moment between two frames, where that was asked for.
    between: Option<(f64, Vec<u8>)>,
}

/// What colours tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Colouring {
    /// How full a machine is.
    #[default]
    Cores,
    /// Its lifetime class.
    Class,
    /// What is reserved of its uplinks.
    Uplinks,
    /// What it draws of its share of the power budget.
    Draw,
}

impl Colouring {
    /// All that there are frames for.
    fn of(layout: &Layout) -> Vec<Self> {
        let some = [
            (Self::Cores, true),
            (Self::Class, !layout.classes.is_empty()),
            (Self::Uplinks, layout.has_uplinks),
            (Self::Draw, layout.has_draws),
        ];
        some.into_iter().filter(|(_, there)| *there).map(|(colouring, _)| colouring).collect()
    }

    fn title(self) -> &'static str {
        match self {
            Self::Cores => tr("cores in use"),
            Self::Class => tr("lifetime class"),
            Self::Uplinks => tr("uplinks reserved"),
            Self::Draw => tr("power drawn"),
        }
    }
}

/// The machines at one moment: a byte each.
#[derive(Clone, Copy)]
struct Frame<'a> {
    fullness: &'a [u8],
    /// None where nothing is known of lifetimes.
    lives: &'a [u8],
    /// None where VMs are not linked.
    uplinks: &'a [u8],
    /// None where draws are not measured.
    draws: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Shares of something, a byte each, where colours tell of one.
    fn shares(&self, told: Colouring) -> &'a [u8] {
        match told {
            Colouring::Uplinks => self.uplinks,
            Colouring::Draw => self.draws,
            Colouring::Cores | Colouring::Class => &[],
        }
    }
}

impl Frames {
    /// Replaces everything known.
    pub(crate) fn replace(&mut self, bytes: Vec<u8>, layout: &Layout) {
        (self.bytes, self.machines) = (bytes, layout.machines as usize);
        (self.has_lives, self.has_uplinks) = (!layout.classes.is_empty(), layout.has_uplinks);
        self.has_draws = layout.has_draws;
        self.planes = 1 + [self.has_lives, self.has_uplinks, self.has_draws].map(usize::from).iter().sum::<usize>();
        self.version += 1;
        self.between = None;
    }

    /// Machines at a moment, a byte each.
    pub(crate) fn told(&mut self, time: f64, bytes: Vec<u8>) {
        if bytes.len() == self.machines {
            self.between = Some((time, bytes));
            self.version += 1;
        }
    }

    /// The machines at `time`.
    fn at(&self, frame_times: &[f64], time: f64) -> Frame<'_> {
        let index = frame_times.partition_point(|taken| *taken <= time).saturating_sub(1);
        let plane = |plane: usize, there: bool| {
            let from = (index * self.planes + plane) * self.machines;
            self.bytes.get(from..from + self.machines).filter(|_| there).unwrap_or(&[])
        };
        let between = self.between.as_ref().filter(|(told, _)| *told == time);
        Frame {
            fullness: between.map_or_else(|| plane(0, true), |(_, bytes)| bytes),
            lives: plane(1, self.has_lives),
            uplinks: plane(1 + usize::from(self.has_lives), self.has_uplinks),
            draws: plane(self.planes.saturating_sub(1), self.has_draws),
        }
    }
}

/// The chassis of a rack: first machine, and how many.
fn chassis_of((first, machines): (u32, u32), chassis: u32) -> impl Iterator<Item = (u32, u32)> + Clone {
    let (each, more) = (machines / chassis.max(1), machines % chassis.max(1));
    (0..chassis.max(1)).map(move |at| (first + at * each + at.min(more), each + u32::from(at < more)))
}

/// Where each chassis is drawn.
struct Plan {
    cell: u32,
    rack_height: u32,
    height: u32,
    /// Chassis by chassis: left, top, first machine, machines.
    racks: Vec<(u32, u32, u32, u32)>,
}

impl Plan {
    /// One line of low racks if its cells are at least half as large as they may be, else the
    /// largest cells with which everything fits.
    fn new(layout: &Layout, width: u32, height: u32, largest: u32) -> Self {
        let low = |cell| Self::with_cell(layout, width, cell, RACK_HEIGHTS[0]);
        let mut lines = (largest / 2..=largest).rev().map(low);
        if let Some(plan) = lines.find(|plan| plan.racks.last().is_some_and(|(_, top, ..)| *top == 0)) {
            return plan;
        }
        let sizes = (1..=largest).rev().flat_map(|cell| RACK_HEIGHTS.map(|rack_height| (cell, rack_height)));
        let mut plans = sizes.map(|(cell, rack_height)| Self::with_cell(layout, width, cell, rack_height));
        plans.find(|plan| plan.height <= height).unwrap_or_else(|| Self::with_cell(layout, width, 1, RACK_HEIGHTS[0]))
    }

    fn with_cell(layout: &Layout, width: u32, cell: u32, rack_height: u32) -> Self {
        let gap = (cell / 3).max(1);
        let line = rack_height * cell + 2 * gap;
        let (mut left, mut top) = (0, 0);
        let mut racks = Vec::new();
        for (index, cluster) in layout.clusters.iter().enumerate() {
            if index > 0 {
                left += 3 * gap;
            }
            for (first, machines) in &cluster.racks {
                let chassis = chassis_of((*first, *machines), cluster.chassis);
                let wide = |machines: u32| machines.div_ceil(rack_height) * cell;
                let rack: u32 = chassis.clone().map(|(_, machines)| wide(machines)).sum();
                if left > 0 && left + rack > width {
                    (left, top) = (0, top + line);
                }
                for (first, machines) in chassis {
                    racks.push((left, top, first, machines));
                    // Chassis of a rack stand closer together than racks.
                    left += wide(machines) + gap / 2;
                }
                left += gap - gap / 2;
            }
        }
        Self { cell, rack_height, height: top + line, racks }
    }

    /// Left and top of the cell of a rack's n-th machine.
    fn place(&self, left: u32, top: u32, nth: u32) -> (u32, u32) {
        (left + nth / self.rack_height * self.cell, top + nth % self.rack_height * self.cell)
    }

    /// Left and top of a machine's cell.
    fn cell_of(&self, machine: u32) -> Option<(u32, u32)> {
        let index = self.racks.partition_point(|(.., first, _)| *first <= machine).checked_sub(1)?;
        let (left, top, first, machines) = *self.racks.get(index)?;
        let nth = machine - first;
        (nth < machines).then(|| self.place(left, top, nth))
    }

    /// The machine drawn at this point.
    fn machine_at(&self, x: u32, y: u32) -> Option<u32> {
        self.racks.iter().find_map(|(left, top, first, machines)| {
            let (column, row) = (x.checked_sub(*left)? / self.cell, y.checked_sub(*top)? / self.cell);
            let nth = column * self.rack_height + row;
            (row < self.rack_height && nth < *machines).then_some(first + nth)
        })
    }
}

/// The map's own state: the canvas and whether its table is open.
#[derive(Default)]
pub(crate) struct FleetMap {
    canvas: NodeRef,
    /// How machines stand.
    pub(crate) frames: Frames,
    /// What colours tell, where that is known.
    pub(crate) colours: Colouring,
    table_open: bool,
    painted: Option<Painted>,
    /// Machines in a column of a rack, as painted.
    column: u32,
}

/// What the canvas shows, to spare painting the same again.
#[derive(PartialEq)]
struct Painted {
    run: u32,
    version: u32,
    moment: f64,
    selected: Option<u32>,
    colours: Colouring,
    company: Option<Box<Company>>,
    width: u32,
    theme: String,
}

impl FleetMap {
    /// A map of nothing yet.
    pub(crate) fn new(colours: Colouring) -> Self {
        Self { colours, ..Self::default() }
    }

    /// Opens or closes the table.
    pub(crate) fn toggle_table(&mut self) {
        self.table_open = !self.table_open;
    }

    /// The map with its legend.
    /// `name` is what it is called.
    pub(crate) fn view(&self, link: &Scope<Page>, app: &App, lane: &Lane, name: &str, moment: f64) -> Html {
        let summary = lane.live.as_ref().map_or(tr("No machines yet").into(), |live| self.summary(live, moment));
        let classes = lane.live.as_ref().map_or(&[][..], |live| &live.layout.classes);
        let choices = lane.live.as_ref().map_or(Vec::new(), |live| Colouring::of(&live.layout));
        let colours = if choices.contains(&self.colours) { self.colours } else { Colouring::Cores };
        let by_class = colours == Colouring::Class;
        let is_full = company(lane).is_some_and(|company| company.behind_full.is_some());
        let company = company(lane).map(|company| tell(&company.sentence));
        let in_classes = lane.live.as_ref().filter(|_| by_class).map(|live| self.in_classes(live, moment));
        let failed = lane.live.as_ref().and_then(|live| failures::in_words(failures::at(live, moment)?));
        let click = {
            let (canvas, variant) = (self.canvas.clone(), lane.variant.clone());
            link.batch_callback(move |event: MouseEvent| {
                let canvas = canvas.cast::<HtmlCanvasElement>()?;
                let shape = canvas.get_bounding_client_rect();
                let scale = f64::from(canvas.width()) / shape.width().max(1.0);
                let at = |client: i32, edge: f64| ((f64::from(client) - edge) * scale).max(0.0) as u32;
                Some(PageMessage::MapClick(
                    variant.clone(),
                    at(event.client_x(), shape.left()),
                    at(event.client_y(), shape.top()),
                ))
            })
        };
        let (selected, machines) = (app.selection.machine, lane.live.as_ref().map_or(0, |live| live.layout.machines));
        let column = self.column;
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
            (machines > 0)
                .then(|| PageMessage::App(Message::Machine(Some(next.clamp(0, i64::from(machines) - 1) as u32))))
        });
        let described_by = match lane.id == app.front.id {
            true => "fleet-summary".to_owned(),
            false => format!("fleet-summary-{}", lane.id),
        };
        html! {
            <figure class="fleet" aria-label={name.to_owned()} key={lane.id}>
                <canvas ref={&self.canvas} role="img" tabindex="0" aria-label={name.to_owned()} aria-describedby={described_by.clone()} onclick={click} onkeydown={keys}></canvas>
                <figcaption>
                    if choices.len() > 1 { { colour_by(link, &choices, colours) } }
                    { match colours {
                        Colouring::Class => class_legend(classes),
                        Colouring::Uplinks => html! { <span class="legend" aria-hidden="true" title={tr("Share of the bandwidth of a machine's uplinks that links have reserved")}><i class="empty"></i>{ tr("idle") }<i class="ramp"></i>{ tr("full") }</span> },
                        Colouring::Draw => html! { <span class="legend" aria-hidden="true" title={tr("What a server draws of its even share of its chassis' power budget")}><i class="empty"></i>{ tr("idle") }<i class="ramp"></i>{ tr("full") }</span> },
                        Colouring::Cores => html! { <span class="legend" aria-hidden="true" title={tr("Share of a machine's cores in use")}><i class="empty"></i>{ tr("empty") }<i class="ramp"></i>{ tr("full") }</span> },
                    } }
                    if company.is_some() {
                        <span class="legend" aria-hidden="true" title={tr("Links of the VM that is explained, and thinner those between the others of its virtual datacenter; a frame is around what stands behind a full uplink")}><i class="link"></i>{ tr("links of the VM") }
                            if is_full { <i class="failed full"></i>{ tr("full uplink") } }</span>
                    }
                    if may_be_unready(app.variant()) {
                        <span class="legend" aria-hidden="true" title={tr("Takes no new VMs: being drained or updated, or out of service")}><i class="unready"></i>{ tr("not ready") }<i class="down"></i>{ tr("failed") }</span>
                    }
                    <span class="legend" aria-hidden="true" title={tr("Since the sample before, because another agent had taken the machine's room")}><i class="failed"></i>{ tr("commit failed here") }
                        if let Some(failed) = &failed { <span class="count">{ failed }</span> }</span>
                    <span class="muted" id={described_by}>{ &summary }
                        if let Some(in_classes) = &in_classes { <span class="unseen">{ in_classes }</span> }
                        if let Some(company) = &company { <span class="unseen">{ format!("; {company}") }</span> }
                        if let Some(failed) = &failed { <span class="unseen">{ say("; commits failed on {failed} machines", &[&failed]) }</span> }</span>
                    <button class="quiet" aria-expanded={self.table_open.to_string()}
                        onclick={link.callback(|_| PageMessage::MapTable)}>{ if self.table_open { tr("Hide data table") } else { tr("Show data table") } }</button>
                </figcaption>
                if self.table_open { if let Some(live) = &lane.live { { self.table(live, moment) } } }
            </figure>
        }
    }

    fn summary(&self, live: &Outcome, moment: f64) -> String {
        let frame = self.frames.at(&live.frame_times, moment);
        let bytes = frame.fullness;
        if bytes.is_empty() {
            return tr("No machines yet").into();
        }
        let phases = match self.colours {
            Colouring::Class => phases(frame.lives),
            Colouring::Uplinks => reserved(frame.uplinks),
            Colouring::Draw => drawn(frame.draws),
            Colouring::Cores => String::new(),
        };
        let empty = machines(bytes).filter(|machine| machine.is_empty()).count();
        say(
            "{} of {} empty{phases} at {}{}",
            &[
                &words::count(empty as f64),
                &words::count(f64::from(live.layout.machines)),
                &phases,
                &words::time(moment),
                &not_ready(bytes),
            ],
        )
    }

    /// How many machines there are of each class.
    fn in_classes(&self, live: &Outcome, moment: f64) -> String {
        let lives = self.frames.at(&live.frame_times, moment).lives;
        let count = |(class, name): (u8, &Phrase)| say("{} of class {name}", &[&of_class(lives, class), &tell(name)]);
        let counts: Vec<_> = (0..).zip(&live.layout.classes).map(count).collect();
        format!("; {}", counts.join(", "))
    }

    fn table(&self, live: &Outcome, moment: f64) -> Html {
        let frame = self.frames.at(&live.frame_times, moment);
        let Frame { fullness: bytes, lives, .. } = frame;
        let shares = frame.shares(self.colours);
        let classes = if self.colours == Colouring::Class { &live.layout.classes[..] } else { &[] };
        let of_lives = |part: &[u8]| -> Html {
            let phase = |phase| part.iter().filter(|byte| LifeByte(**byte).phase() == phase).count();
            let classes = (0..).zip(classes).map(|(class, _)| of_class(part, class));
            let cells = [phase(HostPhase::Open), phase(HostPhase::Recycling)].into_iter().chain(classes);
            html! { { for cells.map(|count| html! { <td>{ count }</td> }) } }
        };
        let more = [tr("open"), tr("recycling")].into_iter().map(str::to_owned).chain(classes.iter().map(tell));
        let mut more: Vec<String> = if classes.is_empty() { Vec::new() } else { more.collect() };
        let largest =
            if self.colours == Colouring::Draw { tr("Most of its share drawn") } else { tr("Fullest uplink") };
        more.extend((!shares.is_empty()).then(|| largest.to_owned()));
        let racks = live
            .layout
            .clusters
            .iter()
            .flat_map(|cluster| cluster.racks.iter().map(move |rack| (&cluster.name, *rack)));
        let failed = failures::at(live, moment).map_or(&[][..], |failed| &failed.machines);
        let row = |(index, (cluster, (first, machines))): (usize, (&String, (u32, u32)))| {
            let part = bytes.get(first as usize..(first + machines) as usize).unwrap_or(&[]);
            let empty = self::machines(part).filter(|machine| machine.is_empty()).count();
            let unready = self::machines(part).filter(|machine| machine.readiness() != Readiness::Ready).count();
            let used: f64 = self::machines(part).map(MachineByte::cores_in_use).sum();
            let share = 100.0 * used / f64::from(machines.max(1));
            let failed = failed.iter().filter(|machine| (first..first + machines).contains(machine)).count();
            html! { <tr><td>{ cluster }</td><td>{ index }</td><td>{ say("{first} to {}", &[&first, &(first + machines - 1)]) }</td><td>{ empty }</td><td>{ format!("{share:.0} %") }</td><td>{ unready }</td><td>{ failed }</td>
            if !classes.is_empty() { { of_lives(lives.get(first as usize..(first + machines) as usize).unwrap_or(&[])) } }
            if !shares.is_empty() { <td>{ format!("{:.0} %", 100.0 * fullest(shares.get(first as usize..(first + machines) as usize).unwrap_or(&[]))) }</td> }</tr> }
        };
        html! {
            <div class="table" tabindex="0" role="region" aria-label={tr("Fleet map: data table")}><table>
                <thead><tr>{ for HEADS.iter().map(|head| html! { <th scope="col">{ tr(head) }</th> }) }
                    { for more.iter().map(|head| html! { <th scope="col">{ head }</th> }) }</tr></thead>
                <tbody>{ for racks.enumerate().take(TABLE_RACKS).map(row) }</tbody>
            </table></div>
        }
    }

    /// The machine at a point of the canvas.
    pub(crate) fn machine_at(&self, live: &Outcome, x: u32, y: u32) -> Option<u32> {
        let canvas = self.canvas.cast::<HtmlCanvasElement>()?;
        plan(live, canvas.width()).machine_at(x, y)
    }

    /// Paints the canvas if what it shows has changed. Where commits fail while a run is under way
    /// comes and goes, so it is shown then only if things may move.
    pub(crate) fn paint(&mut self, app: &App, lane: &Lane, moment: f64, width: u32, theme: &str, may_move: bool) {
        let Some(canvas) = self.canvas.cast::<HtmlCanvasElement>() else { return };
        let Some(live) = &lane.live else {
            canvas.set_height(1);
            self.painted = None;
            return;
        };
        let ratio = gloo::utils::window().device_pixel_ratio().clamp(1.0, 3.0);
        let width = (f64::from(width) * ratio) as u32;
        let painted = Painted {
            run: live.run,
            version: self.frames.version,
            moment,
            selected: app.selection.machine,
            colours: self.colours,
            company: company(lane).cloned().map(Box::new),
            width,
            theme: theme.to_owned(),
        };
        if self.painted.as_ref() == Some(&painted) {
            return;
        }
        self.painted = Some(painted);
        let plan = plan(live, width);
        self.column = plan.rack_height;
        canvas.set_width(width);
        canvas.set_height(plan.height);
        let style = canvas.style();
        let _ = style.set_property("height", &format!("{}px", f64::from(plan.height) / ratio));
        let colours = Colours::of_page(&canvas);
        let told = if Colouring::of(&live.layout).contains(&self.colours) { self.colours } else { Colouring::Cores };
        let pixels = pixels(&plan, self.frames.at(&live.frame_times, moment), width, (&colours, told));
        let Ok(Some(context)) = canvas.get_context("2d") else { return };
        let Ok(context) = context.dyn_into::<CanvasRenderingContext2d>() else { return };
        if let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), width, plan.height) {
            let _ = context.put_image_data(&image, 0.0, 0.0);
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
    }
}

/// The virtual datacenter of the VM that is explained.
fn company(lane: &Lane) -> Option<&Company> {
    lane.answer.attempts.last()?.company.as_deref()
}

/// Draws links between machines: those of the VM that is explained above the others, and a frame around
/// the machines behind an uplink that had no room for them.
fn wires(context: &CanvasRenderingContext2d, plan: &Plan, company: &Company, colours: &Colours, ratio: f64) {
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

/// Marks the machines on which commits failed: a frame inside the cell and a gap around it, so
/// that it shows on any fill; where cells are too small for that, a square over the cell.
fn outline(context: &CanvasRenderingContext2d, plan: &Plan, failed: &Failed, colours: &Colours, ratio: f64) {
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

fn plan(live: &Outcome, width: u32) -> Plan {
    let ratio = gloo::utils::window().device_pixel_ratio().clamp(1.0, 3.0);
    Plan::new(&live.layout, width, (f64::from(HEIGHT_MAX) * ratio) as u32, (24.0 * ratio) as u32)
}

/// The map's colours, from the style sheet: it gives them to the canvas as the colours of
/// borders it does not have, where a browser resolves them for the theme in force.
struct Colours {
    empty: [u8; 3],
    low: [u8; 3],
    high: [u8; 3],
    mark: String,
    /// The stripes of machines that take no VMs.
    unready: [u8; 3],
    failed: String,
    page: String,
    /// Those of lifetime classes, as the legend has them; none when it has none.
    classes: Vec<[u8; 3]>,
}

impl Colours {
    fn of_page(canvas: &HtmlCanvasElement) -> Self {
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
            unready: read("column-rule-color"),
            classes: classes.collect(),
        }
    }

    /// A machine's class as colour and its state as outline: an open one is hollow, one that
    /// recycles is filled; a cell too small for that is pale where the machine is open.
    fn of_life(&self, life: LifeByte, size: u32) -> Paint {
        let class = self.classes.get(usize::from(life.class())).copied().unwrap_or(self.empty);
        match life.phase() {
            HostPhase::Empty => Paint::plain(self.empty),
            HostPhase::Recycling => Paint::plain(class),
            HostPhase::Open if size < 5 => Paint::plain([0, 1, 2].map(|at| class[at].midpoint(self.empty[at]))),
            HostPhase::Open => Paint { edge: class, wide: (size / 5).max(1), inside: self.empty },
        }
    }

    fn of(&self, machine: MachineByte) -> [u8; 3] {
        if machine.is_empty() { self.empty } else { self.between(machine.cores_in_use()) }
    }

    fn of_share(&self, share: f64) -> [u8; 3] {
        if share == 0.0 { self.empty } else { self.between(share.min(1.0)) }
    }

    fn between(&self, share: f64) -> [u8; 3] {
        [0, 1, 2].map(|index| {
            let (low, high) = (f64::from(self.low[index]), f64::from(self.high[index]));
            (low + (high - low) * share) as u8
        })
    }
}

/// The first three numbers of a property of an element, as colours have them.
fn computed(element: &Element, property: &str) -> [u8; 3] {
    let style = gloo::utils::window().get_computed_style(element).ok().flatten();
    let text = style.and_then(|style| style.get_property_value(property).ok()).unwrap_or_default();
    let numbers: Vec<u8> = text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
    [0, 1, 2].map(|index| numbers.get(index).copied().unwrap_or(128))
}

/// How a cell is filled.
struct Paint {
    edge: [u8; 3],
    /// Pixels that the edge is wide.
    wide: u32,
    inside: [u8; 3],
}

impl Paint {
    const fn plain(colour: [u8; 3]) -> Self {
        Self { edge: colour, wide: 0, inside: colour }
    }

    /// The colour of a pixel of a cell of this size.
    fn at(&self, column: u32, row: u32, size: u32) -> [u8; 3] {
        let is_inside = |place: u32| (self.wide..size.saturating_sub(self.wide)).contains(&place);
        if is_inside(column) && is_inside(row) { self.inside } else { self.edge }
    }
}

fn pixels(plan: &Plan, frame: Frame<'_>, width: u32, (colours, told): (&Colours, Colouring)) -> Vec<u8> {
    let mut pixels = vec![0; (width * plan.height * 4) as usize];
    let inner = plan.cell - u32::from(plan.cell > 3);
    for (left, top, first, machines) in &plan.racks {
        for within in 0..*machines {
            let byte = |plane: &[u8]| plane.get((first + within) as usize).copied().unwrap_or(0);
            let machine = MachineByte(byte(frame.fullness));
            let stripes = Stripes::of(machine, plan.cell);
            let paint = match told {
                Colouring::Cores => Paint::plain(colours.of(machine)),
                Colouring::Class => colours.of_life(LifeByte(byte(frame.lives)), inner),
                Colouring::Uplinks | Colouring::Draw => {
                    Paint::plain(colours.of_share(ShareByte(byte(frame.shares(told))).share()))
                }
            };
            let (x, y) = plan.place(*left, *top, within);
            for row in y..y + inner {
                let start = ((row * width + x.min(width)) * 4) as usize;
                let end = start + (inner.min(width.saturating_sub(x)) * 4) as usize;
                if let Some(line) = pixels.get_mut(start..end) {
                    for (column, pixel) in (0..).zip(line.chunks_exact_mut(4)) {
                        let striped = stripes.as_ref().is_some_and(|stripes| stripes.cover(column, row - y));
                        let [red, green, blue] =
                            if striped { colours.unready } else { paint.at(column, row - y, inner) };
                        pixel.copy_from_slice(&[red, green, blue, 255]);
                    }
                }
            }
        }
    }
    pixels
}

/// The stripes over a machine that takes no VMs: one way while it has or may have VMs, both ways
/// when it has failed.
struct Stripes {
    /// From one stripe to the next, in pixels.
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

    /// Whether this pixel of the cell is of a stripe.
    fn cover(&self, column: u32, row: u32) -> bool {
        let Self { period, wide, both_ways } = *self;
        let falling = (column + period - row % period) % period < wide;
        (column + row) % period < wide || both_ways && falling
    }
}

/// The choice of what colours tell.
fn colour_by(link: &Scope<Page>, choices: &[Colouring], colours: Colouring) -> Html {
    let of_menu = choices.to_vec();
    let onchange = link.callback(move |event: Event| {
        let chosen = event.target_unchecked_into::<HtmlSelectElement>().selected_index();
        PageMessage::MapColours(of_menu.get(chosen.max(0) as usize).copied().unwrap_or_default())
    });
    let option = |choice: &Colouring| {
        let title = choice.title();
        html! { <option value={title} selected={*choice == colours}>{ title }</option> }
    };
    html! {
        <label class="picker">{ tr("Colour by ") }<select ~value={colours.title()} {onchange} aria-label={tr("Colour by")}>{ for choices.iter().map(option) }</select></label>
    }
}

/// The largest reserved share of these machines' uplinks.
fn fullest(uplinks: &[u8]) -> f64 {
    uplinks.iter().map(|byte| ShareByte(*byte).share()).fold(0.0, f64::max).min(1.0)
}

/// How much is reserved of the fullest uplink, and how many are nearly full; nothing where that is not known.
fn reserved(uplinks: &[u8]) -> String {
    if uplinks.is_empty() {
        return String::new();
    }
    let nearly = uplinks.iter().filter(|byte| ShareByte(**byte).share() >= 0.9).count();
    say(", uplinks of {} nine tenths full or more", &[&words::count(nearly as f64)])
}

/// How many servers draw more than their share; nothing where that is not known.
fn drawn(draws: &[u8]) -> String {
    if draws.is_empty() {
        return String::new();
    }
    let over = draws.iter().filter(|byte| ShareByte(**byte).share() > 1.0).count();
    say(", {} above their share of the power budget", &[&words::count(over as f64)])
}

/// What colours and outlines mean where they tell lifetime classes.
fn class_legend(classes: &[Phrase]) -> Html {
    let class = |(index, name): (usize, &Phrase)| {
        html! { <span class="key"><i class={classes!("class", format!("class-{index}"))}></i>{ tell(name) }</span> }
    };
    html! {
        <>
            <span class="legend" aria-hidden="true" title={tr("How long the VMs are expected to live that a machine takes or waits for")}><i class="empty"></i>{ tr("empty") }{ for classes.iter().enumerate().map(class) }</span>
            <span class="legend" aria-hidden="true" title={tr("Open machines take VMs of their class; recycling ones take shorter-lived VMs and wait for those they have")}><i class="open"></i>{ tr("open") }<i class="recycling"></i>{ tr("recycling") }</span>
        </>
    }
}

/// Machines of a class that have VMs.
fn of_class(lives: &[u8], class: u8) -> usize {
    let is_of = |life: LifeByte| life.phase() != HostPhase::Empty && life.class() == class;
    lives.iter().filter(|byte| is_of(LifeByte(**byte))).count()
}

/// How many machines are open and how many recycle; nothing where that is not known.
fn phases(lives: &[u8]) -> String {
    let count = |phase| lives.iter().filter(|byte| LifeByte(**byte).phase() == phase).count() as f64;
    if lives.is_empty() {
        return String::new();
    }
    let (open, recycling) = (count(HostPhase::Open), count(HostPhase::Recycling));
    say(", {} open, {} recycling", &[&words::count(open), &words::count(recycling)])
}

fn machines(bytes: &[u8]) -> impl Iterator<Item = MachineByte> + '_ {
    bytes.iter().map(|byte| MachineByte(*byte))
}

/// How many machines take no VMs, in words; nothing when all do.
fn not_ready(bytes: &[u8]) -> String {
    let count = |readiness: Readiness| machines(bytes).filter(|machine| machine.readiness() == readiness).count();
    let told = [(count(Readiness::Failed), tr("failed")), (count(Readiness::Unready), tr("not ready"))];
    told.iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("; {} {what}", words::count(*count as f64)))
        .collect()
}

/// Whether any machine of a variant can be one that takes no VMs.
fn may_be_unready(variant: &Variant) -> bool {
    !variant.incidents.is_empty() || variant.clusters.iter().any(|row| row.settings.unready > 0)
}
