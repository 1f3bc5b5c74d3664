//! Execution of programs that may hang, crash, or allocate all memory.

use anyhow::{Context, Result};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Most address space of a process, in KiB. Drivers reserve much more than they use.
const ADDRESS_SPACE: u64 = 16 << 20;

/// Polling interval of processes.
const POLL: Duration = Duration::from_millis(5);

/// Exit of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProcessExit {
    /// The process exited successfully.
    Success,
    /// The process exited with an error, or by a signal.
    Failure,
    /// The process exceeded the time limit.
    Hang,
}

/// Returns a command that runs `program` with little memory.
pub(crate) fn build_limited_command(program: &Path) -> Command {
    if cfg!(not(unix)) {
        return Command::new(program);
    }
    let mut shell = Command::new("sh");
    let script = format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\"");
    shell.args([OsStr::new("-c"), OsStr::new(&script), program.as_os_str()]);
    shell
}

/// Runs a command, its output in a file, and ends it with all its children after `limit`.
pub(crate) fn run_with_limit(
    mut command: Command,
    output: &Path,
    limit: Duration,
) -> Result<ProcessExit> {
    let file =
        std::fs::File::create(output).with_context(|| format!("writing {}", output.display()))?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().context("starting a process")?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() {
                ProcessExit::Success
            } else {
                ProcessExit::Failure
            });
        }
        if start.elapsed() > limit {
            // The whole group is terminated: workers that hang do not notice a closed pipe.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.kill();
            child.wait()?;
            return Ok(ProcessExit::Hang);
        }
        std::thread::sleep(POLL);
    }
}
