//! Wrap modes that samplers lack (see [`TextureWrap`]): coordinates are clamped and mirrored before
//! they are passed to the sampler, and levels of detail remain those of the original coordinates.

use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder};
use crate::emit::cx::TextureEmitter;
use crate::emit::texture::access::{Access, Operands};
use crate::emit::texture::object::is_rectangle;
use crate::emit::texture::offset::{
    Detail, apply_offset_at_level, compute_level_of_detail, compute_nearest_level, query_level_size,
};
use crate::options::{LevelFilter, Options, TexelFilter, TextureWrap, WrapMode};
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Filter that reads the texels of a sample.
#[derive(Clone, Copy)]
enum Reads {
    Always(TexelFilter),
    /// Linear if this is true, else nearest.
    LinearWhere(Val),
}

/// Values from which the bounds of a coordinate are computed.
#[derive(Clone, Copy)]
struct Limits {
    reads: Reads,
    /// Half the size of a texel of the base level, if a filter reads the nearest texel.
    half_of_base: Option<Val>,
    /// Half the size of a texel of the sampled level, if coordinates are mirrored and a filter is
    /// linear.
    half: Option<Val>,
}

impl WrapMode {
    const fn mirrors(self) -> bool {
        matches!(
            self,
            Self::MirrorClamp | Self::MirrorClampToBorder | Self::MirrorClampToEdge
        )
    }

    /// Returns true if texels outside of the texture are the border.
    const fn has_border(self) -> bool {
        matches!(
            self,
            Self::Clamp | Self::MirrorClamp | Self::MirrorClampToBorder
        )
    }

    /// Returns true if the coordinate is clamped to the texture.
    const fn ends(self) -> bool {
        matches!(self, Self::Clamp | Self::MirrorClamp)
    }
}

impl TextureWrap {
    fn filters_linearly(&self) -> bool {
        self.magnify == TexelFilter::Linear || self.minify == TexelFilter::Linear
    }

    fn filters_nearest(&self) -> bool {
        self.magnify == TexelFilter::Nearest || self.minify == TexelFilter::Nearest
    }

    /// Returns true if the result of a sample depends on the level of detail.
    fn depends_on_detail(&self) -> bool {
        self.levels != LevelFilter::Base || self.magnify != self.minify
    }

    /// Returns true if a dimension has a mirror with a border, which linear filters reach within
    /// half a texel.
    fn halves_at_mirrors(&self) -> bool {
        self.filters_linearly() && self.any(|mode| mode.mirrors() && mode.has_border())
    }

    fn any(&self, is: impl Fn(WrapMode) -> bool) -> bool {
        self.modes.iter().any(|&mode| is(mode))
    }
}

impl TextureEmitter<'_, '_> {
    // Gathers, which select their texels like linear filters, in the base level.

    /// Gathers the texels of a footprint whose coordinate is in the range of its wrap modes.
    pub(super) fn gather_wrapped(
        &mut self,
        access: &Access,
        component: u8,
        wrap: TextureWrap,
    ) -> [Lane; 4] {
        let linear = TextureWrap {
            magnify: TexelFilter::Linear,
            minify: TexelFilter::Linear,
            ..wrap
        };
        let base = self.f.w.uint_val(0);
        // Gathers read the base level, so the distance of an offset does not depend on a level.
        let mut wrapped = apply_offset_at_level(self.f.w, access, base);
        let Some(coordinate) = wrapped.coordinate else {
            return self.gather_with(access, component, &Operands::default());
        };
        let halves = linear.halves_at_mirrors();
        let half = halves.then(|| compute_half_texel(self.f.w, access, base));
        let mirrors: [Option<Mirror>; 2] = std::array::from_fn(|lane| {
            let mode = linear.modes[lane];
            let half = half.filter(|_| mode.has_border());
            mode.mirrors()
                .then(|| compute_mirror(self.f.w, coordinate, half, lane))
        });
        let limits = Limits {
            reads: Reads::Always(TexelFilter::Linear),
            half_of_base: None,
            half: half.map(|half| compute_half_at_mirrors(self.f.w, &mirrors, half)),
        };
        wrapped.coordinate = Some(clamp_to_range(self.f.w, coordinate, &linear, limits));
        let texels = self.gather_with(&wrapped, component, &Operands::default());
        swap_footprint(self.f.w, texels, mirrors)
    }
}

/// Returns the wrap modes of an access, if samplers lack any of them.
pub(super) fn find_wrap(
    w: &ModuleWriter,
    options: &Options,
    access: &Access,
) -> Option<TextureWrap> {
    let unit = access.texture.sampler_unit()?;
    if is_rectangle(w, access.texture.target) {
        // OpenGL's samplers support all modes.
        return None;
    }
    let mut wrap = *options.texture_wraps.get(unit as usize)?;
    // Layers, and directions of cubes, have no wrap modes.
    wrap.modes[dimensions(access.texture.target)..].fill(WrapMode::Sampler);
    if access.texture.target == TexTarget::Rect {
        wrap.levels = LevelFilter::Base;
    }
    wrap.any(|mode| mode != WrapMode::Sampler).then_some(wrap)
}

/// Returns a sample whose coordinate is in the range of its wrap modes.
pub(super) fn apply_wrap(w: &mut ValueBuilder, access: &Access, wrap: TextureWrap) -> Access {
    let Some(coordinate) = access.coordinate else {
        return *access;
    };
    let offsets = access.data.offset != TexelOffset::None;
    let base = w.uint_val(0);
    let level = match wrap.levels {
        LevelFilter::Nearest | LevelFilter::Linear if offsets || wrap.halves_at_mirrors() => {
            compute_nearest_level(w, access)
        }
        LevelFilter::Base | LevelFilter::Nearest | LevelFilter::Linear => base,
    };
    let halves_at_ends = wrap.any(WrapMode::ends) && wrap.filters_nearest();
    // Computed before the coordinate is changed: sizes and levels are those of the original access.
    let limits = Limits {
        reads: choose_filter(w, access, &wrap),
        half_of_base: halves_at_ends.then(|| compute_half_texel(w, access, base)),
        half: (wrap.halves_at_mirrors()).then(|| compute_half_texel(w, access, level)),
    };
    let mut wrapped = *access;
    // Derivatives are those of the original coordinate: after the clamp it may be constant, which
    // would select the base level.
    if wrap.depends_on_detail() {
        keep_detail(w, &mut wrapped, coordinate);
    }
    // Offsets are added before the clamp: NV_gpu_program4 section 3.8.8, which clamps u, v and w
    // after adding them.
    let mut wrapped = apply_offset_at_level(w, &wrapped, level);
    if let Some(coordinate) = wrapped.coordinate {
        wrapped.coordinate = Some(clamp_to_range(w, coordinate, &wrap, limits));
    }
    wrapped
}

/// Chooses the filter of a sample.
fn choose_filter(w: &mut ValueBuilder, access: &Access, wrap: &TextureWrap) -> Reads {
    if wrap.magnify == wrap.minify || !wrap.any(WrapMode::ends) {
        return Reads::Always(wrap.magnify);
    }
    let Some(lod) = compute_level_of_detail(w, access, Detail::Computed) else {
        return Reads::Always(wrap.magnify);
    };
    // Vulkan magnifies if the level is 0 or less.
    let op = match wrap.magnify {
        TexelFilter::Linear => Spv::FOrdLessThanEqual,
        TexelFilter::Nearest => Spv::FOrdGreaterThan,
    };
    Reads::LinearWhere(w.compare_bits(op, lod, 0))
}

/// Computes half the size of a texel of a level.
pub(super) fn compute_half_texel(w: &mut ValueBuilder, access: &Access, level: Val) -> Val {
    let size = query_level_size(w, access, level);
    let half = w.float_like(size, 0.5);
    w.binary(Spv::FDiv, half, size)
}

/// Converts a sample with an implicit level to one with the derivatives of the current coordinate.
/// A bias becomes a factor of the derivatives.
pub(super) fn keep_detail(w: &mut ValueBuilder, access: &mut Access, coordinate: Val) {
    if w.stage() != Stage::Fragment
        || !matches!(access.data.mode, TexMode::Implicit | TexMode::Bias)
    {
        return;
    }
    let point = w.take_components(coordinate, access.texture.target.dimensions());
    // A bias is added to a logarithm of derivatives.
    let scale = access.own[0].map(|bias| w.ext(GlslOp::Exp2, &[bias]));
    access.own = [Spv::DPdx, Spv::DPdy].map(|op| {
        let gradient = w.unary(op, point);
        Some(match scale {
            Some(scale) => w.binary(Spv::FMul, gradient, scale),
            None => gradient,
        })
    });
    access.data.mode = TexMode::Grad;
}

/// Mirrors and clamps the components of a coordinate that have such a mode.
fn clamp_to_range(
    w: &mut ValueBuilder,
    coordinate: Val,
    wrap: &TextureWrap,
    limits: Limits,
) -> Val {
    let mirrored = apply_mirror(w, coordinate, wrap);
    // Layers and dimensions without bounds are unchanged by the clamp.
    let mut low = [Lane::scalar(w.float(f32::MIN)); 4];
    let mut high = [Lane::scalar(w.float(f32::MAX)); 4];
    let mut is_bounded = false;
    for (lane, mode) in wrap.modes.into_iter().enumerate() {
        if !mode.has_border() {
            continue;
        }
        is_bounded = true;
        low[lane] = match limits.half {
            Some(half) if mode.mirrors() => half.lane(lane),
            _ => Lane::scalar(w.float(0.0)),
        };
        if mode.ends() {
            high[lane] = compute_last_coordinate(w, limits, lane);
        }
    }
    if !is_bounded {
        return mirrored;
    }
    let size = coordinate.size as usize;
    let low = w.gather_vector(&low[..size], Scalar::F32);
    let high = w.gather_vector(&high[..size], Scalar::F32);
    w.ext(GlslOp::NClamp, &[mirrored, low, high])
}

/// Computes the maximum of a coordinate that is clamped to the texture: for linear filters the
/// border, for others within the last texel.
fn compute_last_coordinate(w: &mut ValueBuilder, limits: Limits, lane: usize) -> Lane {
    let one = w.float_val(1.0);
    let linear = match limits.reads {
        Reads::Always(TexelFilter::Linear) => return one.lane(0),
        Reads::Always(TexelFilter::Nearest) => None,
        Reads::LinearWhere(is_linear) => Some(is_linear),
    };
    // `half_of_base` exists if a filter is nearest.
    let Some(half) = limits.half_of_base else {
        return one.lane(0);
    };
    let half = w.component(half, lane);
    // The center of the last texel: rounding below it cannot reach the border.
    let nearest = w.binary(Spv::FSub, one, half);
    match linear {
        Some(is_linear) => w.select(is_linear, one, nearest).lane(0),
        None => nearest.lane(0),
    }
}

/// Mirrors negative components of a coordinate.
fn apply_mirror(w: &mut ValueBuilder, coordinate: Val, wrap: &TextureWrap) -> Val {
    if !wrap.any(WrapMode::mirrors) {
        return coordinate;
    }
    let mut positive = w.ext(GlslOp::FAbs, &[coordinate]);
    if wrap.filters_nearest() {
        positive = compute_nearest_mirrored(w, coordinate, positive);
    }
    let lanes: [Lane; 4] = std::array::from_fn(|lane| match wrap.modes.get(lane) {
        Some(mode) if mode.mirrors() => positive.lane(lane),
        _ => coordinate.lane(lane),
    });
    w.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32)
}

/// Computes the absolute value of a coordinate for a filter that reads the nearest texel: the
/// mirror image of a texel has its inclusive bound at the other end.
pub(super) fn compute_nearest_mirrored(
    w: &mut ValueBuilder,
    coordinate: Val,
    positive: Val,
) -> Val {
    let bits = w.reread(positive, Scalar::U32);
    let below = w.binary_bits(Spv::ISub, bits, 1);
    let below = w.reread(below, Scalar::F32);
    let is_negative = w.compare_bits(Spv::FOrdLessThan, coordinate, 0);
    w.select(is_negative, below, positive)
}

pub(super) fn compute_mirror(
    w: &mut ValueBuilder,
    coordinate: Val,
    half: Option<Val>,
    lane: usize,
) -> Mirror {
    let coordinate = w.component(coordinate, lane);
    let is_behind = w.compare_bits(Spv::FOrdLessThan, coordinate, 0);
    let is_across = half.map(|half| {
        let half = w.component(half, lane);
        let distance = w.ext(GlslOp::FAbs, &[coordinate]);
        w.test(Spv::FOrdLessThan, distance, half)
    });
    Mirror {
        is_behind,
        is_across,
    }
}

/// Computes the lower bounds of coordinates: a whole texel for footprints across the mirror, where
/// both texels of a dimension are the first of the texture, so that the footprint contains that
/// texel and no border; else 0.
pub(super) fn compute_half_at_mirrors(
    w: &mut ValueBuilder,
    mirrors: &[Option<Mirror>; 2],
    half: Val,
) -> Val {
    let zero = w.float_like(half, 0.0);
    let whole = w.binary(Spv::FAdd, half, half);
    w.map_components(half, |emit, lane| {
        let [zero, whole] = [zero, whole].map(|val| emit.component(val, lane));
        match mirrors[lane & 1].and_then(|mirror| mirror.is_across) {
            Some(is_across) => emit.select(is_across, whole, zero),
            None => zero,
        }
    })
}

/// Restores the order of texels before the coordinate was mirrored.
pub(super) fn swap_footprint(
    w: &mut ValueBuilder,
    mut texels: [Lane; 4],
    mirrors: [Option<Mirror>; 2],
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
            [texels[first], texels[second]] = swap_pair(w, pair, mirror);
        }
    }
    texels
}

/// Swaps neighbors if the coordinate is mirrored. In a footprint across the mirror both of them are
/// the first one.
fn swap_pair(w: &mut ValueBuilder, pair: [Lane; 2], mirror: Mirror) -> [Lane; 2] {
    let [a, b] = pair.map(|lane| {
        let scalar = w.info(lane.id()).scalar;
        w.gather_vector(&[lane], scalar)
    });
    let swapped = [(b, a), (a, b)].map(|(yes, no)| w.select(mirror.is_behind, yes, no));
    let Some(is_across) = mirror.is_across else {
        return swapped.map(|texel| texel.lane(0));
    };
    swapped.map(|texel| w.select(is_across, a, texel).lane(0))
}

/// Returns the number of dimensions that have wrap modes.
pub(super) const fn dimensions(target: TexTarget) -> usize {
    match target {
        TexTarget::D1 | TexTarget::D1Array => 1,
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Array => 2,
        TexTarget::D3 => 3,
        // Filters continue on another face across the edges of a cube; the other targets are not
        // filtered.
        TexTarget::Cube
        | TexTarget::CubeArray
        | TexTarget::Buffer
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => 0,
    }
}

/// Position of a component of a coordinate relative to the mirror at 0.
#[derive(Clone, Copy)]
pub(super) struct Mirror {
    /// True if it is negative.
    pub(super) is_behind: Val,
    /// True if it is less than half a texel from the mirror, so that its footprint is on both
    /// sides; for modes with border only.
    pub(super) is_across: Option<Val>,
}
