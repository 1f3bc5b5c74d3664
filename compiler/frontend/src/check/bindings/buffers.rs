//! Variables in buffers: BUFFER, BUFFER4, CBUFFER, STORAGE and COUNTER. NV_gpu_program4 and
//! NV_gpu_program5 section 2.X.3.6, NV_shader_storage_buffer_object and NV_shader_atomic_counters
//! section 2.X.3.Y.

use crate::ast::{ArraySize, Decl, DeclKind, PathBracket, PathSegment};
use crate::check::bindings::binding_target::{
    BindingTarget, BoxedPathError, FoundBinding, err_path, read_element_range, read_index_range,
};
use crate::check::context::RuleCx;
use crate::check::declarations::DeclarationRules;
use crate::check::names::{check_array_size, check_view_size, make_var};
use crate::codes::Code;
use crate::lang::limits;
use crate::source::Version;
use crate::variables::{BufferLayout, BufferView, Var, VarKind};
use glasm_ir::Span;

/// An entry: the buffers that one binding names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpaceInfo {
    space: BufferSpace,
    /// Binding points.
    binding_points: u32,
    /// Elements of a buffer, in the layout that has most of them.
    max_elements: u32,
    /// Kind of the variable, for messages.
    pub(crate) description: &'static str,
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
    max_elements: u32,
}

macro_rules! spaces {
    ($($(#[doc = $doc:literal])* $name:ident $binding_points:expr, $max_elements:expr, $description:literal $only_for:literal $code:ident $direct_use:literal;)*) => {
        /// The buffers that one binding names.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum BufferSpace { $($(#[doc = $doc])* $name),* }

        static SPACES: &[SpaceInfo] = &[$(SpaceInfo {
            space: BufferSpace::$name,
            binding_points: $binding_points,
            max_elements: $max_elements,
            description: $description,
            only_for: $only_for,
            direct_use: (Code::$code, $direct_use),
        }),*];
    };
}
macro_rules! layouts {
    ($($name:ident $decl:ident $space:ident $stride:literal $max_elements:expr;)*) => {
        static LAYOUTS: &[LayoutInfo] = &[$(LayoutInfo {
            layout: BufferLayout::$name,
            decl: DeclKind::$decl,
            space: BufferSpace::$space,
            stride: $stride,
            max_elements: $max_elements,
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
    pub(crate) binding_count: Option<u32>,
    /// First element and number of them; `None` is the whole buffer.
    pub(crate) elements: Option<(u32, u32)>,
    /// True if it names one element without being a range.
    pub(crate) is_single_element: bool,
}

impl BufferSpace {
    /// Returns the table entry of the kind of buffer: limits, description and errors of its
    /// bindings.
    pub(crate) fn buffer_info(self) -> &'static SpaceInfo {
        let row = SPACES.iter().find(|row| row.space == self);
        row.unwrap_or(&SPACES[0])
    }
}

impl BufferLayout {
    /// Returns the table entry of the layout: its declaring keyword, kind of buffer, stride and
    /// largest size.
    fn layout_info(self) -> &'static LayoutInfo {
        let row = LAYOUTS.iter().find(|row| row.layout == self);
        row.unwrap_or(&LAYOUTS[0])
    }

    /// Returns the size of an element in bytes.
    pub(crate) fn stride(self) -> u32 {
        self.layout_info().stride
    }

    /// Returns true if elements are operands of any instruction.
    pub(crate) const fn is_value(self) -> bool {
        matches!(self, Self::Words | Self::Vectors)
    }

    /// Returns the facts about the buffers that contain the elements of its variables.
    pub(crate) fn buffer_info(self) -> &'static SpaceInfo {
        self.layout_info().space.buffer_info()
    }
}

impl BufferRange {
    /// Appends the elements of `next` if they follow those of `self` in the same buffer; returns
    /// false, and changes nothing, if they do not.
    pub(crate) fn try_append(&mut self, next: Self) -> bool {
        let same = (self.space, self.binding, self.binding_count)
            == (next.space, next.binding, next.binding_count);
        match (self.elements, next.elements) {
            // NV_gpu_program4 section 2.X.3.6: bindings of an array use one binding point and
            // increase consecutively.
            (Some((first, count)), Some((other, more))) if same && first + count == other => {
                self.elements = Some((first, count + more));
                self.is_single_element = false;
                true
            }
            _ => false,
        }
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Returns the variable of a declaration of buffer elements, and records the layout of its
    /// buffers. Returns `None` after reporting wrong sizes or a conflicting layout, and for
    /// declarations of no buffers.
    pub(crate) fn create_buffer_var(&mut self, decl: &Decl, range: BufferRange) -> Option<Var> {
        let row = LAYOUTS.iter().find(|row| row.decl == decl.kind)?;
        let (start, count) = range.elements.unwrap_or((0, row.max_elements));
        let bounded = range.elements.is_some();
        if row.layout.is_value() {
            // CBUFFER variables may share a binding point with others: they count bytes and are not
            // values.
            self.check_exclusive_layout(decl, row.layout, range)?;
        }
        let mut view = BufferView {
            layout: row.layout,
            binding: range.binding,
            binding_count: range.binding_count,
            first_element: start,
            element_count: None,
        };
        // Sizes are in the order of indices: that of the binding points first, that of the elements
        // after it.
        let has_two_sizes = decl.second_size != ArraySize::NotArray;
        let array = match range.binding_count {
            None if has_two_sizes => {
                let message = "two sizes need a binding over several binding points";
                self.resolver
                    .cx
                    .report_error(Code::ArraySizeMismatch, decl.span, message);
                return None;
            }
            None => check_view_size(&mut self.resolver.cx, decl.size, bounded, count)?,
            // The size is that of the binding points: a single element needs no size.
            Some(points) if range.is_single_element && !has_two_sizes => {
                let is_open = decl.size == ArraySize::NotArray;
                let size = if is_open {
                    ArraySize::Unsized
                } else {
                    decl.size
                };
                check_array_size(&mut self.resolver.cx, size, points as usize)?
            }
            Some(points) => {
                if has_two_sizes {
                    check_array_size(&mut self.resolver.cx, decl.size, points as usize)?;
                }
                let elements = if has_two_sizes {
                    decl.second_size
                } else {
                    decl.size
                };
                view.element_count =
                    check_view_size(&mut self.resolver.cx, elements, bounded, count)?;
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

    /// Records the layout of the buffers of a declaration. Returns `None` after reporting that
    /// BUFFER and BUFFER4 variables share a binding point. NV_gpu_program4 section 2.X.3.6.
    fn check_exclusive_layout(
        &mut self,
        decl: &Decl,
        layout: BufferLayout,
        range: BufferRange,
    ) -> Option<()> {
        // At most as many as there are binding points, which `read_index_range` has checked.
        for binding in range.binding..range.binding + range.binding_count.unwrap_or(1) {
            if *self.state.buffer_layouts.entry(binding).or_insert(layout) != layout {
                let message =
                    format!("parameter buffer {binding} is used by BUFFER and BUFFER4 variables");
                self.resolver
                    .cx
                    .report_error(Code::BufferKind, decl.span, message);
                return None;
            }
        }
        Some(())
    }
}

/// Returns the binding of `program.buffer[a][b]` and similar paths, with ranges in either bracket;
/// without the second one it is the whole buffer. Fails for numbers out of range, and ranges of
/// binding points that the version or the kind of buffer does not have.
pub(crate) fn find_buffer_binding(
    cx: &RuleCx<'_>,
    segment: PathSegment,
    space: BufferSpace,
    span: Span,
) -> Result<FoundBinding, BoxedPathError> {
    let [points, second] = segment.brackets;
    let limits = space.buffer_info();
    let (binding, count, spans) = read_index_range(cx, points, limits.binding_points, span)?;
    // NV_shader_atomic_counters section 2.X.3.Y has no ranges of binding points, unlike
    // NV_gpu_program5 section 2.X.3.6.
    if spans && space == BufferSpace::Counter {
        let message = "an atomic counter variable uses one binding point";
        return err_path(span, Code::BufferBindings, message);
    }
    if spans && cx.version < Version::V5_0 {
        let message = "variables over several binding points need language version 5.0";
        return err_path(span, Code::FeatureNewer, message);
    }
    let elements = read_element_range(cx, second, limits.max_elements, span)?;
    let is_single_element = matches!(second, PathBracket::Single(_));
    let range = BufferRange {
        space,
        binding,
        binding_count: spans.then_some(count),
        elements,
        is_single_element,
    };
    // A binding without elements is the whole buffer: a range, which only an array can take.
    Ok((BindingTarget::Buffer(range), !is_single_element, 2))
}

/// Returns true if a declaration takes bindings of this kind of buffer.
pub(crate) fn is_buffer_range_for(decl: &Decl, range: BufferRange) -> bool {
    let mut rows = LAYOUTS.iter();
    rows.any(|row| row.decl == decl.kind && row.space == range.space)
}
