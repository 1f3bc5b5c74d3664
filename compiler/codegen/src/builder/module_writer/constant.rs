//! Constants of the module, which are unique, and their known bits.

use super::hash;
use super::{ModuleWriter, SMALL_CONSTANTS, Scalar, Val, ValueOrigin};
use crate::builder::Lane;
use crate::spirv_writer::ValueWord;
use spirv::Op;

impl ModuleWriter {
    /// Returns the scalar constant with these bits, declared on first use. Bits beyond the type are
    /// ignored; any bit makes a boolean true.
    pub(crate) fn constant(&mut self, scalar: Scalar, bits: u64) -> ValueWord {
        if bits < SMALL_CONSTANTS as u64 {
            let known = self.small_constants[scalar as usize][bits as usize];
            if known.is_some() {
                return known;
            }
        }
        self.find_or_declare_constant(scalar, bits)
    }

    /// Returns the constant with these bits, declared on first use; small ones are found in a table
    /// by value.
    fn find_or_declare_constant(&mut self, scalar: Scalar, bits: u64) -> ValueWord {
        // Bits beyond the type would create a second constant of the same value.
        let bits = if scalar.is_wide() {
            bits
        } else {
            bits & 0xffff_ffff
        };
        if bits >= SMALL_CONSTANTS as u64 {
            return self.find_hashed_constant(scalar, bits);
        }
        let known = self.small_constants[scalar as usize][bits as usize];
        if known.is_some() {
            return known;
        }
        let id = self.declare_scalar_constant(scalar, bits);
        self.small_constants[scalar as usize][bits as usize] = id;
        id
    }

    /// Returns the constant with these bits from the hash table, declared on first use.
    fn find_hashed_constant(&mut self, scalar: Scalar, bits: u64) -> ValueWord {
        let hash = hash([scalar as u64, bits]);
        let known = self.constants.find(hash, |id| {
            let info = self.values[id as usize];
            // Vectors are in the same table, under hashes of their components.
            let is_like = info.scalar == scalar && info.size == 1;
            is_like && self.derived[info.derived as usize].bits == bits
        });
        if let Some(id) = known {
            return ValueWord(id);
        }
        let id = self.declare_scalar_constant(scalar, bits);
        self.constants.insert(hash, id.0);
        id
    }

    /// Declares a scalar constant of a component type with these bits and records them. The
    /// constant is not added to the tables.
    fn declare_scalar_constant(&mut self, scalar: Scalar, bits: u64) -> ValueWord {
        let (low, high) = (bits as u32, (bits >> 32) as u32);
        match scalar {
            Scalar::BoolFloat | Scalar::BoolInt if bits == 0 => {
                self.declare_constant(Op::ConstantFalse, scalar, bits, &[])
            }
            Scalar::BoolFloat | Scalar::BoolInt => {
                self.declare_constant(Op::ConstantTrue, scalar, bits, &[])
            }
            Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::S32 | Scalar::F32 => {
                self.declare_constant(Op::Constant, scalar, bits, &[low])
            }
            Scalar::U64 | Scalar::F64 => {
                self.declare_constant(Op::Constant, scalar, bits, &[low, high])
            }
            Scalar::Pair => {
                let words = [low, high].map(|word| self.constant_u32(word).0);
                self.declare_constant(Op::ConstantComposite, scalar, bits, &words)
            }
        }
    }

    /// Appends the declaration of a constant and records its bits.
    fn declare_constant<const N: usize>(
        &mut self,
        op: Op,
        scalar: Scalar,
        bits: u64,
        operands: &[u32; N],
    ) -> ValueWord {
        let ty = self.get_type(scalar, 1);
        let id = self.new_value(scalar, 1, ValueOrigin::Constant);
        self.derived_mut(id).bits = bits;
        self.globals.push_result_inst(op, ty, id, operands);
        id
    }

    /// Returns the id of a 32-bit integer constant, which is declared if it is new.
    pub(crate) fn constant_u32(&mut self, value: u32) -> ValueWord {
        self.constant(Scalar::U32, u64::from(value))
    }

    /// Returns the id of a 32-bit float constant, which is declared if it is new.
    pub(crate) fn constant_f32(&mut self, value: f32) -> ValueWord {
        self.constant(Scalar::F32, u64::from(value.to_bits()))
    }

    /// Returns the id of the vector of these scalar constants of type `scalar`, which is declared
    /// if it is new.
    pub(crate) fn constant_composite(&mut self, scalar: Scalar, parts: &[ValueWord]) -> ValueWord {
        let size = parts.len() as u8;
        let mut key = [ValueWord::NONE; 4];
        key[..parts.len()].copy_from_slice(parts);
        // The type need not be part of the key: components of different types have different ids.
        let hash = hash(key.map(|part| u64::from(part.0)));
        let known = self.constants.find(hash, |id| {
            let info = self.values[id as usize];
            info.size == size && self.derived[info.derived as usize].parts == key
        });
        if let Some(id) = known {
            return ValueWord(id);
        }
        let ty = self.get_type(scalar, size);
        let id = self.new_value(scalar, size, ValueOrigin::Constant);
        self.globals
            .push_head(Op::ConstantComposite, parts.len() + 2);
        self.globals.0.extend([ty.0, id.0]);
        self.globals.0.extend(parts.iter().map(|part| part.0));
        self.derived_mut(id).parts = key;
        self.constants.insert(hash, id.0);
        id
    }

    /// Returns the constant vector of `size` components with these bits; a scalar for size 1.
    pub(crate) fn constant_splat(&mut self, scalar: Scalar, bits: u64, size: u8) -> Val {
        let one = self.constant(scalar, bits);
        let id = match size {
            1 => one,
            _ => self.constant_composite(scalar, &[one; 4][..size as usize]),
        };
        Val { id, scalar, size }
    }

    /// Returns the bits of a scalar constant; `None` for other values.
    pub(crate) fn constant_bits(&self, id: ValueWord) -> Option<u64> {
        let info = self.value_info(id);
        (info.origin == ValueOrigin::Constant && info.size == 1).then(|| self.derived(id).bits)
    }

    /// Returns true if a lane is a constant, or was never written, so that it reads as 0.
    pub(crate) fn is_constant_lane(&self, lane: Lane) -> bool {
        !lane.id().is_some() || self.is_constant(lane.id())
    }

    /// Returns true if a value is a constant, scalar or vector.
    #[inline(always)]
    pub(crate) fn is_constant(&self, id: ValueWord) -> bool {
        self.value_info(id).origin == ValueOrigin::Constant
    }

    /// Returns the bits of a lane that is a constant, of a boolean those of its number; 0 for one
    /// that was never written. Other lanes are not allowed: [`Self::is_constant_lane`].
    pub(crate) fn lane_bits(&self, lane: Lane) -> u64 {
        if !lane.id().is_some() {
            return 0;
        }
        let mut id = lane.id();
        if self.value_info(id).size > 1 {
            id = self.derived(id).parts[lane.component()];
        }
        match (self.value_info(id).scalar, self.derived(id).bits) {
            // TRUE is 1.0 for floats and all ones for integers: NV_gpu_program4 section 2.X.8.Z,
            // SEQ.
            (Scalar::BoolFloat | Scalar::BoolInt, 0) => 0,
            (Scalar::BoolFloat, _) => u64::from(1f32.to_bits()),
            (Scalar::BoolInt, _) => u64::from(u32::MAX),
            (
                Scalar::U8
                | Scalar::U16
                | Scalar::U32
                | Scalar::S32
                | Scalar::F32
                | Scalar::U64
                | Scalar::F64
                | Scalar::Pair,
                bits,
            ) => bits,
        }
    }

    /// Returns the bits of all components of a constant, repeated for a scalar; components past the
    /// size are 0. Returns `None` for other values.
    pub(crate) fn constant_parts(&self, val: Val) -> Option<[u64; 4]> {
        if !self.is_constant(val.id) {
            return None;
        }
        let known = self.derived(val.id);
        if self.value_info(val.id).size == 1 {
            return Some([known.bits; 4]);
        }
        // Components past the size are id 0, whose bits are unknown: they are 0.
        Some(known.parts.map(|part| self.derived(part).bits))
    }

    /// Returns the constant vector with the first `size` of `parts` as components. For size 1 it is
    /// a scalar.
    pub(crate) fn constant_vector(&mut self, scalar: Scalar, parts: [u64; 4], size: u8) -> Val {
        let used = &parts[..size as usize];
        if used.iter().all(|&part| part == parts[0]) {
            return self.constant_splat(scalar, parts[0], size);
        }
        let ids = parts.map(|bits| self.constant(scalar, bits));
        let id = self.constant_composite(scalar, &ids[..size as usize]);
        Val { id, scalar, size }
    }

    /// Returns the constant with these bits in all components, with type and size of `like`.
    pub(crate) fn constant_like(&mut self, like: Val, bits: u64) -> Val {
        self.constant_splat(like.scalar, bits, like.size)
    }

    /// Returns a constant with type and size of `like`, each component of which has the bits of
    /// `value`: as a 64-bit float if `like` is one, otherwise rounded to a 32-bit float, also for
    /// integer types.
    pub(crate) fn constant_float_like(&mut self, like: Val, value: f64) -> Val {
        let bits = if like.scalar == Scalar::F64 {
            value.to_bits()
        } else {
            u64::from((value as f32).to_bits())
        };
        self.constant_like(like, bits)
    }

    /// Returns the bits of `val` if it is a constant with equal components, else `None`.
    pub(crate) fn splat_bits(&self, val: Val) -> Option<u64> {
        if !self.is_constant(val.id) {
            return None;
        }
        if val.size == 1 {
            return self.constant_bits(val.id);
        }
        let parts = &self.derived(val.id).parts[..val.size as usize];
        let equal = parts.iter().all(|&part| part == parts[0]);
        equal.then(|| self.constant_bits(parts[0])).flatten()
    }

    /// Returns a 32-bit integer constant with its type.
    pub(crate) fn constant_u32_val(&mut self, value: u32) -> Val {
        self.constant_splat(Scalar::U32, u64::from(value), 1)
    }

    /// Returns a 32-bit float constant with its type.
    pub(crate) fn constant_f32_val(&mut self, value: f32) -> Val {
        let id = self.constant_f32(value);
        self.val(id)
    }

    /// Returns the lanes (0, 0, 0, 1) of floats, which complete values with fewer components.
    pub(crate) fn float_padding(&mut self) -> [Lane; 4] {
        let [zero, one] = [0.0, 1.0].map(|number| Lane::scalar(self.constant_f32(number)));
        [zero, zero, zero, one]
    }

    /// Returns the boolean constant true.
    pub(crate) fn constant_true(&mut self) -> Val {
        self.constant_splat(Scalar::BoolInt, 1, 1)
    }

    /// Returns the boolean constant false.
    pub(crate) fn constant_false(&mut self) -> Val {
        self.constant_splat(Scalar::BoolInt, 0, 1)
    }
}
