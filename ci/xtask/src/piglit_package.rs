//! The tests of piglit as Debian has built them: fetched with apt-get, checked, and unpacked below `target`, as far as programs concern them.
//! The package itself would take 2 GB.

use crate::unpacked;
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::shell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// Where it lies.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("piglit-package"));

/// The architecture of the packages.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// A package of Debian 12.
struct Package {
    name: &'static str,
    version: &'static str,
    sha256: &'static str,
    /// What is unpacked of it, below [`LIBRARIES`].
    parts: &'static [&'static str],
}

const PACKAGES: [Package; 2] = [
    Package {
        name: "piglit",
        version: "0~git20220119-124bca3c9-1",
        sha256: "37dd651ae04419602b4287ea590fca1f5bcaabc0ea4bf32fe48ffe86b946c986",
        parts: &[
            "piglit/bin",
            "piglit/lib",
            "piglit/tests/glslparser.xml.gz",
            "piglit/tests/opengl.xml.gz",
            "piglit/tests/shader.xml.gz",
            "piglit/tests/asmparsertest",
            "piglit/tests/spec/arb_fragment_coord_conventions",
            "piglit/tests/spec/arb_fragment_program",
            "piglit/tests/spec/arb_fragment_program_shadow",
            "piglit/tests/spec/arb_vertex_program",
            "piglit/generated_tests/asmparsertest",
        ],
    },
    Package {
        name: "libwaffle-1-0",
        version: "1.7.0-2",
        sha256: "6246ecd28459db1ac2f34288d61952cd4880075480ba751b0ebb4a49dc311130",
        parts: &["libwaffle-1.so.0", "libwaffle-1.so.0.7.0"],
    },
];

/// Unpacked packages.
pub(crate) struct Piglit {
    /// What piglit calls its root: `bin` and `tests` lie there.
    pub(crate) root: PathBuf,
    /// Where its libraries are.
    pub(crate) libraries: [PathBuf; 2],
}

/// What of it is unpacked; nothing before [`ensure`] was successful.
pub(crate) fn find() -> Option<Piglit> {
    let libraries = FOLDER.canonicalize().ok()?.join(LIBRARIES);
    let root = libraries.join("piglit");
    is_complete().then(|| Piglit {
        libraries: [root.join("lib"), libraries],
        root,
    })
}

/// Whether this machine can run it.
pub(crate) fn is_for_this_machine() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64")) && unpacked::possible()
}

/// What the folder holds, as the file says that is written last.
fn contents() -> String {
    let line = |package: &Package| format!("{} {}\n", package.sha256, package.parts.join(" "));
    PACKAGES.iter().map(line).collect()
}

fn is_complete() -> bool {
    unpacked::is_complete(&FOLDER, &contents())
}

/// Fetches and unpacks it, unless that was done.
pub(crate) fn ensure_unpacked() -> Result<()> {
    let folder = &*FOLDER;
    unpacked::once(folder, &contents(), || {
        for package in &PACKAGES {
            let file = fetch(package, folder)?;
            unpack(package, &file, folder)?;
            std::fs::remove_file(&file)?;
        }
        Ok(())
    })
}

/// Downloads a package, which must be the one that is known.
fn fetch(package: &Package, folder: &Path) -> Result<PathBuf> {
    let Package { name, version, .. } = package;
    let mut download = Command::new("apt-get");
    download
        .args(["--quiet", "download", &format!("{name}={version}")])
        .current_dir(folder);
    ensure!(
        shell::succeeds(&mut download)?,
        "this distribution has no {name} {version}"
    );
    let file = shell::files_below(folder, "deb")?;
    let [file] = file.as_slice() else {
        bail!("apt-get has left no package {name}");
    };
    let output = shell::capture(Command::new("sha256sum").arg(file))?;
    let sum = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        sum.starts_with(package.sha256),
        "{} is another package than the one that is known: its sum is {sum}",
        file.display()
    );
    Ok(file.clone())
}

/// Unpacks the parts: `dpkg-deb` gives an archive, of which `tar` takes them.
fn unpack(package: &Package, file: &Path, folder: &Path) -> Result<()> {
    let mut archive = Command::new("dpkg-deb")
        .arg("--fsys-tarfile")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("running dpkg-deb")?;
    let output = archive.stdout.take().context("its output was piped")?;
    let parts = package.parts.iter();
    let unpacked = Command::new("tar")
        .args(["--extract", "--directory"])
        .arg(folder)
        .args(parts.map(|part| format!("./{LIBRARIES}/{part}")))
        .stdin(output)
        .status()
        .context("running tar")?;
    let read = archive.wait()?;
    ensure!(
        unpacked.success() && read.success(),
        "{} could not be unpacked",
        file.display()
    );
    Ok(())
}

/// The text of one of its files that gzip has packed.
pub(crate) fn unpacked_text(file: &Path) -> Result<String> {
    let packed = File::open(file).with_context(|| file.display().to_string())?;
    let output = Command::new("gzip")
        .arg("-dc")
        .stdin(packed)
        .output()
        .context("running gzip")?;
    ensure!(
        output.status.success(),
        "gzip cannot read {}",
        file.display()
    );
    String::from_utf8(output.stdout).with_context(|| file.display().to_string())
}
