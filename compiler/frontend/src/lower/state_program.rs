//! Vertex state programs: parameters that the program reads and writes, and the argument that it is
//! executed with. NV_vertex_program section 2.14.4.
//!
//! The parameters are in a buffer, one vector each. One that the program names by its number is
//! loaded where it is needed first, and then lives in a register. A written value is stored before
//! the next read with a dynamic index, which finds it in the buffer, and at the end of the program.
//! State programs have no branches: source order is the order of execution.

use super::Lowerer;
use super::ir_map::BufferKey;
use super::memory::{MemAddress, load_words};
use super::op_builder::OpBuilder;
use super::resource::Resources;
use super::{const_index_or_zero, splat};
use crate::ast::Index as AstIndex;
use crate::check::Var;
use crate::resolved_inst::ResolvedDst;
use glasm_ir::inst::InstData;
use glasm_ir::resource::{MemFlags, MemorySpace};
use glasm_ir::types::Type;
use glasm_ir::{
    BufferKind, Dst, IndexTerm, Op, OperandBase, ParamSource, RegisterId, Src, WriteMask,
};

/// Bytes of a parameter.
const PARAM_BYTES: u32 = 16;

/// Parameters are moved as bits.
const PARAM_TYPE: Type = Type::U32;

impl Resources<'_> {
    /// Returns the source that reads the vector argument of a vertex state program; the first
    /// access adds its parameter and caches it as the location of `var`.
    pub(super) fn load_argument(&mut self, var: u32) -> Src {
        let base = OperandBase::Param(self.get_param(ParamSource::Argument));
        *self.ir_map.location_mut(var, 0) = Some(base);
        Src::new(base)
    }

    /// Returns the register of parameter `number`, and true if this is its first access, which adds
    /// the register and caches it as the location.
    fn get_param_register(&mut self, var: u32, info: &Var, number: u32) -> (RegisterId, bool) {
        if let Some(OperandBase::Register(register)) = *self.ir_map.location_mut(var, number) {
            return (register, false);
        }
        let register = self.add_temp_var_register(info, None);
        *self.ir_map.location_mut(var, number) = Some(OperandBase::Register(register));
        (register, true)
    }

    /// Returns the buffer of the parameters, which is added to the program at its first use.
    fn get_param_space(&mut self) -> MemorySpace {
        MemorySpace::Buffer(self.get_buffer(BufferKey::Bound(
            BufferKind::VertexStateParameters,
            0,
            None,
        )))
    }
}

impl Lowerer<'_> {
    /// Returns the source that reads a parameter that the program may write: a register, which is
    /// loaded from the buffer at the first access. With a dynamic index it is loaded each time.
    pub(super) fn load_writable_param(&mut self, var: u32, info: &Var, index: AstIndex) -> Src {
        if let AstIndex::Relative(_) = index {
            return self.load_indexed_param(info, index);
        }
        let number = const_index_or_zero(index);
        let (register, is_new) = self.resources.get_param_register(var, info, number);
        if is_new {
            self.load_stored_param(register, number);
        }
        Src::from_register(register)
    }

    /// Returns the register of a parameter that is about to be written, and records that it must be
    /// stored to the buffer.
    pub(super) fn begin_param_write(&mut self, info: &Var, result: &ResolvedDst) -> RegisterId {
        let number = const_index_or_zero(result.index);
        let (register, is_new) = self.resources.get_param_register(result.var, info, number);
        // Later reads need the components that are not written, too.
        if is_new && result.mask != WriteMask::XYZW {
            self.load_stored_param(register, number);
        }
        let unstored = &mut self.resources.ir_map.pending_param_stores;
        match unstored.iter_mut().find(|(known, ..)| *known == number) {
            Some((_, _, mask)) => mask.0 |= result.mask.0,
            None => unstored.push((number, register, result.mask)),
        }
        register
    }

    /// Emits stores of all parameters that were written since the last call to the buffer.
    pub(super) fn store_params(&mut self) {
        let mut unstored = std::mem::take(&mut self.resources.ir_map.pending_param_stores);
        for &(number, register, mask) in &unstored {
            self.store_param(register, number, mask);
        }
        unstored.clear();
        self.resources.ir_map.pending_param_stores = unstored;
    }

    /// Emits the load of parameter `number` from the parameter buffer into a register.
    fn load_stored_param(&mut self, register: RegisterId, number: u32) {
        let address = self.find_param_address(number);
        let aux = self
            .resources
            .add_mem_access(address.to_mem_access(4, None, MemFlags::empty()));
        let dst = Dst::new(register, WriteMask::XYZW);
        self.emit_inst(Op::Load, PARAM_TYPE, Some(dst), aux, &[address.source]);
    }

    /// Emits the store of the components `mask` of a register to parameter `number`; the others are
    /// unchanged.
    fn store_param(&mut self, register: RegisterId, number: u32, mask: WriteMask) {
        let address = self.find_param_address(number);
        if mask == WriteMask::XYZW {
            let aux =
                self.resources
                    .add_mem_access(address.to_mem_access(4, None, MemFlags::empty()));
            return self.store_words(Src::from_register(register), &address, aux);
        }
        for lane in mask.lanes() {
            let component = MemAddress {
                offset: address.offset + 4 * lane as i32,
                ..address
            };
            let aux =
                self.resources
                    .add_mem_access(component.to_mem_access(1, None, MemFlags::empty()));
            let source = splat(Src::from_register(register), lane as u8);
            self.store_words(source, &component, aux);
        }
    }

    /// Stores the components of `source` at an address of the parameter buffer.
    fn store_words(&mut self, source: Src, address: &MemAddress, aux: InstData) {
        self.emit_inst(Op::Store, PARAM_TYPE, None, aux, &[source, address.source]);
    }

    /// Returns the address of parameter `number` in the parameter buffer, which is added to the
    /// program at its first use.
    fn find_param_address(&mut self, number: u32) -> MemAddress {
        MemAddress {
            space: self.resources.get_param_space(),
            buffer_index: None,
            source: self.splat_bits(0),
            offset: (number * PARAM_BYTES) as i32,
        }
    }

    /// Emits the load of a parameter with a dynamic index and returns it; zeros if no parameter has
    /// this number. Parameters that were written are stored before it. NV_vertex_program section
    /// 2.14.1.9.
    fn load_indexed_param(&mut self, info: &Var, index: AstIndex) -> Src {
        // The buffer must contain all values written up to now, for the index may select any of
        // them.
        self.store_params();
        let IndexTerm { relative, offset } = self.make_index_term(index);
        let Some((register, lane)) = relative else {
            return self.splat_bits(0);
        };
        let number = splat(Src::from_register(register), lane);
        // Added modulo 2^32, so that negative offsets are right, too.
        let offset = self.splat_bits(u64::from(offset as u32));
        let number = self.compute(Op::Add, PARAM_TYPE, &[number, offset]);
        // Numbers beyond the last one remain beyond it after the multiplication: reads past the end
        // of the buffer give zeros.
        let end = self.splat_bits(u64::from(info.array_size.unwrap_or(0)));
        let number = self.compute(Op::Min, PARAM_TYPE, &[number, end]);
        let stride = self.splat_bits(u64::from(PARAM_BYTES));
        let address = MemAddress {
            space: self.resources.get_param_space(),
            buffer_index: None,
            source: splat(self.compute(Op::Mul, PARAM_TYPE, &[number, stride]), 0),
            offset: 0,
        };
        let access = address.to_mem_access(4, None, MemFlags::empty());
        load_words(self, &address, access, PARAM_TYPE, WriteMask::XYZW)
    }
}
