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
mod flow;
mod generator;
mod patch_outputs;
pub(crate) mod random;
mod vertex_io;

use crate::arena::Id;
use crate::builder::Builder;
use crate::inst::{Aux, Base, Dst, Src, Swizzle, WriteMask};
use crate::interp::{Environment, Interpreter, StepLimit};
use crate::op::Op;
use crate::program::{Node, Program, Register, RegisterId, Routine, Stage, Storage};
use crate::resource::{MemAccess, MemFlags, MemSpace, Param, ParamId, ParamSource};
use crate::semantic::{Input, Output, Semantic};
use crate::span::Span;
use crate::types::{Base as TypeBase, Type, Width};

use arithmetic::Operations;
use generator::{ARRAY, Generator, Pools};
use patch_outputs::{Allowed, Exchange};
use random::Random;
use vertex_io::Vertices;

pub use generator::{GenerateOptions, PARAMS, RESULT_BYTES, RESULTS};
pub use vertex_io::{PATCH_VERTICES, TESS_PARTS, VERTEX_INPUTS};

/// Returns the program of `seed`; the same seed and options return the same program.
pub fn program(seed: u64, options: &GenerateOptions) -> Program {
    let mut generator = Generator::new(seed, *options);
    generator.generate_routines();
    generator.builder.program
}

/// Returns parameters and inputs for a run of a generated program, and memory for the result of a
/// compute program.
pub fn environment(seed: u64, program: &Program) -> Environment {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut environment = Environment::default();
    environment
        .params
        .extend((0..PARAMS).map(|_| std::array::from_fn(|_| random.draw_bits32())));
    let input = match program.stage {
        Stage::Fragment => [random.draw_below(64), random.draw_below(64), 0, 0]
            .map(|at| ((at as f32) + 0.5).to_bits()),
        Stage::Compute | Stage::Geometry => [0; 4],
        Stage::TessEval => std::array::from_fn(|_| {
            let part = random.draw_below(1 + TESS_PARTS as usize);
            (part as f32 / TESS_PARTS as f32).to_bits()
        }),
        Stage::Vertex | Stage::TessControl => std::array::from_fn(|_| random.draw_bits32()),
    };
    environment.inputs.push(input.map(u64::from));
    vertex_io::set_vertices(program, &mut environment, &mut random);
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
/// The step limit of the interpreter, which no generated program reaches.
pub fn expected(
    program: &Program,
    environment: &Environment,
) -> Result<[[u32; 4]; RESULTS], StepLimit> {
    // A program that the verifier rejects has no semantics, and this module does not generate one.
    let Ok(interpreter) = Interpreter::new(program) else {
        return Err(StepLimit(0));
    };
    let mut environment = environment.clone();
    let outcome = interpreter.run(&mut environment)?;
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
    fn new(seed: u64, options: GenerateOptions) -> Self {
        let mut program = Program::new(options.stage);
        program.blocks = crate::arena::IndexVec::new();
        program.routines = crate::arena::IndexVec::new();
        // Neither mode affects numbers without infinities, NaN and denormals.
        program.modes.zero_product = seed % 3 == 1;
        program.modes.flush_denormals = seed % 4 == 2;
        for n in 0..PARAMS as u32 {
            program.params.push(Param {
                source: ParamSource::Local(n),
            });
        }
        let (semantic, base) = match options.stage {
            Stage::Fragment => (Semantic::Position, TypeBase::Float),
            Stage::Compute => (Semantic::GlobalInvocationId, TypeBase::Unsigned),
            Stage::TessControl | Stage::Geometry => (Semantic::InvocationId, TypeBase::Unsigned),
            Stage::TessEval => (Semantic::TessCoord, TypeBase::Float),
            Stage::Vertex => (Semantic::Attrib(0), TypeBase::Unsigned),
        };
        let input = program.inputs.push(Input {
            base,
            ..Input::new(semantic)
        });
        let pools = Pools::new(&mut program);
        let (random, budget) = (Random::new(seed), options.max_insts);
        let builder = Builder::new(program);
        Self {
            builder,
            random,
            options,
            pools,
            operations: Operations::new(),
            input,
            budget,
            loops: 0,
            callable: Vec::new(),
        }
    }

    /// Generates subroutines first, each of which may call the previous ones, then main.
    fn generate_routines(&mut self) {
        if self.pools.exchange.is_some() {
            self.pick_patch_size();
        }
        if self.pools.vertices.is_some() {
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
            let allowed = match self.pools.exchange {
                Some(_) => self.random.draw_below(1 + usize::from(patch_outputs::ALL)) as Allowed,
                None => 0,
            };
            self.generate_statements(budget, flow::RoutineRole::Subroutine, allowed);
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
        self.set_up();
        self.budget = budget;
        for (routine, _) in self.callable.clone() {
            self.builder.node(Node::Call(routine, Span::default()));
        }
        self.generate_statements(budget, flow::RoutineRole::Main, patch_outputs::ALL);
        self.gather();
        self.emit_results();
        let body = self.builder.close_block();
        self.builder.program.main = self
            .builder
            .program
            .routines
            .push(Routine { name: None, body });
    }

    /// Initializes every register of the pools with a value that depends on parameters and input.
    fn set_up(&mut self) {
        for register in self.pools.int.clone() {
            let source = self.pick_param();
            self.emit(Op::Mov, Type::U32, Self::make_full_dst(register), &[source]);
        }
        let first = self.pools.int[0];
        if self.options.stage == Stage::Fragment {
            self.emit_cvt(
                Type::U32,
                Type::F32,
                Dst::new(first, WriteMask(3)),
                Src::new(Base::Input(self.input)),
            );
        } else if self.options.stage == Stage::TessEval {
            self.emit_tess_parts(first);
        } else {
            let input = Src {
                swizzle: Swizzle::splat(0),
                ..Src::new(Base::Input(self.input))
            };
            self.emit(Op::Mov, Type::U32, Dst::new(first, WriteMask::X), &[input]);
        }
        for register in self.pools.float.clone() {
            let source = self.pick_int_source();
            self.emit_float_from_int(register, source);
        }
        for register in self.pools.long.clone() {
            let source = self.pick_param();
            self.emit(
                Op::Pack64,
                Type::U64,
                Self::make_full_dst(register),
                &[source],
            );
        }
        if self.options.arrays {
            self.set_up_array();
        }
        self.set_up_exchange();
        self.set_up_vertices();
        for result in self.pools.results.clone() {
            let source = self.pick_int_source();
            self.emit(Op::Mov, Type::U32, Self::make_full_dst(result), &[source]);
        }
    }

    fn set_up_array(&mut self) {
        for element in 0..ARRAY {
            let source = self.pick_int_source();
            let index = self.add_constant_index(element);
            let dst = Dst {
                index: Some(index),
                ..Self::make_full_dst(self.pools.array)
            };
            self.emit(Op::Mov, Type::U32, dst, &[source]);
        }
    }

    /// Combines all pools into the integer registers, so that the results depend on them.
    fn gather(&mut self) {
        for register in self.pools.float.clone() {
            let sixteen = self.add_literal(u64::from(16f32.to_bits()));
            let scratch = self.pools.scratch;
            self.emit(
                Op::Mul,
                Type::F32,
                Self::make_full_dst(scratch),
                &[Src::register(register), sixteen],
            );
            self.emit_cvt(
                Type::S32,
                Type::F32,
                Self::make_full_dst(scratch),
                Src::register(scratch),
            );
            self.emit_observation(scratch);
        }
        for register in self.pools.long.clone() {
            let scratch = self.pools.scratch;
            self.emit(
                Op::Unpack64,
                Type::U64,
                Self::make_full_dst(scratch),
                &[Src::register(register)],
            );
            self.emit_observation(scratch);
        }
        if self.options.arrays {
            for element in 0..ARRAY {
                let index = Some(self.add_constant_index(element));
                let source = Src {
                    index,
                    ..Src::register(self.pools.array)
                };
                let target = self.random.pick(&self.pools.int);
                self.emit(
                    Op::Xor,
                    Type::U32,
                    Self::make_full_dst(target),
                    &[Src::register(target), source],
                );
            }
        }
    }

    /// Emits the addition of a register to a random integer register, so that results of the program
    /// depend on it.
    fn emit_observation(&mut self, register: RegisterId) {
        let target = self.random.pick(&self.pools.int);
        self.emit(
            Op::Add,
            Type::U32,
            Self::make_full_dst(target),
            &[Src::register(target), Src::register(register)],
        );
    }

    fn emit_results(&mut self) {
        for (position, result) in self.pools.results.clone().into_iter().enumerate() {
            let source = Src::register(self.pools.int[position % self.pools.int.len()]);
            self.emit(
                Op::Xor,
                Type::U32,
                Self::make_full_dst(result),
                &[source, Src::register(result)],
            );
        }
        match self.options.stage {
            Stage::Compute => self.store_results(),
            Stage::Geometry => self.emit_vertex(),
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Fragment => {}
        }
    }

    /// Stores the results at the address of the invocation.
    fn store_results(&mut self) {
        let address = self.pools.long_scratch;
        let wide = self
            .builder
            .program
            .registers
            .push(Pools::register(Storage::Temp, Width::W64));
        let base = Src::new(Base::Param(ParamId::new(0)));
        self.emit(Op::Pack64, Type::U64, Self::make_full_dst(address), &[base]);
        self.emit_cvt(
            Type::U64,
            Type::U32,
            Dst::new(wide, WriteMask::X),
            Src::new(Base::Input(self.input)),
        );
        let size = self.add_literal(RESULT_BYTES);
        let sources = [Src::register(wide), size, Src::register(address)];
        self.emit(
            Op::Mad,
            Type::U64,
            Dst::new(address, WriteMask::X),
            &sources,
        );
        for (position, result) in self.pools.results.clone().into_iter().enumerate() {
            let offset = 16 * position as i32;
            let (space, element, atomic) = (MemSpace::Global, None, None);
            let access = MemAccess {
                space,
                element,
                components: 4,
                offset,
                atomic,
                flags: MemFlags::empty(),
            };
            let access = self.builder.program.mem_accesses.push(access);
            let sources = [Src::register(result), Src::register(address)];
            self.emit_with(Op::Store, Type::U32, Aux::Mem(access), None, &sources);
        }
    }
}

impl Pools {
    fn new(program: &mut Program) -> Self {
        let mut temps = |count: usize, width: Width| -> Vec<RegisterId> {
            (0..count)
                .map(|_| program.registers.push(Self::register(Storage::Temp, width)))
                .collect()
        };
        let (int, float, long) = (
            temps(4, Width::W32),
            temps(3, Width::W32),
            temps(2, Width::W64),
        );
        let counters = temps(flow::MAX_LOOPS, Width::W32);
        let (scratch, index) = (temps(1, Width::W32)[0], temps(1, Width::W32)[0]);
        let long_scratch = temps(1, Width::W64)[0];
        let code = Self::register(Storage::Cond, Width::W32);
        let codes = vec![program.registers.push(code), program.registers.push(code)];
        let array = Register {
            array: Some(ARRAY),
            ..Self::register(Storage::Temp, Width::W32)
        };
        let array = program.registers.push(array);
        let results = (0..RESULTS)
            .map(|number| Self::add_result(program, number as u8))
            .collect();
        let exchange = Exchange::new(program, RESULTS as u8);
        let vertices = Vertices::new(program);
        Self {
            int,
            float,
            long,
            codes,
            array,
            counters,
            scratch,
            long_scratch,
            index,
            results,
            exchange,
            vertices,
        }
    }

    fn add_result(program: &mut Program, number: u8) -> RegisterId {
        let semantic = match program.stage {
            Stage::Compute => {
                return program
                    .registers
                    .push(Self::register(Storage::Temp, Width::W32));
            }
            Stage::Fragment => Semantic::FragColor {
                buffer: number,
                index: 0,
            },
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
                Semantic::Generic(number)
            }
        };
        let output = program.outputs.push(Output {
            base: TypeBase::Unsigned,
            ..Output::new(semantic)
        });
        program
            .registers
            .push(Self::register(Storage::Output(output), Width::W32))
    }
}

#[cfg(test)]
mod tests;
