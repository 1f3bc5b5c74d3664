//! Emission of SPIR-V: one forward walk over the tree that emits instructions.
//!
//! A context contains the state that functions may access. Each borrows the context of the next
//! entry in the table, so that arithmetic cannot access descriptors, nor textures emit primitives:
//! [`ValueBuilder`] for values, [`Io`](crate::interface::Io) for interface variables, then those of
//! `cx` and `program`. Functions that need only the builder or `Io` have these as their first
//! parameter. Modules of each entry of the table call those below it, seldom those of the same
//! entry and never those above it.
//!
//! | module | emitted code | context |
//! |---|---|---|
//! | `head` | header, capabilities, entry point, execution modes | `ModuleHead`, which changes nothing |
//! | `control` | blocks, branches, loops, switches, calls; phis at joins (`JoinEmitter`) | `ProgramEmitter` |
//! | `inst` | dispatch by operation | `ProgramEmitter` |
//! | `stage` | outputs and the varyings that GL state adds, transform feedback; primitives | `OutputEmitter`, `PrimitiveEmitter` |
//! | `texture`, `image`, `memory` | accesses of resources, and the variables that they need | `TextureEmitter`, `ImageEmitter`, `BufferEmitter` |
//! | `typed_sources`, `constant`, `stage::group`, `stage::fragment` | instructions with special sources, constants, of several invocations, of fragments | `FunctionEmitter` |
//! | `operand`, `result`, `control::cond`, `stage::inputs`, `stage::patch` | sources; clamp, guard, write, condition-code update; inputs, shared outputs | `FunctionEmitter` |
//! | `names` | debug information | `FunctionEmitter` |
//! | `memory::array`, `memory::zeroed` | registers in variables | `RegisterMemory` |
//! | `control::guarded` | values computed in separate blocks, for any context that has a builder | `AsMut<ValueBuilder>` |
//! | `arithmetic` | instructions that compute with values only | `ValueBuilder` |

mod arithmetic;
mod constant;
mod control;
mod cx;
mod head;
mod image;
mod inst;
mod memory;
mod names;
mod operand;
mod program;
mod result;
mod stage;
mod texture;
mod typed_sources;

use crate::analysis::{Analysis, Class};
use crate::builder::{Lane, Scalar, ValueBuilder};
use crate::capability::Need;
use crate::debug::{Lines, SourceText};
use crate::error::{Error, Failure};
use crate::interface::{Interface, input_primitive, make_one};
use crate::kept::refill;
use crate::lanes::Lanes;
use crate::liveness::{Liveness, output_lanes};
use crate::options::Options;
use crate::reflect::Reflection;
use crate::words::{ValueWord, Words};
use arithmetic::keeps_special_numbers;
use control::join::Joins;
use cx::{Captures, Emission, FunctionEmitter, Tables};
use glasm_ir::arena::Id;
use glasm_ir::program::Interlock;
use glasm_ir::{OutputId, Program, RoutineId, Stage, Storage};
use head::ModuleHead;
use memory::buffer::check_buffers;
use memory::resource_use::ResourceUse;
use program::ProgramEmitter;
use spirv::{FunctionControl, Op};
use stage::gl_state::declare_added;
use stage::primitive::find_emission;
use texture::sparse::Sparse;

/// Maximum number of variables that the entry point lists: an instruction has at most 65,535 words,
/// of which other operands occupy some.
const MAX_GLOBALS: usize = 60_000;

/// Capacity for the sections before the names: header, capabilities, extensions, modes.
const HEAD_WORDS: usize = 128;

/// State that is retained between programs for its memory.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    w: ValueBuilder,
    analysis: Analysis,
    live: Liveness,
    lanes: Lanes,
    interface: Interface,
    joins: Joins,
    tables: Tables,
    functions: Vec<ValueWord>,
    live_out: Vec<(u32, u8)>,
    buffer_uses: Vec<ResourceUse>,
    captures: Captures,
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
    // The source alone does not request line information: callers also pass it for messages.
    let lines = source
        .filter(|_| options.debug.lines)
        .map(|source| Lines::new(source, &mut kept.w));
    let unknown = ValueWord::NONE;
    refill(&mut kept.functions, program.routines.len(), unknown);
    kept.buffer_uses.clear();
    kept.captures.clear();
    let mut emit = ProgramEmitter {
        f: FunctionEmitter {
            program,
            options,
            w: &mut kept.w,
            analysis: &mut kept.analysis,
            lanes: &mut kept.lanes,
            interface: &mut kept.interface,
            tables: &mut kept.tables,
            lines,
            first_unnamed: 0,
            in_entry: false,
        },
        live: &mut kept.live,
        joins: &mut kept.joins,
        functions: &mut kept.functions,
        live_out: &mut kept.live_out,
        buffer_uses: &mut kept.buffer_uses,
        captures: &mut kept.captures,
        sparse: Sparse::default(),
        emission: Emission::default(),
    };
    // After an error the state is arbitrary; `reset` of each part clears it.
    emit.emit_program()?;
    Ok(emit.assemble(words))
}

impl ProgramEmitter<'_> {
    fn emit_program(&mut self) -> Result<(), Failure> {
        self.require_stage()?;
        check_buffers(self.f.program, self.f.options)?;
        self.f.io().params().check_block()?;
        self.f.analysis.run(self.f.program)?;
        // After the analysis, which determines the written outputs, and before the first variable:
        // a result that is captured directly is decorated when it is declared.
        self.outputs().plan_captures()?;
        self.f.interface.entry = self.f.w.object();
        // Both must be known before a vertex is emitted: they determine the instruction and the
        // invocations.
        self.emission = find_emission(self.f.w, self.f.program)?;
        self.outputs().plan_copies()?;
        self.outputs().declare_shared_outputs()?;
        self.emit_functions()?;
        if self.f.w.interface.len() > MAX_GLOBALS {
            return Err(Error::limit("the program has too many variables"));
        }
        Ok(())
    }

    fn emit_functions(&mut self) -> Result<(), Failure> {
        // All functions get their ids first, because calls may precede the function that they call.
        for index in 0..self.f.analysis.functions.len() {
            let routine = self.f.analysis.functions[index];
            self.functions[routine.index()] = if routine == self.f.program.main {
                self.f.interface.entry
            } else {
                self.f.w.object()
            };
        }
        // By index, because emission modifies the analysis meanwhile: registers may be moved to
        // memory.
        for index in 0..self.f.analysis.functions.len() {
            self.emit_function(self.f.analysis.functions[index])?;
        }
        Ok(())
    }

    fn emit_function(&mut self, routine: RoutineId) -> Result<(), Failure> {
        self.f.in_entry = routine == self.f.program.main;
        self.find_live_lanes(routine);
        let function = self.functions[routine.index()];
        self.open_function(function);
        self.set_output_defaults();
        self.set_initial_codes();
        self.emit_routine(routine)?;
        if self.f.w.reachable {
            // The only return of the function: all early ones branch here.
            if self.f.in_entry {
                self.primitives().end_entry()?;
            }
            self.f.w.body.op(Op::Return, &[]);
        }
        self.close_function();
        Ok(())
    }

    fn find_live_lanes(&mut self, routine: RoutineId) {
        let stores = self.f.in_entry && self.does_store_at_end();
        let live_out = &mut self.live_out;
        live_out.clear();
        if stores {
            // Only the entry point stores outputs at its end; other functions return their results
            // in variables.
            output_lanes(self.f.program, self.f.analysis, self.f.options, live_out);
        }
        self.live
            .run(self.f.program, self.f.analysis, routine, live_out);
    }

    fn open_function(&mut self, function: ValueWord) {
        self.f.w.finish_function();
        let void = self.f.w.void();
        let ty = self.f.w.declare_type(Op::TypeFunction, &[void.0]);
        let control = FunctionControl::NONE.bits();
        self.f
            .w
            .functions
            .result(Op::Function, void, function, &[control, ty.0]);
        self.f.w.block = self.f.w.label();
        let block = self.f.w.block.0;
        self.f.w.functions.op(Op::Label, &[block]);
        // Before the first block of the program, so that they run once.
        if self.f.in_entry {
            self.f.memory().clear_arrays();
        }
        self.f.w.reachable = true;
        self.f.lanes.reset(self.f.analysis.slot_register.len());
        self.f.interface.forget_loads();
    }

    /// Initializes outputs to (0, 0, 0, 1), so that partial writes leave these values:
    /// NV_vertex_program section 2.14.1.5. Other languages leave them undefined.
    fn set_output_defaults(&mut self) {
        if !self.f.in_entry {
            return;
        }
        for (id, outputs) in self.f.program.output_registers() {
            if self.f.analysis.class[id.index()] == Class::Memory {
                continue;
            }
            let base = self.f.program.outputs[OutputId::new(outputs.start)].base;
            let one = make_one(self.f.w, base);
            let base = self.f.analysis.slot_base[id.index()];
            // Lanes without a value read as 0, so only w has to be set.
            for slot in base..base + self.f.analysis.slot_len[id.index()] {
                self.f.lanes.set(slot, 3, Lane::scalar(one));
            }
        }
    }

    /// Clears all flags of codes that are read before any update, as after a comparison that was
    /// true. NV_gpu_program4 section 2.X.3.7 leaves them undefined.
    fn set_initial_codes(&mut self) {
        for (id, register) in self.f.program.registers.iter_enumerated() {
            let in_values = self.f.analysis.class[id.index()] == Class::Values;
            let slot = self.f.analysis.slot_base[id.index()];
            if register.storage != Storage::Cond || !in_values || self.live.live_in(slot) == 0 {
                continue;
            }
            self.f.analysis.reads_initial_codes(id);
            let clear = self.f.w.constant(Scalar::BoolFloat, 1);
            for lane in 0..4 {
                self.f.lanes.set(slot, lane, Lane::scalar(clear));
            }
        }
    }

    fn close_function(&mut self) {
        self.f.w.body.op(Op::FunctionEnd, &[]);
        self.f.w.forget_function();
    }

    /// Returns true if the end of the entry point stores outputs. Geometry programs store them for
    /// each emitted vertex instead.
    fn does_store_at_end(&self) -> bool {
        self.f.program.stage != Stage::Geometry || self.f.program.modes.passthrough
    }

    /// Requires the capabilities of the stage. Returns an error if the device lacks one.
    fn require_stage(&mut self) -> Result<(), Failure> {
        let need = match self.f.program.stage {
            Stage::TessControl | Stage::TessEval => Need::Tessellation,
            Stage::Geometry => {
                input_primitive(self.f.program, self.f.options)?;
                Need::Geometry
            }
            Stage::Vertex | Stage::Fragment | Stage::Compute => return Ok(()),
        };
        self.f.w.require(need)
    }

    /// Requires the capabilities of the modes of the program.
    fn require_modes(&mut self) {
        let modes = self.f.program.modes;
        if modes.post_depth_coverage {
            self.f.w.needs.insert(Need::PostDepthCoverage);
        }
        if let Some(interlock) = modes.interlock {
            self.f.w.needs.insert(match interlock {
                Interlock::PixelOrdered | Interlock::PixelUnordered => Need::PixelInterlock,
                Interlock::SampleOrdered | Interlock::SampleUnordered => Need::SampleInterlock,
            });
        }
    }

    /// Returns the context of the head of the module.
    fn head(&self) -> ModuleHead<'_> {
        ModuleHead {
            program: self.f.program,
            options: self.f.options,
            w: self.f.w,
            interface: self.f.interface,
            has_captures: !self.captures.is_empty(),
        }
    }

    /// Concatenates the sections and returns the reflection.
    fn assemble(&mut self, words: &mut Vec<u32>) -> Reflection {
        let target = self.f.options.target;
        // Declared last, because then all stored varyings have their variables.
        declare_added(&mut self.f.io());
        if self.f.program.stage == Stage::Geometry {
            // All outputs have been declared.
            self.f.interface.outputs.emitted_vertices = self.count_emitted_vertices();
        }
        if self.f.program.stage == Stage::Compute && self.f.program.modes.workgroup_size == [0; 3] {
            // It replaces the execution mode.
            self.f.io().workgroup_size();
        }
        if keeps_special_numbers(self.f.w) {
            self.f.w.needs.insert(Need::FloatControls);
        }
        if self.head().device_flushes() {
            self.f.w.needs.insert(Need::DenormFlush);
        }
        self.require_modes();
        let len: usize = self.f.w.sections().map(Words::len).iter().sum();
        let mut out = Words(std::mem::take(words));
        out.clear();
        out.0.reserve(len + HEAD_WORDS + self.f.w.interface.len());
        // The head is written last, because capabilities and interface are complete only now;
        // SPIR-V fixes the order of all sections.
        self.head().write_head(target, &mut out);
        for section in self.f.w.sections() {
            out.append(section);
        }
        *words = out.0;
        let requirements = self.f.w.needs.requirements(target);
        self.f.io().reflection(requirements)
    }

    /// Computes the maximum number of vertices of a geometry program, limited by the device's
    /// number of components.
    fn count_emitted_vertices(&self) -> u32 {
        let outputs = self.f.interface.reflected.outputs.iter();
        let outputs: u32 = outputs.map(|output| u32::from(output.components)).sum();
        let captures = &self.f.options.transform_feedback.captures;
        let copies = captures.iter().zip(self.captures.iter());
        // Only captures with separate variables occupy additional components.
        let copies = copies.filter(|(_, (_, variable))| variable.is_some());
        let copies: u32 = copies.map(|(capture, _)| u32::from(capture.count)).sum();
        let room = self.f.w.device.geometry_components / (outputs + copies).max(1);
        let limit = self.f.options.vertex_limit(&self.f.program.modes);
        // At least one (VUID-VkPipelineShaderStageCreateInfo-stage-00714).
        limit.min(room).max(1)
    }
}
