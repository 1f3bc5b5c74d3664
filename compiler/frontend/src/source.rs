//! The program string with its options.

pub use crate::dialect::{Acceptance, Dialect, Family, ProgramType, TgsiOptions, Version};

use crate::lang::arb;
use crate::program_span::{ProgramSpan, split_programs};
use glasm_ir::{Span, Stage};

/// A program string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source<'a> {
    /// Name for messages, usually a path.
    pub name: &'a str,
    /// The source. Any bytes are allowed; invalid programs are reported as diagnostics.
    pub text: &'a [u8],
    /// The bytes of `text` that are the program, or `None` for all. Messages contain positions in
    /// the whole source, so that they are correct for a file that holds more than the program.
    pub program_span: Option<Span>,
    /// Language, or `None` to read it from the header.
    pub dialect: Option<Dialect>,
    /// The type that the program must have, or `None` for any.
    pub program_type: Option<ProgramType>,
    /// Maximum number of instructions that a program with free branches may run before its loops
    /// end, so that none runs forever: 65,536 unless changed; `None` disables the limit.
    /// NV_vertex_program2_option section 2.14.4.X.
    pub step_limit: Option<u32>,
    /// Rule for which programs load: whether the program may break rules that shipped programs
    /// break.
    pub acceptance: Acceptance,
    /// Parameters that a TGSI source does not contain.
    pub tgsi: TgsiOptions,
}

impl<'a> Source<'a> {
    /// Returns the source of a program string whose language is read from its header, which is
    /// accepted as shipped programs are; `name` is for messages.
    pub fn new(name: &'a str, text: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self {
            name,
            text: text.as_ref(),
            program_span: None,
            dialect: None,
            program_type: None,
            step_limit: Some(arb::EXECUTED_INSTRUCTIONS),
            acceptance: Acceptance::Shipped,
            tgsi: TgsiOptions::default(),
        }
    }

    /// Returns the source for a caller that needs a program of this shader stage; vertex state
    /// programs belong to no stage.
    #[must_use]
    pub fn for_stage(self, stage: Stage) -> Self {
        self.for_type(ProgramType::Stage(stage))
    }

    /// Returns the source for a caller that needs a program of this type.
    #[must_use]
    pub fn for_type(self, program_type: ProgramType) -> Self {
        Self {
            program_type: Some(program_type),
            ..self
        }
    }

    /// Returns the source for a caller that requires every broken rule to be an error.
    #[must_use]
    pub fn strict(self) -> Self {
        Self {
            acceptance: Acceptance::Strict,
            ..self
        }
    }

    /// Returns the span of the program in bytes, clamped to the source and its first 4 GiB; the
    /// whole source if the caller has named no part.
    pub fn program_span(&self) -> Span {
        let length = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        let part = self.program_span.unwrap_or(Span::new(0, length));
        // A part that a caller chose may be past the end of the source: it is clamped, so that
        // slicing never panics.
        let start = part.start.min(length);
        Span::new(start, part.end.clamp(start, length))
    }

    /// Returns the programs of the source with their locations: a source for each, whose messages
    /// have positions in the whole source. There is at least one, even without a header. A strict
    /// source is one program, as GL sees it.
    pub fn programs(self) -> impl Iterator<Item = (ProgramSpan, Self)> {
        let source_span = self.program_span();
        // GL treats a string as one program, so a strict source is not searched.
        let text = match self.acceptance {
            Acceptance::Shipped => &self.text[source_span.range()],
            Acceptance::Strict => &[],
        };
        split_programs(text).map(move |part| {
            let part = match self.acceptance {
                Acceptance::Shipped => part.with_offset(source_span.start),
                Acceptance::Strict => ProgramSpan {
                    span: source_span,
                    header: source_span.start,
                    dialect: Dialect::detect(&self.text[source_span.range()]),
                },
            };
            let source = Self {
                program_span: Some(part.span),
                ..self
            };
            (part, source)
        })
    }
}
