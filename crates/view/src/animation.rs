//! The film of a decision as one animated SVG, for slides and web pages: without script, it restarts after a pause.
//!
//! It overlays the stills of [`strip`](crate::strip), with the VM moving between them. Without motion, it shows the
//! end.

use std::fmt::Write;

use tiebreak_engine::protocol::Explained;
use tiebreak_i18n::say;
use tiebreak_placement::explain::KEPT;

use crate::film::{Film, Shot, Span, caption, rival};
use crate::strip::{
    CELL, DROPPED, GAP, GROUND, LINE, MARGIN, MARK, ROWS, Still, TURNED_AWAY, lines, place, shade, text,
};

/// The pause at the end before it restarts.
const PAUSE_MS: f64 = 2_500.0;

/// Height of the space above the machines, where the VM waits, and the VM's size, in CSS pixels.
const STRIP: usize = 30;
const VM: usize = 14;

/// The timing of the animation: moments as shares of the whole.
struct Clock {
    spans: Vec<Span>,
    whole_ms: f64,
}

impl Clock {
    /// A moment as a keyframe percentage.
    fn at(&self, ms: f64) -> String {
        format!("{:.2}%", 100.0 * ms / self.whole_ms)
    }

    /// When the first of these shots is shown.
    fn span(&self, is: impl Fn(Shot) -> bool) -> Option<Span> {
        self.spans.iter().find(|span| is(span.shot)).copied()
    }

    /// A class whose elements have these values at these moments, and the last value if motion is reduced.
    fn class(&self, css: &mut String, name: &str, values: &[(f64, String)], steps: bool) {
        let frames: String = values.iter().map(|(ms, value)| format!("{}{{{value}}}", self.at(*ms))).collect();
        let (end, timing) = (values.last().map_or("", |(_, value)| value), if steps { "step-end" } else { "linear" });
        let seconds = self.whole_ms / 1_000.0;
        let _ = write!(
            css,
            ".{name}{{{end};animation:{name} {seconds:.2}s {timing} infinite}}@keyframes {name}{{{frames}100%{{{end}}}}}"
        );
    }
}

/// The film; `fullness` has one byte per machine, its fullness at the decision.
#[must_use]
pub fn svg(decision: &Explained, vm: &str, fullness: &[u8]) -> String {
    let film = Film::of(decision);
    let clock = Clock { spans: film.spans().collect(), whole_ms: film.length_ms() + PAUSE_MS };
    let Still { letters, width } = Still::of(decision);
    let told = |span: &Span| lines(&caption(&film, decision, vm, span.shot), letters);
    let captions: Vec<_> = clock.spans.iter().map(told).collect();
    let height = 2 * MARGIN + STRIP + ROWS * CELL + LINE * captions.iter().map(Vec::len).max().unwrap_or(0);
    let (mut css, mut body) = (String::new(), String::new());
    machines(&mut css, &mut body, &clock, decision, fullness);
    vms(&mut css, &mut body, &clock, decision);
    for (nth, (span, caption)) in clock.spans.iter().zip(&captions).enumerate() {
        shown(&mut css, &clock, &format!("t{nth}"), *span, nth + 1 == captions.len());
        let _ = write!(body, "<g class=\"t{nth}\">");
        text(&mut body, caption);
        body.push_str("</g>");
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" font-family=\"system-ui, sans-serif\" \
         font-size=\"13\"><title>{}</title><style>{css}@media (prefers-reduced-motion:reduce){{*{{animation:none!important}}}}\
         </style><rect width=\"100%\" height=\"100%\" fill=\"{GROUND}\"/>\
         <g transform=\"translate({MARGIN} {})\">{body}</g></svg>\n",
        width + MARGIN,
        say("How VM {vm} was placed", &[&vm]),
        MARGIN + STRIP
    )
}

/// An element that is shown during a shot, and afterwards if it stays.
fn shown(css: &mut String, clock: &Clock, name: &str, span: Span, stays: bool) {
    let mut values = vec![(span.from_ms, "opacity:1".into())];
    if span.from_ms > 0.0 {
        values.insert(0, (0.0, "opacity:0".into()));
    }
    if !stays {
        values.push((span.to_ms, "opacity:0".into()));
    }
    clock.class(css, name, &values, true);
}

/// Every machine, hidden after its step; and the outlines of those tied for best.
fn machines(css: &mut String, body: &mut String, clock: &Clock, decision: &Explained, fullness: &[u8]) {
    for span in &clock.spans {
        if let Shot::Drops(step) = span.shot {
            let gone = format!("opacity:{DROPPED}");
            let values = [(0.0, "opacity:1".into()), (span.from_ms, "opacity:1".into()), (span.to_ms, gone)];
            clock.class(css, &format!("d{step}"), &values, false);
        }
    }
    let size = CELL - GAP;
    let rect = |(x, y): (usize, usize)| format!("<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\"");
    for (machine, dropped_at) in decision.dropped_at.iter().enumerate() {
        let class = if *dropped_at == KEPT { String::new() } else { format!(" class=\"d{dropped_at}\"") };
        let _ = write!(body, "{}{class} fill=\"{}\"/>", rect(place(machine)), shade(fullness, machine));
    }
    let Some(best) = clock.span(|shot| shot == Shot::Best) else { return };
    clock.class(css, "best", &comes_up(best), false);
    let _ = write!(body, "<g class=\"best\" fill=\"none\" stroke=\"{MARK}\" stroke-width=\"2\">");
    let kept = decision.dropped_at.iter().enumerate().filter(|(_, dropped_at)| **dropped_at == KEPT);
    kept.for_each(|(machine, _)| *body += &(rect(place(machine)) + "/>"));
    body.push_str("</g>");
}

/// The VM in motion, the VM of the other agent if that one came first, and the cross of a rejected VM.
fn vms(css: &mut String, body: &mut String, clock: &Clock, decision: &Explained) {
    let width = decision.dropped_at.len().div_ceil(ROWS) * CELL;
    let waits = (width as i32 / 2, -(STRIP as i32) / 2);
    let machine = decision.winner.map_or(waits, |machine| {
        let (x, y) = place(machine as usize);
        ((x + (CELL - GAP) / 2) as i32, (y + (CELL - GAP) / 2) as i32)
    });
    let side = if rival(decision).is_some() { (VM / 2) as i32 } else { 0 };
    let at = |(x, y): (i32, i32)| format!("transform:translate({x}px,{y}px)");
    let square = |class: &str, paint: &str| {
        let from = -(VM as i32) / 2;
        format!("<rect class=\"{class}\" x=\"{from}\" y=\"{from}\" width=\"{VM}\" height=\"{VM}\" {paint}/>")
    };
    let still = |place: (i32, i32)| at(place) + ";fill:" + MARK;
    let mut way = vec![(0.0, still((-30, waits.1)))];
    way.extend(clock.span(|shot| shot == Shot::Arrives).map(|span| (span.to_ms, still(waits))));
    let turned_away = clock.span(|shot| matches!(shot, Shot::Lost | Shot::Refused));
    if let Some(goes) = clock.span(|shot| matches!(shot, Shot::Lands | Shot::Reaches)) {
        way.extend([(goes.from_ms, still(waits)), (goes.to_ms, still((machine.0 - side, machine.1)))]);
        if side > 0 {
            let comes = at((width as i32 + 30, waits.1));
            let mut values =
                vec![(0.0, comes.clone()), (goes.from_ms, comes), (goes.to_ms, at((machine.0 + side, machine.1)))];
            values.extend(turned_away.map(|span| (span.to_ms, at(machine))));
            clock.class(css, "rival", &values, false);
            let paint = format!("fill=\"{GROUND}\" stroke=\"{MARK}\" stroke-width=\"2\"");
            *body += &square("rival", &paint);
        }
    }
    if let Some(end) = turned_away {
        way.extend((end.shot == Shot::Refused).then(|| (end.from_ms, still(waits))));
        way.push((end.to_ms, format!("{};fill:{TURNED_AWAY}", at(waits))));
    }
    clock.class(css, "vm", &way, false);
    *body += &square("vm", "");
    if let Some(end) = turned_away {
        cross(css, body, clock, end, waits);
    }
}

/// Crosses out this place, from this shot on.
fn cross(css: &mut String, body: &mut String, clock: &Clock, from: Span, (x, y): (i32, i32)) {
    clock.class(css, "cross", &comes_up(from), false);
    let reach = VM as i32 * 4 / 5;
    let (left, right, top, bottom) = (x - reach, x + reach, y - reach, y + reach);
    let path = format!("M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}");
    let _ = write!(body, "<path class=\"cross\" d=\"{path}\" stroke=\"{TURNED_AWAY}\" stroke-width=\"2\"/>");
}

/// An element that fades in during this shot, and stays.
fn comes_up(span: Span) -> [(f64, String); 3] {
    [(0.0, "opacity:0".into()), (span.from_ms, "opacity:0".into()), (span.to_ms, "opacity:1".into())]
}
