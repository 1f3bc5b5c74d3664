//! Paths that start with `program`, `state` or `texture`. NV_gpu_program4 section 2.X.3.3.

use crate::ast::{Bracket, Segment};
use crate::check::bindings::brackets::{
    Bound, Failed, FoundBinding, ParamKind, ParamRange, PathProblem, err_no_binding, fail,
    find_bracket_problem, read_elements, read_numbers,
};
use crate::check::bindings::buffers::{BufferSpace, find_buffer};
use crate::check::context::RuleCx;
use crate::codes::Code;
use crate::lang::bindings::Number;
use crate::lang::limits;
use crate::lang::state::{FORMS, MATRICES, MatrixInfo, STATE, StateInfo};
use crate::source::Version;
use glasm_ir::Span;
use glasm_ir::state::MatrixForm;

/// Finds the binding of `program.env`, `program.local`, buffers, `program.sharedmem` or
/// `program.subroutine`.
pub(crate) fn find_program_binding(
    cx: &RuleCx<'_>,
    segments: &[Segment],
) -> Result<FoundBinding, Failed> {
    let names = cx.facts.program_bindings;
    let unknown = || Err(err_no_binding(cx, segments, names.iter().copied()));
    let Some(&segment) = segments
        .get(1)
        .filter(|_| segments[0].brackets[0] == Bracket::None)
    else {
        return unknown();
    };
    let span = segments[0].span.to(segment.span);
    let [bracket, second] = segment.brackets;
    let five = cx.version >= Version::V5_0;
    let word = cx.word(segment);
    let is_named = |name: &&str| name.as_bytes().strip_prefix(b"program.") == Some(word);
    // The table has the names that all versions of a language have; the arms below have additional
    // requirements.
    if !names.iter().any(is_named) {
        return unknown();
    }
    match word {
        b"env" => find_env_parameter(cx, segments),
        b"local" => find_local_parameter(cx, segments),
        b"buffer" if bracket != Bracket::None => {
            find_buffer(cx, segment, BufferSpace::Parameter, span)
        }
        b"storage" if bracket != Bracket::None && five => {
            find_buffer(cx, segment, BufferSpace::Storage, span)
        }
        b"counter" if bracket != Bracket::None && five => {
            find_buffer(cx, segment, BufferSpace::Counter, span)
        }
        // Only programs compiled from GLSL have arrays without a size.
        b"storagelen" if five => {
            let kind = ParamKind::StorageLength;
            read_parameters(cx, segment, span, limits::STORAGE_BUFFERS, kind)
        }
        b"subroutine" if bracket != Bracket::None && second == Bracket::None => {
            let (first, count, range) =
                read_numbers(cx, bracket, limits::SUBROUTINE_PARAMETERS, span)?;
            Ok((Bound::Subroutines { first, count }, range, 2))
        }
        b"sharedmem" if second == Bracket::None => {
            // The limit is that of the language: the size of the program's memory may be declared
            // later.
            let elements = read_elements(cx, bracket, limits::SHARED_BYTES, span)?;
            Ok((
                Bound::Shared(elements),
                !matches!(bracket, Bracket::One(_)),
                2,
            ))
        }
        _ => unknown(),
    }
}

/// Finds the binding of `program.env[n]`.
pub(crate) fn find_env_parameter(
    cx: &RuleCx<'_>,
    segments: &[Segment],
) -> Result<FoundBinding, Failed> {
    let span = segments[0].span.to(segments[1].span);
    read_parameters(
        cx,
        segments[1],
        span,
        limits::ENV_PARAMETERS,
        ParamKind::Env,
    )
}

/// Finds the binding of `program.local[n]`.
pub(crate) fn find_local_parameter(
    cx: &RuleCx<'_>,
    segments: &[Segment],
) -> Result<FoundBinding, Failed> {
    let span = segments[0].span.to(segments[1].span);
    read_parameters(
        cx,
        segments[1],
        span,
        limits::LOCAL_PARAMETERS,
        ParamKind::Local,
    )
}

/// Reads environment or local parameters.
fn read_parameters(
    cx: &RuleCx<'_>,
    segment: Segment,
    span: Span,
    limit: u32,
    kind: ParamKind,
) -> Result<FoundBinding, Failed> {
    one_bracket(segment, span)?;
    let bracket = segment.brackets[0];
    if bracket == Bracket::None {
        return fail(
            span,
            Code::BindingNeedsIndex,
            "a number in brackets is missing",
        );
    }
    let (first, count, range) = read_numbers(cx, bracket, limit, span)?;
    let params = ParamRange { kind, first, count };
    Ok((Bound::Params(params), range, 2))
}

/// Returns an entry of the table of GL state, for a path that uses `used` segments and has this
/// bracket.
pub(crate) fn bind_state_row(
    cx: &RuleCx<'_>,
    segments: &[Segment],
    row: &'static StateInfo,
    used: usize,
    bracket: Bracket,
) -> Result<FoundBinding, Failed> {
    let span = segments[0].span.to(segments[used - 1].span);
    let (first, count, range) = read_numbers(cx, bracket, row.number.limit(), span)?;
    if range && !row.ranges {
        return fail(span, Code::RangeAsOperand, "this state has no ranges");
    }
    if !cx.has_option(row.needs) {
        let message = format!("this binding needs OPTION {}", row.needs.option());
        return fail(span, Code::ResultOption, message);
    }
    let kind = ParamKind::State(row);
    let params = ParamRange { kind, first, count };
    Ok((Bound::Params(params), range, used))
}

/// Finds a path of `state` that matches no table entry: a matrix, or an error.
pub(crate) fn find_matrix(cx: &RuleCx<'_>, segments: &[Segment]) -> Result<FoundBinding, Failed> {
    let rest = &segments[1..];
    let Some(&first) = rest.first() else {
        let message = "the name of the state is missing";
        return fail(segments[0].span, Code::BindingUnknown, message);
    };
    let normal_scale = rest
        .get(1)
        .is_some_and(|name| cx.word(*name) == b"normalscale");
    if cx.word(first) == b"matrix" && !normal_scale {
        return read_matrix(cx, segments);
    }
    let rows = || STATE.iter().filter(|row| row.known_in(cx.ast.dialect));
    // An entry whose words match, but not its brackets, is the intended one.
    let patterns = rows().map(|row| (row.path, row.number));
    // Hints only name state that specifications have, not state that only some drivers accepted.
    let specified = rows().filter(|row| !(row.param)(0).is_drivers());
    Err(match find_bracket_problem(cx, rest, patterns) {
        Some(failed) => failed,
        None => err_no_binding(cx, rest, specified.map(|row| row.path)),
    })
}

/// Reads `state.matrix.NAME[n].FORM.row[a..b]`. NV_gpu_program4 table X.11.
fn read_matrix(cx: &RuleCx<'_>, segments: &[Segment]) -> Result<FoundBinding, Failed> {
    let Some(&name) = segments.get(2) else {
        return fail(
            segments[1].span,
            Code::BindingUnknown,
            "the name of a matrix is missing",
        );
    };
    let mut before = segments[..2].iter();
    if let Some(numbered) = before.find(|it| it.brackets[0] != Bracket::None) {
        let message = "the number of a matrix stands behind its name";
        return fail(numbered.span, Code::BindingTakesNoIndex, message);
    }
    let rows = || MATRICES.iter().filter(|row| row.known_in(cx.family));
    let Some(info) = rows().find(|info| info.name.as_bytes() == cx.word(name)) else {
        return Err(err_no_binding(
            cx,
            &segments[2..],
            rows().map(|info| info.name),
        ));
    };
    let number = read_matrix_number(cx, name, info)?;
    let mut used = 3;
    let form = segments.get(used).and_then(|&segment| {
        // `inverse`, `transpose` and `invtrans` are between the number of the matrix and `row`, and
        // have no number themselves.
        let plain = segment.brackets[0] == Bracket::None;
        FORMS
            .iter()
            .find(|(word, _)| plain && word.as_bytes() == cx.word(segment))
    });
    used += usize::from(form.is_some());
    let form = form.map_or(MatrixForm::Plain, |&(_, form)| form);
    let (first, count, range) = match segments.get(used) {
        Some(&segment) if cx.word(segment) == b"row" => {
            used += 1;
            one_bracket(segment, segment.span)?;
            if segment.brackets[0] == Bracket::None {
                return fail(
                    segment.span,
                    Code::BindingNeedsIndex,
                    "the number of the row is missing",
                );
            }
            read_numbers(cx, segment.brackets[0], 4, segment.span)?
        }
        // Without `row` the path denotes the matrix, an array of its four vectors.
        _ => (0, 4, true),
    };
    let kind = ParamKind::Matrix((info.matrix)(number), form);
    let params = ParamRange { kind, first, count };
    Ok((Bound::Params(params), range, used))
}

/// Returns the number of a matrix.
fn read_matrix_number(cx: &RuleCx<'_>, name: Segment, info: &MatrixInfo) -> Result<u32, Failed> {
    let [bracket, second] = name.brackets;
    match (info.number, bracket) {
        (Number::None, Bracket::One(_) | Bracket::Range(..) | Bracket::Relative(_)) => {
            return fail(
                name.span,
                Code::BindingTakesNoIndex,
                "this matrix exists once",
            );
        }
        (Number::Required(_), Bracket::None) => {
            return fail(
                name.span,
                Code::BindingNeedsIndex,
                "the number of the matrix is missing",
            );
        }
        _ => {}
    }
    // Without a bracket the path denotes modelview matrix 0: table X.11 has its number in optional
    // brackets.
    let (number, _, range) = read_numbers(cx, bracket, info.number.limit(), name.span)?;
    if range || second != Bracket::None {
        return fail(name.span, Code::BindingUnknown, "one matrix number only");
    }
    Ok(number)
}

/// Finds the binding of `texture`, `texture[n]`, `texture[a..b]`.
pub(crate) fn find_texture(cx: &RuleCx<'_>, segments: &[Segment]) -> Result<FoundBinding, Failed> {
    let segment = segments[0];
    one_bracket(segment, segment.span)?;
    match read_numbers(cx, segment.brackets[0], limits::TEXTURE_UNITS, segment.span) {
        Ok((first, count, range)) => Ok((Bound::Texture { first, count }, range, 1)),
        // Units that are out of range have a separate code.
        Err(failed) if matches!(failed.code, Code::RangeReversed | Code::BindingRange) => {
            Err(Box::new(PathProblem {
                code: Code::TextureRange,
                ..*failed
            }))
        }
        Err(failed) => Err(failed),
    }
}

/// Finds the binding of `image[n]`, `image[a..b]`.
pub(crate) fn find_image(cx: &RuleCx<'_>, segments: &[Segment]) -> Result<FoundBinding, Failed> {
    let segment = segments[0];
    one_bracket(segment, segment.span)?;
    if segment.brackets[0] == Bracket::None {
        let message = "an image unit needs a number in brackets";
        return fail(segment.span, Code::BindingNeedsIndex, message);
    }
    let (first, count, range) =
        read_numbers(cx, segment.brackets[0], limits::IMAGE_UNITS, segment.span)?;
    Ok((Bound::Image { first, count }, range, 1))
}

/// Returns the failure of a second bracket.
fn one_bracket(segment: Segment, span: Span) -> Result<(), Failed> {
    let message = "one number in brackets only";
    if segment.brackets[1] == Bracket::None {
        Ok(())
    } else {
        fail(span, Code::BindingTakesNoIndex, message)
    }
}
