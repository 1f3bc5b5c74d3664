//! Constants as bits.

use super::Lane;
use super::{Builder, Home, Scalar, Val};
use crate::words::ValueWord;
use glasm_ir::Type;
use glasm_ir::interp::{self};

impl Builder {
    /// Whether a lane is a constant, or was never written, so that it reads as 0.
    #[inline]
    pub(crate) fn is_known(&self, lane: Lane) -> bool {
        !lane.id().is_some() || self.is_constant(lane.id())
    }

    /// Whether a value is a constant.
    #[inline(always)]
    pub(crate) fn is_constant(&self, id: ValueWord) -> bool {
        self.info(id).home == Home::Constant
    }

    /// The bits of a lane that is a constant; one that was never written is 0.
    pub(crate) fn lane_bits(&self, lane: Lane) -> u64 {
        if !lane.id().is_some() {
            return 0;
        }
        let mut id = lane.id();
        if self.info(id).size > 1 {
            id = self.derived(id).parts[lane.component()];
        }
        match (self.info(id).scalar, self.derived(id).bits) {
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

    /// The bits of the components of a constant.
    pub(crate) fn constant_parts(&self, val: Val) -> Option<[u64; 4]> {
        if !self.is_constant(val.id) {
            return None;
        }
        let known = self.derived(val.id);
        if self.info(val.id).size == 1 {
            return Some([known.bits; 4]);
        }
        // Parts past the size are the id 0, of which no bits are known: they are 0.
        Some(known.parts.map(|part| self.derived(part).bits))
    }

    /// The constant with these components.
    pub(crate) fn constant_of(&mut self, scalar: Scalar, parts: [u64; 4], size: u8) -> Val {
        let used = &parts[..size as usize];
        if used.iter().all(|&part| part == parts[0]) {
            return self.constant_splat(scalar, parts[0], size);
        }
        let ids = parts.map(|bits| self.constant(scalar, bits));
        let id = self.composite(scalar, &ids[..size as usize]);
        Val { id, scalar, size }
    }
}

/// The bits of a half float as a float of 32 bits.
pub(crate) fn single(bits: u64) -> u64 {
    interp::from_f64(Type::F32, interp::to_f64(Type::F16, bits))
}
