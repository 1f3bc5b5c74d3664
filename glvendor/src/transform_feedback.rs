//! Transform feedback of programs: NV_transform_feedback, with the streams of
//! ARB_transform_feedback3. The captured outputs are a part of the modules, so that a pipeline is
//! specific to them.

use crate::context::{State, StateGroups};
use crate::draw;
use crate::ffi::{driver, driver_state};
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::program_limits::{CLIP_PLANES, GENERICS, TEXTURE_COORDINATES};
use glasm::{Capture, Semantic, TransformFeedback};
use std::sync::Arc;

/// Transform feedback of the context.
#[derive(Debug, Default)]
pub(crate) struct FeedbackState {
    /// Outputs that `TransformFeedbackAttribsNV` selected.
    captured_outputs: Option<Arc<TransformFeedback>>,
    /// True while capturing: between `BeginTransformFeedback` and `EndTransformFeedback`.
    is_active: bool,
    /// Mode with which the capture began in the driver, until something is drawn: until then
    /// another program may capture.
    undrawn_mode: Option<u32>,
}

impl FeedbackState {
    /// Returns the outputs that are captured from programs of this library; `None` while no capture
    /// is in progress.
    pub(crate) fn active_captures(&self) -> Option<&Arc<TransformFeedback>> {
        self.captured_outputs.as_ref().filter(|_| self.is_active)
    }

    /// Records that a draw has happened, after which the capturing program cannot change.
    pub(crate) fn record_draw(&mut self) {
        self.undrawn_mode = None;
    }

    /// Makes a program object current. The driver does not allow a change of the program during a
    /// capture: if nothing was drawn since the capture began and it is not paused, the capture ends
    /// and begins again with the program, which is known only now.
    pub(crate) fn use_program(&self, program: u32) {
        let is_paused = || driver_state::is_true(driver::constants::TRANSFORM_FEEDBACK_PAUSED);
        match self.undrawn_mode.filter(|_| !is_paused()) {
            None => driver::UseProgram(program),
            Some(primitive) => {
                driver::EndTransformFeedback();
                driver::UseProgram(program);
                driver::BeginTransformFeedback(primitive);
            }
        }
    }
}

/// Part of the results of a vertex: name, number of components, index. NV_transform_feedback,
/// "TransformFeedbackAttribsNV".
pub(crate) type CapturedAttrib = [i32; 3];

/// More buffers than any driver captures to.
const MAX_STREAMS: i32 = 64;

/// Parts that control the position of the next ones: ARB_transform_feedback3.
const NEXT_BUFFER: i32 = -2;
const SKIP_COMPONENTS: std::ops::RangeInclusive<i32> = -6..=-3;
const SEPARATE: u32 = 0x8C8D;
const INTERLEAVED: u32 = 0x8C8C;

/// Converts a result of `TransformFeedbackAttribsNV` to its semantic; the index is the texture
/// coordinate set, clip plane or attribute. `Err` is GL's error: `GL_INVALID_ENUM` for enumerants
/// without a semantic, `GL_INVALID_VALUE` for an index beyond the results of that name.
fn captured_semantic([name, _, index]: CapturedAttrib) -> Result<Semantic, u32> {
    let below = |count: u32| {
        let index = u8::try_from(index).ok();
        let index = index.filter(|index| u32::from(*index) < count);
        index.ok_or(INVALID_VALUE)
    };
    Ok(match name {
        0x1203 => Semantic::Position,
        0x8577 => Semantic::Color(0),
        0x852D => Semantic::Color(1),
        0x8C77 => Semantic::BackColor(0),
        0x8C78 => Semantic::BackColor(1),
        0x8451 => Semantic::FogCoord,
        0x0B11 => Semantic::PointSize,
        0x8C79 => Semantic::TexCoord(below(TEXTURE_COORDINATES)?),
        0x8C7A => Semantic::ClipDistance(below(CLIP_PLANES)?),
        0x8C7B => Semantic::VertexId,
        0x8C7C => Semantic::PrimitiveId,
        0x8C7D => Semantic::GenericVarying(below(GENERICS)?),
        0x8DAA => Semantic::Layer,
        _ => return Err(INVALID_ENUM),
    })
}

/// Checks the numbers of parts and of streams, and the mode, before they are read:
/// NV_transform_feedback, "Errors". `None` after recording `GL_INVALID_OPERATION` during a capture,
/// `GL_INVALID_ENUM` for an unknown mode, `GL_INVALID_VALUE` for a number that is negative or
/// beyond the driver's limits.
pub(crate) fn check_attrib_counts(
    state: &mut State,
    [attrib_count, stream_count]: [i32; 2],
    mode: u32,
) -> Option<()> {
    let buffers = driver_state::integer(driver::constants::MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
    let components =
        driver_state::integer(driver::constants::MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS);
    // Parts without components control the position of the next ones: two of them for each that has
    // components exceed any use.
    let max_components = match mode {
        SEPARATE => buffers,
        INTERLEAVED => components.saturating_mul(3),
        _ => 0,
    };
    let error = if state.draw_state.feedback.is_active {
        INVALID_OPERATION
    } else if !matches!(mode, SEPARATE | INTERLEAVED) {
        INVALID_ENUM
    } else if !(0..=max_components).contains(&attrib_count)
        || !(0..=MAX_STREAMS).contains(&stream_count)
    {
        INVALID_VALUE
    } else {
        return Some(());
    };
    state.record_error(error);
    None
}

/// Executes `TransformFeedbackAttribsNV`, and with streams, one for each buffer,
/// `TransformFeedbackStreamAttribsNV`. Marks programs as changed. Records the errors of
/// [`parse_captures`], `GL_INVALID_VALUE` for more components in a buffer than
/// `MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS_NV` (NV_transform_feedback), and
/// `GL_INVALID_OPERATION` for more buffers than `MAX_TRANSFORM_FEEDBACK_BUFFERS`
/// (ARB_transform_feedback3); then the previous outputs remain.
pub(crate) fn set_captured_outputs(
    state: &mut State,
    attribs: Vec<CapturedAttrib>,
    streams: &[i32],
    mode: u32,
) {
    let captures = parse_captures(&attribs, streams, mode);
    match captures.and_then(check_buffers) {
        Ok(captures) => {
            state.draw_state.feedback.captured_outputs = Some(Arc::new(captures));
            state.mark_changed(StateGroups::PROGRAMS);
        }
        Err(error) => state.record_error(error),
    }
}

/// Returns captures that are within the limits of the driver for buffers of interleaved mode, which
/// alone have strides; `Err` is the error of GL.
fn check_buffers(captures: TransformFeedback) -> Result<TransformFeedback, u32> {
    let limit = |name| driver_state::integer(name).max(0) as u32;
    let components = limit(driver::constants::MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS);
    let buffers = limit(driver::constants::MAX_TRANSFORM_FEEDBACK_BUFFERS);
    if captures
        .strides
        .iter()
        .any(|stride| stride / 4 > components)
    {
        Err(INVALID_VALUE)
    } else if captures.strides.len() > buffers.max(1) as usize {
        Err(INVALID_OPERATION)
    } else {
        Ok(captures)
    }
}

/// Returns the captures of parts with their buffers, byte offsets and streams; buffers without a
/// stream have stream 0. `Err` is the error of GL: those of [`captured_semantic`], and
/// `GL_INVALID_VALUE` for a number of components outside of 1 to 4 or a negative stream.
fn parse_captures(
    attribs: &[CapturedAttrib],
    streams: &[i32],
    mode: u32,
) -> Result<TransformFeedback, u32> {
    let mut feedback = TransformFeedback::default();
    let (mut buffer, mut offset) = (0_u32, 0_u32);
    for &part in attribs {
        let [name, components, _] = part;
        if name == NEXT_BUFFER && mode == INTERLEAVED {
            feedback.strides.push(offset);
            (buffer, offset) = (buffer + 1, 0);
            continue;
        }
        if SKIP_COMPONENTS.contains(&name) && mode == INTERLEAVED {
            // The first of the names skips four components, the last one.
            offset += 4 * (7 + name).unsigned_abs();
            continue;
        }
        let semantic = captured_semantic(part)?;
        let count = u8::try_from(components)
            .ok()
            .filter(|count| (1..=4).contains(count))
            .ok_or(INVALID_VALUE)?;
        let stream = streams.get(buffer as usize).copied().unwrap_or(0);
        feedback.captures.push(Capture {
            semantic,
            first_component: 0,
            component_count: count,
            buffer,
            offset,
            stream: u32::try_from(stream).map_err(|_| INVALID_VALUE)?,
        });
        match mode {
            SEPARATE => buffer += 1,
            _ => offset += 4 * u32::from(count),
        }
    }
    if mode == INTERLEAVED {
        feedback.strides.push(offset);
    }
    Ok(feedback)
}

/// Prepares programs for a primitive mode and executes `BeginTransformFeedback`. Programs of this
/// library are captured from now on; marks programs as changed.
pub(crate) fn begin_feedback(state: &mut State, primitive: u32) {
    state.draw_state.feedback.is_active = true;
    state.mark_changed(StateGroups::PROGRAMS);
    draw::prepare_programs(state, Some(primitive));
    driver::BeginTransformFeedback(primitive);
    state.draw_state.feedback.undrawn_mode = Some(primitive);
}

/// Executes `EndTransformFeedback` and marks programs as changed. Programs of this library are not
/// captured from now on.
pub(crate) fn end_feedback(state: &mut State) {
    driver::EndTransformFeedback();
    state.draw_state.feedback.is_active = false;
    state.draw_state.feedback.undrawn_mode = None;
    state.mark_changed(StateGroups::PROGRAMS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(semantic: Semantic, count: u8, buffer: u32, offset: u32) -> Capture {
        Capture {
            semantic,
            first_component: 0,
            component_count: count,
            buffer,
            offset,
            stream: 0,
        }
    }

    /// Tests ARB_transform_feedback3: SKIP_COMPONENTS4_NV is -3, SKIP_COMPONENTS1_NV is -6,
    /// NEXT_BUFFER_NV is -2.
    #[test]
    fn parts_follow_each_other_in_one_buffer() {
        let parts = [
            [0x1203, 4, 0],
            [-6, 0, 0],
            [0x8C79, 2, 3],
            [-2, 0, 0],
            [-3, 0, 0],
            [0x8C7D, 1, 7],
        ];
        let feedback = parse_captures(&parts, &[], INTERLEAVED).unwrap();
        let expected = [
            capture(Semantic::Position, 4, 0, 0),
            capture(Semantic::TexCoord(3), 2, 0, 20),
            capture(Semantic::GenericVarying(7), 1, 1, 16),
        ];
        assert_eq!(feedback.captures, expected);
        assert_eq!(feedback.strides, [28, 20]);
    }

    #[test]
    fn separate_parts_have_a_buffer_each() {
        let feedback = parse_captures(&[[0x8577, 4, 0], [0x8451, 1, 0]], &[], SEPARATE).unwrap();
        let expected = [
            capture(Semantic::Color(0), 4, 0, 0),
            capture(Semantic::FogCoord, 1, 1, 0),
        ];
        assert_eq!(feedback.captures, expected);
    }

    #[test]
    fn streams_are_those_of_buffers() {
        let feedback = parse_captures(
            &[[0x1203, 4, 0], [-2, 0, 0], [0x8577, 2, 0]],
            &[1, 0],
            INTERLEAVED,
        )
        .unwrap();
        let streams: Vec<u32> = feedback.captures.iter().map(|it| it.stream).collect();
        assert_eq!(streams, [1, 0]);
    }

    /// Tests ARB_transform_feedback3, "Errors" and table X.1.
    #[test]
    fn wrong_parts_are_errors() {
        let error = |parts: &[CapturedAttrib]| parse_captures(parts, &[], INTERLEAVED).err();
        assert_eq!(error(&[[0x1234, 4, 0]]), Some(INVALID_ENUM));
        for components in [-1, 0, 5] {
            assert_eq!(error(&[[0x1203, components, 0]]), Some(INVALID_VALUE));
        }
        for (name, count) in [(0x8C79, 8), (0x8C7A, 8), (0x8C7D, 32)] {
            assert_eq!(error(&[[name, 1, count - 1], [name, 1, 0]]), None);
            assert_eq!(error(&[[name, 1, count]]), Some(INVALID_VALUE), "{name:x}");
            assert_eq!(error(&[[name, 1, -1]]), Some(INVALID_VALUE), "{name:x}");
        }
        assert_eq!(
            parse_captures(&[[-2, 0, 0]], &[], SEPARATE).err(),
            Some(INVALID_ENUM)
        );
    }
}
