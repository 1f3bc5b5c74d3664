//! Programs of this library combined with GLSL shaders of the application: a program object without
//! a fragment shader draws with the fragment program that is enabled, one of fragment shaders alone
//! with the vertex, tessellation and geometry programs (GL 2.1 sections 2.15 and 3.11;
//! NV_tessellation_program5 section 2.X: their enables are ignored unless the GLSL program contains
//! only fragment shaders).
//!
//! Such program objects are linked as separable ones, so that the driver allows another one to
//! provide the missing stages. This library generates that one: GLSL for the compatibility profile,
//! which reads and writes the built-in varyings of the language. No specification defines the
//! treatment of generic attributes: here attribute n is the variable at location n.

use crate::context::{State, StateGroups};
use crate::draw;
use crate::ffi::{driver, driver_state};
use crate::glsl_output;
use crate::glsl_output::GlslText;
use crate::pipeline::shader_kind;
use glasm::Stage;
use std::fmt::Write as _;

const VERTEX_SHADER: i32 = 0x8B31;
const FRAGMENT_SHADER: i32 = 0x8B30;
const PROGRAM_SEPARABLE: u32 = 0x8258;
const LINK_STATUS: u32 = 0x8B82;

/// Stages of this library that are combined with shaders of the application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum StageGroup {
    /// Stages before fragments.
    Vertex,
    /// Fragment program.
    Fragment,
}

impl StageGroup {
    /// Returns the bits of its stages, as `GL_VERTEX_SHADER_BIT`, and those of the application's.
    fn shader_bits(self) -> (u32, u32) {
        const FRAGMENT: u32 = 2;
        const BEFORE_FRAGMENTS: u32 = 1 | 4 | 8 | 16;
        match self {
            Self::Vertex => (BEFORE_FRAGMENTS, FRAGMENT),
            Self::Fragment => (FRAGMENT, BEFORE_FRAGMENTS),
        }
    }

    /// Returns true if a stage belongs to this part of the pipeline: `Vertex` has all stages before
    /// the fragment stage.
    pub(crate) fn includes(self, stage: Stage) -> bool {
        match stage {
            Stage::Fragment => self == Self::Fragment,
            Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
                self == Self::Vertex
            }
            Stage::Compute => false,
        }
    }
}

/// Program object of the application that lacks a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IncompleteProgram {
    stage_group: StageGroup,
    /// True if the application itself has made it separable.
    pub(crate) is_separable: bool,
}

/// Returns the stages that programs of this library can provide for a program object, according to
/// its attached shaders: the fragment stage if it has a vertex shader and no fragment shader, all
/// stages before if it has fragment shaders alone. `None` otherwise, and if there is no such
/// program object.
fn missing_stages(program: u32) -> Option<StageGroup> {
    if driver::IsProgram(program) == 0 {
        return None;
    }
    let kinds = driver_state::attached_shaders(program)
        .into_iter()
        .map(|shader| driver_state::shader::<1>(shader, driver::constants::SHADER_TYPE)[0]);
    let kinds: Vec<i32> = kinds.collect();
    let has = |kind: i32| kinds.contains(&kind);
    match (has(VERTEX_SHADER), has(FRAGMENT_SHADER)) {
        (true, false) => Some(StageGroup::Fragment),
        (false, true) if kinds.iter().all(|it| *it == FRAGMENT_SHADER) => Some(StageGroup::Vertex),
        (false, _) | (true, true) => None,
    }
}

/// Restores the application's state in the driver and executes `LinkProgram`. A GLSL program
/// that lacks the vertex or the fragment stages is linked as a separable one, and recorded as
/// incomplete, if it can be combined with programs of this library; if it does not link as such, it
/// is linked unchanged. Marks programs as changed, except between `Begin` and `End`, where only the
/// driver executes the command.
pub(crate) fn link_program(state: &mut State, program: u32) {
    if state.is_inside_begin_end {
        return driver::LinkProgram(program);
    }
    draw::restore_application_state(state);
    let can_mix = state.capabilities.separable_writer.is_some();
    let stage_group = can_mix.then(|| missing_stages(program)).flatten();
    state
        .lock_share_group()
        .incomplete_programs
        .remove(&program);
    state.mark_changed(StateGroups::PROGRAMS);
    let Some(side) = stage_group else {
        return driver::LinkProgram(program);
    };
    let is_separable = driver_state::program::<1>(program, PROGRAM_SEPARABLE) != [0];
    driver::ProgramParameteri(program, PROGRAM_SEPARABLE, 1);
    driver::LinkProgram(program);
    let is_linked = || driver_state::program::<1>(program, LINK_STATUS) != [0];
    if !is_separable && !is_linked() {
        glsl_output::link_redeclared(program);
    }
    if !is_separable && !is_linked() {
        driver::ProgramParameteri(program, PROGRAM_SEPARABLE, 0);
        return driver::LinkProgram(program);
    }
    let incomplete = IncompleteProgram {
        stage_group: side,
        is_separable,
    };
    state
        .lock_share_group()
        .incomplete_programs
        .insert(program, incomplete);
}

/// Returns the stages that programs of this library can provide for the program object that the
/// application uses; `None` if it is complete or there is none.
pub(crate) fn stage_group(state: &State) -> Option<StageGroup> {
    let share = state.lock_share_group();
    share
        .incomplete_programs
        .get(&state.glsl_program)
        .map(|it| it.stage_group)
}

/// Returns true if enabled programs or fixed functions process the vertices, and not shaders of the
/// application.
pub(crate) fn processes_vertices(state: &State) -> bool {
    state.glsl_program == 0 || stage_group(state) == Some(StageGroup::Vertex)
}

/// Pipeline object of the driver that combines a program object of this library with one of the
/// application.
#[derive(Debug, Default)]
pub(crate) struct MixedPipeline {
    /// Stages of programs of this library; `None` if all stages are theirs.
    pub(crate) group: Option<StageGroup>,
    /// Name of the pipeline object, 0 before its first use.
    name: u32,
    is_bound: bool,
}

impl MixedPipeline {
    /// Returns true if the name is that of the internal pipeline object.
    pub(crate) fn has_name(&self, name: u32) -> bool {
        name != 0 && name == self.name
    }

    /// Makes the internal pipeline object current, with a program object of this library for the
    /// stages of `group` and one of the application for the others. Creates the pipeline object at
    /// the first call. No program object is current by `UseProgram` afterwards.
    pub(crate) fn bind(
        &mut self,
        group: StageGroup,
        library_program: u32,
        application_program: u32,
    ) {
        if self.name == 0 {
            self.name = driver_state::generate_pipeline_name();
        }
        let (our_bit, other_bits) = group.shader_bits();
        driver::UseProgram(0);
        driver::BindProgramPipeline(self.name);
        driver::UseProgramStages(self.name, other_bits, application_program);
        driver::UseProgramStages(self.name, our_bit, library_program);
        // Uniform commands of the application apply to its program.
        driver::ActiveShaderProgram(self.name, application_program);
        self.is_bound = true;
    }

    /// Binds the application's pipeline object, 0 for none, again if the internal one is bound;
    /// otherwise does nothing.
    pub(crate) fn restore(&mut self, application_program: u32) {
        if std::mem::take(&mut self.is_bound) {
            driver::BindProgramPipeline(application_program);
        }
    }
}

/// Converts stages of this library so that they can be combined with the application's: the last
/// one, or the only one, uses the built-in varyings of GLSL, and locations for generic attributes.
/// All are converted to the compatibility profile; several stages also declare the built-in
/// varyings.
pub(crate) fn share_varyings(sources: &mut [(Stage, GlslText)]) {
    let last = sources.len().saturating_sub(1);
    for (index, (stage, written)) in sources.iter_mut().enumerate() {
        written.text = if index == last {
            use_builtin_varyings(&written.text, *stage)
        } else {
            to_compatibility_profile(&written.text, "")
        };
    }
    // A single stage may leave that to the driver.
    if last > 0 {
        redeclare_builtin_varyings(sources);
    }
}

/// Adds declarations of the built-in varyings to the sources of stages of a separable program
/// object, unless they have them.
fn redeclare_builtin_varyings(sources: &mut [(Stage, GlslText)]) {
    let taken = sources
        .iter_mut()
        .map(|(stage, written)| (shader_kind(*stage), std::mem::take(&mut written.text)));
    let plain: Vec<_> = taken.collect();
    let declared = glsl_output::redeclare_builtins(&plain).unwrap_or(plain);
    for ((_, written), (_, text)) in sources.iter_mut().zip(declared) {
        written.text = text;
    }
}

/// Converts generated GLSL to the compatibility profile, enables separate shader objects, and
/// inserts `line`, which ends with a newline or is empty, after its version.
fn to_compatibility_profile(text: &str, line: &str) -> String {
    let (version, code) = text.split_once('\n').unwrap_or((text, ""));
    format!(
        "{version} compatibility\n#extension GL_ARB_separate_shader_objects : enable\n{line}{code}"
    )
}

/// Returns the source of a stage that exchanges varyings with a shader of the application: its
/// inputs as a fragment program, otherwise its outputs, which it copies at the end of `main`, or
/// before each `EmitVertex`.
fn use_builtin_varyings(written: &str, stage: Stage) -> String {
    const SHARE: &str = "SHARE_RESULTS";
    let (mut text, mut copies) = (String::new(), String::new());
    for line in written.lines() {
        let _ = match Varying::parse_declaration(line, stage) {
            None if line == "void main()" => writeln!(text, "void program_main()"),
            None if emits_vertex(line) => writeln!(text, "{SHARE}\n{line}"),
            None => writeln!(text, "{line}"),
            Some(Varying {
                kind: VaryingKind::Generic,
                index: number,
                declaration: unplaced,
                ..
            }) => {
                writeln!(text, "layout(location = {number}) {unplaced}")
            }
            Some(it) if stage == Stage::Fragment => {
                writeln!(text, "#define {} {}", it.name, it.glsl_input())
            }
            Some(it) => {
                let _ = write!(copies, " {}", it.glsl_output_statement());
                writeln!(text, "{} {};", it.ty, it.name)
            }
        };
    }
    let at_end = match stage {
        Stage::Vertex | Stage::TessEval => SHARE,
        Stage::TessControl | Stage::Geometry | Stage::Fragment | Stage::Compute => "",
    };
    let _ = write!(
        text,
        "void main()\n{{\n    program_main();\n    {at_end}\n}}\n"
    );
    to_compatibility_profile(&text, &format!("#define {SHARE}{copies}\n"))
}

/// Returns true if a line of generated GLSL emits a vertex.
fn emits_vertex(line: &str) -> bool {
    let statement = line.trim_start();
    statement.starts_with("EmitVertex(") || statement.starts_with("EmitStreamVertex(")
}

/// Kind of a varying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum VaryingKind {
    Color,
    SecondaryColor,
    BackColor,
    BackSecondaryColor,
    FogCoord,
    TexCoord,
    Generic,
    /// Varyings that only programs have.
    Other,
}

/// Kinds by their names in sources; a name that begins with another one comes first.
const KINDS: [(&str, VaryingKind); 7] = [
    ("color_back_secondary", VaryingKind::BackSecondaryColor),
    ("color_back", VaryingKind::BackColor),
    ("color_secondary", VaryingKind::SecondaryColor),
    ("color", VaryingKind::Color),
    ("fogcoord", VaryingKind::FogCoord),
    ("texcoord", VaryingKind::TexCoord),
    ("attrib", VaryingKind::Generic),
];

/// Varying that a line declares.
struct Varying<'a> {
    kind: VaryingKind,
    /// Number of texture coordinates and generic attributes.
    index: u32,
    ty: &'a str,
    name: &'a str,
    /// Declaration without a location.
    declaration: &'a str,
}

impl<'a> Varying<'a> {
    /// Parses the declaration of a varying that a stage shares with the application's: an input of
    /// fragment programs, an output of all others. `None` for other lines, for arrays and for names
    /// without the prefix `fragment_`.
    fn parse_declaration(line: &'a str, stage: Stage) -> Option<Self> {
        let qualifier = match stage {
            Stage::Fragment => "in",
            Stage::Vertex
            | Stage::TessControl
            | Stage::TessEval
            | Stage::Geometry
            | Stage::Compute => "out",
        };
        let unplaced = if line.starts_with("layout(location = ") {
            line.split_once(") ")?.1
        } else {
            line
        };
        let mut words = unplaced.strip_suffix(';')?.split(' ');
        words.by_ref().find(|it| *it == qualifier)?;
        let (ty, name) = (words.next()?, words.next()?);
        let meaning = name.strip_prefix("fragment_")?;
        if words.next().is_some() || name.contains('[') {
            return None;
        }
        let known_kind = KINDS.iter().find(|(start, _)| meaning.starts_with(start));
        let (start, kind) = known_kind.copied().unwrap_or(("", VaryingKind::Other));
        // Names that occur twice in a source have a number appended.
        let number = meaning[start.len()..].split('_').nth(1);
        Some(Self {
            kind,
            index: number.and_then(|it| it.parse().ok()).unwrap_or(0),
            ty,
            name,
            declaration: unplaced,
        })
    }

    /// Returns the GLSL expression that a fragment program reads for the varying (GLSL 1.20 section
    /// 7.6); (0, 0, 0, 1) for varyings without a built-in variable.
    fn glsl_input(&self) -> String {
        match self.kind {
            VaryingKind::Color => "gl_Color".to_owned(),
            VaryingKind::SecondaryColor => "gl_SecondaryColor".to_owned(),
            VaryingKind::FogCoord => "vec4(gl_FogFragCoord, 0.0, 0.0, 1.0)".to_owned(),
            VaryingKind::TexCoord => format!("gl_TexCoord[{}]", self.index),
            VaryingKind::BackColor
            | VaryingKind::BackSecondaryColor
            | VaryingKind::Generic
            | VaryingKind::Other => "vec4(0.0, 0.0, 0.0, 1.0)".to_owned(),
        }
    }

    /// Returns the statement that stores an output of the last program before fragments for a
    /// shader; empty for varyings without a built-in variable.
    fn glsl_output_statement(&self) -> String {
        let name = self.name;
        match self.kind {
            VaryingKind::Color => format!("gl_FrontColor = {name};"),
            VaryingKind::SecondaryColor => format!("gl_FrontSecondaryColor = {name};"),
            VaryingKind::BackColor => format!("gl_BackColor = {name};"),
            VaryingKind::BackSecondaryColor => format!("gl_BackSecondaryColor = {name};"),
            VaryingKind::FogCoord => format!("gl_FogFragCoord = {name}.x;"),
            VaryingKind::TexCoord => format!("gl_TexCoord[{}] = {name};", self.index),
            VaryingKind::Generic | VaryingKind::Other => String::new(),
        }
    }
}
