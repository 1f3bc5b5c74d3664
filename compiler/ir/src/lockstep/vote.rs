//! Votes: whether any invocation of the patch is still in a loop.
//!
//! An output of the patch holds the index of the last vote in which an invocation was still in the
//! loop. Votes are counted during execution, and all invocations participate in all of them.
//! The invocations in the loop write the index before a barrier, and all invocations read it after
//! the barrier. A faster invocation may already have written the index of the next iteration, which
//! is equivalent: there would be no next iteration otherwise. So only the end of the loop needs
//! another barrier, to separate the last vote from the first vote of another loop.

use super::emit::{BarrierEmitter, emit_barrier};
use crate::builder::Builder;
use crate::inst::{Dst, OperandBase, Src, Swizzle, WriteMask};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Storage};
use crate::semantic::{Output, OutputId, Semantic};
use crate::structurize::selector;
use crate::types::{BaseType, Type, Width};

/// Number of generic varyings that a patch always has: `MAX_PROGRAM_PATCH_ATTRIBS` of
/// NV_tessellation_program5, which is 30.
const PATCH_GENERICS: u8 = 30;

/// The index before the first vote: bits of 1.0, because outputs are floats to the device, which
/// may flush small integers as denormals.
const BEFORE_VOTES: u32 = 0x3f80_0000;

/// Registers of the votes.
#[derive(Clone, Copy)]
pub(super) struct Vote {
    output: OutputId,
    /// Register of the output.
    ballot_register: RegisterId,
    /// The index of the last vote.
    vote_index: RegisterId,
    /// The result of the last vote.
    result: RegisterId,
}

impl Vote {
    /// Adds the registers of votes to the program, and the per-patch output through which
    /// invocations vote, with a varying that the program does not use.
    fn new(builder: &mut Builder) -> Self {
        let semantic = Semantic::GenericPatchVarying(find_free_generic(&builder.program));
        let output = builder.program.outputs.push(Output {
            base: BaseType::UnsignedInt,
            ..Output::new(semantic)
        });
        let ballot = builder.program.registers.push(Register {
            storage: Storage::Output(output),
            width: Width::W32,
            array_len: None,
            name: None,
        });
        let [number, result] = [(); 2].map(|()| selector::push_register(builder));
        Self {
            output,
            ballot_register: ballot,
            vote_index: number,
            result,
        }
    }

    /// Emits the initialization before all votes, and before a barrier.
    pub(super) fn emit_initialization(self, builder: &mut Builder) {
        selector::emit_set_word(builder, self.vote_index, BEFORE_VOTES);
        selector::emit_set_word(builder, self.ballot_register, BEFORE_VOTES);
    }

    /// Emits a vote, which contains a barrier, that leaves the loop around the open block if no
    /// invocation is in it any longer: if `inside` is 0 in all of them.
    pub(super) fn emit_vote(self, builder: &mut Builder, inside: RegisterId) {
        let number = Src::from_register(self.vote_index);
        let one = selector::push_word_literal(builder, 1);
        selector::emit_op(builder, self.vote_index, Op::Add, &[number, one]);
        selector::emit_if(builder, selector::make_non_zero_cond(inside), |builder| {
            // In one vote all invocations write the same index, so that the order of their writes
            // is irrelevant.
            let ballot = Dst::new(self.ballot_register, WriteMask::X);
            selector::emit_mov(builder, ballot, Type::U32, number);
        });
        emit_barrier(builder);
        let last = Src {
            swizzle: Swizzle::splat(0),
            ..Src::new(OperandBase::Output(self.output))
        };
        selector::emit_op(builder, self.result, Op::SetLt, &[last, number]);
        selector::emit_if(
            builder,
            selector::make_non_zero_cond(self.result),
            |builder| {
                builder.push_node(Node::Break);
            },
        );
    }
}

impl BarrierEmitter<'_> {
    /// Returns the registers of votes, which the first call adds to the program.
    pub(super) fn get_or_create_vote(&mut self) -> Vote {
        let builder = &mut self.builder;
        *self.vote.get_or_insert_with(|| Vote::new(builder))
    }
}

/// Returns a varying that the program does not use: the highest of those that every device has, or,
/// if all of them are used, another one, which not every device has.
fn find_free_generic(program: &Program) -> u8 {
    let is_used = |number: &u8| {
        let semantic = Semantic::GenericPatchVarying(*number);
        let mut outputs = program.outputs.iter();
        outputs.any(|output| output.semantic == semantic)
    };
    let mut free = (0..PATCH_GENERICS).rev().filter(|number| !is_used(number));
    free.next().unwrap_or(PATCH_GENERICS)
}
