//! Variables in buffers: BUFFER, BUFFER4, CBUFFER, STORAGE and COUNTER. NV_gpu_program4 and
//! NV_gpu_program5 section 2.X.3.6, NV_shader_storage_buffer_object and NV_shader_atomic_counters
//! section 2.X.3.Y.

use crate::ast::{Bracket, Decl, DeclKind, Segment, Size};
use crate::check::bindings::brackets::{
    Bound, Failed, FoundBinding, fail, read_elements, read_numbers,
};
use crate::check::context::RuleCx;
use crate::check::declarations::context::DeclarationRules;
use crate::check::names::declare::{check_array_size, check_view_size, make_var};
use crate::codes::Code;
use crate::lang::limits;
use crate::source::Version;
use crate::vars::{BufferLayout, BufferView, Var, VarKind};
use glasm_ir::Span;

/// An entry: the buffers that one binding names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceInfo {
    space: BufferSpace,
    /// Binding points.
    points: u32,
    /// Elements of a buffer, in the layout that has most of them.
    most: u32,
    /// Kind of the variable, for messages.
    pub(crate) what: &'static str,
    /// Message about the use of a variable that is not a value: kind, and the instructions that
    /// take it.
    pub(crate) only_for: &'static str,
    /// The error of using the binding in an instruction.
    pub(crate) direct_use: (Code, &'static str),
}

/// An entry: a layout of the elements of a buffer.
#[derive(Clone, Copy, Debug)]
struct LayoutInfo {
    layout: BufferLayout,
    /// Keyword that declares its variables.
    decl: DeclKind,
    space: BufferSpace,
    /// Bytes of an element.
    stride: u32,
    /// Elements of the largest buffer.
    most: u32,
}

macro_rules! spaces {
    ($($(#[doc = $doc:literal])* $name:ident $points:expr, $most:expr, $what:literal $only_for:literal $code:ident $direct_use:literal;)*) => {
        /// The buffers that one binding names.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum BufferSpace { $($(#[doc = $doc])* $name),* }

        static SPACES: &[SpaceInfo] = &[$(SpaceInfo {
            space: BufferSpace::$name,
            points: $points,
            most: $most,
            what: $what,
            only_for: $only_for,
            direct_use: (Code::$code, $direct_use),
        }),*];
    };
}
macro_rules! layouts {
    ($($name:ident $decl:ident $space:ident $stride:literal $most:expr;)*) => {
        static LAYOUTS: &[LayoutInfo] = &[$(LayoutInfo {
            layout: BufferLayout::$name,
            decl: DeclKind::$decl,
            space: BufferSpace::$space,
            stride: $stride,
            most: $most,
        }),*];
    };
}

spaces! {
    // Columns: name, binding points, elements; kind of the variable, instructions that take it,
    // error for a use of the binding in an instruction.
    /// `program.buffer`
    Parameter limits::PARAMETER_BUFFERS, limits::PARAMETER_BUFFER_WORDS * 4, "a parameter buffer" "is a CBUFFER variable, for LDC only"
        BufferOperand "elements of parameter buffers need a BUFFER variable";
    /// `program.storage`
    Storage limits::STORAGE_BUFFERS, limits::STORAGE_BUFFER_BYTES, "a storage buffer" "is a STORAGE variable, for LDB, STB and ATOMB only"
        MemoryOperand "elements of storage buffers need a STORAGE variable";
    /// `program.counter`
    Counter limits::COUNTER_BUFFERS, limits::COUNTER_BUFFER_WORDS, "an atomic counter" "is a COUNTER variable, for ATOMCTR only"
        MemoryOperand "atomic counters need a COUNTER variable";
}

layouts! {
    // name, declaration, buffers, bytes of an element, elements
    Words Buffer Parameter 4 limits::PARAMETER_BUFFER_WORDS;
    Vectors Buffer4 Parameter 16 limits::PARAMETER_BUFFER_WORDS / 4;
    Bytes Cbuffer Parameter 1 limits::PARAMETER_BUFFER_WORDS * 4;
    Storage Storage Storage 1 limits::STORAGE_BUFFER_BYTES;
    Counter Counter Counter 4 limits::COUNTER_BUFFER_WORDS;
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
    /// True if it names one element without being a range.
    pub(crate) one: bool,
}

impl BufferSpace {
    /// Returns the entry.
    pub(crate) fn info(self) -> &'static SpaceInfo {
        let row = SPACES.iter().find(|row| row.space == self);
        row.unwrap_or(&SPACES[0])
    }
}

impl BufferLayout {
    fn info(self) -> &'static LayoutInfo {
        let row = LAYOUTS.iter().find(|row| row.layout == self);
        row.unwrap_or(&LAYOUTS[0])
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn stride(self) -> u32 {
        self.info().stride
    }

    /// Returns true if elements are operands of any instruction.
    pub(crate) const fn is_value(self) -> bool {
        matches!(self, Self::Words | Self::Vectors)
    }

    /// Returns the facts about the buffers that contain the elements of its variables.
    pub(crate) fn space(self) -> &'static SpaceInfo {
        self.info().space.info()
    }
}

impl BufferRange {
    /// Appends the elements of `next` if they follow those of `self`; returns false if they do not.
    pub(crate) fn append(&mut self, next: Self) -> bool {
        let same =
            (self.space, self.binding, self.bindings) == (next.space, next.binding, next.bindings);
        match (self.elements, next.elements) {
            // NV_gpu_program4 section 2.X.3.6: bindings of an array use one binding point and
            // increase consecutively.
            (Some((first, count)), Some((other, more))) if same && first + count == other => {
                self.elements = Some((first, count + more));
                self.one = false;
                true
            }
            _ => false,
        }
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Creates a variable of buffer elements.
    pub(crate) fn bind_buffer(&mut self, decl: &Decl, range: BufferRange) -> Option<Var> {
        let row = LAYOUTS.iter().find(|row| row.decl == decl.kind)?;
        let (start, count) = range.elements.unwrap_or((0, row.most));
        let bounded = range.elements.is_some();
        if row.layout.is_value() {
            // CBUFFER variables may share a binding point with others: they count bytes and are not
            // values.
            self.check_one_layout(decl, row.layout, range)?;
        }
        let mut view = BufferView {
            layout: row.layout,
            binding: range.binding,
            bindings: range.bindings,
            start,
            elements: None,
        };
        // Sizes are in the order of indices: that of the binding points first, that of the elements
        // after it.
        let has_two_sizes = decl.size2 != Size::Single;
        let array = match range.bindings {
            None if has_two_sizes => {
                let message = "two sizes need a binding over several binding points";
                self.resolver
                    .cx
                    .error(Code::ArraySizeMismatch, decl.span, message);
                return None;
            }
            None => check_view_size(&mut self.resolver.cx, decl.size, bounded, count)?,
            // The size is that of the binding points: a single element needs no size.
            Some(points) if range.one && !has_two_sizes => {
                let is_open = decl.size == Size::Single;
                let size = if is_open { Size::Open } else { decl.size };
                check_array_size(&mut self.resolver.cx, size, points as usize)?
            }
            Some(points) => {
                if has_two_sizes {
                    check_array_size(&mut self.resolver.cx, decl.size, points as usize)?;
                }
                let elements = if has_two_sizes { decl.size2 } else { decl.size };
                view.elements = check_view_size(&mut self.resolver.cx, elements, bounded, count)?;
                // Both sizes are in the view. 0 elements here, so that every constant index is
                // checked against it.
                Some(0)
            }
        };
        Some(make_var(
            &self.resolver.cx,
            decl,
            VarKind::Buffer(view),
            array,
        ))
    }

    /// Checks that BUFFER and BUFFER4 variables exclude each other on a binding point.
    /// NV_gpu_program4 section 2.X.3.6.
    fn check_one_layout(
        &mut self,
        decl: &Decl,
        layout: BufferLayout,
        range: BufferRange,
    ) -> Option<()> {
        // At most as many as there are binding points, which `read_numbers` has checked.
        for binding in range.binding..range.binding + range.bindings.unwrap_or(1) {
            if *self.state.buffer_layouts.entry(binding).or_insert(layout) != layout {
                let message =
                    format!("parameter buffer {binding} is used by BUFFER and BUFFER4 variables");
                self.resolver.cx.error(Code::BufferKind, decl.span, message);
                return None;
            }
        }
        Some(())
    }
}

/// Finds the binding of `program.buffer[a][b]` and similar paths, with ranges in either bracket.
pub(crate) fn find_buffer(
    cx: &RuleCx<'_>,
    segment: Segment,
    space: BufferSpace,
    span: Span,
) -> Result<FoundBinding, Failed> {
    let [points, second] = segment.brackets;
    let limits = space.info();
    let (binding, count, spans) = read_numbers(cx, points, limits.points, span)?;
    // NV_shader_atomic_counters section 2.X.3.Y has no ranges of binding points, unlike
    // NV_gpu_program5 section 2.X.3.6.
    if spans && space == BufferSpace::Counter {
        let message = "an atomic counter variable uses one binding point";
        return fail(span, Code::BufferBindings, message);
    }
    if spans && cx.version < Version::V5_0 {
        let message = "variables over several binding points need language version 5.0";
        return fail(span, Code::FeatureNewer, message);
    }
    let elements = read_elements(cx, second, limits.most, span)?;
    let one = matches!(second, Bracket::One(_));
    let range = BufferRange {
        space,
        binding,
        bindings: spans.then_some(count),
        elements,
        one,
    };
    // A binding without elements is the whole buffer: a range, which only an array can take.
    Ok((Bound::Buffer(range), !one, 2))
}

/// Returns true if a binding denotes buffers that a declaration takes.
pub(crate) fn takes_buffers(decl: &Decl, range: BufferRange) -> bool {
    let mut rows = LAYOUTS.iter();
    rows.any(|row| row.decl == decl.kind && row.space == range.space)
}
