//! Vertex state programs: parameters that the program reads and writes, and the argument that it is
//! executed with. NV_vertex_program section 2.14.4.
//!
//! The parameters are in a buffer, one vector each. One that the program names by its number is
//! loaded where it is needed first, and then lives in a register. A written value is stored before
//! the next read with a dynamic index, which finds it in the buffer, and at the end of the program.
//! State programs have no branches: source order is the order of execution.

use super::Lowerer;
use super::address::{Address, load_words};
use super::context::{const_index, splat};
use super::formula::Formulas;
use super::resource::Resources;
use super::tables::BufferKey;
use crate::ast::Index as AstIndex;
use crate::check::Var;
use crate::line::Target;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{MemFlags, MemSpace};
use glasm_ir::types::Type;
use glasm_ir::{Base, BufferKind, Dst, IndexTerm, Op, ParamSource, RegisterId, Src, WriteMask};

/// Bytes of a parameter.
const VECTOR: u32 = 16;

/// Parameters are moved as bits.
const BITS: Type = Type::U32;

impl Resources<'_> {
    /// Returns the vector that the program is executed with.
    pub(super) fn get_argument(&mut self, var: u32) -> Src {
        let base = Base::Param(self.get_param(ParamSource::Argument));
        *self.tables.place(var, 0) = Some(base);
        Src::new(base)
    }

    /// Returns the register of a parameter, and true if this is its first access.
    fn get_writable_register(&mut self, var: u32, info: &Var, number: u32) -> (RegisterId, bool) {
        if let Some(Base::Register(register)) = *self.tables.place(var, number) {
            return (register, false);
        }
        let register = self.add_named_register(info, None);
        *self.tables.place(var, number) = Some(Base::Register(register));
        (register, true)
    }

    fn get_param_space(&mut self) -> MemSpace {
        MemSpace::Buffer(self.get_buffer(BufferKey::Bound(BufferKind::State, 0, None)))
    }
}

impl Lowerer<'_> {
    /// Loads a parameter as operand.
    pub(super) fn load_writable_param(&mut self, var: u32, info: &Var, index: AstIndex) -> Src {
        if let AstIndex::Relative(_) = index {
            return self.load_param_at(info, index);
        }
        let number = const_index(index);
        let (register, is_new) = self.resources.get_writable_register(var, info, number);
        if is_new {
            self.load_stored_param(register, number);
        }
        Src::register(register)
    }

    /// Returns the register of a parameter that is about to be written.
    pub(super) fn write_param(&mut self, info: &Var, result: &Target) -> RegisterId {
        let number = const_index(result.index);
        let (register, is_new) = self
            .resources
            .get_writable_register(result.var, info, number);
        // Later reads need the components that are not written, too.
        if is_new && result.mask != WriteMask::XYZW {
            self.load_stored_param(register, number);
        }
        let unstored = &mut self.resources.tables.unstored;
        match unstored.iter_mut().find(|(known, ..)| *known == number) {
            Some((_, _, mask)) => mask.0 |= result.mask.0,
            None => unstored.push((number, register, result.mask)),
        }
        register
    }

    /// Stores the values written to parameters.
    pub(super) fn store_params(&mut self) {
        let mut unstored = std::mem::take(&mut self.resources.tables.unstored);
        for &(number, register, mask) in &unstored {
            self.store_param(register, number, mask);
        }
        unstored.clear();
        self.resources.tables.unstored = unstored;
    }

    fn load_stored_param(&mut self, register: RegisterId, number: u32) {
        let address = self.find_param_address(number);
        let aux = self
            .resources
            .add_mem_access(address.access(4, None, MemFlags::empty()));
        let dst = Dst::new(register, WriteMask::XYZW);
        self.inst(Op::Load, BITS, Some(dst), aux, &[address.source]);
    }

    /// Stores components of a register; the others are unchanged.
    fn store_param(&mut self, register: RegisterId, number: u32, mask: WriteMask) {
        let address = self.find_param_address(number);
        if mask == WriteMask::XYZW {
            let aux = self
                .resources
                .add_mem_access(address.access(4, None, MemFlags::empty()));
            return self.store_words(Src::register(register), &address, aux);
        }
        for lane in mask.lanes() {
            let component = Address {
                offset: address.offset + 4 * lane as i32,
                ..address
            };
            let aux = self
                .resources
                .add_mem_access(component.access(1, None, MemFlags::empty()));
            let source = splat(Src::register(register), lane as u8);
            self.store_words(source, &component, aux);
        }
    }

    fn store_words(&mut self, source: Src, address: &Address, aux: Aux) {
        self.inst(Op::Store, BITS, None, aux, &[source, address.source]);
    }

    /// Returns the address of a parameter.
    fn find_param_address(&mut self, number: u32) -> Address {
        Address {
            space: self.resources.get_param_space(),
            element: None,
            source: self.bits(0),
            offset: (number * VECTOR) as i32,
        }
    }

    /// Loads a parameter with a dynamic index; zeros if no parameter has this number.
    /// NV_vertex_program section 2.14.1.9.
    fn load_param_at(&mut self, info: &Var, index: AstIndex) -> Src {
        // The buffer must contain all values written up to now, for the index may select any of
        // them.
        self.store_params();
        let IndexTerm { relative, offset } = self.make_index_term(index);
        let Some((register, lane)) = relative else {
            return self.bits(0);
        };
        let number = splat(Src::register(register), lane);
        // Added modulo 2^32, so that negative offsets are right, too.
        let offset = self.bits(u64::from(offset as u32));
        let number = self.compute(Op::Add, BITS, &[number, offset]);
        // Numbers beyond the last one remain beyond it after the multiplication: reads past the end
        // of the buffer give zeros.
        let behind = self.bits(u64::from(info.array.unwrap_or(0)));
        let number = self.compute(Op::Min, BITS, &[number, behind]);
        let stride = self.bits(u64::from(VECTOR));
        let address = Address {
            space: self.resources.get_param_space(),
            element: None,
            source: splat(self.compute(Op::Mul, BITS, &[number, stride]), 0),
            offset: 0,
        };
        let access = address.access(4, None, MemFlags::empty());
        load_words(self, &address, access, BITS, WriteMask::XYZW)
    }
}
