//! Elements of arrays that instructions access by an index.

use crate::builder::{Lane, Scalar};
use crate::emit::cx::FunctionEmitter;
use crate::emit::memory::array::Element;
use crate::error::Failure;
use crate::words::ValueWord;
use glasm_ir::RegisterId;
use glasm_ir::inst::{IndexId, IndexTerm};
use spirv::{GlslStd450Op as GlslOp, Op as Spv};

impl FunctionEmitter<'_> {
    /// Returns the element of a register that an index selects.
    pub(in crate::emit) fn find_register_element(
        &mut self,
        register: RegisterId,
        index: Option<IndexId>,
    ) -> Result<Element, Failure> {
        self.find_element(index, self.program.registers[register].elements())
    }

    /// Returns the element that an index selects, clamped to `0..len`.
    pub(in crate::emit) fn find_element(
        &mut self,
        index: Option<IndexId>,
        len: u32,
    ) -> Result<Element, Failure> {
        match index {
            Some(index) => self.compute_element(self.program.indices[index].element, len),
            None => Ok(Element::Constant(0)),
        }
    }

    /// Computes the element that a term selects, clamped to `0..len`: beyond it the result is
    /// undefined, but the access must be harmless (NV_gpu_program4 section 2.X.4.2).
    pub(in crate::emit) fn compute_element(
        &mut self,
        term: IndexTerm,
        len: u32,
    ) -> Result<Element, Failure> {
        let last = len.max(1) - 1;
        let Some((register, lane)) = term.relative else {
            return Ok(Element::Constant((term.offset.max(0) as u32).min(last)));
        };
        let relative = self.load_index(register, lane)?;
        let relative = self.w.val(relative);
        let offset = self.w.uint_val(term.offset as u32);
        let sum = self.w.binary(Spv::IAdd, relative, offset);
        if let Some(bits) = self.w.splat_bits(sum) {
            // Signed, as at run time: a negative number is clamped to element 0.
            let element = (bits as u32 as i32).clamp(0, last as i32);
            return Ok(Element::Constant(element as u32));
        }
        let zero = self.w.constant_like(sum, 0);
        let last = self.w.constant_like(sum, u64::from(last));
        let clamped = self.w.ext(GlslOp::SClamp, &[sum, zero, last]);
        Ok(Element::Dynamic(clamped.id))
    }

    /// Loads a lane of a register as a 32-bit integer.
    pub(in crate::emit) fn load_index(
        &mut self,
        register: RegisterId,
        lane: u8,
    ) -> Result<ValueWord, Failure> {
        let lane = usize::from(lane & 3);
        let value = match self.analysis.slot(self.program, register, None) {
            Some(slot) => self.lanes.get(slot, lane),
            None => self.load_memory_lanes(register, None, 1 << lane)?[lane],
        };
        Ok(self.w.scalar(value, Scalar::U32))
    }

    pub(in crate::emit) fn load_memory_lanes(
        &mut self,
        register: RegisterId,
        index: Option<IndexId>,
        read: u8,
    ) -> Result<[Lane; 4], Failure> {
        let element = self.find_register_element(register, index)?;
        Ok(self.memory().load_register(register, element, read))
    }
}
