//! Checks of instructions and their access data.

use super::Verifier;
use crate::image::{Image, ImageAccess, ImageTexels};
use crate::inst::{IndexTerm, Inst, InstData, OperandBase, Src};
use crate::op::{Op, OpFlags};
use crate::program::Stage;
use crate::resource::UnitSet;
use crate::resource::{
    AtomicOp, BufferKind, MemAccess, MemorySpace, TexAccess, TexMode, TexTarget, TexelOffset,
    Texture,
};
use crate::types::{Type, Width};

impl Verifier<'_> {
    /// Checks an instruction and reports each violation: type, stage, access data, sources and
    /// destination. Invalid access data or a wrong number of sources ends the check.
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
        let Some(count) = self.verify_inst_data(inst) else {
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
                    base: OperandBase::Input(_),
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

    /// Checks that the stage of the program has the operation, and that passthrough programs emit
    /// no vertices.
    fn verify_stage(&mut self, inst: &Inst) {
        let stage = self.program.stage;
        let for_fragments = inst.op.has(OpFlags::FRAGMENT);
        let for_groups = inst.op == Op::Barrier;
        let for_primitives = matches!(inst.op, Op::EmitVertex | Op::EndPrimitive);
        let is_wrong_stage = for_fragments && stage != Stage::Fragment
            || for_primitives && stage != Stage::Geometry
            || for_groups && !matches!(stage, Stage::Compute | Stage::TessControl);
        if is_wrong_stage {
            self.report_inst_error(
                inst,
                format_args!("{} programs do not have the operation", stage.name()),
            );
        } else if for_primitives && self.program.modes.passthrough {
            self.report_inst_error(inst, "a passthrough program cannot emit vertices");
        }
    }

    /// Checks the access data, reports violations, and returns the number of sources that it
    /// requires, 0 if the operation determines it. Returns `None` if the data is not that of the
    /// operation or not in its table.
    fn verify_inst_data(&mut self, inst: &Inst) -> Option<usize> {
        let [needs_mem, needs_image, needs_texture] =
            [OpFlags::MEM, OpFlags::IMAGE, OpFlags::TEX].map(|access| inst.op.has(access));
        let needs_any = needs_mem || needs_image || needs_texture || inst.op == Op::Cvt;
        match inst.data {
            InstData::None if !needs_any => Some(0),
            InstData::Image(id) if needs_image => {
                let access = self.program.image_accesses.get(id).copied();
                let Some(access) = access else {
                    return self.report_missing_access(inst);
                };
                let image = self.program.images.get(access.image).copied();
                let Some(image) = image else {
                    return self.report_missing_access(inst);
                };
                Some(self.verify_image_access(inst, &access, &image))
            }
            InstData::Cvt { saturate, .. } if inst.op == Op::Cvt => {
                if saturate && inst.ty.is_float() {
                    self.report_inst_error(
                        inst,
                        "a conversion clamps to the range of integers only",
                    );
                }
                Some(1)
            }
            InstData::Tex(id) if needs_texture => {
                let access = self.program.tex_accesses.get(id).copied();
                let Some(access) = access else {
                    return self.report_missing_access(inst);
                };
                let texture = self.program.textures.get(access.texture).copied();
                let Some(texture) = texture else {
                    return self.report_missing_access(inst);
                };
                self.verify_tex_access(inst, &access, &texture);
                Some(access.source_count())
            }
            InstData::Mem(id) if needs_mem => {
                let access = self.program.mem_accesses.get(id).copied();
                let Some(access) = access else {
                    return self.report_missing_access(inst);
                };
                self.verify_mem_access(inst, &access).map(|()| 0)
            }
            InstData::None
            | InstData::Cvt { .. }
            | InstData::Tex(_)
            | InstData::Mem(_)
            | InstData::Image(_) => {
                self.report_inst_error(inst, "the access data is not that of the operation");
                None
            }
        }
    }

    /// Reports that the access data of an instruction is not in the table; returns `None`.
    fn report_missing_access(&mut self, inst: &Inst) -> Option<usize> {
        self.report_inst_error(inst, "the access data is not in the table");
        None
    }

    /// Checks that a dynamic element is present exactly if the resource is an array, whose length
    /// is `array`, and that it is valid.
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

    /// Checks that a dynamic element is present exactly if there are several textures or images,
    /// and that it is valid. Handles require an element of any value.
    fn verify_unit_element(&mut self, inst: &Inst, element: Option<IndexTerm>, units: UnitSet) {
        match (units, element) {
            (UnitSet::Single(_), _) => self.verify_element(inst, element, None),
            (UnitSet::Array { count, .. }, _) => self.verify_element(inst, element, Some(count)),
            (UnitSet::Handle | UnitSet::QueryHandle, Some(handle)) => {
                self.verify_index_term(handle, None)
            }
            (UnitSet::Handle | UnitSet::QueryHandle, None) => {
                self.report_inst_error(inst, "a handle is missing");
            }
        }
    }

    /// Checks an image access, reports violations, and returns the number of sources that it
    /// requires.
    fn verify_image_access(&mut self, inst: &Inst, access: &ImageAccess, image: &Image) -> usize {
        self.verify_unit_element(inst, access.element, image.units);
        let with_value = inst.op.has(OpFlags::WRITES);
        let is_query = matches!(inst.op, Op::ImageSize | Op::ImageSamples);
        if image.units == UnitSet::QueryHandle {
            self.report_inst_error(inst, "query handles are for textures only");
        }
        let matches_texels = match image.texels {
            _ if is_query || inst.op == Op::Resident => true,
            ImageTexels::Formatted(ty) => ty == inst.ty && access.components == 4,
            texels @ ImageTexels::Raw(_) => {
                ImageTexels::from_raw_elements(inst.ty, access.components) == Some(texels)
            }
            ImageTexels::Unused => false,
        };
        if !matches_texels {
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

    /// Checks that an atomic image operation is defined for the type and texels: 32-bit integers,
    /// or floats for some operations, and no 128-bit raw texels.
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

    /// Checks that element, coordinate lanes, reference, result type, mode, offset and minimum
    /// level of a texture access are valid for its texture and instruction. Reports each violation.
    fn verify_tex_access(&mut self, inst: &Inst, access: &TexAccess, texture: &Texture) {
        self.verify_unit_element(inst, access.element, texture.units);
        let default_access = TexAccess::new(access.texture, texture, access.mode);
        if (access.coordinate_lanes, access.has_reference)
            != (
                default_access.coordinate_lanes,
                default_access.has_reference,
            )
        {
            self.report_inst_error(
                inst,
                "coordinate lanes and reference are not those of target and mode",
            );
        }
        if texture.units == UnitSet::QueryHandle && access.mode.reads_texels() {
            self.report_inst_error(inst, QUERY_HANDLE_MESSAGE);
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
            | TexMode::GatherOffsets(_) => inst.ty == texture.texel_type,
        };
        if !result_fits {
            self.report_inst_error(inst, "the type is not that of the texels or the query");
        }
        if !is_mode_supported(access.mode, texture.target) {
            self.report_inst_error(inst, "the texture target does not have the mode");
        }
        if access.has_min_lod
            && !(access.mode.uses_derivatives() && texture.target != TexTarget::Rect)
        {
            let message =
                "a minimum level of detail requires a computed level and a texture with mipmaps";
            self.report_inst_error(inst, message);
        }
        // NV_gpu_program4 section 2.X.4.4: neither cubes nor buffers have texel offsets.
        let has_offset = access.offset != TexelOffset::None;
        if has_offset
            && matches!(
                texture.target,
                TexTarget::Cube | TexTarget::CubeArray | TexTarget::Buffer
            )
        {
            self.report_inst_error(inst, "the texture target has no texel offsets");
        }
    }

    /// Checks a memory access and reports violations; returns `None` if its buffer is not in the
    /// table, so that its address type is not known.
    fn verify_mem_access(&mut self, inst: &Inst, access: &MemAccess) -> Option<()> {
        match access.space {
            MemorySpace::Global => self.verify_element(inst, access.element, None),
            MemorySpace::Buffer(id) => {
                let Some(&buffer) = self.program.buffers.get(id) else {
                    return self.report_missing_access(inst).map(|_| ());
                };
                self.verify_element(inst, access.element, buffer.array_len);
                if buffer.kind == BufferKind::ProgramParameter && inst.op != Op::Load {
                    self.report_inst_error(inst, "constant buffers are only read");
                }
                if buffer.kind == BufferKind::VertexStateParameters && inst.op == Op::Atomic {
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

    /// Checks that an atomic operation is defined for the type and the number of components.
    fn verify_atomic(&mut self, inst: &Inst, access: &MemAccess, atomic: AtomicOp) {
        let is_half = inst.ty == Type::F16;
        if is_half == (access.components == 1) {
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

const QUERY_HANDLE_MESSAGE: &str = "a query handle can only be used by queries";

/// Returns true if textures of `target` can be accessed in `mode`.
fn is_mode_supported(mode: TexMode, target: TexTarget) -> bool {
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
