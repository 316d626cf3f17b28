//! The film of a decision as a strip of stills: one SVG, for paper and slides.

use std::fmt::Write;

use tiebreak_engine::protocol::Explained;
use tiebreak_i18n::say;
use tiebreak_sim::MachineByte;

use crate::film::{At, Film, Shot, caption, presence, rival};

/// Machines per column.
pub(crate) const ROWS: usize = 10;

/// Size of a machine's square including its gap, and the gap; all sizes are in CSS pixels.
pub(crate) const CELL: usize = 14;
pub(crate) const GAP: usize = 2;

/// The margin around a still, and the height of a line of its caption.
pub(crate) const MARGIN: usize = 12;
pub(crate) const LINE: usize = 17;

/// Letters per line of a caption for each column of machines.
const LETTERS_PER_COLUMN: usize = 2;

/// The minimum number of letters per line, so that a small fleet has captions too.
const LETTERS_MIN: usize = 26;

/// The opacity of a machine that dropped out.
pub(crate) const DROPPED: f64 = 0.12;

const SHADES: [&str; MachineByte::SHADES] = ["#e8820c", "#bcd7f5", "#7f9fc7", "#436a99", "#08386f"];

/// The colour of the VM, of machines in question, and of a rejected VM.
pub(crate) const MARK: &str = "#c2410c";
pub(crate) const TURNED_AWAY: &str = "#b0186f";
pub(crate) const INK: &str = "#1c2127";
pub(crate) const GROUND: &str = "#fcfcfb";

/// The strip; `fullness` has one [`MachineByte`] per machine, its state at the decision.
#[must_use]
pub fn svg(decision: &Explained, vm: &str, fullness: &[u8]) -> String {
    let film = Film::of(decision);
    let stills = film.stills();
    let Still { letters, width } = Still::of(decision);
    let captions: Vec<_> = stills.iter().map(|at| lines(&caption(&film, decision, vm, at.shot), letters)).collect();
    let height = 2 * MARGIN + ROWS * CELL + LINE * captions.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" font-family=\"system-ui, sans-serif\" \
         font-size=\"13\"><title>{}</title><rect width=\"100%\" height=\"100%\" fill=\"{GROUND}\"/>",
        stills.len() * width + MARGIN,
        say("How VM {vm} was placed", &[&vm])
    );
    for (nth, (at, caption)) in stills.into_iter().zip(&captions).enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(out, "<g transform=\"translate({} {MARGIN})\">", nth * width + MARGIN);
        machines(&mut out, decision, fullness, at);
        text(&mut out, caption);
        out.push_str("</g>");
    }
    out + "</svg>\n"
}

/// A caption below the machines.
pub(crate) fn text(out: &mut String, lines: &[String]) {
    for (line, words) in lines.iter().enumerate() {
        let y = ROWS * CELL + LINE * (line + 1);
        let _ = write!(out, "<text y=\"{y}\" fill=\"{INK}\">{words}</text>");
    }
}

/// The width of a still including its margin, in CSS pixels, and the letters per line of its caption.
pub(crate) struct Still {
    pub(crate) letters: usize,
    pub(crate) width: usize,
}

impl Still {
    pub(crate) fn of(decision: &Explained) -> Self {
        let columns = decision.dropped_at.len().div_ceil(ROWS).max(1);
        let letters = (columns * LETTERS_PER_COLUMN).max(LETTERS_MIN);
        Self { letters, width: (columns * CELL).max(letters * 7) + MARGIN }
    }
}

/// Left and top of a machine's square.
pub(crate) fn place(machine: usize) -> (usize, usize) {
    (machine / ROWS * CELL, machine % ROWS * CELL)
}

/// The colour of a machine, by its fullness.
pub(crate) fn shade(fullness: &[u8], machine: usize) -> &'static str {
    SHADES[usize::from(MachineByte(fullness.get(machine).copied().unwrap_or(0)).shade())]
}

fn machines(out: &mut String, decision: &Explained, fullness: &[u8], at: At) {
    for (machine, dropped_at) in decision.dropped_at.iter().enumerate() {
        let ((x, y), size) = (place(machine), CELL - GAP);
        let is_there = presence(*dropped_at, at) > 0.5;
        let fill = shade(fullness, machine);
        let opacity = if is_there { 1.0 } else { DROPPED };
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"{fill}\" opacity=\"{opacity}\"/>"
        );
        let is_winner = decision.winner.is_some_and(|winner| winner as usize == machine);
        if is_winner && at.shot.has_winner() {
            winner(out, decision, at.shot, (x, y));
        } else if at.shot.has_best() && is_there {
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"none\" stroke=\"{MARK}\" stroke-width=\"2\"/>"
            );
        }
    }
}

/// The drawn machine: filled by the VM, or by two VMs that do not both fit; crossed out if the VM is rejected.
fn winner(out: &mut String, decision: &Explained, shot: Shot, (x, y): (usize, usize)) {
    let size = CELL - GAP;
    let has_rival = rival(decision).is_some();
    let width = if has_rival && shot == Shot::Reaches { size / 2 - 1 } else { size };
    let fill = match (shot, has_rival) {
        (Shot::Lost, true) => GROUND,
        (Shot::Lost, false) => TURNED_AWAY,
        _ => MARK,
    };
    let stroke = format!("fill=\"{fill}\" stroke=\"{MARK}\" stroke-width=\"2\"");
    let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{size}\" {stroke}/>");
    if width < size {
        let x = x + size - width;
        let rival = format!("fill=\"{GROUND}\" stroke=\"{MARK}\" stroke-width=\"2\"");
        let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{size}\" {rival}/>");
    }
    if shot == Shot::Lost {
        let (right, bottom) = (x + size, y + size);
        let cross = format!("M{x} {y}L{right} {bottom}M{x} {bottom}L{right} {y}");
        let _ = write!(out, "<path d=\"{cross}\" stroke=\"{TURNED_AWAY}\" stroke-width=\"2\"/>");
    }
}

/// Text split into lines of this length, as XML.
pub(crate) fn lines(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let word = word.replace('&', "&amp;").replace('<', "&lt;");
        match lines.last_mut().filter(|line| line.chars().count() + word.chars().count() < letters) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_into_lines_and_cannot_leave_their_text() {
        let told = lines("VM <1> arrives & waits for 20 machines", 16);
        assert_eq!(told, ["VM &lt;1>", "arrives &amp;", "waits for 20", "machines"]);
        assert_eq!(lines("one", 16), ["one"]);
    }
}
