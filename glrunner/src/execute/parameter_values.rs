//! Parameters as the script has set them.

use glasm::ir::Stage;
use glasm_scripts::script::{HandleUnit, ParamBank, ParamType};
use std::collections::BTreeMap;

/// A parameter: stage, bank and number.
pub(super) type Key = (Stage, ParamBank, u32);

/// The bits of a parameter, and the type that it is set with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub(super) words: [u32; 4],
    pub(super) ty: ParamType,
}

/// What the script has set.
#[derive(Default)]
pub(super) struct Parameters {
    pub(super) values: BTreeMap<Key, Value>,
    pub(super) handles: BTreeMap<Key, Vec<HandleUnit>>,
}

impl Parameters {
    /// The bits of a parameter; zeros before it is set.
    pub(super) fn words(&self, key: Key) -> [u32; 4] {
        self.values.get(&key).map_or([0; 4], |value| value.words)
    }

    /// The first subroutine parameters of a stage.
    pub(super) fn subroutines(&self, stage: Stage, count: u32) -> Vec<u32> {
        let number = |index| self.words((stage, ParamBank::Subroutine, index))[0];
        (0..count).map(number).collect()
    }
}

/// What the script has set: the bits of a parameter by the line of the program that names it and the number of the name. A program gets its
/// values again when it is loaded once more.
#[derive(Default)]
pub(super) struct NamedParameters {
    pub(super) values: BTreeMap<(u32, u32), [u32; 4]>,
}
