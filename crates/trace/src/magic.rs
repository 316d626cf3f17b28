//! The first bytes of known non-text files, so that a wrong choice can be named.

use crate::error::TraceError;

const AS_CSV: &str = "Export it as CSV and choose that file.";
const UNPACK: &str = "Unpack it and choose the CSV inside (a single .csv, compressed or not).";
const ANOTHER: &str = "Choose a .csv, .csv.gz or .csv.zst file.";

const KINDS: &[(&[u8], &str, &str)] = &[
    (b"\x89PNG", "a PNG image", ANOTHER),
    (b"\xff\xd8\xff", "a JPEG image", ANOTHER),
    (b"GIF8", "a GIF image", ANOTHER),
    (b"%PDF", "a PDF document", ANOTHER),
    (b"PK\x03\x04", "a zip archive or a spreadsheet", UNPACK),
    (b"SQLite format 3\0", "a SQLite database", AS_CSV),
    (b"PAR1", "a Parquet file", AS_CSV),
    (&ZSTD, "zstd data inside compressed data", UNPACK),
    (b"\xfd7zXZ", "xz data", UNPACK),
    (b"BZh", "bzip2 data", UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", UNPACK),
    (&GZIP, "gzip data inside compressed data", UNPACK),
    (b"\0asm", "a WebAssembly module", ANOTHER),
    (b"\xff\xfe", "UTF-16 text", "Save it as UTF-8 and choose that file."),
    (b"\xfe\xff", "UTF-16 text", "Save it as UTF-8 and choose that file."),
    (b"<", "HTML or XML", "If you saved a link, download its target."),
    (b"{", "JSON", AS_CSV),
    (b"[", "JSON", AS_CSV),
];

/// Gzip's first two bytes (RFC 1952), and zstd's first four (RFC 8878).
pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];
pub(crate) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Accepts text; names anything else.
pub(crate) fn check_is_text(first_lines: &[u8]) -> Result<(), TraceError> {
    let wrong = |got: &str, advice| Err(TraceError::WrongKind { got: got.into(), advice });
    if let Some((_, got, advice)) = KINDS.iter().find(|(magic, ..)| first_lines.starts_with(magic)) {
        return wrong(got, advice);
    }
    if memchr::memchr(0, first_lines).is_some() {
        return wrong("binary data", ANOTHER);
    }
    Ok(())
}
