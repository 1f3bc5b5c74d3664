//! Declarations of the inputs and outputs of a program as a whole, and the rules about primitives
//! that depend on them. NV_geometry_program4 and NV_gpu_program5 sections 2.14.6 and 2.X.7.Y,
//! NV_tessellation_program5 section 2.X.7.Y, NV_geometry_shader_passthrough sections 2.X.6 and
//! 2.X.7.Y.

use crate::ast::{Decl, DeclItem, DeclKind};
use crate::check::bindings::binding_operand::{parse_result_mask, report_bad_suffix};
use crate::check::bindings::binding_target::BindingTarget;
use crate::check::context::RuleCx;
use crate::check::declarations::DeclarationRules;
use crate::check::names::{ProgramDeclarations, make_io_binding};
use crate::check::program::CheckedProgram;
use crate::codes::Code;
use crate::interner::NameId;
use crate::lang::options::{
    Argument, DECLARATIONS, Declaration, DeclarationInfo, Features, Occurrence,
};
use crate::lang::{limits, stage_name};
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{Semantic, Span, Stage, WriteMask};

/// Returns true if a declaration is about the program as a whole and has no binding; false for
/// PASSTHROUGH, which names results.
pub(crate) fn is_program_declaration(kind: DeclKind) -> bool {
    match kind {
        DeclKind::GroupSize | DeclKind::SharedMemory | DeclKind::SecondaryViewLayerOffset => true,
        // PASSTHROUGH names results, as declarations of variables do.
        DeclKind::Program(declaration) => declaration != Declaration::Passthrough,
        DeclKind::Temp
        | DeclKind::Attrib
        | DeclKind::Param
        | DeclKind::Output
        | DeclKind::Alias
        | DeclKind::Address
        | DeclKind::Buffer
        | DeclKind::Buffer4
        | DeclKind::Cbuffer
        | DeclKind::Texture
        | DeclKind::Image
        | DeclKind::Shared
        | DeclKind::Storage
        | DeclKind::Counter
        | DeclKind::SubroutineType
        | DeclKind::Subroutine
        | DeclKind::Declare
        | DeclKind::Define => false,
    }
}

impl DeclarationRules<'_, '_, '_> {
    /// Checks and applies all declarations about the program as a whole that have no binding,
    /// wherever they are in the program, until the list of reports is full.
    pub(crate) fn check_program_declarations(&mut self) {
        for number in 0..self.resolver.cx.ast.decls.len() {
            if is_program_declaration(self.resolver.cx.ast.decls[number].kind)
                && !self.resolver.cx.reports.is_full()
            {
                self.check_declaration(number as u32);
            }
        }
    }

    /// Checks a declaration about the program as a whole, such as PRIMITIVE_IN, and applies it.
    /// Records that it is declared, even if its argument is wrong. Reports one that the program
    /// cannot have, a second one that is not allowed, and wrong arguments.
    pub(crate) fn check_program_declaration(&mut self, decl: &Decl, declaration: Declaration) {
        let row = declaration.info();
        let item = self.resolver.cx.ast.items(decl).first().copied();
        // From the keyword to the argument.
        let argument_span = item.map(|item| self.resolver.cx.item_span(item));
        let start = Span::new(decl.span.start, decl.span.start + row.keyword.len() as u32);
        let span = argument_span.map_or(start, |last| start.to(last));
        if !check_declaration_allowed(&mut self.resolver.cx, row, span) {
            return;
        }
        let is_first = !self.resolver.program_declarations.contains(declaration);
        // Before the test below: a declaration with a wrong word or number is also recorded as
        // declared.
        self.resolver.program_declarations.positions[declaration as usize]
            .get_or_insert(decl.span.start);
        if row.occurrence != Occurrence::Repeated && !is_first {
            let message = format!("{} is declared already", row.keyword);
            return self
                .resolver
                .cx
                .report_error(Code::DeclarationTwice, span, message);
        }
        match item {
            None => {
                self.resolver.program.modes.point_mode |= declaration == Declaration::TessPointMode
            }
            Some(DeclItem::Name(name, _, argument_span)) => {
                self.set_keyword_argument(row, name, argument_span);
            }
            Some(DeclItem::Number(number, argument_span)) => {
                self.set_number_argument(row, number, argument_span)
            }
            Some(DeclItem::Path(path)) => self.declare_passthrough_results(path),
            Some(DeclItem::Scalar(_) | DeclItem::Vector { .. }) => {}
        }
    }

    /// Sets the modes that the keyword of a declaration selects, such as the primitive of
    /// PRIMITIVE_IN, and in passthrough programs also those that follow from it. Reports keywords
    /// that the declaration or the language version does not have.
    fn set_keyword_argument(&mut self, row: &DeclarationInfo, name: NameId, span: Span) {
        // The parser accepts a word only in declarations that take one.
        let Argument::Word(words) = row.argument else {
            return;
        };
        let text = self.resolver.cx.ast.names.bytes(name);
        let Some(word) = words.iter().find(|word| word.keyword.as_bytes() == text) else {
            let allowed_words: Vec<&str> = words.iter().map(|word| word.keyword).collect();
            let (known, text) = (
                allowed_words.join(", "),
                self.resolver.cx.display_name(name),
            );
            let message = format!("{} takes {known}, not `{text}`", row.keyword);
            return self
                .resolver
                .cx
                .report_error(Code::UnexpectedToken, span, message);
        };
        if !self.resolver.cx.require_version(
            word.since,
            span,
            format_args!("{} needs", word.keyword),
        ) {
            return;
        }
        (word.set)(&mut self.resolver.program.modes);
        if row.declaration == Declaration::PrimitiveIn && self.resolver.cx.is_passthrough() {
            self.check_passthrough_primitive(span);
        }
    }

    /// Sets output primitive and vertex count of a program that passes its primitive through to
    /// those of its input, and reports input primitives that cannot be passed through.
    /// NV_geometry_shader_passthrough section 2.X.6.
    fn check_passthrough_primitive(&mut self, span: Span) {
        let modes = &mut self.resolver.program.modes;
        modes.primitive_out = match modes.primitive_in {
            InputPrimitive::Points => OutputPrimitive::Points,
            InputPrimitive::Lines => OutputPrimitive::LineStrip,
            InputPrimitive::Triangles => OutputPrimitive::TriangleStrip,
            // "A passthrough geometry program must declare an input primitive type of POINTS,
            // LINES, or TRIANGLES."
            InputPrimitive::LinesAdjacency
            | InputPrimitive::TrianglesAdjacency
            | InputPrimitive::Patches => {
                let message = "only points, lines and triangles can be passed through";
                return self
                    .resolver
                    .cx
                    .report_error(Code::PassthroughNotAllowed, span, message);
            }
        };
        // Such a program does not declare this: "the same type and vertex count as its input
        // primitive".
        modes.vertices_out = modes.primitive_in.vertex_count().unwrap_or(1);
    }

    /// Sets the count that INVOCATIONS or VERTICES_OUT declares; a number out of range is reported
    /// and clamped. For tessellation control programs the limit is that of vertices of a patch.
    fn set_number_argument(&mut self, row: &DeclarationInfo, number: u32, span: Span) {
        let is_count = row.declaration == Declaration::Invocations;
        let (limit, code) = match (is_count, self.resolver.cx.stage) {
            (true, _) => (limits::GEOMETRY_INVOCATIONS, Code::Invocations),
            (false, Stage::TessControl) => (limits::PATCH_VERTICES, Code::VerticesOut),
            (false, _) => (limits::OUTPUT_VERTICES, Code::VerticesOut),
        };
        if !(1..=limit).contains(&number) {
            let message = format!("{} is 1 to {limit}, not {number}", row.keyword);
            self.resolver.cx.report_error(code, span, message);
        }
        // After an error the nearest valid number is used, so that it causes no further errors.
        let number = number.clamp(1, limit);
        if is_count {
            self.resolver.program.modes.invocations = number
        } else {
            self.resolver.program.modes.vertices_out = number
        }
    }

    /// Adds the results that each vertex copies from its input vertex to the program. Reports a
    /// path that is not a result, a wrong write mask, and results without such an attribute.
    fn declare_passthrough_results(&mut self, path: u32) {
        let Some(resolved) = self.resolver.resolve_binding_path(path) else {
            return;
        };
        let mask = match resolved
            .suffix_span
            .map(|rest| (rest, parse_result_mask(&self.resolver.cx, rest)))
        {
            None => WriteMask::XYZW,
            Some((_, Ok(mask))) => mask,
            Some((rest, Err(code))) => {
                return report_bad_suffix(&mut self.resolver.cx, code, rest);
            }
        };
        let binding = resolved.span;
        let BindingTarget::Result(row, first, count) = resolved.target else {
            let message = "PASSTHROUGH takes a result";
            return self
                .resolver
                .cx
                .report_error(Code::BindingUnknown, binding, message);
        };
        if has_no_input_attrib((row.semantic)(0)) {
            let text = self.resolver.cx.source_string(binding);
            let message =
                format!("input vertices have no attribute that `{text}` could be copied from");
            return self
                .resolver
                .cx
                .report_error(Code::PassthroughBinding, binding, message);
        }
        for number in first..first + count {
            self.resolver.program.add_passthrough_result(
                make_io_binding(row, number),
                mask,
                binding,
            );
        }
    }
}

impl ProgramDeclarations {
    /// Returns true if the program contains the declaration, valid or not.
    pub(crate) fn contains(&self, declaration: Declaration) -> bool {
        self.positions[declaration as usize].is_some()
    }

    /// Returns true if an error about the absence or the number of a declaration, which may follow
    /// later, is to be reported; always for errors after the declaration and without one. Of errors
    /// before it, only the ones whose `number` is larger than that of all earlier ones with the
    /// same code are reported, because the statements may have been written without the declaration
    /// in mind; the largest number is recorded.
    pub(crate) fn is_new_error(
        &mut self,
        declaration: Declaration,
        (code, number): (Code, u32),
        span: Span,
    ) -> bool {
        let declared = self.positions[declaration as usize];
        if declared.is_none_or(|start| start < span.start) {
            return true;
        }
        let key = |it: &&mut (Declaration, Code, u32)| (it.0, it.1) == (declaration, code);
        match self.early_errors.iter_mut().find(key) {
            Some((.., largest)) if number <= *largest => return false,
            Some((.., largest)) => *largest = number,
            None => self.early_errors.push((declaration, code, number)),
        }
        true
    }
}

/// Returns true if program type, version and options allow a declaration; reports it if not.
/// Programs that pass their primitive through have no declarations of what they emit.
fn check_declaration_allowed(cx: &mut RuleCx<'_>, row: &DeclarationInfo, span: Span) -> bool {
    let word = row.keyword;
    if !row.stages.contains_stage(cx.stage) {
        let stage = stage_name(cx.stage);
        let message = format!("{stage} programs have no {word}");
        cx.report_error(Code::DeclarationNotAllowed, span, message);
        return false;
    }
    let is_available = cx.require_version(row.since, span, format_args!("{word} needs"))
        && cx.require_option(row.required_features, span, format_args!("{word} needs"));
    if !is_available {
        return false;
    }
    // The primitive that such a program emits follows from its input:
    // NV_geometry_shader_passthrough section 2.X.6.
    let makes_primitives = matches!(
        row.declaration,
        Declaration::PrimitiveOut | Declaration::VerticesOut | Declaration::Invocations
    );
    if makes_primitives && cx.is_passthrough() {
        let message = format!("a program that passes its primitive on has no {word}");
        cx.report_error(Code::PassthroughNotAllowed, span, message);
        return false;
    }
    true
}

/// Returns the span of the header. It is empty, at the start of the body, if the caller has named
/// the language and the source has no header.
fn find_header_span(cx: &RuleCx<'_>) -> Span {
    let header = cx.ast.dialect.header();
    let text = &cx.ast.text[..cx.ast.body_start];
    let length = if text.ends_with(header.as_bytes()) {
        header.len()
    } else {
        0
    };
    Span::new(
        (cx.ast.body_start - length) as u32,
        cx.ast.body_start as u32,
    )
}

/// Reports, at the header, the declarations that programs of this type require and this program
/// lacks. Declarations that could not be parsed are not missing.
pub(crate) fn report_missing_declarations(cx: &mut RuleCx<'_>) {
    // A missing declaration has no source location: the header represents the program.
    let header = find_header_span(cx);
    for row in DECLARATIONS {
        let is_needed = row.occurrence == Occurrence::Required
            && row.stages.contains_stage(cx.stage)
            // Only the input is declared where the primitive is passed through.
            && (!cx.is_passthrough() || row.declaration == Declaration::PrimitiveIn);
        // A declaration that could not be parsed is not reported again.
        let is_there = cx.ast.declared_program_kinds & row.declaration.bit() != 0;
        if is_needed && !is_there {
            let stage = stage_name(cx.stage);
            let message = format!("{stage} programs need {}", row.keyword);
            cx.report_error(Code::DeclarationMissing, header, message);
        }
    }
}

/// Reports results that are passed through and also written by instructions, even if the components
/// differ. NV_geometry_shader_passthrough section 2.X.7.Y.
pub(crate) fn check_passthrough_results(cx: &mut RuleCx<'_>, program: &CheckedProgram) {
    if program.passthrough_results.is_empty() {
        return;
    }
    let written = program.written_results();
    let passed = program.passthrough_results.iter();
    for it in passed.filter(|it| written.contains(&it.binding.semantic)) {
        let text = cx.source_string(it.span);
        let message = format!("`{text}` is passed through, and an instruction writes it");
        cx.report_error(Code::PassthroughWritten, it.span, message);
    }
}

/// Returns the number of components of all vertices that an invocation of a geometry program emits,
/// with `of_vertex` components each; 0 for other stages and passthrough programs.
/// NV_geometry_program4 section 2.14.6.4.
pub(crate) fn count_emitted_components(
    cx: &RuleCx<'_>,
    program: &CheckedProgram,
    of_vertex: u32,
) -> u32 {
    if cx.stage == Stage::Geometry && !cx.is_passthrough() {
        // Limits of the vertices and of the results bound the product; a program with errors may be
        // beyond them.
        program.modes.vertices_out.saturating_mul(of_vertex)
    } else {
        0
    }
}

/// Returns true if input vertices have no attribute of this semantic that a result could copy:
/// those named in the section, and those of later extensions.
const fn has_no_input_attrib(semantic: Semantic) -> bool {
    use Semantic::{Layer, PrimitiveId, SecondaryViewportMask, ViewportIndex, ViewportMask};
    let is_of_primitive = matches!(semantic, PrimitiveId | Layer | ViewportIndex);
    is_of_primitive || matches!(semantic, ViewportMask | SecondaryViewportMask)
}

impl DeclarationRules<'_, '_, '_> {
    /// Sets the layer offset of the second view. Reports it in stages without views, without the
    /// option, and if an earlier declaration has another offset, which remains.
    /// NV_stereo_view_rendering section 2.X.7.Y.
    pub(crate) fn set_secondary_view_layer_offset(&mut self, decl: &Decl) {
        let Some(&DeclItem::Number(bits, span)) = self.resolver.cx.ast.items(decl).first() else {
            return;
        };
        // The parser has stored the bits of a signed number in the item.
        let offset = bits as i32;
        if matches!(self.resolver.cx.stage, Stage::Fragment | Stage::Compute) {
            let message = "fragment and compute programs have no views";
            self.resolver
                .cx
                .report_error(Code::DeclarationNotAllowed, decl.span, message);
            return;
        }
        let feature = "SECONDARY_VIEW_LAYER_OFFSET needs";
        if !self
            .resolver
            .cx
            .require_option(Features::STEREO_VIEWS, decl.span, feature)
        {
            return;
        }
        // The statement may be repeated with the same number.
        let stored_offset = *self
            .resolver
            .program
            .secondary_view_layer_offset
            .get_or_insert(offset);
        if stored_offset != offset {
            let message = format!("the offset is {stored_offset} already");
            self.resolver
                .cx
                .report_error(Code::SecondLayerOffset, span, message);
        }
    }
}

/// Reports a program that writes both the viewport and a mask of viewports, at the later of the two
/// first writes. NV_viewport_array2 section 2.X.2.
pub(crate) fn check_viewport_writes(cx: &mut RuleCx<'_>, program: &CheckedProgram) {
    let writes = [Semantic::ViewportIndex, Semantic::ViewportMask];
    let [Some(index), Some(mask)] = writes.map(|semantic| program.find_first_write(semantic))
    else {
        return;
    };
    // Reported at the first index or mask that proves that the program writes both.
    let later_write = if index.start > mask.start {
        index
    } else {
        mask
    };
    let message = "the program writes both result.viewport and result.viewportmask";
    cx.report_error(Code::ViewportAndMask, later_write, message);
}
