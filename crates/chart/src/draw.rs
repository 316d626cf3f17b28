//! The drawing, in paint order: heading, axes, bands, lines from the faintest to the strongest, labels at the line
//! ends.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind};
use plotters::element::{Circle, PathElement, Polygon, Rectangle};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, RGBAColor, ShapeStyle, TextStyle};

use tiebreak_i18n::tr;

use crate::axis_value::unit_is_symbol;
use crate::look::{self, Ink, Palette};
use crate::plot::Marks;
use crate::plot_area::{PlotArea, layout};
use crate::series::{Moment, Role, Series, Style, TimeChart};
use crate::{axis_time, downsample, numbers};

/// How the backend's pixels relate to CSS px.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Backend pixels per CSS px.
    scale: f64,
    /// Divisor for text sizes: plotters' SVG backend writes text smaller than its canvas.
    text_divisor: f64,
}

impl Surface {
    /// A canvas or bitmap with this many pixels per CSS px (`devicePixelRatio`).
    pub fn canvas(pixels_per_px: f64) -> Self {
        let usable = pixels_per_px.is_finite() && pixels_per_px > 0.0;
        Self { scale: if usable { pixels_per_px } else { 1.0 }, text_divisor: 1.0 }
    }

    /// plotters' SVG backend with this many units per CSS px. More units than
    /// one give lines that do not snap to whole px.
    pub fn svg(units_per_px: f64) -> Self {
        Self { text_divisor: 1.24, ..Self::canvas(units_per_px) }
    }
}

type DrawResult<DB> = Result<(), DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;

/// Draws a chart over the whole of `root` and returns the position of the data, in CSS px. Does not paint the
/// background.
///
/// # Errors
/// Only errors of the backend.
pub fn draw<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    chart: &TimeChart,
    palette: &Palette,
    surface: Surface,
) -> Result<PlotArea, DrawingAreaErrorKind<DB::ErrorType>> {
    draw_on(root, chart, None, palette, surface)
}

/// The same, also for axes of another quantity than time.
pub(crate) fn draw_on<DB: DrawingBackend>(
    root: &DrawingArea<DB, Shift>,
    chart: &TimeChart,
    marks: Option<&Marks>,
    palette: &Palette,
    surface: Surface,
) -> Result<PlotArea, DrawingAreaErrorKind<DB::ErrorType>> {
    let (width, height) = root.dim_in_pixel();
    let width = f64::from(width) / surface.scale;
    let (mut area, axis) = layout(chart, width, f64::from(height) / surface.scale);
    area.value_range = marks.map_or(area.value_range, Marks::value_range);
    let is_ghost_bars = |s: &Series| s.role == Role::Ghost && s.style == Style::Bars;
    let ghost_has_bars = chart.series.iter().any(is_ghost_bars);
    let brush = Brush { root, palette, surface, area, ghost_has_bars, names_only: marks.is_some() };
    brush.heading(chart, width)?;
    match marks {
        None => {
            let label = |tick: &f64| (*tick, axis.label(*tick, &chart.unit));
            brush.value_axis(axis.ticks.iter().map(label))?;
            brush.time_axis()?;
        }
        Some(marks) => {
            brush.value_axis(marks.up.iter().cloned())?;
            brush.marks_across(marks)?;
        }
    }
    brush.moments(chart, width)?;
    if chart.is_empty() {
        brush.no_data()?;
        return Ok(area);
    }
    for series in faintest_first(chart) {
        brush.band(series)?;
    }
    for series in faintest_first(chart) {
        brush.series(series)?;
    }
    brush.baseline()?;
    brush.names(chart, width)?;
    Ok(area)
}

/// Ghosts below variants below the live run, except that the live run's bars go below the outlines of variants, which
/// they would hide.
fn faintest_first(chart: &TimeChart) -> Vec<&Series> {
    let mut order: Vec<&Series> = chart.series.iter().collect();
    order.sort_by_key(|series| match (series.role, series.style) {
        (Role::Ghost, _) => 0,
        (Role::Live, Style::Bars) => 1,
        (Role::Variant(_), _) => 2,
        (Role::Live, _) => 3,
    });
    order
}

fn ink_of(role: Role) -> Ink {
    match role {
        Role::Live => Ink::Live,
        Role::Ghost => Ink::Ghost,
        Role::Variant(n) => [Ink::Variant1, Ink::Variant2, Ink::Variant3, Ink::Variant4][usize::from(n % 4)],
    }
}

fn width_of(role: Role) -> f64 {
    match role {
        Role::Live => look::LIVE_WIDTH_PX,
        Role::Ghost => look::GHOST_WIDTH_PX,
        Role::Variant(_) => look::VARIANT_WIDTH_PX,
    }
}

/// Draws one chart in CSS px.
struct Brush<'a, DB: DrawingBackend> {
    root: &'a DrawingArea<DB, Shift>,
    palette: &'a Palette,
    surface: Surface,
    area: PlotArea,
    /// If so, the live run's bars are narrower, so that the ghost's stay visible beside them.
    ghost_has_bars: bool,
    /// Whether the labels at line ends omit the last value.
    names_only: bool,
}

/// Separates title and unit; a special space, so that the SVG code can find where the lighter part begins.
pub(crate) const UNIT_FOLLOWS: char = '\u{2002}';

/// The style of a piece of text.
struct Lettering {
    ink: Ink,
    size_px: f64,
    bold: bool,
    anchor: HPos,
}

impl Lettering {
    fn plain(ink: Ink, anchor: HPos) -> Self {
        Self { ink, size_px: look::TEXT_PX, bold: false, anchor }
    }
}

impl<DB: DrawingBackend> Brush<'_, DB> {
    /// The title, followed by a unit too long for the ticks. Both are one text, because only the renderer knows where
    /// the title ends.
    fn heading(&self, chart: &TimeChart, width: f64) -> DrawResult<DB> {
        let style = Lettering { size_px: look::TITLE_PX, bold: true, ..Lettering::plain(Ink::Text, HPos::Left) };
        let title = printable(&chart.title);
        let heading = if chart.unit.is_empty() || unit_is_symbol(&chart.unit) {
            title
        } else {
            format!("{title}{UNIT_FOLLOWS}{}", printable(&chart.unit))
        };
        let fitted = look::fitted(&heading, look::TITLE_PX * look::BOLD, width);
        self.text_as_is(&fitted, (0.0, 10.0), &style)
    }

    fn value_axis(&self, ticks: impl Iterator<Item = (f64, String)>) -> DrawResult<DB> {
        for (tick, label) in ticks {
            let y = crisp(self.area.y_of(tick));
            let ends = [(self.area.left, y), (self.area.right, y)];
            self.line(&ends, Ink::Grid, 1.0)?;
            let style = Lettering::plain(Ink::Muted, HPos::Right);
            self.text(&label, (self.area.left - 8.0, y), &style)?;
        }
        self.baseline()
    }

    /// The base of values: zero if it is on the axis, else the bottom of the plot.
    fn baseline(&self) -> DrawResult<DB> {
        let y = crisp(self.area.y_of(self.area.value_range.0.max(0.0)));
        self.line(&[(self.area.left, y), (self.area.right, y)], Ink::Axis, 1.0)
    }

    fn time_axis(&self) -> DrawResult<DB> {
        let ticks_max = look::time_ticks_max(self.area.width());
        axis_time::ticks(self.area.time_range, ticks_max).into_iter().try_for_each(|tick| self.tick(tick))
    }

    /// The horizontal axis of a quantity other than time, with its name.
    fn marks_across(&self, marks: &Marks) -> DrawResult<DB> {
        marks.across.iter().try_for_each(|tick| self.tick(tick.clone()))?;
        let place = (self.area.right + 18.0, crisp(self.area.bottom) + 13.0);
        self.text(&marks.counts, place, &Lettering::plain(Ink::Muted, HPos::Left))
    }

    fn tick(&self, (place, label): (f64, String)) -> DrawResult<DB> {
        let (x, foot) = (crisp(self.area.x_of(place)), crisp(self.area.bottom));
        self.line(&[(x, foot), (x, foot + 4.0)], Ink::Axis, 1.0)?;
        self.text(&label, (x, foot + 13.0), &Lettering::plain(Ink::Muted, HPos::Center))
    }

    /// A line at each marked moment, and its label between heading and plot if the next one leaves room.
    fn moments(&self, chart: &TimeChart, width: f64) -> DrawResult<DB> {
        let (start, end) = self.area.time_range;
        let shown: Vec<&Moment> = chart.moments.iter().filter(|moment| (start..=end).contains(&moment.time)).collect();
        for (index, moment) in shown.iter().enumerate() {
            let x = crisp(self.area.x_of(moment.time));
            let top = self.area.top - look::MOMENT_ABOVE_PX;
            self.line(&[(x, top), (x, self.area.bottom)], Ink::Moment, 1.0)?;
            let room = shown.get(index + 1).map_or(width, |next| self.area.x_of(next.time)) - x - 6.0;
            let name = look::fitted(&moment.label, look::TEXT_PX, room);
            if name == moment.label || name.chars().count() >= look::MOMENT_LETTERS_MIN {
                self.text(&name, (x + 4.0, top + 4.0), &Lettering::plain(Ink::Moment, HPos::Left))?;
            }
        }
        Ok(())
    }

    fn no_data(&self) -> DrawResult<DB> {
        let centre = ((self.area.left + self.area.right) / 2.0, (self.area.top + self.area.bottom) / 2.0);
        self.text_over_lines(tr("No data yet"), centre, &Lettering::plain(Ink::Muted, HPos::Center))
    }

    fn band(&self, series: &Series) -> DrawResult<DB> {
        let band = downsample::thin_band(&series.band, self.area.time_range, self.columns());
        if band.len() < 2 {
            return Ok(());
        }
        let edge = |side: fn(&(f64, f64, f64)) -> (f64, f64)| -> Vec<(f64, f64)> {
            let edge: Vec<_> = band.iter().map(side).collect();
            match series.style {
                Style::Line => edge,
                Style::Steps | Style::Bars => downsample::staircase(&edge),
            }
        };
        let mut outline = edge(|&(t, _, high)| (t, high));
        outline.extend(edge(|&(t, low, _)| (t, low)).into_iter().rev());
        let ink = match series.role {
            Role::Live => Ink::Band,
            other => ink_of(other),
        };
        let colour = self.palette.colour(ink).mix(look::BAND_ALPHA);
        self.root.draw(&Polygon::new(self.pixels_of_data(&outline), colour))
    }

    fn series(&self, series: &Series) -> DrawResult<DB> {
        if series.style == Style::Bars && series.role == Role::Live {
            let share = if self.ghost_has_bars { look::BAR_BEFORE_GHOST_SHARE } else { 1.0 };
            return self.bars(series, share, 1.0);
        }
        if series.style == Style::Bars && series.role == Role::Ghost {
            self.bars(series, 1.0, look::GHOST_BAR_ALPHA)?;
            return self.bar_caps(series);
        }
        let ink = ink_of(series.role);
        for run in self.runs(series) {
            if let [only] = run[..] {
                self.dot(only, ink)?;
                continue;
            }
            let path = match series.style {
                Style::Line => run,
                Style::Steps | Style::Bars => downsample::staircase(&run),
            };
            self.path(self.pixels_of_data(&path), ink, width_of(series.role))?;
        }
        Ok(())
    }

    /// The parts of a series between gaps, reduced to the points that can be seen.
    fn runs(&self, series: &Series) -> Vec<Vec<(f64, f64)>> {
        let range = self.area.time_range;
        if series.style == Style::Bars {
            return self.bar_outline(series);
        }
        let seen = downsample::visible(&series.points, range, series.style);
        let thinned = downsample::lowest_and_highest(seen, range, self.columns());
        downsample::runs(&thinned, series.style)
    }

    /// The tops of the bars as one staircase, broken where bars are missing.
    fn bar_outline(&self, series: &Series) -> Vec<Vec<(f64, f64)>> {
        let mut runs: Vec<Vec<(f64, f64)>> = Vec::new();
        for (from, to, value) in self.bar_spans(series) {
            match runs.last_mut() {
                Some(run) if run.last().is_some_and(|&(t, _)| (t - from).abs() < 0.5) => {
                    run.pop();
                    run.extend([(from, value), (to, value)]);
                }
                _ => runs.push(vec![(from, value), (to, value)]),
            }
        }
        runs
    }

    fn bar_spans(&self, series: &Series) -> Vec<(f64, f64, f64)> {
        let narrowest = look::BAR_PITCH_MIN_PX * self.area.ms_per_px();
        downsample::bars(&series.points, self.area.time_range, narrowest)
    }

    /// The tops of pale bars in full colour.
    fn bar_caps(&self, series: &Series) -> DrawResult<DB> {
        let cap = |(from, to, value)| {
            let (y, half) = (self.area.y_of(value), look::GHOST_WIDTH_PX / 2.0);
            [(self.area.x_of(from), y - half), (self.area.x_of(to), y + half)]
        };
        self.blocks(self.bar_spans(series).into_iter().map(cap), ink_of(series.role), 1.0)
    }

    /// Bars over the middle `share` of their periods; the ghost's have no gaps.
    fn bars(&self, series: &Series, share: f64, alpha: f64) -> DrawResult<DB> {
        let foot = self.area.y_of(0.0);
        let bar = |(from, to, value)| {
            let (left, right) = (self.area.x_of(from), self.area.x_of(to));
            let gap = if series.role == Role::Live { 1.0 } else { 0.0 };
            let inset = ((right - left) * (1.0 - share)).max(gap) / 2.0;
            let y = self.area.y_of(value);
            [(left + inset, y.min(foot)), (right - inset, y.max(foot))]
        };
        self.blocks(self.bar_spans(series).into_iter().map(bar), ink_of(series.role), alpha)
    }

    /// Rectangles that do not overlap, by two corners each, as one shape: the drawing of a run that goes on keeps its
    /// number of elements. The way from each to the next and back encloses nothing.
    fn blocks(&self, corners: impl Iterator<Item = [(f64, f64); 2]>, ink: Ink, alpha: f64) -> DrawResult<DB> {
        let (mut outline, mut way_back) = (Vec::new(), Vec::new());
        for [upper, lower] in corners {
            let ((left, top), (right, bottom)) = (self.pixel(upper), self.pixel(lower));
            outline.extend([(left, bottom), (left, top), (right, top), (right, bottom), (left, bottom)]);
            way_back.push((left, bottom));
        }
        outline.extend(way_back.into_iter().rev());
        self.root.draw(&Polygon::new(outline, self.palette.colour(ink).mix(alpha)))
    }

    /// Each series' name and last value beside its end.
    fn names(&self, chart: &TimeChart, width: f64) -> DrawResult<DB> {
        let decimals = numbers::decimals_for(chart.series.iter().flat_map(|s| s.points.iter().map(|p| p.1)));
        let mut names: Vec<Name> =
            chart.series.iter().filter_map(|series| self.name(series, &chart.unit, decimals, width)).collect();
        spread(&mut names, self.area.top, self.area.bottom);
        for name in &names {
            if name.has_dot {
                self.dot(name.end, name.ink)?;
            }
            let style = Lettering { bold: name.ink == Ink::Live, ..Lettering::plain(name.ink, HPos::Left) };
            let place = (name.x, name.y);
            if name.x < self.area.right {
                self.text_over_lines(&name.text, place, &style)?;
            } else {
                self.text(&name.text, place, &style)?;
            }
        }
        Ok(())
    }

    fn name(&self, series: &Series, unit: &str, decimals: usize, width: f64) -> Option<Name> {
        let (start, end) = self.area.time_range;
        let (time, value) = series.latest_at(end)?;
        let is_bars = series.style == Style::Bars;
        let time = match series.points.last() {
            // In a zoomed range, a step that began earlier extends to the end.
            Some(&(last, _)) if last > end && series.style == Style::Steps => end,
            _ if is_bars => self.bar_spans(series).last().map_or(time, |bar| bar.1),
            _ => time,
        };
        if time < start {
            return None;
        }
        let x = self.area.x_of(time) + 7.0;
        let room = width - x;
        Some(Name {
            text: name_text(series, value, unit, decimals, is_bars || self.names_only, room)?,
            end: (time, value),
            has_dot: !is_bars,
            x,
            y: self.area.y_of(value),
            ink: ink_of(series.role),
        })
    }

    fn line(&self, points: &[(f64, f64)], ink: Ink, width_px: f64) -> DrawResult<DB> {
        let pixels = points.iter().map(|p| self.pixel(*p)).collect();
        self.path(pixels, ink, width_px)
    }

    fn path(&self, pixels: Vec<(i32, i32)>, ink: Ink, width_px: f64) -> DrawResult<DB> {
        let style = self.stroke(self.palette.colour(ink).to_rgba(), width_px);
        self.root.draw(&PathElement::new(pixels, style))
    }

    fn dot(&self, (time, value): (f64, f64), ink: Ink) -> DrawResult<DB> {
        let centre = self.pixel((self.area.x_of(time), self.area.y_of(value)));
        let radius = (look::DOT_RADIUS_PX * self.surface.scale).round() as i32;
        let style = self.palette.colour(ink).filled();
        self.root.draw(&Circle::new(centre, radius, style))
    }

    /// Text on a patch of background colour, so that lines behind it do not disturb.
    fn text_over_lines(&self, text: &str, (x, y): (f64, f64), style: &Lettering) -> DrawResult<DB> {
        let weight = if style.bold { look::BOLD } else { 1.0 };
        let width = look::text_width(text, style.size_px) * weight;
        let left = match style.anchor {
            HPos::Left => x,
            HPos::Center => x - width / 2.0,
            HPos::Right => x - width,
        };
        let corners = [self.pixel((left - 2.0, y - 8.0)), self.pixel((left + width + 2.0, y + 8.0))];
        let ground = self.palette.colour(Ink::Background).mix(0.8).filled();
        self.root.draw(&Rectangle::new(corners, ground))?;
        self.text(text, (x, y), style)
    }

    fn text(&self, text: &str, place: (f64, f64), lettering: &Lettering) -> DrawResult<DB> {
        self.text_as_is(&printable(text), place, lettering)
    }

    fn text_as_is(&self, text: &str, place: (f64, f64), lettering: &Lettering) -> DrawResult<DB> {
        let size = lettering.size_px * self.surface.scale * self.surface.text_divisor;
        let weight = if lettering.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = FontDesc::new(FontFamily::Name(look::FONT), size, weight);
        let colour = self.palette.colour(lettering.ink);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(lettering.anchor, VPos::Center));
        self.root.draw_text(text, &style, self.pixel(place))
    }

    fn stroke(&self, color: RGBAColor, width_px: f64) -> ShapeStyle {
        ShapeStyle { color, filled: false, stroke_width: (width_px * self.surface.scale).round().max(1.0) as u32 }
    }

    fn pixels_of_data(&self, points: &[(f64, f64)]) -> Vec<(i32, i32)> {
        let place = |&(t, v): &(f64, f64)| self.pixel((self.area.x_of(t), self.area.y_of(v)));
        let mut pixels: Vec<(i32, i32)> = points.iter().map(place).collect();
        pixels.dedup();
        pixels
    }

    fn pixel(&self, (x, y): (f64, f64)) -> (i32, i32) {
        let scale = self.surface.scale;
        ((x * scale).round() as i32, (y * scale).round() as i32)
    }

    fn columns(&self) -> usize {
        self.area.width().ceil() as usize
    }
}

/// The label of a series, and its preferred position.
struct Name {
    text: String,
    end: (f64, f64),
    has_dot: bool,
    x: f64,
    y: f64,
    ink: Ink,
}

/// The longest text that fits: name and value, the value's number, the name.
fn name_text(series: &Series, value: f64, unit: &str, decimals: usize, name_only: bool, room: f64) -> Option<String> {
    let unit = if unit_is_symbol(unit) { unit } else { "" };
    let number = numbers::with_unit(value, decimals, unit);
    let label = series.label.trim();
    let full = format!("{label} {number}").trim().to_owned();
    let is_bold = series.role == Role::Live;
    let size = look::TEXT_PX * if is_bold { look::BOLD } else { 1.0 };
    let fits = |text: &str| look::text_width(text, size) <= room;
    let text = match (name_only, label) {
        (true, _) => look::fitted(label, size, room),
        (false, "") => number,
        (false, _) if fits(&full) => full,
        (false, _) => look::fitted(label, size, room),
    };
    (!text.is_empty()).then_some(text)
}

/// Moves labels apart, as little as possible, so that they do not overlap.
fn spread(names: &mut [Name], top: f64, bottom: f64) {
    names.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut least = top;
    for name in names.iter_mut() {
        name.y = name.y.max(least);
        least = name.y + look::NAME_GAP_PX;
    }
    let mut most = bottom - 2.0;
    for name in names.iter_mut().rev() {
        name.y = name.y.min(most);
        most = name.y - look::NAME_GAP_PX;
    }
}

/// The middle of a device row, where a line of 1 px is sharp.
fn crisp(px: f64) -> f64 {
    px.floor() + 0.5
}

/// Text on one line, without characters that XML forbids or that have a special meaning here.
pub(crate) fn printable(text: &str) -> String {
    let forbidden = |c: char| c.is_control() || matches!(c, UNIT_FOLLOWS | '\u{fffe}' | '\u{ffff}');
    text.replace(forbidden, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name_at(y: f64) -> Name {
        Name { text: "A".into(), end: (0.0, 0.0), has_dot: true, x: 0.0, y, ink: Ink::Live }
    }

    #[test]
    fn names_never_overlap() {
        for ys in [vec![50.0, 51.0], vec![28.0, 29.0, 30.0], vec![146.0, 145.0, 20.0]] {
            let mut names: Vec<Name> = ys.iter().map(|y| name_at(*y)).collect();
            spread(&mut names, 28.0, 146.0);
            let apart = |w: &[Name]| w[1].y - w[0].y >= look::NAME_GAP_PX;
            assert!(names.windows(2).all(apart), "{ys:?}");
            assert!(names.iter().all(|n| (28.0..=146.0).contains(&n.y)), "{ys:?}");
        }
    }
}
