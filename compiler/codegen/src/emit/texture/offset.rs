//! Texel offsets in registers. An offset in a register with known constants becomes a constant
//! offset; other offsets are added to the coordinates of samples.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Need;
use crate::emit::texture::access::{Access, extract_image, make_sampled_image};
use crate::emit::texture::object::is_rectangle;
use crate::words::ValueWord;
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Constant offsets that every device supports: the limits that Vulkan requires for
/// `minTexelOffset` and `maxTexelOffset`.
const EVERYWHERE: std::ops::RangeInclusive<i32> = -8..=7;

/// Level of detail, by the component of a query that returns it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// Level of the accessed mipmap levels.
    Accessed = 0,
    /// Computed level, without the clamp to the existing levels.
    Computed = 1,
}

/// Makes an offset constant if its register contains known constants.
pub(super) fn fold_offset(w: &mut ValueBuilder, access: &mut Access) {
    let Some(offset) = access.offset else {
        return;
    };
    if !w.is_constant(offset.id) {
        return;
    }
    let mut texels = [0; 3];
    let dimensions = access.texture.target.dimensions() as usize;
    for (lane, texel) in texels[..dimensions.min(3)].iter_mut().enumerate() {
        let part = w.gather_vector(&[offset.lane(lane)], Scalar::U32);
        let Some(bits) = w.constant_bits(part.id) else {
            return;
        };
        let number = bits as u32 as i32;
        // It remains dynamic, which moves the coordinate and has no limit.
        if !EVERYWHERE.contains(&number) {
            return;
        }
        *texel = number as i8;
    }
    access.data.offset = TexelOffset::Constant(texels);
    access.offset = None;
}

/// Returns the access without dynamic offset, which Vulkan permits in gathers only: its coordinate
/// is moved by that number of texels of the sampled level. Of two levels that are blended it is the
/// nearer one.
// VUID-StandaloneSpirv-Offset-04663.
pub(super) fn apply_offset(w: &mut ValueBuilder, access: &Access) -> Access {
    if access.data.offset != TexelOffset::Dynamic {
        return *access;
    }
    let level = compute_nearest_level(w, access);
    apply_offset_at_level(w, access, level)
}

/// Returns the access without offset: its coordinate is moved by that number of texels of a level.
pub(super) fn apply_offset_at_level(w: &mut ValueBuilder, access: &Access, level: Val) -> Access {
    let mut moved = *access;
    let dimensions = usize::from(access.texture.target.dimensions());
    let texels = match (access.data.offset, access.offset) {
        (TexelOffset::Dynamic, Some(offset)) => w.unary_to(Spv::ConvertSToF, Scalar::F32, offset),
        (TexelOffset::Constant(texels), _) => {
            // Constant offsets are operands of other accesses; for these a clamp is between the
            // offset and the sampler.
            let lanes = texels.map(|texel| Lane::scalar(w.float(f32::from(texel))));
            w.gather_vector(&lanes[..dimensions], Scalar::F32)
        }
        (TexelOffset::Dynamic | TexelOffset::None, _) => return moved,
    };
    let Some(coordinate) = access.coordinate else {
        return moved;
    };
    let size = query_level_size(w, access, level);
    // Coordinates of OpenGL's rectangles are in texels.
    let distance = if is_rectangle(w, access.texture.target) {
        texels
    } else {
        w.binary(Spv::FDiv, texels, size)
    };
    // The layer of an array is not moved.
    let lanes = w.fill_with_zeros(distance);
    let distance = w.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32);
    moved.coordinate = Some(w.binary(Spv::FAdd, coordinate, distance));
    moved.data.offset = TexelOffset::None;
    moved.offset = None;
    moved
}

/// Queries width, height and depth of a level, or the size of the faces of a cube, as floats.
pub(super) fn query_level_size(w: &mut ValueBuilder, access: &Access, level: Val) -> Val {
    w.needs.insert(Need::ImageQuery);
    let target = access.texture.target;
    let image = extract_image(w, access);
    let size = emit_size_query(w, image, level.id, target);
    let size = w.take_components(size, target.plane_dimensions());
    w.unary_to(Spv::ConvertUToF, Scalar::F32, size)
}

/// Queries the size of a level and the number of layers.
pub(super) fn emit_size_query(
    w: &mut ValueBuilder,
    image: ValueWord,
    level: ValueWord,
    target: TexTarget,
) -> Val {
    let size = target.size_components();
    // `OpImageQuerySizeLod` supports only images of 1D, 2D, 3D and cubes.
    if is_rectangle(w, target) {
        return w.op(Spv::ImageQuerySize, Scalar::U32, size, &[image.0]);
    }
    w.op(
        Spv::ImageQuerySizeLod,
        Scalar::U32,
        size,
        &[image.0, level.0],
    )
}

/// Queries the size of the base level.
pub(super) fn query_base_size(w: &mut ValueBuilder, access: &Access) -> Val {
    let base = w.uint_val(0);
    query_level_size(w, access, base)
}

/// Queries the number of levels of an image.
pub(super) fn query_level_count(w: &mut ValueBuilder, image: ValueWord) -> Val {
    w.op(Spv::ImageQueryLevels, Scalar::U32, 1, &[image.0])
}

/// Queries the number of the last level.
pub(super) fn query_last_level(w: &mut ValueBuilder, access: &Access) -> Val {
    let image = extract_image(w, access);
    let count = query_level_count(w, image);
    w.binary_bits(Spv::ISub, count, 1)
}

/// Queries the accessed and the computed level of detail at a coordinate.
pub(super) fn emit_lod_query(w: &mut ValueBuilder, access: &Access, coordinate: Val) -> Val {
    w.needs.insert(Need::ImageQuery);
    let point = w.take_components(coordinate, access.texture.target.dimensions());
    let object = make_sampled_image(w, access);
    let operands = [object.0, point.id.0];
    w.op(Spv::ImageQueryLod, Scalar::F32, 2, &operands)
}

/// Computes the number of the sampled level.
pub(super) fn compute_nearest_level(w: &mut ValueBuilder, access: &Access) -> Val {
    let zero = w.uint_val(0);
    let Some(lod) = compute_level_of_detail(w, access, Detail::Accessed) else {
        return zero;
    };
    let last = query_last_level(w, access);
    // Signed, because a negative level of detail, which magnifies, is clamped to the base level
    // below. Vulkan permits either level for a tie ("Image Level(s) Selection").
    let rounded = w.ext(GlslOp::RoundEven, &[lod]);
    let level = w.unary_to(Spv::ConvertFToS, Scalar::U32, rounded);
    let level = w.ext(GlslOp::SMin, &[level, last]);
    w.ext(GlslOp::SMax, &[level, zero])
}

/// Computes the level of detail of a sample; `None` for the base level.
pub(super) fn compute_level_of_detail(
    w: &mut ValueBuilder,
    access: &Access,
    which: Detail,
) -> Option<Val> {
    let lod = compute_usual_level(w, access, which);
    let Some(least) = access.min_lod else {
        return lod;
    };
    let lod = lod.unwrap_or_else(|| w.float_like(least, 0.0));
    Some(w.ext(GlslOp::NMax, &[lod, least]))
}

/// Computes the level of detail without a minimum.
fn compute_usual_level(w: &mut ValueBuilder, access: &Access, which: Detail) -> Option<Val> {
    let in_fragment = w.stage() == Stage::Fragment;
    match (access.data.mode, access.own) {
        // Rectangles have one level.
        _ if access.texture.target == TexTarget::Rect => None,
        (TexMode::Lod, [lod, _]) => lod,
        (TexMode::Grad, [Some(dx), Some(dy)]) => Some(compute_gradient_detail(w, access, dx, dy)),
        // Relative to the base level, like the operand that `push_level_operand` adds.
        (TexMode::Bias, [bias, _]) if !in_fragment => bias,
        (TexMode::Implicit | TexMode::Bias, [bias, _]) if in_fragment => {
            let both = emit_lod_query(w, access, access.coordinate?);
            let lod = w.component(both, which as usize);
            Some(match (bias, which) {
                (Some(bias), Detail::Accessed) => add_bias(w, both, bias),
                (Some(bias), Detail::Computed) => w.binary(Spv::FAdd, lod, bias),
                (None, _) => lod,
            })
        }
        // Without derivatives the base level is sampled.
        _ => None,
    }
}

/// Computes the accessed level with a bias. `levels` are the accessed level without bias, and the
/// computed one. If they differ by more than rounding, the first is the bound of a clamp, which
/// follows the bias.
fn add_bias(w: &mut ValueBuilder, levels: Val, bias: Val) -> Val {
    let [accessed, computed] = [0, 1].map(|index| w.component(levels, index));
    let biased = w.binary(Spv::FAdd, computed, bias);
    let raised = w.binary(Spv::FSub, accessed, computed);
    let [half, minus_half] = [0.5, -0.5].map(|number| w.float_like(raised, number));
    let is_raised = w.test(Spv::FOrdGreaterThan, raised, half);
    let is_lowered = w.test(Spv::FOrdLessThan, raised, minus_half);
    let at_least = w.ext(GlslOp::NMax, &[biased, accessed]);
    let at_most = w.ext(GlslOp::NMin, &[biased, accessed]);
    let level = w.select(is_raised, at_least, biased);
    w.select(is_lowered, at_most, level)
}

/// Computes the logarithm of the maximum distance in texels between a pixel and its neighbors.
fn compute_gradient_detail(w: &mut ValueBuilder, access: &Access, dx: Val, dy: Val) -> Val {
    let size = query_base_size(w, access);
    let [dx, dy] = [dx, dy].map(|gradient| {
        // GL 2.1 section 3.8.8: the longer one of the two lengths in texels.
        let texels = w.binary(Spv::FMul, gradient, size);
        w.ext_to(GlslOp::Length, Scalar::F32, 1, texels.id)
    });
    let most = w.ext(GlslOp::NMax, &[dx, dy]);
    w.ext(GlslOp::Log2, &[most])
}
