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

use crate::spirv_edit::{Code, InstructionExt, ModuleEditor};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{HashMap, HashSet};

/// Removes all such constants from the functions.
pub(super) fn hide_constants(editor: &mut ModuleEditor) {
    let mut hidden = Hidden::default();
    for global in &editor.module().types_global_values {
        if is_not_finite(editor, global, &hidden.constants) {
            hidden.constants.extend(global.result_id);
        }
    }
    editor.rewrite(|code, mut instruction| {
        let risky = find_risky_operand(code.editor, &instruction);
        for (index, operand) in instruction.operands.iter_mut().enumerate() {
            if let Operand::IdRef(id) = operand
                && (hidden.constants.contains(id) || risky == Some(index))
            {
                *id = code.emit_at_start(*id, |code| hidden.read(code, *id));
            }
        }
        code.keep(instruction);
    });
    editor.remove(&hidden.constants);
}

/// Returns true if a constant is infinite, NaN or negative zero, or has a component that is.
fn is_not_finite(editor: &ModuleEditor, global: &Instruction, hidden: &HashSet<Word>) -> bool {
    let ty = global.result_type.unwrap_or_default();
    let is_float = |bits| editor.has_scalar(ty, Op::TypeFloat, bits);
    match (global.op(), &global.operands[..]) {
        (Op::Constant | Op::SpecConstant, [Operand::LiteralBit32(bits)]) if is_float(32) => {
            !f32::from_bits(*bits).is_finite() || *bits == (-0f32).to_bits()
        }
        (Op::Constant | Op::SpecConstant, [Operand::LiteralBit64(bits)]) if is_float(64) => {
            !f64::from_bits(*bits).is_finite() || *bits == (-0f64).to_bits()
        }
        (Op::ConstantComposite, _) => global.ids().any(|part| hidden.contains(&part)),
        _ => false,
    }
}

/// Returns the index of the operand that must not be a constant, because the rules for constant
/// expressions are stricter than those for others.
fn find_risky_operand(editor: &ModuleEditor, instruction: &Instruction) -> Option<usize> {
    let operands = &instruction.operands;
    let is_constant =
        |operand: &Operand| matches!(operand, Operand::IdRef(id) if editor.is_constant(*id));
    let first_of_constants = |first: usize| {
        let values = operands.get(first..)?;
        (!values.is_empty() && values.iter().all(is_constant)).then_some(first)
    };
    let divisor_with = |is_bad: fn(u32) -> bool| {
        let parts = editor.parts(instruction.id(1)?);
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
struct Hidden {
    constants: HashSet<Word>,
    /// Variables that hold constants, by the constants.
    variables: HashMap<Word, Word>,
}

impl Hidden {
    /// Reads the value of a constant.
    fn read(&mut self, code: &mut Code<'_>, constant: Word) -> Word {
        let ty = code.editor.type_of(constant);
        if !self.constants.contains(&constant) {
            let variable = *self
                .variables
                .entry(constant)
                .or_insert_with(|| code.editor.declare_private(ty, constant, "number"));
            return code.emit_op(Op::Load, ty, &[variable]);
        }
        let mut parts = code.editor.parts(constant);
        for part in &mut parts {
            if self.constants.contains(part) {
                *part = self.read_bits(code, *part);
            }
        }
        let op = match parts.len() {
            1 => Op::CopyObject,
            _ => Op::CompositeConstruct,
        };
        code.emit_op(op, ty, &parts)
    }

    /// Reads the value of a scalar that is infinite, NaN or negative zero.
    fn read_bits(&mut self, code: &mut Code<'_>, constant: Word) -> Word {
        let editor = &mut *code.editor;
        let ty = editor.type_of(constant);
        let literal = editor
            .find_definition(constant)
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
            code.editor.name(value, name);
            value
        });
        if is_wide {
            code.emit_op(Op::FConvert, ty, &[narrow])
        } else {
            narrow
        }
    }
}
