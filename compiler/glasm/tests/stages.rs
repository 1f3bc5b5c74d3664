//! Stages that pipelines need in addition to their programs: all modules are valid, and replicating
//! stages replicate primitives.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::ir::primitive::InputPrimitive;
use glasm::ir::{Program, Semantic, TypeBase, parse};
use glasm::stages::{
    AttributeCopy, PassedPatch, Shading, pass_color, pass_evaluation, pass_patch, pass_primitive,
    pass_vertex, replication_stage,
};
use glasm::{Compiler, DeviceFeatures, Options, PatchLevels, Place, Shader, Target, Varyings};
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
fn checked(words: &[u32], environment: &str) -> String {
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

fn check(program: &Program, options: &Options) {
    for (target, environment) in TARGETS {
        let options = Options {
            target,
            ..options.clone()
        };
        let shader = Compiler::new().compile_ir(program, &options);
        let shader = shader.unwrap_or_else(|errors| panic!("{:?}", errors.list));
        checked(&shader.words, environment);
    }
}

/// Varyings as a module of another compiler has them: an integer, and two that share a location.
fn placed() -> (Vec<Semantic>, Options) {
    let place = |number, location, component, base, components| Place {
        semantic: Semantic::Generic(number),
        location,
        component,
        base,
        components,
    };
    let places = vec![
        place(0, 3, 0, TypeBase::Float, 2),
        place(1, 3, 2, TypeBase::Float, 1),
        place(2, 1, 0, TypeBase::Signed, 3),
        place(3, 2, 0, TypeBase::Unsigned, 1),
    ];
    let semantics = places.iter().map(|place| place.semantic).collect();
    let mut options = Options::default();
    options.interface.inputs = Varyings::Placed(places.clone());
    options.interface.outputs = Varyings::Placed(places);
    (semantics, options)
}

#[test]
fn stages_between_other_modules_have_their_types() {
    let (semantics, options) = placed();
    let base = |number| {
        [
            TypeBase::Float,
            TypeBase::Float,
            TypeBase::Signed,
            TypeBase::Unsigned,
        ][number]
    };
    let copies: Vec<_> = semantics
        .iter()
        .enumerate()
        .map(|(number, to)| AttributeCopy {
            attribute: number as u8 + 1,
            base: base(number),
            first: number as u8 % 2,
            to: *to,
        })
        .collect();
    check(&pass_vertex(&copies), &options);
    check(&pass_patch(&semantics, 7, PatchLevels::default()), &options);
    for vertices in 2..=4 {
        let patch: Vec<_> = semantics
            .iter()
            .enumerate()
            .map(|(number, semantic)| match number {
                0 | 1 => PassedPatch::Interpolated(*semantic),
                _ => PassedPatch::First(*semantic),
            })
            .collect();
        check(&pass_evaluation(&patch, vertices), &options);
    }
    for primitive in PRIMITIVES {
        check(&pass_primitive(&semantics, primitive), &options);
    }
    for (number, semantic) in semantics.iter().enumerate() {
        check(
            &pass_color(*semantic, base(number), Shading::Flat),
            &options,
        );
    }
}

/// Returns a vertex program that writes these results.
fn vertex(results: &[&str], modes: &str, options: &Options) -> Shader {
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
fn replicated(shader: &Shader) -> String {
    let mut text = String::new();
    for primitive in PRIMITIVES {
        for (target, environment) in TARGETS {
            let options = Options {
                target,
                ..Options::default()
            };
            let stage = replication_stage(&shader.reflection, primitive, 4, &options);
            let words = stage.unwrap().unwrap().words;
            let own = checked(&words, environment);
            if primitive == InputPrimitive::Triangles {
                text = own;
            }
        }
    }
    text
}

fn count(text: &str, word: &str) -> usize {
    let words = text.split_whitespace();
    words.filter(|&token| token == word).count()
}

fn native() -> Options {
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
    let text = replicated(&vertex(&results, "", &Options::default()));
    assert_eq!(count(&text, "OpEmitVertex"), 3);
    assert!(text.contains("Invocations 4\n"), "{text}");
    assert_eq!(count(&text, "Layer"), 0);
    let built_in = vertex(&results, "", &native());
    let lines = InputPrimitive::Lines;
    assert!(replication_stage(&built_in.reflection, lines, 16, &native()).is_none());
}

#[test]
fn second_views_double_the_invocations() {
    let text = replicated(&vertex(&["position", "secondary_position"], "", &native()));
    assert!(text.contains("Invocations 2\n"), "{text}");
    assert_eq!(count(&text, "ViewportIndex"), 0);
    let all = [
        "position",
        "layer",
        "viewport_index",
        "secondary_position",
        "secondary_viewport_mask",
    ];
    let modes = "layer_viewport_relative\nsecondary_view_layer_offset -2\n";
    let text = replicated(&vertex(&all, modes, &Options::default()));
    assert!(text.contains("Invocations 8\n"), "{text}");
    assert_eq!(count(&text, "Layer"), 1);
}
