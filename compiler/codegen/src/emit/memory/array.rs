//! Registers in Private variables: dynamically indexed arrays, registers that several functions
//! share, registers whose phis would be too many for the size of the program.
//!
//! An element of 32-bit lanes is one vector of four words; one of 64-bit lanes is two. Condition
//! codes are two vectors: the values in their common type as words, and overflow and carry in bits
//! 0 and 1.

use crate::analysis::Analysis;
use crate::builder::{Lane, ModuleWriter, Scalar, Val, ValueBuilder, test, wide};
use crate::interface::make_one;
use crate::words::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Program, RegisterId, Storage, Width, WriteMask};
use spirv::{Op as Spv, StorageClass};

/// Element that an operand accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::emit) enum Element {
    /// Constant index.
    Constant(u32),
    /// Dynamic index, which is in range.
    Dynamic(ValueWord),
}

/// Context of registers in memory.
pub(in crate::emit) struct RegisterMemory<'e> {
    pub(in crate::emit) w: &'e mut ValueBuilder,
    pub(in crate::emit) program: &'e Program,
    pub(in crate::emit) analysis: &'e Analysis,
    /// Private variables by register.
    pub(in crate::emit) variables: &'e mut Vec<ValueWord>,
}

impl RegisterMemory<'_> {
    /// Counts the vectors of four words in an element.
    fn count_element_vectors(&self, register: RegisterId) -> u32 {
        let register = self.program.registers[register];
        // Four lanes of 64 bits are eight words. Condition codes have their flags in the second
        // vector.
        if register.storage == Storage::Cond || register.width == Width::W64 {
            2
        } else {
            1
        }
    }

    /// Counts the vectors of four words in a register.
    pub(super) fn count_register_vectors(&self, register: RegisterId) -> u32 {
        let elements = self.program.registers[register].elements();
        elements * self.count_element_vectors(register)
    }

    pub(super) fn declare_register(&mut self, register: RegisterId) -> ValueWord {
        let known = self.variables[register.index()];
        if known.is_some() {
            return known;
        }
        let data = self.program.registers[register];
        let len = self.count_register_vectors(register);
        // Words for registers of any type: lanes are bits, and a cast of a loaded word costs
        // nothing on the device.
        let ty = declare_word_array(self.w, len);
        let variable = match data.storage {
            Storage::Output(output) => self.declare_output_register(output, ty, len),
            Storage::Cond => self.declare_cond_register(register, ty),
            Storage::Temp if self.is_cleared(register) => {
                self.w.declare_uninitialized(StorageClass::Private, ty)
            }
            Storage::Temp => self.w.declare_variable(StorageClass::Private, ty),
        };
        self.variables[register.index()] = variable;
        variable
    }

    /// Declares a variable whose elements are initialized to (0, 0, 0, 1).
    fn declare_output_register(
        &mut self,
        output: glasm_ir::OutputId,
        ty: TypeWord,
        len: u32,
    ) -> ValueWord {
        let base = self.program.outputs[output].base;
        let one = make_one(self.w, base);
        let one = self.w.cast(one, Scalar::U32);
        let zero = self.w.uint(0);
        let element = self.w.composite(Scalar::U32, &[zero, zero, zero, one]);
        declare_initialized(self.w, ty, std::iter::repeat_n(element.0, len as usize))
    }

    /// Declares a variable of condition codes with all flags clear, as for a positive number.
    fn declare_cond_register(&mut self, register: RegisterId, ty: TypeWord) -> ValueWord {
        let scalar = self.analysis.cond_scalar(register, self.w.wide_int());
        // Codes in memory are words: the bits of a positive number in their common type.
        let one = if scalar == Scalar::F32 {
            1.0f32.to_bits()
        } else {
            1
        };
        let parts = [one, 0].map(|word| {
            let word = self.w.uint(word);
            self.w.composite(Scalar::U32, &[word; 4]).0
        });
        declare_initialized(self.w, ty, parts.into_iter())
    }

    /// Computes a pointer to vector `part` of an element.
    fn compute_pointer(&mut self, register: RegisterId, element: Element, part: u32) -> ValueWord {
        let variable = self.declare_register(register);
        let vectors = self.count_element_vectors(register);
        let index = match element {
            Element::Constant(element) => {
                // The verifier ensures that constant elements are in range; for a program that was
                // not verified the module must still be valid.
                let last = self.program.registers[register].elements() - 1;
                self.w.uint(element.min(last) * vectors + part)
            }
            Element::Dynamic(id) if vectors == 1 => id,
            Element::Dynamic(id) => {
                let element = self.w.val(id);
                let first = self.w.binary_bits(Spv::IMul, element, u64::from(vectors));
                self.w.binary_bits(Spv::IAdd, first, u64::from(part)).id
            }
        };
        let vector = self.w.ty(Scalar::U32, 4);
        let operands = [variable.0, index.0];
        self.w.chain(StorageClass::Private, vector, &operands)
    }

    fn load_words(&mut self, register: RegisterId, element: Element, part: u32) -> Val {
        let pointer = self.compute_pointer(register, element, part);
        self.w.op(Spv::Load, Scalar::U32, 4, &[pointer.0])
    }

    fn store_words(
        &mut self,
        register: RegisterId,
        element: Element,
        part: u32,
        lanes: &[Lane; 4],
    ) {
        let words = self.w.gather_vector(lanes, Scalar::U32);
        let pointer = self.compute_pointer(register, element, part);
        self.w.store(pointer, words.id);
    }

    /// Loads lanes of an element; at least those in `read`.
    pub(in crate::emit) fn load_register(
        &mut self,
        register: RegisterId,
        element: Element,
        read: u8,
    ) -> [Lane; 4] {
        if self.program.registers[register].storage == Storage::Cond {
            return self.load_codes(register).0;
        }
        if self.count_element_vectors(register) == 1 {
            return self.load_words(register, element, 0).lanes();
        }
        let mut lanes = [Lane::UNDEFINED; 4];
        // Vector 0 contains lanes x and y, vector 1 lanes z and w: two bits of the mask each.
        for part in (0..2).filter(|part| read >> (2 * part) & 3 != 0) {
            let words = self.load_words(register, element, part);
            for half in WriteMask(read >> (2 * part) & 3).lanes() {
                lanes[2 * part as usize + half] = wide::extract_lane(self.w, words, half);
            }
        }
        lanes
    }

    /// Stores the lanes in `write` of an element.
    pub(in crate::emit) fn store_register(
        &mut self,
        register: RegisterId,
        element: Element,
        write: u8,
        values: [Lane; 4],
    ) {
        if self.count_element_vectors(register) != 1 {
            return self.store_pairs(register, element, write, values);
        }
        let mut lanes = values;
        // Elements are stored as whole vectors, so the lanes that are not written are loaded first.
        if write != 15 {
            let old = self.load_words(register, element, 0);
            for lane in WriteMask(!write & 15).lanes() {
                lanes[lane] = old.lane(lane);
            }
        }
        self.store_words(register, element, 0, &lanes);
    }

    /// Stores 64-bit lanes of an element.
    fn store_pairs(
        &mut self,
        register: RegisterId,
        element: Element,
        write: u8,
        values: [Lane; 4],
    ) {
        for part in 0..2 {
            let halves = write >> (2 * part) & 3;
            let mut words = match halves {
                0 => continue,
                // Both halves of the vector are written.
                3 => [Lane::UNDEFINED; 4],
                _ => self.load_words(register, element, part).lanes(),
            };
            for half in WriteMask(halves).lanes() {
                let pair = wide::unpack_words(self.w, values[2 * part as usize + half]);
                words[2 * half] = pair.lane(0);
                words[2 * half + 1] = pair.lane(1);
            }
            self.store_words(register, element, part, &words);
        }
    }

    /// Loads condition codes from memory: the codes and their flags.
    pub(in crate::emit) fn load_codes(&mut self, cc: RegisterId) -> ([Lane; 4], [[Lane; 4]; 2]) {
        let words = self.load_words(cc, Element::Constant(0), 0);
        let scalar = self.analysis.cond_scalar(cc, self.w.wide_int());
        let values = if scalar.is_bool() {
            let truth = self.w.compare_bits(Spv::INotEqual, words, 0);
            // A separate id, whose recorded type is `scalar`.
            let id = self.w.op(Spv::CopyObject, scalar, 4, &[truth.id.0]).id;
            Val::new(id, scalar, 4)
        } else {
            self.w.reread(words, scalar)
        };
        (values.lanes(), self.load_flags(cc))
    }

    fn load_flags(&mut self, cc: RegisterId) -> [[Lane; 4]; 2] {
        if !self.analysis.reads_overflow {
            return [[Lane::UNDEFINED; 4]; 2];
        }
        let words = self.load_words(cc, Element::Constant(0), 1);
        // Overflow and carry, in the bits in which `pack_flags` stores them.
        [1, 2].map(|bit| {
            let bits = self.w.binary_bits(Spv::BitwiseAnd, words, bit);
            self.w.compare_bits(Spv::INotEqual, bits, 0).lanes()
        })
    }

    /// Stores condition codes in memory.
    pub(in crate::emit) fn store_codes(
        &mut self,
        cc: RegisterId,
        write: u8,
        codes: [Lane; 4],
        flags: [[Lane; 4]; 2],
    ) {
        let scalar = self.analysis.cond_scalar(cc, self.w.wide_int());
        let mut words = codes;
        let old = (write != 15).then(|| self.load_words(cc, Element::Constant(0), 0));
        for (lane, word) in words.iter_mut().enumerate() {
            if write >> lane & 1 != 0 {
                let code = test::convert_lane(self.w, codes[lane], scalar);
                *word = Lane::scalar(self.w.cast(code, Scalar::U32));
            } else if let Some(old) = old {
                *word = old.lane(lane);
            }
        }
        self.store_words(cc, Element::Constant(0), 0, &words);
        if self.analysis.reads_overflow {
            self.store_flags(cc, write, flags);
        }
    }

    fn store_flags(&mut self, cc: RegisterId, write: u8, flags: [[Lane; 4]; 2]) {
        let mut words = [Lane::UNDEFINED; 4];
        let old = (write != 15).then(|| self.load_words(cc, Element::Constant(0), 1));
        for (lane, word) in words.iter_mut().enumerate() {
            *word = match write >> lane & 1 {
                0 => old.map_or(Lane::UNDEFINED, |old| old.lane(lane)),
                _ => pack_flags(self.w, flags.map(|lanes| lanes[lane])),
            };
        }
        self.store_words(cc, Element::Constant(0), 1, &words);
    }
}

/// Packs overflow in bit 0 and carry in bit 1.
fn pack_flags(w: &mut ValueBuilder, flags: [Lane; 2]) -> Lane {
    let [overflow, carry] = flags.map(|flag| w.lane_val(flag, Scalar::BoolInt));
    let zero = w.uint_val(0);
    let [one, two] = [1, 2].map(|bit| w.constant_like(zero, bit));
    let low = w.select(overflow, one, zero);
    let high = w.select(carry, two, zero);
    w.binary(Spv::BitwiseOr, low, high).lane(0)
}

pub(in crate::emit) fn declare_word_array(w: &mut ModuleWriter, len: u32) -> TypeWord {
    let vector = w.ty(Scalar::U32, 4);
    w.declare_array(vector, len)
}

fn declare_initialized(
    w: &mut ModuleWriter,
    ty: TypeWord,
    elements: impl ExactSizeIterator<Item = u32>,
) -> ValueWord {
    let initial = w.object();
    w.globals.head(Spv::ConstantComposite, elements.len() + 2);
    w.globals.0.extend([ty.0, initial.0]);
    w.globals.0.extend(elements);
    let pointer = w.pointer(StorageClass::Private, ty);
    let variable = w.object();
    let class = StorageClass::Private as u32;
    w.globals
        .result(Spv::Variable, pointer, variable, &[class, initial.0]);
    w.interface.push(variable.0);
    variable
}
