//! The page's workers: one engine for each lane, begun when it is first needed, and before them all
//! the small one that makes the page live.
//!
//! The small one makes the first run of the page's own scenario. When that is over, the lane's own
//! engine is loaded and makes the same run once more, unseen; from then on it answers for it. What
//! is asked meanwhile waits for it.

use std::collections::BTreeMap;

use tiebreak_lab::protocol::{Command, Reply};
use web_sys::File;

use crate::engine_link::{EngineLink, Said, Which};

/// What starts a worker; none where the browser cannot.
pub(crate) type Start = Box<dyn Fn(Source) -> Option<EngineLink>>;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// The one that makes the page live.
    First,
    /// The engine of a lane.
    Lane(u32),
}

impl Source {
    /// Which program it runs.
    pub(crate) fn which(self) -> Which {
        match self {
            Self::First => Which::First,
            Self::Lane(_) => Which::Whole,
        }
    }
}

/// See the module.
pub(crate) struct Workers {
    start: Start,
    lanes: BTreeMap<u32, EngineLink>,
    first: Option<First>,
    /// Files read in this session, by fingerprint, for engines that begin later.
    files: BTreeMap<String, (File, Command)>,
    /// The file that is being read, and how.
    pub(crate) reading: Option<(File, Command)>,
    restarts: u32,
    /// Where the run that was asked last put its VMs: what goes with [`Command::Differ`].
    pub(crate) placements: Vec<u8>,
}

struct First {
    engine: EngineLink,
    lane: u32,
    /// The run that it makes.
    run: u32,
    asked: Command,
    /// Whether it is over, and made again by the lane's own engine.
    over: bool,
    held: Vec<(Command, Option<File>)>,
}

/// Starts over a broken engine so often.
const RESTARTS_MAX: u32 = 5;

impl Workers {
    pub(crate) fn new(start: Start) -> Self {
        let (lanes, files) = (BTreeMap::new(), BTreeMap::new());
        Self { start, lanes, first: None, files, reading: None, restarts: 0, placements: Vec::new() }
    }

    /// Lets the small engine make the first run of the page's own scenario.
    pub(crate) fn begin_small(&mut self, lane: u32, asked: Command) {
        let Command::Run { run, .. } = asked else { return };
        match (self.start)(Source::First) {
            Some(mut engine) => {
                engine.begin(run);
                self.first = Some(First { engine, lane, run, asked, over: false, held: Vec::new() });
            }
            None => self.send(lane, &asked, None),
        }
    }

    /// Sends a command to a lane, with the file it is about.
    pub(crate) fn send(&mut self, lane: u32, command: &Command, file: Option<&File>) {
        if let (Command::TraceBegin { .. }, Some(file)) = (command, file) {
            self.reading = Some((file.clone(), command.clone()));
        }
        if let Command::Generate(_) = command {
            self.reading = None;
        }
        let replaces = matches!(command, Command::Run { .. });
        match &mut self.first {
            Some(first) if first.lane == lane && !replaces => {
                if first.over {
                    first.held.push((command.clone(), file.cloned()));
                } else if let Some(First { asked, .. }) = self.first.take() {
                    // It is not over and something else is wanted: the whole engine does it all.
                    self.post(lane, &asked, None);
                    self.post(lane, command, file);
                }
            }
            first => {
                first.take_if(|first| first.lane == lane);
                self.post(lane, command, file);
            }
        }
    }

    fn post(&mut self, lane: u32, command: &Command, file: Option<&File>) {
        if !self.lanes.contains_key(&lane) {
            let Some(engine) = (self.start)(Source::Lane(lane)) else { return };
            self.lanes.insert(lane, engine);
        }
        if let Some(engine) = self.lanes.get_mut(&lane) {
            let bytes = matches!(command, Command::Differ { .. }).then(|| std::mem::take(&mut self.placements));
            engine.send(command, file, bytes.as_deref());
        }
    }

    /// Whether the small engine's work is done, so that nothing is being loaded that somebody waits for.
    pub(crate) fn are_whole(&self) -> bool {
        self.first.is_none()
    }

    /// A lane is gone.
    pub(crate) fn close(&mut self, lane: u32) {
        self.lanes.remove(&lane);
        self.first.take_if(|first| first.lane == lane);
    }

    /// What of this the page should hear, and in whose name: the lane. `front` is the lane in which
    /// files are read.
    pub(crate) fn hear(&mut self, from: Source, said: Said, front: u32) -> Option<(u32, Said)> {
        let lane = match from {
            Source::First => self.first.as_ref()?.lane,
            Source::Lane(lane) => lane,
        };
        match said {
            Said::Died(_) if from == Source::First => {
                self.leave_to_whole();
                None
            }
            Said::Died(reason) => {
                self.restarts += 1;
                self.lanes.remove(&lane);
                self.first.take_if(|first| first.lane == lane);
                if self.restarts < RESTARTS_MAX
                    && let Some(engine) = (self.start)(Source::Lane(lane))
                {
                    self.lanes.insert(lane, engine);
                }
                Some((lane, Said::Died(reason)))
            }
            Said::Reply(reply, frames) => {
                let reply = match from {
                    Source::First => self.hear_first(reply)?,
                    Source::Lane(_) => self.hear_lane(lane, reply, front)?,
                };
                Some((lane, Said::Reply(reply, frames)))
            }
        }
    }

    fn hear_first(&mut self, reply: Box<Reply>) -> Option<Box<Reply>> {
        let first = self.first.as_mut()?;
        match *reply {
            Reply::Ready => first.engine.ready(),
            Reply::Failed { .. } => {
                self.leave_to_whole();
                return None;
            }
            Reply::Finished { .. } => {
                first.over = true;
                let (lane, asked) = (first.lane, first.asked.clone());
                self.post(lane, &asked, None);
            }
            _ => {}
        }
        Some(reply)
    }

    /// The small engine is of no use: the whole one makes the run.
    fn leave_to_whole(&mut self) {
        let Some(First { lane, asked, over, held, .. }) = self.first.take() else { return };
        if !over {
            self.post(lane, &asked, None);
        }
        held.iter().for_each(|(command, file)| self.post(lane, command, file.as_ref()));
    }

    fn hear_lane(&mut self, lane: u32, reply: Box<Reply>, front: u32) -> Option<Box<Reply>> {
        if let Reply::Ready = *reply {
            self.lanes.get_mut(&lane)?.ready();
        }
        if self.repeats_first(lane, &reply) {
            return None;
        }
        match &*reply {
            Reply::TraceLoaded(card) if lane == front => {
                let read = self.reading.take();
                self.files.extend(read.map(|file| (card.fingerprint.clone(), file)));
            }
            Reply::TraceLoaded(_) | Reply::TraceProgress { .. } | Reply::TraceFailed { .. } if lane != front => {
                return None;
            }
            Reply::TraceNeeded { fingerprint, .. } => {
                if let Some((file, begin)) = self.files.get(fingerprint).cloned() {
                    self.post(lane, &begin, Some(&file));
                    return None;
                }
            }
            _ => {}
        }
        Some(reply)
    }

    /// Whether this is only the first run made again.
    fn repeats_first(&mut self, lane: u32, reply: &Reply) -> bool {
        let Some(first) = self.first.as_ref().filter(|first| first.lane == lane) else { return false };
        match reply {
            Reply::Finished { run, .. } | Reply::Failed { run, .. } | Reply::TraceNeeded { run, .. }
                if *run == first.run =>
            {
                let held = self.first.take().map(|first| first.held);
                for (command, file) in held.into_iter().flatten() {
                    self.post(lane, &command, file.as_ref());
                }
            }
            _ => {}
        }
        true
    }
}
