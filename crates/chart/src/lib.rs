//! Time charts from plain series, drawn with plotters on any of its backends.
//!
//! A [`TimeChart`] is what the page shows of one metric over one run: empty hosts, packing density, conflicts. It
//! holds series of (time, value) and nothing else; this crate knows neither machines nor browsers. One chart gives
//!
//! - [`svg`]: a fragment for the page, with CSS variables for colours, so that one drawing serves the light and the
//!   dark theme;
//! - [`svg_file`]: the same drawing as a file, with fixed colours, caption and link;
//! - [`draw`]: the same drawing on a canvas or any other plotters backend;
//! - [`summary`], [`table`], [`csv`]: the same data in words, rows and a file;
//! - [`panels_file`]: several drawings in one file, also over quantities other than time.
//!
//! Charts of equal width have equal margins, so charts stacked on a page share
//! their time axis; [`PlotArea`] turns pixels into times for a shared cursor.
//!
//! Start reading in [`TimeChart`], then `draw.rs`. How charts look (colours,
//! margins, sizes) is decided in `look.rs` and nowhere else.

mod axis_time;
mod axis_value;
mod downsample;
mod draw;
mod look;
mod numbers;
mod plot;
mod plot_area;
mod series;
mod summary;
mod svg;
mod table;

pub use draw::{Surface, draw};
pub use look::{Ink, Palette, Theme, css_variables};
pub use plot::{Panel, Plot, panels_file, panels_rows};
pub use plot_area::{PlotArea, plot_area};
pub use series::{Moment, Role, Series, Style, TimeChart};
pub use summary::summary;
pub use svg::{Caption, drawing_transform, svg, svg_elements, svg_file};
pub use table::{Table, csv, csv_field, table};
