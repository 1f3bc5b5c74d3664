//! One worker process as the command sees it: starting it, asking it, and saying how it ended.
//!
//! Two threads read what the process writes, so that neither pipe fills up. Standard output
//! carries the replies, one line of JSON each after a mark; all other lines come from drivers and
//! layers. They are passed on as messages, and the last of them are retained: they often say why a
//! process died.

use super::progress::Progress;
use super::worker::{MARK, Reply};
use crate::console::Fatal;
use glasm_scripts::stopwatch::Stopwatch;
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time that a worker has to find its device.
const START_LIMIT: Duration = Duration::from_secs(120);
/// Time that a worker has to end by itself.
const END_LIMIT: Duration = Duration::from_secs(10);
/// Time for the last words of a process that is gone. Children of its own may keep its pipes open.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(2);
/// Lines that are retained for the report of a crash.
const KEPT_LINES: usize = 12;
/// Lines that are passed on for one script; a driver in trouble may write without end.
const PASSED_LINES: usize = 200;
/// Longest line that is retained or passed on.
const LINE_LIMIT: usize = 1000;
/// Longest reply.
const REPLY_LIMIT: u64 = 256 << 20;

/// What comes through the pipe of replies.
enum Event {
    /// A reply.
    Reply(Reply),
    /// A line with the mark that is none.
    Garbage(String),
}

/// Why there is no reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Lost {
    /// The process ended.
    Died(String),
    /// The process took too long and was stopped.
    Stopped(String),
    /// The process sent something else and was stopped.
    Confused(String),
}

impl Lost {
    /// Returns the reason of the end, with the last lines that the process wrote.
    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Died(text) | Self::Stopped(text) | Self::Confused(text) => text,
        }
    }
}

/// What drivers wrote since the last script began.
#[derive(Default)]
struct Chatter {
    last: VecDeque<String>,
    count: usize,
}

impl Chatter {
    /// Keeps a line; gives what to pass on.
    fn hear(&mut self, mut line: String) -> Option<String> {
        let end = line.char_indices().nth(LINE_LIMIT).map(|(index, _)| index);
        if let Some(end) = end {
            line.truncate(end);
            line.push_str(" ...");
        }
        self.count += 1;
        if self.last.len() == KEPT_LINES {
            self.last.pop_front();
        }
        self.last.push_back(line.clone());
        match self.count {
            ..PASSED_LINES => Some(line),
            PASSED_LINES => Some("(and more)".to_owned()),
            _ => None,
        }
    }
}

/// A running worker.
pub(crate) struct Process {
    child: Child,
    /// `None` once it was told that there are no more scripts.
    stdin: Option<ChildStdin>,
    events: Receiver<Event>,
    /// Closes when standard error closes.
    stderr_open: Receiver<()>,
    chatter: Arc<Mutex<Chatter>>,
}

impl Process {
    /// Starts a process and waits for its first reply.
    pub(crate) fn start(mut command: Command, progress: &Progress) -> Result<(Self, Reply), Fatal> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| cannot_start(&error))?;
        let chatter = Arc::new(Mutex::new(Chatter::default()));
        let (sender, events) = channel();
        if let Some(stdout) = child.stdout.take() {
            let listener = Listener::new(&chatter, progress);
            thread::spawn(move || {
                listener.read_replies(stdout, |event| sender.send(event).is_ok());
            });
        }
        let (open, stderr_open) = channel();
        if let Some(stderr) = child.stderr.take() {
            let listener = Listener::new(&chatter, progress);
            thread::spawn(move || {
                listener.read_lines(stderr);
                drop(open);
            });
        }
        let mut process = Self {
            stdin: child.stdin.take(),
            child,
            events,
            stderr_open,
            chatter,
        };
        match process.receive(START_LIMIT) {
            Ok(reply) => Ok((process, reply)),
            Err(lost) => Err(Fatal(format!("no device: {}", lost.message()))),
        }
    }

    /// Runs one script. After an error the process is gone.
    pub(crate) fn run(&mut self, path: &Path, limit: Duration) -> Result<Reply, Lost> {
        // Names of files may have line ends, JSON has none.
        let request = serde_json::to_string(path)
            .map_err(|error| Lost::Confused(format!("the path is no text: {error}")))?;
        *self.chatter() = Chatter::default();
        if let Some(stdin) = &mut self.stdin {
            // A process that is gone shows in the missing reply.
            let _ = writeln!(stdin, "{request}").and_then(|()| stdin.flush());
        }
        self.receive(limit)
    }

    /// Returns the next reply.
    fn receive(&mut self, limit: Duration) -> Result<Reply, Lost> {
        match self.next_event(limit) {
            Ok(Event::Reply(reply)) => Ok(reply),
            Ok(Event::Garbage(line)) => {
                self.stop();
                let line: String = line.chars().take(LINE_LIMIT).collect();
                Err(Lost::Confused(self.with_last_words(format!(
                    "the worker process sent an answer that cannot be read: {line}"
                ))))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.stop();
                Err(Lost::Stopped(self.with_last_words(format!(
                    "timed out: no result after {:.0} s, the worker process was stopped",
                    limit.as_secs_f64()
                ))))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let end = match self.child.wait() {
                    Ok(status) => describe(status),
                    Err(error) => error.to_string(),
                };
                Err(Lost::Died(self.with_last_words(format!(
                    "crashed: the worker process {end}"
                ))))
            }
        }
    }

    /// Waits for the process, longer if the machine is busy.
    fn next_event(&self, limit: Duration) -> Result<Event, RecvTimeoutError> {
        let watch = Stopwatch::of_process(self.child.id());
        loop {
            let time = watch.left(limit).ok_or(RecvTimeoutError::Timeout)?;
            match self.events.recv_timeout(time) {
                Err(RecvTimeoutError::Timeout) => {}
                result => return result,
            }
        }
    }

    fn chatter(&self) -> std::sync::MutexGuard<'_, Chatter> {
        self.chatter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the message, and what drivers wrote during the last script.
    fn with_last_words(&self, mut message: String) -> String {
        // Until the thread has read everything.
        let _ = self.stderr_open.recv_timeout(LAST_WORDS_LIMIT);
        let chatter = self.chatter();
        if !chatter.last.is_empty() {
            message.push_str("\nits last words:");
        }
        for line in &chatter.last {
            message.push_str("\n| ");
            message.push_str(line);
        }
        message
    }

    /// Ends the process now.
    pub(crate) fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The pipe of replies closes when the process closes its output, that is, at its end.
        let ended = matches!(
            self.events.recv_timeout(END_LIMIT),
            Err(RecvTimeoutError::Disconnected)
        );
        if !ended {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// A thread that reads a pipe.
struct Listener {
    chatter: Arc<Mutex<Chatter>>,
    progress: Progress,
}

impl Listener {
    fn new(chatter: &Arc<Mutex<Chatter>>, progress: &Progress) -> Self {
        Self {
            chatter: Arc::clone(chatter),
            progress: progress.clone(),
        }
    }

    /// Passes on replies until the end of the output or until no one wants more.
    fn read_replies(&self, stdout: impl Read, mut pass_on: impl FnMut(Event) -> bool) {
        let mut reader = BufReader::new(stdout);
        while let Some(line) = read_line(&mut reader, REPLY_LIMIT) {
            let event = line
                .strip_prefix(MARK)
                .map(|text| match serde_json::from_str(text) {
                    Ok(reply) => Event::Reply(reply),
                    Err(error) => Event::Garbage(format!("{error} in {text}")),
                });
            match event {
                Some(event) => {
                    if !pass_on(event) {
                        return;
                    }
                }
                None => self.hear(line),
            }
        }
    }

    fn read_lines(&self, stderr: impl Read) {
        let mut reader = BufReader::new(stderr);
        while let Some(line) = read_line(&mut reader, 1 << 16) {
            self.hear(line);
        }
    }

    fn hear(&self, line: String) {
        if line.trim().is_empty() {
            return;
        }
        let line = {
            let mut chatter = self.chatter.lock().unwrap_or_else(PoisonError::into_inner);
            chatter.hear(line)
        };
        if let Some(line) = line {
            self.progress.err(&format!("{line}\n"));
        }
    }
}

/// Reads the next line without its end, or as much of it as the limit allows; `None` at the end.
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

pub(super) fn cannot_start(error: &io::Error) -> Fatal {
    Fatal::io("a worker process cannot be started", error)
}

/// `died of SIGSEGV (signal 11, wild memory access)`, `ended with exit status 3`.
fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return match signal_name(signal) {
            Some((name, meaning)) => format!("died of {name} (signal {signal}, {meaning})"),
            None => format!("died of signal {signal}"),
        };
    }
    match status.code() {
        Some(code) => format!("ended with exit status {code}"),
        None => status.to_string(),
    }
}

/// Signals whose numbers are the same on all systems that have them, and two that differ between Linux and the others.
#[cfg(unix)]
fn signal_name(signal: i32) -> Option<(&'static str, &'static str)> {
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
    use crate::report::Record;

    /// Returns a process that says that it has a device, and does `then` with the first script.
    fn process(then: &str) -> Process {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!(
            "printf '\\036{{\"Ready\":\"d\"}}\\n'; read -r script; {then}"
        ));
        let (process, reply) = Process::start(command, &Progress::hidden()).unwrap();
        assert_eq!(reply, Reply::Ready("d".into()));
        process
    }

    fn lose(then: &str) -> Lost {
        process(then)
            .run(Path::new("a"), Duration::from_secs(60))
            .unwrap_err()
    }

    #[test]
    fn results_come_between_lines_of_drivers() {
        let record = Record::failed(Path::new("a"), "d", Duration::ZERO, "x".into());
        let reply = Reply::Done(Box::new(record));
        let text = serde_json::to_string(&reply).unwrap();
        let mut process = process(&format!("echo driver says; printf '\\036%s\\n' '{text}'"));
        assert_eq!(
            process.run(Path::new("a"), Duration::from_secs(60)),
            Ok(reply)
        );
    }

    #[test]
    fn processes_that_die_are_reported_with_their_last_words() {
        let lost = lose("echo giving up >&2; kill -9 $$");
        let expected = "crashed: the worker process died of SIGKILL (signal 9, killed, perhaps because memory ran out)\n\
                        its last words:\n| giving up";
        assert_eq!(lost, Lost::Died(expected.into()));
        assert!(
            lose("kill -SEGV $$")
                .message()
                .contains("died of SIGSEGV (signal 11")
        );
        assert_eq!(
            lose("exit 3").message(),
            "crashed: the worker process ended with exit status 3"
        );
    }

    #[test]
    fn only_the_last_of_many_lines_are_told() {
        let lost = lose("i=0; while [ $i -lt 500 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
        assert_eq!(lost.message().lines().count(), 2 + KEPT_LINES);
        assert!(lost.message().ends_with("| line 499"), "{lost:?}");
    }

    #[test]
    fn processes_that_hang_are_stopped() {
        let lost = process("exec sleep 600")
            .run(Path::new("a"), Duration::from_millis(100))
            .unwrap_err();
        assert!(
            matches!(&lost, Lost::Stopped(text) if text.starts_with("timed out: no result after 0 s")),
            "{lost:?}"
        );
    }

    #[test]
    fn answers_that_cannot_be_read_are_reported() {
        let lost = lose("printf '\\036{\"Done\":17}\\n'; exec sleep 600");
        assert!(
            matches!(&lost, Lost::Confused(text) if text.contains("{\"Done\":17}")),
            "{lost:?}"
        );
        // Without the mark, and without line ends, it is chatter.
        let lost = lose("head -c 300000 /dev/zero; printf '\\377\\n\\n{\"Done\":17}\\n'; exit 1");
        assert!(matches!(lost, Lost::Died(_)), "{lost:?}");
    }

    #[test]
    fn processes_that_say_nothing_are_no_workers() {
        let Err(Fatal(message)) = Process::start(Command::new("false"), &Progress::hidden()) else {
            panic!("started")
        };
        assert!(message.starts_with("no device: crashed: "), "{message}");
    }
}
