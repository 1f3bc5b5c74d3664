//! Numbers, and the bits of registers that hold them, as NV_gpu_program4 and 5 describe them.
//!
//! This is an arithmetic of its own: it shares nothing with the interpreter or the code generator that it is to find faults in. Whatever the
//! specifications leave open, or to the device (denormal numbers, bits of a NaN), is an [`Open`], and a program whose results depend on one is
//! not written.

/// How an instruction reads bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    F,
    S,
    U,
}

/// A data type of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub(super) base: Base,
    /// 8, 16, 32 or 64.
    pub(super) bits: u32,
}

pub(super) const F16: Type = Type::new(Base::F, 16);
pub(super) const F32: Type = Type::new(Base::F, 32);
pub(super) const F64: Type = Type::new(Base::F, 64);
pub(super) const S32: Type = Type::new(Base::S, 32);
pub(super) const U32: Type = Type::new(Base::U, 32);
pub(super) const S64: Type = Type::new(Base::S, 64);
pub(super) const U64: Type = Type::new(Base::U, 64);

/// What the specifications, or Vulkan, do not decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Open;

/// A component of a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    Bits(u64),
    /// A NaN, of whatever bits.
    Nan,
    /// Anything.
    Open,
}

/// A component as an instruction reads it. A float of 32 bits or less is one that its type has.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Num {
    F(f64),
    I(i128),
}

impl Type {
    pub(super) const fn new(base: Base, bits: u32) -> Self {
        Self { base, bits }
    }

    /// `F32`, as a modifier.
    pub(super) fn name(self) -> String {
        format!("{:?}{}", self.base, self.bits)
    }

    pub(super) fn is_float(self) -> bool {
        self.base == Base::F
    }

    /// The same base with other bits.
    pub(super) fn with_bits(self, bits: u32) -> Self {
        Self { bits, ..self }
    }

    pub(super) fn with_base(self, base: Base) -> Self {
        Self { base, ..self }
    }

    /// The least and the largest integer.
    pub(super) fn range(self) -> (i128, i128) {
        match self.base {
            Base::S => (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1),
            Base::F | Base::U => (0, (1 << self.bits) - 1),
        }
    }

    /// The integer of this type that has the low bits of `value`.
    pub(super) fn wrap(self, value: i128) -> i128 {
        let low = value & ((1 << self.bits) - 1);
        let (_, largest) = self.range();
        if low > largest {
            low - (1 << self.bits)
        } else {
            low
        }
    }

    /// Whether the number is one of this type's integers.
    pub(super) fn has(self, value: i128) -> bool {
        let (least, largest) = self.range();
        (least..=largest).contains(&value)
    }
}

impl Num {
    /// The number as a float.
    pub(super) fn float(self) -> f64 {
        match self {
            Self::F(value) => value,
            Self::I(_) => unreachable!("an instruction of floats has read an integer"),
        }
    }

    /// The number as an integer.
    pub(super) fn int(self) -> i128 {
        match self {
            Self::I(value) => value,
            Self::F(_) => unreachable!("an instruction of integers has read a float"),
        }
    }
}

/// Whether a device may take the number for 0.
pub(super) fn is_denormal(value: f64, bits: u32) -> bool {
    let least = match bits {
        16 => 6.103_515_625e-5,
        32 => f64::from(f32::MIN_POSITIVE),
        _ => f64::MIN_POSITIVE,
    };
    value != 0.0 && value.abs() < least
}

/// The number as a register of `bits` holds it, which is not denormal.
fn float_of(bits: u64, width: u32) -> Result<f64, Open> {
    let value = match width {
        32 => f64::from(f32::from_bits(low_word(bits))),
        _ => f64::from_bits(bits),
    };
    if is_denormal(value, width) {
        Err(Open)
    } else {
        Ok(value)
    }
}

/// The low half.
pub(super) fn low_word(bits: u64) -> u32 {
    (bits & 0xffff_ffff) as u32
}

/// A float in the nearest form of `bits`.
pub(super) fn narrow(value: f64, bits: u32) -> f64 {
    match bits {
        64 => value,
        _ => f64::from(value as f32),
    }
}

/// Reads a component of a register of `width` bits as an operand of type `ty`: section 2.X.4.1 of NV_gpu_program5 promotes and narrows.
pub(super) fn read(lane: Lane, width: u32, ty: Type) -> Result<Num, Open> {
    let bits = match (lane, ty.base) {
        (Lane::Open, _) | (Lane::Nan, Base::S | Base::U) => return Err(Open),
        (Lane::Nan, Base::F) => return Ok(Num::F(f64::NAN)),
        (Lane::Bits(bits), _) => bits,
    };
    if !ty.is_float() {
        let held = ty.with_bits(width).wrap(i128::from(bits));
        return Ok(Num::I(ty.wrap(held)));
    }
    let value = narrow(float_of(bits, width)?, ty.bits);
    if is_denormal(value, ty.bits) {
        Err(Open)
    } else {
        Ok(Num::F(value))
    }
}

/// Bits as a memory access or a pack instruction sees them, without reading them as a number.
pub(super) fn raw(lane: Lane) -> Result<u64, Open> {
    match lane {
        Lane::Bits(bits) => Ok(bits),
        Lane::Nan | Lane::Open => Err(Open),
    }
}

/// The component that a register of `width` bits gets from a result of type `ty`.
pub(super) fn write(num: Num, ty: Type, width: u32) -> Result<Lane, Open> {
    match num {
        Num::I(value) => {
            let held = ty.with_bits(width).wrap(ty.wrap(value));
            Ok(Lane::Bits(held as u64 & mask(width)))
        }
        Num::F(value) if value.is_nan() => Ok(Lane::Nan),
        Num::F(value) => {
            let held = narrow(value, width);
            if is_denormal(value, ty.bits) || is_denormal(held, width) {
                return Err(Open);
            }
            Ok(Lane::Bits(match width {
                32 => u64::from((held as f32).to_bits()),
                _ => held.to_bits(),
            }))
        }
    }
}

/// The low `width` bits.
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_widened_and_narrowed() {
        let minus_two = Lane::Bits(0xffff_fffe);
        assert_eq!(read(minus_two, 32, S64), Ok(Num::I(-2)));
        assert_eq!(read(minus_two, 32, U64), Ok(Num::I(0xffff_fffe)));
        assert_eq!(
            read(Lane::Bits(0x1_8000_0000), 64, S32),
            Ok(Num::I(-(1 << 31)))
        );
        let third = (1.0f64 / 3.0).to_bits();
        let narrowed = f64::from(1.0f32 / 3.0);
        assert_eq!(read(Lane::Bits(third), 64, F32), Ok(Num::F(narrowed)));
        assert_eq!(read(Lane::Bits(1), 32, F32), Err(Open));
    }

    #[test]
    fn results_fit_their_registers() {
        assert_eq!(write(Num::I(-1), S32, 64), Ok(Lane::Bits(u64::MAX)));
        assert_eq!(
            write(Num::I(0xffff_ffff), U32, 64),
            Ok(Lane::Bits(0xffff_ffff))
        );
        assert_eq!(write(Num::I(-1), S64, 32), Ok(Lane::Bits(0xffff_ffff)));
        assert_eq!(write(Num::F(1e300), F64, 32), Ok(Lane::Bits(0x7f80_0000)));
        assert_eq!(write(Num::F(f64::NAN), F32, 32), Ok(Lane::Nan));
    }
}
