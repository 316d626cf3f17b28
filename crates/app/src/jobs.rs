//! Background runs: paired seeds, sweeps, searches and studies, in the [pool](Pool) of engines.

use tiebreak_engine::Reply;
use tiebreak_engine::questions::least_machines::LeastMachines;
use tiebreak_i18n::{say, tr};

use super::pool::Purpose;
use super::{
    App, Asking, Effect, Gathered, Message, Notice, Paired, SizeWish, Sizing, Study, StudyWish, Sweep, Then, sweep,
};

impl App {
    pub(crate) fn forget_pairs(&mut self) -> Vec<Effect> {
        self.paired = None;
        self.end_jobs(|it| matches!(it, Purpose::Pair { .. }))
    }

    /// Runs both variants with this many more seeds.
    pub(crate) fn run_pairs(&mut self, seeds: usize) -> Vec<Effect> {
        let place = |name: &String| self.document.variants.iter().position(|it| it.name == *name);
        let Some(against) = self.against().and_then(|lane| place(&lane.variant)) else { return Vec::new() };
        let new = || Paired::new(&self.document, self.document.active, against);
        let jobs = self.paired.get_or_insert_with(new).more(seeds);
        self.pool.add(jobs, &mut self.next_run)
    }

    pub(crate) fn run_sweep(&mut self) -> Vec<Effect> {
        match Sweep::new(&self.document, &self.wanted) {
            Ok(sweep) => {
                let mut effects = self.forget_sweep();
                effects.extend(self.pool.add(sweep.jobs(), &mut self.next_run));
                self.sweep = Some(sweep);
                effects
            }
            Err(faults) => self.take_in(Message::Notice(Notice::bad(tr("This cannot be swept"), faults))),
        }
    }

    /// Opens the scenario of a plan, and uses the rest of the plan for the next sweep.
    pub(crate) fn open_plan(&mut self, name: &str, text: &str) -> Vec<Effect> {
        match sweep::open(text) {
            Ok(plan) => {
                let mut effects = self.forget_sweep();
                self.wanted = plan.wanted;
                effects.extend(self.open_document(plan.document, None));
                if !plan.left_out.is_empty() {
                    let notice = Notice::bad(say("The page cannot sweep all of {name}", &[&name]), plan.left_out);
                    effects.extend(self.take_in(Message::Notice(notice)));
                }
                effects
            }
            Err(faults) => {
                let notice = Notice::bad(say("{name} is not a valid sweep plan", &[&name]), faults);
                self.take_in(Message::Notice(notice))
            }
        }
    }

    pub(crate) fn forget_sweep(&mut self) -> Vec<Effect> {
        self.sweep = None;
        self.end_jobs(Purpose::is_of_sweep)
    }

    /// Asks for the minimum needs of the workload; the search starts with the answer.
    pub(crate) fn begin_sizing(&mut self, wish: SizeWish) -> Vec<Effect> {
        let mut effects = self.end_jobs(Purpose::is_of_search);
        let sizing = Sizing::new(&self.document, wish);
        let SizeWish { is_suggested, reject_pct, .. } = sizing.wish;
        let asking = Asking::new(&LeastMachines { reject_pct, is_suggested }).then(Then::Search);
        effects.push(self.ask_of(self.front.id, 0, sizing.document().to_json(), asking));
        self.sizing = Some(sizing);
        effects
    }

    /// Starts a study of the cluster over years.
    pub(crate) fn begin_study(&mut self, wish: StudyWish) -> Vec<Effect> {
        let mut effects = self.end_jobs(Purpose::is_of_study);
        let mut study = Study::new(&self.document, wish);
        effects.extend(self.pool.add(study.jobs(), &mut self.next_run));
        self.study = Some(study);
        effects
    }

    /// Handles a reply about one of the pool's runs.
    pub(crate) fn hear_pool(&mut self, run: u32, reply: Reply) -> Vec<Effect> {
        let (done, mut effects) = self.pool.hear(run, reply, &mut self.next_run);
        if let Some((purpose, gathered)) = done {
            effects.extend(self.take_job(purpose, gathered));
            effects.extend(self.pool.rest());
        }
        effects
    }

    /// Handles the result of a pool run. Returns the effects that start the runs it makes necessary.
    pub(crate) fn take_job(&mut self, purpose: Purpose, gathered: Gathered) -> Vec<Effect> {
        match purpose {
            Purpose::Pair { seed, front } => {
                if let Some(paired) = &mut self.paired {
                    paired.take(seed, front, gathered);
                }
            }
            Purpose::Size { list, seed } => {
                let next = self.sizing.as_mut().map_or_else(Vec::new, |sizing| sizing.take(list, seed, gathered));
                return match &self.sizing {
                    Some(Sizing { failure: Some(_), .. }) => self.end_jobs(Purpose::is_of_search),
                    _ => self.pool.add(next, &mut self.next_run),
                };
            }
            Purpose::Study { case, run } => {
                if let Some(study) = &mut self.study {
                    study.take(case, run, gathered);
                    return self.pool.add(study.jobs(), &mut self.next_run);
                }
            }
            Purpose::List { list, seed } => return self.take_of_list(list, seed, &gathered),
            Purpose::Sweep { number } => {
                if let Some(sweep) = &mut self.sweep {
                    sweep.take(number, gathered);
                }
            }
        }
        Vec::new()
    }

    /// Drops the jobs for which this holds, and ends idle engines.
    pub(crate) fn end_jobs(&mut self, is_of: fn(Purpose) -> bool) -> Vec<Effect> {
        let mut effects = self.pool.cancel(is_of, &mut self.next_run);
        effects.extend(self.pool.rest());
        effects
    }
}
