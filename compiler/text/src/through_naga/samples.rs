//! Accesses to textures through samplers.

use super::images::{
    Extras, ImageType, coordinate_in_texels, level_of_distances, level_of_pixel, padded,
    plane_size, widened,
};
use super::interface::is_stage;
use crate::rewriter::{Code, Shape};
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

/// An access through a sampler, taken apart.
struct Sample {
    /// Image and sampler.
    object: Word,
    image: ImageType,
    coordinate: Word,
    /// The value to compare with, or the component to gather.
    extra: Option<Word>,
    extras: Extras,
}

/// Brings an access into a form that naga reads.
pub(super) fn rewrite_sample(
    code: &mut Code<'_>,
    image: ImageType,
    mut instruction: Instruction,
) -> Result<(), String> {
    let op = instruction.class.opcode;
    let has_extra = !matches!(op, Op::ImageSampleImplicitLod | Op::ImageSampleExplicitLod);
    let first_extra = if has_extra { 3 } else { 2 };
    let ids: Vec<Word> = instruction
        .operands
        .iter()
        .take(first_extra)
        .filter_map(Operand::id_ref_any)
        .collect();
    let mut sample = Sample {
        object: ids[0],
        image,
        coordinate: ids[1],
        extra: ids.get(2).copied(),
        extras: Extras::parse(instruction.operands.get(first_extra..).unwrap_or_default()),
    };
    widen(code, &mut sample);
    round_layer(code, &mut sample);
    if sample.extras.take(ImageOperands::MIN_LOD).is_some() {
        code.rewriter.warn(NO_MIN_LOD);
    }
    if sample.extras.get(ImageOperands::CONST_OFFSETS).is_some() {
        return gather_each(code, sample, &instruction);
    }
    move_coordinate(code, &mut sample);
    let is_gather = matches!(op, Op::ImageGather | Op::ImageDrefGather);
    if is_integer(code, image) && !is_gather {
        return fetch_nearest(code, sample, &instruction);
    }
    if matches!(
        op,
        Op::ImageSampleDrefImplicitLod | Op::ImageSampleDrefExplicitLod
    ) {
        instruction = compare_without_level(code, &mut sample, instruction);
    }
    write(code, &sample, instruction);
    Ok(())
}

fn write(code: &mut Code<'_>, sample: &Sample, mut instruction: Instruction) {
    let ids = [Some(sample.object), Some(sample.coordinate), sample.extra];
    instruction.operands = ids.into_iter().flatten().map(Operand::IdRef).collect();
    sample.extras.write(&mut instruction.operands);
    code.keep(instruction);
}

/// One-dimensional textures have height 1.
fn widen(code: &mut Code<'_>, sample: &mut Sample) {
    if sample.image.dim != Dim::Dim1D {
        return;
    }
    sample.coordinate = widened(code, sample.image, sample.coordinate, 0.5f32.to_bits());
    for bit in [
        ImageOperands::GRAD,
        ImageOperands::CONST_OFFSET,
        ImageOperands::OFFSET,
    ] {
        sample.extras.map(bit, |value| padded(code, value, 2, 0));
    }
}

/// Layers are rounded to the nearest; naga truncates them.
fn round_layer(code: &mut Code<'_>, sample: &mut Sample) {
    if !sample.image.arrayed {
        return;
    }
    let mut parts = code.components(sample.coordinate);
    let place = if sample.image.dim == Dim::DimCube {
        3
    } else {
        2
    };
    let float = code.rewriter.float();
    parts.truncate(place + 1);
    if let Some(layer) = parts.get_mut(place) {
        *layer = code.ext(GlslOp::RoundEven, float, &[*layer]);
    }
    sample.coordinate = code.construct(&parts);
}

/// Offsets that are no constants, or too far away, move the coordinate.
fn move_coordinate(code: &mut Code<'_>, sample: &mut Sample) {
    let constant = sample.extras.one(ImageOperands::CONST_OFFSET);
    let offset = match constant {
        Some(offset) if is_near(code, offset) => return,
        Some(_) => sample.extras.take(ImageOperands::CONST_OFFSET),
        None => sample.extras.take(ImageOperands::OFFSET),
    };
    if let Some(offset) = offset.and_then(|offset| offset.first().copied()) {
        code.rewriter.warn(MOVED);
        sample.coordinate = moved(code, sample, offset);
    }
}

/// Whether WGSL takes a constant as offset.
fn is_near(code: &Code<'_>, offset: Word) -> bool {
    let parts = code.rewriter.parts(offset);
    parts.iter().all(|part| {
        let bits = code.rewriter.constant_bits(*part);
        bits.is_some_and(|bits| (-8..=7).contains(&(bits as i32)))
    })
}

/// The coordinate moved by texels of the base level.
fn moved(code: &mut Code<'_>, sample: &Sample, offset: Word) -> Word {
    let image = image_of(code, sample);
    let size = plane_size(code, image, sample.image, None);
    let float = code.rewriter.float();
    let ty = code.with_scalar(size, float);
    let size = code.op(Op::ConvertUToF, ty, &[size]);
    let offset = code.op(Op::ConvertSToF, ty, &[offset]);
    let distance = code.same(Op::FDiv, &[offset, size]);
    let count = code
        .rewriter
        .shape(code.rewriter.type_of(sample.coordinate))
        .size;
    let distance = padded(code, distance, count, 0);
    code.same(Op::FAdd, &[sample.coordinate, distance])
}

/// The image of an image with sampler.
fn image_of(code: &mut Code<'_>, sample: &Sample) -> Word {
    let ty = code
        .rewriter
        .definition(code.rewriter.type_of(sample.object));
    let ty = ty
        .and_then(|ty| ty.operands.first()?.id_ref_any())
        .unwrap_or_default();
    code.op(Op::Image, ty, &[sample.object])
}

/// A gather with an offset for each texel: of four gathers the texel that lies at the offset, which is the fourth of each.
fn gather_each(code: &mut Code<'_>, sample: Sample, gather: &Instruction) -> Result<(), String> {
    let offsets = sample
        .extras
        .one(ImageOperands::CONST_OFFSETS)
        .unwrap_or_default();
    let offsets = code.rewriter.parts(offsets);
    let ty = gather.result_type.unwrap_or_default();
    let scalar = code.rewriter.shape(ty).scalar;
    let mut texels = Vec::with_capacity(4);
    for offset in offsets {
        let mut one = Sample {
            extras: Extras::default(),
            ..sample
        };
        one.extras.put(ImageOperands::CONST_OFFSET, offset);
        move_coordinate(code, &mut one);
        let id = code.rewriter.id();
        let copy = Instruction::new(gather.class.opcode, Some(ty), Some(id), vec![]);
        write(code, &one, copy);
        // The texel with the lowest coordinates comes last.
        let operands = vec![Operand::IdRef(id), Operand::LiteralBit32(3)];
        texels.push(code.op_with(Op::CompositeExtract, scalar, operands));
    }
    if texels.len() != 4 {
        return Err("gathers with offsets that are no constants".to_owned());
    }
    let all = code.construct(&texels);
    code.define(gather, all);
    Ok(())
}

fn is_integer(code: &Code<'_>, image: ImageType) -> bool {
    let texel = code.rewriter.definition(image.texel);
    texel.is_some_and(|ty| ty.class.opcode == Op::TypeInt)
}

/// A comparison without level, bias or gradients, which WGSL does not have.
fn compare_without_level(
    code: &mut Code<'_>,
    sample: &mut Sample,
    instruction: Instruction,
) -> Instruction {
    let extras = &mut sample.extras;
    let level = extras
        .take(ImageOperands::LOD)
        .and_then(|level| level.first().copied());
    let is_base = level.is_some_and(|level| code.rewriter.constant_bits(level) == Some(0));
    let has_gradients = extras.take(ImageOperands::GRAD).is_some();
    let has_bias = extras.take(ImageOperands::BIAS).is_some();
    if level.is_some() && !is_base || has_gradients || has_bias {
        code.rewriter.warn(COMPARED_LEVEL);
    }
    let fragment = is_stage(code.rewriter, ExecutionModel::Fragment);
    if fragment && level.is_none() && !has_gradients {
        return Instruction::new(
            Op::ImageSampleDrefImplicitLod,
            instruction.result_type,
            instruction.result_id,
            vec![],
        );
    }
    let base = code.rewriter.float_constant(1, 0.0);
    extras.put(ImageOperands::LOD, base);
    Instruction::new(
        Op::ImageSampleDrefExplicitLod,
        instruction.result_type,
        instruction.result_id,
        vec![],
    )
}

/// Textures of integers cannot be sampled: the texel that is nearest to the coordinate is read.
fn fetch_nearest(code: &mut Code<'_>, sample: Sample, access: &Instruction) -> Result<(), String> {
    if sample.image.dim == Dim::DimCube {
        return Err("samples of cube maps of integers".to_owned());
    }
    code.rewriter.warn(INTEGERS);
    let image = image_of(code, &sample);
    let uint = code.rewriter.uint();
    let level = nearest_level(code, &sample, image);
    let size = plane_size(code, image, sample.image, Some(level));
    let Shape { size: count, .. } = code.rewriter.shape(code.rewriter.type_of(size));
    let parts = code.components(sample.coordinate);
    let sizes = code.components(size);
    let float = code.rewriter.float();
    let one = code.rewriter.constant(uint, 1);
    let mut texel = Vec::new();
    for (part, size) in parts.iter().zip(&sizes) {
        let fraction = code.ext(GlslOp::Fract, float, &[*part]);
        let width = code.op(Op::ConvertUToF, float, &[*size]);
        let place = code.same(Op::FMul, &[fraction, width]);
        let place = code.op(Op::ConvertFToU, uint, &[place]);
        let last = code.same(Op::ISub, &[*size, one]);
        texel.push(code.ext(GlslOp::UMin, uint, &[place, last]));
    }
    if sample.image.arrayed {
        let layer = parts[count as usize];
        let zero = code.rewriter.float_constant(1, 0.0);
        let layer = code.ext(GlslOp::FMax, float, &[layer, zero]);
        let layer = code.op(Op::ConvertFToU, uint, &[layer]);
        // `ask_for_layers` makes this the number of layers.
        let layers = code.op(Op::ImageQuerySamples, uint, &[image]);
        let last = code.same(Op::ISub, &[layers, one]);
        texel.push(code.ext(GlslOp::UMin, uint, &[layer, last]));
    }
    let texel = code.construct(&texel);
    let mut operands = vec![Operand::IdRef(image), Operand::IdRef(texel)];
    let mut extras = Extras::default();
    extras.put(ImageOperands::LOD, level);
    extras.write(&mut operands);
    code.keep(Instruction::new(
        Op::ImageFetch,
        access.result_type,
        access.result_id,
        operands,
    ));
    Ok(())
}

/// The number of the level that is nearest to what the access asks for.
fn nearest_level(code: &mut Code<'_>, sample: &Sample, image: Word) -> Word {
    let uint = code.rewriter.uint();
    let fragment = is_stage(code.rewriter, ExecutionModel::Fragment);
    let level = if let Some(level) = sample.extras.one(ImageOperands::LOD) {
        level
    } else if let Some(&[dx, dy]) = sample.extras.get(ImageOperands::GRAD) {
        let distances = [dx, dy].map(|by| coordinate_in_texels(code, image, sample.image, by));
        level_of_distances(code, distances)
    } else if fragment {
        let level = level_of_pixel(code, image, sample.image, sample.coordinate);
        match sample.extras.one(ImageOperands::BIAS) {
            Some(bias) => code.same(Op::FAdd, &[level, bias]),
            None => level,
        }
    } else {
        return code.rewriter.constant(uint, 0);
    };
    let levels = code.op(Op::ImageQueryLevels, uint, &[image]);
    let one = code.rewriter.constant(uint, 1);
    let last = code.same(Op::ISub, &[levels, one]);
    let float = code.rewriter.float();
    let last = code.op(Op::ConvertUToF, float, &[last]);
    let zero = code.rewriter.float_constant(1, 0.0);
    let level = code.ext(GlslOp::FClamp, float, &[level, zero, last]);
    let level = code.ext(GlslOp::RoundEven, float, &[level]);
    code.op(Op::ConvertFToU, uint, &[level])
}

/// The level that an access would take, clamped to those that there are and not.
pub(super) fn rewrite_level_query(code: &mut Code<'_>, image: ImageType, query: &Instruction) {
    code.rewriter.warn(LEVEL_QUERY);
    let ids: Vec<Word> = query
        .operands
        .iter()
        .filter_map(Operand::id_ref_any)
        .collect();
    let mut sample = Sample {
        object: ids[0],
        image,
        coordinate: ids[1],
        extra: None,
        extras: Extras::default(),
    };
    if image.dim == Dim::Dim1D {
        let x = code.component(sample.coordinate, 0);
        let half = code.rewriter.float_constant(1, 0.5);
        sample.coordinate = code.construct(&[x, half]);
    }
    let object = image_of(code, &sample);
    let level = level_of_pixel(code, object, image, sample.coordinate);
    let uint = code.rewriter.uint();
    let float = code.rewriter.float();
    let levels = code.op(Op::ImageQueryLevels, uint, &[object]);
    let one = code.rewriter.constant(uint, 1);
    let last = code.same(Op::ISub, &[levels, one]);
    let last = code.op(Op::ConvertUToF, float, &[last]);
    let zero = code.rewriter.float_constant(1, 0.0);
    let clamped = code.ext(GlslOp::FClamp, float, &[level, zero, last]);
    let both = code.construct(&[clamped, level]);
    code.define(query, both);
}
