//! Constants: vectors of constant buffers, loaded at their first read, and dynamically indexed
//! arrays of numbers, which are filled where the program begins.

use super::emitter::{CachedValue, InitializedArray};
use super::operand::OperandLowerer;
use crate::tgsi::checked::{ArrayInit, ConstantBuffer};
use glasm_ir::inst::InstData;
use glasm_ir::resource::{MemAccess, MemFlags, MemorySpace};
use glasm_ir::sample_locations::STANDARD_LOCATIONS;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Block, BufferId, BufferKind, Dst, IndexTerm, Node, Op, RegisterId, Routine, Span, Src, Storage,
    WriteMask,
};

impl OperandLowerer<'_> {
    /// Returns a vector whose address is known: it is loaded once in a block.
    pub(super) fn load_constant_at(&mut self, buffer: u32, number: u32) -> Src {
        // Loaded once in each block: values that were loaded in an enclosing block are valid here,
        // values that a branch has loaded are not valid after it.
        let key = CachedValue::Constant(buffer, number);
        if let Some(kept) = self.emitter.cached_value(key) {
            return kept;
        }
        let kept = self.emitter.add_register(Width::W32);
        let zero = self.emitter.splat_word(0);
        let id = self.get_constant_buffer(buffer);
        self.load_vector(kept, (id, None), zero, number as i32 * 16);
        self.emitter.cache_value(key, kept);
        Src::from_register(kept)
    }

    /// Returns a vector whose address is computed, in a hidden register.
    pub(super) fn load_indexed_constant(&mut self, id: u32) -> Src {
        let constant = self.program.indexed_constants[id as usize];
        let (buffer, element) = match constant.buffer {
            ConstantBuffer::Number(number) => (self.get_constant_buffer(number), None),
            ConstantBuffer::Element { index, count } => {
                let element = self.lower_index(index);
                let array = self
                    .emitter
                    .get_buffer_array(BufferKind::ProgramParameter, count);
                (array, Some(element))
            }
        };
        let index = self.lower_index(constant.index);
        let address = self.emitter.compute_vector_address(index);
        let loaded = self.emitter.alloc_hidden(Width::W32);
        self.load_vector(loaded, (buffer, element), address, 0);
        Src::from_register(loaded)
    }

    /// Emits a load of the four words at `address` plus `offset`, in bytes, of a constant buffer
    /// into a register.
    fn load_vector(
        &mut self,
        register: RegisterId,
        (buffer, element): (BufferId, Option<IndexTerm>),
        address: Src,
        offset: i32,
    ) {
        let access = MemAccess {
            space: MemorySpace::Buffer(buffer),
            element,
            components: 4,
            offset,
            atomic: None,
            flags: MemFlags::empty(),
        };
        let aux = InstData::Mem(self.emitter.builder.program.mem_accesses.push(access));
        let dst = Dst::new(register, WriteMask::XYZW);
        // The type does not change the bits; with the type of the instruction, drivers' compilers
        // need no casts.
        self.emitter
            .emit_inst(Op::Load, self.constant_type, Some(dst), aux, &[address]);
    }

    /// Returns the constant buffer with a number, which is added if it is new.
    fn get_constant_buffer(&mut self, number: u32) -> BufferId {
        self.emitter
            .get_buffer(BufferKind::ProgramParameter, number, None)
    }
}

impl OperandLowerer<'_> {
    /// Returns the element of an array of constants that a dynamic index selects.
    pub(super) fn load_table_element(&mut self, table: ArrayInit, index: u32) -> Src {
        let index = self.program.elements[index as usize];
        let term = self.lower_index(index.element);
        let (array, len) = self.get_initialized_array(table, index.len);
        self.emitter.make_array_element(array, term, len)
    }

    /// Returns an element of the table of sample positions.
    pub(super) fn load_sample_position(&mut self, index: IndexTerm) -> Src {
        let len = sample_positions().count() as u32;
        let (array, len) = self.get_initialized_array(ArrayInit::SamplePositions, len);
        self.emitter.make_array_element(array, index, len)
    }

    /// Returns a register array filled with these values, which has `len` elements if it is new,
    /// and its length.
    fn get_initialized_array(&mut self, init: ArrayInit, len: u32) -> (RegisterId, u32) {
        let arrays = &mut self.emitter.ir_cache.initialized_arrays;
        if let Some(known) = arrays.iter().find(|it| it.init == init) {
            return (known.array, known.len);
        }
        let array = self
            .emitter
            .add_storage_register(Storage::Temp, Width::W32, Some(len));
        self.emitter
            .ir_cache
            .initialized_arrays
            .push(InitializedArray { init, array, len });
        (array, len)
    }

    /// Creates a main routine that fills arrays and calls the program's main routine, if there are
    /// arrays to fill.
    pub(super) fn initialize_arrays(&mut self) {
        if self.emitter.ir_cache.initialized_arrays.is_empty() {
            return;
        }
        // All arrays are only known at the end of the source, so the code that fills them is
        // inserted before the finished program.
        let program_main = self.emitter.builder.program.main;
        let body = self
            .emitter
            .builder
            .program
            .blocks
            .push(Block { first: 0, len: 0 });
        let routine = Routine { name: None, body };
        self.emitter.builder.program.main = self.emitter.builder.program.routines.push(routine);
        self.emitter.builder.open_block();
        for number in 0..self.emitter.ir_cache.initialized_arrays.len() {
            self.emit_array_init(self.emitter.ir_cache.initialized_arrays[number]);
        }
        self.emitter
            .builder
            .push_node(Node::Call(program_main, Span::default()));
        self.emitter.builder.close_block_as(body);
    }

    /// Emits the moves that fill a register array with its constant values.
    fn emit_array_init(&mut self, array: InitializedArray) {
        for number in 0..array.len {
            let row = number as usize;
            let words = match array.init {
                ArrayInit::Immediates => self.program.immediates.get(row).copied(),
                ArrayInit::Immx => self.program.immx_vectors.get(row).copied(),
                ArrayInit::SamplePositions => sample_positions().nth(row),
            };
            // The only element of an empty array.
            let Some(words) = words else { continue };
            let source = self.emitter.make_vector(words);
            let element = self.emitter.make_array_element(
                array.array,
                IndexTerm::from_constant(number as i32),
                array.len,
            );
            let dst = Dst {
                index: element.index,
                ..Dst::new(array.array, WriteMask::XYZW)
            };
            self.emitter
                .emit_inst(Op::Mov, Type::U32, Some(dst), InstData::None, &[source]);
        }
    }
}

/// Returns the table of sample positions, four words for each sample.
fn sample_positions() -> impl Iterator<Item = [u32; 4]> {
    let bits = |sixteenths: u8| (f32::from(sixteenths) / 16.0).to_bits();
    STANDARD_LOCATIONS
        .iter()
        .map(move |&[x, y]| [bits(x), bits(y), 0, 0])
}
