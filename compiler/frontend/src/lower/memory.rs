//! Memory accesses and barriers. NV_gpu_program5 section 2.X.4.5, NV_compute_program5.

use super::resource::BufferKey;
use super::{Job, Lowerer};
use crate::ast::{Index as AstIndex, Operand};
use crate::check::VarKind;
use crate::lang::modifiers::register_type;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{MemAccess, MemSpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Op, Src};

/// An address: the memory, the source, the constant part.
struct Address {
    space: MemSpace,
    source: Src,
    offset: i32,
}

/// LOAD.
pub(crate) fn load(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let address = global(l, job, 0);
    load_from(l, job, address, None);
}

/// LDC: suffix and signs of the operand apply to the value loaded.
pub(crate) fn load_constant(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let operand = l.checked.operand(job.line, 0);
    let address = buffer(l, &operand);
    load_from(l, job, address, Some(&operand));
}

/// LDS.
pub(crate) fn load_shared(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let operand = l.checked.operand(job.line, 0);
    let address = buffer(l, &operand);
    load_from(l, job, address, Some(&operand));
}

/// STORE.
pub(crate) fn store(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let address = global(l, job, 1);
    store_to(l, job, address);
}

/// STS.
pub(crate) fn store_shared(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let operand = l.checked.operand(job.line, 1);
    let address = buffer(l, &operand);
    store_to(l, job, address);
}

/// ATOM.
pub(crate) fn atomic(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let address = global(l, job, 1);
    atomic_at(l, job, address);
}

/// ATOMS.
pub(crate) fn atomic_shared(l: &mut Lowerer<'_>, job: &Job<'_>) {
    let operand = l.checked.operand(job.line, 1);
    let address = buffer(l, &operand);
    atomic_at(l, job, address);
}

/// MEMBAR. The scope of the group is narrower than what is emitted, which is allowed.
pub(crate) fn memory_barrier(l: &mut Lowerer<'_>, _job: &Job<'_>) {
    l.inst(Op::MemoryBarrier, Type::U32, None, Aux::None, &[]);
}

/// BAR.
pub(crate) fn barrier(l: &mut Lowerer<'_>, _job: &Job<'_>) {
    l.inst(Op::Barrier, Type::U32, None, Aux::None, &[]);
}

/// A global address; 32-bit ones are extended with zeros.
fn global(l: &mut Lowerer<'_>, job: &Job<'_>, number: usize) -> Address {
    let source = l.scalar(job, number, Type::U64);
    Address {
        space: MemSpace::Global,
        source,
        offset: 0,
    }
}

/// The address of an element of a CBUFFER or SHARED variable.
fn buffer(l: &mut Lowerer<'_>, operand: &Operand) -> Address {
    let (key, start) = match l.checked.var(operand.base).map(|(_, var)| var.kind) {
        Some(VarKind::Buffer(view)) => (BufferKey::Constant(view.binding), view.start),
        Some(VarKind::Shared { start }) => (BufferKey::Shared, start),
        _ => (BufferKey::Shared, 0),
    };
    let index = match operand.index {
        AstIndex::None => AstIndex::Const(0),
        AstIndex::Const(_) | AstIndex::Relative(_) | AstIndex::Pair(_) => operand.index,
    };
    let (source, offset) = l.buffer_address(index, 1);
    Address {
        space: MemSpace::Buffer(l.buffer(key)),
        source,
        offset: offset + start as i32,
    }
}

fn access(l: &mut Lowerer<'_>, job: &Job<'_>, address: &Address) -> Aux {
    let access = MemAccess {
        space: address.space,
        element: None,
        components: job.types.components,
        offset: address.offset,
        atomic: job.line.modifiers.atomic(),
        flags: Lowerer::mem_flags(job),
    };
    Aux::Mem(l.builder.program.mem_accesses.push(access))
}

/// The scalar type that memory is accessed as: half floats travel as their bits.
fn element(ty: Type) -> Type {
    if ty == Type::F16 { Type::U16 } else { ty }
}

fn load_from(l: &mut Lowerer<'_>, job: &Job<'_>, address: Address, operand: Option<&Operand>) {
    let ty = job.types.ty;
    let aux = access(l, job, &address);
    let modified =
        operand.is_some_and(|operand| !operand.suffix.is_none() || !operand.signs.is_empty());
    if ty != Type::F16 && !modified {
        return l.finish_with(job, Op::Load, ty, aux, &[address.source]);
    }
    let register = l.hidden(register_type(ty).width());
    let dst = glasm_ir::Dst::new(register, glasm_ir::WriteMask::XYZW);
    l.inst(Op::Load, element(ty), Some(dst), aux, &[address.source]);
    let mut source = Src::register(register);
    if ty == Type::F16 {
        source = super::convert::cvt(l, source, Type::F16, Type::F32);
    }
    if let Some(operand) = operand {
        source = l.modified(source, operand, register_type(ty));
    }
    l.finish_mov(job, source);
}

fn store_to(l: &mut Lowerer<'_>, job: &Job<'_>, address: Address) {
    let ty = job.types.ty;
    let mut value = l.value(job, 0, register_type(ty));
    if ty == Type::F16 {
        value = super::convert::cvt(l, value, Type::F32, Type::F16);
    } else if value.has_modifier() && ty.width() < Width::W32 {
        value = l.compute(Op::Mov, register_type(ty), &[value]);
    }
    let aux = access(l, job, &address);
    l.inst(Op::Store, element(ty), None, aux, &[value, address.source]);
}

fn atomic_at(l: &mut Lowerer<'_>, job: &Job<'_>, address: Address) {
    let value = l.value(job, 0, job.types.ty);
    let aux = access(l, job, &address);
    l.finish_with(job, Op::Atomic, job.types.ty, aux, &[value, address.source]);
}
