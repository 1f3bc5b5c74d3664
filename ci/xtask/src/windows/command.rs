//! The command `glasm.exe` in Wine: its output is compared with that of the command for Linux.

use super::session::WineSession;
use super::toolchain::Toolchain;
use crate::suite;
use anyhow::{Context as _, Result};
use glasm_ci_support::counts::Counts;
use glasm_ci_support::{shell, vulkan};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Source of the library with random numbers, which Wine 8 lacks and Windows has.
const RANDOM_SOURCE: &str = "glvendor/tests/windows/bcryptprimitives.c";

/// Name of a program with characters that code pages of Windows lack.
const VALID: (&str, &str) = (
    "größe ☃.fp",
    "!!ARBfp1.0\nMOV result.color, {0, 1, 0, 1};\nEND\n",
);

/// Program with an error.
const INVALID: (&str, &str) = (
    "invalid.vp",
    "!!ARBvp1.0\nMOV result.position, nothing;\nEND\n",
);

/// Command lines whose output is that of Linux, except for the separators in paths.
const COMMAND_LINES: [&[&str]; 3] = [
    &["check", "programs"],
    &["check", "--message-format", "json", "programs/invalid.vp"],
    &["explain", "MAD"],
];

/// Script that the command runs on Vulkan.
const SCRIPT: &str = "shaders/golfball.shader_test";

/// The command with the vendor library in its directory.
pub(super) struct InstalledCommand {
    program: PathBuf,
    directory: PathBuf,
}

impl InstalledCommand {
    /// Copies the command and the library to a directory.
    pub(super) fn install(
        toolchain: &Toolchain,
        command: &Path,
        library: &Path,
        directory: PathBuf,
    ) -> Result<Self> {
        shell::create_dir(&directory)?;
        let program = directory.join("glasm.exe");
        for (source, target) in [
            (command, &program),
            (library, &directory.join("opengl32.dll")),
        ] {
            std::fs::copy(source, target).with_context(|| source.display().to_string())?;
        }
        let mut compiler = toolchain.c_compiler();
        compiler.args(["-shared", "-static", "-Wl,--kill-at", "-o"]);
        compiler.arg(directory.join("bcryptprimitives.dll"));
        compiler.args([RANDOM_SOURCE, "-ladvapi32"]);
        shell::run_checked(&mut compiler)?;
        Ok(Self { program, directory })
    }

    /// Returns the command in Wine, as an application of the library.
    pub(super) fn command(&self, session: &WineSession<'_>) -> Command {
        let mut command = session.command(&self.program);
        let overrides = "mscoree,mshtml=;opengl32,bcryptprimitives=n,b";
        command.env("WINEDLLOVERRIDES", overrides);
        command
    }

    /// Compares its output, and modules that it writes, with those of Linux, and runs a script on
    /// Vulkan.
    pub(super) fn test(&self, session: &WineSession<'_>) -> Result<Counts> {
        let programs = self.directory.join("programs");
        shell::create_empty_dir(&programs)?;
        for (name, text) in [VALID, INVALID] {
            std::fs::write(programs.join(name), text)?;
        }
        let mut tally = Counts::default();
        for arguments in COMMAND_LINES {
            let windows = self.read_output(self.command(session), arguments)?;
            let linux = self.read_output(suite::glasm_command()?, arguments)?;
            let difference = format!("instead of:\n{linux}\nthe output is:\n{windows}");
            let name = format!("output of {arguments:?}");
            tally += check(&name, windows == linux, &difference);
        }
        tally += self.test_modules(session)?;
        tally += self.test_vulkan(session)?;
        Ok(tally)
    }

    /// Runs a command with arguments and returns what it prints, with the separators of Linux. Those
    /// of Windows are doubled in JSON.
    fn read_output(&self, mut command: Command, arguments: &[&str]) -> Result<String> {
        let output = shell::capture_output(command.args(arguments).current_dir(&self.directory))?;
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let text = text.replace("\\\\", "/").replace('\\', "/");
        Ok(format!("{text}{:?}", output.status.code()))
    }

    /// Compares the module of a program, which a pattern names.
    fn test_modules(&self, session: &WineSession<'_>) -> Result<Counts> {
        let compile = |command: Command, program: &str, module: &str| -> Result<Vec<u8>> {
            let path = self.directory.join(module);
            // That of an earlier run.
            let _ = std::fs::remove_file(&path);
            self.read_output(command, &["compile", program, "-o", module])?;
            Ok(std::fs::read(path).unwrap_or_default())
        };
        let windows = compile(self.command(session), "programs/gr*.fp", "windows.spv")?;
        let name = format!("programs/{}", VALID.0);
        let linux = compile(suite::glasm_command()?, &name, "linux.spv")?;
        let lengths = format!("{} bytes instead of {}", windows.len(), linux.len());
        let is_equal = !linux.is_empty() && windows == linux;
        Ok(check("module", is_equal, &lengths))
    }

    /// Runs a script on Vulkan, by `vulkan-1.dll`.
    fn test_vulkan(&self, session: &WineSession<'_>) -> Result<Counts> {
        let Some(driver) = &session.wine.vulkan_driver else {
            println!("lavapipe is not installed: skipped");
            return Ok(Counts::one_skipped());
        };
        let mut command = self.command(session);
        vulkan::use_driver(&mut command, driver);
        let script = std::path::absolute(SCRIPT)?;
        command.args(["run", "--validation", "off"]).arg(script);
        let output = shell::capture_output(&mut command)?;
        let [text, errors] =
            [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
        let passed = text.contains("1 passed, 0 failed");
        Ok(check("Vulkan", passed, &format!("{text}{errors}")))
    }
}

/// Counts a check. Reports its name and the details if it failed.
fn check(name: &str, passed: bool, details: &str) -> Counts {
    if !passed {
        shell::report_failure(&format!("FAIL glasm.exe: {name}: {details}"));
    }
    Counts::from_check(passed)
}
