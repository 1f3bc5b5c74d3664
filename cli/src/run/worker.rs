//! Workers: processes that run scripts, so that a driver that crashes or hangs takes one script with it and not the whole run.
//!
//! A worker is this program with the hidden command `run-worker`. It gets the path of a script on
//! each line of its standard input and answers with one line of JSON after a mark. It runs any
//! number of scripts; only one that crashes it, hangs, or loses the device costs a new process.

use super::process::{Lost, Process, cannot_start};
use super::progress::Progress;
use super::runner::Work;
use crate::args::{ApiArg, DevicesArgs, WorkerArgs};
use crate::console::{Fatal, Status};
use crate::report::{Fault, Record};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Starts the lines that workers send. A control character that no driver prints.
pub(super) const MARK: &str = "\u{1e}";
/// Time that a script may take over its limit: the worker itself reports scripts that take too long, and says more about them.
const GRACE: Duration = Duration::from_secs(5);

/// Memory that a worker may have in use between scripts. Drivers keep some for each program that they ever compiled.
const MEMORY_LIMIT: u64 = 1 << 30;

/// What a worker sends.
#[derive(Serialize, Deserialize, PartialEq, Debug)]
pub(crate) enum Reply {
    /// It has a device of this name.
    Ready(String),
    /// It has no device.
    NoDevice(String),
    /// The devices, asked for with the hidden command `run-devices`.
    Devices(Vec<DeviceName>),
    /// The result of a script.
    Done(Box<Record>),
    /// The result of a script that took the device with it: the process can run no other.
    Last(Box<Record>),
    /// The result of a script, after which the process has so much memory in use that another one
    /// should continue.
    Full(Box<Record>),
}

/// A device that scripts can run on.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceName {
    /// Its number for `--device`.
    pub(crate) index: usize,
    /// Its name.
    pub(crate) name: String,
}

/// Returns the worker's side: runs scripts until there are no more.
pub(crate) fn work(args: &WorkerArgs) -> Result<Status, Fatal> {
    let work = match Work::start(args) {
        Ok(work) => work,
        Err(message) => {
            send(&Reply::NoDevice(message))?;
            return Ok(Status::Success);
        }
    };
    send(&Reply::Ready(work.device().to_owned()))?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Fatal::io("standard input", &error))?;
        let path: std::path::PathBuf =
            serde_json::from_str(&line).map_err(|error| Fatal(error.to_string()))?;
        let record = Box::new(work.run(&path));
        if work.gave_up_device() {
            // Threads of the driver may still be at work: whoever started this process ends it now.
            return send(&Reply::Last(record)).map(|()| Status::Success);
        }
        if memory_in_use().is_some_and(|bytes| bytes > MEMORY_LIMIT) {
            return send(&Reply::Full(record)).map(|()| Status::Success);
        }
        send(&Reply::Done(record))?;
    }
    Ok(Status::Success)
}

/// Returns the bytes of this process that are in memory, where the system tells.
fn memory_in_use() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Returns the worker's side of the question for devices, which also runs code of all drivers.
pub(crate) fn list_devices(args: DevicesArgs) -> Result<Status, Fatal> {
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
    send(&reply).map(|()| Status::Success)
}

fn send(reply: &Reply) -> Result<(), Fatal> {
    let text = serde_json::to_string(reply).map_err(|error| Fatal(error.to_string()))?;
    let mut stdout = io::stdout().lock();
    // The line end in front closes a line that a driver may have begun.
    write!(stdout, "\n{MARK}{text}\n")
        .and_then(|()| stdout.flush())
        .map_err(|error| Fatal::io("standard output", &error))
}

/// The command's side of one worker, whose process is replaced when it is gone.
pub(crate) struct Worker {
    args: WorkerArgs,
    progress: Progress,
    process: Option<Process>,
    /// Name of the device that the last process had.
    device: String,
}

impl Worker {
    /// A worker whose process starts with its first script.
    pub(crate) fn new(args: &WorkerArgs, progress: &Progress) -> Self {
        Self {
            args: args.clone(),
            progress: progress.clone(),
            process: None,
            device: String::new(),
        }
    }

    /// Starts a process and waits until it has its device.
    pub(crate) fn start(args: &WorkerArgs, progress: &Progress) -> Result<Self, Fatal> {
        let mut worker = Self::new(args, progress);
        let process = worker.take_process()?;
        worker.process = Some(process);
        Ok(worker)
    }

    /// Name of the device.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// Runs one script. If the process dies or takes too long, the script has failed, and is tried again up to `retries` times.
    pub(crate) fn run(&mut self, path: &Path, retries: u8) -> Record {
        let mut earlier = Vec::new();
        loop {
            let mut record = self.run_once(path);
            if record.fault.is_none() || earlier.len() >= usize::from(retries) {
                record.earlier_attempts = earlier;
                return record;
            }
            earlier.push(record.reason.unwrap_or_default());
        }
    }

    fn run_once(&mut self, path: &Path) -> Record {
        let start = Instant::now();
        let result = self.take_process().map(|mut process| {
            let result = process.run(path, self.limit());
            (process, result)
        });
        let failed = |fault, message| Record {
            fault,
            ..Record::failed(path, &self.device, start.elapsed(), message)
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
                process.stop();
                Record {
                    fault: Some(Fault::DeviceLost),
                    ..*record
                }
            }
            Ok((mut process, Ok(Reply::Ready(_) | Reply::NoDevice(_) | Reply::Devices(_)))) => {
                process.stop();
                let message = "the worker process answered something else";
                failed(Some(Fault::Crash), message.to_owned())
            }
            Ok((_, Err(lost))) => {
                let fault = match &lost {
                    Lost::Died(_) | Lost::Confused(_) => Fault::Crash,
                    Lost::Stopped(_) => Fault::Timeout,
                };
                failed(Some(fault), lost.message().to_owned())
            }
        }
    }

    /// Time for one script.
    fn limit(&self) -> Duration {
        let runs = match self.args.compare {
            Some(_) => 2,
            None => 1,
        };
        self.args.timeout.saturating_mul(runs).saturating_add(GRACE)
    }

    /// Returns the process, or a new one.
    fn take_process(&mut self) -> Result<Process, Fatal> {
        if let Some(process) = self.process.take() {
            return Ok(process);
        }
        let (process, reply) =
            Process::start(this_program(self.args.command_line())?, &self.progress)?;
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

/// Queries all devices, in the order of their numbers.
pub(crate) fn query_devices(
    devices: DevicesArgs,
    progress: &Progress,
) -> Result<Vec<DeviceName>, Fatal> {
    let command = this_program(devices.command_line())?;
    match Process::start(command, progress)?.1 {
        Reply::Devices(devices) => Ok(devices),
        Reply::NoDevice(message) => Err(Fatal(message)),
        Reply::Ready(_) | Reply::Done(_) | Reply::Last(_) | Reply::Full(_) => {
            Err(Fatal("a worker process answered something else".to_owned()))
        }
    }
}

/// This program with other arguments.
fn this_program(args: Vec<std::ffi::OsString>) -> Result<Command, Fatal> {
    let mut command = Command::new(std::env::current_exe().map_err(|error| cannot_start(&error))?);
    command.args(args);
    Ok(command)
}
