//! The run included in the page is the first one that the application requests.

use tiebreak_app::{App, Effect};
use tiebreak_engine::{Command, FirstRun, Reply};
use tiebreak_scenario::PRESETS;
use tiebreak_trace::TraceParser;

#[test]
fn it_is_what_the_application_asks_for_first() {
    let mut parser = TraceParser::new("packing-cut.csv.gz");
    parser.push(include_bytes!("../../trace/fixtures/packing-cut.csv.gz")).expect("the page's own trace");
    let first = FirstRun::make(parser.finish().expect("it reads")).expect("it runs");
    assert_eq!(first.digest(), Some("779ce5d7a0dd5b64"));
    assert!(matches!(
        first.said[..],
        [Reply::TraceLoaded(_), Reply::Started { .. }, Reply::Progress(_), Reply::Finished { .. }]
    ));
    let (_, effects) = App::open((PRESETS[0].make)());
    let asked = effects.iter().find_map(|effect| match effect {
        Effect::Send { command: Command::Run { run, .. }, .. } => Some(*run),
        _ => None,
    });
    assert_eq!(asked, Some(FirstRun::RUN));
}
