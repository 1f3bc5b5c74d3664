//! What GL state and conventions change in modules.

use crate::support::*;
use glasm_codegen::Options;
use glasm_codegen::options::{Conventions, PipelineState, PointOrigin};
use glasm_ir::semantic::Interpolation;
use glasm_ir::*;

/// Moves an input of a fragment program to its color.
fn passing(semantic: Semantic) -> Program {
    let mut m = Make::new(Stage::Fragment);
    let input = m.input(semantic);
    let color = m.color();
    m.f(Op::Mov, d(color, "xyzw"), &[input]);
    m.finish()
}

fn fixed(fixed: PipelineState) -> Options {
    Options {
        pipeline_state: fixed,
        ..Options::default()
    }
}

#[test]
fn two_sided_colors_are_selected_by_facing() {
    let options = fixed(PipelineState {
        two_sided_color: true,
        ..PipelineState::default()
    });
    let module = check_with(&passing(Semantic::Color(1)), &options);
    let text = disassemble(&module.words);
    assert_eq!(count(&text, "FrontFacing"), 1);
    let inputs: Vec<_> = module.reflection.inputs.iter().collect();
    let locations: Vec<_> = inputs.iter().filter_map(|input| input.location).collect();
    assert_eq!(locations, [1, 3]);
    let other = check_with(&passing(Semantic::TexCoord(1)), &options);
    assert_eq!(count(&disassemble(&other.words), "FrontFacing"), 0);
}

#[test]
fn both_sides_are_evaluated_elsewhere() {
    let mut m = Make::new(Stage::Fragment);
    let input = m.input(Semantic::Color(0));
    let color = m.color();
    m.f(Op::InterpCentroid, d(color, "xyzw"), &[input]);
    let options = fixed(PipelineState {
        two_sided_color: true,
        ..PipelineState::default()
    });
    let module = check_with(&m.finish(), &options);
    let text = disassemble(&module.words);
    assert_eq!(count(&text, "InterpolateAtCentroid"), 2);
}

#[test]
fn flat_colors_are_not_interpolated() {
    let options = fixed(PipelineState {
        flat_colors: true,
        ..PipelineState::default()
    });
    for (semantic, interpolation) in [
        (Semantic::Color(0), Interpolation::Flat),
        (Semantic::TexCoord(0), Interpolation::Smooth),
    ] {
        let module = check_with(&passing(semantic), &options);
        assert_eq!(module.reflection.inputs[0].interpolation, interpolation);
    }
}

#[test]
fn flat_back_colors_are_not_interpolated() {
    for flat_colors in [true, false] {
        let options = fixed(PipelineState {
            flat_colors,
            two_sided_color: true,
            ..PipelineState::default()
        });
        let module = check_with(&passing(Semantic::Color(1)), &options);
        let colors = if flat_colors { 2 } else { 0 };
        assert_eq!(count(&disassemble(&module.words), "Flat"), colors);
        let inputs = module.reflection.inputs.iter();
        let flat = inputs
            .filter(|input| input.location.is_some() && input.interpolation == Interpolation::Flat);
        assert_eq!(flat.count(), colors);
    }
}

#[test]
fn points_replace_their_texture_coordinates_only() {
    let options = fixed(PipelineState {
        coord_replace_mask: 0b100,
        ..PipelineState::default()
    });
    for (set, count_of_builtins) in [(2, 1), (1, 0)] {
        let module = check_with(&passing(Semantic::TexCoord(set)), &options);
        let text = disassemble(&module.words);
        assert_eq!(count(&text, "PointCoord"), count_of_builtins);
        // What is replaced need not come from the stage before.
        let mut inputs = module.reflection.inputs.iter();
        let is_passed = inputs.any(|input| input.semantic == Semantic::TexCoord(set));
        assert_eq!(is_passed, count_of_builtins == 0);
    }
}

#[test]
fn point_coordinates_are_flipped_by_convention_and_origin() {
    use PointOrigin::{LowerLeft, UpperLeft};
    for (conventions, point_origin, flips) in [
        (Conventions::vulkan(), UpperLeft, 0),
        (Conventions::opengl(), UpperLeft, 1),
        (Conventions::vulkan(), LowerLeft, 1),
        (Conventions::opengl(), LowerLeft, 0),
    ] {
        let options = Options {
            conventions,
            pipeline_state: PipelineState {
                point_origin,
                ..PipelineState::default()
            },
            ..Options::default()
        };
        let module = check_with(&passing(Semantic::PointCoord), &options);
        assert_eq!(count(&disassemble(&module.words), "OpFSub"), flips);
    }
}

#[test]
fn colors_of_vertices_are_clamped() {
    for (semantic, clamps) in [
        (Semantic::Color(0), 1),
        (Semantic::BackColor(1), 1),
        (Semantic::TexCoord(0), 0),
    ] {
        let mut m = Make::new(Stage::Vertex);
        let input = m.input(Semantic::VertexAttribute(0));
        let output = m.output(semantic);
        m.f(Op::Mov, d(output, "xyzw"), &[input]);
        let options = fixed(PipelineState {
            clamp_vertex_colors: true,
            ..PipelineState::default()
        });
        let module = check_with(&m.finish(), &options);
        assert_eq!(count(&disassemble(&module.words), "NClamp"), clamps);
    }
}

#[test]
fn one_color_goes_to_all_attachments_that_are_drawn_to() {
    for (draw_buffers, locations) in [
        (0b1010, vec![1, 3]),
        (0b1000_0001, vec![0, 7]),
        (0xff, (0..8).collect()),
    ] {
        let options = fixed(PipelineState {
            draw_buffer_mask: draw_buffers,
            ..PipelineState::default()
        });
        let mut program = passing(Semantic::TexCoord(0));
        for expected in [locations, vec![0]] {
            let module = check_with(&program, &options);
            let outputs = module.reflection.outputs.iter();
            let locations: Vec<_> = outputs.filter_map(|output| output.location).collect();
            assert_eq!(locations, expected);
            program.modes.separate_colors = true;
        }
    }
}

#[test]
fn colors_of_fragments_are_clamped() {
    for (clamp_fragment_colors, clamps) in [(true, 1), (false, 0)] {
        let options = fixed(PipelineState {
            clamp_fragment_colors,
            ..PipelineState::default()
        });
        let module = check_with(&passing(Semantic::TexCoord(0)), &options);
        assert_eq!(count(&disassemble(&module.words), "NClamp"), clamps);
    }
}

/// Moves an attribute to the position and to another result.
fn vertex_program(semantic: Semantic, invariant: bool) -> Program {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(0));
    let position = m.output(Semantic::Position);
    let other = m.output(semantic);
    m.f(Op::Mov, d(position, "xyzw"), &[input]);
    m.f(Op::Mov, d(other, "xyzw"), &[input]);
    let mut program = m.finish();
    program.outputs[OutputId::new(0)].invariant = invariant;
    program
}

#[test]
fn the_size_of_points_replaces_what_programs_write() {
    let options = fixed(PipelineState {
        forced_point_size: Some(3.5.into()),
        ..PipelineState::default()
    });
    for semantic in [Semantic::PointSize, Semantic::Color(0)] {
        let module = check_with(&vertex_program(semantic, false), &options);
        let text = disassemble(&module.words);
        assert_eq!(count(&text, "PointSize"), 1, "{text}");
    }
}

#[test]
fn planes_clip_invariant_positions() {
    let options = fixed(PipelineState {
        clip_plane_mask: 0b1001,
        ..PipelineState::default()
    });
    for (invariant, distances) in [(true, 2), (false, 0)] {
        let module = check_with(&vertex_program(Semantic::Color(0), invariant), &options);
        let outputs = module.reflection.outputs.iter();
        let planes = outputs.filter(|output| matches!(output.semantic, Semantic::ClipDistance(_)));
        assert_eq!(planes.count(), distances);
    }
}

#[test]
fn distances_of_enabled_planes_clip() {
    let options = fixed(PipelineState {
        clip_plane_mask: 0b0110,
        ..PipelineState::default()
    });
    for plane in 0..4 {
        let mut program = vertex_program(Semantic::ClipDistance(plane), false);
        let written = |program: &Program| {
            let module = check_with(program, &options);
            let outputs = module.reflection.outputs.iter();
            let mut planes = outputs.map(|output| output.semantic);
            planes.any(|it| it == Semantic::ClipDistance(plane))
        };
        assert!(written(&program));
        program.modes.enabled_clip_distances = true;
        assert_eq!(written(&program), plane == 1 || plane == 2);
    }
}
