//! Programs of ours beside shaders that the application has in GLSL: a program object without a fragment shader draws with the fragment program that is
//! enabled, one without a vertex shader with the vertex program (GL 2.1 sections 2.15 and 3.11).
//!
//! Such program objects are linked as separable ones, so that the driver lets another one take the place of what they lack. That one is ours: GLSL for the
//! compatibility profile, which reads and writes the varyings that the language has built in.

use crate::context::{Groups, State};
use crate::draw;
use crate::ffi::{driver, query};
use crate::log;
use crate::pipeline::{Programs, STAGES};
use crate::redeclared;
use crate::target::Target;
use crate::text::Written;
use glasm::Stage;
use std::fmt::Write as _;
use std::sync::Once;

const VERTEX_SHADER: i32 = 0x8B31;
const FRAGMENT_SHADER: i32 = 0x8B30;
const PROGRAM_SEPARABLE: u32 = 0x8258;
const LINK_STATUS: u32 = 0x8B82;

/// What of ours stands beside shaders of the application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Side {
    /// A vertex program.
    Vertex,
    /// A fragment program.
    Fragment,
}

impl Side {
    /// Its bit, as `GL_VERTEX_SHADER_BIT`, and those of all stages that the application may have shaders for.
    fn bits(self) -> (u32, u32) {
        const VERTEX: u32 = 1;
        const FRAGMENT: u32 = 2;
        const GEOMETRY_AND_TESSELLATION: u32 = 4 | 8 | 16;
        match self {
            Self::Vertex => (VERTEX, FRAGMENT | GEOMETRY_AND_TESSELLATION),
            Self::Fragment => (FRAGMENT, VERTEX | GEOMETRY_AND_TESSELLATION),
        }
    }
}

/// A program object of the application that lacks a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Partial {
    side: Side,
    /// Whether the application has made it separable itself.
    pub(crate) is_separable: bool,
}

/// The stage that programs of ours can take in a program object, by what is attached to it.
fn lacking(program: u32) -> Option<Side> {
    if driver::IsProgram(program) == 0 {
        return None;
    }
    let kinds = query::attached_shaders(program)
        .into_iter()
        .map(|shader| query::shader::<1>(shader, driver::constants::SHADER_TYPE)[0]);
    let kinds: Vec<i32> = kinds.collect();
    let has = |kind: i32| kinds.contains(&kind);
    match (has(VERTEX_SHADER), has(FRAGMENT_SHADER)) {
        (true, false) => Some(Side::Fragment),
        (false, true) if kinds.iter().all(|it| *it == FRAGMENT_SHADER) => Some(Side::Vertex),
        (false, _) | (true, true) => None,
    }
}

/// `LinkProgram`
pub(crate) fn link(state: &mut State, program: u32) {
    if state.is_inside {
        return driver::LinkProgram(program);
    }
    draw::release(state);
    let mixes = state.capabilities.mixer.is_some();
    let side = mixes.then(|| lacking(program)).flatten();
    state.shared().partial.remove(&program);
    state.touch(Groups::PROGRAMS);
    let Some(side) = side else {
        return driver::LinkProgram(program);
    };
    let is_separable = query::program::<1>(program, PROGRAM_SEPARABLE) != [0];
    driver::ProgramParameteri(program, PROGRAM_SEPARABLE, 1);
    driver::LinkProgram(program);
    let is_linked = || query::program::<1>(program, LINK_STATUS) != [0];
    if !is_separable && !is_linked() {
        redeclared::link(program);
    }
    if !is_separable && !is_linked() {
        driver::ProgramParameteri(program, PROGRAM_SEPARABLE, 0);
        return driver::LinkProgram(program);
    }
    let partial = Partial { side, is_separable };
    state.shared().partial.insert(program, partial);
}

/// The program of ours that stands beside the application's shaders, as programs of a pipeline.
pub(crate) fn programs(state: &State) -> Option<(Side, Programs)> {
    let partial = state.shared().partial.get(&state.used_program).copied()?;
    let ours = |target: Target| {
        let program = draw::enabled_program(state, target)?;
        let is_ours = !program.contents().is_drivers;
        is_ours.then_some(program)
    };
    let mut programs = Programs::default();
    match partial.side {
        Side::Vertex => programs[0] = Some(ours(Target::Vertex)?),
        Side::Fragment => {
            programs[STAGES - 1] =
                Some(ours(Target::Fragment).or_else(|| ours(Target::FragmentNv))?);
        }
    }
    if state.bound(Target::Geometry).enabled {
        static TOLD: Once = Once::new();
        TOLD.call_once(|| log::error("geometry programs do not draw together with GLSL"));
    }
    Some((partial.side, programs))
}

/// The driver draws with shaders of the application and a program object of ours.
pub(crate) fn use_both(state: &mut State, side: Side, ours: u32) {
    if state.drawing.both == 0 {
        state.drawing.both = query::pipeline_name();
    }
    let (both, (our_bit, other_bits)) = (state.drawing.both, side.bits());
    driver::UseProgram(0);
    driver::BindProgramPipeline(both);
    driver::UseProgramStages(both, other_bits, state.used_program);
    driver::UseProgramStages(both, our_bit, ours);
    // Uniforms that the application sets are those of its program.
    driver::ActiveShaderProgram(both, state.used_program);
    state.drawing.is_both_bound = true;
}

/// The pipeline object that the application has bound is bound again.
pub(crate) fn restore(state: &mut State) {
    if std::mem::take(&mut state.drawing.is_both_bound) {
        driver::BindProgramPipeline(state.used_pipeline);
    }
}

/// A stage as text whose varyings are those that GLSL has built in.
pub(crate) fn with_builtins(written: Written, stage: Stage) -> Written {
    let (mut text, mut copies) = (String::new(), String::new());
    for line in written.text.lines() {
        let declared = varying(line, stage);
        match (declared, stage) {
            (None, _) if line.starts_with("#version") => {
                let _ = writeln!(text, "{line} compatibility");
            }
            (None, _) if line == "void main()" => text.push_str("void program_main()\n"),
            (None, _) => {
                let _ = writeln!(text, "{line}");
            }
            (Some((_, name)), Stage::Fragment) => {
                let _ = writeln!(text, "#define {name} {}", input(name));
            }
            (Some((ty, name)), _) => {
                let _ = writeln!(text, "{ty} {name};");
                if let Some(output) = output(name) {
                    let _ = writeln!(copies, "    {output};");
                }
            }
        }
    }
    let _ = write!(text, "void main()\n{{\n    program_main();\n{copies}}}\n");
    Written { text, ..written }
}

/// Type and name of a varying that a line declares.
fn varying(line: &str, stage: Stage) -> Option<(&str, &str)> {
    let word = match stage {
        Stage::Fragment => "in",
        Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry | Stage::Compute => {
            "out"
        }
    };
    let mut words = line.strip_suffix(';')?.split(' ');
    words.by_ref().find(|it| *it == word)?;
    let (ty, name) = (words.next()?, words.next()?);
    let is_varying = name.starts_with("fragment_") && words.next().is_none();
    is_varying.then_some((ty, name))
}

/// What a fragment program reads: GLSL 1.20 section 7.6.
fn input(name: &str) -> String {
    match name {
        "fragment_color" => "gl_Color".to_owned(),
        "fragment_color_secondary" => "gl_SecondaryColor".to_owned(),
        "fragment_fogcoord" => "vec4(gl_FogFragCoord, 0.0, 0.0, 1.0)".to_owned(),
        name => match name.strip_prefix("fragment_texcoord_") {
            Some(set) => format!("gl_TexCoord[{set}]"),
            // No shader of GLSL writes what only programs have.
            None => "vec4(0.0, 0.0, 0.0, 1.0)".to_owned(),
        },
    }
}

/// How what a vertex program writes gets where a shader reads it.
fn output(name: &str) -> Option<String> {
    Some(match name {
        "fragment_color" => format!("gl_FrontColor = {name}"),
        "fragment_color_secondary" => format!("gl_FrontSecondaryColor = {name}"),
        "fragment_color_back" => format!("gl_BackColor = {name}"),
        "fragment_color_back_secondary" => format!("gl_BackSecondaryColor = {name}"),
        "fragment_fogcoord" => format!("gl_FogFragCoord = {name}.x"),
        name => format!(
            "gl_TexCoord[{}] = {name}",
            name.strip_prefix("fragment_texcoord_")?
        ),
    })
}
