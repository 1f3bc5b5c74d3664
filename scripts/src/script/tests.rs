//! Scripts that are right and scripts that are wrong.

mod former_words;
mod parameters;

use super::*;
use crate::data::DataLayout;
use crate::probe::pixels::{PixelProbe, Region};
use crate::probe::{ComparisonOp, Tolerance};
use ash::vk::{self, PrimitiveTopology};
use command::*;
use glasm::ir::Stage;

fn parse(text: &str) -> Script {
    Script::parse(text.as_bytes()).unwrap_or_else(|errors| panic!("{errors:#?}"))
}

/// Returns the commands of a `[test]` section.
fn commands(test: &str) -> Vec<Command> {
    parse(&format!("[test]\n{test}"))
        .steps
        .into_iter()
        .map(|step| step.command)
        .collect()
}

/// Returns line, column and message of all errors.
fn errors(text: &str) -> Vec<(u32, u32, String)> {
    let errors = Script::parse(text.as_bytes()).expect_err("the script is wrong");
    errors
        .into_iter()
        .map(|error| (error.line, error.column, error.message))
        .collect()
}

/// Returns the message of the only error of a `[test]` section of one line.
fn error(line: &str) -> String {
    let mut found = errors(&format!("[test]\n{line}\n"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, 2);
    found.remove(0).2
}

#[test]
fn defaults_are_those_of_piglit() {
    let requirements = parse("[test]\n").requirements;
    assert_eq!(requirements.framebuffer, [250, 250]);
    assert_eq!(
        requirements.attachments.color(0).unwrap().vk,
        vk::Format::R8G8B8A8_UNORM
    );
    assert_eq!(requirements.convention, Convention::Vulkan);
    assert_eq!(requirements.attachments.depth, None);
}

#[test]
fn requirements_are_sorted_by_kind() {
    let requirements = parse(
        "[require]\nshaderInt64\nVK_EXT_shader_atomic_float # why\nfbsize 64 32\nframebuffer R32G32B32A32_SFLOAT\n\
         depthstencil D24_UNORM_S8_UINT\nvulkan 1.2\nsamples 4\n",
    )
    .requirements;
    assert_eq!(requirements.features, ["shaderInt64"]);
    assert_eq!(requirements.extensions, ["VK_EXT_shader_atomic_float"]);
    assert_eq!(requirements.framebuffer, [64, 32]);
    assert_eq!(
        requirements.attachments.color(0).unwrap().vk,
        vk::Format::R32G32B32A32_SFLOAT
    );
    assert_eq!(
        requirements.attachments.depth.unwrap().vk,
        vk::Format::D24_UNORM_S8_UINT
    );
    assert_eq!(requirements.version, Some([1, 2, 0]));
    assert_eq!(requirements.attachments.samples, 4);
    assert_eq!(requirements.unmet, Vec::<String>::new());
    assert_eq!(requirements.convention, Convention::Vulkan);
}

#[test]
fn gl_names_select_gl_conventions() {
    for line in [
        "GL_ARB_vertex_program",
        "ARB_fragment_program",
        "GL >= 1.3",
        "GL_NV_gpu_program5",
    ] {
        let requirements = parse(&format!("[require]\n{line}\n")).requirements;
        assert_eq!(requirements.convention, Convention::OpenGl, "{line}");
        assert_eq!(requirements.unmet, Vec::<String>::new(), "{line}");
    }
    assert_eq!(
        parse("[require]\nGL_ARB_sparse_buffer\n")
            .requirements
            .unmet,
        ["GL_ARB_sparse_buffer"]
    );
}

#[test]
fn programs_are_compiled_for_gl_state() {
    let script = parse(
        "[require]\nfixed point_sprite 1\nfixed flat_colors\nfixed point_sprite 7\nfixed clip_plane 3\nfixed point_size 2.5\n",
    );
    let expected = glasm::PipelineState {
        flat_colors: true,
        coord_replace_mask: 0b1000_0010,
        clip_plane_mask: 0b1000,
        forced_point_size: Some(2.5.into()),
        ..glasm::PipelineState::default()
    };
    assert_eq!(script.requirements.fixed, expected);
    assert!(!script.requirements.legacy_multiply && !script.requirements.numbered_handles);
    let counting = parse("[require]\nlegacy_multiply\nnumbered_handles\n");
    assert!(counting.requirements.legacy_multiply && counting.requirements.numbered_handles);
    assert!(!script.requirements.separate_programs);
    assert!(
        parse("[require]\nSSO ENABLED\n")
            .requirements
            .separate_programs
    );
    for line in [
        "fixed",
        "fixed two_sided",
        "fixed point_sprite 8",
        "fixed clip_plane 8",
        "fixed point_size 0",
        "fixed flat_colors 1",
        "legacy_multiply 1",
        "SSO",
        "SSO maybe",
    ] {
        assert_eq!(errors(&format!("[require]\n{line}\n")).len(), 1, "{line}");
    }
}

#[test]
fn requirements_say_what_tgsi_texts_leave_open() {
    let script = parse(
        "[require]\ntgsi old\ntgsi virgl\nfixed shared_memory 64\nfixed private_memory 0\nfixed block_size 8 4 1\nfixed work_dim 2\n\
         fixed user_data 1 -1 0x80 4294967295\nfixed default_tess_levels 1 2 0x40400000 4 -0.5 inf\nfixed dual_source\n\
         fixed clip_plane 0\nfixed clip_plane 7\nfixed entry 15\n[compute program]\nCOMP\nEND\n",
    );
    let floats = [1.0f32, 2.0, 3.0, 4.0, -0.5, f32::INFINITY];
    let expected = glasm::TgsiOptions {
        legacy_semantics: true,
        virgl: true,
        shared_memory: 64,
        private_memory: 0,
        block_size: [8, 4, 1],
        work_dim: 2,
        user_data: [1, u32::MAX, 128, u32::MAX],
        default_tess_levels: floats.map(f32::to_bits),
        dual_source_blending: true,
        clip_plane_mask: 0b1000_0001,
        entry_subroutine: 15,
    };
    let requirements = &script.requirements;
    assert_eq!(requirements.source("a", &script.programs[0]).tgsi, expected);
    assert_eq!(requirements.fixed.clip_plane_mask, expected.clip_plane_mask);
    assert_eq!(
        parse("[test]\n").requirements.tgsi,
        glasm::TgsiOptions::default()
    );
    for line in [
        "tgsi",
        "tgsi new",
        "fixed shared_memory 1048577",
        "fixed block_size 1 1",
        "fixed block_size 1 0 1",
        "fixed work_dim 0",
        "fixed work_dim 4",
        "fixed user_data 1 2 3",
        "fixed user_data 1 2 3 0.5",
        "fixed user_data 1 2 3 0x100000000",
        "fixed default_tess_levels 1 1 1 1 1",
        "fixed dual_source 1",
        "fixed entry",
        "fixed entry -1",
    ] {
        assert_eq!(errors(&format!("[require]\n{line}\n")).len(), 1, "{line}");
    }
}

#[test]
fn all_bad_lines_are_reported_in_order() {
    let found = errors(
        "[require]\nfbsize 0 5\n[vertex data]\n0/R32_FOO\n1 2\n[test]\nclear\nfoo\nprobe all rgba 1 2 3\ncompute 1 -1 1\n",
    );
    assert_eq!(
        found,
        [
            (2, 8, "`0` is not a width from 1 to 16384".to_owned()),
            (4, 1, "`R32_FOO` is no vertex format".to_owned()),
            (8, 1, "unknown command `foo`".to_owned()),
            (9, 21, "a color component is missing".to_owned()),
            (10, 11, "`-1` is not a number of work groups".to_owned()),
        ]
    );
}

fn draw(line: &str) -> Draw {
    match commands(line).as_slice() {
        [Command::Draw(draw)] => **draw,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rectangles() {
    let plain = draw("draw rect -1 -1 2 2");
    assert_eq!(plain.topology, PrimitiveTopology::TRIANGLE_STRIP);
    assert_eq!(
        plain.source,
        DrawSource::Rect {
            position: [-1.0, -1.0, 2.0, 2.0],
            texcoord: None
        }
    );
    let ortho = draw("draw rect ortho 125 0 125 250");
    assert_eq!(
        ortho.source,
        DrawSource::Rect {
            position: [0.0, -1.0, 1.0, 2.0],
            texcoord: None
        }
    );
    let patch = draw("draw rect patch 0 0 1 1");
    assert_eq!(
        (patch.topology, patch.state.patch_control_points),
        (PrimitiveTopology::PATCH_LIST, 4)
    );
    let textured = draw("draw rect tex -1 -1 2 2 0 0 1 1");
    let texcoord = Some([0.0, 0.0, 1.0, 1.0]);
    assert_eq!(
        textured.source,
        DrawSource::Rect {
            position: [-1.0, -1.0, 2.0, 2.0],
            texcoord
        }
    );
    assert_eq!(draw("draw instanced rect 3 -1 -1 2 2").instances, 3);
    assert_eq!(error("draw rect 0 0 1"), "a coordinate is missing");
}

#[test]
fn arrays_with_names_of_both_worlds() {
    for name in [
        "TRIANGLE_LIST",
        "GL_TRIANGLES",
        "TRIANGLES",
        "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST",
    ] {
        let found = draw(&format!("draw arrays {name} 3 6"));
        assert_eq!(found.topology, PrimitiveTopology::TRIANGLE_LIST, "{name}");
        assert_eq!(found.source, DrawSource::Arrays { first: 3, count: 6 });
    }
    let indexed = draw("draw arrays indexed instanced GL_LINE_STRIP 1 6 2");
    assert_eq!(
        indexed.source,
        DrawSource::Indexed {
            first: 0,
            vertex_offset: 1,
            count: 6,
            width: IndexWidth::U32,
        }
    );
    assert_eq!(indexed.instances, 2);
    assert_eq!(
        error("draw arrays GL_HEXAGONS 0 4"),
        "`GL_HEXAGONS` is not a topology"
    );
}

#[test]
fn topologies_of_opengl_become_lists() {
    for (name, assembly, topology) in [
        (
            "GL_QUADS",
            PrimitiveAssembly::Quads,
            PrimitiveTopology::TRIANGLE_LIST,
        ),
        (
            "QUAD_STRIP",
            PrimitiveAssembly::QuadStrip,
            PrimitiveTopology::TRIANGLE_LIST,
        ),
        (
            "GL_POLYGON",
            PrimitiveAssembly::Polygon,
            PrimitiveTopology::TRIANGLE_LIST,
        ),
        (
            "GL_LINE_LOOP",
            PrimitiveAssembly::LineLoop,
            PrimitiveTopology::LINE_LIST,
        ),
    ] {
        let found = draw(&format!("draw arrays {name} 0 4"));
        assert_eq!((found.assembly, found.topology), (assembly, topology));
    }
}

#[test]
fn draws_start_where_they_say() {
    let found =
        draw("draw arrays instanced indexed LINES -2 4 3 first_instance 5 first_index 0x10");
    assert_eq!((found.instances, found.first_instance), (3, 5));
    assert_eq!(
        found.source,
        DrawSource::Indexed {
            first: 16,
            count: 4,
            vertex_offset: -2,
            width: IndexWidth::U32
        }
    );
    assert_eq!(
        error("draw arrays LINES 0 4 first_index 1"),
        "expected `first_instance`, or `first_index`"
    );
    assert_eq!(
        error("draw arrays indexed indexed LINES 0 4"),
        "a word is repeated"
    );
    for line in [
        "draw arrays LINES 0xffffffff 2",
        "draw arrays instanced LINES 0 2 2 first_instance 0xffffffff",
    ] {
        assert_eq!(error(line), "the draw is too large");
    }
}

#[test]
fn index_types_and_divisors_hold_for_later_draws() {
    let found = commands(
        "index type uint16\nvertex divisor vertex.color 3\ndraw arrays indexed LINES 0 2\n",
    );
    let [Command::Draw(draw)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(matches!(
        draw.source,
        DrawSource::Indexed {
            width: IndexWidth::U16,
            ..
        }
    ));
    assert_eq!(draw.divisors.0[3], 3);
    assert_eq!(
        error("index type uint24"),
        "`uint24` is not `uint8`, `uint16` or `uint32`"
    );
    assert_eq!(
        error("vertex divisor 3 65536"),
        "`65536` is not a number of instances below 65536"
    );
}

#[test]
fn work_groups_come_from_a_buffer() {
    let script = parse("[test]\nbuffer n size 24\ncompute indirect n\ncompute indirect n 12\n");
    let groups = script.steps.iter().map(|step| {
        let Command::Compute { groups, .. } = step.command else {
            panic!("{step:?}")
        };
        groups
    });
    let range = |offset| BufferRange {
        buffer: BufferId(0),
        offset,
        size: Some(12),
    };
    let expected = [
        GroupCount::Indirect(range(0)),
        GroupCount::Indirect(range(12)),
    ];
    assert!(groups.eq(expected));
    assert_eq!(
        errors("[test]\nbuffer n size 24\ncompute indirect n 16\n")[0].0,
        3
    );
    assert_eq!(
        error("compute indirect n 2"),
        "numbers of work groups start at multiples of 4 bytes"
    );
    assert_eq!(error("compute indirect"), "a buffer name is missing");
}

#[test]
fn dispatches_give_the_size_of_groups() {
    let script = parse("[test]\ncompute 1 2 3 group 8 4 1\ncompute 1 1 1\n");
    let sizes = script.steps.iter().map(|step| {
        let Command::Compute { size, .. } = step.command else {
            panic!("{step:?}")
        };
        size
    });
    assert!(sizes.eq([Some([8, 4, 1]), None]));
    assert_eq!(
        error("compute 1 1 1 group 8 0 1"),
        "`0` is not a size of work groups"
    );
    assert_eq!(
        error("compute 1 1 1 group 8 1"),
        "a size of work groups is missing"
    );
}

#[test]
fn entry_points_have_numbers() {
    let script = parse(
        "[test]\nfragment entrypoint red\ndraw rect 0 0 1 1\ntess control entrypoint red\ncompute entrypoint main\ncompute 1 1 1\n",
    );
    assert_eq!(script.entry_names, ["main", "red"]);
    let [
        ScriptStep {
            command: Command::Draw(draw),
            ..
        },
        ScriptStep {
            command: Command::Compute { entry_point, .. },
            ..
        },
    ] = script.steps.as_slice()
    else {
        panic!("{:?}", script.steps);
    };
    assert_eq!(draw.state.entry_points.get(Stage::Fragment), 1);
    assert_eq!(draw.state.entry_points.get(Stage::Vertex), 0);
    assert_eq!(*entry_point, 0);
    assert_eq!(error("fragment red"), "`red` is not `entrypoint`");
    assert_eq!(
        error("tess red entrypoint x"),
        "`red` is not `control` or `eval`"
    );
}

#[test]
fn modules_are_given_as_hexadecimal_words() {
    let text = "[vertex shader binary]\n7230203 10000 0\n8 0\n[test]\n";
    let program = parse(text).programs.remove(0);
    assert_eq!(program.form, ProgramForm::SpirvWords);
    assert_eq!(program.text.len(), 20);
    assert_eq!(program.text[..4], [3, 2, 0x23, 7]);
    assert_eq!(
        errors("[vertex shader binary]\n7230203 0x1\n")[0],
        (2, 9, "`0x1` is not a hexadecimal word".to_owned())
    );
    assert_eq!(
        errors("[vertex shader binary]\n123 0 0 0 0\n")[0].2,
        "this is no SPIR-V module"
    );
}

#[test]
fn uniforms_by_name_skip_scripts_of_opengl() {
    let test = "[test]\nuniform int count 6\n";
    let script = parse(&format!("[require]\nGL >= 2.1\n{test}"));
    assert_eq!(script.requirements.unmet, ["uniforms by name are"]);
    assert_eq!(error("uniform int count 6"), "`count` is not a byte offset");
}

#[test]
fn patch_parameters() {
    let found = draw(
        "patch parameter default level outer 1 2 3 4\npatch parameter default level inner 5 6\npatch parameter vertices 16\ndraw arrays PATCHES 0 16",
    );
    assert_eq!(found.state.tess_levels, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(found.state.patch_control_points, 16);
    assert_eq!(
        error("patch parameter vertices 33"),
        "`33` is not a number of vertices from 1 to 32"
    );
    assert_eq!(
        error("patch parameter default level outer 1 2 3"),
        "a tessellation level is missing"
    );
}

#[test]
fn properties_hold_for_later_draws_only() {
    let found = commands("draw rect 0 0 1 1\ndepthTestEnable true\ndraw rect 0 0 1 1\n");
    let tests: Vec<bool> = found
        .iter()
        .map(|command| matches!(command, Command::Draw(draw) if draw.state.depth_test))
        .collect();
    assert_eq!(tests, [false, true]);
}

#[test]
fn gl_scripts_see_counter_clockwise_front_faces() {
    let script = parse("[require]\nGL_ARB_vertex_program\n[test]\ndraw rect 0 0 1 1\n");
    let Command::Draw(draw) = &script.steps[0].command else {
        panic!("a draw")
    };
    assert_eq!(draw.state.front_face, vk::FrontFace::CLOCKWISE);
}

fn region(line: &str) -> Region {
    match commands(line).pop() {
        Some(Command::ProbePixels(probe)) => probe.region,
        other => panic!("{other:?}"),
    }
}

#[test]
fn probes_cover_their_regions() {
    assert_eq!(
        region("probe all rgba 1 0 0 1"),
        Region {
            x: 0,
            y: 0,
            width: 250,
            height: 250
        }
    );
    assert_eq!(
        region("probe rgba 10 20 1 0 0 1"),
        Region {
            x: 10,
            y: 20,
            width: 1,
            height: 1
        }
    );
    assert_eq!(
        region("probe rgb (10, 20) (1, 0, 0)"),
        Region {
            x: 10,
            y: 20,
            width: 1,
            height: 1
        }
    );
    assert_eq!(
        region("probe rect rgba (1, 2, 3, 4) (1, 0, 0, 1)"),
        Region {
            x: 1,
            y: 2,
            width: 3,
            height: 4
        }
    );
    assert_eq!(
        region("relative probe rgba (1.0, 0.5) (1, 0, 0, 1);"),
        Region {
            x: 249,
            y: 125,
            width: 1,
            height: 1
        }
    );
    assert_eq!(
        region("relative probe rect rgb (0.0, 0.5, 0.9, 0.5) (0.0, 0.0, 1.0)"),
        Region {
            x: 0,
            y: 125,
            width: 225,
            height: 125
        }
    );
    assert_eq!(error("probe rgba -1 0 1 0 0 1"), "`-1` is not a coordinate");
    assert_eq!(
        error("relative probe all rgba 1 0 0 1"),
        "expected `all`, `rect`, `rgb`, `rgba`, `depth`, `stencil`, `attachment`, `layer`, `sample`, `buffer`, `ssbo`, `ubo`, `counter`, `xfb` or `image`"
    );
}

#[test]
fn tolerances_hold_for_later_probes() {
    let found =
        commands("tolerance 1% 2 3 4\nprobe all rgb 0 0 0\ntolerance 0\nprobe all rgb 0 0 0\n");
    let tolerances: Vec<_> = found
        .iter()
        .filter_map(|command| {
            if let Command::ProbePixels(PixelProbe { tolerances, .. }) = command {
                Some(*tolerances)
            } else {
                None
            }
        })
        .collect();
    use Tolerance::{Absolute, Percent};
    assert_eq!(
        tolerances[0],
        [Percent(1.0), Absolute(2.0), Absolute(3.0), Absolute(4.0)]
    );
    assert_eq!(tolerances[1], [Absolute(0.0); 4]);
    assert_eq!(error("tolerance 1 2"), "a tolerance is missing");
}

#[test]
fn buffer_probes_and_data() {
    let script = parse(
        "[test]\nssbo 0:4 subdata vec4 16 1 2 3 4\nubo 5 64\nbuffer b subdata uint 4 7 8\nprobe buffer b uint 4 == 7 8\n\
         probe ssbo vec4 0:4 16 ~= 1 2 3 4\nprint buffer b int 0 3\n",
    );
    let sizes: Vec<u64> = script.buffers.iter().map(|buffer| buffer.size).collect();
    assert_eq!(sizes, [32, 64, 12]);
    let Command::ProbeBuffer {
        buffer,
        expected,
        comparison,
        ..
    } = &script.steps[2].command
    else {
        panic!("a probe")
    };
    assert_eq!(
        (*buffer, *comparison, expected.offset),
        (BufferId(2), ComparisonOp::Equal, 4)
    );
    assert_eq!(
        expected
            .iter()
            .map(|(at, literal)| (at, literal.bits))
            .collect::<Vec<_>>(),
        [(4, 7), (8, 8)]
    );
    let Command::ProbeBuffer {
        buffer, comparison, ..
    } = &script.steps[3].command
    else {
        panic!("a probe")
    };
    assert_eq!((*buffer, *comparison), (BufferId(0), ComparisonOp::Near));
}

#[test]
fn bad_buffer_commands() {
    assert_eq!(
        error("buffer b subdata vec2 0 1 2 3"),
        "expected a multiple of 2 values, got 3"
    );
    assert_eq!(
        error("buffer b size 99999999999"),
        "99999999999 is not a size from 1 to 1073741824"
    );
    assert_eq!(error("buffer 1x size 4"), "`1x` is not a buffer name");
    assert_eq!(error("buffer b subdata ubyte 0 1"), "`ubyte` is not a type");
}

#[test]
fn layouts_apply_to_later_data() {
    let script = parse(
        "[test]\nubo 0 subdata float 0 1 2\nssbo layout std140 row_major\nssbo 1 subdata mat2x3 0 1 2 3 4 5 6\n",
    );
    let sizes: Vec<u64> = script.buffers.iter().map(|buffer| buffer.size).collect();
    // Two floats 16 bytes apart; three rows of two floats 16 bytes apart.
    assert_eq!(sizes, [20, 40]);
    let Command::BufferData { data, .. } = &script.steps[0].command else {
        panic!("data")
    };
    assert_eq!(data.layout, DataLayout::STD140);
}

#[test]
fn long_lines_report_their_first_line() {
    let found = errors("[test]\nbuffer b subdata int 0 \\\n 1 2 \\\n y\n");
    assert_eq!(found.last().map(|error| error.0), Some(2));
    assert!(
        found
            .iter()
            .any(|error| error.2 == "`y` is not a value of the type")
    );
}

#[test]
fn vertex_data_of_vkrunner() {
    let data = parse("[vertex data]\n# position color\n0/R32G32_SFLOAT 1/A8B8G8R8_UNORM_PACK32\n\n-1 1 0xff0000ff # red\n")
        .vertex_data
        .unwrap();
    assert_eq!((data.stride, data.rows), (12, 1));
    assert_eq!(
        data.columns
            .iter()
            .map(|column| (column.location, column.offset))
            .collect::<Vec<_>>(),
        [(0, 0), (1, 8)]
    );
    assert_eq!(
        data.columns[1].format.decode(&data.bytes[8..]),
        [1.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        data.columns[0].format.decode(&data.bytes),
        [-1.0, 1.0, 0.0, 1.0]
    );
}

#[test]
fn vertex_data_of_piglit() {
    let text = "[vertex data]\nvertex.position/float/vec2 vertex.attrib[3]/int/ivec2 v[TEX0]/ubyte/vec3 piglit_texcoord/float/2\n";
    assert_eq!(errors(text)[0].2, "two columns for attribute 8");
    let data = parse("[vertex data]\nvertex.position/float/vec2 vertex.attrib[3]/int/ivec2 v[TEX0]/ubyte/3\n0.5 1 -1 7 255 0 1\n")
        .vertex_data
        .unwrap();
    let formats: Vec<_> = data
        .columns
        .iter()
        .map(|column| (column.location, column.format.vk))
        .collect();
    assert_eq!(
        formats,
        [
            (0, vk::Format::R32G32_SFLOAT),
            (3, vk::Format::R32G32_SINT),
            (8, vk::Format::R32G32B32_SFLOAT)
        ]
    );
    assert_eq!(
        data.columns[1].format.decode(&data.bytes[8..]),
        [-1.0, 7.0, 0.0, 1.0]
    );
    assert_eq!(
        data.columns[2].format.decode(&data.bytes[16..]),
        [255.0, 0.0, 1.0, 1.0]
    );
}

#[test]
fn bad_vertex_data_rows() {
    let found = errors("[vertex data]\n0/R8G8_UINT\n1\n1 256\n1 2 3\n");
    let messages: Vec<_> = found
        .iter()
        .map(|(line, _, message)| (*line, message.as_str()))
        .collect();
    assert_eq!(
        messages,
        [
            (3, "a value of the format is missing"),
            (4, "`256` is not a value of the format"),
            (5, "`3` is one word too many"),
        ]
    );
}

#[test]
fn indices_are_a_list() {
    assert_eq!(
        parse("[indices]\n0 1 2\n2 1 3 # second\n").indices,
        [0, 1, 2, 2, 1, 3]
    );
}

#[test]
fn expected_errors() {
    let found = commands(
        "expect error E0102 at 10..12\nexpect error E0102 line 3 col 4\nexpect error E0106 at end\nexpect error E0102 at 7\n",
    );
    let places: Vec<_> = found
        .iter()
        .map(|command| {
            if let Command::ExpectError(expected) = command {
                expected.position
            } else {
                None
            }
        })
        .collect();
    assert_eq!(
        places,
        [
            Some(ExpectedPosition::Bytes { start: 10, end: 12 }),
            Some(ExpectedPosition::Position { line: 3, column: 4 }),
            Some(ExpectedPosition::WholeProgram),
            Some(ExpectedPosition::Start(7)),
        ]
    );
    assert_eq!(
        error("expect error Nonsense"),
        "`Nonsense` is not an error code"
    );
    let mixed = errors("[test]\nclear\nexpect error E0102\n");
    assert_eq!(
        mixed,
        [(
            2,
            1,
            "a script that expects errors can have no other commands".to_owned()
        )]
    );
}

#[test]
fn expected_warnings_go_with_other_commands() {
    let found = commands("expect warning E0352 line 2 col 15\nclear\n");
    let expected = ExpectedError {
        code: glasm::Code::AliasOfBinding,
        position: Some(ExpectedPosition::Position {
            line: 2,
            column: 15,
        }),
    };
    assert_eq!(found[0], Command::ExpectWarning(expected));
    assert_eq!(
        error("expect nothing E0352"),
        "`nothing` is not `error` or `warning`"
    );
}

#[test]
fn strict_scripts_refuse_what_shipped_programs_do() {
    let program =
        "[fragment program]\n!!NVfp5.0\nALIAS c = result.color;\nMOV c, 1;\nEND\n[test]\n";
    for (required, loads) in [("", true), ("[require]\nstrict\n", false)] {
        let script = parse(&format!("{required}{program}"));
        let source = script.requirements.source("script", &script.programs[0]);
        assert_eq!(glasm::translate(&source).0.is_some(), loads);
    }
}

#[test]
fn saved_images_stay_in_their_directory() {
    assert_eq!(
        error("save image ../out.png"),
        "`../out.png` is not a file name that ends in .png"
    );
    assert_eq!(error("save picture out.png"), "`picture` is not `image`");
}

#[test]
fn traced_pixels_are_in_the_framebuffer() {
    let script = parse("[require]\nfbsize 4 3\n[test]\ntrace pixel 3 2\n");
    let expected = Command::TracePixel { pixel: [3, 2] };
    assert_eq!(script.steps[0].command, expected);
    let error = |line: &str| {
        let text = format!("[require]\nfbsize 4 3\n[test]\n{line}\n");
        let errors = Script::parse(text.as_bytes()).unwrap_err();
        errors[0].message.clone()
    };
    assert_eq!(
        error("trace pixel 0 3"),
        "`3` is not a pixel below 3, the size of the framebuffer"
    );
    assert_eq!(error("trace vertex 0"), "`vertex` is not `pixel`");
    assert!(error("trace pixel 1").contains("a pixel below 3"));
}

#[test]
fn covers_lines_are_found_anywhere() {
    let text =
        b"# covers: gp.op.ADD/S64 gp.mod.SAT\n[vertex program]\n  #covers: a.b\n[test]\n# covers\n";
    assert_eq!(read_covers(text), ["gp.op.ADD/S64", "gp.mod.SAT", "a.b"]);
}

#[test]
fn bytes_that_are_no_text_are_an_error_only_outside_programs() {
    assert!(Script::parse(b"[fragment program]\n\xff\n[test]\nclear\n").is_ok());
    let errors = Script::parse(b"[test]\n\xff\n").unwrap_err();
    assert_eq!(
        (errors[0].line, errors[0].message.as_str()),
        (2, "not UTF-8")
    );
}
