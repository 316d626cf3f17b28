//! From tokens to a tree, by recursive descent. The depth is checked before each descent.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::fault::{Fault, Wrong};
use crate::lexer::{Token, Word, tokens};
use crate::tree::{Binary, COMPARISON, Expr, Formula, Function, Let, MINUS, NOT, Node, Unary};

/// Maximum nesting of brackets, functions, conditions and signs.
pub const DEPTH_MAX: u32 = 48;

/// Maximum number of named values.
pub const LETS_MAX: usize = 32;

/// Parses an expression.
///
/// # Errors
/// The first unexpected token, or the first exceeded limit.
pub fn parse(source: &str) -> Result<Formula, Fault> {
    formula(source).map_err(|wrong| wrong.within(source))
}

fn formula(source: &str) -> Result<Formula, Wrong> {
    let mut parser = Parser { tokens: tokens(source)?, at: 0, depth: 0 };
    let mut lets = Vec::new();
    while let Some(named) = parser.named()? {
        if lets.len() == LETS_MAX {
            return Err(Wrong::new(named.offset, format!("at most {LETS_MAX} named values"), "one more"));
        }
        lets.push(named);
    }
    let value = parser.expr()?;
    match parser.peek() {
        Token::End => Ok(Formula { lets, value }),
        Token::Sign(";") => Err(parser.wrong("the end: the last value has no name and no `;` after it")),
        Token::Sign("=") => Err(parser.wrong("the end").advise("compare by `==`")),
        _ => Err(parser.wrong("an operator or the end")),
    }
}

struct Parser<'a> {
    tokens: Vec<(Token<'a>, usize)>,
    at: usize,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token<'a> {
        self.tokens[self.at].0
    }

    fn offset(&self) -> usize {
        self.tokens[self.at].1
    }

    /// Takes the next token; the end token stays.
    fn take(&mut self) -> (Token<'a>, usize) {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn takes(&mut self, token: Token<'_>) -> bool {
        let is_next = self.peek() == token;
        if is_next {
            self.take();
        }
        is_next
    }

    fn expect(&mut self, token: Token<'_>, expected: &str) -> Result<(), Wrong> {
        if self.takes(token) { Ok(()) } else { Err(self.wrong(expected)) }
    }

    fn wrong(&self, expected: impl Into<String>) -> Wrong {
        Wrong::new(self.offset(), expected, self.peek().shown())
    }

    /// `let NAME = VALUE;`, or without `let`.
    fn named(&mut self) -> Result<Option<Let>, Wrong> {
        let is_said = self.takes(Token::Word(Word::Let));
        let is_meant = matches!(self.peek(), Token::Name(_))
            && self.tokens.get(self.at + 1).is_some_and(|(next, _)| *next == Token::Sign("="));
        if !is_said && !is_meant {
            return Ok(None);
        }
        let (Token::Name(name), offset) = self.take() else {
            self.at = self.at.saturating_sub(1);
            return Err(self.wrong("a name after `let`"));
        };
        if Function::of(name).is_some() || name.contains('.') {
            let wrong = Wrong::new(offset, "a new name without a dot", format!("`{name}`"));
            return Err(wrong.advise("choose another name, for instance cores_left"));
        }
        self.expect(Token::Sign("="), "`=`")?;
        let value = self.expr()?;
        self.expect(Token::Sign(";"), "an operator, or `;` after a named value")?;
        Ok(Some(Let { name: name.to_owned(), value, offset }))
    }

    fn expr(&mut self) -> Result<Expr, Wrong> {
        self.level(1)
    }

    /// Parses operators that bind at least this tightly.
    fn level(&mut self, strength: u8) -> Result<Expr, Wrong> {
        if strength == NOT {
            return self.prefixed(Token::Word(Word::Not), Unary::Not, NOT, COMPARISON);
        }
        if strength == MINUS {
            return self.prefixed(Token::Sign("-"), Unary::Minus, MINUS, MINUS + 1);
        }
        if strength > MINUS {
            return self.operand();
        }
        let mut left = self.level(strength + 1)?;
        let mut compared = false;
        while let Some(operator) = binary(self.peek()).filter(|it| it.strength() == strength) {
            if compared {
                return Err(self.wrong("one comparison").advise("join two by `and`: a < b and b < c"));
            }
            let (_, offset) = self.take();
            let right = self.level(strength + 1)?;
            left = Expr { node: Node::Binary(operator, Box::new([left, right])), offset };
            compared = strength == COMPARISON;
        }
        Ok(left)
    }

    fn prefixed(&mut self, sign: Token<'_>, unary: Unary, own: u8, next: u8) -> Result<Expr, Wrong> {
        let offset = self.offset();
        if !self.takes(sign) {
            return self.level(next);
        }
        let operand = self.deeper(|parser| parser.level(own))?;
        Ok(Expr { node: Node::Unary(unary, Box::new(operand)), offset })
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Wrong>) -> Result<T, Wrong> {
        if self.depth == DEPTH_MAX {
            let expected = format!("at most {DEPTH_MAX} nested brackets, functions, conditions and operators");
            return Err(Wrong::new(self.offset(), expected, "one more").advise("name a part of it with `let`"));
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn operand(&mut self) -> Result<Expr, Wrong> {
        let offset = self.offset();
        let node = match self.peek() {
            Token::Number(number) => Node::Number(number),
            Token::Word(Word::True) => Node::Truth(true),
            Token::Word(Word::False) => Node::Truth(false),
            Token::Name(name) => return self.name(name),
            Token::Word(Word::If) => return self.deeper(Self::condition),
            Token::Sign("(") => return self.deeper(Self::bracket),
            Token::Sign("-") | Token::Word(Word::Not) => {
                return Err(self.wrong("a number, a name or `(`").advise("put brackets around it"));
            }
            _ => return Err(self.wrong("a number, a name, `(` or `if`")),
        };
        self.take();
        Ok(Expr { node, offset })
    }

    fn bracket(&mut self) -> Result<Expr, Wrong> {
        self.take();
        let inner = self.expr()?;
        self.expect(Token::Sign(")"), "an operator or `)`")?;
        Ok(inner)
    }

    fn condition(&mut self) -> Result<Expr, Wrong> {
        let (_, offset) = self.take();
        let condition = self.expr()?;
        self.expect(Token::Word(Word::Then), "an operator or `then`")?;
        let value = self.expr()?;
        self.expect(Token::Word(Word::Else), "an operator or `else`: every `if` needs an `else`")?;
        let otherwise = self.expr()?;
        Ok(Expr { node: Node::If(Box::new([condition, value, otherwise])), offset })
    }

    fn name(&mut self, name: &str) -> Result<Expr, Wrong> {
        let (_, offset) = self.take();
        let (function, is_called) = (Function::of(name), self.peek() == Token::Sign("("));
        match function {
            Some(function) if is_called => self.deeper(|parser| parser.call(function, offset)),
            Some(function) => Err(self.wrong(format!("`(` after the function {}", function.text()))),
            None if is_called => {
                let names: Vec<_> = Function::ALL.iter().map(|function| function.text()).collect();
                let expected = format!("a function ({})", names.join(", "));
                Err(Wrong::new(offset, expected, format!("`{name}`")).advise("write one of these, or `*` before `(`"))
            }
            None => Ok(Expr { node: Node::Name(name.to_owned()), offset }),
        }
    }

    fn call(&mut self, function: Function, offset: usize) -> Result<Expr, Wrong> {
        self.take();
        let mut operands = Vec::new();
        loop {
            operands.push(self.expr()?);
            if self.takes(Token::Sign(")")) {
                break;
            }
            self.expect(Token::Sign(","), "an operator, `,` or `)`")?;
        }
        let (least, most) = function.operands();
        if !(least..=most).contains(&operands.len()) {
            let many = if least == most { format!("{least}") } else { format!("{least} to {most}") };
            let expected = format!("{many} operands of {}", function.text());
            return Err(Wrong::new(offset, expected, format!("{}", operands.len())));
        }
        Ok(Expr { node: Node::Call(function, operands), offset })
    }
}

fn binary(token: Token<'_>) -> Option<Binary> {
    let text = match token {
        Token::Sign(sign) => sign,
        Token::Word(word) => word.text(),
        _ => return None,
    };
    Binary::ALL.iter().copied().find(|binary| binary.text() == text)
}
