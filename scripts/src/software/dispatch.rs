//! Dispatches of compute programs and vertex state programs.

use super::environment::ProgramEnvironment;
use super::invocation::{RunKind, TracedInvocation};
use super::programs::StageProgram;
use super::state::SceneState;
use crate::observation::Observation;
use crate::script::{
    BufferId, Command, GroupCount, ParamBank, ParamType, Script, StateProgramOutcome,
};
use glasm::ir::interp::Interpreter;
use glasm::ir::{BufferKind, Semantic, Stage};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Invocations that a simulated dispatch can have at most.
const MAX_INVOCATIONS: u64 = 1 << 16;

/// Steps that all invocations of a simulated dispatch can have together at most.
const MAX_STEPS: u64 = 1 << 26;

/// Selection of an invocation of a compute program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ComputeSelection {
    /// Global index of the invocation.
    pub invocation: [u32; 3],
    /// Line of the dispatch; `None` selects the last one.
    pub line: Option<u32>,
    /// Maximum number of steps of each invocation.
    pub step_limit: u64,
}

/// An invocation of a compute program.
#[derive(Clone, Debug)]
pub struct LocatedInvocation {
    /// The invocation.
    pub invocation: TracedInvocation,
    /// Line of the dispatch.
    pub line: u32,
    /// What the simulation leaves out, in words.
    pub limitations: BTreeSet<String>,
    /// Contents of all buffers and images of the script after the whole dispatch, or the reason why
    /// they are unknown.
    pub buffers: Result<Vec<Observation>, String>,
}

/// A dispatch with its program.
struct Dispatch {
    program: Rc<StageProgram>,
    groups: [u32; 3],
}

impl Dispatch {
    /// Returns the number of invocations.
    fn count_invocations(&self) -> u64 {
        let size = self.program.ir.modes.workgroup_size;
        let sides = self.groups.into_iter().chain(size.map(|side| side.max(1)));
        sides.fold(1, |count: u64, side| count.saturating_mul(u64::from(side)))
    }
}

impl SceneState<'_> {
    /// Executes a dispatch or a vertex state program completely; does nothing for other commands.
    ///
    /// # Errors
    /// Without a program, or if the dispatch is too large, or an invocation exceeds the step limit.
    pub(super) fn run_compute(&mut self, command: &Command, step_limit: u64) -> Result<(), String> {
        if let Command::StateProgram {
            argument,
            outcome: StateProgramOutcome::Writes,
            ..
        } = command
        {
            return self.run_state_program(*argument, step_limit);
        }
        let Some(dispatch) = self.find_dispatch(command)? else {
            return Ok(());
        };
        let count = dispatch.count_invocations();
        if count > MAX_INVOCATIONS {
            return Err(format!(
                "the dispatch has more than {MAX_INVOCATIONS} invocations"
            ));
        }
        let program = dispatch.program;
        let mut environment = self.build_dispatch_environment(&program, dispatch.groups);
        let mut interpreter = Interpreter::new(&program.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = step_limit.min(MAX_STEPS / count.max(1));
        let [width, height, depth] = dispatch.groups;
        for index in 0..width * height * depth {
            let group = [
                index % width,
                index / width % height,
                index / width / height,
            ];
            clear_shared_memory(&program, &mut environment);
            let result = interpreter.run_work_group(&mut environment, group, &mut |_| 0);
            result.map_err(|error| error.to_string())?;
        }
        self.store_results(&program, &environment);
        Ok(())
    }

    /// Returns the dispatch of a command with its program; `None` for other commands.
    fn find_dispatch(&mut self, command: &Command) -> Result<Option<Dispatch>, String> {
        let Command::Compute { groups, size, .. } = command else {
            return Ok(None);
        };
        let program = self.find_program(Stage::Compute)?;
        let mut program = program.ok_or("there is no compute program")?;
        if program.ir.modes.workgroup_size == [0; 3] {
            let mut sized = StageProgram::clone(&program);
            sized.ir.modes.workgroup_size = size.unwrap_or([1; 3]);
            program = Rc::new(sized);
        }
        let groups = match groups {
            GroupCount::Direct(counts) => *counts,
            GroupCount::Indirect(range) => {
                let bytes = &self.buffers[range.buffer.0];
                let start = range.offset as usize;
                let words = bytes.get(start..).unwrap_or_default().as_chunks::<4>().0;
                std::array::from_fn(|axis| words.get(axis).map_or(0, |it| u32::from_le_bytes(*it)))
            }
        };
        Ok(Some(Dispatch { program, groups }))
    }

    /// Returns the environment of the work groups of a dispatch.
    fn build_dispatch_environment(
        &self,
        program: &StageProgram,
        groups: [u32; 3],
    ) -> ProgramEnvironment {
        let size = program.ir.modes.workgroup_size;
        let vector = |[x, y, z]: [u32; 3]| [x, y, z, 1].map(u64::from);
        let inputs = program.ir.inputs.iter().map(|input| {
            if input.semantic == Semantic::WorkgroupCount {
                vector(groups)
            } else if input.semantic == Semantic::WorkgroupSize {
                vector(size)
            } else {
                [0; 4]
            }
        });
        ProgramEnvironment {
            inputs: inputs.collect(),
            ..self.build_environment(program)
        }
    }

    /// Executes the current vertex state program: the parameters that it writes get its results.
    fn run_state_program(&mut self, argument: [u32; 4], step_limit: u64) -> Result<(), String> {
        let program = self.find_program(Stage::Compute)?;
        let program = program.ok_or("there is no vertex state program")?;
        self.params.state_program_argument = argument;
        let mut environment = self.build_environment(&program);
        let before = environment.memory.clone();
        let mut interpreter = Interpreter::new(&program.ir).map_err(|_| "invalid program")?;
        interpreter.step_limit = step_limit;
        let result = interpreter.run_main(&mut environment);
        result.map_err(|error| error.to_string())?;
        let buffers = program.ir.buffers.iter();
        let mut buffers = buffers.zip(before.buffers.iter().zip(&environment.memory.buffers));
        let found = buffers.find(|(it, _)| it.kind == BufferKind::VertexStateParameters);
        let Some((_, ([old, ..], [new, ..]))) = found.map(|(it, (a, b))| (it, (&a[..], &b[..])))
        else {
            return Ok(());
        };
        let (old, new) = (old.as_chunks::<16>().0, new.as_chunks::<16>().0);
        for (index, (old, new)) in (0..).zip(old.iter().zip(new)) {
            if old != new {
                let word = |lane: usize| std::array::from_fn(|byte| new[4 * lane + byte]);
                let words = std::array::from_fn(|lane| u32::from_le_bytes(word(lane)));
                let ty = Some(ParamType::Float);
                self.params
                    .set(ParamBank::Env, Stage::Vertex, index, words, ty);
            }
        }
        Ok(())
    }
}

/// Sets the shared memory of a program to 0, which is its content at the start of a work group.
fn clear_shared_memory(program: &StageProgram, environment: &mut ProgramEnvironment) {
    let buffers = program.ir.buffers.iter();
    for (buffer, elements) in buffers.zip(&mut environment.memory.buffers) {
        if buffer.kind == BufferKind::Shared {
            elements.iter_mut().for_each(|bytes| bytes.fill(0));
        }
    }
}

/// Returns an invocation of a compute program with the work group that it belongs to. It runs with
/// the contents that buffers have before the dispatch.
///
/// # Errors
/// If the script lacks such a dispatch or invocation.
pub fn find_invocation(
    script: &Script,
    selection: &ComputeSelection,
) -> Result<LocatedInvocation, String> {
    let is_selected = |line: u32| selection.line.is_none_or(|wanted| wanted == line);
    let is_dispatch = |command: &Command| matches!(command, Command::Compute { .. });
    let position = script
        .steps
        .iter()
        .rposition(|step| is_dispatch(&step.command) && is_selected(step.line));
    let position = position.ok_or("there is no such dispatch")?;
    let mut state = SceneState::new(script);
    for step in &script.steps[..position] {
        let located = |error| format!("line {}: {error}", step.line);
        state.apply(&step.command).map_err(located)?;
        state
            .run_compute(&step.command, selection.step_limit)
            .map_err(located)?;
    }
    let step = &script.steps[position];
    state.apply(&step.command)?;
    let dispatch = state.find_dispatch(&step.command)?;
    let Dispatch { program, groups } = dispatch.ok_or("there is no such dispatch")?;
    let size = program.ir.modes.workgroup_size.map(|side| side.max(1));
    let group: [u32; 3] = std::array::from_fn(|axis| selection.invocation[axis] / size[axis]);
    let local: [u32; 3] = std::array::from_fn(|axis| selection.invocation[axis] % size[axis]);
    if group
        .iter()
        .zip(groups)
        .any(|(index, count)| *index >= count)
    {
        let total: [u64; 3] =
            std::array::from_fn(|axis| u64::from(groups[axis]) * u64::from(size[axis]));
        return Err(format!(
            "the dispatch has {} x {} x {} invocations",
            total[0], total[1], total[2]
        ));
    }
    let invocation = TracedInvocation {
        environment: state.build_dispatch_environment(&program, groups),
        program,
        index: (local[0] + size[0] * (local[1] + size[1] * local[2])) as usize,
        kind: RunKind::Group(group),
    };
    let limitations = invocation.program.list_notes();
    let limitations = limitations.map(str::to_owned).collect();
    let finished = state.run_compute(&step.command, selection.step_limit);
    let buffers = finished.map(|()| {
        let contents = state.buffers.iter().enumerate();
        let buffers = contents
            .map(|(number, bytes)| Observation::from_buffer(script, BufferId(number), bytes));
        buffers.chain(state.images.observe()).collect()
    });
    Ok(LocatedInvocation {
        invocation,
        line: step.line,
        limitations,
        buffers,
    })
}
