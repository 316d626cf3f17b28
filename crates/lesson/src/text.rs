//! The readable text of a lesson: plain data, never HTML.

use serde::{Deserialize, Serialize};

use crate::issue::{Issue, Issues};
use crate::pieces::{PieceKind, pieces};

/// A paragraph or a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Span>),
    /// A list; lists are not nested.
    List {
        /// Whether its items are numbered, from 1.
        numbered: bool,
        /// One line of text per item.
        items: Vec<Vec<Span>>,
    },
}

/// A piece of a line of text. Spans are not nested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// Plain text.
    Text(String),
    /// With emphasis.
    Emphasis(String),
    /// Strong.
    Strong(String),
    /// Code.
    Code(String),
    /// A link out of the page.
    Link {
        /// The link text.
        text: String,
        /// Its target: it begins with `https://`.
        address: String,
    },
}

impl Block {
    /// Reads text that contains only paragraphs and lists.
    ///
    /// # Errors
    /// If it contains anything else; each issue has its line.
    pub fn read(markdown: &str) -> Result<Vec<Self>, Vec<Issue>> {
        let issues = Issues::default();
        let blocks = pieces(markdown, &issues).into_iter().filter_map(|piece| match piece.kind {
            PieceKind::Text(block) => Some(block),
            PieceKind::Title(text) | PieceKind::Step(text) => {
                let got = format!("the heading {}", crate::issue::quoted(&text));
                issues.add(piece.line, "paragraphs and lists", got, "the step already has a title");
                None
            }
            PieceKind::Fence { word, .. } => {
                let got = format!("a fenced block {word}");
                issues.add(piece.line, "paragraphs and lists", got, "remove it here");
                None
            }
        });
        let blocks = blocks.collect();
        if issues.is_empty() { Ok(blocks) } else { Err(issues.into_list()) }
    }
}
