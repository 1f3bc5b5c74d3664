//! Lowers lock step to barriers: tessellation control programs whose invocations complete each
//! instruction before any invocation begins the next one
//! ([`Modes::lockstep`](crate::Modes::lockstep), NV_tessellation_program5 section 2.X.5), for
//! devices whose invocations run independently and synchronize only at barriers.
//!
//! Accesses of an invocation are visible to other invocations only in outputs of the patch,
//! so only accesses of these are ordered: a read after writes, a write after reads, and a write of
//! per-patch lanes after writes that it replaces. Such an access is preceded by a barrier, unless
//! there already is one between the two accesses. If several parts of the program have no
//! dependences on each other, one barrier before all of them suffices. Memory accesses are ordered
//! by the program itself.
//!
//! All invocations must reach every barrier. Control flow without barriers is not changed. The
//! translation of other control flow depends on whether it is uniform, with conditions that are
//! equal in all invocations (`uniformity`):
//!
//! - Uniform control flow is preserved, with barriers in it.
//! - Divergent control flow is executed by all invocations, each with a mask that is set while the
//!   invocation participates (`active_masks`). A branch or switch costs the time of all its ways,
//!   an `if` around each part between barriers, and a few mask operations for each way and for each
//!   `Break`, `Continue` and `Return`. A loop runs as often as the invocation with the most
//!   iterations, and each iteration ends with a vote whether any invocation is still in the loop: a
//!   barrier and an access of an output that only votes use (`vote`). A routine with barriers
//!   receives its mask from its callers. So the program grows at most by a constant factor,
//!   regardless of the call graph.
//!
//! The two groups of a branch run in any order relative to each other, so accesses of one group
//! never wait for the other.

mod active_masks;
mod block_summary;
mod emit;

#[cfg(test)]
mod tests;
mod uniformity;
mod vote;

use crate::program::Program;
use block_summary::ProgramSummary;
use uniformity::Uniformity;

/// Returns a program without lock step that is equivalent to the verified `program`, by barriers
/// and masks. `None` if the program needs no change: it has no lock step or one vertex, or no
/// access depends on another one.
pub fn lower(program: &Program) -> Option<Program> {
    if !program.modes.lockstep || program.modes.vertices_out == 1 {
        return None;
    }
    let facts = ProgramSummary::new(program);
    if !facts.get_routine(program, program.main).needs_barrier {
        return None;
    }
    let uniformity = Uniformity::new(program, &facts.order);
    Some(emit::emit_program(program, &facts, &uniformity))
}
