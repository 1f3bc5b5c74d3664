//! Transform feedback of programs: NV_transform_feedback, with the streams of
//! ARB_transform_feedback3. The captured outputs are a part of the modules, so that a pipeline is
//! specific to them.

use crate::commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::context::{Groups, State};
use crate::draw;
use crate::ffi::{driver, query};
use glasm::{Capture, Semantic, TransformFeedback};
use std::sync::Arc;

/// Transform feedback of the context.
#[derive(Debug, Default)]
pub(crate) struct Feedback {
    /// Outputs that `TransformFeedbackAttribsNV` selected.
    chosen: Option<Arc<TransformFeedback>>,
    /// True while capturing: between `BeginTransformFeedback` and `EndTransformFeedback`.
    is_active: bool,
    /// Mode with which the capture began in the driver, until something is drawn: until then
    /// another program may capture.
    fresh: Option<u32>,
}

impl Feedback {
    /// Returns the results that are captured from programs of this library.
    pub(crate) fn captured(&self) -> Option<&Arc<TransformFeedback>> {
        self.chosen.as_ref().filter(|_| self.is_active)
    }

    /// Records that a draw has happened, after which the capturing program cannot change.
    pub(crate) fn has_drawn(&mut self) {
        self.fresh = None;
    }

    /// Makes a program object current. The driver does not allow a change of the program during a
    /// capture, so that the capture begins again; the program is known only now.
    pub(crate) fn use_program(&self, program: u32) {
        let is_paused = || query::is_set(driver::constants::TRANSFORM_FEEDBACK_PAUSED);
        match self.fresh.filter(|_| !is_paused()) {
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
pub(crate) type Part = [i32; 3];

/// More buffers than any driver captures to.
const MOST_STREAMS: i32 = 64;

/// Parts that control the position of the next ones: ARB_transform_feedback3.
const NEXT_BUFFER: i32 = -2;
const SKIP_COMPONENTS: std::ops::RangeInclusive<i32> = -6..=-3;
const SEPARATE: u32 = 0x8C8D;
const INTERLEAVED: u32 = 0x8C8C;

/// Returns the semantic of a captured result.
fn semantic([name, _, index]: Part) -> Option<Semantic> {
    let index = u8::try_from(index).unwrap_or(u8::MAX);
    Some(match name {
        0x1203 => Semantic::Position,
        0x8577 => Semantic::Color(0),
        0x852D => Semantic::Color(1),
        0x8C77 => Semantic::BackColor(0),
        0x8C78 => Semantic::BackColor(1),
        0x8451 => Semantic::FogCoord,
        0x0B11 => Semantic::PointSize,
        0x8C79 => Semantic::TexCoord(index),
        0x8C7A => Semantic::ClipDistance(index),
        0x8C7B => Semantic::VertexId,
        0x8C7C => Semantic::PrimitiveId,
        0x8C7D => Semantic::Generic(index),
        0x8DAA => Semantic::Layer,
        _ => return None,
    })
}

/// Checks the numbers of parts and of streams before they are read: NV_transform_feedback,
/// "Errors". `None` after an error.
pub(crate) fn check(state: &mut State, [parts, streams]: [i32; 2], mode: u32) -> Option<()> {
    let buffers = query::integer(driver::constants::MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS);
    let components =
        query::integer(driver::constants::MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS);
    // Parts without components control the position of the next ones: two of them for each that has
    // components exceed any use.
    let most = match mode {
        SEPARATE => buffers,
        INTERLEAVED => components.saturating_mul(3),
        _ => 0,
    };
    let error = if state.drawing.feedback.is_active {
        INVALID_OPERATION
    } else if !matches!(mode, SEPARATE | INTERLEAVED) {
        INVALID_ENUM
    } else if !(0..=most).contains(&parts) || !(0..=MOST_STREAMS).contains(&streams) {
        INVALID_VALUE
    } else {
        return Some(());
    };
    state.fail(error);
    None
}

/// Executes `TransformFeedbackAttribsNV`, and with streams of buffers
/// `TransformFeedbackStreamAttribsNV`.
pub(crate) fn choose(state: &mut State, parts: Vec<Part>, streams: &[i32], mode: u32) {
    match captures(&parts, streams, mode) {
        Ok(captures) => {
            state.drawing.feedback.chosen = Some(Arc::new(captures));
            state.touch(Groups::PROGRAMS);
        }
        Err(error) => state.fail(error),
    }
}

/// Returns the captures of parts with their buffers. `Err` is the error of GL.
fn captures(parts: &[Part], streams: &[i32], mode: u32) -> Result<TransformFeedback, u32> {
    let mut feedback = TransformFeedback::default();
    let (mut buffer, mut offset) = (0_u32, 0_u32);
    for &part in parts {
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
        let semantic = semantic(part).ok_or(INVALID_ENUM)?;
        let count = u8::try_from(components)
            .ok()
            .filter(|count| (1..=4).contains(count))
            .ok_or(INVALID_VALUE)?;
        let stream = streams.get(buffer as usize).copied().unwrap_or(0);
        feedback.captures.push(Capture {
            semantic,
            first: 0,
            count,
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

/// Executes `BeginTransformFeedback`: captures from programs of this library from now on.
pub(crate) fn begin(state: &mut State, primitive: u32) {
    state.drawing.feedback.is_active = true;
    state.touch(Groups::PROGRAMS);
    draw::prepare(state, Some(primitive));
    driver::BeginTransformFeedback(primitive);
    state.drawing.feedback.fresh = Some(primitive);
}

/// Executes `EndTransformFeedback`.
pub(crate) fn end(state: &mut State) {
    driver::EndTransformFeedback();
    state.drawing.feedback.is_active = false;
    state.drawing.feedback.fresh = None;
    state.touch(Groups::PROGRAMS);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(semantic: Semantic, count: u8, buffer: u32, offset: u32) -> Capture {
        Capture {
            semantic,
            first: 0,
            count,
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
        let feedback = captures(&parts, &[], INTERLEAVED).unwrap();
        let expected = [
            capture(Semantic::Position, 4, 0, 0),
            capture(Semantic::TexCoord(3), 2, 0, 20),
            capture(Semantic::Generic(7), 1, 1, 16),
        ];
        assert_eq!(feedback.captures, expected);
        assert_eq!(feedback.strides, [28, 20]);
    }

    #[test]
    fn separate_parts_have_a_buffer_each() {
        let feedback = captures(&[[0x8577, 4, 0], [0x8451, 1, 0]], &[], SEPARATE).unwrap();
        let expected = [
            capture(Semantic::Color(0), 4, 0, 0),
            capture(Semantic::FogCoord, 1, 1, 0),
        ];
        assert_eq!(feedback.captures, expected);
    }

    #[test]
    fn streams_are_those_of_buffers() {
        let feedback = captures(
            &[[0x1203, 4, 0], [-2, 0, 0], [0x1203, 2, 0]],
            &[1, 0],
            INTERLEAVED,
        )
        .unwrap();
        let streams: Vec<u32> = feedback.captures.iter().map(|it| it.stream).collect();
        assert_eq!(streams, [1, 0]);
    }

    #[test]
    fn wrong_parts_are_errors() {
        assert_eq!(
            captures(&[[0x1234, 4, 0]], &[], INTERLEAVED),
            Err(INVALID_ENUM)
        );
        assert_eq!(
            captures(&[[0x1203, 5, 0]], &[], INTERLEAVED),
            Err(INVALID_VALUE)
        );
        assert_eq!(
            captures(&[[0x1203, 0, 0]], &[], INTERLEAVED),
            Err(INVALID_VALUE)
        );
        assert_eq!(captures(&[[-2, 0, 0]], &[], SEPARATE), Err(INVALID_ENUM));
    }
}
