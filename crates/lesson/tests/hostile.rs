//! For any text, reading ends and reports something, and an accepted lesson is written as it was read.

use tiebreak_lesson::issue::ISSUES_MAX;
use tiebreak_lesson::{LESSONS, Lesson, TEXT_MAX};
use tiebreak_model::random::{Seed, Stream, pick};

/// Pieces that have a meaning somewhere.
const PIECES: &[&str] = &[
    "# ",
    "## ",
    "### ",
    "```",
    "~~~",
    "```scenario\n",
    "```predict\n",
    "```claim\n",
    "```unlock\n",
    "```against\n",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "> ",
    "    ",
    "*",
    "**",
    "_",
    "`",
    "``",
    "[",
    "](",
    ")",
    "<",
    ">",
    "<b>",
    "&",
    "&#0;",
    "&amp;",
    "\\",
    "\r",
    "\t",
    "\0",
    "\u{feff}",
    "é",
    "\u{a0}",
    "😀",
    ": ",
    "=",
    "set: ",
    "preset: small\n",
    "event: ",
    " at ",
    "option: ",
    "if: ",
    "pick: ",
    "curve: ",
    "estimate: ",
    "of: ",
    "from: ",
    "to: ",
    "machine: ",
    "vm: ",
    "drag: ",
    "goal: ",
    "EmptyHosts",
    "always: ",
    "conflicts",
    "(now)",
    "(against)",
    " > ",
    " and ",
    "1e999",
    "-",
    "+",
    "#2.d.",
    "{",
    "}",
    "[1]: https://example.org\n",
    "rules: all\n",
    "rule: ",
    "LeastAllocated\n",
    "{\"rule\":\"X\",\"custom\":{\"kind\":\"validator\",\"of\":\"machine\",\"expression\":\"true\"}}\n",
    "9999999999",
    "https://example.org",
];

/// Draws numbers below a bound, the same ones for a case every time.
struct HostileDraws {
    stream: Stream,
    drawn: u64,
}

impl HostileDraws {
    fn of(case: u64) -> Self {
        Self { stream: Seed(case).stream("hostile lessons"), drawn: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.drawn += 1;
        pick(self.stream.draw(self.drawn, 0), bound as u32) as usize
    }

    /// A position between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// The text is a lesson that reads back unchanged, or it has issues, each with a line of the text.
fn check(text: &str) -> bool {
    let lines = text.replace("\r\n", "\n").split(['\n', '\r']).count() as u32;
    match Lesson::read(text) {
        Ok(lesson) => {
            let written = lesson.to_markdown();
            assert_eq!(Lesson::read(&written).as_ref(), Ok(&lesson), "{text:?}\n{written}");
            true
        }
        Err(issues) => {
            assert!(!issues.is_empty() && issues.len() <= ISSUES_MAX + 1, "{text:?}");
            assert!(issues.iter().all(|issue| (1..=lines).contains(&issue.line)), "{text:?}\n{issues:?}");
            false
        }
    }
}

fn changed(text: &str, draws: &mut HostileDraws) -> String {
    let mut text = text.to_owned();
    for _ in 0..=draws.below(4) {
        let (one, other) = (draws.place(&text), draws.place(&text));
        let (from, to) = (one.min(other), one.max(other));
        match draws.below(5) {
            0 => text.replace_range(from..to, ""),
            1 => text.truncate(to),
            2 => {
                let piece = text[from..to].to_owned();
                let at = draws.place(&text);
                text.insert_str(at, &piece);
            }
            _ => text.insert_str(from, PIECES[draws.below(PIECES.len())]),
        }
    }
    text
}

#[test]
fn changed_lessons_do_no_harm() {
    let mut read = 0;
    for case in 0..3_000 {
        let mut draws = HostileDraws::of(case);
        let listed = LESSONS[draws.below(LESSONS.len())];
        read += u32::from(check(&changed(listed.markdown, &mut draws)));
    }
    assert!((100..2_900).contains(&read), "{read} of the changed lessons still read");
}

#[test]
fn words_thrown_together_do_no_harm() {
    for case in 0..3_000 {
        let mut draws = HostileDraws::of(case);
        let soup: String = (0..draws.below(60)).map(|_| PIECES[draws.below(PIECES.len())]).collect();
        check(&soup);
        check(&format!("# T\n\n## S\n\n{soup}\n\n```scenario\npreset: small\n```\n"));
    }
}

#[test]
fn text_of_all_kinds_is_written_as_it_was_read() {
    const SIGNS: &[&str] =
        &["a", "b", " ", "(", ".", "*", "**", "_", "`", "\\", "&amp;", "&#160;", "é", "—", "1", "- ", "\n", "["];
    let mut read = 0;
    for case in 0..20_000 {
        let mut draws = HostileDraws::of(case);
        let signs: String = (0..2 + draws.below(12)).map(|_| SIGNS[draws.below(SIGNS.len())]).collect();
        read += u32::from(check(&format!("# T\n\n## S\n\n{signs}\n\n```scenario\npreset: small\n```\n")));
    }
    assert!(read > 5_000, "{read} of them read");
}

#[test]
fn what_is_deep_or_long_is_refused() {
    for piece in
        ["> ", "- ", "[", "*", "**a ", "`", "``` ", "# ", "## a\n", "<a ", "&", "{", "[a](", "![", "1. ", "\\", "a\n- "]
    {
        for length in [1_000, TEXT_MAX, TEXT_MAX + 1] {
            let long = piece.repeat(length / piece.len() + 1);
            check(&long[..length]);
            let inside = "# T\n\n## S\n\n```scenario\n";
            check(&format!("{inside}{}", &long[..length - inside.len()]));
        }
    }
}
