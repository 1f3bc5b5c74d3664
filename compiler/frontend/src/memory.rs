//! Memory that translations use one after the other: the long lists of every stage.
//!
//! Without it, a caller that translates often would give back and ask for the same pages each time, which costs as much as a
//! whole stage. Each stage says itself what it keeps; [`Scratch`](crate::Scratch) has all of it.

use glasm_ir::{Builder, BuilderMemory, Program, Stage};
use rustc_hash::FxHashMap;

/// The lists of programs of the IR, and of what builds them.
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

    /// A builder of an empty program.
    pub(crate) fn builder(&mut self, stage: Stage) -> Builder {
        let program = match self.program.take() {
            // The memory of the last program that the caller gave back.
            Some(program) => program.emptied(stage),
            None => Program::new(stage),
        };
        Builder::with_memory(program, std::mem::take(&mut self.builder))
    }

    /// The program of a builder, whose lists are kept.
    pub(crate) fn finish(&mut self, builder: Builder) -> Program {
        let program;
        (program, self.builder) = builder.finish();
        program
    }
}

/// A kept list, emptied.
pub(crate) fn take<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut list = std::mem::take(kept);
    // Here, not where a list is kept: a program that was abandoned may have left entries.
    list.clear();
    list
}

/// A kept map, emptied.
pub(crate) fn take_map<K, V>(kept: &mut FxHashMap<K, V>) -> FxHashMap<K, V> {
    let mut map = std::mem::take(kept);
    map.clear();
    map
}
