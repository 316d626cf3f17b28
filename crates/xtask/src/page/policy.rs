//! The page's content security policy lists each inline script by its digest and allows no others.
//!
//! Trunk writes the script that starts the page, with the addresses of this build, into index.html, so its digest is
//! known only after the build.

use super::fill;
use crate::digest;

const MARKER: &str = "{inline-scripts}";

/// The page with its inline scripts in its policy.
pub(super) fn with_scripts(page: &str) -> Result<String, String> {
    let digests: Vec<String> =
        inline_scripts(page).map(|script| format!("'{}'", digest::integrity(script.as_bytes()))).collect();
    match digests.as_slice() {
        [] => Err("index.html has no inline script; did Trunk change how it starts a page?".into()),
        digests => fill(page, MARKER, &digests.join(" ")),
    }
}

fn inline_scripts(page: &str) -> impl Iterator<Item = &str> {
    page.split("<script").skip(1).filter_map(|from| {
        let (attributes, rest) = from.split_once('>')?;
        let (script, _) = rest.split_once("</script")?;
        (!attributes.contains(" src=")).then_some(script)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_scripts_are_named_and_others_are_not() {
        let page = format!(
            "<meta content=\"{MARKER}\"><script src=\"a.js\"></script><script type=\"module\">alert(1)</script>"
        );
        let digest = digest::integrity(b"alert(1)");
        let named = with_scripts(&page).expect("the page has both");
        assert!(named.starts_with(&format!("<meta content=\"'{digest}'\"><script src")), "{named}");
    }

    #[test]
    fn a_page_without_inline_script_or_policy_is_refused() {
        assert!(with_scripts(MARKER).is_err());
        assert!(with_scripts("<script>alert(1)</script>").is_err());
    }
}
