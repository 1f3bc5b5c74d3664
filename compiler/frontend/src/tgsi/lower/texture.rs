//! Texture opcodes that name a sampler and a target. TGSI, table of texture operands.

use super::emitter::Emitter;
use super::inst::{LoweredInst, splat};
use super::operand::OperandLowerer;
use crate::lower::op_builder::OpBuilder;
use crate::tgsi::checked::{CheckedLookup, InstDetails};
use crate::tgsi::opcodes::Lookup;
use crate::tgsi::texture_targets::{Reference, TextureTarget};
use glasm_ir::inst::InstData;
use glasm_ir::resource::{TexAccess, TexMode, TexelOffset, Texture};
use glasm_ir::types::{Type, Width};
use glasm_ir::{IndexTerm, Op, OperandBase, Src, TexTarget, UnitSet, WriteMask};

/// An access under construction. The IR requires its sources in this order: coordinate, reference,
/// those of the mode, offset.
pub(super) struct TextureRequest {
    pub(super) texture: Texture,
    pub(super) element: Option<IndexTerm>,
    pub(super) mode: TexMode,
    pub(super) coordinate: Src,
    pub(super) reference: Option<Src>,
    pub(super) mode_sources: [Option<Src>; 2],
    pub(super) offset: Option<Src>,
}

/// Lowers texture opcodes.
pub(super) struct TextureLowerer<'r, 'a> {
    pub(super) operands: &'r mut OperandLowerer<'a>,
}

impl<'r, 'a> TextureLowerer<'r, 'a> {
    /// Returns the context that lowers texture instructions.
    pub(super) fn new(operands: &'r mut OperandLowerer<'a>) -> Self {
        Self { operands }
    }
}

impl TextureLowerer<'_, '_> {
    /// Lowers an opcode with samplers: a lookup, a fetch or a query.
    pub(super) fn lower_lookup(&mut self, inst: &LoweredInst, lookup: Lookup) {
        let InstDetails::Lookup(id) = inst.details else {
            return;
        };
        let checked = &self.operands.program.lookups[id as usize];
        let target = checked.target;
        let element = match &checked.handle {
            Some(handle) => Some(self.operands.load_handle(handle)),
            None => Some(inst.resource.index).filter(|index| index.relative.is_some()),
        };
        // 1 of textures without samples. TGSI, TXQS.
        if lookup == Lookup::QuerySamples && !target.target.is_multisample() {
            let one = self.operands.emitter.splat_word(1);
            self.operands
                .emitter
                .emit_result(inst, Op::Mov, Type::S32, &[one]);
            return;
        }
        let (mode, mode_sources) = if lookup == Lookup::Gather {
            self.select_gather_mode(inst, checked.component)
        } else {
            self.select_lookup_mode(inst, lookup, target)
        };
        let mut coordinate = inst.sources[0];
        if lookup == Lookup::Project {
            let w = splat(coordinate, 3);
            // The reference in z is divided with the others.
            coordinate = self
                .operands
                .emitter
                .compute(Op::Div, Type::F32, &[coordinate, w]);
        }
        // Each texel has a separate one of the four offsets.
        let has_four = matches!(mode, TexMode::GatherOffsets(_));
        let request = TextureRequest {
            texture: make_texture(checked, mode),
            element,
            mode,
            coordinate,
            reference: select_reference(inst, lookup, target, coordinate),
            mode_sources,
            offset: inst.offsets[0].filter(|_| !has_four),
        };
        self.operands.emitter.emit_access(inst, &request);
    }

    /// Returns the mode of a texture access, and the sources that only this mode has. Bias and
    /// level are in w, or follow the coordinate.
    fn select_lookup_mode(
        &mut self,
        inst: &LoweredInst,
        lookup: Lookup,
        target: &TextureTarget,
    ) -> (TexMode, [Option<Src>; 2]) {
        let zero = self.operands.emitter.splat_word(0);
        let w = splat(inst.sources[0], 3);
        // TXB2 and TXL2 have a separate operand for it.
        let bias_or_level = match inst.source_count {
            3 => inst.scalar_source(1),
            _ => w,
        };
        let one = |mode: TexMode, source: Src| (mode, [Some(source), None]);
        let kind = target.target;
        match lookup {
            Lookup::Sample | Lookup::Project => (TexMode::Implicit, [None; 2]),
            Lookup::SampleBase => one(TexMode::Lod, zero),
            Lookup::Bias => one(TexMode::Bias, bias_or_level),
            Lookup::Level => one(TexMode::Lod, bias_or_level),
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
            Lookup::QuerySize => one(TexMode::QuerySize, inst.scalar_source(0)),
            Lookup::QuerySamples => (TexMode::QuerySamples, [None; 2]),
            Lookup::QueryLevel => (TexMode::QueryLod, [None; 2]),
        }
    }

    /// Returns the mode of TG4: the component, and the offsets if there are four.
    fn select_gather_mode(
        &mut self,
        inst: &LoweredInst,
        component: u8,
    ) -> (TexMode, [Option<Src>; 2]) {
        if inst.offsets[3].is_none() {
            return (TexMode::Gather(component), [None; 2]);
        }
        let mode_sources = [0, 1].map(|lane| {
            Some(
                self.operands
                    .emitter
                    .collect_offset_lane(&inst.offsets, lane),
            )
        });
        (TexMode::GatherOffsets(component), mode_sources)
    }
}

impl Emitter {
    /// Emits a vector of one lane of each of the four offsets of a gather.
    fn collect_offset_lane(&mut self, offsets: &[Option<Src>; 4], lane: u8) -> Src {
        let register = self.alloc_hidden(Width::W32);
        for (number, offset) in offsets.iter().enumerate() {
            if let Some(offset) = offset {
                let source = [splat(*offset, lane)];
                let mask = WriteMask(1 << number);
                self.emit_to_register(register, mask, Op::Mov, Type::S32, &source);
            }
        }
        Src::from_register(register)
    }

    /// Emits a texture access whose value is the instruction's result.
    pub(super) fn emit_access(&mut self, inst: &LoweredInst, request: &TextureRequest) {
        let (aux, sources, count) = self.build_access(request);
        let ty = result_type(request);
        self.emit_result_with_aux(inst, Op::Tex, ty, aux, &sources[..count]);
    }

    /// Appends an access and returns its result, in a hidden register.
    pub(super) fn compute_access(&mut self, request: &TextureRequest) -> Src {
        let (aux, sources, count) = self.build_access(request);
        let ty = result_type(request);
        self.compute_with_aux(Op::Tex, ty, aux, &sources[..count])
    }

    /// Adds the texture access of a request to the program and returns its data, its sources and
    /// their count.
    fn build_access(&mut self, request: &TextureRequest) -> (InstData, [Src; 6], usize) {
        let id = self.intern_texture(request.texture);
        let mut access = TexAccess::new(id, &request.texture, request.mode);
        access.element = request.element;
        // As many as the longest access has.
        let mut sources = [request.coordinate; 6];
        let mut count = usize::from(request.mode.has_coordinate());
        let mut push = |source: Src| {
            sources[count] = source;
            count += 1;
        };
        if access.has_reference
            && let Some(reference) = request.reference
        {
            push(reference);
        }
        request
            .mode_sources
            .into_iter()
            .flatten()
            .for_each(&mut push);
        // SPIR-V has no offsets for cubes.
        if let Some(offset) = request.offset.filter(|_| !request.texture.target.is_cube()) {
            access.offset = self.classify_offset(offset);
            if access.offset == TexelOffset::Dynamic {
                push(offset);
            }
        }
        let aux = InstData::Tex(self.builder.program.tex_accesses.push(access));
        (aux, sources, count)
    }

    /// Returns the offset as part of the access if it is an immediate within the range that devices
    /// have.
    fn classify_offset(&self, offset: Src) -> TexelOffset {
        let OperandBase::Literal(literal) = offset.base else {
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

/// Returns the comparison reference of a shadow lookup: a lane of the coordinate or of the second
/// operand. `None` for other targets.
fn select_reference(
    inst: &LoweredInst,
    lookup: Lookup,
    target: &TextureTarget,
    coordinate: Src,
) -> Option<Src> {
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

/// Returns the type of an access's result: that of texels, floats of QUERY_LOD, and integers of
/// other queries.
fn result_type(request: &TextureRequest) -> Type {
    match request.mode.reads_texels() {
        true => request.texture.texel_type,
        false if request.mode == TexMode::QueryLod => Type::F32,
        false => Type::S32,
    }
}

/// Returns the texture of a lookup with this mode.
fn make_texture(lookup: &CheckedLookup, mode: TexMode) -> Texture {
    let units = match (lookup.units, mode.reads_texels()) {
        // Through a handle, queries see textures of any type.
        (UnitSet::Handle, false) => UnitSet::QueryHandle,
        (units, _) => units,
    };
    let is_shadow = lookup.target.is_shadow();
    Texture {
        units,
        target: lookup.target.target,
        shadow: is_shadow,
        texel_type: if is_shadow { Type::F32 } else { lookup.texel },
        sampler: None,
    }
}
