//! The state of a translation, and the instructions, registers and literals that all of it makes.

use super::tables::Tables;
use crate::ast::{Index as AstIndex, InstTypes};
use crate::kept::Scratch;
use crate::lang::opcodes::OpcodeInfo;
use crate::line::Line;
use crate::rules::Checked;
use crate::source::Family;
use glasm_ir::arena::Id;
use glasm_ir::inst::{Aux, LiteralId, Rounding};
use glasm_ir::structurize::StepBound;
use glasm_ir::types::{Type, Width};
use glasm_ir::{Builder, Inst, InstFlags, Op, Register, RegisterId, Span, Src, Storage, WriteMask};

/// The instruction being translated: the line, its row, and the types that it works with.
#[derive(Clone, Copy)]
pub(crate) struct InstCx<'c> {
    pub(crate) line: &'c Line,
    pub(crate) info: &'static OpcodeInfo,
    pub(crate) types: InstTypes,
    /// Type of the result.
    pub(crate) result: Type,
}

/// State of the translation.
pub(crate) struct Lowerer<'c> {
    pub(crate) checked: &'c Checked<'c>,
    pub(crate) builder: Builder,
    pub(super) tables: Tables,
    pub(super) condition_codes: [Option<RegisterId>; 3],
    pub(super) kill_code: Option<RegisterId>,
    pub(super) hidden_used: [usize; 2],
    pub(super) flags: InstFlags,
    pub(super) span: Span,
    /// See [`Source::step_limit`](crate::Source::step_limit).
    pub(super) step_limit: Option<u32>,
    /// The count of executed instructions that ends loops, in programs that need one.
    pub(super) bound: Option<StepBound>,
}

impl<'c> Lowerer<'c> {
    pub(super) fn new(checked: &'c Checked<'c>, scratch: &mut Scratch) -> Self {
        let mut program = scratch.program(checked.ast.dialect.stage());
        let count = checked.lines.list.len();
        // Some instructions become several. Too small a guess only costs a reallocation.
        program.insts.reserve(count + count / 4);
        program
            .srcs
            .reserve(checked.lines.sources.len() + count / 2);
        let mut tables = std::mem::take(&mut scratch.lowering);
        tables.clear();
        let mut places = 0;
        let first_place = checked.vars.iter().map(|var| {
            if !var.has_places() {
                return NO_PLACE;
            }
            let first = places;
            // An array with run-time index is one register or one run of slots; else each element has a place of its own.
            places += if var.relative {
                1
            } else {
                var.array.unwrap_or(1)
            };
            first
        });
        tables.first_place.extend(first_place);
        tables.places.resize(places as usize, None);
        Self {
            checked,
            builder: Builder::new(program),
            tables,
            condition_codes: [None; 3],
            kill_code: None,
            hidden_used: [0; 2],
            flags: InstFlags::empty(),
            span: Span::default(),
            step_limit: checked.step_limit,
            bound: None,
        }
    }

    /// Whether the program is of the ARB family.
    pub(crate) fn is_arb(&self) -> bool {
        self.checked.ast.dialect.family() == Family::Arb
    }

    /// Begins an instruction.
    #[inline]
    pub(super) fn cx(&mut self, number: u32) -> InstCx<'c> {
        let checked = self.checked;
        let line = &checked.lines.list[number as usize];
        let (info, types) = (line.opcode.info(), line.types);
        self.span = line.span;
        // Hidden registers hold nothing beyond an instruction, so each one uses them from the first on.
        self.hidden_used = [0; 2];
        InstCx {
            line,
            info,
            types,
            result: crate::rules::result_type(info, types),
        }
    }

    /// What a variable or an element of an array is in the IR. `None` if it has no place there yet, if its width differs from `width`
    /// and it must be converted, or if the index is computed at run time.
    #[inline]
    pub(super) fn known_place(
        &self,
        var: u32,
        index: AstIndex,
        width: Width,
    ) -> Option<glasm_ir::Base> {
        let element = match index {
            AstIndex::None => 0,
            AstIndex::Const(element) => element,
            AstIndex::Relative(_) | AstIndex::Pair(_) => return None,
        };
        let info = &self.checked.vars[var as usize];
        if info.is_long() != (width == Width::W64) || info.relative {
            return None;
        }
        self.tables
            .places
            .get(self.tables.first_place[var as usize] as usize + element as usize)
            .copied()
            .flatten()
    }

    /// Appends an instruction that writes lanes of a hidden register.
    pub(crate) fn put(
        &mut self,
        register: RegisterId,
        mask: WriteMask,
        op: Op,
        ty: Type,
        sources: &[Src],
    ) {
        self.inst(
            op,
            ty,
            Some(glasm_ir::Dst::new(register, mask)),
            Aux::None,
            sources,
        );
    }

    /// A hidden register that holds the result of an operation in all lanes.
    pub(crate) fn compute(&mut self, op: Op, ty: Type, sources: &[Src]) -> Src {
        let register = self.hidden(ty.width());
        self.put(register, WriteMask::XYZW, op, ty, sources);
        Src::register(register)
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
        let slot = usize::from(number).min(self.condition_codes.len() - 1);
        if let Some(register) = self.condition_codes[slot] {
            return register;
        }
        let register = self.new_condition_code();
        self.condition_codes[slot] = Some(register);
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

    /// The literal vector with these bits.
    pub(crate) fn literal_id(&mut self, bits: [u64; 4]) -> LiteralId {
        let program = &mut self.builder.program;
        *self
            .tables
            .literals
            .entry(bits)
            .or_insert_with(|| program.literals.push(bits))
    }

    /// The same bits in all lanes.
    pub(crate) fn bits(&mut self, bits: u64) -> Src {
        Src::new(glasm_ir::Base::Literal(self.literal_id([bits; 4])))
    }

    /// A float in all lanes.
    pub(crate) fn float(&mut self, value: f32) -> Src {
        self.bits(u64::from(value.to_bits()))
    }
}

/// First place of variables that have none.
const NO_PLACE: u32 = u32::MAX;

/// Fills source arrays until the sources are known.
pub(crate) fn placeholder() -> Src {
    Src::new(glasm_ir::Base::Literal(LiteralId::new(0)))
}

/// A conversion from `from` to the nearest value.
pub(super) const fn nearest(from: Type) -> Aux {
    Aux::Cvt {
        from,
        rounding: Rounding::Even,
        saturate: false,
    }
}
