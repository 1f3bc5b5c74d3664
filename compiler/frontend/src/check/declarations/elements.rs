//! Elements of a declaration: the targets of its bindings and constants, from which variables are
//! created.

use crate::ast::{Decl, DeclKind, Item, Size};
use crate::check::bindings::brackets::{Bound, Resolved};
use crate::check::bindings::buffers::{BufferRange, takes_buffers};
use crate::check::bindings::vertices::check_same_holder;
use crate::check::context::RuleCx;
use crate::check::declarations::context::{BOUND, DeclarationRules};
use crate::check::names::declare::base_of;
use crate::codes::Code;
use crate::lang::bindings::BindingInfo;
use crate::lang::limits;
use crate::vars::Holder;
use glasm_ir::{ParamSource, Span};

/// The elements of a declaration, by kind.
pub(super) enum Elements {
    /// Attributes in the checker's list, and their holder.
    Attribs(Holder),
    /// Results in the checker's list.
    Results,
    /// The parameters of the program from this one on.
    Params(u32),
    Textures(Units),
    Images(Units),
    Subroutines(Vec<u32>),
    Buffer(BufferRange),
    Shared(Option<(u32, u32)>),
    /// A binding with dynamic index.
    Relative(Bound, u32),
}

/// Texture units or image units.
#[derive(Clone, Copy)]
pub(super) struct Units {
    pub(super) first: u32,
    pub(super) count: u32,
    /// True if each element directly follows the one before.
    pub(super) is_ordered: bool,
}

impl Units {
    fn new(first: u32, count: u32) -> Self {
        Self {
            first,
            count,
            is_ordered: true,
        }
    }

    fn append(&mut self, next: Self) {
        self.is_ordered &= next.is_ordered && self.first + self.count == next.first;
        self.count += next.count;
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Resolves the items of a declaration.
    pub(super) fn collect_elements(&mut self, decl: &Decl) -> Option<Elements> {
        let mut elements: Option<Elements> = None;
        let mut failed = false;
        // A declaration with an error may have left entries.
        self.state.io_elements.clear();
        // The first item of SUBROUTINE is its type.
        let first = u32::from(decl.kind == DeclKind::Subroutine);
        for index in first..decl.item_count {
            let item = self.resolver.cx.ast.items[(decl.first_item + index) as usize];
            // Every item may be a range, so the sum is checked before the next range is expanded.
            if elements
                .as_ref()
                .is_some_and(|elements| self.count_elements(elements) as u64 > limits::PARAMETERS)
            {
                let message = "too many bindings in an array";
                self.resolver.cx.error(
                    Code::TooManyParameters,
                    self.resolver.cx.item_span(item),
                    message,
                );
                return None;
            }
            match self.read_item(decl, item) {
                Some(found) => match &mut elements {
                    None => elements = Some(found),
                    Some(list) => {
                        let cx = &mut self.resolver.cx;
                        let span = cx.item_span(item);
                        failed |= !append_bound(cx, list, found, span);
                    }
                },
                None => failed = true,
            }
        }
        elements.filter(|_| !failed)
    }

    /// Returns the number of elements.
    fn count_elements(&self, elements: &Elements) -> usize {
        match elements {
            Elements::Attribs(_) | Elements::Results => self.state.io_elements.len(),
            Elements::Params(first) => self.resolver.program.params.len() - *first as usize,
            Elements::Textures(units) | Elements::Images(units) => units.count as usize,
            Elements::Subroutines(list) => list.len(),
            // Only the bounds of memory are stored, regardless of its size.
            Elements::Buffer(_) | Elements::Shared(_) | Elements::Relative(..) => 1,
        }
    }

    /// Adds a parameter of the program.
    fn add_param(&mut self, source: ParamSource) -> Elements {
        self.resolver.program.params.push(source);
        Elements::Params(self.resolver.program.params.len() as u32 - 1)
    }

    fn read_item(&mut self, decl: &Decl, item: Item) -> Option<Elements> {
        match item {
            Item::Path(path) => self.read_path_item(decl, path),
            // The type of the declaration decides how the digits are interpreted. NV_gpu_program4
            // section 2.X.3.3.
            Item::Scalar(literal) if decl.kind == DeclKind::Param => {
                let bits = self
                    .resolver
                    .cx
                    .read_scalar_constant(literal, base_of(decl.mods))?;
                Some(self.add_param(ParamSource::Literal(bits)))
            }
            Item::Vector { first, count, .. } if decl.kind == DeclKind::Param => {
                let bits =
                    self.resolver
                        .cx
                        .read_vector_constant(first, count, base_of(decl.mods))?;
                Some(self.add_param(ParamSource::Literal(bits)))
            }
            Item::Scalar(_) | Item::Vector { .. } | Item::Name(..) | Item::Number(..) => {
                let span = self.resolver.cx.item_span(item);
                report_wrong_binding(&mut self.resolver.cx, decl, span);
                None
            }
        }
    }

    fn read_path_item(&mut self, decl: &Decl, path: u32) -> Option<Elements> {
        let span = self.resolver.cx.ast.paths[path as usize].span;
        let resolved = self.resolver.resolve(path)?;
        if let Some(rest) = resolved.rest {
            let message = "a binding in a declaration has no suffix";
            self.resolver.cx.error(Code::UnexpectedToken, rest, message);
            return None;
        }
        let Some(elements) = self.add_path_elements(decl, &resolved) else {
            report_wrong_binding(&mut self.resolver.cx, decl, span);
            return None;
        };
        // A range has several elements, even one such as [2..2], which belongs in braces.
        if resolved.range && decl.size == Size::Single {
            let is_matrix = matches!(resolved.bound, Bound::Params(params) if params.is_matrix());
            check_range_without_array(&mut self.resolver.cx, is_matrix, span);
            return None;
        }
        Some(elements)
    }

    #[inline]
    fn add_io_elements(&mut self, row: &'static BindingInfo, first: u32, count: u32) {
        let numbers = first..first + count;
        self.state
            .io_elements
            .extend(numbers.map(|number| (row, number)));
    }

    /// Adds the elements of a binding; `None` if the declaration takes other bindings.
    #[inline]
    fn add_path_elements(&mut self, decl: &Decl, resolved: &Resolved) -> Option<Elements> {
        Some(match (decl.kind, resolved.bound) {
            (DeclKind::Attrib, bound @ Bound::Attrib(..))
            | (DeclKind::Output, bound @ Bound::Result(..))
                // Before the arms for bindings with numbers: here `bound` is everything that the
                // index can select.
                if resolved.relative.is_some() && decl.size == Size::Single =>
            {
                Elements::Relative(bound, resolved.relative.unwrap_or_default())
            }
            (DeclKind::Attrib, Bound::Attrib(row, first, count, holder)) => {
                self.add_io_elements(row, first, count);
                Elements::Attribs(holder)
            }
            (DeclKind::Output, Bound::Result(row, first, count)) => {
                self.add_io_elements(row, first, count);
                Elements::Results
            }
            (DeclKind::Param, Bound::Params(params)) => {
                let first = self.resolver.program.params.len() as u32;
                self.resolver.program.params.extend(params.sources());
                Elements::Params(first)
            }
            (DeclKind::Texture, Bound::Texture { first, count }) => {
                Elements::Textures(Units::new(first, count))
            }
            (DeclKind::Image, Bound::Image { first, count }) => {
                Elements::Images(Units::new(first, count))
            }
            // Regardless of the kind: several declarations take `program.buffer`.
            (_, Bound::Buffer(range)) if takes_buffers(decl, range) => {
                Elements::Buffer(range)
            }
            (DeclKind::Shared, Bound::Shared(elements)) => Elements::Shared(elements),
            (DeclKind::Subroutine, Bound::Subroutines { first, count }) => {
                Elements::Subroutines((first..first + count).collect())
            }
            _ => return None,
        })
    }
}

fn append_bound(cx: &mut RuleCx<'_>, list: &mut Elements, found: Elements, span: Span) -> bool {
    if let (Elements::Buffer(list), Elements::Buffer(found)) = (&mut *list, &found)
        && list.append(*found)
    {
        return true;
    }
    match (list, found) {
        // Their lists have them already.
        (Elements::Attribs(first), Elements::Attribs(next)) => {
            check_same_holder(cx, *first, next, span)
        }
        (Elements::Results, Elements::Results) | (Elements::Params(_), Elements::Params(_)) => true,
        (Elements::Textures(list), Elements::Textures(more))
        | (Elements::Images(list), Elements::Images(more)) => {
            list.append(more);
            true
        }
        (Elements::Subroutines(list), Elements::Subroutines(more)) => {
            list.extend(more);
            true
        }
        // "Must increase consecutively": NV_compute_program5 section 2.X.3.Y.
        (Elements::Shared(Some((first, count))), Elements::Shared(Some((next, more))))
            if *first + *count == next =>
        {
            *count += more;
            true
        }
        _ => report_not_consecutive(cx, span),
    }
}

#[cold]
fn report_not_consecutive(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let message = "the bindings of a buffer variable must be consecutive elements of one buffer";
    cx.error(Code::BufferBindings, span, message);
    false
}

#[cold]
fn check_range_without_array(cx: &mut RuleCx<'_>, is_matrix: bool, span: Span) {
    let whole = is_matrix && !cx.source_text(span).contains(".row");
    let (code, message) = if whole {
        (
            Code::MatrixNeedsRow,
            "a whole matrix needs an array; select a row with .row[n]",
        )
    } else {
        (Code::RangeAsOperand, "a range needs an array variable")
    };
    cx.error(code, span, message);
}

#[cold]
pub(super) fn report_wrong_binding(cx: &mut RuleCx<'_>, decl: &Decl, span: Span) {
    let row = BOUND.iter().find(|(kind, ..)| *kind == decl.kind);
    let wanted = row.map_or("nothing", |(_, _, wanted, _)| wanted);
    let message = format!("this declaration needs {wanted} as binding");
    cx.error(Code::BindingUnknown, span, message);
}
