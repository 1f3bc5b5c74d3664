//! Complete interfaces of vertex programs as GLSL 3.30 and GLSL ES 3.00, which link stages by the
//! names of varyings, on a driver: every fragment program reads what any vertex program writes.

use crate::gl::tests::{framebuffer, open};
use crate::gl::{self, ClientFormat, Framebuffer, Gl, SampleSelection, ShaderProgram};
use glasm::Varyings;
use glasm_tests::skip::skip;
use glasm_text::{Language, Options, Source, write};
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

/// Links the texts of a vertex and a fragment program, draws over the whole framebuffer, and returns
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
        let is_es = language == Language::Essl(300);
        if is_es && !gl.has_extension("GL_ARB_ES3_compatibility") {
            skip("the driver lacks GL_ARB_ES3_compatibility");
            continue;
        }
        if !is_es && gl.glsl_version().expect("the driver has a version") < 330 {
            skip("the driver lacks GLSL 3.30");
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
