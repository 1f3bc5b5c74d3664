//! Lock step: tessellation control programs whose invocations end each instruction before any begins the next
//! ([`Modes::lock_step`](crate::Modes::lock_step), NV_tessellation_program5 section 2.X.5), for devices where they run on their own and meet
//! at barriers only.
//!
//! What one invocation does another one sees in outputs of the patch alone, so only these need order: a read behind writes, a write
//! behind reads, and a write of what the patch has once behind writes that it replaces. A barrier goes in front of such an access, if none has
//! stood between the two already. Where several parts of the program have nothing to wait for in each other, one barrier in front of all
//! of them does. Memory has the order that the program gives it itself.
//!
//! Every invocation has to come by every barrier. Flow control in which none stands is left as it is. The rest depends on whether the
//! invocations go through it together, by conditions that are the same in all of them (`uniform`):
//!
//! - If they do, it stays what it is, with barriers in it.
//! - If they do not, all of them go through all of it, each with a mask that says whether it takes part (`masks`). A branch or switch costs
//!   the time of all of its ways, an `if` around each piece between barriers, and a few operations on masks for each way and for each `Break`,
//!   `Continue` and `Return`. A loop runs as often as the invocation with the most rounds, and each round ends with a vote whether anybody
//!   is left: a barrier and an access of an output that only votes use (`vote`). A routine with barriers gets its mask from its callers. So
//!   the program grows by a factor at most, whatever calls whatever.
//!
//! Both groups of a branch run in any order to each other, so nothing waits for what the other group does.

mod effects;
mod emit;
mod facts;
mod masks;
mod state;
#[cfg(test)]
mod tests;
mod uniform;
mod vote;

use crate::program::Program;
use facts::Facts;
use uniform::Uniformity;

/// A program without lock step that does what `program`, which is verified, does in it. `None` if it does so by itself: it has no lock step, or
/// no invocation waits for another one.
pub fn lower(program: &Program) -> Option<Program> {
    if !program.modes.lock_step || program.modes.vertices_out == 1 {
        return None;
    }
    let facts = Facts::new(program);
    if !facts.routine(program, program.main).needs_barrier {
        return None;
    }
    let uniformity = Uniformity::new(program, &facts.order);
    Some(emit::emit(program, &facts, &uniformity))
}
