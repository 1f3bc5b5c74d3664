//! The command line of `glasm run` and of its worker processes, and of `glasm devices`.

use super::{StateSourceArg, TargetArg};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub(super) const RUN_HELP: &str = "\
Prints a line for each script: PASS, FAIL or SKIP, its name, the time, and reasons. A script is skipped if the
device does not support a feature that it requires. Scripts run in worker processes: one that crashes or hangs its
process has failed, with the signal and the last lines that the driver wrote, and the other scripts still run.

With several devices, each has a column, and a ! marks the scripts on which they differ.

With --compare every script runs twice, and all results of its programs are compared: framebuffers, buffers, images,
captured vertices, and the acceptance of programs. Lines begin with SAME, NEAR (within the tolerances of the script
or of GL), KNOWN (different, as --known-differences explains), DIFF or SKIP. A side is `gl` or `vulkan`, optionally with a colon
and the name or number of a device, or a directory that --record has written on another machine.

With --expected-failures, scripts of a list must fail (XFAIL): one that passes is a failure (XPASS), so that the list
remains up to date. Its lines are paths or patterns as in --known-differences, compared from their end; # starts a comment.

Exit status: 0 all scripts passed, were skipped or failed as expected, 1 a script failed or passed unexpectedly, two
sides differ, or --fail-on-skip found skipped ones, 2 the run failed (invalid usage, no scripts, no device, a report
that cannot be written). Without --fail-on-skip a run that skips everything ends with 0.

Examples:
  glasm run shaders/lit.shader_test --save-images out
  glasm run tests --device llvmpipe --jobs 4 --junit report.xml
  glasm run tests --filter atom --filter '!slow' --validation require
  glasm run tests --device all --json report.json
  glasm run tests --fail-on-skip=all --expected-failures known-bugs.txt
  glasm run tests --disable-feature shaderInt64 --disable-feature shaderFloat64
  glasm run tests --shard 2/3           the second third, on the second machine
  glasm run tests --compare gl,vulkan --known-differences known-differences.toml --comparison-report reference.md
  glasm run tests --api gl --record golden/card
  glasm run tests --compare golden/card,vulkan:lavapipe";

/// `glasm run`.
#[derive(Args, Debug)]
pub(crate) struct RunArgs {
    /// Scripts, or directories that are searched for *.shader_test
    #[arg(required = true, value_name = "SCRIPT|DIR")]
    pub(crate) scripts: Vec<PathBuf>,
    /// Number of scripts that run at the same time; without it, the number of processor cores, at
    /// most 8
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) jobs: Option<u16>,
    /// Run only scripts whose path contains this string; `!TEXT` excludes those that contain it.
    /// May be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Vec<String>,
    /// Run only part I of N: every N-th script of the sorted list, starting with the I-th
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Print the paths of the scripts that would run
    #[arg(long)]
    pub(crate) list: bool,
    /// Start no more scripts after the first failure
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// Number of further attempts for a script that crashed, hung, or lost the device; the report
    /// lists every attempt
    #[arg(long, value_name = "N", default_value = "0", value_parser = clap::value_parser!(u8).range(0..=10))]
    pub(crate) retries: u8,
    /// Fail if scripts are skipped: `any` (also without a word) if one is, `all` if a device skips
    /// every script
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    pub(crate) fail_on_skip: Option<FailOnSkip>,
    /// Scripts that are expected to fail, a path or pattern on each line; see docs/scripts.md
    #[arg(long, value_name = "FILE", conflicts_with = "compare")]
    pub(crate) expected_failures: Option<PathBuf>,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a report as a web page, with the images of scripts
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// With --compare: known differences, as TOML; see docs/comparing.md
    #[arg(
        long = "known-differences",
        alias = "known",
        value_name = "FILE",
        requires = "compare"
    )]
    pub(crate) known: Option<PathBuf>,
    /// With --compare: write the results of the comparison, as Markdown
    #[arg(
        long = "comparison-report",
        alias = "report",
        value_name = "FILE",
        requires = "compare"
    )]
    pub(crate) report: Option<PathBuf>,
    /// Print the N slowest scripts
    #[arg(long, value_name = "N")]
    pub(crate) slowest: Option<usize>,
    /// Print the time of each phase
    #[arg(long)]
    pub(crate) timings: bool,
    /// Options for running scripts.
    #[command(flatten)]
    pub(crate) worker: WorkerArgs,
}

/// Options for running scripts, which worker processes get.
#[derive(Args, Clone, PartialEq, Debug)]
pub(crate) struct WorkerArgs {
    /// API that runs the scripts
    #[arg(long, value_name = "API", default_value = "vulkan")]
    pub(crate) api: ApiArg,
    /// Run each script on two sides and compare the results; a side is gl, vulkan, or a directory
    /// of recordings
    #[arg(long, value_name = "A,B", conflicts_with_all = ["api", "device", "record"])]
    pub(crate) compare: Option<ComparedSides>,
    /// Write the results of scripts, a text file for each, to compare other runs with
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    /// Number of the device, or a part of its name, or several of these with commas, or `all`; see
    /// `glasm devices`
    #[arg(long, value_name = "N|NAME,...|all")]
    pub(crate) device: Option<String>,
    /// Directory for images that scripts save
    #[arg(long, value_name = "DIR")]
    pub(crate) save_images: Option<PathBuf>,
    /// Directory for images of failed scripts: the framebuffer, and the differences from the
    /// expected one
    #[arg(long, value_name = "DIR")]
    pub(crate) failure_images: Option<PathBuf>,
    /// Validation layer: `require` fails without it, `auto` uses it if it is installed
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) validation: ValidationArg,
    /// Time limit of a script, which fails if it takes longer; up to 8 times as long if it has to
    /// wait for the CPU
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    pub(crate) timeout: Duration,
    /// Time limit of a draw or dispatch, extended in the same way
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_seconds)]
    pub(crate) draw_timeout: Duration,
    /// Write every SPIR-V module that the scripts use to DIR
    #[arg(long = "dump-modules", alias = "module-dir", value_name = "DIR")]
    pub(crate) module_dir: Option<PathBuf>,
    /// On Vulkan: skip scripts all of whose modules another run has written to DIR with
    /// --dump-modules
    #[arg(
        long = "skip-known-modules",
        alias = "known-modules",
        value_name = "DIR"
    )]
    pub(crate) known_modules: Option<PathBuf>,
    /// Environment that the modules are compiled for; without it, the newest target that the device
    /// supports
    #[arg(long, value_name = "TARGET")]
    pub(crate) target: Option<TargetArg>,
    /// Write every assembly program in this language, and run the result of compiling that
    #[arg(long = "round-trip", alias = "through", value_name = "LANGUAGE")]
    pub(crate) through: Option<RoundTripArg>,
    /// On Vulkan: source of the GL state that programs depend on, in modules
    #[arg(
        long = "state-source",
        alias = "state",
        value_name = "SOURCE",
        default_value = "compile-time"
    )]
    pub(crate) state: StateSourceArg,
    /// On Vulkan: compile for a device without this feature, `shaderInt64` for example; may be
    /// repeated. Scripts whose programs require it are skipped
    #[arg(long = "disable-feature", alias = "without", value_name = "FEATURE", value_parser = parse_feature, conflicts_with = "through")]
    pub(crate) without: Vec<String>,
}

impl WorkerArgs {
    /// Returns the options for a script that saves images to a directory, on a device with a name
    /// or number, with the defaults of `glasm run` otherwise.
    pub(crate) fn for_drawing(device: Option<String>, images: PathBuf) -> Self {
        Self {
            api: ApiArg::Vulkan,
            compare: None,
            record: None,
            device,
            save_images: Some(images),
            failure_images: None,
            validation: ValidationArg::Off,
            timeout: Duration::from_secs(600),
            draw_timeout: Duration::from_secs(30),
            module_dir: None,
            known_modules: None,
            target: None,
            through: None,
            state: StateSourceArg::Fixed,
            without: Vec::new(),
        }
    }

    /// Returns the options for the device with an index. If a name is given, because there are
    /// several devices, each has separate directories for the output of its scripts, named after
    /// it.
    pub(crate) fn with_device(&self, index: usize, name: Option<&str>) -> Self {
        let for_device = |dir: &Option<PathBuf>| match (dir, name) {
            (Some(dir), Some(name)) => Some(dir.join(format_device_dir_name(index, name))),
            _ => dir.clone(),
        };
        Self {
            device: Some(index.to_string()),
            save_images: for_device(&self.save_images),
            failure_images: for_device(&self.failure_images),
            module_dir: for_device(&self.module_dir),
            record: for_device(&self.record),
            ..self.clone()
        }
    }

    /// Returns the arguments of a worker process with these options: the subcommand `run-worker`,
    /// and each option as one word.
    pub(crate) fn build_command_line(&self) -> Vec<OsString> {
        let mut line: Vec<OsString> = vec!["run-worker".into()];
        let mut option = |name: &str, value: OsString| {
            // One word, so that no value is parsed as an option.
            let mut word = OsString::from(name);
            word.push("=");
            word.push(value);
            line.push(word);
        };
        let value_name = |value: Option<PossibleValue>| {
            value.map_or_else(OsString::new, |value| value.get_name().into())
        };
        match &self.compare {
            Some(sides) => option("--compare", sides.to_string().into()),
            None => option("--api", value_name(self.api.to_possible_value())),
        }
        if let Some(dir) = &self.record {
            option("--record", dir.into());
        }
        if let Some(device) = &self.device {
            option("--device", device.into());
        }
        if let Some(dir) = &self.save_images {
            option("--save-images", dir.into());
        }
        if let Some(dir) = &self.failure_images {
            option("--failure-images", dir.into());
        }
        if let Some(dir) = &self.module_dir {
            option("--dump-modules", dir.into());
        }
        if let Some(dir) = &self.known_modules {
            option("--skip-known-modules", dir.into());
        }
        option(
            "--validation",
            value_name(self.validation.to_possible_value()),
        );
        if let Some(target) = self.target {
            option("--target", value_name(target.to_possible_value()));
        }
        if let Some(language) = self.through {
            option("--round-trip", value_name(language.to_possible_value()));
        }
        option("--state-source", value_name(self.state.to_possible_value()));
        for feature in &self.without {
            option("--disable-feature", feature.into());
        }
        let seconds = |time: Duration| time.as_secs_f64().to_string().into();
        option("--timeout", seconds(self.timeout));
        option("--draw-timeout", seconds(self.draw_timeout));
        line
    }
}

/// Returns the name of a feature that can be disabled in the compiler; for others an error that
/// lists the valid names.
fn parse_feature(name: &str) -> Result<String, String> {
    glasm_vkrunner::DisabledFeatures::new([name]).map(|_| name.to_owned())
}

/// A language that programs are written in on their way to the device.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RoundTripArg {
    /// SPIR-V for OpenGL, with `--api gl`
    Spirv,
    /// GLSL for Vulkan, compiled by glslangValidator; with `--api gl` that of OpenGL
    Glsl,
    /// WGSL, compiled by naga; scripts with programs that it cannot express exactly are skipped
    Wgsl,
}

impl RoundTripArg {
    /// Returns the language that the Vulkan runner translates programs to and back; `None` for
    /// SPIR-V, which Vulkan receives in any case.
    pub(crate) fn to_vulkan(self) -> Option<glasm_vkrunner::TextRoundTrip> {
        match self {
            // Vulkan gets SPIR-V in any case.
            Self::Spirv => None,
            Self::Glsl => Some(glasm_vkrunner::TextRoundTrip::Glsl),
            Self::Wgsl => Some(glasm_vkrunner::TextRoundTrip::Wgsl),
        }
    }

    /// Returns the form of modules for the OpenGL runner; `None` for WGSL, which OpenGL does not
    /// accept, so that the driver gets the programs unchanged.
    pub(crate) fn to_opengl(self) -> Option<glasm_glrunner::ModuleForm> {
        match self {
            Self::Spirv => Some(glasm_glrunner::ModuleForm::Spirv),
            Self::Glsl => Some(glasm_glrunner::ModuleForm::Glsl),
            // OpenGL has no such language: the driver gets the programs unchanged.
            Self::Wgsl => None,
        }
    }
}

/// API that runs scripts.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ApiArg {
    /// Vulkan, with modules that glasm has compiled
    Vulkan,
    /// OpenGL, whose driver compiles the programs itself
    Gl,
}

/// The two sides of a comparison. Displays in the form of the command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ComparedSides(pub(crate) [SideArg; 2]);

/// One side of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SideArg {
    /// Runs of scripts on a device: on the named one, or the best one.
    Run(ApiArg, Option<String>),
    /// Recordings in a directory.
    Recorded(PathBuf),
}

impl FromStr for ComparedSides {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let err_usage =
            || "expected two sides with a comma between them, such as gl,vulkan".to_owned();
        let (a, b) = text.split_once(',').ok_or_else(err_usage)?;
        if [a, b]
            .iter()
            .any(|side| side.is_empty() || side.contains(','))
        {
            return Err(err_usage());
        }
        Ok(Self([a, b].map(SideArg::parse)))
    }
}

impl SideArg {
    /// Parses one side of a comparison: `gl` or `vulkan`, optionally followed by `:DEVICE`. Any
    /// other string is the path of a directory of recordings.
    fn parse(text: &str) -> Self {
        let (word, device) = match text.split_once(':') {
            Some((word, device)) => (word, Some(device.to_owned())),
            None => (text, None),
        };
        match word {
            "gl" => Self::Run(ApiArg::Gl, device),
            "vulkan" => Self::Run(ApiArg::Vulkan, device),
            _ => Self::Recorded(text.into()),
        }
    }
}

impl fmt::Display for ComparedSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b] = &self.0;
        write!(f, "{a},{b}")
    }
}

impl fmt::Display for SideArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (api, device) = match self {
            Self::Recorded(dir) => return write!(f, "{}", dir.display()),
            Self::Run(ApiArg::Gl, device) => ("gl", device),
            Self::Run(ApiArg::Vulkan, device) => ("vulkan", device),
        };
        match device {
            Some(device) => write!(f, "{api}:{device}"),
            None => f.write_str(api),
        }
    }
}

/// `glasm devices`.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DevicesArgs {
    /// Whose devices
    #[arg(long, value_name = "API", default_value = "vulkan")]
    pub(crate) api: ApiArg,
}

impl DevicesArgs {
    /// Returns the arguments of a process that lists the devices: the subcommand `run-devices` and
    /// the API.
    pub(crate) fn build_command_line(self) -> Vec<OsString> {
        let api = self.api.to_possible_value();
        let api = api.map_or_else(String::new, |value| value.get_name().to_owned());
        vec!["run-devices".into(), format!("--api={api}").into()]
    }
}

/// Returns the directory name of a device, its index and the first word of its name: `1-llvmpipe`
/// for `llvmpipe (LLVM 15, 256 bits)`.
fn format_device_dir_name(index: usize, name: &str) -> String {
    let word: String = name
        .chars()
        .take_while(|character| character.is_ascii_alphanumeric())
        .collect();
    format!("{index}-{word}")
}

/// Skipped scripts that are a failure.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailOnSkip {
    /// Any of them
    Any,
    /// All of them, on one of the devices
    All,
}

/// Use of the validation layer.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shard {
    /// Number of the part, from 1.
    pub(crate) number: u16,
    /// Number of parts.
    pub(crate) count: u16,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let err_usage = || "expected I/N, such as 1/4, with I from 1 to N".to_owned();
        let (number, count) = text.split_once('/').ok_or_else(err_usage)?;
        let shard = Self {
            number: number.parse().map_err(|_| err_usage())?,
            count: count.parse().map_err(|_| err_usage())?,
        };
        if (1..=shard.count).contains(&shard.number) {
            Ok(shard)
        } else {
            Err(err_usage())
        }
    }
}

/// Parses a duration in seconds; an error if it is not more than 0 and at most one day.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "expected a number of seconds".to_owned())?;
    if !(seconds > 0.0 && seconds <= 86_400.0) {
        return Err("expected more than 0 and at most 86400 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::super::{Cli, Command};
    use super::*;
    use clap::Parser;

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
            "--dump-modules",
            "m n",
            "--skip-known-modules",
            "k",
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
        let line = std::iter::once("glasm".into()).chain(run.worker.build_command_line());
        let Command::RunWorker(worker) = Cli::try_parse_from(line).unwrap().command else {
            panic!("not a worker")
        };
        assert_eq!(worker, run.worker);
        assert_eq!(worker.timeout, Duration::from_millis(250));
    }

    #[test]
    fn devices_have_directories_of_their_own() {
        let words = ["glasm", "run", "x", "--save-images", "out"];
        let Command::Run(run) = Cli::try_parse_from(words).unwrap().command else {
            panic!("not run")
        };
        let name = "llvmpipe (LLVM 15, 256 bits)";
        let several = run.worker.with_device(1, Some(name));
        assert_eq!(several.save_images, Some("out/1-llvmpipe".into()));
        assert_eq!(
            (several.device.as_deref(), several.module_dir),
            (Some("1"), None)
        );
        let one = run.worker.with_device(1, None);
        assert_eq!(one.save_images, Some("out".into()));
    }

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

    #[test]
    fn timeouts_are_positive_seconds() {
        assert_eq!(parse_seconds("1.5"), Ok(Duration::from_millis(1500)));
        for bad in ["0", "-1", "nan", "inf", "x", ""] {
            assert!(parse_seconds(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sides_are_devices_or_directories() {
        let parse = |text: &str| text.parse::<ComparedSides>();
        let gl = SideArg::Run(ApiArg::Gl, None);
        let lavapipe = SideArg::Run(ApiArg::Vulkan, Some("lavapipe".into()));
        let dir = |path: &str| SideArg::Recorded(path.into());
        for (text, sides) in [
            ("gl,vulkan:lavapipe", [gl.clone(), lavapipe]),
            ("tests/golden,gl", [dir("tests/golden"), gl.clone()]),
            ("./gl,gl", [dir("./gl"), gl]),
        ] {
            let comparing = parse(text).unwrap();
            assert_eq!(comparing.0, sides);
            assert_eq!(comparing.to_string(), text);
        }
        for bad in ["", "gl", "gl,", ",gl", "gl,vulkan,gl"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn comparisons_name_their_devices_themselves() {
        let parse = |words: &[&str]| {
            let words = ["glasm", "run", "x"].iter().chain(words);
            Cli::try_parse_from(words).map(|_| ())
        };
        assert!(
            parse(&[
                "--compare",
                "gl,vulkan",
                "--known-differences",
                "k",
                "--comparison-report",
                "r"
            ])
            .is_ok()
        );
        assert!(parse(&["--api", "gl", "--record", "r", "--device", "0"]).is_ok());
        assert!(parse(&["--fail-on-skip", "--expected-failures", "f"]).is_ok());
        assert!(parse(&["--fail-on-skip=all"]).is_ok());
        for bad in [
            &["--compare", "gl,vulkan", "--expected-failures", "f"][..],
            &["--fail-on-skip=some"],
            &["--compare", "gl,vulkan", "--device", "0"],
            &["--compare", "gl,vulkan", "--api", "gl"],
            &["--compare", "gl,vulkan", "--record", "r"],
            &["--known-differences", "k"],
            &["--comparison-report", "r"],
        ] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
