//! Parameters on their way to programs: uniform blocks, tracked matrices, state programs, and
//! parameter buffers (NV_parameter_buffer_object).

use crate::context::{State, StateGroups, TargetState};
use crate::ffi::{driver, driver_state};
use crate::log;
use crate::program_commands::{INVALID_ENUM, INVALID_OPERATION, INVALID_VALUE};
use crate::share_group::{Program, ProgramContents, VectorBits};
use crate::state_snapshot::{self, RequiredState};
use crate::target::{TARGETS, Target};
use glasm::ParamSource;
use glasm::ir::BufferKind;
use glasm::ir::interp::{Environment, Interpreter, ProgramMemory};
use glasm::reflect::NamedParameter;
use glasm::state::GlState;
use std::sync::Arc;

/// Parameters that can track matrices: NV_vertex_program has 96.
pub(crate) const TRACKING_PARAMETERS: u32 = 96;

/// Uniform block of a stage.
#[derive(Debug)]
pub(crate) struct UniformBlock {
    /// Target of its environment parameters; `None` for stages that are generated from GL's state.
    pub(crate) target: Option<Target>,
    /// Program whose local parameters it reads.
    pub(crate) program: Option<Arc<Program>>,
    /// Binding of the uniform buffer.
    pub(crate) binding: u32,
    /// Source of each vector.
    pub(crate) sources: Vec<ParamSource>,
    /// Parameters with names.
    pub(crate) named_parameters: Vec<NamedParameter>,
    /// Versions of the values of its bytes, and the location of these.
    pub(crate) last_written: Option<(ParameterVersions, BlockLocation)>,
}

/// Location of the bytes of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BlockLocation {
    /// Name and serial number of the buffer.
    pub(crate) buffer: (u32, u32),
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// Versions of the values that a block contains.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ParameterVersions {
    pub(crate) local_version: u64,
    pub(crate) env_version: u64,
    pub(crate) state_version: u64,
}

impl UniformBlock {
    /// Returns the versions of all parameters that the block depends on; if they are equal to
    /// earlier ones, its values are unchanged. `state` is the version of the GL state that was
    /// read.
    pub(crate) fn current_versions(
        &self,
        targets: &[TargetState; TARGETS.len()],
        state: u64,
    ) -> ParameterVersions {
        let program = self.program.as_ref();
        ParameterVersions {
            local_version: program.map_or(0, |it| it.parameters_version()),
            env_version: self.target.map_or(0, |it| targets[it as usize].env_version),
            state_version: state,
        }
    }

    /// Appends the current values of all vectors of the block, 16 bytes each in native byte order,
    /// as the uniform buffer contains them. `target_state` has the environment parameters; `None`
    /// makes them 0.
    pub(crate) fn append_bytes(
        &self,
        target_state: Option<&TargetState>,
        gl: &GlState,
        bytes: &mut Vec<u8>,
    ) {
        let contents = self.program.as_ref().map(|it| it.contents());
        let sources = self.sources(contents.as_deref(), target_state, gl);
        for slot in &self.sources {
            let value = sources.source_value(*slot);
            bytes.extend(value.into_iter().flat_map(u32::to_ne_bytes));
        }
    }

    /// Returns the bits of one vector of the block, for the scripts that the log writes; zeros for
    /// parameters that were never set.
    pub(crate) fn source_value(
        &self,
        target_state: Option<&TargetState>,
        gl: &GlState,
        slot: ParamSource,
    ) -> VectorBits {
        let contents = self.program.as_ref().map(|it| it.contents());
        self.sources(contents.as_deref(), target_state, gl)
            .source_value(slot)
    }

    /// Returns the sources of the values of the block's parameters. `contents` are those of its
    /// program, `bound` is the state of its target; without them the values are zeros.
    fn sources<'a>(
        &'a self,
        contents: Option<&'a ProgramContents>,
        bound: Option<&'a TargetState>,
        gl: &'a GlState,
    ) -> ParameterSources<'a> {
        ParameterSources {
            may_track_matrices: self.target == Some(Target::Vertex),
            contents,
            named_parameters: &self.named_parameters,
            target_state: bound,
            gl,
        }
    }
}

/// Sources of the parameters of a stage.
pub(crate) struct ParameterSources<'a> {
    /// True if its environment parameters may track matrices: those of vertex programs.
    pub(crate) may_track_matrices: bool,
    /// Contents of the program, if there is one.
    pub(crate) contents: Option<&'a ProgramContents>,
    /// Parameters with names.
    pub(crate) named_parameters: &'a [NamedParameter],
    /// State of its target in the context.
    pub(crate) target_state: Option<&'a TargetState>,
    pub(crate) gl: &'a GlState,
}

impl ParameterSources<'_> {
    /// Returns the bits of the vector that a source denotes; zeros for parameters that were never
    /// set.
    pub(crate) fn source_value(&self, slot: ParamSource) -> VectorBits {
        let element =
            |list: &[VectorBits], index: u32| list.get(index as usize).copied().unwrap_or([0; 4]);
        match slot {
            ParamSource::Env(index) => self.tracked_value(index).unwrap_or_else(|| {
                self.target_state
                    .map_or([0; 4], |it| element(&it.env_parameters, index))
            }),
            ParamSource::Local(index) => self
                .contents
                .map_or([0; 4], |it| element(&it.local_parameters, index)),
            ParamSource::Subroutine(index) => {
                let chosen = self
                    .contents
                    .and_then(|it| it.subroutines.get(index as usize));
                [chosen.copied().unwrap_or(0), 0, 0, 0]
            }
            ParamSource::State(param) => self.gl.evaluate_param(param).map(f32::to_bits),
            ParamSource::Literal(bits) => bits,
            ParamSource::Named(index) => {
                self.named_parameters
                    .get(index as usize)
                    .map_or([0; 4], |it| {
                        let named = self.contents.map_or(&[][..], |it| &it.named_parameters);
                        let set = named.iter().find(|(name, _)| *name == it.name);
                        set.map_or(it.initial_bits, |(_, value)| *value)
                    })
            }
            ParamSource::Argument => [0; 4],
        }
    }

    /// Returns the bits of an environment parameter that tracks a matrix (`TrackMatrixNV`), from
    /// the matrices that were read last; `None` if it tracks none or the stage is not that of
    /// vertex programs.
    fn tracked_value(&self, index: u32) -> Option<VectorBits> {
        if !self.may_track_matrices || index >= TRACKING_PARAMETERS || self.gl.tracked.is_empty() {
            return None;
        }
        self.gl
            .get_tracked_row(index)
            .map(|row| row.map(f32::to_bits))
    }
}

/// Reads the matrix that the parameter at `address` tracks from the driver into the GL state. Does
/// nothing if it tracks none.
pub(crate) fn read_tracked_matrix(state: &mut State, address: u32) {
    let mut needs = RequiredState::default();
    needs.add_tracking(&state.gl, address);
    state_snapshot::read_changed_state(&mut state.gl, &needs, StateGroups::MATRIX);
}

/// Returns an environment parameter of a target as the application sees it: that of the tracked
/// matrix, which is read from the driver, otherwise the value that was set, or zeros.
pub(crate) fn env_parameter_value(state: &mut State, target: Target, index: u32) -> VectorBits {
    if target == Target::Vertex
        && index < TRACKING_PARAMETERS
        && state.gl.get_tracking(index).is_some()
    {
        read_tracked_matrix(state, index);
        if let Some(row) = state.gl.get_tracked_row(index) {
            return row.map(f32::to_bits);
        }
    }
    let set = state
        .target_state(target)
        .env_parameters
        .get(index as usize);
    set.copied().unwrap_or([0; 4])
}

/// Executes `ExecuteProgramNV`: runs a state program once on the CPU and sets the environment
/// parameters of the vertex target that it writes. Records `GL_INVALID_OPERATION` if `name` is not
/// that of a loaded state program, or if it writes a parameter that tracks a matrix; logs an error
/// if it does not end. NV_vertex_program section 2.14.4.
pub(crate) fn execute_state_program(state: &mut State, name: u32, argument: [f32; 4]) {
    let Some(program) = state.lock_share_group().find_program(name) else {
        return state.record_error(INVALID_OPERATION);
    };
    let Some(loaded) = program.load_translated() else {
        return state.record_error(INVALID_OPERATION);
    };
    let written = loaded
        .compile(&glasm::Options::default())
        .ok()
        .and_then(|it| it.reflection.state_program);
    let Some(written) = written.map(|it| it.written_parameters) else {
        return state.record_error(INVALID_OPERATION);
    };
    if written
        .iter()
        .any(|&index| state.gl.get_tracking(index).is_some())
    {
        return state.record_error(INVALID_OPERATION);
    }
    let parameters: Vec<u8> = (0..TRACKING_PARAMETERS)
        .flat_map(|index| env_parameter_value(state, Target::Vertex, index))
        .flat_map(u32::to_le_bytes)
        .collect();
    match interpret_state_program(loaded.ir(), argument, &parameters) {
        Some(bytes) => {
            let vectors: Vec<VectorBits> = bytes
                .chunks_exact(16)
                .map(|vector| {
                    std::array::from_fn(|n| {
                        u32::from_le_bytes(std::array::from_fn(|b| vector[4 * n + b]))
                    })
                })
                .collect();
            for index in written {
                let value = vectors.get(index as usize).copied().unwrap_or([0; 4]);
                let number = Target::Vertex.properties().enumerant;
                crate::program_commands::execute_command(
                    state,
                    &crate::program_commands::Command::Env(number, index, vec![value]),
                );
            }
        }
        None => log::error(format_args!("program {name} is no state program that ends")),
    }
}

/// Interprets a vertex state program with an argument. `parameters` are the bytes of the
/// environment parameters before, 16 each in little-endian order, the result those after. `None` if
/// the program is not a state program or does not end.
fn interpret_state_program(
    program: &glasm::ir::Program,
    argument: [f32; 4],
    parameters: &[u8],
) -> Option<Vec<u8>> {
    let buffer = program
        .buffers
        .iter()
        .position(|it| it.kind == BufferKind::VertexStateParameters)?;
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
    Interpreter::new(program)
        .ok()?
        .run_main(&mut environment)
        .ok()?;
    environment.memory.buffers.swap_remove(buffer).pop()
}

/// Bindings of a target: MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV.
pub(crate) const MAX_BUFFER_BINDINGS: u32 = 14;

/// Words of a buffer that programs see: MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV.
pub(crate) const MAX_BUFFER_WORDS: i32 = 16_384;

/// Buffer range of a binding.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct BufferBinding {
    /// Buffer; 0 for none.
    pub(crate) buffer: u32,
    /// Number of bytes from the first on; `None` for all.
    pub(crate) size: Option<usize>,
}

/// Executes `BindBufferRange` and similar commands for a binding of a target and for its generic
/// binding: `range` is the byte offset, which must be 0, and the size, `None` for all of the
/// buffer. Records `GL_INVALID_VALUE` for an index beyond the limit, another offset, or a size that
/// is not a positive multiple of 4.
pub(crate) fn bind_parameter_buffer(
    state: &mut State,
    target: Target,
    index: u32,
    buffer: u32,
    range: Option<(isize, Option<isize>)>,
) {
    let size = range.and_then(|(_, size)| size);
    let offset = range.map_or(0, |(offset, _)| offset);
    // Ranges begin with the buffer, and have whole words: NV_parameter_buffer_object section 2.9.
    let is_valid = index < MAX_BUFFER_BINDINGS
        && offset == 0
        && size.is_none_or(|size| size > 0 && size % 4 == 0);
    if !is_valid {
        return state.record_error(INVALID_VALUE);
    }
    state.bound_buffers[target as usize] = buffer;
    state.buffers[target as usize][index as usize] = BufferBinding {
        buffer,
        size: size.map(|size| size as usize),
    };
}

/// Checks the arguments of `ProgramBufferParameters` before words are read:
/// NV_parameter_buffer_object, "Errors". Returns the buffer of the binding. `None` after recording
/// `GL_INVALID_ENUM` for an unknown target, `GL_INVALID_VALUE` for an index or a range beyond the
/// limits or the buffer, `GL_INVALID_OPERATION` if no buffer is bound.
pub(crate) fn check_words(
    state: &mut State,
    target_enum: u32,
    index: u32,
    first: u32,
    count: i32,
) -> Option<u32> {
    let target = Target::from_buffer_enumerant(target_enum);
    let binding = target.map(|it| state.buffers[it as usize].get(index as usize).copied());
    let error = match binding {
        None => INVALID_ENUM,
        Some(None) => INVALID_VALUE,
        Some(Some(binding)) if binding.buffer == 0 => INVALID_OPERATION,
        Some(Some(binding)) => {
            let bound = driver_state::integer(0x8A28) as u32;
            let bytes = driver_state::buffer_size(0x8A11, binding.buffer);
            driver::BindBuffer(0x8A11, bound);
            let words = u64::try_from(bytes).unwrap_or(0) / 4;
            let end = u64::try_from(count).map(|count| u64::from(first) + count);
            match end {
                Ok(end) if end <= words.min(MAX_BUFFER_WORDS as u64) => {
                    return Some(binding.buffer);
                }
                Ok(_) | Err(_) => INVALID_VALUE,
            }
        }
    };
    state.record_error(error);
    None
}

/// Executes `ProgramBufferParameters`: writes words to a buffer from word `first` on. The binding
/// of `UNIFORM_BUFFER` is the same afterwards.
pub(crate) fn set_words(buffer: u32, first: u32, words: &[u32]) {
    let bound = driver_state::integer(0x8A28) as u32;
    driver::BindBuffer(0x8A11, buffer);
    driver_state::write_uniform_buffer(4 * first as usize, words);
    driver::BindBuffer(0x8A11, bound);
}
