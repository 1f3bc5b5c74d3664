//! Attributes of vertices and patches: their prefixes, the number of vertices, indices that select
//! a vertex. NV_geometry_program4, NV_tessellation_program5 and NV_gpu_program5 section 2.X.3.2.

use crate::ast::{PathBracket, PathSegment};
use crate::check::bindings::binding_target::{
    BoxedPathError, err_no_io_binding, err_path, match_bracket,
};
use crate::check::context::RuleCx;
use crate::check::names::{Resolver, make_attrib_binding};
use crate::codes::Code;
use crate::lang::Stages;
use crate::lang::binding_paths::{self, AttribPrefix};
use crate::lang::bindings::{ATTRIBS, BindingFlags, BindingInfo};
use crate::lang::options::Declaration;
use crate::variables::{AttribOwner, Direction, ImplicitKey, VarKind, VertexSelector};
use glasm_ir::primitive::{InputPrimitive, MAX_PATCH_VERTICES};
use glasm_ir::{Span, Stage};

impl Resolver<'_, '_> {
    /// Returns true if the program can read an attribute of a vertex or a patch; false after
    /// reporting a per-patch attribute of the input patch of a control program. Numbers of vertices
    /// out of range, and per-patch attributes in geometry programs of other primitives, are also
    /// reported, but accepted.
    pub(crate) fn check_attrib_readable(
        &mut self,
        row: &BindingInfo,
        holder: AttribOwner,
        span: Span,
    ) -> bool {
        if let VertexSelector::Fixed(number) = holder.vertex {
            self.check_vertex_number(holder.direction, number.into(), span);
        }
        if !(row.semantic)(0).is_per_patch() {
            return true;
        }
        match self.cx.stage {
            // The inputs of a control program are outputs of vertex programs, which have no
            // patches.
            Stage::TessControl if holder.direction == Direction::Input => {
                report_input_patch_binding(&mut self.cx, span)
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

    /// Returns the unnamed variable of an attribute that is used directly, which the first use
    /// creates with its binding. Returns `None` after reporting an attribute of all vertices, of
    /// which an instruction must select one.
    pub(crate) fn get_or_create_attrib_var(
        &mut self,
        (row, number, holder): (&'static BindingInfo, u32, AttribOwner),
        span: Span,
    ) -> Option<u32> {
        if holder.vertex == VertexSelector::Indexed {
            let text = self.cx.source_string(span);
            let message =
                format!("`{text}` exists for every vertex; an instruction needs the index of one");
            let hint = "the index follows `vertex`, as in `vertex[0].position`".to_owned();
            self.cx
                .report_error_with_notes(Code::VertexMissing, span, message, vec![hint]);
            return None;
        }
        let binding = make_attrib_binding(row, number, holder);
        // Only vertex programs have attributes with two names: NV_vertex_program4 section 2.X.3.2.
        if self.cx.stage == Stage::Vertex {
            self.mark_attrib_slot(row, binding.semantic, span);
        }
        let key = ImplicitKey::Attrib(binding.semantic, holder);
        Some(self.get_or_create_implicit(key, span, |checker| {
            checker.program.attribs.push(binding);
            VarKind::Attrib {
                first: checker.program.attribs.len() as u32 - 1,
            }
        }))
    }

    /// Returns the number of vertices of the input or output primitive or patch: 32 if it depends
    /// on the patch, `None` if the program does not declare it.
    pub(crate) fn count_vertices(&self, side: Direction) -> Option<u32> {
        let modes = &self.program.modes;
        match (side, self.cx.stage) {
            // 0 without VERTICES_OUT.
            (Direction::Output, _) => Some(modes.vertices_out).filter(|count| *count > 0),
            (Direction::Input, Stage::Geometry) => {
                let primitive = self.find_input_primitive()?;
                Some(primitive.vertex_count().unwrap_or(MAX_PATCH_VERTICES))
            }
            (Direction::Input, _) => Some(MAX_PATCH_VERTICES),
        }
    }

    /// Returns the number of vertices by the declarations before `span`; without them, the maximum
    /// of a patch.
    pub(crate) fn count_vertices_before(&self, side: Direction, span: Span) -> u32 {
        let declared = self.program_declarations.positions[vertex_count_declaration(side) as usize];
        let count = declared
            .filter(|start| *start < span.start)
            .and(self.count_vertices(side));
        count.unwrap_or(MAX_PATCH_VERTICES)
    }

    /// Reports the number of a vertex, from 0, that a binding or an index names and that is out of
    /// range. Of those before the declaration of the count only increasing ones are reported.
    pub(crate) fn check_vertex_number(&mut self, side: Direction, number: u32, span: Span) {
        // Without a declaration, which is a separate error, there may be as many as patches have.
        let count = self.count_vertices(side).unwrap_or(MAX_PATCH_VERTICES);
        let error = (Code::VertexNumber, number);
        if number >= count
            && self
                .program_declarations
                .is_new_error(vertex_count_declaration(side), error, span)
        {
            self.report_vertex_out_of_range((side, count), span);
        }
    }

    /// Reports a vertex number that exceeds the `count` vertices of the input primitive, the input
    /// patch or the output patch.
    fn report_vertex_out_of_range(&mut self, (side, count): (Direction, u32), span: Span) {
        let text = self.cx.source_string(span);
        let patch_or_primitive = match (side, self.find_input_primitive()) {
            (Direction::Output, _) => "output patch",
            (Direction::Input, Some(InputPrimitive::Patches)) => "patch",
            (Direction::Input, Some(_)) => "primitive",
            (Direction::Input, None) => "patch",
        };
        let message = format!(
            "`{text}`: the {patch_or_primitive} has vertices 0 to {}",
            count - 1
        );
        self.cx.report_error(Code::VertexNumber, span, message);
    }

    /// Returns the input primitive; `None` if the program does not declare it.
    fn find_input_primitive(&self) -> Option<InputPrimitive> {
        let is_declared = self.program_declarations.contains(Declaration::PrimitiveIn);
        is_declared.then_some(self.program.modes.primitive_in)
    }

    /// Reports, once, an attribute of patches in a geometry program whose declared input primitive
    /// is not patches. NV_gpu_program5 section 2.X.3.2.
    fn check_patch_binding(&mut self, span: Span) {
        // Without PRIMITIVE_IN its absence is the error, not the rules that depend on it.
        let primitive = self.find_input_primitive();
        let error = (Code::PatchBinding, 0);
        if primitive.is_some_and(|it| it != InputPrimitive::Patches)
            && self
                .program_declarations
                .is_new_error(Declaration::PrimitiveIn, error, span)
        {
            let text = self.cx.source_string(span);
            let message = format!("`{text}` needs PRIMITIVE_IN PATCHES");
            self.cx.report_error(Code::PatchBinding, span, message);
        }
    }
}

/// Returns the bracket of a path that matches the pattern of an entry after a prefix, in which the
/// number of a vertex is not that bracket; `None` if it does not match. The key matches, but other
/// words might have the same.
pub(crate) fn match_bracket_after_prefix(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    row: &BindingInfo,
    prefix: AttribPrefix,
) -> Option<PathBracket> {
    // A number after the prefix belongs to its last word; all other brackets to the words of the
    // entry.
    let (words, rest) = segments.split_at_checked(prefix.word_count())?;
    let first_word = row.path.split('.').next()?;
    let last_prefix_segment = words.last()?;
    let is_prefix = cx.segment_word(words[0]) == first_word.as_bytes()
        && (prefix.word())
            .is_none_or(|word| cx.segment_word(*last_prefix_segment) == word.as_bytes())
        && last_prefix_segment.brackets[1] == PathBracket::None;
    if !is_prefix {
        return None;
    }
    match_bracket(
        cx,
        rest,
        binding_paths::skip_first_word(row.path),
        row.number,
    )
}

/// Returns the vertex or patch that owns the attribute of an entry in a path that begins with a
/// prefix. Numbers of vertices beyond 255 become 255. Fails for ranges and dynamic numbers of
/// vertices.
pub(crate) fn resolve_attrib_owner(
    segments: &[PathSegment],
    row: &BindingInfo,
    prefix: AttribPrefix,
) -> Result<AttribOwner, BoxedPathError> {
    let is_of_vertex = row.flags.contains(BindingFlags::PER_VERTEX);
    // Only these differ between the input patch and the output patch of the program.
    let is_divided = is_of_vertex || (row.semantic)(0).is_per_patch();
    let last_prefix_segment = segments[prefix.word_count() - 1];
    let vertex = match last_prefix_segment.brackets[0] {
        // "That specific attribute for each of the vertices": NV_tessellation_program5 section
        // 2.X.3.2.
        PathBracket::None if is_of_vertex => VertexSelector::Indexed,
        PathBracket::None => VertexSelector::NotPerVertex,
        // Numbers beyond all limits are saturated.
        PathBracket::Single(number) => VertexSelector::Fixed(number.min(255) as u8),
        PathBracket::Range(..) => {
            let message = "a binding is of one vertex";
            return err_path(last_prefix_segment.span, Code::RangeAsOperand, message);
        }
        PathBracket::Relative(_) => {
            let span = segments[0].span.to(segments[segments.len() - 1].span);
            let message = "the vertex number of a binding is a constant; declare a variable without it and index that";
            return err_path(span, Code::VertexDynamic, message);
        }
    };
    // Numbers of primitive and invocation are those of both patches.
    let direction = prefix.direction.filter(|_| is_divided).unwrap_or_default();
    Ok(AttribOwner { direction, vertex })
}

/// Returns the error that no entry of attributes matches a path, after its prefix: `in` or `out`
/// and the number of a vertex. `segments` must not be empty.
pub(crate) fn err_unknown_attrib(cx: &RuleCx<'_>, segments: &[PathSegment]) -> BoxedPathError {
    // For the hint the prefix is removed, so that the other words can be compared with those of the
    // entries.
    let mut unprefixed_segments = segments.to_vec();
    let second_word = unprefixed_segments
        .get(1)
        .map(|segment| cx.segment_word(*segment));
    let mut prefixes = AttribPrefix::all_for_stage(cx.stage).filter(|prefix| {
        prefix
            .word()
            .is_some_and(|side| Some(side.as_bytes()) == second_word)
    });
    let mut prefix = AttribPrefix {
        // Set below if a number is written there.
        has_vertex_number: false,
        ..prefixes.next().unwrap_or_default()
    };
    let brackets = match prefix.direction {
        Some(_) => unprefixed_segments.remove(1).brackets,
        None => unprefixed_segments[0].brackets,
    };
    if cx.segment_word(unprefixed_segments[0]) == b"vertex"
        && Stages::PRIMITIVES.contains_stage(cx.stage)
    {
        unprefixed_segments[0].brackets = [brackets[1], PathBracket::None];
        prefix.has_vertex_number = brackets[0] != PathBracket::None;
    }
    err_no_io_binding(cx, &unprefixed_segments, ATTRIBS, prefix)
}

/// Reports a binding of per-patch attributes of the input patch, which do not exist, with a hint to
/// use `primitive.out`. Returns false for the caller to return.
fn report_input_patch_binding(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let text = cx.source_string(span);
    let message = format!("`{text}` would belong to the input patch, which has no such attributes");
    let hint = "primitive.out reads those of the output patch".to_owned();
    cx.report_error_with_notes(Code::PatchOfInput, span, message, vec![hint]);
    false
}

/// Returns true if two bindings of an array are of the same vertices; reports the second one, at
/// `span`, if not. NV_tessellation_program5 section 2.X.3.2.
pub(crate) fn check_same_owner(
    cx: &mut RuleCx<'_>,
    first: AttribOwner,
    next: AttribOwner,
    span: Span,
) -> bool {
    let names = |holder: AttribOwner| matches!(holder.vertex, VertexSelector::Fixed(_));
    // "The program will fail to load unless each binding in the binding list uses an attribute
    // prefix of this form."
    if names(first) != names(next) {
        let message = "either every binding of an array names its vertex, or none does";
        cx.report_error(Code::VertexPrefixMix, span, message);
    } else if first != next {
        let message = "the bindings of an array are of one vertex or one patch";
        cx.report_error(Code::ArrayKinds, span, message);
    }
    first == next
}

/// Returns the declaration that defines the number of vertices of inputs or outputs.
fn vertex_count_declaration(side: Direction) -> Declaration {
    match side {
        Direction::Input => Declaration::PrimitiveIn,
        Direction::Output => Declaration::VerticesOut,
    }
}
