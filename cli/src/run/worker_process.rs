//! One worker process from the side of the command: starting it, sending requests, and reporting
//! its end.
//!
//! Two threads read the output of the process, so that neither pipe fills up. Standard output
//! carries the replies, one line of JSON each after a mark; all other lines come from drivers and
//! layers. They are forwarded as messages, and the last of them are retained: they often explain
//! why a process died.

use super::worker::{REPLY_MARK, Reply};
use crate::console::Fatal;
use crate::progress::Progress;
use glasm_scripts::timing::Stopwatch;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time that a worker has to find its device.
const START_TIMEOUT: Duration = Duration::from_secs(120);
/// Time that a worker has to end by itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for the last output of a process that has ended. Child processes of it may hold its pipes
/// open.
const STDERR_DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
/// Number of lines that are retained for the report of a crash.
const MAX_REPORTED_LINES: usize = 12;
/// Number of lines that are forwarded for one script; a faulty driver may write without end.
const MAX_FORWARDED_LINES: usize = 200;
/// Longest line in bytes that is retained or forwarded.
const MAX_LINE_LENGTH: usize = 1000;
/// Longest reply.
const MAX_REPLY_BYTES: u64 = 256 << 20;

/// Events from the pipe of replies.
enum Event {
    /// A reply.
    Reply(Reply),
    /// A line with the mark that is none.
    InvalidReply(String),
}

/// Reason for a missing reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum WorkerFailure {
    /// The process ended.
    Exited(String),
    /// The process took too long and was stopped.
    TimedOut(String),
    /// The process sent something else and was stopped.
    ProtocolError(String),
}

impl WorkerFailure {
    /// Returns the description of the reason, with the last lines that the process wrote.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Exited(text) | Self::TimedOut(text) | Self::ProtocolError(text) => text,
        }
    }
}

/// Output of drivers since the last script began.
#[derive(Default)]
struct DriverOutput {
    last: VecDeque<String>,
    count: usize,
}

impl DriverOutput {
    /// Records a line, truncated to [`MAX_LINE_LENGTH`] characters, as one of the last ones.
    /// Returns the line if it is to be forwarded, `(and more)` at the limit, then `None`.
    fn record_line(&mut self, mut line: String) -> Option<String> {
        let end = line
            .char_indices()
            .nth(MAX_LINE_LENGTH)
            .map(|(index, _)| index);
        if let Some(end) = end {
            line.truncate(end);
            line.push_str(" ...");
        }
        self.count += 1;
        if self.last.len() == MAX_REPORTED_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.clone());
        match self.count {
            ..MAX_FORWARDED_LINES => Some(line),
            MAX_FORWARDED_LINES => Some("(and more)".to_owned()),
            _ => None,
        }
    }
}

/// A running worker.
pub(crate) struct WorkerProcess {
    child: Child,
    /// `None` after the end of the scripts was signaled.
    stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    /// Closes when standard error closes.
    stderr_open: Receiver<()>,
    driver_output: Arc<Mutex<DriverOutput>>,
}

impl WorkerProcess {
    /// Starts a process with threads that read its output, and waits for its first reply. Returns
    /// an error if it does not start or ends before.
    pub(crate) fn start(mut command: Command, progress: &Progress) -> Result<(Self, Reply), Fatal> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| err_cannot_start(&error))?;
        let chatter = Arc::new(Mutex::new(DriverOutput::default()));
        let (sender, events) = channel();
        if let Some(stdout) = child.stdout.take() {
            let listener = PipeReader::new(&chatter, progress);
            thread::spawn(move || {
                listener.read_replies(stdout, |event| sender.send(event).is_ok());
            });
        }
        let (stderr_guard, stderr_open) = channel();
        if let Some(stderr) = child.stderr.take() {
            let listener = PipeReader::new(&chatter, progress);
            thread::spawn(move || {
                listener.read_lines(stderr);
                drop(stderr_guard);
            });
        }
        let mut process = Self {
            stdin: child.stdin.take(),
            child,
            events,
            stderr_open,
            driver_output: chatter,
        };
        match process.read_reply(START_TIMEOUT) {
            Ok(reply) => Ok((process, reply)),
            Err(lost) => Err(Fatal(format!("no device: {}", lost.message()))),
        }
    }

    /// Sends the path of a script to the process and waits for its result for `limit`; clears the
    /// recorded output of drivers first. After an error the process has ended.
    pub(crate) fn run_script(
        &mut self,
        path: &Path,
        limit: Duration,
    ) -> Result<Reply, WorkerFailure> {
        // Names of files may have line ends, JSON has none.
        let request = serde_json::to_string(path).map_err(|error| {
            WorkerFailure::ProtocolError(format!("the path is no text: {error}"))
        })?;
        *self.lock_driver_output() = DriverOutput::default();
        if let Some(stdin) = &mut self.stdin {
            // A process that is gone shows in the missing reply.
            let _ = writeln!(stdin, "{request}").and_then(|()| stdin.flush());
        }
        self.read_reply(limit)
    }

    /// Receives the next reply. If it is invalid or takes longer than `limit`, ends the process;
    /// the error has the last lines that drivers have written.
    fn read_reply(&mut self, limit: Duration) -> Result<Reply, WorkerFailure> {
        match self.receive_event(limit) {
            Ok(Event::Reply(reply)) => Ok(reply),
            Ok(Event::InvalidReply(line)) => {
                self.kill();
                let line: String = line.chars().take(MAX_LINE_LENGTH).collect();
                Err(WorkerFailure::ProtocolError(self.with_driver_output(
                    format!("invalid reply from the worker process: {line}"),
                )))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                Err(WorkerFailure::TimedOut(self.with_driver_output(format!(
                    "timed out: no result after {:.0} s, the worker process was stopped",
                    limit.as_secs_f64()
                ))))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let end = match self.child.wait() {
                    Ok(status) => describe_exit(status),
                    Err(error) => error.to_string(),
                };
                Err(WorkerFailure::Exited(self.with_driver_output(format!(
                    "crashed: the worker process {end}"
                ))))
            }
        }
    }

    /// Waits for a reply or the end of the process. `limit` applies to its CPU time, so that it
    /// waits longer if the machine is busy.
    fn receive_event(&self, limit: Duration) -> Result<Event, RecvTimeoutError> {
        let watch = Stopwatch::for_process(self.child.id());
        loop {
            let time = watch.remaining(limit).ok_or(RecvTimeoutError::Timeout)?;
            match self.events.recv_timeout(time) {
                Err(RecvTimeoutError::Timeout) => {}
                result => return result,
            }
        }
    }

    /// Locks the lines that drivers have written, even after a panic of another thread.
    fn lock_driver_output(&self) -> std::sync::MutexGuard<'_, DriverOutput> {
        self.driver_output
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends the last lines that drivers have written during the current script to a message,
    /// after waiting up to [`STDERR_DRAIN_TIMEOUT`] for the end of standard error.
    fn with_driver_output(&self, mut message: String) -> String {
        // Until the thread has read everything.
        let _ = self.stderr_open.recv_timeout(STDERR_DRAIN_TIMEOUT);
        let chatter = self.lock_driver_output();
        if !chatter.last.is_empty() {
            message.push_str("\nlast lines of its output:");
        }
        for line in &chatter.last {
            message.push_str("\n| ");
            message.push_str(line);
        }
        message
    }

    /// Terminates the process and waits for its end; does nothing if it has ended.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The pipe of replies closes when the process closes its output, that is, at its end.
        let ended = matches!(
            self.events.recv_timeout(EXIT_TIMEOUT),
            Err(RecvTimeoutError::Disconnected)
        );
        if !ended {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// A thread that reads a pipe.
struct PipeReader {
    driver_output: Arc<Mutex<DriverOutput>>,
    progress: Progress,
}

impl PipeReader {
    /// Creates a reader that records lines other than replies in `chatter` and prints them through
    /// `progress`.
    fn new(chatter: &Arc<Mutex<DriverOutput>>, progress: &Progress) -> Self {
        Self {
            driver_output: Arc::clone(chatter),
            progress: progress.clone(),
        }
    }

    /// Calls `forward` with the replies, and records all other lines, until the end of the output
    /// or until `forward` returns false.
    fn read_replies(&self, stdout: impl Read, mut forward: impl FnMut(Event) -> bool) {
        let mut reader = BufReader::new(stdout);
        while let Some(line) = read_line(&mut reader, MAX_REPLY_BYTES) {
            let event =
                line.strip_prefix(REPLY_MARK)
                    .map(|text| match serde_json::from_str(text) {
                        Ok(reply) => Event::Reply(reply),
                        Err(error) => Event::InvalidReply(format!("{error} in {text}")),
                    });
            match event {
                Some(event) => {
                    if !forward(event) {
                        return;
                    }
                }
                None => self.record_line(line),
            }
        }
    }

    /// Records the lines of standard error until its end. Longer lines than 64 KiB are divided.
    fn read_lines(&self, stderr: impl Read) {
        let mut reader = BufReader::new(stderr);
        while let Some(line) = read_line(&mut reader, 1 << 16) {
            self.record_line(line);
        }
    }

    /// Records a line that a driver has written, unless it is empty, and prints it to standard
    /// error if it is to be forwarded.
    fn record_line(&self, line: String) {
        if line.trim().is_empty() {
            return;
        }
        let line = {
            let mut chatter = self
                .driver_output
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            chatter.record_line(line)
        };
        if let Some(line) = line {
            self.progress.write_err(&format!("{line}\n"));
        }
    }
}

/// Reads the next line without its end, or as much of it as the limit in bytes allows; `None` at
/// the end and after an error.
fn read_line(reader: &mut impl BufRead, limit: u64) -> Option<String> {
    let mut line = Vec::new();
    match reader.take(limit).read_until(b'\n', &mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => {
            let line = line.strip_suffix(b"\n").unwrap_or(&line);
            Some(String::from_utf8_lossy(line).into_owned())
        }
    }
}

/// Returns the error that a worker process cannot be started.
pub(super) fn err_cannot_start(error: &io::Error) -> Fatal {
    Fatal::from_io("a worker process cannot be started", error)
}

/// Describes an exit status: `died of SIGSEGV (signal 11, wild memory access)`,
/// `ended with exit status 3`.
fn describe_exit(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match describe_signal(signal) {
            Some((name, meaning)) => format!("died of {name} (signal {signal}, {meaning})"),
            None => format!("died of signal {signal}"),
        };
    }
    match status.code() {
        // Windows ends processes with the code of an exception, whose highest bits are set.
        Some(code) if cfg!(windows) && code < 0 => {
            let meaning = describe_exception(code.cast_unsigned());
            format!("died of exception {code:#010x}{meaning}")
        }
        Some(code) => format!("ended with exit status {code}"),
        None => status.to_string(),
    }
}

/// Returns a common cause of an exception of Windows, after a separator; nothing for others.
fn describe_exception(code: u32) -> &'static str {
    match code {
        0xC000_0005 => " (wild memory access)",
        0xC000_0017 => " (memory ran out)",
        0xC000_001D => " (invalid instruction)",
        0xC000_0094 | 0xC000_0095 => " (arithmetic error)",
        0xC000_00FD => " (the stack overflowed)",
        0xC000_0409 => " (aborted by itself)",
        _ => "",
    }
}

/// Returns the name and a common cause of a signal; `None` for others. Its numbers are the same on
/// all systems that have them, except for `SIGBUS`.
#[cfg(unix)]
fn describe_signal(signal: i32) -> Option<(&'static str, &'static str)> {
    let bus = if cfg!(any(target_os = "linux", target_os = "android")) {
        7
    } else {
        10
    };
    Some(match signal {
        2 => ("SIGINT", "interrupted"),
        4 => ("SIGILL", "invalid instruction"),
        5 => ("SIGTRAP", "trap"),
        6 => ("SIGABRT", "aborted by itself"),
        8 => ("SIGFPE", "arithmetic error"),
        9 => ("SIGKILL", "killed, perhaps because memory ran out"),
        11 => ("SIGSEGV", "wild memory access"),
        15 => ("SIGTERM", "told to end"),
        _ if signal == bus => ("SIGBUS", "wild memory access"),
        _ => return None,
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::report::ScriptResult;

    /// Starts a process that reports a device, and does `then` with the first script.
    fn process(then: &str) -> WorkerProcess {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!(
            "printf '\\036{{\"Ready\":\"d\"}}\\n'; read -r script; {then}"
        ));
        let (process, reply) = WorkerProcess::start(command, &Progress::new_hidden()).unwrap();
        assert_eq!(reply, Reply::Ready("d".into()));
        process
    }

    /// Returns the failure of a process that does `then` with its script.
    fn run_lost(then: &str) -> WorkerFailure {
        process(then)
            .run_script(Path::new("a"), Duration::from_secs(60))
            .unwrap_err()
    }

    #[test]
    fn results_come_between_lines_of_drivers() {
        let record = ScriptResult::from_failure(Path::new("a"), "d", Duration::ZERO, "x".into());
        let reply = Reply::Done(Box::new(record));
        let text = serde_json::to_string(&reply).unwrap();
        let mut process = process(&format!("echo driver says; printf '\\036%s\\n' '{text}'"));
        assert_eq!(
            process.run_script(Path::new("a"), Duration::from_secs(60)),
            Ok(reply)
        );
    }

    #[test]
    fn processes_that_die_are_reported_with_their_last_words() {
        let lost = run_lost("echo giving up >&2; kill -9 $$");
        let expected = "crashed: the worker process died of SIGKILL (signal 9, killed, perhaps because memory ran out)\n\
                        last lines of its output:\n| giving up";
        assert_eq!(lost, WorkerFailure::Exited(expected.into()));
        assert!(
            run_lost("kill -SEGV $$")
                .message()
                .contains("died of SIGSEGV (signal 11")
        );
        assert_eq!(
            run_lost("exit 3").message(),
            "crashed: the worker process ended with exit status 3"
        );
    }

    #[test]
    fn only_the_last_of_many_lines_are_told() {
        let lost =
            run_lost("i=0; while [ $i -lt 500 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
        assert_eq!(lost.message().lines().count(), 2 + MAX_REPORTED_LINES);
        assert!(lost.message().ends_with("| line 499"), "{lost:?}");
    }

    #[test]
    fn processes_that_hang_are_stopped() {
        let lost = process("exec sleep 600")
            .run_script(Path::new("a"), Duration::from_millis(100))
            .unwrap_err();
        assert!(
            matches!(&lost, WorkerFailure::TimedOut(text) if text.starts_with("timed out: no result after 0 s")),
            "{lost:?}"
        );
    }

    #[test]
    fn answers_that_cannot_be_read_are_reported() {
        let lost = run_lost("printf '\\036{\"Done\":17}\\n'; exec sleep 600");
        assert!(
            matches!(&lost, WorkerFailure::ProtocolError(text) if text.contains("{\"Done\":17}")),
            "{lost:?}"
        );
        // Without the mark and without line ends, it is output of a driver.
        let lost =
            run_lost("head -c 300000 /dev/zero; printf '\\377\\n\\n{\"Done\":17}\\n'; exit 1");
        assert!(matches!(lost, WorkerFailure::Exited(_)), "{lost:?}");
    }

    #[test]
    fn processes_that_say_nothing_are_no_workers() {
        let Err(Fatal(message)) =
            WorkerProcess::start(Command::new("false"), &Progress::new_hidden())
        else {
            panic!("started")
        };
        assert!(message.starts_with("no device: crashed: "), "{message}");
    }
}
