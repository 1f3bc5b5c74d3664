//! Buffer bindings of programs: the binding points of OpenGL, their limits, and their requirements
//! on buffer ranges.

use super::buffers::Buffers;
use super::shader_loading::has_shaders;
use super::support::{Feature, require_extension};
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, Version};
use glasm::ir::Stage;
use glasm_scripts::script::{
    BindTarget, BufferId, BufferKey, BufferKind, BufferRange, Script, captured_ranges,
};
use std::rc::Rc;

/// All stages; each has separate parameter buffers.
const STAGES: [Stage; 6] = [
    Stage::Vertex,
    Stage::TessControl,
    Stage::TessEval,
    Stage::Geometry,
    Stage::Fragment,
    Stage::Compute,
];

/// Parameter buffers of a kind of program.
struct ParamTarget {
    /// Target of `glBindBufferRangeNV`.
    buffer: u32,
    /// Target of `glGetProgramivARB`.
    program: u32,
    /// Extension that provides the target.
    extension: &'static str,
}

/// Returns the target of parameter buffers of a stage. NV_parameter_buffer_object,
/// NV_tessellation_program5 and NV_compute_program5, "New Tokens".
fn param_target(stage: Stage) -> ParamTarget {
    let (buffer, program, extension) = match stage {
        Stage::Vertex => (
            gl::VERTEX_PROGRAM_PARAMETER_BUFFER_NV,
            gl::VERTEX_PROGRAM_ARB,
            "GL_NV_parameter_buffer_object",
        ),
        Stage::TessControl => (
            gl::TESS_CONTROL_PROGRAM_PARAMETER_BUFFER_NV,
            gl::TESS_CONTROL_PROGRAM_NV,
            "GL_NV_tessellation_program5",
        ),
        Stage::TessEval => (
            gl::TESS_EVALUATION_PROGRAM_PARAMETER_BUFFER_NV,
            gl::TESS_EVALUATION_PROGRAM_NV,
            "GL_NV_tessellation_program5",
        ),
        Stage::Geometry => (
            gl::GEOMETRY_PROGRAM_PARAMETER_BUFFER_NV,
            gl::GEOMETRY_PROGRAM_NV,
            "GL_NV_geometry_program4",
        ),
        Stage::Fragment => (
            gl::FRAGMENT_PROGRAM_PARAMETER_BUFFER_NV,
            gl::FRAGMENT_PROGRAM_ARB,
            "GL_NV_parameter_buffer_object",
        ),
        Stage::Compute => (
            gl::COMPUTE_PROGRAM_PARAMETER_BUFFER_NV,
            gl::COMPUTE_PROGRAM_NV,
            "GL_NV_compute_program5",
        ),
    };
    ParamTarget {
        buffer,
        program,
        extension,
    }
}

/// Permitted start of a buffer range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Start {
    /// Start of the buffer.
    Buffer,
    /// Multiples of this number of bytes.
    Multiple(u64),
}

/// Requirements of a binding point on buffer ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rule {
    start: Start,
    /// Maximum size that programs can access; larger ranges could be bound nevertheless.
    max_size: u64,
    /// Sizes are multiples of this number of bytes.
    granularity: u64,
}

/// Returns offset and size of a range of a buffer of `length` bytes for OpenGL. `Err` is the reason
/// why it cannot be bound.
fn fit(range: BufferRange, length: u64, rule: Rule) -> Result<(u64, u64), String> {
    let BufferRange { offset, size, .. } = range;
    match rule.start {
        Start::Buffer if offset != 0 => {
            return Err("OpenGL binds parameter buffers from their start only".to_owned());
        }
        Start::Multiple(bytes) if !offset.is_multiple_of(bytes) => {
            return Err(format!(
                "buffers are bound at multiples of {bytes} bytes, not at {offset}"
            ));
        }
        Start::Buffer | Start::Multiple(_) => {}
    }
    let rest = length.saturating_sub(offset);
    let size = size.unwrap_or(rest).min(rest);
    let size = size - size % rule.granularity;
    if size == 0 {
        return Err("OpenGL binds no part without bytes of a buffer".to_owned());
    }
    if size > rule.max_size {
        let max_size = rule.max_size;
        return Err(format!(
            "programs see at most {max_size} bytes of a buffer, not {size}"
        ));
    }
    Ok((offset, size))
}

/// Uniform blocks of GLSL.
const UNIFORMS: SharedTarget = SharedTarget {
    target: gl::UNIFORM_BUFFER,
    feature: Feature {
        core: Version(3, 1),
        extensions: &["GL_ARB_uniform_buffer_object"],
    },
    max_bindings: gl::MAX_UNIFORM_BUFFER_BINDINGS,
    max_size: gl::MAX_UNIFORM_BLOCK_SIZE,
    alignment: Some(gl::UNIFORM_BUFFER_OFFSET_ALIGNMENT),
};

/// Binding points that all stages share.
struct SharedTarget {
    target: u32,
    feature: Feature,
    max_bindings: u32,
    max_size: u32,
    /// `None` for words.
    alignment: Option<u32>,
}

const STORAGE: SharedTarget = SharedTarget {
    target: gl::SHADER_STORAGE_BUFFER,
    feature: Feature {
        core: Version(4, 3),
        extensions: &["GL_ARB_shader_storage_buffer_object"],
    },
    max_bindings: gl::MAX_SHADER_STORAGE_BUFFER_BINDINGS,
    max_size: gl::MAX_SHADER_STORAGE_BLOCK_SIZE,
    alignment: Some(gl::SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT),
};

const COUNTERS: SharedTarget = SharedTarget {
    target: gl::ATOMIC_COUNTER_BUFFER,
    feature: Feature {
        core: Version(4, 2),
        extensions: &["GL_ARB_shader_atomic_counters"],
    },
    max_bindings: gl::MAX_ATOMIC_COUNTER_BUFFER_BINDINGS,
    max_size: gl::MAX_ATOMIC_COUNTER_BUFFER_SIZE,
    alignment: None,
};

/// Several buffers with several results each.
const MORE_CAPTURE_BUFFERS: Feature = Feature {
    core: Version(4, 0),
    extensions: &["GL_ARB_transform_feedback3"],
};

/// Returns a limit of the driver.
fn limit(value: i32) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Converts an offset or size, which is at most that of a buffer, to OpenGL's type.
fn signed(bytes: u64) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

fn check_index(index: u32, count: i32) -> Result<(), Problem> {
    if u64::from(index) < limit(count) {
        return Ok(());
    }
    let reason = format!("the driver has {count} such binding points, no number {index}");
    Err(Problem::Lacking(reason))
}

/// Creates the buffers of a script and binds them for programs.
pub(super) struct BufferBinder<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) buffers: &'a mut Buffers,
    /// True if programs run as modules: then draws and dispatches bind their buffers.
    pub(super) through_modules: bool,
    pub(super) is_capturing: bool,
}

impl BufferBinder<'_> {
    /// Creates all buffers, filled with zeros, and binds those whose name is a binding.
    pub(super) fn create_buffers(&mut self) -> Result<(), Problem> {
        let script = self.script;
        self.buffers.make(self.gl, &script.buffers)?;
        for (decl, index) in script.buffers.iter().zip(0..) {
            if let BufferKey::Bound { kind, set, binding } = decl.key {
                let range = BufferRange {
                    buffer: BufferId(index),
                    offset: 0,
                    size: None,
                };
                self.bind_range(BindTarget::Bound { kind, set, binding }, range)?;
            }
        }
        Ok(())
    }

    /// Executes `bind`: binds a range of a buffer for subsequent draws and dispatches.
    pub(super) fn bind_range(
        &mut self,
        target: BindTarget,
        range: BufferRange,
    ) -> Result<(), Problem> {
        let (gl, buffers) = (self.gl, &*self.buffers);
        match target {
            BindTarget::Param { .. } if self.through_modules => {}
            BindTarget::Bound { kind, .. }
                if self.through_modules && kind != BufferKind::Feedback => {}
            BindTarget::Param { stage, index } => {
                bind_parameters(gl, buffers, (stage, index), range)?;
            }
            // Assembly programs access set 0 only.
            BindTarget::Bound { set, .. } if set != 0 => {}
            BindTarget::Bound { kind, binding, .. } => match kind {
                BufferKind::Uniform if has_shaders(self.script) => {
                    bind_shared(gl, buffers, &UNIFORMS, binding, range)?;
                }
                BufferKind::Uniform => bind_uniform(gl, buffers, binding, range)?,
                BufferKind::Storage => bind_shared(gl, buffers, &STORAGE, binding, range)?,
                BufferKind::Counter => bind_shared(gl, buffers, &COUNTERS, binding, range)?,
                // OpenGL receives the range when a capture begins.
                BufferKind::Feedback if self.is_capturing => {
                    let reason = "OpenGL captures into the same buffers from begin to end";
                    return Err(Problem::Lacking(reason.to_owned()));
                }
                BufferKind::Feedback => {
                    check_captured_range(gl, buffers, binding, range)?;
                }
            },
        }
        self.buffers.bound.insert(target, range);
        Ok(())
    }
}

/// Binds `program.buffer[index]` of the stages that have no separate buffer there.
fn bind_uniform(gl: &Gl, buffers: &Buffers, index: u32, range: BufferRange) -> Result<(), Problem> {
    require_extension(gl, "GL_NV_parameter_buffer_object")?;
    for stage in STAGES {
        let own = BindTarget::Param { stage, index };
        let exists = gl.has(param_target(stage).extension);
        if exists && !buffers.bound.contains_key(&own) {
            bind_parameters(gl, buffers, (stage, index), range)?;
        }
    }
    Ok(())
}

/// Binds `program.buffer[index]` of a stage.
fn bind_parameters(
    gl: &Gl,
    buffers: &Buffers,
    (stage, index): (Stage, u32),
    range: BufferRange,
) -> Result<(), Problem> {
    let target = param_target(stage);
    require_extension(gl, target.extension)?;
    let limit_of = |name| gl.program_integer(target.program, name);
    check_index(
        index,
        limit_of(gl::MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV)?,
    )?;
    let words = limit_of(gl::MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV)?;
    let rule = Rule {
        start: Start::Buffer,
        max_size: 4 * limit(words),
        granularity: 4,
    };
    let buffer = buffers.get(range.buffer);
    let (offset, size) = fit(range, buffer.size() as u64, rule).map_err(Problem::Lacking)?;
    let (offset, size) = (signed(offset), signed(size));
    gl.BindBufferRangeNV(target.buffer, index, buffer.name(), offset, size)?;
    Ok(gl.check("glBindBufferRangeNV")?)
}

/// Binds a uniform buffer of GLSL, a storage buffer or a buffer of counters.
fn bind_shared(
    gl: &Gl,
    buffers: &Buffers,
    target: &SharedTarget,
    index: u32,
    range: BufferRange,
) -> Result<(), Problem> {
    target.feature.require(gl)?;
    check_index(index, gl.integer(target.max_bindings)?)?;
    let rule = shared_rule(gl, target)?;
    let buffer = buffers.get(range.buffer);
    let (offset, size) = fit(range, buffer.size() as u64, rule).map_err(Problem::Lacking)?;
    let (offset, size) = (signed(offset), signed(size));
    gl.BindBufferRange(target.target, index, buffer.name(), offset, size)?;
    Ok(gl.check("glBindBufferRange")?)
}

/// Binds a uniform or storage buffer of a module.
pub(super) fn bind_module_range(
    gl: &Gl,
    buffers: &Buffers,
    target: u32,
    index: u32,
    range: BufferRange,
) -> Result<(), Problem> {
    let shared = if target == gl::UNIFORM_BUFFER {
        &UNIFORMS
    } else {
        &STORAGE
    };
    bind_shared(gl, buffers, shared, index, range)
}

/// Returns offset and size of a range that vertices are captured into, if OpenGL supports it.
fn check_captured_range(
    gl: &Gl,
    buffers: &Buffers,
    binding: u32,
    range: BufferRange,
) -> Result<(u64, u64), Problem> {
    let count = if MORE_CAPTURE_BUFFERS.is_in(gl) {
        gl::MAX_TRANSFORM_FEEDBACK_BUFFERS
    } else {
        gl::MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS
    };
    check_index(binding, gl.integer(count)?)?;
    let rule = Rule {
        start: Start::Multiple(4),
        max_size: u64::MAX,
        granularity: 4,
    };
    let length = buffers.get(range.buffer).size() as u64;
    fit(range, length, rule).map_err(Problem::Lacking)
}

/// Binds the ranges of buffers that OpenGL captures vertices into.
pub(super) fn bind_captured_ranges(gl: &Gl, buffers: &Buffers) -> Result<(), Problem> {
    for (binding, range) in captured_ranges(&buffers.bound) {
        let (offset, size) = check_captured_range(gl, buffers, binding, range)?;
        let name = buffers.get(range.buffer).name();
        let target = gl::TRANSFORM_FEEDBACK_BUFFER;
        gl.BindBufferRange(target, binding, name, signed(offset), signed(size))?;
    }
    Ok(gl.check("glBindBufferRange")?)
}

fn shared_rule(gl: &Gl, target: &SharedTarget) -> Result<Rule, Error> {
    let alignment = match target.alignment {
        Some(name) => limit(gl.integer(name)?).max(1),
        None => 4,
    };
    Ok(Rule {
        start: Start::Multiple(alignment),
        max_size: limit(gl.integer(target.max_size)?),
        granularity: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{reason, run_steps, with_execution, with_pretended};
    use crate::gl::glsl::indexed_integer64;
    use crate::gl::pretend::{PARAMETER_BUFFERS, take_calls};
    use glasm_tests::skip::skip;

    fn range(offset: u64, size: Option<u64>) -> BufferRange {
        BufferRange {
            buffer: BufferId(0),
            offset,
            size,
        }
    }

    #[test]
    fn parts_fit_their_binding_points() {
        let words = Rule {
            start: Start::Buffer,
            max_size: 64,
            granularity: 4,
        };
        // NV_parameter_buffer_object: the size is rounded down to words, and an offset is an error.
        assert_eq!(fit(range(0, None), 67, words), Ok((0, 64)));
        assert_eq!(fit(range(0, Some(10)), 32, words), Ok((0, 8)));
        assert!(fit(range(4, None), 32, words).is_err());
        assert!(fit(range(0, None), 68, words).is_err());
        let storage = Rule {
            start: Start::Multiple(16),
            max_size: u64::MAX,
            granularity: 1,
        };
        assert_eq!(fit(range(32, None), 37, storage), Ok((32, 5)));
        assert_eq!(fit(range(32, Some(9)), 37, storage), Ok((32, 5)));
        assert!(fit(range(8, None), 37, storage).is_err());
        assert!(fit(range(48, None), 37, storage).is_err());
    }

    #[test]
    fn binding_points_have_what_the_script_says() {
        let text = "[test]\nssbo 2 size 64\ncounter 1 size 16\nbuffer all size 1024\n\
             bind ssbo 3 all 256 32\nbind counter 0 all 8\nbind ssbo 1:4 all";
        with_execution(text, |gl, execution| {
            if gl.version() < Version(4, 3) {
                skip("no storage buffers");
                return;
            }
            execution.make_buffers().unwrap();
            run_steps(execution);
            let name = |index| execution.buffers.get(BufferId(index)).name().cast_signed();
            let bound = |name, index| gl.indexed_integer(name, index).unwrap();
            assert_eq!(bound(gl::SHADER_STORAGE_BUFFER_BINDING, 2), name(0));
            assert_eq!(bound(gl::SHADER_STORAGE_BUFFER_BINDING, 3), name(2));
            assert_eq!(bound(gl::SHADER_STORAGE_BUFFER_BINDING, 4), 0);
            assert_eq!(bound(gl::ATOMIC_COUNTER_BUFFER_BINDING, 1), name(1));
            let place = |name, index| indexed_integer64(gl, name, index).unwrap();
            assert_eq!(place(gl::SHADER_STORAGE_BUFFER_START, 3), 256);
            assert_eq!(place(gl::SHADER_STORAGE_BUFFER_SIZE, 3), 32);
            assert_eq!(place(gl::ATOMIC_COUNTER_BUFFER_START, 0), 8);
            assert_eq!(place(gl::ATOMIC_COUNTER_BUFFER_SIZE, 0), 1016);
        });
    }

    #[test]
    fn what_drivers_lack_has_its_name() {
        let cases = [
            ("ubo 0 size 16", "GL_NV_parameter_buffer_object"),
            (
                "buffer a size 16\nbind buffer_fp 0 a",
                "GL_NV_parameter_buffer_object",
            ),
            (
                "buffer a size 16\nbind buffer_cp 0 a",
                "GL_NV_compute_program5",
            ),
            (
                "buffer a size 16\nbind buffer_gp 0 a",
                "GL_NV_geometry_program4",
            ),
            (
                "buffer a size 16\nbind buffer_tep 0 a",
                "GL_NV_tessellation_program5",
            ),
        ];
        for (commands, extension) in cases {
            with_execution(&format!("[test]\n{commands}"), |gl, execution| {
                if gl.has(extension) {
                    return;
                }
                let script = execution.script;
                let mut result = execution.make_buffers();
                for step in &script.steps {
                    result = result.and_then(|()| execution.step(step));
                }
                assert_eq!(reason(result), format!("the driver lacks {extension}"));
            });
        }
    }

    #[test]
    fn numbers_beyond_the_limit_are_skipped() {
        with_execution("[test]\nssbo 1000 size 4", |gl, execution| {
            if gl.version() >= Version(4, 3) {
                let reason = reason(execution.make_buffers());
                assert!(
                    reason.ends_with("such binding points, no number 1000"),
                    "{reason}"
                );
            }
        });
    }

    #[test]
    fn parameter_buffers_of_a_stage_go_before_those_of_all() {
        let text = "[test]\nubo 2 size 20\nbuffer own size 70\nbuffer all size 8\n\
             bind buffer_fp 2 own\nbind ubo 2 all 0 6\nbind ubo 1:2 all";
        with_pretended(text, |_, execution| {
            let bound = |stages: &[u32], index: usize, buffer: u32, size: usize| -> Vec<String> {
                let call = |stage| format!("bind {stage:#x} {index} buffer {buffer} 0 {size}");
                stages.iter().map(call).collect()
            };
            // Tokens of NV_parameter_buffer_object, NV_tessellation_program5 and
            // NV_compute_program5: vertex, tessellation, geometry, fragment, compute programs.
            let stages = [0x8DA2, 0x8C74, 0x8C75, 0x8DA3, 0x8DA4, 0x90FC];
            execution.make_buffers().unwrap();
            let names: [u32; 3] = std::array::from_fn(|index| {
                let buffer = execution.buffers.get(BufferId(index));
                buffer.name()
            });
            assert_eq!(take_calls(), bound(&stages, 2, names[0], 20));
            let steps = &execution.script.steps;
            execution.step(&steps[0]).unwrap();
            assert_eq!(take_calls(), bound(&[0x8DA4], 2, names[1], 68));
            execution.step(&steps[1]).unwrap();
            let others = [0x8DA2, 0x8C74, 0x8C75, 0x8DA3, 0x90FC];
            assert_eq!(take_calls(), bound(&others, 2, names[2], 4));
            execution.step(&steps[2]).unwrap();
            assert!(take_calls().is_empty());
        });
    }

    #[test]
    fn limits_of_parameter_buffers() {
        let index = PARAMETER_BUFFERS;
        for (commands, end) in [
            (
                format!("ubo {index} size 16"),
                "such binding points, no number 14",
            ),
            (
                "ubo 0 size 65540".to_owned(),
                "at most 65536 bytes of a buffer, not 65540",
            ),
            (
                "buffer a size 16\nbind buffer_vp 0 a 4".to_owned(),
                "from their start only",
            ),
        ] {
            with_pretended(&format!("[test]\n{commands}"), |_, execution| {
                let script = execution.script;
                let mut result = execution.make_buffers();
                for step in &script.steps {
                    result = result.and_then(|()| execution.step(step));
                }
                let reason = reason(result);
                assert!(reason.ends_with(end), "{reason}");
            });
        }
    }
}
