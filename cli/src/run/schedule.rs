//! Hands out the scripts to workers, and puts the results into order.
//!
//! Each device has a queue of all scripts. A worker thread belongs to one device until its queue is
//! empty, and then helps the next one.

use super::expected_failures::ExpectedFailures;
use super::worker::{self, DeviceName, Worker};
use crate::args::{DevicesArgs, RunArgs, WorkerArgs};
use crate::console::replace_control_characters;
use crate::console::{Console, Fatal};
use crate::progress::Progress;
use crate::report::ScriptResult;
use glasm_scripts::compare::KnownDifferences;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Largest number of jobs, unless the user requests more.
const DEFAULT_JOBS: usize = 8;

/// Scripts to run, and their devices.
pub(crate) struct RunPlan<'a> {
    args: &'a RunArgs,
    judge: OutcomeRules<'a>,
    scripts: Vec<PathBuf>,
    devices: Vec<DeviceQueue>,
    progress: Progress,
    /// A worker that is there already, for the first device.
    first_worker: Mutex<Option<Worker>>,
    /// Set when nothing more is to begin.
    stop: AtomicBool,
}

/// Rules by which results are judged.
#[derive(Clone, Copy)]
pub(crate) enum OutcomeRules<'a> {
    /// None.
    NoRules,
    /// Differences between runs that are compared.
    KnownDifferences(&'a KnownDifferences),
    /// Scripts that fail.
    ExpectedFailures(&'a ExpectedFailures),
}

/// A device and its queue.
struct DeviceQueue {
    name: String,
    args: WorkerArgs,
    /// Index of the first script that no thread has taken.
    next_script: AtomicUsize,
}

/// A script that is done on a device.
struct CompletedScript {
    script: usize,
    device: usize,
    record: ScriptResult,
}

/// The results of a script, one for each device; `None` for scripts that did not run.
pub(crate) type Row = Vec<Option<ScriptResult>>;

impl<'a> RunPlan<'a> {
    /// Chooses the devices of the command line. Several, or `all`, are queried in a separate
    /// process; a single device is determined by starting its first worker. Returns an error if
    /// there is no such device.
    pub(crate) fn new(
        args: &'a RunArgs,
        judge: OutcomeRules<'a>,
        scripts: Vec<PathBuf>,
        console: Console,
    ) -> Result<Self, Fatal> {
        let hidden_progress = Progress::new(console, 0);
        let target = |name: String, args| DeviceQueue {
            name,
            args,
            next_script: AtomicUsize::new(0),
        };
        let mut first = None;
        let devices = match &args.worker.device {
            Some(choice) if choice == "all" || choice.contains(',') => {
                let api = args.worker.api;
                let chosen = choose_devices(
                    choice,
                    &worker::query_devices(DevicesArgs { api }, &hidden_progress)?,
                )?;
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
                let worker = first.insert(Worker::start(&args.worker, &hidden_progress)?);
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
            first_worker: Mutex::new(first),
            stop: AtomicBool::new(false),
        })
    }

    /// Returns the names of the devices, all different.
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

    /// Returns the number of results of a complete run: scripts times devices.
    pub(crate) fn count_runs(&self) -> usize {
        self.scripts.len() * self.devices.len()
    }

    /// Returns the number of worker threads: that of the command line, or the number of cores up to
    /// [`DEFAULT_JOBS`]; never more than there are results.
    fn compute_job_count(&self) -> usize {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let default = cores.min(DEFAULT_JOBS);
        let wanted = self.args.jobs.map_or(default, usize::from);
        wanted.min(self.count_runs())
    }

    /// Runs the scripts on worker threads and returns their results, with gaps where an early stop
    /// left scripts unrun. `print` gets the results of the scripts in their order, those of each
    /// script as soon as all exist; after an early stop also incomplete ones, but not empty ones.
    /// The only error is that of `print`, which stops the run.
    pub(crate) fn run(
        &self,
        print: impl FnMut(&[Option<ScriptResult>]) -> Result<(), Fatal>,
    ) -> Result<Vec<Row>, Fatal> {
        let (sender, results) = channel();
        thread::scope(|scope| {
            for thread_index in 0..self.compute_job_count() {
                let sender = sender.clone();
                scope.spawn(move || self.run_worker_thread(thread_index, &sender));
            }
            drop(sender);
            let rows = self.collect_results(&results, print);
            // After an error nothing more is begun.
            self.stop.store(true, Ordering::Relaxed);
            self.progress.finish();
            rows
        })
    }

    /// Runs one thread: executes the queue of its device first, then helps with those of the
    /// others. If a worker for another device does not start, prints the reason.
    fn run_worker_thread(&self, thread_index: usize, results: &Sender<CompletedScript>) {
        let count = self.devices.len();
        for offset in 0..count {
            let device = (thread_index + offset) % count;
            // Without this thread, no other may run the scripts of the device. Other threads only
            // help.
            let is_own_device =
                offset == 0 && thread_index < count || self.compute_job_count() < count;
            let worker = match is_own_device {
                true => Ok(self.take_first_worker(device)),
                false if self.is_queue_empty(device) => continue,
                false => Worker::start(&self.devices[device].args, &self.progress),
            };
            match worker {
                Ok(worker) => self.run_queue(device, worker, results),
                Err(Fatal(message)) => self
                    .progress
                    .write_err(&format!("one job fewer: {message}\n")),
            }
        }
    }

    /// Takes the worker that was started to determine the name of the device, if no thread has
    /// taken it yet; otherwise creates one for the device, which starts its process with the first
    /// script.
    fn take_first_worker(&self, device: usize) -> Worker {
        let mut first = self
            .first_worker
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        first
            .take()
            .unwrap_or_else(|| Worker::new(&self.devices[device].args, &self.progress))
    }

    /// Returns true if threads have taken all scripts of a device.
    fn is_queue_empty(&self, device: usize) -> bool {
        self.devices[device].next_script.load(Ordering::Relaxed) >= self.scripts.len()
    }

    /// Runs the remaining scripts of a device on a worker, applies the rules of the run to their
    /// results and sends them, until none is left, the run is stopped, or results are no longer
    /// received. With `--fail-fast` a failure stops the run.
    fn run_queue(&self, device: usize, mut worker: Worker, results: &Sender<CompletedScript>) {
        let target = &self.devices[device];
        while !self.stop.load(Ordering::Relaxed) {
            // Times of scripts differ widely, so each thread takes one after the other instead of a
            // share.
            let script = target.next_script.fetch_add(1, Ordering::Relaxed);
            let Some(path) = self.scripts.get(script) else {
                return;
            };
            self.progress
                .begin_script(&replace_control_characters(&path.display().to_string()));
            let mut record = worker.run_script(path, self.args.retries);
            record.device.clone_from(&target.name);
            match self.judge {
                OutcomeRules::NoRules => {}
                OutcomeRules::KnownDifferences(known) => record.apply_known_differences(known),
                OutcomeRules::ExpectedFailures(expected) => expected.apply_to(&mut record),
            }
            if self.args.fail_fast && record.outcome.is_failure() {
                self.stop.store(true, Ordering::Relaxed);
            }
            let done = CompletedScript {
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

    /// Receives all results, and prints those of each script in the order of the scripts, as soon
    /// as all devices have run it. After an early stop, incomplete ones are printed too, but not
    /// empty ones. Updates the progress bar. Returns the results, `None` where a script did not
    /// run; an error of `print` ends the loop and is returned.
    fn collect_results(
        &self,
        results: &Receiver<CompletedScript>,
        mut print: impl FnMut(&[Option<ScriptResult>]) -> Result<(), Fatal>,
    ) -> Result<Vec<Row>, Fatal> {
        let mut rows: Vec<Row> = vec![vec![None; self.devices.len()]; self.scripts.len()];
        let (mut printed, mut failed) = (0, 0);
        for completed in results {
            failed += usize::from(completed.record.outcome.is_failure());
            rows[completed.script][completed.device] = Some(completed.record);
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

/// Returns the devices of a list such as `all` or `lavapipe,SwiftShader`, each once; a name with a
/// comma can also be that of one device. Returns an error that lists the available ones if one is
/// missing.
fn choose_devices(choice: &str, devices: &[DeviceName]) -> Result<Vec<DeviceName>, Fatal> {
    let available: Vec<String> = devices
        .iter()
        .map(|device| format!("{} ({})", device.index, device.name))
        .collect();
    let err_no_device = |wanted: &str| {
        Fatal(if available.is_empty() {
            "no Vulkan device found".to_owned()
        } else {
            format!("no device {wanted}; there are {}", available.join(", "))
        })
    };
    if choice == "all" {
        return match devices {
            [] => Err(err_no_device("at all")),
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
        let device = find(wanted).ok_or_else(|| err_no_device(&format!("`{wanted}`")))?;
        if !chosen.contains(&device) {
            chosen.push(device);
        }
    }
    Ok(chosen)
}

/// Returns true if a device has the index or a matching name on the command line.
fn matches_device(device: &DeviceName, wanted: &str) -> bool {
    match glasm_vkrunner::DeviceChoice::parse(wanted) {
        glasm_vkrunner::DeviceChoice::Best => false,
        glasm_vkrunner::DeviceChoice::Index(index) => device.index == index,
        glasm_vkrunner::DeviceChoice::Name(name) => {
            glasm_vkrunner::matches_device_name(&device.name, &name)
        }
    }
}

/// Returns the names of devices; equal ones are followed by their indices, so that all differ.
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
