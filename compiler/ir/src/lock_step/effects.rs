//! Which lanes of outputs instructions read and write, and which of these accesses have to wait for others.

use crate::arena::Id;
use crate::inst::{Base, IndexId, Inst, read_lanes};
use crate::program::{Program, Storage};

/// Outputs whose lanes fit into a word.
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

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// What a part of the program does to outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Effects {
    /// Lanes that are read back, of any vertex.
    reads: LaneSet,
    /// Lanes that are written.
    writes: LaneSet,
    /// Those of `writes` that all invocations of the patch share.
    shared: LaneSet,
}

impl Effects {
    /// The same and what another part does.
    pub(super) fn add(&mut self, other: &Self) {
        self.reads.add(&other.reads);
        self.writes.add(&other.writes);
        self.shared.add(&other.shared);
    }
}

/// Whether every invocation that comes by an access writes all of its lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writers {
    /// All that come by.
    All,
    /// Some of them, or each another element.
    Some,
}

/// What an instruction does to outputs.
pub(super) fn of_inst(program: &Program, inst: &Inst) -> (Effects, Writers) {
    let mut effects = Effects::default();
    let mut writers = Writers::All;
    let written = inst.dst.map_or(0, |dst| dst.mask.0);
    for (number, src) in program.sources(inst).iter().enumerate() {
        let Base::Output(first) = src.base else {
            continue;
        };
        let read = read_lanes(program, inst, number, written);
        let lanes = src.swizzle.source_lanes(read);
        for output in reach(program, first.index(), src.index) {
            effects.reads.insert(output, lanes);
        }
    }
    if let Some(dst) = inst.dst
        && let Storage::Output(first) = program.registers[dst.register].storage
    {
        let outputs = reach(program, first.index(), dst.index);
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

/// The entries of a table that an operand can reach from `first` on.
fn reach(program: &Program, first: usize, index: Option<IndexId>) -> std::ops::Range<usize> {
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
pub(super) struct Pending {
    effects: Effects,
    /// Shared lanes that invocations may have written which are not active any more.
    left: LaneSet,
    /// Whether there was a barrier since this began.
    pub(super) crossed: bool,
}

impl Pending {
    /// Some accesses, by invocations that need not be active any more.
    pub(super) fn some(effects: &Effects) -> Self {
        Self {
            effects: effects.clone(),
            left: effects.shared.clone(),
            crossed: false,
        }
    }

    /// Whether `next` has to wait until all invocations have done what is pending: a read for writes, a write for reads, and a write of
    /// what is shared for writes that it replaces. What the very same invocations have written before, they replace in any case.
    pub(super) fn delays(&self, next: &Effects, writers: Writers) -> bool {
        let replaced = match writers {
            Writers::All => &self.left,
            Writers::Some => &self.effects.shared,
        };
        self.effects.writes.meets(&next.reads)
            || self.effects.reads.meets(&next.writes)
            || replaced.meets(&next.shared)
    }

    /// Adds accesses of invocations that stay active.
    pub(super) fn add(&mut self, effects: &Effects) {
        self.effects.add(effects);
    }

    /// Some invocations are not active any more.
    pub(super) fn leave(&mut self) {
        self.left.add(&self.effects.shared);
    }

    /// All invocations have done what was pending.
    pub(super) fn barrier(&mut self) {
        *self = Self {
            crossed: true,
            ..Self::default()
        };
    }

    /// Adds what is pending behind a part of the program that began with nothing pending.
    pub(super) fn follow(&mut self, part: Self) {
        if part.crossed {
            self.barrier();
        }
        self.effects.add(&part.effects);
        self.left.add(&part.left);
    }

    /// Adds what is pending behind one of several parts of the program of which one runs.
    pub(super) fn follow_one_of(&mut self, parts: impl IntoIterator<Item = Self>) {
        let mut joined = Self {
            crossed: true,
            ..Self::default()
        };
        for part in parts {
            joined.crossed &= part.crossed;
            joined.effects.add(&part.effects);
            joined.left.add(&part.left);
        }
        self.follow(joined);
    }
}
