//! Texture opcodes that name a view, and separately a sampler. TGSI, section "Resource Sampling
//! Opcodes".

use super::inst::{LoweredInst, splat};
use super::texture::{TextureLowerer, TextureRequest};
use crate::lower::op_builder::OpBuilder;
use crate::tgsi::ast::ViewDecl;
use crate::tgsi::checked::InstDetails;
use crate::tgsi::opcodes::ViewLookup;
use glasm_ir::inst::LiteralId;
use glasm_ir::resource::{TexMode, Texture};
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Id, IndexTerm, Op, OperandBase, Src, StateParam, Swizzle, TexTarget, UnitSet, WriteMask,
};

impl ViewLookup {
    /// Returns true if the lookup returns sizes or counts, which are integers.
    const fn returns_counts(self) -> bool {
        matches!(self, Self::Info | Self::SampleInfo)
    }
}

impl TextureLowerer<'_, '_> {
    /// Lowers an opcode with sampler views: a lookup, a fetch or a query.
    pub(super) fn lower_view_lookup(&mut self, inst: &LoweredInst, lookup: ViewLookup) {
        let InstDetails::View(id) = inst.details else {
            return;
        };
        let Some((view, units)) = self.operands.program.views[id as usize].texture else {
            self.lower_framebuffer_query(inst, lookup);
            return;
        };
        let texture = make_view_texture(view, lookup, units);
        let value = self.compute_view_value(inst, lookup, texture);
        // The swizzle of the view does not apply to sizes. TGSI, SVIEWINFO.
        let swizzle = if lookup == ViewLookup::Info {
            Swizzle::XYZW
        } else {
            inst.sources[lookup.view_source()].swizzle
        };
        let ty = if lookup.returns_counts() {
            Type::U32
        } else {
            texture.texel_type
        };
        self.operands
            .emitter
            .emit_result(inst, Op::Mov, ty, &[value.swizzled(swizzle)]);
    }

    /// Returns the result of an opcode before the swizzle of the view is applied, in a hidden
    /// register.
    fn compute_view_value(
        &mut self,
        inst: &LoweredInst,
        lookup: ViewLookup,
        texture: Texture,
    ) -> Src {
        let coordinate = inst.sources[0];
        let fourth = splat(inst.sources[3], 0);
        let zero = self.operands.emitter.splat_word(0);
        let mut request = TextureRequest {
            texture,
            element: None,
            mode: TexMode::Implicit,
            coordinate,
            reference: None,
            mode_sources: [None; 2],
            offset: inst.offsets[0],
        };
        match lookup {
            ViewLookup::Sample => {}
            ViewLookup::Bias => {
                (request.mode, request.mode_sources[0]) = (TexMode::Bias, Some(fourth))
            }
            ViewLookup::Compare => request.reference = Some(fourth),
            ViewLookup::CompareBase => {
                request.reference = Some(fourth);
                (request.mode, request.mode_sources[0]) = (TexMode::Lod, Some(zero));
            }
            ViewLookup::Gradient => {
                request.mode = TexMode::Grad;
                request.mode_sources = [Some(inst.sources[3]), Some(inst.sources[4])];
            }
            ViewLookup::Level => {
                (request.mode, request.mode_sources[0]) = (TexMode::Lod, Some(fourth))
            }
            ViewLookup::Gather => request.mode = TexMode::Gather(0),
            ViewLookup::FetchSample => {
                request.mode = TexMode::FetchSample;
                request.mode_sources[0] = Some(splat(inst.sources[2], 0));
            }
            ViewLookup::Fetch => return self.lower_bounded_fetch(inst, texture),
            ViewLookup::Info => return self.lower_view_info(inst, texture),
            ViewLookup::QueryLevel => {
                request.mode = TexMode::QueryLod;
                let levels = self.operands.emitter.compute_access(&request);
                return self.operands.emitter.compute_parts(&[
                    (0b0011, Op::Mov, Type::F32, &[levels]),
                    (0b1100, Op::Mov, Type::F32, &[zero]),
                ]);
            }
            ViewLookup::SampleInfo => {
                let count = self.compute_sample_count(texture);
                return self.zero_other_lanes(count);
            }
            ViewLookup::SamplePosition => {
                let count = self.compute_sample_count(texture);
                let sample = inst.sources[1];
                return self.compute_sample_position(count, sample);
            }
        }
        self.operands.emitter.compute_access(&request)
    }

    /// Emits the query of the number of samples; 1 for textures that are not multisampled.
    fn compute_sample_count(&mut self, texture: Texture) -> Src {
        if !texture.target.is_multisample() {
            return self.operands.emitter.splat_word(1);
        }
        let request = make_query(texture, TexMode::QuerySamples, None);
        splat(self.operands.emitter.compute_access(&request), 0)
    }

    /// Computes the position of a sample in its pixel: an entry of the table of standard positions.
    fn compute_sample_position(&mut self, count: Src, sample: Src) -> Src {
        let one = self.operands.emitter.splat_word(1);
        let first = self
            .operands
            .emitter
            .compute(Op::Sub, Type::U32, &[count, one]);
        // Samples that do not exist have the position of the last one.
        let last = self
            .operands
            .emitter
            .compute(Op::Min, Type::U32, &[splat(sample, 0), first]);
        // The table has the positions of 1, 2, 4, 8, 16 samples one after the other: those of n are
        // preceded by n - 1 entries.
        let row = self
            .operands
            .emitter
            .compute(Op::Add, Type::U32, &[first, last]);
        let index = IndexTerm {
            relative: Some(self.operands.emitter.copy_to_index(row)),
            offset: 0,
        };
        self.operands.load_sample_position(index)
    }

    /// Returns a hidden register with lane x of a value in x, and 0 in the other lanes.
    fn zero_other_lanes(&mut self, value: Src) -> Src {
        let zero = self.operands.emitter.splat_word(0);
        self.operands.emitter.compute_parts(&[
            (0b0001, Op::Mov, Type::U32, &[value]),
            (0b1110, Op::Mov, Type::U32, &[zero]),
        ])
    }

    /// Lowers SAMPLE_POS and SAMPLE_INFO of the framebuffer: position of a sample, and count of
    /// samples.
    fn lower_framebuffer_query(&mut self, inst: &LoweredInst, lookup: ViewLookup) {
        let count = splat(
            self.operands.emitter.get_state_source(StateParam::Samples),
            0,
        );
        let (value, ty) = if lookup == ViewLookup::SamplePosition {
            (
                self.compute_sample_position(count, inst.sources[1]),
                Type::F32,
            )
        } else {
            (self.zero_other_lanes(count), Type::U32)
        };
        let swizzle = inst.sources[0].swizzle;
        self.operands
            .emitter
            .emit_result(inst, Op::Mov, ty, &[value.swizzled(swizzle)]);
    }

    /// Lowers SAMPLE_I: a texel, or 0 if coordinate, layer or level are out of range.
    fn lower_bounded_fetch(&mut self, inst: &LoweredInst, texture: Texture) -> Src {
        let coordinate = inst.sources[0];
        let (zero, one) = (
            self.operands.emitter.splat_word(0),
            self.operands.emitter.splat_word(1),
        );
        let (mut in_bounds, mut level) = (None, zero);
        if texture.target != TexTarget::Buffer {
            let [has_level, bounded, _] = self.clamp_level(texture, splat(coordinate, 3));
            (in_bounds, level) = (Some(has_level), bounded);
        }
        let request = make_query(texture, TexMode::QuerySize, Some(level));
        let size = self.operands.emitter.compute_access(&request);
        let in_size = self
            .operands
            .emitter
            .compute(Op::SetLt, Type::U32, &[coordinate, size]);
        // Coordinates and the layer; lanes after them are ignored.
        let lanes = texture.target.dimensions() + u8::from(texture.target.is_array());
        for lane in 0..lanes {
            let lane = splat(in_size, lane);
            in_bounds = Some(match in_bounds {
                None => lane,
                Some(before) => self
                    .operands
                    .emitter
                    .compute(Op::And, Type::U32, &[before, lane]),
            });
        }
        let request = TextureRequest {
            texture,
            element: None,
            mode: TexMode::Fetch,
            coordinate,
            reference: None,
            mode_sources: [Some(level), None],
            offset: inst.offsets[0],
        };
        let texel = self.operands.emitter.compute_access(&request);
        let fits = in_bounds.unwrap_or(one);
        // Fetched in any case and replaced afterwards, which needs no branch.
        self.operands
            .emitter
            .compute(Op::SelNz, Type::U32, &[fits, texel, zero])
    }

    /// Computes whether the texture has the requested level, a level that it has, and the number of
    /// its levels.
    fn clamp_level(&mut self, texture: Texture, wanted: Src) -> [Src; 3] {
        let (zero, one) = (
            self.operands.emitter.splat_word(0),
            self.operands.emitter.splat_word(1),
        );
        let request = make_query(texture, TexMode::QuerySize, Some(zero));
        let levels = splat(self.operands.emitter.compute_access(&request), 3);
        // Unsigned, so that a negative level is too large as well. TGSI, SAMPLE_I.
        let fits = self
            .operands
            .emitter
            .compute(Op::SetLt, Type::U32, &[wanted, levels]);
        let last = self
            .operands
            .emitter
            .compute(Op::Sub, Type::U32, &[levels, one]);
        // The size of a level that does not exist is undefined, so the last one is queried.
        let level = self
            .operands
            .emitter
            .compute(Op::Min, Type::U32, &[wanted, last]);
        [fits, level, levels]
    }

    /// Lowers SVIEWINFO: sizes of a level, 0 if the level does not exist, and the number of levels.
    fn lower_view_info(&mut self, inst: &LoweredInst, texture: Texture) -> Src {
        let wanted = inst.scalar_source(0);
        let (zero, one) = (
            self.operands.emitter.splat_word(0),
            self.operands.emitter.splat_word(1),
        );
        let register = self.operands.emitter.alloc_hidden(Width::W32);
        self.operands.emitter.emit_to_register(
            register,
            WriteMask::XYZW,
            Op::Mov,
            Type::U32,
            &[zero],
        );
        let lanes = WriteMask((1 << texture.target.size_components()) - 1);
        // Such textures have one level, which cannot be queried.
        if texture.target == TexTarget::Buffer || texture.target.is_multisample() {
            let request = make_query(texture, TexMode::QuerySize, Some(zero));
            let size = self.operands.emitter.compute_access(&request);
            self.operands
                .emitter
                .emit_to_register(register, lanes, Op::Mov, Type::U32, &[size]);
            self.operands.emitter.emit_to_register(
                register,
                WriteMask(0b1000),
                Op::Mov,
                Type::U32,
                &[one],
            );
            return Src::from_register(register);
        }
        let [fits, level, levels] = self.clamp_level(texture, wanted);
        let request = make_query(texture, TexMode::QuerySize, Some(level));
        let size = self.operands.emitter.compute_access(&request);
        self.operands.emitter.emit_to_register(
            register,
            lanes,
            Op::SelNz,
            Type::U32,
            &[fits, size, zero],
        );
        self.operands.emitter.emit_to_register(
            register,
            WriteMask(0b1000),
            Op::Mov,
            Type::U32,
            &[levels],
        );
        Src::from_register(register)
    }
}

/// Returns the texture of a view, whose sampler may be that of another unit.
fn make_view_texture(view: ViewDecl, lookup: ViewLookup, [unit, sampler]: [u32; 2]) -> Texture {
    let compares = matches!(lookup, ViewLookup::Compare | ViewLookup::CompareBase);
    Texture {
        units: UnitSet::Single(unit),
        target: view.target,
        shadow: compares,
        texel_type: if compares { Type::F32 } else { view.ty },
        // A sampler of the same number belongs to the texture of its unit.
        sampler: (sampler != unit).then_some(sampler),
    }
}

/// Returns the request of a query of a texture, without its sampler.
fn make_query(texture: Texture, mode: TexMode, level: Option<Src>) -> TextureRequest {
    TextureRequest {
        texture: Texture {
            sampler: None,
            ..texture
        },
        element: None,
        mode,
        // Queries have none.
        coordinate: Src::new(OperandBase::Literal(LiteralId::new(0))),
        reference: None,
        mode_sources: [level, None],
        offset: None,
    }
}
