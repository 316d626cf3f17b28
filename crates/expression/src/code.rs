//! A program laid out for execution: slots for inputs, for constants, then one per step, in order.
//!
//! Nothing branches, so all machines of a batch go through each step together, and the cost never depends on the
//! inputs.

use alloc::vec;
use alloc::vec::Vec;

use crate::operation::Operation;
use crate::program::{Program, Value};

/// An executable program.
#[derive(Clone, Debug)]
pub struct Code {
    inputs: Vec<u16>,
    constants: Vec<f64>,
    steps: Vec<(Operation, [u16; 3])>,
    results: Vec<u16>,
}

/// Slots for the values of this many machines at once, as one [`Code`] needs them.
pub type Places<const LANES: usize> = Vec<[f64; LANES]>;

impl Code {
    /// Compiles the program's value.
    #[must_use]
    pub fn of_value(program: &Program) -> Self {
        Self::new(program, vec![program.result])
    }

    /// Compiles the program's named values in order, and its value last.
    #[must_use]
    pub fn of_all(program: &Program) -> Self {
        Self::new(program, program.named.iter().map(|named| named.value).chain([program.result]).collect())
    }

    fn new(program: &Program, roots: Vec<u16>) -> Self {
        let needed = program.needed(roots.iter().copied());
        let kept = || program.values.iter().enumerate().filter(|(at, _)| needed[*at]);
        let mut places = vec![0; program.values.len()];
        let mut code = Self { inputs: Vec::new(), constants: Vec::new(), steps: Vec::new(), results: Vec::new() };
        for (at, value) in kept() {
            if let Value::Input(input) = value {
                places[at] = code.inputs.len() as u16;
                code.inputs.push(*input);
            }
        }
        for (at, value) in kept() {
            if let Value::Constant(number) = value {
                places[at] = (code.inputs.len() + code.constants.len()) as u16;
                code.constants.push(*number);
            }
        }
        let first = code.inputs.len() + code.constants.len();
        for (at, value) in kept() {
            if let Value::Step(step, operands) = value {
                places[at] = (first + code.steps.len()) as u16;
                code.steps.push((*step, operands.map(|operand| places[usize::from(operand)])));
            }
        }
        code.results = roots.into_iter().map(|root| places[usize::from(root)]).collect();
        code
    }

    /// The numbers of its inputs; their values go into the first slots, in this order.
    #[must_use]
    pub fn inputs(&self) -> &[u16] {
        &self.inputs
    }

    /// Slots to run in; they can be reused.
    #[must_use]
    pub fn places<const LANES: usize>(&self) -> Places<LANES> {
        let mut places = vec![[0.0; LANES]; self.inputs.len()];
        places.extend(self.constants.iter().map(|number| [*number; LANES]));
        places.resize(places.len() + self.steps.len(), [0.0; LANES]);
        places
    }

    /// Computes the value from the inputs in the first slots; NaN stands for "no number".
    #[inline]
    pub fn run<const LANES: usize>(&self, places: &mut [[f64; LANES]]) -> [f64; LANES] {
        let first = self.inputs.len() + self.constants.len();
        for (at, (step, operands)) in self.steps.iter().enumerate() {
            places[first + at] = step.apply(operands.map(|operand| places[usize::from(operand)]));
        }
        self.results.last().map_or([f64::NAN; LANES], |result| places[usize::from(*result)])
    }

    /// The results of [`Code::of_all`] after a run.
    pub fn results<'a>(&'a self, places: &'a [[f64; 1]]) -> impl Iterator<Item = f64> + 'a {
        self.results.iter().map(|place| places[usize::from(*place)][0])
    }
}
