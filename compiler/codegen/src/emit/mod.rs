//! Emission: one forward walk over the tree that writes SPIR-V words.
//!
//! | file | what it writes |
//! |---|---|
//! | `flow` | blocks, branches, loops, switches, calls |
//! | `join` | phis where edges meet |
//! | `operand` | sources of instructions, modifiers |
//! | `result` | clamp, guard, write, condition-code update |
//! | `inst` | dispatch by operation |
//! | `alu`, `int`, `compare`, `convert`, `pack` | arithmetic |
//! | `cond` | condition codes and tests |
//! | `array` | registers that live in variables |
//! | `basic`, `fold` | single SPIR-V instructions, those of constants |
//! | `constant` | instructions that read only constants |
//! | `texture`, `texture_object`, `texture_offset`, `texture_wrap`, `least_level` | texture accesses |
//! | `sparse` | residency of texels |
//! | `image`, `image_object` | image accesses |
//! | `fragment`, `group` | derivatives, interpolation; thread groups |
//! | `outputs`, `capture`, `names` | stores of stage outputs, transform feedback, debug information |
//! | `memory`, `buffer`, `place`, `word_access`, `atomic` | memory accesses |
//! | `guarded` | values from blocks under a condition |
//! | `wide` | 64-bit integers without device support |

mod alu;
mod array;
mod atomic;
mod buffer;
mod capture;
mod compare;
mod cond;
mod constant;
mod convert;
mod flow;
mod fragment;
mod group;
mod guarded;
mod image;
mod image_atomic;
mod image_lock;
mod image_object;
mod inst;
mod int;
mod join;
mod least_level;
mod memory;
mod names;
mod operand;
mod outputs;
mod pack;
mod place;
mod result;
mod sparse;
mod texture;
mod texture_choice;
mod texture_object;
mod texture_offset;
mod texture_wrap;
mod views;
mod wide;
mod word_access;

use crate::analysis::Analysis;
use crate::builder::gather::Lane;
use crate::builder::{Builder, Scalar};
use crate::capability::Need;
use crate::capture::Home;
use crate::debug::{Lines, SourceText};
use crate::error::{Error, Failure};
use crate::interface::Interface;
use crate::kept::refill;
use crate::lanes::Lanes;
use crate::liveness::{Liveness, output_lanes};
use crate::options::{Options, Target};
use crate::words::{ValueWord, Words};
pub(crate) use buffer::BufferVariables;
use glasm_ir::arena::Id;
use glasm_ir::program::Interlock;
use glasm_ir::{Program, RoutineId, Stage, Storage};
pub(crate) use image_object::ImageVariable;
use join::Joins;
use rustc_hash::FxHashMap;
use spirv::{ExecutionMode, ExecutionModel, FunctionControl, Op};
pub(crate) use texture_object::TextureVariable;

/// Most variables that the entry point can list in one instruction.
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

/// What one emission knows of the parts of its program.
#[derive(Debug, Default)]
struct Tables {
    functions: Vec<ValueWord>,
    /// Constants of each literal and their type.
    literals: Vec<(Option<Scalar>, [Lane; 4])>,
    /// Where the value of each capture of the options is, and its variable once it has one of its own.
    captures: Vec<(Home, ValueWord)>,
    /// Private variables of registers in memory, by register.
    memory: Vec<ValueWord>,
    /// What the program does with each buffer; empty until that is asked.
    buffer_uses: Vec<place::BufferUse>,
    /// Values of which it was asked whether they are the same in all invocations.
    uniform: FxHashMap<ValueWord, bool>,
    live_out: Vec<(u32, u8)>,
}

impl Tables {
    fn reset(&mut self, program: &Program) {
        refill(&mut self.functions, program.routines.len(), ValueWord::NONE);
        let unknown = (None, [Lane::UNDEFINED; 4]);
        refill(&mut self.literals, program.literals.len(), unknown);
        refill(&mut self.memory, program.registers.len(), ValueWord::NONE);
        self.captures.clear();
        self.buffer_uses.clear();
        self.uniform.clear();
    }
}

/// The state of one emission.
pub(crate) struct Emit<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a Options,
    pub(crate) w: &'a mut Builder,
    pub(crate) analysis: &'a mut Analysis,
    pub(crate) live: &'a mut Liveness,
    pub(crate) lanes: &'a mut Lanes,
    pub(crate) interface: &'a mut Interface,
    joins: &'a mut Joins,
    tables: &'a mut Tables,
    lines: Option<Lines<'a>>,
    /// Ids from this one on are younger than the last result that was offered a name.
    first_unnamed: u32,
    /// Number of loops around the open block.
    open_loops: u32,
    /// Whether a `Return` ends the entry point.
    in_entry: bool,
    sparse: sparse::Sparse,
}

/// Emits `program`; on success words and interface are complete.
pub(crate) fn emit(
    kept: &mut Kept,
    program: &Program,
    options: &Options,
    source: Option<SourceText<'_>>,
    words: &mut Vec<u32>,
) -> Result<crate::Reflection, Failure> {
    kept.w.reset(program.stage, options);
    kept.interface.reset(program);
    kept.tables.reset(program);
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
        open_loops: 0,
        in_entry: false,
        sparse: sparse::Sparse::default(),
    };
    emit.program()?;
    Ok(emit.assemble(words))
}

impl Emit<'_> {
    fn program(&mut self) -> Result<(), Failure> {
        if matches!(
            self.program.stage,
            Stage::TessControl | Stage::TessEval | Stage::Geometry
        ) {
            let name = self.program.stage.name();
            return Err(Error::unsupported(format!(
                "{name} programs are not supported yet"
            )));
        }
        self.analysis.run(self.program)?;
        self.plan_captures()?;
        let entry = self.w.object();
        for index in 0..self.analysis.functions.len() {
            let routine = self.analysis.functions[index];
            let is_entry = routine == self.program.main && !self.analysis.split_main;
            self.tables.functions[routine.index()] = if is_entry { entry } else { self.w.object() };
        }
        for index in 0..self.analysis.functions.len() {
            let routine = self.analysis.functions[index];
            self.function(routine)?;
        }
        if self.analysis.split_main {
            self.split_entry(entry)?;
        }
        self.interface.entry = entry;
        if self.w.interface.len() > MAX_GLOBALS {
            return Err(Error::limit("the program has too many variables"));
        }
        Ok(())
    }

    fn function(&mut self, routine: RoutineId) -> Result<(), Failure> {
        self.in_entry = routine == self.program.main && !self.analysis.split_main;
        let mut live_out = std::mem::take(&mut self.tables.live_out);
        live_out.clear();
        if self.in_entry {
            let varyings = &self.options.interface.outputs;
            output_lanes(self.program, self.analysis, varyings, &mut live_out);
        }
        self.live
            .run(self.program, self.analysis, routine, &live_out);
        self.tables.live_out = live_out;
        let function = self.tables.functions[routine.index()];
        self.open_function(function);
        self.set_output_defaults();
        self.set_initial_codes();
        self.flow_body(routine)?;
        if self.w.reachable {
            self.leave_function()?;
        }
        self.close_function();
        Ok(())
    }

    fn split_entry(&mut self, entry: ValueWord) -> Result<(), Failure> {
        self.in_entry = true;
        self.open_function(entry);
        self.call_function(self.program.main);
        self.leave_function()?;
        self.close_function();
        Ok(())
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
        self.w.reachable = true;
        self.lanes.reset(self.analysis.slot_register.len());
        self.interface.forget_loads();
    }

    /// Outputs start as (0, 0, 0, 1), so that partial writes leave these values.
    fn set_output_defaults(&mut self) {
        if !self.in_entry {
            return;
        }
        for (id, register) in self.program.registers.iter_enumerated() {
            let Storage::Output(output) = register.storage else {
                continue;
            };
            if self.analysis.class[id.index()] == crate::analysis::Class::Memory {
                continue;
            }
            let one = self
                .interface
                .one(self.w, self.program.outputs[output].base);
            let base = self.analysis.slot_base[id.index()];
            for slot in base..base + self.analysis.slot_len[id.index()] {
                self.lanes.set(slot, 3, Lane::scalar(one));
            }
        }
    }

    /// Codes that are read before any update have all flags clear, as after a comparison that was true.
    fn set_initial_codes(&mut self) {
        for (id, register) in self.program.registers.iter_enumerated() {
            let in_values = self.analysis.class[id.index()] == crate::analysis::Class::Values;
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

    /// The end of the open function at this point.
    fn leave_function(&mut self) -> Result<(), Failure> {
        if self.in_entry {
            self.store_outputs()?;
        }
        self.w.body.op(Op::Return, &[]);
        self.w.reachable = false;
        Ok(())
    }

    fn call_function(&mut self, routine: RoutineId) {
        let void = self.w.void();
        let id = self.w.object();
        let function = self.tables.functions[routine.index()];
        self.w
            .body
            .result(Op::FunctionCall, void, id, &[function.0]);
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
    fn assemble(&mut self, words: &mut Vec<u32>) -> crate::Reflection {
        let target = self.options.target;
        if self.program.stage == Stage::Compute && self.program.modes.workgroup_size == [0; 3] {
            // It takes the place of the execution mode.
            self.interface.workgroup_size(self.w, self.program);
        }
        let float_controls = self.w.device.signed_zero_inf_nan_preserve_float32;
        if float_controls {
            self.w.needs.insert(Need::FloatControls);
        }
        let sections = [
            &self.w.strings,
            &self.w.names,
            &self.w.annotations,
            &self.w.globals,
            &self.w.functions,
            &self.w.prologue,
            &self.w.body,
        ];
        let len: usize = sections.iter().map(|section| section.len()).sum();
        let mut out = Words(std::mem::take(words));
        out.clear();
        out.0.reserve(len + HEAD_WORDS + self.w.interface.len());
        out.0.extend([
            spirv::MAGIC_NUMBER,
            target.spirv_version(),
            0,
            self.w.bound(),
            0,
        ]);
        self.mode_needs();
        self.w.needs.write(target, &mut out);
        if let Some(glsl) = self.w.glsl_if_used() {
            out.op_string(Op::ExtInstImport, &[glsl.0], "GLSL.std.450", &[]);
        }
        self.write_entry_point(target, &mut out);
        if float_controls {
            let entry = self.interface.entry.0;
            let mode = ExecutionMode::SignedZeroInfNanPreserve as u32;
            out.op(Op::ExecutionMode, &[entry, mode, 32]);
        }
        let sections = [
            &self.w.strings,
            &self.w.names,
            &self.w.annotations,
            &self.w.globals,
            &self.w.functions,
            &self.w.prologue,
            &self.w.body,
        ];
        for section in sections {
            out.append(section);
        }
        *words = out.0;
        self.interface
            .reflection(self.program, self.w.needs.requirements(target))
    }

    fn write_entry_point(&self, target: Target, out: &mut Words) {
        let needs = self.w.needs;
        let addressing = if needs.contains(Need::Addresses) {
            spirv::AddressingModel::PhysicalStorageBuffer64
        } else {
            spirv::AddressingModel::Logical
        };
        out.op(
            Op::MemoryModel,
            &[addressing as u32, spirv::MemoryModel::GLSL450 as u32],
        );
        let model = match self.program.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::TessControl => ExecutionModel::TessellationControl,
            Stage::TessEval => ExecutionModel::TessellationEvaluation,
            Stage::Geometry => ExecutionModel::Geometry,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        let entry = self.interface.entry.0;
        let listed = if target >= Target::Vulkan1_2 {
            &self.w.interface
        } else {
            &self.interface.in_out
        };
        out.op_string(Op::EntryPoint, &[model as u32, entry], "main", listed);
        let modes = self.program.modes;
        let mut mode = |mode: ExecutionMode, operands: &[u32]| {
            out.head(Op::ExecutionMode, operands.len() + 2);
            out.0.extend([entry, mode as u32]);
            out.0.extend_from_slice(operands);
        };
        if !self.tables.captures.is_empty() {
            mode(ExecutionMode::Xfb, &[]);
        }
        match self.program.stage {
            Stage::Fragment => {
                mode(ExecutionMode::OriginUpperLeft, &[]);
                if modes.early_fragment_tests || modes.post_depth_coverage {
                    mode(ExecutionMode::EarlyFragmentTests, &[]);
                }
                if modes.post_depth_coverage {
                    mode(ExecutionMode::PostDepthCoverage, &[]);
                }
                if let Some(interlock) = modes.interlock {
                    mode(interlock_mode(interlock), &[]);
                }
                if self.interface.writes_depth {
                    mode(ExecutionMode::DepthReplacing, &[]);
                }
            }
            Stage::Compute => mode(
                ExecutionMode::LocalSize,
                &modes.workgroup_size.map(|size| size.max(1)),
            ),
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {}
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
