//! The command line: commands, options, help messages.

#[cfg(feature = "run")]
mod draw;
mod extract;
#[cfg(test)]
mod former_options;
#[cfg(feature = "run")]
mod run;
mod source_options;
#[cfg(feature = "run")]
mod trace;

use crate::metadata;
use clap::{Args, Parser, Subcommand, ValueEnum};
use glasm::ProgramType;
#[cfg(any(unix, windows))]
use std::ffi::OsString;
use std::path::PathBuf;

#[cfg(feature = "run")]
pub(crate) use draw::{DrawArgs, TextureArg};
pub(crate) use extract::ExtractArgs;
#[cfg(feature = "run")]
pub(crate) use run::{
    ApiArg, ComparedSides, DevicesArgs, FailOnSkip, RoundTripArg, RunArgs, Shard, SideArg,
    ValidationArg, WorkerArgs,
};
pub(crate) use source_options::{SourceArgs, SourceOptions};
#[cfg(feature = "run")]
pub(crate) use trace::TraceArgs;

/// Compiles legacy GPU assembly programs to SPIR-V and runs them on Vulkan.
#[derive(Parser, Debug)]
#[command(
    name = "glasm",
    version,
    long_version = metadata::LONG_VERSION.as_str(),
    max_term_width = 100,
    after_help = EXAMPLES
)]
pub(crate) struct Cli {
    /// Command to run.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Options of all commands.
    #[command(flatten)]
    pub(crate) console: ConsoleArgs,
}

const EXAMPLES: &str = "\
Examples:
  glasm check old_game/shaders          find every error in a directory of programs
  glasm compile lit.vp -o lit.spv       write a SPIR-V module
  glasm compile lit.vp --emit wgsl      print it as WGSL
  glasm extract game.exe -o programs    find the programs in any file
  glasm draw lit.vp lit.fp -o lit.png   draw programs
  glasm run shaders --device llvmpipe   run scripts on a CPU
  glasm trace bump.fp --at 12,40        every value of the program at a pixel
  glasm gl ./game                       start an application with these programs on your driver
  glasm explain E0201                   explain an error code

Exit status: 0 success, 1 a program or script failed, 2 invalid usage or no device.";

/// Options of all commands.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ConsoleArgs {
    /// Form of error messages; `json` prints one object on each line
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
    /// Find the programs in executables, archives, caches, logs and sources
    #[command(after_help = extract::EXTRACT_HELP)]
    Extract(ExtractArgs),
    /// Draw programs without a script
    #[cfg(feature = "run")]
    #[command(after_help = draw::DRAW_HELP)]
    Draw(Box<DrawArgs>),
    /// Run test scripts on a device of Vulkan or OpenGL, or compare two of them
    #[cfg(feature = "run")]
    #[command(after_help = run::RUN_HELP)]
    Run(Box<RunArgs>),
    /// Execute a program statement by statement and print the values of a pixel, vertex or invocation
    #[cfg(feature = "run")]
    #[command(after_help = trace::TRACE_HELP)]
    Trace(Box<TraceArgs>),
    /// The worker process of `run`; see the module `run::worker`.
    #[cfg(feature = "run")]
    #[command(hide = true)]
    RunWorker(WorkerArgs),
    /// A process that lists the devices for `run`.
    #[cfg(feature = "run")]
    #[command(hide = true)]
    RunDevices(DevicesArgs),
    /// The process of `gl --check` that opens a context, see the module `gl_check`.
    #[cfg(all(unix, feature = "run"))]
    #[command(hide = true)]
    GlProbe,
    /// List the devices of Vulkan or OpenGL
    #[cfg(feature = "run")]
    Devices(DevicesArgs),
    /// Start an application with the programs of NVIDIA's extensions on any driver of OpenGL
    #[cfg(any(unix, windows))]
    #[command(after_help = GL_HELP)]
    Gl(GlArgs),
    /// Explain an opcode, error code, option, binding, state, texture target, word of TGSI or
    /// header; without a name, list all of them
    #[command(after_help = EXPLAIN_HELP)]
    Explain(ExplainArgs),
    /// Serve an editor as language server, through standard input and output
    #[command(after_help = LSP_HELP)]
    Lsp,
    /// Serve the playground, a page with editor, image and trace, to browsers of this machine
    #[cfg(feature = "serve")]
    #[command(after_help = SERVE_HELP)]
    Serve(ServeArgs),
    /// Print the script that completes the words of a command line in a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions(CompletionsArgs),
    /// Write a manual page for each command, for packages
    #[command(hide = true)]
    ManPages(ManPagesArgs),
}

const EXPLAIN_HELP: &str = "\
With --message-format json each entry is an object on a separate line: kind, name, summary, syntax, fields and
description; in lists kind, name and summary.

Examples:
  glasm explain MAD                     an opcode
  glasm explain E0201                   an error code
  glasm explain NV_fragment_program2    an option
  glasm explain 'vertex.attrib[3]'      a binding; `fragment` lists those that begin with it
  glasm explain state.matrix.mvp        GL state
  glasm explain SHADOW2D                a texture target
  glasm explain '!!VP1.0'               the header of a language
  glasm explain options                 a group
  glasm explain                         everything";

const INPUTS_HELP: &str = "Programs, scripts, directories of them, or - for standard input. In directories, programs are files that start with !!, or with VERT or \
another processor of TGSI alone on a line, after optional whitespace and comments; scripts are files *.shader_test with assembly programs";

const CHECK_HELP: &str = "\
Reports everything that would prevent a program from compiling, all errors of a program at once.
In scripts, all assembly programs are checked as `glasm run` compiles them: with the requirements of [require], as one
pipeline, with lines of the script in messages. Errors that a script expects (`expect error`, `load ... fails with`)
are not failures; the last line counts such scripts. Programs in other forms are ignored.

Examples:
  glasm check lit.vp lit.fp
  glasm check tests/lit.shader_test
  glasm check shaders --message-format json 2> messages.jsonl
  cat lit.vp | glasm check -";

/// `glasm check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// Programs to check.
    #[arg(required = true, value_name = "FILE|DIR|-", help = INPUTS_HELP)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Type that the programs must have; without it, the type in their headers. In files with
    /// several programs, only those of this type are checked
    #[arg(long, value_name = "STAGE", value_parser = parse_program_type)]
    pub(crate) stage: Option<ProgramType>,
    /// Interpretation of programs.
    #[command(flatten)]
    pub(crate) source_args: SourceArgs,
}

const COMPILE_HELP: &str = "\
Without -o, a single program in a text form is printed to standard output; other outputs are written next to their
inputs: lit.vp becomes lit.vp.spv. With one file, -o names the output (- is standard output), whose directory must
exist; with several files or a directory, or with a / at its end, -o names a directory that mirrors the inputs and is
created if it does not exist: a/lit.vp becomes OUT/a/lit.vp.spv.
A file with several programs has an output for each: lit.vfp becomes lit.vfp.vertex.spv and lit.vfp.fragment.spv. So
does a script, for each of its assembly programs: t.shader_test becomes t.shader_test.fragment.spv, and
t.shader_test.fragment.red.spv for [fragment program red]. Each is compiled separately, with the requirements of
[require].

Shading languages for --emit, with the version after the name; the default version is marked with *:
  wgsl         depth 0..w, y up      glsl         depth -w..w, y up   330 400 410 420 430 440 450* 460
  msl          depth 0..w, y up      essl         depth -w..w, y up   300 310* 320
               20 21 22 23 24* 30 31 32
  hlsl         depth 0..w, y up      vulkan-glsl  depth 0..w, y down, sets and bindings as in SPIR-V
               50 51 60* 61 62 63 64 65 66 67 68
Without --clip-conventions programs are assumed to follow the rules of the form: positions pass unchanged. SPIR-V has those
of vulkan-glsl. docs/text-output.md describes the numbers of textures and buffers and the limits of each language.

Examples:
  glasm compile lit.vp -o lit.spv --target vulkan1.3 --validate
  glasm compile lit.fp --emit spvasm
  glasm compile shaders -o out --emit hlsl
  glasm compile lit.vfp --stage fragment -o lit.spv
  glasm compile lit.fp --emit glsl330
  cat lit.vp | glasm compile - --emit reflection";

/// `glasm compile`.
#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    /// Programs to compile.
    #[arg(required = true, value_name = "FILE|DIR|-", help = INPUTS_HELP)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Type that the programs must have; without it, the type in their headers. In files with
    /// several programs, only those of this type are compiled
    #[arg(long, value_name = "STAGE", value_parser = parse_program_type)]
    pub(crate) stage: Option<ProgramType>,
    /// Interpretation of programs.
    #[command(flatten)]
    pub(crate) source_args: SourceArgs,
    /// Output file, or directory that mirrors several inputs
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// Output form: spirv, spvasm, ir, reflection, or a shading language as listed below, such as
    /// glsl330
    #[arg(long, value_name = "FORM", default_value = "spirv", value_parser = parse_emit_format)]
    pub(crate) emit: EmitFormat,
    /// Environment that the module is compiled for
    #[arg(long, value_name = "TARGET", default_value = "vulkan1.1")]
    pub(crate) target: TargetArg,
    /// Rules for clip space that the programs follow; where the form has others, positions are
    /// converted [default: those of the form, so that positions pass unchanged]
    #[arg(long = "clip-conventions", alias = "conventions", value_name = "RULES")]
    pub(crate) conventions: Option<ConventionsArg>,
    /// Instructions after which the loops of programs with free branches end; 0: no limit
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    pub(crate) step_limit: u32,
    /// Source of the GL state that programs depend on, in modules
    #[arg(
        long = "state-source",
        alias = "state",
        value_name = "SOURCE",
        default_value = "compile-time"
    )]
    pub(crate) state: StateSourceArg,
    /// Define zero times anything as zero, as old GPUs do; without it 0 * inf and 0 * NaN are NaN
    #[arg(long)]
    pub(crate) legacy_multiply: bool,
    /// Compute results of half precision and fixed point of !!FP1.0 programs with more precision
    /// than specified: shorter code
    #[arg(long = "skip-precision-rounding", alias = "fast-precision")]
    pub(crate) fast_precision: bool,
    /// Flush denormals of programs of the register languages by code: exact on every device, but
    /// much longer code
    #[arg(long = "emulate-denormal-flush", alias = "exact-denormals")]
    pub(crate) exact_denormals: bool,
    /// In GLSL, test for NaN where results of its functions are undefined: exact, but much longer
    /// code
    #[cfg(feature = "translate")]
    #[arg(long)]
    pub(crate) exact_nan: bool,
    /// Check the modules with spirv-val
    #[arg(long)]
    pub(crate) validate: bool,
    /// Put source names and line numbers into the modules
    #[arg(long = "debug-info", alias = "debug")]
    pub(crate) debug: bool,
}

/// Parses a program type: a stage, such as `vertex`, or `vertex_state`.
fn parse_program_type(word: &str) -> Result<ProgramType, String> {
    let found = ProgramType::all().find(|it| it.identifier() == word);
    found.ok_or_else(|| {
        let names: Vec<&str> = ProgramType::all().map(ProgramType::identifier).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// Source of GL state in modules.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StateSourceArg {
    /// Compiled in
    #[value(name = "compile-time", alias = "fixed")]
    Fixed,
    /// Specialization constants
    #[value(name = "spec-constant", alias = "specialized")]
    Specialized,
    /// A uniform block
    #[value(name = "uniform-block", alias = "uniform")]
    Uniform,
}

impl From<StateSourceArg> for glasm::StateSource {
    fn from(form: StateSourceArg) -> Self {
        match form {
            StateSourceArg::Fixed => Self::CompileTime,
            StateSourceArg::Specialized => Self::SpecConstant,
            StateSourceArg::Uniform => Self::UniformBlock,
        }
    }
}

/// Output form of `glasm compile`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EmitFormat {
    /// SPIR-V module
    Spirv,
    /// SPIR-V as text
    Spvasm,
    /// The intermediate form of glasm
    Ir,
    /// Requirements of the module on its caller, as JSON
    Reflect,
    /// A shading language
    #[cfg(feature = "translate")]
    Text(glasm_text::Language),
}

impl EmitFormat {
    /// Returns the extension of output files in this form, without dot.
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

    /// Returns true if the form is human-readable.
    pub(crate) fn is_text(self) -> bool {
        self != Self::Spirv
    }
}

/// Parses a form, such as `glsl330`.
fn parse_emit_format(word: &str) -> Result<EmitFormat, String> {
    match word {
        "spirv" => return Ok(EmitFormat::Spirv),
        "spvasm" => return Ok(EmitFormat::Spvasm),
        "ir" => return Ok(EmitFormat::Ir),
        // Older command lines say `reflect`.
        "reflection" | "reflect" => return Ok(EmitFormat::Reflect),
        _ => {}
    }
    #[cfg(feature = "translate")]
    let known = match word.parse::<glasm_text::Language>() {
        Ok(language) => return Ok(EmitFormat::Text(language)),
        Err(_) => format!("{MODULE_FORMS}, {TEXT_FORMS}"),
    };
    #[cfg(not(feature = "translate"))]
    let known = MODULE_FORMS;
    Err(format!("expected one of {known}"))
}

const MODULE_FORMS: &str = "spirv, spvasm, ir, reflection";

/// The languages as users type them. A test compares it with the list of the library.
#[cfg(feature = "translate")]
const TEXT_FORMS: &str = "wgsl, glsl (330, 400, 410, 420, 430, 440, 450, 460), essl (300, 310, 320), vulkan-glsl, \
     hlsl (50, 51, 60 to 68), msl (20 to 24, 30 to 32), with the version after the name: glsl330";

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
libglasm_glvendor.so, a vendor library of GLVND, is inserted between the application and the driver. It compiles
programs of NV_vertex_program to NV_gpu_program5 and passes them to the driver as SPIR-V; all other calls go to the
driver unchanged. It is searched for next to this command, in ../lib/x86_64-linux-gnu (or that of another machine),
../lib64 and ../lib; for 32-bit applications in ../i686-unknown-linux-gnu/release (or debug), ../lib/i386-linux-gnu and
../lib32. These variables are set for that:
  __GLX_VENDOR_LIBRARY_NAME=glasm       for GLX, with its directory in LD_LIBRARY_PATH
  __EGL_VENDOR_LIBRARY_FILENAMES        for EGL
You can set others: GLASM_COMPILE_ARB_PROGRAMS=1 also compiles all programs of ARB_vertex_program and
ARB_fragment_program; GLASM_LOG=info logs events; GLASM_DUMP_DIR=DIR writes draws as scripts. docs/applications.md lists
all of them, and describes rules for applications in ~/.config/glasm/applications.toml.
The exit status is that of the application, or 2 if it cannot be started.

Examples:
  glasm gl --check
  glasm gl --explain ./game
  glasm gl ./game -fullscreen
  glasm gl --vendor mesa -- glxinfo
  GLASM_LOG=info glasm gl ./game";

#[cfg(windows)]
const GL_HELP: &str = "\
glasm's opengl32.dll is loaded instead of that of Windows, which it calls. It compiles programs of NV_vertex_program
to NV_gpu_program5 and passes them to the driver as SPIR-V or GLSL. The library for the word size of the application is
searched for in ..\\lib64 and ..\\lib32, seen from the directory of this command, and in that directory. Nothing is written to the
directory of the application.
Some applications do not find the library this way: those that start another program, that need the privileges of an
administrator, or that limit where libraries are searched. Copy opengl32.dll next to their executable, and start them as usual;
deleting the copy undoes it.
GLASM_LOG=info logs events; docs/applications.md lists all variables, and describes rules for applications in
%APPDATA%\\glasm\\applications.toml.
The exit status is that of the application, or 2 if it cannot be started.

Examples:
  glasm gl GAME.EXE -fullscreen
  glasm gl --explain GAME.EXE
  glasm gl --library D:\\glasm\\lib32 GAME.EXE";

/// Options of `glasm gl` instead of which an application may be missing.
#[cfg(unix)]
const GL_REPORTS: [&str; 2] = ["check", "list"];
#[cfg(windows)]
const GL_REPORTS: [&str; 1] = ["list"];

/// `glasm gl`.
#[cfg(any(unix, windows))]
#[derive(Args, Debug)]
pub(crate) struct GlArgs {
    /// Vendor whose driver draws: NAME of its libGLX_NAME.so.0 [default: the value of GLASM_DRIVER,
    /// or mesa]
    #[cfg(unix)]
    #[arg(long, value_name = "NAME")]
    pub(crate) vendor: Option<OsString>,
    /// Library, or the directory that contains it; repeat it for that of 32-bit applications
    #[arg(long, value_name = "PATH")]
    pub(crate) library: Vec<PathBuf>,
    /// Report in a few lines whether applications will run with these programs on this system, and
    /// what to install; exit status 1 if they will not
    #[cfg(unix)]
    #[arg(long, conflicts_with = "application")]
    pub(crate) check: bool,
    /// List the rules for applications of all files; exit status 1 if a file is invalid
    #[arg(long, conflicts_with = "application")]
    #[cfg_attr(unix, arg(conflicts_with = "check"))]
    pub(crate) list: bool,
    /// Do not start the application; report which rules match it, and each setting with its value
    /// and the reason; exit status 1 if a file is invalid
    #[arg(long, conflicts_with_all = GL_REPORTS)]
    pub(crate) explain: bool,
    /// Application and its arguments
    #[arg(
        required_unless_present_any = GL_REPORTS,
        trailing_var_arg = true,
        value_name = "APPLICATION"
    )]
    pub(crate) application: Vec<OsString>,
}

/// `glasm explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// Name to explain, or a group: opcodes, errors, options, declarations, bindings, state,
    /// targets, files, semantics, properties, languages
    #[arg(value_name = "NAME|GROUP")]
    pub(crate) topic: Option<String>,
}

const LSP_HELP: &str = "\
Editors start this command; docs/editors.md describes how to configure VS Code, Neovim and Helix. The server offers
diagnostics, explanations, completion, symbols, renaming, formatting and fixes for programs in files of their own, in
scripts and in string literals of other languages.";

#[cfg(feature = "serve")]
const SERVE_HELP: &str = "\
Prints the address of the page and serves it until the process ends (Ctrl+C). Only this machine can connect. The page
compiles and draws programs in the browser and sends nothing. Builds that do not contain the page need --directory:

  cargo xtask web
  glasm serve --directory target/web/site --open

Exit status: 2 the port is in use, or there is no page.";

/// `glasm serve`.
#[cfg(feature = "serve")]
#[derive(Args, Clone, Debug)]
pub(crate) struct ServeArgs {
    /// Port on 127.0.0.1; 0 selects a free one
    #[arg(long, value_name = "N", default_value_t = 8787)]
    pub(crate) port: u16,
    /// Directory with the files that `cargo xtask web` has built, instead of the installed ones
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Open the page in the browser of the system
    #[arg(long)]
    pub(crate) open: bool,
}

const COMPLETIONS_HELP: &str = "\
Packages install these scripts. Without a package:

  glasm completions bash > ~/.local/share/bash-completion/completions/glasm
  glasm completions zsh > ~/.zfunc/_glasm       a directory of fpath
  glasm completions fish > ~/.config/fish/completions/glasm.fish";

/// `glasm completions`.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct CompletionsArgs {
    /// Shell that the script is for
    pub(crate) shell: clap_complete::Shell,
}

/// `glasm man-pages`.
#[derive(Args, Debug)]
pub(crate) struct ManPagesArgs {
    /// Directory for the pages, which must exist
    pub(crate) directory: PathBuf,
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
            assert_eq!(
                parse_emit_format(&language.to_string()),
                Ok(EmitFormat::Text(*language))
            );
            assert!(COMPILE_HELP.contains(language.family()), "{language}");
            if let Some(version) = language.version() {
                assert!(COMPILE_HELP.contains(&format!(" {version}")), "{language}");
            }
        }
        for language in glasm_text::Language::default_versions() {
            if let Some(version) = language.version() {
                assert!(COMPILE_HELP.contains(&format!(" {version}*")), "{language}");
            }
        }
        assert!(
            parse_emit_format("glsl120")
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
            (TargetArg::Vulkan1_2, EmitFormat::Spvasm)
        );
    }
}
