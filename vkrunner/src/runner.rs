//! Runs scripts sequentially on one device.

use crate::error::Error;
use crate::execute;
use crate::external_tools::Tools;
use crate::options::RunOptions;
use crate::programs::{CompileContext, Module, ModuleSet, Refusal};
use crate::requirements::{exclusion_reason, skip_reason};
use crate::vk::{Buffer, Device, DeviceInfo, Instance, PhysicalDevice};
use glasm::{StateSources, Target};
use glasm_scripts::observation::ObservationMode;
use glasm_scripts::results::{Failure, Outcome, ScriptReport};
use glasm_scripts::results::{FileError, OutputFiles, Results, flatten_path, run_and_report};
use glasm_scripts::runner::DeviceChoice;
use glasm_scripts::script::{MAX_STATES, ProgramState, Script};
use glasm_scripts::timing::{Clock, Phase};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;

/// Returns the devices that scripts can run on: those of Vulkan 1.1 and later that can draw and
/// compute.
///
/// # Errors
/// If Vulkan is not installed or fails.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    let instance = Instance::new(crate::Validation::Off)?;
    let devices = PhysicalDevice::enumerate(&instance)?.into_iter();
    Ok(devices.map(|device| device.info).collect())
}

/// Runs scripts on one device, which is opened once. A runner is bound to its thread; several can
/// run in parallel.
///
/// Drop it before the process begins to end, or never: drivers run exit handlers, and closing a
/// device on another thread at the same time crashes some of them (lavapipe aborts in a few of a
/// hundred runs). Runners in thread-local variables are a risk: [`std::thread::scope`] does not
/// wait for their destructors.
pub struct Runner {
    options: RunOptions,
    target: Target,
    physical: PhysicalDevice,
    /// `None` until a script needs it, and after one has lost it.
    device: RefCell<Option<OpenDevice>>,
    gave_up_device: Cell<bool>,
    clock: Rc<Clock>,
    tools: Tools,
    instance: Rc<Instance>,
}

/// Device of a runner, with all objects that scripts leave for the next ones.
struct OpenDevice(Rc<Device>);

impl Drop for OpenDevice {
    fn drop(&mut self) {
        self.0.clear_pool();
    }
}

impl Runner {
    /// Chooses and opens the device.
    ///
    /// # Errors
    /// If no device matches the options, or Vulkan fails.
    pub fn new(options: &RunOptions) -> Result<Self, Error> {
        let instance = Rc::new(Instance::new(options.validation)?);
        let physical = choose_device(PhysicalDevice::enumerate(&instance)?, &options.device)?;
        let best = physical.capabilities.best_target();
        let target = options.target.unwrap_or(best);
        if target > best {
            return Err(Error::TargetTooNew(physical.info.api_version));
        }
        let runner = Self {
            options: options.clone(),
            target,
            physical,
            device: RefCell::new(None),
            gave_up_device: Cell::new(false),
            clock: Clock::new(),
            tools: Tools::default(),
            instance,
        };
        runner.open_device(&BTreeSet::new())?;
        Ok(runner)
    }

    /// Returns the device that scripts run on.
    pub fn device_info(&self) -> &DeviceInfo {
        &self.physical.info
    }

    /// Returns the target that programs are compiled for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// Returns true if the validation layer is loaded.
    pub fn validates(&self) -> bool {
        self.instance.validates()
    }

    /// Returns true if a script timed out or lost the device. The next script uses a new device,
    /// but the old one may continue to work until the process ends, and devices that consist of
    /// threads then have fewer of them: callers should continue in a new process if they can.
    pub fn gave_up_device(&self) -> bool {
        self.gave_up_device.get()
    }

    /// Reads and runs a script. All errors, even panics, are in the report. Closes the device after
    /// a panic, because its state is unknown then.
    pub fn run_file(&self, path: &Path) -> ScriptReport {
        let run = |name: &str, text: &[u8]| self.run_text(name, text);
        run_and_report(path, &self.clock, run, || {
            // The state of the device is unknown after a panic.
            *self.device.borrow_mut() = None;
        })
    }

    /// Runs a script that was built from the one in a file. All errors are in the report, as those of
    /// [`Self::run_file`].
    pub fn run_parsed(&self, path: &Path, script: &Script) -> ScriptReport {
        let run = |name: &str, _: &[u8]| self.run_script(name, script);
        run_and_report(path, &self.clock, run, || {
            *self.device.borrow_mut() = None;
        })
    }

    /// Parses a script and runs it; errors of its parsing are failures of the results. `name` is
    /// that of the script in file names.
    fn run_text(&self, name: &str, text: &[u8]) -> (Outcome, Results) {
        let parsed = {
            let _phase = self.clock.enter(Phase::Parse);
            Script::parse_runnable(text)
        };
        match parsed {
            Ok(script) => self.run_script(name, &script),
            Err(errors) => with_outcome(Results::from_parse_errors(errors)),
        }
    }

    /// Compiles the programs of a script for all its states and runs its commands on the device.
    /// Returns the outcome and the results; a skip if the script excludes the device, the device
    /// cannot run it, or its modules are known already. If it expects errors, only these are
    /// checked.
    fn run_script(&self, name: &str, script: &Script) -> (Outcome, Results) {
        let capabilities = &self.physical.capabilities;
        let states = script.program_states();
        let loaded: Vec<_> = states
            .iter()
            .map(|state| (state, script.with_loaded_programs(&state.loaded)))
            .collect();
        let context = |number: usize| CompileContext {
            name,
            script: &loaded[number].1,
            state: loaded[number].0,
            capabilities,
            target: self.target,
            tools: &self.tools,
            text_round_trip: self.options.text_round_trip,
            state_sources: StateSources::all(self.options.state),
            disabled_features: &self.options.disabled_features,
        };
        let compiling = self.clock.enter(Phase::Compile);
        if let Some(reason) = exclusion_reason(script, capabilities) {
            return skip(reason);
        }
        let verdicts = match self.options.observe {
            ObservationMode::Off => Vec::new(),
            ObservationMode::On => context(0).verdicts(),
        };
        let with_verdicts = |results| Results {
            verdicts,
            ..results
        };
        if let Some(failures) = context(0).compiler().check_expected_errors() {
            return with_outcome(with_verdicts(Results::from_failures(failures)));
        }
        if let Some(reason) = skip_reason(script, capabilities) {
            return skip(reason);
        }
        let mut failures = context(0).compiler().check_warnings();
        failures.extend(context(0).compiler().check_loads());
        if !failures.is_empty() {
            return with_outcome(with_verdicts(Results::from_failures(failures)));
        }
        let sets = match build_sets(&states, |number| context(number).build_modules()) {
            Ok(sets) => sets,
            Err(refusals) => return outcome_from_refusals(refusals),
        };
        drop(compiling);
        if let Some(dir) = &self.options.known_modules
            && has_modules(dir, name, self.target, &sets)
        {
            return skip("its modules are known".to_owned());
        }
        match self.run_modules(name, script, &sets) {
            Ok(results) => with_outcome(with_verdicts(results)),
            Err(error @ (Error::NoLowAddresses | Error::Unsupported(_))) => skip(error.to_string()),
            Err(error) => with_outcome(Results::from_failures([Failure::new(
                None,
                error.to_string(),
            )])),
        }
    }

    /// Writes the modules to the directory of the options, opens the device with the extensions of
    /// the script, and executes the commands with the modules of each of its states. If the script
    /// times out or loses the device, the device is closed and [`Self::gave_up_device`] returns
    /// true from then on.
    fn run_modules(
        &self,
        name: &str,
        script: &Script,
        sets: &[ModuleSet],
    ) -> Result<Results, Error> {
        if let Some(dir) = &self.options.module_dir {
            write_modules(dir, name, self.target, sets)?;
        }
        let extensions = script.requirements.extensions.iter().cloned().collect();
        let device = self.open_device(&extensions)?;
        if script.requirements.low_addresses {
            Buffer::check_low_addresses(&device)?;
        }
        device.start_clock(self.options.script_timeout);
        let files = OutputFiles {
            script: &flatten_path(name),
            save_images: self.options.save_images.as_deref(),
            failure_images: self.options.failure_images.as_deref(),
        };
        let results = execute::execute(&device, script, sets, files, &self.options);
        if device.is_lost() {
            *self.device.borrow_mut() = None;
            self.gave_up_device.set(true);
        }
        results.map_err(Error::Unsupported)
    }

    /// Returns the open device if it has these extensions. Otherwise closes it, and opens it with
    /// them in addition to its previous ones.
    fn open_device(&self, extensions: &BTreeSet<String>) -> Result<Rc<Device>, Error> {
        let mut slot = self.device.borrow_mut();
        let mut required = extensions.clone();
        if let Some(device) = slot.as_ref() {
            if required.is_subset(&device.0.extra_extensions) {
                return Ok(Rc::clone(&device.0));
            }
            required.extend(device.0.extra_extensions.iter().cloned());
        }
        *slot = None;
        let _phase = self.clock.enter(Phase::Open);
        let device = Device::open(
            &self.instance,
            &self.physical,
            &required,
            self.options.timeout,
            &self.clock,
        )?;
        Ok(Rc::clone(&slot.insert(OpenDevice(device)).0))
    }
}

/// Builds the modules for each state in which draws and dispatches use the programs; `build`
/// receives the index of the state. Returns the first error, or an error if there are more than
/// [`MAX_STATES`] states.
fn build_sets(
    states: &[ProgramState],
    build: impl Fn(usize) -> Result<Vec<Module>, Vec<Refusal>>,
) -> Result<Vec<ModuleSet>, Vec<Refusal>> {
    if states.len() > MAX_STATES {
        let message = format!(
            "draws and dispatches meet more than {MAX_STATES} combinations of wrap modes, depth modes and biases of levels"
        );
        return Err(vec![Refusal::Fail(Failure::new(None, message))]);
    }
    let set = |(number, state): (usize, &ProgramState)| {
        let modules = build(number)?;
        let state = state.clone();
        Ok(ModuleSet { state, modules })
    };
    states.iter().enumerate().map(set).collect()
}

/// Returns the device with the lowest rank, the device with an index, or the first one whose name
/// matches. The error for a missing device lists the available ones.
fn choose_device(
    devices: Vec<PhysicalDevice>,
    choice: &DeviceChoice,
) -> Result<PhysicalDevice, Error> {
    let names: Vec<String> = devices
        .iter()
        .map(|device| format!("{} ({})", device.info.index, device.info.name))
        .collect();
    let chosen = match choice {
        DeviceChoice::Best => devices.into_iter().min_by_key(|device| device.rank),
        DeviceChoice::Index(index) => devices.into_iter().nth(*index),
        DeviceChoice::Name(name) => devices
            .into_iter()
            .find(|device| matches_device_name(&device.info.name, name)),
    };
    chosen.ok_or_else(|| Error::NoDevice {
        wanted: match choice {
            DeviceChoice::Best => "that can run scripts".to_owned(),
            DeviceChoice::Index(index) => format!("number {index}"),
            DeviceChoice::Name(name) => format!("whose name contains `{name}`"),
        },
        available: if names.is_empty() {
            "is none".to_owned()
        } else {
            format!("are {}", names.join(", "))
        },
    })
}

/// Returns true if `name` is a substring of a device's name, without regard to case; `lavapipe`
/// also matches Mesa's `llvmpipe`, as for [`DeviceChoice::Name`].
pub fn matches_device_name(device: &str, name: &str) -> bool {
    // Mesa's CPU driver is known as lavapipe, but its device calls itself llvmpipe.
    let wanted = name.to_lowercase().replace("lavapipe", "llvmpipe");
    device.to_lowercase().contains(&wanted)
}

/// Returns the result of a script that cannot run, with the reason.
fn skip(reason: String) -> (Outcome, Results) {
    (Outcome::Skip(reason), Results::default())
}

/// Returns results after the outcome that follows from them.
fn with_outcome(results: Results) -> (Outcome, Results) {
    (results.outcome(), results)
}

/// Returns the outcome of a script whose programs cannot run: it fails with all failures if any
/// program has an error; otherwise it is skipped with the first reason.
fn outcome_from_refusals(refusals: Vec<Refusal>) -> (Outcome, Results) {
    let mut failures = Vec::new();
    let mut reason = None;
    for refusal in refusals {
        match refusal {
            Refusal::Fail(failure) => failures.push(failure),
            Refusal::Skip(why) => reason = reason.or(Some(why)),
        }
    }
    match reason {
        Some(reason) if failures.is_empty() => skip(reason),
        _ => (Outcome::Fail, Results::from_failures(failures)),
    }
}

/// Writes the modules of a script as files into a directory, which is created if it is missing.
fn write_modules(dir: &Path, name: &str, target: Target, sets: &[ModuleSet]) -> Result<(), Error> {
    let io = |path: &Path, source| FileError {
        path: path.to_owned(),
        source,
    };
    std::fs::create_dir_all(dir).map_err(|source| io(dir, source))?;
    for (file, bytes) in module_files(name, target, sets) {
        let path = dir.join(file);
        std::fs::write(&path, bytes).map_err(|source| io(&path, source))?;
    }
    Ok(())
}

/// Returns true if a directory has equal files of all modules of a script, in the form in which
/// [`write_modules`] writes them; false if a module is generated for each draw, or if a file cannot
/// be read.
fn has_modules(dir: &Path, name: &str, target: Target, sets: &[ModuleSet]) -> bool {
    // Modules that are compiled again for each draw have no words here.
    let mut modules = sets.iter().flat_map(|set| &set.modules);
    modules.all(|module| !module.words.is_empty())
        && module_files(name, target, sets)
            .all(|(file, bytes)| std::fs::read(dir.join(file)).is_ok_and(|known| known == bytes))
}

/// Returns names and contents of the files of all modules that have words. Names contain script,
/// stage and target; those of states after the first also contain the number of the state, from 2
/// on.
fn module_files(
    name: &str,
    target: Target,
    sets: &[ModuleSet],
) -> impl Iterator<Item = (String, Vec<u8>)> {
    let modules = sets
        .iter()
        .zip(1..)
        .flat_map(|(set, number)| set.modules.iter().map(move |module| (number, module)));
    let modules = modules.filter(|(_, module)| !module.words.is_empty());
    modules.map(move |(number, module)| {
        let variant = match number {
            1 => String::new(),
            number => format!(".{number}"),
        };
        let file = format!(
            "{}.{}{variant}.{}.spv",
            flatten_path(name),
            module.stage.name(),
            target.name()
        );
        let words = module.words.iter();
        (file, words.flat_map(|word| word.to_le_bytes()).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_outweigh_skips() {
        let skip = Refusal::Skip("no int64".into());
        let failure = Failure::new(Some(3), "wrong");
        assert_eq!(
            outcome_from_refusals(vec![skip.clone()]).0,
            Outcome::Skip("no int64".into())
        );
        let (outcome, results) = outcome_from_refusals(vec![skip, Refusal::Fail(failure.clone())]);
        assert_eq!((outcome, results.failures), (Outcome::Fail, vec![failure]));
    }
}
