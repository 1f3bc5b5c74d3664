//! Addresses of elements of buffers, and such elements as operands.

use super::Lowerer;
use super::context::splat;
use super::formula::Formulas;
use super::tables::BufferKey;
use crate::ast::{Ast, Index as AstIndex};
use crate::vars::{BufferLayout, BufferView};
use glasm_ir::inst::IndexTerm;
use glasm_ir::resource::{AtomicOp, MemAccess, MemFlags, MemSpace};
use glasm_ir::types::{Type, Width};
use glasm_ir::{BufferId, BufferKind, Dst, Op, Src, WriteMask};

/// An address: the memory, the source, the constant part.
pub(super) struct Address {
    pub(super) space: MemSpace,
    /// Index of the buffer in an array of buffers.
    pub(super) element: Option<IndexTerm>,
    pub(super) source: Src,
    pub(super) offset: i32,
}

impl Address {
    /// Returns the data of an access to `components` components at this address.
    pub(super) fn access(
        &self,
        components: u8,
        atomic: Option<AtomicOp>,
        flags: MemFlags,
    ) -> MemAccess {
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
    pub(super) fn load_element(&mut self, view: BufferView, address: &Address) -> Src {
        let is_vector = view.layout == BufferLayout::Vectors;
        let (components, mask) = if is_vector {
            (4, WriteMask::XYZW)
        } else {
            (1, WriteMask::X)
        };
        // An element of a BUFFER variable is one word, which all four components read: (x, x, x,
        // x). NV_gpu_program4 section 2.X.3.6.
        let access = address.access(components, None, MemFlags::empty());
        let source = load_words(self, address, access, Type::U32, mask);
        if is_vector { source } else { splat(source, 0) }
    }
}

/// Loads words into a hidden register.
pub(super) fn load_words(
    l: &mut Lowerer<'_>,
    address: &Address,
    access: MemAccess,
    ty: Type,
    mask: WriteMask,
) -> Src {
    let aux = l.resources.add_mem_access(access);
    let dst = Dst::new(l.hidden(Width::W32), mask);
    l.inst(Op::Load, ty, Some(dst), aux, &[address.source]);
    Src::register(dst.register)
}

/// Returns the binding point and the element that an index of a buffer variable names.
pub(super) fn point_and_element(
    ast: &Ast<'_>,
    view: BufferView,
    index: AstIndex,
) -> (Option<AstIndex>, AstIndex) {
    match (view.bindings, index) {
        (None, index) => (None, index),
        (Some(_), AstIndex::Pair(pair)) => {
            let [point, index] = ast.pairs[pair as usize];
            (Some(point), index)
        }
        // The only index of a variable over several binding points is the point; its element is
        // then the only one.
        (Some(_), point) => (Some(point), AstIndex::None),
    }
}

/// Returns the buffer of a buffer variable.
pub(super) fn view_buffer(l: &mut Lowerer<'_>, view: BufferView) -> BufferId {
    let kind = match view.layout {
        BufferLayout::Words | BufferLayout::Vectors | BufferLayout::Bytes => BufferKind::Constant,
        BufferLayout::Storage => BufferKind::Storage,
        BufferLayout::Counter => BufferKind::Counter,
    };
    l.resources
        .get_buffer(BufferKey::Bound(kind, view.binding, view.bindings))
}

/// Returns the address of element `index` of a buffer variable, in the buffer of binding point
/// `point`.
pub(super) fn view_address(
    l: &mut Lowerer<'_>,
    (view, buffer): (BufferView, BufferId),
    point: Option<IndexTerm>,
    index: IndexTerm,
) -> Address {
    let stride = view.layout.stride();
    let (source, offset) = byte_address(l, index, stride);
    Address {
        space: MemSpace::Buffer(buffer),
        element: point,
        source,
        // Offsets wrap, like the sum of offset and unsigned address in the IR.
        offset: offset.wrapping_add((view.start * stride) as i32),
    }
}

/// Computes the byte address of an element: a source and a constant offset.
pub(super) fn byte_address(l: &mut Lowerer<'_>, term: IndexTerm, stride: u32) -> (Src, i32) {
    let Some((register, lane)) = term.relative else {
        // Constant indices are unsigned, and so is their product with the stride.
        let offset = u64::from(term.offset as u32) * u64::from(stride);
        return (l.bits(0), offset as i32);
    };
    let mut source = splat(Src::register(register), lane);
    if stride != 1 {
        let stride = l.bits(u64::from(stride));
        source = splat(l.compute(Op::Mul, Type::U32, &[source, stride]), 0);
    }
    (source, term.offset.wrapping_mul(stride as i32))
}
