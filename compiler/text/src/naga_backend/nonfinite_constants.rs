//! Constants that WGSL refuses: infinities and NaN, and results of constant expressions that are
//! evaluated while a shader is created. Negative zeros are among them: compilers treat them as
//! zeros.
//!
//! Such constants are read from private variables at run time, as bits, which nothing evaluates
//! before.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many operations, few of which count here"
)]

use crate::spirv_edit::{InstructionBuilder, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{HashMap, HashSet};

/// Replaces constants that WGSL rejects, infinities, NaN and negative zero, and operands that must
/// not be constants, by values that are read from private variables at run time. Removes the
/// constants.
pub(super) fn lower_nonfinite_constants(editor: &mut ModuleEditor) {
    let mut hidden = HiddenConstants::default();
    for global in &editor.module().types_global_values {
        if is_nonfinite_constant(editor, global, &hidden.constants) {
            hidden.constants.extend(global.result_id);
        }
    }
    editor.rewrite_instructions(|code, mut instruction| {
        let rejected = find_rejected_constant_operand(code.editor, &instruction);
        for (index, operand) in instruction.operands.iter_mut().enumerate() {
            if let Operand::IdRef(id) = operand
                && (hidden.constants.contains(id) || rejected == Some(index))
            {
                *id = code.emit_at_start(*id, |code| hidden.emit_value(code, *id));
            }
        }
        code.emit_unchanged(instruction);
    });
    editor.remove_globals(&hidden.constants);
}

/// Returns true if a constant is infinite, NaN or negative zero, or has a component that is in
/// `hidden`.
fn is_nonfinite_constant(
    editor: &ModuleEditor,
    global: &Instruction,
    hidden: &HashSet<Word>,
) -> bool {
    let ty = global.result_type.unwrap_or_default();
    let is_float = |bits| editor.has_scalar_type(ty, Op::TypeFloat, bits);
    match (global.op(), &global.operands[..]) {
        (Op::Constant | Op::SpecConstant, [Operand::LiteralBit32(bits)]) if is_float(32) => {
            !f32::from_bits(*bits).is_finite() || *bits == (-0f32).to_bits()
        }
        (Op::Constant | Op::SpecConstant, [Operand::LiteralBit64(bits)]) if is_float(64) => {
            !f64::from_bits(*bits).is_finite() || *bits == (-0f64).to_bits()
        }
        (Op::ConstantComposite, _) => global.id_operands().any(|part| hidden.contains(&part)),
        _ => false,
    }
}

/// Returns the index of the operand that must not be a constant in WGSL, because the rules for
/// constant expressions are stricter than those for others; `None` if all may remain.
fn find_rejected_constant_operand(
    editor: &ModuleEditor,
    instruction: &Instruction,
) -> Option<usize> {
    let operands = &instruction.operands;
    let is_constant =
        |operand: &Operand| matches!(operand, Operand::IdRef(id) if editor.is_constant(*id));
    let first_of_constants = |first: usize| {
        let values = operands.get(first..)?;
        (!values.is_empty() && values.iter().all(is_constant)).then_some(first)
    };
    let divisor_with = |is_bad: fn(u32) -> bool| {
        let parts = editor.constant_components(instruction.id_operand(1)?);
        let mut bits = parts.iter().filter_map(|part| editor.constant_bits(*part));
        bits.any(is_bad).then_some(1)
    };
    match instruction.op() {
        // Results may be infinite, NaN, or out of range.
        Op::FAdd
        | Op::FSub
        | Op::FMul
        | Op::FDiv
        | Op::FRem
        | Op::FMod
        | Op::Dot
        | Op::ConvertFToS
        | Op::ConvertFToU
        | Op::FConvert
        | Op::Bitcast
        | Op::BitFieldInsert
        | Op::BitFieldSExtract
        | Op::BitFieldUExtract => first_of_constants(0),
        Op::ExtInst => first_of_constants(2),
        // A constant second operand of 0, or one of the width or more, is an error for any first
        // one.
        Op::UDiv | Op::SDiv | Op::UMod | Op::SMod | Op::SRem => divisor_with(|bits| bits == 0),
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            divisor_with(|bits| bits >= 32)
        }
        _ => None,
    }
}

/// Constants that are not in the module any more, and the variables that replace them.
#[derive(Default)]
struct HiddenConstants {
    constants: HashSet<Word>,
    /// Variables that hold constants, by the constants.
    variables: HashMap<Word, Word>,
}

impl HiddenConstants {
    /// Emits code that reads the value of a constant, or its rejected components, from a private
    /// variable, and returns the id of the value.
    fn emit_value(&mut self, code: &mut InstructionBuilder<'_>, constant: Word) -> Word {
        let ty = code.editor.type_of(constant);
        if !self.constants.contains(&constant) {
            let variable = *self
                .variables
                .entry(constant)
                .or_insert_with(|| code.editor.declare_private(ty, constant, "number"));
            return code.emit_op(Op::Load, ty, &[variable]);
        }
        let mut parts = code.editor.constant_components(constant);
        for part in &mut parts {
            if self.constants.contains(part) {
                *part = self.emit_scalar(code, *part);
            }
        }
        let op = match parts.len() {
            1 => Op::CopyObject,
            _ => Op::CompositeConstruct,
        };
        code.emit_op(op, ty, &parts)
    }

    /// Emits code that reads the value of a scalar that is infinite, NaN or negative zero from a
    /// private variable with its bits, at the start of the function, and returns the value. 64-bit
    /// values are converted from 32 bits.
    fn emit_scalar(&mut self, code: &mut InstructionBuilder<'_>, constant: Word) -> Word {
        let editor = &mut *code.editor;
        let ty = editor.type_of(constant);
        let literal = editor
            .find_global(constant)
            .and_then(|it| it.operands.first());
        let (bits, is_wide) = match literal {
            Some(Operand::LiteralBit32(bits)) => (*bits, false),
            // WGSL has no casts from 64 bits, but infinities and NaN convert.
            Some(Operand::LiteralBit64(bits)) => ((f64::from_bits(*bits) as f32).to_bits(), true),
            _ => (0, false),
        };
        let name = match f32::from_bits(bits) {
            value if value.is_nan() => "nan",
            value if value > 0.0 => "infinity",
            0.0 => "minus_zero",
            _ => "minus_infinity",
        };
        let uint = editor.intern_uint();
        let bits = editor.intern_constant(uint, bits);
        let variable = *self
            .variables
            .entry(bits)
            .or_insert_with(|| editor.declare_private(uint, bits, &format!("{name}_bits")));
        let narrow = code.emit_at_start(variable, |code| {
            let float = code.editor.intern_float();
            let bits = code.emit_op(Op::Load, uint, &[variable]);
            let value = code.emit_op(Op::Bitcast, float, &[bits]);
            code.editor.set_name(value, name);
            value
        });
        if is_wide {
            code.emit_op(Op::FConvert, ty, &[narrow])
        } else {
            narrow
        }
    }
}
