//! Texture accesses: combined image samplers, one variable per texture of the program.
//!
//! `access` and `offset` compute the operands; `wrap`, `wrap_state` and `least_level` emulate
//! features that the device or the API lacks; `object` declares variables; `sparse` implements
//! residency.

pub(super) mod access;
pub(super) mod least_level;
pub(super) mod object;
pub(super) mod offset;
pub(super) mod sparse;
pub(super) mod wrap;
pub(super) mod wrap_state;

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::capability::Need;
use crate::emit::cx::{InstCx, Outcome, TextureEmitter};
use crate::emit::image::query_sample_count;
use crate::emit::memory::member::{
    Indexing, Member, access_descriptor, choose_member, find_number_for_cases, load_descriptor,
    run_at_member,
};
use crate::emit::texture::access::{
    Access, Operands, add_offset, convert_rectangle_coordinates, extract_image,
    load_texture_sources, of_unit, push_offset_operand,
};
use crate::emit::texture::least_level::can_take_min_lod;
use crate::emit::texture::object::{
    count_textures, declare_texture, is_rectangle, load_sampler, load_texture,
};
use crate::emit::texture::offset::{
    apply_offset, emit_lod_query, emit_size_query, query_last_level, query_level_count,
};
use crate::emit::texture::sparse::Texel;
use crate::emit::texture::wrap::{apply_wrap, keep_detail};
use crate::emit::texture::wrap_state::{Wraps, apply_wrap_state};
use crate::error::{Error, Failure};
use crate::interface::Io;
use crate::options::Options;
use glasm_ir::inst::TexAccessId;
use glasm_ir::resource::{TexMode, TexelOffset};
use glasm_ir::{Aux, Inst, Stage, TexAccess, TexTarget, Type, Units};
use spirv::{GlslStd450Op as GlslOp, ImageOperands, Op as Spv};

impl TextureEmitter<'_, '_> {
    /// Emits one texture instruction.
    pub(in crate::emit) fn emit_texture(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let Aux::Tex(id) = cx.inst.aux else {
            return Err(Error::unsupported(
                "a texture instruction without access data",
            ));
        };
        if let Some(lanes) = self.find_texel_read_before(cx.inst, id) {
            return Ok(Outcome::Lanes(lanes));
        }
        let data = self.f.program.tex_accesses[id];
        let lanes = self.with_texture(cx, data, |emit, access, member| {
            emit.emit_access(access, member)
        })?;
        Ok(Outcome::Lanes(lanes))
    }

    /// Runs `access` with a texture that the device can index, an element of an array of units or
    /// of the textures that handles select: several times if it needs a case for each.
    ///
    /// Everything that the cases share is loaded before them, including derivatives: cases run
    /// separately from each other, so the level of detail would be undefined if invocations select
    /// different textures.
    fn with_texture(
        &mut self,
        cx: InstCx<'_>,
        data: TexAccess,
        mut access: impl FnMut(&mut Self, Access, Member) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        let texture = self.f.program.textures[data.texture];
        let len = count_textures(self.f.options, texture.units).unwrap_or(1);
        let member = choose_member(self.f, data.element, len)?;
        let mut sources = load_texture_sources(self.f, cx, data)?;
        let indexing = Indexing::of_textures(texture.target);
        let divergent = matches!(member, Member::Divergent(_));
        // With one texture for all invocations all of them run the same case, and derivatives
        // remain defined.
        if divergent
            && find_number_for_cases(self.f.w, indexing, member).is_some()
            && let Some(coordinate) = sources.coordinate
        {
            keep_detail(self.f.w, &mut sources, coordinate);
        }
        run_at_member(self, indexing, member, len, |emit, member| {
            access(emit, sources, member)
        })
    }

    /// Emits a test whether the texels that an access reads are populated.
    pub(in crate::emit) fn emit_texture_residency(
        &mut self,
        cx: InstCx<'_>,
        id: TexAccessId,
    ) -> Result<Val, Failure> {
        let data = self.f.program.tex_accesses[id];
        let lanes = self.with_texture(cx, data, |emit, access, member| {
            emit.sparse.ask_residency();
            let lanes = emit.emit_access(access, member)?;
            emit.sparse.texel = Some(Texel {
                access: id,
                sources: cx.inst.source_range(),
                written: cx.inst.dst.map(|dst| dst.register),
                // With a case for each texture this is the block of a case, in which no access
                // follows.
                block: emit.f.w.block,
                remaining: emit.remaining,
                lanes,
            });
            Ok(emit.sparse.take_answer(emit.f.w).alone())
        })?;
        Ok(self.f.w.val(lanes[0].id()))
    }

    /// Returns the texel of a texture access, if the preceding instruction has read it in this
    /// block.
    fn find_texel_read_before(&mut self, inst: &Inst, id: TexAccessId) -> Option<[Lane; 4]> {
        let texel = self.sparse.texel.take()?;
        // If one record was consumed since then, this instruction is the next one.
        let follows = texel.remaining == self.remaining + 1 && texel.block == self.f.w.block;
        (follows && texel.is_of(self.f.program, inst, id)).then_some(texel.lanes)
    }

    /// Emits an access to one texture and returns its lanes.
    pub(super) fn emit_access(
        &mut self,
        mut access: Access,
        member: Member,
    ) -> Result<[Lane; 4], Failure> {
        choose_texture(&mut self.f.io(), &mut access, member)?;
        if is_rectangle(self.f.w, access.texture.target) {
            // The target has only one level.
            access.min_lod = None;
        } else if access.texture.target == TexTarget::Rect && !access.data.mode.integer_coordinate()
        {
            convert_rectangle_coordinates(self.f.w, &mut access);
        }
        Ok(match access.data.mode {
            TexMode::Implicit | TexMode::Bias | TexMode::Lod | TexMode::Grad => {
                let lanes = self.emit_sample(&access)?;
                convert_hilo(self.f.w, self.f.options, &access, lanes)
            }
            TexMode::Fetch | TexMode::FetchSample => {
                let lanes = self.emit_fetch(&access)?;
                convert_hilo(self.f.w, self.f.options, &access, lanes)
            }
            TexMode::Gather(component) => self.gather_texels(&access, component)?,
            TexMode::GatherOffsets(component) => self.gather_offsets(&access, component)?,
            TexMode::QuerySize => query_size(self.f.w, &access),
            TexMode::QueryLod => query_lod(self.f.w, &access),
            TexMode::QuerySamples => query_samples(self.f.w, &access),
        })
    }

    fn emit_sample(&mut self, access: &Access) -> Result<[Lane; 4], Failure> {
        self.run_by_wraps(access, |emit, wraps| {
            let access = &match &wraps {
                Wraps::Known(wrap) => apply_wrap(emit.f.w, access, *wrap),
                Wraps::Read(state) => apply_wrap_state(emit.f.w, access, state),
                Wraps::Sampler => apply_offset(emit.f.w, access),
            };
            match access.min_lod {
                Some(least) if !can_take_min_lod(emit.f.w, access) => {
                    emit.sample_from_least_level(access, least)
                }
                Some(_) | None => emit.emit_plain_sample(access),
            }
        })
    }

    fn emit_fetch(&mut self, access: &Access) -> Result<[Lane; 4], Failure> {
        let image = extract_image(self.f.w, access);
        let mut moved = *access;
        if let (Some(coordinate), Some(offset)) = (access.coordinate, access.offset) {
            // Vulkan permits dynamic offsets as an operand of gathers only
            // (VUID-StandaloneSpirv-Offset-04663).
            moved.coordinate = Some(add_offset(self.f.w, coordinate, offset));
            // The coordinate counts texels, so adding suffices.
            moved.data.offset = TexelOffset::None;
        }
        let mut operands = Operands::default();
        if let Some(own) = access.own[0] {
            push_fetch_operands(self.f.w, &moved, own, &mut operands)?;
        }
        Ok(self.emit_access_op(&moved, Spv::ImageFetch, image, None, &operands))
    }

    fn gather_texels(&mut self, access: &Access, component: u8) -> Result<[Lane; 4], Failure> {
        let target = access.texture.target;
        // Targets of TXG: NV_gpu_program5 section 2.X.8.Z.
        let gathers = target.plane_dimensions() == 2 && !target.is_multisample();
        if !gathers {
            return Err(Error::unsupported(
                "only two-dimensional and cube textures can be gathered",
            ));
        }
        self.run_by_wraps(access, |emit, wraps| match wraps {
            Wraps::Known(wrap) => Ok(emit.gather_wrapped(access, component, wrap)),
            Wraps::Read(state) => Ok(emit.gather_by_state(access, component, &state)),
            Wraps::Sampler => {
                let mut operands = Operands::default();
                push_offset_operand(emit.f.w, access, &mut operands)?;
                Ok(emit.gather_with(access, component, &operands))
            }
        })
    }

    /// Emits four gathers and selects from each the texel at its own offset, which is the last one
    /// of the footprint: T_i0_j0 in NV_gpu_program5 section 2.X.8.Z, TXGO.
    fn gather_offsets(&mut self, access: &Access, component: u8) -> Result<[Lane; 4], Failure> {
        let [Some(x), Some(y)] = access.own else {
            return self.gather_texels(access, component);
        };
        self.run_by_wraps(access, |emit, wraps| {
            if matches!(wraps, Wraps::Sampler) {
                emit.f.w.require(Need::GatherExtended)?;
            }
            let mut lanes = [Lane::UNDEFINED; 4];
            for (index, lane) in lanes.iter_mut().enumerate() {
                let parts = [x.lane(index), y.lane(index)];
                let offset = emit.f.w.gather_vector(&parts, Scalar::S32);
                let mut own = *access;
                (own.data.offset, own.offset) = (TexelOffset::Dynamic, Some(offset));
                // NV_gpu_program5 leaves TXGO with CLAMP and MIRROR_CLAMP_EXT undefined (issue 4),
                // but not with the other mirroring modes.
                *lane = match &wraps {
                    Wraps::Known(wrap) => emit.gather_wrapped(&own, component, *wrap)[3],
                    Wraps::Read(state) => emit.gather_by_state(&own, component, state)[3],
                    Wraps::Sampler => emit.gather_at(access, component, offset)[3],
                };
            }
            Ok(lanes)
        })
    }

    fn gather_at(&mut self, access: &Access, component: u8, offset: Val) -> [Lane; 4] {
        let bit = if self.f.w.is_constant(offset.id) {
            ImageOperands::CONST_OFFSET
        } else {
            ImageOperands::OFFSET
        };
        let mut operands = Operands::default();
        operands.push(bit, &[offset.id]);
        self.gather_with(access, component, &operands)
    }
}

fn choose_texture(io: &mut Io<'_>, access: &mut Access, member: Member) -> Result<(), Failure> {
    let variable = declare_texture(io, access.data.texture)?;
    access.image = variable.image;
    access.sampler = load_sampler(io, &access.texture);
    access.divergent = matches!(member, Member::Divergent(_));
    access.object = match access.texture.units {
        Units::One(_) => load_texture(io, access.data.texture, variable),
        Units::Array { .. } | Units::Handle | Units::QueriedHandle => {
            let array = variable.variable;
            let texture = access_descriptor(io.w, array, variable.object, member);
            load_descriptor(io.w, texture)
        }
    };
    Ok(())
}

/// Converts a texel to the result of a lookup: signed HILO textures have two components,
/// interpreted as x and y of a unit vector. NV_fragment_program section 3.11.5.38.
fn convert_hilo(
    w: &mut ValueBuilder,
    options: &Options,
    access: &Access,
    texel: [Lane; 4],
) -> [Lane; 4] {
    let texture = &access.texture;
    let is_hilo = of_unit(&options.signed_hilo, texture.units.first());
    if !is_hilo || texture.shadow || texture.texel != Type::F32 {
        return texel;
    }
    let one = w.float_val(1.0);
    let mut rest = one;
    for lane in [texel[0], texel[1]] {
        let component = w.lane_val(lane, Scalar::F32);
        let square = w.binary(Spv::FMul, component, component);
        rest = w.binary(Spv::FSub, rest, square);
    }
    let zero = w.float_val(0.0);
    // Filtered texels of unit vectors are shorter than 1, but others may be longer.
    let rest = w.ext(GlslOp::NMax, &[rest, zero]);
    let third = w.ext(GlslOp::Sqrt, &[rest]);
    [texel[0], texel[1], third.lane(0), one.lane(0)]
}

/// Adds the operands of a fetch: the sample, or the level if the target has several, and the
/// offset.
fn push_fetch_operands(
    w: &mut ValueBuilder,
    access: &Access,
    own: Val,
    operands: &mut Operands,
) -> Result<(), Failure> {
    let target = access.texture.target;
    if access.data.mode == TexMode::FetchSample {
        push_offset_operand(w, access, operands)?;
        operands.push(ImageOperands::SAMPLE, &[own.id]);
    } else if is_rectangle(w, target) {
        push_offset_operand(w, access, operands)?;
    } else if target != TexTarget::Buffer {
        // Rectangles have one level.
        let level = if target == TexTarget::Rect {
            w.uint(0)
        } else {
            own.id
        };
        operands.push(ImageOperands::LOD, &[level]);
        push_offset_operand(w, access, operands)?;
    }
    Ok(())
}

fn query_size(w: &mut ValueBuilder, access: &Access) -> [Lane; 4] {
    w.needs.insert(Need::ImageQuery);
    let target = access.texture.target;
    let image = extract_image(w, access);
    // Layers follow the sizes, and further components are undefined (NV_gpu_program4 section
    // 2.X.8.Z, TXQ); the IR has the levels in w.
    let size = target.size_components();
    let has_levels =
        !(target.is_multisample() || matches!(target, TexTarget::Buffer | TexTarget::Rect));
    let level = match access.own[0] {
        Some(level) if has_levels => Some(level.id),
        // A rectangle is a sampled 2D image in Vulkan, and SPIR-V returns its size for a level
        // only.
        _ if target == TexTarget::Rect && !is_rectangle(w, target) => Some(w.uint(0)),
        _ => None,
    };
    let val = match level {
        Some(level) => emit_size_query(w, image, level, target),
        None => w.op(Spv::ImageQuerySize, Scalar::U32, size, &[image.0]),
    };
    let mut lanes = [Lane::UNDEFINED; 4];
    lanes[..usize::from(size)].copy_from_slice(&val.lanes()[..usize::from(size)]);
    // Languages without that query read the levels in the results of size queries.
    if has_levels && access.lanes & 1 << 3 != 0 {
        lanes[3] = query_level_count(w, image).lane(0);
    }
    lanes
}

fn query_lod(w: &mut ValueBuilder, access: &Access) -> [Lane; 4] {
    let in_fragment = w.stage() == Stage::Fragment;
    let Some(coordinate) = access.coordinate.filter(|_| in_fragment) else {
        // Without derivatives the base level is accessed.
        return [Lane::UNDEFINED; 4];
    };
    if is_rectangle(w, access.texture.target) {
        // SPIR-V supports the query only for textures with levels.
        let base = Lane::scalar(w.float(0.0));
        return [base, base, Lane::UNDEFINED, Lane::UNDEFINED];
    }
    let val = emit_lod_query(w, access, coordinate);
    let level = clamp_to_last_level(w, access, val);
    [level, val.lane(1), Lane::UNDEFINED, Lane::UNDEFINED]
}

/// Clamps the level that a query returns to those of the texture, which not every device does.
fn clamp_to_last_level(w: &mut ValueBuilder, access: &Access, queried: Val) -> Lane {
    let last = query_last_level(w, access);
    let last = w.unary_to(Spv::ConvertUToF, Scalar::F32, last);
    let level = w.gather_vector(&[queried.lane(0)], Scalar::F32);
    w.ext(GlslOp::NMin, &[level, last]).lane(0)
}

fn query_samples(w: &mut ValueBuilder, access: &Access) -> [Lane; 4] {
    w.needs.insert(Need::ImageQuery);
    if !access.texture.target.is_multisample() {
        return [Lane::scalar(w.uint(1)); 4];
    }
    let image = extract_image(w, access);
    [query_sample_count(w, image).lane(0); 4]
}
