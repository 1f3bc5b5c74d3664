//! Dispatches.

use super::buffers::{Buffers, make_stores_visible};
use super::execution::Execution;
use super::gl_features::require_extension;
use super::modules::Work;
use crate::error::Problem;
use crate::gl::{self, Gl};
use glasm::ir::Stage;
use glasm_scripts::script::GroupCount;

/// Limits in x, y and z, and on the product; their names.
struct GroupLimits {
    per_axis: u32,
    product: Option<u32>,
    description: &'static str,
}

const COUNT_LIMITS: GroupLimits = GroupLimits {
    per_axis: gl::MAX_COMPUTE_WORK_GROUP_COUNT,
    product: None,
    description: "work groups",
};

const SIZE_LIMITS: GroupLimits = GroupLimits {
    per_axis: gl::MAX_COMPUTE_VARIABLE_GROUP_SIZE_ARB,
    product: Some(gl::MAX_COMPUTE_VARIABLE_GROUP_INVOCATIONS_ARB),
    description: "invocations of a group",
};

impl Execution<'_> {
    /// Executes `compute`, and makes stores visible. `group_size` is that of programs that leave it
    /// open. Fails if there is no compute program or such a program receives no size; skips scripts
    /// that need what the driver lacks.
    pub(super) fn run_compute(
        &mut self,
        groups: GroupCount,
        group_size: Option<[u32; 3]>,
    ) -> Result<(), Problem> {
        let modules = self.prepare_modules(Work::Dispatch(group_size))?;
        if self.shaders.get(Stage::Compute).is_some() {
            self.prepare_state()?;
        }
        if let Some(modules) = &modules {
            self.bind_module_resources(modules)?;
        }
        if let Some(shader) = self.shaders.get(Stage::Compute) {
            shader.bind()?;
            // Modules are compiled for the size of their groups.
            let size = group_size.filter(|_| modules.is_none());
            return self.dispatcher().run_groups(groups, size);
        }
        let program = self.programs.get(Stage::Compute);
        let program = program.ok_or_else(|| "there is no compute program".to_owned())?;
        let facts = self.programs.info(Stage::Compute).unwrap_or_default();
        if facts.has_variable_group_size && group_size.is_none() {
            let message = "the program needs the size of its groups: `compute X Y Z group X Y Z`";
            return Err(message.to_owned().into());
        }
        program.bind()?;
        self.gl.Enable(gl::COMPUTE_PROGRAM_NV)?;
        self.prepare_state()?;
        self.dispatcher().run_groups(groups, group_size)
    }

    /// Borrows the state that dispatches need.
    fn dispatcher(&self) -> Dispatcher<'_> {
        Dispatcher {
            gl: &self.gl,
            buffers: &self.buffers,
        }
    }
}

/// Dispatches work groups of the bound compute program.
struct Dispatcher<'a> {
    gl: &'a Gl,
    buffers: &'a Buffers,
}

impl Dispatcher<'_> {
    /// Dispatches the current compute program with a direct or indirect number of groups and, if
    /// given, a variable group size, and makes its stores visible. Skips scripts beyond the
    /// driver's limits.
    fn run_groups(&self, groups: GroupCount, size: Option<[u32; 3]>) -> Result<(), Problem> {
        let counts = self.group_counts(groups)?;
        self.check_groups(counts, &COUNT_LIMITS)?;
        match (size, groups) {
            // These programs do not support counts from a buffer.
            (Some(size), _) => self.dispatch_sized(counts, size)?,
            (None, GroupCount::Direct([x, y, z])) => self.gl.DispatchCompute(x, y, z)?,
            (None, GroupCount::Indirect(range)) => {
                let buffer = self.buffers.get(range.buffer);
                self.gl
                    .BindBuffer(gl::DISPATCH_INDIRECT_BUFFER, buffer.name())?;
                let offset = isize::try_from(range.offset).unwrap_or(isize::MAX);
                self.gl.DispatchComputeIndirect(offset)?;
            }
        }
        self.gl.check_errors("glDispatchCompute")?;
        make_stores_visible(self.gl)
    }

    /// Dispatches groups of a size: ARB_compute_variable_group_size. Skips scripts if the driver
    /// lacks the extension, or beyond its limits.
    fn dispatch_sized(&self, [x, y, z]: [u32; 3], size: [u32; 3]) -> Result<(), Problem> {
        require_extension(self.gl, "GL_ARB_compute_variable_group_size")?;
        self.check_groups(size, &SIZE_LIMITS)?;
        let [width, height, depth] = size;
        Ok(self
            .gl
            .DispatchComputeGroupSizeARB(x, y, z, width, height, depth)?)
    }

    /// Returns the number of work groups in x, y and z. Counts in a buffer are read here only to
    /// compare them with the limits; fails if they are outside of the buffer.
    fn group_counts(&self, groups: GroupCount) -> Result<[u32; 3], Problem> {
        let range = match groups {
            GroupCount::Direct(counts) => return Ok(counts),
            GroupCount::Indirect(range) => range,
        };
        let offset = usize::try_from(range.offset).unwrap_or(usize::MAX);
        let bytes = self.buffers.get(range.buffer).read(offset, 12)?;
        Ok(std::array::from_fn(|axis| {
            let word = std::array::from_fn(|byte| bytes[4 * axis + byte]);
            u32::from_le_bytes(word)
        }))
    }

    /// Checks numbers or sizes of work groups against the limits of the driver for each axis and
    /// their product; skips the script beyond them.
    fn check_groups(&self, sizes: [u32; 3], limits: &GroupLimits) -> Result<(), Problem> {
        let description = limits.description;
        for (size, axis) in sizes.into_iter().zip(0..) {
            let limit = self.gl.indexed_integer(limits.per_axis, axis)?;
            if i64::from(size) > i64::from(limit) {
                let axis = ['x', 'y', 'z'][axis as usize];
                let reason =
                    format!("the driver has at most {limit} {description} in {axis}, not {size}");
                return Err(Problem::Unsupported(reason));
            }
        }
        let Some(name) = limits.product else {
            return Ok(());
        };
        let product: u128 = sizes.into_iter().map(u128::from).product();
        let limit = self.gl.integer(name)?;
        if product > u128::from(limit.unsigned_abs()) {
            let reason = format!("the driver has at most {limit} {description}, not {product}");
            return Err(Problem::Unsupported(reason));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{expect_skip_reason, run_steps, with_execution};
    use crate::gl::Version;
    use crate::gl::glsl::use_program;
    use glasm_scripts::script::{BufferId, BufferRange};
    use glasm_tests::skip::skip;

    /// Each invocation adds 1 to its group's counter.
    const COUNT_GROUPS: &str = "#version 430
layout(local_size_x = 4) in;
layout(std430, binding = 1) buffer Counts { uint counts[]; };
void main() { atomicAdd(counts[gl_WorkGroupID.y * 2u + gl_WorkGroupID.x], 1u); }";

    fn has_compute(gl: &Gl) -> bool {
        let has = gl.version() >= Version(4, 3);
        if !has {
            skip("no compute shaders");
        }
        has
    }

    #[test]
    fn groups_run_as_given_and_as_a_buffer_says() {
        let text = "[test]\nssbo 1 size 16\nbuffer counts data uint 0 9 9 2 2 1";
        with_execution(text, |gl, execution| {
            if !has_compute(gl) {
                return;
            }
            execution.create_buffers().unwrap();
            run_steps(execution);
            use_program(gl, &[(gl::COMPUTE_SHADER, COUNT_GROUPS)], &[]).unwrap();
            let run = |groups| execution.dispatcher().run_groups(groups, None).unwrap();
            run(GroupCount::Direct([2, 1, 1]));
            run(GroupCount::Indirect(BufferRange {
                buffer: BufferId(1),
                offset: 8,
                size: Some(12),
            }));
            let contents = execution.buffers.read_contents(BufferId(0)).unwrap();
            assert_eq!(contents, [8, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0]);
        });
    }

    #[test]
    fn too_many_groups_are_skipped() {
        with_execution("[test]", |gl, execution| {
            if has_compute(gl) {
                let result = execution
                    .dispatcher()
                    .run_groups(GroupCount::Direct([1, u32::MAX, 1]), None);
                let reason = expect_skip_reason(result);
                assert!(
                    reason.ends_with("work groups in y, not 4294967295"),
                    "{reason}"
                );
            }
        });
    }

    #[test]
    fn sizes_of_groups_need_their_extension() {
        with_execution("[test]", |gl, execution| {
            let extension = "GL_ARB_compute_variable_group_size";
            if !has_compute(gl) {
                return;
            }
            let groups = GroupCount::Direct([1, 1, 1]);
            if gl.has_extension(extension) {
                let result = execution
                    .dispatcher()
                    .run_groups(groups, Some([1, 1, u32::MAX]));
                assert!(
                    expect_skip_reason(result)
                        .ends_with("invocations of a group in z, not 4294967295")
                );
            } else {
                let result = execution.dispatcher().run_groups(groups, Some([4, 1, 1]));
                assert_eq!(
                    expect_skip_reason(result),
                    format!("the driver lacks {extension}")
                );
            }
        });
    }

    #[test]
    fn without_a_program_nothing_runs() {
        with_execution("[test]", |_, execution| {
            let result = execution.run_compute(GroupCount::Direct([1; 3]), None);
            assert!(matches!(result, Err(Problem::Script(_))));
        });
    }
}
