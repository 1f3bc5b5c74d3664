//! Rules about declarations and properties.

use super::{Parsed, Reported, TgsiChecker};
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::lang::stage_name;
use crate::suggest::suggest;
use crate::tgsi::ast::{Head, Suffix};
use crate::tgsi::failure::quote;
use crate::tgsi::files::File;
use crate::tgsi::property::rows;
use crate::tgsi::semantics::{Content, Name, Sink};
use crate::tgsi::suffixes::SuffixKind;
use crate::tgsi::symbols::InputRow;
use glasm_ir::semantic::Sampling;
use glasm_ir::{Interpolation, Semantic, Span, Stage, TypeBase};

/// The suffixes of a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::tgsi) struct Suffixes {
    /// The number of the array, 0 for none.
    pub(in crate::tgsi) array: u32,
    /// Name, number and span.
    pub(in crate::tgsi) semantic: Option<(Name, u32, Span)>,
    pub(in crate::tgsi) interpolation: Option<Interpolation>,
    pub(in crate::tgsi) sampling: Sampling,
    pub(in crate::tgsi) invariant: bool,
}

impl TgsiChecker<'_> {
    /// Reports a property that no table has.
    #[cold]
    pub(in crate::tgsi) fn report_unknown_property(&mut self, name: Span) {
        let text = quote(&self.ast.text[name.range()]);
        let message = format!("`{text}` is no property");
        let hint = suggest(&text, rows().iter().map(|row| row.name));
        let message = match hint {
            Some(hint) => format!("{message}: {hint}"),
            None => message,
        };
        self.lenient(Rule::UnknownProperty, name, message);
    }

    /// Reports a count of 0 where `meant` is the intended one.
    #[cold]
    pub(in crate::tgsi) fn report_zero_count(&mut self, name: &str, meant: u32, place: Span) {
        let message = format!("`{name}` is 0, which stands for {meant}");
        self.lenient(Rule::ZeroCount, place, message);
    }

    /// Reports a register that was declared before.
    #[cold]
    pub(in crate::tgsi) fn report_declared_twice(&mut self, file: File, number: u32, span: Span) {
        let message = format!("`{}[{number}]` is declared twice", file.word());
        self.error(Code::RegisterTwice, span, message);
    }

    /// Checks the suffixes of a declaration.
    pub(in crate::tgsi) fn check_suffixes(
        &mut self,
        head: &Head,
        list: &[Suffix],
    ) -> Parsed<Suffixes> {
        let mut suffixes = Suffixes::default();
        for &Suffix { kind, word } in list {
            match kind {
                SuffixKind::Array(id) => suffixes.array = id,
                SuffixKind::Local => {}
                SuffixKind::Semantic(name, number, end) => {
                    self.check_semantic(head, word)?;
                    suffixes.semantic = Some((name, number, Span::new(word.start, end)));
                }
                SuffixKind::Stream => self.check_streams(head, word)?,
                SuffixKind::Interpolation(interpolation) => {
                    suffixes.interpolation = Some(interpolation);
                }
                SuffixKind::Sampling(sampling) => suffixes.sampling = sampling,
                SuffixKind::Wrap => {
                    let message = "values are interpolated without wrapping around";
                    self.lenient(Rule::WrappedInterpolation, word, message);
                }
                SuffixKind::Invariant => suffixes.invariant = true,
            }
        }
        Ok(suffixes)
    }

    /// Reports a semantic of registers that have none.
    fn check_semantic(&mut self, head: &Head, word: Span) -> Parsed<()> {
        let takes = matches!(head.file, File::In | File::Out | File::Sv);
        // The numbers of the registers distinguish vertex elements.
        let is_attribute = self.stage == Stage::Vertex && head.file == File::In;
        if is_attribute {
            let text = self.text_of(word);
            let message = format!("`{text}`: inputs of vertex programs have no semantic");
            self.lenient(Rule::AttributeSemantic, word, message);
        } else if !takes {
            let (text, file) = (self.text_of(word), head.file.word());
            let message = format!("`{text}`: registers of `{file}` have no semantic");
            return Err(self.error(Code::Declaration, word, message));
        }
        Ok(())
    }

    /// Reports streams of registers that have none. The operand of `EMIT` selects the stream of
    /// vertices, so that the numbers do not matter.
    fn check_streams(&mut self, head: &Head, word: Span) -> Parsed<()> {
        if self.stage != Stage::Geometry || head.file != File::Out {
            let message = "only outputs of geometry programs go to streams";
            return Err(self.error(Code::Declaration, word, message));
        }
        Ok(())
    }

    #[inline]
    pub(in crate::tgsi) fn check_attributes(&mut self, head: &Head) -> Parsed<()> {
        if head.last <= u32::from(u8::MAX) {
            return Ok(());
        }
        let message = "attributes are numbered from 0 to 255";
        Err(self.error(Code::IndexOutOfBounds, head.span, message))
    }

    /// Returns the attribute of a number that was checked.
    #[inline]
    pub(in crate::tgsi) fn attribute_row(&self, number: u32, suffixes: &Suffixes) -> InputRow {
        let semantic = Semantic::Attrib(number.min(255) as u8);
        let content = Content::Input(semantic, TypeBase::Float);
        self.row_of(content, suffixes)
    }

    #[inline]
    pub(in crate::tgsi) fn needed_semantic(
        &mut self,
        head: &Head,
        suffixes: &Suffixes,
    ) -> Parsed<(Name, u32, Span)> {
        if let Some(semantic) = suffixes.semantic {
            return Ok(semantic);
        }
        let message = format!("`{}` lacks a semantic", self.text_of(head.span));
        // Such inputs "can be considered to be generic", whose number the document does not
        // specify.
        if self.stage == Stage::Fragment && head.file == File::In {
            self.lenient(Rule::InputWithoutSemantic, head.span, message);
            return Ok((Name::Generic, head.first, head.span));
        }
        Err(self.error(Code::Declaration, head.span, message))
    }

    /// Reports a register that an earlier declaration already declares.
    #[cold]
    pub(in crate::tgsi) fn report_declared_again(&mut self, head: &Head, number: u32) {
        let message = format!("`{}[{number}]` is declared already", head.file.word());
        self.lenient(Rule::RepeatedDeclaration, head.span, message);
    }

    /// Returns the entry of an input or system value with a semantic.
    pub(in crate::tgsi) fn input_row(
        &mut self,
        head: &Head,
        suffixes: &Suffixes,
        (name, index, span): (Name, u32, Span),
    ) -> Parsed<InputRow> {
        let index = u8::try_from(index).ok();
        let content = index.and_then(|index| {
            name.content(index, self.stage, head.file == File::Sv, self.options.old)
        });
        let content = content.ok_or_else(|| self.report_no_semantic(span, "read"))?;
        // In these stages inputs belong to vertices, unless the declaration has one bracket only.
        let stages = [Stage::Geometry, Stage::TessControl, Stage::TessEval];
        let of_vertices = stages.contains(&self.stage) && head.file == File::In;
        Ok(InputRow {
            per_vertex: of_vertices && !name.is_single() && head.dimension.is_some(),
            ..self.row_of(content, suffixes)
        })
    }

    /// Returns the entry of an input that belongs to no vertex.
    fn row_of(&self, content: Content, suffixes: &Suffixes) -> InputRow {
        InputRow {
            content,
            interpolation: self.interpolation(suffixes),
            sampling: suffixes.sampling,
            per_vertex: false,
            input: None,
        }
    }

    /// Returns the interpolation of an input of a fragment program: none if the declaration has no
    /// qualifier.
    fn interpolation(&self, suffixes: &Suffixes) -> Interpolation {
        // State decides about colors where code is generated.
        if self.stage == Stage::Fragment {
            suffixes.interpolation.unwrap_or(Interpolation::Flat)
        } else {
            Interpolation::Smooth
        }
    }

    pub(in crate::tgsi) fn sink(&mut self, (name, index, span): (Name, u32, Span)) -> Parsed<Sink> {
        let index = u8::try_from(index).ok();
        let sink = index.and_then(|index| name.sink(index, self.stage, self.options));
        sink.ok_or_else(|| self.report_no_semantic(span, "write"))
    }

    #[cold]
    fn report_no_semantic(&mut self, span: Span, what: &str) -> Reported {
        let (text, stage) = (self.text_of(span), stage_name(self.stage));
        let message = format!("{stage} programs have no `{text}` to {what}");
        self.error(Code::Semantic, span, message)
    }
}
