//! Instruction modifiers, condition-code tests, and atomic operations by type.
//!
//! Modifiers: NV_gpu_program4 tables X.14 and X.15, NV_gpu_program5 section 2.X.4.1. Tests:
//! NV_gpu_program4 and EXT_sparse_texture2 table X.16, NV_vertex_program2_option section 2.14.4.3.
//! Atomic operations: NV_gpu_program5 section 2.X.8.Z, table X.Y of ATOM, those of ATOMS in
//! NV_compute_program5 and of ATOMB in NV_shader_storage_buffer_object, and the additions of
//! NV_shader_atomic_float, NV_shader_atomic_float64, NV_shader_atomic_int64 and
//! NV_shader_atomic_fp16_vector.

use crate::keyword_table::KeywordTable;
use crate::lang::options::Features;
use crate::source::Family;
use TestScope::{All, Sparse, Typed};
use glasm_ir::CondTest;
use glasm_ir::resource::AtomicOp::{
    self, Add, And, CompareExchange, DecWrap, Exchange, IncWrap, Max, Min, Or, Xor,
};
use glasm_ir::types::Type::{F16, F32, F64, S32, S64, U32, U64};
use glasm_ir::types::{BaseType, Type, Width};
use std::sync::OnceLock;

bitflags::bitflags! {
    /// Modifiers other than data types and atomic operations.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct ModifierFlags: u32 {
        /// Condition-code register 0 is updated.
        const CC0 = 1;
        /// Condition-code register 1 is updated.
        const CC1 = 1 << 1;
        /// Result clamped to [0, 1].
        const SAT = 1 << 2;
        /// Result clamped to [-1, 1].
        const SSAT = 1 << 3;
        /// No type checking.
        const NTC = 1 << 4;
        /// Precise result.
        const PREC = 1 << 5;
        /// Upper half of the product.
        const HI = 1 << 6;
        /// Coherent memory access.
        const COH = 1 << 7;
        /// Volatile memory access.
        const VOL = 1 << 8;
        /// Barrier for the work group.
        const CTA = 1 << 9;
        /// Float at 32 bits or more (suffix R).
        const FULL = 1 << 10;
        /// Float at 16 bits or more (suffix H).
        const HALF = 1 << 11;
        /// Conversion rounds to even.
        const ROUND = 1 << 12;
        /// Conversion rounds up.
        const CEIL = 1 << 13;
        /// Conversion rounds down.
        const FLR = 1 << 14;
        /// Conversion rounds toward zero.
        const TRUNC = 1 << 15;
        /// Fine derivative.
        const FINE = 1 << 16;
        /// Coarse derivative.
        const COARSE = 1 << 17;

        /// Atomic counter is incremented by 1.
        const INCR = 1 << 18;
        /// Atomic counter is decremented by 1.
        const DECR = 1 << 19;
        /// Atomic counter is read.
        const GET = 1 << 20;

        /// Residency of the texels that are read is written to the sparse condition code.
        const SPARSE = 1 << 21;
        /// The level of detail is clamped to a minimum.
        const LODCLAMP = 1 << 22;
        /// Float or fixed-point number of at least 12 bits (suffix X).
        const FIXED = 1 << 24;
        /// The suffix of a condition-code update has a number.
        const NUMBERED = 1 << 25;

        /// Condition-code updates.
        const ANY_CC = Self::CC0.bits() | Self::CC1.bits();
        /// Clamps.
        const ANY_CLAMP = Self::SAT.bits() | Self::SSAT.bits();
        /// Precision suffixes, which are float types too.
        const ANY_PRECISION = Self::FULL.bits() | Self::HALF.bits();
        /// Rounding modes.
        const ANY_ROUNDING = Self::ROUND.bits() | Self::CEIL.bits() | Self::FLR.bits() | Self::TRUNC.bits();
        /// Derivative kinds.
        const ANY_DERIVATIVE = Self::FINE.bits() | Self::COARSE.bits();
        /// Operations on atomic counters.
        const ANY_COUNTER = Self::INCR.bits() | Self::DECR.bits() | Self::GET.bits();
    }
}

/// A data type modifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataType {
    /// Spelling.
    pub name: &'static str,
    /// Type of a component.
    pub ty: Type,
    /// Number of components.
    pub components: u8,
    /// Group of modifiers that it belongs to.
    pub class: TypeClass,
}

/// Groups of data type modifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeClass {
    /// `F`, `S`, `U`.
    Base,
    /// One component of a given size.
    Sized,
    /// Several components: storage only.
    Vector,
    /// Storage modifiers of NV_gpu_program5_mem_extended.
    Extended,
    /// `S24`, `U24`: MUL only.
    Mul24,
}

macro_rules! data_types {
    ($($name:literal $ty:ident $components:literal $class:ident;)*) => {
        /// All data type modifiers.
        pub static DATA_TYPES: &[DataType] = &[$(DataType {
            name: $name, ty: Type::$ty, components: $components, class: TypeClass::$class,
        },)*];
    };
}

data_types! {
    "F" F32 1 Base;
    "S" S32 1 Base;
    "U" U32 1 Base;
    "S24" S32 1 Mul24;
    "U24" U32 1 Mul24;
    "F16" F16 1 Sized;
    "F32" F32 1 Sized;
    "F64" F64 1 Sized;
    "S8" S8 1 Sized;
    "S16" S16 1 Sized;
    "S32" S32 1 Sized;
    "S64" S64 1 Sized;
    "U8" U8 1 Sized;
    "U16" U16 1 Sized;
    "U32" U32 1 Sized;
    "U64" U64 1 Sized;
    "F32X2" F32 2 Vector;
    "F32X4" F32 4 Vector;
    "F64X2" F64 2 Vector;
    "F64X4" F64 4 Vector;
    "S32X2" S32 2 Vector;
    "S32X4" S32 4 Vector;
    "S64X2" S64 2 Vector;
    "S64X4" S64 4 Vector;
    "U32X2" U32 2 Vector;
    "U32X4" U32 4 Vector;
    "U64X2" U64 2 Vector;
    "U64X4" U64 4 Vector;
    "F16X2" F16 2 Extended;
    "F16X4" F16 4 Extended;
    "S8X2" S8 2 Extended;
    "S8X4" S8 4 Extended;
    "S16X2" S16 2 Extended;
    "S16X4" S16 4 Extended;
    "U8X2" U8 2 Extended;
    "U8X4" U8 4 Extended;
    "U16X2" U16 2 Extended;
    "U16X4" U16 4 Extended;
}

/// Index into [`DATA_TYPES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataTypeId(pub u8);

impl DataTypeId {
    /// `F`.
    pub const F: Self = Self(0);

    /// Returns the table entry of the data type.
    pub fn info(self) -> &'static DataType {
        &DATA_TYPES[self.0 as usize]
    }
}

/// All modifiers of an instruction in one word: flags, up to two data types, the atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Modifiers(u64);

impl Modifiers {
    // Bits: 0 to 31 flags, 32 and 33 the number of types, 34 to 49 a byte for each of two types, 50
    // to 53 the operation plus one.
    const TYPE_COUNT: u32 = 32;
    const TYPES: u32 = 34;
    const ATOMIC: u32 = 50;

    /// Creates modifiers from flags, without data types and atomic operation.
    pub const fn new(mods: ModifierFlags) -> Self {
        Self(mods.bits() as u64)
    }

    /// Returns the modifiers other than data types and the atomic operation.
    pub const fn mods(self) -> ModifierFlags {
        ModifierFlags::from_bits_retain(self.0 as u32)
    }

    /// Returns the number of data types among the modifiers.
    pub const fn type_count(self) -> usize {
        (self.0 >> Self::TYPE_COUNT & 3) as usize
    }

    /// Returns data type `number`; `F` if there are fewer.
    pub const fn data_type(self, number: usize) -> DataTypeId {
        DataTypeId((self.0 >> (Self::TYPES + 8 * number as u32)) as u8)
    }

    /// Returns true if an atomic operation is among the modifiers.
    pub const fn is_atomic(self) -> bool {
        self.0 >> Self::ATOMIC & 15 != 0
    }

    /// Returns the atomic operation among the modifiers, if there is one.
    pub fn atomic(self) -> Option<AtomicOp> {
        let number = (self.0 >> Self::ATOMIC & 15) as usize;
        number
            .checked_sub(1)
            .and_then(|index| ATOMICS.get(index))
            .map(|&(_, op)| op)
    }

    /// Adds a modifier; returns true if it repeats or contradicts one of its kind. Such a data type
    /// is not added, such an atomic operation replaces the earlier one, and such a flag is set in
    /// addition.
    pub fn add(&mut self, modifier: Modifier) -> bool {
        match modifier {
            Modifier::Type(ty) => self.add_type(ty),
            Modifier::Atomic(op) => self.add_atomic(op),
            Modifier::Flag(flag) => self.add_flag(flag),
        }
    }

    /// Adds a data type. Returns true if it cannot be combined with the modifiers before it and was
    /// not added.
    fn add_type(&mut self, ty: DataTypeId) -> bool {
        // Only CVT takes two types; the checker reports two types of other opcodes.
        let count = self.type_count();
        // The suffixes R and H are data types: table X.15.
        let free = count < 2 && !self.mods().intersects(ModifierFlags::ANY_PRECISION);
        if free {
            self.0 += 1 << Self::TYPE_COUNT;
            self.0 |= u64::from(ty.0) << (Self::TYPES + 8 * count as u32);
        }
        !free
    }

    /// Sets the atomic operation, which replaces an earlier one. Returns true if there was one
    /// already.
    fn add_atomic(&mut self, op: AtomicOp) -> bool {
        let twice = self.atomic().is_some();
        let position = ATOMICS.iter().position(|&(_, atomic)| atomic == op);
        let index = position.unwrap_or(0) as u64;
        // Of two operations the later one is retained: the error is reported in any case.
        self.0 = self.0 & !(15 << Self::ATOMIC) | (index + 1) << Self::ATOMIC;
        twice
    }

    /// Adds a modifier, even if it contradicts an earlier one. Returns true if it repeats one or is
    /// the second one of a kind of which NV_gpu_program4 section 2.X.4.1 allows one.
    fn add_flag(&mut self, flag: ModifierFlags) -> bool {
        /// "A program will fail to load if it specifies more than one modifier of any given type":
        /// section 2.X.4.1.
        const KINDS: [ModifierFlags; 6] = [
            ModifierFlags::ANY_CC,
            ModifierFlags::ANY_CLAMP,
            ModifierFlags::ANY_PRECISION,
            ModifierFlags::ANY_ROUNDING,
            ModifierFlags::ANY_DERIVATIVE,
            ModifierFlags::ANY_COUNTER,
        ];
        let kind = KINDS.into_iter().find(|kind| kind.intersects(flag));
        // All others only exclude repetitions.
        let twice = self.mods().intersects(kind.unwrap_or(flag));
        self.0 |= u64::from(flag.bits());
        twice
    }
}

/// A modifier that a word denotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Modifier {
    /// A data type.
    Type(DataTypeId),
    /// An atomic operation.
    Atomic(AtomicOp),
    /// Any other modifier. `ROUND` and other roundings are opcodes, too, as are `ADD` and others
    /// among the atomic operations.
    Flag(ModifierFlags),
}

static FLAGS: &[(&str, ModifierFlags)] = &[
    // "CC and CC0 specify that the condition code register CC0 be updated."
    ("CC", ModifierFlags::CC0),
    ("CC0", ModifierFlags::CC0),
    ("CC1", ModifierFlags::CC1),
    ("SAT", ModifierFlags::SAT),
    ("SSAT", ModifierFlags::SSAT),
    ("NTC", ModifierFlags::NTC),
    ("PREC", ModifierFlags::PREC),
    ("HI", ModifierFlags::HI),
    ("COH", ModifierFlags::COH),
    ("VOL", ModifierFlags::VOL),
    ("CTA", ModifierFlags::CTA),
    ("ROUND", ModifierFlags::ROUND),
    ("CEIL", ModifierFlags::CEIL),
    ("FLR", ModifierFlags::FLR),
    ("TRUNC", ModifierFlags::TRUNC),
    ("FINE", ModifierFlags::FINE),
    ("COARSE", ModifierFlags::COARSE),
    ("INCR", ModifierFlags::INCR),
    ("DECR", ModifierFlags::DECR),
    ("GET", ModifierFlags::GET),
    ("SPARSE", ModifierFlags::SPARSE),
    ("LODCLAMP", ModifierFlags::LODCLAMP),
];

static ATOMICS: &[(&str, AtomicOp)] = &[
    ("ADD", Add),
    ("MIN", Min),
    ("MAX", Max),
    ("IWRAP", IncWrap),
    ("DWRAP", DecWrap),
    ("AND", And),
    ("OR", Or),
    ("XOR", Xor),
    ("EXCH", Exchange),
    ("CSWAP", CompareExchange),
];

/// Returns the modifier that a word after the opcode denotes; `None` for other words. Case matters,
/// except that the vectors of half floats (`F16X2`) also have a spelling with a small x.
pub fn find_modifier(word: &[u8]) -> Option<Modifier> {
    static TABLE: OnceLock<KeywordTable<Modifier>> = OnceLock::new();
    TABLE
        .get_or_init(|| all_modifiers().collect())
        .get(word)
        .copied()
}

/// Returns all modifier words with their modifiers: types, flags and atomic operations, then the
/// alternative spellings `F16x2` and `F16x4`.
pub(crate) fn all_modifiers() -> impl Iterator<Item = (&'static str, Modifier)> {
    let types = DATA_TYPES.iter().zip(0..);
    let ty = |(ty, number): (&DataType, u8)| (ty.name, Modifier::Type(DataTypeId(number)));
    let half = |name: &str| types.clone().find(|(ty, _)| ty.name == name).map(ty);
    // Program generators print the vectors of half floats in lower case.
    let small = [("F16x2", half("F16X2")), ("F16x4", half("F16X4"))];
    let small = small
        .into_iter()
        .filter_map(|(name, ty)| Some((name, ty?.1)));
    let flags = FLAGS
        .iter()
        .map(|&(name, flag)| (name, Modifier::Flag(flag)));
    let atomics = ATOMICS
        .iter()
        .map(|&(name, op)| (name, Modifier::Atomic(op)));
    // The small spellings are last, and `modifier_words` leaves them out: hints name those that
    // specifications have.
    types.map(ty).chain(flags).chain(atomics).chain(small)
}

/// Returns the words of all modifiers, to suggest one for a misspelled word; alternative spellings
/// are excluded.
pub fn modifier_words() -> impl Iterator<Item = &'static str> {
    DATA_TYPES
        .iter()
        .map(|ty| ty.name)
        .chain(FLAGS.iter().map(|&(name, _)| name))
        .chain(ATOMICS.iter().map(|&(name, _)| name))
}

/// Returns the modifier word of an atomic operation; empty if the table has none.
pub fn atomic_name(op: AtomicOp) -> &'static str {
    ATOMICS
        .iter()
        .find(|&&(_, atomic)| atomic == op)
        .map_or("", |&(name, _)| name)
}

/// Returns the modifier word of a base type without size: F, S or U.
pub const fn base_name(base: BaseType) -> &'static str {
    match base {
        BaseType::Float => "F",
        BaseType::SignedInt => "S",
        BaseType::UnsignedInt => "U",
    }
}

/// Returns the type of registers that hold values of `ty`: narrow types are stored in 32-bit lanes.
pub const fn register_type(ty: Type) -> Type {
    match ty.width() {
        Width::W8 | Width::W16 => ty.with_width(Width::W32),
        Width::W32 | Width::W64 => ty,
    }
}

/// A test and the condition-code register it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CcTest {
    /// The test.
    pub test: CondTest,
    /// Register: 0, 1 or [`SPARSE_REGISTER`].
    pub register: u8,
}

/// The sparse condition code, which has one component.
pub const SPARSE_REGISTER: u8 = 2;

/// Languages that have a mask rule, and the register that it reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TestScope {
    /// All languages: register 0 or 1.
    All,
    /// Programs with data types: register 0 or 1.
    Typed,
    /// Programs with data types: the sparse condition code, which has no number.
    Sparse,
}

/// Mask rules, without the number of their register.
static TESTS: &[(&str, CondTest, TestScope)] = &[
    ("EQ", CondTest::Eq, All),
    ("GE", CondTest::Ge, All),
    ("GT", CondTest::Gt, All),
    ("LE", CondTest::Le, All),
    ("LT", CondTest::Lt, All),
    ("NE", CondTest::Ne, All),
    ("FL", CondTest::False, All),
    ("TR", CondTest::True, All),
    // Tests of single flags need codes that are flags: those of the ARB languages are a comparison
    // with zero each.
    ("NAN", CondTest::Nan, Typed),
    ("LEG", CondTest::Leg, Typed),
    ("CF", CondTest::Carry, Typed),
    ("NCF", CondTest::NoCarry, Typed),
    ("OF", CondTest::Overflow, Typed),
    ("NOF", CondTest::NoOverflow, Typed),
    ("SF", CondTest::Sign, Typed),
    ("NSF", CondTest::NoSign, Typed),
    ("AB", CondTest::Above, Typed),
    ("BLE", CondTest::BelowEqual, Typed),
    // RESF is one bit, stored as a number that is 0 if a texel is missing.
    ("RESIDENT", CondTest::Ne, Sparse),
    ("NONRESIDENT", CondTest::Eq, Sparse),
];

/// Returns the test that a mask rule such as `GT1` names in a language, with the condition-code
/// register that its last digit selects: CC0 without a digit, the register of sparse textures for
/// their tests. Returns `None` if the language does not have the test, or for a digit after a test
/// of sparse textures.
pub fn find_test(family: Family, rule: &[u8]) -> Option<CcTest> {
    let (name, register_number) = match rule {
        [name @ .., b'0'] => (name, Some(0)),
        [name @ .., b'1'] => (name, Some(1)),
        _ => (rule, None),
    };
    // No name ends with a digit, so that the number can be removed first.
    let row = TESTS.iter().find(|(text, ..)| text.as_bytes() == name);
    let &(_, test, scope) = row.filter(|(.., scope)| *scope == All || family == Family::Typed)?;
    let register = match (scope, register_number) {
        // "If 0 or 1 is appended to the rule name, the corresponding condition code register is
        // loaded, otherwise CC0."
        (All | Typed, number) => number.unwrap_or(0),
        (Sparse, None) => SPARSE_REGISTER,
        (Sparse, Some(_)) => return None,
    };
    Some(CcTest { test, register })
}

/// Returns the condition tests of a language family, without the number of their register.
pub fn test_words(family: Family) -> impl Iterator<Item = &'static str> {
    let rows = TESTS.iter();
    let rows = rows.filter(move |(.., scope)| *scope == All || family == Family::Typed);
    rows.map(|(name, ..)| *name)
}

/// Returns true if a mask rule such as `EQ0` names the condition-code register that it tests.
pub fn is_numbered(rule: &[u8]) -> bool {
    rule.ends_with(b"0") || rule.ends_with(b"1")
}

/// The memory that an operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicMemory {
    /// Memory that variables of the program denote, shared memory and storage buffers; in an entry:
    /// only that.
    Declared,
    /// Any other memory; in an entry: every memory.
    Any,
}

/// An entry: types, their operations, features that options must have enabled, and memory.
type AtomicRow = (&'static [Type], &'static [AtomicOp], Features, AtomicMemory);

const NONE: Features = Features::empty();
/// All except the wrapping ones, which only unsigned integers of 32 bits have.
const COMMON_OPS: &[AtomicOp] = &[Add, Min, Max, And, Or, Xor, Exchange, CompareExchange];

static ATOMIC_TYPES: &[AtomicRow] = &[
    // Table X.Y of NV_gpu_program5: ATOM. That of ATOMIM has no types of 64 bits, which
    // `check::instructions::types` ensures.
    (&[U32, S32], COMMON_OPS, NONE, AtomicMemory::Any),
    (&[U32], &[IncWrap, DecWrap], NONE, AtomicMemory::Any),
    // Signed integers of 64 bits have no atomics without the option below.
    (
        &[U64],
        &[Add, Exchange, CompareExchange],
        NONE,
        AtomicMemory::Any,
    ),
    (
        &[U64, S64],
        COMMON_OPS,
        Features::ATOMIC_INT64,
        AtomicMemory::Any,
    ),
    // ATOMS and ATOMB have F32 in their tables: NV_compute_program5 and
    // NV_shader_storage_buffer_object section 2.X.8.Z.
    (&[F32], &[Add, Exchange], NONE, AtomicMemory::Declared),
    (
        &[F32],
        &[Add, Exchange],
        Features::ATOMIC_FLOAT,
        AtomicMemory::Any,
    ),
    (
        &[F64],
        &[Add, Exchange],
        Features::ATOMIC_FLOAT64,
        AtomicMemory::Any,
    ),
    (
        // The vectors F16X2 and F16X4; an entry lists the type of a component.
        &[F16],
        &[Add, Min, Max, Exchange],
        Features::ATOMIC_FP16_VECTOR,
        AtomicMemory::Any,
    ),
];

/// Returns true if an atomic operation is defined for a type in a kind of memory, given the
/// features that the options of the program enable.
pub fn is_atomic_defined(op: AtomicOp, ty: Type, features: Features, memory: AtomicMemory) -> bool {
    ATOMIC_TYPES
        .iter()
        .any(|&(types, ops, needs, required_memory)| {
            // Several entries may have the type: one that matches suffices.
            types.contains(&ty)
                && ops.contains(&op)
                && features.contains(needs)
                && (required_memory == AtomicMemory::Any || required_memory == memory)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_and_found() {
        let mut seen = std::collections::HashSet::new();
        for word in modifier_words() {
            assert!(seen.insert(word), "{word}");
            assert!(find_modifier(word.as_bytes()).is_some());
        }
        assert_eq!(find_modifier(b"f"), None);
    }

    #[test]
    fn modifiers_are_kept() {
        let mut modifiers = Modifiers::new(ModifierFlags::SAT);
        let add = |modifiers: &mut Modifiers, word: &str| {
            modifiers.add(find_modifier(word.as_bytes()).expect("a modifier"))
        };
        assert_eq!((modifiers.type_count(), modifiers.atomic()), (0, None));
        assert!(
            !add(&mut modifiers, "U64X4")
                && !add(&mut modifiers, "CSWAP")
                && !add(&mut modifiers, "S8")
        );
        assert!(
            add(&mut modifiers, "ADD") && add(&mut modifiers, "SSAT") && add(&mut modifiers, "F")
        );
        assert_eq!(modifiers.atomic(), Some(Add));
        let types: Vec<&str> = (0..modifiers.type_count())
            .map(|n| modifiers.data_type(n).info().name)
            .collect();
        assert_eq!(types, ["U64X4", "S8"]);
        assert_eq!(modifiers.mods(), ModifierFlags::SAT | ModifierFlags::SSAT);
    }

    #[test]
    fn f_is_the_first_row() {
        assert_eq!(DataTypeId::F.info().name, "F");
    }

    #[test]
    fn rules_name_test_and_register() {
        let case = |rule: &str, test, register| {
            let found = find_test(Family::Typed, rule.as_bytes());
            assert_eq!(found, Some(CcTest { test, register }), "{rule}");
        };
        case("GT", CondTest::Gt, 0);
        case("GT0", CondTest::Gt, 0);
        case("BLE1", CondTest::BelowEqual, 1);
        case("NONRESIDENT", CondTest::Eq, SPARSE_REGISTER);
        for rule in ["RESIDENT0", "GT2", "gt", ""] {
            assert_eq!(find_test(Family::Typed, rule.as_bytes()), None, "{rule}");
        }
    }

    #[test]
    fn arb_programs_have_eight_rules() {
        for &(rule, test, scope) in TESTS {
            let found = find_test(Family::Arb, rule.as_bytes());
            let expected = (scope == All).then_some(CcTest { test, register: 0 });
            assert_eq!(found, expected, "{rule}");
        }
        assert!(is_numbered(b"EQ1") && !is_numbered(b"EQ"));
    }
}
