//! The command line: commands, options, help texts.

mod reading;
#[cfg(feature = "run")]
mod run;

use clap::{Args, Parser, Subcommand, ValueEnum};
use glasm::ProgramType;
#[cfg(unix)]
use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) use reading::{Reading, ReadingArgs};
#[cfg(feature = "run")]
pub(crate) use run::{
    ApiArg, Comparing, DevicesArgs, FailOnSkip, RunArgs, Shard, SideArg, ThroughArg, ValidationArg,
    WorkerArgs,
};

/// Compiles legacy GPU assembly programs to SPIR-V and runs them on Vulkan.
#[derive(Parser, Debug)]
#[command(name = "glasm", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Options of all commands.
    #[command(flatten)]
    pub(crate) console: ConsoleArgs,
}

const EXAMPLES: &str = "\
Examples:
  glasm check old_game/shaders          find every mistake in a folder of programs
  glasm compile lit.vp -o lit.spv       make a SPIR-V module
  glasm compile lit.vp --emit wgsl      print it as WGSL
  glasm run shaders --device llvmpipe   run scripts on a CPU
  glasm gl ./game                       start an application with these programs on your driver
  glasm explain E0201                   what an error code means

Exit status: 0 success, 1 a program or script failed, 2 wrong usage or no device.";

/// Options of all commands.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ConsoleArgs {
    /// Form of error messages; `json` gives one object on each line
    #[arg(long, global = true, value_name = "FORMAT", default_value = "human")]
    pub(crate) message_format: MessageFormat,
    /// Colors in messages
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

/// Form of messages.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageFormat {
    /// Text with source lines.
    Human,
    /// One JSON object on each line.
    Json,
}

/// When to use colors.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    /// On terminals, unless the environment has NO_COLOR.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Report the errors and warnings of programs
    #[command(after_help = CHECK_HELP)]
    Check(CheckArgs),
    /// Compile programs to SPIR-V or another form
    #[command(after_help = COMPILE_HELP)]
    Compile(CompileArgs),
    /// Run test scripts on a device of Vulkan or OpenGL, or compare two of them
    #[cfg(feature = "run")]
    #[command(after_help = run::RUN_HELP)]
    Run(Box<RunArgs>),
    /// The worker process of `run`; see the module `run::worker`.
    #[cfg(feature = "run")]
    #[command(hide = true)]
    RunWorker(WorkerArgs),
    /// A process that lists the devices for `run`.
    #[cfg(feature = "run")]
    #[command(hide = true)]
    RunDevices(DevicesArgs),
    /// List the devices of Vulkan or OpenGL
    #[cfg(feature = "run")]
    Devices(DevicesArgs),
    /// Start an application with the programs of NVIDIA's extensions on any driver of OpenGL
    #[cfg(unix)]
    #[command(after_help = GL_HELP)]
    Gl(GlArgs),
    /// Explain an opcode, error code, option, binding, state, texture target, word of TGSI or header; without a name, list all of them
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArgs),
}

const EXPLAIN_HELP: &str = "\
With --message-format json each thing is an object on a line of its own: kind, name, about, syntax, fields and text; in
lists kind, name and about.

Examples:
  glasm explain MAD                     an opcode
  glasm explain E0201                   an error code
  glasm explain NV_fragment_program2    an option
  glasm explain 'vertex.attrib[3]'      a binding; of fragment, all that begin so
  glasm explain state.matrix.mvp        GL state
  glasm explain SHADOW2D                a texture target
  glasm explain '!!VP1.0'               the header of a language
  glasm explain options                 a group
  glasm explain                         everything";

const INPUTS_HELP: &str = "Programs, scripts, folders of them, or - for standard input. In folders, files that start with !!, or with VERT and the like alone on a \
line, are programs, behind nothing but blanks and comments, and files *.shader_test with assembly programs are scripts";

const CHECK_HELP: &str = "\
Reports everything that would keep a program from compiling, all errors of a program at once.
Of scripts, all assembly programs are checked as `glasm run` compiles them: with what [require] says, beside each
other, at lines of the script. Errors that a script expects (`expect error`, `load ... fails with`) are no failures;
the last line counts such scripts. Programs in other forms are left out.

Examples:
  glasm check lit.vp lit.fp
  glasm check tests/lit.shader_test
  glasm check shaders --message-format json 2> messages.jsonl
  cat lit.vp | glasm check -";

/// `glasm check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// What to check.
    #[arg(required = true, value_name = "FILE|DIR|-", help = INPUTS_HELP)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Type that the programs must have; without it, what their headers say. Of files with several programs, those of this type are taken
    #[arg(long, value_name = "STAGE", value_parser = parse_stage)]
    pub(crate) stage: Option<ProgramType>,
    /// What programs mean.
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

const COMPILE_HELP: &str = "\
Without -o, the text form of a single program goes to standard output and everything else beside its input:
lit.vp gives lit.vp.spv. With one file, -o names the output (- is standard output), whose folder must exist; with
several files or a folder, or with a / at its end, -o names a folder that mirrors the inputs and is made if it is
missing: a/lit.vp gives OUT/a/lit.vp.spv.
A file with several programs gives an output for each: lit.vfp gives lit.vfp.vertex.spv and lit.vfp.fragment.spv. So
does a script, for each of its assembly programs: t.shader_test gives t.shader_test.fragment.spv, and
t.shader_test.fragment.red.spv for [fragment program red]. Each is compiled by itself, with what [require] says.

Shading languages for --emit, with the version behind the name or, without it, in the version marked with *:
  wgsl         depth 0..w, y up      glsl         depth -w..w, y up   330 400 410 420 430 440 450* 460
  msl          depth 0..w, y up      essl         depth -w..w, y up   300 310* 320
               20 21 22 23 24* 30 31 32
  hlsl         depth 0..w, y up      vulkan-glsl  depth 0..w, y down, sets and bindings as in SPIR-V
               50 51 60* 61 62 63 64 65 66 67 68
Without --conventions programs are taken to follow the rules of the form: positions pass unchanged. SPIR-V has those of
vulkan-glsl. docs/text-output.md says how textures and buffers are numbered and what each language cannot express.

Examples:
  glasm compile lit.vp -o lit.spv --target vulkan1.3 --validate
  glasm compile lit.fp --emit spvasm
  glasm compile shaders -o out --emit hlsl
  glasm compile lit.vfp --stage fragment -o lit.spv
  glasm compile lit.fp --emit glsl330
  cat lit.vp | glasm compile - --emit reflect";

/// `glasm compile`.
#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    /// What to compile.
    #[arg(required = true, value_name = "FILE|DIR|-", help = INPUTS_HELP)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Type that the programs must have; without it, what their headers say. Of files with several programs, those of this type are taken
    #[arg(long, value_name = "STAGE", value_parser = parse_stage)]
    pub(crate) stage: Option<ProgramType>,
    /// What programs mean.
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Output file, or folder that mirrors several inputs
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// What to write: spirv, spvasm, ir, reflect, or a shading language as listed below, such as glsl330
    #[arg(long, value_name = "FORM", default_value = "spirv", value_parser = parse_emit)]
    pub(crate) emit: Emit,
    /// What the module must run on
    #[arg(long, value_name = "TARGET", default_value = "vulkan1.1")]
    pub(crate) target: TargetArg,
    /// Whose rules for clip space the programs follow; where the form has others, positions are converted [default: those of the
    /// form, so that positions pass unchanged]
    #[arg(long, value_name = "RULES")]
    pub(crate) conventions: Option<ConventionsArg>,
    /// Instructions after which the loops of programs with free branches end; 0 lets them run for ever
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    pub(crate) step_limit: u32,
    /// Where modules have GL state from that programs depend on
    #[arg(long, value_name = "FORM", default_value = "fixed")]
    pub(crate) state: StateArg,
    /// Zero times anything is zero, as on old GPUs; without it 0 * inf and 0 * NaN are NaN
    #[arg(long)]
    pub(crate) legacy_multiply: bool,
    /// Leave results of half precision and fixed point of !!FP1.0 programs more precise than they are: shorter
    #[arg(long)]
    pub(crate) fast_precision: bool,
    /// Flush denormals of programs of the register languages by code: exact on every device, and much longer
    #[arg(long)]
    pub(crate) exact_denormals: bool,
    /// In GLSL test for NaN where its functions leave open what they give: exact, and much longer
    #[cfg(feature = "translate")]
    #[arg(long)]
    pub(crate) exact_nan: bool,
    /// Check the modules with spirv-val
    #[arg(long)]
    pub(crate) validate: bool,
    /// Put source names and line numbers into the modules
    #[arg(long)]
    pub(crate) debug: bool,
}

/// Parses a program type by its name: a stage, such as `vertex`, or `vertex_state`.
fn parse_stage(word: &str) -> Result<ProgramType, String> {
    let found = ProgramType::all().find(|it| it.word() == word);
    found.ok_or_else(|| {
        let names: Vec<&str> = ProgramType::all().map(ProgramType::word).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Where modules have GL state from.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StateArg {
    /// Compiled in
    Fixed,
    /// Specialization constants
    Specialized,
    /// A uniform block
    Uniform,
}

impl From<StateArg> for glasm::StateForm {
    fn from(form: StateArg) -> Self {
        match form {
            StateArg::Fixed => Self::Fixed,
            StateArg::Specialized => Self::Specialized,
            StateArg::Uniform => Self::Uniform,
        }
    }
}

/// What `glasm compile` writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Emit {
    /// SPIR-V module
    Spirv,
    /// SPIR-V as text
    Spvasm,
    /// The intermediate form of glasm
    Ir,
    /// What the module expects of its caller, as JSON
    Reflect,
    /// A shading language
    #[cfg(feature = "translate")]
    Text(glasm_text::Language),
}

impl Emit {
    /// Extension of output files.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Spirv => "spv",
            Self::Spvasm => "spvasm",
            Self::Ir => "ir",
            Self::Reflect => "json",
            #[cfg(feature = "translate")]
            Self::Text(language) => language.extension(),
        }
    }

    /// Returns whether it is something that people read.
    pub(crate) fn is_text(self) -> bool {
        self != Self::Spirv
    }
}

/// Parses a form by its name, such as `glsl330`.
fn parse_emit(word: &str) -> Result<Emit, String> {
    match word {
        "spirv" => return Ok(Emit::Spirv),
        "spvasm" => return Ok(Emit::Spvasm),
        "ir" => return Ok(Emit::Ir),
        "reflect" => return Ok(Emit::Reflect),
        _ => {}
    }
    #[cfg(feature = "translate")]
    let known = match word.parse::<glasm_text::Language>() {
        Ok(language) => return Ok(Emit::Text(language)),
        Err(_) => format!("{MODULE_FORMS}, {TEXT_FORMS}"),
    };
    #[cfg(not(feature = "translate"))]
    let known = MODULE_FORMS;
    Err(format!("expected one of {known}"))
}

const MODULE_FORMS: &str = "spirv, spvasm, ir, reflect";

/// The languages as people type them. A test compares it with the list of the library.
#[cfg(feature = "translate")]
const TEXT_FORMS: &str = "wgsl, glsl (330, 400, 410, 420, 430, 440, 450, 460), essl (300, 310, 320), vulkan-glsl, \
     hlsl (50, 51, 60 to 68), msl (20 to 24, 30 to 32), with the version behind the name: glsl330";

/// Target environment.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetArg {
    /// OpenGL with GL_ARB_gl_spirv: SPIR-V 1.0
    #[value(name = "opengl4.5")]
    OpenGl4_5,
    /// SPIR-V 1.3
    #[value(name = "vulkan1.1")]
    Vulkan1_1,
    /// SPIR-V 1.5
    #[value(name = "vulkan1.2")]
    Vulkan1_2,
    /// SPIR-V 1.6
    #[value(name = "vulkan1.3")]
    Vulkan1_3,
}

impl From<TargetArg> for glasm::Target {
    fn from(target: TargetArg) -> Self {
        match target {
            TargetArg::OpenGl4_5 => Self::OpenGl4_5,
            TargetArg::Vulkan1_1 => Self::Vulkan1_1,
            TargetArg::Vulkan1_2 => Self::Vulkan1_2,
            TargetArg::Vulkan1_3 => Self::Vulkan1_3,
        }
    }
}

/// Rules for clip space.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConventionsArg {
    /// Depth from 0 to w, y down
    Vulkan,
    /// Depth from -w to w, y up
    Opengl,
}

#[cfg(unix)]
const GL_HELP: &str = "\
Between the application and the driver stands libglasm_glvendor.so, a vendor library of GLVND. It compiles programs of
NV_vertex_program to NV_gpu_program5 and gives them to the driver as SPIR-V; everything else is the driver's. It is
looked for beside this command and in ../lib; for 32-bit applications in ../i686-unknown-linux-gnu/release (or debug),
../lib/i386-linux-gnu and ../lib32. For that these variables are set:
  __GLX_VENDOR_LIBRARY_NAME=glasm       for GLX, with its folder in LD_LIBRARY_PATH
  __EGL_VENDOR_LIBRARY_FILENAMES        for EGL
Others are for you to set: GLASM_ALL=1 takes all programs of ARB_vertex_program and ARB_fragment_program, too;
GLASM_LOG=info says what happens; GLASM_DUMP=FOLDER writes what draws as scripts. docs/driver.md has all of them.
The exit status is the application's, or 2 if it cannot be started.

Examples:
  glasm gl ./game -fullscreen
  glasm gl --vendor mesa -- glxinfo
  GLASM_LOG=info glasm gl ./game";

/// `glasm gl`.
#[cfg(unix)]
#[derive(Args, Debug)]
pub(crate) struct GlArgs {
    /// The vendor whose driver draws: NAME of its libGLX_NAME.so.0 [default: what GLASM_VENDOR says, or mesa]
    #[arg(long, value_name = "NAME")]
    pub(crate) vendor: Option<OsString>,
    /// The vendor library, or the folder that it lies in; again for that of 32-bit applications
    #[arg(long, value_name = "PATH")]
    pub(crate) library: Vec<PathBuf>,
    /// The application and its arguments
    #[arg(required = true, trailing_var_arg = true, value_name = "APPLICATION")]
    pub(crate) application: Vec<OsString>,
}

/// `glasm explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// What to explain, or a group: opcodes, errors, options, declarations, bindings, state, targets, files, semantics, properties, languages
    #[arg(value_name = "NAME|GROUP")]
    pub(crate) topic: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[cfg(feature = "translate")]
    #[test]
    fn help_names_every_language() {
        for language in glasm_text::Language::ALL {
            assert_eq!(parse_emit(&language.to_string()), Ok(Emit::Text(*language)));
            assert!(COMPILE_HELP.contains(language.family()), "{language}");
            if let Some(version) = language.version() {
                assert!(COMPILE_HELP.contains(&format!(" {version}")), "{language}");
            }
        }
        for language in glasm_text::Language::defaults() {
            if let Some(version) = language.version() {
                assert!(COMPILE_HELP.contains(&format!(" {version}*")), "{language}");
            }
        }
        assert!(
            parse_emit("glsl120")
                .unwrap_err()
                .contains("essl (300, 310, 320)")
        );
    }

    #[test]
    fn targets_have_their_design_names() {
        let cli = Cli::try_parse_from([
            "glasm",
            "compile",
            "a",
            "--target",
            "vulkan1.2",
            "--emit",
            "spvasm",
        ])
        .unwrap();
        let Command::Compile(args) = cli.command else {
            panic!("not compile")
        };
        assert_eq!(
            (args.target, args.emit),
            (TargetArg::Vulkan1_2, Emit::Spvasm)
        );
    }
}
