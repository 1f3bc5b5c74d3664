//! Checks of operands: registers, indices, widths.

use super::Verifier;
use crate::arena::Id;
use crate::inst::{
    Dst, Guard, Index, IndexId, IndexTerm, Inst, OperandBase, Saturate, Src, WriteMask,
    get_result_type, get_source_type,
};
use crate::op::{Op, ResultShape, TypeClass};
use crate::program::{Register, RegisterId, Stage, Storage};
use crate::types::{Type, Width};

/// Returns true if lanes of `width` can hold values of `ty` in `op`.
fn is_width_valid(op: Op, ty: Type, width: Width) -> bool {
    let in_memory = op.info().types == TypeClass::Memory;
    ty.width() == width || in_memory && ty.width() < Width::W32 && width == Width::W32
}

/// Returns true if `op` may write its result of type `ty` to a register of another width, `width`:
/// integer sums of 32 or 64 bits.
fn is_resized(op: Op, ty: Type, width: Width) -> bool {
    // The flags of sums are computed from the written value (NV_gpu_program4 section 2.X.4.3), so a
    // sum must know the width of its result.
    let is_full_width = |width: Width| width >= Width::W32;
    op.has_carry() && ty.is_int() && is_full_width(ty.width()) && is_full_width(width)
}

impl Verifier<'_> {
    /// Checks that a register is in the table and holds condition codes.
    pub(super) fn verify_cond_register(&mut self, id: RegisterId) {
        match self.program.registers.get(id) {
            Some(Register {
                storage: Storage::Cond,
                ..
            }) => {}
            Some(_) => self.report_error(format!("{id} does not hold condition codes")),
            None => self.report_error(format!("{id} is not in the table")),
        }
    }

    /// Checks that an optional guard tests a condition-code register.
    fn verify_guard(&mut self, guard: Option<Guard>) {
        if let Some(guard) = guard {
            self.verify_cond_register(guard.cc);
        }
    }

    /// Checks that a lane exists and that its register is in the table, has the width, is not an
    /// array and holds no condition codes.
    pub(super) fn verify_register_lane(&mut self, id: RegisterId, lane: u8, width: Width) {
        if lane > 3 {
            self.report_error(format!("lane {lane} does not exist"));
        }
        match self.program.registers.get(id) {
            None => self.report_error(format!("{id} is not in the table")),
            Some(Register {
                storage: Storage::Cond,
                ..
            }) => self.report_error(format!("{id} holds condition codes")),
            Some(Register {
                array_len: Some(_), ..
            }) => self.report_error(format!("{id} is an array")),
            Some(register) if register.width != width => {
                self.report_error(format!("{id} is not {} bits wide", width.bits()));
            }
            Some(_) => {}
        }
    }

    /// Checks that an index term reads a lane of a 32-bit register, or is a constant from 0 to
    /// `len` - 1; any constant if `len` is `None`.
    pub(super) fn verify_index_term(&mut self, term: IndexTerm, len: Option<u32>) {
        match (term.relative, len) {
            // The register must not have an index, otherwise indices could be nested arbitrarily.
            (Some((register, lane)), _) => self.verify_register_lane(register, lane, Width::W32),
            // Dynamic indices are clamped; constant indices must be in bounds.
            (None, Some(len)) if !u32::try_from(term.offset).is_ok_and(|offset| offset < len) => {
                self.report_error(format!("the index {} is not below {len}", term.offset));
            }
            (None, _) => {}
        }
    }

    /// Checks the index of an operand that can access `available` elements and reports violations;
    /// returns the index, or `None` if it is not in the table.
    fn verify_index(&mut self, id: IndexId, available: usize) -> Option<Index> {
        let Some(&index) = self.program.indices.get(id) else {
            self.report_error(format!("{id} is not in the table"));
            return None;
        };
        if index.len == 0 || index.len as usize > available {
            self.report_error(format!(
                "the index range {} exceeds the {available} elements of the array",
                index.len
            ));
        }
        self.verify_index_term(index.element, Some(index.len));
        if let Some(vertex) = index.vertex {
            self.verify_index_term(vertex, None);
            if vertex.relative.is_none() && vertex.offset < 0 {
                self.report_error("a vertex index cannot be negative");
            }
        }
        Some(index)
    }

    /// Checks a register that is read or written: arrays have an index without a vertex, others
    /// have none. Returns the register, or `None` if it is not in the table.
    fn verify_register_use(&mut self, id: RegisterId, index: Option<IndexId>) -> Option<Register> {
        let Some(&register) = self.program.registers.get(id) else {
            self.report_error(format!("{id} is not in the table"));
            return None;
        };
        match (register.array_len, index) {
            (None, None) => {}
            (Some(_), None) => self.report_error(format!("{id} is an array and needs an index")),
            (None, Some(_)) => self.report_error(format!("{id} is no array")),
            (Some(len), Some(index)) => {
                if self
                    .verify_index(index, len as usize)
                    .is_some_and(|index| index.vertex.is_some())
                {
                    self.report_error("a register has no vertices");
                }
            }
        }
        Some(register)
    }

    /// Checks that an operand with an optional index accesses a table of `len` entries only, from
    /// entry `first` on; returns the vertex of the index, if it has one.
    fn verify_table_operand(
        &mut self,
        first: usize,
        len: usize,
        index: Option<IndexId>,
    ) -> Option<IndexTerm> {
        if first >= len {
            self.report_error("an operand is not in its table");
            return None;
        }
        index
            .and_then(|index| self.verify_index(index, len - first))
            .and_then(|index| index.vertex)
    }

    /// Checks the base of source `number`: its id, index and width for the operation. Reports each
    /// violation.
    pub(super) fn verify_source(&mut self, inst: &Inst, number: usize, src: &Src) {
        let ty = get_source_type(self.program, inst, number);
        match src.base {
            OperandBase::Register(id) => {
                let Some(register) = self.verify_register_use(id, src.index) else {
                    return;
                };
                if register.storage == Storage::Cond {
                    self.report_inst_error(inst, "condition codes cannot be read as a source");
                } else if !is_width_valid(inst.op, ty, register.width) {
                    self.report_width_error(inst, ty, register.width);
                }
            }
            OperandBase::Param(id) => {
                if self
                    .verify_table_operand(id.index(), self.program.params.len(), src.index)
                    .is_some()
                {
                    self.report_inst_error(inst, "parameters have no vertices");
                }
                if !is_width_valid(inst.op, ty, Width::W32) {
                    self.report_width_error(inst, ty, Width::W32);
                }
            }
            OperandBase::Input(id) => self.verify_input(inst, id.index(), src, ty),
            OperandBase::Output(id) => self.verify_output(inst, id.index(), src, ty),
            OperandBase::Literal(id) => {
                if self.program.literals.get(id).is_none() || src.index.is_some() {
                    self.report_inst_error(inst, "a literal is in the table and has no index");
                }
            }
        }
    }

    /// Checks a source that reads input `first`: its index, whose vertex must be present exactly
    /// for inputs per vertex, and its width.
    fn verify_input(&mut self, inst: &Inst, first: usize, src: &Src, ty: Type) {
        let vertex = self.verify_table_operand(first, self.program.inputs.len(), src.index);
        let input = self.program.inputs.as_slice().get(first);
        let per_vertex = input.is_some_and(|input| input.per_vertex);
        let width = input.map_or(Width::W32, |input| input.width);
        if vertex.is_some() != per_vertex {
            self.report_inst_error(
                inst,
                "inputs per vertex, and only those, are read from a vertex",
            );
        }
        if !is_width_valid(inst.op, ty, width) {
            self.report_width_error(inst, ty, width);
        }
    }

    /// Checks a source that reads output `first` back, which only tessellation control programs may
    /// do: its index, whose vertex must be present exactly for outputs per vertex, and its width.
    fn verify_output(&mut self, inst: &Inst, first: usize, src: &Src, ty: Type) {
        let vertex = self.verify_table_operand(first, self.program.outputs.len(), src.index);
        if self.program.stage != Stage::TessControl {
            return self.report_inst_error(inst, "only tessellation control programs read outputs");
        }
        let output = self.program.outputs.as_slice().get(first);
        let per_patch = output.is_some_and(|output| output.semantic.is_per_patch());
        if vertex.is_some() == per_patch {
            self.report_inst_error(
                inst,
                "outputs per vertex, and only those, are read from a vertex",
            );
        }
        if !is_width_valid(inst.op, ty, Width::W32) {
            self.report_width_error(inst, ty, Width::W32);
        }
    }

    /// Reports that register lanes of a width cannot hold operands of a type.
    fn report_width_error(&mut self, inst: &Inst, ty: Type, width: Width) {
        self.report_inst_error(
            inst,
            format_args!("lanes of {} bits do not hold {}", width.bits(), ty.name()),
        );
    }

    /// Checks the destination of an instruction and reports violations: write mask, clamp, guard,
    /// condition code, register and width. Condition-code registers cannot be destinations.
    pub(super) fn verify_dst(&mut self, inst: &Inst, dst: &Dst) {
        if inst.op.info().shape == ResultShape::None {
            self.report_inst_error(inst, "the operation has no result");
        }
        if dst.mask.is_empty() || dst.mask.0 > WriteMask::XYZW.0 {
            self.report_inst_error(inst, "a write mask has one to four lanes");
        }
        let ty = get_result_type(inst);
        if dst.saturate != Saturate::None && !ty.is_float() {
            self.report_inst_error(inst, "only floats are clamped");
        }
        self.verify_guard(dst.guard);
        if let Some(cc) = dst.cc {
            self.verify_cond_register(cc);
        }
        let Some(register) = self.verify_register_use(dst.register, dst.index) else {
            return;
        };
        if register.storage == Storage::Cond {
            self.report_inst_error(inst, "results go to temporaries and outputs");
        } else if !is_width_valid(inst.op, ty, register.width)
            && !is_resized(inst.op, ty, register.width)
        {
            self.report_width_error(inst, ty, register.width);
        }
    }
}
