//! What callers with many programs keep between them.

use crate::lower::tables::Tables;
use crate::memory::ProgramMemory;
use crate::rules::RuleMemory;
use crate::tgsi::TgsiMemory;
use glasm_ir::Program;

/// Empty lists that keep their memory for the next program. Memory grows to what the largest program needed.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(crate) rules: RuleMemory,
    pub(crate) lowering: Tables,
    pub(crate) tgsi: TgsiMemory,
    pub(crate) program: ProgramMemory,
}

impl Scratch {
    /// No memory yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the lists of a program that is no longer needed.
    pub fn recycle(&mut self, program: Program) {
        self.program.recycle(program);
    }
}
