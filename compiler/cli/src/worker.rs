//! Worker processes that run scripts, so that a driver that crashes or hangs takes one script with it and not the whole run.
//!
//! A worker is this program with the hidden command `run-worker`. It gets the path of a script on each line of its standard input and
//! answers with one line of JSON behind a mark; lines without the mark come from drivers and layers and are passed on as messages.

use crate::args::{ValidationArg, WorkerArgs};
use crate::console::{Console, Fatal, Status};
use crate::report::Record;
use glasm_vkrunner::{DeviceChoice, RunOptions, Runner, Validation};
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Starts the lines that workers send. A control character that no driver prints.
const MARK: &str = "\u{1e}";
/// Time that a worker has to find its device.
const START_LIMIT: Duration = Duration::from_secs(120);
/// Time that a script may take over its limit: the worker itself reports draws that never end, and says more about them.
const GRACE: Duration = Duration::from_secs(5);
/// Time that a worker has to end by itself.
const END_LIMIT: Duration = Duration::from_secs(10);

/// What a worker sends.
#[derive(Serialize, Deserialize, Debug)]
enum Reply {
    /// It has a device of this name.
    Ready(String),
    /// It has no device.
    NoDevice(String),
    /// The result of a script.
    Done(Box<Record>),
}

/// The worker's side: runs scripts until there are no more.
pub(crate) fn work(args: &WorkerArgs) -> Result<Status, Fatal> {
    let runner = match Runner::new(&run_options(args)) {
        Ok(runner) => runner,
        Err(error) => {
            send(&Reply::NoDevice(error.to_string()))?;
            return Ok(Status::Success);
        }
    };
    let device = runner.device_info().name.clone();
    send(&Reply::Ready(device.clone()))?;
    for line in io::stdin().lock().lines() {
        let line = line.map_err(|error| Fatal::io("standard input", &error))?;
        let path: std::path::PathBuf =
            serde_json::from_str(&line).map_err(|error| Fatal(error.to_string()))?;
        let record = Record::new(&path, &device, runner.run_file(&path));
        send(&Reply::Done(Box::new(record)))?;
    }
    Ok(Status::Success)
}

fn run_options(args: &WorkerArgs) -> RunOptions {
    RunOptions {
        device: args
            .device
            .as_deref()
            .map_or(DeviceChoice::Best, DeviceChoice::parse),
        validation: match args.validation {
            ValidationArg::Auto => Validation::Auto,
            ValidationArg::Require => Validation::Require,
            ValidationArg::Off => Validation::Off,
        },
        save_images: args.save_images.clone(),
        failure_images: None,
        module_dir: args.module_dir.clone(),
        timeout: args.timeout,
        target: args.target.map(Into::into),
    }
}

fn send(reply: &Reply) -> Result<(), Fatal> {
    let text = serde_json::to_string(reply).map_err(|error| Fatal(error.to_string()))?;
    let mut stdout = io::stdout().lock();
    // The line end in front closes a line that a driver may have begun.
    write!(stdout, "\n{MARK}{text}\n")
        .and_then(|()| stdout.flush())
        .map_err(|error| Fatal::io("standard output", &error))
}

/// The command's side of one worker.
pub(crate) struct Worker<'a> {
    args: &'a WorkerArgs,
    console: Console,
    process: Option<Process>,
    /// Name of the device that the last process had.
    device: String,
}

impl<'a> Worker<'a> {
    /// Starts a process and waits until it has its device.
    pub(crate) fn start(args: &'a WorkerArgs, console: Console) -> Result<Self, Fatal> {
        let (process, device) = Process::start(command(args)?, console)?;
        Ok(Self {
            args,
            console,
            process: Some(process),
            device,
        })
    }

    /// Name of the device.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// Runs one script. If the process dies or takes too long, the script has failed and the next one gets a new process.
    pub(crate) fn run(&mut self, path: &Path) -> Record {
        let start = Instant::now();
        let lost = |device: &str, message| Record::lost(path, device, start.elapsed(), message);
        let mut process = match self.process.take() {
            Some(process) => process,
            None => {
                match command(self.args).and_then(|command| Process::start(command, self.console)) {
                    Ok((process, _)) => process,
                    Err(Fatal(message)) => return lost(&self.device, message),
                }
            }
        };
        match process.run(path, self.args.timeout + GRACE) {
            Ok(record) => {
                self.process = Some(process);
                record
            }
            Err(message) => lost(&self.device, message),
        }
    }
}

/// This program as a worker.
fn command(args: &WorkerArgs) -> Result<Command, Fatal> {
    let mut command = Command::new(std::env::current_exe().map_err(|error| cannot_start(&error))?);
    command.args(args.command_line());
    Ok(command)
}

fn cannot_start(error: &io::Error) -> Fatal {
    Fatal::io("a worker process cannot be started", error)
}

/// A running worker.
struct Process {
    child: Child,
    /// `None` once it was told that there are no more scripts.
    stdin: Option<ChildStdin>,
    replies: Receiver<Reply>,
}

impl Process {
    /// Starts a process and waits until it has a device; gives its name.
    fn start(mut command: Command, console: Console) -> Result<(Self, String), Fatal> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|error| cannot_start(&error))?;
        let stdin = child.stdin.take();
        let (sender, replies) = channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                read_replies(stdout, console, |reply| sender.send(reply).is_ok());
            });
        }
        let mut process = Self {
            child,
            stdin,
            replies,
        };
        match process.replies.recv_timeout(START_LIMIT) {
            Ok(Reply::Ready(device)) => Ok((process, device)),
            Ok(Reply::NoDevice(message)) => Err(Fatal(message)),
            Ok(Reply::Done(_)) => Err(Fatal(
                "a worker process answered before it was asked".to_owned(),
            )),
            Err(error) => Err(Fatal(format!("no device: {}", process.end(error)))),
        }
    }

    /// Runs one script; the error says how the process ended.
    fn run(&mut self, path: &Path, limit: Duration) -> Result<Record, String> {
        let request =
            serde_json::to_string(path).map_err(|error| format!("the path is no text: {error}"))?;
        if let Some(stdin) = &mut self.stdin {
            // A process that is gone shows in the missing reply.
            let _ = writeln!(stdin, "{request}").and_then(|()| stdin.flush());
        }
        match self.replies.recv_timeout(limit) {
            Ok(Reply::Done(record)) => Ok(*record),
            Ok(Reply::Ready(_) | Reply::NoDevice(_)) => {
                Err("the worker process answered something else".to_owned())
            }
            Err(RecvTimeoutError::Timeout) => Err(format!(
                "no result after {:.0} s; stopped: {}",
                limit.as_secs_f64(),
                self.end(RecvTimeoutError::Timeout)
            )),
            Err(error @ RecvTimeoutError::Disconnected) => Err(format!(
                "the process that ran the script died: {}",
                self.end(error)
            )),
        }
    }

    /// How the process ended: by itself, or now because it did not answer.
    fn end(&mut self, error: RecvTimeoutError) -> String {
        if error == RecvTimeoutError::Timeout {
            let _ = self.child.kill();
        }
        match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The reply channel closes when the process closes its output, that is, at its end.
        let ended = matches!(
            self.replies.recv_timeout(END_LIMIT),
            Err(RecvTimeoutError::Disconnected)
        );
        if !ended {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// Passes on replies until the end of the output or until nobody wants more.
fn read_replies(stdout: ChildStdout, console: Console, mut pass_on: impl FnMut(Reply) -> bool) {
    for line in BufReader::new(stdout).split(b'\n') {
        let Ok(line) = line else { return };
        let line = String::from_utf8_lossy(&line);
        match line.strip_prefix(MARK).map(serde_json::from_str) {
            Some(Ok(reply)) => {
                if !pass_on(reply) {
                    return;
                }
            }
            Some(Err(_)) | None if line.trim().is_empty() => {}
            Some(Err(_)) | None => console.err(&format!("{line}\n")),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::args::{Color, ConsoleArgs, MessageFormat};

    fn console() -> Console {
        Console::new(ConsoleArgs {
            message_format: MessageFormat::Human,
            color: Color::Never,
        })
    }

    /// A process that says that it has a device, and does `then` with the first script.
    fn process(then: &str) -> Process {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!(
            "printf '\\036{{\"Ready\":\"d\"}}\\n'; read -r script; {then}"
        ));
        let (process, device) = Process::start(command, console()).unwrap();
        assert_eq!(device, "d");
        process
    }

    #[test]
    fn results_come_between_lines_of_drivers() {
        let record = Record::lost(Path::new("a"), "d", Duration::ZERO, "x".into());
        let reply = serde_json::to_string(&Reply::Done(Box::new(record.clone()))).unwrap();
        let mut process = process(&format!("echo driver says; printf '\\036%s\\n' '{reply}'"));
        assert_eq!(
            process.run(Path::new("a"), Duration::from_secs(60)),
            Ok(record)
        );
    }

    #[test]
    fn processes_that_die_are_reported() {
        let message = process("kill -9 $$")
            .run(Path::new("a"), Duration::from_secs(60))
            .unwrap_err();
        assert!(
            message.starts_with("the process that ran the script died: ")
                && message.contains("signal: 9"),
            "{message}"
        );
    }

    #[test]
    fn processes_that_hang_are_stopped() {
        let message = process("exec sleep 600")
            .run(Path::new("a"), Duration::from_millis(100))
            .unwrap_err();
        assert!(
            message.starts_with("no result after 0 s; stopped: "),
            "{message}"
        );
    }

    #[test]
    fn workers_without_device_are_refused() {
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg("printf '\\036{\"NoDevice\":\"none\"}\\n'");
        let Err(Fatal(message)) = Process::start(command, console()) else {
            panic!("started")
        };
        assert_eq!(message, "none");
        assert!(Process::start(Command::new("false"), console()).is_err());
    }
}
