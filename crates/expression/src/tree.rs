//! The syntax tree of an expression: named values, then the value.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A whole expression: named values, each readable by those after it, and the resulting value.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    /// Its named values, in order.
    pub lets: Vec<Let>,
    /// The value.
    pub value: Expr,
}

/// A named value.
#[derive(Clone, Debug)]
pub struct Let {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub value: Expr,
    /// The byte offset of its name.
    pub offset: usize,
}

/// A part of an expression with its offset; equality ignores the offset.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its content.
    pub node: Node,
    /// The byte offset of its defining token: an operator, a name, a number.
    pub offset: usize,
}

/// The content of a part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number, at least 0.
    Number(f64),
    /// `true` or `false`.
    Truth(bool),
    /// An input or a named value.
    Name(String),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<[Expr; 2]>),
    /// A function call.
    Call(Function, Vec<Expr>),
    /// Condition, value, and value otherwise.
    If(Box<[Expr; 3]>),
}

impl PartialEq for Let {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.value == other.value
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl From<Node> for Expr {
    fn from(node: Node) -> Self {
        Self { node, offset: 0 }
    }
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `not`
    Not,
}

macro_rules! binaries {
    ($($name:ident $text:literal $strength:literal,)+) => {
        /// An operator between its operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Binary { $(#[doc = concat!("`", $text, "`")] $name),+ }

        impl Binary {
            /// All binary operators.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its text.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// Its precedence; larger binds more tightly.
            pub(crate) const fn strength(self) -> u8 {
                match self { $(Self::$name => $strength),+ }
            }
        }
    };
}

binaries! {
    Or "or" 1, And "and" 2, Less "<" 4, LessOrEqual "<=" 4, Greater ">" 4, GreaterOrEqual ">=" 4, Equal "==" 4,
    Unequal "!=" 4, Add "+" 5, Subtract "-" 5, Multiply "*" 6, Divide "/" 6, Remainder "%" 6,
}

/// The precedence of `not`, comparisons and unary minus.
pub(crate) const NOT: u8 = 3;
pub(crate) const COMPARISON: u8 = 4;
pub(crate) const MINUS: u8 = 7;

macro_rules! functions {
    ($($(#[doc = $help:literal])+ $name:ident $text:literal $least:literal $most:expr,)+) => {
        /// A function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function { $($(#[doc = $help])+ $name),+ }

        impl Function {
            /// All functions.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its name.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// Its result, as help text.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $(Self::$name => concat!($($help),+).trim_start()),+ }
            }

            /// The minimum and maximum number of operands.
            #[must_use]
            pub const fn operands(self) -> (usize, usize) {
                match self { $(Self::$name => ($least, $most)),+ }
            }

            /// The function of this name.
            #[must_use]
            pub fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

functions! {
    /// The smallest of its operands.
    Min "min" 2 16,
    /// The largest of its operands.
    Max "max" 2 16,
    /// The distance from 0.
    Abs "abs" 1 1,
    /// The next whole number below.
    Floor "floor" 1 1,
    /// The next whole number above.
    Ceil "ceil" 1 1,
    /// The first operand, but no less than the second and no more than the third.
    Clamp "clamp" 3 3,
    /// The square root.
    Sqrt "sqrt" 1 1,
    /// The logarithm to the base 2.
    Log2 "log2" 1 1,
    /// The number e to this power.
    Exp "exp" 1 1,
}
