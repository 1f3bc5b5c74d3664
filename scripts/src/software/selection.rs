//! Selection of vertices and primitives of a draw.

use super::capture::{CaptureRequest, CaptureScript};
use super::draw::DrawRun;
use super::invocation::{RunKind, TracedInvocation};
use super::patches::StageInputs;
use super::primitives::PrimitiveKind;
use super::programs::StageProgram;
use super::state::SceneState;
use super::vertices::{VertexNumber, VertexResult};
use crate::script::{Command, Draw, DrawSource, Script};
use glasm::ir::{Semantic, Stage};
use std::rc::Rc;

/// Returns the state before a draw, and the draw: that of a line, or the last one of the script.
fn find_draw<'s>(
    script: &'s Script,
    line: Option<u32>,
    step_limit: u64,
) -> Result<(SceneState<'s>, &'s Draw, u32), String> {
    let is_selected = |own: u32| line.is_none_or(|line| line == own);
    let mut draws = script
        .steps
        .iter()
        .enumerate()
        .filter_map(|(number, step)| {
            if let Command::Draw(draw) = &step.command {
                is_selected(step.line).then_some((number, &**draw, step.line))
            } else {
                None
            }
        });
    let (number, draw, line) = draws.next_back().ok_or("there is no such draw")?;
    let mut state = SceneState::new(script);
    for step in &script.steps[..=number] {
        let located = |error| format!("line {}: {error}", step.line);
        state.apply(&step.command).map_err(located)?;
        state
            .run_compute(&step.command, step_limit)
            .map_err(located)?;
    }
    state.begin_draw(draw);
    Ok((state, draw, line))
}

/// An invocation of a program before rasterization.
#[derive(Clone, Debug)]
pub struct LocatedVertices {
    /// The invocation.
    pub invocation: TracedInvocation,
    /// Line of the draw.
    pub line: u32,
    /// Script that captures its results on a device, or the reason why there is none.
    pub capture: Result<Box<CaptureScript>, String>,
}

/// Returns the run of the vertex program for a vertex of the first instance of a draw. `vertex` is
/// the index of the vertex, with the offset of the draw.
///
/// # Errors
/// If the script lacks such a draw or vertex.
pub fn find_vertex(
    script: &Script,
    line: Option<u32>,
    vertex: i64,
    step_limit: u64,
) -> Result<LocatedVertices, String> {
    let (mut state, draw, line) = find_draw(script, line, step_limit)?;
    let mut run = DrawRun::new(&mut state, draw, step_limit)?;
    let number = VertexNumber {
        index: vertex,
        instance: 0,
    };
    let program = Rc::clone(&run.vertex_program);
    let invocation = TracedInvocation {
        program: Rc::clone(&program),
        index: 0,
        environment: run.vertex_environment(number)?,
        kind: RunKind::Single,
    };
    Ok(LocatedVertices {
        invocation,
        line,
        capture: capture_vertex(&mut run, &program, number, line).map(Box::new),
    })
}

/// Returns the script that captures a vertex of a draw at a line.
fn capture_vertex(
    run: &mut DrawRun<'_, '_>,
    program: &StageProgram,
    vertex: VertexNumber,
    line: u32,
) -> Result<CaptureScript, String> {
    let base = match run.draw.source {
        DrawSource::Rect { .. } => 0,
        DrawSource::Arrays { first, .. } => i64::from(first),
        DrawSource::Indexed { vertex_offset, .. } => i64::from(vertex_offset),
    };
    if base != 0 && program.reads(Semantic::BaseVertex) {
        return Err("the program reads the first vertex of the draw".to_owned());
    }
    let mut result = VertexResult::clone(&*run.process_primitive(&[vertex.index], 0)?[0]);
    // Without the later stages the colors of this one are clamped.
    if run.state.script.requirements.fixed.clamp_vertex_colors {
        result.clamp_colors();
    }
    let request = CaptureRequest {
        program,
        input: (PrimitiveKind::Points, &[vertex.index]),
        output: (1, vec![Rc::new(result)]),
    };
    request.build_script(run, line)
}

/// Returns the run of the geometry program for a primitive of the first instance of a draw, or of
/// the tessellation control program for a patch, whose first invocation is traced.
///
/// # Errors
/// If the script lacks such a draw, primitive or program.
pub fn find_primitive(
    script: &Script,
    line: Option<u32>,
    primitive: u32,
    step_limit: u64,
) -> Result<LocatedVertices, String> {
    let (mut state, draw, line) = find_draw(script, line, step_limit)?;
    let mut run = DrawRun::new(&mut state, draw, step_limit)?;
    let list = run.list_primitives()?;
    let indices = list.iter().nth(primitive as usize);
    let indices = indices.ok_or_else(|| format!("the draw has no primitive {primitive}"))?;
    let vertices = run.process_primitive(indices, 0)?;
    let (program, kind) = match (&run.geometry_program, &run.control_program) {
        (Some(program), _) if run.evaluation_program.is_none() => (program, RunKind::Primitive),
        (_, Some(program)) => (program, RunKind::Patch),
        (Some(_), None) => {
            return Err(
                "primitives of geometry programs after tessellation have no number".to_owned(),
            );
        }
        (None, None) => {
            return Err(
                "there is no geometry or tessellation control program, and only these run \
                 for primitives"
                    .to_owned(),
            );
        }
    };
    let program = Rc::clone(program);
    let inputs = StageInputs::new(&vertices, primitive);
    let invocation = TracedInvocation {
        environment: run.stage_environment(&program, &inputs),
        program: Rc::clone(&program),
        index: 0,
        kind,
    };
    let capture = if program.stage() == Stage::TessControl {
        Err("results of tessellation control programs are not captured".to_owned())
    } else if primitive != 0 && program.reads(Semantic::PrimitiveId) {
        Err("the program reads the number of the primitive".to_owned())
    } else {
        let emitted = run.run_geometry(&program, &vertices, primitive);
        emitted.and_then(|(kind, emitted)| {
            let request = CaptureRequest {
                program: &program,
                input: (list.kind, indices),
                output: (kind.vertex_count(), emitted.concat()),
            };
            request.build_script(&run, line)
        })
    };
    Ok(LocatedVertices {
        invocation,
        line,
        capture: capture.map(Box::new),
    })
}
