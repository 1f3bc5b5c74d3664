//! Transform feedback of a script: captured outputs and counters.
//!
//! A capture becomes active with its first draw, which determines its primitives, and is paused
//! between draws, when the script may access the buffers.

use super::buffer_bindings::bind_captured_ranges;
use super::buffers::Buffers;
use super::capture_plan::{CapturePlan, CapturedPrimitives};
use super::gl_features::{Feature, require_extension};
use super::programs::Programs;
use super::shader_loading::has_shaders;
use crate::error::Problem;
use crate::gl::{self, Capture, Gl, Query, Version};
use ash::vk::PrimitiveTopology;
use glasm::ir::Stage;
use glasm_scripts::script::{CaptureCount, Command, Draw, Script, capture_ranges};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Extension for pauses, which separate draws.
const PAUSES: Feature = Feature {
    core: Version(4, 0),
    extensions: &["GL_NV_transform_feedback2", "GL_ARB_transform_feedback2"],
};

/// Returns the vertex streams whose counts a script probes, with duplicates.
fn probed_streams(script: &Script) -> impl Iterator<Item = u32> {
    script.steps.iter().filter_map(|step| {
        if let Command::ProbeCapture {
            count: CaptureCount::Primitives { stream } | CaptureCount::Needed { stream },
            ..
        } = &step.command
        {
            Some(*stream)
        } else {
            None
        }
    })
}

/// State of transform feedback.
#[derive(Default)]
pub(super) enum FeedbackState {
    #[default]
    Off,
    /// Captures from the next draw on.
    Pending,
    /// Paused, but for the time of a draw; captures primitives of this kind.
    Active(Capture, CapturedPrimitives),
}

/// Primitives of a stream that are counted during a draw.
pub(super) struct PrimitiveCounter {
    pub(super) stream: u32,
    pub(super) written_query: Query,
    pub(super) generated_query: Query,
}

/// Captured vertices and their counts.
#[derive(Default)]
pub(super) struct FeedbackCapture {
    pub(super) state: FeedbackState,
    pub(super) plan: CapturePlan,
    /// Primitives of the last captured draw.
    pub(super) primitives: Option<CapturedPrimitives>,
    pub(super) counters: Vec<PrimitiveCounter>,
    /// Primitives written and needed since the capture began, by stream; `None` before any.
    pub(super) counts: Option<BTreeMap<u32, [u64; 2]>>,
}

impl FeedbackCapture {
    /// Returns true if OpenGL captures, possibly after a pause.
    pub(super) fn is_active(&self) -> bool {
        matches!(self.state, FeedbackState::Active(..))
    }

    /// Returns the numbers of primitives of a stream, written and needed, 0 if none was captured.
    /// `Err` if no capture has begun.
    pub(super) fn primitive_counts(&self, stream: u32) -> Result<[u64; 2], String> {
        let counts = self.counts.as_ref();
        let counts = counts.ok_or_else(|| "nothing was captured".to_owned())?;
        Ok(counts.get(&stream).copied().unwrap_or_default())
    }

    /// Ends the capture, if one is active or pending; its counts remain.
    pub(super) fn end_capture(&mut self) -> Result<(), Problem> {
        match std::mem::take(&mut self.state) {
            FeedbackState::Off | FeedbackState::Pending => Ok(()),
            FeedbackState::Active(capture, _) => Ok(capture.end()?),
        }
    }

    /// Returns the number of primitives, of needed primitives, or of bytes of the last capture.
    /// `Err` if no capture has begun.
    pub(super) fn read_count(&self, count: CaptureCount) -> Result<u64, String> {
        Ok(match count {
            CaptureCount::Primitives { stream } => self.primitive_counts(stream)?[0],
            CaptureCount::Needed { stream } => self.primitive_counts(stream)?[1],
            CaptureCount::Bytes { buffer } => {
                let index = buffer as usize;
                let stream = self.plan.streams.get(index).copied().unwrap_or(0);
                let stride = self.plan.strides.get(index).copied().unwrap_or(0);
                let vertices = self
                    .primitives
                    .map_or(0, CapturedPrimitives::vertices_per_primitive);
                self.primitive_counts(stream)?[0] * vertices * u64::from(stride)
            }
        })
    }
}

/// Starts, pauses and resumes the capture of a script.
pub(super) struct CaptureContext<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) programs: &'a Programs,
    pub(super) buffers: &'a Buffers,
    /// True if programs run as modules.
    pub(super) uses_modules: bool,
    pub(super) feedback: &'a mut FeedbackCapture,
}

impl CaptureContext<'_> {
    /// Prepares the capture of later draws, from the start of the buffers on, and resets the
    /// counts. Skips scripts that capture what the driver does not support.
    pub(super) fn start_capture(&mut self) -> Result<(), Problem> {
        PAUSES.require(self.gl)?;
        if self.uses_modules {
            // For the sizes of captures; the modules themselves specify the captured outputs.
            self.feedback.plan = CapturePlan::from_modules(&self.script.feedback);
        } else if !has_shaders(self.script) {
            require_extension(self.gl, "GL_NV_transform_feedback")?;
            self.feedback.plan = self.plan_capture()?;
        }
        self.feedback.counts = Some(BTreeMap::new());
        self.feedback.state = FeedbackState::Pending;
        Ok(())
    }

    /// Returns the plan of the results to capture. Returns [`Problem::Unsupported`] if the driver's
    /// extensions or limits do not suffice.
    fn plan_capture(&self) -> Result<CapturePlan, Problem> {
        let plan = CapturePlan::new(&self.script.feedback).map_err(Problem::Unsupported)?;
        if let Some(extension) = plan.extension() {
            require_extension(self.gl, extension)?;
        }
        let limits = [
            (
                plan.components(),
                gl::MAX_TRANSFORM_FEEDBACK_INTERLEAVED_COMPONENTS,
                "components of a vertex in a buffer",
            ),
            (
                plan.streams.iter().max().map_or(0, |stream| stream + 1),
                gl::MAX_VERTEX_STREAMS,
                "vertex streams",
            ),
        ];
        for (needed, name, what) in limits {
            // A driver with one stream does not support the query of the limit.
            if needed <= 1 {
                continue;
            }
            let limit = self.gl.integer(name)?;
            if i64::from(needed) > i64::from(limit) {
                let reason = format!("the driver captures at most {limit} {what}");
                return Err(Problem::Unsupported(reason));
            }
        }
        Ok(plan)
    }

    /// Begins queries of primitives and, if there are results, begins or resumes their capture,
    /// until [`Self::pause_after_draw`]; does nothing unless a capture is active or pending. The
    /// caller must have set programs, state and buffers of the draw. Returns
    /// [`Problem::Unsupported`] if draws have different primitives during a capture.
    pub(super) fn resume_for_draw(&mut self, draw: &Draw) -> Result<(), Problem> {
        if let FeedbackState::Off = self.feedback.state {
            return Ok(());
        }
        self.begin_primitive_queries()?;
        // Shaders themselves specify the captured outputs.
        if self.feedback.plan.results.is_empty() && !self.captures_by_shaders() {
            return Ok(());
        }
        let primitives = self.drawn_primitives(draw)?;
        match &self.feedback.state {
            FeedbackState::Active(capture, known) if *known == primitives => capture.resume()?,
            FeedbackState::Active(_, known) => {
                let reason = format!(
                    "OpenGL captures {known:?} or {primitives:?} between begin and end, not both"
                );
                return Err(Problem::Unsupported(reason));
            }
            FeedbackState::Off | FeedbackState::Pending => self.activate_capture(primitives)?,
        }
        self.feedback.primitives = Some(primitives);
        Ok(())
    }

    /// Pauses the capture after a draw and adds the results of its queries to the counts:
    /// counterpart of [`Self::resume_for_draw`]. Does nothing if no capture is active.
    pub(super) fn pause_after_draw(&mut self) -> Result<(), Problem> {
        let feedback = &mut self.feedback;
        if let FeedbackState::Active(capture, _) = &feedback.state {
            capture.pause()?;
        }
        for counter in feedback.counters.drain(..) {
            let counts = feedback.counts.get_or_insert_default();
            let [written, needed] = counts.entry(counter.stream).or_default();
            *written += counter.written_query.end()?;
            *needed += counter.generated_query.end()?;
        }
        Ok(())
    }

    /// Begins queries of the primitives of all streams that the script probes or captures. Returns
    /// [`Problem::Unsupported`] if the driver lacks one of the streams.
    fn begin_primitive_queries(&mut self) -> Result<(), Problem> {
        let mut streams: BTreeSet<u32> = probed_streams(self.script).collect();
        streams.extend(self.feedback.plan.captured_streams());
        for stream in streams {
            if stream > 0 {
                require_extension(self.gl, "GL_ARB_transform_feedback3")?;
            }
            let begin = |target| Query::begin_stream(self.gl, target, stream);
            let written = begin(gl::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN)?;
            let needed = begin(gl::PRIMITIVES_GENERATED)?;
            self.feedback.counters.push(PrimitiveCounter {
                stream,
                written_query: written,
                generated_query: needed,
            });
        }
        Ok(())
    }

    /// Returns true if shaders or modules specify the captured outputs.
    fn captures_by_shaders(&self) -> bool {
        has_shaders(self.script) || self.uses_modules
    }

    /// Binds the captured ranges and begins the capture of a type of primitives at its first draw,
    /// with the planned results unless shaders specify them. Fails if a captured buffer is not
    /// bound.
    fn activate_capture(&mut self, primitives: CapturedPrimitives) -> Result<(), Problem> {
        let ranges = capture_ranges(&self.buffers.bound);
        for capture in &self.script.feedback.captures {
            let buffer = capture.buffer;
            if !ranges.iter().any(|(binding, _)| *binding == buffer) {
                return Err(format!(
                    "vertices are captured into transform feedback buffer {buffer}, which there is none of"
                )
                .into());
            }
        }
        bind_captured_ranges(self.gl, self.buffers)?;
        let plan = &self.feedback.plan;
        let streams: Vec<i32> = match plan.needs_streams() {
            true if !self.uses_modules => plan
                .streams
                .iter()
                .map(|stream| stream.cast_signed())
                .collect(),
            true | false => Vec::new(),
        };
        if !self.captures_by_shaders() {
            self.gl.set_captured_outputs(&plan.results, &streams)?;
        }
        let capture = Capture::begin(self.gl, primitives.gl_mode())?;
        self.feedback.state = FeedbackState::Active(capture, primitives);
        Ok(())
    }

    /// Returns the primitives that reach transform feedback: those of the last program that
    /// generates primitives, otherwise those of the draw. Returns [`Problem::Unsupported`] for
    /// patches that no program processes; fails if the program does not declare its primitives.
    fn drawn_primitives(&self, draw: &Draw) -> Result<CapturedPrimitives, Problem> {
        let stages = [Stage::Geometry, Stage::TessEval];
        let primitives = match stages.iter().find_map(|stage| self.programs.info(*stage)) {
            Some(facts) => facts.primitives,
            None => CapturedPrimitives::from_topology(draw.topology),
        };
        let unknown = || match draw.topology {
            PrimitiveTopology::PATCH_LIST => Problem::Unsupported(
                "OpenGL captures patches only if an evaluation program processes them".to_owned(),
            ),
            _ => Problem::Script("nothing says what primitives are captured".to_owned()),
        };
        primitives.ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::execution::Execution;
    use crate::execute::test_support::{expect_skip_reason, with_execution, with_mock_nv};
    use crate::gl::glsl::{draw_arrays, use_program};
    use crate::gl::mock_nv_driver::take_calls;
    use crate::gl::tests::framebuffer;
    use glasm_scripts::script::BufferId;
    use glasm_tests::skip::skip;

    /// Captures the number of each vertex and leaves a gap.
    const NUMBERS: &str = "#version 150
out float number;
void main() { gl_Position = vec4(0); number = float(gl_VertexID); }";

    fn has_feedback(gl: &Gl) -> bool {
        let has = gl.version() >= Version(4, 0);
        if !has {
            skip("no transform feedback objects");
        }
        has
    }

    /// Begins a capture that GLSL specifies: drivers that lack NV_transform_feedback count and
    /// pause nevertheless.
    fn begin(execution: &mut Execution<'_>, primitives: CapturedPrimitives) {
        execution.feedback.plan = CapturePlan::new(&execution.script.feedback).unwrap();
        execution.feedback.counts = Some(BTreeMap::new());
        bind_captured_ranges(&execution.gl, &execution.buffers).unwrap();
        let capture = Capture::begin(&execution.gl, primitives.gl_mode()).unwrap();
        capture.pause().unwrap();
        execution.feedback.state = FeedbackState::Active(capture, primitives);
    }

    fn draw_of(execution: &Execution<'_>) -> Draw {
        let mut steps = execution.script.steps.iter();
        let draw = steps.find_map(|step| {
            if let Command::Draw(draw) = &step.command {
                Some(**draw)
            } else {
                None
            }
        });
        draw.unwrap()
    }

    fn floats(execution: &Execution<'_>, buffer: usize) -> Vec<f32> {
        let contents = execution.buffers.read_contents(BufferId(buffer)).unwrap();
        let words = contents.chunks_exact(4);
        words
            .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn captures_go_on_after_pauses_and_are_counted() {
        let text = "[test]\nbuffer a size 60\nbind xfb 0 a 4 53\nxfb capture 0 result.fogcoord\nxfb stride 0 8\n\
             draw arrays LINE_STRIP 0 3";
        with_execution(text, |gl, execution| {
            if !has_feedback(gl) {
                return;
            }
            let _target = framebuffer(gl, None, 1);
            execution.create_buffers().unwrap();
            execution.run_step(&execution.script.steps[0]).unwrap();
            let captured = ["number", "gl_SkipComponents1"];
            use_program(gl, &[(gl::VERTEX_SHADER, NUMBERS)], &captured).unwrap();
            let draw = draw_of(execution);
            begin(execution, CapturedPrimitives::Lines);
            execution.capture_context().resume_for_draw(&draw).unwrap();
            draw_arrays(gl, gl::LINE_STRIP, 3).unwrap();
            execution.capture_context().pause_after_draw().unwrap();
            // Two lines of two vertices of eight bytes.
            assert_eq!(execution.feedback.primitive_counts(0), Ok([2, 2]));
            assert_eq!(
                execution
                    .feedback
                    .read_count(CaptureCount::Bytes { buffer: 0 }),
                Ok(32)
            );
            assert_eq!(
                floats(execution, 0)[..9],
                [0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0, 0.0]
            );
            // While paused, nothing is captured.
            draw_arrays(gl, gl::LINE_STRIP, 3).unwrap();
            assert_eq!(floats(execution, 0)[9..], [0.0; 6]);
            // One more line has space in 52 bytes.
            execution.capture_context().resume_for_draw(&draw).unwrap();
            draw_arrays(gl, gl::LINE_STRIP, 3).unwrap();
            execution.capture_context().pause_after_draw().unwrap();
            assert_eq!(execution.feedback.primitive_counts(0), Ok([3, 4]));
            assert_eq!(floats(execution, 0)[9..], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
            assert!(execution.feedback.is_active());
            execution.feedback.end_capture().unwrap();
            assert!(!execution.feedback.is_active());
            gl.check_errors("after the capture").unwrap();
        });
    }

    #[test]
    fn a_capture_keeps_its_buffers_and_primitives() {
        let text = "[test]\nbuffer a size 64\nbind xfb 0 a\nxfb capture 0 result.fogcoord\ndraw arrays POINTS 0 3";
        with_execution(text, |gl, execution| {
            if !has_feedback(gl) {
                return;
            }
            let _target = framebuffer(gl, None, 1);
            execution.create_buffers().unwrap();
            let bind = &execution.script.steps[0];
            execution.run_step(bind).unwrap();
            use_program(gl, &[(gl::VERTEX_SHADER, NUMBERS)], &["number"]).unwrap();
            begin(execution, CapturedPrimitives::Triangles);
            let skipped = expect_skip_reason(execution.run_step(bind));
            assert_eq!(
                skipped,
                "OpenGL captures into the same buffers from begin to end"
            );
            let draw = draw_of(execution);
            let skipped = expect_skip_reason(execution.capture_context().resume_for_draw(&draw));
            assert_eq!(
                skipped,
                "OpenGL captures Triangles or Points between begin and end, not both"
            );
        });
    }

    #[test]
    fn streams_are_counted_apart() {
        let geometry = "#version 400
layout(points) in;
layout(points, max_vertices = 3) out;
layout(stream = 0) out float first;
layout(stream = 1) out float second;
void main() {
    first = 5.0; EmitStreamVertex(0); EndStreamPrimitive(0);
    second = 6.0; EmitStreamVertex(1); EndStreamPrimitive(1);
    second = 7.0; EmitStreamVertex(1); EndStreamPrimitive(1);
}";
        let text = "[test]\nxfb 0 size 16\nxfb 1 size 12\nxfb capture 0 result.fogcoord\n\
             xfb capture 1 stream 1 result.pointsize\ndraw arrays POINTS 0 2";
        with_execution(text, |gl, execution| {
            if !has_feedback(gl) || gl.integer(gl::MAX_VERTEX_STREAMS).unwrap() < 2 {
                return;
            }
            let _target = framebuffer(gl, None, 1);
            execution.create_buffers().unwrap();
            let shaders = [
                (
                    gl::VERTEX_SHADER,
                    "#version 150\nvoid main() { gl_Position = vec4(0); }",
                ),
                (gl::GEOMETRY_SHADER, geometry),
            ];
            use_program(gl, &shaders, &["first", "gl_NextBuffer", "second"]).unwrap();
            let draw = draw_of(execution);
            begin(execution, CapturedPrimitives::Points);
            execution.capture_context().resume_for_draw(&draw).unwrap();
            draw_arrays(gl, gl::POINTS, 2).unwrap();
            execution.capture_context().pause_after_draw().unwrap();
            assert_eq!(execution.feedback.primitive_counts(0), Ok([2, 2]));
            assert_eq!(execution.feedback.primitive_counts(1), Ok([3, 4]));
            let bytes = |buffer| {
                execution
                    .feedback
                    .read_count(CaptureCount::Bytes { buffer })
            };
            assert_eq!((bytes(0), bytes(1)), (Ok(8), Ok(12)));
            assert_eq!(floats(execution, 0), [5.0, 5.0, 0.0, 0.0]);
            assert_eq!(floats(execution, 1), [6.0, 7.0, 6.0]);
        });
    }

    #[test]
    fn captures_need_their_extension() {
        let text = "[test]\nxfb 0 size 4\nxfb begin\nxfb end";
        with_execution(text, |gl, execution| {
            if !gl.has_extension("GL_NV_transform_feedback") {
                let reason = expect_skip_reason(execution.capture_context().start_capture());
                assert_eq!(reason, "the driver lacks GL_NV_transform_feedback");
            }
            let count = execution
                .feedback
                .read_count(CaptureCount::Bytes { buffer: 0 });
            assert_eq!(count, Err("nothing was captured".to_owned()));
        });
    }

    #[test]
    fn a_script_captures_from_begin_to_end() {
        let text = "[test]\nbuffer a size 64\nbind xfb 0 a 8 40\nxfb capture 0 result.fogcoord\nxfb stride 0 8\n\
             xfb begin\ndraw arrays LINE_STRIP 0 3\nxfb end\nprobe xfb primitives == 2\nprobe xfb bytes 0 == 32\n\
             xfb begin\nxfb end\nprobe xfb bytes 0 == 0";
        with_mock_nv(text, |gl, execution| {
            if !has_feedback(gl) {
                return;
            }
            let _target = framebuffer(gl, None, 1);
            execution.create_buffers().unwrap();
            let captured = ["number", "gl_SkipComponents1"];
            use_program(gl, &[(gl::VERTEX_SHADER, NUMBERS)], &captured).unwrap();
            let script = execution.script;
            for step in &script.steps {
                if let Command::Draw(draw) = &step.command {
                    execution.capture_context().resume_for_draw(draw).unwrap();
                    draw_arrays(gl, gl::LINE_STRIP, 3).unwrap();
                    execution.capture_context().pause_after_draw().unwrap();
                } else {
                    execution.run_step(step).unwrap();
                }
            }
            // GL_FOG_COORDINATE, GL_SKIP_COMPONENTS1_NV, GL_INTERLEAVED_ATTRIBS_NV.
            let expected = "capture [33873, 1, 0, -6, 0, 0] 0x8c8c";
            assert_eq!(take_calls(), [expected]);
            let numbers = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0];
            assert_eq!(floats(execution, 0)[..9], numbers);
            gl.check_errors("after the script").unwrap();
        });
    }

    #[test]
    fn results_that_are_captured_twice_name_their_streams() {
        let text = "[test]\nxfb 0 size 64\nxfb 1 size 64\nxfb capture 0 result.fogcoord\nxfb capture 1 result.fogcoord\n\
             draw arrays POINTS 0 1";
        with_mock_nv(text, |gl, execution| {
            if !has_feedback(gl) {
                return;
            }
            execution.create_buffers().unwrap();
            use_program(gl, &[(gl::VERTEX_SHADER, NUMBERS)], &["number"]).unwrap();
            execution.capture_context().start_capture().unwrap();
            let draw = draw_of(execution);
            execution.capture_context().resume_for_draw(&draw).unwrap();
            execution.capture_context().pause_after_draw().unwrap();
            let expected = "capture [33873, 1, 0, -2, 0, 0, 33873, 1, 0] streams [0, 0] 0x8c8c";
            assert_eq!(take_calls(), [expected]);
        });
    }
}
