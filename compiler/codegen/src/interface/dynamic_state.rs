//! State that modules read at run time: specialization constants, and the words of a uniform block.

use super::{Io, decorate_binding, emit_at_start, find_by_key, load_at_start};
use crate::builder::{Lane, Scalar, Val, ValueBuilder, ValueOrigin};
use crate::dynamic_state::{StateBlock, StateField, StateSource};
use crate::options::Options;
use crate::reflect::{DescriptorSlot, StateBinding, StateSpecConstant};
use crate::spirv_writer::ValueWord;
use crate::spirv_writer::reuse_empty;
use spirv::{Decoration, Op, StorageClass};
use std::mem::take;

/// Declarations and loaded values of the state.
#[derive(Debug, Default)]
pub(crate) struct StateVariables {
    /// Words of the options: compiled-in state.
    option_words: Option<StateBlock>,
    /// Words of the default options: the defaults of specialization constants.
    default_words: Option<StateBlock>,
    /// Specialization constants by word.
    constants: Vec<(u32, ValueWord)>,
    block: ValueWord,
    /// Words of the block that are read.
    read_words: Vec<u32>,
    /// Vectors of four words that the open function has loaded, by number.
    loaded: Vec<(u32, ValueWord)>,
}

impl StateVariables {
    /// Clears the declared constants, words and the block for another program and reuses their
    /// memory.
    pub(crate) fn reset(&mut self) {
        *self = Self {
            constants: reuse_empty(take(&mut self.constants)),
            read_words: reuse_empty(take(&mut self.read_words)),
            loaded: reuse_empty(take(&mut self.loaded)),
            ..Self::default()
        };
    }

    /// Invalidates the loaded state words, because a new function begins in which they are
    /// unavailable.
    pub(crate) fn clear_loads(&mut self) {
        self.loaded.clear();
    }
}

/// Context of state, which declares and loads nothing else.
pub(crate) struct StateLoader<'e> {
    builder: &'e mut ValueBuilder,
    options: &'e Options,
    state: &'e mut StateVariables,
}

impl Io<'_> {
    /// Borrows the state that loading GL state needs.
    pub(crate) fn gl_state(&mut self) -> StateLoader<'_> {
        StateLoader {
            builder: self.builder,
            options: self.options,
            state: &mut self.interface.state,
        }
    }
}

impl StateLoader<'_> {
    /// Loads a state word from its source: a float or an integer, depending on the state.
    pub(crate) fn load(&mut self, word: StateField) -> ValueWord {
        self.load_at(word, 0)
    }

    /// Loads the word at `offset` of a state that has several words, from the source of the state:
    /// a constant, a specialization constant, or the uniform block. The last two are declared on
    /// first use and reflected.
    pub(crate) fn load_at(&mut self, first: StateField, offset: u32) -> ValueWord {
        let scalar = if first.is_float() {
            Scalar::F32
        } else {
            Scalar::U32
        };
        let word = first as u32 + offset;
        match first.source(&self.options.state_sources) {
            StateSource::CompileTime => {
                let bits = self.get_option_word(word);
                self.builder.constant(scalar, bits.into())
            }
            StateSource::SpecConstant => self.declare_constant(word, scalar),
            StateSource::UniformBlock => self.load_word(word, scalar),
        }
    }

    /// Tests whether a state is on: a boolean, which is a constant if the state is compiled in.
    pub(crate) fn test_flag(&mut self, word: StateField) -> Val {
        let value = self.load(word);
        self.test_not_zero(value)
    }

    /// Emits the test that bit `number` of a state word is set.
    pub(crate) fn test_bit(&mut self, word: StateField, number: u32) -> Val {
        let bit = if word.source(&self.options.state_sources).is_fixed() {
            // Not the word: the module must not depend on its other bits.
            let bits = self.get_option_word(word as u32);
            self.builder.constant_u32(bits >> number & 1)
        } else {
            let value = self.load(word);
            self.extract_bits(value, number, 1)
        };
        self.test_not_zero(bit)
    }

    /// Emits `count` bits of an integer from bit `first` on, in the prologue; constants are folded.
    /// Requires that `count` is less than 32.
    pub(crate) fn extract_bits(&mut self, value: ValueWord, first: u32, count: u32) -> ValueWord {
        // Fields are narrower than a word, so the shift is defined.
        let mask = (1 << count) - 1;
        if let Some(bits) = self.builder.constant_bits(value) {
            return self.builder.constant_u32(bits as u32 >> first & mask);
        }
        let operands = [value.0, self.builder.constant_u32(first).0];
        let shifted = emit_at_start(self.builder, Op::ShiftRightLogical, Scalar::U32, &operands);
        let operands = [shifted.0, self.builder.constant_u32(mask).0];
        emit_at_start(self.builder, Op::BitwiseAnd, Scalar::U32, &operands)
    }

    /// Emits `value != 0` as a boolean.
    fn test_not_zero(&mut self, value: ValueWord) -> Val {
        self.compare(Op::INotEqual, value, 0)
    }

    /// Emits the comparison of an integer with a constant as a boolean, in the prologue; constants
    /// are folded.
    pub(crate) fn compare(&mut self, op: Op, value: ValueWord, number: u32) -> Val {
        let number = self.builder.constant_u32(number);
        if self.builder.is_constant(value) {
            let [value, number] = [value, number].map(|id| self.builder.val(id));
            return self.builder.emit_test(op, value, number);
        }
        let truth = emit_at_start(self.builder, op, Scalar::BoolInt, &[value.0, number.0]);
        self.builder.val(truth)
    }

    /// Returns the value that the options give a state word; computes all words on the first call.
    fn get_option_word(&mut self, word: u32) -> u32 {
        let options = self.options;
        let given = &mut self.state.option_words;
        given.get_or_insert_with(|| StateBlock::new(options)).0[word as usize]
    }

    /// Returns the default of the specialization constant of a state word: the value of the default
    /// options.
    fn get_default_word(&mut self, word: u32) -> u32 {
        // Independent of the options, so that one module is for all values of the state.
        let words = &mut self.state.default_words;
        words
            .get_or_insert_with(|| StateBlock::new(&Options::default()))
            .0[word as usize]
    }

    /// Returns the specialization constant of a state word, which it declares and names on first
    /// use with the value of the default options as default.
    fn declare_constant(&mut self, word: u32, scalar: Scalar) -> ValueWord {
        if let Some(id) = find_by_key(&self.state.constants, word) {
            return id;
        }
        let initial = self.get_default_word(word);
        let ty = self.builder.get_type(scalar, 1);
        // Its value is unknown at compile time, but it is available like a value loaded at the
        // start.
        let id = self.builder.new_value(scalar, 1, ValueOrigin::Prologue);
        self.builder
            .globals
            .push_result_inst(Op::SpecConstant, ty, id, &[initial]);
        let first = self.options.bindings.first_state_spec_constant_id;
        // The caller chooses the first number.
        let number = first.saturating_add(word);
        self.builder.decorate(id, Decoration::SpecId, &[number]);
        self.builder.name_object(id, || format!("state_{word}"));
        self.state.constants.push((word, id));
        id
    }

    /// Loads a state word from the uniform block at the start of the function, as an integer or a
    /// float, and records that the module reads it.
    fn load_word(&mut self, word: u32, scalar: Scalar) -> ValueWord {
        self.record_word(word);
        let vector = self.load_vector(word / 4);
        let lane = Lane::from_component(vector, word as usize % 4);
        let bits = self.builder.read_lane(lane, Scalar::U32);
        // Words of the block are integers, as most states are.
        if scalar == Scalar::F32 {
            emit_at_start(self.builder, Op::Bitcast, Scalar::F32, &[bits.0])
        } else {
            bits
        }
    }

    /// Returns the vector with this number of four words of the uniform block of state, which is
    /// loaded in the prologue on first use in the function.
    fn load_vector(&mut self, number: u32) -> ValueWord {
        if let Some(id) = find_by_key(&self.state.loaded, number) {
            return id;
        }
        let block = self.declare_block();
        let vector = self.builder.get_type(Scalar::U32, 4);
        let ty = self.builder.pointer_type(StorageClass::Uniform, vector);
        let indices = [0, number].map(|index| self.builder.constant_u32(index).0);
        let pointer = self.builder.new_object();
        let operands = [block.0, indices[0], indices[1]];
        self.builder
            .prologue
            .push_result_inst(Op::AccessChain, ty, pointer, &operands);
        let words = load_at_start(self.builder, pointer, Scalar::U32, 4);
        self.state.loaded.push((number, words));
        words
    }

    /// Adds a word to those that the reflection reports as read.
    fn record_word(&mut self, word: u32) {
        let read = &mut self.state.read_words;
        if !read.contains(&word) {
            read.push(word);
        }
    }

    /// Emits the load of one of the `count` words of a state, which a dynamic index below `count`
    /// selects. Words that are not in the uniform block are copied to a Private variable first.
    pub(crate) fn load_element(&mut self, first: StateField, count: u32, index: Val) -> Val {
        let form = first.source(&self.options.state_sources);
        if form == StateSource::UniformBlock {
            return self.load_block_element(first, count, index);
        }
        let ids: Vec<u32> = (0..count)
            .map(|offset| self.load_at(first, offset).0)
            .collect();
        let element = self.builder.get_type(Scalar::U32, 1);
        let ty = self.builder.declare_array(element, count);
        let composite = self.builder.new_object();
        // GLSL has no constant arrays of specialization constants.
        let (instructions, op) = if form.is_fixed() {
            (&mut self.builder.globals, Op::ConstantComposite)
        } else {
            (&mut self.builder.prologue, Op::CompositeConstruct)
        };
        instructions.push_variadic_result_inst(op, ty, composite, &ids);
        // `OpCompositeExtract` accepts literals only; a pointer allows selecting an element
        // dynamically.
        let variable = self
            .builder
            .declare_uninitialized(StorageClass::Private, ty);
        self.builder
            .prologue
            .push_inst(Op::Store, &[variable.0, composite.0]);
        let operands = [variable.0, index.id.0];
        let pointer = self
            .builder
            .emit_access_chain(StorageClass::Private, element, &operands);
        self.builder.emit_op(Op::Load, Scalar::U32, 1, &[pointer.0])
    }

    /// Loads the word with a dynamic number from `count` words of the uniform block, starting with
    /// `first`, and records that the module reads all of them.
    fn load_block_element(&mut self, first: StateField, count: u32, index: Val) -> Val {
        (0..count).for_each(|offset| self.record_word(first as u32 + offset));
        let block = self.declare_block();
        let index = self.builder.emit_binary_bits(Op::IAdd, index, first as u64);
        // A vector has four words: quotient and remainder of the number.
        let vector = self
            .builder
            .emit_binary_bits(Op::ShiftRightLogical, index, 2);
        let component = self.builder.emit_binary_bits(Op::BitwiseAnd, index, 3);
        let word = self.builder.get_type(Scalar::U32, 1);
        let operands = [
            block.0,
            self.builder.constant_u32(0).0,
            vector.id.0,
            component.id.0,
        ];
        let pointer = self
            .builder
            .emit_access_chain(StorageClass::Uniform, word, &operands);
        self.builder.emit_op(Op::Load, Scalar::U32, 1, &[pointer.0])
    }

    /// Returns the uniform block of state, which it declares, binds and names on first use.
    fn declare_block(&mut self) -> ValueWord {
        if self.state.block.is_some() {
            return self.state.block;
        }
        // Vectors, because the stride of arrays in uniform blocks is 16 bytes (std140).
        let vector = self.builder.get_type(Scalar::U32, 4);
        let len = self.builder.constant_u32(StateBlock::LEN as u32 / 4);
        let array = self.builder.declare_strided_array(vector, len);
        let block = self.builder.declare_block(array, Decoration::Block);
        self.builder.name_type(block, "State");
        self.builder.name_member(block, 0, "words");
        let variable = self.builder.declare_variable(StorageClass::Uniform, block);
        let choose_slot = self.choose_slot();
        decorate_binding(self.builder, variable, choose_slot);
        self.builder.name_object(variable, || "state".into());
        self.state.block = variable;
        variable
    }

    /// Returns the descriptor slot of the uniform block of state in the options.
    fn choose_slot(&self) -> DescriptorSlot {
        DescriptorSlot {
            set: self.options.bindings.state_block_set,
            binding: self.options.bindings.state_block_binding,
        }
    }

    /// Returns the specialization constants and words that the module reads, for the reflection;
    /// `None` if it reads no state. The slot is `None` if only constants are read. Sorts the
    /// recorded constants and words.
    pub(crate) fn describe_binding(&mut self) -> Option<StateBinding> {
        let slot = self.choose_slot();
        let state = &mut self.state;
        if state.constants.is_empty() && state.read_words.is_empty() {
            return None;
        }
        // Sorted, so that equal modules have equal reflections regardless of the order of requests.
        state.constants.sort_unstable_by_key(|(word, _)| *word);
        state.read_words.sort_unstable();
        let first = self.options.bindings.first_state_spec_constant_id;
        let constant = |&(word, _): &(u32, ValueWord)| StateSpecConstant {
            id: first.saturating_add(word),
            word_index: word,
        };
        Some(StateBinding {
            slot: state.block.is_some().then_some(slot),
            words_read: state.read_words.clone(),
            spec_constants: state.constants.iter().map(constant).collect(),
        })
    }
}
