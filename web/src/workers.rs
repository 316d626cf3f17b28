//! The page's workers: one engine per lane, started when it is first needed.
//!
//! The result of the first run is loaded from a file ([`FirstRun`]), so that the page is live before any engine is
//! ready. Then the lane's engine is loaded and repeats that run, invisibly unless its result differs; from then on it
//! answers questions about the run. Questions asked before that wait for it.

use std::collections::BTreeMap;

use tiebreak_engine::FirstRun;
use tiebreak_engine::protocol::{Command, Reply};
use web_sys::File;

use crate::engine_link::{EngineLink, Said};

/// Starts the worker of a lane; returns `None` if the browser cannot.
pub(crate) type Start = Box<dyn Fn(u32) -> Option<EngineLink>>;

/// The engines of all lanes, and the first run.
pub(crate) struct Workers {
    start: Start,
    lanes: BTreeMap<u32, EngineLink>,
    first: Option<First>,
    /// Files read in this session, by fingerprint, for engines that start later.
    files: BTreeMap<String, (File, Command)>,
    /// The file being read, and the command to read it.
    pub(crate) reading: Option<(File, Command)>,
    restarts: u32,
    /// The placements of the last requested run: the payload of [`Command::Differ`].
    pub(crate) placements: Vec<u8>,
}

/// The page's first run, until the lane's engine has repeated it.
struct First {
    lane: u32,
    run: u32,
    asked: Command,
    /// Its result, once the file is loaded; from then on the lane's engine does the run.
    digest: Option<String>,
    held: Vec<(Command, Option<File>)>,
}

/// How often a broken engine is restarted.
const RESTARTS_MAX: u32 = 5;

impl Workers {
    pub(crate) fn new(start: Start) -> Self {
        let (lanes, files) = (BTreeMap::new(), BTreeMap::new());
        Self { start, lanes, first: None, files, reading: None, restarts: 0, placements: Vec::new() }
    }

    /// Holds the first run back while the file with its result loads.
    pub(crate) fn await_first(&mut self, lane: u32, asked: Command) {
        match asked {
            Command::Run { run: FirstRun::RUN, .. } => {
                self.first = Some(First { lane, run: FirstRun::RUN, asked, digest: None, held: Vec::new() });
            }
            _ => self.send(lane, &asked, None),
        }
    }

    /// Handles the file of the first run, loaded or unavailable. Returns its lane if the file was loaded, unless
    /// another command was sent meanwhile.
    pub(crate) fn first_is_there(&mut self, digest: Option<&str>) -> Option<u32> {
        let first = self.first.as_mut().filter(|first| first.digest.is_none())?;
        let (lane, asked) = (first.lane, first.asked.clone());
        first.digest = digest.map(str::to_owned);
        if digest.is_none() {
            self.first = None;
        }
        self.post(lane, &asked, None);
        digest.map(|_| lane)
    }

    /// Sends a command to a lane, with its file.
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
                if first.digest.is_some() {
                    first.held.push((command.clone(), file.cloned()));
                } else if let Some(First { asked, .. }) = self.first.take() {
                    // The file is not loaded and another command was sent, so the engine does everything.
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
            let Some(engine) = (self.start)(lane) else { return };
            self.lanes.insert(lane, engine);
        }
        if let Some(engine) = self.lanes.get_mut(&lane) {
            let bytes = matches!(command, Command::Differ { .. }).then(|| std::mem::take(&mut self.placements));
            engine.send(command, file, bytes.as_deref());
        }
    }

    /// Whether the engine has repeated the first run, so that nothing is loading that the user waits for.
    pub(crate) fn are_whole(&self) -> bool {
        self.first.is_none()
    }

    /// Closes a lane.
    pub(crate) fn close(&mut self, lane: u32) {
        self.lanes.remove(&lane);
        self.first.take_if(|first| first.lane == lane);
    }

    /// What the page should receive of this message from a lane's engine. `front` is the lane in which files are
    /// read.
    pub(crate) fn hear(&mut self, lane: u32, said: Said, front: u32) -> Option<Said> {
        match said {
            Said::Died(reason) | Said::NotBegun(reason) => {
                let had_begun = self.lanes.remove(&lane).is_some_and(|engine| engine.is_ready());
                self.first.take_if(|first| first.lane == lane);
                // Files that cannot be loaded now are tried again when they are next needed.
                if !had_begun {
                    return Some(Said::NotBegun(reason));
                }
                self.restarts += 1;
                if self.restarts < RESTARTS_MAX
                    && let Some(engine) = (self.start)(lane)
                {
                    self.lanes.insert(lane, engine);
                }
                Some(Said::Died(reason))
            }
            Said::Reply(reply, frames) => Some(Said::Reply(self.hear_lane(lane, reply, front)?, frames)),
        }
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

    /// Whether this is only the repeated first run, which must have the same result.
    fn repeats_first(&mut self, lane: u32, reply: &Reply) -> bool {
        let Some(first) = self.first.as_ref().filter(|first| first.lane == lane) else { return false };
        let is_same = match reply {
            Reply::Finished { run, result, .. } if *run == first.run => Some(&result.digest) == first.digest.as_ref(),
            Reply::Failed { run, .. } | Reply::TraceNeeded { run, .. } if *run == first.run => true,
            _ => return true,
        };
        let held = self.first.take().map(|first| first.held);
        for (command, file) in held.into_iter().flatten() {
            self.post(lane, &command, file.as_ref());
        }
        is_same
    }
}
