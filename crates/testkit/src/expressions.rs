//! Random expressions and the rules that use them, and a second evaluator: over the tree, value by value.

use tiebreak_expression::tree::{Binary, Expr, Formula, Function, Let, Node, Unary};
use tiebreak_expression::{Code, Fault, Kind, Scope, Unreadable, compile, parse};
use tiebreak_placement::custom::{Bounds, Custom, Definition, NAMES, Parameter, Subject, entry_of};
use tiebreak_placement::{RuleUse, Weight};

use crate::draws::{Chance, Draws};

/// Literals for random expressions; some make a NaN likely.
const NUMBERS: [f64; 9] = [0.0, 1.0, 2.0, 0.5, 3.0, 8.0, 100.0, 0.125, 1e3];

/// Names of parameters in random rules.
const PARAMETERS: [&str; 3] = ["factor", "limit", "bend"];

/// Custom rules with random expressions, about anything, each with its random position in the list.
pub(crate) fn rules(chance: Chance<'_>) -> Vec<(u64, RuleUse)> {
    let count = 1 + chance.draws("random expressions").below(4);
    (0..count).map(|at| rule(&mut chance.other(u64::from(at) + 101).draws("random expression"), at)).collect()
}

/// A random definition of an expression rule, without a name.
#[must_use]
pub fn definition(number: u64) -> Definition {
    drawn(&mut Chance::Number(number).draws("random definition"))
}

fn rule(draws: &mut Draws<'_>, at: u32) -> (u64, RuleUse) {
    let definition = drawn(draws);
    let values = definition.parameters.iter().map(|_| draws.one_of(&NUMBERS)).collect();
    let buckets = draws.one_in(2).then(|| 1 + draws.below(6));
    let place = draws.bits();
    let name = format!("Random{at}");
    let entry = entry_of(&name, &definition);
    let custom = Some(Custom::new(definition, entry));
    (place, RuleUse { values, custom, ..RuleUse::plain(&name, buckets) })
}

fn drawn(draws: &mut Draws<'_>) -> Definition {
    let of = draws.one_of(&Subject::ALL);
    let (from, to) = draws.one_of(&[(0.0, 1.0), (0.0, 100.0), (-8.0, 8.0), (-1000.0, 3.0)]);
    let is_preference = !draws.one_in(4);
    let bounds = Bounds { from, to, higher_is_better: draws.one_in(2) };
    let parameters = PARAMETERS[..draws.below(4) as usize].iter().map(|name| Parameter {
        name: (*name).into(),
        help: String::new(),
        unit: String::new(),
        default: draws.one_of(&NUMBERS),
        min: 0.0,
        max: 1e3,
    });
    let mut definition = Definition {
        help: String::new(),
        of,
        parameters: parameters.collect(),
        expression: String::new(),
        bounds: is_preference.then_some(bounds),
    };
    let readable: Vec<_> = NAMES.iter().filter(|name| of.reads(name)).map(|name| (name.id, name.kind)).collect();
    let own = PARAMETERS[..definition.parameters.len()].iter().map(|name| (*name, Kind::Number));
    let names: Vec<_> = readable.into_iter().chain(own).collect();
    let formula = formula(draws, &names, definition.kind());
    definition.expression = match is_preference {
        true => formula.to_string(),
        // A validator that rejects most machines would leave little to test.
        false => format!("let rarely = {}; rarely or {} != 1", formula.value, seldom(of)),
    };
    if !is_preference {
        let lets: String = formula.lets.iter().map(|it| format!("let {} = {};\n", it.name, it.value)).collect();
        definition.expression = lets + &definition.expression;
    }
    definition
}

/// An expression that is rarely 1.
fn seldom(of: Subject) -> &'static str {
    match of {
        Subject::Machine => "machine.vms",
        Subject::Rack => "rack.machines",
        Subject::Cluster => "cluster.machines",
    }
}

/// Inserts new rules into a list, with random weights if the list has any.
pub(crate) fn put_into(rules: &mut Vec<RuleUse>, new: Vec<(u64, RuleUse)>) {
    let weighted = rules.iter().any(|rule| rule.weight.is_some());
    for (place, rule) in new {
        let at = (place % (rules.len() as u64 + 1)) as usize;
        let weight = Weight::new(f64::from((place % 5) as u8) + 1.0).filter(|_| weighted && rule.buckets.is_some());
        rules.insert(at, RuleUse { weight, ..rule });
    }
}

/// A random expression of this kind over names.
fn formula(draws: &mut Draws<'_>, names: &[(&str, Kind)], kind: Kind) -> Formula {
    let mut known: Vec<(String, Kind)> = names.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
    let mut lets = Vec::new();
    for at in 0..draws.below(4) {
        let kind = if draws.one_in(4) { Kind::Truth } else { Kind::Number };
        let name = format!("value_{at}");
        lets.push(Let { name: name.clone(), value: expr(draws, &known, kind, 3), offset: 0 });
        known.push((name, kind));
    }
    Formula { lets, value: expr(draws, &known, kind, 4) }
}

/// A random expression over all names of a subject, for tests of expressions only.
#[must_use]
pub fn random(number: u64) -> (Formula, Subject, Kind) {
    let mut draws = Chance::Number(number).draws("random formula");
    let of = draws.one_of(&Subject::ALL);
    let kind = draws.one_of(&[Kind::Number, Kind::Number, Kind::Truth]);
    let names: Vec<_> = NAMES.iter().filter(|name| of.reads(name)).map(|name| (name.id, name.kind)).collect();
    (formula(&mut draws, &names, kind), of, kind)
}

fn expr(draws: &mut Draws<'_>, names: &[(String, Kind)], kind: Kind, depth: u32) -> Expr {
    let node = match (kind, depth) {
        (Kind::Number, 0) => number_leaf(draws, names),
        (Kind::Truth, 0) => truth_leaf(draws, names),
        (Kind::Number, _) => number(draws, names, depth - 1),
        (Kind::Truth, _) => truth(draws, names, depth - 1),
    };
    node.into()
}

fn number_leaf(draws: &mut Draws<'_>, names: &[(String, Kind)]) -> Node {
    if draws.one_in(3) { Node::Number(draws.one_of(&NUMBERS)) } else { name(draws, names, Kind::Number) }
}

fn truth_leaf(draws: &mut Draws<'_>, names: &[(String, Kind)]) -> Node {
    if draws.one_in(4) { Node::Truth(draws.one_in(2)) } else { name(draws, names, Kind::Truth) }
}

/// A name of this kind; there may be no booleans.
fn name(draws: &mut Draws<'_>, names: &[(String, Kind)], kind: Kind) -> Node {
    let fitting: Vec<_> = names.iter().filter(|(_, other)| *other == kind).collect();
    match fitting.as_slice() {
        [] => Node::Truth(true),
        fitting => Node::Name(fitting[draws.below(fitting.len() as u32) as usize].0.clone()),
    }
}

fn number(draws: &mut Draws<'_>, names: &[(String, Kind)], depth: u32) -> Node {
    let inner = |draws: &mut Draws<'_>, kind| expr(draws, names, kind, depth);
    match draws.below(8) {
        0 => number_leaf(draws, names),
        1 => Node::Unary(Unary::Minus, Box::new(inner(draws, Kind::Number))),
        2 => {
            let condition = inner(draws, Kind::Truth);
            Node::If(Box::new([condition, inner(draws, Kind::Number), inner(draws, Kind::Number)]))
        }
        3 => {
            let function = draws.one_of(Function::ALL);
            let (least, most) = function.operands();
            let count = least + draws.below((most.min(least + 2) - least) as u32 + 1) as usize;
            Node::Call(function, (0..count).map(|_| inner(draws, Kind::Number)).collect())
        }
        _ => {
            let operator =
                draws.one_of(&[Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide, Binary::Remainder]);
            Node::Binary(operator, Box::new([inner(draws, Kind::Number), inner(draws, Kind::Number)]))
        }
    }
}

fn truth(draws: &mut Draws<'_>, names: &[(String, Kind)], depth: u32) -> Node {
    let inner = |draws: &mut Draws<'_>, kind| expr(draws, names, kind, depth);
    match draws.below(8) {
        0 => truth_leaf(draws, names),
        1 => Node::Unary(Unary::Not, Box::new(inner(draws, Kind::Truth))),
        2 => {
            let operator = draws.one_of(&[Binary::And, Binary::Or]);
            Node::Binary(operator, Box::new([inner(draws, Kind::Truth), inner(draws, Kind::Truth)]))
        }
        3 => {
            let condition = inner(draws, Kind::Truth);
            Node::If(Box::new([condition, inner(draws, Kind::Truth), inner(draws, Kind::Truth)]))
        }
        _ => {
            let compared = Binary::ALL.iter().copied().filter(|it| it.text().starts_with(['<', '>', '=', '!']));
            let operator = draws.one_of(&compared.collect::<Vec<_>>());
            Node::Binary(operator, Box::new([inner(draws, Kind::Number), inner(draws, Kind::Number)]))
        }
    }
}

/// A law about any text: parsing it ends with an error or a tree, and the printed tree parses to the same tree.
///
/// # Errors
/// The text whose tree changes.
pub fn check_text(text: &str) -> Result<(), String> {
    let Ok(tree) = parse(text) else { return Ok(()) };
    let printed = tree.to_string();
    // The printed form of a tree that only just fits may exceed the limit.
    match parse(&printed) {
        Ok(again) if again == tree => {}
        Err(fault) if fault.expected.contains("at most") => {}
        other => return Err(format!("{text:?} is printed as {printed:?}, which is read as {other:?}")),
    }
    for subject in Subject::ALL {
        let definition = Definition {
            help: String::new(),
            of: subject,
            parameters: Vec::new(),
            expression: text.into(),
            bounds: None,
        };
        if let Ok(program) = definition.program() {
            let code = Code::of_all(&program);
            let mut places = code.places::<1>();
            code.run(&mut places);
        }
    }
    Ok(())
}

/// A law about a random expression: it prints as it parses, and it has the same value over its tree, compiled for one
/// and for many, and with any of its inputs known in advance.
///
/// # Errors
/// Where two evaluations differ.
pub fn check(number: u64) -> Result<(), String> {
    let (formula, of, kind) = random(number);
    let text = formula.to_string();
    if parse(&text).as_ref() != Ok(&formula) {
        return Err(format!("expression {number} is printed as {text}, which is read as another one"));
    }
    let names = Names(of);
    let program = match compile(&text, &names, kind) {
        Ok(program) => program,
        Err(Fault { expected, .. }) if expected.contains("at most") => return Ok(()),
        Err(fault) => return Err(format!("expression {number} cannot be read: {fault}\n{text}")),
    };
    let mut draws = Chance::Number(number).draws("random inputs");
    for _ in 0..4 {
        let inputs: Vec<f64> = NAMES.iter().map(|name| input(&mut draws, name.kind)).collect();
        let expected = by_tree(&formula, &inputs);
        let read = |input: u16| inputs[usize::from(input)];
        let known = draws.bits();
        let given = program.given(|input| (known >> (input % 64) & 1 == 1).then(|| read(input)));
        for (what, program) in
            [("as it is", &program), ("partly known", &given), ("known", &program.given(|input| Some(read(input))))]
        {
            let code = Code::of_value(program);
            let (mut one, mut many) = (code.places::<1>(), code.places::<4>());
            for (place, input) in code.inputs().iter().enumerate() {
                (one[place], many[place]) = ([read(*input)], [read(*input); 4]);
            }
            let [got] = code.run(&mut one);
            let same = |value: f64| value.to_bits() == expected.to_bits() || (value.is_nan() && expected.is_nan());
            if !same(got) || !code.run(&mut many).into_iter().all(same) {
                return Err(format!("expression {number}, {what}: {got}, by its tree {expected}\n{text}"));
            }
        }
    }
    Ok(())
}

fn input(draws: &mut Draws<'_>, kind: Kind) -> f64 {
    match kind {
        Kind::Truth => f64::from(u8::from(draws.one_in(2))),
        Kind::Number => draws.one_of(&[0.0, 1.0, 0.25, 7.0, 48.0, 1e6, 0.1]),
    }
}

struct Names(Subject);

impl Scope for Names {
    fn find(&self, name: &str) -> Result<(u16, Kind), Unreadable> {
        let at = NAMES.iter().position(|other| other.id == name && self.0.reads(other));
        at.map(|at| (at as u16, NAMES[at].kind)).ok_or_else(Unreadable::default)
    }
}

/// The value from the tree; `None` for NaN.
fn by_tree(formula: &Formula, inputs: &[f64]) -> f64 {
    let mut named: Vec<(&str, Option<f64>)> = Vec::new();
    for it in &formula.lets {
        let value = of_tree(&it.value, &named, inputs);
        named.push((&it.name, value));
    }
    of_tree(&formula.value, &named, inputs).unwrap_or(f64::NAN)
}

fn of_tree(expr: &Expr, named: &[(&str, Option<f64>)], inputs: &[f64]) -> Option<f64> {
    let value = |expr: &Expr| of_tree(expr, named, inputs);
    let truth = |holds: bool| if holds { 1.0 } else { 0.0 };
    let number = match &expr.node {
        Node::Number(number) => *number,
        Node::Truth(holds) => truth(*holds),
        Node::Name(name) => match named.iter().find(|(other, _)| other == name) {
            Some((_, value)) => (*value)?,
            None => inputs[NAMES.iter().position(|other| other.id == *name)?],
        },
        Node::Unary(Unary::Minus, operand) => -value(operand)?,
        Node::Unary(Unary::Not, operand) => truth(value(operand)? == 0.0),
        Node::If(parts) => return value(&parts[if value(&parts[0])? == 1.0 { 1 } else { 2 }]),
        Node::Binary(operator @ (Binary::And | Binary::Or), operands) => {
            let decides = truth(*operator == Binary::Or);
            match [value(&operands[0]), value(&operands[1])] {
                [Some(one), _] if one == decides => decides,
                [_, Some(other)] if other == decides => decides,
                [Some(_), Some(_)] => 1.0 - decides,
                _ => return None,
            }
        }
        Node::Binary(operator, operands) => {
            let (a, b) = (value(&operands[0])?, value(&operands[1])?);
            match operator {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                Binary::Remainder => a % b,
                Binary::Less => truth(a < b),
                Binary::LessOrEqual => truth(a <= b),
                Binary::Greater => truth(a > b),
                Binary::GreaterOrEqual => truth(a >= b),
                Binary::Equal => truth(a == b),
                Binary::Unequal => truth(a != b),
                Binary::And | Binary::Or => return None,
            }
        }
        Node::Call(function, operands) => {
            let mut values = Vec::new();
            for operand in operands {
                values.push(value(operand)?);
            }
            called(*function, &values)
        }
    };
    number.is_finite().then_some(number)
}

fn called(function: Function, values: &[f64]) -> f64 {
    let extreme = |better: fn(f64, f64) -> bool| {
        values[1..].iter().fold(values[0], |best, next| if better(best, *next) { best } else { *next })
    };
    match function {
        Function::Min => extreme(|best, next| best < next),
        Function::Max => extreme(|best, next| best > next),
        Function::Abs => values[0].abs(),
        Function::Floor => values[0].floor(),
        Function::Ceil => values[0].ceil(),
        Function::Clamp => {
            let raised = if values[0] > values[1] { values[0] } else { values[1] };
            if raised < values[2] { raised } else { values[2] }
        }
        Function::Sqrt => values[0].sqrt(),
        Function::Log2 => libm::log2(values[0]),
        Function::Exp => libm::exp(values[0]),
    }
}
