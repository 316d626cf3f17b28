//! `tiebreak link`: converts a scenario to the fragment of an address (after `#`) and back.

use serde::Serialize;
use tiebreak_scenario::{LinkError, decode, encode};

use tiebreak_console::answer::{Answer, Failure, note};
use tiebreak_console::given::Given;
use tiebreak_console::scenario;

#[derive(Serialize)]
struct Encoded {
    link: String,
    characters: usize,
}

pub(crate) fn run(given: &Given) -> Result<Answer, Failure> {
    match given.word(0, "encode or decode")? {
        "encode" => {
            let document = scenario::document(&given.behind_first())?;
            let link = format!("#{}", encode(&document, None));
            let encoded = Encoded { characters: link.len(), link };
            Ok(Answer::either(given, &encoded, || format!("{}\n", encoded.link)))
        }
        "decode" => {
            let link = given.word(1, "a link")?;
            let opened = decode(link).map_err(|error: LinkError| Failure(error.to_string()))?;
            opened.issues.iter().for_each(note);
            Ok(Answer::text(opened.document.to_json() + "\n"))
        }
        other => Err(Failure(format!("expected encode or decode, got \"{other}\"; see `tiebreak help link`"))),
    }
}
