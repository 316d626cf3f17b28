//! Digests of content in the formats of browsers.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// `sha256-...`, as in a script's `integrity` and in a content security policy.
pub(crate) fn integrity(content: &[u8]) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(content)))
}

/// A short name for this content.
pub(crate) fn name(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digests_are_those_of_other_programs() {
        // `printf 'alert(1)' | openssl dgst -sha256 -binary | base64`, and the first half of `sha256sum`.
        assert_eq!(integrity(b"alert(1)"), "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=");
        assert_eq!(name(b""), "e3b0c44298fc1c14");
    }
}
