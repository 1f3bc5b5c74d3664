//! Vertices and primitives that geometry programs emit, and the execution modes of the stages that
//! emit primitives.

use crate::builder::ModuleWriter;
use crate::capability::Need;
use crate::emit::cx::{Emission, InstCx, Outcome, PrimitiveEmitter};
use crate::error::Failure;
use crate::words::LabelWord;
use glasm_ir::primitive::{
    InputPrimitive, MAX_VERTEX_STREAMS, OutputPrimitive, TessMode, TessOrder, TessSpacing,
};
use glasm_ir::{Base, Inst, Modes, Op, Program, Stage};
use spirv::{ExecutionMode, Op as Spv};

impl PrimitiveEmitter<'_, '_> {
    /// Emits `EMIT` and `EMITS`: NV_geometry_program4 and NV_gpu_program5 section 2.X.8.Z.
    // EMITS with a stream that does not exist has undefined results (NV_gpu_program5 section
    // 2.X.8.Z).
    pub(in crate::emit) fn emit_vertex(&mut self, cx: InstCx<'_>) -> Result<Outcome, Failure> {
        let stream = self.outputs.f.load_source(cx.inst, 0, 1)?;
        // Vertices of a stream that does not exist are dropped.
        let known = self.outputs.f.w.splat_bits(stream).map(|bits| bits as u32);
        if known.is_some_and(|stream| stream >= MAX_VERTEX_STREAMS) {
            return Ok(Outcome::None);
        }
        // Once, before the cases of a dynamic stream.
        self.outputs.store_outputs()?;
        match known {
            Some(stream) => self.end_vertex(stream),
            None => self.end_vertex_by_case(stream.id.0),
        }
        Ok(Outcome::None)
    }

    fn end_vertex(&mut self, stream: u32) {
        // SPIR-V permits `OpEmitVertex` only for modules with one stream.
        if self.emission == Emission::Streams {
            let stream = self.outputs.f.w.uint(stream);
            self.outputs.f.w.body.op(Spv::EmitStreamVertex, &[stream.0]);
        } else {
            self.outputs.f.w.body.op(Spv::EmitVertex, &[]);
        }
    }

    /// Ends a vertex of a dynamic stream in a switch with a case for each stream, because SPIR-V
    /// requires a constant stream.
    fn end_vertex_by_case(&mut self, stream: u32) {
        let cases: [LabelWord; MAX_VERTEX_STREAMS as usize] = self.outputs.f.w.labels();
        let merge = self.outputs.f.w.label();
        self.outputs.f.w.merge_selection(merge);
        // Numbers of streams that do not exist branch to the merge block: nothing is emitted.
        let mut operands = vec![stream, merge.0];
        for (number, label) in (0u32..).zip(cases) {
            operands.extend([number, label.0]);
        }
        self.outputs.f.w.body.op(Spv::Switch, &operands);
        for (number, label) in (0u32..).zip(cases) {
            self.outputs.f.w.begin_block(label);
            self.end_vertex(number);
            self.outputs.f.w.jump(merge);
        }
        self.outputs.f.w.begin_block(merge);
    }

    /// Emits `ENDPRIM`, which has no effect on points: NV_geometry_program4 section 2.14.6.3. Other
    /// primitives are in stream 0 only.
    pub(in crate::emit) fn end_primitive(&mut self) -> Outcome {
        if self.outputs.f.program.modes.primitive_out != OutputPrimitive::Points {
            self.outputs.f.w.body.op(Spv::EndPrimitive, &[]);
        }
        Outcome::None
    }

    /// Ends the program: stages other than geometry store their outputs.
    pub(in crate::emit) fn end_entry(&mut self) -> Result<(), Failure> {
        if self.outputs.f.program.stage != Stage::Geometry {
            self.outputs.store_outputs()
        } else if self.outputs.f.program.modes.passthrough {
            self.pass_primitive()
        } else {
            // Vulkan requires a size even for points that are never emitted
            // (VUID-VkGraphicsPipelineCreateInfo-shaderTessellationAndGeometryPointSize-08776).
            if self.emission == Emission::Nothing {
                self.outputs.store_point_size();
            }
            Ok(())
        }
    }

    /// Emits the input primitive: every vertex with the outputs of the program and its passthrough
    /// outputs. NV_geometry_shader_passthrough section 2.14.6.4.
    fn pass_primitive(&mut self) -> Result<(), Failure> {
        let count = self.outputs.f.io().vertex_count()?;
        for vertex in 0..count {
            self.outputs.store_vertex(Some(vertex))?;
            self.end_vertex(0);
        }
        self.end_primitive();
        Ok(())
    }
}

/// Finds the streams to which a program emits.
pub(in crate::emit) fn find_emission(
    w: &mut ModuleWriter,
    program: &Program,
) -> Result<Emission, Failure> {
    let mut emission = Emission::Nothing;
    if program.stage != Stage::Geometry {
        return Ok(emission);
    }
    let emits = program.insts.iter().filter(|it| it.op == Op::EmitVertex);
    for inst in emits {
        // One instruction determines the form for all: SPIR-V does not mix `OpEmitVertex` with
        // streams.
        if constant_stream(program, inst) != Some(0) {
            w.require(Need::GeometryStreams)?;
            return Ok(Emission::Streams);
        }
        emission = Emission::FirstStream;
    }
    Ok(emission)
}

/// Returns the stream of an emitting instruction, or `None` if it is dynamic.
fn constant_stream(program: &Program, inst: &Inst) -> Option<u32> {
    let src = program.sources(inst).first()?;
    let Base::Literal(literal) = src.base else {
        return None;
    };
    let bits = program.literals[literal][src.swizzle.lane(0)] as u32;
    (!src.has_modifier()).then_some(bits)
}

/// Returns the execution mode for the input primitives of a geometry program.
pub(in crate::emit) fn input_mode(primitive: InputPrimitive) -> ExecutionMode {
    match primitive {
        InputPrimitive::Points => ExecutionMode::InputPoints,
        InputPrimitive::Lines => ExecutionMode::InputLines,
        InputPrimitive::LinesAdjacency => ExecutionMode::InputLinesAdjacency,
        InputPrimitive::TrianglesAdjacency => ExecutionMode::InputTrianglesAdjacency,
        // Patches have been converted to one of the others.
        InputPrimitive::Triangles | InputPrimitive::Patches => ExecutionMode::Triangles,
    }
}

/// Returns the execution mode for the output primitives of a geometry program.
pub(in crate::emit) fn output_mode(primitive: OutputPrimitive) -> ExecutionMode {
    match primitive {
        OutputPrimitive::Points => ExecutionMode::OutputPoints,
        OutputPrimitive::LineStrip => ExecutionMode::OutputLineStrip,
        OutputPrimitive::TriangleStrip => ExecutionMode::OutputTriangleStrip,
    }
}

/// Returns the execution modes of a tessellation evaluation program.
pub(in crate::emit) fn tess_modes(modes: &Modes) -> Vec<ExecutionMode> {
    let domain = match modes.tess_mode {
        TessMode::Triangles => ExecutionMode::Triangles,
        TessMode::Quads => ExecutionMode::Quads,
        TessMode::Isolines => ExecutionMode::Isolines,
    };
    let spacing = match modes.tess_spacing {
        TessSpacing::Equal => ExecutionMode::SpacingEqual,
        TessSpacing::FractionalOdd => ExecutionMode::SpacingFractionalOdd,
        TessSpacing::FractionalEven => ExecutionMode::SpacingFractionalEven,
    };
    let order = match modes.tess_order {
        TessOrder::Ccw => ExecutionMode::VertexOrderCcw,
        TessOrder::Cw => ExecutionMode::VertexOrderCw,
    };
    // Vulkan requires all three in one of the two tessellation stages; the evaluation program
    // declares them.
    let mut all = vec![domain, spacing, order];
    if modes.point_mode {
        all.push(ExecutionMode::PointMode);
    }
    all
}
