//! Tests of GLSL from naga: a version that lacks a feature of the program is an error that names
//! the versions that have it; otherwise `glslangValidator`, where it is installed, accepts the
//! source.

use super::{Positions, translate};
use crate::Language;
use glasm::{MipFilter, StateSource, TexelFilter, TextureWrap, WrapMode};
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

/// A program, and the versions that can express it.
struct Case {
    program: &'static str,
    /// Stage, as `glslangValidator` names it.
    stage: &'static str,
    /// Changes the options of the compiler.
    set_options: fn(&mut glasm::Options),
    /// First version of GLSL.
    glsl: u32,
    /// First version of GLSL ES.
    essl: u32,
    /// The missing feature, with the versions that have it in GLSL and in GLSL ES.
    missing: [&'static str; 2],
}

const NEVER: u32 = u32::MAX;
const SAMPLE: &str = "!!ARBfp1.0\nTEX result.color, fragment.texcoord[0], texture[0], 2D;\nEND";
const LEVELS: [&str; 2] = ["numbers of levels; glsl430 has them"; 2];

/// Sets `CLAMP` with GL's default filters, `LINEAR` and `NEAREST_MIPMAP_LINEAR`: the program finds
/// out whether the texture is magnified.
fn clamp_with_levels(options: &mut glasm::Options) {
    options.texture_wraps = vec![TextureWrap {
        wrap_modes: [WrapMode::Clamp; 3],
        mag_filter: TexelFilter::Linear,
        min_filter: TexelFilter::Nearest,
        mip_filter: MipFilter::Linear,
    }];
}

// First versions: the GLSL specifications 4.00, section 8.9 (textureGather); 4.30, section 8.9.1
// (textureQueryLevels); 4.50, section 8.9.1 (textureSamples); GLSL ES 3.10, section 8.9.
const CASES: &[Case] = &[
    Case {
        program: SAMPLE,
        stage: "frag",
        set_options: |_| {},
        glsl: 330,
        essl: 300,
        missing: ["", ""],
    },
    Case {
        program: SAMPLE,
        stage: "frag",
        set_options: clamp_with_levels,
        glsl: 430,
        essl: NEVER,
        missing: LEVELS,
    },
    Case {
        program: SAMPLE,
        stage: "frag",
        set_options: |options| options.state_sources.texture_wraps = StateSource::UniformBlock,
        glsl: 430,
        essl: NEVER,
        missing: LEVELS,
    },
    Case {
        program: "!!NVfp5.0\nTEMP r;\nTXQ r, 0, texture[0], 2D;\nMOV result.color, r;\nEND",
        stage: "frag",
        set_options: |_| {},
        glsl: 430,
        essl: NEVER,
        missing: LEVELS,
    },
    Case {
        program: "!!NVfp5.0\nTXG result.color, fragment.texcoord[0], texture[0], 2D;\nEND",
        stage: "frag",
        set_options: |_| {},
        glsl: 400,
        essl: 310,
        missing: [
            "gathering texels; glsl400 has them",
            "gathering texels; essl310 has them",
        ],
    },
    Case {
        program: "!!NVfp5.0\nTEMP r;\nNOT.U r.x, fragment.samplemask[0].x;\nMOV.U result.samplemask[0].x, r.x;\nMOV result.color, fragment.color;\nEND",
        stage: "frag",
        set_options: |_| {},
        glsl: 400,
        essl: 320,
        missing: ["sample masks; glsl400 or essl320 has them"; 2],
    },
    // GLSL 4.60, section 7.1.1, has these without an extension.
    Case {
        program: "!!NVvp5.0\nMOV result.position, vertex.position;\nI2F result.color, vertex.baseInstance.x;\nEND",
        stage: "vert",
        set_options: |_| {},
        glsl: 460,
        essl: 300,
        missing: ["base instances; glsl460 has them"; 2],
    },
    // Integers are selected by `mix` from GLSL 4.50 and GLSL ES 3.10 on, and by other code before.
    Case {
        program: "!!NVfp4.0\nTEMP r;\nTRUNC.S r, fragment.texcoord[0];\nI2F result.color, r;\nEND",
        stage: "frag",
        set_options: |_| {},
        glsl: 330,
        essl: 300,
        missing: ["", ""],
    },
    Case {
        program: "!!NVfp5.0\nTEMP r;\nBTC.U r, fragment.texcoord[0];\nMOV result.color, r;\nEND",
        stage: "frag",
        set_options: |_| {},
        glsl: 400,
        essl: 310,
        missing: ["bit counts; glsl400 or essl310 has them"; 2],
    },
];

/// Returns what `glslangValidator` reports about a source that it refuses; `None` if it accepts it
/// or is not installed.
fn find_syntax_error(stage: &str, source: &str) -> Option<String> {
    let mut command = Command::new("glslangValidator");
    command.args(["--stdin", "-S", stage]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut validator = match command.spawn() {
        Err(error) if error.kind() == ErrorKind::NotFound => return None,
        started => started.expect("the validator starts"),
    };
    let mut input = validator.stdin.take().expect("it has an input");
    input.write_all(source.as_bytes()).expect("it reads it");
    drop(input);
    let output = validator.wait_with_output().expect("it ends");
    let is_refused = !output.status.success();
    is_refused.then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Writes a program in a language with naga, from a module with the device features that builds
/// without SPIRV-Cross have for all languages.
fn write_case(case: &Case, language: Language) -> Result<String, String> {
    let mut options = crate::Options::new(Language::Wgsl);
    (case.set_options)(&mut options.compiler);
    let source = glasm::Source::new("case", case.program);
    let shader = glasm::compile(&source, &crate::compiler_options(&options))
        .unwrap_or_else(|errors| panic!("{}: {errors:?}", case.program));
    translate(&shader, language, Positions::Unchanged).map(|written| written.text)
}

#[test]
fn versions_have_the_features_of_programs_or_errors_name_them() {
    for case in CASES {
        for &language in Language::ALL {
            let (is_able, missing) = match language {
                Language::Glsl(version) => (version >= case.glsl, case.missing[0]),
                Language::Essl(version) => (version >= case.essl, case.missing[1]),
                Language::Wgsl | Language::VulkanGlsl | Language::Hlsl(_) | Language::Msl(_) => {
                    continue;
                }
            };
            match write_case(case, language) {
                Ok(text) => {
                    assert!(is_able, "{language}: {text}");
                    assert_eq!(find_syntax_error(case.stage, &text), None, "{text}");
                }
                Err(error) => {
                    let expected = format!("{language} has no {missing}");
                    assert_eq!((is_able, error), (false, expected), "{}", case.program);
                }
            }
        }
    }
}
