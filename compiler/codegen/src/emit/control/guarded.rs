//! Values computed in separate blocks: under a condition, or in one of the cases of a number.

use crate::builder::{Home, Lane, Scalar, Val, ValueBuilder};
use crate::emit::memory::array::Element;
use crate::error::{Error, Failure};
use crate::words::{LabelWord, ValueWord};
use spirv::Op as Spv;

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

/// Returns the lanes of `body` if the condition is true, else zeros. `body` runs only under the
/// condition.
pub(in crate::emit) fn run_if<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    cond: Val,
    body: impl FnOnce(&mut C) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    // The phis name the open block as the predecessor that skips `body`.
    let entry = cx.as_mut().block;
    let [label, merge] = cx.as_mut().labels();
    cx.as_mut().merge_selection(merge);
    cx.as_mut().jump_if(cond.id, label, merge);
    let arm = run_arm(cx, label, merge, body)?;
    cx.as_mut().begin_block(merge);
    let zeros = arm.lanes.map(|lane| {
        let (scalar, _) = lane?;
        Some((scalar, cx.as_mut().constant(scalar, 0)))
    });
    let skipped = Arm {
        end: entry,
        lanes: zeros,
    };
    Ok(merge_arms(cx.as_mut(), &[arm, skipped]))
}

/// Returns the lanes of `body` for a number below `count`; its argument is the number as a
/// constant.
pub(in crate::emit) fn run_by_case<C: AsMut<ValueBuilder>>(
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
    let labels: Vec<LabelWord> = (0..count.max(1)).map(|_| cx.as_mut().label()).collect();
    let merge = cx.as_mut().label();
    cx.as_mut().merge_selection(merge);
    // Numbers have been clamped below `count`, so the last case can be the mandatory default of
    // `OpSwitch`.
    let (last, rest) = labels.split_last().expect("there is at least one case");
    let mut operands = vec![number.id.0, last.0];
    for (case, label) in (0u32..).zip(rest) {
        operands.extend([case, label.0]);
    }
    cx.as_mut().body.op(Spv::Switch, &operands);
    let mut arms = Vec::with_capacity(labels.len());
    for (case, &label) in (0u32..).zip(&labels) {
        if cx.as_mut().body.0.len() > MAX_WORDS {
            return Err(Error::limit("the translation is too large"));
        }
        arms.push(run_arm(cx, label, merge, |cx| body(cx, case))?);
    }
    cx.as_mut().begin_block(merge);
    Ok(merge_arms(cx.as_mut(), &arms))
}

/// Returns the lanes of `body` for an element below `count`: directly for a constant element, else
/// in a case for each.
pub(in crate::emit) fn run_for_element<C: AsMut<ValueBuilder>>(
    cx: &mut C,
    element: Element,
    count: u32,
    mut body: impl FnMut(&mut C, u32) -> Result<[Lane; 4], Failure>,
) -> Result<[Lane; 4], Failure> {
    match element {
        Element::Constant(element) => body(cx, element.min(count.max(1) - 1)),
        Element::Dynamic(element) => {
            let element = cx.as_mut().val(element);
            run_by_case(cx, element, count, body)
        }
    }
}

/// Runs `body` in the block `label`, which branches to `merge`.
fn run_arm<C: AsMut<ValueBuilder>>(
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
            let scalar = cx.as_mut().info(lane.id()).scalar;
            (scalar, cx.as_mut().scalar(lane, scalar))
        })
    });
    // `body` may have opened further blocks; phis name the last one, which branches.
    let end = cx.as_mut().block;
    cx.as_mut().jump(merge);
    cx.as_mut().close_scope(scope);
    Ok(Arm { end, lanes })
}

/// Emits phis of the lanes of all arms in their merge block.
fn merge_arms(w: &mut ValueBuilder, arms: &[Arm]) -> [Lane; 4] {
    std::array::from_fn(|lane| {
        // All arms come from one `body`, which returns the same lanes of the same types each time.
        let Some((scalar, _)) = arms[0].lanes[lane] else {
            return Lane::UNDEFINED;
        };
        let ty = w.ty(scalar, 1);
        let value = w.value(scalar, 1, Home::Body);
        let mut operands = Vec::with_capacity(2 * arms.len());
        for arm in arms {
            let id = arm.lanes[lane].map_or(ValueWord::NONE, |(_, id)| id);
            operands.extend([id.0, arm.end.0]);
        }
        w.body.long_result(Spv::Phi, ty, value, &operands);
        Lane::scalar(value)
    })
}
