//! One texture access: its sources, its image operands, and the instruction that reads texels.

use super::Emit;
use super::cx::InstCx;
use super::texture_object::texel_scalar;
use crate::builder::{Builder, Lane, Scalar, Val};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::options::DepthMode;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::resource::{TexMode, TexSource, TexelOffset};
use glasm_ir::{Saturate, Stage, TexAccess, TexTarget, Texture};
use spirv::{Decoration, ImageOperands, Op as Spv};

/// One access with its sources read, and its texture.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) texture: Texture,
    pub(super) data: TexAccess,
    pub(super) image: TypeWord,
    /// The combined image sampler.
    pub(super) object: ValueWord,
    /// Whether it may differ between invocations.
    pub(super) divergent: bool,
    pub(super) coordinate: Option<Val>,
    pub(super) reference: Option<Val>,
    pub(super) own: [Option<Val>; 2],
    /// The least level of detail.
    pub(super) min_lod: Option<Val>,
    pub(super) offset: Option<Val>,
}

/// Image operands in the order of their bits.
#[derive(Default)]
pub(super) struct Operands {
    pub(super) bits: u32,
    pub(super) words: [u32; 5],
    pub(super) count: usize,
}

impl Operands {
    pub(super) fn push(&mut self, bit: ImageOperands, ids: &[ValueWord]) {
        self.bits |= bit.bits();
        for id in ids {
            self.words[self.count] = id.0;
            self.count += 1;
        }
    }
}

impl Emit<'_> {
    /// An access with its sources, but without its texture.
    pub(super) fn texture_sources(
        &mut self,
        cx: InstCx<'_>,
        data: TexAccess,
    ) -> Result<Access, Failure> {
        let texture = self.program.textures[data.texture];
        let mut access = Access {
            texture,
            data,
            image: TypeWord::default(),
            object: ValueWord::NONE,
            divergent: false,
            coordinate: None,
            reference: None,
            own: [None; 2],
            min_lod: None,
            offset: None,
        };
        let program = self.program;
        for (number, src) in program.sources(cx.inst).iter().enumerate() {
            let lanes = data.source_lanes(number);
            let val = self.source_as(src, data.source_type(number), lanes)?;
            let mut val = self.w.widen(val, lanes.count_ones().max(1) as u8);
            let role = data.source_role(number);
            if role == TexSource::Offset
                || data.mode == TexMode::Grad && matches!(role, TexSource::Mode(_))
            {
                // Derivatives and offsets leave out the layer.
                val = self.w.first_components(val, texture.target.dimensions());
            }
            match role {
                TexSource::Coordinate => access.coordinate = Some(val),
                // ARB_shadow section 3.8.13.1 clamps the reference to [0, 1]; devices do so for depths of normalized formats only.
                TexSource::Reference => {
                    access.reference = Some(self.w.clamp(val, Saturate::Unsigned))
                }
                TexSource::Mode(own) => access.own[own & 1] = Some(val),
                TexSource::MinLod => access.min_lod = Some(val),
                TexSource::Offset => access.offset = Some(val),
            }
        }
        if access.data.offset == TexelOffset::Dynamic {
            self.w.known_offset(&mut access);
        }
        Ok(access)
    }

    /// Writes an access with a coordinate.
    pub(super) fn access_lanes(
        &mut self,
        access: &Access,
        op: Spv,
        object: ValueWord,
        extra: Option<Val>,
        operands: &Operands,
    ) -> [Lane; 4] {
        let mut words = [0; 10];
        let mut count = 0;
        let mut push = |word: u32| {
            words[count] = word;
            count += 1;
        };
        push(object.0);
        access.coordinate.into_iter().for_each(|val| push(val.id.0));
        extra.into_iter().for_each(|val| push(val.id.0));
        if operands.bits != 0 {
            push(operands.bits);
            operands.words[..operands.count]
                .iter()
                .for_each(|&word| push(word));
        }
        let compares = matches!(
            op,
            Spv::ImageSampleDrefImplicitLod | Spv::ImageSampleDrefExplicitLod
        );
        let scalar = texel_scalar(access.texture.texel);
        let size = if compares { 1 } else { 4 };
        let val = self.texel_op(op, scalar, size, &words[..count]);
        self.w.decorate_result(val, op);
        if compares {
            return self.compared_lanes(access.texture.units.first(), val.lane(0));
        }
        std::array::from_fn(|lane| val.lane(lane))
    }

    /// A sample whose coordinate is what the sampler is to get.
    pub(super) fn plain_sample(&mut self, access: &Access) -> Result<[Lane; 4], Failure> {
        if access.texture.target == TexTarget::Buffer || access.texture.target.is_multisample() {
            return Err(Error::unsupported(
                "buffer and multisample textures can only be fetched",
            ));
        }
        let in_fragment = self.program.stage == Stage::Fragment;
        let mut operands = Operands::default();
        let mut explicit = true;
        match (access.data.mode, access.own) {
            (TexMode::Lod, [Some(lod), _]) => operands.push(ImageOperands::LOD, &[lod.id]),
            (TexMode::Grad, [Some(dx), Some(dy)]) => {
                operands.push(ImageOperands::GRAD, &[dx.id, dy.id])
            }
            (TexMode::Bias, [Some(bias), _]) if in_fragment => {
                explicit = false;
                operands.push(ImageOperands::BIAS, &[bias.id]);
            }
            // Implicit levels exist in fragment stages only. Elsewhere there are no derivatives: the base level is meant, and a
            // bias is counted from there.
            (TexMode::Bias, [Some(bias), _]) => operands.push(ImageOperands::LOD, &[bias.id]),
            _ if in_fragment => explicit = false,
            _ => {
                let zero = self.w.float(0.0);
                operands.push(ImageOperands::LOD, &[zero]);
            }
        }
        self.w.offset_operand(access, &mut operands)?;
        if let Some(least) = access.min_lod {
            self.w.needs.insert(Need::MinLod);
            operands.push(ImageOperands::MIN_LOD, &[least.id]);
        }
        let op = match (access.reference.is_some(), explicit) {
            (false, false) => Spv::ImageSampleImplicitLod,
            (false, true) => Spv::ImageSampleExplicitLod,
            (true, false) => Spv::ImageSampleDrefImplicitLod,
            (true, true) => Spv::ImageSampleDrefExplicitLod,
        };
        Ok(self.access_lanes(access, op, access.object, access.reference, &operands))
    }

    pub(super) fn gather_with(
        &mut self,
        access: &Access,
        component: u8,
        operands: &Operands,
    ) -> [Lane; 4] {
        if access.reference.is_some() {
            return self.access_lanes(
                access,
                Spv::ImageDrefGather,
                access.object,
                access.reference,
                operands,
            );
        }
        let component = self.w.uint(u32::from(component & 3));
        let component = self.w.val(component);
        self.access_lanes(
            access,
            Spv::ImageGather,
            access.object,
            Some(component),
            operands,
        )
    }

    /// The lanes of a depth comparison: the depth texture mode of the unit tells which of them hold the result (ARB_shadow section
    /// 3.8.13.1).
    pub(super) fn compared_lanes(&mut self, unit: Option<u32>, depth: Lane) -> [Lane; 4] {
        let modes = &self.options.depth_modes;
        let mode = unit.and_then(|unit| modes.get(unit as usize));
        let mode = mode.copied().unwrap_or_default();
        let mut constant = |value| Lane::scalar(self.w.float(value));
        match mode {
            DepthMode::Luminance => [depth, depth, depth, constant(1.0)],
            DepthMode::Intensity => [depth; 4],
            DepthMode::Alpha => {
                let zero = constant(0.0);
                [zero, zero, zero, depth]
            }
            DepthMode::Red => {
                let zero = constant(0.0);
                [depth, zero, zero, constant(1.0)]
            }
        }
    }
}

impl Builder {
    /// The image of the access, without its sampler.
    pub(super) fn image_of(&mut self, access: &Access) -> ValueWord {
        if access.texture.target == TexTarget::Buffer {
            return access.object;
        }
        let image = self.object();
        self.body
            .result(Spv::Image, access.image, image, &[access.object.0]);
        if access.divergent {
            self.decorate(image, Decoration::NonUniform, &[]);
        }
        image
    }

    /// The first `size` components of a value.
    pub(super) fn first_components(&mut self, val: Val, size: u8) -> Val {
        if val.size <= size {
            return val;
        }
        let lanes: [Lane; 4] = std::array::from_fn(|index| val.lane(index));
        self.gather_vector(&lanes[..size as usize], val.scalar)
    }

    /// Rectangle coordinates count texels; Vulkan's count from 0 to 1.
    pub(super) fn normalize(&mut self, access: &mut Access) {
        let image = self.image_of(access);
        self.needs.insert(Need::ImageQuery);
        let zero = self.uint(0);
        let size = self.op(Spv::ImageQuerySizeLod, Scalar::U32, 2, &[image.0, zero.0]);
        let size = self.unary_to(Spv::ConvertUToF, Scalar::F32, size);
        for val in access.coordinate.iter_mut() {
            *val = self.binary(Spv::FDiv, *val, size);
        }
        if access.data.mode == TexMode::Grad {
            for val in access.own.iter_mut().flatten() {
                *val = self.binary(Spv::FDiv, *val, size);
            }
        }
    }

    /// The offset as an image operand.
    pub(super) fn offset_operand(
        &mut self,
        access: &Access,
        operands: &mut Operands,
    ) -> Result<(), Failure> {
        let dimensions = access.texture.target.dimensions();
        match (access.data.offset, access.offset) {
            (TexelOffset::None, _) => {}
            (TexelOffset::Constant(texels), _) => {
                // Signed: the range of offsets is checked by the sign of the type.
                let parts = texels.map(|texel| {
                    let bits = i32::from(texel) as u32;
                    self.constant(Scalar::S32, u64::from(bits))
                });
                let id = match dimensions {
                    1 => parts[0],
                    _ => self.composite(Scalar::S32, &parts[..dimensions as usize]),
                };
                operands.push(ImageOperands::CONST_OFFSET, &[id]);
            }
            (TexelOffset::Dynamic, Some(offset)) => {
                let device = &self.device;
                self.needs.require(device, Need::GatherExtended)?;
                let offset = self.cast(offset.id, Scalar::S32);
                operands.push(ImageOperands::OFFSET, &[offset]);
            }
            (TexelOffset::Dynamic, None) => {}
        }
        Ok(())
    }

    /// Adds a run-time offset to the dimensions of a coordinate, not to its layer.
    pub(super) fn add_offset(&mut self, coordinate: Val, offset: Val) -> Val {
        let zero = Lane::scalar(self.uint(0));
        let lanes: [Lane; 4] = std::array::from_fn(|lane| {
            if lane < offset.size as usize {
                offset.lane(lane)
            } else {
                zero
            }
        });
        let offset = self.gather_vector(&lanes[..coordinate.size as usize], Scalar::U32);
        self.binary(Spv::IAdd, coordinate, offset)
    }
}
