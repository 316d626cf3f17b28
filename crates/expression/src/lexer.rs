//! The tokens of an expression.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::fault::Wrong;

/// Maximum number of bytes in an expression.
pub const SOURCE_MAX: usize = 4_096;

/// Maximum number of tokens in an expression.
pub const TOKENS_MAX: usize = 600;

/// Maximum number of bytes in a name.
pub const NAME_MAX: usize = 64;

/// One token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// A keyword.
    Word(Word),
    /// An operator or punctuation mark of one or two characters.
    Sign(&'static str),
    End,
}

macro_rules! words {
    ($($word:ident $text:literal,)+) => {
        /// A keyword, which cannot be a name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Word { $($word),+ }

        impl Word {
            pub(crate) fn text(self) -> &'static str {
                match self { $(Self::$word => $text),+ }
            }

            fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$word),)+ _ => None }
            }
        }
    };
}

words! {
    Let "let", If "if", Then "then", Else "else", And "and", Or "or", Not "not", True "true", False "false",
}

impl Token<'_> {
    /// How a fault shows it.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Number(number) => format!("{number}"),
            Self::Name(name) => format!("`{name}`"),
            Self::Word(word) => format!("`{}`", word.text()),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Operators and punctuation, those of two characters first.
const SIGNS: [&str; 16] = ["==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "%", "(", ")", ",", ";"];

/// Operators of other languages, and their equivalents here.
const FOREIGN: [(&str, &str); 6] =
    [("&&", "and"), ("||", "or"), ("!", "not"), ("?", "if … then … else"), ("^", "*"), ("{", "(")];

/// The tokens of a text with their offsets, the end last.
pub(crate) fn tokens(source: &str) -> Result<Vec<(Token<'_>, usize)>, Wrong> {
    if source.len() > SOURCE_MAX {
        let got = format!("{} bytes", source.len());
        return Err(Wrong::new(0, format!("an expression of at most {SOURCE_MAX} bytes"), got).advise("shorten it"));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(start) = next_word(source, at) {
        if tokens.len() == TOKENS_MAX {
            let expected = format!("an expression of at most {TOKENS_MAX} tokens");
            return Err(Wrong::new(start, expected, "more").advise("shorten it"));
        }
        let (token, end) = token(source, start)?;
        tokens.push((token, start));
        at = end;
    }
    tokens.push((Token::End, source.trim_end().len()));
    Ok(tokens)
}

/// The offset of the next token, after spaces and comments.
fn next_word(source: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &source[at..];
        let word = rest.trim_start();
        at += rest.len() - word.len();
        if !word.starts_with('#') {
            return (!word.is_empty()).then_some(at);
        }
        at += word.find('\n').unwrap_or(word.len());
    }
}

fn token(source: &str, start: usize) -> Result<(Token<'_>, usize), Wrong> {
    let rest = &source[start..];
    let first = rest.as_bytes()[0];
    if first.is_ascii_digit() || (first == b'.' && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)) {
        return number(rest, start);
    }
    if first.is_ascii_alphabetic() || first == b'_' {
        return name(rest, start);
    }
    let foreign = FOREIGN.iter().find(|(theirs, _)| rest.starts_with(theirs) && !rest.starts_with("!="));
    if let Some((theirs, ours)) = foreign {
        return Err(Wrong::new(start, "a character that expressions may use", format!("`{theirs}`"))
            .advise(format!("write `{ours}`")));
    }
    if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
        return Ok((Token::Sign(sign), start + sign.len()));
    }
    let character = rest.chars().next().unwrap_or_default();
    Err(Wrong::new(start, "a number, a name or an operator", format!("{character:?}")).advise("remove it"))
}

fn number(rest: &str, start: usize) -> Result<(Token<'_>, usize), Wrong> {
    let bytes = rest.as_bytes();
    let mut end = 0;
    while let Some(byte) = bytes.get(end) {
        let is_exponent = matches!(byte, b'e' | b'E');
        let is_sign = matches!(byte, b'+' | b'-') && matches!(bytes[end.saturating_sub(1)], b'e' | b'E');
        if !(byte.is_ascii_digit() || *byte == b'.' || is_exponent || is_sign) {
            break;
        }
        end += 1;
    }
    let text = &rest[..end];
    let unit = bytes.get(end).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && !unit => Ok((Token::Number(number), start + end)),
        Ok(number) if !number.is_finite() => Err(Wrong::new(start, "a number below 1.8e308", shown(text))),
        _ => {
            let more = bytes[end..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
            let wrong = Wrong::new(start, "a number like 12, 0.5 or 1e6", shown(&rest[..end + more]));
            Err(wrong.advise("put an operator between a number and a name"))
        }
    }
}

fn name(rest: &str, start: usize) -> Result<(Token<'_>, usize), Wrong> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let text = &rest[..rest.bytes().take_while(|byte| is_part(byte)).count()];
    if text.len() > NAME_MAX {
        return Err(
            Wrong::new(start, format!("a name of at most {NAME_MAX} letters"), shown(text)).advise("shorten it")
        );
    }
    let token = Word::of(text).map_or(Token::Name(text), Token::Word);
    Ok((token, start + text.len()))
}

/// Text in quotes, clipped to less than a line.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 30;
    let start: String = text.chars().take(LONGEST).collect();
    if start.len() < text.len() { format!("`{start}…`") } else { format!("`{start}`") }
}
