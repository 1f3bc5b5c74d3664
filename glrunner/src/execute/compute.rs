//! Dispatches.

use super::buffers::{Buffers, finish_stores};
use super::execution::Execution;
use super::modules::Work;
use super::support::require_extension;
use crate::error::Problem;
use crate::gl::{self, Gl};
use glasm::ir::Stage;
use glasm_scripts::script::Groups;

/// Limits in x, y and z, and on the product; their names.
struct GroupLimits {
    each: u32,
    product: Option<u32>,
    what: &'static str,
}

const COUNTS: GroupLimits = GroupLimits {
    each: gl::MAX_COMPUTE_WORK_GROUP_COUNT,
    product: None,
    what: "work groups",
};

const SIZES: GroupLimits = GroupLimits {
    each: gl::MAX_COMPUTE_VARIABLE_GROUP_SIZE_ARB,
    product: Some(gl::MAX_COMPUTE_VARIABLE_GROUP_INVOCATIONS_ARB),
    what: "invocations of a group",
};

impl Execution<'_> {
    /// Executes `compute`. The size is that of the groups of programs that leave it open.
    pub(super) fn run_compute(
        &mut self,
        groups: Groups,
        size: Option<[u32; 3]>,
    ) -> Result<(), Problem> {
        let modules = self.prepare_modules(Work::Dispatch(size))?;
        if self.shaders.get(Stage::Compute).is_some() {
            self.prepare_state()?;
        }
        if let Some(modules) = &modules {
            self.bind_module_resources(modules)?;
        }
        if let Some(shader) = self.shaders.get(Stage::Compute) {
            shader.bind()?;
            // Modules are compiled for the size of their groups.
            let size = size.filter(|_| modules.is_none());
            return self.dispatcher().run_groups(groups, size);
        }
        let program = self.programs.get(Stage::Compute);
        let program = program.ok_or_else(|| "there is no compute program".to_owned())?;
        let facts = self.programs.facts(Stage::Compute).unwrap_or_default();
        if facts.open_groups && size.is_none() {
            let message = "the program needs the size of its groups: `compute X Y Z group X Y Z`";
            return Err(message.to_owned().into());
        }
        program.bind()?;
        self.gl.Enable(gl::COMPUTE_PROGRAM_NV)?;
        self.prepare_state()?;
        self.dispatcher().run_groups(groups, size)
    }

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
    /// Runs the bound compute program.
    fn run_groups(&self, groups: Groups, size: Option<[u32; 3]>) -> Result<(), Problem> {
        let counts = self.group_counts(groups)?;
        self.check_groups(counts, &COUNTS)?;
        match (size, groups) {
            // These programs do not support counts from a buffer.
            (Some(size), _) => self.dispatch_sized(counts, size)?,
            (None, Groups::Given([x, y, z])) => self.gl.DispatchCompute(x, y, z)?,
            (None, Groups::Indirect(range)) => {
                let buffer = self.buffers.get(range.buffer);
                self.gl
                    .BindBuffer(gl::DISPATCH_INDIRECT_BUFFER, buffer.name())?;
                let offset = isize::try_from(range.offset).unwrap_or(isize::MAX);
                self.gl.DispatchComputeIndirect(offset)?;
            }
        }
        self.gl.check("glDispatchCompute")?;
        finish_stores(self.gl)
    }

    /// Dispatches groups of a size: ARB_compute_variable_group_size.
    fn dispatch_sized(&self, [x, y, z]: [u32; 3], size: [u32; 3]) -> Result<(), Problem> {
        require_extension(self.gl, "GL_ARB_compute_variable_group_size")?;
        self.check_groups(size, &SIZES)?;
        let [width, height, depth] = size;
        Ok(self
            .gl
            .DispatchComputeGroupSizeARB(x, y, z, width, height, depth)?)
    }

    /// Returns the number of work groups. Counts in a buffer are read here only to compare them
    /// with the limits.
    fn group_counts(&self, groups: Groups) -> Result<[u32; 3], Problem> {
        let range = match groups {
            Groups::Given(counts) => return Ok(counts),
            Groups::Indirect(range) => range,
        };
        let offset = usize::try_from(range.offset).unwrap_or(usize::MAX);
        let bytes = self.buffers.get(range.buffer).read(offset, 12)?;
        Ok(std::array::from_fn(|axis| {
            let word = std::array::from_fn(|byte| bytes[4 * axis + byte]);
            u32::from_le_bytes(word)
        }))
    }

    fn check_groups(&self, sizes: [u32; 3], limits: &GroupLimits) -> Result<(), Problem> {
        let what = limits.what;
        for (size, axis) in sizes.into_iter().zip(0..) {
            let limit = self.gl.indexed_integer(limits.each, axis)?;
            if i64::from(size) > i64::from(limit) {
                let axis = ['x', 'y', 'z'][axis as usize];
                let reason = format!("the driver has at most {limit} {what} in {axis}, not {size}");
                return Err(Problem::Lacking(reason));
            }
        }
        let Some(name) = limits.product else {
            return Ok(());
        };
        let product: u128 = sizes.into_iter().map(u128::from).product();
        let limit = self.gl.integer(name)?;
        if product > u128::from(limit.unsigned_abs()) {
            let reason = format!("the driver has at most {limit} {what}, not {product}");
            return Err(Problem::Lacking(reason));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::{reason, run_steps, with_execution};
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
            execution.make_buffers().unwrap();
            run_steps(execution);
            use_program(gl, &[(gl::COMPUTE_SHADER, COUNT_GROUPS)], &[]).unwrap();
            let run = |groups| execution.dispatcher().run_groups(groups, None).unwrap();
            run(Groups::Given([2, 1, 1]));
            run(Groups::Indirect(BufferRange {
                buffer: BufferId(1),
                offset: 8,
                size: Some(12),
            }));
            let contents = execution.buffers.contents(BufferId(0)).unwrap();
            assert_eq!(contents, [8, 0, 0, 0, 8, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0]);
        });
    }

    #[test]
    fn too_many_groups_are_skipped() {
        with_execution("[test]", |gl, execution| {
            if has_compute(gl) {
                let result = execution
                    .dispatcher()
                    .run_groups(Groups::Given([1, u32::MAX, 1]), None);
                let reason = reason(result);
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
            let groups = Groups::Given([1, 1, 1]);
            if gl.has(extension) {
                let result = execution
                    .dispatcher()
                    .run_groups(groups, Some([1, 1, u32::MAX]));
                assert!(reason(result).ends_with("invocations of a group in z, not 4294967295"));
            } else {
                let result = execution.dispatcher().run_groups(groups, Some([4, 1, 1]));
                assert_eq!(reason(result), format!("the driver lacks {extension}"));
            }
        });
    }

    #[test]
    fn without_a_program_nothing_runs() {
        with_execution("[test]", |_, execution| {
            let result = execution.run_compute(Groups::Given([1; 3]), None);
            assert!(matches!(result, Err(Problem::Script(_))));
        });
    }
}
