//! Parameters on their way to programs: uniform blocks, tracked matrices, state programs.

use crate::commands::INVALID_OPERATION;
use crate::context::{Bound, Groups, State};
use crate::log;
use crate::objects::{Bits, Contents, Program};
use crate::reader::{self, Needs};
use crate::target::{TARGETS, Target};
use glasm::ParamSource;
use glasm::ir::interp::{Environment, Interpreter};
use glasm::ir::{BufferKind, interp::ProgramMemory};
use glasm::reflect::NamedParameter;
use glasm::state::GlState;
use std::sync::Arc;

/// Parameters that can track matrices: NV_vertex_program has 96.
pub(crate) const TRACKING: u32 = 96;

/// Uniform block of a stage.
#[derive(Debug)]
pub(crate) struct Block {
    /// Target of its environment parameters; `None` for stages that are generated from GL's state.
    pub(crate) target: Option<Target>,
    /// Program whose local parameters it reads.
    pub(crate) program: Option<Arc<Program>>,
    /// Binding of the uniform buffer.
    pub(crate) binding: u32,
    /// Source of each vector.
    pub(crate) slots: Vec<ParamSource>,
    /// Parameters with names.
    pub(crate) named: Vec<NamedParameter>,
    /// Versions of the values of its bytes, and the location of these.
    pub(crate) written: Option<(Versions, Location)>,
}

/// Location of the bytes of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Location {
    /// Name and serial number of the buffer.
    pub(crate) buffer: (u32, u32),
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// Versions of the values that a block contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Versions {
    pub(crate) locals: u64,
    pub(crate) env: u64,
    pub(crate) state: u64,
}

impl Block {
    /// Returns the current versions of its values.
    pub(crate) fn versions(&self, bound: &[Bound; TARGETS.len()], state: u64) -> Versions {
        let program = self.program.as_ref();
        Versions {
            locals: program.map_or(0, |it| it.parameters_version()),
            env: self.target.map_or(0, |it| bound[it as usize].env_version),
            state,
        }
    }

    /// Appends its bytes.
    pub(crate) fn fill(&self, bound: Option<&Bound>, gl: &GlState, bytes: &mut Vec<u8>) {
        let contents = self.program.as_ref().map(|it| it.contents());
        let sources = self.sources(contents.as_deref(), bound, gl);
        for slot in &self.slots {
            let value = sources.value(*slot);
            bytes.extend(value.into_iter().flat_map(u32::to_ne_bytes));
        }
    }

    /// Returns the value of one of its vectors.
    pub(crate) fn value(&self, bound: Option<&Bound>, gl: &GlState, slot: ParamSource) -> Bits {
        let contents = self.program.as_ref().map(|it| it.contents());
        self.sources(contents.as_deref(), bound, gl).value(slot)
    }

    fn sources<'a>(
        &'a self,
        contents: Option<&'a Contents>,
        bound: Option<&'a Bound>,
        gl: &'a GlState,
    ) -> Sources<'a> {
        Sources {
            tracks: self.target == Some(Target::Vertex),
            contents,
            named: &self.named,
            bound,
            gl,
        }
    }
}

/// Sources of the parameters of a stage.
pub(crate) struct Sources<'a> {
    /// True if its environment parameters may track matrices: those of vertex programs.
    pub(crate) tracks: bool,
    /// Contents of the program, if there is one.
    pub(crate) contents: Option<&'a Contents>,
    /// Parameters with names.
    pub(crate) named: &'a [NamedParameter],
    /// State of its target in the context.
    pub(crate) bound: Option<&'a Bound>,
    pub(crate) gl: &'a GlState,
}

impl Sources<'_> {
    /// Returns the value of a vector.
    pub(crate) fn value(&self, slot: ParamSource) -> Bits {
        let element =
            |list: &[Bits], index: u32| list.get(index as usize).copied().unwrap_or([0; 4]);
        match slot {
            ParamSource::Env(index) => self
                .tracked(index)
                .unwrap_or_else(|| self.bound.map_or([0; 4], |it| element(&it.env, index))),
            ParamSource::Local(index) => self
                .contents
                .map_or([0; 4], |it| element(&it.locals, index)),
            ParamSource::Subroutine(index) => {
                let chosen = self
                    .contents
                    .and_then(|it| it.subroutines.get(index as usize));
                [chosen.copied().unwrap_or(0), 0, 0, 0]
            }
            ParamSource::State(param) => self.gl.evaluate(param).map(f32::to_bits),
            ParamSource::Literal(bits) => bits,
            ParamSource::Named(index) => self.named.get(index as usize).map_or([0; 4], |it| {
                let named = self.contents.map_or(&[][..], |it| &it.named);
                let set = named.iter().find(|(name, _)| *name == it.name);
                set.map_or(it.initial, |(_, value)| *value)
            }),
            ParamSource::Argument => [0; 4],
        }
    }

    fn tracked(&self, index: u32) -> Option<Bits> {
        if !self.tracks || index >= TRACKING || self.gl.tracked.is_empty() {
            return None;
        }
        self.gl.tracked_row(index).map(|row| row.map(f32::to_bits))
    }
}

/// Reads the matrix that four parameters track, if they do.
pub(crate) fn read_tracked(state: &mut State, address: u32) {
    let mut needs = Needs::default();
    needs.add_tracking(&state.gl, address);
    reader::refresh(&mut state.gl, &needs, Groups::MATRIX);
}

/// Returns a parameter of a target's environment as the application sees it, tracked matrices
/// included.
pub(crate) fn env(state: &mut State, target: Target, index: u32) -> Bits {
    if target == Target::Vertex && index < TRACKING && state.gl.tracking(index).is_some() {
        read_tracked(state, index);
        if let Some(row) = state.gl.tracked_row(index) {
            return row.map(f32::to_bits);
        }
    }
    let set = state.bound(target).env.get(index as usize);
    set.copied().unwrap_or([0; 4])
}

/// Executes `ExecuteProgramNV`: runs a state program once. NV_vertex_program section 2.14.4.
pub(crate) fn execute_state_program(state: &mut State, name: u32, argument: [f32; 4]) {
    let Some(program) = state.shared().find(name) else {
        return state.fail(INVALID_OPERATION);
    };
    let Some(loaded) = program.loaded() else {
        return state.fail(INVALID_OPERATION);
    };
    let written = loaded
        .compile(&glasm::Options::default())
        .ok()
        .and_then(|it| it.reflection.state_program);
    let Some(written) = written.map(|it| it.written) else {
        return state.fail(INVALID_OPERATION);
    };
    if written
        .iter()
        .any(|&index| state.gl.tracking(index).is_some())
    {
        return state.fail(INVALID_OPERATION);
    }
    let parameters: Vec<u8> = (0..TRACKING)
        .flat_map(|index| env(state, Target::Vertex, index))
        .flat_map(u32::to_le_bytes)
        .collect();
    match run(loaded.ir(), argument, &parameters) {
        Some(bytes) => {
            let vectors: Vec<Bits> = bytes
                .chunks_exact(16)
                .map(|vector| {
                    std::array::from_fn(|n| {
                        u32::from_le_bytes(std::array::from_fn(|b| vector[4 * n + b]))
                    })
                })
                .collect();
            for index in written {
                let value = vectors.get(index as usize).copied().unwrap_or([0; 4]);
                let number = Target::Vertex.row().number;
                crate::commands::execute(
                    state,
                    &crate::commands::Command::Env(number, index, vec![value]),
                );
            }
        }
        None => log::error(format_args!("program {name} is no state program that ends")),
    }
}

fn run(program: &glasm::ir::Program, argument: [f32; 4], parameters: &[u8]) -> Option<Vec<u8>> {
    let buffer = program
        .buffers
        .iter()
        .position(|it| it.kind == BufferKind::State)?;
    let mut environment = Environment {
        params: program
            .params
            .iter()
            .map(|param| match param.source {
                ParamSource::Argument => argument.map(f32::to_bits),
                ParamSource::Literal(bits) => bits,
                ParamSource::Env(_)
                | ParamSource::Local(_)
                | ParamSource::Subroutine(_)
                | ParamSource::State(_)
                | ParamSource::Named(_) => [0; 4],
            })
            .collect(),
        memory: ProgramMemory {
            buffers: program
                .buffers
                .iter()
                .map(|_| vec![parameters.to_vec()])
                .collect(),
            ..ProgramMemory::default()
        },
        ..Environment::default()
    };
    Interpreter::new(program).ok()?.run(&mut environment).ok()?;
    environment.memory.buffers.swap_remove(buffer).pop()
}
