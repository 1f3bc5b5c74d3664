//! The generated program under construction, and the instructions that all generators use.

use super::arithmetic::Operations;
use super::patch_outputs::{Allowed, Exchange};
use super::random::Random;
use super::vertex_io::Vertices;
use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Aux, Base, Dst, Inst, InstFlags, Rounding, Src, Swizzle, WriteMask};
use crate::op::Op;
use crate::program::{Register, RegisterId, RoutineId, Stage, Storage};
use crate::resource::ParamId;
use crate::semantic::InputId;
use crate::span::Span;
use crate::types::{Type, Width};

/// Number of parameters of a generated program.
pub const PARAMS: usize = 6;
/// Number of result vectors of a generated program.
pub const RESULTS: usize = 3;
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
    /// Returns options with all features except 64-bit integers.
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
pub(super) struct Pools {
    pub(super) int: Vec<RegisterId>,
    pub(super) float: Vec<RegisterId>,
    pub(super) long: Vec<RegisterId>,
    pub(super) codes: Vec<RegisterId>,
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
    pub(super) exchange: Option<Exchange>,
    /// Access to vertices.
    pub(super) vertices: Option<Vertices>,
}

/// Number of elements of the array.
pub(super) const ARRAY: u32 = 6;

pub(super) struct Generator {
    pub(super) builder: Builder,
    pub(super) random: Random,
    pub(super) options: GenerateOptions,
    pub(super) pools: Pools,
    pub(super) operations: Operations,
    pub(super) input: InputId,
    /// Number of instructions that may still be generated.
    pub(super) budget: u32,
    /// Number of loops around the current statement.
    pub(super) loops: usize,
    /// Routines that may be called, with the outputs that they exchange.
    pub(super) callable: Vec<(RoutineId, Allowed)>,
}

impl Generator {
    pub(super) fn emit_with(
        &mut self,
        op: Op,
        ty: Type,
        aux: Aux,
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
            aux,
            span,
        };
        self.builder.inst(inst, sources);
    }

    pub(super) fn emit(&mut self, op: Op, ty: Type, dst: Dst, sources: &[Src]) {
        self.emit_with(op, ty, Aux::None, Some(dst), sources);
    }

    pub(super) fn emit_cvt(&mut self, to: Type, from: Type, dst: Dst, source: Src) {
        let aux = Aux::Cvt {
            from,
            rounding: Rounding::Trunc,
            saturate: to.is_int() && from.is_float(),
        };
        self.emit_with(Op::Cvt, to, aux, Some(dst), &[source]);
    }

    pub(super) fn add_literal(&mut self, bits: u64) -> Src {
        Src::new(Base::Literal(self.builder.program.literals.push([bits; 4])))
    }

    pub(super) fn pick_param(&mut self) -> Src {
        let first = usize::from(self.options.stage == Stage::Compute);
        let param = first + self.random.draw_below(PARAMS - first);
        let swizzle = self.pick_swizzle();
        Src {
            swizzle,
            ..Src::new(Base::Param(ParamId::new(param)))
        }
    }

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

impl Pools {
    pub(super) const fn register(storage: Storage, width: Width) -> Register {
        Register {
            storage,
            width,
            array: None,
            name: None,
        }
    }
}
