//! Wrap modes that modules read at run time: the transformations of `wrap` for all modes at once.
//!
//! An access is in a branch: textures whose modes the sampler supports are read without any
//! transformation.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::emit::control::guarded::run_by_case;
use crate::emit::cx::TextureEmitter;
use crate::emit::texture::access::{Access, Operands};
use crate::emit::texture::object::is_rectangle;
use crate::emit::texture::offset::{
    Detail, apply_offset_at_level, compute_level_of_detail, compute_nearest_level,
};
use crate::emit::texture::wrap::{
    Mirror, compute_half_at_mirrors, compute_half_texel, compute_mirror, compute_nearest_mirrored,
    dimensions, find_wrap, keep_detail, swap_footprint,
};
use crate::error::Failure;
use crate::interface::Io;
use crate::options::{TextureWrap, WrapMode};
use crate::state::{UNITS, Word, WrapBits};
use crate::words::ValueWord;
use glasm_ir::TexTarget;
use glasm_ir::resource::TexelOffset;
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Source of the wrap modes of an access.
#[derive(Clone, Copy)]
pub(super) enum Wraps {
    /// The sampler implements them.
    Sampler,
    Known(TextureWrap),
    Read(WrapState),
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
    /// Runs an access with its wrap modes, in a branch if the module reads them.
    pub(super) fn run_by_wraps(
        &mut self,
        access: &Access,
        mut body: impl FnMut(&mut Self, Wraps) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        if self.f.options.forms.texture_wraps.is_fixed() {
            let wraps =
                find_wrap(self.f.w, self.f.options, access).map_or(Wraps::Sampler, Wraps::Known);
            return body(self, wraps);
        }
        let unit = access.texture.sampler_unit();
        let unit = unit.filter(|unit| *unit < UNITS && dimensions(access.texture.target) > 0);
        let unit = unit.filter(|_| !is_rectangle(self.f.w, access.texture.target));
        let Some(unit) = unit else {
            return body(self, Wraps::Sampler);
        };
        let word = self.f.io().gl_state().load_at(Word::TextureWraps, unit);
        let state = load_wrap_state(&mut self.f.io(), word, access.texture.target);
        if self.sparse.asks_for_residency() {
            // The residency is needed after the access, outside of a branch. Modes of the sampler
            // leave coordinates unchanged.
            return body(self, Wraps::Read(state));
        }
        let has_modes = self.f.io().gl_state().compare(Spv::INotEqual, word, 0);
        let [one, zero] = [1, 0].map(|number| self.f.w.uint_val(number));
        let number = self.f.w.select(has_modes, one, zero);
        run_by_case(self, number, 2, |emit, case| match case {
            0 => body(emit, Wraps::Sampler),
            _ => body(emit, Wraps::Read(state)),
        })
    }

    /// Gathers the texels of a footprint whose coordinate is in the range of its wrap modes:
    /// selected as by a linear filter, in the base level.
    pub(super) fn gather_by_state(
        &mut self,
        access: &Access,
        component: u8,
        state: &WrapState,
    ) -> [Lane; 4] {
        let base = self.f.w.uint_val(0);
        let mut wrapped = apply_offset_at_level(self.f.w, access, base);
        let Some(coordinate) = wrapped.coordinate else {
            return self.gather_with(access, component, &Operands::default());
        };
        // For every access, because any mode may need it; if none does, the branch around it is not
        // taken.
        let half = compute_half_texel(self.f.w, access, base);
        let mirrors = [0, 1].map(|lane| {
            let mode = &state.modes[lane];
            // As if the mode mirrored and had a border; the actual mode masks both.
            let mirror = compute_mirror(self.f.w, coordinate, Some(half), lane);
            let bordered = self
                .f
                .w
                .truth_op(Spv::LogicalAnd, mode.mirrors, mode.has_border);
            let both = |w: &mut ValueBuilder, a, b| w.truth_op(Spv::LogicalAnd, a, b);
            Some(Mirror {
                is_behind: both(self.f.w, mirror.is_behind, mode.mirrors),
                is_across: mirror
                    .is_across
                    .map(|is_across| both(self.f.w, is_across, bordered)),
            })
        });
        let least = compute_half_at_mirrors(self.f.w, &mirrors, half);
        // Gathers have two dimensions; the third lane is never a bound.
        let low = std::array::from_fn(|lane| least.lane(lane & 1));
        let one = Lane::scalar(self.f.w.float(1.0));
        let positive = self.f.w.ext(GlslOp::FAbs, &[coordinate]);
        wrapped.coordinate = Some(clamp_to_bounds(
            self.f.w,
            [coordinate, positive],
            state,
            [low, [one; 4]],
        ));
        let texels = self.gather_with(&wrapped, component, &Operands::default());
        swap_footprint(self.f.w, texels, mirrors)
    }
}

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
        let ends = io.w.truth_op(Spv::LogicalOr, clamp, mirror_clamp);
        ModeState {
            mirrors,
            has_border: io.w.truth_op(Spv::LogicalOr, ends, to_border),
            ends,
        }
    });
    WrapState {
        dimensions: dimensions(target),
        modes,
        magnifies_linearly: flags[0],
        minifies_linearly: flags[1],
        has_levels: if target == TexTarget::Rect {
            // Rectangles have one level.
            io.w.never()
        } else {
            flags[2]
        },
    }
}

/// Returns a sample whose coordinate is in the range of its wrap modes.
pub(super) fn apply_wrap_state(w: &mut ValueBuilder, access: &Access, state: &WrapState) -> Access {
    let Some(coordinate) = access.coordinate else {
        return *access;
    };
    let base = w.uint_val(0);
    let nearest = compute_nearest_level(w, access);
    let level = w.select(state.has_levels, nearest, base);
    let [half_of_base, half] = [base, level].map(|level| compute_half_texel(w, access, level));
    let is_linear = test_linear_filter(w, access, state);
    let mut wrapped = *access;
    // Derivatives are those of the original coordinate: after the clamp it may be constant, which
    // would select the base level.
    keep_detail(w, &mut wrapped, coordinate);
    let mut wrapped = if access.data.offset == TexelOffset::None {
        wrapped
    } else {
        apply_offset_at_level(w, &wrapped, level)
    };
    let Some(coordinate) = wrapped.coordinate else {
        return wrapped;
    };
    let (linear, minified) = (state.magnifies_linearly, state.minifies_linearly);
    let any_linear = w.truth_op(Spv::LogicalOr, linear, minified);
    let all_linear = w.truth_op(Spv::LogicalAnd, linear, minified);
    let zero = w.float_val(0.0);
    let one = w.float_val(1.0);
    let size = state.dimensions;
    let low = std::array::from_fn(|lane| {
        let Some(mode) = state.modes.get(lane).filter(|_| lane < size) else {
            return zero.lane(0);
        };
        let sees_border = w.truth_op(Spv::LogicalAnd, mode.mirrors, any_linear);
        let half = w.component(half, lane);
        w.select(sees_border, half, zero).lane(0)
    });
    let high = std::array::from_fn(|lane| {
        if lane >= size {
            return one.lane(0);
        }
        let half = w.component(half_of_base, lane);
        let last = w.binary(Spv::FSub, one, half);
        w.select(is_linear, one, last).lane(0)
    });
    let positive = compute_mirror_image(w, coordinate, all_linear);
    wrapped.coordinate = Some(clamp_to_bounds(
        w,
        [coordinate, positive],
        state,
        [low, high],
    ));
    wrapped
}

/// Tests whether the filter of a sample is linear.
fn test_linear_filter(w: &mut ValueBuilder, access: &Access, state: &WrapState) -> Val {
    let Some(lod) = compute_level_of_detail(w, access, Detail::Computed) else {
        return state.magnifies_linearly;
    };
    // Vulkan magnifies if the level is 0 or less. It lacks the threshold of 0.5 that GL has for
    // some pairs of filters.
    let magnifies = w.compare_bits(Spv::FOrdLessThanEqual, lod, 0);
    let minifies = w.not(magnifies);
    let near = w.truth_op(Spv::LogicalAnd, magnifies, state.magnifies_linearly);
    let far = w.truth_op(Spv::LogicalAnd, minifies, state.minifies_linearly);
    w.truth_op(Spv::LogicalOr, near, far)
}

/// Computes a coordinate on the other side of the mirror.
fn compute_mirror_image(w: &mut ValueBuilder, coordinate: Val, is_linear: Val) -> Val {
    let positive = w.ext(GlslOp::FAbs, &[coordinate]);
    let nearest = compute_nearest_mirrored(w, coordinate, positive);
    w.select(is_linear, positive, nearest)
}

/// Selects the coordinate or its mirror image and clamps it to its bounds, according to the mode of
/// each dimension.
fn clamp_to_bounds(
    w: &mut ValueBuilder,
    [coordinate, mirrored]: [Val; 2],
    state: &WrapState,
    [low, high]: [[Lane; 4]; 2],
) -> Val {
    let [least, most] = [f32::MIN, f32::MAX].map(|number| w.float_val(number));
    let lanes: [Lane; 4] = std::array::from_fn(|lane| {
        let known = state.modes.get(lane);
        let Some(mode) = known.filter(|_| lane < state.dimensions) else {
            return coordinate.lane(lane);
        };
        let [own, mirrored] = [coordinate, mirrored].map(|val| w.component(val, lane));
        let [low, high] = [low[lane], high[lane]].map(|it| w.lane_val(it, Scalar::F32));
        // Bounds of modes without any are the largest floats, which only clamp infinities.
        let at = w.select(mode.mirrors, mirrored, own);
        let low = w.select(mode.has_border, low, least);
        let high = w.select(mode.ends, high, most);
        w.ext(GlslOp::NClamp, &[at, low, high]).lane(0)
    });
    w.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32)
}
