//! Memory that consecutive translations reuse: the long lists of every stage.
//!
//! Without it, a caller that translates often would free and allocate the same pages each time,
//! which costs as much as a whole stage. Each stage defines which lists it retains;
//! [`Scratch`](crate::Scratch) owns all of them.

use glasm_ir::{Builder, BuilderMemory, Program, Stage};
use rustc_hash::FxHashMap;

/// The lists of IR programs and of their builders.
#[derive(Debug, Default)]
pub(crate) struct ProgramMemory {
    program: Option<Program>,
    builder: BuilderMemory,
}

impl ProgramMemory {
    /// Takes the lists of a program that is no longer needed.
    pub(crate) fn recycle(&mut self, program: Program) {
        self.program = Some(program);
    }

    /// Returns a builder of an empty program.
    pub(crate) fn builder(&mut self, stage: Stage) -> Builder {
        let program = match self.program.take() {
            // The memory of the last program that the caller returned.
            Some(program) => program.emptied(stage),
            None => Program::new(stage),
        };
        Builder::with_memory(program, std::mem::take(&mut self.builder))
    }

    /// Finishes the program of a builder, whose lists are retained for reuse.
    pub(crate) fn finish(&mut self, builder: Builder) -> Program {
        let program;
        (program, self.builder) = builder.finish();
        program
    }
}

/// Takes a reused list, cleared.
pub(crate) fn take<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut list = std::mem::take(kept);
    // Cleared here, not when a list is given back: a program that was abandoned may have left
    // entries.
    list.clear();
    list
}

/// Takes a reused map, cleared.
pub(crate) fn take_map<K, V>(kept: &mut FxHashMap<K, V>) -> FxHashMap<K, V> {
    let mut map = std::mem::take(kept);
    map.clear();
    map
}
