//! Head of a module: the sections that SPIR-V requires before names, and declarations that depend
//! on the complete functions.

use super::arithmetic::preserves_special_values;
use super::stage::geometry::{input_execution_mode, output_execution_mode, tess_execution_modes};
use crate::builder::ValueBuilder;
use crate::capability::Requirement;
use crate::interface::{Interface, input_primitive, takes_quadrilaterals};
use crate::options::{Options, Target};
use crate::spirv_writer::SpirvWriter;
use glasm_ir::program::Interlock;
use glasm_ir::{Program, Stage};
use spirv::{AddressingModel, ExecutionMode, ExecutionModel, MemoryModel, Op};

/// Read-only context of the head.
pub(super) struct ModuleHead<'e> {
    pub(super) program: &'e Program,
    pub(super) options: &'e Options,
    pub(super) builder: &'e ValueBuilder,
    pub(super) interface: &'e Interface,
    /// True if transform feedback captures results.
    pub(super) has_captures: bool,
}

impl ModuleHead<'_> {
    /// Writes the words from the header to the execution modes. Requires that all ids, requirements
    /// and interface variables are final.
    pub(super) fn write_head(&self, target: Target, out: &mut SpirvWriter) {
        // The version is followed by the number of a registered generator, of which 0 is none; the
        // bound by a reserved word (SPIR-V, physical layout).
        let (version, bound) = (target.spirv_version(), self.builder.bound());
        out.0.extend([spirv::MAGIC_NUMBER, version, 0, bound, 0]);
        self.builder.requirements.write(target, out);
        // The order of SPIR-V section 2.4: imports, memory model, entry point, execution modes.
        if let Some(glsl) = self.builder.used_glsl_import() {
            out.push_string_inst(Op::ExtInstImport, &[glsl.0], "GLSL.std.450", &[]);
        }
        let addressing = if self.builder.requirements.contains(Requirement::Addresses) {
            AddressingModel::PhysicalStorageBuffer64
        } else {
            AddressingModel::Logical
        };
        // The Vulkan memory model requires a separate feature.
        let memory = MemoryModel::GLSL450 as u32;
        out.push_inst(Op::MemoryModel, &[addressing as u32, memory]);
        self.write_entry_point(target, out);
        self.write_modes(out);
    }

    /// Writes `OpEntryPoint` with the name `main` and the variables that the version of SPIR-V
    /// lists there: inputs and outputs, or all variables since SPIR-V 1.4.
    fn write_entry_point(&self, target: Target, out: &mut SpirvWriter) {
        let model = match self.program.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEval => ExecutionModel::TessellationEvaluation,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        // Since SPIR-V 1.4 the entry point lists all variables that it uses, before only inputs and
        // outputs.
        let listed = if target >= Target::Vulkan1_2 {
            &self.builder.interface
        } else {
            &self.interface.in_out
        };
        let leading = [model as u32, self.interface.entry.0];
        out.push_string_inst(Op::EntryPoint, &leading, "main", listed);
    }

    /// Writes the execution modes of the stage, then those for transform feedback, special float
    /// values and similar requirements.
    fn write_modes(&self, out: &mut SpirvWriter) {
        let entry = self.interface.entry.0;
        let mut mode =
            |mode: ExecutionMode| out.push_inst(Op::ExecutionMode, &[entry, mode as u32]);
        if self.has_captures {
            mode(ExecutionMode::Xfb);
        }
        match self.program.stage {
            Stage::Fragment => self.write_fragment_modes(mode),
            Stage::Compute => {
                // A size of 0 is chosen at pipeline creation: the `WorkgroupSize` built-in then
                // overrides this mode.
                let size = self.program.modes.workgroup_size.map(|size| size.max(1));
                let leading = [entry, ExecutionMode::LocalSize as u32];
                out.push_prefixed_inst(Op::ExecutionMode, leading, &size);
            }
            Stage::TessControl => {
                // One invocation for each vertex (`VERTICES_OUT` of NV_tessellation_program5).
                let vertices = self.program.modes.vertices_out;
                let leading = [entry, ExecutionMode::OutputVertices as u32];
                out.push_prefixed_inst(Op::ExecutionMode, leading, &[vertices]);
            }
            Stage::TessEval => tess_execution_modes(&self.program.modes)
                .into_iter()
                .for_each(mode),
            Stage::Geometry => self.write_geometry_modes(out),
            Stage::Vertex => {}
        }
        if preserves_special_values(self.builder) {
            let mode = ExecutionMode::SignedZeroInfNanPreserve as u32;
            // The width to which the mode applies: 16 and 64 bits are left to the device.
            out.push_inst(Op::ExecutionMode, &[entry, mode, 32]);
        }
        if self.requires_denorm_flush() {
            let mode = ExecutionMode::DenormFlushToZero as u32;
            out.push_inst(Op::ExecutionMode, &[entry, mode, 32]);
        }
    }

    /// Returns true if the module requires the device to flush denormals.
    pub(super) fn requires_denorm_flush(&self) -> bool {
        self.program.modes.flush_denormals && self.builder.device.denorm_flush_to_zero_float32
    }

    /// Writes the execution modes of a geometry program: primitives, invocations and maximum number
    /// of vertices.
    fn write_geometry_modes(&self, out: &mut SpirvWriter) {
        let entry = self.interface.entry.0;
        let modes = self.program.modes;
        // Primitives without an execution mode have been rejected.
        let input = input_primitive(self.program, self.options).unwrap_or(modes.primitive_in);
        for mode in [
            input_execution_mode(input),
            output_execution_mode(modes.primitive_out),
        ] {
            out.push_inst(Op::ExecutionMode, &[entry, mode as u32]);
        }
        for (mode, number) in [
            (ExecutionMode::Invocations, self.count_invocations()),
            (
                ExecutionMode::OutputVertices,
                self.interface.outputs.emitted_vertices,
            ),
        ] {
            out.push_inst(Op::ExecutionMode, &[entry, mode as u32, number]);
        }
    }

    /// Returns the number of invocations of a geometry program for each input primitive, including
    /// the runs for viewports, views and triangles of quadrilaterals.
    fn count_invocations(&self) -> u32 {
        let triangles = if takes_quadrilaterals(self.program, self.options) {
            2
        } else {
            1
        };
        // More than 0: VUID-VkPipelineShaderStageCreateInfo-stage-00715.
        let invocations = self.program.modes.invocations.max(1);
        invocations * self.interface.outputs.copies.count() * triangles
    }

    /// Passes the execution modes of a fragment program to `mode`: origin, early tests, interlock,
    /// replaced depth and stencil.
    fn write_fragment_modes(&self, mut mode: impl FnMut(ExecutionMode)) {
        let modes = self.program.modes;
        // The only origin that Vulkan permits (VUID-StandaloneSpirv-OriginLowerLeft-04653) is the
        // upper left corner.
        let is_upper = modes.origin_upper_left || !self.options.target.is_opengl();
        mode(if is_upper {
            ExecutionMode::OriginUpperLeft
        } else {
            ExecutionMode::OriginLowerLeft
        });
        // Coverage after the depth test requires early tests (EXT_post_depth_coverage).
        if modes.early_fragment_tests || modes.post_depth_coverage {
            mode(ExecutionMode::EarlyFragmentTests);
        }
        // Absent if no instruction depends on it and the device lacks it.
        let requirements = self.builder.requirements;
        if requirements.contains(Requirement::PostDepthCoverage) {
            mode(ExecutionMode::PostDepthCoverage);
        }
        modes
            .interlock
            .map(interlock_mode)
            .into_iter()
            .for_each(&mut mode);
        if self.interface.outputs.writes_depth {
            mode(ExecutionMode::DepthReplacing);
        }
        if self.interface.outputs.writes_stencil {
            mode(ExecutionMode::StencilRefReplacingEXT);
        }
    }
}

/// Returns the execution mode of an interlock of fragment shaders.
fn interlock_mode(interlock: Interlock) -> ExecutionMode {
    match interlock {
        Interlock::PixelOrdered => ExecutionMode::PixelInterlockOrderedEXT,
        Interlock::PixelUnordered => ExecutionMode::PixelInterlockUnorderedEXT,
        Interlock::SampleOrdered => ExecutionMode::SampleInterlockOrderedEXT,
        Interlock::SampleUnordered => ExecutionMode::SampleInterlockUnorderedEXT,
    }
}
