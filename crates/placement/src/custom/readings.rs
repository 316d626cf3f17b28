//! Expressions about machines, evaluated on candidates: what someone who chooses among them observes.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tiebreak_expression::{Fault, Kind, compile};
use tiebreak_model::{MachineId, Scene, VmRequest};

use super::rule::Expression;
use super::{Definition, Subject};

/// Expressions of numbers about a machine and the VM to place on it.
pub struct Readings(Vec<Expression>);

impl Readings {
    /// Compiles expressions that read what a rule of machines can read.
    ///
    /// # Errors
    /// The place of the first expression with a fault, from 0, and the fault.
    pub fn of(expressions: &[String]) -> Result<Self, (usize, Fault)> {
        let scope = Definition {
            help: String::new(),
            of: Subject::Machine,
            parameters: Vec::new(),
            expression: String::new(),
            bounds: None,
        };
        let program = |(at, text): (usize, &String)| {
            let program = compile(text, &scope, Kind::Number).map_err(|fault| (at, fault))?;
            Ok(Expression { program: Arc::new(program), reads: Arc::new([]), bounds: None })
        };
        expressions.iter().enumerate().map(program).collect::<Result<_, _>>().map(Self)
    }

    /// The values of all expressions on each machine, machine by machine.
    #[must_use]
    pub fn on(&self, vm: &VmRequest, scene: Scene<'_>, machines: &[MachineId]) -> Vec<f64> {
        let width = self.0.len();
        let mut values = alloc::vec![0.0; width * machines.len()];
        for (column, expression) in self.0.iter().enumerate() {
            expression.bind(vm).values(scene, machines, |row, value| values[row * width + column] = value);
        }
        values
    }
}

impl core::fmt::Debug for Readings {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Readings").field(&self.0.len()).finish()
    }
}
