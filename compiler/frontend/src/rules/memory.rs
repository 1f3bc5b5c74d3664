//! Views of memory: BUFFER, BUFFER4, CBUFFER, STORAGE, COUNTER and SHARED variables and their use in instructions.
//! NV_gpu_program4 and NV_gpu_program5 section 2.X.3.6, NV_shader_storage_buffer_object and NV_shader_atomic_counters
//! section 2.X.3.Y, NV_compute_program5 section 2.X.7.Y.

use super::binding::{Bound, Failed, Found, fail};
use super::{Checker, InstTypes, Var, VarKind};
use crate::ast::{Base, Bracket, Decl, DeclKind, Index, Inst, Operand, Segment, Size};
use crate::codes::Code;
use crate::lang::limits;
use crate::lang::modifiers::Mods;
use crate::source::Version;
use crate::vars::{BufferLayout, BufferView};
use glasm_ir::Span;

/// The buffers that one binding names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BufferSpace {
    /// `program.buffer`
    Parameter,
    /// `program.storage`
    Storage,
    /// `program.counter`
    Counter,
}

/// Elements of buffers that a binding names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferRange {
    pub(crate) space: BufferSpace,
    /// First binding point.
    pub(crate) binding: u32,
    /// Number of binding points, if the binding spans several.
    pub(crate) bindings: Option<u32>,
    /// First element and number of them; `None` is the whole buffer.
    pub(crate) elements: Option<(u32, u32)>,
    /// Whether it names one element without being a range.
    pub(crate) one: bool,
}

/// The variables that a memory operand takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MemoryKind {
    Constant,
    Shared,
    Storage,
    Counter,
}

impl BufferSpace {
    /// The error of using a binding in an instruction.
    pub(super) const fn direct_use(self) -> (Code, &'static str) {
        match self {
            Self::Parameter => (
                Code::BufferOperand,
                "elements of parameter buffers need a BUFFER variable",
            ),
            Self::Storage => (
                Code::MemoryOperand,
                "elements of storage buffers need a STORAGE variable",
            ),
            Self::Counter => (
                Code::MemoryOperand,
                "atomic counters need a COUNTER variable",
            ),
        }
    }

    /// Binding points, and the largest number of elements in any layout.
    const fn limits(self) -> (u32, u32) {
        match self {
            Self::Parameter => (
                limits::PARAMETER_BUFFERS,
                limits::PARAMETER_BUFFER_WORDS * 4,
            ),
            Self::Storage => (limits::STORAGE_BUFFERS, limits::STORAGE_BUFFER_BYTES),
            Self::Counter => (limits::COUNTER_BUFFERS, limits::COUNTER_BUFFER_WORDS),
        }
    }
}

impl BufferRange {
    /// Takes the elements of `next` if they follow those of `self`.
    pub(super) fn append(&mut self, next: Self) -> bool {
        let same =
            (self.space, self.binding, self.bindings) == (next.space, next.binding, next.bindings);
        match (self.elements, next.elements) {
            (Some((first, count)), Some((other, more))) if same && first + count == other => {
                self.elements = Some((first, count + more));
                self.one = false;
                true
            }
            _ => false,
        }
    }
}

impl BufferLayout {
    /// Bytes of an element.
    pub(crate) const fn stride(self) -> u32 {
        match self {
            Self::Words | Self::Counter => 4,
            Self::Vectors => 16,
            Self::Bytes | Self::Storage => 1,
        }
    }

    /// Whether elements are operands of any instruction.
    pub(super) const fn is_value(self) -> bool {
        matches!(self, Self::Words | Self::Vectors)
    }

    /// The layout that a declaration gives, if it declares a buffer variable.
    const fn of(kind: DeclKind) -> Option<Self> {
        match kind {
            DeclKind::Buffer => Some(Self::Words),
            DeclKind::Buffer4 => Some(Self::Vectors),
            DeclKind::Cbuffer => Some(Self::Bytes),
            DeclKind::Storage => Some(Self::Storage),
            DeclKind::Counter => Some(Self::Counter),
            DeclKind::Temp
            | DeclKind::Address
            | DeclKind::Attrib
            | DeclKind::Param
            | DeclKind::Output
            | DeclKind::Alias
            | DeclKind::Texture
            | DeclKind::Image
            | DeclKind::Shared
            | DeclKind::GroupSize
            | DeclKind::SharedMemory
            | DeclKind::SecondaryViewLayerOffset
            | DeclKind::SubroutineType
            | DeclKind::Subroutine => None,
        }
    }

    const fn space(self) -> BufferSpace {
        match self {
            Self::Words | Self::Vectors | Self::Bytes => BufferSpace::Parameter,
            Self::Storage => BufferSpace::Storage,
            Self::Counter => BufferSpace::Counter,
        }
    }

    /// Elements of the largest buffer.
    const fn most(self) -> u32 {
        match self {
            Self::Words | Self::Vectors | Self::Bytes => {
                limits::PARAMETER_BUFFER_WORDS * 4 / self.stride()
            }
            Self::Storage => limits::STORAGE_BUFFER_BYTES,
            Self::Counter => limits::COUNTER_BUFFER_WORDS,
        }
    }

    /// What a variable is, for messages.
    pub(super) const fn what(self) -> &'static str {
        match self {
            Self::Words | Self::Vectors | Self::Bytes => "a parameter buffer",
            Self::Storage => "a storage buffer",
            Self::Counter => "an atomic counter",
        }
    }

    /// Which instructions take a variable, for messages.
    pub(super) const fn only_for(self) -> &'static str {
        match self {
            Self::Words | Self::Vectors | Self::Bytes => "is a CBUFFER variable, for LDC only",
            Self::Storage => "is a STORAGE variable, for LDB, STB and ATOMB only",
            Self::Counter => "is a COUNTER variable, for ATOMCTR only",
        }
    }
}

impl BufferView {
    /// Binding points and elements of a variable with two indices.
    pub(super) fn sizes(self) -> Option<[u32; 2]> {
        Some([self.bindings?, self.elements?])
    }
}

impl MemoryKind {
    const fn wanted(self) -> &'static str {
        match self {
            Self::Constant => "a CBUFFER variable",
            Self::Shared => "a SHARED variable",
            Self::Storage => "a STORAGE variable",
            Self::Counter => "a COUNTER variable",
        }
    }

    fn takes(self, kind: VarKind) -> bool {
        match (self, kind) {
            (Self::Shared, VarKind::Shared { .. }) => true,
            (Self::Constant, VarKind::Buffer(view)) => view.layout == BufferLayout::Bytes,
            (Self::Storage, VarKind::Buffer(view)) => view.layout == BufferLayout::Storage,
            (Self::Counter, VarKind::Buffer(view)) => view.layout == BufferLayout::Counter,
            _ => false,
        }
    }
}

// Declarations.

impl Checker<'_> {
    /// `program.buffer[a][b]` and its like, ranges in either place.
    pub(super) fn buffer_binding(
        &self,
        segment: Segment,
        space: BufferSpace,
        span: Span,
    ) -> Result<Found, Failed> {
        let [points, second] = segment.brackets;
        let (buffers, most) = space.limits();
        let (binding, count, spans) = self.numbers(points, buffers, span)?;
        if spans && space == BufferSpace::Counter {
            let message = "an atomic counter variable uses one binding point";
            return fail(span, Code::BufferBindings, message);
        }
        if spans && self.version < Version::V5_0 {
            let message = "variables over several binding points need language version 5.0";
            return fail(span, Code::FeatureNewer, message);
        }
        let elements = self.elements_of(second, most, span)?;
        let one = matches!(second, Bracket::One(_));
        let range = BufferRange {
            space,
            binding,
            bindings: spans.then_some(count),
            elements,
            one,
        };
        Ok((Bound::Buffer(range), !one, 2))
    }

    /// Whether a binding is of the buffers that a declaration takes.
    pub(super) fn takes_buffers(decl: &Decl, range: BufferRange) -> bool {
        BufferLayout::of(decl.kind).is_some_and(|layout| layout.space() == range.space)
    }

    /// Makes a variable of buffer elements.
    pub(super) fn bind_buffer(&mut self, decl: &Decl, range: BufferRange) -> Option<Var> {
        let layout = BufferLayout::of(decl.kind)?;
        let (start, count) = range.elements.unwrap_or((0, layout.most()));
        let bounded = range.elements.is_some();
        if layout.is_value() {
            self.one_layout(decl, layout, range)?;
        }
        let mut view = BufferView {
            layout,
            binding: range.binding,
            bindings: range.bindings,
            start,
            elements: None,
        };
        let sizes = (decl.size, decl.size2);
        let array = match (range.bindings, sizes) {
            (None, (size, Size::Single)) => self.view_array(size, bounded, count)?,
            (None, _) => {
                let message = "two sizes need a binding over several binding points";
                self.error(Code::ArraySizeMismatch, decl.span, message);
                return None;
            }
            (Some(points), (size, Size::Single)) if range.one => {
                let size = if size == Size::Single {
                    Size::Open
                } else {
                    size
                };
                self.array_of(size, points as usize)?
            }
            (Some(_), (size, Size::Single)) => {
                view.elements = self.view_array(size, bounded, count)?;
                Some(0)
            }
            (Some(points), (size, size2)) => {
                self.array_of(size, points as usize)?;
                view.elements = self.view_array(size2, bounded, count)?;
                Some(0)
            }
        };
        Some(self.new_var(decl, VarKind::Buffer(view), array))
    }

    /// BUFFER and BUFFER4 variables exclude each other on a binding point. NV_gpu_program4 section 2.X.3.6.
    fn one_layout(&mut self, decl: &Decl, layout: BufferLayout, range: BufferRange) -> Option<()> {
        for binding in range.binding..range.binding + range.bindings.unwrap_or(1) {
            if *self.buffer_layouts.entry(binding).or_insert(layout) != layout {
                let message =
                    format!("parameter buffer {binding} is used by BUFFER and BUFFER4 variables");
                self.error(Code::BufferKind, decl.span, message);
                return None;
            }
        }
        Some(())
    }

    /// Array size of a view of a buffer: a whole buffer takes the declared size.
    pub(super) fn view_array(
        &mut self,
        size: Size,
        bounded: bool,
        count: u32,
    ) -> Option<Option<u32>> {
        match size {
            Size::Of(size, _) if !bounded && size > 0 => Some(Some(size)),
            Size::Of(..) | Size::Single | Size::Open => self.array_of(size, count as usize),
        }
    }
}

// Use.

impl Checker<'_> {
    /// An element of a variable that lies in memory.
    pub(super) fn memory_operand(&mut self, operand: &mut Operand, kind: MemoryKind) {
        let Base::Name(name) = operand.base else {
            return self.wrong_memory(operand.span, kind);
        };
        let Some(var) = self.var_of(name, operand.span) else {
            return;
        };
        let found = self.program.vars[var as usize].kind;
        if found == VarKind::Poisoned {
            return;
        }
        if !kind.takes(found) {
            return self.wrong_memory(operand.span, kind);
        }
        operand.base = Base::Var(var);
        if kind != MemoryKind::Constant && !(operand.suffix.is_none() && operand.signs.is_empty()) {
            let message = "this operand has no suffix, sign or absolute value";
            self.error(Code::MemoryOperand, operand.span, message);
        }
        self.index(var, operand.index, operand.span);
    }

    fn wrong_memory(&mut self, span: Span, kind: MemoryKind) {
        let message = format!("this operand must be {}", kind.wanted());
        self.error(Code::MemoryOperand, span, message);
    }

    /// The indices of a variable over several binding points.
    pub(super) fn two_indices(&mut self, var: u32, sizes: [u32; 2], index: Index, span: Span) {
        let text = self.var_text(var);
        let Index::Pair(pair) = index else {
            let message = format!("{text} needs two indices: binding point and element");
            self.error(Code::ArrayNeedsIndex, span, message);
            return;
        };
        let pair = self.syntax.ast.pairs[pair as usize];
        for (index, count) in pair.into_iter().zip(sizes) {
            match index {
                Index::Relative(relative) => self.relative(var, count, relative),
                Index::Const(number) if number < count => {}
                Index::Const(number) => {
                    let message =
                        format!("index {number} is out of bounds: {text} has {count} elements");
                    self.error(Code::IndexOutOfBounds, span, message);
                }
                Index::None | Index::Pair(_) => {}
            }
        }
    }

    /// ATOMCTR has one operation. NV_shader_atomic_counters section 2.X.8.Z.
    pub(super) fn counter_operation(&mut self, inst: &Inst) {
        if !inst.modifiers.mods().intersects(Mods::ANY_COUNTER) {
            let message = "`ATOMCTR` needs one of the operations INCR, DECR and GET";
            let span = self.opcode_span(inst);
            self.error(Code::AtomModifiers, span, message);
        }
    }

    /// Constant addresses lie within the declared shared memory. NV_compute_program5 section 2.X.7.Y.
    pub(super) fn shared_access(&mut self, operands: &[Operand], types: InstTypes) {
        let Some(operand) = operands.last() else {
            return;
        };
        if !self.shared_seen {
            self.error(
                Code::SharedMissing,
                operand.span,
                "the program declares no SHARED_MEMORY",
            );
            return;
        }
        let Some((
            _,
            &Var {
                kind: VarKind::Shared { start },
                ..
            },
        )) = self.program.var(operand.base)
        else {
            return;
        };
        let index = match operand.index {
            Index::Const(index) => index,
            Index::None => 0,
            // Addresses that are computed at run time are not known here.
            Index::Relative(_) | Index::Pair(_) => return,
        };
        let bytes = types.ty.width().bytes() * u32::from(types.components);
        if u64::from(start) + u64::from(index) + u64::from(bytes)
            > u64::from(self.program.shared_bytes)
        {
            let message = format!(
                "the access ends behind the {} bytes of shared memory",
                self.program.shared_bytes
            );
            self.error(Code::SharedBounds, operand.span, message);
        }
    }
}
