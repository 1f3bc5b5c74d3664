//! Thread groups: subgroups of Vulkan, of which those with more than 32 invocations count as two groups.

use crate::builder::{Builder, Lane, Scalar, Val, by_base, truth_scalar};
use crate::capability::{Need, check_subgroups};
use crate::emit::Emit;
use crate::emit::cx::{InstCx, Outcome};
use crate::error::Failure;
use crate::interface::builtin::thread_row;
use glasm_ir::{Node, Op, Type};
use spirv::{Op as Spv, Scope};

/// Invocations of a thread group: its masks are words (NV_shader_thread_group section 8.3).
const GROUP: u32 = 32;

impl Emit<'_> {
    /// The invocation number in the subgroup.
    fn subgroup_id(&mut self) -> Val {
        let (_, id) = self.io().load_builtin_value(thread_row());
        self.w.val(id)
    }

    /// The invocation number in the thread group.
    fn thread_id(&mut self) -> Val {
        let id = self.subgroup_id();
        if !is_split(self.w) {
            return id;
        }
        self.w
            .binary_bits(Spv::BitwiseAnd, id, u64::from(GROUP - 1))
    }

    /// Whether the lanes of the first source are not zero, read as the type of the instruction.
    fn lanes_not_zero(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let src = self.program.source(cx.inst, 0);
        if let Some(truth) = self.source_truth(src, cx.lanes)? {
            return Ok(truth);
        }
        let a = self.source(cx.inst, 0, cx.lanes)?;
        let ops = [Spv::FUnordNotEqual, Spv::INotEqual, Spv::INotEqual];
        Ok(self.w.compare_bits(by_base(cx.inst.ty, ops), a, 0))
    }

    /// The mask of the thread group's invocations for which a scalar is true.
    fn ballot(&mut self, truth: Val) -> Result<Val, Failure> {
        // `OpGroupNonUniformBallot` gives 128 bits as four words: invocations 0 to 31 are the bits of x, the next 32 those
        // of y.
        let masks = self.subgroup_masks(truth)?;
        if !is_split(self.w) {
            return Ok(self.w.component(masks, 0));
        }
        // Of the masks of a larger subgroup, bit 5 and up of the invocation number choose that of its own group.
        let id = self.subgroup_id();
        let half = self.w.binary_bits(Spv::ShiftRightLogical, id, 5);
        let operands = [masks.id.0, half.id.0];
        let op = Spv::VectorExtractDynamic;
        Ok(self.w.op(op, Scalar::U32, 1, &operands))
    }

    /// The masks of the subgroup's invocations for which a scalar is true.
    fn subgroup_masks(&mut self, truth: Val) -> Result<Val, Failure> {
        let scope = require_subgroups(self.w, Need::GroupBallot, "ballots")?;
        let (op, operands) = (Spv::GroupNonUniformBallot, [scope, truth.id.0]);
        Ok(self.w.op(op, Scalar::U32, 4, &operands))
    }

    /// The mask of the thread group's active invocations.
    fn active(&mut self) -> Result<Val, Failure> {
        let yes = self.w.always();
        self.ballot(yes)
    }

    /// `GroupBallot`
    pub(in crate::emit) fn group_ballot(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let truth = self.lanes_not_zero(cx)?;
        self.each_lane(truth, Self::ballot)
    }

    /// `GroupBallotWide`
    pub(in crate::emit) fn group_ballot_wide(
        &mut self,
        cx: InstCx<'_>,
    ) -> Result<Outcome, Failure> {
        let truth = self.lanes_not_zero(InstCx { lanes: 1, ..cx })?;
        let masks = self.subgroup_masks(truth)?;
        let zero = Lane::scalar(self.w.uint(0));
        Ok(Outcome::Lanes([masks.lane(0), masks.lane(1), zero, zero]))
    }

    /// `GroupAllEqual`
    pub(in crate::emit) fn group_all_equal(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let scope = require_subgroups(self.w, Need::GroupVote, "votes")?;
        let value = self.source(cx.inst, 0, cx.lanes)?;
        // As integers: floats of the same bits may be NaN.
        let bits = self.w.reread(value, Scalar::U32);
        self.each_lane(bits, |emit, lane| {
            let operands = [scope, lane.id.0];
            let op = Spv::GroupNonUniformAllEqual;
            Ok(emit.w.op(op, Scalar::BoolInt, 1, &operands))
        })
    }

    /// `GroupFirst`
    pub(in crate::emit) fn group_first(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        // `OpGroupNonUniformBroadcastFirst` belongs to the capability of ballots.
        let scope = require_subgroups(self.w, Need::GroupBallot, "broadcasts")?;
        let value = self.source(cx.inst, 0, cx.lanes)?;
        let op = Spv::GroupNonUniformBroadcastFirst;
        Ok(self
            .w
            .op(op, value.scalar, value.size, &[scope, value.id.0]))
    }

    /// `GroupRead`
    pub(in crate::emit) fn group_read(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let scope = require_subgroups(self.w, Need::GroupShuffle, "shuffles")?;
        let value = self.source(cx.inst, 0, cx.lanes)?;
        let index = self.source_as(self.program.source(cx.inst, 1), Type::U32, 1)?;
        let operands = [scope, value.id.0, index.id.0];
        let op = Spv::GroupNonUniformShuffle;
        Ok(self.w.op(op, value.scalar, value.size, &operands))
    }

    /// `GroupAll`, `GroupAny`, `GroupEqual`
    pub(in crate::emit) fn group_test(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let truth = self.lanes_not_zero(cx)?;
        let op = cx.inst.op;
        let stands_for = truth_scalar(cx.inst.ty);
        self.each_lane(truth, |emit, truth| emit.vote(op, truth, stands_for))
    }

    /// Maps the components one by one.
    fn each_lane(
        &mut self,
        val: Val,
        mut map: impl FnMut(&mut Self, Val) -> Result<Val, Failure>,
    ) -> Result<Val, Failure> {
        let mut lanes = [Lane::UNDEFINED; 4];
        let mut scalar = val.scalar;
        let lanes = &mut lanes[..val.size as usize];
        for (index, lane) in lanes.iter_mut().enumerate() {
            let part = self.w.component(val, index);
            let mapped = map(self, part)?;
            (scalar, *lane) = (mapped.scalar, mapped.lane(0));
        }
        Ok(self.w.gather(lanes, scalar))
    }

    /// A test over the thread group; the result stands for numbers as `to` says.
    fn vote(&mut self, op: Op, truth: Val, to: Scalar) -> Result<Val, Failure> {
        if is_split(self.w) {
            let (mask, active) = (self.ballot(truth)?, self.active()?);
            return Ok(decide_vote(self.w, op, mask, active, to));
        }
        let scope = require_subgroups(self.w, Need::GroupVote, "votes")?;
        let operands = [scope, truth.id.0];
        let mut ask = |op| self.w.op(op, to, 1, &operands);
        if op == Op::GroupAll {
            return Ok(ask(Spv::GroupNonUniformAll));
        }
        let any = ask(Spv::GroupNonUniformAny);
        if op == Op::GroupAny {
            return Ok(any);
        }
        // NV_gpu_program5 section 2.X.8.Z, TGEQ: values are equal if all of them are zero or none is.
        let all = ask(Spv::GroupNonUniformAll);
        Ok(self.w.compare(Spv::LogicalEqual, to, all, any))
    }

    /// `ShuffleUp`, `ShuffleDown`, `ShuffleXor`, `ShuffleIndex`: NV_shader_thread_shuffle section 2.X.8.Z. Ranges include
    /// their ends, or the last invocation could never be read.
    pub(in crate::emit) fn shuffle(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let scope = require_subgroups(self.w, Need::GroupShuffle, "shuffles")?;
        let value = self.source(cx.inst, 0, 1)?;
        let [index, control] = [1, 2].map(|number| self.program.source(cx.inst, number));
        let index = self.source_as(index, Type::U32, 1)?;
        let control = self.source_as(control, Type::U32, 1)?;
        let (in_range, thread) = self.shuffled_thread(cx.inst.op, index, control);
        let source = self.in_subgroup(thread);
        let operands = [scope, value.id.0, source.id.0];
        let op = Spv::GroupNonUniformShuffle;
        let read = self.w.op(op, value.scalar, 1, &operands).lane(0);
        let predicate = convert_truth(self.w, in_range, cx.inst.ty).lane(0);
        let zero = Lane::scalar(self.w.constant(value.scalar, 0));
        Ok(Outcome::Lanes([predicate, read, zero, zero]))
    }

    /// Whether the invocation that a shuffle names is in range, and the one that it reads: that one or, out of range, its own.
    fn shuffled_thread(&mut self, op: Op, index: Val, control: Val) -> (Val, Val) {
        // Numbers of threads and ends of ranges have five bits.
        // The third operand has the clamp in bits 0 to 4 and the segmentation mask in bits 8 to 12:
        // NV_shader_thread_shuffle section 2.X.8.Z.
        let last_id = self.w.constant_like(index, u64::from(GROUP - 1));
        let index = self.w.binary(Spv::BitwiseAnd, index, last_id);
        let limit = self.w.binary(Spv::BitwiseAnd, control, last_id);
        let segment = self.w.binary_bits(Spv::ShiftRightLogical, control, 8);
        let segment = self.w.binary(Spv::BitwiseAnd, segment, last_id);
        // Bits that the segment mask leaves free are those within a segment.
        let within = fold_not(self.w, segment);
        let id = self.thread_id();
        let start = self.w.binary(Spv::BitwiseAnd, id, segment);
        let reach = self.w.binary(Spv::BitwiseAnd, limit, within);
        let end = self.w.binary(Spv::BitwiseOr, start, reach);
        let ids = [id, index, start, within];
        // Compared as signed: below thread 0 the difference is negative.
        let (source, test) = compute_shuffle_source(self.w, op, ids);
        let in_range = self.w.test(test, source, end);
        (in_range, self.w.select(in_range, source, id))
    }

    /// The number in the subgroup of an invocation of the own thread group.
    fn in_subgroup(&mut self, thread: Val) -> Val {
        if !is_split(self.w) {
            return thread;
        }
        let id = self.subgroup_id();
        let mask = u64::from(!(GROUP - 1));
        let group = self.w.binary_bits(Spv::BitwiseAnd, id, mask);
        self.w.binary(Spv::BitwiseOr, group, thread)
    }

    /// `Quad0` to `QuadY`: NV_shader_thread_group section 8.3.
    pub(in crate::emit) fn quad(&mut self, cx: InstCx<'_>) -> Result<Val, Failure> {
        let scope = require_subgroups(self.w, Need::GroupQuad, "quad operations")?;
        let [a, b] = self.two(cx)?;
        let (op, which) = quad_operation(cx.inst.op);
        let which = self.w.uint(which);
        let operands = [scope, a.id.0, which.0];
        let read = self.w.op(op, Scalar::F32, a.size, &operands);
        let sum = self.w.binary(Spv::FAdd, read, b);
        // Helper invocations fill quads that a primitive covers in part, so all of them are active as long as control flow is
        // undivided.
        if self.is_undivided() {
            return Ok(sum);
        }
        // NV_shader_thread_group section 8.3: where a fragment of the quad is inactive, all of them get 0.
        let complete = self.quad_is_active()?;
        let zero = self.w.constant_like(sum, 0);
        Ok(self.w.select(complete, sum, zero))
    }

    /// Whether all fragments of the own quad are active.
    fn quad_is_active(&mut self) -> Result<Val, Failure> {
        let active = self.active()?;
        let id = self.thread_id();
        // Invocations of a quad have four numbers in a row; the first is a multiple of four.
        let mask = u64::from(GROUP - 4);
        let first = self.w.binary_bits(Spv::BitwiseAnd, id, mask);
        let quad = self.w.binary(Spv::ShiftRightLogical, active, first);
        // A bit for each of the four.
        let all = self.w.constant_like(quad, 15);
        let quad = self.w.binary(Spv::BitwiseAnd, quad, all);
        Ok(self.w.test(Spv::IEqual, quad, all))
    }

    /// Whether control flow cannot have divided the invocations before this place.
    fn is_undivided(&self) -> bool {
        let kills = !self.w.device.demote_to_helper_invocation;
        let leaves = |node: &Node| matches!(node, Node::Return);
        let stops = |inst: &glasm_ir::Inst| kills && inst.op == Op::Demote;
        // Callers of other functions may stand in branches, and fragments that returned or were killed are missing from their quads.
        self.in_entry
            && !self.w.in_branch()
            && !self.program.nodes.iter().any(leaves)
            && !self.program.insts.iter().any(stops)
    }

    /// `Clock`
    pub(in crate::emit) fn clock(&mut self) -> Result<Outcome, Failure> {
        self.w.require(Need::SubgroupClock)?;
        let scope = self.w.uint(Scope::Subgroup as u32);
        // As two words, which needs no 64-bit integers.
        let time = self.w.op(Spv::ReadClockKHR, Scalar::U32, 2, &[scope.0]);
        let zero = Lane::scalar(self.w.uint(0));
        Ok(Outcome::Lanes([time.lane(0), time.lane(1), zero, zero]))
    }
}

/// The scope operand, if the device has subgroups here and the operations that are needed.
fn require_subgroups(w: &mut Builder, need: Need, what: &str) -> Result<u32, Failure> {
    let stage = w.stage();
    check_subgroups(&w.device, stage)
        .and_then(|()| w.require(need))
        .map_err(|error| {
            let name = stage.name();
            error.calling_it(&format!("subgroup {what} in {name} programs"))
        })?;
    w.needs.insert(Need::Group);
    Ok(w.uint(Scope::Subgroup as u32).0)
}

fn is_split(w: &Builder) -> bool {
    w.device.subgroups.size > GROUP
}

/// A test by the masks of the invocations for which something holds, and of those that are active.
fn decide_vote(w: &mut Builder, op: Op, mask: Val, active: Val, to: Scalar) -> Val {
    if op == Op::GroupAny {
        let zero = w.constant_like(mask, 0);
        return w.compare(Spv::INotEqual, to, mask, zero);
    }
    let all = w.compare(Spv::IEqual, to, mask, active);
    if op == Op::GroupAll {
        return all;
    }
    let zero = w.constant_like(mask, 0);
    let none = w.compare(Spv::IEqual, to, mask, zero);
    w.op(Spv::LogicalOr, to, 1, &[all.id.0, none.id.0])
}

/// The invocation that a shuffle reads if it is in range, and the test of that against the end of the range.
fn compute_shuffle_source(
    w: &mut Builder,
    op: Op,
    [id, index, start, within]: [Val; 4],
) -> (Val, Spv) {
    let source = if op == Op::ShuffleUp {
        return (w.binary(Spv::ISub, id, index), Spv::SGreaterThanEqual);
    } else if op == Op::ShuffleDown {
        w.binary(Spv::IAdd, id, index)
    } else if op == Op::ShuffleXor {
        w.binary(Spv::BitwiseXor, id, index)
    } else {
        let inside = w.binary(Spv::BitwiseAnd, index, within);
        w.binary(Spv::BitwiseOr, inside, start)
    };
    (source, Spv::SLessThanEqual)
}

fn fold_not(w: &mut Builder, val: Val) -> Val {
    match w.splat_bits(val) {
        Some(bits) => w.constant_like(val, !bits & 0xffff_ffff),
        None => w.unary(Spv::Not, val),
    }
}

/// A truth value as a number of type `ty`.
fn convert_truth(w: &mut Builder, truth: Val, ty: Type) -> Val {
    let yes = match ty.is_float() {
        true => w.float_val(1.0),
        false => w.uint_val(u32::MAX),
    };
    let no = w.constant_like(yes, 0);
    w.select(truth, yes, no)
}

/// The operation that reads the value of another fragment of the quad, and its last operand.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "only operations on quads come here"
)]
fn quad_operation(op: Op) -> (Spv, u32) {
    match op {
        // Directions of `OpGroupNonUniformQuadSwap`: 0 is horizontal, 1 vertical, and 2, diagonal, has no counterpart in
        // NV_shader_thread_group.
        Op::QuadX => (Spv::GroupNonUniformQuadSwap, 0),
        Op::QuadY => (Spv::GroupNonUniformQuadSwap, 1),
        Op::Quad1 => (Spv::GroupNonUniformQuadBroadcast, 1),
        Op::Quad2 => (Spv::GroupNonUniformQuadBroadcast, 2),
        Op::Quad3 => (Spv::GroupNonUniformQuadBroadcast, 3),
        _ => (Spv::GroupNonUniformQuadBroadcast, 0),
    }
}
