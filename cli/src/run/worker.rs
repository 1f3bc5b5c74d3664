//! Workers: processes that run scripts, so that a driver that crashes or hangs ends one script and
//! not the entire run.
//!
//! A worker is this program with the hidden command `run-worker`. It gets the path of a script on
//! each line of its standard input and answers with one line of JSON after a mark. It runs any
//! number of scripts; only one that crashes it, hangs, or loses the device costs a new process.

use super::job::WorkerJob;
use super::worker_process::{WorkerFailure, WorkerProcess, err_cannot_start};
use crate::args::{ApiArg, DevicesArgs, WorkerArgs};
use crate::console::{Fatal, Status};
use crate::progress::Progress;
use crate::report::{Fault, ScriptResult};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Starts the lines that workers send. A control character that no driver prints.
pub(super) const REPLY_MARK: &str = "\u{1e}";
/// Time that a script may take over its limit: the worker itself reports scripts that take too
/// long, with more details.
const TIMEOUT_GRACE: Duration = Duration::from_secs(5);

/// Memory that a worker may have in use between scripts. Drivers keep some for each program that
/// they ever compiled.
const MEMORY_LIMIT: u64 = 1 << 30;

/// Messages of a worker.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
pub(crate) enum Reply {
    /// The name of its device.
    Ready(String),
    /// Failure to open a device, with the reason.
    NoDevice(String),
    /// The devices, requested with the hidden command `run-devices`.
    Devices(Vec<DeviceName>),
    /// The result of a script.
    Done(Box<ScriptResult>),
    /// The result of a script that took the device with it: the process can run no other.
    Last(Box<ScriptResult>),
    /// The result of a script, after which the process uses so much memory that another one should
    /// continue.
    Full(Box<ScriptResult>),
}

/// A device that scripts can run on.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceName {
    /// Its number for `--device`.
    pub(crate) index: usize,
    /// Its name.
    pub(crate) name: String,
}

/// Runs the worker's side: opens the device, then reads the paths of scripts from standard input,
/// runs them and sends a reply for each, until the input ends. Ends earlier if the device is given
/// up or too much memory is in use. A missing device is a reply, not an error.
pub(crate) fn run_worker(args: &WorkerArgs) -> Result<Status, Fatal> {
    let work = match WorkerJob::open(args) {
        Ok(work) => work,
        Err(message) => {
            send_reply(&Reply::NoDevice(message))?;
            return Ok(Status::Success);
        }
    };
    send_reply(&Reply::Ready(work.device().to_owned()))?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Fatal::from_io("standard input", &error))?;
        let path: std::path::PathBuf =
            serde_json::from_str(&line).map_err(|error| Fatal(error.to_string()))?;
        let record = Box::new(work.run_script(&path));
        if work.has_given_up_device() {
            // Threads of the driver may still be at work: the process that started this one ends it
            // now.
            return send_reply(&Reply::Last(record)).map(|()| Status::Success);
        }
        if read_memory_in_use().is_some_and(|bytes| bytes > MEMORY_LIMIT) {
            return send_reply(&Reply::Full(record)).map(|()| Status::Success);
        }
        send_reply(&Reply::Done(record))?;
    }
    Ok(Status::Success)
}

/// Returns the bytes of this process that are in memory; `None` if the system does not report them
/// (other than Linux).
fn read_memory_in_use() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Runs the worker's side of the query for devices, which also runs code of all drivers: sends the
/// devices, or the reason why there are none.
pub(crate) fn reply_with_devices(args: DevicesArgs) -> Result<Status, Fatal> {
    let name = |(index, name): (usize, String)| DeviceName { index, name };
    let found: Result<Vec<DeviceName>, String> = match args.api {
        ApiArg::Vulkan => glasm_vkrunner::devices()
            .map(|found| {
                found
                    .into_iter()
                    .map(|info| name((info.index, info.name)))
                    .collect()
            })
            .map_err(|error| error.to_string()),
        ApiArg::Gl => glasm_glrunner::devices()
            .map(|found| {
                found
                    .into_iter()
                    .map(|info| name((info.index, info.name)))
                    .collect()
            })
            .map_err(|error| error.to_string()),
    };
    let reply = match found {
        Ok(devices) => Reply::Devices(devices),
        Err(message) => Reply::NoDevice(message),
    };
    send_reply(&reply).map(|()| Status::Success)
}

/// Writes a reply to standard output, as a line of JSON after the mark, and flushes it.
fn send_reply(reply: &Reply) -> Result<(), Fatal> {
    let text = serde_json::to_string(reply).map_err(|error| Fatal(error.to_string()))?;
    let mut stdout = io::stdout().lock();
    // The line end in front closes a line that a driver may have begun.
    write!(stdout, "\n{REPLY_MARK}{text}\n")
        .and_then(|()| stdout.flush())
        .map_err(|error| Fatal::from_io("standard output", &error))
}

/// The command's side of one worker, whose process is replaced after it has ended.
pub(crate) struct Worker {
    args: WorkerArgs,
    progress: Progress,
    process: Option<WorkerProcess>,
    /// Name of the device that the last process had.
    device: String,
}

impl Worker {
    /// Creates a worker whose process starts with its first script.
    pub(crate) fn new(args: &WorkerArgs, progress: &Progress) -> Self {
        Self {
            args: args.clone(),
            progress: progress.clone(),
            process: None,
            device: String::new(),
        }
    }

    /// Starts a process and waits until it has its device. Returns an error if it does not start or
    /// finds none.
    pub(crate) fn start(args: &WorkerArgs, progress: &Progress) -> Result<Self, Fatal> {
        let mut worker = Self::new(args, progress);
        let process = worker.take_process()?;
        worker.process = Some(process);
        Ok(worker)
    }

    /// Returns the name of the device that the last process had; empty before the first.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// Runs one script. If the process dies or takes too long, or the device is lost, the script
    /// has failed, and is tried again up to `retries` times; the record lists the earlier attempts.
    pub(crate) fn run_script(&mut self, path: &Path, retries: u8) -> ScriptResult {
        let mut earlier = Vec::new();
        loop {
            let mut record = self.run_script_once(path);
            if record.fault.is_none() || earlier.len() >= usize::from(retries) {
                record.earlier_attempts = earlier;
                return record;
            }
            earlier.push(record.reason.unwrap_or_default());
        }
    }

    /// Runs a script once in the worker process, which is started if necessary. A crash, a timeout
    /// or a lost device is a failed result, and ends the process.
    fn run_script_once(&mut self, path: &Path) -> ScriptResult {
        let start = Instant::now();
        let result = self.take_process().map(|mut process| {
            let result = process.run_script(path, self.compute_script_timeout());
            (process, result)
        });
        let failed = |fault, message| ScriptResult {
            fault,
            ..ScriptResult::from_failure(path, &self.device, start.elapsed(), message)
        };
        match result {
            Err(Fatal(message)) => failed(Some(Fault::Crash), message),
            Ok((process, Ok(Reply::Done(record)))) => {
                self.process = Some(process);
                *record
            }
            Ok((process, Ok(Reply::Full(record)))) => {
                drop(process);
                *record
            }
            Ok((mut process, Ok(Reply::Last(record)))) => {
                process.kill();
                ScriptResult {
                    fault: Some(Fault::DeviceLost),
                    ..*record
                }
            }
            Ok((mut process, Ok(Reply::Ready(_) | Reply::NoDevice(_) | Reply::Devices(_)))) => {
                process.kill();
                let message = "the worker process answered something else";
                failed(Some(Fault::Crash), message.to_owned())
            }
            Ok((_, Err(lost))) => {
                let fault = match &lost {
                    WorkerFailure::Exited(_) | WorkerFailure::ProtocolError(_) => Fault::Crash,
                    WorkerFailure::TimedOut(_) => Fault::Timeout,
                };
                failed(Some(fault), lost.message().to_owned())
            }
        }
    }

    /// Returns the time after which a worker without result is terminated: the limit of the command
    /// line for each run of the script, and [`TIMEOUT_GRACE`].
    fn compute_script_timeout(&self) -> Duration {
        let runs = match self.args.compare {
            Some(_) => 2,
            None => 1,
        };
        self.args
            .timeout
            .saturating_mul(runs)
            .saturating_add(TIMEOUT_GRACE)
    }

    /// Takes the running process, or starts one and records its device. Returns an error if it does
    /// not start or finds no device.
    fn take_process(&mut self) -> Result<WorkerProcess, Fatal> {
        if let Some(process) = self.process.take() {
            return Ok(process);
        }
        let (process, reply) = WorkerProcess::start(
            build_command(self.args.build_command_line())?,
            &self.progress,
        )?;
        match reply {
            Reply::Ready(device) => {
                self.device = device;
                Ok(process)
            }
            Reply::NoDevice(message) => Err(Fatal(message)),
            Reply::Devices(_) | Reply::Done(_) | Reply::Last(_) | Reply::Full(_) => Err(Fatal(
                "a worker process answered before it was asked".to_owned(),
            )),
        }
    }
}

/// Starts a process that lists the devices, and returns them in the order of their indices. Returns
/// an error if the process fails or there is no API.
pub(crate) fn query_devices(
    devices: DevicesArgs,
    progress: &Progress,
) -> Result<Vec<DeviceName>, Fatal> {
    let command = build_command(devices.build_command_line())?;
    match WorkerProcess::start(command, progress)?.1 {
        Reply::Devices(devices) => Ok(devices),
        Reply::NoDevice(message) => Err(Fatal(message)),
        Reply::Ready(_) | Reply::Done(_) | Reply::Last(_) | Reply::Full(_) => {
            Err(Fatal("a worker process answered something else".to_owned()))
        }
    }
}

/// Creates a command that runs this executable with these arguments.
fn build_command(args: Vec<std::ffi::OsString>) -> Result<Command, Fatal> {
    let mut command =
        Command::new(std::env::current_exe().map_err(|error| err_cannot_start(&error))?);
    command.args(args);
    Ok(command)
}
