//! Archives that are downloaded, verified and unpacked below the target directory: packages of
//! Debian and of Python. The script `download.sh` does that; packages of other architectures do not
//! affect the system.

use crate::installed;
use anyhow::{Result, bail};
use glasm_ci_support::counts::Skip;
use glasm_tests::cg;
use std::path::Path;
use std::process::Command;

/// Programs that the script needs.
const PROGRAMS: [&str; 5] = ["apt-get", "bash", "dpkg-deb", "sha256sum", "tar"];

/// Exit status of the script if archives cannot be downloaded.
const UNAVAILABLE: i32 = 75;

/// Source of packages with all dependencies: the sources of this machine, also for i386.
pub(crate) const SYSTEM: &str = "system_packages";

/// Archives that are downloaded and unpacked in a directory.
#[derive(Clone, Copy)]
pub(crate) struct Download<'a> {
    /// Command that downloads packages into its working directory, or a function of the script.
    pub(crate) source: &'a str,
    /// Packages, separated by spaces. They may include a version.
    pub(crate) packages: &'a str,
    /// Hashes of the archives, separated by spaces; none if apt-get verifies them by signed lists.
    pub(crate) sha256: &'a str,
    /// Patterns of the paths that are unpacked, separated by spaces; all if there are none.
    pub(crate) paths: &'a str,
}

impl<'a> Download<'a> {
    /// Returns all files of packages that apt-get verifies.
    pub(crate) const fn without_hashes(source: &'a str, packages: &'a str) -> Self {
        Self {
            source,
            packages,
            sha256: "",
            paths: "",
        }
    }

    /// Returns true if a directory has the unpacked files of these archives.
    pub(crate) fn is_complete(&self, directory: &Path) -> bool {
        let found = std::fs::read_to_string(directory.join("complete"));
        found.is_ok_and(|found| found == self.describe_content())
    }

    /// Returns the packages, the hashes and the paths, as a text.
    fn describe_content(&self) -> String {
        [self.packages, self.sha256, self.paths].join("\n")
    }

    /// Downloads, verifies and unpacks the archives in a directory, unless that was done. Fails
    /// with [`Skip`] if they cannot be downloaded in several attempts.
    pub(crate) fn fetch(&self, directory: &Path) -> Result<()> {
        if self.is_complete(directory) {
            return Ok(());
        }
        println!("downloading {}", self.packages);
        let mut script = Command::new("bash");
        script.args(["-c", include_str!("download.sh")]);
        script.env("DIRECTORY", std::path::absolute(directory)?);
        script
            .env("SOURCE", self.source)
            .env("PACKAGES", self.packages);
        script.env("SHA256", self.sha256).env("PATHS", self.paths);
        let status = script.env("CONTENT", self.describe_content()).status()?;
        match status.code() {
            Some(0) => Ok(()),
            Some(UNAVAILABLE) => {
                Err(Skip::with_reason(format!("{} cannot be downloaded", self.packages)).into())
            }
            _ => bail!("{} cannot be unpacked", self.packages),
        }
    }
}

/// NVIDIA's Cg runtime for 64-bit Linux.
pub(crate) const CG_LINUX: Download<'_> =
    cg_runtime("python_package manylinux2014_x86_64", cg::SHA256);

/// The same for 64-bit Windows.
pub(crate) const CG_WINDOWS_64: Download<'_> = cg_runtime(
    "python_package win_amd64",
    "37acfb92655c4226879f95c988e2ef1449a53c54486d6c1ebc00e2772429af82",
);

/// The same for 32-bit Windows.
pub(crate) const CG_WINDOWS_32: Download<'_> = cg_runtime(
    "python_package win32",
    "63a93dd393de1d8a3ab3520b02acc55803ee53efbf63b952bd45951f534b3f68",
);

/// Returns NVIDIA's Cg runtime for a platform, which the Python package of Panda3D contains.
const fn cg_runtime(source: &'static str, sha256: &'static str) -> Download<'static> {
    Download {
        source,
        packages: cg::PACKAGE,
        sha256,
        paths: "",
    }
}

/// Returns true if this machine can download and unpack packages of Debian.
pub(crate) fn can_unpack() -> bool {
    cfg!(target_os = "linux") && installed::has_programs(&PROGRAMS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glasm_ci_support::shell;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::PathBuf;

    /// Hash of an empty file.
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    /// Returns the path of an empty directory.
    fn create_scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("glasm-{name}-{}", std::process::id()));
        shell::create_empty_dir(&path).unwrap();
        path
    }

    #[test]
    fn archives_unpack_whole_and_in_part() {
        if !can_unpack() {
            println!("dpkg-deb is not installed: skipped");
            return;
        }
        let scratch = create_scratch("unpack");
        let [source, archive] = ["source", "a.deb"].map(|it| scratch.join(it));
        let [control, libraries] = ["DEBIAN", "usr/lib"].map(|it| source.join(it));
        shell::create_dir(&control).unwrap();
        shell::create_dir(&libraries).unwrap();
        let text = "Package: a\nVersion: 1\nArchitecture: all\nMaintainer: a\nDescription: a\n";
        fs::write(control.join("control"), text).unwrap();
        fs::write(libraries.join("libm.so.6"), "library").unwrap();
        shell::write_program(&libraries.join("tool"), "#!/bin/sh\n").unwrap();
        symlink("/usr/lib/libm.so.6", libraries.join("libm.so")).unwrap();
        let mut build = Command::new("dpkg-deb");
        build.args(["--root-owner-group", "--build"]);
        shell::read_output(build.args([&source, &archive])).unwrap();

        let download = |paths| Download {
            paths,
            ..Download::without_hashes("cp --target-directory=.", archive.to_str().unwrap())
        };
        let libraries = scratch.join("unpacked/usr/lib");
        let fetch = |download: Download<'_>| download.fetch(&scratch.join("unpacked"));
        fetch(download("")).unwrap();
        assert_eq!(fs::read(libraries.join("libm.so")).unwrap(), b"library");
        let mode = fs::metadata(libraries.join("tool")).unwrap().permissions();
        assert_eq!(mode.mode() & 0o777, 0o755);
        // Nothing is fetched again.
        let without_source = Download {
            source: "false",
            ..download("")
        };
        fetch(without_source).unwrap();

        fetch(download("./usr/lib/libm.so.* ./usr/share*")).unwrap_err();
        assert!(libraries.join("tool").is_file());
        fetch(download("./usr/lib/libm.so.*")).unwrap();
        assert!(libraries.join("libm.so.6").is_file() && !libraries.join("tool").exists());
        fs::remove_dir_all(scratch).unwrap();
    }

    #[test]
    fn wheels_unpack() {
        let scratch = create_scratch("wheel");
        let [file, archive] = ["file", "a.whl"].map(|it| scratch.join(it));
        fs::write(&file, "").unwrap();
        let mut zip = Command::new("python3");
        zip.args(["-m", "zipfile", "--create"]);
        shell::read_output(zip.args([&archive, &file])).unwrap();
        let packages = archive.to_str().unwrap();
        let download = Download::without_hashes("cp --target-directory=.", packages);
        download.fetch(&scratch.join("unpacked")).unwrap();
        assert!(scratch.join("unpacked/file").is_file());
        fs::remove_dir_all(scratch).unwrap();
    }

    #[test]
    fn downloads_are_repeated_then_skipped() {
        let scratch = create_scratch("download");
        let [tool, log] = ["tool", "log"].map(|it| scratch.join(it));
        // Runs a script for each attempt, and returns the error and the number of attempts.
        let fetch = |script: &str| {
            let text = format!(
                "#!/bin/sh\necho >>{0}; n=$(wc -l <{0}); {script}",
                log.display()
            );
            shell::write_program(&tool, &text).unwrap();
            fs::write(&log, "").unwrap();
            let download = Download {
                sha256: EMPTY,
                ..Download::without_hashes(tool.to_str().unwrap(), "a.deb")
            };
            let error = download.fetch(&scratch.join("unpacked")).unwrap_err();
            (error, fs::read(&log).unwrap().len())
        };
        let other_hash = "echo incomplete >$1";
        for script in ["touch $1; false", other_hash] {
            let (error, attempts) = fetch(script);
            assert_eq!(error.to_string(), "a.deb cannot be downloaded: skipped");
            assert!(error.is::<Skip>() && attempts == 3);
        }
        // The second archive has the hash, and does not unpack.
        let (error, attempts) = fetch("[ $n = 2 ] && touch $1");
        assert!(!error.is::<Skip>() && attempts == 2);
        fs::remove_dir_all(scratch).unwrap();
    }
}
