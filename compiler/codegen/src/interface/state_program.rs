//! Reflection of named parameters and of state programs.

use crate::reflect::{BufferBinding, NamedParameter, StateProgram};
use glasm_ir::arena::Id;
use glasm_ir::resource::{MemSpace, STATE_BYTES};
use glasm_ir::{Aux, Base, BufferId, BufferKind, Inst, Op, Program};
use std::collections::BTreeSet;

/// Returns the named parameters of a program.
pub(super) fn named_parameters(program: &Program) -> Vec<NamedParameter> {
    let all = program.named_params.iter();
    all.map(|named| NamedParameter {
        name: program.names.get(named.name).to_owned(),
        initial: named.initial,
    })
    .collect()
}

/// Returns the program parameters that a state program writes, and their binding; `None` if the
/// program is not a state program.
pub(super) fn state_program(program: &Program, bindings: &[BufferBinding]) -> Option<StateProgram> {
    let bound = bindings.iter();
    let bound = bound.clone().find(|it| it.kind == BufferKind::State)?;
    let id = program
        .buffers
        .iter()
        .position(|it| it.kind == BufferKind::State)?;
    let mut written = BTreeSet::new();
    for inst in program.insts.iter().filter(|inst| inst.op == Op::Store) {
        written.extend(stored_vectors(program, inst, BufferId::new(id)));
    }
    Some(StateProgram {
        slot: bound.slot,
        written: written.into_iter().collect(),
    })
}

/// Returns the range of vectors of a buffer that a store may change.
fn stored_vectors(program: &Program, inst: &Inst, buffer: BufferId) -> std::ops::Range<u32> {
    let Aux::Mem(access) = inst.aux else {
        return 0..0;
    };
    let access = program.mem_accesses[access];
    if access.space != MemSpace::Buffer(buffer) {
        return 0..0;
    }
    let address = program.source(inst, 1);
    let start = match address.base {
        Base::Literal(id) => program.literals[id][address.swizzle.lane(0)] as u32,
        // The offset is unknown: any parameter.
        Base::Register(_) | Base::Param(_) | Base::Input(_) | Base::Output(_) => {
            return 0..STATE_BYTES / 16;
        }
    };
    let vector = start.wrapping_add_signed(access.offset) / 16;
    let end = vector.saturating_add(1);
    vector.min(STATE_BYTES / 16)..end.min(STATE_BYTES / 16)
}
