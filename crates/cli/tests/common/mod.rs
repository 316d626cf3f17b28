//! Helpers that several test programs share.

use std::path::Path;

/// Compares text with a file in `tests/golden`, or writes it.
pub(crate) fn golden(name: &str, got: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, got).expect("the golden is written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(got, expected, "{name} changed; if that is meant: UPDATE=1 cargo test -p tiebreak-cli");
}
