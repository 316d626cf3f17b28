//! A scenario as the part of an address after `#`, which browsers do not send to a server: `3.d.PAYLOAD`, that is
//! version, codec, payload. The version is that of the document, which also contains it; a handmade document without
//! a version has its link's version.
//!
//! Codec `d` is the one that is written: four characters with the number of characters that follow, so that a
//! truncated link is detected with certainty; then the short JSON, deflated (zlib) and encoded as base64url. Codec
//! `j` is for handmade links: the JSON as base64url. Codec `p` is for an unchanged preset: its id and, if there is a
//! result, `.ENGINE.DIGEST`, short enough for a small QR code. So the meaning of a preset must never change;
//! `corpus/good` checks this for each.
//!
//! Every link that was ever shared must always open: `corpus/good` only grows.

use std::fmt;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

use crate::document::Document;
use crate::issue::{Issue, quoted};
use crate::presets::{PRESETS, Preset};
use crate::read::{Read, ReadError, TEXT_MAX, newer_issue, parsed};
use crate::salvage::close_brackets;
use crate::version::CURRENT_VERSION;
use crate::write::Stamp;

/// The maximum number of characters after `#`.
pub const LINK_MAX: usize = 200_000;

/// The strongest compression; links are short, so time does not matter.
const LEVEL: u8 = 10;

/// Characters at the start of a `d` payload with the length of the rest.
const HEAD: usize = 4;

/// base64url without padding; tolerates the odd bits at the end of a truncated link.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The result of opening a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// Everything readable, with defaults for the rest.
    pub document: Document,
    /// What was not used as it was.
    pub issues: Vec<Issue>,
    /// The run from which it was shared.
    pub stamp: Option<Stamp>,
    /// Whether a newer Tiebreak made it, so that the link should be kept.
    pub newer: bool,
}

/// Why a link cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// Nothing after `#`.
    Empty,
    /// More than [`LINK_MAX`] characters.
    TooLong {
        /// Its length.
        characters: usize,
    },
    /// Not `version.codec.payload`.
    NotALink {
        /// Its beginning.
        got: String,
    },
    /// An unknown codec.
    UnknownCodec {
        /// The codec.
        codec: String,
    },
    /// An unknown preset.
    UnknownPreset {
        /// Its id.
        id: String,
    },
    /// A link of a future version, in an unreadable form.
    Newer {
        /// Its version.
        version: u32,
    },
    /// An invalid character, so early that nothing could be read.
    NotBase64 {
        /// The character.
        character: char,
    },
    /// The end is missing, and too much of it to read the rest.
    Cut {
        /// The number of characters according to the payload; `None` if its head is missing.
        expected: Option<usize>,
        /// The actual number of characters.
        got: usize,
    },
    /// It would inflate to more than any document.
    Bomb,
    /// Characters were changed on the way, so that nothing could be read.
    Damaged,
    /// Its content is not a document.
    Unreadable(ReadError),
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "expected a scenario behind #, got nothing; copy the whole link"),
            Self::TooLong { characters } => {
                write!(f, "expected a link of at most {LINK_MAX} characters, got {characters}; share a file instead")
            }
            Self::NotALink { got } => {
                write!(f, "expected a link like #{CURRENT_VERSION}.d.…, got {}; copy the whole link", quoted(got))
            }
            Self::UnknownCodec { codec } => {
                write!(f, "expected a link with codec d, j or p, got {}; copy the whole link", quoted(codec))
            }
            Self::UnknownPreset { id } => {
                write!(f, "expected the id of a preset, got {}; copy the whole link, or reload the page", quoted(id))
            }
            Self::Newer { version } => write!(
                f,
                "expected a link of version {CURRENT_VERSION} or older, got version {version}; \
                 it is newer than this page: reload the page, and keep the link"
            ),
            Self::NotBase64 { character } => {
                write!(f, "expected letters, digits, - and _, got {character:?}; copy the whole link")
            }
            Self::Cut { expected: Some(expected), got } => {
                write!(f, "the link seems truncated: expected {expected} characters, got {got}; copy the whole link")
            }
            Self::Cut { expected: None, got } => {
                write!(f, "the link seems truncated: its end is missing after {got} characters; copy the whole link")
            }
            Self::Bomb => {
                write!(
                    f,
                    "expected a scenario of at most {TEXT_MAX} bytes, got a link that decompresses to more; it was \
                     not opened"
                )
            }
            Self::Damaged => write!(f, "expected a scenario, got a link with changed characters; copy the whole link"),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LinkError {}

/// The link of a document, without `#`.
#[must_use]
pub fn encode(document: &Document, stamp: Option<&Stamp>) -> String {
    format!("{CURRENT_VERSION}.d.{}", pack(&document.to_short_json(stamp)))
}

/// The short link of a document that is an unchanged preset, without `#`; `None` for any other.
#[must_use]
pub fn encode_preset(document: &Document, stamp: Option<&Stamp>) -> Option<String> {
    let Preset { id, .. } = PRESETS.iter().find(|preset| (preset.make)() == *document)?;
    let stamp = stamp.map(|Stamp { engine, digest }| format!(".{engine}.{digest:016x}"));
    Some(format!("{CURRENT_VERSION}.p.{id}{}", stamp.unwrap_or_default()))
}

/// Any text in the form of codec `d`, for a link that contains something other than a document. Browsers do not send
/// it to a server.
#[must_use]
pub fn pack(text: &str) -> String {
    let body = BASE64.encode(compress_to_vec_zlib(text.as_bytes(), LEVEL));
    let [_, length @ ..] = (body.len() as u32).to_be_bytes();
    format!("{}{body}", BASE64.encode(length))
}

/// The text that [`pack`] packed. Unlike a document, it opens completely or not at all.
///
/// # Errors
/// If it is truncated or changed, or longer than the maximum for links or texts.
pub fn unpack(packed: &str) -> Result<String, LinkError> {
    let packed = clean(packed)?;
    let (expected, body) = length_and_body(&packed)?;
    let body = body.get(..expected).unwrap_or(body);
    let (bytes, stranger) = base64_beginning(body);
    if let Some(character) = stranger {
        return Err(LinkError::NotBase64 { character });
    }
    if body.len() < expected {
        return Err(LinkError::Cut { expected: Some(HEAD + expected), got: packed.len() });
    }
    match decompress_to_vec_zlib_with_limit(&bytes, TEXT_MAX) {
        Ok(text) => String::from_utf8(text).map_err(|_| LinkError::Damaged),
        Err(error) if error.status == TINFLStatus::HasMoreOutput => Err(LinkError::Bomb),
        Err(_) => Err(LinkError::Damaged),
    }
}

/// Opens a link: a whole address, or the part after `#`, with or without it.
///
/// # Errors
/// If nothing could be read. A broken link of which something could be read opens, with issues.
pub fn decode(link: &str) -> Result<Opened, LinkError> {
    let fragment = clean(link)?;
    let parts: Vec<_> = fragment.splitn(3, '.').collect();
    let [version, codec, payload] = parts[..] else { return Err(LinkError::NotALink { got: fragment }) };
    let version = link_version(version).ok_or_else(|| LinkError::NotALink { got: fragment.clone() })?;
    let opened = match codec {
        "d" => inflated(payload, version),
        "j" => plain(payload, version),
        "p" => preset(payload),
        _ => Err(LinkError::UnknownCodec { codec: codec.into() }),
    };
    if version <= CURRENT_VERSION {
        return opened;
    }
    // A later version may have changed anything after its number, so the only certain fact is that it is newer.
    let mut opened = opened.map_err(|_| LinkError::Newer { version })?;
    if !opened.newer {
        opened.issues.insert(0, newer_issue(&format!("a link of version {version}")));
        opened.newer = true;
    }
    Ok(opened)
}

/// The part after `#`, without the white space with which mail programs fold long lines.
fn clean(link: &str) -> Result<String, LinkError> {
    let fragment = link.split_once('#').map_or(link, |(_, fragment)| fragment);
    if fragment.len() > LINK_MAX {
        return Err(LinkError::TooLong { characters: fragment.chars().count() });
    }
    let fragment: String = fragment.chars().filter(|letter| !letter.is_whitespace()).collect();
    if fragment.is_empty() { Err(LinkError::Empty) } else { Ok(fragment) }
}

/// A version number of any size.
fn link_version(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(u32::MAX)).filter(|version| *version > 0)
}

/// Codec `d`.
fn inflated(payload: &str, version: u32) -> Result<Opened, LinkError> {
    let (expected, body) = length_and_body(payload)?;
    // A full stop or bracket of the surrounding sentence may be attached to the link.
    let body = body.get(..expected).unwrap_or(body);
    let (bytes, stranger) = base64_beginning(body);
    let broken = match stranger {
        Some(character) => Broken::Strange { character },
        None if body.len() < expected => Broken::Cut { expected: Some(HEAD + expected), got: payload.len() },
        None => Broken::Changed,
    };
    match decompress_to_vec_zlib_with_limit(&bytes, TEXT_MAX) {
        Ok(text) => match String::from_utf8(text) {
            Ok(text) => whole(&text, version),
            Err(_) => Err(LinkError::Damaged),
        },
        Err(error) if error.status == TINFLStatus::HasMoreOutput => Err(LinkError::Bomb),
        Err(error) => remains(&error.output, broken, version),
    }
}

/// Codec `p`.
fn preset(payload: &str) -> Result<Opened, LinkError> {
    // A full stop or bracket of the surrounding sentence may be attached to the link.
    let payload = payload.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
    let (id, result) = payload.split_once('.').map_or((payload, None), |(id, result)| (id, Some(result)));
    let preset = PRESETS.iter().find(|preset| preset.id == id);
    let preset = preset.ok_or_else(|| LinkError::UnknownPreset { id: id.into() })?;
    let stamp = result.map(|result| stamp(result).ok_or_else(|| no_stamp(result))).transpose();
    let (stamp, issues) = match stamp {
        Ok(stamp) => (stamp, Vec::new()),
        Err(issue) => (None, vec![issue]),
    };
    Ok(Opened { document: (preset.make)(), issues, stamp, newer: false })
}

/// `ENGINE.DIGEST`; the digest always has all its digits, so that truncation is detected.
fn stamp(text: &str) -> Option<Stamp> {
    let (engine, digest) = text.rsplit_once('.')?;
    let is_whole = digest.len() == 16 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = is_whole.then(|| u64::from_str_radix(digest, 16).ok())??;
    Some(Stamp { engine: engine.into(), digest })
}

fn no_stamp(got: &str) -> Issue {
    Issue {
        path: "link".into(),
        expected: "an engine's version and a digest of 16 digits behind the preset".into(),
        got: quoted(got),
        done: "opened the preset; there is no result to compare with".into(),
    }
}

fn length_and_body(payload: &str) -> Result<(usize, &str), LinkError> {
    if let Some(character) = payload.chars().take(HEAD).find(|letter| !in_base64(*letter)) {
        return Err(LinkError::NotBase64 { character });
    }
    let cut = LinkError::Cut { expected: None, got: payload.len() };
    let (head, body) = payload.split_at_checked(HEAD).ok_or(cut)?;
    match BASE64.decode(head).as_deref() {
        Ok(&[high, middle, low]) => Ok((u32::from_be_bytes([0, high, middle, low]) as usize, body)),
        _ => Err(LinkError::Damaged),
    }
}

/// Codec `j`.
fn plain(payload: &str, version: u32) -> Result<Opened, LinkError> {
    // Tools that make base64 manually often use its other alphabet and its padding.
    let payload = payload.trim_end_matches('=').replace('+', "-").replace('/', "_");
    let (bytes, stranger) = base64_beginning(&payload);
    if let Some(character) = stranger {
        return remains(&bytes, Broken::Strange { character }, version);
    }
    let text = String::from_utf8_lossy(&bytes);
    match whole(&text, version) {
        Err(LinkError::Unreadable(error)) if error.is_cut() => {
            remains(&bytes, Broken::Cut { expected: None, got: payload.len() }, version)
        }
        result => result,
    }
}

fn in_base64(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '-' || letter == '_'
}

/// The bytes before the first character that is not base64url, and that character.
fn base64_beginning(text: &str) -> (Vec<u8>, Option<char>) {
    let end = text.find(|letter| !in_base64(letter));
    let good = &text[..end.unwrap_or(text.len())];
    // Four characters encode three bytes; a single one encodes none.
    let good = if good.len() % 4 == 1 { &good[..good.len() - 1] } else { good };
    (BASE64.decode(good).unwrap_or_default(), end.and_then(|end| text[end..].chars().next()))
}

fn whole(text: &str, version: u32) -> Result<Opened, LinkError> {
    Document::read_as(text, version).map(Opened::from).map_err(LinkError::Unreadable)
}

impl From<Read> for Opened {
    fn from(read: Read) -> Self {
        let Read { document, stamp, issues, newer } = read;
        Self { document, issues, stamp, newer }
    }
}

/// How a link is broken.
#[derive(Clone, Copy)]
enum Broken {
    Cut { expected: Option<usize>, got: usize },
    Strange { character: char },
    Changed,
}

impl Broken {
    fn error(self) -> LinkError {
        match self {
            Self::Cut { expected, got } => LinkError::Cut { expected, got },
            Self::Strange { character } => LinkError::NotBase64 { character },
            Self::Changed => LinkError::Damaged,
        }
    }

    fn issue(self) -> Issue {
        let done = "opened the rest: fields after the break have their defaults, rules are off";
        let (expected, got) = match self {
            Self::Cut { expected: Some(expected), got } => {
                (format!("{expected} characters"), format!("{got}: the link seems truncated"))
            }
            Self::Cut { expected: None, got } => (
                "its end".into(),
                format!(
                    "{got} characters: the link seems \
                 truncated"
                ),
            ),
            Self::Strange { character } => ("letters, digits, - and _".into(), format!("{character:?}")),
            Self::Changed => ("an unchanged link".into(), "changed characters".into()),
        };
        Issue { path: "link".into(), expected, got, done: done.into() }
    }
}

/// Opens the beginning of a document if it reaches into its first variant.
fn remains(bytes: &[u8], broken: Broken, version: u32) -> Result<Opened, LinkError> {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    let text = close_brackets(valid).ok_or_else(|| broken.error())?;
    let value = parsed(&text).map_err(|_| broken.error())?;
    let started = value["variants"][0].as_object().is_some_and(|variant| !variant.is_empty());
    if !started {
        return Err(broken.error());
    }
    let mut opened = whole(&text, version)?;
    opened.issues.insert(0, broken.issue());
    Ok(opened)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets::PRESETS;

    #[test]
    fn a_packed_text_comes_back_whole_or_not_at_all() {
        let text = "# Größe\n\nText with *emphasis*.\n".repeat(50);
        let packed = pack(&text);
        assert!(packed.len() < 200, "{packed}");
        assert_eq!(unpack(&packed).as_ref(), Ok(&text));
        assert_eq!(unpack(&format!("{packed}).")).as_ref(), Ok(&text), "a sentence's end sticks to it");
        for end in 0..packed.len() {
            assert!(unpack(&packed[..end]).is_err(), "cut after {end} characters");
        }
        for at in 0..packed.len() {
            let mut changed = packed.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("ascii");
            assert!(unpack(&changed).is_err() || unpack(&changed).as_ref() == Ok(&text), "changed at {at}");
        }
        assert_eq!(unpack(&pack(&" ".repeat(TEXT_MAX + 1))), Err(LinkError::Bomb));
        assert_eq!(unpack(""), Err(LinkError::Empty));
        assert!(matches!(unpack(&"A".repeat(LINK_MAX + 1)), Err(LinkError::TooLong { .. })));
    }

    #[test]
    fn every_preset_comes_back_from_its_link() {
        let stamp = Stamp { engine: "0.1.0".into(), digest: u64::MAX };
        for preset in PRESETS {
            let document = (preset.make)();
            for stamp in [None, Some(stamp.clone())] {
                let link = encode(&document, stamp.as_ref());
                assert!(link.len() < 2_000, "{}: {} characters", preset.id, link.len());
                let opened = Opened { document: document.clone(), issues: Vec::new(), stamp, newer: false };
                let address = format!("https://example.org/?x=1#{link}");
                for form in [link.clone(), format!("#{link}"), address, format!("{link}.)"), format!(" {link}\n")] {
                    assert_eq!(decode(&form).as_ref(), Ok(&opened), "{}: {form}", preset.id);
                }
            }
        }
    }

    #[test]
    fn an_untouched_preset_has_a_short_link_that_comes_back() {
        let stamp = Stamp { engine: "0.1.0".into(), digest: 0xab };
        for preset in PRESETS {
            let document = (preset.make)();
            for stamp in [None, Some(stamp.clone())] {
                let link = encode_preset(&document, stamp.as_ref()).expect("a preset");
                assert!(link.len() <= 50, "{link}");
                let opened = Opened { document: document.clone(), issues: Vec::new(), stamp, newer: false };
                for form in [link.clone(), format!("https://example.org/#{link}"), format!("{link}.)")] {
                    assert_eq!(decode(&form).as_ref(), Ok(&opened), "{form}");
                }
            }
            let changed = Document { name: "another".into(), ..document };
            assert_eq!(encode_preset(&changed, None), None);
        }
    }

    #[test]
    fn a_short_link_that_was_cut_says_so() {
        let stamp = Stamp { engine: "0.1.0".into(), digest: 0xab };
        let link = encode_preset(&(PRESETS[0].make)(), Some(&stamp)).expect("a preset");
        for end in "3.p.".len()..link.len() {
            match decode(&link[..end]) {
                Ok(opened) if &link[..end] == "3.p.default" || &link[..end] == "3.p.default." => {
                    assert_eq!((opened.stamp, opened.issues), (None, Vec::new()));
                }
                Ok(opened) => assert_eq!((opened.stamp, &*opened.issues[0].path), (None, "link"), "{end}"),
                Err(error) => assert!(matches!(error, LinkError::UnknownPreset { .. }), "{end}: {error}"),
            }
        }
        assert_eq!(decode("2.p.nobody"), Err(LinkError::UnknownPreset { id: "nobody".into() }));
    }

    #[test]
    fn every_cut_is_noticed_and_late_ones_still_open() {
        let document = (PRESETS[0].make)();
        let link = encode(&document, None);
        let mut opens = 0;
        for end in 0..link.len() {
            match decode(&link[..end]) {
                Ok(opened) => {
                    opens += 1;
                    assert_eq!(opened.document.name, document.name);
                    assert_eq!(opened.issues[0].path, "link", "cut at {end}: {:?}", opened.issues);
                }
                Err(LinkError::Empty | LinkError::NotALink { .. } | LinkError::UnknownCodec { .. }) if end < 5 => {}
                Err(LinkError::Cut { .. }) => {}
                Err(other) => panic!("cut at {end}: {other}"),
            }
        }
        assert!(opens > link.len() / 2, "{opens} of {} cuts open", link.len());
    }

    #[test]
    fn no_changed_character_passes_unseen_or_panics() {
        let document = (PRESETS[0].make)();
        let link = encode(&document, None);
        for at in 4..link.len() {
            for letter in ['A', '_', '.', 'é', '\0'] {
                let changed: String =
                    link.chars().enumerate().map(|(index, old)| if index == at { letter } else { old }).collect();
                if let Ok(opened) = decode(&changed) {
                    assert!(opened.document == document || !opened.issues.is_empty(), "{at} {letter:?}");
                }
            }
        }
    }
}
