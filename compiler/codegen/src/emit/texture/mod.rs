//! Texture accesses: combined image samplers, one variable per texture of the program.
//!
//! `access` and `offset` compute the operands; `wrap`, `wrap_dynamic` and `min_lod` emulate
//! features that the device or the API lacks; `texture_variable` declares variables; `residency`
//! implements residency.

pub(super) mod access;
mod min_lod;
pub(super) mod offset;
pub(super) mod residency;
pub(super) mod texture_variable;
pub(super) mod wrap;
pub(super) mod wrap_dynamic;

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Requirement;
use crate::emit::context::{InstContext, OpResult, TextureEmitter};
use crate::emit::image::query_sample_count;
use crate::emit::memory::descriptor_index::{
    DescriptorIndex, IndexingRequirements, access_descriptor, choose_descriptor_index,
    emit_for_descriptor, find_switch_selector, load_descriptor,
};
use crate::emit::texture::access::{
    ImageOperandWords, TextureAccess, add_offset, convert_rectangle_coordinates, extract_image,
    get_unit_option, load_texture_sources, push_offset_operand,
};
use crate::emit::texture::min_lod::can_take_min_lod;
use crate::emit::texture::offset::{
    apply_offset, emit_lod_query, emit_size_query, query_last_level, query_level_count,
};
use crate::emit::texture::residency::CachedTexel;
use crate::emit::texture::texture_variable::{
    declare_texture, is_rectangle, load_sampler, load_texture, texture_array_len,
};
use crate::emit::texture::wrap::{apply_wrap, use_explicit_gradients};
use crate::emit::texture::wrap_dynamic::{WrapSource, apply_wrap_state};
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::options::Options;
use glasm_ir::inst::TexAccessId;
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Inst, InstData, Stage, TexAccess, TexTarget, Type, UnitSet};
use spirv::{GlslStd450Op as GlslOp, ImageOperands, Op as Spv};

impl TextureEmitter<'_, '_> {
    /// Emits a texture instruction: loads its sources and its texture, and returns the lanes of the
    /// texel or query. Reuses the texel that the preceding residency test of the same access has
    /// read. Returns an error if the device lacks a feature or the access is unsupported.
    pub(in crate::emit) fn emit_texture(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let InstData::Tex(id) = cx.inst.data else {
            return Err(Error::unsupported(
                "a texture instruction without access data",
            ));
        };
        if let Some(lanes) = self.take_cached_texel(cx.inst, id) {
            return Ok(OpResult::Lanes(lanes));
        }
        let data = self.function.program.tex_accesses[id];
        let lanes = self.emit_with_texture(cx, data, |emit, access, member| {
            emit.emit_access(access, member)
        })?;
        Ok(OpResult::Lanes(lanes))
    }

    /// Calls `access` with the loaded sources and a texture that the device can index, an element
    /// of an array of units or of the textures that handles select: several times if it needs a
    /// case for each. Returns the lanes of the executed case.
    ///
    /// Everything that the cases share is loaded before them, including derivatives: cases run
    /// separately from each other, so the level of detail would be undefined if invocations select
    /// different textures.
    fn emit_with_texture(
        &mut self,
        cx: InstContext<'_>,
        data: TexAccess,
        mut access: impl FnMut(&mut Self, TextureAccess, DescriptorIndex) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let texture = self.function.program.textures[data.texture];
        let len = texture_array_len(self.function.options, texture.units).unwrap_or(1);
        let member = choose_descriptor_index(self.function, data.element, len)?;
        let mut sources = load_texture_sources(self.function, cx, data)?;
        let indexing = IndexingRequirements::for_textures(texture.target);
        let divergent = matches!(member, DescriptorIndex::Divergent(_));
        // With one texture for all invocations all of them run the same case, and derivatives
        // remain defined.
        if divergent
            && find_switch_selector(self.function.builder, indexing, member).is_some()
            && let Some(coordinate) = sources.coordinate
        {
            use_explicit_gradients(self.function.builder, &mut sources, coordinate);
        }
        emit_for_descriptor(self, indexing, member, len, |emit, member| {
            access(emit, sources, member)
        })
    }

    /// Emits the test that all texels that an access reads are populated, as a boolean. Records the
    /// texel for a following access that is the same.
    pub(in crate::emit) fn emit_texture_residency(
        &mut self,
        cx: InstContext<'_>,
        id: TexAccessId,
    ) -> Result<Val, Failure> {
        let data = self.function.program.tex_accesses[id];
        let lanes = self.emit_with_texture(cx, data, |emit, access, member| {
            emit.residency.begin_request();
            let lanes = emit.emit_access(access, member)?;
            emit.residency.cached_texel = Some(CachedTexel {
                access: id,
                sources: cx.inst.source_range(),
                written: cx.inst.dst.map(|dst| dst.register),
                // With a case for each texture this is the block of a case, in which no access
                // follows.
                block: emit.function.builder.block,
                remaining: emit.remaining_insts,
                lanes,
            });
            Ok(emit
                .residency
                .finish_request(emit.function.builder)
                .first_lane_only())
        })?;
        Ok(self.function.builder.val(lanes[0].id()))
    }

    /// Returns the texel of a texture access, if the preceding instruction has read it in this
    /// block. Clears the record of the texel in any case.
    fn take_cached_texel(&mut self, inst: &Inst, id: TexAccessId) -> Option<[Lane; 4]> {
        let texel = self.residency.cached_texel.take()?;
        // If one record was consumed since then, this instruction is the next one.
        let follows = texel.remaining == self.remaining_insts + 1
            && texel.block == self.function.builder.block;
        (follows && texel.is_repeated_by(self.function.program, inst, id)).then_some(texel.lanes)
    }

    /// Emits an access or query by its mode with one texture, whose descriptor is loaded here, and
    /// returns its lanes. Converts coordinates of rectangles and texels of HILO textures.
    pub(super) fn emit_access(
        &mut self,
        mut access: TextureAccess,
        member: DescriptorIndex,
    ) -> Result<[Lane; 4], Failure> {
        load_texture_variable(&mut self.function.io(), &mut access, member)?;
        if is_rectangle(self.function.builder, access.texture.target) {
            // The target has only one level.
            access.min_lod = None;
        } else if access.texture.target == TexTarget::Rect
            && !access.data.mode.has_integer_coordinate()
        {
            convert_rectangle_coordinates(self.function.builder, &mut access);
        }
        Ok(match access.data.mode {
            TexMode::Implicit | TexMode::Bias | TexMode::Lod | TexMode::Grad => {
                let lanes = self.emit_sample(&access)?;
                convert_hilo(self.function.builder, self.function.options, &access, lanes)
            }
            TexMode::Fetch | TexMode::FetchSample => {
                let lanes = self.emit_fetch(&access)?;
                convert_hilo(self.function.builder, self.function.options, &access, lanes)
            }
            TexMode::Gather(component) => self.gather_texels(&access, component)?,
            TexMode::GatherOffsets(component) => self.gather_offsets(&access, component)?,
            TexMode::QuerySize => query_size(self.function.builder, &access),
            TexMode::QueryLod => query_lod(self.function.builder, &access),
            TexMode::QuerySamples => query_samples(self.function.builder, &access),
        })
    }

    /// Emits a sample with emulated wrap modes, offsets and minimum levels where the device
    /// requires them, and returns the lanes of the texel.
    fn emit_sample(&mut self, access: &TextureAccess) -> Result<[Lane; 4], Failure> {
        self.emit_by_wrap_modes(access, |emit, wraps| {
            let access = &match &wraps {
                WrapSource::Constant(wrap) => apply_wrap(emit.function.builder, access, *wrap),
                WrapSource::Dynamic(state) => {
                    apply_wrap_state(emit.function.builder, access, state)
                }
                WrapSource::Sampler => apply_offset(emit.function.builder, access),
            };
            match access.min_lod {
                Some(least) if !can_take_min_lod(emit.function.builder, access) => {
                    emit.emit_min_lod_sample(access, least)
                }
                Some(_) | None => emit.emit_native_sample(access),
            }
        })
    }

    /// Emits `OpImageFetch` of a texel; an offset is added to the coordinate. No wrap modes apply.
    fn emit_fetch(&mut self, access: &TextureAccess) -> Result<[Lane; 4], Failure> {
        let image = extract_image(self.function.builder, access);
        let mut moved = *access;
        if let (Some(coordinate), Some(offset)) = (access.coordinate, access.offset) {
            // Vulkan permits dynamic offsets as an operand of gathers only
            // (VUID-StandaloneSpirv-Offset-04663).
            moved.coordinate = Some(add_offset(self.function.builder, coordinate, offset));
            // The coordinate counts texels, so adding suffices.
            moved.data.offset = TexelOffset::None;
        }
        let mut operands = ImageOperandWords::default();
        if let Some(own) = access.mode_operands[0] {
            push_fetch_operands(self.function.builder, &moved, own, &mut operands)?;
        }
        Ok(self.emit_access_op(&moved, Spv::ImageFetch, image, None, &operands))
    }

    /// Emits a gather of a component from four texels, with emulated wrap modes. Returns an error
    /// for targets other than 2D and cube textures.
    fn gather_texels(
        &mut self,
        access: &TextureAccess,
        component: u8,
    ) -> Result<[Lane; 4], Failure> {
        let target = access.texture.target;
        // Targets of TXG: NV_gpu_program5 section 2.X.8.Z.
        let gathers = target.plane_dimensions() == 2 && !target.is_multisample();
        if !gathers {
            return Err(Error::unsupported(
                "only two-dimensional and cube textures can be gathered",
            ));
        }
        self.emit_by_wrap_modes(access, |emit, wraps| match wraps {
            WrapSource::Constant(wrap) => Ok(emit.emit_wrapped_gather(access, component, wrap)),
            WrapSource::Dynamic(state) => Ok(emit.emit_gather_by_state(access, component, &state)),
            WrapSource::Sampler => {
                let mut operands = ImageOperandWords::default();
                push_offset_operand(emit.function.builder, access, &mut operands)?;
                Ok(emit.emit_gather(access, component, &operands))
            }
        })
    }

    /// Emits four gathers and selects from each the texel at its own offset, which is the last one
    /// of the footprint: T_i0_j0 in NV_gpu_program5 section 2.X.8.Z, TXGO. Without offsets this is
    /// a plain gather. Returns an error if the device lacks dynamic offsets.
    fn gather_offsets(
        &mut self,
        access: &TextureAccess,
        component: u8,
    ) -> Result<[Lane; 4], Failure> {
        let [Some(x), Some(y)] = access.mode_operands else {
            return self.gather_texels(access, component);
        };
        self.emit_by_wrap_modes(access, |emit, wraps| {
            if matches!(wraps, WrapSource::Sampler) {
                emit.function.builder.require(Requirement::GatherExtended)?;
            }
            let mut lanes = [Lane::UNDEFINED; 4];
            for (index, lane) in lanes.iter_mut().enumerate() {
                let parts = [x.lane(index), y.lane(index)];
                let offset = emit.function.builder.gather_vector(&parts, Scalar::S32);
                let mut offset_access = *access;
                (offset_access.data.offset, offset_access.offset) =
                    (TexelOffset::Dynamic, Some(offset));
                // NV_gpu_program5 leaves TXGO with CLAMP and MIRROR_CLAMP_EXT undefined (issue 4),
                // but not with the other mirroring modes.
                *lane = match &wraps {
                    WrapSource::Constant(wrap) => {
                        emit.emit_wrapped_gather(&offset_access, component, *wrap)[3]
                    }
                    WrapSource::Dynamic(state) => {
                        emit.emit_gather_by_state(&offset_access, component, state)[3]
                    }
                    WrapSource::Sampler => emit.emit_gather_at_offset(access, component, offset)[3],
                };
            }
            Ok(lanes)
        })
    }

    /// Emits a gather with one offset, as a constant image operand if `offset` is constant, else as
    /// a dynamic one, whose feature the caller requires.
    fn emit_gather_at_offset(
        &mut self,
        access: &TextureAccess,
        component: u8,
        offset: Val,
    ) -> [Lane; 4] {
        let bit = if self.function.builder.is_constant(offset.id) {
            ImageOperands::CONST_OFFSET
        } else {
            ImageOperands::OFFSET
        };
        let mut operands = ImageOperandWords::default();
        operands.push(bit, &[offset.id]);
        self.emit_gather(access, component, &operands)
    }
}

/// Loads the descriptor that `member` selects and stores it in `access` with its sampler. Declares
/// the variables on first use.
fn load_texture_variable(
    io: &mut Io<'_>,
    access: &mut TextureAccess,
    member: DescriptorIndex,
) -> Result<(), Failure> {
    let variable = declare_texture(io, access.data.texture)?;
    access.image = variable.image;
    access.sampler = load_sampler(io, &access.texture);
    access.divergent = matches!(member, DescriptorIndex::Divergent(_));
    access.object = match access.texture.units {
        UnitSet::Single(_) => load_texture(io, access.data.texture, variable),
        UnitSet::Array { .. } | UnitSet::Handle | UnitSet::QueryHandle => {
            let array = variable.variable;
            let texture = access_descriptor(io.builder, array, variable.object, member);
            load_descriptor(io.builder, texture)
        }
    };
    Ok(())
}

/// Converts a texel to the result of a lookup: signed HILO textures have two components,
/// interpreted as x and y of a unit vector, and w is 1. NV_fragment_program section 3.11.5.38.
/// Texels of other units, shadow textures and integers are unchanged.
fn convert_hilo(
    builder: &mut ValueBuilder,
    options: &Options,
    access: &TextureAccess,
    texel: [Lane; 4],
) -> [Lane; 4] {
    let texture = &access.texture;
    let is_hilo = get_unit_option(&options.signed_hilo_textures, texture.units.first());
    if !is_hilo || texture.shadow || texture.texel_type != Type::F32 {
        return texel;
    }
    let one = builder.constant_f32_val(1.0);
    let mut z_squared = one;
    for lane in [texel[0], texel[1]] {
        let component = builder.read_lane_val(lane, Scalar::F32);
        let square = builder.emit_binary(Spv::FMul, component, component);
        z_squared = builder.emit_binary(Spv::FSub, z_squared, square);
    }
    let zero = builder.constant_f32_val(0.0);
    // Filtered texels of unit vectors are shorter than 1, but others may be longer.
    let z_squared = builder.emit_ext(GlslOp::NMax, &[z_squared, zero]);
    let third = builder.emit_ext(GlslOp::Sqrt, &[z_squared]);
    [texel[0], texel[1], third.lane(0), one.lane(0)]
}

/// Adds the operands of a fetch: the sample `own`, or the level `own` if the target has several,
/// and the offset. Buffer textures have none.
fn push_fetch_operands(
    builder: &mut ValueBuilder,
    access: &TextureAccess,
    own: Val,
    operands: &mut ImageOperandWords,
) -> Result<(), Failure> {
    let target = access.texture.target;
    if access.data.mode == TexMode::FetchSample {
        push_offset_operand(builder, access, operands)?;
        operands.push(ImageOperands::SAMPLE, &[own.id]);
    } else if is_rectangle(builder, target) {
        push_offset_operand(builder, access, operands)?;
    } else if target != TexTarget::Buffer {
        // Rectangles have one level.
        let level = if target == TexTarget::Rect {
            builder.constant_u32(0)
        } else {
            own.id
        };
        operands.push(ImageOperands::LOD, &[level]);
        push_offset_operand(builder, access, operands)?;
    }
    Ok(())
}

/// Emits a size query and returns width, height, depth or layers, and the number of levels in w if
/// that lane is read. Other lanes are undefined. Adds the requirement of queries.
fn query_size(builder: &mut ValueBuilder, access: &TextureAccess) -> [Lane; 4] {
    builder.requirements.insert(Requirement::ImageQuery);
    let target = access.texture.target;
    let image = extract_image(builder, access);
    // Layers follow the sizes, and further components are undefined (NV_gpu_program4 section
    // 2.X.8.Z, TXQ); the IR has the levels in w.
    let size = target.size_components();
    let has_levels =
        !(target.is_multisample() || matches!(target, TexTarget::Buffer | TexTarget::Rect));
    let level = match access.mode_operands[0] {
        Some(level) if has_levels => Some(level.id),
        // A rectangle is a sampled 2D image in Vulkan, and SPIR-V returns its size for a level
        // only.
        _ if target == TexTarget::Rect && !is_rectangle(builder, target) => {
            Some(builder.constant_u32(0))
        }
        _ => None,
    };
    let val = match level {
        Some(level) => emit_size_query(builder, image, level, target),
        None => builder.emit_op(Spv::ImageQuerySize, Scalar::U32, size, &[image.0]),
    };
    let mut lanes = [Lane::UNDEFINED; 4];
    lanes[..usize::from(size)].copy_from_slice(&val.lanes()[..usize::from(size)]);
    // Languages without that query read the levels in the results of size queries.
    if has_levels && access.lanes & 1 << 3 != 0 {
        lanes[3] = query_level_count(builder, image).lane(0);
    }
    lanes
}

/// Emits a query of the level of detail and returns (level, unclamped level); undefined outside
/// fragment programs. Both are 0 for rectangles if the target has them.
fn query_lod(builder: &mut ValueBuilder, access: &TextureAccess) -> [Lane; 4] {
    let in_fragment = builder.stage() == Stage::Fragment;
    let Some(coordinate) = access.coordinate.filter(|_| in_fragment) else {
        // Without derivatives the base level is accessed.
        return [Lane::UNDEFINED; 4];
    };
    if is_rectangle(builder, access.texture.target) {
        // SPIR-V supports the query only for textures with levels.
        let base = Lane::scalar(builder.constant_f32(0.0));
        return [base, base, Lane::UNDEFINED, Lane::UNDEFINED];
    }
    let val = emit_lod_query(builder, access, coordinate);
    let level = clamp_to_last_level(builder, access, val);
    [level, val.lane(1), Lane::UNDEFINED, Lane::UNDEFINED]
}

/// Clamps the level that a query returns to those of the texture, which not every device does.
fn clamp_to_last_level(builder: &mut ValueBuilder, access: &TextureAccess, queried: Val) -> Lane {
    let last = query_last_level(builder, access);
    let last = builder.emit_unary_to(Spv::ConvertUToF, Scalar::F32, last);
    let level = builder.gather_vector(&[queried.lane(0)], Scalar::F32);
    builder.emit_ext(GlslOp::NMin, &[level, last]).lane(0)
}

/// Emits a query of the number of samples, which is 1 for textures without multisampling, and
/// returns it in all lanes. Adds the requirement of queries.
fn query_samples(builder: &mut ValueBuilder, access: &TextureAccess) -> [Lane; 4] {
    builder.requirements.insert(Requirement::ImageQuery);
    if !access.texture.target.is_multisample() {
        return [Lane::scalar(builder.constant_u32(1)); 4];
    }
    let image = extract_image(builder, access);
    [query_sample_count(builder, image).lane(0); 4]
}
