//! Outputs at locations that a program does not write, for stages that are compiled separately:
//! [`Varyings::Complete`].

use crate::options::{Options, Varyings};
use crate::varyings::{VARYING_LOCATIONS, semantic_at, varying_location};
use glasm_ir::{
    Aux, Base, Builder, Dst, Inst, InstFlags, Op, Output, Program, Register, Semantic, Span, Src,
    Stage, Storage, Type, Width, WriteMask,
};

/// GL's value of unwritten outputs.
const UNWRITTEN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Returns a program that also writes (0, 0, 0, 1) at all locations that the options request and
/// for which it has no output, or `None` if none are missing.
pub(crate) fn with_all_varyings(program: &Program, options: &Options) -> Option<Program> {
    let Varyings::Complete(mut wanted) = options.interface.outputs else {
        return None;
    };
    // Varyings that select state at run time occupy the locations of generic results.
    if options.stipples_lines() {
        wanted &= !bit(Semantic::LineStart);
    }
    if !options.forms.flat_colors.is_fixed() {
        let flat = |n| bit(Semantic::FlatColor(n)) | bit(Semantic::FlatBackColor(n));
        wanted &= !(flat(0) | flat(1));
    }
    let has_varyings = !matches!(program.stage, Stage::Fragment | Stage::Compute);
    let written = program.outputs.iter();
    let written = written.filter_map(|output| varying_location(output.semantic));
    let written = written.fold(0, |bits, location| bits | 1u32 << location);
    let missing = wanted & !written;
    if !has_varyings || missing == 0 {
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
    for semantic in locations.filter_map(semantic_at) {
        write(&mut builder, semantic, Src::new(Base::Literal(value)));
    }
    let nodes = program.block(body).iter();
    nodes.for_each(|node| builder.node(*node));
    builder.close_block_as(body);
    Some(builder.program)
}

/// Returns the location of a result as a mask.
fn bit(semantic: Semantic) -> u32 {
    varying_location(semantic).map_or(0, |location| 1 << location)
}

fn write(builder: &mut Builder, semantic: Semantic, value: Src) {
    let output = builder.program.outputs.push(Output::new(semantic));
    let register = builder.program.registers.push(Register {
        storage: Storage::Output(output),
        width: Width::W32,
        array: None,
        name: None,
    });
    let inst = Inst {
        op: Op::Mov,
        ty: Type::F32,
        flags: InstFlags::default(),
        source_count: 1,
        first_source: 0,
        dst: Some(Dst::new(register, WriteMask::XYZW)),
        aux: Aux::None,
        // Errors about these outputs have no source location.
        span: Span::default(),
    };
    builder.inst(inst, &[value]);
}
