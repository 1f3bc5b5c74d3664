//! Emission: one forward walk over the tree that writes SPIR-V words.
//!
//! What computes with values only is in [`builder`](crate::builder), what declares and loads variables of the interface in
//! [`interface`](crate::interface). Each row of the table calls those below it, seldom its neighbors and never those above it.
//!
//! | module | what it writes |
//! |---|---|
//! | `control` | blocks, branches, loops, switches, calls; phis at joins; condition codes and tests |
//! | `stage` | inputs and outputs, what GL state adds to them, primitives, patches, fragments, thread groups, transform feedback |
//! | `inst`, `result` | dispatch by operation; clamp, guard, write, condition-code update |
//! | `texture`, `image`, `memory` | accesses of resources, and the variables that they need |
//! | `arithmetic` | instructions that compute with values only |
//! | `operand` | sources of instructions |
//! | `names` | debug information |
//! | `cx` | the context of all of these |

mod arithmetic;
mod constant;
mod control;
mod cx;
mod image;
mod inst;
mod memory;
mod names;
mod operand;
mod result;
mod stage;
mod texture;
mod typed_sources;

use crate::analysis::{Analysis, Class};
use crate::builder::{Builder, Lane, Scalar};
use crate::capability::Need;
use crate::debug::{Lines, SourceText};
use crate::error::{Error, Failure};
use crate::interface::{Interface, input_primitive, takes_quadrilaterals};
use crate::lanes::Lanes;
use crate::liveness::{Liveness, output_lanes};
use crate::options::{Options, Target};
use crate::reflect::Reflection;
use crate::words::{ValueWord, Words};
use arithmetic::keeps_special_numbers;
use control::join::Joins;
pub(crate) use cx::Emit;
use cx::Tables;
use glasm_ir::arena::Id;
use glasm_ir::program::Interlock;
use glasm_ir::{OutputId, Program, RoutineId, Stage, Storage};
use spirv::{AddressingModel, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel, Op};
use stage::primitive::{input_mode, output_mode, tess_modes};

/// Most variables that the entry point lists: an instruction has at most 65,535 words, of which other operands take some.
const MAX_GLOBALS: usize = 60_000;

/// Room for what stands before the names: header, capabilities, extensions, modes.
const HEAD_WORDS: usize = 128;

/// What is kept between programs for its memory.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    w: Builder,
    analysis: Analysis,
    live: Liveness,
    lanes: Lanes,
    interface: Interface,
    joins: Joins,
    tables: Tables,
}

/// Emits `program`; on success words and interface are complete.
pub(crate) fn emit(
    kept: &mut Kept,
    program: &Program,
    options: &Options,
    source: Option<SourceText<'_>>,
    words: &mut Vec<u32>,
) -> Result<Reflection, Failure> {
    kept.w.reset(program.stage, &program.modes, options);
    kept.interface.reset(program);
    kept.tables.reset(program);
    kept.joins.reset();
    // The source alone does not ask for lines: callers give it for messages as well.
    let lines = source
        .filter(|_| options.debug.lines)
        .map(|source| Lines::new(source, &mut kept.w));
    let mut emit = Emit {
        program,
        options,
        w: &mut kept.w,
        analysis: &mut kept.analysis,
        live: &mut kept.live,
        lanes: &mut kept.lanes,
        interface: &mut kept.interface,
        joins: &mut kept.joins,
        tables: &mut kept.tables,
        lines,
        first_unnamed: 0,
        lanes_apart: false,
        in_entry: false,
        sparse: cx::Sparse::default(),
    };
    // After an error the memory is in any state; `reset` of each part begins anew.
    emit.program()?;
    Ok(emit.assemble(words))
}

impl Emit<'_> {
    fn program(&mut self) -> Result<(), Failure> {
        self.stage_needs()?;
        self.check_buffers()?;
        self.io().check_param_block()?;
        self.analysis.run(self.program)?;
        // Behind the analysis, which knows what is written, and before the first variable: a result that is captured in place is
        // decorated where it is declared.
        self.plan_captures()?;
        self.interface.entry = self.w.object();
        // Both must be known before a vertex is emitted: they decide about the instruction and the invocations.
        self.find_emission()?;
        self.plan_copies()?;
        self.declare_shared_outputs()?;
        self.functions()?;
        if self.w.interface.len() > MAX_GLOBALS {
            return Err(Error::limit("the program has too many variables"));
        }
        Ok(())
    }

    fn functions(&mut self) -> Result<(), Failure> {
        // All functions get their ids first, because calls may stand before the function that they call.
        for index in 0..self.analysis.functions.len() {
            let routine = self.analysis.functions[index];
            self.tables.functions[routine.index()] = match routine == self.program.main {
                true => self.interface.entry,
                false => self.w.object(),
            };
        }
        // By number, because emission changes the analysis meanwhile: registers may go to memory.
        for index in 0..self.analysis.functions.len() {
            self.function(self.analysis.functions[index])?;
        }
        Ok(())
    }

    fn function(&mut self, routine: RoutineId) -> Result<(), Failure> {
        self.in_entry = routine == self.program.main;
        self.find_live_lanes(routine);
        let function = self.tables.functions[routine.index()];
        self.open_function(function);
        self.set_output_defaults();
        self.set_initial_codes();
        self.emit_routine(routine)?;
        if self.w.reachable {
            // The only return of the function: all early ones have come here.
            if self.in_entry {
                self.end_entry()?;
            }
            self.w.body.op(Op::Return, &[]);
        }
        self.close_function();
        Ok(())
    }

    fn find_live_lanes(&mut self, routine: RoutineId) {
        let stores = self.in_entry && self.stores_at_end();
        let live_out = &mut self.tables.live_out;
        live_out.clear();
        if stores {
            // Only the entry point stores outputs at its end; other functions leave their results in variables.
            output_lanes(self.program, self.analysis, self.options, live_out);
        }
        self.live
            .run(self.program, self.analysis, routine, live_out);
    }

    fn open_function(&mut self, function: ValueWord) {
        self.w.finish_function();
        let void = self.w.void();
        let ty = self.w.declare_type(Op::TypeFunction, &[void.0]);
        let control = FunctionControl::NONE.bits();
        self.w
            .functions
            .result(Op::Function, void, function, &[control, ty.0]);
        self.w.block = self.w.label();
        self.w.functions.op(Op::Label, &[self.w.block.0]);
        // Before the first block of the program, where they run once.
        if self.in_entry {
            self.clear_arrays();
        }
        self.w.reachable = true;
        self.lanes.reset(self.analysis.slot_register.len());
        self.interface.forget_loads();
    }

    /// Outputs start as (0, 0, 0, 1), so that partial writes leave these values: NV_vertex_program section 2.14.1.5. Other
    /// languages leave them undefined.
    fn set_output_defaults(&mut self) {
        if !self.in_entry {
            return;
        }
        for (id, outputs) in self.program.output_registers() {
            if self.analysis.class[id.index()] == Class::Memory {
                continue;
            }
            let base = self.program.outputs[OutputId::new(outputs.start)].base;
            let one = self.io().one(base);
            let base = self.analysis.slot_base[id.index()];
            // Lanes without a value read as 0, so only w has to be set.
            for slot in base..base + self.analysis.slot_len[id.index()] {
                self.lanes.set(slot, 3, Lane::scalar(one));
            }
        }
    }

    /// Codes that are read before any update have all flags clear, as after a comparison that was true. NV_gpu_program4 section
    /// 2.X.3.7 leaves them undefined.
    fn set_initial_codes(&mut self) {
        for (id, register) in self.program.registers.iter_enumerated() {
            let in_values = self.analysis.class[id.index()] == Class::Values;
            let slot = self.analysis.slot_base[id.index()];
            if register.storage != Storage::Cond || !in_values || self.live.live_in(slot) == 0 {
                continue;
            }
            self.analysis.reads_initial_codes(id);
            let clear = self.w.constant(Scalar::BoolFloat, 1);
            for lane in 0..4 {
                self.lanes.set(slot, lane, Lane::scalar(clear));
            }
        }
    }

    fn close_function(&mut self) {
        self.w.body.op(Op::FunctionEnd, &[]);
        self.w.forget_function();
    }

    /// Whether the end of the entry point stores outputs. Geometry programs do that for each vertex that they emit.
    fn stores_at_end(&self) -> bool {
        self.program.stage != Stage::Geometry || self.program.modes.passthrough
    }

    /// What the stage needs of the device.
    fn stage_needs(&mut self) -> Result<(), Failure> {
        let need = match self.program.stage {
            Stage::TessControl | Stage::TessEval => Need::Tessellation,
            Stage::Geometry => {
                input_primitive(self.program, self.options)?;
                Need::Geometry
            }
            Stage::Vertex | Stage::Fragment | Stage::Compute => return Ok(()),
        };
        self.w.require(need)
    }

    /// What the modes of the program need.
    fn mode_needs(&mut self) {
        let modes = self.program.modes;
        if modes.post_depth_coverage {
            self.w.needs.insert(Need::PostDepthCoverage);
        }
        if let Some(interlock) = modes.interlock {
            self.w.needs.insert(match interlock {
                Interlock::PixelOrdered | Interlock::PixelUnordered => Need::PixelInterlock,
                Interlock::SampleOrdered | Interlock::SampleUnordered => Need::SampleInterlock,
            });
        }
    }

    /// Puts the sections together.
    fn assemble(&mut self, words: &mut Vec<u32>) -> Reflection {
        let target = self.options.target;
        // Here nothing can be declared too early, and what was stored has its variable already.
        self.declare_added();
        if self.program.stage == Stage::Geometry {
            // All outputs have been declared.
            self.interface.outputs.emitted_vertices = self.emitted_vertices();
        }
        if self.program.stage == Stage::Compute && self.program.modes.workgroup_size == [0; 3] {
            // It takes the place of the execution mode.
            self.io().workgroup_size();
        }
        if keeps_special_numbers(self.w) {
            self.w.needs.insert(Need::FloatControls);
        }
        if self.device_flushes() {
            self.w.needs.insert(Need::DenormFlush);
        }
        self.mode_needs();
        let len: usize = self.w.sections().map(Words::len).iter().sum();
        let mut out = Words(std::mem::take(words));
        out.clear();
        out.0.reserve(len + HEAD_WORDS + self.w.interface.len());
        // The head is written last, because capabilities and interface are known only now; SPIR-V fixes the order of all sections.
        self.write_head(target, &mut out);
        for section in self.w.sections() {
            out.append(section);
        }
        *words = out.0;
        let requirements = self.w.needs.requirements(target);
        self.io().reflection(requirements)
    }

    /// What stands before the names.
    fn write_head(&self, target: Target, out: &mut Words) {
        // Behind the version stands the number of a registered generator, of which 0 is none; behind the bound a word that
        // is reserved (SPIR-V, physical layout).
        let (version, bound) = (target.spirv_version(), self.w.bound());
        out.0.extend([spirv::MAGIC_NUMBER, version, 0, bound, 0]);
        self.w.needs.write(target, out);
        // The order of SPIR-V section 2.4: imports, memory model, entry point, execution modes.
        if let Some(glsl) = self.w.glsl_if_used() {
            out.op_string(Op::ExtInstImport, &[glsl.0], "GLSL.std.450", &[]);
        }
        let addressing = match self.w.needs.contains(Need::Addresses) {
            true => AddressingModel::PhysicalStorageBuffer64,
            false => AddressingModel::Logical,
        };
        // The Vulkan memory model needs a feature of its own.
        let memory = MemoryModel::GLSL450 as u32;
        out.op(Op::MemoryModel, &[addressing as u32, memory]);
        self.write_entry_point(target, out);
        self.write_modes(out);
    }

    fn write_entry_point(&self, target: Target, out: &mut Words) {
        let model = match self.program.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEval => ExecutionModel::TessellationEvaluation,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        // From SPIR-V 1.4 on the entry point lists all variables that it uses, before that only inputs and outputs.
        let listed = match target >= Target::Vulkan1_2 {
            true => &self.w.interface,
            false => &self.interface.in_out,
        };
        let leading = [model as u32, self.interface.entry.0];
        out.op_string(Op::EntryPoint, &leading, "main", listed);
    }

    fn write_modes(&self, out: &mut Words) {
        let entry = self.interface.entry.0;
        let mut mode = |mode: ExecutionMode| out.op(Op::ExecutionMode, &[entry, mode as u32]);
        if !self.tables.captures.is_empty() {
            mode(ExecutionMode::Xfb);
        }
        match self.program.stage {
            Stage::Fragment => self.write_fragment_modes(mode),
            Stage::Compute => {
                // A size of 0 is chosen when the pipeline is made: then the `WorkgroupSize` built-in overrides this mode.
                let size = self.program.modes.workgroup_size.map(|size| size.max(1));
                let leading = [entry, ExecutionMode::LocalSize as u32];
                out.about(Op::ExecutionMode, leading, &size);
            }
            Stage::TessControl => {
                // One invocation for each vertex (`VERTICES_OUT` of NV_tessellation_program5).
                let vertices = self.program.modes.vertices_out;
                let leading = [entry, ExecutionMode::OutputVertices as u32];
                out.about(Op::ExecutionMode, leading, &[vertices]);
            }
            Stage::TessEval => tess_modes(&self.program.modes).into_iter().for_each(mode),
            Stage::Geometry => self.write_geometry_modes(out),
            Stage::Vertex => {}
        }
        if keeps_special_numbers(self.w) {
            let mode = ExecutionMode::SignedZeroInfNanPreserve as u32;
            // The width that the mode is for: 16 and 64 bits are left to the device.
            out.op(Op::ExecutionMode, &[entry, mode, 32]);
        }
        if self.device_flushes() {
            let mode = ExecutionMode::DenormFlushToZero as u32;
            out.op(Op::ExecutionMode, &[entry, mode, 32]);
        }
    }

    /// Whether the device is told to flush denormals.
    fn device_flushes(&self) -> bool {
        self.program.modes.flush_denormals && self.w.device.denorm_flush_to_zero_float32
    }

    fn write_geometry_modes(&self, out: &mut Words) {
        let entry = self.interface.entry.0;
        let modes = self.program.modes;
        // A primitive without a form has been refused.
        let input = input_primitive(self.program, self.options).unwrap_or(modes.primitive_in);
        for mode in [input_mode(input), output_mode(modes.primitive_out)] {
            out.op(Op::ExecutionMode, &[entry, mode as u32]);
        }
        for (mode, number) in [
            (ExecutionMode::Invocations, self.runs_of_primitive()),
            (
                ExecutionMode::OutputVertices,
                self.interface.outputs.emitted_vertices,
            ),
        ] {
            out.op(Op::ExecutionMode, &[entry, mode as u32, number]);
        }
    }

    /// How often a geometry program runs for each primitive that it gets.
    fn runs_of_primitive(&self) -> u32 {
        let triangles = match takes_quadrilaterals(self.program, self.options) {
            true => 2,
            false => 1,
        };
        // More than 0: VUID-VkPipelineShaderStageCreateInfo-stage-00715.
        let invocations = self.program.modes.invocations.max(1);
        invocations * self.interface.outputs.copies.count() * triangles
    }

    /// The most vertices of a geometry program, or as many as the device has room for.
    fn emitted_vertices(&self) -> u32 {
        let outputs = self.interface.reflected.outputs.iter();
        let outputs: u32 = outputs.map(|output| u32::from(output.components)).sum();
        let captures = &self.options.transform_feedback.captures;
        let copies = captures.iter().zip(&self.tables.captures);
        // Only captures with variables of their own take components besides.
        let copies = copies.filter(|(_, (_, variable))| variable.is_some());
        let copies: u32 = copies.map(|(capture, _)| u32::from(capture.count)).sum();
        let room = self.w.device.geometry_components / (outputs + copies).max(1);
        let limit = self.options.vertex_limit(&self.program.modes);
        // At least one (VUID-VkPipelineShaderStageCreateInfo-stage-00714).
        limit.min(room).max(1)
    }

    fn write_fragment_modes(&self, mut mode: impl FnMut(ExecutionMode)) {
        let modes = self.program.modes;
        // The only origin that Vulkan allows (VUID-StandaloneSpirv-OriginLowerLeft-04653) is the upper left corner.
        let is_upper = modes.origin_upper_left || !self.options.target.is_opengl();
        mode(match is_upper {
            true => ExecutionMode::OriginUpperLeft,
            false => ExecutionMode::OriginLowerLeft,
        });
        // Coverage after the depth test needs early tests (EXT_post_depth_coverage).
        if modes.early_fragment_tests || modes.post_depth_coverage {
            mode(ExecutionMode::EarlyFragmentTests);
        }
        if modes.post_depth_coverage {
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

fn interlock_mode(interlock: Interlock) -> ExecutionMode {
    match interlock {
        Interlock::PixelOrdered => ExecutionMode::PixelInterlockOrderedEXT,
        Interlock::PixelUnordered => ExecutionMode::PixelInterlockUnorderedEXT,
        Interlock::SampleOrdered => ExecutionMode::SampleInterlockOrderedEXT,
        Interlock::SampleUnordered => ExecutionMode::SampleInterlockUnorderedEXT,
    }
}
