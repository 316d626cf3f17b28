//! A checked expression as a graph: every value once, operands before their users.

use alloc::string::String;
use alloc::vec::Vec;

use crate::operation::Operation;

/// Maximum number of values in an expression: numbers, names and steps.
pub const VALUES_MAX: usize = 256;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// True or false.
    Truth,
}

impl Kind {
    /// Its name in messages.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Truth => "true or false",
        }
    }
}

/// A value of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Constant(f64),
    /// An input, by its number.
    Input(u16),
    Step(Operation, [u16; 3]),
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    pub(crate) value: u16,
}

/// A checked expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub(crate) values: Vec<Value>,
    pub(crate) result: u16,
    pub(crate) named: Vec<Named>,
    kind: Kind,
}

impl Program {
    pub(crate) fn new(graph: Graph, result: u16, named: Vec<Named>, kind: Kind) -> Self {
        Self { values: graph.values, result, named, kind }
    }

    /// The kind of its value.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its named values, in order.
    #[must_use]
    pub fn named(&self) -> &[Named] {
        &self.named
    }

    /// The numbers of the inputs of its value, each once, in order.
    #[must_use]
    pub fn reads(&self) -> Vec<u16> {
        let needed = self.needed(core::iter::once(self.result));
        let inputs = self.values.iter().zip(&needed).filter_map(|(value, needed)| match value {
            Value::Input(input) if *needed => Some(*input),
            _ => None,
        });
        let mut inputs: Vec<_> = inputs.collect();
        inputs.sort_unstable();
        inputs
    }

    /// The number of steps to compute its value: the cost of every evaluation.
    #[must_use]
    pub fn steps(&self) -> usize {
        let needed = self.needed(core::iter::once(self.result));
        self.values.iter().zip(&needed).filter(|(value, needed)| **needed && matches!(value, Value::Step(..))).count()
    }

    /// The program with some inputs known: whatever follows from them alone is evaluated, and a known condition
    /// leaves only the chosen value.
    #[must_use]
    pub fn given(&self, known: impl Fn(u16) -> Option<f64>) -> Self {
        let mut graph = Graph::default();
        let mut places: Vec<u16> = Vec::with_capacity(self.values.len());
        for value in &self.values {
            let value = match *value {
                Value::Input(input) => known(input).map_or(Value::Input(input), Value::Constant),
                Value::Step(step, operands) => Value::Step(step, operands.map(|place| places[usize::from(place)])),
                constant @ Value::Constant(_) => constant,
            };
            places.push(graph.add(value));
        }
        let place = |value: u16| places[usize::from(value)];
        let named = self.named.iter().map(|it| Named { value: place(it.value), ..it.clone() }).collect();
        Self { values: graph.values, result: place(self.result), named, kind: self.kind }
    }

    /// The values on which these depend, including themselves.
    pub(crate) fn needed(&self, roots: impl Iterator<Item = u16>) -> Vec<bool> {
        let mut needed = alloc::vec![false; self.values.len()];
        roots.for_each(|root| needed[usize::from(root)] = true);
        for at in (0..self.values.len()).rev() {
            if let (true, Value::Step(_, operands)) = (needed[at], self.values[at]) {
                operands.iter().for_each(|operand| needed[usize::from(*operand)] = true);
            }
        }
        needed
    }
}

/// A graph under construction; known values are evaluated at once, and nothing is stored twice.
#[derive(Default)]
pub(crate) struct Graph {
    values: Vec<Value>,
}

impl Graph {
    /// The index of a value; new only if no equal value exists.
    pub(crate) fn add(&mut self, value: Value) -> u16 {
        match self.simpler(value) {
            Ok(place) => place,
            Err(value) => self.values.iter().position(|other| same(*other, value)).unwrap_or_else(|| {
                self.values.push(value);
                self.values.len() - 1
            }) as u16,
        }
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// The index of an equivalent existing value, or else the simplest equivalent value.
    fn simpler(&self, value: Value) -> Result<u16, Value> {
        let Value::Step(step, operands) = value else { return Err(value) };
        let constant = |at: usize| match self.values[usize::from(operands[at])] {
            Value::Constant(number) => Some(number),
            _ => None,
        };
        match (step, constant(0), constant(1)) {
            (Operation::Choose, Some(chosen), _) if !chosen.is_nan() => Ok(operands[if chosen == 1.0 { 1 } else { 2 }]),
            (Operation::And, Some(1.0), _) | (Operation::Or, Some(0.0), _) => Ok(operands[1]),
            (Operation::And, _, Some(1.0)) | (Operation::Or, _, Some(0.0)) => Ok(operands[0]),
            (Operation::And, Some(0.0), _) | (Operation::Or, Some(1.0), _) => Ok(operands[0]),
            (Operation::And, _, Some(0.0)) | (Operation::Or, _, Some(1.0)) => Ok(operands[1]),
            (_, Some(a), Some(b)) => match constant(2) {
                Some(c) => Err(Value::Constant(step.apply([[a], [b], [c]])[0])),
                None => Err(value),
            },
            _ => Err(value),
        }
    }
}

/// Equal bit for bit, so that 0 differs from -0 and NaN equals itself.
fn same(one: Value, other: Value) -> bool {
    match (one, other) {
        (Value::Constant(one), Value::Constant(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}
