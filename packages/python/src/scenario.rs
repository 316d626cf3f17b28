//! A scenario: a document, edited through the crate that the page edits it with.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tiebreak_scenario::read::rule_of;
use tiebreak_scenario::{Document, Variant, encode, gallery};
use tiebreak_study::fields::set_all;
use tiebreak_study::ready::{chosen, document};

use crate::follow::value_error;

/// A whole scenario: machines, workload, rules, agents, seed, in one variant or several.
#[pyclass(frozen, module = "tiebreak._tiebreak")]
pub(crate) struct Scenario(Mutex<Document>);

impl Scenario {
    fn document(&self) -> MutexGuard<'_, Document> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A variant by its name, or the active one.
    pub(crate) fn variant(&self, name: Option<&str>) -> PyResult<Variant> {
        chosen(&self.document(), name).cloned().map_err(value_error)
    }

    /// A copy of the document.
    pub(crate) fn copied(&self) -> Document {
        self.document().clone()
    }

    fn edit<T>(&self, edit: impl FnOnce(&mut Variant) -> PyResult<T>) -> PyResult<T> {
        let mut document = self.document();
        let active = document.active;
        edit(&mut document.variants[active])
    }
}

/// Fields and values, in order.
pub(crate) type Fields = Vec<(String, String)>;

/// The same, borrowed.
pub(crate) fn borrowed(fields: &Fields) -> Vec<(&str, &str)> {
    fields.iter().map(|(path, value)| (path.as_str(), value.as_str())).collect()
}

#[pymethods]
impl Scenario {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        document(text).map(|document| Self(Mutex::new(document))).map_err(value_error)
    }

    /// The document as JSON, with every setting.
    fn json(&self) -> String {
        self.document().to_json()
    }

    /// The part of a link after #.
    fn link(&self) -> String {
        encode(&self.document(), None)
    }

    fn copy(&self) -> Self {
        Self(Mutex::new(self.copied()))
    }

    /// Sets fields of the active variant by their paths; none if one cannot be set.
    fn set(&self, fields: Fields) -> PyResult<()> {
        self.edit(|variant| {
            let mut changed = variant.clone();
            set_all(&mut changed, &borrowed(&fields)).map_err(value_error)?;
            *variant = changed;
            Ok(())
        })
    }

    /// Moves a rule of the active variant to a place in its stage, from 0.
    fn move_rule(&self, id: &str, place: usize) -> PyResult<()> {
        self.edit(|variant| match variant.move_rule(id, place) {
            true => Ok(()),
            false => Err(no_rule(variant, id)),
        })
    }

    /// Adds a rule of the gallery by its name, or one of one's own as JSON, to the active variant.
    fn put_rule(&self, rule: &str) -> PyResult<String> {
        let row = match gallery::find(rule) {
            Some(known) => known.row(),
            None if !rule.trim_start().starts_with('{') => {
                let names: Vec<_> = gallery::GALLERY.iter().map(|rule| rule.name).collect();
                let expected = format!("rule: expected a rule of the gallery ({}) or a definition", names.join(", "));
                return Err(PyValueError::new_err(format!("{expected}, got \"{rule}\"; write one of these")));
            }
            None => match rule_of(rule).map_err(value_error)? {
                (Some(row), issues) if issues.is_empty() => row,
                (_, issues) => {
                    let told = issues
                        .iter()
                        .map(|it| format!("rule.{}: expected {}, got {}; correct it", it.path, it.expected, it.got));
                    return Err(PyValueError::new_err(told.collect::<Vec<_>>().join("\n")));
                }
            },
        };
        let id = row.id.clone();
        self.edit(|variant| {
            row.put_into(&mut variant.rules);
            Ok(id)
        })
    }

    /// Removes a rule of one's own from the active variant.
    fn remove_rule(&self, id: &str) -> PyResult<()> {
        self.edit(|variant| match variant.rules.iter().any(|row| row.id == id && row.custom.is_some()) {
            true => {
                variant.remove_custom(id);
                Ok(())
            }
            false => Err(PyValueError::new_err(format!(
                "rules: expected a rule of your own, got \"{id}\"; switch a built-in one off by on = False"
            ))),
        })
    }
}

fn no_rule(variant: &Variant, id: &str) -> PyErr {
    let names: Vec<_> = variant.rules.iter().map(|row| row.id.as_str()).collect();
    PyValueError::new_err(format!(
        "rules: expected a rule of the list ({}), got \"{id}\"; choose one",
        names.join(", ")
    ))
}
