//! The film of a decision as a strip of stills: one SVG to keep, for paper and slides.

use std::fmt::Write;

use tiebreak_engine::protocol::Explained;
use tiebreak_i18n::say;
use tiebreak_sim::MachineByte;

use crate::film::{At, Film, Shot, caption, presence};

/// Machines above each other in a column.
const ROWS: usize = 10;

/// Side of a machine's square with its gap, and the gap; all sizes are in CSS pixels.
const CELL: usize = 14;
const GAP: usize = 2;

/// What is free around a still, and the height of a line of its caption.
const MARGIN: usize = 12;
const LINE: usize = 17;

/// Letters in a line of a caption for each column of machines.
const LETTERS_PER_COLUMN: usize = 2;

/// Letters in a line at least, so that a small fleet has captions too.
const LETTERS_MIN: usize = 26;

/// Lines that a caption may take.
const LINES: usize = 3;

/// How much is left to see of a machine that dropped out.
const DROPPED: f64 = 0.12;

const SHADES: [&str; MachineByte::SHADES] = ["#e8820c", "#bcd7f5", "#7f9fc7", "#436a99", "#08386f"];
const MARK: &str = "#c2410c";

/// The strip; `fullness` says how full every machine was when it was decided, a [`MachineByte`] each.
#[must_use]
pub fn svg(decision: &Explained, vm: &str, fullness: &[u8]) -> String {
    let film = Film::of(decision);
    let stills = film.stills();
    let columns = decision.dropped_at.len().div_ceil(ROWS).max(1);
    let letters = (columns * LETTERS_PER_COLUMN).max(LETTERS_MIN);
    let width = (columns * CELL).max(letters * 7) + MARGIN;
    let height = 2 * MARGIN + ROWS * CELL + LINES * LINE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {height}\" font-family=\"system-ui, sans-serif\" \
         font-size=\"13\"><title>{}</title><rect width=\"100%\" height=\"100%\" fill=\"#fcfcfb\"/>",
        stills.len() * width + MARGIN,
        say("How VM {vm} was placed", &[&vm])
    );
    for (nth, at) in stills.into_iter().enumerate() {
        // Into a string, which takes all that it is given.
        let _ = write!(out, "<g transform=\"translate({} {MARGIN})\">", nth * width + MARGIN);
        machines(&mut out, decision, fullness, at);
        for (line, words) in lines(&caption(&film, decision, vm, at.shot), letters).iter().enumerate() {
            let y = ROWS * CELL + LINE * (line + 1);
            let _ = write!(out, "<text y=\"{y}\" fill=\"#1c2127\">{words}</text>");
        }
        out.push_str("</g>");
    }
    out + "</svg>\n"
}

fn machines(out: &mut String, decision: &Explained, fullness: &[u8], at: At) {
    let is_end = matches!(at.shot, Shot::Best | Shot::Lands | Shot::Lost);
    for (machine, dropped_at) in decision.dropped_at.iter().enumerate() {
        let (x, y, size) = (machine / ROWS * CELL, machine % ROWS * CELL, CELL - GAP);
        let is_there = presence(*dropped_at, at) > 0.5;
        let fill = SHADES[usize::from(MachineByte(fullness.get(machine).copied().unwrap_or(0)).shade())];
        let opacity = if is_there { 1.0 } else { DROPPED };
        let _ = write!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"{fill}\" opacity=\"{opacity}\"/>"
        );
        let is_winner = decision.winner.is_some_and(|winner| winner as usize == machine);
        if is_winner && matches!(at.shot, Shot::Lands | Shot::Lost) {
            let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"{MARK}\"/>");
        } else if is_end && is_there {
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{size}\" height=\"{size}\" fill=\"none\" stroke=\"{MARK}\" stroke-width=\"2\"/>"
            );
        }
    }
}

/// Words in lines of so many letters, as XML.
fn lines(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let word = word.replace('&', "&amp;").replace('<', "&lt;");
        match lines.last_mut().filter(|line| line.chars().count() + word.chars().count() < letters) {
            Some(line) => *line += &format!(" {word}"),
            None => lines.push(word),
        }
    }
    lines.truncate(LINES);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_broken_into_lines_and_cannot_leave_their_text() {
        let told = lines("VM <1> arrives & waits for 20 machines", 16);
        assert_eq!(told, ["VM &lt;1>", "arrives &amp;", "waits for 20"]);
        assert_eq!(lines("one", 16), ["one"]);
    }
}
