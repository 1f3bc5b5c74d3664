//! Registers in Private variables: dynamically indexed arrays, registers that several functions
//! share, registers whose phis would be too many for the size of the program.
//!
//! An element of 32-bit lanes is one vector of four words; one of 64-bit lanes is two. Condition
//! codes are two vectors: the values in their common type as words, and overflow and carry in bits
//! 0 and 1.
//!
//! Large arrays are initialized with zeros by a loop. Drivers convert an initializer to a store for
//! each element: lavapipe takes a minute for 512 of them.

use crate::analysis::{Analysis, RegisterClass};
use crate::builder::{
    Lane, ModuleWriter, Scalar, Val, ValueBuilder, condition_code, int64_emulation,
};
use crate::interface::constant_one;
use crate::spirv_writer::{TypeWord, ValueWord};
use glasm_ir::arena::Id;
use glasm_ir::{Program, RegisterId, Storage, Width, WriteMask};
use spirv::{LoopControl, Op as Spv, StorageClass};

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
    pub(in crate::emit) builder: &'e mut ValueBuilder,
    pub(in crate::emit) program: &'e Program,
    pub(in crate::emit) analysis: &'e Analysis,
    /// Private variables by register.
    pub(in crate::emit) variables: &'e mut Vec<ValueWord>,
}

impl RegisterMemory<'_> {
    /// Returns the number of vectors of four words in an element: 2 for 64-bit registers and
    /// condition codes.
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

    /// Returns the number of vectors of four words in all elements of a register.
    pub(super) fn count_register_vectors(&self, register: RegisterId) -> u32 {
        let elements = self.program.registers[register].element_count();
        elements * self.count_element_vectors(register)
    }

    /// Returns the Private variable of a register in memory, an array of vectors of four words,
    /// which it declares on first use. Outputs and condition codes get their initial values.
    pub(super) fn get_register_variable(&mut self, register: RegisterId) -> ValueWord {
        let known = self.variables[register.index()];
        if known.is_some() {
            return known;
        }
        let data = self.program.registers[register];
        let len = self.count_register_vectors(register);
        // Words for registers of any type: lanes are bits, and a cast of a loaded word costs
        // nothing on the device.
        let ty = declare_word_array(self.builder, len);
        let variable = match data.storage {
            Storage::Output(output) => self.declare_output_register(output, ty, len),
            Storage::Cond => self.declare_cond_register(register, ty),
            Storage::Temp if self.is_zeroed_by_loop(register) => self
                .builder
                .declare_uninitialized(StorageClass::Private, ty),
            Storage::Temp => self.builder.declare_variable(StorageClass::Private, ty),
        };
        self.variables[register.index()] = variable;
        variable
    }

    /// Declares a Private variable of `len` vectors that are initialized to (0, 0, 0, 1), where 1
    /// has the type of the output.
    fn declare_output_register(
        &mut self,
        output: glasm_ir::OutputId,
        ty: TypeWord,
        len: u32,
    ) -> ValueWord {
        let base = self.program.outputs[output].base;
        let one = constant_one(self.builder, base);
        let one = self.builder.cast(one, Scalar::U32);
        let zero = self.builder.constant_u32(0);
        let element = self
            .builder
            .constant_composite(Scalar::U32, &[zero, zero, zero, one]);
        declare_initialized(
            self.builder,
            ty,
            std::iter::repeat_n(element.0, len as usize),
        )
    }

    /// Declares a variable of condition codes with all flags clear, as for a positive number: a
    /// vector of codes, then a vector of overflow and carry.
    fn declare_cond_register(&mut self, register: RegisterId, ty: TypeWord) -> ValueWord {
        let scalar = self
            .analysis
            .cond_scalar(register, self.builder.wide_int_scalar());
        // Codes in memory are words: the bits of a positive number in their common type.
        let one = if scalar == Scalar::F32 {
            1.0f32.to_bits()
        } else {
            1
        };
        let parts = [one, 0].map(|word| {
            let word = self.builder.constant_u32(word);
            self.builder.constant_composite(Scalar::U32, &[word; 4]).0
        });
        declare_initialized(self.builder, ty, parts.into_iter())
    }

    /// Emits the pointer to vector `part` of an element. A constant index is clamped to the array;
    /// a dynamic one must already be in range.
    fn compute_vector_pointer(
        &mut self,
        register: RegisterId,
        element: Element,
        part: u32,
    ) -> ValueWord {
        let variable = self.get_register_variable(register);
        let vectors = self.count_element_vectors(register);
        let index = match element {
            Element::Constant(element) => {
                // The verifier ensures that constant elements are in range; for a program that was
                // not verified the module must still be valid.
                let last = self.program.registers[register].element_count() - 1;
                self.builder
                    .constant_u32(element.min(last) * vectors + part)
            }
            Element::Dynamic(id) if vectors == 1 => id,
            Element::Dynamic(id) => {
                let element = self.builder.val(id);
                let first = self
                    .builder
                    .emit_binary_bits(Spv::IMul, element, u64::from(vectors));
                self.builder
                    .emit_binary_bits(Spv::IAdd, first, u64::from(part))
                    .id
            }
        };
        let vector = self.builder.get_type(Scalar::U32, 4);
        let operands = [variable.0, index.0];
        self.builder
            .emit_access_chain(StorageClass::Private, vector, &operands)
    }

    /// Loads a vector of four words of an element; `part` is its number within the element.
    fn load_vector(&mut self, register: RegisterId, element: Element, part: u32) -> Val {
        let pointer = self.compute_vector_pointer(register, element, part);
        self.builder
            .emit_op(Spv::Load, Scalar::U32, 4, &[pointer.0])
    }

    /// Stores four lanes as a vector of words of an element; `part` is its number within the
    /// element.
    fn store_vector(
        &mut self,
        register: RegisterId,
        element: Element,
        part: u32,
        lanes: &[Lane; 4],
    ) {
        let words = self.builder.gather_vector(lanes, Scalar::U32);
        let pointer = self.compute_vector_pointer(register, element, part);
        self.builder.emit_store(pointer, words.id);
    }

    /// Emits the load of an element of a register in memory. At least the lanes in `read` are
    /// loaded. For condition codes it returns the codes without overflow and carry.
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
            return self.load_vector(register, element, 0).lanes();
        }
        let mut lanes = [Lane::UNDEFINED; 4];
        // Vector 0 contains lanes x and y, vector 1 lanes z and w: two bits of the mask each.
        for part in (0..2).filter(|part| read >> (2 * part) & 3 != 0) {
            let words = self.load_vector(register, element, part);
            for half in WriteMask(read >> (2 * part) & 3).lanes() {
                lanes[2 * part as usize + half] =
                    int64_emulation::extract_wide_lane(self.builder, words, half);
            }
        }
        lanes
    }

    /// Stores the lanes in `write` of an element of a register other than condition codes; the
    /// others are unchanged. `values` are indexed by lane.
    pub(in crate::emit) fn store_register(
        &mut self,
        register: RegisterId,
        element: Element,
        write: u8,
        values: [Lane; 4],
    ) {
        if self.count_element_vectors(register) != 1 {
            return self.store_wide_lanes(register, element, write, values);
        }
        let mut lanes = values;
        // Elements are stored as whole vectors, so the lanes that are not written are loaded first.
        if write != 15 {
            let old = self.load_vector(register, element, 0);
            for lane in WriteMask(!write & 15).lanes() {
                lanes[lane] = old.lane(lane);
            }
        }
        self.store_vector(register, element, 0, &lanes);
    }

    /// Stores the 64-bit lanes in `write` of an element, which is two vectors of words; the others
    /// are unchanged.
    fn store_wide_lanes(
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
                _ => self.load_vector(register, element, part).lanes(),
            };
            for half in WriteMask(halves).lanes() {
                let pair =
                    int64_emulation::unpack_words(self.builder, values[2 * part as usize + half]);
                words[2 * half] = pair.lane(0);
                words[2 * half + 1] = pair.lane(1);
            }
            self.store_vector(register, element, part, &words);
        }
    }

    /// Emits the load of condition codes in memory: the values in the type that their register has
    /// in phis, then the overflow and carry flags.
    pub(in crate::emit) fn load_codes(&mut self, cc: RegisterId) -> ([Lane; 4], [[Lane; 4]; 2]) {
        let words = self.load_vector(cc, Element::Constant(0), 0);
        let scalar = self
            .analysis
            .cond_scalar(cc, self.builder.wide_int_scalar());
        let values = if scalar.is_bool() {
            let truth = self.builder.emit_compare_bits(Spv::INotEqual, words, 0);
            // A separate id, whose recorded type is `scalar`.
            let id = self
                .builder
                .emit_op(Spv::CopyObject, scalar, 4, &[truth.id.0])
                .id;
            Val::new(id, scalar, 4)
        } else {
            self.builder.cast_val(words, scalar)
        };
        (values.lanes(), self.load_flags(cc))
    }

    /// Loads the overflow and carry flags of a condition-code register as booleans; undefined lanes
    /// if no instruction of the program reads them.
    fn load_flags(&mut self, cc: RegisterId) -> [[Lane; 4]; 2] {
        if !self.analysis.reads_overflow {
            return [[Lane::UNDEFINED; 4]; 2];
        }
        let words = self.load_vector(cc, Element::Constant(0), 1);
        // Overflow and carry, in the bits in which `pack_flags` stores them.
        [1, 2].map(|bit| {
            let bits = self.builder.emit_binary_bits(Spv::BitwiseAnd, words, bit);
            self.builder
                .emit_compare_bits(Spv::INotEqual, bits, 0)
                .lanes()
        })
    }

    /// Stores the condition codes of the lanes in `write` to the variable of a register, converted
    /// to its type; the others are unchanged. Stores the overflow and carry flags as well, if the
    /// program reads them.
    pub(in crate::emit) fn store_codes(
        &mut self,
        cc: RegisterId,
        write: u8,
        codes: [Lane; 4],
        flags: [[Lane; 4]; 2],
    ) {
        let scalar = self
            .analysis
            .cond_scalar(cc, self.builder.wide_int_scalar());
        let mut words = codes;
        let old = (write != 15).then(|| self.load_vector(cc, Element::Constant(0), 0));
        for (lane, word) in words.iter_mut().enumerate() {
            if write >> lane & 1 != 0 {
                let code = condition_code::convert_code_lane(self.builder, codes[lane], scalar);
                *word = Lane::scalar(self.builder.cast(code, Scalar::U32));
            } else if let Some(old) = old {
                *word = old.lane(lane);
            }
        }
        self.store_vector(cc, Element::Constant(0), 0, &words);
        if self.analysis.reads_overflow {
            self.store_flags(cc, write, flags);
        }
    }

    /// Stores overflow and carry of the lanes in `write`; the others are unchanged.
    fn store_flags(&mut self, cc: RegisterId, write: u8, flags: [[Lane; 4]; 2]) {
        let mut words = [Lane::UNDEFINED; 4];
        let old = (write != 15).then(|| self.load_vector(cc, Element::Constant(0), 1));
        for (lane, word) in words.iter_mut().enumerate() {
            *word = match write >> lane & 1 {
                0 => old.map_or(Lane::UNDEFINED, |old| old.lane(lane)),
                _ => pack_flags(self.builder, flags.map(|lanes| lanes[lane])),
            };
        }
        self.store_vector(cc, Element::Constant(0), 1, &words);
    }
}

/// Packs the flags of a lane into a word: overflow in bit 0 and carry in bit 1.
fn pack_flags(builder: &mut ValueBuilder, flags: [Lane; 2]) -> Lane {
    let [overflow, carry] = flags.map(|flag| builder.read_lane_val(flag, Scalar::BoolInt));
    let zero = builder.constant_u32_val(0);
    let [one, two] = [1, 2].map(|bit| builder.constant_like(zero, bit));
    let low = builder.emit_select(overflow, one, zero);
    let high = builder.emit_select(carry, two, zero);
    builder.emit_binary(Spv::BitwiseOr, low, high).lane(0)
}

/// Declares the type of arrays of `len` vectors of four words, without a stride.
pub(in crate::emit) fn declare_word_array(module: &mut ModuleWriter, len: u32) -> TypeWord {
    let vector = module.get_type(Scalar::U32, 4);
    module.declare_array(vector, len)
}

/// Declares a Private variable of type `ty` whose initializer is composed of the constants
/// `elements`, and lists it for the entry point.
fn declare_initialized(
    module: &mut ModuleWriter,
    ty: TypeWord,
    elements: impl ExactSizeIterator<Item = u32>,
) -> ValueWord {
    let initial = module.new_object();
    module
        .globals
        .push_head(Spv::ConstantComposite, elements.len() + 2);
    module.globals.0.extend([ty.0, initial.0]);
    module.globals.0.extend(elements);
    let pointer = module.pointer_type(StorageClass::Private, ty);
    let variable = module.new_object();
    let class = StorageClass::Private as u32;
    module
        .globals
        .push_result_inst(Spv::Variable, pointer, variable, &[class, initial.0]);
    module.interface.push(variable.0);
    variable
}

/// Maximum number of vectors of an array with an initializer.
const MAX_INITIALIZED_VECTORS: u32 = 32;

impl RegisterMemory<'_> {
    /// Returns true if a loop initializes a register with zeros, because it is too large for an
    /// initializer.
    pub(super) fn is_zeroed_by_loop(&self, register: RegisterId) -> bool {
        let is_temp = self.program.registers[register].storage == Storage::Temp;
        let in_memory = self.analysis.classes[register.index()] == RegisterClass::Memory;
        is_temp && in_memory && self.count_register_vectors(register) > MAX_INITIALIZED_VECTORS
    }

    /// Emits the loops that zero large arrays, in blocks before the first block of the entry point.
    pub(in crate::emit) fn emit_zero_loops(&mut self) {
        for index in 0..self.program.registers.len() {
            let register = RegisterId::new(index);
            if self.is_zeroed_by_loop(register) {
                self.emit_zero_loop(register);
            }
        }
    }

    /// Emits a loop that clears the variable of a register array to zeros, which it declares on
    /// first use. The code that follows continues in the block after the loop.
    fn emit_zero_loop(&mut self, register: RegisterId) {
        let array = self.get_register_variable(register);
        let len = self.count_register_vectors(register);
        let [zero, one, len] = [0, 1, len].map(|number| self.builder.constant_u32(number));
        let [word, truth] =
            [Scalar::U32, Scalar::BoolInt].map(|scalar| self.builder.get_type(scalar, 1));
        let vector = self.builder.get_type(Scalar::U32, 4);
        let pointer_ty = self.builder.pointer_type(StorageClass::Private, vector);
        let value = self.builder.null_constant(vector);
        let [head, body, next, merge] = self.builder.new_labels();
        let [number, next_number, is_in_range, pointer]: [ValueWord; 4] =
            std::array::from_fn(|_| self.builder.new_object());
        // The prologue follows in `merge`: the head of the function is emitted before it here.
        let before = std::mem::replace(&mut self.builder.block, merge);
        let code = &mut self.builder.functions;
        // The header of a loop must be a separate block: it is the target of the back edge, which
        // must not be the entry block of the function.
        code.push_inst(Spv::Branch, &[head.0]);
        code.push_inst(Spv::Label, &[head.0]);
        let edges = [zero.0, before.0, next_number.0, next.0];
        code.push_result_inst(Spv::Phi, word, number, &edges);
        code.push_result_inst(Spv::ULessThan, truth, is_in_range, &[number.0, len.0]);
        let control = LoopControl::NONE.bits();
        code.push_inst(Spv::LoopMerge, &[merge.0, next.0, control]);
        code.push_inst(Spv::BranchConditional, &[is_in_range.0, body.0, merge.0]);
        code.push_inst(Spv::Label, &[body.0]);
        code.push_result_inst(Spv::AccessChain, pointer_ty, pointer, &[array.0, number.0]);
        code.push_inst(Spv::Store, &[pointer.0, value.0]);
        code.push_inst(Spv::Branch, &[next.0]);
        code.push_inst(Spv::Label, &[next.0]);
        code.push_result_inst(Spv::IAdd, word, next_number, &[number.0, one.0]);
        code.push_inst(Spv::Branch, &[head.0]);
        code.push_inst(Spv::Label, &[merge.0]);
    }
}
