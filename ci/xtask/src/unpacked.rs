//! Packages of Debian that are unpacked in a directory: nothing is installed, no privileges are
//! needed, and other architectures do not affect the system.

use crate::installed;
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name of the file that identifies the content of a directory. It is written last.
const COMPLETE: &str = "complete";

/// List of packages that dpkg has installed.
const INSTALLED: &str = "/var/lib/dpkg/status";

/// Keys of Debian's archive, if the package of that name is installed.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Attempts to fetch the packages of a directory before that is an error: a connection may break,
/// and an archive may change between its lists and its packages.
const ATTEMPTS: usize = 3;

/// Programs that fetch and unpack.
const PROGRAMS: [&str; 5] = ["apt-get", "apt-cache", "bash", "dpkg-deb", "tar"];

/// Writes the files `$3` to `$n` of the archive `$1`, or all, into the directory `$2`.
const EXTRACT: &str = r#"archive=$1 root=$2; shift 2; dpkg-deb --fsys-tarfile "$archive" |
    tar --extract --preserve-permissions --warning=no-timestamp --directory "$root" "$@""#;

/// Redirects symbolic links below the directory `$1` into it: those of packages are relative to the
/// root of the file system, such as `libm.so` to the library itself. A linker would use the static
/// library instead of a library that it does not find.
const REDIRECT_LINKS: &str = r#"find "$1" -type l -lname '/*' -exec sh -c '
    for link; do ln -sfn "$0$(readlink "$link")" "$link"; done' "$1" {} +"#;

/// Distribution of packages, and their excluded dependencies.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// Sources of this machine; none.
    System,
    /// Sources of this machine; installed ones.
    BesideTheSystem,
    /// This suite of Debian, from the archive that this machine uses; none. Programs see its files
    /// as the root of their file system.
    Suite(&'a str),
}

/// Returns true if this machine can fetch and unpack packages of Debian.
pub(crate) fn possible() -> bool {
    PROGRAMS.iter().all(|name| installed::has_program(name))
}

/// Returns true if [`once`] has created this content of a directory.
pub(crate) fn is_complete(directory: &Path, content: &str) -> bool {
    fs::read_to_string(directory.join(COMPLETE)).is_ok_and(|found| found == content)
}

/// Creates the content of a directory from scratch, unless it is complete.
pub(crate) fn once(
    directory: &Path,
    content: &str,
    make: impl FnOnce() -> Result<()>,
) -> Result<()> {
    if is_complete(directory, content) {
        return Ok(());
    }
    shell::create_empty_dir(directory)?;
    make()?;
    fs::write(directory.join(COMPLETE), content).with_context(|| directory.display().to_string())
}

/// Fetches packages with their dependencies and unpacks them, unless that was done. Returns the
/// directory that corresponds to the root of the file system.
pub(crate) fn unpack(directory: &Path, origin: Origin<'_>, packages: &[&str]) -> Result<PathBuf> {
    let root = directory.join("root");
    once(directory, &packages.join("\n"), || {
        shell::create_dir(&root)?;
        let cache = directory.join("cache");
        shell::create_dir(&cache.join("archives/partial"))?;
        shell::create_dir(&directory.join("lists/partial"))?;
        let configuration = directory.join("apt.conf");
        fs::write(&configuration, configure(directory, origin)?)?;
        download(&configuration, packages)?;
        for archive in shell::files_below(&cache, "deb")? {
            extract(&archive, &root, &[])?;
        }
        fs::remove_dir_all(cache)?;
        if let Origin::Suite(_) = origin {
            return Ok(());
        }
        run_script(REDIRECT_LINKS, &[&std::path::absolute(&root)?], &[])
    })?;
    Ok(root)
}

/// Returns the configuration of apt-get: lists, archives and the list of installed packages are in
/// the directory, and so are the sources of a suite. Writes the latter two.
fn configure(directory: &Path, origin: Origin<'_>) -> Result<String> {
    let mut status = directory.join("status");
    fs::write(&status, "")?;
    let sources = match origin {
        Origin::Suite(suite) => {
            let archive = find_debian_archive()?;
            let has_keys = Path::new(KEYS).exists();
            let keys = has_keys.then(|| format!("[signed-by={KEYS}] "));
            let keys = keys.unwrap_or_default();
            let list = directory.join("sources.list");
            fs::write(&list, format!("deb {keys}{archive} {suite} main\n"))?;
            // The lists of a copy of an archive may be older than their date of expiry permits.
            format!(
                "Dir::Etc::sourcelist \"{}\";\nDir::Etc::sourceparts \"-\";\n\
                 Acquire::Check-Valid-Until \"false\";\nAcquire::Retries \"3\";\n\
                 Acquire::Languages \"none\";\n",
                list.display()
            )
        }
        Origin::System | Origin::BesideTheSystem => {
            let architectures = "APT::Architectures { \"amd64\"; \"i386\"; };";
            format!("APT::Architecture \"amd64\";\n{architectures}\n")
        }
    };
    if let Origin::BesideTheSystem = origin {
        status = PathBuf::from(INSTALLED);
    }
    Ok(format!(
        "{sources}Dir::State::lists \"{0}/lists\";\nDir::Cache \"{0}/cache\";\n\
         Dir::State::status \"{1}\";\nAPT::Sandbox::User \"\";\n",
        directory.display(),
        status.display()
    ))
}

/// Reads the lists of packages, then fetches packages into the cache.
fn download(configuration: &Path, packages: &[&str]) -> Result<()> {
    let apt_get = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        // Without the system's lock: the system is not changed.
        command.args(["--quiet", "-o", "Debug::NoLocking=1", "-c"]);
        shell::succeeds(command.arg(configuration).args(arguments))
    };
    let install = ["install", "--download-only", "--yes"];
    let install = [&install[..], &["--no-install-recommends"], packages].concat();
    for _ in 0..ATTEMPTS {
        // An unreachable source must not stop the setup: only the set of packages that are known
        // then matters.
        apt_get(&["update"])?;
        if apt_get(&install)? {
            return Ok(());
        }
    }
    bail!("apt-get cannot fetch {}", packages.join(" "))
}

/// Unpacks these paths of an archive, or all.
pub(crate) fn extract(archive: &Path, root: &Path, paths: &[String]) -> Result<()> {
    let extracted = run_script(EXTRACT, &[archive, root], paths);
    extracted.with_context(|| format!("{} does not unpack", archive.display()))
}

/// Runs a script of the shell with these arguments.
fn run_script(script: &str, paths: &[&Path], names: &[String]) -> Result<()> {
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", script, "bash"]);
    let status = shell.args(paths).args(names).stdin(Stdio::null()).status();
    let is_done = status.context("running bash")?.success();
    ensure!(is_done, "a command of the shell failed");
    Ok(())
}

/// Returns the address of Debian's archive that the sources of this machine name; an error if there
/// is none, as on other distributions.
fn find_debian_archive() -> Result<String> {
    let mut targets = Command::new("apt-get");
    targets.args(["indextargets", "--format", "$(REPO_URI)"]);
    let addresses = shell::read_output(&mut targets)?;
    let is_archive = |address: &&str| address.trim_end_matches('/').ends_with("/debian");
    let found = addresses.lines().find(is_archive).map(str::to_owned);
    found.context("the sources of this machine name no archive of Debian")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn archives_unpack_whole_and_in_part() {
        if !possible() {
            println!("dpkg-deb is not installed: skipped");
            return;
        }
        let scratch = std::env::temp_dir().join(format!("glasm-unpack-{}", std::process::id()));
        let _ = fs::remove_dir_all(&scratch);
        let source = scratch.join("source");
        fs::create_dir_all(source.join("DEBIAN")).unwrap();
        fs::create_dir_all(source.join("usr/lib")).unwrap();
        let control = "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: a\n";
        fs::write(source.join("DEBIAN/control"), control).unwrap();
        fs::write(source.join("usr/lib/libm.so.6"), "library").unwrap();
        shell::write_program(&source.join("usr/lib/tool"), "#!/bin/sh\n").unwrap();
        std::os::unix::fs::symlink("/usr/lib/libm.so.6", source.join("usr/lib/libm.so")).unwrap();
        let archive = scratch.join("a.deb");
        let mut build = Command::new("dpkg-deb");
        build.args(["--root-owner-group", "--build"]);
        build.args([&source, &archive]);
        assert!(shell::capture(&mut build).unwrap().status.success());

        let whole = scratch.join("whole");
        once(&whole, "all", || extract(&archive, &whole, &[])).unwrap();
        run_script(REDIRECT_LINKS, &[&whole], &[]).unwrap();
        assert_eq!(
            fs::read_to_string(whole.join("usr/lib/libm.so")).unwrap(),
            "library"
        );
        let mode = fs::metadata(whole.join("usr/lib/tool"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o755);
        once(&whole, "all", || panic!("it is complete")).unwrap();

        let part = scratch.join("part");
        let path = |name: &str| [format!("./usr/lib/{name}")];
        once(&part, "libm", || {
            extract(&archive, &part, &path("libm.so.6"))
        })
        .unwrap();
        assert!(is_complete(&part, "libm") && part.join("usr/lib/libm.so.6").is_file());
        assert!(!part.join("usr/lib/tool").exists());
        // A failed directory is incomplete, and is created again from scratch.
        assert!(once(&part, "more", || extract(&archive, &part, &path("libn.so"))).is_err());
        assert!(!is_complete(&part, "more") && !part.join("usr").exists());
        assert!(extract(&source.join("DEBIAN/control"), &part, &[]).is_err());
        fs::remove_dir_all(scratch).unwrap();
    }
}
