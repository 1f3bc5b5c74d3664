//! The precision of instructions of NV_fragment_program: operands and results are converted to it.
//! NV_fragment_program sections 3.11.4.2 to 3.11.4.4.

use super::Lowerer;
use super::context::Precision;
use super::formula::Formulas;
use super::resource::Resources;
use crate::ast::Index;
use crate::check::{COLH, VarKind};
use crate::lang::modifiers::Mods;
use crate::lang::opcodes::{Expansion, Lower, OpcodeInfo};
use crate::line::{Line, Source, Target, Value};
use glasm_ir::types::Type;
use glasm_ir::{Op, Semantic, Src};

impl Resources<'_> {
    /// Returns true if the language is one whose precisions are exact.
    pub(super) fn has_exact_precision(&self) -> bool {
        self.ast.dialect.facts().exact_precision
    }

    /// Returns the conversions of an instruction that has a suffix for precision, or may write a
    /// register of half precision.
    pub(super) fn find_precision(&self, line: &Line, info: &OpcodeInfo) -> Precision {
        let stored = line.dst.filter(|dst| self.is_half_result(dst));
        let stored = stored.map(|_| Op::RoundHalf);
        let mods = line.modifiers.mods();
        let computed = if mods.contains(Mods::FIXED) {
            Some(Op::RoundFixed)
        } else if mods.contains(Mods::HALF) {
            Some(Op::RoundHalf)
        } else if mods.contains(Mods::FULL) {
            None
        } else {
            stored
        };
        // Fog and texture coordinates override any suffix. NV_fragment_program section 3.11.4.2.
        let computed = computed.filter(|_| !self.is_full_precision(line, info));
        // One conversion suffices: a fixed-point number is a half-precision number, and where the
        // precision is half, the register has half precision or more.
        let result = computed.or(stored);
        Precision {
            operands: computed.filter(|_| rounds_operands(info.lower)),
            result: result.filter(|_| !gives_truth(info.lower)),
        }
    }

    /// Returns true if a result is a register of half precision.
    fn is_half_result(&self, dst: &Target) -> bool {
        let kind = self.checked.vars[dst.var as usize].kind;
        if matches!(kind, VarKind::Result { .. }) {
            dst.index == Index::Const(COLH)
        } else {
            self.tables.is_short(dst.var)
        }
    }

    /// Returns true if an instruction has 32 bits regardless of its suffix and its result: lookups,
    /// packing, and reads of fog or texture coordinates.
    fn is_full_precision(&self, line: &Line, info: &OpcodeInfo) -> bool {
        let takes_suffix = info.mods.contains(Mods::HALF);
        let sources = self.checked.lines.sources(line);
        !takes_suffix || sources.iter().any(|source| self.is_coordinate(source))
    }

    /// Returns true if an operand is f[FOGC] or f[TEX0] to f[TEX7].
    fn is_coordinate(&self, source: &Source) -> bool {
        // Attributes of these programs have no dynamic index.
        let (Some((_, var)), Index::Const(number)) =
            (self.checked.variable(source.base), source.index)
        else {
            return false;
        };
        let VarKind::Attrib { first } = var.kind else {
            return false;
        };
        let semantic = self.checked.attribs[(first + number) as usize].semantic;
        matches!(semantic, Semantic::FogCoord | Semantic::TexCoord(_))
    }
}

impl Lowerer<'_> {
    /// Returns an operand at the precision of the instruction.
    #[inline(never)]
    pub(super) fn round_operand(&mut self, operand: &Source, op: Op, value: Src) -> Src {
        let is_half =
            matches!(operand.base, Value::Var(var) if self.resources.tables.is_short(var));
        // A short register holds numbers of half precision only. Fixed point has a different range.
        if is_half && op == Op::RoundHalf {
            value
        } else {
            self.compute(op, Type::F32, &[value])
        }
    }
}

/// Returns true if operands are converted separately from the result: moves convert once.
fn rounds_operands(lower: Lower) -> bool {
    !matches!(lower, Lower::Op(Op::Mov))
}

/// Returns true if results are 0 or 1, which every format has.
fn gives_truth(lower: Lower) -> bool {
    matches!(
        lower,
        Lower::Op(Op::SetEq | Op::SetGe | Op::SetGt | Op::SetLe | Op::SetLt | Op::SetNe)
            | Lower::Expand(Expansion::SetFalse | Expansion::SetTrue)
    )
}
