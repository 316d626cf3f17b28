//! A link as a QR code (ISO 18004), for classrooms: phones can scan it from the screen.

use std::fmt::Write;

use qrcodegen::{QrCode, QrCodeEcc};

/// The maximum number of characters in the largest code with the weakest error correction.
pub const CHARACTERS_MAX: usize = 2_953;

/// Light modules around a code.
const QUIET: i32 = 4;

/// A code to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Modules from edge to edge, including the light border.
    pub size: i32,
    /// The dark modules as the data of an SVG path; a module is 1 by 1.
    pub path: String,
}

impl Code {
    /// The code of a link; `None` for a link with more than [`CHARACTERS_MAX`] characters.
    #[must_use]
    pub fn of(link: &str) -> Option<Self> {
        // The error correction is as strong as possible at the smallest size.
        let code = QrCode::encode_binary(link.as_bytes(), QrCodeEcc::Low).ok()?;
        let mut path = String::new();
        for y in 0..code.size() {
            let mut x = 0;
            while x < code.size() {
                let from = x;
                while code.get_module(x, y) {
                    x += 1;
                }
                if x > from {
                    // Writing to a string cannot fail.
                    let _ = write!(path, "M{} {}h{}v1h-{}z", from + QUIET, y + QUIET, x - from, x - from);
                }
                x += 1;
            }
        }
        Some(Self { size: code.size() + 2 * QUIET, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The dark modules of a path.
    fn modules(code: &Code) -> Vec<(i32, i32)> {
        let number = |text: &str| text.parse::<i32>().expect("a number");
        let run = |part: &str| {
            let (from, rest) = part.split_once('h').expect("a run");
            let (x, y) = from.split_once(' ').expect("a place");
            let length = number(rest.split_once('v').expect("a height").0);
            (number(x)..number(x) + length).map(move |x| (x, number(y))).collect::<Vec<_>>()
        };
        code.path.split_terminator('z').map(|part| part.trim_start_matches('M')).flat_map(run).collect()
    }

    #[test]
    fn the_path_has_the_dark_modules_with_four_light_ones_around() {
        let link = "https://example.org/tiebreak/#2.d.AAAB";
        let expected = QrCode::encode_binary(link.as_bytes(), QrCodeEcc::Low).expect("a code");
        let code = Code::of(link).expect("a code");
        assert_eq!(code.size, expected.size() + 8);
        let dark = modules(&code);
        for y in 0..code.size {
            for x in 0..code.size {
                assert_eq!(dark.contains(&(x, y)), expected.get_module(x - 4, y - 4), "{x}, {y}");
            }
        }
    }

    #[test]
    fn a_link_that_is_too_long_has_none() {
        let link = |characters: usize| "x".repeat(characters);
        assert_eq!(Code::of(&link(CHARACTERS_MAX)).expect("the largest").size, 177 + 8);
        assert_eq!(Code::of(&link(CHARACTERS_MAX + 1)), None);
    }
}
