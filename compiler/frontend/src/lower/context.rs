//! The state of a translation, and the instructions, registers and literals that it appends.

use super::resource::Resources;
use super::tables::Tables;
use crate::ast::{Ast, Index, InstTypes};
use crate::check::{Checked, result_type};
use crate::lang::opcodes::OpcodeInfo;
use crate::line::Line;
use crate::memory::ProgramMemory;
use glasm_ir::arena::Id;
use glasm_ir::inst::{Aux, LiteralId, Rounding};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Builder, Inst, InstFlags, Op, RegisterId, Span, Src, Swizzle};

/// Memory of earlier translations.
pub(crate) type LowerMemory<'m> = (&'m mut Tables, &'m mut ProgramMemory);

/// The current instruction: the line, its table entry, and the types of the operation.
#[derive(Clone, Copy)]
pub(crate) struct InstCx<'c> {
    pub(crate) line: &'c Line,
    pub(crate) info: &'static OpcodeInfo,
    pub(crate) types: InstTypes,
    /// Type of the result.
    pub(crate) result: Type,
}

impl<'c> InstCx<'c> {
    #[inline]
    pub(super) fn new(line: &'c Line, info: &'static OpcodeInfo) -> Self {
        let types = line.types;
        Self {
            line,
            info,
            types,
            result: result_type(info, types),
        }
    }
}

/// The conversions of an instruction. The result needs only one: fixed-point values are
/// half-precision values, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Precision {
    /// Rounding operation that is applied to operands.
    pub(super) operands: Option<Op>,
    /// Rounding operation that is applied to the result.
    pub(super) result: Option<Op>,
}

/// Lowering of instructions: operands, operations and results, with the state of the instruction
/// that is being lowered.
pub(crate) struct Lowerer<'c> {
    pub(crate) resources: Resources<'c>,
    pub(super) hidden_used: [usize; 2],
    pub(super) flags: InstFlags,
    /// Conversions of the instruction.
    pub(super) precision: Precision,
    pub(super) span: Span,
}

impl<'c> Lowerer<'c> {
    pub(super) fn new(
        (ast, checked): (&'c Ast<'c>, &'c Checked),
        builder: &'c mut Builder,
        tables: &'c mut Tables,
    ) -> Self {
        let count = checked.lines.list.len();
        builder.program.insts.reserve(count);
        // Instructions have two sources on average.
        builder.program.srcs.reserve(2 * count);
        Self {
            resources: Resources {
                ast,
                checked,
                builder,
                tables,
            },
            hidden_used: [0; 2],
            flags: InstFlags::empty(),
            precision: Precision::default(),
            span: Span::default(),
        }
    }
}

impl Lowerer<'_> {
    /// Begins a line.
    #[inline]
    pub(super) fn begin_line(&mut self, line: &Line) {
        self.span = line.span;
        // Hidden registers hold no values beyond an instruction, so each instruction uses them from
        // the first on.
        self.hidden_used = [0; 2];
    }

    /// Appends an instruction.
    #[inline]
    pub(crate) fn inst(
        &mut self,
        op: Op,
        ty: Type,
        dst: Option<glasm_ir::Dst>,
        aux: Aux,
        sources: &[Src],
    ) {
        let inst = Inst {
            op,
            ty,
            flags: self.flags,
            // The builder counts the sources.
            source_count: 0,
            first_source: 0,
            dst,
            aux,
            span: self.span,
        };
        self.resources.builder.inst(inst, sources);
    }

    /// Returns a register for intermediate values of this instruction.
    pub(crate) fn hidden(&mut self, width: Width) -> RegisterId {
        // Values of 8 and 16 bits are in lanes of 32 bits, so that two pools serve all widths.
        let pool = usize::from(width == Width::W64);
        let used = self.hidden_used[pool];
        self.hidden_used[pool] += 1;
        if let Some(&register) = self.resources.tables.hidden[pool].get(used) {
            return register;
        }
        let register = self
            .resources
            .add_register(if pool == 1 { Width::W64 } else { Width::W32 });
        self.resources.tables.hidden[pool].push(register);
        register
    }
}

/// Returns a constant index; 0 without index.
pub(super) fn const_index(index: Index) -> u32 {
    match index {
        Index::Const(index) => index,
        Index::None | Index::Relative(_) | Index::Pair(_) => 0,
    }
}

/// Returns lane `lane` of a source in all lanes.
pub(crate) fn splat(src: Src, lane: u8) -> Src {
    src.swizzled(Swizzle::splat(lane))
}

/// Fills source arrays until the sources are known.
pub(crate) fn placeholder() -> Src {
    Src::new(glasm_ir::Base::Literal(LiteralId::new(0)))
}

/// Returns a conversion from `from` to the nearest value.
pub(crate) const fn nearest(from: Type) -> Aux {
    Aux::Cvt {
        from,
        rounding: Rounding::Even,
        saturate: false,
    }
}
