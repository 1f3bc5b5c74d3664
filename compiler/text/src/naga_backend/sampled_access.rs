//! Accesses to textures through samplers.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many dimensions, few of which count here"
)]

use super::images::{
    ImageOperandList, emit_implicit_lod, emit_lod_from_derivatives, emit_size_query,
    emit_texel_coordinates, lower_coordinate_to_2d, pad_vector,
};
use crate::spirv_edit::{ImageType, InstructionBuilder, InstructionExt, VectorShape};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, ExecutionModel, GlslStd450Op as GlslOp, ImageOperands, Op, Word};

const MIN_LOD_WARNING: &str = "minimum levels of detail are ignored";
const COMPARISON_LOD_WARNING: &str = "comparisons with depth textures have no bias, and read the base level where they ask for one or give gradients";
const LOD_QUERY_WARNING: &str =
    "levels of detail are computed from derivatives and ignore the sampler's state";
const INTEGER_SAMPLING_WARNING: &str =
    "samples of textures of integers take the nearest texel, and repeat, whatever the sampler says";
const OFFSET_WARNING: &str =
    "texel offsets that are no constants from -8 to 7 move coordinates by texels of the base level";

/// The operands of an access through a sampler.
struct SampledAccess {
    /// Image and sampler.
    object: Word,
    image: ImageType,
    coordinate: Word,
    /// The value to compare with, or the component to gather.
    reference_or_component: Option<Word>,
    image_operands: ImageOperandList,
}

/// Emits an access with a sampler in a form that naga reads. Records differences from the program,
/// such as a minimum level that is dropped.
///
/// # Errors
/// Fails on accesses that have no such form.
pub(super) fn rewrite_sampled_access(
    code: &mut InstructionBuilder<'_>,
    image: ImageType,
    mut instruction: Instruction,
) -> Result<(), String> {
    let op = instruction.op();
    let has_extra = !matches!(op, Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod);
    let first_image_operand = 2 + usize::from(has_extra);
    let mut sample = SampledAccess {
        object: instruction.id_operand(0).unwrap_or_default(),
        image,
        coordinate: instruction.id_operand(1).unwrap_or_default(),
        reference_or_component: instruction.id_operand(2).filter(|_| has_extra),
        image_operands: ImageOperandList::parse(
            instruction
                .operands
                .get(first_image_operand..)
                .unwrap_or_default(),
        ),
    };
    lower_sample_to_2d(code, &mut sample);
    round_array_layer(code, &mut sample);
    if sample
        .image_operands
        .remove(ImageOperands::MIN_LOD)
        .is_some()
    {
        code.editor.record_difference(MIN_LOD_WARNING);
    }
    if sample
        .image_operands
        .get(ImageOperands::CONST_OFFSETS)
        .is_some()
    {
        return gather_with_offsets(code, sample, &instruction);
    }
    apply_texel_offset(code, &mut sample);
    let is_gather = matches!(op, Op::ImageGather | Op::ImageDrefGather);
    if has_integer_texels(code, image) && !is_gather {
        return emit_nearest_fetch(code, sample, &instruction);
    }
    if matches!(
        op,
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod
    ) {
        instruction = drop_comparison_lod(code, &mut sample, &instruction);
    }
    emit_sampled_access(code, &sample, instruction);
    Ok(())
}

/// Emits `instruction` with the operands of `sample`, which replace its original ones.
fn emit_sampled_access(
    code: &mut InstructionBuilder<'_>,
    sample: &SampledAccess,
    mut instruction: Instruction,
) {
    let ids = [
        Some(sample.object),
        Some(sample.coordinate),
        sample.reference_or_component,
    ];
    instruction.operands = ids.into_iter().flatten().map(Operand::IdRef).collect();
    sample.image_operands.append_to(&mut instruction.operands);
    code.emit(instruction);
}

/// Converts coordinates, gradients and offsets of a one-dimensional texture to those of the
/// two-dimensional one of height 1; others are unchanged.
fn lower_sample_to_2d(code: &mut InstructionBuilder<'_>, sample: &mut SampledAccess) {
    if sample.image.dim != Dim::Dim1D {
        return;
    }
    sample.coordinate =
        lower_coordinate_to_2d(code, sample.image, sample.coordinate, 0.5f32.to_bits());
    for bit in [
        ImageOperands::GRAD,
        ImageOperands::CONST_OFFSET,
        ImageOperands::OFFSET,
    ] {
        sample
            .image_operands
            .map_values(bit, |value| pad_vector(code, value, 2, 0));
    }
}

/// Rounds the layer of the coordinate to the nearest integer, because naga truncates it; nothing
/// for textures without layers. Removes components after it.
fn round_array_layer(code: &mut InstructionBuilder<'_>, sample: &mut SampledAccess) {
    if !sample.image.is_arrayed {
        return;
    }
    let mut parts = code.extract_components(sample.coordinate);
    let index = match sample.image.dim {
        Dim::DimCube => 3,
        _ => 2,
    };
    let float = code.editor.intern_float();
    parts.truncate(index + 1);
    if let Some(layer) = parts.get_mut(index) {
        *layer = code.emit_glsl(GlslOp::RoundEven, float, &[*layer]);
    }
    sample.coordinate = code.construct_vector(&parts);
}

/// Adds the texel offset to the coordinate, which is recorded as a difference, if WGSL does not
/// accept it as an operand, because it is not constant or too large.
fn apply_texel_offset(code: &mut InstructionBuilder<'_>, sample: &mut SampledAccess) {
    let constant = sample
        .image_operands
        .get_single(ImageOperands::CONST_OFFSET);
    let offset = match constant {
        Some(offset) if is_valid_const_offset(code, offset) => return,
        Some(_) => sample.image_operands.remove(ImageOperands::CONST_OFFSET),
        None => sample.image_operands.remove(ImageOperands::OFFSET),
    };
    if let Some(offset) = offset.and_then(|offset| offset.first().copied()) {
        code.editor.record_difference(OFFSET_WARNING);
        sample.coordinate = emit_offset_coordinate(code, sample, offset);
    }
}

/// Returns true if WGSL accepts `offset` as texel offset: a constant from -8 to 7 in each
/// component.
fn is_valid_const_offset(code: &InstructionBuilder<'_>, offset: Word) -> bool {
    let parts = code.editor.constant_components(offset);
    parts.iter().all(|part| {
        let bits = code.editor.constant_bits(*part);
        bits.is_some_and(|bits| (-8..=7).contains(&(bits as i32)))
    })
}

/// Emits the coordinate of a sample plus an offset in texels of the base level, and returns its id.
fn emit_offset_coordinate(
    code: &mut InstructionBuilder<'_>,
    sample: &SampledAccess,
    offset: Word,
) -> Word {
    let image = extract_image(code, sample);
    let size = emit_size_query(code, image, sample.image, None);
    let float = code.editor.intern_float();
    let ty = code.intern_vector_like(size, float);
    let size = code.emit_op(Op::ConvertUToF, ty, &[size]);
    let offset = code.emit_op(Op::ConvertSToF, ty, &[offset]);
    let distance = code.emit_op_same_type(Op::FDiv, &[offset, size]);
    let count = code.editor.value_shape(sample.coordinate).size;
    let distance = pad_vector(code, distance, count, 0);
    code.emit_op_same_type(Op::FAdd, &[sample.coordinate, distance])
}

/// Emits the image of the combined image and sampler of an access, and returns its id.
fn extract_image(code: &mut InstructionBuilder<'_>, sample: &SampledAccess) -> Word {
    let ty = code.editor.find_global(code.editor.type_of(sample.object));
    let ty = ty.and_then(|ty| ty.id_operand(0)).unwrap_or_default();
    code.emit_op(Op::Image, ty, &[sample.object])
}

/// Emits a gather with an offset for each texel: of four gathers the texel at the offset, which is
/// the fourth of each. Fails if the offsets are not constants.
fn gather_with_offsets(
    code: &mut InstructionBuilder<'_>,
    sample: SampledAccess,
    gather: &Instruction,
) -> Result<(), String> {
    let offsets = sample
        .image_operands
        .get_single(ImageOperands::CONST_OFFSETS)
        .unwrap_or_default();
    let offsets = code.editor.constant_components(offsets);
    let ty = gather.result_type.unwrap_or_default();
    let scalar = code.editor.type_shape(ty).scalar;
    let mut texels = Vec::with_capacity(4);
    for offset in offsets {
        let mut one = SampledAccess {
            image_operands: ImageOperandList::default(),
            ..sample
        };
        one.image_operands.set(ImageOperands::CONST_OFFSET, offset);
        apply_texel_offset(code, &mut one);
        let id = code.editor.new_id();
        let copy = Instruction::new(gather.op(), Some(ty), Some(id), vec![]);
        emit_sampled_access(code, &one, copy);
        // The texel with the lowest coordinates comes last.
        let operands = vec![Operand::IdRef(id), Operand::LiteralBit32(3)];
        texels.push(code.emit_op_with(Op::CompositeExtract, scalar, operands));
    }
    if texels.len() != 4 {
        return Err("gathers with offsets that are no constants".to_owned());
    }
    let all = code.construct_vector(&texels);
    code.replace_with_value(gather, all);
    Ok(())
}

/// Returns true if the texels of an image are integers, signed or unsigned.
fn has_integer_texels(code: &InstructionBuilder<'_>, image: ImageType) -> bool {
    let texel = code.editor.find_global(image.sampled_type);
    texel.is_some_and(|ty| ty.op() == Op::TypeInt)
}

/// Removes level, bias and gradients, which WGSL does not have, from the operands of a comparison,
/// and returns it without operands. Recorded as a difference, unless the level is the base level.
fn drop_comparison_lod(
    code: &mut InstructionBuilder<'_>,
    sample: &mut SampledAccess,
    comparison: &Instruction,
) -> Instruction {
    let extras = &mut sample.image_operands;
    let level = extras
        .remove(ImageOperands::LOD)
        .and_then(|level| level.first().copied());
    let is_base = level.is_some_and(|level| code.editor.constant_bits(level) == Some(0));
    let has_gradients = extras.remove(ImageOperands::GRAD).is_some();
    let has_bias = extras.remove(ImageOperands::BIAS).is_some();
    if level.is_some() && !is_base || has_gradients || has_bias {
        code.editor.record_difference(COMPARISON_LOD_WARNING);
    }
    let is_fragment = code.editor.has_execution_model(&[ExecutionModel::Fragment]);
    let op = if is_fragment && level.is_none() && !has_gradients {
        Op::ImageSampleDrefImplicitLod
    } else {
        let base = code.editor.intern_float_constant(0.0);
        extras.set(ImageOperands::LOD, base);
        Op::ImageSampleDrefExplicitLod
    };
    Instruction::new(op, comparison.result_type, comparison.result_id, vec![])
}

/// Emits a fetch of the texel that is nearest to the coordinate, with the result of `access`,
/// because textures of integers cannot be sampled; recorded as a difference. Fails for cube maps.
fn emit_nearest_fetch(
    code: &mut InstructionBuilder<'_>,
    sample: SampledAccess,
    access: &Instruction,
) -> Result<(), String> {
    if sample.image.dim == Dim::DimCube {
        return Err("samples of cube maps of integers".to_owned());
    }
    code.editor.record_difference(INTEGER_SAMPLING_WARNING);
    let image = extract_image(code, &sample);
    let uint = code.editor.intern_uint();
    let level = emit_nearest_level(code, &sample, image);
    let size = emit_size_query(code, image, sample.image, Some(level));
    let VectorShape { size: count, .. } = code.editor.value_shape(size);
    let parts = code.extract_components(sample.coordinate);
    let sizes = code.extract_components(size);
    let float = code.editor.intern_float();
    let one = code.editor.intern_constant(uint, 1);
    let mut texel = Vec::new();
    for (part, size) in parts.iter().zip(&sizes) {
        let fraction = code.emit_glsl(GlslOp::Fract, float, &[*part]);
        let width = code.emit_op(Op::ConvertUToF, float, &[*size]);
        let position = code.emit_op_same_type(Op::FMul, &[fraction, width]);
        let position = code.emit_op(Op::ConvertFToU, uint, &[position]);
        let last = code.emit_op_same_type(Op::ISub, &[*size, one]);
        texel.push(code.emit_glsl(GlslOp::UMin, uint, &[position, last]));
    }
    if sample.image.is_arrayed {
        let layer = parts[count as usize];
        let zero = code.editor.intern_float_constant(0.0);
        let layer = code.emit_glsl(GlslOp::FMax, float, &[layer, zero]);
        let layer = code.emit_op(Op::ConvertFToU, uint, &[layer]);
        // `restore_layer_queries` makes this the number of layers.
        let layers = code.emit_op(Op::ImageQuerySamples, uint, &[image]);
        let last = code.emit_op_same_type(Op::ISub, &[layers, one]);
        texel.push(code.emit_glsl(GlslOp::UMin, uint, &[layer, last]));
    }
    let texel = code.construct_vector(&texel);
    let mut operands = vec![Operand::IdRef(image), Operand::IdRef(texel)];
    let mut extras = ImageOperandList::default();
    extras.set(ImageOperands::LOD, level);
    extras.append_to(&mut operands);
    code.replace_with_op(access, Op::ImageFetch, operands);
    Ok(())
}

/// Emits the level, as an unsigned integer, that is nearest to the one that the access requests,
/// and returns it; the base level outside of fragment programs without a level.
fn emit_nearest_level(
    code: &mut InstructionBuilder<'_>,
    sample: &SampledAccess,
    image: Word,
) -> Word {
    let uint = code.editor.intern_uint();
    let fragment = code.editor.has_execution_model(&[ExecutionModel::Fragment]);
    let level = if let Some(level) = sample.image_operands.get_single(ImageOperands::LOD) {
        level
    } else if let Some(&[dx, dy]) = sample.image_operands.get(ImageOperands::GRAD) {
        let distances = [dx, dy].map(|by| emit_texel_coordinates(code, image, sample.image, by));
        emit_lod_from_derivatives(code, distances)
    } else if fragment {
        let level = emit_implicit_lod(code, image, sample.image, sample.coordinate);
        match sample.image_operands.get_single(ImageOperands::BIAS) {
            Some(bias) => code.emit_op_same_type(Op::FAdd, &[level, bias]),
            None => level,
        }
    } else {
        return code.editor.intern_constant(uint, 0);
    };
    let float = code.editor.intern_float();
    let level = emit_clamped_level(code, image, level);
    let level = code.emit_glsl(GlslOp::RoundEven, float, &[level]);
    code.emit_op(Op::ConvertFToU, uint, &[level])
}

/// Emits the clamp of a float level to the levels of an image, and returns the id of the result.
fn emit_clamped_level(code: &mut InstructionBuilder<'_>, image: Word, level: Word) -> Word {
    let uint = code.editor.intern_uint();
    let float = code.editor.intern_float();
    let levels = code.emit_op(Op::ImageQueryLevels, uint, &[image]);
    let one = code.editor.intern_constant(uint, 1);
    let last = code.emit_op_same_type(Op::ISub, &[levels, one]);
    let last = code.emit_op(Op::ConvertUToF, float, &[last]);
    let zero = code.editor.intern_float_constant(0.0);
    code.emit_glsl(GlslOp::FClamp, float, &[level, zero, last])
}

/// Emits the level of an access, clamped to the existing ones and not, with the result of the
/// instruction `query`; recorded as a difference.
pub(super) fn rewrite_lod_query(
    code: &mut InstructionBuilder<'_>,
    image: ImageType,
    query: &Instruction,
) {
    code.editor.record_difference(LOD_QUERY_WARNING);
    let mut sample = SampledAccess {
        object: query.id_operand(0).unwrap_or_default(),
        image,
        coordinate: query.id_operand(1).unwrap_or_default(),
        reference_or_component: None,
        image_operands: ImageOperandList::default(),
    };
    if image.dim == Dim::Dim1D {
        let x = code.extract_component(sample.coordinate, 0);
        let half = code.editor.intern_float_constant(0.5);
        sample.coordinate = code.construct_vector(&[x, half]);
    }
    let object = extract_image(code, &sample);
    let level = emit_implicit_lod(code, object, image, sample.coordinate);
    let clamped = emit_clamped_level(code, object, level);
    let both = code.construct_vector(&[clamped, level]);
    code.replace_with_value(query, both);
}
