//! Texture opcodes that name a sampler and a target. TGSI, table of texture operands.

use crate::codes::Code;
use crate::lower::formula::Formulas;
use crate::tgsi::check::Parsed;
use crate::tgsi::files::File;
use crate::tgsi::inst::Inst;
use crate::tgsi::lower::emitter::Emitter;
use crate::tgsi::opcodes::Lookup;
use crate::tgsi::operand::TgsiResolver;
use crate::tgsi::operand::{Register, splat};
use crate::tgsi::symbols::row;
use crate::tgsi::targets::{Reference, Target};
use glasm_ir::inst::Aux;
use glasm_ir::resource::{TexAccess, TexMode, TexelOffset, Texture};
use glasm_ir::types::{Type, Width};
use glasm_ir::units::Units;
use glasm_ir::{Base, IndexTerm, Op, RegisterId, Src, Swizzle, TexTarget, WriteMask};

/// The texture of an access, and its element of an array.
#[derive(Clone, Copy)]
pub(in crate::tgsi) struct Unit {
    pub(in crate::tgsi) units: Units,
    pub(in crate::tgsi) element: Option<IndexTerm>,
    /// Type of its texels.
    pub(in crate::tgsi) texel: Type,
}

/// An access under construction. The IR requires its sources in this order: coordinate, reference,
/// those of the mode, offset.
pub(in crate::tgsi) struct Request {
    pub(in crate::tgsi) texture: Texture,
    pub(in crate::tgsi) element: Option<IndexTerm>,
    pub(super) mode: TexMode,
    pub(in crate::tgsi) coordinate: Src,
    pub(in crate::tgsi) reference: Option<Src>,
    pub(in crate::tgsi) own: [Option<Src>; 2],
    pub(in crate::tgsi) offset: Option<Src>,
}

/// Kinds of texture opcodes in a program.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tgsi) struct Lookups {
    /// True if there are opcodes with samplers.
    pub(super) has_samplers: bool,
    pub(super) has_views: bool,
}

/// Lowers texture opcodes.
pub(in crate::tgsi) struct Textures<'r, 'a> {
    pub(in crate::tgsi) cx: &'r mut TgsiResolver<'a>,
    pub(in crate::tgsi) lookups: &'r mut Lookups,
}

impl<'r, 'a> Textures<'r, 'a> {
    /// Returns the context of texture opcodes.
    pub(in crate::tgsi) fn new(cx: &'r mut TgsiResolver<'a>, lookups: &'r mut Lookups) -> Self {
        Self { cx, lookups }
    }
}

impl Textures<'_, '_> {
    pub(in crate::tgsi) fn lookup(&mut self, inst: &Inst, lookup: Lookup) -> Parsed<()> {
        let Some(target) = inst.texture else {
            return Ok(());
        };
        self.cx.check.check_target(inst, lookup, target)?;
        // Some programs fetch texels of cubes by their faces, which SPIR-V supports for layers
        // only.
        let fetches = matches!(lookup, Lookup::Fetch | Lookup::FetchBase);
        let target = if fetches && target.target.is_cube() {
            self.cx.check.faces(inst)?
        } else {
            target
        };
        if self.lookups.has_views {
            self.cx.check.report_mixed_lookups(inst);
        }
        self.lookups.has_samplers = true;
        // The sampler is the last source that was read; TG4 may have left its second one out.
        let sampler = inst.count - 1;
        let register = inst.registers[sampler];
        let unit = self.sampler(&register, inst.sources[sampler].swizzle)?;
        // 1 of textures without samples. TGSI, TXQS.
        if lookup == Lookup::QuerySamples && !target.target.is_multisample() {
            let one = self.cx.emit.word(1);
            self.cx.emit.finish(inst, Op::Mov, Type::S32, &[one]);
            return Ok(());
        }
        let (mode, own) = if lookup == Lookup::Gather {
            self.gathered(inst, target)?
        } else {
            self.lookup_mode(inst, lookup, target)
        };
        let mut coordinate = inst.sources[0];
        if lookup == Lookup::Project {
            let w = splat(coordinate, 3);
            // The reference in z is divided with the others.
            coordinate = self.cx.emit.compute(Op::Div, Type::F32, &[coordinate, w]);
        }
        // Each texel has a separate one of the four offsets.
        let has_four = matches!(mode, TexMode::GatherOffsets(_));
        let request = Request {
            texture: texture(unit, target, mode),
            element: unit.element,
            mode,
            coordinate,
            reference: reference(inst, lookup, target, coordinate),
            own,
            offset: inst.offsets[0].filter(|_| !has_four),
        };
        self.cx.emit.access(inst, &request);
        Ok(())
    }

    /// Returns the mode of a texture access, and the sources that only this mode has. Bias and
    /// level are in w, or follow the coordinate.
    fn lookup_mode(
        &mut self,
        inst: &Inst,
        lookup: Lookup,
        target: &Target,
    ) -> (TexMode, [Option<Src>; 2]) {
        let zero = self.cx.emit.word(0);
        let w = splat(inst.sources[0], 3);
        // TXB2 and TXL2 have a separate operand for it.
        let extra = match inst.count {
            3 => inst.scalar(1),
            _ => w,
        };
        let one = |mode: TexMode, source: Src| (mode, [Some(source), None]);
        let kind = target.target;
        match lookup {
            Lookup::Sample | Lookup::Project => (TexMode::Implicit, [None; 2]),
            Lookup::SampleBase => one(TexMode::Lod, zero),
            Lookup::Bias => one(TexMode::Bias, extra),
            Lookup::Level => one(TexMode::Lod, extra),
            Lookup::Gradient => (TexMode::Grad, [1, 2].map(|it| Some(inst.sources[it]))),
            // The number of the sample is in w, also of arrays, whose layer is z.
            Lookup::Fetch | Lookup::FetchBase if kind.is_multisample() => {
                one(TexMode::FetchSample, w)
            }
            // Some targets have one level.
            Lookup::Fetch if matches!(kind, TexTarget::Buffer | TexTarget::Rect) => {
                one(TexMode::Fetch, zero)
            }
            Lookup::Fetch => one(TexMode::Fetch, w),
            Lookup::FetchBase => one(TexMode::Fetch, zero),
            Lookup::Gather => (TexMode::Gather(0), [None; 2]),
            Lookup::QuerySize => one(TexMode::QuerySize, inst.scalar(0)),
            Lookup::QuerySamples => (TexMode::QuerySamples, [None; 2]),
            Lookup::QueryLevel => (TexMode::QueryLod, [None; 2]),
        }
    }

    /// Returns the mode of TG4: the component, and the offsets if there are four.
    fn gathered(&mut self, inst: &Inst, target: &Target) -> Parsed<(TexMode, [Option<Src>; 2])> {
        let component = self.gathered_component(inst, target)?;
        if inst.offsets[3].is_none() {
            return Ok((TexMode::Gather(component), [None; 2]));
        }
        let own = [0, 1].map(|lane| Some(self.cx.emit.collected(&inst.offsets, lane)));
        Ok((TexMode::GatherOffsets(component), own))
    }

    /// Returns the component that TG4 gathers: that of an immediate, or of the swizzle of the
    /// sampler.
    fn gathered_component(&mut self, inst: &Inst, target: &Target) -> Parsed<u8> {
        // Comparisons have one component.
        if target.is_shadow() {
            return Ok(0);
        }
        let of_sampler = inst.sources[inst.count - 1].swizzle.lane(0) as u8;
        // Some writers select in both operands; the swizzle is used unless it is x, which is the
        // default.
        if inst.count == 2 || of_sampler != 0 {
            return Ok(of_sampler);
        }
        let Base::Literal(literal) = inst.sources[1].base else {
            let message = "the component that is gathered is an immediate";
            let span = inst.registers[1].span;
            return Err(self.cx.check.error(Code::ComponentSelect, span, message));
        };
        let words = self.cx.emit.builder.program.literals[literal];
        Ok(words[inst.sources[1].swizzle.lane(0)] as u8 & 3)
    }

    /// Returns the texture of a sampler operand: a unit, one of several, or a handle.
    pub(in crate::tgsi) fn sampler(
        &mut self,
        register: &Register,
        swizzle: Swizzle,
    ) -> Parsed<Unit> {
        if register.file != File::Samp {
            let handle = self.cx.resolve_source(register)?.swizzled(swizzle);
            return self.handle(handle);
        }
        let views = &self.cx.declared.views;
        let Some(number) = register.number.known() else {
            // A dynamic index may select any declared sampler.
            let count = self.cx.declared.samplers.len().max(1) as u32;
            // All textures of the array have one type in SPIR-V.
            let view = views.iter().flatten().next();
            return Ok(Unit {
                units: Units::Array { first: 0, count },
                element: Some(register.number.term),
                texel: view.map_or(Type::F32, |view| view.ty),
            });
        };
        if number < 0 {
            return Err(self.cx.check.report_no_register(register));
        }
        // A view of the same number defines the type of a texture whose sampler is named. TGSI,
        // "Declaration Sampler View".
        let texel = row(views, number as usize).map_or(Type::F32, |view| view.ty);
        let samplers = &self.cx.declared.samplers;
        if samplers.get(number as usize) != Some(&true) {
            self.cx.declare_leniently(register)?;
        }
        Ok(Unit {
            units: Units::One(number.max(0) as u32),
            element: None,
            texel,
        })
    }

    /// Returns a texture by its handle, whose low word is the first lane.
    fn handle(&mut self, handle: Src) -> Parsed<Unit> {
        let relative = self.cx.emit.index_of(handle);
        Ok(Unit {
            units: Units::Handle,
            element: Some(IndexTerm {
                relative: Some(relative),
                offset: 0,
            }),
            texel: Type::F32,
        })
    }
}

impl Emitter {
    /// Collects a lane of four offsets, one for each texel.
    fn collected(&mut self, offsets: &[Option<Src>; 4], lane: u8) -> Src {
        let register = self.hidden(Width::W32);
        for (number, offset) in offsets.iter().enumerate() {
            if let Some(offset) = offset {
                let source = [splat(*offset, lane)];
                let mask = WriteMask(1 << number);
                self.put(register, mask, Op::Mov, Type::S32, &source);
            }
        }
        Src::register(register)
    }

    /// Returns a register and a lane that hold the first lane of a source.
    pub(in crate::tgsi) fn index_of(&mut self, source: Src) -> (RegisterId, u8) {
        if let (Base::Register(register), None, false) =
            (source.base, source.index, source.has_modifier())
        {
            return (register, source.swizzle.lane(0) as u8);
        }
        let copy = self.hidden(Width::W32);
        let first = [splat(source, 0)];
        self.put(copy, WriteMask::X, Op::Mov, Type::U32, &first);
        (copy, 0)
    }

    /// Emits an access as the last step of an instruction.
    pub(in crate::tgsi) fn access(&mut self, inst: &Inst, request: &Request) {
        let (aux, sources, count) = self.prepared(request);
        let ty = request_type(request);
        self.finish_with(inst, Op::Tex, ty, aux, &sources[..count]);
    }

    /// Appends an access and returns its result, in a hidden register.
    pub(in crate::tgsi) fn accessed(&mut self, request: &Request) -> Src {
        let (aux, sources, count) = self.prepared(request);
        let ty = request_type(request);
        self.compute_with(Op::Tex, ty, aux, &sources[..count])
    }

    fn prepared(&mut self, request: &Request) -> (Aux, [Src; 6], usize) {
        let id = self.texture_id(request.texture);
        let mut access = TexAccess::new(id, &request.texture, request.mode);
        access.element = request.element;
        // As many as the longest access has.
        let mut sources = [request.coordinate; 6];
        let mut count = usize::from(request.mode.has_coordinate());
        let mut push = |source: Src| {
            sources[count] = source;
            count += 1;
        };
        if access.reference
            && let Some(reference) = request.reference
        {
            push(reference);
        }
        request.own.into_iter().flatten().for_each(&mut push);
        // SPIR-V has no offsets for cubes.
        if let Some(offset) = request.offset.filter(|_| !request.texture.target.is_cube()) {
            access.offset = self.known_offset(offset);
            if access.offset == TexelOffset::Dynamic {
                push(offset);
            }
        }
        let aux = Aux::Tex(self.builder.program.tex_accesses.push(access));
        (aux, sources, count)
    }

    /// Returns the offset as part of the access if it is an immediate within the range that devices
    /// have.
    fn known_offset(&self, offset: Src) -> TexelOffset {
        let Base::Literal(literal) = offset.base else {
            return TexelOffset::Dynamic;
        };
        let words = self.builder.program.literals[literal];
        let numbers = [0, 1, 2].map(|lane| words[offset.swizzle.lane(lane)] as u32 as i32);
        if numbers == [0; 3] {
            return TexelOffset::None;
        }
        // The range that every device of Vulkan supports; other offsets are computed.
        if numbers.iter().all(|number| (-8..8).contains(number)) {
            TexelOffset::Constant(numbers.map(|number| number as i8))
        } else {
            TexelOffset::Dynamic
        }
    }
}

/// Returns the comparison reference of a shadow lookup.
fn reference(inst: &Inst, lookup: Lookup, target: &Target, coordinate: Src) -> Option<Src> {
    match target.reference {
        Reference::None => None,
        Reference::Lane(lane) => Some(splat(coordinate, lane)),
        // Without a bias or a level, which precedes it, it is in x.
        Reference::Operand => {
            let behind = matches!(lookup, Lookup::Bias | Lookup::Level);
            Some(splat(inst.sources[1], u8::from(behind)))
        }
    }
}

/// Returns the type of the result of an access.
fn request_type(request: &Request) -> Type {
    match request.mode.reads_texels() {
        true => request.texture.texel,
        false if request.mode == TexMode::QueryLod => Type::F32,
        false => Type::S32,
    }
}

/// Returns the texture of a unit as an opcode sees it.
fn texture(unit: Unit, target: &Target, mode: TexMode) -> Texture {
    let units = match (unit.units, mode.reads_texels()) {
        // Through a handle, queries see textures of any type.
        (Units::Handle, false) => Units::QueriedHandle,
        (units, _) => units,
    };
    Texture {
        units,
        target: target.target,
        shadow: target.is_shadow(),
        texel: if target.is_shadow() {
            Type::F32
        } else {
            unit.texel
        },
        sampler: None,
    }
}
