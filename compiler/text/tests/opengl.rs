//! Modules for OpenGL as GLSL, for drivers that take no SPIR-V: bindings are those of the caller.
#![cfg(feature = "spirv-cross")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{StateSource, opengl};
use glasm_text::{Language, Options, ResourceKind, ShaderText, Source, write};

/// 84 uniform buffers: the block of fragment parameters is 78 + 4, buffer 2 of fragment programs is
/// 3 + 4 * 15 + 2.
#[track_caller]
fn write_opengl_text(program: &str, language: Language) -> ShaderText {
    let device = opengl::find_device_features(450, |_| false);
    let options = Options {
        compiler: opengl::build_options(device, 84, 16),
        ..Options::new(language)
    };
    write(&Source::new("test", program), &options).unwrap()
}

const PROGRAM: &str = "!!NVfp5.0\nBUFFER4 b[] = { program.buffer[2] };\nTEMP r;\n\
    TEX r, fragment.texcoord[0], texture[3], RECT;\nMUL r, r, program.local[0];\nADD result.color, r, b[1];\nEND";

#[test]
fn bindings_are_in_the_text() {
    let written = write_opengl_text(PROGRAM, Language::Glsl(450));
    for line in [
        "layout(binding = 82, std140) uniform FragmentParameters",
        "layout(binding = 65, std140) uniform FragmentBuffer2",
        "layout(binding = 3) uniform sampler2DRect texture3;",
    ] {
        assert!(written.source.contains(line), "{line}: {}", written.source);
    }
    // Coordinates of rectangles count texels.
    assert!(
        !written.source.contains("textureSize"),
        "{}",
        written.source
    );
    let mut numbers: Vec<_> = written
        .resources
        .iter()
        .map(|it| (it.kind, it.slot.binding, it.binding_number))
        .collect();
    numbers.sort_by_key(|(_, binding, _)| *binding);
    let expected = [
        (ResourceKind::Texture, 3, Some(3)),
        (ResourceKind::UniformBuffer, 65, Some(65)),
        (ResourceKind::UniformBuffer, 82, Some(82)),
    ];
    assert_eq!(numbers, expected);
}

#[test]
fn old_versions_have_names() {
    let written = write_opengl_text(PROGRAM, Language::Glsl(330));
    assert!(!written.source.contains("binding"), "{}", written.source);
    let mut found: Vec<_> = written
        .resources
        .iter()
        .map(|it| (it.name.as_str(), it.slot.binding, it.binding_number))
        .collect();
    found.sort_unstable();
    let expected = [
        ("FragmentBuffer2", 65, None),
        ("FragmentParameters", 82, None),
        ("texture3", 3, None),
    ];
    assert_eq!(found, expected);
}

#[test]
fn storage_blocks_are_known() {
    let program = "!!NVfp5.0\nOPTION NV_shader_storage_buffer;\nSTORAGE s[] = { program.storage[1] };\n\
        STB.U32 1, s[0];\nMOV result.color, 1;\nEND";
    let written = write_opengl_text(program, Language::Glsl(450));
    let [storage] = written.resources.as_slice() else {
        panic!("{:?}", written.resources);
    };
    assert_eq!(
        (storage.kind, storage.binding_number),
        (ResourceKind::StorageBuffer, Some(1))
    );
    assert!(
        written
            .source
            .contains("layout(binding = 1, std430) buffer"),
        "{}",
        written.source
    );
}

#[test]
fn origins_are_those_of_programs() {
    let origin = "layout(origin_upper_left) in vec4 gl_FragCoord;";
    let lower = "!!ARBfp1.0\nMOV result.color, fragment.position;\nEND";
    assert!(
        !write_opengl_text(lower, Language::Glsl(330))
            .source
            .contains(origin)
    );
    let upper = "!!ARBfp1.0\nOPTION ARB_fragment_coord_origin_upper_left;\nMOV result.color, fragment.position;\nEND";
    assert!(
        write_opengl_text(upper, Language::Glsl(330))
            .source
            .contains(origin)
    );
    let unread =
        "!!ARBfp1.0\nOPTION ARB_fragment_coord_origin_upper_left;\nMOV result.color, 1;\nEND";
    assert!(
        !write_opengl_text(unread, Language::Glsl(330))
            .source
            .contains(origin)
    );
}

#[test]
fn other_languages_have_nothing_of_opengl() {
    for language in [Language::Wgsl, Language::Hlsl(60), Language::Essl(310)] {
        let program = "!!NVvp4.0\nMOV.S result.attrib[0].x, vertex.id;\nMOV result.position, vertex.position;\nEND";
        let written = write_opengl_text(program, language);
        assert!(!written.source.is_empty(), "{language}");
    }
}

/// The numbers of docs/text-output.md: 17 for the state block of all stages, 0 and 18 for parameters.
#[test]
fn the_state_block_has_one_number_in_all_stages() {
    let vertex = "!!ARBvp1.0\nMOV result.position, program.local[0];\nEND";
    let fragment = "!!ARBfp1.0\nMOV result.color, program.local[0];\nEND";
    for language in [
        Language::Glsl(420),
        Language::Glsl(450),
        Language::Essl(310),
    ] {
        let mut options = Options::new(language);
        options.compiler.state_sources.point_size = StateSource::UniformBlock;
        options.compiler.state_sources.alpha_test = StateSource::UniformBlock;
        for (program, parameters) in [(vertex, 0), (fragment, 18)] {
            let written = write(&Source::new("test", program), &options).unwrap();
            let slot = written.reflection.state_block.unwrap().slot.unwrap();
            for resource in &written.resources {
                let number = if resource.slot == slot {
                    17
                } else {
                    parameters
                };
                assert_eq!(resource.binding_number, Some(number), "{language}");
                let line = format!(
                    "layout(binding = {number}, std140) uniform {}",
                    resource.name
                );
                assert!(written.source.contains(&line), "{}", written.source);
            }
            assert_eq!(written.resources.len(), 2);
        }
    }
}
