//! Selection of vertices and primitives of a draw.

use super::draw::DrawRun;
use super::invocation::{RunKind, TracedInvocation};
use super::state::SceneState;
use super::vertices::VertexNumber;
use crate::script::{Command, Draw, Script};
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

/// Returns the run of the vertex program for a vertex of the first instance of a draw, and the line
/// of the draw. `vertex` is the index of the vertex, with the offset of the draw.
///
/// # Errors
/// If the script lacks such a draw or vertex.
pub fn find_vertex(
    script: &Script,
    line: Option<u32>,
    vertex: i64,
    step_limit: u64,
) -> Result<(TracedInvocation, u32), String> {
    let (mut state, draw, line) = find_draw(script, line, step_limit)?;
    let run = DrawRun::new(&mut state, draw, step_limit)?;
    let number = VertexNumber {
        index: vertex,
        instance: 0,
    };
    let invocation = TracedInvocation {
        program: Rc::clone(&run.vertex_program),
        index: 0,
        environment: run.vertex_environment(number)?,
        kind: RunKind::Single,
    };
    Ok((invocation, line))
}

/// Returns the run of the geometry program for a primitive of the first instance of a draw, and the
/// line of the draw.
///
/// # Errors
/// If the script lacks such a draw, primitive or program.
pub fn find_primitive(
    script: &Script,
    line: Option<u32>,
    primitive: u32,
    step_limit: u64,
) -> Result<(TracedInvocation, u32), String> {
    let (mut state, draw, line) = find_draw(script, line, step_limit)?;
    let mut run = DrawRun::new(&mut state, draw, step_limit)?;
    let program = run.geometry_program.clone();
    let program =
        program.ok_or("there is no geometry program, and only these run for primitives")?;
    let list = run.list_primitives()?;
    let vertices = list.iter().nth(primitive as usize);
    let vertices = vertices.ok_or_else(|| format!("the draw has no primitive {primitive}"))?;
    let vertices = run.process_primitive(vertices, 0)?;
    let invocation = TracedInvocation {
        environment: run.geometry_environment(&program, &vertices, primitive),
        program,
        index: 0,
        kind: RunKind::Primitive,
    };
    Ok((invocation, line))
}
