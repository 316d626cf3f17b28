//! Plots over a quantity other than time (machines, agents), and several drawings in one file.
//!
//! A figure of a paper often has several panels, with machines or agents on the horizontal axis. A [`Plot`] is drawn
//! like a time chart: its values are mapped to axis positions here (on a logarithmic axis by their logarithm), and
//! the tick labels show the original values.

use std::fmt::Write;

use crate::axis_value::ValueAxis;
use crate::look::{self, Palette, Theme};
use crate::numbers;
use crate::series::{Series, TimeChart};
use crate::svg::{Caption, Words, body, elements, fragment, framed};
use crate::table::Table;

/// Lines over a quantity other than time.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What is shown, in sentence case: "Median latency".
    pub title: String,
    /// Unit of every value. May be empty.
    pub unit: String,
    /// The quantity on the horizontal axis: "machines".
    pub across: String,
    /// Whether the horizontal axis is logarithmic.
    pub across_is_log: bool,
    /// Whether the vertical axis is logarithmic; otherwise it begins at zero.
    pub up_is_log: bool,
    /// The lines, as (horizontal, vertical) values, ascending.
    pub series: Vec<Series>,
}

/// The number of words that fit on the horizontal axis; of more, only every second or third is shown.
const WORDS_MAX: usize = 12;

/// One drawing in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// Over time.
    Time(TimeChart),
    /// Over another quantity.
    Plot(Plot),
}

/// The labels of a plot's axes.
pub(crate) struct Marks {
    pub(crate) across: Vec<(f64, String)>,
    pub(crate) up: Vec<(f64, String)>,
    /// The quantity on the horizontal axis.
    pub(crate) counts: String,
}

impl Marks {
    /// From the first mark to the last.
    pub(crate) fn value_range(&self) -> (f64, f64) {
        let place = |mark: Option<&(f64, String)>| mark.map_or(0.0, |mark| mark.0);
        (place(self.up.first()), place(self.up.last()))
    }
}

/// A stand-alone SVG file of drawings below each other, each `width` by `height` px.
pub fn panels_file(panels: &[Panel], (width, height): (u32, u32), theme: Theme, caption: Caption<'_>) -> String {
    const GAP: u32 = 14;
    let palette = Palette::of(theme);
    let (mut all, mut top) = (String::new(), 0);
    for panel in panels {
        let body = body(&panel.elements(width, height), &palette);
        // Writing to a string cannot fail.
        let _ = writeln!(all, "<g transform=\"translate(0 {top})\">{body}</g>");
        top += height + GAP;
    }
    let title = panels.iter().map(Panel::title).collect::<Vec<_>>().join("; ");
    let words = Words { label: &format!("{title}. {}", caption.text), title: &title, caption };
    framed(&all, (width, top.saturating_sub(GAP)), &palette, &words)
}

/// The points of all panels: a header, then a row for each with its panel, its line, its horizontal value (ms if that
/// is time) and its vertical value. Gaps are omitted.
pub fn panels_rows(panels: &[Panel]) -> Vec<[String; 4]> {
    let mut rows = vec![["panel", "series", "across", "value"].map(String::from)];
    for panel in panels {
        for series in panel.series() {
            let known = series.points.iter().filter(|(_, value)| value.is_finite());
            let row = |(x, y): &(f64, f64)| [panel.title(), series.label.clone(), x.to_string(), y.to_string()];
            rows.extend(known.map(row));
        }
    }
    rows
}

impl Panel {
    fn title(&self) -> String {
        let (title, unit) = match self {
            Self::Time(chart) => (&chart.title, &chart.unit),
            Self::Plot(plot) => (&plot.title, &plot.unit),
        };
        if unit.is_empty() { title.clone() } else { format!("{title} ({unit})") }
    }

    fn series(&self) -> &[Series] {
        match self {
            Self::Time(chart) => &chart.series,
            Self::Plot(plot) => &plot.series,
        }
    }

    fn elements(&self, width: u32, height: u32) -> Vec<String> {
        match self {
            Self::Time(chart) => elements(chart, None, width, height).0,
            Self::Plot(plot) => {
                let (chart, marks) = plot.placed(height);
                elements(&chart, Some(&marks), width, height).0
            }
        }
    }
}

impl Plot {
    /// An SVG for the page, like [`svg`](crate::svg) of a time chart.
    pub fn svg(&self, width: u32, height: u32, label: &str) -> String {
        self.svg_of_words(&[], width, height, label)
    }

    /// The same for a horizontal axis of words: the first is at 1, the second at 2.
    pub fn svg_of_words(&self, words: &[String], width: u32, height: u32, label: &str) -> String {
        let (chart, mut marks) = self.placed(height);
        if !words.is_empty() {
            let (first, last) = chart.time_range;
            let few = words.len().div_ceil(WORDS_MAX);
            let places = (1..).map(f64::from).zip(words.iter().cloned()).step_by(few);
            marks.across = places.filter(|(at, _)| (first..=last).contains(at)).collect();
            // Words are wider than numbers and need no axis title.
            marks.counts.clear();
        }
        fragment(&elements(&chart, Some(&marks), width, height).0, width, height, label, &self.title)
    }

    /// The points as rows; all lines must have the same horizontal values.
    pub fn table(&self) -> Table {
        let mut header = vec![self.across.clone()];
        header.extend(self.series.iter().map(|series| match self.unit.as_str() {
            "" => series.label.clone(),
            unit => format!("{} ({unit})", series.label),
        }));
        let places = self.series.first().map_or(&[][..], |series| &series.points);
        let decimals = numbers::decimals_for(self.series.iter().flat_map(|series| series.points.iter().map(|p| p.1)));
        let cell = |series: &Series, index: usize| {
            let value = series.points.get(index).map_or(f64::NAN, |point| point.1);
            if value.is_finite() { numbers::plain(value, decimals) } else { String::new() }
        };
        let row = |(index, (at, _)): (usize, &(f64, f64))| {
            let cells = self.series.iter().map(|series| cell(series, index));
            [word(*at)].into_iter().chain(cells).collect()
        };
        Table { header, rows: places.iter().enumerate().map(row).collect() }
    }

    /// The plot in axis positions, with the labels of the axes.
    fn placed(&self, height: u32) -> (TimeChart, Marks) {
        let across = extent(self.points().map(|point| point.0));
        let bands = self.series.iter().flat_map(|series| &series.band).flat_map(|(_, low, high)| [*low, *high]);
        let up = extent(self.points().map(|point| point.1).chain(bands));
        let (lowest, ticks) = self.marks_up(up, look::value_ticks_max(f64::from(height)));
        let x = |at: f64| if self.across_is_log { at.max(f64::MIN_POSITIVE).log10() } else { at };
        let y = |value: f64| if self.up_is_log { (value / lowest).log10() } else { value };
        let place = |(at, value): &(f64, f64)| (x(*at), y(*value));
        // A label that says the same as the unit in the heading would only be in the way.
        let label = |of: &Series| if of.label == self.unit { String::new() } else { of.label.clone() };
        let series = self.series.iter().map(|series| Series {
            label: label(series),
            points: series.points.iter().map(place).collect(),
            band: series.band.iter().map(|(at, low, high)| (x(*at), y(*low), y(*high))).collect(),
            ..series.clone()
        });
        let mark = |(at, label): (f64, String)| (x(at), label);
        let marks = Marks {
            across: self.marks_across(across).into_iter().map(mark).collect(),
            up: ticks.into_iter().map(|(value, label)| (y(value), label)).collect(),
            counts: self.across.clone(),
        };
        let chart = TimeChart {
            title: self.title.clone(),
            unit: self.unit.clone(),
            series: series.collect(),
            time_range: (x(across.0), x(across.1)),
            y_from_zero: true,
            y_max: None,
            moments: Vec::new(),
        };
        (chart, marks)
    }

    fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let usable = |(_, value): &(f64, f64)| value.is_finite() && (!self.up_is_log || *value > 0.0);
        self.series.iter().flat_map(|series| series.points.iter().copied()).filter(usable)
    }

    /// The lowest vertical mark, and all of them.
    fn marks_up(&self, (low, high): (f64, f64), ticks_max: usize) -> (f64, Vec<(f64, String)>) {
        if !self.up_is_log {
            let axis = ValueAxis::around(low.min(0.0), high, None, ticks_max);
            return (1.0, axis.ticks.iter().map(|tick| (*tick, axis.label(*tick, &self.unit))).collect());
        }
        let (first, last) = (low.log10().floor(), high.log10().ceil());
        let powers = decades(first, last.max(first + 1.0));
        (10_f64.powf(first), powers.into_iter().map(|power| (power, word(power))).collect())
    }

    /// Every horizontal value of a point, if these are few; else round numbers.
    fn marks_across(&self, (low, high): (f64, f64)) -> Vec<(f64, String)> {
        const FEW: usize = 8;
        let mut places: Vec<f64> = self.points().map(|point| point.0).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        if places.len() > FEW {
            let is_log = self.across_is_log && low > 0.0;
            places = match is_log {
                true => decades(low.log10().floor(), high.log10().ceil()),
                false => ValueAxis::around(low, high, Some(high), FEW).ticks,
            };
            places.retain(|place| *place >= low && (*place <= high || !is_log));
        }
        places.into_iter().map(|place| (place, word(place))).collect()
    }
}

/// The powers of ten from one exponent to another.
fn decades(first: f64, last: f64) -> Vec<f64> {
    let exponents = std::iter::successors(Some(first), |exponent| Some(exponent + 1.0));
    exponents.take_while(|exponent| *exponent <= last).map(|exponent| 10_f64.powf(exponent)).collect()
}

/// A number in its shortest form: 500, 1k, 25k, 2.5M.
fn word(number: f64) -> String {
    let (divisor, suffix) = match number {
        n if n >= 1e6 => (1e6, "M"),
        n if n >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    tiebreak_i18n::number(format!("{}{suffix}", (number / divisor * 1_000.0).round() / 1_000.0))
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let extent = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), extent);
    if low <= high { (low, high) } else { (1.0, 10.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, Style};

    fn plot(points: &[(f64, f64)], across_is_log: bool, up_is_log: bool) -> Plot {
        Plot {
            title: "Median latency".into(),
            unit: "ms".into(),
            across: "machines".into(),
            across_is_log,
            up_is_log,
            series: vec![Series::new("hit", Role::Live, Style::Line, points.to_vec())],
        }
    }

    fn words(marks: &[(f64, String)]) -> String {
        marks.iter().map(|mark| mark.1.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn marks_are_round_and_places_follow_the_scale() {
        let points = [(1_000.0, 12.0), (10_000.0, 120.0), (50_000.0, 1_200.0)];
        let (chart, marks) = plot(&points, true, true).placed(200);
        assert_eq!(words(&marks.across), "1k 10k 50k");
        assert_eq!(words(&marks.up), "10 100 1k 10k");
        assert_eq!(marks.value_range(), (0.0, 3.0));
        let placed = &chart.series[0].points;
        assert!((placed[1].1 - placed[0].1 - 1.0).abs() < 1e-9, "ten times as much is one step up");
        let (chart, marks) = plot(&points, false, false).placed(200);
        assert_eq!((chart.series[0].points[2], words(&marks.up)), ((50_000.0, 1_200.0), "0 500 1,000 1,500".into()));
    }

    #[test]
    fn a_band_is_placed_like_its_line_and_belongs_to_the_axis() {
        let mut plot = plot(&[(1.0, 10.0), (10.0, 20.0)], true, false);
        plot.series[0].band = vec![(1.0, 5.0, 15.0), (10.0, 10.0, 90.0)];
        let (chart, marks) = plot.placed(200);
        assert_eq!(chart.series[0].band, [(0.0, 5.0, 15.0), (1.0, 10.0, 90.0)]);
        assert!(marks.value_range().1 >= 90.0, "{:?}", marks.value_range());
    }

    #[test]
    fn words_stand_at_their_places() {
        let svg = plot(&[(1.0, 2.0), (2.0, 3.0)], false, false).svg_of_words(
            &["fixed".into(), "none".into(), "far".into()],
            400,
            150,
            "A sentence",
        );
        assert!(svg.contains(">fixed</text>") && svg.contains(">none</text>") && !svg.contains(">far</text>"), "{svg}");
    }

    #[test]
    fn a_line_is_labelled_unless_the_unit_says_the_same() {
        let mut plot = plot(&[(1.0, 2.0), (2.0, 3.0)], false, false);
        assert!(plot.svg(400, 150, "A sentence").contains(">hit</text>"));
        plot.unit = "hit".into();
        assert!(!plot.svg(400, 150, "A sentence").contains(">hit</text>"));
    }

    #[test]
    fn a_plot_of_the_page_comes_with_its_rows() {
        let plot = plot(&[(0.1, 2.5), (0.2, f64::NAN)], false, false);
        let svg = plot.svg(400, 150, "A sentence");
        assert!(svg.contains("aria-label=\"A sentence\"") && svg.contains("var(--chart-live"));
        let table = plot.table();
        assert_eq!(table.header, ["machines", "hit (ms)"]);
        assert_eq!(table.rows, [["0.1", "2.5"], ["0.2", ""]]);
    }

    #[test]
    fn a_file_has_every_panel_and_every_point() {
        let panels = [
            Panel::Plot(plot(&[(1.0, 2.0), (2.0, f64::NAN), (3.0, 4.0)], false, false)),
            Panel::Plot(plot(&[], true, true)),
        ];
        let caption = Caption { text: "Two panels", link: "" };
        let file = panels_file(&panels, (560, 180), Theme::Light, caption);
        let read = roxmltree::Document::parse(&file).expect("well-formed XML");
        let texts = read.descendants().filter(|node| node.is_element() && node.tag_name().name() == "text");
        let texts: Vec<_> = texts.map(|text| text.text().unwrap_or("").trim().to_owned()).collect();
        for word in ["Median latency", "machines", "hit", "No data yet", "Two panels"] {
            assert!(texts.iter().any(|text| text.starts_with(word)), "{word}: {texts:?}");
        }
        let rows = panels_rows(&panels);
        assert_eq!(rows[1], ["Median latency (ms)", "hit", "1", "2"].map(String::from));
        assert_eq!(rows.len(), 3, "a header and the two points that have a value");
    }
}
