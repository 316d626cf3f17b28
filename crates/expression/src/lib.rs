//! Expressions for custom rules: numbers, names, operators and a few functions, no loops.
//!
//! ```text
//! let left = machine.cores_free - vm.cores;   # a named value
//! if machine.cores > 0 then left / machine.cores else 1
//! ```
//!
//! [`parse`] reads a text into a tree, which prints as a text that parses to the same tree. [`compile`] checks it
//! against the readable names and makes a [`Program`]. [`Program::given`] evaluates what is already known. [`Code`]
//! runs the program for several machines at once. The cost is bounded by the length, is the same for all values, and
//! is available ([`Program::steps`]). See `operation.rs` for results that are not numbers.
//!
//! Only `+ - * /`, comparisons and `libm` are used, so that every machine computes the same bits.

#![no_std]

extern crate alloc;

mod check;
mod code;
mod fault;
mod lexer;
mod operation;
mod parser;
mod print;
mod program;
#[cfg(test)]
mod tests;
pub mod tree;

pub use check::{Scope, Unreadable, compile, nearest};
pub use code::{Code, Places};
pub use fault::{Fault, Position};
pub use lexer::{NAME_MAX, SOURCE_MAX, TOKENS_MAX};
pub use parser::{DEPTH_MAX, LETS_MAX, parse};
pub use program::{Kind, Named, Program, VALUES_MAX};
