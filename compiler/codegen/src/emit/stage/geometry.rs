//! Vertices and primitives that geometry programs emit, and the execution modes of the stages that
//! emit primitives.

use crate::builder::ModuleWriter;
use crate::capability::Requirement;
use crate::emit::context::{InstContext, OpResult, PrimitiveEmitter, VertexEmission};
use crate::error::Failure;
use crate::spirv_writer::LabelWord;
use glasm_ir::primitive::{
    InputPrimitive, MAX_VERTEX_STREAMS, OutputPrimitive, TessMode, TessSpacing, TessWinding,
};
use glasm_ir::{Inst, Modes, Op, OperandBase, Program, Stage};
use spirv::{ExecutionMode, Op as Spv};

impl PrimitiveEmitter<'_, '_> {
    /// Emits `EMIT` and `EMITS`: NV_geometry_program4 and NV_gpu_program5 section 2.X.8.Z. Stores
    /// the outputs and ends the vertex in the stream of the first source; does nothing for a
    /// constant stream that does not exist.
    // EMITS with a stream that does not exist has undefined results (NV_gpu_program5 section
    // 2.X.8.Z).
    pub(in crate::emit) fn emit_vertex(
        &mut self,
        cx: InstContext<'_>,
    ) -> Result<OpResult, Failure> {
        let stream = self.outputs.function.load_source(cx.inst, 0, 1)?;
        // Vertices of a stream that does not exist are dropped.
        let known = self
            .outputs
            .function
            .builder
            .splat_bits(stream)
            .map(|bits| bits as u32);
        if known.is_some_and(|stream| stream >= MAX_VERTEX_STREAMS) {
            return Ok(OpResult::None);
        }
        // Once, before the cases of a dynamic stream.
        self.outputs.store_outputs()?;
        match known {
            Some(stream) => self.end_vertex(stream),
            None => self.end_vertex_by_case(stream.id.0),
        }
        Ok(OpResult::None)
    }

    /// Emits `OpEmitVertex`, or `OpEmitStreamVertex` for `stream` if the program uses several
    /// streams.
    fn end_vertex(&mut self, stream: u32) {
        // SPIR-V permits `OpEmitVertex` only for modules with one stream.
        if self.emission == VertexEmission::Streams {
            let stream = self.outputs.function.builder.constant_u32(stream);
            self.outputs
                .function
                .builder
                .body
                .push_inst(Spv::EmitStreamVertex, &[stream.0]);
        } else {
            self.outputs
                .function
                .builder
                .body
                .push_inst(Spv::EmitVertex, &[]);
        }
    }

    /// Ends a vertex of a dynamic stream in a switch with a case for each stream, because SPIR-V
    /// requires a constant stream. Numbers of streams that do not exist emit nothing.
    fn end_vertex_by_case(&mut self, stream: u32) {
        let cases: [LabelWord; MAX_VERTEX_STREAMS as usize] =
            self.outputs.function.builder.new_labels();
        let merge = self.outputs.function.builder.new_label();
        self.outputs.function.builder.emit_selection_merge(merge);
        // Numbers of streams that do not exist branch to the merge block: nothing is emitted.
        let mut operands = vec![stream, merge.0];
        for (number, label) in (0u32..).zip(cases) {
            operands.extend([number, label.0]);
        }
        self.outputs
            .function
            .builder
            .body
            .push_inst(Spv::Switch, &operands);
        for (number, label) in (0u32..).zip(cases) {
            self.outputs.function.builder.begin_block(label);
            self.end_vertex(number);
            self.outputs.function.builder.emit_branch(merge);
        }
        self.outputs.function.builder.begin_block(merge);
    }

    /// Emits `ENDPRIM`, which has no effect on points: NV_geometry_program4 section 2.14.6.3. Other
    /// primitives are in stream 0 only.
    pub(in crate::emit) fn end_primitive(&mut self) -> OpResult {
        if self.outputs.function.program.modes.primitive_out != OutputPrimitive::Points {
            self.outputs
                .function
                .builder
                .body
                .push_inst(Spv::EndPrimitive, &[]);
        }
        OpResult::None
    }

    /// Ends the entry point: stages other than geometry store their outputs, passthrough programs
    /// emit the input primitive. Other geometry programs store nothing, except a required point
    /// size if they never emit a vertex.
    pub(in crate::emit) fn end_entry_point(&mut self) -> Result<(), Failure> {
        if self.outputs.function.program.stage != Stage::Geometry {
            self.outputs.store_outputs()
        } else if self.outputs.function.program.modes.passthrough {
            self.emit_passthrough_primitive()
        } else {
            // Vulkan requires a size even for points that are never emitted
            // (VUID-VkGraphicsPipelineCreateInfo-shaderTessellationAndGeometryPointSize-08776).
            if self.emission == VertexEmission::None {
                self.outputs.store_point_size();
            }
            Ok(())
        }
    }

    /// Emits the input primitive: every vertex with the outputs of the program and its passthrough
    /// outputs. NV_geometry_shader_passthrough section 2.14.6.4.
    fn emit_passthrough_primitive(&mut self) -> Result<(), Failure> {
        let count = self.outputs.function.io().vertex_count()?;
        for vertex in 0..count {
            self.outputs.store_vertex(Some(vertex))?;
            self.end_vertex(0);
        }
        self.end_primitive();
        Ok(())
    }
}

/// Returns how a geometry program emits vertices: never, to stream 0 only, or to streams, for which
/// it adds the requirement. Other stages never emit. Returns an error if the device lacks streams.
pub(in crate::emit) fn determine_vertex_emission(
    module: &mut ModuleWriter,
    program: &Program,
) -> Result<VertexEmission, Failure> {
    let mut emission = VertexEmission::None;
    if program.stage != Stage::Geometry {
        return Ok(emission);
    }
    let emits = program
        .insts
        .iter()
        .filter(|inst| inst.op == Op::EmitVertex);
    for inst in emits {
        // One instruction determines the form for all: SPIR-V does not mix `OpEmitVertex` with
        // streams.
        if find_constant_stream(program, inst) != Some(0) {
            module
                .require(Requirement::GeometryStreams)
                .map_err(|error| error.at(inst.span))?;
            return Ok(VertexEmission::Streams);
        }
        emission = VertexEmission::FirstStream;
    }
    Ok(emission)
}

/// Returns the stream of an emitting instruction, or `None` if it is dynamic or has no source.
fn find_constant_stream(program: &Program, inst: &Inst) -> Option<u32> {
    let src = program.sources(inst).first()?;
    let OperandBase::Literal(literal) = src.base else {
        return None;
    };
    let bits = program.literals[literal][src.swizzle.lane(0)] as u32;
    (!src.has_modifier()).then_some(bits)
}

/// Returns the execution mode for the input primitives of a geometry program.
pub(in crate::emit) fn input_execution_mode(primitive: InputPrimitive) -> ExecutionMode {
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
pub(in crate::emit) fn output_execution_mode(primitive: OutputPrimitive) -> ExecutionMode {
    match primitive {
        OutputPrimitive::Points => ExecutionMode::OutputPoints,
        OutputPrimitive::LineStrip => ExecutionMode::OutputLineStrip,
        OutputPrimitive::TriangleStrip => ExecutionMode::OutputTriangleStrip,
    }
}

/// Returns the execution modes of a tessellation evaluation program: domain, spacing, winding, and
/// points if requested.
pub(in crate::emit) fn tess_execution_modes(modes: &Modes) -> Vec<ExecutionMode> {
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
        TessWinding::Ccw => ExecutionMode::VertexOrderCcw,
        TessWinding::Cw => ExecutionMode::VertexOrderCw,
    };
    // Vulkan requires all three in one of the two tessellation stages; the evaluation program
    // declares them.
    let mut all = vec![domain, spacing, order];
    if modes.point_mode {
        all.push(ExecutionMode::PointMode);
    }
    all
}
