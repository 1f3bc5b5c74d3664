//! Texel offsets in registers. An offset in a register with known constants becomes a constant
//! offset; other offsets are added to the coordinates of samples.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Requirement;
use crate::emit::texture::access::{TextureAccess, extract_image, make_sampled_image};
use crate::emit::texture::texture_variable::is_rectangle;
use crate::spirv_writer::ValueWord;
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Constant offsets that every device supports: the limits that Vulkan requires for
/// `minTexelOffset` and `maxTexelOffset`.
const GUARANTEED_OFFSETS: std::ops::RangeInclusive<i32> = -8..=7;

/// Level of detail, by the component of a query that returns it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LodComponent {
    /// Level of the accessed mipmap levels.
    Accessed = 0,
    /// Computed level, without the clamp to the existing levels.
    Computed = 1,
}

/// Makes a dynamic offset constant if its components are constants in the range that devices
/// guarantee; it remains dynamic otherwise.
pub(super) fn fold_offset(builder: &mut ValueBuilder, access: &mut TextureAccess) {
    let Some(offset) = access.offset else {
        return;
    };
    if !builder.is_constant(offset.id) {
        return;
    }
    let mut texels = [0; 3];
    let dimensions = access.texture.target.dimensions() as usize;
    for (lane, texel) in texels[..dimensions.min(3)].iter_mut().enumerate() {
        let part = builder.gather_vector(&[offset.lane(lane)], Scalar::U32);
        let Some(bits) = builder.constant_bits(part.id) else {
            return;
        };
        let number = bits as u32 as i32;
        // It remains dynamic, which moves the coordinate and has no limit.
        if !GUARANTEED_OFFSETS.contains(&number) {
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
pub(super) fn apply_offset(builder: &mut ValueBuilder, access: &TextureAccess) -> TextureAccess {
    if access.data.offset != TexelOffset::Dynamic {
        return *access;
    }
    let level = compute_nearest_level(builder, access);
    apply_offset_at_level(builder, access, level)
}

/// Returns the access without offset: its coordinate is moved by that number of texels of a level.
/// Layers are not moved. Unchanged if the access has no offset or no coordinate.
pub(super) fn apply_offset_at_level(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    level: Val,
) -> TextureAccess {
    let mut moved = *access;
    let dimensions = usize::from(access.texture.target.dimensions());
    let texels = match (access.data.offset, access.offset) {
        (TexelOffset::Dynamic, Some(offset)) => {
            builder.emit_unary_to(Spv::ConvertSToF, Scalar::F32, offset)
        }
        (TexelOffset::Constant(texels), _) => {
            // Constant offsets are operands of other accesses; for these a clamp is between the
            // offset and the sampler.
            let lanes = texels.map(|texel| Lane::scalar(builder.constant_f32(f32::from(texel))));
            builder.gather_vector(&lanes[..dimensions], Scalar::F32)
        }
        (TexelOffset::Dynamic | TexelOffset::None, _) => return moved,
    };
    let Some(coordinate) = access.coordinate else {
        return moved;
    };
    let size = query_level_size(builder, access, level);
    // Coordinates of OpenGL's rectangles are in texels.
    let distance = if is_rectangle(builder, access.texture.target) {
        texels
    } else {
        builder.emit_binary(Spv::FDiv, texels, size)
    };
    // The layer of an array is not moved.
    let lanes = builder.pad_with_zeros(distance);
    let distance = builder.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32);
    moved.coordinate = Some(builder.emit_binary(Spv::FAdd, coordinate, distance));
    moved.data.offset = TexelOffset::None;
    moved.offset = None;
    moved
}

/// Emits a query of width, height and depth of a level, or the size of the faces of a cube, as
/// floats, and adds its requirement.
pub(super) fn query_level_size(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    level: Val,
) -> Val {
    builder.requirements.insert(Requirement::ImageQuery);
    let target = access.texture.target;
    let image = extract_image(builder, access);
    let size = emit_size_query(builder, image, level.id, target);
    let size = builder.take_components(size, target.plane_dimensions());
    builder.emit_unary_to(Spv::ConvertUToF, Scalar::F32, size)
}

/// Emits the query of the size of a level in texels, with the number of layers of arrays. Targets
/// without levels ignore `level`.
pub(super) fn emit_size_query(
    builder: &mut ValueBuilder,
    image: ValueWord,
    level: ValueWord,
    target: TexTarget,
) -> Val {
    let size = target.size_components();
    // `OpImageQuerySizeLod` supports only images of 1D, 2D, 3D and cubes.
    if is_rectangle(builder, target) {
        return builder.emit_op(Spv::ImageQuerySize, Scalar::U32, size, &[image.0]);
    }
    builder.emit_op(
        Spv::ImageQuerySizeLod,
        Scalar::U32,
        size,
        &[image.0, level.0],
    )
}

/// Emits the query of the size of the base level in texels.
pub(super) fn query_base_size(builder: &mut ValueBuilder, access: &TextureAccess) -> Val {
    let base = builder.constant_u32_val(0);
    query_level_size(builder, access, base)
}

/// Emits the query of the number of mipmap levels of an image.
pub(super) fn query_level_count(builder: &mut ValueBuilder, image: ValueWord) -> Val {
    builder.emit_op(Spv::ImageQueryLevels, Scalar::U32, 1, &[image.0])
}

/// Queries the number of the last level of a texture, as an integer.
pub(super) fn query_last_level(builder: &mut ValueBuilder, access: &TextureAccess) -> Val {
    let image = extract_image(builder, access);
    let count = query_level_count(builder, image);
    builder.emit_binary_bits(Spv::ISub, count, 1)
}

/// Emits a query of the accessed and the computed level of detail at a coordinate, as two floats,
/// and adds its requirement.
pub(super) fn emit_lod_query(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    coordinate: Val,
) -> Val {
    builder.requirements.insert(Requirement::ImageQuery);
    let point = builder.take_components(coordinate, access.texture.target.dimensions());
    let object = make_sampled_image(builder, access);
    let operands = [object.0, point.id.0];
    builder.emit_op(Spv::ImageQueryLod, Scalar::F32, 2, &operands)
}

/// Computes the number of the level nearest to the level of detail of a sample, clamped to the
/// levels of the texture. Returns 0 if the sample has no level of detail.
pub(super) fn compute_nearest_level(builder: &mut ValueBuilder, access: &TextureAccess) -> Val {
    let zero = builder.constant_u32_val(0);
    let Some(lod) = compute_level_of_detail(builder, access, LodComponent::Accessed) else {
        return zero;
    };
    let last = query_last_level(builder, access);
    // Signed, because a negative level of detail, which magnifies, is clamped to the base level
    // below. Vulkan permits either level for a tie ("Image Level(s) Selection").
    let rounded = builder.emit_ext(GlslOp::RoundEven, &[lod]);
    let level = builder.emit_unary_to(Spv::ConvertFToS, Scalar::U32, rounded);
    let level = builder.emit_ext(GlslOp::SMin, &[level, last]);
    builder.emit_ext(GlslOp::SMax, &[level, zero])
}

/// Computes the level of detail of a sample, not below the minimum of the access. `component`
/// selects the accessed or the computed one where both are known. Returns `None` for a sample of
/// the base level without a minimum.
pub(super) fn compute_level_of_detail(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    component: LodComponent,
) -> Option<Val> {
    let lod = compute_unclamped_lod(builder, access, component);
    let Some(least) = access.min_lod else {
        return lod;
    };
    let lod = lod.unwrap_or_else(|| builder.constant_float_like(least, 0.0));
    Some(builder.emit_ext(GlslOp::NMax, &[lod, least]))
}

/// Emits the level of detail of an access without its minimum: explicit, from derivatives, or
/// queried with its bias. Returns `None` if it samples the base level.
fn compute_unclamped_lod(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    component: LodComponent,
) -> Option<Val> {
    let in_fragment = builder.stage() == Stage::Fragment;
    match (access.data.mode, access.mode_operands) {
        // Rectangles have one level.
        _ if access.texture.target == TexTarget::Rect => None,
        (TexMode::Lod, [lod, _]) => lod,
        (TexMode::Grad, [Some(dx), Some(dy)]) => {
            Some(compute_gradient_detail(builder, access, dx, dy))
        }
        // Relative to the base level, like the operand that `push_level_operand` adds.
        (TexMode::Bias, [bias, _]) if !in_fragment => bias,
        (TexMode::Implicit | TexMode::Bias, [bias, _]) if in_fragment => {
            let both = emit_lod_query(builder, access, access.coordinate?);
            let lod = builder.extract_component(both, component as usize);
            Some(match (bias, component) {
                (Some(bias), LodComponent::Accessed) => add_bias(builder, both, bias),
                (Some(bias), LodComponent::Computed) => builder.emit_binary(Spv::FAdd, lod, bias),
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
fn add_bias(builder: &mut ValueBuilder, levels: Val, bias: Val) -> Val {
    let [accessed, computed] = [0, 1].map(|index| builder.extract_component(levels, index));
    let biased = builder.emit_binary(Spv::FAdd, computed, bias);
    let raised = builder.emit_binary(Spv::FSub, accessed, computed);
    let [half, minus_half] = [0.5, -0.5].map(|number| builder.constant_float_like(raised, number));
    let is_raised = builder.emit_test(Spv::FOrdGreaterThan, raised, half);
    let is_lowered = builder.emit_test(Spv::FOrdLessThan, raised, minus_half);
    let at_least = builder.emit_ext(GlslOp::NMax, &[biased, accessed]);
    let at_most = builder.emit_ext(GlslOp::NMin, &[biased, accessed]);
    let level = builder.emit_select(is_raised, at_least, biased);
    builder.emit_select(is_lowered, at_most, level)
}

/// Computes the level of detail of explicit derivatives: the logarithm to base 2 of the maximum
/// distance in texels of the base level between a pixel and its neighbors.
fn compute_gradient_detail(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    dx: Val,
    dy: Val,
) -> Val {
    let size = query_base_size(builder, access);
    let [dx, dy] = [dx, dy].map(|gradient| {
        // GL 2.1 section 3.8.8: the longer one of the two lengths in texels.
        let texels = builder.emit_binary(Spv::FMul, gradient, size);
        builder.emit_ext_to(GlslOp::Length, Scalar::F32, 1, texels.id)
    });
    let most = builder.emit_ext(GlslOp::NMax, &[dx, dy]);
    builder.emit_ext(GlslOp::Log2, &[most])
}
