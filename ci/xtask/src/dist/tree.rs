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

/// Program of Python that writes a ZIP archive: its arguments are the archive, the directory above
/// the tree, the name of the tree and a timestamp. Python writes times without time zones, which
/// begin in 1980.
const WRITE_ZIP: &str = r#"
import os, sys, time, zipfile
archive, parent, root, epoch = sys.argv[1:]
date = max(time.gmtime(int(epoch))[:6], (1980, 1, 1, 0, 0, 0))
os.chdir(parent)
paths = sorted(os.path.join(directory, name) for directory, _, names in os.walk(root) for name in names)
with zipfile.ZipFile(archive, "w") as output:
    for path in paths:
        entry = zipfile.ZipInfo(path, date)
        entry.create_system, entry.external_attr = 3, 0o100644 << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        with open(path, "rb") as file:
            output.writestr(entry, file.read(), compresslevel=9)
"#;

/// Writes a tree as a ZIP archive. Names in the archive begin with the name of the tree's directory.
/// Order and times do not depend on this machine.
pub(super) fn write_zip(root: &Path, release: &Release, archive: &Path) -> Result<()> {
    let parent = root.parent().context("the tree has no parent")?;
    let name = root.file_name().context("the tree has no name")?;
    let mut python = Command::new("python3");
    python.args(["-c", WRITE_ZIP]);
    python.args([&std::path::absolute(archive)?, parent]);
    python.arg(name).arg(release.epoch.to_string());
    shell::run_checked(&mut python)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that archives of equal trees are equal, regardless of the times and the order
    /// in which their files are created.
    #[test]
    fn equal_trees_give_equal_archives() {
        let scratch = std::env::temp_dir().join(format!("glasm-zip-{}", std::process::id()));
        let release = Release {
            version: "1".to_owned(),
            epoch: 1_700_000_001,
            compression: 0,
        };
        let write = |name: &str, files: [&str; 2]| {
            let tree = Tree::create(scratch.join(name).join("tree")).unwrap();
            for file in files {
                tree.add_text(file, file).unwrap();
            }
            let archive = scratch.join(format!("{name}.zip"));
            write_zip(tree.root(), &release, &archive).unwrap();
            archive
        };
        shell::create_empty_dir(&scratch).unwrap();
        let first = write("a", ["README.txt", "lib64/opengl32.dll"]);
        let second = write("b", ["lib64/opengl32.dll", "README.txt"]);
        assert_eq!(fs::read(&first).unwrap(), fs::read(second).unwrap());
        let mut list = Command::new("python3");
        list.args(["-m", "zipfile", "--list"]).arg(first);
        let list = shell::read_output(&mut list).unwrap();
        // 1,700,000,001 s after 1970; ZIP has times of even seconds.
        let names = ["tree/README.txt", "tree/lib64/opengl32.dll"];
        for (line, name) in list.lines().skip(1).zip(names) {
            assert!(line.starts_with(name), "{line}");
            assert!(line.contains("2023-11-14 22:13:20"), "{line}");
        }
        assert_eq!(list.lines().count(), 3);
        fs::remove_dir_all(scratch).unwrap();
    }
}
