//! Minima, maxima and clamps that are not exact for NaN.

use rspirv::dr::{Module, Operand};
use rspirv::spirv::{GlslStd450Op, Op};

/// Each function of which SPIR-V says what it gives for NaN, and the one that leaves it open, as GLSL does.
const LEFT_OPEN: &[(GlslStd450Op, GlslStd450Op)] = &[
    (GlslStd450Op::NMin, GlslStd450Op::FMin),
    (GlslStd450Op::NMax, GlslStd450Op::FMax),
    (GlslStd450Op::NClamp, GlslStd450Op::FClamp),
];

/// Leaves open what these functions give for NaN.
pub(super) fn leave_open(module: &mut Module) {
    let blocks = module.functions.iter_mut().flat_map(|it| &mut it.blocks);
    for instruction in blocks.flat_map(|block| &mut block.instructions) {
        // The one set of extended instructions that modules of glasm import is that of GLSL.
        if instruction.class.opcode == Op::ExtInst
            && let Some(Operand::LiteralExtInstInteger(number)) = instruction.operands.get_mut(1)
            && let Some((_, open)) = LEFT_OPEN.iter().find(|(exact, _)| *exact as u32 == *number)
        {
            *number = *open as u32;
        }
    }
}
