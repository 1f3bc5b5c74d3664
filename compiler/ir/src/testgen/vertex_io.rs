//! Vertices that geometry and tessellation evaluation programs read, and vertices that geometry
//! programs emit.
//!
//! A geometry program counts the vertices that it emits, so that it does not exceed its declared
//! limit, where the behavior of devices differs.

use super::generator::Random;
use super::generator::{Generator, RESULT_COUNT, RegisterPools};
use crate::inst::{Cond, Dst, Index, IndexId, IndexTerm, InstData, OperandBase, Src, WriteMask};
use crate::interp::Environment;
use crate::op::Op;
use crate::operand::Swizzle;
use crate::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessWinding};
use crate::program::{Program, RegisterId, Stage, Storage};
use crate::semantic::{Input, InputId, Output, Semantic};
use crate::span::Span;
use crate::types::{BaseType, Type, Width};

/// Number of per-vertex inputs: `generic[RESULTS..]`.
pub const VERTEX_INPUT_COUNT: usize = 2;
/// Number of vertices of the patches that tessellation evaluation programs read.
pub const PATCH_VERTICES: u32 = 4;
/// Coordinates of the subdivision are multiples of `1 / TESS_SUBDIVISIONS`.
pub const TESS_SUBDIVISIONS: u32 = 4;

/// Range of the declared vertex limit: at least two triangles.
const MAX_VERTEX_LIMIT: usize = 10;
const MIN_VERTEX_LIMIT: usize = 4;
/// Number of streams of programs that have several.
const STREAM_COUNT: usize = 4;
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
pub(super) struct VertexIo {
    /// Inputs per vertex.
    inputs: Vec<InputId>,
    /// The primitive index.
    primitive_id: InputId,
    /// Lane x is the index of the vertex that is read.
    vertex_index: RegisterId,
    /// Lane x is the number of vertices that the invocation has emitted.
    emitted_count: RegisterId,
    /// Number of vertex streams that are used.
    stream_count: usize,
}

impl VertexIo {
    /// Adds an input for the primitive number, the per-vertex inputs and the registers; returns
    /// `None` if the program does not access vertices of a primitive.
    pub(super) fn new(program: &mut Program) -> Option<Self> {
        if !matches!(program.stage, Stage::TessEval | Stage::Geometry) {
            return None;
        }
        let primitive = program.inputs.push(Input {
            base: BaseType::UnsignedInt,
            ..Input::new(Semantic::PrimitiveId)
        });
        let inputs = (RESULT_COUNT..RESULT_COUNT + VERTEX_INPUT_COUNT).map(|number| {
            program.inputs.push(Input {
                base: BaseType::UnsignedInt,
                per_vertex: true,
                ..Input::new(Semantic::GenericVarying(number as u8))
            })
        });
        let inputs = inputs.collect();
        let [vertex, emitted] = std::array::from_fn(|_| {
            let register = RegisterPools::make_register(Storage::Temp, Width::W32);
            program.registers.push(register)
        });
        Some(Self {
            inputs,
            primitive_id: primitive,
            vertex_index: vertex,
            emitted_count: emitted,
            stream_count: 1,
        })
    }
}

/// Returns the number of vertices of the primitives that a generated program reads, 0 in stages
/// without them.
pub(super) fn count_input_vertices(program: &Program) -> u32 {
    match program.stage {
        Stage::Geometry => program.modes.primitive_in.vertex_count().unwrap_or(0),
        Stage::TessEval => PATCH_VERTICES,
        Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => 0,
    }
}

/// Replaces the vertices of the environment by those of the input primitive: per-vertex inputs have
/// random bits, others 0.
pub(super) fn fill_vertex_inputs(
    program: &Program,
    environment: &mut Environment,
    random: &mut Random,
) {
    let vertices = (0..count_input_vertices(program)).map(|_| {
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
    /// Sets random modes of primitives: domain and winding for tessellation evaluation; input and
    /// output primitives, vertex limit and invocations for geometry programs. Half of the geometry
    /// programs for points use several streams.
    pub(super) fn pick_primitive_modes(&mut self) {
        let modes = &mut self.builder.program.modes;
        if self.options.stage == Stage::TessEval {
            modes.tess_mode = self.random.pick(TessMode::ALL).0;
            modes.tess_order = self.random.pick(TessWinding::ALL).0;
            // The program runs once for each point of the subdivision, which becomes a primitive.
            modes.point_mode = true;
            return;
        }
        modes.primitive_in = self.random.pick(PRIMITIVES);
        modes.primitive_out = self.random.pick(OutputPrimitive::ALL).0;
        modes.vertices_out = (MIN_VERTEX_LIMIT
            + self
                .random
                .draw_below(1 + MAX_VERTEX_LIMIT - MIN_VERTEX_LIMIT))
            as u32;
        modes.invocations = self.random.draw_below(4) as u32;
        // Only points can be emitted to streams other than the first one.
        if modes.primitive_out == OutputPrimitive::Points
            && self.random.draw_percent(50)
            && let Some(vertices) = &mut self.pools.vertex_io
        {
            vertices.stream_count = STREAM_COUNT;
        }
    }

    /// Emits the initialization of the counter of vertices, of an integer register with the
    /// primitive number, and in tessellation evaluation programs of the position. Does nothing in
    /// other stages.
    pub(super) fn emit_vertex_initialization(&mut self) {
        let Some(vertices) = &self.pools.vertex_io else {
            return;
        };
        let (emitted, primitive) = (vertices.emitted_count, vertices.primitive_id);
        let zero = self.push_literal(0);
        self.emit_op(Op::Mov, Type::U32, Dst::new(emitted, WriteMask::X), &[zero]);
        let number = Src {
            swizzle: Swizzle::splat(0),
            ..Src::new(OperandBase::Input(primitive))
        };
        let second = Dst::new(self.pools.int[1], WriteMask::X);
        self.emit_op(Op::Mov, Type::U32, second, &[number]);
        if self.options.stage == Stage::TessEval {
            self.emit_point_position();
        }
    }

    /// Emits the position: the center of a pixel among 8 in each direction, which advances by one
    /// pixel for each `1 / TESS_SUBDIVISIONS` of the coordinates. Adds the output and its register.
    fn emit_point_position(&mut self) {
        let program = &mut self.builder.program;
        let output = program.outputs.push(Output::new(Semantic::Position));
        let register = RegisterPools::make_register(Storage::Output(output), Width::W32);
        let register = program.registers.push(register);
        let bits = |lanes: [f32; 4]| lanes.map(|lane| u64::from(lane.to_bits()));
        let zero_one = program.literals.push(bits([0.0, 0.0, 0.0, 1.0]));
        let middle = program.literals.push(bits([0.625, 0.625, 0.0, 0.0]));
        let [zero_one, middle] = [zero_one, middle].map(|id| Src::new(OperandBase::Literal(id)));
        let coordinate = Src::new(OperandBase::Input(self.input));
        self.emit_op(
            Op::Mov,
            Type::F32,
            Self::make_full_dst(register),
            &[zero_one],
        );
        let position_xy = Dst::new(register, WriteMask(3));
        self.emit_op(Op::Sub, Type::F32, position_xy, &[coordinate, middle]);
    }

    /// Emits the coordinates of the subdivision as integers, in units of `1 / TESS_SUBDIVISIONS`,
    /// in lanes x to z of `register`. Overwrites the scratch register.
    pub(super) fn emit_scaled_tess_coord(&mut self, register: RegisterId) {
        let parts = self.push_literal(u64::from((TESS_SUBDIVISIONS as f32).to_bits()));
        let scratch = self.pools.scratch;
        let coordinate = Src::new(OperandBase::Input(self.input));
        let lanes = WriteMask(7);
        let dst = Dst::new(scratch, lanes);
        self.emit_op(Op::Mul, Type::F32, dst, &[coordinate, parts]);
        let dst = Dst::new(register, lanes);
        self.emit_cvt(Type::U32, Type::F32, dst, Src::from_register(scratch));
    }

    /// Generates a statement that reads a per-vertex input or, in geometry programs, emits a
    /// vertex.
    pub(super) fn generate_vertex_statement(&mut self) {
        if self.options.stage == Stage::Geometry && self.random.draw_percent(70) {
            self.generate_vertex_emission();
        } else {
            self.generate_vertex_read();
        }
    }

    /// Generates a read of a per-vertex input, for a constant or dynamic vertex, into an integer
    /// register. Generates nothing in stages without such inputs.
    fn generate_vertex_read(&mut self) {
        let Some(vertices) = &self.pools.vertex_io else {
            return;
        };
        let (input, vertex) = (self.random.pick(&vertices.inputs), vertices.vertex_index);
        let register = self.random.pick(&self.pools.int);
        let index = self.pick_vertex_index(count_input_vertices(&self.builder.program), vertex);
        let swizzle = self.pick_swizzle();
        let source = Src {
            index: Some(index),
            swizzle,
            ..Src::new(OperandBase::Input(input))
        };
        self.emit_combine(register, source);
    }

    /// Generates a write of a result and the emission of a vertex, sometimes followed by the end of
    /// the strip.
    fn generate_vertex_emission(&mut self) {
        let result = self.random.pick(&self.pools.results);
        let (dst, source) = (self.pick_dst(result), self.pick_int_source());
        self.emit_op(Op::Mov, Type::U32, dst, &[source]);
        self.emit_vertex();
        if self.random.draw_percent(15) {
            self.emit_inst(Op::EndPrimitive, Type::U32, InstData::None, None, &[]);
        }
    }

    /// Emits the emission of a vertex to a random stream, under the condition that the vertex limit
    /// is not reached. Overwrites the scratch register.
    pub(super) fn emit_vertex(&mut self) {
        let Some(vertices) = &self.pools.vertex_io else {
            return;
        };
        let (emitted, streams) = (vertices.emitted_count, vertices.stream_count);
        let scratch = self.pools.scratch;
        let most = self.push_literal(u64::from(self.builder.program.modes.vertices_out));
        let one = self.push_literal(1);
        let count = Src::from_register(emitted);
        let test = Dst::new(scratch, WriteMask::X);
        self.emit_op(Op::SetLt, Type::U32, test, &[count, most]);
        self.builder.open_block();
        let x = Dst::new(emitted, WriteMask::X);
        self.emit_op(Op::Add, Type::U32, x, &[count, one]);
        let stream = if streams > 1 && self.random.draw_percent(30) {
            self.emit_random_index(scratch, streams as u64);
            Src::from_register(scratch)
        } else {
            let stream = self.random.draw_below(streams);
            self.push_literal(stream as u64)
        };
        self.emit_inst(Op::EmitVertex, Type::S32, InstData::None, None, &[stream]);
        let then = self.builder.close_block();
        let cond = Cond::NonZero(scratch, 0, Type::U32);
        self.builder.push_branch(cond, then, None, Span::default());
    }

    /// Returns an index of any of `vertices`: with 20% probability a constant, else dynamic in lane
    /// x of `register`, whose computation it emits.
    pub(super) fn pick_vertex_index(&mut self, vertices: u32, register: RegisterId) -> IndexId {
        let constant = IndexTerm::from_constant(self.random.draw_below(vertices as usize) as i32);
        if !self.random.draw_percent(80) {
            return self.add_vertex_index(constant);
        }
        let source_register = self.random.pick(&self.pools.int);
        let (lane, most) = (self.random.draw_below(4) as u8, self.push_literal(0xff));
        let source = Src {
            swizzle: Swizzle::splat(lane),
            ..Src::from_register(source_register)
        };
        let x = Dst::new(register, WriteMask::X);
        self.emit_op(Op::And, Type::U32, x, &[source, most]);
        let vertices = self.push_literal(u64::from(vertices));
        self.emit_op(
            Op::Mod,
            Type::U32,
            x,
            &[Src::from_register(register), vertices],
        );
        self.add_vertex_index(IndexTerm {
            relative: Some((register, 0)),
            offset: 0,
        })
    }

    /// Adds an index that selects a vertex of an input that is not an array.
    fn add_vertex_index(&mut self, vertex: IndexTerm) -> IndexId {
        self.builder.program.indices.push(Index {
            element: IndexTerm::from_constant(0),
            len: 1,
            vertex: Some(vertex),
        })
    }

    /// Emits a combination of an integer register with a source, without condition codes: the
    /// source must not have modifiers.
    pub(super) fn emit_combine(&mut self, register: RegisterId, source: Src) {
        let dst = self.pick_dst(register);
        let op = self.random.pick(&[Op::Xor, Op::Add, Op::Sub]);
        let dst = Dst { cc: None, ..dst };
        self.emit_op(op, Type::U32, dst, &[Src::from_register(register), source]);
    }
}
