//! Reads a lesson: strict, with all issues at once, each with its line.

use tiebreak_scenario::Document;
use tiebreak_sim::metrics::{METRICS, index_of};

use crate::claim::{Claim, Scope, Sum, Test};
use crate::entries::{Entry, entries};
use crate::issue::{Issue, Issues, one_of, quoted};
use crate::lesson::{Lesson, STEPS_MAX, Step};
use crate::pieces::{Piece, PieceKind, pieces};
use crate::question::{Choice, Question, Scale};
use crate::scene::Scene;
use crate::text::Block;
use crate::unlocks::Unlocks;

/// The most answers to a question.
pub const CHOICES_MAX: usize = 6;

/// The longest duration of a lesson, in minutes.
pub const MINUTES_MAX: u32 = 90;

/// The most characters in a title.
pub const TITLE_MAX: usize = 120;

/// The ends of a scale must be smaller than this in absolute value.
const SCALE_MAX: f64 = 1e9;

/// The known fenced blocks.
const FENCES: [&str; 6] = ["lesson", "scenario", "against", "unlock", "predict", "claim"];

impl Lesson {
    /// Reads a lesson.
    ///
    /// # Errors
    /// All issues, sorted by line.
    pub fn read(markdown: &str) -> Result<Self, Vec<Issue>> {
        let issues = Issues::default();
        let pieces = pieces(markdown, &issues);
        if pieces.is_empty() && !issues.is_empty() {
            return Err(issues.into_list());
        }
        match lesson(pieces, &issues) {
            Some(lesson) if issues.is_empty() => Ok(lesson),
            _ => Err(issues.into_list()),
        }
    }
}

impl Lesson {
    /// Appends a step to a lesson's Markdown; an empty text becomes a lesson with one step.
    ///
    /// # Errors
    /// If the text is not a valid lesson, or would not be with the step.
    pub fn with_step(markdown: &str, step: Step) -> Result<String, Vec<Issue>> {
        let mut lesson = match markdown.trim() {
            "" => Self {
                title: "My lesson".into(),
                minutes: None,
                about: None,
                language: None,
                opening: Vec::new(),
                steps: Vec::new(),
            },
            text => Self::read(text)?,
        };
        lesson.steps.push(step);
        let markdown = lesson.to_markdown();
        Self::read(&markdown).map(|_| markdown)
    }
}

impl Step {
    /// A step from a complete scenario, as the page freezes it for a teacher. Its text is Markdown.
    ///
    /// # Errors
    /// If there is no title, or the text contains anything but paragraphs and lists.
    pub fn frozen(title: &str, text: &str, document: Document, unlocks: Unlocks) -> Result<Self, Vec<Issue>> {
        let issues = Issues::default();
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        check_title(&title, 1, &issues);
        let before = match Block::read(text) {
            Ok(blocks) if issues.is_empty() => blocks,
            Ok(_) => return Err(issues.into_list()),
            Err(more) => return Err(issues.into_list().into_iter().chain(more).collect()),
        };
        Ok(Self {
            title,
            before,
            scenario: Some(Scene::frozen(document)),
            unlocks: Some(unlocks),
            against: None,
            question: None,
            after: Vec::new(),
            claims: Vec::new(),
        })
    }

    /// The same step with a question and an explanation in Markdown, shown after the run.
    ///
    /// # Errors
    /// If that text contains anything but paragraphs and lists.
    pub fn asking(self, question: Question, why: &str) -> Result<Self, Vec<Issue>> {
        Ok(Self { question: Some(question), after: Block::read(why)?, ..self })
    }
}

fn check_title(title: &str, line: u32, issues: &Issues) {
    if title.is_empty() || title.chars().count() > TITLE_MAX || title.contains(char::is_control) {
        issues.add(line, format!("a title of 1 to {TITLE_MAX} characters"), quoted(title), "use a few words");
    }
}

/// A partly read step, with the line numbers that issues may need.
struct Draft {
    step: Step,
    lines: StepLines,
}

/// The first lines of a step's parts.
struct StepLines {
    title: u32,
    scenario: Option<u32>,
    question: Option<u32>,
    claims: Vec<u32>,
}

impl Draft {
    fn new(title: String, line: u32) -> Self {
        let step = Step {
            title,
            before: Vec::new(),
            scenario: None,
            against: None,
            unlocks: None,
            question: None,
            after: Vec::new(),
            claims: Vec::new(),
        };
        Self { step, lines: StepLines { title: line, scenario: None, question: None, claims: Vec::new() } }
    }
}

fn lesson(pieces: Vec<Piece>, issues: &Issues) -> Option<Lesson> {
    let mut pieces = pieces.into_iter().peekable();
    let advice = "start the file with a line like # Ties and order";
    let Some(Piece { kind: PieceKind::Title(title), line }) =
        pieces.next_if(|it| matches!(it.kind, PieceKind::Title(_)))
    else {
        let line = pieces.peek().map_or(1, |piece| piece.line);
        issues.add(line, "the lesson's title", "something else", advice);
        return None;
    };
    check_title(&title, line, issues);
    let mut lesson =
        Lesson { title, minutes: None, about: None, language: None, opening: Vec::new(), steps: Vec::new() };
    while let Some(piece) = pieces.next_if(|piece| !matches!(piece.kind, PieceKind::Step(_))) {
        head(&mut lesson, piece, issues);
    }
    let mut reader = Reader { last: None, issues };
    let mut last_line = line;
    while let Some(piece) = pieces.next() {
        let PieceKind::Step(title) = piece.kind else { continue };
        let step = format!("step {}, {}", lesson.steps.len() + 1, quoted(&title));
        issues.within(step.clone());
        check_title(&title, piece.line, issues);
        last_line = piece.line;
        let mut draft = Draft::new(title, piece.line);
        while let Some(piece) = pieces.next_if(|piece| !matches!(piece.kind, PieceKind::Step(_))) {
            if let PieceKind::Fence { word, .. } = &piece.kind {
                issues.within(format!("{step}, block {word}"));
            }
            reader.take(&mut draft, piece);
            issues.within(step.clone());
        }
        lesson.steps.push(draft.step);
        check(&lesson, &draft.lines, issues);
        issues.within(String::new());
        if lesson.steps.len() == STEPS_MAX && pieces.peek().is_some() {
            issues.add(
                last_line,
                format!("at most {STEPS_MAX} steps"),
                "more after this one",
                "split it into two lessons",
            );
            break;
        }
    }
    if lesson.steps.is_empty() {
        issues.add(last_line, "at least one step", "none", "start one with a line like ## What happens");
    }
    Some(lesson)
}

/// The text before the first step.
fn head(lesson: &mut Lesson, Piece { line, kind }: Piece, issues: &Issues) {
    match kind {
        PieceKind::Text(block) => lesson.opening.push(block),
        PieceKind::Title(title) => issues.add(line, "one title", quoted(&title), "steps start with ##"),
        PieceKind::Step(_) => {}
        PieceKind::Fence { word, text } if word == "lesson" => {
            for entry in entries(&text, line, issues) {
                match entry.key {
                    "minutes" => lesson.minutes = minutes(&entry, issues),
                    "about" => lesson.about = Some(entry.value.into()),
                    "language" => lesson.language = language(&entry, issues),
                    other => issues.add(entry.line, "minutes, about or language", quoted(other), "remove other lines"),
                }
            }
        }
        PieceKind::Fence { word, .. } => {
            let advice = "put other blocks in steps, below a line with ##";
            issues.add(line, "the block lesson before the first step", format!("the block {}", quoted(&word)), advice);
        }
    }
}

fn minutes(entry: &Entry<'_>, issues: &Issues) -> Option<u32> {
    let minutes = entry.value.parse().ok().filter(|minutes| (1..=MINUTES_MAX).contains(minutes));
    if minutes.is_none() {
        let expected = format!("a whole number of minutes from 1 to {MINUTES_MAX}");
        issues.add(entry.line, expected, quoted(entry.value), "write, for instance, minutes: 8");
    }
    minutes
}

fn language(entry: &Entry<'_>, issues: &Issues) -> Option<String> {
    let parts = entry.value.split('-').all(|part| (2..=8).contains(&part.len()));
    let is_one = parts && entry.value.chars().all(|letter| letter == '-' || letter.is_ascii_alphanumeric());
    if !is_one {
        issues.add(entry.line, "a language as HTML names it", quoted(entry.value), "write for instance language: de");
    }
    is_one.then(|| entry.value.into())
}

/// Reads steps one by one; each may build on the previous scenario.
struct Reader<'a> {
    last: Option<Document>,
    issues: &'a Issues,
}

impl Reader<'_> {
    fn take(&mut self, draft: &mut Draft, Piece { line, kind }: Piece) {
        let step = &mut draft.step;
        match kind {
            PieceKind::Text(block) if draft.lines.question.is_some() => step.after.push(block),
            PieceKind::Text(block) => step.before.push(block),
            PieceKind::Title(title) => {
                self.issues.add(line, "one title, at the top", quoted(&title), "steps start with ##");
            }
            PieceKind::Step(_) => {}
            PieceKind::Fence { word, text } => self.fence(draft, &word, &text, line),
        }
    }

    fn fence(&mut self, draft: &mut Draft, word: &str, text: &str, line: u32) {
        let again = match word {
            "scenario" => draft.lines.scenario.is_some(),
            "against" => draft.step.against.is_some(),
            "unlock" => draft.step.unlocks.is_some(),
            "predict" => draft.lines.question.is_some(),
            _ => false,
        };
        if again {
            self.issues.add(line, format!("one block {word} in a step"), "another", "put it into a step of its own");
            return;
        }
        let step = &mut draft.step;
        match word {
            "scenario" => {
                draft.lines.scenario = Some(line);
                if step.against.is_some() {
                    self.issues.add(
                        line,
                        "the scenario before the block that it is compared with",
                        "it after that",
                        "move it up",
                    );
                }
                step.scenario = Scene::read(text, line, self.last.as_ref(), self.issues);
                self.last = step.scenario.as_ref().map(|scene| scene.document().clone()).or(self.last.take());
            }
            "against" => step.against = Scene::read(text, line, self.last.as_ref(), self.issues),
            "unlock" => step.unlocks = Some(Unlocks::read(&entries(text, line, self.issues), self.issues)),
            "predict" => {
                draft.lines.question = Some(line);
                step.question = question(&entries(text, line, self.issues), line, self.issues);
            }
            "claim" => self.claims(draft, text, line),
            other => {
                let got = if other.is_empty() { "one without a name".into() } else { quoted(other) };
                let advice = "write the name after the three marks that open the block";
                self.issues.add(line, format!("a block {}", one_of(FENCES[1..].iter().copied())), got, advice);
            }
        }
    }

    fn claims(&self, draft: &mut Draft, text: &str, line: u32) {
        for entry in entries(text, line, self.issues) {
            let scope = match entry.key {
                "always" => Scope::Always,
                "here" => Scope::Here,
                other => {
                    let advice = "`always` is checked for other seeds too, `here` only for this run";
                    self.issues.add(entry.line, "always or here", quoted(other), advice);
                    continue;
                }
            };
            if let Some(test) = test(&entry, self.issues) {
                draft.lines.claims.push(entry.line);
                draft.step.claims.push(Claim { scope, test });
            }
        }
    }
}

/// Checks that need the whole lesson.
fn check(lesson: &Lesson, lines: &StepLines, issues: &Issues) {
    let Some(step) = lesson.steps.last() else { return };
    if lesson.steps.len() == 1 && lines.scenario.is_none() {
        let advice = "start it with a line like preset: small";
        issues.add(lines.title, "a block scenario in the first step", "none", advice);
    }
    if let Some(line) = lines.question.filter(|_| step.after.is_empty()) {
        issues.add(
            line,
            "a paragraph below the question that explains the answer",
            "none",
            "it is shown after the run",
        );
    }
    let shown = lesson.shown(lesson.steps.len() - 1);
    let against = shown.is_some_and(|shown| shown.against.is_some());
    let asked_at = lines.question.unwrap_or(lines.title);
    let asked = step.question.iter().filter(|question| question.compares()).map(|_| asked_at);
    let claims = step.claims.iter().map(|claim| claim.test.compares());
    let said = lines.claims.iter().copied().zip(claims).filter_map(|(line, compares)| compares.then_some(line));
    for line in asked.chain(said).filter(|_| !against) {
        issues.add(line, "a block against, since (against) is named", "none", "name what the run is compared with");
    }
    if let (Some(question), Some(shown)) = (&step.question, shown)
        && let Err(issue) = question.solved(shown.scenario.document().active_variant())
    {
        issues.add(asked_at, issue.expected, issue.got, "the paths are those of `tiebreak run --set`");
    }
    if let Some(Question::Curve { metric, .. }) = &step.question
        && !shown.and_then(|shown| shown.unlocks).is_some_and(|unlocks| unlocks.charts.contains(metric))
    {
        let expected = format!("a chart of {metric} to draw on");
        issues.add(asked_at, expected, "none", "add it to charts: in the block unlock");
    }
}

fn test(entry: &Entry<'_>, issues: &Issues) -> Option<Test> {
    let read = Test::read(entry.value);
    read.map_err(|error| issues.add(entry.line, error.expected, error.got, "docs/LESSONS.md has examples")).ok()
}

/// Reads the lines of one kind of question after the first, which names the kind and asks the question.
type ReadKind = fn(&Entry<'_>, &[Entry<'_>], &Issues) -> Option<Question>;

/// The kinds of question, by the key of their first line.
const KINDS: [(&str, ReadKind); 7] = [
    ("pick", pick),
    ("pick here", pick),
    ("curve", curve),
    ("estimate", estimate),
    ("estimate here", estimate),
    ("machine", machine),
    ("drag", drag),
];

fn question(entries: &[Entry<'_>], line: u32, issues: &Issues) -> Option<Question> {
    let found =
        entries.iter().find_map(|entry| KINDS.iter().find(|(key, _)| *key == entry.key).map(|(_, read)| (entry, read)));
    let Some((kind, read)) = found else {
        let expected = "a line pick:, curve:, estimate:, machine: or drag:";
        issues.add(line, expected, "none of them", "it says how the question is answered");
        return None;
    };
    read(kind, entries, issues)
}

fn scope(kind: &Entry<'_>) -> Scope {
    if kind.key.ends_with(" here") { Scope::Here } else { Scope::Always }
}

/// The value of the only line with this key.
fn field<'a>(kind: &Entry<'_>, entries: &[Entry<'a>], key: &str, issues: &Issues) -> Option<Entry<'a>> {
    let mut found = entries.iter().filter(|entry| entry.key == key);
    let first = found.next().copied();
    if first.is_none() {
        issues.add(kind.line, format!("a line {key}: below {}:", kind.key), "none", "docs/LESSONS.md has examples");
    }
    if let Some(again) = found.next() {
        issues.add(again.line, format!("one line {key}:"), "another", "leave one of them out");
    }
    first
}

/// Reports lines that this kind of question does not use.
fn only(kind: &Entry<'_>, entries: &[Entry<'_>], keys: &[&'static str], issues: &Issues) {
    for entry in entries.iter().filter(|entry| *entry != kind && !keys.contains(&entry.key)) {
        issues.add(entry.line, one_of(keys.iter().copied()), quoted(entry.key), "remove other lines");
    }
}

fn estimate(kind: &Entry<'_>, entries: &[Entry<'_>], issues: &Issues) -> Option<Question> {
    only(kind, entries, &["of", "from", "to", "unit"], issues);
    let [of, from, to] = ["of", "from", "to"].map(|key| field(kind, entries, key, issues));
    let number = |entry: Entry<'_>| {
        let read = entry.value.parse::<f64>().ok().filter(|number| number.abs() < SCALE_MAX);
        if read.is_none() {
            issues.add(entry.line, "a number like 0 or 12.5", quoted(entry.value), "it is an end of the scale");
        }
        read
    };
    let of = of.and_then(|entry| {
        let read = Sum::read(entry.value);
        read.map_err(|error| issues.add(entry.line, error.expected, error.got, "docs/LESSONS.md has examples")).ok()
    });
    let (from, end) = (from.and_then(number)?, to.and_then(number)?);
    if from >= end {
        let advice = "the scale goes from its lowest number to its highest";
        issues.add(to?.line, format!("a number above {from}"), end.to_string(), advice);
    }
    let unit = entries.iter().find(|entry| entry.key == "unit").map_or(String::new(), |entry| entry.value.into());
    let scale = Scale { from, to: end, unit };
    Some(Question::Estimate { ask: kind.value.into(), scope: scope(kind), of: of?, scale })
}

fn machine(kind: &Entry<'_>, entries: &[Entry<'_>], issues: &Issues) -> Option<Question> {
    only(kind, entries, &["vm"], issues);
    let vm = field(kind, entries, "vm", issues)?;
    let number = vm.value.parse().ok();
    if number.is_none() {
        issues.add(vm.line, "the number of a VM in the trace", quoted(vm.value), "write for instance vm: 12");
    }
    Some(Question::Machine { ask: kind.value.into(), vm: number? })
}

fn drag(kind: &Entry<'_>, entries: &[Entry<'_>], issues: &Issues) -> Option<Question> {
    only(kind, entries, &["goal", "set"], issues);
    let goal = field(kind, entries, "goal", issues).and_then(|entry| test(&entry, issues));
    let mut solution = Vec::new();
    for entry in entries.iter().filter(|entry| entry.key == "set") {
        match entry.value.split_once('=') {
            Some((path, value)) => solution.push((path.trim().to_owned(), value.trim().to_owned())),
            None => issues.add(entry.line, "PATH = VALUE", quoted(entry.value), "write for instance set: seed = 7"),
        }
    }
    if !entries.iter().any(|entry| entry.key == "set") {
        let advice = "changes that reach the goal; a test holds them to it";
        issues.add(kind.line, "a line set: below drag:", "none", advice);
    }
    Some(Question::Drag { ask: kind.value.into(), goal: goal?, solution })
}

fn curve(kind: &Entry<'_>, entries: &[Entry<'_>], issues: &Issues) -> Option<Question> {
    let mut ask = None;
    for entry in entries.iter().filter(|entry| *entry != kind) {
        match entry.key {
            "ask" => ask = Some(entry.value.to_owned()),
            other => issues.add(entry.line, "curve and ask", quoted(other), "remove other lines"),
        }
    }
    if index_of(kind.value).is_none() {
        let ids = METRICS.iter().map(|metric| metric.declaration.id);
        issues.add(kind.line, one_of(ids), quoted(kind.value), "`tiebreak list metrics` says what each is");
        return None;
    }
    if ask.is_none() {
        issues.add(kind.line, "a line ask: that says what to draw", "none", "write it as a question");
    }
    Some(Question::Curve { ask: ask?, metric: kind.value.into() })
}

fn pick(kind: &Entry<'_>, entries: &[Entry<'_>], issues: &Issues) -> Option<Question> {
    let mut choices: Vec<Choice> = Vec::new();
    for entry in entries.iter().filter(|entry| *entry != kind) {
        match (entry.key, choices.last_mut()) {
            ("option", _) => choices.push(Choice { text: entry.value.into(), right_if: None }),
            ("if", Some(choice)) if choice.right_if.is_none() => choice.right_if = test(entry, issues),
            ("if", _) => issues.add(entry.line, "one if: below each option:", "it here", "join claims with `and`"),
            (other, _) => issues.add(entry.line, "option or if", quoted(other), "remove other lines"),
        }
    }
    if !(2..=CHOICES_MAX).contains(&choices.len()) {
        let got = format!("{}", choices.len());
        issues.add(kind.line, format!("2 to {CHOICES_MAX} lines option:"), got, "add answers to choose from");
        return None;
    }
    if choices.iter().filter(|choice| choice.right_if.is_none()).count() > 1 && issues.is_empty() {
        let advice = "one option may have no if: it is correct when no other is";
        issues.add(kind.line, "a line if: below every option but one", "several without if:", advice);
    }
    Some(Question::Pick { ask: kind.value.into(), scope: scope(kind), choices })
}
