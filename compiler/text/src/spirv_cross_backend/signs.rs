//! Integers as GLSL has them where SPIR-V ignores the sign: SPIRV-Cross writes the types of a few
//! operations and variables unchanged.
//!
//! - The sample index of an image is an `int`.
//! - The factors and halves of a signed product are `int`s.
//! - `gl_InvocationID` and `gl_PatchVerticesIn` are `int`s, which GLSL converts in some versions
//!   only.

use crate::spirv_edit::{InstructionExt, ModuleEditor, SignedTypes, to_id_operands};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, ImageOperands, Op, StorageClass, Word};
use std::collections::HashMap;

/// Inserts casts of the operands and results of signed extended products, and of the sample
/// operands of images, to signed integers. Does nothing in modules without them.
pub(super) fn cast_signed_operations(editor: &mut ModuleEditor) {
    let is_signed =
        |it: &Instruction| it.op() == Op::SMulExtended || find_sample_operand(it).is_some();
    if !editor.instructions().any(is_signed) {
        return;
    }
    let mut types = SignedTypes::with_int(editor);
    // Structures of products by the types of their halves, and these types by the products.
    let mut structures: HashMap<Word, Word> = HashMap::new();
    let mut products: HashMap<Word, Word> = HashMap::new();
    editor.rewrite_instructions(|code, mut instruction| {
        if let Some(index) = find_sample_operand(&instruction) {
            types.cast_operand(code, &mut instruction, index);
        } else if instruction.op() == Op::SMulExtended {
            let structure = instruction.result_type.unwrap_or_default();
            let structure = code.editor.find_global(structure);
            let half = structure.and_then(|structure| structure.id_operand(0));
            if let Some(half) = half.and_then(|half| types.find_signed(code.editor, half)) {
                let structure = *structures.entry(half).or_insert_with(|| {
                    let halves = to_id_operands(&[half, half]);
                    code.editor.declare_global(Op::TypeStruct, None, halves)
                });
                types.cast_operand(code, &mut instruction, 0);
                types.cast_operand(code, &mut instruction, 1);
                instruction.result_type = Some(structure);
                products.extend(instruction.result_id.map(|id| (id, half)));
                return code.emit(instruction);
            }
        } else if instruction.op() == Op::CompositeExtract
            && let Some(half) = instruction
                .id_operand(0)
                .and_then(|product| products.get(&product))
        {
            code.emit_with_cast_result(instruction, *half);
            return;
        }
        code.emit_unchanged(instruction);
    });
}

/// Returns the index of the operand that is the sample index of an access to an image; `None` if it
/// has none.
fn find_sample_operand(access: &Instruction) -> Option<usize> {
    let index = match access.op() {
        Op::ImageTexelPointer => 2,
        Op::ImageRead | Op::ImageWrite => {
            // No operand precedes it in these accesses.
            let is_sample = |operand: &Operand| matches!(operand, Operand::ImageOperands(mask) if mask.contains(ImageOperands::SAMPLE));
            1 + access.operands.iter().position(is_sample)?
        }
        _ => return None,
    };
    access.id_operand(index).map(|_| index)
}

/// Changes the built-in variables `InvocationId` and `PatchVertices` to `int`s, whose loads are
/// cast to unsigned integers; indices use them without the cast.
pub(super) fn cast_signed_builtins(editor: &mut ModuleEditor) {
    let builtins = editor.collect_builtins().into_iter();
    let signed = builtins.filter_map(|(id, builtin, class)| match builtin {
        BuiltIn::InvocationId | BuiltIn::PatchVertices => Some((id, class)),
        _ => None,
    });
    let signed: HashMap<Word, StorageClass> = signed.collect();
    if signed.is_empty() {
        return;
    }
    let int = editor.intern_sint();
    editor.retype_variables(&signed, int);
    let mut ints: HashMap<Word, Word> = HashMap::new();
    editor.rewrite_instructions(|code, mut instruction| {
        let base = instruction.id_operand(0);
        if instruction.op() == Op::Load && base.is_some_and(|base| signed.contains_key(&base)) {
            let id = instruction.result_id;
            let int = code.emit_with_cast_result(instruction, int);
            ints.extend(id.map(|id| (id, int)));
            return;
        }
        if instruction.op() == Op::AccessChain {
            // Outputs of a vertex are indexed by `gl_InvocationID` itself, not by a cast of it.
            for operand in &mut instruction.operands {
                if let Operand::IdRef(id) = operand {
                    *id = ints.get(id).copied().unwrap_or(*id);
                }
            }
        }
        code.emit_unchanged(instruction);
    });
}
