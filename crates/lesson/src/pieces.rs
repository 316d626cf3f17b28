//! Splits Markdown into headings, text and fenced blocks, each with its line. Everything that a lesson does not show
//! is an issue: nothing is dropped silently, and no HTML passes.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd};

use crate::issue::{Issues, quoted};
use crate::text::{Block, Span};

/// The most bytes in the text of a lesson.
pub const TEXT_MAX: usize = 256 * 1024;

/// One part of a lesson's text, and its first line.
pub(crate) struct Piece {
    pub(crate) line: u32,
    pub(crate) kind: PieceKind,
}

pub(crate) enum PieceKind {
    /// `# …`
    Title(String),
    /// `## …`
    Step(String),
    /// A paragraph or a list.
    Text(Block),
    /// A fenced block: its info string, and its content.
    Fence { word: String, text: String },
}

/// The parts of a text, in order.
pub(crate) fn pieces(markdown: &str, issues: &Issues) -> Vec<Piece> {
    if markdown.len() > TEXT_MAX {
        let got = format!("{} bytes", markdown.len());
        issues.add(1, format!("a lesson of at most {TEXT_MAX} bytes"), got, "split it into two lessons");
        return Vec::new();
    }
    let text = markdown.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let lines = Lines::of(&text);
    if let Some((at, control)) = text.char_indices().find(|(_, it)| it.is_control() && *it != '\n' && *it != '\t') {
        issues.add(
            lines.line(at),
            "text",
            format!("the control character {control:?}"),
            "is this another kind of file?",
        );
        return Vec::new();
    }
    let mut taker = Taker { events: Parser::new_ext(&text, Options::empty()).into_offset_iter(), lines, issues };
    taker.pieces()
}

/// The start of each line.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The line number of a byte, from 1.
    fn line(&self, at: usize) -> u32 {
        self.0.partition_point(|start| *start <= at) as u32
    }
}

/// Takes pieces from the parser, one by one.
struct Taker<'a> {
    events: OffsetIter<'a>,
    lines: Lines,
    issues: &'a Issues,
}

impl<'a> Taker<'a> {
    fn pieces(&mut self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        while let Some((event, range)) = self.events.next() {
            let line = self.lines.line(range.start);
            pieces.extend(self.kind(event, &range, line).map(|kind| Piece { line, kind }));
        }
        pieces
    }

    fn kind(&mut self, event: Event<'a>, range: &Range<usize>, line: u32) -> Option<PieceKind> {
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading(level, line),
            Event::Start(Tag::Paragraph) => {
                let spans = self.spans(TagEnd::Paragraph, "a paragraph");
                (!spans.is_empty()).then_some(PieceKind::Text(Block::Paragraph(spans)))
            }
            Event::Start(Tag::List(first)) => Some(PieceKind::Text(self.list(first, line))),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(word))) => {
                let word = word.split_whitespace().collect::<Vec<_>>().join(" ");
                Some(PieceKind::Fence { word, text: self.code() })
            }
            other => {
                self.refuse(&other, range, "a heading, a paragraph, a list or a fenced block");
                None
            }
        }
    }

    fn heading(&mut self, level: HeadingLevel, line: u32) -> Option<PieceKind> {
        let spans = self.spans(TagEnd::Heading(level), "a heading");
        let title: String = spans.iter().map(|span| self.plain_of(span, line)).collect();
        if title.trim().is_empty() {
            self.issues.add(line, "words after #", "nothing", "name the lesson or the step");
            return None;
        }
        match level {
            HeadingLevel::H1 => Some(PieceKind::Title(title)),
            HeadingLevel::H2 => Some(PieceKind::Step(title)),
            _ => {
                let advice = "use **strong** words in a paragraph instead of smaller headings";
                self.issues.add(line, "# for the lesson's title or ## for a step's", format!("{level}"), advice);
                None
            }
        }
    }

    /// The plain text of a heading.
    fn plain_of(&self, span: &Span, line: u32) -> String {
        match span {
            Span::Text(text) => text.clone(),
            Span::Emphasis(text) | Span::Strong(text) | Span::Code(text) | Span::Link { text, .. } => {
                self.issues.add(line, "plain words in a heading", quoted(text), "remove the marks around it");
                text.clone()
            }
        }
    }

    /// The content of a fenced block.
    fn code(&mut self) -> String {
        let mut text = String::new();
        for (event, _) in self.events.by_ref() {
            match event {
                Event::Text(more) => text.push_str(&more),
                Event::End(TagEnd::CodeBlock) => break,
                _ => {}
            }
        }
        text
    }

    fn list(&mut self, first: Option<u64>, line: u32) -> Block {
        if first.is_some_and(|first| first != 1) {
            self.issues.add(line, "a list that begins with 1", format!("{}", first.unwrap_or(0)), "count from 1");
        }
        let mut items = Vec::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Start(Tag::Item) => {
                    let spans = self.spans(TagEnd::Item, "an item of a list");
                    if spans.is_empty() {
                        self.issues.add(
                            self.lines.line(range.start),
                            "words",
                            "an empty item",
                            "write it or remove it",
                        );
                    }
                    items.push(spans);
                }
                Event::End(TagEnd::List(_)) => break,
                _ => {}
            }
        }
        Block::List { numbered: first.is_some(), items }
    }

    /// Text up to the end of its container.
    fn spans(&mut self, end: TagEnd, place: &str) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::End(tag) if tag == end => break,
                Event::Text(text) => push_text(&mut spans, &text),
                Event::SoftBreak | Event::HardBreak => push_text(&mut spans, " "),
                Event::Code(code) => spans.push(Span::Code(code.into_string())),
                Event::Start(Tag::Emphasis) => {
                    let text = self.words(&range);
                    push_marked(&mut spans, Span::Emphasis(text));
                }
                Event::Start(Tag::Strong) => {
                    let text = self.words(&range);
                    push_marked(&mut spans, Span::Strong(text));
                }
                Event::Start(Tag::Link { dest_url, title, .. }) => {
                    let text = self.words(&range);
                    spans.extend(self.link(text, &dest_url, &title, &range));
                }
                // Items of a loose list contain a paragraph; it is all that an item may contain.
                Event::Start(Tag::Paragraph) if end == TagEnd::Item && spans.is_empty() => {}
                Event::End(TagEnd::Paragraph) => {}
                Event::Start(Tag::Paragraph) => {
                    let line = self.lines.line(range.start);
                    self.issues.add(line, "one paragraph in an item", "another", "make it an item of its own");
                    self.skip();
                }
                other => self.refuse(
                    &other,
                    &range,
                    &format!("plain words, *emphasis*, **strong**, `code` and links in {place}"),
                ),
            }
        }
        spans
    }

    /// Plain text up to the end of its container.
    fn words(&mut self, around: &Range<usize>) -> String {
        let mut words = String::new();
        while let Some((event, range)) = self.events.next() {
            match event {
                Event::Text(text) => words.push_str(&text),
                Event::SoftBreak | Event::HardBreak => words.push(' '),
                Event::End(_) => break,
                other => self.refuse(&other, &range, "plain text inside emphasis, strong words and links"),
            }
        }
        if words.is_empty() {
            let line = self.lines.line(around.start);
            self.issues.add(line, "text inside emphasis, strong words and links", "none", "write some");
        }
        words
    }

    fn link(&self, text: String, address: &str, title: &str, range: &Range<usize>) -> Option<Span> {
        let line = self.lines.line(range.start);
        let clean = address.chars().all(|letter| !letter.is_whitespace() && !letter.is_control());
        if !address.starts_with("https://") || !clean {
            let advice = "links must start with https; write other addresses as `code`";
            self.issues.add(line, "a link to https://…", quoted(address), advice);
            return None;
        }
        if !title.is_empty() {
            self.issues.add(line, "a link without a title", quoted(title), "put it in the text");
        }
        Some(Span::Link { text, address: address.to_owned() })
    }

    /// Reports something that is not shown, and skips it.
    fn refuse(&mut self, event: &Event<'_>, range: &Range<usize>, expected: &str) {
        let (got, advice) = unshown(event);
        self.issues.add(self.lines.line(range.start), expected, got, advice);
        if matches!(event, Event::Start(_)) {
            self.skip();
        }
    }

    /// Skips the rest of the current element.
    fn skip(&mut self) {
        let mut open = 1_u32;
        for (event, _) in self.events.by_ref() {
            match event {
                Event::Start(_) => open += 1,
                Event::End(_) => open -= 1,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
    }
}

fn push_text(spans: &mut Vec<Span>, more: &str) {
    match spans.last_mut() {
        Some(Span::Text(text)) => text.push_str(more),
        _ => spans.push(Span::Text(more.to_owned())),
    }
}

/// Adjacent spans with the same markup become one.
fn push_marked(spans: &mut Vec<Span>, span: Span) {
    match (spans.last_mut(), span) {
        (Some(Span::Emphasis(text)), Span::Emphasis(more)) | (Some(Span::Strong(text)), Span::Strong(more)) => {
            text.push_str(&more);
        }
        (_, span) => spans.push(span),
    }
}

/// A name for something that a lesson does not show, and what to do instead.
fn unshown(event: &Event<'_>) -> (&'static str, &'static str) {
    match event {
        Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::HtmlBlock) => {
            ("HTML", "write Markdown; write a literal < as \\<")
        }
        Event::Start(Tag::Image { .. }) => ("an image", "remove it; a lesson shows the run instead"),
        Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
            ("text indented by four spaces", "start at the left edge")
        }
        Event::Start(Tag::CodeBlock(_)) => ("a fenced block", "start it at the left edge, outside of lists"),
        Event::Start(Tag::BlockQuote(_)) => ("a quotation", "write a paragraph"),
        Event::Start(Tag::List(_)) => ("a list inside a list", "make it one list"),
        Event::Start(Tag::Heading { .. }) => ("a heading", "start it at the left edge"),
        Event::Start(Tag::Emphasis | Tag::Strong) => ("emphasis inside emphasis", "end one before the next starts"),
        Event::Start(Tag::Link { .. }) => ("a link inside emphasis", "end the emphasis before the link"),
        Event::Code(_) => ("code inside emphasis or a link", "end the emphasis before the code"),
        Event::Rule => ("a line across the page", "remove it; steps are separate anyway"),
        _ => ("something else", "remove it"),
    }
}
