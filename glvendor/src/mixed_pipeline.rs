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

use crate::context::{Groups, State};
use crate::draw;
use crate::ffi::{driver, query};
use crate::pipeline::shader_kind;
use crate::redeclared;
use crate::text::Written;
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
    fn bits(self) -> (u32, u32) {
        const FRAGMENT: u32 = 2;
        const BEFORE_FRAGMENTS: u32 = 1 | 4 | 8 | 16;
        match self {
            Self::Vertex => (BEFORE_FRAGMENTS, FRAGMENT),
            Self::Fragment => (FRAGMENT, BEFORE_FRAGMENTS),
        }
    }

    /// Returns true if it includes a stage.
    pub(crate) fn has(self, stage: Stage) -> bool {
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
pub(crate) struct Partial {
    side: StageGroup,
    /// True if the application itself has made it separable.
    pub(crate) is_separable: bool,
}

/// Returns the stages that programs of this library can take in a program object, according to its
/// attached shaders.
fn lacking(program: u32) -> Option<StageGroup> {
    if driver::IsProgram(program) == 0 {
        return None;
    }
    let kinds = query::attached_shaders(program)
        .into_iter()
        .map(|shader| query::shader::<1>(shader, driver::constants::SHADER_TYPE)[0]);
    let kinds: Vec<i32> = kinds.collect();
    let has = |kind: i32| kinds.contains(&kind);
    match (has(VERTEX_SHADER), has(FRAGMENT_SHADER)) {
        (true, false) => Some(StageGroup::Fragment),
        (false, true) if kinds.iter().all(|it| *it == FRAGMENT_SHADER) => Some(StageGroup::Vertex),
        (false, _) | (true, true) => None,
    }
}

/// Executes `LinkProgram`.
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

/// Returns the stages that programs of this library can take in the application's program object.
pub(crate) fn side(state: &State) -> Option<StageGroup> {
    let share = state.shared();
    share.partial.get(&state.used_program).map(|it| it.side)
}

/// Returns true if enabled programs process the vertices, and not shaders of the application.
pub(crate) fn leaves_vertices(state: &State) -> bool {
    state.used_program == 0 || side(state) == Some(StageGroup::Vertex)
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
    /// Returns true if a name is that of the pipeline object.
    pub(crate) fn has_name(&self, name: u32) -> bool {
        name != 0 && name == self.name
    }

    /// Binds the pipeline object with a program object of this library and one of the application.
    pub(crate) fn bind(&mut self, group: StageGroup, ours: u32, theirs: u32) {
        if self.name == 0 {
            self.name = query::pipeline_name();
        }
        let (our_bit, other_bits) = group.bits();
        driver::UseProgram(0);
        driver::BindProgramPipeline(self.name);
        driver::UseProgramStages(self.name, other_bits, theirs);
        driver::UseProgramStages(self.name, our_bit, ours);
        // Uniform commands of the application apply to its program.
        driver::ActiveShaderProgram(self.name, theirs);
        self.is_bound = true;
    }

    /// Binds the pipeline object of the application again if another one is bound.
    pub(crate) fn restore(&mut self, theirs: u32) {
        if std::mem::take(&mut self.is_bound) {
            driver::BindProgramPipeline(theirs);
        }
    }
}

/// Converts varyings between stages of this library and the application's to built-in ones of GLSL,
/// and those at locations. The last stage, or the only one, is combined with the application's.
pub(crate) fn share_varyings(texts: &mut [(Stage, Written)]) {
    let last = texts.len().saturating_sub(1);
    for (place, (stage, written)) in texts.iter_mut().enumerate() {
        written.text = if place == last {
            with_builtins(&written.text, *stage)
        } else {
            compatible(&written.text, "")
        };
    }
    // A single stage may leave that to the driver.
    if last > 0 {
        redeclare(texts);
    }
}

/// Declares the built-in varyings of stages of a separable program object.
fn redeclare(texts: &mut [(Stage, Written)]) {
    let taken = texts
        .iter_mut()
        .map(|(stage, written)| (shader_kind(*stage), std::mem::take(&mut written.text)));
    let plain: Vec<_> = taken.collect();
    let declared = redeclared::redeclared(&plain).unwrap_or(plain);
    for ((_, written), (_, text)) in texts.iter_mut().zip(declared) {
        written.text = text;
    }
}

/// Returns a text for the compatibility profile, with a line more.
fn compatible(text: &str, line: &str) -> String {
    let (version, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!(
        "{version} compatibility\n#extension GL_ARB_separate_shader_objects : enable\n{line}{rest}"
    )
}

/// Returns a stage that is combined with a shader of the application.
fn with_builtins(written: &str, stage: Stage) -> String {
    const SHARE: &str = "SHARE_RESULTS";
    let (mut text, mut copies) = (String::new(), String::new());
    for line in written.lines() {
        let _ = match Varying::declared(line, stage) {
            None if line == "void main()" => writeln!(text, "void program_main()"),
            None if emits(line) => writeln!(text, "{SHARE}\n{line}"),
            None => writeln!(text, "{line}"),
            Some(Varying {
                kind: Kind::Generic,
                number,
                unplaced,
                ..
            }) => {
                writeln!(text, "layout(location = {number}) {unplaced}")
            }
            Some(it) if stage == Stage::Fragment => {
                writeln!(text, "#define {} {}", it.name, it.input())
            }
            Some(it) => {
                let _ = write!(copies, " {}", it.output());
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
    compatible(&text, &format!("#define {SHARE}{copies}\n"))
}

/// Returns true if a line emits a vertex, with the current results.
fn emits(line: &str) -> bool {
    let statement = line.trim_start();
    statement.starts_with("EmitVertex(") || statement.starts_with("EmitStreamVertex(")
}

/// Kind of a varying.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
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
const KINDS: [(&str, Kind); 7] = [
    ("color_back_secondary", Kind::BackSecondaryColor),
    ("color_back", Kind::BackColor),
    ("color_secondary", Kind::SecondaryColor),
    ("color", Kind::Color),
    ("fogcoord", Kind::FogCoord),
    ("texcoord", Kind::TexCoord),
    ("attrib", Kind::Generic),
];

/// Varying that a line declares.
struct Varying<'a> {
    kind: Kind,
    /// Number of texture coordinates and generic attributes.
    number: u32,
    ty: &'a str,
    name: &'a str,
    /// Declaration without a location.
    unplaced: &'a str,
}

impl<'a> Varying<'a> {
    /// Returns the varying that a stage shares with the application's, if a line declares one.
    fn declared(line: &'a str, stage: Stage) -> Option<Self> {
        let word = match stage {
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
        words.by_ref().find(|it| *it == word)?;
        let (ty, name) = (words.next()?, words.next()?);
        let meaning = name.strip_prefix("fragment_")?;
        if words.next().is_some() || name.contains('[') {
            return None;
        }
        let known = KINDS.iter().find(|(start, _)| meaning.starts_with(start));
        let (start, kind) = known.copied().unwrap_or(("", Kind::Other));
        // Names that occur twice in a source have a number appended.
        let number = meaning[start.len()..].split('_').nth(1);
        Some(Self {
            kind,
            number: number.and_then(|it| it.parse().ok()).unwrap_or(0),
            ty,
            name,
            unplaced,
        })
    }

    /// Returns the GLSL that a fragment program reads: GLSL 1.20 section 7.6.
    fn input(&self) -> String {
        match self.kind {
            Kind::Color => "gl_Color".to_owned(),
            Kind::SecondaryColor => "gl_SecondaryColor".to_owned(),
            Kind::FogCoord => "vec4(gl_FogFragCoord, 0.0, 0.0, 1.0)".to_owned(),
            Kind::TexCoord => format!("gl_TexCoord[{}]", self.number),
            Kind::BackColor | Kind::BackSecondaryColor | Kind::Generic | Kind::Other => {
                "vec4(0.0, 0.0, 0.0, 1.0)".to_owned()
            }
        }
    }

    /// Returns the statement that stores an output of the last program before fragments for a
    /// shader.
    fn output(&self) -> String {
        let name = self.name;
        match self.kind {
            Kind::Color => format!("gl_FrontColor = {name};"),
            Kind::SecondaryColor => format!("gl_FrontSecondaryColor = {name};"),
            Kind::BackColor => format!("gl_BackColor = {name};"),
            Kind::BackSecondaryColor => format!("gl_BackSecondaryColor = {name};"),
            Kind::FogCoord => format!("gl_FogFragCoord = {name}.x;"),
            Kind::TexCoord => format!("gl_TexCoord[{}] = {name};", self.number),
            Kind::Generic | Kind::Other => String::new(),
        }
    }
}
