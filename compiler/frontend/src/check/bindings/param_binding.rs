//! Paths that start with `program`, `state` or `texture`. NV_gpu_program4 section 2.X.3.3.

use crate::ast::{PathBracket, PathSegment};
use crate::check::bindings::binding_target::{
    BindingTarget, BoxedPathError, FoundBinding, ParamKind, ParamRange, PathError, err_path,
    err_unknown_path, err_wrong_bracket, read_element_range, read_index_range,
};
use crate::check::bindings::buffers::{BufferSpace, find_buffer_binding};
use crate::check::context::RuleCx;
use crate::codes::Code;
use crate::lang::bindings::IndexRule;
use crate::lang::limits;
use crate::lang::state::{MATRICES, MATRIX_FORMS, MatrixInfo, STATE, StateInfo};
use crate::source::Version;
use glasm_ir::Span;
use glasm_ir::state::MatrixForm;

/// Returns the binding of `program.env`, `program.local`, buffers, `program.sharedmem` or
/// `program.subroutine`, with whether it is a range and how many segments it takes. Fails for names
/// that the language or its version does not have, and for numbers out of range.
pub(crate) fn find_program_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Result<FoundBinding, BoxedPathError> {
    let names = cx.traits.program_bindings;
    let unknown = || Err(err_unknown_path(cx, segments, names.iter().copied()));
    let Some(&segment) = segments
        .get(1)
        .filter(|_| segments[0].brackets[0] == PathBracket::None)
    else {
        return unknown();
    };
    let span = segments[0].span.to(segment.span);
    let [bracket, second] = segment.brackets;
    let five = cx.version >= Version::V5_0;
    let word = cx.segment_word(segment);
    let is_named = |name: &&str| name.as_bytes().strip_prefix(b"program.") == Some(word);
    // The table has the names that all versions of a language have; the arms below have additional
    // requirements.
    if !names.iter().any(is_named) {
        return unknown();
    }
    match word {
        b"env" => find_numbered_binding(cx, segments, ParamKind::Env, limits::ENV_PARAMETERS),
        b"local" => find_numbered_binding(cx, segments, ParamKind::Local, limits::LOCAL_PARAMETERS),
        b"buffer" if bracket != PathBracket::None => {
            find_buffer_binding(cx, segment, BufferSpace::Parameter, span)
        }
        b"storage" if bracket != PathBracket::None && five => {
            find_buffer_binding(cx, segment, BufferSpace::Storage, span)
        }
        b"counter" if bracket != PathBracket::None && five => {
            find_buffer_binding(cx, segment, BufferSpace::Counter, span)
        }
        // Only programs compiled from GLSL have arrays without a size.
        b"storagelen" if five => {
            let kind = ParamKind::StorageLength;
            read_parameter_range(cx, segment, span, limits::STORAGE_BUFFERS, kind)
        }
        b"subroutine" if bracket != PathBracket::None && second == PathBracket::None => {
            let (first, count, range) =
                read_index_range(cx, bracket, limits::SUBROUTINE_PARAMETERS, span)?;
            Ok((BindingTarget::Subroutines { first, count }, range, 2))
        }
        b"sharedmem" if second == PathBracket::None => {
            // The limit is that of the language: the size of the program's memory may be declared
            // later.
            let elements = read_element_range(cx, bracket, limits::SHARED_BYTES, span)?;
            Ok((
                BindingTarget::Shared(elements),
                !matches!(bracket, PathBracket::Single(_)),
                2,
            ))
        }
        _ => unknown(),
    }
}

/// Returns the binding of `program.env[n]` or `program.local[n]`, or of a range of them: the
/// parameters of `kind`, whose numbers are below `limit`. Fails as [`read_parameter_range`] does.
/// The path must have two segments.
pub(crate) fn find_numbered_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    kind: ParamKind,
    limit: u32,
) -> Result<FoundBinding, BoxedPathError> {
    let span = segments[0].span.to(segments[1].span);
    read_parameter_range(cx, segments[1], span, limit, kind)
}

/// Returns the binding of parameters of this kind with the numbers in the bracket of `segment`,
/// which ends the binding. Fails for a missing bracket, two brackets, and numbers that are dynamic,
/// reversed or from `limit` on.
fn read_parameter_range(
    cx: &RuleCx<'_>,
    segment: PathSegment,
    span: Span,
    limit: u32,
    kind: ParamKind,
) -> Result<FoundBinding, BoxedPathError> {
    check_single_bracket(segment, span)?;
    let bracket = segment.brackets[0];
    if bracket == PathBracket::None {
        return err_path(
            span,
            Code::BindingNeedsIndex,
            "a number in brackets is missing",
        );
    }
    let (first, count, range) = read_index_range(cx, bracket, limit, span)?;
    let params = ParamRange { kind, first, count };
    Ok((BindingTarget::Params(params), range, 2))
}

/// Resolves a path to the entry `row` of the table of GL state, of which `used_segments` segments
/// belong to the binding.
///
/// # Errors
/// An index that is out of range, a range where the state has none, or a missing option.
pub(crate) fn resolve_state_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
    row: &'static StateInfo,
    used_segments: usize,
    bracket: PathBracket,
) -> Result<FoundBinding, BoxedPathError> {
    let span = segments[0].span.to(segments[used_segments - 1].span);
    let (first, count, range) = read_index_range(cx, bracket, row.number.limit(), span)?;
    if range && !row.ranges {
        return err_path(span, Code::RangeAsOperand, "this state has no ranges");
    }
    if !cx.has_option(row.required_features) {
        let message = format!(
            "this binding needs OPTION {}",
            row.required_features.first_option()
        );
        return err_path(span, Code::ResultOption, message);
    }
    let kind = ParamKind::State(row);
    let params = ParamRange { kind, first, count };
    Ok((BindingTarget::Params(params), range, used_segments))
}

/// Returns the matrix that a path of `state` denotes that matches no table entry; fails, with the
/// entry that is most likely intended, for other paths.
pub(crate) fn find_matrix_or_err(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Result<FoundBinding, BoxedPathError> {
    let rest = &segments[1..];
    let Some(&first) = rest.first() else {
        let message = "the name of the state is missing";
        return err_path(segments[0].span, Code::BindingUnknown, message);
    };
    let normal_scale = rest
        .get(1)
        .is_some_and(|name| cx.segment_word(*name) == b"normalscale");
    if cx.segment_word(first) == b"matrix" && !normal_scale {
        return read_matrix_binding(cx, segments);
    }
    let rows = || STATE.iter().filter(|row| row.is_known_in(cx.ast.dialect));
    // An entry whose words match, but not its brackets, is the intended one.
    let patterns = rows().map(|row| (row.path, row.number));
    // Hints only name state that specifications have, not state that only some drivers accepted.
    let specified = rows().filter(|row| !(row.param)(0).is_drivers());
    Err(match err_wrong_bracket(cx, rest, patterns) {
        Some(failed) => failed,
        None => err_unknown_path(cx, rest, specified.map(|row| row.path)),
    })
}

/// Returns the binding of `state.matrix.NAME[n].FORM.row[a..b]`: rows of a matrix, or without `row`
/// all four as a range. Fails for unknown names and wrong numbers. NV_gpu_program4 table X.11.
fn read_matrix_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Result<FoundBinding, BoxedPathError> {
    let Some(&name) = segments.get(2) else {
        return err_path(
            segments[1].span,
            Code::BindingUnknown,
            "the name of a matrix is missing",
        );
    };
    let mut before = segments[..2].iter();
    if let Some(numbered) = before.find(|it| it.brackets[0] != PathBracket::None) {
        let message = "the index of a matrix follows its name";
        return err_path(numbered.span, Code::BindingTakesNoIndex, message);
    }
    let rows = || MATRICES.iter().filter(|row| row.is_known_in(cx.family));
    let Some(info) = rows().find(|info| info.name.as_bytes() == cx.segment_word(name)) else {
        return Err(err_unknown_path(
            cx,
            &segments[2..],
            rows().map(|info| info.name),
        ));
    };
    let number = read_matrix_index(cx, name, info)?;
    let mut used_segments = 3;
    let form = segments.get(used_segments).and_then(|&segment| {
        // `inverse`, `transpose` and `invtrans` are between the number of the matrix and `row`, and
        // have no number themselves.
        let has_no_bracket = segment.brackets[0] == PathBracket::None;
        MATRIX_FORMS
            .iter()
            .find(|(word, _)| has_no_bracket && word.as_bytes() == cx.segment_word(segment))
    });
    used_segments += usize::from(form.is_some());
    let form = form.map_or(MatrixForm::Plain, |&(_, form)| form);
    let (first, count, range) = match segments.get(used_segments) {
        Some(&segment) if cx.segment_word(segment) == b"row" => {
            used_segments += 1;
            check_single_bracket(segment, segment.span)?;
            if segment.brackets[0] == PathBracket::None {
                return err_path(
                    segment.span,
                    Code::BindingNeedsIndex,
                    "the number of the row is missing",
                );
            }
            read_index_range(cx, segment.brackets[0], 4, segment.span)?
        }
        // Without `row` the path denotes the matrix, an array of its four vectors.
        _ => (0, 4, true),
    };
    let kind = ParamKind::Matrix((info.matrix)(number), form);
    let params = ParamRange { kind, first, count };
    Ok((BindingTarget::Params(params), range, used_segments))
}

/// Returns the number in brackets after the name of a matrix: 0 if it may be omitted and is. Fails
/// for a number that is missing, not allowed, out of range or a range.
fn read_matrix_index(
    cx: &RuleCx<'_>,
    name: PathSegment,
    info: &MatrixInfo,
) -> Result<u32, BoxedPathError> {
    let [bracket, second] = name.brackets;
    match (info.number, bracket) {
        (
            IndexRule::None,
            PathBracket::Single(_) | PathBracket::Range(..) | PathBracket::Relative(_),
        ) => {
            return err_path(
                name.span,
                Code::BindingTakesNoIndex,
                "this matrix exists once",
            );
        }
        (IndexRule::Required(_), PathBracket::None) => {
            return err_path(
                name.span,
                Code::BindingNeedsIndex,
                "the number of the matrix is missing",
            );
        }
        _ => {}
    }
    // Without a bracket the path denotes modelview matrix 0: table X.11 has its number in optional
    // brackets.
    let (number, _, range) = read_index_range(cx, bracket, info.number.limit(), name.span)?;
    if range || second != PathBracket::None {
        return err_path(name.span, Code::BindingUnknown, "one matrix number only");
    }
    Ok(number)
}

/// Returns the binding of `texture`, which is unit 0, `texture[n]` or `texture[a..b]`. Fails for
/// numbers out of range, with a code of textures, and two brackets.
pub(crate) fn find_texture_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Result<FoundBinding, BoxedPathError> {
    let segment = segments[0];
    check_single_bracket(segment, segment.span)?;
    match read_index_range(cx, segment.brackets[0], limits::TEXTURE_UNITS, segment.span) {
        Ok((first, count, range)) => Ok((BindingTarget::Texture { first, count }, range, 1)),
        // Units that are out of range have a separate code.
        Err(failed) if matches!(failed.code, Code::RangeReversed | Code::BindingRange) => {
            Err(Box::new(PathError {
                code: Code::TextureRange,
                ..*failed
            }))
        }
        Err(failed) => Err(failed),
    }
}

/// Returns the binding of `image[n]` or `image[a..b]`. Fails without a number, for numbers out of
/// range and two brackets.
pub(crate) fn find_image_binding(
    cx: &RuleCx<'_>,
    segments: &[PathSegment],
) -> Result<FoundBinding, BoxedPathError> {
    let segment = segments[0];
    check_single_bracket(segment, segment.span)?;
    if segment.brackets[0] == PathBracket::None {
        let message = "an image unit needs a number in brackets";
        return err_path(segment.span, Code::BindingNeedsIndex, message);
    }
    let (first, count, range) =
        read_index_range(cx, segment.brackets[0], limits::IMAGE_UNITS, segment.span)?;
    Ok((BindingTarget::Image { first, count }, range, 1))
}

/// Fails, with an error at `span`, if the segment has a second bracket.
fn check_single_bracket(segment: PathSegment, span: Span) -> Result<(), BoxedPathError> {
    let message = "one number in brackets only";
    if segment.brackets[1] == PathBracket::None {
        Ok(())
    } else {
        err_path(span, Code::BindingTakesNoIndex, message)
    }
}
