//! The command line: commands, options, help texts.

#[cfg(feature = "run")]
use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use glasm::ir::Stage;
use std::path::PathBuf;
#[cfg(feature = "run")]
use std::{ffi::OsString, time::Duration};

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
    /// Run test scripts on a Vulkan device
    #[cfg(feature = "run")]
    #[command(after_help = RUN_HELP)]
    Run(RunArgs),
    /// The worker process of `run`; see the module `run::worker`.
    #[cfg(feature = "run")]
    #[command(hide = true)]
    RunWorker(WorkerArgs),
    /// A process that lists the devices for `run`.
    #[cfg(feature = "run")]
    #[command(hide = true)]
    RunDevices,
    /// List the Vulkan devices
    #[cfg(feature = "run")]
    Devices,
    /// Explain an opcode or an error code; without a name, list all of them
    #[command(
        after_help = "Examples:\n  glasm explain MAD\n  glasm explain E0201\n  glasm explain"
    )]
    Explain(ExplainArgs),
}

const INPUTS_HELP: &str = "Program files, folders of them, or - for standard input. In folders, files that start with !! are programs";

const CHECK_HELP: &str = "\
Reports everything that would keep a program from compiling, all errors of a program at once.
Script files (.shader_test) are not taken apart; `glasm run` compiles their programs.

Examples:
  glasm check lit.vp lit.fp
  glasm check shaders --message-format json 2> messages.jsonl
  cat lit.vp | glasm check -";

/// `glasm check`.
#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    /// What to check.
    #[arg(required = true, value_name = "FILE|DIR|-", help = INPUTS_HELP)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Type that the programs must have; without it, what their headers say
    #[arg(long, value_name = "STAGE", value_parser = parse_stage)]
    pub(crate) stage: Option<Stage>,
}

const COMPILE_HELP: &str = "\
Without -o, the text form of a single program goes to standard output and everything else beside its input:
lit.vp gives lit.vp.spv. With one file, -o names the output (- is standard output); with several files or a
folder, -o names a folder that mirrors the inputs: a/lit.vp gives OUT/a/lit.vp.spv.
In WGSL and HLSL the texture of unit n keeps set and binding and has its sampler at binding n + 128. In MSL and
GLSL, which have no sets, textures and samplers keep the unit as number and buffers are numbered from 0.
Script files (.shader_test) are not taken apart; `glasm run` compiles their programs.

Examples:
  glasm compile lit.vp -o lit.spv --target vulkan1.3 --validate
  glasm compile lit.fp --emit spvasm
  glasm compile shaders -o out --emit hlsl
  cat lit.vp | glasm compile - --emit reflect";

/// `glasm compile`.
#[derive(Args, Debug)]
pub(crate) struct CompileArgs {
    /// What to compile.
    #[arg(required = true, value_name = "FILE|DIR|-", help = INPUTS_HELP)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Type that the programs must have; without it, what their headers say
    #[arg(long, value_name = "STAGE", value_parser = parse_stage)]
    pub(crate) stage: Option<Stage>,
    /// Output file, or folder that mirrors several inputs
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// What to write
    #[arg(long, value_name = "FORM", default_value = "spirv")]
    pub(crate) emit: Emit,
    /// What the module must run on
    #[arg(long, value_name = "TARGET", default_value = "vulkan1.1")]
    pub(crate) target: TargetArg,
    /// Whose rules for clip space the module follows; `opengl` remaps depth from -w..w to 0..w
    #[arg(long, value_name = "RULES", default_value = "vulkan")]
    pub(crate) conventions: ConventionsArg,
    /// Instructions after which the loops of programs with free branches end; 0 lets them run for ever
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    pub(crate) step_limit: u32,
    /// Zero times anything is zero, as on old GPUs; without it 0 * inf and 0 * NaN are NaN
    #[arg(long)]
    pub(crate) legacy_multiply: bool,
    /// Check the modules with spirv-val
    #[arg(long)]
    pub(crate) validate: bool,
    /// Put source names and line numbers into the modules
    #[arg(long)]
    pub(crate) debug: bool,
}

/// A stage by its name, such as `vertex`.
fn parse_stage(word: &str) -> Result<Stage, String> {
    let found = Stage::ALL.iter().find(|(_, name)| *name == word);
    found.map(|(stage, _)| *stage).ok_or_else(|| {
        let names: Vec<&str> = Stage::ALL.iter().map(|(_, name)| *name).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// What `glasm compile` writes.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Emit {
    /// SPIR-V module
    Spirv,
    /// SPIR-V as text
    Spvasm,
    /// The intermediate form of glasm
    Ir,
    /// What the module expects of its caller, as JSON
    Reflect,
    /// WebGPU shading language
    #[cfg(feature = "translate")]
    Wgsl,
    /// Metal shading language
    #[cfg(feature = "translate")]
    Msl,
    /// Direct3D shading language
    #[cfg(feature = "translate")]
    Hlsl,
    /// OpenGL shading language
    #[cfg(feature = "translate")]
    Glsl,
}

impl Emit {
    /// Extension of output files.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Spirv => "spv",
            Self::Spvasm => "spvasm",
            Self::Ir => "ir",
            Self::Reflect => "json",
            #[cfg(feature = "translate")]
            Self::Wgsl => "wgsl",
            #[cfg(feature = "translate")]
            Self::Msl => "metal",
            #[cfg(feature = "translate")]
            Self::Hlsl => "hlsl",
            #[cfg(feature = "translate")]
            Self::Glsl => "glsl",
        }
    }

    /// Whether it is a SPIR-V module or describes one, and not another shading language.
    pub(crate) fn is_module(self) -> bool {
        matches!(self, Self::Spirv | Self::Spvasm | Self::Ir | Self::Reflect)
    }

    /// Whether it is something that people read.
    pub(crate) fn is_text(self) -> bool {
        self != Self::Spirv
    }
}

/// Target environment.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TargetArg {
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
            TargetArg::Vulkan1_1 => Self::Vulkan1_1,
            TargetArg::Vulkan1_2 => Self::Vulkan1_2,
            TargetArg::Vulkan1_3 => Self::Vulkan1_3,
        }
    }
}

/// Rules for clip space.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ConventionsArg {
    /// Positions pass unchanged
    Vulkan,
    /// Depth is remapped
    Opengl,
}

impl From<ConventionsArg> for glasm::Conventions {
    fn from(conventions: ConventionsArg) -> Self {
        match conventions {
            ConventionsArg::Vulkan => Self::vulkan(),
            ConventionsArg::Opengl => Self::opengl(),
        }
    }
}

#[cfg(feature = "run")]
const RUN_HELP: &str = "\
Prints a line for each script: PASS, FAIL or SKIP, its name, the time, and reasons. A script is skipped if the
device lacks something that it requires. Scripts run in worker processes: one that crashes or hangs its process
has failed, with the signal and the last lines that the driver wrote, and the others run all the same.

With several devices, each has a column, and a ! marks the scripts on which they differ.

Exit status: 0 all scripts passed or were skipped, 1 a script failed, 2 nothing could run (wrong usage, no scripts,
no device, a report that cannot be written).

Examples:
  glasm run shaders/lit.shader_test --save-images out
  glasm run tests --device llvmpipe --jobs 4 --junit report.xml
  glasm run tests --filter atom --filter '!slow' --validation require
  glasm run tests --device all --json report.json
  glasm run tests --shard 2/3           the second third, on the second machine";

/// `glasm run`.
#[cfg(feature = "run")]
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Scripts, or folders that are searched for *.shader_test
    #[arg(required = true, value_name = "SCRIPT|DIR")]
    pub(crate) scripts: Vec<PathBuf>,
    /// Scripts that run at the same time; without it, as many as there are processor cores, at most 8
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Run only scripts whose path contains this text; `!TEXT` leaves out those that contain it. May be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Vec<String>,
    /// Run only part I of N: every N-th script of the sorted list, beginning with the I-th
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Print the paths of the scripts that would run
    #[arg(long)]
    pub(crate) list: bool,
    /// Begin no more scripts after the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// How often to try a script again that crashed, hung, or lost the device; the report tells of every attempt
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u8).range(0..=10))]
    pub(crate) retries: u8,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a report as a web page, with the pictures of scripts
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Print the N scripts that took longest
    #[arg(long, value_name = "N")]
    pub(crate) slowest: Option<usize>,
    /// Print where the time went
    #[arg(long)]
    pub(crate) timings: bool,
    /// How scripts run.
    #[command(flatten)]
    pub(crate) worker: WorkerArgs,
}

/// How scripts run: the options that worker processes get.
#[cfg(feature = "run")]
#[derive(Args, Clone, PartialEq, Debug)]
pub(crate) struct WorkerArgs {
    /// Number of the device, or a part of its name, or several of these with commas, or `all`; see `glasm devices`
    #[arg(long, value_name = "N|NAME,...|all")]
    pub(crate) device: Option<String>,
    /// Where scripts save their images
    #[arg(long, value_name = "DIR")]
    pub(crate) save_images: Option<PathBuf>,
    /// Where scripts that fail leave pictures: the framebuffer, and what differs from what was expected
    #[arg(long, value_name = "DIR")]
    pub(crate) failure_images: Option<PathBuf>,
    /// Validation layer: `require` fails without it, `auto` uses it if it is installed
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) validation: ValidationArg,
    /// A script that takes longer has failed
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub(crate) timeout: Duration,
    /// A draw or dispatch that takes longer has failed
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    pub(crate) draw_timeout: Duration,
    /// Write every SPIR-V module that the scripts use
    #[arg(long, value_name = "DIR")]
    pub(crate) module_dir: Option<PathBuf>,
    /// What the modules are compiled for; the newest target that the device takes if this is missing
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<TargetArg>,
}

#[cfg(feature = "run")]
impl WorkerArgs {
    /// The options for one of several devices: each has folders of its own for what its scripts write.
    pub(crate) fn for_device(&self, index: usize, name: Option<&str>) -> Self {
        let folder = |folder: &Option<PathBuf>| match (folder, name) {
            (Some(folder), Some(name)) => Some(folder.join(device_folder(index, name))),
            _ => folder.clone(),
        };
        Self {
            device: Some(index.to_string()),
            save_images: folder(&self.save_images),
            failure_images: folder(&self.failure_images),
            module_dir: folder(&self.module_dir),
            ..self.clone()
        }
    }

    /// The command line of a worker process with these options.
    pub(crate) fn command_line(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec!["run-worker".into()];
        let mut option = |name: &str, value: OsString| {
            // One word, so that no value is taken for an option.
            let mut word = OsString::from(name);
            word.push("=");
            word.push(value);
            line.push(word);
        };
        if let Some(device) = &self.device {
            option("--device", device.into());
        }
        if let Some(folder) = &self.save_images {
            option("--save-images", folder.into());
        }
        if let Some(folder) = &self.failure_images {
            option("--failure-images", folder.into());
        }
        if let Some(folder) = &self.module_dir {
            option("--module-dir", folder.into());
        }
        let value_name = |value: Option<PossibleValue>| {
            value.map_or_else(OsString::new, |value| value.get_name().into())
        };
        option(
            "--validation",
            value_name(self.validation.to_possible_value()),
        );
        if let Some(target) = self.target {
            option("--target", value_name(target.to_possible_value()));
        }
        let seconds = |time: Duration| time.as_secs_f64().to_string().into();
        option("--timeout", seconds(self.timeout));
        option("--draw-timeout", seconds(self.draw_timeout));
        line
    }
}

/// `1-llvmpipe` for `llvmpipe (LLVM 15, 256 bits)`.
#[cfg(feature = "run")]
fn device_folder(index: usize, name: &str) -> String {
    let word: String = name
        .chars()
        .take_while(|character| character.is_ascii_alphanumeric())
        .collect();
    format!("{index}-{word}")
}

/// Use of the validation layer.
#[cfg(feature = "run")]
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ValidationArg {
    /// If it is installed
    Auto,
    /// Always
    Require,
    /// Never
    Off,
}

/// One part of all scripts.
#[cfg(feature = "run")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    /// Which part, from 1.
    pub(crate) number: u16,
    /// Of how many.
    pub(crate) count: u16,
}

#[cfg(feature = "run")]
impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected I/N, such as 1/4, with I from 1 to N".to_owned();
        let (number, count) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Self {
            number: number.parse().map_err(|_| wrong())?,
            count: count.parse().map_err(|_| wrong())?,
        };
        match (1..=shard.count).contains(&shard.number) {
            true => Ok(shard),
            false => Err(wrong()),
        }
    }
}

#[cfg(feature = "run")]
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        return Err("expected more than 0 and at most 86400 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// `glasm explain`.
#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// An opcode such as MAD or an error code such as E0201
    #[arg(value_name = "OPCODE|ERROR-CODE")]
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

    #[cfg(feature = "run")]
    #[test]
    fn workers_get_the_options_of_the_run() {
        let words = [
            "glasm",
            "run",
            "x",
            "--device=-1",
            "--validation",
            "require",
            "--timeout",
            "0.25",
            "--module-dir",
            "m n",
            "--failure-images",
            "=f",
            "--draw-timeout",
            "3",
            "--target",
            "vulkan1.2",
        ];
        let Command::Run(run) = Cli::try_parse_from(words).unwrap().command else {
            panic!("not run")
        };
        let line = std::iter::once("glasm".into()).chain(run.worker.command_line());
        let Command::RunWorker(worker) = Cli::try_parse_from(line).unwrap().command else {
            panic!("not a worker")
        };
        assert_eq!(worker, run.worker);
        assert_eq!(worker.timeout, Duration::from_millis(250));
    }

    #[cfg(feature = "run")]
    #[test]
    fn devices_have_folders_of_their_own() {
        let words = ["glasm", "run", "x", "--save-images", "out"];
        let Command::Run(run) = Cli::try_parse_from(words).unwrap().command else {
            panic!("not run")
        };
        let name = "llvmpipe (LLVM 15, 256 bits)";
        let several = run.worker.for_device(1, Some(name));
        assert_eq!(several.save_images, Some("out/1-llvmpipe".into()));
        assert_eq!(
            (several.device.as_deref(), several.module_dir),
            (Some("1"), None)
        );
        let one = run.worker.for_device(1, None);
        assert_eq!(one.save_images, Some("out".into()));
    }

    #[cfg(feature = "run")]
    #[test]
    fn shards_are_numbered_from_one() {
        assert_eq!(
            "2/3".parse(),
            Ok(Shard {
                number: 2,
                count: 3
            })
        );
        for bad in ["", "1", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[cfg(feature = "run")]
    #[test]
    fn timeouts_are_positive_seconds() {
        assert_eq!(parse_seconds("1.5"), Ok(Duration::from_millis(1500)));
        for bad in ["0", "-1", "nan", "inf", "x", ""] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }
}
