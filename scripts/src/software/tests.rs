//! Fragments, vertices and work groups of scripts. Expected values are computed by hand.

use super::*;
use crate::script::Script;
use glasm::ir::Semantic;
use glasm::ir::interp::NoObserver;

const LIMIT: u64 = 10_000;

fn parse(text: &str) -> Script {
    Script::parse_runnable(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn locate(script: &Script, pixel: [u32; 2]) -> Result<LocatedFragment, String> {
    let selection = FragmentSelection {
        pixel,
        line: None,
        end_line: None,
        step_limit: LIMIT,
    };
    find_fragment(script, &selection)
}

/// Returns the color of a pixel after the commands of a script with a fragment program.
fn draw(program: &str, commands: &str, pixel: [u32; 2]) -> [f64; 4] {
    let text = format!(
        "[require]\nfbsize 4 4\nframebuffer R32G32B32A32_SFLOAT\n[vertex program passthrough]\n\
         [fragment program]\n{program}\nEND\n[test]\n{commands}\n"
    );
    let script = parse(&text);
    let found = locate(&script, pixel).unwrap_or_else(|error| panic!("{error}"));
    found.colors.colors[0].unwrap()
}

#[test]
fn coordinates_are_interpolated_at_pixel_centers() {
    let program = "!!ARBfp1.0\nMOV result.color, fragment.texcoord[0];";
    // Pixel (1, 2) of 4 x 4: centers at 1.5 / 4 and 2.5 / 4.
    let color = draw(program, "draw rect tex -1 -1 2 2 0 0 1 1", [1, 2]);
    assert_eq!(color, [0.375, 0.625, 0.0, 1.0]);
}

#[test]
fn window_positions_have_depth_and_reciprocal_w() {
    let program = "!!ARBfp1.0\nMOV result.color, fragment.position;";
    assert_eq!(
        draw(program, "draw rect -1 -1 2 2", [3, 0]),
        [3.5, 0.5, 0.0, 1.0]
    );
}

/// Checks perspective-correct values against the formula: with w = 1 on the left and w = 3 on the
/// right, the value at the middle of the screen is (0 / 1 + 1 / 3) / (1 / 1 + 1 / 3) = 1 / 4.
#[test]
fn values_are_interpolated_in_perspective() {
    let script = |modifier: &str| {
        parse(&format!(
            "[require]\nfbsize 1 1\nframebuffer R32G32B32A32_SFLOAT\n\
             [vertex program passthrough]\n\
             [fragment program]\n!!NVfp4.0\n{modifier}ATTRIB a = fragment.attrib[1];\n\
             MOV result.color, a;\nEND\n\
             [vertex data]\n0/R32G32B32A32_SFLOAT 1/R32_SFLOAT\n\
             -1 -1 0 1  0\n3 -3 0 3  1\n-1 1 0 1  0\n3 3 0 3  1\n\
             [test]\ndraw arrays TRIANGLE_STRIP 0 4\n"
        ))
    };
    let red = |script: &Script| locate(script, [0, 0]).unwrap().colors.colors[0].unwrap()[0];
    assert!((red(&script("")) - 0.25).abs() < 1e-6);
    assert!((red(&script("NOPERSPECTIVE ")) - 0.5).abs() < 1e-6);
}

/// Returns the fragment of a pixel of a line from `from` to `to`, with an attribute from 0 to 1.
fn draw_line(from: &str, to: &str, state: &str, pixel: [u32; 2]) -> Result<f64, String> {
    let script = parse(&format!(
        "[require]\nfbsize 4 4\nframebuffer R32G32B32A32_SFLOAT\n[vertex program passthrough]\n\
         [fragment program]\n!!NVfp4.0\nMOV result.color, fragment.attrib[1];\nEND\n\
         [vertex data]\n0/R32G32B32A32_SFLOAT 1/R32_SFLOAT\n{from} 0\n{to} 1\n\
         [test]\n{state}\ndraw arrays LINE_LIST 0 2\n"
    ));
    locate(&script, pixel).map(|found| found.colors.colors[0].unwrap()[0])
}

/// Checks lines against the rectangle of their width: y = -0.75 is the center of the first pixels.
#[test]
fn lines_are_rectangles_of_their_width() {
    let horizontal = |state, pixel| draw_line("-1 -0.75 0 1", "1 -0.75 0 1", state, pixel);
    assert_eq!(horizontal("", [1, 0]), Ok(0.375));
    assert!(horizontal("", [1, 1]).is_err());
    assert_eq!(horizontal("lineWidth 3", [3, 1]), Ok(0.875));
    assert!(horizontal("lineWidth 3", [3, 2]).is_err());
    // From pixel (0, 0) to the middle: half of the diagonal.
    let diagonal = |pixel| draw_line("-1 -1 0 1", "0 0 0 1", "", pixel);
    assert_eq!(diagonal([1, 1]), Ok(0.75));
    assert!(diagonal([2, 2]).is_err());
}

/// Checks perspective and clipping: the part with a positive w of a line from w = 1 to w = -1, which
/// is at infinity where w is 0. At NDC x = 0.5, (1 - t) * 0 + t * 1 = 0.5 * ((1 - t) - t), so that
/// t = 1 / 4.
#[test]
fn lines_are_clipped_behind_the_viewer() {
    let value = draw_line("0 -0.75 0 1", "1 0.75 0 -1", "", [2, 0]).unwrap();
    let x = 0.25;
    assert!((value - x / (1.0 + 2.0 * x)).abs() < 1e-5, "{value}");
}

/// Returns a script that subdivides a square over the whole framebuffer of 4 x 4 pixels.
fn tessellate(levels: &str, control: &str) -> Script {
    parse(&format!(
        "[require]\nfbsize 4 4\nframebuffer R32G32B32A32_SFLOAT\n[vertex program passthrough]\n\
         {control}[tess eval program]\n!!NVtep5.0\nTESS_MODE QUADS;\n\
         MAD result.position, vertex.tesscoord, {{2, 2, 0, 0}}, {{-1, -1, 0, 1}};\n\
         MOV result.texcoord[0].xy, vertex.tesscoord;\nMOV result.texcoord[0].zw, 1;\nEND\n\
         [fragment program]\n!!NVfp4.0\nMOV result.color, fragment.texcoord[0];\nEND\n\
         [vertex data]\n0/R32G32_SFLOAT\n0 0\n0 0\n0 0\n0 0\n\
         [test]\npatch parameter vertices 4\n{levels}draw arrays PATCH_LIST 0 4\n"
    ))
}

#[test]
fn patches_are_subdivided() {
    let levels = "patch parameter default level outer 3 2 1 4\n\
                  patch parameter default level inner 2 3\n";
    let script = tessellate(levels, "");
    // Centers at 1.5 / 4 and 2.5 / 4.
    let color = locate(&script, [1, 2]).unwrap().colors.colors[0].unwrap();
    for (own, expected) in color.iter().zip([0.375, 0.625, 1.0, 1.0]) {
        assert!((own - expected).abs() < 1e-6, "{color:?}");
    }
    let culled = tessellate("patch parameter default level outer 3 0 1 4\n", "");
    assert!(locate(&culled, [1, 2]).is_err());
}

#[test]
fn control_programs_set_levels() {
    let control = |level: &str| {
        format!(
            "[tess control program]\n!!NVtcp5.0\nVERTICES_OUT 4;\n\
             MOV result.patch.tessouter[0], {level};\nMOV result.patch.tessouter[1], 1;\n\
             MOV result.patch.tessouter[2], 1;\nMOV result.patch.tessouter[3], 1;\n\
             MOV result.patch.tessinner[0], 1;\nMOV result.patch.tessinner[1], 1;\nEND\n"
        )
    };
    assert!(locate(&tessellate("", &control("2")), [3, 3]).is_ok());
    assert!(locate(&tessellate("", &control("0")), [3, 3]).is_err());
    let script = tessellate("", &control("2"));
    let found = find_primitive(&script, None, 0, LIMIT).unwrap();
    assert_eq!(
        found.invocation.program.stage(),
        glasm::ir::Stage::TessControl
    );
    assert!(found.invocation.run(LIMIT, &mut NoObserver).is_ok());
}

/// Checks that a program reads texels of an image that an earlier dispatch has written, and that
/// stores outside have no effect.
#[test]
fn images_contain_what_dispatches_have_written() {
    let script = parse(
        "[compute program]\n!!NVcp5.0\nGROUP_SIZE 4;\n\
         TEMP a, p;\nMOV.U p, {0, 0, 0, 0};\nMOV.U p.x, invocation.globalid.x;\n\
         MUL.U a, p.x, 10;\nSTOREIM.U32 image[0], a, p, 1D;\nEND\n\
         [test]\nimage 1D 0 R32_UINT (3) 7 7 7\ncompute 1 1 1\n",
    );
    let selection = ComputeSelection {
        invocation: [0; 3],
        line: None,
        step_limit: LIMIT,
    };
    let found = find_invocation(&script, &selection).unwrap();
    let observed = found.buffers.unwrap();
    let bytes = [0u32, 10, 20].map(u32::to_le_bytes).concat();
    assert_eq!(observed.last().unwrap().bytes, bytes);
}

#[test]
fn stencil_tests_hide_fragments() {
    let commands = |reference: u32| {
        format!(
            "clear stencil 3\nclear\nstencilTestEnable true\nfrontFace CLOCKWISE\n\
             front.compareOp VK_COMPARE_OP_EQUAL\nfront.compareMask 255\n\
             front.reference {reference}\ndraw rect -1 -1 2 2\n"
        )
    };
    let draws = |reference| {
        let text = format!(
            "[require]\nfbsize 4 4\ndepthstencil D32_SFLOAT_S8_UINT\n\
             [vertex program passthrough]\n[fragment program]\n!!ARBfp1.0\n\
             MOV result.color, 1;\nEND\n[test]\n{}",
            commands(reference)
        );
        locate(&parse(&text), [1, 1]).unwrap().is_drawn
    };
    assert!(draws(3));
    assert!(!draws(4));
}

#[test]
fn discarded_and_hidden_fragments_leave_the_pixel() {
    let kill = "!!ARBfp1.0\nTEMP a;\nSUB a, program.local[0].x, 0.5;\nKIL a;\n\
                MOV result.color, program.local[0];";
    let commands = "clear color 0 0 1 1\nclear\nparameter local_fp 0 (1, 0, 0, 1)\n\
                    draw rect -1 -1 2 2\nparameter local_fp 0 (0, 1, 0, 1)\ndraw rect -1 -1 2 2";
    // The second draw discards its fragments.
    assert_eq!(draw(kill, commands, [0, 0]), [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn blending_combines_colors() {
    let program = "!!ARBfp1.0\nMOV result.color, program.local[0];";
    let commands = "clear color 0.5 0.25 0 1\nclear\nblendEnable true\n\
                    srcColorBlendFactor ONE\ndstColorBlendFactor ONE\n\
                    srcAlphaBlendFactor ONE\ndstAlphaBlendFactor ZERO\n\
                    parameter local_fp 0 (0.25, 0.5, 1, 0.5)\ndraw rect -1 -1 2 2";
    assert_eq!(draw(program, commands, [0, 0]), [0.75, 0.75, 1.0, 0.5]);
}

#[test]
fn textures_are_sampled_and_filtered() {
    let program = "!!ARBfp1.0\nTEX result.color, program.local[0], texture[0], 2D;";
    let sample = |setup: &str, s: &str, t: &str| {
        let commands = format!(
            "texture 2D 0 R32_SFLOAT (2, 2) 1 2 3 4\n{setup}parameter local_fp 0 ({s}, {t}, 0, 0)\n\
             draw rect -1 -1 2 2"
        );
        draw(program, &commands, [0, 0])[0]
    };
    assert_eq!(sample("", "0.25", "0.25"), 1.0);
    assert_eq!(sample("", "0.75", "0.25"), 2.0);
    assert_eq!(sample("", "0.25", "0.75"), 3.0);
    // Repeated.
    assert_eq!(sample("", "1.25", "-0.25"), 3.0);
    let linear = "texparameter 2D min linear\ntexparameter 2D mag linear\n";
    // The middle of all four texels.
    assert_eq!(sample(linear, "0.5", "0.5"), 2.5);
    // A quarter between the texels of the first row.
    assert_eq!(sample(linear, "0.375", "0.25"), 1.25);
}

#[test]
fn pixels_outside_of_draws_have_no_fragment() {
    let text = "[require]\nfbsize 4 4\n[vertex program passthrough]\n\
                [fragment program]\n!!ARBfp1.0\nMOV result.color, 1;\nEND\n\
                [test]\ndraw rect -1 -1 1 1\n";
    let script = parse(text);
    assert!(locate(&script, [1, 1]).is_ok());
    let error = locate(&script, [2, 1]).unwrap_err();
    assert_eq!(error, "no draw covers pixel (2, 1)");
    assert!(locate(&script, [4, 0]).unwrap_err().contains("outside"));
}

#[test]
fn fragments_are_found_up_to_a_line() {
    let script = parse(
        "[require]\nfbsize 4 4\nframebuffer R32G32B32A32_SFLOAT\n[vertex program passthrough]\n\
         [fragment program]\n!!ARBfp1.0\nMOV result.color, program.local[0];\nEND\n[test]\n\
         parameter local_fp 0 (1, 0, 0, 1)\ndraw rect -1 -1 2 2\n\
         parameter local_fp 0 (0, 1, 0, 1)\ndraw rect -1 -1 2 2\n",
    );
    let find = |end_line| {
        let selection = FragmentSelection {
            pixel: [1, 1],
            line: None,
            end_line,
            step_limit: LIMIT,
        };
        find_fragment(&script, &selection).map(|found| (found.line, found.colors.colors[0]))
    };
    assert_eq!(find(None), Ok((13, Some([0.0, 1.0, 0.0, 1.0]))));
    assert_eq!(find(Some(13)), Ok((11, Some([1.0, 0.0, 0.0, 1.0]))));
    assert_eq!(find(Some(11)), Err("the script draws nothing".to_owned()));
}

#[test]
fn vertices_read_their_attributes() {
    let text = "[vertex program]\n!!ARBvp1.0\nMOV result.position, vertex.attrib[2];\nEND\n\
                [fragment program]\n!!ARBfp1.0\nMOV result.color, 1;\nEND\n\
                [vertex data]\n2/R32G32_SFLOAT\n1 2\n3 4\n5 6\n\
                [test]\ndraw arrays TRIANGLES 0 3\n";
    let script = parse(text);
    let LocatedVertices {
        invocation,
        line,
        capture,
    } = find_vertex(&script, None, 1, LIMIT).unwrap();
    let result = invocation.run(LIMIT, &mut NoObserver).unwrap();
    let (semantic, _, lanes) = result.outputs[0];
    assert_eq!((semantic, line), (Semantic::Position, 15));
    let lanes = lanes.map(|bits| f32::from_bits(bits as u32));
    assert_eq!(lanes, [3.0, 4.0, 0.0, 1.0]);
    assert!(find_vertex(&script, None, 3, LIMIT).is_err());
    let capture = capture.unwrap();
    let expected = [3.0f32, 4.0, 0.0, 1.0].map(f32::to_bits);
    assert_eq!(capture.vertices, [expected]);
    assert_eq!(capture.script.indices, [1]);
}

#[test]
fn dispatches_before_the_traced_one_have_run() {
    let text = "[compute program]\n!!NVcp5.0\nOPTION NV_shader_storage_buffer;\nGROUP_SIZE 2;\nSTORAGE b[] = { program.storage[0] };\n\
                TEMP a, i;\nMUL.U i.x, invocation.globalid.x, 4;\nLDB.U32 a.x, b[i.x];\n\
                ADD.U a.x, a.x, 5;\nSTB.U32 a, b[i.x];\nEND\n\
                [test]\nssbo 0 16\ncompute 2 1 1\ncompute 2 1 1\n";
    let Ok(script) = Script::parse_runnable(text.as_bytes()) else {
        panic!("{:?}", Script::parse_runnable(text.as_bytes()).err());
    };
    let selection = ComputeSelection {
        invocation: [3, 0, 0],
        line: None,
        step_limit: LIMIT,
    };
    let found = find_invocation(&script, &selection).unwrap();
    assert_eq!((found.invocation.index, found.line), (1, 15));
    // Both dispatches add 5 to each number.
    let buffers = found.buffers.unwrap();
    assert_eq!(buffers[0].bytes, [10, 0, 0, 0].repeat(4));
    let outside = ComputeSelection {
        invocation: [4, 0, 0],
        ..selection
    };
    let error = find_invocation(&script, &outside).err();
    assert_eq!(error.unwrap(), "the dispatch has 4 x 1 x 1 invocations");
}
