//! What a person reads in a lesson: plain data, never HTML.

use serde::{Deserialize, Serialize};

use crate::issue::{Issue, Issues};
use crate::pieces::{PieceKind, pieces};

/// A paragraph or a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Block {
    /// A paragraph.
    Paragraph(Vec<Span>),
    /// A list; lists do not stand inside others.
    List {
        /// Whether its items are numbered, from 1.
        numbered: bool,
        /// One line of text each.
        items: Vec<Vec<Span>>,
    },
}

/// A piece of a line of text. Spans do not stand inside others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// As it is.
    Text(String),
    /// With emphasis.
    Emphasis(String),
    /// Strong.
    Strong(String),
    /// A name as the program writes it.
    Code(String),
    /// A link out of the page.
    Link {
        /// What is shown.
        text: String,
        /// Where it leads: it begins with `https://`.
        address: String,
    },
}

impl Block {
    /// Reads text that holds nothing but paragraphs and lists.
    ///
    /// # Errors
    /// When it holds anything else; each issue has its line.
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
