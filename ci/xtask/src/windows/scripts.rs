//! Scripts through `glasm.exe run --api gl` in Wine: the command is an application of WGL, with the
//! library in its directory.

use super::command::InstalledCommand;
use super::session::WineSession;
use crate::{script_steps, suite};
use anyhow::Result;
use glasm_ci_support::counts::Counts;
use std::path::{Path, PathBuf};

/// Known differences between scripts and the library, with the reasons: those of Linux.
const EXPECTED: &str = "tests/vendor/nv.txt";

/// Fewer passing scripts would mean that the library rejects programs that it accepted before.
const MIN_PASSED: u64 = 1000;

/// Longest list of scripts in bytes: Windows limits command lines to 32,767 characters.
const MAX_LIST_BYTES: usize = 30_000;

/// Runs the scripts of the NV languages with the command. Reports are written to the directory
/// `out`.
pub(super) fn run_scripts(
    session: &WineSession<'_>,
    installed: &InstalledCommand,
    out: &Path,
) -> Result<Counts> {
    let mut tally = Counts::default();
    for (index, scripts) in split_list(script_steps::find_nv_scripts()?)
        .iter()
        .enumerate()
    {
        let report = out.join(format!("scripts-{index}.json"));
        if report.exists() {
            std::fs::remove_file(&report)?;
        }
        let mut command = installed.command(session);
        // Unoptimized, the longest program takes more than the default limit.
        command.args(["run", "--api", "gl", "--timeout", "300"]);
        command.args(["--expected-failures", EXPECTED]);
        command.arg("--json").arg(&report).args(scripts);
        command.env("LIBGL_ALWAYS_SOFTWARE", "1");
        let (part, _) = suite::run_with_report(command, &report, "WGL")?;
        tally += part;
    }
    println!("WGL: {tally}");
    Ok(tally
        .require_passed(MIN_PASSED, "scripts")
        .without_skipped())
}

/// Splits a list into parts that fit on command lines, with the order of the list.
fn split_list(scripts: Vec<PathBuf>) -> Vec<Vec<PathBuf>> {
    let mut parts: Vec<Vec<PathBuf>> = Vec::new();
    let mut length = usize::MAX;
    for script in scripts {
        // With a separator and quotation marks.
        let own = script.as_os_str().len() + 3;
        length = length.saturating_add(own);
        match parts.last_mut() {
            Some(part) if length <= MAX_LIST_BYTES => part.push(script),
            Some(_) | None => {
                length = own;
                parts.push(vec![script]);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_on_command_lines() {
        let name = |index: usize| PathBuf::from(format!("{index:0>97}"));
        let parts = split_list((0..301).map(name).collect());
        let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
        assert_eq!(lengths, [300, 1]);
        assert_eq!(parts[1], [name(300)]);
        assert!(split_list(Vec::new()).is_empty());
        // A path that alone is too long has a separate part.
        let long = PathBuf::from("a".repeat(MAX_LIST_BYTES + 1));
        let parts = split_list(vec![name(0), long, name(1)]);
        assert_eq!(parts.len(), 3);
    }
}
