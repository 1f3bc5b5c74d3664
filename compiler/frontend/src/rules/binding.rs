//! Resolves binding paths to attributes, results, parameters, textures, buffers and shared memory.

use super::memory::BufferRange;
use super::{Checker, suggest};
use crate::ast::{Bracket, Segment};
use crate::codes::Code;
use crate::lang::bindings::{ATTRIBS, BindingInfo, Number, RESULTS, Traits, with_second_word};
use crate::lang::lenient::Rule;
use crate::lang::options::Features;
use crate::lang::stage_name;
use glasm_ir::{ParamSource, Semantic, Span};

/// What a path names.
#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// Attributes: row of the table, numbers `first..first + count`.
    Attrib(&'static BindingInfo, u32, u32),
    /// Results.
    Result(&'static BindingInfo, u32, u32),
    /// Parameters.
    Params(Vec<ParamSource>),
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

/// A path resolved: what it names, whether it is a range, and the segments left over, which can only be a suffix.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) bound: Bound,
    pub(super) range: bool,
    /// The run-time index in place of a number; `bound` is everything that it can be then.
    pub(super) relative: Option<u32>,
    pub(super) rest: Option<Segment>,
}

/// Outcome of matching a path against a row.
pub(super) enum Match {
    /// The row fits; so many segments were used, and this bracket.
    Yes { used: usize, bracket: Bracket },
    /// The words fit, but a number is missing or too much at this segment.
    Number(Span, Code),
    /// So many words fit.
    No,
}

impl Checker<'_> {
    /// What a path names. Reports the error if it names nothing.
    pub(super) fn resolve(&mut self, path: u32) -> Option<Resolved> {
        let mut segments = std::mem::take(&mut self.segments);
        segments.clear();
        segments.extend_from_slice(self.syntax.ast.segments(path));
        let resolved = self.resolve_segments(&segments);
        self.segments = segments;
        resolved
    }

    fn resolve_segments(&mut self, segments: &[Segment]) -> Option<Resolved> {
        let root = self.syntax.ast.names.text(segments[0].name);
        let resolved = match root {
            b"state" => self.state(segments),
            b"program" => self.program_binding(segments),
            b"image" => self.image_binding(segments),
            b"texture" => self.texture_binding(segments),
            b"result" => self.table(segments, RESULTS),
            _ => self.table(segments, ATTRIBS),
        };
        match resolved {
            Ok((bound, range, used)) => {
                if !self.may_be_bound(&bound, &segments[..used]) {
                    return None;
                }
                // A swizzle or a mask is the only thing that may follow a binding, and it has no brackets.
                let rest = &segments[used..];
                if rest.len() > 1
                    || rest
                        .first()
                        .is_some_and(|segment| segment.brackets[0] != Bracket::None)
                {
                    self.unknown(segments, used);
                    return None;
                }
                let relative = segments
                    .iter()
                    .find_map(|segment| match segment.brackets[0] {
                        Bracket::Relative(relative) => Some(relative),
                        Bracket::None | Bracket::One(_) | Bracket::Range(..) => None,
                    });
                Some(Resolved {
                    bound,
                    range,
                    relative,
                    rest: rest.first().copied(),
                })
            }
            Err(Failed {
                span,
                code,
                message,
                notes,
            }) => {
                self.error_with(code, span, message, notes);
                None
            }
        }
    }

    /// Whether the program may name what the rows of all programs have. Reports it if not.
    #[inline]
    fn may_be_bound(&mut self, bound: &Bound, segments: &[Segment]) -> bool {
        if let Bound::Params(list) = bound
            && let Some(ParamSource::State(param)) = list.first()
            && param.is_drivers()
        {
            return self.drivers_state(segments);
        }
        let is_computed = matches!(bound, Bound::Result(row, ..) if (row.semantic)(0) == Semantic::Position)
            && self.program.features.contains(Features::POSITION_INVARIANT);
        !is_computed || self.own_position(segments)
    }

    /// The position of a program that leaves it to fixed functions.
    #[cold]
    fn own_position(&mut self, segments: &[Segment]) -> bool {
        let span = segments[0].span.to(segments[segments.len() - 1].span);
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
    fn drivers_state(&mut self, segments: &[Segment]) -> bool {
        let (first, last) = (segments[0], segments[segments.len() - 1]);
        let span = first.span.to(last.span);
        let text = self.source_text(span);
        let message = format!("`{text}` is no binding of the language");
        self.lenient(Rule::DriversState, span, message)
    }

    #[cold]
    fn unknown(&mut self, segments: &[Segment], at: usize) {
        let segment = segments[at.min(segments.len() - 1)];
        let text = self.source_text(segment.span);
        let message = format!("`{text}` is no binding here");
        self.error(Code::BindingUnknown, segment.span, message);
    }

    pub(super) fn word(&self, segment: Segment) -> &[u8] {
        self.syntax.ast.names.text(segment.name)
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
        problem.unwrap_or(Match::Yes { used, bracket })
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
            Bracket::Relative(_) => {
                let message = "this binding needs a constant number; declare an array to index it";
                return fail(span, Code::BindingUnknown, message);
            }
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

    /// Attributes and results.
    fn table(&self, segments: &[Segment], table: &'static [BindingInfo]) -> Result<Found, Failed> {
        if let Some(second) = segments.get(1) {
            // Only rows with the same second word can fit; all of them are for saying what is wrong.
            for &row in with_second_word(table, self.word(*second)) {
                if row.stages.has(self.stage)
                    && row.known_in(self.family)
                    && let Match::Yes { used, bracket } =
                        self.matches(segments, row.path, row.number)
                {
                    return self.row(segments, row, used, bracket, table);
                }
            }
        }
        let mut problem = None;
        let rows = || {
            table
                .iter()
                .filter(|row| row.stages.has(self.stage) && row.known_in(self.family))
        };
        for row in rows() {
            match self.matches(segments, row.path, row.number) {
                Match::Yes { used, bracket } => {
                    return self.row(segments, row, used, bracket, table);
                }
                Match::Number(span, code) => problem = problem.or(Some((span, code))),
                Match::No => {}
            }
        }
        match problem {
            Some((span, code)) => self.bracket_problem(span, code),
            None => Err(self.no_binding(segments, rows().map(|row| row.path))),
        }
    }

    /// The words of a row fit, but a number in brackets is missing or too much.
    pub(super) fn bracket_problem<T>(&self, span: Span, code: Code) -> Result<T, Failed> {
        fail(
            span,
            code,
            format!("`{}`: {}", self.source_text(span), code.title()),
        )
    }

    fn row(
        &self,
        segments: &[Segment],
        row: &'static BindingInfo,
        used: usize,
        bracket: Bracket,
        table: &'static [BindingInfo],
    ) -> Result<Found, Failed> {
        let span = segments[0].span.to(segments[used - 1].span);
        // The option counts, see `Rule::DualSourceEarly`.
        let by_option =
            row.needs == Features::DUAL_SOURCE && self.has_option(Features::DUAL_SOURCE);
        if row.is_newer_than(self.syntax.ast.dialect) && !by_option {
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
        let bound = if std::ptr::eq(table, RESULTS) {
            Bound::Result(row, first, count)
        } else {
            Bound::Attrib(row, first, count)
        };
        Ok((bound, range, used))
    }

    /// The failure that no row fits, at the first word that no row knows, with a hint if that is close to a word of a row.
    pub(super) fn no_binding<'a>(
        &self,
        segments: &[Segment],
        patterns: impl Iterator<Item = &'a str>,
    ) -> Failed {
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
        Failed {
            span: segment.span,
            code: Code::BindingUnknown,
            message,
            notes,
        }
    }
}

/// What a path names, whether it is a range, and the number of segments used.
pub(super) type Found = (Bound, bool, usize);

/// Why a path names nothing.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) span: Span,
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) notes: Vec<String>,
}

/// A failure.
pub(super) fn fail<T>(span: Span, code: Code, message: impl Into<String>) -> Result<T, Failed> {
    Err(Failed {
        span,
        code,
        message: message.into(),
        notes: Vec::new(),
    })
}
