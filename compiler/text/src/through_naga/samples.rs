//! Accesses to textures through samplers.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "SPIR-V has many dimensions, few of which count here"
)]

use super::images::{
    Extras, compute_level, compute_pixel_level, pad, query_plane_size, scale_to_texels,
    widen_coordinate,
};
use crate::spirv_edit::{Code, ImageType, InstructionExt, Shape};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Dim, ExecutionModel, GlslStd450Op as GlslOp, ImageOperands, Op, Word};

const NO_MIN_LOD: &str = "least levels of detail are dropped";
const COMPARED_LEVEL: &str = "comparisons with depth textures have no bias, and read the base level where they ask for one or give gradients";
const LEVEL_QUERY: &str =
    "levels of detail are computed from derivatives, without what the sampler says";
const INTEGERS: &str =
    "samples of textures of integers take the nearest texel, and repeat, whatever the sampler says";
const MOVED: &str =
    "texel offsets that are no constants from -8 to 7 move coordinates by texels of the base level";

/// The operands of an access through a sampler.
struct Sample {
    /// Image and sampler.
    object: Word,
    image: ImageType,
    coordinate: Word,
    /// The value to compare with, or the component to gather.
    extra: Option<Word>,
    extras: Extras,
}

/// Rewrites an access into a form that naga reads.
///
/// # Errors
/// Fails on accesses that have no such form.
pub(super) fn rewrite_sample(
    code: &mut Code<'_>,
    image: ImageType,
    mut instruction: Instruction,
) -> Result<(), String> {
    let op = instruction.op();
    let has_extra = !matches!(op, Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod);
    let first_extra = 2 + usize::from(has_extra);
    let mut sample = Sample {
        object: instruction.id(0).unwrap_or_default(),
        image,
        coordinate: instruction.id(1).unwrap_or_default(),
        extra: instruction.id(2).filter(|_| has_extra),
        extras: Extras::parse(instruction.operands.get(first_extra..).unwrap_or_default()),
    };
    widen_sample(code, &mut sample);
    round_layer(code, &mut sample);
    if sample.extras.take(ImageOperands::MIN_LOD).is_some() {
        code.editor.warn(NO_MIN_LOD);
    }
    if sample.extras.get(ImageOperands::CONST_OFFSETS).is_some() {
        return gather_each(code, sample, &instruction);
    }
    move_coordinate(code, &mut sample);
    let is_gather = matches!(op, Op::ImageGather | Op::ImageDrefGather);
    if has_integer_texels(code, image) && !is_gather {
        return fetch_nearest(code, sample, &instruction);
    }
    if matches!(
        op,
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod
    ) {
        instruction = compare_without_level(code, &mut sample, &instruction);
    }
    emit_access(code, &sample, instruction);
    Ok(())
}

fn emit_access(code: &mut Code<'_>, sample: &Sample, mut instruction: Instruction) {
    let ids = [Some(sample.object), Some(sample.coordinate), sample.extra];
    instruction.operands = ids.into_iter().flatten().map(Operand::IdRef).collect();
    sample.extras.write(&mut instruction.operands);
    code.emit(instruction);
}

/// Converts the coordinates of a one-dimensional texture to those of the two-dimensional one of
/// height 1.
fn widen_sample(code: &mut Code<'_>, sample: &mut Sample) {
    if sample.image.dim != Dim::Dim1D {
        return;
    }
    sample.coordinate = widen_coordinate(code, sample.image, sample.coordinate, 0.5f32.to_bits());
    for bit in [
        ImageOperands::GRAD,
        ImageOperands::CONST_OFFSET,
        ImageOperands::OFFSET,
    ] {
        sample.extras.map(bit, |value| pad(code, value, 2, 0));
    }
}

/// Rounds the layer to the nearest integer; naga truncates it.
fn round_layer(code: &mut Code<'_>, sample: &mut Sample) {
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
    sample.coordinate = code.construct(&parts);
}

/// Moves the coordinate by an offset that is not a constant or too large.
fn move_coordinate(code: &mut Code<'_>, sample: &mut Sample) {
    let constant = sample.extras.one(ImageOperands::CONST_OFFSET);
    let offset = match constant {
        Some(offset) if is_near(code, offset) => return,
        Some(_) => sample.extras.take(ImageOperands::CONST_OFFSET),
        None => sample.extras.take(ImageOperands::OFFSET),
    };
    if let Some(offset) = offset.and_then(|offset| offset.first().copied()) {
        code.editor.warn(MOVED);
        sample.coordinate = move_by_texels(code, sample, offset);
    }
}

/// Returns true if WGSL accepts a constant as offset.
fn is_near(code: &Code<'_>, offset: Word) -> bool {
    let parts = code.editor.parts(offset);
    parts.iter().all(|part| {
        let bits = code.editor.constant_bits(*part);
        bits.is_some_and(|bits| (-8..=7).contains(&(bits as i32)))
    })
}

/// Moves a coordinate by texels of the base level.
fn move_by_texels(code: &mut Code<'_>, sample: &Sample, offset: Word) -> Word {
    let image = extract_image(code, sample);
    let size = query_plane_size(code, image, sample.image, None);
    let float = code.editor.intern_float();
    let ty = code.with_scalar(size, float);
    let size = code.emit_op(Op::ConvertUToF, ty, &[size]);
    let offset = code.emit_op(Op::ConvertSToF, ty, &[offset]);
    let distance = code.emit_same_type(Op::FDiv, &[offset, size]);
    let count = code.editor.shape_of(sample.coordinate).size;
    let distance = pad(code, distance, count, 0);
    code.emit_same_type(Op::FAdd, &[sample.coordinate, distance])
}

/// Extracts the image of an image with sampler.
fn extract_image(code: &mut Code<'_>, sample: &Sample) -> Word {
    let ty = code
        .editor
        .find_definition(code.editor.type_of(sample.object));
    let ty = ty.and_then(|ty| ty.id(0)).unwrap_or_default();
    code.emit_op(Op::Image, ty, &[sample.object])
}

/// Gathers with an offset for each texel: of four gathers the texel at the offset, which is the
/// fourth of each.
fn gather_each(code: &mut Code<'_>, sample: Sample, gather: &Instruction) -> Result<(), String> {
    let offsets = sample
        .extras
        .one(ImageOperands::CONST_OFFSETS)
        .unwrap_or_default();
    let offsets = code.editor.parts(offsets);
    let ty = gather.result_type.unwrap_or_default();
    let scalar = code.editor.shape(ty).scalar;
    let mut texels = Vec::with_capacity(4);
    for offset in offsets {
        let mut one = Sample {
            extras: Extras::default(),
            ..sample
        };
        one.extras.put(ImageOperands::CONST_OFFSET, offset);
        move_coordinate(code, &mut one);
        let id = code.editor.new_id();
        let copy = Instruction::new(gather.op(), Some(ty), Some(id), vec![]);
        emit_access(code, &one, copy);
        // The texel with the lowest coordinates comes last.
        let operands = vec![Operand::IdRef(id), Operand::LiteralBit32(3)];
        texels.push(code.emit_op_with(Op::CompositeExtract, scalar, operands));
    }
    if texels.len() != 4 {
        return Err("gathers with offsets that are no constants".to_owned());
    }
    let all = code.construct(&texels);
    code.define(gather, all);
    Ok(())
}

fn has_integer_texels(code: &Code<'_>, image: ImageType) -> bool {
    let texel = code.editor.find_definition(image.texel);
    texel.is_some_and(|ty| ty.op() == Op::TypeInt)
}

/// Removes level, bias and gradients, which WGSL does not have, from a comparison.
fn compare_without_level(
    code: &mut Code<'_>,
    sample: &mut Sample,
    comparison: &Instruction,
) -> Instruction {
    let extras = &mut sample.extras;
    let level = extras
        .take(ImageOperands::LOD)
        .and_then(|level| level.first().copied());
    let is_base = level.is_some_and(|level| code.editor.constant_bits(level) == Some(0));
    let has_gradients = extras.take(ImageOperands::GRAD).is_some();
    let has_bias = extras.take(ImageOperands::BIAS).is_some();
    if level.is_some() && !is_base || has_gradients || has_bias {
        code.editor.warn(COMPARED_LEVEL);
    }
    let is_fragment = code.editor.is_stage(&[ExecutionModel::Fragment]);
    let op = if is_fragment && level.is_none() && !has_gradients {
        Op::ImageSampleDrefImplicitLod
    } else {
        let base = code.editor.intern_float_constant(0.0);
        extras.put(ImageOperands::LOD, base);
        Op::ImageSampleDrefExplicitLod
    };
    Instruction::new(op, comparison.result_type, comparison.result_id, vec![])
}

/// Reads the texel that is nearest to the coordinate, because textures of integers cannot be
/// sampled.
fn fetch_nearest(code: &mut Code<'_>, sample: Sample, access: &Instruction) -> Result<(), String> {
    if sample.image.dim == Dim::DimCube {
        return Err("samples of cube maps of integers".to_owned());
    }
    code.editor.warn(INTEGERS);
    let image = extract_image(code, &sample);
    let uint = code.editor.intern_uint();
    let level = compute_nearest_level(code, &sample, image);
    let size = query_plane_size(code, image, sample.image, Some(level));
    let Shape { size: count, .. } = code.editor.shape_of(size);
    let parts = code.extract_components(sample.coordinate);
    let sizes = code.extract_components(size);
    let float = code.editor.intern_float();
    let one = code.editor.intern_constant(uint, 1);
    let mut texel = Vec::new();
    for (part, size) in parts.iter().zip(&sizes) {
        let fraction = code.emit_glsl(GlslOp::Fract, float, &[*part]);
        let width = code.emit_op(Op::ConvertUToF, float, &[*size]);
        let position = code.emit_same_type(Op::FMul, &[fraction, width]);
        let position = code.emit_op(Op::ConvertFToU, uint, &[position]);
        let last = code.emit_same_type(Op::ISub, &[*size, one]);
        texel.push(code.emit_glsl(GlslOp::UMin, uint, &[position, last]));
    }
    if sample.image.is_arrayed {
        let layer = parts[count as usize];
        let zero = code.editor.intern_float_constant(0.0);
        let layer = code.emit_glsl(GlslOp::FMax, float, &[layer, zero]);
        let layer = code.emit_op(Op::ConvertFToU, uint, &[layer]);
        // `ask_for_layers` makes this the number of layers.
        let layers = code.emit_op(Op::ImageQuerySamples, uint, &[image]);
        let last = code.emit_same_type(Op::ISub, &[layers, one]);
        texel.push(code.emit_glsl(GlslOp::UMin, uint, &[layer, last]));
    }
    let texel = code.construct(&texel);
    let mut operands = vec![Operand::IdRef(image), Operand::IdRef(texel)];
    let mut extras = Extras::default();
    extras.put(ImageOperands::LOD, level);
    extras.write(&mut operands);
    code.replace(access, Op::ImageFetch, operands);
    Ok(())
}

/// Computes the level that is nearest to the level that the access requests.
fn compute_nearest_level(code: &mut Code<'_>, sample: &Sample, image: Word) -> Word {
    let uint = code.editor.intern_uint();
    let fragment = code.editor.is_stage(&[ExecutionModel::Fragment]);
    let level = if let Some(level) = sample.extras.one(ImageOperands::LOD) {
        level
    } else if let Some(&[dx, dy]) = sample.extras.get(ImageOperands::GRAD) {
        let distances = [dx, dy].map(|by| scale_to_texels(code, image, sample.image, by));
        compute_level(code, distances)
    } else if fragment {
        let level = compute_pixel_level(code, image, sample.image, sample.coordinate);
        match sample.extras.one(ImageOperands::BIAS) {
            Some(bias) => code.emit_same_type(Op::FAdd, &[level, bias]),
            None => level,
        }
    } else {
        return code.editor.intern_constant(uint, 0);
    };
    let float = code.editor.intern_float();
    let level = clamp_level(code, image, level);
    let level = code.emit_glsl(GlslOp::RoundEven, float, &[level]);
    code.emit_op(Op::ConvertFToU, uint, &[level])
}

/// Clamps a level to the existing ones.
fn clamp_level(code: &mut Code<'_>, image: Word, level: Word) -> Word {
    let uint = code.editor.intern_uint();
    let float = code.editor.intern_float();
    let levels = code.emit_op(Op::ImageQueryLevels, uint, &[image]);
    let one = code.editor.intern_constant(uint, 1);
    let last = code.emit_same_type(Op::ISub, &[levels, one]);
    let last = code.emit_op(Op::ConvertUToF, float, &[last]);
    let zero = code.editor.intern_float_constant(0.0);
    code.emit_glsl(GlslOp::FClamp, float, &[level, zero, last])
}

/// Computes the level of an access, clamped to the existing ones and not.
pub(super) fn rewrite_level_query(code: &mut Code<'_>, image: ImageType, query: &Instruction) {
    code.editor.warn(LEVEL_QUERY);
    let mut sample = Sample {
        object: query.id(0).unwrap_or_default(),
        image,
        coordinate: query.id(1).unwrap_or_default(),
        extra: None,
        extras: Extras::default(),
    };
    if image.dim == Dim::Dim1D {
        let x = code.extract_component(sample.coordinate, 0);
        let half = code.editor.intern_float_constant(0.5);
        sample.coordinate = code.construct(&[x, half]);
    }
    let object = extract_image(code, &sample);
    let level = compute_pixel_level(code, object, image, sample.coordinate);
    let clamped = clamp_level(code, object, level);
    let both = code.construct(&[clamped, level]);
    code.define(query, both);
}
