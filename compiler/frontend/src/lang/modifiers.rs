//! Instruction modifiers. NV_gpu_program4 tables X.14 and X.15, NV_gpu_program5 section 2.X.4.1.

use crate::words::WordTable;
use glasm_ir::resource::AtomicOp;
use glasm_ir::types::{Base, Type, Width};
use std::sync::OnceLock;

bitflags::bitflags! {
    /// Modifiers other than data types and atomic operations.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub struct Mods: u32 {
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

    /// Returns the table entry.
    #[inline]
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

    /// Creates modifiers from the flags of opcode suffixes.
    pub const fn new(mods: Mods) -> Self {
        Self(mods.bits() as u64)
    }

    /// Returns the flags.
    #[inline]
    pub const fn mods(self) -> Mods {
        Mods::from_bits_retain(self.0 as u32)
    }

    /// Returns the number of data types.
    #[inline]
    pub const fn type_count(self) -> usize {
        (self.0 >> Self::TYPE_COUNT & 3) as usize
    }

    /// Returns data type `number`; `F` if there are fewer.
    #[inline]
    pub const fn data_type(self, number: usize) -> DataTypeId {
        DataTypeId((self.0 >> (Self::TYPES + 8 * number as u32)) as u8)
    }

    /// Returns true if there is an atomic operation.
    #[inline]
    pub const fn is_atomic(self) -> bool {
        self.0 >> Self::ATOMIC & 15 != 0
    }

    /// Returns the atomic operation.
    pub fn atomic(self) -> Option<AtomicOp> {
        let number = (self.0 >> Self::ATOMIC & 15) as usize;
        number
            .checked_sub(1)
            .and_then(|index| ATOMICS.get(index))
            .map(|&(_, op)| op)
    }

    /// Adds a modifier; true if there is one of its kind already.
    pub fn add(&mut self, modifier: Modifier) -> bool {
        match modifier {
            Modifier::Type(ty) => self.add_type(ty),
            Modifier::Atomic(op) => self.add_atomic(op),
            Modifier::Flag(flag) => self.add_flag(flag),
        }
    }

    #[inline]
    fn add_type(&mut self, ty: DataTypeId) -> bool {
        // Only CVT takes two types; the checker reports two types of other opcodes.
        let count = self.type_count();
        // The suffixes R and H are data types: table X.15.
        let free = count < 2 && !self.mods().intersects(Mods::ANY_PRECISION);
        if free {
            self.0 += 1 << Self::TYPE_COUNT;
            self.0 |= u64::from(ty.0) << (Self::TYPES + 8 * count as u32);
        }
        !free
    }

    #[inline]
    fn add_atomic(&mut self, op: AtomicOp) -> bool {
        let twice = self.atomic().is_some();
        let position = ATOMICS.iter().position(|&(_, atomic)| atomic == op);
        let index = position.unwrap_or(0) as u64;
        // Of two operations the later one is retained: the error is reported in any case.
        self.0 = self.0 & !(15 << Self::ATOMIC) | (index + 1) << Self::ATOMIC;
        twice
    }

    #[inline]
    fn add_flag(&mut self, flag: Mods) -> bool {
        /// "A program will fail to load if it specifies more than one modifier of any given type":
        /// section 2.X.4.1.
        const KINDS: [Mods; 6] = [
            Mods::ANY_CC,
            Mods::ANY_CLAMP,
            Mods::ANY_PRECISION,
            Mods::ANY_ROUNDING,
            Mods::ANY_DERIVATIVE,
            Mods::ANY_COUNTER,
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
    Flag(Mods),
}

static FLAGS: &[(&str, Mods)] = &[
    // "CC and CC0 specify that the condition code register CC0 be updated."
    ("CC", Mods::CC0),
    ("CC0", Mods::CC0),
    ("CC1", Mods::CC1),
    ("SAT", Mods::SAT),
    ("SSAT", Mods::SSAT),
    ("NTC", Mods::NTC),
    ("PREC", Mods::PREC),
    ("HI", Mods::HI),
    ("COH", Mods::COH),
    ("VOL", Mods::VOL),
    ("CTA", Mods::CTA),
    ("ROUND", Mods::ROUND),
    ("CEIL", Mods::CEIL),
    ("FLR", Mods::FLR),
    ("TRUNC", Mods::TRUNC),
    ("FINE", Mods::FINE),
    ("COARSE", Mods::COARSE),
    ("INCR", Mods::INCR),
    ("DECR", Mods::DECR),
    ("GET", Mods::GET),
    ("SPARSE", Mods::SPARSE),
    ("LODCLAMP", Mods::LODCLAMP),
];

static ATOMICS: &[(&str, AtomicOp)] = &[
    ("ADD", AtomicOp::Add),
    ("MIN", AtomicOp::Min),
    ("MAX", AtomicOp::Max),
    ("IWRAP", AtomicOp::IncWrap),
    ("DWRAP", AtomicOp::DecWrap),
    ("AND", AtomicOp::And),
    ("OR", AtomicOp::Or),
    ("XOR", AtomicOp::Xor),
    ("EXCH", AtomicOp::Exchange),
    ("CSWAP", AtomicOp::CompareExchange),
];

/// Returns the modifier of a word after a point.
pub fn lookup(word: &[u8]) -> Option<Modifier> {
    static TABLE: OnceLock<WordTable<Modifier>> = OnceLock::new();
    TABLE.get_or_init(|| all().collect()).get(word).copied()
}

/// Returns all modifier words with their modifiers.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Modifier)> {
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
    // The small spellings are last, and `words` leaves them out: hints name those that
    // specifications have.
    types.map(ty).chain(flags).chain(atomics).chain(small)
}

/// Returns all modifier words, for hints.
pub fn words() -> impl Iterator<Item = &'static str> {
    DATA_TYPES
        .iter()
        .map(|ty| ty.name)
        .chain(FLAGS.iter().map(|&(name, _)| name))
        .chain(ATOMICS.iter().map(|&(name, _)| name))
}

/// Returns the spelling of an atomic operation.
pub fn atomic_name(op: AtomicOp) -> &'static str {
    ATOMICS
        .iter()
        .find(|&&(_, atomic)| atomic == op)
        .map_or("", |&(name, _)| name)
}

/// Returns the modifier of a base type.
pub const fn base_name(base: Base) -> &'static str {
    match base {
        Base::Float => "F",
        Base::Signed => "S",
        Base::Unsigned => "U",
    }
}

/// Returns the type of registers that hold values of `ty`: narrow types are stored in 32-bit lanes.
pub const fn register_type(ty: Type) -> Type {
    match ty.width() {
        Width::W8 | Width::W16 => ty.with_width(Width::W32),
        Width::W32 | Width::W64 => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_and_found() {
        let mut seen = std::collections::HashSet::new();
        for word in words() {
            assert!(seen.insert(word), "{word}");
            assert!(lookup(word.as_bytes()).is_some());
        }
        assert_eq!(lookup(b"f"), None);
    }

    #[test]
    fn modifiers_are_kept() {
        let mut modifiers = Modifiers::new(Mods::SAT);
        let add = |modifiers: &mut Modifiers, word: &str| {
            modifiers.add(lookup(word.as_bytes()).expect("a modifier"))
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
        assert_eq!(modifiers.atomic(), Some(AtomicOp::Add));
        let types: Vec<&str> = (0..modifiers.type_count())
            .map(|n| modifiers.data_type(n).info().name)
            .collect();
        assert_eq!(types, ["U64X4", "S8"]);
        assert_eq!(modifiers.mods(), Mods::SAT | Mods::SSAT);
    }

    #[test]
    fn f_is_the_first_row() {
        assert_eq!(DataTypeId::F.info().name, "F");
    }
}
