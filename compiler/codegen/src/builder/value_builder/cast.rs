//! Values read as another type of the same width, and booleans read as numbers.

use super::{Cached, Home, Scalar, ValueBuilder};
use crate::words::ValueWord;
use spirv::Op;

impl ValueBuilder {
    /// Reads the whole value as type `to`.
    #[inline(always)]
    pub(crate) fn cast(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        if self.info(id).scalar == to {
            return id;
        }
        self.cast_other(id, to)
    }

    fn cast_other(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        if info.home == Home::Constant {
            return self.cast_constant(id, to);
        }
        // One slot is for all types other than floats, so the type is compared below.
        let index = usize::from(to.is_float());
        let known = self.derived(id).casts[index];
        if known.is_some() && self.info(known).scalar == to {
            return known;
        }
        let cast = self.write_cast(id, to);
        if !info.scalar.is_bool() && cast != id {
            // The inverse cast needs no instruction.
            self.derived_mut(cast).casts[usize::from(info.scalar.is_float())] = id;
        }
        // There is one slot for integers and one for floats: the first type requested occupies it.
        if !known.is_some() {
            self.derived_mut(id).casts[index] = cast;
            if info.home == Home::Body {
                self.remember(Cached::Cast(id, index as u8));
            }
        }
        cast
    }

    fn cast_constant(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        let known = *self.derived(id);
        if info.size > 1 {
            // A vector is cast component by component, so that the result is a constant again.
            let parts = known.parts.map(|part| {
                if part.is_some() {
                    self.cast(part, to)
                } else {
                    part
                }
            });
            return self.composite(to, &parts[..info.size as usize]);
        }
        let bits = match (info.scalar, to) {
            (Scalar::BoolFloat | Scalar::BoolInt, Scalar::BoolFloat | Scalar::BoolInt) => {
                known.bits
            }
            (Scalar::BoolFloat, Scalar::F64) if known.bits != 0 => 1.0f64.to_bits(),
            (Scalar::BoolFloat, _) if known.bits != 0 => u64::from(1.0f32.to_bits()),
            // As many ones as the type has bits; `constant` truncates the rest.
            (Scalar::BoolInt, _) if known.bits != 0 => u64::MAX,
            _ => known.bits,
        };
        self.constant(to, bits)
    }

    fn write_cast(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        let (home, size, from) = (info.home, info.size, info.scalar);
        match (from.is_bool(), to.is_bool()) {
            // Both are `OpTypeBool`. The representation of a boolean is recorded with its original
            // id.
            (true, true) => return id,
            // Lanes of 64 bits get the bits of the 32-bit boolean, zero-extended below.
            (true, false) if !to.is_wide() => return self.select_number(id, to),
            (false, true) => return self.compare_with_zero(id, to),
            (true | false, false) => {}
        }
        match (from, to) {
            (Scalar::U32, Scalar::U64) | (Scalar::U64, Scalar::U32) => {
                self.derive(home, Op::UConvert, to, size, &[id.0])
            }
            (Scalar::U32, Scalar::Pair) => {
                let zero = self.uint(0);
                self.derive(home, Op::CompositeConstruct, to, 1, &[id.0, zero.0])
            }
            (Scalar::Pair, Scalar::U32) => {
                self.derive(home, Op::CompositeExtract, to, 1, &[id.0, 0])
            }
            // `OpBitcast` requires the same number of bits on both sides.
            _ if from.is_wide() == to.is_wide() => {
                self.derive(home, Op::Bitcast, to, size, &[id.0])
            }
            _ => self.cast_by_words(id, to),
        }
    }

    /// Casts between 32 and 64 bits as integers, by zero extension and truncation.
    fn cast_by_words(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let wide_int = |scalar| {
            if scalar == Scalar::Pair {
                Scalar::Pair
            } else {
                Scalar::U64
            }
        };
        let from = self.info(id).scalar;
        let steps = if to.is_wide() {
            [Scalar::U32, wide_int(to), to]
        } else {
            [wide_int(from), Scalar::U32, to]
        };
        steps.into_iter().fold(id, |id, step| self.cast(id, step))
    }

    /// Selects 1.0 or all ones if a boolean is true, else 0.
    fn select_number(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        let bits = if info.scalar == Scalar::BoolFloat {
            1.0f32.to_bits()
        } else {
            u32::MAX
        };
        let yes = self.constant_splat(to, u64::from(bits), info.size);
        let no = self.constant_splat(to, 0, info.size);
        let operands = [id.0, yes.id.0, no.id.0];
        self.derive(info.home, Op::Select, to, info.size, &operands)
    }

    fn compare_with_zero(&mut self, id: ValueWord, to: Scalar) -> ValueWord {
        let info = self.info(id);
        let bits = info.scalar.as_int();
        let value = self.cast(id, bits);
        let zero = self.constant_splat(bits, 0, info.size);
        let operands = [value.0, zero.id.0];
        self.derive(info.home, Op::INotEqual, to, info.size, &operands)
    }
}
