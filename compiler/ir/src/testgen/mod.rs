//! Random programs for tests: verified, terminating, without undefined values, and with exact
//! results in every run.
//!
//! Integers are arbitrary. Floats are always multiples of 1/16 between -64 and 64, and every float
//! operation is followed by instructions that restore this invariant. Sums and products of such
//! numbers are exact in 32 bits, so neither contraction nor the order of sums matters, and there is
//! no NaN, infinity or denormal. The sign of zeros may differ between devices; their bits are never
//! read. So outputs can be compared bit by bit between the interpreter and any device.
//!
//! The interface: parameter `n` is `local[n]` and may have any bits. Results are unsigned integers.
//! Vertex programs read `attrib[0]` (unsigned) and write `generic[0..]`; fragment programs read x
//! and y of `position` and write `frag_color[0..][0]`. Geometry and tessellation evaluation
//! programs read `generic[RESULTS..]` of each vertex and the primitive index; the former also read
//! `invocation_id`, the latter `tess_coord`. Both write `generic[0..]`. Evaluation programs also
//! write `position`: the coordinates less 5/8. Compute programs read x of `global_invocation_id`
//! and store [`RESULT_BYTES`] bytes for each invocation, consecutively from the global address in x
//! (low half) and y of parameter 0.

mod arithmetic;
mod control_flow;
pub(crate) mod generator;
mod patch_outputs;
mod vertex_io;

use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Dst, InstData, OperandBase, Src, Swizzle, WriteMask};
use crate::interp::{Environment, Interpreter, StepLimitExceeded};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Routine, Stage, Storage};
use crate::resource::{MemAccess, MemFlags, MemorySpace, Param, ParamId, ParamSource};
use crate::semantic::{Input, Output, Semantic};
use crate::span::Span;
use crate::types::{BaseType, Type, Width};

use arithmetic::OperationPools;
use generator::Random;
use generator::{ARRAY_LEN, Generator, RegisterPools};
use patch_outputs::{OutputSet, PatchExchange};
use vertex_io::VertexIo;

pub use generator::{GenerateOptions, PARAM_COUNT, RESULT_BYTES, RESULT_COUNT};
pub use vertex_io::{PATCH_VERTICES, TESS_SUBDIVISIONS, VERTEX_INPUT_COUNT};

/// Returns the program of `seed`; the same seed and options return the same program.
pub fn generate_program(seed: u64, options: &GenerateOptions) -> Program {
    let mut generator = Generator::new(seed, *options);
    generator.generate_routines();
    generator.builder.program
}

/// Returns parameters and inputs for a run of a generated program, and memory for the result of a
/// compute program, whose address is in parameter 0. The same seed returns the same environment.
pub fn generate_environment(seed: u64, program: &Program) -> Environment {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut environment = Environment::default();
    environment
        .params
        .extend((0..PARAM_COUNT).map(|_| std::array::from_fn(|_| random.draw_bits32())));
    let input = match program.stage {
        Stage::Fragment => [random.draw_below(64), random.draw_below(64), 0, 0]
            .map(|at| ((at as f32) + 0.5).to_bits()),
        Stage::Compute | Stage::Geometry => [0; 4],
        Stage::TessEval => std::array::from_fn(|_| {
            let part = random.draw_below(1 + TESS_SUBDIVISIONS as usize);
            (part as f32 / TESS_SUBDIVISIONS as f32).to_bits()
        }),
        Stage::Vertex | Stage::TessControl => std::array::from_fn(|_| random.draw_bits32()),
    };
    environment.inputs.push(input.map(u64::from));
    vertex_io::fill_vertex_inputs(program, &mut environment, &mut random);
    if program.stage == Stage::Compute {
        let address = 0x1_0000_0000_u64;
        environment.params[0] = [address as u32, (address >> 32) as u32, 0, 0];
        let bytes = vec![0; RESULT_BYTES as usize];
        environment
            .memory
            .regions
            .push(crate::interp::Region { address, bytes });
    }
    environment
}

/// Returns the result vectors that a device must return for a generated program in `environment`.
///
/// # Errors
/// The step limit of the interpreter, which no generated program reaches. Results that the program
/// does not write are 0; `environment` is not changed.
pub fn compute_expected(
    program: &Program,
    environment: &Environment,
) -> Result<[[u32; 4]; RESULT_COUNT], StepLimitExceeded> {
    // A program that the verifier rejects has no semantics, and this module does not generate one.
    let Ok(interpreter) = Interpreter::new(program) else {
        return Err(StepLimitExceeded(0));
    };
    let mut environment = environment.clone();
    let outcome = interpreter.run_main(&mut environment)?;
    if program.stage != Stage::Compute {
        let lanes = |number: usize| outcome.outputs.get(number).copied().unwrap_or_default();
        return Ok(std::array::from_fn(|number| {
            lanes(number).map(|lane| lane as u32)
        }));
    }
    let invocation = environment.inputs.first().map_or(0, |lanes| lanes[0]);
    let start = invocation.saturating_mul(RESULT_BYTES);
    let region = environment.memory.regions.first();
    let bytes = region
        .and_then(|region| region.bytes.get(start as usize..))
        .unwrap_or_default();
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect();
    Ok(std::array::from_fn(|number| {
        std::array::from_fn(|lane| words.get(4 * number + lane).copied().unwrap_or(0))
    }))
}

impl Generator {
    /// Returns a generator whose program has parameters, an input of the stage and all register
    /// pools, but no code. The seed determines its modes.
    fn new(seed: u64, options: GenerateOptions) -> Self {
        let mut program = Program::new(options.stage);
        program.blocks = crate::arena::IndexVec::new();
        program.routines = crate::arena::IndexVec::new();
        // Neither mode affects numbers without infinities, NaN and denormals.
        program.modes.zero_times_inf_is_zero = seed % 3 == 1;
        program.modes.flush_denormals = seed % 4 == 2;
        for n in 0..PARAM_COUNT as u32 {
            program.params.push(Param {
                source: ParamSource::Local(n),
            });
        }
        let (semantic, base) = match options.stage {
            Stage::Fragment => (Semantic::Position, BaseType::Float),
            Stage::Compute => (Semantic::GlobalInvocationId, BaseType::UnsignedInt),
            Stage::TessControl | Stage::Geometry => (Semantic::InvocationId, BaseType::UnsignedInt),
            Stage::TessEval => (Semantic::TessCoord, BaseType::Float),
            Stage::Vertex => (Semantic::VertexAttribute(0), BaseType::UnsignedInt),
        };
        let input = program.inputs.push(Input {
            base,
            ..Input::new(semantic)
        });
        let pools = RegisterPools::new(&mut program);
        let (random, budget) = (Random::new(seed), options.max_insts);
        let builder = Builder::new(program);
        Self {
            builder,
            random,
            options,
            pools,
            operations: OperationPools::new(),
            input,
            budget,
            loop_depth: 0,
            callable: Vec::new(),
        }
    }

    /// Generates subroutines first, if the options allow calls, each of which may call the previous
    /// ones, then main, which calls all of them. Adds them to the program.
    fn generate_routines(&mut self) {
        if self.pools.patch_exchange.is_some() {
            self.pick_patch_size();
        }
        if self.pools.vertex_io.is_some() {
            self.pick_primitive_modes();
        }
        let count = if self.options.calls {
            self.random.draw_below(3)
        } else {
            0
        };
        for _ in 0..count {
            self.builder.open_block();
            let budget = self.budget / 4;
            let allowed = match self.pools.patch_exchange {
                Some(_) => self
                    .random
                    .draw_below(1 + usize::from(patch_outputs::ALL_OUTPUTS))
                    as OutputSet,
                None => 0,
            };
            self.generate_statements(budget, control_flow::RoutineRole::Subroutine, allowed);
            let body = self.builder.close_block();
            let id = self
                .builder
                .program
                .routines
                .push(Routine { name: None, body });
            self.callable.push((id, allowed));
        }
        self.builder.open_block();
        let budget = self.budget;
        self.emit_initialization();
        self.budget = budget;
        for (routine, _) in self.callable.clone() {
            self.builder.push_node(Node::Call(routine, Span::default()));
        }
        self.generate_statements(
            budget,
            control_flow::RoutineRole::Main,
            patch_outputs::ALL_OUTPUTS,
        );
        self.emit_pool_combination();
        self.emit_results();
        let body = self.builder.close_block();
        self.builder.program.main = self
            .builder
            .program
            .routines
            .push(Routine { name: None, body });
    }

    /// Emits the initialization of every register of the pools with a value that depends on
    /// parameters and input.
    fn emit_initialization(&mut self) {
        for register in self.pools.int.clone() {
            let source = self.pick_param();
            self.emit_op(Op::Mov, Type::U32, Self::make_full_dst(register), &[source]);
        }
        let first = self.pools.int[0];
        if self.options.stage == Stage::Fragment {
            self.emit_cvt(
                Type::U32,
                Type::F32,
                Dst::new(first, WriteMask(3)),
                Src::new(OperandBase::Input(self.input)),
            );
        } else if self.options.stage == Stage::TessEval {
            self.emit_scaled_tess_coord(first);
        } else {
            let input = Src {
                swizzle: Swizzle::splat(0),
                ..Src::new(OperandBase::Input(self.input))
            };
            self.emit_op(Op::Mov, Type::U32, Dst::new(first, WriteMask::X), &[input]);
        }
        for register in self.pools.float.clone() {
            let source = self.pick_int_source();
            self.emit_float_from_int(register, source);
        }
        for register in self.pools.long.clone() {
            let source = self.pick_param();
            self.emit_op(
                Op::Pack64,
                Type::U64,
                Self::make_full_dst(register),
                &[source],
            );
        }
        if self.options.arrays {
            self.emit_array_initialization();
        }
        self.emit_exchange_initialization();
        self.emit_vertex_initialization();
        for result in self.pools.results.clone() {
            let source = self.pick_int_source();
            self.emit_op(Op::Mov, Type::U32, Self::make_full_dst(result), &[source]);
        }
    }

    /// Emits the initialization of each element of the array from a random integer source.
    fn emit_array_initialization(&mut self) {
        for element in 0..ARRAY_LEN {
            let source = self.pick_int_source();
            let index = self.push_constant_index(element);
            let dst = Dst {
                index: Some(index),
                ..Self::make_full_dst(self.pools.array)
            };
            self.emit_op(Op::Mov, Type::U32, dst, &[source]);
        }
    }

    /// Emits the combination of all pools and the array into the integer registers, so that the
    /// results depend on them. Overwrites the scratch register.
    fn emit_pool_combination(&mut self) {
        for register in self.pools.float.clone() {
            let sixteen = self.push_literal(u64::from(16f32.to_bits()));
            let scratch = self.pools.scratch;
            self.emit_op(
                Op::Mul,
                Type::F32,
                Self::make_full_dst(scratch),
                &[Src::from_register(register), sixteen],
            );
            self.emit_cvt(
                Type::S32,
                Type::F32,
                Self::make_full_dst(scratch),
                Src::from_register(scratch),
            );
            self.emit_accumulation(scratch);
        }
        for register in self.pools.long.clone() {
            let scratch = self.pools.scratch;
            self.emit_op(
                Op::Unpack64,
                Type::U64,
                Self::make_full_dst(scratch),
                &[Src::from_register(register)],
            );
            self.emit_accumulation(scratch);
        }
        if self.options.arrays {
            for element in 0..ARRAY_LEN {
                let index = Some(self.push_constant_index(element));
                let source = Src {
                    index,
                    ..Src::from_register(self.pools.array)
                };
                let target = self.random.pick(&self.pools.int);
                self.emit_op(
                    Op::Xor,
                    Type::U32,
                    Self::make_full_dst(target),
                    &[Src::from_register(target), source],
                );
            }
        }
    }

    /// Emits the addition of a 32-bit register to a random integer register, so that results of the
    /// program depend on it.
    fn emit_accumulation(&mut self, register: RegisterId) {
        let target = self.random.pick(&self.pools.int);
        self.emit_op(
            Op::Add,
            Type::U32,
            Self::make_full_dst(target),
            &[Src::from_register(target), Src::from_register(register)],
        );
    }

    /// Emits the combination of the integer registers into the result registers; compute programs
    /// store these, geometry programs emit a vertex.
    fn emit_results(&mut self) {
        for (position, result) in self.pools.results.clone().into_iter().enumerate() {
            let source = Src::from_register(self.pools.int[position % self.pools.int.len()]);
            self.emit_op(
                Op::Xor,
                Type::U32,
                Self::make_full_dst(result),
                &[source, Src::from_register(result)],
            );
        }
        match self.options.stage {
            Stage::Compute => self.emit_result_stores(),
            Stage::Geometry => self.emit_vertex(),
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Fragment => {}
        }
    }

    /// Emits the stores of the results at the address of the invocation: parameter 0 plus the size
    /// of the results times the number of the invocation.
    fn emit_result_stores(&mut self) {
        let address = self.pools.long_scratch;
        let wide = self
            .builder
            .program
            .registers
            .push(RegisterPools::make_register(Storage::Temp, Width::W64));
        let base = Src::new(OperandBase::Param(ParamId::new(0)));
        self.emit_op(Op::Pack64, Type::U64, Self::make_full_dst(address), &[base]);
        self.emit_cvt(
            Type::U64,
            Type::U32,
            Dst::new(wide, WriteMask::X),
            Src::new(OperandBase::Input(self.input)),
        );
        let size = self.push_literal(RESULT_BYTES);
        let sources = [Src::from_register(wide), size, Src::from_register(address)];
        self.emit_op(
            Op::Mad,
            Type::U64,
            Dst::new(address, WriteMask::X),
            &sources,
        );
        for (position, result) in self.pools.results.clone().into_iter().enumerate() {
            let offset = 16 * position as i32;
            let (space, element, atomic) = (MemorySpace::Global, None, None);
            let access = MemAccess {
                space,
                element,
                components: 4,
                offset,
                atomic,
                flags: MemFlags::empty(),
            };
            let access = self.builder.program.mem_accesses.push(access);
            let sources = [Src::from_register(result), Src::from_register(address)];
            self.emit_inst(Op::Store, Type::U32, InstData::Mem(access), None, &sources);
        }
    }
}

impl RegisterPools {
    /// Adds the registers of all pools to a program, with those for patches or vertices that its
    /// stage requires.
    fn new(program: &mut Program) -> Self {
        let mut temps = |count: usize, width: Width| -> Vec<RegisterId> {
            (0..count)
                .map(|_| {
                    program
                        .registers
                        .push(Self::make_register(Storage::Temp, width))
                })
                .collect()
        };
        let (int, float, long) = (
            temps(4, Width::W32),
            temps(3, Width::W32),
            temps(2, Width::W64),
        );
        let counters = temps(control_flow::MAX_LOOP_DEPTH, Width::W32);
        let (scratch, index) = (temps(1, Width::W32)[0], temps(1, Width::W32)[0]);
        let long_scratch = temps(1, Width::W64)[0];
        let code = Self::make_register(Storage::Cond, Width::W32);
        let codes = vec![program.registers.push(code), program.registers.push(code)];
        let array = Register {
            array_len: Some(ARRAY_LEN),
            ..Self::make_register(Storage::Temp, Width::W32)
        };
        let array = program.registers.push(array);
        let results = (0..RESULT_COUNT)
            .map(|number| Self::push_result_register(program, number as u8))
            .collect();
        let exchange = PatchExchange::new(program, RESULT_COUNT as u8);
        let vertices = VertexIo::new(program);
        Self {
            int,
            float,
            long,
            condition_codes: codes,
            array,
            counters,
            scratch,
            long_scratch,
            index,
            results,
            patch_exchange: exchange,
            vertex_io: vertices,
        }
    }

    /// Declares result register `number`: that of an output, which it also declares, or a temporary
    /// for compute programs.
    fn push_result_register(program: &mut Program, number: u8) -> RegisterId {
        let semantic = match program.stage {
            Stage::Compute => {
                return program
                    .registers
                    .push(Self::make_register(Storage::Temp, Width::W32));
            }
            Stage::Fragment => Semantic::FragColor {
                buffer: number,
                index: 0,
            },
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
                Semantic::GenericVarying(number)
            }
        };
        let output = program.outputs.push(Output {
            base: BaseType::UnsignedInt,
            ..Output::new(semantic)
        });
        program
            .registers
            .push(Self::make_register(Storage::Output(output), Width::W32))
    }
}

#[cfg(test)]
mod tests;
