//! Splits combined image samplers of a module into images and samplers, because naga reads no
//! others.
//!
//! Every variable of a sampled-image type becomes a variable of the image type with the same id,
//! and gets a companion for the sampler, whose binding is [`SAMPLER_BINDING_OFFSET`] higher. Every
//! load becomes a load of both and an `OpSampledImage` with the id of the old load.

use crate::spirv_edit::{
    Companion, InstructionBuilder, InstructionExt, ModuleEditor, to_id_operands,
};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass, Word};
use std::collections::HashMap;

/// Difference between the binding of a texture, which is its unit, and that of its sampler.
pub(crate) const SAMPLER_BINDING_OFFSET: u32 = glasm::frontend::lang::limits::TEXTURE_UNITS;

/// Splits each combined image sampler, and each array of them, into an image and a sampler, whose
/// name has the suffix `_sampler` and whose binding is greater by [`SAMPLER_BINDING_OFFSET`].
pub(super) fn split_combined_samplers(editor: &mut ModuleEditor) {
    let mut separation = SamplerSplit::default();
    editor.rewrite_globals(|editor, global| separation.split_global(editor, global));
    if separation.image_types.is_empty() {
        return;
    }
    editor.rewrite_instructions(|code, instruction| separation.split_access(code, instruction));
    let make_companion = |(&of, &id): (&Word, &Word)| {
        let companion = Companion {
            id,
            suffix: "_sampler".to_owned(),
            binding_offset: SAMPLER_BINDING_OFFSET,
        };
        (of, companion)
    };
    editor.decorate_companions(
        &separation
            .sampler_companions
            .iter()
            .map(make_companion)
            .collect(),
    );
}

/// Types and pointers that are split.
#[derive(Default)]
struct SamplerSplit {
    /// Image types of sampled-image types.
    image_types: HashMap<Word, Word>,
    /// Sampler types of sampled-image types, and of the arrays and pointers of such types.
    sampler_types: HashMap<Word, Word>,
    /// Companions of variables and of pointers into them.
    sampler_companions: HashMap<Word, Word>,
}

impl SamplerSplit {
    /// Adds a type, variable or other global; for combined image samplers also the type or variable
    /// of the separate sampler.
    fn split_global(&mut self, editor: &mut ModuleEditor, global: Instruction) {
        let uniform = Some(&Operand::StorageClass(StorageClass::UniformConstant));
        if global.op() == Op::TypeSampledImage {
            let sampler = editor.intern_global(Op::TypeSampler, None, vec![]);
            self.image_types
                .extend(global.result_id.zip(global.id_operand(0)));
            self.sampler_types
                .extend(global.result_id.map(|id| (id, sampler)));
            editor.add_global(global);
        } else if matches!(global.op(), Op::TypeArray | Op::TypeRuntimeArray) {
            self.split_type(editor, global, 0);
        } else if global.op() == Op::TypePointer && global.operands.first() == uniform {
            self.split_type(editor, global, 1);
        } else if global.op() == Op::Variable {
            let ty = global
                .result_type
                .and_then(|ty| self.sampler_types.get(&ty).copied());
            let (id, operands) = (global.result_id, global.operands.clone());
            editor.add_global(global);
            if let (Some(ty), Some(id)) = (ty, id) {
                let companion = editor.declare_global(Op::Variable, Some(ty), operands);
                self.sampler_companions.insert(id, companion);
            }
        } else {
            editor.add_global(global);
        }
    }

    /// Adds, for operand `index` of an array or pointer type of combined image samplers, that type
    /// with images, and one with samplers, which it records. Other types are added unchanged.
    fn split_type(&mut self, editor: &mut ModuleEditor, mut ty: Instruction, index: usize) {
        let element = ty.id_operand(index).unwrap_or_default();
        let Some(&sampler) = self.sampler_types.get(&element) else {
            return editor.add_global(ty);
        };
        let (op, id, mut operands) = (ty.op(), ty.result_id, ty.operands.clone());
        // An array of sampled images is an array of images already: its id stays.
        let image = self.image_types.get(&element).copied().unwrap_or(element);
        ty.operands[index] = Operand::IdRef(image);
        editor.add_global(ty);
        operands[index] = Operand::IdRef(sampler);
        let companion = editor.declare_global(op, None, operands);
        self.sampler_types.extend(id.map(|id| (id, companion)));
    }

    /// Emits an instruction, with its companion if it is an access chain to a combined image
    /// sampler; a load of one becomes loads of image and sampler and their combination.
    fn split_access(&mut self, code: &mut InstructionBuilder<'_>, access: Instruction) {
        let base = access
            .id_operand(0)
            .and_then(|base| self.sampler_companions.get(&base).copied());
        let ty = access.result_type.unwrap_or_default();
        match (access.op(), base) {
            (op @ (Op::AccessChain | Op::InBoundsAccessChain), Some(base)) => {
                if let Some(&sampler) = self.sampler_types.get(&ty) {
                    let mut operands = access.operands.clone();
                    operands[0] = Operand::IdRef(base);
                    let companion = code.emit_op_with(op, sampler, operands);
                    self.sampler_companions
                        .extend(access.result_id.map(|id| (id, companion)));
                }
                code.emit_unchanged(access);
            }
            (Op::Load, Some(base)) => {
                let image = self.image_types.get(&ty).copied().unwrap_or_default();
                let sampler = self.sampler_types.get(&ty).copied().unwrap_or_default();
                let image = code.emit_op_with(Op::Load, image, access.operands[..1].to_vec());
                let sampler = code.emit_op(Op::Load, sampler, &[base]);
                code.replace_with_op(&access, Op::SampledImage, to_id_operands(&[image, sampler]));
            }
            _ => code.emit_unchanged(access),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm::{Options, Source};
    use rspirv::dr::load_words;
    use rspirv::spirv::Decoration;

    #[test]
    fn modules_without_textures_stay_as_they_are() {
        let program = "!!NVfp5.0\nMOV result.color, fragment.position;\nEND";
        let words = glasm::compile(&Source::new("a", program), &Options::default())
            .unwrap()
            .words;
        let mut editor = ModuleEditor::new(load_words(&words).unwrap());
        split_combined_samplers(&mut editor);
        // The third word names the tool that wrote the module.
        assert_eq!(editor.assemble()[3..], words[3..]);
    }

    #[test]
    fn separated_modules_are_valid() {
        let program = "!!NVfp5.0\nTEMP r;\nTEX r, fragment.texcoord[0], texture[1], 2D;\n\
                       TXF result.color, r, texture[2], 3D;\nEND";
        for target in [glasm::Target::Vulkan1_1, glasm::Target::Vulkan1_3] {
            let options = Options {
                target,
                ..Options::default()
            };
            let words = glasm::compile(&Source::new("a", program), &options)
                .unwrap()
                .words;
            let mut editor = ModuleEditor::new(load_words(&words).unwrap());
            split_combined_samplers(&mut editor);
            editor.assert_valid(target);
            let module = editor.module();
            let samplers = module
                .types_global_values
                .iter()
                .filter(|global| global.op() == Op::TypeSampler);
            assert_eq!(samplers.count(), 1);
            let bindings =
                module
                    .annotations
                    .iter()
                    .filter_map(|annotation| match annotation.operands[..] {
                        [
                            _,
                            Operand::Decoration(Decoration::Binding),
                            Operand::LiteralBit32(binding),
                        ] => Some(binding),
                        _ => None,
                    });
            let mut bindings: Vec<u32> = bindings.collect();
            bindings.sort_unstable();
            assert_eq!(bindings, [1, 2, 129, 130]);
        }
    }
}
