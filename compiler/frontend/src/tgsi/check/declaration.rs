//! Rules about declarations and properties.

use super::checker::{CheckResult, Reported, TgsiChecker};
use super::symbols::InputDecl;
use crate::codes::{Code, LenientRule};
use crate::diagnostic_sink::suggest_spelling;
use crate::lang::stage_name;
use crate::tgsi::ast::{DclHeader, DclModifier};
use crate::tgsi::declaration_tables::{DclModifierKind, RegisterFile, rows};
use crate::tgsi::semantics::{InputKind, OutputTarget, SemanticName};
use crate::tgsi::syntax_error::quote;
use glasm_ir::semantic::Sampling;
use glasm_ir::{BaseType, Interpolation, Semantic, Span, Stage};

/// The modifiers of a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DclModifiers {
    /// The number of the array, 0 for none.
    pub(super) array: u32,
    /// Name, number and span.
    pub(super) semantic: Option<(SemanticName, u32, Span)>,
    pub(super) interpolation: Option<Interpolation>,
    pub(super) sampling: Sampling,
    pub(super) invariant: bool,
}

impl TgsiChecker<'_> {
    /// Reports a property whose name is unknown, leniently: it is ignored.
    pub(super) fn report_unknown_property(&mut self, name: Span) {
        let text = quote(&self.ast.text[name.range()]);
        let message = format!("`{text}` is not a property");
        let hint = suggest_spelling(&text, rows().iter().map(|row| row.name));
        let message = match hint {
            Some(hint) => format!("{message}: {hint}"),
            None => message,
        };
        self.report_lenient(LenientRule::UnknownProperty, name, message);
    }

    /// Reports a count of 0 as a warning or error; `meant` is the count that is used instead.
    pub(super) fn report_zero_count(&mut self, name: &str, meant: u32, place: Span) {
        let message = format!("`{name}` is 0, which is taken as {meant}");
        self.report_lenient(LenientRule::ZeroCount, place, message);
    }

    /// Reports a register that was declared before.
    pub(super) fn report_declared_twice(&mut self, file: RegisterFile, number: u32, span: Span) {
        let message = format!("`{}[{number}]` is declared twice", file.word());
        self.report_error(Code::RegisterTwice, span, message);
    }

    /// Checks the modifiers of a declaration and returns those that are valid for its registers.
    pub(super) fn check_modifiers(
        &mut self,
        head: &DclHeader,
        list: &[DclModifier],
    ) -> CheckResult<DclModifiers> {
        let mut suffixes = DclModifiers::default();
        for &DclModifier { kind, word } in list {
            match kind {
                DclModifierKind::Array(id) => suffixes.array = id,
                DclModifierKind::Local => {}
                DclModifierKind::Semantic(name, number, end) => {
                    self.check_semantic(head, word)?;
                    suffixes.semantic = Some((name, number, Span::new(word.start, end)));
                }
                DclModifierKind::Stream => self.check_streams(head, word)?,
                DclModifierKind::Interpolation(interpolation) => {
                    suffixes.interpolation = Some(interpolation);
                }
                DclModifierKind::Sampling(sampling) => suffixes.sampling = sampling,
                DclModifierKind::Wrap => {
                    let message = "values are interpolated without wrapping around";
                    self.report_lenient(LenientRule::WrappedInterpolation, word, message);
                }
                DclModifierKind::Invariant => suffixes.invariant = true,
            }
        }
        Ok(suffixes)
    }

    /// Checks that the registers of a declaration may have a semantic, and reports it otherwise.
    fn check_semantic(&mut self, head: &DclHeader, word: Span) -> CheckResult<()> {
        let takes = matches!(
            head.file,
            RegisterFile::In | RegisterFile::Out | RegisterFile::Sv
        );
        // The numbers of the registers distinguish vertex elements.
        let is_attribute = self.stage == Stage::Vertex && head.file == RegisterFile::In;
        if is_attribute {
            let text = self.quote_source(word);
            let message = format!("`{text}`: inputs of vertex programs have no semantic");
            self.report_lenient(LenientRule::AttributeSemantic, word, message);
        } else if !takes {
            let (text, file) = (self.quote_source(word), head.file.word());
            let message = format!("`{text}`: registers of `{file}` have no semantic");
            return Err(self.report_error(Code::Declaration, word, message));
        }
        Ok(())
    }

    /// Reports streams on registers that take none. The operand of `EMIT` selects the stream of
    /// vertices, so that the numbers do not matter.
    fn check_streams(&mut self, head: &DclHeader, word: Span) -> CheckResult<()> {
        if self.stage != Stage::Geometry || head.file != RegisterFile::Out {
            let message = "only outputs of geometry programs go to streams";
            return Err(self.report_error(Code::Declaration, word, message));
        }
        Ok(())
    }

    /// Checks that the inputs of a vertex program have numbers up to 255.
    pub(super) fn check_attributes(&mut self, head: &DclHeader) -> CheckResult<()> {
        if head.last <= u32::from(u8::MAX) {
            return Ok(());
        }
        let message = "attributes are numbered from 0 to 255";
        Err(self.report_error(Code::IndexOutOfBounds, head.span, message))
    }

    /// Returns the entry of a vertex attribute, whose number was checked.
    pub(super) fn make_attribute_decl(&self, number: u32, suffixes: &DclModifiers) -> InputDecl {
        let semantic = Semantic::VertexAttribute(number.min(255) as u8);
        let content = InputKind::Input(semantic, BaseType::Float);
        self.make_decl(content, suffixes)
    }

    /// Returns the semantic of a declaration with its index and span. Without one, fragment inputs
    /// are generic, which is reported leniently; for other registers this is an error.
    pub(super) fn require_semantic(
        &mut self,
        head: &DclHeader,
        suffixes: &DclModifiers,
    ) -> CheckResult<(SemanticName, u32, Span)> {
        if let Some(semantic) = suffixes.semantic {
            return Ok(semantic);
        }
        let message = format!("`{}` requires a semantic", self.quote_source(head.span));
        // Such inputs "can be considered to be generic", whose number the document does not
        // specify.
        if self.stage == Stage::Fragment && head.file == RegisterFile::In {
            self.report_lenient(LenientRule::InputWithoutSemantic, head.span, message);
            return Ok((SemanticName::Generic, head.first, head.span));
        }
        Err(self.report_error(Code::Declaration, head.span, message))
    }

    /// Reports a register that an earlier declaration already declares.
    pub(super) fn report_declared_again(&mut self, head: &DclHeader, number: u32) {
        let message = format!("`{}[{number}]` is declared already", head.file.word());
        self.report_lenient(LenientRule::RepeatedDeclaration, head.span, message);
    }

    /// Returns the table entry of an input or system value with a semantic. Reports semantics that
    /// the stage does not read.
    pub(super) fn make_input_decl(
        &mut self,
        head: &DclHeader,
        suffixes: &DclModifiers,
        (name, index, span): (SemanticName, u32, Span),
    ) -> CheckResult<InputDecl> {
        let index = u8::try_from(index).ok();
        let content = index.and_then(|index| {
            name.input_kind(
                index,
                self.stage,
                head.file == RegisterFile::Sv,
                self.options.legacy_semantics,
            )
        });
        let content = content.ok_or_else(|| self.report_missing_semantic(span, "read"))?;
        // In these stages inputs belong to vertices, unless the declaration has one bracket only.
        let stages = [Stage::Geometry, Stage::TessControl, Stage::TessEval];
        let of_vertices = stages.contains(&self.stage) && head.file == RegisterFile::In;
        Ok(InputDecl {
            per_vertex: of_vertices
                && !name.is_per_patch_or_primitive()
                && head.dimension.is_some(),
            ..self.make_decl(content, suffixes)
        })
    }

    /// Returns the entry of an input that is not an input per vertex.
    fn make_decl(&self, content: InputKind, suffixes: &DclModifiers) -> InputDecl {
        InputDecl {
            kind: content,
            interpolation: self.resolve_interpolation(suffixes),
            sampling: suffixes.sampling,
            per_vertex: false,
            input: None,
            computed: None,
        }
    }

    /// Returns the interpolation of an input of a fragment program: none if the declaration has no
    /// qualifier.
    fn resolve_interpolation(&self, suffixes: &DclModifiers) -> Interpolation {
        // State decides about colors where code is generated.
        if self.stage == Stage::Fragment {
            suffixes.interpolation.unwrap_or(Interpolation::Flat)
        } else {
            Interpolation::Smooth
        }
    }

    /// Returns the target of an output with this semantic; reports semantics that programs of this
    /// stage cannot write.
    pub(super) fn resolve_output_target(
        &mut self,
        (name, index, span): (SemanticName, u32, Span),
    ) -> CheckResult<OutputTarget> {
        let index = u8::try_from(index).ok();
        let sink = index.and_then(|index| name.output_target(index, self.stage, self.options));
        sink.ok_or_else(|| self.report_missing_semantic(span, "write"))
    }

    /// Reports a semantic that programs of this stage cannot `what`, a verb ("read", "write").
    fn report_missing_semantic(&mut self, span: Span, what: &str) -> Reported {
        let (text, stage) = (self.quote_source(span), stage_name(self.stage));
        let message = format!("{stage} programs have no `{text}` to {what}");
        self.report_error(Code::Semantic, span, message)
    }
}
