//! Custom rules: an expression instead of a Rust file.
//!
//! The names that an expression reads determine its key and its reach; neither has to be declared. Names of the VM
//! and of its tenant's size form the key, bit for bit. A name of the tenant's VMs makes the rule see the tenant. All
//! other names refer to the machine, rack or cluster that the rule judges. So caching is correct by construction.

mod names;
mod readings;
mod rule;
#[cfg(test)]
mod tests;

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_expression::{Scope, Unreadable, compile, nearest};
use tiebreak_model::declare::value_or_default;
use tiebreak_model::{Declaration, MachineId, Param, ParamKind, Phrase, Scene, VmRequest};

pub use names::{About, NAMES, Name};
pub use readings::Readings;
pub use tiebreak_expression::tree::Function;
pub use tiebreak_expression::{Fault, Kind, NAME_MAX, Position, Program, SOURCE_MAX, VALUES_MAX};

use crate::rules::{AnyRule, Group, RuleEntry};
use names::ELSEWHERE;

/// What a custom rule judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Each machine separately.
    Machine,
    /// Each rack; the rule treats all its machines alike.
    Rack,
    /// Each cluster, before its machines.
    Cluster,
}

impl Subject {
    /// All subjects, smallest first.
    pub const ALL: [Self; 3] = [Self::Machine, Self::Rack, Self::Cluster];

    /// The word in documents.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Machine => "machine",
            Self::Rack => "rack",
            Self::Cluster => "cluster",
        }
    }

    /// Whether a rule about this subject can read a name.
    #[must_use]
    pub fn reads(self, name: &Name) -> bool {
        match name.of {
            About::Vm => true,
            About::Machine | About::TenantOnMachine => self == Self::Machine,
            About::Rack | About::TenantOnRack => self == Self::Rack,
            About::Cluster | About::TenantOnCluster => self == Self::Cluster,
        }
    }
}

/// How an expression's values map to scores from 0 (best) to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound: all smaller values count as this one.
    pub from: f64,
    /// Upper bound: all larger values count as this one; larger than `from`.
    pub to: f64,
    /// Whether larger values are better.
    pub higher_is_better: bool,
}

impl Bounds {
    /// The score of a value: values beyond a bound count as the bound, and a value that is not a number as the worst.
    #[must_use]
    pub fn score(&self, value: f64) -> f64 {
        let Self { from, to, higher_is_better } = *self;
        let score = if higher_is_better { (to - value) / (to - from) } else { (value - from) / (to - from) };
        if score.is_nan() { 1.0 } else { score.clamp(0.0, 1.0) }
    }
}

/// A numeric parameter of a custom rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name in the expression.
    pub name: String,
    /// What it means; may be empty.
    pub help: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Its default value.
    pub default: f64,
    /// Smallest allowed value.
    pub min: f64,
    /// Largest allowed value.
    pub max: f64,
}

/// A custom rule without its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// What it does, in one line.
    pub help: String,
    /// What it judges.
    pub of: Subject,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Its expression: a number for a preference, true or false for a validator.
    pub expression: String,
    /// How a preference's numbers become scores; `None` for a validator.
    pub bounds: Option<Bounds>,
}

impl Definition {
    /// The type that its expression must have.
    #[must_use]
    pub fn kind(&self) -> Kind {
        if self.bounds.is_some() { Kind::Number } else { Kind::Truth }
    }

    /// The stage it belongs to.
    #[must_use]
    pub fn group(&self) -> Group {
        match (self.of, self.bounds.is_some()) {
            (Subject::Cluster, false) => Group::ClusterValidators,
            (Subject::Cluster, true) => Group::ClusterPreferences,
            (_, false) => Group::MachineValidators,
            (_, true) => Group::MachinePreferences,
        }
    }

    /// Checks the expression against the readable names.
    ///
    /// # Errors
    /// The first fault and its position.
    pub fn program(&self) -> Result<Program, Fault> {
        compile(&self.expression, self, self.kind())
    }

    /// The names that its value depends on.
    #[must_use]
    pub fn names(&self, program: &Program) -> Vec<&'static Name> {
        program.reads().into_iter().filter_map(|input| NAMES.get(usize::from(input))).collect()
    }
}

impl Scope for Definition {
    /// The names of [`NAMES`] come first, then the parameters.
    fn find(&self, name: &str) -> Result<(u16, Kind), Unreadable> {
        if let Some(at) = self.parameters.iter().position(|parameter| parameter.name == name) {
            return Ok(((NAMES.len() + at) as u16, Kind::Number));
        }
        match NAMES.iter().position(|other| other.id == name) {
            Some(at) if self.of.reads(&NAMES[at]) => Ok((at as u16, NAMES[at].kind)),
            Some(at) => Err(self.of_another(&NAMES[at])),
            None => Err(self.unknown(name)),
        }
    }
}

impl Definition {
    fn of_another(&self, name: &Name) -> Unreadable {
        let (mine, theirs) = (self.of.word(), name.of.subject().map_or("VM", Subject::word));
        let advice = format!(
            "that belongs to a {theirs}, which changes without this rule being evaluated; a rule of {theirs}s can \
             read it"
        );
        Unreadable { expected: format!("a name that a rule of {mine}s can read"), advice }
    }

    fn unknown(&self, name: &str) -> Unreadable {
        if let Some((_, why)) = ELSEWHERE.iter().find(|(other, _)| *other == name) {
            return Unreadable {
                expected: "a name that changes only with what is placed".to_owned(),
                advice: (*why).to_owned(),
            };
        }
        let readable = NAMES.iter().filter(|name| self.of.reads(name)).map(|name| name.id);
        let mine = self.parameters.iter().map(|parameter| parameter.name.as_str());
        let advice = match nearest(name, readable.chain(mine)) {
            Some(like) => format!("did you mean {like}?"),
            None => "`tiebreak list names` lists all names".to_owned(),
        };
        Unreadable { expected: "a parameter, a named value or a name that can be read".to_owned(), advice }
    }
}

/// A custom rule with its name.
#[derive(Clone, Debug)]
pub struct Custom {
    definition: Arc<Definition>,
    entry: &'static RuleEntry,
}

impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.entry.declaration.id == other.entry.declaration.id && self.definition == other.definition
    }
}

impl Custom {
    /// A definition with the entry that [`entry_of`] made for it, or for one that differs only in the expression.
    #[must_use]
    pub fn new(definition: Definition, entry: &'static RuleEntry) -> Self {
        Self { definition: Arc::new(definition), entry }
    }

    /// Its definition.
    #[must_use]
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Its declaration, as for built-in rules.
    #[must_use]
    pub fn entry(&self) -> &'static RuleEntry {
        self.entry
    }

    /// The rule with these parameters.
    pub(crate) fn build(&self, values: &[f64]) -> Result<AnyRule, Fault> {
        Ok(rule::build(self.program(values)?, &self.definition))
    }

    /// Evaluates the rule on a fleet: its value for every machine (1 and 0 for true and false), and its words about
    /// one of them.
    ///
    /// # Errors
    /// When the expression has a fault.
    pub fn tried(
        &self,
        values: &[f64],
        vm: &VmRequest,
        scene: Scene<'_>,
        told_of: Option<MachineId>,
    ) -> Result<(Vec<f64>, Option<Phrase>), Fault> {
        Ok(rule::tried(self.program(values)?, &self.definition, vm, scene, told_of))
    }

    /// The compiled expression with these parameter values.
    fn program(&self, values: &[f64]) -> Result<Program, Fault> {
        let program = self.definition.program()?;
        let params = self.entry.declaration.params;
        let known = |input: u16| {
            let at = usize::from(input).checked_sub(NAMES.len())?;
            Some(value_or_default(params, values, at))
        };
        Ok(program.given(known))
    }
}

/// The declaration of a rule with this name and definition. Built-in rules declare themselves in constants, so this
/// one is leaked; callers that need many should cache them, as documents do.
#[must_use]
pub fn entry_of(name: &str, definition: &Definition) -> &'static RuleEntry {
    let kept = |text: &str| -> &'static str { Box::leak(text.to_string().into_boxed_str()) };
    let param = |it: &Parameter| Param {
        name: kept(&it.name),
        help: kept(&it.help),
        kind: ParamKind::Number,
        default: it.default,
        min: it.min,
        max: it.max,
        unit: kept(&it.unit),
    };
    let params: Vec<_> = definition.parameters.iter().map(param).collect();
    let id = kept(name);
    let declaration = Declaration { id, title: id, help: kept(&definition.help), params: Box::leak(params.into()) };
    Box::leak(Box::new(RuleEntry { declaration, group: definition.group(), levels: None }))
}
