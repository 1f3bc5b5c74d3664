//! Debian packages that are unpacked in a folder: nothing is installed, no right is needed, and other architectures do not concern the system.

use crate::shell;
use anyhow::{Context as _, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says what a folder holds.
const COMPLETE: &str = "complete";

/// What dpkg knows to be installed.
const INSTALLED: &str = "/var/lib/dpkg/status";

/// Programs that fetch and unpack.
const PROGRAMS: [&str; 3] = ["apt-get", "apt-cache", "dpkg-deb"];

/// Whether packages can be had here.
pub(crate) fn possible() -> bool {
    PROGRAMS.iter().all(|it| shell::find_program(it).is_some())
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
    /// Whether what the system has is left out.
    besides_the_system: bool,
}

impl<'a> Unpacked<'a> {
    /// Packages with all that they depend on.
    pub(crate) fn whole(folder: &'a Path) -> Self {
        Self {
            folder,
            besides_the_system: false,
        }
    }

    /// Packages with what the system lacks of what they depend on.
    pub(crate) fn beside_the_system(folder: &'a Path) -> Self {
        Self {
            folder,
            besides_the_system: true,
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
        // One unreachable source must not stop us: what matters is whether the packages are known afterwards.
        shell::succeeds(self.apt_get().arg("update"))?;
        let mut fetch = self.apt_get();
        fetch.args([
            "install",
            "--download-only",
            "--yes",
            "--no-install-recommends",
        ]);
        shell::run(fetch.args(packages))?;
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
        lead_links_into(root, &std::path::absolute(root)?)
    }

    /// Sources are the system's; lists, archives and what counts as installed are the folder's.
    fn configure(&self) -> Result<()> {
        let folder = self.folder.display();
        let status = match self.besides_the_system {
            true => PathBuf::from(INSTALLED),
            false => self.folder.join("status"),
        };
        if !self.besides_the_system {
            fs::write(&status, "")?;
        }
        let text = format!(
            "APT::Architecture \"amd64\";\nAPT::Architectures {{ \"amd64\"; \"i386\"; }};\n\
             Dir::State::lists \"{folder}/lists\";\nDir::Cache \"{folder}/cache\";\n\
             Dir::State::status \"{}\";\nAPT::Sandbox::User \"\";\n",
            status.display()
        );
        fs::write(self.configuration(), text)?;
        Ok(())
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
