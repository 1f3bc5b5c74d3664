//! Texel offsets in registers. If the register is known to hold constants, the offset becomes a constant one; with other offsets
//! samples move their coordinates.

use crate::builder::{Builder, Lane, Scalar, Val};
use crate::capability::Need;
use crate::emit::texture::access::Access;
use crate::words::ValueWord;
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Constant offsets that every device takes: the limits that Vulkan requires of `minTexelOffset` and `maxTexelOffset`.
const EVERYWHERE: std::ops::RangeInclusive<i32> = -8..=7;

/// A level of detail, by the component of a query that gives it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Detail {
    /// That of the levels that are accessed.
    Accessed = 0,
    /// What it would be if there were any number of levels in both directions.
    Computed = 1,
}

impl Builder {
    /// Makes an offset constant whose register is known to hold constants.
    pub(super) fn known_offset(&mut self, access: &mut Access) {
        let Some(offset) = access.offset else {
            return;
        };
        if !self.is_constant(offset.id) {
            return;
        }
        let mut texels = [0; 3];
        let dimensions = access.texture.target.dimensions() as usize;
        for (lane, texel) in texels[..dimensions.min(3)].iter_mut().enumerate() {
            let part = self.gather_vector(&[offset.lane(lane)], Scalar::U32);
            let Some(bits) = self.constant_bits(part.id) else {
                return;
            };
            let number = bits as u32 as i32;
            // It stays one of run time, which moves the coordinate and has no limit.
            if !EVERYWHERE.contains(&number) {
                return;
            }
            *texel = number as i8;
        }
        access.data.offset = TexelOffset::Constant(texels);
        access.offset = None;
    }

    /// The access without run-time offset, which Vulkan allows in gathers only: its coordinate is moved by the size of so many
    /// texels of the level that is sampled. Of two levels that are blended it is the nearer one.
    // VUID-StandaloneSpirv-Offset-04663.
    pub(super) fn moved_by_offset(&mut self, access: &Access) -> Access {
        if access.data.offset != TexelOffset::Dynamic {
            return *access;
        }
        let level = self.nearest_level(access);
        self.moved(access, level)
    }

    /// The access without offset: its coordinate is moved by the size of so many texels of a level.
    pub(super) fn moved(&mut self, access: &Access, level: Val) -> Access {
        let mut moved = *access;
        let dimensions = usize::from(access.texture.target.dimensions());
        let texels = match (access.data.offset, access.offset) {
            (TexelOffset::Dynamic, Some(offset)) => {
                self.unary_to(Spv::ConvertSToF, Scalar::F32, offset)
            }
            (TexelOffset::Constant(texels), _) => {
                // Constant offsets are operands elsewhere; here a clamp comes between them and the sampler.
                let lanes = texels.map(|texel| Lane::scalar(self.float(f32::from(texel))));
                self.gather_vector(&lanes[..dimensions], Scalar::F32)
            }
            (TexelOffset::Dynamic | TexelOffset::None, _) => return moved,
        };
        let Some(coordinate) = access.coordinate else {
            return moved;
        };
        let size = self.level_size(access, level);
        // Coordinates of OpenGL's rectangles are in texels.
        let distance = match self.is_rectangle(access.texture.target) {
            true => texels,
            false => self.binary(Spv::FDiv, texels, size),
        };
        // The layer of an array is not moved.
        let lanes = self.zero_filled(distance);
        let distance = self.gather_vector(&lanes[..coordinate.size as usize], Scalar::F32);
        moved.coordinate = Some(self.binary(Spv::FAdd, coordinate, distance));
        moved.data.offset = TexelOffset::None;
        moved.offset = None;
        moved
    }

    /// Width, height and depth of a level, or the size of the faces of a cube, as floats.
    pub(super) fn level_size(&mut self, access: &Access, level: Val) -> Val {
        self.needs.insert(Need::ImageQuery);
        let target = access.texture.target;
        let image = self.image_of(access);
        let size = self.size_query(image, level.id, target);
        let size = self.first_components(size, target.plane_dimensions());
        self.unary_to(Spv::ConvertUToF, Scalar::F32, size)
    }

    /// The size of a level and the number of layers.
    pub(super) fn size_query(
        &mut self,
        image: ValueWord,
        level: ValueWord,
        target: TexTarget,
    ) -> Val {
        let size = target.size_components();
        // `OpImageQuerySizeLod` takes images of 1D, 2D, 3D and cubes only.
        if self.is_rectangle(target) {
            return self.op(Spv::ImageQuerySize, Scalar::U32, size, &[image.0]);
        }
        self.op(
            Spv::ImageQuerySizeLod,
            Scalar::U32,
            size,
            &[image.0, level.0],
        )
    }

    /// The size of the base level.
    pub(super) fn base_size(&mut self, access: &Access) -> Val {
        let base = self.uint_val(0);
        self.level_size(access, base)
    }

    /// The number of levels of an image.
    pub(super) fn level_count(&mut self, image: ValueWord) -> Val {
        self.op(Spv::ImageQueryLevels, Scalar::U32, 1, &[image.0])
    }

    /// The number of the last level.
    pub(super) fn last_level(&mut self, access: &Access) -> Val {
        let image = self.image_of(access);
        let count = self.level_count(image);
        self.binary_bits(Spv::ISub, count, 1)
    }

    /// The level of detail that is accessed and the computed one, of a coordinate.
    pub(super) fn lod_query(&mut self, access: &Access, coordinate: Val) -> Val {
        self.needs.insert(Need::ImageQuery);
        let point = self.first_components(coordinate, access.texture.target.dimensions());
        let object = self.sampled_image(access);
        let operands = [object.0, point.id.0];
        self.op(Spv::ImageQueryLod, Scalar::F32, 2, &operands)
    }

    /// The number of the level that is sampled.
    pub(super) fn nearest_level(&mut self, access: &Access) -> Val {
        let zero = self.uint_val(0);
        let Some(lod) = self.level_of_detail(access, Detail::Accessed) else {
            return zero;
        };
        let last = self.last_level(access);
        // Signed, because a negative level of detail, which magnifies, is brought to the base level below.
        // Vulkan lets a tie between two levels go either way ("Image Level(s) Selection").
        let rounded = self.ext(GlslOp::RoundEven, &[lod]);
        let level = self.unary_to(Spv::ConvertFToS, Scalar::U32, rounded);
        let level = self.ext(GlslOp::SMin, &[level, last]);
        self.ext(GlslOp::SMax, &[level, zero])
    }

    /// The level of detail of a sample; `None` for the base level.
    pub(super) fn level_of_detail(&mut self, access: &Access, which: Detail) -> Option<Val> {
        let lod = self.usual_level(access, which);
        let Some(least) = access.min_lod else {
            return lod;
        };
        let lod = lod.unwrap_or_else(|| self.float_like(least, 0.0));
        Some(self.ext(GlslOp::NMax, &[lod, least]))
    }

    /// The level of detail without a least one.
    fn usual_level(&mut self, access: &Access, which: Detail) -> Option<Val> {
        let in_fragment = self.stage() == Stage::Fragment;
        match (access.data.mode, access.own) {
            // Rectangles have one level.
            _ if access.texture.target == TexTarget::Rect => None,
            (TexMode::Lod, [lod, _]) => lod,
            (TexMode::Grad, [Some(dx), Some(dy)]) => Some(self.detail_of_gradients(access, dx, dy)),
            // Counted from the base level, like the operand that `level_operand` writes.
            (TexMode::Bias, [bias, _]) if !in_fragment => bias,
            (TexMode::Implicit | TexMode::Bias, [bias, _]) if in_fragment => {
                let both = self.lod_query(access, access.coordinate?);
                let lod = self.component(both, which as usize);
                Some(match (bias, which) {
                    (Some(bias), Detail::Accessed) => self.biased(both, bias),
                    (Some(bias), Detail::Computed) => self.binary(Spv::FAdd, lod, bias),
                    (None, _) => lod,
                })
            }
            // Without derivatives the base level is sampled.
            _ => None,
        }
    }

    /// The level that is accessed with a bias. `levels` are the one that is accessed without, and the computed one. Where they differ by
    /// more than rounding, the first is the bound of a clamp, which comes after the bias.
    fn biased(&mut self, levels: Val, bias: Val) -> Val {
        let [accessed, computed] = [0, 1].map(|index| self.component(levels, index));
        let biased = self.binary(Spv::FAdd, computed, bias);
        let raised = self.binary(Spv::FSub, accessed, computed);
        let [half, minus_half] = [0.5, -0.5].map(|number| self.float_like(raised, number));
        let is_raised = self.test(Spv::FOrdGreaterThan, raised, half);
        let is_lowered = self.test(Spv::FOrdLessThan, raised, minus_half);
        let at_least = self.ext(GlslOp::NMax, &[biased, accessed]);
        let at_most = self.ext(GlslOp::NMin, &[biased, accessed]);
        let level = self.select(is_raised, at_least, biased);
        self.select(is_lowered, at_most, level)
    }

    /// The logarithm of how many texels a pixel is apart from its neighbors at most.
    fn detail_of_gradients(&mut self, access: &Access, dx: Val, dy: Val) -> Val {
        let size = self.base_size(access);
        let [dx, dy] = [dx, dy].map(|gradient| {
            // GL 2.1 section 3.8.8: the longer one of the two lengths in texels.
            let texels = self.binary(Spv::FMul, gradient, size);
            self.ext_to(GlslOp::Length, Scalar::F32, 1, texels.id)
        });
        let most = self.ext(GlslOp::NMax, &[dx, dy]);
        self.ext(GlslOp::Log2, &[most])
    }
}
