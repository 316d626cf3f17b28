//! Configuration files of OpenStack, as oslo.config reads them: `key = value` or `key: value` in sections. An
//! indented line continues the value above it, and a repeated key has several values.

use ini_roundtrip::{Item, Parser};

use crate::error::ImportError;
use crate::leftover::clipped;

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) section: String,
    pub(crate) key: String,
    pub(crate) value: String,
}

/// The settings of a file, in order.
pub(crate) fn read(file: &str, text: &str) -> Result<Vec<Setting>, ImportError> {
    let (mut settings, mut section): (Vec<Setting>, _) = (Vec::new(), String::new());
    let mut parser = Parser::new(text);
    while let Some(item) = parser.next() {
        let wrong = |expected: &str, got: &str| {
            let path = format!("line {}", parser.line());
            Err(ImportError::field(file, &path, expected, clipped(got), "correct this line or remove it"))
        };
        match item {
            Item::Section { name, .. } => name.clone_into(&mut section),
            Item::SectionEnd | Item::Comment { .. } | Item::Blank { .. } => {}
            Item::Error(raw) => match raw.trim_end().strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(name) => name.trim().clone_into(&mut section),
                None => return wrong("[section]", raw),
            },
            Item::Property { raw, .. } if raw.trim().is_empty() => {}
            Item::Property { raw, .. } if raw.starts_with([' ', '\t']) => match settings.last_mut() {
                Some(before) => {
                    before.value.push('\n');
                    before.value.push_str(raw.trim());
                }
                None => return wrong("a setting above an indented line", raw),
            },
            Item::Property { raw, .. } => match raw.split_once(['=', ':']) {
                Some((key, value)) => {
                    let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
                    settings.push(Setting { section: section.clone(), key, value });
                }
                None => return wrong("key = value", raw),
            },
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_keys_and_indented_lines_keep_their_meaning() {
        let text = "# x\n[DEFAULT]\ndebug: false\n\n[filter_scheduler] \navailable_filters = a=b\navailable_filters=c\nenabled_filters = One,\n  Two\n";
        let got = read("nova.conf", text).expect("INI");
        let got: Vec<_> = got.iter().map(|it| (&*it.section, &*it.key, &*it.value)).collect();
        let section = "filter_scheduler";
        let expected = [
            ("DEFAULT", "debug", "false"),
            (section, "available_filters", "a=b"),
            (section, "available_filters", "c"),
            (section, "enabled_filters", "One,\nTwo"),
        ];
        assert_eq!(got, expected);
    }

    #[test]
    fn what_is_no_setting_says_its_line() {
        for (text, told) in [("[DEFAULT\n", "line 1"), ("a = 1\nnonsense\n", "line 2"), ("  a = 1\n", "line 1")] {
            let error = read("nova.conf", text).expect_err(told);
            assert!(error.to_string().contains(told), "{error}");
        }
    }
}
