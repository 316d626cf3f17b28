//! The drawing as SVG: a fragment for the page, and a file to download.
//!
//! plotters rounds positions to whole units, so the drawing is made ten times as large and scaled down by a
//! transform: lines then do not snap to pixels. It is made in placeholder colours, which are replaced by CSS
//! variables in the page and by a theme's colours in a file.

use std::borrow::Cow;
use std::fmt::Write;

use plotters::drawing::IntoDrawingArea;
use plotters::prelude::SVGBackend;

use crate::draw::{Surface, UNIT_FOLLOWS, draw_on, printable};
use crate::look::{self, Ink, InkDeclaration, Palette, Theme};
use crate::plot::Marks;
use crate::plot_area::{PlotArea, plot_area};
use crate::series::TimeChart;

const UNITS_PER_PX: u32 = 10;

/// The transform from the coordinates of [`svg_elements`] to CSS px.
pub fn drawing_transform() -> String {
    format!("scale({})", 1.0 / f64::from(UNITS_PER_PX))
}

/// An SVG for the page, and the position of its data. Colours are the variables of [`crate::css_variables`] (light
/// ones if the page defines none), and the font is the page's. It fills its container; at its own `width` in px, text
/// is 12 px. `label` is its accessible name: the title and one sentence, for example from [`crate::summary`].
pub fn svg(chart: &TimeChart, width: u32, height: u32, label: &str) -> (String, PlotArea) {
    let (elements, area) = elements(chart, None, width, height);
    (fragment(&elements, width, height, label, &chart.title), area)
}

/// The elements of [`svg`], from back to front, for a page that replaces only those that have changed. They belong
/// into a group with [`drawing_transform`] and rounded line joins.
pub fn svg_elements(chart: &TimeChart, width: u32, height: u32) -> (Vec<String>, PlotArea) {
    let (elements, area) = elements(chart, None, width, height);
    (elements.iter().map(|element| in_variables(element)).collect(), area)
}

/// A drawing for the page, with CSS variables for colours.
pub(crate) fn fragment(elements: &[String], width: u32, height: u32, label: &str, title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-label=\"{}\"><title>{}</title>{}</svg>",
        escaped(label),
        escaped(title),
        group(elements, in_variables),
    )
}

fn in_variables(element: &str) -> String {
    let light = Palette::of(Theme::Light);
    coloured(element, |ink| format!("var({},{})", ink.variable, light.hex(ink.ink)))
}

/// Elements as one group in CSS px, in the colours of a palette.
pub(crate) fn body(elements: &[String], palette: &Palette) -> String {
    group(elements, |element| coloured(element, |ink| palette.hex(ink.ink)))
}

fn group(elements: &[String], colour: impl Fn(&str) -> String) -> String {
    let elements: String = elements.iter().map(|element| colour(element)).collect();
    format!("<g transform=\"{}\" stroke-linejoin=\"round\">\n{elements}</g>", drawing_transform())
}

/// The text below a chart in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caption<'a> {
    /// A description in a sentence or two; wrapped to the width, three lines at most.
    pub text: &'a str,
    /// The link to the scenario. The text is shortened to the width; the target is complete.
    pub link: &'a str,
}

/// A stand-alone SVG file of a chart of `width` by `height` px with padding, caption and link around it, in the
/// colours of a theme.
pub fn svg_file(chart: &TimeChart, width: u32, height: u32, theme: Theme, caption: Caption<'_>) -> String {
    let palette = Palette::of(theme);
    let body = body(&elements(chart, None, width, height).0, &palette);
    let words = Words { label: &crate::summary(chart), title: &chart.title, caption };
    framed(&body, (width, height), &palette, &words)
}

/// The texts of a drawing: its accessible name, its tooltip and its caption.
pub(crate) struct Words<'a> {
    pub(crate) label: &'a str,
    pub(crate) title: &'a str,
    pub(crate) caption: Caption<'a>,
}

/// A drawing of this size as a file, with padding around it.
pub(crate) fn framed(body: &str, (width, height): (u32, u32), palette: &Palette, words: &Words<'_>) -> String {
    const PADDING: u32 = 16;
    let (below, below_height) = caption_lines(words.caption, width, height, palette);
    let (full_width, full_height) = (width + 2 * PADDING, height + below_height + 2 * PADDING);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full_width}\" height=\"{full_height}\" \
         viewBox=\"0 0 {full_width} {full_height}\" role=\"img\" aria-label=\"{}\">\n\
         <title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n\
         <g transform=\"translate({PADDING} {PADDING})\" font-family=\"{}\">\n{body}{below}</g>\n</svg>\n",
        escaped(words.label),
        escaped(words.title),
        palette.hex(Ink::Background),
        look::FONT,
    )
}

/// Caption and link as SVG below a chart of this height, and their own height.
fn caption_lines(caption: Caption<'_>, width: u32, height: u32, palette: &Palette) -> (String, u32) {
    const LINE_PX: u32 = 17;
    let mut below = String::new();
    let mut y = height + 4;
    for line in wrapped(caption.text, f64::from(width), 3) {
        y += LINE_PX;
        below += &text_line(&line, y, &palette.hex(Ink::Text));
    }
    if !caption.link.is_empty() {
        y += LINE_PX;
        let shown = look::fitted(caption.link, look::TEXT_PX, f64::from(width));
        let line = text_line(&shown, y, &palette.hex(Ink::Muted));
        let is_web = caption.link.starts_with("https://") || caption.link.starts_with("http://");
        below += &if is_web { format!("<a href=\"{}\">{line}</a>\n", escaped(caption.link)) } else { line };
    }
    (below, y - height)
}

fn text_line(text: &str, y: u32, fill: &str) -> String {
    let size = look::TEXT_PX;
    format!("<text x=\"0\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{}</text>", escaped(text))
}

/// Text wrapped into lines of a width in px; the last line is shortened if necessary.
fn wrapped(text: &str, width: f64, lines_max: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let fits = |line: &String| {
            let longer =
                look::text_width(line, look::TEXT_PX) + look::text_width(word, look::TEXT_PX) + look::TEXT_PX * 0.3;
            longer <= width
        };
        let is_full = lines.len() == lines_max;
        match lines.last_mut() {
            Some(line) if is_full || fits(line) => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| look::fitted(line, look::TEXT_PX, width)).collect()
}

/// The output of plotters by elements, in placeholder colours.
pub(crate) fn elements(chart: &TimeChart, marks: Option<&Marks>, width: u32, height: u32) -> (Vec<String>, PlotArea) {
    let mut drawing = String::new();
    let size = (width * UNITS_PER_PX, height * UNITS_PER_PX);
    let surface = Surface::svg(f64::from(UNITS_PER_PX));
    let area = {
        let root = SVGBackend::with_string(&mut drawing, size).into_drawing_area();
        let drawn = draw_on(&root, chart, marks, &Palette::placeholders(), surface).and_then(|area| {
            root.present()?;
            Ok(area)
        });
        // Writing to a string cannot fail; if it ever does, show what was drawn.
        drawn.unwrap_or_else(|_| plot_area(chart, f64::from(width), f64::from(height)))
    };
    let inner =
        drawing.split_once(">\n").and_then(|(_, rest)| rest.rsplit_once("</svg>")).map_or("", |(inner, _)| inner);
    let mut elements: Vec<String> = Vec::new();
    // An element is a line; a text has two more, with its words and its end.
    for line in inner.lines() {
        match elements.last_mut() {
            Some(text) if !line.starts_with('<') => text.push_str(&lettered(line)),
            Some(text) if line.starts_with("</") => text.push_str(line),
            _ => elements.push(tidied(line)),
        }
    }
    (elements, area)
}

/// The words of a text, with its unit in the lighter style.
fn lettered(words: &str) -> Cow<'_, str> {
    let Some((title, unit)) = words.split_once(UNIT_FOLLOWS) else { return words.into() };
    let muted = Palette::placeholders().hex(Ink::Muted);
    let size = look::TEXT_PX * f64::from(UNITS_PER_PX);
    format!("{title} <tspan font-weight=\"normal\" font-size=\"{size}\" fill=\"{muted}\">{unit}</tspan>").into()
}

/// An element without the attributes that the page does not need.
fn tidied(element: &str) -> String {
    let (head, points) = before_points(element);
    let mut head = head.replacen(" opacity=\"1\"", "", 1);
    if head.starts_with("<text") {
        head = head
            .replacen(&format!(" font-family=\"{}\"", look::FONT), "", 1)
            // plotters centres on lower-case letters; labels here are mostly digits.
            .replacen("dy=\"0.5ex\"", "dy=\"0.35em\"", 1);
    }
    head + points
}

/// An element in two parts: the first has the colours, the second is the points of a line, which may be thousands.
fn before_points(element: &str) -> (&str, &str) {
    let points = element.starts_with("<poly").then(|| element.find(" points=")).flatten();
    element.split_at(points.unwrap_or(element.len()))
}

/// Replaces each placeholder colour, and dashes the lines of the ghost and of marked moments, which plotters' own
/// style cannot express.
fn coloured(element: &str, colour: impl Fn(&InkDeclaration) -> String) -> String {
    let (mut rest, points) = before_points(element);
    let opening = format!("=\"{}", look::PLACEHOLDER);
    let mut coloured = String::with_capacity(2 * rest.len() + points.len());
    while let Some((before, after)) = rest.split_once(&opening) {
        let Some((ink, after)) = look::of_placeholder(after) else { break };
        coloured.push_str(before);
        // Writing to a string cannot fail.
        let _ = write!(coloured, "=\"{}", colour(ink));
        let dashes = match ink.ink {
            Ink::Ghost => Some(look::GHOST_DASH_PX),
            Ink::Moment => Some(look::MOMENT_DASH_PX),
            _ => None,
        };
        if let Some((dash, gap)) = dashes.filter(|_| before.ends_with("stroke")) {
            let scale = f64::from(UNITS_PER_PX);
            let _ = write!(coloured, "\" stroke-dasharray=\"{} {}", dash * scale, gap * scale);
        }
        rest = after;
    }
    coloured + rest + points
}

fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Moment, Role, Series, Style, summary};
    use roxmltree::Document;

    const DAY: f64 = 86_400_000.0;

    fn chart(series: Vec<Series>) -> TimeChart {
        TimeChart {
            title: "Empty hosts".into(),
            unit: "%".into(),
            series,
            time_range: (0.0, 4.0 * DAY),
            y_from_zero: true,
            y_max: Some(100.0),
            moments: Vec::new(),
        }
    }

    fn live(points: Vec<(f64, f64)>) -> Series {
        Series::new("A", Role::Live, Style::Steps, points)
    }

    fn ghost(points: Vec<(f64, f64)>) -> Series {
        Series::new("B", Role::Ghost, Style::Steps, points)
    }

    /// A drawing as its elements and text, one per line.
    fn outline(svg: &str) -> String {
        let document = Document::parse(svg).expect("well-formed XML");
        let line = |node: roxmltree::Node<'_, '_>| match node.tag_name().name() {
            "text" => format!("text {}", node.text().unwrap_or("").trim()),
            "polyline" => {
                let points = node.attribute("points").unwrap_or("").trim();
                let colour = node.attribute("stroke").unwrap_or("");
                format!("polyline {colour} {points}")
            }
            other => other.to_owned(),
        };
        let lines = document.descendants().filter(|n| n.is_element()).map(line);
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_small_chart_is_drawn_as_expected() {
        let points = vec![(0.0, 10.0), (2.0 * DAY, 20.0), (4.0 * DAY, 20.0)];
        let (svg, area) = svg(&chart(vec![live(points)]), 302, 134, "Empty hosts");
        assert_eq!((area.left, area.right, area.top, area.bottom), (48.0, 228.0, 30.0, 110.0));
        let expected = "\
svg
title
g
text Empty hosts
polyline var(--chart-grid,#E4E6E8) 480,1105 2280,1105
text 0 %
polyline var(--chart-grid,#E4E6E8) 480,705 2280,705
text 10 %
polyline var(--chart-grid,#E4E6E8) 480,305 2280,305
text 20 %
polyline var(--chart-axis,#8A929B) 480,1105 2280,1105
polyline var(--chart-axis,#8A929B) 485,1105 485,1145
text day 0
polyline var(--chart-axis,#8A929B) 1385,1105 1385,1145
text day 2
polyline var(--chart-axis,#8A929B) 2285,1105 2285,1145
text day 4
polyline var(--chart-live,#0B5FC1) 480,700 1380,700 1380,300 2280,300
polyline var(--chart-axis,#8A929B) 480,1105 2280,1105
circle
text A 20 %";
        assert_eq!(outline(&svg), expected);
    }

    #[test]
    fn strange_data_give_well_formed_drawings() {
        let nan = f64::NAN;
        let day = |n: f64| n * DAY;
        let cases: Vec<(&str, Vec<Series>)> = vec![
            ("no series", vec![]),
            ("no points", vec![live(vec![])]),
            ("only gaps", vec![live(vec![(0.0, nan), (day(1.0), f64::INFINITY)])]),
            ("one point", vec![live(vec![(day(1.0), 5.0)])]),
            ("unsorted", vec![live(vec![(day(3.0), 5.0), (day(1.0), 4.0), (nan, 2.0)])]),
            ("huge", vec![live(vec![(0.0, -1e300), (day(1.0), 1e300)])]),
            ("tiny", vec![live(vec![(0.0, 1e-300), (day(1.0), 2e-300)])]),
            ("outside", vec![live(vec![(day(9.0), 1.0), (day(10.0), 2.0)])]),
            ("gap", vec![live(vec![(0.0, 1.0), (day(1.0), nan), (day(2.0), 2.0)])]),
        ];
        for (name, series) in cases {
            for style in [Style::Steps, Style::Line, Style::Bars] {
                for y_max in [None, Some(100.0)] {
                    let mut chart = chart(series.clone());
                    chart.y_max = y_max;
                    for series in &mut chart.series {
                        series.style = style;
                        series.band = vec![(0.0, nan, 1.0), (day(1.0), 1.0, 2.0), (day(2.0), 0.0, 3.0)];
                    }
                    let label = summary(&chart);
                    let (svg, _) = svg(&chart, 340, 150, &label);
                    assert!(Document::parse(&svg).is_ok(), "{name}");
                    let numbers = format!("{svg}{label}");
                    for word in ["NaN", "inf", "2147483647"] {
                        assert!(!numbers.contains(word), "{name}: {word} in {numbers}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_run_that_goes_on_changes_few_elements() {
        for style in [Style::Steps, Style::Line, Style::Bars] {
            let up_to = |days: u32| {
                let points = |high: f64| {
                    (0..24 * days).map(|hour| (f64::from(hour) * DAY / 24.0, high * f64::from(hour % 7))).collect()
                };
                let mut chart = chart(vec![live(points(9.0)), ghost(points(10.0))]);
                chart.series.iter_mut().for_each(|series| series.style = style);
                chart
            };
            let (before, after) = (svg_elements(&up_to(1), 560, 170).0, svg_elements(&up_to(3), 560, 170).0);
            assert_eq!(before.len(), after.len(), "{style:?}");
            let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
            assert!((2..=8).contains(&changed), "{style:?}: {changed} of {}", after.len());
            assert!(svg(&up_to(3), 560, 170, "").0.contains(&after.concat()));
        }
    }

    #[test]
    fn an_empty_chart_says_so() {
        assert!(svg(&chart(vec![live(vec![])]), 340, 150, "").0.contains("No data yet"));
    }

    #[test]
    fn text_is_escaped_and_never_coloured() {
        let mut chart = chart(vec![Series::new("<b>&\u{1}", Role::Live, Style::Line, vec![(0.0, 1.0), (DAY, 2.0)])]);
        chart.title = "a < b & \"c\" fill=\"#01FE05\"\u{0}".into();
        let (fragment, _) = svg(&chart, 560, 170, &chart.title);
        let caption = Caption { text: "x < y & z", link: "https://example.org/?a=1&b=\"2\"#<" };
        let file = svg_file(&chart, 560, 170, Theme::Dark, caption);
        for xml in [&fragment, &file] {
            let document = Document::parse(xml).expect("well-formed XML");
            let title = document.descendants().find(|n| n.has_tag_name("title"));
            let title = title.and_then(|n| n.text()).unwrap_or("");
            assert_eq!(title, "a < b & \"c\" fill=\"#01FE05\" ");
        }
        assert!(!fragment.contains("=\"#01FE"));
        assert!(!file.contains("var(") && !file.contains("=\"#01FE"));
    }

    #[test]
    fn the_ghost_is_dashed_and_the_live_run_is_drawn_over_it() {
        let line = vec![(0.0, 1.0), (4.0 * DAY, 2.0)];
        let (svg, _) = svg(&chart(vec![live(line.clone()), ghost(line)]), 560, 170, "");
        let at = |needle: &str| svg.find(needle).expect(needle);
        assert!(at("stroke-dasharray") < at("stroke=\"var(--chart-live"));
    }

    #[test]
    fn moments_are_marked_in_the_page_and_in_the_file_and_named_where_there_is_room() {
        let mut chart = chart(vec![live(vec![(0.0, 1.0), (4.0 * DAY, 2.0)])]);
        let moment = |days: f64, label: &str| Moment { time: days * DAY, label: label.into() };
        chart.moments =
            vec![moment(1.0, "Machines fail"), moment(2.0, "Spike"), moment(2.1, "Hidden"), moment(9.0, "No")];
        let (fragment, area) = svg(&chart, 560, 170, "");
        let file = svg_file(&chart, 560, 170, Theme::Light, Caption::default());
        for (drawing, ink) in [(&fragment, "var(--chart-moment,#C2410C)"), (&file, "#C2410C")] {
            let outline = outline(drawing);
            let lines: Vec<_> = outline.lines().filter(|line| line.starts_with(&format!("polyline {ink} "))).collect();
            assert_eq!(lines.len(), 3, "{outline}");
            let x = area.x_of(DAY).floor() * 10.0 + 5.0;
            assert!(lines[0].contains(&format!(" {x},")), "{x} in {}", lines[0]);
            for (label, is_shown) in [("Machines fail", true), ("Spike", false), ("Hidden", true), ("No", false)] {
                assert_eq!(outline.lines().any(|line| line == format!("text {label}")), is_shown, "{label}");
            }
        }
    }

    #[test]
    fn a_million_points_give_a_small_drawing() {
        let points = (0..1_000_000).map(|i| (f64::from(i) * 345.6, f64::from(i % 1000 * 919 % 1000) / 10.0)).collect();
        let (svg, _) = svg(&chart(vec![live(points)]), 560, 170, "");
        assert!(svg.len() < 60_000, "{}", svg.len());
    }
}
