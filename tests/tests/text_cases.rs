//! Programs that languages express in special ways, or lack: what is written compiles, and errors name what is missing and who has it.

#![expect(clippy::unwrap_used, reason = "a broken machine fails the test")]

use glasm::{StateSource, StateSources};
use glasm_tests::skip::has_program;
use glasm_text::{Language, Options, Source, write};
use std::process::Command;

/// Writes a program; the error is the message.
fn written(program: &str, language: Language) -> Result<String, String> {
    let source = Source::new("case", program);
    write(&source, &Options::new(language))
        .map(|text| text.source)
        .map_err(|error| error.to_string())
}

/// Panics if `glslangValidator`, where it is installed, refuses a text in GLSL or HLSL.
fn assert_compiles(text: &str, language: Language, extension: &str) {
    if !has_program("glslangValidator") {
        return;
    }
    let folder = std::env::temp_dir().join(format!(
        "glasm-text-case-{}-{:?}",
        std::process::id(),
        std::thread::current().id()
    ));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("case.{extension}"));
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new("glslangValidator");
    command.current_dir(&folder);
    match language {
        Language::Hlsl(_) => _ = command.args(["-D", "-V", "-e", "main"]),
        Language::VulkanGlsl => _ = command.arg("-V"),
        Language::Glsl(_) | Language::Essl(_) | Language::Msl(_) | Language::Wgsl => {}
    }
    let output = command.arg(&file).output().unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{language}: {said}\n{text}");
}

/// All state is read from specialization constants, of which GLSL has no constant arrays.
#[test]
fn state_in_specialization_constants() {
    let language = Language::VulkanGlsl;
    let mut options = Options::new(language);
    options.compiler.state_sources = StateSources::all(StateSource::SpecConstant);
    for (program, extension) in [
        (
            "!!ARBvp1.0\nMOV result.position, vertex.position;\nMOV result.color, vertex.color;\nEND",
            "vert",
        ),
        (
            "!!ARBfp1.0\nTEMP t;\nTEX t, fragment.texcoord[0], texture[0], 2D;\nMUL result.color, t, fragment.color;\nEND",
            "frag",
        ),
    ] {
        let text = write(&Source::new("case", program), &options)
            .unwrap()
            .source;
        assert!(text.contains("constant_id"), "{text}");
        assert_compiles(&text, language, extension);
    }
}

const POINT: &str = "!!NVgp4.0\nPRIMITIVE_IN POINTS;\nPRIMITIVE_OUT POINTS;\nVERTICES_OUT 1;\n";

#[test]
fn geometry_programs() {
    let plain = format!("{POINT}MOV.F result.position, vertex[0].position;\nEMIT;\nEND\n");
    assert_eq!(
        written(&plain, Language::Msl(24)).unwrap_err(),
        "msl24 has no geometry programs; glsl330 has them"
    );
    // The entry point in HLSL takes an input even if the program reads none.
    let without_input = format!("{POINT}MOV.F result.position, {{0, 0, 0, 1}};\nEMIT;\nEND\n");
    for program in [&plain, &without_input] {
        for language in [Language::Hlsl(50), Language::Hlsl(60), Language::Glsl(330)] {
            assert_compiles(&written(program, language).unwrap(), language, "geom");
        }
    }
    let layer = format!(
        "{POINT}MOV.F result.position, vertex[0].position;\nMOV.S result.layer.x, {{1}}.x;\nEMIT;\nEND\n"
    );
    for language in [Language::Glsl(330), Language::Essl(320), Language::Hlsl(60)] {
        assert_compiles(&written(&layer, language).unwrap(), language, "geom");
    }
}

#[test]
fn vertex_streams() {
    let program = POINT.replace("gp4", "gp5")
        + "MOV.F result.attrib[0], vertex[0].position;\nEMITS {1}.x;\nEND\n";
    for language in [Language::Hlsl(60), Language::Essl(320), Language::Glsl(330)] {
        assert_eq!(
            written(&program, language).unwrap_err(),
            format!("{language} has no vertex streams; glsl400 has them")
        );
    }
    let text = written(&program, Language::Glsl(400)).unwrap();
    assert_compiles(&text, Language::Glsl(400), "geom");
}

#[test]
fn tessellation_programs() {
    let program = "!!NVtep5.0\nTESS_MODE TRIANGLES;\nTESS_SPACING EQUAL;\nTESS_VERTEX_ORDER CCW;\n\
                   MOV.F result.position, vertex[0].position;\nEND\n";
    assert_eq!(
        written(program, Language::Hlsl(60)).unwrap_err(),
        "hlsl60 has no tessellation programs; glsl400 has them"
    );
    assert!(written(program, Language::Msl(24)).is_ok());
}

/// HLSL has no function for the high words of products, GLSL since 4.00.
#[test]
fn high_words_of_products() {
    for suffix in ["U", "S"] {
        let program = format!(
            "!!NVvp4.0\nTEMP r;\nMUL.HI.{suffix} r, vertex.attrib[1], vertex.attrib[2];\nI2F.{suffix} r, r;\n\
             MOV.F result.position, r;\nEND\n"
        );
        for language in [
            Language::Hlsl(50),
            Language::Hlsl(60),
            Language::Glsl(330),
            Language::Glsl(400),
            Language::Essl(300),
        ] {
            let text = written(&program, language).unwrap();
            let has_function = text.contains("mulExtended(");
            assert_eq!(has_function, language == Language::Glsl(400), "{text}");
            assert_compiles(&text, language, "vert");
        }
    }
}

#[test]
fn shadow_cube_map_arrays() {
    let program = "!!NVvp5.0\n\
                   TEX.F result.attrib[0].x, vertex.attrib[1], vertex.attrib[2], texture[0], SHADOWARRAYCUBE;\n\
                   MOV.F result.position, vertex.position;\nEND\n";
    for language in [
        Language::Glsl(330),
        Language::Glsl(450),
        Language::Essl(320),
    ] {
        let text = written(program, language).unwrap();
        assert!(
            !text.contains("textureGrad") && !text.contains("textureLod"),
            "{text}"
        );
        assert_compiles(&text, language, "vert");
    }
}

/// GLSL 4.00 has doubles and makes them of words; 64-bit integers, an extension, are not needed for that.
#[test]
fn doubles() {
    let program = "!!NVvp5.0\nOPTION NV_gpu_program_fp64;\nTEMP r;\nLONG TEMP d;\n\
                   PK64.F d.x, vertex.attrib[1];\nADD.F64 d.x, d.x, d.x;\nUP64.F r.xy, d.x;\n\
                   MOV.F result.attrib[0], r;\nMOV.F result.position, vertex.position;\nEND\n";
    for language in [Language::Glsl(400), Language::Glsl(450)] {
        let text = written(program, language).unwrap();
        assert!(
            text.contains("packDouble2x32(") && !text.contains("int64"),
            "{text}"
        );
        assert_compiles(&text, language, "vert");
    }
    for language in [Language::Hlsl(50), Language::Hlsl(60)] {
        let text = written(program, language).unwrap();
        assert!(text.contains("return asdouble(bits.x, bits.y);"), "{text}");
        assert!(text.contains("asuint(bits, low, high);"), "{text}");
        assert!(!text.contains("int64"), "{text}");
        // This front end does not know `asuint` of doubles (HLSL reference, asuint).
        let known = text.replace("asuint(bits, low, high);", "low = 0; high = 0;");
        assert_compiles(&known, language, "vert");
    }
}

/// The number of levels is component w of what TXQ returns, and GLSL ES has no function for it.
#[test]
fn sizes_of_textures() {
    let program = |mask: &str| {
        format!(
            "!!NVfp4.0\nINT TEMP s;\nTXQ s{mask}, 0, texture[0], 2D;\nI2F.S result.color{mask}, s;\nEND\n"
        )
    };
    for language in [
        Language::Glsl(330),
        Language::Essl(300),
        Language::Essl(310),
        Language::Essl(320),
    ] {
        let text = written(&program(".xy"), language).unwrap();
        assert!(text.contains("textureSize("), "{text}");
        assert_compiles(&text, language, "frag");
        assert_eq!(
            written(&program(".xyzw"), language).unwrap_err(),
            format!("{language} has no numbers of levels; glsl430 has them")
        );
    }
    let tgsi = "FRAG\nDCL OUT[0], COLOR\nDCL SAMP[0]\nDCL SVIEW[0], 2D, FLOAT\nDCL TEMP[0]\n\
                IMM[0] INT32 {0, 0, 0, 0}\nTXQ TEMP[0].xy, IMM[0].xxxx, SAMP[0], 2D\n\
                I2F OUT[0].xy, TEMP[0]\nEND\n";
    assert_compiles(
        &written(tgsi, Language::Essl(310)).unwrap(),
        Language::Essl(310),
        "frag",
    );
}
