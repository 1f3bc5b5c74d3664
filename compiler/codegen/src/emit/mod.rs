//! Emission of SPIR-V: one forward walk over the tree that emits instructions.
//!
//! A context contains the state that functions may access. Each borrows the context of the next
//! entry in the table, so that arithmetic cannot access descriptors, nor textures emit primitives:
//! [`ValueBuilder`] for values, [`Io`](crate::interface::Io) for interface variables, then those of
//! `context`. Functions that need only the builder or `Io` have these as their first
//! parameter. Modules of each entry of the table call those below it, seldom those of the same
//! entry and never those above it.
//!
//! | module | emitted code | context |
//! |---|---|---|
//! | `head` | header, capabilities, entry point, execution modes | `ModuleHead`, which changes nothing |
//! | `control` | blocks, branches, loops, switches, calls; phis at joins (`JoinEmitter`) | `ProgramEmitter` |
//! | `dispatch` | dispatch by operation | `ProgramEmitter` |
//! | `stage` | outputs and the varyings that GL state adds, transform feedback; primitives | `OutputEmitter`, `PrimitiveEmitter` |
//! | `texture`, `image`, `memory` | accesses of resources, and the variables that they need | `TextureEmitter`, `ImageEmitter`, `BufferEmitter` |
//! | `typed_sources`, `const_eval`, `stage::group`, `stage::fragment` | instructions with special sources, constants, of several invocations, of fragments | `FunctionEmitter` |
//! | `operand`, `writeback`, `control::cond`, `stage::inputs`, `stage::tess_control_outputs` | sources; clamp, guard, write, condition-code update; inputs, shared outputs | `FunctionEmitter` |
//! | `debug` | debug information | `FunctionEmitter` |
//! | `memory::memory_registers` | registers in variables | `RegisterMemory` |
//! | `control::cond` | values computed in separate blocks, for any context that has a builder | `AsMut<ValueBuilder>` |
//! | `arithmetic` | instructions that compute with values only | `ValueBuilder` |

mod arithmetic;
mod const_eval;
mod context;
mod control;
mod debug;
mod dispatch;
mod head;
mod image;
mod memory;
mod operand;
mod stage;
mod texture;
mod typed_sources;
mod writeback;

use crate::analysis::{Analysis, RegisterClass};
use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::capability::Requirement;
use crate::emit::context::LaneMap;
use crate::error::{Error, Failure};
use crate::interface::{Interface, constant_one, input_primitive};
use crate::liveness::{Liveness, collect_output_lanes};
use crate::options::Options;
use crate::reflect::Reflection;
use crate::spirv_writer::refill;
use crate::spirv_writer::{SpirvWriter, ValueWord};
use arithmetic::preserves_special_values;
use context::ProgramEmitter;
use context::{Captures, FunctionEmitter, OperandCache, VertexEmission};
use control::phi::Joins;
use debug::LineTable;
pub use debug::SourceText;
use glasm_ir::arena::Id;
use glasm_ir::program::Interlock;
use glasm_ir::{
    Inst, Op as IrOp, OperandBase, OutputId, Program, RoutineId, Semantic, Stage, Storage,
};
use head::ModuleHead;
use memory::buffer::check_buffers;
use memory::resource_use::ResourceUse;
use spirv::{FunctionControl, Op};
use stage::added_varyings::declare_added_varyings;
use stage::geometry::determine_vertex_emission;
use texture::residency::ResidencyState;

/// Maximum number of variables that the entry point lists: an instruction has at most 65,535 words,
/// of which other operands occupy some.
const MAX_GLOBALS: usize = 60_000;

/// Capacity for the sections before the names: header, capabilities, extensions, modes.
const HEAD_WORDS: usize = 128;

/// State that is retained between programs for its memory.
#[derive(Debug, Default)]
pub(crate) struct EmitterScratch {
    builder: ValueBuilder,
    analysis: Analysis,
    liveness: Liveness,
    lanes: LaneMap,
    interface: Interface,
    joins: Joins,
    operand_cache: OperandCache,
    functions: Vec<ValueWord>,
    live_out: Vec<(u32, u8)>,
    buffer_uses: Vec<ResourceUse>,
    captures: Captures,
}

/// Emits `program` as a module, which replaces the content of `words`, and returns its reflection.
/// Line information requires `source` and the option for it. Returns an error if the target cannot
/// express the program; `words` is then unchanged.
pub(crate) fn emit_module(
    scratch: &mut EmitterScratch,
    program: &Program,
    options: &Options,
    source: Option<SourceText<'_>>,
    words: &mut Vec<u32>,
) -> Result<Reflection, Failure> {
    scratch
        .builder
        .reset(program.stage, &program.modes, options);
    scratch.interface.reset(program);
    scratch.operand_cache.reset(program);
    scratch.joins.reset();
    // The source alone does not request line information: callers also pass it for messages.
    let lines = source
        .filter(|_| options.debug.lines)
        .map(|source| LineTable::new(source, &mut scratch.builder));
    let unknown = ValueWord::NONE;
    refill(&mut scratch.functions, program.routines.len(), unknown);
    scratch.buffer_uses.clear();
    scratch.captures.clear();
    let mut emitter = ProgramEmitter {
        function: FunctionEmitter {
            program,
            options,
            builder: &mut scratch.builder,
            analysis: &mut scratch.analysis,
            lanes: &mut scratch.lanes,
            interface: &mut scratch.interface,
            operand_cache: &mut scratch.operand_cache,
            lines,
            first_unnamed: 0,
            in_entry_point: false,
        },
        liveness: &mut scratch.liveness,
        joins: &mut scratch.joins,
        functions: &mut scratch.functions,
        live_out: &mut scratch.live_out,
        buffer_uses: &mut scratch.buffer_uses,
        captures: &mut scratch.captures,
        residency: ResidencyState::default(),
        vertex_emission: VertexEmission::default(),
    };
    // After an error the state is arbitrary; `reset` of each part clears it.
    emitter.emit_program()?;
    Ok(emitter.assemble_module(words))
}

impl ProgramEmitter<'_> {
    /// Emits all functions of the program and their declarations, after the analysis and the
    /// decisions that precede the first variable. Returns an error if the device or the target
    /// cannot express the program, or a limit is exceeded.
    fn emit_program(&mut self) -> Result<(), Failure> {
        self.require_stage()?;
        self.require_modes()?;
        check_buffers(self.function.program, self.function.options)?;
        self.function.io().params().check_block()?;
        self.function.analysis.run(self.function.program)?;
        // After the analysis, which determines the written outputs, and before the first variable:
        // a result that is captured directly is decorated when it is declared.
        self.outputs().plan_captures()?;
        self.function.interface.entry = self.function.builder.new_object();
        // Both must be known before a vertex is emitted: they determine the instruction and the
        // invocations.
        self.vertex_emission =
            determine_vertex_emission(self.function.builder, self.function.program)?;
        self.outputs().plan_copies()?;
        self.outputs().declare_shared_outputs()?;
        self.emit_functions()?;
        if self.function.builder.interface.len() > MAX_GLOBALS {
            return Err(Error::limit("the program has too many variables"));
        }
        self.function.builder.check_requirements()
    }

    /// Allocates the ids of all functions that are not inlined, the entry point among them, and
    /// emits them.
    fn emit_functions(&mut self) -> Result<(), Failure> {
        // All functions get their ids first, because calls may precede the function that they call.
        for index in 0..self.function.analysis.functions.len() {
            let routine = self.function.analysis.functions[index];
            self.functions[routine.index()] = if routine == self.function.program.main {
                self.function.interface.entry
            } else {
                self.function.builder.new_object()
            };
        }
        // By index, because emission modifies the analysis meanwhile: registers may be moved to
        // memory.
        for index in 0..self.function.analysis.functions.len() {
            self.emit_function(self.function.analysis.functions[index])?;
        }
        Ok(())
    }

    /// Emits one function: liveness, prologue, body, and, in the entry point, the stores of outputs
    /// at its end. All early returns branch to this end.
    fn emit_function(&mut self, routine: RoutineId) -> Result<(), Failure> {
        self.function.in_entry_point = routine == self.function.program.main;
        self.find_live_lanes(routine);
        let function = self.functions[routine.index()];
        self.open_function(function);
        self.set_output_defaults();
        self.set_initial_codes();
        self.emit_routine(routine)?;
        if self.function.builder.reachable {
            // The only return of the function: all early ones branch here.
            if self.function.in_entry_point {
                self.primitives().end_entry_point()?;
            }
            self.function.builder.body.push_inst(Op::Return, &[]);
        }
        self.close_function();
        Ok(())
    }

    /// Runs the liveness analysis of a function; at the end of an entry point that stores outputs,
    /// these are live. May move registers to memory.
    fn find_live_lanes(&mut self, routine: RoutineId) {
        let stores = self.function.in_entry_point && self.stores_outputs_at_end();
        let live_out = &mut self.live_out;
        live_out.clear();
        if stores {
            // Only the entry point stores outputs at its end; other functions return their results
            // in variables.
            collect_output_lanes(
                self.function.program,
                self.function.analysis,
                self.function.options,
                live_out,
            );
        }
        self.liveness.run(
            self.function.program,
            self.function.analysis,
            routine,
            live_out,
        );
    }

    /// Starts a function without parameters and results, and its first block, and resets the values
    /// of registers and loaded inputs. The entry point begins with the loops that zero large
    /// arrays.
    fn open_function(&mut self, function: ValueWord) {
        self.function.builder.finish_function();
        let void = self.function.builder.void_type();
        let ty = self
            .function
            .builder
            .declare_type(Op::TypeFunction, &[void.0]);
        let control = FunctionControl::NONE.bits();
        self.function.builder.functions.push_result_inst(
            Op::Function,
            void,
            function,
            &[control, ty.0],
        );
        self.function.builder.block = self.function.builder.new_label();
        let block = self.function.builder.block.0;
        self.function
            .builder
            .functions
            .push_inst(Op::Label, &[block]);
        // Before the first block of the program, so that they run once.
        if self.function.in_entry_point {
            self.function.memory().emit_zero_loops();
        }
        self.function.builder.reachable = true;
        self.function
            .lanes
            .reset(self.function.analysis.slot_register.len());
        self.function.interface.clear_loads();
    }

    /// Initializes outputs in values to (0, 0, 0, 1), so that partial writes leave these values:
    /// NV_vertex_program section 2.14.1.5. Other languages leave them undefined. Does nothing in
    /// functions other than the entry point.
    fn set_output_defaults(&mut self) {
        if !self.function.in_entry_point {
            return;
        }
        for (id, outputs) in self.function.program.output_registers() {
            if self.function.analysis.classes[id.index()] == RegisterClass::Memory {
                continue;
            }
            let base = self.function.program.outputs[OutputId::new(outputs.start)].base;
            let one = constant_one(self.function.builder, base);
            let base = self.function.analysis.slot_base[id.index()];
            // Lanes without a value read as 0, so only w has to be set.
            for slot in base..base + self.function.analysis.slot_len[id.index()] {
                self.function.lanes.set(slot, 3, Lane::scalar(one));
            }
        }
    }

    /// Clears all flags of condition codes in values that the function reads before any update, as
    /// after a comparison that was true, and records the type of these initial codes.
    /// NV_gpu_program4 section 2.X.3.7 leaves them undefined.
    fn set_initial_codes(&mut self) {
        for (id, register) in self.function.program.registers.iter_enumerated() {
            let in_values = self.function.analysis.classes[id.index()] == RegisterClass::Values;
            let slot = self.function.analysis.slot_base[id.index()];
            if register.storage != Storage::Cond || !in_values || self.liveness.live_in(slot) == 0 {
                continue;
            }
            self.function.analysis.record_initial_codes_read(id);
            let clear = self.function.builder.constant(Scalar::BoolFloat, 1);
            for lane in 0..4 {
                self.function.lanes.set(slot, lane, Lane::scalar(clear));
            }
        }
    }

    /// Ends the open function and invalidates the test results cached in it.
    fn close_function(&mut self) {
        self.function.builder.body.push_inst(Op::FunctionEnd, &[]);
        self.function.builder.end_function();
    }

    /// Returns true if the end of the entry point stores outputs. Geometry programs store them for
    /// each emitted vertex instead.
    fn stores_outputs_at_end(&self) -> bool {
        self.function.program.stage != Stage::Geometry || self.function.program.modes.passthrough
    }

    /// Adds the requirement of tessellation and geometry stages. Returns an error if the device
    /// lacks it, or if a geometry program has patches for which Vulkan has no primitive.
    fn require_stage(&mut self) -> Result<(), Failure> {
        let requirement = match self.function.program.stage {
            Stage::TessControl | Stage::TessEval => Requirement::Tessellation,
            Stage::Geometry => {
                input_primitive(self.function.program, self.function.options)?;
                Requirement::Geometry
            }
            Stage::Vertex | Stage::Fragment | Stage::Compute => return Ok(()),
        };
        self.function.builder.require(requirement)
    }

    /// Adds the requirements of the modes of the program: coverage after depth tests, and
    /// interlocks. Returns an error if the device lacks one, at the first instruction whose effect
    /// the mode determines.
    fn require_modes(&mut self) -> Result<(), Failure> {
        let program = self.function.program;
        let builder = &mut *self.function.builder;
        if program.modes.post_depth_coverage {
            let reader = find_coverage_reader(program);
            // If no instruction reads the coverage, the mode has no effect except for early tests.
            if reader.is_some() || Requirement::PostDepthCoverage.is_met(&builder.device) {
                builder
                    .require(Requirement::PostDepthCoverage)
                    .map_err(|error| error.at_inst(reader))?;
            }
        }
        let Some(interlock) = program.modes.interlock else {
            return Ok(());
        };
        let mut insts = program.insts.iter();
        let begin = insts.find(|inst| inst.op == IrOp::InterlockBegin);
        builder
            .require(match interlock {
                Interlock::PixelOrdered | Interlock::PixelUnordered => Requirement::PixelInterlock,
                Interlock::SampleOrdered | Interlock::SampleUnordered => {
                    Requirement::SampleInterlock
                }
            })
            .map_err(|error| error.at_inst(begin))
    }

    /// Borrows the state that writing the head of the module needs.
    fn module_head(&self) -> ModuleHead<'_> {
        ModuleHead {
            program: self.function.program,
            options: self.function.options,
            builder: self.function.builder,
            interface: self.function.interface,
            has_captures: !self.captures.is_empty(),
        }
    }

    /// Adds the declarations and requirements that depend on the whole program, replaces the
    /// content of `words` by the module, and returns its reflection.
    fn assemble_module(&mut self, words: &mut Vec<u32>) -> Reflection {
        let target = self.function.options.target;
        // Declared last, because then all stored varyings have their variables.
        declare_added_varyings(&mut self.function.io());
        if self.function.program.stage == Stage::Geometry {
            // All outputs have been declared.
            self.function.interface.outputs.emitted_vertices = self.compute_vertex_limit();
        }
        if self.function.program.stage == Stage::Compute
            && self.function.program.modes.workgroup_size == [0; 3]
        {
            // It replaces the execution mode.
            self.function.io().get_workgroup_size();
        }
        if preserves_special_values(self.function.builder) {
            self.function
                .builder
                .requirements
                .insert(Requirement::FloatControls);
        }
        if self.module_head().requires_denorm_flush() {
            self.function
                .builder
                .requirements
                .insert(Requirement::DenormFlush);
        }
        let len: usize = self
            .function
            .builder
            .sections()
            .map(SpirvWriter::len)
            .iter()
            .sum();
        let mut out = SpirvWriter(std::mem::take(words));
        out.clear();
        out.0
            .reserve(len + HEAD_WORDS + self.function.builder.interface.len());
        // The head is written last, because capabilities and interface are complete only now;
        // SPIR-V fixes the order of all sections.
        self.module_head().write_head(target, &mut out);
        for section in self.function.builder.sections() {
            out.append(section);
        }
        *words = out.0;
        let requirements = self.function.builder.requirements.requirements(target);
        self.function.io().take_reflection(requirements)
    }

    /// Computes the maximum number of vertices of a geometry program: that of the options or the
    /// program, limited by the device's number of components in all vertices, and at least 1.
    fn compute_vertex_limit(&self) -> u32 {
        let outputs = self.function.interface.reflected.outputs.iter();
        let outputs: u32 = outputs
            .map(|output| u32::from(output.component_count))
            .sum();
        let captures = &self.function.options.transform_feedback.captures;
        let copies = captures.iter().zip(self.captures.iter());
        // Only captures with separate variables occupy additional components.
        let copies = copies.filter(|(_, (_, variable))| variable.is_some());
        let copies: u32 = copies
            .map(|(capture, _)| u32::from(capture.component_count))
            .sum();
        let vertices_that_fit = self
            .function
            .builder
            .device
            .max_geometry_total_output_components
            / (outputs + copies).max(1);
        let limit = self
            .function
            .options
            .vertex_limit(&self.function.program.modes);
        // At least one (VUID-VkPipelineShaderStageCreateInfo-stage-00714).
        limit.min(vertices_that_fit).max(1)
    }
}

/// Returns the first instruction that reads the coverage of the fragment; `None` if there is none.
fn find_coverage_reader(program: &Program) -> Option<&Inst> {
    let is_coverage = |base| match base {
        OperandBase::Input(id) => matches!(
            program.inputs[id].semantic,
            Semantic::SampleMask | Semantic::FullyCovered
        ),
        OperandBase::Register(_)
        | OperandBase::Param(_)
        | OperandBase::Output(_)
        | OperandBase::Literal(_) => false,
    };
    let mut insts = program.insts.iter();
    insts.find(|inst| (program.sources(inst).iter()).any(|src| is_coverage(src.base)))
}
