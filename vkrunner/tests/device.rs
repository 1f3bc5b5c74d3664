//! Scripts on a real device, with shaders in SPIR-V assembly. Without a device, or without
//! `spirv-as`, a test says so and ends.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use glasm_tests::skip::skip;
use glasm_vkrunner::{Outcome, RunOptions, Runner, ScriptReport};
use std::fs;
use std::path::PathBuf;

/// Directory that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("glasm-vkrunner-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn runner(options: &RunOptions) -> Option<Runner> {
    match Runner::new(options) {
        Ok(runner) => Some(runner),
        Err(error) => {
            skip(error);
            None
        }
    }
}

/// Runs a script; `None` if there is nothing to run it on.
fn run_with(options: &RunOptions, name: &str, script: &str) -> Option<ScriptReport> {
    let runner = runner(options)?;
    let folder = Folder::new(name);
    let path = folder.0.join("script.shader_test");
    fs::write(&path, script).unwrap();
    let report = runner.run_file(&path);
    match &report.outcome {
        Outcome::Skip(reason) => {
            skip(reason);
            None
        }
        Outcome::Pass | Outcome::Fail => Some(report),
    }
}

fn expect_pass(name: &str, script: &str) {
    if let Some(report) = run_with(&RunOptions::default(), name, script) {
        assert_eq!(report.outcome, Outcome::Pass, "{:#?}", report.failures);
    }
}

/// Returns the lines of the failures of a script, and their messages joined.
fn failures(name: &str, script: &str) -> Option<(Vec<Option<u32>>, String)> {
    let report = run_with(&RunOptions::default(), name, script)?;
    let lines = report.failures.iter().map(|failure| failure.line).collect();
    let messages: Vec<String> = report.failures.iter().map(ToString::to_string).collect();
    Some((lines, messages.join("\n")))
}

/// Returns a fragment shader that writes the constant that `color` names.
fn constant_color(color: &str) -> String {
    format!(
        r#"
[fragment shader spirv]
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%pointer = OpTypePointer Output %vec4
%color = OpVariable %pointer Output
%zero = OpConstant %float 0
%half = OpConstant %float 0.5
%one = OpConstant %float 1
%red = OpConstantComposite %vec4 %one %zero %zero %one
%gray = OpConstantComposite %vec4 %half %half %half %half
%main = OpFunction %void None %function
%label = OpLabel
OpStore %color %{color}
OpReturn
OpFunctionEnd
"#
    )
}

/// Vertex and fragment shaders that pass attribute 1 on as the color.
const VARYING_COLOR: &str = r#"
[vertex shader spirv]
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %position %color_in %position_out %color
OpDecorate %position Location 0
OpDecorate %color_in Location 1
OpDecorate %position_out BuiltIn Position
OpDecorate %color Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%in = OpTypePointer Input %vec4
%out = OpTypePointer Output %vec4
%position = OpVariable %in Input
%color_in = OpVariable %in Input
%position_out = OpVariable %out Output
%color = OpVariable %out Output
%main = OpFunction %void None %function
%label = OpLabel
%a = OpLoad %vec4 %position
%b = OpLoad %vec4 %color_in
OpStore %position_out %a
OpStore %color %b
OpReturn
OpFunctionEnd
[fragment shader spirv]
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color_in %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %color_in Location 0
OpDecorate %color Location 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%in = OpTypePointer Input %vec4
%out = OpTypePointer Output %vec4
%color_in = OpVariable %in Input
%color = OpVariable %out Output
%main = OpFunction %void None %function
%label = OpLabel
%value = OpLoad %vec4 %color_in
OpStore %color %value
OpReturn
OpFunctionEnd
"#;

/// Each invocation adds its number to a word of a storage buffer.
const COMPUTE: &str = r#"
[compute shader spirv]
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %buffer
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 3
%void = OpTypeVoid
%function = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%in = OpTypePointer Input %uvec3
%storage = OpTypePointer StorageBuffer %block
%element = OpTypePointer StorageBuffer %uint
%id = OpVariable %in Input
%buffer = OpVariable %storage StorageBuffer
%zero = OpConstant %uint 0
%main = OpFunction %void None %function
%label = OpLabel
%all = OpLoad %uvec3 %id
%x = OpCompositeExtract %uint %all 0
%place = OpAccessChain %element %buffer %zero %x
%old = OpLoad %uint %place
%new = OpIAdd %uint %old %x
OpStore %place %new
OpReturn
OpFunctionEnd
"#;

#[test]
fn rectangles_cover_their_pixels() {
    let script = "[require]\nfbsize 32 16\n[vertex shader passthrough]\n".to_owned()
        + &constant_color("red")
        + "[test]\nclear color 0 0 1 0.5\nclear\ndraw rect ortho 0 0 8 16\n\
           probe rect rgba (0, 0, 8, 16) (1, 0, 0, 1)\nprobe rect rgba (8, 0, 24, 16) (0, 0, 1, 0.5)\n\
           relative probe rgb (0.1, 0.9) (1, 0, 0)\n";
    expect_pass("rect", &script);
}

#[test]
fn failing_probes_report_their_lines() {
    let script = "[vertex shader passthrough]".to_owned()
        + &constant_color("red")
        + "[test]\ndraw rect -1 -1 2 2\nprobe all rgba 0 1 0 1\nprobe all rgba 1 0 0 1\nprobe rgba 3 4 1 0 0 0.5\n";
    let first = 1 + script
        .lines()
        .position(|line| line.starts_with("probe all"))
        .unwrap() as u32;
    if let Some((lines, messages)) = failures("probes", &script) {
        assert_eq!(lines, [Some(first), Some(first + 2)], "{messages}");
        assert!(
            messages.contains("pixel (0, 0) differs, and 62500 of 62500 pixels do"),
            "{messages}"
        );
        assert!(
            messages.contains("expected: 0 1 0 1\n  observed: 1 0 0 1"),
            "{messages}"
        );
    }
}

#[test]
fn vertex_data_and_indices_reach_the_shader() {
    let script = VARYING_COLOR.to_owned()
        + "[vertex data]\n0/R32G32_SFLOAT 1/A8B8G8R8_UNORM_PACK32\n\
           -1 -1 0xff00ff00\n0 -1 0xff00ff00\n-1 1 0xff00ff00\n0 1 0xff00ff00\n\
           0 -1 0xffff0000\n1 -1 0xffff0000\n0 1 0xffff0000\n1 1 0xffff0000\n\
           [indices]\n0 1 2 2 1 3\n\
           [test]\nclear\ndraw arrays indexed TRIANGLE_LIST 0 6\n\
           relative probe rect rgba (0, 0, 0.5, 1) (0, 1, 0, 1)\nrelative probe rect rgba (0.5, 0, 0.5, 1) (0, 0, 0, 0)\n\
           draw arrays indexed TRIANGLE_LIST 4 6\nrelative probe rect rgba (0.5, 0, 0.5, 1) (0, 0, 1, 1)\n\
           clear\ndraw arrays GL_TRIANGLE_STRIP 4 4\nrelative probe rect rgba (0.5, 0, 0.5, 1) (0, 0, 1, 1)\n";
    expect_pass("arrays", &script);
}

#[test]
fn draws_past_the_vertices_fail() {
    let script = VARYING_COLOR.to_owned()
        + "[vertex data]\n0/float/vec2 1/float/vec4\n0 0 1 1 1 1\n[test]\ndraw arrays POINT_LIST 0 2\n";
    if let Some((_, messages)) = failures("bounds", &script) {
        assert!(
            messages.contains("the draw needs 2 vertices, but [vertex data] has 1"),
            "{messages}"
        );
    }
}

#[test]
fn depth_tests_use_the_depth_buffer() {
    let vulkan = "[require]\ndepthstencil D32_SFLOAT\n[vertex shader passthrough]\n".to_owned()
        + &constant_color("red")
        + "[test]\ndepthTestEnable true\ndepthCompareOp VK_COMPARE_OP_LESS\nclear depth 0.0\nclear\n\
           draw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\nclear depth 0.25\nclear\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n";
    expect_pass("depth-vulkan", &vulkan);
    // z = 0 is half way between near and far in GL.
    let gl = "[require]\nGL_ARB_vertex_program\ndepthbuffer\n[vertex shader passthrough]\n"
        .to_owned()
        + &constant_color("red")
        + "[test]\nenable GL_DEPTH_TEST\nclear depth 0.49\nclear\ndraw rect -1 -1 2 2\nprobe all rgba 0 0 0 0\n\
           clear depth 0.51\nclear\ndraw rect -1 -1 2 2\nprobe all rgba 1 0 0 1\n";
    expect_pass("depth-gl", &gl);
}

#[test]
fn front_faces_follow_the_convention() {
    // The rectangle is counter-clockwise where y points up, and clockwise where y points down.
    let test = "[test]\ncullMode VK_CULL_MODE_BACK_BIT\ndraw rect -1 -1 2 2\n";
    let shaders = "[vertex shader passthrough]\n".to_owned() + &constant_color("red");
    expect_pass(
        "face-vulkan",
        &format!("{shaders}{test}probe all rgba 0 0 0 0\n"),
    );
    let gl = "[require]\nGL_ARB_vertex_program\n";
    expect_pass(
        "face-gl",
        &format!("{gl}{shaders}{test}probe all rgba 1 0 0 1\n"),
    );
}

#[test]
fn blending_and_write_masks() {
    let script = "[vertex shader passthrough]".to_owned()
        + &constant_color("gray")
        + "[test]\nclear color 1 0 0 1\nclear\nblendEnable true\ndraw rect -1 -1 2 2\ntolerance 0.005\n\
           probe all rgba 0.75 0.25 0.25 0.75\nblendEnable false\ncolorWriteMask VK_COLOR_COMPONENT_G_BIT\n\
           clear\ndraw rect -1 -1 2 2\nprobe all rgba 1 0.5 0 1\n";
    expect_pass("blend", &script);
}

#[test]
fn float_framebuffers_keep_their_precision() {
    let script =
        "[require]\nframebuffer R32G32B32A32_SFLOAT\nfbsize 4 4\n[vertex shader passthrough]"
            .to_owned()
            + &constant_color("red")
            + "[test]\nclear color -2.5 1e10 0.001 inf\nclear\ntolerance 0\nprobe all rgba -2.5 1e10 0.001 inf\n";
    expect_pass("float", &script);
    let next = script.replace(
        "probe all rgba -2.5 1e10 0.001",
        "probe all rgba -2.5 1e10 0.001001",
    );
    if let Some((_, messages)) = failures("float-next", &next) {
        assert!(
            messages.contains("observed: -2.5 10000000000.0 0.001 inf"),
            "{messages}"
        );
    }
}

#[test]
fn dispatches_see_earlier_writes() {
    let script = COMPUTE.to_owned()
        + "[test]\nssbo 3 subdata uint 0 10 10 10 10 10 10 10 10\ncompute 2 1 1\n\
           probe ssbo uint 3 0 == 10 11 12 13 14 15 16 17\ncompute 1 1 1\nprobe ssbo uint 3 0 == 10 12 14 16 14\n\
           ssbo 3 subdata uint 4 0\nprobe ssbo uint 3 0 == 10 0 14\nprobe ssbo uvec2 3 8 >= 14 16\n\
           print ssbo uvec2 3 8 2\n";
    if let Some(report) = run_with(&RunOptions::default(), "compute", &script) {
        assert_eq!(report.outcome, Outcome::Pass, "{:#?}", report.failures);
        assert_eq!(report.printed, ["ssbo 0:3: (14, 16) (14, 15)"]);
    }
}

#[test]
fn named_buffers_start_with_zeros() {
    expect_pass(
        "named",
        "[test]\nbuffer b size 12\nbuffer b subdata float 4 1.5\nprobe buffer b float 0 == 0 1.5 0\n",
    );
}

#[test]
fn saved_pictures_are_upright() {
    let folder = Folder::new("pictures");
    let options = RunOptions {
        save_images: Some(folder.0.join("new")),
        ..RunOptions::default()
    };
    let shaders = "fbsize 1 2\n[vertex shader passthrough]\n".to_owned() + &constant_color("red");
    let test = "[test]\nclear color 0 0 1 1\nclear\ndraw rect ortho 0 0 1 1\nsave image out.png\n";
    for (first_line, expected) in [("", [255, 0]), ("GL_ARB_vertex_program\n", [0, 255])] {
        let script = format!("[require]\n{first_line}{shaders}{test}");
        let Some(report) = run_with(&options, "upright", &script) else {
            return;
        };
        assert_eq!(report.outcome, Outcome::Pass, "{:#?}", report.failures);
        assert_eq!(report.images, [folder.0.join("new/out.png")]);
        let file = std::io::BufReader::new(fs::File::open(&report.images[0]).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(
            [pixels[0], pixels[4]],
            expected,
            "red of the upper and the lower pixel"
        );
    }
}

#[test]
fn modules_are_written_for_other_tools() {
    let folder = Folder::new("modules");
    let options = RunOptions {
        module_dir: Some(folder.0.clone()),
        ..RunOptions::default()
    };
    let Some(report) = run_with(
        &options,
        "written",
        &(COMPUTE.to_owned() + "[test]\nssbo 3 32\n"),
    ) else {
        return;
    };
    assert_eq!(report.outcome, Outcome::Pass, "{:#?}", report.failures);
    let names: Vec<String> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(names[0].contains("script.compute.vulkan1."), "{names:?}");
    assert_eq!(
        fs::read(folder.0.join(&names[0])).unwrap()[..4],
        0x0723_0203u32.to_le_bytes()
    );
}

#[test]
fn scripts_with_known_modules_are_skipped() {
    let folder = Folder::new("known-modules");
    let path = folder.0.join("script.shader_test");
    fs::write(&path, COMPUTE.to_owned() + "[test]\nssbo 3 32\n").unwrap();
    let modules = folder.0.join("modules");
    let writing = RunOptions {
        module_dir: Some(modules.clone()),
        ..RunOptions::default()
    };
    let Some(first) = runner(&writing) else {
        return;
    };
    let first = first.run_file(&path);
    if let Outcome::Skip(reason) = &first.outcome {
        skip(reason);
        return;
    }
    assert_eq!(first.outcome, Outcome::Pass, "{:#?}", first.failures);
    let skipping = RunOptions {
        known_modules: Some(modules.clone()),
        ..RunOptions::default()
    };
    let skipping = runner(&skipping).unwrap();
    let known = Outcome::Skip("its modules are known".to_owned());
    assert_eq!(skipping.run_file(&path).outcome, known);
    // The version of the code generator differs.
    let file = fs::read_dir(&modules).unwrap().next().unwrap();
    let file = file.unwrap().path();
    let mut bytes = fs::read(&file).unwrap();
    bytes[8] ^= 1;
    fs::write(&file, bytes).unwrap();
    assert_eq!(skipping.run_file(&path).outcome, Outcome::Pass);
}

#[test]
fn requirements_skip_by_feature() {
    let Some(runner) = runner(&RunOptions::default()) else {
        return;
    };
    let folder = Folder::new("skip");
    let path = folder.0.join("skip.shader_test");
    fs::write(
        &path,
        "# covers: a.b c.d\n[require]\nnoSuchFeature\n[test]\nclear\n",
    )
    .unwrap();
    let report = runner.run_file(&path);
    assert_eq!(
        report.outcome,
        Outcome::Skip("the device lacks noSuchFeature".to_owned())
    );
    assert_eq!(report.covers, ["a.b", "c.d"]);
}

#[test]
fn bad_scripts_fail_with_all_their_lines() {
    let Some((lines, messages)) = failures("bad", "[test]\nclear\ndraw circle\nprobe all rgba\n")
    else {
        return;
    };
    assert_eq!(lines, [Some(3), Some(4)]);
    assert!(
        messages.contains("line 3, column 6: expected `rect` or `arrays`"),
        "{messages}"
    );
}

#[test]
fn validation_messages_fail_the_script_that_causes_them() {
    let Some(runner) = runner(&RunOptions::default()) else {
        return;
    };
    if !runner.validates() {
        skip("there is no validation layer");
        return;
    }
    let folder = Folder::new("validation");
    // The variable is not listed in the interface of the entry point.
    let wrong = COMPUTE.replace("%main \"main\" %id %buffer", "%main \"main\" %buffer");
    let test = "[test]\nssbo 3 32\ncompute 1 1 1\n";
    let paths = ["wrong", "right"].map(|name| folder.0.join(name).with_extension("shader_test"));
    fs::write(&paths[0], wrong + test).unwrap();
    fs::write(&paths[1], COMPUTE.to_owned() + test).unwrap();
    let reports = paths.map(|path| runner.run_file(&path));
    if reports
        .iter()
        .any(|report| matches!(report.outcome, Outcome::Skip(_)))
    {
        skip("there is no spirv-as");
        return;
    }
    assert_eq!(reports[0].outcome, Outcome::Fail);
    assert!(
        reports[0]
            .failures
            .iter()
            .any(|failure| failure.message.starts_with("validation: "))
    );
    assert_eq!(
        reports[1].outcome,
        Outcome::Pass,
        "{:#?}",
        reports[1].failures
    );
}

#[test]
fn programs_reach_buffers_through_addresses_in_parameters() {
    let script = "[compute program]\n!!NVcp5.0\nGROUP_SIZE 1;\nPARAM place = program.local[1];\nPARAM factor = program.env[0];\n\
                  LONG TEMP from, to;\nTEMP value;\nPK64.U from, place;\nPK64.U to, place.zwzw;\nLOAD.F32X4 value, from.x;\n\
                  MUL value, value, factor;\nSTORE.F32X4 value, to.x;\nEND\n\
                  [test]\nbuffer in subdata float 0 1 2 3 4\nbuffer out size 16\nparameter local_cp 1 address in out\n\
                  parameter env_cp 0 (2, 3, 4, 5)\ncompute 1 1 1\nprobe buffer out float 0 == 2 6 12 20\n\
                  probe buffer in float 0 == 1 2 3 4\n";
    expect_pass("address", script);
}

#[test]
fn programs_read_matrices_attributes_and_textures() {
    let script = "[require]\nGL_NV_gpu_program5\nfbsize 4 4\n[vertex program]\n!!NVvp5.0\nPARAM mvp[4] = { state.matrix.mvp };\n\
                  DP4 result.position.x, mvp[0], vertex.position;\nDP4 result.position.y, mvp[1], vertex.position;\n\
                  DP4 result.position.z, mvp[2], vertex.position;\nDP4 result.position.w, mvp[3], vertex.position;\n\
                  MOV result.texcoord[0], vertex.texcoord[0];\nMOV result.color, vertex.color;\nEND\n\
                  [fragment program]\n!!NVfp5.0\nTEMP texel;\nTEX texel, fragment.texcoord[0], texture[1], 2D;\n\
                  MUL result.color, texel, fragment.color;\nEND\n\
                  [test]\nclear\northo\ncolor 1 0.5 1 1\ntexture rgbw 1 (2, 2)\ndraw rect tex 0 0 4 4 0 0 1 1\n\
                  probe rect rgba (0, 0, 2, 2) (1, 0, 0, 1)\nprobe rect rgba (2, 0, 2, 2) (0, 0.5, 0, 1)\n\
                  probe rect rgba (0, 2, 2, 2) (0, 0, 1, 1)\nprobe rect rgba (2, 2, 2, 2) (1, 0.5, 1, 1)\n\
                  clear\nmatrix modelview translate 2 0 0\nmatrix modelview scale 0.5 1 1\ndraw rect 0 0 4 4\n\
                  probe rect rgba (0, 0, 2, 4) (0, 0, 0, 0)\nprobe rect rgba (2, 0, 2, 4) (1, 0, 0, 1)\n";
    expect_pass("matrices", script);
}

#[test]
fn expected_errors_must_be_those_of_the_program() {
    let program = "[vertex program]\n!!NVvp5.0\nMOV result.position, nothing;\nEND\n[test]\n";
    expect_pass("error", &format!("{program}expect error E0201 at 31..38\n"));
    expect_pass(
        "error-line",
        &format!("{program}expect error E0201 line 2 col 22\n"),
    );
    let other = failures("error-other", &format!("{program}expect error E0101\n"));
    if let Some((lines, messages)) = other {
        // At the line of the script.
        assert_eq!(lines, [Some(3), Some(6)], "{messages}");
        assert!(
            messages.contains("unexpected error E0201 at 31..38 (line 2 col 22)"),
            "{messages}"
        );
        assert!(
            messages.contains("no program gives error E0101"),
            "{messages}"
        );
    }
}

#[test]
fn integer_textures_keep_their_bits() {
    let script = "[require]\nframebuffer R32G32B32A32_UINT\nfbsize 1 1\n[vertex program passthrough]\n[fragment program]\n!!NVfp5.0\n\
                  TEMP texel;\nTEX.U texel, {0.5, 0.5, 0, 0}, texture[0], 2D;\nMOV.U result.color, texel;\nEND\n\
                  [test]\ntexture 2D 0 R32G32_UINT (1, 1) 4294967295 7\ndraw rect -1 -1 2 2\ntolerance 0\n\
                  probe all rgba 4294967295 7 0 1\n";
    expect_pass("integers", script);
}

#[test]
fn failures_leave_pictures() {
    let folder = Folder::new("failure-images");
    let options = RunOptions {
        failure_images: Some(folder.0.join("new")),
        ..RunOptions::default()
    };
    let script = "[require]\nfbsize 16 8\n[test]\nclear color 0 1 0 1\nclear\nprobe all rgb 0 1 0\nprobe rgb 3 2 1 0 0\n";
    let Some(report) = run_with(&options, "failure-pictures", script) else {
        return;
    };
    assert_eq!(report.outcome, Outcome::Fail);
    let lines: Vec<_> = report.failure_images.iter().map(|it| it.line).collect();
    assert_eq!(lines, [Some(7), None]);
    let sizes = report.failure_images.iter().map(|image| {
        let file = std::io::BufReader::new(fs::File::open(&image.path).unwrap());
        let info = png::Decoder::new(file).read_info().unwrap();
        (info.info().width, info.info().height)
    });
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        [(3 * 128 + 4, 64), (16, 8)],
        "{:?}",
        report.failure_images
    );
    assert!(report.images.is_empty());
    let captions = report.failure_images.iter().map(|it| it.caption.as_str());
    assert_eq!(
        captions.collect::<Vec<_>>(),
        [
            "line 7, attachment 0: expected, observed, and differing pixels in red",
            "attachment 0"
        ]
    );
}

/// A script that fails twice, with images of two layers of four attachments.
const TWO_LAYERS: &str = "[require]
fbsize 4 2
framebuffer 2 R32_SFLOAT
depthstencil D32_SFLOAT_S8_UINT
samples 4
fblayers 2
[test]
attachment 2 clear color 9 0 0 0
clear depth 0.25
clear stencil 255
clear
probe layer 1 sample 3 all depth 0.5
probe attachment 2 rgb 0 0 0 0 0
";

/// Names, without that of the script, and captions.
const PICTURES: &[(&str, &str)] = &[
    (
        "line12.png",
        "line 12, the depth buffer, layer 1, sample 3: expected, observed, and differing pixels in red",
    ),
    (
        "line13.png",
        "line 13, attachment 2: expected, observed, and differing pixels in red, values from 0.0 (black) to 9.0 (white)",
    ),
    ("attachment0.png", "attachment 0"),
    ("attachment0.layer1.png", "attachment 0, layer 1"),
    (
        "attachment2.png",
        "attachment 2, values from 0.0 (black) to 9.0 (white)",
    ),
    (
        "attachment2.layer1.png",
        "attachment 2, layer 1, values from 0.0 (black) to 9.0 (white)",
    ),
    ("depth.png", "the depth buffer"),
    ("depth.layer1.png", "the depth buffer, layer 1"),
    (
        "stencil.png",
        "the stencil buffer, values from 0 (black) to 255 (white)",
    ),
    (
        "stencil.layer1.png",
        "the stencil buffer, layer 1, values from 0 (black) to 255 (white)",
    ),
];

#[test]
fn every_attachment_has_its_picture() {
    let folder = Folder::new("attachment-images");
    let options = RunOptions {
        failure_images: Some(folder.0.clone()),
        ..RunOptions::default()
    };
    let Some(report) = run_with(&options, "attachment-pictures", TWO_LAYERS) else {
        return;
    };
    assert_eq!(report.failures.len(), 2, "{:#?}", report.failures);
    let images = report.failure_images.iter().map(|image| {
        let name = image.path.file_name().unwrap().to_str().unwrap();
        let (_, name) = name.split_once("script.").unwrap();
        (name, image.caption.as_str())
    });
    assert_eq!(images.collect::<Vec<_>>(), PICTURES);
    // The image of the first probe, 4 pixels wide and magnified 32 times: the expected depth 0.25
    // as gray, and the verdict.
    let file = std::io::BufReader::new(fs::File::open(&report.failure_images[0].path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut pixels).unwrap();
    let at = |x: usize| &pixels[3 * x..3 * x + 3];
    assert_eq!(at(0), [128; 3]);
    assert_eq!(at(128 + 2), [64; 3]);
    assert_eq!(at(2 * (128 + 2)), [255, 0, 0]);
}
