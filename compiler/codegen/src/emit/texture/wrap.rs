//! Wrap modes that samplers lack (see [`TextureWrap`]): coordinates are clamped and mirrored before
//! they are passed to the sampler, and levels of detail remain those of the original coordinates.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder};
use crate::emit::context::TextureEmitter;
use crate::emit::texture::access::{ImageOperandWords, TextureAccess};
use crate::emit::texture::offset::{
    LodComponent, apply_offset_at_level, compute_level_of_detail, compute_nearest_level,
    query_level_size,
};
use crate::emit::texture::texture_variable::is_rectangle;
use crate::options::{MipFilter, Options, TexelFilter, TextureWrap, WrapMode, wrapped_dimensions};
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Filter that reads the texels of a sample.
#[derive(Clone, Copy)]
enum FilterChoice {
    Always(TexelFilter),
    /// Linear if this is true, else nearest.
    LinearWhere(Val),
}

/// Values from which the bounds of a coordinate are computed.
#[derive(Clone, Copy)]
struct CoordinateLimits {
    filter: FilterChoice,
    /// Half the size of a texel of the base level, if a filter reads the nearest texel.
    half_base_texel: Option<Val>,
    /// Half the size of a texel of the sampled level, if coordinates are mirrored and a filter is
    /// linear.
    half_texel: Option<Val>,
}

impl WrapMode {
    /// Returns true for modes that mirror negative coordinates at 0 and clamp the result.
    pub(crate) const fn mirrors(self) -> bool {
        matches!(
            self,
            Self::MirrorClamp | Self::MirrorClampToBorder | Self::MirrorClampToEdge
        )
    }

    /// Returns true for modes by which the border color is sampled outside of the texture.
    pub(crate) const fn has_border(self) -> bool {
        matches!(
            self,
            Self::Clamp | Self::MirrorClamp | Self::MirrorClampToBorder
        )
    }

    /// Returns true for modes that clamp coordinates to [0, 1], so that linear filters mix in the
    /// border.
    pub(crate) const fn clamps_to_texture(self) -> bool {
        matches!(self, Self::Clamp | Self::MirrorClamp)
    }
}

impl TextureWrap {
    /// Returns true if the filter for magnification or minification is linear.
    fn filters_linearly(&self) -> bool {
        self.mag_filter == TexelFilter::Linear || self.min_filter == TexelFilter::Linear
    }

    /// Returns true if the filter for magnification or minification is nearest.
    fn filters_nearest(&self) -> bool {
        self.mag_filter == TexelFilter::Nearest || self.min_filter == TexelFilter::Nearest
    }

    /// Returns true if the result of a sample depends on the level of detail.
    fn depends_on_detail(&self) -> bool {
        self.mip_filter != MipFilter::None || self.mag_filter != self.min_filter
    }

    /// Returns true if a dimension has a mirror with a border, which linear filters reach within
    /// half a texel.
    fn needs_half_at_mirror(&self) -> bool {
        self.filters_linearly() && self.any_mode(|mode| mode.mirrors() && mode.has_border())
    }

    /// Returns true if `is` holds for the wrap mode of any dimension.
    pub(crate) fn any_mode(&self, is: impl Fn(WrapMode) -> bool) -> bool {
        self.wrap_modes.iter().any(|&mode| is(mode))
    }
}

impl TextureEmitter<'_, '_> {
    // Gathers, which select their texels like linear filters, in the base level.

    /// Gathers the texels of a footprint whose coordinate is clamped and mirrored by its wrap
    /// modes, after the offset is added, and returns them in the order before the mirroring.
    pub(super) fn emit_wrapped_gather(
        &mut self,
        access: &TextureAccess,
        component: u8,
        wrap: TextureWrap,
    ) -> [Lane; 4] {
        let linear = TextureWrap {
            mag_filter: TexelFilter::Linear,
            min_filter: TexelFilter::Linear,
            ..wrap
        };
        let base = self.function.builder.constant_u32_val(0);
        // Gathers read the base level, so the distance of an offset does not depend on a level.
        let mut wrapped = apply_offset_at_level(self.function.builder, access, base);
        let Some(coordinate) = wrapped.coordinate else {
            return self.emit_gather(access, component, &ImageOperandWords::default());
        };
        let halves = linear.needs_half_at_mirror();
        let half = halves.then(|| compute_half_texel(self.function.builder, access, base));
        let mirrors: [Option<MirrorSide>; 2] = std::array::from_fn(|lane| {
            let mode = linear.wrap_modes[lane];
            let half = half.filter(|_| mode.has_border());
            mode.mirrors()
                .then(|| compute_mirror(self.function.builder, coordinate, half, lane))
        });
        let limits = CoordinateLimits {
            filter: FilterChoice::Always(TexelFilter::Linear),
            half_base_texel: None,
            half_texel: half
                .map(|half| compute_half_at_mirrors(self.function.builder, &mirrors, half)),
        };
        wrapped.coordinate = Some(clamp_to_range(
            self.function.builder,
            coordinate,
            &linear,
            limits,
        ));
        let texels = self.emit_gather(&wrapped, component, &ImageOperandWords::default());
        swap_footprint(self.function.builder, texels, mirrors)
    }
}

/// Returns the wrap modes of an access according to the options, if samplers lack any of them.
/// Returns `None` if the sampler does all wrapping.
pub(super) fn find_wrap(
    module: &ModuleWriter,
    options: &Options,
    access: &TextureAccess,
) -> Option<TextureWrap> {
    let unit = access.texture.sampler_unit()?;
    if is_rectangle(module, access.texture.target) {
        // OpenGL's samplers support all modes.
        return None;
    }
    let mut wrap = *options.texture_wraps.get(unit as usize)?;
    // Layers, and directions of cubes, have no wrap modes.
    wrap.wrap_modes[wrapped_dimensions(access.texture.target)..].fill(WrapMode::BySampler);
    if access.texture.target == TexTarget::Rect {
        wrap.mip_filter = MipFilter::None;
    }
    wrap.any_mode(|mode| mode != WrapMode::BySampler)
        .then_some(wrap)
}

/// Returns a sample whose coordinate is clamped and mirrored by its wrap modes, after the offset is
/// added. If filter or level depend on derivatives, it has those of the original coordinate.
pub(super) fn apply_wrap(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    wrap: TextureWrap,
) -> TextureAccess {
    let Some(coordinate) = access.coordinate else {
        return *access;
    };
    let offsets = access.data.offset != TexelOffset::None;
    let base = builder.constant_u32_val(0);
    let level = match wrap.mip_filter {
        MipFilter::Nearest | MipFilter::Linear if offsets || wrap.needs_half_at_mirror() => {
            compute_nearest_level(builder, access)
        }
        MipFilter::None | MipFilter::Nearest | MipFilter::Linear => base,
    };
    let halves_at_ends = wrap.any_mode(WrapMode::clamps_to_texture) && wrap.filters_nearest();
    // Computed before the coordinate is changed: sizes and levels are those of the original access.
    let limits = CoordinateLimits {
        filter: choose_filter(builder, access, &wrap),
        half_base_texel: halves_at_ends.then(|| compute_half_texel(builder, access, base)),
        half_texel: (wrap.needs_half_at_mirror())
            .then(|| compute_half_texel(builder, access, level)),
    };
    let mut wrapped = *access;
    // Derivatives are those of the original coordinate: after the clamp it may be constant, which
    // would select the base level.
    if wrap.depends_on_detail() {
        use_explicit_gradients(builder, &mut wrapped, coordinate);
    }
    // Offsets are added before the clamp: NV_gpu_program4 section 3.8.8, which clamps u, v and w
    // after adding them.
    let mut wrapped = apply_offset_at_level(builder, &wrapped, level);
    if let Some(coordinate) = wrapped.coordinate {
        wrapped.coordinate = Some(clamp_to_range(builder, coordinate, &wrap, limits));
    }
    wrapped
}

/// Returns the filter of a sample, or the test that chooses between magnification and minification.
/// Only modes that clamp to the texture need the distinction; without a level of detail the
/// magnification filter applies.
fn choose_filter(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    wrap: &TextureWrap,
) -> FilterChoice {
    if wrap.mag_filter == wrap.min_filter || !wrap.any_mode(WrapMode::clamps_to_texture) {
        return FilterChoice::Always(wrap.mag_filter);
    }
    let Some(lod) = compute_level_of_detail(builder, access, LodComponent::Computed) else {
        return FilterChoice::Always(wrap.mag_filter);
    };
    // Vulkan magnifies if the level is 0 or less.
    let op = match wrap.mag_filter {
        TexelFilter::Linear => Spv::FOrdLessThanEqual,
        TexelFilter::Nearest => Spv::FOrdGreaterThan,
    };
    FilterChoice::LinearWhere(builder.emit_compare_bits(op, lod, 0))
}

/// Emits half the size of a texel of a level, in normalized coordinates.
pub(super) fn compute_half_texel(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    level: Val,
) -> Val {
    let size = query_level_size(builder, access, level);
    let half = builder.constant_float_like(size, 0.5);
    builder.emit_binary(Spv::FDiv, half, size)
}

/// Converts a sample with an implicit level to one with the derivatives of `coordinate`. A bias
/// becomes a factor of the derivatives. Does nothing outside fragment programs and for other modes.
pub(super) fn use_explicit_gradients(
    builder: &mut ValueBuilder,
    access: &mut TextureAccess,
    coordinate: Val,
) {
    if builder.stage() != Stage::Fragment
        || !matches!(access.data.mode, TexMode::Implicit | TexMode::Bias)
    {
        return;
    }
    let point = builder.take_components(coordinate, access.texture.target.dimensions());
    // A bias is added to a logarithm of derivatives.
    let scale = access.mode_operands[0].map(|bias| builder.emit_ext(GlslOp::Exp2, &[bias]));
    access.mode_operands = [Spv::DPdx, Spv::DPdy].map(|op| {
        let gradient = builder.emit_unary(op, point);
        Some(match scale {
            Some(scale) => builder.emit_binary(Spv::FMul, gradient, scale),
            None => gradient,
        })
    });
    access.data.mode = TexMode::Grad;
}

/// Mirrors and clamps the components of a coordinate that have such a mode, to the bounds in
/// `limits`. Layers and other components are unchanged.
fn clamp_to_range(
    builder: &mut ValueBuilder,
    coordinate: Val,
    wrap: &TextureWrap,
    limits: CoordinateLimits,
) -> Val {
    let mirrored = apply_mirror(builder, coordinate, wrap);
    // Layers and dimensions without bounds are unchanged by the clamp.
    let mut low = [Lane::scalar(builder.constant_f32(f32::MIN)); 4];
    let mut high = [Lane::scalar(builder.constant_f32(f32::MAX)); 4];
    let mut is_bounded = false;
    for (lane, mode) in wrap.wrap_modes.into_iter().enumerate() {
        if !mode.has_border() {
            continue;
        }
        is_bounded = true;
        low[lane] = match limits.half_texel {
            Some(half) if mode.mirrors() => half.lane(lane),
            _ => Lane::scalar(builder.constant_f32(0.0)),
        };
        if mode.clamps_to_texture() {
            high[lane] = compute_last_coordinate(builder, limits, lane);
        }
    }
    if !is_bounded {
        return mirrored;
    }
    let size = coordinate.size as usize;
    let low = builder.gather_vector(&low[..size], Scalar::F32);
    let high = builder.gather_vector(&high[..size], Scalar::F32);
    builder.emit_ext(GlslOp::NClamp, &[mirrored, low, high])
}

/// Computes the maximum of coordinate `lane`, which is clamped to the texture: 1 for linear
/// filters, which reach the border there, and the center of the last texel for others.
fn compute_last_coordinate(
    builder: &mut ValueBuilder,
    limits: CoordinateLimits,
    lane: usize,
) -> Lane {
    let one = builder.constant_f32_val(1.0);
    let linear = match limits.filter {
        FilterChoice::Always(TexelFilter::Linear) => return one.lane(0),
        FilterChoice::Always(TexelFilter::Nearest) => None,
        FilterChoice::LinearWhere(is_linear) => Some(is_linear),
    };
    // `half_base_texel` exists if a filter is nearest.
    let Some(half) = limits.half_base_texel else {
        return one.lane(0);
    };
    let half = builder.extract_component(half, lane);
    // The center of the last texel: rounding below it cannot reach the border.
    let nearest = builder.emit_binary(Spv::FSub, one, half);
    match linear {
        Some(is_linear) => builder.emit_select(is_linear, one, nearest).lane(0),
        None => nearest.lane(0),
    }
}

/// Emits the absolute values of the coordinate components whose wrap mode mirrors, adjusted for
/// nearest filters; the other components are unchanged.
fn apply_mirror(builder: &mut ValueBuilder, coordinate: Val, wrap: &TextureWrap) -> Val {
    if !wrap.any_mode(WrapMode::mirrors) {
        return coordinate;
    }
    let mut positive = builder.emit_ext(GlslOp::FAbs, &[coordinate]);
    if wrap.filters_nearest() {
        positive = compute_nearest_mirrored(builder, coordinate, positive);
    }
    let lanes: [Lane; 4] = std::array::from_fn(|lane| match wrap.wrap_modes.get(lane) {
        Some(mode) if mode.mirrors() => positive.lane(lane),
        _ => coordinate.lane(lane),
    });
    builder.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32)
}

/// Computes the absolute value of a coordinate for a filter that reads the nearest texel: the
/// greatest float below `positive` if `coordinate` is negative, because the mirror image of a texel
/// has its inclusive bound at the other end.
pub(super) fn compute_nearest_mirrored(
    builder: &mut ValueBuilder,
    coordinate: Val,
    positive: Val,
) -> Val {
    let bits = builder.cast_val(positive, Scalar::U32);
    let below = builder.emit_binary_bits(Spv::ISub, bits, 1);
    let below = builder.cast_val(below, Scalar::F32);
    let is_negative = builder.emit_compare_bits(Spv::FOrdLessThan, coordinate, 0);
    builder.emit_select(is_negative, below, positive)
}

/// Emits the tests for coordinate `lane` that it is negative and, given half the size of a texel,
/// that the footprint of a linear filter crosses zero.
pub(super) fn compute_mirror(
    builder: &mut ValueBuilder,
    coordinate: Val,
    half: Option<Val>,
    lane: usize,
) -> MirrorSide {
    let coordinate = builder.extract_component(coordinate, lane);
    let is_behind = builder.emit_compare_bits(Spv::FOrdLessThan, coordinate, 0);
    let is_across = half.map(|half| {
        let half = builder.extract_component(half, lane);
        let distance = builder.emit_ext(GlslOp::FAbs, &[coordinate]);
        builder.emit_test(Spv::FOrdLessThan, distance, half)
    });
    MirrorSide {
        is_behind,
        is_across,
    }
}

/// Computes the lower bounds of coordinates from half the size of a texel: a whole texel for
/// footprints across the mirror, where both texels of a dimension are the first of the texture, so
/// that the footprint contains that texel and no border; else 0.
pub(super) fn compute_half_at_mirrors(
    builder: &mut ValueBuilder,
    mirrors: &[Option<MirrorSide>; 2],
    half: Val,
) -> Val {
    let zero = builder.constant_float_like(half, 0.0);
    let whole = builder.emit_binary(Spv::FAdd, half, half);
    builder.map_components(half, |emit, lane| {
        let [zero, whole] = [zero, whole].map(|val| emit.extract_component(val, lane));
        match mirrors[lane & 1].and_then(|mirror| mirror.is_across) {
            Some(is_across) => emit.emit_select(is_across, whole, zero),
            None => zero,
        }
    })
}

/// Restores the order of gathered texels before the coordinate was mirrored. Dimensions without a
/// mirror are unchanged.
pub(super) fn swap_footprint(
    builder: &mut ValueBuilder,
    mut texels: [Lane; 4],
    mirrors: [Option<MirrorSide>; 2],
) -> [Lane; 4] {
    // The footprint consists of the texels (0, 1), (1, 1), (1, 0), (0, 0), in the order of
    // NV_gpu_program5 section 2.X.8.Z, TXG.
    const NEIGHBORS: [[(usize, usize); 2]; 2] = [[(3, 2), (0, 1)], [(3, 0), (2, 1)]];
    for (mirror, pairs) in mirrors.into_iter().zip(NEIGHBORS) {
        let Some(mirror) = mirror else {
            continue;
        };
        for (first, second) in pairs {
            let pair = [texels[first], texels[second]];
            [texels[first], texels[second]] = swap_pair(builder, pair, mirror);
        }
    }
    texels
}

/// Swaps neighbors where the coordinate is mirrored. In a footprint across the mirror both of them
/// are the first one.
fn swap_pair(builder: &mut ValueBuilder, pair: [Lane; 2], mirror: MirrorSide) -> [Lane; 2] {
    let [a, b] = pair.map(|lane| {
        let scalar = builder.value_info(lane.id()).scalar;
        builder.gather_vector(&[lane], scalar)
    });
    let swapped = [(b, a), (a, b)].map(|(yes, no)| builder.emit_select(mirror.is_behind, yes, no));
    let Some(is_across) = mirror.is_across else {
        return swapped.map(|texel| texel.lane(0));
    };
    swapped.map(|texel| builder.emit_select(is_across, a, texel).lane(0))
}

/// Position of a component of a coordinate relative to the mirror at 0.
#[derive(Clone, Copy)]
pub(super) struct MirrorSide {
    /// True if it is negative.
    pub(super) is_behind: Val,
    /// True if it is less than half a texel from the mirror, so that its footprint is on both
    /// sides; for modes with border only.
    pub(super) is_across: Option<Val>,
}
