//! Attributes of vertices and patches: their prefixes, the number of vertices, indices that select
//! a vertex. NV_geometry_program4, NV_tessellation_program5 and NV_gpu_program5 section 2.X.3.2.

use crate::ast::{Bracket, Segment};
use crate::check::bindings::brackets::{Failed, err_no_row, fail, find_bracket_in};
use crate::check::context::RuleCx;
use crate::check::names::declare::attrib_binding;
use crate::check::names::resolver::Resolver;
use crate::codes::Code;
use crate::lang::Stages;
use crate::lang::bindings::{ATTRIBS, BindingInfo, Traits};
use crate::lang::declarations::Declaration;
use crate::lang::paths::{self, Prefix};
use crate::vars::{Holder, Implicit, Side, VarKind, VertexOf};
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES};
use glasm_ir::{Span, Stage};

impl Resolver<'_, '_> {
    /// Returns true if the program can read an attribute of a vertex or a patch. Reports it if not.
    pub(crate) fn may_be_read(&mut self, row: &BindingInfo, holder: Holder, span: Span) -> bool {
        if let VertexOf::Number(number) = holder.vertex {
            self.check_vertex_number(holder.side, number.into(), span);
        }
        if !(row.semantic)(0).is_per_patch() {
            return true;
        }
        match self.cx.stage {
            // The inputs of a control program are outputs of vertex programs, which have no
            // patches.
            Stage::TessControl if holder.side == Side::In => {
                report_patch_of_input(&mut self.cx, span)
            }
            // A patch exists only if the program declares that it takes patches.
            Stage::Geometry => {
                self.check_patch_binding(span);
                true
            }
            Stage::TessControl
            | Stage::TessEval
            | Stage::Vertex
            | Stage::Fragment
            | Stage::Compute => true,
        }
    }

    /// Returns the unnamed variable of an attribute that is used directly.
    pub(crate) fn get_implicit_attrib(
        &mut self,
        (row, number, holder): (&'static BindingInfo, u32, Holder),
        span: Span,
    ) -> Option<u32> {
        if holder.vertex == VertexOf::Each {
            let text = self.cx.source_text(span);
            let message =
                format!("`{text}` is of every vertex; an instruction needs the number of one");
            let hint = "the number stands behind `vertex`, as in `vertex[0].position`".to_owned();
            self.cx
                .error_with(Code::VertexMissing, span, message, vec![hint]);
            return None;
        }
        let binding = attrib_binding(row, number, holder);
        // Only vertex programs have attributes with two names: NV_vertex_program4 section 2.X.3.2.
        if self.cx.stage == Stage::Vertex {
            self.use_slot(row, binding.semantic, span);
        }
        let key = Implicit::Attrib(binding.semantic, holder);
        Some(self.get_implicit(key, span, |checker| {
            checker.program.attribs.push(binding);
            VarKind::Attrib {
                first: checker.program.attribs.len() as u32 - 1,
            }
        }))
    }

    /// Returns the number of vertices: 32 if it depends on the patch, `None` if the program does
    /// not declare it.
    pub(crate) fn count_vertices(&self, side: Side) -> Option<u32> {
        let modes = &self.program.modes;
        match (side, self.cx.stage) {
            // 0 without VERTICES_OUT.
            (Side::Out, _) => Some(modes.vertices_out).filter(|count| *count > 0),
            (Side::In, Stage::Geometry) => {
                let primitive = self.find_input_primitive()?;
                Some(primitive.vertices().unwrap_or(MAX_PATCH_VERTICES))
            }
            (Side::In, _) => Some(MAX_PATCH_VERTICES),
        }
    }

    /// Returns the number of vertices by the declarations before `span`; without them, the maximum.
    pub(crate) fn count_vertices_before(&self, side: Side, span: Span) -> u32 {
        let declared = self.declared.positions[vertex_declaration(side) as usize];
        let count = declared
            .filter(|start| *start < span.start)
            .and(self.count_vertices(side));
        count.unwrap_or(MAX_PATCH_VERTICES)
    }

    /// Checks the number of a vertex that a binding or an index names.
    pub(crate) fn check_vertex_number(&mut self, side: Side, number: u32, span: Span) {
        // Without a declaration, which is a separate error, there may be as many as patches have.
        let count = self.count_vertices(side).unwrap_or(MAX_PATCH_VERTICES);
        let error = (Code::VertexNumber, number);
        if number >= count && self.declared.is_news(vertex_declaration(side), error, span) {
            self.report_no_vertex((side, count), span);
        }
    }

    #[cold]
    fn report_no_vertex(&mut self, (side, count): (Side, u32), span: Span) {
        let text = self.cx.source_text(span);
        let what = match (side, self.find_input_primitive()) {
            (Side::Out, _) => "patch that the program makes",
            (Side::In, Some(InputPrimitive::Patches)) => "patch",
            (Side::In, Some(_)) => "primitive",
            (Side::In, None) => "patch",
        };
        let message = format!("`{text}`: the {what} has vertices 0 to {}", count - 1);
        self.cx.error(Code::VertexNumber, span, message);
    }

    /// Returns the input primitive, if it is declared.
    fn find_input_primitive(&self) -> Option<InputPrimitive> {
        let is_declared = self.declared.has_declared(Declaration::PrimitiveIn);
        is_declared.then_some(self.program.modes.primitive_in)
    }

    /// Checks an attribute of patches in a geometry program. NV_gpu_program5 section 2.X.3.2.
    fn check_patch_binding(&mut self, span: Span) {
        // Without PRIMITIVE_IN its absence is the error, not the rules that depend on it.
        let primitive = self.find_input_primitive();
        let error = (Code::PatchBinding, 0);
        if primitive.is_some_and(|it| it != InputPrimitive::Patches)
            && self.declared.is_news(Declaration::PrimitiveIn, error, span)
        {
            let text = self.cx.source_text(span);
            let message = format!("`{text}` needs PRIMITIVE_IN PATCHES");
            self.cx.error(Code::PatchBinding, span, message);
        }
    }
}

/// Returns the bracket of a path that matches the pattern of an entry after a prefix. The key
/// matches, but other words might have the same.
pub(crate) fn find_bracket_behind(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    row: &BindingInfo,
    prefix: Prefix,
) -> Option<Bracket> {
    // A number after the prefix belongs to its last word; all other brackets to the words of the
    // entry.
    let (words, rest) = segments.split_at_checked(prefix.length())?;
    let first = row.path.split('.').next()?;
    let last = words.last()?;
    let is_prefix = cx.word(words[0]) == first.as_bytes()
        && (prefix.word()).is_none_or(|word| cx.word(*last) == word.as_bytes())
        && last.brackets[1] == Bracket::None;
    if !is_prefix {
        return None;
    }
    find_bracket_in(cx, rest, paths::behind_first(row.path), row.number)
}

/// Returns the holder of the attribute of an entry in a path that begins with a prefix.
pub(crate) fn find_holder(
    segments: &[Segment],
    row: &BindingInfo,
    prefix: Prefix,
) -> Result<Holder, Failed> {
    let is_of_vertex = row.traits.contains(Traits::PER_VERTEX);
    // Only these differ between the input patch and the output patch of the program.
    let is_divided = is_of_vertex || (row.semantic)(0).is_per_patch();
    let last = segments[prefix.length() - 1];
    let vertex = match last.brackets[0] {
        // "That specific attribute for each of the vertices": NV_tessellation_program5 section
        // 2.X.3.2.
        Bracket::None if is_of_vertex => VertexOf::Each,
        Bracket::None => VertexOf::None,
        // Numbers beyond all limits are saturated.
        Bracket::One(number) => VertexOf::Number(number.min(255) as u8),
        Bracket::Range(..) => {
            let message = "a binding is of one vertex";
            return fail(last.span, Code::RangeAsOperand, message);
        }
        Bracket::Relative(_) => {
            let span = segments[0].span.to(segments[segments.len() - 1].span);
            let message = "the vertex number of a binding is a constant; declare a variable without it and index that";
            return fail(span, Code::VertexDynamic, message);
        }
    };
    // Numbers of primitive and invocation are those of both patches.
    let side = prefix.side.filter(|_| is_divided).unwrap_or_default();
    Ok(Holder { side, vertex })
}

/// Returns the reason why no entry of attributes matches.
#[cold]
pub(crate) fn err_no_attribute(cx: &RuleCx<'_>, segments: &[Segment]) -> Failed {
    // For the hint the prefix is removed, so that the other words can be compared with those of the
    // entries.
    let mut rest = segments.to_vec();
    let word = rest.get(1).map(|segment| cx.word(*segment));
    let mut prefixes = Prefix::of_stage(cx.stage).filter(|prefix| {
        prefix
            .word()
            .is_some_and(|side| Some(side.as_bytes()) == word)
    });
    let mut prefix = Prefix {
        // Set below if a number is written there.
        numbered: false,
        ..prefixes.next().unwrap_or_default()
    };
    let brackets = match prefix.side {
        Some(_) => rest.remove(1).brackets,
        None => rest[0].brackets,
    };
    if cx.word(rest[0]) == b"vertex" && Stages::PRIMITIVES.has(cx.stage) {
        rest[0].brackets = [brackets[1], Bracket::None];
        prefix.numbered = brackets[0] != Bracket::None;
    }
    err_no_row(cx, &rest, ATTRIBS, prefix)
}

#[cold]
fn report_patch_of_input(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let text = cx.source_text(span);
    let message =
        format!("`{text}` would be of the patch that comes in, which has no such attributes");
    let hint = "primitive.out reads those of the patch that the program makes".to_owned();
    cx.error_with(Code::PatchOfInput, span, message, vec![hint]);
    false
}

/// Returns true if the bindings of an array are of the same vertices. NV_tessellation_program5
/// section 2.X.3.2.
pub(crate) fn check_same_holder(
    cx: &mut RuleCx<'_>,
    first: Holder,
    next: Holder,
    span: Span,
) -> bool {
    let names = |holder: Holder| matches!(holder.vertex, VertexOf::Number(_));
    // "The program will fail to load unless each binding in the binding list uses an attribute
    // prefix of this form."
    if names(first) != names(next) {
        let message = "either every binding of an array names its vertex, or none does";
        cx.error(Code::VertexPrefixMix, span, message);
    } else if first != next {
        let message = "the bindings of an array are of one vertex or one patch";
        cx.error(Code::ArrayKinds, span, message);
    }
    first == next
}

/// Returns the declaration that defines the number of vertices.
fn vertex_declaration(side: Side) -> Declaration {
    match side {
        Side::In => Declaration::PrimitiveIn,
        Side::Out => Declaration::VerticesOut,
    }
}
