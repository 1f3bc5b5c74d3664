//! Appends to the program: instructions, registers, literals and resources, each of which exists
//! once.

use crate::lower::hidden_registers::HiddenRegisters;
use crate::tgsi::checked::{ArrayInit, CheckedProgram, TempStorage};
use crate::{take_cleared_map, take_cleared_vec};
use glasm_ir::inst::{InstData, LiteralId};
use glasm_ir::resource::Texture;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Buffer, BufferId, BufferKind, Builder, Dst, Id, Image, ImageId, Index, IndexTerm, IndexVec,
    Input, InputId, Inst, InstFlags, Op, OperandBase, Param, ParamSource, Register, RegisterId,
    Semantic, Span, Src, StateParam, Storage, TextureId,
};
use rustc_hash::FxHashMap;

/// Source of a value that is computed once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum CachedValue {
    /// A vector of a constant buffer.
    Constant(u32, u32),
    /// A computed input.
    Computed(u32),
}

/// Parts of the program that several instructions share.
#[derive(Debug, Default)]
pub(super) struct IrCache {
    literals: FxHashMap<[u64; 4], LiteralId>,
    /// The literal of zeros, which every instruction needs.
    zero: Option<LiteralId>,
    /// Registers for intermediate values, reused by every instruction.
    hidden_registers: HiddenRegisters,
    /// Values in registers that no instruction of the program writes: they hold in the block where
    /// they were computed, and in those inside.
    cached_values: FxHashMap<CachedValue, RegisterId>,
    cached_order: Vec<CachedValue>,
    buffers: FxHashMap<(BufferKind, BufferSelection), BufferId>,
    textures: FxHashMap<Texture, TextureId>,
    images: FxHashMap<Image, ImageId>,
    /// Literals of immediates that instructions have read.
    pub(super) immediate_literals: Vec<Option<LiteralId>>,
    /// Arrays that are filled where the program begins.
    pub(super) initialized_arrays: Vec<InitializedArray>,
    /// Registers of outputs that are components of declared outputs.
    pub(super) output_components: Vec<(Semantic, RegisterId)>,
    /// Condition codes.
    condition_codes: Option<RegisterId>,
    /// Register that is true if the fragment was a helper invocation at the start.
    pub(super) helper_register: Option<RegisterId>,
}

impl IrCache {
    /// Clears the state and returns it with its capacity.
    pub(super) fn into_cleared(mut self) -> Self {
        self.hidden_registers.clear();
        Self {
            hidden_registers: self.hidden_registers,
            literals: take_cleared_map(&mut self.literals),
            cached_values: take_cleared_map(&mut self.cached_values),
            cached_order: take_cleared_vec(&mut self.cached_order),
            buffers: take_cleared_map(&mut self.buffers),
            textures: take_cleared_map(&mut self.textures),
            images: take_cleared_map(&mut self.images),
            immediate_literals: take_cleared_vec(&mut self.immediate_literals),
            initialized_arrays: take_cleared_vec(&mut self.initialized_arrays),
            output_components: take_cleared_vec(&mut self.output_components),
            zero: None,
            condition_codes: None,
            helper_register: None,
        }
    }
}

/// An array that is filled.
#[derive(Clone, Copy, Debug)]
pub(super) struct InitializedArray {
    pub(super) init: ArrayInit,
    pub(super) array: RegisterId,
    pub(super) len: u32,
}

/// Selected buffers of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum BufferSelection {
    One(u32),
    /// All of them, as an array.
    All,
}

/// Appends to the program. It has no access to the source and the declarations.
#[derive(Debug)]
pub(super) struct Emitter {
    pub(super) builder: Builder,
    pub(super) ir_cache: IrCache,
    /// Flags of the current instruction.
    pub(super) flags: InstFlags,
    /// Span of the current instruction.
    pub(super) span: Span,
}

impl Emitter {
    /// Returns the emitter of an empty program with the memory of another one.
    pub(super) fn new(builder: Builder, memory: IrCache) -> Self {
        Self {
            builder,
            ir_cache: memory.into_cleared(),
            flags: InstFlags::empty(),
            span: Span::default(),
        }
    }

    /// Adds the registers, inputs and outputs of a checked program, which have its ids, and sets its
    /// modes.
    pub(super) fn add_declarations(&mut self, checked: &CheckedProgram) {
        let program = &mut self.builder.program;
        program.modes = checked.modes;
        for &register in &checked.registers {
            program.registers.push(register);
        }
        for &input in &checked.inputs {
            program.inputs.push(input);
        }
        for &output in &checked.outputs {
            program.outputs.push(output);
        }
        let immediates = checked.immediates.len();
        self.ir_cache.immediate_literals.resize(immediates, None);
    }

    /// Begins an instruction: sets its span, clears flags and frees the hidden registers of the
    /// previous one.
    pub(super) fn begin_inst(&mut self, opcode: Span) {
        self.span = opcode;
        self.ir_cache.hidden_registers.free_all();
        self.flags = InstFlags::empty();
    }

    /// Appends an operation with the current span and flags to the program.
    pub(super) fn emit_inst(
        &mut self,
        op: Op,
        ty: Type,
        dst: Option<Dst>,
        aux: InstData,
        sources: &[Src],
    ) {
        let inst = Inst {
            op,
            ty,
            flags: self.flags,
            // The builder counts the sources.
            source_count: 0,
            first_source: 0,
            dst,
            data: aux,
            span: self.span,
        };
        self.builder.push_inst(inst, sources);
    }

    /// Returns a hidden register for an intermediate value, which is valid until the next
    /// instruction of the source begins.
    pub(super) fn alloc_hidden(&mut self, width: Width) -> RegisterId {
        let registers = &mut self.ir_cache.hidden_registers;
        registers.alloc(&mut self.builder.program, width)
    }

    /// Returns the condition-code register, which is added to the program at its first use.
    pub(super) fn get_condition_codes(&mut self) -> RegisterId {
        if let Some(codes) = self.ir_cache.condition_codes {
            return codes;
        }
        let codes = self.add_storage_register(Storage::Cond, Width::W32, None);
        self.ir_cache.condition_codes = Some(codes);
        codes
    }

    /// Adds a register of this width for temporaries and intermediate values.
    pub(super) fn add_register(&mut self, width: Width) -> RegisterId {
        self.add_storage_register(Storage::Temp, width, None)
    }

    /// Adds a register in `storage` to the program, or an array of `array` registers.
    pub(super) fn add_storage_register(
        &mut self,
        storage: Storage,
        width: Width,
        array: Option<u32>,
    ) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage,
            width,
            array_len: array,
            name: None,
        })
    }

    /// Returns the id of the literal vector with these bits, which is added to the program at its
    /// first use.
    pub(super) fn intern_literal(&mut self, bits: [u64; 4]) -> LiteralId {
        let literals = &mut self.builder.program.literals;
        let known = self.ir_cache.literals.entry(bits);
        *known.or_insert_with(|| literals.push(bits))
    }

    /// Returns the source that reads the literal vector of these 32-bit words.
    pub(super) fn make_vector(&mut self, words: [u32; 4]) -> Src {
        Src::new(OperandBase::Literal(
            self.intern_literal(words.map(u64::from)),
        ))
    }

    /// Returns the source that reads a literal with the same 32 bits in all lanes.
    pub(super) fn splat_word(&mut self, bits: u32) -> Src {
        // Zero is requested most often and is found without the table.
        if bits != 0 {
            return self.make_vector([bits; 4]);
        }
        let zero = match self.ir_cache.zero {
            Some(zero) => zero,
            None => self.intern_literal([0; 4]),
        };
        self.ir_cache.zero = Some(zero);
        Src::new(OperandBase::Literal(zero))
    }

    /// Returns a source operand with an index, which is added to the program.
    pub(super) fn make_indexed(&mut self, base: OperandBase, index: Index) -> Src {
        Src {
            index: Some(self.builder.program.indices.push(index)),
            ..Src::new(base)
        }
    }

    /// Returns an element of a register array, at a constant or dynamic index.
    pub(super) fn make_array_element(
        &mut self,
        register: RegisterId,
        element: IndexTerm,
        len: u32,
    ) -> Src {
        let index = Index {
            element,
            len,
            vertex: None,
        };
        self.make_indexed(OperandBase::Register(register), index)
    }

    /// Returns the source that reads a temporary or output: a register or an array element.
    pub(super) fn make_storage_source(&mut self, place: TempStorage) -> Src {
        match place {
            TempStorage::Register(register) => Src::from_register(register),
            TempStorage::ArrayElement(register, element) => {
                let len = self.builder.program.registers[register]
                    .array_len
                    .unwrap_or(1);
                self.make_array_element(register, IndexTerm::from_constant(element as i32), len)
            }
        }
    }

    /// Records that a register holds a value in the current block and in those inside it.
    pub(super) fn cache_value(&mut self, kept: CachedValue, register: RegisterId) {
        self.ir_cache.cached_values.insert(kept, register);
        // In chronological order, so that the last ones can be dropped at the end of a block.
        self.ir_cache.cached_order.push(kept);
    }

    /// Returns the register that holds a value in the current block, if one was recorded.
    pub(super) fn cached_value(&self, kept: CachedValue) -> Option<Src> {
        let register = self.ir_cache.cached_values.get(&kept);
        register.map(|&register| Src::from_register(register))
    }

    /// Returns the number of cached values, to which the cache is reset at the end of a scope.
    pub(super) fn cached_count(&self) -> usize {
        self.ir_cache.cached_order.len()
    }

    /// Drops the recorded values after the first `count`, at the end of their block.
    pub(super) fn truncate_cache(&mut self, count: usize) {
        for kept in self.ir_cache.cached_order.drain(count..) {
            self.ir_cache.cached_values.remove(&kept);
        }
    }

    /// Returns the id of an input that no register of the source names, which is added to the
    /// program at its first use.
    pub(super) fn find_or_add_input(&mut self, input: Input) -> InputId {
        let inputs = &mut self.builder.program.inputs;
        let is_it = |it: &Input| it.semantic == input.semantic && it.per_vertex == input.per_vertex;
        find_or_push(inputs, input, is_it)
    }

    /// Returns the source operand that reads a parameter of GL state, which is added to the program
    /// at its first use.
    pub(super) fn get_state_source(&mut self, state: StateParam) -> Src {
        let source = ParamSource::State(state);
        let params = &mut self.builder.program.params;
        let id = find_or_push(params, Param { source }, |it| it.source == source);
        Src::new(OperandBase::Param(id))
    }

    /// Returns the buffer of a kind at a binding, which is added to the program at its first use;
    /// `size` is in bytes.
    pub(super) fn get_buffer(
        &mut self,
        kind: BufferKind,
        binding: u32,
        size: Option<u32>,
    ) -> BufferId {
        let buffers = &mut self.builder.program.buffers;
        let known = self
            .ir_cache
            .buffers
            .entry((kind, BufferSelection::One(binding)));
        *known.or_insert_with(|| {
            buffers.push(Buffer {
                kind,
                binding,
                array_len: None,
                size,
            })
        })
    }

    /// Returns the array of the first `count` buffers of a kind, for dynamic indices; it is added
    /// if it is new.
    pub(super) fn get_buffer_array(&mut self, kind: BufferKind, count: u32) -> BufferId {
        let buffers = &mut self.builder.program.buffers;
        let known = self.ir_cache.buffers.entry((kind, BufferSelection::All));
        *known.or_insert_with(|| {
            buffers.push(Buffer {
                kind,
                binding: 0,
                array_len: Some(count),
                size: None,
            })
        })
    }

    /// Returns the id of a texture, which is added to the program at its first use.
    pub(super) fn intern_texture(&mut self, texture: Texture) -> TextureId {
        let textures = &mut self.builder.program.textures;
        let known = self.ir_cache.textures.entry(texture);
        *known.or_insert_with(|| textures.push(texture))
    }

    /// Returns the id of an image, which is added to the program at its first use.
    pub(super) fn intern_image(&mut self, image: Image) -> ImageId {
        let images = &mut self.builder.program.images;
        let known = self.ir_cache.images.entry(image);
        *known.or_insert_with(|| images.push(image))
    }
}

/// Returns the id of the element that passes a test, or of a new one. Programs have few such inputs
/// and parameters, and only some opcodes need them.
fn find_or_push<I: Id, T>(list: &mut IndexVec<I, T>, new: T, matches: impl Fn(&T) -> bool) -> I {
    let found = list.iter_enumerated().find(|(_, it)| matches(it));
    match found.map(|(id, _)| id) {
        Some(id) => id,
        None => list.push(new),
    }
}
