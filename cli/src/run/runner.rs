//! Work of a worker process on a script: runs it with Vulkan or OpenGL, records it, or runs it
//! twice and compares.

use crate::args::{ApiArg, Comparing, SideArg, ThroughArg, ValidationArg, WorkerArgs};
use crate::report::Record;
use glasm_scripts::compare::recording::RecordingError;
use glasm_scripts::compare::{Comparison, Driver, Recording, compare, names};
use glasm_scripts::observation::Observe;
use glasm_scripts::outcome::{Outcome, ScriptReport};
use glasm_scripts::script::read_covers;
use glasm_scripts::timing::Timings;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A runner of scripts.
enum Runner {
    Vulkan(Box<glasm_vkrunner::Runner>),
    Gl(Box<glasm_glrunner::Runner>),
}

impl Runner {
    /// Opens a device; the best one unless one is named.
    fn open(
        api: ApiArg,
        device: Option<&str>,
        observe: Observe,
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

    fn driver(&self) -> Driver {
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

    fn run(&self, path: &Path) -> ScriptReport {
        match self {
            Self::Vulkan(runner) => runner.run_file(path),
            Self::Gl(runner) => runner.run_file(path),
        }
    }

    fn has_given_up_device(&self) -> bool {
        match self {
            Self::Vulkan(runner) => runner.gave_up_device(),
            // A driver of OpenGL that hangs blocks the whole process.
            Self::Gl(_) => false,
        }
    }
}

fn build_vulkan_options(
    device: Option<&str>,
    observe: Observe,
    args: &WorkerArgs,
) -> glasm_vkrunner::RunOptions {
    use glasm_vkrunner::{DeviceChoice, RunOptions, Validation, Withheld, Work};
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
        through: args.through.and_then(ThroughArg::to_vulkan),
        state: args.state.into(),
        // The command line has checked the names.
        without: Withheld::new(args.without.iter().map(String::as_str)).unwrap_or_default(),
        observe,
        work: Work::Done,
    }
}

fn build_gl_options(
    device: Option<&str>,
    observe: Observe,
    args: &WorkerArgs,
) -> glasm_glrunner::RunOptions {
    use glasm_glrunner::{DeviceChoice, RunOptions};
    RunOptions {
        device: device.map_or(DeviceChoice::Best, DeviceChoice::parse),
        save_images: args.save_images.clone(),
        failure_images: args.failure_images.clone(),
        through: args.through.and_then(ThroughArg::to_opengl),
        observe,
    }
}

/// One side of a comparison.
enum Side {
    Run(Runner),
    Recorded(PathBuf),
}

impl Side {
    fn open(side: &SideArg, args: &WorkerArgs) -> Result<Self, String> {
        match side {
            SideArg::Run(api, device) => {
                let runner = Runner::open(*api, device.as_deref(), Observe::On, args)?;
                Ok(Self::Run(runner))
            }
            SideArg::Recorded(folder) if folder.is_dir() => Ok(Self::Recorded(folder.clone())),
            SideArg::Recorded(folder) => Err(format!(
                "{} is no folder of recordings; sides are `gl`, `vulkan` and folders",
                folder.display()
            )),
        }
    }

    /// Returns the driver that runs scripts; for recordings an unnamed one.
    fn driver(&self) -> Driver {
        match self {
            Self::Run(runner) => runner.driver(),
            Self::Recorded(_) => Driver::default(),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Run(runner) => runner.driver().to_string(),
            Self::Recorded(folder) => format!("recordings in {}", folder.display()),
        }
    }

    /// Runs a script on the side, or reads its recording. Returns also the rest of the report if it
    /// has run.
    fn observe(&self, path: &Path) -> Seen {
        match self {
            Self::Run(runner) => {
                let mut report = runner.run(path);
                let recording = Recording::take(&runner.driver(), &mut report);
                Ok((recording, Some(report)))
            }
            Self::Recorded(folder) => Ok((Recording::find(folder, path)?, None)),
        }
    }
}

/// Work of a worker process.
pub(super) struct Work {
    task: Task,
    /// Name of the device that they run on.
    device: String,
}

enum Task {
    Run(Runner),
    /// Recording into this directory.
    Record(Runner, PathBuf),
    Compare(Box<[Side; 2]>),
}

impl Work {
    /// Opens the devices.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn start(args: &WorkerArgs) -> Result<Self, String> {
        if let Some(Comparing([a, b])) = &args.compare {
            let sides = [Side::open(a, args)?, Side::open(b, args)?];
            let device = format!("{}{BETWEEN}{}", sides[0].name(), sides[1].name());
            let task = Task::Compare(Box::new(sides));
            return Ok(Self { task, device });
        }
        let observe = match args.record {
            Some(_) => Observe::On,
            None => Observe::Off,
        };
        let runner = Runner::open(args.api, args.device.as_deref(), observe, args)?;
        let device = runner.driver().device;
        let task = match &args.record {
            Some(folder) => Task::Record(runner, folder.clone()),
            None => Task::Run(runner),
        };
        Ok(Self { task, device })
    }

    /// Returns the name of the device that scripts run on.
    pub(super) fn device(&self) -> &str {
        &self.device
    }

    /// Runs, records or compares a script.
    pub(super) fn run(&self, path: &Path) -> Record {
        match &self.task {
            Task::Run(runner) => Record::new(path, &self.device, runner.run(path)),
            Task::Record(runner, folder) => {
                let mut report = runner.run(path);
                let recording = Recording::take(&runner.driver(), &mut report);
                let mut record = Record::new(path, &self.device, report);
                if let Err(error) = recording.save(folder) {
                    record.fail(error.to_string());
                }
                record
            }
            Task::Compare(sides) => self.compare(sides, path),
        }
    }

    fn compare(&self, sides: &[Side; 2], path: &Path) -> Record {
        let start = Instant::now();
        let (mut timings, mut printed, mut covers) = (Timings::default(), Vec::new(), None);
        let first = sides[0].observe(path);
        let skipped = match &first {
            Ok((run, _)) => matches!(run.outcome, Outcome::Skip(_)),
            Err(_) => true,
        };
        let second = if skipped {
            // There is nothing to compare any more.
            Ok((Recording::unknown(sides[1].driver()), None))
        } else {
            sides[1].observe(path)
        };
        let seen = [first, second];
        let comparison = match &seen {
            [Ok((a, _)), Ok((b, _))] => compare(a, b),
            [a, b] => compare_missing([a, b]),
        };
        let names = names(&comparison.drivers);
        for (seen, name) in seen.into_iter().zip(names) {
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
        Record {
            duration_ms: start.elapsed().as_secs_f64() * 1e3,
            output: printed,
            covers,
            ..Record::from_comparison(path, &self.device, comparison)
        }
        .with_timings(&timings)
    }

    /// Returns true if the process can run no other script.
    pub(super) fn has_given_up_device(&self) -> bool {
        match &self.task {
            Task::Run(runner) | Task::Record(runner, _) => runner.has_given_up_device(),
            Task::Compare(sides) => sides.iter().any(|side| match side {
                Side::Run(runner) => runner.has_given_up_device(),
                Side::Recorded(_) => false,
            }),
        }
    }
}

/// Between the names of the two sides of a comparison.
pub(crate) const BETWEEN: &str = " against ";

/// Result of a side for a script, and the rest of the report if it has run.
type Seen = Result<(Recording, Option<ScriptReport>), RecordingError>;

/// Returns the comparison of a script of which a side has no recording, or an unreadable one.
fn compare_missing(seen: [&Seen; 2]) -> Comparison {
    let driver = |seen: &Seen| match seen {
        Ok((recording, _)) => recording.driver.clone(),
        Err(_) => Driver::default(),
    };
    let drivers = seen.map(driver);
    let mut errors = seen.iter().filter_map(|seen| seen.as_ref().err());
    match errors.next() {
        Some(error @ (RecordingError::File(_) | RecordingError::Text { .. })) => {
            Comparison::broken(drivers, error.to_string())
        }
        Some(error @ RecordingError::Missing(_)) => {
            Comparison::not_compared(drivers, error.to_string())
        }
        None => Comparison::not_compared(drivers, String::new()),
    }
}
