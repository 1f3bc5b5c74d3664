//! Condition codes: the last compared value of each lane, which guards and branches test.
//!
//! A lane has the type of its value while control flow is linear. At joins, the lanes of a register
//! have one type: their original type if all updates of the program agree, else a float with the
//! same sign and zero flags.
//!
//! The module also emits values computed in separate blocks: under a condition, or in one of the
//! cases of a number.

use crate::builder::{Lane, Scalar, Val, ValueBuilder, ValueOrigin, condition_code};
use crate::emit::context::FunctionEmitter;
use crate::emit::memory::memory_registers::Element;
use crate::error::{Error, Failure};
use crate::spirv_writer::{LabelWord, ValueWord};
use glasm_ir::inst::Guard;
use glasm_ir::{Cond, CondTest, OperandBase, RegisterId, Src, Swizzle, Type, WriteMask};
use spirv::{Op, Op as Spv};

impl FunctionEmitter<'_> {
    /// Returns the lanes of a condition-code register and of its overflow and carry flags, which
    /// are undefined if the program never reads them. Emits loads if the register is in memory.
    pub(in crate::emit) fn load_cond_codes(
        &mut self,
        cc: RegisterId,
    ) -> ([Lane; 4], [[Lane; 4]; 2]) {
        let Some(slot) = self.analysis.find_slot(self.program, cc, None) else {
            return self.memory().load_codes(cc);
        };
        let flags = if self.analysis.reads_overflow {
            [
                *self.lanes.get_slot(slot + 1),
                *self.lanes.get_slot(slot + 2),
            ]
        } else {
            [[Lane::UNDEFINED; 4]; 2]
        };
        (*self.lanes.get_slot(slot), flags)
    }

    /// Tests the lanes that a guard selects for the destination lanes `lanes`. Returns consecutive
    /// booleans, or a scalar if all are equal.
    pub(in crate::emit) fn test_guard_lanes(
        &mut self,
        guard: Guard,
        lanes: u8,
    ) -> Result<Val, Failure> {
        if guard.test == CondTest::True {
            return Ok(self.builder.constant_true());
        } else if guard.test == CondTest::False {
            return Ok(self.builder.constant_false());
        }
        let (codes, flags) = self.load_cond_codes(guard.cc);
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
        let scalar = condition_code::find_common_scalar(self.builder, &values[..count]);
        if scalar == Scalar::Pair {
            // A pair is itself a vector: no test processes several at once.
            return Ok(condition_code::test_pairs(
                self.builder,
                guard.test,
                &values[..count],
                &flag_values,
            ));
        }
        for value in &mut values[..count] {
            // Lanes of other types, and those without a value, are converted to the common type:
            // the same sign and zero flags.
            let known =
                value.id().is_some() && self.builder.value_info(value.id()).scalar == scalar;
            if !known {
                *value = Lane::scalar(condition_code::convert_code_lane(
                    self.builder,
                    *value,
                    scalar,
                ));
            }
        }
        let value = self.builder.gather(&values[..count], scalar);
        if !(self.analysis.reads_overflow && guard.test.is_reading_overflow()) {
            // Cached by value and test; tests that read overflow and carry depend on further
            // values.
            return Ok(condition_code::test_cached(self.builder, value, guard.test));
        }
        let flags = flag_values.map(|flag| self.builder.gather(&flag[..count], Scalar::BoolInt));
        Ok(condition_code::test_value(
            self.builder,
            value,
            guard.test,
            Some(flags),
        ))
    }

    /// Emits a branch condition as one boolean: that any tested component passes, or that a lane of
    /// a register is not zero.
    pub(super) fn test_branch_condition(&mut self, cond: Cond) -> Result<ValueWord, Failure> {
        match cond {
            Cond::Any(guard) => {
                // NV_gpu_program4 section 2.X.8.Z, IF: one component that passes suffices. The
                // swizzle may select a lane several times; each lane is tested once.
                let tested = guard.swizzle.find_source_lanes(15);
                let guard = Guard {
                    swizzle: Swizzle::XYZW,
                    ..guard
                };
                let passes = self.test_guard_lanes(guard, tested)?;
                if passes.size == 1 {
                    return Ok(passes.id);
                }
                if let Some(parts) = self.builder.constant_parts(passes) {
                    let any = parts[..passes.size as usize].iter().any(|&part| part != 0);
                    return Ok(self.builder.constant(Scalar::BoolInt, u64::from(any)));
                }
                Ok(self
                    .builder
                    .emit_op(Op::Any, Scalar::BoolInt, 1, &[passes.id.0])
                    .id)
            }
            Cond::NonZero(register, lane, ty) => {
                let src = Src::from_register(register).swizzled(Swizzle::splat(lane & 3));
                // If the program has no denormals, they are treated as zero, which a comparison of
                // floats is permitted to do.
                if ty == Type::F32 && !self.program.modes.flush_denormals {
                    return Ok(self.test_float_not_zero(&src)?.id);
                }
                Ok(self.test_source_not_zero(&src, ty, 1)?.id)
            }
        }
    }

    /// Tests by its bits that lane x of a float source is not zero: devices may flush denormals in
    /// comparisons. -0.0 is zero, NaN is not.
    fn test_float_not_zero(&mut self, src: &Src) -> Result<Val, Failure> {
        if let Some(truth) = self.find_bool_source(src, 1)? {
            return Ok(truth);
        }
        // Of the magnitude only: -0.0 is zero, NaN is not.
        let bits = self.load_source_as(src, Type::U32, 1)?;
        let magnitude = self
            .builder
            .emit_binary_bits(Op::BitwiseAnd, bits, 0x7fff_ffff);
        Ok(condition_code::test_nonzero(self.builder, magnitude))
    }

    /// Tests that the lanes of a source are not zero: -0.0 is zero if `ty` is a float type. The
    /// result has a component for each of `lanes`.
    fn test_source_not_zero(&mut self, src: &Src, ty: Type, lanes: u8) -> Result<Val, Failure> {
        if let Some(truth) = self.find_bool_source(src, lanes)? {
            return Ok(truth);
        }
        let value = self.load_source_as(src, ty, lanes)?;
        Ok(match value.scalar {
            Scalar::F32 | Scalar::F64 => {
                self.builder.emit_compare_bits(Op::FUnordNotEqual, value, 0)
            }
            Scalar::BoolFloat
            | Scalar::BoolInt
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::S32
            | Scalar::U64
            | Scalar::Pair => condition_code::test_nonzero(self.builder, value),
        })
    }

    /// Returns the lanes of a source as booleans if all of them are booleans in a register; returns
    /// `None` otherwise, for sources with modifiers or an index, and if `lanes` is empty.
    pub(in crate::emit) fn find_bool_source(
        &mut self,
        src: &Src,
        lanes: u8,
    ) -> Result<Option<Val>, Failure> {
        let OperandBase::Register(_) = src.base else {
            return Ok(None);
        };
        // A negated boolean is the number -1.0 or 1, which no boolean represents.
        if src.has_modifier() || src.index.is_some() {
            return Ok(None);
        }
        let mut from = [Lane::UNDEFINED; 4];
        let count = self.load_source_lanes(src, Scalar::U32, lanes, &mut from)?;
        let is_truth = |lane: &Lane| {
            lane.id().is_some() && self.builder.value_info(lane.id()).scalar.is_bool()
        };
        if count == 0 || !from[..count].iter().all(is_truth) {
            return Ok(None);
        }
        // Gathered as one of the two representations: true is nonzero in either.
        let truth = self.builder.value_info(from[0].id()).scalar;
        let val = self.builder.gather(&from[..count], truth);
        Ok(Some(val.as_bool(Scalar::BoolInt)))
    }
}

/// Maximum size of a function to which cases are added, because each access to an array of
/// resources multiplies its code: memory must remain bounded.
// 256 MiB of words.
const MAX_WORDS: usize = 1 << 26;

/// Maximum number of values of all cases of a switch: limit of pairs of a literal and a label in
/// SPIR-V (universal limits).
pub(super) const MAX_CASE_VALUES: usize = 16_383;

/// End of a block and the values that it computes.
#[derive(Clone, Copy)]
struct Arm {
    end: LabelWord,
    lanes: [Option<(Scalar, ValueWord)>; 4],
}

/// Emits `body` in a branch that runs if the condition is true, and returns its lanes, or zeros if
/// it is false. Lanes that `body` leaves undefined are undefined.
pub(in crate::emit) fn emit_guarded<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    cond: Val,
    body: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    // The phis name the open block as the predecessor that skips `body`.
    let entry = cx.as_mut().block;
    let [label, merge] = cx.as_mut().new_labels();
    cx.as_mut().emit_selection_merge(merge);
    cx.as_mut().emit_branch_conditional(cond.id, label, merge);
    let arm = emit_arm_block(cx, label, merge, body)?;
    cx.as_mut().begin_block(merge);
    let zeros = arm.lanes.map(|lane| {
        let (scalar, _) = lane?;
        Some((scalar, cx.as_mut().constant(scalar, 0)))
    });
    let skipped = Arm {
        end: entry,
        lanes: zeros,
    };
    Ok(emit_arm_phis(cx.as_mut(), &[arm, skipped]))
}

/// Emits a switch with a case for each number below `count`, and returns the lanes of the executed
/// case. `body` emits a case; its argument is the number as a constant. `number` must be less than
/// `count`. Returns an error if there are too many cases or the module grows too large.
pub(in crate::emit) fn emit_cases<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    number: Val,
    count: u32,
    mut body: impl FnMut(&mut C, u32) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    // All but the last case have a value. The caller specifies the lengths of the arrays that
    // handles index.
    if count.saturating_sub(1) as usize > MAX_CASE_VALUES {
        let message = format!("an access has {count} resources to choose from");
        return Err(Error::limit(message));
    }
    let labels: Vec<LabelWord> = (0..count.max(1)).map(|_| cx.as_mut().new_label()).collect();
    let merge = cx.as_mut().new_label();
    cx.as_mut().emit_selection_merge(merge);
    // Numbers have been clamped below `count`, so the last case can be the mandatory default of
    // `OpSwitch`.
    let (last, others) = labels.split_last().expect("there is at least one case");
    let mut operands = vec![number.id.0, last.0];
    for (case, label) in (0u32..).zip(others) {
        operands.extend([case, label.0]);
    }
    cx.as_mut().body.push_inst(Spv::Switch, &operands);
    let mut arms = Vec::with_capacity(labels.len());
    for (case, &label) in (0u32..).zip(&labels) {
        if cx.as_mut().body.0.len() > MAX_WORDS {
            return Err(Error::limit("the translation is too large"));
        }
        arms.push(emit_arm_block(cx, label, merge, |cx| body(cx, case))?);
    }
    cx.as_mut().begin_block(merge);
    Ok(emit_arm_phis(cx.as_mut(), &arms))
}

/// Returns the lanes of `body` for an element below `count`: directly for a constant element, else
/// in a case for each. A constant element is clamped to the last one; a dynamic one must be less
/// than `count`.
pub(in crate::emit) fn emit_for_element<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    element: Element,
    count: u32,
    mut body: impl FnMut(&mut C, u32) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    match element {
        Element::Constant(element) => body(cx, element.min(count.max(1) - 1)),
        Element::Dynamic(element) => {
            let element = cx.as_mut().val(element);
            emit_cases(cx, element, count, body)
        }
    }
}

/// Emits the block `label` with `body`, which ends with a branch to `merge`. Values computed in it
/// are unavailable afterwards. Returns the last block and its lanes as scalars.
fn emit_arm_block<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    label: LabelWord,
    merge: LabelWord,
    body: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<Arm, Failure> {
    // Values derived in the block are unavailable in other cases.
    let scope = cx.as_mut().open_scope();
    cx.as_mut().begin_block(label);
    let lanes = body(cx)?.map(|lane| {
        lane.id().is_some().then(|| {
            let scalar = cx.as_mut().value_info(lane.id()).scalar;
            (scalar, cx.as_mut().read_lane(lane, scalar))
        })
    });
    // `body` may have opened further blocks; phis name the last one, which branches.
    let end = cx.as_mut().block;
    cx.as_mut().emit_branch(merge);
    cx.as_mut().close_scope(scope);
    Ok(Arm { end, lanes })
}

/// Emits phis that merge the lanes of all arms in their merge block, which is open. Lanes that the
/// first arm leaves undefined are undefined.
fn emit_arm_phis(builder: &mut ValueBuilder, arms: &[Arm]) -> [Lane; 4] {
    std::array::from_fn(|lane| {
        // All arms come from one `body`, which returns the same lanes of the same types each time.
        let Some((scalar, _)) = arms[0].lanes[lane] else {
            return Lane::UNDEFINED;
        };
        let ty = builder.get_type(scalar, 1);
        let value = builder.new_value(scalar, 1, ValueOrigin::Body);
        let mut operands = Vec::with_capacity(2 * arms.len());
        for arm in arms {
            let id = arm.lanes[lane].map_or(ValueWord::NONE, |(_, id)| id);
            operands.extend([id.0, arm.end.0]);
        }
        builder
            .body
            .push_variadic_result_inst(Spv::Phi, ty, value, &operands);
        Lane::scalar(value)
    })
}
