//! The deployments of a cluster, from a JSON array of objects or a CSV file with a header.

use std::collections::BTreeMap;

use serde_json::Value;
use tiebreak_admission::{Deaths, Seen};

use tiebreak_console::answer::Failure;

/// More cores or hours than any deployment has.
pub(super) const HOURS_MOST: f64 = 1e7;

/// The fields of a deployment. Only `cores` is required.
const FIELDS: [&str; 8] = ["name", "cores", "blocks", "hours", "ended", "observed_hours", "scale_outs", "requested"];

/// A deployment, with what was observed of it.
pub(super) struct Deployment {
    pub(super) name: String,
    pub(super) seen: Seen,
}

/// The deployments of a file.
pub(super) fn read(file: &str, deaths: Deaths) -> Result<Vec<Deployment>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure(format!("{file}: expected a JSON array or CSV of deployments, got: {error}; see docs/ADMISSION.md"))
    };
    let text = std::fs::read_to_string(file).map_err(|error| wrong(&error))?;
    let rows = if text.trim_start().starts_with(['[', '{']) {
        from_json(&text).map_err(|error| wrong(&error))?
    } else {
        from_csv(&text).map_err(|error| wrong(&error))?
    };
    if rows.is_empty() {
        return Err(wrong(&"no deployment"));
    }
    let each = rows.iter().enumerate().map(|(index, row)| Row { file, index, row }.deployment(deaths));
    each.collect()
}

/// The fields of a deployment as text.
type Fields = BTreeMap<String, String>;

fn from_json(text: &str) -> Result<Vec<Fields>, serde_json::Error> {
    let rows: Vec<BTreeMap<String, Value>> = serde_json::from_str(text)?;
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(rows.into_iter().map(|row| row.into_iter().map(|(name, value)| (name, text(value))).collect()).collect())
}

fn from_csv(text: &str) -> Result<Vec<Fields>, csv::Error> {
    csv::Reader::from_reader(text.as_bytes()).deserialize().collect()
}

/// A row, and where it is.
struct Row<'a> {
    file: &'a str,
    index: usize,
    row: &'a Fields,
}

impl Row<'_> {
    fn deployment(&self, deaths: Deaths) -> Result<Deployment, Failure> {
        if let Some(unknown) = self.row.keys().find(|name| !FIELDS.contains(&name.as_str())) {
            return Err(self.wrong(unknown, &format!("one of the fields {}", FIELDS.join(", ")), "this one"));
        }
        let cores =
            self.number("cores", 1.0)?.ok_or_else(|| self.wrong("cores", "the number of cores now", "nothing"))?;
        let or =
            |name: &str, least: f64, default: f64| Ok::<f64, Failure>(self.number(name, least)?.unwrap_or(default));
        let (blocks, hours) = (or("blocks", 1.0, 1.0)?.min(cores), or("hours", 0.0, 0.0)?);
        let (ended, scale_outs) = (or("ended", 0.0, 0.0)?, or("scale_outs", 0.0, 0.0)?);
        let units = match deaths {
            Deaths::Cores => cores,
            Deaths::Blocks => blocks,
        };
        // Without an end and a scale-out, everything follows from the age.
        let is_unchanged = ended == 0.0 && scale_outs == 0.0;
        let needed = |name: &str, what: &str, otherwise: f64| match self.number(name, 0.0)? {
            Some(number) => Ok(number),
            None if is_unchanged => Ok(otherwise),
            None => Err(self.wrong(name, what, "nothing although something ended or was added")),
        };
        let exposure =
            needed("observed_hours", "the hours that its blocks (or cores) ran, summed over them", hours * units)?;
        let requested = needed("requested", "the cores requested so far, in all requests together", cores)?;
        let requests = 1.0 + scale_outs;
        if requested < requests {
            return Err(self.wrong(
                "requested",
                &format!("at least {requests}, a core per request"),
                &requested.to_string(),
            ));
        }
        let seen = Seen {
            cores,
            squares: cores * cores / blocks,
            blocks,
            deaths: ended,
            exposure,
            scale_outs,
            hours,
            extra: requested - requests,
            requests,
        };
        let name = self.row.get("name").cloned().unwrap_or_else(|| format!("{}", self.index + 1));
        Ok(Deployment { name, seen })
    }

    /// A number from `least`; `None` if the field is missing or empty.
    fn number(&self, name: &str, least: f64) -> Result<Option<f64>, Failure> {
        let Some(text) = self.row.get(name).map(|text| text.trim()).filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| (least..=HOURS_MOST).contains(number));
        let wrong = || self.wrong(name, &format!("a number from {least} to {HOURS_MOST}"), &format!("\"{text}\""));
        number.map(Some).ok_or_else(wrong)
    }

    fn wrong(&self, name: &str, expected: &str, got: &str) -> Failure {
        let Self { file, index, .. } = self;
        Failure(format!("{file}: deployments[{index}].{name}: expected {expected}, got {got}; correct the file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(json: &str, deaths: Deaths) -> Result<Seen, String> {
        let rows = from_json(json).expect("JSON");
        let row = Row { file: "cluster.json", index: 0, row: &rows[0] };
        row.deployment(deaths).map(|it| it.seen).map_err(|Failure(told)| told)
    }

    #[test]
    fn an_unchanged_deployment_is_told_by_cores_and_age() {
        for deaths in [Deaths::Cores, Deaths::Blocks] {
            let seen = told(r#"[{ "cores": 8, "hours": 24 }]"#, deaths).expect("a deployment");
            assert_eq!(seen, Seen::unchanged(8.0, 24.0, 0, deaths));
        }
        assert_eq!(
            from_csv("cores,hours\n8,24\n").expect("CSV"),
            from_json(r#"[{ "cores": 8, "hours": 24 }]"#).expect("JSON")
        );
    }

    #[test]
    fn a_fault_names_its_field() {
        let cases = [
            (r#"[{ "hours": 24 }]"#, "cores: expected the number of cores now, got nothing"),
            (r#"[{ "cores": 0 }]"#, "cores: expected a number from 1 to 10000000, got \"0\""),
            (r#"[{ "cores": 8, "hours": "soon" }]"#, "hours: expected a number from 0 to 10000000, got \"soon\""),
            (r#"[{ "cores": 8, "ended": 2 }]"#, "observed_hours: expected the hours"),
            (r#"[{ "cores": 8, "scale_outs": 2, "observed_hours": 4 }]"#, "requested: expected the cores requested"),
            (
                r#"[{ "cores": 8, "scale_outs": 9, "observed_hours": 4, "requested": 9 }]"#,
                "requested: expected at least 10",
            ),
            (r#"[{ "cores": 8, "age": 2 }]"#, "age: expected one of the fields name, cores"),
        ];
        for (json, words) in cases {
            let fault = told(json, Deaths::Blocks).expect_err("a fault");
            assert!(fault.starts_with("cluster.json: deployments[0].") && fault.contains(words), "{fault}");
        }
    }
}
