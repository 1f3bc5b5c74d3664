//! Packages of the system: installed by apt-get, as root or through sudo; for other package
//! managers this has the commands for users.

use crate::installed::has_program;
use anyhow::{Result, ensure};
use glasm_ci_support::shell;
use std::process::Command;

/// Packages of a requirement for the systems of [`SYSTEMS`], separated by spaces. For Debian and
/// its derivatives `|` separates alternatives, of which the first available one is installed.
pub(crate) type PackageNames = [&'static str; 4];

/// Package managers, with their commands as users type them: of Debian, Fedora and Arch, and
/// Homebrew on macOS.
const SYSTEMS: [(&str, &str); 4] = [
    ("apt-get", "apt-get install --no-install-recommends"),
    ("dnf", "dnf install"),
    ("pacman", "pacman -S"),
    ("brew", "brew install"),
];

/// Returns the index in [`SYSTEMS`] of the package manager of this machine, if it is one of them.
fn detect_system() -> Option<usize> {
    if cfg!(target_os = "macos") {
        return Some(3);
    }
    let mut managers = SYSTEMS[..3].iter();
    managers.position(|(program, _)| has_program(program))
}

/// Returns the command that installs packages on this machine, for users.
pub(crate) fn format_install_command(names: &PackageNames) -> String {
    let Some(system) = detect_system() else {
        let fedora = names[1];
        return format!("install the package that your system calls something like `{fedora}`");
    };
    format!(
        "{} {}",
        SYSTEMS[system].1,
        names[system].replace('|', " or ")
    )
}

/// Installs the available ones of these packages, if apt-get is the package manager: in one
/// command, after an update of its lists.
pub(crate) fn install(packages: &[&PackageNames]) -> Result<()> {
    if packages.is_empty() || detect_system() != Some(0) {
        return Ok(());
    }
    // An unreachable source must not stop the setup: only the set of packages that are known then
    // matters.
    shell::run_succeeds(apt_get()?.arg("update"))?;
    let debian = packages.iter().map(|names| names[0]);
    let chosen = debian.flat_map(|names| choose_packages(names, is_available));
    let chosen = chosen.collect::<Vec<_>>();
    // A package that fails must not prevent the others.
    if !install_by_apt_get(&chosen)? {
        for package in chosen {
            install_by_apt_get(&[package])?;
        }
    }
    Ok(())
}

/// Installs packages by apt-get. Returns false if that fails.
fn install_by_apt_get(packages: &[&str]) -> Result<bool> {
    let mut command = apt_get()?;
    // A fresh machine may be busy upgrading itself: wait for the lock.
    command.args(["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"]);
    command.args(["install", "--yes", "--no-install-recommends"]);
    shell::run_succeeds(command.args(packages))
}

/// Returns the available packages: of alternatives the first available one.
fn choose_packages(names: &str, is_available: impl Fn(&str) -> bool) -> Vec<&str> {
    let groups = names.split(' ').map(|group| group.split('|'));
    let chosen = groups.map(|mut group| group.find(|name| is_available(name)));
    chosen.flatten().collect()
}

/// Returns true if apt-get could install a package with its dependencies.
fn is_available(package: &str) -> bool {
    let mut command = Command::new("apt-get");
    command.args(["install", "--simulate", "--no-install-recommends", package]);
    shell::capture_output(&mut command).is_ok_and(|output| output.status.success())
}

/// Returns the apt-get command without questions. Fails for a user without privileges and sudo.
fn apt_get() -> Result<Command> {
    let is_root = shell::read_output(Command::new("id").arg("-u"))? == "0";
    ensure!(
        is_root || has_program("sudo"),
        "not root, and there is no sudo"
    );
    let mut command = Command::new(if is_root { "env" } else { "sudo" });
    if !is_root {
        command.arg("env");
    }
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::choose_packages;

    #[test]
    fn of_alternatives_the_first_available_package_is_chosen() {
        let choose = |names| choose_packages(names, |name| name != "wine" && name != "xauth");
        assert_eq!(choose("wine|wine64|wine32 g++"), ["wine64", "g++"]);
        assert_eq!(choose("xvfb xauth"), ["xvfb"]);
        assert!(choose("wine").is_empty());
    }
}
