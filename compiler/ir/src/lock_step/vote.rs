//! Votes: whether some invocation of the patch is still in a loop.
//!
//! An output of the patch holds the number of the last vote in which somebody was. Votes are numbered as they are held, and all invocations
//! take part in all of them. Those in the loop write the number before a barrier, all read it behind. One that is faster may have
//! written the number of the next round by then, which says the same: there would be no next round otherwise. So only the end of the loop
//! needs another barrier, to keep the last vote apart from the first one of another loop.

use super::emit::{Emitter, barrier};
use crate::builder::Builder;
use crate::inst::{Base, Dst, Src, Swizzle, WriteMask};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Storage};
use crate::semantic::{Output, OutputId, Semantic};
use crate::structurize::code;
use crate::types::{Base as TypeBase, Type, Width};

/// Generic varyings that a patch has everywhere: `MAX_PROGRAM_PATCH_ATTRIBS` of NV_tessellation_program5, which is 30.
const PATCH_GENERICS: u8 = 30;

/// The number before that of the first vote: bits of 1.0, because outputs are floats to the device and it may take small numbers for denormals.
const BEFORE_VOTES: u32 = 0x3f80_0000;

/// What votes are held with.
#[derive(Clone, Copy)]
pub(super) struct Vote {
    output: OutputId,
    /// Writes the output.
    ballot: RegisterId,
    /// The number of the last vote.
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

    /// What comes before all votes, and before a barrier.
    pub(super) fn begin(self, builder: &mut Builder) {
        code::set(builder, self.number, BEFORE_VOTES);
        code::set(builder, self.ballot, BEFORE_VOTES);
    }

    /// Leaves the loop around the open block if no invocation is in it any more.
    pub(super) fn take(self, builder: &mut Builder, inside: RegisterId) {
        let number = Src::register(self.number);
        let one = code::word(builder, 1);
        code::put(builder, self.number, Op::Add, &[number, one]);
        code::when(builder, code::non_zero(inside), |builder| {
            // In one vote all write the same number, so that the order of their writes does not matter.
            let ballot = Dst::new(self.ballot, WriteMask::X);
            code::mov(builder, ballot, Type::U32, number);
        });
        barrier(builder);
        let last = Src {
            swizzle: Swizzle::splat(0),
            ..Src::new(Base::Output(self.output))
        };
        code::put(builder, self.result, Op::SetLt, &[last, number]);
        code::when(builder, code::non_zero(self.result), |builder| {
            builder.node(Node::Break);
        });
    }
}

impl Emitter<'_> {
    pub(super) fn vote(&mut self) -> Vote {
        let builder = &mut self.builder;
        *self.vote.get_or_insert_with(|| Vote::new(builder))
    }
}

/// A varying that the program does not use, the highest of those that every device has. If none of them is free it is another one, which not
/// every device has.
fn free_generic(program: &Program) -> u8 {
    let is_used = |number: &u8| {
        let semantic = Semantic::PatchGeneric(*number);
        let mut outputs = program.outputs.iter();
        outputs.any(|output| output.semantic == semantic)
    };
    let mut free = (0..PATCH_GENERICS).rev().filter(|number| !is_used(number));
    free.next().unwrap_or(PATCH_GENERICS)
}
