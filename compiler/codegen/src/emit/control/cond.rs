//! Condition codes: the last compared value of each lane, which guards and branches test.
//!
//! A lane has the type of its value while control flow is linear. At joins, the lanes of a register
//! have one type: their original type if all updates of the program agree, else a float with the
//! same sign and zero flags.

use crate::builder::{Lane, Scalar, Val, test};
use crate::emit::cx::FunctionEmitter;
use crate::error::Failure;
use crate::words::ValueWord;
use glasm_ir::inst::Guard;
use glasm_ir::{Base, Cond, CondTest, RegisterId, Src, Swizzle, Type, WriteMask};
use spirv::Op;

impl FunctionEmitter<'_> {
    /// Returns the lanes of a condition-code register and of its overflow and carry flags.
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

    /// Tests the lanes that a guard selects for the destination lanes `lanes`; returns a scalar if
    /// all test the same lane.
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
            // A pair is itself a vector: no test processes several at once.
            return Ok(test::test_pairs(
                self.w,
                guard.test,
                &values[..count],
                &flag_values,
            ));
        }
        for value in &mut values[..count] {
            // Lanes of other types, and those without a value, are converted to the common type:
            // the same sign and zero flags.
            let known = value.id().is_some() && self.w.info(value.id()).scalar == scalar;
            if !known {
                *value = Lane::scalar(test::convert_lane(self.w, *value, scalar));
            }
        }
        let value = self.w.gather(&values[..count], scalar);
        if !(self.analysis.reads_overflow && guard.test.reads_overflow()) {
            // Cached by value and test; tests that read overflow and carry depend on further
            // values.
            return Ok(test::test_cached(self.w, value, guard.test));
        }
        let flags = flag_values.map(|flag| self.w.gather(&flag[..count], Scalar::BoolInt));
        Ok(test::test_value(self.w, value, guard.test, Some(flags)))
    }

    /// Computes the condition of a branch.
    pub(super) fn test_branch_condition(&mut self, cond: Cond) -> Result<ValueWord, Failure> {
        match cond {
            Cond::Any(guard) => {
                // NV_gpu_program4 section 2.X.8.Z, IF: one component that passes suffices. The
                // swizzle may select a lane several times; each lane is tested once.
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
                // If the program has no denormals, they are treated as zero, which a comparison of
                // floats is permitted to do.
                if ty == Type::F32 && !self.program.modes.flush_denormals {
                    return Ok(self.test_float_not_zero(&src)?.id);
                }
                Ok(self.test_source_not_zero(&src, ty, 1)?.id)
            }
        }
    }

    /// Tests by its bits that a float is not zero: devices may flush denormals in comparisons.
    fn test_float_not_zero(&mut self, src: &Src) -> Result<Val, Failure> {
        if let Some(truth) = self.find_source_truth(src, 1)? {
            return Ok(truth);
        }
        // Of the magnitude only: -0.0 is zero, NaN is not.
        let bits = self.load_source_as(src, Type::U32, 1)?;
        let magnitude = self.w.binary_bits(Op::BitwiseAnd, bits, 0x7fff_ffff);
        Ok(test::test_nonzero(self.w, magnitude))
    }

    /// Tests that the lanes of a source are not zero: -0.0 is zero if `ty` is a float type.
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

    /// Returns the lanes of a source as booleans if all of them are booleans.
    pub(in crate::emit) fn find_source_truth(
        &mut self,
        src: &Src,
        lanes: u8,
    ) -> Result<Option<Val>, Failure> {
        let Base::Register(_) = src.base else {
            return Ok(None);
        };
        // A negated boolean is the number -1.0 or 1, which no boolean represents.
        if src.has_modifier() || src.index.is_some() {
            return Ok(None);
        }
        let mut from = [Lane::UNDEFINED; 4];
        let count = self.load_source_lanes(src, Scalar::U32, lanes, &mut from)?;
        let is_truth = |lane: &Lane| lane.id().is_some() && self.w.info(lane.id()).scalar.is_bool();
        if count == 0 || !from[..count].iter().all(is_truth) {
            return Ok(None);
        }
        // Gathered as one of the two representations: true is nonzero in either.
        let truth = self.w.info(from[0].id()).scalar;
        let val = self.w.gather(&from[..count], truth);
        Ok(Some(val.as_truth(Scalar::BoolInt)))
    }
}
