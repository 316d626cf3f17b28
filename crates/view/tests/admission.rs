//! The admission lab in a user's session: forecasts, studies with and without tuned thresholds, and fits (cluster
//! admission, sections 4 to 7).

use tiebreak_app::study::{POLICIES, Study, StudyKind, StudyWish};
use tiebreak_app::{App, Asking, Edit, Effect, Message};
use tiebreak_engine::protocol::{FitCard, Forecast};
use tiebreak_engine::questions::fit_beliefs::FitBeliefs;
use tiebreak_engine::questions::forecast_growth::ForecastGrowth;
use tiebreak_engine::{Engine, Reply};
use tiebreak_scenario::{Document, Variant, WorkloadRef};
use tiebreak_sim::{AdmissionSettings, ClusterYears, GeneratedWorkload};
use tiebreak_view::admission;

/// Page and engine, connected directly; the same engine makes the pool's runs.
struct Session {
    app: App,
    engine: Engine,
    waiting: Vec<Effect>,
}

impl Session {
    fn open(document: Document) -> Self {
        let (app, waiting) = App::open(document);
        let mut session = Self { app, engine: Engine::new(), waiting };
        session.settle();
        session
    }

    /// Handles all commands to the engine, one after the other, until nothing is left to do.
    fn settle(&mut self) {
        loop {
            let replies = match self.engine.is_running() {
                true => self.engine.work(true),
                false if self.waiting.is_empty() => return,
                false => match self.waiting.remove(0) {
                    Effect::Send { command, .. } => self.engine.handle(command),
                    _ => Vec::new(),
                },
            };
            for reply in replies {
                self.waiting.extend(self.app.update(Message::Engine(Box::new(reply))));
            }
        }
    }

    fn does(&mut self, message: Message) {
        self.waiting = self.app.update(message);
        self.settle();
    }

    fn study(&mut self, kind: StudyKind, seeds: u64, tuned: bool) -> &Study {
        self.does(Message::Study(StudyWish { kind, seeds, tuned }));
        let study = self.app.study.as_ref().expect("it was asked for");
        assert!(!study.is_under_way() && (study.share_done() - 1.0).abs() < 1e-12);
        study
    }

    fn forecast(&mut self, hours: f64) -> Forecast {
        let question = ForecastGrowth { cores: 8.0, hours, scale_outs: 0.0, observations: 1 };
        self.does(Message::Question(Asking::new(&question)));
        admission::told_forecast(&self.app).expect("it is told").expect("beliefs that make sense").clone()
    }
}

/// A few machines, and a cluster that is simulated in a moment.
fn document() -> Document {
    let lab = ClusterYears { cores: 500, years: 0.2, sla: 1.0, ..ClusterYears::default() };
    let workload = GeneratedWorkload { days: 3.0, requests_per_hour: 20.0, longest_life: 2.0, ..Default::default() };
    let variant = Variant { admission_lab: lab, workload: WorkloadRef::Generated(workload), ..Variant::default() };
    Document { variants: vec![variant], ..Document::default() }
}

#[test]
fn what_was_seen_of_a_deployment_changes_what_it_may_grow_to() {
    let mut session = Session::open(document());
    let (young, old) = (session.forecast(0.0), session.forecast(500.0));
    assert_eq!(young.fresh, old.fresh);
    let month = |points: &[tiebreak_engine::protocol::ForecastPoint]| {
        points.iter().find(|it| it.hours >= 700.0).map(|it| it.mean)
    };
    assert!(month(&old.seen) > month(&old.fresh), "one that stood for weeks stands on");
    let (plot, sentence) = admission::forecast(&old);
    assert!(sentence.starts_with("Forecast for a day ahead: ") && plot.series.len() == 2);
    // With labels, a user never pays more.
    let price = admission::price(&old, 4.0, 0.5).expect("users");
    assert!(price.labelled < price.unlabelled && price.gain_pct > 50.0, "{price:?}");
    assert_eq!(admission::price(&old, 4.0, 0.0).map(|price| (price.labelled, price.unlabelled)), Some((4.0, 4.0)));
    session.does(Message::Edit(Edit::set("admission.power", -1)));
    let question = ForecastGrowth { cores: 8.0, hours: 0.0, scale_outs: 0.0, observations: 0 };
    session.does(Message::Question(Asking::new(&question)));
    let told =
        admission::told_forecast(&session.app).expect("it is told").expect_err("an infinite variance").to_string();
    assert!(told.contains("expected a power above -0.3255"), "{told}");
}

#[test]
fn policies_meet_the_same_deployments_and_a_change_of_the_lab_runs_nothing_else() {
    let mut session = Session::open(document());
    let digest = session.app.front.live.as_ref().and_then(|live| live.result.as_ref()).map(|it| it.digest.clone());
    let runs = session.app.front.run;
    let study = session.study(StudyKind::Policies, 2, false).clone();
    let names: Vec<_> = study.cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names[..3], POLICIES.map(|(id, _)| id));
    let arrivals: Vec<Vec<f64>> =
        study.cases.iter().map(|case| case.results().map(|it| it.total.arrivals).collect()).collect();
    assert!(arrivals.iter().all(|each| each.len() == 2 && *each == arrivals[0]), "{arrivals:?}");
    let rows = admission::rows(&study);
    assert_eq!((rows[0].number.as_str(), rows[3].number.as_str()), ("50 %", ""));
    assert!(!admission::plots(&study).is_empty() && !admission::is_old(&session.app, &study));
    session.does(Message::Edit(Edit::set("admission_lab.cores", 600)));
    assert!(admission::is_old(&session.app, &study));
    assert_eq!(session.app.front.run, runs, "what the zone does is the same");
    assert_eq!(session.app.front.live.as_ref().and_then(|it| it.result.as_ref()).map(|it| it.digest.clone()), digest);
}

#[test]
fn tuned_thresholds_meet_the_service_level() {
    let mut session = Session::open(document());
    let study = session.study(StudyKind::Policies, 2, true).clone();
    for (case, row) in study.cases.iter().zip(admission::rows(&study)).take(3) {
        assert!(case.failure().is_some() || (case.number().is_some() && !row.breaks_level), "{row:?}");
        assert!(case.failure().is_some() || case.results().count() == 2, "{row:?}");
    }
    let number = |at: usize| study.cases[at].number();
    assert!(number(0).is_some() || number(1).is_some() || number(2).is_some());
    assert_eq!(session.study(StudyKind::Policies, 2, true).runs_over(), study.runs_over(), "the same search again");
}

#[test]
fn labels_and_knowledge_are_studies_of_their_own_and_a_study_can_be_stopped() {
    let mut session = Session::open(document());
    let known = session.study(StudyKind::Observations, 1, false);
    assert_eq!((known.cases.len(), admission::plots(known)[0].0.series.len()), (8, 2));
    let labels = session.study(StudyKind::Labels, 1, false);
    assert!(labels.cases.len() == 2 && admission::gain_by_labels(labels).is_some());
    session.waiting = session.app.update(Message::Study(StudyWish { kind: StudyKind::These, seeds: 3, tuned: false }));
    let effects = session.app.update(Message::StopStudy);
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Close { .. })));
    let study = session.app.study.as_ref().expect("it was asked for");
    assert!(!study.is_under_way() && admission::so_far(study).contains("stopped"));
}

#[test]
fn beliefs_that_make_no_sense_fail_the_runs_with_a_sentence() {
    let mut session = Session::open(document());
    session.does(Message::Edit(Edit::set("admission.power", -1)));
    let rows = admission::rows(session.study(StudyKind::Policies, 1, true));
    assert!(
        rows.iter().all(|row| row.failure.as_ref().is_some_and(|why| why.to_string().contains("expected a power"))),
        "{rows:?}"
    );
}

#[test]
fn a_fit_is_told_and_taken_over_in_one_step() {
    let mut session = Session::open(document());
    session.does(Message::Question(Asking::new(&FitBeliefs {})));
    let card = admission::told_fit(&session.app).expect("it is told").expect("a fit").clone();
    assert!(card.deployments > 500 && !admission::fitted_plots(&card).is_empty());
    assert!(admission::fitted(&card).starts_with("Fitted to ") && !card.cannot_say.is_empty());
    let rows = admission::fitted_rows(&session.app, &card);
    assert_eq!(rows.len(), FitCard::default().settings.len() + card.settings.len());
    session.does(Message::Edit(admission::take(&card)));
    let row = admission::fitted_rows(&session.app, &card);
    assert!(row.iter().all(|row| row.now == row.fitted), "{row:?}");
    session.does(Message::Undo);
    assert_eq!(session.app.variant().admission, AdmissionSettings::default());
}

#[test]
fn replies_of_runs_that_nobody_waits_for_change_nothing() {
    let mut session = Session::open(document());
    let reply = Reply::Years { run: 9_999, share: 1.0, result: None };
    assert!(session.app.update(Message::Engine(Box::new(reply))).is_empty() && session.app.study.is_none());
}
