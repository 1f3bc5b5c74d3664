//! Work of a worker process on a script: runs it with Vulkan or OpenGL, records it, or runs it
//! twice and compares.

use crate::args::{ApiArg, ComparedSides, RoundTripArg, SideArg, ValidationArg, WorkerArgs};
use crate::report::ScriptResult;
use crate::trace::{CommandTrace, trace_commands};
use glasm_scripts::compare::recording::RecordingError;
use glasm_scripts::compare::{Driver, Recording, RunComparison, compare_runs, run_names};
use glasm_scripts::observation::ObservationMode;
use glasm_scripts::results::{Outcome, ScriptReport};
use glasm_scripts::script::{Script, read_covers};
use glasm_scripts::timing::Timings;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A runner of scripts.
enum Runner {
    Vulkan(Box<glasm_vkrunner::Runner>),
    Gl(Box<glasm_glrunner::Runner>),
}

impl Runner {
    /// Opens a device of an API: the one with a name or index, or the best one. Returns the message
    /// of the runner if there is none.
    fn open(
        api: ApiArg,
        device: Option<&str>,
        observe: ObservationMode,
        args: &WorkerArgs,
    ) -> Result<Self, String> {
        match api {
            ApiArg::Vulkan => {
                let runner =
                    glasm_vkrunner::Runner::new(&build_vulkan_options(device, observe, args));
                let runner = runner.map_err(|error| error.to_string())?;
                Ok(Self::Vulkan(Box::new(runner)))
            }
            ApiArg::Gl => {
                let runner = glasm_glrunner::Runner::new(&build_gl_options(device, observe, args));
                let runner = runner.map_err(|error| error.to_string())?;
                Ok(Self::Gl(Box::new(runner)))
            }
        }
    }

    /// Returns the API, device and driver of the side.
    fn driver_info(&self) -> Driver {
        let (api, device, driver) = match self {
            Self::Vulkan(runner) => {
                let info = runner.device_info();
                ("vulkan", &info.name, &info.driver)
            }
            Self::Gl(runner) => {
                let info = runner.device_info();
                ("gl", &info.name, &info.driver)
            }
        };
        Driver {
            api: api.to_owned(),
            device: device.clone(),
            driver: driver.clone(),
        }
    }

    /// Runs the script in a file on the device of the runner.
    fn run_script(&self, path: &Path) -> ScriptReport {
        match self {
            Self::Vulkan(runner) => runner.run_file(path),
            Self::Gl(runner) => runner.run_file(path),
        }
    }

    /// Runs a script that was built from the one in a file.
    fn run_parsed(&self, path: &Path, script: &Script) -> ScriptReport {
        match self {
            Self::Vulkan(runner) => runner.run_parsed(path, script),
            Self::Gl(runner) => runner.run_parsed(path, script),
        }
    }

    /// Returns true if the runner has abandoned a device that hangs or is lost, so that the process
    /// should end. False for OpenGL, whose drivers block the whole process if they hang.
    fn has_given_up_device(&self) -> bool {
        match self {
            Self::Vulkan(runner) => runner.gave_up_device(),
            // A driver of OpenGL that hangs blocks the whole process.
            Self::Gl(_) => false,
        }
    }
}

/// Returns the options of the Vulkan runner that the command line specifies.
fn build_vulkan_options(
    device: Option<&str>,
    observe: ObservationMode,
    args: &WorkerArgs,
) -> glasm_vkrunner::RunOptions {
    use glasm_vkrunner::{DeviceChoice, DisabledFeatures, ExecutionMode, RunOptions, Validation};
    RunOptions {
        device: device.map_or(DeviceChoice::Best, DeviceChoice::parse),
        validation: match args.validation {
            ValidationArg::Auto => Validation::Auto,
            ValidationArg::Require => Validation::Require,
            ValidationArg::Off => Validation::Off,
        },
        save_images: args.save_images.clone(),
        failure_images: args.failure_images.clone(),
        module_dir: args.module_dir.clone(),
        known_modules: args.known_modules.clone(),
        timeout: args.draw_timeout,
        script_timeout: args.timeout,
        target: args.target.map(Into::into),
        text_round_trip: args.through.and_then(RoundTripArg::to_vulkan),
        state: args.state.into(),
        // The command line has checked the names.
        disabled_features: DisabledFeatures::new(args.without.iter().map(String::as_str))
            .unwrap_or_default(),
        observe,
        execution_mode: ExecutionMode::Execute,
    }
}

/// Returns the options of the OpenGL runner that the command line specifies. Validation, target,
/// state, disabled features and time limits do not apply to it.
fn build_gl_options(
    device: Option<&str>,
    observe: ObservationMode,
    args: &WorkerArgs,
) -> glasm_glrunner::RunOptions {
    use glasm_glrunner::{DeviceChoice, RunOptions};
    RunOptions {
        device: device.map_or(DeviceChoice::Best, DeviceChoice::parse),
        save_images: args.save_images.clone(),
        failure_images: args.failure_images.clone(),
        module_form: args.through.and_then(RoundTripArg::to_opengl),
        observe,
    }
}

/// One side of a comparison.
enum Side {
    Run(Runner),
    Recorded(PathBuf),
}

impl Side {
    /// Opens the device of one side of a comparison. Returns an error if there is none, or if a
    /// directory of recordings does not exist.
    fn open(side: &SideArg, args: &WorkerArgs) -> Result<Self, String> {
        match side {
            SideArg::Run(api, device) => {
                let runner = Runner::open(*api, device.as_deref(), ObservationMode::On, args)?;
                Ok(Self::Run(runner))
            }
            SideArg::Recorded(dir) if dir.is_dir() => Ok(Self::Recorded(dir.clone())),
            SideArg::Recorded(dir) => Err(format!(
                "{} is not a directory of recordings; sides are `gl`, `vulkan` and directories",
                dir.display()
            )),
        }
    }

    /// Returns the driver that runs scripts; an empty one for recordings.
    fn driver_info(&self) -> Driver {
        match self {
            Self::Run(runner) => runner.driver_info(),
            Self::Recorded(_) => Driver::default(),
        }
    }

    /// Returns the name of the side for reports: the driver, or the directory of recordings.
    fn name(&self) -> String {
        match self {
            Self::Run(runner) => runner.driver_info().to_string(),
            Self::Recorded(dir) => format!("recordings in {}", dir.display()),
        }
    }

    /// Runs a script on the side, or reads its recording. Returns the recording and, if the script
    /// has run, its report without observations and verdicts.
    fn observe_script(&self, path: &Path) -> SideResult {
        match self {
            Self::Run(runner) => {
                let mut report = runner.run_script(path);
                let recording = Recording::from_report(&runner.driver_info(), &mut report);
                Ok((recording, Some(report)))
            }
            Self::Recorded(dir) => Ok((Recording::find(dir, path)?, None)),
        }
    }
}

/// Work of a worker process.
pub(super) struct WorkerJob {
    task: JobKind,
    /// Options of the runner that observes the results of traced scripts.
    args: WorkerArgs,
    /// Name of the device that they run on.
    device: String,
}

enum JobKind {
    Run(Runner),
    /// Recording into this directory.
    Record(Runner, PathBuf),
    Compare(Box<[Side; 2]>),
}

impl WorkerJob {
    /// Opens the device of the worker, or both sides of a comparison.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn open(args: &WorkerArgs) -> Result<Self, String> {
        if let Some(ComparedSides([a, b])) = &args.compare {
            let sides = [Side::open(a, args)?, Side::open(b, args)?];
            let device = format!("{}{SIDE_SEPARATOR}{}", sides[0].name(), sides[1].name());
            let task = JobKind::Compare(Box::new(sides));
            let args = args.clone();
            return Ok(Self { task, args, device });
        }
        let observe = match args.record {
            Some(_) => ObservationMode::On,
            None => ObservationMode::Off,
        };
        let runner = Runner::open(args.api, args.device.as_deref(), observe, args)?;
        let device = runner.driver_info().device;
        let task = match &args.record {
            Some(dir) => JobKind::Record(runner, dir.clone()),
            None => JobKind::Run(runner),
        };
        let args = args.clone();
        Ok(Self { task, args, device })
    }

    /// Returns the name of the device that scripts run on.
    pub(super) fn device(&self) -> &str {
        &self.device
    }

    /// Runs a script, records it or compares two runs of it, according to the command line. A
    /// recording that cannot be written is a failure of the script.
    pub(super) fn run_script(&self, path: &Path) -> ScriptResult {
        match &self.task {
            JobKind::Run(runner) => {
                let report = runner.run_script(path);
                ScriptResult {
                    traces: self.trace_commands(path),
                    ..ScriptResult::new(path, &self.device, report)
                }
            }
            JobKind::Record(runner, dir) => {
                let mut report = runner.run_script(path);
                let recording = Recording::from_report(&runner.driver_info(), &mut report);
                let mut record = ScriptResult::new(path, &self.device, report);
                if let Err(error) = recording.save(dir) {
                    record.add_failure(error.to_string());
                }
                record
            }
            JobKind::Compare(sides) => self.compare_script(sides, path),
        }
    }

    /// Returns the traces that commands of a script request, compared with a second run of the script
    /// that observes its results.
    fn trace_commands(&self, path: &Path) -> Vec<CommandTrace> {
        if self.has_given_up_device() {
            return Vec::new();
        }
        let args = WorkerArgs {
            save_images: None,
            failure_images: None,
            ..self.args.clone()
        };
        let mut observing: Option<Runner> = None;
        trace_commands(path, &mut |path, script| {
            let runner = match &observing {
                Some(runner) => runner,
                None => {
                    let mode = ObservationMode::On;
                    let runner = Runner::open(args.api, args.device.as_deref(), mode, &args)?;
                    observing.insert(runner)
                }
            };
            Ok((runner.driver_info().device, runner.run_parsed(path, script)))
        })
    }

    /// Runs a script on both sides, or reads recordings, and returns the result of the comparison,
    /// with the output of both sides. If the first side skips the script or has no recording, the
    /// second does not run it.
    fn compare_script(&self, sides: &[Side; 2], path: &Path) -> ScriptResult {
        let start = Instant::now();
        let (mut timings, mut printed, mut covers) = (Timings::default(), Vec::new(), None);
        let first = sides[0].observe_script(path);
        let skipped = match &first {
            Ok((run, _)) => matches!(run.outcome, Outcome::Skip(_)),
            Err(_) => true,
        };
        let second = if skipped {
            // There is nothing to compare any more.
            Ok((Recording::not_run(sides[1].driver_info()), None))
        } else {
            sides[1].observe_script(path)
        };
        let side_results = [first, second];
        let comparison = match &side_results {
            [Ok((a, _)), Ok((b, _))] => compare_runs(a, b),
            [a, b] => compare_missing([a, b]),
        };
        let names = run_names(&comparison.drivers);
        for (seen, name) in side_results.into_iter().zip(names) {
            if let Ok((_, Some(report))) = seen {
                timings += &report.timings;
                let lines = report.printed.into_iter();
                printed.extend(lines.map(|line| format!("{name}: {line}")));
                covers.get_or_insert(report.covers);
            }
        }
        // If both sides are recorded, the script has not been read.
        let covers = covers.unwrap_or_else(|| {
            let text = std::fs::read(path);
            read_covers(&text.unwrap_or_default())
        });
        ScriptResult {
            duration_ms: start.elapsed().as_secs_f64() * 1e3,
            output: printed,
            covered_features: covers,
            ..ScriptResult::from_comparison(path, &self.device, comparison)
        }
        .with_timings(&timings)
    }

    /// Returns true if the process can run no other script.
    pub(super) fn has_given_up_device(&self) -> bool {
        match &self.task {
            JobKind::Run(runner) | JobKind::Record(runner, _) => runner.has_given_up_device(),
            JobKind::Compare(sides) => sides.iter().any(|side| match side {
                Side::Run(runner) => runner.has_given_up_device(),
                Side::Recorded(_) => false,
            }),
        }
    }
}

/// Between the names of the two sides of a comparison.
pub(crate) const SIDE_SEPARATOR: &str = " against ";

/// Result of a side for a script, and the rest of the report if it has run.
type SideResult = Result<(Recording, Option<ScriptReport>), RecordingError>;

/// Returns the comparison of a script of which a side has no recording, which is not compared, or
/// an unreadable one, which is a failure.
fn compare_missing(seen: [&SideResult; 2]) -> RunComparison {
    let driver = |seen: &SideResult| match seen {
        Ok((recording, _)) => recording.driver.clone(),
        Err(_) => Driver::default(),
    };
    let drivers = seen.map(driver);
    let mut errors = seen.iter().filter_map(|seen| seen.as_ref().err());
    match errors.next() {
        Some(error @ (RecordingError::File(_) | RecordingError::Text { .. })) => {
            RunComparison::from_failure(drivers, error.to_string())
        }
        Some(error @ RecordingError::Missing(_)) => {
            RunComparison::not_compared(drivers, error.to_string())
        }
        None => RunComparison::not_compared(drivers, String::new()),
    }
}
