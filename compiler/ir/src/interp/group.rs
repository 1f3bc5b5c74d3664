//! Thread group operations, for a group of one invocation with index 0.

use super::value::{encode_bool, is_zero};
use crate::op::Op;
use crate::types::Type;

/// Returns true, as bits of the type, if the value is not zero.
pub(super) fn eval_any(ty: Type, [a]: [u64; 1]) -> u64 {
    encode_bool(ty, !is_zero(ty, a))
}

/// Returns true: a value equals itself.
pub(super) fn eval_equal(ty: Type, _: [u64; 1]) -> u64 {
    encode_bool(ty, true)
}

/// Returns the ballot: bit 0 is set if the value is not zero.
pub(super) fn eval_ballot(ty: Type, a: u64) -> u64 {
    u64::from(!is_zero(ty, a))
}

/// Returns in lane x whether the source invocation is in range, in lane y the own value. Values of
/// other invocations do not exist.
pub(super) fn eval_shuffle(op: Op, ty: Type, [value, index, mask]: [[u64; 4]; 3]) -> [u64; 4] {
    // The mask holds clamp and segmentation mask; NV_shader_thread_shuffle section 2.X.8.Z computes
    // `maxThreadId` from them. For thread 0 `minThreadId` is 0.
    let (index, limit, segments) = (index[0] & 31, mask[0] & 31, mask[0] >> 8 & 31);
    let last = limit & !segments;
    let in_range = if op == Op::ShuffleUp {
        index == 0 && last == 0
    } else if op == Op::ShuffleIndex {
        index & !segments <= last
    } else {
        index <= last
    };
    [encode_bool(ty, in_range), value[0], 0, 0]
}
