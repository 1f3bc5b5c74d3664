//! Test requirements from packages that are not installed: files with known hashes, which are
//! unpacked below `target`. NVIDIA's Cg runtime comes from the registry of Python's packages. The
//! tests of piglit come from Debian, to the extent that they concern programs: the entire package
//! would take 2 GB.

use crate::unpacked;
use anyhow::{Context as _, Result, bail, ensure};
use glasm_ci_support::shell;
use glasm_tests::cg;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// Source of files that are unpacked below the target directory.
pub(crate) struct Fetched {
    /// Fetches and unpacks them.
    pub(crate) fetch: fn() -> Result<()>,
    /// Their name, and the tool that fetches them.
    pub(crate) hint: [&'static str; 2],
    /// Function that returns true if this machine can use them; other machines do not mention them.
    pub(crate) is_for_this_machine: fn() -> bool,
}

/// Cg runtime, in a package of Python.
pub(crate) const CG: Fetched = Fetched {
    fetch: fetch_cg,
    hint: [cg::PACKAGE, "pip"],
    is_for_this_machine: || true,
};

/// Tests of piglit.
pub(crate) const PIGLIT_TESTS: Fetched = Fetched {
    fetch: fetch_piglit,
    hint: ["it", "apt-get download"],
    is_for_this_machine: || {
        cfg!(all(target_os = "linux", target_arch = "x86_64")) && unpacked::possible()
    },
};

/// Arguments of Python that download a package for Linux on 64-bit x86.
const DOWNLOAD: &str = "pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --implementation cp --platform manylinux2014_x86_64";

/// Returns true if pip is installed.
pub(crate) fn has_pip() -> bool {
    let output = shell::capture(&mut python("pip --version"));
    output.is_ok_and(|output| output.status.success())
}

/// Downloads the package, which must have the known hash, and unpacks it. The directory is renamed
/// last: a directory with the final name is complete.
fn fetch_cg() -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "the Cg runtime is there for Linux on 64-bit x86 only"
    );
    let cache = shell::below_target("cg");
    shell::create_dir(&cache)?;
    let list = cache.join("requirements.txt");
    let requirement = format!("{} --hash=sha256:{}\n", cg::PACKAGE, cg::SHA256);
    std::fs::write(&list, requirement)?;
    let abi = format!("cp{}", cg::PYTHON.replace('.', ""));
    let mut download = python(DOWNLOAD);
    download.args(["--python-version", cg::PYTHON, "--abi", &abi, "--dest"]);
    shell::run(download.arg(&cache).arg("--requirement").arg(list))?;

    let archives = shell::files_below(&cache, "whl")?;
    let archive = archives.first().context("pip has left no package")?;
    let [directory, part] = [cg::folder(), cg::folder().with_extension("part")];
    for old in [&directory, &part] {
        shell::create_empty_dir(old)?;
    }
    std::fs::remove_dir(&directory)?;
    shell::run(python("zipfile -e").arg(archive).arg(&part))?;
    std::fs::rename(&part, &directory).with_context(|| directory.display().to_string())?;
    std::fs::remove_file(archive).with_context(|| archive.display().to_string())
}

/// Returns Python with a module and arguments.
fn python(module: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg("-m").args(module.split(' '));
    command
}

/// Directory of piglit's packages.
static PIGLIT: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("piglit-package"));

/// Directory of the libraries in the packages.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";

/// Package of Debian 12.
struct Package {
    name: &'static str,
    version: &'static str,
    sha256: &'static str,
    /// Paths below [`LIBRARIES`] that are unpacked, separated by spaces.
    parts: &'static str,
}

const PACKAGES: [Package; 2] = [
    Package {
        name: "piglit",
        version: "0~git20220119-124bca3c9-1",
        sha256: "37dd651ae04419602b4287ea590fca1f5bcaabc0ea4bf32fe48ffe86b946c986",
        parts: "piglit/bin piglit/lib piglit/tests/glslparser.xml.gz piglit/tests/opengl.xml.gz \
                piglit/tests/shader.xml.gz piglit/tests/asmparsertest \
                piglit/tests/spec/arb_fragment_coord_conventions \
                piglit/tests/spec/arb_fragment_program \
                piglit/tests/spec/arb_fragment_program_shadow \
                piglit/tests/spec/arb_vertex_program piglit/generated_tests/asmparsertest",
    },
    Package {
        name: "libwaffle-1-0",
        version: "1.7.0-2",
        sha256: "6246ecd28459db1ac2f34288d61952cd4880075480ba751b0ebb4a49dc311130",
        parts: "libwaffle-1.so.0 libwaffle-1.so.0.7.0",
    },
];

/// Unpacked packages of piglit.
pub(crate) struct Piglit {
    /// Directory of piglit, with `bin` and `tests`.
    pub(crate) root: PathBuf,
    /// Directories of its libraries.
    pub(crate) libraries: [PathBuf; 2],
}

/// Returns the unpacked packages; `None` before [`fetch_piglit`] has succeeded.
pub(crate) fn find_piglit() -> Option<Piglit> {
    let libraries = PIGLIT.canonicalize().ok()?.join(LIBRARIES);
    let root = libraries.join("piglit");
    unpacked::is_complete(&PIGLIT, &piglit_content()).then(|| Piglit {
        libraries: [root.join("lib"), libraries],
        root,
    })
}

/// Returns the text that identifies the content of the directory.
fn piglit_content() -> String {
    let line = |package: &Package| format!("{} {}\n", package.sha256, package.parts);
    PACKAGES.iter().map(line).collect()
}

/// Fetches, verifies and unpacks the packages of piglit, unless that was done.
fn fetch_piglit() -> Result<()> {
    unpacked::once(&PIGLIT, &piglit_content(), || {
        for package in &PACKAGES {
            let archive = download_package(package, &PIGLIT)?;
            let parts = package.parts.split(' ');
            let paths: Vec<String> = parts.map(|it| format!("./{LIBRARIES}/{it}")).collect();
            unpacked::extract(&archive, &PIGLIT, &paths)?;
            std::fs::remove_file(&archive)?;
        }
        Ok(())
    })
}

/// Downloads a package of Debian into a directory without others, and verifies its hash.
fn download_package(package: &Package, directory: &Path) -> Result<PathBuf> {
    let Package { name, version, .. } = package;
    let mut download = Command::new("apt-get");
    download.args(["--quiet", "-o", "Acquire::Retries=3", "download"]);
    download.arg(format!("{name}={version}"));
    let is_downloaded = shell::succeeds(download.current_dir(directory))?;
    ensure!(is_downloaded, "this distribution has no {name} {version}");
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
