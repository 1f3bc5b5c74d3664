//! Declarations of the inputs and outputs of a program as a whole, and the rules about primitives
//! that depend on them. NV_geometry_program4 and NV_gpu_program5 sections 2.14.6 and 2.X.7.Y,
//! NV_tessellation_program5 section 2.X.7.Y, NV_geometry_shader_passthrough sections 2.X.6 and
//! 2.X.7.Y.

use crate::ast::{Decl, DeclKind, Item};
use crate::check::bindings::brackets::Bound;
use crate::check::bindings::path::{read_letters, report_not_letters};
use crate::check::context::RuleCx;
use crate::check::declarations::context::DeclarationRules;
use crate::check::names::declare::io_binding;
use crate::check::names::symbols::Declared;
use crate::check::program::checked::Checked;
use crate::codes::Code;
use crate::lang::declarations::{Argument, DECLARATIONS, Declaration, DeclarationInfo, Occurrence};
use crate::lang::options::Features;
use crate::lang::{limits, stage_name};
use crate::names::NameId;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{Semantic, Span, Stage, WriteMask};

/// Returns true if a declaration is about the program as a whole and has no binding.
pub(crate) fn is_about_program(kind: DeclKind) -> bool {
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
    /// Checks all declarations about the program as a whole that have no binding.
    pub(crate) fn check_program_declarations(&mut self) {
        for number in 0..self.resolver.cx.ast.decls.len() {
            if is_about_program(self.resolver.cx.ast.decls[number].kind)
                && !self.resolver.cx.reports.is_full()
            {
                self.check_declaration(number as u32);
            }
        }
    }

    /// Checks a declaration about the program as a whole.
    pub(crate) fn check_program_declaration(&mut self, decl: &Decl, declaration: Declaration) {
        let row = declaration.info();
        let item = self.resolver.cx.ast.items(decl).first().copied();
        // From the keyword to the argument.
        let last = item.map(|item| self.resolver.cx.item_span(item));
        let start = Span::new(decl.span.start, decl.span.start + row.word.len() as u32);
        let span = last.map_or(start, |last| start.to(last));
        if !may_declare(&mut self.resolver.cx, row, span) {
            return;
        }
        let is_first = !self.resolver.declared.has_declared(declaration);
        // Before the test below: a declaration with a wrong word or number is also recorded as
        // declared.
        self.resolver.declared.positions[declaration as usize].get_or_insert(decl.span.start);
        if row.occurrence != Occurrence::Repeated && !is_first {
            let message = format!("{} is declared already", row.word);
            return self
                .resolver
                .cx
                .error(Code::DeclarationTwice, span, message);
        }
        match item {
            None => {
                self.resolver.program.modes.point_mode |= declaration == Declaration::TessPointMode
            }
            Some(Item::Name(name, _, place)) => {
                self.set_declared_word(row, name, place);
            }
            Some(Item::Number(number, place)) => self.set_declared_number(row, number, place),
            Some(Item::Path(path)) => self.declare_passed_results(path),
            Some(Item::Scalar(_) | Item::Vector { .. }) => {}
        }
    }

    fn set_declared_word(&mut self, row: &DeclarationInfo, name: NameId, span: Span) {
        // The parser accepts a word only in declarations that take one.
        let Argument::Word(words) = row.argument else {
            return;
        };
        let text = self.resolver.cx.ast.names.text(name);
        let Some(word) = words.iter().find(|word| word.word.as_bytes() == text) else {
            let known: Vec<&str> = words.iter().map(|word| word.word).collect();
            let (known, text) = (known.join(", "), self.resolver.cx.name_text(name));
            let message = format!("{} takes {known}, not `{text}`", row.word);
            return self.resolver.cx.error(Code::UnexpectedToken, span, message);
        };
        if !self
            .resolver
            .cx
            .need_version(word.since, span, format_args!("{} needs", word.word))
        {
            return;
        }
        (word.set)(&mut self.resolver.program.modes);
        if row.declaration == Declaration::PrimitiveIn && self.resolver.cx.is_passthrough() {
            self.check_passed_primitive(span);
        }
    }

    /// Checks the primitive that a program passes through.
    fn check_passed_primitive(&mut self, span: Span) {
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
                let message = "only points, lines and triangles are passed on";
                return self
                    .resolver
                    .cx
                    .error(Code::PassthroughNotAllowed, span, message);
            }
        };
        // Such a program does not declare this: "the same type and vertex count as its input
        // primitive".
        modes.vertices_out = modes.primitive_in.vertices().unwrap_or(1);
    }

    fn set_declared_number(&mut self, row: &DeclarationInfo, number: u32, span: Span) {
        let is_count = row.declaration == Declaration::Invocations;
        let (limit, code) = match (is_count, self.resolver.cx.stage) {
            (true, _) => (limits::GEOMETRY_INVOCATIONS, Code::Invocations),
            (false, Stage::TessControl) => (limits::PATCH_VERTICES, Code::VerticesOut),
            (false, _) => (limits::OUTPUT_VERTICES, Code::VerticesOut),
        };
        if !(1..=limit).contains(&number) {
            let message = format!("{} is 1 to {limit}, not {number}", row.word);
            self.resolver.cx.error(code, span, message);
        }
        // After an error the nearest valid number is used, so that it causes no further errors.
        let number = number.clamp(1, limit);
        if is_count {
            self.resolver.program.modes.invocations = number
        } else {
            self.resolver.program.modes.vertices_out = number
        }
    }

    /// Declares results that each vertex copies from its input vertex.
    fn declare_passed_results(&mut self, path: u32) {
        let Some(resolved) = self.resolver.resolve(path) else {
            return;
        };
        let mask = match resolved
            .rest
            .map(|rest| (rest, read_letters(&self.resolver.cx, rest)))
        {
            None => WriteMask::XYZW,
            Some((_, Ok(mask))) => mask,
            Some((rest, Err(code))) => {
                return report_not_letters(&mut self.resolver.cx, code, rest);
            }
        };
        let binding = resolved.span;
        let Bound::Result(row, first, count) = resolved.bound else {
            let message = "PASSTHROUGH takes a result";
            return self
                .resolver
                .cx
                .error(Code::BindingUnknown, binding, message);
        };
        if has_no_attribute((row.semantic)(0)) {
            let text = self.resolver.cx.source_text(binding);
            let message = format!("vertices that come in have nothing that `{text}` could take");
            return self
                .resolver
                .cx
                .error(Code::PassthroughBinding, binding, message);
        }
        for number in first..first + count {
            self.resolver
                .program
                .add_passed(io_binding(row, number), mask, binding);
        }
    }
}

impl Declared {
    /// Returns true if the program has a declaration, valid or not.
    pub(crate) fn has_declared(&self, declaration: Declaration) -> bool {
        self.positions[declaration as usize].is_some()
    }

    /// Returns true if an error that depends on a declaration is to be reported. Of errors before
    /// the declaration, only the ones whose number is larger than that of all others with the code
    /// are reported, because the statements may have been written without the declaration in mind.
    pub(crate) fn is_news(
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
fn may_declare(cx: &mut RuleCx<'_>, row: &DeclarationInfo, span: Span) -> bool {
    let word = row.word;
    if !row.stages.has(cx.stage) {
        let stage = stage_name(cx.stage);
        let message = format!("{stage} programs have no {word}");
        cx.error(Code::DeclarationNotAllowed, span, message);
        return false;
    }
    let is_there = cx.need_version(row.since, span, format_args!("{word} needs"))
        && cx.need_option(row.needs, span, format_args!("{word} needs"));
    if !is_there {
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
        cx.error(Code::PassthroughNotAllowed, span, message);
        return false;
    }
    true
}

/// Returns the span of the header. It is empty if the caller has named the language.
fn find_header(cx: &RuleCx<'_>) -> Span {
    let header = cx.ast.dialect.header();
    let text = &cx.ast.text[..cx.ast.body];
    let length = if text.ends_with(header.as_bytes()) {
        header.len()
    } else {
        0
    };
    Span::new((cx.ast.body - length) as u32, cx.ast.body as u32)
}

/// Reports required declarations that are missing.
pub(crate) fn report_missing_declarations(cx: &mut RuleCx<'_>) {
    // A missing declaration has no source location: the header represents the program.
    let header = find_header(cx);
    for row in DECLARATIONS {
        let is_needed = row.occurrence == Occurrence::Required
            && row.stages.has(cx.stage)
            // Only the input is declared where the primitive is passed through.
            && (!cx.is_passthrough() || row.declaration == Declaration::PrimitiveIn);
        // A declaration that could not be parsed is not reported again.
        let is_there = cx.ast.declared & row.declaration.bit() != 0;
        if is_needed && !is_there {
            let stage = stage_name(cx.stage);
            let message = format!("{stage} programs need {}", row.word);
            cx.error(Code::DeclarationMissing, header, message);
        }
    }
}

/// Reports results that are passed through and written, even if the components differ.
/// NV_geometry_shader_passthrough section 2.X.7.Y.
pub(crate) fn check_passed_results(cx: &mut RuleCx<'_>, program: &Checked) {
    if program.passed.is_empty() {
        return;
    }
    let written = program.written_results();
    let passed = program.passed.iter();
    for it in passed.filter(|it| written.contains(&it.binding.semantic)) {
        let text = cx.source_text(it.span);
        let message = format!("`{text}` is passed through, and an instruction writes it");
        cx.error(Code::PassthroughWritten, it.span, message);
    }
}

/// Returns the number of components of all vertices that an invocation emits, with `of_vertex`
/// components each. NV_geometry_program4 section 2.14.6.4.
pub(crate) fn count_emitted_components(cx: &RuleCx<'_>, program: &Checked, of_vertex: u32) -> u32 {
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
const fn has_no_attribute(semantic: Semantic) -> bool {
    use Semantic::{Layer, PrimitiveId, SecondaryViewportMask, ViewportIndex, ViewportMask};
    let is_of_primitive = matches!(semantic, PrimitiveId | Layer | ViewportIndex);
    is_of_primitive || matches!(semantic, ViewportMask | SecondaryViewportMask)
}

impl DeclarationRules<'_, '_, '_> {
    /// Sets the layer offset of the second view. NV_stereo_view_rendering section 2.X.7.Y.
    pub(crate) fn set_secondary_view_layer_offset(&mut self, decl: &Decl) {
        let Some(&Item::Number(bits, span)) = self.resolver.cx.ast.items(decl).first() else {
            return;
        };
        // The parser has stored the bits of a signed number in the item.
        let offset = bits as i32;
        if matches!(self.resolver.cx.stage, Stage::Fragment | Stage::Compute) {
            let message = "fragment and compute programs have no views";
            self.resolver
                .cx
                .error(Code::DeclarationNotAllowed, decl.span, message);
            return;
        }
        let feature = "SECONDARY_VIEW_LAYER_OFFSET needs";
        if !self
            .resolver
            .cx
            .need_option(Features::STEREO_VIEWS, decl.span, feature)
        {
            return;
        }
        // The statement may be repeated with the same number.
        let known = *self
            .resolver
            .program
            .second_layer_offset
            .get_or_insert(offset);
        if known != offset {
            let message = format!("the offset is {known} already");
            self.resolver
                .cx
                .error(Code::SecondLayerOffset, span, message);
        }
    }
}

/// Checks that a program writes either the viewport or a mask of viewports. NV_viewport_array2
/// section 2.X.2.
pub(crate) fn check_viewport_writes(cx: &mut RuleCx<'_>, program: &Checked) {
    let writes = [Semantic::ViewportIndex, Semantic::ViewportMask];
    let [Some(index), Some(mask)] = writes.map(|semantic| program.find_first_write(semantic))
    else {
        return;
    };
    // Reported at the first index or mask that proves that the program writes both.
    let later = if index.start > mask.start {
        index
    } else {
        mask
    };
    let message = "the program writes both result.viewport and result.viewportmask";
    cx.error(Code::ViewportAndMask, later, message);
}
