//! Module without its open function: ids, sections, names, decorations, requirements.
//!
//! Types and constants are unique. Their declarations are hash-consed: a table holds their offsets;
//! the declarations in the module are compared, so that no key is stored twice.

mod constant;
mod types;

use super::{DerivedValues, NO_VALUE, SCALAR_COUNT, TypeDeclarations, ValueInfo, WideIntRepr};
use super::{Scalar, Val, ValueOrigin};
use crate::capability::{Requirement, RequirementSet};
use crate::error::Failure;
use crate::options::{DeviceFeatures, Options, Target};
use crate::spirv_writer::refill;
use crate::spirv_writer::{LabelWord, SpirvWriter, TypeWord, ValueWord};

use glasm_ir::Stage;
use spirv::{BuiltIn, Decoration, Op};

// Zeros, booleans, numbers of elements and shift counts of words are below it: nearly all constants
// that do not come from the program.
/// Constants with bits below this number are found by index, without a hash.
const SMALL_CONSTANTS: usize = 32;

/// Writer of everything in a module that is outside of the open function. Cannot compute values.
#[derive(Debug, Default)]
pub(crate) struct ModuleWriter {
    /// Capabilities and the declarations that they require.
    pub(crate) requirements: RequirementSet,
    /// Those of the requirements that the device is known to satisfy.
    checked_requirements: RequirementSet,
    /// True if values get names.
    pub(crate) has_names: bool,
    /// Stage of the module.
    stage: Option<Stage>,
    pub(crate) target: Target,
    pub(crate) device: DeviceFeatures,
    pub(crate) wide_ints: WideIntRepr,
    /// `OpString`.
    pub(crate) strings: SpirvWriter,
    /// `OpName`.
    pub(crate) names: SpirvWriter,
    /// Decorations.
    pub(crate) annotations: SpirvWriter,
    /// Types, constants, variables.
    pub(crate) globals: SpirvWriter,
    /// All functions except the newest; the head of the newest one.
    pub(crate) functions: SpirvWriter,
    /// Interface variables of the entry point: inputs and outputs, since SPIR-V 1.4 all variables.
    pub(crate) interface: Vec<u32>,
    /// Properties of each id, including those of the open function.
    values: Vec<ValueInfo>,
    derived: Vec<DerivedValues>,
    /// Declarations for each type that has any.
    type_declarations: Vec<TypeDeclarations>,
    scalar_types: [[TypeWord; 4]; SCALAR_COUNT],
    void: TypeWord,
    /// Types other than scalars, vectors and pointers, by the ends of their declarations.
    types: DeclarationTable,
    /// Constants less than [`SMALL_CONSTANTS`], which are requested most often.
    small_constants: [[ValueWord; SMALL_CONSTANTS]; SCALAR_COUNT],
    /// Other scalar constants, and vector constants.
    constants: DeclarationTable,
    glsl_import: ValueWord,
}

impl ModuleWriter {
    /// Clears the module for a stage and options, and retains the memory. The capability `Shader`
    /// is required again.
    pub(super) fn reset(&mut self, stage: Stage, options: &Options) {
        self.stage = Some(stage);
        self.target = options.target;
        self.device = options.device;
        // Pairs in all of the module, because an id has the same type for each instruction that
        // reads it.
        self.wide_ints = if self.device.int64 {
            WideIntRepr::Native
        } else {
            WideIntRepr::Pairs
        };
        self.has_names = options.debug.names;
        self.requirements = RequirementSet::default();
        self.requirements.insert(Requirement::Shader);
        self.checked_requirements = RequirementSet::default();
        self.reset_sections();
        self.reset_ids();
        self.reset_declarations();
    }

    /// Clears the sections of the module and retains their memory.
    fn reset_sections(&mut self) {
        self.strings.clear();
        self.names.clear();
        self.annotations.clear();
        self.globals.clear();
        self.functions.clear();
        self.interface.clear();
    }

    /// Discards all ids and what is known about their values.
    fn reset_ids(&mut self) {
        // Id 0 does not exist in SPIR-V. Its entry allows ids as indices, and represents lanes
        // without a value.
        refill(&mut self.values, 1, NO_VALUE);
        // Entry 0 is shared by all values without derived values; `derived_mut` never returns it.
        refill(&mut self.derived, 1, DerivedValues::default());
    }

    /// Clears the types, constants and imports that the previous module declared.
    fn reset_declarations(&mut self) {
        // Entry 0 represents types without declarations.
        refill(&mut self.type_declarations, 1, TypeDeclarations::default());
        self.scalar_types = [[TypeWord::default(); 4]; SCALAR_COUNT];
        self.void = TypeWord::default();
        self.types.clear();
        self.small_constants = [[ValueWord::NONE; SMALL_CONSTANTS]; SCALAR_COUNT];
        self.constants.clear();
        self.glsl_import = ValueWord::NONE;
    }

    /// Adds a requirement of the module. Returns an error if the device does not satisfy it.
    pub(crate) fn require(&mut self, requirement: Requirement) -> Result<(), Failure> {
        self.requirements.require(&self.device, requirement)
    }

    /// Checks the requirements that were added since the last call. Returns an error that names the
    /// first feature that the device lacks.
    pub(crate) fn check_requirements(&mut self) -> Result<(), Failure> {
        if self.requirements != self.checked_requirements {
            let checked = std::mem::replace(&mut self.checked_requirements, self.requirements);
            self.requirements.check_since(checked, &self.device)?;
        }
        Ok(())
    }

    /// Returns the stage that the module is for.
    pub(crate) fn stage(&self) -> Stage {
        self.stage.expect("the module was started")
    }

    /// Returns the bound of the module: one more than its largest id.
    pub(crate) fn bound(&self) -> u32 {
        self.values.len() as u32
    }

    /// Allocates an id, which has no type yet.
    fn new_id(&mut self) -> u32 {
        let id = self.bound();
        self.values.push(NO_VALUE);
        id
    }

    /// Allocates the id of a block's label.
    pub(crate) fn new_label(&mut self) -> LabelWord {
        LabelWord(self.new_id())
    }

    /// Allocates the ids of `N` labels.
    pub(crate) fn new_labels<const N: usize>(&mut self) -> [LabelWord; N] {
        std::array::from_fn(|_| self.new_label())
    }

    /// Creates an id for an object other than a computed value: a variable, a function, a pointer.
    pub(crate) fn new_object(&mut self) -> ValueWord {
        ValueWord(self.new_id())
    }

    /// Returns a new id of a value with its type and the part of the module that defines it.
    pub(crate) fn new_value(&mut self, scalar: Scalar, size: u8, origin: ValueOrigin) -> ValueWord {
        let id = ValueWord(self.bound());
        self.values.push(ValueInfo {
            scalar,
            size,
            origin,
            ..NO_VALUE
        });
        id
    }

    /// Returns component type, size and origin of a value.
    pub(crate) fn value_info(&self, id: ValueWord) -> ValueInfo {
        self.values[id.0 as usize]
    }

    /// Returns the cached values that are derived from `id`, such as components and casts.
    pub(crate) fn derived(&self, id: ValueWord) -> &DerivedValues {
        &self.derived[self.values[id.0 as usize].derived as usize]
    }

    /// Returns the record of values derived from `id`, which is created on the first call.
    pub(super) fn derived_mut(&mut self, id: ValueWord) -> &mut DerivedValues {
        let derived_index = &mut self.values[id.0 as usize].derived;
        if *derived_index == 0 {
            *derived_index = self.derived.len() as u32;
            self.derived.push(DerivedValues::default());
        }
        &mut self.derived[*derived_index as usize]
    }

    /// Returns the value `id` with its recorded type.
    pub(crate) fn val(&self, id: ValueWord) -> Val {
        let ValueInfo { scalar, size, .. } = self.value_info(id);
        Val::new(id, scalar, size)
    }

    /// Returns the id of the instruction set GLSL.std.450, which is allocated on first use, so that
    /// the module head imports it.
    pub(crate) fn get_glsl_import(&mut self) -> ValueWord {
        if !self.glsl_import.is_some() {
            self.glsl_import = self.new_object();
        }
        self.glsl_import
    }

    /// Returns the id of the GLSL.std.450 instructions if any was used.
    pub(crate) fn used_glsl_import(&self) -> Option<ValueWord> {
        self.glsl_import.is_some().then_some(self.glsl_import)
    }

    /// Emits `OpName` for an object if the module has names; `name` is called only then.
    pub(crate) fn name_object(&mut self, id: ValueWord, name: impl FnOnce() -> String) {
        if self.has_names {
            self.names.push_string_inst(Op::Name, &[id.0], &name(), &[]);
        }
    }

    /// Emits `OpName` for a type if the module has names.
    pub(crate) fn name_type(&mut self, ty: TypeWord, name: &str) {
        if self.has_names {
            self.names.push_string_inst(Op::Name, &[ty.0], name, &[]);
        }
    }

    /// Emits `OpMemberName` if the module has names.
    pub(crate) fn name_member(&mut self, ty: TypeWord, member: u32, name: &str) {
        if self.has_names {
            self.names
                .push_string_inst(Op::MemberName, &[ty.0, member], name, &[]);
        }
    }

    /// Appends a decoration of `id` with its operands.
    pub(crate) fn decorate<const N: usize>(
        &mut self,
        id: impl Into<u32>,
        decoration: Decoration,
        operands: &[u32; N],
    ) {
        let leading = [id.into(), decoration as u32];
        self.annotations
            .push_prefixed_inst(Op::Decorate, leading, operands);
    }

    /// Decorates a variable with `BuiltIn`.
    pub(crate) fn decorate_builtin(&mut self, id: ValueWord, builtin: BuiltIn) {
        self.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
    }

    /// Decorates a value that may differ between the invocations that use it together.
    pub(crate) fn decorate_divergent(&mut self, id: ValueWord) {
        self.decorate(id, Decoration::NonUniform, &[]);
    }
}

/// Initial number of slots of a table.
const INITIAL_SLOTS: usize = 64;

/// Numbers of declarations by the hash of their contents.
#[derive(Debug, Default)]
pub(super) struct DeclarationTable {
    /// Hash and number, in the first free slot at or after the hash. Number 0 marks a free slot; at
    /// least one exists.
    slots: Vec<(u32, u32)>,
    /// Slots before the table grew, retained for reuse of their memory.
    spare_slots: Vec<(u32, u32)>,
    count: usize,
}

impl DeclarationTable {
    /// Removes all entries. A large capacity is set aside, so that small programs need not clear
    /// the slots of a large one.
    pub(super) fn clear(&mut self) {
        // Sizes are powers of two, and so is `INITIAL_SLOTS`: masks of hashes depend on this
        // property.
        if self.count * 8 < self.slots.len() {
            self.slots.truncate(INITIAL_SLOTS);
        }
        self.slots.fill((0, 0));
        self.count = 0;
    }

    /// Returns the declaration with this hash for which `is_same` holds; `None` if there is none.
    pub(super) fn find(&self, hash: u32, is_same: impl Fn(u32) -> bool) -> Option<u32> {
        // The table is empty before the first number is added.
        let last = self.slots.len().checked_sub(1)?;
        let mut position = hash as usize & last;
        loop {
            let (known, number) = self.slots[position & last];
            if number == 0 {
                return None;
            }
            if known == hash && is_same(number) {
                return Some(number);
            }
            position += 1;
        }
    }

    /// Adds a declaration, whose number is not 0, under its hash. Grows the table if it would be
    /// more than half full.
    pub(super) fn insert(&mut self, hash: u32, number: u32) {
        // At most half full, so that searches end at a free slot after few steps.
        if (self.count + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.count += 1;
        self.fill_slot(hash, number);
    }

    /// Inserts a declaration into the first free slot from its hash on.
    fn fill_slot(&mut self, hash: u32, number: u32) {
        let last = self.slots.len() - 1;
        let mut position = hash as usize & last;
        while self.slots[position].1 != 0 {
            position = (position + 1) & last;
        }
        self.slots[position] = (hash, number);
    }

    /// Doubles the number of slots and inserts all declarations again.
    fn grow(&mut self) {
        let capacity = (self.slots.len() * 2).max(INITIAL_SLOTS);
        refill(&mut self.spare_slots, capacity, (0, 0));
        std::mem::swap(&mut self.slots, &mut self.spare_slots);
        for index in 0..self.spare_slots.len() {
            let (hash, number) = self.spare_slots[index];
            if number != 0 {
                self.fill_slot(hash, number);
            }
        }
    }
}

/// Computes a 32-bit hash of words for the table of declarations.
pub(super) fn hash(words: impl IntoIterator<Item = u64>) -> u32 {
    // The upper half of a product depends on all words; the rotation makes their order significant.
    // The factor is 2^64 divided by the golden ratio, an odd number: its multiples are distributed
    // evenly (Fibonacci hashing).
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = words.into_iter().fold(0_u64, |mixed, word| {
        (mixed.rotate_left(26) ^ word).wrapping_mul(FACTOR)
    });
    (mixed >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_what_they_stand_for() {
        let words: Vec<u64> = (0..1000).map(|number| number * number % 613).collect();
        let mut declared = DeclarationTable::default();
        for round in 0..2 {
            let mut different = 0;
            for (index, &word) in words.iter().enumerate() {
                let hash = hash([word, 7]) % 50;
                let first = words.iter().position(|&it| it == word).unwrap();
                let found = declared.find(hash, |number| words[number as usize - 1] == word);
                if first < index {
                    assert_eq!(found, Some(first as u32 + 1), "round {round}");
                } else {
                    assert_eq!(found, None, "round {round}");
                    declared.insert(hash, index as u32 + 1);
                    different += 1;
                }
            }
            assert_eq!(declared.count, different);
            declared.clear();
        }
    }

    #[test]
    fn the_order_of_words_counts() {
        assert_ne!(hash([1, 2]), hash([2, 1]));
        assert_ne!(hash([0]), hash([1]));
    }
}
