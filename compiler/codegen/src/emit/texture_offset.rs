//! Texel offsets in registers. Offsets that turn out to be constants become such; samples with others move their coordinates.

use super::Emit;
use super::texture::Access;
use crate::capability::Need;
use crate::gather::Lane;
use crate::writer::{Home, Scalar, Val};
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Stage, TexTarget};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

/// Constant offsets that every device takes.
const EVERYWHERE: std::ops::RangeInclusive<i32> = -8..=7;

impl Emit<'_> {
    /// Makes an offset constant whose register is known to hold constants.
    pub(super) fn known_offset(&mut self, access: &mut Access) {
        let Some(offset) = access.offset else {
            return;
        };
        if self.w.info(offset.id).home != Home::Constant {
            return;
        }
        let mut texels = [0; 3];
        let dimensions = access.texture.target.dimensions() as usize;
        for (lane, texel) in texels[..dimensions.min(3)].iter_mut().enumerate() {
            let part = self.w.gather_vector(&[offset.lane(lane)], Scalar::U32);
            let Some(bits) = self.w.constant_bits(part.id) else {
                return;
            };
            let number = bits as u32 as i32;
            if !EVERYWHERE.contains(&number) {
                return;
            }
            *texel = number as i8;
        }
        access.data.offset = TexelOffset::Constant(texels);
        access.offset = None;
    }

    /// The access without run-time offset: its coordinate is moved by the size of so many texels of the level that
    /// is sampled. Of two levels that are blended it is the nearer one.
    pub(super) fn moved_by_offset(&mut self, access: &Access) -> Access {
        let mut moved = *access;
        let (TexelOffset::Dynamic, Some(offset), Some(coordinate)) =
            (access.data.offset, access.offset, access.coordinate)
        else {
            return moved;
        };
        self.w.needs.insert(Need::ImageQuery);
        let level = self.nearest_level(access, coordinate);
        let target = access.texture.target;
        let dimensions = target.dimensions();
        let image = self.image_of(access);
        let size = self.w.op(
            Spv::ImageQuerySizeLod,
            Scalar::U32,
            dimensions + u8::from(target.is_array()),
            &[image.0, level.id.0],
        );
        let size = self.first_components(size, dimensions);
        let size = self.unary_to(Spv::ConvertUToF, Scalar::F32, size);
        let texels = self.unary_to(Spv::ConvertSToF, Scalar::F32, offset);
        let distance = self.binary(Spv::FDiv, texels, size);
        let zero = Lane::scalar(self.w.float(0.0));
        let lanes: [Lane; 4] = std::array::from_fn(|lane| {
            if lane < dimensions as usize {
                distance.lane(lane)
            } else {
                zero
            }
        });
        let distance = self
            .w
            .gather_vector(&lanes[..coordinate.size as usize], Scalar::F32);
        moved.coordinate = Some(self.binary(Spv::FAdd, coordinate, distance));
        moved.data.offset = TexelOffset::None;
        moved.offset = None;
        moved
    }

    /// The number of the level that is sampled.
    fn nearest_level(&mut self, access: &Access, coordinate: Val) -> Val {
        let target = access.texture.target;
        let in_fragment = self.program.stage == Stage::Fragment;
        let lod = match (access.data.mode, access.own[0]) {
            _ if target == TexTarget::Rect => None,
            (TexMode::Lod, lod) => lod,
            (TexMode::Bias, bias) if !in_fragment => bias,
            (TexMode::Implicit | TexMode::Bias, bias) if in_fragment => {
                let point = self.first_components(coordinate, target.dimensions());
                let operands = [access.object.0, point.id.0];
                let lod = self.w.op(Spv::ImageQueryLod, Scalar::F32, 2, &operands);
                let lod = self.first_components(lod, 1);
                Some(match bias {
                    Some(bias) => self.binary(Spv::FAdd, lod, bias),
                    None => lod,
                })
            }
            // Without derivatives the base level is sampled.
            _ => None,
        };
        let zero = self.w.uint(0);
        let zero = self.w.val(zero);
        let Some(lod) = lod else {
            return zero;
        };
        let image = self.image_of(access);
        let count = self.w.op(Spv::ImageQueryLevels, Scalar::U32, 1, &[image.0]);
        let one = self.w.uint(1);
        let one = self.w.val(one);
        let last = self.binary(Spv::ISub, count, one);
        let rounded = self.ext(GlslOp::RoundEven, &[lod]);
        let level = self.unary_to(Spv::ConvertFToS, Scalar::U32, rounded);
        let level = self.ext(GlslOp::SMin, &[level, last]);
        self.ext(GlslOp::SMax, &[level, zero])
    }
}
