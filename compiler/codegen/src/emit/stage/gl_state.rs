//! Varyings that state adds to the results of a program, so that fragment programs can select at
//! run time: flat colors, starts of lines.

use crate::builder::{Lane, Scalar, Val, ValueBuilder};
use crate::emit::stage::output_variable::{OutputPlace, store_output_lanes};
use crate::error::Failure;
use crate::interface::location::decorate_varying;
use crate::interface::names::output_name;
use crate::interface::{Io, base_scalar, find};
use crate::state::Word;
use crate::varyings::{Place, add_state, flat_copy};
use crate::words::ValueWord;
use glasm_ir::{Output, Program, Semantic, Stage};
use spirv::{Op as Spv, StorageClass};

/// Stores the additional varyings of a result that has been stored.
pub(super) fn store_added(
    io: &mut Io<'_>,
    semantic: Semantic,
    lanes: [Lane; 4],
) -> Result<(), Failure> {
    if !makes_vertices(io.program) {
        return Ok(());
    }
    if semantic == Semantic::Position && io.options.stipples_lines() {
        return store_line_start(io, lanes);
    }
    match flat_copy(semantic) {
        Some(copy) if !io.options.forms.flat_colors.is_fixed() => {
            store_added_varying(io, copy, lanes)
        }
        Some(_) | None => Ok(()),
    }
}

/// Stores the window position of a vertex, which fragments of a line read from its first vertex.
fn store_line_start(io: &mut Io<'_>, position: [Lane; 4]) -> Result<(), Failure> {
    let place = position.map(|lane| io.w.lane_val(lane, Scalar::F32));
    let mut lanes = [Lane::scalar(io.w.float(0.0)); 4];
    for axis in 0..2 {
        let corner = io.gl_state().load_at(Word::Viewport, axis as u32);
        let size = io.gl_state().load_at(Word::Viewport, axis as u32 + 2);
        let [corner, size] = [corner, size].map(|id| io.w.val(id));
        lanes[axis] = map_to_window(io.w, place[axis], place[3], corner, size);
    }
    store_added_varying(io, Semantic::LineStart, lanes)
}

/// Stores a varying that is not an output of the program.
fn store_added_varying(
    io: &mut Io<'_>,
    semantic: Semantic,
    lanes: [Lane; 4],
) -> Result<(), Failure> {
    let varyings = &io.options.interface.outputs;
    let Some(place) = varyings.place(semantic) else {
        return Ok(());
    };
    let others = io.program.outputs.iter().map(|output| output.semantic);
    // The program may have a generic result at that location of the fixed table.
    varyings.check_apart(semantic, others)?;
    let variable = declare_added_varying(io, semantic, &place);
    store_output_lanes(io.w, variable, &OutputPlace::varying(&place), lanes);
    Ok(())
}

fn declare_added_varying(io: &mut Io<'_>, semantic: Semantic, place: &Place) -> ValueWord {
    if let Some(variable) = find(&io.vars.outputs.added, semantic) {
        return variable;
    }
    let scalar = base_scalar(place.base);
    let ty = io.w.ty(scalar, place.components);
    let variable = io.variable(StorageClass::Output, ty);
    decorate_varying(io.w, variable, place);
    io.w.name(variable, || output_name(semantic));
    let output = Output::new(semantic);
    io.vars
        .reflect_output(&output, Some(place.location), scalar, place.components);
    io.vars.outputs.added.push((semantic, variable));
    variable
}

/// Declares the added varyings that the fragment program reads in programs that never finish a
/// vertex and thus stored none.
pub(in crate::emit) fn declare_added(io: &mut Io<'_>) {
    let is_asked = io.options.stipples_lines() || !io.options.forms.flat_colors.is_fixed();
    if !is_asked || !makes_vertices(io.program) {
        return;
    }
    let outputs = io.program.outputs.iter();
    let mut semantics: Vec<_> = outputs.map(|output| output.semantic).collect();
    add_state(&mut semantics, io.program, io.options);
    // `add_state` appends its varyings after the outputs of the program.
    for semantic in semantics.split_off(io.program.outputs.len()) {
        if let Some(place) = io.options.interface.outputs.place(semantic) {
            declare_added_varying(io, semantic, &place);
        }
    }
}

fn makes_vertices(program: &Program) -> bool {
    matches!(
        program.stage,
        Stage::Vertex | Stage::TessEval | Stage::Geometry
    )
}

/// Converts a coordinate in clip space to pixels.
fn map_to_window(
    w: &mut ValueBuilder,
    coordinate: Val,
    divisor: Val,
    corner: Val,
    size: Val,
) -> Lane {
    // Vulkan, "Controlling the Viewport": the center plus the normalized coordinate times half of
    // the size.
    let half = w.binary_float(Spv::FMul, size, 0.5);
    let center = w.binary(Spv::FAdd, corner, half);
    let normalized = w.binary(Spv::FDiv, coordinate, divisor);
    let scaled = w.binary(Spv::FMul, normalized, half);
    w.binary(Spv::FAdd, scaled, center).lane(0)
}
