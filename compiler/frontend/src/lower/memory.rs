//! Loads, stores, atomics and barriers. NV_gpu_program5 section 2.X.4.5, NV_compute_program5.

use super::address::{Address, byte_address, load_words};
use super::context::splat;
use super::formula::Formulas;
use super::operand::apply_modifiers;
use super::tables::BufferKey;
use super::{InstCx, Lowerer};
use crate::check::VarKind;
use crate::lang::modifiers::{Mods, register_type};
use crate::lang::opcodes::OperandKind;
use glasm_ir::inst::Aux;
use glasm_ir::resource::{AtomicOp, MemFlags, MemSpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Op, Src, Stage, WriteMask};

/// Lowers LOAD, LDB, LDC, LDS: suffix and signs of the operand, which only LDC has, apply to the
/// loaded value.
pub(super) fn load(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 0);
    let operand = l.resources.checked.lines.source(cx.line, 0);
    // The operand of LOAD is the address itself: its suffix and signs are part of it.
    let is_element = cx.info.operands[0] != OperandKind::Address;
    let modified = is_element && !(operand.suffix.is_none() && operand.signs.is_empty());
    let ty = cx.types.ty;
    let aux = access(l, cx, &address);
    if ty != Type::F16 && !modified {
        return l.finish_with(cx, Op::Load, ty, aux, &[address.source]);
    }
    let mut value = l.compute_with(Op::Load, element(ty), aux, &[address.source]);
    if ty == Type::F16 {
        value = l.converted(value, Type::F16, Type::F32);
    }
    if is_element {
        value = apply_modifiers(value, &operand, register_type(ty));
    }
    l.finish_mov(cx, value);
}

/// Lowers STORE, STB, STS.
pub(super) fn store(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 1);
    let value = stored_value(l, cx);
    let aux = access(l, cx, &address);
    let sources = [value, address.source];
    l.inst(Op::Store, element(cx.types.ty), None, aux, &sources);
}

/// Lowers ATOM, ATOMB, ATOMS.
pub(super) fn atomic(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 1);
    let value = stored_value(l, cx);
    let aux = access(l, cx, &address);
    finish_access(l, cx, Op::Atomic, aux, &[value, address.source]);
}

/// Returns operand 0 as the bits that are stored to memory or texels.
pub(super) fn stored_value(l: &mut Lowerer<'_>, cx: &InstCx<'_>) -> Src {
    let ty = cx.types.ty;
    let value = l.value(cx, 0, register_type(ty));
    if ty == Type::F16 {
        return l.converted(value, Type::F32, ty);
    }
    if value.has_modifier() && ty.width() < Width::W32 {
        // Signs are those of the value in its register, and the store reads only the low bits of
        // it.
        return l.compute(Op::Mov, register_type(ty), &[value]);
    }
    value
}

/// Appends the last operation of an access that returns a value: half floats are loaded as their
/// bits and converted.
pub(super) fn finish_access(
    l: &mut Lowerer<'_>,
    cx: &InstCx<'_>,
    op: Op,
    aux: Aux,
    sources: &[Src],
) {
    let ty = cx.types.ty;
    if ty != Type::F16 {
        return l.finish_with(cx, op, ty, aux, sources);
    }
    let bits = l.compute_with(op, ty, aux, sources);
    let value = l.converted(bits, ty, Type::F32);
    l.finish_mov(cx, value);
}

/// Lowers ATOMCTR. Counting up returns the old value, counting down the new one.
/// NV_shader_atomic_counters section 2.X.8.Z.
pub(super) fn counter(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 0);
    let (mods, ty) = (cx.line.modifiers.mods(), cx.types.ty);
    if mods.contains(Mods::GET) {
        // All invocations count: a read must see the updates by the others.
        let access = address.access(1, None, MemFlags::COHERENT);
        let count = load_words(l, &address, access, ty, WriteMask::X);
        return l.finish_mov(cx, splat(count, 0));
    }
    let access = address.access(1, Some(AtomicOp::Add), MemFlags::empty());
    let aux = l.resources.add_mem_access(access);
    let one = l.bits(1);
    if mods.contains(Mods::INCR) {
        return l.finish_with(cx, Op::Atomic, ty, aux, &[one, address.source]);
    }
    // Adding 2^32 - 1 counts down by one. The operation returns the old value, from which one is
    // subtracted again.
    let less = l.bits(u64::from(u32::MAX));
    let old = l.compute_with(Op::Atomic, ty, aux, &[less, address.source]);
    let new = l.compute(Op::Sub, ty, &[old, one]);
    l.finish_mov(cx, new);
}

/// Lowers BAR, MEMBAR. MEMBAR.CTA orders accesses for the work group only; the barrier emitted
/// orders them for the whole device, which includes that.
pub(super) fn barrier(l: &mut Lowerer<'_>, op: Op) {
    // In lock step every invocation of a patch reaches the barrier, wherever it is.
    l.resources.builder.program.modes.lock_step |=
        op == Op::Barrier && l.resources.ast.dialect.stage() == Stage::TessControl;
    l.inst(op, Type::U32, None, Aux::None, &[]);
}

/// Returns the address of an operand: a global one, or that of an element of a variable.
fn address(l: &mut Lowerer<'_>, cx: &InstCx<'_>, number: usize) -> Address {
    if cx.info.operands[number] == OperandKind::Address {
        return Address {
            space: MemSpace::Global,
            element: None,
            // Addresses of 32 bits are extended with zeros.
            source: l.value(cx, number, Type::U64),
            offset: 0,
        };
    }
    let operand = l.resources.checked.lines.source(cx.line, number);
    let variable = l.resources.checked.variable(operand.base);
    let start = match variable.map(|(_, var)| var.kind) {
        Some(VarKind::Buffer(view)) => return l.find_element_address(view, operand.index),
        Some(VarKind::Shared { start }) => start,
        _ => 0,
    };
    let term = l.make_index_term(operand.index);
    // Elements of shared memory are its bytes, regardless of the type that an instruction reads.
    // NV_compute_program5 section 2.X.3.Y.
    let (source, offset) = byte_address(l, term, 1);
    Address {
        space: MemSpace::Buffer(l.resources.get_buffer(BufferKey::Shared)),
        element: None,
        source,
        offset: offset + start as i32,
    }
}

/// Returns the qualifiers of a memory access.
pub(super) fn find_mem_flags(cx: &InstCx<'_>) -> MemFlags {
    let mods = cx.line.modifiers.mods();
    let mut flags = MemFlags::empty();
    flags.set(MemFlags::COHERENT, mods.contains(Mods::COH));
    flags.set(MemFlags::VOLATILE, mods.contains(Mods::VOL));
    flags
}

fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: &Address) -> Aux {
    let atomic = cx.line.modifiers.atomic();
    let access = address.access(cx.types.components, atomic, find_mem_flags(cx));
    l.resources.add_mem_access(access)
}

/// Returns the scalar type that memory is accessed as: half floats are accessed as their bits.
fn element(ty: Type) -> Type {
    if ty == Type::F16 { Type::U16 } else { ty }
}
