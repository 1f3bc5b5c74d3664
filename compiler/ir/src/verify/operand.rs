//! Checks of operands: registers, indices, widths.

use super::Verifier;
use crate::arena::Id;
use crate::inst::{
    Base, Dst, Guard, Index, IndexId, IndexTerm, Inst, Saturate, Src, WriteMask, result_type,
    source_type,
};
use crate::op::{Op, ResultShape, TypeClass};
use crate::program::{Register, RegisterId, Stage, Storage};
use crate::types::{Type, Width};

/// Returns true if lanes of `width` can hold values of `ty` in `op`.
fn can_hold(op: Op, ty: Type, width: Width) -> bool {
    let in_memory = op.info().types == TypeClass::Memory;
    ty.width() == width || in_memory && ty.width() < Width::W32 && width == Width::W32
}

/// Returns true if `op` converts its result to `width`.
fn is_resized(op: Op, ty: Type, width: Width) -> bool {
    // The flags of sums are computed from the written value (NV_gpu_program4 section 2.X.4.3), so a
    // sum must know the width of its result.
    let whole = |width: Width| width >= Width::W32;
    op.adds() && ty.is_int() && whole(ty.width()) && whole(width)
}

impl Verifier<'_> {
    /// Checks a condition-code register.
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

    fn verify_guard(&mut self, guard: Option<Guard>) {
        if let Some(guard) = guard {
            self.verify_cond_register(guard.cc);
        }
    }

    /// Checks a lane of a register that is not an array.
    pub(super) fn verify_scalar(&mut self, id: RegisterId, lane: u8, width: Width) {
        if lane > 3 {
            self.report_error(format!("lane {lane} does not exist"));
        }
        match self.program.registers.get(id) {
            None => self.report_error(format!("{id} is not in the table")),
            Some(Register {
                storage: Storage::Cond,
                ..
            }) => self.report_error(format!("{id} holds condition codes")),
            Some(Register { array: Some(_), .. }) => self.report_error(format!("{id} is an array")),
            Some(register) if register.width != width => {
                self.report_error(format!("{id} is not {} bits wide", width.bits()));
            }
            Some(_) => {}
        }
    }

    pub(super) fn verify_index_term(&mut self, term: IndexTerm, len: Option<u32>) {
        match (term.relative, len) {
            // The register must not have an index, otherwise indices could be nested arbitrarily.
            (Some((register, lane)), _) => self.verify_scalar(register, lane, Width::W32),
            // Dynamic indices are clamped; constant indices must be in bounds.
            (None, Some(len)) if !u32::try_from(term.offset).is_ok_and(|offset| offset < len) => {
                self.report_error(format!("the index {} is not below {len}", term.offset));
            }
            (None, _) => {}
        }
    }

    /// Checks the index of an operand that can access `available` elements; returns it if it is
    /// valid.
    fn verify_index(&mut self, id: IndexId, available: usize) -> Option<Index> {
        let Some(&index) = self.program.indices.get(id) else {
            self.report_error(format!("{id} is not in the table"));
            return None;
        };
        if index.len == 0 || index.len as usize > available {
            self.report_error(format!(
                "an index reaches {} of {available} elements",
                index.len
            ));
        }
        self.verify_index_term(index.element, Some(index.len));
        if let Some(vertex) = index.vertex {
            self.verify_index_term(vertex, None);
            if vertex.relative.is_none() && vertex.offset < 0 {
                self.report_error("a vertex has no negative number");
            }
        }
        Some(index)
    }

    /// Checks a register that is read or written: arrays have an index, others do not. Returns it
    /// if it is valid.
    fn verify_register_use(&mut self, id: RegisterId, index: Option<IndexId>) -> Option<Register> {
        let Some(&register) = self.program.registers.get(id) else {
            self.report_error(format!("{id} is not in the table"));
            return None;
        };
        match (register.array, index) {
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

    /// Checks an entry of a table from `first` on; returns its vertex.
    fn verify_slot(
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

    pub(super) fn verify_source(&mut self, inst: &Inst, number: usize, src: &Src) {
        let ty = source_type(self.program, inst, number);
        match src.base {
            Base::Register(id) => {
                let Some(register) = self.verify_register_use(id, src.index) else {
                    return;
                };
                if register.storage == Storage::Cond {
                    self.report_inst_error(inst, "condition codes cannot be read as a source");
                } else if !can_hold(inst.op, ty, register.width) {
                    self.report_width_error(inst, ty, register.width);
                }
            }
            Base::Param(id) => {
                if self
                    .verify_slot(id.index(), self.program.params.len(), src.index)
                    .is_some()
                {
                    self.report_inst_error(inst, "parameters have no vertices");
                }
                if !can_hold(inst.op, ty, Width::W32) {
                    self.report_width_error(inst, ty, Width::W32);
                }
            }
            Base::Input(id) => self.verify_input(inst, id.index(), src, ty),
            Base::Output(id) => self.verify_output(inst, id.index(), src, ty),
            Base::Literal(id) => {
                if self.program.literals.get(id).is_none() || src.index.is_some() {
                    self.report_inst_error(inst, "a literal is in the table and has no index");
                }
            }
        }
    }

    fn verify_input(&mut self, inst: &Inst, first: usize, src: &Src, ty: Type) {
        let vertex = self.verify_slot(first, self.program.inputs.len(), src.index);
        let data = self.program.inputs.as_slice().get(first);
        let per_vertex = data.is_some_and(|input| input.per_vertex);
        let width = data.map_or(Width::W32, |input| input.width);
        if vertex.is_some() != per_vertex {
            self.report_inst_error(
                inst,
                "inputs per vertex, and only those, are read from a vertex",
            );
        }
        if !can_hold(inst.op, ty, width) {
            self.report_width_error(inst, ty, width);
        }
    }

    /// Checks an output that an invocation of a tessellation control program has written.
    fn verify_output(&mut self, inst: &Inst, first: usize, src: &Src, ty: Type) {
        let vertex = self.verify_slot(first, self.program.outputs.len(), src.index);
        if self.program.stage != Stage::TessControl {
            return self.report_inst_error(inst, "only tessellation control programs read outputs");
        }
        let data = self.program.outputs.as_slice().get(first);
        let per_patch = data.is_some_and(|output| output.semantic.is_per_patch());
        if vertex.is_some() == per_patch {
            self.report_inst_error(
                inst,
                "outputs per vertex, and only those, are read from a vertex",
            );
        }
        if !can_hold(inst.op, ty, Width::W32) {
            self.report_width_error(inst, ty, Width::W32);
        }
    }

    fn report_width_error(&mut self, inst: &Inst, ty: Type, width: Width) {
        self.report_inst_error(
            inst,
            format_args!("lanes of {} bits do not hold {}", width.bits(), ty.name()),
        );
    }

    pub(super) fn verify_dst(&mut self, inst: &Inst, dst: &Dst) {
        if inst.op.info().shape == ResultShape::None {
            self.report_inst_error(inst, "the operation has no result");
        }
        if dst.mask.is_empty() || dst.mask.0 > WriteMask::XYZW.0 {
            self.report_inst_error(inst, "a write mask has one to four lanes");
        }
        let ty = result_type(inst);
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
        } else if !can_hold(inst.op, ty, register.width) && !is_resized(inst.op, ty, register.width)
        {
            self.report_width_error(inst, ty, register.width);
        }
    }
}
