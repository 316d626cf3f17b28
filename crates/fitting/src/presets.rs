//! Built-in fits. Their sources and their similarity to them: docs/FITTING.md.

use crate::{FitFault, Fitted};

/// A built-in fit.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name on command lines.
    pub name: &'static str,
    /// A description in one sentence.
    pub help: &'static str,
    json: &'static str,
}

/// Every preset, the newest trace first.
pub static PRESETS: &[Preset] = &[
    Preset {
        name: "azure-2020",
        help: "A 1 % sample of whole requests of Azure's packing trace of 2020: about 60 requests per hour, 7,000 running VMs.",
        json: include_str!("../presets/azure-2020.json"),
    },
    Preset {
        name: "azure-2019",
        help: "The sizes, requests and lifetimes that Microsoft published for Azure in 2019; the rhythm, repeats and initial VMs are those of 2020.",
        json: include_str!("../presets/azure-2019.json"),
    },
    Preset {
        name: "azure-2017",
        help: "All arrivals in 3.5 days of Azure's trace of 2017: about 640 requests per hour. Lifetimes are known only in bins, and VMs running at the start are unknown.",
        json: include_str!("../presets/azure-2017.json"),
    },
];

impl Preset {
    /// The preset with this name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Its content.
    ///
    /// # Errors
    /// Never for built-in ones, which a test reads.
    pub fn fitted(&self) -> Result<Fitted, FitFault> {
        Fitted::from_json(self.json)
    }
}
