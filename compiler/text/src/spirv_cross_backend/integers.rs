//! Operations on 64-bit integers as GLSL compilers accept them.

use crate::spirv_edit::{
    InstructionBuilder, InstructionExt, ModuleEditor, VectorShape, to_id_operands,
};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{GlslStd450Op as GlslOp, Op};

/// Converts the bit counts of shifts of 64-bit integers to words, by components for vectors: GLSL
/// does not have 64-bit ones (ARB_gpu_shader_int64, section 5.9). The high word has no effect, as
/// no program shifts by 64 or more: SPIR-V leaves that undefined.
pub(super) fn lower_int64_shift_counts(editor: &mut ModuleEditor) {
    const SHIFTS: &[Op] = &[
        Op::ShiftLeftLogical,
        Op::ShiftRightLogical,
        Op::ShiftRightArithmetic,
    ];
    if !editor.has_op(SHIFTS) {
        return;
    }
    editor.rewrite_instructions(|code, shift| {
        let operands = shift
            .id_operand(0)
            .zip(shift.id_operand(1))
            .zip(shift.result_type);
        match operands {
            Some(((value, count), ty)) if SHIFTS.contains(&shift.op()) => {
                let is_wide = |ty| code.editor.has_scalar_type(ty, Op::TypeInt, 64);
                let of_count = code.editor.type_of(count);
                if !is_wide(of_count) || !is_wide(ty) {
                    return code.emit_unchanged(shift);
                }
                let [result, scalar] = [ty, of_count].map(|ty| code.editor.type_shape(ty));
                if scalar.size == 1 {
                    return emit_narrow_shift(code, shift);
                }
                // SPIRV-Cross would write two words for one component of a vector of counts.
                let mut parts = Vec::with_capacity(scalar.size as usize);
                for lane in 0..scalar.size {
                    let operands = [(value, result), (count, scalar)].map(
                        |(id, VectorShape { scalar, .. })| {
                            let part = vec![Operand::IdRef(id), Operand::LiteralBit32(lane)];
                            code.emit_op_with(Op::CompositeExtract, scalar, part)
                        },
                    );
                    let id = code.editor.new_id();
                    let (op, ty) = (shift.op(), Some(result.scalar));
                    emit_narrow_shift(
                        code,
                        Instruction::new(op, ty, Some(id), to_id_operands(&operands)),
                    );
                    parts.push(id);
                }
                code.replace_with_op(&shift, Op::CompositeConstruct, to_id_operands(&parts));
            }
            _ => code.emit_unchanged(shift),
        }
    });
}

/// Emits a shift of a scalar by a 64-bit count, which is converted to a word.
fn emit_narrow_shift(code: &mut InstructionBuilder<'_>, mut shift: Instruction) {
    let word = code.editor.intern_uint();
    let count = shift.operands[1].clone();
    shift.operands[1] = Operand::IdRef(code.emit_op_with(Op::UConvert, word, vec![count]));
    code.emit(shift);
}

/// Returns the comparisons of a value with the bounds of a minimum, maximum or clamp of integers
/// that hold for values beyond them, in the order of its operands; none for other instructions.
fn get_minmax_comparisons(instruction: &Instruction) -> &'static [Op] {
    const FUNCTIONS: [(GlslOp, &[Op]); 6] = [
        (GlslOp::SMax, &[Op::SLessThan]),
        (GlslOp::SMin, &[Op::SGreaterThan]),
        (GlslOp::SClamp, &[Op::SLessThan, Op::SGreaterThan]),
        (GlslOp::UMax, &[Op::ULessThan]),
        (GlslOp::UMin, &[Op::UGreaterThan]),
        (GlslOp::UClamp, &[Op::ULessThan, Op::UGreaterThan]),
    ];
    let found = FUNCTIONS
        .iter()
        .find(|(it, _)| instruction.is_glsl_inst(*it));
    found.map_or(&[], |(_, bounds)| bounds)
}

/// Replaces minima, maxima and clamps of 64-bit integers by selections: Mesa's compiler of GLSL
/// (22.3) ends the process where two of them with constant bounds are nested, as those of a clamp
/// are.
pub(super) fn lower_int64_minmax(editor: &mut ModuleEditor) {
    editor.rewrite_instructions(|code, function| {
        let bounds = get_minmax_comparisons(&function);
        let (Some(mut value), Some(ty)) = (function.id_operand(2), function.result_type) else {
            return code.emit_unchanged(function);
        };
        if bounds.is_empty() || !code.editor.has_scalar_type(ty, Op::TypeInt, 64) {
            return code.emit_unchanged(function);
        }
        let size = code.editor.type_shape(ty).size;
        let limits: Vec<_> = function.id_operands().skip(2).collect();
        for (index, (beyond, limit)) in bounds.iter().zip(&limits).enumerate() {
            let bool = code.editor.intern_bool();
            let bools = code.editor.intern_vector(bool, size);
            let is_beyond = code.emit_op(*beyond, bools, &[value, *limit]);
            let selection = [is_beyond, *limit, value];
            if index + 1 == bounds.len() {
                code.replace_with_op(&function, Op::Select, to_id_operands(&selection));
            } else {
                value = code.emit_op(Op::Select, ty, &selection);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use rspirv::dr::Builder;
    use rspirv::spirv::FunctionControl;

    #[test]
    fn wide_numbers_of_shifts_become_words() {
        let mut builder = Builder::new();
        let void = builder.type_void();
        let kind = builder.type_function(void, []);
        let long = builder.type_int(64, 0);
        let two = builder.type_vector(long, 2);
        let three = builder.constant_bit64(long, 3);
        let both = builder.constant_composite(two, [three, three]);
        let begun = builder.begin_function(void, None, FunctionControl::NONE, kind);
        begun.unwrap();
        builder.begin_block(None).unwrap();
        builder.shift_left_logical(two, None, both, both).unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let mut editor = ModuleEditor::new(builder.module());
        lower_int64_shift_counts(&mut editor);

        // Two of each component's operands, its word, its shift; then the vector and the end.
        let component = [
            Op::CompositeExtract,
            Op::CompositeExtract,
            Op::UConvert,
            Op::ShiftLeftLogical,
        ];
        let expected = [
            &component[..],
            &component,
            &[Op::CompositeConstruct, Op::Return],
        ];
        assert_eq!(editor.collect_ops(), expected.concat());
        let word = [Operand::LiteralBit32(32), Operand::LiteralBit32(0)];
        let types = &editor.module().types_global_values;
        let word = types.iter().find(|it| it.operands == word).unwrap();
        let mut converts = editor.instructions();
        let convert = converts.find(|it| it.op() == Op::UConvert).unwrap();
        assert_eq!(convert.result_type, word.result_id);
    }

    /// Returns the operations of a function that calls `function` of a value and limits, all of a
    /// type.
    fn ops_of(function: GlslOp, limits: usize, width: u32, size: u32) -> Vec<Op> {
        let mut builder = Builder::new();
        let set = builder.ext_inst_import("GLSL.std.450");
        let void = builder.type_void();
        let kind = builder.type_function(void, []);
        let mut ty = builder.type_int(width, 0);
        if size > 1 {
            ty = builder.type_vector(ty, size);
        }
        let value = builder.undef(ty, None);
        builder
            .begin_function(void, None, FunctionControl::NONE, kind)
            .unwrap();
        builder.begin_block(None).unwrap();
        let operands = vec![Operand::IdRef(value); 1 + limits];
        builder
            .ext_inst(ty, None, set, function as u32, operands)
            .unwrap();
        builder.ret().unwrap();
        builder.end_function().unwrap();
        let mut editor = ModuleEditor::new(builder.module());
        lower_int64_minmax(&mut editor);
        let types = editor.module().types_global_values.iter();
        let bools = types.map(|it| it.op()).filter(|op| *op == Op::TypeBool);
        editor.collect_ops().into_iter().chain(bools).collect()
    }

    #[test]
    fn clamps_of_wide_integers_are_two_selections() {
        let (below, above) = (Op::SLessThan, Op::SGreaterThan);
        let both = [
            below,
            Op::Select,
            above,
            Op::Select,
            Op::Return,
            Op::TypeBool,
        ];
        assert_eq!(ops_of(GlslOp::SClamp, 2, 64, 1), both);
        assert_eq!(ops_of(GlslOp::SClamp, 2, 64, 3), both);
        let one = [Op::UGreaterThan, Op::Select, Op::Return, Op::TypeBool];
        assert_eq!(ops_of(GlslOp::UMin, 1, 64, 2), one);
    }

    #[test]
    fn other_integers_and_functions_stay() {
        let unchanged = [Op::ExtInst, Op::Return];
        assert_eq!(ops_of(GlslOp::SClamp, 2, 32, 1), unchanged);
        assert_eq!(ops_of(GlslOp::SAbs, 0, 64, 1), unchanged);
    }
}
