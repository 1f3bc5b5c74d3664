//! Runs `.shader_test` scripts on Vulkan, without a window.
//!
//! A script contains programs, vertices, and commands that draw, dispatch and compare;
//! `docs/scripts.md` describes the language. A [`Runner`] opens a device once and runs any number
//! of scripts on it; each returns a [`ScriptReport`]:
//!
//! ```no_run
//! use glasm_vkrunner::{DeviceChoice, RunOptions, Runner, Summary, find_scripts};
//!
//! let options = RunOptions { device: DeviceChoice::parse("llvmpipe"), ..RunOptions::default() };
//! let runner = Runner::new(&options)?;
//! let mut summary = Summary::default();
//! for script in find_scripts("shaders".as_ref()) {
//!     let report = runner.run_file(&script);
//!     summary.add(&report.outcome);
//! }
//! assert_eq!(summary.failed, 0);
//! # Ok::<(), glasm_vkrunner::Error>(())
//! ```
//!
//! Execution of scripts on Vulkan: the crate [`glasm_scripts`] parses the source; here,
//! `requirements` compares the requirements with the capabilities of the device, `programs`
//! compiles the programs, `execute` runs the commands and reads back the results, which
//! `glasm_scripts` compares and reports. Only `vk` calls Vulkan, and all `unsafe` code is there.
//!
//! A crash of a driver terminates the process: a caller that must survive it runs scripts in
//! separate processes, like the `glasm` command. A device that hangs is abandoned after
//! [`RunOptions::timeout`] and reopened for the next script.

mod builtin_shaders;
mod error;
mod execute;
mod external_tools;
mod features;
mod fragment_outputs;
mod options;
mod programs;
mod requirements;
mod runner;
#[cfg(test)]
mod test_support;
mod vk;

pub use error::Error;
pub use glasm_scripts::compile::DisabledFeatures;
pub use glasm_scripts::discover::find_scripts;
pub use glasm_scripts::results::{Failure, FailureImage, Outcome, ScriptReport, Summary};
pub use glasm_scripts::runner::DeviceChoice;
pub use glasm_scripts::timing::{Phase, Timings};
pub use options::{ExecutionMode, RunOptions, TextRoundTrip, Validation};
pub use runner::{Runner, devices, matches_device_name};
pub use vk::DeviceInfo;
