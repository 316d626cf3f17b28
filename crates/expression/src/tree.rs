//! An expression as it was written: named values, then the value.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A whole expression: values by name, each of which the following may read, and the value asked for.
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
    /// What it is.
    pub value: Expr,
    /// Bytes before its name.
    pub offset: usize,
}

/// A part of an expression, with where it stands; equal where it says the same.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it says.
    pub node: Node,
    /// Bytes before the word that makes it what it is: a sign, a name, a number.
    pub offset: usize,
}

/// What a part of an expression says.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A number, at least 0.
    Number(f64),
    /// `true` or `false`.
    Truth(bool),
    /// Something that is read, or a named value.
    Name(String),
    /// One operand.
    Unary(Unary, Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<[Expr; 2]>),
    /// A function.
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
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// How it is written.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// How tightly it binds; larger is tighter.
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

/// How tightly `not`, comparisons and the minus before an operand bind.
pub(crate) const NOT: u8 = 3;
pub(crate) const COMPARISON: u8 = 4;
pub(crate) const MINUS: u8 = 7;

macro_rules! functions {
    ($($(#[doc = $help:literal])+ $name:ident $text:literal $least:literal $most:expr,)+) => {
        /// A function.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Function { $($(#[doc = $help])+ $name),+ }

        impl Function {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its name.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }

            /// What it gives.
            #[must_use]
            pub fn help(self) -> &'static str {
                match self { $(Self::$name => concat!($($help),+).trim_start()),+ }
            }

            /// How many operands it takes, at least and at most.
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
