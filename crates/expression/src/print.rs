//! Prints a tree with the fewest brackets such that the text parses to the same tree.

use core::fmt::{self, Write};

use crate::tree::{COMPARISON, Expr, Formula, Let, MINUS, NOT, Node, Unary};

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Let { name, value, .. } in &self.lets {
            writeln!(f, "let {name} = {value};")?;
        }
        write!(f, "{}", self.value)
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.node {
            Node::Number(number) => write!(f, "{number}"),
            Node::Truth(truth) => write!(f, "{truth}"),
            Node::Name(name) => f.write_str(name),
            Node::Unary(Unary::Minus, operand) => {
                f.write_char('-')?;
                operand.print(f, MINUS)
            }
            Node::Unary(Unary::Not, operand) => {
                f.write_str("not ")?;
                operand.print(f, NOT)
            }
            Node::Binary(operator, operands) => {
                let (strength, [left, right]) = (operator.strength(), &**operands);
                // Comparisons do not chain; all other operators are left-associative.
                left.print(f, strength + u8::from(strength == COMPARISON))?;
                write!(f, " {} ", operator.text())?;
                right.print(f, strength + 1)
            }
            Node::Call(function, operands) => {
                write!(f, "{}(", function.text())?;
                for (at, operand) in operands.iter().enumerate() {
                    write!(f, "{}{operand}", if at > 0 { ", " } else { "" })?;
                }
                f.write_char(')')
            }
            Node::If(parts) => {
                let [condition, value, otherwise] = &**parts;
                write!(f, "if {condition} then {value} else {otherwise}")
            }
        }
    }
}

impl Expr {
    /// Prints brackets if it binds less tightly than this.
    fn print(&self, f: &mut fmt::Formatter<'_>, strength: u8) -> fmt::Result {
        if self.strength() < strength { write!(f, "({self})") } else { write!(f, "{self}") }
    }

    fn strength(&self) -> u8 {
        match &self.node {
            Node::If(_) => 0,
            Node::Binary(operator, _) => operator.strength(),
            Node::Unary(Unary::Not, _) => NOT,
            Node::Unary(Unary::Minus, _) => MINUS,
            Node::Number(_) | Node::Truth(_) | Node::Name(_) | Node::Call(..) => MINUS + 1,
        }
    }
}
