//! The tests of piglit as Debian has built them, as far as they concern programs: fetched with
//! apt-get, verified, and unpacked below `target`. The entire package would take 2 GB.

use crate::unpacked::{self, Fetched};
use anyhow::{Result, bail, ensure};
use glasm_ci_support::shell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Directory of the files.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("piglit-package"));

/// Directory of the libraries in the packages.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// A package of Debian 12.
struct Package {
    name: &'static str,
    version: &'static str,
    sha256: &'static str,
    /// Paths below [`LIBRARIES`] that are unpacked.
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

/// The packages, for `cargo xtask setup`.
pub(crate) const SOURCE: Fetched = Fetched {
    fetch: ensure_unpacked,
    hint: ["it", "apt-get download"],
    is_for_this_machine: || {
        cfg!(all(target_os = "linux", target_arch = "x86_64")) && unpacked::possible()
    },
};

/// Unpacked packages.
pub(crate) struct Piglit {
    /// Directory of piglit, with `bin` and `tests`.
    pub(crate) root: PathBuf,
    /// Directories of its libraries.
    pub(crate) libraries: [PathBuf; 2],
}

/// Returns the unpacked packages; `None` before [`ensure_unpacked`] has succeeded.
pub(crate) fn find() -> Option<Piglit> {
    let libraries = FOLDER.canonicalize().ok()?.join(LIBRARIES);
    let root = libraries.join("piglit");
    unpacked::is_complete(&FOLDER, &content()).then(|| Piglit {
        libraries: [root.join("lib"), libraries],
        root,
    })
}

/// Returns the text that identifies the content of the directory.
fn content() -> String {
    let line = |package: &Package| format!("{} {}\n", package.sha256, package.parts.join(" "));
    PACKAGES.iter().map(line).collect()
}

/// Fetches and unpacks the packages, unless that was done.
fn ensure_unpacked() -> Result<()> {
    unpacked::once(&FOLDER, &content(), || {
        for package in &PACKAGES {
            let archive = fetch(package, &FOLDER)?;
            let paths = package.parts.iter();
            let paths: Vec<String> = paths.map(|it| format!("./{LIBRARIES}/{it}")).collect();
            unpacked::extract(&archive, &FOLDER, &paths)?;
            std::fs::remove_file(&archive)?;
        }
        Ok(())
    })
}

/// Downloads a package and verifies its hash.
fn fetch(package: &Package, directory: &Path) -> Result<PathBuf> {
    let Package { name, version, .. } = package;
    let mut download = Command::new("apt-get");
    download.args(["--quiet", "-o", "Acquire::Retries=3", "download"]);
    download
        .arg(format!("{name}={version}"))
        .current_dir(directory);
    ensure!(
        shell::succeeds(&mut download)?,
        "this distribution has no {name} {version}"
    );
    let archives = shell::files_below(directory, "deb")?;
    let [archive] = archives.as_slice() else {
        bail!("apt-get has left no package {name}");
    };
    let sum = shell::read_output(Command::new("sha256sum").arg(archive))?;
    ensure!(
        sum.starts_with(package.sha256),
        "{} is another package than the one that is known: its sum is {sum}",
        archive.display()
    );
    Ok(archive.clone())
}
