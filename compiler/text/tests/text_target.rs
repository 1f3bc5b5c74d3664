//! Shaders that were compiled for another language than the one in which they are to be written.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use glasm::{Program, Shader, StateSource, Target, link};
use glasm_text::{
    ClipConventions, Error, Language, LanguageMismatch, Options, Source, compiler_options,
    write_shader,
};

const VERTEX: &str = "!!ARBvp1.0\nMOV result.position, vertex.position;\n\
    MOV result.texcoord[3], vertex.texcoord[0];\nEND";
const FRAGMENT: &str = "!!ARBfp1.0\nMOV result.color, fragment.texcoord[3];\nEND";

fn compile(text: &str, options: &Options) -> Shader {
    glasm::compile(&Source::new("test", text), &compiler_options(options)).unwrap()
}

#[track_caller]
fn find_mismatch(shader: &Shader, options: &Options) -> LanguageMismatch {
    match write_shader(shader, options) {
        Err(Error::OtherLanguage(mismatch)) => mismatch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn shaders_for_spirv_are_rejected() {
    let shader = glasm::compile(&Source::new("test", VERTEX), &glasm::Options::default()).unwrap();
    for &language in Language::ALL {
        let mismatch = find_mismatch(&shader, &Options::new(language));
        assert_eq!(mismatch.compiled_for, "SPIR-V");
        assert_eq!(mismatch.requested, language);
    }
    assert_eq!(
        write_shader(&shader, &Options::new(Language::Wgsl))
            .unwrap_err()
            .to_string(),
        "the shader was compiled for SPIR-V and cannot be written as wgsl: modules for SPIR-V have \
         other names, features and conventions; compile it for wgsl, with the options that it is \
         written with"
    );
}

/// The language itself can always be written, in all stages that linking returns.
#[test]
fn linked_shaders_are_written_in_their_language() {
    let [vertex, fragment] =
        [VERTEX, FRAGMENT].map(|text| Program::load(&Source::new("test", text)).unwrap());
    for language in [Language::Wgsl, Language::Glsl(330), Language::Msl(24)] {
        for clip_conventions in [
            ClipConventions::OfCompilerOptions,
            ClipConventions::OpenGl,
            ClipConventions::Vulkan,
        ] {
            let options = Options {
                clip_conventions,
                ..Options::new(language)
            };
            let linked = link(&[&vertex, &fragment], &compiler_options(&options));
            for shader in linked.stages {
                assert!(
                    write_shader(&shader.unwrap(), &options).is_ok(),
                    "{language}"
                );
            }
        }
    }
}

/// GLSL, GLSL ES and HLSL count instances from 0 in every draw, Vulkan, WGSL and MSL from the base
/// instance. Newer versions of a language have all features of older ones.
#[test]
#[cfg(feature = "spirv-cross")]
fn other_languages_are_written_where_modules_are_valid() {
    let instances = "its instance numbers start at another number";
    let pairs = [
        ("glsl330", "glsl450", None),
        ("glsl450", "glsl330", Some("glsl330 lacks shaderFloat64")),
        ("glsl450", "glsl460", None),
        ("essl300", "essl320", None),
        ("essl300", "glsl330", None),
        (
            "essl320",
            "essl300",
            Some("essl300 lacks shaderImageGatherExtended"),
        ),
        ("glsl330", "msl24", Some(instances)),
        ("glsl450", "vulkan-glsl", Some(instances)),
        ("msl24", "hlsl60", Some(instances)),
        ("wgsl", "vulkan-glsl", None),
        ("vulkan-glsl", "wgsl", Some("wgsl lacks subgroups")),
        ("msl23", "msl20", Some("msl20 lacks subgroups")),
    ];
    for (compiled_for, requested, difference) in pairs {
        let [from, to] = [compiled_for, requested].map(|name| name.parse::<Language>().unwrap());
        let shader = compile(VERTEX, &Options::new(from));
        let written = write_shader(&shader, &Options::new(to));
        match (difference, written) {
            (None, Ok(_)) => {}
            (Some(difference), Err(Error::OtherLanguage(mismatch))) => {
                assert_eq!(mismatch.compiled_for, compiled_for);
                assert_eq!(mismatch.requested, to);
                assert_eq!(
                    mismatch.difference, difference,
                    "{compiled_for}, {requested}"
                );
            }
            (_, written) => panic!("{compiled_for}, {requested}: {written:?}"),
        }
    }
}

#[test]
fn other_options_of_the_language_are_rejected() {
    let of_language = Options::new(Language::Hlsl(60));
    let of_opengl = Options {
        clip_conventions: ClipConventions::OpenGl,
        ..Options::new(Language::Hlsl(60))
    };
    let shader = compile(VERTEX, &of_opengl);
    assert_eq!(
        find_mismatch(&shader, &of_language).to_string(),
        "the shader was compiled for hlsl60 with other options: the depth of its clip space is \
         another; compile it for hlsl60, with the options that it is written with"
    );

    let of_vulkan = Options::new(Language::Glsl(450));
    let of_opengl = Options {
        compiler: glasm::opengl::build_default_options(),
        ..Options::new(Language::Glsl(450))
    };
    let [vulkan, opengl] = [&of_vulkan, &of_opengl].map(|options| compile(FRAGMENT, options));
    let mismatch = find_mismatch(&opengl, &of_vulkan);
    assert!(mismatch.difference.starts_with("its target is OpenGL, "));
    let mismatch = find_mismatch(&vulkan, &of_opengl);
    assert!(
        mismatch
            .difference
            .starts_with("its target is not OpenGL, ")
    );
}

#[test]
fn state_in_specialization_constants_is_not_frozen_silently() {
    let options = Options::new(Language::Wgsl);
    let mut compiler = compiler_options(&options);
    compiler.state_sources.alpha_test = StateSource::SpecConstant;
    let shader = glasm::compile(&Source::new("test", FRAGMENT), &compiler).unwrap();
    let mismatch = find_mismatch(&shader, &options);
    assert_eq!(mismatch.difference, "wgsl has no specialization constants");
}

/// Options of the compiler that follow OpenGL are written with OpenGL's conventions without further
/// options, and others with those of the language.
#[test]
fn clip_conventions_are_those_of_the_compiler_options() {
    let write = |clip_conventions, compiler| {
        let options = Options {
            clip_conventions,
            compiler,
            ..Options::new(Language::Wgsl)
        };
        let source = Source::new("test", VERTEX);
        glasm_text::write(&source, &options).unwrap().source
    };
    let of_gl = glasm::Options::for_gl_context(Target::Vulkan1_2);
    let derived = ClipConventions::OfCompilerOptions;
    let opengl = write(ClipConventions::OpenGl, glasm::Options::default());
    let unchanged = write(derived, glasm::Options::default());
    assert_ne!(opengl, unchanged);
    let without_state = glasm::Options {
        conventions: of_gl.conventions,
        ..glasm::Options::default()
    };
    assert_eq!(write(derived, without_state), opengl);
    let explicit = write(ClipConventions::OpenGl, of_gl.clone());
    assert_eq!(write(derived, of_gl.clone()), explicit);
    assert_ne!(write(ClipConventions::Vulkan, of_gl), explicit);
}

/// Checks that a version that does not exist is named once, although it concerns all stages.
#[test]
fn unknown_versions_are_one_error_of_a_pipeline() {
    let programs = [VERTEX, FRAGMENT].map(|text| Program::load(&Source::new("test", text)));
    let [vertex, fragment] = programs.map(Result::unwrap);
    let options = Options::new(Language::Glsl(120));
    let errors = glasm_text::link(&[&vertex, &fragment], &options).unwrap_err();
    assert_eq!(errors.stages.len(), 1);
    assert_eq!(errors.to_string().matches("unknown language").count(), 1);
    let mut linked = link(&[&vertex, &fragment], &compiler_options(&options));
    assert_eq!(
        glasm_text::write_linked(&mut linked, &options),
        [None, None]
    );
}

/// Versions that do not exist are named as such, with those that do.
#[test]
fn unknown_versions_are_named() {
    let source = Source::new("black", "!!ARBfp1.0\nMOV result.color, 0;\nEND");
    for language in [Language::Glsl(120), Language::Msl(99), Language::Hlsl(1)] {
        let error = glasm_text::write(&source, &Options::new(language)).unwrap_err();
        let start = format!("unknown language `{language}`; expected one of wgsl, glsl330, ");
        assert!(error.to_string().starts_with(&start), "{error}");
    }
}
