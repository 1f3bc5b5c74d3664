//! Hands out the scripts to workers, and puts the results into order.
//!
//! Each device has a queue of all scripts. A worker thread belongs to one device until its queue is
//! empty, and then helps the next one.

use super::expected::ExpectedFailures;
use super::progress::Progress;
use super::worker::{self, DeviceName, Worker};
use crate::args::{DevicesArgs, RunArgs, WorkerArgs};
use crate::console::escape_control;
use crate::console::{Console, Fatal};
use crate::report::Record;
use glasm_scripts::compare::Known;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Largest number of jobs, unless the user requests more.
const DEFAULT_JOBS: usize = 8;

/// Scripts to run, and their devices.
pub(crate) struct Plan<'a> {
    args: &'a RunArgs,
    judge: Judge<'a>,
    scripts: Vec<PathBuf>,
    devices: Vec<Target>,
    progress: Progress,
    /// A worker that is there already, for the first device.
    first: Mutex<Option<Worker>>,
    /// Set when nothing more is to begin.
    stop: AtomicBool,
}

/// Rules by which results are judged.
#[derive(Clone, Copy)]
pub(crate) enum Judge<'a> {
    /// None.
    Nothing,
    /// Differences between runs that are compared.
    Known(&'a Known),
    /// Scripts that fail.
    Expected(&'a ExpectedFailures),
}

/// A device and its queue.
struct Target {
    name: String,
    args: WorkerArgs,
    /// Index of the first script that no thread has taken.
    next: AtomicUsize,
}

/// A script that is done on a device.
struct Done {
    script: usize,
    device: usize,
    record: Record,
}

/// The results of a script, one for each device; `None` for scripts that did not run.
pub(crate) type Row = Vec<Option<Record>>;

impl<'a> Plan<'a> {
    /// Finds the devices.
    pub(crate) fn new(
        args: &'a RunArgs,
        judge: Judge<'a>,
        scripts: Vec<PathBuf>,
        console: Console,
    ) -> Result<Self, Fatal> {
        let quiet = Progress::new(console, 0);
        let target = |name: String, args| Target {
            name,
            args,
            next: AtomicUsize::new(0),
        };
        let mut first = None;
        let devices = match &args.worker.device {
            Some(choice) if choice == "all" || choice.contains(',') => {
                let api = args.worker.api;
                let chosen =
                    choose_devices(choice, &worker::query_devices(DevicesArgs { api }, &quiet)?)?;
                let worker_args = |device: &DeviceName| match chosen.len() {
                    1 => args.worker.with_device(device.index, None),
                    _ => args.worker.with_device(device.index, Some(&device.name)),
                };
                let targets = chosen.iter().zip(format_labels(&chosen));
                targets
                    .map(|(device, label)| target(label, worker_args(device)))
                    .collect()
            }
            // The worker knows which device it is.
            Some(_) | None => {
                let worker = first.insert(Worker::start(&args.worker, &quiet)?);
                vec![target(worker.device().to_owned(), args.worker.clone())]
            }
        };
        let progress = Progress::new(console, scripts.len() * devices.len());
        Ok(Self {
            args,
            judge,
            scripts,
            devices,
            progress,
            first: Mutex::new(first),
            stop: AtomicBool::new(false),
        })
    }

    /// Names of the devices, all different.
    pub(crate) fn devices(&self) -> Vec<String> {
        self.devices
            .iter()
            .map(|device| device.name.clone())
            .collect()
    }

    /// Returns the progress bar.
    pub(crate) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Returns the number of results.
    pub(crate) fn count_runs(&self) -> usize {
        self.scripts.len() * self.devices.len()
    }

    fn count_jobs(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let default = cores.min(DEFAULT_JOBS);
        let wanted = self.args.jobs.map_or(default, usize::from);
        wanted.min(self.count_runs())
    }

    /// Runs all scripts. `print` gets the results of each script in the order of the scripts, as
    /// soon as they exist.
    pub(crate) fn run(
        &self,
        print: impl FnMut(&[Option<Record>]) -> Result<(), Fatal>,
    ) -> Result<Vec<Row>, Fatal> {
        let (sender, results) = channel();
        thread::scope(|scope| {
            for number in 0..self.count_jobs() {
                let sender = sender.clone();
                scope.spawn(move || self.run_thread(number, &sender));
            }
            drop(sender);
            let rows = self.collect(&results, print);
            // After an error nothing more is begun.
            self.stop.store(true, Ordering::Relaxed);
            self.progress.finish();
            rows
        })
    }

    /// Runs one thread: takes scripts from the queue of its device first, then from the others.
    fn run_thread(&self, number: usize, results: &Sender<Done>) {
        let count = self.devices.len();
        for offset in 0..count {
            let device = (number + offset) % count;
            // Without this thread, no other may run the scripts of the device. Other threads only
            // help.
            let mine = offset == 0 && number < count || self.count_jobs() < count;
            let worker = match mine {
                true => Ok(self.take_first_worker(device)),
                false if self.is_empty(device) => continue,
                false => Worker::start(&self.devices[device].args, &self.progress),
            };
            match worker {
                Ok(worker) => self.run_queue(device, worker, results),
                Err(Fatal(message)) => self.progress.err(&format!("a job less: {message}\n")),
            }
        }
    }

    fn take_first_worker(&self, device: usize) -> Worker {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first
            .take()
            .unwrap_or_else(|| Worker::new(&self.devices[device].args, &self.progress))
    }

    fn is_empty(&self, device: usize) -> bool {
        self.devices[device].next.load(Ordering::Relaxed) >= self.scripts.len()
    }

    /// Runs scripts until none is left.
    fn run_queue(&self, device: usize, mut worker: Worker, results: &Sender<Done>) {
        let target = &self.devices[device];
        while !self.stop.load(Ordering::Relaxed) {
            // Times of scripts differ widely, so each thread takes one after the other instead of a
            // share.
            let script = target.next.fetch_add(1, Ordering::Relaxed);
            let Some(path) = self.scripts.get(script) else {
                return;
            };
            self.progress
                .begin(&escape_control(&path.display().to_string()));
            let mut record = worker.run(path, self.args.retries);
            record.device.clone_from(&target.name);
            match self.judge {
                Judge::Nothing => {}
                Judge::Known(known) => record.judge(known),
                Judge::Expected(expected) => expected.judge(&mut record),
            }
            if self.args.fail_fast && record.outcome.is_failure() {
                self.stop.store(true, Ordering::Relaxed);
            }
            let done = Done {
                script,
                device,
                record,
            };
            // The receiver is gone after an error in the output.
            if results.send(done).is_err() {
                return;
            }
        }
    }

    /// Receives results and prints them in order.
    fn collect(
        &self,
        results: &Receiver<Done>,
        mut print: impl FnMut(&[Option<Record>]) -> Result<(), Fatal>,
    ) -> Result<Vec<Row>, Fatal> {
        let mut rows: Vec<Row> = vec![vec![None; self.devices.len()]; self.scripts.len()];
        let (mut printed, mut failed) = (0, 0);
        for done in results {
            failed += usize::from(done.record.outcome.is_failure());
            rows[done.script][done.device] = Some(done.record);
            self.progress.finish_script(failed);
            while let Some(row) = rows
                .get(printed)
                .filter(|row| row.iter().all(Option::is_some))
            {
                print(row)?;
                printed += 1;
            }
        }
        // The remaining results have gaps, because no more scripts were started.
        for row in &rows[printed..] {
            if row.iter().any(Option::is_some) {
                print(row)?;
            }
        }
        Ok(rows)
    }
}

/// Chooses the devices of a list such as `all` or `lavapipe,SwiftShader`, each once.
fn choose_devices(choice: &str, devices: &[DeviceName]) -> Result<Vec<DeviceName>, Fatal> {
    let available: Vec<String> = devices
        .iter()
        .map(|device| format!("{} ({})", device.index, device.name))
        .collect();
    let none = |wanted: &str| {
        Fatal(if available.is_empty() {
            "there is no Vulkan device".to_owned()
        } else {
            format!("no device {wanted}; there are {}", available.join(", "))
        })
    };
    if choice == "all" {
        return match devices {
            [] => Err(none("at all")),
            _ => Ok(devices.to_vec()),
        };
    }
    let find = |wanted: &str| {
        devices
            .iter()
            .find(|device| matches_device(device, wanted))
            .cloned()
    };
    // Names have commas too.
    if let Some(device) = find(choice) {
        return Ok(vec![device]);
    }
    let mut chosen: Vec<DeviceName> = Vec::new();
    for wanted in choice.split(',').map(str::trim) {
        let device = find(wanted).ok_or_else(|| none(&format!("`{wanted}`")))?;
        if !chosen.contains(&device) {
            chosen.push(device);
        }
    }
    Ok(chosen)
}

fn matches_device(device: &DeviceName, wanted: &str) -> bool {
    match glasm_vkrunner::DeviceChoice::parse(wanted) {
        glasm_vkrunner::DeviceChoice::Best => false,
        glasm_vkrunner::DeviceChoice::Index(index) => device.index == index,
        glasm_vkrunner::DeviceChoice::Name(name) => glasm_vkrunner::is_called(&device.name, &name),
    }
}

/// Returns the names of devices; equal ones with their numbers.
fn format_labels(devices: &[DeviceName]) -> Vec<String> {
    let label = |device: &DeviceName| {
        let same = |other: &&DeviceName| other.name == device.name;
        match devices.iter().filter(same).count() {
            1 => device.name.clone(),
            _ => format!("{} (device {})", device.name, device.index),
        }
    };
    devices.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn devices() -> Vec<DeviceName> {
        ["llvmpipe (LLVM 15, 256 bits)", "Card", "Card"]
            .into_iter()
            .enumerate()
            .map(|(index, name)| DeviceName {
                index,
                name: name.into(),
            })
            .collect()
    }

    fn chosen(choice: &str) -> Vec<usize> {
        let chosen = choose_devices(choice, &devices()).unwrap();
        chosen.into_iter().map(|device| device.index).collect()
    }

    #[test]
    fn devices_are_chosen_by_number_and_name() {
        assert_eq!(chosen("all"), [0, 1, 2]);
        assert_eq!(chosen("card, LAVAPIPE"), [1, 0]);
        assert_eq!(chosen("2,0,2"), [2, 0]);
        assert_eq!(chosen("llvmpipe (LLVM 15, 256 bits)"), [0]);
        let Err(Fatal(message)) = choose_devices("0,7", &devices()) else {
            panic!("chosen")
        };
        assert!(
            message.contains("`7`") && message.contains("1 (Card)"),
            "{message}"
        );
        assert!(choose_devices("all", &[]).is_err());
    }

    #[test]
    fn equal_names_get_numbers() {
        let labels = format_labels(&devices());
        assert_eq!(labels[0], "llvmpipe (LLVM 15, 256 bits)");
        assert_eq!(labels[1..], ["Card (device 1)", "Card (device 2)"]);
    }
}
