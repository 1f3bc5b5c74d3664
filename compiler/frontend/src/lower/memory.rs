//! Memory: elements of buffers as operands, loads, stores, atomics and barriers. NV_gpu_program5 section 2.X.4.5, NV_compute_program5.

use super::operand::{const_index, splat};
use super::tables::BufferKey;
use super::{InstCx, Lowerer};
use crate::ast::Index as AstIndex;
use crate::lang::modifiers::{Mods, register_type};
use crate::lang::opcodes::OperandKind;
use crate::line::Source;
use crate::rules::VarKind;
use crate::vars::{BufferLayout, BufferView};
use glasm_ir::inst::{Aux, IndexTerm};
use glasm_ir::resource::{AtomicOp, MemAccess, MemFlags, MemSpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{BufferKind, Dst, Op, Src, WriteMask};

/// An address: the memory, the source, the constant part.
struct Address {
    space: MemSpace,
    /// Which buffer of an array of them.
    element: Option<IndexTerm>,
    source: Src,
    offset: i32,
}

impl Address {
    /// Data of an access to so many components from here on.
    fn access(&self, components: u8, atomic: Option<AtomicOp>, flags: MemFlags) -> MemAccess {
        MemAccess {
            space: self.space,
            element: self.element,
            components,
            offset: self.offset,
            atomic,
            flags,
        }
    }
}

impl Lowerer<'_> {
    /// Loads an element of a BUFFER or BUFFER4 variable. NV_gpu_program4 section 2.X.3.6.
    pub(super) fn buffer_element(&mut self, view: BufferView, index: AstIndex) -> Src {
        let address = view_address(self, view, index);
        let is_vector = view.layout == BufferLayout::Vectors;
        let (components, mask) = match is_vector {
            true => (4, WriteMask::XYZW),
            false => (1, WriteMask::X),
        };
        let access = address.access(components, None, MemFlags::empty());
        let source = load_words(self, &address, access, Type::U32, mask);
        match is_vector {
            true => source,
            false => splat(source, 0),
        }
    }

    fn mem_access(&mut self, access: MemAccess) -> Aux {
        Aux::Mem(self.builder.program.mem_accesses.push(access))
    }

    /// Qualifiers of a memory access.
    pub(super) fn mem_flags(cx: &InstCx<'_>) -> MemFlags {
        let mods = cx.line.modifiers.mods();
        let mut flags = MemFlags::empty();
        flags.set(MemFlags::COHERENT, mods.contains(Mods::COH));
        flags.set(MemFlags::VOLATILE, mods.contains(Mods::VOL));
        flags
    }
}

/// Loads words into a hidden register.
fn load_words(
    l: &mut Lowerer<'_>,
    address: &Address,
    access: MemAccess,
    ty: Type,
    mask: WriteMask,
) -> Src {
    let aux = l.mem_access(access);
    let dst = Dst::new(l.hidden(Width::W32), mask);
    l.inst(Op::Load, ty, Some(dst), aux, &[address.source]);
    Src::register(dst.register)
}

/// LOAD, LDB, LDC, LDS: suffix and signs of the operand, which only LDC has, apply to the value loaded.
pub(super) fn load(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 0);
    let operand = l.checked.lines.source(cx.line, 0);
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
        value = l.modified(value, &operand, register_type(ty));
    }
    l.finish_mov(cx, value);
}

/// STORE, STB, STS.
pub(super) fn store(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 1);
    let value = stored_value(l, cx);
    let aux = access(l, cx, &address);
    let sources = [value, address.source];
    l.inst(Op::Store, element(cx.types.ty), None, aux, &sources);
}

/// ATOM, ATOMB, ATOMS.
pub(super) fn atomic(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 1);
    let value = stored_value(l, cx);
    let aux = access(l, cx, &address);
    finish_access(l, cx, Op::Atomic, aux, &[value, address.source]);
}

/// Operand 0 as the bits that memory or texels get.
pub(super) fn stored_value(l: &mut Lowerer<'_>, cx: &InstCx<'_>) -> Src {
    let ty = cx.types.ty;
    let value = l.value(cx, 0, register_type(ty));
    if ty == Type::F16 {
        return l.converted(value, Type::F32, ty);
    }
    if value.has_modifier() && ty.width() < Width::W32 {
        // Signs are those of the value in its register, and the store reads only the low bits of it.
        return l.compute(Op::Mov, register_type(ty), &[value]);
    }
    value
}

/// The last step of an access that gives a value: half floats come as their bits.
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

/// ATOMCTR. Counting up gives the old value, counting down the new one. NV_shader_atomic_counters section 2.X.8.Z.
pub(super) fn counter(l: &mut Lowerer<'_>, cx: &InstCx<'_>) {
    let address = address(l, cx, 0);
    let (mods, ty) = (cx.line.modifiers.mods(), cx.types.ty);
    if mods.contains(Mods::GET) {
        // All invocations count: a read has to see what the others have made of the counter.
        let access = address.access(1, None, MemFlags::COHERENT);
        let count = load_words(l, &address, access, ty, WriteMask::X);
        return l.finish_mov(cx, splat(count, 0));
    }
    let access = address.access(1, Some(AtomicOp::Add), MemFlags::empty());
    let aux = l.mem_access(access);
    let one = l.bits(1);
    if mods.contains(Mods::INCR) {
        return l.finish_with(cx, Op::Atomic, ty, aux, &[one, address.source]);
    }
    // Adding 2^32 - 1 counts down by one. The operation gives the old value, of which one is taken once more.
    let less = l.bits(u64::from(u32::MAX));
    let old = l.compute_with(Op::Atomic, ty, aux, &[less, address.source]);
    let new = l.compute(Op::Sub, ty, &[old, one]);
    l.finish_mov(cx, new);
}

/// BAR, MEMBAR. MEMBAR.CTA orders accesses for the work group only; the barrier emitted orders them for the whole device, which
/// includes that.
pub(super) fn barrier(l: &mut Lowerer<'_>, op: Op) {
    l.inst(op, Type::U32, None, Aux::None, &[]);
}

/// The address that an operand gives: a global one, or that of an element of a variable.
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
    let operand: Source = l.checked.lines.source(cx.line, number);
    let variable = l.checked.variable(operand.base);
    let start = match variable.map(|(_, var)| var.kind) {
        Some(VarKind::Buffer(view)) => return view_address(l, view, operand.index),
        Some(VarKind::Shared { start }) => start,
        _ => 0,
    };
    let (source, offset) = byte_address(l, operand.index, 1);
    Address {
        space: MemSpace::Buffer(l.buffer(BufferKey::Shared)),
        element: None,
        source,
        offset: offset + start as i32,
    }
}

/// The address of an element of a buffer variable.
fn view_address(l: &mut Lowerer<'_>, view: BufferView, index: AstIndex) -> Address {
    let (point, index) = match (view.bindings, index) {
        (None, index) => (None, index),
        (Some(_), AstIndex::Pair(pair)) => {
            let [point, index] = l.checked.ast.pairs[pair as usize];
            (Some(point), index)
        }
        (Some(_), point) => (Some(point), AstIndex::None),
    };
    let kind = match view.layout {
        BufferLayout::Words | BufferLayout::Vectors | BufferLayout::Bytes => BufferKind::Constant,
        BufferLayout::Storage => BufferKind::Storage,
        BufferLayout::Counter => BufferKind::Counter,
    };
    let buffer = l.buffer(BufferKey::Bound(kind, view.binding, view.bindings));
    let element = point.map(|point| l.index_term(point));
    let stride = view.layout.stride();
    let (source, offset) = byte_address(l, index, stride);
    Address {
        space: MemSpace::Buffer(buffer),
        element,
        source,
        offset: offset.wrapping_add((view.start * stride) as i32),
    }
}

/// Byte address of an element: a source and a constant offset.
fn byte_address(l: &mut Lowerer<'_>, index: AstIndex, stride: u32) -> (Src, i32) {
    let term = l.index_term(index);
    let Some((register, lane)) = term.relative else {
        let offset = u64::from(const_index(index)) * u64::from(stride);
        return (l.bits(0), offset as i32);
    };
    let mut source = splat(Src::register(register), lane);
    if stride != 1 {
        let stride = l.bits(u64::from(stride));
        source = splat(l.compute(Op::Mul, Type::U32, &[source, stride]), 0);
    }
    (source, term.offset.wrapping_mul(stride as i32))
}

fn access(l: &mut Lowerer<'_>, cx: &InstCx<'_>, address: &Address) -> Aux {
    let atomic = cx.line.modifiers.atomic();
    let access = address.access(cx.types.components, atomic, Lowerer::mem_flags(cx));
    l.mem_access(access)
}

/// The scalar type that memory is accessed as: half floats travel as their bits.
fn element(ty: Type) -> Type {
    if ty == Type::F16 { Type::U16 } else { ty }
}
