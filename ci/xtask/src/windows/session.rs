//! X server and Wine that run as long as the tests: otherwise each program would start both, which
//! takes longer than most programs.

use super::Wine;
use super::toolchain::Toolchain;
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::process_group::ProcessGroup;
use glasm_ci_support::shell;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// Source of the program that runs in Wine as long as a session.
const KEEPER_SOURCE: &str = "glvendor/tests/windows/keep.c";

/// X server. It ends when this is dropped, and with this process.
pub(super) struct XServer {
    _process: ProcessGroup,
    /// Value of `DISPLAY`.
    display: String,
}

impl XServer {
    /// Starts a server whose number no other one has.
    pub(super) fn start() -> Result<Self> {
        let mut command = ProcessGroup::command("Xvfb");
        command.args(["-displayfd", "1", "-nolisten", "tcp"]);
        command.args(["-screen", "0", "640x480x24", "-noreset"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = ProcessGroup::spawn(&mut command)?;
        let output = process.take_output()?;
        let number = read_line(output).context("Xvfb does not start")?;
        Ok(Self {
            _process: process,
            display: format!(":{number}"),
        })
    }

    /// Lets a command use the server.
    pub(super) fn set_display(&self, command: &mut Command) {
        command.env("DISPLAY", &self.display);
    }
}

/// Running Wine. Its processes end when this is dropped.
pub(super) struct WineSession<'a> {
    pub(super) wine: &'a Wine,
    server: &'a XServer,
    keeper: Child,
}

impl<'a> WineSession<'a> {
    /// Starts Wine, which creates its settings first. Files are written to the directory `out`.
    pub(super) fn start(
        wine: &'a Wine,
        server: &'a XServer,
        toolchain: &Toolchain,
        out: &Path,
    ) -> Result<Self> {
        create_settings(wine, server)?;
        let keeper = out.join("keep.exe");
        let mut compiler = toolchain.c_compiler();
        compiler.args(["-Wall", "-Werror", "-o"]).arg(&keeper);
        shell::run_checked(compiler.arg(KEEPER_SOURCE))?;
        let mut command = Command::new(&wine.program);
        command.arg(keeper).stdin(Stdio::piped());
        command.stderr(Stdio::null());
        wine.prefix.set_variables(&mut command);
        server.set_display(&mut command);
        let mut keeper = command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("running {}", shell::display_command(&command)))?;
        let output = keeper.stdout.take().context("standard output was piped")?;
        let session = Self {
            wine,
            server,
            keeper,
        };
        let line = read_line(output).context("Wine does not start")?;
        ensure!(line == "ready", "Wine does not start: {line}");
        Ok(session)
    }

    /// Returns a command that runs a program for Windows, whose arguments follow.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(&self.wine.program);
        command.arg(program);
        self.set_variables(&mut command);
        command
    }

    /// Lets programs that a command starts use this Wine.
    pub(super) fn set_variables(&self, command: &mut Command) {
        self.wine.prefix.set_variables(command);
        self.server.set_display(command);
    }
}

impl Drop for WineSession<'_> {
    fn drop(&mut self) {
        // The program ends with its standard input.
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}

/// Lets Wine create its settings, which takes several seconds the first time.
fn create_settings(wine: &Wine, server: &XServer) -> Result<()> {
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "120"]);
    command.arg(&wine.program).args(["cmd", "/c", "exit"]);
    wine.prefix.set_variables(&mut command);
    server.set_display(&mut command);
    shell::run_checked(&mut command)
}

/// Reads the first line of a program that continues to run.
fn read_line(output: ChildStdout) -> Result<String> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let line = line.trim();
    ensure!(!line.is_empty(), "it has ended");
    Ok(line.to_owned())
}
