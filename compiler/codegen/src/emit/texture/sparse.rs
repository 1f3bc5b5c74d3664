//! Residency of texels: EXT_sparse_texture2.
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
use crate::words::LabelWord;
use glasm_ir::inst::{IndexTerm, TexAccessId};
use glasm_ir::{Base, Inst, Program, RegisterId, Src};
use spirv::Op as Spv;
use std::ops::Range;

/// State of residency queries for the open instruction.
#[derive(Default)]
pub(in crate::emit) struct Sparse {
    question: Question,
    answer: Option<Val>,
    pub(super) texel: Option<Texel>,
}

/// Texel that was read together with its residency.
pub(super) struct Texel {
    /// Texture access.
    pub(super) access: TexAccessId,
    pub(super) sources: Range<usize>,
    pub(super) written: Option<RegisterId>,
    /// Block that contains it.
    pub(super) block: LabelWord,
    pub(super) remaining: usize,
    pub(super) lanes: [Lane; 4],
}

impl Texel {
    /// Returns true if `inst` repeats the access.
    pub(super) fn is_of(&self, program: &Program, inst: &Inst, id: TexAccessId) -> bool {
        let access = program.tex_accesses[id];
        // The residency is written to a register. If the access reads that register, the second
        // access differs from the first.
        let is_written = |term: IndexTerm| {
            let register = term.relative.map(|(register, _)| register);
            register.is_some() && register == self.written
        };
        let reads_written = |src: &Src| {
            let element = src.index.map(|index| program.indices[index].element);
            let named = matches!(src.base, Base::Register(id) if Some(id) == self.written);
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
enum Question {
    #[default]
    None,
    Resident,
}

impl Sparse {
    /// Requests the residency of texels from the following accesses.
    pub(in crate::emit) fn ask_residency(&mut self) {
        self.question = Question::Resident;
        self.answer = None;
    }

    /// Returns true if accesses must return the residency of their texels.
    pub(super) fn asks_for_residency(&self) -> bool {
        self.question == Question::Resident
    }

    /// Returns the residency of the accesses since the request, and ends the request.
    pub(in crate::emit) fn take_answer(&mut self, w: &mut ValueBuilder) -> Val {
        self.question = Question::None;
        let answer = self.answer.take();
        // Without any read, no texel is missing.
        answer.unwrap_or_else(|| w.always())
    }

    /// Takes the residency of the accesses since the request; `None` without a request.
    pub(super) fn take_residency(&mut self) -> Option<Val> {
        self.answer.take()
    }

    /// Adds the residency of another access.
    pub(super) fn add_residency(&mut self, w: &mut ValueBuilder, resident: Val) {
        // An access that consists of several reads is populated if all of them are.
        self.answer = Some(match self.answer {
            Some(others) => w.test(Spv::LogicalAnd, others, resident),
            None => resident,
        });
    }

    /// Emits an instruction that reads texels, in its sparse form if residency is requested.
    pub(in crate::emit) fn emit_texel_op(
        &mut self,
        w: &mut ValueBuilder,
        op: Spv,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> Val {
        let form = FORMS.iter().find(|(plain, _)| *plain == op);
        let form = form.filter(|_| self.question == Question::Resident);
        let Some(&(_, sparse_op)) = form else {
            return w.long_op(op, scalar, size, operands);
        };
        let (code, texel) = (w.ty(Scalar::U32, 1), w.ty(scalar, size));
        // Sparse instructions return a structure of two members: the residency code, an integer,
        // and the texel (SPIR-V, image instructions).
        let ty = w.declare_type(Spv::TypeStruct, &[code.0, texel.0]);
        let both = w.object();
        w.body.long_result(sparse_op, ty, both, operands);
        let part = Spv::CompositeExtract;
        let code = w.op(part, Scalar::U32, 1, &[both.0, 0]);
        let texel = w.op(part, scalar, size, &[both.0, 1]);
        let test = Spv::ImageSparseTexelsResident;
        let resident = w.op(test, Scalar::BoolInt, 1, &[code.id.0]);
        self.add_residency(w, resident);
        texel
    }
}

/// Instructions that read texels, and their sparse forms.
#[rustfmt::skip]
const FORMS: [(Spv, Spv); 8] = [
    (Spv::ImageSampleImplicitLod, Spv::ImageSparseSampleImplicitLod),
    (Spv::ImageSampleExplicitLod, Spv::ImageSparseSampleExplicitLod),
    (Spv::ImageSampleDrefImplicitLod, Spv::ImageSparseSampleDrefImplicitLod),
    (Spv::ImageSampleDrefExplicitLod, Spv::ImageSparseSampleDrefExplicitLod),
    (Spv::ImageFetch, Spv::ImageSparseFetch),
    (Spv::ImageGather, Spv::ImageSparseGather),
    (Spv::ImageDrefGather, Spv::ImageSparseDrefGather),
    (Spv::ImageRead, Spv::ImageSparseRead),
];
