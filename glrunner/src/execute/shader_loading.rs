//! Scripts whose programs are GLSL: compiles and links all stages of draws into one program, and
//! compute shaders into another.

use super::capture_plan::CapturedPrimitives;
use super::modules::Work;
use super::program_info::ProgramInfo;
use super::programs::Programs;
use crate::error::Problem;
use crate::gl::{self, Gl, ShaderError, ShaderProgram};
use glasm::ir::Stage;
use glasm_scripts::results::Failure;
use glasm_scripts::script::{ProgramForm, ProgramSection, Script};
use std::rc::Rc;

/// Programs of GLSL of a script.
#[derive(Default)]
pub(super) struct Shaders {
    pub(super) draws: Option<Rc<ShaderProgram>>,
    pub(super) compute: Option<Rc<ShaderProgram>>,
}

impl Shaders {
    /// Returns the linked program that a stage belongs to: that of draws or that of dispatches;
    /// `None` if it is not linked.
    pub(super) fn get(&self, stage: Stage) -> Option<&ShaderProgram> {
        match stage {
            Stage::Compute => self.compute.as_deref(),
            Stage::Vertex
            | Stage::TessControl
            | Stage::TessEval
            | Stage::Geometry
            | Stage::Fragment => self.draws.as_deref(),
        }
    }

    /// Replaces the linked program of draws or dispatches.
    pub(super) fn set(&mut self, work: Work, program: Rc<ShaderProgram>) {
        match work {
            Work::Draw => self.draws = Some(program),
            Work::Dispatch(_) => self.compute = Some(program),
        }
    }
}

/// Returns true if a script has GLSL shaders.
pub(super) fn has_shaders(script: &Script) -> bool {
    let mut programs = script.programs.iter();
    programs.any(|program| program.form == ProgramForm::Glsl)
}

/// Returns the enumerant of the shaders of a stage.
pub(super) fn shader_type(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => gl::VERTEX_SHADER,
        Stage::TessControl => gl::TESS_CONTROL_SHADER,
        Stage::TessEval => gl::TESS_EVALUATION_SHADER,
        Stage::Geometry => gl::GEOMETRY_SHADER,
        Stage::Fragment => gl::FRAGMENT_SHADER,
        Stage::Compute => gl::COMPUTE_SHADER,
    }
}

/// Vertex shader that forwards the position, which is attribute 0.
const PASSTHROUGH_VERTEX_SHADER: &str = "#version 330
layout(location = 0) in vec4 position;
void main() { gl_Position = position; }
";

/// Returns the source of a section; `None` if primitives and patches pass through unchanged without
/// a shader. Skips scripts that combine GLSL with other forms.
fn section_source(program: &ProgramSection) -> Result<Option<&[u8]>, Problem> {
    match (program.form, program.stage) {
        (ProgramForm::Glsl, _) => Ok(Some(&program.text)),
        (ProgramForm::PassThrough, Stage::Vertex) => Ok(Some(PASSTHROUGH_VERTEX_SHADER.as_bytes())),
        (ProgramForm::PassThrough, Stage::Geometry | Stage::TessControl) => Ok(None),
        _ => {
            let reason = "OpenGL links GLSL with GLSL only".to_owned();
            Err(Problem::Unsupported(reason))
        }
    }
}

/// Compiles and links the GLSL shaders of a script: one program for draws and one for dispatches,
/// and records their properties. Fails at the section that the driver rejects.
pub(super) fn load_shaders(
    gl: &Rc<Gl>,
    script: &Script,
    shaders: &mut Shaders,
    programs: &mut Programs,
) -> Result<(), Problem> {
    let (compute, draws): (Vec<_>, Vec<_>) = script
        .programs
        .iter()
        .partition(|program| program.stage == Stage::Compute);
    shaders.compute = link_sections(gl, &compute)?.map(Rc::new);
    shaders.draws = link_sections(gl, &draws)?.map(Rc::new);
    let sections = script.programs.iter();
    for section in sections.filter(|section| section.form == ProgramForm::Glsl) {
        let facts = read_shader_info(section, shaders)?;
        programs.set_shader(section.stage, facts);
    }
    Ok(())
}

/// Links the GLSL shaders of sections into one program; `None` if there are no sections. Fails at
/// the section that the driver rejects; skips scripts that combine GLSL with other forms.
fn link_sections(
    gl: &Rc<Gl>,
    sections: &[&ProgramSection],
) -> Result<Option<ShaderProgram>, Problem> {
    if sections.is_empty() {
        return Ok(None);
    }
    let mut sources = Vec::new();
    for section in sections {
        if let Some(text) = section_source(section)? {
            sources.push((shader_type(section.stage), text));
        }
    }
    let linked = ShaderProgram::link(gl, &sources)?;
    linked
        .map(Some)
        .map_err(|refusal| err_rejected_shaders(sections, &refusal))
}

/// Reads the properties of a shader that state depends on, from its source and from the linked
/// program.
fn read_shader_info(section: &ProgramSection, shaders: &Shaders) -> Result<ProgramInfo, Problem> {
    let text = String::from_utf8_lossy(&section.text);
    Ok(ProgramInfo {
        writes_point_size: text.contains("gl_PointSize"),
        clip_distances: parse_clip_distances(&text),
        has_typed_data: true,
        primitives: match shaders.get(section.stage) {
            Some(program) => read_primitives(section.stage, program)?,
            None => None,
        },
        ..ProgramInfo::default()
    })
}

/// Reads the primitives that the shader of a stage generates from the linked program; `None` for
/// stages other than geometry and tessellation evaluation.
fn read_primitives(
    stage: Stage,
    program: &ShaderProgram,
) -> Result<Option<CapturedPrimitives>, Problem> {
    let value = |name| program.property(name).map(i32::cast_unsigned);
    let primitive = match stage {
        Stage::Geometry => value(gl::GEOMETRY_OUTPUT_TYPE)?,
        Stage::TessEval if value(gl::TESS_GEN_POINT_MODE)? != 0 => gl::POINTS,
        Stage::TessEval => value(gl::TESS_GEN_MODE)?,
        Stage::Vertex | Stage::TessControl | Stage::Fragment | Stage::Compute => return Ok(None),
    };
    Ok(Some(match primitive {
        gl::POINTS => CapturedPrimitives::Points,
        gl::LINE_STRIP | gl::ISOLINES => CapturedPrimitives::Lines,
        _ => CapturedPrimitives::Triangles,
    }))
}

/// Returns a bit for each clip distance that a source declares: two for `out float
/// gl_ClipDistance[2]`, 0 without declaration.
fn parse_clip_distances(text: &str) -> u8 {
    let mut declared = text.split("out float gl_ClipDistance[").skip(1);
    let count = declared.find_map(|rest| rest.split(']').next()?.trim().parse::<u32>().ok());
    let bits = 1_u32.checked_shl(count.unwrap_or(0)).unwrap_or(0);
    bits.wrapping_sub(1).to_le_bytes()[0]
}

/// Returns the failure for shaders that the driver rejects, at the section of the shader, or at the
/// first one if they do not link.
fn err_rejected_shaders(sections: &[&ProgramSection], refusal: &ShaderError) -> Problem {
    let section = refusal.shader.and_then(|index| sections.get(index));
    let what = match section {
        Some(section) => format!("the {} shader", section.stage.name()),
        None => "to link the shaders".to_owned(),
    };
    Problem::Program(Failure {
        line: section.or(sections.first()).map(|section| section.line),
        column: None,
        message: format!("the driver refuses {what}: {}", refusal.message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::test_support::with_execution;

    #[test]
    fn declared_clip_distances_count() {
        assert_eq!(parse_clip_distances("void main() { }"), 0);
        assert_eq!(parse_clip_distances("out float gl_ClipDistance[2];"), 0b11);
        assert_eq!(
            parse_clip_distances("out float gl_ClipDistance[ 8 ];"),
            0xff
        );
    }

    #[test]
    fn refused_shaders_have_the_line_of_their_section() {
        let text = "[require]\nGL >= 3.0\n[vertex shader passthrough]\n[fragment shader]\n#version 330\nnothing\n[test]\n";
        with_execution(text, |_, execution| {
            let (shaders, programs) = (&mut execution.shaders, &mut execution.programs);
            let loaded = load_shaders(&execution.gl, execution.script, shaders, programs);
            let Err(Problem::Program(failure)) = loaded else {
                panic!("the text is no shader");
            };
            assert_eq!(failure.line, Some(4));
            assert!(
                failure
                    .message
                    .starts_with("the driver refuses the fragment shader: ")
            );
        });
    }
}
