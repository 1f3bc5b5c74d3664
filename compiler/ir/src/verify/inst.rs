//! Checks of instructions and their access data.

use super::Verifier;
use crate::image::{Image, ImageAccess, ImageTexels};
use crate::inst::{Aux, Base, IndexTerm, Inst, Src};
use crate::op::{Op, OpFlags};
use crate::program::Stage;
use crate::resource::{
    AtomicOp, BufferKind, MemAccess, MemSpace, TexAccess, TexMode, TexTarget, TexelOffset, Texture,
};
use crate::types::{Type, Width};
use crate::units::Units;

impl Verifier<'_> {
    pub(super) fn verify_inst(&mut self, inst: &Inst) {
        let info = inst.op.info();
        if !info.types.contains(inst.ty) {
            self.report_inst_error(inst, "the operation is not defined for the type");
        }
        if matches!(inst.op, Op::Pack64 | Op::Unpack64) && inst.ty.width() != Width::W64 {
            self.report_inst_error(inst, "the type is that of the 64-bit lanes");
        }
        self.verify_stage(inst);
        // The types of sources depend on the access data, so invalid access data ends the check.
        let Some(count) = self.verify_aux(inst) else {
            return;
        };
        if usize::from(inst.source_count) != info.sources.map_or(count, usize::from) {
            self.report_inst_error(inst, "the number of sources is wrong");
            return;
        }
        let Some(sources) = self.program.srcs.get(inst.source_range()) else {
            return self.report_inst_error(inst, "the sources are not in the table");
        };
        for (number, src) in sources.iter().enumerate() {
            self.verify_source(inst, number, src);
        }
        if inst.op.has(OpFlags::INTERPOLATES)
            && !matches!(
                sources.first(),
                Some(Src {
                    base: Base::Input(_),
                    ..
                })
            )
        {
            self.report_inst_error(inst, "only inputs are interpolated");
        }
        if let Some(dst) = &inst.dst {
            self.verify_dst(inst, dst);
        }
    }

    fn verify_stage(&mut self, inst: &Inst) {
        let stage = self.program.stage;
        let for_fragments = inst.op.has(OpFlags::FRAGMENT);
        let for_groups = inst.op == Op::Barrier;
        let for_primitives = matches!(inst.op, Op::EmitVertex | Op::EndPrimitive);
        let wrong = for_fragments && stage != Stage::Fragment
            || for_primitives && stage != Stage::Geometry
            || for_groups && !matches!(stage, Stage::Compute | Stage::TessControl);
        if wrong {
            self.report_inst_error(
                inst,
                format_args!("{} programs do not have the operation", stage.name()),
            );
        } else if for_primitives && self.program.modes.passthrough {
            self.report_inst_error(inst, "a program that passes its primitive on emits nothing");
        }
    }

    /// Checks the access data and returns the number of sources that it requires; `None` if it is
    /// invalid.
    fn verify_aux(&mut self, inst: &Inst) -> Option<usize> {
        let [needs_mem, needs_image, needs_texture] =
            [OpFlags::MEM, OpFlags::IMAGE, OpFlags::TEX].map(|access| inst.op.has(access));
        let needs_any = needs_mem || needs_image || needs_texture || inst.op == Op::Cvt;
        match inst.aux {
            Aux::None if !needs_any => Some(0),
            Aux::Image(id) if needs_image => {
                let access = self.program.image_accesses.get(id).copied();
                let Some(access) = access else {
                    return self.verify_no_access(inst);
                };
                let image = self.program.images.get(access.image).copied();
                let Some(image) = image else {
                    return self.verify_no_access(inst);
                };
                Some(self.verify_image_access(inst, &access, &image))
            }
            Aux::Cvt { saturate, .. } if inst.op == Op::Cvt => {
                if saturate && inst.ty.is_float() {
                    self.report_inst_error(
                        inst,
                        "a conversion clamps to the range of integers only",
                    );
                }
                Some(1)
            }
            Aux::Tex(id) if needs_texture => {
                let access = self.program.tex_accesses.get(id).copied();
                let Some(access) = access else {
                    return self.verify_no_access(inst);
                };
                let texture = self.program.textures.get(access.texture).copied();
                let Some(texture) = texture else {
                    return self.verify_no_access(inst);
                };
                self.verify_tex_access(inst, &access, &texture);
                Some(access.source_count())
            }
            Aux::Mem(id) if needs_mem => {
                let access = self.program.mem_accesses.get(id).copied();
                let Some(access) = access else {
                    return self.verify_no_access(inst);
                };
                self.verify_mem_access(inst, &access).map(|()| 0)
            }
            Aux::None | Aux::Cvt { .. } | Aux::Tex(_) | Aux::Mem(_) | Aux::Image(_) => {
                self.report_inst_error(inst, "the access data is not that of the operation");
                None
            }
        }
    }

    fn verify_no_access(&mut self, inst: &Inst) -> Option<usize> {
        self.report_inst_error(inst, "the access data is not in the table");
        None
    }

    /// Checks that a dynamic element is present exactly if the resource is an array.
    fn verify_element(&mut self, inst: &Inst, element: Option<IndexTerm>, array: Option<u32>) {
        match (element, array) {
            (Some(element), Some(len)) => self.verify_index_term(element, Some(len)),
            (None, None) => {}
            (Some(_), None) => self.report_inst_error(inst, "the resource is no array"),
            (None, Some(_)) => {
                self.report_inst_error(inst, "the resource is an array and needs an index")
            }
        }
    }

    /// Checks that a dynamic element is present exactly if there are several textures or images.
    fn verify_unit_element(&mut self, inst: &Inst, element: Option<IndexTerm>, units: Units) {
        match (units, element) {
            (Units::One(_), _) => self.verify_element(inst, element, None),
            (Units::Array { count, .. }, _) => self.verify_element(inst, element, Some(count)),
            (Units::Handle | Units::QueriedHandle, Some(handle)) => {
                self.verify_index_term(handle, None)
            }
            (Units::Handle | Units::QueriedHandle, None) => {
                self.report_inst_error(inst, "a handle is missing");
            }
        }
    }

    /// Checks an image access and returns the number of sources that it requires.
    fn verify_image_access(&mut self, inst: &Inst, access: &ImageAccess, image: &Image) -> usize {
        self.verify_unit_element(inst, access.element, image.units);
        let with_value = inst.op.has(OpFlags::WRITES);
        let is_query = matches!(inst.op, Op::ImageSize | Op::ImageSamples);
        if image.units == Units::QueriedHandle {
            self.report_inst_error(inst, "queries of images do not see texels");
        }
        let fits = match image.texels {
            _ if is_query || inst.op == Op::Resident => true,
            ImageTexels::Formatted(ty) => ty == inst.ty && access.components == 4,
            texels @ ImageTexels::Raw(_) => {
                ImageTexels::raw(inst.ty, access.components) == Some(texels)
            }
            ImageTexels::Unseen => false,
        };
        if !fits {
            self.report_inst_error(inst, "type and components are not those of the texels");
        }
        match (access.atomic, inst.op == Op::ImageAtomic) {
            (Some(atomic), true) => self.verify_image_atomic(inst, image, atomic),
            (None, false) => {}
            (Some(_), false) | (None, true) => {
                self.report_inst_error(inst, "atomics, and only those, have an operation")
            }
        }
        if is_query {
            return 0;
        }
        usize::from(with_value) + 1 + usize::from(image.target.is_multisample())
    }

    fn verify_image_atomic(&mut self, inst: &Inst, image: &Image, atomic: AtomicOp) {
        let floats = matches!(
            atomic,
            AtomicOp::Add | AtomicOp::Min | AtomicOp::Max | AtomicOp::Exchange
        );
        let integer = inst.ty.is_int() && inst.ty.width() == Width::W32;
        if image.texels == ImageTexels::Raw(128) || !(integer || inst.ty.is_float() && floats) {
            self.report_inst_error(inst, "the atomic operation is not defined for the type");
        }
    }

    fn verify_tex_access(&mut self, inst: &Inst, access: &TexAccess, texture: &Texture) {
        self.verify_unit_element(inst, access.element, texture.units);
        let usual = TexAccess::new(access.texture, texture, access.mode);
        if (access.coordinate_lanes, access.reference) != (usual.coordinate_lanes, usual.reference)
        {
            self.report_inst_error(
                inst,
                "coordinate lanes and reference are not those of target and mode",
            );
        }
        if texture.units == Units::QueriedHandle && access.mode.reads_texels() {
            self.report_inst_error(inst, QUERIES_ONLY);
        }
        let result_fits = match access.mode {
            mode if inst.op == Op::Resident => mode.reads_texels(),
            TexMode::QuerySize | TexMode::QuerySamples => {
                inst.ty.is_int() && inst.ty.width() == Width::W32
            }
            TexMode::QueryLod => inst.ty == Type::F32,
            TexMode::Implicit
            | TexMode::Bias
            | TexMode::Lod
            | TexMode::Grad
            | TexMode::Fetch
            | TexMode::FetchSample
            | TexMode::Gather(_)
            | TexMode::GatherOffsets(_) => inst.ty == texture.texel,
        };
        if !result_fits {
            self.report_inst_error(inst, "the type is not that of the texels or the query");
        }
        if !supports_mode(access.mode, texture.target) {
            self.report_inst_error(inst, "the texture target does not have the mode");
        }
        if access.min_lod && !(access.mode.computes_level() && texture.target != TexTarget::Rect) {
            let message = "a least level goes with computed levels of textures that have several";
            self.report_inst_error(inst, message);
        }
        // NV_gpu_program4 section 2.X.4.4: neither cubes nor buffers have texel offsets.
        let offsets = access.offset != TexelOffset::None;
        if offsets
            && matches!(
                texture.target,
                TexTarget::Cube | TexTarget::CubeArray | TexTarget::Buffer
            )
        {
            self.report_inst_error(inst, "the texture target has no texel offsets");
        }
    }

    /// Checks a memory access; returns `None` if its address type is not known.
    fn verify_mem_access(&mut self, inst: &Inst, access: &MemAccess) -> Option<()> {
        match access.space {
            MemSpace::Global => self.verify_element(inst, access.element, None),
            MemSpace::Buffer(id) => {
                let Some(&buffer) = self.program.buffers.get(id) else {
                    return self.verify_no_access(inst).map(|_| ());
                };
                self.verify_element(inst, access.element, buffer.array);
                if buffer.kind == BufferKind::Constant && inst.op != Op::Load {
                    self.report_inst_error(inst, "constant buffers are only read");
                }
                if buffer.kind == BufferKind::State && inst.op == Op::Atomic {
                    self.report_inst_error(inst, "parameters of state programs have no atomics");
                }
            }
        }
        // Storage modifiers have no vectors of three: NV_gpu_program5 section 2.X.4.1.
        if !matches!(access.components, 1 | 2 | 4) {
            self.report_inst_error(inst, "an access has 1, 2 or 4 components");
        }
        match (access.atomic, inst.op == Op::Atomic) {
            (Some(atomic), true) => self.verify_atomic(inst, access, atomic),
            (None, false) => {}
            (Some(_), false) | (None, true) => {
                self.report_inst_error(inst, "atomics, and only those, have an operation")
            }
        }
        Some(())
    }

    fn verify_atomic(&mut self, inst: &Inst, access: &MemAccess, atomic: AtomicOp) {
        let halves = inst.ty == Type::F16;
        if halves == (access.components == 1) {
            let message = "an atomic has one component, or two or four half floats";
            self.report_inst_error(inst, message);
        }
        // No extension has float atomics beyond those of NV_shader_atomic_fp16_vector: these four.
        let floats = matches!(
            atomic,
            AtomicOp::Add | AtomicOp::Min | AtomicOp::Max | AtomicOp::Exchange
        );
        let integer = inst.ty.is_int() && inst.ty.width() >= Width::W32;
        if !(integer || inst.ty.is_float() && floats) {
            self.report_inst_error(inst, "the atomic operation is not defined for the type");
        }
    }
}

const QUERIES_ONLY: &str = "texels of any type are for queries only";

/// Returns true if textures of `target` can be accessed in `mode`.
fn supports_mode(mode: TexMode, target: TexTarget) -> bool {
    let is_cube = target.is_cube();
    let filtered = !target.is_multisample() && target != TexTarget::Buffer;
    match mode {
        TexMode::Implicit | TexMode::Bias | TexMode::Lod | TexMode::Grad | TexMode::QueryLod => {
            filtered
        }
        // Cubes have no integer coordinates; multisample targets have samples instead of levels.
        TexMode::Fetch => !target.is_multisample() && !is_cube,
        TexMode::FetchSample | TexMode::QuerySamples => target.is_multisample(),
        TexMode::QuerySize => true,
        // The targets of TXG: NV_gpu_program5 section 2.X.8.Z.
        TexMode::Gather(component) => {
            filtered && component < 4 && (target.dimensions() == 2 || is_cube)
        }
        // TXGO supports only 2D, rectangles and arrays of 2D: NV_gpu_program5 section 2.X.8.Z.
        TexMode::GatherOffsets(component) => filtered && component < 4 && target.dimensions() == 2,
    }
}
