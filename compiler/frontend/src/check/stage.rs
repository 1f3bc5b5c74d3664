//! Declarations that say what a program gets and makes as a whole, and the rules about primitives that depend on them.
//! NV_geometry_program4 and NV_gpu_program5 sections 2.14.6 and 2.X.7.Y, NV_tessellation_program5 section 2.X.7.Y,
//! NV_geometry_shader_passthrough sections 2.X.6 and 2.X.7.Y.

use super::Checker;
use super::brackets::Bound;
use super::checker::Passed;
use super::declare::io_binding;
use crate::ast::{Decl, DeclKind, Inst, Item};
use crate::codes::Code;
use crate::lang::declarations::{Argument, DECLARATIONS, Declaration, DeclarationInfo, Occurrence};
use crate::lang::limits;
use crate::lang::options::Features;
use crate::lang::stage_name;
use crate::names::NameId;
use crate::source::Version;
use crate::vars::IoBinding;
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive};
use glasm_ir::{Semantic, Span, Stage, WriteMask};

/// Decides whether a declaration is about the program as a whole and binds nothing.
pub(super) fn is_about_program(kind: DeclKind) -> bool {
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

impl Checker<'_> {
    /// Checks all declarations about the program as a whole that bind nothing.
    pub(super) fn check_program_declarations(&mut self) {
        for number in 0..self.ast.decls.len() {
            if is_about_program(self.ast.decls[number].kind) && !self.reports.is_full() {
                self.decl(number as u32);
            }
        }
    }

    /// Checks a declaration about the program as a whole.
    pub(super) fn declaration(&mut self, decl: &Decl, declaration: Declaration) {
        let row = declaration.info();
        let item = self.ast.items(decl).first().copied();
        // From the keyword to the argument.
        let last = item.map(|item| self.item_span(item));
        let start = Span::new(decl.span.start, decl.span.start + row.word.len() as u32);
        let span = last.map_or(start, |last| start.to(last));
        if !self.may_declare(row, span) {
            return;
        }
        let is_first = !self.has_declared(declaration);
        // Before the test below: a declaration with a wrong word or number is one all the same.
        self.declared[declaration as usize].get_or_insert(decl.span.start);
        if row.occurrence != Occurrence::Repeated && !is_first {
            let message = format!("{} is declared already", row.word);
            return self.error(Code::DeclarationTwice, span, message);
        }
        match item {
            None => self.program.modes.point_mode |= declaration == Declaration::TessPointMode,
            Some(Item::Name(name, _, place)) => {
                self.declared_word(row, name, place);
            }
            Some(Item::Number(number, place)) => self.declared_number(row, number, place),
            Some(Item::Path(path)) => self.passed_results(path),
            Some(Item::Scalar(_) | Item::Vector { .. }) => {}
        }
    }

    /// Decides whether the program has a declaration, right or wrong.
    pub(super) fn has_declared(&self, declaration: Declaration) -> bool {
        self.declared[declaration as usize].is_some()
    }

    /// Decides whether an error that depends on a declaration is to be reported. Of those before the declaration, which may have been
    /// written without it in mind, only the ones whose number is larger than that of all others with the code.
    pub(super) fn is_news(
        &mut self,
        declaration: Declaration,
        (code, number): (Code, u32),
        span: Span,
    ) -> bool {
        let declared = self.declared[declaration as usize];
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

    /// Whether program type, version and options have a declaration.
    fn may_declare(&mut self, row: &DeclarationInfo, span: Span) -> bool {
        let word = row.word;
        if !row.stages.has(self.stage) {
            let stage = stage_name(self.stage);
            let message = format!("{stage} programs have no {word}");
            self.error(Code::DeclarationNotAllowed, span, message);
            return false;
        }
        let is_there = self.need_version(row.since, span, format_args!("{word} needs"))
            && self.need_option(row.needs, span, format_args!("{word} needs"));
        if !is_there {
            return false;
        }
        // What such a program makes follows from what comes in: NV_geometry_shader_passthrough section 2.X.6.
        let makes_primitives = matches!(
            row.declaration,
            Declaration::PrimitiveOut | Declaration::VerticesOut | Declaration::Invocations
        );
        if makes_primitives && self.passes_on() {
            let message = format!("a program that passes its primitive on has no {word}");
            self.error(Code::PassthroughNotAllowed, span, message);
            return false;
        }
        true
    }

    /// Whether the program emits the primitive that comes in.
    fn passes_on(&self) -> bool {
        self.has_option(Features::PASSTHROUGH)
    }

    fn declared_word(&mut self, row: &DeclarationInfo, name: NameId, span: Span) {
        // The parser gives a word only to declarations that take one.
        let Argument::Word(words) = row.argument else {
            return;
        };
        let text = self.ast.names.text(name);
        let Some(word) = words.iter().find(|word| word.word.as_bytes() == text) else {
            let known: Vec<&str> = words.iter().map(|word| word.word).collect();
            let (known, text) = (known.join(", "), self.name_text(name));
            let message = format!("{} takes {known}, not `{text}`", row.word);
            return self.error(Code::UnexpectedToken, span, message);
        };
        if !self.need_version(word.since, span, format_args!("{} needs", word.word)) {
            return;
        }
        (word.set)(&mut self.program.modes);
        if row.declaration == Declaration::PrimitiveIn && self.passes_on() {
            self.passed_primitive(span);
        }
    }

    /// The primitive that a program passes on.
    fn passed_primitive(&mut self, span: Span) {
        let modes = &mut self.program.modes;
        modes.primitive_out = match modes.primitive_in {
            InputPrimitive::Points => OutputPrimitive::Points,
            InputPrimitive::Lines => OutputPrimitive::LineStrip,
            InputPrimitive::Triangles => OutputPrimitive::TriangleStrip,
            // "A passthrough geometry program must declare an input primitive type of POINTS, LINES, or TRIANGLES."
            InputPrimitive::LinesAdjacency
            | InputPrimitive::TrianglesAdjacency
            | InputPrimitive::Patches => {
                let message = "only points, lines and triangles are passed on";
                return self.error(Code::PassthroughNotAllowed, span, message);
            }
        };
        // Nothing declares this in such a program: "the same type and vertex count as its input primitive".
        modes.vertices_out = modes.primitive_in.vertices().unwrap_or(1);
    }

    fn declared_number(&mut self, row: &DeclarationInfo, number: u32, span: Span) {
        let is_count = row.declaration == Declaration::Invocations;
        let (limit, code) = match (is_count, self.stage) {
            (true, _) => (limits::GEOMETRY_INVOCATIONS, Code::Invocations),
            (false, Stage::TessControl) => (limits::PATCH_VERTICES, Code::VerticesOut),
            (false, _) => (limits::OUTPUT_VERTICES, Code::VerticesOut),
        };
        if !(1..=limit).contains(&number) {
            let message = format!("{} is 1 to {limit}, not {number}", row.word);
            self.error(code, span, message);
        }
        // After an error the nearest one that is right, so that it is no reason for others.
        let number = number.clamp(1, limit);
        match is_count {
            true => self.program.modes.invocations = number,
            false => self.program.modes.vertices_out = number,
        }
    }

    /// Results that each vertex takes from the one that came in.
    fn passed_results(&mut self, path: u32) {
        let Some(resolved) = self.resolve(path) else {
            return;
        };
        let mask = match resolved.rest.map(|rest| (rest, self.written_letters(rest))) {
            None => WriteMask::XYZW,
            Some((_, Ok(mask))) => mask,
            Some((rest, Err(code))) => return self.report_not_letters(code, rest),
        };
        let binding = resolved.span;
        let Bound::Result(row, first, count) = resolved.bound else {
            let message = "PASSTHROUGH takes a result";
            return self.error(Code::BindingUnknown, binding, message);
        };
        if has_no_attribute((row.semantic)(0)) {
            let text = self.source_text(binding);
            let message = format!("vertices that come in have nothing that `{text}` could take");
            return self.error(Code::PassthroughBinding, binding, message);
        }
        for number in first..first + count {
            self.pass(io_binding(row, number), mask, binding);
        }
    }

    fn pass(&mut self, binding: IoBinding, mask: WriteMask, span: Span) {
        let list = &mut self.program.passed;
        let known = list
            .iter_mut()
            .find(|it| it.binding.semantic == binding.semantic);
        match known {
            // "A component will be passed through if and only if it is identified in one or more PASSTHROUGH declarations."
            Some(known) => known.mask.0 |= mask.0,
            None => list.push(Passed {
                binding,
                mask,
                span,
            }),
        }
    }

    /// EMIT, EMITS or ENDPRIM.
    pub(super) fn emission(&mut self, inst: &Inst) {
        // The stage was reported with the opcode.
        if self.stage != Stage::Geometry {
            return;
        }
        let name = inst.opcode.mnemonic();
        if self.passes_on() {
            let span = self.opcode_span(inst);
            let message = format!("a program that passes its primitive on has no {name}");
            return self.error(Code::PassthroughNotAllowed, span, message);
        }
        // EMITS has the stream as its operand, EMIT and ENDPRIM have none.
        let writes_streams = !inst.opcode.info().operands.is_empty();
        // Earlier versions have no EMITS, and that is the error then.
        if !writes_streams || self.version < Version::V5_0 {
            return;
        }
        // NV_gpu_program5 section 2.14.6.2. Without PRIMITIVE_OUT its absence is the error.
        if self.has_declared(Declaration::PrimitiveOut)
            && self.program.modes.primitive_out != OutputPrimitive::Points
        {
            let (code, span) = (Code::EmitsOutput, self.opcode_span(inst));
            if self.is_news(Declaration::PrimitiveOut, (code, 0), span) {
                self.error(code, span, "EMITS needs PRIMITIVE_OUT POINTS");
            }
        }
    }

    /// The header. There is none if the caller has named the language.
    fn header(&self) -> Span {
        let header = self.ast.dialect.header();
        let text = &self.ast.text[..self.ast.body];
        let length = match text.ends_with(header.as_bytes()) {
            true => header.len(),
            false => 0,
        };
        Span::new((self.ast.body - length) as u32, self.ast.body as u32)
    }

    /// Reports required declarations that are missing.
    pub(super) fn report_missing_declarations(&mut self) {
        // Where something is missing there is no place: the header stands for the program.
        let header = self.header();
        for row in DECLARATIONS {
            let is_needed = row.occurrence == Occurrence::Required
                && row.stages.has(self.stage)
                // Only what comes in is declared where the primitive is passed on.
                && (!self.passes_on() || row.declaration == Declaration::PrimitiveIn);
            // One that could not be read is no further error.
            let is_there = self.ast.declared & row.declaration.bit() != 0;
            if is_needed && !is_there {
                let stage = stage_name(self.stage);
                let message = format!("{stage} programs need {}", row.word);
                self.error(Code::DeclarationMissing, header, message);
            }
        }
    }

    /// Reports results that are passed on and written, be it other components. NV_geometry_shader_passthrough section 2.X.7.Y.
    pub(super) fn check_passed_results(&mut self) {
        if self.program.passed.is_empty() {
            return;
        }
        let written = self.program.written_results();
        // Taken out while messages need all of the checker.
        let passed = std::mem::take(&mut self.program.passed);
        for it in passed
            .iter()
            .filter(|it| written.contains(&it.binding.semantic))
        {
            let text = self.source_text(it.span);
            let message = format!("`{text}` is passed through, and an instruction writes it");
            self.error(Code::PassthroughWritten, it.span, message);
        }
        self.program.passed = passed;
    }

    /// Returns the number of components of all vertices that an invocation emits, each of which has so many. NV_geometry_program4
    /// section 2.14.6.4.
    pub(super) fn count_emitted_components(&self, of_vertex: u32) -> u32 {
        if self.stage == Stage::Geometry && !self.passes_on() {
            // Two limits that bound the vertices and the results keep the product small; a program with errors may be beyond them.
            self.program.modes.vertices_out.saturating_mul(of_vertex)
        } else {
            0
        }
    }
}

/// Whether vertices that come in have nothing that a result could take. Named in the section, and those of later extensions, which such
/// vertices do not have either.
const fn has_no_attribute(semantic: Semantic) -> bool {
    use Semantic::{Layer, PrimitiveId, SecondaryViewportMask, ViewportIndex, ViewportMask};
    let is_of_primitive = matches!(semantic, PrimitiveId | Layer | ViewportIndex);
    is_of_primitive || matches!(semantic, ViewportMask | SecondaryViewportMask)
}
