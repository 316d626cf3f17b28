//! Recovers truncated JSON: everything up to the last complete value, with the open brackets closed. A list or an
//! object without any complete value is omitted, so that it gets its default instead of being empty.

/// The longest readable beginning of a text; `None` if there is none.
#[must_use]
pub(crate) fn close_brackets(text: &str) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    let mut complete: Option<(usize, Vec<u8>)> = None;
    let mut in_string = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                open.push(if byte == b'{' { b'}' } else { b']' });
            }
            b'}' | b']' => {
                if open.pop() != Some(byte) {
                    break;
                }
                complete = Some((at + 1, open.clone()));
            }
            b',' => complete = Some((at, open.clone())),
            _ => {}
        }
        if open.len() > DEEPEST {
            break;
        }
    }
    let (end, open) = complete?;
    let closers: String = open.iter().rev().map(|byte| char::from(*byte)).collect();
    Some(format!("{}{closers}", &text[..end]))
}

/// Deeper than any document; anything deeper is an attack and not worth recovering.
const DEEPEST: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_beginning_of_a_document_closes_to_json() {
        let text = r#"{"name":"a \"b\\","variants":[{"seed":12,"rules":[{"rule":"BestFit","buckets":3}]}],"x":[]}"#;
        assert_eq!(close_brackets(text).as_deref(), Some(text));
        for closed in (1..text.len()).filter_map(|end| close_brackets(&text[..end])) {
            serde_json::from_str::<serde_json::Value>(&closed).unwrap_or_else(|error| panic!("{closed}: {error}"));
        }
        let rest = close_brackets(&text[..60]);
        assert_eq!(rest.as_deref(), Some(r#"{"name":"a \"b\\","variants":[{"seed":12}]}"#), "no empty list of rules");
        assert_eq!(close_brackets("no bracket"), None);
        assert_eq!(close_brackets(&"[".repeat(1_000_000)), None);
    }
}
