//! Words that follow the registers of a declaration. TGSI, section "Declaration".

use super::files::File;
use super::lex::Word;
use super::semantics::Name;
use glasm_ir::Interpolation;
use glasm_ir::semantic::Sampling;

/// A suffix by its word.
#[derive(Clone, Copy, Debug)]
pub(super) enum SuffixKind {
    Array(u32),
    /// A temporary that passes no value to subroutines: a hint.
    Local,
    /// A semantic with its index and the end of its index.
    Semantic(Name, u32, u32),
    Stream,
    Interpolation(Interpolation),
    Sampling(Sampling),
    /// Interpolation that wraps around, of TGSI of 2010.
    Wrap,
    Invariant,
}

/// The words of suffixes other than semantics.
const SUFFIXES: [(&str, SuffixKind); 11] = [
    ("ARRAY", SuffixKind::Array(0)),
    ("LOCAL", SuffixKind::Local),
    ("STREAM", SuffixKind::Stream),
    ("CONSTANT", SuffixKind::Interpolation(Interpolation::Flat)),
    (
        "LINEAR",
        SuffixKind::Interpolation(Interpolation::NoPerspective),
    ),
    (
        "PERSPECTIVE",
        SuffixKind::Interpolation(Interpolation::Smooth),
    ),
    // Flat or not by the state of flat shading, which code generation has.
    ("COLOR", SuffixKind::Interpolation(Interpolation::Smooth)),
    ("CENTER", SuffixKind::Sampling(Sampling::Center)),
    ("CENTROID", SuffixKind::Sampling(Sampling::Centroid)),
    ("SAMPLE", SuffixKind::Sampling(Sampling::Sample)),
    ("INVARIANT", SuffixKind::Invariant),
];

/// Prefix of a suffix that names axes.
const WRAP: &str = "CYLWRAP_";

/// Returns the words of suffixes other than semantics.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    SUFFIXES.iter().map(|row| row.0)
}

impl SuffixKind {
    /// Returns its position in the order of suffixes.
    pub(super) const fn step(self) -> u8 {
        match self {
            Self::Array(_) => 1,
            Self::Local => 2,
            Self::Semantic(..) => 3,
            Self::Stream => 4,
            Self::Interpolation(_) => 5,
            Self::Sampling(_) => 6,
            Self::Wrap => 7,
            Self::Invariant => 8,
        }
    }

    /// Returns the suffix of a word, other than a semantic, in a declaration of this file.
    pub(super) fn of(word: &Word<'_>, file: File) -> Option<Self> {
        let is_input = file == File::In;
        let row = SUFFIXES.iter().find(|row| word.is(row.0));
        match row.map(|&(_, suffix)| suffix) {
            // On outputs an interpolation has no effect.
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
