//! The look of every chart, in one place: colours, sizes, margins.
//!
//! Few light gridlines, no frame, no boxed legend: lines have labels at their ends. All series colours and all text
//! have a contrast of at least 4.5 to 1 on both backgrounds (WCAG 2.2 AA for text, which includes line labels).
//! Series differ in lightness and weight as well as hue, for colour-blind readers.

use plotters::style::RGBColor;

/// The light or the dark look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark ink on a nearly white background.
    Light,
    /// Light ink on a nearly black background.
    Dark,
}

/// What a colour is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// The chart's title.
    Text,
    /// Axis labels, unit, caption.
    Muted,
    /// Gridlines.
    Grid,
    /// The line under the plot and its ticks.
    Axis,
    /// The run being viewed.
    Live,
    /// The run for comparison.
    Ghost,
    /// Uncertainty around the live run, drawn translucent.
    Band,
    /// The background; also used behind labels that cover lines.
    Background,
    /// Further runs, first colour.
    Variant1,
    /// Further runs, second colour.
    Variant2,
    /// Further runs, third colour.
    Variant3,
    /// Further runs, fourth colour.
    Variant4,
    /// Moments that a line marks.
    Moment,
}

/// One ink: its CSS variable, its light and its dark colour.
pub(crate) struct InkDeclaration {
    pub(crate) ink: Ink,
    pub(crate) variable: &'static str,
    light: (u8, u8, u8),
    dark: (u8, u8, u8),
}

const fn ink(ink: Ink, variable: &'static str, light: (u8, u8, u8), dark: (u8, u8, u8)) -> InkDeclaration {
    InkDeclaration { ink, variable, light, dark }
}

/// Every ink, in the order of [`Ink`].
#[rustfmt::skip]
pub(crate) static INKS: &[InkDeclaration] = &[
    ink(Ink::Text,       "--chart-text",       (0x1c, 0x21, 0x27), (0xe8, 0xeb, 0xee)),
    ink(Ink::Muted,      "--chart-muted",      (0x5b, 0x63, 0x6c), (0xa3, 0xac, 0xb6)),
    ink(Ink::Grid,       "--chart-grid",       (0xe4, 0xe6, 0xe8), (0x2a, 0x30, 0x36)),
    ink(Ink::Axis,       "--chart-axis",       (0x8a, 0x92, 0x9b), (0x6b, 0x74, 0x7e)),
    ink(Ink::Live,       "--chart-live",       (0x0b, 0x5f, 0xc1), (0x62, 0xb0, 0xff)),
    ink(Ink::Ghost,      "--chart-ghost",      (0x70, 0x75, 0x7b), (0x96, 0x9f, 0xa9)),
    ink(Ink::Band,       "--chart-band",       (0x3d, 0x8b, 0xe8), (0x4a, 0x9a, 0xf5)),
    ink(Ink::Background, "--chart-background", (0xfc, 0xfc, 0xfb), (0x15, 0x18, 0x1c)),
    ink(Ink::Variant1,   "--chart-variant-1",  (0xb8, 0x48, 0x0a), (0xff, 0x9d, 0x5c)),
    ink(Ink::Variant2,   "--chart-variant-2",  (0x0a, 0x74, 0x5b), (0x3f, 0xc9, 0xa2)),
    ink(Ink::Variant3,   "--chart-variant-3",  (0x8a, 0x2f, 0x86), (0xe0, 0x9c, 0xe4)),
    ink(Ink::Variant4,   "--chart-variant-4",  (0x83, 0x62, 0x00), (0xe6, 0xc2, 0x4d)),
    ink(Ink::Moment,     "--chart-moment",     (0xc2, 0x41, 0x0c), (0xff, 0xb0, 0x66)),
];

/// A colour for every ink.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    colours: Vec<RGBColor>,
}

impl Palette {
    /// The palette of a theme.
    pub fn of(theme: Theme) -> Self {
        let colour = |declaration: &InkDeclaration| match theme {
            Theme::Light => declaration.light,
            Theme::Dark => declaration.dark,
        };
        let colours = INKS.iter().map(|d| {
            let (r, g, b) = colour(d);
            RGBColor(r, g, b)
        });
        Self { colours: colours.collect() }
    }

    /// The same palette with another colour for one ink, for instance a
    /// system colour where the person forces colours.
    #[must_use]
    pub fn with(mut self, ink: Ink, (r, g, b): (u8, u8, u8)) -> Self {
        self.colours[ink as usize] = RGBColor(r, g, b);
        self
    }

    /// Colours that no theme uses and that identify the inks, to be replaced in the finished drawing: their hex forms
    /// are [`PLACEHOLDER`] and two digits.
    pub(crate) fn placeholders() -> Self {
        Self { colours: (0..).take(INKS.len()).map(|i| RGBColor(1, 254, i)).collect() }
    }

    pub(crate) fn colour(&self, ink: Ink) -> RGBColor {
        self.colours[ink as usize]
    }

    /// The colour as "#1C2127", in capitals as plotters writes it.
    pub(crate) fn hex(&self, ink: Ink) -> String {
        let RGBColor(r, g, b) = self.colour(ink);
        format!("#{r:02X}{g:02X}{b:02X}")
    }
}

/// The beginning of every placeholder's hex form.
pub(crate) const PLACEHOLDER: &str = "#01FE";

/// The ink of a placeholder and what follows it, from a text that begins after [`PLACEHOLDER`].
pub(crate) fn of_placeholder(text: &str) -> Option<(&'static InkDeclaration, &str)> {
    let (digits, after) = text.split_at_checked(2)?;
    Some((INKS.get(usize::from_str_radix(digits, 16).ok()?)?, after))
}

/// The theme as CSS declarations for the page's style sheet:
/// `--chart-text:#1C2127;--chart-live:...`.
pub fn css_variables(theme: Theme) -> String {
    let palette = Palette::of(theme);
    let declaration = |d: &InkDeclaration| format!("{}:{};", d.variable, palette.hex(d.ink));
    INKS.iter().map(declaration).collect()
}

/// The font of a drawing that cannot inherit the page's.
pub(crate) const FONT: &str = "system-ui, sans-serif";
/// Size of axis labels and names in px.
pub(crate) const TEXT_PX: f64 = 12.0;
/// Size of the title in px.
pub(crate) const TITLE_PX: f64 = 13.0;
/// How much wider bold text is.
pub(crate) const BOLD: f64 = 1.1;
/// Distance between the baselines of two labels in px.
pub(crate) const NAME_GAP_PX: f64 = 14.0;

pub(crate) const LIVE_WIDTH_PX: f64 = 1.8;
pub(crate) const VARIANT_WIDTH_PX: f64 = 1.5;
pub(crate) const GHOST_WIDTH_PX: f64 = 1.3;
/// Dash and gap of the ghost in px, if the backend supports dashes.
pub(crate) const GHOST_DASH_PX: (f64, f64) = (4.0, 2.5);
/// Dash and gap of a marked moment's line in px.
pub(crate) const MOMENT_DASH_PX: (f64, f64) = (3.0, 3.0);
/// How far a moment's line extends above the plot, into its label.
pub(crate) const MOMENT_ABOVE_PX: f64 = 11.0;
/// The fewest letters to show of a shortened moment label.
pub(crate) const MOMENT_LETTERS_MIN: usize = 5;
pub(crate) const BAND_ALPHA: f64 = 0.18;
pub(crate) const DOT_RADIUS_PX: f64 = 2.6;

/// Least width of a bar in px, with the gap to the next.
pub(crate) const BAR_PITCH_MIN_PX: f64 = 6.0;
/// The width of the live run's bars as a share of the ghost's.
pub(crate) const BAR_BEFORE_GHOST_SHARE: f64 = 0.5;
pub(crate) const GHOST_BAR_ALPHA: f64 = 0.28;

/// Space around the plotting rectangle in px. It depends only on the chart's width, so that stacked charts share
/// their time axis.
pub(crate) struct Margins {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

/// The margins of a chart of this width in px.
pub(crate) fn margins(width: f64) -> Margins {
    Margins { left: 48.0, top: 30.0, right: if width < 480.0 { 74.0 } else { 96.0 }, bottom: 24.0 }
}

/// Ticks that fit on a value axis of a height in px.
pub(crate) fn value_ticks_max(height: f64) -> usize {
    if height < 84.0 { 4 } else { 5 }
}

/// Ticks that fit on a time axis of a width in px.
pub(crate) fn time_ticks_max(width: f64) -> usize {
    (width / 56.0) as usize + 1
}

/// The approximate width of a text in px. Fonts differ, and a worker cannot measure them, so this assumes a wide
/// interface font (DejaVu Sans): others leave room.
pub(crate) fn text_width(text: &str, size_px: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.32,
        'f' | 'r' | 't' | '(' | ')' | '-' => 0.41,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.96,
        'A'..='Z' => 0.71,
        '0'..='9' => 0.64,
        c if c.is_ascii() => 0.61,
        c if (c as u32) < 0x2e80 => 0.75,
        _ => 1.0,
    };
    text.chars().map(em).sum::<f64>() * size_px
}

/// The text, cut with an ellipsis if it is wider than `width` px.
pub(crate) fn fitted(text: &str, size_px: f64, width: f64) -> String {
    if text_width(text, size_px) <= width {
        return text.to_owned();
    }
    let mut cut = text.to_owned();
    while cut.pop().is_some() {
        let shortened = format!("{}…", cut.trim_end());
        if text_width(&shortened, size_px) <= width {
            return shortened;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
    }

    fn contrast(a: RGBColor, b: RGBColor) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        a.max(b) / a.min(b)
    }

    #[test]
    fn contrast_suffices_in_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            let palette = Palette::of(theme);
            for declaration in INKS {
                let least = match declaration.ink {
                    Ink::Grid | Ink::Background => continue, // decoration
                    Ink::Axis | Ink::Band => 3.0,
                    _ => 4.5,
                };
                let found = contrast(palette.colour(declaration.ink), palette.colour(Ink::Background));
                assert!(found >= least, "{theme:?} {:?}: {found:.2}", declaration.ink);
            }
        }
    }

    #[test]
    fn inks_are_declared_in_order() {
        for (i, declaration) in INKS.iter().enumerate() {
            assert_eq!(declaration.ink as usize, i);
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(fitted("A 12.3 %", 12.0, 80.0), "A 12.3 %");
        let cut = fitted("lifetime-aware best fit", 12.0, 80.0);
        assert!(cut.ends_with('…') && text_width(&cut, 12.0) <= 80.0, "{cut}");
        assert_eq!(fitted("abc", 12.0, 1.0), "");
    }
}
