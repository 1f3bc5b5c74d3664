//! A program of a source with everything that is known about it: outline and diagnostics.

use crate::outline::{Outline, StatementKind, Token, TokenClass};
use crate::{assembly, tgsi};
use glasm::frontend::ProgramSpan;
use glasm::frontend::lang::options::Features;
use glasm::frontend::vocabulary::find_features;
use glasm::ir::Span;
use glasm::{Acceptance, Diagnostics, Dialect, Family, Options, ProgramType, Source, TgsiOptions};
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a source at most; larger ones are not analyzed. The compiler accepts no more.
pub const MAX_SOURCE_BYTES: usize = (1 << 24) - 1;

/// What the caller knows about a program in addition to its source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProgramContext {
    /// Type that the program must have, or `None` for any.
    pub program_type: Option<ProgramType>,
    /// Rule for which programs load.
    pub acceptance: Acceptance,
    /// Parameters of TGSI.
    pub tgsi: TgsiOptions,
}

/// A program, which owns the source that contains it.
#[derive(Clone, Debug)]
pub struct Program {
    /// The source. Spans refer to it, also if it contains several programs.
    pub text: Arc<[u8]>,
    /// The bytes of the source that are the program.
    pub span: Span,
    /// Tokens and statements.
    pub outline: Outline,
    /// Errors and warnings of the compiler.
    pub diagnostics: Diagnostics,
    /// Features that the language and the options of the program enable.
    pub features: Features,
}

impl Program {
    /// Analyzes the programs of a source, in order; there is at least one part, even without a
    /// header. A source above [`MAX_SOURCE_BYTES`] has no programs.
    pub fn analyze_all(text: &Arc<[u8]>, context: &ProgramContext) -> Vec<Self> {
        if text.len() > MAX_SOURCE_BYTES {
            return Vec::new();
        }
        let parts = glasm::split_programs(text);
        parts
            .map(|part| Self::analyze(text, &part, context))
            .collect()
    }

    /// Analyzes the bytes of a source that a caller knows to be one program; `None` if they are not
    /// in the source, or more than [`MAX_SOURCE_BYTES`].
    pub fn analyze_range(
        text: &Arc<[u8]>,
        range: Range<usize>,
        context: &ProgramContext,
    ) -> Option<Self> {
        let bytes = text.get(range.clone())?;
        if bytes.len() > MAX_SOURCE_BYTES || range.end > u32::MAX as usize {
            return None;
        }
        let start = range.start as u32;
        let first = glasm::split_programs(bytes).next()?;
        let part = ProgramSpan {
            span: Span::new(start, range.end as u32),
            header: start + first.header,
            dialect: first.dialect,
        };
        Some(Self::analyze(text, &part, context))
    }

    /// Analyzes one program of a source.
    fn analyze(text: &Arc<[u8]>, part: &ProgramSpan, context: &ProgramContext) -> Self {
        let source = Source {
            program_span: Some(part.span),
            program_type: context.program_type,
            acceptance: context.acceptance,
            tgsi: context.tgsi,
            ..Source::new("", text)
        };
        let result = glasm::compile(&source, &Options::default());
        let outline = build_outline(text, part);
        let features = collect_features(text, &outline);
        Self {
            text: Arc::clone(text),
            span: part.span,
            outline,
            diagnostics: result.map_or_else(|errors| errors, |shader| shader.warnings),
            features,
        }
    }

    /// Returns the language; `None` if the header is unknown.
    pub fn dialect(&self) -> Option<Dialect> {
        self.outline.dialect
    }

    /// Returns the bytes of a token.
    pub fn token_bytes(&self, token: &Token) -> &[u8] {
        self.text.get(token.span.range()).unwrap_or_default()
    }

    /// Returns a token as a string; empty if it is not UTF-8.
    pub fn token_text(&self, token: &Token) -> &str {
        std::str::from_utf8(self.token_bytes(token)).unwrap_or_default()
    }

    /// Returns true if the language is not sensitive to case.
    pub(crate) fn ignores_case(&self) -> bool {
        (self.dialect()).is_some_and(|dialect| dialect.family() == Family::Tgsi)
    }
}

/// Returns the outline of a program, without statements if its language is unknown.
pub(crate) fn build_outline(text: &[u8], part: &ProgramSpan) -> Outline {
    let Some(dialect) = part.dialect else {
        return Outline::without_language();
    };
    let length = dialect.header().len() as u32;
    let header = Span::new(part.header, part.header + length);
    let text = &text[..part.span.end as usize];
    if dialect.family() == Family::Tgsi {
        tgsi::build_outline(text, dialect, header)
    } else {
        assembly::build_outline(text, dialect, header)
    }
}

/// Returns the features that the options of a program enable.
fn collect_features(text: &[u8], outline: &Outline) -> Features {
    let Some(dialect) = outline.dialect else {
        return Features::empty();
    };
    let options = outline
        .statements
        .iter()
        .filter(|statement| statement.kind == StatementKind::Option)
        .flat_map(|statement| outline.statement_tokens(statement))
        .filter(|token| token.class == TokenClass::Option)
        .map(|token| &text[token.span.range()]);
    find_features(dialect, options)
}
