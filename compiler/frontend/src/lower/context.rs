//! The state of a translation, and the instructions, registers and literals that all of it makes.

use super::tables::Tables;
use crate::ast::{Ast, Index, InstTypes};
use crate::check::{Checked, result_type};
use crate::lang::opcodes::OpcodeInfo;
use crate::line::Line;
use crate::memory::ProgramMemory;
use crate::vars::Var;
use glasm_ir::arena::Id;
use glasm_ir::inst::{Aux, LiteralId, Rounding};
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Builder, Inst, InstFlags, Op, ParamId, ParamSource, Register, RegisterId, Span, Src, Storage,
    Swizzle,
};

/// LowerMemory of the translations before.
pub(crate) type LowerMemory<'m> = (&'m mut Tables, &'m mut ProgramMemory);

/// The instruction being translated: the line, its row, and the types that it works with.
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

/// The conversions of an instruction. Those of the result are one: values of fixed point are values of half precision, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Precision {
    /// What operands go through.
    pub(super) operands: Option<Op>,
    /// What the result goes through.
    pub(super) result: Option<Op>,
}

/// Lowering of a program, with the state of the instruction that is being lowered.
pub(crate) struct Lowerer<'c> {
    pub(crate) ast: &'c Ast<'c>,
    pub(crate) checked: &'c Checked,
    pub(crate) builder: &'c mut Builder,
    pub(super) tables: &'c mut Tables,
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
            ast,
            checked,
            builder,
            tables,
            hidden_used: [0; 2],
            flags: InstFlags::empty(),
            precision: Precision::default(),
            span: Span::default(),
        }
    }

    /// Begins a line.
    #[inline]
    pub(super) fn begin_line(&mut self, line: &Line) {
        self.span = line.span;
        // Hidden registers hold nothing beyond an instruction, so each one uses them from the first on.
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
            // The builder knows where the sources are.
            source_count: 0,
            first_source: 0,
            dst,
            aux,
            span: self.span,
        };
        self.builder.inst(inst, sources);
    }

    /// A register for intermediate values of this instruction.
    pub(crate) fn hidden(&mut self, width: Width) -> RegisterId {
        // Values of 8 and 16 bits stand in lanes of 32 bits, so that two pools serve all widths.
        let pool = usize::from(width == Width::W64);
        let used = self.hidden_used[pool];
        self.hidden_used[pool] += 1;
        if let Some(&register) = self.tables.hidden[pool].get(used) {
            return register;
        }
        let register = self.new_register(if pool == 1 { Width::W64 } else { Width::W32 });
        self.tables.hidden[pool].push(register);
        register
    }

    /// A register of its own.
    pub(crate) fn new_register(&mut self, width: Width) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage: Storage::Temp,
            width,
            array: None,
            name: None,
        })
    }

    /// The condition-code register `number`.
    pub(crate) fn condition_code(&mut self, number: u8) -> RegisterId {
        // Tests name no other registers than CC0, CC1 and the sparse one; the bound only keeps this from being a panic.
        let slot = usize::from(number).min(self.tables.condition_codes.len() - 1);
        if let Some(register) = self.tables.condition_codes[slot] {
            return register;
        }
        let register = self.new_condition_code();
        self.tables.condition_codes[slot] = Some(register);
        register
    }

    pub(super) fn new_condition_code(&mut self) -> RegisterId {
        let register = Register {
            storage: Storage::Cond,
            width: Width::W32,
            array: None,
            name: None,
        };
        self.builder.program.registers.push(register)
    }

    /// The slot of a parameter that is not in an array.
    pub(super) fn param_id(&mut self, source: ParamSource) -> ParamId {
        let program = &mut self.builder.program;
        *self
            .tables
            .params
            .entry(source)
            .or_insert_with(|| program.params.push(glasm_ir::Param { source }))
    }

    pub(super) fn named_register(&mut self, info: &Var, array: Option<u32>) -> RegisterId {
        self.register_of(info, (Storage::Temp, info.width()), array)
    }

    /// A register with the name of a variable.
    #[inline]
    pub(super) fn register_of(
        &mut self,
        info: &Var,
        (storage, width): (Storage, Width),
        array: Option<u32>,
    ) -> RegisterId {
        let name = info.name.map(|name| {
            let text = self.ast.names.word(name);
            self.builder.program.names.push(text)
        });
        self.builder.program.registers.push(Register {
            storage,
            width,
            array,
            name,
        })
    }

    /// The literal vector with these bits.
    pub(crate) fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        let program = &mut self.builder.program;
        *self
            .tables
            .literals
            .entry(bits)
            .or_insert_with(|| program.literals.push(bits))
    }
}

/// A constant index; 0 without index.
pub(super) fn const_index(index: Index) -> u32 {
    match index {
        Index::Const(index) => index,
        Index::None | Index::Relative(_) | Index::Pair(_) => 0,
    }
}

/// Lane `lane` of a source in all lanes.
pub(crate) fn splat(src: Src, lane: u8) -> Src {
    src.swizzled(Swizzle::splat(lane))
}

/// Fills source arrays until the sources are known.
pub(crate) fn placeholder() -> Src {
    Src::new(glasm_ir::Base::Literal(LiteralId::new(0)))
}

/// A conversion from `from` to the nearest value.
pub(crate) const fn nearest(from: Type) -> Aux {
    Aux::Cvt {
        from,
        rounding: Rounding::Even,
        saturate: false,
    }
}
