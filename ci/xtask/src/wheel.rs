//! The package of Python with NVIDIA's Cg runtime, unpacked below `target`: its libraries are used,
//! nothing of it is installed.

use crate::unpacked::Fetched;
use anyhow::{Context as _, Result, ensure};
use glasm_ci_support::shell;
use glasm_tests::cg;
use std::process::Command;

/// The package, for `cargo xtask setup`.
pub(crate) const SOURCE: Fetched = Fetched {
    fetch,
    hint: [cg::PACKAGE, "pip"],
    is_for_this_machine: || true,
};

/// Decides whether pip is installed.
pub(crate) fn has_pip() -> bool {
    let output = shell::capture(Command::new("python3").args(["-m", "pip", "--version"]));
    output.is_ok_and(|output| output.status.success())
}

/// Downloads the package, which must have the known hash, and unpacks it. The directory gets its
/// name last: one of that name is complete.
fn fetch() -> Result<()> {
    ensure!(
        cfg!(all(target_os = "linux", target_arch = "x86_64")),
        "the Cg runtime is there for Linux on 64-bit x86 only"
    );
    let cache = shell::below_target("cg");
    shell::create_dir(&cache)?;
    let wanted = cache.join("requirements.txt");
    let requirement = format!("{} --hash=sha256:{}\n", cg::PACKAGE, cg::SHA256);
    std::fs::write(&wanted, requirement)?;
    let abi = format!("cp{}", cg::PYTHON.replace('.', ""));
    let mut download = Command::new("python3");
    download.args(["-m", "pip", "download", "--quiet", "--no-deps"]);
    download.args(["--only-binary=:all:", "--require-hashes"]);
    download.args(["--python-version", cg::PYTHON, "--implementation", "cp"]);
    download.args([
        "--abi",
        &abi,
        "--platform",
        "manylinux2014_x86_64",
        "--dest",
    ]);
    shell::run(download.arg(&cache).arg("--requirement").arg(&wanted))?;

    let archives = shell::files_below(&cache, "whl")?;
    let archive = archives.first().context("pip has left no package")?;
    let [directory, part] = [cg::folder(), cg::folder().with_extension("part")];
    for old in [&directory, &part] {
        if old.exists() {
            std::fs::remove_dir_all(old).with_context(|| old.display().to_string())?;
        }
    }
    let mut unzip = Command::new("python3");
    unzip.args(["-m", "zipfile", "-e"]).arg(archive).arg(&part);
    shell::run(&mut unzip)?;
    std::fs::rename(&part, &directory).with_context(|| directory.display().to_string())?;
    std::fs::remove_file(archive).with_context(|| archive.display().to_string())
}
