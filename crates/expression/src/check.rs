//! From a tree to a program: resolves every name and checks every type.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::fault::{Fault, Position, Wrong};
use crate::operation::Operation;
use crate::parser::parse;
use crate::program::{Graph, Kind, Named, Program, VALUES_MAX, Value};
use crate::tree::{Binary, Expr, Formula, Function, Node, Unary};

/// The names that an expression may read.
pub trait Scope {
    /// The number and the kind of a name.
    ///
    /// # Errors
    /// The reason why a name cannot be read.
    fn find(&self, name: &str) -> Result<(u16, Kind), Unreadable>;
}

/// Why a name cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unreadable {
    /// What was expected.
    pub expected: String,
    /// What to do.
    pub advice: String,
}

/// Parses and checks an expression of this kind.
///
/// # Errors
/// The first fault: a word, a name that cannot be read, a value of the wrong kind, or an exceeded limit.
pub fn compile(source: &str, scope: &dyn Scope, kind: Kind) -> Result<Program, Fault> {
    let formula = parse(source)?;
    check(&formula, scope, kind, source).map_err(|wrong| wrong.within(source))
}

fn check(formula: &Formula, scope: &dyn Scope, kind: Kind, source: &str) -> Result<Program, Wrong> {
    let mut checker = Checker { graph: Graph::default(), named: Vec::new(), formula, scope, source };
    for (at, named) in formula.lets.iter().enumerate() {
        let (name, offset) = (&named.name, named.offset);
        let taken = || Wrong::new(offset, "a new name", format!("`{name}`"));
        if formula.lets[..at].iter().any(|other| other.name == *name) {
            return Err(taken().advise("it already has a value; choose another name"));
        }
        if scope.find(name).is_ok() {
            return Err(taken().advise("it is a built-in name; choose another name"));
        }
        let (value, kind) = checker.value(&named.value)?;
        checker.named.push(Named { name: name.clone(), kind, value });
    }
    let result = checker.of_kind(&formula.value, kind)?;
    Ok(Program::new(checker.graph, result, checker.named, kind))
}

struct Checker<'a> {
    graph: Graph,
    named: Vec<Named>,
    formula: &'a Formula,
    scope: &'a dyn Scope,
    source: &'a str,
}

impl Checker<'_> {
    fn add(&mut self, value: Value, offset: usize) -> Result<u16, Wrong> {
        let place = self.graph.add(value);
        if self.graph.len() > VALUES_MAX {
            let expected = format!("at most {VALUES_MAX} different numbers, names and steps");
            return Err(Wrong::new(offset, expected, "more").advise("shorten it"));
        }
        Ok(place)
    }

    fn step(&mut self, step: Operation, operands: &[u16], offset: usize) -> Result<u16, Wrong> {
        let operand = |at: usize| *operands.get(at).unwrap_or(&operands[0]);
        self.add(Value::Step(step, [operand(0), operand(1), operand(2)]), offset)
    }

    fn of_kind(&mut self, expr: &Expr, expected: Kind) -> Result<u16, Wrong> {
        let (value, kind) = self.value(expr)?;
        if kind == expected {
            return Ok(value);
        }
        let advice = match expected {
            Kind::Number => "write `if … then 1 else 0`",
            Kind::Truth => "compare it with another number, for instance by `<`",
        };
        Err(Wrong::new(expr.offset, expected.words(), kind.words()).advise(advice))
    }

    fn value(&mut self, expr: &Expr) -> Result<(u16, Kind), Wrong> {
        let offset = expr.offset;
        Ok(match &expr.node {
            Node::Number(number) => (self.add(Value::Constant(*number), offset)?, Kind::Number),
            Node::Truth(truth) => (self.add(Value::Constant(f64::from(u8::from(*truth))), offset)?, Kind::Truth),
            Node::Name(name) => self.name(name, offset)?,
            Node::Unary(unary, operand) => {
                let (step, kind) = match unary {
                    Unary::Minus => (Operation::Minus, Kind::Number),
                    Unary::Not => (Operation::Not, Kind::Truth),
                };
                let operand = self.of_kind(operand, kind)?;
                (self.step(step, &[operand], offset)?, kind)
            }
            Node::Binary(binary, operands) => self.binary(*binary, operands, offset)?,
            Node::Call(function, operands) => (self.call(*function, operands, offset)?, Kind::Number),
            Node::If(parts) => {
                let [condition, value, otherwise] = &**parts;
                let condition = self.of_kind(condition, Kind::Truth)?;
                let (value, kind) = self.value(value)?;
                let otherwise = self.of_kind(otherwise, kind)?;
                (self.step(Operation::Choose, &[condition, value, otherwise], offset)?, kind)
            }
        })
    }

    fn name(&mut self, name: &str, offset: usize) -> Result<(u16, Kind), Wrong> {
        if let Some(named) = self.named.iter().find(|named| named.name == name) {
            return Ok((named.value, named.kind));
        }
        if let Some(below) = self.formula.lets.iter().find(|named| named.name == name) {
            let line = Position::of(self.source, below.offset).line;
            let got = format!("`{name}`, which gets its value on line {line}");
            let wrong = Wrong::new(offset, "a name that already has a value", got);
            return Err(wrong.advise("move that above; values cannot depend on each other in a cycle"));
        }
        match self.scope.find(name) {
            Ok((input, kind)) => Ok((self.add(Value::Input(input), offset)?, kind)),
            Err(Unreadable { expected, advice }) => {
                Err(Wrong::new(offset, expected, crate::lexer::shown(name)).advise(advice))
            }
        }
    }

    fn binary(&mut self, binary: Binary, operands: &[Expr; 2], offset: usize) -> Result<(u16, Kind), Wrong> {
        let (step, reads, gives, is_turned) = match binary {
            Binary::Or => (Operation::Or, Kind::Truth, Kind::Truth, false),
            Binary::And => (Operation::And, Kind::Truth, Kind::Truth, false),
            Binary::Less => (Operation::Less, Kind::Number, Kind::Truth, false),
            Binary::LessOrEqual => (Operation::LessOrEqual, Kind::Number, Kind::Truth, false),
            Binary::Greater => (Operation::Less, Kind::Number, Kind::Truth, true),
            Binary::GreaterOrEqual => (Operation::LessOrEqual, Kind::Number, Kind::Truth, true),
            Binary::Equal => (Operation::Equal, Kind::Number, Kind::Truth, false),
            Binary::Unequal => (Operation::Unequal, Kind::Number, Kind::Truth, false),
            Binary::Add => (Operation::Add, Kind::Number, Kind::Number, false),
            Binary::Subtract => (Operation::Subtract, Kind::Number, Kind::Number, false),
            Binary::Multiply => (Operation::Multiply, Kind::Number, Kind::Number, false),
            Binary::Divide => (Operation::Divide, Kind::Number, Kind::Number, false),
            Binary::Remainder => (Operation::Remainder, Kind::Number, Kind::Number, false),
        };
        let [left, right] = [self.of_kind(&operands[0], reads)?, self.of_kind(&operands[1], reads)?];
        let operands = if is_turned { [right, left] } else { [left, right] };
        Ok((self.step(step, &operands, offset)?, gives))
    }

    fn call(&mut self, function: Function, operands: &[Expr], offset: usize) -> Result<u16, Wrong> {
        let mut values = Vec::with_capacity(operands.len());
        for operand in operands {
            values.push(self.of_kind(operand, Kind::Number)?);
        }
        let step = match function {
            Function::Min => return self.fold(Operation::Min, &values, offset),
            Function::Max => return self.fold(Operation::Max, &values, offset),
            Function::Clamp => {
                let raised = self.step(Operation::Max, &values[..2], offset)?;
                return self.step(Operation::Min, &[raised, values[2]], offset);
            }
            Function::Abs => Operation::Abs,
            Function::Floor => Operation::Floor,
            Function::Ceil => Operation::Ceil,
            Function::Sqrt => Operation::Sqrt,
            Function::Log2 => Operation::Log2,
            Function::Exp => Operation::Exp,
        };
        self.step(step, &values, offset)
    }

    fn fold(&mut self, step: Operation, values: &[u16], offset: usize) -> Result<u16, Wrong> {
        values[1..].iter().try_fold(values[0], |value, next| self.step(step, &[value, *next], offset))
    }
}

/// The name most similar to what was written, if any is similar.
#[must_use]
pub fn nearest<'a>(written: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let distance = |name: &str| (apart(written, name), name.len());
    let (far, name) = names.map(|name| (distance(name), name)).min()?;
    (far.0 <= written.len().max(6) / 3).then(|| name.to_string())
}

/// The edit distance in letters: changed, inserted or removed; a word with its letters in another order costs as
/// much.
fn apart(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, left) in one.bytes().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], at + 1);
        for (place, right) in other.bytes().enumerate() {
            let changed = diagonal + usize::from(left != right);
            diagonal = row[place + 1];
            row[place + 1] = changed.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}
