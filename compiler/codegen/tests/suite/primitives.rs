//! Geometry and tessellation programs.

use crate::support::*;
use glasm_codegen::options::{
    Capture, DeviceFeatures, InterfaceTypes, PipelineState, TransformFeedback, VaryingLocation,
    Varyings,
};
use glasm_codegen::reflect::PrimitiveInfo;
use glasm_codegen::{Options, emit};
use glasm_ir::primitive::{InputPrimitive, OutputPrimitive, TessMode, TessSpacing, TessWinding};
use glasm_ir::*;

const GEOMETRY: &str = "\
program geometry
primitive_in triangles_adjacency
primitive_out triangle_strip
vertices_out 6
invocations 4
r0: temp32
r1: output32 out0
r2: output32 out1
r3: output32 out2
r4: output32 out3
r5: output32[2] out4
in0: position float per_vertex
in1: generic[0] float per_vertex
in2: generic[1] float per_vertex
in3: clip_distance[1] float per_vertex
in4: point_size float per_vertex
in5: primitive_id signed
in6: invocation_id signed
in7: vertex_count signed
in8: vertex_id signed per_vertex
out0: position float
out1: generic[3] float
out2: layer signed
out3: primitive_id signed
out4: clip_distance[0] float
out5: clip_distance[1] float
routine fn0 {
  r0.xyzw = mov.f32 in6.xxxx
  loop {
    if nonzero.s32 r0.x {
      break
    }
    r0.x = add.s32 r0.xyzw, {1}
    r1.xyzw = mov.f32 in0[0 of 1, vertex r0.x+1].xyzw
    r2.xyzw = add.f32 in1[r0.y of 2, vertex r0.x].xyzw, in3[0 of 1, vertex 2].xxxx
    r2.xy = add.f32 in1[1 of 2, vertex 5].xyzw, in4[0 of 1, vertex r0.x].xxxx
    r3.x = mov.s32 in7.xxxx
    r4.x = add.s32 in5.xxxx, in8[0 of 1, vertex 1].xxxx
    r5[1 of 2].x = mov.f32 in3[0 of 1, vertex r0.x].xxxx
    emit.s32 {0}
  }
  endprim.u32
  call fn1
}
routine fn1 {
  r1.x = mov.f32 {1.0}
  emit.s32 {0}
}
main fn0
";

const CONTROL: &str = "\
program tess_control
vertices_out 3
r0: temp32
r1: output32 out0
r2: output32 out1
r3: output32[2] out2
r4: output32 out4
r5: output32[2] out5
r6: output32 out7
r7: output32 out8
cc8: cond32
in0: position float per_vertex
in1: invocation_id signed
in2: vertex_count signed
in3: primitive_id signed
out0: generic[2] float
out1: tess_outer[3] float
out2: patch_generic[0] float
out3: patch_generic[1] float
out4: position float
out5: generic[4] float
out6: generic[5] float
out7: tess_inner[0] float
out8: generic[9] float
routine fn0 {
  r1.xyzw = mov.f32 in0[0 of 1, vertex r0.x].xyzw
  bar.u32
  r0.xyzw, cc8 = mov.f32 out0[0 of 1, vertex r0.x].xyzw
  r0.y = mov.s32 in2.xxxx
  r2.x if(gt cc8.xyzw) = mov.f32 {3.0}
  r3[1 of 2].yz = mov.f32 r0.xyzw
  r3[r0.x of 2].xyzw if(lt cc8.xyzw) = mov.f32 out2[r0.y of 2].xyzw
  r4.xyzw = mov.f32 in0[0 of 1, vertex 1].xyzw
  r5[r0.y of 2].xw if(ge cc8.xyzw) = mov.f32 out5[r0.x of 2, vertex r0.z+1].xyzw
  r6.x = mov.f32 out1.xyzw
  r7.xyzw = mov.f32 r0.xyzw
}
main fn0
";

const EVALUATION: &str = "\
program tess_eval
tess_mode isolines
tess_spacing fractional_even
tess_order cw
point_mode
r0: output32 out0
r1: output32 out1
in0: tess_coord float
in1: patch_generic[29] float
in2: tess_outer[2] float
in3: tess_inner[1] float
in4: position float per_vertex
in5: vertex_count signed
in6: primitive_id signed
out0: position float
out1: color[0] float
routine fn0 {
  r0.xyzw = add.f32 in4[0 of 1, vertex 31].xyzw, in0.xyzw
  r1.xyzw = add.f32 in1.xyzw, in2.xxxx
  r1.x = add.s32 in5.xxxx, in6.xxxx
  r1.y = mov.f32 in3.xxxx
}
main fn0
";

const PASSTHROUGH: &str = "\
program geometry
primitive_in lines
primitive_out line_strip
vertices_out 2
passthrough
r0: output32 out1
r1: output32 out2
in0: position float per_vertex
in1: generic[0] float per_vertex
out0: position float passthrough.xyzw
out1: generic[0] float passthrough.xz
out2: layer signed
routine fn0 {
  r0.xyzw = mov.f32 {7.0}
  r1.x = mov.s32 {2}
}
main fn0
";

const STREAMS: &str = "\
program geometry
primitive_in points
primitive_out points
vertices_out 4
r0: temp32
r1: output32 out0
r2: output32 out1
in0: vertex_id signed per_vertex
out0: position float
out1: generic[0] float
routine fn0 {
  r0.x = mov.s32 in0[0 of 1, vertex 0].xxxx
  r1.xyzw = mov.f32 {1.0}
  r2.xyzw = mov.f32 r0.xxxx
  emit.s32 r0.xyzw
  emit.s32 {3}
  emit.s32 {9}
  endprim.u32
}
main fn0
";

fn program(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&program).unwrap_or_else(|errors| panic!("{errors:?}"));
    program
}

#[test]
fn modules_are_valid_for_all_targets() {
    for text in [GEOMETRY, CONTROL, EVALUATION, PASSTHROUGH, STREAMS] {
        check(&program(text));
    }
}

fn text(source: &str, options: &Options) -> String {
    disassemble(&check_with(&program(source), options).words)
}

fn refusal(source: &str, options: &Options) -> String {
    emit(&program(source), options).unwrap_err().to_string()
}

#[test]
fn reflections_say_what_programs_make() {
    let primitives = |text| {
        let module = emit(&program(text), &Options::default()).unwrap();
        module.reflection.primitive_info.unwrap()
    };
    let geometry = PrimitiveInfo::Geometry {
        input_primitive: InputPrimitive::TrianglesAdjacency,
        input_vertex_count: 6,
        output_primitive: OutputPrimitive::TriangleStrip,
        vertices: 6,
        invocations: 4,
        is_passthrough: false,
    };
    assert_eq!(primitives(GEOMETRY), geometry);
    assert_eq!(
        primitives(CONTROL),
        PrimitiveInfo::TessControl { vertices: 3 }
    );
    let evaluation = PrimitiveInfo::TessEval {
        mode: TessMode::Isolines,
        spacing: TessSpacing::FractionalEven,
        winding: TessWinding::Cw,
        point_mode: true,
    };
    assert_eq!(primitives(EVALUATION), evaluation);
}

/// Results of vertices are arrays with an element for each vertex of the patch, those of patches are not.
#[test]
fn reflections_say_what_each_vertex_has() {
    let outputs = emit(&program(CONTROL), &Options::default())
        .unwrap()
        .reflection
        .outputs;
    assert!(outputs.iter().any(|output| output.is_per_vertex));
    assert!(outputs.iter().any(|output| !output.is_per_vertex));
    for output in outputs {
        let semantic = output.semantic;
        let of_patch = matches!(
            semantic,
            Semantic::TessLevelOuter(_)
                | Semantic::TessLevelInner(_)
                | Semantic::GenericPatchVarying(_)
        );
        assert_eq!(output.is_per_vertex, !of_patch, "{semantic:?}");
    }
}

#[test]
fn execution_modes() {
    let cases: [(&str, &[&str]); 3] = [
        (
            GEOMETRY,
            &[
                "InputTrianglesAdjacency",
                "OutputTriangleStrip",
                "OutputVertices 6",
                "Invocations 4",
            ],
        ),
        (CONTROL, &["OutputVertices 3"]),
        (
            EVALUATION,
            &[
                "Isolines",
                "SpacingFractionalEven",
                "VertexOrderCw",
                "PointMode",
            ],
        ),
    ];
    for (source, modes) in cases {
        let text = text(source, &Options::default());
        for mode in modes {
            let found = text
                .lines()
                .any(|line| line.contains("OpExecutionMode") && line.ends_with(mode));
            assert!(found, "{mode}\n{text}");
        }
    }
}

/// NV_geometry_program4 issue 17: V0 V1 V2 and V0 V2 V3. Four vertices come in, the module runs twice, and the number of the run is added to all
/// vertices but the first; for the program there are three vertices.
#[test]
fn quadrilaterals_are_lines_with_adjacency() {
    let source = GEOMETRY
        .replace("triangles_adjacency", "triangles")
        .replace("vertex 5", "vertex 2");
    let options = Options {
        pipeline_state: PipelineState {
            draws_quads_as_line_adjacency: true,
            ..PipelineState::default()
        },
        ..Options::default()
    };
    let text = text(&source, &options);
    for mode in ["InputLinesAdjacency", "Invocations 8"] {
        assert!(text.lines().any(|line| line.ends_with(mode)), "{mode}");
    }
    assert!(count(&text, "OpUDiv") > 0 && count(&text, "OpUMod") > 0);
    // Other programs are as they were.
    let other = |options| disassemble(&check_with(&program(CONTROL), options).words);
    assert_eq!(other(&options), other(&Options::default()));
}

/// Triangle n has the vertices 0, 1 + n and 2 + n: the first one is compared with 0, and is 0.
#[test]
fn both_triangles_begin_with_the_first_vertex() {
    let source = GEOMETRY
        .replace("triangles_adjacency", "triangles")
        .replace("vertex 5", "vertex 2");
    let options = Options {
        pipeline_state: PipelineState {
            draws_quads_as_line_adjacency: true,
            ..PipelineState::default()
        },
        ..Options::default()
    };
    let text = text(&source, &options);
    // Result, opcode and operands of each line: `%1 = OpSelect %2 %3 %4 %5`.
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|it| it.split_whitespace().collect())
        .collect();
    let defined = |id: &str| lines.iter().find(|line| line[0] == id).unwrap();
    let is_zero = |id: &str| defined(id)[2] == "OpConstant" && defined(id)[4] == "0";
    let mut found = 0;
    for line in lines.iter().filter(|line| line.get(2) == Some(&"OpSelect")) {
        let (is_first, moved) = (defined(line[4]), defined(line[6]));
        if is_first[2] != "OpIEqual" || moved[2] != "OpIAdd" || is_first[4] != moved[4] {
            continue;
        }
        assert!(is_zero(is_first[5]) && is_zero(line[5]), "{text}");
        found += 1;
    }
    assert!(found > 0, "{text}");
}

/// Locations of results that only other invocations of the patch read come after all that are passed on.
#[test]
fn results_that_only_the_patch_reads_have_their_own_locations() {
    let options = Options {
        interface: InterfaceTypes {
            outputs: Varyings::Explicit(vec![VaryingLocation::vector(
                Semantic::GenericVarying(9),
                5,
                BaseType::Float,
            )]),
            ..InterfaceTypes::default()
        },
        ..Options::default()
    };
    let module = check_with(&program(CONTROL), &options);
    let outputs = module.reflection.outputs.iter();
    let mut locations: Vec<_> = outputs.filter_map(|output| output.location).collect();
    locations.sort_unstable();
    assert!(locations.len() > 1, "{locations:?}");
    assert_eq!(locations[0], 5);
    assert!(locations.is_sorted_by(|a, b| a < b), "{locations:?}");
}

/// A result without a location of its own in the fixed table comes after the 32 locations that the table may use.
#[test]
fn results_that_the_table_lacks_come_after_it() {
    let source = CONTROL
        .replace("generic[2]", "secondary_position")
        .replace("generic[9]", "color[0]");
    let module = check_with(&program(&source), &Options::default());
    let outputs = module.reflection.outputs.iter();
    let mut locations: Vec<_> = outputs.filter_map(|output| output.location).collect();
    locations.sort_unstable();
    // color[0], generic[4] and generic[5], patch_generic[1] and patch_generic[0], secondary_position.
    assert_eq!(locations, [0, 17, 18, 26, 27, 32]);
}

/// Streams are constants in SPIR-V: one known at run time has a case for each, and stream 9 does not exist.
#[test]
fn streams_known_at_run_time_have_a_case_each() {
    let text = text(STREAMS, &Options::default());
    assert_eq!(count(&text, "OpEmitStreamVertex"), 4 + 1);
    assert_eq!(count(&text, "OpEmitVertex"), 0);
    assert_eq!(count(&text, "OpSwitch"), 1);
    assert_eq!(count(&text, "OpEndPrimitive"), 0);
}

#[test]
fn results_of_other_streams_are_captured_in_variables_of_their_own() {
    let capture = |stream, buffer| Capture {
        semantic: Semantic::GenericVarying(0),
        first_component: 0,
        component_count: 4,
        buffer,
        offset: 0,
        stream,
    };
    let options = Options {
        transform_feedback: TransformFeedback {
            captures: vec![capture(2, 0), capture(0, 1), capture(1, 2)],
            strides: vec![],
        },
        ..Options::default()
    };
    let text = text(STREAMS, &options);
    assert_eq!(count(&text, "XfbBuffer"), 3);
    // Stream 0 needs no decoration.
    assert_eq!(count(&text, "Stream"), 2);
}

/// NV_geometry_shader_passthrough: each of the two vertices has the position of its own, and the layer of the program.
#[test]
fn primitives_that_are_passed_on_become_vertices() {
    let text = text(PASSTHROUGH, &Options::default());
    assert_eq!(count(&text, "OpEmitVertex"), 2);
    assert_eq!(count(&text, "OpEndPrimitive"), 1);
    let loads = text.lines().filter(|line| line.contains("OpLoad"));
    assert_eq!(loads.count(), 4, "{text}");
}

/// Vulkan wants to be told the size of points where programs can set it.
#[test]
fn points_have_a_size() {
    let sizes = |options: &Options| count(&text(STREAMS, options), "PointSize");
    assert_eq!(sizes(&Options::default()), 1);
    let device = DeviceFeatures {
        tessellation_and_geometry_point_size: false,
        ..DeviceFeatures::default()
    };
    let options = Options {
        device,
        ..Options::default()
    };
    assert_eq!(sizes(&options), 0);
}

#[test]
fn patches_become_primitives_of_as_many_vertices() {
    let source = GEOMETRY.replace("in triangles_adjacency", "in patches");
    for (vertices, mode) in [
        (1, "InputPoints"),
        (2, "InputLines"),
        (3, "Triangles"),
        (4, "InputLinesAdjacency"),
        (6, "InputTrianglesAdjacency"),
    ] {
        let fixed = PipelineState {
            patch_vertices: vertices,
            ..PipelineState::default()
        };
        let options = Options {
            pipeline_state: fixed,
            ..Options::default()
        };
        assert!(text(&source, &options).contains(mode));
    }
    let message = refusal(&source, &Options::default());
    assert!(message.contains("patches of 0 vertices"), "{message}");
}

/// All components of an output that other invocations read are written at once, single ones alone: the others may be another's.
#[test]
fn whole_results_are_stored_at_once() {
    let stores = |mask: &str| {
        let source = format!(
            "program tess_control
vertices_out 3
r0: temp32
r1: output32 out0
in0: position float per_vertex
in1: invocation_id signed
out0: generic[2] float
out1: tess_outer[0] float
r2: output32 out1
routine fn0 {{
  r1.{mask} = mov.f32 in0[0 of 1, vertex 1].xyzw
  bar.u32
  r0.xyzw = mov.f32 out0[0 of 1, vertex 2].xyzw
  r2.x = mov.f32 r0.xxxx
}}
main fn0
"
        );
        count(&text(&source, &Options::default()), "OpStore")
    };
    // The level is the other store.
    assert_eq!(stores("xyzw"), 2);
    assert_eq!(stores("xyw"), 4);
}

/// What the next stage does not read has a place all the same if invocations read it.
#[test]
fn outputs_that_only_invocations_read_have_locations() {
    let options = Options {
        interface: InterfaceTypes {
            outputs: Varyings::Packed(vec![Semantic::GenericPatchVarying(1)]),
            ..InterfaceTypes::default()
        },
        ..Options::default()
    };
    let text = text(CONTROL, &options);
    let mut locations: Vec<&str> = text
        .lines()
        .filter(|line| line.contains(" Location "))
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    locations.sort_unstable();
    // generic[2], patch_generic[0] and generic[4], generic[5] behind patch_generic[1]; generic[9] is read by nobody.
    assert_eq!(locations, ["0", "1", "2", "3", "4"]);
}

#[test]
fn what_devices_and_stages_lack() {
    let without = |change: fn(&mut DeviceFeatures)| {
        let mut options = Options::default();
        change(&mut options.device);
        options
    };
    let cases = [
        (
            GEOMETRY.to_owned(),
            without(|device| device.geometry_shader = false),
            "geometryShader",
        ),
        (
            CONTROL.to_owned(),
            without(|device| device.tessellation_shader = false),
            "tessellationShader",
        ),
        (
            EVALUATION.replace("color[0]", "point_size"),
            without(|device| device.tessellation_and_geometry_point_size = false),
            "shaderTessellationAndGeometryPointSize",
        ),
        (
            EVALUATION.replace("in1: patch_generic[29] float", "in1: generic[3] float"),
            Options::default(),
            "GenericVarying(3) is not an input of tess_eval programs",
        ),
        (
            VERTEX_WITH_GENERIC.to_owned(),
            Options::default(),
            "GenericVarying(3) is not an input of vertex programs",
        ),
        (
            GEOMETRY.replace("in1: generic[0]", "in1: tess_coord"),
            Options::default(),
            "TessCoord is not an input of the vertices of geometry programs",
        ),
        (
            GEOMETRY.replace("out1: generic[3]", "out1: patch_generic[3]"),
            Options::default(),
            "GenericPatchVarying(3) is not an output of geometry programs",
        ),
    ];
    for (source, options, expected) in cases {
        let message = refusal(&source, &options);
        assert!(message.contains(expected), "{message}");
    }
}

/// A vertex program that reads what only later stages have.
const VERTEX_WITH_GENERIC: &str = "\
program vertex
r0: output32 out0
in0: generic[3] float
out0: position float
routine fn0 {
  r0.xyzw = mov.f32 in0.xyzw
}
main fn0
";

const VIEWPORTS: &str = "\
program geometry
primitive_in triangles
primitive_out triangle_strip
vertices_out 3
r0: output32 out0
r1: output32 out1
in0: position float per_vertex
out0: position float
out1: viewport_mask signed
routine fn0 {
  r0.xyzw = mov.f32 in0[0 of 1, vertex 0].xyzw
  r1.x = mov.s32 {6}
  emit.s32 {0}
}
main fn0
";

/// NV_viewport_array2: where the device cannot send a primitive to several viewports, the program runs for each of the sixteen.
#[test]
fn masks_of_viewports_make_invocations() {
    let text = text(VIEWPORTS, &Options::default());
    assert!(text.contains("Invocations 16"), "{text}");
    assert!(text.contains("BuiltIn ViewportIndex"), "{text}");
    let second = VIEWPORTS.replace("viewport_mask", "secondary_position");
    let text = self::text(&second, &Options::default());
    assert!(text.contains("Invocations 2"), "{text}");
    let many = VIEWPORTS.replace("vertices_out 3", "vertices_out 3\ninvocations 3");
    let message = refusal(&many, &Options::default());
    assert!(message.contains("run 16 times"), "{message}");
    let device = DeviceFeatures {
        viewport_array2: true,
        ..DeviceFeatures::default()
    };
    let options = Options {
        device,
        ..Options::default()
    };
    let native = disassemble(&emit(&program(VIEWPORTS), &options).unwrap().words);
    assert!(native.contains("Invocations 1"), "{native}");
    assert!(native.contains("ViewportMaskNV"), "{native}");
}

/// Vulkan counts components of all vertices together, 1024 on every device.
#[test]
fn programs_emit_what_the_device_has_room_for() {
    let source = VIEWPORTS
        .replace("viewport_mask signed", "generic[0] float")
        .replace("vertices_out 3", "vertices_out 300");
    let limit_of = |source: &str, options: &Options| {
        let text = disassemble(&emit(&program(source), options).unwrap().words);
        let line = text.lines().find(|line| line.contains(" OutputVertices "));
        line.and_then(|line| line.split_whitespace().last())
            .and_then(|number| number.parse::<u32>().ok())
    };
    let limit = |options: &Options| limit_of(&source, options);
    assert_eq!(limit(&Options::default()), Some(1024 / 8));
    let fragment = "program fragment\nr0: output32 out0\nin0: generic[0] float\nout0: frag_color[0][0] float\nroutine fn0 {\nr0.xyzw = mov.f32 in0.xyzw\n}\nmain fn0\n";
    // Only x of the varying is written.
    let outputs = Varyings::pack(&program(&source), &program(fragment), &Options::default());
    let interface = InterfaceTypes {
        outputs,
        ..InterfaceTypes::default()
    };
    let options = Options {
        interface,
        ..Options::default()
    };
    assert_eq!(limit(&options), Some(1024 / 5));
    // Lines whose vertices have a single component.
    let sizes = "program geometry\nprimitive_in points\nprimitive_out line_strip\nvertices_out 1024\nr0: output32 out0\nin0: point_size float per_vertex\nout0: point_size float\nroutine fn0 {\nr0.x = mov.f32 in0[0 of 1, vertex 0].xyzw\nemit.s32 {0}\n}\nmain fn0\n";
    assert_eq!(limit_of(sizes, &Options::default()), Some(1024));
}
