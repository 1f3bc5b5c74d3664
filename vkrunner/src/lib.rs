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

mod error;
mod execute;
mod features;
mod fragment_outputs;
mod glsl_server;
mod options;
mod own_shader;
mod programs;
mod requirements;
mod runner;
mod sample_copy;
#[cfg(test)]
mod test_support;
mod tools;
mod vk;

pub use error::Error;
pub use glasm_scripts::compile::Withheld;
pub use glasm_scripts::find::find_scripts;
pub use glasm_scripts::outcome::{Failure, FailureImage, Outcome, ScriptReport, Summary};
pub use glasm_scripts::runner::DeviceChoice;
pub use glasm_scripts::timing::{Phase, Timings};
pub use options::{RunOptions, Through, Validation, Work};
pub use runner::{Runner, devices, is_called};
pub use vk::DeviceInfo;
