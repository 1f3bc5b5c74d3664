//! Residency of texels: EXT_sparse_texture2.
//!
//! With the feature `shaderResourceResidency` an access tells beside its texel whether all that it read is populated. The operation
//! `Resident` makes such an access and keeps the texel; the texture access right behind it takes that instead of reading again, unless
//! every texture of an array has a case of its own. Images are read for it once more, since atomics tell nothing. Gathers with an
//! offset for each texel tell of all texels of the four footprints. Without the feature nothing can be unpopulated: the answer
//! is a constant and costs nothing. The same holds for one-dimensional and buffer textures, which are sparse nowhere.

use crate::builder::{Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::cx::Question;
use glasm_ir::Inst;
use glasm_ir::inst::TexAccessId;
use spirv::Op as Spv;

impl Emit<'_> {
    /// The texel of a texture access, if the instruction before has read it in this block.
    pub(super) fn texel_read_before(&mut self, inst: &Inst, id: TexAccessId) -> Option<[Lane; 4]> {
        let texel = self.sparse.texel.take()?;
        // One record taken since then means that this instruction is the next one.
        let follows = texel.remaining == self.live.remaining() + 1 && texel.block == self.w.block;
        (follows && texel.is_of(self.program, inst, id)).then_some(texel.lanes)
    }

    /// From here on accesses tell whether their texels are populated.
    pub(in crate::emit) fn ask_residency(&mut self) {
        self.sparse.question = Question::Resident;
        self.sparse.answer = None;
    }

    /// Whether accesses tell whether their texels are populated.
    pub(super) fn asks_for_residency(&self) -> bool {
        self.sparse.question == Question::Resident
    }

    /// What the accesses since the question told; ends the question.
    pub(in crate::emit) fn residency_answer(&mut self) -> Val {
        self.sparse.question = Question::None;
        let answer = self.sparse.answer.take();
        // Where nothing was read, nothing is missing.
        answer.unwrap_or_else(|| self.w.always())
    }

    /// What the accesses told so far, which is forgotten; nothing if nothing was asked.
    pub(super) fn take_residency(&mut self) -> Option<Val> {
        self.sparse.answer.take()
    }

    /// One more access told this.
    pub(super) fn add_residency(&mut self, resident: Val) {
        // An access made of several reads counts as populated if all of them are.
        self.sparse.answer = Some(match self.sparse.answer {
            Some(others) => self.w.test(Spv::LogicalAnd, others, resident),
            None => resident,
        });
    }

    /// An instruction that reads texels, in the form that tells of residency if that is asked.
    pub(in crate::emit) fn texel_op(
        &mut self,
        op: Spv,
        scalar: Scalar,
        size: u8,
        operands: &[u32],
    ) -> Val {
        let form = FORMS.iter().find(|(plain, _)| *plain == op);
        let form = form.filter(|_| self.sparse.question == Question::Resident);
        let Some(&(_, sparse_op)) = form else {
            return self.w.long_op(op, scalar, size, operands);
        };
        let (code, texel) = (self.w.ty(Scalar::U32, 1), self.w.ty(scalar, size));
        // Sparse instructions give a structure of two: the residency code, an integer, and the texel (SPIR-V, image instructions).
        let ty = self.w.declare_type(Spv::TypeStruct, &[code.0, texel.0]);
        let both = self.w.object();
        self.w.body.long_result(sparse_op, ty, both, operands);
        let part = Spv::CompositeExtract;
        let code = self.w.op(part, Scalar::U32, 1, &[both.0, 0]);
        let texel = self.w.op(part, scalar, size, &[both.0, 1]);
        let test = Spv::ImageSparseTexelsResident;
        let resident = self.w.op(test, Scalar::BoolInt, 1, &[code.id.0]);
        self.add_residency(resident);
        texel
    }
}

/// Instructions that read texels, and their forms that tell of residency.
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
