//! The package manager of this machine: installs through apt-get, names packages for the others.

use crate::installed;
use anyhow::{Result, bail, ensure};
use glasm_ci_support::shell;
use std::process::Command;

/// Package names of one need: for Debian and relatives (alternatives are separated by ` or `, the
/// first that the distribution has is installed), for Fedora, for Arch, and for Homebrew on macOS.
pub(crate) type Names = [&'static str; 4];

/// The install command of apt-get, as users type it.
const INSTALL: &str = "apt-get install --no-install-recommends";

/// A kind of system, by its package manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum System {
    Debian,
    Fedora,
    Arch,
    MacOs,
    Other,
}

impl System {
    /// Returns the system whose package manager is installed.
    pub(crate) fn detect() -> Self {
        let managers = [
            ("apt-get", Self::Debian),
            ("dnf", Self::Fedora),
            ("pacman", Self::Arch),
        ];
        if cfg!(target_os = "macos") {
            return Self::MacOs;
        }
        let mut managers = managers.into_iter();
        let found = managers.find(|(program, _)| installed::has_program(program));
        found.map_or(Self::Other, |(_, system)| system)
    }

    /// Returns the command that installs a package, for users.
    pub(crate) fn hint(self, [debian, fedora, arch, homebrew]: &Names) -> String {
        match self {
            Self::Debian => format!("{INSTALL} {debian}"),
            Self::Fedora => format!("dnf install {fedora}"),
            Self::Arch => format!("pacman -S {arch}"),
            Self::MacOs => format!("brew install {homebrew}"),
            Self::Other => {
                format!("install the package that your system calls something like `{fedora}`")
            }
        }
    }
}

/// apt-get, run as root or through sudo.
#[derive(Default)]
pub(crate) struct Apt {
    lists_are_fresh: bool,
}

impl Apt {
    /// Installs the first of the alternatives `names` that the distribution has. The lists of
    /// packages are fetched if they name none of them, or packages that are gone.
    pub(crate) fn install(&mut self, names: &str) -> Result<()> {
        let mut candidate = find_candidate(names)?;
        if candidate.is_none() && self.update()? {
            candidate = find_candidate(names)?;
        }
        let Some(package) = candidate else {
            println!("  this distribution has no package {names}");
            return Ok(());
        };
        println!("  installing the package {package}");
        let installed = install_package(package)? || self.update()? && install_package(package)?;
        ensure!(installed, "apt-get could not install {package}");
        Ok(())
    }

    /// Fetches the lists of packages once. Returns whether this call did.
    fn update(&mut self) -> Result<bool> {
        if std::mem::replace(&mut self.lists_are_fresh, true) {
            return Ok(false);
        }
        // One unreachable source must not stop us: what matters is which packages are known then.
        if !shell::succeeds(apt_get("apt-get update")?.arg("update"))? {
            println!("apt-get update reported errors; going on with the package lists there are");
        }
        Ok(true)
    }
}

/// Runs apt-get. Returns whether the package is installed.
fn install_package(package: &str) -> Result<bool> {
    let mut command = apt_get(&format!("{INSTALL} {package}"))?;
    // A fresh machine may be busy upgrading itself: wait for the lock.
    command.args(["-o", "DPkg::Lock::Timeout=300", "install", "--yes"]);
    shell::succeeds(command.args(["--quiet", "--no-install-recommends", package]))
}

/// Returns apt-get without questions. The error for a user without rights names `by_hand`.
fn apt_get(by_hand: &str) -> Result<Command> {
    let id = shell::read_output(Command::new("id").arg("-u"));
    let mut command = if id.is_ok_and(|id| id == "0") {
        Command::new("env")
    } else if installed::has_program("sudo") {
        let mut sudo = Command::new("sudo");
        sudo.arg("env");
        sudo
    } else {
        bail!("not root, and there is no sudo; as root, run: {by_hand}");
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(command)
}

/// Returns the first of the alternatives that `apt-cache policy` has a candidate for.
fn find_candidate(names: &str) -> Result<Option<&str>> {
    for name in names.split(" or ") {
        let mut policy = Command::new("apt-cache");
        policy.env("LC_ALL", "C").args(["policy", name]);
        if has_candidate(&shell::read_output(&mut policy)?) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn has_candidate(policy: &str) -> bool {
    let mut lines = policy.lines().map(str::trim);
    lines.any(|line| {
        let version = line.strip_prefix("Candidate:");
        version.is_some_and(|version| version.trim() != "(none)")
    })
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
