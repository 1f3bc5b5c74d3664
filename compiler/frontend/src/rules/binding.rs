//! Resolves binding paths to attributes, results, parameters, textures, buffers and shared memory.

use super::buffers::BufferRange;
use super::{Checker, suggest};
use crate::codes::Code;
use crate::lang::bindings::{BindingInfo, Number, RESULTS, Traits};
use crate::lang::lenient::Rule;
use crate::lang::options::Features;
use crate::lang::paths::{self, PathRow, Prefix};
use crate::lang::stage_name;
use crate::lang::state::StateInfo;
use crate::statement::{Bracket, Segment};
use crate::vars::Holder;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::{ParamSource, Semantic, Span, StateParam};

/// What a path names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// Attributes: row of the table, numbers `first..first + count`, what has them.
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
    /// Bytes of shared memory; `None` is all of it.
    Shared(Option<(u32, u32)>),
    /// Subroutine parameters.
    Subroutines { first: u32, count: u32 },
}

/// Parameters of one kind with numbers `first..first + count`; at least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParamRange {
    pub(super) kind: ParamKind,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// Kinds of parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum ParamKind {
    Env,
    Local,
    /// The length of a storage buffer, which no program asks for that is not made of GLSL.
    StorageLength,
    State(&'static StateInfo),
    /// Rows of a matrix.
    Matrix(MatrixName, MatrixForm),
}

impl ParamRange {
    /// The first parameter.
    pub(super) fn source(self) -> ParamSource {
        self.kind.source(self.first)
    }

    /// All of them.
    pub(super) fn sources(self) -> impl Iterator<Item = ParamSource> {
        (self.first..self.first + self.count).map(move |number| self.kind.source(number))
    }

    /// Whether they are rows of a matrix.
    pub(super) fn is_matrix(self) -> bool {
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

/// A path resolved: what it names, whether it is a range, and the word left over, which can only be a suffix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resolved {
    pub(super) bound: Bound,
    pub(super) range: bool,
    /// The run-time index in place of a number; `bound` is everything that it can be then.
    pub(super) relative: Option<u32>,
    pub(super) rest: Option<Span>,
    /// The place of what is named, without the word left over.
    pub(super) span: Span,
}

/// Outcome of matching a path against a row.
pub(super) enum Match {
    /// The row fits, with this bracket.
    Yes(Bracket),
    /// The words fit, but a number is missing or too much at this segment.
    Number(Span, Code),
    /// So many words fit.
    No,
}

impl Checker<'_> {
    /// What a path names. Reports the error if it names nothing.
    pub(super) fn resolve(&mut self, path: u32) -> Option<Resolved> {
        let segments = self.syntax.reading.segments(path);
        let (bound, range, used) = match self.find(segments) {
            Ok(found) => found,
            Err(failed) => return self.names_nothing(*failed),
        };
        let span = segments[0].span.to(segments[used - 1].span);
        let rest = &segments[used..];
        // A swizzle or a mask is the only thing that may follow a binding, and it has no brackets.
        let is_suffix = rest.len() < 2 && rest.iter().all(|it| it.brackets[0] == Bracket::None);
        let rest = rest.first().map(|segment| segment.span);
        let relative = segments.iter().find_map(Segment::relative);
        if !self.may_be_bound(&bound, span) {
            return None;
        }
        if let (Some(rest), false) = (rest, is_suffix) {
            self.unknown(rest);
            return None;
        }
        Some(Resolved {
            bound,
            range,
            relative,
            rest,
            span,
        })
    }

    fn find(&self, segments: &[Segment]) -> Result<Found, Failed> {
        if let Some((row, used, bracket)) = self.row_of(segments) {
            return match row {
                PathRow::Attrib(row, prefix) => {
                    let holder = self.holder(&segments[..used], row, prefix)?;
                    let bound = |(first, count)| Bound::Attrib(row, first, count, holder);
                    self.io_row(segments, row, (used, bracket), bound)
                }
                PathRow::Result(row) => {
                    let bound = |(first, count)| Bound::Result(row, first, count);
                    self.io_row(segments, row, (used, bracket), bound)
                }
                PathRow::State(row) => self.state_row(segments, row, used, bracket),
                PathRow::Env => self.env_parameter(segments),
                PathRow::Local => self.local_parameter(segments),
            };
        }
        match self.word(segments[0]) {
            b"state" => self.other_state(segments),
            b"program" => self.program_binding(segments),
            b"image" => self.image_binding(segments),
            b"texture" => self.texture_binding(segments),
            b"result" => Err(self.no_row(segments, RESULTS, Prefix::default())),
            _ => Err(self.no_attribute(segments)),
        }
    }

    /// The row that fits a path, the number of segments that it takes, and the bracket among them. The longest one fits best.
    fn row_of(&self, segments: &[Segment]) -> Option<(PathRow, usize, Bracket)> {
        let longest = segments.len().min(paths::LONGEST);
        (2..=longest).rev().find_map(|used| {
            let row = paths::row(self.syntax.reading.dialect, segments[used - 1].key)?;
            let words = &segments[..used];
            let bracket = match row {
                PathRow::Attrib(row, prefix) if prefix != Prefix::default() => {
                    self.bracket_behind(words, row, prefix)
                }
                PathRow::Attrib(row, _) | PathRow::Result(row) => {
                    self.bracket_of(words, row.path, row.number)
                }
                PathRow::State(row) => self.bracket_of(&words[1..], row.path, row.number),
                PathRow::Env => self.bracket_of(words, paths::ENV, Number::Required(0)),
                PathRow::Local => self.bracket_of(words, paths::LOCAL, Number::Required(0)),
            };
            Some((row, used, bracket?))
        })
    }

    /// The bracket of a path that fits the pattern of a row. The key says that it does, but other words might have the same.
    fn bracket_of(&self, segments: &[Segment], pattern: &str, number: Number) -> Option<Bracket> {
        let [first, .., last] = segments else {
            return None;
        };
        let words = self.text_at(first.word.to(last.word));
        let pattern_words = pattern.strip_suffix("[]").unwrap_or(pattern);
        if words == pattern_words.as_bytes() && last.brackets[1] == Bracket::None {
            return Some(last.brackets[0]);
        }
        self.bracket_in(segments, pattern, number)
    }

    /// The bracket of segments that fit a pattern, found by looking at one after the other.
    pub(super) fn bracket_in(
        &self,
        segments: &[Segment],
        pattern: &str,
        number: Number,
    ) -> Option<Bracket> {
        match self.matches(segments, pattern, number) {
            Match::Yes(bracket) => Some(bracket),
            Match::Number(..) | Match::No => None,
        }
    }

    #[cold]
    fn names_nothing(&mut self, problem: Problem) -> Option<Resolved> {
        let Problem {
            span,
            code,
            message,
            notes,
        } = problem;
        self.error_with(code, span, message, notes);
        None
    }

    /// Whether the program may name what the rows of all programs have. Reports it if not.
    #[inline]
    fn may_be_bound(&mut self, bound: &Bound, span: Span) -> bool {
        match bound {
            Bound::Params(params) if matches!(params.kind, ParamKind::State(_)) => {
                let ParamSource::State(param) = params.source() else {
                    return true;
                };
                !param.is_drivers() || self.drivers_state(span)
            }
            Bound::Result(row, ..) => {
                let is_computed = self.program.features.contains(Features::POSITION_INVARIANT)
                    && (row.semantic)(0) == Semantic::Position;
                !is_computed || self.own_position(span)
            }
            Bound::Attrib(row, _, _, holder) => {
                *holder == Holder::default() && !row.traits.contains(Traits::IN)
                    || self.may_be_read(row, *holder, span)
            }
            Bound::Params(_)
            | Bound::Texture { .. }
            | Bound::Image { .. }
            | Bound::Buffer(_)
            | Bound::Shared(_)
            | Bound::Subroutines { .. } => true,
        }
    }

    /// The position of a program that leaves it to fixed functions.
    #[cold]
    fn own_position(&mut self, span: Span) -> bool {
        let message =
            "the program has OPTION ARB_position_invariant, so the position is computed for it";
        if self.facts.own_position {
            return self.lenient(Rule::OwnPosition, span, message);
        }
        self.error(Code::PositionInvariant, span, message);
        false
    }

    /// State that no specification has, but programs that a driver's compiler wrote.
    #[cold]
    fn drivers_state(&mut self, span: Span) -> bool {
        let text = self.source_text(span);
        let message = format!("`{text}` is no binding of the language");
        self.lenient(Rule::DriversState, span, message)
    }

    #[cold]
    pub(super) fn unknown(&mut self, span: Span) {
        let text = self.source_text(span);
        let message = format!("`{text}` is no binding here");
        self.error(Code::BindingUnknown, span, message);
    }

    pub(super) fn word(&self, segment: Segment) -> &[u8] {
        self.text_at(segment.word)
    }

    pub(super) fn text_at(&self, span: Span) -> &[u8] {
        &self.syntax.reading.text[span.range()]
    }

    /// Matches words and brackets of `segments` with the pattern of a row.
    pub(super) fn matches(&self, segments: &[Segment], pattern: &str, number: Number) -> Match {
        let mut bracket = Bracket::None;
        let mut used = 0;
        let mut problem = None;
        let mut rest = pattern.as_bytes();
        // Most rows fail at the second word, so the pattern is not taken apart beforehand.
        while used == 0 || !rest.is_empty() {
            let Some(&segment) = segments.get(used) else {
                return Match::No;
            };
            let Some(behind) = rest.strip_prefix(self.word(segment)) else {
                return Match::No;
            };
            let (behind, numbered) = behind
                .strip_prefix(b"[]")
                .map_or((behind, false), |behind| (behind, true));
            rest = match behind {
                [] => behind,
                [b'.', next @ ..] => next,
                _ => return Match::No,
            };
            let found = segment.brackets[0];
            match (numbered, found) {
                (true, Bracket::None) if matches!(number, Number::Required(_)) => {
                    problem = Some(Match::Number(segment.span, Code::BindingNeedsIndex));
                }
                (true, _) => bracket = found,
                (false, Bracket::None) => {}
                (false, _) => {
                    problem = Some(Match::Number(segment.span, Code::BindingTakesNoIndex))
                }
            }
            if segment.brackets[1] != Bracket::None {
                problem = Some(Match::Number(segment.span, Code::BindingTakesNoIndex));
            }
            used += 1;
        }
        problem.unwrap_or(Match::Yes(bracket))
    }

    /// First number and count of a bracket within a limit.
    pub(super) fn numbers(
        &self,
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
        // Rows without number have the limit 0, and their one binding counts as number 0.
        if last >= limit.max(1) {
            let message = format!("number {last} is out of range; the limit is {limit}");
            return fail(span, Code::BindingRange, message);
        }
        Ok((first, last - first + 1, range))
    }

    /// Why no row of attributes or results fits.
    #[cold]
    pub(super) fn no_row(
        &self,
        segments: &[Segment],
        table: &'static [BindingInfo],
        prefix: Prefix,
    ) -> Failed {
        let rows = || {
            table.iter().filter(|row| {
                let is_known = row.stages.has(self.stage) && row.known_in(self.family);
                is_known && prefix.goes_with(row)
            })
        };
        let patterns = rows().map(|row| (row.path, row.number));
        match self.bracket_problem(segments, patterns) {
            Some(failed) => failed,
            None => self.no_binding(segments, rows().map(|row| row.path)),
        }
    }

    /// The first row whose words fit, but a number in brackets is missing or too much.
    pub(super) fn bracket_problem<'a>(
        &self,
        segments: &[Segment],
        mut patterns: impl Iterator<Item = (&'a str, Number)>,
    ) -> Option<Failed> {
        patterns.find_map(|(pattern, number)| {
            let Match::Number(span, code) = self.matches(segments, pattern, number) else {
                return None;
            };
            let message = format!("`{}`: {}", self.source_text(span), code.title());
            Some(problem(span, code, message))
        })
    }

    /// What a row of attributes or results stands for, of which a path takes so many segments and has this bracket.
    fn io_row(
        &self,
        segments: &[Segment],
        row: &'static BindingInfo,
        (used, bracket): (usize, Bracket),
        bound: impl FnOnce((u32, u32)) -> Bound,
    ) -> Result<Found, Failed> {
        let span = segments[0].span.to(segments[used - 1].span);
        // The option counts, see `Rule::DualSourceEarly`.
        let by_option =
            row.needs == Features::DUAL_SOURCE && self.has_option(Features::DUAL_SOURCE);
        if row.is_newer_than(self.syntax.reading.dialect) && !by_option {
            let (text, since) = (self.source_text(span), row.since.name());
            return fail(
                span,
                Code::FeatureNewer,
                format!("`{text}` needs language version {since}"),
            );
        }
        let missing = row.needs_in(self.family).difference(self.program.features);
        if !missing.is_empty() {
            let (text, option) = (self.source_text(span), missing.option());
            return fail(
                span,
                Code::ResultOption,
                format!("`{text}` needs OPTION {option}"),
            );
        }
        let (first, count, range) = match bracket {
            Bracket::Relative(_) if row.traits.contains(Traits::RELATIVE) => {
                self.relative_numbers(row, span)?
            }
            Bracket::None | Bracket::One(_) | Bracket::Range(..) | Bracket::Relative(_) => {
                self.numbers(bracket, row.number.limit(), span)?
            }
        };
        if row.traits.contains(Traits::QUADS) && !first.is_multiple_of(4) {
            let message = format!("number {first} is no multiple of four");
            return fail(span, Code::BindingRange, message);
        }
        Ok((bound((first, count)), range, used))
    }

    /// How many words of a path fit some pattern, and the words that the patterns have behind them.
    fn words_behind<'a>(
        &self,
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
                .take_while(|(word, segment)| word.as_bytes() == self.word(**segment))
                .count();
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

    /// The failure that no row fits, at the first word that no row knows, with a hint if that is close to a word of a row.
    pub(super) fn no_binding<'a>(
        &self,
        segments: &[Segment],
        patterns: impl Iterator<Item = &'a str>,
    ) -> Failed {
        let (known, next) = self.words_behind(segments, patterns);
        let segment = segments[known.min(segments.len() - 1)];
        let text = self.source_text(segment.span);
        let (message, notes) = if known >= segments.len() {
            (
                format!("the binding is not complete behind `{text}`"),
                Vec::new(),
            )
        } else {
            let word = String::from_utf8_lossy(self.word(segment)).into_owned();
            let message = format!(
                "`{text}` is no binding of a {} program",
                stage_name(self.stage)
            );
            (
                message,
                suggest(&word, next.into_iter()).into_iter().collect(),
            )
        };
        Box::new(Problem {
            notes,
            ..*problem(segment.span, Code::BindingUnknown, message)
        })
    }
}

/// What a path names, whether it is a range, and the number of segments used.
pub(super) type Found = (Bound, bool, usize);

/// Why a path names nothing. Rare, so it stays out of the way.
pub(super) type Failed = Box<Problem>;

/// An error of a binding path.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) span: Span,
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) notes: Vec<String>,
}

#[cold]
fn problem(span: Span, code: Code, message: impl Into<String>) -> Failed {
    Box::new(Problem {
        span,
        code,
        message: message.into(),
        notes: Vec::new(),
    })
}

/// The failure of a binding that takes no run-time index.
#[cold]
pub(super) fn needs_constant<T>(span: Span) -> Result<T, Failed> {
    let message = "this binding needs a constant number; declare an array to index it";
    fail(span, Code::BindingUnknown, message)
}

/// A failure.
#[cold]
pub(super) fn fail<T>(span: Span, code: Code, message: impl Into<String>) -> Result<T, Failed> {
    Err(problem(span, code, message))
}
