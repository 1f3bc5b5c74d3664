//! Loads, stores, atomics and barriers, and the addresses of buffer elements.
//! NV_gpu_program5 section 2.X.4.5, NV_compute_program5, NV_gpu_program4 section 2.X.3.6.

use super::ir_map::BufferKey;
use super::op_builder::OpBuilder;
use super::operand::apply_modifiers;
use super::splat;
use super::{InstContext, Lowerer};
use crate::ast::{Ast, Index as AstIndex};
use crate::check::VarKind;
use crate::lang::modifiers::{ModifierFlags, register_type};
use crate::lang::opcodes::OperandKind;
use crate::variables::{BufferLayout, BufferView};
use glasm_ir::inst::{IndexTerm, InstData};
use glasm_ir::resource::{AtomicOp, MemAccess, MemFlags, MemorySpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{BufferId, BufferKind, Dst, Op, Src, Stage, WriteMask};

/// Lowers LOAD, LDB, LDC, LDS: the result is the value at the address that is operand 0. Suffix and
/// signs of the operand apply to the loaded value, except those of LOAD, whose operand is the
/// address itself.
pub(super) fn lower_load(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let address = resolve_address(lowerer, cx, 0);
    let operand = lowerer.resources.checked.insts.source(cx.inst, 0);
    // The operand of LOAD is the address itself: its suffix and signs are part of it.
    let is_element = cx.info.operands[0] != OperandKind::Address;
    let modified = is_element && !(operand.suffix.is_none() && operand.signs.is_empty());
    let ty = cx.types.ty;
    let aux = make_access_aux(lowerer, cx, &address);
    if ty != Type::F16 && !modified {
        return lowerer.emit_result_with_aux(cx, Op::Load, ty, aux, &[address.source]);
    }
    let mut value = lowerer.compute_with_aux(Op::Load, element_type(ty), aux, &[address.source]);
    if ty == Type::F16 {
        value = lowerer.compute_conversion(value, Type::F16, Type::F32);
    }
    if is_element {
        value = apply_modifiers(value, &operand, register_type(ty));
    }
    lowerer.emit_result_copy(cx, value);
}

/// Lowers STORE, STB and STS: stores operand 0 at the address of operand 1.
pub(super) fn lower_store(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let address = resolve_address(l, cx, 1);
    let value = load_stored_value(l, cx);
    let aux = make_access_aux(l, cx, &address);
    let sources = [value, address.source];
    l.emit_inst(Op::Store, element_type(cx.types.ty), None, aux, &sources);
}

/// Lowers ATOM, ATOMB and ATOMS: an atomic update by operand 0 at the address of operand 1, whose
/// result is the old value.
pub(super) fn lower_atom(l: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let address = resolve_address(l, cx, 1);
    let value = load_stored_value(l, cx);
    let aux = make_access_aux(l, cx, &address);
    emit_access_result(l, cx, Op::Atomic, aux, &[value, address.source]);
}

/// Returns operand 0 as the bits that are stored to memory or texels: half floats are converted,
/// and signs are applied to types of fewer than 32 bits.
pub(super) fn load_stored_value(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) -> Src {
    let ty = cx.types.ty;
    let value = lowerer.load_source(cx, 0, register_type(ty));
    if ty == Type::F16 {
        return lowerer.compute_conversion(value, Type::F32, ty);
    }
    if value.has_modifier() && ty.width() < Width::W32 {
        // Signs are those of the value in its register, and the store reads only the low bits of
        // it.
        return lowerer.compute(Op::Mov, register_type(ty), &[value]);
    }
    value
}

/// Appends the last operation of an access that returns a value, and writes the result: half floats
/// are loaded as their bits and converted.
pub(super) fn emit_access_result(
    l: &mut Lowerer<'_>,
    cx: &InstContext<'_>,
    op: Op,
    aux: InstData,
    sources: &[Src],
) {
    let ty = cx.types.ty;
    if ty != Type::F16 {
        return l.emit_result_with_aux(cx, op, ty, aux, sources);
    }
    let bits = l.compute_with_aux(op, ty, aux, sources);
    let value = l.compute_conversion(bits, ty, Type::F32);
    l.emit_result_copy(cx, value);
}

/// Lowers ATOMCTR by its modifier: GET reads the counter, INCR adds one and returns the old value,
/// DECR subtracts one and returns the new one. NV_shader_atomic_counters section 2.X.8.Z.
pub(super) fn lower_atomctr(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>) {
    let address = resolve_address(lowerer, cx, 0);
    let (mods, ty) = (cx.inst.modifiers.mods(), cx.types.ty);
    if mods.contains(ModifierFlags::GET) {
        // All invocations count: a read must see the updates by the others.
        let access = address.to_mem_access(1, None, MemFlags::COHERENT);
        let count = load_words(lowerer, &address, access, ty, WriteMask::X);
        return lowerer.emit_result_copy(cx, splat(count, 0));
    }
    let access = address.to_mem_access(1, Some(AtomicOp::Add), MemFlags::empty());
    let aux = lowerer.resources.add_mem_access(access);
    let one = lowerer.splat_bits(1);
    if mods.contains(ModifierFlags::INCR) {
        return lowerer.emit_result_with_aux(cx, Op::Atomic, ty, aux, &[one, address.source]);
    }
    // Adding 2^32 - 1 counts down by one. The operation returns the old value, from which one is
    // subtracted again.
    let less = lowerer.splat_bits(u64::from(u32::MAX));
    let old = lowerer.compute_with_aux(Op::Atomic, ty, aux, &[less, address.source]);
    let new = lowerer.compute(Op::Sub, ty, &[old, one]);
    lowerer.emit_result_copy(cx, new);
}

/// Lowers BAR and MEMBAR. MEMBAR.CTA orders accesses for the work group only; the emitted barrier
/// orders them for the whole device, which includes that. BAR in a tessellation control program
/// sets the mode `lockstep`.
pub(super) fn lower_barrier(l: &mut Lowerer<'_>, op: Op) {
    // In lock step every invocation of a patch reaches the barrier, wherever it is.
    l.resources.builder.program.modes.lockstep |=
        op == Op::Barrier && l.resources.ast.dialect.stage() == Stage::TessControl;
    l.emit_inst(op, Type::U32, None, InstData::None, &[]);
}

/// Returns the address of operand `number`: a global one, or that of an element of a buffer
/// variable or of shared memory. Adds the buffer and the instructions that compute the index.
fn resolve_address(lowerer: &mut Lowerer<'_>, cx: &InstContext<'_>, number: usize) -> MemAddress {
    if cx.info.operands[number] == OperandKind::Address {
        return MemAddress {
            space: MemorySpace::Global,
            buffer_index: None,
            // Addresses of 32 bits are extended with zeros.
            source: lowerer.load_source(cx, number, Type::U64),
            offset: 0,
        };
    }
    let operand = lowerer.resources.checked.insts.source(cx.inst, number);
    let variable = lowerer.resources.checked.find_value_var(operand.base);
    let start = match variable.map(|(_, var)| var.kind) {
        Some(VarKind::Buffer(view)) => return lowerer.find_element_address(view, operand.index),
        Some(VarKind::Shared { start }) => start,
        _ => 0,
    };
    let term = lowerer.make_index_term(operand.index);
    // Elements of shared memory are its bytes, regardless of the type that an instruction reads.
    // NV_compute_program5 section 2.X.3.Y.
    let (source, offset) = compute_byte_address(lowerer, term, 1);
    MemAddress {
        space: MemorySpace::Buffer(lowerer.resources.get_buffer(BufferKey::Shared)),
        buffer_index: None,
        source,
        offset: offset + start as i32,
    }
}

/// Returns the memory flags that the modifiers COH (coherent) and VOL (volatile) of an access
/// request.
pub(super) fn find_mem_flags(cx: &InstContext<'_>) -> MemFlags {
    let mods = cx.inst.modifiers.mods();
    let mut flags = MemFlags::empty();
    flags.set(MemFlags::COHERENT, mods.contains(ModifierFlags::COH));
    flags.set(MemFlags::VOLATILE, mods.contains(ModifierFlags::VOL));
    flags
}

/// Adds the memory access of an instruction at `address`, with its atomic operation and flags, to
/// the program and returns the data that refers to it.
fn make_access_aux(l: &mut Lowerer<'_>, cx: &InstContext<'_>, address: &MemAddress) -> InstData {
    let atomic = cx.inst.modifiers.atomic();
    let access = address.to_mem_access(cx.types.components, atomic, find_mem_flags(cx));
    l.resources.add_mem_access(access)
}

/// Returns the scalar type that memory is accessed as: half floats are accessed as their bits.
fn element_type(ty: Type) -> Type {
    if ty == Type::F16 { Type::U16 } else { ty }
}

/// An address: the memory, the source, the constant part.
pub(super) struct MemAddress {
    pub(super) space: MemorySpace,
    /// Index of the buffer in an array of buffers.
    pub(super) buffer_index: Option<IndexTerm>,
    pub(super) source: Src,
    pub(super) offset: i32,
}

impl MemAddress {
    /// Returns the data of an access to `components` components at this address, without its
    /// variable part, which is the source of the instruction.
    pub(super) fn to_mem_access(
        &self,
        components: u8,
        atomic: Option<AtomicOp>,
        flags: MemFlags,
    ) -> MemAccess {
        MemAccess {
            space: self.space,
            element: self.buffer_index,
            components,
            offset: self.offset,
            atomic,
            flags,
        }
    }
}

impl Lowerer<'_> {
    /// Emits a load of an element of a BUFFER or BUFFER4 variable and returns the value: a vector
    /// for BUFFER4, else one word in all four components. NV_gpu_program4 section 2.X.3.6.
    pub(super) fn load_element(&mut self, view: BufferView, address: &MemAddress) -> Src {
        let is_vector = view.layout == BufferLayout::Vectors;
        let (components, mask) = if is_vector {
            (4, WriteMask::XYZW)
        } else {
            (1, WriteMask::X)
        };
        // An element of a BUFFER variable is one word, which all four components read: (x, x, x,
        // x). NV_gpu_program4 section 2.X.3.6.
        let access = address.to_mem_access(components, None, MemFlags::empty());
        let source = load_words(self, address, access, Type::U32, mask);
        if is_vector { source } else { splat(source, 0) }
    }
}

/// Emits a load, of type `ty`, of the components in `mask` to a hidden 32-bit register and returns
/// it. Adds the access to the program.
pub(super) fn load_words(
    l: &mut Lowerer<'_>,
    address: &MemAddress,
    access: MemAccess,
    ty: Type,
    mask: WriteMask,
) -> Src {
    let aux = l.resources.add_mem_access(access);
    let dst = Dst::new(l.alloc_hidden(Width::W32), mask);
    l.emit_inst(Op::Load, ty, Some(dst), aux, &[address.source]);
    Src::from_register(dst.register)
}

/// Splits the index of a buffer variable into that of the binding point, `None` if the variable
/// covers only one, and that of the element.
pub(super) fn split_buffer_index(
    ast: &Ast<'_>,
    view: BufferView,
    index: AstIndex,
) -> (Option<AstIndex>, AstIndex) {
    match (view.binding_count, index) {
        (None, index) => (None, index),
        (Some(_), AstIndex::Pair(pair)) => {
            let [point, index] = ast.index_pairs[pair as usize];
            (Some(point), index)
        }
        // The only index of a variable over several binding points is the point; its element is
        // then the only one.
        (Some(_), point) => (Some(point), AstIndex::None),
    }
}

/// Returns the buffer that a buffer variable is a view of, which is added to the program at its
/// first use.
pub(super) fn get_view_buffer(l: &mut Lowerer<'_>, view: BufferView) -> BufferId {
    let kind = match view.layout {
        BufferLayout::Words | BufferLayout::Vectors | BufferLayout::Bytes => {
            BufferKind::ProgramParameter
        }
        BufferLayout::Storage => BufferKind::Storage,
        BufferLayout::Counter => BufferKind::AtomicCounter,
    };
    l.resources
        .get_buffer(BufferKey::Bound(kind, view.binding, view.binding_count))
}

/// Returns the address of element `index` of a buffer variable, in the buffer of binding point
/// `point`, `None` for a variable over a single one. Emits the instructions that multiply by the
/// size of an element.
pub(super) fn make_view_address(
    lowerer: &mut Lowerer<'_>,
    (view, buffer): (BufferView, BufferId),
    point: Option<IndexTerm>,
    index: IndexTerm,
) -> MemAddress {
    let stride = view.layout.stride();
    let (source, offset) = compute_byte_address(lowerer, index, stride);
    MemAddress {
        space: MemorySpace::Buffer(buffer),
        buffer_index: point,
        source,
        // Offsets wrap, like the sum of offset and unsigned address in the IR.
        offset: offset.wrapping_add((view.first_element * stride) as i32),
    }
}

/// Returns the address, in bytes, of the element that is `term` in an array of elements of `stride`
/// bytes: a source, 0 for constants, and a constant offset. Emits the multiplication; sums and
/// products wrap.
pub(super) fn compute_byte_address(
    lowerer: &mut Lowerer<'_>,
    term: IndexTerm,
    stride: u32,
) -> (Src, i32) {
    let Some((register, lane)) = term.relative else {
        // Constant indices are unsigned, and so is their product with the stride.
        let offset = u64::from(term.offset as u32) * u64::from(stride);
        return (lowerer.splat_bits(0), offset as i32);
    };
    let mut source = splat(Src::from_register(register), lane);
    if stride != 1 {
        let stride = lowerer.splat_bits(u64::from(stride));
        source = splat(lowerer.compute(Op::Mul, Type::U32, &[source, stride]), 0);
    }
    (source, term.offset.wrapping_mul(stride as i32))
}
