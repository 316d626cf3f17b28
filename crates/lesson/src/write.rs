//! Writes a lesson such that it reads back unchanged.

use crate::claim::Scope;
use crate::lesson::{Lesson, Step};
use crate::question::Question;
use crate::text::{Block, Span};

impl Lesson {
    /// The lesson as Markdown. [`Lesson::read`] gives the same lesson back.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut parts = vec![format!("# {}", escaped(&self.title))];
        let minutes = self.minutes.map(|minutes| format!("minutes: {minutes}"));
        let about = self.about.as_ref().map(|about| format!("about: {about}"));
        let language = self.language.as_ref().map(|language| format!("language: {language}"));
        parts.extend(fence("lesson", &minutes.into_iter().chain(about).chain(language).collect::<Vec<_>>()));
        parts.extend(text(&self.opening));
        parts.extend(self.steps.iter().flat_map(Step::parts));
        parts.join("\n\n") + "\n"
    }
}

impl Step {
    fn parts(&self) -> Vec<String> {
        let mut parts = vec![format!("## {}", escaped(&self.title))];
        parts.extend(text(&self.before));
        parts.extend(self.scenario.iter().map(|scene| always_fence("scenario", &scene.lines())));
        parts.extend(self.against.iter().map(|scene| always_fence("against", &scene.lines())));
        parts.extend(self.unlocks.iter().map(|unlocks| always_fence("unlock", &unlocks.lines())));
        parts.extend(self.question.iter().map(|question| always_fence("predict", &question.lines())));
        parts.extend(text(&self.after));
        let claims = self.claims.iter().map(|claim| match claim.scope {
            Scope::Always => format!("always: {}", claim.test),
            Scope::Here => format!("here: {}", claim.test),
        });
        parts.extend(fence("claim", &claims.collect::<Vec<_>>()));
        parts
    }
}

impl Question {
    fn lines(&self) -> Vec<String> {
        match self {
            Self::Curve { ask, metric } => vec![format!("curve: {metric}"), format!("ask: {ask}")],
            Self::Pick { ask, scope, choices } => {
                let key = match scope {
                    Scope::Always => "pick",
                    Scope::Here => "pick here",
                };
                let mut lines = vec![format!("{key}: {ask}")];
                for choice in choices {
                    lines.push(format!("option: {}", choice.text));
                    lines.extend(choice.right_if.iter().map(|test| format!("if: {test}")));
                }
                lines
            }
            Self::Estimate { ask, scope, of, scale } => {
                let key = match scope {
                    Scope::Always => "estimate",
                    Scope::Here => "estimate here",
                };
                let mut lines = vec![format!("{key}: {ask}"), format!("of: {of}")];
                lines.extend([format!("from: {}", scale.from), format!("to: {}", scale.to)]);
                lines.extend((!scale.unit.is_empty()).then(|| format!("unit: {}", scale.unit)));
                lines
            }
            Self::Machine { ask, vm } => vec![format!("machine: {ask}"), format!("vm: {vm}")],
            Self::Drag { ask, goal, solution } => {
                let mut lines = vec![format!("drag: {ask}"), format!("goal: {goal}")];
                lines.extend(solution.iter().map(|(path, value)| format!("set: {path} = {value}")));
                lines
            }
        }
    }
}

fn fence(word: &str, lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| always_fence(word, lines))
}

fn always_fence(word: &str, lines: &[String]) -> String {
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    format!("```{word}\n{lines}```")
}

fn text(blocks: &[Block]) -> Vec<String> {
    let mut lists = 0_usize;
    let mut written = Vec::new();
    for block in blocks {
        written.push(match block {
            Block::Paragraph(spans) => {
                lists = 0;
                line(spans)
            }
            Block::List { numbered, items } => {
                lists += 1;
                list(*numbered, items, lists.is_multiple_of(2))
            }
        });
    }
    written
}

/// Consecutive lists alternate their markers, or they would be one list.
fn list(numbered: bool, items: &[Vec<Span>], second: bool) -> String {
    let mark = |at: usize| match (numbered, second) {
        (false, false) => "-".to_owned(),
        (false, true) => "*".to_owned(),
        (true, false) => format!("{at}."),
        (true, true) => format!("{at})"),
    };
    let lines: Vec<_> = (1..).zip(items).map(|(at, spans)| format!("{} {}", mark(at), line(spans))).collect();
    lines.join("\n")
}

/// One line of text.
fn line(spans: &[Span]) -> String {
    let mut written = String::new();
    for (at, span) in spans.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| &spans[before]);
        let behind = spans.get(at + 1);
        match span {
            Span::Text(text) => written.push_str(&plain(text, before, behind)),
            Span::Emphasis(text) => written.push_str(&format!("*{}*", marked(text, before, behind))),
            Span::Strong(text) => written.push_str(&format!("**{}**", marked(text, before, behind))),
            Span::Code(code) => written.push_str(&code_span(code)),
            Span::Link { text, address } => {
                let address: String =
                    address.chars().map(|it| if is_safe(it) { it.into() } else { numbered(it) }).collect();
                written
                    .push_str(&format!("[{}](<{address}>)", by_edges(text, |first| first != ' ', |last| last != ' ')));
            }
        }
    }
    written
}

fn is_marked(span: Option<&Span>) -> bool {
    matches!(span, Some(Span::Emphasis(_) | Span::Strong(_)))
}

/// Text outside markup. Markdown recognises an emphasis mark only between the right characters: outside of it there
/// must be a space or punctuation, so a letter that touches it is written as a character reference.
fn plain(text: &str, before: Option<&Span>, behind: Option<&Span>) -> String {
    let edge = |beside: Option<&Span>, letter: char| match beside {
        // Spaces at the ends of a line would be lost.
        None => letter != ' ',
        beside => !is_marked(beside) || letter == ' ' || letter.is_ascii_punctuation(),
    };
    let text = by_edges(text, |first| edge(before, first), |last| edge(behind, last));
    if before.is_none() { begun(&text) } else { text }
}

/// Text inside markup: it must touch letters or digits, or punctuation where two marks touch.
fn marked(text: &str, before: Option<&Span>, behind: Option<&Span>) -> String {
    by_edges(text, |first| is_letter(first) && !is_marked(before), |last| is_letter(last) && !is_marked(behind))
}

/// Whether every Markdown parser treats it as a letter or a digit.
fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() && !('\u{2000}'..'\u{2c00}').contains(&letter) && letter < '\u{10000}'
}

/// Escapes text; writes the first and the last character as a character reference unless it may stay.
fn by_edges(text: &str, first_stands: impl Fn(char) -> bool, last_stands: impl Fn(char) -> bool) -> String {
    let end = text.chars().count();
    let letter = |(at, letter): (usize, char)| {
        let stands = (at > 0 || first_stands(letter)) && (at + 1 < end || last_stands(letter));
        if stands { escaped_letter(letter) } else { numbered(letter) }
    };
    text.chars().enumerate().map(letter).collect()
}

/// Text of a heading.
fn escaped(text: &str) -> String {
    begun(&by_edges(text, |first| first != ' ', |last| last != ' '))
}

fn escaped_letter(letter: char) -> String {
    match letter {
        '\\' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' => format!("\\{letter}"),
        '`' => numbered(letter),
        ' ' => letter.into(),
        _ if letter.is_whitespace() || letter.is_control() => numbered(letter),
        _ => letter.into(),
    }
}

fn numbered(letter: char) -> String {
    format!("&#{};", u32::from(letter))
}

/// Whether a character of an address has no meaning in Markdown.
fn is_safe(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "-./:?=%+~,@!$();'".contains(letter)
}

/// The beginning of a line, escaped so that it is not read as a list, a heading or a thematic break.
fn begun(text: &str) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    match text[digits..].chars().next() {
        Some('-' | '+' | '=' | '~') if digits == 0 => format!("\\{text}"),
        Some('.' | ')') if digits > 0 => format!("{}\\{}", &text[..digits], &text[digits..]),
        _ => text.into(),
    }
}

/// Code between more backticks than it contains in a row.
fn code_span(code: &str) -> String {
    let longest = code.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let marks = "`".repeat(longest + 1);
    let blank = code.chars().all(|letter| letter == ' ');
    let spaced =
        code.starts_with('`') || code.ends_with('`') || (code.starts_with(' ') && code.ends_with(' ') && !blank);
    let pad = if spaced { " " } else { "" };
    format!("{marks}{pad}{code}{pad}{marks}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(spans: &[Span]) {
        let blocks = vec![Block::Paragraph(spans.to_vec())];
        let written = text(&blocks).join("\n\n");
        assert_eq!(Block::read(&written), Ok(blocks), "{written}");
    }

    #[test]
    fn whatever_touches_whatever_is_read_back() {
        let texts =
            ["a", " a ", "(a)", "*", "1. x", "- x", "é—", "# _x_ `y` <b> &amp; \\", "\u{a0}", "~~~", "===", "Ⓐ"];
        let marked = texts.map(String::from).into_iter().flat_map(|text| {
            let address = "https://example.org/a_(b)?c=1&d=<e>".to_owned();
            [Span::Emphasis(text.clone()), Span::Strong(text.clone()), Span::Link { text, address }]
        });
        let code = ["a", "`", " a ", "``b`", " ", "a|*b*"].map(|code| Span::Code(code.into()));
        let others: Vec<_> = marked.chain(code).collect();
        for other in &others {
            same(std::slice::from_ref(other));
            for text in texts {
                let text = Span::Text(text.into());
                same(&[text.clone(), other.clone()]);
                same(&[other.clone(), text.clone()]);
                same(&[text.clone(), other.clone(), text]);
            }
            let alike = |next: &&Span| std::mem::discriminant(*next) == std::mem::discriminant(other);
            for next in others.iter().filter(|next| !alike(next)) {
                same(&[other.clone(), next.clone()]);
                same(&[other.clone(), next.clone(), other.clone()]);
            }
        }
    }

    #[test]
    fn lists_in_a_row_stay_apart() {
        let list = |numbered| Block::List {
            numbered,
            items: vec![vec![Span::Text("- 1) a".into())], vec![Span::Code("b".into())]],
        };
        let blocks = vec![
            list(false),
            list(false),
            list(true),
            list(true),
            list(true),
            Block::Paragraph(vec![Span::Text("c".into())]),
        ];
        let written = text(&blocks).join("\n\n");
        assert_eq!(Block::read(&written), Ok(blocks), "{written}");
    }
}
