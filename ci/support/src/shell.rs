//! Running other programs: echoing, capturing, finding them, and the repository root.

use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What failed, for [`take_failures`]: at the end of a run of all checks the output of one is far
/// away.
static FAILURES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Lines of the output of a failed command, or of the message of a failed check, that are stored.
const STORED_LINES: usize = 20;

/// Changes the working directory to the repository root, which all paths here are relative to.
pub fn enter_repository_root() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root
        .canonicalize()
        .with_context(|| format!("repository root {}", root.display()))?;
    std::env::set_current_dir(&root).with_context(|| format!("entering {}", root.display()))
}

/// Returns the target directory of cargo: `CARGO_TARGET_DIR`, otherwise `target`. Relative paths
/// are relative to the repository root.
pub fn target_dir() -> PathBuf {
    target_dir_of(std::env::var_os("CARGO_TARGET_DIR"))
}

/// Returns the directory of a step, or a file, below the target directory.
pub fn below_target(path: &str) -> PathBuf {
    target_dir().join(path)
}

/// Creates a directory and those above it. Errors name it.
pub fn create_dir(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("creating {}", path.display()))
}

/// Creates a directory and those above it, and removes its previous contents. Errors name it.
pub fn create_empty_dir(path: &Path) -> Result<()> {
    if path.exists() {
        std::fs::remove_dir_all(path).with_context(|| format!("emptying {}", path.display()))?;
    }
    create_dir(path)
}

/// Writes a program for the shell and returns its path. Errors name it.
pub fn write_program(path: &Path, text: &str) -> Result<PathBuf> {
    std::fs::write(path, text).with_context(|| path.display().to_string())?;
    std::fs::set_permissions(path, Permissions::from_mode(0o755))?;
    Ok(path.to_owned())
}

/// Returns cargo's target directory: the value of `CARGO_TARGET_DIR` unless it is unset or empty,
/// and `target` otherwise.
fn target_dir_of(variable: Option<OsString>) -> PathBuf {
    let set = variable.filter(|path| !path.is_empty());
    set.map_or_else(|| PathBuf::from("target"), PathBuf::from)
}

/// Returns the command of the cargo that runs this program, or of the one in `PATH`.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Returns the path of a program in `PATH`; `None` if no directory has it.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
}

/// Returns the files below `dir` with this extension, sorted. Errors name the directory.
pub fn find_files_below(dir: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut stack = vec![dir.to_owned()];
    while let Some(dir) = stack.pop() {
        for entry in
            std::fs::read_dir(&dir).with_context(|| format!("reading {}", dir.display()))?
        {
            let path = entry?.path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Formats a command with quoted arguments, without the directory of the program.
pub fn display_command(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(quote));
    words.join(" ")
}

/// Quotes a word for a shell, if it has special characters.
fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{word}'")
    }
}

/// Prints the command and runs it with the inherited input and output. Returns true if it
/// succeeded; an error if it cannot start.
pub fn run_succeeds(command: &mut Command) -> Result<bool> {
    println!("$ {}", display_command(command));
    let status = command
        .status()
        .with_context(|| format!("running {}", display_command(command)))?;
    if !status.success() {
        record_failure(command, "");
    }
    Ok(status.success())
}

/// Returns the commands and checks that have failed since the last call, each with the end of its
/// output or of its message.
pub fn take_failures() -> Vec<String> {
    std::mem::take(&mut FAILURES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Prints the message of a failed check, and records its first lines for the summary of the run.
pub fn report_failure(message: &str) {
    println!("{message}");
    let lines: Vec<&str> = message.lines().take(STORED_LINES).collect();
    store_failure(&lines);
}

/// Records a failed command with the last lines of its output, for the summary of the run.
fn record_failure(command: &Command, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(STORED_LINES)..];
    let command = format!("$ {}", display_command(command));
    store_failure(&[&[command.as_str()], last].concat());
}

/// Appends a failure to the list; lines after the first are indented.
fn store_failure(lines: &[&str]) {
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    failures.push(lines.join("\n    "));
}

/// Prints the command and runs it with the inherited input and output. Failure is an error.
pub fn run_checked(command: &mut Command) -> Result<()> {
    if !run_succeeds(command)? {
        bail!("`{}` failed", display_command(command));
    }
    Ok(())
}

/// Runs the command silently and returns its output, whether it succeeds or not.
pub fn capture_output(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null());
    command
        .output()
        .with_context(|| format!("running {}", display_command(command)))
}

/// Runs a command and returns the bytes that it prints. Fails with its messages if it fails.
pub fn read_checked_output(command: &mut Command) -> Result<Vec<u8>> {
    let output = capture_output(command)?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("`{}` failed: {}", display_command(command), messages.trim());
    }
    Ok(output.stdout)
}

/// Runs the command silently and returns its standard output, without spaces at its ends, whether
/// it succeeds or not.
pub fn read_output(command: &mut Command) -> Result<String> {
    let output = capture_output(command)?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Output of a command, which was forwarded, and its end.
pub struct CapturedOutput {
    /// Standard output, then standard error.
    pub text: String,
    /// Exit status 0.
    pub success: bool,
}

/// Prints the command, runs it, forwards its output line by line and returns a copy.
pub fn run_and_capture(command: &mut Command) -> Result<CapturedOutput> {
    println!("$ {}", display_command(command));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("running {}", display_command(command)))?;
    let errors = child.stderr.take().context("standard error was piped")?;
    let output = child.stdout.take().context("standard output was piped")?;
    let reader = std::thread::spawn(move || copy_lines(errors, std::io::stderr()));
    let mut text = copy_lines(output, std::io::stdout());
    text.push_str(&reader.join().unwrap_or_default());
    let status = child.wait()?;
    if !status.success() {
        record_failure(command, &text);
    }
    Ok(CapturedOutput {
        text,
        success: status.success(),
    })
}

/// Copies a stream line by line while it is read, and returns all of its text.
fn copy_lines(from: impl Read, mut to: impl Write) -> String {
    let mut text = String::new();
    let mut line = Vec::new();
    let mut reader = BufReader::new(from);
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|count| count > 0)
    {
        // A closed terminal must not end the run: the copy is essential.
        let _ = to.write_all(&line);
        text.push_str(&String::from_utf8_lossy(&line));
        line.clear();
    }
    text
}

/// Calls `work` for all items, `jobs` at a time, and returns its results in any order. Stops at the
/// first error.
pub fn run_in_parallel<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        let worker = || -> Result<()> {
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                let result =
                    work(item).inspect_err(|_| next.store(items.len(), Ordering::Relaxed))?;
                done.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(result);
            }
            Ok(())
        };
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, Result<()>>| {
            worker.join().expect("workers return their errors")
        };
        workers.into_iter().try_for_each(join)
    })?;
    Ok(done.into_inner().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_builds_where_it_is_told() {
        let of = |path: Option<&str>| target_dir_of(path.map(OsString::from));
        assert_eq!(of(Some("/tmp/elsewhere")), Path::new("/tmp/elsewhere"));
        assert_eq!(of(Some("")), Path::new("target"));
        assert_eq!(of(None), Path::new("target"));
    }
}
