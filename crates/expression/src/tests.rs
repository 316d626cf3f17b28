use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::{
    Code, DEPTH_MAX, Fault, Kind, Program, SOURCE_MAX, Scope, TOKENS_MAX, Unreadable, VALUES_MAX, compile, nearest,
    parse,
};

/// The readable names: two numbers and a boolean.
struct Names;

impl Scope for Names {
    fn find(&self, name: &str) -> Result<(u16, Kind), Unreadable> {
        match name {
            "a" => Ok((0, Kind::Number)),
            "vm.cores" => Ok((1, Kind::Number)),
            "yes" => Ok((2, Kind::Truth)),
            _ => Err(Unreadable { expected: "a name".to_string(), advice: "read another".to_string() }),
        }
    }
}

const INPUTS: [f64; 3] = [3.0, 0.5, 1.0];

fn program(source: &str) -> Result<Program, Fault> {
    compile(source, &Names, Kind::Number).or_else(|fault| compile(source, &Names, Kind::Truth).map_err(|_| fault))
}

fn value(source: &str) -> f64 {
    let program = program(source).unwrap_or_else(|fault| panic!("{source}: {fault}"));
    let code = Code::of_value(&program);
    let mut places = code.places();
    code.inputs().iter().zip(&mut places).for_each(|(input, place)| *place = [INPUTS[usize::from(*input)]]);
    let [value] = code.run(&mut places);
    let known = Code::of_value(&program.given(|input| Some(INPUTS[usize::from(input)])));
    let [folded] = known.run(&mut known.places());
    assert_eq!((value.to_bits(), known.inputs().len()), (folded.to_bits(), 0), "{source}: known before or read");
    value
}

#[test]
fn what_expressions_are_worth() {
    for (source, expected) in [
        ("1 + 2 * 3", 7.0),
        ("(1 + 2) * 3", 9.0),
        ("8 - 4 - 2", 2.0),
        ("8 / 4 / 2", 1.0),
        ("-2 * -3", 6.0),
        ("--2", 2.0),
        ("7 % 4 + -7 % 4", 0.0),
        ("5.5 % 2", 1.5),
        (".5 + 1e3 + 2E-1", 1_000.7),
        ("a + vm.cores", 3.5),
        ("min(a, 2, 1) + max(1, a)", 4.0),
        ("clamp(a, 0, 1) + clamp(-a, 0, 1)", 1.0),
        ("abs(-a) + floor(-1.5) + ceil(1.2)", 3.0),
        ("sqrt(16) + log2(8) + exp(0)", 8.0),
        ("if a > 2 then 10 else 20", 10.0),
        ("if a > 2 then if yes then 1 else 2 else 3", 1.0),
        ("1 + if yes then 1 else 2", 2.0),
        ("a >= 3 and a <= 3 and a == 3 and not a != 3", 1.0),
        ("a < 3 or a > 3", 0.0),
        ("not yes or true", 1.0),
        ("not (yes or true)", 0.0),
        ("not a < 1", 1.0),
        ("let x = a * 2; let y = x + 1; y - x", 1.0),
        ("x = a * 2; # twice\n y = x > 1;\nif y then x else 0", 6.0),
        ("let big = a > 1; big and yes", 1.0),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

/// Only a guard gives a result from an operand that is no number.
#[test]
fn what_is_no_number_stays_none() {
    for source in [
        "1 / 0",
        "a / (a - 3)",
        "0 / 0",
        "a % 0",
        "sqrt(-1)",
        "log2(0)",
        "log2(-a)",
        "exp(1000)",
        "1e308 * 10",
        "1e308 + 1e308",
        "1 / (1 / 0)",
        "min(1, 1 / 0)",
        "max(1 / 0, 1)",
        "clamp(1, 0, 1 / 0)",
        "if 1 / 0 > 1 then 1 else 1",
        "1 / 0 > 1",
        "1 / 0 != 1",
        "not 1 / 0 == 1",
        "1 / 0 > 1 and yes",
        "yes and 1 / 0 > 1",
        "1 / 0 > 1 or not yes",
    ] {
        assert!(value(source).is_nan(), "{source}");
    }
    for (source, expected) in [
        ("if a == 3 then 1 else 1 / 0", 1.0),
        ("a != 3 and 1 / (a - 3) > 1", 0.0),
        ("1 / (a - 3) > 1 and a != 3", 0.0),
        ("a == 3 or 1 / (a - 3) > 1", 1.0),
        ("1 / (a - 3) > 1 or a == 3", 1.0),
        ("if a != 3 and 1 / (a - 3) > 1 then 1 else 2", 2.0),
    ] {
        assert_eq!(value(source), expected, "{source}");
    }
}

/// Printed text has the fewest brackets and parses to the same tree.
#[test]
fn trees_are_printed_as_they_are_read() {
    for (source, printed) in [
        ("((1+2))*3", "(1 + 2) * 3"),
        ("1+(2*3)", "1 + 2 * 3"),
        ("1-(2-3)-4", "1 - (2 - 3) - 4"),
        ("(a<1)==2", "(a < 1) == 2"),
        ("not(yes and true)", "not (yes and true)"),
        ("not not yes", "not not yes"),
        ("-(a+1)", "-(a + 1)"),
        ("-(-a)", "--a"),
        ("(-a)*2", "-a * 2"),
        ("(if yes then 1 else 2)+3", "(if yes then 1 else 2) + 3"),
        ("3+if yes then 1 else 2+4", "3 + (if yes then 1 else 2 + 4)"),
        ("x=1;\n\nmax(x , 2,3)", "let x = 1;\nmax(x, 2, 3)"),
        ("1e21 + .25", "1000000000000000000000 + 0.25"),
    ] {
        let tree = parse(source).unwrap_or_else(|fault| panic!("{source}: {fault}"));
        assert_eq!(tree.to_string(), printed);
        assert_eq!(parse(printed), Ok(tree), "{printed}");
    }
}

#[test]
fn faults_say_where_and_what_to_do() {
    for (source, told) in [
        ("", "line 1, column 1: expected a number, a name, `(` or `if`, got the end"),
        ("1 +\n  * 2", "line 2, column 3: expected a number, a name, `(` or `if`, got `*`"),
        ("(1 + 2", "line 1, column 7: expected an operator or `)`, got the end"),
        ("1 2", "line 1, column 3: expected an operator or the end, got 2"),
        ("1;", "line 1, column 2: expected the end: the last value has no name and no `;` after it, got `;`"),
        ("let x = 1", "line 1, column 10: expected an operator, or `;` after a named value, got the end"),
        ("let = 1; 2", "line 1, column 5: expected a name after `let`, got `=`"),
        (
            "let min = 1; 2",
            "line 1, column 5: expected a new name without a dot, got `min`; choose another name, for instance cores_left",
        ),
        ("(a = 1)", "line 1, column 4: expected an operator or `)`, got `=`"),
        ("a + 1 = 1", "line 1, column 7: expected the end, got `=`; compare by `==`"),
        ("a < 1 < 2", "line 1, column 7: expected one comparison, got `<`; join two by `and`: a < b and b < c"),
        ("a && 1", "line 1, column 3: expected a character that expressions may use, got `&&`; write `and`"),
        ("!yes", "line 1, column 1: expected a character that expressions may use, got `!`; write `not`"),
        ("é", "line 1, column 1: expected a number, a name or an operator, got 'é'; remove it"),
        (
            "1 + 12.3.4",
            "line 1, column 5: expected a number like 12, 0.5 or 1e6, got `12.3.4`; put an operator between a number and a name",
        ),
        (
            "2a",
            "line 1, column 1: expected a number like 12, 0.5 or 1e6, got `2a`; put an operator between a number and a name",
        ),
        ("1e999", "line 1, column 1: expected a number below 1.8e308, got `1e999`"),
        (
            "sin(1)",
            "line 1, column 1: expected a function (min, max, abs, floor, ceil, clamp, sqrt, log2, exp), got `sin`; write one of these, or `*` before `(`",
        ),
        ("min(1)", "line 1, column 1: expected 2 to 16 operands of min, got 1"),
        ("max + 1", "line 1, column 5: expected `(` after the function max, got `+`"),
        ("if yes then 1", "line 1, column 14: expected an operator or `else`: every `if` needs an `else`, got the end"),
        ("yes + 1", "line 1, column 1: expected a number, got true or false; write `if … then 1 else 0`"),
        (
            "not a",
            "line 1, column 5: expected true or false, got a number; compare it with another number, for instance by `<`",
        ),
        (
            "if yes then 1 else yes",
            "line 1, column 20: expected a number, got true or false; write `if … then 1 else 0`",
        ),
        ("1 +\nvm.corse", "line 2, column 1: expected a name, got `vm.corse`; read another"),
        (
            "let x = 1; let x = 2; x",
            "line 1, column 16: expected a new name, got `x`; it already has a value; choose another name",
        ),
        ("let a = 1; a", "line 1, column 5: expected a new name, got `a`; it is a built-in name; choose another name"),
        (
            "let x = y;\nlet y = x;\nx",
            "line 1, column 9: expected a name that already has a value, got `y`, which gets its value on line 2; move that above; values cannot depend on each other in a cycle",
        ),
        (
            "let x = x + 1; x",
            "line 1, column 9: expected a name that already has a value, got `x`, which gets its value on line 1; move that above; values cannot depend on each other in a cycle",
        ),
        ("5 - not yes", "line 1, column 5: expected a number, a name or `(`, got `not`; put brackets around it"),
    ] {
        let fault = compile(source, &Names, Kind::Number).expect_err(source);
        assert_eq!(fault.to_string(), told, "{source}");
    }
    let fault = compile("a + 1", &Names, Kind::Truth).expect_err("a number");
    assert_eq!(fault.at.column, 3, "the sign that makes it a number");
}

/// Whatever the input, the error is one short sentence, found before any work that grows with the input.
#[test]
fn hostile_texts_are_told_in_a_sentence() {
    let repeated = |text: &str, count: usize| text.repeat(count);
    let depth = DEPTH_MAX as usize;
    let distinct = |count: usize| (0..count).map(|at| format!("{at}")).collect::<Vec<_>>().join("+");
    for (source, expected) in [
        (repeated("(", 10_000), "an expression of at most 4096 bytes"),
        (repeated("a", 1 << 20), "an expression of at most 4096 bytes"),
        (repeated("(", SOURCE_MAX), "an expression of at most 600 tokens"),
        (repeated("(", TOKENS_MAX - 1), "at most 48 nested brackets"),
        (repeated("-", TOKENS_MAX - 1), "at most 48 nested brackets"),
        (repeated("not ", TOKENS_MAX - 1), "at most 48 nested brackets"),
        (repeated("min(1,", 100), "at most 48 nested brackets"),
        (repeated("if yes then ", 150), "at most 48 nested brackets"),
        (repeated("a", 100), "a name of at most 64 letters"),
        (repeated("x=1;", 40), "at most 32 named values"),
        (distinct(VALUES_MAX), "at most 256 different numbers, names and steps"),
        (repeated("\u{0}", 50), "a number, a name or an operator"),
    ] {
        let told = compile(&source, &Names, Kind::Number).expect_err("hostile").to_string();
        assert!(told.contains(expected) && told.len() < 200, "{told}");
    }
    let nested = format!("{}1{}", repeated("(", depth), repeated(")", depth));
    assert!(program(&nested).is_ok(), "as deep as it may be");
    let chain = format!("1{}", repeated("+1", 200));
    assert_eq!(value(&chain), 201.0);
}

/// Known inputs are evaluated in advance, so that a rule reads and costs no more than necessary.
#[test]
fn what_is_known_is_worked_out_before() {
    let source = "let w = if a > 1 then 2 else 0; if w > 0 and (yes or a > 5) then vm.cores * w * w else vm.cores / a";
    let program = program(source).expect("it stands");
    assert_eq!((program.reads(), program.steps()), (alloc::vec![0, 1, 2], 10));
    let given = program.given(|input| (input == 0).then_some(3.0));
    assert_eq!((given.reads(), given.steps()), (alloc::vec![1, 2], 4));
    let given = given.given(|input| (input == 2).then_some(1.0));
    assert_eq!((given.reads(), given.steps()), (alloc::vec![1], 2));
    let names: Vec<&str> = given.named().iter().map(|named| named.name.as_str()).collect();
    assert_eq!(names, ["w"], "named values stay, for those who want to see them");
    let code = Code::of_all(&given);
    let mut places = code.places();
    places[0] = [0.5];
    code.run(&mut places);
    assert_eq!(code.results(&places).collect::<Vec<_>>(), [2.0, 2.0]);
}

#[test]
fn one_value_stands_once() {
    let twice = program("(a + vm.cores) * (a + vm.cores)").expect("it stands");
    assert_eq!(twice.steps(), 2);
}

#[test]
fn names_that_were_mistyped_are_found() {
    let names = || ["vm.cores", "vm.memory", "machine.cores_free"].into_iter();
    for (written, meant) in [
        ("vm.corse", Some("vm.cores")),
        ("vm_memory", Some("vm.memory")),
        ("machine.free_cores", Some("machine.cores_free")),
        ("x", None),
    ] {
        assert_eq!(nearest(written, names()), meant.map(String::from), "{written}");
    }
}
