//! Stages that pipelines need in addition to their programs: all modules are valid, and replicating
//! stages replicate primitives.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::ir::primitive::InputPrimitive;
use glasm::ir::{BaseType, Program, Semantic, parse};
use glasm::stages::{
    AttributeCopy, FragmentShading, PatchVarying, build_color_fragment, build_passthrough_control,
    build_passthrough_evaluation, build_passthrough_geometry, build_passthrough_vertex,
    build_replication_stage,
};
use glasm::{
    Compiler, DefaultTessLevels, DeviceFeatures, Options, Shader, Target, VaryingLocation, Varyings,
};
use rspirv::binary::Disassemble;
use std::io::Write;
use std::process::{Command, Stdio};

const TARGETS: [(Target, &str); 3] = [
    (Target::Vulkan1_1, "vulkan1.1"),
    (Target::Vulkan1_2, "vulkan1.2"),
    (Target::Vulkan1_3, "vulkan1.3"),
];

const PRIMITIVES: [InputPrimitive; 5] = [
    InputPrimitive::Points,
    InputPrimitive::Lines,
    InputPrimitive::LinesAdjacency,
    InputPrimitive::Triangles,
    InputPrimitive::TrianglesAdjacency,
];

/// Returns the text of a module, which spirv-val has checked where it is installed.
fn run_spirv_val(words: &[u32], environment: &str) -> String {
    let mut loader = rspirv::dr::Loader::new();
    rspirv::binary::parse_words(words, &mut loader).unwrap();
    let text = loader.module().disassemble();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let child = Command::new("spirv-val")
        .args(["--target-env", environment, "--scalar-block-layout", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return text };
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{text}");
    text
}

fn check_on_all_targets(program: &Program, options: &Options) {
    for (target, environment) in TARGETS {
        let options = Options {
            target,
            ..options.clone()
        };
        let shader = Compiler::new().compile_ir(program, &options);
        let shader = shader.unwrap_or_else(|errors| panic!("{:?}", errors.list));
        run_spirv_val(&shader.words, environment);
    }
}

/// Varyings as a module of another compiler has them: an integer, and two that share a location.
fn make_placed_varyings() -> (Vec<Semantic>, Options) {
    let place = |number, location, component, base, components| VaryingLocation {
        semantic: Semantic::GenericVarying(number),
        location,
        first_component: component,
        base_type: base,
        component_count: components,
    };
    let places = vec![
        place(0, 3, 0, BaseType::Float, 2),
        place(1, 3, 2, BaseType::Float, 1),
        place(2, 1, 0, BaseType::SignedInt, 3),
        place(3, 2, 0, BaseType::UnsignedInt, 1),
    ];
    let semantics = places.iter().map(|place| place.semantic).collect();
    let mut options = Options::default();
    options.interface.inputs = Varyings::Explicit(places.clone());
    options.interface.outputs = Varyings::Explicit(places);
    (semantics, options)
}

#[test]
fn stages_between_other_modules_have_their_types() {
    let (semantics, options) = make_placed_varyings();
    let base = |number| {
        [
            BaseType::Float,
            BaseType::Float,
            BaseType::SignedInt,
            BaseType::UnsignedInt,
        ][number]
    };
    let copies: Vec<_> = semantics
        .iter()
        .enumerate()
        .map(|(number, to)| AttributeCopy {
            attribute: number as u8 + 1,
            base: base(number),
            first_component: number as u8 % 2,
            varying: *to,
        })
        .collect();
    check_on_all_targets(&build_passthrough_vertex(&copies), &options);
    check_on_all_targets(
        &build_passthrough_control(&semantics, 7, DefaultTessLevels::default()),
        &options,
    );
    for vertices in 2..=4 {
        let patch: Vec<_> = semantics
            .iter()
            .enumerate()
            .map(|(number, semantic)| match number {
                0 | 1 => PatchVarying::Interpolated(*semantic),
                _ => PatchVarying::First(*semantic),
            })
            .collect();
        check_on_all_targets(&build_passthrough_evaluation(&patch, vertices), &options);
    }
    for primitive in PRIMITIVES {
        check_on_all_targets(&build_passthrough_geometry(&semantics, primitive), &options);
    }
    for (number, semantic) in semantics.iter().enumerate() {
        check_on_all_targets(
            &build_color_fragment(*semantic, base(number), FragmentShading::Flat),
            &options,
        );
    }
}

/// Returns a vertex program that writes these results.
fn compile_vertex(results: &[&str], modes: &str, options: &Options) -> Shader {
    let mut text = format!("program vertex\n{modes}");
    for number in 0..results.len() {
        text += &format!("r{number}: output32 out{number}\n");
    }
    text += "in0: attrib[0] float\n";
    for (number, result) in results.iter().enumerate() {
        text += &format!("out{number}: {result} float\n");
    }
    text += "routine fn0 {\n";
    for number in 0..results.len() {
        text += &format!("r{number}.xyzw = mov.f32 in0.xyzw\n");
    }
    let program = parse(&(text + "}\nmain fn0\n")).unwrap();
    Compiler::new().compile_ir(&program, options).unwrap()
}

/// Checks the geometry stages after a program; returns the text of the stage for triangles in four
/// viewports.
fn disassemble_replication(shader: &Shader) -> String {
    let mut text = String::new();
    for primitive in PRIMITIVES {
        for (target, environment) in TARGETS {
            let options = Options {
                target,
                ..Options::default()
            };
            let stage = build_replication_stage(&shader.reflection, primitive, 4, &options);
            let words = stage.unwrap().unwrap().words;
            let own = run_spirv_val(&words, environment);
            if primitive == InputPrimitive::Triangles {
                text = own;
            }
        }
    }
    text
}

fn count_word(text: &str, word: &str) -> usize {
    let words = text.split_whitespace();
    words.filter(|&token| token == word).count()
}

fn make_native_options() -> Options {
    Options {
        device: DeviceFeatures {
            viewport_array2: true,
            ..DeviceFeatures::default()
        },
        ..Options::default()
    }
}

#[test]
fn masks_take_an_invocation_for_each_viewport() {
    let results = [
        "position",
        "viewport_mask",
        "point_size",
        "clip_distance[4]",
        "color[0]",
        "generic[3]",
    ];
    let text = disassemble_replication(&compile_vertex(&results, "", &Options::default()));
    assert_eq!(count_word(&text, "OpEmitVertex"), 3);
    assert!(text.contains("Invocations 4\n"), "{text}");
    assert_eq!(count_word(&text, "Layer"), 0);
    let built_in = compile_vertex(&results, "", &make_native_options());
    let lines = InputPrimitive::Lines;
    assert!(
        build_replication_stage(&built_in.reflection, lines, 16, &make_native_options()).is_none()
    );
}

#[test]
fn second_views_double_the_invocations() {
    let text = disassemble_replication(&compile_vertex(
        &["position", "secondary_position"],
        "",
        &make_native_options(),
    ));
    assert!(text.contains("Invocations 2\n"), "{text}");
    assert_eq!(count_word(&text, "ViewportIndex"), 0);
    let all = [
        "position",
        "layer",
        "viewport_index",
        "secondary_position",
        "secondary_viewport_mask",
    ];
    let modes = "layer_viewport_relative\nsecondary_view_layer_offset -2\n";
    let text = disassemble_replication(&compile_vertex(&all, modes, &Options::default()));
    assert!(text.contains("Invocations 8\n"), "{text}");
    assert_eq!(count_word(&text, "Layer"), 1);
}
