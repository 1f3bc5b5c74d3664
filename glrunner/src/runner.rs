//! Runs scripts sequentially on one device.

use crate::error::Error;
use crate::execute::{self, acceptance};
use crate::gl::{DeviceInfo, Gl};
use crate::options::{ObservationMode, RunOptions};
use crate::requirements::{module_skip_reason, skip_reason};
use glasm_scripts::results::{Outcome, ScriptReport};
use glasm_scripts::results::{OutputFiles, Results, flatten_path, run_and_report};
use glasm_scripts::runner::DeviceChoice;
use glasm_scripts::script::Script;
use glasm_scripts::timing::{Clock, Phase};
use std::path::Path;
use std::rc::Rc;

/// Runs scripts on one device. Every script has a separate context, so that scripts do not affect
/// each other.
///
/// A runner is bound to its thread. A crash or hang of a driver affects the process: a caller that
/// must survive it runs scripts in separate processes, like the `glasm` command.
pub struct Runner {
    options: RunOptions,
    info: DeviceInfo,
    clock: Rc<Clock>,
}

impl Runner {
    /// Selects the device and checks that it can be opened.
    ///
    /// # Errors
    /// If there is no such device, or no OpenGL on this machine.
    pub fn new(options: &RunOptions) -> Result<Self, Error> {
        let info = Gl::open(&options.device)?.info().clone();
        Ok(Self {
            options: options.clone(),
            info,
            clock: Clock::new(),
        })
    }

    /// Returns name, driver and version of the device that scripts run on.
    pub fn device_info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Runs the script at a path. All errors, also of reading the file, are in the report.
    pub fn run_file(&self, path: &Path) -> ScriptReport {
        let run = |name: &str, text: &[u8]| self.run_text(name, text);
        run_and_report(path, &self.clock, run, || {})
    }

    /// Runs a script that was built from the one at a path. All errors are in the report, as those of
    /// [`Self::run_file`].
    pub fn run_parsed(&self, path: &Path, script: &Script) -> ScriptReport {
        let run = |name: &str, _: &[u8]| with_outcome(self.run_script(name, script));
        run_and_report(path, &self.clock, run, || {})
    }

    /// Parses and runs the text of a script, whose name is that of output files. Returns its
    /// outcome and results, which contain all errors; no results if it is skipped.
    fn run_text(&self, name: &str, text: &[u8]) -> (Outcome, Results) {
        let parsed = {
            let _phase = self.clock.enter(Phase::Parse);
            Script::parse_runnable(text)
        };
        let results = match parsed {
            Ok(script) => self.run_script(name, &script),
            Err(errors) => Ok(Results::from_parse_errors(errors)),
        };
        with_outcome(results)
    }

    /// Runs a script in a new context. `Err` is the reason to skip it; failures, also to open the
    /// context, are in the results.
    fn run_script(&self, name: &str, script: &Script) -> Result<Results, String> {
        let opened = {
            let _phase = self.clock.enter(Phase::Open);
            Gl::open(&DeviceChoice::Index(self.info.index))
        };
        let gl = match opened {
            Ok(gl) => gl,
            Err(error) => {
                let mut results = Results::default();
                results.add_failure(None, error.to_string());
                return Ok(results);
            }
        };
        let reason = match self.options.module_form {
            None => acceptance::untestable_error(script).or_else(|| skip_reason(script, &gl)),
            Some(through) => module_skip_reason(script, &gl, through),
        };
        if let Some(reason) = reason {
            return Err(reason);
        }
        let verdicts = match self.options.observe {
            // The driver's assembler does not receive the programs that glasm compiles.
            _ if self.options.module_form.is_some() => Ok(Vec::new()),
            ObservationMode::On => acceptance::query_verdicts(&gl, script),
            ObservationMode::Off => Ok(Vec::new()),
        };
        let files = OutputFiles {
            script: &flatten_path(name),
            save_images: self.options.save_images.as_deref(),
            failure_images: self.options.failure_images.as_deref(),
        };
        let expected = match self.options.module_form {
            None => acceptance::check_expected_errors(&gl, script),
            Some(_) => None,
        };
        let mut results = match expected {
            Some(results) => results,
            None => {
                let _phase = self.clock.enter(Phase::Device);
                execute::execute(&gl, script, files, &self.options)?
            }
        };
        match verdicts {
            Ok(verdicts) => results.verdicts = verdicts,
            Err(error) => results.add_failure(None, error.to_string()),
        }
        Ok(results)
    }
}

/// Returns results with their outcome; a reason becomes a skip.
fn with_outcome(results: Result<Results, String>) -> (Outcome, Results) {
    match results {
        Ok(results) => (results.outcome(), results),
        Err(reason) => (Outcome::Skip(reason), Results::default()),
    }
}
