//! Resolves binding paths to attributes, results, parameters, textures, buffers and shared memory.

use crate::ast::{Bracket, Segment};
use crate::check::bindings::brackets::{
    Bound, Failed, FoundBinding, ParamKind, PathProblem, Resolved, err_no_row, fail,
    find_bracket_in, read_numbers, report_unknown_binding,
};
use crate::check::bindings::buffers::BufferSpace;
use crate::check::bindings::parameter::{
    bind_state_row, find_env_parameter, find_image, find_local_parameter, find_matrix,
    find_program_binding, find_texture,
};
use crate::check::bindings::path::read_relative_numbers;
use crate::check::bindings::vertices::{err_no_attribute, find_bracket_behind, find_holder};
use crate::check::context::RuleCx;
use crate::check::names::resolver::Resolver;
use crate::check::program::usage::find_number_span;
use crate::codes::Code;
use crate::lang::bindings::{BindingInfo, Number, RESULTS, Traits};
use crate::lang::lenient::Rule;
use crate::lang::numbered::Numbered;
use crate::lang::options::Features;
use crate::lang::paths::{self, PathRow, Prefix};
use crate::vars::Holder;
use glasm_ir::state::MatrixName;
use glasm_ir::{ParamSource, Semantic, Span};

impl Resolver<'_, '_> {
    /// Returns the target of a path. Reports an error if it has none.
    pub(crate) fn resolve(&mut self, path: u32) -> Option<Resolved> {
        let segments = self.cx.ast.segments(path);
        let (bound, range, used) = match find_binding(&self.cx, segments) {
            Ok(found) => found,
            Err(failed) => return report_nothing_named(&mut self.cx, *failed),
        };
        let span = segments[0].span.to(segments[used - 1].span);
        let rest = &segments[used..];
        // Only a swizzle or a mask may follow a binding, and it has no brackets.
        let is_suffix = rest.len() < 2 && rest.iter().all(|it| it.brackets[0] == Bracket::None);
        let rest = rest.first().map(|segment| segment.span);
        // At most one bracket of a path has a dynamic index: entries with two brackets take
        // constants only.
        let relative = segments.iter().find_map(Segment::relative);
        // Before the rest of the path: that a binding does not exist here is the more specific
        // error.
        if !self.may_be_bound(&bound, span) {
            return None;
        }
        if let (Some(rest), false) = (rest, is_suffix) {
            report_unknown_binding(&mut self.cx, rest);
            return None;
        }
        if relative.is_none() {
            self.add_number(&bound, path, used);
        }
        Some(Resolved {
            bound,
            range,
            relative,
            rest,
            span,
        })
    }

    /// Returns true if the program may use an entry that is in the tables of all programs. Reports
    /// it if not.
    #[inline]
    fn may_be_bound(&mut self, bound: &Bound, span: Span) -> bool {
        match bound {
            Bound::Params(params) if matches!(params.kind, ParamKind::State(_)) => {
                let ParamSource::State(param) = params.source() else {
                    return true;
                };
                // The table has entries that no specification defines for programs that drivers
                // have compiled from other languages.
                !param.is_drivers() || check_drivers_state(&mut self.cx, span)
            }
            Bound::Result(row, ..) => {
                // ARB_vertex_program section 2.14.4.5.1 takes `result.position` out of the grammar
                // of such programs.
                let is_computed = self.cx.features.contains(Features::POSITION_INVARIANT)
                    && (row.semantic)(0) == Semantic::Position;
                !is_computed || check_own_position(&mut self.cx, span)
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

    /// Adds the largest number that the first `used` segments of a path name.
    pub(crate) fn add_number(&mut self, bound: &Bound, path: u32, used: usize) {
        let Some((kind, number)) = find_last_number(bound) else {
            return;
        };
        let (reading, usage) = (&self.cx.ast, &mut self.program.usage);
        usage.add(kind, number, || {
            let segments = &reading.segments(path)[..used];
            // Only matrices and buffers have further numbers, with other subjects.
            let mut numbered = segments.iter().filter(|it| it.brackets[0] != Bracket::None);
            let segment = match bound {
                Bound::Params(_) | Bound::Buffer(_) => numbered.next(),
                Bound::Attrib(..)
                | Bound::Result(..)
                | Bound::Texture { .. }
                | Bound::Image { .. }
                | Bound::Shared(_)
                | Bound::Subroutines { .. } => numbered.next_back(),
            };
            Some(match segment {
                Some(segment) => find_number_span(reading.text, segment.span, number),
                // A path without brackets has number 0.
                None => segments[0].span.to(segments[segments.len() - 1].span),
            })
        });
    }
}

fn find_binding(cx: &RuleCx<'_>, segments: &[Segment]) -> Result<FoundBinding, Failed> {
    if let Some((row, used, bracket)) = find_row(cx, segments) {
        return match row {
            PathRow::Attrib(row, prefix) => {
                let holder = find_holder(&segments[..used], row, prefix)?;
                let bound = |(first, count)| Bound::Attrib(row, first, count, holder);
                bind_io_row(cx, segments, row, (used, bracket), bound)
            }
            PathRow::Result(row) => {
                let bound = |(first, count)| Bound::Result(row, first, count);
                bind_io_row(cx, segments, row, (used, bracket), bound)
            }
            PathRow::State(row) => bind_state_row(cx, segments, row, used, bracket),
            PathRow::Env => find_env_parameter(cx, segments),
            PathRow::Local => find_local_parameter(cx, segments),
        };
    }
    // Paths that are not in the tables: matrices, buffers, units, or errors, which depend on their
    // first word.
    match cx.word(segments[0]) {
        b"state" => find_matrix(cx, segments),
        b"program" => find_program_binding(cx, segments),
        b"image" => find_image(cx, segments),
        b"texture" => find_texture(cx, segments),
        b"result" => Err(err_no_row(cx, segments, RESULTS, Prefix::default())),
        _ => Err(err_no_attribute(cx, segments)),
    }
}

/// Returns the entry that matches a path, the number of segments that it takes, and the bracket
/// among them. The longest match wins.
fn find_row(cx: &RuleCx<'_>, segments: &[Segment]) -> Option<(PathRow, usize, Bracket)> {
    let longest = segments.len().min(paths::LONGEST);
    (2..=longest).rev().find_map(|used| {
        // A segment's key is that of all words up to it, which the parser has computed: no strings
        // are compared until an entry is found.
        let row = paths::row(cx.ast.dialect, segments[used - 1].key)?;
        let words = &segments[..used];
        let bracket = match row {
            PathRow::Attrib(row, prefix) if prefix != Prefix::default() => {
                find_bracket_behind(cx, words, row, prefix)
            }
            PathRow::Attrib(row, _) | PathRow::Result(row) => {
                find_bracket(cx, words, row.path, row.number)
            }
            // The paths of state entries leave out the word `state`, with which all of them begin.
            PathRow::State(row) => find_bracket(cx, &words[1..], row.path, row.number),
            PathRow::Env => find_bracket(cx, words, paths::ENV, Number::Required(0)),
            PathRow::Local => find_bracket(cx, words, paths::LOCAL, Number::Required(0)),
        };
        Some((row, used, bracket?))
    })
}

/// Returns the bracket of a path that matches the pattern of an entry. The key matches, but other
/// words might have the same.
fn find_bracket(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    pattern: &str,
    number: Number,
) -> Option<Bracket> {
    let [first, .., last] = segments else {
        return None;
    };
    let words = cx.text_at(first.word.to(last.word));
    let pattern_words = pattern.strip_suffix("[]").unwrap_or(pattern);
    // Most paths are written without whitespace and have their bracket at the end, where the
    // pattern has it, too.
    if words == pattern_words.as_bytes() && last.brackets[1] == Bracket::None {
        return Some(last.brackets[0]);
    }
    find_bracket_in(cx, segments, pattern, number)
}

#[cold]
fn report_nothing_named(cx: &mut RuleCx<'_>, problem: PathProblem) -> Option<Resolved> {
    cx.error_with(problem.code, problem.span, problem.message, problem.notes);
    None
}

/// Checks the position of a program that leaves it to fixed functions.
#[cold]
fn check_own_position(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let message =
        "the program has OPTION ARB_position_invariant, so the position is computed for it";
    if cx.facts.own_position {
        return cx.lenient(Rule::OwnPosition, span, message);
    }
    cx.error(Code::PositionInvariant, span, message);
    false
}

/// Reports state that is in no specification, but in programs that a driver's compiler wrote.
#[cold]
fn check_drivers_state(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let text = cx.source_text(span);
    let message = format!("`{text}` is no binding of the language");
    cx.lenient(Rule::DriversState, span, message)
}

/// Returns the target of an entry of attributes or results, for a path that uses `used` segments
/// and has this bracket.
fn bind_io_row(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    row: &'static BindingInfo,
    (used, bracket): (usize, Bracket),
    bound: impl FnOnce((u32, u32)) -> Bound,
) -> Result<FoundBinding, Failed> {
    let span = segments[0].span.to(segments[used - 1].span);
    // The option counts, see `Rule::DualSourceEarly`.
    let by_option = row.needs == Features::DUAL_SOURCE && cx.has_option(Features::DUAL_SOURCE);
    // The version is checked before the options: an option cannot add bindings of a later version.
    if row.is_newer_than(cx.ast.dialect) && !by_option {
        let (text, since) = (cx.source_text(span), row.since.name());
        return fail(
            span,
            Code::FeatureNewer,
            format!("`{text}` needs language version {since}"),
        );
    }
    let missing = row.needs_in(cx.family).difference(cx.features);
    if !missing.is_empty() {
        let (text, option) = (cx.source_text(span), missing.option());
        return fail(
            span,
            Code::ResultOption,
            format!("`{text}` needs OPTION {option}"),
        );
    }
    let (first, count, range) = match bracket {
        Bracket::Relative(_) if row.traits.contains(Traits::RELATIVE) => {
            read_relative_numbers(cx, row, span)?
        }
        Bracket::None | Bracket::One(_) | Bracket::Range(..) | Bracket::Relative(_) => {
            read_numbers(cx, bracket, row.number.limit(), span)?
        }
    };
    // Four scalars are read as one vector, which begins at a multiple of four.
    if row.traits.contains(Traits::QUADS) && !first.is_multiple_of(4) {
        let message = format!("number {first} is no multiple of four");
        let place = find_number_span(cx.ast.text, span, first);
        return fail(place, Code::BindingRange, message);
    }
    Ok((bound((first, count)), range, used))
}

/// Returns the kind of items that GL limits and that a binding names, and their largest number.
fn find_last_number(bound: &Bound) -> Option<(Numbered, u32)> {
    let last = |first: u32, count: u32| first + (count - 1);
    match *bound {
        Bound::Attrib(row, first, count, _) | Bound::Result(row, first, count) => {
            Some((row.numbered?, last(first, count)))
        }
        Bound::Params(params) => {
            let last = last(params.first, params.count);
            match params.kind {
                ParamKind::Env => Some((Numbered::EnvParameters, last)),
                ParamKind::Local => Some((Numbered::LocalParameters, last)),
                ParamKind::StorageLength => Some((Numbered::StorageBuffers, last)),
                ParamKind::State(row) => Some((row.numbered?, last)),
                ParamKind::Matrix(matrix, _) => matrix_number(matrix),
            }
        }
        Bound::Texture { first, count } => Some((Numbered::TextureUnits, last(first, count))),
        Bound::Image { first, count } => Some((Numbered::ImageUnits, last(first, count))),
        Bound::Buffer(range) => {
            let kind = match range.space {
                BufferSpace::Parameter => Numbered::ParameterBuffers,
                BufferSpace::Storage => Numbered::StorageBuffers,
                BufferSpace::Counter => Numbered::CounterBuffers,
            };
            Some((kind, last(range.binding, range.bindings.unwrap_or(1))))
        }
        Bound::Shared(_) => None,
        Bound::Subroutines { first, count } => {
            Some((Numbered::SubroutineParameters, last(first, count)))
        }
    }
}

fn matrix_number(matrix: MatrixName) -> Option<(Numbered, u32)> {
    match matrix {
        MatrixName::Modelview(number) => Some((Numbered::VertexUnits, number)),
        MatrixName::Projection | MatrixName::Mvp => None,
        MatrixName::Texture(number) => Some((Numbered::TextureCoordinates, number)),
        MatrixName::Palette(number) => Some((Numbered::PaletteMatrices, number)),
        MatrixName::Program(number) => Some((Numbered::ProgramMatrices, number)),
    }
}
