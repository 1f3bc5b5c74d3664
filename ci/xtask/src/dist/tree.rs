//! Directory trees that archives and packages are made of.

use super::release::Release;
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::shell;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Directory whose files have the permissions of installed ones.
pub(super) struct Tree {
    root: PathBuf,
}

impl Tree {
    /// Creates an empty tree below a directory.
    pub(super) fn create(root: PathBuf) -> Result<Self> {
        shell::create_empty_dir(&root)?;
        fs::set_permissions(&root, Permissions::from_mode(0o755))?;
        Ok(Self { root })
    }

    /// Returns the root of the tree.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Copies a program.
    pub(super) fn add_program(&self, path: &str, source: &Path) -> Result<()> {
        self.add_file(path, source, 0o755)
    }

    /// Copies a file that is not a program.
    pub(super) fn add_data(&self, path: &str, source: &Path) -> Result<()> {
        self.add_file(path, source, 0o644)
    }

    /// Writes a file that is not a program.
    pub(super) fn add_text(&self, path: &str, text: impl AsRef<[u8]>) -> Result<()> {
        let target = self.create_parents(path)?;
        fs::write(&target, text).with_context(|| target.display().to_string())?;
        fs::set_permissions(&target, Permissions::from_mode(0o644))?;
        Ok(())
    }

    /// Writes a file that is compressed by gzip, without the time, at the best level, as Debian's
    /// policy requires for manual pages and changelogs.
    pub(super) fn add_compressed(&self, path: &str, text: &[u8]) -> Result<()> {
        let mut gzip = Command::new("gzip");
        gzip.args(["-9", "--no-name", "--stdout"]);
        let mut gzip = gzip.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut input = gzip.stdin.take().context("gzip has no input")?;
        let output = std::thread::scope(|scope| {
            let writer = scope.spawn(move || input.write_all(text));
            let output = gzip.wait_with_output();
            writer.join().unwrap_or(Ok(()))?;
            output
        })?;
        ensure!(output.status.success(), "gzip failed for {path}");
        self.add_text(path, output.stdout)
    }

    /// Creates a symbolic link.
    pub(super) fn add_link(&self, path: &str, target: &str) -> Result<()> {
        let link = self.create_parents(path)?;
        symlink(target, &link).with_context(|| link.display().to_string())
    }

    fn add_file(&self, path: &str, source: &Path, mode: u32) -> Result<()> {
        let target = self.create_parents(path)?;
        fs::copy(source, &target).with_context(|| source.display().to_string())?;
        fs::set_permissions(&target, Permissions::from_mode(mode))?;
        Ok(())
    }

    /// Creates the directories above a path of the tree, and returns the path.
    fn create_parents(&self, path: &str) -> Result<PathBuf> {
        let target = self.root.join(path);
        let mut parent = self.root.clone();
        let above = Path::new(path).parent().unwrap_or(Path::new(""));
        for component in above.components() {
            parent.push(component);
            shell::create_dir(&parent)?;
            fs::set_permissions(&parent, Permissions::from_mode(0o755))?;
        }
        Ok(target)
    }
}

/// Writes a tree as an archive for tar, compressed by xz. Names in the archive begin with the name
/// of the tree's directory. Owners and times do not depend on this machine.
pub(super) fn write_archive(root: &Path, release: &Release, archive: &Path) -> Result<()> {
    let parent = root.parent().context("the tree has no parent")?;
    let name = root.file_name().context("the tree has no name")?;
    let mut tar = Command::new("tar");
    tar.args(["--create", "--sort=name", "--owner=0", "--group=0"]);
    tar.args(["--numeric-owner", "--format=gnu", "--mode=u=rwX,go=rX"]);
    tar.arg(format!("--mtime=@{}", release.epoch));
    let level = release.compression;
    tar.arg(format!("--use-compress-program=xz -{level} --threads=1"));
    tar.arg("--file")
        .arg(archive)
        .arg("--directory")
        .arg(parent);
    shell::run_checked(tar.arg(name))
}
