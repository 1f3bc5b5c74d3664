//! Values computed in blocks of their own: under a condition, or in one of the cases of a number.

use crate::builder::{Builder, Home, Lane, Scalar, Val};
use crate::emit::Emit;
use crate::emit::memory::array::Element;
use crate::error::{Error, Failure};
use crate::words::{LabelWord, ValueWord};
use spirv::Op as Spv;

/// A longer function gets no more cases, because each access to an array of resources multiplies its code: memory must stay
/// bounded.
// 256 MiB of words.
const MAX_WORDS: usize = 1 << 26;

/// Values of all cases of a switch: SPIR-V has room for so many pairs of a literal and a label (universal limits).
pub(super) const MAX_CASE_VALUES: usize = 16_383;

/// The end of a block and the values that it gives.
#[derive(Clone, Copy)]
struct Arm {
    end: LabelWord,
    lanes: [Option<(Scalar, ValueWord)>; 4],
}

impl Emit<'_> {
    /// The lanes that `body` gives if the condition holds, else zeros. `body` runs only under the condition.
    pub(in crate::emit) fn lanes_if(
        &mut self,
        cond: Val,
        body: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        // The phis name the open block as the one that skips `body`.
        let entry = self.w.block;
        let [label, merge] = self.w.labels();
        self.w.merge_selection(merge);
        self.w.jump_if(cond.id, label, merge);
        let arm = self.run_arm(label, merge, body)?;
        self.w.begin_block(merge);
        let zeros = arm.lanes.map(|lane| {
            let (scalar, _) = lane?;
            Some((scalar, self.w.constant(scalar, 0)))
        });
        let skipped = Arm {
            end: entry,
            lanes: zeros,
        };
        Ok(merge_arms(self.w, &[arm, skipped]))
    }

    /// The lanes that `body` gives for a number below `count`; it is told the number as a constant.
    pub(in crate::emit) fn lanes_by_case(
        &mut self,
        number: Val,
        count: u32,
        mut body: impl FnMut(&mut Self, u32) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        // All but the last case have a value. How long the arrays are that handles index is up to the caller.
        if count.saturating_sub(1) as usize > MAX_CASE_VALUES {
            let message = format!("an access has {count} resources to choose from");
            return Err(Error::limit(message));
        }
        let labels: Vec<LabelWord> = (0..count.max(1)).map(|_| self.w.label()).collect();
        let merge = self.w.label();
        self.w.merge_selection(merge);
        // Numbers have been clamped below `count`, so the last case can be the default that `OpSwitch` must have.
        let (last, rest) = labels.split_last().expect("there is at least one case");
        let mut operands = vec![number.id.0, last.0];
        for (case, label) in (0u32..).zip(rest) {
            operands.extend([case, label.0]);
        }
        self.w.body.op(Spv::Switch, &operands);
        let mut arms = Vec::with_capacity(labels.len());
        for (case, &label) in (0u32..).zip(&labels) {
            if self.w.body.0.len() > MAX_WORDS {
                return Err(Error::limit("the translation is too large"));
            }
            arms.push(self.run_arm(label, merge, |emit| body(emit, case))?);
        }
        self.w.begin_block(merge);
        Ok(merge_arms(self.w, &arms))
    }

    /// The lanes that `body` gives for an element below `count`: at once if that is known, else in a case for each.
    pub(in crate::emit) fn lanes_of_element(
        &mut self,
        element: Element,
        count: u32,
        mut body: impl FnMut(&mut Self, u32) -> Result<[Lane; 4], Failure>,
    ) -> Result<[Lane; 4], Failure> {
        match element {
            Element::Constant(element) => body(self, element.min(count.max(1) - 1)),
            Element::Dynamic(element) => {
                let element = self.w.val(element);
                self.lanes_by_case(element, count, body)
            }
        }
    }

    /// Runs `body` in the block `label`, which goes on to `merge`.
    fn run_arm(
        &mut self,
        label: LabelWord,
        merge: LabelWord,
        body: impl FnOnce(&mut Self) -> Result<[Lane; 4], Failure>,
    ) -> Result<Arm, Failure> {
        // Values derived in the block are known in no other case.
        let scope = self.w.open_scope();
        self.w.begin_block(label);
        let lanes = body(self)?.map(|lane| {
            lane.id().is_some().then(|| {
                let scalar = self.w.info(lane.id()).scalar;
                (scalar, self.w.scalar(lane, scalar))
            })
        });
        // `body` may have opened further blocks; phis name the one that branches.
        let end = self.w.block;
        self.w.jump(merge);
        self.w.close_scope(scope);
        Ok(Arm { end, lanes })
    }
}

/// Phis of the lanes that all arms give, in the block where they meet.
fn merge_arms(w: &mut Builder, arms: &[Arm]) -> [Lane; 4] {
    std::array::from_fn(|lane| {
        // All arms come from one `body`, which gives the same lanes of the same types each time.
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
