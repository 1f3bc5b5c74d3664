//! User clip planes of position-invariant vertex programs. ARB_vertex_program section 2.14.4.5.1.

use crate::options::Options;
use glasm_ir::arena::Id;
use glasm_ir::state::{MatrixForm, MatrixName};
use glasm_ir::{
    Aux, Base, Builder, Dst, Inst, InstFlags, Op, Output, Param, ParamId, ParamSource, Program,
    Register, RegisterId, Semantic, Span, Src, StateParam, Storage, Type, TypeBase, Width,
    WriteMask,
};

/// Returns a program that also writes the distances from the clip planes whose bits are set, if its
/// position is that of the fixed-function pipeline, or `None` if nothing is to be added.
///
/// Distances are computed from the eye coordinates, which are the modelview matrix times the object
/// position.
pub(crate) fn with_clip_planes(program: &Program, options: &Options) -> Option<Program> {
    let planes = options.fixed.clip_planes;
    let is_invariant = |output: &Output| output.semantic == Semantic::Position && output.invariant;
    if planes == 0 || !program.outputs.iter().any(is_invariant) {
        return None;
    }
    let mut inputs = program.inputs.iter_enumerated();
    // A program that computes the fixed-function position reads the object position, so the input
    // exists.
    let (vertex, _) = inputs.find(|(_, input)| {
        // `vertex.position` is attribute 0.
        input.semantic == Semantic::Attrib(0)
            && (input.base, input.width) == (TypeBase::Float, Width::W32)
    })?;
    let body = program.routines[program.main].body;
    let mut builder = Builder::new(program.clone());
    // Distances precede the code of the program, which may return early; they depend only on the
    // object position, which is an input.
    builder.open_block();
    let eye = eye_position(&mut builder, Src::new(Base::Input(vertex)));
    for plane in (0..8).filter(|plane| planes >> plane & 1 != 0) {
        let output = Output::new(Semantic::ClipDistance(plane));
        let storage = Storage::Output(builder.program.outputs.push(output));
        let distance = push_register(&mut builder, storage);
        let coefficients = state(&mut builder, StateParam::ClipPlane(u32::from(plane)));
        dot(&mut builder, distance, 0, coefficients, Src::register(eye));
    }
    program
        .block(body)
        .iter()
        .for_each(|node| builder.node(*node));
    builder.close_block_as(body);
    // Planes that the state disables at run time clip nothing.
    builder.program.modes.enabled_clip_distances |= !options.forms.clip_planes.is_fixed();
    Some(builder.program)
}

fn eye_position(builder: &mut Builder, vertex: Src) -> RegisterId {
    let eye = push_register(builder, Storage::Temp);
    for row in 0..4 {
        let matrix = StateParam::MatrixRow {
            matrix: MatrixName::Modelview(0),
            form: MatrixForm::Plain,
            row,
        };
        let row_values = state(builder, matrix);
        dot(builder, eye, row, row_values, vertex);
    }
    eye
}

fn push_register(builder: &mut Builder, storage: Storage) -> RegisterId {
    builder.program.registers.push(Register {
        storage,
        width: Width::W32,
        array: None,
        name: None,
    })
}

fn state(builder: &mut Builder, state: StateParam) -> Src {
    let source = ParamSource::State(state);
    let params = &mut builder.program.params;
    // A state for which the program has a parameter is read from that parameter.
    let known = params.iter().position(|param| param.source == source);
    Src::new(Base::Param(match known {
        Some(index) => ParamId::new(index),
        None => params.push(Param { source }),
    }))
}

fn dot(builder: &mut Builder, register: RegisterId, lane: u8, a: Src, b: Src) {
    let inst = Inst {
        op: Op::Dp4,
        ty: Type::F32,
        flags: InstFlags::PRECISE,
        source_count: 2,
        first_source: 0,
        dst: Some(Dst::new(register, WriteMask(1 << lane))),
        aux: Aux::None,
        span: Span::default(),
    };
    builder.inst(inst, &[a, b]);
}
