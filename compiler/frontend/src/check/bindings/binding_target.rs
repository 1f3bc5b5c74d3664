//! Targets of binding paths, the numbers in their brackets, and the errors of paths that have no
//! target.

use crate::ast::{DeclKind, PathBracket, PathSegment};
use crate::check::bindings::buffers::BufferRange;
use crate::check::context::RuleCx;
use crate::check::program::resource_usage::find_number_span;
use crate::codes::Code;
use crate::diagnostic_sink::suggest_spelling;
use crate::lang::binding_paths::AttribPrefix;
use crate::lang::bindings::{BindingInfo, IndexRule};
use crate::lang::stage_name;
use crate::lang::state::StateInfo;
use crate::variables::AttribOwner;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::{ParamSource, Span, StateParam};

/// Target of a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum BindingTarget {
    /// Attributes: entry of the table, numbers `first..first + count`, holder.
    Attrib(&'static BindingInfo, u32, u32, AttribOwner),
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

impl BindingTarget {
    /// Returns the kind of declaration that takes such a binding; for buffers, one of several.
    pub(crate) const fn declaring_kind(&self) -> DeclKind {
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
    /// Returns the parameter of the first element of the range.
    pub(crate) fn first_source(self) -> ParamSource {
        self.kind.source_at(self.first)
    }

    /// Returns all parameters in order.
    pub(crate) fn sources(self) -> impl Iterator<Item = ParamSource> {
        (self.first..self.first + self.count).map(move |number| self.kind.source_at(number))
    }

    /// Returns true if they are the vectors of a matrix.
    pub(crate) fn is_matrix(self) -> bool {
        matches!(self.kind, ParamKind::Matrix(..))
    }
}

impl ParamKind {
    /// Returns the parameter of this kind with the number `index`: for matrices, the row of that
    /// number. Lengths of storage buffers have no source and become the constant 0.
    fn source_at(self, index: u32) -> ParamSource {
        match self {
            Self::Env => ParamSource::Env(index),
            Self::Local => ParamSource::Local(index),
            Self::StorageLength => ParamSource::Literal([0; 4]),
            Self::State(row) => ParamSource::State((row.param)(index)),
            Self::Matrix(matrix, form) => ParamSource::State(StateParam::MatrixRow {
                matrix,
                form,
                row: index as u8,
            }),
        }
    }
}

/// A resolved path: its target, whether it is a range, and the remaining word, which can only be a
/// suffix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResolvedPath {
    pub(crate) target: BindingTarget,
    pub(crate) is_range: bool,
    /// The dynamic index instead of a number; `bound` is the range of everything that it can
    /// select.
    pub(crate) relative_index: Option<u32>,
    pub(crate) suffix_span: Option<Span>,
    /// Source span of the named item, without the remaining word.
    pub(crate) span: Span,
}

/// Outcome of matching a path against an entry.
pub(crate) enum PatternMatch {
    /// The entry matches, with this bracket.
    Matched(PathBracket),
    /// The words match, but a number is missing or superfluous at this segment.
    WrongNumber(Span, Code),
    /// Number of matching words.
    Mismatch,
}

/// Reports, as `BindingUnknown`, that the source at `span` is not a binding where it is used.
pub(crate) fn report_unknown_binding(cx: &mut RuleCx<'_>, span: Span) {
    let text = cx.source_string(span);
    let message = format!("`{text}` is not a binding here");
    cx.report_error(Code::BindingUnknown, span, message);
}

/// Compares words and brackets of `segments` with the path `pattern` of a table entry, in which
/// `[]` marks the word with the number. Returns its bracket if the pattern matches a prefix of the
/// segments; segments after that are not examined. A missing or superfluous bracket is returned
/// only if all words match.
pub(crate) fn match_pattern(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    pattern: &str,
    number: IndexRule,
) -> PatternMatch {
    let mut bracket = PathBracket::None;
    let mut used_segments = 0;
    let mut problem = None;
    let mut rest_of_pattern = pattern.as_bytes();
    // Most entries fail at the second word, so the pattern is not split beforehand. An empty
    // pattern still takes one word, so that `used` is at least 1 after the loop.
    while used_segments == 0 || !rest_of_pattern.is_empty() {
        let Some(&segment) = segments.get(used_segments) else {
            return PatternMatch::Mismatch;
        };
        let Some(after_word) = rest_of_pattern.strip_prefix(cx.segment_word(segment)) else {
            return PatternMatch::Mismatch;
        };
        let (after_word, numbered) = after_word
            .strip_prefix(b"[]")
            .map_or((after_word, false), |after_word| (after_word, true));
        // A word must end where the pattern has a point or ends: `front` does not match
        // `frontface`.
        rest_of_pattern = match after_word {
            [] => after_word,
            [b'.', next @ ..] => next,
            _ => return PatternMatch::Mismatch,
        };
        // Continues after a wrong bracket: it is the problem only if all words match.
        let bracket_found = segment.brackets[0];
        match (numbered, bracket_found) {
            // An omitted number is 0, as that of `vertex.texcoord`: ARB_vertex_program section
            // 2.14.3.1.
            (true, PathBracket::None) if matches!(number, IndexRule::Required(_)) => {
                problem = Some(PatternMatch::WrongNumber(
                    segment.span,
                    Code::BindingNeedsIndex,
                ));
            }
            (true, _) => bracket = bracket_found,
            (false, PathBracket::None) => {}
            (false, _) => {
                problem = Some(PatternMatch::WrongNumber(
                    segment.span,
                    Code::BindingTakesNoIndex,
                ))
            }
        }
        // Two brackets are for buffers and vertices only, which are read by other functions.
        if segment.brackets[1] != PathBracket::None {
            problem = Some(PatternMatch::WrongNumber(
                segment.span,
                Code::BindingTakesNoIndex,
            ));
        }
        used_segments += 1;
    }
    problem.unwrap_or(PatternMatch::Matched(bracket))
}

/// Returns the first number, the count, and whether it is a range, of a bracket; without a bracket
/// number 0. Fails, with an error at `span`, for dynamic indices, reversed ranges and numbers from
/// `limit` on.
pub(crate) fn read_index_range(
    cx: &RuleCx<'_>,
    bracket: PathBracket,
    limit: u32,
    span: Span,
) -> Result<(u32, u32, bool), BoxedPathError> {
    let (first, last, range) = match bracket {
        PathBracket::None => (0, 0, false),
        PathBracket::Single(number) => (number, number, false),
        PathBracket::Range(first, last) => (first, last, true),
        PathBracket::Relative(_) => return err_needs_constant_index(span),
    };
    if first > last {
        return err_path(
            span,
            Code::RangeReversed,
            format!("the range runs from {first} down to {last}"),
        );
    }
    // Entries without number have the limit 0, and their one binding is treated as number 0.
    if last >= limit.max(1) {
        let number_span = find_number_span(cx.ast.text, span, last);
        // Numbers above 32 bits are read as the largest one: messages have what the program has.
        let number = match last {
            u32::MAX => String::from_utf8_lossy(&cx.ast.text[number_span.range()]),
            last => last.to_string().into(),
        };
        let message = format!("number {number} is out of range; the limit is {limit}");
        return err_path(number_span, Code::BindingRange, message);
    }
    Ok((first, last - first + 1, range))
}

/// Returns the error that no entry of attributes or results matches: a wrong bracket if the words
/// of an entry match, else an unknown word. Only entries of the program's language and stage are
/// considered.
pub(crate) fn err_no_io_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    table: &'static [BindingInfo],
    prefix: AttribPrefix,
) -> BoxedPathError {
    let rows = || {
        table.iter().filter(|row| {
            let is_known = row.stages.contains_stage(cx.stage) && row.is_known_in(cx.family);
            is_known && prefix.applies_to(row)
        })
    };
    // A wrong bracket after words that all match is a better hint than a mismatch of words.
    let patterns = rows().map(|row| (row.path, row.number));
    match err_wrong_bracket(cx, segments, patterns) {
        Some(failed) => failed,
        None => err_unknown_path(cx, segments, rows().map(|row| row.path)),
    }
}

/// Returns the error for the first pattern whose words match, but with a missing or superfluous
/// number in brackets; `None` if there is none.
pub(crate) fn err_wrong_bracket<'a>(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    mut patterns: impl Iterator<Item = (&'a str, IndexRule)>,
) -> Option<BoxedPathError> {
    patterns.find_map(|(pattern, number)| {
        let PatternMatch::WrongNumber(span, code) = match_pattern(cx, segments, pattern, number)
        else {
            return None;
        };
        let message = format!("`{}`: {}", cx.source_string(span), code.title());
        Some(path_error(span, code, message))
    })
}

/// Returns the largest number of words at the start of a path that match some pattern, and the
/// words that those patterns have after them.
pub(crate) fn match_longest_prefix<'a>(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    patterns: impl Iterator<Item = &'a str>,
) -> (usize, Vec<&'a str>) {
    let mut matched_words = 0;
    let mut next_words: Vec<&str> = Vec::new();
    for pattern in patterns {
        let words: Vec<&str> = pattern
            .split('.')
            .map(|part| part.trim_end_matches("[]"))
            .collect();
        let pairs = words.iter().zip(segments);
        let matching_count = pairs
            .take_while(|(word, segment)| word.as_bytes() == cx.segment_word(**segment))
            .count();
        // Only the entries that share most words with the path determine which words could have
        // followed.
        if matching_count > matched_words {
            matched_words = matching_count;
            next_words.clear();
        }
        if matching_count == matched_words {
            next_words.extend(words.get(matching_count));
        }
    }
    (matched_words, next_words)
}

/// Returns the error that no pattern matches, at the first word that no pattern has, with a hint if
/// that is close to a word of a pattern; or that the path is incomplete. `segments` must not be
/// empty.
pub(crate) fn err_unknown_path<'a>(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    patterns: impl Iterator<Item = &'a str>,
) -> BoxedPathError {
    let (known, next) = match_longest_prefix(cx, segments, patterns);
    // If all words are known, another one is missing after the last one.
    let segment = segments[known.min(segments.len() - 1)];
    let text = cx.source_string(segment.span);
    let (message, notes) = if known >= segments.len() {
        (
            format!("the binding is incomplete after `{text}`"),
            Vec::new(),
        )
    } else {
        let word = String::from_utf8_lossy(cx.segment_word(segment)).into_owned();
        let message = format!(
            "`{text}` is not a binding of a {} program",
            stage_name(cx.stage)
        );
        (
            message,
            suggest_spelling(&word, next.into_iter())
                .into_iter()
                .collect(),
        )
    };
    Box::new(PathError {
        notes,
        ..*path_error(segment.span, Code::BindingUnknown, message)
    })
}

/// Returns the bracket of segments that match a pattern, `PathBracket::None` if they have none;
/// `None` if they do not match it.
pub(crate) fn match_bracket(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    pattern: &str,
    number: IndexRule,
) -> Option<PathBracket> {
    match match_pattern(cx, segments, pattern, number) {
        PatternMatch::Matched(bracket) => Some(bracket),
        PatternMatch::WrongNumber(..) | PatternMatch::Mismatch => None,
    }
}

/// Returns the first number and the count of elements of a buffer; `None` without brackets. Fails
/// as [`read_index_range`] does.
pub(crate) fn read_element_range(
    cx: &RuleCx<'_>,
    bracket: PathBracket,
    limit: u32,
    span: Span,
) -> Result<Option<(u32, u32)>, BoxedPathError> {
    if bracket == PathBracket::None {
        return Ok(None);
    }
    let (first, count, _) = read_index_range(cx, bracket, limit, span)?;
    Ok(Some((first, count)))
}

/// Target of a path, true if it is a range, and the number of segments used.
pub(crate) type FoundBinding = (BindingTarget, bool, usize);

/// Reason why a path has no target. Rare, so it is boxed.
pub(crate) type BoxedPathError = Box<PathError>;

/// An error of a binding path.
#[derive(Clone, Debug)]
pub(crate) struct PathError {
    pub(crate) span: Span,
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) notes: Vec<String>,
}

/// Returns an error about a binding path at `span`, without notes; nothing is reported.
pub(crate) fn path_error(span: Span, code: Code, message: impl Into<String>) -> BoxedPathError {
    Box::new(PathError {
        span,
        code,
        message: message.into(),
        notes: Vec::new(),
    })
}

/// Returns the error at `span` of a binding that takes no dynamic index.
pub(crate) fn err_needs_constant_index<T>(span: Span) -> Result<T, BoxedPathError> {
    let message = "this binding needs a constant number; declare an array to index it";
    err_path(span, Code::BindingUnknown, message)
}

/// Returns the error result for a binding path with this code and message.
pub(crate) fn err_path<T>(
    span: Span,
    code: Code,
    message: impl Into<String>,
) -> Result<T, BoxedPathError> {
    Err(path_error(span, code, message))
}
