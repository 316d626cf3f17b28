//! `ReadMachines`: the machines of a list.

use tiebreak_model::{Phrase, declare};
use tiebreak_trace::{Nodes, nodes};

use super::{Of, Question, Subject, Told};
use crate::protocol::{Answer, Found, Machines};

declare! {
    /// The machines of a list, as one inventory has it, those together that are alike.
    pub struct ReadMachines as "ReadMachines" {}
}

impl Question for ReadMachines {
    const OF: &'static [Of] = &[Of::File];

    fn answer(&self, of: &mut Subject<'_>) -> Result<Told, Phrase> {
        let read = nodes::read(of.file()).map_err(|fault| Phrase::text(fault.to_string()))?;
        Ok(Told::Now(Answer::found(Found::Machines(read.iter().map(machines).collect()))))
    }
}

fn machines(it: &Nodes) -> Machines {
    Machines {
        machines: it.machines,
        cores: f64::from(it.cores_milli) / 1_000.0,
        memory_gib: f64::from(it.memory_mib) / 1_024.0,
    }
}
