//! Memory accesses and barriers. NV_gpu_program5 section 2.X.4.5, NV_compute_program5.

use super::tables::BufferKey;
use super::{InstCx, Lowerer};
use crate::lang::modifiers::{Mods, register_type};
use crate::line::Source;
use crate::rules::VarKind;
use glasm_ir::inst::Aux;
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::{AtomicOp, MemAccess, MemFlags, MemSpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{Op, Src};

/// An address: the memory, the source, the constant part.
struct Address {
    space: MemSpace,
    /// Which buffer of an array of them.
    element: Option<IndexTerm>,
    source: Src,
    offset: i32,
}

/// LOAD.
pub(super) fn load_global(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = global(l, cx, 0);
    load_from(l, cx, address, None);
}

/// LDB, LDC, LDS: suffix and signs of the operand, which only LDC has, apply to the value loaded.
pub(super) fn load_element(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let operand = l.checked.lines.source(cx.line, 0);
    let address = buffer(l, &operand);
    load_from(l, cx, address, Some(&operand));
}

/// STORE.
pub(super) fn store_global(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = global(l, cx, 1);
    store_to(l, cx, address);
}

/// STB, STS.
pub(super) fn store_element(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let operand = l.checked.lines.source(cx.line, 1);
    let address = buffer(l, &operand);
    store_to(l, cx, address);
}

/// ATOM.
pub(super) fn atomic_global(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = global(l, cx, 1);
    atomic_at(l, cx, address);
}

/// ATOMB, ATOMS.
pub(super) fn atomic_element(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let operand = l.checked.lines.source(cx.line, 1);
    let address = buffer(l, &operand);
    atomic_at(l, cx, address);
}

/// ATOMCTR. Counting up gives the old value, counting down the new one. NV_shader_atomic_counters section 2.X.8.Z.
pub(super) fn counter(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let operand = l.checked.lines.source(cx.line, 0);
    let address = buffer(l, &operand);
    let (mods, ty) = (cx.line.modifiers.mods(), cx.types.ty);
    let mut access = MemAccess {
        space: address.space,
        element: address.element,
        components: 1,
        offset: address.offset,
        atomic: None,
        // All invocations count: a read has to see what the others have made of the counter.
        flags: MemFlags::COHERENT,
    };
    if mods.contains(Mods::GET) {
        let aux = Aux::Mem(l.builder.program.mem_accesses.push(access));
        let dst = glasm_ir::Dst::new(l.hidden(Width::W32), glasm_ir::WriteMask::X);
        l.inst(Op::Load, ty, Some(dst), aux, &[address.source]);
        let value = super::operand::splat(Src::register(dst.register), 0);
        return l.finish_mov(cx, value);
    }
    access.atomic = Some(AtomicOp::Add);
    access.flags = MemFlags::empty();
    let aux = Aux::Mem(l.builder.program.mem_accesses.push(access));
    let one = l.bits(1);
    if mods.contains(Mods::INCR) {
        return l.finish_with(cx, Op::Atomic, ty, aux, &[one, address.source]);
    }
    let register = l.hidden(Width::W32);
    let dst = glasm_ir::Dst::new(register, glasm_ir::WriteMask::XYZW);
    // Adding 2^32 - 1 counts down by one. The operation gives the old value, of which one is taken once more.
    let less = l.bits(u64::from(u32::MAX));
    l.inst(Op::Atomic, ty, Some(dst), aux, &[less, address.source]);
    let old = Src::register(register);
    let new = l.compute(Op::Sub, ty, &[old, one]);
    l.finish_mov(cx, new);
}

/// BAR, MEMBAR. MEMBAR.CTA orders accesses for the work group only; the barrier emitted orders them for the whole device, which
/// includes that.
pub(super) fn barrier(l: &mut Lowerer<'_>, op: Op) {
    l.inst(op, Type::U32, None, Aux::None, &[]);
}

/// A global address; 32-bit ones are extended with zeros.
fn global(l: &mut Lowerer<'_>, cx: &InstCx<'_>, number: usize) -> Address {
    let source = l.scalar(cx, number, Type::U64);
    Address {
        space: MemSpace::Global,
        element: None,
        source,
        offset: 0,
    }
}

/// The address of an element of a variable that lies in memory.
fn buffer(l: &mut Lowerer<'_>, operand: &Source) -> Address {
    let start = match l.checked.variable(operand.base).map(|(_, var)| var.kind) {
        Some(VarKind::Buffer(view)) => {
            let (space, element, source, offset) = l.view_address(view, operand.index);
            return Address {
                space,
                element,
                source,
                offset,
            };
        }
        Some(VarKind::Shared { start }) => start,
        _ => 0,
    };
    let (source, offset) = l.buffer_address(operand.index, 1);
    Address {
        space: MemSpace::Buffer(l.buffer(BufferKey::Shared)),
        element: None,
        source,
        offset: offset + start as i32,
    }
}

fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: &Address) -> Aux {
    let access = MemAccess {
        space: address.space,
        element: address.element,
        components: cx.types.components,
        offset: address.offset,
        atomic: cx.line.modifiers.atomic(),
        flags: Lowerer::mem_flags(cx),
    };
    Aux::Mem(l.builder.program.mem_accesses.push(access))
}

/// The scalar type that memory is accessed as: half floats travel as their bits.
fn element(ty: Type) -> Type {
    if ty == Type::F16 { Type::U16 } else { ty }
}

fn load_from(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: Address, operand: Option<&Source>) {
    let ty = cx.types.ty;
    let aux = access(l, cx, &address);
    let modified =
        operand.is_some_and(|operand| !operand.suffix.is_none() || !operand.signs.is_empty());
    if ty != Type::F16 && !modified {
        return l.finish_with(cx, Op::Load, ty, aux, &[address.source]);
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
    l.finish_mov(cx, source);
}

fn store_to(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: Address) {
    let ty = cx.types.ty;
    let mut value = l.value(cx, 0, register_type(ty));
    if ty == Type::F16 {
        value = super::convert::cvt(l, value, Type::F32, Type::F16);
    } else if value.has_modifier() && ty.width() < Width::W32 {
        // Signs are those of the value in its register, and the store reads only the low bits of it.
        value = l.compute(Op::Mov, register_type(ty), &[value]);
    }
    let aux = access(l, cx, &address);
    l.inst(Op::Store, element(ty), None, aux, &[value, address.source]);
}

fn atomic_at(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: Address) {
    let ty = cx.types.ty;
    let mut value = l.value(cx, 0, register_type(ty));
    let aux = access(l, cx, &address);
    if ty != Type::F16 {
        return l.finish_with(cx, Op::Atomic, ty, aux, &[value, address.source]);
    }
    value = super::convert::cvt(l, value, Type::F32, Type::F16);
    let register = l.hidden(Width::W32);
    let dst = glasm_ir::Dst::new(register, glasm_ir::WriteMask::XYZW);
    l.inst(Op::Atomic, ty, Some(dst), aux, &[value, address.source]);
    let old = super::convert::cvt(l, Src::register(register), Type::F16, Type::F32);
    l.finish_mov(cx, old);
}
