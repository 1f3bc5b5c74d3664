//! Targets of binding paths, the numbers in their brackets, and the errors of paths that have no
//! target.

use crate::ast::{Bracket, DeclKind, Segment};
use crate::check::bindings::buffers::BufferRange;
use crate::check::context::RuleCx;
use crate::check::program::usage::find_number_span;
use crate::codes::Code;
use crate::lang::bindings::{BindingInfo, Number};
use crate::lang::paths::Prefix;
use crate::lang::stage_name;
use crate::lang::state::StateInfo;
use crate::suggest::suggest;
use crate::vars::Holder;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::{ParamSource, Span, StateParam};

/// Target of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    /// Attributes: entry of the table, numbers `first..first + count`, holder.
    Attrib(&'static BindingInfo, u32, u32, Holder),
    /// Results.
    Result(&'static BindingInfo, u32, u32),
    /// Parameters.
    Params(ParamRange),
    /// Texture image units.
    Texture { first: u32, count: u32 },
    /// Image units.
    Image { first: u32, count: u32 },
    /// Elements of buffers.
    Buffer(BufferRange),
    /// A range of bytes of shared memory; `None` is all of it.
    Shared(Option<(u32, u32)>),
    /// Subroutine parameters.
    Subroutines { first: u32, count: u32 },
}

impl Bound {
    /// Returns the declarations that take such a binding; for buffers, one of them.
    pub(crate) const fn declared_by(&self) -> DeclKind {
        match self {
            Self::Attrib(..) => DeclKind::Attrib,
            Self::Result(..) => DeclKind::Output,
            Self::Params(_) => DeclKind::Param,
            Self::Texture { .. } => DeclKind::Texture,
            Self::Image { .. } => DeclKind::Image,
            Self::Buffer(_) => DeclKind::Buffer,
            Self::Shared(_) => DeclKind::Shared,
            Self::Subroutines { .. } => DeclKind::Subroutine,
        }
    }
}

/// Parameters of one kind with numbers `first..first + count`; at least one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParamRange {
    pub(crate) kind: ParamKind,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// Kinds of parameters.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamKind {
    Env,
    Local,
    /// The length of a storage buffer, which only programs compiled from GLSL use.
    StorageLength,
    State(&'static StateInfo),
    /// Vectors of a matrix: lines of the matrix or of its transpose.
    Matrix(MatrixName, MatrixForm),
}

impl ParamRange {
    /// Returns the first parameter.
    pub(crate) fn source(self) -> ParamSource {
        self.kind.source(self.first)
    }

    /// Returns all parameters in order.
    pub(crate) fn sources(self) -> impl Iterator<Item = ParamSource> {
        (self.first..self.first + self.count).map(move |number| self.kind.source(number))
    }

    /// Returns true if they are the vectors of a matrix.
    pub(crate) fn is_matrix(self) -> bool {
        matches!(self.kind, ParamKind::Matrix(..))
    }
}

impl ParamKind {
    fn source(self, number: u32) -> ParamSource {
        match self {
            Self::Env => ParamSource::Env(number),
            Self::Local => ParamSource::Local(number),
            Self::StorageLength => ParamSource::Literal([0; 4]),
            Self::State(row) => ParamSource::State((row.param)(number)),
            Self::Matrix(matrix, form) => ParamSource::State(StateParam::MatrixRow {
                matrix,
                form,
                row: number as u8,
            }),
        }
    }
}

/// A resolved path: its target, whether it is a range, and the remaining word, which can only be a
/// suffix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resolved {
    pub(crate) bound: Bound,
    pub(crate) range: bool,
    /// The dynamic index instead of a number; `bound` is the range of everything that it can
    /// select.
    pub(crate) relative: Option<u32>,
    pub(crate) rest: Option<Span>,
    /// Source span of the named item, without the remaining word.
    pub(crate) span: Span,
}

/// Outcome of matching a path against an entry.
pub(crate) enum Match {
    /// The entry matches, with this bracket.
    Yes(Bracket),
    /// The words match, but a number is missing or superfluous at this segment.
    Number(Span, Code),
    /// Number of matching words.
    No,
}

#[cold]
pub(crate) fn report_unknown_binding(cx: &mut RuleCx<'_>, span: Span) {
    let text = cx.source_text(span);
    let message = format!("`{text}` is no binding here");
    cx.error(Code::BindingUnknown, span, message);
}

/// Matches words and brackets of `segments` with the pattern of an entry.
pub(crate) fn match_pattern(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    pattern: &str,
    number: Number,
) -> Match {
    let mut bracket = Bracket::None;
    let mut used = 0;
    let mut problem = None;
    let mut rest = pattern.as_bytes();
    // Most entries fail at the second word, so the pattern is not split beforehand. An empty
    // pattern still takes one word, so that `used` is at least 1 after the loop.
    while used == 0 || !rest.is_empty() {
        let Some(&segment) = segments.get(used) else {
            return Match::No;
        };
        let Some(behind) = rest.strip_prefix(cx.word(segment)) else {
            return Match::No;
        };
        let (behind, numbered) = behind
            .strip_prefix(b"[]")
            .map_or((behind, false), |behind| (behind, true));
        // A word must end where the pattern has a point or ends: `front` does not match
        // `frontface`.
        rest = match behind {
            [] => behind,
            [b'.', next @ ..] => next,
            _ => return Match::No,
        };
        // Continues after a wrong bracket: it is the problem only if all words match.
        let found = segment.brackets[0];
        match (numbered, found) {
            // An omitted number is 0, as that of `vertex.texcoord`: ARB_vertex_program section
            // 2.14.3.1.
            (true, Bracket::None) if matches!(number, Number::Required(_)) => {
                problem = Some(Match::Number(segment.span, Code::BindingNeedsIndex));
            }
            (true, _) => bracket = found,
            (false, Bracket::None) => {}
            (false, _) => problem = Some(Match::Number(segment.span, Code::BindingTakesNoIndex)),
        }
        // Two brackets are for buffers and vertices only, which are read by other functions.
        if segment.brackets[1] != Bracket::None {
            problem = Some(Match::Number(segment.span, Code::BindingTakesNoIndex));
        }
        used += 1;
    }
    problem.unwrap_or(Match::Yes(bracket))
}

/// Reads the first number and the count of a bracket within a limit.
pub(crate) fn read_numbers(
    cx: &RuleCx<'_>,
    bracket: Bracket,
    limit: u32,
    span: Span,
) -> Result<(u32, u32, bool), Failed> {
    let (first, last, range) = match bracket {
        Bracket::None => (0, 0, false),
        Bracket::One(number) => (number, number, false),
        Bracket::Range(first, last) => (first, last, true),
        Bracket::Relative(_) => return needs_constant(span),
    };
    if first > last {
        return fail(
            span,
            Code::RangeReversed,
            format!("the range runs from {first} down to {last}"),
        );
    }
    // Entries without number have the limit 0, and their one binding is treated as number 0.
    if last >= limit.max(1) {
        let message = format!("number {last} is out of range; the limit is {limit}");
        let place = find_number_span(cx.ast.text, span, last);
        return fail(place, Code::BindingRange, message);
    }
    Ok((first, last - first + 1, range))
}

/// Returns the reason why no entry of attributes or results matches.
#[cold]
pub(crate) fn err_no_row(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    table: &'static [BindingInfo],
    prefix: Prefix,
) -> Failed {
    let rows = || {
        table.iter().filter(|row| {
            let is_known = row.stages.has(cx.stage) && row.known_in(cx.family);
            is_known && prefix.goes_with(row)
        })
    };
    // A wrong bracket after words that all match is a better hint than a mismatch of words.
    let patterns = rows().map(|row| (row.path, row.number));
    match find_bracket_problem(cx, segments, patterns) {
        Some(failed) => failed,
        None => err_no_binding(cx, segments, rows().map(|row| row.path)),
    }
}

/// Returns the first entry whose words match, but with a missing or superfluous number in brackets.
pub(crate) fn find_bracket_problem<'a>(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    mut patterns: impl Iterator<Item = (&'a str, Number)>,
) -> Option<Failed> {
    patterns.find_map(|(pattern, number)| {
        let Match::Number(span, code) = match_pattern(cx, segments, pattern, number) else {
            return None;
        };
        let message = format!("`{}`: {}", cx.source_text(span), code.title());
        Some(problem(span, code, message))
    })
}

/// Returns the number of words of a path that match some pattern, and the words that the patterns
/// have after them.
pub(crate) fn find_next_words<'a>(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    patterns: impl Iterator<Item = &'a str>,
) -> (usize, Vec<&'a str>) {
    let mut known = 0;
    let mut next: Vec<&str> = Vec::new();
    for pattern in patterns {
        let words: Vec<&str> = pattern
            .split('.')
            .map(|part| part.trim_end_matches("[]"))
            .collect();
        let pairs = words.iter().zip(segments);
        let fitting = pairs
            .take_while(|(word, segment)| word.as_bytes() == cx.word(**segment))
            .count();
        // Only the entries that share most words with the path determine which words could have
        // followed.
        if fitting > known {
            known = fitting;
            next.clear();
        }
        if fitting == known {
            next.extend(words.get(fitting));
        }
    }
    (known, next)
}

/// Returns the failure that no entry matches, at the first word that no entry has, with a hint if
/// that is close to a word of an entry.
pub(crate) fn err_no_binding<'a>(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    patterns: impl Iterator<Item = &'a str>,
) -> Failed {
    let (known, next) = find_next_words(cx, segments, patterns);
    // If all words are known, another one is missing after the last one.
    let segment = segments[known.min(segments.len() - 1)];
    let text = cx.source_text(segment.span);
    let (message, notes) = if known >= segments.len() {
        (
            format!("the binding is not complete behind `{text}`"),
            Vec::new(),
        )
    } else {
        let word = String::from_utf8_lossy(cx.word(segment)).into_owned();
        let message = format!(
            "`{text}` is no binding of a {} program",
            stage_name(cx.stage)
        );
        (
            message,
            suggest(&word, next.into_iter()).into_iter().collect(),
        )
    };
    Box::new(PathProblem {
        notes,
        ..*problem(segment.span, Code::BindingUnknown, message)
    })
}

/// Returns the bracket of segments that match a pattern; `None` if they do not match it.
pub(crate) fn find_bracket_in(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    pattern: &str,
    number: Number,
) -> Option<Bracket> {
    match match_pattern(cx, segments, pattern, number) {
        Match::Yes(bracket) => Some(bracket),
        Match::Number(..) | Match::No => None,
    }
}

/// Reads the element numbers of a buffer; `None` without brackets.
pub(crate) fn read_elements(
    cx: &RuleCx<'_>,
    bracket: Bracket,
    limit: u32,
    span: Span,
) -> Result<Option<(u32, u32)>, Failed> {
    if bracket == Bracket::None {
        return Ok(None);
    }
    let (first, count, _) = read_numbers(cx, bracket, limit, span)?;
    Ok(Some((first, count)))
}

/// Target of a path, true if it is a range, and the number of segments used.
pub(crate) type FoundBinding = (Bound, bool, usize);

/// Reason why a path has no target. Rare, so it is boxed.
pub(crate) type Failed = Box<PathProblem>;

/// An error of a binding path.
#[derive(Clone, Debug)]
pub(crate) struct PathProblem {
    pub(crate) span: Span,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

#[cold]
pub(crate) fn problem(span: Span, code: Code, message: impl Into<String>) -> Failed {
    Box::new(PathProblem {
        span,
        code,
        message: message.into(),
        notes: Vec::new(),
    })
}

/// Returns the failure of a binding that takes no dynamic index.
#[cold]
pub(crate) fn needs_constant<T>(span: Span) -> Result<T, Failed> {
    let message = "this binding needs a constant number; declare an array to index it";
    fail(span, Code::BindingUnknown, message)
}

/// Returns a failure.
#[cold]
pub(crate) fn fail<T>(span: Span, code: Code, message: impl Into<String>) -> Result<T, Failed> {
    Err(problem(span, code, message))
}
