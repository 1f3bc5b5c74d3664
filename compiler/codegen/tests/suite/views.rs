//! Layers, viewports and views: built-ins where the device has them, else a geometry stage behind the program.

use crate::support::*;
use glasm_codegen::options::{Capture, DeviceFeatures, PipelineState, TransformFeedback};
use glasm_codegen::reflect::ViewportSelection;
use glasm_codegen::{ErrorKind, Options, emit};
use glasm_ir::*;

/// A vertex program that writes these results.
fn vertex(results: &[Semantic]) -> Program {
    let mut m = Make::new(Stage::Vertex);
    let input = m.input(Semantic::VertexAttribute(0));
    for result in results {
        let output = m.output(*result);
        m.f(Op::Mov, d(output, "xyzw"), &[input]);
    }
    m.finish()
}

fn native() -> Options {
    Options {
        device: DeviceFeatures {
            viewport_array2: true,
            fully_covered: true,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    }
}

#[test]
fn masks_are_built_in_where_the_device_has_them() {
    let mut program = vertex(&[Semantic::Position, Semantic::Layer, Semantic::ViewportMask]);
    program.modes.layer_viewport_relative = true;
    let module = check_with(&program, &native());
    let text = disassemble(&module.words);
    assert_eq!(count(&text, "ViewportMaskNV"), 1);
    assert_eq!(count(&text, "ViewportRelativeNV"), 1);
    assert_eq!(count(&text, "ShaderViewportMaskNV"), 1);
    assert_eq!(module.reflection.view_replication, None);
    let features = &module.reflection.requirements.features;
    assert!(features.contains(&"VK_NV_viewport_array2"));
}

#[test]
fn masks_are_left_to_a_geometry_stage_elsewhere() {
    let results = [
        Semantic::Position,
        Semantic::ViewportMask,
        Semantic::PointSize,
        Semantic::ClipDistance(4),
        Semantic::Color(0),
        Semantic::GenericVarying(3),
    ];
    let module = check_with(&vertex(&results), &Options::default());
    let replication = module.reflection.view_replication.unwrap();
    assert_eq!(replication.viewport_selection, ViewportSelection::Mask);
    // Color 0 has location 0.
    assert_eq!((replication.location, replication.has_layer), (1, false));
    let features = &module.reflection.requirements.features;
    assert!(features.contains(&"geometryShader") && features.contains(&"multiViewport"));
}

#[test]
fn what_cannot_be_replicated_is_refused() {
    let program = vertex(&[Semantic::Position, Semantic::ViewportMask]);
    let refusal = |options: &Options| {
        let error = emit(&program, options).unwrap_err();
        (error.kind, error.message)
    };
    let device = DeviceFeatures {
        geometry_shader: false,
        ..DeviceFeatures::default()
    };
    let (kind, message) = refusal(&Options {
        device,
        ..Options::default()
    });
    assert_eq!(kind, ErrorKind::MissingFeature("geometryShader"));
    assert!(message.contains("VK_NV_viewport_array2"), "{message}");
    let capture = Capture {
        semantic: Semantic::Position,
        first_component: 0,
        component_count: 4,
        buffer: 0,
        offset: 0,
        stream: 0,
    };
    let options = Options {
        transform_feedback: TransformFeedback {
            captures: vec![capture],
            strides: Vec::new(),
        },
        ..Options::default()
    };
    assert_eq!(refusal(&options).0, ErrorKind::Unsupported);
}

#[test]
fn the_layer_of_one_viewport_is_a_sum() {
    let mut program = vertex(&[Semantic::Position, Semantic::Layer, Semantic::ViewportIndex]);
    let plain = disassemble(&check_with(&program, &Options::default()).words);
    assert_eq!(count(&plain, "OpIAdd"), 0);
    program.modes.layer_viewport_relative = true;
    let relative = disassemble(&check_with(&program, &Options::default()).words);
    assert_eq!(count(&relative, "OpIAdd"), 1);
}

#[test]
fn full_coverage_is_0_where_no_device_can_tell() {
    let mut m = Make::new(Stage::Fragment);
    let covered = m.input(Semantic::FullyCovered);
    let color = m.color();
    m.f(Op::Mov, d(color, "xyzw"), &[covered]);
    let program = m.finish();
    let module = check_with(&program, &native());
    assert_eq!(count(&disassemble(&module.words), "FullyCoveredEXT"), 1);
    let feature = "fullyCoveredFragmentShaderInputVariable";
    assert_eq!(module.reflection.requirements.features, [feature]);
    let module = check_with(&program, &Options::default());
    assert_eq!(count(&disassemble(&module.words), "FullyCoveredEXT"), 0);
}

#[test]
fn sample_masks_replace_coverage() {
    let mut m = Make::new(Stage::Fragment);
    let mask = m.output(Semantic::SampleMask);
    let input = m.input(Semantic::SampleId);
    m.f(Op::Mov, d(mask, "x"), &[input]);
    let mut program = m.finish();
    program.modes.sample_mask_override = true;
    let text = disassemble(&check_with(&program, &Options::default()).words);
    assert_eq!(count(&text, "OverrideCoverageNV"), 1);
}

/// NV_geometry_program4 section 2.14.6.5: without layers the one that a program chooses does not count.
#[test]
fn a_framebuffer_of_one_layer_gets_no_layers() {
    let mut m = Make::new(Stage::Vertex);
    let (position, layer) = (m.output(Semantic::Position), m.output(Semantic::Layer));
    let one = m.int(1);
    m.op(Op::Mov, Type::S32, d(position, "xyzw"), &[one]);
    m.op(Op::Mov, Type::S32, d(layer, "x"), &[one]);
    let program = m.finish();
    let layers = |single_layer| {
        let fixed = PipelineState {
            is_framebuffer_unlayered: single_layer,
            ..PipelineState::default()
        };
        let options = Options {
            pipeline_state: fixed,
            ..Options::default()
        };
        count(&disassemble(&check_with(&program, &options).words), "Layer")
    };
    assert_eq!([layers(false), layers(true)], [1, 0]);
}
