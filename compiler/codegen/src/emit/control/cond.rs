//! Condition codes: the last compared value per lane, tested when a guard or branch asks.
//!
//! A lane keeps the value in its own type as long as control flow is straight. Where edges meet,
//! the lanes of a register travel in one type: their own if all updates of the program agree, else
//! a float with the same sign and zero flags.

use crate::builder::{Lane, Scalar, Val, test};
use crate::emit::cx::FunctionEmitter;
use crate::error::Failure;
use crate::words::ValueWord;
use glasm_ir::inst::Guard;
use glasm_ir::{Base, Cond, CondTest, RegisterId, Src, Swizzle, Type, WriteMask};
use spirv::Op;

impl FunctionEmitter<'_> {
    /// The lanes of a condition-code register and those of its overflow and carry flags.
    pub(in crate::emit) fn read_codes(&mut self, cc: RegisterId) -> ([Lane; 4], [[Lane; 4]; 2]) {
        let Some(slot) = self.analysis.slot(self.program, cc, None) else {
            return self.memory().load_codes(cc);
        };
        let flags = if self.analysis.reads_overflow {
            [*self.lanes.slot(slot + 1), *self.lanes.slot(slot + 2)]
        } else {
            [[Lane::UNDEFINED; 4]; 2]
        };
        (*self.lanes.slot(slot), flags)
    }

    /// Tests whether the lanes that a guard tests for the destination lanes `lanes` pass; a scalar
    /// if all test the same.
    pub(in crate::emit) fn test_lanes(&mut self, guard: Guard, lanes: u8) -> Result<Val, Failure> {
        if guard.test == CondTest::True {
            return Ok(self.w.always());
        } else if guard.test == CondTest::False {
            return Ok(self.w.never());
        }
        let (codes, flags) = self.read_codes(guard.cc);
        let mut values = [Lane::UNDEFINED; 4];
        let mut flag_values = [[Lane::UNDEFINED; 4]; 2];
        let mut count = 0;
        for lane in WriteMask(lanes).lanes() {
            let tested = guard.swizzle.lane(lane);
            values[count] = codes[tested];
            flag_values[0][count] = flags[0][tested];
            flag_values[1][count] = flags[1][tested];
            count += 1;
        }
        let scalar = test::find_common_scalar(self.w, &values[..count]);
        if scalar == Scalar::Pair {
            // A pair is a vector itself: no test takes several at once.
            return Ok(test::test_pairs(
                self.w,
                guard.test,
                &values[..count],
                &flag_values,
            ));
        }
        for value in &mut values[..count] {
            // Lanes of other types, and those without a value, take the common form: the same sign
            // and zero flags.
            let known = value.id().is_some() && self.w.info(value.id()).scalar == scalar;
            if !known {
                *value = Lane::scalar(test::convert_lane(self.w, *value, scalar));
            }
        }
        let value = self.w.gather(&values[..count], scalar);
        if !(self.analysis.reads_overflow && guard.test.reads_overflow()) {
            // Remembered by value and test; tests that read overflow and carry depend on more.
            return Ok(test::test_cached(self.w, value, guard.test));
        }
        let flags = flag_values.map(|flag| self.w.gather(&flag[..count], Scalar::BoolInt));
        Ok(test::test_value(self.w, value, guard.test, Some(flags)))
    }

    /// Computes the condition of a branch.
    pub(super) fn test_branch_condition(&mut self, cond: Cond) -> Result<ValueWord, Failure> {
        match cond {
            Cond::Any(guard) => {
                // NV_gpu_program4 section 2.X.8.Z, IF: one component that passes is enough. The
                // swizzle may name a lane several times; each is tested once.
                let tested = guard.swizzle.source_lanes(15);
                let guard = Guard {
                    swizzle: Swizzle::XYZW,
                    ..guard
                };
                let passes = self.test_lanes(guard, tested)?;
                if passes.size == 1 {
                    return Ok(passes.id);
                }
                if let Some(parts) = self.w.constant_parts(passes) {
                    let any = parts[..passes.size as usize].iter().any(|&part| part != 0);
                    return Ok(self.w.constant(Scalar::BoolInt, u64::from(any)));
                }
                Ok(self.w.op(Op::Any, Scalar::BoolInt, 1, &[passes.id.0]).id)
            }
            Cond::NonZero(register, lane, ty) => {
                let src = Src::register(register).swizzled(Swizzle::splat(lane & 3));
                // Where the program has no denormals they count as zeros, which a comparison of
                // floats is free to do.
                if ty == Type::F32 && !self.program.modes.flush_denormals {
                    return Ok(self.test_float_not_zero(&src)?.id);
                }
                Ok(self.test_source_not_zero(&src, ty, 1)?.id)
            }
        }
    }

    /// Tests whether a float is neither zero, by its bits: devices may take denormals for zeros
    /// where they compare.
    fn test_float_not_zero(&mut self, src: &Src) -> Result<Val, Failure> {
        if let Some(truth) = self.find_source_truth(src, 1)? {
            return Ok(truth);
        }
        // Of the magnitude only: -0.0 is zero, NaN is not.
        let bits = self.load_source_as(src, Type::U32, 1)?;
        let magnitude = self.w.binary_bits(Op::BitwiseAnd, bits, 0x7fff_ffff);
        Ok(test::test_nonzero(self.w, magnitude))
    }

    /// Tests whether the lanes of a source are not zero: -0.0 is zero if `ty` is a float type.
    fn test_source_not_zero(&mut self, src: &Src, ty: Type, lanes: u8) -> Result<Val, Failure> {
        if let Some(truth) = self.find_source_truth(src, lanes)? {
            return Ok(truth);
        }
        let value = self.load_source_as(src, ty, lanes)?;
        Ok(match value.scalar {
            Scalar::F32 | Scalar::F64 => self.w.compare_bits(Op::FUnordNotEqual, value, 0),
            Scalar::BoolFloat
            | Scalar::BoolInt
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::S32
            | Scalar::U64
            | Scalar::Pair => test::test_nonzero(self.w, value),
        })
    }

    /// Finds the lanes of a source as booleans if all of them are truth values.
    pub(in crate::emit) fn find_source_truth(
        &mut self,
        src: &Src,
        lanes: u8,
    ) -> Result<Option<Val>, Failure> {
        let Base::Register(_) = src.base else {
            return Ok(None);
        };
        // A negated truth value is the number -1.0 or 1, which no boolean stands for.
        if src.has_modifier() || src.index.is_some() {
            return Ok(None);
        }
        let mut from = [Lane::UNDEFINED; 4];
        let count = self.load_source_lanes(src, Scalar::U32, lanes, &mut from)?;
        let is_truth = |lane: &Lane| lane.id().is_some() && self.w.info(lane.id()).scalar.is_bool();
        if count == 0 || !from[..count].iter().all(is_truth) {
            return Ok(None);
        }
        // Gathered as one of the two kinds: true is not zero in either.
        let truth = self.w.info(from[0].id()).scalar;
        let val = self.w.gather(&from[..count], truth);
        Ok(Some(val.as_truth(Scalar::BoolInt)))
    }
}
