//! The generated program under construction, the instructions that all generators use, and random
//! numbers.

use super::arithmetic::OperationPools;
use super::patch_outputs::{OutputSet, PatchExchange};
use super::vertex_io::VertexIo;
use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Dst, Inst, InstData, InstFlags, OperandBase, Rounding, Src, Swizzle, WriteMask};
use crate::op::Op;
use crate::program::{Register, RegisterId, RoutineId, Stage, Storage};
use crate::resource::ParamId;
use crate::semantic::InputId;
use crate::span::Span;
use crate::types::{Type, Width};

/// Number of parameters of a generated program.
pub const PARAM_COUNT: usize = 6;
/// Number of result vectors of a generated program.
pub const RESULT_COUNT: usize = 3;
/// Number of bytes that an invocation of a compute program stores.
pub const RESULT_BYTES: u64 = 64;

/// Features that a generated program may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GenerateOptions {
    /// Stage.
    pub stage: Stage,
    /// Approximate number of instructions, without initialization and output of results.
    pub max_insts: u32,
    /// Loops.
    pub loops: bool,
    /// Branches.
    pub branches: bool,
    /// Switches.
    pub switches: bool,
    /// Routines and calls.
    pub calls: bool,
    /// Condition codes: updates, guards and tests.
    pub conditions: bool,
    /// Arithmetic on 32-bit integers; without it only moves.
    pub int: bool,
    /// Arithmetic on 32-bit floats.
    pub float: bool,
    /// Arithmetic on 64-bit integers.
    pub int64: bool,
    /// Register and parameter arrays with dynamic indices.
    pub arrays: bool,
}

impl GenerateOptions {
    /// Returns options for about `max_insts` instructions with all features except 64-bit integers.
    pub const fn new(stage: Stage, max_insts: u32) -> Self {
        Self {
            stage,
            max_insts,
            loops: true,
            branches: true,
            switches: true,
            calls: true,
            conditions: true,
            int: true,
            float: true,
            int64: false,
            arrays: true,
        }
    }
}

/// The registers that statements use, by content.
pub(super) struct RegisterPools {
    pub(super) int: Vec<RegisterId>,
    pub(super) float: Vec<RegisterId>,
    pub(super) long: Vec<RegisterId>,
    pub(super) condition_codes: Vec<RegisterId>,
    /// An array of integers.
    pub(super) array: RegisterId,
    /// Loop counters in lane x, one for each nesting depth.
    pub(super) counters: Vec<RegisterId>,
    /// Register for intermediate results.
    pub(super) scratch: RegisterId,
    pub(super) long_scratch: RegisterId,
    /// Lane x holds an index of arrays.
    pub(super) index: RegisterId,
    pub(super) results: Vec<RegisterId>,
    /// Communication of invocations.
    pub(super) patch_exchange: Option<PatchExchange>,
    /// Access to vertices.
    pub(super) vertex_io: Option<VertexIo>,
}

/// Number of elements of the array.
pub(super) const ARRAY_LEN: u32 = 6;

pub(super) struct Generator {
    pub(super) builder: Builder,
    pub(super) random: Random,
    pub(super) options: GenerateOptions,
    pub(super) pools: RegisterPools,
    pub(super) operations: OperationPools,
    pub(super) input: InputId,
    /// Number of instructions that may still be generated.
    pub(super) budget: u32,
    /// Number of loops around the current statement.
    pub(super) loop_depth: usize,
    /// Routines that may be called, with the outputs that they exchange.
    pub(super) callable: Vec<(RoutineId, OutputSet)>,
}

impl Generator {
    /// Appends an instruction with a unique span and reduces the budget; one in five float
    /// operations is precise.
    pub(super) fn emit_inst(
        &mut self,
        op: Op,
        ty: Type,
        aux: InstData,
        dst: Option<Dst>,
        sources: &[Src],
    ) {
        let position = self.builder.program.insts.len() as u32;
        let span = Span::new(position * 8, position * 8 + 7);
        let precise = ty.is_float() && self.random.draw_percent(20);
        let flags = if precise {
            InstFlags::PRECISE
        } else {
            InstFlags::empty()
        };
        self.budget = self.budget.saturating_sub(1);
        let inst = Inst {
            op,
            ty,
            flags,
            source_count: 0,
            first_source: 0,
            dst,
            data: aux,
            span,
        };
        self.builder.push_inst(inst, sources);
    }

    /// Appends an instruction without additional data.
    pub(super) fn emit_op(&mut self, op: Op, ty: Type, dst: Dst, sources: &[Src]) {
        self.emit_inst(op, ty, InstData::None, Some(dst), sources);
    }

    /// Emits a conversion that truncates, and that saturates from float to integer.
    pub(super) fn emit_cvt(&mut self, to: Type, from: Type, dst: Dst, source: Src) {
        let aux = InstData::Cvt {
            from,
            rounding: Rounding::Trunc,
            saturate: to.is_int() && from.is_float(),
        };
        self.emit_inst(Op::Cvt, to, aux, Some(dst), &[source]);
    }

    /// Returns an operand that reads a new literal with `bits` in all lanes.
    pub(super) fn push_literal(&mut self, bits: u64) -> Src {
        Src::new(OperandBase::Literal(
            self.builder.program.literals.push([bits; 4]),
        ))
    }

    /// Picks a random parameter with a random swizzle; in compute programs not the first one, which
    /// is the address of the results.
    pub(super) fn pick_param(&mut self) -> Src {
        let first = usize::from(self.options.stage == Stage::Compute);
        let param = first + self.random.draw_below(PARAM_COUNT - first);
        let swizzle = self.pick_swizzle();
        Src {
            swizzle,
            ..Src::new(OperandBase::Param(ParamId::new(param)))
        }
    }

    /// Picks a swizzle: the identity with 50% probability, else a random one.
    pub(super) fn pick_swizzle(&mut self) -> Swizzle {
        if self.random.draw_percent(50) {
            Swizzle::XYZW
        } else {
            Swizzle(self.random.next() as u8)
        }
    }

    /// Returns a write of all lanes of register `id`.
    pub(super) const fn make_full_dst(id: RegisterId) -> Dst {
        Dst::new(id, WriteMask::XYZW)
    }
}

impl RegisterPools {
    /// Returns an unnamed register that is not an array; it is not added to the program.
    pub(super) const fn make_register(storage: Storage, width: Width) -> Register {
        Register {
            storage,
            width,
            array_len: None,
            name: None,
        }
    }
}

/// A small deterministic generator of random numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    /// Returns a generator whose sequence `seed` determines.
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64-bit number of the generator SplitMix64.
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`.
    pub(crate) fn draw_below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Returns true with a probability of `chance` percent.
    pub(super) fn draw_percent(&mut self, chance: usize) -> bool {
        self.draw_below(100) < chance
    }

    /// Returns a random item; panics if there are none.
    pub(super) fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.draw_below(items.len())]
    }

    /// Returns random bits, with a preference for small numbers and the ends of the range.
    pub(super) fn draw_bits32(&mut self) -> u32 {
        let bits = self.next() as u32;
        match self.draw_below(8) {
            0 => 0,
            1 => u32::MAX,
            2 => 0x8000_0000,
            3 => 0x7fff_ffff,
            4 => bits & 15,
            _ => bits,
        }
    }
}
