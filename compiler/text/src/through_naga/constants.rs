//! Constants that WGSL refuses: infinities and NaN, and whatever an expression of constants alone would come to while a shader is made.
//! Negative zeros are among them: compilers take them for zeros.
//!
//! Such constants are read from private variables at run time, as bits, which nothing evaluates before. That happens where a function
//! starts, because the values dominate all uses there.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V and naga have many operations and types, few of which count here"
)]

use super::interface::first_place;
use crate::rewriter::{Code, Rewriter};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};
use std::collections::{HashMap, HashSet};

/// Takes all such constants out of the functions.
pub(super) fn hide_constants(rewriter: &mut Rewriter) -> Result<(), String> {
    let mut hidden: HashSet<Word> = HashSet::new();
    for global in &rewriter.module.types_global_values {
        if let Some(id) = global.result_id
            && is_no_number(rewriter, global, &hidden)
        {
            hidden.insert(id);
        }
    }
    let mut variables = Variables::default();
    let functions = std::mem::take(&mut rewriter.module.functions);
    let mut rewritten = Vec::with_capacity(functions.len());
    for mut function in functions {
        let mut wanted = Wanted::default();
        for instruction in function
            .blocks
            .iter_mut()
            .flat_map(|block| &mut block.instructions)
        {
            let is_risky = is_risky(rewriter, instruction);
            for (place, operand) in instruction.operands.iter_mut().enumerate() {
                if let Operand::IdRef(id) = operand
                    && (hidden.contains(id) || is_risky == Some(place))
                {
                    *id = wanted.value(rewriter, *id);
                }
            }
        }
        if let Some(block) = function.blocks.first_mut() {
            let place = first_place(&block.instructions);
            let mut code = Code {
                rewriter,
                out: Vec::new(),
            };
            wanted.load(&mut code, &hidden, &mut variables);
            let loads = std::mem::take(&mut code.out);
            block.instructions.splice(place..place, loads);
        }
        rewritten.push(function);
    }
    rewriter.module.functions = rewritten;
    rewriter.remove(&hidden);
    Ok(())
}

/// Whether a constant is infinite, NaN or negative zero, or has a part that is.
fn is_no_number(rewriter: &Rewriter, global: &Instruction, hidden: &HashSet<Word>) -> bool {
    let ty = global.result_type.unwrap_or_default();
    match (global.class.opcode, &global.operands[..]) {
        (Op::Constant, [Operand::LiteralBit32(bits)]) if rewriter.is_float(ty, 32) => {
            !f32::from_bits(*bits).is_finite() || *bits == (-0f32).to_bits()
        }
        (Op::Constant, [Operand::LiteralBit64(bits)]) if rewriter.is_float(ty, 64) => {
            !f64::from_bits(*bits).is_finite() || *bits == (-0f64).to_bits()
        }
        (Op::ConstantComposite, parts) => parts
            .iter()
            .any(|part| matches!(part, Operand::IdRef(id) if hidden.contains(id))),
        _ => false,
    }
}

/// The operand that must not be a constant, because the rules for constant expressions are stricter than those for others.
fn is_risky(rewriter: &Rewriter, instruction: &Instruction) -> Option<usize> {
    let constant =
        |operand: &Operand| matches!(operand, Operand::IdRef(id) if rewriter.is_constant(*id));
    let operands = &instruction.operands;
    let all = |from: usize| {
        operands
            .get(from)
            .filter(|_| operands[from..].iter().all(constant))
            .map(|_| from)
    };
    match instruction.class.opcode {
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
        | Op::BitFieldUExtract => all(0),
        Op::ExtInst => all(2),
        // A constant second operand of 0, or one past the width, is an error whatever the first one is.
        Op::UDiv | Op::SDiv | Op::UMod | Op::SMod | Op::SRem => {
            second_has(rewriter, operands, |bits| bits == 0)
        }
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            second_has(rewriter, operands, |bits| bits >= 32)
        }
        _ => None,
    }
}

/// The second operand, if it is a constant with a component like that.
fn second_has(
    rewriter: &Rewriter,
    operands: &[Operand],
    is_bad: impl Fn(u32) -> bool,
) -> Option<usize> {
    let second = operands.get(1)?.id_ref_any()?;
    let parts = rewriter.parts(second);
    let mut bits = parts
        .iter()
        .filter_map(|part| rewriter.constant_bits(*part));
    bits.any(is_bad).then_some(1)
}

/// Variables that hold constants, by the constants.
type Variables = HashMap<Word, Word>;

/// Constants that a function reads at run time.
#[derive(Default)]
struct Wanted {
    /// In the order in which they were asked for.
    list: Vec<(Word, Word)>,
    ids: HashMap<Word, Word>,
}

impl Wanted {
    /// The id of the value that stands for a constant.
    fn value(&mut self, rewriter: &mut Rewriter, constant: Word) -> Word {
        *self.ids.entry(constant).or_insert_with(|| {
            let id = rewriter.id();
            self.list.push((constant, id));
            id
        })
    }

    fn load(self, code: &mut Code<'_>, hidden: &HashSet<Word>, variables: &mut Variables) {
        let mut scalars = HashMap::new();
        for (constant, id) in self.list {
            let ty = code.rewriter.type_of(constant);
            if !hidden.contains(&constant) {
                let variable = *variables
                    .entry(constant)
                    .or_insert_with(|| code.rewriter.private(ty, constant, "number"));
                let operands = vec![Operand::IdRef(variable)];
                code.keep(Instruction::new(Op::Load, Some(ty), Some(id), operands));
                continue;
            }
            let parts = code.rewriter.parts(constant);
            let parts: Vec<Word> = parts
                .into_iter()
                .map(|part| {
                    if !hidden.contains(&part) {
                        return part;
                    }
                    *scalars
                        .entry(part)
                        .or_insert_with(|| read(code, part, variables))
                })
                .collect();
            if let [part] = parts[..] {
                let operands = vec![Operand::IdRef(part)];
                code.keep(Instruction::new(
                    Op::CopyObject,
                    Some(ty),
                    Some(id),
                    operands,
                ));
            } else {
                let operands = parts.into_iter().map(Operand::IdRef).collect();
                code.keep(Instruction::new(
                    Op::CompositeConstruct,
                    Some(ty),
                    Some(id),
                    operands,
                ));
            }
        }
    }
}

/// The value of an infinity or a NaN, made of bits.
fn read(code: &mut Code<'_>, constant: Word, variables: &mut Variables) -> Word {
    let rewriter = &mut *code.rewriter;
    let ty = rewriter.type_of(constant);
    let value = rewriter
        .definition(constant)
        .and_then(|constant| constant.operands.first());
    let (bits, is_wide) = match value {
        Some(Operand::LiteralBit32(bits)) => (*bits, false),
        // No bits of 64 can be given, but infinities and NaN convert.
        Some(Operand::LiteralBit64(bits)) => ((f64::from_bits(*bits) as f32).to_bits(), true),
        _ => (0, false),
    };
    let name = match f32::from_bits(bits) {
        value if value.is_nan() => "nan",
        value if value > 0.0 => "infinity",
        0.0 => "minus_zero",
        _ => "minus_infinity",
    };
    let uint = rewriter.uint();
    let bits = rewriter.constant(uint, bits);
    let variable = *variables
        .entry(bits)
        .or_insert_with(|| rewriter.private(uint, bits, &format!("{name}_bits")));
    let float = rewriter.float();
    let bits = code.op(Op::Load, uint, &[variable]);
    let narrow = code.op(Op::Bitcast, float, &[bits]);
    code.rewriter.name(narrow, name);
    if is_wide {
        code.op(Op::FConvert, ty, &[narrow])
    } else {
        narrow
    }
}
