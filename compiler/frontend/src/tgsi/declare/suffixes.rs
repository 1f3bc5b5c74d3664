//! What stands behind the registers of a declaration.

use super::head::Head;
use crate::codes::Code;
use crate::lang::lenient::Rule;
use crate::suggest::suggest;
use crate::tgsi::cursor::Word;
use crate::tgsi::files::File;
use crate::tgsi::semantics::Name;
use crate::tgsi::state::{Parsed, Reported, Translation};
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

/// A suffix by its word.
#[derive(Clone, Copy, Debug)]
enum Suffix {
    Array,
    /// A temporary that passes nothing to subroutines: a hint.
    Local,
    Semantic(Name),
    Stream,
    Interpolation(Interpolation),
    Sampling(Sampling),
    /// Interpolation that wraps around, of the text of 2010.
    Wrap,
    Invariant,
}

impl Suffix {
    /// Its place in the order of suffixes.
    const fn step(self) -> u8 {
        match self {
            Self::Array => 1,
            Self::Local => 2,
            Self::Semantic(_) => 3,
            Self::Stream => 4,
            Self::Interpolation(_) => 5,
            Self::Sampling(_) => 6,
            Self::Wrap => 7,
            Self::Invariant => 8,
        }
    }

    /// The suffix of a word that is no semantic, in a declaration of this file.
    fn of(word: &Word<'_>, file: File) -> Option<Self> {
        let is_input = file == File::In;
        let row = SUFFIXES.iter().find(|row| word.is(row.0));
        match row.map(|&(_, suffix)| suffix) {
            // On outputs an interpolation says nothing.
            Some(Self::Interpolation(_) | Self::Sampling(_)) if !is_input && file != File::Out => {
                None
            }
            Some(suffix) => Some(suffix),
            None => {
                let head = word.text.split_at_checked(WRAP.len());
                let (head, axes) = head.filter(|_| is_input)?;
                let is_wrap = head.eq_ignore_ascii_case(WRAP.as_bytes()) && !axes.is_empty();
                is_wrap.then_some(Self::Wrap)
            }
        }
    }
}

/// The words of suffixes that are no semantics.
const SUFFIXES: [(&str, Suffix); 11] = [
    ("ARRAY", Suffix::Array),
    ("LOCAL", Suffix::Local),
    ("STREAM", Suffix::Stream),
    ("CONSTANT", Suffix::Interpolation(Interpolation::Flat)),
    (
        "LINEAR",
        Suffix::Interpolation(Interpolation::NoPerspective),
    ),
    ("PERSPECTIVE", Suffix::Interpolation(Interpolation::Smooth)),
    // Flat or not as the state of flat shading says, which code generation knows.
    ("COLOR", Suffix::Interpolation(Interpolation::Smooth)),
    ("CENTER", Suffix::Sampling(Sampling::Center)),
    ("CENTROID", Suffix::Sampling(Sampling::Centroid)),
    ("SAMPLE", Suffix::Sampling(Sampling::Sample)),
    ("INVARIANT", Suffix::Invariant),
];

/// How a suffix begins that names axes.
const WRAP: &str = "CYLWRAP_";

impl Translation<'_> {
    /// The suffixes of a declaration, in their order; each may be missing.
    pub(super) fn suffixes(&mut self, head: &Head) -> Parsed<Suffixes> {
        let mut suffixes = Suffixes::default();
        // How far the order has come.
        let mut step = 0;
        while self.cursor.eat(b',') {
            let word = self.cursor.word();
            // COLOR is a semantic first, and an interpolation behind one.
            let semantic = Name::of(&word).filter(|_| suffixes.semantic.is_none());
            let suffix = match semantic {
                Some(name) => Some(Suffix::Semantic(name)),
                None => Suffix::of(&word, head.file),
            };
            let Some(suffix) = suffix else {
                return Err(self.unknown_suffix(head, &word));
            };
            self.suffix(head, &word, suffix, &mut suffixes)?;
            // Behind what the suffix reads: what is wrong in there is the first mistake.
            if suffix.step() <= step {
                let text = self.text_of(word.span());
                let message = format!("`{text}` stands behind what it has to stand before");
                return Err(self.error(Code::Declaration, word.span(), message));
            }
            step = suffix.step();
        }
        Ok(suffixes)
    }

    #[cold]
    fn unknown_suffix(&mut self, head: &Head, word: &Word<'_>) -> Reported {
        if word.text.is_empty() {
            return self.unexpected_as(Code::Declaration, "a part of a declaration");
        }
        let (text, file) = (self.text_of(word.span()), head.file.word());
        let words = Name::words().chain(SUFFIXES.iter().map(|row| row.0));
        let hint = suggest(&text, words);
        let message = format!("`{text}` is nothing that a declaration of `{file}` has");
        self.error_with(Code::Declaration, word.span(), message, hint)
    }

    /// What stands behind the word of a suffix.
    fn suffix(
        &mut self,
        head: &Head,
        word: &Word<'_>,
        suffix: Suffix,
        suffixes: &mut Suffixes,
    ) -> Parsed<()> {
        match suffix {
            Suffix::Array => suffixes.array = self.array_id(Code::Declaration)?,
            Suffix::Local => {}
            Suffix::Semantic(name) => {
                let number = self.semantic_number(head, word)?;
                suffixes.semantic = Some((name, number, self.cursor.since(word.start)));
            }
            Suffix::Stream => self.streams(head, word)?,
            Suffix::Interpolation(interpolation) => suffixes.interpolation = Some(interpolation),
            Suffix::Sampling(sampling) => suffixes.sampling = sampling,
            Suffix::Wrap => {
                let message = "values are interpolated without wrapping around";
                self.lenient(Rule::WrappedInterpolation, word.span(), message);
            }
            Suffix::Invariant => suffixes.invariant = true,
        }
        Ok(())
    }

    /// The number of a semantic, 0 without one.
    fn semantic_number(&mut self, head: &Head, word: &Word<'_>) -> Parsed<u32> {
        let takes = matches!(head.file, File::In | File::Out | File::Sv);
        // Vertex elements are told by the numbers of the registers.
        let is_attribute = self.stage == Stage::Vertex && head.file == File::In;
        if is_attribute {
            let text = self.text_of(word.span());
            let message = format!("`{text}`: inputs of vertex programs have no semantic");
            self.lenient(Rule::AttributeSemantic, word.span(), message);
        } else if !takes {
            let (text, file) = (self.text_of(word.span()), head.file.word());
            let message = format!("`{text}`: registers of `{file}` have no semantic");
            return Err(self.error(Code::Declaration, word.span(), message));
        }
        if !self.cursor.eat(b'[') {
            return Ok(0);
        }
        let mut before = self.cursor;
        let Some(number) = self.cursor.number() else {
            return Err(self.unexpected_as(Code::RegisterIndex, "a number"));
        };
        // Numbers of semantics have eight bits in the IR.
        if number > u32::from(u8::MAX) {
            let message = "numbers of semantics go up to 255";
            return Err(self.error(Code::IndexOutOfBounds, before.token(), message));
        }
        self.expect_bracket()?;
        Ok(number)
    }

    /// The stream of each component. Vertices go to streams as `EMIT` says, so that nothing is made of it.
    fn streams(&mut self, head: &Head, word: &Word<'_>) -> Parsed<()> {
        if self.stage != Stage::Geometry || head.file != File::Out {
            let message = "only outputs of geometry programs go to streams";
            return Err(self.error(Code::Declaration, word.span(), message));
        }
        for before in [b'(', b',', b',', b','] {
            self.expect(before)?;
            let place = self.cursor.token();
            if self.cursor.number().is_none_or(|stream| stream > 3) {
                let message = "streams are numbered from 0 to 3";
                return Err(self.error(Code::Declaration, place, message));
            }
        }
        self.expect(b')')
    }
}
