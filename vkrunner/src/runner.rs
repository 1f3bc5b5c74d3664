//! Runs scripts sequentially on one device.

use crate::error::Error;
use crate::execute;
use crate::options::RunOptions;
use crate::programs::{CompileContext, Module, ModuleSet, Refusal};
use crate::requirements::{skip_reason, surplus};
use crate::tools::Tools;
use crate::vk::{Buffer, Device, DeviceInfo, Instance, PhysicalDevice};
use glasm::{StateForms, Target};
use glasm_scripts::observation::Observe;
use glasm_scripts::outcome::{Failure, Outcome, ScriptReport};
use glasm_scripts::results::{FileError, Files, Results, flat_name, report_on};
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
    let devices = PhysicalDevice::all(&instance)?.into_iter();
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
        self.0.clear_shelves();
    }
}

impl Runner {
    /// Chooses and opens the device.
    ///
    /// # Errors
    /// If there is no such device, or Vulkan fails.
    pub fn new(options: &RunOptions) -> Result<Self, Error> {
        let instance = Rc::new(Instance::new(options.validation)?);
        let physical = choose(PhysicalDevice::all(&instance)?, &options.device)?;
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
        runner.device(&BTreeSet::new())?;
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

    /// Runs a script. All errors are in the report.
    pub fn run_file(&self, path: &Path) -> ScriptReport {
        let run = |name: &str, text: &[u8]| self.run_text(name, text);
        report_on(path, &self.clock, run, || {
            // The state of the device is unknown after a panic.
            *self.device.borrow_mut() = None;
        })
    }

    fn run_text(&self, name: &str, text: &[u8]) -> (Outcome, Results) {
        let parsed = {
            let _phase = self.clock.enter(Phase::Parse);
            Script::read(text)
        };
        match parsed {
            Ok(script) => self.run_script(name, &script),
            Err(errors) => conclude(Results::unreadable(errors)),
        }
    }

    fn run_script(&self, name: &str, script: &Script) -> (Outcome, Results) {
        let capabilities = &self.physical.capabilities;
        let states = script.program_states();
        let loaded: Vec<_> = states
            .iter()
            .map(|state| (state, script.with_loaded(&state.loaded)))
            .collect();
        let context = |number: usize| CompileContext {
            name,
            script: &loaded[number].1,
            state: loaded[number].0,
            capabilities,
            target: self.target,
            tools: &self.tools,
            through: self.options.through,
            forms: StateForms::all(self.options.state),
            without: &self.options.without,
        };
        let compiling = self.clock.enter(Phase::Compile);
        if let Some(reason) = surplus(script, capabilities) {
            return (Outcome::Skip(reason), Results::default());
        }
        let verdicts = match self.options.observe {
            Observe::Off => Vec::new(),
            Observe::On => context(0).verdicts(),
        };
        let with_verdicts = |results| Results {
            verdicts,
            ..results
        };
        if let Some(failures) = context(0).compiler().check_expected_errors() {
            return conclude(with_verdicts(Results::failed(failures)));
        }
        if let Some(reason) = skip_reason(script, capabilities) {
            return (Outcome::Skip(reason), Results::default());
        }
        let mut failures = context(0).compiler().check_warnings();
        failures.extend(context(0).compiler().check_loads());
        if !failures.is_empty() {
            return conclude(with_verdicts(Results::failed(failures)));
        }
        let sets = match build_sets(&states, |number| context(number).build_modules()) {
            Ok(sets) => sets,
            Err(refusals) => return refuse(refusals),
        };
        drop(compiling);
        if let Some(folder) = &self.options.known_modules
            && has_modules(folder, name, self.target, &sets)
        {
            return (
                Outcome::Skip("its modules are known".to_owned()),
                Results::default(),
            );
        }
        match self.run_modules(name, script, &sets) {
            Ok(results) => conclude(with_verdicts(results)),
            Err(error @ (Error::NoLowAddresses | Error::Lacking(_))) => {
                (Outcome::Skip(error.to_string()), Results::default())
            }
            Err(error) => conclude(Results::failed([Failure::new(None, error.to_string())])),
        }
    }

    fn run_modules(
        &self,
        name: &str,
        script: &Script,
        sets: &[ModuleSet],
    ) -> Result<Results, Error> {
        if let Some(folder) = &self.options.module_dir {
            write_modules(folder, name, self.target, sets)?;
        }
        let extensions = script.requirements.extensions.iter().cloned().collect();
        let device = self.device(&extensions)?;
        if script.requirements.low_addresses {
            Buffer::check_low_addresses(&device)?;
        }
        device.start_clock(self.options.script_timeout);
        let files = Files {
            script: &flat_name(name),
            save_images: self.options.save_images.as_deref(),
            failure_images: self.options.failure_images.as_deref(),
        };
        let results = execute::execute(&device, script, sets, files, &self.options);
        if device.is_lost() {
            *self.device.borrow_mut() = None;
            self.gave_up_device.set(true);
        }
        results.map_err(Error::Lacking)
    }

    /// Returns the device, with at least these extensions.
    fn device(&self, extensions: &BTreeSet<String>) -> Result<Rc<Device>, Error> {
        let mut slot = self.device.borrow_mut();
        let mut wanted = extensions.clone();
        if let Some(device) = slot.as_ref() {
            if wanted.is_subset(&device.0.extra_extensions) {
                return Ok(Rc::clone(&device.0));
            }
            wanted.extend(device.0.extra_extensions.iter().cloned());
        }
        *slot = None;
        let _phase = self.clock.enter(Phase::Open);
        let device = Device::open(
            &self.instance,
            &self.physical,
            &wanted,
            self.options.timeout,
            &self.clock,
        )?;
        Ok(Rc::clone(&slot.insert(OpenDevice(device)).0))
    }
}

/// Returns the modules for each state that the script's programs meet.
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

/// Returns the device that the choice names.
fn choose(devices: Vec<PhysicalDevice>, choice: &DeviceChoice) -> Result<PhysicalDevice, Error> {
    let names: Vec<String> = devices
        .iter()
        .map(|device| format!("{} ({})", device.info.index, device.info.name))
        .collect();
    let chosen = match choice {
        DeviceChoice::Best => devices.into_iter().min_by_key(|device| device.rank),
        DeviceChoice::Index(index) => devices.into_iter().nth(*index),
        DeviceChoice::Name(name) => devices
            .into_iter()
            .find(|device| is_called(&device.info.name, name)),
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

/// Returns true if `wanted` is a substring of a device's name, compared as for
/// [`DeviceChoice::Name`].
pub fn is_called(device: &str, wanted: &str) -> bool {
    // Mesa's CPU driver is known as lavapipe, but its device calls itself llvmpipe.
    let wanted = wanted.to_lowercase().replace("lavapipe", "llvmpipe");
    device.to_lowercase().contains(&wanted)
}

fn conclude(results: Results) -> (Outcome, Results) {
    (results.outcome(), results)
}

/// Returns a program that fails is worse than one that the device cannot run.
fn refuse(refusals: Vec<Refusal>) -> (Outcome, Results) {
    let mut failures = Vec::new();
    let mut reason = None;
    for refusal in refusals {
        match refusal {
            Refusal::Fail(failure) => failures.push(failure),
            Refusal::Skip(why) => reason = reason.or(Some(why)),
        }
    }
    match reason {
        Some(reason) if failures.is_empty() => (Outcome::Skip(reason), Results::default()),
        _ => (Outcome::Fail, Results::failed(failures)),
    }
}

/// Writes the modules of a script as files.
fn write_modules(
    folder: &Path,
    name: &str,
    target: Target,
    sets: &[ModuleSet],
) -> Result<(), Error> {
    let io = |path: &Path, source| FileError {
        path: path.to_owned(),
        source,
    };
    std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
    for (file, bytes) in module_files(name, target, sets) {
        let path = folder.join(file);
        std::fs::write(&path, bytes).map_err(|source| io(&path, source))?;
    }
    Ok(())
}

/// Returns true if a directory has all modules of a script, in the form in which [`write_modules`]
/// writes them.
fn has_modules(folder: &Path, name: &str, target: Target, sets: &[ModuleSet]) -> bool {
    // Modules that are compiled again for each draw have no words here.
    let mut modules = sets.iter().flat_map(|set| &set.modules);
    modules.all(|module| !module.words.is_empty())
        && module_files(name, target, sets)
            .all(|(file, bytes)| std::fs::read(folder.join(file)).is_ok_and(|known| known == bytes))
}

/// Returns names and contents of the files of all modules that have words.
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
            flat_name(name),
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
            refuse(vec![skip.clone()]).0,
            Outcome::Skip("no int64".into())
        );
        let (outcome, results) = refuse(vec![skip, Refusal::Fail(failure.clone())]);
        assert_eq!((outcome, results.failures), (Outcome::Fail, vec![failure]));
    }
}
