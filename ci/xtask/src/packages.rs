//! The package manager of this machine: installs through apt-get, prints package names for others.

use crate::installed;
use anyhow::{Result, bail, ensure};
use glasm_ci_support::shell;
use std::process::Command;

/// Package names of one need for the systems of [`SYSTEMS`]. For Debian and its derivatives all of
/// them are installed, except that of alternatives, which ` or ` separates, only the first
/// available one is.
pub(crate) type Names = [&'static str; 4];

/// Package managers, with their commands as users type them: of Debian, Fedora and Arch, and
/// Homebrew on macOS.
const SYSTEMS: [(&str, &str); 4] = [
    ("apt-get", "apt-get install --no-install-recommends"),
    ("dnf", "dnf install"),
    ("pacman", "pacman -S"),
    ("brew", "brew install"),
];

/// Returns the index in [`SYSTEMS`] of the package manager of this machine, if it is one of them.
pub(crate) fn detect_system() -> Option<usize> {
    if cfg!(target_os = "macos") {
        return Some(3);
    }
    let mut managers = SYSTEMS[..3].iter();
    managers.position(|(program, _)| installed::has_program(program))
}

/// Returns the command that installs packages on a system, for users.
pub(crate) fn hint(system: Option<usize>, names: &Names) -> String {
    match system {
        Some(system) => format!("{} {}", SYSTEMS[system].1, names[system]),
        None => {
            let fedora = names[1];
            format!("install the package that your system calls something like `{fedora}`")
        }
    }
}

/// apt-get, run as root or through sudo.
#[derive(Default)]
pub(crate) struct Apt {
    lists_are_fresh: bool,
}

impl Apt {
    /// Installs the packages `names`. The lists of packages are fetched if they contain none of
    /// them, or outdated ones.
    pub(crate) fn install(&mut self, names: &str) -> Result<()> {
        let mut candidates = find_candidates(names)?;
        if candidates.is_empty() && self.update()? {
            candidates = find_candidates(names)?;
        }
        if candidates.is_empty() {
            println!("  this distribution has no package {names}");
            return Ok(());
        }
        let packages = candidates.join(" ");
        println!("  installing the package {packages}");
        let is_installed =
            install_packages(&candidates)? || self.update()? && install_packages(&candidates)?;
        ensure!(is_installed, "apt-get could not install {packages}");
        Ok(())
    }

    /// Fetches the lists of packages once. Returns true if this call did.
    fn update(&mut self) -> Result<bool> {
        if std::mem::replace(&mut self.lists_are_fresh, true) {
            return Ok(false);
        }
        // An unreachable source must not stop the setup: only the set of packages that are known
        // then matters.
        if !shell::succeeds(apt_get("apt-get update")?.arg("update"))? {
            println!("apt-get update reported errors; going on with the package lists there are");
        }
        Ok(true)
    }
}

/// Runs apt-get. Returns true if the packages are installed.
fn install_packages(packages: &[&str]) -> Result<bool> {
    let mut command = apt_get(&format!("{} {}", SYSTEMS[0].1, packages.join(" ")))?;
    // A fresh machine may be busy upgrading itself: wait for the lock.
    command.args(["-o", "DPkg::Lock::Timeout=300", "install", "--yes"]);
    shell::succeeds(
        command
            .args(["--quiet", "--no-install-recommends"])
            .args(packages),
    )
}

/// Returns the apt-get command without questions. The error for a user without privileges names
/// `by_hand`.
fn apt_get(by_hand: &str) -> Result<Command> {
    let is_root = shell::read_output(Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    let mut command = Command::new(if is_root { "env" } else { "sudo" });
    if !is_root {
        if !installed::has_program("sudo") {
            bail!("not root, and there is no sudo; as root, run: {by_hand}");
        }
        command.arg("env");
    }
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(command)
}

/// Returns the packages that `apt-cache policy` has a candidate for: all, or the first of
/// alternatives.
fn find_candidates(names: &str) -> Result<Vec<&str>> {
    let mut found = Vec::new();
    let has_alternatives = names.contains(" or ");
    for name in names.split(' ').filter(|name| *name != "or") {
        let mut policy = Command::new("apt-cache");
        policy.env("LC_ALL", "C").args(["policy", name]);
        if has_candidate(&shell::read_output(&mut policy)?) {
            found.push(name);
        }
    }
    found.truncate(if has_alternatives { 1 } else { found.len() });
    Ok(found)
}

fn has_candidate(policy: &str) -> bool {
    let mut lines = policy.lines();
    let version = lines.find_map(|line| line.trim().strip_prefix("Candidate:"));
    version.is_some_and(|version| version.trim() != "(none)")
}

#[cfg(test)]
mod tests {
    use super::has_candidate;

    #[test]
    fn candidates_are_read_off_apt_cache_policy() {
        let policy = |candidate| {
            format!("a:\n  Installed: (none)\n  Candidate: {candidate}\n  Version table:\n")
        };
        assert!(has_candidate(&policy("1.3.239.0-1")));
        assert!(!has_candidate(&policy("(none)")));
        assert!(!has_candidate(""));
    }
}
