//! Wrap modes that modules read at run time: the transformations of `wrap` for all modes at once.
//!
//! An access is in a branch: textures whose modes the sampler supports are read without any
//! transformation.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::dynamic_state::{STATE_UNITS, StateField, WrapBits};
use crate::emit::context::TextureEmitter;
use crate::emit::control::cond::emit_cases;
use crate::emit::texture::access::{ImageOperandWords, TextureAccess};
use crate::emit::texture::offset::{
    LodComponent, apply_offset_at_level, compute_level_of_detail, compute_nearest_level,
};
use crate::emit::texture::texture_variable::is_rectangle;
use crate::emit::texture::wrap::{
    MirrorSide, compute_half_at_mirrors, compute_half_texel, compute_mirror,
    compute_nearest_mirrored, find_wrap, swap_footprint, use_explicit_gradients,
};
use crate::error::Failure;
use crate::interface::Io;
use crate::options::{TextureWrap, WrapMode, wrapped_dimensions};
use crate::spirv_writer::ValueWord;
use glasm_ir::TexTarget;
use glasm_ir::resource::TexelOffset;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Source of the wrap modes of an access.
#[derive(Clone, Copy)]
pub(super) enum WrapSource {
    /// The sampler implements them.
    Sampler,
    Constant(TextureWrap),
    Dynamic(WrapState),
}

/// Wrap modes and filters that the module reads.
#[derive(Clone, Copy)]
pub(super) struct WrapState {
    /// Number of dimensions with modes.
    dimensions: usize,
    modes: [ModeState; 3],
    magnifies_linearly: Val,
    minifies_linearly: Val,
    has_levels: Val,
}

/// Properties of the mode of a dimension.
#[derive(Clone, Copy)]
struct ModeState {
    mirrors: Val,
    has_border: Val,
    ends: Val,
}

impl TextureEmitter<'_, '_> {
    /// Calls `body`, which emits an access, with the source of its wrap modes: the sampler, the
    /// options, or state that the module reads. With the last one it is called twice, for the two
    /// cases of a branch, unless the residency of the texel is requested.
    pub(super) fn emit_by_wrap_modes(
        &mut self,
        access: &TextureAccess,
        mut body: impl FnMut(&mut Self, WrapSource) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        if self.function.options.state_sources.texture_wraps.is_fixed() {
            let wraps = find_wrap(self.function.builder, self.function.options, access)
                .map_or(WrapSource::Sampler, WrapSource::Constant);
            return body(self, wraps);
        }
        let unit = access.texture.sampler_unit();
        let unit = unit
            .filter(|unit| *unit < STATE_UNITS && wrapped_dimensions(access.texture.target) > 0);
        let unit = unit.filter(|_| !is_rectangle(self.function.builder, access.texture.target));
        let Some(unit) = unit else {
            return body(self, WrapSource::Sampler);
        };
        let word = self
            .function
            .io()
            .gl_state()
            .load_at(StateField::TextureWraps, unit);
        let state = load_wrap_state(&mut self.function.io(), word, access.texture.target);
        if self.residency.is_requested() {
            // The residency is needed after the access, outside of a branch. Modes of the sampler
            // leave coordinates unchanged.
            return body(self, WrapSource::Dynamic(state));
        }
        let has_modes = self
            .function
            .io()
            .gl_state()
            .compare(Spv::INotEqual, word, 0);
        let [one, zero] = [1, 0].map(|number| self.function.builder.constant_u32_val(number));
        let number = self.function.builder.emit_select(has_modes, one, zero);
        emit_cases(self, number, 2, |emit, case| match case {
            0 => body(emit, WrapSource::Sampler),
            _ => body(emit, WrapSource::Dynamic(state)),
        })
    }

    /// Gathers the texels of a footprint whose coordinate is clamped and mirrored by wrap modes
    /// that the module reads: selected as by a linear filter, in the base level. The offset is
    /// added before the clamp.
    pub(super) fn emit_gather_by_state(
        &mut self,
        access: &TextureAccess,
        component: u8,
        state: &WrapState,
    ) -> [Lane; 4] {
        let base = self.function.builder.constant_u32_val(0);
        let mut wrapped = apply_offset_at_level(self.function.builder, access, base);
        let Some(coordinate) = wrapped.coordinate else {
            return self.emit_gather(access, component, &ImageOperandWords::default());
        };
        // For every access, because any mode may need it; if none does, the branch around it is not
        // taken.
        let half = compute_half_texel(self.function.builder, access, base);
        let mirrors = [0, 1].map(|lane| {
            let mode = &state.modes[lane];
            // As if the mode mirrored and had a border; the actual mode masks both.
            let mirror = compute_mirror(self.function.builder, coordinate, Some(half), lane);
            let bordered =
                self.function
                    .builder
                    .emit_logical(Spv::LogicalAnd, mode.mirrors, mode.has_border);
            let both =
                |builder: &mut ValueBuilder, a, b| builder.emit_logical(Spv::LogicalAnd, a, b);
            Some(MirrorSide {
                is_behind: both(self.function.builder, mirror.is_behind, mode.mirrors),
                is_across: mirror
                    .is_across
                    .map(|is_across| both(self.function.builder, is_across, bordered)),
            })
        });
        let least = compute_half_at_mirrors(self.function.builder, &mirrors, half);
        // Gathers have two dimensions; the third lane is never a bound.
        let low = std::array::from_fn(|lane| least.lane(lane & 1));
        let one = Lane::scalar(self.function.builder.constant_f32(1.0));
        let positive = self.function.builder.emit_ext(GlslOp::FAbs, &[coordinate]);
        wrapped.coordinate = Some(clamp_to_bounds(
            self.function.builder,
            [coordinate, positive],
            state,
            [low, [one; 4]],
        ));
        let texels = self.emit_gather(&wrapped, component, &ImageOperandWords::default());
        swap_footprint(self.function.builder, texels, mirrors)
    }
}

/// Decodes the state word of a texture unit: emits properties of the wrap mode of each axis, and
/// the filters, as booleans. Rectangles have no levels.
fn load_wrap_state(io: &mut Io<'_>, word: ValueWord, target: TexTarget) -> WrapState {
    let modes = [0, 1, 2].map(|axis| {
        let mode = io
            .gl_state()
            .extract_bits(word, axis * WrapBits::MODE, WrapBits::MODE);
        let is = |io: &mut Io<'_>, known: WrapMode| {
            io.gl_state().compare(Spv::IEqual, mode, known as u32)
        };
        let [clamp, mirror_clamp] =
            [WrapMode::Clamp, WrapMode::MirrorClamp].map(|known| is(io, known));
        let to_border = is(io, WrapMode::MirrorClampToBorder);
        // The mirroring modes are the last ones of `WrapMode`.
        let mirrors =
            io.gl_state()
                .compare(Spv::UGreaterThanEqual, mode, WrapMode::MirrorClamp as u32);
        (clamp, mirror_clamp, to_border, mirrors)
    });
    let flags = [WrapBits::MAGNIFY, WrapBits::MINIFY, WrapBits::LEVELS];
    let flags = flags.map(|bit| {
        let bit = io.gl_state().extract_bits(word, bit, 1);
        io.gl_state().compare(Spv::INotEqual, bit, 0)
    });
    // Separate from the loads, which are in the prologue through `Io`: these are computed at the
    // access.
    let modes = modes.map(|(clamp, mirror_clamp, to_border, mirrors)| {
        let ends = io.builder.emit_logical(Spv::LogicalOr, clamp, mirror_clamp);
        ModeState {
            mirrors,
            has_border: io.builder.emit_logical(Spv::LogicalOr, ends, to_border),
            ends,
        }
    });
    WrapState {
        dimensions: wrapped_dimensions(target),
        modes,
        magnifies_linearly: flags[0],
        minifies_linearly: flags[1],
        has_levels: if target == TexTarget::Rect {
            // Rectangles have one level.
            io.builder.constant_false()
        } else {
            flags[2]
        },
    }
}

/// Returns a sample whose coordinate is clamped and mirrored by wrap modes that the module reads,
/// after the offset is added, with the derivatives of the original coordinate.
pub(super) fn apply_wrap_state(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    state: &WrapState,
) -> TextureAccess {
    let Some(coordinate) = access.coordinate else {
        return *access;
    };
    let base = builder.constant_u32_val(0);
    let nearest = compute_nearest_level(builder, access);
    let level = builder.emit_select(state.has_levels, nearest, base);
    let [half_of_base, half] =
        [base, level].map(|level| compute_half_texel(builder, access, level));
    let is_linear = test_linear_filter(builder, access, state);
    let mut wrapped = *access;
    // Derivatives are those of the original coordinate: after the clamp it may be constant, which
    // would select the base level.
    use_explicit_gradients(builder, &mut wrapped, coordinate);
    let mut wrapped = if access.data.offset == TexelOffset::None {
        wrapped
    } else {
        apply_offset_at_level(builder, &wrapped, level)
    };
    let Some(coordinate) = wrapped.coordinate else {
        return wrapped;
    };
    let (linear, minified) = (state.magnifies_linearly, state.minifies_linearly);
    let any_linear = builder.emit_logical(Spv::LogicalOr, linear, minified);
    let all_linear = builder.emit_logical(Spv::LogicalAnd, linear, minified);
    let zero = builder.constant_f32_val(0.0);
    let one = builder.constant_f32_val(1.0);
    let size = state.dimensions;
    let low = std::array::from_fn(|lane| {
        let Some(mode) = state.modes.get(lane).filter(|_| lane < size) else {
            return zero.lane(0);
        };
        let sees_border = builder.emit_logical(Spv::LogicalAnd, mode.mirrors, any_linear);
        let half = builder.extract_component(half, lane);
        builder.emit_select(sees_border, half, zero).lane(0)
    });
    let high = std::array::from_fn(|lane| {
        if lane >= size {
            return one.lane(0);
        }
        let half = builder.extract_component(half_of_base, lane);
        let last = builder.emit_binary(Spv::FSub, one, half);
        builder.emit_select(is_linear, one, last).lane(0)
    });
    let positive = compute_mirror_image(builder, coordinate, all_linear);
    wrapped.coordinate = Some(clamp_to_bounds(
        builder,
        [coordinate, positive],
        state,
        [low, high],
    ));
    wrapped
}

/// Emits the test that a sample is filtered linearly, by its level of detail and the state. Without
/// a level of detail the magnification filter applies.
fn test_linear_filter(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    state: &WrapState,
) -> Val {
    let Some(lod) = compute_level_of_detail(builder, access, LodComponent::Computed) else {
        return state.magnifies_linearly;
    };
    // Vulkan magnifies if the level is 0 or less. It lacks the threshold of 0.5 that GL has for
    // some pairs of filters.
    let magnifies = builder.emit_compare_bits(Spv::FOrdLessThanEqual, lod, 0);
    let minifies = builder.emit_not(magnifies);
    let near = builder.emit_logical(Spv::LogicalAnd, magnifies, state.magnifies_linearly);
    let far = builder.emit_logical(Spv::LogicalAnd, minifies, state.minifies_linearly);
    builder.emit_logical(Spv::LogicalOr, near, far)
}

/// Emits the absolute value of a coordinate, reduced to the float below for negative coordinates
/// unless `is_linear` is true: nearest filters then read the mirrored texel also at its boundary.
fn compute_mirror_image(builder: &mut ValueBuilder, coordinate: Val, is_linear: Val) -> Val {
    let positive = builder.emit_ext(GlslOp::FAbs, &[coordinate]);
    let nearest = compute_nearest_mirrored(builder, coordinate, positive);
    builder.emit_select(is_linear, positive, nearest)
}

/// Selects the coordinate or its mirror image and clamps it to its bounds, according to the mode of
/// each dimension. Layers are unchanged.
fn clamp_to_bounds(
    builder: &mut ValueBuilder,
    [coordinate, mirrored]: [Val; 2],
    state: &WrapState,
    [low, high]: [[Lane; 4]; 2],
) -> Val {
    let [least, most] = [f32::MIN, f32::MAX].map(|number| builder.constant_f32_val(number));
    let lanes: [Lane; 4] = std::array::from_fn(|lane| {
        let known = state.modes.get(lane);
        let Some(mode) = known.filter(|_| lane < state.dimensions) else {
            return coordinate.lane(lane);
        };
        let [own, mirrored] =
            [coordinate, mirrored].map(|val| builder.extract_component(val, lane));
        let [low, high] =
            [low[lane], high[lane]].map(|bound| builder.read_lane_val(bound, Scalar::F32));
        // Bounds of modes without any are the largest floats, which only clamp infinities.
        let at = builder.emit_select(mode.mirrors, mirrored, own);
        let low = builder.emit_select(mode.has_border, low, least);
        let high = builder.emit_select(mode.ends, high, most);
        builder.emit_ext(GlslOp::NClamp, &[at, low, high]).lane(0)
    });
    builder.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32)
}
