//! Pipelines of any stages: varyings have the same locations on both sides, and patches reach the
//! stage that reads them.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::ir::primitive::InputPrimitive;
use glasm::ir::{Semantic, Stage};
use glasm::reflect::{InterfaceVariable, PrimitiveInfo};
use glasm::stages::build_control_stage;
use glasm::{
    Code, DefaultTessLevels, Linked, Options, PipelineCache, PipelineState, Program, Shader,
    Source, compute_pipeline_key, link_with,
};
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;

const VERTEX: &str = "!!NVvp5.0
MOV result.position, vertex.position;
MOV result.attrib[27], vertex.attrib[1];
MOV result.color, vertex.color;
MOV result.texcoord[6], 3;
END";

const CONTROL: &str = "!!NVtcp5.0
VERTICES_OUT 3;
TEMP n;
MOV.S n.x, primitive.invocation.x;
ATTRIB p = vertex.position;
ATTRIB a = vertex.attrib[27];
ATTRIB c = vertex.color;
MOV result.position, p[n.x];
MOV result.attrib[27], a[n.x];
MOV result.color, c[n.x];
MOV result.texcoord[3], n;
MOV result.patch.attrib[9], 5;
MOV result.patch.tessouter[0].x, 2;
MOV result.patch.tessouter[1].x, 2;
MOV result.patch.tessouter[2].x, 2;
MOV result.patch.tessinner[0].x, 2;
END";

const EVALUATION: &str = "!!NVtep5.0
TESS_MODE TRIANGLES;
MOV result.position, vertex[0].position;
ADD result.attrib[27], vertex[1].attrib[27], primitive.patch.attrib[9];
MOV result.color, vertex[2].color;
MOV result.texcoord[1], vertex.tesscoord;
END";

const GEOMETRY: &str = "!!NVgp5.0
PRIMITIVE_IN TRIANGLES;
PRIMITIVE_OUT TRIANGLE_STRIP;
VERTICES_OUT 3;
MOV result.position, vertex[0].position;
MOV result.attrib[27], vertex[1].attrib[27];
MOV result.color, vertex[2].color;
EMIT;
END";

const PATCHES: &str = "!!NVgp5.0
PRIMITIVE_IN PATCHES;
PRIMITIVE_OUT POINTS;
VERTICES_OUT 1;
TEMP n, r;
ATTRIB c = vertex.color;
MOV.S n.x, program.local[0].x;
MOV result.position, vertex[1].position;
ADD r, c[n.x], primitive.patch.attrib[9];
ADD result.color, r, primitive.tessouter[1].x;
EMIT;
END";

const FRAGMENT: &str = "!!NVfp5.0
TEMP r;
MOV r, fragment.attrib[27];
ADD result.color, r, fragment.color;
END";

/// Links programs with the same options for all stages.
fn link_programs(texts: &[&str], options: &Options) -> Linked {
    let load = |(index, text): (usize, &&str)| {
        Program::load(&Source::new(&format!("program {index}"), *text)).unwrap()
    };
    let programs: Vec<_> = texts.iter().enumerate().map(load).collect();
    let stages: Vec<_> = programs.iter().map(|program| (program, options)).collect();
    link_with(&stages)
}

/// Returns all shaders of a pipeline in its order; spirv-val has checked them where it is
/// installed.
fn get_shaders(linked: &Linked) -> Vec<&Shader> {
    let made = linked.generated.iter().map(|(_, made)| made);
    let all = linked.stages.iter().chain(made);
    let mut all: Vec<_> = all
        .map(|shader| {
            shader
                .as_ref()
                .unwrap_or_else(|errors| panic!("{errors:?}"))
        })
        .collect();
    all.sort_by_key(|shader| shader.reflection.stage);
    all.iter().for_each(|shader| validate(&shader.words));
    all
}

fn validate(words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    child.stdin.take().unwrap().write_all(&bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}

/// Returns locations by semantic.
fn list_locations(list: &[InterfaceVariable]) -> Vec<(Semantic, u32)> {
    let located = list.iter();
    let mut found: Vec<_> = located
        .filter_map(|it| Some((it.semantic, it.location?)))
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn all_stages_meet() {
    let options = Options::default();
    // At the end of a pipeline results are in the fixed table.
    let [geometry, evaluation] =
        [GEOMETRY, EVALUATION].map(|text| text.replace("result.attrib[27]", "result.attrib[3]"));
    for texts in [
        vec![VERTEX, FRAGMENT],
        vec![VERTEX, &geometry],
        vec![VERTEX, GEOMETRY, FRAGMENT],
        vec![VERTEX, EVALUATION, FRAGMENT],
        vec![VERTEX, CONTROL, &evaluation],
        vec![VERTEX, CONTROL, EVALUATION, FRAGMENT],
        vec![VERTEX, EVALUATION, GEOMETRY, FRAGMENT],
        vec![VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT],
    ] {
        let linked = link_programs(&texts, &options);
        assert!(linked.generated.is_empty());
        let shaders = get_shaders(&linked);
        for pair in shaders.windows(2) {
            let [before, behind] = [&pair[0].reflection, &pair[1].reflection];
            let written = list_locations(&before.outputs);
            for read in list_locations(&behind.inputs) {
                assert!(written.contains(&read), "{read:?} in {texts:?}");
            }
        }
    }
}

#[test]
fn patches_pass_where_there_is_no_control_program() {
    let vertex = VERTEX.replace("END", "MOV result.pointsize.x, 2;\nEND");
    let evaluation =
        EVALUATION.replace("END", "MOV result.pointsize.x, vertex[0].pointsize.x;\nEND");
    let options = Options::default();
    let linked = link_programs(&[&vertex, &evaluation, FRAGMENT], &options);
    let shaders = get_shaders(&linked);
    let [vertex, evaluation] = [0, 1].map(|stage| &shaders[stage].reflection);
    let levels = DefaultTessLevels::new([1.0, 2.0, 3.0, 4.0], [5.0, 6.0]);
    let control = build_control_stage(vertex, evaluation, 4, levels, &options).unwrap();
    validate(&control.words);
    assert_eq!(
        list_locations(&control.reflection.outputs),
        list_locations(&vertex.outputs)
    );
    let mut outputs = control.reflection.outputs.iter();
    assert!(outputs.any(|output| output.semantic == Semantic::PointSize));
}

#[test]
fn what_is_not_read_is_dropped_between_all_stages() {
    let linked = link_programs(
        &[VERTEX, CONTROL, EVALUATION, FRAGMENT],
        &Options::default(),
    );
    let missing = [(Stage::TessControl, Semantic::GenericVarying(0)); 0];
    assert_eq!(linked.unwritten, missing);
    let control = &get_shaders(&linked)[1].reflection;
    assert_eq!(
        list_locations(&control.outputs),
        [
            (Semantic::Color(0), 0),
            (Semantic::GenericVarying(27), 1),
            (Semantic::GenericPatchVarying(9), 2)
        ]
    );
}

#[test]
fn geometry_programs_get_patches_of_control_programs() {
    let linked = link_programs(&[VERTEX, CONTROL, PATCHES, FRAGMENT], &Options::default());
    let stages: Vec<_> = get_shaders(&linked)
        .iter()
        .map(|shader| shader.reflection.stage)
        .collect();
    assert_eq!(
        stages,
        [
            Stage::Vertex,
            Stage::TessControl,
            Stage::TessEval,
            Stage::Geometry,
            Stage::Fragment
        ]
    );
    assert_eq!(linked.generated[0].0, Stage::TessEval);
    let geometry = linked.stages[2].as_ref().unwrap();
    let Some(PrimitiveInfo::Geometry {
        input_primitive: input,
        ..
    }) = geometry.reflection.primitive_info
    else {
        panic!("{:?}", geometry.reflection);
    };
    assert_eq!(input, InputPrimitive::Lines);
    // One position, three colors, an attribute and a level of the patch.
    assert_eq!(list_locations(&geometry.reflection.inputs).len(), 6);
}

#[test]
fn patches_without_control_program_have_the_levels_of_the_state() {
    let options = |patch_vertices| Options {
        pipeline_state: PipelineState {
            patch_vertices,
            ..PipelineState::default()
        },
        ..Options::default()
    };
    let made = |linked: &Linked| {
        linked
            .generated
            .iter()
            .map(|made| made.0)
            .collect::<Vec<_>>()
    };
    let five = link_programs(&[VERTEX, PATCHES], &options(5));
    assert_eq!(made(&five), [Stage::TessControl, Stage::TessEval]);
    assert_eq!(get_shaders(&five).len(), 4);
    let plain = PATCHES
        .replace("primitive.patch.attrib[9]", "1")
        .replace("primitive.tessouter[1].x", "1");
    let three = link_programs(&[VERTEX, &plain], &options(3));
    assert_eq!(made(&three), []);
    assert_eq!(get_shaders(&three).len(), 2);
    assert_eq!(
        made(&link_programs(&[VERTEX, &plain], &options(7))).len(),
        2
    );
}

#[test]
fn patches_that_nobody_takes_become_points() {
    let pair = link_programs(&[VERTEX, CONTROL, FRAGMENT], &Options::default());
    assert_eq!(pair.generated[0].0, Stage::TessEval);
    assert_eq!(get_shaders(&pair).len(), 4);
    let single = CONTROL.replace("VERTICES_OUT 3", "VERTICES_OUT 1");
    let refused = link_programs(&[VERTEX, &single], &Options::default());
    let errors = refused.stages[1].as_ref().unwrap_err();
    assert_eq!(errors.list[0].code, Code::Unsupported);
}

#[test]
fn patches_have_as_many_vectors_as_two_vertices() {
    let bridged = |vertices: u32, geometry: &str| {
        let control = CONTROL.replace("VERTICES_OUT 3", &format!("VERTICES_OUT {vertices}"));
        link_programs(&[VERTEX, &control, geometry], &Options::default())
    };
    for vertices in [12, 13, 14, 15, 29, 30, 31] {
        assert_eq!(get_shaders(&bridged(vertices, PATCHES)).len(), 4);
    }
    let more = PATCHES.replace(
        "ADD r,",
        "ATTRIB t = vertex.texcoord[3];\nMOV r, t[n.x];\nADD r,",
    );
    let refused = bridged(32, &more);
    let errors = refused.stages[2].as_ref().unwrap_err();
    assert_eq!(errors.list[0].code, Code::OutputTooLarge);
    assert!(errors.list[0].message.contains("67 vectors"), "{errors:?}");
}

#[test]
fn programs_that_do_not_fit_are_refused() {
    let errors = |texts: &[&str], place: usize| {
        let linked = link_programs(texts, &Options::default());
        linked.stages[place].as_ref().unwrap_err().list[0].clone()
    };
    let lines = GEOMETRY.replace("PRIMITIVE_IN TRIANGLES", "PRIMITIVE_IN LINES");
    let lines = lines.replace("vertex[2]", "vertex[1]");
    let error = errors(&[VERTEX, EVALUATION, &lines], 2);
    assert_eq!(error.code, Code::StageMismatch);
    assert!(error.message.contains("expects LINES"), "{}", error.message);
    assert_eq!(
        error.notes,
        ["note: `program 2` is linked after `program 1`"]
    );
    assert!(
        error.message.contains("outputs TRIANGLES"),
        "{}",
        error.message
    );
    assert_eq!(
        errors(&[VERTEX, CONTROL, GEOMETRY], 2).code,
        Code::StageMismatch
    );
}

/// Checks that errors have the stages and the names of their programs, in the order of the pipeline.
#[test]
fn errors_name_the_programs_of_their_stages() {
    let texts = [
        "!!NVvp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.position, r;\nEND",
        "!!NVfp5.0\nTEMP r;\nLOAD.F32 r, program.local[0].x;\nMOV result.color, r;\nEND",
    ];
    // A device without memory by address.
    let mut options = Options::default();
    options.device.buffer_device_address = false;
    let linked = link_programs(&texts, &options);
    let errors = linked.check().unwrap_err();
    let names: Vec<_> = errors
        .stages
        .iter()
        .map(|(stage, errors)| (*stage, errors.name()))
        .collect();
    let expected = [(Stage::Vertex, "program 0"), (Stage::Fragment, "program 1")];
    assert_eq!(names, expected);
    let text = errors.to_string();
    let positions = ["program 0", "program 1"].map(|name| text.find(name).unwrap());
    assert!(positions[0] < positions[1], "{text}");
    assert_eq!(format!("{errors:?}"), text);
    assert_eq!(linked.into_shaders().unwrap_err(), errors);

    let single = CONTROL.replace("VERTICES_OUT 3", "VERTICES_OUT 1");
    let errors = link_programs(&[VERTEX, &single], &Options::default()).check();
    let errors = errors.unwrap_err().stages;
    let mut control = errors.iter().filter(|it| it.0 == Stage::TessControl);
    let (_, control) = control.next().unwrap();
    assert_eq!(control.name(), "program 1");
    assert_eq!(control.source().text, single.as_bytes());
}

/// Checks that two pipelines differ in the stages that have other modules, and in those that only
/// one of them has.
#[test]
fn changed_stages_are_those_with_other_modules() {
    let mut options = Options::default();
    let pair = link_programs(&[VERTEX, FRAGMENT], &options);
    assert_eq!(pair.find_changed_stages(Some(&pair.clone())), []);
    // Only the vertex program has a position, only the fragment program has colors of fragments.
    options.conventions.clip_depth = glasm::ClipDepth::NegativeOneToOne;
    let clipped = link_programs(&[VERTEX, FRAGMENT], &options);
    assert_eq!(clipped.find_changed_stages(Some(&pair)), [Stage::Vertex]);
    options.pipeline_state.clamp_fragment_colors = true;
    let clamped = link_programs(&[VERTEX, FRAGMENT], &options);
    assert_eq!(
        clamped.find_changed_stages(Some(&clipped)),
        [Stage::Fragment]
    );
    let both = [Stage::Vertex, Stage::Fragment];
    assert_eq!(pair.find_changed_stages(Some(&clamped)), both);
    let single = link_programs(&[FRAGMENT], &Options::default());
    assert_eq!(pair.find_changed_stages(Some(&single))[0], Stage::Vertex);
    assert_eq!(single.find_changed_stages(Some(&pair))[0], Stage::Vertex);
}

/// Checks that state of a color which linking removes does not lead to another pipeline, although
/// the key of the fragment program depends on it.
#[test]
fn caches_have_a_pipeline_for_equal_modules() {
    let load = |name: &str, text: &str| Program::load(&Source::new(name, text)).unwrap();
    let colorless = load(
        "a",
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND",
    );
    let colored = load(
        "b",
        "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND",
    );
    let fragment = load("c", "!!ARBfp1.0\nMOV result.color, fragment.color;\nEND");
    let [smooth, mut flat] = [Options::default(), Options::default()];
    flat.pipeline_state.flat_colors = true;
    let mut cache = PipelineCache::default();
    for (vertex, is_shared, count) in [(&colorless, true, 1), (&colored, false, 3)] {
        let programs = [vertex, &fragment];
        let keys = [&smooth, &flat].map(|options| compute_pipeline_key(&programs, options));
        assert_ne!(keys[0], keys[1]);
        // The second time from the cache.
        for _ in 0..2 {
            let [one, other] =
                [&smooth, &flat].map(|options| cache.get_or_link(&programs, options).unwrap());
            assert_eq!(Arc::ptr_eq(&one, &other), is_shared);
            assert_eq!(cache.len(), count);
        }
    }
    // The same program under another name, and another program with an equal module.
    let text = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND";
    for (vertex, count) in [
        (load("d", text), 3),
        (load("e", &text.replace("\nEND", "\n\nEND")), 4),
    ] {
        for options in [&smooth, &flat] {
            cache.get_or_link(&[&vertex, &fragment], options).unwrap();
            assert_eq!(cache.len(), count);
        }
    }
    cache.clear();
    assert_eq!((cache.is_empty(), cache.len()), (true, 0));
}

/// Checks that the pipelines of a program are removed, with those of equal ones, and no others.
#[test]
fn pipelines_of_removed_programs_are_linked_again() {
    let load = |name: &str, text: &str| Program::load(&Source::new(name, text)).unwrap();
    // It is drawn alone, too: its results are in the fixed table.
    let vertex = load(
        "a",
        &VERTEX.replace("result.attrib[27]", "result.attrib[3]"),
    );
    let text = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[6], texture[0], 2D;\nEND";
    let fragment = load("b", text);
    let missing = fragment.with_missing_textures(1);
    let options = Options::default();
    let mut cache = PipelineCache::default();
    let pairs = [
        vec![&vertex, &fragment],
        vec![&vertex, &missing],
        vec![&vertex],
        vec![&fragment, &fragment],
    ];
    let link_all = |cache: &mut PipelineCache| -> Vec<_> {
        let link = |programs: &Vec<&Program>| cache.get_or_link(programs, &options).ok();
        pairs.iter().map(link).collect()
    };
    let before = link_all(&mut cache);
    assert_eq!((cache.len(), before[3].is_none()), (3, true));
    // The same program under another name.
    cache.remove(&load("c", text));
    assert_eq!(cache.len(), 2);
    let after = link_all(&mut cache);
    let is_same = |index: usize| {
        let [before, after] = [&before, &after].map(|list| list[index].as_ref().unwrap());
        Arc::ptr_eq(before, after)
    };
    assert_eq!([0, 1, 2].map(is_same), [false, true, true]);
    cache.remove(&vertex);
    assert!(cache.is_empty());
    assert!(before[0].as_ref().unwrap().shader(Stage::Vertex).is_some());
}
