//! Debian packages that are unpacked in a folder: nothing is installed, no right is needed, and other architectures do not concern the system.

use crate::installed;
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::shell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says what a folder holds.
const COMPLETE: &str = "complete";

/// What dpkg knows to be installed.
const INSTALLED: &str = "/var/lib/dpkg/status";

/// Keys of Debian's archive, where the package of that name is installed.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// Attempts to fetch the packages of a directory before that is an error: a connection may break,
/// and an archive may change between its lists and its packages.
const ATTEMPTS: usize = 3;

/// Programs that fetch and unpack.
const PROGRAMS: [&str; 3] = ["apt-get", "apt-cache", "dpkg-deb"];

/// Whether packages can be had here.
pub(crate) fn possible() -> bool {
    PROGRAMS.iter().all(|it| installed::has_program(it))
}

/// Makes what a folder holds, unless that was done: the file `complete`, which is written last, says what it was.
pub(crate) fn once(folder: &Path, what: &str, make: impl FnOnce() -> Result<()>) -> Result<()> {
    if is_complete(folder, what) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    make()?;
    fs::write(folder.join(COMPLETE), what).with_context(|| folder.display().to_string())
}

/// Whether [`once`] has made this there.
pub(crate) fn is_complete(folder: &Path, what: &str) -> bool {
    fs::read_to_string(folder.join(COMPLETE)).is_ok_and(|text| text == what)
}

/// A folder with packages, and what fetching them needs.
pub(crate) struct Unpacked<'a> {
    folder: &'a Path,
    origin: Origin<'a>,
}

/// The distribution that packages are from, and what of their dependencies is left out.
#[derive(Clone, Copy)]
enum Origin<'a> {
    /// The sources of this machine; everything.
    System,
    /// The sources of this machine; what is installed is left out.
    BesideTheSystem,
    /// This suite of Debian, from the archive that this machine uses; everything. Programs see its files as the root of their file system.
    Suite(&'a str),
}

impl<'a> Unpacked<'a> {
    /// Packages with all that they depend on.
    pub(crate) fn whole(folder: &'a Path) -> Self {
        Self {
            folder,
            origin: Origin::System,
        }
    }

    /// Packages with what the system lacks of what they depend on.
    pub(crate) fn beside_the_system(folder: &'a Path) -> Self {
        Self {
            folder,
            origin: Origin::BesideTheSystem,
        }
    }

    /// Returns the packages of a suite of Debian with all that they depend on, for a separate file
    /// system.
    pub(crate) fn of_suite(folder: &'a Path, suite: &'a str) -> Self {
        Self {
            folder,
            origin: Origin::Suite(suite),
        }
    }

    /// Fetches and unpacks, unless that was done before. Gives the folder that stands for the root of the file system.
    pub(crate) fn with(&self, packages: &[&str]) -> Result<PathBuf> {
        let root = self.folder.join("root");
        once(self.folder, &packages.join("\n"), || {
            self.fetch(packages, &root)
        })?;
        Ok(root)
    }

    fn fetch(&self, packages: &[&str], root: &Path) -> Result<()> {
        let fetched = self.folder.join("cache/archives");
        fs::create_dir_all(fetched.join("partial"))?;
        fs::create_dir_all(self.folder.join("lists/partial"))?;
        fs::create_dir_all(root)?;
        self.configure()?;
        self.download(packages)?;
        for archive in shell::files_below(&fetched, "deb")? {
            let mut unpack = Command::new("dpkg-deb");
            unpack.arg("--extract").arg(&archive).arg(root);
            let output = shell::capture(&mut unpack)?;
            ensure!(
                output.status.success(),
                "{} does not unpack",
                archive.display()
            );
        }
        fs::remove_dir_all(self.folder.join("cache"))?;
        match self.origin {
            Origin::System | Origin::BesideTheSystem => {
                lead_links_into(root, &std::path::absolute(root)?)
            }
            Origin::Suite(_) => Ok(()),
        }
    }

    /// Reads the lists of packages, then fetches packages into the cache.
    fn download(&self, packages: &[&str]) -> Result<()> {
        let mut fetched = false;
        for _ in 0..ATTEMPTS {
            // One unreachable source must not stop us: what matters is whether the packages are known afterwards.
            shell::succeeds(self.apt_get().arg("update"))?;
            let mut fetch = self.apt_get();
            fetch.args([
                "install",
                "--download-only",
                "--yes",
                "--no-install-recommends",
            ]);
            fetched = shell::succeeds(fetch.args(packages))?;
            if fetched {
                break;
            }
        }
        ensure!(fetched, "apt-get cannot fetch {}", packages.join(" "));
        Ok(())
    }

    /// Writes the configuration: lists, archives and the list of installed packages are in the
    /// directory, and so are the sources of a suite.
    fn configure(&self) -> Result<()> {
        let folder = self.folder.display();
        let own = self.folder.join("status");
        let status = match self.origin {
            Origin::BesideTheSystem => PathBuf::from(INSTALLED),
            Origin::System | Origin::Suite(_) => {
                fs::write(&own, "")?;
                own
            }
        };
        let sources = match self.origin {
            Origin::System | Origin::BesideTheSystem => {
                "APT::Architecture \"amd64\";\nAPT::Architectures { \"amd64\"; \"i386\"; };\n"
                    .to_owned()
            }
            Origin::Suite(suite) => self.configure_suite(suite)?,
        };
        let text = format!(
            "{sources}Dir::State::lists \"{folder}/lists\";\nDir::Cache \"{folder}/cache\";\n\
             Dir::State::status \"{}\";\nAPT::Sandbox::User \"\";\n",
            status.display()
        );
        fs::write(self.configuration(), text)?;
        Ok(())
    }

    /// Writes the list of sources of a suite, and returns what the configuration says of it. The lists of a copy of an archive may be older than
    /// they say that they should become.
    fn configure_suite(&self, suite: &str) -> Result<String> {
        let archive = debian_archive()?;
        let keys = if Path::new(KEYS).exists() {
            format!("[signed-by={KEYS}] ")
        } else {
            String::new()
        };
        let sources = self.folder.join("sources.list");
        fs::write(&sources, format!("deb {keys}{archive} {suite} main\n"))?;
        Ok(format!(
            "Dir::Etc::sourcelist \"{}\";\nDir::Etc::sourceparts \"-\";\nAcquire::Check-Valid-Until \"false\";\n\
             Acquire::Retries \"3\";\nAcquire::Languages \"none\";\n",
            sources.display()
        ))
    }

    fn configuration(&self) -> PathBuf {
        self.folder.join("apt.conf")
    }

    fn apt_get(&self) -> Command {
        let mut command = Command::new("apt-get");
        // Without the system's lock: nothing of the system changes.
        command
            .args(["--quiet", "-o", "Debug::NoLocking=1", "-c"])
            .arg(self.configuration());
        command
    }
}

/// Returns the address of Debian's archive that the sources of this machine name; an error if there is none, as on other distributions.
fn debian_archive() -> Result<String> {
    let mut targets = Command::new("apt-get");
    targets.args(["indextargets", "--format", "$(REPO_URI)"]);
    let output = shell::capture(&mut targets)?;
    let addresses = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_archive = |address: &&str| address.trim_end_matches('/').ends_with("/debian");
    let found = addresses.lines().find(is_archive);
    Ok(found
        .context("the sources of this machine name no archive of Debian")?
        .to_owned())
}

/// Symbolic links of packages name their files from the root of the file system, such as `libm.so` the library itself: below `folder`, which is part of
/// `root`, they lead into `root` after this. A linker would take the static library instead of what it does not find.
fn lead_links_into(folder: &Path, root: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if let Ok(target) = fs::read_link(&path) {
            let Ok(inside) = target.strip_prefix("/") else {
                continue;
            };
            fs::remove_file(&path)?;
            std::os::unix::fs::symlink(root.join(inside), &path)?;
        } else if path.is_dir() {
            lead_links_into(&path, root)?;
        }
    }
    Ok(())
}
