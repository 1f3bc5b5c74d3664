//! Lowering: a checked program to IR.
//!
//! Most instructions become one IR instruction. Composite ones are expanded by the functions that
//! the opcode table names: these compute into hidden registers and write the result with one last
//! instruction, so that all operands are read before anything is written, and mask, guard, clamp
//! and condition codes apply once.

mod alu;
pub(crate) mod composite_ops;
mod dispatch;
mod flow;
mod fragment;
pub(crate) mod hidden_registers;
mod image;
pub(crate) mod ir_map;
mod legacy_numerics;
mod loop_counter;
mod memory;
pub(crate) mod op_builder;
mod operand;
mod per_vertex;
pub(crate) mod program;
mod resource;
mod result;
mod state_program;
#[cfg(test)]
mod tests;
mod texture;
mod transcendental;

use crate::ast::{Index, InstTypes};
use crate::lang::opcodes::OpcodeInfo;
use crate::resolved_inst::ResolvedInst;
use glasm_ir::arena::Id;
use glasm_ir::inst::{InstData, LiteralId, Rounding};
use glasm_ir::types::Type;
use glasm_ir::{InstFlags, Op, Span, Src, Swizzle};
use resource::Resources;

/// The current instruction, its table entry, and the types of the operation.
#[derive(Clone, Copy)]
pub(crate) struct InstContext<'c> {
    pub(crate) inst: &'c ResolvedInst,
    /// Table entry of the opcode.
    pub(crate) info: &'static OpcodeInfo,
    /// Types that the modifiers of the instruction select.
    pub(crate) types: InstTypes,
}

impl<'c> InstContext<'c> {
    /// Returns the context of an instruction with table entry `info`.
    fn new(inst: &'c ResolvedInst, info: &'static OpcodeInfo) -> Self {
        Self {
            inst,
            info,
            types: inst.types,
        }
    }
}

/// The conversions of an instruction. The result needs only one: fixed-point values are
/// half-precision values, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct PrecisionConversions {
    /// Rounding operation that is applied to operands.
    operands: Option<Op>,
    /// Rounding operation that is applied to the result.
    result: Option<Op>,
}

/// Lowering of instructions: operands, operations and results, with the state of the instruction
/// that is being lowered.
pub(crate) struct Lowerer<'c> {
    pub(crate) resources: Resources<'c>,
    /// Flags of the operations that are appended.
    flags: InstFlags,
    /// Conversions of the instruction.
    precision: PrecisionConversions,
    span: Span,
}

impl Lowerer<'_> {
    /// Begins an instruction of the source: sets the span of what is emitted and frees the hidden
    /// registers of the previous one.
    fn begin_inst(&mut self, line: &ResolvedInst) {
        self.span = line.span;
        self.resources.ir_map.hidden_registers.free_all();
    }
}

/// Returns a constant index; 0 if there is no index or a dynamic one.
fn const_index_or_zero(index: Index) -> u32 {
    match index {
        Index::Const(index) => index,
        Index::None | Index::Relative(_) | Index::Pair(_) => 0,
    }
}

/// Returns a source that reads lane `lane` of `src` in all lanes.
pub(crate) fn splat(src: Src, lane: u8) -> Src {
    src.swizzled(Swizzle::splat(lane))
}

/// Returns a source that fills arrays until the actual sources are known.
pub(crate) fn placeholder_source() -> Src {
    Src::new(glasm_ir::OperandBase::Literal(LiteralId::new(0)))
}

/// Returns the data of a conversion from type `from` to the nearest value, which does not saturate.
pub(crate) const fn nearest_conversion(from: Type) -> InstData {
    InstData::Cvt {
        from,
        rounding: Rounding::Even,
        saturate: false,
    }
}
