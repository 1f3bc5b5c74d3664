//! Votes: whether any invocation of the patch is still in a loop.
//!
//! An output of the patch holds the index of the last vote in which an invocation was still in the
//! loop. Votes are counted as they are executed, and all invocations participate in all of them.
//! The invocations in the loop write the index before a barrier, and all invocations read it after
//! the barrier. A faster invocation may already have written the index of the next iteration, which
//! is equivalent: there would be no next iteration otherwise. So only the end of the loop needs
//! another barrier, to separate the last vote from the first vote of another loop.

use super::emit::{Emitter, emit_barrier};
use crate::builder::Builder;
use crate::inst::{Base, Dst, Src, Swizzle, WriteMask};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Storage};
use crate::semantic::{Output, OutputId, Semantic};
use crate::structurize::code;
use crate::types::{Base as TypeBase, Type, Width};

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
    ballot: RegisterId,
    /// The index of the last vote.
    number: RegisterId,
    /// The result of the last vote.
    result: RegisterId,
}

impl Vote {
    fn new(builder: &mut Builder) -> Self {
        let semantic = Semantic::PatchGeneric(free_generic(&builder.program));
        let output = builder.program.outputs.push(Output {
            base: TypeBase::Unsigned,
            ..Output::new(semantic)
        });
        let ballot = builder.program.registers.push(Register {
            storage: Storage::Output(output),
            width: Width::W32,
            array: None,
            name: None,
        });
        let [number, result] = [(); 2].map(|()| code::new_register(builder));
        Self {
            output,
            ballot,
            number,
            result,
        }
    }

    /// Emits the initialization before all votes, and before a barrier.
    pub(super) fn begin(self, builder: &mut Builder) {
        code::emit_set(builder, self.number, BEFORE_VOTES);
        code::emit_set(builder, self.ballot, BEFORE_VOTES);
    }

    /// Emits a vote that leaves the loop around the open block if no invocation is in it any
    /// longer.
    pub(super) fn take(self, builder: &mut Builder, inside: RegisterId) {
        let number = Src::register(self.number);
        let one = code::add_word(builder, 1);
        code::emit_op(builder, self.number, Op::Add, &[number, one]);
        code::emit_if(builder, code::test_non_zero(inside), |builder| {
            // In one vote all invocations write the same index, so that the order of their writes
            // is irrelevant.
            let ballot = Dst::new(self.ballot, WriteMask::X);
            code::emit_mov(builder, ballot, Type::U32, number);
        });
        emit_barrier(builder);
        let last = Src {
            swizzle: Swizzle::splat(0),
            ..Src::new(Base::Output(self.output))
        };
        code::emit_op(builder, self.result, Op::SetLt, &[last, number]);
        code::emit_if(builder, code::test_non_zero(self.result), |builder| {
            builder.node(Node::Break);
        });
    }
}

impl Emitter<'_> {
    pub(super) fn get_vote(&mut self) -> Vote {
        let builder = &mut self.builder;
        *self.vote.get_or_insert_with(|| Vote::new(builder))
    }
}

/// Returns a varying that the program does not use: the highest of those that every device has, or,
/// if all of them are used, another one, which not every device has.
fn free_generic(program: &Program) -> u8 {
    let is_used = |number: &u8| {
        let semantic = Semantic::PatchGeneric(*number);
        let mut outputs = program.outputs.iter();
        outputs.any(|output| output.semantic == semantic)
    };
    let mut free = (0..PATCH_GENERICS).rev().filter(|number| !is_used(number));
    free.next().unwrap_or(PATCH_GENERICS)
}
