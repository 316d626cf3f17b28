//! Expressions that people write as rules: numbers, names, operators and a few functions, no loops.
//!
//! ```text
//! let left = machine.cores_free - vm.cores;   # a named value
//! if machine.cores > 0 then left / machine.cores else 1
//! ```
//!
//! [`parse`] reads a text into a tree, which prints as a text that is read as the same tree; [`compile`] checks it against
//! the names that can be read and makes a [`Program`] of it; [`Program::given`] works out what is known already; [`Code`]
//! runs it for several machines at once. What it costs is bounded by its length, the same for all values, and told
//! ([`Program::steps`]). What is no number is told in `operation.rs`.
//!
//! Only `+ - * /`, comparisons and `libm` are used, so that every machine gives the same bits.

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
