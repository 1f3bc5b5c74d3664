//! Types of images in modules, and what GLSL ES demands of them.

use super::contents::{has_op, operand};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Dim, ImageFormat, Op, Word};
use std::collections::HashSet;

/// A type of images.
pub(super) struct Image {
    pub(super) sampled_type: Word,
    pub(super) dim: Dim,
    pub(super) is_depth: bool,
    pub(super) is_arrayed: bool,
    pub(super) is_multisample: bool,
    pub(super) is_storage: bool,
    pub(super) is_unformatted: bool,
    pub(super) format: ImageFormat,
}

fn image_of(ty: &Instruction) -> Option<Image> {
    match ty.operands[..] {
        [
            Operand::IdRef(sampled_type),
            Operand::Dim(dim),
            Operand::LiteralBit32(depth),
            Operand::LiteralBit32(arrayed),
            Operand::LiteralBit32(multisample),
            Operand::LiteralBit32(sampled),
            Operand::ImageFormat(format),
            ..,
        ] if ty.class.opcode == Op::TypeImage => Some(Image {
            sampled_type,
            dim,
            is_depth: depth == 1,
            is_arrayed: arrayed == 1,
            is_multisample: multisample == 1,
            is_storage: sampled == 2,
            is_unformatted: format == ImageFormat::Unknown,
            format,
        }),
        _ => None,
    }
}

pub(super) fn has_type(module: &Module, test: impl Fn(&Image) -> bool) -> bool {
    let mut images = module.types_global_values.iter().filter_map(image_of);
    images.any(|image| test(&image))
}

/// Decides whether GLSL ES has a format for images: GLSL ES 3.10, section 4.4.7.
pub(super) fn is_in_essl(format: ImageFormat) -> bool {
    has_one_word(format)
        || matches!(
            format,
            ImageFormat::Rgba32f
                | ImageFormat::Rgba16f
                | ImageFormat::Rgba8
                | ImageFormat::Rgba8Snorm
                | ImageFormat::Rgba32i
                | ImageFormat::Rgba16i
                | ImageFormat::Rgba8i
                | ImageFormat::Rgba32ui
                | ImageFormat::Rgba16ui
                | ImageFormat::Rgba8ui
        )
}

/// Decides whether a format is one component of 32 bits.
fn has_one_word(format: ImageFormat) -> bool {
    matches!(
        format,
        ImageFormat::R32f | ImageFormat::R32i | ImageFormat::R32ui
    )
}

/// Decides whether an image that is neither read-only nor write-only has a format of several components or of fewer than 32 bits, which
/// GLSL ES 3.10 excludes in section 4.9.
pub(super) fn reads_and_writes_wide_images(module: &Module) -> bool {
    let one_way: HashSet<Word> = module
        .annotations
        .iter()
        .filter(|it| {
            it.operands
                .get(1)
                .is_some_and(|decoration| match decoration {
                    Operand::Decoration(decoration) => matches!(
                        decoration,
                        Decoration::NonReadable | Decoration::NonWritable
                    ),
                    _ => false,
                })
        })
        .filter_map(|it| operand(it, 0))
        .collect();
    let mut wide: HashSet<Word> = HashSet::new();
    for global in &module.types_global_values {
        let Some(id) = global.result_id else { continue };
        let is_image = image_of(global).is_some_and(|image| {
            image.is_storage && !image.is_unformatted && !has_one_word(image.format)
        });
        let of_image = match global.class.opcode {
            Op::TypeArray | Op::TypeRuntimeArray => operand(global, 0),
            Op::TypePointer => operand(global, 1),
            _ => None,
        };
        if is_image || of_image.is_some_and(|ty| wide.contains(&ty)) {
            wide.insert(id);
        }
    }
    module.types_global_values.iter().any(|global| {
        global.class.opcode == Op::Variable
            && global.result_type.is_some_and(|ty| wide.contains(&ty))
            && global.result_id.is_some_and(|id| !one_way.contains(&id))
    })
}

/// Decides whether one of the operations accesses an image of a type.
pub(super) fn accesses(module: &Module, ops: &[Op], test: impl Fn(&Image) -> bool) -> bool {
    if !has_op(module, ops) {
        return false;
    }
    let mut types = HashSet::new();
    for global in &module.types_global_values {
        let is_sampled = global.class.opcode == Op::TypeSampledImage
            && operand(global, 0).is_some_and(|image| types.contains(&image));
        if is_sampled || image_of(global).is_some_and(|image| test(&image)) {
            types.extend(global.result_id);
        }
    }
    let values: HashSet<Word> = module
        .all_inst_iter()
        .filter(|value| value.result_type.is_some_and(|ty| types.contains(&ty)))
        .filter_map(|value| value.result_id)
        .collect();
    module.all_inst_iter().any(|access| {
        let image = operand(access, 0);
        ops.contains(&access.class.opcode) && image.is_some_and(|image| values.contains(&image))
    })
}
