//! Texture accesses: combined image samplers, one variable per texture of the program.

use super::Emit;
use super::cx::{InstCx, Outcome};
use super::place::Member;
use super::texture_object::texel_scalar;
use crate::builder::Builder;
use crate::builder::gather::Lane;
use crate::builder::{Home, Scalar, Val};
use crate::capability::Need;
use crate::error::{Error, Failure};
use crate::options::DepthMode;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::resource::{TexMode, TexSource, TexelOffset};
use glasm_ir::{Aux, Saturate, Stage, TexAccess, TexTarget, Texture, Units};
use spirv::{Decoration, GlslStd450Op as GlslOp, ImageOperands, Op as Spv};

/// One access with its sources read, and its texture.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) texture: Texture,
    pub(super) data: TexAccess,
    image: TypeWord,
    /// The combined image sampler.
    pub(super) object: ValueWord,
    /// Whether it may differ between invocations.
    divergent: bool,
    pub(super) coordinate: Option<Val>,
    reference: Option<Val>,
    pub(super) own: [Option<Val>; 2],
    /// The least level of detail.
    pub(super) min_lod: Option<Val>,
    pub(super) offset: Option<Val>,
}

/// Image operands in the order of their bits.
#[derive(Default)]
pub(super) struct Operands {
    bits: u32,
    words: [u32; 5],
    count: usize,
}

impl Operands {
    fn push(&mut self, bit: ImageOperands, ids: &[ValueWord]) {
        self.bits |= bit.bits();
        for id in ids {
            self.words[self.count] = id.0;
            self.count += 1;
        }
    }
}

impl Emit<'_> {
    /// One texture instruction.
    pub(super) fn texture(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let Aux::Tex(id) = cx.inst.aux else {
            return Err(Error::unsupported(
                "a texture instruction without access data",
            ));
        };
        if let Some(lanes) = self.texel_read_before(cx.inst, id) {
            return Ok(Outcome::Lanes(lanes));
        }
        let data = self.program.tex_accesses[id];
        let lanes = self.with_texture(cx, data, |emit, access, member| {
            emit.texture_lanes(access, member)
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    /// The lanes of an access to one texture.
    pub(super) fn texture_lanes(
        &mut self,
        mut access: Access,
        member: Member,
    ) -> Result<[Lane; 4], Failure> {
        let variable = self.texture_variable(access.data.texture);
        access.image = variable.image;
        access.divergent = matches!(member, Member::Divergent(_));
        access.object = match access.texture.units {
            Units::One(_) => self.loaded_texture(access.data.texture, variable),
            Units::Array { .. } | Units::Handle | Units::QueriedHandle => {
                self.w.texture_element(variable, member)
            }
        };
        if access.texture.target == TexTarget::Rect && !access.data.mode.integer_coordinate() {
            self.w.normalize(&mut access);
        }
        Ok(match access.data.mode {
            TexMode::Implicit | TexMode::Bias | TexMode::Lod | TexMode::Grad => {
                self.sample(&access)?
            }
            TexMode::Fetch | TexMode::FetchSample => self.fetch(&access)?,
            TexMode::Gather(component) => self.gather_texels(&access, component)?,
            TexMode::GatherOffsets(component) => self.gather_offsets(&access, component)?,
            TexMode::QuerySize => self.w.query_size(&access),
            TexMode::QueryLod => self.w.query_lod(&access),
            TexMode::QuerySamples => self.w.query_samples(&access),
        })
    }

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
                // Devices do so for depths of normalized formats only.
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

    // Coordinates.

    // Accesses.

    fn sample(&mut self, access: &Access) -> Result<[Lane; 4], Failure> {
        let access = &match self.wrap_of(access) {
            Some(wrap) => self.w.wrapped(access, wrap),
            None => self.w.moved_by_offset(access),
        };
        match access.min_lod {
            Some(least) if !self.w.takes_min_lod(access) => {
                self.sample_from_least_level(access, least)
            }
            Some(_) | None => self.plain_sample(access),
        }
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
            // Without derivatives the base level is meant, and a bias is counted from there.
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

    /// Writes an access with a coordinate.
    fn access_lanes(
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

    /// What a comparison fills.
    fn compared_lanes(&mut self, unit: Option<u32>, depth: Lane) -> [Lane; 4] {
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

    fn fetch(&mut self, access: &Access) -> Result<[Lane; 4], Failure> {
        let image = self.w.image_of(access);
        let mut moved = Access {
            coordinate: access.coordinate,
            own: access.own,
            ..*access
        };
        if let (Some(coordinate), Some(offset)) = (access.coordinate, access.offset) {
            moved.coordinate = Some(self.w.add_offset(coordinate, offset));
            moved.data.offset = TexelOffset::None;
        }
        let mut operands = Operands::default();
        match (access.data.mode, access.own[0]) {
            (TexMode::FetchSample, Some(sample)) => {
                self.w.offset_operand(&moved, &mut operands)?;
                operands.push(ImageOperands::SAMPLE, &[sample.id]);
            }
            (TexMode::FetchSample, None) => {}
            (_, Some(level)) if access.texture.target != TexTarget::Buffer => {
                // Rectangles have one level.
                let level = if access.texture.target == TexTarget::Rect {
                    self.w.uint(0)
                } else {
                    level.id
                };
                operands.push(ImageOperands::LOD, &[level]);
                self.w.offset_operand(&moved, &mut operands)?;
            }
            _ => {}
        }
        Ok(self.access_lanes(&moved, Spv::ImageFetch, image, None, &operands))
    }

    fn gather_texels(&mut self, access: &Access, component: u8) -> Result<[Lane; 4], Failure> {
        let gathers = matches!(
            access.texture.target,
            TexTarget::D2
                | TexTarget::D2Array
                | TexTarget::Cube
                | TexTarget::CubeArray
                | TexTarget::Rect
        );
        if !gathers {
            return Err(Error::unsupported(
                "only two-dimensional and cube textures can be gathered",
            ));
        }
        if let Some(wrap) = self.wrap_of(access) {
            return Ok(self.gather_wrapped(access, component, wrap));
        }
        let mut operands = Operands::default();
        self.w.offset_operand(access, &mut operands)?;
        Ok(self.gather_with(access, component, &operands))
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

    /// Four gathers; of each the texel at its own offset, which is the last one of the footprint.
    fn gather_offsets(&mut self, access: &Access, component: u8) -> Result<[Lane; 4], Failure> {
        let [Some(x), Some(y)] = access.own else {
            return self.gather_texels(access, component);
        };
        let wrap = self.wrap_of(access);
        if wrap.is_none() {
            let device = &self.w.device;
            self.w.needs.require(device, Need::GatherExtended)?;
        }
        let mut lanes = [Lane::UNDEFINED; 4];
        for (index, lane) in lanes.iter_mut().enumerate() {
            let offset = self
                .w
                .gather_vector(&[x.lane(index), y.lane(index)], Scalar::S32);
            if let Some(wrap) = wrap {
                let mut own = *access;
                (own.data.offset, own.offset) = (TexelOffset::Dynamic, Some(offset));
                *lane = self.gather_wrapped(&own, component, wrap)[3];
                continue;
            }
            let constant = self.w.info(offset.id).home == Home::Constant;
            let bit = if constant {
                ImageOperands::CONST_OFFSET
            } else {
                ImageOperands::OFFSET
            };
            let mut operands = Operands::default();
            operands.push(bit, &[offset.id]);
            *lane = self.gather_with(access, component, &operands)[3];
        }
        Ok(lanes)
    }

    // Queries.
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

    /// Rectangle coordinates count texels; Vulkan's count from 0 to 1.
    fn normalize(&mut self, access: &mut Access) {
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

    /// The first `size` components of a value.
    pub(super) fn first_components(&mut self, val: Val, size: u8) -> Val {
        if val.size <= size {
            return val;
        }
        let lanes: [Lane; 4] = std::array::from_fn(|index| val.lane(index));
        self.gather_vector(&lanes[..size as usize], val.scalar)
    }

    /// The offset as an image operand.
    fn offset_operand(&mut self, access: &Access, operands: &mut Operands) -> Result<(), Failure> {
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
    fn add_offset(&mut self, coordinate: Val, offset: Val) -> Val {
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

    fn query_size(&mut self, access: &Access) -> [Lane; 4] {
        self.needs.insert(Need::ImageQuery);
        let target = access.texture.target;
        let image = self.image_of(access);
        let is_cube = target.is_cube();
        let size = if is_cube { 2 } else { target.dimensions() } + u8::from(target.is_array());
        let has_levels =
            !(target.is_multisample() || matches!(target, TexTarget::Buffer | TexTarget::Rect));
        let val = match (has_levels, access.own[0]) {
            (true, Some(level)) => self.op(
                Spv::ImageQuerySizeLod,
                Scalar::U32,
                size,
                &[image.0, level.id.0],
            ),
            (false, _) if target == TexTarget::Rect => {
                let zero = self.uint(0);
                self.op(
                    Spv::ImageQuerySizeLod,
                    Scalar::U32,
                    size,
                    &[image.0, zero.0],
                )
            }
            _ => self.op(Spv::ImageQuerySize, Scalar::U32, size, &[image.0]),
        };
        let mut lanes = [Lane::UNDEFINED; 4];
        for (index, lane) in lanes[..size as usize].iter_mut().enumerate() {
            *lane = val.lane(index);
        }
        if has_levels {
            let levels = self.op(Spv::ImageQueryLevels, Scalar::U32, 1, &[image.0]);
            lanes[3] = levels.lane(0);
        }
        lanes
    }

    fn query_lod(&mut self, access: &Access) -> [Lane; 4] {
        let Some(coordinate) = access
            .coordinate
            .filter(|_| self.stage() == Stage::Fragment)
        else {
            // Without derivatives the base level is accessed.
            return [Lane::UNDEFINED; 4];
        };
        self.needs.insert(Need::ImageQuery);
        let coordinate = self.first_components(coordinate, access.texture.target.dimensions());
        let operands = [access.object.0, coordinate.id.0];
        let val = self.op(Spv::ImageQueryLod, Scalar::F32, 2, &operands);
        let level = self.below_last_level(access, val);
        [level, val.lane(1), Lane::UNDEFINED, Lane::UNDEFINED]
    }

    /// The level that a query gives, which not every device keeps within the levels of the texture.
    fn below_last_level(&mut self, access: &Access, queried: Val) -> Lane {
        let image = self.image_of(access);
        let levels = self.op(Spv::ImageQueryLevels, Scalar::U32, 1, &[image.0]);
        let one = self.uint(1);
        let one = self.val(one);
        let last = self.binary(Spv::ISub, levels, one);
        let last = self.unary_to(Spv::ConvertUToF, Scalar::F32, last);
        let level = self.gather_vector(&[queried.lane(0)], Scalar::F32);
        self.ext(GlslOp::NMin, &[level, last]).lane(0)
    }

    fn query_samples(&mut self, access: &Access) -> [Lane; 4] {
        self.needs.insert(Need::ImageQuery);
        let count = if access.texture.target.is_multisample() {
            let image = self.image_of(access);
            self.op(Spv::ImageQuerySamples, Scalar::U32, 1, &[image.0])
                .lane(0)
        } else {
            Lane::scalar(self.uint(1))
        };
        [count; 4]
    }
}
