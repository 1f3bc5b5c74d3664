//! Wrap modes that samplers lack (see [`TextureWrap`]): coordinates are brought into their range before the sampler gets them, and
//! levels of detail stay those of the coordinates as they were.

use crate::builder::{Builder, Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::texture::access::{Access, Operands};
use crate::emit::texture::offset::Detail;
use crate::options::{LevelFilter, TexelFilter, TextureWrap, WrapMode};
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Which filter reads the texels of a sample.
#[derive(Clone, Copy)]
enum Reads {
    Always(TexelFilter),
    /// Linear where this is true, else nearest.
    LinearWhere(Val),
}

/// What the bounds of a coordinate are made of.
#[derive(Clone, Copy)]
struct Limits {
    reads: Reads,
    /// Half the size of a texel of the base level, if a filter reads the nearest texel.
    half_of_base: Option<Val>,
    /// Half the size of a texel of the level that is sampled, if coordinates are mirrored and a filter is linear.
    half: Option<Val>,
}

impl WrapMode {
    const fn mirrors(self) -> bool {
        matches!(
            self,
            Self::MirrorClamp | Self::MirrorClampToBorder | Self::MirrorClampToEdge
        )
    }

    /// Whether texels beyond the border of the texture are the border.
    const fn has_border(self) -> bool {
        matches!(
            self,
            Self::Clamp | Self::MirrorClamp | Self::MirrorClampToBorder
        )
    }

    /// Whether the coordinate stops where the texture does.
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

    /// Whether the level of detail changes what a sample gives.
    fn depends_on_detail(&self) -> bool {
        self.levels != LevelFilter::Base || self.magnify != self.minify
    }

    /// Whether a dimension has a mirror with a border, which linear filters see from half a texel on.
    fn halves_at_mirrors(&self) -> bool {
        self.filters_linearly() && self.any(|mode| mode.mirrors() && mode.has_border())
    }

    fn any(&self, is: impl Fn(WrapMode) -> bool) -> bool {
        self.modes.iter().any(|&mode| is(mode))
    }
}

impl Emit<'_> {
    /// The wrap modes of the dimensions of an access that samplers lack, if there are any.
    pub(super) fn wrap_of(&self, access: &Access) -> Option<TextureWrap> {
        let unit = access.texture.sampler_unit()?;
        if self.w.is_rectangle(access.texture.target) {
            // OpenGL's samplers have all modes.
            return None;
        }
        let mut wrap = *self.options.texture_wraps.get(unit as usize)?;
        // Layers, and directions of cubes, have no wrap modes.
        wrap.modes[dimensions(access.texture.target)..].fill(WrapMode::Sampler);
        if access.texture.target == TexTarget::Rect {
            wrap.levels = LevelFilter::Base;
        }
        wrap.any(|mode| mode != WrapMode::Sampler).then_some(wrap)
    }

    // Gathers, which find their texels as linear filters do, in the base level.

    /// The texels of a footprint whose coordinate is in the range of its wrap modes.
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
        let base = self.w.uint_val(0);
        // Gathers read the base level, so that an offset is a distance known before any level is.
        let mut wrapped = self.w.moved(access, base);
        let Some(coordinate) = wrapped.coordinate else {
            return self.gather_with(access, component, &Operands::default());
        };
        let halves = linear.halves_at_mirrors();
        let half = halves.then(|| self.w.half_texel(access, base));
        let mirrors: [Option<Mirror>; 2] = std::array::from_fn(|lane| {
            let mode = linear.modes[lane];
            let half = half.filter(|_| mode.has_border());
            mode.mirrors()
                .then(|| self.w.mirror(coordinate, half, lane))
        });
        let limits = Limits {
            reads: Reads::Always(TexelFilter::Linear),
            half_of_base: None,
            half: half.map(|half| self.w.next_to_mirror(&mirrors, half)),
        };
        wrapped.coordinate = Some(self.w.in_range(coordinate, &linear, limits));
        let texels = self.gather_with(&wrapped, component, &Operands::default());
        self.w.mirrored_footprint(texels, mirrors)
    }
}

impl Builder {
    /// A sample whose coordinate is in the range of its wrap modes.
    pub(super) fn wrapped(&mut self, access: &Access, wrap: TextureWrap) -> Access {
        let Some(coordinate) = access.coordinate else {
            return *access;
        };
        let offsets = access.data.offset != TexelOffset::None;
        let base = self.uint_val(0);
        let level = match wrap.levels {
            LevelFilter::Nearest | LevelFilter::Linear if offsets || wrap.halves_at_mirrors() => {
                self.nearest_level(access)
            }
            LevelFilter::Base | LevelFilter::Nearest | LevelFilter::Linear => base,
        };
        let halves_at_ends = wrap.any(WrapMode::ends) && wrap.filters_nearest();
        // Read before the coordinate is changed: sizes and levels are those of the access as the program makes it.
        let limits = Limits {
            reads: self.filter_of(access, &wrap),
            half_of_base: halves_at_ends.then(|| self.half_texel(access, base)),
            half: (wrap.halves_at_mirrors()).then(|| self.half_texel(access, level)),
        };
        let mut wrapped = *access;
        // Derivatives are taken of the coordinate as it was: behind the clamp it stands still, which would select the base level.
        if wrap.depends_on_detail() {
            self.keep_detail(&mut wrapped, coordinate);
        }
        // Offsets count before the clamp: NV_gpu_program4 section 3.8.8, which clamps u, v and w after it added them.
        let mut wrapped = self.moved(&wrapped, level);
        if let Some(coordinate) = wrapped.coordinate {
            wrapped.coordinate = Some(self.in_range(coordinate, &wrap, limits));
        }
        wrapped
    }

    /// The filter of a sample.
    fn filter_of(&mut self, access: &Access, wrap: &TextureWrap) -> Reads {
        if wrap.magnify == wrap.minify || !wrap.any(WrapMode::ends) {
            return Reads::Always(wrap.magnify);
        }
        let Some(lod) = self.level_of_detail(access, Detail::Computed) else {
            return Reads::Always(wrap.magnify);
        };
        // Vulkan magnifies where the level is 0 or less.
        let op = match wrap.magnify {
            TexelFilter::Linear => Spv::FOrdLessThanEqual,
            TexelFilter::Nearest => Spv::FOrdGreaterThan,
        };
        Reads::LinearWhere(self.compare_bits(op, lod, 0))
    }

    /// Half the size of a texel of a level.
    pub(super) fn half_texel(&mut self, access: &Access, level: Val) -> Val {
        let size = self.level_size(access, level);
        let half = self.float_like(size, 0.5);
        self.binary(Spv::FDiv, half, size)
    }

    /// Makes a sample that finds its own level one with derivatives, those of the coordinate as it is now. A bias becomes a factor
    /// of the derivatives.
    pub(super) fn keep_detail(&mut self, access: &mut Access, coordinate: Val) {
        if self.stage() != Stage::Fragment
            || !matches!(access.data.mode, TexMode::Implicit | TexMode::Bias)
        {
            return;
        }
        let point = self.first_components(coordinate, access.texture.target.dimensions());
        // A bias adds to a logarithm of derivatives.
        let scale = access.own[0].map(|bias| self.ext(GlslOp::Exp2, &[bias]));
        access.own = [Spv::DPdx, Spv::DPdy].map(|op| {
            let gradient = self.unary(op, point);
            Some(match scale {
                Some(scale) => self.binary(Spv::FMul, gradient, scale),
                None => gradient,
            })
        });
        access.data.mode = TexMode::Grad;
    }

    /// Mirrors and clamps the components of a coordinate that have such a mode.
    fn in_range(&mut self, coordinate: Val, wrap: &TextureWrap, limits: Limits) -> Val {
        let mirrored = self.mirrored(coordinate, wrap);
        // Layers and dimensions without bounds pass the clamp unchanged.
        let mut low = [Lane::scalar(self.float(f32::MIN)); 4];
        let mut high = [Lane::scalar(self.float(f32::MAX)); 4];
        let mut is_bounded = false;
        for (lane, mode) in wrap.modes.into_iter().enumerate() {
            if !mode.has_border() {
                continue;
            }
            is_bounded = true;
            low[lane] = match limits.half {
                Some(half) if mode.mirrors() => half.lane(lane),
                _ => Lane::scalar(self.float(0.0)),
            };
            if mode.ends() {
                high[lane] = self.last_coordinate(limits, lane);
            }
        }
        if !is_bounded {
            return mirrored;
        }
        let size = coordinate.size as usize;
        let low = self.gather_vector(&low[..size], Scalar::F32);
        let high = self.gather_vector(&high[..size], Scalar::F32);
        self.ext(GlslOp::NClamp, &[mirrored, low, high])
    }

    /// Where a coordinate that is clamped to the texture ends: for linear filters at the border, for others in the last texel.
    fn last_coordinate(&mut self, limits: Limits, lane: usize) -> Lane {
        let one = self.float_val(1.0);
        let linear = match limits.reads {
            Reads::Always(TexelFilter::Linear) => return one.lane(0),
            Reads::Always(TexelFilter::Nearest) => None,
            Reads::LinearWhere(is_linear) => Some(is_linear),
        };
        // `half_of_base` is there whenever a filter is nearest.
        let Some(half) = limits.half_of_base else {
            return one.lane(0);
        };
        let half = self.component(half, lane);
        // The center of the last texel: below it rounding cannot reach the border.
        let nearest = self.binary(Spv::FSub, one, half);
        match linear {
            Some(is_linear) => self.select(is_linear, one, nearest).lane(0),
            None => nearest.lane(0),
        }
    }

    /// The coordinate with components that are mirrored where they are negative.
    fn mirrored(&mut self, coordinate: Val, wrap: &TextureWrap) -> Val {
        if !wrap.any(WrapMode::mirrors) {
            return coordinate;
        }
        let mut positive = self.ext(GlslOp::FAbs, &[coordinate]);
        if wrap.filters_nearest() {
            positive = self.nearest_behind_mirror(coordinate, positive);
        }
        let lanes: [Lane; 4] = std::array::from_fn(|lane| match wrap.modes.get(lane) {
            Some(mode) if mode.mirrors() => positive.lane(lane),
            _ => coordinate.lane(lane),
        });
        self.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32)
    }

    /// The absolute value of a coordinate for a filter that reads the nearest texel: the mirror image of a texel has its lower bound at
    /// the other end.
    pub(super) fn nearest_behind_mirror(&mut self, coordinate: Val, positive: Val) -> Val {
        let bits = self.reread(positive, Scalar::U32);
        let below = self.binary_bits(Spv::ISub, bits, 1);
        let below = self.reread(below, Scalar::F32);
        let is_negative = self.compare_bits(Spv::FOrdLessThan, coordinate, 0);
        self.select(is_negative, below, positive)
    }

    pub(super) fn mirror(&mut self, coordinate: Val, half: Option<Val>, lane: usize) -> Mirror {
        let coordinate = self.component(coordinate, lane);
        let is_behind = self.compare_bits(Spv::FOrdLessThan, coordinate, 0);
        let is_across = half.map(|half| {
            let half = self.component(half, lane);
            let distance = self.ext(GlslOp::FAbs, &[coordinate]);
            self.test(Spv::FOrdLessThan, distance, half)
        });
        Mirror {
            is_behind,
            is_across,
        }
    }

    /// The least coordinates: of footprints that lie across the mirror, where both texels of a dimension are its first, those of which
    /// the first texel is in the footprint, and no border.
    pub(super) fn next_to_mirror(&mut self, mirrors: &[Option<Mirror>; 2], half: Val) -> Val {
        let zero = self.float_like(half, 0.0);
        let whole = self.binary(Spv::FAdd, half, half);
        self.each(half, |emit, lane| {
            let [zero, whole] = [zero, whole].map(|val| emit.component(val, lane));
            match mirrors[lane & 1].and_then(|mirror| mirror.is_across) {
                Some(is_across) => emit.select(is_across, whole, zero),
                None => zero,
            }
        })
    }

    /// Texels in their order before the coordinate was mirrored.
    pub(super) fn mirrored_footprint(
        &mut self,
        mut texels: [Lane; 4],
        mirrors: [Option<Mirror>; 2],
    ) -> [Lane; 4] {
        // The footprint has the texels (0, 1), (1, 1), (1, 0), (0, 0), in the order of NV_gpu_program5 section 2.X.8.Z, TXG.
        const NEIGHBORS: [[(usize, usize); 2]; 2] = [[(3, 2), (0, 1)], [(3, 0), (2, 1)]];
        for (mirror, pairs) in mirrors.into_iter().zip(NEIGHBORS) {
            let Some(mirror) = mirror else {
                continue;
            };
            for (first, second) in pairs {
                let pair = [texels[first], texels[second]];
                [texels[first], texels[second]] = self.mirrored_pair(pair, mirror);
            }
        }
        texels
    }

    /// Neighbors change places behind the mirror. Across it both of them are the first one.
    fn mirrored_pair(&mut self, pair: [Lane; 2], mirror: Mirror) -> [Lane; 2] {
        let [a, b] = pair.map(|lane| {
            let scalar = self.info(lane.id()).scalar;
            self.gather_vector(&[lane], scalar)
        });
        let swapped = [(b, a), (a, b)].map(|(yes, no)| self.select(mirror.is_behind, yes, no));
        let Some(is_across) = mirror.is_across else {
            return swapped.map(|texel| texel.lane(0));
        };
        swapped.map(|texel| self.select(is_across, a, texel).lane(0))
    }
}

/// Number of dimensions that have wrap modes.
pub(super) const fn dimensions(target: TexTarget) -> usize {
    match target {
        TexTarget::D1 | TexTarget::D1Array => 1,
        TexTarget::D2 | TexTarget::Rect | TexTarget::D2Array => 2,
        TexTarget::D3 => 3,
        // Across the edges of a cube there is another face; the others are not filtered.
        TexTarget::Cube
        | TexTarget::CubeArray
        | TexTarget::Buffer
        | TexTarget::D2Ms
        | TexTarget::D2MsArray => 0,
    }
}

/// Where a component of a coordinate lies from the mirror at 0.
#[derive(Clone, Copy)]
pub(super) struct Mirror {
    /// Whether it is negative.
    pub(super) is_behind: Val,
    /// Whether it is less than half a texel from the mirror, so that its footprint is on both sides; for modes with border only.
    pub(super) is_across: Option<Val>,
}
