//! Outputs that options add to a program: those at locations that it does not write, for stages
//! that are compiled separately ([`Varyings::AllLocations`]), and the distances from user clip
//! planes of position-invariant vertex programs (ARB_vertex_program section 2.14.4.5.1).

use crate::options::{Options, Varyings};
use crate::varyings::{VARYING_LOCATIONS, semantic_at_location, varying_location};
use glasm_ir::arena::Id;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::{
    BaseType, Builder, Dst, Inst, InstData, InstFlags, Op, OperandBase, Output, Param, ParamId,
    ParamSource, Program, Register, RegisterId, Semantic, Span, Src, Stage, StateParam, Storage,
    Type, Width, WriteMask,
};

/// GL's value of unwritten outputs.
const UNWRITTEN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Returns a program that also writes (0, 0, 0, 1) at all locations that the options request and
/// for which it has no output, or `None` if none are missing or the stage has no varyings.
/// Locations of varyings that state adds are not written.
pub(crate) fn add_unwritten_varyings(program: &Program, options: &Options) -> Option<Program> {
    let missing = find_missing_locations(program, options);
    if missing == 0 {
        return None;
    }
    let body = program.routines[program.main].body;
    let mut builder = Builder::new(program.clone());
    let value = builder
        .program
        .literals
        .push(UNWRITTEN.map(|lane| u64::from(lane.to_bits())));
    // The stores precede the code of the program, which may return early.
    builder.open_block();
    let locations = (0..VARYING_LOCATIONS).filter(|location| missing >> location & 1 != 0);
    for semantic in locations.filter_map(semantic_at_location) {
        push_output_store(
            &mut builder,
            semantic,
            Src::new(OperandBase::Literal(value)),
        );
    }
    let nodes = program.block_nodes(body).iter();
    nodes.for_each(|node| builder.push_node(*node));
    builder.close_block_as(body);
    Some(builder.program)
}

/// Returns the locations that the options request and for which a program has no output, as a mask.
pub(crate) fn find_missing_locations(program: &Program, options: &Options) -> u32 {
    if matches!(program.stage, Stage::Fragment | Stage::Compute) {
        return 0;
    }
    let written = program.outputs.iter();
    let written = written.filter_map(|output| varying_location(output.semantic));
    let written = written.fold(0, |bits, location| bits | 1u32 << location);
    find_requested_locations(options) & !written
}

/// Returns the locations that the options request, as a mask, without those of varyings that state
/// adds.
pub(crate) fn find_requested_locations(options: &Options) -> u32 {
    let Varyings::AllLocations(mut requested) = options.interface.outputs else {
        return 0;
    };
    // Varyings that select state at run time occupy the locations of generic results.
    if options.stipples_lines() {
        requested &= !location_bit(Semantic::LineStippleStart);
    }
    if !options.state_sources.flat_colors.is_fixed() {
        let flat =
            |n| location_bit(Semantic::FlatColor(n)) | location_bit(Semantic::FlatBackColor(n));
        requested &= !(flat(0) | flat(1));
    }
    requested
}

/// Returns the varying location of a result as a mask with that bit set, 0 if it has none.
fn location_bit(semantic: Semantic) -> u32 {
    varying_location(semantic).map_or(0, |location| 1 << location)
}

/// Appends an output of four 32-bit lanes for `semantic` and an instruction that moves `value` to
/// it.
fn push_output_store(builder: &mut Builder, semantic: Semantic, value: Src) {
    let output = builder.program.outputs.push(Output::new(semantic));
    let register = builder.program.registers.push(Register {
        storage: Storage::Output(output),
        width: Width::W32,
        array_len: None,
        name: None,
    });
    let inst = Inst {
        op: Op::Mov,
        ty: Type::F32,
        flags: InstFlags::default(),
        source_count: 1,
        first_source: 0,
        dst: Some(Dst::new(register, WriteMask::XYZW)),
        data: InstData::None,
        // Errors about these outputs have no source location.
        span: Span::default(),
    };
    builder.push_inst(inst, &[value]);
}

/// Returns a program that also writes the distances from the clip planes whose bits are set, if its
/// position is that of the fixed-function pipeline, or `None` if nothing is to be added.
///
/// Distances are computed from the eye coordinates, which are the modelview matrix times the object
/// position. Marks clip distances as subject to the enabled planes if these are read at run time.
pub(crate) fn add_clip_planes(program: &Program, options: &Options) -> Option<Program> {
    let planes = options.pipeline_state.clip_plane_mask;
    let is_invariant = |output: &Output| output.semantic == Semantic::Position && output.invariant;
    if planes == 0 || !program.outputs.iter().any(is_invariant) {
        return None;
    }
    let mut inputs = program.inputs.iter_enumerated();
    // A program that computes the fixed-function position reads the object position, so the input
    // exists.
    let (vertex, _) = inputs.find(|(_, input)| {
        // `vertex.position` is attribute 0.
        input.semantic == Semantic::VertexAttribute(0)
            && (input.base, input.width) == (BaseType::Float, Width::W32)
    })?;
    let body = program.routines[program.main].body;
    let mut builder = Builder::new(program.clone());
    // Distances precede the code of the program, which may return early; they depend only on the
    // object position, which is an input.
    builder.open_block();
    let eye = compute_eye_position(&mut builder, Src::new(OperandBase::Input(vertex)));
    for plane in (0..8).filter(|plane| planes >> plane & 1 != 0) {
        let output = Output::new(Semantic::ClipDistance(plane));
        let storage = Storage::Output(builder.program.outputs.push(output));
        let distance = push_register(&mut builder, storage);
        let coefficients = push_state_param(&mut builder, StateParam::ClipPlane(u32::from(plane)));
        push_dot(
            &mut builder,
            distance,
            0,
            coefficients,
            Src::from_register(eye),
        );
    }
    program
        .block_nodes(body)
        .iter()
        .for_each(|node| builder.push_node(*node));
    builder.close_block_as(body);
    // Planes that the state disables at run time clip nothing.
    builder.program.modes.enabled_clip_distances |= !options.state_sources.clip_planes.is_fixed();
    Some(builder.program)
}

/// Appends the product of the modelview matrix and the object position `vertex`, and returns the
/// temporary register that holds the eye coordinates.
fn compute_eye_position(builder: &mut Builder, vertex: Src) -> RegisterId {
    let eye = push_register(builder, Storage::Temp);
    for row in 0..4 {
        let matrix = StateParam::MatrixRow {
            matrix: MatrixName::Modelview(0),
            form: MatrixForm::Plain,
            row,
        };
        let row_values = push_state_param(builder, matrix);
        push_dot(builder, eye, row, row_values, vertex);
    }
    eye
}

/// Appends a register with four lanes of 32 bits and returns its id.
fn push_register(builder: &mut Builder, storage: Storage) -> RegisterId {
    builder.program.registers.push(Register {
        storage,
        width: Width::W32,
        array_len: None,
        name: None,
    })
}

/// Returns an operand that reads a GL state, from an existing parameter if the program has one for
/// it, else from a new one.
fn push_state_param(builder: &mut Builder, state: StateParam) -> Src {
    let source = ParamSource::State(state);
    let params = &mut builder.program.params;
    // A state for which the program has a parameter is read from that parameter.
    let known = params.iter().position(|param| param.source == source);
    Src::new(OperandBase::Param(match known {
        Some(index) => ParamId::new(index),
        None => params.push(Param { source }),
    }))
}

/// Appends a precise four-component dot product of `a` and `b` that writes one lane of `register`.
fn push_dot(builder: &mut Builder, register: RegisterId, lane: u8, a: Src, b: Src) {
    let inst = Inst {
        op: Op::Dp4,
        ty: Type::F32,
        flags: InstFlags::PRECISE,
        source_count: 2,
        first_source: 0,
        dst: Some(Dst::new(register, WriteMask(1 << lane))),
        data: InstData::None,
        span: Span::default(),
    };
    builder.push_inst(inst, &[a, b]);
}
