//! State that modules read at run time: specialization constants, and the words of a uniform block.

use super::vars::{Io, bind, derive_at_start, find, load_at_start};
use crate::builder::{Home, Lane, Scalar, Val, ValueBuilder};
use crate::kept::emptied;
use crate::options::Options;
use crate::reflect::{DescriptorSlot, StateBinding, StateConstant};
use crate::state::{StateForm, StateWords, Word};
use crate::words::ValueWord;
use spirv::{Decoration, Op, StorageClass};
use std::mem::take;

/// Declarations and loaded values of the state.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Words of the options: compiled-in state, and the defaults of specialization constants.
    given: Option<StateWords>,
    /// Specialization constants by word.
    constants: Vec<(u32, ValueWord)>,
    block: ValueWord,
    /// Words of the block that are read.
    read: Vec<u32>,
    /// Vectors of four words that the open function has loaded, by number.
    loaded: Vec<(u32, ValueWord)>,
}

impl State {
    pub(crate) fn reset(&mut self) {
        *self = Self {
            constants: emptied(take(&mut self.constants)),
            read: emptied(take(&mut self.read)),
            loaded: emptied(take(&mut self.loaded)),
            ..Self::default()
        };
    }

    pub(crate) fn forget_loads(&mut self) {
        self.loaded.clear();
    }
}

/// Context of state, which declares and loads nothing else.
pub(crate) struct StateLoader<'e> {
    w: &'e mut ValueBuilder,
    options: &'e Options,
    state: &'e mut State,
}

impl Io<'_> {
    /// Returns the context that loads state.
    pub(crate) fn gl_state(&mut self) -> StateLoader<'_> {
        StateLoader {
            w: self.w,
            options: self.options,
            state: &mut self.vars.state,
        }
    }
}

impl StateLoader<'_> {
    /// Loads a state: an integer or a float, depending on the state.
    pub(crate) fn load(&mut self, word: Word) -> ValueWord {
        self.load_at(word, 0)
    }

    /// Loads one word of a state that has several.
    pub(crate) fn load_at(&mut self, first: Word, offset: u32) -> ValueWord {
        let scalar = if first.is_float() {
            Scalar::F32
        } else {
            Scalar::U32
        };
        let word = first as u32 + offset;
        match first.form(&self.options.forms) {
            StateForm::Fixed => {
                let bits = self.find_given(word);
                self.w.constant(scalar, bits.into())
            }
            StateForm::Specialized => self.declare_constant(word, scalar),
            StateForm::Uniform => self.load_word(word, scalar),
        }
    }

    /// Tests whether a state is on: a boolean, which is a constant if the state is compiled in.
    pub(crate) fn test_flag(&mut self, word: Word) -> Val {
        let value = self.load(word);
        self.test_not_zero(value)
    }

    /// Tests whether bit `number` of a state is set.
    pub(crate) fn test_bit(&mut self, word: Word, number: u32) -> Val {
        let value = self.load(word);
        let bit = self.extract_bits(value, number, 1);
        self.test_not_zero(bit)
    }

    /// Extracts `count` bits of an integer from bit `first` on.
    pub(crate) fn extract_bits(&mut self, value: ValueWord, first: u32, count: u32) -> ValueWord {
        // Fields are narrower than a word, so the shift is defined.
        let mask = (1 << count) - 1;
        if let Some(bits) = self.w.constant_bits(value) {
            return self.w.uint(bits as u32 >> first & mask);
        }
        let operands = [value.0, self.w.uint(first).0];
        let shifted = derive_at_start(self.w, Op::ShiftRightLogical, Scalar::U32, &operands);
        let operands = [shifted.0, self.w.uint(mask).0];
        derive_at_start(self.w, Op::BitwiseAnd, Scalar::U32, &operands)
    }

    fn test_not_zero(&mut self, value: ValueWord) -> Val {
        self.compare(Op::INotEqual, value, 0)
    }

    /// Compares an integer with a number.
    pub(crate) fn compare(&mut self, op: Op, value: ValueWord, number: u32) -> Val {
        let number = self.w.uint(number);
        if self.w.is_constant(value) {
            let [value, number] = [value, number].map(|id| self.w.val(id));
            return self.w.test(op, value, number);
        }
        let truth = derive_at_start(self.w, op, Scalar::BoolInt, &[value.0, number.0]);
        self.w.val(truth)
    }

    /// Returns the word of the options.
    fn find_given(&mut self, word: u32) -> u32 {
        let options = self.options;
        let given = &mut self.state.given;
        given.get_or_insert_with(|| StateWords::new(options)).0[word as usize]
    }

    fn declare_constant(&mut self, word: u32, scalar: Scalar) -> ValueWord {
        if let Some(id) = find(&self.state.constants, word) {
            return id;
        }
        let initial = self.find_given(word);
        let ty = self.w.ty(scalar, 1);
        // Its value is unknown at compile time, but it is available like a value loaded at the
        // start.
        let id = self.w.value(scalar, 1, Home::Prologue);
        self.w.globals.result(Op::SpecConstant, ty, id, &[initial]);
        let first = self.options.bindings.first_state_constant;
        // The caller chooses the first number.
        let number = first.saturating_add(word);
        self.w.decorate(id, Decoration::SpecId, &[number]);
        self.w.name(id, || format!("state_{word}"));
        self.state.constants.push((word, id));
        id
    }

    fn load_word(&mut self, word: u32, scalar: Scalar) -> ValueWord {
        self.note_word(word);
        let vector = self.load_vector(word / 4);
        let lane = Lane::of(vector, word as usize % 4);
        let bits = self.w.scalar(lane, Scalar::U32);
        // Words of the block are integers, as most states are.
        if scalar == Scalar::F32 {
            derive_at_start(self.w, Op::Bitcast, Scalar::F32, &[bits.0])
        } else {
            bits
        }
    }

    /// Loads four words of the block.
    fn load_vector(&mut self, number: u32) -> ValueWord {
        if let Some(id) = find(&self.state.loaded, number) {
            return id;
        }
        let block = self.declare_block();
        let vector = self.w.ty(Scalar::U32, 4);
        let ty = self.w.pointer(StorageClass::Uniform, vector);
        let indices = [0, number].map(|index| self.w.uint(index).0);
        let pointer = self.w.object();
        let operands = [block.0, indices[0], indices[1]];
        self.w
            .prologue
            .result(Op::AccessChain, ty, pointer, &operands);
        let words = load_at_start(self.w, pointer, Scalar::U32, 4);
        self.state.loaded.push((number, words));
        words
    }

    fn note_word(&mut self, word: u32) {
        let read = &mut self.state.read;
        if !read.contains(&word) {
            read.push(word);
        }
    }

    /// Loads one of the words of a state, with a dynamic number.
    pub(crate) fn load_element(&mut self, first: Word, count: u32, index: Val) -> Val {
        let form = first.form(&self.options.forms);
        if form == StateForm::Uniform {
            return self.load_block_element(first, count, index);
        }
        let ids: Vec<u32> = (0..count)
            .map(|offset| self.load_at(first, offset).0)
            .collect();
        // Only `OpSpecConstantComposite` is specialized together with its constituents.
        let op = if form.is_fixed() {
            Op::ConstantComposite
        } else {
            Op::SpecConstantComposite
        };
        let element = self.w.ty(Scalar::U32, 1);
        let ty = self.w.declare_array(element, count);
        let composite = self.w.object();
        self.w.globals.long_result(op, ty, composite, &ids);
        // `OpCompositeExtract` accepts literals only; a pointer allows selecting an element
        // dynamically.
        let variable = self.w.declare_uninitialized(StorageClass::Private, ty);
        self.w.prologue.op(Op::Store, &[variable.0, composite.0]);
        let operands = [variable.0, index.id.0];
        let pointer = self.w.chain(StorageClass::Private, element, &operands);
        self.w.op(Op::Load, Scalar::U32, 1, &[pointer.0])
    }

    fn load_block_element(&mut self, first: Word, count: u32, index: Val) -> Val {
        (0..count).for_each(|offset| self.note_word(first as u32 + offset));
        let block = self.declare_block();
        let index = self.w.binary_bits(Op::IAdd, index, first as u64);
        // A vector has four words: quotient and remainder of the number.
        let vector = self.w.binary_bits(Op::ShiftRightLogical, index, 2);
        let component = self.w.binary_bits(Op::BitwiseAnd, index, 3);
        let word = self.w.ty(Scalar::U32, 1);
        let operands = [block.0, self.w.uint(0).0, vector.id.0, component.id.0];
        let pointer = self.w.chain(StorageClass::Uniform, word, &operands);
        self.w.op(Op::Load, Scalar::U32, 1, &[pointer.0])
    }

    fn declare_block(&mut self) -> ValueWord {
        if self.state.block.is_some() {
            return self.state.block;
        }
        // Vectors, because the stride of arrays in uniform blocks is 16 bytes (std140).
        let vector = self.w.ty(Scalar::U32, 4);
        let len = self.w.uint(StateWords::LEN as u32 / 4);
        let array = self.w.declare_strided_array(vector, len);
        let block = self.w.declare_block(array, Decoration::Block);
        self.w.name_type(block, "State");
        self.w.name_member(block, 0, "words");
        let variable = self.w.declare_variable(StorageClass::Uniform, block);
        let choose_slot = self.choose_slot();
        bind(self.w, variable, choose_slot);
        self.w.name(variable, || "state".into());
        self.state.block = variable;
        variable
    }

    fn choose_slot(&self) -> DescriptorSlot {
        DescriptorSlot {
            set: self.options.bindings.state_set,
            binding: self.options.bindings.state_binding,
        }
    }

    /// Returns the state that the module reads, for the reflection.
    pub(crate) fn describe_binding(&mut self) -> Option<StateBinding> {
        let slot = self.choose_slot();
        let state = &mut self.state;
        if state.constants.is_empty() && state.read.is_empty() {
            return None;
        }
        // Sorted, so that equal modules have equal reflections regardless of the order of requests.
        state.constants.sort_unstable_by_key(|(word, _)| *word);
        state.read.sort_unstable();
        let first = self.options.bindings.first_state_constant;
        let constant = |&(word, _): &(u32, ValueWord)| StateConstant {
            id: first.saturating_add(word),
            word,
        };
        Some(StateBinding {
            slot: state.block.is_some().then_some(slot),
            words: state.read.clone(),
            constants: state.constants.iter().map(constant).collect(),
        })
    }
}
