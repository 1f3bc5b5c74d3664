//! Atomic operations by type. NV_gpu_program5 section 2.X.8.Z, table X.Y of ATOM, those of ATOMS in
//! NV_compute_program5 and of ATOMB in NV_shader_storage_buffer_object, and the additions of
//! NV_shader_atomic_float, NV_shader_atomic_float64, NV_shader_atomic_int64 and
//! NV_shader_atomic_fp16_vector.

use crate::lang::options::Features;
use glasm_ir::resource::AtomicOp::{
    self, Add, And, CompareExchange, DecWrap, Exchange, IncWrap, Max, Min, Or, Xor,
};
use glasm_ir::types::Type::{self, F16, F32, F64, S32, S64, U32, U64};

/// The memory that an operation works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Memory that variables of the program denote, shared memory and storage buffers; in an entry:
    /// only that.
    Declared,
    /// Any other memory; in an entry: every memory.
    Any,
}

/// An entry: types, their operations, features that options must have enabled, and memory.
type Row = (&'static [Type], &'static [AtomicOp], Features, Memory);

const NONE: Features = Features::empty();
/// All except the wrapping ones, which only unsigned integers of 32 bits have.
const USUAL: &[AtomicOp] = &[Add, Min, Max, And, Or, Xor, Exchange, CompareExchange];

static ATOMICS: &[Row] = &[
    // Table X.Y of NV_gpu_program5: ATOM. That of ATOMIM has no types of 64 bits, which
    // `check::instructions::types` ensures.
    (&[U32, S32], USUAL, NONE, Memory::Any),
    (&[U32], &[IncWrap, DecWrap], NONE, Memory::Any),
    // Signed integers of 64 bits have no atomics without the option below.
    (&[U64], &[Add, Exchange, CompareExchange], NONE, Memory::Any),
    (&[U64, S64], USUAL, Features::ATOMIC_INT64, Memory::Any),
    // ATOMS and ATOMB have F32 in their tables: NV_compute_program5 and
    // NV_shader_storage_buffer_object section 2.X.8.Z.
    (&[F32], &[Add, Exchange], NONE, Memory::Declared),
    (
        &[F32],
        &[Add, Exchange],
        Features::ATOMIC_FLOAT,
        Memory::Any,
    ),
    (
        &[F64],
        &[Add, Exchange],
        Features::ATOMIC_FLOAT64,
        Memory::Any,
    ),
    (
        // The vectors F16X2 and F16X4; an entry lists the type of a component.
        &[F16],
        &[Add, Min, Max, Exchange],
        Features::ATOMIC_FP16_VECTOR,
        Memory::Any,
    ),
];

/// Returns true if an operation is defined for a type under these options.
pub fn is_defined(op: AtomicOp, ty: Type, features: Features, memory: Memory) -> bool {
    ATOMICS.iter().any(|&(types, ops, needs, place)| {
        // Several entries may have the type: one that matches suffices.
        types.contains(&ty)
            && ops.contains(&op)
            && features.contains(needs)
            && (place == Memory::Any || place == memory)
    })
}
