//! Elements of a declaration: the targets of its bindings and constants, from which variables are
//! created.

use crate::ast::{ArraySize, Decl, DeclItem, DeclKind};
use crate::check::bindings::binding_target::{BindingTarget, ResolvedPath};
use crate::check::bindings::buffers::{BufferRange, is_buffer_range_for};
use crate::check::bindings::per_vertex::check_same_owner;
use crate::check::context::RuleCx;
use crate::check::declarations::{BINDING_DECLARATIONS, DeclarationRules};
use crate::check::names::declared_base_type;
use crate::codes::Code;
use crate::lang::bindings::BindingInfo;
use crate::lang::limits;
use crate::variables::AttribOwner;
use glasm_ir::{ParamSource, Span};

/// The elements of a declaration, by kind.
pub(super) enum DeclElements {
    /// Attributes in the checker's list, and their holder.
    Attribs(AttribOwner),
    /// Results in the checker's list.
    Results,
    /// The parameters of the program from this one on.
    Params(u32),
    Textures(UnitRange),
    Images(UnitRange),
    Subroutines(Vec<u32>),
    Buffer(BufferRange),
    Shared(Option<(u32, u32)>),
    /// A binding with dynamic index.
    Relative(BindingTarget, u32),
}

/// Texture units or image units.
#[derive(Clone, Copy)]
pub(super) struct UnitRange {
    pub(super) first: u32,
    pub(super) count: u32,
    /// True if each element directly follows the one before.
    pub(super) is_ordered: bool,
}

impl UnitRange {
    /// Creates an ordered range of `count` elements from `first` on.
    fn new(first: u32, count: u32) -> Self {
        Self {
            first,
            count,
            is_ordered: true,
        }
    }

    /// Adds the elements of `next`. The range remains ordered only if `next` is ordered and begins
    /// directly after the last element; the count is the sum in any case.
    fn append(&mut self, next: Self) {
        self.is_ordered &= next.is_ordered && self.first + self.count == next.first;
        self.count += next.count;
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Returns the resolved bindings and constants of a declaration; `None` after a reported error,
    /// and without any. Attributes and results are collected in the list of the state, parameters
    /// are added to the program. All items are checked, unless there are too many elements.
    pub(super) fn collect_elements(&mut self, decl: &Decl) -> Option<DeclElements> {
        let mut elements: Option<DeclElements> = None;
        let mut failed = false;
        // A declaration with an error may have left entries.
        self.state.io_elements.clear();
        // The first item of SUBROUTINE is its type.
        let first_binding_item = u32::from(decl.kind == DeclKind::Subroutine);
        for index in first_binding_item..decl.item_count {
            let item = self.resolver.cx.ast.items[(decl.first_item + index) as usize];
            // Every item may be a range, so the sum is checked before the next range is expanded.
            if elements
                .as_ref()
                .is_some_and(|elements| self.count_elements(elements) as u64 > limits::PARAMETERS)
            {
                let message = "too many bindings in an array";
                self.resolver.cx.report_error(
                    Code::TooManyParameters,
                    self.resolver.cx.item_span(item),
                    message,
                );
                return None;
            }
            match self.resolve_item(decl, item) {
                Some(found) => match &mut elements {
                    None => elements = Some(found),
                    Some(list) => {
                        let cx = &mut self.resolver.cx;
                        let span = cx.item_span(item);
                        failed |= !append_elements(cx, list, found, span);
                    }
                },
                None => failed = true,
            }
        }
        elements.filter(|_| !failed)
    }

    /// Returns the number of elements that a declaration has collected; memory and dynamically
    /// indexed bindings are one element.
    fn count_elements(&self, elements: &DeclElements) -> usize {
        match elements {
            DeclElements::Attribs(_) | DeclElements::Results => self.state.io_elements.len(),
            DeclElements::Params(first) => self.resolver.program.params.len() - *first as usize,
            DeclElements::Textures(units) | DeclElements::Images(units) => units.count as usize,
            DeclElements::Subroutines(list) => list.len(),
            // Only the bounds of memory are stored, regardless of its size.
            DeclElements::Buffer(_) | DeclElements::Shared(_) | DeclElements::Relative(..) => 1,
        }
    }

    /// Adds a parameter to the program and returns it as the first of the elements of a
    /// declaration.
    fn add_param(&mut self, source: ParamSource) -> DeclElements {
        self.resolver.program.params.push(source);
        DeclElements::Params(self.resolver.program.params.len() as u32 - 1)
    }

    /// Returns the elements of an item of a declaration, which is a binding path or, in PARAM
    /// declarations, a constant. Returns `None` after a reported error.
    fn resolve_item(&mut self, decl: &Decl, item: DeclItem) -> Option<DeclElements> {
        match item {
            DeclItem::Path(path) => self.resolve_path_item(decl, path),
            // The type of the declaration decides how the digits are interpreted. NV_gpu_program4
            // section 2.X.3.3.
            DeclItem::Scalar(literal) if decl.kind == DeclKind::Param => {
                let bits = self
                    .resolver
                    .cx
                    .read_scalar_constant(literal, declared_base_type(decl.mods))?;
                Some(self.add_param(ParamSource::Literal(bits)))
            }
            DeclItem::Vector { first, count, .. } if decl.kind == DeclKind::Param => {
                let bits = self.resolver.cx.read_vector_constant(
                    first,
                    count,
                    declared_base_type(decl.mods),
                )?;
                Some(self.add_param(ParamSource::Literal(bits)))
            }
            DeclItem::Scalar(_)
            | DeclItem::Vector { .. }
            | DeclItem::Name(..)
            | DeclItem::Number(..) => {
                let span = self.resolver.cx.item_span(item);
                report_wrong_binding(&mut self.resolver.cx, decl, span);
                None
            }
        }
    }

    /// Returns the elements of a binding path of a declaration, as
    /// [`add_path_elements`](Self::add_path_elements) does. Returns `None` after reporting a
    /// suffix, a binding of the wrong kind, or a range for a variable that is not an array.
    fn resolve_path_item(&mut self, decl: &Decl, path: u32) -> Option<DeclElements> {
        let span = self.resolver.cx.ast.paths[path as usize].span;
        let resolved = self.resolver.resolve_binding_path(path)?;
        if let Some(rest) = resolved.suffix_span {
            let message = "a binding in a declaration has no suffix";
            self.resolver
                .cx
                .report_error(Code::UnexpectedToken, rest, message);
            return None;
        }
        let Some(elements) = self.add_path_elements(decl, &resolved) else {
            report_wrong_binding(&mut self.resolver.cx, decl, span);
            return None;
        };
        // A range has several elements, even one such as [2..2], which belongs in braces.
        if resolved.is_range && decl.size == ArraySize::NotArray {
            let is_matrix =
                matches!(resolved.target, BindingTarget::Params(params) if params.is_matrix());
            check_range_without_array(&mut self.resolver.cx, is_matrix, span);
            return None;
        }
        Some(elements)
    }

    /// Adds `count` bindings of a table entry, from number `first` on, to the list of attributes or
    /// results of the current declaration.
    fn add_io_elements(&mut self, row: &'static BindingInfo, first: u32, count: u32) {
        let numbers = first..first + count;
        self.state
            .io_elements
            .extend(numbers.map(|number| (row, number)));
    }

    /// Returns the elements of a binding, which for attributes and results it adds to the list of
    /// the declaration, for parameters to the program; `None`, without a report, if the declaration
    /// takes other bindings.
    fn add_path_elements(&mut self, decl: &Decl, resolved: &ResolvedPath) -> Option<DeclElements> {
        Some(match (decl.kind, resolved.target) {
            (DeclKind::Attrib, bound @ BindingTarget::Attrib(..))
            | (DeclKind::Output, bound @ BindingTarget::Result(..))
                // Before the arms for bindings with numbers: here `bound` is everything that the
                // index can select.
                if resolved.relative_index.is_some() && decl.size == ArraySize::NotArray =>
            {
                DeclElements::Relative(bound, resolved.relative_index.unwrap_or_default())
            }
            (DeclKind::Attrib, BindingTarget::Attrib(row, first, count, holder)) => {
                self.add_io_elements(row, first, count);
                DeclElements::Attribs(holder)
            }
            (DeclKind::Output, BindingTarget::Result(row, first, count)) => {
                self.add_io_elements(row, first, count);
                DeclElements::Results
            }
            (DeclKind::Param, BindingTarget::Params(params)) => {
                let first = self.resolver.program.params.len() as u32;
                self.resolver.program.params.extend(params.sources());
                DeclElements::Params(first)
            }
            (DeclKind::Texture, BindingTarget::Texture { first, count }) => {
                DeclElements::Textures(UnitRange::new(first, count))
            }
            (DeclKind::Image, BindingTarget::Image { first, count }) => {
                DeclElements::Images(UnitRange::new(first, count))
            }
            // Regardless of the kind: several declarations take `program.buffer`.
            (_, BindingTarget::Buffer(range)) if is_buffer_range_for(decl, range) => {
                DeclElements::Buffer(range)
            }
            (DeclKind::Shared, BindingTarget::Shared(elements)) => DeclElements::Shared(elements),
            (DeclKind::Subroutine, BindingTarget::Subroutines { first, count }) => {
                DeclElements::Subroutines((first..first + count).collect())
            }
            _ => return None,
        })
    }
}

/// Appends the elements of another item, at `span`, to those of a declaration. Returns false after
/// reporting elements that one variable cannot combine.
fn append_elements(
    cx: &mut RuleCx<'_>,
    list: &mut DeclElements,
    found: DeclElements,
    span: Span,
) -> bool {
    if let (DeclElements::Buffer(list), DeclElements::Buffer(found)) = (&mut *list, &found)
        && list.try_append(*found)
    {
        return true;
    }
    match (list, found) {
        // Their lists have them already.
        (DeclElements::Attribs(first), DeclElements::Attribs(next)) => {
            check_same_owner(cx, *first, next, span)
        }
        (DeclElements::Results, DeclElements::Results)
        | (DeclElements::Params(_), DeclElements::Params(_)) => true,
        (DeclElements::Textures(list), DeclElements::Textures(more))
        | (DeclElements::Images(list), DeclElements::Images(more)) => {
            list.append(more);
            true
        }
        (DeclElements::Subroutines(list), DeclElements::Subroutines(more)) => {
            list.extend(more);
            true
        }
        // "Must increase consecutively": NV_compute_program5 section 2.X.3.Y.
        (DeclElements::Shared(Some((first, count))), DeclElements::Shared(Some((next, more))))
            if *first + *count == next =>
        {
            *count += more;
            true
        }
        _ => report_not_consecutive(cx, span),
    }
}

/// Reports buffer elements that do not follow the previous ones of the variable. Returns false for
/// the caller to return.
fn report_not_consecutive(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let message = "the bindings of a buffer variable must be consecutive elements of one buffer";
    cx.report_error(Code::BufferBindings, span, message);
    false
}

/// Reports the binding at `span`, a range or a whole matrix, in the declaration of a variable that
/// is not an array.
#[cold]
fn check_range_without_array(cx: &mut RuleCx<'_>, is_matrix: bool, span: Span) {
    let is_whole_matrix = is_matrix && !cx.source_string(span).contains(".row");
    let (code, message) = if is_whole_matrix {
        (
            Code::MatrixNeedsRow,
            "a whole matrix needs an array; select a row with .row[n]",
        )
    } else {
        (Code::RangeAsOperand, "a range needs an array variable")
    };
    cx.report_error(code, span, message);
}

/// Reports a binding that the kind of declaration does not take, with the bindings that it does.
pub(super) fn report_wrong_binding(cx: &mut RuleCx<'_>, decl: &Decl, span: Span) {
    let row = BINDING_DECLARATIONS
        .iter()
        .find(|(kind, ..)| *kind == decl.kind);
    let wanted = row.map_or("nothing", |(_, _, wanted, _)| wanted);
    let message = format!("this declaration needs {wanted} as binding");
    cx.report_error(Code::BindingUnknown, span, message);
}
