//! Bindings: resolution of paths such as `vertex.attrib[2]` to attributes, results, parameters,
//! textures, buffers and shared memory, and the unnamed variables of paths in instructions.

pub(crate) mod binding_operand;
pub(crate) mod binding_target;
pub(crate) mod buffers;
pub(crate) mod param_binding;
pub(crate) mod per_vertex;

use crate::ast::{PathBracket, PathSegment};
use crate::check::bindings::binding_operand::read_relative_range;
use crate::check::bindings::binding_target::{
    BindingTarget, BoxedPathError, FoundBinding, ParamKind, PathError, ResolvedPath,
    err_no_io_binding, err_path, match_bracket, read_index_range, report_unknown_binding,
};
use crate::check::bindings::buffers::BufferSpace;
use crate::check::bindings::param_binding::{
    find_image_binding, find_matrix_or_err, find_numbered_binding, find_program_binding,
    find_texture_binding, resolve_state_binding,
};
use crate::check::bindings::per_vertex::{
    err_unknown_attrib, match_bracket_after_prefix, resolve_attrib_owner,
};
use crate::check::context::RuleCx;
use crate::check::names::Resolver;
use crate::check::program::resource_usage::find_number_span;
use crate::codes::{Code, LenientRule};
use crate::lang::binding_paths::{self, AttribPrefix, BindingEntry};
use crate::lang::bindings::{BindingFlags, BindingInfo, IndexRule, RESULTS};
use crate::lang::limits::{self, LimitedItem};
use crate::lang::options::Features;
use crate::variables::AttribOwner;
use glasm_ir::state::MatrixName;
use glasm_ir::{ParamSource, Semantic, Span};

impl Resolver<'_, '_> {
    /// Returns the target of a binding path, with the span of a swizzle or mask after it. Records
    /// its largest number for the limits that GL reports. Returns `None` after reporting a path
    /// that is not a binding, is not available in the program, or is followed by more than a
    /// suffix.
    pub(crate) fn resolve_binding_path(&mut self, path: u32) -> Option<ResolvedPath> {
        let segments = self.cx.ast.segments(path);
        let (bound, range, used_segments) = match resolve_segments(&self.cx, segments) {
            Ok(found) => found,
            Err(failed) => return report_path_error(&mut self.cx, *failed),
        };
        let span = segments[0].span.to(segments[used_segments - 1].span);
        let rest = &segments[used_segments..];
        // Only a swizzle or a mask may follow a binding, and it has no brackets.
        let is_suffix = rest.len() < 2 && rest.iter().all(|it| it.brackets[0] == PathBracket::None);
        let rest = rest.first().map(|segment| segment.span);
        // At most one bracket of a path has a dynamic index: entries with two brackets take
        // constants only.
        let relative = segments.iter().find_map(PathSegment::relative_index);
        // Before the rest of the path: that a binding does not exist here is the more specific
        // error.
        if !self.check_binding_available(&bound, span) {
            return None;
        }
        if let (Some(rest), false) = (rest, is_suffix) {
            report_unknown_binding(&mut self.cx, rest);
            return None;
        }
        if relative.is_none() {
            self.record_binding_index(&bound, path, used_segments);
        }
        Some(ResolvedPath {
            target: bound,
            is_range: range,
            relative_index: relative,
            suffix_span: rest,
            span,
        })
    }

    /// Returns true if the program may use an entry that is in the tables of all programs of the
    /// language. Otherwise reports it; state that only drivers have and a position that is computed
    /// may be accepted by lenient rules.
    fn check_binding_available(&mut self, bound: &BindingTarget, span: Span) -> bool {
        match bound {
            BindingTarget::Params(params) if matches!(params.kind, ParamKind::State(_)) => {
                let ParamSource::State(param) = params.first_source() else {
                    return true;
                };
                // The table has entries that no specification defines for programs that drivers
                // have compiled from other languages.
                !param.is_drivers() || check_undocumented_state(&mut self.cx, span)
            }
            BindingTarget::Result(row, ..) => {
                // ARB_vertex_program section 2.14.4.5.1 takes `result.position` out of the grammar
                // of such programs.
                let is_computed = self.cx.features.contains(Features::POSITION_INVARIANT)
                    && (row.semantic)(0) == Semantic::Position;
                !is_computed || check_invariant_position(&mut self.cx, span)
            }
            BindingTarget::Attrib(row, _, _, holder) => {
                *holder == AttribOwner::default() && !row.flags.contains(BindingFlags::IN)
                    || self.check_attrib_readable(row, *holder, span)
            }
            BindingTarget::Params(_)
            | BindingTarget::Texture { .. }
            | BindingTarget::Image { .. }
            | BindingTarget::Buffer(_)
            | BindingTarget::Shared(_)
            | BindingTarget::Subroutines { .. } => true,
        }
    }

    /// Records the largest number that the first `used_segments` segments of a path name, with its
    /// span, for the limits that GL reports. Does nothing for bindings without a limited number.
    pub(crate) fn record_binding_index(
        &mut self,
        bound: &BindingTarget,
        path: u32,
        used_segments: usize,
    ) {
        let Some((kind, number)) = find_largest_index(bound) else {
            return;
        };
        let (ast, usage) = (&self.cx.ast, &mut self.program.index_usage);
        usage.record(kind, number, || {
            let segments = &ast.segments(path)[..used_segments];
            // Only matrices and buffers have further numbers, with other subjects.
            let mut numbered = segments
                .iter()
                .filter(|it| it.brackets[0] != PathBracket::None);
            let segment = match bound {
                BindingTarget::Params(_) | BindingTarget::Buffer(_) => numbered.next(),
                BindingTarget::Attrib(..)
                | BindingTarget::Result(..)
                | BindingTarget::Texture { .. }
                | BindingTarget::Image { .. }
                | BindingTarget::Shared(_)
                | BindingTarget::Subroutines { .. } => numbered.next_back(),
            };
            Some(match segment {
                Some(segment) => find_number_span(ast.text, segment.span, number),
                // A path without brackets has number 0.
                None => segments[0].span.to(segments[segments.len() - 1].span),
            })
        });
    }
}

/// Returns the binding that the longest matching table entry defines, or a matrix, buffer or unit,
/// for the first segments of a path, with the number of segments that it takes. Fails with the
/// reason if there is none.
fn resolve_segments(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Result<FoundBinding, BoxedPathError> {
    if let Some((row, used, bracket)) = find_longest_match(cx, segments) {
        return match row {
            BindingEntry::Attrib(row, prefix) => {
                let holder = resolve_attrib_owner(&segments[..used], row, prefix)?;
                let bound = |(first, count)| BindingTarget::Attrib(row, first, count, holder);
                resolve_io_binding(cx, segments, row, (used, bracket), bound)
            }
            BindingEntry::Result(row) => {
                let bound = |(first, count)| BindingTarget::Result(row, first, count);
                resolve_io_binding(cx, segments, row, (used, bracket), bound)
            }
            BindingEntry::State(row) => resolve_state_binding(cx, segments, row, used, bracket),
            BindingEntry::Env => {
                find_numbered_binding(cx, segments, ParamKind::Env, limits::ENV_PARAMETERS)
            }
            BindingEntry::Local => {
                find_numbered_binding(cx, segments, ParamKind::Local, limits::LOCAL_PARAMETERS)
            }
        };
    }
    // Paths that are not in the tables: matrices, buffers, units, or errors, which depend on their
    // first word.
    match cx.segment_word(segments[0]) {
        b"state" => find_matrix_or_err(cx, segments),
        b"program" => find_program_binding(cx, segments),
        b"image" => find_image_binding(cx, segments),
        b"texture" => find_texture_binding(cx, segments),
        b"result" => Err(err_no_io_binding(
            cx,
            segments,
            RESULTS,
            AttribPrefix::default(),
        )),
        _ => Err(err_unknown_attrib(cx, segments)),
    }
}

/// Returns the entry that matches the most segments of a path, their number, which is at least 2,
/// and the bracket among them; `None` if no entry matches.
fn find_longest_match(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Option<(BindingEntry, usize, PathBracket)> {
    let longest = segments.len().min(binding_paths::MAX_PATH_WORDS);
    (2..=longest).rev().find_map(|used_segments| {
        // A segment's key is that of all words up to it, which the parser has computed: no strings
        // are compared until an entry is found.
        let row = binding_paths::find_entry(cx.ast.dialect, segments[used_segments - 1].key)?;
        let words = &segments[..used_segments];
        let bracket = match row {
            BindingEntry::Attrib(row, prefix) if prefix != AttribPrefix::default() => {
                match_bracket_after_prefix(cx, words, row, prefix)
            }
            BindingEntry::Attrib(row, _) | BindingEntry::Result(row) => {
                match_entry_bracket(cx, words, row.path, row.number)
            }
            // The paths of state entries leave out the word `state`, with which all of them begin.
            BindingEntry::State(row) => match_entry_bracket(cx, &words[1..], row.path, row.number),
            BindingEntry::Env => {
                match_entry_bracket(cx, words, binding_paths::ENV_PATH, IndexRule::Required(0))
            }
            BindingEntry::Local => {
                match_entry_bracket(cx, words, binding_paths::LOCAL_PATH, IndexRule::Required(0))
            }
        };
        Some((row, used_segments, bracket?))
    })
}

/// Returns the bracket of a path that matches the pattern of an entry; `None` if it does not, which
/// is possible even if the key matches: other words might have the same.
fn match_entry_bracket(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    pattern: &str,
    number: IndexRule,
) -> Option<PathBracket> {
    let [first, .., last] = segments else {
        return None;
    };
    let words = cx.source_bytes(first.word_span.to(last.word_span));
    let pattern_words = pattern.strip_suffix("[]").unwrap_or(pattern);
    // Most paths are written without whitespace and have their bracket at the end, where the
    // pattern has it, too.
    if words == pattern_words.as_bytes() && last.brackets[1] == PathBracket::None {
        return Some(last.brackets[0]);
    }
    match_bracket(cx, segments, pattern, number)
}

/// Reports why a path is not a binding, with its notes, and returns `None` for the caller to
/// return.
fn report_path_error(cx: &mut RuleCx<'_>, problem: PathError) -> Option<ResolvedPath> {
    cx.report_error_with_notes(problem.code, problem.span, problem.message, problem.notes);
    None
}

/// Reports that a program binds the position, which it leaves to fixed functions. Returns true if
/// the language accepts that by a lenient rule.
#[cold]
fn check_invariant_position(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let message =
        "the program has OPTION ARB_position_invariant, so the position is computed for it";
    if cx.traits.position_may_be_written {
        return cx.report_lenient(LenientRule::OwnPosition, span, message);
    }
    cx.report_error(Code::PositionInvariant, span, message);
    false
}

/// Reports, by a lenient rule, state that is in no specification, but in programs that a driver's
/// compiler wrote. Returns true if it is accepted.
#[cold]
fn check_undocumented_state(cx: &mut RuleCx<'_>, span: Span) -> bool {
    let text = cx.source_string(span);
    let message = format!("`{text}` is not a binding of the language");
    cx.report_lenient(LenientRule::DriversState, span, message)
}

/// Returns the target that `bound` creates from first number and count, for an entry of attributes
/// or results and a path that uses `used` segments and has this bracket. Fails for entries of later
/// versions or without their option, and for numbers out of range.
fn resolve_io_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    row: &'static BindingInfo,
    (used, bracket): (usize, PathBracket),
    bound: impl FnOnce((u32, u32)) -> BindingTarget,
) -> Result<FoundBinding, BoxedPathError> {
    let span = segments[0].span.to(segments[used - 1].span);
    // The option counts, see `LenientRule::DualSourceEarly`.
    let by_option =
        row.required_features == Features::DUAL_SOURCE && cx.has_option(Features::DUAL_SOURCE);
    // The version is checked before the options: an option cannot add bindings of a later version.
    if row.is_newer_than(cx.ast.dialect) && !by_option {
        let (text, since) = (cx.source_string(span), row.since.name());
        return err_path(
            span,
            Code::FeatureNewer,
            format!("`{text}` needs language version {since}"),
        );
    }
    let missing_features = row.required_features(cx.family).difference(cx.features);
    if !missing_features.is_empty() {
        let (text, option) = (cx.source_string(span), missing_features.first_option());
        return err_path(
            span,
            Code::ResultOption,
            format!("`{text}` needs OPTION {option}"),
        );
    }
    let (first, count, range) = match bracket {
        PathBracket::Relative(_) if row.flags.contains(BindingFlags::RELATIVE) => {
            read_relative_range(cx, row, span)?
        }
        PathBracket::None
        | PathBracket::Single(_)
        | PathBracket::Range(..)
        | PathBracket::Relative(_) => read_index_range(cx, bracket, row.number.limit(), span)?,
    };
    // Four scalars are read as one vector, which begins at a multiple of four.
    if row.flags.contains(BindingFlags::QUADS) && !first.is_multiple_of(4) {
        let message = format!("number {first} is not a multiple of four");
        let index_span = find_number_span(cx.ast.text, span, first);
        return err_path(index_span, Code::BindingRange, message);
    }
    Ok((bound((first, count)), range, used))
}

/// Returns the kind of item whose number GL limits and that a binding names, and its largest
/// number; `None` for bindings without such a number.
fn find_largest_index(bound: &BindingTarget) -> Option<(LimitedItem, u32)> {
    let last_index = |first: u32, count: u32| first + (count - 1);
    match *bound {
        BindingTarget::Attrib(row, first, count, _) | BindingTarget::Result(row, first, count) => {
            Some((row.numbered?, last_index(first, count)))
        }
        BindingTarget::Params(params) => {
            let last = last_index(params.first, params.count);
            match params.kind {
                ParamKind::Env => Some((LimitedItem::EnvParameters, last)),
                ParamKind::Local => Some((LimitedItem::LocalParameters, last)),
                ParamKind::StorageLength => Some((LimitedItem::StorageBuffers, last)),
                ParamKind::State(row) => Some((row.numbered?, last)),
                ParamKind::Matrix(matrix, _) => find_matrix_index(matrix),
            }
        }
        BindingTarget::Texture { first, count } => {
            Some((LimitedItem::TextureUnits, last_index(first, count)))
        }
        BindingTarget::Image { first, count } => {
            Some((LimitedItem::ImageUnits, last_index(first, count)))
        }
        BindingTarget::Buffer(range) => {
            let kind = match range.space {
                BufferSpace::Parameter => LimitedItem::ParameterBuffers,
                BufferSpace::Storage => LimitedItem::StorageBuffers,
                BufferSpace::Counter => LimitedItem::CounterBuffers,
            };
            Some((
                kind,
                last_index(range.binding, range.binding_count.unwrap_or(1)),
            ))
        }
        BindingTarget::Shared(_) => None,
        BindingTarget::Subroutines { first, count } => {
            Some((LimitedItem::SubroutineParameters, last_index(first, count)))
        }
    }
}

/// Returns the number of a matrix and the kind of item whose GL limit applies to it; `None` for
/// matrices without a number.
fn find_matrix_index(matrix: MatrixName) -> Option<(LimitedItem, u32)> {
    match matrix {
        MatrixName::Modelview(number) => Some((LimitedItem::VertexUnits, number)),
        MatrixName::Projection | MatrixName::ModelviewProjection => None,
        MatrixName::Texture(number) => Some((LimitedItem::TextureCoordinates, number)),
        MatrixName::Palette(number) => Some((LimitedItem::PaletteMatrices, number)),
        MatrixName::Program(number) => Some((LimitedItem::ProgramMatrices, number)),
    }
}
