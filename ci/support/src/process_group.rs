//! Programs that run as long as this process: servers, and steps in the background.

use crate::shell;
use anyhow::{Context as _, Result};
use std::ffi::OsStr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

/// Script of a shell that runs its arguments as a command, and ends all processes of its group when
/// its standard input ends. The system closes the other end of that pipe however a process ends.
const SCRIPT: &str = r#"
exec 3<&0 </dev/null
(read -r _ <&3; kill 0) >/dev/null 2>&1 &
exec 3<&-
"$@"
status=$?
kill $!
exit $status
"#;

/// Program in a separate group of processes, which ends when this is dropped or when this process
/// ends, also by a signal. Programs that it starts belong to the group and end as well.
pub struct ProcessGroup {
    leader: Child,
    /// Is closed to end the group.
    input: Option<ChildStdin>,
}

impl ProcessGroup {
    /// Returns a command for [`Self::spawn`] that runs a program, without standard input.
    pub fn command(program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh"]).arg(program);
        command
    }

    /// Starts a command that [`Self::command`] returned.
    ///
    /// # Errors
    ///
    /// If the shell cannot be started. A program that cannot be started ends with an exit status.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        let mut leader = command
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| format!("running {}", shell::display_command(command)))?;
        let input = leader.stdin.take();
        Ok(Self { leader, input })
    }

    /// Returns the standard output, which must be piped.
    ///
    /// # Errors
    ///
    /// If it is not, or if an earlier call returned it.
    pub fn take_output(&mut self) -> Result<ChildStdout> {
        let output = self.leader.stdout.take();
        output.context("standard output is not piped")
    }

    /// Waits until the program ends.
    ///
    /// # Errors
    ///
    /// If the system has no exit status of it.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        Ok(self.leader.wait()?)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ = self.leader.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::time::{Duration, Instant};

    /// Starts a script, and returns its group and its output.
    fn start(script: &str) -> (ProcessGroup, BufReader<ChildStdout>) {
        let mut command = ProcessGroup::command("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        let mut group = ProcessGroup::spawn(&mut command).unwrap();
        let output = group.take_output().unwrap();
        (group, BufReader::new(output))
    }

    #[test]
    fn programs_return_their_status() {
        let (mut group, mut output) = start("cat; echo done; exit 3");
        assert_eq!(group.wait().unwrap().code(), Some(3));
        let mut text = String::new();
        // Reads to the end: no process of the group has the pipe any more.
        output.read_to_string(&mut text).unwrap();
        assert_eq!(text, "done\n");
    }

    #[test]
    fn programs_end_with_their_children() {
        let start_time = Instant::now();
        let (group, mut output) = start("sleep 100 & echo ready; sleep 100");
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        drop(group);
        // Both programs have the pipe until they end.
        output.read_to_string(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        assert!(start_time.elapsed() < Duration::from_secs(50));
    }
}
