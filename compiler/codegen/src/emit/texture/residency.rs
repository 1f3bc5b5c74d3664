//! Residency of texels (EXT_sparse_texture2).
//!
//! With the feature `shaderResourceResidency` an access returns, in addition to its texel, whether
//! all texels that it read are populated. The operation `Resident` performs such an access and
//! caches the texel; the texture access immediately following it uses that texel instead of reading
//! again, unless every texture of an array has a separate case. Images are read a second time for
//! it, because atomics return no residency. The residency of gathers with an offset for each texel
//! covers all texels of the four footprints. Without the feature all texels are populated: the
//! result is a constant and costs nothing. The same holds for one-dimensional and buffer textures,
//! which are never sparse.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::spirv_writer::LabelWord;
use glasm_ir::inst::{IndexTerm, TexAccessId};
use glasm_ir::{Inst, OperandBase, Program, RegisterId, Src};
use spirv::Op as Spv;
use std::ops::Range;

/// State of residency queries for the open instruction.
#[derive(Default)]
pub(in crate::emit) struct ResidencyState {
    request: ResidencyRequest,
    residency: Option<Val>,
    pub(super) cached_texel: Option<CachedTexel>,
}

/// Texel that was read together with its residency.
pub(super) struct CachedTexel {
    /// Texture access.
    pub(super) access: TexAccessId,
    pub(super) sources: Range<usize>,
    pub(super) written: Option<RegisterId>,
    /// Block that contains it.
    pub(super) block: LabelWord,
    pub(super) remaining: usize,
    pub(super) lanes: [Lane; 4],
}

impl CachedTexel {
    /// Returns true if `inst` is a texture access with the same operands as the access `id`, and
    /// neither reads the register to which the residency was written.
    pub(super) fn is_repeated_by(&self, program: &Program, inst: &Inst, id: TexAccessId) -> bool {
        let access = program.tex_accesses[id];
        // The residency is written to a register. If the access reads that register, the second
        // access differs from the first.
        let is_written = |term: IndexTerm| {
            let register = term.relative.map(|(register, _)| register);
            register.is_some() && register == self.written
        };
        let reads_written = |src: &Src| {
            let element = src.index.map(|index| program.indices[index].element);
            let named = matches!(src.base, OperandBase::Register(id) if Some(id) == self.written);
            named || element.is_some_and(is_written)
        };
        let sources = program.sources(inst);
        program.tex_accesses[self.access] == access
            && program.srcs[self.sources.clone()] == *sources
            && !sources.iter().any(reads_written)
            && !access.element.is_some_and(is_written)
    }
}

/// Request of residency from accesses.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum ResidencyRequest {
    #[default]
    None,
    Requested,
}

impl ResidencyState {
    /// Requests that the following accesses record whether their texels are resident.
    pub(in crate::emit) fn begin_request(&mut self) {
        self.request = ResidencyRequest::Requested;
        self.residency = None;
    }

    /// Returns true if accesses must return the residency of their texels.
    pub(super) fn is_requested(&self) -> bool {
        self.request == ResidencyRequest::Requested
    }

    /// Returns the residency of the accesses since the request, which is true without any, and ends
    /// the request.
    pub(in crate::emit) fn finish_request(&mut self, builder: &mut ValueBuilder) -> Val {
        self.request = ResidencyRequest::None;
        let answer = self.residency.take();
        // Without any read, no texel is missing.
        answer.unwrap_or_else(|| builder.constant_true())
    }

    /// Takes the residency of the accesses since the request; `None` without a request.
    pub(super) fn take_residency(&mut self) -> Option<Val> {
        self.residency.take()
    }

    /// Combines the residency of another access with that of the previous ones of the request.
    pub(super) fn add_residency(&mut self, builder: &mut ValueBuilder, resident: Val) {
        // An access that consists of several reads is populated if all of them are.
        self.residency = Some(match self.residency {
            Some(others) => builder.emit_test(Spv::LogicalAnd, others, resident),
            None => resident,
        });
    }

    /// Emits an instruction that reads texels and returns its result; while residency is requested,
    /// in its sparse form, whose residency is added to that of the request.
    pub(in crate::emit) fn emit_texel_op(
        &mut self,
        builder: &mut ValueBuilder,
        op: Spv,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> Val {
        let sparse_form = SPARSE_OPS.iter().find(|(plain, _)| *plain == op);
        let form = sparse_form.filter(|_| self.request == ResidencyRequest::Requested);
        let Some(&(_, sparse_op)) = form else {
            return builder.emit_variadic_op(op, scalar, size, operands);
        };
        let (code, texel) = (
            builder.get_type(Scalar::U32, 1),
            builder.get_type(scalar, size),
        );
        // Sparse instructions return a structure of two members: the residency code, an integer,
        // and the texel (SPIR-V, image instructions).
        let ty = builder.declare_type(Spv::TypeStruct, &[code.0, texel.0]);
        let both = builder.new_object();
        builder
            .body
            .push_variadic_result_inst(sparse_op, ty, both, operands);
        let part = Spv::CompositeExtract;
        let code = builder.emit_op(part, Scalar::U32, 1, &[both.0, 0]);
        let texel = builder.emit_op(part, scalar, size, &[both.0, 1]);
        let test = Spv::ImageSparseTexelsResident;
        let resident = builder.emit_op(test, Scalar::BoolInt, 1, &[code.id.0]);
        self.add_residency(builder, resident);
        texel
    }
}

/// Instructions that read texels, and their sparse forms.
#[rustfmt::skip]
const SPARSE_OPS: [(Spv, Spv); 8] = [
    (Spv::ImageSampleImplicitLod, Spv::ImageSparseSampleImplicitLod),
    (Spv::ImageSampleExplicitLod, Spv::ImageSparseSampleExplicitLod),
    (Spv::ImageSampleDrefImplicitLod, Spv::ImageSparseSampleDrefImplicitLod),
    (Spv::ImageSampleDrefExplicitLod, Spv::ImageSparseSampleDrefExplicitLod),
    (Spv::ImageFetch, Spv::ImageSparseFetch),
    (Spv::ImageGather, Spv::ImageSparseGather),
    (Spv::ImageDrefGather, Spv::ImageSparseDrefGather),
    (Spv::ImageRead, Spv::ImageSparseRead),
];
