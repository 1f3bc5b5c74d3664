//! Scripts whose transform feedback captures on a device what the simulation computes for a vertex
//! or a primitive.

use super::draw::DrawRun;
use super::primitives::PrimitiveKind;
use super::programs::StageProgram;
use super::vertices::VertexResult;
use crate::data::{DataLayout, DataType, Literal, LiteralNotation, TypedData};
use crate::script::pipeline_state::PipelineState;
use crate::script::{
    BufferDecl, BufferId, BufferKey, BufferKind, Command, Draw, DrawSource, IndexWidth,
    PrimitiveAssembly, Script, ScriptStep, VertexData,
};
use glasm::ir::{BaseType, Semantic, Stage};
use glasm::{Capture, TransformFeedback};
use std::rc::Rc;

/// Word of the buffer that no vertex was captured into.
pub const EMPTY_WORD: u32 = 0xa5a5_a5a5;

/// Identification of the buffer.
const BUFFER: BufferKey = BufferKey::Descriptor {
    kind: BufferKind::Feedback,
    set: 0,
    binding: 0,
};

/// Result that is captured for each vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapturedResult {
    /// Semantic.
    pub semantic: Semantic,
    /// Type.
    pub base: BaseType,
    /// Number of components, each of which is a word.
    pub component_count: usize,
}

/// A script that captures the results of a vertex or primitive, and what the simulation expects.
#[derive(Clone, PartialEq, Debug)]
pub struct CaptureScript {
    /// The script.
    pub script: Script,
    /// Subject of the observation of the buffer, whose words are those of the vertices.
    pub subject: String,
    /// Captured results, whose words follow each other in each vertex.
    pub results: Vec<CapturedResult>,
    /// Number of vertices of a primitive.
    pub primitive_size: usize,
    /// Words of the vertices of all primitives in their order. Devices may begin a primitive with
    /// another of its vertices, in the same direction.
    pub vertices: Vec<Vec<u32>>,
}

/// Vertices that a script captures, and the program that computes them.
pub(super) struct CaptureRequest<'a> {
    /// Program whose results are captured.
    pub(super) program: &'a StageProgram,
    /// Primitive that is drawn, and the indices of its vertices.
    pub(super) input: (PrimitiveKind, &'a [i64]),
    /// Number of vertices of the captured primitives, and these vertices in order.
    pub(super) output: (usize, Vec<Rc<VertexResult>>),
}

impl CaptureRequest<'_> {
    /// Builds the script that captures the vertices of the draw of a run, at a line.
    ///
    /// # Errors
    /// If a device would not compute the same, because other draws, stages or numbers change what
    /// the program reads.
    pub(super) fn build_script(
        &self,
        run: &DrawRun<'_, '_>,
        line: u32,
    ) -> Result<CaptureScript, String> {
        if self.program.is_generated() || self.program.ir.modes.passthrough {
            return Err("the program is generated, and its results are not captured".to_owned());
        }
        let results = list_results(self.program);
        if results.is_empty() {
            return Err("the program writes nothing that can be captured".to_owned());
        }
        let (primitive_size, vertices) = &self.output;
        let words = vertices.iter().map(|it| collect_words(it, &results));
        let vertices: Vec<Vec<u32>> = words.collect();
        let mut script = self.prepare_script(run, line)?;
        script.feedback = build_feedback(&results);
        // Space for a primitive more than expected shows devices that emit too many.
        let count = vertices.len() + primitive_size;
        let stride = u64::from(script.feedback.stride(0));
        let buffer = declare_buffer(&mut script, stride * count as u64, line);
        self.append_draw(&mut script, run, (line, buffer))?;
        Ok(CaptureScript {
            script,
            subject: BUFFER.to_string(),
            results,
            primitive_size: *primitive_size,
            vertices,
        })
    }

    /// Returns the script up to the draw, without later stages and without commands that the
    /// captured results do not depend on.
    fn prepare_script(&self, run: &DrawRun<'_, '_>, line: u32) -> Result<Script, String> {
        let mut script = run.state.script.clone();
        let is_draw =
            |step: &ScriptStep| step.line == line && matches!(step.command, Command::Draw(_));
        let end = script.steps.iter().rposition(is_draw).unwrap_or(0);
        script.steps.truncate(end);
        let has_draws = script
            .steps
            .iter()
            .any(|step| matches!(step.command, Command::Draw(_)));
        let has_images = !self.program.ir.images.is_empty();
        if has_draws && (self.program.accesses_shared_memory() || has_images) {
            return Err("earlier draws may change the memory that the program reads".to_owned());
        }
        let stage = self.program.stage();
        let is_later = |other: Stage| {
            let is_between = matches!(
                other,
                Stage::TessControl | Stage::TessEval | Stage::Geometry
            );
            stage == Stage::Vertex && is_between
        };
        script.programs.retain(|section| !is_later(section.stage));
        let alternates = std::mem::take(&mut script.alternates);
        script.steps.retain(|step| {
            let is_removed_program = if let Command::Load { alternate, .. } = step.command {
                let alternate = alternates.get(alternate);
                alternate.is_none_or(|it| is_later(it.program.stage))
            } else {
                false
            };
            !is_removed_program && !is_omitted(&step.command)
        });
        script.alternates = alternates;
        script.requirements.streams = Default::default();
        Ok(script)
    }

    /// Appends the captured draw of the primitive.
    fn append_draw(
        &self,
        script: &mut Script,
        run: &DrawRun<'_, '_>,
        (line, buffer): (u32, BufferId),
    ) -> Result<(), String> {
        if let DrawSource::Rect { position, texcoord } = run.draw.source {
            script.vertex_data = Some(VertexData::rectangle(position, texcoord));
        }
        let (kind, vertices) = self.input;
        let first = script.indices.len() as u32;
        for vertex in vertices {
            let index = u32::try_from(*vertex).map_err(|_| "the vertex has no index")?;
            script.indices.push(index);
        }
        let draw = Draw {
            state: PipelineState {
                rasterizer_discard: true,
                primitive_restart: false,
                ..run.draw.state
            },
            topology: kind.list_topology(),
            assembly: PrimitiveAssembly::Direct,
            source: DrawSource::Indexed {
                first,
                count: vertices.len() as u32,
                vertex_offset: 0,
                width: IndexWidth::U32,
            },
            instances: 1,
            ..*run.draw
        };
        let ty = DataType::parse("uint").ok_or("words have no type")?;
        let data = TypedData {
            ty,
            layout: DataLayout::STD430,
            offset: 0,
            literals: vec![Literal {
                bits: u64::from(EMPTY_WORD),
                notation: LiteralNotation::Bits,
            }],
            repeat_count: 1,
        };
        let commands = [
            Command::BufferFill { buffer, data },
            Command::BeginCapture,
            Command::Draw(Box::new(draw)),
            Command::EndCapture,
        ];
        let steps = commands.map(|command| ScriptStep { line, command });
        script.steps.extend(steps);
        Ok(())
    }
}

/// Returns true for commands that do not change what a program before rasterization computes, or
/// that capture something else.
fn is_omitted(command: &Command) -> bool {
    let is_feedback_binding = if let Command::BindBuffer { target, .. } = command {
        target.kind() == BufferKind::Feedback
    } else {
        false
    };
    is_feedback_binding
        || matches!(
            command,
            Command::Draw(_)
                | Command::Clear(_)
                | Command::BeginCapture
                | Command::EndCapture
                | Command::ProbeCapture { .. }
                | Command::ProbePixels(_)
                | Command::ProbeBuffer { .. }
                | Command::PrintBuffer { .. }
                | Command::SaveImage { .. }
                | Command::TracePixel { .. }
        )
}

/// Returns the results of a program that transform feedback can capture.
fn list_results(program: &StageProgram) -> Vec<CapturedResult> {
    let outputs = program.ir.outputs.iter();
    let written = outputs.filter(|output| program.writes(output.semantic));
    let results = written.filter_map(|output| {
        Some(CapturedResult {
            semantic: output.semantic,
            base: output.base,
            component_count: count_components(output.semantic)?,
        })
    });
    results.collect()
}

/// Returns the number of components of a result; `None` if it is not captured. The size of points
/// depends on the state, too.
fn count_components(semantic: Semantic) -> Option<usize> {
    let has_four = matches!(
        semantic,
        Semantic::Position
            | Semantic::Color(_)
            | Semantic::BackColor(_)
            | Semantic::TexCoord(_)
            | Semantic::GenericVarying(_)
    );
    let has_one = matches!(
        semantic,
        Semantic::FogCoord | Semantic::Layer | Semantic::ViewportIndex | Semantic::ClipDistance(_)
    );
    if has_four {
        return Some(4);
    }
    has_one.then_some(1)
}

/// Returns the words of the results of a vertex.
fn collect_words(vertex: &VertexResult, results: &[CapturedResult]) -> Vec<u32> {
    let words = results.iter().flat_map(|result| {
        let lanes = vertex.find_lanes(result.semantic).unwrap_or_default();
        lanes.into_iter().take(result.component_count)
    });
    words.collect()
}

/// Returns the captures of results, in buffer 0 without gaps.
fn build_feedback(results: &[CapturedResult]) -> TransformFeedback {
    let mut offset = 0;
    let captures = results.iter().map(|result| {
        let capture = Capture {
            semantic: result.semantic,
            first_component: 0,
            component_count: result.component_count as u8,
            buffer: 0,
            offset,
            stream: 0,
        };
        offset += 4 * result.component_count as u32;
        capture
    });
    TransformFeedback {
        captures: captures.collect(),
        strides: Vec::new(),
    }
}

/// Declares the buffer with a size, instead of a buffer of the script with the same binding.
fn declare_buffer(script: &mut Script, size: u64, line: u32) -> BufferId {
    let known = script.buffers.iter().position(|decl| decl.key == BUFFER);
    let index = known.unwrap_or_else(|| {
        script.buffers.push(BufferDecl {
            key: BUFFER,
            size,
            line,
        });
        script.buffers.len() - 1
    });
    script.buffers[index].size = size;
    BufferId(index)
}
