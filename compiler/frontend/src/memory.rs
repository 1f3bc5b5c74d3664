//! Memory that consecutive translations reuse: the lists of IR programs, and lists and maps of the
//! stages.

use glasm_ir::{Builder, BuilderScratch, Program, Stage};
use rustc_hash::FxHashMap;

/// The lists of IR programs and of their builders, which consecutive translations reuse.
///
/// Without it, a caller that translates often would free and allocate the same pages each time,
/// which costs as much as a whole stage. Each stage defines which lists it retains; [`Scratch`](crate::Scratch)
/// owns all of them.
#[derive(Debug, Default)]
pub(crate) struct ProgramPool {
    program: Option<Program>,
    builder: BuilderScratch,
}

impl ProgramPool {
    /// Retains the memory of a program that is no longer needed for the next one.
    pub(crate) fn recycle(&mut self, program: Program) {
        self.program = Some(program);
    }

    /// Returns a builder of an empty program, in the memory of a recycled one if there is one.
    pub(crate) fn take_builder(&mut self, stage: Stage) -> Builder {
        let program = match self.program.take() {
            // The memory of the last program that the caller returned.
            Some(program) => program.into_empty(stage),
            None => Program::new(stage),
        };
        Builder::with_scratch(program, std::mem::take(&mut self.builder))
    }

    /// Returns the finished program of a builder, whose lists are retained for reuse.
    pub(crate) fn finish_program(&mut self, builder: Builder) -> Program {
        let program;
        (program, self.builder) = builder.finish();
        program
    }
}

/// Takes the list out of `kept` and clears it, so that its memory is reused.
pub(crate) fn take_cleared_vec<T>(kept: &mut Vec<T>) -> Vec<T> {
    let mut list = std::mem::take(kept);
    // Cleared here, not when a list is given back: a program that was abandoned may have left
    // entries.
    list.clear();
    list
}

/// Takes the map out of `kept` and clears it, so that its memory is reused.
pub(crate) fn take_cleared_map<K, V>(kept: &mut FxHashMap<K, V>) -> FxHashMap<K, V> {
    let mut map = std::mem::take(kept);
    map.clear();
    map
}
