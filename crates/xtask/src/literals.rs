//! Translatable texts in Rust source: the string literals passed to certain functions and macros.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::LitStr;

use crate::Outcome;

/// Functions and macros that take English literals, and the indexes of these arguments.
const TAKING: &[(&str, &[usize])] =
    &[("tr", &[0]), ("mark", &[0]), ("say", &[0]), ("phrase", &[0]), ("counted", &[1, 2])];

/// The texts of a file, without tests, in order.
///
/// # Errors
/// When the source is not valid Rust.
pub(crate) fn literals(source: &str) -> Result<Vec<String>, String> {
    let tokens: TokenStream = source.parse().map_err(|error| format!("expected Rust: {error}"))?;
    let mut texts = Vec::new();
    walk(tokens, &mut texts)?;
    Ok(texts)
}

/// Finds calls that take literals, at any depth.
fn walk(tokens: TokenStream, texts: &mut Vec<String>) -> Outcome {
    let (mut taking, mut skips): (Option<&[usize]>, _) = (None, false);
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) => {
                taking = TAKING.iter().find(|(taking, _)| name == taking).map(|(_, arguments)| *arguments);
            }
            TokenTree::Punct(mark) if mark.as_char() == '!' => {}
            // The item after `#[cfg(test)]` ends with a block or a semicolon.
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                let attribute = tokens.next_if(|next| matches!(next, TokenTree::Group(_)));
                skips |= attribute.is_some_and(|it| it.to_string().replace(' ', "") == "[cfg(test)]");
            }
            TokenTree::Punct(mark) => {
                taking = None;
                skips &= mark.as_char() != ';';
            }
            TokenTree::Group(group) => {
                if skips {
                    skips = group.delimiter() != Delimiter::Brace;
                    continue;
                }
                if let Some(arguments) = taking.take().filter(|_| group.delimiter() == Delimiter::Parenthesis) {
                    take(&group.stream(), arguments, texts)?;
                }
                walk(group.stream(), texts)?;
            }
            TokenTree::Literal(_) => taking = None,
        }
    }
    Ok(())
}

/// The literals in these arguments.
fn take(arguments: &TokenStream, taken: &[usize], texts: &mut Vec<String>) -> Outcome {
    let mut at = 0;
    for token in arguments.clone() {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == ',' => at += 1,
            token if taken.contains(&at) => take_token(token, texts)?,
            _ => {}
        }
    }
    Ok(())
}

/// A literal itself, or those in the branches of an expression; literals in parentheses are arguments of other calls.
fn take_token(token: TokenTree, texts: &mut Vec<String>) -> Outcome {
    match token {
        TokenTree::Literal(literal) if literal.to_string().starts_with(['"', 'r']) => {
            let text: LitStr = syn::parse2(TokenTree::from(literal).into()).map_err(|error| error.to_string())?;
            texts.push(text.value());
        }
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            group.stream().into_iter().try_for_each(|token| take_token(token, texts))?;
        }
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_wherever_they_are_translated() {
        let source = r#"
            // tr("a comment")
            /// `tr("a doc comment")`
            fn f<'a>(c: char) { if c == '"' { tr("one") } else { say(if x { "two {n}" } else { "\"2\" \u{2212} \
                b" }, &[&"value", &tr("inner")]) } }
            html! { <a title={tr("three")}>{ words::counted(1.0, "VM", "VMs") }</a> }
            match x { 1 => phrase!("left {n}", n), _ => phrase! ( r"raw" ) }
            static TABLE: [&str; 2] = [mark("four"), "no"];
            button("no"); tr(other("no")); words.say; ("no"); assert!(x, "no"); let tr = ("no");
            #[cfg(test)]
            use crate::tr;
            #[cfg(test)]
            mod tests { fn f() { tr("no") } }
            fn g() { tr(match x { 1 => "five", _ => "six" }) }
        "#;
        let expected = [
            "one",
            "two {n}",
            "\"2\" \u{2212} b",
            "inner",
            "three",
            "VM",
            "VMs",
            "left {n}",
            "raw",
            "four",
            "five",
            "six",
        ];
        assert_eq!(literals(source).expect("Rust"), expected);
        assert!(literals("fn f() { tr(\"a\"").is_err());
    }
}
