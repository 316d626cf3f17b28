//! String literals of Rust source, and the calls they stand in.

/// A literal, and the names of the calls around it, the innermost last, each with which of its arguments this is.
pub(crate) struct Literal {
    pub(crate) text: String,
    pub(crate) calls: Vec<(String, usize)>,
}

/// The literals of a file outside comments, attributes and tests.
pub(crate) fn literals(source: &str) -> Vec<Literal> {
    let source = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut literals = Vec::new();
    let mut calls: Vec<(String, usize)> = Vec::new();
    let (mut word, mut rest) = (String::new(), source);
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        match letter {
            '/' if rest.starts_with('/') => rest = rest.split_once('\n').map_or("", |(_, rest)| rest),
            '"' => {
                let (text, behind) = literal(rest);
                literals.push(Literal { text, calls: calls.clone() });
                rest = behind;
            }
            '\'' => rest = after_letter(rest),
            '(' | '[' | '{' => calls.push((std::mem::take(&mut word), 0)),
            ')' | ']' | '}' => drop(calls.pop()),
            ',' => calls.iter_mut().last().into_iter().for_each(|(_, argument)| *argument += 1),
            _ => {}
        }
        // A macro's name is followed by `!`.
        match letter {
            _ if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            '!' => {}
            _ => word.clear(),
        }
    }
    literals
}

/// A literal's text from behind its first quote, and what follows it.
fn literal(rest: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (text, &rest[at + 1..]),
            '\\' => match letters.next().map_or(' ', |(_, escaped)| escaped) {
                'n' => text.push('\n'),
                'u' => {
                    let code: String = letters.by_ref().map(|(_, it)| it).take_while(|it| *it != '}').collect();
                    text.extend(u32::from_str_radix(code.trim_start_matches('{'), 16).ok().and_then(char::from_u32));
                }
                '\n' => {
                    let blanks = letters.as_str().len() - letters.as_str().trim_start().len();
                    letters.by_ref().take(blanks).for_each(drop);
                }
                other => text.push(other),
            },
            _ => text.push(letter),
        }
    }
    (text, "")
}

/// What follows a letter in quotes; a lifetime has no second quote.
fn after_letter(rest: &str) -> &str {
    let mut letters = rest.chars();
    let first = letters.next();
    if first == Some('\\') {
        return rest[1..].split_once('\'').map_or("", |(_, behind)| behind.strip_prefix('\'').unwrap_or(behind));
    }
    letters.as_str().strip_prefix('\'').unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_with_their_calls() {
        let source = r#"
            // tr("a comment")
            fn f<'a>(c: char) { if c == '"' { tr("one") } else { say(if x { "two {n}" } else { "\"2\" \u{2212} \
                3" }, &["not first"]) } }
            html! { <a title={tr("three")}>{ words::counted(1.0, "VM", "VMs") }</a> }
            #[cfg(test)]
            mod tests { tr("four") }
        "#;
        let found: Vec<_> = literals(source)
            .into_iter()
            .map(|it| {
                let call = it.calls.iter().rev().find(|(name, _)| !name.is_empty()).cloned();
                (it.text, call.unwrap_or_default())
            })
            .collect();
        let expected = [
            ("one", "tr", 0),
            ("two {n}", "say", 0),
            ("\"2\" \u{2212} 3", "say", 0),
            ("not first", "say", 1),
            ("three", "tr", 0),
            ("VM", "counted", 1),
            ("VMs", "counted", 2),
        ];
        let expected: Vec<_> =
            expected.into_iter().map(|(text, name, at)| (text.to_owned(), (name.to_owned(), at))).collect();
        assert_eq!(found, expected);
    }
}
