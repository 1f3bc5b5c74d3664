//! Buffer bindings of programs: the binding points of OpenGL, their limits, and their requirements
//! on buffer ranges.

use super::buffers::Buffers;
use super::gl_features::{Feature, require_extension};
use super::shader_loading::has_shaders;
use crate::error::{Error, Problem};
use crate::gl::{self, Gl, Version};
use glasm::ir::Stage;
use glasm_scripts::script::{
    BindTarget, BufferId, BufferKey, BufferKind, BufferRange, Script, capture_ranges,
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
struct ParamBufferTarget {
    /// Target of `glBindBufferRangeNV`.
    buffer_target: u32,
    /// Target of `glGetProgramivARB`.
    program_target: u32,
    /// Extension that provides the target.
    extension: &'static str,
}

/// Returns the target of parameter buffers of a stage. NV_parameter_buffer_object,
/// NV_tessellation_program5 and NV_compute_program5, "New Tokens".
fn param_buffer_target(stage: Stage) -> ParamBufferTarget {
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
    ParamBufferTarget {
        buffer_target: buffer,
        program_target: program,
        extension,
    }
}

/// Permitted start of a buffer range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum RangeStart {
    /// Start of the buffer.
    Buffer,
    /// Multiples of this number of bytes.
    Multiple(u64),
}

/// Requirements of a binding point on buffer ranges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct RangeRequirements {
    range_start: RangeStart,
    /// Maximum size that programs can access; larger ranges could be bound nevertheless.
    max_size: u64,
    /// Sizes are multiples of this number of bytes.
    granularity: u64,
}

/// Returns byte offset and size of a range of a buffer of `length` bytes for OpenGL; the size is
/// limited to the buffer and rounded down to whole units. `Err` is the reason why it cannot be
/// bound, such as an empty range.
fn resolve_range(
    range: BufferRange,
    length: u64,
    requirements: RangeRequirements,
) -> Result<(u64, u64), String> {
    let BufferRange { offset, size, .. } = range;
    match requirements.range_start {
        RangeStart::Buffer if offset != 0 => {
            return Err("OpenGL binds parameter buffers from their start only".to_owned());
        }
        RangeStart::Multiple(bytes) if !offset.is_multiple_of(bytes) => {
            return Err(format!(
                "buffers are bound at multiples of {bytes} bytes, not at {offset}"
            ));
        }
        RangeStart::Buffer | RangeStart::Multiple(_) => {}
    }
    let available = length.saturating_sub(offset);
    let size = size.unwrap_or(available).min(available);
    let size = size - size % requirements.granularity;
    if size == 0 {
        return Err("OpenGL binds no part without bytes of a buffer".to_owned());
    }
    if size > requirements.max_size {
        let max_size = requirements.max_size;
        return Err(format!(
            "programs see at most {max_size} bytes of a buffer, not {size}"
        ));
    }
    Ok((offset, size))
}

/// Uniform blocks of GLSL.
const UNIFORM_BUFFERS: SharedBindingPoint = SharedBindingPoint {
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
struct SharedBindingPoint {
    target: u32,
    feature: Feature,
    max_bindings: u32,
    max_size: u32,
    /// `None` for words.
    alignment: Option<u32>,
}

const STORAGE_BUFFERS: SharedBindingPoint = SharedBindingPoint {
    target: gl::SHADER_STORAGE_BUFFER,
    feature: Feature {
        core: Version(4, 3),
        extensions: &["GL_ARB_shader_storage_buffer_object"],
    },
    max_bindings: gl::MAX_SHADER_STORAGE_BUFFER_BINDINGS,
    max_size: gl::MAX_SHADER_STORAGE_BLOCK_SIZE,
    alignment: Some(gl::SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT),
};

const COUNTER_BUFFERS: SharedBindingPoint = SharedBindingPoint {
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
const MULTIPLE_CAPTURE_BUFFERS: Feature = Feature {
    core: Version(4, 0),
    extensions: &["GL_ARB_transform_feedback3"],
};

/// Converts a limit that the driver reports; negative ones are 0.
fn to_limit(value: i32) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

/// Converts an offset or size, which is at most that of a buffer, to OpenGL's type.
fn to_gl_size(bytes: u64) -> isize {
    isize::try_from(bytes).unwrap_or(isize::MAX)
}

/// Skips the script unless a binding point with a number is among the `count` that the driver has.
fn check_index(index: u32, count: i32) -> Result<(), Problem> {
    if u64::from(index) < to_limit(count) {
        return Ok(());
    }
    let reason = format!("the driver has {count} such binding points, no number {index}");
    Err(Problem::Unsupported(reason))
}

/// Creates the buffers of a script and binds them for programs.
pub(super) struct BufferBinder<'a> {
    pub(super) gl: &'a Rc<Gl>,
    pub(super) script: &'a Script,
    pub(super) buffers: &'a mut Buffers,
    /// True if programs run as modules: then draws and dispatches bind their buffers.
    pub(super) uses_modules: bool,
    pub(super) is_capturing: bool,
}

impl BufferBinder<'_> {
    /// Creates all buffers, filled with zeros, and binds those whose name is a binding. Skips
    /// scripts with bindings that the driver lacks.
    pub(super) fn create_buffers(&mut self) -> Result<(), Problem> {
        let script = self.script;
        self.buffers.create_buffers(self.gl, &script.buffers)?;
        for (decl, index) in script.buffers.iter().zip(0..) {
            if let BufferKey::Descriptor { kind, set, binding } = decl.key {
                let range = BufferRange {
                    buffer: BufferId(index),
                    offset: 0,
                    size: None,
                };
                self.bind_range(BindTarget::Descriptor { kind, set, binding }, range)?;
            }
        }
        Ok(())
    }

    /// Executes `bind`: records a range of a buffer for subsequent draws and dispatches, and binds
    /// it now, except for modules and captures, which bind their ranges themselves. Descriptor sets
    /// other than 0 have no effect. Skips scripts with ranges that the driver does not support, or
    /// that change during a capture.
    pub(super) fn bind_range(
        &mut self,
        target: BindTarget,
        range: BufferRange,
    ) -> Result<(), Problem> {
        let (gl, buffers) = (self.gl, &*self.buffers);
        match target {
            BindTarget::Param { .. } if self.uses_modules => {}
            BindTarget::Descriptor { kind, .. }
                if self.uses_modules && kind != BufferKind::Feedback => {}
            BindTarget::Param { stage, index } => {
                bind_parameters(gl, buffers, (stage, index), range)?;
            }
            // Assembly programs access set 0 only.
            BindTarget::Descriptor { set, .. } if set != 0 => {}
            BindTarget::Descriptor { kind, binding, .. } => match kind {
                BufferKind::Uniform if has_shaders(self.script) => {
                    bind_shared(gl, buffers, &UNIFORM_BUFFERS, binding, range)?;
                }
                BufferKind::Uniform => bind_uniform(gl, buffers, binding, range)?,
                BufferKind::Storage => bind_shared(gl, buffers, &STORAGE_BUFFERS, binding, range)?,
                BufferKind::AtomicCounter => {
                    bind_shared(gl, buffers, &COUNTER_BUFFERS, binding, range)?
                }
                // OpenGL receives the range when a capture begins.
                BufferKind::Feedback if self.is_capturing => {
                    let reason = "OpenGL captures into the same buffers from begin to end";
                    return Err(Problem::Unsupported(reason.to_owned()));
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

/// Binds a range to `program.buffer[index]` of all stages of the driver that have no separate
/// buffer there. Skips scripts if the driver lacks parameter buffers or does not support the range.
fn bind_uniform(gl: &Gl, buffers: &Buffers, index: u32, range: BufferRange) -> Result<(), Problem> {
    require_extension(gl, "GL_NV_parameter_buffer_object")?;
    for stage in STAGES {
        let own = BindTarget::Param { stage, index };
        let exists = gl.has_extension(param_buffer_target(stage).extension);
        if exists && !buffers.bound.contains_key(&own) {
            bind_parameters(gl, buffers, (stage, index), range)?;
        }
    }
    Ok(())
}

/// Binds a range to `program.buffer[index]` of a stage (NV_parameter_buffer_object). Skips scripts
/// with a stage, index or range that the driver does not support.
fn bind_parameters(
    gl: &Gl,
    buffers: &Buffers,
    (stage, index): (Stage, u32),
    range: BufferRange,
) -> Result<(), Problem> {
    let target = param_buffer_target(stage);
    require_extension(gl, target.extension)?;
    let limit_of = |name| gl.program_integer(target.program_target, name);
    check_index(
        index,
        limit_of(gl::MAX_PROGRAM_PARAMETER_BUFFER_BINDINGS_NV)?,
    )?;
    let words = limit_of(gl::MAX_PROGRAM_PARAMETER_BUFFER_SIZE_NV)?;
    let rule = RangeRequirements {
        range_start: RangeStart::Buffer,
        max_size: 4 * to_limit(words),
        granularity: 4,
    };
    let buffer = buffers.get(range.buffer);
    let (offset, size) =
        resolve_range(range, buffer.size() as u64, rule).map_err(Problem::Unsupported)?;
    let (offset, size) = (to_gl_size(offset), to_gl_size(size));
    gl.BindBufferRangeNV(target.buffer_target, index, buffer.name(), offset, size)?;
    Ok(gl.check_errors("glBindBufferRangeNV")?)
}

/// Binds a range to a binding point that all stages share: a uniform buffer of GLSL, a storage
/// buffer or a buffer of counters. Skips scripts with an index or range that the driver does not
/// support.
fn bind_shared(
    gl: &Gl,
    buffers: &Buffers,
    target: &SharedBindingPoint,
    index: u32,
    range: BufferRange,
) -> Result<(), Problem> {
    target.feature.require(gl)?;
    check_index(index, gl.integer(target.max_bindings)?)?;
    let rule = query_shared_requirements(gl, target)?;
    let buffer = buffers.get(range.buffer);
    let (offset, size) =
        resolve_range(range, buffer.size() as u64, rule).map_err(Problem::Unsupported)?;
    let (offset, size) = (to_gl_size(offset), to_gl_size(size));
    gl.BindBufferRange(target.target, index, buffer.name(), offset, size)?;
    Ok(gl.check_errors("glBindBufferRange")?)
}

/// Binds a range to a uniform buffer binding of a module, if `target` is `GL_UNIFORM_BUFFER`,
/// otherwise to a storage buffer binding. Skips scripts with an index or range that the driver does
/// not support.
pub(super) fn bind_module_range(
    gl: &Gl,
    buffers: &Buffers,
    target: u32,
    index: u32,
    range: BufferRange,
) -> Result<(), Problem> {
    let shared = if target == gl::UNIFORM_BUFFER {
        &UNIFORM_BUFFERS
    } else {
        &STORAGE_BUFFERS
    };
    bind_shared(gl, buffers, shared, index, range)
}

/// Returns byte offset and size of a range that vertices are captured into. Skips scripts with a
/// binding or range that the driver does not support.
fn check_captured_range(
    gl: &Gl,
    buffers: &Buffers,
    binding: u32,
    range: BufferRange,
) -> Result<(u64, u64), Problem> {
    let count = if MULTIPLE_CAPTURE_BUFFERS.is_supported(gl) {
        gl::MAX_TRANSFORM_FEEDBACK_BUFFERS
    } else {
        gl::MAX_TRANSFORM_FEEDBACK_SEPARATE_ATTRIBS
    };
    check_index(binding, gl.integer(count)?)?;
    let rule = RangeRequirements {
        range_start: RangeStart::Multiple(4),
        max_size: u64::MAX,
        granularity: 4,
    };
    let length = buffers.get(range.buffer).size() as u64;
    resolve_range(range, length, rule).map_err(Problem::Unsupported)
}

/// Binds the ranges of buffers that the script captures vertices into. Skips scripts with a binding
/// or range that the driver does not support.
pub(super) fn bind_captured_ranges(gl: &Gl, buffers: &Buffers) -> Result<(), Problem> {
    for (binding, range) in capture_ranges(&buffers.bound) {
        let (offset, size) = check_captured_range(gl, buffers, binding, range)?;
        let name = buffers.get(range.buffer).name();
        let target = gl::TRANSFORM_FEEDBACK_BUFFER;
        gl.BindBufferRange(target, binding, name, to_gl_size(offset), to_gl_size(size))?;
    }
    Ok(gl.check_errors("glBindBufferRange")?)
}

/// Queries the alignment and maximum size, in bytes, of ranges at a binding point that programs
/// share.
fn query_shared_requirements(
    gl: &Gl,
    target: &SharedBindingPoint,
) -> Result<RangeRequirements, Error> {
    let alignment = match target.alignment {
        Some(name) => to_limit(gl.integer(name)?).max(1),
        None => 4,
    };
    Ok(RangeRequirements {
        range_start: RangeStart::Multiple(alignment),
        max_size: to_limit(gl.integer(target.max_size)?),
        granularity: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{
        expect_skip_reason, run_steps, with_execution, with_mock_nv,
    };
    use crate::gl::glsl::indexed_integer64;
    use crate::gl::mock_nv_driver::{PARAMETER_BUFFERS, take_calls};
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
        let words = RangeRequirements {
            range_start: RangeStart::Buffer,
            max_size: 64,
            granularity: 4,
        };
        // NV_parameter_buffer_object: the size is rounded down to words, and an offset is an error.
        assert_eq!(resolve_range(range(0, None), 67, words), Ok((0, 64)));
        assert_eq!(resolve_range(range(0, Some(10)), 32, words), Ok((0, 8)));
        assert!(resolve_range(range(4, None), 32, words).is_err());
        assert!(resolve_range(range(0, None), 68, words).is_err());
        let storage = RangeRequirements {
            range_start: RangeStart::Multiple(16),
            max_size: u64::MAX,
            granularity: 1,
        };
        assert_eq!(resolve_range(range(32, None), 37, storage), Ok((32, 5)));
        assert_eq!(resolve_range(range(32, Some(9)), 37, storage), Ok((32, 5)));
        assert!(resolve_range(range(8, None), 37, storage).is_err());
        assert!(resolve_range(range(48, None), 37, storage).is_err());
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
            execution.create_buffers().unwrap();
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
                if gl.has_extension(extension) {
                    return;
                }
                let script = execution.script;
                let mut result = execution.create_buffers();
                for step in &script.steps {
                    result = result.and_then(|()| execution.run_step(step));
                }
                assert_eq!(
                    expect_skip_reason(result),
                    format!("the driver lacks {extension}")
                );
            });
        }
    }

    #[test]
    fn numbers_beyond_the_limit_are_skipped() {
        with_execution("[test]\nssbo 1000 size 4", |gl, execution| {
            if gl.version() >= Version(4, 3) {
                let reason = expect_skip_reason(execution.create_buffers());
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
        with_mock_nv(text, |_, execution| {
            let bound = |stages: &[u32], index: usize, buffer: u32, size: usize| -> Vec<String> {
                let call = |stage| format!("bind {stage:#x} {index} buffer {buffer} 0 {size}");
                stages.iter().map(call).collect()
            };
            // Tokens of NV_parameter_buffer_object, NV_tessellation_program5 and
            // NV_compute_program5: vertex, tessellation, geometry, fragment, compute programs.
            let stages = [0x8DA2, 0x8C74, 0x8C75, 0x8DA3, 0x8DA4, 0x90FC];
            execution.create_buffers().unwrap();
            let names: [u32; 3] = std::array::from_fn(|index| {
                let buffer = execution.buffers.get(BufferId(index));
                buffer.name()
            });
            assert_eq!(take_calls(), bound(&stages, 2, names[0], 20));
            let steps = &execution.script.steps;
            execution.run_step(&steps[0]).unwrap();
            assert_eq!(take_calls(), bound(&[0x8DA4], 2, names[1], 68));
            execution.run_step(&steps[1]).unwrap();
            let others = [0x8DA2, 0x8C74, 0x8C75, 0x8DA3, 0x90FC];
            assert_eq!(take_calls(), bound(&others, 2, names[2], 4));
            execution.run_step(&steps[2]).unwrap();
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
            with_mock_nv(&format!("[test]\n{commands}"), |_, execution| {
                let script = execution.script;
                let mut result = execution.create_buffers();
                for step in &script.steps {
                    result = result.and_then(|()| execution.run_step(step));
                }
                let reason = expect_skip_reason(result);
                assert!(reason.ends_with(end), "{reason}");
            });
        }
    }
}
