//! Resolves binding paths to attributes, results, parameters, textures, buffers and shared memory.

use super::{BufferLayout, Checker};
use crate::ast::{Bracket, Segment};
use crate::codes::Code;
use crate::lang::bindings::{ATTRIBS, BindingInfo, Number, RESULTS};
use crate::lang::state::{FORMS, MATRICES, STATE};
use crate::lang::{limits, stage_name};
use glasm_ir::state::MatrixForm;
use glasm_ir::{ParamSource, Span, StateParam};

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
    /// Elements of program parameter buffers; `None` is the whole buffer.
    Buffer {
        bindings: (u32, u32),
        elements: Option<(u32, u32)>,
    },
    /// Bytes of shared memory; `None` is all of it.
    Shared(Option<(u32, u32)>),
}

/// A path resolved: what it names, whether it is a range, and the segments left over, which can only be a suffix.
#[derive(Clone, Debug)]
pub(super) struct Resolved {
    pub(super) bound: Bound,
    pub(super) range: bool,
    pub(super) rest: Option<Segment>,
}

/// Outcome of matching a path against a row.
enum Match {
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
        let segments = self.program.ast.segments(path).to_vec();
        let root = self.program.ast.names.text(segments[0].name);
        let resolved = match root {
            b"state" => self.state(&segments),
            b"program" => self.program_binding(&segments),
            b"texture" => self.texture_binding(&segments),
            b"result" => self.table(&segments, RESULTS),
            _ => self.table(&segments, ATTRIBS),
        };
        match resolved {
            Ok((bound, range, used)) => {
                let rest = &segments[used..];
                if rest.len() > 1
                    || rest
                        .first()
                        .is_some_and(|segment| segment.brackets[0] != Bracket::None)
                {
                    self.unknown(&segments, used);
                    return None;
                }
                Some(Resolved {
                    bound,
                    range,
                    rest: rest.first().copied(),
                })
            }
            Err((span, code, message)) => {
                self.reports.error(code, span, message);
                None
            }
        }
    }

    #[cold]
    fn unknown(&mut self, segments: &[Segment], at: usize) {
        let segment = segments[at.min(segments.len() - 1)];
        let text = self.source_text(segment.span);
        let message = format!("`{text}` is no binding here");
        self.reports
            .error(Code::BindingUnknown, segment.span, message);
    }

    fn word(&self, segment: Segment) -> &[u8] {
        self.program.ast.names.text(segment.name)
    }

    /// Matches words and brackets of `segments` with the pattern of a row.
    fn matches(&self, segments: &[Segment], pattern: &str, number: Number) -> Match {
        let mut bracket = Bracket::None;
        let mut used = 0;
        let mut problem = None;
        for part in pattern.split('.') {
            let Some(&segment) = segments.get(used) else {
                return Match::No;
            };
            let (word, numbered) = part
                .strip_suffix("[]")
                .map_or((part, false), |word| (word, true));
            if self.word(segment) != word.as_bytes() {
                return Match::No;
            }
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
    fn numbers(
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
                let message =
                    "this binding needs a constant number; declare an array to index it".to_owned();
                return Err((span, Code::BindingUnknown, message));
            }
        };
        if first > last {
            return Err((
                span,
                Code::RangeReversed,
                format!("the range runs from {first} down to {last}"),
            ));
        }
        if last >= limit.max(1) {
            return Err((
                span,
                Code::BindingRange,
                format!("number {last} is out of range; the limit is {limit}"),
            ));
        }
        Ok((first, last - first + 1, range))
    }

    /// Attributes and results.
    fn table(&self, segments: &[Segment], table: &'static [BindingInfo]) -> Result<Found, Failed> {
        let mut problem = None;
        for row in table.iter().filter(|row| row.stages.has(self.stage)) {
            match self.matches(segments, row.path, row.number) {
                Match::Yes { used, bracket } => {
                    return self.row(segments, row, used, bracket, table);
                }
                Match::Number(span, code) => problem = problem.or(Some((span, code))),
                Match::No => {}
            }
        }
        if let Some((span, code)) = problem {
            let text = self.source_text(span);
            return Err((span, code, format!("`{text}`: {}", code.title())));
        }
        Err(self.no_binding(
            segments,
            table
                .iter()
                .filter(|row| row.stages.has(self.stage))
                .map(|row| row.path),
        ))
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
        if row.since > self.version {
            let message = format!(
                "`{}` needs language version {}",
                self.source_text(span),
                row.since.name()
            );
            return Err((span, Code::FeatureNewer, message));
        }
        if let Some(feature) = row
            .option
            .filter(|feature| !self.program.features.contains(feature.flag()))
        {
            let message = format!(
                "`{}` needs OPTION {}",
                self.source_text(span),
                feature.option()
            );
            return Err((span, Code::ResultOption, message));
        }
        let (first, count, range) = self.numbers(bracket, row.number.limit(), span)?;
        let bound = if std::ptr::eq(table, RESULTS) {
            Bound::Result(row, first, count)
        } else {
            Bound::Attrib(row, first, count)
        };
        Ok((bound, range, used))
    }

    /// The failure that no row fits, at the first word that no row knows.
    fn no_binding<'a>(
        &self,
        segments: &[Segment],
        patterns: impl Iterator<Item = &'a str>,
    ) -> Failed {
        let known = patterns
            .map(|pattern| {
                let words = pattern.split('.').map(|part| part.trim_end_matches("[]"));
                words
                    .zip(segments)
                    .take_while(|(word, segment)| word.as_bytes() == self.word(**segment))
                    .count()
            })
            .max()
            .unwrap_or(0);
        let segment = segments[known.min(segments.len() - 1)];
        let text = self.source_text(segment.span);
        let message = if known >= segments.len() {
            format!("the binding is not complete behind `{text}`")
        } else {
            format!(
                "`{text}` is no binding of a {} program",
                stage_name(self.stage)
            )
        };
        (segment.span, Code::BindingUnknown, message)
    }

    /// `program.env`, `program.local`, `program.buffer`, `program.sharedmem`.
    fn program_binding(&self, segments: &[Segment]) -> Result<Found, Failed> {
        let Some(&segment) = segments
            .get(1)
            .filter(|_| segments[0].brackets[0] == Bracket::None)
        else {
            return Err(self.no_binding(segments, ["program.env"].into_iter()));
        };
        let span = segments[0].span.to(segment.span);
        let [bracket, second] = segment.brackets;
        let plain = |limit| {
            if second != Bracket::None {
                return Err((
                    span,
                    Code::BindingTakesNoIndex,
                    "one number in brackets only".to_owned(),
                ));
            }
            if bracket == Bracket::None {
                return Err((
                    span,
                    Code::BindingNeedsIndex,
                    "a number in brackets is missing".to_owned(),
                ));
            }
            self.numbers(bracket, limit, span)
        };
        match self.word(segment) {
            b"env" => {
                let (first, count, range) = plain(limits::ENV_PARAMETERS)?;
                Ok((
                    Bound::Params((first..first + count).map(ParamSource::Env).collect()),
                    range,
                    2,
                ))
            }
            b"local" => {
                let (first, count, range) = plain(limits::LOCAL_PARAMETERS)?;
                Ok((
                    Bound::Params((first..first + count).map(ParamSource::Local).collect()),
                    range,
                    2,
                ))
            }
            b"buffer" if bracket != Bracket::None => {
                let (first, count, _) = self.numbers(bracket, limits::PARAMETER_BUFFERS, span)?;
                let elements = match second {
                    Bracket::None => None,
                    Bracket::One(_) | Bracket::Range(..) | Bracket::Relative(_) => {
                        let (first, count, _) =
                            self.numbers(second, limits::PARAMETER_BUFFER_WORDS * 4, span)?;
                        Some((first, count))
                    }
                };
                let range = !matches!(second, Bracket::One(_));
                Ok((
                    Bound::Buffer {
                        bindings: (first, count),
                        elements,
                    },
                    range,
                    2,
                ))
            }
            b"sharedmem" if second == Bracket::None => {
                let elements = match bracket {
                    Bracket::None => None,
                    Bracket::One(_) | Bracket::Range(..) | Bracket::Relative(_) => {
                        let (first, count, _) =
                            self.numbers(bracket, limits::SHARED_BYTES, span)?;
                        Some((first, count))
                    }
                };
                Ok((
                    Bound::Shared(elements),
                    !matches!(bracket, Bracket::One(_)),
                    2,
                ))
            }
            _ => {
                let names = [
                    "program.env",
                    "program.local",
                    "program.buffer",
                    "program.sharedmem",
                ];
                Err(self.no_binding(segments, names.into_iter()))
            }
        }
    }

    /// `texture`, `texture[n]`, `texture[a..b]`.
    fn texture_binding(&self, segments: &[Segment]) -> Result<Found, Failed> {
        let segment = segments[0];
        let units = self.numbers(segment.brackets[0], limits::TEXTURE_UNITS, segment.span);
        match units {
            Ok((first, count, range)) => Ok((Bound::Texture { first, count }, range, 1)),
            Err((span, Code::RangeReversed | Code::BindingRange, message)) => {
                Err((span, Code::TextureRange, message))
            }
            Err(failed) => Err(failed),
        }
    }

    /// `state.*`
    fn state(&self, segments: &[Segment]) -> Result<Found, Failed> {
        if segments
            .get(1)
            .is_some_and(|&segment| self.word(segment) == b"matrix")
        {
            return self.matrix(segments);
        }
        let mut problem = None;
        for row in STATE {
            match self.matches(&segments[1..], row.path, row.number) {
                Match::Yes { used, bracket } => {
                    let span = segments[0].span.to(segments[used].span);
                    let (first, _, range) = self.numbers(bracket, row.number.limit(), span)?;
                    if range {
                        return Err((
                            span,
                            Code::RangeAsOperand,
                            "this state has no ranges".to_owned(),
                        ));
                    }
                    return Ok((
                        Bound::Params(vec![ParamSource::State((row.param)(first))]),
                        false,
                        used + 1,
                    ));
                }
                Match::Number(span, code) => problem = problem.or(Some((span, code))),
                Match::No => {}
            }
        }
        if let Some((span, code)) = problem {
            let text = self.source_text(span);
            return Err((span, code, format!("`{text}`: {}", code.title())));
        }
        let segment = segments.get(1).copied().unwrap_or(segments[0]);
        let known = STATE.iter().map(|row| row.path);
        let failed = self.no_binding(
            segments
                .get(1..)
                .filter(|rest| !rest.is_empty())
                .unwrap_or(&segments[..1]),
            known,
        );
        Err((failed.0.to(segment.span), failed.1, failed.2))
    }

    /// `state.matrix.NAME[n].FORM.row[a..b]`. NV_gpu_program4 table X.11.
    fn matrix(&self, segments: &[Segment]) -> Result<Found, Failed> {
        let Some(&name) = segments.get(2) else {
            return Err((
                segments[1].span,
                Code::BindingUnknown,
                "the name of a matrix is missing".to_owned(),
            ));
        };
        let Some(row) = MATRICES
            .iter()
            .find(|row| row.name.as_bytes() == self.word(name))
        else {
            let message = format!("`{}` is no matrix", self.source_text(name.span));
            return Err((name.span, Code::BindingUnknown, message));
        };
        let (bracket, second) = (name.brackets[0], name.brackets[1]);
        match (row.number, bracket) {
            (Number::None, Bracket::One(_) | Bracket::Range(..) | Bracket::Relative(_)) => {
                return Err((
                    name.span,
                    Code::BindingTakesNoIndex,
                    "this matrix exists once".to_owned(),
                ));
            }
            (Number::Required(_), Bracket::None) => {
                return Err((
                    name.span,
                    Code::BindingNeedsIndex,
                    "the number of the matrix is missing".to_owned(),
                ));
            }
            _ => {}
        }
        let (number, _, range) = self.numbers(bracket, row.number.limit(), name.span)?;
        if range || second != Bracket::None {
            return Err((
                name.span,
                Code::BindingUnknown,
                "one matrix number only".to_owned(),
            ));
        }
        let mut used = 3;
        let form = segments.get(used).and_then(|&segment| {
            FORMS.iter().find(|(word, _)| {
                word.as_bytes() == self.word(segment) && segment.brackets[0] == Bracket::None
            })
        });
        used += usize::from(form.is_some());
        let form = form.map_or(MatrixForm::Plain, |&(_, form)| form);
        let (first, count, range) = match segments.get(used) {
            Some(&segment) if self.word(segment) == b"row" => {
                used += 1;
                if segment.brackets[0] == Bracket::None {
                    return Err((
                        segment.span,
                        Code::BindingNeedsIndex,
                        "the number of the row is missing".to_owned(),
                    ));
                }
                self.numbers(segment.brackets[0], 4, segment.span)?
            }
            _ => (0, 4, true),
        };
        let rows = (first..first + count).map(|index| {
            let param = StateParam::MatrixRow {
                matrix: (row.matrix)(number),
                form,
                row: index as u8,
            };
            ParamSource::State(param)
        });
        Ok((Bound::Params(rows.collect()), range, used))
    }
}

type Found = (Bound, bool, usize);
type Failed = (Span, Code, String);

impl BufferLayout {
    /// Bytes of an element.
    pub(crate) const fn stride(self) -> u32 {
        match self {
            Self::Words => 4,
            Self::Vectors => 16,
            Self::Bytes => 1,
        }
    }
}
