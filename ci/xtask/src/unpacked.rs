//! Packages of Debian that are unpacked in a directory: nothing is installed, no right is needed,
//! and other architectures do not concern the system.

use crate::installed;
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name of the file that identifies the content of a directory. It is written last.
const COMPLETE: &str = "complete";

/// The list of packages that dpkg has installed.
const INSTALLED: &str = "/var/lib/dpkg/status";

/// Keys of Debian's archive, where the package of that name is installed.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Attempts to fetch the packages of a directory before that is an error: a connection may break,
/// and an archive may change between its lists and its packages.
const ATTEMPTS: usize = 3;

/// Programs that fetch and unpack.
const PROGRAMS: [&str; 4] = ["apt-get", "apt-cache", "dpkg-deb", "tar"];

/// A source of packages that are unpacked below the target directory.
pub(crate) struct Fetched {
    /// Fetches and unpacks them.
    pub(crate) fetch: fn() -> Result<()>,
    /// Their name, and the tool that fetches them.
    pub(crate) hint: [&'static str; 2],
    /// Decides whether this machine can use them; others do not mention them.
    pub(crate) is_for_this_machine: fn() -> bool,
}

/// The distribution that packages are from, and which of their dependencies are left out.
#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    /// The sources of this machine; none.
    System,
    /// The sources of this machine; installed ones.
    BesideTheSystem,
    /// This suite of Debian, from the archive that this machine uses; none. Programs see its files
    /// as the root of their file system.
    Suite(&'a str),
}

/// Decides whether this machine can fetch and unpack packages of Debian.
pub(crate) fn possible() -> bool {
    PROGRAMS.iter().all(|name| installed::has_program(name))
}

/// Decides whether [`once`] has made this content of a directory.
pub(crate) fn is_complete(directory: &Path, content: &str) -> bool {
    fs::read_to_string(directory.join(COMPLETE)).is_ok_and(|found| found == content)
}

/// Makes the content of a directory from nothing, unless that was done.
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
        match origin {
            Origin::System | Origin::BesideTheSystem => {
                redirect_links(&root, &std::path::absolute(&root)?)
            }
            Origin::Suite(_) => Ok(()),
        }
    })?;
    Ok(root)
}

/// Returns the configuration of apt-get: lists, archives and the list of installed packages are in
/// the directory, and so are the sources of a suite. Writes the latter two.
fn configure(directory: &Path, origin: Origin<'_>) -> Result<String> {
    let status = match origin {
        Origin::BesideTheSystem => PathBuf::from(INSTALLED),
        Origin::System | Origin::Suite(_) => directory.join("status"),
    };
    if status.starts_with(directory) {
        fs::write(&status, "")?;
    }
    let sources = match origin {
        Origin::System | Origin::BesideTheSystem => {
            "APT::Architecture \"amd64\";\nAPT::Architectures { \"amd64\"; \"i386\"; };\n"
                .to_owned()
        }
        Origin::Suite(suite) => {
            let archive = find_debian_archive()?;
            let keys = if Path::new(KEYS).exists() {
                format!("[signed-by={KEYS}] ")
            } else {
                String::new()
            };
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
    };
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
        // Without the system's lock: nothing of the system changes.
        command.args(["--quiet", "-o", "Debug::NoLocking=1", "-c"]);
        shell::succeeds(command.arg(configuration).args(arguments))
    };
    let install = [
        "install",
        "--download-only",
        "--yes",
        "--no-install-recommends",
    ];
    for _ in 0..ATTEMPTS {
        // One unreachable source must not stop us: what matters is which packages are known then.
        apt_get(&["update"])?;
        if apt_get(&[&install, packages].concat())? {
            return Ok(());
        }
    }
    bail!("apt-get cannot fetch {}", packages.join(" "))
}

/// Unpacks these paths of an archive, or all.
pub(crate) fn extract(archive: &Path, root: &Path, paths: &[String]) -> Result<()> {
    let mut reader = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(archive)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("running dpkg-deb")?;
    let output = reader.stdout.take().context("its output was piped")?;
    let writer = Command::new("tar")
        .args([
            "--extract",
            "--preserve-permissions",
            "--warning=no-timestamp",
            "--directory",
        ])
        .arg(root)
        .args(paths)
        .stdin(output)
        .status();
    let is_read = reader.wait()?.success();
    let is_written = writer.context("running tar")?.success();
    ensure!(
        is_read && is_written,
        "{} does not unpack",
        archive.display()
    );
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

/// Redirects symbolic links below `directory`, which is part of `root`, into `root`: those of
/// packages are relative to the root of the file system, such as `libm.so` to the library itself.
/// A linker would take the static library instead of what it does not find.
fn redirect_links(directory: &Path, root: &Path) -> Result<()> {
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        if let Ok(target) = fs::read_link(&path) {
            if let Ok(inside) = target.strip_prefix("/") {
                fs::remove_file(&path)?;
                std::os::unix::fs::symlink(root.join(inside), &path)?;
            }
        } else if path.is_dir() {
            redirect_links(&path, root)?;
        }
    }
    Ok(())
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
        build
            .args(["--root-owner-group", "--build"])
            .arg(&source)
            .arg(&archive);
        assert!(shell::capture(&mut build).unwrap().status.success());

        let whole = scratch.join("whole");
        once(&whole, "all", || extract(&archive, &whole, &[])).unwrap();
        redirect_links(&whole, &whole).unwrap();
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
        // What has failed is not complete, and is made again from nothing.
        assert!(once(&part, "more", || extract(&archive, &part, &path("libn.so"))).is_err());
        assert!(!is_complete(&part, "more") && !part.join("usr").exists());
        assert!(extract(&source.join("DEBIAN/control"), &part, &[]).is_err());
        fs::remove_dir_all(scratch).unwrap();
    }
}
