//! Rules about the suffixes of a declaration.

use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::tgsi::ast::{Head, Suffix, SuffixKind};
use crate::tgsi::files::File;
use crate::tgsi::semantics::Name;
use crate::tgsi::state::{Parsed, Translation};
use glasm_ir::semantic::Sampling;
use glasm_ir::{Interpolation, Span, Stage};

/// The suffixes of a declaration.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Suffixes {
    /// The number of the array, 0 for none.
    pub(super) array: u32,
    /// Name and number, and where they stand.
    pub(super) semantic: Option<(Name, u32, Span)>,
    pub(super) interpolation: Option<Interpolation>,
    pub(super) sampling: Sampling,
    pub(super) invariant: bool,
}

impl Translation<'_> {
    /// Checks the suffixes of a declaration.
    pub(super) fn check_suffixes(&mut self, head: &Head, list: &[Suffix]) -> Parsed<Suffixes> {
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
        // Vertex elements are told by the numbers of the registers.
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

    /// Reports streams of registers that have none. Vertices go to streams as `EMIT` says, so that the numbers do not matter.
    fn check_streams(&mut self, head: &Head, word: Span) -> Parsed<()> {
        if self.stage != Stage::Geometry || head.file != File::Out {
            let message = "only outputs of geometry programs go to streams";
            return Err(self.error(Code::Declaration, word, message));
        }
        Ok(())
    }
}
