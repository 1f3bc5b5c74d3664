//! Vertices that geometry and tessellation evaluation programs read, and vertices that geometry
//! programs emit.
//!
//! A geometry program counts the vertices that it emits, so that it does not exceed its declared
//! limit, where the behavior of devices differs.

use super::generator::{Generator, Pools, RESULTS};
use super::random::Random;
use crate::inst::{Aux, Base, Cond, Dst, Index, IndexId, IndexTerm, Src, WriteMask};
use crate::interp::Environment;
use crate::op::Op;
use crate::operand::Swizzle;
use crate::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessOrder};
use crate::program::{Program, RegisterId, Stage, Storage};
use crate::semantic::{Input, InputId, Output, Semantic};
use crate::span::Span;
use crate::types::{Base as TypeBase, Type, Width};

/// Number of per-vertex inputs: `generic[RESULTS..]`.
pub const VERTEX_INPUTS: usize = 2;
/// Number of vertices of the patches that tessellation evaluation programs read.
pub const PATCH_VERTICES: u32 = 4;
/// Coordinates of the subdivision are multiples of `1 / TESS_PARTS`.
pub const TESS_PARTS: u32 = 4;

/// Range of the declared vertex limit: at least two triangles.
const MAX_EMITTED: usize = 10;
const MIN_EMITTED: usize = 4;
/// Number of streams of programs that have several.
const STREAMS: usize = 4;
/// Input primitives of geometry programs. Without patches, whose number of vertices is not known to
/// the program.
const PRIMITIVES: &[InputPrimitive] = &[
    InputPrimitive::Points,
    InputPrimitive::Lines,
    InputPrimitive::LinesAdjacency,
    InputPrimitive::Triangles,
    InputPrimitive::TrianglesAdjacency,
];

/// Inputs and registers for the vertices of a program.
pub(super) struct Vertices {
    /// Inputs per vertex.
    inputs: Vec<InputId>,
    /// The primitive index.
    primitive: InputId,
    /// Lane x is the index of the vertex that is read.
    vertex: RegisterId,
    /// Lane x is the number of vertices that the invocation has emitted.
    emitted: RegisterId,
    /// Number of vertex streams that are used.
    streams: usize,
}

impl Vertices {
    /// Adds the inputs and registers; `None` if the program does not access vertices of a
    /// primitive.
    pub(super) fn new(program: &mut Program) -> Option<Self> {
        if !matches!(program.stage, Stage::TessEval | Stage::Geometry) {
            return None;
        }
        let primitive = program.inputs.push(Input {
            base: TypeBase::Unsigned,
            ..Input::new(Semantic::PrimitiveId)
        });
        let inputs = (RESULTS..RESULTS + VERTEX_INPUTS).map(|number| {
            program.inputs.push(Input {
                base: TypeBase::Unsigned,
                per_vertex: true,
                ..Input::new(Semantic::Generic(number as u8))
            })
        });
        let inputs = inputs.collect();
        let [vertex, emitted] = std::array::from_fn(|_| {
            let register = Pools::register(Storage::Temp, Width::W32);
            program.registers.push(register)
        });
        Some(Self {
            inputs,
            primitive,
            vertex,
            emitted,
            streams: 1,
        })
    }
}

/// Returns the number of vertices of the primitives that a generated program reads.
pub(super) fn count(program: &Program) -> u32 {
    match program.stage {
        Stage::Geometry => program.modes.primitive_in.vertices().unwrap_or(0),
        Stage::TessEval => PATCH_VERTICES,
        Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => 0,
    }
}

/// Fills the per-vertex inputs of a run with random bits.
pub(super) fn set_vertices(program: &Program, environment: &mut Environment, random: &mut Random) {
    let vertices = (0..count(program)).map(|_| {
        let inputs = program.inputs.iter().map(|input| {
            if input.per_vertex {
                std::array::from_fn(|_| u64::from(random.draw_bits32()))
            } else {
                [0; 4]
            }
        });
        inputs.collect()
    });
    environment.vertices = vertices.collect();
}

impl Generator {
    /// Selects input and output primitives.
    pub(super) fn pick_primitive_modes(&mut self) {
        let modes = &mut self.builder.program.modes;
        if self.options.stage == Stage::TessEval {
            modes.tess_mode = self.random.pick(TessMode::ALL).0;
            modes.tess_order = self.random.pick(TessOrder::ALL).0;
            // The program runs once for each point of the subdivision, which becomes a primitive.
            modes.point_mode = true;
            return;
        }
        modes.primitive_in = self.random.pick(PRIMITIVES);
        modes.primitive_out = self.random.pick(OutputPrimitive::ALL).0;
        modes.vertices_out =
            (MIN_EMITTED + self.random.draw_below(1 + MAX_EMITTED - MIN_EMITTED)) as u32;
        modes.invocations = self.random.draw_below(4) as u32;
        // Only points can be emitted to streams other than the first one.
        if modes.primitive_out == OutputPrimitive::Points
            && self.random.draw_percent(50)
            && let Some(vertices) = &mut self.pools.vertices
        {
            vertices.streams = STREAMS;
        }
    }

    /// Emits the initialization of the counters, and of the position of a point.
    pub(super) fn set_up_vertices(&mut self) {
        let Some(vertices) = &self.pools.vertices else {
            return;
        };
        let (emitted, primitive) = (vertices.emitted, vertices.primitive);
        let zero = self.add_literal(0);
        self.emit(Op::Mov, Type::U32, Dst::new(emitted, WriteMask::X), &[zero]);
        let number = Src {
            swizzle: Swizzle::splat(0),
            ..Src::new(Base::Input(primitive))
        };
        let second = Dst::new(self.pools.int[1], WriteMask::X);
        self.emit(Op::Mov, Type::U32, second, &[number]);
        if self.options.stage == Stage::TessEval {
            self.emit_point_position();
        }
    }

    /// Emits the position: the center of a pixel among 8 in each direction, which advances by one
    /// pixel for each `1 / TESS_PARTS` of the coordinates.
    fn emit_point_position(&mut self) {
        let program = &mut self.builder.program;
        let output = program.outputs.push(Output::new(Semantic::Position));
        let register = Pools::register(Storage::Output(output), Width::W32);
        let register = program.registers.push(register);
        let bits = |lanes: [f32; 4]| lanes.map(|lane| u64::from(lane.to_bits()));
        let zero_one = program.literals.push(bits([0.0, 0.0, 0.0, 1.0]));
        let middle = program.literals.push(bits([0.625, 0.625, 0.0, 0.0]));
        let [zero_one, middle] = [zero_one, middle].map(|id| Src::new(Base::Literal(id)));
        let coordinate = Src::new(Base::Input(self.input));
        self.emit(
            Op::Mov,
            Type::F32,
            Self::make_full_dst(register),
            &[zero_one],
        );
        let place = Dst::new(register, WriteMask(3));
        self.emit(Op::Sub, Type::F32, place, &[coordinate, middle]);
    }

    /// Emits the coordinates of the subdivision as integers, in units of `1 / TESS_PARTS`.
    pub(super) fn emit_tess_parts(&mut self, register: RegisterId) {
        let parts = self.add_literal(u64::from((TESS_PARTS as f32).to_bits()));
        let scratch = self.pools.scratch;
        let coordinate = Src::new(Base::Input(self.input));
        let lanes = WriteMask(7);
        let dst = Dst::new(scratch, lanes);
        self.emit(Op::Mul, Type::F32, dst, &[coordinate, parts]);
        let dst = Dst::new(register, lanes);
        self.emit_cvt(Type::U32, Type::F32, dst, Src::register(scratch));
    }

    /// Generates a statement that reads or emits a vertex.
    pub(super) fn generate_vertex_statement(&mut self) {
        if self.options.stage == Stage::Geometry && self.random.draw_percent(70) {
            self.generate_vertex();
        } else {
            self.generate_vertex_read();
        }
    }

    fn generate_vertex_read(&mut self) {
        let Some(vertices) = &self.pools.vertices else {
            return;
        };
        let (input, vertex) = (self.random.pick(&vertices.inputs), vertices.vertex);
        let register = self.random.pick(&self.pools.int);
        let index = self.pick_vertex_index(count(&self.builder.program), vertex);
        let swizzle = self.pick_swizzle();
        let source = Src {
            index: Some(index),
            swizzle,
            ..Src::new(Base::Input(input))
        };
        self.emit_combine(register, source);
    }

    /// Emits a write of a result and a vertex, sometimes followed by the end of the strip.
    fn generate_vertex(&mut self) {
        let result = self.random.pick(&self.pools.results);
        let (dst, source) = (self.pick_dst(result), self.pick_int_source());
        self.emit(Op::Mov, Type::U32, dst, &[source]);
        self.emit_vertex();
        if self.random.draw_percent(15) {
            self.emit_with(Op::EndPrimitive, Type::U32, Aux::None, None, &[]);
        }
    }

    /// Emits a vertex, unless the limit is reached.
    pub(super) fn emit_vertex(&mut self) {
        let Some(vertices) = &self.pools.vertices else {
            return;
        };
        let (emitted, streams) = (vertices.emitted, vertices.streams);
        let scratch = self.pools.scratch;
        let most = self.add_literal(u64::from(self.builder.program.modes.vertices_out));
        let one = self.add_literal(1);
        let count = Src::register(emitted);
        let test = Dst::new(scratch, WriteMask::X);
        self.emit(Op::SetLt, Type::U32, test, &[count, most]);
        self.builder.open_block();
        let x = Dst::new(emitted, WriteMask::X);
        self.emit(Op::Add, Type::U32, x, &[count, one]);
        let stream = if streams > 1 && self.random.draw_percent(30) {
            self.emit_small_number(scratch, streams as u64);
            Src::register(scratch)
        } else {
            let stream = self.random.draw_below(streams);
            self.add_literal(stream as u64)
        };
        self.emit_with(Op::EmitVertex, Type::S32, Aux::None, None, &[stream]);
        let then = self.builder.close_block();
        let cond = Cond::NonZero(scratch, 0, Type::U32);
        self.builder.branch(cond, then, None, Span::default());
    }

    /// Returns an index of any of `vertices`: a constant, or dynamic in lane x of `register`.
    pub(super) fn pick_vertex_index(&mut self, vertices: u32, register: RegisterId) -> IndexId {
        let constant = IndexTerm::constant(self.random.draw_below(vertices as usize) as i32);
        if !self.random.draw_percent(80) {
            return self.add_vertex_index(constant);
        }
        let number = self.random.pick(&self.pools.int);
        let (lane, most) = (self.random.draw_below(4) as u8, self.add_literal(0xff));
        let source = Src {
            swizzle: Swizzle::splat(lane),
            ..Src::register(number)
        };
        let x = Dst::new(register, WriteMask::X);
        self.emit(Op::And, Type::U32, x, &[source, most]);
        let vertices = self.add_literal(u64::from(vertices));
        self.emit(Op::Mod, Type::U32, x, &[Src::register(register), vertices]);
        self.add_vertex_index(IndexTerm {
            relative: Some((register, 0)),
            offset: 0,
        })
    }

    fn add_vertex_index(&mut self, vertex: IndexTerm) -> IndexId {
        self.builder.program.indices.push(Index {
            element: IndexTerm::constant(0),
            len: 1,
            vertex: Some(vertex),
        })
    }

    /// Emits a combination of an integer register with a source that does not allow modifiers.
    pub(super) fn emit_combine(&mut self, register: RegisterId, source: Src) {
        let dst = self.pick_dst(register);
        let op = self.random.pick(&[Op::Xor, Op::Add, Op::Sub]);
        let dst = Dst { cc: None, ..dst };
        self.emit(op, Type::U32, dst, &[Src::register(register), source]);
    }
}
