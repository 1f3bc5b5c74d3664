//! Values that the four fragments of a quad exchange: operands of derivatives and of accesses to
//! neighbors, and the operations that need them.

use super::alu;
use crate::op::Op;
use crate::types::Type;

/// A fragment of a quad.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QuadFragment {
    /// Lanes of its inputs, by [`InputId`](crate::InputId); missing inputs are 0.
    pub inputs: Vec<[u64; 4]>,
    /// True if the fragment is not covered, and exists only for the derivatives of the others.
    pub is_helper: bool,
}

/// Operands of the four fragments for the instruction that they execute next.
pub(super) struct QuadOperands {
    /// Lanes of the first source of each fragment.
    pub(super) lanes: [[u64; 4]; 4],
    /// True if all fragments execute the instruction.
    pub(super) is_complete: bool,
}

impl QuadOperands {
    /// Returns the difference between the neighbors of a fragment in x, or in y.
    pub(super) fn compute_difference(&self, fragment: usize, in_y: bool) -> [u64; 4] {
        let step = if in_y { 2 } else { 1 };
        let first = fragment & !step & 3;
        let (low, high) = (self.lanes[first], self.lanes[first | step]);
        std::array::from_fn(|lane| alu::eval_sub(Type::F32, [high[lane], low[lane]]))
    }

    /// Returns the derivatives of the first source at a fragment, in x and in y.
    pub(super) fn compute_derivatives(&self, fragment: usize) -> [[u64; 4]; 2] {
        [false, true].map(|in_y| self.compute_difference(fragment, in_y))
    }
}

/// Returns true if an operation is a derivative.
pub(super) fn is_derivative(op: Op) -> bool {
    matches!(
        op,
        Op::Ddx | Op::Ddy | Op::DdxFine | Op::DdyFine | Op::DdxCoarse | Op::DdyCoarse
    )
}

/// Returns the fragment of the quad that an operation reads in fragment `own`; `None` for operations
/// that read no other fragment.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "of all operations six access neighbors"
)]
pub(super) fn find_quad_source(op: Op, own: usize) -> Option<usize> {
    match op {
        Op::Quad0 => Some(0),
        Op::Quad1 => Some(1),
        Op::Quad2 => Some(2),
        Op::Quad3 => Some(3),
        Op::QuadX => Some(own ^ 1),
        Op::QuadY => Some(own ^ 2),
        _ => None,
    }
}
