//! Appends to the program: instructions, registers, literals and resources, each of which exists
//! once.

use crate::memory::{take, take_map};
use crate::tgsi::symbols::TempPlace;
use glasm_ir::inst::{Aux, LiteralId};
use glasm_ir::resource::Texture;
use glasm_ir::types::{Type, Width};
use glasm_ir::{
    Base, Buffer, BufferId, BufferKind, Builder, Dst, Id, Image, ImageId, Index, IndexTerm,
    IndexVec, Input, InputId, Inst, InstFlags, Op, Param, ParamSource, Register, RegisterId,
    Semantic, Span, Src, StateParam, Storage, TextureId,
};
use rustc_hash::FxHashMap;

/// Source of a value that is computed once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::tgsi) enum Kept {
    /// A vector of a constant buffer.
    Constant(u32, u32),
    Input(u32),
    Value(u32),
}

/// Parts of the program that several instructions share.
#[derive(Debug, Default)]
pub(in crate::tgsi) struct Made {
    literals: FxHashMap<[u64; 4], LiteralId>,
    /// The literal of zeros, which every instruction needs.
    zero: Option<LiteralId>,
    /// Registers of 32 and 64 bits for intermediate values, reused by every instruction.
    hidden: [Vec<RegisterId>; 2],
    hidden_used: [usize; 2],
    /// Values in registers that no instruction of the program writes: they hold in the block where
    /// they were computed, and in those inside.
    kept: FxHashMap<Kept, RegisterId>,
    kept_order: Vec<Kept>,
    buffers: FxHashMap<(BufferKind, Binding), BufferId>,
    textures: FxHashMap<Texture, TextureId>,
    images: FxHashMap<Image, ImageId>,
    /// Registers of outputs that are components of declared outputs.
    pub(in crate::tgsi) parts: Vec<(Semantic, RegisterId)>,
    /// Condition codes.
    codes: Option<RegisterId>,
    /// Register that is true if the fragment was a helper invocation at the start.
    pub(in crate::tgsi) helper: Option<RegisterId>,
}

impl Made {
    /// Clears the state and returns it with its capacity.
    pub(in crate::tgsi) fn emptied(mut self) -> Self {
        let [narrow, wide] = &mut self.hidden;
        Self {
            hidden: [take(narrow), take(wide)],
            hidden_used: [0; 2],
            literals: take_map(&mut self.literals),
            kept: take_map(&mut self.kept),
            kept_order: take(&mut self.kept_order),
            buffers: take_map(&mut self.buffers),
            textures: take_map(&mut self.textures),
            images: take_map(&mut self.images),
            parts: take(&mut self.parts),
            zero: None,
            codes: None,
            helper: None,
        }
    }
}

/// Selected buffers of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Binding {
    One(u32),
    /// All of them, as an array.
    All,
}

/// Appends to the program. It has no access to the source and the declarations.
#[derive(Debug)]
pub(in crate::tgsi) struct Emitter {
    pub(in crate::tgsi) builder: Builder,
    pub(in crate::tgsi) made: Made,
    /// Flags of the current instruction.
    pub(in crate::tgsi) flags: InstFlags,
    /// Span of the current instruction.
    pub(in crate::tgsi) span: Span,
    /// True if the current instruction clamps integers, which shipped programs do.
    pub(in crate::tgsi) clamps_integers: bool,
}

impl Emitter {
    /// Returns the emitter of an empty program with the memory of another one.
    pub(in crate::tgsi) fn new(builder: Builder, memory: Made) -> Self {
        Self {
            builder,
            made: memory.emptied(),
            flags: InstFlags::empty(),
            span: Span::default(),
            clamps_integers: false,
        }
    }

    /// Begins an instruction.
    #[inline]
    pub(in crate::tgsi) fn begin(&mut self, opcode: Span) {
        self.span = opcode;
        // Hidden registers hold no values beyond an instruction.
        self.made.hidden_used = [0; 2];
        self.flags = InstFlags::empty();
    }

    /// Appends an instruction.
    #[inline]
    pub(in crate::tgsi) fn inst(
        &mut self,
        op: Op,
        ty: Type,
        dst: Option<Dst>,
        aux: Aux,
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
            aux,
            span: self.span,
        };
        self.builder.inst(inst, sources);
    }

    /// Returns a register for intermediate values of this instruction.
    pub(in crate::tgsi) fn hidden(&mut self, width: Width) -> RegisterId {
        let pool = usize::from(width == Width::W64);
        let used = self.made.hidden_used[pool];
        self.made.hidden_used[pool] += 1;
        if let Some(&register) = self.made.hidden[pool].get(used) {
            return register;
        }
        let register = self.register(if pool == 1 { Width::W64 } else { Width::W32 });
        self.made.hidden[pool].push(register);
        register
    }

    /// Returns the condition codes.
    pub(in crate::tgsi) fn codes(&mut self) -> RegisterId {
        if let Some(codes) = self.made.codes {
            return codes;
        }
        let codes = self.storage_register(Storage::Cond, Width::W32, None);
        self.made.codes = Some(codes);
        codes
    }

    /// Adds a register.
    pub(in crate::tgsi) fn register(&mut self, width: Width) -> RegisterId {
        self.storage_register(Storage::Temp, width, None)
    }

    pub(in crate::tgsi) fn storage_register(
        &mut self,
        storage: Storage,
        width: Width,
        array: Option<u32>,
    ) -> RegisterId {
        self.builder.program.registers.push(Register {
            storage,
            width,
            array,
            name: None,
        })
    }

    /// Returns the literal vector with these bits.
    #[inline]
    pub(in crate::tgsi) fn literal(&mut self, bits: [u64; 4]) -> LiteralId {
        let literals = &mut self.builder.program.literals;
        let known = self.made.literals.entry(bits);
        *known.or_insert_with(|| literals.push(bits))
    }

    /// Returns the literal vector of 32-bit words.
    pub(in crate::tgsi) fn words(&mut self, words: [u32; 4]) -> Src {
        Src::new(Base::Literal(self.literal(words.map(u64::from))))
    }

    /// Returns the same bits in all lanes.
    pub(in crate::tgsi) fn word(&mut self, bits: u32) -> Src {
        // Zero is requested most often and is found without the table.
        if bits != 0 {
            return self.words([bits; 4]);
        }
        let zero = match self.made.zero {
            Some(zero) => zero,
            None => self.literal([0; 4]),
        };
        self.made.zero = Some(zero);
        Src::new(Base::Literal(zero))
    }

    /// Returns an operand with an index.
    pub(in crate::tgsi) fn indexed(&mut self, base: Base, index: Index) -> Src {
        Src {
            index: Some(self.builder.program.indices.push(index)),
            ..Src::new(base)
        }
    }

    /// Returns an element of a register array, at a constant or dynamic index.
    pub(in crate::tgsi) fn element(
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
        self.indexed(Base::Register(register), index)
    }

    /// Returns the source that reads a temporary or output.
    #[inline]
    pub(in crate::tgsi) fn place(&mut self, place: TempPlace) -> Src {
        match place {
            TempPlace::Own(register) => Src::register(register),
            TempPlace::Element(register, element) => {
                let len = self.builder.program.registers[register].array.unwrap_or(1);
                self.element(register, IndexTerm::constant(element as i32), len)
            }
        }
    }

    /// Records a value that holds in this block and in those inside.
    pub(in crate::tgsi) fn keep(&mut self, kept: Kept, register: RegisterId) {
        self.made.kept.insert(kept, register);
        // In chronological order, so that the last ones can be dropped at the end of a block.
        self.made.kept_order.push(kept);
    }

    /// Returns a value that was remembered.
    #[inline]
    pub(in crate::tgsi) fn kept(&self, kept: Kept) -> Option<Src> {
        let register = self.made.kept.get(&kept);
        register.map(|&register| Src::register(register))
    }

    /// Returns the number of values that are remembered.
    pub(in crate::tgsi) fn kept_count(&self) -> usize {
        self.made.kept_order.len()
    }

    /// Drops the values after the first `count`: their block ends.
    pub(in crate::tgsi) fn forget(&mut self, count: usize) {
        for kept in self.made.kept_order.drain(count..) {
            self.made.kept.remove(&kept);
        }
    }

    /// Returns an input that has no register of the source: the one that the program has, or a new
    /// one.
    pub(in crate::tgsi) fn input_of(&mut self, input: Input) -> InputId {
        let inputs = &mut self.builder.program.inputs;
        let is_it = |it: &Input| it.semantic == input.semantic && it.per_vertex == input.per_vertex;
        found_or_pushed(inputs, input, is_it)
    }

    /// Returns a parameter that GL state provides.
    pub(in crate::tgsi) fn state(&mut self, state: StateParam) -> Src {
        let source = ParamSource::State(state);
        let params = &mut self.builder.program.params;
        let id = found_or_pushed(params, Param { source }, |it| it.source == source);
        Src::new(Base::Param(id))
    }

    /// Returns the buffer of a number.
    pub(in crate::tgsi) fn buffer(
        &mut self,
        kind: BufferKind,
        binding: u32,
        size: Option<u32>,
    ) -> BufferId {
        let buffers = &mut self.builder.program.buffers;
        let known = self.made.buffers.entry((kind, Binding::One(binding)));
        *known.or_insert_with(|| {
            buffers.push(Buffer {
                kind,
                binding,
                array: None,
                size,
            })
        })
    }

    /// Returns the first `count` buffers of a kind, as an array.
    pub(in crate::tgsi) fn buffer_array(&mut self, kind: BufferKind, count: u32) -> BufferId {
        let buffers = &mut self.builder.program.buffers;
        let known = self.made.buffers.entry((kind, Binding::All));
        *known.or_insert_with(|| {
            buffers.push(Buffer {
                kind,
                binding: 0,
                array: Some(count),
                size: None,
            })
        })
    }

    pub(in crate::tgsi) fn texture_id(&mut self, texture: Texture) -> TextureId {
        let textures = &mut self.builder.program.textures;
        let known = self.made.textures.entry(texture);
        *known.or_insert_with(|| textures.push(texture))
    }

    pub(in crate::tgsi) fn image_id(&mut self, image: Image) -> ImageId {
        let images = &mut self.builder.program.images;
        let known = self.made.images.entry(image);
        *known.or_insert_with(|| images.push(image))
    }
}

/// Returns the id of the element that passes a test, or of a new one. Programs have few such inputs
/// and parameters, and only some opcodes need them.
fn found_or_pushed<I: Id, T>(list: &mut IndexVec<I, T>, new: T, is_it: impl Fn(&T) -> bool) -> I {
    let found = list.iter_enumerated().find(|(_, it)| is_it(it));
    match found.map(|(id, _)| id) {
        Some(id) => id,
        None => list.push(new),
    }
}
