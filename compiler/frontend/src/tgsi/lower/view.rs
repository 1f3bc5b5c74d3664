//! Texture opcodes that name a view, and separately a sampler. TGSI, section "Resource Sampling
//! Opcodes".

use super::texture::Request;
use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::ast::View;
use crate::tgsi::check::Parsed;
use crate::tgsi::files::File;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::texture::Textures;
use crate::tgsi::opcodes::ViewLookup;
use crate::tgsi::operand::splat;
use crate::tgsi::symbols::Rows;
use crate::tgsi::symbols::row;
use glasm_ir::inst::LiteralId;
use glasm_ir::resource::{TexMode, Texture};
use glasm_ir::types::{Type, Width};
use glasm_ir::units::Units;
use glasm_ir::{Base, Id, IndexTerm, Op, Src, StateParam, Swizzle, TexTarget, WriteMask};

/// Numbers of views and their samplers are below this.
const UNITS: usize = 128;

impl ViewLookup {
    /// Returns the number of the source that is the view.
    fn view_source(self) -> usize {
        usize::from(!matches!(self, Self::SamplePosition | Self::SampleInfo))
    }

    /// Returns true if a sampler follows the view.
    const fn takes_sampler(self) -> bool {
        self.samples() || matches!(self, Self::Gather | Self::QueryLevel)
    }

    /// Returns true if it filters texels.
    const fn samples(self) -> bool {
        use ViewLookup::{Bias, Compare, CompareBase, Gradient, Level, Sample};
        matches!(
            self,
            Sample | Bias | Compare | CompareBase | Gradient | Level
        )
    }

    /// Returns true if its result is sizes or counts.
    const fn counts(self) -> bool {
        matches!(self, Self::Info | Self::SampleInfo)
    }

    const fn takes(self, target: TexTarget) -> bool {
        match self {
            // "The source data may come from any resource type other than CUBE." TGSI, SAMPLE_I.
            Self::Fetch => !target.is_cube() && !target.is_multisample(),
            Self::FetchSample => target.is_multisample(),
            Self::Info | Self::SampleInfo | Self::SamplePosition => true,
            Self::Sample
            | Self::Bias
            | Self::Compare
            | Self::CompareBase
            | Self::Gradient
            | Self::Level
            | Self::Gather
            | Self::QueryLevel => !matches!(target, TexTarget::Buffer) && !target.is_multisample(),
        }
    }
}

impl Textures<'_, '_> {
    pub(in crate::tgsi) fn lower_view_lookup(
        &mut self,
        inst: &Inst,
        lookup: ViewLookup,
    ) -> Parsed<()> {
        let place = lookup.view_source();
        if self.lookups.has_samplers {
            self.cx.check.report_mixed_lookups(inst);
        }
        self.lookups.has_views = true;
        let register = inst.registers[place];
        if !matches!(register.file, File::Sview | File::Res) {
            // A temporary instead of the view denotes the render target. TGSI, SAMPLE_POS.
            if place == 0 {
                self.lower_framebuffer_query(inst, lookup);
                return Ok(());
            }
            let message = "a view is expected here";
            return Err(self
                .cx
                .check
                .error(Code::TextureExpected, register.span, message));
        }
        let number = self.cx.check.known_number(&register, UNITS)?;
        let Some(view) = row(&self.cx.declared.views, number) else {
            return Err(self.cx.report_undeclared(&register));
        };
        if !lookup.takes(view.target) {
            let message = format!("`{}` does not take this view", inst.row.name);
            return Err(self
                .cx
                .check
                .error(Code::TargetNotAllowed, register.span, message));
        }
        let sampler = if lookup.takes_sampler() {
            self.view_sampler(inst)?
        } else {
            // Without a separate sampler an access uses the unit of the view.
            number
        };
        let texture = view_texture(view, lookup, [number, sampler]);
        let value = self.view_value(inst, lookup, texture)?;
        // The swizzle of the view does not apply to sizes. TGSI, SVIEWINFO.
        let swizzle = if lookup == ViewLookup::Info {
            Swizzle::XYZW
        } else {
            inst.sources[place].swizzle
        };
        let ty = if lookup.counts() {
            Type::U32
        } else {
            texture.texel
        };
        self.cx
            .emit
            .finish(inst, Op::Mov, ty, &[value.swizzled(swizzle)]);
        Ok(())
    }

    /// Returns the number of the sampler after a view.
    fn view_sampler(&mut self, inst: &Inst) -> Parsed<usize> {
        let register = inst.registers[2];
        if register.file != File::Samp {
            let message = "a sampler is expected here";
            return Err(self
                .cx
                .check
                .error(Code::TextureExpected, register.span, message));
        }
        let unit = self.cx.check.known_number(&register, UNITS)?;
        if self.cx.declared.samplers.get(unit) != Some(&true) {
            self.cx.declare_leniently(&register)?;
        }
        Ok(unit)
    }

    /// Returns the result of an opcode before the swizzle of the view is applied, in a hidden
    /// register.
    fn view_value(&mut self, inst: &Inst, lookup: ViewLookup, texture: Texture) -> Parsed<Src> {
        let coordinate = inst.sources[0];
        let fourth = splat(inst.sources[3], 0);
        let zero = self.cx.emit.word(0);
        let mut request = Request {
            texture,
            element: None,
            mode: TexMode::Implicit,
            coordinate,
            reference: None,
            own: [None; 2],
            offset: inst.offsets[0],
        };
        match lookup {
            ViewLookup::Sample => {}
            ViewLookup::Bias => (request.mode, request.own[0]) = (TexMode::Bias, Some(fourth)),
            ViewLookup::Compare => request.reference = Some(fourth),
            ViewLookup::CompareBase => {
                request.reference = Some(fourth);
                (request.mode, request.own[0]) = (TexMode::Lod, Some(zero));
            }
            ViewLookup::Gradient => {
                request.mode = TexMode::Grad;
                request.own = [Some(inst.sources[3]), Some(inst.sources[4])];
            }
            ViewLookup::Level => (request.mode, request.own[0]) = (TexMode::Lod, Some(fourth)),
            ViewLookup::Gather => request.mode = TexMode::Gather(0),
            ViewLookup::FetchSample => {
                request.mode = TexMode::FetchSample;
                request.own[0] = Some(splat(inst.sources[2], 0));
            }
            ViewLookup::Fetch => return Ok(self.lower_bounded_fetch(inst, texture)),
            ViewLookup::Info => return Ok(self.lower_view_info(inst, texture)),
            ViewLookup::QueryLevel => {
                request.mode = TexMode::QueryLod;
                let levels = self.cx.emit.accessed(&request);
                return Ok(self.cx.emit.assemble(&[
                    (0b0011, Op::Mov, Type::F32, &[levels]),
                    (0b1100, Op::Mov, Type::F32, &[zero]),
                ]));
            }
            ViewLookup::SampleInfo => {
                let count = self.sample_count(texture);
                return Ok(self.first_lane(count));
            }
            ViewLookup::SamplePosition => {
                let count = self.sample_count(texture);
                let sample = inst.sources[1];
                return Ok(self.sample_place(count, sample));
            }
        }
        Ok(self.cx.emit.accessed(&request))
    }

    /// Computes the number of samples, 1 of textures that have none.
    fn sample_count(&mut self, texture: Texture) -> Src {
        if !texture.target.is_multisample() {
            return self.cx.emit.word(1);
        }
        let request = query(texture, TexMode::QuerySamples, None);
        splat(self.cx.emit.accessed(&request), 0)
    }

    /// Computes the position of a sample in its pixel: an entry of the table of standard positions.
    fn sample_place(&mut self, count: Src, sample: Src) -> Src {
        let one = self.cx.emit.word(1);
        let first = self.cx.emit.compute(Op::Sub, Type::U32, &[count, one]);
        // Samples that do not exist have the position of the last one.
        let last = self
            .cx
            .emit
            .compute(Op::Min, Type::U32, &[splat(sample, 0), first]);
        // The table has the positions of 1, 2, 4, 8, 16 samples one after the other: those of n are
        // preceded by n - 1 entries.
        let row = self.cx.emit.compute(Op::Add, Type::U32, &[first, last]);
        let (array, len) = self.cx.find_filled_array(Rows::SamplePlaces);
        let relative = Some(self.cx.emit.index_of(row));
        let term = IndexTerm {
            relative,
            offset: 0,
        };
        self.cx.emit.element(array, term, len)
    }

    /// Returns a value in lane x, and 0 in the others.
    fn first_lane(&mut self, value: Src) -> Src {
        let zero = self.cx.emit.word(0);
        self.cx.emit.assemble(&[
            (0b0001, Op::Mov, Type::U32, &[value]),
            (0b1110, Op::Mov, Type::U32, &[zero]),
        ])
    }

    /// Lowers SAMPLE_POS and SAMPLE_INFO of the framebuffer.
    fn lower_framebuffer_query(&mut self, inst: &Inst, lookup: ViewLookup) {
        let count = splat(self.cx.emit.state(StateParam::Samples), 0);
        let (value, ty) = if lookup == ViewLookup::SamplePosition {
            (self.sample_place(count, inst.sources[1]), Type::F32)
        } else {
            (self.first_lane(count), Type::U32)
        };
        let swizzle = inst.sources[0].swizzle;
        self.cx
            .emit
            .finish(inst, Op::Mov, ty, &[value.swizzled(swizzle)]);
    }

    /// Lowers SAMPLE_I: a texel, or 0 if coordinate, layer or level are out of range.
    fn lower_bounded_fetch(&mut self, inst: &Inst, texture: Texture) -> Src {
        let coordinate = inst.sources[0];
        let (zero, one) = (self.cx.emit.word(0), self.cx.emit.word(1));
        let (mut fits, mut level) = (None, zero);
        if texture.target != TexTarget::Buffer {
            let [has_level, bounded, _] = self.bounded_level(texture, splat(coordinate, 3));
            (fits, level) = (Some(has_level), bounded);
        }
        let request = query(texture, TexMode::QuerySize, Some(level));
        let size = self.cx.emit.accessed(&request);
        let inside = self
            .cx
            .emit
            .compute(Op::SetLt, Type::U32, &[coordinate, size]);
        // Coordinates and the layer; lanes after them are ignored.
        let lanes = texture.target.dimensions() + u8::from(texture.target.is_array());
        for lane in 0..lanes {
            let lane = splat(inside, lane);
            fits = Some(match fits {
                None => lane,
                Some(before) => self.cx.emit.compute(Op::And, Type::U32, &[before, lane]),
            });
        }
        let request = Request {
            texture,
            element: None,
            mode: TexMode::Fetch,
            coordinate,
            reference: None,
            own: [Some(level), None],
            offset: inst.offsets[0],
        };
        let texel = self.cx.emit.accessed(&request);
        let fits = fits.unwrap_or(one);
        // Fetched in any case and replaced afterwards, which needs no branch.
        self.cx
            .emit
            .compute(Op::SelNz, Type::U32, &[fits, texel, zero])
    }

    /// Computes whether the texture has the requested level, a level that it has, and the number of
    /// its levels.
    fn bounded_level(&mut self, texture: Texture, wanted: Src) -> [Src; 3] {
        let (zero, one) = (self.cx.emit.word(0), self.cx.emit.word(1));
        let request = query(texture, TexMode::QuerySize, Some(zero));
        let levels = splat(self.cx.emit.accessed(&request), 3);
        // Unsigned, so that a negative level is too large as well. TGSI, SAMPLE_I.
        let fits = self
            .cx
            .emit
            .compute(Op::SetLt, Type::U32, &[wanted, levels]);
        let last = self.cx.emit.compute(Op::Sub, Type::U32, &[levels, one]);
        // The size of a level that does not exist is undefined, so the last one is queried.
        let level = self.cx.emit.compute(Op::Min, Type::U32, &[wanted, last]);
        [fits, level, levels]
    }

    /// Lowers SVIEWINFO: sizes of a level, 0 if the level does not exist, and the number of levels.
    fn lower_view_info(&mut self, inst: &Inst, texture: Texture) -> Src {
        let wanted = inst.scalar(0);
        let (zero, one) = (self.cx.emit.word(0), self.cx.emit.word(1));
        let register = self.cx.emit.hidden(Width::W32);
        self.cx
            .emit
            .put(register, WriteMask::XYZW, Op::Mov, Type::U32, &[zero]);
        let lanes = WriteMask((1 << texture.target.size_components()) - 1);
        // Such textures have one level, which cannot be queried.
        if texture.target == TexTarget::Buffer || texture.target.is_multisample() {
            let request = query(texture, TexMode::QuerySize, Some(zero));
            let size = self.cx.emit.accessed(&request);
            self.cx
                .emit
                .put(register, lanes, Op::Mov, Type::U32, &[size]);
            self.cx
                .emit
                .put(register, WriteMask(0b1000), Op::Mov, Type::U32, &[one]);
            return Src::register(register);
        }
        let [fits, level, levels] = self.bounded_level(texture, wanted);
        let request = query(texture, TexMode::QuerySize, Some(level));
        let size = self.cx.emit.accessed(&request);
        self.cx
            .emit
            .put(register, lanes, Op::SelNz, Type::U32, &[fits, size, zero]);
        self.cx
            .emit
            .put(register, WriteMask(0b1000), Op::Mov, Type::U32, &[levels]);
        Src::register(register)
    }
}

/// Returns the texture of a view, whose sampler may be that of another unit.
fn view_texture(view: View, lookup: ViewLookup, [unit, sampler]: [usize; 2]) -> Texture {
    let compares = matches!(lookup, ViewLookup::Compare | ViewLookup::CompareBase);
    Texture {
        units: Units::One(unit as u32),
        target: view.target,
        shadow: compares,
        texel: if compares { Type::F32 } else { view.ty },
        // A sampler of the same number belongs to the texture of its unit.
        sampler: (sampler != unit).then_some(sampler as u32),
    }
}

/// Returns a query of a texture.
fn query(texture: Texture, mode: TexMode, level: Option<Src>) -> Request {
    Request {
        texture: Texture {
            sampler: None,
            ..texture
        },
        element: None,
        mode,
        // Queries have none.
        coordinate: Src::new(Base::Literal(LiteralId::new(0))),
        reference: None,
        own: [level, None],
        offset: None,
    }
}
