//! The package manager of this machine: installs through apt-get, names packages for the others.

use crate::installed;
use anyhow::{Result, bail};
use glasm_ci_support::shell;
use std::process::Command;

/// Package names of one need, per system.
#[derive(Clone, Copy)]
pub(crate) struct Names {
    /// Debian, Ubuntu and relatives: the first of these that the distribution has.
    pub(crate) debian: &'static [&'static str],
    /// Fedora and relatives.
    pub(crate) fedora: &'static str,
    /// Arch and relatives.
    pub(crate) arch: &'static str,
    /// Homebrew on macOS.
    pub(crate) homebrew: &'static str,
}

/// What kind of system this is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum System {
    /// Has apt-get.
    Debian,
    /// Has dnf.
    Fedora,
    /// Has pacman.
    Arch,
    /// macOS.
    MacOs,
    /// None of these.
    Other,
}

impl System {
    /// Looks at the programs that are there.
    pub(crate) fn detect() -> Self {
        if cfg!(target_os = "macos") {
            return Self::MacOs;
        }
        let managers = [
            ("apt-get", Self::Debian),
            ("dnf", Self::Fedora),
            ("pacman", Self::Arch),
        ];
        let found = managers
            .into_iter()
            .find(|(program, _)| installed::has_program(program));
        found.map_or(Self::Other, |(_, system)| system)
    }

    /// How to install `names` here by hand.
    pub(crate) fn hint(self, names: &Names) -> String {
        match self {
            Self::Debian => format!(
                "apt-get install --no-install-recommends {}",
                names.debian.join(" or ")
            ),
            Self::Fedora => format!("dnf install {}", names.fedora),
            Self::Arch => format!("pacman -S {}", names.arch),
            Self::MacOs => format!("brew install {}", names.homebrew),
            Self::Other => format!(
                "install the package that your system calls something like `{}`",
                names.fedora
            ),
        }
    }
}

/// apt-get, run as root or through sudo.
pub(crate) struct Apt {
    lists_are_fresh: bool,
}

impl Apt {
    /// Nothing is run yet.
    pub(crate) fn new() -> Self {
        Self {
            lists_are_fresh: false,
        }
    }

    /// The first of `names` that the distribution can install. Reads the package lists first if they are empty.
    pub(crate) fn choose(&mut self, names: &[&'static str]) -> Result<Option<&'static str>> {
        let found = installable(names)?;
        if found.is_some() || self.lists_are_fresh {
            return Ok(found);
        }
        // The package may be unknown only because the lists were never fetched.
        self.update()?;
        installable(names)
    }

    /// Installs packages; fetches the package lists once more if what they name is gone.
    pub(crate) fn install(&mut self, packages: &[&str]) -> Result<()> {
        if shell::succeeds(install_command(packages)?.args(packages))? {
            return Ok(());
        }
        if !self.lists_are_fresh {
            self.update()?;
            if shell::succeeds(install_command(packages)?.args(packages))? {
                return Ok(());
            }
        }
        bail!("apt-get could not install {}", packages.join(" "))
    }

    fn update(&mut self) -> Result<()> {
        self.lists_are_fresh = true;
        // One unreachable source must not stop us: what matters is whether the packages are known afterwards.
        if !shell::succeeds(apt_get("apt-get update")?.arg("update"))? {
            println!("apt-get update reported errors; going on with the package lists there are");
        }
        Ok(())
    }
}

fn install_command(packages: &[&str]) -> Result<Command> {
    let by_hand = format!(
        "apt-get install --no-install-recommends {}",
        packages.join(" ")
    );
    let mut command = apt_get(&by_hand)?;
    // A fresh machine may be busy upgrading itself: wait for the lock.
    command.args([
        "-o",
        "DPkg::Lock::Timeout=300",
        "install",
        "--yes",
        "--quiet",
        "--no-install-recommends",
    ]);
    Ok(command)
}

/// apt-get without questions. `by_hand` is what to tell someone who is neither root nor has sudo.
fn apt_get(by_hand: &str) -> Result<Command> {
    let mut command = if is_root() {
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

fn is_root() -> bool {
    let id = shell::capture(Command::new("id").arg("-u"));
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// The first package that `apt-cache policy` has a candidate for.
fn installable(names: &[&'static str]) -> Result<Option<&'static str>> {
    for name in names {
        let output = shell::capture(
            Command::new("apt-cache")
                .env("LC_ALL", "C")
                .args(["policy", name]),
        )?;
        if has_candidate(&String::from_utf8_lossy(&output.stdout)) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

fn has_candidate(policy: &str) -> bool {
    policy
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Candidate:"))
        .any(|version| version.trim() != "(none)")
}

#[cfg(test)]
mod tests {
    use super::has_candidate;

    #[test]
    fn candidates_are_read_off_apt_cache_policy() {
        assert!(has_candidate(
            "libvulkan1:\n  Installed: (none)\n  Candidate: 1.3.239.0-1\n  Version table:\n"
        ));
        assert!(!has_candidate(
            "chromium-common:\n  Installed: (none)\n  Candidate: (none)\n  Version table:\n"
        ));
        assert!(!has_candidate(""));
    }
}
