//! Programs as GLSL on a driver: complete interfaces in GLSL 3.30 and GLSL ES 3.00, which link stages
//! by the names of varyings, and linked pairs whose declarations must be equal in both stages.

use crate::gl::tests::{framebuffer, open};
use crate::gl::{self, ClientFormat, Framebuffer, Gl, SampleSelection, ShaderProgram};
use glasm::{StateSource, Varyings};
use glasm_tests::skip::skip;
use glasm_text::{Language, Options, Source, compiler_options, write, write_shader};
use std::rc::Rc;

/// Varying that the languages know by different names.
struct TestedVarying {
    /// Result of `!!NVvp4.0`, after `result.`.
    result: String,
    /// Attribute of `!!NVfp4.0`, and of `!!ARBfp1.0` if there is a register, after `fragment.`.
    attribute: String,
    /// Register of `!!FP1.0`.
    register: Option<String>,
    /// Orientation of front faces with which the square has it: `CW` for back colors.
    front_face: u32,
}

impl TestedVarying {
    /// Returns a varying with the same name as a result and as an attribute, of front faces.
    fn new(name: &str, register: Option<&str>) -> Self {
        Self {
            result: name.to_owned(),
            attribute: name.to_owned(),
            register: register.map(str::to_owned),
            front_face: gl::CCW,
        }
    }
}

/// Returns all varyings that fragment programs can read, those of [`Varyings::GUARANTEED`]: colors
/// and back colors, fog, texture coordinates, and generic ones.
fn list_varyings() -> Vec<TestedVarying> {
    let mut varyings = vec![
        TestedVarying::new("color", Some("COL0")),
        TestedVarying::new("color.secondary", Some("COL1")),
        TestedVarying::new("fogcoord", Some("FOGC")),
    ];
    for (result, number) in [("color.back", 0), ("color.back.secondary", 1)] {
        let TestedVarying {
            attribute,
            register,
            ..
        } = &varyings[number];
        varyings.push(TestedVarying {
            attribute: attribute.clone(),
            register: register.clone(),
            front_face: gl::CW,
            ..TestedVarying::new(result, None)
        });
    }
    for set in 0..8 {
        let [name, register] = [format!("texcoord[{set}]"), format!("TEX{set}")];
        varyings.push(TestedVarying::new(&name, Some(&register)));
    }
    varyings.extend((0..15).map(|number| TestedVarying::new(&format!("attrib[{number}]"), None)));
    varyings
}

/// Returns the first component of the varying with this number, different for each, as the byte of a
/// pixel.
fn choose_first_byte(number: usize) -> u8 {
    5 * (number as u8 + 1)
}

/// Returns the pixel that a fragment program draws whose color is the varying with this number. The
/// fog coordinate has one component: its others are 0, 0 and 1 (ARB_fragment_program section
/// 3.11.1.1), or zeros in `!!FP1.0` (NV_fragment_program section 3.11.1.1).
fn expect_pixel(number: usize, varying: &TestedVarying, program: &str) -> [u8; 4] {
    let x = choose_first_byte(number);
    if varying.attribute != "fogcoord" {
        [x, 51, 102, 153]
    } else if program.starts_with("!!FP1.0") {
        [x, 0, 0, 0]
    } else {
        [x, 0, 0, 255]
    }
}

/// Returns a vertex program that writes position and all varyings.
fn build_writing_program(varyings: &[TestedVarying]) -> String {
    let mut text = "!!NVvp4.0\nMOV result.position, vertex.position;\n".to_owned();
    for (number, varying) in varyings.iter().enumerate() {
        let x = f64::from(choose_first_byte(number)) / 255.0;
        text += &match varying.result.as_str() {
            "fogcoord" => format!("MOV result.fogcoord.x, {x};\n"),
            result => format!("MOV result.{result}, {{{x}, 0.2, 0.4, 0.6}};\n"),
        };
    }
    text + "END"
}

/// Returns fragment programs whose color is this varying, in all languages that can read it.
fn build_reading_programs(varying: &TestedVarying) -> Vec<String> {
    let attribute = &varying.attribute;
    let mut texts = vec![format!(
        "!!NVfp4.0\nMOV result.color, fragment.{attribute};\nEND"
    )];
    if let Some(register) = &varying.register {
        texts.push(format!(
            "!!ARBfp1.0\nMOV result.color, fragment.{attribute};\nEND"
        ));
        texts.push(format!("!!FP1.0\nMOV o[COLR], f[{register}];\nEND"));
    }
    texts
}

/// Writes a program in a language, with a complete interface if it is a vertex program, and the back
/// colors of back faces if it is a fragment program.
fn write_program(text: &str, language: Language) -> String {
    let mut options = Options::new(language);
    options.compiler.interface.outputs = Varyings::AllLocations(Varyings::GUARANTEED);
    options.compiler.pipeline_state.two_sided_color = true;
    let written = write(&Source::new("test", text), &options);
    written
        .unwrap_or_else(|error| panic!("{error}: {text}"))
        .source
}

/// Links the sources of a vertex and a fragment program, draws over the whole framebuffer, and returns
/// its lower left pixel.
fn draw(gl: &Rc<Gl>, target: &Framebuffer, [vertex, fragment]: [&str; 2]) -> [u8; 4] {
    let sources = [
        (gl::VERTEX_SHADER, vertex.as_bytes()),
        (gl::FRAGMENT_SHADER, fragment.as_bytes()),
    ];
    let linked = ShaderProgram::link(gl, &sources).expect("the driver links programs");
    let program = linked.unwrap_or_else(|error| panic!("{error:?} in:\n{vertex}\n{fragment}"));
    target
        .clear_color(0, [1.0; 4])
        .expect("the attachment can be cleared");
    program.bind().expect("the program is complete");
    draw_square(gl).expect("the square is drawn");
    let format = ClientFormat::new(gl::RGBA, gl::UNSIGNED_BYTE);
    let texels = target.read_color(0, SampleSelection::Resolved, format);
    let texels = texels.expect("the attachment can be read");
    std::array::from_fn(|index| texels[index])
}

fn draw_square(gl: &Gl) -> Result<(), crate::error::Error> {
    gl.Viewport(0, 0, 4, 4)?;
    gl.Begin(gl::TRIANGLE_STRIP)?;
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
        gl.Vertex4f(x, y, 0.0, 1.0)?;
    }
    gl.End()?;
    gl.check_errors("drawing")
}

/// Returns true if the driver reads a version of GLSL or GLSL ES; otherwise prints what it lacks.
fn supports_language(gl: &Gl, language: Language) -> bool {
    let extension = match language {
        Language::Glsl(version) => {
            let newest = gl.glsl_version().expect("the driver has a version");
            if newest < version {
                skip(format!("the driver lacks GLSL {version}"));
            }
            return newest >= version;
        }
        Language::Essl(300) => "GL_ARB_ES3_compatibility",
        Language::Essl(310) => "GL_ARB_ES3_1_compatibility",
        Language::Essl(320) => "GL_ARB_ES3_2_compatibility",
        Language::Essl(_)
        | Language::Wgsl
        | Language::VulkanGlsl
        | Language::Hlsl(_)
        | Language::Msl(_) => return false,
    };
    let is_supported = gl.has_extension(extension);
    if !is_supported {
        skip(format!("the driver lacks {extension}"));
    }
    is_supported
}

fn assert_pixel(found: [u8; 4], expected: [u8; 4], program: &str) {
    let is_equal = found
        .iter()
        .zip(&expected)
        .all(|(a, b)| a.abs_diff(*b) <= 1);
    assert!(is_equal, "{found:?} instead of {expected:?} from {program}");
}

#[test]
fn fragment_programs_read_complete_interfaces_by_name() {
    let Some(gl) = open() else { return };
    let target = framebuffer(&gl, None, 1);
    let varyings = list_varyings();
    let writing = build_writing_program(&varyings);
    let position_only = "!!ARBvp1.0\nMOV result.position, vertex.position;\nEND";
    for language in [Language::Glsl(330), Language::Essl(300)] {
        if !supports_language(&gl, language) {
            continue;
        }
        let written = write_program(&writing, language);
        let unwritten = write_program(position_only, language);
        for (number, varying) in varyings.iter().enumerate() {
            gl.FrontFace(varying.front_face)
                .expect("the driver has the command");
            for text in build_reading_programs(varying) {
                let reading = write_program(&text, language);
                let found = draw(&gl, &target, [&written, &reading]);
                let expected = expect_pixel(number, varying, &text);
                assert_pixel(found, expected, &text);
                // An output that the vertex program does not write is (0, 0, 0, 1), of which the
                // fog coordinate in `!!FP1.0` is the first component only.
                let found = draw(&gl, &target, [&unwritten, &reading]);
                let w = if expected[3] == 0 { 0 } else { 255 };
                assert_pixel(found, [0, 0, 0, w], &text);
            }
        }
    }
}

/// A change of the options of the compiler.
type OptionsChange = fn(&mut glasm::Options);

/// Returns options for text, with a change of the options of the compiler.
fn make_options(language: Language, change: OptionsChange) -> Options {
    let mut options = Options::new(language);
    change(&mut options.compiler);
    options
}

/// GLSL before 4.40 and GLSL ES require equal interpolation qualifiers, and all versions equal
/// bindings of a block that several stages have.
#[test]
fn linked_pairs_declare_varyings_and_blocks_equally() {
    let Some(gl) = open() else { return };
    let smooth = "!!ARBfp1.0\nADD result.color, fragment.color, fragment.texcoord[0];\nEND";
    let flat = "!!NVfp4.0\nFLAT ATTRIB a = fragment.texcoord[0];\n\
        ADD result.color, fragment.color, a;\nEND";
    let linear = "!!NVfp4.0\nNOPERSPECTIVE ATTRIB a = fragment.texcoord[0];\n\
        ADD result.color, fragment.color, a;\nEND";
    let unchanged: OptionsChange = |_| {};
    let cases: [(&str, OptionsChange); 6] = [
        (smooth, |options| options.pipeline_state.flat_colors = true),
        (smooth, |options| {
            options.pipeline_state.flat_colors = true;
            options.pipeline_state.two_sided_color = true;
        }),
        (flat, unchanged),
        (linear, unchanged),
        (smooth, |options| {
            options.state_sources.flat_colors = StateSource::UniformBlock;
        }),
        (smooth, |options| {
            options.state_sources.point_size = StateSource::UniformBlock;
            options.state_sources.alpha_test = StateSource::UniformBlock;
        }),
    ];
    let vertex = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\n\
        MOV result.color.back, vertex.color;\nMOV result.texcoord[0], vertex.texcoord[0];\nEND";
    let languages = [330, 400, 410, 420, 430, 440, 450].map(Language::Glsl);
    let es_languages = [300, 310, 320].map(Language::Essl);
    for language in languages.into_iter().chain(es_languages) {
        if !supports_language(&gl, language) {
            continue;
        }
        for (fragment, change) in cases {
            let options = make_options(language, change);
            let programs = [vertex, fragment].map(|text| {
                glasm::Program::load(&Source::new("test", text)).expect("the program is good")
            });
            let linked = glasm::link(&programs.each_ref(), &compiler_options(&options));
            let texts: Vec<String> = linked
                .stages
                .into_iter()
                .map(|shader| {
                    let shader = shader.expect("the programs can be linked");
                    let written = write_shader(&shader, &options);
                    written.expect("the language has all features").source
                })
                .collect();
            let stages = [gl::VERTEX_SHADER, gl::FRAGMENT_SHADER];
            let sources: Vec<_> = stages
                .into_iter()
                .zip(texts.iter().map(String::as_bytes))
                .collect();
            let program = ShaderProgram::link(&gl, &sources).expect("the driver links programs");
            if let Err(error) = program {
                panic!("{language}: {error:?} in:\n{}\n{}", texts[0], texts[1]);
            }
        }
    }
}
