//! The package of Python that brings NVIDIA's Cg runtime, unpacked to a folder of `target`: its libraries are run, nothing of it is installed.

use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::shell;
use glasm_tests::cg;
pub(crate) use glasm_tests::cg::PACKAGE;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// Where the package is kept.
static CACHE: LazyLock<PathBuf> = LazyLock::new(|| shell::below_target("cg"));

fn python() -> Command {
    Command::new("python3")
}

/// Whether pip is installed.
pub(crate) fn pip_present() -> bool {
    shell::capture(python().args(["-m", "pip", "--version"])).is_ok_and(|it| it.status.success())
}

/// Takes the package from the registry, if it has the hash that we know, and unpacks it.
pub(crate) fn fetch() -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "the Cg runtime is there for Linux on 64-bit x86 only"
    );
    shell::create_dir(&CACHE)?;
    let wanted = CACHE.join("requirements.txt");
    std::fs::write(&wanted, format!("{PACKAGE} --hash=sha256:{}\n", cg::SHA256))?;
    let abi = format!("cp{}", cg::PYTHON.replace('.', ""));
    let mut download = python();
    download.args(["-m", "pip", "download", "--quiet", "--no-deps"]);
    download.args(["--only-binary=:all:", "--require-hashes"]);
    download.args(["--python-version", cg::PYTHON, "--implementation", "cp"]);
    download.args(["--abi", &abi, "--platform", "manylinux2014_x86_64"]);
    download
        .arg("--dest")
        .arg(&*CACHE)
        .arg("--requirement")
        .arg(&wanted);
    shell::run(&mut download)?;
    unpack()
}

/// A folder that is there is complete: it gets its name at the end.
fn unpack() -> Result<()> {
    let file = shell::files_below(&CACHE, "whl")?;
    let file = file.first().context("pip has left no package")?;
    let [folder, part] = [cg::folder(), cg::folder().with_extension("part")];
    for old in [&folder, &part] {
        if old.exists() {
            std::fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
    }
    let mut unzip = python();
    unzip.args(["-m", "zipfile", "-e"]).arg(file).arg(&part);
    shell::run(&mut unzip)?;
    std::fs::rename(&part, &folder).with_context(|| folder.display().to_string())?;
    std::fs::remove_file(file).with_context(|| file.display().to_string())
}
