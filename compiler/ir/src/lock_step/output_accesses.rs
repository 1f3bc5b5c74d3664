//! Lanes of outputs that instructions read and write, and dependences between these accesses.

use crate::arena::Id;
use crate::inst::{Base, IndexId, Inst, read_lanes};
use crate::program::{Program, Storage};

/// Number of outputs whose lanes fit into a word.
const OUTPUTS_PER_WORD: usize = 16;

/// Lanes of outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LaneSet(Vec<u64>);

impl LaneSet {
    fn insert(&mut self, output: usize, lanes: u8) {
        let word = output / OUTPUTS_PER_WORD;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= u64::from(lanes & 15) << (4 * (output % OUTPUTS_PER_WORD));
    }

    fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let words = self.0.iter_mut().zip(&other.0);
        words.for_each(|(word, other)| *word |= other);
    }

    fn intersects(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// Output accesses of a part of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutputAccesses {
    /// Lanes that are read back, of any vertex.
    reads: LaneSet,
    /// Lanes that are written.
    writes: LaneSet,
    /// The subset of `writes` that all invocations of the patch share.
    shared: LaneSet,
}

impl OutputAccesses {
    /// Adds the accesses of another part.
    pub(super) fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.shared.add(&other.shared);
    }
}

/// Invocations that write the lanes of an access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writers {
    /// All invocations that run it.
    All,
    /// Some of them, or each a different element.
    Some,
}

/// Returns the output accesses of an instruction.
pub(super) fn find_accesses(program: &Program, inst: &Inst) -> (OutputAccesses, Writers) {
    let mut effects = OutputAccesses::default();
    let mut writers = Writers::All;
    let written = inst.dst.map_or(0, |dst| dst.mask.0);
    for (number, src) in program.sources(inst).iter().enumerate() {
        let Base::Output(first) = src.base else {
            continue;
        };
        let read = read_lanes(program, inst, number, written);
        let lanes = src.swizzle.source_lanes(read);
        for output in find_accessed_entries(program, first.index(), src.index) {
            effects.reads.insert(output, lanes);
        }
    }
    if let Some(dst) = inst.dst
        && let Storage::Output(first) = program.registers[dst.register].storage
    {
        let outputs = find_accessed_entries(program, first.index(), dst.index);
        if dst.guard.is_some() || outputs.len() > 1 {
            writers = Writers::Some;
        }
        for output in outputs {
            effects.writes.insert(output, dst.mask.0);
            let semantic = program.outputs.as_slice().get(output);
            if semantic.is_some_and(|output| output.semantic.is_per_patch()) {
                effects.shared.insert(output, dst.mask.0);
            }
        }
    }
    (effects, writers)
}

/// Returns the entries of a table that an operand can access from `first` on.
fn find_accessed_entries(
    program: &Program,
    first: usize,
    index: Option<IndexId>,
) -> std::ops::Range<usize> {
    let Some(index) = index.map(|index| program.indices[index]) else {
        return first..first + 1;
    };
    match (
        index.element.relative,
        usize::try_from(index.element.offset),
    ) {
        (None, Ok(offset)) => first + offset..first + offset + 1,
        (None, Err(_)) | (Some(_), _) => first..first + index.len as usize,
    }
}

/// Accesses since the last barrier.
#[derive(Clone, Debug, Default)]
pub(super) struct PendingAccesses {
    effects: OutputAccesses,
    /// Shared lanes that may have been written by invocations that are no longer active.
    left: LaneSet,
    /// True if a barrier was executed since the record began.
    pub(super) crossed: bool,
}

impl PendingAccesses {
    /// Returns accesses by invocations that may no longer be active.
    pub(super) fn from_accesses(effects: &OutputAccesses) -> Self {
        Self {
            effects: effects.clone(),
            left: effects.shared.clone(),
            crossed: false,
        }
    }

    /// Returns true if `next` must wait until all invocations have completed the pending accesses:
    /// a read for writes, a write for reads, and a write of shared lanes for writes that it
    /// replaces. Earlier writes by the same set of invocations are replaced in any case.
    pub(super) fn must_delay(&self, next: &OutputAccesses, writers: Writers) -> bool {
        let replaced = match writers {
            Writers::All => &self.left,
            Writers::Some => &self.effects.shared,
        };
        self.effects.writes.intersects(&next.reads)
            || self.effects.reads.intersects(&next.writes)
            || replaced.intersects(&next.shared)
    }

    /// Adds accesses of invocations that remain active.
    pub(super) fn add(&mut self, effects: &OutputAccesses) {
        self.effects.add(effects);
    }

    /// Records that some invocations are no longer active.
    pub(super) fn leave(&mut self) {
        self.left.add(&self.effects.shared);
    }

    /// Records a barrier: all invocations have completed the pending accesses.
    pub(super) fn record_barrier(&mut self) {
        *self = Self {
            crossed: true,
            ..Self::default()
        };
    }

    /// Appends a part of the program whose record began empty.
    pub(super) fn append(&mut self, part: Self) {
        if part.crossed {
            self.record_barrier();
        }
        self.effects.add(&part.effects);
        self.left.add(&part.left);
    }

    /// Appends alternative parts of the program, one of which runs.
    pub(super) fn append_one_of(&mut self, parts: impl IntoIterator<Item = Self>) {
        let mut joined = Self {
            crossed: true,
            ..Self::default()
        };
        for part in parts {
            joined.crossed &= part.crossed;
            joined.effects.add(&part.effects);
            joined.left.add(&part.left);
        }
        self.append(joined);
    }
}
