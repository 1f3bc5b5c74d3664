//! Constants: vectors of constant buffers, loaded at their first read.

use super::{Number, Register};
use crate::tgsi::check::Parsed;
use crate::tgsi::covered::Covered;
use crate::tgsi::files::File;
use crate::tgsi::lower::emitter::Kept;
use crate::tgsi::operand::TgsiResolver;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{MemAccess, MemFlags, MemSpace};
use glasm_ir::types::Width;
use glasm_ir::{BufferId, BufferKind, Dst, IndexTerm, Op, RegisterId, Src, WriteMask};

impl TgsiResolver<'_> {
    /// Returns a vector of a constant buffer.
    pub(in crate::tgsi) fn constant(&mut self, register: &Register) -> Parsed<Src> {
        if register
            .outer
            .and_then(Number::known)
            .is_some_and(|number| number < 0)
        {
            return Ok(self.out_of_bounds(register));
        }
        if register.number.known().is_none() && self.declared.constants.ranges.is_empty() {
            self.declare_leniently(register)?;
        }
        // If any operand selects the buffer dynamically, all buffers are one array of which each is
        // an element.
        let of_any = self.check.ast.indexes_first(File::Const);
        let buffer = register.outer.and_then(Number::known).unwrap_or(0) as u32;
        let (id, element) = match (register.outer, register.number.known()) {
            (Some(outer), _) if of_any => (self.constant_buffers(), Some(outer.term)),
            // Two equal static addresses are the same vector; a computed address may differ each
            // time.
            (_, Some(number)) => return self.load_known_constant(register, buffer, number),
            (_, None) => (self.constant_buffer(buffer), None),
        };
        let address = self.emit.vector_address(register.number.term);
        let loaded = self.emit.hidden(Width::W32);
        self.load_vector(loaded, (id, element), address, 0);
        Ok(Src::register(loaded))
    }

    /// Returns a vector whose address is known: it is loaded once in a block.
    fn load_known_constant(
        &mut self,
        register: &Register,
        buffer: u32,
        number: i32,
    ) -> Parsed<Src> {
        if number < 0 {
            return Ok(self.out_of_bounds(register));
        }
        // Loaded once in each block: values that were loaded in an enclosing block are valid here,
        // values that a branch has loaded are not valid after it.
        let key = Kept::Constant(buffer, number as u32);
        if let Some(kept) = self.emit.kept(key) {
            return Ok(kept);
        }
        self.check_constant(register, buffer, number as u32)?;
        let kept = self.emit.register(Width::W32);
        let zero = self.emit.word(0);
        let id = self.constant_buffer(buffer);
        self.load_vector(kept, (id, None), zero, number * 16);
        self.emit.keep(key, kept);
        Ok(Src::register(kept))
    }

    fn check_constant(&mut self, register: &Register, buffer: u32, number: u32) -> Parsed<()> {
        if self.declared.constants.has(buffer, number) {
            return Ok(());
        }
        self.declare_leniently(register)?;
        // So that the next operand detects it as declared, and `constant_buffers` counts its
        // buffer.
        self.declared.constants.push(Covered {
            buffer,
            first: number,
            last: number,
            span: register.span,
        });
        Ok(())
    }

    fn load_vector(
        &mut self,
        to: RegisterId,
        (buffer, element): (BufferId, Option<IndexTerm>),
        address: Src,
        offset: i32,
    ) {
        let access = MemAccess {
            space: MemSpace::Buffer(buffer),
            element,
            components: 4,
            offset,
            atomic: None,
            flags: MemFlags::empty(),
        };
        let aux = Aux::Mem(self.emit.builder.program.mem_accesses.push(access));
        let dst = Dst::new(to, WriteMask::XYZW);
        // The type does not change the bits; with the type of the instruction, drivers' compilers
        // need no casts.
        self.emit
            .inst(Op::Load, self.constant_type, Some(dst), aux, &[address]);
    }

    /// Returns the constant buffer of a number.
    pub(in crate::tgsi) fn constant_buffer(&mut self, number: u32) -> BufferId {
        self.emit.buffer(BufferKind::Constant, number, None)
    }

    /// Returns all constant buffers that are declared, as an array.
    pub(in crate::tgsi) fn constant_buffers(&mut self) -> BufferId {
        let count = self.declared.constants.buffers.max(1);
        self.emit.buffer_array(BufferKind::Constant, count)
    }
}
